/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// `{ ...from }` by the shape of what is spread.
//
// Part of vm/NativeObject.cpp.

#ifndef bao_Spread_h
#define bao_Spread_h

#include <algorithm>

#include "bao/SpreadMemo.h"
#include "gc/GC.h"
#include "vm/PlainObject.h"
#include "vm/Realm.h"

namespace bao {

// The shape that |target|, which has no properties, has with those of |from|;
// null if they have to be added one by one. As Object.assign finds it, and in
// the same cache: that knows no shapes with symbols or with `__proto__`, which
// it treats otherwise.
static js::SharedShape* ShapeOfCopy(JSContext* cx,
                                    JS::Handle<js::PlainObject*> target,
                                    JS::Handle<js::NativeObject*> from,
                                    bool* failed) {
  using namespace js;
  PlainObjectAssignCache& cache = cx->realm()->plainObjectAssignCache;
  if (SharedShape* known = cache.lookup(target->shape(), from->shape())) {
    return known;
  }
  for (ShapePropertyIter<NoGC> iter(from->shape()); !iter.done(); iter++) {
    if (iter->flags() != PropertyFlags::defaultDataPropFlags ||
        iter->key().isSymbol() || iter->key().isAtom(cx->names().proto_)) {
      return nullptr;
    }
  }
  SharedShape* made = nullptr;
  switch (target->canReuseShapeForNewProperties(from->shape())) {
    case CanReuseShape::NoReuse:
      return nullptr;
    case CanReuseShape::CanReuseShape:
      made = from->sharedShape();
      break;
    case CanReuseShape::CanReusePropMap: {
      Rooted<SharedPropMap*> map(cx, from->sharedShape()->propMap());
      made = SharedShape::getPropMapShape(
          cx, target->sharedShape()->base(),
          target->sharedShape()->numFixedSlots(), map,
          from->sharedShape()->propMapLength(),
          from->sharedShape()->objectFlags());
      if (!made) {
        *failed = true;
        return nullptr;
      }
      break;
    }
  }
  cache.fill(target->sharedShape(), from->sharedShape(), made);
  return made;
}

// Copies the first `span` slots, which are new in an object of the nursery and
// need no barriers there. Each object has its own number of fixed slots.
static void InitNurserySlots(js::NativeObject* target,
                             const js::NativeObject* from, uint32_t span) {
  for (uint32_t slot = 0; slot < span;) {
    uint32_t end = span;
    for (uint32_t fixed : {target->numFixedSlots(), from->numFixedSlots()}) {
      if (slot < fixed && fixed < end) {
        end = fixed;
      }
    }
    const JS::Value* source =
        reinterpret_cast<const JS::Value*>(from->getSlotAddressUnchecked(slot));
    std::copy_n(source, end - slot,
                reinterpret_cast<JS::Value*>(
                    target->getSlotAddressUnchecked(slot)));
    slot = end;
  }
}

// Gives |target|, which has no properties, those of |from|, which has no
// elements. |*copied| is false if that is left to the caller.
[[nodiscard]] static bool CopyWithShape(JSContext* cx,
                                        JS::Handle<js::PlainObject*> target,
                                        JS::Handle<js::NativeObject*> from,
                                        bool* copied) {
  if (from->empty()) {
    *copied = true;
    return true;
  }
  bool failed = false;
  js::SharedShape* shape = ShapeOfCopy(cx, target, from, &failed);
  if (!shape) {
    return !failed;
  }
  uint32_t span = shape->slotSpan();
  if (span <= target->numFixedSlots()) {
    spreadMemo.note(cx, target->shape(), from->shape(), shape);
  }
  if (!target->setShapeAndAddNewSlots(cx, shape, 0, span)) {
    return false;
  }
  if (js::gc::IsInsideNursery(target)) {
    InitNurserySlots(target, from, span);
  } else {
    for (uint32_t slot = 0; slot < span; slot++) {
      target->initSlot(slot, from->getSlot(slot));
    }
  }
  *copied = true;
  return true;
}

}  // namespace bao

#endif  // bao_Spread_h
