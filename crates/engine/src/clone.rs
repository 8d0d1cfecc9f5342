//! Structured clone within a process.
//!
//! Objects in a transfer list that are not the engine's own (ports, streams) are the host's: [`Host::transfer`] takes out of such an
//! object what can go to another thread, [`Host::receive`] makes an object of it there.

use std::any::Any;
use std::ffi::c_void;
use std::ptr;

use mozjs::jsapi::{
    CloneDataPolicy, JS, JS_ReadStructuredClone, JS_WriteStructuredClone, JSAutoStructuredCloneBuffer,
    JSContext as RawContext, JSObject, JSStructuredCloneCallbacks, JSStructuredCloneReader, StructuredCloneScope,
};

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

const VERSION: u32 = 8;
/// Tag of what the host transfers: the first of those that the engine leaves to an embedding.
const HOST_TAG: u32 = 0xFFFF_8000;

/// What a transferred object of the host's becomes on its way.
pub type Transferred = Box<dyn Any + Send>;

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

#[derive(Default)]
struct WriteState {
    message: Option<&'static str>,
}

unsafe extern "C" fn can_transfer(
    cx: *mut RawContext,
    object: JS::HandleObject,
    _same_process: *mut bool,
    _closure: *mut c_void,
) -> bool {
    // SAFETY: engine callback on the context's thread with a rooted object.
    unsafe {
        let mut scope = Scope::enter(cx);
        let object = scope.local_object(*object.ptr);
        scope.host().can_transfer(&mut scope, object)
    }
}

unsafe extern "C" fn write_transfer(
    cx: *mut RawContext,
    object: JS::HandleObject,
    _closure: *mut c_void,
    tag: *mut u32,
    ownership: *mut JS::TransferableOwnership,
    content: *mut *mut c_void,
    extra: *mut u64,
) -> bool {
    // SAFETY: as above; the out pointers are the engine's.
    unsafe {
        let mut scope = Scope::enter(cx);
        let object = scope.local_object(*object.ptr);
        let Ok(taken) = scope.host().transfer(&mut scope, object) else {
            return false;
        };
        *tag = HOST_TAG;
        *ownership = JS::TransferableOwnership::SCTAG_TMO_CUSTOM;
        // A trait object is two words: boxed once more it is one.
        *content = Box::into_raw(Box::new(Some(taken))).cast();
        *extra = 0;
        true
    }
}

unsafe extern "C" fn read_transfer(
    cx: *mut RawContext,
    _reader: *mut JSStructuredCloneReader,
    _policy: *const CloneDataPolicy,
    tag: u32,
    content: *mut c_void,
    _extra: u64,
    _closure: *mut c_void,
    out: JS::MutableHandleObject,
) -> bool {
    if tag != HOST_TAG {
        return false;
    }
    // SAFETY: made by `write_transfer`. The engine forgets it once this gave an object, and frees it where this failed.
    unsafe {
        let Some(taken) = (*content.cast::<Option<Transferred>>()).take() else {
            return false;
        };
        let mut scope = Scope::enter(cx);
        let object = scope.host().receive(&mut scope, taken).ok().and_then(Local::object);
        *out.ptr = object.unwrap_or(ptr::null_mut::<JSObject>());
        if object.is_some() {
            drop(Box::from_raw(content.cast::<Option<Transferred>>()));
        }
        object.is_some()
    }
}

unsafe extern "C" fn free_transfer(
    tag: u32,
    _ownership: JS::TransferableOwnership,
    content: *mut c_void,
    _extra: u64,
    _closure: *mut c_void,
) {
    if tag == HOST_TAG && !content.is_null() {
        // SAFETY: made by `write_transfer`; nothing is in it where it was read in vain.
        drop(unsafe { Box::from_raw(content.cast::<Option<Transferred>>()) });
    }
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
    readTransfer: Some(read_transfer),
    writeTransfer: Some(write_transfer),
    freeTransfer: Some(free_transfer),
    canTransfer: Some(can_transfer),
    sabCloned: None,
};

impl<'s> Scope<'s> {
    /// StructuredSerializeWithTransfer. `transfer` is an array of transferable objects or undefined.
    pub fn serialize(&mut self, value: Local<'_>, transfer: Local<'_>) -> Result<CloneBuffer, CloneError> {
        let policy = CloneDataPolicy { allowIntraClusterClonableSharedObjects_: true, allowSharedMemoryObjects_: true };
        let mut state = WriteState::default();
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
                // What the host threw while it transferred says more than that the value is not transferable.
                Some(_) if mozjs::jsapi::JS_IsExceptionPending(self.cx) => Err(CloneError::Exception(Exc::pending())),
                Some(message) => Err(CloneError::DataClone(message.into())),
                None => Err(CloneError::Exception(Exc::pending())),
            }
        }
    }

    /// StructuredDeserialize in the current realm.
    pub fn deserialize(&mut self, buffer: &CloneBuffer) -> JsResult<Local<'s>> {
        let policy = CloneDataPolicy { allowIntraClusterClonableSharedObjects_: true, allowSharedMemoryObjects_: true };
        let out = self.undefined();
        let mut state = WriteState::default();
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
        if ok { Ok(out) } else { Err(Exc::pending()) }
    }
}
