/**
 * Storage, sessionStorage and localStorage (https://html.spec.whatwg.org/multipage/webstorage.html) as Node has them: at most
 * 10 MiB, in memory for as long as the process lives, or in the file that `--localstorage-file` names.
 */

import { codes } from "internal/core/errors";
import { makeEnumerable } from "web/event_target";

const { defineProperty } = Object;
/** What the constructor takes from this family alone. */
export const kCreate = Symbol("kCreateStorage");

/** Bytes that the names and values of a Storage may take as UTF-16. */
export const quota = 10 * 1024 * 1024;

/** Where the items of a Storage are. */
export interface Items {
  readonly size: number;
  get(name: string): string | undefined;
  has(name: string): boolean;
  keys(): Iterable<string>;
  /** False if the quota does not allow it; then nothing changes. */
  set(name: string, value: string): boolean;
  delete(name: string): void;
  clear(): void;
}

/** Items in memory. */
class MemoryItems implements Items {
  readonly #items = new Map<string, string>();
  /** UTF-16 bytes of names and values. */
  #bytes = 0;

  get size(): number {
    return this.#items.size;
  }

  get(name: string): string | undefined {
    return this.#items.get(name);
  }

  has(name: string): boolean {
    return this.#items.has(name);
  }

  keys(): Iterable<string> {
    return this.#items.keys();
  }

  set(name: string, value: string): boolean {
    const old = this.#items.get(name);
    const bytes = this.#bytes + 2 * (old === undefined ? name.length + value.length : value.length - old.length);
    if (bytes > quota) return false;
    this.#items.set(name, value);
    this.#bytes = bytes;
    return true;
  }

  delete(name: string): void {
    const old = this.#items.get(name);
    if (old === undefined) return;
    this.#items.delete(name);
    this.#bytes -= 2 * (name.length + old.length);
  }

  clear(): void {
    this.#items.clear();
    this.#bytes = 0;
  }
}

/** By the proxy that programs see. */
const states = new WeakMap<object, Items>();

function stateOf(storage: unknown): Items {
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

function put(items: Items, name: string, value: string): void {
  if (items.set(name, value)) return;
  const { DOMException } = require("web/dom_exception");
  throw new DOMException("Setting the value exceeded the quota", "QuotaExceededError");
}

export class Storage {
  constructor(key: unknown = undefined, items: Items = new MemoryItems()) {
    if (key !== kCreate) {
      const error: NodeError = new Error("Illegal constructor");
      error.code = "ERR_ILLEGAL_CONSTRUCTOR";
      throw error;
    }
    const proxy = new Proxy(this, handler(items));
    states.set(proxy, items);
    return proxy;
  }

  get length(): number {
    return stateOf(this).size;
  }

  clear(): void {
    stateOf(this).clear();
  }

  /** The value of `name`, or null. */
  getItem(name: unknown = undefined): string | null {
    const items = stateOf(this);
    need(1, arguments.length, "getItem");
    return items.get(`${name}`) ?? null;
  }

  /** The name at `index`, or null. */
  key(index: unknown = undefined): string | null {
    const items = stateOf(this);
    need(1, arguments.length, "key");
    let left = (index as number) >>> 0;
    for (const name of items.keys()) if (left-- === 0) return name;
    return null;
  }

  removeItem(name: unknown = undefined): void {
    const items = stateOf(this);
    need(1, arguments.length, "removeItem");
    items.delete(`${name}`);
  }

  /** Throws QuotaExceededError. */
  setItem(name: unknown = undefined, value: unknown = undefined): void {
    const items = stateOf(this);
    need(2, arguments.length, "setItem");
    put(items, `${name}`, `${value}`);
  }
}
makeEnumerable(Storage.prototype, "length", "clear", "getItem", "key", "removeItem", "setItem");
defineProperty(Storage.prototype, Symbol.toStringTag, { configurable: true, value: "Storage" });

/** Items are properties, but those of the prototype come first when reading (Web IDL, legacy platform objects). */
function handler(items: Items): ProxyHandler<Storage> {
  const item = (target: object, key: unknown) => typeof key === "string" && items.has(key) && !(key in target);
  return {
    get: (target, key, receiver) => (item(target, key) ? items.get(key as string) : Reflect.get(target, key, receiver)),
    set(target, key, value, receiver) {
      if (typeof key !== "string" || !states.has(receiver)) return Reflect.set(target, key, value);
      put(items, key, `${value}`);
      return true;
    },
    has: (target, key) => (typeof key === "string" && items.has(key)) || key in target,
    deleteProperty(target, key) {
      if (!item(target, key)) return Reflect.deleteProperty(target, key);
      items.delete(key as string);
      return true;
    },
    ownKeys: (target) => [...[...items.keys()].filter((key) => !(key in target)), ...Reflect.ownKeys(target)],
    getOwnPropertyDescriptor(target, key) {
      if (!item(target, key)) return Reflect.getOwnPropertyDescriptor(target, key);
      return { value: items.get(key as string), writable: true, enumerable: true, configurable: true };
    },
    defineProperty(target, key, descriptor) {
      if (typeof key !== "string") return Reflect.defineProperty(target, key, descriptor);
      put(items, key, `${descriptor.value}`);
      return true;
    },
    preventExtensions: () => false,
  };
}

export const sessionStorage = new Storage(kCreate);
