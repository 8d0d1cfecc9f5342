/**
 * What the web streams (https://streams.spec.whatwg.org) share: queues of sized values, promise reactions
 * that no patched global can intercept, conversions of options, and the look of interfaces.
 *
 * Each public object (ReadableStream, a reader, a controller ...) is a thin shell around an internal object
 * that holds the slots of the standard and carries its algorithms. Internals talk to internals only; streams
 * that bao makes for its own use (bodies, files, adapters) pay for no shells.
 */
import { codes } from "internal/core/errors";
import type { Inspect, InspectOptions } from "internal/util/inspect_types";

// Taken now: the standard's own steps must not see what programs do to globals later.
const OriginalPromise = Promise;
const promiseResolve = Promise.resolve;
const promiseReject = Promise.reject;
const { then: promiseThen } = Promise.prototype;
const { enqueueMicrotask, newPromise, resolvePromise, rejectPromise, whenSettled } = native("loop");

/** A fulfilled promise, for reactions that are due in the next microtask. */
const RESOLVED: Promise<void> = Promise.resolve();

/**
 * A function of a source, sink or transformer, a program's or bao's. As a method's type it also fits functions that say
 * which controller and what chunks they expect.
 */
export type Algorithm = { run(...values: unknown[]): unknown }["run"];

/** `size` of a strategy. */
export type SizeAlgorithm = { run(chunk: unknown): number }["run"];

/** The constructor of a public class as this package calls it: around an internal object. */
export type Internal<T> = new (key: typeof kInternal, impl: unknown) => T;

/** A promise and the right to settle it. Without the two functions that an executor gets it costs a third. */
export class Deferred<T = void> {
  promise: Promise<T> = newPromise();

  resolve(value: T | PromiseLike<T>): void {
    resolvePromise(this.promise, value as T);
  }

  reject(reason: unknown): void {
    rejectPromise(this.promise, reason);
  }
}

export function deferred<T = void>(): Deferred<T> {
  return new Deferred<T>();
}

export function resolvedWith<T = void>(value?: T): Promise<T> {
  return promiseResolve.call(OriginalPromise, value) as Promise<T>;
}

export function rejectedWith(reason: unknown): Promise<never> {
  return promiseReject.call(OriginalPromise, reason) as Promise<never>;
}

/** promise.then, whatever became of Promise.prototype.then. */
export function react<T, R = T, E = never>(
  promise: Promise<T>,
  onFulfilled?: (value: T) => R | PromiseLike<R>,
  onRejected?: (reason: unknown) => E | PromiseLike<E>,
): Promise<R | E> {
  return promiseThen.call(promise, onFulfilled as Algorithm, onRejected) as Promise<R | E>;
}

/** What an algorithm of this package returns that will call the reactions itself. */
export const LATER = { __proto__: null };

/**
 * Reacts to what a callback returned: a promise, a thenable, or a plain value (which counts as fulfilled).
 */
export function reactToResult(result: unknown, onFulfilled: () => void, onRejected: (reason: unknown) => void): void {
  if (result === LATER) return;
  if (result === null || (typeof result !== "object" && typeof result !== "function")) {
    enqueueMicrotask(onFulfilled);
  } else {
    whenSettled(promiseResolve.call(OriginalPromise, result) as Promise<unknown>, onFulfilled, onRejected);
  }
}

/**
 * "A promise resolved with" what a callback returned, to the letter: a promise gives another promise, which
 * takes two ticks more. Used for start, cancel, abort, close and flush, where it decides which of several
 * comes first; not for each chunk.
 */
export function resultPromise(result: unknown): Promise<void> | Promise<unknown> {
  if (result === null || (typeof result !== "object" && typeof result !== "function")) return RESOLVED;
  const promise = newPromise();
  resolvePromise(promise, result);
  return promise;
}

/** Reacts to what `start` returned: see resultPromise. */
export function reactToStart(
  result: unknown,
  controller: { onStarted(): void; onStartFailed(reason: unknown): void },
): void {
  if (result === null || (typeof result !== "object" && typeof result !== "function")) {
    enqueueMicrotask(() => {
      controller.onStarted();
    });
  } else {
    promiseThen.call(
      resultPromise(result),
      () => {
        controller.onStarted();
      },
      (reason: unknown) => {
        controller.onStartFailed(reason);
      },
    );
  }
}

/** Calls an optional callback; what it throws becomes a rejection. */
export function callForPromise(fn: Algorithm | undefined, thisArg: unknown, argument: unknown): Promise<unknown> {
  if (fn === undefined) return RESOLVED;
  try {
    return resultPromise(fn.call(thisArg, argument));
  } catch (error) {
    return rejectedWith(error);
  }
}

/** Runs `fn` in the next microtask. */
export function nextMicrotask(fn: () => void): void {
  enqueueMicrotask(fn);
}

function ignore() {}

/** Keeps a rejection of `promise` from being reported as unhandled. */
export function markHandled(promise: Promise<unknown>): void {
  promiseThen.call(promise, undefined, ignore);
}

/** A promise that is rejected already and whose rejection is nobody's fault. */
export function handledRejection(reason: unknown): Promise<never> {
  const promise = promiseReject.call(OriginalPromise, reason) as Promise<never>;
  markHandled(promise);
  return promise;
}

/** The TypeError for an operation that the state of a stream does not allow. */
export function stateError(message: string): Error {
  return new codes.ERR_INVALID_STATE.TypeError(message);
}

/** The TypeError for a method called on something else. */
export function thisError(name: string): Error {
  return new codes.ERR_INVALID_THIS(name);
}

// The items of every queue that has none; never written to, because the first push makes room first.
const NOTHING: never[] = [];

/** First in, first out, in a ring that grows by doubling: no array is cut or shifted, which is slow in the engine. */
export class RequestQueue<T = unknown> {
  items: T[] = NOTHING;
  head = 0;
  length = 0;

  push(item: T): void {
    const { items, length } = this;
    if (length === items.length) {
      this.grow();
      this.items[this.length++] = item;
    } else {
      items[(this.head + length) & (items.length - 1)] = item;
      this.length = length + 1;
    }
  }

  /** Unrolls the ring and doubles it. */
  grow(): void {
    const { items, head, length } = this;
    const capacity = length === 0 ? 4 : length * 2;
    const larger: T[] = [];
    for (let i = 0; i < length; i++) larger.push(items[(head + i) & (length - 1)]);
    for (let i = length; i < capacity; i++) larger.push(undefined as T);
    this.items = larger;
    this.head = 0;
  }

  peek(): T {
    return this.items[this.head];
  }

  shift(): T {
    const { items, head } = this;
    const item = items[head];
    items[head] = undefined as T;
    this.head = (head + 1) & (items.length - 1);
    this.length--;
    return item;
  }

  /** Empties the queue and gives what was in it. */
  take(): T[] {
    const taken: T[] = [];
    while (this.length > 0) taken.push(this.shift());
    return taken;
  }

  clear(): void {
    this.items = NOTHING;
    this.head = 0;
    this.length = 0;
  }
}

/** Values with sizes, first in, first out. Sizes are kept apart, and not at all while they are all 1. */
export class SizedQueue extends RequestQueue {
  sizes: RequestQueue<number> | undefined = undefined;
  /** Sum of the sizes; never below 0, although sizes are floating point. */
  total = 0;

  /** Throws a RangeError for a size that is no finite number >= 0. */
  pushSized(value: unknown, size: number): void {
    if (size !== 1 || this.sizes !== undefined) {
      if (!(size >= 0) || size === Infinity) throw new codes.ERR_INVALID_ARG_VALUE.RangeError("size", size);
      if (this.sizes === undefined) {
        this.sizes = new RequestQueue();
        for (let i = 0; i < this.length; i++) this.sizes.push(1);
      }
      this.sizes.push(size);
    }
    this.push(value);
    this.total += size;
  }

  shiftSized(): unknown {
    const total = this.total - (this.sizes === undefined ? 1 : this.sizes.shift());
    this.total = total < 0 ? 0 : total;
    return this.shift();
  }

  reset(): void {
    this.clear();
    this.sizes = undefined;
    this.total = 0;
  }
}

// ---------------------------------------------------------------------------------------------------
// Conversion of options, as Web IDL has it

/** A dictionary argument: undefined and null are empty; other non-objects throw. */
export function toDictionary(value: unknown, name: string): { [member: string]: unknown } | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object" && typeof value !== "function") {
    throw new codes.ERR_INVALID_ARG_TYPE(name, "Object", value);
  }
  return value as { [member: string]: unknown };
}

/** An optional callback member of a dictionary. */
export function toCallback(value: unknown, name: string): Algorithm | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "function") throw new codes.ERR_INVALID_ARG_TYPE(name, "Function", value);
  // Callbacks are called by their `call` method, which has to be the one of Function.prototype.
  if (hasOwn(value, "call")) {
    return function (this: unknown) {
      return reflectApply(value, this, arguments);
    };
  }
  return value as Algorithm;
}

const { hasOwn } = Object;
const { apply: reflectApply } = Reflect;

/** A QueuingStrategy: both members are read, in this order. */
export function toStrategy(value: unknown): { highWaterMark: number | undefined; size: SizeAlgorithm | undefined } {
  const strategy = toDictionary(value, "strategy");
  if (strategy === undefined) return { highWaterMark: undefined, size: undefined };
  const mark = strategy.highWaterMark;
  const highWaterMark = mark === undefined ? undefined : +(mark as number);
  return { highWaterMark, size: toCallback(strategy.size, "strategy.size") as SizeAlgorithm | undefined };
}

/** The standard's ExtractHighWaterMark. */
export function highWaterMarkOf(strategy: { highWaterMark: number | undefined }, fallback: number): number {
  const mark = strategy.highWaterMark;
  if (mark === undefined) return fallback;
  if (!(mark >= 0)) throw new codes.ERR_INVALID_ARG_VALUE.RangeError("strategy.highWaterMark", mark);
  return mark;
}

/** An unsigned long long with [EnforceRange]. */
export function toUint64(value: unknown, name: string): number {
  const number = Math.trunc(+(value as number));
  if (!(number >= 0 && number <= Number.MAX_SAFE_INTEGER)) {
    throw new codes.ERR_INVALID_ARG_VALUE(name, value, "must be an integer in the range of an unsigned long long");
  }
  return number === 0 ? 0 : number;
}

// ---------------------------------------------------------------------------------------------------
// Buffers

const { transfer } = ArrayBuffer.prototype;
const detachedGetter = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "detached")?.get;
const { slice: sliceBuffer } = ArrayBuffer.prototype;

export function isDetached(buffer: ArrayBufferLike): boolean {
  return detachedGetter !== undefined && isPlainBuffer(buffer) && detachedGetter.call(buffer);
}

const byteLengthGetter = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength")!.get!;

/** An ArrayBuffer that is not shared. */
function isPlainBuffer(value: ArrayBuffer | SharedArrayBuffer): value is ArrayBuffer {
  try {
    byteLengthGetter.call(value);
    return true;
  } catch {
    return false;
  }
}

/** A buffer that takes over the memory of `buffer`, which is detached. Throws a TypeError if that cannot be. */
export function transferBuffer(buffer: ArrayBufferLike): ArrayBuffer {
  try {
    return transfer.call(buffer);
  } catch (error) {
    // The engine says so of a buffer that a native function works on.
    if (error instanceof RangeError) throw new TypeError("ArrayBuffer is in use and cannot be transferred");
    throw error;
  }
}

export function copyBytes(buffer: ArrayBufferLike, byteOffset: number, byteLength: number): ArrayBuffer {
  return sliceBuffer.call(buffer as ArrayBuffer, byteOffset, byteOffset + byteLength);
}

/** Makes a view; a DataView takes its length in bytes. */
export type ViewConstructor = new (buffer: ArrayBuffer, byteOffset?: number, length?: number) => ArrayBufferView;

const viewTypes: { [name: string]: ViewConstructor } = {
  __proto__: null as never,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  Float16Array: globalThis.Float16Array,
};

const typedArrayName = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)!.get!;

/** The constructor that makes a view like `view`: the engine's own, not what `view.constructor` says. */
export function viewConstructor(view: ArrayBufferView): ViewConstructor {
  const name = typedArrayName.call(view);
  return name === undefined ? DataView : viewTypes[name];
}

// ---------------------------------------------------------------------------------------------------
// Interfaces

const kInspect = Symbol.for("nodejs.util.inspect.custom");

/**
 * Makes a class look like a Web IDL interface: members enumerable, a toStringTag, an inspection that shows
 * what `describe` gives.
 */
export function defineInterface<T>(
  type: { prototype: T },
  name: string,
  members: string[],
  describe?: (self: T) => object,
): void {
  const { prototype } = type;
  for (const member of members) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, member)!;
    descriptor.enumerable = true;
    Object.defineProperty(prototype, member, descriptor);
  }
  Object.defineProperty(prototype, Symbol.toStringTag, {
    __proto__: null,
    configurable: true,
    value: name,
  } as PropertyDescriptor);
  if (describe !== undefined) {
    Object.defineProperty(prototype, kInspect, {
      __proto__: null,
      configurable: true,
      value(this: T, depth: number, options: (InspectOptions & { inspect?: Inspect }) | undefined) {
        if (this === undefined || this === null) throw thisError(name);
        if (depth < 0) return this;
        const inspect = options?.inspect ?? require("internal/util/inspect").inspect;
        const nested = { ...options, depth: options?.depth == null ? null : options.depth - 1 };
        return `${name} ${inspect(describe(this), nested)}`;
      },
    } as PropertyDescriptor);
  }
}

// Asked by node:stream (and by other libraries that know these names).
export const kIsDisturbed = Symbol.for("nodejs.stream.disturbed");
export const kIsErrored = Symbol.for("nodejs.stream.errored");
export const kIsReadable = Symbol.for("nodejs.stream.readable");
export const kIsWritable = Symbol.for("nodejs.stream.writable");
export const kIsClosedPromise = Symbol.for("nodejs.webstream.isClosedPromise");
export const kControllerErrorFunction = Symbol.for("nodejs.webstream.controllerErrorFunction");

/** Passed to a public constructor by this package: the second argument is the internal object to wrap. */
export const kInternal = Symbol("internal");
