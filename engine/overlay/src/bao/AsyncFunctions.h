/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Calls of async functions: the objects that one needs, its end, its awaits,
// and the test whether an await can go on at once.
//
// Part of builtin/Promise.cpp, which includes it once.

#ifndef bao_AsyncFunctions_h
#define bao_AsyncFunctions_h

#include "bao/AsyncCalls.h"

namespace bao {

// A promise that nobody looks on. The caller sets its flags or, if it has linked
// resolving functions, its reject function.
static MOZ_ALWAYS_INLINE PromiseObject* NewPromiseWithoutFlags(JSContext* cx) {
  PromiseObject* promise =
      NewObject<PromiseObject, ::PromiseSlots>(cx, memos.promise);
  if (MOZ_LIKELY(promise)) {
    promise->initFixedSlot(PromiseSlot_Flags, Int32Value(0));
  }
  return promise;
}

// A promise without resolving functions, or with unlinked ones (Constructor.h).
static MOZ_ALWAYS_INLINE PromiseObject* NewPromise(JSContext* cx,
                                                   int32_t extraFlags) {
  PromiseObject* promise = NewPromiseWithoutFlags(cx);
  if (MOZ_LIKELY(promise)) {
    promise->initFixedSlot(
        PromiseSlot_Flags,
        Int32Value(PROMISE_FLAG_DEFAULT_RESOLVING_FUNCTIONS | extraFlags));
  }
  return promise;
}

// Fulfills a pending promise of the current realm with a value that has no
// `then` (a primitive, or a plain object), if at most one reaction of this realm
// waits for it and nobody looks on. Returns false if it did nothing; else `*ok`
// says whether the job could be queued: if not, nothing else has happened. Never
// collects.
//
// Same as ResolvePromiseInternal, FulfillMaybeWrappedPromise and
// TriggerPromiseReactions for this case: CanUseSameRealmEnqueue holds for the
// reaction.
static MOZ_ALWAYS_INLINE bool TryFulfill(JSContext* cx, PromiseObject* promise,
                                         const Value& value, bool* ok) {
  int32_t flags = promise->flags();
  if ((flags & PROMISE_FLAG_RESOLVED) || IsObserved(cx) ||
      promise->realm() != cx->realm() ||
      !promise->getFixedSlot(PromiseSlot_DebugInfo).isUndefined() ||
      (value.isObject() && !IsWithoutThen(cx, &value.toObject()))) {
    return false;
  }
  Value reactions = promise->reactions();
  PromiseReactionRecord* reaction = nullptr;
  if (!reactions.isUndefined()) {
    JSObject* obj = &reactions.toObject();
    if (!obj->is<PromiseReactionRecord>()) {
      return false;
    }
    reaction = &obj->as<PromiseReactionRecord>();
    if (reaction->realm() != cx->realm()) {
      return false;
    }
    if (!reaction->isAsyncFunction()) {
      JSObject* derived = reaction->promise();
      if (derived && (!derived->is<PromiseObject>() ||
                      derived->as<PromiseObject>().allocationSite())) {
        return false;
      }
      Value handler = reaction->targetStateHandler(JS::PromiseState::Fulfilled);
      if (handler.isObject() &&
          !(handler.toObject().is<JSFunction>() &&
            handler.toObject().as<JSFunction>().realm() == cx->realm())) {
        return false;
      }
    }
  }

  *ok = !reaction || Reactions::enqueue(cx, reaction);
  if (MOZ_UNLIKELY(!*ok)) {
    return true;
  }
  flags |= PROMISE_FLAG_RESOLVED | PROMISE_FLAG_FULFILLED;
  if (js::gc::IsInsideNursery(promise)) {
    Value* slots = NurserySlots(promise);
    slots[PromiseSlot_Flags] = Int32Value(flags);
    slots[PromiseSlot_ReactionsOrResult] = value;
    slots[PromiseSlot_RejectFunction] = UndefinedValue();
  } else {
    Store(promise, PromiseSlot_ReactionsOrResult, value);
    promise->setNeverGCThingFixedSlot(PromiseSlot_Flags, Int32Value(flags));
    Store(promise, PromiseSlot_RejectFunction, UndefinedValue());
  }
  if (reaction) {
    Reactions::settle(cx, reaction, JS::PromiseState::Fulfilled, value);
  }
  return true;
}

// As ResolvePromiseInternal, for a promise that is pending.
[[nodiscard]] bool Resolve(JSContext* cx, Handle<PromiseObject*> promise,
                           HandleValue value) {
  bool ok;
  if (MOZ_LIKELY(TryFulfill(cx, promise, value, &ok))) {
    return ok;
  }
  return ResolvePromiseInternal(cx, promise, value);
}

// Await of a primitive value, or of a promise of this realm whose `then` and
// `constructor` are the engine's: without a promise for the value, and with
// one pass over the reaction record. `*done` is false if the caller has to
// await in the usual way. Without `canCollect` that is so, too, where something
// would have to be allocated outside of the nursery, or the embedding to hear of
// it; what fails has done nothing then.
template <bool canCollect = true>
[[nodiscard]] static MOZ_ALWAYS_INLINE bool TryAwait(
    JSContext* cx, Handle<JSObject*> generator, uint32_t kind,
    PromiseHandler onFulfilled, PromiseHandler onRejected, HandleValue value,
    bool* done) {
  *done = false;
  if (MOZ_UNLIKELY(IsObserved(cx))) {
    return true;
  }
  Reactions::Fields awaited = {
      .kind = kind,
      .onFulfilled = Int32Value(int32_t(onFulfilled)),
      .onRejected = Int32Value(int32_t(onRejected)),
      .state = JS::PromiseState::Fulfilled};
  // A second reaction, or a rejection that the embedding has to hear of.
  bool isSpecial = false;
  if (value.isObject()) {
    JSObject* obj = &value.toObject();
    if (!obj->is<PromiseObject>() || obj->nonCCWRealm() != cx->realm() ||
        !IsPromiseWithDefaultProperties(&obj->as<PromiseObject>(), cx)) {
      return true;
    }
    PromiseObject* promise = &obj->as<PromiseObject>();
    awaited.state = promise->state();
    if (awaited.state == JS::PromiseState::Pending) {
      isSpecial = !promise->reactions().isUndefined();
    } else if (awaited.state == JS::PromiseState::Rejected &&
               !(promise->flags() & PROMISE_FLAG_HANDLED)) {
      isSpecial = true;
      awaited.state = JS::PromiseState::Pending;
    }
    if (!canCollect && isSpecial) {
      return true;
    }
  }

  auto* record = Reactions::takeRunning(generator);
  if (!record) {
    record = canCollect ? Reactions::create<Slots::Unset>(cx)
                        : Reactions::tryCreate<Slots::Unset>(cx);
  }
  if (MOZ_UNLIKELY(!record)) {
    return !canCollect;
  }
  *done = true;
  awaited.generator = ObjectValue(*generator);

  if (!value.isObject()) {
    awaited.result = value;
    Reactions::init(cx, record, awaited);
    return Reactions::enqueue(cx, record);
  }

  PromiseObject* promise = &value.toObject().as<PromiseObject>();
  bool isHandled = promise->flags() & PROMISE_FLAG_HANDLED;
  if (awaited.state == JS::PromiseState::Pending) {
    Reactions::init(cx, record, awaited);
    if (!isSpecial) {
      Store(promise, PromiseSlot_ReactionsOrResult, ObjectValue(*record));
      if (!isHandled) {
        promise->setHandled();
      }
      return true;
    }
    Rooted<PromiseReactionRecord*> rootedRecord(cx, record);
    Rooted<PromiseObject*> rootedPromise(cx, promise);
    return PerformPromiseThenWithReaction(cx, rootedPromise, rootedRecord);
  }
  awaited.result = promise->valueOrReason();
  Reactions::init(cx, record, awaited);
  if (MOZ_UNLIKELY(!Reactions::enqueue(cx, record))) {
    return false;
  }
  if (!isHandled) {
    promise->setHandled();
  }
  return true;
}

// Whether a promise of this realm, on which nobody looks, can take a reaction in
// one pass: it has none yet, or is settled, handled if it was rejected, and the
// handler that is to be called is a function of this realm, if it is one.
static MOZ_ALWAYS_INLINE bool CanTakeReaction(JSContext* cx,
                                              PromiseObject* promise,
                                              const Value& onFulfilled,
                                              const Value& onRejected) {
  int32_t flags = promise->flags();
  if (!(flags & PROMISE_FLAG_RESOLVED)) {
    return promise->reactions().isUndefined();
  }
  bool isFulfilled = flags & PROMISE_FLAG_FULFILLED;
  const Value& handler = isFulfilled ? onFulfilled : onRejected;
  if (handler.isObject() && IsCallable(handler) &&
      !(handler.toObject().is<JSFunction>() &&
        handler.toObject().as<JSFunction>().realm() == cx->realm())) {
    return false;
  }
  return bool(isFulfilled | bool(flags & PROMISE_FLAG_HANDLED));
}

// Gives a promise for which CanTakeReaction holds its reaction: a new record. A
// job is queued if it is settled; false, and nothing has happened, if there was no
// memory for that.
static MOZ_ALWAYS_INLINE bool TakeReaction(JSContext* cx,
                                           PromiseObject* promise,
                                           PromiseReactionRecord* record,
                                           const Value& onFulfilled,
                                           const Value& onRejected,
                                           JSObject* derived) {
  JS::PromiseState state = promise->state();
  auto handlerOr = [](const Value& handler, PromiseHandler none) {
    return IsCallable(handler) ? handler : Int32Value(int32_t(none));
  };
  Reactions::Fields fields = {
      .promise = ObjectOrNullValue(derived),
      .onFulfilled = handlerOr(onFulfilled, PromiseHandler::Identity),
      .onRejected = handlerOr(onRejected, PromiseHandler::Thrower),
      .state = state};
  if (state != JS::PromiseState::Pending) {
    fields.result = promise->valueOrReason();
  }
  Reactions::init(cx, record, fields);
  if (state != JS::PromiseState::Pending &&
      MOZ_UNLIKELY(!Reactions::enqueue(cx, record))) {
    return false;
  }
  if (!(promise->flags() & PROMISE_FLAG_HANDLED)) {
    promise->setHandled();
  }
  if (state == JS::PromiseState::Pending) {
    Store(promise, PromiseSlot_ReactionsOrResult, ObjectValue(*record));
  }
  return true;
}

// PerformPromiseThen for a promise of this realm, with `derived` for the result,
// or null. `*done` is false if the caller has to do it in the usual way: a second
// reaction, a rejection that the embedding has to hear of, a handler that is no
// function of this realm, or a `derived` that is no promise of the engine.
[[nodiscard]] static MOZ_ALWAYS_INLINE bool TryThen(
    JSContext* cx, Handle<PromiseObject*> promise, HandleValue onFulfilled,
    HandleValue onRejected, HandleObject derived, bool* done) {
  *done = false;
  if (MOZ_UNLIKELY(IsObserved(cx) || promise->realm() != cx->realm() ||
                   (derived && !derived->is<PromiseObject>()) ||
                   !CanTakeReaction(cx, promise, onFulfilled, onRejected))) {
    return true;
  }
  auto* record = Reactions::create<Slots::Unset>(cx);
  if (!record) {
    return false;
  }
  *done = true;
  return TakeReaction(cx, promise, record, onFulfilled, onRejected, derived);
}

// Promise.prototype.then of a promise of this realm whose `then` and
// `constructor` are the engine's: gives the new promise, or null, and has done
// nothing, if that would need to collect or is another case. Never collects.
static MOZ_ALWAYS_INLINE PromiseObject* TryOriginalThen(
    JSContext* cx, const Value& thisv, const Value& onFulfilled,
    const Value& onRejected) {
  constexpr int32_t interaction =
      PROMISE_FLAG_REQUIRES_USER_INTERACTION_HANDLING |
      PROMISE_FLAG_HAD_USER_INTERACTION_UPON_CREATION;
  if (!thisv.isObject() || !thisv.toObject().is<PromiseObject>()) {
    return nullptr;
  }
  PromiseObject* promise = &thisv.toObject().as<PromiseObject>();
  if (MOZ_UNLIKELY(IsObserved(cx) || promise->realm() != cx->realm() ||
                   !IsPromiseWithDefaultProperties(promise, cx) ||
                   (promise->flags() & interaction) ||
                   !CanTakeReaction(cx, promise, onFulfilled, onRejected))) {
    return nullptr;
  }
  PromiseObject* derived =
      TryNewObject<PromiseObject, ::PromiseSlots>(cx, memos.promise);
  auto* record = Reactions::tryCreate<Slots::Unset>(cx);
  if (MOZ_UNLIKELY(!derived || !record)) {
    // A record alone would have slots that are not set.
    if (record) {
      Reactions::init(cx, record, {.state = JS::PromiseState::Pending});
    }
    return nullptr;
  }
  NurserySlots(derived)[PromiseSlot_Flags] =
      Int32Value(PROMISE_FLAG_DEFAULT_RESOLVING_FUNCTIONS);
  if (MOZ_UNLIKELY(!TakeReaction(cx, promise, record, onFulfilled, onRejected,
                                 derived))) {
    cx->recoverFromOutOfMemory();
    return nullptr;
  }
  return derived;
}

// Whether nobody can know whether Promise.resolve made a promise of a value: it has
// no `then`, and nobody looks on.
static bool CanSkipResolve(JSContext* cx, const Value& value) {
  return !IsObserved(cx) &&
         (!value.isObject() || IsWithoutThen(cx, &value.toObject()));
}

// What `then` does with that promise: queues the job of a handler, which is a
// function of this realm. `derived` is a promise of the engine.
[[nodiscard]] static bool ThenOfValue(JSContext* cx, HandleValue value,
                                      HandleValue onFulfilled,
                                      HandleObject derived) {
  auto* record = Reactions::create<Slots::Unset>(cx);
  if (!record) {
    return false;
  }
  Reactions::init(cx, record,
                  {.promise = ObjectValue(*derived),
                   .onFulfilled = onFulfilled,
                   .state = JS::PromiseState::Fulfilled,
                   .result = value});
  return Reactions::enqueue(cx, record);
}

// What IsTopMostAsyncFunctionCall says, for the usual case: machine code of an
// async function that was resumed, with no JavaScript below. At most two steps
// over frames of machine code instead of a FrameIter. Nothing if it is another
// case.
//
// The function's frame is the outermost one if AsyncFunctionNext, which C++ has
// called, became it (bao/Suspend.h); otherwise that is its caller. An outermost
// frame cannot be that of an async function which was just called: where no
// activation is around, the depth is 1 only while C++ calls what resumes. Where
// one is around, because the function was resumed in the interpreter and its loop
// has become hot since, NoteTopMost has marked the activation.
static MOZ_ALWAYS_INLINE mozilla::Maybe<bool> QuickIsTopMost(JSContext* cx) {
  if (cx->asyncResumeDepth != 1) {
    return mozilla::Some(false);
  }
  js::jit::JitActivation* activation = cx->jitActivation;
  if (!activation || cx->activation() != activation ||
      (activation->prev() && !activation->isTopMostAwaiter())) {
    return mozilla::Nothing();
  }
  js::jit::JSJitFrameIter iter(activation);
  ++iter;
  if (iter.done() || !iter.isScripted() || !iter.isFunctionFrame() ||
      !iter.maybeCallee()->isAsync()) {
    return mozilla::Nothing();
  }
  ++iter;
  if (iter.done()) {
    return mozilla::Some(true);
  }
  if (activation->prev() || !iter.isBaselineJS() || !iter.isFunctionFrame()) {
    return mozilla::Some(false);
  }
  JSFunction* caller = iter.maybeCallee();
  if (!caller->isSelfHostedBuiltin() ||
      !(IsSelfHostedFunctionWithName(caller, cx->names().AsyncFunctionNext) ||
        IsSelfHostedFunctionWithName(caller, cx->names().AsyncGeneratorNext))) {
    return mozilla::Some(false);
  }
  ++iter;
  return mozilla::Some(iter.done());
}

// To be called where IsTopMostAsyncFunctionCall has found by a walk over all
// frames that the running async function is the topmost one. Marks its activation
// if its frame is the outermost one there: that holds as long as the frame lives,
// and the activation lives no longer.
static void NoteTopMost(JSContext* cx) {
  js::jit::JitActivation* activation = cx->jitActivation;
  if (!activation || cx->activation() != activation ||
      !activation->hasJSExitFP()) {
    return;
  }
  js::jit::JSJitFrameIter iter(activation);
  ++iter;
  if (iter.done() || !iter.isScripted() || !iter.isFunctionFrame() ||
      !iter.maybeCallee()->isAsync()) {
    return;
  }
  ++iter;
  if (iter.done()) {
    activation->noteTopMostAwaiter();
  }
}

}  // namespace bao

// The generator object of a call of an async function, with its promise. Same
// as AsyncFunctionGeneratorObject::create and the setters that follow it in
// AbstractGeneratorObject::create.
AsyncFunctionGeneratorObject* js::NewAsyncFunctionGenerator(
    JSContext* cx, Handle<JSFunction*> callee, size_t nslots,
    Handle<JSObject*> environmentChain, Handle<ArgumentsObject*> arguments) {
  using Generator = AsyncFunctionGeneratorObject;
  RootedTuple<PromiseObject*, Generator*> roots(cx);
  RootedField<PromiseObject*, 0> promise(roots, CreatePromiseObjectForAsync(cx));
  if (!promise) {
    return nullptr;
  }
  RootedField<Generator*, 1> generator(
      roots, bao::NewObject<Generator, Generator::RESERVED_SLOTS>(
                 cx, bao::memos.generator));
  if (!generator) {
    return nullptr;
  }
  generator->initFixedSlot(Generator::RESUME_INDEX_SLOT,
                           Int32Value(Generator::RESUME_INDEX_RUNNING));
  ArrayObject* stack = NewDenseFullyAllocatedArray(cx, nslots);
  if (!stack) {
    return nullptr;
  }

  auto each = [&](auto store) {
    store(Generator::CALLEE_SLOT, ObjectValue(*callee));
    store(Generator::ENV_CHAIN_SLOT, ObjectValue(*environmentChain));
    if (arguments) {
      store(Generator::ARGS_OBJ_SLOT, ObjectValue(*arguments));
    }
    store(Generator::STACK_STORAGE_SLOT, ObjectValue(*stack));
    store(Generator::PROMISE_SLOT, ObjectValue(*promise));
  };
  if (MOZ_LIKELY(js::gc::IsInsideNursery(generator))) {
    Value* slots = bao::NurserySlots(generator);
    each([slots](uint32_t slot, const Value& value) { slots[slot] = value; });
  } else {
    each([&generator](uint32_t slot, const Value& value) {
      generator->setFixedSlot(slot, value);
    });
  }
  return generator;
}

// What machine code calls without an exit frame (AsyncCalls.h).

JSObject* bao::TryNewAsyncCall(JSContext* cx, JSFunction* callee, JSObject* env,
                               uint32_t nslots) {
  using Generator = AsyncFunctionGeneratorObject;
  if (MOZ_UNLIKELY(IsObserved(cx))) {
    return nullptr;
  }
  PromiseObject* promise =
      TryNewObject<PromiseObject, ::PromiseSlots>(cx, memos.promise);
  Generator* generator =
      TryNewObject<Generator, Generator::RESERVED_SLOTS>(cx, memos.generator);
  ArrayObject* stack = TryNewArray(cx, nslots);
  if (MOZ_UNLIKELY(!promise || !generator || !stack)) {
    return nullptr;
  }
  NurserySlots(promise)[PromiseSlot_Flags] = Int32Value(
      PROMISE_FLAG_DEFAULT_RESOLVING_FUNCTIONS | PROMISE_FLAG_ASYNC);
  Value* slots = NurserySlots(generator);
  slots[Generator::RESUME_INDEX_SLOT] =
      Int32Value(Generator::RESUME_INDEX_RUNNING);
  slots[Generator::CALLEE_SLOT] = ObjectValue(*callee);
  slots[Generator::ENV_CHAIN_SLOT] = ObjectValue(*env);
  slots[Generator::STACK_STORAGE_SLOT] = ObjectValue(*stack);
  slots[Generator::PROMISE_SLOT] = ObjectValue(*promise);
  return generator;
}

JSObject* bao::TryResolveAsyncCall(JSContext* cx,
                                   AsyncFunctionGeneratorObject* generator,
                                   uint64_t value) {
  PromiseObject* promise = generator->promise();
  bool ok;
  if (MOZ_UNLIKELY(!TryFulfill(cx, promise, Value::fromRawBits(value), &ok))) {
    return nullptr;
  }
  if (MOZ_UNLIKELY(!ok)) {
    cx->recoverFromOutOfMemory();
    return nullptr;
  }
  return promise;
}

JSObject* bao::TryAwaitInAsyncCall(JSContext* cx,
                                   AsyncFunctionGeneratorObject* generator,
                                   uint64_t value) {
  // Nothing collects, so handles of what is not rooted do no harm.
  JSObject* waiting = generator;
  Value awaited = Value::fromRawBits(value);
  bool done;
  if (MOZ_UNLIKELY(!TryAwait</* canCollect = */ false>(
          cx, Handle<JSObject*>::fromMarkedLocation(&waiting),
          Reactions::AsyncFunction,
          PromiseHandler::AsyncFunctionAwaitedFulfilled,
          PromiseHandler::AsyncFunctionAwaitedRejected,
          HandleValue::fromMarkedLocation(&awaited), &done))) {
    cx->recoverFromOutOfMemory();
    return nullptr;
  }
  return done ? generator->promise() : nullptr;
}

#endif  // bao_AsyncFunctions_h
