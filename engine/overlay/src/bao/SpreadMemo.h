/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Which shape an object without properties gets with those of another one, and
// what copies them without an exit frame.

#ifndef bao_SpreadMemo_h
#define bao_SpreadMemo_h

#include <algorithm>
#include <stddef.h>
#include <stdint.h>

#include "gc/GC.h"
#include "vm/JSContext.h"
#include "vm/PlainObject.h"

namespace bao {

// What was spread last: a table of shapes without roots. It is valid until the
// next major collection begins, because only a major collection frees or moves
// a shape. A shape belongs to one realm.
class SpreadMemo {
  struct Entry {
    js::Shape* target;
    js::Shape* from;
    js::SharedShape* result;
  };
  static constexpr size_t Size = 16;

  Entry entries_[Size] = {};
  uint64_t collection_ = 0;

  Entry& entryOf(js::Shape* target, js::Shape* from) {
    // Shapes are cells of 32 bytes or a little more.
    uintptr_t hash = (uintptr_t(from) >> 5) + (uintptr_t(target) >> 6);
    return entries_[(hash ^ hash >> 4) % Size];
  }

 public:
  // The shape that `target` has with the properties of `from`, or null.
  MOZ_ALWAYS_INLINE js::SharedShape* lookup(JSContext* cx, js::Shape* target,
                                            js::Shape* from) {
    Entry& entry = entryOf(target, from);
    if (MOZ_UNLIKELY(entry.target != target || entry.from != from ||
                     collection_ != cx->runtime()->gc.majorGCCount() ||
                     cx->zone()->needsMarkingBarrier())) {
      return nullptr;
    }
    return entry.result;
  }

  // Remembers that `target`, which has no properties, has those of `from` in
  // its own slots, of the same numbers, once its shape is `result`.
  void note(JSContext* cx, js::Shape* target, js::Shape* from,
            js::SharedShape* result) {
    // What is looked up between the slices of a collection may die in it.
    if (cx->runtime()->gc.isIncrementalGCInProgress()) {
      return;
    }
    uint64_t collection = cx->runtime()->gc.majorGCCount();
    if (collection_ != collection) {
      *this = SpreadMemo();
      collection_ = collection;
    }
    entryOf(target, from) = {target, from, result};
  }
};

// That of a thread; BaoStart forgets what was noted for an earlier runtime.
inline constinit thread_local SpreadMemo spreadMemo;

// As CopyDataPropertiesNative without excluded properties, for an object of the
// nursery that has room for what is known of its source. False, and nothing has
// happened, if that is not so. Never collects.
static MOZ_ALWAYS_INLINE bool TryCopyNoted(JSContext* cx, JSObject* target,
                                           JSObject* source) {
  js::SharedShape* shape =
      spreadMemo.lookup(cx, target->shape(), source->shape());
  if (MOZ_UNLIKELY(!shape || !js::gc::IsInsideNursery(target))) {
    return false;
  }
  auto* from = static_cast<js::NativeObject*>(source);
  auto* to = static_cast<js::NativeObject*>(target);
  if (MOZ_UNLIKELY(from->getDenseInitializedLength() != 0)) {
    return false;
  }
  uint32_t span = shape->slotSpan();
  uint32_t fixed = std::min(span, from->numFixedSlots());
  auto address = [](js::NativeObject* obj, uint32_t slot) {
    return reinterpret_cast<JS::Value*>(obj->getSlotAddressUnchecked(slot));
  };
  JS::Value* slots = address(to, 0);
  // New objects of the nursery need no barriers (Slots.h).
  for (uint32_t slot = 0; slot < fixed; slot++) {
    slots[slot] = address(from, 0)[slot];
  }
  for (uint32_t slot = fixed; slot < span; slot++) {
    slots[slot] = *address(from, slot);
  }
  to->setShape(shape);
  return true;
}

// What machine code calls for the intrinsic CopyDataPropertiesOrGetOwnKeys, which
// is `copyDataProperties`, before it calls that: with `this` and the arguments.
// Says whether the properties are copied.
extern const JSNative copyDataProperties;
bool TryCopyDataProperties(JSContext* cx, const JS::Value* args);

}  // namespace bao

#endif  // bao_SpreadMemo_h
