/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Objects that get their fields one by one, as those of a constructor do, can be
// replaced by their fields. Included by jit/ScalarReplacement.cpp.

#ifndef bao_AddedFields_h
#define bao_AddedFields_h

#include "bao/JoinedResults.h"
#include "bao/LiveObjects.h"
#include "jit/MIR.h"
#include "jit/MIRGraph.h"
#include "vm/NativeObject.h"

namespace bao {

using namespace js::jit;

// The shapes that a new object without fields has while the code adds fields to
// it. Each place of the code must see one shape.
class AddedFields {
  MIRGraph& graph_;
  MNewPlainObject* object_ = nullptr;
  // The shape when a block begins, or null.
  js::Vector<const js::Shape*, 32, js::SystemAllocPolicy> shapes_;
  const js::Shape* withOneField_ = nullptr;

  bool isObject(MDefinition* value) const {
    return JoinedResults::WithoutGuards(value) == object_;
  }

  static uint32_t CountOf(const js::Shape* shape) {
    return shape->asShared().slotSpan();
  }

  // Whether an instruction adds the field behind those of `shape`, in the object.
  static bool IsNextField(MAddAndStoreSlot* add, const js::Shape* shape) {
    uint32_t count = CountOf(shape);
    return add->kind() == MAddAndStoreSlot::Kind::FixedSlot &&
           !add->preserveWrapper() && add->shape()->isShared() &&
           CountOf(add->shape()) == count + 1 &&
           add->slotOffset() == js::NativeObject::getFixedSlotOffset(count) &&
           add->shape()->asShared().numFixedSlots() ==
               shape->asShared().numFixedSlots() &&
           add->shape()->getObjectClass() == shape->getObjectClass();
  }

 public:
  explicit AddedFields(MIRGraph& graph) : graph_(graph) {}

  // Whether fields are added to the object, and each guard of its shape asks for
  // the one that it has there. False in `*ok` means no memory.
  bool find(MInstruction* object, const LiveBlocks& live, bool* ok) {
    object_ = nullptr;
    withOneField_ = nullptr;
    if (!object->isNewPlainObject() ||
        CountOf(object->toNewPlainObject()->shape()) != 0) {
      return false;
    }
    object_ = object->toNewPlainObject();
    MBasicBlock* start = object->block();
    shapes_.clear();
    *ok = shapes_.appendN(nullptr, graph_.numBlocks());
    if (!*ok) {
      return false;
    }
    for (ReversePostorderIterator block(graph_.rpoBegin(start));
         block != graph_.rpoEnd(); block++) {
      const js::Shape* shape = *block == start ? nullptr : shapes_[block->id()];
      if (!shape && *block != start) {
        continue;
      }
      for (MInstructionIterator i(block->begin()); i != block->end(); i++) {
        if (*i == object) {
          shape = object_->shape();
        } else if (i->isGuardShape() && isObject(*i)) {
          if (i->toGuardShape()->shape() != shape) {
            return false;
          }
        } else if (i->isAddAndStoreSlot() &&
                   isObject(i->toAddAndStoreSlot()->object())) {
          if (!shape || !IsNextField(i->toAddAndStoreSlot(), shape)) {
            return false;
          }
          shape = i->toAddAndStoreSlot()->shape();
          if (CountOf(shape) == 1) {
            withOneField_ = shape;
          }
        }
      }
      for (size_t i = 0; i < block->numSuccessors(); i++) {
        MBasicBlock* next = block->getSuccessor(i);
        if (next == start || !start->dominates(next) || !live.has(next)) {
          continue;
        }
        const js::Shape*& known = shapes_[next->id()];
        if (known && known != shape) {
          return false;
        }
        known = shape;
      }
    }
    return withOneField_ != nullptr;
  }

  // A summary of the object behind `add`, inserted before it: what `state` has and
  // the new field. The recovered object gets its shape by another summary, whose
  // only field is that shape (RObjectState::recover). Null if there is no memory.
  MObjectState* stateBehind(MAddAndStoreSlot* add, MObjectState* state) {
    MBasicBlock* block = add->block();
    MObjectState* next = stateOf(add->shape());
    if (!next || !setShape(next, add->shape(), add)) {
      return nullptr;
    }
    for (size_t i = 0; i < state->numSlots(); i++) {
      next->setSlot(i, state->getSlot(i));
    }
    next->setSlot(state->numSlots(), add->value());
    block->insertBefore(add, next);
    return next;
  }

  // Where ways join, `state` in the block behind them is a copy of the first one's:
  // the shape that it refers to is made there, and that block may be found to be
  // unreachable. This gives it one of its own. False if there is no memory.
  bool setShapeWhereJoined(MObjectState* state) {
    if (state->object() == object_ || !object_) {
      return true;
    }
    return setShape(state, shapes_[state->block()->id()], state);
  }

 private:
  // Inserts before `at` what gives the recovered object its shape.
  bool setShape(MObjectState* state, const js::Shape* shape, MInstruction* at) {
    auto* constant =
        MConstant::NewShape(graph_.alloc(), const_cast<js::Shape*>(shape));
    constant->setEmittedAtUses();
    MObjectState* shaped = stateOf(withOneField_);
    if (!shaped) {
      return false;
    }
    shaped->replaceOperand(0, object_);
    shaped->setSlot(0, constant);
    state->replaceOperand(0, shaped);
    at->block()->insertBefore(at, constant);
    at->block()->insertBefore(at, shaped);
    return true;
  }

  // A summary with as many fields as a shape has. MObjectState only takes the number
  // from the object, which is replaced.
  MObjectState* stateOf(const js::Shape* shape) {
    TempAllocator& alloc = graph_.alloc();
    auto* constant = MConstant::NewShape(alloc, const_cast<js::Shape*>(shape));
    auto* undefined = MConstant::NewUndefined(alloc);
    object_->block()->insertBefore(object_, undefined);
    auto* model = MNewPlainObject::New(
        alloc, constant, object_->numFixedSlots(), object_->numDynamicSlots(),
        object_->allocKind(), object_->initialHeap());
    MObjectState* state = MObjectState::New(alloc, model);
    if (state) {
      state->initFromTemplateObject(alloc, undefined);
    }
    return state;
  }
};

}  // namespace bao

#endif  // bao_AddedFields_h
