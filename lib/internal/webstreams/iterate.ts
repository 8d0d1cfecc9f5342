/** Async iteration over readable streams, and readable streams from iterables. */
import { codes } from "internal/errors";
import { react, rejectedWith, resolvedWith } from "internal/webstreams/core";
import { DefaultControllerImpl, DefaultReaderImpl, ReadableImpl, createReadable } from "internal/webstreams/readable_core";

const { newPromise, resolvePromise, rejectPromise } = native("loop");

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf((async function* () {}).prototype));

class State {
  reader: DefaultReaderImpl;
  preventCancel: boolean;
  /** The step under way; the next one starts when it is over. */
  ongoing: Promise<any> | undefined = undefined;
  finished = false;

  constructor(reader: DefaultReaderImpl, preventCancel: boolean) {
    this.reader = reader;
    this.preventCancel = preventCancel;
  }
}

/** The read of one step. */
class StepRequest {
  promise = newPromise();
  state: State;
  settled = false;

  constructor(state: State) {
    this.state = state;
  }

  /** The next step need not wait for this one any more. */
  settle(finished: boolean): void {
    const { state } = this;
    this.settled = true;
    if (finished) {
      state.finished = true;
      state.reader.release();
    }
    if (state.ongoing === this.promise) state.ongoing = undefined;
  }

  chunk(value: any): void {
    this.settle(false);
    resolvePromise(this.promise, { value, done: false });
  }

  close(): void {
    this.settle(true);
    resolvePromise(this.promise, { value: undefined, done: true });
  }

  error(reason: any): void {
    this.settle(true);
    rejectPromise(this.promise, reason);
  }
}

/** Reads one chunk at once. It is the step that is under way only if there is none yet. */
function nextStep(state: State): Promise<any> {
  if (state.finished) return resolvedWith({ value: undefined, done: true });
  const { reader } = state;
  const { controller } = reader.stream!;
  if (controller instanceof DefaultControllerImpl && controller.queue.length > 0) {
    // The chunk is there: no request.
    reader.stream!.disturbed = true;
    return resolvedWith({ value: controller.takeChunk(), done: false });
  }
  const request = new StepRequest(state);
  reader.read(request);
  if (!request.settled && state.ongoing === undefined) state.ongoing = request.promise;
  return request.promise;
}

/** Does a step after the one that is under way. */
function chain(state: State, step: () => Promise<any>): Promise<any> {
  const next = react(state.ongoing!, step, step);
  state.ongoing = next;
  const clear = () => {
    if (state.ongoing === next) state.ongoing = undefined;
  };
  react(next, clear, clear);
  return next;
}

function returnStep(state: State, value: any): Promise<any> {
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

  next(): Promise<any> {
    if (typeof this !== "object" || this === null || !(#state in this)) return rejectedWith(wrongThis());
    const state = this.#state;
    return state.ongoing === undefined ? nextStep(state) : chain(state, () => nextStep(state));
  }

  return(value: any): Promise<any> {
    if (typeof this !== "object" || this === null || !(#state in this)) return rejectedWith(wrongThis());
    const state = this.#state;
    const step = () => returnStep(state, value);
    const over = state.ongoing === undefined ? step() : chain(state, step);
    return react(over, () => ({ value, done: true }));
  }
}

function wrongThis(): Error {
  return new codes.ERR_INVALID_THIS("ReadableStreamAsyncIterator");
}

delete (StreamIterator.prototype as any).constructor;
Object.setPrototypeOf(StreamIterator.prototype, AsyncIteratorPrototype);
Object.defineProperties(StreamIterator.prototype, {
  next: { enumerable: true },
  return: { enumerable: true },
  [Symbol.toStringTag]: { value: "ReadableStream AsyncIterator", configurable: true },
});

/** The iterator that stream.values() gives. */
export function createIterator(reader: DefaultReaderImpl, preventCancel: boolean): any {
  return new StreamIterator(new State(reader, preventCancel));
}

function isObject(value: any): boolean {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** ReadableStream.from: pulls one value at a time. */
export function fromIterable(iterable: any): ReadableImpl {
  let method: any;
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

  return createReadable({
    async pull(controller: any) {
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

    async cancel(reason: any) {
      const { return: method } = iterator;
      if (method === undefined || method === null) return;
      let result = method.call(iterator, reason);
      if (isAsync) result = await result;
      if (!isObject(result)) throw stateError("The iterator's return() must give an object");
      if (!isAsync) await result.value;
    },
  }, 0);
}

function describe(value: any): string {
  return typeof value === "object" || typeof value === "function"
    ? require("internal/util/inspect").inspect(value, { depth: 0 })
    : String(value);
}

function stateError(message: string): Error {
  return new codes.ERR_INVALID_STATE.TypeError(message);
}

