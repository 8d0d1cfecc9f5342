// Bun.inspect: values as Bun's console shows them (https://bun.com/docs/runtime/utils#bun-inspect). node:util has Node's form.
//
// Text is collected piece by piece together with an estimate of how long the current line is; long lists are broken where
// the estimate says so.
import { invalidType } from "bun/util";
import {
  classOf,
  isProxy,
  kArguments,
  kArrayBuffer,
  kBigInt,
  kBoolean,
  kDate,
  kError,
  kMap,
  kMapIterator,
  kNumber,
  kPromise,
  kProxy,
  kRegExp,
  kSet,
  kSetIterator,
  kSharedArrayBuffer,
  kString,
  kWeakMap,
  kWeakSet,
  typedArrayTag,
} from "internal/util/types";

const natives = native("inspect");
/** "12 bytes", "1.50 KB": two decimals unless the number is about whole. */
function sizeText(size: number): string {
  if (size === 0) return "0 KB";
  if (size < 512) return `${size} bytes`;
  const magnitude = Math.max(1, Math.floor(Math.log10(size) / 3));
  const value = size / 1000 ** magnitude;
  return `${value.toFixed(value - Math.trunc(value) <= 0.1 ? 1 : 2)} ${" KMGT"[magnitude]}B`;
}

const custom = Symbol.for("nodejs.util.inspect.custom");
const { getOwnPropertyDescriptor, getOwnPropertySymbols, getPrototypeOf, keys } = Object;
const { propertyIsEnumerable } = Object.prototype;

/** Longest estimated line of a list. */
const LINE = 80;
/** Longest list that stays on the line where it begins. */
const SHORT_LIST = 10;
const MOST_ITEMS = 100;
const MOST_BYTES = 50;
const beyondAscii = /[^\x00-\x7f]/;
const asciiIdentifier = /^[A-Za-z_$][\w$]*$/;

interface Settings {
  colors: boolean;
  depth: number;
  sorted: boolean;
  compact: boolean;
}

/** @param depthGiven with a boolean as `options`, which then says whether there are colours */
function settingsOf(options: unknown, depthGiven?: unknown): Settings {
  const settings = { colors: false, depth: 8, sorted: false, compact: false };
  if (typeof options === "boolean") return settingsOf({ colors: options, depth: depthGiven });
  if (typeof options !== "object" || options === null) return settings;
  const { colors, depth, sorted, compact } = options as Partial<Settings>;
  if (colors !== undefined) settings.colors = Boolean(colors);
  if (typeof depth === "number") {
    if (Number.isNaN(depth)) throw invalidType("expected depth to be an integer, got NaN");
    if (depth < 0) throw invalidType(`expected depth to be greater than or equal to 0, got ${depth}`);
    settings.depth = depth;
  } else if (depth === null) settings.depth = Infinity;
  if (sorted !== undefined) settings.sorted = Boolean(sorted);
  if (compact !== undefined) settings.compact = Boolean(compact);
  return settings;
}

const lineStarts = Array.from({ length: 16 }, (_, indent) => `\n${"  ".repeat(indent)}`);

/** Names of properties as they are shown, for those that have been shown. */
const labels = new Map<string, string>();

function labelOf(name: string): string {
  let label = labels.get(name);
  if (label === undefined) {
    label = asciiIdentifier.test(name) ? name : JSON.stringify(name);
    if (labels.size > 1000) labels.clear();
    labels.set(name, label);
  }
  return label;
}

/** A Blob or File with the method that shows a Bun.file. */ interface BlobShape {
  name?: string;
  type: string;
  size: number;
  lastModified?: number;
  [custom]?(depth: number, options: object): string;
}
/** What may have a tag. */ type Tagged = { [Symbol.toStringTag]?: unknown };
/** How many entries a Set or Map has, whatever a program has made of its `size`. */
const setSize = getOwnPropertyDescriptor(Set.prototype, "size")!.get!;
const mapSize = getOwnPropertyDescriptor(Map.prototype, "size")!.get!;
/** Writes one value, in pieces that {@link inspect} gives together. */
export class Printer {
  text = "";
  indent = 0;
  /** Estimated length of the line so far. */
  line = 0;
  depth = 0;
  above: unknown[] = [];
  settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  resetLine(): void {
    this.line = this.indent * 2;
  }

  /** Whether it is time for a new line. */
  isLong(): boolean {
    if (this.line <= LINE) return false;
    this.resetLine();
    return true;
  }

  newLine(): void {
    this.text += lineStarts[this.indent] ?? `\n${"  ".repeat(this.indent)}`;
  }

  /** Writes text of `length` columns in a colour. */
  paint(text: string, color: number, length = text.length): void {
    this.line += length;
    this.text += this.settings.colors ? `\x1b[0m\x1b[${color}m${text}\x1b[0m` : text;
  }

  comma(): void {
    this.text += this.settings.colors ? "\x1b[0m\x1b[2m,\x1b[0m" : ",";
    this.line++;
  }

  space(): void {
    this.text += " ";
    this.line++;
  }

  value(value: unknown, inProperty = false): void {
    switch (typeof value) {
      case "string":
        return this.string(value, inProperty);
      case "number":
        return this.paint(Object.is(value, -0) ? "-0" : `${value}`, 33);
      case "bigint":
        return this.paint(`${value}n`, 33, `${value}`.length);
      case "boolean":
        return this.paint(`${value}`, 33);
      case "undefined":
        return this.paint("undefined", 2);
      case "symbol":
        return this.paint(value.toString(), 34);
      case "function":
        return this.callable(value);
    }
    if (value === null) return this.paint("null", 33);
    this.object(value as object);
  }

  string(value: string, inProperty: boolean): void {
    let quoted = JSON.stringify(value);
    if (quoted.includes("\x7f")) quoted = quoted.replaceAll("\x7f", "\\u007F");
    // The quotes are not counted.
    this.line += beyondAscii.test(value) ? native("encoding").utf8Length(value) : value.length;
    if (!this.settings.colors) this.text += quoted;
    else
      this.text += inProperty
        ? `\x1b[0m\x1b[32m\x1b[0m\x1b[32m${quoted}\x1b[0m\x1b[0m`
        : `\x1b[0m\x1b[32m${quoted}\x1b[0m`;
  }

  callable(value: Function): void {
    const shown = this.custom(value);
    if (shown) return;
    let text: string;
    const source = isProxy(value) ? "" : Function.prototype.toString.call(value);
    const name = getOwnPropertyDescriptor(value, "name")?.value;
    const label = typeof name === "string" ? name : "";
    if (source.startsWith("class")) {
      const base = getPrototypeOf(value);
      text = `[class ${label || "(anonymous)"}${base?.name ? ` extends ${base.name}` : ""}]`;
    } else {
      const tag = (value as Tagged)[Symbol.toStringTag];
      const kind = typeof tag === "string" && tag.endsWith("Function") ? tag : "Function";
      text = label === "" ? `[${kind}]` : `[${kind}: ${label}]`;
    }
    this.text += this.settings.colors ? `\x1b[36m${text}\x1b[0m` : text;
  }

  /** What an object's own inspection method gives. */
  custom(value: object): boolean {
    let method: ((...values: unknown[]) => unknown) | undefined;
    try {
      method = (value as { [custom]?: typeof method })[custom];
    } catch {
      return false;
    }
    if (method === undefined || typeof method !== "function" || this.isHost(value)) return false;
    if ("_onTimeout" in value || "_onImmediate" in value || "timeStamp" in value) {
      if (require("bun/inspect_web").writeHost(this, value)) return true;
    }
    const depth = this.settings.depth - this.depth;
    const { colors } = this.settings;
    // As for util.inspect, whose function it is that comes along: Bun does so too.
    const { inspect: nodeInspect } = require("internal/util/inspect");
    const stylize = (text: unknown, style: string) => {
      const codes = colors ? nodeInspect.colors[nodeInspect.styles[style] as string] : undefined;
      return codes === undefined ? `${text}` : `\x1b[${codes[0]}m${text}\x1b[${codes[1]}m`;
    };
    let result: unknown;
    try {
      result = method.call(value, depth, { stylize, depth: this.settings.depth, colors }, nodeInspect);
    } catch (error) {
      // The prototype of a class is not an object of it, which is what its method expects.
      if (getOwnPropertyDescriptor(value, "constructor")?.value?.prototype === value) return false;
      throw error;
    }
    if (typeof result === "string") this.text += result;
    else if (result === value) return false;
    else this.value(result);
    return true;
  }

  /** bao's own classes have methods that show Node's form. */
  isHost(value: object): boolean {
    const tag = (value as Tagged)[Symbol.toStringTag];
    switch (tag) {
      case "URLSearchParams":
      case "Headers":
      case "Blob":
      case "File":
        return true;
      case "CookieMap":
        return require("bun/cookie").CookieMap.prototype.isPrototypeOf(value);
      case "FormData":
        return require("web/form_data").isFormData(value);
      case "Request":
        return require("web/request").isRequest(value);
      case "Response":
        return require("web/response").isResponse(value);
    }
    return typedArrayTag(value) !== undefined;
  }

  object(value: object): void {
    // Once for each object: the only question that goes to the engine.
    const kind = classOf(value);
    if (kind === kProxy) {
      const target = natives.proxyDetails(value)?.[0];
      return target === null || target === undefined ? void (this.text += "<Revoked Proxy>") : this.value(target);
    }
    if (this.above.includes(value)) {
      this.text += this.settings.colors ? "\x1b[0m\x1b[36m[Circular]\x1b[0m" : "[Circular]";
      return;
    }
    if (this.custom(value)) return;
    this.above.push(value);
    this.depth++;
    this.body(value, kind);
    this.depth--;
    this.above.pop();
  }

  get isTooDeep(): boolean {
    return this.depth - 1 > this.settings.depth;
  }

  body(value: object, kind: number): void {
    if (Array.isArray(value)) return this.list(value, "", ownNames(value));
    if (kind === 0 && getPrototypeOf(value) === Object.prototype) {
      if ("$$typeof" in value) {
        const { isElement, writeElement } = require("bun/inspect_web");
        if (isElement(value)) return writeElement(this, value);
      }
      return this.plain(value);
    }
    switch (kind) {
      case kDate: {
        const time = (value as Date).getTime();
        return Number.isNaN(time) ? this.paint("Invalid Date", 35) : this.paint((value as Date).toISOString(), 35, 26);
      }
      case kRegExp:
        return this.paint(`${value}`, 31);
      case kError:
        return this.error(value as Error);
      case kMap:
        return this.map(value as Map<unknown, unknown>);
      case kSet:
        return this.set(value as Set<unknown>);
      case kWeakMap:
        return void (this.text += "WeakMap {}");
      case kWeakSet:
        return void (this.text += "WeakSet {}");
      case kMapIterator:
        return this.iterator("MapIterator", value);
      case kSetIterator:
        return this.iterator("SetIterator", value);
      case kPromise: {
        const state = ["pending", "resolved", "rejected"][natives.promiseDetails(value)![0]];
        return void (this.text += this.settings.colors
          ? `Promise { \x1b[0m\x1b[36m<${state}>\x1b[0m }`
          : `Promise { <${state}> }`);
      }
      case kArrayBuffer:
      case kSharedArrayBuffer:
        return this.numbers(
          kind === kArrayBuffer ? "ArrayBuffer" : "SharedArrayBuffer",
          new Uint8Array(value as ArrayBuffer),
        );
      case kArguments:
        return this.list(Array.prototype.slice.call(value as unknown[]), "", []);
      case kNumber:
        return this.paint(`[Number: ${Object.is(value.valueOf(), -0) ? "-0" : value}]`, 33);
      case kBoolean:
        return this.paint(`[Boolean: ${value}]`, 33);
      case kString:
        return this.string(`${value}`, false);
      case kBigInt:
        return this.paint(`[BigInt: ${value}n]`, 33);
    }
    const tag = typedArrayTag(value);
    if (tag !== undefined) {
      const { Buffer } = require("node:buffer");
      return value instanceof Buffer ? this.buffer(value as Buffer) : this.numbers(tag, value as Uint8Array);
    }
    if (value instanceof DataView)
      return this.numbers("DataView", new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    if (this.host(value)) return;
    this.plain(value);
  }

  /** Objects of the web's classes; false for others. */
  host(value: object): boolean {
    const tag = (value as Tagged)[Symbol.toStringTag];
    if (tag === "URLSearchParams" || tag === "Headers" || tag === "FormData") {
      const entries: [unknown, unknown][] = [];
      (value as Partial<Map<unknown, unknown>>).forEach?.((item, key) => entries.push([key, item]));
      this.entries(`${tag} `, require("bun/inspect_web").grouped(entries));
      return true;
    }
    if (tag === "CookieMap" && require("bun/cookie").CookieMap.prototype.isPrototypeOf(value)) {
      this.entries("", value as Iterable<[unknown, unknown]>);
      return true;
    }
    if ((tag === "Request" || tag === "Response") && this.isHost(value)) {
      this.message(tag, value);
      return true;
    }
    if (tag === "Blob" || tag === "File") {
      const { isBlob } = require("web/blob");
      if (!isBlob(value as unknown)) return false;
      const shown: { [key: string]: unknown } = {};
      if (require("bun/file").isBunFile(value)) {
        const name = (value as BlobShape).name;
        this.text += `FileRef (${name === undefined ? (value as BlobShape)[custom]!(1, {}).slice(9, -1).split(")")[0] : JSON.stringify(name)}) `;
        this.text += `{\n${"  ".repeat(this.indent + 1)}type: ${JSON.stringify((value as BlobShape).type)}\n${"  ".repeat(this.indent)}}`;
        return true;
      }
      if ((value as BlobShape).type !== "") shown.type = (value as BlobShape).type;
      if (tag === "File")
        Object.assign(shown, { name: (value as BlobShape).name, lastModified: (value as BlobShape).lastModified });
      const { size } = value as BlobShape;
      this.text += `${tag} (${sizeText(size)})`;
      if (keys(shown).length > 0) {
        const lines = keys(shown).map(
          (key) => `\n${"  ".repeat(this.indent + 1)}${key}: ${JSON.stringify(shown[key])}`,
        );
        this.text += ` {${lines.join(",")}\n${"  ".repeat(this.indent)}}`;
      }
      return true;
    }
    return false;
  }

  /** A Request or Response with what its body is. */
  message(tag: string, value: object): void {
    const isRequest = tag === "Request";
    const { body } = isRequest
      ? require("web/request").requestState(value)
      : require("web/response").responseState(value);
    const source = body?.source;
    const shown = isRequest
      ? ["method", "url", "headers"]
      : ["ok", "url", "status", "statusText", "headers", "redirected", "bodyUsed"];
    this.text += `${tag} (${sizeText(body?.length ?? 0)}) {`;
    this.indent++;
    for (let i = 0; i < shown.length; i++) {
      this.newLine();
      this.resetLine();
      this.text += `${shown[i]}: `;
      this.value((value as Record<string, unknown>)[shown[i]!]);
      // Headers of a Request are followed by nothing that they would have to be parted from.
      if (i < shown.length - 1 || (!isRequest && body !== null && !body.used)) this.comma();
    }
    if (body !== null && body !== undefined && !body.used) {
      this.newLine();
      if (source === undefined) this.value(body.stream);
      else if (typeof source === "string" || source instanceof Uint8Array)
        this.text += `Blob (${sizeText(body.length!)})`;
      else this.value(source);
    }
    this.indent--;
    this.newLine();
    this.text += "}";
    this.resetLine();
  }

  /** What an iterator of a Map or Set still has to give. */
  iterator(name: string, value: unknown): void {
    const found = natives.previewEntries(value);
    if (found === undefined) return void (this.text += `${name} { <items unknown> }`);
    const [items, arePairs] = found;
    this.text += `${name} { `;
    this.indent++;
    for (let i = 0; i < items.length; i += arePairs ? 2 : 1) {
      this.newLine();
      this.resetLine();
      this.value(arePairs ? [items[i], items[i + 1]] : items[i]);
      this.comma();
    }
    this.indent--;
    if (items.length > 0) this.newLine();
    this.text += "}";
    this.resetLine();
  }

  list(items: unknown[], prefix: string, names: (string | symbol)[]): void {
    const { length } = items;
    this.text += prefix;
    if (length === 0 && names.length === 0) {
      this.text += "[]";
      this.line += 2;
      return;
    }
    if (this.isTooDeep) return void (this.text += "[Array ...]");
    const { compact } = this.settings;
    this.indent++;
    this.line += 2;
    const first = length > 0 ? items[0] : undefined;
    let broken =
      !compact &&
      (length > SHORT_LIST ||
        (typeof first === "object" && first !== null) ||
        typeof first === "function" ||
        this.isLong());
    if (broken) {
      this.resetLine();
      this.text += "[";
      this.newLine();
    } else {
      this.text += "[ ";
      this.line += 2;
    }
    let shown = 0;
    let holes = 0;
    let isFirst = true;
    const next = () => {
      if (isFirst) {
        isFirst = false;
        return;
      }
      this.comma();
      if (!compact && this.isLong()) {
        broken = true;
        this.newLine();
      } else {
        this.space();
      }
    };
    const flush = () => {
      if (holes === 0) return;
      next();
      const text = holes === 1 ? "empty item" : `${holes} x empty items`;
      this.paint(text, 2, 0);
      holes = 0;
    };
    for (let i = 0; i < length; i++) {
      if (!(i in items)) {
        holes++;
        continue;
      }
      if (shown >= MOST_ITEMS) {
        this.comma();
        this.newLine();
        this.line = 0;
        this.text += `... ${length - i} more items`;
        broken = true;
        break;
      }
      flush();
      next();
      shown++;
      this.value(items[i]);
      if (this.settings.colors && typeof items[i] === "string") this.text += "\x1b[0m";
    }
    flush();
    for (const name of names) {
      next();
      this.property(items, name);
    }
    this.indent--;
    if (broken) {
      this.resetLine();
      this.newLine();
      this.text += "]";
      this.resetLine();
      this.line++;
    } else {
      this.text += " ]";
      this.line += 2;
    }
  }

  numbers(name: string, items: ArrayLike<number | bigint>): void {
    this.text += `${name}(${items.length}) `;
    if (items.length === 0) return void (this.text += "[]");
    this.text += "[ ";
    const isBig = typeof items[0] === "bigint";
    for (let i = 0; i < items.length; i++) {
      if (i > 0) {
        this.comma();
        if (i === 512) {
          this.text += ` ... ${items.length - i} more`;
          break;
        }
        this.space();
      }
      this.paint(isBig ? `${items[i]}n` : Object.is(items[i], -0) ? "-0" : `${items[i]}`, 33);
    }
    this.text += " ]";
  }

  buffer(value: Buffer): void {
    const hex = value.subarray(0, MOST_BYTES).toString("hex").replace(/../g, " $&");
    const more = value.length - MOST_BYTES;
    this.text += `<Buffer${hex}${more > 0 ? ` ... ${more} more byte${more === 1 ? "" : "s"}` : ""}>`;
  }

  map(value: Map<unknown, unknown>): void {
    const size = mapSize.call(value);
    if (size === 0) return void (this.text += "Map {}");
    if (this.isTooDeep) return void (this.text += "[Map ...]");
    this.entries(`Map(${size}) `, value);
  }

  entries(prefix: string, entries: Iterable<[unknown, unknown]>): void {
    this.text += prefix;
    let count = 0;
    const { compact } = this.settings;
    this.indent++;
    for (const [key, item] of entries) {
      this.text += count++ === 0 ? "{" : compact ? "," : "";
      if (compact) this.text += " ";
      else this.newLine();
      this.resetLine();
      this.value(key);
      this.text += ": ";
      this.value(item);
      if (!compact) this.comma();
    }
    this.indent--;
    if (count === 0) this.text += "{}";
    else if (compact) this.text += " }";
    else {
      this.newLine();
      this.text += "}";
    }
    this.resetLine();
  }

  set(value: Set<unknown>): void {
    const size = setSize.call(value);
    if (size === 0) return void (this.text += "Set {}");
    if (this.isTooDeep) return void (this.text += "[Set ...]");
    const { compact } = this.settings;
    this.text += `Set(${size}) {`;
    this.indent++;
    let isFirst = true;
    for (const item of value) {
      if (compact) this.text += isFirst ? " " : ", ";
      else this.newLine();
      isFirst = false;
      this.resetLine();
      this.value(item);
      if (!compact) this.comma();
    }
    this.indent--;
    if (compact) this.text += " }";
    else {
      this.newLine();
      this.text += "}";
    }
    this.resetLine();
  }

  property(holder: object, name: string | symbol): void {
    const { colors } = this.settings;
    let label: string;
    if (typeof name === "symbol") label = `[${name.toString()}]`;
    else label = labelOf(name);
    this.text += colors ? `\x1b[0m${label}\x1b[2m:\x1b[0m ` : `${label}: `;
    this.line += label.length + 1;
    const descriptor = getOwnPropertyDescriptor(holder, name) ?? descriptorOf(holder, name);
    if (descriptor !== undefined && !("value" in descriptor)) {
      const text =
        descriptor.get !== undefined ? (descriptor.set !== undefined ? "[Getter/Setter]" : "[Getter]") : "[Setter]";
      this.text += colors ? `\x1b[0m\x1b[36m${text}\x1b[0m` : text;
      return;
    }
    this.value(descriptor === undefined ? (holder as Record<PropertyKey, unknown>)[name] : descriptor.value, true);
  }

  plain(value: object): void {
    let names: (string | symbol)[] = ownNames(value);
    const prototype = getPrototypeOf(value);
    const className = nameOf(value, prototype);
    if (prototype !== null && prototype !== Object.prototype) addAccessors(names, prototype);
    if (this.settings.sorted) names = names.sort((a, b) => (`${String(a)}` < `${String(b)}` ? -1 : 1));
    if (this.isTooDeep && names.length > 0) {
      const text = `[${className === "" || className.startsWith("[") ? "Object" : className} ...]`;
      return void (this.text += this.settings.colors ? `\x1b[0m\x1b[36m${text}\x1b[0m` : text);
    }
    if (className !== "") this.text += `${className} `;
    if (names.length === 0) {
      this.text += "{}";
      this.resetLine();
      return;
    }
    const { compact } = this.settings;
    this.text += "{";
    this.indent++;
    for (let i = 0; i < names.length; i++) {
      if (compact) this.text += i === 0 ? " " : ", ";
      else this.newLine();
      this.resetLine();
      this.property(value, names[i]!);
      if (!compact) this.comma();
    }
    this.indent--;
    if (compact) this.text += " }";
    else {
      this.newLine();
      this.text += "}";
    }
    this.resetLine();
  }

  error(error: Error & { errors?: unknown }): void {
    if (this.isTooDeep) return void (this.text += `[${error.name}]`);
    const { colors } = this.settings;
    const name = `${error.name}`;
    const message = `${error.message}`;
    const head = name === "Error" && message !== "" ? "error" : name;
    this.text += colors
      ? `\x1b[0m\x1b[31m${head}\x1b[0m\x1b[2m:\x1b[0m \x1b[1m${message}\x1b[0m`
      : `${head}: ${message}`;
    const names = ownNames(error).filter(
      (key) => key !== "cause" && key !== "stack" && key !== "message" && key !== "name",
    );
    if (names.length > 0) {
      const width = Math.max(...names.map((key) => String(key).length));
      this.text += "\n";
      for (const [index, key] of names.entries()) {
        this.text += `${index === 0 ? "" : ",\n"}${" ".repeat(width - String(key).length + 1)}`;
        this.property(error, key);
      }
      this.text += "\n";
    }
    for (const line of `${error.stack}`.split("\n")) {
      const frame = /^\s+at (.*)$/.exec(line);
      if (frame) this.text += `\n      at ${frame[1]}`;
    }
    this.text += "\n";
    const { cause } = error;
    if (Array.isArray(error.errors)) {
      for (const inner of error.errors) {
        this.text += "\n";
        this.value(inner);
      }
    }
    if (cause !== undefined) {
      this.text += "\n";
      this.value(cause);
    }
  }
}

/** Own enumerable names, symbols last; of lists without the indices. */
function ownNames(value: object): (string | symbol)[] {
  if (Array.isArray(value)) return natives.ownNonIndexKeys(value, true);
  const names: (string | symbol)[] = keys(value);
  const symbols = getOwnPropertySymbols(value);
  for (const symbol of symbols)
    if (propertyIsEnumerable.call(value, symbol) && symbol !== Symbol.toStringTag) names.push(symbol);
  return names;
}

function descriptorOf(holder: object, name: string | symbol): PropertyDescriptor | undefined {
  for (let at = holder; at !== null; at = getPrototypeOf(at)) {
    const found = getOwnPropertyDescriptor(at, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Getters of the classes of a program are shown with its objects. */
function addAccessors(names: (string | symbol)[], prototype: object): void {
  for (let at = prototype; at !== null && at !== Object.prototype; at = getPrototypeOf(at)) {
    const constructor = getOwnPropertyDescriptor(at, "constructor")?.value;
    if (constructor === undefined) {
      // An object that others inherit from: what can be enumerated is shown.
      for (const name of keys(at)) if (!names.includes(name)) names.push(name);
      continue;
    }
    if (typeof constructor !== "function" || !Function.prototype.toString.call(constructor).startsWith("class")) return;
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name === "__proto__" || names.includes(name)) continue;
      const descriptor = getOwnPropertyDescriptor(at, name)!;
      if (descriptor.get !== undefined || descriptor.set !== undefined) names.push(name);
    }
  }
}

/** The name before the braces; "" for plain objects. */
function nameOf(value: object, prototype: { constructor: unknown } | null): string {
  if (prototype === null) return "[Object: null prototype]";
  const tag = getOwnPropertyDescriptor(value, Symbol.toStringTag)?.value;
  if (typeof tag === "string" && tag !== "") return tag;
  const { constructor } = prototype;
  const name = typeof constructor === "function" ? constructor.name : "";
  if (name === "Object" || name === "") {
    const inherited = (value as Tagged)[Symbol.toStringTag];
    return typeof inherited === "string" && inherited !== "Object" && !inherited.endsWith("Generator") ? inherited : "";
  }
  return name;
}

/**
 * `value` as text.
 * @param options `depth` (default 8), `colors`, `sorted`, `compact`
 */
export function inspect(value: unknown, options?: unknown, depth?: unknown): string {
  if (arguments.length === 0) return "";
  const printer = new Printer(settingsOf(options, depth));
  printer.value(value);
  return printer.text;
}
Object.defineProperty(inspect, "length", { value: 2 });
inspect.custom = custom;

/** Text for a cell. */
function cell(value: unknown, colors: boolean): string {
  if (typeof value === "string") return colors ? `\x1b[0m\x1b[32m${value}\x1b[0m` : value;
  return inspect(value, { compact: true, colors, depth: 5 });
}

/**
 * A table of rows (an array, object, Map or Set) as text.
 * @param properties the columns to show
 * @param options `colors`
 */
inspect.table = function table(data: unknown, properties?: unknown, options?: unknown): string {
  if (typeof data !== "object" || data === null) return "";
  if (properties !== undefined && !Array.isArray(properties)) [properties, options] = [undefined, properties];
  const colors = Boolean((options as Partial<Settings> | undefined)?.colors);
  const { stringWidth } = require("bun/text");
  const isMap = data instanceof Map;
  const rows = [];
  let index = 0;
  if (isMap) for (const [key, value] of data) rows.push([`${index++}`, value, key]);
  else if (data instanceof Set) for (const value of data) rows.push([`${index++}`, value]);
  else for (const key of keys(data)) rows.push([key, (data as Record<string, unknown>)[key]]);
  const columns: string[] = properties === undefined ? [] : (properties as unknown[]).map(String);
  let hasValues = false;
  const cells = rows.map(([, value]) => {
    const found: Record<string, string> = { __proto__: null as never };
    if (typeof value === "object" && value !== null && !isMap) {
      for (const key of properties === undefined ? keys(value) : columns) {
        if (!(key in value)) continue;
        found[key] = cell(value[key], colors);
        if (properties === undefined && !columns.includes(key)) columns.push(key);
      }
      return { found, own: undefined };
    }
    hasValues = true;
    return { found, own: cell(value, colors) };
  });
  // Lists of numbered columns stand in the order of the numbers.
  const names = ["", ...(isMap ? ["Key"] : []), ...columns, ...(hasValues ? ["Values"] : [])];
  const lines = rows.map(([label, , key], row) => [
    label,
    ...(isMap ? [cell(key, colors)] : []),
    ...columns.map((column) => cells[row]!.found[column] ?? ""),
    ...(hasValues ? [cells[row]!.own ?? ""] : []),
  ]);
  const widths = names.map((name, column) =>
    Math.max(column === 0 ? 1 : 0, stringWidth(name), ...lines.map((line) => stringWidth(line[column]!))),
  );
  const pad = (text: string, width: number) => ` ${text}${" ".repeat(width - stringWidth(text))} `;
  const rule = (left: string, middle: string, right: string) =>
    left + widths.map((width) => "─".repeat(width + 2)).join(middle) + right;
  const strong = (text: string, width: number) =>
    colors
      ? ` \x1b[0m\x1b[1m${text === "" ? " ".repeat(width) : text}\x1b[0m${" ".repeat(text === "" ? 0 : width - stringWidth(text))} `
      : pad(text, width);
  const row = (cells: string[], show = pad) =>
    `│${cells.map((text, column) => show(text, widths[column]!)).join("│")}│`;
  return [
    rule("┌", "┬", "┐"),
    row(names, strong),
    rule("├", "┼", "┤"),
    ...lines.map((line) => row(line)),
    rule("└", "┴", "┘"),
    "",
  ].join("\n");
};
