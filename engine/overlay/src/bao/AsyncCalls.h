/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Functions of builtin/Promise.cpp (AsyncFunctions.h) and vm/GeneratorObject.cpp
// (Generators.h) that machine code calls as it calls `malloc`, without an exit
// frame: they never collect, throw or look at the stack. They give null, and have
// done nothing, if that is not possible; the engine's own function is called then.

#ifndef bao_AsyncCalls_h
#define bao_AsyncCalls_h

#include "vm/AsyncFunction.h"

namespace bao {

// The generator object of a call of an async function, with its promise and room
// for `nslots` values, without an arguments object.
JSObject* TryNewAsyncCall(JSContext* cx, JSFunction* callee, JSObject* env,
                          uint32_t nslots);
// The object of a call of a generator function that is not async, with room for
// `nslots` values, without an arguments object.
JSObject* TryNewGenerator(JSContext* cx, JSFunction* callee, JSObject* env,
                          uint32_t nslots);
// As AsyncFunctionResolve; gives the promise.
JSObject* TryResolveAsyncCall(JSContext* cx,
                              js::AsyncFunctionGeneratorObject* generator,
                              uint64_t value);
// As AsyncFunctionAwait; gives the promise of the function.
JSObject* TryAwaitInAsyncCall(JSContext* cx,
                              js::AsyncFunctionGeneratorObject* generator,
                              uint64_t value);

}  // namespace bao

#endif  // bao_AsyncCalls_h
