/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Steps of async generators: entry into their machine code, and the promise of
// `next()`.
//
// Part of vm/AsyncIteration.cpp, which includes it once.

#ifndef bao_AsyncGenerators_h
#define bao_AsyncGenerators_h

#include "bao/Enter.h"
#include "bao/Objects.h"
#include "vm/PlainObject-inl.h"

namespace bao {

// In builtin/Promise.cpp, with AsyncFunctions.h.
[[nodiscard]] bool Resolve(JSContext* cx, Handle<PromiseObject*> promise,
                           HandleValue value);

// Calls AsyncGeneratorNext, AsyncGeneratorThrow or AsyncGeneratorReturn, which
// `name` is. Same as CallSelfHostedFunction; the first is not looked up by name
// each time, and entered without the layers between C++ and machine code.
[[nodiscard]] static MOZ_ALWAYS_INLINE bool CallGenerator(
    JSContext* cx, Handle<PropertyName*> name, FixedInvokeArgs<1>& args,
    MutableHandleValue thisOrRval) {
  if (name != cx->names().AsyncGeneratorNext) {
    return CallSelfHostedFunction(cx, name, thisOrRval, args, thisOrRval);
  }
  Memo<JSFunction>& memo = memos.asyncGeneratorNext;
  if (MOZ_UNLIKELY(!memo.isValid(cx))) {
    RootedValue fun(cx);
    if (!GlobalObject::getIntrinsicValue(cx, cx->global(), name, &fun)) {
      return false;
    }
    JSFunction* next = &fun.toObject().as<JSFunction>();
    if (!js::gc::IsInsideNursery(next) && next->hasBytecode()) {
      memo.note(cx, next);
    }
    return Call(cx, fun, thisOrRval, args, thisOrRval);
  }
  switch (Enter<ArgumentsToResume>(cx, memo.get(), thisOrRval, args[0],
                                   thisOrRval)) {
    case js::jit::EnterJitStatus::Ok:
      return true;
    case js::jit::EnterJitStatus::NotEntered:
      return CallSelfHostedFunction(cx, name, thisOrRval, args, thisOrRval);
    case js::jit::EnterJitStatus::Error:
      break;
  }
  return false;
}

// The instruction at which a generator is suspended: JSOp::Await, JSOp::Yield
// or JSOp::InitialYield; JSOp::Nop if it runs or has ended. As isAfterYield and
// isAfterAwait.
static MOZ_ALWAYS_INLINE JSOp SuspendedAt(AsyncGeneratorObject* generator) {
  if (generator->isClosed() || generator->isRunning()) {
    return JSOp::Nop;
  }
  JSScript* script = generator->callee().nonLazyScript();
  uint32_t next = script->resumeOffsets()[generator->resumeIndex()];
  if (JSOp(script->code()[next]) != JSOp::AfterYield) {
    return JSOp::Nop;
  }
  return JSOp(script->code()[next - JSOpLength_Yield]);
}

// As CreateIterResultObject. Its template has two fixed slots.
static MOZ_ALWAYS_INLINE PlainObject* NewIterResult(JSContext* cx,
                                                    HandleValue value,
                                                    bool done) {
  Rooted<PlainObject*> shaped(
      cx, GlobalObject::getOrCreateIterResultTemplateObject(cx));
  if (!shaped) {
    return nullptr;
  }
  constexpr size_t count = 2;
  constexpr size_t size = sizeof(NativeObject) + count * sizeof(Value);
  PlainObject* result;
  if (NativeObject* obj = MOZ_LIKELY(shaped->numFixedSlots() == count)
                              ? NewInNursery<size, count, Slots::Undefined>(
                                    cx, shaped->sharedShape())
                              : nullptr) {
    result = static_cast<PlainObject*>(obj);
  } else {
    result = PlainObject::createWithTemplate(cx, shaped);
  }
  if (result) {
    result->initFixedSlot(GlobalObject::IterResultObjectValueSlot, value);
    result->initFixedSlot(GlobalObject::IterResultObjectDoneSlot,
                          BooleanValue(done));
  }
  return result;
}

}  // namespace bao

#endif  // bao_AsyncGenerators_h
