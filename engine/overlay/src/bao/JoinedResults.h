/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// A loop that asks a result of `next` whether it is done does not join what next
// has just told apart. Included by jit/ScalarReplacement.cpp.

#ifndef bao_JoinedResults_h
#define bao_JoinedResults_h

#include "jit/DominatorTree.h"
#include "jit/IonAnalysis.h"
#include "jit/MIR.h"
#include "jit/MIRGenerator.h"
#include "jit/MIRGraph.h"

namespace bao {

using namespace js::jit;

// `next` writes true or false to a field of a new object on two ways, which join
// behind it, and the loop branches by that field. Where nobody else sees the
// object, each of the two ways goes on where the branch would lead, and the
// blocks from the join to the branch are gone. What comes behind sees one value
// of each field, so that more objects can be replaced by their fields.
//
// Runs before objects are replaced: the blocks that are removed have no states of
// objects then.
class JoinedResults {
  // Whether an instruction makes an object that nobody sees.
  using IsReplaceable = bool (*)(MInstruction*);

  const MIRGenerator* mir_;
  MIRGraph& graph_;
  IsReplaceable isReplaceable_;

  // Of the branch at hand. The blocks from the join to the branch, in this order.
  js::Vector<MBasicBlock*, 4, JitAllocPolicy> blocks_;
  // The ways into the join, and where each goes on.
  MBasicBlock* ways_[2];
  MBasicBlock* targets_[2];
  MInstruction* object_ = nullptr;

  static bool IsLoadFrom(MDefinition* load, MDefinition* object) {
    return load->isLoadFixedSlot() &&
           WithoutGuards(load->toLoadFixedSlot()->object()) == object;
  }

  // What was written last to a field of the object when a block ends, if that is a
  // constant. Goes back as long as there is one way.
  static bool ConstantAtEnd(MBasicBlock* block, MDefinition* object,
                            size_t slot, bool* result) {
    while (true) {
      for (MInstructionReverseIterator i(block->rbegin()); i != block->rend();
           i++) {
        if (*i == object) {
          return false;
        }
        if (i->isStoreFixedSlot() && i->toStoreFixedSlot()->slot() == slot &&
            WithoutGuards(i->toStoreFixedSlot()->object()) == object) {
          MConstant* constant =
              i->toStoreFixedSlot()->value()->maybeConstantValue();
          return constant && constant->valueToBoolean(result);
        }
      }
      if (block->numPredecessors() != 1) {
        return false;
      }
      block = block->getPredecessor(0);
    }
  }

  bool isToBeRemoved(MBasicBlock* block) const {
    for (MBasicBlock* removed : blocks_) {
      if (removed == block) {
        return true;
      }
    }
    return false;
  }

  // Which way leads to a use: 0 or 1, 2 for a use that is removed, 3 for one that
  // both lead to.
  size_t wayOf(MUse* use) const {
    MNode* consumer = use->consumer();
    MBasicBlock* block = consumer->block();
    if (isToBeRemoved(block)) {
      return 2;
    }
    if (consumer->isDefinition() && consumer->toDefinition()->isPhi()) {
      MPhi* phi = consumer->toDefinition()->toPhi();
      block = block->getPredecessor(phi->indexOf(use));
      // The branch leads to two blocks that have no other way in.
      MOZ_ASSERT(!isToBeRemoved(block));
    }
    for (size_t way = 0; way < 2; way++) {
      if (targets_[way]->dominates(block)) {
        return way;
      }
    }
    return 3;
  }

  bool usesAreOnOneWay(MDefinition* value) const {
    for (MUseIterator i(value->usesBegin()); i != value->usesEnd(); i++) {
      if (wayOf(*i) == 3) {
        return false;
      }
    }
    return true;
  }

  bool isUsedBehind(MDefinition* value) const {
    for (MUseIterator i(value->usesBegin()); i != value->usesEnd(); i++) {
      if (wayOf(*i) < 2) {
        return true;
      }
    }
    return false;
  }

  // Finds blocks_, ways_ and targets_ for a branch. False if it stays as it is.
  bool find(MTest* test) {
    bool inverted = false;
    MDefinition* condition = test->input();
    while (condition->isUnbox() || condition->isNot()) {
      inverted ^= condition->isNot();
      condition = condition->isNot() ? condition->toNot()->input()
                                     : condition->toUnbox()->input();
    }
    if (!condition->isLoadFixedSlot()) {
      return false;
    }
    size_t slot = condition->toLoadFixedSlot()->slot();
    MDefinition* object =
        WithoutGuards(condition->toLoadFixedSlot()->object());
    if (!object->isNewObject() && !object->isNewPlainObject()) {
      return false;
    }

    blocks_.clear();
    for (MBasicBlock* block = test->block();; block = block->getPredecessor(0)) {
      // The outer resume point is of whoever is inlined from here on.
      if (block->isLoopHeader() || block->outerResumePoint() ||
          block == object->block() || !blocks_.append(block)) {
        return false;
      }
      if (block->numPredecessors() != 1) {
        break;
      }
      if (block->getPredecessor(0)->numSuccessors() != 1) {
        return false;
      }
    }
    std::reverse(blocks_.begin(), blocks_.end());
    MBasicBlock* join = blocks_[0];
    if (join->numPredecessors() != 2 || !isToBeRemoved(condition->block())) {
      return false;
    }
    for (size_t way = 0; way < 2; way++) {
      ways_[way] = join->getPredecessor(way);
      bool value;
      if (ways_[way]->numSuccessors() != 1 ||
          !ConstantAtEnd(ways_[way], object, slot, &value)) {
        return false;
      }
      targets_[way] = value != inverted ? test->ifTrue() : test->ifFalse();
      if (targets_[way]->numPredecessors() != 1 ||
          !targets_[way]->phisEmpty()) {
        return false;
      }
    }
    if (targets_[0] == targets_[1] ||
        !isReplaceable_(object->toInstruction())) {
      return false;
    }
    object_ = object->toInstruction();

    for (MBasicBlock* block : blocks_) {
      for (MPhiIterator i(block->phisBegin()); i != block->phisEnd(); i++) {
        if (block != join || !usesAreOnOneWay(*i)) {
          return false;
        }
      }
      for (MInstructionIterator i(block->begin()); *i != block->lastIns();
           i++) {
        if (WithoutGuards(*i) == object) {
          continue;
        }
        bool isLoad = IsLoadFrom(*i, object);
        bool isUnbox = i->isUnbox() &&
                       IsLoadFrom(i->toUnbox()->input(), object) &&
                       isToBeRemoved(i->toUnbox()->input()->block());
        bool isNot = i->isNot() && !isUsedBehind(*i);
        if ((!isLoad && !isUnbox && !isNot && !i->isConstant()) ||
            i->resumePoint() || !usesAreOnOneWay(*i)) {
          return false;
        }
      }
    }
    return true;
  }

  // Gives the uses behind the branch what comes from their way.
  void replace(MDefinition* old, MDefinition* const (&values)[2]) {
    for (MUseIterator i(old->usesBegin()); i != old->usesEnd();) {
      MUse* use = *i++;
      size_t way = wayOf(use);
      if (way < 2) {
        use->replaceProducer(values[way]);
      }
    }
    if (old->isImplicitlyUsed()) {
      values[0]->setImplicitlyUsedUnchecked();
      values[1]->setImplicitlyUsedUnchecked();
    }
  }

  // A load of the same field at the end of a way.
  MLoadFixedSlot* loadAtEnd(MBasicBlock* way, MLoadFixedSlot* load) {
    auto* copy = MLoadFixedSlot::New(graph_.alloc(),
                                     WithoutGuards(load->object()),
                                     load->slot());
    way->insertBefore(way->lastIns(), copy);
    return copy;
  }

  // What a load or an unboxed load gives, at the end of a way.
  MDefinition* atEnd(MBasicBlock* way, MInstruction* ins) {
    if (ins->isLoadFixedSlot()) {
      return loadAtEnd(way, ins->toLoadFixedSlot());
    }
    auto* unbox = ins->toUnbox();
    auto* copy = MUnbox::New(
        graph_.alloc(), loadAtEnd(way, unbox->input()->toLoadFixedSlot()),
        unbox->type(), unbox->mode());
    copy->setBailoutKind(unbox->bailoutKind());
    way->insertBefore(way->lastIns(), copy);
    return copy;
  }

  [[nodiscard]] bool split() {
    MBasicBlock* join = blocks_[0];
    for (MPhiIterator i(join->phisBegin()); i != join->phisEnd(); i++) {
      replace(*i, {i->getOperand(0), i->getOperand(1)});
    }
    for (MBasicBlock* block : blocks_) {
      for (MInstructionIterator i(block->begin()); *i != block->lastIns();) {
        MInstruction* ins = *i++;
        if (WithoutGuards(ins) == object_) {
          // What is guarded is known of a new object that nobody else sees.
          ins->replaceAllUsesWith(object_);
        } else if (ins->isConstant()) {
          block->moveBefore(object_, ins);
        } else if (isUsedBehind(ins)) {
          replace(ins, {atEnd(ways_[0], ins), atEnd(ways_[1], ins)});
        }
      }
    }
    for (size_t way = 0; way < 2; way++) {
      MBasicBlock* from = ways_[way];
      from->clearSuccessorWithPhis();
      from->lastIns()->replaceSuccessor(from->getSuccessorIndex(join),
                                        targets_[way]);
      targets_[way]->replacePredecessor(blocks_.back(), from);
    }
    for (MBasicBlock* block : blocks_) {
      graph_.removeBlock(block);
    }
    ClearDominatorTree(graph_);
    RenumberBlocks(graph_);
    return BuildDominatorTree(mir_, graph_);
  }

 public:
  // The object behind guards that ask what is known of a new object.
  static MDefinition* WithoutGuards(MDefinition* object) {
    while (true) {
      if (object->isGuardShape()) {
        object = object->toGuardShape()->object();
      } else if (object->isGuardToClass()) {
        object = object->toGuardToClass()->object();
      } else if (object->isCheckIsObj()) {
        object = object->toCheckIsObj()->value();
      } else if (object->isUnbox() && object->type() == MIRType::Object) {
        object = object->toUnbox()->input();
      } else {
        return object;
      }
    }
  }

  JoinedResults(const MIRGenerator* mir, MIRGraph& graph,
                IsReplaceable isReplaceable)
      : mir_(mir),
        graph_(graph),
        isReplaceable_(isReplaceable),
        blocks_(graph.alloc()) {}

  // False if there is no memory or the compilation is cancelled.
  bool run() {
    // Only blocks before the branch's end are removed, with the branch's own.
    for (MBasicBlockIterator i(graph_.begin()); i != graph_.end();) {
      if (mir_->shouldCancel("Joined results")) {
        return false;
      }
      MBasicBlock* block = *i++;
      if (!block->lastIns()->isTest() || !find(block->lastIns()->toTest())) {
        continue;
      }
      if (!split()) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace bao

#endif  // bao_JoinedResults_h
