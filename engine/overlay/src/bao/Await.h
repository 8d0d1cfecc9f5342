/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The tests around an `await` in baseline code, and the frames of functions
// that were resumed after one.
//
// Part of jit/BaselineCodeGen.cpp.

#ifndef bao_Await_h
#define bao_Await_h

#include "jit/MacroAssembler.h"
#include "vm/BytecodeLocation.h"
#include "vm/JSContext.h"
#include "vm/JSScript.h"
#include "vm/PromiseObject.h"

namespace bao {

// A flag of BaselineFrame that the engine does not use: the frame was resumed,
// and has not reached the head of a loop since.
static constexpr uint32_t ResumedFlag = 1 << 3;

// Loops with more calls than this, or more bytes, enter Ion's code at once when
// the function is resumed in them. Each new object counts as two calls.
static constexpr size_t MaxCallsWithoutIon = 4;
static constexpr size_t MaxLengthWithoutIon = 400;

// Whether the loop at `head`, when its function is resumed in it, goes on in
// baseline code until it comes around without a suspension: to enter Ion's code
// costs more than a short step saves there.
static bool StaysInBaseline(JSScript* script, jsbytecode* head) {
  using namespace js;

  if (!script->isGenerator() && !script->isAsync()) {
    return false;
  }
  BytecodeLocation loopHead(script, head);
  jsbytecode* end = script->codeEnd();
  if (size_t(end - head) > MaxLengthWithoutIon) {
    end = head + MaxLengthWithoutIon;
  }
  size_t calls = 0;
  for (BytecodeLocation loc = loopHead; loc.toRawBytecode() < end;
       loc = loc.next()) {
    if (loc.isBackedgeForLoophead(loopHead)) {
      return calls <= MaxCallsWithoutIon;
    }
    JSOp op = loc.getOp();
    if (loc.isInvokeOp()) {
      calls += IsConstructOp(op) ? 2 : 1;
    } else if (op == JSOp::Lambda || op == JSOp::NewObject ||
               op == JSOp::NewInit || op == JSOp::NewArray ||
               op == JSOp::Object || op == JSOp::RegExp) {
      calls += 2;
    }
  }
  return false;
}

// Goes to `done` if the frame was resumed since it was last asked for.
static void EmitTakeResumedFlag(js::jit::MacroAssembler& masm,
                                const js::jit::Address& flags,
                                js::jit::Label* done) {
  using namespace js::jit;

  Label goOn;
  masm.branchTest32(Assembler::Zero, flags, Imm32(ResumedFlag), &goOn);
  masm.and32(Imm32(~ResumedFlag), flags);
  masm.jump(done);
  masm.bind(&goOn);
}

// Goes to `no` where CanSkipAwait says no without a look at the stack: other
// jobs wait, or the running code was not resumed by the loop over them, or was
// by more than one resumption.
static void EmitTestCannotSkipAwait(js::jit::MacroAssembler& masm,
                                    js::jit::Register scratch,
                                    js::jit::Label* no) {
  using namespace js::jit;

  masm.loadJSContext(scratch);
  masm.branch8(Assembler::Equal,
               Address(scratch, offsetof(JSContext, canSkipEnqueuingJobs) +
                                    js::ContextData<bool>::offsetOfValue()),
               Imm32(0), no);
  masm.branch32(Assembler::NotEqual,
                Address(scratch, offsetof(JSContext, asyncResumeDepth) +
                                     js::ContextData<uint32_t>::offsetOfValue()),
                Imm32(1), no);
}

// Puts the result of a promise in the place of the promise, as
// ExtractAwaitValue does for values that CanSkipAwait has said yes to.
static void EmitExtractAwaitValue(js::jit::MacroAssembler& masm,
                                  js::jit::ValueOperand value,
                                  js::jit::Register obj,
                                  js::jit::Register scratch) {
  using namespace js;
  using namespace js::jit;

  Label done;
  masm.fallibleUnboxObject(value, obj, &done);
  masm.branchTestObjClassNoSpectreMitigations(
      Assembler::NotEqual, obj, &PromiseObject::class_, scratch, &done);
  masm.loadValue(Address(obj, NativeObject::getFixedSlotOffset(
                                  PromiseSlot_ReactionsOrResult)),
                 value);
  masm.bind(&done);
}

}  // namespace bao

#endif  // bao_Await_h
