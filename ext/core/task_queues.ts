// process.nextTick, queueMicrotask and the draining of both queues after each callback.
//
// Native code shares `loop.tickInfo` with this file: [0] says that ticks are queued, [1] that promise
// rejections wait for processPromiseRejections(). When both are 0 after a callback, native drains the
// microtasks alone and never enters JavaScript.

import {
  asyncContext,
  exchangeContext,
  setContext,
  kAsyncId,
  kTriggerId,
  tracking,
} from "internal/events/async_context";

import type { Tracked } from "internal/events/async_ids";

const loop = native("loop");
const { tickInfo, runMicrotasks, enqueueMicrotask, getAsyncContext, triggerUncaughtException } = loop;

const kHasTickScheduled = 0;
const kHasRejectionToWarn = 1;

/** State shared with process.exit(): ticks queued while the process exits are dropped, as in Node. */
export const exitState: {
  exiting: boolean;
  guard: ((code?: number | string | null, name?: string) => void) | undefined;
} = {
  exiting: false,
  guard: undefined,
};

/**
 * One queued tick. Up to two arguments are kept in place (nearly all internal callers), more go into an array
 * in `a`. A linked list rather than a ring: the nodes die in the nursery, a tenured ring would need a write
 * barrier for each store. `next` is cut when a tick is taken so that an old node never keeps younger ones alive.
 */
class TickObject {
  declare callback: Function;
  declare argc: number;
  declare a: unknown;
  declare b: unknown;
  declare context: unknown;
  declare resource: TickResource | undefined;
  declare next: TickObject | null;
  constructor(callback: Function, argc: number, a: unknown, b: unknown) {
    this.callback = callback;
    this.argc = argc;
    this.a = a;
    this.b = b;
    this.context = undefined;
    this.resource = undefined;
    this.next = null;
  }
}

let head: TickObject | null = null;
let tail: TickObject | null = null;

/**
 * process.nextTick(callback, ...args): runs the callback after the current operation, before promise jobs.
 * Throws ERR_INVALID_ARG_TYPE when `callback` is not a function.
 */
export function nextTick(callback: unknown, ...args: unknown[]): void;
export function nextTick(callback: unknown, a?: unknown, b?: unknown): void {
  if (typeof callback !== "function") invalidCallback(callback);
  if (exitState.exiting) return;
  let argc = arguments.length - 1;
  if (argc > 2) {
    const args = new Array(argc);
    for (let i = 0; i < argc; i++) args[i] = arguments[i + 1];
    a = args;
    b = undefined;
    argc = 3;
  }
  const tick = new TickObject(callback, argc, a, b);
  if (asyncContext.active) tick.context = getAsyncContext();
  if (tracking.enabled) trackTick(tick);
  if (tail === null) {
    head = tail = tick;
    tickInfo[kHasTickScheduled] = 1;
  } else {
    tail = tail.next = tick;
  }
}

function trackTick(tick: TickObject): void {
  tick.resource = new TickResource(tick.callback, tick.argc, tick.a, tick.b);
  require("internal/events/async_ids").initResource(tick.resource, "TickObject");
}

// What createHook()'s init receives; only made while ids are tracked.
class TickResource {
  declare callback: Function;
  declare args: unknown[] | undefined;
  declare [kAsyncId]: number;
  declare [kTriggerId]: number;
  constructor(callback: Function, argc: number, a: unknown, b: unknown) {
    this.callback = callback;
    this.args = argc === 0 ? undefined : argc === 1 ? [a] : argc === 2 ? [a, b] : (a as unknown[]);
  }
}

function invalidCallback(callback: unknown): never {
  const { codes } = require("internal/core/errors");
  throw new codes.ERR_INVALID_ARG_TYPE("callback", "Function", callback);
}

function runTick(tick: TickObject): void {
  const callback = tick.callback;
  switch (tick.argc) {
    case 0:
      callback();
      break;
    case 1:
      callback(tick.a);
      break;
    case 2:
      callback(tick.a, tick.b);
      break;
    default:
      callback(...(tick.a as unknown[]));
  }
}

// Whether it went well; otherwise the handlers of uncaught errors have run.
function runTickTracked(tick: TickObject): boolean {
  const resource = tick.resource;
  if (resource === undefined) {
    runTick(tick);
    return true;
  }
  let ok = true;
  const ids = require("internal/events/async_ids");
  const id = resource[kAsyncId];
  const depth = ids.stackDepth();
  ids.emitBefore(id, resource[kTriggerId], resource);
  try {
    runTick(tick);
  } catch (error) {
    ok = false;
    triggerUncaughtException(error, false);
  }
  ids.unwindTo(depth);
  ids.emitDestroy(id);
  return ok;
}

function nothing(): void {}

// After the second error that was handled the other ticks wait for the next callback, as in Node: a tick that fails and is queued
// again by the handler must not hold up the loop. Something has to come, or there would be no next callback.
function leaveTicks(usesContext: boolean, prior: unknown): void {
  if (usesContext || asyncContext.active) setContext(prior);
  tickInfo[kHasTickScheduled] = 1;
  new (require("internal/core/timers").Immediate)(nothing, undefined);
}

/**
 * Runs all ticks, then all microtasks, then reports rejections, until nothing is left. Never throws: what a
 * callback throws goes to the uncaught exception machinery; after the second time the rest is left for the next call.
 */
export function processTicksAndRejections(): void {
  let failed = false;
  do {
    let tick = head;
    if (tick !== null) {
      const usesContext = asyncContext.active;
      const prior = usesContext ? getAsyncContext() : undefined;
      do {
        head = tick.next;
        if (head === null) tail = null;
        tick.next = null;
        try {
          if (asyncContext.active) setContext(tick.context);
          if (tracking.enabled) {
            if (!runTickTracked(tick)) {
              if (failed) return leaveTicks(usesContext, prior);
              failed = true;
            }
          } else {
            runTick(tick);
          }
        } catch (error) {
          triggerUncaughtException(error, false);
          if (failed) return leaveTicks(usesContext, prior);
          failed = true;
        }
        tick = head;
      } while (tick !== null);
      if (asyncContext.active) setContext(prior);
    }
    runMicrotasks();
  } while (head !== null || (tickInfo[kHasRejectionToWarn] !== 0 && processRejections()));
  tickInfo[kHasTickScheduled] = 0;
}

function processRejections(): boolean {
  tickInfo[kHasRejectionToWarn] = 0;
  const more = require("internal/process/promises").processPromiseRejections();
  return more || head !== null || tickInfo[kHasRejectionToWarn] !== 0;
}

/** Drains ticks and microtasks between two callbacks of the same phase (timers, immediates). */
export function runNextTicks(): void {
  if (tickInfo[kHasTickScheduled] === 0 && tickInfo[kHasRejectionToWarn] === 0) {
    runMicrotasks();
    if (tickInfo[kHasTickScheduled] === 0 && tickInfo[kHasRejectionToWarn] === 0) return;
  }
  processTicksAndRejections();
}

/** Marks that promise rejections wait to be looked at after the microtasks. */
export function setHasRejectionToWarn(): void {
  tickInfo[kHasRejectionToWarn] = 1;
}

/** The global queueMicrotask (HTML standard). An exception of the callback is an uncaught exception. */
export function queueMicrotask(callback: () => void): void {
  if (typeof callback !== "function") invalidCallback(callback);
  if (tracking.enabled) callback = trackedMicrotask(callback);
  if (asyncContext.active) callback = inCurrentContext(callback);
  enqueueMicrotask(callback);
}

function inCurrentContext(callback: () => void): () => void {
  const context = getAsyncContext();
  return () => {
    const prior = exchangeContext(context);
    try {
      callback();
    } catch (error) {
      // The handlers of uncaught errors run in the context of what failed.
      triggerUncaughtException(error, false);
    } finally {
      exchangeContext(prior);
    }
  };
}

function trackedMicrotask(callback: () => void): () => void {
  const ids = require("internal/events/async_ids");
  const resource = { callback } as { callback: Function } as Tracked & { callback: Function };
  ids.initResource(resource, "Microtask");
  return () => {
    const id = resource[kAsyncId];
    const depth = ids.stackDepth();
    ids.emitBefore(id, resource[kTriggerId], resource);
    try {
      callback();
    } finally {
      ids.unwindTo(depth);
      ids.emitDestroy(id);
    }
  };
}
