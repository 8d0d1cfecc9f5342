// Bun.deepEquals and Bun.deepMatch (https://bun.com/docs/runtime/utils#bun-deepequals): the comparisons of `toEqual`,
// `toStrictEqual` and `toMatchObject`.
import {
  classOf,
  isBoxedPrimitive,
  kArguments,
  kArrayBuffer,
  kBigInt,
  kBoolean,
  kDate,
  kError,
  kMap,
  kNumber,
  kProxy,
  kRegExp,
  kSet,
  kSharedArrayBuffer,
  kString,
  kSymbol,
} from "internal/util/types";

const { is, keys, getPrototypeOf, getOwnPropertySymbols, prototype: objectPrototype } = Object;
const { hasOwnProperty, propertyIsEnumerable } = objectPrototype;
const { compareTrees } = native("inspect");
const { isArray } = Array;
const { isView } = ArrayBuffer;

/** Numbers of the two kinds of comparison for compareTrees. */
const kBun = 4;
const kBunStrict = 5;

/** Pairs of objects that are being compared further up, so that cycles end. */
type Pairs = unknown[];

/** Answers for pairs that are not compared as usual (asymmetric matchers of `expect`); undefined where it has no opinion. */
type Judge = (a: unknown, b: unknown) => boolean | undefined;
let judge: Judge | undefined;

/** Whether one of the two is being compared: 1 with the other one, -1 with another; else 0. */
function isOpen(pairs: Pairs, a: object, b: object): number {
  for (let i = 0; i < pairs.length; i += 2) {
    if (pairs[i] === a) return pairs[i + 1] === b ? 1 : -1;
    if (pairs[i + 1] === b) return -1;
  }
  return 0;
}

function enumerableSymbols(value: object): symbol[] {
  const symbols = getOwnPropertySymbols(value);
  return symbols.length === 0 ? symbols : symbols.filter((symbol) => propertyIsEnumerable.call(value, symbol));
}

function equal(a: unknown, b: unknown, strict: boolean, pairs: Pairs): boolean {
  if (judge !== undefined) {
    const answer = judge(a, b);
    if (answer !== undefined) return answer;
  }
  if (a === b) return a !== 0 || is(a, b);
  if (typeof a !== "object") return a !== a && b !== b;
  if (typeof b !== "object" || a === null || b === null) return false;
  // Plain data needs no JavaScript: see engine/src/deep_equal.rs, which decides what is decided below.
  // A judge has to see every pair.
  const answer = judge === undefined ? compareTrees(a, b, strict ? kBunStrict : kBun, pairs) : undefined;
  if (typeof answer === "boolean") return answer;
  if (answer === undefined) return equalPair(a, b, strict, pairs);
  // What is left open, in threes: both sides and the pairs around them. All of them are objects.
  for (let i = 0; i < answer.length; i += 3) {
    if (!equalPair(answer[i], answer[i + 1], strict, answer[i + 2] as Pairs)) return false;
  }
  return true;
}

/** An object of any class: which of the properties it has depends on that. */
interface Thing {
  [key: PropertyKey]: unknown;
  length: number;
  getTime(): number;
  source: string;
  flags: string;
}

function equalPair(a: unknown, b: unknown, strict: boolean, pairs: Pairs): boolean {
  const open = isOpen(pairs, a as object, b as object);
  if (open !== 0) return open > 0;
  pairs.push(a, b);
  const result = equalObjects(a as Thing, b as Thing, strict, pairs);
  pairs.pop();
  pairs.pop();
  return result;
}

function equalObjects(a: Thing, b: Thing, strict: boolean, pairs: Pairs): boolean {
  const list = isArray(a);
  if (list !== isArray(b)) return false;
  if (list) return equalArrays(a as never, b as never, strict, pairs);
  const prototype = getPrototypeOf(a);
  const other = getPrototypeOf(b);
  const aIsPlain = prototype === objectPrototype || prototype === null;
  const bIsPlain = other === objectPrototype || other === null;
  if (aIsPlain && bIsPlain) return equalProperties(a, b, strict, pairs);
  const kind = aIsPlain ? 0 : classOf(a);
  const otherKind = bIsPlain ? 0 : classOf(b);
  // A proxy stands for its target's properties, but not for what else is in it.
  if (kind !== otherKind && !((kind === 0 || kind === kProxy) && (otherKind === 0 || otherKind === kProxy)))
    return false;
  // Views and errors say by other means what they are.
  if (strict && prototype !== other && !isView(a) && kind !== kError) return false;
  switch (kind) {
    case kDate:
      return a.getTime() === b.getTime();
    case kRegExp:
      return a.source === b.source && a.flags === b.flags;
    case kMap:
      return equalMaps(a as never, b as never, strict, pairs);
    case kSet:
      return equalSets(a as never, b as never, strict, pairs);
    case kError:
      return (
        a.name === b.name &&
        a.message === b.message &&
        equal(a.cause, b.cause, strict, pairs) &&
        equalProperties(a, b, strict, pairs)
      );
    case kArrayBuffer:
    case kSharedArrayBuffer:
      return equalBytes(new Uint8Array(a as unknown as ArrayBuffer), new Uint8Array(b as unknown as ArrayBuffer));
    case kString:
      if (isBoxedPrimitive(a) && isBoxedPrimitive(b) && a.constructor !== b.constructor) return false;
    // falls through
    case kNumber:
    case kBoolean:
    case kBigInt:
    case kSymbol:
      if (!isBoxedPrimitive(a) || !isBoxedPrimitive(b)) break;
      return is(a.valueOf(), b.valueOf());
    case kArguments:
      return a.length === b.length && equalProperties(a, b, strict, pairs);
  }
  if (isView(a) || isView(b)) return isView(a) && isView(b) && equalViews(a, b, strict);
  if (!aIsPlain) {
    const host = equalHostObjects(a, b);
    if (host !== undefined) return host;
  }
  return equalProperties(a, b, strict, pairs);
}

/** Objects whose content is not in their properties; undefined for others. */
function equalHostObjects(a: Thing, b: Thing): boolean | undefined {
  const tag = a[Symbol.toStringTag];
  if (tag === undefined) return undefined;
  if (tag !== b[Symbol.toStringTag]) return false;
  switch (tag) {
    case "URL":
      return a.href === b.href;
    case "URLSearchParams":
      return `${a}` === `${b}`;
    case "Headers":
      return equal([...(a as unknown as Iterable<unknown>)], [...(b as unknown as Iterable<unknown>)], false, []);
    case "Blob":
    case "File": {
      const { blobBytesSync, isBlob } = require("web/blob");
      if (!isBlob(a) || !isBlob(b)) return undefined;
      if (a.size !== b.size || a.type !== b.type || (a as Thing).name !== (b as Thing).name) return false;
      const left = blobBytesSync(a);
      const right = blobBytesSync(b);
      return left !== undefined && right !== undefined ? equalBytes(left, right) : undefined;
    }
  }
  return undefined;
}

function equalArrays(a: unknown[], b: unknown[], strict: boolean, pairs: Pairs): boolean {
  const { length } = a;
  if (strict) {
    if (length !== b.length || getPrototypeOf(a) !== getPrototypeOf(b)) return false;
    for (let i = 0; i < length; i++) {
      const left = a[i];
      const right = b[i];
      if (left !== right && !equal(left, right, true, pairs)) return false;
      if (left === undefined && i in a !== i in b) return false;
      if (left === 0 && !is(left, right)) return false;
    }
    return equalArraySymbols(a, b, true, pairs);
  }
  // Missing elements are undefined.
  const most = Math.max(length, b.length);
  for (let i = 0; i < most; i++)
    if (!equal(a[i], b[i], false, pairs) && !(isHidden(a, i) && isHidden(b, i))) return false;
  return equalArraySymbols(a, b, false, pairs);
}

/** Whether an array has an element that is not enumerable: as other properties of this kind, it is not compared. */
function isHidden(list: unknown[], index: number): boolean {
  return index in list && !propertyIsEnumerable.call(list, index);
}

/** Symbols are compared, names besides the indices are not, as in Bun. */
function equalArraySymbols(a: unknown[], b: unknown[], strict: boolean, pairs: Pairs): boolean {
  if (getOwnPropertySymbols(a).length === 0 && getOwnPropertySymbols(b).length === 0) return true;
  return equalSymbols(a as unknown as Thing, b as unknown as Thing, strict, pairs);
}

function equalProperties(a: Thing, b: Thing, strict: boolean, pairs: Pairs): boolean {
  const names = keys(a);
  const count = names.length;
  const others = keys(b);
  let shared = 0;
  for (let i = 0; i < count; i++) {
    const name = names[i]!;
    const left = a[name];
    const right = b[name];
    // Mostly they are in the same order.
    if (others[i] === name || hasOwnProperty.call(b, name)) shared++;
    else if (strict || left !== undefined) return false;
    if (left === right ? left === 0 && !is(left, right) : !equal(left, right, strict, pairs)) return false;
  }
  if (others.length !== shared) {
    if (strict) return false;
    for (const name of others) if (b[name] !== undefined && !propertyIsEnumerable.call(a, name)) return false;
  }
  if (getOwnPropertySymbols(a).length === 0 && getOwnPropertySymbols(b).length === 0) return true;
  return equalSymbols(a, b, strict, pairs);
}

function equalSymbols(a: Thing, b: Thing, strict: boolean, pairs: Pairs): boolean {
  const symbols = enumerableSymbols(a);
  const otherSymbols = enumerableSymbols(b);
  for (const symbol of symbols) {
    if (
      !hasOwnProperty.call(b, symbol) ? strict || a[symbol] !== undefined : !equal(a[symbol], b[symbol], strict, pairs)
    ) {
      return false;
    }
  }
  for (const symbol of otherSymbols) {
    if (!hasOwnProperty.call(a, symbol) && (strict || b[symbol] !== undefined)) return false;
  }
  return true;
}

function equalMaps(a: Map<unknown, unknown>, b: Map<unknown, unknown>, strict: boolean, pairs: Pairs): boolean {
  if (a.size !== b.size) return false;
  // What is alike mostly stands at the same place: without this the time grows with the square of the size.
  const entries = b.entries();
  for (const [key, value] of a) {
    const place = entries.next().value!;
    if (b.has(key)) {
      if (!equal(value, b.get(key), strict, pairs)) return false;
      continue;
    }
    if ((typeof key !== "object" || key === null) && judge === undefined) return false;
    let found = equal(key, place[0], strict, pairs) && equal(value, place[1], strict, pairs);
    if (found) continue;
    for (const [otherKey, other] of b) {
      if (equal(key, otherKey, strict, pairs) && equal(value, other, strict, pairs)) {
        found = true;
        break;
      }
    }
    if (!found) return false;
  }
  return true;
}

function equalSets(a: Set<unknown>, b: Set<unknown>, strict: boolean, pairs: Pairs): boolean {
  if (a.size !== b.size) return false;
  const values = b.values();
  for (const value of a) {
    const place = values.next().value;
    if (b.has(value)) continue;
    if ((typeof value !== "object" || value === null) && judge === undefined) return false;
    let found = equal(value, place, strict, pairs);
    if (found) continue;
    for (const other of b) {
      if (equal(value, other, strict, pairs)) {
        found = true;
        break;
      }
    }
    if (!found) return false;
  }
  return true;
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && native("encoding").compare(a, b) === 0;
}

function equalViews(a: ArrayBufferView, b: ArrayBufferView, strict: boolean): boolean {
  if ((a as Uint8Array)[Symbol.toStringTag] !== (b as Uint8Array)[Symbol.toStringTag] || a.byteLength !== b.byteLength)
    return false;
  if (
    a instanceof Float32Array ||
    a instanceof Float64Array ||
    (globalThis.Float16Array !== undefined && a instanceof globalThis.Float16Array)
  ) {
    for (let i = 0; i < a.length; i++)
      if (strict ? !is(a[i], (b as Float64Array)[i]) : a[i] !== (b as Float64Array)[i]) return false;
    return true;
  }
  return equalBytes(
    new Uint8Array(a.buffer, a.byteOffset, a.byteLength),
    new Uint8Array(b.buffer, b.byteOffset, b.byteLength),
  );
}

/**
 * Whether two values are alike in all that is in them. `strict`: undefined properties and elements count, and so do
 * prototypes.
 */
export function deepEquals(a: unknown, b: unknown, strict: boolean = false): boolean {
  if (arguments.length < 2) throw new TypeError("Expected 2 values to compare");
  return equal(a, b, Boolean(strict), []);
}

function matches(subset: unknown, value: unknown, pairs: Pairs): boolean {
  if (judge !== undefined) {
    const answer = judge(value, subset);
    if (answer !== undefined) return answer;
  }
  if (is(subset, value)) return true;
  if (typeof subset === "function") return typeof value === "function" && matchesProperties(subset, value, pairs);
  if (typeof subset !== "object" || typeof value !== "object" || subset === null || value === null) return false;
  const open = isOpen(pairs, subset, value);
  if (open !== 0) return open > 0;
  if (isArray(subset)) {
    if (!isArray(value) || value.length !== subset.length || hasMoreThan(value, subset)) return false;
  } else if (!isArray(value)) {
    const kind = classOf(subset);
    if ((kind === kDate || kind === kRegExp || isView(subset)) && !equal(subset, value, false, [])) return false;
  }
  pairs.push(subset, value);
  const result = matchesProperties(subset, value, pairs);
  pairs.pop();
  pairs.pop();
  return result;
}

/** Whether a list has names or symbols besides its elements that the other one lacks. */
function hasMoreThan(list: unknown[], subset: unknown[]): boolean {
  const names = keys(list);
  // Indices come first.
  for (let i = names.length - 1; i >= 0 && !(Number(names[i]) < list.length); i--)
    if (!hasOwnProperty.call(subset, names[i]!)) return true;
  return enumerableSymbols(list).some((symbol) => !hasOwnProperty.call(subset, symbol));
}

function matchesProperties(subset: object, value: object, pairs: Pairs): boolean {
  for (const key of [...keys(subset), ...enumerableSymbols(subset)]) {
    if (!(key in value) || !matches((subset as Thing)[key], (value as Thing)[key], pairs)) return false;
  }
  return true;
}

/** Whether `object` has all that is in `subset`; it may have more. Arrays have the same length. */
export function deepMatch(subset: unknown, object: unknown): boolean {
  if (typeof subset !== "object" || typeof object !== "object" || subset === null || object === null) {
    throw new TypeError(`Expected 2 ${arguments.length < 2 ? "values to compare" : "objects to match"}`);
  }
  return matches(subset, object, []);
}

/** `compare(a, b)` with a judge asked first about every pair in them. */
function judged<T>(by: Judge, compare: () => T): T {
  const before = judge;
  judge = by;
  try {
    return compare();
  } finally {
    judge = before;
  }
}

/**
 * As `deepEquals`; `by` is asked about each pair first. `onlyAdds`: it calls nothing different that is alike, so that plain data
 * that is alike needs no asking.
 */
export function deepEqualsBy(a: unknown, b: unknown, strict: boolean, by: Judge, onlyAdds: boolean): boolean {
  if (
    onlyAdds &&
    typeof a === "object" &&
    typeof b === "object" &&
    a !== null &&
    b !== null &&
    compareTrees(a, b, strict ? kBunStrict : kBun, []) === true
  )
    return true;
  return judged(by, () => equal(a, b, strict, []));
}

/** As `deepMatch`; `by` is asked about each pair (value, part of the subset) first. */
export function deepMatchBy(subset: unknown, object: unknown, by: Judge): boolean {
  return judged(by, () => matches(subset, object, []));
}
