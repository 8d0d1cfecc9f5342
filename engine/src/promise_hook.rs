//! Functions that hear of promises (overlay/src/bao/PromiseHook.h): when one is made or settled, and around its jobs.

use mozjs::jsapi::{JS, JSContext, JSObject};

use crate::handles::{Global, Local, Scope};

/// The functions, by the numbers of `bao::PromiseEvent`: made, a job begins, it ends, settled.
pub(crate) type PromiseHooks = [Option<Global>; 4];

type Hook = unsafe extern "C" fn(*mut JSContext, i32, JS::HandleObject, JS::HandleObject) -> bool;

#[cfg(engine_overlay)]
unsafe extern "C" {
    /// Sets the function of this thread, or none.
    fn BaoSetPromiseHook(cx: *mut JSContext, hook: Option<Hook>);
}

impl Scope<'_> {
    /// Has functions called with each promise, in place of those of an earlier call; undefined is none. `init` gets what the
    /// promise waits for, or the promise of the function that awaits it, as its second argument. What a function throws goes
    /// to the code that makes or settles the promise. False if the engine was built without its overlay, which tells nobody.
    pub fn set_promise_hooks(
        &mut self,
        init: Local<'_>,
        before: Local<'_>,
        after: Local<'_>,
        settled: Local<'_>,
    ) -> bool {
        #[cfg(engine_overlay)]
        {
            let hooks =
                [init, before, after, settled].map(|function| function.is_object().then(|| self.global(function)));
            let wanted = hooks.iter().any(Option::is_some);
            drop(self.ctx().promise_hooks.replace(hooks));
            self.ctx().promises_hooked.set(wanted);
            self.choose_microtask_loop();
            // SAFETY: the context of this thread; the function stays.
            unsafe { BaoSetPromiseHook(self.cx, wanted.then_some(tell as Hook)) };
            true
        }
        #[cfg(not(engine_overlay))]
        {
            let _ = (init, before, after, settled, tell as Hook);
            false
        }
    }

    /// Notes whether the engine may run microtasks by itself: neither in realms with a queue of their own, nor with hooks.
    pub(crate) fn choose_microtask_loop(&self) {
        let ctx = self.ctx();
        ctx.one_by_one.set(ctx.own_microtasks.get() || ctx.promises_hooked.get());
    }
}

/// # Safety
/// Called by the engine on the context's thread, with rooted objects.
unsafe extern "C" fn tell(cx: *mut JSContext, event: i32, promise: JS::HandleObject, parent: JS::HandleObject) -> bool {
    // SAFETY: as above. Nothing here panics, and no borrow lasts while a hook runs.
    unsafe {
        let mut scope = Scope::enter(cx);
        let hook = scope.ctx().promise_hooks.borrow().get(event as usize).cloned().flatten();
        let Some(hook) = hook else { return true };
        let hook = hook.get(&mut scope);
        let promise = scope.local_object(*promise.ptr);
        let parent: *mut JSObject = *parent.ptr;
        let parent = if parent.is_null() { scope.undefined() } else { scope.local_object(parent) };
        scope.in_realm_of(hook, |scope| scope.call_function(hook, &[promise, parent]).is_ok())
    }
}
