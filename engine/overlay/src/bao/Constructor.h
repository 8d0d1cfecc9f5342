/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// `new Promise(executor)` and Promise.withResolvers(): resolving functions that
// share their [[AlreadyResolved]] by a flag of the promise, so that neither
// holds the other, and the promise holds none.
//
// The flag is the engine's own, of promises without resolving functions
// (PROMISE_FLAG_DEFAULT_RESOLVING_FUNCTIONS_ALREADY_RESOLVED). A promise whose
// functions were called with a thenable gets another, linked, pair of functions
// for that, which does not look at the flag.
//
// Part of builtin/Promise.cpp, which includes it once.

#ifndef bao_Constructor_h
#define bao_Constructor_h

#include "bao/Enter.h"

namespace bao {

[[nodiscard]] bool Resolve(JSContext* cx, Handle<PromiseObject*> promise,
                           HandleValue value);

// In AsyncFunctions.h, for Promise.all, race and the like.
static bool CanSkipResolve(JSContext* cx, const Value& value);
[[nodiscard]] static bool ThenOfValue(JSContext* cx, HandleValue value,
                                      HandleValue onFulfilled,
                                      HandleObject derived);

// An unlinked function has `true` in its second slot, where a linked one has its
// partner or undefined.
static MOZ_ALWAYS_INLINE bool IsUnlinked(JSFunction* fun) {
  static_assert(int(ResolveFunctionSlot_RejectFunction) ==
                int(RejectFunctionSlot_ResolveFunction));
  return fun->getExtendedSlot(ResolveFunctionSlot_RejectFunction).isTrue();
}

// A resolving function, as CreateResolvingFunctions makes it, but unlinked.
static MOZ_ALWAYS_INLINE JSFunction* NewUnlinked(JSContext* cx,
                                                 JSNative native,
                                                 Handle<PromiseObject*> promise) {
  static_assert(int(ResolveFunctionSlot_Promise) ==
                int(RejectFunctionSlot_Promise));
  JSFunction* fun = NewExtendedFunction(cx, native);
  if (fun) {
    fun->initExtendedSlot(ResolveFunctionSlot_Promise, ObjectValue(*promise));
    fun->initExtendedSlot(ResolveFunctionSlot_RejectFunction, TrueHandleValue);
  }
  return fun;
}

// The call of an unlinked function, once its [[AlreadyResolved]] is true.
[[nodiscard]] static bool Settle(JSContext* cx, JS::PromiseState state,
                                 Handle<PromiseObject*> promise,
                                 HandleValue value) {
  if (state == JS::PromiseState::Rejected) {
    return RejectMaybeWrappedPromise(cx, promise, value, nullptr);
  }
  return Resolve(cx, promise, value);
}

// Sets [[AlreadyResolved]] of a promise with unlinked functions; false if it
// was set.
static MOZ_ALWAYS_INLINE bool Latch(PromiseObject* promise) {
  int32_t flags = promise->flags();
  if (flags & (PROMISE_FLAG_RESOLVED |
               PROMISE_FLAG_DEFAULT_RESOLVING_FUNCTIONS_ALREADY_RESOLVED)) {
    return false;
  }
  AddPromiseFlags(*promise,
                  PROMISE_FLAG_DEFAULT_RESOLVING_FUNCTIONS_ALREADY_RESOLVED);
  return true;
}

// The call of an unlinked function.
[[nodiscard]] static bool CallUnlinked(JSContext* cx, const CallArgs& args,
                                       JS::PromiseState state) {
  JSFunction* fun = &args.callee().as<JSFunction>();
  Value value = fun->getExtendedSlot(ResolveFunctionSlot_Promise);
  if (value.isUndefined() ||
      !Latch(&value.toObject().as<PromiseObject>())) {
    args.rval().setUndefined();
    return true;
  }
  // A function that is kept does not keep its promise.
  fun->setExtendedSlot(ResolveFunctionSlot_Promise, UndefinedValue());
  Rooted<PromiseObject*> promise(cx, &value.toObject().as<PromiseObject>());
  RootedValue argument(cx, args.get(0));
  args.rval().setUndefined();
  return Settle(cx, state, promise, argument);
}

// How many resolving functions an executor can get hold of: an arrow function
// has no `arguments`, and cannot be asked for those of its call.
static MOZ_ALWAYS_INLINE unsigned FunctionsNeeded(JSObject* executor) {
  if (!executor->is<JSFunction>()) {
    return 2;
  }
  JSFunction* fun = &executor->as<JSFunction>();
  if (!fun->isArrow() || !fun->hasBaseScript() || fun->baseScript()->hasRest() ||
      fun->nargs() > 1) {
    return 2;
  }
  return fun->nargs();
}

// As PromiseObject::create, for the constructor of the current realm, if nobody
// looks on.
[[nodiscard]] static PromiseObject* Construct(JSContext* cx,
                                              HandleObject executor) {
  RootedTuple<PromiseObject*, JSObject*, JSObject*, Value, SavedFrame*> roots(
      cx);
  RootedField<PromiseObject*, 0> promise(roots, NewPromise(cx, 0));
  if (!promise) {
    return nullptr;
  }
  unsigned needed = FunctionsNeeded(executor);
  RootedField<JSObject*, 1> resolve(roots);
  RootedField<JSObject*, 2> reject(roots);
  if (needed > 0) {
    resolve = NewUnlinked(cx, ResolvePromiseFunction, promise);
    if (!resolve) {
      return nullptr;
    }
  }
  if (needed > 1) {
    reject = NewUnlinked(cx, RejectPromiseFunction, promise);
    if (!reject) {
      return nullptr;
    }
  }

  RootedField<Value, 3> rval(roots, ObjectValue(*executor));
  bool ok;
  auto status = js::jit::EnterJitStatus::NotEntered;
  if (needed == 1 && executor->as<JSFunction>().realm() == cx->realm()) {
    status = Enter<1>(cx, &executor->as<JSFunction>(), UndefinedValue(),
                      ObjectValue(*resolve), &rval);
  }
  if (MOZ_LIKELY(status != js::jit::EnterJitStatus::NotEntered)) {
    ok = status == js::jit::EnterJitStatus::Ok;
  } else {
    InvokeArgs args(cx);
    if (!args.init(cx, needed)) {
      return nullptr;
    }
    if (needed > 0) {
      args[0].setObject(*resolve);
    }
    if (needed > 1) {
      args[1].setObject(*reject);
    }
    ok = Call(cx, rval, UndefinedHandleValue, args, &rval);
  }
  if (MOZ_UNLIKELY(!ok)) {
    RootedField<SavedFrame*, 4> stack(roots);
    if (!MaybeGetAndClearExceptionAndStack(cx, &rval, &stack)) {
      return nullptr;
    }
    if (Latch(promise) &&
        !Settle(cx, JS::PromiseState::Rejected, promise, rval)) {
      return nullptr;
    }
  }
  return promise;
}

// The capability of Promise.withResolvers: that of NewPromiseCapability, with
// unlinked functions for the constructor of the current realm.
[[nodiscard]] static bool NewCapability(
    JSContext* cx, HandleObject constructor,
    MutableHandle<PromiseCapability> capability) {
  if (IsObserved(cx) || !IsNativeFunction(constructor, PromiseConstructor) ||
      constructor->nonCCWRealm() != cx->realm()) {
    return NewPromiseCapability(cx, constructor, capability, false);
  }
  Rooted<PromiseObject*> promise(cx, NewPromise(cx, 0));
  if (!promise) {
    return false;
  }
  capability.promise().set(promise);
  capability.resolve().set(NewUnlinked(cx, ResolvePromiseFunction, promise));
  if (!capability.resolve()) {
    return false;
  }
  capability.reject().set(NewUnlinked(cx, RejectPromiseFunction, promise));
  return !!capability.reject();
}

// PromiseResolve(C, x), if C is the constructor of the current realm and x a
// value without `then` or a promise whose properties are the engine's. `*result`
// is null if it is another case.
[[nodiscard]] static bool TryPromiseResolve(JSContext* cx,
                                            HandleObject constructor,
                                            HandleValue value,
                                            JSObject** result) {
  *result = nullptr;
  if (IsObserved(cx) || !IsNativeFunction(constructor, PromiseConstructor) ||
      constructor->nonCCWRealm() != cx->realm()) {
    return true;
  }
  if (value.isObject()) {
    JSObject* obj = &value.toObject();
    if (obj->is<PromiseObject>()) {
      if (obj->nonCCWRealm() == cx->realm() &&
          IsPromiseWithDefaultProperties(&obj->as<PromiseObject>(), cx)) {
        *result = obj;
      }
      return true;
    }
    if (!IsWithoutThen(cx, obj)) {
      return true;
    }
  }
  Rooted<PromiseObject*> promise(cx, NewPromise(cx, 0));
  if (!promise) {
    return false;
  }
  *result = promise;
  return Resolve(cx, promise, value);
}

}  // namespace bao

#endif  // bao_Constructor_h
