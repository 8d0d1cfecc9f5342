//! Thread-safe functions: calls into JavaScript from any thread, through a queue that the loop empties.
//!
//! Only the queue is touched by other threads. What belongs to JavaScript is in `home`, which the loop's thread empties
//! when the function closes.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use engine::{Global, Scope};
use runtime_core::event_loop::{Arrival, Inbox};
use runtime_core::turns;

use crate::callbacks::Context;
use crate::env::{Env, Finalize, Handle, basic, function, handle, optional, out, simple, value};
use crate::status::{Fail, Status};
use crate::thread::{self, Hook};

type CallJs = unsafe extern "C" fn(env: *const Env, callee: Handle, context: *mut c_void, data: *mut c_void);

/// So many calls in a turn of the loop, as in Node.
const MOST_CALLS: usize = 1000;

/// `napi_threadsafe_function`
pub struct Function {
    queue: Mutex<Queue>,
    room: Condvar,
    /// Most waiting calls; 0 for any number.
    most: usize,
    call_js: Option<CallJs>,
    context: *mut c_void,
    finalize: Option<Finalize>,
    finalize_data: *mut c_void,
    env_id: u64,
    inbox: Inbox,
    is_scheduled: AtomicBool,
    home: RefCell<Option<Home>>,
    /// Whether it keeps the loop alive.
    is_ref: Cell<bool>,
}

// SAFETY: other threads reach the queue, which is locked, and what does not change; `home` and `is_ref` are for the loop's
// thread, which empties `home` before it ends.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

struct Home {
    callee: Option<Global>,
    context: Context,
}

struct Queue {
    calls: VecDeque<Data>,
    /// Threads that may call.
    threads: usize,
    is_closing: bool,
    is_closed: bool,
    /// Nothing is left to be done for the loop.
    is_over: bool,
    /// The addon's pointer is a reference that has not been given up.
    is_held: bool,
}

impl Queue {
    /// Whether the addon's pointer is to be given up now: true once, when the function is over and no thread may use it.
    fn gives_up(&mut self) -> bool {
        self.is_over && self.threads == 0 && std::mem::replace(&mut self.is_held, false)
    }
}

/// What a call goes with: the addon's.
struct Data(*mut c_void);
// SAFETY: only handed on.
unsafe impl Send for Data {}

impl Function {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Has the loop look at the queue. That the loop lives as long as there may be calls is `is_ref`'s business.
    fn send(self: &Arc<Self>) {
        if !self.is_scheduled.swap(true, Ordering::AcqRel) {
            let function = self.clone();
            self.inbox.send(Arrival::Aside(Box::new(move |scope| {
                function.dispatch(scope);
                Ok(())
            })));
        }
    }

    fn dispatch(self: &Arc<Self>, scope: &mut Scope<'_>) {
        self.is_scheduled.store(false, Ordering::Release);
        for _ in 0..MOST_CALLS {
            let next = {
                let mut queue = self.lock();
                if queue.is_closed {
                    return;
                }
                if queue.is_closing {
                    None
                } else {
                    match queue.calls.pop_front() {
                        Some(data) => {
                            if self.most > 0 {
                                self.room.notify_one();
                            }
                            Some(data)
                        }
                        None if queue.threads == 0 => None,
                        None => return,
                    }
                }
            };
            match next {
                Some(data) => self.call(scope, data.0),
                None => return self.end(scope),
            }
        }
        self.send();
    }

    fn call(&self, scope: &mut Scope<'_>, data: *mut c_void) {
        let Some(env) = thread::find(scope, self.env_id) else { return };
        scope.nested(|scope| {
            let (callee, context) = match &*self.home.borrow() {
                Some(home) => (home.callee.as_ref().map(|callee| callee.get(scope)), home.context.clone()),
                None => return,
            };
            let result = context.enter(scope).and_then(|entered| {
                let result = match (self.call_js, callee) {
                    (Some(call_js), callee) => {
                        let callee = callee.map_or(ptr::null_mut(), handle);
                        // SAFETY: the addon's own function with what it goes with.
                        env.enter(scope, |env| unsafe { call_js(env, callee, self.context, data) })
                    }
                    (None, Some(callee)) => scope.call_function(callee, &[]).map(drop),
                    (None, None) => Ok(()),
                };
                context.leave(scope, entered)?;
                result
            });
            if let Err(exc) = result {
                crate::errors::callback_failed(&env, scope, exc);
            }
            turns::drain(scope, &env.state);
        });
    }

    /// Closes the function on the loop's thread: no call gets in or out any more, the finalizer is called, and what waits
    /// is given back without an environment.
    pub fn end(self: &Arc<Self>, scope: &mut Scope<'_>) {
        {
            let mut queue = self.lock();
            if queue.is_closed {
                return;
            }
            queue.is_closing = true;
            queue.is_closed = true;
            self.room.notify_all();
        }
        let home = self.home.borrow_mut().take();
        if let Some(env) = thread::find(scope, self.env_id) {
            env.thread.remove_hook(|hook| matches!(hook, Hook::Function(other) if Arc::ptr_eq(other, self)));
            self.set_ref(&env, false);
            if let Some(finalize) = self.finalize {
                scope.nested(|scope| {
                    // SAFETY: the addon's own function with what it goes with.
                    let result = env.enter(scope, |env| unsafe { finalize(env, self.finalize_data, self.context) });
                    if let Err(exc) = result {
                        crate::errors::callback_failed(&env, scope, exc);
                    }
                });
            }
        }
        drop(home);
        let left = std::mem::take(&mut self.lock().calls);
        for Data(data) in left {
            if let Some(call_js) = self.call_js {
                // SAFETY: as above; without an environment it only frees what it has.
                unsafe { call_js(ptr::null(), ptr::null_mut(), self.context, data) };
            }
        }
        let gives_up = {
            let mut queue = self.lock();
            queue.is_over = true;
            queue.gives_up()
        };
        if gives_up {
            forget(self);
        }
    }

    fn set_ref(&self, env: &Env, is_ref: bool) {
        if self.is_ref.replace(is_ref) != is_ref {
            let pending = &env.state.event_loop.pending;
            pending.set(pending.get() + if is_ref { 1 } else { -1 });
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_threadsafe_function(
    env: *const Env,
    callee: Handle,
    resource: Handle,
    name: Handle,
    most: usize,
    threads: usize,
    finalize_data: *mut c_void,
    finalize: Option<Finalize>,
    context: *mut c_void,
    call_js: Option<CallJs>,
    result: *mut *const Function,
) -> Status {
    simple(env, |env, scope| {
        let name = value(name)?;
        if threads == 0 {
            return Err(Status::InvalidArg.into());
        }
        let result = out(result)?;
        let callee = match optional(callee) {
            None if call_js.is_none() => return Err(Status::InvalidArg.into()),
            None => None,
            Some(_) => Some(function(callee)?),
        };
        let resource_context = Context::new(env, scope, optional(resource), name)?;
        let made = Arc::new(Function {
            queue: Mutex::new(Queue {
                calls: VecDeque::new(),
                threads,
                is_closing: false,
                is_closed: false,
                is_over: false,
                is_held: true,
            }),
            room: Condvar::new(),
            most,
            call_js,
            context,
            finalize,
            finalize_data,
            env_id: env.id,
            inbox: env.state.event_loop.inbox.clone(),
            is_scheduled: AtomicBool::new(false),
            home: RefCell::new(Some(Home {
                callee: callee.map(|callee| scope.global(callee)),
                context: resource_context,
            })),
            is_ref: Cell::new(false),
        });
        made.set_ref(env, true);
        env.thread.hooks.borrow_mut().push(Hook::Function(made.clone()));
        result.write(Arc::into_raw(made));
        Ok(())
    })
}

/// The function of a pointer that a thread may use.
fn shared(pointer: *const Function) -> Result<Arc<Function>, Fail> {
    if pointer.is_null() {
        return Err(Status::InvalidArg.into());
    }
    // SAFETY: a pointer of `napi_create_threadsafe_function` that the caller may still use.
    unsafe {
        Arc::increment_strong_count(pointer);
        Ok(Arc::from_raw(pointer))
    }
}

/// Runs `f` with the function of a pointer; for any thread, so without an environment's last error.
fn any_thread(pointer: *const Function, f: impl FnOnce(&Arc<Function>) -> Status) -> Status {
    match shared(pointer) {
        Ok(function) => f(&function),
        Err(_) => Status::InvalidArg,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_threadsafe_function_context(
    function: *const Function,
    result: *mut *mut c_void,
) -> Status {
    any_thread(function, |function| match out(result) {
        Ok(result) => {
            result.write(function.context);
            Status::Ok
        }
        Err(_) => Status::InvalidArg,
    })
}

/// One thread fewer; `true` where the pointer is to be given up.
fn leave(queue: &mut Queue) -> bool {
    queue.threads -= 1;
    queue.gives_up()
}

/// Gives up the reference that the addon's pointer is.
fn forget(function: &Arc<Function>) {
    // SAFETY: nobody uses the pointer any more.
    unsafe { Arc::decrement_strong_count(Arc::as_ptr(function)) };
}

/// `mode`: 0 fails where the queue is full, 1 waits for room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_call_threadsafe_function(
    function: *const Function,
    data: *mut c_void,
    mode: u32,
) -> Status {
    any_thread(function, |function| {
        let mut queue = function.lock();
        while function.most > 0 && queue.calls.len() >= function.most && !queue.is_closing {
            if mode == 0 {
                return Status::QueueFull;
            }
            queue = function.room.wait(queue).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if queue.is_closing {
            if queue.threads == 0 {
                return Status::InvalidArg;
            }
            let is_over = leave(&mut queue);
            drop(queue);
            if is_over {
                forget(function);
            }
            return Status::Closing;
        }
        queue.calls.push_back(Data(data));
        drop(queue);
        function.send();
        Status::Ok
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_acquire_threadsafe_function(function: *const Function) -> Status {
    any_thread(function, |function| {
        let mut queue = function.lock();
        if queue.is_closing {
            return Status::Closing;
        }
        queue.threads += 1;
        Status::Ok
    })
}

/// `mode`: 0 for this thread, 1 ends the function for all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_release_threadsafe_function(function: *const Function, mode: u32) -> Status {
    any_thread(function, |function| {
        let mut queue = function.lock();
        if queue.threads == 0 {
            return Status::InvalidArg;
        }
        let is_over = leave(&mut queue);
        let ends = (queue.threads == 0 || mode == 1) && !queue.is_closing;
        if ends && mode == 1 {
            queue.is_closing = true;
            function.room.notify_all();
        }
        drop(queue);
        if ends {
            function.send();
        }
        if is_over {
            forget(function);
        }
        Status::Ok
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_unref_threadsafe_function(env: *const Env, function: *const Function) -> Status {
    basic(env, |env| {
        let function = shared(function)?;
        if !function.lock().is_closed {
            function.set_ref(env, false);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_ref_threadsafe_function(env: *const Env, function: *const Function) -> Status {
    basic(env, |env| {
        let function = shared(function)?;
        if !function.lock().is_closed {
            function.set_ref(env, true);
        }
        Ok(())
    })
}
