/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Generators that are resumed in Ion's code: which can be, and how it is entered.
// WarpBuilder::startResumption makes the entry.
//
// Part of jit/BytecodeAnalysis.cpp, jit/CacheIR.cpp, jit/WarpBuilder.cpp,
// jit/Ion.cpp, jit/TrialInlining.cpp and jit/BaselineCodeGen.cpp.

#ifndef bao_ResumeInIon_h
#define bao_ResumeInIon_h

#include "jit/BytecodeAnalysis.h"
#include "jit/IonScript.h"
#include "jit/JitFrames.h"
#include "jit/JitScript.h"
#include "jit/MacroAssembler.h"
#include "vm/BytecodeIterator.h"
#include "vm/BytecodeLocation.h"
#include "vm/GeneratorObject.h"
#include "vm/JSScript.h"

#include "vm/BytecodeIterator-inl.h"
#include "vm/BytecodeLocation-inl.h"

namespace bao {

// What a function does nothing else than to resume, with a value.
enum class Resumes {
  Nothing,
  // A generator.
  Generator,
  // An async function or an async generator.
  Async,
};

// Tells of a function, before it makes a frame, whether it may look at its
// `this`. The `next` of generators, which is self-hosted, resumes as its last
// act, and only has a frame in order to close a generator that throws; frames of
// generators that are left by an exception see to that themselves
// (bao/Unwind.h). AsyncFunctionNext and AsyncGeneratorNext do nothing else: those
// who call them, in C++, close what throws.
[[maybe_unused]] static Resumes WhatItResumes(JSScript* script) {
  using namespace js;
  if (!script->selfHosted() || !script->function()) {
    return Resumes::Nothing;
  }
  bool isNext = false;
  for (BytecodeLocation loc : AllBytecodesIterable(script)) {
    if (loc.is(JSOp::Resume)) {
      return !isNext                     ? Resumes::Nothing
             : !script->trynotes().empty() ? Resumes::Generator
             : script->function()->nargs() == 1 ? Resumes::Async
                                          : Resumes::Nothing;
    }
    isNext = loc.is(JSOp::ResumeKind) &&
             loc.resumeKind() == GeneratorResumeKind::Next;
  }
  return Resumes::Nothing;
}

// The suspended generator that a call of a function resumes, if the function is the
// `next` of its realm and `thisv` is one.
[[maybe_unused]] static js::GeneratorObject* ResumedGenerator(
    JSFunction* next, const JS::Value& thisv) {
  if (!thisv.isObject() || !thisv.toObject().is<js::GeneratorObject>() ||
      !next->hasBytecode() ||
      WhatItResumes(next->nonLazyScript()) != Resumes::Generator) {
    return nullptr;
  }
  auto* generator = &thisv.toObject().as<js::GeneratorObject>();
  return generator->isSuspended() &&
                 generator->nonCCWRealm() == next->realm()
             ? generator
             : nullptr;
}

// Each yield is a block of its own; with more than this the code is long.
static constexpr size_t MaxYieldsInIon = 32;

// Whether Ion's code has its entry where a generator is resumed, by what
// IonScript and CompileInfo have as the place of that entry: the first operation
// after a yield stands for all of them.
[[maybe_unused]] static bool IsResumption(const jsbytecode* osrPc) {
  return osrPc && JSOp(*osrPc) == JSOp::AfterYield;
}

[[maybe_unused]] static jsbytecode* FirstAfterYield(JSScript* script) {
  for (js::BytecodeLocation loc : js::AllBytecodesIterable(script)) {
    if (loc.is(JSOp::AfterYield)) {
      return loc.toRawBytecode();
    }
  }
  return nullptr;
}

[[maybe_unused]] static size_t NumYields(JSScript* script) {
  size_t count = 0;
  for (js::BytecodeLocation loc : js::AllBytecodesIterable(script)) {
    count += loc.is(JSOp::AfterYield);
  }
  return count;
}

// 1 for the operation after the first yield in the bytecode, and so on; 0 if
// there is another one at `offset`.
[[maybe_unused]] static size_t OrdinalOfYield(JSScript* script,
                                              uint32_t offset) {
  size_t count = 0;
  for (js::BytecodeLocation loc : js::AllBytecodesIterable(script)) {
    count += loc.is(JSOp::AfterYield);
    if (loc.bytecodeToOffset(script) == offset) {
      return loc.is(JSOp::AfterYield) ? count : 0;
    }
  }
  return 0;
}

// Whether there is a yield between the head of a loop and its end.
[[maybe_unused]] static bool LoopYields(JSScript* script, jsbytecode* head) {
  js::BytecodeLocation loopHead(script, head);
  bool yields = false;
  for (js::BytecodeLocation loc = loopHead;
       loc.toRawBytecode() < script->codeEnd(); loc = loc.next()) {
    yields |= loc.is(JSOp::AfterYield);
    if (loc.isBackedgeForLoophead(loopHead)) {
      return yields;
    }
  }
  return false;
}

// Whether a function is a generator that Ion's code can go on with after each of
// its yields: there is none in or behind a `catch` block, which Ion does not
// compile.
[[maybe_unused]] static bool CanResumeInIon(
    JSScript* script, js::jit::BytecodeAnalysis& analysis) {
  if (!script->isGenerator() || script->isAsync() || !script->function() ||
      script->needsArgsObj()) {
    return false;
  }
  size_t count = 0;
  for (js::BytecodeLocation loc : js::AllBytecodesIterable(script)) {
    if (loc.is(JSOp::AfterYield)) {
      js::jit::BytecodeInfo* info = analysis.maybeInfo(loc.toRawBytecode());
      if (!info || !info->loopHeadCanOsr) {
        return false;
      }
      count++;
    }
  }
  return count > 0 && count <= MaxYieldsInIon;
}

// Where in the array of a generator's saved values a resumption puts the argument
// of `next`, the generator and its environment: at the end, where there is room
// for the three values that a resumption pushes.
[[maybe_unused]] static size_t OffsetOfResumed(JSScript* script) {
  MOZ_ASSERT(script->nslots() >= 3);
  return (script->nslots() - 3) * sizeof(JS::Value);
}

// What an IonScript keeps as its osrPc: that offset with the sign bit, which no
// place in bytecode has, if its entry is for resumption.
[[maybe_unused]] static jsbytecode* OsrPcOf(JSScript* script,
                                            jsbytecode* osrPc) {
  return IsResumption(osrPc)
             ? reinterpret_cast<jsbytecode*>(uintptr_t(INTPTR_MIN) |
                                             OffsetOfResumed(script))
             : osrPc;
}

// Loads the IonScript of a JitScript in the same register, and OffsetOfResumed;
// goes to `fail` if there is none with an entry for resumption, or while a
// collection marks, which has to see the saved values before they are taken.
[[maybe_unused]] static void EmitGuardResumesInIon(
    js::jit::MacroAssembler& masm, js::jit::Register ionScript,
    js::jit::Register offset, js::jit::Register scratch,
    js::jit::Label* fail) {
  using namespace js;
  using namespace js::jit;

  masm.loadPtr(Address(ionScript, JitScript::offsetOfIonScript()), ionScript);
  masm.branchPtr(Assembler::BelowOrEqual, ionScript,
                 ImmPtr(IonCompilingScriptPtr), fail);
  masm.loadPtr(Address(ionScript, IonScript::offsetOfOsrPc()), offset);
  masm.branchTestPtr(Assembler::NotSigned, offset, offset, fail);
  masm.move32(offset, offset);
  masm.branchTestNeedsMarkingBarrierAnyZone(Assembler::NonZero, fail,
                                            scratch);
}

// Enters Ion's code for a generator whose frame has been begun: its callee, its
// arguments and the frame pointer are on the stack. `arg` is where the argument
// of `next` is, `offset` OffsetOfResumed. All registers are overwritten.
[[maybe_unused]] static void EmitResumeInIon(
    js::jit::MacroAssembler& masm, js::jit::Register genObj,
    js::jit::Register resumeIndex, js::jit::Register ionScript,
    const js::jit::Address& arg, js::jit::Register offset,
    js::jit::Register elements, js::jit::Register scratch) {
  using namespace js;
  using namespace js::jit;

  ValueOperand value(scratch);

  // Nothing marks what lies behind the saved values, and all are loaded before
  // anything can collect.
  masm.unboxObject(
      Address(genObj, AbstractGeneratorObject::offsetOfStackStorageSlot()),
      elements);
  masm.loadPtr(Address(elements, NativeObject::offsetOfElements()), elements);
  masm.loadValue(arg, value);
  masm.storeValue(value, BaseIndex(elements, offset, TimesOne));
  masm.storeValue(JSVAL_TYPE_OBJECT, genObj,
                  BaseIndex(elements, offset, TimesOne, sizeof(JS::Value)));
  masm.loadValue(
      Address(genObj, AbstractGeneratorObject::offsetOfEnvironmentChainSlot()),
      value);
  masm.storeValue(value,
                  BaseIndex(elements, offset, TimesOne, 2 * sizeof(JS::Value)));
  masm.store32(Imm32(0),
               Address(elements, ObjectElements::offsetOfInitializedLength()));

  masm.storeValue(JSVAL_TYPE_INT32, resumeIndex,
                  Address(FramePointer, JitFrameLayout::offsetOfThis()));
  masm.storeValue(
      Int32Value(AbstractGeneratorObject::RESUME_INDEX_RUNNING),
      Address(genObj, AbstractGeneratorObject::offsetOfResumeIndexSlot()));

  masm.load32(Address(ionScript, IonScript::offsetOfOsrEntryOffset()), scratch);
  masm.loadPtr(Address(ionScript, IonScript::offsetOfMethod()), ionScript);
  masm.addPtr(Address(ionScript, JitCode::offsetOfCode()), scratch);
  if (scratch == OsrFrameReg) {
    masm.movePtr(scratch, ionScript);
    scratch = ionScript;
  }
  masm.movePtr(elements, OsrFrameReg);
  masm.jump(scratch);
}

// Marks the values of an array with these elements before they are removed. All
// registers are kept.
[[maybe_unused]] static void EmitMarkElements(js::jit::MacroAssembler& masm,
                                              js::jit::Register elements) {
  using namespace js;
  using namespace js::jit;

  AllocatableGeneralRegisterSet regs(GeneralRegisterSet::All());
  regs.takeUnchecked(FramePointer);
  regs.take(elements);
  Register count = regs.takeAny();

  Label next, done;
  masm.push(elements);
  masm.push(count);
  masm.load32(Address(elements, ObjectElements::offsetOfInitializedLength()),
              count);
  masm.branchTest32(Assembler::Zero, count, count, &done);
  masm.bind(&next);
  masm.guardedCallPreBarrier(Address(elements, 0), MIRType::Value);
  masm.addPtr(Imm32(sizeof(JS::Value)), elements);
  masm.branchSub32(Assembler::NonZero, Imm32(1), count, &next);
  masm.bind(&done);
  masm.pop(count);
  masm.pop(elements);
}

}  // namespace bao

#endif  // bao_ResumeInIon_h
