/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// What WriteJson.h remembers from one JSON.stringify to the next.

#ifndef bao_JsonMemory_h
#define bao_JsonMemory_h

#include <algorithm>
#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gc/GC.h"
#include "js/Utility.h"
#include "vm/JSContext.h"
#include "vm/PlainObject.h"
#include "vm/StringType.h"

#include "vm/Shape-inl.h"

namespace bao {

// Whether JSON has a character as it is.
static MOZ_ALWAYS_INLINE bool IsPlain(JS::Latin1Char c) {
  return c >= 0x20 && c != '"' && c != '\\';
}

// The texts of the keys of shapes: a table without roots, as SpreadMemo.
class JsonKeys {
 public:
  struct Key {
    uint16_t text;
    uint16_t length;
    uint32_t slot;
  };

 private:
  struct Entry {
    js::Shape* shape;
    uint16_t first;
    uint16_t count;
  };
  static constexpr size_t MaxShapes = 64;
  static constexpr size_t MaxKeys = 512;
  static constexpr size_t MaxText = 8192;

  JSRuntime* runtime_ = nullptr;
  uint64_t collection_ = 0;
  bool wasCollecting_ = false;
  uint32_t generation_ = 0;
  size_t keyCount_ = 0;
  size_t textLength_ = 0;
  Entry entries_[MaxShapes] = {};
  Key keys_[MaxKeys];
  // Each key as `,"key":`, and 16 bytes that may be read behind the last one.
  JS::Latin1Char text_[MaxText + 16];

  static size_t IndexOf(js::Shape* shape) {
    uintptr_t hash = uintptr_t(shape) >> 5;
    return (hash ^ hash >> 6) % MaxShapes;
  }

  void clear() {
    generation_++;
    keyCount_ = textLength_ = 0;
    for (Entry& entry : entries_) {
      entry = {};
    }
  }

  const Entry* note(JSContext* cx, js::Shape* shape) {
    if (!shape->isShared() || shape->getObjectClass() != &js::PlainObject::class_) {
      return nullptr;
    }
    size_t count = 0;
    size_t length = 0;
    for (js::ShapePropertyIter<js::NoGC> iter(&shape->asNative()); !iter.done(); iter++) {
      JS::PropertyKey key = iter->key();
      if (key.isSymbol() || (!iter->enumerable() && !isToJson(cx, key))) {
        continue;
      }
      if (!key.isAtom() || isToJson(cx, key) || !iter->isDataProperty() ||
          !key.toAtom()->hasLatin1Chars()) {
        return nullptr;
      }
      count++;
      length += key.toAtom()->length() + 4;
    }
    if (count > MaxKeys || length > MaxText) {
      return nullptr;
    }
    if (keyCount_ + count > MaxKeys || textLength_ + length > MaxText) {
      clear();
    }
    // From the last to the first.
    size_t index = keyCount_ + count;
    JS::AutoCheckCannotGC nogc;
    for (js::ShapePropertyIter<js::NoGC> iter(&shape->asNative()); !iter.done(); iter++) {
      JS::PropertyKey key = iter->key();
      if (key.isSymbol() || !iter->enumerable()) {
        continue;
      }
      JSAtom* atom = key.toAtom();
      JS::Latin1Char* text = text_ + textLength_;
      const JS::Latin1Char* chars = atom->latin1Chars(nogc);
      size_t chars_length = atom->length();
      if (!std::all_of(chars, chars + chars_length, IsPlain)) {
        return nullptr;
      }
      keys_[--index] = {uint16_t(textLength_), uint16_t(chars_length + 4),
                        iter->slot()};
      *text++ = ',';
      *text++ = '"';
      memcpy(text, chars, chars_length);
      text += chars_length;
      *text++ = '"';
      *text++ = ':';
      textLength_ += chars_length + 4;
    }
    Entry& entry = entries_[IndexOf(shape)];
    entry = {shape, uint16_t(keyCount_), uint16_t(count)};
    keyCount_ += count;
    return &entry;
  }

  static bool isToJson(JSContext* cx, JS::PropertyKey key) {
    return key == js::NameToId(cx->names().toJSON);
  }

 public:
  // Before each call: forgets shapes that may be gone, and tells whether it did. Within a call, nothing
  // collects; between two, a shape may die in a slice of a collection.
  bool begin(JSContext* cx) {
    bool isCollecting = cx->runtime()->gc.isIncrementalGCInProgress();
    uint64_t collection = cx->runtime()->gc.majorGCCount();
    bool forgets = runtime_ != cx->runtime() || collection_ != collection ||
                   isCollecting || wasCollecting_;
    if (forgets) {
      runtime_ = cx->runtime();
      collection_ = collection;
      clear();
    }
    wasCollecting_ = isCollecting;
    return forgets;
  }

  // The keys that are written of an object with this shape, in their order. False
  // if it has others than names of plain characters with values, or `toJSON`.
  MOZ_ALWAYS_INLINE bool lookup(JSContext* cx, js::Shape* shape,
                                const Key** keys, size_t* count) {
    const Entry* entry = &entries_[IndexOf(shape)];
    if (MOZ_UNLIKELY(entry->shape != shape)) {
      entry = note(cx, shape);
      if (!entry) {
        return false;
      }
    }
    *keys = keys_ + entry->first;
    *count = entry->count;
    return true;
  }

  // Changes when keys lose their place.
  uint32_t generation() const { return generation_; }

  // May write 16 characters too much.
  MOZ_ALWAYS_INLINE void copyText(const Key& key, JS::Latin1Char* to) const {
    const JS::Latin1Char* from = text_ + key.text;
    for (size_t i = 0; i < key.length; i += 16) {
      _mm_storeu_si128(
          reinterpret_cast<__m128i*>(to + i),
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }
  }
};

// What a thread remembers between calls.
struct JsonMemory {
  JsonKeys keys;
  // Shapes of Object.prototype and Array.prototype without toJSON.
  js::Shape* objectProtoShape = nullptr;
  js::Shape* arrayProtoShape = nullptr;
  // How long the last text was.
  size_t length = 0;
  // How many calls are left to the engine, and how many the next time that data
  // is not plain.
  uint32_t skipped = 0;
  uint32_t skips = 0;
};

// That of a thread, made when it is first used.
class ThreadJsonMemory {
  JsonMemory* memory_ = nullptr;

 public:
  constexpr ThreadJsonMemory() = default;
  ~ThreadJsonMemory() { js_delete(memory_); }
  bool ensure() { return memory_ || (memory_ = js_new<JsonMemory>()); }
  JsonMemory* get() { return memory_; }
  // Before another runtime begins in the thread.
  void forget() {
    js_delete(memory_);
    memory_ = nullptr;
  }
};
inline constinit thread_local ThreadJsonMemory jsonMemory;

}  // namespace bao

#endif
