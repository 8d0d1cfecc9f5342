/**
 * Objects of bao's own classes in structured clone. The engine's serialiser takes them for plain objects: before it runs they are
 * replaced by marks, in a copy of the arrays and objects around them, and marks by new objects afterwards. Native code has looked
 * first: what is plain data, or holds only what the engine knows, never comes here.
 */

import { cannotClone, kClone, kTransfer, needsTransfer, Packed } from "internal/worker/messaging/hooks";

/** In the place of an object: `{ [MARK]: [module, name, data] }`, or a number of `local`. */
const MARK = "\u0000bao.object";
/** Around a message with marks in it. */
const WRAPPED = "\u0000bao.message";

/** Classes without hooks, by their Symbol.toStringTag: the module, and whether objects of it can be transferred. */
const kinds: Record<string, [module: BuiltinId, kind: "none" | "transfer" | "exception"]> = {
  __proto__: null as never,
  URL: ["web/url", "none"],
  URLSearchParams: ["web/url_search_params", "none"],
  URLPattern: ["web/url_pattern", "none"],
  Headers: ["web/headers", "none"],
  Request: ["web/request", "none"],
  Response: ["web/response", "none"],
  FormData: ["web/form_data", "none"],
  MessageEvent: ["web/events", "none"],
  BroadcastChannel: ["web/broadcast_channel", "none"],
  MessagePort: ["web/message_port", "transfer"],
  ReadableStream: ["web/streams", "transfer"],
  WritableStream: ["web/streams", "transfer"],
  TransformStream: ["web/streams", "transfer"],
  DOMException: ["web/dom_exception", "exception"],
};

/** The module and export for a {@link Packed}. A program can find the symbols and give anything: only built-in modules that have such an export are called. */
function receiver(module: unknown, name: unknown): (data: unknown) => unknown {
  if (typeof module === "string" && module.startsWith("/")) throw new Error(`Missing internal module '${module}'`);
  const known =
    typeof module === "string" &&
    /^(?:internal|web|bun)\//.test(module) &&
    typeof name === "string" &&
    name.startsWith("receive");
  if (!known) throw new Error(`Unknown deserialize spec ${module}:${name}`);
  const found = (require(module as BuiltinId) as Record<string, unknown>)[name];
  if (typeof found !== "function") throw new Error(`Unknown deserialize spec ${module}:${name}`);
  return found as (data: unknown) => unknown;
}

const { getPrototypeOf, getOwnPropertyDescriptor, hasOwn, keys } = Object;

/** What stands for an object: where its receiver is and the data for that, or a number of `local`. */
type Mark = { [MARK]: [module: string, name: string, data: unknown] | number };

/** An object that may have hooks. */
type Cloneable = object & { [kClone]?(): Packed; [kTransfer]?(): Packed; [Symbol.toStringTag]?: unknown };

/** What one message needs: the objects that are replaced, with what stands for them. */
interface Work {
  transfer: unknown[] | undefined;
  found: Map<object, Mark>;
  seen: Set<object>;
  /** Whether the copy stays in this thread: data that never changes is kept here instead of in the message. */
  local: unknown[] | undefined;
  /** process.env, where it is to be copied as the plain object that programs take it for: the serialiser refuses proxies. */
  env?: object | undefined;
}

/** What stands for an object of bao's own; undefined for any other. */
function packed(value: Cloneable, work: Work): Packed | undefined {
  const inList = work.transfer !== undefined && work.transfer.includes(value);
  if (inList && typeof value[kTransfer] === "function") {
    const moved = value[kTransfer]();
    work.transfer!.splice(work.transfer!.indexOf(value), 1);
    return moved;
  }
  if (inList) return undefined;
  if (typeof value[kClone] === "function") return value[kClone]();
  if (typeof value[kTransfer] === "function") throw needsTransfer();
  const tag = value[Symbol.toStringTag];
  const entry = typeof tag === "string" ? kinds[tag] : undefined;
  if (entry === undefined || hasOwn(value, "constructor") || !(value instanceof require(entry[0])[tag]))
    return packedError(value);
  if (entry[1] === "exception") {
    // Something else with that prototype.
    if (!Error.isError(value)) return undefined;
    const { message, name, stack } = value;
    return {
      module: "internal/worker/messaging/platform_objects",
      name: "receiveException",
      data: { message, name, stack },
    };
  }
  throw entry[1] === "none" ? cannotClone() : needsTransfer();
}

/** What an error is made of, see {@link packedError}. A field that the error does not have is not there. */
type ErrorData = {
  name: string;
  stack: string | undefined;
  message?: string;
  cause?: unknown;
  errors?: unknown;
} & ErrorPlace;

/** Where an error was made, in the engine's own fields, which its serialiser copies as well. */
type ErrorPlace = { fileName?: unknown; lineNumber?: unknown; columnNumber?: unknown };

const ERROR_PLACE = ["fileName", "lineNumber", "columnNumber"] as const;

/**
 * What stands for an error whose `stack` a program has set: the serialiser would write the frames of where it was made. A `stack`
 * that is not a string becomes undefined, as in Node and Bun. Undefined for everything else.
 */
function packedError(value: Cloneable): Packed | undefined {
  if (!hasOwn(value, "stack") || !Error.isError(value)) return undefined;
  const { name, stack } = value as { name: unknown; stack: unknown };
  const data: ErrorData = { name: String(name), stack: typeof stack === "string" ? stack : undefined };
  const own = (key: string) => {
    const property = getOwnPropertyDescriptor(value, key);
    return property !== undefined && "value" in property ? property : undefined;
  };
  const message = own("message");
  if (message !== undefined) data.message = String(message.value);
  const cause = own("cause");
  if (cause !== undefined) data.cause = cause.value;
  const errors = data.name === "AggregateError" ? own("errors") : undefined;
  if (errors !== undefined) data.errors = errors.value;
  for (const key of ERROR_PLACE) {
    const place: unknown = own(key)?.value;
    if (typeof place === "string" || typeof place === "number") data[key] = place;
  }
  return { module: "internal/worker/messaging/platform_objects", name: "receiveError", data };
}

/** The classes of errors that a copy keeps (HTML, StructuredSerializeInternal); any other becomes an Error. */
const errorClasses = new Map<string, ErrorConstructor>(
  [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((type) => [type.name, type]),
);

/** The object of an error, see {@link fillError}. */
function emptyError({ name }: ErrorData): Error {
  const error = name === "AggregateError" ? new AggregateError([]) : new (errorClasses.get(name) ?? Error)();
  for (const key of ERROR_PLACE) delete (error as ErrorPlace)[key];
  return error;
}

/** Gives an error its fields: by themselves, since they may lead back to it. */
function fillError(error: Error, data: ErrorData): void {
  for (const key of [...ERROR_PLACE, "stack", "message", "cause", "errors"] as const) {
    if (hasOwn(data, key))
      Object.defineProperty(error, key, { value: data[key], writable: true, configurable: true, enumerable: false });
  }
}

export function receiveError(data: ErrorData): Error {
  const error = emptyError(data);
  fillError(error, data);
  return error;
}

export function receiveException({ message, name, stack }: Error) {
  const { DOMException } = require("web/dom_exception");
  const copy = new DOMException(message, name);
  Object.defineProperty(copy, "stack", { value: stack, writable: true, configurable: true });
  return copy;
}

/** Looks for objects of bao's own in `value`. Accessors are left to the serialiser. */
function look(value: unknown, work: Work): void {
  if (value === null || typeof value !== "object" || work.seen.has(value)) return;
  work.seen.add(value);
  if (value === work.env) {
    work.found.set(value, { ...value } as Mark);
    return;
  }
  const { isMarkedAsUncloneable } = require("internal/worker/untransferable");
  if (isMarkedAsUncloneable(value)) throw cannotClone();
  const prototype = getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && prototype !== Array.prototype) {
    const stands = packed(value, work);
    if (stands !== undefined) {
      if (work.local !== undefined && stands.shared) {
        work.found.set(value, { [MARK]: work.local.push(stands) - 1 });
        return;
      }
      // The form that Node's own methods have, if a program has put one in the place of ours.
      const [module, name] = ((stands as { deserializeInfo?: string }).deserializeInfo?.split(":") as
        | [string, string]
        | undefined) ?? [stands.module, stands.name];
      const data: Mark = { [MARK]: [module, name, stands.data] };
      work.found.set(value, data);
      look(stands.data, work);
      return;
    }
    if (ArrayBuffer.isView(value) || Error.isError(value)) return;
    if (value instanceof Map) {
      for (const { 0: key, 1: item } of value) {
        look(key, work);
        look(item, work);
      }
      return;
    }
    if (value instanceof Set) {
      for (const item of value) look(item, work);
      return;
    }
  }
  for (const key of keys(value)) {
    const property = getOwnPropertyDescriptor(value, key);
    if (property !== undefined && "value" in property) look(property.value, work);
  }
}

/** A copy of the containers in `value` with marks in it, its other objects as they are. */
function copy(value: unknown, work: Work, copies: Map<object, object>): unknown {
  if (value === null || typeof value !== "object") return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const mark = work.found.get(value);
  if (mark !== undefined) {
    copies.set(value, mark);
    const inner = mark[MARK];
    if (typeof inner === "object") inner[2] = copy(inner[2], work, copies);
    return mark;
  }
  const prototype = getPrototypeOf(value);
  if (Array.isArray(value)) {
    const list = new Array(value.length);
    copies.set(value, list);
    for (const key of keys(value)) list[key as `${number}`] = copy(value[key as `${number}`], work, copies);
    return list;
  }
  if (value instanceof Map) {
    const map = new Map();
    copies.set(value, map);
    for (const { 0: key, 1: item } of value) map.set(copy(key, work, copies), copy(item, work, copies));
    return map;
  }
  if (value instanceof Set) {
    const set = new Set();
    copies.set(value, set);
    for (const item of value) set.add(copy(item, work, copies));
    return set;
  }
  const isPlain =
    prototype === null || prototype === Object.prototype || Object.prototype.toString.call(value) === "[object Object]";
  if (!isPlain || ArrayBuffer.isView(value) || Error.isError(value)) return value;
  const object: { [key: string]: unknown } = {};
  copies.set(value, object);
  for (const key of keys(value)) object[key] = copy((value as Record<string, unknown>)[key], work, copies);
  return object;
}

/**
 * The value to hand to the serialiser in place of `value`: the same where nothing of bao's own is in it. Objects that went by
 * `[kTransfer]` are taken out of `transfer`. `env`: process.env, to be copied. Throws DataCloneError.
 */
export function pack(value: unknown, transfer: unknown[] | undefined, local?: unknown[], env?: object): unknown {
  if (typeof value !== "object" || value === null) return value;
  const work: Work = { transfer, found: new Map(), seen: new Set(), local, env };
  look(value, work);
  if (work.found.size === 0) return value;
  return { [WRAPPED]: copy(value, work, new Map()) };
}

/** Puts objects in the place of marks in a copy, which is nobody else's yet. */
function restore(value: unknown, made: Map<object, unknown>, local: unknown[] | undefined, find = receiver): unknown {
  if (value === null || typeof value !== "object") return value;
  if (made.has(value)) return made.get(value);
  const prototype = getPrototypeOf(value);
  if (prototype === Object.prototype && hasOwn(value, MARK)) {
    const inner = (value as Mark)[MARK];
    if (typeof inner === "number") {
      const { module, name, data } = local![inner] as Packed;
      const object = find(module, name)(data);
      made.set(value, object);
      return object;
    }
    const receive = find(inner[0], inner[1]);
    if (receive === receiveError) {
      const error = emptyError(inner[2] as ErrorData);
      made.set(value, error);
      fillError(error, restore(inner[2], made, local, find) as ErrorData);
      return error;
    }
    const object = receive(restore(inner[2], made, local, find));
    made.set(value, object);
    return object;
  }
  made.set(value, value);
  if (value instanceof Map) {
    const entries = [...value];
    value.clear();
    for (const { 0: key, 1: item } of entries)
      value.set(restore(key, made, local, find), restore(item, made, local, find));
  } else if (value instanceof Set) {
    const items = [...value];
    value.clear();
    for (const item of items) value.add(restore(item, made, local, find));
  } else if (prototype === Object.prototype || Array.isArray(value)) {
    for (const key of keys(value))
      (value as Record<string, unknown>)[key] = restore((value as Record<string, unknown>)[key], made, local, find);
  }
  return value;
}

/** The value that {@link pack} was given, from what the serialiser gave back. */
export function unpack(value: unknown, local?: unknown[]): unknown {
  return restore((value as { [WRAPPED]: unknown })[WRAPPED], new Map(), local);
}

/** What may be kept outside of a process: everything that its data says in full. */
const storable: Record<string, string> = {
  __proto__: null as never,
  receiveBlob: "web/blob",
  receiveError: "internal/worker/messaging/platform_objects",
  receiveException: "internal/worker/messaging/platform_objects",
  receiveFile: "bun/file",
};

/** {@link pack} for bytes that may leave the process. Throws DataCloneError for objects that are nothing outside of it. */
export function packStorable(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const work: Work = { transfer: undefined, found: new Map(), seen: new Set(), local: undefined };
  look(value, work);
  if (work.found.size === 0) return value;
  for (const { [MARK]: mark } of work.found.values()) {
    if (typeof mark !== "object" || storable[mark[1]] !== mark[0]) throw cannotClone();
  }
  return { [WRAPPED]: copy(value, work, new Map()) };
}

/** The value that {@link packStorable} was given. Throws where the bytes ask for something that it does not write. */
export function unpackStorable(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !hasOwn(value, WRAPPED)) return value;
  const find = (module: unknown, name: unknown) => {
    if (typeof name !== "string" || storable[name] !== module) throw new Error(`Unknown object ${module}:${name}`);
    return receiver(module, name);
  };
  return restore((value as { [WRAPPED]: unknown })[WRAPPED], new Map(), undefined, find);
}
