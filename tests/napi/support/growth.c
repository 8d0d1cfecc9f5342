#include "napi.h"

napi_status napi_get_reference_value(napi_env, napi_ref, napi_value *);

enum { PIECE = 256, BUFFER = 1024 };

/* What is not freed yet. */
static int pieces;

static void *take(size_t size) {
  __atomic_add_fetch(&pieces, 1, __ATOMIC_SEQ_CST);
  return memset(malloc(size), 1, size);
}

static void give(napi_env env, void *data, void *hint) {
  __atomic_sub_fetch(&pieces, 1, __ATOMIC_SEQ_CST);
  free(data);
}

static void execute(napi_env env, void *data) { memset(*(void **)data, 2, PIECE); }

struct job {
  void *piece;
  napi_async_work work;
};

static void complete(napi_env env, napi_status status, void *data) {
  struct job *job = data;
  CHECK(napi_delete_async_work(env, job->work));
  give(env, job->piece, NULL);
  free(job);
}

/* One of everything that the interface keeps for an addon: each has to be gone when nobody has it. */
static napi_value use(napi_env env, napi_callback_info info) {
  ARGS(1);
  napi_value object, external, buffer, name, same;
  napi_ref strong, weak;
  CHECK(napi_create_object(env, &object));
  CHECK(napi_wrap(env, object, take(PIECE), give, NULL, NULL));
  CHECK(napi_create_external(env, take(PIECE), give, NULL, &external));
  CHECK(napi_set_named_property(env, object, "external", external));
  CHECK(napi_create_external_arraybuffer(env, take(BUFFER), BUFFER, give, NULL, &buffer));
  CHECK(napi_set_named_property(env, object, "buffer", buffer));
  CHECK(napi_create_reference(env, object, 1, &strong));
  CHECK(napi_create_reference(env, object, 0, &weak));
  CHECK(napi_get_reference_value(env, weak, &same));
  CHECK(napi_delete_reference(env, strong));
  CHECK(napi_delete_reference(env, weak));
  CHECK(napi_call_function(env, this, argv[0], 1, &same, &same));
  struct job *job = malloc(sizeof *job);
  job->piece = take(PIECE);
  CHECK(napi_create_string_utf8(env, "job", AUTO, &name));
  CHECK(napi_create_async_work(env, NULL, name, execute, complete, job, &job->work));
  CHECK(napi_queue_async_work(env, job->work));
  return object;
}

static napi_value count(napi_env env, napi_callback_info info) {
  napi_value result;
  CHECK(napi_create_int32(env, pieces, &result));
  return result;
}

START {
  method(env, exports, "use", use);
  method(env, exports, "count", count);
  return exports;
}
