/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Allocation of promises, reaction records and generators without the lookups
// that NewBuiltinClassInstance makes each time, and what is remembered for it.
//
// Part of builtin/Promise.cpp and of vm/AsyncIteration.cpp.

#ifndef bao_Objects_h
#define bao_Objects_h

#include "bao/Slots.h"

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

  // Remembers the thing; false if it does not.
  bool note(JSContext* cx, T* thing) {
    // What is looked up between the slices of a collection may die in it.
    if (cx->runtime()->gc.isIncrementalGCInProgress()) {
      return false;
    }
    realm_ = cx->realm();
    thing_ = thing;
    collection_ = cx->runtime()->gc.majorGCCount();
    return true;
  }
};

// The initial shape of the objects of a class that have a prototype of the
// program, such as generators: that of the function whose object was made last.
struct PrototypeMemo {
  JSObject* prototype = nullptr;
  Memo<SharedShape> shape;
};

// The objects of generator functions, each of which has a prototype of its own.
class GeneratorMemos {
  // A shape of generator functions, which is not a dictionary's, and where those
  // have `prototype`.
  Memo<js::Shape> function_;
  uint32_t slot_ = 0;
  // By prototype.
  PrototypeMemo objects_[8];

 public:
  PrototypeMemo& of(const JSObject* prototype) {
    return objects_[(uintptr_t(prototype) / js::gc::CellAlignBytes / 4) % 8];
  }

  // The prototype of the objects of `callee`; null if it would have to be looked
  // up.
  MOZ_ALWAYS_INLINE JSObject* prototypeOf(JSContext* cx,
                                          JSFunction* callee) const {
    if (MOZ_UNLIKELY(!function_.isValid(cx) ||
                     callee->shape() != function_.get())) {
      return nullptr;
    }
    const JS::Value& prototype = callee->getSlot(slot_);
    return prototype.isObject() ? &prototype.toObject() : nullptr;
  }

  // Remembers where a function has its `prototype`, which was just looked up.
  void note(JSContext* cx, JSFunction* callee) {
    if (function_.isValid(cx) && callee->shape() == function_.get()) {
      return;
    }
    mozilla::Maybe<js::PropertyInfo> property =
        callee->lookupPure(cx->names().prototype);
    if (property && property->isDataProperty() &&
        !callee->shape()->isDictionary() &&
        function_.note(cx, callee->shape())) {
      slot_ = property->slot();
    }
  }
};

// The memos of a thread. A thread has one runtime at a time; BaoStart forgets
// those of an earlier one, whose realm and count a new one may repeat.
struct Memos {
  Memo<SharedShape> reaction;
  Memo<SharedShape> promise;
  Memo<SharedShape> generator;
  Memo<JSFunction> asyncFunctionNext;
  Memo<JSFunction> asyncGeneratorNext;
  GeneratorMemos generators;
  PrototypeMemo asyncGeneratorObject;
};

inline constinit thread_local Memos memos;

// Where the embedding keeps the async context of the running code (an object of
// AsyncLocalStorage, or undefined), as a root. BaoStart sets it.
inline constinit thread_local Value* asyncContext = nullptr;

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

// The same, for those who do not collect while they have it.
struct HostDefinedData {
  JSObject* incumbent = nullptr;
  JSObject* data = nullptr;

  MOZ_ALWAYS_INLINE explicit HostDefinedData(JSContext* cx) {
    if (MOZ_UNLIKELY(asyncContext->isObject())) {
      incumbent = &cx->global()->getObjectPrototype();
      data = &asyncContext->toObject();
    }
  }
};

// Whether all slots of a new object are undefined, or left to the caller, who
// has to write them before anything can collect.
enum class Slots { Undefined, Unset };

// Takes the memory of an object without dynamic slots from the nursery, or
// nothing if that is not possible at once. The object has its shape, and no
// elements yet.
static MOZ_ALWAYS_INLINE NativeObject* TakeFromNursery(JSContext* cx,
                                                       SharedShape* shape,
                                                       size_t size) {
  JS::Zone* zone = cx->zone();
  if (MOZ_UNLIKELY(js::gc::Heap::Default >=
                       zone->minHeapToTenure(JS::TraceKind::Object) ||
                   cx->realm()->hasAllocationMetadataBuilder())) {
    return nullptr;
  }
  void* cell = cx->nursery().tryAllocateCell(
      zone->unknownAllocSite(JS::TraceKind::Object), size,
      JS::TraceKind::Object);
  if (MOZ_UNLIKELY(!cell)) {
    return nullptr;
  }
  auto* obj = new (mozilla::KnownNotNull, cell) NativeObject();
  obj->initShape(shape);
  obj->initEmptyDynamicSlots();
  return obj;
}

// As NativeObject::create, for a class without finalizer whose size the compiler
// knows; or null, as above.
template <size_t Size, size_t Count, Slots slots>
static MOZ_ALWAYS_INLINE NativeObject* NewInNursery(JSContext* cx,
                                                    SharedShape* shape) {
  NativeObject* obj = TakeFromNursery(cx, shape, Size);
  if (MOZ_UNLIKELY(!obj)) {
    return nullptr;
  }
  obj->setEmptyElements();
  if constexpr (slots == Slots::Undefined) {
    Value* first = NurserySlots(obj);
    for (size_t i = 0; i < Count; i++) {
      first[i] = UndefinedValue();
    }
  }
  return obj;
}

// As NewObject below, or null where that would need to look up a shape or to
// collect.
template <typename T, size_t Count, Slots slots = Slots::Undefined>
static MOZ_ALWAYS_INLINE T* TryNewObject(JSContext* cx,
                                         Memo<SharedShape>& memo) {
  if (MOZ_UNLIKELY(!memo.isValid(cx))) {
    return nullptr;
  }
  constexpr size_t size =
      sizeof(NativeObject) +
      js::gc::GetGCKindSlots(js::gc::GetGCObjectKind(Count)) * sizeof(Value);
  return static_cast<T*>(NewInNursery<size, Count, slots>(cx, memo.get()));
}

// As NewDenseFullyAllocatedArray, or null: an array of the nursery whose elements
// are in it.
static MOZ_ALWAYS_INLINE ArrayObject* TryNewArray(JSContext* cx,
                                                  uint32_t length) {
  constexpr uint32_t most = js::gc::GetGCKindSlots(js::gc::AllocKind::OBJECT16) -
                            js::ObjectElements::VALUES_PER_HEADER;
  SharedShape* shape = cx->global()->maybeArrayShapeWithDefaultProto();
  if (MOZ_UNLIKELY(length > most || !shape)) {
    return nullptr;
  }
  js::gc::AllocKind kind = GuessArrayGCKind(length);
  NativeObject* array = TakeFromNursery(
      cx, shape,
      sizeof(NativeObject) + js::gc::GetGCKindSlots(kind) * sizeof(Value));
  if (MOZ_UNLIKELY(!array)) {
    return nullptr;
  }
  array->initFixedElements(kind, length);
  return static_cast<ArrayObject*>(array);
}

// As NewBuiltinClassInstance<T>. `Count` is the number of reserved slots of T.
template <typename T, size_t Count, Slots slots = Slots::Undefined>
static MOZ_ALWAYS_INLINE T* NewObject(JSContext* cx, Memo<SharedShape>& memo) {
  if (MOZ_LIKELY(memo.isValid(cx))) {
    constexpr js::gc::AllocKind kind = js::gc::GetGCObjectKind(Count);
    constexpr size_t size =
        sizeof(NativeObject) + js::gc::GetGCKindSlots(kind) * sizeof(Value);
    if (NativeObject* obj =
            NewInNursery<size, Count, slots>(cx, memo.get())) {
      return static_cast<T*>(obj);
    }
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

// As NewObjectWithGivenProto<T>.
template <typename T, size_t Count>
static MOZ_ALWAYS_INLINE T* NewObjectWithPrototype(JSContext* cx,
                                                   PrototypeMemo& memo,
                                                   HandleObject prototype) {
  if (MOZ_LIKELY(memo.shape.isValid(cx) && memo.prototype == prototype)) {
    constexpr size_t size =
        sizeof(NativeObject) +
        js::gc::GetGCKindSlots(js::gc::GetGCObjectKind(Count)) * sizeof(Value);
    if (NativeObject* obj = NewInNursery<size, Count, Slots::Undefined>(
            cx, memo.shape.get())) {
      return static_cast<T*>(obj);
    }
  }
  T* obj = NewObjectWithGivenProto<T>(cx, prototype);
  if (obj && !js::gc::IsInsideNursery(prototype) &&
      memo.shape.note(cx, obj->sharedShape())) {
    memo.prototype = prototype;
  }
  return obj;
}

// As NewNativeFunction, for a function with extended slots, one argument and no
// name.
static MOZ_ALWAYS_INLINE JSFunction* NewExtendedFunction(JSContext* cx,
                                                         JSNative native) {
  // The prototype has its shape once there has been such a function.
  SharedShape* shape = GlobalObject::getFunctionShapeWithDefaultProto(cx, true);
  if (MOZ_LIKELY(shape)) {
    if (NativeObject* obj =
            NewInNursery<sizeof(NativeObject) +
                             FunctionExtended::SlotCount * sizeof(Value),
                         FunctionExtended::SlotCount,
                         Slots::Undefined>(cx, shape)) {
      Value* slots = NurserySlots(obj);
      FunctionFlags flags = FunctionFlags::NATIVE_FUN;
      flags.setIsExtended();
      slots[JSFunction::FlagsAndArgCountSlot] = JS::PrivateUint32Value(
          flags.toRaw() | (1 << JSFunction::ArgCountShift));
      slots[JSFunction::NativeFuncOrInterpretedEnvSlot] =
          JS::PrivateValue(reinterpret_cast<void*>(native));
      slots[JSFunction::NativeJitInfoOrInterpretedScriptSlot] =
          JS::PrivateValue(nullptr);
      slots[JSFunction::AtomSlot] = StringValue(cx->names().empty_);
      return &obj->as<JSFunction>();
    }
  }
  Handle<PropertyName*> name = cx->names().empty_;
  return NewNativeFunction(cx, native, 1, name,
                           js::gc::AllocKind::FUNCTION_EXTENDED, GenericObject);
}

// Whether an object certainly has no `then`, so that a promise that is resolved
// with it is fulfilled: neither it nor its prototypes, which have nothing but
// ordinary properties. Remembered in the engine's cache of property lookups, as
// machine code does (GetNativeDataPropertyPure): Watchtower empties that when an
// object that is a prototype changes.
static MOZ_ALWAYS_INLINE bool IsWithoutThen(JSContext* cx, JSObject* obj) {
  if (obj->is<PromiseObject>()) {
    return false;
  }
  PropertyKey key = NameToId(cx->names().then);
  MegamorphicCache& cache = cx->caches().megamorphicCache;
  MegamorphicCache::Entry* entry;
  if (MOZ_LIKELY(cache.lookup(obj->shape(), key, &entry))) {
    return entry->isMissingProperty();
  }
  for (JSObject* holder = obj; holder; holder = holder->staticPrototype()) {
    const JSClass* clasp = holder->getClass();
    if (!holder->is<NativeObject>() || clasp->getResolve() ||
        clasp->getOpsLookupProperty() || clasp->getOpsGetProperty() ||
        holder->as<NativeObject>().containsPure(key)) {
      return false;
    }
  }
  cache.initEntryForMissingProperty(entry, obj->shape(), key);
  return true;
}

// The function of the embedding that hears of promises (PromiseHook.h); usually
// there is none.
using PromiseHook = bool (*)(JSContext* cx, int event,
                             JS::Handle<JSObject*> promise,
                             JS::Handle<JSObject*> parent);
inline constinit thread_local PromiseHook promiseHook = nullptr;

// Whether asynchronous stacks are captured, or there is a promise hook. Not
// inlined, so that the profile knows the functions that ask as they were.
bool IsSeldomObserved(JSContext* cx);

// Whether something looks on that must see each promise and each job: a
// debugger, a profiler, the capture of asynchronous stacks, a promise hook, or a
// runtime that shares its atoms with a parent.
static MOZ_ALWAYS_INLINE bool IsObserved(JSContext* cx) {
  return cx->realm()->isDebuggee() ||
         cx->runtime()->geckoProfiler().enabled() ||
         !cx->runtime()->isMainRuntime() || IsSeldomObserved(cx);
}

}  // namespace bao

#endif  // bao_Objects_h
