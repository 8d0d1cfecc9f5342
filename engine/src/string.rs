//! Strings in and out.

use std::ptr;

use mozjs::jsapi::{
    JS, JS_EnsureLinearString, JS_GetLatin1StringCharsAndLength, JS_GetStringLength, JS_GetTwoByteStringCharsAndLength,
    JS_NewStringCopyN, JS_NewStringCopyUTF8N, JS_NewUCStringCopyN, JSContext as RawContext, JSString, mozilla,
};
use mozjs::jsval::StringValue;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

/// The characters of a linear string, borrowed while no collection can happen.
pub(crate) enum Chars<'a> {
    Latin1(&'a [u8]),
    Utf16(&'a [u16]),
}

impl Chars<'_> {
    pub(crate) fn to_utf8(&self) -> String {
        match self {
            Chars::Latin1(bytes) => {
                if bytes.is_ascii() {
                    // SAFETY: checked to be ASCII.
                    return unsafe { String::from_utf8_unchecked(bytes.to_vec()) };
                }
                bytes.iter().map(|&b| b as char).collect()
            }
            Chars::Utf16(units) => String::from_utf16_lossy(units),
        }
    }
}

/// Characters of this many bytes fit into the young generation: copying them is cheaper than an allocation of their own.
const COPIED_BYTES: usize = 1024;

// Functions of jsapi.h that bindgen leaves out because they take a `UniquePtr`. By the C++ ABI, an argument of a class
// with a destructor is passed as the address of an object that the caller destroys; this one is a single pointer.
unsafe extern "C" {
    #[link_name = "_Z18JS_NewLatin1StringP9JSContextSt10unique_ptrIA_hN2JS10FreePolicyEEm"]
    fn JS_NewLatin1String(cx: *mut RawContext, chars: *mut *mut u8, length: usize) -> *mut JSString;
    #[link_name = "_Z25JS_NewUCStringDontDeflateP9JSContextSt10unique_ptrIA_DsN2JS10FreePolicyEEm"]
    fn JS_NewUCStringDontDeflate(cx: *mut RawContext, chars: *mut *mut u16, length: usize) -> *mut JSString;
}

/// Gives the memory of a vector to the engine, which frees it with free(): bao uses the system allocator.
///
/// # Safety
/// `make` gets the place of a `UniquePtr`, and sets it to null where it takes the memory.
unsafe fn adopt<T>(mut chars: Vec<T>, make: impl FnOnce(*mut *mut T, usize) -> *mut JSString) -> *mut JSString {
    let length = chars.len();
    // What decoding did not need after all; a little is not worth another allocation.
    if chars.capacity() - length > length / 8 {
        chars.shrink_to_fit();
    }
    let mut chars = std::mem::ManuallyDrop::new(chars);
    let mut place = chars.as_mut_ptr();
    let string = make(&mut place, length);
    if !place.is_null() {
        // SAFETY: not taken, so still the vector's.
        drop(std::mem::ManuallyDrop::into_inner(chars));
    }
    string
}

impl<'s> Scope<'s> {
    fn checked_string(&mut self, string: *mut JSString) -> JsResult<Local<'s>> {
        if string.is_null() {
            return Err(Exc::pending());
        }
        // SAFETY: a live string, rooted at once.
        let local = self.local(StringValue(unsafe { &*string }));
        self.ctx().gc_stress();
        Ok(local)
    }

    /// A string from UTF-8.
    pub fn string(&mut self, text: &str) -> JsResult<Local<'s>> {
        if text.is_ascii() {
            return self.latin1_string(text.as_bytes());
        }
        let chars = JS::UTF8Chars {
            _base: mozilla::Range {
                mStart: mozilla::RangedPtr { mPtr: text.as_ptr().cast_mut(), _phantom_0: Default::default() },
                mEnd: mozilla::RangedPtr {
                    // SAFETY: one past the end of the same allocation.
                    mPtr: unsafe { text.as_ptr().add(text.len()) }.cast_mut(),
                    _phantom_0: Default::default(),
                },
                _phantom_0: Default::default(),
            },
        };
        // SAFETY: the engine copies the characters.
        let string = unsafe { JS_NewStringCopyUTF8N(self.cx, &chars) };
        self.checked_string(string)
    }

    /// A string from Latin-1 bytes.
    pub fn latin1_string(&mut self, bytes: &[u8]) -> JsResult<Local<'s>> {
        // SAFETY: the engine copies the characters (it takes each byte as a Latin-1 character).
        let string = unsafe { JS_NewStringCopyN(self.cx, bytes.as_ptr().cast(), bytes.len()) };
        self.checked_string(string)
    }

    /// A string from UTF-16 code units, lone surrogates included.
    pub fn utf16_string(&mut self, units: &[u16]) -> JsResult<Local<'s>> {
        // SAFETY: the engine copies the characters.
        let string = unsafe { JS_NewUCStringCopyN(self.cx, units.as_ptr(), units.len()) };
        self.checked_string(string)
    }

    /// A string of Latin-1 bytes that takes their memory over where they are many. The collector counts it.
    pub fn latin1_string_owned(&mut self, bytes: Vec<u8>) -> JsResult<Local<'s>> {
        if bytes.len() <= COPIED_BYTES {
            return self.latin1_string(&bytes);
        }
        // SAFETY: the engine takes the memory, or leaves the pointer as it is.
        let string = unsafe { adopt(bytes, |chars, length| JS_NewLatin1String(self.cx, chars, length)) };
        self.checked_string(string)
    }

    /// A string of UTF-16 code units, at least one of which is above U+00FF, that takes their memory over where they are
    /// many. The collector counts it.
    pub fn utf16_string_owned(&mut self, units: Vec<u16>) -> JsResult<Local<'s>> {
        if units.len() <= COPIED_BYTES / 2 {
            return self.utf16_string(&units);
        }
        // SAFETY: as above.
        let string = unsafe { adopt(units, |chars, length| JS_NewUCStringDontDeflate(self.cx, chars, length)) };
        self.checked_string(string)
    }

    /// A string from bytes that are meant to be UTF-8: ill-formed sequences become U+FFFD as in TextDecoder.
    pub fn string_lossy(&mut self, bytes: &[u8]) -> JsResult<Local<'s>> {
        if bytes.is_ascii() {
            return self.latin1_string(bytes);
        }
        self.string(&String::from_utf8_lossy(bytes))
    }

    /// JavaScript's ToString, as UTF-8 (lone surrogates become U+FFFD).
    pub fn to_string(&mut self, value: Local<'_>) -> JsResult<String> {
        let string = self.to_js_string(value)?;
        let chars = self.chars(string)?;
        Ok(chars.to_utf8())
    }

    /// JavaScript's ToString as a value.
    pub fn to_js_string(&mut self, value: Local<'_>) -> JsResult<Local<'s>> {
        if value.is_string() {
            return Ok(self.copy(value));
        }
        // SAFETY: rooted handle; result rooted at once.
        let string = unsafe { mozjs::jsapi::ToStringSlow(self.cx, value.handle()) };
        self.checked_string(string)
    }

    /// A text for people: ToString without ever throwing.
    pub fn display(&mut self, value: Local<'_>) -> String {
        if value.is_symbol() {
            return "Symbol()".into();
        }
        match self.to_string(value) {
            Ok(text) => text,
            Err(exc) => {
                self.take_exception(exc);
                "[value that cannot be converted to a string]".into()
            }
        }
    }

    /// Number of UTF-16 code units of a string value; 0 for other values.
    pub fn string_length(&self, value: Local<'_>) -> usize {
        if !value.is_string() {
            return 0;
        }
        // SAFETY: a live string.
        unsafe { JS_GetStringLength(value.value().to_string()) }
    }

    /// Borrows the characters of a string value; flattens it where needed.
    #[inline]
    pub(crate) fn chars<'a>(&'a mut self, value: Local<'_>) -> JsResult<Chars<'a>> {
        debug_assert!(value.is_string());
        // SAFETY: the scope is borrowed for as long as the characters are, so nothing can collect meanwhile.
        unsafe {
            let rope = (*value.value().to_string().cast::<JS::shadow::String>()).flags_ & LINEAR == 0;
            if JS_EnsureLinearString(self.cx, value.value().to_string()).is_null() {
                return Err(Exc::pending());
            }
            if rope {
                // Flattening can collect: in stress mode it does.
                self.ctx().gc_stress();
            }
            let string = value.value().to_string();
            let mut length = 0;
            if mozjs::jsapi::JS_DeprecatedStringHasLatin1Chars(string) {
                let chars = JS_GetLatin1StringCharsAndLength(self.cx, ptr::null(), string, &mut length);
                Ok(Chars::Latin1(if length == 0 { &[] } else { std::slice::from_raw_parts(chars, length) }))
            } else {
                let chars = JS_GetTwoByteStringCharsAndLength(self.cx, ptr::null(), string, &mut length);
                Ok(Chars::Utf16(if length == 0 { &[] } else { std::slice::from_raw_parts(chars, length) }))
            }
        }
    }

    /// Appends the UTF-8 form of a string value (lone surrogates become U+FFFD).
    pub fn append_utf8(&mut self, value: Local<'_>, out: &mut Vec<u8>) -> JsResult<()> {
        match self.chars(value)? {
            Chars::Latin1(bytes) if bytes.is_ascii() => out.extend_from_slice(bytes),
            Chars::Latin1(bytes) => {
                out.reserve(bytes.len() * 2);
                for &byte in bytes {
                    if byte < 0x80 {
                        out.push(byte);
                    } else {
                        out.extend_from_slice(&[0xc0 | byte >> 6, 0x80 | byte & 0x3f]);
                    }
                }
            }
            Chars::Utf16(units) => {
                out.reserve(units.len() * 3);
                let mut buffer = [0; 4];
                for unit in char::decode_utf16(units.iter().copied()) {
                    let c = unit.unwrap_or(char::REPLACEMENT_CHARACTER);
                    out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
                }
            }
        }
        Ok(())
    }

    /// Appends the characters of a string value as bytes, the high half of each left out.
    pub fn append_latin1(&mut self, value: Local<'_>, out: &mut Vec<u8>) -> JsResult<()> {
        match self.chars(value)? {
            Chars::Latin1(bytes) => out.extend_from_slice(bytes),
            Chars::Utf16(units) => out.extend(units.iter().map(|&unit| unit as u8)),
        }
        Ok(())
    }
}

/// Flag of a string that is no rope.
const LINEAR: usize = 1 << 4;
