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

// An expression as the engine's decompiler writes it, in V8's way: calls are
// `f(...)`, an object without properties is `{}`.
static inline bool AppendExpression(MessageText& out, std::string_view name) {
  if (name == "({})") {
    return Append(out, {"{}"});
  }
  // The source of a value.
  if (name.find("=>") != name.npos || name.find('{') != name.npos ||
      (!name.empty() && (name.front() == '"' || name.front() == '\''))) {
    return Append(out, {name});
  }
  size_t from = 0;
  for (size_t at = 1; at + 1 < name.size(); at++) {
    if (name[at] == '(' && name[at + 1] == ')' && name[at - 1] != ' ' &&
        name[at - 1] != '(') {
      if (!Append(out, {name.substr(from, at + 1 - from), "..."})) {
        return false;
      }
      from = at + 1;
    }
  }
  return Append(out, {name.substr(from)});
}

// The callee of an expression that is a call; empty for others.
static inline std::string_view CalleeOf(std::string_view name) {
  for (std::string_view end : {"(...)", "()"}) {
    if (name.size() > end.size() && name.substr(name.size() - end.size()) == end) {
      return name.substr(0, name.size() - end.size());
    }
  }
  return "";
}

// A token as the parser describes it, in V8's words: `'}'`,
// `keyword 'if'`, `identifier`, `end of script`.
static inline bool AppendUnexpected(MessageText& out, std::string_view token) {
  auto is = [&](const char* text) { return token == text; };
  if (is("end of script")) {
    return Append(out, {"Unexpected end of input"});
  }
  if (is("numeric literal") || is("bigint literal")) {
    return Append(out, {"Unexpected number"});
  }
  if (is("string literal")) {
    return Append(out, {"Unexpected string"});
  }
  if (is("template literal") || is("'`'")) {
    return Append(out, {"Unexpected template string"});
  }
  if (is("identifier") || is("private identifier") || is("escaped keyword")) {
    return Append(out, {"Unexpected identifier"});
  }
  if (token.substr(0, 13) == "reserved word" ||
      token.substr(0, 20) == "strict reserved word") {
    return Append(out, {token.front() == 's' ? "Unexpected strict mode reserved word"
                                             : "Unexpected reserved word"});
  }
  size_t quote = token.find('\'');
  if (quote == token.npos) {
    return true;
  }
  return Append(out, {"Unexpected token ", token.substr(quote)});
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
      return "Exponent must be positive";
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
    case JSMSG_OFFSET_OUT_OF_DATAVIEW:
      return "Offset is outside the bounds of the DataView";
    case JSMSG_RESULTING_STRING_TOO_LARGE:
      return "Invalid string length";
    case JSMSG_INVALID_NORMALIZE_FORM:
      return "The normalization form should be one of NFC, NFD, NFKC, NFKD.";
    case JSMSG_GET_ITER_RETURNED_PRIMITIVE:
      return "Result of the Symbol.iterator method is not an object";
    case JSMSG_GET_ASYNC_ITER_RETURNED_PRIMITIVE:
      return "Result of the Symbol.asyncIterator method is not an object";
    case JSMSG_CANNOT_RESOLVE_PROMISE_WITH_ITSELF:
      return "Chaining cycle detected for promise #<Promise>";
    case JSMSG_PROMISE_ANY_REJECTION:
      return "All promises were rejected";
    case JSMSG_ITERATOR_NO_THROW:
      return "The iterator does not provide a 'throw' method.";
    case JSMSG_EMPTY_ITERATOR_REDUCE:
      return "Reduce of a done iterator with no initial value";
    case JSMSG_BAD_WEAKREF_TARGET:
      return "WeakRef: invalid target";
    case JSMSG_BAD_SORT_ARG:
      return "The comparison function must be either a function or undefined";
    case JSMSG_BAD_TOSORTED_ARG:
      return "The comparison function must be either a function or undefined";
    case JSMSG_BAD_TYPEDARRAY_SORT_ARG:
      return "The comparison function must be either a function or undefined";
    case JSMSG_PROXY_PREVENTEXTENSIONS_RETURNED_FALSE:
      return "'preventExtensions' on proxy: trap returned falsish";
    case JSMSG_PROXY_SETPROTOTYPEOF_RETURNED_FALSE:
      return "'setPrototypeOf' on proxy: trap returned falsish for property "
             "'undefined'";
    case JSMSG_SOURCE_ARRAY_TOO_LONG:
      return "offset is out of bounds";
    case JSMSG_CANT_SET_PROTO:
      return "#<Object> is not extensible";
    case JSMSG_BAD_CONST_DECL:
      return "Missing initializer in const declaration";
    case JSMSG_BAD_USING_DECL:
      return "Missing initializer in using declaration";
    case JSMSG_BAD_DESTRUCT_DECL:
      return "Missing initializer in destructuring declaration";
    case JSMSG_LEXICAL_DECL_DEFINES_LET:
      return "let is disallowed as a lexically bound name";
    case JSMSG_AWAIT_OUTSIDE_ASYNC:
      return "await is only valid in async functions and the top level "
             "bodies of modules";
    case JSMSG_AWAIT_OUTSIDE_ASYNC_OR_MODULE:
      return "await is only valid in async functions and the top level "
             "bodies of modules";
    case JSMSG_BAD_CONTINUE:
      return "Illegal continue statement: no surrounding iteration statement";
    case JSMSG_TOUGH_BREAK:
      return "Illegal break statement";
    case JSMSG_TOO_MANY_DEFAULTS:
      return "More than one default clause in switch statement";
    case JSMSG_CATCH_OR_FINALLY:
      return "Missing catch or finally after try";
    case JSMSG_LINE_BREAK_AFTER_THROW:
      return "Illegal newline after throw";
    case JSMSG_BAD_SUPER:
      return "'super' keyword unexpected here";
    case JSMSG_BAD_SUPERCALL:
      return "'super' keyword unexpected here";
    case JSMSG_BAD_ARGUMENTS:
      return "'arguments' is not allowed in class field initializer or "
             "static initialization block";
    case JSMSG_BAD_LEFTSIDE_OF_ASS:
      return "Invalid left-hand side in assignment";
    case JSMSG_BAD_DESTRUCT_TARGET:
      return "Invalid destructuring assignment target";
    case JSMSG_BAD_DESTRUCT_PARENS:
      return "Invalid destructuring assignment target";
    case JSMSG_BAD_DUP_ARGS:
      return "Duplicate parameter name not allowed in this context";
    case JSMSG_BAD_ARROW_ARGS:
      return "Malformed arrow function parameter list";
    case JSMSG_BAD_POW_LEFTSIDE:
      return "Unary operator used immediately before exponentiation "
             "expression. Parenthesis must be used to disambiguate operator "
             "precedence";
    case JSMSG_BAD_STRICT_ASSIGN_ARGUMENTS:
      return "Unexpected eval or arguments in strict mode";
    case JSMSG_BAD_STRICT_ASSIGN_EVAL:
      return "Unexpected eval or arguments in strict mode";
    case JSMSG_BAD_NEW_OPTIONAL:
      return "Invalid optional chain from new expression";
    case JSMSG_BAD_OPTIONAL_TEMPLATE:
      return "Invalid tagged template on optional chain";
    case JSMSG_STRICT_CODE_WITH:
      return "Strict mode code may not include a with statement";
    case JSMSG_DEPRECATED_OCTAL_LITERAL:
      return "Octal literals are not allowed in strict mode.";
    case JSMSG_DEPRECATED_OCTAL_ESCAPE:
      return "Octal escape sequences are not allowed in strict mode.";
    case JSMSG_DEPRECATED_EIGHT_OR_NINE_ESCAPE:
      return "\\8 and \\9 are not allowed in strict mode.";
    case JSMSG_DEPRECATED_DELETE_OPERAND:
      return "Delete of an unqualified identifier in strict mode.";
    case JSMSG_DUPLICATE_CONSTRUCTOR:
      return "A class may only have one constructor";
    case JSMSG_DUPLICATE_PROTO_PROPERTY:
      return "Duplicate __proto__ fields are not allowed in object literals";
    case JSMSG_CLASS_STATIC_PROTO:
      return "Classes may not have a static property named 'prototype'";
    case JSMSG_UNNAMED_FUNCTION_STMT:
      return "Function statements require a function name";
    case JSMSG_IMPORT_META_OUTSIDE_MODULE:
      return "Cannot use 'import.meta' outside a module";
    case JSMSG_IMPORT_DECL_AT_TOP_LEVEL:
      return "Cannot use import statement outside a module";
    case JSMSG_EXPORT_DECL_AT_TOP_LEVEL:
      return "Unexpected token 'export'";
    case JSMSG_OF_AFTER_FOR_LOOP_DECL:
      return "for-of loop variable declaration may not have an initializer.";
    case JSMSG_IN_AFTER_LEXICAL_FOR_DECL:
      return "for-in loop variable declaration may not have an initializer.";
    case JSMSG_INVALID_FOR_IN_DECL_WITH_INIT:
      return "for-in loop variable declaration may not have an initializer.";
    case JSMSG_REST_WITH_COMMA:
      return "Rest element must be last element";
    case JSMSG_PARAMETER_AFTER_REST:
      return "Rest parameter must be last formal parameter";
    case JSMSG_REST_WITH_DEFAULT:
      return "Rest parameter may not have a default initializer";
    case JSMSG_COLON_AFTER_ID:
      return "Invalid shorthand property initializer";
    case JSMSG_NUMBER_END_WITH_UNDERSCORE:
      return "Numeric separators are not allowed at the end of numeric "
             "literals";
    case JSMSG_NUMBER_MULTIPLE_ADJACENT_UNDERSCORES:
      return "Only one underscore is allowed as numeric separator";
    case JSMSG_SEPARATOR_IN_ZERO_PREFIXED_NUMBER:
      return "Numeric separator can not be used after leading 0.";
    case JSMSG_UNDEFINED_CURRENCY:
      return "Currency code is required with currency style.";
    case JSMSG_UNTERMINATED_REGEXP:
      return "Invalid regular expression: missing /";
    case JSMSG_IDSTART_AFTER_NUMBER:
    case JSMSG_BAD_ESCAPE:
    case JSMSG_MISSING_BINARY_DIGITS:
    case JSMSG_MISSING_OCTAL_DIGITS:
    case JSMSG_MISSING_HEXDIGITS:
    case JSMSG_MISSING_EXPONENT:
    case JSMSG_MISSING_PRIVATE_NAME:
    case JSMSG_UNTERMINATED_COMMENT:
      return "Invalid or unexpected token";
    // V8 names the pattern, too.
    case JSMSG_MISSING_PAREN:
      return "Invalid regular expression: Unterminated group";
    case JSMSG_UNTERM_CLASS:
      return "Invalid regular expression: Unterminated character class";
    case JSMSG_NOTHING_TO_REPEAT:
      return "Invalid regular expression: Nothing to repeat";
    case JSMSG_ESCAPE_AT_END_OF_REGEXP:
      return "Invalid regular expression: \\ at end of pattern";
    case JSMSG_DUPLICATE_CAPTURE_NAME:
      return "Invalid regular expression: Duplicate capture group name";
    case JSMSG_INVALID_NAMED_CAPTURE_REF:
      return "Invalid regular expression: Invalid named capture referenced";
    case JSMSG_INVALID_NAMED_REF:
      return "Invalid regular expression: Invalid named reference";
    case JSMSG_NUMBERS_OUT_OF_ORDER:
      return "Invalid regular expression: numbers out of order in {} "
             "quantifier";
    case JSMSG_INVALID_GROUP:
      return "Invalid regular expression: Invalid group";
    case JSMSG_BAD_CLASS_RANGE:
      return "Invalid regular expression: Range out of order in character "
             "class";
    case JSMSG_RANGE_WITH_CLASS_ESCAPE:
      return "Invalid regular expression: Invalid character class";
    case JSMSG_INVALID_PROPERTY_NAME:
      return "Invalid regular expression: Invalid property name";
    case JSMSG_INVALID_CLASS_PROPERTY_NAME:
      return "Invalid regular expression: Invalid property name in character "
             "class";
    case JSMSG_UNMATCHED_RIGHT_PAREN:
      return "Invalid regular expression: Unmatched ')'";
    case JSMSG_INCOMPLETE_QUANTIFIER:
      return "Invalid regular expression: Incomplete quantifier";
    case JSMSG_RAW_BRACKET_IN_REGEXP:
      return "Invalid regular expression: Lone quantifier brackets";
    case JSMSG_INVALID_CAPTURE_NAME:
      return "Invalid regular expression: Invalid capture group name";
    case JSMSG_INVALID_IDENTITY_ESCAPE:
      return "Invalid regular expression: Invalid escape";
    case JSMSG_INVALID_UNICODE_ESCAPE:
      return "Invalid regular expression: Invalid Unicode escape";
    case JSMSG_INVALID_DECIMAL_ESCAPE:
      return "Invalid regular expression: Invalid decimal escape";
    case JSMSG_INVALID_CHAR_IN_CLASS:
      return "Invalid regular expression: Invalid character in character "
             "class";
    case JSMSG_INVALID_CLASS_SET_OP:
      return "Invalid regular expression: Invalid set operation in character "
             "class";
    case JSMSG_NEGATED_CLASS_WITH_STR:
      return "Invalid regular expression: Negated character class may "
             "contain strings";
    case JSMSG_INVALID_FLAG_GROUP:
      return "Invalid regular expression: Invalid flag group";
    case JSMSG_MULTIPLE_FLAG_DASHES:
      return "Invalid regular expression: Multiple dashes in flag group";
    case JSMSG_REPEATED_FLAG:
      return "Invalid regular expression: Repeated flag in flag group";
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
    case JSMSG_MISSING_FUN_ARG:
      return Append(text, {"undefined is not a function"});
    case JSMSG_OBJECT_REQUIRED_ARG:
      if (arg(1) == "Proxy") {
        return Append(text, {"Cannot create proxy with a non-object as target "
                             "or handler"});
      }
      if (arg(0) == "`argumentsList`") {
        return Append(text, {"CreateListFromArrayLike called on non-object"});
      }
      return Append(text, {arg(1), " called on non-object"});
    case JSMSG_NOT_EXPECTED_TYPE:
    case JSMSG_MORE_ARGS_NEEDED:
      if (arg(0).substr(0, 8) == "DataView") {
        return Append(text, {"First argument to DataView constructor must be "
                             "an ArrayBuffer"});
      }
      if (arg(0) == "Object.create") {
        return Append(text, {"Object prototype may only be an Object or null: "
                             "undefined"});
      }
      return true;
    case JSMSG_OBJECT_REQUIRED: {
      std::string_view name = arg(0);
      if (name.substr(0, 20) != "Receiver of Promise." ||
          name.find("prototype") != name.npos) {
        return true;
      }
      name = name.substr(12, name.size() - 17);
      return Append(text, {name == "Promise.resolve" || name == "Promise.reject"
                               ? "PromiseResolve"
                               : name,
                           " called on non-object"});
    }
    case JSMSG_BUILTIN_CTOR_NO_NEW:
      if (arg(0) == "Promise") {
        return Append(text, {"Promise constructor cannot be invoked without "
                             "'new'"});
      }
      return Append(text, {"Constructor ", arg(0), " requires 'new'"});
    case JSMSG_NOT_FUNCTION:
      return AppendExpression(text, arg(0)) &&
             Append(text, {" is not a function"});
    case JSMSG_NOT_CONSTRUCTOR:
      return AppendExpression(text, arg(0)) &&
             Append(text, {" is not a constructor"});
    case JSMSG_NOT_ITERABLE:
      if (std::string_view callee = CalleeOf(arg(0)); !callee.empty()) {
        return AppendExpression(text, callee) &&
               Append(text, {" is not a function or its return value is not "
                             "iterable"});
      }
      return AppendExpression(text, arg(0)) &&
             Append(text, {" is not iterable"});
    case JSMSG_TOPRIMITIVE_RETURNED_OBJECT:
      return Append(text, {"Cannot convert object to primitive value"});
    case JSMSG_INCOMPATIBLE_METHOD:
      return Append(text, {"Method ", arg(0), " called on incompatible receiver ",
                           arg(2) == "Array" ? "[object " : Before(arg(2)),
                           arg(2), arg(2) == "Array" ? "]" : Behind(arg(2))});
    case JSMSG_INCOMPATIBLE_REGEXP_METHOD:
      return Append(text, {"Method RegExp.prototype.", arg(0),
                           " called on incompatible receiver ", arg(1)});
    case JSMSG_BOGUS_CONSTRUCTOR:
      return Append(text, {"Abstract class ", arg(0),
                           " not directly constructable"});
    case JSMSG_TYPED_ARRAY_CALL_OR_CONSTRUCT:
      return Append(text, {"Abstract class TypedArray not directly "
                           "constructable"});
    case JSMSG_TYPED_ARRAY_CONSTRUCT_OFFSET_MISALIGNED:
      return Append(text, {"byte length of ", arg(0),
                           "Array should be a multiple of ", arg(1)});
    case JSMSG_REQUIRES_GLOBAL_REGEXP:
      return Append(text, {"String.prototype.", arg(0),
                           " called with a non-global RegExp argument"});
    case JSMSG_INVALID_LANGUAGE_TAG:
      return Append(text, {"Invalid language tag: ", Bare(arg(0))});
    case JSMSG_INVALID_OPTION_VALUE:
      return Append(text, {"Value ", Bare(arg(1)),
                           " out of range for Intl options property ",
                           arg(0)});
    case JSMSG_NOT_OBJORNULL:
      return Append(text, {"Object prototype may only be an Object or null: ",
                           arg(0)});
    case JSMSG_SET_NON_OBJECT_RECEIVER: {
      std::string_view value = arg(0);
      const char* kind = value.front() == '"'               ? "string"
                         : value.substr(0, 6) == "Symbol"    ? "symbol"
                         : value == "true" || value == "false" ? "boolean"
                         : value.back() == 'n'               ? "bigint"
                                                             : "number";
      return Append(text, {"Cannot create property '", Bare(arg(1)), "' on ",
                           kind, " '", Bare(value), "'"});
    }
    case JSMSG_PROXY_SET_RETURNED_FALSE:
      return Append(text, {"'set' on proxy: trap returned falsish for property '",
                           Bare(arg(0)), "'"});
    case JSMSG_PROXY_DEFINE_RETURNED_FALSE:
      return Append(text, {"'defineProperty' on proxy: trap returned falsish "
                           "for property '",
                           Bare(arg(0)), "'"});
    case JSMSG_PROXY_DELETE_RETURNED_FALSE:
      return Append(text, {"'deleteProperty' on proxy: trap returned falsish "
                           "for property '",
                           Bare(arg(0)), "'"});
    // Syntax.
    case JSMSG_UNEXPECTED_TOKEN:
      return AppendUnexpected(text, arg(1));
    case JSMSG_UNEXPECTED_TOKEN_NO_EXPECT:
    case JSMSG_NO_VARIABLE_NAME:
      return AppendUnexpected(text, arg(0));
    case JSMSG_GARBAGE_AFTER_INPUT:
      return AppendUnexpected(text, arg(1));
    case JSMSG_REDECLARED_VAR:
      return Append(text, {"Identifier '", arg(1),
                           "' has already been declared"});
    case JSMSG_DUPLICATE_FORMAL:
      return Append(text, {"Duplicate parameter name not allowed in this "
                           "context"});
    case JSMSG_DUPLICATE_EXPORT_NAME:
      return Append(text, {"Duplicate export of '", arg(0), "'"});
    case JSMSG_BAD_STRICT_ASSIGN:
      return Append(text, {"Unexpected eval or arguments in strict mode"});
    case JSMSG_BAD_RETURN_OR_YIELD:
      return arg(0) != "return" ||
             Append(text, {"Illegal return statement"});
    case JSMSG_BAD_SUPERPROP:
      return Append(text, {"'super' keyword unexpected here"});
    case JSMSG_MISSING_PRIVATE_DECL:
      return Append(text, {"Private field '", arg(0),
                           "' must be declared in an enclosing class"});
    case JSMSG_ACCESSOR_WRONG_ARGS:
      return Append(text, {arg(0) == "getter"
                               ? "Getter must not have any formal parameters."
                               : "Setter must have exactly one formal "
                                 "parameter."});
    case JSMSG_FORBIDDEN_AS_STATEMENT:
      if (arg(0) == "lexical declarations") {
        return Append(text, {"Lexical declaration cannot appear in a "
                             "single-statement context"});
      }
      if (arg(0) == "classes") {
        return Append(text, {"Unexpected token 'class'"});
      }
      if (arg(0) == "function declarations") {
        return Append(text, {"In non-strict mode code, functions can only be "
                             "declared at top level, inside a block, or as the "
                             "body of an if statement."});
      }
      return true;
    case JSMSG_STRICT_NON_SIMPLE_PARAMS:
      return Append(text, {"Illegal 'use strict' directive in function with "
                           "non-simple parameter list"});
    case JSMSG_RESERVED_ID: {
      for (const char* word :
           {"implements", "interface", "let", "package", "private",
            "protected", "public", "static", "yield"}) {
        if (arg(0) == word) {
          return Append(text, {"Unexpected strict mode reserved word"});
        }
      }
      return Append(text, {"Unexpected reserved word"});
    }
    case JSMSG_ILLEGAL_CHARACTER:
    case JSMSG_EOL_BEFORE_END_OF_STRING:
      return Append(text, {"Invalid or unexpected token"});
    case JSMSG_EOF_BEFORE_END_OF_LITERAL:
    case JSMSG_EOF_IN_ESCAPE_IN_LITERAL:
      return Append(text, {arg(0) == "``" ? "Unterminated template literal"
                                          : "Invalid or unexpected token"});
    case JSMSG_MALFORMED_ESCAPE:
      return Append(text, {arg(0) == "hexadecimal"
                               ? "Invalid hexadecimal escape sequence"
                               : "Invalid Unicode escape sequence"});
    case JSMSG_UNICODE_OVERFLOW:
      return Append(text, {"Undefined Unicode code-point"});
    case JSMSG_BAD_REGEXP_FLAG:
      return Append(text, {"Invalid regular expression flags"});
    case JSMSG_MODULE_NO_EXPORT:
      return Append(text, {"The requested module '", arg(0),
                           "' does not provide an export named '", arg(1),
                           "'"});
    case JSMSG_MODULE_AMBIGUOUS:
      return Append(text, {"The requested module '", arg(0),
                           "' contains conflicting star exports for name '",
                           arg(1), "' with the previous requested module '",
                           arg(3), "'"});
    case JSMSG_INCOMPATIBLE_PROTO:
      if (arg(0) == "Number" || arg(0) == "Function" || arg(0) == "Symbol" ||
          arg(0) == "BigInt" || arg(0) == "Boolean") {
        if (arg(1) == "bind") {
          return Append(text, {"Bind must be called on a function"});
        }
        if (arg(1) != "call" && arg(1) != "apply") {
          return Append(text, {arg(0), ".prototype.", arg(1),
                               " requires that 'this' be a ", arg(0)});
        }
      }
      if (arg(0) == "Date") {
        return Append(text, {"this is not a Date object."});
      }
      if (IsNullish(arg(2))) {
        return Append(text, {arg(0), ".prototype.", arg(1),
                             " called on null or undefined"});
      }
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
