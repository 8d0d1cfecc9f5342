/** Async iteration over readable streams, and readable streams from iterables. */
import { codes } from "internal/errors";
import { deferred, react, rejectedWith, resolvedWith } from "internal/webstreams/core";
import { DefaultReaderImpl, ReadableImpl, createReadable } from "internal/webstreams/readable_core";

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf((async function* () {}).prototype));

interface State {
  reader: DefaultReaderImpl;
  preventCancel: boolean;
  /** The step under way; the next one starts when it is over. */
  ongoing: Promise<any> | undefined;
  finished: boolean;
}

const states = new WeakMap<object, State>();

/** The read of one step. */
class StepRequest {
  state: State;
  promise: Promise<any>;
  resolve: (result: any) => void;
  reject: (reason: any) => void;
  settled = false;

  constructor(state: State) {
    this.state = state;
    const { promise, resolve, reject } = deferred();
    this.promise = promise;
    this.resolve = resolve;
    this.reject = reject;
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
    this.resolve({ value, done: false });
  }

  close(): void {
    this.settle(true);
    this.resolve({ value: undefined, done: true });
  }

  error(reason: any): void {
    this.settle(true);
    this.reject(reason);
  }
}

/** Reads one chunk at once. It is the step that is under way only if there is none yet. */
function nextStep(state: State): Promise<any> {
  if (state.finished) return resolvedWith({ value: undefined, done: true });
  const request = new StepRequest(state);
  state.reader.read(request);
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

const methods = {
  next(this: any): Promise<any> {
    const state = states.get(this);
    if (state === undefined) return rejectedWith(new codes.ERR_INVALID_THIS("ReadableStreamAsyncIterator"));
    return state.ongoing === undefined ? nextStep(state) : chain(state, () => nextStep(state));
  },

  return(this: any, value: any): Promise<any> {
    const state = states.get(this);
    if (state === undefined) return rejectedWith(new codes.ERR_INVALID_THIS("ReadableStreamAsyncIterator"));
    const step = () => returnStep(state, value);
    const over = state.ongoing === undefined ? step() : chain(state, step);
    return react(over, () => ({ value, done: true }));
  },
};

const IteratorPrototype = Object.create(AsyncIteratorPrototype, {
  next: { value: methods.next, configurable: true, enumerable: true, writable: true },
  return: { value: methods.return, configurable: true, enumerable: true, writable: true },
  [Symbol.toStringTag]: { value: "ReadableStream AsyncIterator", configurable: true },
});

/** The iterator that stream.values() gives. */
export function createIterator(reader: DefaultReaderImpl, preventCancel: boolean): any {
  const iterator = Object.create(IteratorPrototype);
  states.set(iterator, { reader, preventCancel, ongoing: undefined, finished: false });
  return iterator;
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

