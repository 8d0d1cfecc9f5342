//! Memory by address: where the bytes of buffers are, texts, buffers on memory of C's, and the functions of `read`.

use std::ffi::c_void;

use engine::{Args, JsResult, Local, OpError, Scope, op};

use crate::function::{Record, Wanted, make};
use crate::thread::{Thread, null_read};
use crate::types::{Kind, Signature};
use crate::values::{at, invalid, passed_address, pointer, text_at};

/// Nothing is mapped below.
const FIRST_PAGE: u64 = 4096;

/// The address of a buffer's or a view's bytes. It holds until the buffer is collected, detached or resized: small buffers, which the engine keeps
/// in their objects and moves, are moved out of them for good.
///
/// # Errors
/// A TypeError for other values, for empty ones, and for an offset outside.
#[op(ts(returns = "number | bigint"))]
pub(crate) fn ptr<'s>(scope: &mut Scope<'s>, view: Local<'s>, offset: Local<'s>) -> JsResult<Local<'s>> {
    let Some(parts) = scope.fixed_bytes(view)? else {
        let shown = scope.display(view);
        return Err(scope.throw_op_error(&invalid(format!("Expected ArrayBufferView but received {shown}"))));
    };
    if parts.length == 0 {
        let message = "ArrayBufferView must have a length > 0. A pointer to empty memory doesn't work";
        return Err(scope.throw_op_error(&invalid(message)));
    }
    let mut address = parts.data as u64;
    if !offset.is_nullish() {
        let Some(number) = offset.as_number() else {
            return Err(scope.throw_op_error(&invalid("Expected number for byteOffset")));
        };
        let number = if number.is_nan() { 0.0 } else { number.trunc() };
        if number < 0.0 || number > parts.length as f64 {
            return Err(scope.throw_op_error(&invalid("byteOffset out of bounds")));
        }
        address += number as u64;
    }
    pointer(scope, address)
}

/// Where a part of memory begins, and how long it is if that was said.
struct Part {
    address: u64,
    length: Option<usize>,
}

/// Reads an address, an offset to add to it and a length; the address is not 0.
fn part(scope: &Scope<'_>, address: Local<'_>, offset: Local<'_>, length: Local<'_>) -> Result<Part, OpError> {
    let mut start = passed_address(scope, address).ok_or_else(|| invalid("ptr must be a number."))?;
    if start == 0 {
        return Err(invalid("ptr cannot be zero, that would segfault Bun :("));
    }
    if !offset.is_nullish() {
        let offset = offset.as_number().ok_or_else(|| invalid("Expected number for byteOffset"))?;
        start = start.wrapping_add(offset as i64 as u64);
    }
    if start < FIRST_PAGE {
        return Err(invalid("ptr to invalid memory, that would segfault Bun :("));
    }
    let mut part = Part { address: start, length: None };
    if !length.is_nullish() {
        let length = length.as_number().filter(|&length| length >= 1.0);
        let length = length.ok_or_else(|| invalid("length must be > 0. This usually means a bug in your code."))?;
        if length > 0x0001_ffff_ffff_ffff_u64 as f64 {
            return Err(OpError::range_error("Out of memory"));
        }
        part.length = Some(length as usize);
    }
    Ok(part)
}

/// Text in memory as a string: up to its zero, or of that many bytes. Empty for null.
///
/// # Errors
/// A TypeError for what is no address.
#[op(ts(returns = "string"))]
pub(crate) fn text<'s>(
    scope: &mut Scope<'s>,
    address: Local<'s>,
    offset: Local<'s>,
    length: Local<'s>,
) -> JsResult<Local<'s>> {
    if address.is_nullish() || passed_address(scope, address) == Some(0) {
        return scope.string("");
    }
    let part = match part(scope, address, offset, length) {
        Ok(part) => part,
        Err(error) => return Err(scope.throw_op_error(&error)),
    };
    // SAFETY: the program says that the memory is there.
    let bytes = unsafe {
        match part.length {
            Some(length) => std::slice::from_raw_parts(at(part.address).cast::<u8>(), length),
            None => text_at(part.address),
        }
    };
    scope.string_lossy(bytes)
}

type Deallocator = unsafe extern "C" fn(bytes: *mut c_void, context: *mut c_void);

/// Memory of C's that a buffer shows.
struct Foreign {
    start: *mut u8,
    length: usize,
    /// Called when the buffer is gone.
    deallocator: Option<Deallocator>,
    context: *mut c_void,
}

impl AsMut<[u8]> for Foreign {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: the program says that the memory is there; the buffer only takes the address and the length.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(deallocator) = self.deallocator {
            // SAFETY: the program's own function for this memory.
            unsafe { deallocator(self.start.cast(), self.context) };
        }
    }
}

/// An `ArrayBuffer` on C's memory, without a copy: up to the first zero, or of that many bytes. A deallocator is the address of a C function that
/// is called with the memory and `context` when the buffer is gone; alone, it may stand in the place of the context.
///
/// # Errors
/// A TypeError for what is no address.
#[op(ts(returns = "ArrayBuffer"))]
pub(crate) fn array_buffer<'s>(
    scope: &mut Scope<'s>,
    address: Local<'s>,
    offset: Local<'s>,
    length: Local<'s>,
    context: Local<'s>,
    deallocator: Local<'s>,
) -> JsResult<Local<'s>> {
    match foreign(scope, address, offset, length, context, deallocator) {
        Ok(memory) => scope.external_array_buffer(memory),
        Err(error) => Err(scope.throw_op_error(&error)),
    }
}

fn foreign(
    scope: &Scope<'_>,
    address: Local<'_>,
    offset: Local<'_>,
    length: Local<'_>,
    context: Local<'_>,
    deallocator: Local<'_>,
) -> Result<Foreign, OpError> {
    let part = part(scope, address, offset, length)?;
    let callback = |value: Local<'_>| {
        if value.is_nullish() {
            return Ok(0);
        }
        let wrong = || invalid("Expected callback to be a C pointer (number or BigInt)");
        passed_address(scope, value).ok_or_else(wrong)
    };
    let (context, deallocator) = (callback(context)?, callback(deallocator)?);
    let (context, deallocator) = if deallocator == 0 { (0, context) } else { (context, deallocator) };
    let length = match part.length {
        Some(length) => length,
        // SAFETY: the program says that a text is there.
        None => unsafe { text_at(part.address).len() },
    };
    let deallocator = (deallocator >= FIRST_PAGE).then(|| {
        // SAFETY: the program says that this function is there.
        unsafe { std::mem::transmute::<*mut c_void, Deallocator>(at(deallocator)) }
    });
    Ok(Foreign { start: at(part.address).cast(), length, deallocator, context: at(context) })
}

macro_rules! readers {
    ($($function:ident $name:literal $type:ty => $out:ty, $kind:expr;)*) => {
        $(
            extern "C" fn $function(address: u64, offset: u64) -> $out {
                let address = address.wrapping_add(offset);
                if address < FIRST_PAGE {
                    null_read();
                    return Default::default();
                }
                // SAFETY: the program says that the memory is there.
                unsafe { at(address).cast::<$type>().read_unaligned() as $out }
            }
        )*
        /// Names, functions and results of `read`.
        const READERS: &[(&str, *const (), Kind)] = &[$(($name, $function as *const (), $kind)),*];
    };
}

readers! {
    read_u8 "u8" u8 => u8, Kind::U8;
    read_u16 "u16" u16 => u16, Kind::U16;
    read_u32 "u32" u32 => u32, Kind::U32;
    read_ptr "ptr" u64 => f64, Kind::F64;
    read_i8 "i8" i8 => i8, Kind::I8;
    read_i16 "i16" i16 => i16, Kind::I16;
    read_i32 "i32" i32 => i32, Kind::I32;
    read_i64 "i64" i64 => i64, Kind::I64;
    read_u64 "u64" u64 => u64, Kind::U64;
    read_intptr "intptr" i64 => f64, Kind::F64;
    read_f32 "f32" f32 => f32, Kind::F32;
    read_f64 "f64" f64 => f64, Kind::F64;
}

/// The functions of `read` in the order of Bun's object: called with an address and an offset in bytes, they give what is there.
///
/// # Errors
/// An error of the system where it gives no memory for code.
#[op(ts(returns = "((address: unknown, offset?: unknown) => unknown)[]"))]
pub(crate) fn readers<'s>(scope: &mut Scope<'s>) -> JsResult<Local<'s>> {
    let thread = Thread::of(scope);
    let wanted = READERS.iter().map(|&(name, target, returns)| Wanted {
        name: name.to_owned(),
        target,
        signature: Signature { args: [Kind::I64, Kind::I64].into(), returns },
        is_read: true,
    });
    let (functions, _) = make(scope, &thread, None, wanted.collect())?;
    scope.new_array(&functions)
}

/// A call of one of `read` with other arguments than two numbers.
pub(crate) fn read_slowly<'s>(scope: &mut Scope<'s>, args: &Args<'s>, record: &Record) -> JsResult<Local<'s>> {
    let (address, offset) = (args.get(scope, 0), args.get(scope, 1));
    let Some(start) = passed_address(scope, address) else {
        return Err(scope.throw_op_error(&invalid("Expected a pointer")));
    };
    let offset = match offset.as_number() {
        Some(number) => number as i64 as u64,
        None if offset.is_nullish() => 0,
        None => return Err(scope.throw_op_error(&invalid("Expected number for byteOffset"))),
    };
    let mut frame = crate::abi::Frame::default();
    frame.push(Kind::U64, start);
    frame.push(Kind::U64, offset);
    // SAFETY: one of the functions above.
    let word = unsafe { frame.call(record.target.get(), record.signature.returns) };
    record.thread.check(scope)?;
    crate::values::from_word(scope, word, record.signature.returns)
}
