// `URLSearchParams` (https://url.spec.whatwg.org/#urlsearchparams) as Node shows it, and its iterators. The pairs are one
// flat array: name, value, name, value.
import type { InspectContext } from "internal/util/inspect_types";
import { codes } from "internal/core/errors";
import { validateFunction } from "internal/core/validators";

const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

/** How an object stands to the URL it belongs to. */
const UNLINKED = 0;
const IN_STEP = 1;
const CHANGED = 2;

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Percent-decodes where decodeURIComponent will not: malformed sequences stay, invalid UTF-8 becomes U+FFFD. */
function decodeLoose(text: string): string {
  const bytes = Buffer.from(text);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i]!;
    if (byte === 37 && i + 2 < bytes.length) {
      const high = hexDigit(bytes[i + 1]!);
      const low = hexDigit(bytes[i + 2]!);
      if (high !== -1 && low !== -1) {
        byte = high * 16 + low;
        i += 2;
      }
    }
    bytes[length++] = byte;
  }
  return bytes.toString("utf8", 0, length);
}

/** Decodes a name or value. */
function decode(part: string): string {
  if (part.includes("+")) part = part.replaceAll("+", " ");
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return decodeLoose(part);
  }
}

/** The pairs of form-urlencoded text (without "?"). */
export function parsePairs(text: string): string[] {
  const list: string[] = [];
  const { length } = text;
  if (length === 0) return list;
  const encoded = text.includes("%") || text.includes("+");
  let equals = text.indexOf("=");
  let at = 0;
  while (at < length) {
    let end = text.indexOf("&", at);
    if (end === -1) end = length;
    if (end > at) {
      if (equals !== -1 && equals < at) equals = text.indexOf("=", at);
      const split = equals !== -1 && equals < end ? equals : end;
      const name = text.slice(at, split);
      const value = split === end ? "" : text.slice(split + 1, end);
      if (encoded) list.push(decode(name), decode(value));
      else list.push(name, value);
    }
    at = end + 1;
  }
  return list;
}

/** What each ASCII character is in form-urlencoded text: letters, digits and *-._ stay. */
const encodedAscii: string[] = [];
const staysPlain = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  const plain = /[A-Za-z0-9*\-._]/.test(char);
  staysPlain[code] = plain ? 1 : 0;
  encodedAscii.push(plain ? char : code === 32 ? "+" : percent(code));
}

function percent(byte: number): string {
  return `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`;
}

/** Form-urlencodes a well-formed string. */
function encode(text: string): string {
  const { length } = text;
  let out = "";
  /** Where the characters begin that stay as they are and are not in `out` yet. */
  let from = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code < 128) {
      if (staysPlain[code] === 1) continue;
      if (i > from) out += text.slice(from, i);
      out += encodedAscii[code];
    } else {
      if (i > from) out += text.slice(from, i);
      // As long as characters are not ASCII they go together; a pair of surrogates must.
      const start = i;
      while (i + 1 < length && text.charCodeAt(i + 1) >= 128) i++;
      out += encodeURIComponent(text.slice(start, i + 1));
    }
    from = i + 1;
  }
  if (from === 0) return text;
  return from < length ? out + text.slice(from) : out;
}

/** Form-urlencodes pairs. */
function serializePairs(list: string[]): string {
  let out = "";
  for (let i = 0; i < list.length; i += 2) {
    if (i > 0) out += "&";
    out += `${encode(list[i]!)}=${encode(list[i + 1]!)}`;
  }
  return out;
}

/** Conversion to USVString: unpaired surrogates become U+FFFD. */
function usv(value: unknown): string {
  // In the words of V8, which programs compare.
  if (typeof value === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
  const text = `${value}`;
  // A call of the engine's costs more than a look at each unit of a short text.
  if (text.length > 24) return text.toWellFormed();
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xf800) === 0xd800) return text.toWellFormed();
  return text;
}

/** The pairs of an iterable of pairs. */
function pairsOf(init: unknown, method: unknown): string[] {
  if (typeof method !== "function") throw new codes.ERR_ARG_NOT_ITERABLE("Query pairs");
  const list: string[] = [];
  for (const pair of { [Symbol.iterator]: () => method.call(init) }) {
    const iterable = pair !== null && (typeof pair === "object" || typeof pair === "function");
    if (!iterable || typeof pair[Symbol.iterator] !== "function") throw tupleError();
    let count = 0;
    for (const item of pair) {
      list.push(usv(item));
      count++;
    }
    if (count !== 2) throw tupleError();
  }
  return list;
}

function tupleError(): Error {
  return new codes.ERR_INVALID_TUPLE("Each query pair", "[name, value]");
}

const { ownKeys } = Reflect;
const { propertyIsEnumerable: isEnumerable } = Object.prototype;

function indexOfName(list: string[], name: string): number {
  for (let i = 0; i < list.length; i += 2) if (list[i] === name) return i;
  return -1;
}

/** The pairs of an object's own enumerable properties. Names that are equal once they are well-formed are one. */
function pairsOfRecord(init: object): string[] {
  const list: string[] = [];
  const keys = ownKeys(init);
  /** Only then can two names be equal. */
  let converted = false;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (!isEnumerable.call(init, key)) continue;
    // A symbol throws here.
    const name = usv(key);
    const value = usv((init as { [key: PropertyKey]: unknown })[key]);
    converted ||= name !== key;
    if (converted) {
      const before = indexOfName(list, name);
      if (before !== -1) {
        list[before + 1] = value;
        continue;
      }
    }
    list.push(name, value);
  }
  return list;
}

/** Makes the object behind url.searchParams. */
let createLinked: (search: string) => URLSearchParams;
/** Whether a linked object was changed since the last call; the URL puts the change into its href. */
let takeChanges: (params: URLSearchParams) => boolean;
/** Replaces all pairs after the URL's query was changed. */
let replaceAll: (params: URLSearchParams, search: string) => void;
let listOf: (params: URLSearchParams) => string[];
let isParams: (value: unknown) => value is URLSearchParams;

function wrongThis(): Error {
  return new codes.ERR_INVALID_THIS("URLSearchParams");
}

class URLSearchParams {
  #list: string[];
  #link = UNLINKED;

  static {
    createLinked = (search) => {
      const params = new URLSearchParams(search);
      params.#link = IN_STEP;
      return params;
    };
    takeChanges = (params) => {
      if (params.#link !== CHANGED) return false;
      params.#link = IN_STEP;
      return true;
    };
    replaceAll = (params, search) => {
      params.#link = IN_STEP;
      params.#list = parsePairs(search.slice(1));
    };
    listOf = (params) => params.#list;
    isParams = (value): value is URLSearchParams => typeof value === "object" && value !== null && #list in value;
  }

  /**
   * @param init text with or without "?", an iterable of pairs, another URLSearchParams, or a record
   * Throws ERR_ARG_NOT_ITERABLE, ERR_INVALID_TUPLE.
   */
  constructor(init: unknown = undefined) {
    if (init == null) {
      this.#list = [];
    } else if (typeof init === "object" || typeof init === "function") {
      const method = (init as Iterable<unknown>)[Symbol.iterator];
      if (#list in init && method === (URLSearchParams.prototype as unknown as Iterable<unknown>)[Symbol.iterator])
        this.#list = init.#list.slice();
      else if (method != null) this.#list = pairsOf(init, method);
      else this.#list = pairsOfRecord(init);
    } else {
      const text = usv(init);
      this.#list = parsePairs(text.charCodeAt(0) === 63 ? text.slice(1) : text);
    }
  }

  #changed(): void {
    if (this.#link === IN_STEP) this.#link = CHANGED;
  }

  [inspectCustom](depth: number | null, options: InspectContext) {
    if (!isParams(this)) throw wrongThis();
    if (typeof depth === "number" && depth < 0) return options.stylize("[Object]", "special");
    const { inspect } = require("internal/util/inspect");
    const inner = depth === null ? { ...options } : { ...options, depth: depth - 1 };
    const shown: string[] = [];
    let length = -2;
    for (let i = 0; i < this.#list.length; i += 2) {
      const text = `${inspect(this.#list[i], inner)} => ${inspect(this.#list[i + 1], inner)}`;
      shown.push(text);
      // Colours take no room.
      length += text.replace(/\u001b\[\d\d?m/g, "").length + 2;
    }
    const { name } = this.constructor;
    if (length > options.breakLength) return `${name} {\n  ${shown.join(",\n  ")} }`;
    return shown.length > 0 ? `${name} { ${shown.join(", ")} }` : `${name} {}`;
  }

  /** Number of pairs. */
  get size(): number {
    if (!isParams(this)) throw wrongThis();
    return this.#list.length / 2;
  }

  /** The same, as in Bun. */
  get length(): number {
    if (!isParams(this)) throw wrongThis();
    return this.#list.length / 2;
  }

  /** An object of the pairs, with an array where a name is there more than once, as in Bun. */
  toJSON(): Record<string, string | string[]> {
    if (!isParams(this)) throw wrongThis();
    const object: Record<string, string | string[]> = {};
    const list = this.#list;
    for (let i = 0; i < list.length; i += 2) {
      const name = list[i]!;
      const known = Object.hasOwn(object, name) ? object[name] : undefined;
      if (Array.isArray(known)) known.push(list[i + 1]!);
      else {
        const value = known === undefined ? list[i + 1]! : [known, list[i + 1]!];
        // A name can be that of an accessor of Object.prototype.
        Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
      }
    }
    return object;
  }

  append(name: string, value: string): void {
    if (!isParams(this)) throw wrongThis();
    if (arguments.length < 2) throw new codes.ERR_MISSING_ARGS("name", "value");
    this.#list.push(usv(name), usv(value));
    this.#changed();
  }

  /** Removes the pairs of a name, or only those that also have the value. */
  delete(name: string, value: unknown = undefined): void {
    if (!isParams(this)) throw wrongThis();
    if (arguments.length < 1) throw new codes.ERR_MISSING_ARGS("name");
    name = usv(name);
    if (value !== undefined) value = usv(value);
    const list = this.#list;
    let kept = 0;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === name && (value === undefined || list[i + 1] === value)) continue;
      list[kept++] = list[i]!;
      list[kept++] = list[i + 1]!;
    }
    list.length = kept;
    this.#changed();
  }

  /** The first value of a name, or null. */
  get(name: string): string | null {
    if (!isParams(this)) throw wrongThis();
    if (arguments.length < 1) throw new codes.ERR_MISSING_ARGS("name");
    name = usv(name);
    const list = this.#list;
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) return list[i + 1]!;
    return null;
  }

  getAll(name: string): string[] {
    if (!isParams(this)) throw wrongThis();
    if (arguments.length < 1) throw new codes.ERR_MISSING_ARGS("name");
    name = usv(name);
    const list = this.#list;
    const values: string[] = [];
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) values.push(list[i + 1]!);
    return values;
  }

  /** Whether there is a pair of this name, and of this value if one is given. */
  has(name: string, value: unknown = undefined): boolean {
    if (!isParams(this)) throw wrongThis();
    if (arguments.length < 1) throw new codes.ERR_MISSING_ARGS("name");
    name = usv(name);
    if (value !== undefined) value = usv(value);
    const list = this.#list;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === name && (value === undefined || list[i + 1] === value)) return true;
    }
    return false;
  }

  /** Gives the first pair of a name the value and removes the others, or adds a pair. */
  set(name: string, value: string): void {
    if (!isParams(this)) throw wrongThis();
    if (arguments.length < 2) throw new codes.ERR_MISSING_ARGS("name", "value");
    name = usv(name);
    value = usv(value);
    const list = this.#list;
    let kept = 0;
    let found = false;
    for (let i = 0; i < list.length; i += 2) {
      const match = list[i] === name;
      if (match && found) continue;
      list[kept++] = list[i]!;
      list[kept++] = match ? value : list[i + 1]!;
      found ||= match;
    }
    list.length = kept;
    if (!found) list.push(name, value);
    this.#changed();
  }

  /** Sorts by name (by code units); pairs of one name keep their order. */
  sort(): void {
    if (!isParams(this)) throw wrongThis();
    const list = this.#list;
    const pairs: [string, string][] = [];
    for (let i = 0; i < list.length; i += 2) pairs.push([list[i]!, list[i + 1]!]);
    pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    for (let i = 0; i < pairs.length; i++) [list[2 * i], list[2 * i + 1]] = pairs[i]!;
    this.#changed();
  }

  entries() {
    if (!isParams(this)) throw wrongThis();
    return new URLSearchParamsIterator(this, ENTRIES);
  }

  forEach(
    callback: (value: string, name: string, params: URLSearchParams) => void,
    thisArg: unknown = undefined,
  ): void {
    if (!isParams(this)) throw wrongThis();
    validateFunction(callback, "callback");
    // The callback may change the list, or have the URL give it a new one.
    for (let i = 0; i < this.#list.length; i += 2) callback.call(thisArg, this.#list[i + 1]!, this.#list[i]!, this);
  }

  keys() {
    if (!isParams(this)) throw wrongThis();
    return new URLSearchParamsIterator(this, KEYS);
  }

  values() {
    if (!isParams(this)) throw wrongThis();
    return new URLSearchParamsIterator(this, VALUES);
  }

  toString(): string {
    if (!isParams(this)) throw wrongThis();
    return serializePairs(this.#list);
  }
}

const KEYS = 0;
const VALUES = 1;
const ENTRIES = 2;

/** Iterates over the live list by position. */
class URLSearchParamsIterator {
  #target: URLSearchParams;
  #kind: number;
  #index = 0;

  constructor(target: URLSearchParams, kind: number) {
    this.#target = target;
    this.#kind = kind;
  }

  next() {
    if (typeof this !== "object" || this === null || !(#target in this)) {
      throw new codes.ERR_INVALID_THIS("URLSearchParamsIterator");
    }
    const list = listOf(this.#target);
    const i = this.#index;
    if (i >= list.length) return { value: undefined, done: true };
    this.#index = i + 2;
    return { value: this.#item(list, i), done: false };
  }

  #item(list: string[], i: number): string | [string, string] {
    if (this.#kind === ENTRIES) return [list[i]!, list[i + 1]!];
    return list[this.#kind === KEYS ? i : i + 1]!;
  }

  [inspectCustom](depth: number | null, options: InspectContext) {
    if (this == null || typeof this !== "object" || !(#target in this)) {
      throw new codes.ERR_INVALID_THIS("URLSearchParamsIterator");
    }
    if (typeof depth === "number" && depth < 0) return options.stylize("[Object]", "special");
    const { inspect } = require("internal/util/inspect");
    const inner = depth === null ? { ...options } : { ...options, depth: depth - 1 };
    const list = listOf(this.#target);
    const left = [];
    for (let i = this.#index; i < list.length; i += 2) left.push(this.#item(list, i));
    const lines = inspect(left, inner).includes("\n");
    const shown = left.map((item) => inspect(item, inner)).join(lines ? ",\n  " : ", ");
    return `${(this as { [Symbol.toStringTag]?: string })[Symbol.toStringTag]} {${lines ? "\n  " : " "}${shown} }`;
  }
}

export { createLinked, replaceAll, takeChanges, URLSearchParams };

const enumerable = { enumerable: true };
delete (URLSearchParamsIterator.prototype as { constructor?: unknown }).constructor;
Object.setPrototypeOf(URLSearchParamsIterator.prototype, Iterator.prototype);
Object.defineProperties(URLSearchParamsIterator.prototype, {
  [Symbol.toStringTag]: { configurable: true, value: "URLSearchParams Iterator" },
  next: enumerable,
});
Object.defineProperties(URLSearchParams.prototype, {
  append: enumerable,
  delete: enumerable,
  get: enumerable,
  getAll: enumerable,
  has: enumerable,
  set: enumerable,
  sort: enumerable,
  entries: enumerable,
  forEach: enumerable,
  keys: enumerable,
  values: enumerable,
  toString: enumerable,
  size: enumerable,
  length: enumerable,
  toJSON: enumerable,
  [Symbol.toStringTag]: { configurable: true, value: "URLSearchParams" },
  [Symbol.iterator]: {
    configurable: true,
    writable: true,
    value: Object.getOwnPropertyDescriptor(URLSearchParams.prototype, "entries")!.value,
  },
});
