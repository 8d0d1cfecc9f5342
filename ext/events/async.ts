// The promise and iterator half of node:events: once(), on(), addAbortListener(), EventEmitterAsyncResource.

import { AbortError, codes } from "internal/core/errors";
import { kResistStopPropagation } from "internal/events/shared";
import { queueMicrotask } from "internal/core/task_queues";
import {
  validateAbortSignal,
  validateFunction,
  validateInteger,
  validateObject,
  validateString,
} from "internal/core/validators";
import EventEmitter from "node:events";
import type { ListenerOptions } from "web/event_target";
import type { EventEmitter as Emitter, EventName, Listener, WaitOptions } from "internal/events/types";

const { newPromise, resolvePromise, rejectPromise } = native("loop");

/** An EventEmitter or an EventTarget: what is asked for is whether the methods are there. */
type Source = Partial<Emitter> & {
  addEventListener?(type: EventName, listener: Listener, options?: object): void;
  removeEventListener?(type: EventName, listener: Listener): void;
  pause?(): void;
  resume?(): void;
};
type ListenOptions = { once?: boolean; [kResistStopPropagation]?: boolean };

function listen(emitter: Source, type: EventName, listener: Listener, options?: ListenOptions): void {
  if (typeof emitter.on === "function") {
    if (options?.once) emitter.once!(type, listener);
    else emitter.on(type, listener);
  } else if (typeof emitter.addEventListener === "function") {
    emitter.addEventListener(type, listener, options);
  } else {
    throw new codes.ERR_INVALID_ARG_TYPE("emitter", "EventEmitter", emitter);
  }
}

function unlisten(emitter: Source, type: EventName, listener: Listener): void {
  if (typeof emitter.removeListener === "function") emitter.removeListener(type, listener);
  else if (typeof emitter.removeEventListener === "function") emitter.removeEventListener(type, listener);
  else throw new codes.ERR_INVALID_ARG_TYPE("emitter", "EventEmitter", emitter);
}

/** The body of events.once(), which makes a rejection of what this throws. */
export function once(emitter: Source, type: EventName, options: WaitOptions): Promise<unknown[]> {
  validateObject(options, "options");
  const { signal } = options;
  if (signal !== undefined) validateAbortSignal(signal, "options.signal");
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  const promise = newPromise<unknown[]>();
  const onError = (error: NodeError | null | undefined) => {
    unlisten(emitter, type, onEvent);
    if (signal !== undefined) unlisten(signal, "abort", onAbort);
    rejectPromise(promise, error);
  };
  const onEvent: Listener = (...args) => {
    if (typeof emitter.removeListener === "function") emitter.removeListener("error", onError);
    if (signal !== undefined) unlisten(signal, "abort", onAbort);
    resolvePromise(promise, args);
  };
  const onAbort = () => {
    unlisten(emitter, type, onEvent);
    unlisten(emitter, "error", onError);
    rejectPromise(promise, new AbortError(undefined, { cause: signal!.reason }));
  };
  listen(emitter, type, onEvent, { once: true });
  // EventTargets have no special 'error' event.
  if (type !== "error" && typeof emitter.once === "function") emitter.once("error", onError);
  if (signal !== undefined) listen(signal, "abort", onAbort, { once: true, [kResistStopPropagation]: true });
  return promise;
}

/** See events.addAbortListener(). */
export function addAbortListener(signal: unknown, listener: unknown): { __proto__: null; [Symbol.dispose](): void } {
  if (signal === undefined) throw new codes.ERR_INVALID_ARG_TYPE("signal", "AbortSignal", signal);
  validateAbortSignal(signal, "signal");
  validateFunction(listener, "listener");
  let remove: (() => void) | undefined;
  if (signal.aborted) {
    queueMicrotask(() => listener());
  } else {
    signal.addEventListener("abort", listener, {
      __proto__: null,
      once: true,
      [kResistStopPropagation]: true,
    } as ListenerOptions);
    remove = () => signal.removeEventListener("abort", listener);
  }
  return {
    __proto__: null,
    [Symbol.dispose]() {
      remove?.();
    },
  };
}

/** A queue of values with O(1) push and shift. */
class Fifo<T> {
  items: (T | undefined)[] = [];
  first = 0;
  get size(): number {
    return this.items.length - this.first;
  }
  push(item: T): void {
    this.items.push(item);
  }
  shift(): T | undefined {
    const { items } = this;
    const item = items[this.first];
    items[this.first++] = undefined;
    if (this.first === items.length) {
      // Not `length = 0`, which would give the memory back for the next push to ask for it again.
      if (this.first < 32) return item;
      this.items = [];
      this.first = 0;
    } else if (this.first > 1024 && this.first * 2 > items.length) {
      this.items = items.slice(this.first);
      this.first = 0;
    }
    return item;
  }
}

const asyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);
const done = () => ({ value: undefined, done: true });

/** Symbol of the iterator's method that tells its buffer state, as readline uses it. */
export const kFirstEventParam = Symbol("nodejs.kFirstEventParam");

/** See events.on(). */
export function on(emitter: Source, type: EventName, options: WaitOptions = {}): AsyncIterableIterator<unknown[]> {
  validateObject(options, "options");
  const { signal } = options;
  if (signal !== undefined) validateAbortSignal(signal, "options.signal");
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  const highWaterMark = options.highWaterMark ?? options.highWatermark ?? Number.MAX_SAFE_INTEGER;
  validateInteger(highWaterMark, "options.highWaterMark", 1);
  const lowWaterMark = options.lowWaterMark ?? options.lowWatermark ?? 1;
  validateInteger(lowWaterMark, "options.lowWaterMark", 1);

  const events = new Fifo<unknown>();
  const waiting = new Fifo<Promise<unknown>>();
  let paused = false;
  let error: unknown = null;
  let finished = false;
  const undo: Array<() => void> = [];

  const add = (name: EventName, listener: Listener, target: Source = emitter, listenOptions?: ListenOptions) => {
    listen(target, name, listener, listenOptions);
    undo.push(() => unlisten(target, name, listener));
  };
  const close = () => {
    for (const remove of undo.splice(0)) remove();
    finished = true;
    while (waiting.size > 0) resolvePromise(waiting.shift()!, done());
    return Promise.resolve(done());
  };
  const push = (value: unknown) => {
    if (waiting.size > 0) {
      resolvePromise(waiting.shift()!, { value, done: false });
      return;
    }
    events.push(value);
    if (!paused && events.size > highWaterMark && typeof emitter.pause === "function") {
      paused = true;
      emitter.pause();
    }
  };
  const fail = (reason: unknown) => {
    if (waiting.size > 0) rejectPromise(waiting.shift()!, reason);
    else error = reason;
    close();
  };

  const iterator = Object.setPrototypeOf(
    {
      next() {
        if (events.size > 0) {
          const value = events.shift();
          if (paused && events.size < lowWaterMark) {
            emitter.resume!();
            paused = false;
          }
          return Promise.resolve({ value, done: false });
        }
        if (error !== null) {
          const rejected = Promise.reject(error);
          error = null;
          return rejected;
        }
        if (finished) return close();
        const promise = newPromise();
        waiting.push(promise);
        return promise;
      },
      return() {
        return close();
      },
      throw(reason: unknown) {
        if (!reason || !(reason instanceof Error)) {
          throw new codes.ERR_INVALID_ARG_TYPE("EventEmitter.AsyncIterator", "Error", reason);
        }
        fail(reason);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
      [Symbol.for("nodejs.watermarkData")]: {
        get size() {
          return events.size;
        },
        get low() {
          return lowWaterMark;
        },
        get high() {
          return highWaterMark;
        },
        get isPaused() {
          return paused;
        },
      },
    },
    asyncIteratorPrototype,
  );

  add(type, options[kFirstEventParam] ? push : (...args: unknown[]) => push(args));
  if (type !== "error" && typeof emitter.on === "function") add("error", fail);
  if (options.close !== undefined) for (const name of options.close) add(name, close);
  if (signal !== undefined) {
    add("abort", () => fail(new AbortError(undefined, { cause: signal.reason })), signal, {
      once: true,
      [kResistStopPropagation]: true,
    });
  }
  return iterator;
}

/** Options of EventEmitterAsyncResource: those of both classes. */ interface ResourceOptions {
  name?: string;
  triggerAsyncId?: number;
  requireManualDestroy?: boolean;
  captureRejections?: boolean;
}
let resourceClass: unknown;

/** EventEmitterAsyncResource: an EventEmitter that runs its listeners in the async scope of its creation. */
export function getEventEmitterAsyncResource() {
  if (resourceClass !== undefined) return resourceClass;
  const { AsyncResource } = require("node:async_hooks");
  const kEmitter = Symbol("kEventEmitter");

  class EventEmitterReferencingAsyncResource extends AsyncResource {
    declare [kEmitter]: unknown;
    constructor(emitter: unknown, type: string, options: ResourceOptions | undefined) {
      super(type, options);
      this[kEmitter] = emitter;
    }
    get eventEmitter() {
      if (this[kEmitter] === undefined) throw new codes.ERR_INVALID_THIS("EventEmitterReferencingAsyncResource");
      return this[kEmitter];
    }
  }

  class EventEmitterAsyncResource extends EventEmitter {
    #resource: EventEmitterReferencingAsyncResource;

    /** `options`: a name, or `{ name, triggerAsyncId, requireManualDestroy, ...EventEmitter options }`. */
    constructor(options: string | ResourceOptions | undefined = undefined) {
      let name: string;
      if (typeof options === "string") {
        name = options;
        options = undefined;
      } else {
        if (new.target === resourceClass) validateString(options?.name, "options.name");
        name = options?.name || new.target.name;
      }
      super(options);
      this.#resource = new EventEmitterReferencingAsyncResource(this, name, options);
    }

    static #resourceOf(self: unknown): EventEmitterReferencingAsyncResource {
      if (typeof self !== "object" || self === null || !(#resource in self)) {
        throw new codes.ERR_INVALID_THIS("EventEmitterAsyncResource");
      }
      return self.#resource;
    }

    emit(event: EventName, ...args: unknown[]): boolean {
      return EventEmitterAsyncResource.#resourceOf(this).runInAsyncScope(super.emit, this, event, ...args);
    }
    emitDestroy(): void {
      EventEmitterAsyncResource.#resourceOf(this).emitDestroy();
    }
    get asyncId(): number {
      return EventEmitterAsyncResource.#resourceOf(this).asyncId();
    }
    get triggerAsyncId(): number {
      return EventEmitterAsyncResource.#resourceOf(this).triggerAsyncId();
    }
    get asyncResource(): EventEmitterReferencingAsyncResource {
      return EventEmitterAsyncResource.#resourceOf(this);
    }
  }
  resourceClass = EventEmitterAsyncResource;
  return resourceClass;
}
