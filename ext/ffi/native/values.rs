//! Values of JavaScript to the words that C is given, and back.
//!
//! A word is what a register holds: an integer extended to 64 bits by its sign, the bits of a float, an address.

use std::ffi::c_void;

use engine::{Exc, JsResult, Local, OpError, Primitive, Scope};

use crate::types::Kind;

/// Numbers from here on are no longer all integers: addresses beyond are BigInts.
const EXACT: u64 = 1 << 53;

/// Where pointers to empty buffers point to: nothing has to be there, but C may look.
static EMPTY: [u64; 2] = [0; 2];

/// Strings that C reads during a call.
pub(crate) type Kept = Vec<Vec<u8>>;

fn cannot(scope: &mut Scope<'_>, kind: Kind) -> Exc {
    scope.throw_type_error(&format!("bun:ffi cannot convert argument to '{}'", kind.name()))
}

/// The integer part of a number modulo 2^64, 0 for what is not finite.
pub(crate) fn wrap(number: f64) -> u64 {
    const LIMIT: f64 = (1_u64 << 63) as f64;
    if number.abs() < LIMIT {
        number as i64 as u64
    } else if number.is_finite() {
        number.trunc().rem_euclid(2.0 * LIMIT) as u64
    } else {
        0
    }
}

/// The value as a number, as JavaScript's arithmetic has it, except that strings are refused.
fn number(scope: &mut Scope<'_>, value: Local<'_>, kind: Kind) -> JsResult<f64> {
    if let Some(number) = value.as_number() {
        return Ok(number);
    }
    if value.is_string() {
        return Err(cannot(scope, kind));
    }
    if value.is_bigint() {
        let exact = scope.bigint_low_i64(value).filter(|(_, is_exact)| *is_exact);
        return Ok(exact.map_or_else(|| scope.display(value).parse().unwrap_or(f64::NAN), |(number, _)| number as f64));
    }
    scope.to_number(value)
}

/// Cuts a word to the width of an integer type and extends it again.
fn narrow(word: u64, kind: Kind) -> u64 {
    match kind {
        Kind::Char | Kind::I8 => i64::from(word as i8) as u64,
        Kind::U8 => u64::from(word as u8),
        Kind::I16 => i64::from(word as i16) as u64,
        Kind::U16 => u64::from(word as u16),
        Kind::I32 => i64::from(word as i32) as u64,
        Kind::U32 => u64::from(word as u32),
        _ => word,
    }
}

/// Whether a conversion to that type only reads, and so comes after those that may run JavaScript.
pub(crate) fn is_address(kind: Kind) -> bool {
    matches!(kind, Kind::Ptr | Kind::CString | Kind::Function | Kind::Buffer | Kind::BufferLength)
}

/// What C is given for a value.
///
/// # Errors
/// A TypeError for a value that cannot be of that type; what the value's own methods throw.
pub(crate) fn to_word(scope: &mut Scope<'_>, value: Local<'_>, kind: Kind, kept: &mut Kept) -> JsResult<u64> {
    Ok(match kind {
        Kind::Char | Kind::I8 | Kind::U8 | Kind::I16 | Kind::U16 | Kind::I32 | Kind::U32 => {
            let word = match (value.as_number(), scope.bigint_low_u64(value)) {
                (Some(number), _) => wrap(number),
                (None, Some((word, _))) => word,
                (None, None) => wrap(number(scope, value, kind)?),
            };
            narrow(word, kind)
        }
        Kind::I64 | Kind::U64 | Kind::I64Fast | Kind::U64Fast => match (value.as_number(), scope.bigint_low_u64(value))
        {
            (Some(number), _) => wrap(number),
            (None, Some((word, _))) => word,
            (None, None) => return Err(cannot(scope, kind)),
        },
        Kind::F64 => number(scope, value, kind)?.to_bits(),
        Kind::F32 => u64::from((number(scope, value, kind)? as f32).to_bits()),
        Kind::Bool => u64::from(value.truthy()),
        Kind::Ptr | Kind::CString | Kind::Function => address(scope, value, kind, kept)?,
        Kind::Buffer | Kind::BufferLength => {
            if scope.view_type(value).is_none() {
                let message = format!("bun:ffi '{}' argument must be a TypedArray or DataView", kind.name());
                return Err(scope.throw_type_error(&message));
            }
            match (kind, scope.fixed_bytes(value)?) {
                (Kind::Buffer, Some(parts)) if parts.length > 0 => parts.data as u64,
                (Kind::Buffer, _) => EMPTY.as_ptr() as u64,
                (_, parts) => parts.map_or(0, |parts| parts.length as u64),
            }
        }
        Kind::Void => 0,
        Kind::NapiEnv | Kind::NapiValue => return Err(cannot(scope, kind)),
    })
}

fn address(scope: &mut Scope<'_>, value: Local<'_>, kind: Kind, kept: &mut Kept) -> JsResult<u64> {
    if let Some(number) = value.as_number() {
        return Ok(wrap(number));
    }
    if value.is_nullish() {
        if kind == Kind::Function {
            let message = "bun:ffi: expected a callback (a JSCallback or an FFI function) but got undefined/null";
            return Err(scope.throw_type_error(message));
        }
        return Ok(0);
    }
    if let Some((word, _)) = scope.bigint_low_u64(value) {
        return Ok(word);
    }
    if value.is_string() {
        if kind != Kind::CString {
            return Err(scope.throw_type_error("To convert a string to a pointer, encode it as a buffer"));
        }
        let mut text = Vec::new();
        scope.append_utf8(value, &mut text)?;
        text.push(0);
        let address = text.as_ptr() as u64;
        kept.push(text);
        return Ok(address);
    }
    if let Some(parts) = scope.fixed_bytes(value)? {
        return Ok(if parts.length > 0 { parts.data as u64 } else { EMPTY.as_ptr() as u64 });
    }
    if value.is_object() {
        // What `new CString()` gives.
        if kind == Kind::CString && scope.class_of(value)? == "String" {
            let text = scope.to_js_string(value)?;
            return address(scope, text, kind, kept);
        }
        // A JSCallback, or a function of a library.
        let inner = scope.get(value, "ptr")?;
        if let Some(number) = inner.as_number() {
            return Ok(wrap(number));
        }
        if let Some((word, _)) = scope.bigint_low_u64(inner) {
            return Ok(word);
        }
    }
    Err(cannot(scope, kind))
}

/// An address as a value: null for 0, a number where that is exact, else a BigInt.
pub(crate) fn pointer<'s>(scope: &mut Scope<'s>, word: u64) -> JsResult<Local<'s>> {
    match word {
        0 => Ok(scope.null()),
        1..EXACT => Ok(scope.number(word as f64)),
        _ => scope.bigint_u64(word),
    }
}

/// The same without a scope, where that is a number, a boolean, null or undefined; else [`from_word`] makes the value.
pub(crate) fn primitive(word: u64, kind: Kind) -> Option<Primitive> {
    Some(match kind {
        Kind::Char | Kind::I8 | Kind::U8 | Kind::I16 | Kind::U16 | Kind::I32 => {
            Primitive::int(narrow(word, kind) as i32)
        }
        Kind::U32 => Primitive::number(f64::from(word as u32)),
        Kind::I64Fast if (word as i64).unsigned_abs() < EXACT => Primitive::number(word as i64 as f64),
        Kind::U64Fast if word < EXACT - 1 => Primitive::number(word as f64),
        Kind::F64 => Primitive::number(f64::from_bits(word)),
        Kind::F32 => Primitive::number(f64::from(f32::from_bits(word as u32))),
        Kind::Bool => Primitive::boolean(word as u8 != 0),
        Kind::Ptr | Kind::Function | Kind::Buffer | Kind::CString if word == 0 => Primitive::null(),
        Kind::Ptr | Kind::Function | Kind::Buffer if word < EXACT => Primitive::number(word as f64),
        Kind::Void | Kind::NapiEnv | Kind::NapiValue => Primitive::undefined(),
        _ => return None,
    })
}

/// What JavaScript gets for a word that C has given.
pub(crate) fn from_word<'s>(scope: &mut Scope<'s>, word: u64, kind: Kind) -> JsResult<Local<'s>> {
    if let Some(value) = primitive(word, kind) {
        return Ok(scope.primitive(value));
    }
    match kind {
        Kind::I64 | Kind::I64Fast => scope.bigint_i64(word as i64),
        Kind::CString => {
            // SAFETY: C says that a text with a zero at its end is there.
            let text = unsafe { text_at(word) };
            scope.string_lossy(text)
        }
        // Numbers and addresses that are not exact as doubles.
        _ => scope.bigint_u64(word),
    }
}

/// The bytes of C's text at an address, without the zero.
///
/// # Safety
/// Memory that may be read until the first zero, and that nobody changes meanwhile.
pub(crate) unsafe fn text_at<'a>(address: u64) -> &'a [u8] {
    // SAFETY: the caller's.
    unsafe { std::ffi::CStr::from_ptr(std::ptr::with_exposed_provenance(address as usize)).to_bytes() }
}

/// An address as a pointer.
pub(crate) fn at(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// An address that a program has passed to a function of this module as a number or BigInt; `None` for other values.
pub(crate) fn passed_address(scope: &Scope<'_>, value: Local<'_>) -> Option<u64> {
    match value.as_number() {
        Some(number) => Some(wrap(number)),
        None => scope.bigint_low_u64(value).map(|(word, _)| word),
    }
}

/// A TypeError with the code of wrong arguments.
pub(crate) fn invalid(message: impl Into<String>) -> OpError {
    OpError::type_error(message).code("ERR_INVALID_ARG_TYPE")
}
