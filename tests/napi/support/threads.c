#include <pthread.h>
#include <unistd.h>

#include "napi.h"

enum { THREADS = 4, CALLS = 500 };

static napi_threadsafe_function function;

static void call_js(napi_env env, napi_value callback, void *context, void *data) {
  if (env == NULL) return;
  napi_value this, argument;
  CHECK(napi_get_undefined(env, &this));
  CHECK(napi_create_int32(env, (int)(intptr_t)data, &argument));
  CHECK(napi_call_function(env, this, callback, 1, &argument, NULL));
}

static void *work(void *index) {
  for (int i = 0; i < CALLS; i++) CHECK(napi_call_threadsafe_function(function, (void *)(intptr_t)1, 1));
  CHECK(napi_release_threadsafe_function(function, 0));
  return NULL;
}

static pthread_t threads[THREADS];
static int is_closed = 0;

static void finished(napi_env env, void *data, void *hint) {
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  is_closed = 1;
}

static napi_value run(napi_env env, napi_callback_info info) {
  ARGS(1);
  napi_value name;
  CHECK(napi_create_string_utf8(env, "work", AUTO, &name));
  /* Fewer places than calls: threads wait for room. */
  CHECK(napi_create_threadsafe_function(env, argv[0], NULL, name, 16, THREADS, NULL, finished, NULL, call_js, &function));
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
  return NULL;
}

static napi_value closed(napi_env env, napi_callback_info info) {
  napi_value result;
  CHECK(napi_create_int32(env, is_closed, &result));
  return result;
}

struct job {
  napi_async_work work;
  napi_deferred deferred;
  int number;
};

static void execute(napi_env env, void *data) {
  struct job *job = data;
  usleep(1000);
  job->number *= 2;
}

static void complete(napi_env env, napi_status status, void *data) {
  struct job *job = data;
  napi_value result;
  CHECK(napi_create_int32(env, job->number, &result));
  CHECK(napi_resolve_deferred(env, job->deferred, result));
  CHECK(napi_delete_async_work(env, job->work));
  free(job);
}

static napi_value twice(napi_env env, napi_callback_info info) {
  ARGS(1);
  struct job *job = malloc(sizeof *job);
  napi_value promise, name;
  CHECK(napi_get_value_int32(env, argv[0], &job->number));
  CHECK(napi_create_promise(env, &job->deferred, &promise));
  CHECK(napi_create_string_utf8(env, "twice", AUTO, &name));
  CHECK(napi_create_async_work(env, NULL, name, execute, complete, job, &job->work));
  CHECK(napi_queue_async_work(env, job->work));
  return promise;
}

START {
  method(env, exports, "run", run);
  method(env, exports, "closed", closed);
  method(env, exports, "twice", twice);
  return exports;
}
