//! Structured clone within a process: of strings by a reference to their characters, of plain data by `plain`, of everything else
//! by the engine's serialiser.
//!
//! Objects in a transfer list that are not the engine's own (ports, streams) are the host's: [`Host::transfer`] takes out of such an
//! object what can go to another thread, [`Host::receive`] makes an object of it there.

use std::any::Any;
use std::ffi::c_void;
use std::ptr;

use mozjs::jsapi::{
    CloneDataPolicy, JS, JS_ReadStructuredClone, JS_WriteStructuredClone, JS_WriteUint32PairUnchecked,
    JSAutoStructuredCloneBuffer, JSContext as RawContext, JSObject, JSStructuredCloneCallbacks,
    JSStructuredCloneReader, JSStructuredCloneWriter, StructuredCloneScope, Value,
};

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::shared::SharedString;
use crate::string::Chars;

mod errors;
pub(crate) mod plain;
mod resources;

pub(crate) use plain::Known;
use plain::{Outcome, Plain};
use resources::Held;

const VERSION: u32 = 8;
/// Tag of what the host transfers: the first of those that the engine leaves to an embedding.
const HOST_TAG: u32 = 0xFFFF_8000;

/// Tag of what both sides can hold: its number in the message follows.
const HELD_TAG: u32 = 0xFFFF_8001;

/// What a transferred object of the host's becomes on its way.
pub type Transferred = Box<dyn Any + Send>;

/// A serialised value that can be sent to another thread.
pub struct CloneBuffer(Content);

enum Content {
    /// A number, a boolean, null or undefined.
    Primitive(Value),
    /// A string of few bytes, which are here.
    Short {
        length: u8,
        two_byte: bool,
        bytes: [u8; SHORT_BYTES],
    },
    Text(SharedString),
    Plain(Plain),
    Engine(EngineBuffer),
}

/// Strings of so many bytes lie within the message.
const SHORT_BYTES: usize = 38;

// SAFETY: primitives point to nothing; everything else can be sent by itself.
unsafe impl Send for Content {}

impl CloneBuffer {
    /// Whether the host may be asked for objects when this is read: false for a string and for plain data.
    pub fn may_bring_objects(&self) -> bool {
        matches!(self.0, Content::Engine(_))
    }

    fn short(chars: &Chars<'_>) -> Option<Self> {
        let (source, two_byte) = match chars {
            Chars::Latin1(bytes) => (bytes.as_ptr(), false),
            Chars::Utf16(units) => (units.as_ptr().cast(), true),
        };
        let length = match chars {
            Chars::Latin1(bytes) => bytes.len(),
            Chars::Utf16(units) => units.len() * 2,
        };
        if length > SHORT_BYTES {
            return None;
        }
        let mut bytes = [0; SHORT_BYTES];
        // SAFETY: the characters are so many bytes.
        unsafe { ptr::copy_nonoverlapping(source, bytes.as_mut_ptr(), length) };
        Some(CloneBuffer(Content::Short { length: length as u8, two_byte, bytes }))
    }
}

struct EngineBuffer {
    raw: *mut JSAutoStructuredCloneBuffer,
    held: Vec<Held>,
}

// SAFETY: `SameProcess` data is made to be sent between threads.
unsafe impl Send for EngineBuffer {}

impl Drop for EngineBuffer {
    fn drop(&mut self) {
        // SAFETY: made by the glue function.
        unsafe { mozjs::glue::DeleteJSAutoStructuredCloneBuffer(self.raw) };
    }
}

/// What [`Scope::serialize_plain`] has done.
pub enum Serialized {
    Done(CloneBuffer),
    /// Nothing: the value is for [`Scope::serialize`]. Where `host` is false, nothing of the host's own is in it.
    Not {
        host: bool,
    },
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
struct CloneState<'a> {
    /// Why the engine refused.
    message: Option<&'static str>,
    /// What is written holds these; what is read, those.
    held: Vec<Held>,
    read: &'a [Held],
}

unsafe extern "C" fn write(
    cx: *mut RawContext,
    writer: *mut JSStructuredCloneWriter,
    object: JS::HandleObject,
    same_process: *mut bool,
    closure: *mut c_void,
) -> bool {
    // SAFETY: engine callback on the context's thread with a rooted object; the closure of the write or read below.
    unsafe {
        let mut scope = Scope::enter(cx);
        let local = scope.local_object(*object.ptr);
        let Some(held) = Held::of(&mut scope, local) else {
            report_error(cx, mozjs::jsapi::JS_SCERR_UNSUPPORTED_TYPE, closure, ptr::null());
            return false;
        };
        *same_process = true;
        let state = &mut *closure.cast::<CloneState<'_>>();
        state.held.push(held);
        JS_WriteUint32PairUnchecked(writer, HELD_TAG, state.held.len() as u32 - 1)
    }
}

unsafe extern "C" fn read(
    cx: *mut RawContext,
    _reader: *mut JSStructuredCloneReader,
    _policy: *const CloneDataPolicy,
    tag: u32,
    number: u32,
    closure: *mut c_void,
) -> *mut JSObject {
    if tag != HELD_TAG {
        return ptr::null_mut();
    }
    // SAFETY: engine callback on the context's thread; the closure of the read below. The engine roots the result.
    unsafe {
        let state = &*closure.cast::<CloneState<'_>>();
        let mut scope = Scope::enter(cx);
        let object = state.read[number as usize].object(&mut scope).ok().and_then(Local::object);
        object.unwrap_or(ptr::null_mut())
    }
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
    // SAFETY: the closure of the write or read below.
    let state = unsafe { &mut *closure.cast::<CloneState<'_>>() };
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
    read: Some(read),
    write: Some(write),
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
        if transfer.is_nullish() {
            let done = self.serialize_plain(value).map_err(CloneError::Exception)?;
            if let Serialized::Done(buffer) = done {
                return Ok(buffer);
            }
        }
        self.serialize_by_engine(value, transfer).map(|buffer| CloneBuffer(Content::Engine(buffer)))
    }

    /// Serialises a value without the engine's serialiser and without running JavaScript, where that is possible: a primitive or an object of
    /// plain data.
    pub fn serialize_plain(&mut self, value: Local<'_>) -> JsResult<Serialized> {
        if value.is_object() {
            return Ok(match self.write_plain(value)? {
                Outcome::Plain(plain) => Serialized::Done(CloneBuffer(Content::Plain(plain))),
                Outcome::Engine => Serialized::Not { host: false },
                Outcome::Host => Serialized::Not { host: true },
            });
        }
        if value.is_string() {
            if let Some(short) = CloneBuffer::short(&self.chars(value)?) {
                return Ok(Serialized::Done(short));
            }
            return Ok(Serialized::Done(CloneBuffer(Content::Text(self.share_string(value)?))));
        }
        let value = value.value();
        if value.is_number() || value.is_boolean() || value.is_null_or_undefined() {
            return Ok(Serialized::Done(CloneBuffer(Content::Primitive(value))));
        }
        Ok(Serialized::Not { host: false })
    }

    /// Whether native work is done on a buffer of the array `transfer`. The engine would see that only after it has transferred
    /// what is before it.
    fn has_pinned(&mut self, transfer: Local<'_>) -> JsResult<bool> {
        if transfer.is_nullish() || !self.ctx().pins.has_any() {
            return Ok(false);
        }
        for index in 0..self.array_length(transfer)? {
            let pinned = self.nested(|inner| {
                let item = inner.get_index(transfer, index)?;
                let address = inner.buffer_slice(item).map(|slice| slice.data.addr());
                Ok(address.is_some_and(|address| inner.ctx().pins.is_pinned(address)))
            })?;
            if pinned {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn serialize_by_engine(&mut self, value: Local<'_>, transfer: Local<'_>) -> Result<EngineBuffer, CloneError> {
        if self.has_pinned(transfer).map_err(CloneError::Exception)? {
            return Err(CloneError::DataClone("ArrayBuffer is in use and cannot be transferred".into()));
        }
        let policy = CloneDataPolicy { allowIntraClusterClonableSharedObjects_: true, allowSharedMemoryObjects_: true };
        let mut state = CloneState::default();
        // SAFETY: rooted handles; closure and policy live during the call.
        unsafe {
            let raw = mozjs::glue::NewJSAutoStructuredCloneBuffer(StructuredCloneScope::SameProcess, &CALLBACKS);
            let mut buffer = EngineBuffer { raw, held: Vec::new() };
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
                buffer.held = state.held;
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

    /// As [`Scope::deserialize`] of a message that nobody reads again: large bytes become the copy's without being copied.
    pub fn deserialize_once(&mut self, mut buffer: CloneBuffer) -> JsResult<Local<'s>> {
        if let Content::Plain(plain) = &mut buffer.0 {
            let blobs = plain.take_blobs();
            return self.read_plain(plain, Some(blobs));
        }
        self.deserialize(&buffer)
    }

    /// StructuredDeserialize in the current realm.
    pub fn deserialize(&mut self, buffer: &CloneBuffer) -> JsResult<Local<'s>> {
        match &buffer.0 {
            Content::Primitive(value) => Ok(self.local(*value)),
            Content::Short { length, two_byte: false, bytes } => self.latin1_string(&bytes[..usize::from(*length)]),
            Content::Short { length, two_byte: true, bytes } => {
                let mut units = [0; SHORT_BYTES / 2];
                let pairs = bytes.as_chunks::<2>().0;
                for (unit, pair) in units.iter_mut().zip(pairs) {
                    *unit = u16::from_ne_bytes(*pair);
                }
                self.utf16_string(&units[..usize::from(*length) / 2])
            }
            Content::Text(text) => self.shared_string(text),
            Content::Plain(plain) => self.read_plain(plain, None),
            Content::Engine(buffer) => self.deserialize_by_engine(buffer),
        }
    }

    fn deserialize_by_engine(&mut self, buffer: &EngineBuffer) -> JsResult<Local<'s>> {
        let policy = CloneDataPolicy { allowIntraClusterClonableSharedObjects_: true, allowSharedMemoryObjects_: true };
        let out = self.undefined();
        let mut state = CloneState { read: &buffer.held, ..CloneState::default() };
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
