/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The call of the parent in a class's constructor that the program has not
// written.
//
// Part of frontend/BytecodeEmitter.cpp, which includes it once.

#ifndef bao_SuperCall_h
#define bao_SuperCall_h

#include "vm/ConstantCompareOperand.h"

namespace bao {

// Whether it is a constructor that the program has not written, of a class that
// extends another: `constructor(...args) { super(...args); }`. What makes an
// array of its arguments is not emitted at its begin but where it calls its
// parent, as the array would take the place of the first argument.
static bool IsDefaultDerivedConstructor(js::frontend::SharedContext* sc) {
  return sc->isFunctionBox() &&
         sc->asFunctionBox()->isDerivedClassConstructor() &&
         sc->asFunctionBox()->isSyntheticFunction();
}

// Most arguments with which such a constructor calls its parent directly.
static constexpr int32_t MaxArgumentsPassedOn = 8;

// Emits, in a default constructor of a derived class, for 0, 1, … arguments
// calls that pass them on one by one. What is emitted before `end` is for more
// arguments, and passes on an array of all.
class DirectSuperCalls {
  using BytecodeEmitter = js::frontend::BytecodeEmitter;
  using CallNode = js::frontend::CallNode;
  using InternalIfEmitter = js::frontend::InternalIfEmitter;

  BytecodeEmitter* bce_;
  mozilla::Maybe<InternalIfEmitter> ifs_[MaxArgumentsPassedOn + 1];

  // As emitCallOrNew, for `super(arguments[0], …)`.
  [[nodiscard]] bool emitCall(CallNode* callNode, int32_t argc) {
    using namespace js;
    using namespace js::frontend;

    CallOrNewEmitter cone(bce_, JSOp::SuperCall,
                          CallOrNewEmitter::ArgumentsKind::Other,
                          ValueUsage::WantValue);
    if (!bce_->emitCalleeAndThis(callNode->callee(), callNode, cone)) {
      //            [stack] CALLEE THIS
      return false;
    }
    if (!cone.prepareForNonSpreadArguments()) {
      //            [stack] CALLEE THIS
      return false;
    }
    for (int32_t i = 0; i < argc; i++) {
      if (!bce_->emitNumberOp(i)) {
        //          [stack] CALLEE THIS ARG* INDEX
        return false;
      }
      if (!bce_->emit1(JSOp::GetActualArg)) {
        //          [stack] CALLEE THIS ARG*
        return false;
      }
    }
    if (!bce_->emitNewTarget(callNode)) {
      //            [stack] CALLEE THIS ARG* NEW.TARGET
      return false;
    }
    return cone.emitEnd(argc, callNode->pn_pos.begin);
    //              [stack] RVAL
  }

 public:
  explicit DirectSuperCalls(BytecodeEmitter* bce) : bce_(bce) {}

  [[nodiscard]] bool emit(CallNode* callNode) {
    using namespace js;
    using namespace js::frontend;

    // All but one of the calls go away where Ion inlines it. The function counts
    // as one that reads arguments from its frame because it has a rest parameter;
    // the limit on arguments of inlined functions that read them by a variable
    // index is not for it.
    bce_->sc->asFunctionBox()->setIsInlinableLargeFunction();
    for (int32_t argc = 0; argc <= MaxArgumentsPassedOn; argc++) {
      auto& test = ifs_[argc];
      test.emplace(
          bce_, BranchEmitterBase::LexicalKind::MayContainLexicalAccessInBranch);
      if (!bce_->emit1(JSOp::ArgumentsLength)) {
        //          [stack] LENGTH
        return false;
      }
      ConstantCompareOperand operand{int8_t(argc)};
      if (!bce_->emitUint16Operand(JSOp::StrictConstantEq,
                                   operand.rawValue())) {
        //          [stack] IS_EQUAL
        return false;
      }
      if (!test->emitThenElse()) {
        //          [stack]
        return false;
      }
      if (!emitCall(callNode, argc)) {
        //          [stack] RVAL
        return false;
      }
      if (!test->emitElse()) {
        //          [stack]
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool end() {
    for (int32_t argc = MaxArgumentsPassedOn; argc >= 0; argc--) {
      if (!ifs_[argc]->emitEnd()) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace bao

#endif  // bao_SuperCall_h
