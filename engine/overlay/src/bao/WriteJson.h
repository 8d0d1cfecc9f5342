/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// JSON.stringify of plain data of one-byte texts: objects and arrays as literals and
// JSON.parse make them. Included by builtin/JSON.cpp; called by engine/src/json.rs,
// which writes indented and wide texts itself.

#ifndef bao_WriteJson_h
#define bao_WriteJson_h

#include <algorithm>
#include <cmath>
#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bao/DecimalDigits.h"
#include "bao/JsonMemory.h"
#include "util/StringBuilder.h"
#include "vm/ArrayObject.h"
#include "vm/GlobalObject.h"
#include "vm/JSContext.h"
#include "vm/PlainObject.h"

#include "vm/NativeObject-inl.h"

namespace bao {

// Whether JSON has 16 characters as they are.
static MOZ_ALWAYS_INLINE bool ArePlain(__m128i chars) {
  __m128i control =
      _mm_cmpeq_epi8(_mm_min_epu8(chars, _mm_set1_epi8(0x1F)), chars);
  __m128i special = _mm_or_si128(_mm_cmpeq_epi8(chars, _mm_set1_epi8('"')),
                                 _mm_cmpeq_epi8(chars, _mm_set1_epi8('\\')));
  return _mm_movemask_epi8(_mm_or_si128(control, special)) == 0;
}

// Writes a finite number that is not 0 as JavaScript does, in at most 32
// characters; gives how many.
using JsonFormat = size_t (*)(double number, JS::Latin1Char* to);

class JsonWriter {
 public:
  enum class Result { Written, NotPlain, Failed };

 private:
  static constexpr uint32_t MaxDepth = 24;
  static constexpr uint32_t MaxSkips = 127;
  // The most room that is made before anything is written.
  static constexpr size_t MaxFirst = 64 * 1024;

  JSContext* cx_;
  js::StringBuilder& builder_;
  JsonMemory& memory_;
  JsonFormat format_;
  JSObject* objectProto_ = nullptr;
  JSObject* arrayProto_ = nullptr;
  js::Shape* arrayShape_ = nullptr;
  // A prototype that says nothing about JSON, other than objectProto_.
  JSObject* quietProto_ = nullptr;
  JS::Latin1Char* at_ = nullptr;
  JS::Latin1Char* end_ = nullptr;
  Result failure_ = Result::NotPlain;

  bool fail(Result failure) {
    failure_ = failure;
    return false;
  }

  size_t length() { return at_ - builder_.begin<JS::Latin1Char>(); }

  // Makes room for `count` characters and 16 that may be written too much.
  MOZ_ALWAYS_INLINE bool need(size_t count) {
    return MOZ_LIKELY(size_t(end_ - at_) >= count + 16) || grow(count + 16);
  }
  MOZ_NEVER_INLINE bool grow(size_t count) {
    size_t used = at_ ? length() : 0;
    size_t size = builder_.length();
    if (!builder_.growByUninitialized(std::max(count, size))) {
      return fail(Result::Failed);
    }
    JS::Latin1Char* begin = builder_.begin<JS::Latin1Char>();
    at_ = begin + used;
    end_ = begin + builder_.length();
    return true;
  }

  template <size_t N>
  MOZ_ALWAYS_INLINE void put(const char (&text)[N]) {
    memcpy(at_, text, N - 1);
    at_ += N - 1;
  }

  // Makes room for a part at a time: each character may need six.
  MOZ_NEVER_INLINE bool escape(const JS::Latin1Char* chars, size_t count) {
    static constexpr size_t Part = 4096;
    for (size_t i = 0; i < count; i++) {
      if (i % Part == 0 && !need(std::min(count - i, Part) * 6 + 1)) {
        return false;
      }
      JS::Latin1Char c = chars[i];
      if (IsPlain(c)) {
        *at_++ = c;
        continue;
      }
      *at_++ = '\\';
      switch (c) {
        case '\b':
          *at_++ = 'b';
          break;
        case '\t':
          *at_++ = 't';
          break;
        case '\n':
          *at_++ = 'n';
          break;
        case '\f':
          *at_++ = 'f';
          break;
        case '\r':
          *at_++ = 'r';
          break;
        case '"':
        case '\\':
          *at_++ = c;
          break;
        default:
          put("u00");
          *at_++ = '0' + (c >> 4);
          *at_++ = "0123456789abcdef"[c & 15];
      }
    }
    *at_++ = '"';
    return true;
  }

  MOZ_ALWAYS_INLINE bool string(JSString* string) {
    JSLinearString* linear = string->ensureLinear(cx_);
    if (MOZ_UNLIKELY(!linear)) {
      return fail(Result::Failed);
    }
    if (MOZ_UNLIKELY(!linear->hasLatin1Chars())) {
      return fail(Result::NotPlain);
    }
    JS::AutoCheckCannotGC nogc;
    const JS::Latin1Char* chars = linear->latin1Chars(nogc);
    size_t count = linear->length();
    if (!need(count + 2)) {
      return false;
    }
    *at_++ = '"';
    for (; count >= 16; count -= 16, chars += 16, at_ += 16) {
      __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(chars));
      if (MOZ_UNLIKELY(!ArePlain(block))) {
        return escape(chars, count);
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at_), block);
    }
    for (; count >= 8; count -= 8, chars += 8, at_ += 8) {
      // The upper half is filled with characters that are plain.
      __m128i block =
          _mm_or_si128(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(chars)),
                       _mm_set_epi64x(0x2020202020202020, 0));
      if (MOZ_UNLIKELY(!ArePlain(block))) {
        return escape(chars, count);
      }
      _mm_storel_epi64(reinterpret_cast<__m128i*>(at_), block);
    }
    for (size_t i = 0; i < count; i++) {
      if (MOZ_UNLIKELY(!IsPlain(chars[i]))) {
        return escape(chars + i, count - i);
      }
      *at_++ = chars[i];
    }
    *at_++ = '"';
    return true;
  }

  MOZ_NEVER_INLINE bool number(double value) {
    if (!std::isfinite(value)) {
      put("null");
    } else if (value == 0) {
      *at_++ = '0';
    } else {
      at_ += format_(value, at_);
    }
    return true;
  }

  // Writes a value behind which there is room for 64 characters.
  MOZ_ALWAYS_INLINE bool value(const JS::Value& value, uint32_t depth) {
    if (value.isString()) {
      return string(value.toString());
    }
    if (value.isInt32()) {
      DecimalDigits digits(value.toInt32());
      digits.store(at_);
      at_ += digits.length();
      return true;
    }
    if (value.isBoolean()) {
      if (value.toBoolean()) {
        put("true");
      } else {
        put("false");
      }
      return true;
    }
    if (value.isNull()) {
      put("null");
      return true;
    }
    if (value.isDouble()) {
      return number(value.toDouble());
    }
    if (value.isObject()) {
      return object(&value.toObject(), depth + 1);
    }
    return fail(Result::NotPlain);
  }

  bool object(JSObject* object, uint32_t depth) {
    if (MOZ_UNLIKELY(depth > MaxDepth || cx_->hasAnyPendingInterrupt())) {
      return fail(Result::NotPlain);
    }
    if (object->is<js::ArrayObject>()) {
      return array(&object->as<js::ArrayObject>(), depth);
    }
    if (!object->is<js::PlainObject>()) {
      return fail(Result::NotPlain);
    }
    js::PlainObject* plain = &object->as<js::PlainObject>();
    js::Shape* shape = plain->shape();
    const JsonKeys::Key* keys;
    size_t count;
    if (JSObject* proto = plain->staticPrototype();
        (proto != objectProto_ && proto && !isQuiet(proto)) ||
        plain->getDenseInitializedLength() != 0 || plain->isIndexed() ||
        !memory_.keys.lookup(cx_, shape, &keys, &count)) {
      return fail(Result::NotPlain);
    }
    if (!need(2)) {
      return false;
    }
    size_t start = length();
    for (size_t i = 0; i < count; i++) {
      JS::Value member = plain->getSlot(keys[i].slot);
      if (MOZ_UNLIKELY(member.isUndefined() || member.isSymbol())) {
        continue;
      }
      size_t keyLength = keys[i].length;
      if (!need(keyLength + 64)) {
        return false;
      }
      memory_.keys.copyText(keys[i], at_);
      at_ += keyLength;
      uint32_t generation = memory_.keys.generation();
      if (!value(member, depth)) {
        return false;
      }
      // What is inside may have taken the place of these keys in the table.
      if (MOZ_UNLIKELY(generation != memory_.keys.generation()) &&
          !memory_.keys.lookup(cx_, shape, &keys, &count)) {
        return fail(Result::NotPlain);
      }
    }
    if (!need(2)) {
      return false;
    }
    // The brace takes the place of the first comma.
    JS::Latin1Char* first = builder_.begin<JS::Latin1Char>() + start;
    if (at_ == first) {
      at_++;
    }
    *first = '{';
    *at_++ = '}';
    return true;
  }

  // Whether neither a class nor what it extends has toJSON.
  bool isQuiet(JSObject* proto) {
    if (proto == quietProto_) {
      return true;
    }
    for (JSObject* at = proto; at && at != objectProto_;
         at = at->staticPrototype()) {
      if (!at->is<js::PlainObject>() ||
          at->as<js::PlainObject>().containsPure(cx_->names().toJSON)) {
        return false;
      }
    }
    quietProto_ = proto;
    return true;
  }

  bool array(js::ArrayObject* array, uint32_t depth) {
    size_t count = array->length();
    if (array->staticPrototype() != arrayProto_ || array->isIndexed() ||
        array->getDenseInitializedLength() != count) {
      return fail(Result::NotPlain);
    }
    if (array->shape() != arrayShape_) {
      if (array->containsPure(cx_->names().toJSON)) {
        return fail(Result::NotPlain);
      }
      arrayShape_ = array->shape();
    }
    if (!need(2)) {
      return false;
    }
    *at_++ = '[';
    for (size_t i = 0; i < count; i++) {
      JS::Value element = array->getDenseElement(i);
      if (!need(64)) {
        return false;
      }
      if (i > 0) {
        *at_++ = ',';
      }
      if (MOZ_UNLIKELY(element.isUndefined() || element.isSymbol())) {
        put("null");
      } else if (!value(element, depth)) {
        return false;
      }
    }
    if (!need(1)) {
      return false;
    }
    *at_++ = ']';
    return true;
  }

  // A property that is added makes another shape.
  bool hasNoToJson(JSObject* proto, js::Shape** known) {
    if (*known == proto->shape()) {
      return true;
    }
    if (proto->as<js::NativeObject>().containsPure(cx_->names().toJSON)) {
      return false;
    }
    *known = proto->shape();
    return true;
  }

  // Whether nothing that data inherits has a say, and which prototypes it has.
  bool prepare() {
    js::GlobalObject* global = cx_->global();
    objectProto_ = global->maybeGetPrototype(JSProto_Object);
    arrayProto_ = global->maybeGetArrayPrototype();
    return objectProto_ && arrayProto_ &&
           arrayProto_->staticPrototype() == objectProto_ &&
           !objectProto_->staticPrototype() &&
           hasNoToJson(objectProto_, &memory_.objectProtoShape) &&
           hasNoToJson(arrayProto_, &memory_.arrayProtoShape);
  }

 public:
  JsonWriter(JSContext* cx, js::StringBuilder& builder, JsonMemory& memory,
             JsonFormat format)
      : cx_(cx), builder_(builder), memory_(memory), format_(format) {}

  Result write(JSObject* object) {
    if (!builder_.isUnderlyingBufferLatin1() || !builder_.empty()) {
      return Result::NotPlain;
    }
    if (memory_.skipped > 0) {
      memory_.skipped--;
      return Result::NotPlain;
    }
    if (memory_.keys.begin(cx_)) {
      memory_.objectProtoShape = memory_.arrayProtoShape = nullptr;
    }
    if (!prepare()) {
      return Result::NotPlain;
    }
    // A text is often about as long as the one before.
    if (!grow(std::min(memory_.length + 32, MaxFirst)) ||
        !this->object(object, 0)) {
      builder_.clear();
      if (failure_ == Result::NotPlain) {
        memory_.skips = std::min(2 * memory_.skips + 1, MaxSkips);
        memory_.skipped = memory_.skips;
      }
      return failure_;
    }
    memory_.skips = 0;
    memory_.length = length();
    builder_.shrinkTo(memory_.length);
    return Result::Written;
  }
};

}  // namespace bao

// JSON.stringify(value, replacer, space) as a native function of JavaScript is
// called: 0 with the text in vp[0]; 1, and nothing has happened, where it is not
// plain data or there are other arguments; 2 with an exception. Runs nothing of the
// program.
extern "C" JS_PUBLIC_API int BaoWriteJson(JSContext* cx, unsigned argc,
                                          JS::Value* vp,
                                          bao::JsonFormat format) {
  JS::CallArgs args = JS::CallArgsFromVp(argc, vp);
  if (!args.get(0).isObject() || !args.get(1).isNullOrUndefined() ||
      !args.get(2).isNullOrUndefined() || !bao::jsonMemory.ensure()) {
    return 1;
  }
  js::JSStringBuilder builder(cx);
  bao::JsonWriter writer(cx, builder, *bao::jsonMemory.get(), format);
  switch (writer.write(&args[0].toObject())) {
    case bao::JsonWriter::Result::NotPlain:
      return 1;
    case bao::JsonWriter::Result::Failed:
      return 2;
    case bao::JsonWriter::Result::Written:
      break;
  }
  JSString* text = builder.finishString();
  if (!text) {
    return 2;
  }
  args.rval().setString(text);
  return 0;
}

#endif
