//! What all environments of a JavaScript thread share: cleanup hooks, the number of classes, whether JavaScript is on the
//! stack, the libuv loop.

use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use engine::{Global, JsResult, Scope};
use runtime_core::{RuntimeState, builtins, turns};

use crate::cleanup::AsyncHook;
use crate::env::{Env, L, S};
use crate::plugins::Gate;
use crate::threadsafe::Function;

/// Called at the end of the thread's environment, the last added first.
pub enum Hook {
    /// Of the addon's: `napi_add_env_cleanup_hook`.
    Call {
        function: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    },
    Async(Rc<AsyncHook>),
    /// A thread-safe function closes.
    Function(Arc<Function>),
    /// An environment's finalizers run.
    Env(u64),
}

/// See above.
#[derive(Default)]
pub struct Thread {
    envs: RefCell<Vec<Rc<Env>>>,
    ids: Cell<u64>,
    classes: Cell<u32>,
    pub hooks: RefCell<Vec<Hook>>,
    /// Async hooks that have begun and not ended.
    pub waiting: Cell<usize>,
    /// libuv runs callbacks, and no JavaScript is on the stack.
    pub outside: Cell<bool>,
    buffer_prototype: OnceCell<Global>,
    pub uv: OnceCell<Rc<crate::uv::Loop>>,
    pub is_ending: Cell<bool>,
    /// `node:domain` is in use.
    pub uses_domains: Cell<bool>,
    /// Closed before anything of the thread ends that functions of plugins may use.
    pub gate: Gate,
}

impl Thread {
    /// The one of this thread, made at the first use.
    pub fn of(scope: &mut Scope<'_>) -> Rc<Thread> {
        scope.state().get_or_default::<Rc<Thread>>().clone()
    }

    pub fn new_id(&self) -> u64 {
        self.ids.set(self.ids.get() + 1);
        self.ids.get()
    }

    /// A number for a class, from 1.
    pub fn new_class(&self) -> u32 {
        self.classes.set(self.classes.get() + 1);
        self.classes.get()
    }

    /// Adds an environment, which ends with the thread.
    pub fn add(&self, env: Rc<Env>) {
        self.hooks.borrow_mut().push(Hook::Env(env.id));
        self.envs.borrow_mut().push(env);
    }

    pub fn env(&self, id: u64) -> Option<Rc<Env>> {
        self.envs.borrow().iter().find(|env| env.id == id).cloned()
    }

    /// Runs `f`, which puts JavaScript on the stack.
    #[inline]
    pub fn inside_js<R>(&self, f: impl FnOnce() -> R) -> R {
        let outside = self.outside.replace(false);
        let result = f();
        self.outside.set(outside);
        result
    }

    /// `Buffer.prototype`
    pub fn buffer_prototype(&self, scope: &mut S) -> JsResult<L> {
        if let Some(prototype) = self.buffer_prototype.get() {
            return Ok(prototype.get(scope));
        }
        let module = builtins::require(scope, "node:buffer")?;
        let constructor = scope.get(module, "Buffer")?;
        let prototype = scope.get(constructor, "prototype")?;
        let _ = self.buffer_prototype.set(scope.global(prototype));
        Ok(prototype)
    }

    /// Removes the last hook for which `is_it`.
    pub fn remove_hook(&self, is_it: impl Fn(&Hook) -> bool) {
        let mut hooks = self.hooks.borrow_mut();
        if let Some(index) = hooks.iter().rposition(is_it) {
            let hook = hooks.remove(index);
            drop(hooks);
            drop(hook);
        }
    }
}

/// An environment of this thread by its number, while it has not ended.
pub fn find(scope: &mut Scope<'_>, id: u64) -> Option<Rc<Env>> {
    scope.state().get::<Rc<Thread>>()?.clone().env(id)
}

/// Ends the environments of the thread: hooks, finalizers, thread-safe functions, the libuv loop. Does nothing in a thread
/// that has loaded no addon.
pub fn tear_down(scope: &mut Scope<'_>) {
    let Some(thread) = scope.state().get::<Rc<Thread>>().cloned() else { return };
    let state = RuntimeState::of(scope);
    // Waits for calls of plugins that are under way.
    *thread.gate.write().unwrap_or_else(PoisonError::into_inner) = true;
    thread.is_ending.set(true);
    for env in thread.envs.borrow().iter() {
        env.ending.set(true);
    }
    // Their finalizers run when all hooks are over, the asynchronous ones too.
    let mut envs = Vec::new();
    loop {
        let hook = thread.hooks.borrow_mut().pop();
        match hook {
            Some(Hook::Env(id)) => envs.push(id),
            Some(hook) => scope.nested(|scope| run_hook(scope, &thread, hook)),
            None if thread.waiting.get() > 0 => {
                // An async hook ends when its addon says so, from whatever the loop runs.
                turns::run_calls(scope, &state, Duration::from_millis(10));
                if let Some(uv) = thread.uv.get() {
                    uv.run(scope);
                }
            }
            None => break,
        }
    }
    for id in envs {
        if let Some(env) = thread.env(id) {
            crate::references::tear_down(&env, scope);
            env.is_ended.store(true, Ordering::Release);
            thread.envs.borrow_mut().retain(|other| other.id != id);
        }
    }
    if let Some(uv) = thread.uv.get() {
        uv.close(scope, &state);
    }
    scope.state().take::<Rc<Thread>>();
}

/// Writes what addons have printed by C's standard streams and is still in their buffers; before the process ends.
pub fn flush() {
    if crate::modules::any_loaded() {
        // SAFETY: null stands for all streams.
        unsafe { libc::fflush(std::ptr::null_mut()) };
    }
}

fn run_hook(scope: &mut Scope<'_>, thread: &Rc<Thread>, hook: Hook) {
    match hook {
        // SAFETY: the addon's own function with what it goes with.
        Hook::Call { function, argument } => unsafe { function(argument) },
        Hook::Async(hook) => hook.begin(thread),
        Hook::Function(function) => function.end(scope),
        // Collected by the caller.
        Hook::Env(_) => {}
    }
}
