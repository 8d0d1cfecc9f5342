//! Worker threads: each has a context, a loop and a module map of its own, like the main thread.
//!
//! The parent holds a resource that can end the worker: a flag, an interrupt of the code that runs, and a call that wakes the loop. What
//! goes between the two beyond that are message ports (see `ports`). The thread reports its exit code, then waits for the operations
//! that other threads still do on its memory, and only then frees it.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use engine::{CloneBuffer, Context, Exc, Global, InterruptHandle, JsResult, Local, Scope, op, ops};
use run_options::{NodeOption, Program, RunOptions};
use runtime_core::event_loop::{Arrival, Inbox};
use runtime_core::limits::Limit;
use runtime_core::{RuntimeState, builtins};

use crate::{locks, ports};

/// Native stack of a worker: scripts may use what is left below the reserve.
const STACK: usize = 4 << 20;
const STACK_RESERVE: usize = 512 << 10;

/// What the threads on both sides know of a worker.
#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    /// Ends what the thread waits for in native functions.
    ending: Arc<base::cancel::Cancellation>,
    reach: Mutex<Option<Reach>>,
}

/// How a worker is reached from outside while it runs.
struct Reach {
    interrupt: InterruptHandle,
    inbox: Inbox,
    start: Instant,
}

/// The threads that another one can post to, by number. The main thread is here once it has made a worker.
static THREADS: Mutex<BTreeMap<u32, Thread>> = Mutex::new(BTreeMap::new());

enum Thread {
    /// What has come for it before it has a loop.
    Starts(Vec<Arrival>),
    Runs(Inbox),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends what a worker runs once it was terminated.
struct Terminated(Arc<Shared>);

impl Limit for Terminated {
    fn is_reached(&self, scope: &mut Scope<'_>) -> bool {
        if !self.0.stop.load(Ordering::SeqCst) {
            return false;
        }
        RuntimeState::of(scope).exit.set(Some(1));
        // Whatever runs next in this thread ends at once as well.
        scope.request_interrupt();
        true
    }

    fn is_ending(&self) -> bool {
        self.0.stop.load(Ordering::SeqCst)
    }
}

/// Runs a worker on its own thread, from its first moment to its end: the crate that knows all families puts it into the state
/// of every thread.
#[derive(Clone, Copy)]
pub struct Runner(pub fn(WorkerThread));

/// What a worker's own thread knows of itself.
pub struct WorkerThread {
    pub id: u32,
    pub program: Program,
    pub options: RunOptions,
    shared: Arc<Shared>,
    /// What the parent sent along, for ext/worker/child.
    setup: RefCell<Option<CloneBuffer>>,
    parent: Inbox,
}

impl WorkerThread {
    /// The thread begins: from here on its waits can be cancelled.
    pub fn begin(&self) {
        base::cancel::cancel_waits_by(self.shared.ending.clone());
    }

    /// There is a context: the worker can be reached from outside, and what came before is handed over.
    pub fn set_reach(&self, context: &mut Context, state: &RuntimeState) {
        let inbox = state.event_loop.inbox.clone();
        if let Some(Thread::Starts(early)) = lock(&THREADS).insert(self.id, Thread::Runs(inbox.clone())) {
            early.into_iter().for_each(|arrival| inbox.send(arrival));
        }
        state.event_loop.inbox.note_start(state.start);
        state.limits.borrow_mut().push(Rc::new(Terminated(self.shared.clone())));
        *lock(&self.shared.reach) = Some(Reach { interrupt: context.interrupt_handle(), inbox, start: state.start });
    }

    /// Whether the worker is to end now.
    pub fn is_stopped(&self) -> bool {
        self.shared.stop.load(Ordering::SeqCst)
    }

    /// Hands JavaScript what the parent sent.
    ///
    /// # Errors
    /// What reading it throws.
    pub fn set_up(&self, scope: &mut Scope<'_>) -> JsResult<()> {
        let Some(buffer) = self.setup.borrow_mut().take() else { return Ok(()) };
        scope.nested(|scope| {
            let data = scope.deserialize_once(buffer)?;
            builtins::call(scope, "internal/worker/child", "setUp", &[data]).map(drop)
        })
    }

    /// The program has ended: nobody interrupts a context that is being taken down, and what the thread held is free.
    pub fn leave(&self) {
        lock(&THREADS).remove(&self.id);
        lock(&self.shared.reach).take();
        locks::release_thread(self.id);
    }

    /// Tells the parent the exit code and whether the heap was full.
    pub fn tell_end(&self, code: i32, out_of_memory: bool) {
        let id = self.id;
        self.parent.send(Arrival::Call(Box::new(move |scope| exited(scope, id, code, out_of_memory))));
    }
}

/// The parent's hold of a worker. Dropping it ends the worker.
pub(crate) struct Handle(Arc<Shared>);

impl Handle {
    fn terminate(&self) {
        self.0.stop.store(true, Ordering::SeqCst);
        self.0.ending.cancel();
        if let Some(reach) = &*lock(&self.0.reach) {
            reach.inbox.send(Arrival::Call(Box::new(|scope| {
                RuntimeState::of(scope).exit.set(Some(1));
                Ok(())
            })));
            reach.interrupt.request();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.terminate();
    }
}

/// The workers that this thread has made: what is called with their exit code.
#[derive(Default)]
struct Children(RefCell<HashMap<u32, Global>>);

fn children(scope: &mut Scope<'_>) -> Rc<Children> {
    scope.state().get_or_default::<Rc<Children>>().clone()
}

/// Starts a worker: `kind` 0 runs the file `program`, 1 the text, 2 a text that a URL stands for. `exec_argv` is an array or
/// undefined for the parent's; `settings` are its options as `--name=value`; `preload` is loaded first, then `imports` are imported, each
/// after the parent's own. Nothing is imported in front of a text of kind 1. `setup` (with the objects of `transfer`) goes to the
/// worker's side of JavaScript; `on_exit(code, out_of_memory)` is called when its program has ended. The result: a resource, or why
/// `setup` cannot be cloned.
#[op(ts(
    exec_argv = "readonly string[] | undefined",
    transfer = "readonly unknown[] | undefined",
    on_exit = "(code: number, outOfMemory: boolean) => void",
    returns = "Native.Worker | string"
))]
#[allow(clippy::too_many_arguments, reason = "they are the fields of one call from JavaScript")]
fn start<'s>(
    scope: &mut Scope<'s>,
    id: u32,
    kind: u32,
    program: String,
    name: String,
    argv: Vec<String>,
    exec_argv: Local<'s>,
    settings: Vec<String>,
    preload: Vec<String>,
    imports: Vec<String>,
    limits: Vec<f64>,
    setup: Local<'s>,
    transfer: Local<'s>,
    on_exit: Local<'s>,
) -> Result<Local<'s>, Exc> {
    let parent = RuntimeState::of(scope);
    let setup = match ports::serialize(scope, setup, transfer)? {
        Ok(setup) => setup,
        Err(message) => return scope.string(&message),
    };
    let mut options = parent.options.clone();
    options.argv = argv;
    options.hot = None;
    options.watch_fd = None;
    if exec_argv.is_object() {
        let mut list = Vec::new();
        for index in 0..scope.array_length(exec_argv)? {
            let item = scope.get_index(exec_argv, index)?;
            list.push(scope.to_string(item)?);
        }
        forget_preloads(&mut options);
        let before = std::mem::replace(&mut options.exec_argv, list);
        // An option of the parent's own, not one of NODE_OPTIONS, which holds for workers as well.
        let maps = "--enable-source-maps";
        options.node_options.retain(|(name, _)| name != maps || before.iter().all(|word| word != maps));
        // What the parent writes of itself is not asked for again.
        options.node_options.retain(|(name, _)| !name.starts_with("--cpu-prof") && !name.starts_with("--heap-prof"));
    }
    // A debugger of the parent's is not the worker's.
    options.node_options.retain(|(name, _)| !["--inspect", "--inspect-brk", "--inspect-wait"].contains(&name.as_str()));
    set_options(&mut options, &settings);
    options.preload.extend(preload);
    options.imports.extend(imports);
    let limit = |index: usize| limits.get(index).copied().filter(|number| *number > 0.0);
    if let Some(mib) = limit(0) {
        let text = format!("{}", mib.ceil() as u32);
        options.set_node_option("--max-old-space-size", NodeOption::Text(text));
    }
    options.smol |= limit(2).is_some();
    let stack = limit(1).map_or(STACK, |mib| ((mib * 1048576.0) as usize).max(1 << 20) + STACK_RESERVE);
    options.stack_size = Some(stack - STACK_RESERVE);
    if kind == 1 {
        options.imports.clear();
    }
    let program = if kind == 0 {
        Program::File(program)
    } else {
        Program::Text { text: program, name: "[worker eval]".into(), print: false }
    };
    let shared = Arc::new(Shared::default());
    let inbox = parent.event_loop.inbox.clone();
    {
        let mut threads = lock(&THREADS);
        threads.entry(parent.thread).or_insert_with(|| Thread::Runs(inbox.clone()));
        threads.insert(id, Thread::Starts(Vec::new()));
    }
    let Runner(run) = *scope.state().get::<Runner>().expect("stored when the realm was prepared");
    let worker =
        WorkerThread { id, program, options, shared: shared.clone(), setup: RefCell::new(Some(setup)), parent: inbox };
    let thread = std::thread::Builder::new().name(name.replace('\0', "")).stack_size(stack).spawn(move || run(worker));
    if let Err(error) = thread {
        lock(&THREADS).remove(&id);
        return Err(scope.throw_error(&format!("A worker thread could not be started: {error}")));
    }
    let on_exit = scope.global(on_exit);
    children(scope).0.borrow_mut().insert(id, on_exit);
    scope.new_resource(Handle(shared))
}

/// Takes out what the words of the parent's `execArgv` load first: a worker that has words of its own has none of them. What the
/// environment and bunfig.toml name stays.
fn forget_preloads(options: &mut RunOptions) {
    let mut words = options.exec_argv.iter();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        let list = match name {
            "--preload" | "--require" | "-r" => &mut options.preload,
            "--import" => &mut options.imports,
            _ => continue,
        };
        let Some(value) = value.or_else(|| words.next().map(String::as_str)) else { break };
        // Those of the command line stand behind the others.
        if let Some(at) = list.iter().rposition(|specifier| specifier == value) {
            list.remove(at);
        }
    }
}

/// Puts `--name` and `--name=value` in force, in place of what the parent has under that name. JavaScript has refused what is no such option.
fn set_options(options: &mut RunOptions, list: &[String]) {
    for item in list.iter().filter(|item| item.starts_with("--")) {
        let (name, value) = match item.split_once('=') {
            Some((name, value)) => (name, NodeOption::Text(value.to_owned())),
            None => (item.as_str(), NodeOption::Flag(true)),
        };
        match (name, &value) {
            ("--conditions", NodeOption::Text(condition)) => options.conditions.push(condition.clone()),
            ("--preserve-symlinks", _) => options.preserve_symlinks = true,
            ("--preserve-symlinks-main", _) => options.preserve_symlinks_main = true,
            _ => options.set_node_option(name, value),
        }
    }
}

fn exited(scope: &mut Scope<'_>, id: u32, code: i32, out_of_memory: bool) -> JsResult<()> {
    let Some(on_exit) = children(scope).0.borrow_mut().remove(&id) else {
        return Ok(());
    };
    let function = on_exit.get(scope);
    let code = scope.int(code);
    let out_of_memory = scope.boolean(out_of_memory);
    scope.call_function(function, &[code, out_of_memory]).map(drop)
}

/// A number for a new worker.
#[op]
fn next_id() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Ends the worker as soon as possible, from inside of a loop or a wait.
#[op]
fn terminate<'s>(scope: &mut Scope<'s>, worker: Local<'s>) {
    if let Some(handle) = scope.resource::<Handle>(worker) {
        handle.terminate();
    }
}

/// Whether the worker of that number has not ended yet, as far as its own thread is concerned: its parent's loop may not know.
#[op]
fn is_running(id: u32) -> bool {
    lock(&THREADS).contains_key(&id)
}

/// Milliseconds that the worker's loop has slept and worked; empty before it began and after its end.
#[op]
fn loop_times<'s>(scope: &mut Scope<'s>, worker: Local<'s>) -> Vec<f64> {
    let Some(handle) = scope.resource::<Handle>(worker) else { return Vec::new() };
    match &*lock(&handle.0.reach) {
        Some(reach) => {
            let (idle, began) = reach.inbox.times();
            let now = reach.start.elapsed().as_secs_f64() * 1e3;
            if began < 0.0 { Vec::new() } else { vec![idle, now - began - idle] }
        }
        None => Vec::new(),
    }
}

/// `[user, system]` processor time of this thread in microseconds.
#[op]
fn thread_cpu_usage() -> Vec<f64> {
    // SAFETY: getrusage fills the struct.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage
    };
    let micros = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    vec![micros(usage.ru_utime), micros(usage.ru_stime)]
}

// ---------------------------------------------------------------------------------------------------------------------

/// What is called with the answers to messages that went to a thread by its number.
#[derive(Default)]
struct Replies(RefCell<HashMap<u32, Global>>);

/// The answer to such a message: the thread that is dropped with it has not heard it.
struct Reply {
    inbox: Inbox,
    token: u32,
    status: i32,
}

/// The thread is gone, or nobody in it listens; the listener has thrown.
const FAILED: i32 = 1;
const ERRORED: i32 = 2;

impl Drop for Reply {
    fn drop(&mut self) {
        let (token, status) = (self.token, self.status);
        self.inbox.send(Arrival::Call(Box::new(move |scope| {
            let replies = scope.state().get_or_default::<Rc<Replies>>().clone();
            let Some(callback) = replies.0.borrow_mut().remove(&token) else {
                return Ok(());
            };
            let (callback, status) = (callback.get(scope), scope.int(status));
            scope.call_function(callback, &[status]).map(drop)
        })));
    }
}

/// Posts `value` to the thread of that number; `callback` gets 0 once a listener there was called, 1 where that is not possible, 2 where one has thrown.
/// The result: why the value cannot be cloned, or undefined.
#[op(ts(
    transfer = "readonly unknown[] | undefined",
    callback = "(status: 0 | 1 | 2) => void",
    returns = "string | undefined"
))]
fn post_to_thread<'s>(
    scope: &mut Scope<'s>,
    thread: u32,
    value: Local<'s>,
    transfer: Local<'s>,
    callback: Local<'s>,
) -> Result<Local<'s>, Exc> {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let state = RuntimeState::of(scope);
    let source = state.thread;
    let message = match ports::serialize(scope, value, transfer)? {
        Ok(message) => message,
        Err(message) => return scope.string(&message),
    };
    let token = NEXT.fetch_add(1, Ordering::Relaxed);
    let callback = scope.global(callback);
    let replies = scope.state().get_or_default::<Rc<Replies>>().clone();
    replies.0.borrow_mut().insert(token, callback);
    let reply = Reply { inbox: state.event_loop.inbox.clone(), token, status: FAILED };
    let mut threads = lock(&THREADS);
    if let Some(target) = threads.get_mut(&thread) {
        let arrival = Arrival::Call(Box::new(move |scope| {
            let mut reply = reply;
            reply.status = ERRORED;
            let status = scope.nested(|scope| {
                let value = scope.deserialize_once(message)?;
                let source = scope.int(source as i32);
                Ok(builtins::call(scope, "internal/worker/thread_messages", "receive", &[value, source])?
                    .as_number()
                    .map_or(ERRORED, |status| status as i32))
            });
            reply.status = *status.as_ref().unwrap_or(&ERRORED);
            status.map(drop)
        }));
        match target {
            Thread::Starts(early) => early.push(arrival),
            Thread::Runs(inbox) => inbox.send(arrival),
        }
    }
    drop(threads);
    Ok(scope.undefined())
}

ops!(pub fn family "worker" { start, next_id, terminate, is_running, loop_times, thread_cpu_usage, post_to_thread });
