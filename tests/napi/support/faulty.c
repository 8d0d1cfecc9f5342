/* Addons that cannot be loaded, by what is defined. */
#include "napi.h"

#if defined(MISSING_FUNCTION)
napi_status napi_of_tomorrow(napi_env);
START { return napi_of_tomorrow(env) ? exports : NULL; }
#elif defined(MISSING_V8)
void *current(void) __asm__("_ZN2v87Isolate10GetCurrentEv");
START { return current() ? exports : NULL; }
#elif defined(REGISTERS_V8)
void node_module_register(void *);
__attribute__((constructor)) static void registers(void) { node_module_register(NULL); }
#elif defined(NOTHING)
int nothing;
#elif defined(TOO_NEW)
__attribute__((visibility("default"))) int node_api_module_get_api_version_v1(void) { return 99; }
START { return exports; }
#elif defined(THROWS)
START {
  napi_throw_error(env, "ERR_START", "the start of the addon");
  return NULL;
}
#elif defined(CONSTRUCTOR)
typedef struct {
  int version;
  unsigned flags;
  const char *filename;
  napi_value (*start)(napi_env, napi_value);
  const char *name;
  void *private, *reserved[4];
} module;
void napi_module_register(module *);
static int starts = 0;
static napi_value start(napi_env env, napi_value exports) {
  napi_value count;
  CHECK(napi_create_int32(env, ++starts, &count));
  CHECK(napi_set_named_property(env, exports, "starts", count));
  return NULL;
}
static module self = {1, 0, __FILE__, start, "self", NULL, {0}};
__attribute__((constructor)) static void registers(void) { napi_module_register(&self); }
#elif defined(RETURNS)
static napi_value answer(napi_env env, napi_callback_info info) {
  napi_value result;
  CHECK(napi_create_int32(env, 42, &result));
  return result;
}
START {
  napi_value function;
  CHECK(napi_create_function(env, "answer", AUTO, answer, NULL, &function));
  return function;
}
#endif
