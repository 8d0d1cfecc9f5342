/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Sorting of strings by keys: the first characters as a number.
//
// Part of builtin/Array.cpp, which includes it once.

#ifndef bao_SortStrings_h
#define bao_SortStrings_h

namespace bao {

// A string with its first characters, the first in the highest bits; 0 stands
// for those it lacks. Of two different keys the smaller one belongs to the
// smaller string: they differ first where the strings do, or where one ends.
struct KeyedString {
  uint64_t key;
  JSLinearString* string;
};

// `Char` is wide enough for all strings that are sorted together.
template <typename Char>
static uint64_t KeyOf(const JSLinearString* string,
                      const JS::AutoCheckCannotGC& nogc) {
  constexpr size_t count = sizeof(uint64_t) / sizeof(Char);
  uint64_t key = 0;
  size_t length = std::min(string->length(), count);
  if (string->hasLatin1Chars()) {
    const JS::Latin1Char* chars = string->latin1Chars(nogc);
    for (size_t i = 0; i < length; i++) {
      key = key << (8 * sizeof(Char)) | chars[i];
    }
  } else {
    const char16_t* chars = string->twoByteChars(nogc);
    for (size_t i = 0; i < length; i++) {
      key = key << (8 * sizeof(Char)) | chars[i];
    }
  }
  return length ? key << (8 * sizeof(Char) * (count - length)) : 0;
}

// One attempt of SortStrings; false if it was interrupted. Allocates nothing.
static bool TrySortStrings(JSContext* cx, MutableHandle<GCVector<Value>> strings,
                           size_t n, bool latin1, KeyedString* keyed) {
  JS::AutoCheckCannotGC nogc(cx);
  for (size_t i = 0; i < n; i++) {
    JSLinearString* string = &strings[i].toString()->asLinear();
    keyed[i] = {latin1 ? KeyOf<JS::Latin1Char>(string, nogc)
                       : KeyOf<char16_t>(string, nogc),
                string};
  }
  auto compare = [cx](const KeyedString& a, const KeyedString& b,
                      bool* lessOrEqual) {
    *lessOrEqual = MOZ_LIKELY(a.key != b.key)
                       ? a.key < b.key
                       : CompareStrings(a.string, b.string) <= 0;
    return MOZ_LIKELY(!cx->hasAnyPendingInterrupt());
  };
  if (!MergeSort(keyed, n, keyed + n, compare)) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    strings[i].setString(keyed[i].string);
  }
  return true;
}

// Sorts the first `n` values, which are strings, stably by their code units.
[[nodiscard]] static bool SortStrings(JSContext* cx,
                                      MutableHandle<GCVector<Value>> strings,
                                      size_t n) {
  bool latin1 = true;
  for (size_t i = 0; i < n; i++) {
    JSLinearString* linear = strings[i].toString()->ensureLinear(cx);
    if (!linear) {
      return false;
    }
    latin1 &= linear->hasLatin1Chars();
  }
  Vector<KeyedString, 0, TempAllocPolicy> keyed(cx);
  if (!keyed.growByUninitialized(2 * n)) {
    return false;
  }
  while (!TrySortStrings(cx, strings, n, latin1, keyed.begin())) {
    if (!CheckForInterrupt(cx)) {
      return false;
    }
  }
  return true;
}

}  // namespace bao

#endif  // bao_SortStrings_h
