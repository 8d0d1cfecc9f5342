//! Array buffers and typed arrays.

use std::ptr;
use std::sync::Arc;

use mozjs::jsapi::{
    JS, JS_IsArrayBufferViewObject, JS_NewFloat64ArrayWithBuffer, JS_NewUint8Array, JS_NewUint8ArrayWithBuffer,
    JSClass, JSObject, Value,
};
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::external::Owner;
use crate::handles::{Local, Scope};
use crate::native::OpDecl;
use crate::object_layout::{Raw, VIEW_DATA, VIEW_LENGTH};
use crate::pins::PinTable;

/// Bytes of an ArrayBuffer, SharedArrayBuffer or view, as raw parts. Valid until the next call that can run
/// JavaScript or collect.
#[derive(Debug, Clone, Copy)]
pub struct BufferSlice {
    pub(crate) data: *mut u8,
    pub(crate) len: usize,
    pub(crate) shared: bool,
}

/// The bytes of a view kept alive and at a fixed address, for work on another thread. JavaScript may write to the same
/// bytes meanwhile, as in Node: what is read then is unspecified, but never out of bounds. It cannot detach or resize
/// their buffer: see [`crate::pins`].
pub struct PinnedBytes {
    data: *mut u8,
    len: usize,
    /// Where the buffer's memory begins; 0 where there are no bytes and nothing is pinned.
    buffer: usize,
    pins: Arc<PinTable>,
}

// SAFETY: the pin table keeps the memory alive and in place until it is told otherwise, on whatever thread.
unsafe impl Send for PinnedBytes {}

impl PinnedBytes {
    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: pinned memory of `len` bytes.
        unsafe { std::slice::from_raw_parts(self.data, self.len) }
    }

    /// The bytes, writable.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: pinned memory of `len` bytes.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.len) }
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Drop for PinnedBytes {
    fn drop(&mut self) {
        if self.buffer != 0 {
            self.pins.unpin(self.buffer);
        }
    }
}

#[cfg(engine_overlay)]
mod overlay {
    use mozjs::jsapi::{JSContext, Value};

    unsafe extern "C" {
        /// A native function of JavaScript: a view on bytes of another one (overlay/src/bao/Views.h).
        pub(super) fn BaoViewBytes(cx: *mut JSContext, argc: u32, vp: *mut Value) -> bool;
        /// Whether its argument is an array of bytes (overlay/src/bao/Bytes.h).
        pub(super) fn BaoIsBytes(cx: *mut JSContext, argc: u32, vp: *mut Value) -> bool;
        /// A new array of bytes with the prototype of another one (the same file).
        pub(super) fn BaoNewBytes(cx: *mut JSContext, argc: u32, vp: *mut Value) -> bool;
    }
}

/// The op that makes views on bytes: the engine's own, which needs no scope, no constructor and no lookups, where there is one; `op`
/// otherwise. Of `(source, start, end, like, takes_buffers)` it gives a view on the bytes of the `Uint8Array`, or of the ArrayBuffer if
/// `takes_buffers` is true, from `start` to `end` with the prototype of `like`, a `Uint8Array` without properties; undefined if the
/// caller has to make it: for other objects, such that can be resized, and for positions that are neither integers nor undefined.
pub const fn view_bytes_op(op: OpDecl) -> OpDecl {
    #[cfg(engine_overlay)]
    return OpDecl { native: Some(overlay::BaoViewBytes), ..op };
    #[cfg(not(engine_overlay))]
    op
}

/// The op that tells whether its argument is a `Uint8Array`, of any realm and with any prototype, whose length stays: the engine's own,
/// which machine code does in place, where there is one; `op` otherwise.
pub const fn is_bytes_op(op: OpDecl) -> OpDecl {
    #[cfg(engine_overlay)]
    return OpDecl { native: Some(overlay::BaoIsBytes), ..op };
    #[cfg(not(engine_overlay))]
    op
}

/// The op that makes bytes, in the same way. Of `(size, like)` it gives `size` bytes that are zero, with the prototype of `like`, a
/// `Uint8Array`; undefined if the caller has to make them: for sizes that are no integers of 31 bits. Ends with a RangeError if there
/// are not so many.
pub const fn new_bytes_op(op: OpDecl) -> OpDecl {
    #[cfg(engine_overlay)]
    return OpDecl { native: Some(overlay::BaoNewBytes), ..op };
    #[cfg(not(engine_overlay))]
    op
}

unsafe extern "C" {
    /// The classes of typed arrays whose buffers cannot be resized, in the order of `Scalar::Type`
    /// (js/public/experimental/TypedData.h).
    #[link_name = "_ZN2JS15TypedArray_base18fixedLengthClassesE"]
    static FIXED_LENGTH_CLASSES: *const JSClass;
}

/// The bytes of a `Uint8Array` or Buffer, which most buffers are, without a call of the engine; `None` for other values, and where
/// the buffer is detached. Valid as long as those of [`Scope::buffer_slice`].
#[inline]
pub(crate) fn uint8_array_slice(value: Value) -> Option<BufferSlice> {
    /// `Scalar::Uint8`
    const UINT8: usize = 1;
    if !value.is_object() {
        return None;
    }
    // SAFETY: a live object, and nothing collects here. The class has both slots, each with a private value or undefined.
    unsafe {
        let raw = Raw::new(value.to_object());
        if raw.class() != FIXED_LENGTH_CLASSES.add(UINT8) {
            return None;
        }
        let (length, data) = (raw.reserved_slot(VIEW_LENGTH), raw.reserved_slot(VIEW_DATA));
        if data.is_undefined() {
            return None;
        }
        let (data, len) = (data.asBits_ as *mut u8, length.asBits_ as usize);
        let data = if len == 0 { ptr::NonNull::dangling().as_ptr() } else { data };
        Some(BufferSlice { data, len, shared: false })
    }
}

impl<'s> Scope<'s> {
    /// Whether the value is a `Uint8Array`, of any realm and with any prototype, whose length stays; false as well if its buffer is
    /// detached.
    pub fn is_uint8_array(&self, value: Local<'_>) -> bool {
        uint8_array_slice(value.value()).is_some()
    }

    /// Whether the value is an ArrayBuffer, SharedArrayBuffer, typed array or DataView.
    pub fn is_buffer(&self, value: Local<'_>) -> bool {
        self.buffer_slice(value).is_some()
    }

    #[inline]
    pub(crate) fn buffer_slice(&self, value: Local<'_>) -> Option<BufferSlice> {
        let object = value.object()?;
        let mut slice = BufferSlice { data: ptr::null_mut(), len: 0, shared: false };
        // SAFETY: the object is live and these accessors do not collect.
        unsafe {
            if JS_IsArrayBufferViewObject(object) {
                let view = mozjs::jsapi::UnwrapArrayBufferView(object);
                if view.is_null() {
                    return None;
                }
                mozjs::jsapi::GetArrayBufferViewLengthAndData(view, &mut slice.len, &mut slice.shared, &mut slice.data);
            } else {
                let buffer = JS::UnwrapArrayBuffer(object);
                if !buffer.is_null() {
                    JS::GetArrayBufferLengthAndData(buffer, &mut slice.len, &mut slice.shared, &mut slice.data);
                } else {
                    let shared = JS::UnwrapSharedArrayBuffer(object);
                    if shared.is_null() {
                        return None;
                    }
                    JS::GetSharedArrayBufferLengthAndData(shared, &mut slice.len, &mut slice.shared, &mut slice.data);
                }
            }
        }
        if slice.data.is_null() || slice.len == 0 {
            slice.data = ptr::NonNull::dangling().as_ptr();
            slice.len = 0;
        }
        Some(slice)
    }

    /// Borrows the bytes of a buffer or view; `None` for other values. Nothing can run meanwhile.
    pub fn bytes<'a>(&'a mut self, value: Local<'_>) -> Option<&'a [u8]> {
        let slice = uint8_array_slice(value.value()).or_else(|| self.buffer_slice(value))?;
        // SAFETY: valid until something collects, which needs the scope that is borrowed here.
        Some(unsafe { std::slice::from_raw_parts(slice.data, slice.len) })
    }

    /// Keeps the bytes of a buffer or view in place for another thread; `None` for other values.
    pub fn pin_bytes(&mut self, value: Local<'_>) -> Option<PinnedBytes> {
        let object = value.object()?;
        let pins = self.ctx().pins.clone();
        if self.buffer_slice(value)?.len == 0 {
            return Some(PinnedBytes { data: ptr::NonNull::dangling().as_ptr(), len: 0, buffer: 0, pins });
        }
        // SAFETY: rooted objects. Small buffers keep their bytes inside the object, which moves: they are moved out.
        unsafe {
            rooted!(in(self.cx) let object = object);
            if !JS::EnsureNonInlineArrayBufferOrView(self.cx, object.get()) {
                return None;
            }
            rooted!(in(self.cx) let mut buffer = object.get());
            if JS_IsArrayBufferViewObject(object.get()) {
                let mut shared = false;
                buffer.set(mozjs::jsapi::JS_GetArrayBufferViewBuffer(self.cx, object.handle().into(), &mut shared));
                if buffer.get().is_null() {
                    return None;
                }
            }
            let whole = self.local_object(buffer.get());
            let (whole, slice) = (self.buffer_slice(whole)?, self.buffer_slice(value)?);
            let address = whole.data.addr();
            if !pins.pin(buffer.get(), address, whole.shared) {
                return None;
            }
            Some(PinnedBytes { data: slice.data, len: slice.len, buffer: address, pins })
        }
    }

    /// A `Uint8Array` that owns `bytes`; the memory is handed over, not copied, unless there is room inside of the object.
    pub fn uint8_array(&mut self, bytes: Vec<u8>) -> JsResult<Local<'s>> {
        /// Up to so many bytes the engine keeps in the object, which needs no ArrayBuffer then.
        const INLINE: usize = 96;
        let length = bytes.len();
        if length <= INLINE {
            // SAFETY: rooted at once; a new array has that many bytes.
            let local = unsafe {
                let view = JS_NewUint8Array(self.cx, length);
                self.checked_object(view)?
            };
            if let Some(slice) = self.buffer_slice(local).filter(|slice| slice.len == length) {
                // SAFETY: bytes of a live array, and nothing collects meanwhile.
                unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), slice.data, length) };
            }
            return Ok(local);
        }
        let buffer = self.array_buffer(bytes)?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let raw = buffer.value().to_object());
            let view = JS_NewUint8ArrayWithBuffer(self.cx, raw.handle().into(), 0, length as i64);
            self.checked_object(view)
        }
    }

    /// A `Uint8Array` of `length` bytes of any content, for those who write to all of it before they read.
    pub fn uninitialized_array(&mut self, length: usize) -> JsResult<Local<'s>> {
        if length == 0 {
            return self.uint8_array(Vec::new());
        }
        // SAFETY: memory of malloc, which the engine frees with free(); Rust never reads it before it was written. On
        // failure the engine has not taken it.
        unsafe {
            let data = libc::malloc(length);
            let object = if data.is_null() {
                mozjs::jsapi::JS_ReportOutOfMemory(self.cx);
                ptr::null_mut()
            } else {
                mozjs::jsapi::NewArrayBufferWithContents(self.cx, length, data)
            };
            if object.is_null() {
                libc::free(data);
                return Err(Exc::pending());
            }
            rooted!(in(self.cx) let buffer = object);
            let view = JS_NewUint8ArrayWithBuffer(self.cx, buffer.handle().into(), 0, length as i64);
            self.checked_object(view)
        }
    }

    /// A `Float64Array` of the numbers.
    pub fn float64_array(&mut self, numbers: &[f64]) -> JsResult<Local<'s>> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_ne_bytes()).collect();
        let buffer = self.array_buffer(bytes)?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let raw = buffer.value().to_object());
            let view = JS_NewFloat64ArrayWithBuffer(self.cx, raw.handle().into(), 0, numbers.len() as i64);
            self.checked_object(view)
        }
    }

    /// An `ArrayBuffer` that owns `bytes`.
    pub fn array_buffer(&mut self, bytes: Vec<u8>) -> JsResult<Local<'s>> {
        if bytes.is_empty() {
            // SAFETY: rooted at once.
            let object = unsafe { JS::NewArrayBuffer(self.cx, 0) };
            return self.checked_object(object);
        }
        let mut bytes = bytes.into_boxed_slice();
        let (data, len) = (bytes.as_mut_ptr(), bytes.len());
        // SAFETY: bao uses the system allocator, so the engine may free this memory with free(). On failure the engine
        // has not taken it.
        unsafe {
            let object: *mut JSObject = mozjs::jsapi::NewArrayBufferWithContents(self.cx, len, data.cast());
            if object.is_null() {
                drop(bytes);
                return Err(Exc::pending());
            }
            std::mem::forget(bytes);
            self.checked_object(object)
        }
    }

    /// The buffer that `view` is all of, and its length, if its memory is worth taking and may be taken: it is not shared, and nobody has
    /// pinned it. To be rooted before anything can collect.
    fn whole_buffer(&mut self, view: Local<'_>) -> JsResult<Option<(*mut JSObject, usize)>> {
        /// What is kept within the object, or not worth a call.
        const SMALL: usize = 1024;
        let Some(slice) = self.buffer_slice(view) else { return Ok(None) };
        let Some(object) = view.object().filter(|_| slice.len >= SMALL && !slice.shared) else { return Ok(None) };
        // SAFETY: rooted objects.
        unsafe {
            rooted!(in(self.cx) let view = object);
            rooted!(in(self.cx) let mut buffer = object);
            if JS_IsArrayBufferViewObject(object) {
                let mut shared = false;
                buffer.set(mozjs::jsapi::JS_GetArrayBufferViewBuffer(self.cx, view.handle().into(), &mut shared));
                if buffer.get().is_null() {
                    return Err(Exc::pending());
                }
            }
            let (mut length, mut shared, mut data) = (0, false, ptr::null_mut());
            JS::GetArrayBufferLengthAndData(buffer.get(), &mut length, &mut shared, &mut data);
            if length != slice.len || !JS::PinArrayBufferOrViewLength(buffer.get(), true) {
                return Ok(None);
            }
            JS::PinArrayBufferOrViewLength(buffer.get(), false);
            Ok(Some((buffer.get(), length)))
        }
    }

    /// Gives the memory of a buffer back that nobody looks at any more, instead of when it is collected: `view`, if it is all of
    /// its buffer, is empty afterwards. For buffers that no program has seen; one that is in use stays as it is.
    pub fn release_bytes(&mut self, view: Local<'_>) -> JsResult<()> {
        let Some((object, _)) = self.whole_buffer(view)? else { return Ok(()) };
        // SAFETY: a rooted ArrayBuffer.
        unsafe {
            rooted!(in(self.cx) let buffer = object);
            if JS::DetachArrayBuffer(self.cx, buffer.handle().into()) { Ok(()) } else { Err(Exc::pending()) }
        }
    }

    /// As [`Scope::release_bytes`], but gives the memory to the caller. None, and nothing has happened, if it cannot be taken.
    pub fn take_bytes(&mut self, view: Local<'_>) -> JsResult<Option<Vec<u8>>> {
        let Some((object, len)) = self.whole_buffer(view)? else { return Ok(None) };
        // SAFETY: a rooted ArrayBuffer. The memory is of `len` bytes and of malloc(), the buffer's own or a copy; bao uses the system
        // allocator.
        unsafe {
            rooted!(in(self.cx) let buffer = object);
            let data = JS::StealArrayBufferContents(self.cx, buffer.handle().into());
            if data.is_null() {
                return Err(Exc::pending());
            }
            Ok(Some(Vec::from_raw_parts(data.cast(), len, len)))
        }
    }

    /// A `SharedArrayBuffer` of zeros.
    pub fn shared_array_buffer(&mut self, length: usize) -> JsResult<Local<'s>> {
        // SAFETY: rooted at once.
        let object = unsafe { JS::NewSharedArrayBuffer(self.cx, length) };
        self.checked_object(object)
    }

    /// An `ArrayBuffer` on memory that Rust owns, without a copy; the collector is told of its size. `owner` is dropped
    /// exactly once, on this thread, some time after the buffer was collected or detached, at the latest with the
    /// context. JavaScript writes to the bytes: nothing else may expect them to stay the same. Structured clone copies
    /// such a buffer and cannot transfer it. Where there are no bytes, `owner` is dropped at once.
    pub fn external_array_buffer<T: AsMut<[u8]> + 'static>(&mut self, owner: T) -> JsResult<Local<'s>> {
        self.ctx().external.drop_returned();
        let mut owner = Box::new(owner);
        let bytes = (*owner).as_mut();
        if bytes.is_empty() {
            return self.array_buffer(Vec::new());
        }
        let (data, len) = (bytes.as_mut_ptr(), bytes.len());
        let owner = Owner::hand_over(owner, len, self.ctx().external.clone());
        // SAFETY: the memory lives in `owner`, which the engine gives back to `free` exactly once; on failure it has not
        // taken it.
        unsafe {
            let object =
                mozjs::jsapi::NewExternalArrayBuffer(self.cx, len, data.cast(), Some(Owner::free), owner.cast());
            if object.is_null() {
                Owner::free(data.cast(), owner.cast());
                return Err(Exc::pending());
            }
            self.checked_object(object)
        }
    }
}

/// A few numbers shared between Rust and JavaScript of one thread: flags that either side reads without a call.
#[derive(Clone)]
pub struct SharedCells {
    cells: std::rc::Rc<Box<[std::cell::Cell<u32>]>>,
}

/// Words that JavaScript adds to and any thread may read.
struct AtomicWords(Arc<[std::sync::atomic::AtomicU32]>);

impl AsMut<[u8]> for AtomicWords {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: only the address and the length are used, to make the buffer; atomics may be written through them.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_ptr().cast_mut().cast(), self.0.len() * 4) }
    }
}

struct CellBytes(std::rc::Rc<Box<[std::cell::Cell<u32>]>>);

impl AsMut<[u8]> for CellBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: only the address and length are used, to make the buffer; both sides are on one thread.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_ptr().cast_mut().cast(), self.0.len() * 4) }
    }
}

impl SharedCells {
    /// `count` zeros.
    pub fn new(count: usize) -> Self {
        SharedCells { cells: std::rc::Rc::new(vec![std::cell::Cell::new(0); count].into_boxed_slice()) }
    }

    /// The number at `index`.
    pub fn get(&self, index: usize) -> u32 {
        self.cells[index].get()
    }

    /// Sets the number at `index`.
    pub fn set(&self, index: usize, value: u32) {
        self.cells[index].set(value);
    }
}

impl<'s> Scope<'s> {
    /// An `Int32Array` on words that other threads may read: its elements are those that JavaScript adds to fastest.
    pub fn atomic_words_array(&mut self, words: Arc<[std::sync::atomic::AtomicU32]>) -> JsResult<Local<'s>> {
        let length = words.len() as i64;
        let buffer = self.external_array_buffer(AtomicWords(words))?;
        // SAFETY: a rooted handle.
        unsafe {
            rooted!(in(self.cx) let raw = buffer.value().to_object());
            let view = mozjs::jsapi::JS_NewInt32ArrayWithBuffer(self.cx, raw.handle().into(), 0, length);
            self.checked_object(view)
        }
    }

    /// A `Uint32Array` (or `Int32Array`) on shared cells.
    pub fn cells_array(&mut self, cells: &SharedCells, signed: bool) -> JsResult<Local<'s>> {
        let buffer = self.external_array_buffer(CellBytes(cells.cells.clone()))?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let raw = buffer.value().to_object());
            let length = cells.cells.len() as i64;
            let view = if signed {
                mozjs::jsapi::JS_NewInt32ArrayWithBuffer(self.cx, raw.handle().into(), 0, length)
            } else {
                mozjs::jsapi::JS_NewUint32ArrayWithBuffer(self.cx, raw.handle().into(), 0, length)
            };
            self.checked_object(view)
        }
    }
}
