// Contexts of asynchronous code for browsers, which have none.

export function bindContext<F>(fn: F): F {
  return fn;
}
