/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Reaction records written in one pass.
//
// Part of builtin/Promise.cpp, which includes it once.

#ifndef bao_Reactions_h
#define bao_Reactions_h

#include "bao/Awaiters.h"

namespace bao {

// A friend of PromiseReactionRecord.
struct Reactions {
  using Record = PromiseReactionRecord;
  using Slots = Record::Slots;

  // Kinds of awaited records.
  static constexpr uint32_t AsyncFunction =
      Record::REACTION_FLAG_ASYNC_FUNCTION;
  static constexpr uint32_t AsyncGenerator =
      Record::REACTION_FLAG_ASYNC_GENERATOR;

  template <bao::Slots slots = bao::Slots::Undefined>
  static MOZ_ALWAYS_INLINE Record* create(JSContext* cx) {
    return NewObject<Record, Record::SlotCount, slots>(cx, memos.reaction);
  }

  // The record whose job runs, if it may wait for something else: where the loop
  // over microtasks has it rooted. Nobody else has it: the queue gave it away,
  // and its promise when it was settled.
  static inline constinit thread_local Record** running = nullptr;

  // The job that runs in the engine's own way, where it is rooted.
  static inline constinit thread_local JSObject* const* other = nullptr;

  // The newest activation below the running job: of JavaScript that has jobs run.
  // Null if there is none.
  static inline constinit thread_local js::Activation* below = nullptr;

  // The async function or generator that goes on with the record; null if it is
  // of another kind.
  static js::AbstractGeneratorObject* generatorOf(const Record* record) {
    if (!(record->flags() & (AsyncFunction | AsyncGenerator))) {
      return nullptr;
    }
    const Value& of = record->getFixedSlot(
        Slots::GeneratorOrPromiseToResolveOrAsyncFromSyncIterator);
    return of.isObject() && of.toObject().is<js::AbstractGeneratorObject>()
               ? &of.toObject().as<js::AbstractGeneratorObject>()
               : nullptr;
  }

  // What awaits a promise, or one that `then` has made of it.
  static js::AbstractGeneratorObject* awaiterOf(PromiseObject* promise) {
    // Bounded: a program may have made a circle.
    for (size_t i = 0; i < 32; i++) {
      if (promise->state() != JS::PromiseState::Pending) {
        return nullptr;
      }
      Value reactions = promise->reactions();
      if (!reactions.isObject() || !reactions.toObject().is<Record>()) {
        return nullptr;
      }
      const Record* record = &reactions.toObject().as<Record>();
      if (js::AbstractGeneratorObject* generator = generatorOf(record)) {
        return generator->isSuspended() ? generator : nullptr;
      }
      const Value& derived = record->getFixedSlot(Slots::Promise);
      if (!isPlain(record) || !derived.isObject() ||
          !derived.toObject().is<PromiseObject>()) {
        return nullptr;
      }
      promise = &derived.toObject().as<PromiseObject>();
    }
    return nullptr;
  }

  // The running job's record for another await of the same function or generator;
  // null if it cannot be had. Only one of the nursery can be filled again as a
  // new one is.
  static MOZ_ALWAYS_INLINE Record* takeRunning(JSObject* generator) {
    if (!running || !*running || !js::gc::IsInsideNursery(*running)) {
      return nullptr;
    }
    const Value& of = (*running)->getFixedSlot(
        Slots::GeneratorOrPromiseToResolveOrAsyncFromSyncIterator);
    if (!of.isObject() || &of.toObject() != generator) {
      return nullptr;
    }
    return std::exchange(*running, nullptr);
  }

  // Null where that would need to look up a shape or to collect.
  template <bao::Slots slots = bao::Slots::Undefined>
  static MOZ_ALWAYS_INLINE Record* tryCreate(JSContext* cx) {
    return TryNewObject<Record, Record::SlotCount, slots>(cx, memos.reaction);
  }

  // Whether the job of the record calls a handler of the program, if any, and
  // nothing else.
  static MOZ_ALWAYS_INLINE bool isPlain(const Record* record) {
    constexpr uint32_t special =
        Record::REACTION_FLAG_DEFAULT_RESOLVING_HANDLER |
        Record::REACTION_FLAG_ASYNC_FUNCTION |
        Record::REACTION_FLAG_ASYNC_GENERATOR |
        Record::REACTION_FLAG_DEBUGGER_DUMMY |
        Record::REACTION_FLAG_ASYNC_FROM_SYNC_ITERATOR;
    return !(record->flags() & special);
  }

  // Gives a record that waits a promise that nobody has yet.
  static void setPromise(Record* record, JSObject* promise) {
    record->setFixedSlot(Slots::Promise, ObjectValue(*promise));
  }

  // What a new record waits for, and what is to be done then.
  struct Fields {
    uint32_t kind = 0;   // AsyncFunction, AsyncGenerator, or 0
    Value generator;     // that function's or generator's own object
    Value promise = NullValue();  // the promise for the handler's result
    Value onFulfilled;
    Value onRejected;
    JS::PromiseState state;
    Value result;  // if the state is not pending
  };

  // Fills all slots of a new record, with the async context of the running code.
  // If the state is not pending the record becomes a job of the current realm.
  static MOZ_ALWAYS_INLINE void init(JSContext* cx, Record* record,
                                     const Fields& fields) {
    HostDefinedData host(cx);
    uint32_t flags = fields.kind;
    Value fulfilled = fields.onFulfilled;
    Value rejected = fields.onRejected;
    Value stack;
    Value realmObject;
    if (fields.state != JS::PromiseState::Pending) {
      flags |= Record::REACTION_FLAG_RESOLVED;
      if (fields.state == JS::PromiseState::Fulfilled) {
        flags |= Record::REACTION_FLAG_FULFILLED;
        rejected = fields.result;  // OnFulfilledArg
      } else {
        fulfilled = fields.result;  // OnRejectedArg
      }
      stack = NullValue();
      realmObject = ObjectValue(cx->global()->getObjectPrototype());
    }
    auto each = [&](auto store) {
      store(Slots::Promise, fields.promise);
      store(Slots::IncumbentGlobalRepresentative, ObjectOrNullValue(host.incumbent));
      store(Slots::OptionalHostDefinedData, ObjectOrNullValue(host.data));
      store(MicroTaskEntry::Slots::AllocationStack, stack);
      store(Slots::EnqueueGlobalRepresentative, realmObject);
      store(Slots::OnFulfilled, fulfilled);
      store(Slots::OnRejected, rejected);
      store(Slots::Resolve, NullValue());
      store(Slots::Reject, NullValue());
      store(Slots::Flags, Int32Value(flags));
      store(Slots::GeneratorOrPromiseToResolveOrAsyncFromSyncIterator,
            fields.generator);
    };
    if (MOZ_LIKELY(js::gc::IsInsideNursery(record))) {
      Value* slots = NurserySlots(record);
      each([slots](uint32_t slot, const Value& value) { slots[slot] = value; });
    } else {
      each([record](uint32_t slot, const Value& value) {
        record->initFixedSlot(slot, value);
      });
    }
  }

  // Makes a waiting record of the current realm a job, as
  // EnqueuePromiseReactionJobSameRealm does for a record whose promise, if
  // any, has no allocation site.
  static MOZ_ALWAYS_INLINE void settle(JSContext* cx, Record* record,
                                       JS::PromiseState state,
                                       const Value& result) {
    uint32_t flags = record->flags() | Record::REACTION_FLAG_RESOLVED;
    uint32_t resultSlot = Slots::OnRejectedArg;
    if (state == JS::PromiseState::Fulfilled) {
      flags |= Record::REACTION_FLAG_FULFILLED;
      resultSlot = Slots::OnFulfilledArg;
    }
    auto each = [&](auto store) {
      store(Slots::Flags, Int32Value(flags));
      store(resultSlot, result);
      store(MicroTaskEntry::Slots::AllocationStack, NullValue());
      store(Slots::EnqueueGlobalRepresentative,
            ObjectValue(cx->global()->getObjectPrototype()));
    };
    if (MOZ_LIKELY(js::gc::IsInsideNursery(record))) {
      Value* slots = NurserySlots(record);
      each([slots](uint32_t slot, const Value& value) { slots[slot] = value; });
    } else {
      each([record](uint32_t slot, const Value& value) {
        Store(record, slot, value);
      });
    }
  }

  // As enqueueRegularMicroTask. An empty queue takes its first entry where it is
  // taken from.
  static MOZ_ALWAYS_INLINE bool enqueue(JSContext* cx, JSObject* task) {
    cx->canSkipEnqueuingJobs = false;
    auto& queue = cx->microTaskQueues->microTaskQueue;
    return queue.empty() ? queue.emplaceFront(ObjectValue(*task))
                         : queue.pushBack(ObjectValue(*task));
  }
};

// Tells stacks where the frames of jobs end.
class MOZ_RAII AutoJobs {
  js::Activation* outer_ = Reactions::below;

 public:
  explicit AutoJobs(JSContext* cx) { Reactions::below = cx->activation(); }
  ~AutoJobs() { Reactions::below = outer_; }
};

// Tells stacks of a job that runs in the engine's own way.
class MOZ_RAII AutoOther {
  JSObject* const* outer_ = Reactions::other;
  AutoJobs jobs_;

 public:
  AutoOther(JSContext* cx, JS::Handle<JSObject*> job) : jobs_(cx) {
    Reactions::other = job.address();
  }
  ~AutoOther() { Reactions::other = outer_; }
};

}  // namespace bao

js::AbstractGeneratorObject* bao::ResumedGenerator(JSContext* cx,
                                                   JSScript* oldest) {
  auto resumed = [&](JSObject* job) -> js::AbstractGeneratorObject* {
    if (!job || !job->is<PromiseReactionRecord>()) {
      return nullptr;
    }
    js::AbstractGeneratorObject* generator =
        Reactions::generatorOf(&job->as<PromiseReactionRecord>());
    return generator && generator->isRunning() &&
                   generator->compartment() == cx->compartment() &&
                   generator->callee().nonLazyScript() == oldest
               ? generator
               : nullptr;
  };
  js::AbstractGeneratorObject* generator = nullptr;
  if (Reactions::running) {
    generator = resumed(*Reactions::running);
  }
  if (!generator && Reactions::other) {
    generator = resumed(*Reactions::other);
  }
  return generator;
}

bool bao::IsBelowJob(const js::Activation* activation) {
  for (const js::Activation* i = Reactions::below; i; i = i->prev()) {
    if (i == activation) {
      return true;
    }
  }
  return false;
}

js::AbstractGeneratorObject* bao::AwaiterOf(
    js::AbstractGeneratorObject* generator) {
  using js::AsyncFunctionGeneratorObject;
  using js::AsyncGeneratorObject;
  if (generator->is<AsyncFunctionGeneratorObject>()) {
    return Reactions::awaiterOf(
        generator->as<AsyncFunctionGeneratorObject>().promise());
  }
  if (!generator->is<AsyncGeneratorObject>()) {
    return nullptr;
  }
  auto* steps = &generator->as<AsyncGeneratorObject>();
  if (steps->isQueueEmpty()) {
    return nullptr;
  }
  // Nothing collects.
  return Reactions::awaiterOf(
      AsyncGeneratorObject::peekRequest(
          Handle<AsyncGeneratorObject*>::fromMarkedLocation(&steps))
          ->promise());
}

#endif  // bao_Reactions_h
