/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Allocation of promises, reaction records and generators without the lookups
// that NewBuiltinClassInstance makes each time.
//
// Part of builtin/Promise.cpp, which includes it once.

#ifndef bao_Objects_h
#define bao_Objects_h

namespace bao {

// What was looked up last for a realm: the initial shape of a class, or a
// self-hosted function. A memo holds no root. It is valid for one realm and
// until the next major collection begins, because only a major collection
// frees or moves a shape, a tenured function or a realm.
template <typename T>
class Memo {
  JS::Realm* realm_ = nullptr;
  T* thing_ = nullptr;
  uint64_t collection_ = 0;

 public:
  // The thing; only to be asked for if isValid.
  T* get() const { return thing_; }

  MOZ_ALWAYS_INLINE bool isValid(JSContext* cx) const {
    return realm_ == cx->realm() &&
           collection_ == cx->runtime()->gc.majorGCCount() &&
           !cx->zone()->needsMarkingBarrier();
  }

  void note(JSContext* cx, T* thing) {
    // What is looked up between the slices of a collection may die in it.
    if (cx->runtime()->gc.isIncrementalGCInProgress()) {
      return;
    }
    realm_ = cx->realm();
    thing_ = thing;
    collection_ = cx->runtime()->gc.majorGCCount();
  }
};

// The memos of a thread. A thread has one runtime at a time; BaoStart forgets
// those of an earlier one, whose realm and count a new one may repeat.
struct Memos {
  Memo<SharedShape> reaction;
  Memo<SharedShape> promise;
  Memo<SharedShape> generator;
  Memo<JSFunction> asyncFunctionNext;
};

static constinit thread_local Memos memos;

// Where the embedding keeps the async context of the running code (an object of
// AsyncLocalStorage, or undefined), as a root. BaoStart sets it.
static constinit thread_local Value* asyncContext = nullptr;

// What the embedding's getHostDefinedData gives, without asking it: the async
// context and, only together with one, a representative of the current global.
static MOZ_ALWAYS_INLINE void GetHostDefinedData(JSContext* cx,
                                                 MutableHandleObject incumbent,
                                                 MutableHandleObject data) {
  if (MOZ_LIKELY(!asyncContext->isObject())) {
    incumbent.set(nullptr);
    data.set(nullptr);
    return;
  }
  incumbent.set(&cx->global()->getObjectPrototype());
  data.set(&asyncContext->toObject());
}

// The fixed slots of an object that is in the nursery, for stores without
// barriers. A minor collection traces all of the object, so no store buffer
// entry is needed. A major collection begins with an empty nursery: the object
// is newer than the snapshot that the collection marks, so no edge that is
// overwritten needs to be marked.
static MOZ_ALWAYS_INLINE Value* NurserySlots(NativeObject* obj) {
  MOZ_ASSERT(js::gc::IsInsideNursery(obj));
  return const_cast<Value*>(&obj->getFixedSlot(0));
}

// As NewBuiltinClassInstance<T>. `Slots` is the number of reserved slots of T.
template <typename T, size_t Slots>
static MOZ_ALWAYS_INLINE T* NewObject(JSContext* cx, Memo<SharedShape>& memo) {
  if (MOZ_LIKELY(memo.isValid(cx) &&
                 !cx->realm()->hasAllocationMetadataBuilder())) {
    constexpr js::gc::AllocKind kind = js::gc::GetGCObjectKind(Slots);
    Rooted<SharedShape*> shape(cx, memo.get());
    return static_cast<T*>(
        NativeObject::create(cx, kind, js::gc::Heap::Default, shape));
  }
  T* obj = NewBuiltinClassInstance<T>(cx);
  if (obj) {
    memo.note(cx, obj->sharedShape());
  }
  return obj;
}

// Whether something looks on that must see each promise and each job: a
// debugger, a profiler, the capture of asynchronous stacks, or a runtime that
// shares its atoms with a parent.
static MOZ_ALWAYS_INLINE bool IsObserved(JSContext* cx) {
  return cx->realm()->isDebuggee() ||
         cx->runtime()->geckoProfiler().enabled() ||
         !cx->runtime()->isMainRuntime() ||
         JS::IsAsyncStackCaptureEnabledForRealm(cx);
}

}  // namespace bao

#endif  // bao_Objects_h
