#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SAME(name, type) type same_##name(type x) { return x; }
SAME(i8, int8_t) SAME(u8, uint8_t) SAME(i16, int16_t) SAME(u16, uint16_t) SAME(i32, int32_t) SAME(u32, uint32_t)
SAME(i64, int64_t) SAME(u64, uint64_t) SAME(f32, float) SAME(f64, double) SAME(bool, bool) SAME(char, char) SAME(ptr, void *)

int ten(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
double ten_floats(double a, double b, double c, double d, double e, double f, double g, double h, double i, float j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
double mixed(int8_t a, double b, float c, int64_t d, bool e, uint16_t f, int g, int h, const char *i, double j) {
  return a + b + c + d + e + f + g + h + strlen(i) + j;
}
int sum(const uint8_t *bytes, size_t length) {
  int total = 0;
  for (size_t i = 0; i < length; i++) total += bytes[i];
  return total;
}
int sum_on_stack(int a, int b, int c, int d, int e, int f, const uint8_t *bytes, size_t length) {
  return a + b + c + d + e + f + sum(bytes, length);
}
int length(const char *text) { return text ? (int)strlen(text) : -1; }
const char *hello(void) { return "h\xc3\xa4llo"; }
const char *nothing(void) { return NULL; }
static uint8_t memory[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0};
void *get_memory(void) { return memory; }
double bad_nan(void) { uint64_t bits = 0xfffc123456789abcULL; double x; memcpy(&x, &bits, 8); return x; }

int call(int (*f)(int), int x) { return f(x); }
int call_twice(int (*f)(int), int x) { return f(x) + 1000 * f(x + 1); }
double call_many(double (*f)(int8_t, double, float, int64_t, bool, uint16_t, int, int, const char *, double)) {
  return f(-1, 0.5, 0.25f, 1LL << 40, true, 65535, 7, 8, "text", 2.0);
}

static int freed;
void deallocate(void *bytes, void *context) { freed++; (void)bytes; (void)context; }
void *get_deallocate(void) { return deallocate; }
int get_freed(void) { return freed; }

struct job { void (*f)(int, const char *); int count; };
static pthread_t thread;
static struct job job;
static void *run(void *data) {
  struct job *job = data;
  char text[16] = "text of a thread";
  for (int i = 0; i < job->count; i++) {
    strcpy(text, "gone soon");
    job->f(i, text);
    memset(text, 'x', sizeof text - 1);
  }
  return NULL;
}
int start(void *f, int count) {
  job.f = (void (*)(int, const char *))f;
  job.count = count;
  return pthread_create(&thread, NULL, run, &job);
}
int join(void) { return pthread_join(thread, NULL); }
int run_there(void *f, int count) {
  pthread_t there;
  struct job mine = {(void (*)(int, const char *))f, count};
  return pthread_create(&there, NULL, run, &mine) || pthread_join(there, NULL);
}
