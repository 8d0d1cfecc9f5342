// What old_glibc.sh links with cli/old_glibc.c: initializers, threads, errors that are thrown, files, the loader, the heap.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

static int count = 0;
struct Counted {
  Counted() { count++; }
  ~Counted() { std::puts("destroyed"); }
} counted;

__attribute__((noinline)) static int thrower(int depth) {
  if (depth == 0) throw std::runtime_error("thrown");
  return thrower(depth - 1) + 1;
}

int main(int argc, char** argv) {
  std::printf("%d initialized, %d arguments, %s\n", count, argc, argv[2]);
  std::mutex mutex;
  int caught = 0;
  auto work = [&] {
    try {
      thrower(20);
    } catch (const std::runtime_error& error) {
      std::lock_guard<std::mutex> lock(mutex);
      caught++;
    }
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
  work();
  std::printf("%d caught\n", caught);

  struct stat a, b, c, d;
  FILE* file = std::fopen("/proc/self/exe", "rb");
  int codes[] = {stat("/proc/self/exe", &a), lstat("/proc/self/exe", &b), fstat(fileno(file), &c), fstatat(-1, "/", &d, 0)};
  std::printf("%d%d%d%d %d %d %d %d\n", codes[0], codes[1], codes[2], codes[3], S_ISREG(a.st_mode), S_ISLNK(b.st_mode),
              a.st_size == c.st_size && a.st_size > 1000, S_ISDIR(d.st_mode));
  int code = stat("/not/there", &a);
  std::printf("%d %d\n", code, errno == ENOENT);

  void* library = dlopen("libm.so.6", RTLD_NOW);
  double (*cosine)(double) = reinterpret_cast<double (*)(double)>(dlsym(library, "cos"));
  std::printf("%g %d\n", cosine(0), dlopen("libnot-there.so", RTLD_NOW) == nullptr && dlerror() != nullptr);

  void* volatile block = std::malloc(100000);
  std::printf("%d\n", mallinfo2().uordblks >= 100000);
  std::free(block);
  char name[16] = "";
  pthread_setname_np(pthread_self(), "renamed");
  pthread_getname_np(pthread_self(), name, sizeof name);
  std::puts(name);
  return 3;
}
