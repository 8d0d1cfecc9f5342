//! Cleanup hooks: functions that are called when the thread's environment ends, at once or over some turns of the loop.

use std::cell::Cell;
use std::ffi::c_void;
use std::rc::Rc;

use crate::env::{Env, basic, put};
use crate::status::Status;
use crate::thread::{Hook, Thread};

type Cleanup = unsafe extern "C" fn(*mut c_void);
type AsyncCleanup = unsafe extern "C" fn(handle: *mut AsyncHandle, argument: *mut c_void);

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_add_env_cleanup_hook(
    env: *const Env,
    function: Option<Cleanup>,
    argument: *mut c_void,
) -> Status {
    basic(env, |env| {
        let function = function.ok_or(Status::InvalidArg)?;
        env.thread.hooks.borrow_mut().push(Hook::Call { function, argument });
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_remove_env_cleanup_hook(
    env: *const Env,
    function: Option<Cleanup>,
    argument: *mut c_void,
) -> Status {
    basic(env, |env| {
        let wanted = function.ok_or(Status::InvalidArg)?;
        env.thread.remove_hook(|hook| match hook {
            Hook::Call { function, argument: other } => std::ptr::fn_addr_eq(*function, wanted) && *other == argument,
            _ => false,
        });
        Ok(())
    })
}

/// A hook that ends when its handle is removed.
pub struct AsyncHook {
    function: AsyncCleanup,
    argument: *mut c_void,
    handle: Cell<*mut AsyncHandle>,
    has_begun: Cell<bool>,
}

/// `napi_async_cleanup_hook_handle`
pub struct AsyncHandle {
    hook: Rc<AsyncHook>,
    thread: Rc<Thread>,
}

impl AsyncHook {
    /// Calls the hook; the thread waits for its end.
    pub fn begin(&self, thread: &Thread) {
        self.has_begun.set(true);
        thread.waiting.set(thread.waiting.get() + 1);
        // SAFETY: the addon's own function with what it goes with, and a handle that it has not removed: that takes the
        // hook out of the list.
        unsafe { (self.function)(self.handle.get(), self.argument) };
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_add_async_cleanup_hook(
    env: *const Env,
    function: Option<AsyncCleanup>,
    argument: *mut c_void,
    remove: *mut *mut AsyncHandle,
) -> Status {
    basic(env, |env| {
        let hook = Rc::new(AsyncHook {
            function: function.ok_or(Status::InvalidArg)?,
            argument,
            handle: Cell::new(std::ptr::null_mut()),
            has_begun: Cell::new(false),
        });
        let handle = Box::into_raw(Box::new(AsyncHandle { hook: hook.clone(), thread: env.thread.clone() }));
        hook.handle.set(handle);
        env.thread.hooks.borrow_mut().push(Hook::Async(hook));
        put(remove, handle);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_remove_async_cleanup_hook(handle: *mut AsyncHandle) -> Status {
    if handle.is_null() {
        return Status::InvalidArg;
    }
    // SAFETY: the box of `napi_add_async_cleanup_hook`, given back once, on its thread.
    let AsyncHandle { hook, thread } = *unsafe { Box::from_raw(handle) };
    if hook.has_begun.get() {
        thread.waiting.set(thread.waiting.get() - 1);
    } else {
        thread.remove_hook(|other| matches!(other, Hook::Async(other) if Rc::ptr_eq(other, &hook)));
    }
    Status::Ok
}
