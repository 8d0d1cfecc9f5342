// What hears of promises: v8.promiseHooks (https://nodejs.org/api/v8.html#promise-hooks), and the async ids of promises for
// async_hooks.createHook(). The engine tells nobody, and costs nothing, until the first of them is wanted; it is loaded then.

import { codes } from "internal/core/errors";
import {
  emitInit,
  enterPromise,
  getExecutionAsyncId,
  isRecursion,
  leavePromise,
  newAsyncId,
  tellSettled,
  watchForDestroy,
} from "internal/events/async_ids";
import type { PromiseWishes } from "internal/events/async_ids";

const { setPromiseHooks, triggerUncaughtException } = native("loop");

type Listener = (promise: Promise<unknown>, parent?: Promise<unknown>) => void;
type Event = "init" | "before" | "after" | "settled";
type Listeners = Record<Event, readonly Listener[]>;

// The lists are replaced, not changed: one that runs is not disturbed.
const listeners: Listeners = { init: [], before: [], after: [], settled: [] };

let wishes: PromiseWishes = { any: false, settled: false, destroyed: false };

// As Node names them; it shows them on every promise.
const kPromiseId = Symbol("async_id_symbol");
const kPromiseTrigger = Symbol("trigger_async_id_symbol");

type TrackedPromise = Promise<unknown> & { [kPromiseId]?: number; [kPromiseTrigger]?: number };

/** Gives a promise its ids if it has none; true if it had none. */
function track(promise: TrackedPromise, parent?: TrackedPromise): boolean {
  if (promise[kPromiseId] !== undefined) return false;
  let trigger = getExecutionAsyncId();
  if (parent !== undefined) {
    track(parent);
    trigger = parent[kPromiseId] ?? trigger;
  }
  // A promise that a program has frozen stays without.
  Reflect.set(promise, kPromiseId, newAsyncId());
  Reflect.set(promise, kPromiseTrigger, trigger);
  return true;
}

function idOf(promise: TrackedPromise): number {
  track(promise);
  return promise[kPromiseId] ?? 0;
}

function onInit(promise: TrackedPromise, parent?: TrackedPromise): void {
  if (!track(promise, parent)) return;
  const id = promise[kPromiseId]!;
  emitInit(id, "PROMISE", promise[kPromiseTrigger]!, promise);
  if (wishes.destroyed) watchForDestroy(promise, { id, destroyed: false });
}

function onBefore(promise: TrackedPromise): void {
  const id = idOf(promise);
  enterPromise(id, promise[kPromiseTrigger] ?? 0, promise);
}

function onAfter(promise: TrackedPromise): void {
  leavePromise(idOf(promise));
}

function onSettled(promise: TrackedPromise): void {
  tellSettled(idOf(promise));
}

// One function for all that want an event. What createHook() wants comes first; what its hooks throw has ended the process.
function listenerOf(event: Event, tracker: Listener | undefined): Listener | undefined {
  const list = listeners[event];
  if (list.length === 0) return tracker;
  return (promise, parent) => {
    if (tracker !== undefined) tracker(promise, parent);
    for (let i = 0; i < list.length; i++) {
      try {
        list[i]!(promise, parent);
      } catch (error) {
        if (isRecursion(error)) throw error;
        triggerUncaughtException(error, false);
      }
    }
  };
}

/** Has the engine tell what is wanted; false if it cannot. */
function update(): boolean {
  const { any, settled } = wishes;
  return setPromiseHooks(
    listenerOf("init", any ? onInit : undefined),
    listenerOf("before", any ? onBefore : undefined),
    listenerOf("after", any ? onAfter : undefined),
    listenerOf("settled", settled ? onSettled : undefined),
  );
}

/** Says what createHook() wants of promises from now on: nothing comes of it in an engine without overlay, but its other resources do. */
export function wish(wanted: PromiseWishes): void {
  if (wanted.any === wishes.any && wanted.settled === wishes.settled && wanted.destroyed === wishes.destroyed) return;
  wishes = wanted;
  update();
}

function add(event: Event, name: string, listener: unknown): () => void {
  validateListener(name, listener);
  const added: Listener = (promise, parent) => listener(promise, parent);
  listeners[event] = [...listeners[event], added];
  if (!update()) throw new codes.ERR_NOT_IMPLEMENTED("promise hooks in an engine without overlay");
  return () => {
    if (!listeners[event].includes(added)) return;
    listeners[event] = listeners[event].filter((other) => other !== added);
    update();
  };
}

// Node takes neither async functions nor generators: a hook is over when it returns.
function validateListener(name: string, value: unknown): asserts value is Listener {
  if (typeof value === "function") {
    const { isAsyncFunction, isGeneratorFunction } = require("node:util/types");
    if (!isAsyncFunction(value) && !isGeneratorFunction(value)) return;
  }
  throw new codes.ERR_INVALID_ARG_TYPE(name, "function", value);
}

/** v8.promiseHooks: each function gives one that ends what it began. */
export const promiseHooks = {
  createHook({ init, before, after, settled }: Partial<Record<Event, unknown>> = {}) {
    const wanted = (
      [
        ["init", init],
        ["before", before],
        ["after", after],
        ["settled", settled],
      ] as const
    ).filter(([, listener]) => listener !== undefined);
    for (const [event, listener] of wanted) validateListener(`${event}Hook`, listener);
    const ends = wanted.map(([event, listener]) => add(event, `${event}Hook`, listener));
    return () => {
      for (const end of ends) end();
    };
  },
  onInit: (listener: unknown) => add("init", "initHook", listener),
  onBefore: (listener: unknown) => add("before", "beforeHook", listener),
  onAfter: (listener: unknown) => add("after", "afterHook", listener),
  onSettled: (listener: unknown) => add("settled", "settledHook", listener),
};
