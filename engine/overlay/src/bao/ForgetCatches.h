/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// What a realm does when a debugger begins to look at it.

#ifndef bao_ForgetCatches_h
#define bao_ForgetCatches_h

#include "jit/Invalidation.h"
#include "jit/JitScript.h"
#include "jit/JitZone.h"
#include "vm/HelperThreads.h"
#include "vm/JSContext.h"
#include "vm/JSScript.h"
#include "vm/Realm.h"

#include "jit/JitScript-inl.h"
#include "vm/JSScript-inl.h"

namespace bao {

// Gives up Ion's code of a realm: its jumps from `throw` to a catch block ask no
// debugger (Catches.h). Called before the realm counts as one that is debugged.
inline void ForgetJumpsToCatches(JS::Realm* realm) {
  JS::Zone* zone = realm->zone();
  if (!zone->jitZone()) {
    return;
  }
  js::CancelOffThreadIonCompile(zone);
  JSContext* cx = js::TlsContext.get();
  zone->jitZone()->forEachJitScript([&](js::jit::JitScript* jitScript) {
    JSScript* script = jitScript->owningScript();
    if (script->realm() == realm && script->hasIonScript()) {
      js::jit::Invalidate(cx, script, /* resetUses = */ false);
    }
  });
}

}  // namespace bao

#endif
