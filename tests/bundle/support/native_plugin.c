/* Native plugins of the bundler (https://bun.com/docs/bundler/plugins#native-plugins). Each function does one thing with a module. */
#include <signal.h>
#include <stdatomic.h>

#include "../../napi/support/napi.h"

napi_status napi_get_value_external(napi_env, napi_value, void **);

typedef struct {
  size_t size;
  const uint8_t *message;
  size_t message_length;
  const uint8_t *path;
  size_t path_length;
  const uint8_t *line_text;
  size_t line_text_length;
  int8_t level;
  int line, end_line, column, end_column;
} log_options;

typedef struct {
  size_t size;
  void *bun;
  const uint8_t *path;
  size_t path_length;
  const uint8_t *space;
  size_t space_length;
  uint8_t default_loader;
  void *external;
} arguments;

typedef struct answer {
  size_t size;
  uint8_t *source;
  size_t source_length;
  uint8_t loader;
  int (*fetch)(const arguments *, struct answer *);
  void *context;
  void (*free_context)(void *);
  void (*log)(const arguments *, log_options *);
} answer;

#define SHOWN __attribute__((visibility("default")))

SHOWN const char *BUN_PLUGIN_NAME = "test plugin";

/* What calls have counted; shared by all threads. */
typedef struct {
  atomic_int found, freed;
} counts;

typedef struct {
  uint8_t *source;
  counts *counts;
} owned;

static void free_owned(void *context) {
  owned *it = context;
  if (it->counts) atomic_fetch_add(&it->counts->freed, 1);
  free(it->source);
  free(it);
}

static void say(const arguments *given, answer *result, int8_t level, const char *text, const char *line_text) {
  log_options options = {0};
  options.size = sizeof options;
  options.message = (const uint8_t *)text;
  options.message_length = strlen(text);
  options.path = given->path;
  options.path_length = given->path_length;
  options.level = level;
  if (line_text) {
    options.line_text = (const uint8_t *)line_text;
    options.line_text_length = strlen(line_text);
    options.line = options.end_line = 2;
    options.column = 3;
    options.end_column = 6;
  }
  result->log(given, &options);
}

/* Replaces each "ONE" by "TWO" in a copy; leaves modules without it alone. */
SHOWN void replace(const arguments *given, answer *result) {
  if (given->size != sizeof *given || result->size != sizeof *result) {
    say(given, result, 4, "other sizes", NULL);
    return;
  }
  if (result->fetch(given, result) != 0) return;
  /* The bytes end with a zero that is not counted. */
  if (!strstr((const char *)result->source, "ONE")) return;
  owned *it = malloc(sizeof *it);
  it->counts = given->external;
  it->source = malloc(result->source_length + 1);
  memcpy(it->source, result->source, result->source_length + 1);
  for (char *at = (char *)it->source; (at = strstr(at, "ONE")); at += 3) {
    memcpy(at, "TWO", 3);
    if (it->counts) atomic_fetch_add(&it->counts->found, 1);
  }
  result->source = it->source;
  result->context = it;
  result->free_context = free_owned;
}

/* Writes into what it has fetched. */
SHOWN void in_place(const arguments *given, answer *result) {
  if (result->fetch(given, result) != 0) return;
  char *at = strstr((const char *)result->source, "ONE");
  if (at) memcpy(at, "SIX", 3);
}

static uint8_t made[] = "export default 'made by a plugin';";

/* A module without any file. */
SHOWN void make(const arguments *given, answer *result) {
  result->source = made;
  result->source_length = sizeof made - 1;
  result->loader = 1;
}

SHOWN void as_text(const arguments *given, answer *result) {
  if (result->fetch(given, result) == 0) result->loader = 13;
}

SHOWN void odd_loader(const arguments *given, answer *result) {
  if (result->fetch(given, result) == 0) result->loader = 99;
}

SHOWN void too_long(const arguments *given, answer *result) {
  if (result->fetch(given, result) == 0) result->source_length += 1;
}

SHOWN void warn(const arguments *given, answer *result) {
  say(given, result, 3, "a warning", "let ONE;");
  say(given, result, 2, "information", NULL);
}

SHOWN void fail(const arguments *given, answer *result) {
  say(given, result, 4, "an error", "let ONE;");
  if (result->fetch(given, result) != 1) abort();
}

SHOWN void no_context(const arguments *given, answer *result) { result->free_context = free; }

SHOWN void fault(const arguments *given, answer *result) { raise(SIGSEGV); }

static void free_counts(napi_env env, void *data, void *hint) { free(data); }

static napi_value counter(napi_env env, napi_callback_info info) {
  napi_value result;
  CHECK(napi_create_external(env, calloc(1, sizeof(counts)), free_counts, NULL, &result));
  return result;
}

static napi_value read_counts(napi_env env, napi_callback_info info) {
  ARGS(1);
  napi_value result, number;
  CHECK(napi_get_value_external(env, argv[0], &data));
  counts *all = data;
  CHECK(napi_create_object(env, &result));
  CHECK(napi_create_int32(env, atomic_load(&all->found), &number));
  CHECK(napi_set_named_property(env, result, "found", number));
  CHECK(napi_create_int32(env, atomic_load(&all->freed), &number));
  CHECK(napi_set_named_property(env, result, "freed", number));
  return result;
}

START {
  method(env, exports, "counter", counter);
  method(env, exports, "counts", read_counts);
  return exports;
}
