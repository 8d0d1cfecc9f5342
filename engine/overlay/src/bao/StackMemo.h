/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// Which stacks were captured last, by what is cheap to read of the frames: where
// each one goes on.

#ifndef bao_StackMemo_h
#define bao_StackMemo_h

#include <algorithm>
#include <stddef.h>
#include <stdint.h>

#include "mozilla/HashFunctions.h"

#include "bao/Awaiters.h"
#include "gc/GC.h"
#include "jit/BaselineFrame.h"
#include "vm/JitActivation.h"
#include "jit/JSJitFrameIter-inl.h"
#include "vm/FrameIter.h"
#include "vm/JSContext.h"
#include "vm/JSFunction.h"
#include "vm/JSScript.h"
#include "vm/Realm.h"
#include "vm/SavedFrame.h"

namespace bao {

// What the frames of a stack are captured from, without reading what machine code
// has inlined: the script, the function's name and where it goes on, of each.
class StackKey {
  // The collection, the realm and the limit.
  static constexpr size_t Head = 3;
  static constexpr size_t MaxLength = 42;

  size_t length_ = 0;
  uintptr_t words_[MaxLength];

  bool add(const void* script, JSFunction* function, const void* place) {
    if (length_ + 3 > MaxLength) {
      return false;
    }
    words_[length_++] = uintptr_t(script);
    words_[length_++] = uintptr_t(function ? function->rawAtom() : nullptr);
    words_[length_++] = uintptr_t(place);
    return true;
  }

  // Whether the frame that was added counts for the limit.
  bool isCounted() const {
    return !reinterpret_cast<JSScript*>(words_[length_ - 3])->selfHosted();
  }

  bool add(const js::jit::JSJitFrameIter& frame) {
    using namespace js::jit;
    CalleeToken token = frame.calleeToken();
    const void* place = frame.resumePCinCurrentFrame();
    // The baseline interpreter keeps the place in its frame.
    if (frame.isBaselineJS() && frame.baselineFrame()->runningInInterpreter()) {
      place = frame.baselineFrame()->interpreterPC();
    }
    return add(ScriptFromCalleeToken(token),
               CalleeTokenIsFunction(token) ? CalleeTokenToFunction(token)
                                            : nullptr,
               place);
  }

  // What was resumed as the oldest frame so far; null if that is none.
  js::AbstractGeneratorObject* resumed(JSContext* cx) const {
    JSScript* oldest = nullptr;
    // What is of the engine has called what it resumes.
    for (size_t i = length_; i > Head && (!oldest || oldest->selfHosted());
         i -= 3) {
      oldest = reinterpret_cast<JSScript*>(words_[i - 3]);
    }
    return oldest ? ResumedGenerator(cx, oldest) : nullptr;
  }

  // Adds what awaits the oldest frame, if it was resumed: the same frames may be
  // awaited by others the next time.
  bool addAwaiters(JSContext* cx, size_t rest) {
    js::AbstractGeneratorObject* generator = resumed(cx);
    while (generator && rest-- && (generator = AwaiterOf(generator))) {
      constexpr uintptr_t isSuspended = uintptr_t(1) << 63;
      JSFunction* function = &generator->callee();
      if (!add(function->nonLazyScript(), function,
               reinterpret_cast<void*>(uintptr_t(AwaitOf(generator)) |
                                       isSuspended))) {
        return false;
      }
    }
    return true;
  }

 public:
  constexpr StackKey() : words_{} {}

  // For `read`, which sets what is to be compared.
  enum class ForStack {};
  explicit StackKey(ForStack) {}

  // Makes this the key of the stack as it is, of which `maxFrames` frames are
  // captured (0: all). False if it has too many frames, or one of another kind.
  bool read(JSContext* cx, size_t maxFrames) {
    words_[length_++] = cx->runtime()->gc.majorGCCount();
    words_[length_++] = uintptr_t(cx->realm());
    words_[length_++] = maxFrames;
    size_t rest = maxFrames ? maxFrames : SIZE_MAX;
    for (js::ActivationIterator i(cx); !i.done() && rest; ++i) {
      // As SavedStacks.cpp: below a job the stack goes on with who awaits it.
      if (IsBelowJob(i.activation())) {
        js::AbstractGeneratorObject* generator = resumed(cx);
        if (generator && AwaiterOf(generator)) {
          break;
        }
      }
      if (i->asyncStack()) {
        return false;
      }
      if (i->isJit()) {
        js::jit::JitActivation* jit = i->asJit();
        if (!jit->hasJSExitFP() || jit->bailoutData()) {
          return false;
        }
        js::jit::JSJitFrameIter frame(jit);
        for (; !frame.done() && rest; ++frame) {
          if (frame.isScripted()) {
            if (!add(frame)) {
              return false;
            }
            rest -= isCounted();
          }
        }
        if (rest && frame.type() == js::jit::FrameType::WasmToJSJit) {
          return false;
        }
      } else {
        js::InterpreterFrameIterator frame(i->asInterpreter());
        // A loop that goes on in machine code is a frame of that.
        if (frame.frame()->runningInJit()) {
          ++frame;
        }
        for (; !frame.done() && rest; ++frame) {
          js::InterpreterFrame* fp = frame.frame();
          if (fp->isDebuggerEvalFrame() ||
              !add(fp->script(), fp->isFunctionFrame() ? &fp->callee() : nullptr,
                   frame.pc())) {
            return false;
          }
          rest -= isCounted();
        }
      }
    }
    return !rest || addAwaiters(cx, rest);
  }

  bool operator==(const StackKey& other) const {
    return length_ == other.length_ &&
           std::equal(words_, words_ + length_, other.words_);
  }

  // Whether all that it points to is still there.
  bool isValid(JSContext* cx) const {
    return words_[0] == cx->runtime()->gc.majorGCCount();
  }

  uint32_t hash() const {
    return mozilla::HashBytes(words_, length_ * sizeof(uintptr_t));
  }
};

// A table of captured stacks without roots. What it has is valid until the next
// major collection begins, whose number is part of the key: only that frees
// scripts, atoms, machine code and the stacks, which are tenured objects.
class StackMemo {
  struct Entry {
    StackKey key;
    // Null if this key does not tell all of a stack.
    js::SavedFrame* stack = nullptr;
  };
  static constexpr size_t Size = 8;

  Entry entries_[Size] = {};

  Entry& entryOf(const StackKey& key) { return entries_[key.hash() % Size]; }

  // Whether the names of functions that machine code has inlined are those of
  // their scripts. A name that a script has is that of all its closures, also if
  // it is a guess; without one, each may get its own. The names of the frames that
  // the others are inlined into are part of the key.
  static bool HasOnlyNamesOfScripts(JSContext* cx) {
    for (js::FrameIter iter(cx); !iter.done(); ++iter) {
      if (iter.isWasm()) {
        return false;
      }
      if (iter.isIon() && !iter.isPhysicalJitFrame() && iter.isFunctionFrame()) {
        JSFunction* function = iter.script()->function();
        if (!function->rawAtom() ||
            function->rawAtom() != iter.calleeTemplate()->rawAtom()) {
          return false;
        }
      }
    }
    return true;
  }

 public:
  // Looks a stack up. `*found` is null if the key is of no use.
  bool lookup(const StackKey& key, js::SavedFrame** found) {
    Entry& entry = entryOf(key);
    if (!(entry.key == key)) {
      return false;
    }
    *found = entry.stack;
    return true;
  }

  // Remembers what has been captured of a stack, which still is as it was when
  // `key` was read.
  void note(JSContext* cx, const StackKey& key, js::SavedFrame* stack) {
    // What is looked up between the slices of a collection may die in it.
    if (cx->runtime()->gc.isIncrementalGCInProgress() || !key.isValid(cx)) {
      return;
    }
    entryOf(key) = {key, HasOnlyNamesOfScripts(cx) ? stack : nullptr};
  }
};

// That of a thread; BaoStart forgets what was noted for an earlier runtime.
inline constinit thread_local StackMemo stackMemo;

}  // namespace bao

#endif  // bao_StackMemo_h
