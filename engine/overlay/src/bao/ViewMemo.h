/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// What is remembered of the lists of views that an ArrayBuffer has besides its
// first one.
//
// Part of vm/ArrayBufferObject.cpp.

#ifndef bao_ViewMemo_h
#define bao_ViewMemo_h

#include <stddef.h>
#include <stdint.h>

namespace bao {

// The list that got a view last. It is noted for views in the nursery and only
// if no major collection is under way: the next minor collection, with which
// every major one begins, then sweeps the table and forgets the memo. Whatever
// else moves lists forgets it, too.
class ViewMemo {
  const void* table_ = nullptr;
  const void* buffer_ = nullptr;
  void* views_ = nullptr;
  uint64_t collection_ = 0;

 public:
  void* find(const void* table, const void* buffer, uint64_t collection) const {
    return table_ == table && buffer_ == buffer && collection_ == collection
               ? views_
               : nullptr;
  }

  void note(const void* table, const void* buffer, void* views,
            uint64_t collection) {
    table_ = table;
    buffer_ = buffer;
    views_ = views;
    collection_ = collection;
  }

  void forget() { *this = ViewMemo(); }
};

static thread_local ViewMemo viewMemo;

// A list of so many views that a minor collection empties keeps its memory, 32
// KB and more, until the next major one: the program is likely to fill it again.
static constexpr size_t ViewsWorthKeeping = 4096;

}  // namespace bao

#endif  // bao_ViewMemo_h
