//! Numbers, booleans, null and undefined as arguments of a call: the collector need not know of them, so they need no locals.

use mozjs::jsapi::Value;
use mozjs::jsval::{BooleanValue, DoubleValue, Int32Value, NullValue, UndefinedValue};

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

/// A value that is neither object, string, symbol nor BigInt.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Primitive(Value);

impl Primitive {
    pub fn undefined() -> Primitive {
        Primitive(UndefinedValue())
    }

    pub fn null() -> Primitive {
        Primitive(NullValue())
    }

    pub fn boolean(value: bool) -> Primitive {
        Primitive(BooleanValue(value))
    }

    #[inline]
    pub fn int(value: i32) -> Primitive {
        Primitive(Int32Value(value))
    }

    /// A number; of all NaNs there is one that a value may be.
    #[inline]
    pub fn number(value: f64) -> Primitive {
        let int = value as i32;
        if f64::from(int).to_bits() == value.to_bits() {
            return Primitive(Int32Value(int));
        }
        Primitive(DoubleValue(if value.is_nan() { f64::NAN } else { value }))
    }

    #[inline]
    pub(crate) fn value(self) -> Value {
        self.0
    }
}

impl<'s> Scope<'s> {
    /// A local of a primitive value.
    pub fn primitive(&mut self, value: Primitive) -> Local<'s> {
        self.local(value.0)
    }

    /// Calls `function` with undefined as `this`.
    pub fn call_with_primitives(&mut self, function: Local<'_>, args: &[Primitive]) -> JsResult<Local<'s>> {
        let (this, out) = (self.undefined(), self.undefined());
        // SAFETY: rooted handles; nothing in the array could be collected, and it outlives the call.
        let ok = unsafe { self.call_at(this, function, args.len(), args.as_ptr().cast::<Value>(), out) };
        if ok { Ok(out) } else { Err(Exc::pending()) }
    }
}
