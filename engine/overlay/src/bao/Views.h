/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Parts of byte arrays as new views, for Buffer.prototype.subarray and slice:
// made without a constructor, a lookup of its prototype and one of a shape.
//
// Part of vm/ArrayBufferObject.cpp.

#ifndef bao_Views_h
#define bao_Views_h

#include "bao/Bytes.h"
#include "bao/Objects.h"
#include "vm/TypedArrayObject.h"

namespace bao {

using js::ArrayBufferObject;
using js::ArrayBufferObjectMaybeShared;
using js::ArrayBufferViewObject;
using js::FixedLengthTypedArrayObject;
using js::NativeObject;
using js::SharedShape;

// A position in `length` bytes: negative ones count from the end, undefined is
// `absent`. False for values that have to be converted to a number.
static MOZ_ALWAYS_INLINE bool ClipPosition(const Value& position, size_t length,
                                           size_t absent, size_t* result) {
  if (MOZ_LIKELY(position.isInt32())) {
    int64_t number = position.toInt32();
    if (number < 0) {
      number = std::max<int64_t>(number + int64_t(length), 0);
    }
    *result = std::min(size_t(number), length);
    return true;
  }
  *result = absent;
  return position.isUndefined();
}

// The object as a buffer that keeps its length and has its bytes, or null.
static MOZ_ALWAYS_INLINE ArrayBufferObject* AsBuffer(const Value& value) {
  if (!value.isObject() ||
      !value.toObject().is<js::FixedLengthArrayBufferObject>()) {
    return nullptr;
  }
  auto* buffer = &value.toObject().as<ArrayBufferObject>();
  return buffer->isDetached() ? nullptr : buffer;
}

// A new view in the nursery, which its buffer does not know yet; null where that
// is not possible at once. `data` is the address of its first byte.
static MOZ_ALWAYS_INLINE FixedLengthTypedArrayObject* TryView(
    JSContext* cx, const Value& buffer, uint8_t* data, size_t offset,
    size_t length, SharedShape* shape) {
  constexpr size_t slots = FixedLengthTypedArrayObject::RESERVED_SLOTS;
  constexpr size_t size =
      sizeof(NativeObject) +
      js::gc::GetGCKindSlots(js::gc::GetGCObjectKind(slots)) * sizeof(Value);
  NativeObject* obj = TakeFromNursery(cx, shape, size);
  if (MOZ_UNLIKELY(!obj)) {
    return nullptr;
  }
  obj->setEmptyElements();
  Value* values = NurserySlots(obj);
  values[ArrayBufferViewObject::BUFFER_SLOT] = buffer;
  values[ArrayBufferViewObject::LENGTH_SLOT] = JS::PrivateValue(length);
  values[ArrayBufferViewObject::BYTEOFFSET_SLOT] = JS::PrivateValue(offset);
  values[ArrayBufferViewObject::DATA_SLOT] = JS::PrivateValue(data);
  return static_cast<FixedLengthTypedArrayObject*>(obj);
}

// The same for a part of an array of bytes that is not shared.
static MOZ_ALWAYS_INLINE FixedLengthTypedArrayObject* TryViewBytes(
    JSContext* cx, FixedLengthTypedArrayObject* source, size_t start,
    size_t length, SharedShape* shape) {
  if (MOZ_UNLIKELY(!source->hasBuffer() || source->isSharedMemory())) {
    return nullptr;
  }
  auto* data = static_cast<uint8_t*>(source->dataPointerUnshared());
  return TryView(cx, source->bufferValue(), data + start,
                 source->byteOffset() + start, length, shape);
}

// Gives undefined if the caller has to go the general way.
static bool ViewBytes(JSContext* cx, const JS::CallArgs& args) {
  args.rval().setUndefined();
  FixedLengthTypedArrayObject* source = AsBytes(args.get(0));
  FixedLengthTypedArrayObject* like = AsBytes(args.get(3));
  if (MOZ_UNLIKELY(!like || like->inDictionaryMode() || !like->empty())) {
    return true;
  }
  ArrayBufferObject* whole =
      source || !args.get(4).isTrue() ? nullptr : AsBuffer(args[0]);
  if (MOZ_UNLIKELY(source ? source->hasDetachedBuffer() : !whole)) {
    return true;
  }
  size_t size = source ? source->length() : whole->byteLength();
  size_t start, end;
  if (MOZ_UNLIKELY(!ClipPosition(args.get(1), size, 0, &start) ||
                   !ClipPosition(args.get(2), size, size, &end))) {
    return true;
  }
  size_t length = end > start ? end - start : 0;
  if (FixedLengthTypedArrayObject* view =
          source ? TryViewBytes(cx, source, start, length, like->sharedShape())
                 : TryView(cx, args[0], whole->dataPointer() + start, start,
                           length, like->sharedShape())) {
    args.rval().setObject(*view);
    return (source ? source->bufferUnshared() : whole)->addView(cx, view);
  }
  JS::Rooted<SharedShape*> shape(cx, like->sharedShape());
  JS::Rooted<ArrayBufferObjectMaybeShared*> buffer(cx, whole);
  if (source) {
    buffer = source->bufferEither();
  }
  if (MOZ_UNLIKELY(!buffer)) {
    JS::Rooted<ArrayBufferViewObject*> view(cx, source);
    buffer = ArrayBufferViewObject::ensureBufferObject(cx, view);
    if (!buffer) {
      return false;
    }
    // That may have moved it.
    source = AsBytes(args[0]);
  }
  size_t offset = (source ? source->byteOffset() : 0) + start;

  const JSClass* clasp = shape->getObjectClass();
  js::gc::AllocKind kind = js::gc::GetFinalizedAllocKindForClass(
      js::gc::GetGCObjectKind(clasp), clasp);
  js::AutoSetNewObjectMetadata metadata(cx);
  auto* view = NativeObject::create<FixedLengthTypedArrayObject>(
      cx, kind, js::gc::Heap::Default, shape);
  if (MOZ_UNLIKELY(!view || !view->init(cx, buffer, offset, length, 1))) {
    return false;
  }
  args.rval().setObject(*view);
  return true;
}

}  // namespace bao

// `viewBytes(source, start, end, like, takesBuffers)`: a view on the bytes of `source` from
// `start` to `end` with the prototype of `like`, an array of bytes without
// properties of its own; undefined if `source` is no array of bytes of a fixed
// length, or a position is neither an integer nor undefined. If `takesBuffers` is
// true, `source` may be a buffer of a fixed length, too.
// engine/src/buffer.rs makes it a function of built-in modules.
extern "C" JS_PUBLIC_API bool BaoViewBytes(JSContext* cx, unsigned argc,
                                           JS::Value* vp) {
  return bao::ViewBytes(cx, JS::CallArgsFromVp(argc, vp));
}

#endif  // bao_Views_h
