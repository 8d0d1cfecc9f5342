//! Promises settled by the addon.

use engine::Global;

use crate::env::{Env, Handle, L, S, handle, out, script, simple, value};
use crate::status::{Fail, Status};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_promise(
    env: *const Env,
    deferred: *mut *mut Global,
    promise: *mut Handle,
) -> Status {
    script(env, |_, scope| {
        let (deferred, result) = (out(deferred)?, out(promise)?);
        let promise = scope.new_promise()?;
        deferred.write(Box::into_raw(Box::new(scope.global(promise))));
        result.write(handle(promise));
        Ok(())
    })
}

fn settle(
    env: *const Env,
    deferred: *mut Global,
    with: Handle,
    settle: impl FnOnce(&mut S, L, L) -> Result<(), Fail>,
) -> Status {
    script(env, |_, scope| {
        let with = value(with)?;
        if deferred.is_null() {
            return Err(Status::InvalidArg.into());
        }
        // SAFETY: the box of `napi_create_promise`; settling it ends its use.
        let promise = unsafe { Box::from_raw(deferred) }.get(scope);
        settle(scope, promise, with)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_resolve_deferred(env: *const Env, deferred: *mut Global, with: Handle) -> Status {
    settle(env, deferred, with, |scope, promise, with| Ok(scope.resolve_promise(promise, with)?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_reject_deferred(env: *const Env, deferred: *mut Global, with: Handle) -> Status {
    settle(env, deferred, with, |scope, promise, with| Ok(scope.reject_promise(promise, with)?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_promise(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.promise_state(of).is_some());
        Ok(())
    })
}
