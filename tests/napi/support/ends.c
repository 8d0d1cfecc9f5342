#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "napi.h"

/* Calls a function that may throw, and looks at what calls give then. */
static napi_value attempt(napi_env env, napi_callback_info info) {
  ARGS(1);
  napi_value result, error;
  bool pending;
  if (napi_call_function(env, this, argv[0], 0, NULL, &result) == napi_ok) return result;
  CHECK(napi_is_exception_pending(env, &pending));
  int again = napi_call_function(env, this, argv[0], 0, NULL, &result);
  CHECK(napi_create_object(env, &result)); /* runs no JavaScript, so it works */
  if (!pending || again != napi_pending_exception) return NULL;
  CHECK(napi_get_and_clear_last_exception(env, &error));
  return error;
}

/* The same without a look: what was thrown goes on to the caller. */
static napi_value pass(napi_env env, napi_callback_info info) {
  ARGS(1);
  napi_value result = NULL;
  napi_call_function(env, this, argv[0], 0, NULL, &result);
  return result;
}

static void throws(napi_env env, void *text, void *hint) { napi_throw_error(env, "E_FINALIZER", text); }

static napi_value throw_when_gone(napi_env env, napi_callback_info info) {
  ARGS(1);
  CHECK(napi_add_finalizer(env, argv[0], "thrown by a finalizer", throws, NULL, NULL));
  return NULL;
}

struct job {
  napi_async_work work;
  int32_t milliseconds;
};

static void execute(napi_env env, void *data) { usleep(((struct job *)data)->milliseconds * 1000); }

static void complete(napi_env env, napi_status status, void *data) {
  CHECK(napi_delete_async_work(env, ((struct job *)data)->work));
  free(data);
  napi_throw_error(env, "E_COMPLETE", "thrown by a completion");
}

/* Async work of so many milliseconds, whose completion throws. */
static napi_value start_work(napi_env env, napi_callback_info info) {
  ARGS(1);
  napi_value name;
  struct job *job = malloc(sizeof *job);
  CHECK(napi_get_value_int32(env, argv[0], &job->milliseconds));
  CHECK(napi_create_string_utf8(env, "work", AUTO, &name));
  CHECK(napi_create_async_work(env, NULL, name, execute, complete, job, &job->work));
  CHECK(napi_queue_async_work(env, job->work));
  return NULL;
}

/* One for each environment. */
struct thread {
  pthread_t id;
  napi_threadsafe_function function;
};

static void *keep_calling(void *data) {
  struct thread *thread = data;
  while (napi_call_threadsafe_function(thread->function, NULL, 1) == napi_ok) {
  }
  return NULL;
}

static void finished(napi_env env, void *data, void *hint) {
  struct thread *thread = data;
  pthread_join(thread->id, NULL);
  free(thread);
}

/* A thread that calls a function without end, waiting for room in its queue of four. The loop may end all the same. */
static napi_value start_thread(napi_env env, napi_callback_info info) {
  ARGS(1);
  napi_value name;
  struct thread *thread = malloc(sizeof *thread);
  CHECK(napi_create_string_utf8(env, "thread", AUTO, &name));
  CHECK(napi_create_threadsafe_function(env, argv[0], NULL, name, 4, 1, thread, finished, NULL, NULL, &thread->function));
  CHECK(napi_unref_threadsafe_function(env, thread->function));
  pthread_create(&thread->id, NULL, keep_calling, thread);
  return NULL;
}

static atomic_bool inside, released;
static atomic_int thrown = -1;

/* Waits in native code until another thread lets it go on, then throws. */
static napi_value throw_when_released(napi_env env, napi_callback_info info) {
  inside = true;
  while (!released) usleep(1000);
  thrown = napi_throw_error(env, "E_LATE", "thrown in a thread that was told to end");
  return NULL;
}

static napi_value wait_inside(napi_env env, napi_callback_info info) {
  while (!inside) usleep(1000);
  return NULL;
}

static napi_value release(napi_env env, napi_callback_info info) {
  released = true;
  return NULL;
}

static napi_value status_of_throw(napi_env env, napi_callback_info info) {
  napi_value result;
  CHECK(napi_create_int32(env, thrown, &result));
  return result;
}

static void say(void *text) { puts(text), fflush(stdout); }

static atomic_bool all_hooks_ran;

static void say_first(void *text) { say(text), all_hooks_ran = true; }

static void *end_later(void *handle) {
  while (!all_hooks_ran) usleep(1000);
  say("async hook is over");
  CHECK(napi_remove_async_cleanup_hook(handle));
  return NULL;
}

static void begin(napi_async_cleanup_hook_handle handle, void *data) {
  pthread_t id;
  say("async hook begins");
  pthread_create(&id, NULL, end_later, handle);
  pthread_detach(id);
}

static void instance_ends(napi_env env, void *text, void *hint) { say(text); }

static napi_value hooks(napi_env env, napi_callback_info info) {
  all_hooks_ran = false;
  CHECK(napi_set_instance_data(env, "instance data ends", instance_ends, NULL));
  CHECK(napi_add_env_cleanup_hook(env, say_first, "first hook"));
  CHECK(napi_add_async_cleanup_hook(env, begin, NULL, NULL));
  CHECK(napi_add_env_cleanup_hook(env, say, "removed"));
  CHECK(napi_add_env_cleanup_hook(env, say, "last hook"));
  CHECK(napi_remove_env_cleanup_hook(env, say, "removed"));
  return NULL;
}

/* Older addons have exceptions in calls of threads only reported. */
__attribute__((visibility("default"))) int32_t node_api_module_get_api_version_v1(void) { return 10; }

START {
  method(env, exports, "attempt", attempt);
  method(env, exports, "pass", pass);
  method(env, exports, "throwWhenGone", throw_when_gone);
  method(env, exports, "startWork", start_work);
  method(env, exports, "startThread", start_thread);
  method(env, exports, "throwWhenReleased", throw_when_released);
  method(env, exports, "waitInside", wait_inside);
  method(env, exports, "release", release);
  method(env, exports, "statusOfThrow", status_of_throw);
  method(env, exports, "hooks", hooks);
  return exports;
}
