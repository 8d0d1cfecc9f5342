/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Stores into fixed slots without the barriers that a store does not need.

#ifndef bao_Slots_h
#define bao_Slots_h

#include "gc/Zone.h"
#include "vm/NativeObject.h"

namespace bao {

// The fixed slots of an object that is in the nursery, for stores without
// barriers. A minor collection traces all of the object, so no store buffer
// entry is needed. A major collection begins with an empty nursery: the object
// is newer than the snapshot that the collection marks, so no edge that is
// overwritten needs to be marked.
static MOZ_ALWAYS_INLINE JS::Value* NurserySlots(js::NativeObject* obj) {
  MOZ_ASSERT(js::gc::IsInsideNursery(obj));
  return const_cast<JS::Value*>(&obj->getFixedSlot(0));
}

// As setFixedSlot. The barrier before a store is for the marking of a major
// collection, the one behind it for edges from tenured objects into the
// nursery; an entry that is left behind in the store buffer does no harm.
static MOZ_ALWAYS_INLINE void Store(js::NativeObject* obj, uint32_t slot,
                                    const JS::Value& value) {
  if (js::gc::IsInsideNursery(obj) ||
      (!obj->zoneFromAnyThread()->needsMarkingBarrier() &&
       !(value.isGCThing() && js::gc::IsInsideNursery(value.toGCThing())))) {
    const_cast<JS::Value&>(obj->getFixedSlot(slot)) = value;
  } else {
    obj->setFixedSlot(slot, value);
  }
}

}  // namespace bao

#endif  // bao_Slots_h
