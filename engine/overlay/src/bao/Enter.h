/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Entry into machine code without the layers that any call from C++ passes.
//
// Part of builtin/Promise.cpp and of vm/AsyncIteration.cpp.

#ifndef bao_Enter_h
#define bao_Enter_h

#include "jit/CalleeToken.h"
#include "jit/Jit.h"
#include "jit/JitCommon.h"
#include "jit/JitRuntime.h"
#include "js/friend/StackLimits.h"
#include "vm/JitActivation.h"
#include "vm/Activation-inl.h"
#include "vm/JSScript-inl.h"

// In a frame of C++ that enters machine code: as the activation's own
// constructor and destructor, which are calls, and mostly find nothing to do.
MOZ_ALWAYS_INLINE js::jit::JitActivation::JitActivation(JSContext* cx, bao::Quick)
    : Activation(cx, Jit),
      packedExitFP_(nullptr),
      encodedWasmExitReason_(0),
      prevJitActivation_(cx->jitActivation),
      ionRecovery_(cx),
      bailoutData_(nullptr),
      lastProfilingFrame_(nullptr),
      lastProfilingCallSite_(nullptr) {
  cx->jitActivation = this;
  registerProfiling();
}

MOZ_ALWAYS_INLINE void js::jit::JitActivation::end() {
  if (MOZ_UNLIKELY(rematerializedFrames_ || wasmTrapCode_ ||
                   !ionRecovery_.empty() || ionRecovery_.capacity() > 1)) {
    this->~JitActivation();
    return;
  }
  unregisterProfiling();
  cx_->jitActivation = prevJitActivation_;
  this->Activation::~Activation();
}

namespace bao {

// How many arguments AsyncFunctionNext and AsyncGeneratorNext are given instead
// of one. A frame turns into that of the function that is resumed only if it has
// as many as that has parameters (EmitGuardCanResume in bao/Suspend.h).
static constexpr size_t ArgumentsToResume = 4;

// The machine code of a function of the current realm, or null: there is none, or
// it must not be used. As MaybeEnterJit, without the steps that look for code.
static MOZ_ALWAYS_INLINE uint8_t* CodeOf(JSContext* cx, JSFunction* fun) {
  if (MOZ_UNLIKELY(cx->realm()->isDebuggee() ||
                   cx->runtime()->geckoProfiler().enabled() ||
                   !fun->baseScript()->hasJitScript())) {
    return nullptr;
  }
  return fun->baseScript()->jitCodeRaw();
}

// Runs the machine code of a function. The code copies the arguments into its own
// frame before anything can collect. `argv` begins with the receiver.
static MOZ_ALWAYS_INLINE js::jit::EnterJitStatus RunCode(
    JSContext* cx, JSFunction* fun, uint8_t* code, size_t argc, Value* argv,
    MutableHandleValue rval) {
  using js::jit::EnterJitStatus;
  Value result = Int32Value(int32_t(argc));
  {
    union Storage {
      js::jit::JitActivation activation;
      explicit Storage(JSContext* cx) : activation(cx, Quick()) {}
      ~Storage() { activation.end(); }
    } storage(cx);
    js::jit::EnterJitCode enter = cx->runtime()->jitRuntime()->enterJit();
    CALL_GENERATED_CODE(enter, code, argc, argv + 1, /* osrFrame = */ nullptr,
                        js::jit::CalleeToToken(fun, /* constructing = */ false),
                        /* envChain = */ nullptr, /* osrNumStackValues = */ 0,
                        &result);
  }
  cx->runtime()->jitRuntime()->freeIonOsrTempData();
  if (MOZ_UNLIKELY(result.isMagic(JS_ION_ERROR))) {
    return EnterJitStatus::Error;
  }
  rval.set(result);
  return EnterJitStatus::Ok;
}

// Calls a function of the current realm by its machine code. NotEntered: it has
// none that may be used; nothing has happened. Arguments but the first are
// undefined.
template <size_t Argc>
static MOZ_ALWAYS_INLINE js::jit::EnterJitStatus Enter(
    JSContext* cx, JSFunction* fun, const Value& thisv, const Value& arg,
    MutableHandleValue rval) {
  using js::jit::EnterJitStatus;
  static_assert(Argc <= ArgumentsToResume);
  uint8_t* code = CodeOf(cx, fun);
  if (MOZ_UNLIKELY(!code)) {
    return EnterJitStatus::NotEntered;
  }
  AutoCheckRecursionLimit recursion(cx);
  if (!recursion.check(cx)) {
    return EnterJitStatus::Error;
  }
  Value argv[1 + (Argc > 1 ? Argc : 1)] = {thisv, arg};
  return RunCode(cx, fun, code, Argc, argv, rval);
}

}  // namespace bao

#endif  // bao_Enter_h
