// node:async_hooks, https://nodejs.org/api/async_hooks.html and https://nodejs.org/api/async_context.html
//
// AsyncLocalStorage values live in a frame: an array [storage, value, storage, value, ...] that is never changed once
// it is the current context, so that everything that captures the context captures all values with one reference.
//
// createHook() sees promises and the resources made in JavaScript: Timeout, Immediate, TickObject, Microtask, AsyncResource.
// Native operations have no ids; their context does propagate.

import {
  asyncContext,
  captureContext,
  exchangeContext,
  setContext,
  kAsyncId,
  kTriggerId,
  tracking,
} from "internal/events/async_context";
import {
  disableHook,
  emitBefore,
  emitDestroy,
  emitInit,
  enableHook,
  getExecutionAsyncId,
  getExecutionResource,
  getTriggerAsyncId,
  newAsyncId,
  stackDepth,
  unwindTo,
  watchForDestroy,
} from "internal/events/async_ids";
import type { Hook, Life } from "internal/events/async_ids";
import { codes } from "internal/core/errors";
import { validateFunction, validateObject, validateString } from "internal/core/validators";

const { is } = Object;
const { apply } = Reflect;
const { getAsyncContext } = native("loop");

type Frame = unknown[] | undefined;

function indexIn(frame: Frame, storage: unknown): number {
  if (frame === undefined) return -1;
  for (let i = 0; i < frame.length; i += 2) if (frame[i] === storage) return i;
  return -1;
}

// A frame like `frame` in which `storage` has `value`.
function withValue(frame: Frame, storage: unknown, value: unknown): Frame {
  if (frame === undefined) return [storage, value];
  const at = indexIn(frame, storage);
  if (at >= 0 && frame[at + 1] === value) return frame;
  const next = frame.slice();
  if (at >= 0) next[at + 1] = value;
  else next.push(storage, value);
  return next;
}

function without(frame: Frame, storage: unknown): Frame {
  const at = indexIn(frame, storage);
  if (at < 0) return frame;
  if (frame!.length === 2) return undefined;
  const next = frame!.slice();
  next.splice(at, 2);
  return next;
}

/** Values that follow the asynchronous flow: `run(store, fn)` makes getStore() return `store` in everything `fn` starts. */
class AsyncLocalStorage<T = unknown> {
  #default: T | undefined = undefined;
  #name = "";

  /** `options.defaultValue`: what getStore() returns outside of any run(); `options.name`: a name for tools. */
  constructor(options: { defaultValue?: T; name?: string } = {}) {
    validateObject(options, "options");
    if (options.name !== undefined) validateString(options.name, "options.name");
    this.#default = options.defaultValue;
    this.#name = options.name ?? "";
  }

  get name(): string {
    return this.#name;
  }

  /** A function that runs `fn` in the current context whenever it is called. */
  static bind<A extends unknown[], R>(fn: (...args: A) => R) {
    return AsyncResource.bind(fn);
  }

  /** A function `(fn, ...args) => fn(...args)` that runs its argument in the context of now. */
  static snapshot() {
    return AsyncLocalStorage.bind((fn: (...args: unknown[]) => unknown, ...args: unknown[]) => fn(...args));
  }

  /** Forgets the value in the current context, also for the callbacks that have captured this very context. */
  disable(): void {
    const frame = captureContext() as Frame;
    const at = indexIn(frame, this);
    if (at < 0) return;
    // The one place that changes a frame. #restore() sees it by the length.
    frame!.splice(at, 2);
  }

  getStore(): T | undefined {
    if (!asyncContext.active) return this.#default;
    const frame = getAsyncContext() as Frame;
    if (frame !== undefined) {
      for (let i = 0; i < frame.length; i += 2) if (frame[i] === this) return frame[i + 1] as T;
    }
    return this.#default;
  }

  /** Sets the value for the rest of the current callback and what it starts. */
  enterWith(store: T): void {
    setContext(withValue(captureContext() as Frame, this, store));
  }

  /** Calls `fn(...args)` with `store` as the value and restores the old value afterwards. */
  run<A extends unknown[], R>(store: T, fn: (...args: A) => R, ...args: A): R {
    const prior = captureContext() as Frame;
    const at = indexIn(prior, this);
    // The same value again, also the default one: nothing to switch, and an enterWith() inside stays, as in Node.
    if (is(at < 0 ? this.#default : prior![at + 1], store)) return apply(fn, null, args);
    const frame = withValue(prior, this, store);
    setContext(frame);
    const size = frame!.length;
    try {
      return apply(fn, null, args);
    } finally {
      this.#restore(frame, size, prior);
    }
  }

  // Only this storage goes back to its old value: what enterWith() of another storage did inside stays.
  #restore(frame: Frame, size: number, prior: Frame): void {
    const current = captureContext() as Frame;
    if (current === frame && frame!.length === size) {
      setContext(prior);
      return;
    }
    const at = indexIn(prior, this);
    setContext(at < 0 ? without(current, this) : withValue(current, this, prior![at + 1]));
  }

  /** Calls `fn(...args)` with undefined as the value. */
  exit<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): R {
    return this.run(undefined as T, fn, ...args);
  }

  /** `using scope = storage.withScope(store)`: run() without a function; the old value is back after dispose(). */
  withScope(store: T): RunScope {
    const prior = captureContext() as Frame;
    const frame = withValue(prior, this, store);
    if (frame !== prior) setContext(frame);
    const size = frame!.length;
    return new RunScope(() => this.#restore(frame, size, prior));
  }
}

/** See AsyncLocalStorage.withScope(). */
class RunScope {
  #undo: (() => void) | undefined;
  constructor(undo: () => void) {
    this.#undo = undo;
  }
  dispose(): void {
    const undo = this.#undo;
    this.#undo = undefined;
    if (undo !== undefined) undo();
  }
  [Symbol.dispose](): void {
    this.dispose();
  }
}

const kContext = Symbol("kAsyncContextFrame");
const kDestroyed = Symbol("destroyed");

/** Something asynchronous that a program implements itself; its callbacks run in the context of its creation. */
class AsyncResource {
  declare [kContext]: unknown;
  declare [kAsyncId]: number;
  declare [kTriggerId]: number;
  declare [kDestroyed]: Life | undefined;

  /** `options`: `{ triggerAsyncId, requireManualDestroy }`, or a trigger id. */
  constructor(type: string, options: number | { triggerAsyncId?: number; requireManualDestroy?: boolean } = {}) {
    validateString(type, "type");
    let trigger = options as number | undefined;
    let requireManualDestroy = false;
    if (typeof options !== "number") {
      trigger = options.triggerAsyncId === undefined ? undefined : options.triggerAsyncId;
      requireManualDestroy = !!options.requireManualDestroy;
    }
    if (trigger === undefined) trigger = getExecutionAsyncId();
    else if (!Number.isSafeInteger(trigger) || trigger < -1)
      throw new codes.ERR_INVALID_ASYNC_ID("triggerAsyncId", trigger);
    this[kContext] = captureContext();
    this[kAsyncId] = 0;
    this[kTriggerId] = trigger;
    if (tracking.made !== undefined) tracking.made(this);
    if (tracking.enabled) {
      const id = (this[kAsyncId] = newAsyncId());
      if (tracking.hooks) {
        if (type === "") throw new codes.ERR_ASYNC_TYPE(type);
        emitInit(id, type, trigger, this);
        if (!requireManualDestroy) {
          const state = { id, destroyed: false };
          this[kDestroyed] = state;
          watchForDestroy(this, state);
        }
      }
    }
  }

  /** Calls `fn.apply(thisArg, args)` in the resource's context. */
  runInAsyncScope<This, A extends unknown[], R>(fn: (this: This, ...args: A) => R, thisArg?: This, ...args: A): R {
    const prior = exchangeContext(this[kContext]);
    // Always, not only while ids are tracked: `fn` may be the first to ask for one.
    const depth = stackDepth();
    emitBefore(this.asyncId(), this[kTriggerId], this);
    try {
      return apply(fn, thisArg as This, args);
    } finally {
      unwindTo(depth);
      exchangeContext(prior);
    }
  }

  /** Calls the destroy hooks. */
  emitDestroy(): this {
    if (this[kDestroyed] !== undefined) this[kDestroyed].destroyed = true;
    emitDestroy(this.asyncId());
    return this;
  }

  asyncId(): number {
    if (this[kAsyncId] === 0) this[kAsyncId] = newAsyncId();
    return this[kAsyncId];
  }

  triggerAsyncId(): number {
    return this[kTriggerId];
  }

  /** A function that calls `fn` in this resource's context; `this` is `thisArg`, by default that of the call. */
  bind<A extends unknown[], R>(fn: (...args: A) => R, thisArg?: unknown) {
    validateFunction(fn, "fn");
    const resource = this;
    const fixed = thisArg !== undefined;
    const bound = function (this: unknown, ...args: A): R {
      return resource.runInAsyncScope<unknown, A, R>(fn, fixed ? thisArg : this, ...args);
    };
    Object.defineProperties(bound, {
      length: { configurable: true, enumerable: false, value: fn.length, writable: false },
    });
    return bound;
  }

  static bind<A extends unknown[], R>(fn: (...args: A) => R, type?: string, thisArg?: unknown) {
    type = type || fn.name;
    return new AsyncResource(type || "bound-anonymous-fn").bind(fn, thisArg);
  }
}

/** What createHook() returns: enable() and disable(). */
class AsyncHook {
  init: Function | undefined;
  before: Function | undefined;
  after: Function | undefined;
  destroy: Function | undefined;
  promiseResolve: Function | undefined;
  trackPromises: boolean | undefined;

  constructor(callbacks: Hook) {
    this.trackPromises = callbacks.trackPromises;
    for (const key of ["init", "before", "after", "destroy", "promiseResolve"] as const) {
      const callback = callbacks[key];
      if (callback !== undefined && typeof callback !== "function") throw new codes.ERR_ASYNC_CALLBACK(`hook.${key}`);
      this[key] = callback;
    }
  }

  enable(): this {
    enableHook(this);
    return this;
  }

  disable(): this {
    disableHook(this);
    return this;
  }
}

/** Callbacks `{ init, before, after, destroy, promiseResolve }` for the life of asynchronous resources. */
function createHook(callbacks: Hook): AsyncHook {
  const { trackPromises } = callbacks;
  if (trackPromises !== undefined) {
    (require("internal/core/validators").validateBoolean as Check)(trackPromises, "trackPromises");
    if (!trackPromises && callbacks.promiseResolve) {
      throw new codes.ERR_INVALID_ARG_VALUE(
        "trackPromises",
        trackPromises,
        "must not be false when promiseResolve is enabled",
      );
    }
  }
  return new AsyncHook(callbacks);
}

function executionAsyncId(): number {
  tracking.enabled = true;
  return getExecutionAsyncId();
}

function triggerAsyncId(): number {
  tracking.enabled = true;
  return getTriggerAsyncId();
}

function executionAsyncResource() {
  tracking.enabled = true;
  return getExecutionResource();
}

// Names of the resource types of Node's native side; the numbers are their order.
const providers =
  "NONE DIRHANDLE DNSCHANNEL ELDHISTOGRAM FILEHANDLE FILEHANDLECLOSEREQ BLOBREADER FSEVENTWRAP FSREQCALLBACK FSREQPROMISE " +
  "GETADDRINFOREQWRAP GETNAMEINFOREQWRAP HEAPSNAPSHOT CPUHEAPPROFILE HTTP2SESSION HTTP2STREAM HTTP2PING HTTP2SETTINGS " +
  "HTTPINCOMINGMESSAGE HTTPCLIENTREQUEST LOCKS JSSTREAM JSUDPWRAP MESSAGEPORT PIPECONNECTWRAP PIPESERVERWRAP PIPEWRAP " +
  "PROCESSWRAP PROMISE QUERYWRAP SHUTDOWNWRAP SIGNALWRAP STATWATCHER STREAMPIPE TCPCONNECTWRAP TCPSERVERWRAP TCPWRAP TTYWRAP " +
  "UDPSENDWRAP UDPWRAP SIGINTWATCHDOG WORKER WORKERHEAPSNAPSHOT WRITEWRAP ZLIB";

let providerTable: unknown;

const asyncHooks = {
  AsyncLocalStorage,
  createHook,
  executionAsyncId,
  triggerAsyncId,
  executionAsyncResource,
  get asyncWrapProviders() {
    return (providerTable ??= Object.freeze(
      Object.assign({ __proto__: null }, Object.fromEntries(providers.split(" ").map((name, i) => [name, i]))),
    ));
  },
  AsyncResource,
};

export default asyncHooks;
