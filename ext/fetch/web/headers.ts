/**
 * `Headers`: https://fetch.spec.whatwg.org/#headers-class. As in Node, no header is forbidden; as in Bun, there are
 * `toJSON`, `count` and `getAll`.
 */
import { byteString, finishInterface, makeIterable, requireArguments, wrongThis } from "internal/fetch/webidl";

const kInspect = Symbol.for("nodejs.util.inspect.custom");
/** First argument of built-in callers: a {@link HeaderList} follows, which is not copied, and whether it is closed. */
const kList = Symbol("kList");

const notToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
const badValue = /[\0\r\n]/;
const outerSpace = /^[\t\n\r ]+|[\t\n\r ]+$/g;
/** What a value has that needs a closer look. */
const unusual = /^[\t ]|[\t ]$|[\0\r\n]|[^\0-\xff]/;

/** Names and values in the order they were added: a name in lower case, as it was written, and a value. */
export class HeaderList {
  /** [lower-case name, name as written, value, …] */
  items: string[] = [];
  /** Sorted and combined, as iterators show it; made when asked for. */
  #sorted: [string, string][] | undefined = undefined;

  /** Adds without checks: `lower` must be the name in lower case, `value` without space around it. */
  append(lower: string, name: string, value: string): void {
    this.items.push(lower, name, value);
    this.#sorted = undefined;
  }

  has(lower: string): boolean {
    const { items } = this;
    for (let i = 0; i < items.length; i += 3) if (items[i] === lower) return true;
    return false;
  }

  /** The values of a name, joined; null if there are none. */
  get(lower: string): string | null {
    const { items } = this;
    let result: string | null = null;
    for (let i = 0; i < items.length; i += 3) {
      if (items[i] === lower)
        result = result === null ? items[i + 2] : `${result}${lower === "cookie" ? "; " : ", "}${items[i + 2]}`;
    }
    return result;
  }

  getAll(lower: string): string[] {
    const { items } = this;
    const values: string[] = [];
    for (let i = 0; i < items.length; i += 3) if (items[i] === lower) values.push(items[i + 2]);
    return values;
  }

  /** Replaces all values of a name; without one, adds it. */
  set(lower: string, name: string, value: string): void {
    const { items } = this;
    this.#sorted = undefined;
    for (let i = 0; i < items.length; i += 3) {
      if (items[i] !== lower) continue;
      items[i + 2] = value;
      this.#removeFrom(i + 3, lower);
      return;
    }
    items.push(lower, name, value);
  }

  delete(lower: string): void {
    this.#removeFrom(0, lower);
  }

  #removeFrom(start: number, lower: string): void {
    const { items } = this;
    let to = start;
    for (let i = start; i < items.length; i += 3) {
      if (items[i] === lower) continue;
      if (to !== i) {
        items[to] = items[i];
        items[to + 1] = items[i + 1];
        items[to + 2] = items[i + 2];
      }
      to += 3;
    }
    items.length = to;
    this.#sorted = undefined;
  }

  /** Sorted by name, values of a name joined, except those of set-cookie. */
  sorted(): [string, string][] {
    if (this.#sorted !== undefined) return this.#sorted;
    const { items } = this;
    const names = new Set<string>();
    for (let i = 0; i < items.length; i += 3) names.add(items[i]);
    const result: [string, string][] = [];
    for (const name of [...names].sort()) {
      if (name === "set-cookie") for (const value of this.getAll(name)) result.push([name, value]);
      else result.push([name, this.get(name)!]);
    }
    return (this.#sorted = result);
  }

  copy(): HeaderList {
    const copy = new HeaderList();
    copy.items = this.items.slice();
    return copy;
  }
}

let isHeadersObject: (value: unknown) => value is Headers;
let headerListOf: (headers: Headers) => HeaderList;

/** Names that have been checked, and how they are in lower case: programs use few. */
const knownNames = new Map<string, string>();
const MAX_KNOWN_NAMES = 500;

/** A name in lower case; TypeError if it cannot be one. */
function lowerName(name: string, method: string): string {
  let lower = knownNames.get(name);
  if (lower !== undefined) return lower;
  name = byteString(name, `Headers.${method}`);
  if (name === "" || notToken.test(name))
    throw new TypeError(`Headers.${method}: "${name}" is an invalid header name.`);
  lower = name.toLowerCase() as string;
  if (knownNames.size < MAX_KNOWN_NAMES && name.length < 100) {
    // What an object has as a key is told from others by its address alone.
    lower = Object.keys({ [lower]: 0 })[0] as string;
    knownNames.set(name, lower);
  }
  return lower;
}

/** A value as a string of bytes. */
function toValue(value: unknown, method: string): string {
  return typeof value === "string" && !unusual.test(value) ? value : byteString(value, `Headers.${method}`);
}

/** A value without the space around it; TypeError if it cannot be one. */
function checkValue(value: string, method: string): string {
  if (!unusual.test(value)) return value;
  value = value.replace(outerSpace, "");
  if (badValue.test(value)) throw new TypeError(`Headers.${method}: "${value}" is an invalid header value.`);
  return value;
}

/** The names and values of HTTP headers. */
class Headers {
  #list: HeaderList;
  /** Headers of a response from the network, or of Response.error(). */
  #closed = false;

  static {
    isHeadersObject = (value): value is Headers => typeof value === "object" && value !== null && #list in value;
    headerListOf = (headers) => headers.#list;
  }

  declare [Symbol.iterator]: () => IterableIterator<[string, string]>;
  declare entries: () => IterableIterator<[string, string]>;
  declare keys: () => IterableIterator<string>;
  declare values: () => IterableIterator<string>;
  declare forEach: (callback: (value: string, name: string, headers: Headers) => void, thisArgument?: unknown) => void;

  /** @param init other headers, a sequence of pairs, or an object */
  constructor(init: unknown = undefined, list: HeaderList | undefined = undefined, closed = false) {
    if (init === kList) {
      this.#list = list!;
      this.#closed = closed;
      return;
    }
    this.#list = new HeaderList();
    if (init !== undefined) fillHeaders(this.#list, init);
  }

  #open(name: string): HeaderList {
    if (this.#closed) throw new TypeError(`Headers.${name}: immutable`);
    return this.#list;
  }

  /** Adds a value, behind those that the name has. */
  append(name: string, value: unknown): void {
    if (!isHeadersObject(this)) throw wrongThis("Headers");
    requireArguments(arguments.length, 2, "Headers.append");
    appendChecked(this.#list, name, value, () => this.#open("append"));
  }

  /** Takes a name out. */
  delete(name: string): void {
    if (!isHeadersObject(this)) throw wrongThis("Headers");
    requireArguments(arguments.length, 1, "Headers.delete");
    name = lowerName(name, "delete");
    this.#open("delete").delete(name);
  }

  /** The values of a name, joined by ", "; null if there are none. */
  get(name: string): string | null {
    if (!isHeadersObject(this)) throw wrongThis("Headers");
    requireArguments(arguments.length, 1, "Headers.get");
    return this.#list.get(lowerName(name, "get"));
  }

  has(name: string): boolean {
    if (!isHeadersObject(this)) throw wrongThis("Headers");
    requireArguments(arguments.length, 1, "Headers.has");
    return this.#list.has(lowerName(name, "has"));
  }

  /** Makes a value the only one of its name. */
  set(name: string, value: unknown): void {
    if (!isHeadersObject(this)) throw wrongThis("Headers");
    requireArguments(arguments.length, 2, "Headers.set");
    name = `${name}`;
    const lower = lowerName(name, "set");
    value = checkValue(toValue(value, "set"), "set");
    this.#open("set").set(lower, name, value as string);
  }

  /** The values of set-cookie, one by one. */
  getSetCookie(): string[] {
    if (!isHeadersObject(this)) throw wrongThis("Headers");
    return this.#list.getAll("set-cookie");
  }

  /** The values of "set-cookie" one by one; there is no other name that this is for (Bun). */
  getAll(name: unknown): string[] {
    if (!isHeadersObject(this)) throw wrongThis("Headers");
    requireArguments(arguments.length, 1, "Headers.getAll");
    if (`${name}`.toLowerCase() !== "set-cookie") throw new TypeError('Only "set-cookie" is supported.');
    return this.#list.getAll("set-cookie");
  }

  /** An object of names and values; set-cookie is an array (Bun). */
  toJSON(): Record<string, unknown> {
    if (!isHeadersObject(this)) throw wrongThis("Headers");
    const result: Record<string, string | string[]> = {};
    for (const [name, value] of this.#list.sorted()) {
      if (name === "set-cookie") ((result[name] ??= []) as string[]).push(value);
      else result[name] = value;
    }
    return result;
  }

  /** How many headers there are, each set-cookie counted (Bun). */
  get count(): number {
    if (!isHeadersObject(this)) throw wrongThis("Headers");
    return this.#list.sorted().length;
  }

  [kInspect](depth: number, options: { depth?: unknown } | null | undefined): string {
    if (typeof depth === "number" && depth < 0) return "[Headers]";
    const { inspect } = require("internal/util/inspect");
    const shown: Record<string, string> = {};
    const { items } = this.#list;
    for (let i = 0; i < items.length; i += 3) shown[items[i + 1]] ??= this.#list.get(items[i])!;
    return `Headers ${inspect(shown, { ...options, depth: options?.depth ?? 2 })}`;
  }
}

function appendChecked(list: HeaderList, name: string, value: unknown, open?: () => void): void {
  name = `${name}`;
  const lower = lowerName(name, "append");
  value = checkValue(toValue(value, "append"), "append");
  open?.();
  list.append(lower, name, value as string);
}

/** Adds what may initialize headers: a Headers, a sequence of pairs or a record. */
export function fillHeaders(list: HeaderList, init: unknown): void {
  if (init === null || (typeof init !== "object" && typeof init !== "function")) {
    throw new TypeError(
      "Headers constructor: Argument 1 could not be converted to one of: " +
        "sequence<sequence<ByteString>>, record<ByteString, ByteString>.",
    );
  }
  if (isHeadersObject(init) && init[Symbol.iterator] === Headers.prototype[Symbol.iterator]) {
    for (const item of headerListOf(init).items) list.items.push(item);
    return;
  }
  const iterate = (init as Partial<Iterable<unknown>>)[Symbol.iterator];
  if (iterate !== undefined && iterate !== null) {
    const pairs: unknown[][] = [];
    for (const pair of init as Iterable<Iterable<unknown> | null>) {
      if (pair === null || typeof pair !== "object" || typeof pair[Symbol.iterator] !== "function") {
        throw new TypeError("Headers constructor: expected a sequence of name/value pairs.");
      }
      pairs.push([...pair]);
    }
    for (const pair of pairs) {
      if (pair.length !== 2) {
        throw new TypeError(`Headers constructor: expected name/value pair to be length 2, found ${pair.length}.`);
      }
      appendChecked(list, pair[0] as string, pair[1]);
    }
    return;
  }
  // In the order of WebIDL's record conversion: proxies see each key looked at before it is read.
  const pairs: [string, string][] = [];
  for (const key of Reflect.ownKeys(init)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(init, key);
    if (descriptor === undefined || !descriptor.enumerable) continue;
    if (typeof key === "symbol") throw new TypeError("Headers constructor: Key Symbol() in init is a symbol.");
    const name = byteString(key, "Headers constructor");
    pairs.push([name, byteString((init as { [key: string]: unknown })[key], "Headers constructor")]);
  }
  for (const [name, value] of pairs) appendChecked(list, name, value);
}

finishInterface(Headers, "Headers", [
  "append",
  "delete",
  "get",
  "has",
  "set",
  "getSetCookie",
  "getAll",
  "toJSON",
  "count",
]);
Object.defineProperty(Headers, "length", { value: 0, configurable: true });
makeIterable(Headers, "Headers", (object) => {
  if (!isHeadersObject(object)) throw wrongThis("Headers");
  return headerListOf(object).sorted();
});

/** A Headers on a list, which is not copied. With `closed`, programs cannot change it. */
export function wrapHeaders(list: HeaderList, closed = false): Headers {
  return new Headers(kList, list, closed);
}

export { Headers };
