/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// What the embedding asks of a graph of modules: which module answers a
// request, and where a module waits. Included by vm/Modules.cpp.
//
// None of these functions collects.

#ifndef bao_ModuleGraph_h
#define bao_ModuleGraph_h

#include "bao/Awaiters.h"
#include "builtin/ModuleObject.h"
#include "vm/GeneratorObject.h"
#include "vm/JSScript.h"

// The module that answers a module's request number `index`, in the order of
// its text; null if it is not loaded, or if there is no such request.
extern "C" JS_PUBLIC_API JSObject* BaoLoadedModule(JSObject* module,
                                                   size_t index) {
  auto& self = module->as<js::ModuleObject>();
  if (!self.hasCyclicModuleFields()) {
    return nullptr;
  }
  mozilla::Span<const js::RequestedModule> requests = self.requestedModules();
  if (index >= requests.size()) {
    return nullptr;
  }
  auto found = self.loadedModules().lookup(requests[index].moduleRequest());
  return found ? found->value().get() : nullptr;
}

// Where a module's own code is suspended in a top-level await: line and column
// from 1 of what is awaited. False if it is not.
extern "C" JS_PUBLIC_API bool BaoModuleAwait(JSObject* module, uint32_t* line,
                                             uint32_t* column) {
  auto& self = module->as<js::ModuleObject>();
  if (!self.hasCyclicModuleFields() || !self.hasTopLevelAwait()) {
    return false;
  }
  js::AbstractGeneratorObject* generator =
      js::GetGeneratorObjectForModule(&self);
  if (!generator || !generator->isSuspended()) {
    return false;
  }
  jsbytecode* pc = bao::AwaitOf(generator);
  if (JSOp(*pc) != JSOp::Await) {
    return false;
  }
  JS::LimitedColumnNumberOneOrigin at;
  *line = js::PCToLineNumber(generator->callee().nonLazyScript(), pc, &at);
  *column = at.oneOriginValue();
  return true;
}

#endif  // bao_ModuleGraph_h
