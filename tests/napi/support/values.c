#include "napi.h"

static napi_value echo(napi_env env, napi_callback_info info) {
  ARGS(1);
  return argv[0];
}

static napi_value count(napi_env env, napi_callback_info info) {
  ARGS(2);
  napi_value result;
  CHECK(napi_create_uint32(env, argc, &result));
  return result;
}

static napi_value add(napi_env env, napi_callback_info info) {
  ARGS(2);
  double a, b;
  if (napi_get_value_double(env, argv[0], &a) != napi_ok || napi_get_value_double(env, argv[1], &b) != napi_ok) {
    napi_throw_error(env, "ERR_NUMBER", "two numbers");
    return NULL;
  }
  napi_value result;
  CHECK(napi_create_double(env, a + b, &result));
  return result;
}

static napi_value to_int(napi_env env, napi_callback_info info) {
  ARGS(1);
  int32_t number;
  CHECK(napi_get_value_int32(env, argv[0], &number));
  napi_value result;
  CHECK(napi_create_int32(env, number, &result));
  return result;
}

/* The text cut to a buffer of `size` bytes: whole characters only. */
static napi_value cut(napi_env env, napi_callback_info info) {
  ARGS(2);
  int32_t size;
  CHECK(napi_get_value_int32(env, argv[1], &size));
  char buffer[64];
  size_t length;
  CHECK(napi_get_value_string_utf8(env, argv[0], buffer, size, &length));
  napi_value result;
  CHECK(napi_create_string_utf8(env, buffer, length, &result));
  return result;
}

static napi_value words(napi_env env, napi_callback_info info) {
  ARGS(1);
  int sign;
  size_t count = 8;
  uint64_t digits[8];
  CHECK(napi_get_value_bigint_words(env, argv[0], &sign, &count, digits));
  napi_value result;
  CHECK(napi_create_bigint_words(env, sign, count, digits, &result));
  return result;
}

static napi_value type(napi_env env, napi_callback_info info) {
  ARGS(1);
  int type;
  CHECK(napi_typeof(env, argv[0], &type));
  napi_value result;
  CHECK(napi_create_int32(env, type, &result));
  return result;
}

static napi_value external(napi_env env, napi_callback_info info) {
  napi_value result;
  CHECK(napi_create_external(env, (void *)-1, NULL, NULL, &result));
  return result;
}

static napi_value names(napi_env env, napi_callback_info info) {
  ARGS(1);
  napi_value result;
  CHECK(napi_get_property_names(env, argv[0], &result));
  return result;
}

/* Calls a function; `true` where it threw, which leaves the exception pending. */
static napi_value call(napi_env env, napi_callback_info info) {
  ARGS(2);
  napi_value result = NULL;
  napi_status status = napi_call_function(env, this, argv[0], 1, &argv[1], &result);
  if (status == napi_pending_exception) {
    bool pending;
    CHECK(napi_is_exception_pending(env, &pending));
    /* Nothing that may run JavaScript works until it is thrown. */
    if (!pending || napi_get_property_names(env, argv[0], &result) != napi_pending_exception) abort();
  }
  return result;
}

START {
  method(env, exports, "echo", echo);
  method(env, exports, "count", count);
  method(env, exports, "add", add);
  method(env, exports, "toInt", to_int);
  method(env, exports, "cut", cut);
  method(env, exports, "words", words);
  method(env, exports, "type", type);
  method(env, exports, "external", external);
  method(env, exports, "names", names);
  method(env, exports, "call", call);
  return exports;
}
