/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The machine code that all machine code shares, trampolines, wrappers of VM
// functions and the baseline interpreter, is made when it is first needed.

#ifndef bao_MachineCode_h
#define bao_MachineCode_h

#include "jit/JitRuntime.h"
#include "vm/JSContext.h"
#include "vm/Runtime.h"

namespace bao {

// JitRuntime::initialize makes the code only while this is set.
inline constinit thread_local bool makesMachineCode = false;

inline bool HasMachineCode(JSRuntime* rt) {
  return rt->jitRuntime()->hasJitcodeGlobalTable();
}

// Makes it. Never collects.
void MakeMachineCode(JSContext* cx);

// To be called before anything uses it or makes code that does: where a zone gets
// what it needs for code of its own, and by what needs no zone's.
inline void EnsureMachineCode(JSContext* cx) {
  if (MOZ_UNLIKELY(!HasMachineCode(cx->runtime()))) {
    MakeMachineCode(cx);
  }
}

// What the script of a function that machine code calls goes to as long as it has
// no code: null as long as there is no machine code.
inline uint8_t* InterpreterStub(JSRuntime* rt) {
  return HasMachineCode(rt) ? rt->jitRuntime()->interpreterStub().value
                            : nullptr;
}

}  // namespace bao

#endif  // bao_MachineCode_h
