//! Conversions of ops that need no scope: arguments in their usual form, results that are values by themselves.

use mozjs::jsapi::Value;
use mozjs::jsval::{BooleanValue, UndefinedValue};

use super::JsStr;
use crate::buffer::uint8_array_slice;
use crate::error::OpError;
use crate::object_layout::linear;
use crate::primitive::Primitive;
use crate::string::Chars;

/// Conversion of an argument of the usual form, which nothing of the engine is called for. `#[op]` uses it for ops that
/// need no scope: where an argument has another form, all are converted by [`FromJs`].
pub trait FromPlain<'a>: Sized {
    /// Converts `value`, which is an argument of a running call, or leaves it to [`FromJs`].
    fn from_plain(value: Value) -> Option<Self>;
}

macro_rules! small_integers {
    ($($type:ty),*) => {$(
        impl FromPlain<'_> for $type {
            #[inline]
            fn from_plain(value: Value) -> Option<Self> {
                value.is_int32().then(|| value.to_int32() as $type)
            }
        }
    )*};
}
small_integers!(u8, u16, u32, i8, i16, i32);

impl FromPlain<'_> for bool {
    #[inline]
    fn from_plain(value: Value) -> Option<Self> {
        value.is_boolean().then(|| value.to_boolean())
    }
}

impl FromPlain<'_> for f64 {
    #[inline]
    fn from_plain(value: Value) -> Option<Self> {
        value.is_number().then(|| value.to_number())
    }
}

impl FromPlain<'_> for usize {
    #[inline]
    fn from_plain(value: Value) -> Option<Self> {
        if value.is_int32() { usize::try_from(value.to_int32()).ok() } else { None }
    }
}

impl<'a> FromPlain<'a> for &'a [u8] {
    #[inline]
    fn from_plain(value: Value) -> Option<Self> {
        let slice = uint8_array_slice(value)?;
        // SAFETY: as in `from_js`; the call roots the argument.
        Some(unsafe { std::slice::from_raw_parts(slice.data, slice.len) })
    }
}

impl<'a> FromPlain<'a> for &'a mut [u8] {
    #[inline]
    fn from_plain(value: Value) -> Option<Self> {
        let slice = uint8_array_slice(value)?;
        // SAFETY: as in `from_js`; the call roots the argument.
        Some(unsafe { std::slice::from_raw_parts_mut(slice.data, slice.len) })
    }
}

impl<'a> FromPlain<'a> for JsStr<'a> {
    #[inline]
    fn from_plain(value: Value) -> Option<Self> {
        if !value.is_string() {
            return None;
        }
        // SAFETY: a live string, and nothing collects while its characters are borrowed; see `from_js`.
        let chars = unsafe { linear(value.to_string())? };
        Some(JsStr {
            chars: match chars {
                Chars::Latin1(bytes) => Ok(bytes),
                Chars::Utf16(units) => Err(units),
            },
        })
    }
}

/// A result that is a value by itself, or an error.
#[doc(hidden)]
pub trait PlainReturn {
    fn finish(self) -> Result<Value, OpError>;
}

/// A result that is a value by itself.
pub trait IntoPlain {
    fn into_plain(self) -> Value;
}

macro_rules! integers_of_32_bits {
    ($($type:ty),*) => {$(
        impl IntoPlain for $type {
            #[inline]
            fn into_plain(self) -> Value {
                Primitive::int(self.into()).value()
            }
        }
    )*};
}
integers_of_32_bits!(u8, u16, i8, i16);

impl IntoPlain for i32 {
    #[inline]
    fn into_plain(self) -> Value {
        Primitive::int(self).value()
    }
}

impl IntoPlain for u32 {
    #[inline]
    fn into_plain(self) -> Value {
        match i32::try_from(self) {
            Ok(int) => Primitive::int(int).value(),
            Err(_) => Primitive::number(f64::from(self)).value(),
        }
    }
}

impl IntoPlain for () {
    #[inline]
    fn into_plain(self) -> Value {
        UndefinedValue()
    }
}

impl IntoPlain for bool {
    #[inline]
    fn into_plain(self) -> Value {
        BooleanValue(self)
    }
}

impl IntoPlain for f64 {
    #[inline]
    fn into_plain(self) -> Value {
        Primitive::number(self).value()
    }
}

impl IntoPlain for usize {
    #[inline]
    fn into_plain(self) -> Value {
        match i32::try_from(self) {
            Ok(int) => Primitive::int(int).value(),
            Err(_) => Primitive::number(self as f64).value(),
        }
    }
}

impl<T: IntoPlain> PlainReturn for T {
    #[inline]
    fn finish(self) -> Result<Value, OpError> {
        Ok(self.into_plain())
    }
}

impl<T: IntoPlain> PlainReturn for Result<T, OpError> {
    #[inline]
    fn finish(self) -> Result<Value, OpError> {
        self.map(T::into_plain)
    }
}
