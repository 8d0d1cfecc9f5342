/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// A generator whose frame an exception leaves is closed. The self-hosted
// function that resumes a generator does so too, but may have no frame
// (bao/Suspend.h).
//
// Part of jit/JitFrames.cpp.

#ifndef bao_Unwind_h
#define bao_Unwind_h

#include "jit/JSJitFrameIter.h"
#include "vm/EnvironmentObject.h"
#include "vm/GeneratorObject.h"

namespace bao {

static bool IsGenerator(JSScript* script) {
  return MOZ_UNLIKELY(script->isGenerator()) && !script->isAsync();
}

// The environment of a frame that may be a generator's, before it is unwound;
// null in those of other functions.
static JSObject* GeneratorEnvironment(const js::jit::JSJitFrameIter& frame) {
  return IsGenerator(frame.script())
             ? frame.baselineFrame()->environmentChain()
             : nullptr;
}

// The same of Ion's frames.
static JSObject* GeneratorEnvironment(
    const js::jit::InlineFrameIterator& frame) {
  if (!IsGenerator(frame.script())) {
    return nullptr;
  }
  js::jit::MaybeReadFallback fallback;
  return frame.environmentChain(fallback);
}

// Called when a frame has not handled what was thrown; `env` is its environment
// as above.
static void CloseUnwoundGenerator(JSContext* cx,
                                  const js::jit::JSJitFrameIter& frame,
                                  JSObject* env) {
  using namespace js;

  if (MOZ_LIKELY(!env) || !cx->isExceptionPending()) {
    return;
  }
  // A frame that has not made its environment yet has that of the function
  // around it, which may be another generator.
  Rooted<CallObject*> call(cx, CallObject::find(env));
  if (!call || &call->callee() != frame.callee()) {
    return;
  }
  AbstractGeneratorObject* genObj = GetGeneratorObjectForEnvironment(cx, call);
  if (genObj && genObj->isRunning()) {
    genObj->setClosed(cx);
  }
}

// The same for a function that is inlined in another one.
static void CloseUnwoundGenerator(JSContext* cx,
                                  const js::jit::InlineFrameIterator& frame) {
  using namespace js;

  JSObject* env = GeneratorEnvironment(frame);
  if (MOZ_LIKELY(!env) || !cx->isExceptionPending()) {
    return;
  }
  Rooted<CallObject*> call(cx, CallObject::find(env));
  if (!call || call->callee().nonLazyScript() != frame.script()) {
    return;
  }
  AbstractGeneratorObject* genObj = GetGeneratorObjectForEnvironment(cx, call);
  if (genObj && genObj->isRunning()) {
    genObj->setClosed(cx);
  }
}

}  // namespace bao

#endif  // bao_Unwind_h
