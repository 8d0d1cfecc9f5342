/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Where a `throw` statement goes if a catch block of its own function takes what it throws.

#ifndef bao_Catches_h
#define bao_Catches_h

#include "jit/CompileInfo.h"
#include "jit/MIRGraph.h"
#include "vm/BytecodeIterator.h"
#include "vm/BytecodeLocation.h"
#include "vm/JSScript.h"
#include "vm/Realm.h"

namespace bao {

// The catch block that a `throw` at `place` ends in, as the engine's try notes
// say it; null if there is none in this script, or if something else comes
// first: a finally block, or an iterator that has to be closed.
inline const js::TryNote* CatchOf(JSScript* script, js::BytecodeLocation place) {
  if (script->realm()->isDebuggee()) {
    return nullptr;  // A debugger may ask for what is thrown.
  }
  uint32_t offset = place.bytecodeToOffset(script);
  // Inner ones come first.
  for (const js::TryNote& note : script->trynotes()) {
    if (offset - note.start >= note.length ||
        note.kind() == js::TryNoteKind::Loop) {
      continue;
    }
    return note.kind() == js::TryNoteKind::Catch ? &note : nullptr;
  }
  return nullptr;
}

// The instruction behind those that clear the script's value and read the
// exception: a catch block goes on there with the exception on the stack. Null
// if the block begins in another way.
inline jsbytecode* CatchBody(JSScript* script, const js::TryNote* note) {
  js::BytecodeLocation place = script->offsetToLocation(note->start + note->length);
  for (JSOp op : {JSOp::JumpTarget, JSOp::Undefined, JSOp::SetRval, JSOp::Exception}) {
    if (!place.is(op)) {
      return nullptr;
    }
    place = place.next();
  }
  return place.toRawBytecode();
}

// The environment where a try block was entered.
inline js::jit::MDefinition* EnvironmentOfTry(js::jit::MIRGraph& graph,
                                              const js::jit::CompileInfo& info,
                                              JSScript* script,
                                              const js::TryNote* note) {
  jsbytecode* start = script->offsetToPC(note->start);
  for (auto block = graph.begin(); block != graph.end(); block++) {
    if (&block->info() == &info && block->entryResumePoint() &&
        block->entryPC() == start) {
      return block->entryResumePoint()->getOperand(info.environmentChainSlot());
    }
  }
  return nullptr;
}

// Whether code of this script is entered elsewhere than at its start: what was
// computed before a try block may be missing inside it.
inline bool HasOtherEntries(const js::jit::CompileInfo& info, JSScript* script) {
  return info.osrPc() || script->isGenerator() || script->isAsync();
}

// Whether Ion's code of a script jumps to a catch block from `pc`.
inline bool IsJumpToCatch(JSScript* script, jsbytecode* pc) {
  if (JSOp(*pc) != JSOp::Throw) {
    return false;
  }
  const js::TryNote* note = CatchOf(script, js::BytecodeLocation(script, pc));
  return note && CatchBody(script, note);
}

}  // namespace bao

#endif
