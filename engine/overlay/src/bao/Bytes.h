/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Arrays of bytes that keep their length, which Buffers are: what tells them and
// what makes them. Machine code does both in place: see patches/byte-arrays.patch.
//
// The functions are part of jit/CacheIR.cpp.

#ifndef bao_Bytes_h
#define bao_Bytes_h

#include "vm/TypedArrayObject.h"

namespace bao {

static inline const JSClass* BytesClass() {
  return &js::TypedArrayObject::fixedLengthClasses[JS::Scalar::Uint8];
}

// The object as an array of bytes that keeps its length, or null.
static MOZ_ALWAYS_INLINE js::FixedLengthTypedArrayObject* AsBytes(
    const JS::Value& value) {
  if (!value.isObject() || value.toObject().getClass() != BytesClass()) {
    return nullptr;
  }
  return &value.toObject().as<js::FixedLengthTypedArrayObject>();
}

}  // namespace bao

// `isBytes(value)`: whether the value is a Uint8Array of any realm whose length
// stays, whatever its prototype.
extern "C" JS_PUBLIC_API bool BaoIsBytes(JSContext* cx, unsigned argc,
                                         JS::Value* vp);

// `newBytes(size, like)`: `size` bytes that are zero, with the prototype of `like`,
// which is an array of bytes; undefined if `size` is no integer of 31 bits, or
// `like` something else. Ends with a RangeError if there are not so many.
extern "C" JS_PUBLIC_API bool BaoNewBytes(JSContext* cx, unsigned argc,
                                          JS::Value* vp);

#endif  // bao_Bytes_h
