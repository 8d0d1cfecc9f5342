/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Keys of properties as they stand in messages. Part of vm/JSContext.cpp and
// of jsapi.cpp.

#ifndef bao_KeyName_h
#define bao_KeyName_h

#include "js/CallAndConstruct.h"  // JS::IsCallable
#include "js/Id.h"
#include "js/Printf.h"
#include "vm/StringType.h"
#include "vm/SymbolType.h"
#include "vm/ToSource.h"  // js::ValueToSource

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
    name = JS_smprintf(id.toSymbol()->isPrivateName() ? "%s" : "Symbol(%s)",
                       description ? description.get() : "");
  } else {
    name = JS_smprintf("%u", unsigned(id.toInt()));
  }
  if (!name) {
    js::ReportOutOfMemory(cx);
  }
  return name;
}

// A value as V8 shows it: a text without quotes, the source of a function, an
// object by its class. Null with an exception if that is not possible.
[[maybe_unused]] static JS::UniqueChars ShownValue(JSContext* cx,
                                                   JS::HandleValue value) {
  if (value.isSymbol()) {
    JS::Rooted<JS::PropertyKey> id(cx,
                                   JS::PropertyKey::Symbol(value.toSymbol()));
    return NameOfKey(cx, id);
  }
  if (value.isObject() && !JS::IsCallable(&value.toObject())) {
    const char* name = value.toObject().getClass()->name;
    bool isArray = strcmp(name, "Array") == 0;
    JS::UniqueChars text = isArray ? JS_smprintf("[object Array]")
                                   : JS_smprintf("#<%s>", name);
    if (!text) {
      js::ReportOutOfMemory(cx);
    }
    return text;
  }
  JS::Rooted<JSString*> text(cx, value.isObject()
                                     ? js::ValueToSource(cx, value)
                                     : js::ToString<js::CanGC>(cx, value));
  return text ? js::StringToNewUTF8CharsZ(cx, *text) : nullptr;
}

}  // namespace bao

#endif  // bao_KeyName_h
