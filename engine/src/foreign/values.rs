//! Symbols, BigInts, dates, strings and errors as C code makes and reads them.

use std::ffi::c_void;
use std::ptr;

use mozjs::jsapi::{JS, JS_AtomizeStringN, JSProtoKey, JSString};
use mozjs::jsval::{BigIntValue, ObjectValue, StringValue, SymbolValue};
use mozjs::rooted;

use crate::error::{ErrorKind, Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::string::Chars;

/// A BigInt as sign and 64-bit digits, the least first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BigIntWords {
    pub negative: bool,
    pub words: Vec<u64>,
}

/// Characters that stay where they are, in memory that is not the engine's.
#[derive(Debug, Clone, Copy)]
pub enum ExternalChars {
    Latin1(*const u8),
    Utf16(*const u16),
}

/// ECMAScript, TimeClip.
pub(crate) fn clip_time(time: f64) -> f64 {
    if time.is_finite() && time.abs() <= 8.64e15 { time.trunc() + 0.0 } else { f64::NAN }
}

/// Told the address of characters that the engine needs no longer; on the context's thread, during a collection.
type Released = fn(*mut c_void);

thread_local! {
    static RELEASED: std::cell::Cell<Option<Released>> = const { std::cell::Cell::new(None) };
}

unsafe extern "C" fn latin1_finalize(_: *const c_void, chars: *mut u8) {
    released(chars.cast());
}

unsafe extern "C" fn utf16_finalize(_: *const c_void, chars: *mut u16) {
    released(chars.cast());
}

fn released(chars: *mut c_void) {
    if let Some(tell) = RELEASED.get() {
        tell(chars);
    }
}

unsafe extern "C" fn latin1_size(_: *const c_void, _: *const u8, _: mozjs::jsapi::mozilla::MallocSizeOf) -> usize {
    0
}

unsafe extern "C" fn utf16_size(_: *const c_void, _: *const u16, _: mozjs::jsapi::mozilla::MallocSizeOf) -> usize {
    0
}

/// The engine's table of functions for such strings; one for the process.
fn external_callbacks() -> *const mozjs::jsapi::JSExternalStringCallbacks {
    use std::sync::OnceLock;
    static CALLBACKS: OnceLock<usize> = OnceLock::new();
    let address = *CALLBACKS.get_or_init(|| {
        let traps = mozjs::glue::JSExternalStringCallbacksTraps {
            latin1Finalize: Some(latin1_finalize),
            utf16Finalize: Some(utf16_finalize),
            latin1SizeOfBuffer: Some(latin1_size),
            utf16SizeOfBuffer: Some(utf16_size),
        };
        // SAFETY: the table is copied.
        unsafe { mozjs::glue::CreateJSExternalStringCallbacks(&traps, ptr::null_mut()).expose_provenance() }
    });
    ptr::with_exposed_provenance(address)
}

impl<'s> Scope<'s> {
    /// A string on characters that stay where they are until `released` is told their address.
    ///
    /// # Safety
    /// `length` characters, which stay the same until then. One `released` a thread.
    pub unsafe fn external_string(
        &mut self,
        chars: ExternalChars,
        length: usize,
        released: Released,
    ) -> JsResult<Local<'s>> {
        RELEASED.set(Some(released));
        // SAFETY: the caller's; rooted at once.
        unsafe {
            let string: *mut JSString = match chars {
                ExternalChars::Latin1(chars) => {
                    mozjs::jsapi::JS_NewExternalStringLatin1(self.cx, chars, length, external_callbacks())
                }
                ExternalChars::Utf16(chars) => {
                    mozjs::jsapi::JS_NewExternalUCString(self.cx, chars, length, external_callbacks())
                }
            };
            if string.is_null() {
                return Err(Exc::pending());
            }
            Ok(self.local(StringValue(&*string)))
        }
    }

    /// The same string as a property key, which is compared by its address.
    pub fn atom(&mut self, string: Local<'_>) -> JsResult<Local<'s>> {
        let atom = match self.chars(string)? {
            Chars::Latin1(bytes) => {
                let (data, length) = (bytes.as_ptr(), bytes.len());
                // SAFETY: the characters are copied before anything can collect.
                unsafe { JS_AtomizeStringN(self.cx, data.cast(), length) }
            }
            Chars::Utf16(units) => {
                let (data, length) = (units.as_ptr(), units.len());
                // SAFETY: as above.
                unsafe { mozjs::jsapi::JS_AtomizeUCStringN(self.cx, data, length) }
            }
        };
        if atom.is_null() {
            return Err(Exc::pending());
        }
        // SAFETY: a live string, rooted at once.
        Ok(self.local(StringValue(unsafe { &*atom })))
    }

    /// Calls `f` with the characters of a string value, as Latin-1 or UTF-16; nothing can collect meanwhile.
    pub fn with_chars<R>(&mut self, string: Local<'_>, f: impl FnOnce(Result<&[u8], &[u16]>) -> R) -> JsResult<R> {
        Ok(match self.chars(string)? {
            Chars::Latin1(bytes) => f(Ok(bytes)),
            Chars::Utf16(units) => f(Err(units)),
        })
    }

    /// A new symbol; `description` is a string or undefined.
    pub fn new_symbol(&mut self, description: Local<'_>) -> JsResult<Local<'s>> {
        // SAFETY: rooted handles; the result is rooted at once.
        unsafe {
            rooted!(in(self.cx) let mut text = ptr::null_mut::<JSString>());
            if description.is_string() {
                text.set(description.value().to_string());
            }
            let symbol = JS::NewSymbol(self.cx, text.handle().into());
            if symbol.is_null() { Err(Exc::pending()) } else { Ok(self.local(SymbolValue(&*symbol))) }
        }
    }

    /// `Symbol.for(key)`
    pub fn symbol_for(&mut self, key: Local<'_>) -> JsResult<Local<'s>> {
        let key = self.to_js_string(key)?;
        // SAFETY: rooted handles; the result is rooted at once.
        unsafe {
            rooted!(in(self.cx) let text = key.value().to_string());
            let symbol = JS::GetSymbolFor(self.cx, text.handle().into());
            if symbol.is_null() { Err(Exc::pending()) } else { Ok(self.local(SymbolValue(&*symbol))) }
        }
    }

    /// A `Date` of milliseconds since 1970, clipped as the language says.
    pub fn new_date(&mut self, time: f64) -> JsResult<Local<'s>> {
        let clipped = clip_time(time);
        // SAFETY: rooted at once.
        let object = unsafe { JS::NewDateObject(self.cx, JS::ClippedTime { t: clipped }) };
        self.checked_object(object)
    }

    /// Milliseconds since 1970 of a `Date`; `None` for other values.
    pub fn date_value(&mut self, value: Local<'_>) -> JsResult<Option<f64>> {
        let Some(object) = value.object() else { return Ok(None) };
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let object = object);
            let (mut is_date, mut time) = (false, 0.0);
            if !JS::ObjectIsDate(self.cx, object.handle().into(), &mut is_date)
                || is_date && !mozjs::jsapi::js::DateGetMsecSinceEpoch(self.cx, object.handle().into(), &mut time)
            {
                return Err(Exc::pending());
            }
            Ok(is_date.then_some(time))
        }
    }

    /// `===`
    pub fn strictly_equal(&mut self, a: Local<'_>, b: Local<'_>) -> JsResult<bool> {
        let mut equal = false;
        // SAFETY: rooted handles.
        if unsafe { JS::StrictlyEqual(self.cx, a.handle(), b.handle(), &mut equal) } {
            Ok(equal)
        } else {
            Err(Exc::pending())
        }
    }

    /// The low 64 bits of a BigInt, and whether that is all of it.
    pub fn bigint_low_i64(&self, value: Local<'_>) -> Option<(i64, bool)> {
        let big = value.is_bigint().then(|| value.value().to_bigint())?;
        let mut exact = 0;
        // SAFETY: a live BigInt; nothing here collects.
        unsafe { Some((JS::ToBigInt64(big), JS::detail::BigIntIsInt64(big, &mut exact))) }
    }

    /// The same without a sign.
    pub fn bigint_low_u64(&self, value: Local<'_>) -> Option<(u64, bool)> {
        let big = value.is_bigint().then(|| value.value().to_bigint())?;
        let mut exact = 0;
        // SAFETY: as above.
        unsafe { Some((JS::ToBigUint64(big), JS::detail::BigIntIsUint64(big, &mut exact))) }
    }

    /// Sign and digits of a BigInt; `None` for other values.
    pub fn bigint_words(&mut self, value: Local<'_>) -> JsResult<Option<BigIntWords>> {
        if !value.is_bigint() {
            return Ok(None);
        }
        // SAFETY: rooted handles.
        let text = unsafe {
            rooted!(in(self.cx) let big = value.value().to_bigint());
            let text = JS::BigIntToString(self.cx, big.handle().into(), 16);
            if text.is_null() {
                return Err(Exc::pending());
            }
            self.local(StringValue(&*text))
        };
        let text = self.to_string(text)?;
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.as_str()),
        };
        let digits = digits.as_bytes();
        let mut words: Vec<u64> = digits
            .rchunks(16)
            .map(|chunk| {
                chunk.iter().fold(0, |word, &digit| word << 4 | u64::from((digit as char).to_digit(16).unwrap_or(0)))
            })
            .collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        Ok(Some(BigIntWords { negative, words }))
    }

    /// A BigInt of sign and digits.
    pub fn bigint_from_words(&mut self, from: &BigIntWords) -> JsResult<Local<'s>> {
        use std::fmt::Write;
        let mut text = String::with_capacity(from.words.len() * 16 + 1);
        if from.negative {
            text.push('-');
        }
        for word in from.words.iter().rev() {
            // Writing to a string does not fail.
            let _ = write!(text, "{word:016x}");
        }
        if from.words.is_empty() {
            text = "0".into();
        }
        // SAFETY: a span of the text's bytes; the result is rooted at once.
        unsafe {
            let span = std::mem::transmute::<(usize, *const u8), [u64; 2]>((text.len(), text.as_ptr()));
            let big = JS::SimpleStringToBigInt(self.cx, std::mem::transmute_copy(&span), 16);
            if big.is_null() { Err(Exc::pending()) } else { Ok(self.local(BigIntValue(&*big))) }
        }
    }

    /// An error object with a message that is a string value.
    pub fn new_error_with(&mut self, kind: ErrorKind, message: Local<'_>) -> JsResult<Local<'s>> {
        let constructor = self.class_object(match kind {
            ErrorKind::Error => JSProtoKey::JSProto_Error,
            ErrorKind::TypeError => JSProtoKey::JSProto_TypeError,
            ErrorKind::RangeError => JSProtoKey::JSProto_RangeError,
            ErrorKind::SyntaxError => JSProtoKey::JSProto_SyntaxError,
        })?;
        self.construct(constructor, &[message])
    }

    /// Whether an object is an error of the engine's own classes or of a class that extends one.
    pub fn is_error(&mut self, value: Local<'_>) -> JsResult<bool> {
        Ok(value.is_object() && self.class_of(value)? == "Error")
    }

    /// An array of `length` holes.
    pub fn new_array_of_length(&mut self, length: usize) -> JsResult<Local<'s>> {
        /// Beyond this the engine is not to make room before there are elements.
        const ROOM: usize = 1 << 16;
        // SAFETY: rooted at once.
        let array = unsafe { mozjs::jsapi::NewArrayObject1(self.cx, if length > ROOM { 0 } else { length }) };
        if array.is_null() {
            return Err(Exc::pending());
        }
        let array = self.local(ObjectValue(array));
        if length > ROOM {
            let length = self.number(length as f64);
            self.set(array, "length", length)?;
        }
        Ok(array)
    }

    /// Whether the value is an array, seen through proxies as `Array.isArray` does.
    pub fn is_array(&mut self, value: Local<'_>) -> JsResult<bool> {
        let Some(object) = value.object() else { return Ok(false) };
        let mut is_array = false;
        // SAFETY: rooted handle.
        unsafe {
            rooted!(in(self.cx) let object = object);
            if JS::IsArrayObject1(self.cx, object.handle().into(), &mut is_array) {
                Ok(is_array)
            } else {
                Err(Exc::pending())
            }
        }
    }
}
