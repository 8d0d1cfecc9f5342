/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// A function of the embedding that hears of each promise: when it is made, when
// it is settled, and around each job that belongs to it. `promiseHook` in
// Objects.h; with one, IsObserved is true, so that the engine's own functions run.
//
// The order and the parents are those of V8's promise hooks. An await has a
// promise of its own then, whose parent is the awaited one, and whose job resumes
// the function; the reaction record of the await carries it.
//
// Part of builtin/Promise.cpp, which includes it once.

#ifndef bao_PromiseHook_h
#define bao_PromiseHook_h

static bool RunJob(JSContext* cx, Handle<JS::JSMicroTask*> entry);

namespace bao {

static PromiseObject* NewPromise(JSContext* cx, int32_t extraFlags);

// What the function is told: indices of PromiseHooks in engine/src/promise_hook.rs.
enum class PromiseEvent : int { Init = 0, Before = 1, After = 2, Settled = 3 };

// False if the function has left an exception, or execution was terminated.
[[nodiscard]] static MOZ_NEVER_INLINE bool TellPromiseHook(
    JSContext* cx, PromiseEvent event, Handle<JSObject*> promise,
    Handle<JSObject*> parent = nullptr) {
  return promiseHook(cx, int(event), promise, parent);
}

// The parent of the next promise that is made within the scope.
class MOZ_RAII AutoParent {
  Rooted<JSObject*> parent_;
  AutoParent* outer_;

 public:
  static inline constinit thread_local AutoParent* innermost = nullptr;

  AutoParent(JSContext* cx, JSObject* parent)
      : parent_(cx, parent), outer_(innermost) {
    innermost = this;
  }
  ~AutoParent() { innermost = outer_; }
  JSObject* take() {
    JSObject* parent = parent_;
    parent_ = nullptr;
    return parent;
  }
};

// What has to be noted of a promise that was just made: where, and by the hook.
[[nodiscard]] static MOZ_NEVER_INLINE bool TellNewPromise(
    JSContext* cx, Handle<PromiseObject*> promise) {
  if (JS::IsAsyncStackCaptureEnabledForRealm(cx) &&
      !PromiseDebugInfo::create(cx, promise)) {
    return false;
  }
  if (!promiseHook) {
    return true;
  }
  AutoParent* scope = AutoParent::innermost;
  Rooted<JSObject*> parent(cx, scope ? scope->take() : nullptr);
  // What the hook makes has no parent.
  AutoParent none(cx, nullptr);
  return TellPromiseHook(cx, PromiseEvent::Init, promise, parent);
}

// NewPromiseCapability for the result of what waits for another promise. A class
// of the program makes its promises as it likes; they have no parent.
[[nodiscard]] static MOZ_NEVER_INLINE bool NewDerivedCapability(
    JSContext* cx, Handle<JSObject*> constructor, Handle<JSObject*> parent,
    MutableHandle<PromiseCapability> capability) {
  bool isNative = IsNativeFunction(constructor, PromiseConstructor);
  AutoParent scope(cx, isNative ? parent.get() : nullptr);
  return NewPromiseCapability(cx, constructor, capability,
                              /* canOmitResolutionFunctions = */ true);
}

// A promise for the result of what waits for another.
[[nodiscard]] static PromiseObject* NewDerivedPromise(
    JSContext* cx, Handle<JSObject*> parent) {
  AutoParent scope(cx, parent);
  return CreatePromiseObjectWithoutResolutionFunctions(cx);
}

// Makes the promise of an await, and puts it into the record.
[[nodiscard]] static bool NewAwaitPromise(
    JSContext* cx, Handle<PromiseReactionRecord*> reaction,
    Handle<JSObject*> awaited) {
  if (reaction->promise()) {
    return true;
  }
  Rooted<PromiseObject*> promise(cx, NewDerivedPromise(cx, awaited));
  if (!promise) {
    return false;
  }
  Reactions::setPromise(reaction, promise);
  return true;
}

// The promise of the request that an async generator works for, if any.
static JSObject* PromiseOfRequest(Handle<AsyncGeneratorObject*> generator) {
  if (!promiseHook || generator->isQueueEmpty()) {
    return nullptr;
  }
  return AsyncGeneratorObject::peekRequest(generator)->promise();
}

// The promise to which a job belongs; null if the hook is to hear of none, as of
// an await that is older than the hook, or a reaction that only notes for the
// debugger who waits. A reaction of `then` whose promise was not made, because
// nobody asked for it, gets one; `*isMade` is true then.
[[nodiscard]] static bool PromiseOfJob(JSContext* cx,
                                       Handle<JS::JSMicroTask*> entry,
                                       MutableHandle<JSObject*> promise,
                                       bool* isMade) {
  promise.set(nullptr);
  *isMade = false;
  JSObject* job = UncheckedUnwrap(entry);
  if (JS_IsDeadWrapper(job) ||
      (job->is<PromiseReactionRecord>() &&
       job->as<PromiseReactionRecord>().isDebuggerDummy())) {
    return true;
  }
  JSObject* known = job->as<MicroTaskEntry>().promise();
  if (known) {
    if (known->is<PromiseObject>()) {
      promise.set(known);
    }
    return true;
  }
  if (!job->is<PromiseReactionRecord>() ||
      !Reactions::isPlain(&job->as<PromiseReactionRecord>())) {
    return true;
  }
  Rooted<PromiseReactionRecord*> record(cx, &job->as<PromiseReactionRecord>());
  AutoRealm ar(cx, record);
  PromiseObject* made = NewPromise(cx, 0);
  if (!made) {
    return false;
  }
  promise.set(made);
  *isMade = true;
  Reactions::setPromise(record, made);
  return true;
}

// Whether a job resumes a function that awaits: nobody settles its promise.
static bool IsAwait(JSObject* entry) {
  JSObject* job = UncheckedUnwrap(entry);
  return job->is<PromiseReactionRecord>() &&
         (job->as<PromiseReactionRecord>().isAsyncFunction() ||
          job->as<PromiseReactionRecord>().isAsyncGenerator());
}

// Tells of the end of a job, and before of what nobody else settles.
[[nodiscard]] static bool TellOfEnd(JSContext* cx, Handle<JSObject*> promise,
                                    bool isSettled) {
  return (!isSettled ||
          TellPromiseHook(cx, PromiseEvent::Settled, promise)) &&
         (!promiseHook || TellPromiseHook(cx, PromiseEvent::After, promise));
}

// As RunJob, and tells of the promise to which the job belongs.
[[nodiscard]] static MOZ_NEVER_INLINE bool RunJobWithHook(
    JSContext* cx, Handle<JS::JSMicroTask*> entry) {
  Rooted<JSObject*> promise(cx);
  bool isMade;
  if (!PromiseOfJob(cx, entry, &promise, &isMade)) {
    return false;
  }
  if (!promise) {
    return RunJob(cx, entry);
  }
  bool isAwait = IsAwait(entry);
  if (!TellPromiseHook(cx, PromiseEvent::Before, promise)) {
    return false;
  }
  bool ok = RunJob(cx, entry);
  if (!promiseHook || (!ok && !cx->isExceptionPending())) {
    return ok;
  }
  JS::AutoSaveExceptionState saved(cx);
  if (!TellOfEnd(cx, promise, isAwait)) {
    saved.drop();
    return false;
  }
  saved.restore();
  return ok;
}

// Tells of the end of a job that has run while the hook was set, if it was.
[[nodiscard]] static MOZ_NEVER_INLINE bool TellOfLastJob(
    JSContext* cx, Handle<JSObject*> entry) {
  if (!promiseHook || !entry) {
    return true;
  }
  Rooted<JSObject*> promise(cx);
  bool isMade;
  return PromiseOfJob(cx, entry, &promise, &isMade) &&
         (!promise || TellOfEnd(cx, promise, isMade || IsAwait(entry)));
}

}  // namespace bao

MOZ_NEVER_INLINE bool bao::IsSeldomObserved(JSContext* cx) {
  return promiseHook || JS::IsAsyncStackCaptureEnabledForRealm(cx);
}

// Sets the function that hears of promises on this thread; null ends it.
extern "C" JS_PUBLIC_API void BaoSetPromiseHook(JSContext* cx,
                                                bao::PromiseHook hook) {
  bao::promiseHook = hook;
  // An await must not go on without a job.
  JS::JobQueueMayNotBeEmpty(cx);
}

#endif  // bao_PromiseHook_h
