//! Buffers whose bytes C code keeps pointers to: they are outside of their objects, which move.

use std::ptr;

use mozjs::jsapi::{
    JS, JS_GetArrayBufferViewBuffer, JS_GetArrayBufferViewByteOffset, JS_GetArrayBufferViewType,
    JS_IsArrayBufferViewObject, JSObject,
};
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};

/// What the elements of a view are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewType {
    Int8,
    Uint8,
    Uint8Clamped,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Float16,
    Float32,
    Float64,
    BigInt64,
    BigUint64,
    DataView,
}

impl ViewType {
    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            ViewType::Int8 | ViewType::Uint8 | ViewType::Uint8Clamped | ViewType::DataView => 1,
            ViewType::Int16 | ViewType::Uint16 | ViewType::Float16 => 2,
            ViewType::Int32 | ViewType::Uint32 | ViewType::Float32 => 4,
            ViewType::Float64 | ViewType::BigInt64 | ViewType::BigUint64 => 8,
        }
    }

    /// The name of the constructor.
    pub fn name(self) -> &'static str {
        match self {
            ViewType::Int8 => "Int8Array",
            ViewType::Uint8 => "Uint8Array",
            ViewType::Uint8Clamped => "Uint8ClampedArray",
            ViewType::Int16 => "Int16Array",
            ViewType::Uint16 => "Uint16Array",
            ViewType::Int32 => "Int32Array",
            ViewType::Uint32 => "Uint32Array",
            ViewType::Float16 => "Float16Array",
            ViewType::Float32 => "Float32Array",
            ViewType::Float64 => "Float64Array",
            ViewType::BigInt64 => "BigInt64Array",
            ViewType::BigUint64 => "BigUint64Array",
            ViewType::DataView => "DataView",
        }
    }
}

/// Where the bytes of a buffer or view are. They stay there until the buffer is collected, detached or resized.
#[derive(Debug, Clone, Copy)]
pub struct BufferParts {
    /// Null where there are none.
    pub data: *mut u8,
    /// In bytes.
    pub length: usize,
}

impl<'s> Scope<'s> {
    /// Whether the value is an `ArrayBuffer`; `SharedArrayBuffer`s are not.
    pub fn is_array_buffer(&self, value: Local<'_>) -> bool {
        // SAFETY: a live object.
        value.object().is_some_and(|object| unsafe { JS::IsArrayBufferObject(object) })
    }

    /// Whether the value is a `SharedArrayBuffer`.
    pub fn is_shared_array_buffer(&self, value: Local<'_>) -> bool {
        // SAFETY: a live object.
        value.object().is_some_and(|object| unsafe { JS::IsSharedArrayBufferObject(object) })
    }

    /// What kind of view the value is; `None` for what is none.
    #[inline]
    pub fn view_type(&self, value: Local<'_>) -> Option<ViewType> {
        let object = value.object()?;
        // SAFETY: a live object.
        unsafe {
            if !JS_IsArrayBufferViewObject(object) {
                return None;
            }
            Some(match JS_GetArrayBufferViewType(object) {
                JS::Scalar::Type::Int8 => ViewType::Int8,
                JS::Scalar::Type::Uint8 => ViewType::Uint8,
                JS::Scalar::Type::Uint8Clamped => ViewType::Uint8Clamped,
                JS::Scalar::Type::Int16 => ViewType::Int16,
                JS::Scalar::Type::Uint16 => ViewType::Uint16,
                JS::Scalar::Type::Int32 => ViewType::Int32,
                JS::Scalar::Type::Uint32 => ViewType::Uint32,
                JS::Scalar::Type::Float16 => ViewType::Float16,
                JS::Scalar::Type::Float32 => ViewType::Float32,
                JS::Scalar::Type::Float64 => ViewType::Float64,
                JS::Scalar::Type::BigInt64 => ViewType::BigInt64,
                JS::Scalar::Type::BigUint64 => ViewType::BigUint64,
                _ => ViewType::DataView,
            })
        }
    }

    /// The bytes of a buffer or view, moved out of the object if they are in it; `None` for other values.
    #[inline]
    pub fn fixed_bytes(&mut self, value: Local<'_>) -> JsResult<Option<BufferParts>> {
        let Some(object) = value.object() else { return Ok(None) };
        let Some(slice) = self.buffer_slice(value) else { return Ok(None) };
        if slice.len == 0 {
            return Ok(Some(BufferParts { data: ptr::null_mut(), length: 0 }));
        }
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let object = object);
            if !JS::EnsureNonInlineArrayBufferOrView(self.cx, object.get()) {
                return Err(Exc::pending());
            }
        }
        Ok(self.buffer_slice(value).map(|slice| BufferParts { data: slice.data, length: slice.len }))
    }

    /// The buffer under a view and the view's offset in bytes.
    pub fn view_buffer(&mut self, view: Local<'_>) -> JsResult<(Local<'s>, usize)> {
        let object = self.expect_object(view)?;
        // SAFETY: rooted handles.
        unsafe {
            rooted!(in(self.cx) let object = object);
            let mut shared = false;
            let buffer = JS_GetArrayBufferViewBuffer(self.cx, object.handle().into(), &mut shared);
            let buffer = self.checked_object(buffer)?;
            Ok((buffer, JS_GetArrayBufferViewByteOffset(object.get())))
        }
    }

    /// Elements of a typed array, bytes of a DataView.
    pub fn view_length(&self, view: Local<'_>) -> usize {
        let size = self.view_type(view).map_or(1, ViewType::size);
        self.buffer_slice(view).map_or(0, |slice| slice.len / size)
    }

    /// `new Kind(buffer, offset, length)`
    pub fn new_view(&mut self, kind: ViewType, buffer: Local<'_>, offset: usize, length: usize) -> JsResult<Local<'s>> {
        let key = match kind {
            ViewType::Int8 => mozjs::jsapi::JSProtoKey::JSProto_Int8Array,
            ViewType::Uint8 => mozjs::jsapi::JSProtoKey::JSProto_Uint8Array,
            ViewType::Uint8Clamped => mozjs::jsapi::JSProtoKey::JSProto_Uint8ClampedArray,
            ViewType::Int16 => mozjs::jsapi::JSProtoKey::JSProto_Int16Array,
            ViewType::Uint16 => mozjs::jsapi::JSProtoKey::JSProto_Uint16Array,
            ViewType::Int32 => mozjs::jsapi::JSProtoKey::JSProto_Int32Array,
            ViewType::Uint32 => mozjs::jsapi::JSProtoKey::JSProto_Uint32Array,
            ViewType::Float16 => mozjs::jsapi::JSProtoKey::JSProto_Float16Array,
            ViewType::Float32 => mozjs::jsapi::JSProtoKey::JSProto_Float32Array,
            ViewType::Float64 => mozjs::jsapi::JSProtoKey::JSProto_Float64Array,
            ViewType::BigInt64 => mozjs::jsapi::JSProtoKey::JSProto_BigInt64Array,
            ViewType::BigUint64 => mozjs::jsapi::JSProtoKey::JSProto_BigUint64Array,
            ViewType::DataView => mozjs::jsapi::JSProtoKey::JSProto_DataView,
        };
        let constructor = self.class_object(key)?;
        let (offset, length) = (self.number(offset as f64), self.number(length as f64));
        self.construct(constructor, &[buffer, offset, length])
    }

    /// Takes an `ArrayBuffer`'s bytes away.
    pub fn detach(&mut self, buffer: Local<'_>) -> JsResult<()> {
        let object = self.expect_object(buffer)?;
        // SAFETY: a rooted handle.
        unsafe {
            rooted!(in(self.cx) let object = object);
            if JS::DetachArrayBuffer(self.cx, object.handle().into()) { Ok(()) } else { Err(Exc::pending()) }
        }
    }

    /// Whether an `ArrayBuffer`'s bytes have been taken away.
    pub fn is_detached(&self, buffer: Local<'_>) -> bool {
        // SAFETY: a live ArrayBuffer.
        self.is_array_buffer(buffer)
            && buffer.object().is_some_and(|object: *mut JSObject| unsafe { JS::IsDetachedArrayBufferObject(object) })
    }
}
