/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The environment that each step of a `for (let ...)` loop has if a function in it
// uses its variables.
//
// Part of vm/EnvironmentObject.cpp, which includes it once.

#ifndef bao_Environments_h
#define bao_Environments_h

#include "bao/Objects.h"

namespace bao {

// As BlockLexicalEnvironmentObject::clone, without a lookup of the shape and without
// barriers. Null if the copy would need memory outside of the nursery, or slots
// outside of the object. Never collects.
static MOZ_ALWAYS_INLINE BlockLexicalEnvironmentObject* TryCopyEnvironment(
    JSContext* cx, BlockLexicalEnvironmentObject* env) {
  uint32_t fixed = env->numFixedSlots();
  uint32_t used = env->slotSpan();
  if (MOZ_UNLIKELY(used > fixed || env->inDictionaryMode())) {
    return nullptr;
  }
  size_t size = sizeof(NativeObject) +
                js::gc::GetGCKindSlots(js::gc::GetGCObjectKind(fixed)) *
                    sizeof(Value);
  NativeObject* copy = TakeFromNursery(cx, env->sharedShape(), size);
  if (MOZ_UNLIKELY(!copy)) {
    return nullptr;
  }
  copy->setEmptyElements();
  Value* slots = NurserySlots(copy);
  for (uint32_t i = 0; i < fixed; i++) {
    slots[i] = i < used ? env->getFixedSlot(i) : UndefinedValue();
  }
  return static_cast<BlockLexicalEnvironmentObject*>(copy);
}

}  // namespace bao

#endif  // bao_Environments_h
