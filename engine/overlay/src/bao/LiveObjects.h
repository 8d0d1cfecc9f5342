/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Where an object that is replaced by its fields is still of use. Included by
// jit/ScalarReplacement.cpp.

#ifndef bao_LiveObjects_h
#define bao_LiveObjects_h

#include "jit/MIR.h"
#include "jit/MIRGraph.h"

namespace bao {

using namespace js::jit;

// The blocks that an object is live in when they begin. What an object consists of
// is kept for bailouts wherever it may be asked for; without this, that is each
// block behind the place where it was made, with all that its fields have held.
class LiveBlocks {
  MIRGraph& graph_;
  MBasicBlock* start_;
  js::Vector<bool, 32, js::SystemAllocPolicy> isLive_;
  js::Vector<MBasicBlock*, 8, js::SystemAllocPolicy> pending_;
  js::Vector<MResumePoint*, 8, js::SystemAllocPolicy> resumePoints_;
  bool everywhere_ = false;

  bool add(MBasicBlock* block) {
    if (block == start_ || isLive_[block->id()]) {
      return true;
    }
    isLive_[block->id()] = true;
    return pending_.append(block);
  }

  // False if there is no memory. Other objects through which the object can be
  // reached make it live everywhere.
  bool addUses(MDefinition* object) {
    for (MUseIterator i(object->usesBegin()); i != object->usesEnd(); i++) {
      MNode* consumer = (*i)->consumer();
      if (!add(consumer->block())) {
        return false;
      }
      if (consumer->isResumePoint()) {
        if (!resumePoints_.append(consumer->toResumePoint())) {
          return false;
        }
        continue;
      }
      MDefinition* user = consumer->toDefinition();
      switch (user->op()) {
        case MDefinition::Opcode::StoreFixedSlot:
        case MDefinition::Opcode::AddAndStoreSlot:
        case MDefinition::Opcode::LoadFixedSlot:
        case MDefinition::Opcode::PostWriteBarrier:
        case MDefinition::Opcode::Compare:
        case MDefinition::Opcode::IsObject:
        case MDefinition::Opcode::ConstantProto:
        case MDefinition::Opcode::AssertCanElidePostWriteBarrier:
          break;
        case MDefinition::Opcode::Slots:
        case MDefinition::Opcode::GuardShape:
        case MDefinition::Opcode::GuardToClass:
        case MDefinition::Opcode::CheckIsObj:
        case MDefinition::Opcode::Unbox:
          if (!addUses(user)) {
            return false;
          }
          break;
        default:
          everywhere_ = true;
          break;
      }
    }
    return true;
  }

  // A resume point of an inlined function asks for what its callers' ones have.
  bool addInlined() {
    if (resumePoints_.empty()) {
      return true;
    }
    for (ReversePostorderIterator block(graph_.rpoBegin(start_));
         block != graph_.rpoEnd(); block++) {
      if (*block == start_ || isLive_[block->id()]) {
        continue;
      }
      for (MNodeIterator i(*block); i; i++) {
        if (!(*i)->isResumePoint()) {
          continue;
        }
        for (MResumePoint* caller = (*i)->toResumePoint()->caller(); caller;
             caller = caller->caller()) {
          for (MResumePoint* used : resumePoints_) {
            if (used == caller && !add(*block)) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

 public:
  LiveBlocks(MIRGraph& graph, MInstruction* object)
      : graph_(graph), start_(object->block()) {}

  // False if there is no memory.
  bool find(MInstruction* object) {
    if (!isLive_.appendN(false, graph_.numBlocks()) || !addUses(object)) {
      return false;
    }
    if (everywhere_) {
      return true;
    }
    if (!addInlined()) {
      return false;
    }
    while (!pending_.empty()) {
      MBasicBlock* block = pending_.popCopy();
      for (size_t i = 0; i < block->numPredecessors(); i++) {
        if (!add(block->getPredecessor(i))) {
          return false;
        }
      }
    }
    return true;
  }

  bool has(MBasicBlock* block) const {
    return everywhere_ || isLive_[block->id()];
  }
};

}  // namespace bao

#endif  // bao_LiveObjects_h
