/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Scripts whose compiled code met a value of another type than it expected where
// ways join, how often.

#ifndef bao_PhiChances_h
#define bao_PhiChances_h

#include <stddef.h>
#include <stdint.h>

#include "vm/JSScript.h"

namespace bao {

// Whether a script may be compiled again with the types that are known by now.
// The code that failed may be older than the value: a helper thread made it while
// the loop went on. Each script has a few chances, so that none is compiled again
// and again. Addresses are only compared: a script that comes to lie where a
// collected one was has what is left.
[[maybe_unused]] static bool HasPhiChance(const JSScript* script) {
  static constexpr uint8_t Chances = 2;
  static constexpr size_t Slots = 256;
  struct Slot {
    const JSScript* script;
    uint8_t failures;
  };
  static constinit thread_local Slot slots[Slots] = {};
  Slot& slot = slots[(uintptr_t(script) / js::gc::CellAlignBytes) % Slots];
  if (!slot.script) {
    slot.script = script;
  }
  // Without a slot of its own a script has none, as in the engine.
  if (slot.script != script || slot.failures == Chances) {
    return false;
  }
  slot.failures++;
  return true;
}

}  // namespace bao

#endif  // bao_PhiChances_h
