/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The error of JSON.stringify for an object that holds itself, with V8's way
// from the object back to it. Part of builtin/JSON.cpp.

#ifndef bao_Cycle_h
#define bao_Cycle_h

#include "mozilla/Vector.h"

#include <string_view>

#include "bao/KeyName.h"
#include "js/friend/ErrorMessages.h"
#include "vm/JSFunction.h"
#include "vm/JSObject.h"
#include "vm/NativeObject.h"

namespace bao {

// The text of the message. Everything that appends is false if there is no
// memory, with an exception.
class CycleText {
  JSContext* cx_;
  mozilla::Vector<char, 512> text_;

 public:
  explicit CycleText(JSContext* cx) : cx_(cx) {}

  [[nodiscard]] bool add(std::string_view text) {
    if (text_.append(text.data(), text.size())) {
      return true;
    }
    js::ReportOutOfMemory(cx_);
    return false;
  }

  // `object with constructor 'Name'`. Nothing of the program runs.
  [[nodiscard]] bool addObject(JS::HandleObject obj) {
    JS::UniqueChars name;
    JS::Value constructor;
    if (js::GetPropertyPure(cx_, obj, js::NameToId(cx_->names().constructor),
                            &constructor) &&
        constructor.isObject() && constructor.toObject().is<JSFunction>()) {
      JSAtom* atom =
          constructor.toObject().as<JSFunction>().maybePartialDisplayAtom();
      if (atom && !atom->empty()) {
        JS::Rooted<JSString*> text(cx_, atom);
        name = js::StringToNewUTF8CharsZ(cx_, *text);
        if (!name) {
          return false;
        }
      }
    }
    return add("object with constructor '") &&
           add(name ? name.get() : obj->getClass()->name) && add("'");
  }

  // `property 'key'`, `index 1`.
  [[nodiscard]] bool addKey(JS::HandleObject holder, JS::HandleId id) {
    JS::UniqueChars key = NameOfKey(cx_, id);
    if (!key) {
      return false;
    }
    if (id.isInt() && holder->is<js::ArrayObject>()) {
      return add("index ") && add(key.get());
    }
    if (!*key.get()) {
      return add("<anonymous>");
    }
    return add("property '") && add(key.get()) && add("'");
  }

  void report() {
    if (!text_.append('\0')) {
      js::ReportOutOfMemory(cx_);
      return;
    }
    JS_ReportErrorNumberUTF8(cx_, js::GetErrorMessage, nullptr,
                             JSMSG_NO_PROPERTIES, text_.begin());
  }
};

// The first data property of `holder` that JSON.stringify looks at and whose
// value is `held`. Void where a getter, `toJSON` or a proxy gave it.
static JS::PropertyKey KeyOf(JSObject* holder, JSObject* held) {
  if (!holder->is<js::NativeObject>()) {
    return JS::PropertyKey::Void();
  }
  js::NativeObject* native = &holder->as<js::NativeObject>();
  for (uint32_t i = 0; i < native->getDenseInitializedLength(); i++) {
    const JS::Value& value = native->getDenseElement(i);
    if (value.isObject() && &value.toObject() == held) {
      return JS::PropertyKey::Int(int32_t(i));
    }
  }
  // The shape gives its properties from the last to the first.
  JS::PropertyKey first = JS::PropertyKey::Void();
  for (js::ShapePropertyIter<js::NoGC> iter(native->shape()); !iter.done();
       iter++) {
    if (!iter->isDataProperty() || !iter->enumerable() ||
        iter->key().isSymbol()) {
      continue;
    }
    const JS::Value& value = native->getSlot(iter->slot());
    if (value.isObject() && &value.toObject() == held) {
      first = iter->key();
    }
  }
  return first;
}

// Throws that the last of `stack` holds `stack[start]`, which is being
// serialized. As V8, names the two objects behind it and the last one.
template <typename Stack>
static void ReportCycle(JSContext* cx, const Stack& stack, size_t start) {
  size_t last = stack.length() - 1;
  for (size_t i = start; i <= last; i++) {
    if (KeyOf(stack[i], stack[i < last ? i + 1 : start]).isVoid()) {
      JS_ReportErrorNumberASCII(cx, js::GetErrorMessage, nullptr,
                                JSMSG_JSON_CYCLIC_VALUE);
      return;
    }
  }
  CycleText text(cx);
  JS::RootedObject obj(cx, stack[start]);
  JS::RootedId key(cx);
  if (!text.add("Converting circular structure to JSON\n"
                "    --> starting at ") ||
      !text.addObject(obj)) {
    return;
  }
  for (size_t i = start + 1; i <= last; i++) {
    if (i == start + 3 && i < last) {
      if (!text.add("\n    |     ...")) {
        return;
      }
      i = last;
    }
    obj = stack[i - 1];
    key = KeyOf(obj, stack[i]);
    if (!text.add("\n    |     ") || !text.addKey(obj, key) ||
        !text.add(" -> ")) {
      return;
    }
    obj = stack[i];
    if (!text.addObject(obj)) {
      return;
    }
  }
  obj = stack[last];
  key = KeyOf(obj, stack[start]);
  if (text.add("\n    --- ") && text.addKey(obj, key) &&
      text.add(" closes the circle")) {
    text.report();
  }
}

}  // namespace bao

#endif  // bao_Cycle_h
