// Values as the text of snapshots and diffs: the layout of Jest's pretty-format (https://jestjs.io/docs/snapshot-testing).
//
// Three styles: "bun" is what Bun writes into snapshots, to the letter, with what it does to texts of many lines, Maps and Sets
// inside of others, so that snapshots of Bun still match; "jest" is what Jest and vitest write; "diff" is for reading: keys as in
// a snapshot, control characters visible.
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
  kNumber,
  kPromise,
  kRegExp,
  kSet,
  kSharedArrayBuffer,
  kString,
  kSymbol,
  kWeakMap,
  kWeakSet,
  typedArrayTag,
} from "internal/util/types";

export type Style = "bun" | "jest" | "diff";

const { getOwnPropertyDescriptor, getOwnPropertySymbols, getPrototypeOf, keys } = Object;
const { propertyIsEnumerable } = Object.prototype;
const asymmetricType = Symbol.for("jest.asymmetricMatcher");

/** A plugin of `expect.addSnapshotSerializer`, with Jest's old (print) or new (serialize) interface. */
export interface Serializer {
  test(value: unknown): boolean;
  print?(
    value: unknown,
    print: (value: unknown) => string,
    indent: (text: string) => string,
    options: { edgeSpacing: string; min: boolean; spacing: string },
    colors: unknown,
  ): string;
  serialize?(
    value: unknown,
    config: unknown,
    indentation: string,
    depth: number,
    refs: unknown[],
    printer: unknown,
  ): string;
}

const serializers: Serializer[] = [];
const forget = () => void (serializers.length = 0);

/** The serializer added last is asked first. */
export function addSerializer(serializer: Serializer): void {
  if (
    (typeof serializer !== "object" && typeof serializer !== "function") ||
    serializer === null ||
    typeof serializer.test !== "function"
  ) {
    throw new TypeError(
      "expect.addSnapshotSerializer: a serializer is an object with test() and print() or serialize()",
    );
  }
  if (typeof serializer.print !== "function" && typeof serializer.serialize !== "function") {
    throw new TypeError(
      "expect.addSnapshotSerializer: a serializer is an object with test() and print() or serialize()",
    );
  }
  require("internal/test/bun_test/file_cleanup").atRenewal.add(forget);
  serializers.unshift(serializer);
}

const INDENT = "  ";
/** Indentation in differences, at most. */
const WIDEST = 64;
/** Beyond this a diff is of no use to anyone, and a cycle of getters would not end. */
const MOST_DEPTH = 1000;
const invisible = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff]/g;
const visible = (char: string) => {
  if (char === "\r") return "\\r";
  const code = char.charCodeAt(0);
  return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
};

/** Control characters as escapes, all but line feeds and tabs. */
const withEscapes = (text: string): string => text.replace(invisible, visible);

const emptyColors = new Proxy({}, { get: () => ({ open: "", close: "" }) });

/** The class of an object; of those of Node only `Buffer` can tell. */
interface Maker extends Function {
  isBuffer?: unknown;
}

/** An object that is shown, and what it may have that says how. */
interface Shown {
  constructor?: Maker;
  [Symbol.toStringTag]?: unknown;
  $$typeof?: unknown;
  asymmetricMatch?: unknown;
  toAsymmetricMatcher?(): string;
  sample?: unknown;
  nodeType?: unknown;
  nodeName?: unknown;
  toJSON?(): unknown;
  toString(): string;
  message?: unknown;
  name?: unknown;
  cause?: unknown;
  href?: unknown;
  entries?: unknown;
  size?: unknown;
}

/** A mock function. */
interface ShownMock extends Function {
  _isMockFunction?: unknown;
  [Symbol.toStringTag]?: unknown;
  getMockName(): string;
  mock: { calls: unknown[]; results: unknown[] };
}

export class Formatter {
  style: Style;
  above: unknown[] = [];
  /** Plain objects and lists are called "Object" and "Array", as Jest did before version 29. */
  namesPlain = false;

  constructor(style: Style) {
    this.style = style;
  }

  /** `value` where the lines that follow its first one are indented by `indent`. */
  value(value: unknown, indent: string): string {
    const { style } = this;
    if (style !== "diff" && serializers.length > 0) {
      const text = this.plugin(value, indent);
      if (text !== undefined) return text;
    }
    switch (typeof value) {
      case "string":
        return this.text(value, indent);
      case "number":
        return Object.is(value, -0) ? "-0" : `${value}`;
      case "bigint":
        return `${value}n`;
      case "boolean":
      case "undefined":
        return `${value}`;
      case "symbol":
        return value.toString();
      case "function":
        return this.callable(value as ShownMock, indent);
    }
    if (value === null) return "null";
    if (this.above.includes(value) || this.above.length > MOST_DEPTH) return "[Circular]";
    this.above.push(value);
    const text = this.object(value as Shown, indent);
    this.above.pop();
    return text;
  }

  text(value: string, indent: string): string {
    if (this.style === "diff") {
      const text = `"${withEscapes(value)}"`;
      // Its further lines begin where the line does, for what is in them stays as it is.
      return text;
    }
    if (this.style === "bun" && this.above.length > 0 && value.includes("\n")) return `\n"${value}"\n`;
    return `"${value}"`;
  }

  plugin(value: unknown, indent: string): string | undefined {
    for (const one of serializers) {
      if (!one.test(value)) continue;
      const config = {
        callToJSON: true,
        compareKeys: undefined,
        colors: emptyColors,
        escapeRegex: false,
        escapeString: false,
        indent: INDENT,
        maxDepth: Infinity,
        maxWidth: Infinity,
        min: false,
        plugins: serializers,
        printBasicPrototype: false,
        printFunctionName: true,
        spacingInner: "\n",
        spacingOuter: "\n",
      };
      if (one.serialize !== undefined) {
        return one.serialize(
          value,
          config,
          indent,
          this.above.length,
          [...this.above],
          (inner: unknown, _config: unknown, at: unknown) => this.value(inner, typeof at === "string" ? at : indent),
        );
      }
      return one.print!(
        value,
        (inner: unknown) => this.value(inner, indent),
        (text: string) => {
          const deeper = indent + INDENT;
          return deeper + text.replace(/\n/g, `\n${deeper}`);
        },
        { edgeSpacing: "\n", min: false, spacing: "\n" },
        emptyColors,
      );
    }
    return undefined;
  }

  callable(value: ShownMock, indent: string): string {
    if (value._isMockFunction === true && typeof value.getMockName === "function") {
      if (this.style === "bun") return "[class Function]";
      if (this.style === "jest") return this.mock(value, indent);
    }
    if (isProxy(value)) return "[Function]";
    const named = getOwnPropertyDescriptor(value, "name")?.value;
    const name: string = typeof named === "string" ? named : "";
    if (this.style === "jest") return `[Function ${name || "anonymous"}]`;
    const source = Function.prototype.toString.call(value);
    if (source.startsWith("class")) {
      const shown = this.style === "diff" || /^class\s+(?!extends\b)[^\s{]/.test(source) ? name : "";
      return shown === "" ? "[class]" : `[class ${shown}]`;
    }
    if (this.style === "diff") return name === "" ? "[Function]" : `[Function: ${name}]`;
    const tag = value[Symbol.toStringTag];
    if (typeof tag === "string" && tag.endsWith("Function")) return `[Function: ${tag}]`;
    // Only names that were written with the function count.
    const bare = name.startsWith("bound ") ? name.slice(6) : name;
    const isNamed =
      bare !== "" &&
      (source.includes("[native code]") ||
        (source.startsWith("function")
          ? /^function\s*\*?\s*[^\s(]/.test(source)
          : !/^\(?[^()]*\)?\s*=>|^\(.*=>/s.test(source) && !source.startsWith("[")));
    return isNamed ? `[Function: ${bare}]` : "[Function]";
  }

  mock(value: ShownMock, indent: string): string {
    const name = value.getMockName();
    const head = `[MockFunction${name === "" || name === "mockConstructor" || name === "jest.fn()" || name === "vi.fn()" ? "" : ` ${name}`}]`;
    if (value.mock.calls.length === 0) return head;
    const { calls, results } = value.mock;
    this.above.push(value);
    const text = `${head} ${this.braces(
      Object.entries({ calls, results }).map(
        ([key, item]) =>
          (at: string) =>
            `"${key}": ${this.value(item, at)}`,
      ),
      "{",
      "}",
      indent,
    )}`;
    this.above.pop();
    return text;
  }

  /** Items one to a line between brackets. */
  /** The indentation one level below; in differences it ends growing, so that lines of deep trees stay short. */
  deeper(indent: string): string {
    return this.style === "diff" && indent.length >= WIDEST ? indent : indent + INDENT;
  }

  braces(items: ((indent: string) => string)[], open: string, close: string, indent: string): string {
    if (items.length === 0) return open + close;
    const deeper = this.deeper(indent);
    let text = `${open}\n`;
    for (const item of items) text += `${deeper}${item(deeper)},\n`;
    return `${text}${indent}${close}`;
  }

  list(items: ArrayLike<unknown>, prefix: string, indent: string): string {
    if (items.length === 0) return `${prefix}[]`;
    const deeper = this.deeper(indent);
    let text = `${prefix}[\n`;
    // Jest leaves holes empty.
    const { style } = this;
    for (let i = 0; i < items.length; i++)
      text += `${deeper}${style === "jest" && !(i in items) ? "" : this.value(items[i], deeper)},\n`;
    return `${text}${indent}]`;
  }

  object(value: Shown, indent: string): string {
    const { style } = this;
    if (value.$$typeof === asymmetricType && typeof value.asymmetricMatch === "function")
      return this.asymmetric(value, indent);
    if (Array.isArray(value)) return this.list(value, this.listName(value), indent);
    const markup =
      value.$$typeof !== undefined || (typeof value.nodeType === "number" && typeof value.nodeName === "string");
    if (markup) {
      const text = require("internal/test/bun_test/format_markup").format(value, indent, this);
      if (text !== undefined) return text;
    }
    const kind = classOf(value);
    switch (kind) {
      case kDate:
        return Number.isNaN((value as Date).getTime()) ? "Date { NaN }" : (value as Date).toISOString();
      case kRegExp:
        return style === "jest" ? `${value}`.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&") : `${value}`;
      case kError:
        return this.error(value, indent);
      case kMap: {
        const entries = [...(value as Map<unknown, unknown>)].map(
          ([key, item]) =>
            (at: string) =>
              `${this.value(key, at)} => ${this.value(item, at)}`,
        );
        const text = this.braces(entries, "Map {", "}", indent);
        return style === "bun" && this.above.length > 1 && (value as Map<unknown, unknown>).size > 0
          ? `\n${text}\n`
          : text;
      }
      case kSet: {
        const text = this.braces(
          [...(value as Set<unknown>)].map((item) => (at: string) => this.value(item, at)),
          "Set {",
          "}",
          indent,
        );
        if (style !== "bun" || this.above.length < 2) return text;
        return (value as Set<unknown>).size > 0 ? `${indent}\n${text}\n` : indent + text;
      }
      case kWeakMap:
        return "WeakMap {}";
      case kWeakSet:
        return style === "bun" && this.above.length > 1 ? `${indent}WeakSet {}` : "WeakSet {}";
      case kPromise:
        return "Promise {}";
      case kArrayBuffer:
      case kSharedArrayBuffer:
        return this.list(
          new Uint8Array(value as ArrayBuffer),
          kind === kArrayBuffer || style === "bun" ? "ArrayBuffer " : "SharedArrayBuffer ",
          indent,
        );
      case kArguments:
        if (style === "bun") return JSON.stringify(value);
        return this.list(value as ArrayLike<unknown>, "Arguments ", indent);
      case kNumber:
      case kBoolean:
      case kString:
      case kBigInt:
      case kSymbol:
        if (style !== "bun")
          return `[${["Boolean", "Number", "String", "Symbol", "BigInt"][kind - kBoolean]}: ${this.value(value.valueOf(), indent)}]`;
    }
    const tag = typedArrayTag(value);
    if (tag !== undefined) {
      if (tag === "Uint8Array" && value.constructor?.isBuffer !== undefined) {
        return this.braces(
          [(at) => `"data": ${this.list(value as Uint8Array, "", at)}`, () => `"type": "Buffer"`],
          "{",
          "}",
          indent,
        );
      }
      return this.list(value as Uint8Array, `${tag} `, indent);
    }
    if (value instanceof DataView)
      return this.list(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), "DataView ", indent);
    if (style === "jest" && typeof value.toJSON === "function" && this.above.length < MOST_DEPTH)
      return this.value(value.toJSON(), indent);
    const host = this.host(value);
    if (host !== undefined) return host;
    return this.plain(value, indent);
  }

  asymmetric(value: Shown, indent: string): string {
    const { sample } = value;
    const own = getPrototypeOf(getPrototypeOf(value))?.constructor?.name === "AsymmetricMatcher";
    const name = own ? value.toString() : "";
    if (name.endsWith("Containing") && sample !== null && typeof sample === "object") {
      return Array.isArray(sample)
        ? this.list(sample, `${name} `, indent)
        : `${name} ${this.properties(sample, indent)}`;
    }
    const text = typeof value.toAsymmetricMatcher === "function" ? value.toAsymmetricMatcher() : value.toString();
    return text.replaceAll("\n", `\n${indent}`);
  }

  error(value: Shown, indent: string): string {
    const { message } = value;
    const maker = value.constructor?.name;
    const name = this.style === "bun" && typeof maker === "string" && maker !== "" ? maker : value.name || "Error";
    if (this.style !== "diff") return message ? `[${name}: ${message}]` : `[${name}]`;
    const text = message ? `[${name}: ${withEscapes(`${message}`)}]` : `[${name}]`;
    const names = keys(value).filter((key) => key !== "name" && key !== "message" && key !== "stack");
    if (names.length === 0 && value.cause === undefined) return text;
    const shown: { [key: string]: unknown } = {};
    for (const key of names) shown[key] = (value as { [key: string]: unknown })[key];
    if (value.cause !== undefined) shown.cause = value.cause;
    return `${text} ${this.properties(shown, indent)}`;
  }

  /** Objects of the web's classes; undefined for others. */
  host(value: Shown): string | undefined {
    const tag = value[Symbol.toStringTag];
    if (typeof tag !== "string") return undefined;
    switch (tag) {
      case "URL":
        return this.style === "bun" ? "URL {}" : typeof value.href === "string" ? `URL { "${value.href}" }` : undefined;
      case "URLSearchParams":
        if (typeof value.entries !== "function") return undefined;
        return this.style === "bun"
          ? JSON.stringify(Object.fromEntries(value as unknown as Map<string, string>))
          : `URLSearchParams { "${value}" }`;
      case "Headers":
        if (typeof value.entries !== "function" || this.style === "bun") return undefined;
        return `Headers ${this.properties(Object.fromEntries(value as unknown as Map<string, string>), "")}`;
      case "Blob":
      case "File":
        if (typeof value.size !== "number") return undefined;
        return this.style === "bun" ? require("bun/inspect").inspect(value) : undefined;
    }
    return undefined;
  }

  /** What a list of a class of its own is called; Bun calls all of them nothing. */
  listName(value: unknown[]): string {
    if (this.style === "bun") return "";
    if (this.namesPlain) return "Array ";
    const name = value.constructor?.name;
    return typeof name !== "string" || name === "Array" || name === "" ? "" : `${name} `;
  }

  plain(value: Shown, indent: string): string {
    let name = "";
    const prototype = getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) {
      const maker = value.constructor;
      name = typeof maker === "function" && typeof maker.name === "string" ? maker.name : "";
      if (
        (name === "Object" && !this.namesPlain) ||
        /^(Map|Set|Array) Iterator$|Generator/.test(`${value[Symbol.toStringTag]}`)
      )
        name = "";
    } else if (this.namesPlain) name = "Object";
    if (name === "" && typeof value[Symbol.toStringTag] === "string" && this.style !== "bun")
      name = value[Symbol.toStringTag] as string;
    return `${name === "" ? "" : `${name} `}${this.properties(value, indent)}`;
  }

  properties(value: object, indent: string): string {
    const names: (string | symbol)[] = keys(value);
    const symbols = getOwnPropertySymbols(value);
    if (symbols.length > 0) {
      for (const symbol of symbols) if (propertyIsEnumerable.call(value, symbol)) names.push(symbol);
    }
    if (names.length === 0) return "{}";
    const jest = this.style === "jest";
    const labelOf = (name: string | symbol) =>
      typeof name === "symbol" ? (jest ? `\uffff${name.toString()}` : (name.description ?? "")) : name;
    if (names.length > names.filter((name) => typeof name === "string").length) {
      names.sort((a, b) => (labelOf(a) < labelOf(b) ? -1 : labelOf(a) > labelOf(b) ? 1 : 0));
    } else names.sort();
    const deeper = this.deeper(indent);
    let text = "{\n";
    for (const name of names) {
      const label =
        typeof name === "symbol"
          ? jest
            ? name.toString()
            : `[${name.toString()}]`
          : `"${this.style === "bun" ? name.replaceAll('"', '\\"') : this.style === "diff" ? withEscapes(name) : name}"`;
      text += `${deeper}${label}: ${this.property(value, name, deeper)},\n`;
    }
    return `${text}${indent}}`;
  }

  property(value: object, name: string | symbol, indent: string): string {
    if (this.style === "bun") {
      const descriptor = getOwnPropertyDescriptor(value, name);
      if (descriptor !== undefined && !("value" in descriptor)) return "[native code]";
    }
    let item: unknown;
    try {
      item = (value as { [name: PropertyKey]: unknown })[name];
    } catch (error) {
      return `[Getter: ${error}]`;
    }
    return this.value(item, indent);
  }
}

/** The text of a value in a style. */
export function format(value: unknown, style: Style): string {
  return new Formatter(style).value(value, "");
}
