/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// A call of the intrinsic that spreads an object, without an exit frame.
//
// Part of jit/CodeGenerator.cpp.

#ifndef bao_SpreadCall_h
#define bao_SpreadCall_h

#include "bao/SpreadMemo.h"
#include "jit/ABIFunctions.h"
#include "jit/MacroAssembler.h"

namespace bao {

// TryCopyDataProperties for the arguments above `unusedStack` bytes of the stack;
// goes to `done` with the native function's result if that has done it.
static void EmitTryCopyDataProperties(js::jit::MacroAssembler& masm,
                                      uint32_t unusedStack,
                                      js::jit::Register context,
                                      js::jit::Register args,
                                      js::jit::ValueOperand result,
                                      js::jit::Label* done) {
  using namespace js::jit;

  masm.loadJSContext(context);
  masm.computeEffectiveAddress(Address(masm.getStackPointer(), unusedStack),
                               args);
  masm.setupAlignedABICall();
  masm.passABIArg(context);
  masm.passABIArg(args);
  masm.callWithABI(DynFn{JS_FUNC_TO_DATA_PTR(void*, TryCopyDataProperties)},
                   ABIType::General, CheckUnsafeCallWithABI::DontCheckOther);
  Label failed;
  masm.branchIfFalseBool(ReturnReg, &failed);
  masm.moveValue(JS::NullValue(), result);
  masm.jump(done);
  masm.bind(&failed);
}

}  // namespace bao

#endif  // bao_SpreadCall_h
