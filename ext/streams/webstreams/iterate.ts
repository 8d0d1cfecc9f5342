/** Async iteration over readable streams, and readable streams from iterables. */
import { codes } from "internal/core/errors";
import { react, rejectedWith, resolvedWith } from "internal/streams/webstreams/core";
import {
  DefaultControllerImpl,
  DefaultReaderImpl,
  ReadableImpl,
  createReadable,
} from "internal/streams/webstreams/readable_core";

const { enqueueMicrotask, newPromise, resolvePromise, rejectPromise } = native("loop");

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));

/**
 * What an iterator is about, and the request of its reads: no two of them are under way at once, so that one object
 * serves for all.
 */
class State {
  reader: DefaultReaderImpl;
  preventCancel: boolean;
  /** The step under way; the next one starts when it is over. */
  ongoing: Promise<unknown> | undefined = undefined;
  finished = false;
  /** What the program has of the read under way, and what the read gave. */
  promise: Promise<unknown> | undefined = undefined;
  value: unknown = undefined;
  failed = false;
  /** Made with the first read. */
  settle: (() => void) | undefined = undefined;

  constructor(reader: DefaultReaderImpl, preventCancel: boolean) {
    this.reader = reader;
    this.preventCancel = preventCancel;
  }

  /** Reads one chunk at once. */
  next(): Promise<unknown> {
    if (this.finished) return resolvedWith({ value: undefined, done: true });
    const stream = this.reader.stream!;
    const { controller } = stream;
    if (controller instanceof DefaultControllerImpl && controller.queue.length > 0) {
      // The chunk is there: no request.
      stream.disturbed = true;
      return resolvedWith({ value: controller.takeChunk(), done: false });
    }
    const promise = newPromise();
    this.promise = promise;
    this.settle ??= () => {
      this.onSettle();
    };
    this.reader.read(this);
    return (this.ongoing = promise);
  }

  // The reader calls these. What the program sees is settled a turn of microtasks later, as by the promise that the
  // standard has in between: the source's pull() goes on in the meantime.

  chunk(value: unknown): void {
    this.value = value;
    enqueueMicrotask(this.settle!);
  }

  close(): void {
    this.finish();
    enqueueMicrotask(this.settle!);
  }

  error(reason: unknown): void {
    this.finish();
    this.value = reason;
    this.failed = true;
    enqueueMicrotask(this.settle!);
  }

  finish(): void {
    this.finished = true;
    this.reader.release();
  }

  onSettle(): void {
    const { promise, value } = this;
    this.promise = undefined;
    this.value = undefined;
    // Another one where a step waits for this read, which has come after others.
    if (this.ongoing === promise) this.ongoing = undefined;
    if (this.failed) rejectPromise(promise!, value);
    else resolvePromise(promise!, { value, done: this.finished });
  }
}

/** Makes a step that waits for another the one under way, until it is over. The result is for the program. */
function begin(state: State, step: Promise<unknown>): Promise<unknown> {
  const over = () => {
    if (state.ongoing === result) state.ongoing = undefined;
  };
  const result = react(
    step,
    (value: unknown) => {
      over();
      return value;
    },
    (reason: unknown) => {
      over();
      throw reason;
    },
  );
  return (state.ongoing = result);
}

function returnStep(state: State, value: unknown): Promise<unknown> {
  if (state.finished) return resolvedWith(undefined);
  state.finished = true;
  if (!state.preventCancel) {
    const cancelled = state.reader.cancel(value);
    state.reader.release();
    return cancelled;
  }
  state.reader.release();
  return resolvedWith(undefined);
}

/** Made without a constructor that programs could call: what they see is a prototype with next() and return(). */
class StreamIterator {
  #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  next(): Promise<unknown> {
    if (typeof this !== "object" || this === null || !(#state in this)) return rejectedWith(wrongThis());
    const state = this.#state;
    const { ongoing } = state;
    if (ongoing === undefined) return state.next();
    const step = () => {
      const mine = state.ongoing;
      const read = state.next();
      // Steps that came in the meantime wait for the last one, not for this.
      state.ongoing = mine;
      return read;
    };
    return begin(state, react(ongoing, step, step));
  }

  return(value: unknown): Promise<unknown> {
    if (typeof this !== "object" || this === null || !(#state in this)) return rejectedWith(wrongThis());
    const state = this.#state;
    const step = () => returnStep(state, value);
    const { ongoing } = state;
    // It stays the step under way: what is called later finds the iterator finished, and after it.
    const over = (state.ongoing = ongoing === undefined ? step() : react(ongoing, step, step));
    return react(over, () => ({ value, done: true }));
  }
}

function wrongThis(): Error {
  return new codes.ERR_INVALID_THIS("ReadableStreamAsyncIterator");
}

delete (StreamIterator.prototype as { constructor?: unknown }).constructor;
Object.setPrototypeOf(StreamIterator.prototype, AsyncIteratorPrototype);
Object.defineProperties(StreamIterator.prototype, {
  next: { enumerable: true },
  return: { enumerable: true },
  [Symbol.toStringTag]: { value: "ReadableStream AsyncIterator", configurable: true },
});

/** The iterator that stream.values() gives. */
export function createIterator(reader: DefaultReaderImpl, preventCancel: boolean): StreamIterator {
  return new StreamIterator(new State(reader, preventCancel));
}

function isObject(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** What ReadableStream.from takes; which of the two there is, and whether it is a function, is found out. */
export interface MaybeIterable {
  [Symbol.asyncIterator]?: unknown;
  [Symbol.iterator]?: unknown;
}

/** ReadableStream.from: pulls one value at a time. */
export function fromIterable(iterable: MaybeIterable | null | undefined): ReadableImpl {
  let method: unknown;
  let isAsync = true;
  if (iterable !== undefined && iterable !== null) {
    method = iterable[Symbol.asyncIterator];
    if (method === undefined || method === null) {
      isAsync = false;
      method = iterable[Symbol.iterator];
    }
  }
  if (typeof method !== "function") throw new codes.ERR_ARG_NOT_ITERABLE(describe(iterable));

  const iterator = method.call(iterable);
  if (!isObject(iterator)) throw stateError("The iterator method must return an object");
  const { next } = iterator;

  return createReadable(
    {
      async pull(controller: DefaultControllerImpl) {
        let result = next.call(iterator);
        if (isAsync) result = await result;
        if (!isObject(result)) throw stateError("The iterator's result must be an object");
        if (result.done) {
          controller.close();
        } else {
          const { value } = result;
          controller.enqueue(isAsync ? value : await value);
        }
      },

      async cancel(reason: unknown) {
        const { return: method } = iterator;
        if (method === undefined || method === null) return;
        let result = method.call(iterator, reason);
        if (isAsync) result = await result;
        if (!isObject(result)) throw stateError("The iterator's return() must give an object");
        if (!isAsync) await result.value;
      },
    },
    0,
  );
}

function describe(value: unknown): string {
  return typeof value === "object" || typeof value === "function"
    ? require("internal/util/inspect").inspect(value, { depth: 0 })
    : String(value);
}

function stateError(message: string): Error {
  return new codes.ERR_INVALID_STATE.TypeError(message);
}
