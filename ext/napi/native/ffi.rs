//! Environments for C functions that are called by `bun:ffi` and take `napi_env` and `napi_value`.

use std::ffi::CString;
use std::ptr::NonNull;
use std::rc::Rc;

use engine::{JsResult, Local, Scope};

use crate::env::{Env, NEWEST_VERSION};
use crate::thread::Thread;

/// The environment of a library. It ends with its thread, as those of addons.
pub struct ForeignEnv(Rc<Env>);

impl ForeignEnv {
    /// A new one, with instance data of its own.
    pub fn new(scope: &mut Scope<'_>) -> ForeignEnv {
        let thread = Thread::of(scope);
        scope.on_weak_end(crate::references::object_gone);
        let env = Rc::new(Env::new(scope, thread.clone(), NEWEST_VERSION, CString::default()));
        thread.add(env.clone());
        ForeignEnv(env)
    }

    /// What C gets as `napi_env`.
    pub fn address(&self) -> u64 {
        Rc::as_ptr(&self.0) as u64
    }

    /// What C gets as `napi_value`, valid for the time of a call.
    pub fn value_word(value: Local<'_>) -> u64 {
        value.address().as_ptr() as u64
    }

    /// Runs `f`, which calls C, and throws what C has left pending.
    ///
    /// # Errors
    /// The exception that C has thrown or not caught.
    pub fn enter<R>(&self, scope: &mut Scope<'_>, f: impl FnOnce() -> R) -> JsResult<R> {
        self.0.enter(scope, |_| f())
    }

    /// The value of a `napi_value` that C has returned; undefined for null.
    ///
    /// # Safety
    /// The word is a handle of a scope that is open.
    pub unsafe fn value_of<'s>(scope: &mut Scope<'s>, word: u64) -> Local<'s> {
        match NonNull::new(std::ptr::with_exposed_provenance_mut(word as usize)) {
            // SAFETY: the caller's.
            Some(address) => unsafe { Local::at(address) },
            None => scope.undefined(),
        }
    }
}
