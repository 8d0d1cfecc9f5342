/* A timer, an async handle and the pool of libuv; its structures are as large as it says. */
#include <pthread.h>

#include "napi.h"

typedef struct uv_loop uv_loop;
napi_status napi_get_uv_event_loop(napi_env, uv_loop **);
size_t uv_handle_size(int), uv_req_size(int);
int uv_timer_init(uv_loop *, void *), uv_timer_start(void *, void (*)(void *), uint64_t, uint64_t);
int uv_async_init(uv_loop *, void *, void (*)(void *)), uv_async_send(void *);
int uv_queue_work(uv_loop *, void *, void (*)(void *), void (*)(void *, int));
void uv_close(void *, void (*)(void *));
napi_status napi_open_handle_scope(napi_env, void **), napi_close_handle_scope(napi_env, void *);
napi_status napi_make_callback(napi_env, void *, napi_value, napi_value, size_t, const napi_value *, napi_value *);
napi_status napi_get_global(napi_env, napi_value *);
enum { UV_ASYNC = 1, UV_TIMER = 13, UV_WORK = 7 };

static napi_env kept_env;
static napi_ref callback;
static int count = 0;

static void tell(const char *what) {
  void *scope;
  napi_value function, global, argument;
  CHECK(napi_open_handle_scope(kept_env, &scope));
  CHECK(napi_get_reference_value(kept_env, callback, &function));
  CHECK(napi_get_global(kept_env, &global));
  CHECK(napi_create_string_utf8(kept_env, what, AUTO, &argument));
  CHECK(napi_make_callback(kept_env, NULL, global, function, 1, &argument, NULL));
  CHECK(napi_close_handle_scope(kept_env, scope));
}

static void closed(void *handle) { free(handle); }
static void on_timer(void *timer) {
  tell("timer");
  if (++count == 3) uv_close(timer, closed);
}
static void on_async(void *async) {
  tell("async");
  uv_close(async, closed);
}
static void *other_thread(void *async) {
  uv_async_send(async);
  return NULL;
}
static void at_work(void *request) {}
static void worked(void *request, int status) {
  tell("work");
  free(request);
}

static napi_value start(napi_env env, napi_callback_info info) {
  ARGS(2);
  int32_t which;
  uv_loop *loop;
  kept_env = env;
  CHECK(napi_get_value_int32(env, argv[0], &which));
  CHECK(napi_create_reference(env, argv[1], 1, &callback));
  CHECK(napi_get_uv_event_loop(env, &loop));
  if (which == 0) {
    void *timer = malloc(uv_handle_size(UV_TIMER));
    uv_timer_init(loop, timer);
    uv_timer_start(timer, on_timer, 1, 5);
  } else if (which == 1) {
    void *async = malloc(uv_handle_size(UV_ASYNC));
    pthread_t thread;
    uv_async_init(loop, async, on_async);
    pthread_create(&thread, NULL, other_thread, async);
    pthread_detach(thread);
  } else {
    uv_queue_work(loop, malloc(uv_req_size(UV_WORK)), at_work, worked);
  }
  return NULL;
}

START {
  method(env, exports, "start", start);
  return exports;
}
