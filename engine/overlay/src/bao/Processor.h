/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at http://mozilla.org/MPL/2.0/. */

// What the processor can do, as the dynamic linker has already asked it. In a
// virtual machine each `cpuid` is a call of the hypervisor, of 1 to 4 us.

#ifndef bao_Processor_h
#define bao_Processor_h

#include <cpuid.h>
#include <stdint.h>

// glibc's answers ("X86" in its manual, <sys/platform/x86.h>), since 2.33. An
// executable for older ones (cli/old_glibc.c) gives null.
extern "C" {
struct BaoCpuidLeaf {
  uint32_t processor[4];
  uint32_t usable[4];
};
extern const BaoCpuidLeaf* __x86_get_cpuid_feature_leaf(uint32_t index)
    __attribute__((weak));
}

namespace bao {

struct CpuidRegisters {
  uint32_t eax, ebx, ecx, edx;
};

// The registers after `cpuid` with `leaf`, and 0 as the number of the part: one
// of 1, 7 and 0x80000001. All zero if the processor has no such leaf.
[[maybe_unused]] static CpuidRegisters ReadCpuid(uint32_t leaf) {
  if (__x86_get_cpuid_feature_leaf) {
    uint32_t index = leaf == 1 ? 0 : leaf == 7 ? 1 : 2;
    if (const BaoCpuidLeaf* known = __x86_get_cpuid_feature_leaf(index)) {
      const uint32_t* words = known->processor;
      return {words[0], words[1], words[2], words[3]};
    }
  }
  CpuidRegisters words = {0, 0, 0, 0};
  __get_cpuid_count(leaf, 0, &words.eax, &words.ebx, &words.ecx, &words.edx);
  return words;
}

}  // namespace bao

#endif  // bao_Processor_h
