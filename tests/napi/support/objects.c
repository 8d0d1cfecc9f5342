#include "napi.h"

static int live = 0;

static void gone(napi_env env, void *data, void *hint) {
  free(data);
  live--;
}

static napi_value construct(napi_env env, napi_callback_info info) {
  ARGS(1);
  double *number = malloc(sizeof *number);
  *number = 0;
  if (argc > 0) napi_get_value_double(env, argv[0], number);
  live++;
  CHECK(napi_wrap(env, this, number, gone, NULL, NULL));
  return NULL;
}

static napi_value get(napi_env env, napi_callback_info info) {
  ARGS(1);
  void *number;
  CHECK(napi_unwrap(env, this, &number));
  napi_value result;
  CHECK(napi_create_double(env, *(double *)number, &result));
  return result;
}

static napi_value set(napi_env env, napi_callback_info info) {
  ARGS(1);
  void *number;
  CHECK(napi_unwrap(env, this, &number));
  CHECK(napi_get_value_double(env, argv[0], number));
  return NULL;
}

static napi_value living(napi_env env, napi_callback_info info) {
  napi_value result;
  CHECK(napi_create_int32(env, live, &result));
  return result;
}

/* Wraps any object; false where it is wrapped already. */
static napi_value wrap(napi_env env, napi_callback_info info) {
  ARGS(1);
  double *number = malloc(sizeof *number);
  napi_value result;
  if (napi_wrap(env, argv[0], number, gone, NULL, NULL) == napi_ok) live++;
  else free(number);
  CHECK(napi_create_int32(env, live, &result));
  return result;
}

static napi_ref kept;

static napi_value keep(napi_env env, napi_callback_info info) {
  ARGS(2);
  int32_t count;
  CHECK(napi_get_value_int32(env, argv[1], &count));
  CHECK(napi_create_reference(env, argv[0], count, &kept));
  return NULL;
}

static napi_value kept_value(napi_env env, napi_callback_info info) {
  napi_value result;
  CHECK(napi_get_reference_value(env, kept, &result));
  return result;
}

static napi_value drop(napi_env env, napi_callback_info info) {
  CHECK(napi_delete_reference(env, kept));
  return NULL;
}

/* Fills a buffer by a pointer that was asked for before JavaScript ran and collected. */
static napi_value fill(napi_env env, napi_callback_info info) {
  ARGS(2);
  void *bytes;
  size_t length;
  napi_value ignored;
  CHECK(napi_get_buffer_info(env, argv[0], &bytes, &length));
  CHECK(napi_call_function(env, this, argv[1], 0, NULL, &ignored));
  memset(bytes, 7, length);
  return argv[0];
}

static napi_value lend(napi_env env, napi_callback_info info) {
  char *bytes = malloc(1000);
  memset(bytes, 3, 1000);
  live++;
  napi_value result;
  CHECK(napi_create_external_arraybuffer(env, bytes, 1000, gone, NULL, &result));
  return result;
}

static napi_value onto(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value of;
  CHECK(napi_get_cb_info(env, info, &count, &of, NULL, NULL));
  printf("status %d\n", napi_set_named_property(env, of, "x", of));
  fflush(stdout);
  return NULL;
}

static void ends(void *text) { puts(text), fflush(stdout); }

START {
  napi_value class, symbol;
  CHECK(napi_create_symbol(env, NULL, &symbol));
  napi_property_descriptor properties[] = {
      {"get", NULL, set, NULL, NULL, NULL, 2, NULL}, // The last of a name is the one.
      {NULL, symbol, NULL, set, NULL, NULL, 0, NULL},
      {NULL, symbol, NULL, get, NULL, NULL, 2, NULL},
      {"value", NULL, NULL, get, set, NULL, 2, NULL},
      {"get", NULL, get, NULL, NULL, NULL, 0, NULL},
      {"living", NULL, living, NULL, NULL, NULL, 1 << 10, NULL},
  };
  CHECK(napi_define_class(env, "Box", AUTO, construct, NULL, 6, properties, &class));
  CHECK(napi_set_named_property(env, exports, "Box", class));
  method(env, exports, "wrap", wrap);
  method(env, exports, "keep", keep);
  method(env, exports, "kept", kept_value);
  method(env, exports, "drop", drop);
  method(env, exports, "fill", fill);
  method(env, exports, "lend", lend);
  method(env, exports, "onto", onto);
  CHECK(napi_add_env_cleanup_hook(env, ends, "first hook"));
  CHECK(napi_add_env_cleanup_hook(env, ends, "last hook"));
  return exports;
}
