/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Values of `x >>> 0` that a loop carries and that are used modulo 2^32 stay
// int32s. Included by jit/Ion.cpp.

#ifndef bao_Uint32Loops_h
#define bao_Uint32Loops_h

#include "jit/MIR-wasm.h"
#include "jit/MIR.h"
#include "jit/MIRGenerator.h"
#include "jit/MIRGraph.h"
#include "jit/RangeAnalysis.h"
#include "js/Conversions.h"

namespace bao {

using namespace js::jit;

// Finds, for a double, an int32 that equals it modulo 2^32.
class Uint32Loops {
  struct Pair {
    MPhi* wide;
    MPhi* low;
  };
  using Pairs = js::Vector<Pair, 8, JitAllocPolicy>;

  // More phis that feed each other than this are left alone.
  static constexpr size_t MaxGroup = 16;

  MIRGenerator* mir_;
  MIRGraph& graph_;
  Pairs pairs_;

  TempAllocator& alloc() { return graph_.alloc(); }

  const Pair* pairOf(const MDefinition* wide) const {
    for (const Pair& pair : pairs_) {
      if (pair.wide == wide) {
        return &pair;
      }
    }
    return nullptr;
  }

  // The int32 x of `x >>> 0` as a double.
  static MDefinition* Shifted(MDefinition* def) {
    if (!def->isUrsh() || def->type() != MIRType::Double) {
      return nullptr;
    }
    MDefinition* count = def->toUrsh()->rhs();
    if (!count->isConstant() || count->type() != MIRType::Int32 ||
        (count->toConstant()->toInt32() & 31) != 0) {
      return nullptr;
    }
    MDefinition* x = def->toUrsh()->lhs();
    // An int32 that is in truth a uint32 would make its user unsigned.
    return x->type() == MIRType::Int32 && !x->isUrsh() ? x : nullptr;
  }

  // The int32 of an operand of a phi, made at the end of its block if need be.
  MDefinition* operand(MDefinition* def, MBasicBlock* block) {
    if (MDefinition* x = Shifted(def)) {
      return x;
    }
    if (const Pair* pair = pairOf(def)) {
      return pair->low;
    }
    if (def->isToDouble()) {
      MDefinition* x = def->toToDouble()->input();
      if (x->type() == MIRType::Int32 && !x->isUrsh()) {
        return x;
      }
    }
    MInstruction* made;
    if (def->isConstant()) {
      double number = def->toConstant()->toDouble();
      made = MConstant::NewInt32(alloc(), JS::ToInt32(number));
    } else {
      made = MTruncateToInt32::New(alloc(), def);
    }
    block->insertBefore(block->lastIns(), made);
    return made;
  }

  // Makes the int32 phi beside `phi`, and beside those that feed it. *low stays
  // null if nothing is gained.
  [[nodiscard]] bool split(MPhi* phi, MPhi** low) {
    size_t first = pairs_.length();
    if (!pairs_.append(Pair{phi, nullptr})) {
      return false;
    }
    bool isGain = false;
    for (size_t at = first; at < pairs_.length(); at++) {
      MPhi* wide = pairs_[at].wide;
      for (size_t i = 0; i < wide->numOperands(); i++) {
        MDefinition* def = wide->getOperand(i);
        if (def->type() != MIRType::Double ||
            pairs_.length() - first > MaxGroup) {
          pairs_.shrinkTo(first);
          return true;
        }
        isGain |= Shifted(def) != nullptr;
        if (def->isPhi() && !pairOf(def)) {
          if (!pairs_.append(Pair{def->toPhi(), nullptr})) {
            return false;
          }
        }
      }
    }
    if (!isGain) {
      pairs_.shrinkTo(first);
      return true;
    }
    for (size_t at = first; at < pairs_.length(); at++) {
      MPhi* wide = pairs_[at].wide;
      if (!alloc().ensureBallast()) {
        return false;
      }
      MPhi* made = MPhi::New(alloc(), MIRType::Int32);
      if (!made->reserveLength(wide->numOperands())) {
        return false;
      }
      made->setRange(Range::NewInt32Range(alloc(), INT32_MIN, INT32_MAX));
      wide->block()->addPhi(made);
      pairs_[at].low = made;
    }
    for (size_t at = first; at < pairs_.length(); at++) {
      auto [wide, made] = pairs_[at];
      for (size_t i = 0; i < wide->numOperands(); i++) {
        if (!alloc().ensureBallast()) {
          return false;
        }
        made->addInput(
            operand(wide->getOperand(i), wide->block()->getPredecessor(i)));
      }
    }
    *low = pairs_[first].low;
    return true;
  }

 public:
  Uint32Loops(MIRGenerator* mir, MIRGraph& graph)
      : mir_(mir), graph_(graph), pairs_(graph.alloc()) {}

  [[nodiscard]] bool run() {
    for (ReversePostorderIterator block(graph_.rpoBegin());
         block != graph_.rpoEnd(); block++) {
      if (mir_->shouldCancel("Uint32 loops")) {
        return false;
      }
      for (MInstructionIterator iter(block->begin()); iter != block->end();) {
        MInstruction* ins = *iter++;
        if (!ins->isTruncateToInt32()) {
          continue;
        }
        MDefinition* input = ins->getOperand(0);
        if (input->isBox()) {
          input = input->toBox()->input();
        }
        MDefinition* low = Shifted(input);
        if (!low && input->isPhi() && input->type() == MIRType::Double) {
          const Pair* pair = pairOf(input);
          MPhi* found = pair ? pair->low : nullptr;
          if (!found && !split(input->toPhi(), &found)) {
            return false;
          }
          low = found;
        }
        if (low) {
          ins->replaceAllUsesWith(low);
          block->discard(ins);
        }
      }
    }
    return true;
  }
};

// Checks once, where a loop is entered from a frame of the baseline compiler,
// that a double which the loop makes by `x >>> 0` is a uint32: range analysis
// then knows as much of the loop as if it were entered from above. Runs before
// range analysis. One value that is none has the script compiled without.
[[nodiscard]] inline bool CheckUint32sAtEntry(MIRGenerator* mir,
                                              MIRGraph& graph) {
  MBasicBlock* entry = graph.osrBlock();
  if (!entry || mir->outerInfo().hadSpeculativePhiBailout()) {
    return true;
  }
  MBasicBlock* preheader = graph.osrPreHeaderBlock();
  if (preheader->numSuccessors() != 1) {
    // A generator's: it goes on where the generator was left.
    return true;
  }
  MBasicBlock* header = preheader->getSingleSuccessor();
  if (!header->isLoopHeader() || preheader->numPredecessors() < 2 ||
      header->getPredecessor(0) != preheader) {
    return true;
  }
  size_t at = entry->successorWithPhis() ? entry->positionInPhiSuccessor()
                                         : preheader->indexForPredecessor(entry);
  TempAllocator& alloc = graph.alloc();
  for (MPhiIterator phi(header->phisBegin()); phi != header->phisEnd(); phi++) {
    MDefinition* before = phi->getLoopPredecessorOperand();
    MDefinition* after = phi->getLoopBackedgeOperand();
    if (phi->type() != MIRType::Double || !after->isUrsh() ||
        after->type() != MIRType::Double || !before->isPhi() ||
        before->block() != preheader) {
      continue;
    }
    MDefinition* value = before->getOperand(at);
    if (value->type() != MIRType::Double || value->block() != entry) {
      continue;
    }
    if (!alloc.ensureBallast()) {
      return false;
    }
    auto* bits = MTruncateToInt32::New(alloc, value);
    auto* zero = MConstant::NewInt32(alloc, 0);
    auto* uint32 = MUrsh::New(alloc, bits, zero, MIRType::Double);
    auto* rest = MSub::New(alloc, value, uint32, MIRType::Double);
    // Bails out for NaN and the infinities, and for the rest of -0, -0.
    auto* int32 = MToNumberInt32::New(alloc, rest);
    auto* check = MGuardInt32Range::New(alloc, int32, 0, 0);
    int32->setBailoutKind(BailoutKind::SpeculativePhi);
    check->setBailoutKind(BailoutKind::SpeculativePhi);
    for (MInstruction* made :
         {(MInstruction*)bits, (MInstruction*)zero, (MInstruction*)uint32,
          (MInstruction*)rest, (MInstruction*)int32, (MInstruction*)check}) {
      entry->insertBefore(entry->lastIns(), made);
    }
    before->toPhi()->replaceOperand(at, uint32);
  }
  return true;
}

}  // namespace bao

#endif  // bao_Uint32Loops_h
