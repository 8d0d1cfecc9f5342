/**
 * Storage and sessionStorage (https://html.spec.whatwg.org/multipage/webstorage.html) as Node has them: in memory, for as long as
 * the process lives, at most 10 MiB. localStorage would need its file; bao has none yet.
 */

import { codes } from "internal/core/errors";
import { makeEnumerable } from "web/event_target";

const { defineProperty } = Object;
const kCreate = Symbol("kCreateStorage");

/** Bytes that the names and values of a Storage may take as UTF-16. */
const quota = 10 * 1024 * 1024;

interface State {
  items: Map<string, string>;
  /** UTF-16 bytes of names and values. */
  bytes: number;
}

/** By the proxy that programs see. */
const states = new WeakMap<object, State>();

function stateOf(storage: unknown): State {
  const state = typeof storage === "object" && storage !== null ? states.get(storage) : undefined;
  if (state === undefined) throw new TypeError("Illegal invocation");
  return state;
}

function need(count: number, given: number, method: string): void {
  if (given >= count) return;
  const error = new codes.ERR_MISSING_ARGS("name");
  error.message = `Failed to execute '${method}' on 'Storage': ${count} argument${count === 1 ? "" : "s"} required`;
  throw error;
}

function put(state: State, name: string, value: string): void {
  const old = state.items.get(name);
  const bytes = state.bytes + 2 * (old === undefined ? name.length + value.length : value.length - old.length);
  if (bytes > quota) {
    const { DOMException } = require("web/dom_exception");
    throw new DOMException("Setting the value exceeded the quota", "QuotaExceededError");
  }
  state.items.set(name, value);
  state.bytes = bytes;
}

function drop(state: State, name: string): void {
  const old = state.items.get(name);
  if (old === undefined) return;
  state.items.delete(name);
  state.bytes -= 2 * (name.length + old.length);
}

export class Storage {
  constructor(key: unknown = undefined) {
    if (key !== kCreate) {
      const error: any = new Error("Illegal constructor");
      error.code = "ERR_ILLEGAL_CONSTRUCTOR";
      throw error;
    }
    const state: State = { items: new Map(), bytes: 0 };
    const proxy = new Proxy(this, handler(state));
    states.set(proxy, state);
    return proxy;
  }

  get length(): number {
    return stateOf(this).items.size;
  }

  clear(): void {
    const state = stateOf(this);
    state.items.clear();
    state.bytes = 0;
  }

  /** The value of `name`, or null. */
  getItem(name: unknown = undefined): string | null {
    const { items } = stateOf(this);
    need(1, arguments.length, "getItem");
    return items.get(`${name}`) ?? null;
  }

  /** The name at `index`, or null. */
  key(index: any = undefined): string | null {
    const { items } = stateOf(this);
    need(1, arguments.length, "key");
    let left = index >>> 0;
    for (const name of items.keys()) if (left-- === 0) return name;
    return null;
  }

  removeItem(name: unknown = undefined): void {
    const state = stateOf(this);
    need(1, arguments.length, "removeItem");
    drop(state, `${name}`);
  }

  /** Throws QuotaExceededError. */
  setItem(name: unknown = undefined, value: unknown = undefined): void {
    const state = stateOf(this);
    need(2, arguments.length, "setItem");
    put(state, `${name}`, `${value}`);
  }
}
makeEnumerable(Storage.prototype, "length", "clear", "getItem", "key", "removeItem", "setItem");
defineProperty(Storage.prototype, Symbol.toStringTag, { configurable: true, value: "Storage" });

/** Items are properties, but those of the prototype come first when reading (Web IDL, legacy platform objects). */
function handler(state: State): ProxyHandler<Storage> {
  const { items } = state;
  const item = (target: object, key: unknown) => typeof key === "string" && items.has(key) && !(key in target);
  return {
    get: (target, key, receiver) => (item(target, key) ? items.get(key as string) : Reflect.get(target, key, receiver)),
    set(target, key, value, receiver) {
      if (typeof key !== "string" || !states.has(receiver)) return Reflect.set(target, key, value);
      put(state, key, `${value}`);
      return true;
    },
    has: (target, key) => (typeof key === "string" && items.has(key)) || key in target,
    deleteProperty(target, key) {
      if (!item(target, key)) return Reflect.deleteProperty(target, key);
      drop(state, key as string);
      return true;
    },
    ownKeys: (target) => [...[...items.keys()].filter((key) => !(key in target)), ...Reflect.ownKeys(target)],
    getOwnPropertyDescriptor(target, key) {
      if (!item(target, key)) return Reflect.getOwnPropertyDescriptor(target, key);
      return { value: items.get(key as string), writable: true, enumerable: true, configurable: true };
    },
    defineProperty(target, key, descriptor) {
      if (typeof key !== "string") return Reflect.defineProperty(target, key, descriptor);
      put(state, key, `${descriptor.value}`);
      return true;
    },
    preventExtensions: () => false,
  };
}

export const sessionStorage = new Storage(kCreate);
