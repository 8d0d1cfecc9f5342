// What ext/events and ext/streams ask of the event loop, for browsers: promises that are settled from outside.

type Settle = { resolve(value: unknown): void; reject(reason: unknown): void };
const settlers = new WeakMap<object, Settle>();

export function newPromise<T>(): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  settlers.set(promise, { resolve: resolve as Settle["resolve"], reject });
  return promise;
}

export function resolvePromise(promise: object, value: unknown): void {
  settlers.get(promise)!.resolve(value);
}

export function rejectPromise(promise: object, reason: unknown): void {
  settlers.get(promise)!.reject(reason);
}

export function whenSettled(
  value: unknown,
  onFulfilled: (value: unknown) => void,
  onRejected: (reason: unknown) => void,
): void {
  Promise.resolve(value).then(onFulfilled, onRejected);
}

export function enqueueMicrotask(callback: () => void): void {
  globalThis.queueMicrotask(callback);
}
