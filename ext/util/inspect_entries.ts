// What `util.inspect` shows inside of arrays, collections, buffers, promises: lists of entries as text. The functions
// that go down a level come from inspect_value, which links them in when it is loaded.

import type { InspectRun } from "internal/util/inspect_types";
import type { TypedArray } from "internal/util/types";
import {
  formatBigInt,
  formatNumber,
  kArray,
  kArrayExtras,
  kObject,
  reduceToSingleString,
  remainingText,
} from "internal/util/inspect_text";

const ops = native("inspect");

const { max, min } = Math;
const { hasOwnProperty } = Object.prototype;
const getter = (object: unknown, key: PropertyKey): ((value: unknown) => number) =>
  Function.prototype.call.bind(Object.getOwnPropertyDescriptor(object, key)!.get!);

export const sizeOfSet = getter(Set.prototype, "size");
export const sizeOfMap = getter(Map.prototype, "size");
export const typedArrayLength = getter(Object.getPrototypeOf(Uint8Array.prototype), "length");
const { values: setValues } = Set.prototype;
const { entries: mapEntries } = Map.prototype;

/** What comes from inspect_value. */
interface Links {
  formatValue(ctx: InspectRun, value: unknown, recurseTimes: number, typedArray?: boolean): string;
  formatProperty(ctx: InspectRun, object: object, recurseTimes: number, key: PropertyKey, kind: number): string;
  formatExtraProperty(ctx: InspectRun, object: object, recurseTimes: number, key: string, typedArray?: boolean): string;
}
let formatValue: Links["formatValue"];
let formatProperty: Links["formatProperty"];
let formatExtraProperty: Links["formatExtraProperty"];

export function link(functions: Links) {
  ({ formatValue, formatProperty, formatExtraProperty } = functions);
}

/** The number of entries to show of `length`. */
const shown = (ctx: InspectRun, length: number) => min(max(0, ctx.maxArrayLength), length);

export function formatArray(ctx: InspectRun, value: unknown[], recurseTimes: number): string[] {
  const { length } = value;
  const count = shown(ctx, length);
  const output: string[] = [];
  for (let i = 0; i < count; i++) {
    if (!hasOwnProperty.call(value, i)) return formatSparseArray(ctx, value, recurseTimes, count, output, i);
    output.push(formatProperty(ctx, value, recurseTimes, i, kArray));
  }
  if (length > count) output.push(remainingText(length - count));
  return output;
}

// From the first hole on. A run of holes counts as one entry.
function formatSparseArray(
  ctx: InspectRun,
  value: unknown[],
  recurseTimes: number,
  count: number,
  output: string[],
  start: number,
) {
  const keys = Object.keys(value);
  let index = start;
  for (let i = start; i < keys.length && output.length < count; i++) {
    const key = keys[i]!;
    // Greater numbers are no array indices but names.
    if (!/^(0|[1-9][0-9]*)$/.test(key) || +key > 2 ** 32 - 2) break;
    if (`${index}` !== key) {
      const holes = +key - index;
      output.push(ctx.stylize(`<${holes} empty item${holes > 1 ? "s" : ""}>`, "undefined"));
      index = +key;
      if (output.length === count) break;
    }
    output.push(formatProperty(ctx, value, recurseTimes, key, kArray));
    index++;
  }
  const rest = value.length - index;
  if (rest > 0) {
    output.push(
      output.length === count
        ? remainingText(rest)
        : ctx.stylize(`<${rest} empty item${rest > 1 ? "s" : ""}>`, "undefined"),
    );
  }
  return output;
}

/** `readable` is `value`, or a copy of it with a prototype. */
export function formatTypedArray(
  ctx: InspectRun,
  value: unknown,
  readable: TypedArray,
  length: number,
  recurseTimes: number,
): string[] {
  const count = shown(ctx, length);
  const output: string[] = new Array(count);
  const format = (
    readable.length > 0 && typeof readable[0] === "number" ? formatNumber : formatBigInt
  ) as typeof formatNumber;
  for (let i = 0; i < count; i++) output[i] = format(ctx.stylize, readable[i] as number, ctx.numericSeparator);
  if (length > count) output[count] = remainingText(length - count);
  if (ctx.showHidden) {
    for (const key of ["BYTES_PER_ELEMENT", "length", "byteLength", "byteOffset", "buffer"]) {
      output.push(formatExtraProperty(ctx, readable, recurseTimes, key, true));
    }
  }
  void value;
  return output;
}

export function formatArrayBuffer(ctx: InspectRun, value: ArrayBuffer): string[] {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(value);
    if (value.detached) throw undefined;
  } catch {
    return [ctx.stylize("(detached)", "special")];
  }
  const count = min(max(0, ctx.maxArrayLength), bytes.length);
  let text = "";
  for (let i = 0; i < count; i++) text += `${i > 0 ? " " : ""}${bytes[i]! < 16 ? "0" : ""}${bytes[i]!.toString(16)}`;
  const rest = bytes.length - count;
  if (rest > 0) text += ` ... ${rest} more byte${rest > 1 ? "s" : ""}`;
  return [`${ctx.stylize("[Uint8Contents]", "special")}: <${text}>`];
}

export function formatSet(ctx: InspectRun, value: Set<unknown>, recurseTimes: number): string[] {
  const length = sizeOfSet(value);
  const count = shown(ctx, length);
  const output: string[] = [];
  ctx.indentationLvl += 2;
  for (const item of setValues.call(value)) {
    if (output.length >= count) break;
    output.push(formatValue(ctx, item, recurseTimes));
  }
  if (length > count) output.push(remainingText(length - count));
  ctx.indentationLvl -= 2;
  return output;
}

export function formatMap(ctx: InspectRun, value: Map<unknown, unknown>, recurseTimes: number): string[] {
  const length = sizeOfMap(value);
  const count = shown(ctx, length);
  const output: string[] = [];
  ctx.indentationLvl += 2;
  for (const [key, item] of mapEntries.call(value)) {
    if (output.length >= count) break;
    output.push(`${formatValue(ctx, key, recurseTimes)} => ${formatValue(ctx, item, recurseTimes)}`);
  }
  if (length > count) output.push(remainingText(length - count));
  ctx.indentationLvl -= 2;
  return output;
}

// Weak collections have no order: sorting makes the output of two runs comparable, as far as it can be.
function formatList(ctx: InspectRun, recurseTimes: number, items: unknown[], weak: boolean): string[] {
  const count = shown(ctx, items.length);
  const output: string[] = new Array(count);
  ctx.indentationLvl += 2;
  for (let i = 0; i < count; i++) output[i] = formatValue(ctx, items[i], recurseTimes);
  ctx.indentationLvl -= 2;
  if (weak && !ctx.sorted) output.sort();
  if (items.length > count) output.push(remainingText(items.length - count));
  return output;
}

// `items`: key, value, key, value...
function formatPairs(ctx: InspectRun, recurseTimes: number, items: unknown[], weak: boolean): string[] {
  const length = items.length / 2;
  const count = shown(ctx, length);
  const output: string[] = new Array(count);
  ctx.indentationLvl += 2;
  for (let i = 0; i < count; i++) {
    const key = formatValue(ctx, items[i * 2], recurseTimes);
    const value = formatValue(ctx, items[i * 2 + 1], recurseTimes);
    output[i] = weak
      ? `${key} => ${value}`
      : reduceToSingleString(ctx, [key, value], "", "[", "]", kArrayExtras, recurseTimes);
  }
  if (weak && !ctx.sorted) output.sort();
  ctx.indentationLvl -= 2;
  if (length > count) output.push(remainingText(length - count));
  return output;
}

/**
 * What an iterator of a Map or Set has still to give, or a weak collection holds, without changing it: `[list, pairs]`,
 * pairs: keys and values take turns. undefined where the engine does not tell.
 */
export function previewEntries(value: unknown): [items: unknown[], arePairs: boolean] | undefined {
  return ops.previewEntries(value);
}

export function formatWeakCollection(ctx: InspectRun): string[] {
  return [ctx.stylize("<items unknown>", "special")];
}

export function formatWeakSet(ctx: InspectRun, value: WeakSet<WeakKey>, recurseTimes: number): string[] {
  const entries = previewEntries(value);
  return entries === undefined ? formatWeakCollection(ctx) : formatList(ctx, recurseTimes, entries[0], true);
}

export function formatWeakMap(ctx: InspectRun, value: WeakMap<WeakKey, unknown>, recurseTimes: number): string[] {
  const entries = previewEntries(value);
  return entries === undefined ? formatWeakCollection(ctx) : formatPairs(ctx, recurseTimes, entries[0], true);
}

/** `entries`: what an iterator has still to give and whether these are pairs, or undefined if that cannot be known. */
export function formatIterator(
  ctx: InspectRun,
  entries: [unknown[], boolean] | undefined,
  recurseTimes: number,
): string[] {
  if (entries === undefined) return formatWeakCollection(ctx);
  return entries[1]
    ? formatPairs(ctx, recurseTimes, entries[0], false)
    : formatList(ctx, recurseTimes, entries[0], false);
}

export function formatPromise(ctx: InspectRun, value: Promise<unknown>, recurseTimes: number): string[] {
  const [state, result] = ops.promiseDetails(value)!;
  if (state === 0) return [ctx.stylize("<pending>", "special")];
  ctx.indentationLvl += 2;
  const text = formatValue(ctx, result, recurseTimes);
  ctx.indentationLvl -= 2;
  return [state === 2 ? `${ctx.stylize("<rejected>", "special")} ${text}` : text];
}

/** The exports of a module; those that have no value yet are marked. */
export function formatNamespace(ctx: InspectRun, value: object, keys: PropertyKey[], recurseTimes: number): string[] {
  return keys.map((key) => {
    try {
      return formatProperty(ctx, value, recurseTimes, key, kObject);
    } catch {
      const text = formatProperty(ctx, { [key]: "" }, recurseTimes, key, kObject);
      return text.slice(0, text.lastIndexOf(" ") + 1) + ctx.stylize("<uninitialized>", "special");
    }
  });
}
