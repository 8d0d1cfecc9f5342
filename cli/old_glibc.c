// What lets the executable start on a glibc older than the one that it is linked with (2.31 and newer, x86-64): release
// builds with BAO_OLD_GLIBC=1 have it.
//
// glibc 2.34 made libpthread and libdl parts of libc, so their functions have a second version there that older systems lack.
// The first one is in all of them. Each function of the list below is therefore a jump to its first version. What older
// systems have not got at all follows. Nothing here is seen by shared libraries: addons use the system's functions.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(__x86_64__) || !defined(__GLIBC__)
#error "BAO_OLD_GLIBC=1 is for x86-64 and glibc"
#endif

#define OWN __attribute__((visibility("hidden")))

#define FIRST(name, version)                                    \
  __asm__(".symver bao_first_" #name ", " #name "@GLIBC_" version "\n" \
          ".pushsection .text." #name ", \"ax\", @progbits\n"   \
          ".globl " #name "\n.hidden " #name "\n"               \
          ".type " #name ", @function\n"                        \
          #name ":\n\tjmp bao_first_" #name "@PLT\n"            \
          ".size " #name ", . - " #name "\n"                    \
          ".popsection\n")

FIRST(dlclose, "2.2.5");
FIRST(dlerror, "2.2.5");
FIRST(dlinfo, "2.3.3");
FIRST(dlopen, "2.2.5");
FIRST(dlsym, "2.2.5");
FIRST(hypotf, "2.2.5");
FIRST(__pthread_key_create, "2.2.5");
FIRST(pthread_attr_getguardsize, "2.2.5");
FIRST(pthread_attr_getstack, "2.2.5");
FIRST(pthread_attr_setstacksize, "2.2.5");
FIRST(pthread_barrier_destroy, "2.2.5");
FIRST(pthread_barrier_init, "2.2.5");
FIRST(pthread_barrier_wait, "2.2.5");
FIRST(pthread_condattr_setclock, "2.3.3");
FIRST(pthread_create, "2.2.5");
FIRST(pthread_detach, "2.2.5");
FIRST(pthread_getaffinity_np, "2.3.4");
FIRST(pthread_getattr_np, "2.2.5");
FIRST(pthread_getname_np, "2.12");
FIRST(pthread_getspecific, "2.2.5");
FIRST(pthread_join, "2.2.5");
FIRST(pthread_key_create, "2.2.5");
FIRST(pthread_key_delete, "2.2.5");
FIRST(pthread_kill, "2.2.5");
FIRST(pthread_mutex_trylock, "2.2.5");
FIRST(pthread_mutexattr_destroy, "2.2.5");
FIRST(pthread_mutexattr_init, "2.2.5");
FIRST(pthread_mutexattr_settype, "2.2.5");
FIRST(pthread_once, "2.2.5");
FIRST(pthread_rwlock_destroy, "2.2.5");
FIRST(pthread_rwlock_init, "2.2.5");
FIRST(pthread_rwlock_rdlock, "2.2.5");
FIRST(pthread_rwlock_tryrdlock, "2.2.5");
FIRST(pthread_rwlock_trywrlock, "2.2.5");
FIRST(pthread_rwlock_unlock, "2.2.5");
FIRST(pthread_rwlock_wrlock, "2.2.5");
FIRST(pthread_setaffinity_np, "2.3.4");
FIRST(pthread_setname_np, "2.12");
FIRST(pthread_setspecific, "2.2.5");
FIRST(pthread_sigmask, "2.2.5");
FIRST(sem_destroy, "2.2.5");
FIRST(sem_init, "2.2.5");
FIRST(sem_post, "2.2.5");
FIRST(sem_timedwait, "2.2.5");
FIRST(sem_trywait, "2.2.5");
FIRST(sem_wait, "2.2.5");

// Before 2.33 these were inline calls of `__xstat` and the like, which cannot be linked with since. The kernel's structure is
// glibc's on x86-64.
#define STAT(name) \
  OWN int name(const char* path, void* buffer) { return (int)syscall(SYS_stat, path, buffer); }
#define LSTAT(name) \
  OWN int name(const char* path, void* buffer) { return (int)syscall(SYS_lstat, path, buffer); }
#define FSTAT(name) \
  OWN int name(int fd, void* buffer) { return (int)syscall(SYS_fstat, fd, buffer); }
#define FSTATAT(name)                                              \
  OWN int name(int fd, const char* path, void* buffer, int flags) { \
    return (int)syscall(SYS_newfstatat, fd, path, buffer, flags);   \
  }
STAT(stat)
STAT(stat64)
LSTAT(lstat)
LSTAT(lstat64)
FSTAT(fstat)
FSTAT(fstat64)
FSTATAT(fstatat)
FSTATAT(fstatat64)

// libstdc++ asks it whether reference counts may do without atomic instructions: never (2.32).
OWN char __libc_single_threaded = 0;

// What glibc knows of the processor (2.33): null, the engine asks the processor itself (engine/overlay/src/bao/Processor.h).
OWN const void* __x86_get_cpuid_feature_leaf(uint32_t index) {
  (void)index;
  return NULL;
}

// The system's function of that name; null if it has none, or if this is compiled to be tested as on a system that has none
// (tests/package/old_glibc.sh). `cache` is null before the first question and `MISSING` behind one
// in vain.
#define MISSING ((void*)-1)
static void* of_system(_Atomic(void*)* cache, const char* name) {
#ifdef BAO_AS_ON_OLD_GLIBC
  (void)cache, (void)name;
  return NULL;
#endif
  void* found = atomic_load_explicit(cache, memory_order_acquire);
  if (!found) {
    found = dlsym(RTLD_NEXT, name);
    if (!found) found = MISSING;
    atomic_store_explicit(cache, found, memory_order_release);
  }
  return found == MISSING ? NULL : found;
}

// 2.33; before it, numbers above 2 GiB are cut off.
OWN struct mallinfo2 mallinfo2(void) {
  static _Atomic(void*) cache;
  struct mallinfo2 (*system)(void) = (struct mallinfo2(*)(void))of_system(&cache, "mallinfo2");
  if (system) return system();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  struct mallinfo old = mallinfo();
#pragma GCC diagnostic pop
  return (struct mallinfo2){
      .arena = (unsigned)old.arena,       .ordblks = (unsigned)old.ordblks,   .smblks = (unsigned)old.smblks,
      .hblks = (unsigned)old.hblks,       .hblkhd = (unsigned)old.hblkhd,     .usmblks = (unsigned)old.usmblks,
      .fsmblks = (unsigned)old.fsmblks,   .uordblks = (unsigned)old.uordblks, .fordblks = (unsigned)old.fordblks,
      .keepcost = (unsigned)old.keepcost,
  };
}

struct search {
  uintptr_t address;
  struct dl_find_object* result;
};

static int holds(struct dl_phdr_info* info, size_t size, void* data) {
  struct search* search = data;
  uintptr_t start = UINTPTR_MAX, end = 0;
  void* table = NULL;
  int inside = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[i];
    uintptr_t from = info->dlpi_addr + header->p_vaddr, to = from + header->p_memsz;
    if (header->p_type == PT_GNU_EH_FRAME) table = (void*)from;
    if (header->p_type != PT_LOAD) continue;
    if (from < start) start = from;
    if (to > end) end = to;
    if (search->address >= from && search->address < to) inside = 1;
  }
  if (!inside || !table) return 0;
  search->result->dlfo_map_start = (void*)start;
  search->result->dlfo_map_end = (void*)end;
  search->result->dlfo_eh_frame = table;
  return 1;
}

// How libgcc finds the tables of an address while it unwinds (2.35). The slower way is what it did before.
OWN int _dl_find_object(void* address, struct dl_find_object* result) {
  static _Atomic(void*) cache;
  int (*system)(void*, struct dl_find_object*) =
      (int (*)(void*, struct dl_find_object*))of_system(&cache, "_dl_find_object");
  if (system) return system(address, result);
  *result = (struct dl_find_object){0};
  struct search search = {.address = (uintptr_t)address, .result = result};
  return dl_iterate_phdr(holds, &search) ? 0 : -1;
}

// Since 2.34 libc runs an executable's initializers, and the start code that the compiler brings passes none. The first version
// of the function runs those that it is given, on old systems and on new ones.
extern int bao_first_start(int (*)(int, char**, char**), int, char**, void (*)(int, char**, char**), void (*)(void),
                           void (*)(void), void*);
__asm__(".symver bao_first_start, __libc_start_main@GLIBC_2.2.5");
extern void _init(void);
typedef void Initializer(int, char**, char**);
extern Initializer* __init_array_start[] OWN;
extern Initializer* __init_array_end[] OWN;

static void initialize(int argc, char** argv, char** environment) {
  _init();
  for (Initializer** next = __init_array_start; next < __init_array_end; next++) (*next)(argc, argv, environment);
}

OWN int __libc_start_main(int (*entry)(int, char**, char**), int argc, char** argv, void (*init)(int, char**, char**),
                          void (*fini)(void), void (*end_of_loader)(void), void* stack_end) {
  return bao_first_start(entry, argc, argv, init ? init : initialize, fini, end_of_loader, stack_end);
}
