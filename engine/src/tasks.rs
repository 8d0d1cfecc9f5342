//! What the engine has to do on the thread of a context later: promises of WebAssembly compilation and of `Atomics.waitAsync`, which are
//! settled by other threads or by time.

use std::cell::Cell;
use std::ffi::c_void;
use std::time::Duration;

use mozjs::jsapi::JSContext as RawContext;

use crate::bindings::{InitAsyncTaskCallbacks, ReleaseFailedTask, RunDispatchable, WAIT_ASYNC_VTABLE};
use crate::handles::Scope;

/// `js::UniquePtr<JS::Dispatchable>`: one pointer, which whoever takes it leaves null.
pub(crate) type UniqueTask = *mut c_void;

/// Takes a task for a context's thread, from any thread: to be run now, or after that time. Given back once the thread ends, then and ever after.
pub type TaskSender = Box<dyn Fn(EngineTask, Option<Duration>) -> Result<(), EngineTask> + Send + Sync>;

/// Work of the engine for the thread of its context. It has to be run or abandoned there: the context's end waits for that.
pub struct EngineTask(UniqueTask);

// SAFETY: made to be sent between threads.
unsafe impl Send for EngineTask {}

impl EngineTask {
    /// Runs the task; an exception is pending when it fails.
    pub fn run(mut self, scope: &mut Scope<'_>) {
        // SAFETY: on the context's thread, once; 0 is `NotShuttingDown`.
        unsafe { RunDispatchable(scope.cx, &mut self.0, 0) };
    }

    /// Gives the task up because its thread ends.
    pub fn abandon(mut self, scope: &mut Scope<'_>) {
        // SAFETY: as above; 1 is `ShuttingDown`.
        unsafe { RunDispatchable(scope.cx, &mut self.0, 1) };
    }
}

pub(crate) struct Dispatch {
    send: TaskSender,
}

/// Gives the context its callbacks. The result is freed after the context.
///
/// # Safety
/// `cx` is a live context without any.
pub(crate) unsafe fn install(cx: *mut RawContext, send: TaskSender) -> *mut Dispatch {
    let dispatch = Box::into_raw(Box::new(Dispatch { send }));
    // SAFETY: the callbacks have the C++ signatures.
    unsafe { InitAsyncTaskCallbacks(cx, now, later, started, finished, dispatch.cast()) };
    dispatch
}

unsafe extern "C" fn now(dispatch: *mut c_void, task: *mut UniqueTask) -> bool {
    // SAFETY: the closure lives as long as the context; the engine calls from any thread, with the lock for its tasks held.
    unsafe {
        let taken = EngineTask(std::mem::replace(&mut *task, std::ptr::null_mut()));
        match ((*dispatch.cast::<Dispatch>()).send)(taken, None) {
            Ok(()) => true,
            Err(EngineTask(mut refused)) => {
                ReleaseFailedTask(&mut refused);
                false
            }
        }
    }
}

unsafe extern "C" fn later(dispatch: *mut c_void, task: *mut UniqueTask, milliseconds: u32) -> bool {
    // SAFETY: as above.
    unsafe {
        let taken = EngineTask(std::mem::replace(&mut *task, std::ptr::null_mut()));
        match ((*dispatch.cast::<Dispatch>()).send)(taken, Some(Duration::from_millis(milliseconds.into()))) {
            Ok(()) => true,
            Err(EngineTask(refused)) => {
                // The caller's again, who frees it.
                *task = refused;
                false
            }
        }
    }
}

thread_local! {
    /// Tasks under way of this thread's context that somebody will finish (the callbacks carry no context).
    static TASKS: Cell<isize> = const { Cell::new(0) };
}

/// Whether the loop waits for `task`. It does not for a promise of `Atomics.waitAsync`, which nobody may ever notify.
unsafe fn is_awaited(task: *mut c_void) -> bool {
    // SAFETY: an object with a table of virtual functions, which starts two words into its symbol.
    unsafe { *task.cast::<*const c_void>() != (&raw const WAIT_ASYNC_VTABLE).cast::<*const c_void>().add(2).cast() }
}

unsafe extern "C" fn started(_dispatch: *mut c_void, task: *mut c_void) {
    // SAFETY: the engine's task, made completely.
    if unsafe { is_awaited(task) } {
        TASKS.with(|pending| pending.set(pending.get() + 1));
    }
}

unsafe extern "C" fn finished(_dispatch: *mut c_void, task: *mut c_void) {
    // SAFETY: as above.
    if unsafe { is_awaited(task) } {
        TASKS.with(|pending| pending.set(pending.get() - 1));
    }
}

/// Number of engine tasks under way on this thread that keep the loop alive.
pub fn engine_tasks_pending() -> isize {
    TASKS.with(Cell::get)
}
