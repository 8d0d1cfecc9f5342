/**
 * Async iteration over a Readable. It behaves like an async generator that reads until the end and destroys the
 * stream when it is left, but a chunk that is there already costs one promise instead of a trip through a
 * generator.
 */
import { aggregateTwoErrors } from "internal/core/errors";
import { destroyer } from "internal/streams/destroy";
import type { LegacyStream, NodeReadable, ReadableConstructor } from "internal/streams/types";
import { AUTO_DESTROY } from "internal/streams/state";

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));
const { enqueueMicrotask, newPromise, resolvePromise, rejectPromise } = native("loop");

// Kinds of requests.
const NEXT = 0;
const RETURN = 1;
const THROW = 2;

type Step = IteratorResult<unknown, unknown>;

interface Request {
  kind: number;
  value: unknown;
  promise: Promise<Step>;
}

class ReadableIterator {
  /** As Node has it. */
  stream: NodeReadable;
  #options: { destroyOnReturn?: boolean } | undefined;
  #started = false;
  #finished = false;
  // undefined: the stream is open; null: it has ended well; else why it did not.
  #error: unknown = undefined;
  #cleanup: (() => void) | undefined = undefined;
  // Requests wait here while an earlier one waits for the stream.
  #requests: Request[] = [];
  // A drain() is due, or a chunk that is a promise is being awaited.
  #scheduled = false;
  #awaiting = false;

  constructor(stream: NodeReadable, options: { destroyOnReturn?: boolean } | undefined) {
    this.stream = stream;
    this.#options = options;
  }

  next(): Promise<Step> {
    if (this.#requests.length > 0 || this.#awaiting) return this.#enqueue(NEXT, undefined);
    if (this.#finished) return Promise.resolve({ value: undefined, done: true });
    const isFirst = !this.#started;
    if (isFirst) this.#start();

    const { stream } = this;
    const chunk = stream.destroyed ? null : stream.read();
    if (chunk !== null) {
      // The first chunk takes a tick more, as it does from a generator: programs that start to iterate and abort
      // in the next microtask expect to be in time.
      if (isFirst || isThenable(chunk)) return this.#awaitChunk(chunk);
      return Promise.resolve({ value: chunk, done: false });
    }
    if (this.#error === undefined) return this.#enqueue(NEXT, undefined);
    return this.#end();
  }

  return(value?: unknown): Promise<Step> {
    if (this.#requests.length > 0 || this.#awaiting) return this.#enqueue(RETURN, value);
    return this.#return(value);
  }

  throw(error?: unknown): Promise<Step> {
    if (this.#requests.length > 0 || this.#awaiting) return this.#enqueue(THROW, error);
    return this.#throw(error);
  }

  #start(): void {
    this.#started = true;
    const { stream } = this;
    stream.on("readable", this.#onReadable);
    const { eos } = require("internal/streams/end_of_stream");
    this.#cleanup = eos(stream, { writable: false }, (reason: unknown) => {
      this.#error = reason ? aggregateTwoErrors(this.#error, reason) : null;
      this.#schedule();
    });
  }

  #onReadable = (): void => {
    this.#schedule();
  };

  #enqueue(kind: number, value: unknown): Promise<Step> {
    const promise = newPromise<Step>();
    this.#requests.push({ kind, value, promise });
    return promise;
  }

  /** Looks at the requests again, once the listeners of the event at hand have run. */
  #schedule(): void {
    if (this.#scheduled || this.#awaiting || this.#requests.length === 0) return;
    this.#scheduled = true;
    enqueueMicrotask(this.#drain);
  }

  #drain = (): void => {
    this.#scheduled = false;
    while (this.#requests.length > 0 && !this.#awaiting) {
      const request = this.#requests[0];
      let result: Promise<Step>;
      if (request.kind === NEXT && !this.#finished) {
        const { stream } = this;
        const chunk = stream.destroyed ? null : stream.read();
        if (chunk !== null && !isThenable(chunk)) {
          this.#requests.shift();
          resolvePromise(request.promise, { value: chunk, done: false });
          continue;
        }
        if (chunk === null && this.#error === undefined) return;
        this.#requests.shift();
        result = chunk !== null ? this.#awaitChunk(chunk) : this.#end();
      } else {
        this.#requests.shift();
        if (request.kind === NEXT) result = Promise.resolve({ value: undefined, done: true });
        else if (request.kind === RETURN) result = this.#return(request.value);
        else result = this.#throw(request.value);
      }
      const { promise } = request;
      result.then(
        (step: Step) => {
          resolvePromise(promise, step);
        },
        (reason: unknown) => {
          rejectPromise(promise, reason);
        },
      );
    }
  };

  /** A chunk that is a promise counts for what it resolves to; its rejection ends the iteration. */
  #awaitChunk(chunk: unknown): Promise<Step> {
    this.#awaiting = true;
    return Promise.resolve(chunk).then(
      (value) => {
        this.#awaiting = false;
        this.#schedule();
        return { value, done: false };
      },
      (reason) => {
        this.#awaiting = false;
        const failed = this.#throw(reason);
        this.#schedule();
        return failed;
      },
    );
  }

  /** The stream is over, one way or the other. */
  #end(): Promise<Step> {
    const error = this.#error;
    this.#finish();
    return error ? Promise.reject(error) : Promise.resolve({ value: undefined, done: true });
  }

  #return(value: unknown): Promise<Step> {
    if (!this.#finished) this.#finish();
    return isThenable(value)
      ? Promise.resolve(value).then((result: unknown) => ({ value: result, done: true }))
      : Promise.resolve({ value, done: true });
  }

  #throw(error: unknown): Promise<Step> {
    if (this.#finished) return Promise.reject(error);
    if (this.#started) this.#error = aggregateTwoErrors(this.#error, error);
    const reason = this.#started ? this.#error : error;
    this.#finish();
    return Promise.reject(reason);
  }

  /** Destroys the stream, or lets go of it. */
  #finish(): void {
    this.#finished = true;
    // Never read from: never touched.
    if (!this.#started) return;
    const { stream } = this;
    if (
      (this.#error || this.#options?.destroyOnReturn !== false) &&
      (this.#error === undefined || (stream._readableState.flags & AUTO_DESTROY) !== 0)
    ) {
      destroyer(stream, null);
    } else {
      stream.off("readable", this.#onReadable);
      this.#cleanup!();
    }
  }
}
Object.setPrototypeOf(ReadableIterator.prototype, AsyncIteratorPrototype);
Object.defineProperty(ReadableIterator.prototype, Symbol.toStringTag, { value: "AsyncGenerator", configurable: true });

function isThenable(value: unknown): boolean {
  return value !== null && typeof value === "object" && typeof (value as PromiseLike<unknown>).then === "function";
}

/** The body of readable[Symbol.asyncIterator] and readable.iterator(options). */
export function asyncIterate(
  stream: NodeReadable,
  options?: { destroyOnReturn?: boolean },
): AsyncIterableIterator<unknown> {
  if (typeof stream.read !== "function") {
    const { Readable } = require("internal/streams/readable");
    stream = (Readable as ReadableConstructor).wrap(stream as unknown as LegacyStream, { objectMode: true });
  }
  return new ReadableIterator(stream, options) as unknown as AsyncIterableIterator<unknown>;
}
