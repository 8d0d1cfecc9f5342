//! Handle scopes: stretches of the handle stack that the addon opens and closes.

use std::ffi::c_void;
use std::ptr;

use crate::env::{Env, Handle, L, handle, out, simple, value};
use crate::status::Status;

/// A scope is the height of the stack before it, plus one so that it is not null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_open_handle_scope(env: *const Env, result: *mut *mut c_void) -> Status {
    simple(env, |env, scope| {
        out(result)?.write(ptr::without_provenance_mut(scope.height() + 1));
        env.open_handle_scopes.set(env.open_handle_scopes.get() + 1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_close_handle_scope(env: *const Env, opened: *mut c_void) -> Status {
    simple(env, |env, scope| {
        if opened.is_null() {
            return Err(Status::InvalidArg.into());
        }
        if env.open_handle_scopes.get() == 0 {
            return Err(Status::HandleScopeMismatch.into());
        }
        env.open_handle_scopes.set(env.open_handle_scopes.get() - 1);
        let height = opened.addr() - 1;
        if height <= scope.height() {
            // SAFETY: the addon says that it does not use these handles any more.
            unsafe { scope.cut(height) };
        }
        Ok(())
    })
}

/// A scope that one handle can leave.
pub struct Escapable {
    height: usize,
    /// Lies below the scope.
    place: L,
    escaped: bool,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_open_escapable_handle_scope(env: *const Env, result: *mut *mut Escapable) -> Status {
    simple(env, |env, scope| {
        let result = out(result)?;
        let place = scope.undefined();
        result.write(Box::into_raw(Box::new(Escapable { height: scope.height(), place, escaped: false })));
        env.open_handle_scopes.set(env.open_handle_scopes.get() + 1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_close_escapable_handle_scope(env: *const Env, opened: *mut Escapable) -> Status {
    simple(env, |env, scope| {
        if opened.is_null() {
            return Err(Status::InvalidArg.into());
        }
        if env.open_handle_scopes.get() == 0 {
            return Err(Status::HandleScopeMismatch.into());
        }
        env.open_handle_scopes.set(env.open_handle_scopes.get() - 1);
        // SAFETY: the box that opening it gave, closed once; the addon does not use its handles any more.
        unsafe {
            let opened = Box::from_raw(opened);
            if opened.height <= scope.height() {
                scope.cut(opened.height);
            }
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_escape_handle(
    env: *const Env,
    opened: *mut Escapable,
    escapee: Handle,
    result: *mut Handle,
) -> Status {
    simple(env, |_, _| {
        // SAFETY: null, or a scope that is open.
        let opened = unsafe { opened.as_mut() }.ok_or(Status::InvalidArg)?;
        let escapee = value(escapee)?;
        let result = out(result)?;
        if std::mem::replace(&mut opened.escaped, true) {
            return Err(Status::EscapeCalledTwice.into());
        }
        // SAFETY: the slot was made for this.
        unsafe { opened.place.replace(escapee) };
        result.write(handle(opened.place));
        Ok(())
    })
}
