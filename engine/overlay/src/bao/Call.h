/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Calls of JavaScript by the embedding: callbacks of native code, of the loop, of
// addons.
//
// Part of builtin/Promise.cpp, which includes it once.

#ifndef bao_Call_h
#define bao_Call_h

#include "bao/Enter.h"

namespace bao {

// As Enter, with any number of arguments up to `MaxArguments`, of which `args` are
// the values.
static constexpr size_t MaxArguments = 8;

static js::jit::EnterJitStatus EnterWith(JSContext* cx, JSFunction* fun,
                                         const Value& thisv, size_t argc,
                                         const Value* args,
                                         MutableHandleValue rval) {
  using js::jit::EnterJitStatus;
  uint8_t* code = CodeOf(cx, fun);
  if (MOZ_UNLIKELY(!code)) {
    return EnterJitStatus::NotEntered;
  }
  AutoCheckRecursionLimit recursion(cx);
  if (!recursion.check(cx)) {
    return EnterJitStatus::Error;
  }

  // Plain words, which need no value to begin with, and few enough to be copied
  // without a call.
  uint64_t words[1 + MaxArguments];
  words[0] = thisv.asRawBits();
  switch (argc) {
    case 2:
      words[2] = args[1].asRawBits();
      [[fallthrough]];
    case 1:
      words[1] = args[0].asRawBits();
      [[fallthrough]];
    case 0:
      break;
    default:
      for (size_t i = 0; i < argc; i++) {
        words[1 + i] = args[i].asRawBits();
      }
  }
  return RunCode(cx, fun, code, argc, reinterpret_cast<Value*>(words), rval);
}

}  // namespace bao

// As JS::Call. Functions of the current realm that have machine code are entered
// without the layers in between.
extern "C" JS_PUBLIC_API bool BaoCall(JSContext* cx, JS::HandleValue thisv,
                                      JS::HandleValue callee, size_t argc,
                                      const JS::Value* args,
                                      JS::MutableHandleValue rval) {
  if (MOZ_LIKELY(argc <= bao::MaxArguments && callee.isObject() &&
                 callee.toObject().is<JSFunction>())) {
    JSFunction* fun = &callee.toObject().as<JSFunction>();
    if (MOZ_LIKELY(fun->hasBaseScript() && !fun->isClassConstructor() &&
                   fun->realm() == cx->realm())) {
      js::jit::EnterJitStatus status =
          bao::EnterWith(cx, fun, thisv, argc, args, rval);
      if (MOZ_LIKELY(status != js::jit::EnterJitStatus::NotEntered)) {
        return status == js::jit::EnterJitStatus::Ok;
      }
    }
  }
  // The caller has the arguments rooted.
  JS::HandleValueArray array =
      JS::HandleValueArray::fromMarkedLocation(argc, args);
  return JS::Call(cx, thisv, callee, array, rval);
}

#endif  // bao_Call_h
