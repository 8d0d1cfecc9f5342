/* What ffi_calls.cjs calls. */
#include <stdint.h>

void nothing(void) {}
int add(int a, int b) { return a + b; }
double half(double x) { return x / 2; }
void *same(void *p) { return p; }
int64_t same_64(int64_t x) { return x; }
int first(const uint8_t *bytes) { return bytes[0]; }
int call(int (*f)(int), int x) { return f(x); }
int ten(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) { return a + b + c + d + e + f + g + h + i + j; }
const char *text(void) { return "a text"; }
