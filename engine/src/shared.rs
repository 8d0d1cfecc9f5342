//! Strings shared between threads: characters in the engine's own ref-counted buffers (`mozilla::StringBuffer`).

use std::sync::atomic::{AtomicU32, Ordering};

use mozjs::jsapi::{JS, JS_NewDependentString, JSString};
use mozjs::jsval::StringValue;
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Global, Local, Scope};
use crate::string::Chars;

/// Flag of a string whose characters are those of a `mozilla::StringBuffer`.
const HAS_STRING_BUFFER: usize = 1 << 12;
/// Flag of a string that is a part of another one.
const DEPENDENT: usize = 1 << 5;
/// Flag of a string that shares an atom's characters.
const ATOM_REF: usize = 1 << 9;

/// A string of more bytes than this that has no buffer gets one that is found again; a shorter one is copied each time.
const REMEMBERED_BYTES: usize = 1024;
/// So many copies are remembered.
const REMEMBERED: usize = 4;

/// Header of `mozilla::StringBuffer`: the characters and a terminating zero follow.
#[repr(C)]
struct BufferHeader {
    references: AtomicU32,
    storage_size: u32,
}

/// Bytes before the characters in the memory that [`SharedString::adopt_latin1`] and its sibling take over.
pub(crate) const HEADER_BYTES: usize = size_of::<BufferHeader>();

/// Immutable characters with an atomic reference count, in the engine's own buffer format, so that strings of several
/// threads can stand on the same memory. May be a part of such a buffer.
pub struct SharedString {
    buffer: *mut BufferHeader,
    /// Characters of the buffer, and those of them that this is.
    whole: usize,
    start: usize,
    length: usize,
    two_byte: bool,
}

// SAFETY: the characters are immutable and the count is atomic.
unsafe impl Send for SharedString {}
// SAFETY: as above.
unsafe impl Sync for SharedString {}

impl SharedString {
    fn allocate(bytes: usize) -> *mut BufferHeader {
        assert!(bytes < u32::MAX as usize - 64, "string is too long to be shared");
        // SAFETY: malloc'ed because the engine frees with free(); the header is written before use.
        unsafe {
            let header = libc::malloc(HEADER_BYTES + bytes).cast::<BufferHeader>();
            assert!(!header.is_null(), "out of memory");
            header.write(BufferHeader { references: AtomicU32::new(1), storage_size: bytes as u32 });
            header
        }
    }

    fn of_buffer(buffer: *mut BufferHeader, length: usize, two_byte: bool) -> Self {
        SharedString { buffer, whole: length, start: 0, length, two_byte }
    }

    /// Copies Latin-1 characters into a new buffer.
    pub fn from_latin1(chars: &[u8]) -> Self {
        let buffer = Self::allocate(chars.len() + 1);
        // SAFETY: in bounds of the allocation above.
        unsafe {
            let data = buffer.add(1).cast::<u8>();
            data.copy_from_nonoverlapping(chars.as_ptr(), chars.len());
            *data.add(chars.len()) = 0;
        }
        Self::of_buffer(buffer, chars.len(), false)
    }

    /// Copies UTF-16 code units into a new buffer.
    pub fn from_utf16(units: &[u16]) -> Self {
        let buffer = Self::allocate((units.len() + 1) * 2);
        // SAFETY: in bounds of the allocation above; the header keeps 8-byte alignment.
        unsafe {
            let data = buffer.add(1).cast::<u16>();
            data.copy_from_nonoverlapping(units.as_ptr(), units.len());
            *data.add(units.len()) = 0;
        }
        Self::of_buffer(buffer, units.len(), true)
    }

    /// Takes the memory of a vector over whose first [`HEADER_BYTES`] bytes are room for the header.
    pub(crate) fn adopt_latin1(mut memory: Vec<u8>) -> Self {
        memory.push(0);
        memory.shrink_to_fit();
        let length = memory.len() - HEADER_BYTES - 1;
        let mut memory = std::mem::ManuallyDrop::new(memory);
        // SAFETY: bao uses the system allocator, whose memory is aligned to 16 bytes and which the engine frees with free().
        let buffer = unsafe { Self::headed(memory.as_mut_ptr(), length + 1) };
        Self::of_buffer(buffer, length, false)
    }

    /// As [`SharedString::adopt_latin1`], with room of `HEADER_BYTES / 2` units.
    pub(crate) fn adopt_utf16(mut memory: Vec<u16>) -> Self {
        memory.push(0);
        memory.shrink_to_fit();
        let length = memory.len() - HEADER_BYTES / 2 - 1;
        let mut memory = std::mem::ManuallyDrop::new(memory);
        // SAFETY: as above.
        let buffer = unsafe { Self::headed(memory.as_mut_ptr().cast(), (length + 1) * 2) };
        Self::of_buffer(buffer, length, true)
    }

    /// # Safety
    /// `memory` is malloc'ed, has room for the header and `bytes` more, and belongs to the result.
    unsafe fn headed(memory: *mut u8, bytes: usize) -> *mut BufferHeader {
        let buffer = memory.cast::<BufferHeader>();
        assert!(bytes < u32::MAX as usize - 64 && buffer.is_aligned(), "string is too long to be shared");
        // SAFETY: as the caller says.
        unsafe { buffer.write(BufferHeader { references: AtomicU32::new(1), storage_size: bytes as u32 }) };
        buffer
    }

    /// Length in code units.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no characters.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether both stand on the same memory.
    pub fn same_memory(&self, other: &SharedString) -> bool {
        self.buffer == other.buffer
    }

    fn chars(&self) -> Chars<'_> {
        // SAFETY: `whole` units follow the header and never change.
        unsafe {
            if self.two_byte {
                let data = self.buffer.add(1).cast::<u16>().add(self.start);
                Chars::Utf16(std::slice::from_raw_parts(data, self.length))
            } else {
                let data = self.buffer.add(1).cast::<u8>().add(self.start);
                Chars::Latin1(std::slice::from_raw_parts(data, self.length))
            }
        }
    }

    /// The text (lone surrogates become U+FFFD).
    pub fn to_text(&self) -> String {
        self.chars().to_utf8()
    }
}

impl Clone for SharedString {
    fn clone(&self) -> Self {
        // SAFETY: a live header.
        unsafe { (*self.buffer).references.fetch_add(1, Ordering::Relaxed) };
        SharedString { ..*self }
    }
}

impl Drop for SharedString {
    fn drop(&mut self) {
        // SAFETY: a live header; the last reference frees what `allocate` (or the engine, by malloc) allocated.
        unsafe {
            if (*self.buffer).references.fetch_sub(1, Ordering::Release) == 1 {
                std::sync::atomic::fence(Ordering::Acquire);
                libc::free(self.buffer.cast());
            }
        }
    }
}

/// Buffers of long strings that have none of their own, until the next full collection: posting one of them again is free.
#[derive(Default)]
pub(crate) struct Remembered(Vec<(Global, SharedString)>);

/// The buffer of a linear string, or of the string that it is a large enough part of, with a reference for the result.
///
/// # Safety
/// A live linear string of at least one character.
unsafe fn buffer_of(string: *mut JSString) -> Option<SharedString> {
    // SAFETY: the engine publishes the layout (js/shadow/String.h): flags and length, the address of the characters, and for a part of
    // another string that one. A buffer's characters follow its header. The engine appends in place only where it holds the
    // one reference.
    unsafe {
        let header = string.cast::<JS::shadow::String>();
        let words = string.cast::<usize>();
        let (flags, data) = ((*header).flags_, *words.add(1));
        let length = flags >> 32;
        let (mut owner, mut owner_flags) = (words, flags);
        if flags & (DEPENDENT | ATOM_REF) == DEPENDENT {
            owner = *words.add(2) as *mut usize;
            owner_flags = (*owner.cast::<JS::shadow::String>()).flags_;
        }
        if owner_flags & HAS_STRING_BUFFER == 0 {
            return None;
        }
        let whole = owner_flags >> 32;
        // A small part must not keep a large text alive in another thread.
        if length < whole / 4 {
            return None;
        }
        let two_byte = owner_flags & 1 << 10 == 0;
        let begin = *owner.add(1);
        let buffer = (begin as *mut BufferHeader).sub(1);
        (*buffer).references.fetch_add(1, Ordering::Relaxed);
        let start = (data - begin) >> usize::from(two_byte);
        Some(SharedString { buffer, whole, start, length, two_byte })
    }
}

impl<'s> Scope<'s> {
    /// Takes a thread-safe reference to a string's characters (of JavaScript's ToString of other values): no copy where
    /// the string has a ref-counted buffer, as long strings that the engine put together do, or is a large part of such a
    /// one. Another long string is copied once: the copy is found again until the next full collection.
    pub fn share_string(&mut self, value: Local<'_>) -> JsResult<SharedString> {
        let value = self.to_js_string(value)?;
        // Flattens a rope, which gives it a buffer.
        let bytes = match self.chars(value)? {
            Chars::Latin1(bytes) => bytes.len(),
            Chars::Utf16(units) => units.len() * 2,
        };
        let string = value.value().to_string();
        if bytes > 0
            // SAFETY: a live string that `chars` has made linear.
            && let Some(shared) = unsafe { buffer_of(string) }
        {
            return Ok(shared);
        }
        let is_long = bytes > REMEMBERED_BYTES;
        if is_long {
            let mut remembered = self.ctx().shared_texts.take();
            let found = remembered.0.iter().position(|(known, _)| known.is(value));
            let shared = found.map(|place| {
                // The last one is the next to go.
                remembered.0[..=place].rotate_right(1);
                remembered.0[0].1.clone()
            });
            self.ctx().shared_texts.set(remembered);
            if let Some(shared) = shared {
                return Ok(shared);
            }
        }
        let shared = match self.chars(value)? {
            Chars::Latin1(bytes) => SharedString::from_latin1(bytes),
            Chars::Utf16(units) => SharedString::from_utf16(units),
        };
        if is_long {
            let known = self.global(value);
            let mut remembered = self.ctx().shared_texts.take();
            remembered.0.truncate(REMEMBERED - 1);
            remembered.0.insert(0, (known, shared.clone()));
            self.ctx().shared_texts.set(remembered);
        }
        Ok(shared)
    }

    /// A string on shared characters; short ones are copied inline by the engine.
    pub fn shared_string(&mut self, shared: &SharedString) -> JsResult<Local<'s>> {
        if shared.length < shared.whole && shared.length < 64 {
            return match shared.chars() {
                Chars::Latin1(bytes) => self.latin1_string(bytes),
                Chars::Utf16(units) => self.utf16_string(units),
            };
        }
        // SAFETY: the buffer is live during the call (we hold a reference) and the engine takes its own; the result is rooted at once.
        let whole = unsafe {
            let string = if shared.two_byte {
                JS::NewStringFromKnownLiveTwoByteBuffer(self.cx, shared.buffer.cast(), shared.whole)
            } else {
                JS::NewStringFromKnownLiveLatin1Buffer(self.cx, shared.buffer.cast(), shared.whole)
            };
            if string.is_null() {
                return Err(Exc::pending());
            }
            self.local(StringValue(&*string))
        };
        self.ctx().gc_stress();
        if shared.length == shared.whole {
            return Ok(whole);
        }
        rooted!(in(self.cx) let base = whole.value().to_string());
        // SAFETY: in bounds of the string; the result is rooted at once.
        unsafe {
            let part = JS_NewDependentString(self.cx, base.handle().into(), shared.start, shared.length);
            if part.is_null() {
                return Err(Exc::pending());
            }
            Ok(self.local(StringValue(&*part)))
        }
    }
}
