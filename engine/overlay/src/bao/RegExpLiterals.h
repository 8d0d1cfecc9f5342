/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Literals of regular expressions that only the engine's own code sees are made
// once for a loop. Included by jit/Ion.cpp.

#ifndef bao_RegExpLiterals_h
#define bao_RegExpLiterals_h

#include "jit/MIR.h"
#include "jit/MIRGenerator.h"
#include "jit/MIRGraph.h"
#include "vm/RegExpObject.h"

namespace bao {

using namespace js::jit;

// A literal makes a new object each time. Who sees that it is the same is only a
// bailout, and it ends the run of this code: the next one makes another object.
class RegExpLiterals {
  using Instructions = js::Vector<MInstruction*, 8, JitAllocPolicy>;

  const MIRGenerator* mir_;
  MIRGraph& graph_;
  // Of the literal at hand: guards of its shape, and loads of its lastIndex.
  Instructions guards_;
  Instructions loads_;

  // Whether what is the literal's object is used by nothing but resume points,
  // matches, which leave it as it is, and questions about its type and identity.
  // False in `*ok` means no memory.
  bool usesStayInside(const MRegExp* literal, MDefinition* object, bool* ok) {
    for (MUseIterator i(object->usesBegin()); i != object->usesEnd(); i++) {
      MNode* consumer = i->consumer();
      if (consumer->isResumePoint()) {
        continue;
      }
      MDefinition* user = consumer->toDefinition();
      if (user->isGuardShape() &&
          user->toGuardShape()->shape() == literal->source()->shape()) {
        *ok = guards_.append(user->toInstruction());
        if (!*ok || !usesStayInside(literal, user, ok)) {
          return false;
        }
      } else if (user->isLoadFixedSlot() &&
                 user->toLoadFixedSlot()->slot() ==
                     js::RegExpObject::lastIndexSlot()) {
        *ok = loads_.append(user->toInstruction());
        if (!*ok) {
          return false;
        }
      } else if (user->isRegExpExecTest() || user->isRegExpExecMatch()) {
        if (user->getOperand(0) != object) {
          return false;
        }
      } else if (!user->isCompare() && !user->isTypeOf() && !user->isIsObject()) {
        // Those tell that it is an object, and no other one.
        return false;
      }
    }
    return true;
  }

  void replace(MInstruction* old, MDefinition* with) {
    old->replaceAllUsesWith(with);
    old->block()->discard(old);
  }

 public:
  RegExpLiterals(const MIRGenerator* mir, MIRGraph& graph)
      : mir_(mir),
        graph_(graph),
        guards_(graph.alloc()),
        loads_(graph.alloc()) {}

  bool run() {
    for (MBasicBlock* block : graph_) {
      if (mir_->shouldCancel("Literals of regular expressions")) {
        return false;
      }
      for (MInstructionIterator i(block->begin()); i != block->end(); i++) {
        if (!i->isRegExp()) {
          continue;
        }
        // A match with g or y changes lastIndex.
        MRegExp* literal = i->toRegExp();
        if (!literal->hasShared() || literal->source()->isGlobalOrSticky()) {
          continue;
        }
        guards_.clear();
        loads_.clear();
        bool ok = true;
        if (!usesStayInside(literal, literal, &ok)) {
          if (!ok) {
            return false;
          }
          continue;
        }
        for (MInstruction* load : loads_) {
          auto* zero = MConstant::NewInt32(graph_.alloc(), 0);
          auto* box = MBox::New(graph_.alloc(), zero);
          load->block()->insertBefore(load, zero);
          load->block()->insertBefore(load, box);
          replace(load, box);
        }
        // The inner ones first: the list has a guard before those of its result.
        while (!guards_.empty()) {
          replace(guards_.popCopy(), literal);
        }
        literal->setMovable();
      }
    }
    return true;
  }
};

}  // namespace bao

#endif  // bao_RegExpLiterals_h
