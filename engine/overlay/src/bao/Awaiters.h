/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Who awaits the running code: the async functions and generators that a stack
// goes on with where it ends on the machine's stack.
//
// The functions are those of builtin/Promise.cpp (Reactions.h). They never
// collect.

#ifndef bao_Awaiters_h
#define bao_Awaiters_h

#include "vm/Activation.h"
#include "vm/GeneratorObject.h"
#include "vm/JSContext.h"
#include "vm/JSFunction.h"
#include "vm/JSScript.h"

namespace bao {

// What a job of the loop over microtasks has resumed, if that runs and `oldest`,
// the script of the oldest frame, is its own; else null.
js::AbstractGeneratorObject* ResumedGenerator(JSContext* cx, JSScript* oldest);

// Whether the frames of `activation` are below the running job: those of who runs
// jobs, such as the queue of ticks.
bool IsBelowJob(const js::Activation* activation);

// What goes on when `generator` ends, or yields; null if that is nothing, more
// than one, or no `await`.
js::AbstractGeneratorObject* AwaiterOf(js::AbstractGeneratorObject* generator);

// The `await` at which a generator is suspended.
inline jsbytecode* AwaitOf(js::AbstractGeneratorObject* generator) {
  JSScript* script = generator->callee().nonLazyScript();
  uint32_t next = script->resumeOffsets()[generator->resumeIndex()];
  return script->offsetToPC(next - js::JSOpLength_Await);
}

}  // namespace bao

#endif  // bao_Awaiters_h
