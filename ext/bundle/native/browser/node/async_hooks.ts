// node:async_hooks for browsers, which cannot follow asynchronous code: a resource runs functions, and nobody hears of it.

export class AsyncResource {
  runInAsyncScope(fn: Function, self: unknown, ...values: unknown[]): unknown {
    return Reflect.apply(fn, self, values);
  }

  asyncId(): number {
    return 0;
  }

  triggerAsyncId(): number {
    return 0;
  }

  emitDestroy(): this {
    return this;
  }
}
