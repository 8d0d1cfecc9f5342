/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Suspension of generators and async functions without a call into the engine:
// baseline code copies its locals and operands itself. And resumption of
// generators in the place of the self-hosted function that resumes them.
//
// Part of jit/BaselineCodeGen.cpp.

#ifndef bao_Suspend_h
#define bao_Suspend_h

#include "gc/GC.h"
#include "jit/BaselineFrameInfo.h"
#include "jit/CompileWrappers.h"
#include "jit/JitFrames.h"
#include "jit/MacroAssembler.h"
#include "vm/ArrayObject.h"
#include "vm/AsyncFunction.h"
#include "vm/AsyncIteration.h"
#include "vm/GeneratorObject.h"

namespace bao {

// Two instructions a slot, at each yield: larger frames are saved by a call.
static constexpr size_t MaxSlotsToSuspendInline = 16;

// The values that a suspension saves: locals and operands, without the value
// on top that it returns. The generator has been popped.
static size_t SlotsToSuspend(const js::jit::CompilerFrameInfo& frame) {
  return frame.nlocals() + frame.stackDepth() - 1;
}

// Only known while the interpreter runs.
static size_t SlotsToSuspend(const js::jit::InterpreterFrameInfo&) {
  return SIZE_MAX;
}

// Copies the first `nslots` values of the frame, which are in memory, into the
// array that the generator has for them. `genObj` stays; `barrier` is the code
// that enters the object in R2 into the store buffer.
static void EmitSaveSlots(js::jit::MacroAssembler& masm, size_t nslots,
                          js::jit::Register genObj, js::jit::Label& barrier) {
  using namespace js;
  using namespace js::jit;

  AllocatableGeneralRegisterSet regs(GeneralRegisterSet::All());
  regs.takeUnchecked(FramePointer);
  regs.take(genObj);
  regs.takeUnchecked(R2.scratchReg());
  Register storage = regs.takeAny();
  Register elements = regs.takeAny();
  Register scratch = regs.takeAny();
  ValueOperand value = regs.takeAnyValue();

  // The array is empty, so nothing is overwritten that a collection marks.
  masm.unboxObject(
      Address(genObj, AbstractGeneratorObject::offsetOfStackStorageSlot()),
      storage);
  masm.loadPtr(Address(storage, NativeObject::offsetOfElements()), elements);
  for (size_t i = 0; i < nslots; i++) {
    Address local(FramePointer, BaselineFrame::reverseOffsetOfLocal(i));
    masm.loadValue(local, value);
    masm.storeValue(value, Address(elements, i * sizeof(Value)));
  }
  masm.store32(
      Imm32(nslots),
      Address(elements, ObjectElements::offsetOfInitializedLength()));
  masm.store32(Imm32(nslots),
               Address(elements, ObjectElements::offsetOfLength()));

  Label next, enter, done;
  masm.branchPtrInNurseryChunk(Assembler::Equal, storage, scratch, &done);
  Register count = value.scratchReg();
  masm.move32(Imm32(nslots), count);
  masm.bind(&next);
  masm.branchValueIsNurseryCell(Assembler::Equal, Address(elements, 0), scratch,
                                &enter);
  masm.addPtr(Imm32(sizeof(Value)), elements);
  masm.branchSub32(Assembler::NonZero, Imm32(1), count, &next);
  masm.jump(&done);

  masm.bind(&enter);
  masm.push(genObj);
  masm.movePtr(storage, R2.scratchReg());
  masm.call(&barrier);
  masm.pop(genObj);
  masm.bind(&done);
}

// The class of the generator objects of a function; null if it is not known, or
// if it is a module, which has more to do when it ends.
static const JSClass* GeneratorClass(JSScript* script) {
  using namespace js;
  if (!script || !script->function()) {
    return nullptr;
  }
  if (!script->isAsync()) {
    return &GeneratorObject::class_;
  }
  return script->isGenerator() ? &AsyncGeneratorObject::class_
                               : &AsyncFunctionGeneratorObject::class_;
}

// Closes a generator of the nursery, which needs no barriers, and goes to
// `closed`; not if it is of another class than `clasp`, or if a debugger may
// know it.
static void EmitCloseGenerator(js::jit::MacroAssembler& masm,
                               const JSClass* clasp,
                               js::jit::Register genObj,
                               js::jit::Register scratch,
                               js::jit::Label* closed) {
  using namespace js;
  using namespace js::jit;

  if (!clasp) {
    return;
  }
  Label call;
  masm.branchPtrInNurseryChunk(Assembler::NotEqual, genObj, scratch, &call);
  masm.loadObjShapeUnsafe(genObj, scratch);
  masm.loadPtr(Address(scratch, Shape::offsetOfBaseShape()), scratch);
  masm.branchPtr(Assembler::NotEqual,
                 Address(scratch, BaseShape::offsetOfClasp()), ImmPtr(clasp),
                 &call);
  masm.loadPtr(Address(scratch, BaseShape::offsetOfRealm()), scratch);
  masm.branchTest32(Assembler::NonZero,
                    Address(scratch, Realm::offsetOfDebugModeBits()),
                    Imm32(Realm::debugModeIsDebuggeeBit()), &call);
  for (size_t slot = 0; slot < AbstractGeneratorObject::RESERVED_SLOTS;
       slot++) {
    masm.storeValue(NullValue(),
                    Address(genObj, NativeObject::getFixedSlotOffset(slot)));
  }
  masm.jump(closed);
  masm.bind(&call);
}

// A part of the layout of a function's frame when only its return address is
// pushed.
static js::jit::Address AtEntry(size_t offsetInLayout) {
  return js::jit::Address(js::jit::StackPointer,
                          offsetInLayout - sizeof(void*));
}

// At the entry of a function with `nargs` parameters whose `this` may be what
// `resumes` says: goes to `fail` unless that is suspended, is of the current realm,
// has baseline code and no more parameters than there are arguments. Nobody
// looks on, and no interrupt is due. `jitScript` is that of the function.
static void EmitGuardCanResume(js::jit::MacroAssembler& masm,
                               js::jit::CompileRuntime* runtime,
                               Resumes resumes, size_t nargs,
                               js::jit::Register genObj,
                               js::jit::Register callee,
                               js::jit::Register resumeIndex,
                               js::jit::Register jitScript,
                               js::jit::Label* fail) {
  using namespace js;
  using namespace js::jit;

  Register scratch = jitScript;
  masm.branch32(Assembler::NotEqual,
                AbsoluteAddress(runtime->geckoProfiler().addressOfEnabled()),
                Imm32(0), fail);
  masm.branchStackPtrRhs(Assembler::Above,
                         AbsoluteAddress(runtime->addressOfJitStackLimit()),
                         fail);

  masm.fallibleUnboxObject(AtEntry(JitFrameLayout::offsetOfThis()), genObj,
                           fail);
  masm.loadObjShapeUnsafe(genObj, scratch);
  masm.loadPtr(Address(scratch, Shape::offsetOfBaseShape()), scratch);
  Address clasp(scratch, BaseShape::offsetOfClasp());
  if (resumes == Resumes::Generator) {
    masm.branchPtr(Assembler::NotEqual, clasp,
                   ImmPtr(&GeneratorObject::class_), fail);
  } else {
    Label isAsync;
    masm.branchPtr(Assembler::Equal, clasp,
                   ImmPtr(&AsyncFunctionGeneratorObject::class_), &isAsync);
    masm.branchPtr(Assembler::NotEqual, clasp,
                   ImmPtr(&AsyncGeneratorObject::class_), fail);
    masm.bind(&isAsync);
  }
  masm.loadPtr(Address(scratch, BaseShape::offsetOfRealm()), scratch);
  const void* realm = static_cast<const uint8_t*>(runtime->mainContextPtr()) +
                      JSContext::offsetOfRealm();
  masm.branchPtr(Assembler::NotEqual, AbsoluteAddress(realm), scratch, fail);

  Address index(genObj, AbstractGeneratorObject::offsetOfResumeIndexSlot());
  masm.branchTestInt32(Assembler::NotEqual, index, fail);
  masm.unboxInt32(index, resumeIndex);
  masm.branch32(Assembler::Equal, resumeIndex,
                Imm32(AbstractGeneratorObject::RESUME_INDEX_RUNNING), fail);

  masm.unboxObject(
      Address(genObj, AbstractGeneratorObject::offsetOfCalleeSlot()), callee);
  Label enough;
  masm.loadFunctionArgCount(callee, scratch);
  masm.branch32(Assembler::BelowOrEqual, scratch, Imm32(nargs), &enough);
  {
    Register given = resumeIndex;
    masm.loadPtr(AtEntry(JitFrameLayout::offsetOfDescriptor()), given);
    masm.rshiftPtr(Imm32(FrameDescriptor::NumActualArgsShift), given);
    masm.branch32(Assembler::Above, scratch, given, fail);
    masm.unboxInt32(index, resumeIndex);
  }
  masm.bind(&enough);

  masm.loadPrivate(Address(callee, JSFunction::offsetOfJitInfoOrScript()),
                   scratch);
  masm.branchIfScriptHasNoJitScript(scratch, fail);
  masm.loadJitScript(scratch, scratch);
  masm.branchPtr(Assembler::BelowOrEqual,
                 Address(scratch, JitScript::offsetOfBaselineScript()),
                 ImmPtr(BaselineCompilingScriptPtr), fail);
}

}  // namespace bao

#endif  // bao_Suspend_h
