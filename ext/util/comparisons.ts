// Deep equality as `assert` and `util.isDeepStrictEqual` define it
// (https://nodejs.org/api/assert.html#assertdeepstrictequalactual-expected-message).

import type { KeyObject } from "internal/crypto/keys";
import {
  classOf,
  isArrayBufferView,
  isCryptoKey,
  isKeyObject,
  kArrayBuffer,
  kBigInt,
  kBoolean,
  kDate,
  kError,
  kMap,
  kModule,
  kNumber,
  kPromise,
  kProxy,
  kRegExp,
  kSet,
  kSharedArrayBuffer,
  kString,
  kSymbol,
  kWeakMap,
  kWeakSet,
  typedArrayTag,
} from "internal/util/types";
import { nonIndexKeys } from "internal/util/non_index_keys";

const { compareTrees } = native("inspect");
const { isArray } = Array;
const { getOwnPropertySymbols, getPrototypeOf, is, keys: objectKeys, prototype: objectPrototype } = Object;
const { hasOwnProperty, propertyIsEnumerable, toString: objectToString } = objectPrototype;

/** `==` for primitives, no prototypes, no symbols. */
const kLoose = 0;
/** Same value for primitives, same prototypes and class, symbol keys too. */
const kStrict = 1;
/** What the second value has, the first must have; it may have more. */
const kPartial = 2;
/** kStrict without a look at prototypes. */
const kStrictWithoutPrototypes = 3;

// Objects that are being compared further up, both sides: how cycles end. A stack; structures are rarely deep.
type Seen = object[];

export function isDeepEqual(actual: unknown, expected: unknown): boolean {
  return equal(actual, expected, kLoose, undefined);
}

/** `skipPrototype`: instances of different classes may be equal. */
export function isDeepStrictEqual(actual: unknown, expected: unknown, skipPrototype?: boolean): boolean {
  return equal(actual, expected, skipPrototype ? kStrictWithoutPrototypes : kStrict, undefined);
}

export function isPartialStrictEqual(actual: unknown, expected: unknown): boolean {
  return equal(actual, expected, kPartial, undefined);
}

function equal(a: unknown, b: unknown, mode: number, seen: Seen | undefined): boolean {
  if (a === b) return a !== 0 || mode === kLoose || is(a, b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return equalPrimitives(a, b, mode);
  if (mode !== kPartial) {
    // Plain data needs no JavaScript: see engine/src/deep_equal.rs, which decides what is decided below.
    const answer = compareTrees(a, b, mode, seen);
    if (typeof answer === "boolean") return answer;
    if (answer !== undefined) return equalPairs(answer, mode);
  }
  return equalObjects(a, b, mode, seen);
}

// Two different values of which one at least is no object.
function equalPrimitives(a: unknown, b: unknown, mode: number): boolean {
  if (mode !== kLoose) return a !== a && b !== b;
  if ((a !== null && typeof a === "object") || (b !== null && typeof b === "object")) return false;
  // eslint-disable-next-line eqeqeq
  return a == b || (a !== a && b !== b);
}

// What compareTrees left open, in threes: both sides and the pairs around them.
function equalPairs(pairs: unknown[], mode: number): boolean {
  for (let i = 0; i < pairs.length; i += 3) {
    const a = pairs[i];
    const b = pairs[i + 1];
    const objects = typeof a === "object" && typeof b === "object" && a !== null && b !== null;
    if (!(objects ? equalObjects(a as Thing, b as Thing, mode, pairs[i + 2] as Seen) : equalPrimitives(a, b, mode)))
      return false;
  }
  return true;
}

function equalObjects(a: object, b: object, mode: number, seen: Seen | undefined): boolean {
  if (mode === kStrict && getPrototypeOf(a) !== getPrototypeOf(b)) return false;

  const tag = objectToString.call(a);
  if (tag !== objectToString.call(b)) return false;

  if (isArray(a)) {
    if (!isArray(b) || (a.length !== b.length && (mode !== kPartial || a.length < b.length))) return false;
    const keys = extraKeys(b, mode);
    if (mode !== kPartial && keys.length !== extraKeys(a, mode).length) return false;
    return sameKeys(a, b, mode, seen, keys, kArrayKind);
  }
  if (tag === "[object Object]") {
    if (getPrototypeOf(a) === objectPrototype && getPrototypeOf(b) === objectPrototype) {
      return sameKeys(a, b, mode, seen, undefined, kUnchecked);
    }
  }
  return sameObjects(a as Thing, b as Thing, tag, mode, seen);
}

/** An object of any class: which of the properties it has depends on that. */
interface Thing {
  [key: PropertyKey]: unknown;
  size: number;
  length: number;
  source: string;
  flags: string;
  lastIndex: number;
}
type ArrayLikeView = ArrayLike<unknown> & ArrayBufferView;

function isByProperties(kind: number): boolean {
  return kind === kProxy || kind === kModule;
}

// Objects of the same tag that are no two arrays, by their internal class.
function sameObjects(a: Thing, b: Thing, tag: string, mode: number, seen: Seen | undefined): boolean {
  if (tag === "[object Object]") {
    // An object may still be one of the special kinds, with another prototype or tag.
    if (isArray(b)) return false;
    const kind = classOf(a);
    if (kind === 0 && classOf(b) === 0 && !isArrayBufferView(a) && !isArrayBufferView(b)) {
      if (isErrorByPrototype(a) || isErrorByPrototype(b)) return compareErrors(a, b, mode, seen);
      return sameKeys(a, b, mode, seen, undefined, kPlain);
    }
  } else if (isArray(b)) {
    return false;
  }

  const kind = classOf(a);
  const otherKind = classOf(b);
  // Proxies stand for their targets as far as properties go, and namespaces of modules are their properties.
  if (kind !== otherKind && !isByProperties(kind) && !isByProperties(otherKind)) return false;
  switch (kind) {
    case kDate: {
      const time = Date.prototype.getTime.call(a);
      const otherTime = Date.prototype.getTime.call(b);
      if (time !== otherTime && (time === time || otherTime === otherTime)) return false;
      break;
    }
    case kRegExp:
      if (a.source !== b.source || a.flags !== b.flags || a.lastIndex !== b.lastIndex) return false;
      break;
    case kError:
      return compareErrors(a, b, mode, seen);
    case kSet:
      if (a.size !== b.size && (mode !== kPartial || a.size < b.size)) return false;
      return sameKeys(a, b, mode, seen, undefined, kSetKind);
    case kMap:
      if (a.size !== b.size && (mode !== kPartial || a.size < b.size)) return false;
      return sameKeys(a, b, mode, seen, undefined, kMapKind);
    case kArrayBuffer:
    case kSharedArrayBuffer:
      if (!sameBytes(new Uint8Array(a as unknown as ArrayBuffer), new Uint8Array(b as unknown as ArrayBuffer), mode))
        return false;
      break;
    case kNumber:
      if (!is(Number.prototype.valueOf.call(a), Number.prototype.valueOf.call(b))) return false;
      break;
    case kString:
      if (String.prototype.valueOf.call(a) !== String.prototype.valueOf.call(b)) return false;
      break;
    case kBoolean:
      if (Boolean.prototype.valueOf.call(a) !== Boolean.prototype.valueOf.call(b)) return false;
      break;
    case kBigInt:
      if (BigInt.prototype.valueOf.call(a) !== BigInt.prototype.valueOf.call(b)) return false;
      break;
    case kSymbol:
      if (Symbol.prototype.valueOf.call(a) !== Symbol.prototype.valueOf.call(b)) return false;
      break;
    case kWeakMap:
    case kWeakSet:
    case kPromise:
      // Their content cannot be compared: equal to nothing but themselves.
      return false;
    default:
      if (isArrayBufferView(a)) {
        const name = typedArrayTag(a);
        if (
          !isArrayBufferView(b) ||
          name !== typedArrayTag(b) ||
          !sameView(a as ArrayLikeView, b as ArrayLikeView, name, mode)
        )
          return false;
        const keys = extraKeys(b, mode);
        if (mode !== kPartial && keys.length !== extraKeys(a, mode).length) return false;
        return sameKeys(a, b, mode, seen, keys, kPlain);
      }
      if (isArrayBufferView(b)) return false;
      if (tag === "[object URL]" && a instanceof URL) {
        if (!(b instanceof URL) || a.href !== b.href) return false;
      } else if (tag === "[object KeyObject]" && isKeyObject(a)) {
        if (!isKeyObject(b) || !(a as unknown as KeyObject).equals(b as unknown as KeyObject)) return false;
      } else if (tag === "[object CryptoKey]" && isCryptoKey(a)) {
        if (!isCryptoKey(b) || !sameCryptoKeys(a as Key, b as Key, mode, seen)) return false;
      } else if (isErrorByPrototype(a) || isErrorByPrototype(b)) {
        return compareErrors(a, b, mode, seen);
      }
  }
  return sameKeys(a, b, mode, seen, undefined, kPlain);
}

function extraKeys(value: object, mode: number): PropertyKey[] {
  const keys = nonIndexKeys(value, true);
  return mode === kLoose ? keys.filter((key) => typeof key !== "symbol") : keys;
}

// ---------------------------------------------------------------------------------------------------------------------
// Special kinds

const isErrorByPrototype = (value: unknown) => Function.prototype[Symbol.hasInstance].call(Error, value);

// The stack is not compared: it says where, not what.
function compareErrors(a: Thing, b: Thing, mode: number, seen: Seen | undefined): boolean {
  if (!(classOf(b) === kError || isErrorByPrototype(b)) || !(classOf(a) === kError || isErrorByPrototype(a)))
    return false;
  if (seen !== undefined) {
    const circular = isCircular(seen, a, b);
    if (circular !== undefined) return circular;
  }
  const inner = seen === undefined ? [a, b] : [...seen, a, b];
  for (const key of ["message", "name", "cause", "errors"]) {
    // Enumerable ones are compared with the other properties.
    if (propertyIsEnumerable.call(b, key)) continue;
    if (mode === kPartial && (b[key] === undefined || (key === "message" && b[key] === ""))) continue;
    if (!equal(a[key], b[key], mode, inner)) return false;
  }
  const hasCause = hasOwnProperty.call(b, "cause");
  if (hasCause !== hasOwnProperty.call(a, "cause") && (mode !== kPartial || hasCause)) return false;
  return sameKeys(a, b, mode, seen, undefined, kPlain);
}

/** What is compared of two CryptoKeys. */
type Key = { type?: unknown; extractable?: unknown; algorithm?: unknown; usages?: unknown };

function sameCryptoKeys(a: Key, b: Key, mode: number, seen: Seen | undefined): boolean {
  if (a.type !== b.type || a.extractable !== b.extractable) return false;
  if (!equal(a.algorithm, b.algorithm, mode, seen) || !equal(a.usages, b.usages, mode, seen)) return false;
  const { KeyObject } = require("node:crypto");
  return KeyObject.from(a).equals(KeyObject.from(b));
}

function sameBytes(a: Uint8Array, b: Uint8Array, mode: number): boolean {
  if (mode === kPartial) return isSubsequence(a, b);
  return a.length === b.length && native("encoding").compare(a, b) === 0;
}

function sameView(a: ArrayLikeView, b: ArrayLikeView, name: string | undefined, mode: number): boolean {
  if (name === undefined) {
    // Two DataViews.
    return sameBytes(bytesOf(a), bytesOf(b), mode);
  }
  if (mode === kPartial) return isSubsequence(a, b);
  if (a.length !== b.length) return false;
  // Views of a detached buffer are empty, and no other view can be made of it.
  if (a.length === 0) return true;
  if (name === "Float32Array" || name === "Float64Array" || name === "Float16Array") {
    for (let i = 0; i < a.length; i++) {
      if (mode === kLoose ? a[i] !== b[i] : !is(a[i], b[i])) return false;
    }
    return true;
  }
  return sameBytes(bytesOf(a), bytesOf(b), mode);
}

const bytesOf = (view: ArrayBufferView) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

function isSubsequence(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  let at = 0;
  for (let i = 0; i < b.length; i++, at++) {
    while (at < a.length && !is(a[at], b[i])) at++;
    if (at >= a.length) return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Properties and entries

const kPlain = 0;
// Plain by prototype and tag; what it is inside matters only if it has no properties (a Map with another prototype).
const kUnchecked = 4;
const kArrayKind = 1;
const kSetKind = 2;
const kMapKind = 3;

/** Compares own enumerable properties (`keys` of `b`, found if undefined), then the entries of the kind. */
function sameKeys(
  a: object,
  b: object,
  mode: number,
  seen: Seen | undefined,
  keys: PropertyKey[] | undefined,
  kind: number,
): boolean {
  if (keys === undefined) {
    keys = objectKeys(b);
    const { length } = keys;
    if (mode === kPartial) {
      for (let i = 0; i < length; i++) {
        if (!propertyIsEnumerable.call(a, keys[i]!)) return false;
      }
    } else {
      const others = objectKeys(a);
      if (others.length !== length) return false;
      // Mostly they are in the same order.
      for (let i = 0; i < length; i++) {
        if (others[i] !== keys[i] && !propertyIsEnumerable.call(a, keys[i]!)) return false;
      }
    }
    if (mode !== kLoose) {
      const symbols = enumerableSymbols(b);
      if (mode !== kPartial && symbols.length !== enumerableSymbols(a).length) return false;
      for (const symbol of symbols) {
        if (!propertyIsEnumerable.call(a, symbol)) return false;
        keys.push(symbol);
      }
    }
  } else {
    for (let i = 0; i < keys.length; i++) {
      if (!propertyIsEnumerable.call(a, keys[i]!)) return false;
    }
  }
  if (keys.length === 0) {
    if (kind === kUnchecked) {
      return (
        (classOf(a) === 0 && classOf(b) === 0) || sameObjects(a as Thing, b as Thing, "[object Object]", mode, seen)
      );
    }
    if (
      kind === kPlain ||
      (kind === kArrayKind && (b as Thing).length === 0) ||
      ((kind === kSetKind || kind === kMapKind) && (b as Thing).size === 0)
    )
      return true;
  }

  if (seen === undefined) {
    seen = [a, b];
  } else {
    const circular = isCircular(seen, a, b);
    if (circular !== undefined) return circular;
    seen.push(a, b);
  }
  const result = sameContent(a as Thing, b as Thing, mode, seen, keys, kind);
  seen.pop();
  seen.pop();
  return result;
}

// Whether a cycle is closed: equal so far if both sides come back to where they were, not if only one does.
function isCircular(seen: Seen, a: object, b: object): boolean | undefined {
  let hasA = false;
  let hasB = false;
  for (let i = 0; i < seen.length; i++) {
    const open = seen[i];
    if (open === a) hasA = true;
    if (open === b) hasB = true;
  }
  return hasA || hasB ? hasA && hasB : undefined;
}

function enumerableSymbols(value: object): symbol[] {
  const symbols = getOwnPropertySymbols(value);
  return symbols.length === 0 ? symbols : symbols.filter((symbol) => propertyIsEnumerable.call(value, symbol));
}

function sameContent(a: Thing, b: Thing, mode: number, seen: Seen, keys: PropertyKey[], kind: number): boolean {
  switch (kind) {
    case kArrayKind:
      if (
        !(mode === kPartial
          ? partialArrays(a as never, b as never, seen)
          : sameArrays(a as never, b as never, mode, seen))
      )
        return false;
      break;
    case kSetKind:
      if (!sameSets(a as never, b as never, mode, seen)) return false;
      break;
    case kMapKind:
      if (!sameMaps(a as never, b as never, mode, seen)) return false;
  }
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    if (!equal(a[key], b[key], mode, seen)) return false;
  }
  return true;
}

function sameArrays(a: unknown[], b: unknown[], mode: number, seen: Seen): boolean {
  for (let i = 0; i < a.length; i++) {
    // A hole is not the same as undefined.
    if (b[i] === undefined && !hasOwnProperty.call(b, i)) return sameSparseArrays(a, b, mode, seen, i);
    if (!equal(a[i], b[i], mode, seen) || (a[i] === undefined && !hasOwnProperty.call(a, i))) return false;
  }
  return true;
}

// From the first hole on, only what is there is compared.
function sameSparseArrays(a: unknown[], b: unknown[], mode: number, seen: Seen, start: number): boolean {
  const keysA = objectKeys(a);
  const keysB = objectKeys(b);
  if (keysA.length !== keysB.length) return false;
  for (let i = start; i < keysA.length; i++) {
    const key = keysA[i] as unknown as number;
    if (!hasOwnProperty.call(b, key) || !equal(a[key], b[key], mode, seen)) return false;
  }
  return true;
}

// `b` must be a part of `a`, in the same order.
function partialArrays(a: unknown[], b: unknown[], seen: Seen): boolean {
  let at = 0;
  for (let i = 0; i < b.length; i++, at++) {
    if (b[i] === undefined && !hasOwnProperty.call(b, i)) return partialSparseArrays(a, b, seen);
    for (;;) {
      if (at >= a.length) return false;
      if (a[at] === undefined && !hasOwnProperty.call(a, at)) return partialSparseArrays(a, b, seen);
      if (equal(a[at], b[i], kPartial, seen)) break;
      at++;
    }
  }
  return true;
}

const indexKeys = (value: unknown[]) => {
  const keys = objectKeys(value);
  const extra = nonIndexKeys(value, true).filter((key) => typeof key === "string").length;
  return keys.slice(0, keys.length - extra) as unknown[] as number[];
};

function partialSparseArrays(a: unknown[], b: unknown[], seen: Seen): boolean {
  const keysA = indexKeys(a);
  const keysB = indexKeys(b);
  let at = 0;
  for (let i = 0; i < keysB.length; i++, at++) {
    if (keysA.length - at < keysB.length - i) return false;
    while (!equal(a[keysA[at]!], b[keysB[i]!], kPartial, seen)) {
      at++;
      if (keysA.length - at < keysB.length - i) return false;
    }
  }
  return true;
}

// A primitive that another one may equal by `==` without being the same.
function mayLooselyEqual(value: unknown): boolean {
  return typeof value !== "symbol";
}

function sameSets(a: Set<unknown>, b: Set<unknown>, mode: number, seen: Seen): boolean {
  // What has no identical counterpart has to find one that is equal, each for itself.
  let open: unknown[] | undefined;
  for (const value of b) {
    if (a.has(value)) continue;
    if (typeof value !== "object" || value === null) {
      if (mode !== kLoose || !mayLooselyEqual(value)) return false;
    }
    (open ??= []).push(value);
  }
  if (open === undefined) return true;
  const candidates = new Set<unknown>();
  for (const value of a) {
    if (!b.has(value)) candidates.add(value);
  }
  for (const value of open) {
    let found = false;
    for (const candidate of candidates) {
      if (equal(candidate, value, mode, seen)) {
        candidates.delete(candidate);
        found = true;
        break;
      }
    }
    if (!found) return false;
  }
  return true;
}

function sameMaps(a: Map<unknown, unknown>, b: Map<unknown, unknown>, mode: number, seen: Seen): boolean {
  let open: unknown[] | undefined;
  for (const [key, value] of b) {
    if (typeof key === "object" && key !== null) {
      (open ??= []).push(key);
      continue;
    }
    const other = a.get(key);
    if ((other === undefined && !a.has(key)) || !equal(other, value, mode, seen)) {
      if (mode !== kLoose || !mayLooselyEqual(key)) return false;
      (open ??= []).push(key);
    }
  }
  if (open === undefined) return true;
  const candidates = new Set<unknown>();
  for (const [key, value] of a) {
    if (typeof key === "object" && key !== null) {
      candidates.add(key);
    } else if (mode === kLoose) {
      const other = b.get(key);
      if ((other === undefined && !b.has(key)) || !equal(value, other, mode, seen)) candidates.add(key);
    }
  }
  for (const key of open) {
    const value = b.get(key);
    let found = false;
    for (const candidate of candidates) {
      if (equal(candidate, key, mode, seen) && equal(a.get(candidate), value, mode, seen)) {
        candidates.delete(candidate);
        found = true;
        break;
      }
    }
    if (!found) return false;
  }
  return true;
}
