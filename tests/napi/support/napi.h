/* What the test addons use of Node-API (https://nodejs.org/api/n-api.html). */
#ifndef NAPI_H
#define NAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct env *napi_env;
typedef struct value *napi_value;
typedef struct ref *napi_ref;
typedef struct info *napi_callback_info;
typedef struct deferred *napi_deferred;
typedef struct work *napi_async_work;
typedef struct function *napi_threadsafe_function;
typedef int napi_status;
enum { napi_ok = 0, napi_pending_exception = 10, napi_cancelled = 11, napi_queue_full = 15, napi_closing = 16 };
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
typedef void (*napi_finalize)(napi_env, void *data, void *hint);
typedef struct {
  const char *utf8name;
  napi_value name;
  napi_callback method, getter, setter;
  napi_value value;
  int attributes;
  void *data;
} napi_property_descriptor;

napi_status napi_get_undefined(napi_env, napi_value *);
napi_status napi_create_object(napi_env, napi_value *);
napi_status napi_create_double(napi_env, double, napi_value *);
napi_status napi_create_int32(napi_env, int32_t, napi_value *);
napi_status napi_create_uint32(napi_env, uint32_t, napi_value *);
napi_status napi_create_string_utf8(napi_env, const char *, size_t, napi_value *);
napi_status napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
napi_status napi_create_external(napi_env, void *, napi_finalize, void *, napi_value *);
napi_status napi_create_reference(napi_env, napi_value, uint32_t, napi_ref *);
napi_status napi_get_reference_value(napi_env, napi_ref, napi_value *);
napi_status napi_delete_reference(napi_env, napi_ref);
napi_status napi_create_external_arraybuffer(napi_env, void *, size_t, napi_finalize, void *, napi_value *);
napi_status napi_create_promise(napi_env, napi_deferred *, napi_value *);
napi_status napi_resolve_deferred(napi_env, napi_deferred, napi_value);
napi_status napi_typeof(napi_env, napi_value, int *);
napi_status napi_get_value_double(napi_env, napi_value, double *);
napi_status napi_get_value_int32(napi_env, napi_value, int32_t *);
napi_status napi_get_value_string_utf8(napi_env, napi_value, char *, size_t, size_t *);
napi_status napi_get_value_bigint_words(napi_env, napi_value, int *, size_t *, uint64_t *);
napi_status napi_create_bigint_words(napi_env, int, size_t, const uint64_t *, napi_value *);
napi_status napi_get_buffer_info(napi_env, napi_value, void **, size_t *);
napi_status napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *, void **);
napi_status napi_set_named_property(napi_env, napi_value, const char *, napi_value);
napi_status napi_get_property_names(napi_env, napi_value, napi_value *);
napi_status napi_create_symbol(napi_env, napi_value, napi_value *);
napi_status napi_define_class(napi_env, const char *, size_t, napi_callback, void *, size_t,
                              const napi_property_descriptor *, napi_value *);
napi_status napi_wrap(napi_env, napi_value, void *, napi_finalize, void *, napi_ref *);
napi_status napi_unwrap(napi_env, napi_value, void **);
napi_status napi_call_function(napi_env, napi_value, napi_value, size_t, const napi_value *, napi_value *);
napi_status napi_get_and_clear_last_exception(napi_env, napi_value *);
napi_status napi_add_finalizer(napi_env, napi_value, void *, napi_finalize, void *, napi_ref *);
napi_status napi_throw_error(napi_env, const char *, const char *);
napi_status napi_is_exception_pending(napi_env, bool *);
typedef struct hook *napi_async_cleanup_hook_handle;
napi_status napi_add_async_cleanup_hook(napi_env, void (*)(napi_async_cleanup_hook_handle, void *), void *,
                                        napi_async_cleanup_hook_handle *);
napi_status napi_remove_async_cleanup_hook(napi_async_cleanup_hook_handle);
napi_status napi_remove_env_cleanup_hook(napi_env, void (*)(void *), void *);
napi_status napi_add_env_cleanup_hook(napi_env, void (*)(void *), void *);
napi_status napi_set_instance_data(napi_env, void *, napi_finalize, void *);
napi_status napi_get_instance_data(napi_env, void **);
napi_status napi_create_async_work(napi_env, napi_value, napi_value, void (*)(napi_env, void *),
                                   void (*)(napi_env, napi_status, void *), void *, napi_async_work *);
napi_status napi_queue_async_work(napi_env, napi_async_work);
napi_status napi_delete_async_work(napi_env, napi_async_work);
napi_status napi_create_threadsafe_function(napi_env, napi_value, napi_value, napi_value, size_t, size_t, void *,
                                            napi_finalize, void *,
                                            void (*)(napi_env, napi_value, void *, void *),
                                            napi_threadsafe_function *);
napi_status napi_call_threadsafe_function(napi_threadsafe_function, void *, int);
napi_status napi_unref_threadsafe_function(napi_env, napi_threadsafe_function);
napi_status napi_release_threadsafe_function(napi_threadsafe_function, int);

#define AUTO SIZE_MAX
#define ARGS(n)                \
  size_t argc = n;             \
  napi_value argv[n], this;    \
  void *data;                  \
  napi_get_cb_info(env, info, &argc, argv, &this, &data)

/* Ends the process with the place where a call did not succeed. */
#define CHECK(call)                                                        \
  do {                                                                     \
    napi_status status_ = (call);                                          \
    if (status_ != napi_ok) {                                              \
      fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, status_); \
      exit(70);                                                            \
    }                                                                      \
  } while (0)

static inline void method(napi_env env, napi_value object, const char *name, napi_callback callback) {
  napi_value function;
  CHECK(napi_create_function(env, name, AUTO, callback, NULL, &function));
  CHECK(napi_set_named_property(env, object, name, function));
}

#define START __attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports)

#endif
