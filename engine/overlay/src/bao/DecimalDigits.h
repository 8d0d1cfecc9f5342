/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The decimal digits of an int32, made in registers and stored at once into a
// string that holds them inside. Included by builtin/Number.cpp.

#ifndef bao_DecimalDigits_h
#define bao_DecimalDigits_h

#include <bit>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vm/JSContext.h"
#include "vm/StringType.h"

#include "vm/StringType-inl.h"

namespace bao {

class DecimalDigits {
  // The characters, the first one in the lowest byte: at most eleven.
  unsigned __int128 chars_;
  size_t length_;

  static constexpr uint32_t EightDigits = 100000000;

  // The eight digits of a number below 10^8, zeros in front of it as well, as
  // numbers from 0 to 9: the first one in the lowest byte.
  static uint64_t Split(uint32_t number) {
    // Two numbers below 10^4, four below 10^2, eight below 10. The divisions
    // are multiplications that are exact for these sizes.
    uint64_t fours = number / 10000 | uint64_t(number % 10000) << 32;
    uint64_t high = (fours * 10486 >> 20) & 0x0000007F0000007F;
    uint64_t twos = high | (fours - high * 100) << 16;
    high = (twos * 103 >> 10) & 0x000F000F000F000F;
    return high | (twos - high * 10) << 8;
  }

 public:
  explicit DecimalDigits(int32_t value) {
    constexpr uint64_t Zeros = 0x3030303030303030;
    uint32_t number = value < 0 ? 0 - uint32_t(value) : uint32_t(value);
    if (number < EightDigits) {
      uint64_t digits = Split(number);
      // The last digit stays, if it is a zero as well.
      uint32_t zeros = std::countr_zero(digits | uint64_t(1) << 56) & 56;
      chars_ = (digits | Zeros) >> zeros;
      length_ = 8 - zeros / 8;
    } else {
      uint32_t front = number / EightDigits;
      uint64_t digits = Split(number % EightDigits) | Zeros;
      if (front < 10) {
        chars_ = (unsigned __int128)digits << 8 | '0' | front;
        length_ = 9;
      } else {
        chars_ = (unsigned __int128)digits << 16 | (Zeros & 0xFFFF) |
                 (front % 10) << 8 | front / 10;
        length_ = 10;
      }
    }
    if (value < 0) {
      chars_ = chars_ << 8 | '-';
      length_++;
    }
  }

  size_t length() const { return length_; }

  // Writes 16 characters, of which length() are meant.
  void store(JS::Latin1Char* to) const { memcpy(to, &chars_, sizeof(chars_)); }

  template <js::AllowGC allowGC>
  JSInlineString* newString(JSContext* cx, js::gc::Heap heap) const {
    static_assert(JSThinInlineString::MAX_LENGTH_LATIN1 == sizeof(chars_));
    JS::Latin1Char* storage;
    auto* str =
        cx->newCell<JSThinInlineString, allowGC>(heap, length_, &storage);
    if (str) {
      // As two words: a copy of bytes that were just written one by one waits
      // for them.
      auto* words = reinterpret_cast<uint64_t*>(storage);
      words[0] = uint64_t(chars_);
      words[1] = uint64_t(chars_ >> 64);
    }
    return str;
  }
};

}  // namespace bao

#endif  // bao_DecimalDigits_h
