//! A realm for a debugger: in a compartment of its own, with SpiderMonkey's `Debugger` as a global name
//! (js/src/doc/Debugger of the engine). Objects of the program are seen there through wrappers and `Debugger.Object`s.

use std::ptr;

use mozjs::jsapi::{
    JS, JS_DefineDebuggerObject, JS_NewGlobalObject, JS_NewRealmOptions, JS_WrapValue, OnNewGlobalHookOption,
};

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

/// What a signal handler interrupts a context with.
#[derive(Clone, Copy)]
pub struct SignalInterrupt(*mut mozjs::jsapi::JSContext);

// SAFETY: see `request`, which is all that it is for.
unsafe impl Send for SignalInterrupt {}
// SAFETY: as above.
unsafe impl Sync for SignalInterrupt {}

impl SignalInterrupt {
    /// Has the context call [`Host::interrupt`](crate::Host::interrupt) at its next loop or call of JavaScript. Async-signal-safe.
    ///
    /// # Safety
    /// The context is alive.
    pub unsafe fn request(self) {
        // SAFETY: the caller's. Without haste, the engine only writes two atomic fields.
        unsafe { mozjs::jsapi::JS_RequestInterruptCallbackCanWait(self.0) };
    }
}

impl<'s> Scope<'s> {
    /// For signal handlers that interrupt this context.
    pub fn signal_interrupt(&mut self) -> SignalInterrupt {
        SignalInterrupt(self.cx)
    }

    /// Makes a realm in a new compartment that has the language's globals and `Debugger`; gives its global object, which only
    /// [`Scope::in_realm_of`] may use as it is.
    pub fn new_debugger_realm(&mut self) -> JsResult<Local<'s>> {
        // SAFETY: the options live until the realm is made; the result is rooted at once. A new compartment and a new zone are
        // what the engine's options begin with.
        let global = unsafe {
            let options = JS_NewRealmOptions();
            (*options).creationOptions_.invisibleToDebugger_ = true;
            let hook = OnNewGlobalHookOption::DontFireOnNewGlobalHook;
            let global = JS_NewGlobalObject(self.cx, crate::realm::plain_class(), ptr::null_mut(), hook, options);
            mozjs::jsapi::DeleteRealmOptions(options);
            self.checked_object(global)?
        };
        self.in_realm_of(global, |scope| {
            // SAFETY: a rooted global object in its own realm.
            unsafe {
                mozjs::rooted!(in(scope.cx) let object = global.value().to_object());
                if JS_DefineDebuggerObject(scope.cx, object.handle().into()) { Ok(global) } else { Err(Exc::pending()) }
            }
        })
    }

    /// The value as the current realm may use it: an object of another compartment behind a wrapper, a wrapper of one of this
    /// compartment's without it.
    pub fn in_this_compartment(&mut self, value: Local<'_>) -> JsResult<Local<'s>> {
        let out = self.local(value.value());
        // SAFETY: a rooted location.
        if unsafe { JS_WrapValue(self.cx, Scope::out(out)) } { Ok(out) } else { Err(Exc::pending()) }
    }

    /// Whether the current realm is that of a global object.
    pub fn is_in_realm_of(&mut self, global: Local<'_>) -> bool {
        // SAFETY: a plain read.
        let current = unsafe { JS::CurrentGlobalOrNull(self.cx) };
        global.object() == Some(current)
    }

    /// Whether the engine keeps the stacks of asynchronous calls, in realms whose debugger wants them.
    pub fn set_async_stacks(&mut self, are_kept: bool) {
        // SAFETY: the options of a live context.
        unsafe { (*JS::ContextOptionsRef(self.cx)).set_asyncStack_(are_kept) };
    }

    /// Puts microtasks aside that were queued while a hook of the debugger ran. The program's own wait in a queue that the
    /// engine has put away for that time, and it drops what is in the other one.
    pub(crate) fn keep_microtasks_of_hook(&mut self) {
        loop {
            // SAFETY: same context and thread; what is made in a round goes with it.
            let mut scope = unsafe { Scope::enter(self.cx) };
            let Some(task) = scope.dequeue_microtask() else { return };
            let kept = scope.global(task);
            scope.ctx().hook_microtasks.borrow_mut().push(kept);
            // The interrupt queues them, which is before the program's code queues others.
            // SAFETY: allowed from anywhere.
            unsafe { mozjs::jsapi::JS_RequestInterruptCallback(scope.cx) };
        }
    }

    /// Queues the microtasks that [`Scope::keep_microtasks_of_hook`] has put aside.
    pub(crate) fn queue_microtasks_of_hooks(&mut self) {
        let kept = std::mem::take(&mut *self.ctx().hook_microtasks.borrow_mut());
        for task in &kept {
            // SAFETY: as above.
            let mut scope = unsafe { Scope::enter(self.cx) };
            let value = task.get(&mut scope).value();
            // SAFETY: the queue roots the value. Without memory the task is lost, as in a hook.
            unsafe { JS::EnqueueMicroTask(scope.cx, &value) };
        }
    }
}
