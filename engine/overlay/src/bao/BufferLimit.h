/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// How much memory new objects may have outside of the nursery.

#ifndef bao_BufferLimit_h
#define bao_BufferLimit_h

#include <stddef.h>

namespace bao {

// Bytes of buffers at which a minor collection is due, also where the nursery is
// so large that the engine would wait for more: beyond the processor's caches,
// each write to a new buffer waits for memory.
static constexpr size_t MaxBufferBytes = 32 * 1024 * 1024;

}  // namespace bao

#endif  // bao_BufferLimit_h
