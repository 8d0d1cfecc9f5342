/**
 * navigator.locks (https://w3c.github.io/web-locks/). Locks are those of this thread: bao's threads do not share them.
 */

import { codes } from "internal/errors";
import { validateFunction } from "internal/validators";
import { makeEnumerable } from "web/event_target";

const { defineProperty } = Object;
const kCreate = Symbol("kCreateLock");

type Mode = "shared" | "exclusive";

/** A lock that is held, or the request for one. */
interface Entry {
  name: string;
  mode: Mode;
  callback: (lock: Lock | null) => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  /** Lets go of the signal of a request. */
  forget: (() => void) | undefined;
}

/** What is held and what waits for one name, in order. */
interface Queue {
  held: Entry[];
  waiting: Entry[];
}

const queues = new Map<string, Queue>();

/** Requests and queries in order, until the next microtask: an abort right after request() comes in time. */
let steps: Array<() => void> = [];

function enqueue(step: () => void): void {
  if (steps.push(step) > 1) return;
  queueMicrotask(() => {
    const all = steps;
    steps = [];
    for (const run of all) run();
  });
}

function exception(message: string, name: string): any {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(message, name);
}

export class Lock {
  #name: string;
  #mode: Mode;

  constructor(key: any = undefined, name?: any, mode?: any) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#name = name;
    this.#mode = mode;
  }

  get name(): string {
    if (typeof this !== "object" || this === null || !(#name in this)) throw new codes.ERR_INVALID_THIS("Lock");
    return this.#name;
  }

  get mode(): Mode {
    if (typeof this !== "object" || this === null || !(#name in this)) throw new codes.ERR_INVALID_THIS("Lock");
    return this.#mode;
  }
}
makeEnumerable(Lock.prototype, "name", "mode");
defineProperty(Lock.prototype, Symbol.toStringTag, { configurable: true, value: "Lock" });

function remove(list: Entry[], entry: Entry): boolean {
  const index = list.indexOf(entry);
  if (index !== -1) list.splice(index, 1);
  return index !== -1;
}

function grantable(queue: Queue, mode: Mode): boolean {
  return mode === "exclusive" ? queue.held.length === 0 : queue.held.every((lock) => lock.mode === "shared");
}

/** Grants what can be granted, in order: a request waits for all before it. */
function advance(name: string): void {
  const queue = queues.get(name);
  if (queue === undefined) return;
  while (queue.waiting.length > 0 && grantable(queue, queue.waiting[0]!.mode)) grant(queue, queue.waiting.shift()!);
  if (queue.held.length === 0 && queue.waiting.length === 0) queues.delete(name);
}

/** Holds the lock for as long as the callback's promise is pending. */
function grant(queue: Queue, entry: Entry): void {
  entry.forget?.();
  queue.held.push(entry);
  // In a microtask of its own: a callback may ask for further locks.
  queueMicrotask(async () => {
    const { callback, name, mode } = entry;
    const done = (settle: (value: unknown) => void, value: unknown) => {
      // A stolen lock is no longer in the list, and its promise is settled.
      remove(queue.held, entry);
      settle(value);
      advance(name);
    };
    try {
      done(entry.resolve, await callback(new Lock(kCreate, name, mode)));
    } catch (error) {
      done(entry.reject, error);
    }
  });
}

function queueOf(name: string): Queue {
  let queue = queues.get(name);
  if (queue === undefined) queues.set(name, (queue = { held: [], waiting: [] }));
  return queue;
}

export class LockManager {
  #brand = true;

  constructor(key: any = undefined) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
  }

  /**
   * Calls `callback` with a Lock when the lock `name` is free and holds it until the callback's promise settles, with whose value
   * the returned promise settles. `options`: `{ mode, ifAvailable, steal, signal }`. Rejects with NotSupportedError,
   * AbortError, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE.
   */
  async request(name: any, options: any, callback: any = undefined): Promise<any> {
    if (typeof this !== "object" || this === null || !(#brand in this)) throw new codes.ERR_INVALID_THIS("LockManager");
    if (callback === undefined) {
      callback = options;
      options = undefined;
    }
    if (typeof name === "symbol") throw new codes.ERR_INVALID_ARG_VALUE("value", name);
    name = `${name}`;
    validateFunction(callback, "callback");
    if (options === undefined || options === null || typeof options === "function") options = {};
    const mode: Mode = options.mode === undefined ? "exclusive" : options.mode;
    const ifAvailable = !!options.ifAvailable;
    const steal = !!options.steal;
    const { signal } = options;
    if (mode !== "shared" && mode !== "exclusive") {
      const error: any = new TypeError(`mode value '${mode}' is not a valid enum value of type LockMode.`);
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    if (signal !== undefined) require("internal/validators").validateAbortSignal(signal, "options.signal");
    if (name.startsWith("-")) throw exception("Lock name may not start with hyphen", "NotSupportedError");
    if (ifAvailable && steal) throw exception("ifAvailable and steal are mutually exclusive", "NotSupportedError");
    if (steal && mode !== "exclusive") throw exception(`mode: "${mode}" and steal are mutually exclusive`, "NotSupportedError");
    if (signal !== undefined && (ifAvailable || steal)) {
      signal.throwIfAborted();
      throw exception(`signal and ${ifAvailable ? "ifAvailable" : "steal"} are mutually exclusive`, "NotSupportedError");
    }
    signal?.throwIfAborted();

    const { promise, resolve, reject } = Promise.withResolvers<any>();
    const entry: Entry = { name, mode, callback, resolve, reject, forget: undefined };
    let aborted = false;
    if (signal !== undefined) {
      const onAbort = () => {
        aborted = true;
        reject(signal.reason);
        const queue = queues.get(name);
        if (queue !== undefined && remove(queue.waiting, entry)) advance(name);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      entry.forget = () => signal.removeEventListener("abort", onAbort);
    }
    enqueue(() => {
      if (aborted) return;
      const queue = queueOf(name);
      if (ifAvailable && (queue.waiting.length > 0 || !grantable(queue, mode))) {
        queueMicrotask(() => new Promise((done) => done(callback(null))).then(resolve, reject));
        return;
      }
      if (steal) {
        for (const lock of queue.held.splice(0)) lock.reject(exception("The lock was stolen by another request", "AbortError"));
        grant(queue, entry);
        return;
      }
      queue.waiting.push(entry);
      advance(name);
    });
    return promise;
  }

  /** `{ held, pending }`: lists of `{ name, mode, clientId }`. */
  async query(): Promise<any> {
    if (typeof this !== "object" || this === null || !(#brand in this)) throw new codes.ERR_INVALID_THIS("LockManager");
    // What was asked for before this call is granted first.
    await new Promise<void>(enqueue);
    const clientId = `node-${require("node:process").pid}-0`;
    const info = ({ name, mode }: Entry) => ({ name, mode, clientId });
    const all = [...queues.values()];
    return { held: all.flatMap((queue) => queue.held.map(info)), pending: all.flatMap((queue) => queue.waiting.map(info)) };
  }
}
makeEnumerable(LockManager.prototype, "request", "query");
defineProperty(LockManager.prototype, Symbol.toStringTag, { configurable: true, value: "LockManager" });

export const locks = new LockManager(kCreate);
