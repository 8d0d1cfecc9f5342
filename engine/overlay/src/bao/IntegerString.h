/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// A call of Int32ToString without an exit frame.
//
// Part of jit/CodeGenerator.cpp.

#ifndef bao_IntegerString_h
#define bao_IntegerString_h

#include "jit/ABIFunctions.h"
#include "jit/MacroAssembler.h"
#include "vm/StringType.h"

namespace bao {

// Int32ToString where nothing has to be collected, or null.
static void EmitTryIntToString(js::jit::MacroAssembler& masm,
                               js::jit::Register input,
                               js::jit::Register output,
                               js::jit::LiveRegisterSet live) {
  using namespace js;
  using namespace js::jit;

  masm.PushRegsInMask(live);
  masm.setupAlignedABICall();
  masm.loadJSContext(output);
  masm.passABIArg(output);
  masm.passABIArg(input);
  using Fn = JSLinearString* (*)(JSContext*, int32_t);
  Fn function = Int32ToString<NoGC>;
  masm.callWithABI(DynFn{JS_FUNC_TO_DATA_PTR(void*, function)},
                   ABIType::General, CheckUnsafeCallWithABI::DontCheckOther);
  masm.storeCallPointerResult(output);
  masm.PopRegsInMask(live);
}

}  // namespace bao

#endif  // bao_IntegerString_h
