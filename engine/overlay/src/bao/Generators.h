/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Objects of generators that machine code makes without an exit frame.
//
// Part of vm/GeneratorObject.cpp.

#ifndef bao_Generators_h
#define bao_Generators_h

#include "bao/AsyncCalls.h"
#include "bao/Objects.h"

JSObject* bao::TryNewGenerator(JSContext* cx, JSFunction* callee, JSObject* env,
                               uint32_t nslots) {
  // A debugger hears of each generator.
  if (MOZ_UNLIKELY(cx->realm()->isDebuggee())) {
    return nullptr;
  }
  JSObject* prototype = memos.generators.prototypeOf(cx, callee);
  if (MOZ_UNLIKELY(!prototype)) {
    return nullptr;
  }
  PrototypeMemo& memo = memos.generators.of(prototype);
  if (MOZ_UNLIKELY(memo.prototype != prototype)) {
    return nullptr;
  }
  auto* generator =
      TryNewObject<GeneratorObject, GeneratorObject::RESERVED_SLOTS>(
          cx, memo.shape);
  ArrayObject* stack = TryNewArray(cx, nslots);
  if (MOZ_UNLIKELY(!generator || !stack)) {
    return nullptr;
  }
  Value* slots = NurserySlots(generator);
  slots[GeneratorObject::CALLEE_SLOT] = ObjectValue(*callee);
  slots[GeneratorObject::ENV_CHAIN_SLOT] = ObjectValue(*env);
  slots[GeneratorObject::STACK_STORAGE_SLOT] = ObjectValue(*stack);
  return generator;
}

#endif  // bao_Generators_h
