//! Buffers, typed arrays and views. Bytes that an addon gets a pointer to lie outside of their objects.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::OpError;
use engine::foreign::ViewType;

use crate::env::{Env, Finalize, Handle, L, S, basic, handle, out, put, script, simple, value};
use crate::references::{Made, Owner, Reference, discard, new_reference};
use crate::status::{Fail, Outcome, Status};

/// `napi_typedarray_type`, in its order.
const TYPES: [ViewType; 12] = [
    ViewType::Int8,
    ViewType::Uint8,
    ViewType::Uint8Clamped,
    ViewType::Int16,
    ViewType::Uint16,
    ViewType::Int32,
    ViewType::Uint32,
    ViewType::Float32,
    ViewType::Float64,
    ViewType::BigInt64,
    ViewType::BigUint64,
    ViewType::Float16,
];

/// Where the bytes of a value are.
fn bytes_of(scope: &mut S, of: L) -> Result<(*mut c_void, usize), Fail> {
    let parts = scope.fixed_bytes(of)?.ok_or(Status::InvalidArg)?;
    Ok((parts.data.cast(), parts.length))
}

// --- ArrayBuffer ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_arraybuffer(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.is_array_buffer(of));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_api_is_sharedarraybuffer(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.is_shared_array_buffer(of));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_arraybuffer(
    env: *const Env,
    length: usize,
    data: *mut *mut c_void,
    result: *mut Handle,
) -> Status {
    script(env, |_, scope| {
        let result = out(result)?;
        let bytes = zeros(scope, length)?;
        let buffer = scope.array_buffer(bytes)?;
        if !data.is_null() {
            put(data, bytes_of(scope, buffer)?.0);
        }
        result.write(handle(buffer));
        Ok(())
    })
}

/// So many zero bytes.
fn zeros(scope: &mut S, length: usize) -> Result<Vec<u8>, Fail> {
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(length).is_err() {
        return Err(scope.throw_op_error(&OpError::range_error("Array buffer allocation failed")).into());
    }
    bytes.resize(length, 0);
    Ok(bytes)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_api_create_sharedarraybuffer(
    env: *const Env,
    length: usize,
    data: *mut *mut c_void,
    result: *mut Handle,
) -> Status {
    script(env, |_, scope| {
        let result = out(result)?;
        let buffer = scope.shared_array_buffer(length)?;
        if !data.is_null() {
            put(data, bytes_of(scope, buffer)?.0);
        }
        result.write(handle(buffer));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_arraybuffer_info(
    env: *const Env,
    of: Handle,
    data: *mut *mut c_void,
    length: *mut usize,
) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        if !scope.is_array_buffer(of) && !scope.is_shared_array_buffer(of) {
            return Err(Status::InvalidArg.into());
        }
        let (address, bytes) = bytes_of(scope, of)?;
        put(data, address);
        put(length, bytes);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_detach_arraybuffer(env: *const Env, of: Handle) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        if !of.is_object() {
            return Err(Status::ObjectExpected.into());
        }
        if !scope.is_array_buffer(of) {
            return Err(Status::ArraybufferExpected.into());
        }
        scope.detach(of).map_err(|exc| {
            scope.take_exception(exc);
            Fail::Status(Status::DetachableArraybufferExpected)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_detached_arraybuffer(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.is_detached(of));
        Ok(())
    })
}

// --- memory of the addon's ---

/// Memory of the addon's under an ArrayBuffer. Dropped on the JavaScript thread once the engine has no use for it.
struct Lent {
    data: *mut u8,
    length: usize,
    /// Its finalizer as a record of the environment, which may have ended before.
    record: *mut Reference,
    env: *const Env,
    is_ended: Arc<AtomicBool>,
}

impl AsMut<[u8]> for Lent {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: memory that the addon keeps until its finalizer is called.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.length) }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.record.is_null() && !self.is_ended.load(Ordering::Acquire) {
            // SAFETY: the environment has not ended, so neither it nor the record is freed.
            unsafe { crate::references::finalize_record_soon(&*self.env, self.record) };
        }
    }
}

/// An ArrayBuffer on memory of the addon's.
fn external_buffer(
    env: &Env,
    scope: &mut S,
    (data, length): (*mut c_void, usize),
    finalize: Option<Finalize>,
    hint: *mut c_void,
) -> Result<L, Fail> {
    let record = match finalize {
        Some(_) => new_reference(env, scope, None, Made::record(finalize, data, hint)),
        None => ptr::null_mut(),
    };
    if data.is_null() || length == 0 {
        // Nothing to lend: the finalizer goes with the object.
        if !record.is_null() {
            // SAFETY: just made.
            unsafe { discard(env, record) };
        }
        let buffer = scope.array_buffer(Vec::new())?;
        if finalize.is_some() {
            let made = Made { count: 0, owner: Owner::Runtime, finalize, data, hint };
            new_reference(env, scope, Some(buffer), made);
        }
        return Ok(buffer);
    }
    let is_ended = env.is_ended.clone();
    let lent = Lent { data: data.cast(), length, record, env, is_ended };
    Ok(scope.external_array_buffer(lent)?)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_external_arraybuffer(
    env: *const Env,
    data: *mut c_void,
    length: usize,
    finalize: Option<Finalize>,
    hint: *mut c_void,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let result = out(result)?;
        let buffer = external_buffer(env, scope, (data, length), finalize, hint)?;
        if data.is_null() {
            scope.detach(buffer)?;
        }
        result.write(handle(buffer));
        Ok(())
    })
}

// --- views ---

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_typedarray(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.view_type(of).is_some_and(|kind| kind != ViewType::DataView));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_dataview(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.view_type(of) == Some(ViewType::DataView));
        Ok(())
    })
}

fn throw_range(scope: &mut S, code: &str, message: &str) -> Fail {
    scope.throw_op_error(&OpError::range_error(message).code(code)).into()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_typedarray(
    env: *const Env,
    kind: u32,
    length: usize,
    buffer: Handle,
    offset: usize,
    result: *mut Handle,
) -> Status {
    script(env, |_, scope| {
        let buffer = value(buffer)?;
        let result = out(result)?;
        if !scope.is_array_buffer(buffer) && !scope.is_shared_array_buffer(buffer) {
            return Err(Status::InvalidArg.into());
        }
        let kind = *TYPES.get(kind as usize).ok_or(Status::InvalidArg)?;
        let size = kind.size();
        if size > 1 && !offset.is_multiple_of(size) {
            let message = format!("start offset of {} should be a multiple of {size}", kind.name());
            return Err(throw_range(scope, "ERR_NAPI_INVALID_TYPEDARRAY_ALIGNMENT", &message));
        }
        let (_, bytes) = bytes_of(scope, buffer)?;
        if length.checked_mul(size).and_then(|size| size.checked_add(offset)).is_none_or(|end| end > bytes) {
            return Err(throw_range(scope, "ERR_NAPI_INVALID_TYPEDARRAY_LENGTH", "Invalid typed array length"));
        }
        result.write(handle(scope.new_view(kind, buffer, offset, length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_dataview(
    env: *const Env,
    length: usize,
    buffer: Handle,
    offset: usize,
    result: *mut Handle,
) -> Status {
    script(env, |_, scope| {
        let buffer = value(buffer)?;
        let result = out(result)?;
        if !scope.is_array_buffer(buffer) && !scope.is_shared_array_buffer(buffer) {
            return Err(Status::InvalidArg.into());
        }
        let (_, bytes) = bytes_of(scope, buffer)?;
        if length.checked_add(offset).is_none_or(|end| end > bytes) {
            let message =
                "byte_offset + byte_length should be less than or equal to the size in bytes of the array passed in";
            return Err(throw_range(scope, "ERR_NAPI_INVALID_DATAVIEW_ARGS", message));
        }
        result.write(handle(scope.new_view(ViewType::DataView, buffer, offset, length)?));
        Ok(())
    })
}

/// Writes what is asked of a view: where its bytes are, the buffer under it, its offset.
fn view_parts(scope: &mut S, of: L, data: *mut *mut c_void, buffer: *mut Handle, offset: *mut usize) -> Outcome {
    if !data.is_null() {
        put(data, bytes_of(scope, of)?.0);
    }
    if !buffer.is_null() || !offset.is_null() {
        let (under, start) = scope.view_buffer(of)?;
        put(buffer, handle(under));
        put(offset, start);
    }
    Ok(())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_typedarray_info(
    env: *const Env,
    of: Handle,
    kind: *mut u32,
    length: *mut usize,
    data: *mut *mut c_void,
    buffer: *mut Handle,
    offset: *mut usize,
) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        let found = scope.view_type(of).ok_or(Status::InvalidArg)?;
        let number = TYPES.iter().position(|each| *each == found).ok_or(Status::InvalidArg)?;
        put(kind, number as u32);
        put(length, scope.view_length(of));
        view_parts(scope, of, data, buffer, offset)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_dataview_info(
    env: *const Env,
    of: Handle,
    length: *mut usize,
    data: *mut *mut c_void,
    buffer: *mut Handle,
    offset: *mut usize,
) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        if scope.view_type(of) != Some(ViewType::DataView) {
            return Err(Status::InvalidArg.into());
        }
        put(length, scope.view_length(of));
        view_parts(scope, of, data, buffer, offset)
    })
}

// --- Buffer ---

/// A `Buffer` on part of an ArrayBuffer.
fn buffer_on(env: &Env, scope: &mut S, under: L, offset: usize, length: usize) -> Result<L, Fail> {
    let view = scope.new_view(ViewType::Uint8, under, offset, length)?;
    let prototype = env.thread.buffer_prototype(scope)?;
    scope.set_prototype(view, prototype)?;
    Ok(view)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_buffer(
    env: *const Env,
    length: usize,
    data: *mut *mut c_void,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let result = out(result)?;
        let bytes = zeros(scope, length)?;
        let under = scope.array_buffer(bytes)?;
        let buffer = buffer_on(env, scope, under, 0, length)?;
        if !data.is_null() {
            put(data, bytes_of(scope, buffer)?.0);
        }
        result.write(handle(buffer));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_buffer_copy(
    env: *const Env,
    length: usize,
    from: *const c_void,
    data: *mut *mut c_void,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let result = out(result)?;
        let bytes = crate::objects::list(from.cast::<u8>(), length)?.to_vec();
        let under = scope.array_buffer(bytes)?;
        let buffer = buffer_on(env, scope, under, 0, length)?;
        if !data.is_null() {
            put(data, bytes_of(scope, buffer)?.0);
        }
        result.write(handle(buffer));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_create_external_buffer(
    env: *const Env,
    length: usize,
    data: *mut c_void,
    finalize: Option<Finalize>,
    hint: *mut c_void,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let result = out(result)?;
        let under = external_buffer(env, scope, (data, length), finalize, hint)?;
        let length = if data.is_null() { 0 } else { length };
        result.write(handle(buffer_on(env, scope, under, 0, length)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn node_api_create_buffer_from_arraybuffer(
    env: *const Env,
    under: Handle,
    offset: usize,
    length: usize,
    result: *mut Handle,
) -> Status {
    script(env, |env, scope| {
        let under = value(under)?;
        let result = out(result)?;
        if !scope.is_array_buffer(under) && !scope.is_shared_array_buffer(under) {
            return Err(Status::ArraybufferExpected.into());
        }
        let (_, bytes) = bytes_of(scope, under)?;
        if length.checked_add(offset).is_none_or(|end| end > bytes) {
            return Err(throw_range(scope, "ERR_OUT_OF_RANGE", "The byte offset + length is out of range"));
        }
        result.write(handle(buffer_on(env, scope, under, offset, length)?));
        Ok(())
    })
}

/// True for every view, as in Node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_is_buffer(env: *const Env, of: Handle, result: *mut bool) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        out(result)?.write(scope.view_type(of).is_some());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_get_buffer_info(
    env: *const Env,
    of: Handle,
    data: *mut *mut c_void,
    length: *mut usize,
) -> Status {
    simple(env, |_, scope| {
        let of = value(of)?;
        if scope.view_type(of).is_none() {
            return Err(Status::InvalidArg.into());
        }
        let (address, bytes) = bytes_of(scope, of)?;
        put(data, address);
        put(length, bytes);
        Ok(())
    })
}

/// `change`: bytes more, or less where negative, of memory that objects of the addon's keep.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_adjust_external_memory(env: *const Env, change: i64, result: *mut i64) -> Status {
    basic(env, |env| {
        let result = out(result)?;
        let before = env.external_bytes.get();
        let after = before.saturating_add(change).max(0);
        env.scope().adjust_external(after - before);
        env.external_bytes.set(after);
        result.write(after);
        Ok(())
    })
}
