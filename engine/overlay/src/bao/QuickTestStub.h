/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// What RegExp.prototype.test does before it calls irregexp's code.

#ifndef bao_QuickTestStub_h
#define bao_QuickTestStub_h

#include "bao/QuickTestCall.h"
#include "jit/JitCode.h"
#include "jit/MacroAssembler.h"
#include "vm/RegExpObject.h"
#include "vm/RegExpShared.h"

#include "jit/MacroAssembler-inl.h"

namespace bao {

// Returns from the stub with the answer of the quick code (QuickTest.h) if there
// is one. Else `regexp` and `input` are as they were. `found` writes what
// RegExp.$1 needs; it gets registers that hold 0 and nothing.
template <typename Found>
void EmitQuickTest(js::jit::MacroAssembler& masm, js::jit::Register regexp,
                   js::jit::Register input, Found found) {
  using namespace js;
  using namespace js::jit;

  const Register code = QuickTestTemp;
  MOZ_ASSERT(regexp != QuickTestPlace && regexp != QuickTestEnd &&
             regexp != QuickTestResult && regexp != QuickTestTemp &&
             regexp != QuickTestStart && regexp != QuickTestFrom);
  MOZ_ASSERT(input != QuickTestPlace && input != QuickTestEnd &&
             input != QuickTestResult && input != QuickTestTemp &&
             input != QuickTestStart && input != QuickTestFrom);

  Label other, isMissing;
  masm.branchIfRope(input, &other);
  masm.branchTwoByteString(input, &other);
  masm.loadStringLength(input, QuickTestEnd);
  masm.branch32(Assembler::Above, QuickTestEnd, Imm32(QuickTestMaxLength),
                &other);

  // An expression that is global or sticky has no quick code.
  Address shared(regexp,
                 NativeObject::getFixedSlotOffset(RegExpObject::SHARED_SLOT));
  masm.branchTestUndefined(Assembler::Equal, shared, &other);
  masm.unboxNonDouble(shared, code, JSVAL_TYPE_PRIVATE_GCTHING);
  masm.loadPtr(Address(code, RegExpShared::offsetOfJitCode(/* latin1 = */ true)),
               code);
  masm.branchTestPtr(Assembler::Zero, code, code, &other);
  masm.loadPtr(Address(code, JitCode::offsetOfCode()), code);
  masm.addPtr(Imm32(QuickTestOffset), code);
  masm.loadStringChars(input, QuickTestPlace, CharEncoding::Latin1);
  masm.addPtr(QuickTestPlace, QuickTestEnd);
  masm.call(code);

  static_assert(QuickTestMissing == 0 && QuickTestFound == 1);
  masm.branchTest32(Assembler::Zero, QuickTestResult, QuickTestResult,
                    &isMissing);
  masm.branch32(Assembler::NotEqual, QuickTestResult, Imm32(QuickTestFound),
                &other);
  masm.xorPtr(QuickTestPlace, QuickTestPlace);
  found(QuickTestPlace, QuickTestTemp, QuickTestEnd, QuickTestFrom);
  masm.move32(Imm32(1), ReturnReg);
  masm.bind(&isMissing);
  masm.pop(FramePointer);
  masm.ret();

  masm.bind(&other);
}

}  // namespace bao

#endif
