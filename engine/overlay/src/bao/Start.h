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

// Makes a permanent atom with `chars`, as many as `like` has, an atom that was
// made so. The realm is that of the atoms.
[[maybe_unused]] static JSAtom* NewAtomLike(JSContext* cx,
                                            const js::FatInlineAtom* like,
                                            const JS::Latin1Char* chars,
                                            size_t length,
                                            js::HashNumber hash) {
  using namespace js;
  using namespace js::gc;

  void* cell =
      cx->zone()->arenas.freeLists().allocate(AllocKind::FAT_INLINE_ATOM);
  if (MOZ_UNLIKELY(!cell)) {
    JSAtom* atom = NewInlineAtom(cx, chars, length, hash);
    if (atom) {
      atom->makePermanent();
    }
    return atom;
  }
  cx->zone()->noteTenuredAlloc();
  uint8_t* bytes = static_cast<uint8_t*>(cell);
  memcpy(bytes, like, sizeof(FatInlineAtom));
  JS::AutoCheckCannotGC nogc;
  memcpy(bytes + (reinterpret_cast<const uint8_t*>(like->latin1Chars(nogc)) -
                  reinterpret_cast<const uint8_t*>(like)),
         chars, length);
  memcpy(bytes + FatInlineAtom::offsetOfHash(), &hash, sizeof(hash));
  return reinterpret_cast<JSAtom*>(cell);
}

}  // namespace bao

#endif  // bao_Start_h
