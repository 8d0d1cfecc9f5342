/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// The atoms of one and two characters and of small numbers, 4,508, as data of
// the executable: a chunk of the heap as the collector would see it after a
// start had made them, and the tables that name them. Only the first page of
// the chunk is written to. A start reads few of the others.
//
// The chunk is in none of the collector's lists, and nothing in it is ever
// freed: permanent atoms live as long as their runtime. Included by
// vm/StaticStrings.cpp alone.

#ifndef bao_StaticAtoms_h
#define bao_StaticAtoms_h

#include <array>
#include <atomic>
#include <bit>
#include <stdint.h>

#include "gc/AllocKind.h"
#include "gc/Heap.h"
#include "vm/JSContext.h"
#include "vm/StaticStrings.h"
#include "vm/StringFlags.h"
#include "vm/StringType.h"

#include "bao/Start.h"

namespace bao {

namespace static_atoms {

using js::StaticStrings;

// A js::FatInlineAtom.
struct Atom {
  uint32_t flags;
  uint32_t length;
  unsigned char chars[js::FatInlineAtom::MAX_LENGTH_LATIN1];
  js::HashNumber hash;
};
static_assert(sizeof(Atom) == sizeof(js::FatInlineAtom));
static_assert(offsetof(Atom, hash) == js::FatInlineAtom::offsetOfHash());
static_assert(std::endian::native == std::endian::little &&
              sizeof(uintptr_t) == 8);

// A js::gc::Arena that has no free cells.
struct Arena {
  static constexpr size_t Atoms =
      (js::gc::ArenaSize - js::gc::ArenaHeaderSize) / sizeof(Atom);

  uint16_t firstFree = 0;
  uint16_t lastFree = 0;
  js::gc::AllocKind kind = js::gc::AllocKind::FAT_INLINE_ATOM;
  uint64_t next = 0;
  uint64_t state = 0;
  uint64_t atomBitmapStart = 0;
  unsigned char padding[js::gc::ArenaSize - js::gc::ArenaHeaderSize -
                        Atoms * sizeof(Atom)] = {};
  Atom atoms[Atoms] = {};
};
static_assert(sizeof(Arena) == js::gc::ArenaSize);
static_assert(offsetof(Arena, padding) == js::gc::ArenaHeaderSize);

constexpr size_t Length2 = 64 * 64;
constexpr size_t Units = StaticStrings::UNIT_STATIC_LIMIT;
constexpr size_t Integers = StaticStrings::INT_STATIC_LIMIT;
// Integers with one or two digits are among the others.
constexpr size_t FirstLongInteger = 100;
constexpr size_t AtomCount = Length2 + Units + Integers - FirstLongInteger;
constexpr size_t ArenaCount = (AtomCount + Arena::Atoms - 1) / Arena::Atoms;

// Where the atoms of two characters begin, and those of numbers from 100.
constexpr size_t FirstLength2 = Units;
constexpr size_t FirstInteger = FirstLength2 + Length2;

constexpr unsigned char SmallChars[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$_";

constexpr Atom MakeAtom(unsigned char first, unsigned char second,
                        unsigned char third, uint32_t length) {
  using js::StringFlags;
  Atom atom = {StringFlags::INIT_FAT_INLINE_FLAGS | StringFlags::LATIN1_CHARS_BIT |
                   StringFlags::PERMANENT_ATOM_MASK,
               length,
               {first, second, third},
               mozilla::HashStringKnownLength(
                   std::array{first, second, third}.data(), length)};
  uint32_t index = 0;
  for (uint32_t i = 0; i < length; i++) {
    if (atom.chars[i] < '0' || atom.chars[i] > '9' ||
        (i == 1 && atom.chars[0] == '0')) {
      return atom;
    }
    index = index * 10 + (atom.chars[i] - '0');
  }
  atom.flags |= StringFlags::ATOM_IS_INDEX_BIT | StringFlags::INDEX_VALUE_BIT |
                index << StringFlags::INDEX_VALUE_SHIFT;
  return atom;
}

struct Chunk {
  uint64_t header[js::gc::FirstArenaOffset / sizeof(uint64_t)] = {};
  Arena arenas[ArenaCount];

  constexpr Atom& at(size_t n) {
    return arenas[n / Arena::Atoms].atoms[n % Arena::Atoms];
  }
  constexpr const Atom& at(size_t n) const {
    return arenas[n / Arena::Atoms].atoms[n % Arena::Atoms];
  }
};

constexpr Chunk MakeChunk() {
  Chunk chunk;
  for (size_t i = 0; i < Units; i++) {
    chunk.at(i) = MakeAtom(i, 0, 0, 1);
  }
  for (size_t i = 0; i < Length2; i++) {
    chunk.at(FirstLength2 + i) =
        MakeAtom(SmallChars[i / 64], SmallChars[i % 64], 0, 2);
  }
  for (size_t i = FirstLongInteger; i < Integers; i++) {
    chunk.at(FirstInteger + i - FirstLongInteger) =
        MakeAtom('0' + i / 100, '0' + i / 10 % 10, '0' + i % 10, 3);
  }
  // All are marked black.
  using js::gc::ChunkMarkBitmap;
  for (size_t i = 0; i < AtomCount; i++) {
    size_t offset = js::gc::FirstArenaOffset +
                    i / Arena::Atoms * js::gc::ArenaSize +
                    offsetof(Arena, atoms) + i % Arena::Atoms * sizeof(Atom);
    size_t bit = offset / js::gc::CellBytesPerMarkBit +
                 size_t(js::gc::ColorBit::BlackBit);
    size_t word = bit / ChunkMarkBitmap::BitsPerWord -
                  ChunkMarkBitmap::FirstThingAdjustmentWords;
    chunk.header[js::gc::ChunkMarkBitmapOffset / sizeof(uint64_t) + word] |=
        uint64_t(1) << bit % ChunkMarkBitmap::BitsPerWord;
  }
  return chunk;
}

alignas(js::gc::ChunkSize) static constinit Chunk chunk = MakeChunk();

// A js::StaticStrings.
struct Tables {
  const Atom* length2[Length2] = {};
  const Atom* units[Units] = {};
  const Atom* integers[Integers] = {};
};
static_assert(sizeof(Tables) == sizeof(StaticStrings));

constexpr Tables MakeTables() {
  Tables tables;
  for (size_t i = 0; i < Length2; i++) {
    tables.length2[i] = &chunk.at(FirstLength2 + i);
  }
  for (size_t i = 0; i < Units; i++) {
    tables.units[i] = &chunk.at(i);
  }
  for (size_t i = 0; i < Integers; i++) {
    size_t at = FirstInteger + i - FirstLongInteger;
    if (i < 10) {
      at = '0' + i;
    } else if (i < 100) {
      at = FirstLength2 + i / 10 * 64 + i % 10;
    }
    tables.integers[i] = &chunk.at(at);
  }
  return tables;
}

static constinit const Tables tables = MakeTables();

// Whether a runtime has them. They are not given back: a runtime that ends still
// collects after it has let its tables go.
static std::atomic<bool> taken{false};

}  // namespace static_atoms

js::StaticStrings* TakeStaticStrings(JSContext* cx) {
  using namespace static_atoms;
  if (taken.exchange(true)) {
    return nullptr;
  }
  auto* base = reinterpret_cast<js::gc::ArenaChunk*>(&chunk);
  base->runtime = cx->runtime();
  base->storeBuffer = nullptr;
  base->kind = js::gc::ChunkKind::TenuredArenas;
  base->nurseryChunkIndex = UINT8_MAX;
  base->info.numArenasFree = 0;
  base->info.zone = cx->runtime()->gc.atomsZone();
#if defined(DEBUG) || defined(BAO_CHECK_STATIC_ATOMS)
  // What the engine makes itself is the same.
  StaticStrings made;
  if (!made.init(cx)) {
    return nullptr;
  }
  const auto& own = reinterpret_cast<const Tables&>(made);
  auto check = [](const Atom* const* mine, const Atom* const* its, size_t n) {
    for (size_t i = 0; i < n; i++) {
      MOZ_RELEASE_ASSERT(mine[i]->flags == its[i]->flags &&
                         mine[i]->length == its[i]->length &&
                         mine[i]->hash == its[i]->hash &&
                         !memcmp(mine[i]->chars, its[i]->chars, its[i]->length));
      auto* cell = reinterpret_cast<const js::gc::TenuredCell*>(mine[i]);
      MOZ_RELEASE_ASSERT(cell->isMarkedBlack() &&
                         cell->zoneFromAnyThread() ==
                             reinterpret_cast<const js::gc::TenuredCell*>(its[i])
                                 ->zoneFromAnyThread() &&
                         cell->arena()->getAllocKind() ==
                             js::gc::AllocKind::FAT_INLINE_ATOM);
    }
  };
  check(tables.length2, own.length2, Length2);
  check(tables.units, own.units, Units);
  check(tables.integers, own.integers, Integers);
#endif
  return const_cast<StaticStrings*>(
      reinterpret_cast<const StaticStrings*>(&tables));
}

bool AreStaticStringsOfExecutable(const js::StaticStrings* strings) {
  return reinterpret_cast<const static_atoms::Tables*>(strings) ==
         &static_atoms::tables;
}

}  // namespace bao

#endif  // bao_StaticAtoms_h
