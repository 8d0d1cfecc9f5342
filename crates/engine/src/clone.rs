//! Structured clone within a process.

use std::ffi::c_void;

use mozjs::jsapi::{
    CloneDataPolicy, JS, JS_ReadStructuredClone, JS_WriteStructuredClone, JSAutoStructuredCloneBuffer,
    JSContext as RawContext, JSStructuredCloneCallbacks, StructuredCloneScope,
};

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

const VERSION: u32 = 8;

/// A serialised value that can be sent to another thread.
pub struct CloneBuffer {
    raw: *mut JSAutoStructuredCloneBuffer,
}

// SAFETY: `SameProcess` data is made to be sent between threads.
unsafe impl Send for CloneBuffer {}

impl Drop for CloneBuffer {
    fn drop(&mut self) {
        // SAFETY: made by the glue function.
        unsafe { mozjs::glue::DeleteJSAutoStructuredCloneBuffer(self.raw) };
    }
}

/// Why a value was not cloned.
#[derive(Debug)]
pub enum CloneError {
    /// Something in it has no serialised form; the message is for a `DataCloneError`.
    DataClone(String),
    /// JavaScript code (a getter) threw.
    Exception(Exc),
}

struct WriteState {
    message: Option<&'static str>,
}

unsafe extern "C" fn report_error(_: *mut RawContext, error: u32, closure: *mut c_void, message: *const i8) {
    let _ = message;
    // SAFETY: the closure of the write below.
    let state = unsafe { &mut *closure.cast::<WriteState>() };
    state.message = Some(match error {
        mozjs::jsapi::JS_SCERR_RECURSION => "object structure is too deep to be cloned",
        mozjs::jsapi::JS_SCERR_TRANSFERABLE => "value is not transferable",
        mozjs::jsapi::JS_SCERR_DUP_TRANSFERABLE => "transfer list contains the same object twice",
        mozjs::jsapi::JS_SCERR_SHMEM_TRANSFERABLE => "shared memory cannot be transferred",
        mozjs::jsapi::JS_SCERR_TYPED_ARRAY_DETACHED => "typed array is detached",
        _ => "object could not be cloned",
    });
}

static CALLBACKS: JSStructuredCloneCallbacks = JSStructuredCloneCallbacks {
    read: None,
    write: None,
    reportError: Some(report_error),
    readTransfer: None,
    writeTransfer: None,
    freeTransfer: None,
    canTransfer: None,
    sabCloned: None,
};

impl<'s> Scope<'s> {
    /// StructuredSerializeWithTransfer. `transfer` is an array of transferable objects or undefined.
    pub fn serialize(&mut self, value: Local<'_>, transfer: Local<'_>) -> Result<CloneBuffer, CloneError> {
        let policy = CloneDataPolicy { allowIntraClusterClonableSharedObjects_: true, allowSharedMemoryObjects_: true };
        let mut state = WriteState { message: None };
        // SAFETY: rooted handles; closure and policy live during the call.
        unsafe {
            let raw = mozjs::glue::NewJSAutoStructuredCloneBuffer(StructuredCloneScope::SameProcess, &CALLBACKS);
            let buffer = CloneBuffer { raw };
            let ok = JS_WriteStructuredClone(
                self.cx,
                value.handle(),
                &mut (*raw).data_,
                StructuredCloneScope::SameProcess,
                &policy,
                &CALLBACKS,
                (&raw mut state).cast(),
                transfer.handle(),
            );
            if ok {
                return Ok(buffer);
            }
            match state.message {
                Some(message) => {
                    mozjs::jsapi::JS_ClearPendingException(self.cx);
                    Err(CloneError::DataClone(message.into()))
                }
                None => Err(CloneError::Exception(Exc::pending())),
            }
        }
    }

    /// StructuredDeserialize in the current realm.
    pub fn deserialize(&mut self, buffer: &CloneBuffer) -> JsResult<Local<'s>> {
        let policy = CloneDataPolicy { allowIntraClusterClonableSharedObjects_: true, allowSharedMemoryObjects_: true };
        let out = self.undefined();
        let mut state = WriteState { message: None };
        // SAFETY: rooted handles; data written by `serialize`.
        let ok = unsafe {
            JS_ReadStructuredClone(
                self.cx,
                &(*buffer.raw).data_,
                VERSION,
                StructuredCloneScope::SameProcess,
                Scope::out(out),
                &policy,
                &CALLBACKS,
                (&raw mut state).cast::<c_void>(),
            )
        };
        let _ = JS::ModuleType::JSON;
        if ok { Ok(out) } else { Err(Exc::pending()) }
    }
}
