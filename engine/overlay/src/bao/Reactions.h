/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Reaction records written in one pass.
//
// Part of builtin/Promise.cpp, which includes it once.

#ifndef bao_Reactions_h
#define bao_Reactions_h

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
        record->setFixedSlot(slot, value);
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

}  // namespace bao

#endif  // bao_Reactions_h
