/* The addon of calls.cjs. */
#include "../../tests/napi/support/napi.h"

static napi_value noop(napi_env env, napi_callback_info info) { return NULL; }

static napi_value add(napi_env env, napi_callback_info info) {
  size_t argc = 2;
  napi_value argv[2], result;
  double a, b;
  napi_get_cb_info(env, info, &argc, argv, NULL, NULL);
  napi_get_value_double(env, argv[0], &a);
  napi_get_value_double(env, argv[1], &b);
  napi_create_double(env, a + b, &result);
  return result;
}

static napi_value length(napi_env env, napi_callback_info info) {
  size_t argc = 1, size;
  napi_value argv[1], result;
  void *bytes;
  napi_get_cb_info(env, info, &argc, argv, NULL, NULL);
  napi_get_buffer_info(env, argv[0], &bytes, &size);
  napi_create_uint32(env, size, &result);
  return result;
}

static void gone(napi_env env, void *data, void *hint) { free(data); }

static napi_value construct(napi_env env, napi_callback_info info) {
  napi_value this;
  napi_get_cb_info(env, info, NULL, NULL, &this, NULL);
  napi_wrap(env, this, calloc(1, sizeof(int)), gone, NULL, NULL);
  return NULL;
}

static napi_value next(napi_env env, napi_callback_info info) {
  napi_value this, result;
  void *number;
  napi_get_cb_info(env, info, NULL, NULL, &this, NULL);
  napi_unwrap(env, this, &number);
  napi_create_int32(env, ++*(int *)number, &result);
  return result;
}

START {
  napi_property_descriptor properties[] = {{"next", NULL, next, NULL, NULL, NULL, 0, NULL}};
  napi_value class;
  method(env, exports, "noop", noop);
  method(env, exports, "add", add);
  method(env, exports, "length", length);
  CHECK(napi_define_class(env, "Box", AUTO, construct, NULL, 1, properties, &class));
  CHECK(napi_set_named_property(env, exports, "Box", class));
  return exports;
}
