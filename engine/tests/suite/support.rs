//! A host as small as can be: an inbox, futures polled in turn, modules from a table.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Poll, Waker};
use std::time::Duration;

use engine::{
    AsyncCompletion, BlockingJob, CompileOptions, Context, ContextOptions, EngineTask, Family, GcKind, Global, Host,
    ImportRequest, JsResult, LazyGlobals, Local, ModuleKind, Scope, TaskSender,
};

pub(crate) const BUILD_ID: &str = "engine-tests-1";

enum Arrival {
    Done(u64, AsyncCompletion),
    Job(u64, Box<dyn BlockingJob>),
    Ready(u64),
    Task(EngineTask),
}

#[derive(Default)]
struct Inbox {
    queue: Mutex<VecDeque<Arrival>>,
    arrived: Condvar,
}

impl Inbox {
    fn push(&self, arrival: Arrival) {
        self.queue.lock().unwrap().push_back(arrival);
        self.arrived.notify_one();
    }
}

type LocalFuture = Pin<Box<dyn Future<Output = AsyncCompletion>>>;

#[derive(Default)]
pub(crate) struct TestHost {
    inbox: Arc<Inbox>,
    outstanding: Cell<usize>,
    futures: RefCell<Vec<(u64, LocalFuture)>>,
    /// Module sources by specifier.
    pub sources: RefCell<HashMap<&'static str, &'static str>>,
    /// Specifiers that are answered with a promise, settled in a later turn.
    pub delayed: RefCell<HashSet<&'static str>>,
    loads: RefCell<VecDeque<(Global, Global)>>,
    modules: RefCell<Vec<(String, Global)>>,
    /// What `load_module` was asked: "referrer specifier dynamic".
    pub asked: RefCell<Vec<String>>,
    pub rejections: RefCell<Vec<bool>>,
    cleanups: RefCell<Vec<Global>>,
    /// Names that `resolve_global` was asked for.
    pub resolved: RefCell<Vec<String>>,
    pub interrupts: Cell<u32>,
    /// How many interrupts to let pass.
    pub patience: Cell<u32>,
}

impl Host for TestHost {
    fn spawn_blocking(&self, token: u64, mut job: Box<dyn BlockingJob>) {
        self.outstanding.set(self.outstanding.get() + 1);
        let inbox = self.inbox.clone();
        std::thread::spawn(move || {
            job.run();
            inbox.push(Arrival::Job(token, job));
        });
    }
    fn complete_later(&self, token: u64) {
        self.outstanding.set(self.outstanding.get() + 1);
        self.inbox.push(Arrival::Ready(token));
    }
    fn may_complete_now(&self) -> bool {
        true
    }
    fn spawn_local(&self, token: u64, future: LocalFuture) {
        self.futures.borrow_mut().push((token, future));
    }
    fn load_module<'s>(
        &self,
        scope: &mut Scope<'s>,
        referrer: Option<u32>,
        request: &ImportRequest,
    ) -> JsResult<Local<'s>> {
        let key = request.specifier.as_str();
        let from = referrer.map_or("script".into(), |number| self.modules.borrow()[number as usize].0.clone());
        self.asked.borrow_mut().push(format!("{from} -> {key}{}", if request.dynamic { " (dynamic)" } else { "" }));
        let known = self.modules.borrow().iter().find(|(name, _)| name == key).map(|(_, module)| module.clone());
        if let Some(module) = known {
            return Ok(module.get(scope));
        }
        let Some(source) = self.sources.borrow().get(key).copied() else {
            return Err(scope.throw_error(&format!("no module {key}")));
        };
        let module = if request.kind == ModuleKind::Json {
            let text = scope.string(source)?;
            let value = scope.parse_json(text)?;
            scope.default_export_module(value)?
        } else {
            self.compile(scope, key, source)?
        };
        if self.delayed.borrow().contains(key) {
            let promise = scope.new_promise()?;
            let load = (scope.global(promise), scope.global(module));
            self.loads.borrow_mut().push_back(load);
            return Ok(promise);
        }
        Ok(module)
    }
    fn module_object<'s>(&self, scope: &mut Scope<'s>, module: u32) -> Option<Local<'s>> {
        let module = self.modules.borrow().get(module as usize).map(|(_, module)| module.clone());
        module.map(|module| module.get(scope))
    }
    fn import_meta(&self, scope: &mut Scope<'_>, module: u32, meta: Local<'_>) -> JsResult<()> {
        let name = self.modules.borrow()[module as usize].0.clone();
        let name = scope.string(&name)?;
        scope.set(meta, "name", name)
    }
    fn promise_rejection(&self, _: &mut Scope<'_>, _: Local<'_>, handled: bool) {
        self.rejections.borrow_mut().push(handled);
    }
    fn resolve_global<'s>(&self, scope: &mut Scope<'s>, name: &str) -> JsResult<Option<Local<'s>>> {
        self.resolved.borrow_mut().push(name.into());
        match name {
            "lazyObject" => {
                let object = scope.new_object()?;
                scope.gc(GcKind::Full);
                Ok(Some(object))
            }
            "lazyFailure" => Err(scope.throw_type_error("cannot be made")),
            _ => Ok(None),
        }
    }
    fn finalization(&self, cleanup: Global) {
        self.cleanups.borrow_mut().push(cleanup);
    }
    fn interrupt(&self, _: &mut Scope<'_>) -> bool {
        self.interrupts.set(self.interrupts.get() + 1);
        self.interrupts.get() <= self.patience.get()
    }
    fn engine_task_sender(&self) -> TaskSender {
        let inbox = self.inbox.clone();
        Box::new(move |task, _| {
            inbox.push(Arrival::Task(task));
            Ok(())
        })
    }
}

impl TestHost {
    fn compile<'s>(&self, scope: &mut Scope<'s>, key: &str, source: &str) -> JsResult<Local<'s>> {
        let stencil = scope.compile_module(source, &CompileOptions::new(key))?;
        let number = self.modules.borrow().len() as u32;
        let record = scope.instantiate_module(&stencil, number)?;
        let global = scope.global(record);
        self.modules.borrow_mut().push((key.into(), global));
        Ok(record)
    }
}

/// A context with its host.
pub(crate) struct Engine {
    pub context: Context,
    pub host: Rc<TestHost>,
}

/// A context; with `stress` a collection at every native call.
pub(crate) fn start(stress: u32) -> Engine {
    start_with(ContextOptions { gc_stress: stress, ..Default::default() })
}

pub(crate) fn start_with(options: ContextOptions) -> Engine {
    LazyGlobals::declare(&[("lazyObject", true), ("lazyFailure", false), ("lazyNothing", false)]);
    assert!(engine::initialize(BUILD_ID, &[]));
    let host = Rc::new(TestHost::default());
    let context = Context::new(&options, host.clone());
    Engine { context, host }
}

/// Runs a script; the completion value, or an exception, as text.
pub(crate) fn eval(scope: &mut Scope<'_>, source: &str) -> String {
    scope.nested(|scope| match run(scope, source) {
        Ok(value) => scope.display(value),
        Err(exc) => match scope.take_exception(exc) {
            Some(error) => format!("threw {}", scope.display(error)),
            None => "ended".into(),
        },
    })
}

/// Runs a script.
pub(crate) fn run<'s>(scope: &mut Scope<'s>, source: &str) -> JsResult<Local<'s>> {
    let stencil = scope.compile_script(source, &CompileOptions::new("test.js"))?;
    scope.run_script(&stencil, None)
}

impl Engine {
    pub(crate) fn eval(&mut self, source: &str) -> String {
        self.context.with(|scope| eval(scope, source))
    }

    /// Puts a family's functions on the global object.
    pub(crate) fn install(&mut self, family: Family) {
        self.context.with(|scope| {
            let Ok(object) = scope.family_object(&family) else { panic!("family {}", family.name) };
            let global = scope.global_object();
            assert!(scope.set(global, "native", object).is_ok());
        });
    }

    /// Runs an ES module from the table to the end of the loop; the state of its evaluation as text.
    pub(crate) fn module(&mut self, name: &'static str) -> String {
        let host = self.host.clone();
        let promise = self.context.with(|scope| {
            let source = host.sources.borrow()[name];
            let record = match host.compile(scope, name, source) {
                Ok(record) => record,
                Err(exc) => return Err(thrown(scope, exc)),
            };
            match scope.run_module(record) {
                Ok(promise) => Ok(scope.global(promise)),
                Err(exc) => Err(thrown(scope, exc)),
            }
        });
        let promise = match promise {
            Ok(promise) => promise,
            Err(text) => return text,
        };
        self.run_loop();
        self.context.with(|scope| {
            let promise = promise.get(scope);
            match scope.promise_state(promise) {
                Some((engine::PromiseState::Rejected, reason)) => format!("rejected {}", scope.display(reason)),
                Some((state, _)) => format!("{state:?}").to_lowercase(),
                None => "no promise".into(),
            }
        })
    }

    /// Turns until nothing is left to wait for. Exceptions of callbacks and microtasks go to `globalThis.reported`.
    pub(crate) fn run_loop(&mut self) {
        let host = self.host.clone();
        loop {
            self.context.with(|scope| {
                scope.run_microtasks(&mut |scope, error| {
                    let text = scope.display(error);
                    report(scope, &text);
                });
                scope.clear_kept_objects();
            });
            let cleanups = std::mem::take(&mut *host.cleanups.borrow_mut());
            if !cleanups.is_empty() {
                self.context.with(|scope| {
                    for cleanup in cleanups {
                        let cleanup = cleanup.get(scope);
                        assert!(scope.call_function(cleanup, &[]).is_ok());
                    }
                });
                continue;
            }
            let load = host.loads.borrow_mut().pop_front();
            if let Some((promise, module)) = load {
                self.context.with(|scope| {
                    let (promise, module) = (promise.get(scope), module.get(scope));
                    assert!(scope.resolve_promise(promise, module).is_ok());
                });
                continue;
            }
            let mut futures = std::mem::take(&mut *host.futures.borrow_mut());
            let mut progress = false;
            let mut task = std::task::Context::from_waker(Waker::noop());
            futures.retain_mut(|(token, future)| match future.as_mut().poll(&mut task) {
                Poll::Ready(completion) => {
                    host.inbox.push(Arrival::Done(*token, completion));
                    host.outstanding.set(host.outstanding.get() + 1);
                    progress = true;
                    false
                }
                Poll::Pending => true,
            });
            let waiting = !futures.is_empty();
            host.futures.borrow_mut().append(&mut futures);
            let tasks = engine::engine_tasks_pending() > 0;
            if host.outstanding.get() == 0 && !tasks {
                if waiting {
                    continue;
                }
                return;
            }
            let arrival = {
                let queue = host.inbox.queue.lock().unwrap();
                let patience = if progress { Duration::ZERO } else { Duration::from_secs(30) };
                let (mut queue, _) =
                    host.inbox.arrived.wait_timeout_while(queue, patience, |queue| queue.is_empty()).unwrap();
                queue.pop_front()
            };
            match arrival {
                Some(Arrival::Task(task)) => self.context.with(|scope| task.run(scope)),
                Some(arrival) => {
                    host.outstanding.set(host.outstanding.get() - 1);
                    self.context.with(|scope| {
                        let result = match arrival {
                            Arrival::Done(token, completion) => engine::finish_async(scope, token, completion),
                            Arrival::Job(token, job) => engine::finish_job(scope, token, job),
                            Arrival::Ready(token) => engine::finish_ready(scope, token),
                            Arrival::Task(_) => Ok(()),
                        };
                        if let Err(exc) = result {
                            let text = thrown(scope, exc);
                            report(scope, &text);
                        }
                    });
                }
                None => panic!("nothing arrived for 30 seconds"),
            }
        }
    }
}

fn thrown(scope: &mut Scope<'_>, exc: engine::Exc) -> String {
    match scope.take_exception(exc) {
        Some(error) => format!("threw {}", scope.display(error)),
        None => "ended".into(),
    }
}

fn report(scope: &mut Scope<'_>, text: &str) {
    let Ok(text) = scope.string(text) else { return };
    let global = scope.global_object();
    assert!(scope.set(global, "reported", text).is_ok());
}
