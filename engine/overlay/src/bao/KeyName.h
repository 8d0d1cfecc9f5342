/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Keys of properties as they stand in messages. Part of vm/JSContext.cpp and
// of jsapi.cpp.

#ifndef bao_KeyName_h
#define bao_KeyName_h

#include "js/Id.h"
#include "js/Printf.h"
#include "vm/StringType.h"
#include "vm/SymbolType.h"

namespace bao {

// The key as V8 shows it: the text of a name, `Symbol(description)`, a number.
// Null with an exception if there is no memory.
static JS::UniqueChars NameOfKey(JSContext* cx, JS::HandleId id) {
  JS::UniqueChars name;
  if (id.isString()) {
    JS::Rooted<JSString*> text(cx, id.toString());
    return js::StringToNewUTF8CharsZ(cx, *text);
  }
  if (id.isSymbol()) {
    JS::Rooted<JSString*> text(cx, id.toSymbol()->description());
    JS::UniqueChars description;
    if (text) {
      description = js::StringToNewUTF8CharsZ(cx, *text);
      if (!description) {
        return nullptr;
      }
    }
    name = JS_smprintf("Symbol(%s)", description ? description.get() : "");
  } else {
    name = JS_smprintf("%u", unsigned(id.toInt()));
  }
  if (!name) {
    js::ReportOutOfMemory(cx);
  }
  return name;
}

}  // namespace bao

#endif  // bao_KeyName_h
