/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Chunks whose pages stay in memory while they wait for their next use, and
// chunks of large heaps in pairs that fill a huge page.
//
// Part of gc/Allocator.cpp, gc/BufferAllocator.cpp, gc/Heap.cpp and
// gc/Nursery.cpp.

#ifndef bao_Chunks_h
#define bao_Chunks_h

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <atomic>

#include "bao/BufferLimit.h"
#include "gc/GCLock.h"
#include "gc/GCRuntime.h"
#include "gc/Heap.h"
#include "gc/Memory.h"
#include "gc/Statistics.h"

namespace bao {

// A member that the engine's class keeps to itself.
struct CommittedChunk : js::gc::ArenaChunk {
  using ArenaChunk::initAsCommitted;
};

// As ArenaChunk::init, for a chunk whose pages are left as they are.
static js::gc::ArenaChunk* NewCommittedChunk(void* memory,
                                             js::gc::GCRuntime* gc) {
  auto* chunk = new (mozilla::KnownNotNull, memory) js::gc::ArenaChunk(gc->rt);
  static_cast<CommittedChunk*>(chunk)->initAsCommitted();
  return chunk;
}

// As ArenaChunk::init, for a chunk of buffers or of the nursery whose pages are
// all in memory: they stay there while fewer empty chunks wait than new objects
// fill with buffers between two collections. Otherwise, the system would take the
// pages of each chunk and make them anew, page by page, when they are written. A
// major collection gives back what waits.
[[maybe_unused]] static js::gc::ArenaChunk* NewEmptyChunk(
    void* memory, js::gc::GCRuntime* gc, bool allMemoryCommitted) {
  constexpr size_t most = MaxBufferBytes / js::gc::ChunkSize;
  size_t waiting;
  {
    js::AutoLockGC lock(gc);
    waiting = gc->emptyChunks(lock).count();
  }
  return waiting < most
             ? NewCommittedChunk(memory, gc)
             : js::gc::ArenaChunk::init(memory, gc, allMemoryCommitted);
}

// Where a heap begins to get its chunks in pairs: bytes of objects, and of the
// nursery. A small heap would use a part of its huge pages only.
static constexpr size_t MinHeapForPairs = 8 * js::gc::ChunkSize;

// Whether huge pages are to be asked for. One takes the system 0.1 ms if it has
// one, but several where it has to move other pages away first. Then the next
// chunks get small pages: twice as many each time. Threads that count at once may
// lose a step of each other, which does no harm.
class HugePages {
  static constexpr uint64_t MaxNanoseconds = 500'000;
  static constexpr uint32_t FirstPause = 16;
  static constexpr uint32_t MaxPause = 4096;

  static inline constinit std::atomic<uint32_t> left_{0};
  static inline constinit std::atomic<uint32_t> pause_{FirstPause};

  // Processor time of this thread: not what others took meanwhile.
  static uint64_t now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
  }

  static void makePause(uint32_t chunks) {
    left_.store(chunks, std::memory_order_relaxed);
    pause_.store(std::min(chunks * 2, MaxPause), std::memory_order_relaxed);
  }

 public:
  // To be asked once for each chunk.
  static bool areCheap() {
    uint32_t left = left_.load(std::memory_order_relaxed);
    if (left == 0) {
      return true;
    }
    left_.store(left - 1, std::memory_order_relaxed);
    return false;
  }

  // Asks for a huge page, and takes it: `memory` is new.
  static void take(uint8_t* memory, size_t size) {
    if (madvise(memory, size, MADV_HUGEPAGE) != 0) {
      makePause(MaxPause);  // This system has none.
      return;
    }
    uint64_t begun = now();
    *const_cast<volatile uint8_t*>(memory) = 0;
    if (now() - begun > MaxNanoseconds) {
      makePause(pause_.load(std::memory_order_relaxed));
    } else {
      pause_.store(FirstPause, std::memory_order_relaxed);
    }
  }
};

// Whether the next chunk is to be one of a pair.
[[maybe_unused]] static bool WantsPair(js::gc::GCRuntime* gc) {
  size_t bytes = gc->heapSize.bytes();
  // Helper threads must not look at the nursery.
  if (js::CurrentThreadCanAccessRuntime(gc->rt)) {
    bytes += gc->nursery().capacity();
  }
  return bytes >= MinHeapForPairs && HugePages::areCheap();
}

// Two new chunks, side by side in what the system can give as one huge page.
struct ChunkPair {
  js::gc::ArenaChunk* first = nullptr;
  js::gc::ArenaChunk* second = nullptr;
};

// Null, and nothing has happened, if there is no such memory.
[[maybe_unused]] static ChunkPair NewChunkPair(js::gc::GCRuntime* gc) {
  using js::gc::ChunkSize;
  constexpr size_t size = 2 * ChunkSize;
  auto* memory = static_cast<uint8_t*>(
      js::gc::MapAlignedPages(size, size, js::gc::StallAndRetry::No));
  if (!memory) {
    return {};
  }
  HugePages::take(memory, size);
  gc->stats().count(js::gcstats::COUNT_NEW_CHUNK);
  gc->stats().count(js::gcstats::COUNT_NEW_CHUNK);
  return {NewCommittedChunk(memory, gc),
          NewCommittedChunk(memory + ChunkSize, gc)};
}

// To be called before single pages of a chunk go back to the system, which would
// fill the gaps again when it makes a huge page of the others.
[[maybe_unused]] static void KeepSmallPages(js::gc::ArenaChunk* chunk) {
  (void)madvise(chunk, js::gc::ChunkSize, MADV_NOHUGEPAGE);
}

}  // namespace bao

#endif  // bao_Chunks_h
