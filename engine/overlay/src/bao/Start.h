/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// What a short program need not do when it starts.

#ifndef bao_Start_h
#define bao_Start_h

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gc/Allocator.h"
#include "gc/Memory.h"
#include "gc/Zone.h"
#include "vm/JSContext.h"
#include "vm/StringType.h"

#include "gc/ArenaList-inl.h"
#include "vm/StringType-inl.h"

// Defined by the linker: where the executable begins, and where its code ends.
// Its constants lie between them.
extern "C" {
extern const char __executable_start[] __attribute__((weak));
extern const char etext[] __attribute__((weak));
}

namespace bao {

// Whether bytes are constants of the executable, which nobody can have changed.
[[maybe_unused]] static bool AreOfExecutable(const uint8_t* bytes,
                                             size_t length) {
  uintptr_t begin = uintptr_t(__executable_start);
  uintptr_t end = uintptr_t(etext);
  return begin && uintptr_t(bytes) >= begin && uintptr_t(bytes) < end &&
         length <= end - uintptr_t(bytes);
}

// Whether a thread has made enough atoms to be worth the 128 KiB of a zone's
// table of recent ones, which has to be cleared.
[[maybe_unused]] static bool WantsAtomCache() {
  static constexpr uint32_t Enough = 2048;
  static constinit thread_local uint32_t made = 0;
  if (MOZ_LIKELY(made == Enough)) {
    return true;
  }
  made++;
  return false;
}

// As ArenaChunk::init, for memory that the system has just given: zero, and not
// there yet. No bitmap is cleared, which would touch four pages, and the arenas
// are not given back.
[[maybe_unused]] static js::gc::ArenaChunk* InitFreshChunk(
    void* memory, js::gc::GCRuntime* gc) {
  using namespace js::gc;
  auto* chunk = static_cast<ArenaChunk*>(memory);
  chunk->runtime = gc->rt;
  chunk->storeBuffer = nullptr;
  chunk->kind = ChunkKind::TenuredArenas;
  chunk->nurseryChunkIndex = UINT8_MAX;
  chunk->info = ArenaChunkInfo();
  chunk->info.numArenasFree = ArenasPerChunk;
  if (DecommitEnabled() && !gc->schedulingState.inHighFrequencyGCMode()) {
    chunk->decommittedPages.SetAll();
    chunk->info.numArenasFreeCommitted = 0;
  } else {
    chunk->freeCommittedArenas.SetAll();
    chunk->info.numArenasFreeCommitted = ArenasPerChunk;
  }
  return chunk;
}

// The atoms of one and two characters and of small numbers that are data of the
// executable, for the first runtime of the process; null for others.
js::StaticStrings* TakeStaticStrings(JSContext* cx);

// Whether they are those.
bool AreStaticStringsOfExecutable(const js::StaticStrings* strings);

}  // namespace bao

#endif  // bao_Start_h
