//! libuv's loop of a thread, for addons that ask for it. It is libuv itself (build.rs compiles it); bao's loop waits for
//! its descriptor and its timers, and runs it once a turn.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use std::time::Duration;

use engine::{JsResult, Scope};
use poll::{Ready, Source};
use runtime_core::RuntimeState;
use runtime_core::event_loop::Companion;

use crate::env::{Env, basic, out};
use crate::status::Status;
use crate::thread::Thread;

const RUN_NOWAIT: c_int = 2;

unsafe extern "C" {
    fn uv_loop_size() -> usize;
    fn uv_loop_init(uv: *mut c_void) -> c_int;
    fn uv_loop_close(uv: *mut c_void) -> c_int;
    fn uv_loop_alive(uv: *const c_void) -> c_int;
    fn uv_run(uv: *mut c_void, mode: c_int) -> c_int;
    fn uv_backend_fd(uv: *const c_void) -> c_int;
    fn uv_backend_timeout(uv: *const c_void) -> c_int;
    fn uv_walk(uv: *mut c_void, visit: unsafe extern "C" fn(*mut c_void, *mut c_void), argument: *mut c_void);
    fn uv_is_closing(handle: *const c_void) -> c_int;
    fn uv_close(handle: *mut c_void, closed: Option<unsafe extern "C" fn(*mut c_void)>);
    fn uv_update_time(uv: *mut c_void);
}

/// The loop of a thread.
pub struct Loop {
    uv: *mut c_void,
    thread: *const Thread,
    is_closed: Cell<bool>,
}

/// Wakes bao's loop, whose turn then runs libuv's.
struct Wake;

impl Source for Wake {
    fn ready(self: Rc<Self>, _: &mut Scope<'_>, _: Ready) -> JsResult<()> {
        Ok(())
    }
}

impl Loop {
    fn new(thread: &Thread, state: &RuntimeState) -> Option<Rc<Loop>> {
        // SAFETY: zeroed memory of the size that libuv asks for; it stays where it is until the loop is closed.
        unsafe {
            let uv = libc::calloc(1, uv_loop_size());
            if uv.is_null() || uv_loop_init(uv) != 0 {
                libc::free(uv);
                return None;
            }
            let made = Rc::new(Loop { uv, thread, is_closed: Cell::new(false) });
            state.event_loop.poller.add_readable(uv_backend_fd(uv), Rc::new(Wake)).ok()?;
            *state.event_loop.companion.borrow_mut() = Some(made.clone());
            Some(made)
        }
    }

    /// Runs what is due, without waiting.
    pub fn run(&self, scope: &mut Scope<'_>) {
        if self.is_closed.get() {
            return;
        }
        // SAFETY: the thread's record outlives its loop, which runs on its thread only.
        unsafe {
            let outside = (*self.thread).outside.replace(true);
            scope.nested(|_| uv_run(self.uv, RUN_NOWAIT));
            (*self.thread).outside.set(outside);
        }
    }

    /// Closes what is open and then the loop.
    pub fn close(&self, scope: &mut Scope<'_>, state: &RuntimeState) {
        /// So many turns for the callbacks of what was closed.
        const TURNS: usize = 64;
        unsafe extern "C" fn close(handle: *mut c_void, _: *mut c_void) {
            // SAFETY: a handle of the loop.
            unsafe {
                if uv_is_closing(handle) == 0 {
                    uv_close(handle, None);
                }
            }
        }
        // SAFETY: on the loop's thread.
        unsafe {
            uv_walk(self.uv, close, ptr::null_mut());
            for _ in 0..TURNS {
                self.run(scope);
                if uv_loop_alive(self.uv) == 0 {
                    break;
                }
            }
            state.event_loop.companion.borrow_mut().take();
            self.is_closed.set(true);
            // A request that is still at work somewhere keeps the loop's memory.
            if uv_loop_close(self.uv) == 0 {
                libc::free(self.uv);
            }
        }
    }
}

impl Companion for Loop {
    fn is_alive(&self) -> bool {
        // SAFETY: a live loop.
        !self.is_closed.get() && unsafe { uv_loop_alive(self.uv) } != 0
    }

    fn timeout(&self) -> Option<Duration> {
        if self.is_closed.get() {
            return None;
        }
        // SAFETY: a live loop.
        unsafe {
            uv_update_time(self.uv);
            u64::try_from(uv_backend_timeout(self.uv)).ok().map(Duration::from_millis)
        }
    }

    fn run(&self, scope: &mut Scope<'_>) {
        Loop::run(self, scope);
    }
}

/// The loop of the thread, made at the first use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_uv_event_loop(env: *const Env, result: *mut *mut c_void) -> Status {
    basic(env, |env| {
        let result = out(result)?;
        if env.thread.uv.get().is_none() {
            let made = Loop::new(&env.thread, &env.state).ok_or(Status::GenericFailure)?;
            let _ = env.thread.uv.set(made);
        }
        let uv = env.thread.uv.get().ok_or(Status::GenericFailure)?;
        result.write(uv.uv);
        Ok(())
    })
}
