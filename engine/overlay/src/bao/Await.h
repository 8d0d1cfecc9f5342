/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// What machine code does around an `await` and in a call of an async function
// without the engine's general ways to call C++, and the frames of functions that
// were resumed after an await.
//
// Part of jit/BaselineCodeGen.cpp and of jit/CodeGenerator.cpp.

#ifndef bao_Await_h
#define bao_Await_h

#include "bao/AsyncCalls.h"
#include "jit/ABIFunctions.h"
#include "jit/JitFrames.h"
#include "jit/MacroAssembler.h"
#include "vm/BytecodeLocation.h"
#include "vm/GlobalObject.h"
#include "vm/JitActivation.h"
#include "vm/JSContext.h"
#include "vm/JSScript.h"
#include "vm/PromiseObject.h"
#include "vm/RealmFuses.h"

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

// Members that the engine's classes keep to themselves.
struct PreviousActivation : js::Activation {
  static constexpr size_t offset() {
    return offsetof(PreviousActivation, prev_);
  }
};
struct PropMapLength : js::NativeShape {
  static constexpr uint32_t mask() { return MAP_LENGTH_MASK; }
};

// As CanSkipAwait, in the frame of an async function: goes to `yes`, `no`, or
// on if the engine has to be asked. `value` stays; `obj` may be one of its
// registers only if it has others.
//
// The function's frame, or that of AsyncFunctionNext, is outermost where a C++
// frame called it and no activation is below: at depth 1 it was resumed then
// (QuickIsTopMost in AsyncFunctions.h), or the engine has found it to be so and
// marked the activation. A promise is settled and without properties of its own,
// its prototype is the realm's, which is as the engine made it.
static void EmitCanSkipAwait(js::jit::MacroAssembler& masm,
                             js::jit::ValueOperand value,
                             js::jit::Register obj, js::jit::Register scratch,
                             js::jit::Label* yes, js::jit::Label* no) {
  using namespace js;
  using namespace js::jit;

  Label unknown, outermost, topMost;
  EmitTestCannotSkipAwait(masm, scratch, no);

  masm.load32(Address(FramePointer, CommonFrameLayout::offsetOfDescriptor()),
              scratch);
  masm.and32(Imm32(FrameDescriptor::TypeMask), scratch);
  masm.branch32(Assembler::Equal, scratch,
                Imm32(int32_t(FrameType::CppToJSJit)), &outermost);
  // A function that another one called; only JSOp::Resume, in AsyncFunctionNext
  // and the like, makes a frame without that of an inline cache in between.
  masm.branch32(Assembler::NotEqual, scratch,
                Imm32(int32_t(FrameType::BaselineJS)), no);
  masm.loadPtr(Address(FramePointer, 0), scratch);
  masm.load32(Address(scratch, CommonFrameLayout::offsetOfDescriptor()),
              scratch);
  masm.and32(Imm32(FrameDescriptor::TypeMask), scratch);
  masm.branch32(Assembler::NotEqual, scratch,
                Imm32(int32_t(FrameType::CppToJSJit)), &unknown);
  masm.loadJSContext(scratch);
  masm.loadPtr(Address(scratch, JSContext::offsetOfJitActivation()), scratch);
  masm.branchPtr(Assembler::Equal,
                 Address(scratch, PreviousActivation::offset()), ImmWord(0),
                 &topMost);
  masm.jump(&unknown);

  masm.bind(&outermost);
  masm.loadJSContext(scratch);
  masm.loadPtr(Address(scratch, JSContext::offsetOfJitActivation()), scratch);
  masm.branchPtr(Assembler::Equal,
                 Address(scratch, PreviousActivation::offset()), ImmWord(0),
                 &topMost);
  masm.branchTest32(
      Assembler::Zero,
      Address(scratch, JitActivation::offsetOfEncodedWasmExitReason()),
      Imm32(int32_t(JitActivation::IsTopMostAwaiter)), &unknown);
  masm.bind(&topMost);

  masm.branchTestObject(Assembler::NotEqual, value, yes);
  masm.unboxObject(value, obj);
  masm.branchTestObjClassNoSpectreMitigations(
      Assembler::NotEqual, obj, &PromiseObject::class_, scratch, &unknown);
  constexpr int32_t fulfilled = PROMISE_FLAG_RESOLVED | PROMISE_FLAG_FULFILLED;
  masm.unboxInt32(
      Address(obj, NativeObject::getFixedSlotOffset(PromiseSlot_Flags)),
      scratch);
  masm.and32(Imm32(fulfilled), scratch);
  masm.branch32(Assembler::NotEqual, scratch, Imm32(fulfilled), no);

  masm.loadRealmFuse(RealmFuses::FuseIndex::OptimizePromiseLookupFuse, scratch);
  masm.branchPtr(Assembler::NotEqual, scratch, ImmPtr(nullptr), &unknown);
  masm.loadObjShapeUnsafe(obj, scratch);
  masm.branchTest32(Assembler::NonZero,
                    Address(scratch, Shape::offsetOfImmutableFlags()),
                    Imm32(PropMapLength::mask()), &unknown);
  masm.loadPtr(Address(scratch, Shape::offsetOfBaseShape()), scratch);
  masm.loadPtr(Address(scratch, BaseShape::offsetOfProto()), scratch);
  masm.loadGlobalObjectData(obj);
  constexpr size_t prototype =
      offsetof(GlobalObjectData, builtinConstructors) +
      JSProto_Promise * sizeof(GlobalObjectData::ConstructorWithProto) +
      offsetof(GlobalObjectData::ConstructorWithProto, prototype);
  masm.branchPtr(Assembler::Equal, Address(obj, prototype), scratch, yes);

  masm.bind(&unknown);
}

// Calls one of the functions of AsyncCalls.h with the context, `args` and, if
// there is one, a number, and goes to `done` with what it gave in ReturnReg; goes
// on if that is null. The registers of `args` stay then; no other register does.
template <size_t N>
static void EmitTryCall(
    js::jit::MacroAssembler& masm, void* function,
    const js::jit::Register (&args)[N], js::jit::Label* done,
    const mozilla::Maybe<uint32_t>& number = mozilla::Nothing()) {
  using namespace js::jit;

  AllocatableGeneralRegisterSet regs(GeneralRegisterSet::Volatile());
  for (Register reg : args) {
    regs.takeUnchecked(reg);
    masm.push(reg);
  }
  Register context = regs.takeAny();
  Register scratch = regs.takeAny();
  masm.setupUnalignedABICall(scratch);
  masm.loadJSContext(context);
  masm.passABIArg(context);
  for (Register reg : args) {
    masm.passABIArg(reg);
  }
  if (number) {
    Register last = regs.takeAny();
    masm.move32(Imm32(int32_t(*number)), last);
    masm.passABIArg(last);
  }
  masm.callWithABI(DynFn{function}, ABIType::General,
                   CheckUnsafeCallWithABI::DontCheckOther);
  Label failed;
  masm.branchTestPtr(Assembler::Zero, ReturnReg, ReturnReg, &failed);
  masm.addToStackPtr(Imm32(N * sizeof(void*)));
  masm.jump(done);
  masm.bind(&failed);
  for (size_t i = N; i > 0; i--) {
    masm.pop(args[i - 1]);
  }
}

// The same of TryNewAsyncCall or TryNewGenerator. Returns false, and emits nothing,
// if neither makes calls of the script's function.
static bool EmitTryNewGenerator(js::jit::MacroAssembler& masm, JSScript* script,
                                js::jit::Register callee,
                                js::jit::Register env, js::jit::Label* done) {
  if (!script->function() || script->isAsync() == script->isGenerator() ||
      script->needsArgsObj()) {
    return false;
  }
  void* function = script->isAsync()
                       ? JS_FUNC_TO_DATA_PTR(void*, TryNewAsyncCall)
                       : JS_FUNC_TO_DATA_PTR(void*, TryNewGenerator);
  EmitTryCall(masm, function, {callee, env}, done,
              mozilla::Some(script->nslots()));
  return true;
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
