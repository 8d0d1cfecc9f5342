/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The functions of Bytes.h as they are called where machine code does not do
// what they do. engine/src/buffer.rs makes them functions of built-in modules.
//
// Part of jit/CacheIR.cpp.

#ifndef bao_ByteNatives_h
#define bao_ByteNatives_h

#include "bao/Bytes.h"

extern "C" JS_PUBLIC_API bool BaoIsBytes(JSContext* cx, unsigned argc,
                                         JS::Value* vp) {
  JS::CallArgs args = JS::CallArgsFromVp(argc, vp);
  args.rval().setBoolean(bao::AsBytes(args.get(0)));
  return true;
}

extern "C" JS_PUBLIC_API bool BaoNewBytes(JSContext* cx, unsigned argc,
                                          JS::Value* vp) {
  JS::CallArgs args = JS::CallArgsFromVp(argc, vp);
  args.rval().setUndefined();
  if (!args.get(0).isInt32() || args[0].toInt32() < 0 ||
      !bao::AsBytes(args.get(1))) {
    return true;
  }
  JS::Rooted<JSObject*> like(cx, &args[1].toObject());
  JSObject* bytes =
      js::NewTypedArrayWithTemplateAndLength(cx, like, args[0].toInt32());
  if (!bytes) {
    return false;
  }
  args.rval().setObject(*bytes);
  return true;
}

#endif  // bao_ByteNatives_h
