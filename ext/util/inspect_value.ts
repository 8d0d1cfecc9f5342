// The recursive part of `util.inspect`: from a value to text. `ctx` is the state of one inspection: its options, the
// objects above (`seen`), the indentation, and which of the objects are targets of circular references.

import type { InspectRun } from "internal/util/inspect_types";
import type { TypedArray } from "internal/util/types";
import {
  classOf,
  isAsyncFunction,
  isGeneratorFunction,
  kArguments,
  kArrayBuffer,
  kBigInt,
  kBoolean,
  kDate,
  kError,
  kMap,
  kMapIterator,
  kModule,
  kNumber,
  kPromise,
  kProxy,
  kRegExp,
  kSet,
  kSetIterator,
  kSharedArrayBuffer,
  kString,
  kSymbol,
  kWeakMap,
  kWeakSet,
  typedArrayTag,
} from "internal/util/types";
import {
  escapeControls,
  formatNumber,
  formatPrimitive,
  kArray,
  kArrayExtras,
  kObject,
  quote,
  reduceToSingleString,
} from "internal/util/inspect_text";
import { nonIndexKeys } from "internal/util/non_index_keys";
import {
  formatArray,
  formatArrayBuffer,
  formatIterator,
  formatMap,
  formatNamespace,
  formatPromise,
  formatSet,
  formatTypedArray,
  formatWeakCollection,
  formatWeakMap,
  formatWeakSet,
  link,
  previewEntries,
  sizeOfMap,
  sizeOfSet,
  typedArrayLength,
} from "internal/util/inspect_entries";

const ops = native("inspect");

const { isArray } = Array;
const {
  getOwnPropertyDescriptor,
  getOwnPropertyNames,
  getOwnPropertySymbols,
  getPrototypeOf,
  keys: objectKeys,
  prototype: objectPrototype,
} = Object;
const { hasOwnProperty, propertyIsEnumerable } = objectPrototype;
const { ownKeys } = Reflect;
const { toString: functionToString, [Symbol.hasInstance]: ordinaryHasInstance } = Function.prototype;
const { toStringTag, iterator: iteratorSymbol } = Symbol;

export const customInspectSymbol = Symbol.for("nodejs.util.inspect.custom");

/** The innermost target of a proxy of proxies; null when one of them is revoked. */
export function proxyTarget(value: unknown) {
  do {
    value = ops.proxyDetails(value)![0];
  } while (value !== null && classOf(value) === kProxy);
  return value;
}

/** The text of any value. `recurseTimes`: how deep it stands; `typedArray`: it is the buffer of a typed array. */
export function formatValue(ctx: InspectRun, value: unknown, recurseTimes: number, typedArray?: boolean): string {
  if (typeof value !== "object" && typeof value !== "function") {
    // The one object that says "undefined" of itself, document.all, does not exist here.
    return formatPrimitive(ctx.stylize, value, ctx);
  }
  if (value === null) return ctx.stylize("null", "null");

  const original = value;
  let kind = classOf(value);
  if (kind === kProxy) {
    if (ctx.showProxy) {
      const details = ops.proxyDetails(value)!;
      return details[0] === null ? ctx.stylize("<Revoked Proxy>", "special") : formatProxy(ctx, details, recurseTimes);
    }
    // No trap is triggered: what is shown is the target.
    value = proxyTarget(value);
    if (value === null) return ctx.stylize("<Revoked Proxy>", "special");
    kind = classOf(value);
  }

  if (ctx.customInspect) {
    const custom = (value as { [customInspectSymbol]?: unknown })[customInspectSymbol];
    if (typeof custom === "function" && custom !== ctx.inspect) {
      // A prototype object is shown as what it is; its method is for its instances.
      const { constructor } = value as object;
      if (!(constructor && constructor.prototype === value)) {
        const depth = ctx.depth === null ? null : ctx.depth - recurseTimes;
        const foreign = value !== original || !(original instanceof Object);
        const result = custom.call(original, depth, userOptions(ctx, foreign), ctx.inspect);
        // An object that returns itself wants to be shown as it is.
        if (result !== original) {
          const text = typeof result === "object" ? formatValue(ctx, result, recurseTimes) : `${result}`;
          if (ctx.indentationLvl === 0) return text;
          return text.replaceAll("\n", `\n${" ".repeat(ctx.indentationLvl)}`);
        }
      }
    }
  }

  if (ctx.seen.includes(value)) {
    let index = 1;
    if (ctx.circular === undefined) {
      ctx.circular = new Map([[value, index]]);
    } else {
      index = ctx.circular.get(value)!;
      if (index === undefined) {
        index = ctx.circular.size + 1;
        ctx.circular.set(value, index);
      }
    }
    return ctx.stylize(`[Circular *${index}]`, "special");
  }
  return formatRaw(ctx, value as object, kind, recurseTimes, typedArray);
}

// The options as a custom inspector gets them; an inspector of another realm gets nothing of this one.
function userOptions(ctx: InspectRun, foreign: boolean): unknown {
  const options = {
    stylize: ctx.stylize,
    showHidden: ctx.showHidden,
    depth: ctx.depth,
    colors: ctx.colors,
    customInspect: ctx.customInspect,
    showProxy: ctx.showProxy,
    maxArrayLength: ctx.maxArrayLength,
    maxStringLength: ctx.maxStringLength,
    breakLength: ctx.breakLength,
    compact: ctx.compact,
    sorted: ctx.sorted,
    getters: ctx.getters,
    numericSeparator: ctx.numericSeparator,
    ...ctx.userOptions,
  } as { [key: string]: unknown };
  if (!foreign) return options;
  Object.setPrototypeOf(options, null);
  for (const key of objectKeys(options)) {
    const value = options[key];
    if ((typeof value === "object" || typeof value === "function") && value !== null) delete options[key];
  }
  options.stylize = Object.setPrototypeOf((value: string, flavour: string) => {
    let styled: string;
    try {
      styled = `${ctx.stylize(value, flavour)}`;
    } catch {
      return value;
    }
    return typeof styled === "string" ? styled : value;
  }, null);
  return options;
}

function formatProxy(ctx: InspectRun, [target, handler]: [unknown, unknown], recurseTimes: number): string {
  if (recurseTimes > ctx.depth! && ctx.depth !== null) return ctx.stylize("Proxy [Array]", "special");
  recurseTimes++;
  ctx.indentationLvl += 2;
  const parts = [formatValue(ctx, target, recurseTimes), formatValue(ctx, handler, recurseTimes)];
  ctx.indentationLvl -= 2;
  return reduceToSingleString(ctx, parts, "", "Proxy [", "]", kArrayExtras, recurseTimes);
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

let builtIns: Set<string> | undefined;

/** Whether `name` is that of a class or namespace of the language. */
export function isBuiltInName(name: string): boolean {
  builtIns ??= new Set(
    (
      "AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt " +
      "BigInt64Array BigUint64Array Boolean DataView Date DisposableStack Error EvalError FinalizationRegistry " +
      "Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map " +
      "Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String " +
      "SuppressedError Symbol SyntaxError Temporal TypeError URIError Uint16Array Uint32Array Uint8Array " +
      "Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly"
    ).split(" "),
  );
  return builtIns.has(name);
}

let wellKnown: Map<object, Function> | undefined;

// Prototypes whose name is known whatever has become of their `constructor` property.
function wellKnownPrototypes(): Map<object, Function> {
  if (wellKnown !== undefined) return wellKnown;
  const known = (wellKnown = new Map<object, Function>());
  // Not by the constructor of Map: it takes the iterator of arrays.
  [
    Array,
    ArrayBuffer,
    Function,
    Map,
    Set,
    Object,
    getPrototypeOf(Uint8Array),
    RegExp,
    Date,
    DataView,
    Error,
    Boolean,
    Number,
    String,
    Promise,
    WeakMap,
    WeakSet,
  ].forEach((constructor: Function) => known.set(constructor.prototype, constructor));
  return known;
}

function isInstance(value: unknown, constructor: Function): boolean {
  try {
    return value instanceof constructor;
  } catch {
    return false;
  }
}

/**
 * The name of the class of `object`: that of the nearest constructor up the prototype chain. null when there is no
 * prototype. With `protoProps` the properties of prototypes of user classes are put there, formatted.
 */
function getConstructorName(
  ctx: InspectRun,
  object: object,
  recurseTimes: number,
  protoProps?: string[],
): string | null {
  let firstProto: object | null | undefined;
  const known = wellKnownPrototypes();
  for (let current = object; current;) {
    const constructor = known.get(current);
    if (constructor !== undefined) {
      if (ordinaryHasInstance.call(constructor, object)) {
        if (protoProps !== undefined && firstProto !== current) {
          addPrototypeProperties(ctx, object, firstProto || object, recurseTimes, protoProps);
        }
        return constructor.name;
      }
    } else {
      const descriptor = getOwnPropertyDescriptor(current, "constructor");
      if (descriptor !== undefined) {
        const { value } = descriptor;
        if (typeof value === "function" && value.name !== "" && isInstance(object, value)) {
          if (protoProps !== undefined && (firstProto !== current || !isBuiltInName(value.name))) {
            addPrototypeProperties(ctx, object, firstProto || object, recurseTimes, protoProps);
          }
          return String(value.name);
        }
      }
    }
    current = getPrototypeOf(current);
    if (firstProto === undefined) firstProto = current;
  }
  if (firstProto === null) return null;

  const name = internalName(object);
  if (recurseTimes > ctx.depth! && ctx.depth !== null) return `${name} <Complex prototype>`;
  const protoName = getConstructorName(ctx, firstProto!, recurseTimes + 1, protoProps);
  if (protoName === null) {
    const inner = ctx.inspect(firstProto, { ...ctx, customInspect: false, depth: -1 });
    return `${name} <${inner}>`;
  }
  return `${name} <${protoName}>`;
}

/**
 * The engine's own name for the class of an object without a usable constructor. (V8 remembers the constructor even
 * after the prototype has been replaced; here it is the internal class, "Object" for all instances of user classes.)
 */
function internalName(object: unknown): string {
  if (isArray(object)) return "Array";
  if (typeof object === "function") return "Function";
  return typedArrayTag(object) ?? (ArrayBuffer.isView(object) ? "DataView" : classNames[classOf(object)]!);
}

// By the numbers of `classOf`.
const classNames = (
  "Object Map Set MapIterator SetIterator WeakMap WeakSet Promise Date RegExp Error ArrayBuffer SharedArrayBuffer Object " +
  "Boolean Number String Symbol BigInt Module Object Object Object WeakRef"
).split(" ");

// The properties of up to three user-made prototypes, as if they were own ones; for `showHidden`.
function addPrototypeProperties(ctx: InspectRun, main: object, object: object, recurseTimes: number, output: string[]) {
  let depth = 0;
  let keys: PropertyKey[] = [];
  const above = new Set<PropertyKey>();
  do {
    if (depth !== 0 || main === object) {
      object = getPrototypeOf(object);
      if (object === null) break;
      const descriptor = getOwnPropertyDescriptor(object, "constructor");
      if (descriptor !== undefined && typeof descriptor.value === "function" && isBuiltInName(descriptor.value.name))
        break;
    }
    for (let i = 0; i < keys.length; i++) above.add(keys[i]!);
    keys = ownKeys(object);
    ctx.seen.push(main);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      if (key === "constructor" || hasOwnProperty.call(main, key) || (depth !== 0 && above.has(key))) continue;
      const descriptor = getOwnPropertyDescriptor(object, key)!;
      if (typeof descriptor.value === "function") continue;
      const text = formatProperty(ctx, object, recurseTimes, key, kObject, descriptor, main);
      output.push(ctx.colors ? `\u001b[2m${text}\u001b[22m` : text);
    }
    ctx.seen.pop();
  } while (++depth !== 3);
}

/** `Name(size) [tag] `, with a space at the end. `constructor` null: no prototype, `fallback` is the name. */
export function getPrefix(constructor: string | null, tag: string, fallback: string, size = ""): string {
  if (constructor === null) {
    return tag !== "" && fallback !== tag
      ? `[${fallback}${size}: null prototype] [${tag}] `
      : `[${fallback}${size}: null prototype] `;
  }
  let result = `${constructor}${size} `;
  if (tag !== "") {
    // The tag says nothing new where it is a word of the class name: MapSubclass, but not Settings for a Set.
    const at = constructor.indexOf(tag);
    const end = at + tag.length;
    if (at < 0 || (end !== constructor.length && constructor[end] === constructor[end]!.toLowerCase()))
      result += `[${tag}] `;
  }
  return result;
}

function getKeys(value: object, showHidden: boolean): PropertyKey[] {
  const symbols = getOwnPropertySymbols(value);
  if (showHidden) {
    const keys: PropertyKey[] = getOwnPropertyNames(value);
    return symbols.length === 0 ? keys : keys.concat(symbols);
  }
  let keys: PropertyKey[];
  try {
    keys = objectKeys(value);
  } catch {
    // A namespace of a module that is not evaluated yet throws for its uninitialised bindings.
    keys = getOwnPropertyNames(value);
  }
  // No iterators here and below: inspection works where a program has taken those of arrays away.
  for (let i = 0; i < symbols.length; i++) {
    if (propertyIsEnumerable.call(value, symbols[i]!)) keys.push(symbols[i]!);
  }
  return keys;
}

const functionKeys = ["length", "name", "prototype"];
const errorPlaces = ["fileName", "lineNumber", "columnNumber"];

// Own keys of functions and errors in the order in which other engines have them: SpiderMonkey makes those of functions
// when they are asked for, and gives errors the place where they were made.
function hiddenKeys(value: object, kind: number, keys: PropertyKey[]): PropertyKey[] {
  if (typeof value === "function") {
    const first = functionKeys.filter((key) => keys.includes(key));
    return (first as PropertyKey[]).concat(keys.filter((key) => !first.includes(key as string)));
  }
  if (kind !== kError) return keys;
  // The stack becomes an own property when it is read.
  try {
    void (value as Error).stack;
  } catch {
    // Shown as what it is.
  }
  keys = getKeys(value, true).filter(
    (key) => !errorPlaces.includes(key as string) || getOwnPropertyDescriptor(value, key)!.enumerable,
  );
  return keys.includes("stack") ? ["stack", ...keys.filter((key) => key !== "stack")] : keys;
}

// ---------------------------------------------------------------------------------------------------------------------
// Objects

const noEntries = () => [] as string[];

type Formatter = (ctx: InspectRun, value: never, recurseTimes: number) => string[];

function formatRaw(ctx: InspectRun, value: object, kind: number, recurseTimes: number, typedArray?: boolean): string {
  let keys: PropertyKey[];
  let protoProps: string[] | undefined;
  if (ctx.showHidden && (recurseTimes <= ctx.depth! || ctx.depth === null)) protoProps = [];
  const constructor = getConstructorName(ctx, value, recurseTimes, protoProps);
  if (protoProps !== undefined && protoProps.length === 0) protoProps = undefined;

  let tag: string;
  try {
    tag = (value as { [toStringTag]: string })[toStringTag];
  } catch {
    tag = "";
  }
  // A tag that is shown among the properties is not shown twice.
  if (
    typeof tag !== "string" ||
    (tag !== "" && (ctx.showHidden ? hasOwnProperty : propertyIsEnumerable).call(value, toStringTag))
  ) {
    tag = "";
  }

  let base = "";
  let formatter: Formatter = noEntries;
  let open = "{";
  let close = "}";
  let extras = kObject;
  let extraKeys: string[] | undefined;
  let iterable = false;

  // Without a prototype nothing but the internal class tells what an object is.
  if (constructor === null || iteratorSymbol in value) {
    iterable = true;
    let typedArrayName: string | undefined;
    if (isArray(value)) {
      const prefix =
        constructor !== "Array" || tag !== "" ? getPrefix(constructor, tag, "Array", `(${value.length})`) : "";
      keys = nonIndexKeys(value, !ctx.showHidden);
      open = `${prefix}[`;
      close = "]";
      if (value.length === 0 && keys.length === 0 && protoProps === undefined) return `${open}]`;
      extras = kArrayExtras;
      formatter = formatArray;
    } else if (kind === kSet || kind === kMap) {
      const size = kind === kSet ? sizeOfSet(value) : sizeOfMap(value);
      const prefix = getPrefix(constructor, tag, kind === kSet ? "Set" : "Map", `(${size})`);
      keys = getKeys(value, ctx.showHidden);
      formatter = kind === kSet ? formatSet : formatMap;
      if (size === 0 && keys.length === 0 && protoProps === undefined) return `${prefix}{}`;
      open = `${prefix}{`;
    } else if ((typedArrayName = typedArrayTag(value)) !== undefined) {
      keys = nonIndexKeys(value, !ctx.showHidden);
      let readable = value;
      let fallback = "";
      if (constructor === null) {
        fallback = typedArrayName;
        readable = new (globalThis as unknown as Record<string, new (value: object) => object>)[fallback]!(value);
      }
      const size = typedArrayLength(value);
      open = `${getPrefix(constructor, tag, fallback, `(${size})`)}[`;
      close = "]";
      if ((value as TypedArray).length === 0 && keys.length === 0 && !ctx.showHidden) return `${open}]`;
      formatter = (ctx, value, recurseTimes) =>
        formatTypedArray(ctx, value, readable as TypedArray, size, recurseTimes);
      extras = kArrayExtras;
    } else if (kind === kMapIterator || kind === kSetIterator) {
      keys = getKeys(value, ctx.showHidden);
      const entries = previewEntries(value);
      open = iteratorBrace(kind === kMapIterator ? "Map" : "Set", tag);
      if (entries !== undefined && entries[1]) open = open.replace(/ Iterator\] \{$/, " Entries] {");
      formatter = (ctx, _value, recurseTimes) => formatIterator(ctx, entries, recurseTimes);
    } else {
      iterable = false;
    }
  }
  if (!iterable) {
    keys = getKeys(value, ctx.showHidden);
    if (ctx.showHidden) keys = hiddenKeys(value, kind, keys);
    const empty = keys.length === 0 && protoProps === undefined;
    if (typeof value === "function") {
      base = functionBase(ctx, value, constructor, tag);
      if (empty) return ctx.stylize(base, "special");
    } else if (constructor === "Object") {
      if (kind === kArguments) open = "[Arguments] {";
      else if (tag !== "") open = `${getPrefix(constructor, tag, "Object")}{`;
      if (empty) return `${open}}`;
    } else {
      switch (kind) {
        case kRegExp: {
          base = RegExp.prototype.toString.call(constructor !== null ? value : new RegExp(value as RegExp));
          const prefix = getPrefix(constructor, tag, "RegExp");
          if (prefix !== "RegExp ") base = `${prefix}${base}`;
          if (empty || (recurseTimes > ctx.depth! && ctx.depth !== null)) return ctx.stylize(base, "regexp");
          break;
        }
        case kDate: {
          const time = Date.prototype.getTime.call(value);
          base = time !== time ? Date.prototype.toString.call(value) : Date.prototype.toISOString.call(value);
          const prefix = getPrefix(constructor, tag, "Date");
          if (prefix !== "Date ") base = `${prefix}${base}`;
          if (empty) return ctx.stylize(base, "date");
          break;
        }
        case kArrayBuffer:
        case kSharedArrayBuffer: {
          const prefix = getPrefix(constructor, tag, kind === kArrayBuffer ? "ArrayBuffer" : "SharedArrayBuffer");
          if (typedArray === undefined) formatter = formatArrayBuffer;
          else if (empty) {
            const length = formatNumber(ctx.stylize, (value as ArrayBuffer).byteLength, false);
            return `${prefix}{ ${ctx.stylize("[byteLength]", "string")}: ${length} }`;
          }
          open = `${prefix}{`;
          extraKeys = ["byteLength"];
          break;
        }
        case kPromise:
          open = `${getPrefix(constructor, tag, "Promise")}{`;
          formatter = formatPromise;
          break;
        case kWeakSet:
          open = `${getPrefix(constructor, tag, "WeakSet")}{`;
          formatter = ctx.showHidden ? formatWeakSet : formatWeakCollection;
          break;
        case kWeakMap:
          open = `${getPrefix(constructor, tag, "WeakMap")}{`;
          formatter = ctx.showHidden ? formatWeakMap : formatWeakCollection;
          break;
        case kModule: {
          open = `${getPrefix(constructor, tag, "Module")}{`;
          const names = keys;
          keys = [];
          formatter = (ctx, value, recurseTimes) => formatNamespace(ctx, value, names, recurseTimes);
          break;
        }
        case kBoolean:
        case kNumber:
        case kString:
        case kSymbol:
        case kBigInt:
          base = boxedBase(ctx, value, kind, keys, constructor, tag);
          if (keys.length === 0 && protoProps === undefined) return base;
          break;
        default:
          if (kind === kError || ordinaryHasInstance.call(Error, value)) {
            base = require("internal/util/inspect_error").formatError(ctx, value as Error, constructor, tag, keys);
            if (keys.length === 0 && protoProps === undefined) return base;
          } else if (ArrayBuffer.isView(value)) {
            open = `${getPrefix(constructor, tag, "DataView")}{`;
            // The buffer goes last; it is not a primitive like the others.
            extraKeys = ["byteLength", "byteOffset", "buffer"];
          } else if (
            constructor === "URL" &&
            !(recurseTimes > ctx.depth! && ctx.depth !== null) &&
            value instanceof globalThis.URL
          ) {
            base = value.href;
            if (empty) return base;
          } else {
            if (empty) {
              return `${getPrefix(constructor, tag, internalNameOr(constructor, value))}{}`;
            }
            open = `${getPrefix(constructor, tag, internalNameOr(constructor, value))}{`;
          }
      }
    }
  }

  if (recurseTimes > ctx.depth! && ctx.depth !== null) {
    const name = getPrefix(constructor, tag, isArray(value) ? "Array" : internalNameOr(constructor, value)).slice(
      0,
      -1,
    );
    return ctx.stylize(`[${name}]`, "special");
  }
  recurseTimes++;
  ctx.seen.push(value);
  ctx.currentDepth = recurseTimes;
  const indentation = ctx.indentationLvl;
  let output: string[];
  try {
    output = formatter(ctx, value as never, recurseTimes);
    if (extraKeys !== undefined) {
      for (let i = 0; i < extraKeys.length; i++) {
        output.push(formatExtraProperty(ctx, value, recurseTimes, extraKeys[i]!));
      }
    }
    for (let i = 0; i < keys!.length; i++) {
      output.push(formatProperty(ctx, value, recurseTimes, keys![i]!, extras));
    }
    if (protoProps !== undefined) output.push(...protoProps);
  } catch (error) {
    if (!require("internal/core/errors").isStackOverflowError(error)) throw error;
    ctx.seen.pop();
    ctx.indentationLvl = indentation;
    const name = getPrefix(constructor, tag, internalNameOr(constructor, value)).slice(0, -1);
    return ctx.stylize(`[${name}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, "special");
  }
  if (ctx.circular !== undefined) {
    const index = ctx.circular.get(value);
    if (index !== undefined) {
      const reference = ctx.stylize(`<ref *${index}>`, "special");
      // The reference stands first in any case.
      if (ctx.compact !== true) base = base === "" ? reference : `${reference} ${base}`;
      else open = `${reference} ${open}`;
    }
  }
  ctx.seen.pop();

  if (ctx.sorted) {
    const comparator = ctx.sorted === true ? undefined : ctx.sorted;
    if (extras === kObject) {
      output.sort(comparator);
    } else if (keys!.length > 1) {
      const named = output.slice(output.length - keys!.length).sort(comparator);
      output.splice(output.length - named.length, named.length, ...named);
    }
  }

  const text = reduceToSingleString(ctx, output, base, open, close, extras, recurseTimes, value);
  // An output that grows past all use is cut by showing no further levels.
  const budget = ctx.budget[ctx.indentationLvl] || 0;
  const length = budget + text.length;
  ctx.budget[ctx.indentationLvl] = length;
  if (length > 2 ** 27) ctx.depth = -1;
  return text;
}

function internalNameOr(constructor: string | null, value: unknown): string {
  return constructor === null ? internalName(value) : "Object";
}

function iteratorBrace(type: string, tag: string): string {
  if (tag !== `${type} Iterator`) {
    if (tag !== "") tag += "] [";
    tag += `${type} Iterator`;
  }
  return `[${tag}] {`;
}

// ---------------------------------------------------------------------------------------------------------------------
// Functions and boxed primitives

const classHead = /^(\s+[^(]*?)\s*\{/;
const comments = /(\/\/.*?\n)|(\/\*(.|\n)*?\*\/)/g;

function functionBase(ctx: InspectRun, value: Function, constructor: string | null, tag: string): string {
  const source = functionToString.call(value);
  if (source.startsWith("class") && source.endsWith("}")) {
    const body = source.slice(5, -1);
    const brace = body.indexOf("{");
    // A method of the name "class" has a parameter list before its body.
    if (brace >= 0 && (!body.slice(0, brace).includes("(") || classHead.test(body.replace(comments, "")))) {
      return classBase(value, constructor, tag);
    }
  }
  let type = "Function";
  if (isGeneratorFunction(value)) type = `Generator${type}`;
  if (isAsyncFunction(value)) type = `Async${type}`;
  let base = `[${type}`;
  if (constructor === null) base += " (null prototype)";
  const { name } = value;
  if (name === "") base += " (anonymous)";
  else base += `: ${typeof name === "string" ? name : formatValue(ctx, name, 0)}`;
  base += "]";
  if (constructor !== type && constructor !== null) base += ` ${constructor}`;
  if (tag !== "" && constructor !== tag) base += ` [${tag}]`;
  return base;
}

function classBase(value: Function, constructor: string | null, tag: string): string {
  const name = (hasOwnProperty.call(value, "name") && value.name) || "(anonymous)";
  let base = `class ${name}`;
  if (constructor !== "Function" && constructor !== null) base += ` [${constructor}]`;
  if (tag !== "" && constructor !== tag) base += ` [${tag}]`;
  if (constructor !== null) {
    const superName = getPrototypeOf(value).name;
    if (superName) base += ` extends ${superName}`;
  } else {
    base += " extends [null prototype]";
  }
  return `[${base}]`;
}

const plain = (text: string) => text;

function boxedBase(
  ctx: InspectRun,
  value: unknown,
  kind: number,
  keys: PropertyKey[],
  constructor: string | null,
  tag: string,
) {
  let primitive: number | string | bigint | symbol | boolean;
  let type: string;
  switch (kind) {
    case kNumber:
      primitive = Number.prototype.valueOf.call(value);
      type = "Number";
      break;
    case kString:
      primitive = String.prototype.valueOf.call(value);
      type = "String";
      // The characters are shown already.
      keys.splice(0, primitive.length);
      break;
    case kBoolean:
      primitive = Boolean.prototype.valueOf.call(value);
      type = "Boolean";
      break;
    case kBigInt:
      primitive = BigInt.prototype.valueOf.call(value);
      type = "BigInt";
      break;
    default:
      primitive = Symbol.prototype.valueOf.call(value);
      type = "Symbol";
  }
  let base = `[${type}`;
  if (type !== constructor) base += constructor === null ? " (null prototype)" : ` (${constructor})`;
  base += `: ${formatPrimitive(plain, primitive, ctx)}]`;
  if (tag !== "" && tag !== constructor) base += ` [${tag}]`;
  if (keys.length !== 0 || !ctx.colors) return base;
  return ctx.stylize(base, type.toLowerCase());
}

// ---------------------------------------------------------------------------------------------------------------------
// Properties

const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

/** `key: value` of a property, or the value alone for an element of an array. `main`: what getters are called on. */
function formatProperty(
  ctx: InspectRun,
  object: object,
  recurseTimes: number,
  key: PropertyKey,
  kind: number,
  descriptor?: PropertyDescriptor,
  main = object,
): string {
  let text: string;
  let space = " ";
  descriptor ??= getOwnPropertyDescriptor(object, key) ?? {
    value: (object as Record<PropertyKey, unknown>)[key],
    configurable: true,
    enumerable: true,
  };
  if (descriptor.value !== undefined) {
    const indent = ctx.compact !== true || kind !== kObject ? 2 : 3;
    ctx.indentationLvl += indent;
    text = formatValue(ctx, descriptor.value, recurseTimes);
    if (indent === 3 && ctx.breakLength < require("internal/util/string_width").getStringWidth(text, ctx.colors)) {
      space = `\n${" ".repeat(ctx.indentationLvl)}`;
    }
    ctx.indentationLvl -= indent;
  } else if (descriptor.get !== undefined) {
    text = formatGetter(ctx, descriptor, recurseTimes, main);
  } else if (descriptor.set !== undefined) {
    text = ctx.stylize("[Setter]", "special");
  } else {
    text = ctx.stylize("undefined", "undefined");
  }
  if (kind === kArray) return text;
  let name: string;
  if (typeof key === "symbol") name = ctx.stylize(escapeControls(Symbol.prototype.toString.call(key)), "symbol");
  else if (key === "__proto__") name = "['__proto__']";
  else if (identifier.test(key as string)) name = ctx.stylize(key as string, "name");
  else name = ctx.stylize(quote(key as string), "string");
  if (descriptor.enumerable === false) name = `[${name}]`;
  return `${name}:${space}${text}`;
}

function formatGetter(ctx: InspectRun, descriptor: PropertyDescriptor, recurseTimes: number, main: unknown): string {
  const label = descriptor.set !== undefined ? "Getter/Setter" : "Getter";
  const { stylize } = ctx;
  const wanted =
    ctx.getters === true ||
    (ctx.getters === "get" && descriptor.set === undefined) ||
    (ctx.getters === "set" && descriptor.set !== undefined);
  if (!ctx.getters || !wanted) return stylize(`[${label}]`, "special");
  ctx.indentationLvl += 2;
  let text: string;
  try {
    const value = descriptor.get!.call(main);
    if (value === null) {
      text = `${stylize(`[${label}:`, "special")} ${stylize("null", "null")}${stylize("]", "special")}`;
    } else if (typeof value === "object") {
      text = `${stylize(`[${label}]`, "special")} ${formatValue(ctx, value, recurseTimes)}`;
    } else {
      const primitive =
        typeof value === "function" ? formatValue(ctx, value, recurseTimes) : formatPrimitive(stylize, value, ctx);
      text = `${stylize(`[${label}:`, "special")} ${primitive}${stylize("]", "special")}`;
    }
  } catch (error) {
    const message = `<Inspection threw (${formatValue(ctx, error, recurseTimes)})>`;
    text = `${stylize(`[${label}:`, "special")} ${message}${stylize("]", "special")}`;
  }
  ctx.indentationLvl -= 2;
  return text;
}

/** `[key]: value` of something that the prototype has, not the object: the length of a buffer. */
function formatExtraProperty(
  ctx: InspectRun,
  object: object,
  recurseTimes: number,
  key: string,
  typedArray?: boolean,
): string {
  ctx.indentationLvl += 2;
  let value: unknown;
  try {
    value = (object as Record<string, unknown>)[key];
  } catch {
    // A view of a detached buffer. Like in Node the indentation stays where it was then.
    return `${ctx.stylize(`[${key}]`, "string")}: ${ctx.stylize(key === "byteLength" ? "0" : "undefined", key === "byteLength" ? "number" : "undefined")}`;
  }
  const text = formatValue(ctx, value, recurseTimes, typedArray);
  ctx.indentationLvl -= 2;
  return `${ctx.stylize(`[${key}]`, "string")}: ${text}`;
}

link({ formatValue, formatProperty, formatExtraProperty });
