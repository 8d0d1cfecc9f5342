/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The messages of errors that the language throws, as V8 words them. Programs
// and tests match on them. Included by vm/ErrorReporting.cpp.

#ifndef bao_Messages_h
#define bao_Messages_h

#include "mozilla/Vector.h"

#include <initializer_list>
#include <string.h>
#include <string_view>

#include "js/friend/ErrorMessages.h"

namespace bao {

using MessageText = mozilla::Vector<char, 128>;

static inline bool Append(MessageText& out,
                          std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts) {
    if (!out.append(part.data(), part.size())) {
      return false;
    }
  }
  return true;
}

// A property as it stands in a message: `"x"` without its quotes.
static inline std::string_view Bare(std::string_view name) {
  if (name.size() >= 2 && (name.front() == '"' || name.front() == '\'') &&
      name.back() == name.front()) {
    return name.substr(1, name.size() - 2);
  }
  return name;
}

static inline bool IsNullish(std::string_view name) {
  return name == "undefined" || name == "null";
}

// `#<Map>` for the name of a class; `undefined` and the like stay.
static inline std::string_view Before(std::string_view name) {
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' ? "#<"
                                                                     : "";
}
static inline std::string_view Behind(std::string_view name) {
  return Before(name).empty() ? "" : ">";
}

// V8's message for an error without arguments; null to leave the engine's.
static inline const char* PlainMessage(unsigned number) {
  switch (number) {
    case JSMSG_OVER_RECURSED:
      return "Maximum call stack size exceeded";
    case JSMSG_BAD_ARRAY_LENGTH:
      return "Invalid array length";
    case JSMSG_NESTING_GENERATOR:
      return "Generator is already running";
    case JSMSG_EMPTY_ARRAY_REDUCE:
      return "Reduce of empty array with no initial value";
    case JSMSG_INVALID_DESCRIPTOR:
      return "Invalid property descriptor. Cannot both specify accessors and "
             "a value or writable attribute";
    case JSMSG_CANT_SET_PROTO_CYCLE:
      return "Cyclic __proto__ value";
    case JSMSG_UNINITIALIZED_THIS:
      return "Must call super constructor in derived class before accessing "
             "'this' or returning from derived constructor";
    case JSMSG_REINIT_THIS:
      return "Super constructor may only be called once";
    case JSMSG_JSON_CYCLIC_VALUE:
      return "Converting circular structure to JSON";
    case JSMSG_INVALID_DATE:
      return "Invalid time value";
    case JSMSG_BAD_URI:
      return "URI malformed";
    case JSMSG_BAD_RADIX:
      return "toString() radix argument must be between 2 and 36";
    case JSMSG_BIGINT_TO_NUMBER:
      return "Cannot mix BigInt and other types, use explicit conversions";
    case JSMSG_BIGINT_DIVISION_BY_ZERO:
      return "Division by zero";
    case JSMSG_BIGINT_NEGATIVE_EXPONENT:
      return "Exponent must be non-negative";
    case JSMSG_BIGINT_NOT_SERIALIZABLE:
      return "Do not know how to serialize a BigInt";
    case JSMSG_BIGINT_TOO_LARGE:
      return "Maximum BigInt size exceeded";
    case JSMSG_SYMBOL_TO_STRING:
      return "Cannot convert a Symbol value to a string";
    case JSMSG_SYMBOL_TO_NUMBER:
      return "Cannot convert a Symbol value to a number";
    case JSMSG_GET_MISSING_PRIVATE:
      return "Cannot read private member from an object whose class did not "
             "declare it";
    case JSMSG_SET_MISSING_PRIVATE:
      return "Cannot write private member to an object whose class did not "
             "declare it";
    default:
      return nullptr;
  }
}

// The same for an error with arguments: `text` is empty to leave the engine's.
// False only if there is no memory.
template <typename Args>
bool MessageWithArguments(unsigned number, const Args& args,
                          MessageText& text) {
  auto arg = [&](size_t index) {
    return std::string_view(args.args(index), args.lengths(index));
  };
  switch (number) {
    // The whole text, see vm/JSContext.cpp and vm/JSONParser.cpp.
    case JSMSG_NO_PROPERTIES:
    case JSMSG_JSON_BAD_PARSE:
      return Append(text, {arg(0)});
    case JSMSG_READ_ONLY:
      return Append(text, {"Cannot assign to read only property '",
                           Bare(arg(0)), "' of object"});
    case JSMSG_GETTER_ONLY:
      return Append(text, {"Cannot set property ", Bare(arg(0)),
                           " of object which has only a getter"});
    case JSMSG_CANT_DELETE:
      return Append(text, {"Cannot delete property '", Bare(arg(0)),
                           "' of object"});
    case JSMSG_CANT_REDEFINE_PROP:
      return Append(text, {"Cannot redefine property: ", Bare(arg(0))});
    case JSMSG_CANT_DEFINE_PROP_OBJECT_NOT_EXTENSIBLE:
      return Append(text, {"Cannot add property ", Bare(arg(1)),
                           ", object is not extensible"});
    case JSMSG_OBJECT_NOT_EXTENSIBLE:
      return Append(text, {Before("Object"), "Object", Behind("Object"),
                           " is not extensible"});
    case JSMSG_CANT_CONVERT_TO:
      if (arg(1) == "object" && IsNullish(arg(0))) {
        return Append(text, {"Cannot convert undefined or null to object"});
      }
      if (arg(1) == "BigInt") {
        return Append(text, {"Cannot convert ", arg(0), " to a BigInt"});
      }
      if (arg(1) == "string" || arg(1) == "number" ||
          arg(1) == "primitive type") {
        return Append(text, {"Cannot convert object to primitive value"});
      }
      return true;
    case JSMSG_UNDECLARED_VAR:
      return Append(text, {arg(0), " is not defined"});
    case JSMSG_UNINITIALIZED_LEXICAL:
      return Append(text, {"Cannot access '", arg(0),
                           "' before initialization"});
    case JSMSG_BAD_CONST_ASSIGN:
      return Append(text, {"Assignment to constant variable."});
    case JSMSG_BAD_DERIVED_RETURN:
      return Append(text, {"Derived constructors may only return object or "
                           "undefined"});
    case JSMSG_BAD_HERITAGE:
      return Append(text, {"Class extends value ", arg(0),
                           " is not a constructor or null"});
    case JSMSG_BAD_INSTANCEOF_RHS:
      return Append(text, {"Right-hand side of 'instanceof' is not callable"});
    case JSMSG_BUILTIN_CTOR_NO_NEW:
      return Append(text, {"Constructor ", arg(0), " requires 'new'"});
    case JSMSG_INCOMPATIBLE_PROTO:
      return Append(text, {"Method ", arg(0), ".prototype.", arg(1),
                           " called on incompatible receiver ",
                           Before(arg(2)), arg(2), Behind(arg(2))});
    case JSMSG_BAD_GET_SET_FIELD:
      return Append(text,
                    {arg(0) == "get" ? "Getter" : "Setter",
                     " must be a function"});
    case JSMSG_BAD_APPLY_ARGS:
      return Append(text, {"CreateListFromArrayLike called on non-object"});
    case JSMSG_NOT_A_CODEPOINT:
      return Append(text, {"Invalid code point ", arg(0)});
    case JSMSG_OBJECT_REQUIRED_PROP_DESC:
      return Append(text, {"Property description must be an object: ", arg(0)});
    case JSMSG_WEAKMAP_KEY_CANT_BE_HELD_WEAKLY:
    case JSMSG_WEAKMAP_KEY_MUST_BE_AN_OBJECT:
      return Append(text, {"Invalid value used as weak map key"});
    case JSMSG_WEAKSET_VAL_CANT_BE_HELD_WEAKLY:
    case JSMSG_WEAKSET_VAL_MUST_BE_AN_OBJECT:
      return Append(text, {"Invalid value used in weak set"});
    case JSMSG_IN_STRING:
      return Append(text, {"Cannot use 'in' operator to search for '",
                           Bare(arg(0)), "' in ", Bare(arg(1))});
    case JSMSG_IN_NOT_OBJECT:
      return Append(text, {"Cannot use 'in' operator to search for a property "
                           "in ",
                           arg(0)});
    case JSMSG_NONINTEGER_NUMBER_TO_BIGINT:
      return Append(text, {"The number ", arg(0),
                           " cannot be converted to a BigInt because it is "
                           "not an integer"});
    default:
      return true;
  }
}

}  // namespace bao

#endif  // bao_Messages_h
