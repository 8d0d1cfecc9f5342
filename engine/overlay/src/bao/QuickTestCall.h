/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// How the code of QuickTest.h is called. It changes all registers that it names,
// and the macro assembler's own.

#ifndef bao_QuickTestCall_h
#define bao_QuickTestCall_h

#include "jit/Registers.h"

namespace bao {

// Where it stands in the code of an expression for one-byte texts.
static constexpr size_t QuickTestOffset = 16;

// The longest text that it is called for: it asks nobody whether to stop.
static constexpr int32_t QuickTestMaxLength = 256;

// Where the text begins when it is called, then the next character.
static constexpr js::jit::Register QuickTestPlace = js::jit::rsi;
// Behind the last character of the text.
static constexpr js::jit::Register QuickTestEnd = js::jit::rdx;

// The answer; before, a character.
static constexpr js::jit::Register QuickTestResult = js::jit::rax;
enum : int32_t { QuickTestMissing, QuickTestFound, QuickTestUnknown };

static constexpr js::jit::Register QuickTestTemp = js::jit::rcx;
// Where the text begins, and where what is looked for would begin.
static constexpr js::jit::Register QuickTestStart = js::jit::r8;
static constexpr js::jit::Register QuickTestFrom = js::jit::r9;
// Places to go back to.
static constexpr js::jit::Register QuickTestSlots[] = {
    js::jit::r10, js::jit::r12, js::jit::r13, js::jit::r14, js::jit::r15};

}  // namespace bao

#endif
