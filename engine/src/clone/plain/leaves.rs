//! Dates, ArrayBuffers and typed arrays in plain data ([`super`]).
//!
//! A date is its time; bytes are in the message if they are few, else in memory of their own that the reader hands to the buffer it
//! makes, if it is the only one. A typed array is its buffer, which may come again with another view, and where it lies in it;
//! one that has no buffer yet is its elements. Buffers that are shared, resizable or detached, and views on them, are the engine's.

use std::ptr;

use mozjs::jsapi::{
    JS, JS_GetArrayBufferViewBuffer, JS_GetTypedArrayByteOffset, JS_GetTypedArrayLength, JS_NewBigInt64ArrayWithBuffer,
    JS_NewBigUint64ArrayWithBuffer, JS_NewFloat16ArrayWithBuffer, JS_NewFloat32ArrayWithBuffer,
    JS_NewFloat64ArrayWithBuffer, JS_NewInt8ArrayWithBuffer, JS_NewInt16ArrayWithBuffer, JS_NewInt32ArrayWithBuffer,
    JS_NewUint8Array, JS_NewUint8ArrayWithBuffer, JS_NewUint8ClampedArrayWithBuffer, JS_NewUint16ArrayWithBuffer,
    JS_NewUint32ArrayWithBuffer, JSClass, JSContext as RawContext, JSObject,
};
use mozjs::rooted;

use crate::error::{Exc, JsResult};
use crate::handles::{Local, Scope};
use crate::object_layout::Raw;

use super::{AGAIN, INLINE_BYTES, Reader, Value, Writer, bytes_at, push_bytes, tagged};

/// A date: its time follows.
const DATE: u64 = 6;
/// An ArrayBuffer: its length; the bytes follow.
const BUFFER: u64 = 7;
/// An ArrayBuffer with bytes of their own: their number.
const BLOB: u64 = 8;
/// A typed array: its kind; its length, its offset and its buffer follow.
const VIEW: u64 = 9;
/// A typed array without a buffer: its kind; the number of its bytes and the bytes follow.
const ELEMENTS: u64 = 10;

type NewView = unsafe extern "C" fn(*mut RawContext, JS::Handle<*mut JSObject>, usize, i64) -> *mut JSObject;

/// Constructors of typed arrays and the sizes of their elements, in the order of the engine's `Scalar::Type`.
const VIEWS: [(NewView, usize); 12] = [
    (JS_NewInt8ArrayWithBuffer, 1),
    (JS_NewUint8ArrayWithBuffer, 1),
    (JS_NewInt16ArrayWithBuffer, 2),
    (JS_NewUint16ArrayWithBuffer, 2),
    (JS_NewInt32ArrayWithBuffer, 4),
    (JS_NewUint32ArrayWithBuffer, 4),
    (JS_NewFloat32ArrayWithBuffer, 4),
    (JS_NewFloat64ArrayWithBuffer, 8),
    (JS_NewUint8ClampedArrayWithBuffer, 1),
    (JS_NewBigInt64ArrayWithBuffer, 8),
    (JS_NewBigUint64ArrayWithBuffer, 8),
    (JS_NewFloat16ArrayWithBuffer, 2),
];

/// The place of `Uint8Array` in `VIEWS`.
const UINT8: usize = 1;

/// Typed arrays of so many bytes have them within the object and no buffer.
const WITHIN: usize = 96;

/// The slot of a typed array that holds its buffer, or `false` as long as it has none.
const BUFFER_SLOT: u32 = 0;

/// The classes of the objects that are written here.
#[derive(Clone, Copy)]
pub(super) struct LeafClasses {
    date: *const JSClass,
    buffer: *const JSClass,
    views: [*const JSClass; VIEWS.len()],
}

/// What an object of one of the classes is.
pub(super) enum Leaf {
    Date,
    Buffer,
    /// A typed array: the place of its kind in `VIEWS`.
    View(usize),
}

impl LeafClasses {
    pub(super) fn leaf(&self, class: *const JSClass) -> Option<Leaf> {
        if class == self.date {
            return Some(Leaf::Date);
        }
        if class == self.buffer {
            return Some(Leaf::Buffer);
        }
        self.views.iter().position(|view| *view == class).map(Leaf::View)
    }
}

/// What a view shows of a buffer.
pub(super) struct ViewPart<'s> {
    /// `None` if the elements lie within the object.
    pub(super) buffer: Option<Local<'s>>,
    pub(super) offset: usize,
    pub(super) length: usize,
}

unsafe extern "C" {
    /// The class of dates (js/src/vm/DateObject.h).
    #[link_name = "_ZN2js10DateObject6class_E"]
    static DATE_CLASS: JSClass;
}

impl<'s> Scope<'s> {
    /// The structured clone of a date in the current realm, without a message; `None` for everything else.
    pub fn clone_date(&mut self, value: Local<'_>) -> JsResult<Option<Local<'s>>> {
        let Some(object) = value.object() else { return Ok(None) };
        // SAFETY: a live object, and an address that is only compared.
        if unsafe { Raw::new(object).class() } != &raw const DATE_CLASS || self.may_have_clone_marks(value) {
            return Ok(None);
        }
        let time = self.date_time(value)?;
        self.new_date(time).map(Some)
    }

    /// The classes, read from samples; `None` if a typed array does not keep its buffer where it is looked for.
    pub(super) fn leaf_classes(&mut self) -> JsResult<Option<LeafClasses>> {
        self.nested(|scope| {
            // SAFETY: each object is rooted at once and live when its class is read.
            unsafe {
                let class = |object: Local<'_>| Raw::new(object.value().to_object()).class();
                let date = JS::NewDateObject(scope.cx, JS::ClippedTime { t: 0.0 });
                let date = class(scope.checked_object(date)?);
                let buffer = scope.array_buffer(vec![0; 8])?;
                rooted!(in(scope.cx) let raw = buffer.value().to_object());
                let mut views = [ptr::null(); VIEWS.len()];
                for (place, (new, size)) in VIEWS.iter().enumerate() {
                    let view = new(scope.cx, raw.handle().into(), 0, (8 / size) as i64);
                    let view = scope.checked_object(view)?;
                    views[place] = class(view);
                    let slot = Raw::new(view.value().to_object()).slot(BUFFER_SLOT);
                    if !slot.is_object() || slot.to_object() != raw.get() {
                        return Ok(None);
                    }
                }
                let small = JS_NewUint8Array(scope.cx, 8);
                let small = scope.checked_object(small)?;
                let slot = Raw::new(small.value().to_object()).slot(BUFFER_SLOT);
                let good = class(small) == views[UINT8] && slot.is_boolean() && !slot.to_boolean();
                Ok(good.then(|| LeafClasses { date, buffer: class(buffer), views }))
            }
        })
    }

    /// The time of a date in milliseconds since 1970, NaN for an invalid one.
    pub(super) fn date_time(&mut self, date: Local<'_>) -> JsResult<f64> {
        let mut time = 0.0;
        // SAFETY: a rooted date.
        let ok = unsafe {
            rooted!(in(self.cx) let date = date.value().to_object());
            mozjs::jsapi::js::DateGetMsecSinceEpoch(self.cx, date.handle().into(), &raw mut time)
        };
        if ok { Ok(time) } else { Err(Exc::pending()) }
    }

    /// Where a typed array lies in its buffer, which is made for one with many elements that has none.
    pub(super) fn view_part(&mut self, view: Local<'_>, kind: usize) -> JsResult<ViewPart<'s>> {
        // SAFETY: a live typed array of a class that `leaf_classes` has looked at; rooted where something may collect.
        unsafe {
            let object = view.value().to_object();
            let length = JS_GetTypedArrayLength(object);
            let offset = JS_GetTypedArrayByteOffset(object);
            let slot = Raw::new(object).slot(BUFFER_SLOT);
            let buffer = if slot.is_object() {
                Some(self.local_object(slot.to_object()))
            } else if length * VIEWS[kind].1 <= WITHIN {
                None
            } else {
                rooted!(in(self.cx) let object = object);
                let mut shared = false;
                let made = JS_GetArrayBufferViewBuffer(self.cx, object.handle().into(), &raw mut shared);
                Some(self.checked_object(made)?)
            };
            Ok(ViewPart { buffer, offset, length })
        }
    }

    /// Whether a buffer has its bytes still.
    pub(super) fn is_attached(&self, buffer: Local<'_>) -> bool {
        // SAFETY: a live ArrayBuffer; nothing collects.
        !unsafe { JS::IsDetachedArrayBufferObject(buffer.value().to_object()) }
    }

    /// A typed array on a buffer; `length` counts elements.
    pub(super) fn view_on(
        &mut self,
        kind: usize,
        buffer: Local<'_>,
        offset: usize,
        length: usize,
    ) -> JsResult<Local<'s>> {
        // SAFETY: a rooted buffer.
        let view = unsafe {
            rooted!(in(self.cx) let buffer = buffer.value().to_object());
            VIEWS[kind].0(self.cx, buffer.handle().into(), offset, length as i64)
        };
        self.checked_object(view)
    }

    /// A typed array of few bytes, with them in the object if it is a `Uint8Array`.
    pub(super) fn new_elements(&mut self, kind: usize, bytes: &[u8]) -> JsResult<Local<'s>> {
        if kind == UINT8 {
            return self.uint8_array(bytes.to_vec());
        }
        let buffer = self.array_buffer(bytes.to_vec())?;
        self.view_on(kind, buffer, 0, bytes.len() / VIEWS[kind].1)
    }
}

impl<'s> Writer<'s> {
    /// Writes a date or an object of bytes; false as [`Writer::other`] if it is neither, or one of those that are the engine's.
    pub(super) fn leaf(&mut self, scope: &mut Scope<'s>, object: Raw, value: Value) -> JsResult<bool> {
        if self.known.leaves.is_none() {
            let value = scope.local(value);
            self.known.leaves = Some(scope.leaf_classes()?);
            self.look_again();
            // SAFETY: live, read anew after a possible collection.
            return self.leaf(scope, unsafe { Raw::new(value.value().to_object()) }, value.value());
        }
        let Some(leaf) = self.known.leaves.flatten().and_then(|classes| classes.leaf(object.class())) else {
            return Ok(self.other(object));
        };
        let local = scope.local(value);
        match leaf {
            Leaf::Date => {
                let time = scope.date_time(local)?;
                self.known.words.extend([tagged(DATE, 0), time.to_bits()]);
            }
            Leaf::Buffer => {
                if !scope.is_attached(local) {
                    return Ok(self.other(object));
                }
                self.buffer(scope, local);
                return Ok(true);
            }
            Leaf::View(kind) => {
                let part = scope.view_part(local, kind)?;
                self.look_again();
                if part.buffer.is_none() {
                    self.elements(scope, local, kind);
                } else if !self.view(scope, kind, &part) {
                    // SAFETY: live, and nothing collects any more.
                    return Ok(self.other(unsafe { Raw::new(local.value().to_object()) }));
                }
            }
        }
        self.number(local);
        Ok(true)
    }

    fn elements(&mut self, scope: &mut Scope<'s>, view: Local<'s>, kind: usize) {
        let bytes = scope.bytes(view).unwrap_or_default();
        self.known.words.extend([tagged(ELEMENTS, kind), bytes.len() as u64]);
        push_bytes(&mut self.known.words, bytes.as_ptr(), bytes.len());
    }

    /// Writes a typed array up to its number; false if its buffer is the engine's.
    fn view(&mut self, scope: &mut Scope<'s>, kind: usize, part: &ViewPart<'s>) -> bool {
        let Some(buffer) = part.buffer else { return false };
        let address = buffer.value().to_object();
        // SAFETY: live, and nothing collects meanwhile.
        let class = unsafe { Raw::new(address) }.class();
        let is_ours =
            self.known.leaves.flatten().is_some_and(|classes| matches!(classes.leaf(class), Some(Leaf::Buffer)));
        if !is_ours || !scope.is_attached(buffer) {
            return false;
        }
        self.known.words.extend([tagged(VIEW, kind), part.length as u64, part.offset as u64]);
        match self.find(address as usize) {
            Some(number) => self.known.words.push(tagged(AGAIN, number)),
            None => self.buffer(scope, buffer),
        }
        true
    }

    fn buffer(&mut self, scope: &mut Scope<'s>, buffer: Local<'s>) {
        let bytes = scope.bytes(buffer).unwrap_or_default();
        if bytes.len() <= INLINE_BYTES {
            self.known.words.push(tagged(BUFFER, bytes.len()));
            push_bytes(&mut self.known.words, bytes.as_ptr(), bytes.len());
        } else {
            self.known.words.push(tagged(BLOB, self.blobs.len()));
            self.blobs.push(bytes.to_vec());
        }
        self.number(buffer);
    }
}

impl<'s> Reader<'s, '_> {
    /// So many bytes of the message.
    fn take_bytes(&mut self, count: usize) -> &[u8] {
        let data = bytes_at(&self.message.words, self.at, count);
        self.at += count.div_ceil(8);
        // SAFETY: within the message, as `bytes_at` has checked.
        unsafe { std::slice::from_raw_parts(data, count) }
    }

    /// A date or an object of bytes: nothing belongs to it that is read later.
    pub(super) fn leaf(&mut self, scope: &mut Scope<'s>, kind: u64, payload: usize) -> JsResult<Value> {
        let object = match kind {
            DATE => {
                let time = f64::from_bits(self.take());
                scope.new_date(time)?
            }
            BUFFER => {
                let bytes = self.take_bytes(payload).to_vec();
                scope.array_buffer(bytes)?
            }
            BLOB => {
                let bytes = match &mut self.own {
                    Some(own) => std::mem::take(&mut own[payload]),
                    None => self.message.blobs[payload].clone(),
                };
                scope.array_buffer(bytes)?
            }
            ELEMENTS => {
                let count = self.take() as usize;
                let bytes = self.take_bytes(count);
                scope.new_elements(payload, bytes)?
            }
            VIEW => {
                let (length, offset) = (self.take() as usize, self.take() as usize);
                let buffer = self.value(scope)?;
                let buffer = scope.local(buffer);
                scope.view_on(payload, buffer, offset, length)?
            }
            _ => unreachable!("a message has only the tags above"),
        };
        self.objects.push(object);
        Ok(object.value())
    }
}
