/**
 * The iterator-style operators of Readable (map, filter, toArray, ...). Those that give a stream are
 * written as functions that return an async iterator; Readable wraps it.
 * https://nodejs.org/api/stream.html#readablemapfn-options
 */
import { codes, AbortError } from "internal/core/errors";
import { validateAbortSignal, validateInteger, validateObject } from "internal/core/validators";
import type { Anything, NodeReadable } from "internal/streams/types";
import { isNodeStream, isWritable } from "internal/streams/utils";

const { newPromise, resolvePromise, whenSettled } = native("loop");

/** What the functions get beside a chunk. */
type CallOptions = { signal: AbortSignal };
/** A function of the program for each chunk. */
type Visit = (chunk: unknown, options: CallOptions) => unknown;

interface OperatorOptions {
  signal?: AbortSignal;
  /** Calls that may be under way at a time. */
  concurrency?: number;
  /** Results that may wait beyond these. */
  highWaterMark?: number;
}

// Results that are no values: "drop this one", and "that was the last".
const kEmpty = Symbol("kEmpty");
const kEnd = Symbol("kEof");

function checkFunction(fn: unknown): void {
  if (typeof fn !== "function") throw new codes.ERR_INVALID_ARG_TYPE("fn", "Function", fn);
}

function checkOptions(options: unknown): void {
  if (options != null) validateObject(options, "options");
  if (options?.signal != null) validateAbortSignal(options.signal, "options.signal");
}

function aborted(signal: AbortSignal) {
  return new AbortError(undefined, { cause: signal.reason });
}

/** readable.compose(stream[, options]). */
export function compose(this: NodeReadable, stream: Anything, options?: OperatorOptions): unknown {
  checkOptions(options);
  if (isNodeStream(stream) && !isWritable(stream)) {
    throw new codes.ERR_INVALID_ARG_VALUE("stream", stream, "must be writable");
  }
  const composed = require("internal/streams/compose").compose(this, stream);
  if (options?.signal) {
    require("internal/streams/add_abort_signal").addAbortSignalNoValidate(options.signal, composed);
  }
  return composed;
}

/**
 * Calls `fn` for up to `options.concurrency` chunks at a time and gives the results in the order of the
 * chunks, with at most `options.highWaterMark` results waiting beyond that.
 */
export function map(this: NodeReadable, fn: Visit, options?: OperatorOptions): AsyncGenerator<unknown> {
  checkFunction(fn);
  checkOptions(options);
  let concurrency = 1;
  if (options?.concurrency != null) concurrency = Math.floor(options.concurrency);
  let highWaterMark = concurrency - 1;
  if (options?.highWaterMark != null) highWaterMark = Math.floor(options.highWaterMark);
  validateInteger(concurrency, "options.concurrency", 1);
  validateInteger(highWaterMark, "options.highWaterMark", 0);
  return mapConcurrently(this, fn, options, concurrency, highWaterMark + concurrency);
}

async function* mapConcurrently(
  stream: NodeReadable,
  fn: Visit,
  options: OperatorOptions | undefined,
  concurrency: number,
  limit: number,
): AsyncGenerator<unknown> {
  const signal = AbortSignal.any(options?.signal ? [options.signal] : []);
  const fnOptions = { signal };
  const queue: unknown[] = [];
  // Wake the consumer (something is in the queue), or the pump (there is room again).
  let wakeConsumer: Promise<void> | null = null;
  let wakePump: Promise<void> | null = null;
  let done = false;
  let running = 0;

  function letPumpGoOn() {
    if (wakePump && !done && running < concurrency && queue.length < limit) {
      resolvePromise(wakePump, undefined);
      wakePump = null;
    }
  }
  function itemDone() {
    running--;
    letPumpGoOn();
  }
  function itemFailed() {
    done = true;
    itemDone();
  }

  async function pump() {
    try {
      for await (let value of stream) {
        if (done) return;
        if (signal.aborted) throw aborted(signal);
        try {
          value = fn(value, fnOptions);
          if (value === kEmpty) continue;
          value = Promise.resolve(value);
        } catch (error) {
          value = Promise.reject(error);
        }
        running++;
        whenSettled(value as Promise<unknown>, itemDone, itemFailed);
        queue.push(value);
        if (wakeConsumer) {
          resolvePromise(wakeConsumer, undefined);
          wakeConsumer = null;
        }
        if (!done && (queue.length >= limit || running >= concurrency)) {
          await (wakePump = newPromise());
        }
      }
      queue.push(kEnd);
    } catch (error) {
      const value = Promise.reject(error);
      value.then(itemDone, itemFailed);
      queue.push(value);
    } finally {
      done = true;
      if (wakeConsumer) {
        resolvePromise(wakeConsumer, undefined);
        wakeConsumer = null;
      }
    }
  }
  pump();

  try {
    for (;;) {
      while (queue.length > 0) {
        const value = await queue[0];
        if (value === kEnd) return;
        if (signal.aborted) throw aborted(signal);
        if (value !== kEmpty) yield value;
        queue.shift();
        letPumpGoOn();
      }
      await (wakeConsumer = newPromise());
    }
  } finally {
    done = true;
    if (wakePump) {
      resolvePromise(wakePump, undefined);
      wakePump = null;
    }
  }
}

export function filter(this: NodeReadable, fn: Visit, options?: OperatorOptions): AsyncGenerator<unknown> {
  checkFunction(fn);
  return map.call(
    this,
    async (value: unknown, fnOptions: CallOptions) => ((await fn(value, fnOptions)) ? value : kEmpty),
    options,
  );
}

export async function some(this: NodeReadable, fn: Visit, options?: OperatorOptions): Promise<boolean> {
  for await (const _ of filter.call(this, fn, options)) return true;
  return false;
}

export async function every(this: NodeReadable, fn: Visit, options?: OperatorOptions): Promise<boolean> {
  checkFunction(fn);
  // Every one does: none does not.
  return !(await some.call(this, async (...args: [unknown, CallOptions]) => !(await fn(...args)), options));
}

export async function find(this: NodeReadable, fn: Visit, options?: OperatorOptions): Promise<unknown> {
  for await (const value of filter.call(this, fn, options)) return value;
  return undefined;
}

export async function forEach(this: NodeReadable, fn: Visit, options?: OperatorOptions): Promise<void> {
  checkFunction(fn);
  const discard = async (value: unknown, fnOptions: CallOptions) => {
    await fn(value, fnOptions);
    return kEmpty;
  };
  for await (const _ of map.call(this, discard, options));
}

/** `initial` counts as given if it is passed at all, undefined included. */
export async function reduce(
  this: NodeReadable,
  reducer: (previous: unknown, chunk: unknown, options: CallOptions) => unknown,
  initial?: unknown,
  options?: OperatorOptions,
): Promise<unknown> {
  if (typeof reducer !== "function") {
    throw new codes.ERR_INVALID_ARG_TYPE("reducer", "Function", reducer);
  }
  checkOptions(options);
  let hasValue = arguments.length > 1;

  if (options?.signal?.aborted) {
    const error = aborted(options.signal);
    this.once("error", () => {});
    await require("internal/streams/end_of_stream").finished(this.destroy(error));
    throw error;
  }
  const controller = new AbortController();
  const { signal } = controller;
  if (options?.signal) {
    options.signal.addEventListener("abort", () => controller.abort(), { once: true, signal });
  }

  let empty = true;
  try {
    for await (const value of this) {
      empty = false;
      if (options?.signal?.aborted) throw new AbortError();
      if (!hasValue) {
        initial = value;
        hasValue = true;
      } else {
        initial = await reducer(initial, value, { signal });
      }
    }
    if (empty && !hasValue) {
      const error = new codes.ERR_MISSING_ARGS("reduce");
      error.message = "Reduce of an empty stream requires an initial value";
      throw error;
    }
  } finally {
    // Lets go of the outer signal.
    controller.abort();
  }
  return initial;
}

export async function toArray(this: NodeReadable, options?: OperatorOptions): Promise<unknown[]> {
  checkOptions(options);
  const result: unknown[] = [];
  for await (const value of this) {
    if (options?.signal?.aborted) throw aborted(options.signal);
    result.push(value);
  }
  return result;
}

export function flatMap(this: NodeReadable, fn: Visit, options?: OperatorOptions): AsyncGenerator<unknown> {
  const values = map.call(this, fn, options);
  return (async function* () {
    for await (const value of values) yield* value as Iterable<unknown>;
  })();
}

function toCount(value: unknown): number {
  const count = Number(value);
  if (Number.isNaN(count)) return 0;
  if (count < 0) throw new codes.ERR_OUT_OF_RANGE("number", ">= 0", count);
  return count;
}

export function drop(this: NodeReadable, limit: unknown, options?: OperatorOptions): AsyncGenerator<unknown> {
  checkOptions(options);
  return dropFrom(this, toCount(limit), options);
}

async function* dropFrom(
  stream: NodeReadable,
  left: number,
  options: OperatorOptions | undefined,
): AsyncGenerator<unknown> {
  if (options?.signal?.aborted) throw new AbortError();
  for await (const value of stream) {
    if (options?.signal?.aborted) throw new AbortError();
    if (left-- <= 0) yield value;
  }
}

export function take(this: NodeReadable, limit: unknown, options?: OperatorOptions): AsyncGenerator<unknown> {
  checkOptions(options);
  return takeFrom(this, toCount(limit), options);
}

async function* takeFrom(
  stream: NodeReadable,
  left: number,
  options: OperatorOptions | undefined,
): AsyncGenerator<unknown> {
  if (options?.signal?.aborted) throw new AbortError();
  for await (const value of stream) {
    if (options?.signal?.aborted) throw new AbortError();
    if (left-- > 0) yield value;
    // Return now: the next chunk may never come.
    if (left <= 0) return;
  }
}
