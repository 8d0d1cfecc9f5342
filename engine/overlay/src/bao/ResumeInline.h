/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Generators whose steps are inlined where `next` is called: which can be, and what
// WarpBuilder keeps of one that it builds (WarpBuilder::buildInlinedResumption).
//
// Part of jit/WarpBuilder.cpp and jit/WarpOracle.cpp.

#ifndef bao_ResumeInline_h
#define bao_ResumeInline_h

#include "jit/BaselineIC.h"
#include "jit/CacheIR.h"
#include "jit/CacheIRCompiler.h"
#include "jit/CacheIRReader.h"
#include "jit/MIR.h"
#include "jit/MIRGraph.h"

#include "bao/ResumeInIon.h"

namespace bao {

// A step is built once for each place where it is taken.
static constexpr size_t MaxLengthToInline = 800;
static constexpr size_t MaxYieldsToInline = 4;

[[maybe_unused]] static bool IsInTryWithCatch(JSScript* script,
                                              uint32_t offset) {
  for (const js::TryNote& note : script->trynotes()) {
    if (note.kind() == js::TryNoteKind::Catch && offset >= note.start &&
        offset < note.start + note.length) {
      return true;
    }
  }
  return false;
}

// Whether a way leads from the head of a loop to itself without a yield.
[[maybe_unused]] static bool LoopsWithoutYield(JSScript* script,
                                               js::BytecodeLocation head) {
  js::Vector<bool, 256, js::SystemAllocPolicy> seen;
  js::Vector<uint32_t, 16, js::SystemAllocPolicy> pending;
  if (!seen.appendN(false, script->length()) ||
      !pending.append(head.next().bytecodeToOffset(script))) {
    return true;
  }
  while (!pending.empty()) {
    uint32_t offset = pending.popCopy();
    if (seen[offset]) {
      continue;
    }
    seen[offset] = true;
    js::BytecodeLocation loc = script->offsetToLocation(offset);
    if (loc == head) {
      return true;
    }
    if (loc.is(JSOp::Yield) || loc.is(JSOp::InitialYield)) {
      continue;
    }
    // WarpBuilder may go on in a `catch` block.
    if (loc.is(JSOp::Throw) && IsInTryWithCatch(script, offset)) {
      return true;
    }
    bool ok = true;
    if (loc.isJump()) {
      ok = pending.append(loc.getJumpTargetOffset(script));
    }
    if (loc.is(JSOp::TableSwitch)) {
      ok = pending.append(loc.getTableSwitchDefaultOffset(script));
      size_t cases = loc.getTableSwitchHigh() - loc.getTableSwitchLow() + 1;
      for (size_t i = 0; ok && i < cases; i++) {
        ok = pending.append(loc.tableSwitchCaseOffset(script, i));
      }
    }
    if (ok && loc.fallsThrough()) {
      ok = pending.append(loc.next().bytecodeToOffset(script));
    }
    if (!ok) {
      return true;
    }
  }
  return false;
}

// Whether the steps of a generator are inlined.
[[maybe_unused]] static bool CanInlineResumption(
    JSScript* script, js::jit::BytecodeAnalysis& analysis) {
  return script->length() <= MaxLengthToInline &&
         CanResumeInIon(script, analysis) &&
         NumYields(script) <= MaxYieldsToInline;
}

// The script of the generator that a call of `next` resumes, by the guards of the
// call's inline cache (CallIRGenerator::tryAttachCallScripted); null if the cache
// does not know it.
[[maybe_unused]] static JSScript* ResumedScript(
    js::jit::ICCacheIRStub* stub) {
  using namespace js;
  using namespace js::jit;

  const CacheIRStubInfo* stubInfo = stub->stubInfo();
  const uint8_t* stubData = stub->stubDataStart();
  JSScript* generator = nullptr;
  CacheIRReader reader(stubInfo);
  while (reader.more()) {
    CacheOp op = reader.readOp();
    if (op != CacheOp::GuardSpecificFunction) {
      reader.skip(CacheIROpInfos[size_t(op)].argLength);
      continue;
    }
    auto args = reader.argsForGuardSpecificFunction();
    auto* function = reinterpret_cast<JSFunction*>(
        stubInfo->getStubRawWord(stubData, args.expectedOffset));
    if (!function->hasBytecode()) {
      return nullptr;
    }
    JSScript* script = function->nonLazyScript();
    if (generator) {
      return WhatItResumes(script) == Resumes::Generator ? generator : nullptr;
    }
    if (!script->isGenerator() || script->isAsync()) {
      return nullptr;
    }
    generator = script;
  }
  return nullptr;
}

// What WarpBuilder knows of a step that it inlines.
struct InlinedResumption {
  // Where a step begins: the operation after a yield.
  struct Entry {
    jsbytecode* pc;
    uint32_t stackDepth;
    // A block of the caller, which takes the saved values out of the generator.
    js::jit::MBasicBlock* block;
    js::Vector<js::jit::MDefinition*, 8, js::SystemAllocPolicy> values;
  };
  js::Vector<Entry, MaxYieldsToInline, js::SystemAllocPolicy> entries;
  js::jit::MDefinition* generator = nullptr;
  js::jit::MDefinition* environment = nullptr;
  js::jit::MDefinition* argument = nullptr;

  // A loop around a yield is built twice: first what follows its yields and leads
  // to its head, then what its head leads to, which is a loop of its own if there
  // is a way around the yields. So no loop is entered in the middle. The heads of
  // the loops that are built, inner ones last, and whether that is the second
  // time for the last one; those in it are ordinary loops then.
  js::Vector<jsbytecode*, 4, js::SystemAllocPolicy> loops;
  bool isSecondPass = false;

  bool isFirstPass(js::BytecodeLocation loopHead) const {
    return !isSecondPass && !loops.empty() &&
           loops.back() == loopHead.toRawBytecode();
  }

  Entry* find(jsbytecode* pc) {
    for (Entry& entry : entries) {
      if (entry.pc == pc) {
        return &entry;
      }
    }
    return nullptr;
  }
};

// The values of an object `{ value, done }` that a block stores last.
struct IteratorResult {
  js::jit::MDefinition* value = nullptr;
  js::jit::MDefinition* done = nullptr;

  static constexpr size_t ValueSlot = 0;
  static constexpr size_t DoneSlot = 1;

  // Finds those of `object`, made by one of JSOp::NewObject for an iterator's
  // result; false if they are not known.
  bool find(js::jit::MBasicBlock* block, js::jit::MDefinition* object) {
    using namespace js::jit;
    if (!object->isNewPlainObject() ||
        object->toNewPlainObject()->numFixedSlots() < 2) {
      return false;
    }
    for (MInstructionReverseIterator it = block->rbegin();
         it != block->rend() && !(value && done); it++) {
      if (!it->isStoreFixedSlot()) {
        continue;
      }
      MStoreFixedSlot* store = it->toStoreFixedSlot();
      MDefinition* target = store->object();
      while (target->isGuardShape()) {
        target = target->toGuardShape()->object();
      }
      if (target != object) {
        continue;
      }
      if (store->slot() == ValueSlot && !value) {
        value = store->value();
      } else if (store->slot() == DoneSlot && !done) {
        done = store->value();
      }
    }
    return value && done;
  }
};

}  // namespace bao

#endif  // bao_ResumeInline_h
