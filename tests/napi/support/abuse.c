/* What no addon should do. Each function does one such thing. */
#include <pthread.h>

#include "napi.h"

__attribute__((noreturn)) void napi_fatal_error(const char *, size_t, const char *, size_t);

#define FUNCTION(name) static napi_value name(napi_env env, napi_callback_info info)

FUNCTION(fatal) {
  napi_fatal_error("abuse.c:1", AUTO, "told to end", AUTO);
}

FUNCTION(give_up) {
  abort();
}

static int *volatile nowhere;
static const char *volatile no_text;
static void (*volatile no_function)(void);
static volatile size_t sink;

FUNCTION(fault) {
  *nowhere = 1;
  return NULL;
}

FUNCTION(fault_in_library) {
  sink = strlen(no_text);
  return NULL;
}

FUNCTION(call_null) {
  no_function();
  sink = 1;
  return NULL;
}

FUNCTION(wrong_handle) {
  int32_t number;
  napi_get_value_int32(env, (napi_value)(size_t)8, &number);
  return NULL;
}

static volatile int depth;

static int descend(int n) {
  volatile char here[256];
  here[0] = (char)n;
  if (depth++ < 0) return 0;
  return descend(n + 1) + here[0];
}

FUNCTION(overflow) {
  sink = (size_t)descend(0);
  return NULL;
}

static void *fault_of_thread(void *unused) {
  *nowhere = 1;
  return NULL;
}

FUNCTION(fault_on_thread) {
  pthread_t thread;
  pthread_create(&thread, NULL, fault_of_thread, NULL);
  pthread_join(thread, NULL);
  return NULL;
}

static void *other(void *env) {
  napi_value result;
  napi_create_int32(env, 1, &result);
  return NULL;
}

FUNCTION(wrong_thread) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, env);
  pthread_join(thread, NULL);
  return NULL;
}

/* References that nobody deletes, one of them in a static variable that the next environment overwrites. */
static napi_ref kept;

FUNCTION(keep) {
  size_t count = 1;
  napi_value value;
  napi_ref weak;
  napi_get_cb_info(env, info, &count, &value, NULL, NULL);
  napi_create_reference(env, value, 1, &kept);
  napi_create_reference(env, value, 0, &weak);
  return NULL;
}

FUNCTION(kept_value) {
  napi_value value;
  napi_get_reference_value(env, kept, &value);
  return value;
}

START {
  method(env, exports, "fatal", fatal);
  method(env, exports, "giveUp", give_up);
  method(env, exports, "fault", fault);
  method(env, exports, "faultInLibrary", fault_in_library);
  method(env, exports, "callNull", call_null);
  method(env, exports, "wrongHandle", wrong_handle);
  method(env, exports, "overflow", overflow);
  method(env, exports, "faultOnThread", fault_on_thread);
  method(env, exports, "wrongThread", wrong_thread);
  method(env, exports, "keep", keep);
  method(env, exports, "keptValue", kept_value);
  return exports;
}
