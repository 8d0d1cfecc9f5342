/**
 * navigator.locks (https://w3c.github.io/web-locks/), shared by all threads of the process: ext/worker/native/locks.rs knows who holds
 * what and who waits.
 */

import { codes } from "internal/core/errors";
import { validateFunction } from "internal/core/validators";
import { makeEnumerable } from "web/event_target";

const { defineProperty } = Object;
const kCreate = Symbol("kCreateLock");

type Mode = "shared" | "exclusive";

const { listen, request, release, query } = native("locks");

interface LockOptions {
  mode?: Mode;
  ifAvailable?: unknown;
  steal?: unknown;
  signal?: AbortSignal;
}

/** A lock of this thread that is held, or the request for one. */
interface Entry {
  /** The native number, once it was asked for. */
  id: number;
  name: string;
  mode: Mode;
  callback: (lock: Lock | null) => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  /** Lets go of the signal of a request. */
  forget: (() => void) | undefined;
}

const entries = new Map<number, Entry>();

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

/**
 * The name as the native side knows it, which is UTF-8. Names must not begin with "-", so that this marks those that are no
 * well-formed text, with their lone surrogates escaped.
 */
function keyOf(name: string): string {
  return name.isWellFormed() ? name : `-${JSON.stringify(name)}`;
}

function nameOf(key: string): string {
  return key.startsWith("-") ? JSON.parse(key.slice(1)) : key;
}

function exception(message: string, name: string) {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(message, name);
}

export class Lock {
  #name: string;
  #mode: Mode;

  constructor(key: unknown = undefined, name?: string, mode?: Mode) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#name = name!;
    this.#mode = mode!;
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

/** Holds the lock for as long as the callback's promise is pending. */
function grant(entry: Entry): void {
  entry.forget?.();
  // In a microtask of its own: a callback may ask for further locks.
  queueMicrotask(async () => {
    const { callback, name, mode } = entry;
    const done = (settle: (value: unknown) => void, value: unknown) => {
      // A stolen lock is not this thread's any more, and its promise is settled.
      settle(value);
      giveBack(entry);
    };
    try {
      done(entry.resolve, await callback(new Lock(kCreate, name, mode)));
    } catch (error) {
      done(entry.reject, error);
    }
  });
}

function giveBack({ id, name }: Entry): void {
  if (!entries.delete(id)) return;
  for (const next of release(keyOf(name), id)) grant(entries.get(next)!);
}

function lose(entry: Entry): void {
  entries.delete(entry.id);
  entry.reject(exception("The lock was stolen by another request", "AbortError"));
}

listen((id: number, stolen: number) => {
  const entry = entries.get(id);
  if (entry === undefined) return;
  if (stolen) lose(entry);
  else grant(entry);
});

export class LockManager {
  #brand = true;

  constructor(key: unknown = undefined) {
    if (key !== kCreate) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
  }

  /**
   * Calls `callback` with a Lock when the lock `name` is free and holds it until the callback's promise settles, with whose value
   * the returned promise settles. `options`: `{ mode, ifAvailable, steal, signal }`. Rejects with NotSupportedError,
   * AbortError, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE.
   */
  async request(
    name: string,
    options: LockOptions | Entry["callback"] | null | undefined,
    callback: unknown = undefined,
  ): Promise<unknown> {
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
      const error: NodeError = new TypeError(`mode value '${mode}' is not a valid enum value of type LockMode.`);
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    if (signal !== undefined)
      (require("internal/core/validators").validateAbortSignal as Check)(signal, "options.signal");
    if (name.startsWith("-")) throw exception("Lock name may not start with hyphen", "NotSupportedError");
    if (ifAvailable && steal) throw exception("ifAvailable and steal are mutually exclusive", "NotSupportedError");
    if (steal && mode !== "exclusive")
      throw exception(`mode: "${mode}" and steal are mutually exclusive`, "NotSupportedError");
    if (signal !== undefined && (ifAvailable || steal)) {
      signal.throwIfAborted();
      throw exception(
        `signal and ${ifAvailable ? "ifAvailable" : "steal"} are mutually exclusive`,
        "NotSupportedError",
      );
    }
    signal?.throwIfAborted();

    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const entry: Entry = { id: 0, name, mode, callback, resolve, reject, forget: undefined };
    let aborted = false;
    if (signal !== undefined) {
      const onAbort = () => {
        aborted = true;
        reject(signal.reason);
        if (entry.id !== 0) giveBack(entry);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      entry.forget = () => signal.removeEventListener("abort", onAbort);
    }
    enqueue(() => {
      if (aborted) return;
      const { 0: id, 1: granted, ...stolen } = request(keyOf(name), mode === "exclusive", ifAvailable, steal);
      if (id === 0) {
        queueMicrotask(() => new Promise((done) => done(callback(null))).then(resolve, reject));
        return;
      }
      for (const key of Object.keys(stolen)) lose(entries.get(stolen[key as `${number}`])!);
      entry.id = id;
      entries.set(id, entry);
      if (granted) grant(entry);
    });
    return promise;
  }

  /** `{ held, pending }`: lists of `{ name, mode, clientId }`. */
  async query(): Promise<unknown> {
    if (typeof this !== "object" || this === null || !(#brand in this)) throw new codes.ERR_INVALID_THIS("LockManager");
    // What was asked for before this call is granted first.
    await new Promise<void>(enqueue);
    const { pid } = require("node:process");
    const all = query();
    const infos = (wanted: boolean) =>
      all
        .filter(({ 3: held }) => held === wanted)
        .map(({ 0: key, 1: exclusive, 2: thread }) => ({
          name: nameOf(key),
          mode: exclusive ? "exclusive" : "shared",
          clientId: `node-${pid}-${thread}`,
        }));
    return { held: infos(true), pending: infos(false) };
  }
}
makeEnumerable(LockManager.prototype, "request", "query");
defineProperty(LockManager.prototype, Symbol.toStringTag, { configurable: true, value: "LockManager" });

export const locks = new LockManager(kCreate);
