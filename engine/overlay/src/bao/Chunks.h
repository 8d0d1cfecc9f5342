/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Chunks that are empty once the buffers of dead new objects are freed, and that
// the next buffers take.
//
// Part of gc/BufferAllocator.cpp.

#ifndef bao_Chunks_h
#define bao_Chunks_h

#include "bao/BufferLimit.h"
#include "gc/GCLock.h"
#include "gc/GCRuntime.h"
#include "gc/Heap.h"

namespace bao {

// A member that the engine's class keeps to itself.
struct CommittedChunk : js::gc::ArenaChunk {
  using ArenaChunk::initAsCommitted;
};

// As ArenaChunk::init, for a chunk whose pages are all in memory: they stay there
// while fewer empty chunks wait than new objects fill with buffers between two
// collections. Otherwise, the system would take the pages of each chunk and make
// them anew, page by page, when they are written. A major collection gives back
// what waits.
static js::gc::ArenaChunk* NewEmptyChunk(void* memory,
                                         js::gc::GCRuntime* gc) {
  constexpr size_t most = MaxBufferBytes / js::gc::ChunkSize;
  size_t waiting;
  {
    js::AutoLockGC lock(gc);
    waiting = gc->emptyChunks(lock).count();
  }
  if (waiting >= most) {
    return js::gc::ArenaChunk::init(memory, gc, /* allMemoryCommitted = */ true);
  }
  auto* chunk = new (mozilla::KnownNotNull, memory) js::gc::ArenaChunk(gc->rt);
  static_cast<CommittedChunk*>(chunk)->initAsCommitted();
  return chunk;
}

}  // namespace bao

#endif  // bao_Chunks_h
