/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The microtask loop: runs reaction jobs without a call into the embedding for
// each, and enters machine code directly.
//
// Part of builtin/Promise.cpp, which includes it once.

#ifndef bao_MicroTasks_h
#define bao_MicroTasks_h

#include "bao/Call.h"
#include "bao/Enter.h"
#include "bao/JsonMemory.h"
#include "bao/SpreadMemo.h"
#include "bao/StackMemo.h"

namespace bao {

// Resumes an async function with the value it awaited. Same as
// AsyncFunctionAwaitedFulfilled, without the lookup of AsyncFunctionNext by
// name and the layers between C++ and machine code.
static MOZ_ALWAYS_INLINE bool ResumeAsyncFunction(
    JSContext* cx, Handle<AsyncFunctionGeneratorObject*> generator,
    HandleValue value) {
  // As AsyncFunctionResume, which says when this happens.
  if (generator->isClosed() || generator->isRunning()) {
    return true;
  }

  Memo<JSFunction>& memo = memos.asyncFunctionNext;
  if (MOZ_UNLIKELY(!memo.isValid(cx) || generator->promise()->allocationSite())) {
    RootedValue fun(cx);
    if (!GlobalObject::getIntrinsicValue(
            cx, cx->global(), cx->names().AsyncFunctionNext, &fun)) {
      return false;
    }
    JSFunction* next = &fun.toObject().as<JSFunction>();
    if (!js::gc::IsInsideNursery(next) && next->hasBytecode()) {
      memo.note(cx, next);
    }
    return AsyncFunctionAwaitedFulfilled(cx, generator, value);
  }

  RootedValue ignored(cx);
  js::jit::EnterJitStatus status;
  {
    // Only around the call: see QuickIsTopMost.
    AutoAsyncResumeDepth depth(cx);
    status = Enter<ArgumentsToResume>(cx, memo.get(), ObjectValue(*generator),
                                      value, &ignored);
  }
  if (MOZ_LIKELY(status == js::jit::EnterJitStatus::Ok)) {
    return true;
  }
  if (status == js::jit::EnterJitStatus::NotEntered) {
    return AsyncFunctionAwaitedFulfilled(cx, generator, value);
  }

  // The async function's own code catches what the program throws; this is
  // memory that has run out, or termination. As AsyncFunctionResume.
  if (!generator->isClosed()) {
    generator->setClosed(cx);
  }
  Rooted<PromiseObject*> resultPromise(cx, generator->promise());
  if (resultPromise->state() == JS::PromiseState::Pending &&
      cx->isExceptionPending()) {
    RootedValue exn(cx);
    if (!GetAndClearException(cx, &exn)) {
      return false;
    }
    return AsyncFunctionThrown(cx, resultPromise, exn);
  }
  return false;
}

// Calls a function, without layers in between if it is of the current realm and
// native, or has machine code.
template <size_t Argc>
[[nodiscard]] static MOZ_ALWAYS_INLINE bool CallFunction(
    JSContext* cx, JSFunction* fun, HandleValue arg, MutableHandleValue rval) {
  if (MOZ_LIKELY(fun->hasBaseScript() && !fun->isClassConstructor() &&
                 fun->realm() == cx->realm())) {
    js::jit::EnterJitStatus status =
        Enter<Argc>(cx, fun, UndefinedValue(), arg, rval);
    if (MOZ_LIKELY(status != js::jit::EnterJitStatus::NotEntered)) {
      return status == js::jit::EnterJitStatus::Ok;
    }
  }
  if (fun->isNativeFun() && fun->realm() == cx->realm() &&
      !cx->realm()->isDebuggee()) {
    // As CallJSNative.
    AutoCheckRecursionLimit recursion(cx);
    if (!recursion.check(cx)) {
      return false;
    }
    JS::RootedValueArray<2 + Argc> frame(cx);
    frame[0].setObject(*fun);
    if constexpr (Argc > 0) {
      frame[2].set(arg);
    }
    if (!fun->native()(cx, Argc, frame.begin())) {
      return false;
    }
    rval.set(frame[0]);
    return true;
  }
  RootedValue callee(cx, ObjectValue(*fun));
  FixedInvokeArgs<Argc> args(cx);
  if constexpr (Argc > 0) {
    args[0].set(arg);
  }
  return Call(cx, callee, UndefinedHandleValue, args, rval);
}

// The job of a reaction whose handler is a function. Same as the last part of
// PromiseReactionJob.
[[nodiscard]] static bool RunPlainReaction(
    JSContext* cx, Handle<PromiseReactionRecord*> reaction) {
  RootedTuple<Value, Value, SavedFrame*, JSObject*, JSObject*> roots(cx);
  RootedField<Value, 0> argument(roots, reaction->handlerArg());
  RootedField<Value, 1> result(roots);
  bool ok =
      CallFunction<1>(cx, &reaction->handler().toObject().as<JSFunction>(),
                      argument, &result);

  RootedField<SavedFrame*, 2> stack(roots);
  RootedField<JSObject*, 3> promise(roots, reaction->promise());
  RootedField<JSObject*, 4> callee(roots);
  if (MOZ_UNLIKELY(!ok)) {
    if (!MaybeGetAndClearExceptionAndStack(cx, &result, &stack)) {
      return false;
    }
    callee =
        reaction->getFixedSlot(PromiseReactionRecord::Reject).toObjectOrNull();
    return CallPromiseRejectFunction(cx, callee, result, promise, stack,
                                     reaction->unhandledRejectionBehavior());
  }
  callee =
      reaction->getFixedSlot(PromiseReactionRecord::Resolve).toObjectOrNull();
  if (!callee) {
    if (!promise && !result.isObject()) {
      return true;
    }
    // The result promise of Promise.all and the like has no such flag, and is
    // not resolved here.
    constexpr int32_t mask =
        PROMISE_FLAG_DEFAULT_RESOLVING_FUNCTIONS |
        PROMISE_FLAG_DEFAULT_RESOLVING_FUNCTIONS_ALREADY_RESOLVED;
    if (promise && promise->is<PromiseObject>() &&
        (promise->as<PromiseObject>().flags() & mask) ==
            PROMISE_FLAG_DEFAULT_RESOLVING_FUNCTIONS &&
        TryFulfill(cx, &promise->as<PromiseObject>(), result, &ok)) {
      return ok;
    }
  }
  return CallPromiseResolveFunction(cx, callee, result, promise);
}

enum class LoopEnd : int {
  // No microtask is left.
  Empty = 0,
  // The next microtask is none that the loop knows. It is still queued.
  Unknown = 1,
  // A microtask has ended with an exception, or was terminated.
  Failed = 2,
  // `*stop` is true.
  Stopped = 3,
};

// Offers the record of a job to the awaits in it.
class MOZ_RAII AutoRunning {
  PromiseReactionRecord** outer_ = Reactions::running;

 public:
  explicit AutoRunning(JS::MutableHandle<PromiseReactionRecord*> record) {
    Reactions::running = record.address();
  }
  ~AutoRunning() { Reactions::running = outer_; }
};

// Runs the microtasks of the regular queue in their order. `reaction` is the last
// one's record, or null if nothing is to be told of its end.
static LoopEnd RunMicroTasks(
    JSContext* cx, uint64_t* taken, const bool* stop,
    JS::MutableHandle<PromiseReactionRecord*> reaction) {
  RootedTuple<JSObject*, AsyncFunctionGeneratorObject*, Value,
              AsyncGeneratorObject*>
      roots(cx);
  RootedField<JSObject*, 0> task(roots);
  RootedField<AsyncFunctionGeneratorObject*, 1> generator(roots);
  RootedField<Value, 2> value(roots);
  RootedField<AsyncGeneratorObject*, 3> asyncGenerator(roots);
  auto& queue = cx->microTaskQueues->microTaskQueue;
  AutoJobs jobs(cx);

  // Takes the first microtask, and enters its async context.
  auto take = [&](const Value& context) {
    queue.popFront();
    ++*taken;
    *asyncContext = context.isObject() ? context : UndefinedValue();
    if (queue.empty()) {
      // The engine may go on at once where the topmost async function awaits a
      // settled value: its job would be the next.
      JS::JobQueueIsEmpty(cx);
    }
  };

  while (!queue.empty()) {
    if (MOZ_UNLIKELY(*stop)) {
      return LoopEnd::Stopped;
    }
    Value front = queue.front();
    if (MOZ_UNLIKELY(!front.isObject())) {
      return LoopEnd::Unknown;
    }
    JSObject* obj = &front.toObject();

    if (MOZ_LIKELY(obj->is<PromiseReactionRecord>())) {
      reaction.set(&obj->as<PromiseReactionRecord>());
      JSObject* global = reaction->enqueueGlobalRepresentative();
      bool isOfThisRealm =
          !IsProxy(global) && global->nonCCWRealm() == cx->realm();
      if (MOZ_LIKELY(isOfThisRealm && reaction->isAsyncFunction() &&
                     reaction->targetState() == JS::PromiseState::Fulfilled)) {
        take(reaction->getOptionalHostDefinedData());
        generator = reaction->asyncFunctionGenerator();
        value = reaction->handlerArg();
        AutoRunning running(reaction);
        if (MOZ_UNLIKELY(!ResumeAsyncFunction(cx, generator, value))) {
          return LoopEnd::Failed;
        }
        continue;
      }
      if (isOfThisRealm && reaction->isAsyncGenerator()) {
        take(reaction->getOptionalHostDefinedData());
        asyncGenerator = reaction->asyncGenerator();
        value = reaction->handlerArg();
        auto handler =
            static_cast<PromiseHandler>(reaction->handler().toInt32());
        AutoRunning running(reaction);
        if (!AsyncGeneratorPromiseReactionJob(cx, handler, asyncGenerator,
                                              value)) {
          return LoopEnd::Failed;
        }
        continue;
      }
      if (isOfThisRealm && Reactions::isPlain(reaction) &&
          reaction->handler().isObject() &&
          reaction->handler().toObject().is<JSFunction>()) {
        take(reaction->getOptionalHostDefinedData());
        if (MOZ_UNLIKELY(!RunPlainReaction(cx, reaction))) {
          return LoopEnd::Failed;
        }
        continue;
      }
    } else if (MOZ_UNLIKELY(!JS::ToUnwrappedJSMicroTask(front))) {
      // A function that queueMicrotask was called with. JavaScript has wrapped
      // it if there was an async context.
      if (!obj->is<JSFunction>() ||
          obj->as<JSFunction>().realm() != cx->realm()) {
        return LoopEnd::Unknown;
      }
      take(UndefinedValue());
      reaction.set(nullptr);
      task = obj;
      value.setUndefined();
      if (MOZ_UNLIKELY(
              !CallFunction<0>(cx, &task->as<JSFunction>(), value, &value))) {
        return LoopEnd::Failed;
      }
      continue;
    }

    JSObject* entry = JS::ToUnwrappedJSMicroTask(front);
    reaction.set(nullptr);
    take(entry ? entry->as<MicroTaskEntry>().getOptionalHostDefinedData()
               : UndefinedValue());
    task = obj;
    JSObject* global = JS::GetExecutionGlobalFromJSMicroTask(task);
    if (!global) {
      continue;  // Its realm is gone.
    }
    AutoRealm ar(cx, global);
    if (!JS::RunJSMicroTask(cx, task)) {
      return LoopEnd::Failed;
    }
  }
  return LoopEnd::Empty;
}

// What is left to do when the loop is over: a job may have set the promise hook.
static MOZ_NEVER_INLINE LoopEnd LeaveLoop(
    JSContext* cx, LoopEnd end, JS::Handle<PromiseReactionRecord*> last) {
  // An await outside of this loop must not believe that its job comes next.
  JS::JobQueueMayNotBeEmpty(cx);
  if (end == LoopEnd::Failed || TellOfLastJob(cx, last)) {
    return end;
  }
  return LoopEnd::Failed;
}

}  // namespace bao

// To be called once a context is made, with the place of its async context.
// Forgets what the thread remembers of an earlier runtime.
extern "C" JS_PUBLIC_API void BaoStart(JS::Value* asyncContext) {
  bao::memos = bao::Memos();
  bao::spreadMemo = bao::SpreadMemo();
  bao::jsonMemory.forget();
  bao::stackMemo = bao::StackMemo();
  bao::asyncContext = asyncContext;
  bao::promiseHook = nullptr;
}

// `enqueueMicrotask(callback)`: queues a function of the program, which
// engine/src/promise.rs makes a function of built-in modules.
extern "C" JS_PUBLIC_API bool BaoEnqueueMicroTask(JSContext* cx, unsigned argc,
                                                  JS::Value* vp) {
  JS::CallArgs args = JS::CallArgsFromVp(argc, vp);
  args.rval().setUndefined();
  if (MOZ_UNLIKELY(!IsCallable(args.get(0)))) {
    JS_ReportErrorASCII(cx, "enqueueMicrotask: not a function");
    return false;
  }
  return bao::Reactions::enqueue(cx, &args[0].toObject());
}

// Runs microtasks until none is left, one comes that the loop does not know,
// one fails or `*stop` becomes true; gives a bao::LoopEnd. Adds the number of
// microtasks that were taken from the queue to `*taken`, each before it runs.
extern "C" JS_PUBLIC_API int BaoRunMicroTasks(JSContext* cx, uint64_t* taken,
                                              const bool* stop) {
  RootedValue context(cx, *bao::asyncContext);
  Rooted<PromiseReactionRecord*> last(cx);
  bao::LoopEnd end = bao::RunMicroTasks(cx, taken, stop, &last);
  *bao::asyncContext = context;
  return int(bao::LeaveLoop(cx, end, last));
}

#endif  // bao_MicroTasks_h
