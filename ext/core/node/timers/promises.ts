// node:timers/promises, https://nodejs.org/api/timers.html#timers-promises-api

import { Timeout, Immediate, startTimer, clearTimer, clearImmediate } from "internal/core/timers";
import { AbortError, codes } from "internal/core/errors";
import { validateAbortSignal, validateBoolean, validateNumber, validateObject } from "internal/core/validators";

/** `ref: false` lets the loop end before the time has come. */
interface TimerOptions {
  signal?: AbortSignal;
  ref?: boolean;
}

function checkOptions(options: TimerOptions): void {
  validateObject(options, "options");
  if (options.signal !== undefined) validateAbortSignal(options.signal, "options.signal");
  if (options.ref !== undefined) validateBoolean(options.ref, "options.ref");
}

// Settles `promise` early when the signal aborts; `stop` undoes what was started. Returns the clean-up.
function onAbort(signal: AbortSignal, stop: () => void, reject: (error: AbortError) => void): () => void {
  const listener = () => {
    stop();
    reject(new AbortError(undefined, { cause: signal.reason }));
  };
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** Fulfils with `value` after `delay` ms; `options.signal` rejects with AbortError, `options.ref: false` lets the loop end. */
function setTimeout<T = void>(delay?: number, value?: T, options: TimerOptions = {}): Promise<T> {
  try {
    if (delay !== undefined) validateNumber(delay, "delay");
    checkOptions(options);
  } catch (error) {
    return Promise.reject(error);
  }
  const { signal, ref = true } = options;
  if (signal?.aborted) return Promise.reject(new AbortError(undefined, { cause: signal.reason }));
  return new Promise((resolve, reject) => {
    let cleanUp: (() => void) | undefined;
    const timer = new Timeout(
      () => {
        if (cleanUp !== undefined) cleanUp();
        resolve(value as T);
      },
      delay,
      undefined,
      false,
      ref,
    );
    startTimer(timer);
    if (signal) cleanUp = onAbort(signal, () => clearTimer(timer), reject);
  });
}

/** Fulfils with `value` in the next check phase; options as setTimeout. */
function setImmediate<T = void>(value?: T, options: TimerOptions = {}): Promise<T> {
  try {
    checkOptions(options);
  } catch (error) {
    return Promise.reject(error);
  }
  const { signal, ref = true } = options;
  if (signal?.aborted) return Promise.reject(new AbortError(undefined, { cause: signal.reason }));
  return new Promise((resolve, reject) => {
    let cleanUp: (() => void) | undefined;
    const immediate = new Immediate(() => {
      if (cleanUp !== undefined) cleanUp();
      resolve(value as T);
    }, undefined);
    if (!ref) immediate.unref();
    if (signal) cleanUp = onAbort(signal, () => clearImmediate(immediate), reject);
  });
}

/** An async iterator that yields `value` every `delay` ms; expirations nobody waited for are yielded one after another. */
async function* setInterval<T>(delay?: number, value?: T, options: TimerOptions = {}): AsyncGenerator<T | undefined> {
  if (delay !== undefined) validateNumber(delay, "delay");
  checkOptions(options);
  const { signal, ref = true } = options;
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });

  let pending = 0;
  let wake: (() => void) | undefined;
  let cleanUp: (() => void) | undefined;
  const timer = new Timeout(
    () => {
      pending++;
      if (wake !== undefined) {
        wake();
        wake = undefined;
      }
    },
    delay,
    undefined,
    true,
    ref,
  );
  startTimer(timer);
  try {
    if (signal) {
      cleanUp = onAbort(
        signal,
        () => clearTimer(timer),
        () => {
          if (wake !== undefined) {
            wake();
            wake = undefined;
          }
        },
      );
    }
    while (!signal?.aborted) {
      if (pending === 0) await new Promise<void>((resolve) => (wake = resolve));
      for (; pending > 0; pending--) yield value;
    }
    throw new AbortError(undefined, { cause: signal!.reason });
  } finally {
    clearTimer(timer);
    if (cleanUp !== undefined) cleanUp();
  }
}

const kScheduler = Symbol("kScheduler");

/** The Scheduler of the Scheduling APIs draft, as far as Node has it: wait() and yield(). */
class Scheduler {
  declare [kScheduler]: boolean | undefined;

  constructor() {
    throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
  }

  /** Fulfils in the next check phase. */
  yield(): Promise<void> {
    if (!this[kScheduler]) throw new codes.ERR_INVALID_THIS("Scheduler");
    return setImmediate();
  }

  /** Fulfils after `delay` ms. */
  wait(delay: number, options?: TimerOptions): Promise<void> {
    if (!this[kScheduler]) throw new codes.ERR_INVALID_THIS("Scheduler");
    return setTimeout(delay, undefined, options);
  }
}

const scheduler = Object.create(Scheduler.prototype, { [kScheduler]: { value: true } });

export default { setTimeout, setImmediate, setInterval, scheduler };
