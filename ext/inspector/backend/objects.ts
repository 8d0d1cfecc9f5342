// Values of the program as the protocol's remote objects: their names, previews, properties, and the table of those that a
// client holds. Nothing here runs code of the program, except a getter that a client asks for.
import type { Agent } from "internal/inspector/backend/agent";
import { type Fields, INVALID_PARAMS, Refusal } from "internal/inspector/backend/protocol";

/** How a value is described. */
interface Manner {
  group?: string | undefined;
  byValue?: boolean;
  preview?: boolean;
}

/** What a client can hold beside objects of the program. */
export type Held =
  | { kind: "object"; object: Debug.Obj }
  | { kind: "scope"; variables: Map<string, Debug.Environment> }
  | { kind: "entries"; entries: Entry[] }
  | { kind: "entry"; entry: Entry };

/** An entry of a map, or a value of a set. */
interface Entry {
  key?: { value: Debug.Value };
  value: Debug.Value;
}

/** Most properties of a preview, most items of a preview, most characters of a string in one. */
const PREVIEW_PROPERTIES = 5;
const PREVIEW_ITEMS = 100;
const PREVIEW_TEXT = 100;
/** Levels of objects that are given by value. */
const MOST_DEPTH = 1000;

const { isFinite } = Number;
/** Whether a value of the program is an object. */
export const isObject = (value: Debug.Value): value is Debug.Obj => value instanceof Debugger.Object;

// Methods of this realm's, which look through wrappers and run no code of the program.
const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, "size")!.get!;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, "size")!.get!;
const { toString: functionText } = Function.prototype;
const { getTime, toString: dateText } = Date.prototype;
const { apply } = Reflect;
const regExpSource = Object.getOwnPropertyDescriptor(RegExp.prototype, "source")!.get!;
const FLAGS = [
  "hasIndices",
  "global",
  "ignoreCase",
  "multiline",
  "dotAll",
  "unicode",
  "unicodeSets",
  "sticky",
] as const;
const FLAG_LETTERS = "dgimsuvy";
const flagGetters = FLAGS.map((name) => Object.getOwnPropertyDescriptor(RegExp.prototype, name)!.get!);
const bufferLength = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength")!.get!;
const typedGetter = (name: string) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name)!.get!;
const typedLength = typedGetter("length");
const typedBuffer = typedGetter("buffer");
const typedBytes = typedGetter("byteLength");
const typedOffset = typedGetter("byteOffset");
const viewLength = Object.getOwnPropertyDescriptor(DataView.prototype, "byteLength")!.get!;

const TYPED = /^(?:Int8|Uint8|Uint8Clamped|Int16|Uint16|Int32|Uint32|Float16|Float32|Float64|BigInt64|BigUint64)Array$/;

/** The subtypes of the protocol by the engine's classes. */
const SUBTYPES: Record<string, string> = {
  __proto__: null as never,
  Array: "array",
  Arguments: "array",
  RegExp: "regexp",
  Date: "date",
  Map: "map",
  Set: "set",
  WeakMap: "weakmap",
  WeakSet: "weakset",
  "Map Iterator": "iterator",
  "Set Iterator": "iterator",
  "Array Iterator": "iterator",
  "String Iterator": "iterator",
  Generator: "generator",
  AsyncGenerator: "generator",
  Error: "error",
  Promise: "promise",
  ArrayBuffer: "arraybuffer",
  SharedArrayBuffer: "arraybuffer",
  DataView: "dataview",
};

function subtypeOf(object: Debug.Obj): string | undefined {
  if (object.isProxy) return "proxy";
  if (object.callable) return undefined;
  if (object.isError) return "error";
  const name = object.class;
  return TYPED.test(name) ? "typedarray" : SUBTYPES[name];
}

/** The value of a data property, looked for along prototypes; undefined where there is none or it is computed. */
function dataProperty(object: Debug.Obj, key: string | symbol): Debug.Value {
  for (let holder: Debug.Obj | null = object; holder !== null && !holder.isProxy; holder = holder.proto) {
    const found = holder.getOwnPropertyDescriptor(key);
    if (found !== undefined) return found.value;
  }
  return undefined;
}

/** The name of an object's class, as V8 finds it. */
function classNameOf(object: Debug.Obj): string {
  if (object.isProxy) return object.proxyTarget === null ? "Object" : classNameOf(object.proxyTarget);
  if (object.callable) {
    const tag = dataProperty(object, Symbol.toStringTag);
    return typeof tag === "string" && tag.endsWith("Function") ? tag : "Function";
  }
  let from: Debug.Obj | null = object;
  if (object.getOwnPropertyDescriptor("constructor") !== undefined) {
    // The prototype of a class is no instance of it.
    const tag = object.getOwnPropertyDescriptor(Symbol.toStringTag)?.value;
    if (typeof tag === "string") return tag;
    from = object.proto;
  }
  const constructor = from === null ? undefined : dataProperty(from, "constructor");
  if (isObject(constructor) && constructor.callable && !constructor.isProxy) {
    const name = dataProperty(constructor, "name");
    // Objects of the language that have no class are known by the engine's name: Math, JSON, Arguments.
    if (typeof name === "string" && name !== "" && (name !== "Object" || object.isError)) return name;
  }
  if (object.class.endsWith(".prototype")) return "Object";
  return /^(?:Map|Set|RegExp String) Iterator$/.test(object.class) ? object.class.replaceAll(" ", "") : object.class;
}

/** Own properties of errors that V8 does not have. */
const PLACE_OF_ERROR = ["fileName", "lineNumber", "columnNumber"];

function lengthOf(object: Debug.Obj): number {
  const length = object.getOwnPropertyDescriptor("length")?.value;
  return typeof length === "number" ? length : 0;
}

/** The text of an error's `stack`, as V8's description has it. */
function errorText(object: Debug.Obj): string {
  for (let holder: Debug.Obj | null = object; holder !== null && !holder.isProxy; holder = holder.proto) {
    const found = holder.getOwnPropertyDescriptor("stack");
    if (found === undefined) continue;
    if (typeof found.value === "string") return found.value;
    // The engine's own getter has no script; one of the program's is not called.
    if (found.get !== undefined && found.get.script == null) {
      const stack = found.get.call(object)?.return;
      if (typeof stack === "string" && stack !== "") return stack;
    }
    break;
  }
  const name = dataProperty(object, "name");
  const message = dataProperty(object, "message");
  const head = typeof name === "string" ? name : classNameOf(object);
  return typeof message === "string" && message !== "" ? `${head}: ${message}` : head;
}

function regExpText(inside: object): string {
  let flags = "";
  flagGetters.forEach((getter, index) => {
    if (apply(getter, inside, [])) flags += FLAG_LETTERS[index];
  });
  return `/${apply(regExpSource, inside, [])}/${flags}`;
}

/** What an object is called. */
function descriptionOf(object: Debug.Obj): string {
  if (object.isProxy) return `Proxy(${classNameOf(object)})`;
  const inside = object.unsafeDereference();
  if (object.callable) {
    const text = apply(functionText, inside, []) as string;
    return text.replace(/\{\s+\[native code\]\s+\}$/, "{ [native code] }");
  }
  const name = classNameOf(object);
  if (object.isError) return errorText(object);
  switch (object.class) {
    case "Array":
    case "Arguments":
      return `${name}(${lengthOf(object)})`;
    case "Map":
      return `${name}(${apply(mapSize, inside, [])})`;
    case "Set":
      return `${name}(${apply(setSize, inside, [])})`;
    case "RegExp":
      return regExpText(inside);
    case "Date":
      return Number.isNaN(apply(getTime, inside, [])) ? "Invalid Date" : (apply(dateText, inside, []) as string);
    case "ArrayBuffer":
      return `${name}(${apply(bufferLength, inside, [])})`;
    case "DataView":
      return `${name}(${apply(viewLength, inside, [])})`;
    default:
      return TYPED.test(object.class) ? `${name}(${apply(typedLength, inside, [])})` : name;
  }
}

/** The entries of a map or a set, no more than the first `most` of them. */
function entriesOf(agent: Agent, object: Debug.Obj, most = Infinity): Entry[] {
  // In the program's realm: iterators of a stopped program can be made by the debugger, and not be asked.
  const isMap = object.class === "Map";
  const list = agent.entriesOf(object, isMap);
  const item = (index: number) => list.getOwnPropertyDescriptor(`${index}`)?.value;
  const entries: Entry[] = [];
  const length = lengthOf(list);
  for (let index = 0; index < length && entries.length < most; index += isMap ? 2 : 1) {
    entries.push(isMap ? { key: { value: item(index) }, value: item(index + 1) } : { value: item(index) });
  }
  return entries;
}

/** What an object has inside that its preview shows: the state of a promise, the value of a wrapper. */
function insideOf(object: Debug.Obj): [string, Debug.Value][] {
  if (object.isPromise) {
    const state = object.promiseState;
    const result =
      state === "fulfilled" ? object.promiseValue : state === "rejected" ? object.promiseReason : undefined;
    return [
      ["PromiseState", state],
      ["PromiseResult", result],
    ];
  }
  if (["Number", "String", "Boolean", "Symbol", "BigInt"].includes(object.class)) {
    const { valueOf } = (globalThis as unknown as Record<string, { prototype: { valueOf(): unknown } }>)[object.class]!
      .prototype;
    return [["PrimitiveValue", apply(valueOf, object.unsafeDereference(), []) as Debug.Primitive]];
  }
  return [];
}

/** A value that is no object, and what stands for one that is missing. */
function primitive(value: Debug.Value): Fields {
  switch (typeof value) {
    case "string":
      return { type: "string", value };
    case "boolean":
      return { type: "boolean", value };
    case "number": {
      if (isFinite(value) && !Object.is(value, -0)) return { type: "number", value, description: `${value}` };
      const text = Object.is(value, -0) ? "-0" : `${value}`;
      return { type: "number", unserializableValue: text, description: text };
    }
    case "bigint":
      return { type: "bigint", unserializableValue: `${value}n`, description: `${value}n` };
    case "symbol":
      return { type: "symbol", description: symbolText(value) };
    case "object":
      if (value === null) return { type: "object", subtype: "null", value: null };
  }
  return { type: "undefined" };
}

function symbolText(symbol: symbol): string {
  return `Symbol(${symbol.description ?? ""})`;
}

function shortened(text: string): string {
  return text.length > PREVIEW_TEXT ? `${text.slice(0, PREVIEW_TEXT)}…` : text;
}

export class Objects {
  readonly #session: number;
  readonly #agent: Agent;
  readonly #held = new Map<string, { held: Held; group: string | undefined }>();
  #last = 0;

  constructor(session: number, agent: Agent) {
    this.#session = session;
    this.#agent = agent;
  }

  /** Holds something for the client; gives its id. */
  hold(held: Held, group?: string): string {
    const id = `${this.#session}.1.${++this.#last}`;
    this.#held.set(id, { held, group });
    return id;
  }

  find(id: string): Held {
    const found = this.#held.get(id);
    if (found === undefined) throw new Refusal("Could not find object with given id");
    return found.held;
  }

  /** The group that an object was held for. */
  groupOf(id: string): string | undefined {
    return this.#held.get(id)?.group;
  }

  /** The object of the program with an id. */
  object(id: string): Debug.Obj {
    const held = this.find(id);
    if (held.kind !== "object") throw new Refusal("Object is not one of the program's");
    return held.object;
  }

  release(id: string): void {
    this.#held.delete(id);
  }

  releaseGroup(group: string): void {
    for (const [id, entry] of this.#held) if (entry.group === group) this.#held.delete(id);
  }

  clear(): void {
    this.#held.clear();
  }

  /** A value as the protocol's RemoteObject. */
  remote(value: Debug.Value, manner: Manner = {}): Fields {
    if (typeof value === "symbol") {
      return { ...primitive(value), objectId: this.hold({ kind: "entry", entry: { value } }, manner.group) };
    }
    if (!isObject(value)) return primitive(value);
    if (manner.byValue === true) {
      return { ...(value.callable ? { type: "function" } : typeAndSubtype(value)), value: this.byValue(value) };
    }
    const remote: Fields = {
      ...typeAndSubtype(value),
      className: value.isProxy ? "Object" : classNameOf(value),
      description: descriptionOf(value),
      objectId: this.hold({ kind: "object", object: value }, manner.group),
    };
    if (manner.preview === true && !value.callable) remote.preview = this.preview(value);
    return remote;
  }

  /** A value as JSON has it. */
  byValue(value: Debug.Value, depth = 0): unknown {
    if (depth > MOST_DEPTH) throw new Refusal("Object reference chain is too long");
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return isFinite(value) ? value : null;
      case "bigint":
        throw new Refusal("Object couldn't be returned by value");
      case "symbol":
        throw new Refusal("Object couldn't be returned by value");
    }
    if (!isObject(value)) return value === null ? null : undefined;
    if (value.callable) return {};
    const read = (key: string) => {
      const got = value.getProperty(key);
      if (got === null || !("return" in got)) throw new Refusal("Object couldn't be returned by value");
      return this.byValue(got.return, depth + 1);
    };
    if (value.class === "Array") {
      return Array.from({ length: lengthOf(value) }, (_, index) => read(`${index}`) ?? null);
    }
    const result: Fields = {};
    for (const key of value.getOwnPropertyNames()) {
      if (value.getOwnPropertyDescriptor(key)?.enumerable !== true) continue;
      const item = read(key);
      if (item !== undefined) Object.defineProperty(result, key, { value: item, enumerable: true, writable: true });
    }
    return result;
  }

  /** The protocol's ObjectPreview. */
  preview(object: Debug.Obj, inner = false): Fields {
    const properties: Fields[] = [];
    const subtype = subtypeOf(object);
    const isList = subtype === "array" || subtype === "typedarray";
    const preview: Fields = {
      ...typeAndSubtype(object),
      description: shortened(descriptionOf(object)),
      overflow: false,
    };
    preview.properties = properties;
    if (subtype === "map" || subtype === "set") {
      properties.push({ name: "size", type: "number", value: /\((\d+)\)$/.exec(descriptionOf(object))?.[1] });
    }
    if (!inner && (subtype === "map" || subtype === "set")) {
      const first = entriesOf(this.#agent, object, PREVIEW_PROPERTIES + 1);
      preview.entries = first.slice(0, PREVIEW_PROPERTIES).map(({ key, value }) => ({
        ...(key === undefined ? {} : { key: this.#previewValue(key.value) }),
        value: this.#previewValue(value),
      }));
      if (first.length > PREVIEW_PROPERTIES) preview.overflow = true;
    }
    if (subtype === "proxy") return preview;
    const add = (name: string, descriptor: Debug.Descriptor) => {
      properties.push({ name, ...this.#previewProperty(descriptor) });
    };
    for (const [name, value] of insideOf(object)) add(`[[${name}]]`, { value });
    if (object.isError) {
      add("stack", { value: errorText(object) });
      const message = object.getOwnPropertyDescriptor("message");
      if (message !== undefined) add("message", message);
    }
    const most = isList ? PREVIEW_ITEMS : PREVIEW_PROPERTIES;
    const keys = [
      ...object.getOwnPrivateProperties(),
      ...object.getOwnPropertyNames(),
      ...object.getOwnPropertySymbols(),
    ];
    const privates = new Set<unknown>(keys.slice(0, object.getOwnPrivateProperties().length));
    for (const key of keys) {
      if (object.isError && (key === "stack" || key === "message")) continue;
      const descriptor = object.getOwnPropertyDescriptor(key);
      if (descriptor === undefined || (!privates.has(key) && descriptor.enumerable !== true)) continue;
      if (!("value" in descriptor) && descriptor.get === undefined) continue;
      if (properties.length >= most) {
        preview.overflow = true;
        break;
      }
      if (privates.has(key)) add((key as symbol).description ?? "", descriptor);
      else add(typeof key === "symbol" ? symbolText(key) : key, descriptor);
    }
    if (subtype === "typedarray") {
      const inside = object.unsafeDereference();
      add("buffer", { value: this.#agent.program.makeDebuggeeValue(apply(typedBuffer, inside, [])) });
      add("byteLength", { value: apply(typedBytes, inside, []) as number });
      add("byteOffset", { value: apply(typedOffset, inside, []) as number });
      add("length", { value: apply(typedLength, inside, []) as number });
    }
    return preview;
  }

  #previewProperty(descriptor: Debug.Descriptor): Fields {
    if (!("value" in descriptor)) return { type: "accessor" };
    const { value } = descriptor;
    if (isObject(value)) {
      const { type, subtype } = typeAndSubtype(value);
      const text = value.callable ? "" : shortened(descriptionOf(value));
      return { type, value: text, ...(subtype === undefined ? {} : { subtype }) };
    }
    const { type, subtype, value: plain, description, unserializableValue } = primitive(value);
    const text =
      typeof plain === "string" ? shortened(plain) : (unserializableValue ?? description ?? `${plain as string}`);
    return { type, value: type === "undefined" ? "undefined" : text, ...(subtype === undefined ? {} : { subtype }) };
  }

  #previewValue(value: Debug.Value): Fields {
    if (isObject(value)) return this.preview(value, true);
    const { type, subtype, value: plain, description } = primitive(value);
    const text =
      typeof plain === "string" ? shortened(plain) : (description ?? (type === "undefined" ? "undefined" : `${plain}`));
    return { type, ...(subtype === undefined ? {} : { subtype }), description: text, overflow: false, properties: [] };
  }

  /** The answer of `Runtime.getProperties`. */
  properties(id: string, params: Fields): Fields {
    const held = this.find(id);
    const manner: Manner = { group: this.groupOf(id), preview: params.generatePreview === true };
    switch (held.kind) {
      case "scope": {
        const result = [...held.variables].map(([name, environment]) => ({
          name,
          value: this.remote(environment.getVariable(name), manner),
          writable: true,
          configurable: true,
          enumerable: true,
          isOwn: true,
        }));
        return { result };
      }
      case "entries": {
        const result = held.entries.map((entry, index) => ({
          name: `${index}`,
          value: this.#entry(entry, manner),
          writable: true,
          configurable: true,
          enumerable: true,
          isOwn: true,
        }));
        return { result };
      }
      case "entry": {
        const { key, value } = held.entry;
        const result: Fields[] = [];
        const add = (name: string, of: Debug.Value) =>
          result.push({
            name,
            value: this.remote(of, manner),
            writable: true,
            configurable: true,
            enumerable: true,
            isOwn: true,
          });
        if (key !== undefined) add("key", key.value);
        if (typeof value !== "symbol") add("value", value);
        return { result };
      }
    }
    const { object } = held;
    const result: Fields[] = [];
    const seen = new Set<string | symbol>();
    const ownOnly = params.ownProperties === true;
    for (let holder: Debug.Obj | null = object; holder !== null; holder = ownOnly ? null : holder.proto) {
      // Its handler is the program's code.
      if (holder.isProxy) break;
      const keys = [...holder.getOwnPropertyNames(), ...holder.getOwnPropertySymbols()];
      for (const key of keys) {
        if (seen.has(key) || (holder.isError && PLACE_OF_ERROR.includes(key as string))) continue;
        seen.add(key);
        if (params.nonIndexedPropertiesOnly === true && typeof key === "string" && /^(?:0|[1-9]\d*)$/.test(key))
          continue;
        const descriptor = holder.getOwnPropertyDescriptor(key);
        if (descriptor !== undefined) this.#addProperty(result, key, descriptor, holder === object, manner, params);
      }
    }
    const answer: Fields = { result, internalProperties: this.#internal(object, manner) };
    const hidden = object.isProxy ? [] : object.getOwnPrivateProperties();
    if (hidden.length > 0 && params.accessorPropertiesOnly !== true) {
      answer.privateProperties = hidden.map((key) => {
        const { value, get, set } = object.getOwnPropertyDescriptor(key) ?? {};
        const name = key.description ?? "";
        if (get === undefined && set === undefined) return { name, value: this.remote(value, manner) };
        return {
          name,
          ...(get === undefined ? {} : { get: this.remote(get, manner) }),
          ...(set === undefined ? {} : { set: this.remote(set, manner) }),
        };
      });
    }
    return answer;
  }

  #addProperty(
    result: Fields[],
    key: string | symbol,
    descriptor: Debug.Descriptor,
    isOwn: boolean,
    manner: Manner,
    params: Fields,
  ): void {
    const isData = "value" in descriptor;
    if (params.accessorPropertiesOnly === true && isData) return;
    const property: Fields = { name: typeof key === "symbol" ? symbolText(key) : key };
    if (isData) {
      property.value = this.remote(descriptor.value, manner);
      property.writable = descriptor.writable === true;
    } else {
      property.get = this.remote(descriptor.get, { group: manner.group });
      property.set = this.remote(descriptor.set, { group: manner.group });
    }
    property.configurable = descriptor.configurable === true;
    property.enumerable = descriptor.enumerable === true;
    property.isOwn = isOwn;
    if (typeof key === "symbol") property.symbol = this.remote(key, { group: manner.group });
    result.push(property);
  }

  /** An entry of a map, or a value of a set, as an object. */
  #entry(entry: Entry, manner: Manner): Fields {
    const short = (value: Debug.Value) => (this.#previewValue(value).description as string) ?? "";
    const quoted = (value: Debug.Value) => (typeof value === "string" ? `"${shortened(value)}"` : short(value));
    const { key, value } = entry;
    return {
      type: "object",
      subtype: "internal#entry",
      className: "Object",
      description: key === undefined ? quoted(value) : `{${quoted(key.value)} => ${quoted(value)}}`,
      objectId: this.hold({ kind: "entry", entry }, manner.group),
    };
  }

  /** What an object has inside. */
  #internal(object: Debug.Obj, manner: Manner): Fields[] {
    const internal: Fields[] = [];
    const add = (name: string, value: Debug.Value) =>
      internal.push({ name: `[[${name}]]`, value: this.remote(value, manner) });
    if (object.isProxy) {
      add("Handler", object.proxyHandler);
      add("Target", object.proxyTarget);
      add("IsRevoked", object.proxyTarget === null);
      return internal;
    }
    if (object.proto !== null) add("Prototype", object.proto);
    for (const [name, value] of insideOf(object)) add(name, value);
    if (object.callable) {
      if (object.isBoundFunction === true) {
        add("TargetFunction", object.boundTargetFunction);
        add("BoundThis", object.boundThis);
      }
      const place = this.#agent.placeOfFunction(object);
      if (place !== undefined) {
        internal.push({
          name: "[[FunctionLocation]]",
          value: { type: "object", subtype: "internal#location", value: place, description: "Object" },
        });
      }
    }
    if (object.class === "Map" || object.class === "Set") {
      const entries = entriesOf(this.#agent, object);
      internal.push({
        name: "[[Entries]]",
        value: {
          type: "object",
          subtype: "array",
          className: "Array",
          description: `Array(${entries.length})`,
          objectId: this.hold({ kind: "entries", entries }, manner.group),
        },
      });
    }
    return internal;
  }

  /** The value of the protocol's CallArgument. */
  argument(argument: Fields): Debug.Value {
    if (typeof argument.objectId === "string") {
      const held = this.find(argument.objectId);
      if (held.kind === "entry" && held.entry.key === undefined) return held.entry.value;
      return this.object(argument.objectId);
    }
    const { unserializableValue: special, value } = argument;
    if (typeof special === "string") {
      if (/^-?\d+n$/.test(special)) return BigInt(special.slice(0, -1));
      if (["NaN", "Infinity", "-Infinity", "-0"].includes(special)) return Number(special);
      throw new Refusal("Couldn't parse value object in call argument", INVALID_PARAMS);
    }
    if (typeof value !== "object" || value === null) return value as Debug.Primitive;
    // Made in the program's realm, of what JSON can say.
    return this.#agent.evaluate(`(${JSON.stringify(value)})`);
  }
}

function typeAndSubtype(object: Debug.Obj): Fields {
  if (object.callable) return { type: "function" };
  const subtype = subtypeOf(object);
  return subtype === undefined ? { type: "object" } : { type: "object", subtype };
}
