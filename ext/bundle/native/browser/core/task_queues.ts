// process.nextTick for browsers: ticks are microtasks.

export function nextTick(callback: (...values: unknown[]) => void, ...values: unknown[]): void {
  globalThis.queueMicrotask(() => callback(...values));
}

export function queueMicrotask(callback: () => void): void {
  globalThis.queueMicrotask(callback);
}
