// The async context of the realm as the other built-in modules see it.
//
// The context is one opaque value kept by the engine side (`loop.getAsyncContext`), which carries it through
// promise reactions and host callbacks by itself. JavaScript made queues (nextTick, timers, immediates) capture
// it when something is queued and set it around the callback. `node:async_hooks` decides what the value is
// (a frame of AsyncLocalStorage values, see ext/events/node/async_hooks.ts); everybody else only passes it on.

const loop = native("loop");

/**
 * `active` turns true, for good, when the first context is set. While it is false the context is known to be
 * undefined everywhere, so that programs without AsyncLocalStorage never pay for capturing.
 */
export const asyncContext = { active: false };

/**
 * `enabled`: async ids are handed out; `hooks`: at least one createHook() is enabled. See internal/async_ids, which
 * is only loaded when one of them is true. `made`: what node:domain does with a new AsyncResource.
 */
export const tracking: { enabled: boolean; hooks: boolean; made: ((resource: unknown) => void) | undefined } = {
  enabled: false,
  hooks: false,
  made: undefined,
};

/** A callback of native code as that of a resource of Node's `type` for createHook(), while async ids are handed out. */
export function asResource<A extends unknown[]>(
  callback: (...args: A) => unknown,
  type: string,
): (...args: A) => unknown {
  return tracking.enabled ? require("internal/events/async_ids").trackedCallback(callback, type) : callback;
}

/**
 * What `Bun.ModuleGraph` adds (internal/events/ownership), once there is one. `own`: notes who opens something. `isAbandoned`: whether
 * nothing is to reach what runs in a context any more, once the first graph is disposed. `closers` close what they know of the contexts
 * that belong to a graph; each family adds its own.
 */
export const ownership: {
  own: ((resource: object, close: (resource: never) => void) => void) | undefined;
  /** The number of the graph in whose context the code runs; 0 for none. */
  current: (() => number) | undefined;
  isAbandoned: ((context: unknown) => boolean) | undefined;
  closers: ((isOwned: (context: unknown) => boolean) => void)[];
} = { own: undefined, current: undefined, isAbandoned: undefined, closers: [] };

/** Notes that the code that runs opens `resource`: if it is a graph's, `close` is called when that is disposed. `close` tells nobody. */
export function own<T extends object>(resource: T, close: (resource: T) => void): void {
  if (ownership.own !== undefined) ownership.own(resource, close);
}

/** The keys under which resources keep their ids, named as Node shows them. */
export const kAsyncId = Symbol("asyncId");
export const kTriggerId = Symbol("triggerId");

/** The current context, to be kept next to a callback that runs later. */
export function captureContext(): unknown {
  return asyncContext.active ? loop.getAsyncContext() : undefined;
}

/** A function of a program that is kept and called later, with the context of now; the function itself where there is none. */
export function bindContext<This, A extends unknown[], R>(fn: (this: This, ...args: A) => R) {
  const context = captureContext();
  if (context === undefined) return fn;
  return function (this: This, ...args: A): R {
    return runInContext(context, fn, this, args);
  };
}

/** Makes `context` current. */
export function setContext(context: unknown): void {
  if (!asyncContext.active) {
    if (context === undefined) return;
    asyncContext.active = true;
  }
  loop.setAsyncContext(context);
}

/** Makes `context` current and returns the one it replaces. */
export function exchangeContext(context: unknown) {
  if (!asyncContext.active) {
    if (context === undefined) return undefined;
    asyncContext.active = true;
  }
  const prior = loop.getAsyncContext();
  if (prior !== context) loop.setAsyncContext(context);
  return prior;
}

/**
 * The same for callbacks that the loop calls: an exception leaves `context` in place, because the handlers of uncaught errors
 * (node:domain) run in it.
 */
export function callInContext<This, A extends unknown[], R>(
  context: unknown,
  fn: (this: This, ...args: A) => R,
  thisArg: This,
  args: A,
): R {
  const prior = exchangeContext(context);
  const result = Reflect.apply(fn, thisArg, args);
  exchangeContext(prior);
  return result;
}

/** Calls `fn.apply(thisArg, args)` with `context` current. */
export function runInContext<This, A extends unknown[], R>(
  context: unknown,
  fn: (this: This, ...args: A) => R,
  thisArg: This,
  args: A,
): R {
  const prior = exchangeContext(context);
  try {
    return Reflect.apply(fn, thisArg, args);
  } finally {
    exchangeContext(prior);
  }
}
