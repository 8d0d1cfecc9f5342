// `util.debounce` and `util.throttle` (https://nodejs.org/api/util.html#utildebouncefn-wait-options).

import { AbortError, codes } from "internal/core/errors";
import {
  validateAbortSignal,
  validateBoolean,
  validateFunction,
  validateInteger,
  validateObject,
  validateOneOf,
} from "internal/core/validators";
import { markPromiseAsHandled } from "internal/util/promises";

interface Call {
  args: unknown[];
  promise: Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

const newCall = (args: unknown[]): Call => ({ args, ...Promise.withResolvers<unknown>() });

export interface DebounceOptions {
  leading?: boolean;
  rejectOnCancel?: boolean;
  signal?: AbortSignal;
}

export interface ThrottleOptions {
  concurrency?: number;
  maxPending?: number;
  overflow?: "queue" | "drop";
  signal?: AbortSignal;
  strict?: boolean;
}

// A timer that can be kept from holding the event loop, now and later.
class Timer {
  handle: ReturnType<typeof setTimeout> | undefined = undefined;
  #referenced = true;

  start(callback: () => void, ms: number) {
    this.stop();
    this.handle = setTimeout(callback, ms);
    if (!this.#referenced) this.handle.unref();
  }

  stop() {
    if (this.handle !== undefined) clearTimeout(this.handle);
    this.handle = undefined;
  }

  reference(value: boolean) {
    this.#referenced = value;
    if (this.handle === undefined) return;
    if (value) this.handle.ref();
    else this.handle.unref();
  }
}

const abortError = (...reason: unknown[]) =>
  reason.length > 0 && reason[0] !== undefined ? new AbortError(undefined, { cause: reason[0] }) : new AbortError();

// Name, length and the members of a wrapper.
function finish(
  wrapper: (...args: unknown[]) => Promise<unknown>,
  fn: Function,
  timer: Timer,
  members: PropertyDescriptorMap,
) {
  const method = (value: unknown) => ({ value, writable: true, enumerable: false, configurable: true });
  return Object.defineProperties(wrapper, {
    name: { value: fn.name, configurable: true },
    length: { value: fn.length, configurable: true },
    ref: method(function ref() {
      timer.reference(true);
      return wrapper;
    }),
    unref: method(function unref() {
      timer.reference(false);
      return wrapper;
    }),
    ...members,
  });
}

const method = (value: ((reason?: unknown) => void) | (() => void) | (() => boolean)) => ({
  value,
  writable: true,
  enumerable: false,
  configurable: true,
});
const getter = (get: () => unknown) => ({ get, enumerable: false, configurable: true });

/**
 * A function that calls `fn` when `wait` ms have passed since its last call, and gives a promise of the result. Options:
 * leading (call at once when a window begins), rejectOnCancel (superseded calls reject), signal. Members: cancel, flush,
 * pending, pendingCount, ref, unref.
 */
export function debounce(fn: unknown, wait: number, options: DebounceOptions = {}) {
  validateFunction(fn, "fn");
  validateInteger(wait, "wait", 0);
  validateObject(options, "options");
  const { leading = false, rejectOnCancel = false, signal } = options;
  validateBoolean(leading, "options.leading");
  validateBoolean(rejectOnCancel, "options.rejectOnCancel");
  validateAbortSignal(signal, "options.signal");
  if (signal?.aborted) throw abortError(signal.reason);

  const timer = new Timer();
  let waiting: Call[] = [];
  let open = false;

  const invoke = () => {
    timer.stop();
    open = false;
    const calls = waiting;
    waiting = [];
    if (calls.length > 0) settle(calls, calls[calls.length - 1]!.args);
  };
  const settle = (calls: Call[], args: unknown[]) => {
    let result: unknown;
    try {
      result = Reflect.apply(fn, debounced, args);
    } catch (error) {
      for (const call of calls) call.reject(error);
      return;
    }
    for (const call of calls) call.resolve(result);
  };
  const cancelAll = (error: Error) => {
    timer.stop();
    open = false;
    const calls = waiting;
    waiting = [];
    for (const call of calls) call.reject(error);
  };

  function debounced(...args: unknown[]): Promise<unknown> {
    if (signal?.aborted) return Promise.reject(abortError(signal.reason));
    const call = newCall(args);
    if (leading && !open) {
      open = true;
      timer.start(invoke, wait);
      settle([call], args);
      return call.promise;
    }
    open = true;
    if (rejectOnCancel) {
      for (const old of waiting) old.reject(abortError());
      waiting = [];
    }
    waiting.push(call);
    timer.start(invoke, wait);
    return call.promise;
  }
  signal?.addEventListener("abort", () => cancelAll(abortError(signal.reason)), { once: true });

  return finish(debounced, fn, timer, {
    cancel: method(function cancel(reason?: unknown) {
      cancelAll(abortError(reason));
    }),
    flush: method(function flush() {
      if (waiting.length > 0) invoke();
    }),
    pending: getter(() => (waiting.length > 0 ? waiting[waiting.length - 1]!.promise : null)),
    pendingCount: getter(() => waiting.length),
  });
}

/**
 * A function that calls `fn` at most `limit` times in `interval` ms, and gives promises of the results. Options:
 * concurrency (unsettled results at once), maxPending (calls in the queue), overflow ("queue" or "drop"), signal, strict
 * (any interval of this length, not only one after the other). Members: cancel, hasImmediateCapacity, pending,
 * pendingCount, activeCount, ref, unref. Rejected calls have code ERR_THROTTLED.
 */
export function throttle(fn: unknown, limit: unknown, interval: unknown, options: ThrottleOptions = {}) {
  validateFunction(fn, "fn");
  validateInteger(limit, "limit", 1);
  validateInteger(interval, "interval", 0);
  validateObject(options, "options");
  const { concurrency = Infinity, maxPending = Infinity, overflow = "queue", signal, strict = false } = options;
  if (concurrency !== Infinity) validateInteger(concurrency, "options.concurrency", 1);
  if (maxPending !== Infinity) validateInteger(maxPending, "options.maxPending", 0);
  validateOneOf(overflow, "options.overflow", ["queue", "drop"]);
  validateBoolean(strict, "options.strict");
  validateAbortSignal(signal, "options.signal");
  if (signal?.aborted) throw abortError(signal.reason);

  const timer = new Timer();
  let queue: Call[] = [];
  let active = 0;
  // Start of the window and calls in it; with `strict` the times of the last `limit` calls.
  let windowStart = -Infinity;
  let used = 0;
  let starts: number[] = [];

  // How many ms until one more call may start; 0 if it may now.
  const delay = (now: number): number => {
    if (strict) return starts.length < limit ? 0 : Math.max(0, starts[0]! + interval - now);
    if (now - windowStart >= interval) return 0;
    return used < limit ? 0 : windowStart + interval - now;
  };
  const consume = (now: number) => {
    if (strict) {
      if (starts.length >= limit) starts.shift();
      starts.push(now);
    } else if (now - windowStart >= interval) {
      windowStart = now;
      used = 1;
    } else {
      used++;
    }
  };
  const hasCapacity = () => active < concurrency && delay(performance.now()) <= 0;

  const start = (call: Call) => {
    consume(performance.now());
    active++;
    let result: unknown;
    try {
      result = Reflect.apply(fn, throttled, call.args);
      call.resolve(result);
    } catch (error) {
      call.reject(error);
    }
    const done = () => {
      active--;
      drain();
    };
    Promise.resolve(result).then(done, done);
  };
  const drain = () => {
    while (queue.length > 0 && hasCapacity()) start(queue.shift()!);
    if (queue.length > 0 && active < concurrency) {
      if (timer.handle === undefined) timer.start(onTimer, Math.max(1, Math.ceil(delay(performance.now()))));
    } else {
      timer.stop();
    }
  };
  const onTimer = () => {
    timer.handle = undefined;
    drain();
  };
  const cancelAll = (error: Error) => {
    timer.stop();
    const calls = queue;
    queue = [];
    windowStart = -Infinity;
    used = 0;
    starts = [];
    for (const call of calls) call.reject(error);
  };
  const refuse = (message: string) => {
    const promise = Promise.reject(new codes.ERR_THROTTLED(message));
    markPromiseAsHandled(promise);
    return promise;
  };

  function throttled(...args: unknown[]): Promise<unknown> {
    if (signal?.aborted) return Promise.reject(abortError(signal.reason));
    const call = newCall(args);
    if (queue.length === 0 && hasCapacity()) {
      start(call);
      return call.promise;
    }
    if (overflow === "drop") return refuse("The call exceeds the limit of the throttled function");
    if (queue.length >= maxPending) return refuse("The queue of the throttled function is full");
    queue.push(call);
    drain();
    return call.promise;
  }
  signal?.addEventListener("abort", () => cancelAll(abortError(signal.reason)), { once: true });

  return finish(throttled, fn, timer, {
    cancel: method(function cancel(reason?: unknown) {
      cancelAll(abortError(reason));
    }),
    hasImmediateCapacity: method(function hasImmediateCapacity() {
      return !signal?.aborted && queue.length === 0 && hasCapacity();
    }),
    pending: getter(() => (queue.length > 0 ? queue[queue.length - 1]!.promise : null)),
    pendingCount: getter(() => queue.length),
    activeCount: getter(() => active),
  });
}
