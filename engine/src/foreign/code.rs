//! Functions whose native code was made at run time: machine code that the engine calls as it calls any native, which reads
//! arguments and writes the result where the engine has them (ext/ffi).
//!
//! Such code does the common cases itself and jumps to one of two entries of a [`CodeCallee`] for the rest. The bits of
//! values that it may read and write without the engine are in [`value_bits`].

use std::ffi::c_void;

use mozjs::jsapi::{
    JS_GetFunctionObject, JSContext as RawContext, NewFunctionByIdWithReserved, SetFunctionNativeReserved, Value,
};
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::native::{__native, Args};

/// What machine code leaves to Rust.
pub trait CodeCallee {
    /// A whole call.
    ///
    /// # Errors
    /// The exception that the call ends with.
    fn call<'s>(scope: &mut Scope<'s>, args: &Args<'s>, data: *mut c_void) -> JsResult<Local<'s>>;

    /// The end of a call that machine code has made, with the word that it gave.
    ///
    /// # Errors
    /// The exception that the call ends with.
    fn finish<'s>(scope: &mut Scope<'s>, word: u64, data: *mut c_void) -> JsResult<Local<'s>>;
}

/// Addresses that machine code jumps to with arguments as C has them. Both give 1, or 0 where an exception is pending.
#[derive(Debug, Clone, Copy)]
pub struct CodeEntries {
    /// `(context, number of arguments, the engine's slots, data)`: the three words that a native is called with, and the data.
    pub call: usize,
    /// `(context, the engine's slots, word, data)`
    pub finish: usize,
}

impl CodeEntries {
    /// Those of a callee.
    pub fn of<C: CodeCallee>() -> CodeEntries {
        CodeEntries { call: call::<C> as *const () as usize, finish: finish::<C> as *const () as usize }
    }
}

/// How values look that need no engine to be read or made. The slots of a call: the result goes to the first, arguments begin
/// with the third.
#[derive(Debug, Clone, Copy)]
pub struct ValueBits {
    /// Bits from this one on say what the value is.
    pub tag_shift: u8,
    /// That tag of integers; doubles have smaller ones.
    pub int32_tag: u32,
    pub boolean_tag: u32,
    pub object_tag: u32,
    /// Whole values, with the low half 0 of integers and booleans, and all bits but the tag's of objects.
    pub int32: u64,
    pub boolean: u64,
    /// The other bits of an object are its address.
    pub object: u64,
    pub undefined: u64,
    pub null: u64,
    /// The only NaN that may be a value.
    pub nan: u64,
}

const TAG_SHIFT: u8 = 47;

/// The engine's values on a machine of 64 bits.
pub fn value_bits() -> ValueBits {
    let int32 = mozjs::jsval::Int32Value(0).asBits_;
    let boolean = mozjs::jsval::BooleanValue(false).asBits_;
    // Only the bits are looked at.
    let nobody = std::ptr::dangling_mut::<mozjs::jsapi::JSObject>();
    let object = mozjs::jsval::ObjectValue(nobody).asBits_ ^ nobody.addr() as u64;
    ValueBits {
        tag_shift: TAG_SHIFT,
        int32_tag: (int32 >> TAG_SHIFT) as u32,
        boolean_tag: (boolean >> TAG_SHIFT) as u32,
        object_tag: (object >> TAG_SHIFT) as u32,
        int32,
        boolean,
        object,
        undefined: mozjs::jsval::UndefinedValue().asBits_,
        null: mozjs::jsval::NullValue().asBits_,
        nan: 0x7ff8_0000_0000_0000,
    }
}

unsafe extern "C" fn call<C: CodeCallee>(cx: *mut RawContext, argc: u32, vp: *mut Value, data: *mut c_void) -> bool {
    // SAFETY: the code of `code_function` jumps here with what the engine has called it with.
    unsafe { __native::call(cx, argc, vp, |scope, args| C::call(scope, &args, data)) }
}

unsafe extern "C" fn finish<C: CodeCallee>(cx: *mut RawContext, vp: *mut Value, word: u64, data: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { __native::call(cx, 0, vp, |scope, _| C::finish(scope, word, data)) }
}

impl<'s> Scope<'s> {
    /// A function of the machine code at `code`, which keeps `owner` alive as long as it lives.
    ///
    /// # Safety
    /// The code is a native of the engine by C's calling convention, and lives as long as `owner`.
    pub unsafe fn code_function(
        &mut self,
        name: Local<'_>,
        length: u32,
        code: *const c_void,
        owner: Local<'_>,
    ) -> JsResult<Local<'s>> {
        // SAFETY: rooted handles; the caller answers for the code.
        unsafe {
            rooted!(in(self.cx) let mut id: mozjs::jsapi::jsid);
            if !mozjs::jsapi::JS_ValueToId(self.cx, name.handle(), id.handle_mut().into()) {
                return Err(Exc::pending());
            }
            let native = std::mem::transmute::<
                *const c_void,
                unsafe extern "C" fn(*mut RawContext, u32, *mut Value) -> bool,
            >(code);
            let function = NewFunctionByIdWithReserved(self.cx, Some(native), length, 0, id.get());
            if function.is_null() {
                return Err(Exc::pending());
            }
            let object = JS_GetFunctionObject(function);
            let function = self.checked_object(object)?;
            SetFunctionNativeReserved(function.value().to_object(), 0, owner.handle().ptr);
            Ok(function)
        }
    }
}
