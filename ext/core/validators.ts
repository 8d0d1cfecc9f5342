// Checks of arguments, with Node's names and errors. Each throws on a bad value and returns nothing unless noted.
// `name` is the argument's name in the message ("path", "options.fd").
//
// The checks are plain functions, so that the good path costs a comparison; only when one fails is the stack captured
// again from the caller's frame.

import type { AbortSignal } from "web/abort";
import { codes, hideFrom, hideStackFrames } from "internal/core/errors";

const { isArray } = Array;
const { isInteger } = Number;

// What a value is once it has been checked. A declared type is only narrowed (undefined and null leave it), an unknown
// value becomes the most general type of its kind.
type Checked<T, Kind> = unknown extends T ? T & Kind : T extends Kind ? T : T & Kind;
type Dictionary = { [key: PropertyKey]: unknown };
type Callable = (...values: unknown[]) => unknown;

function fail(error: Error, above: Function): never {
  throw hideFrom(error, above);
}

const wrongType = (name: string, expected: string | string[], value: unknown, above: Function): never =>
  fail(new codes.ERR_INVALID_ARG_TYPE(name, expected, value), above);
const wrongValue = (name: string, value: unknown, reason: string | undefined, above: Function): never =>
  fail(new codes.ERR_INVALID_ARG_VALUE(name, value, reason), above);
const wrongRange = (name: string, range: string, value: unknown, above: Function): never =>
  fail(new codes.ERR_OUT_OF_RANGE(name, range, value), above);

/** Whether `value` is a 32-bit signed integer. */
export function isInt32(value: unknown): value is number {
  return value === ((value as number) | 0);
}

/** Whether `value` is a 32-bit unsigned integer. */
export function isUint32(value: unknown): value is number {
  return value === (value as number) >>> 0;
}

/** A file mode: a number, an octal string, or `fallback` when undefined. Returns the number. */
export function parseFileMode(value: unknown, name: string, fallback?: number): number {
  value ??= fallback;
  if (typeof value === "string") {
    if (!/^[0-7]+$/.test(value)) {
      wrongValue(name, value, "must be a 32-bit unsigned integer or an octal string", parseFileMode);
    }
    value = parseInt(value, 8);
  }
  validateUint32(value, name);
  return value;
}

/** A safe integer in [min, max]. */
export function validateInteger(
  value: unknown,
  name: string,
  min: number = Number.MIN_SAFE_INTEGER,
  max: number = Number.MAX_SAFE_INTEGER,
): asserts value is number {
  if (typeof value !== "number") wrongType(name, "number", value, validateInteger);
  if (!isInteger(value)) wrongRange(name, "an integer", value, validateInteger);
  if ((value as number) < min || (value as number) > max) {
    wrongRange(name, `>= ${min} && <= ${max}`, value, validateInteger);
  }
}

/** An integer in [min, max], by default the signed 32-bit range. */
export function validateInt32(
  value: unknown,
  name: string,
  min = -2147483648,
  max = 2147483647,
): asserts value is number {
  if (typeof value !== "number") wrongType(name, "number", value, validateInt32);
  if (!isInteger(value)) wrongRange(name, "an integer", value, validateInt32);
  if ((value as number) < min || (value as number) > max) {
    wrongRange(name, `>= ${min} && <= ${max}`, value, validateInt32);
  }
}

/** An unsigned 32-bit integer; with `positive` not 0. */
export function validateUint32(value: unknown, name: string, positive = false): asserts value is number {
  if (typeof value !== "number") wrongType(name, "number", value, validateUint32);
  if (!isInteger(value)) wrongRange(name, "an integer", value, validateUint32);
  const min = positive ? 1 : 0;
  if ((value as number) < min || (value as number) > 4294967295) {
    wrongRange(name, `>= ${min} && <= 4294967295`, value, validateUint32);
  }
}

export function validateString(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string") wrongType(name, "string", value, validateString);
}

const { valueOf: textOfObject } = String.prototype;

/** The text of a String object (also of a class that extends String); other values come back as they are. */
export function unboxed(value: unknown): unknown {
  try {
    return textOfObject.call(value);
  } catch {
    return value;
  }
}

/** The text of a string or String object, as Bun takes paths. Throws ERR_INVALID_ARG_TYPE for other values. */
export function textOf(value: unknown, name: string): string {
  if (value instanceof String) value = unboxed(value);
  if (typeof value !== "string") wrongType(name, "string", value, textOf);
  return value as string;
}

/** A number in [min, max]; NaN only when there are no limits. */
export function validateNumber(value: unknown, name: string, min?: number, max?: number): asserts value is number {
  if (typeof value !== "number") wrongType(name, "number", value, validateNumber);
  if (
    (min != null && (value as number) < min) ||
    (max != null && (value as number) > max) ||
    ((min != null || max != null) && Number.isNaN(value))
  ) {
    const low = min != null ? `>= ${min}` : "";
    const high = max != null ? `<= ${max}` : "";
    wrongRange(name, `${low}${min != null && max != null ? " && " : ""}${high}`, value, validateNumber);
  }
}

/** One of a list of values. */
export function validateOneOf(value: unknown, name: string, oneOf: readonly unknown[]) {
  if (!oneOf.includes(value)) {
    const allowed = oneOf.map((item) => (typeof item === "string" ? `'${item}'` : String(item))).join(", ");
    wrongValue(name, value, `must be one of: ${allowed}`, validateOneOf);
  }
}

export function validateBoolean(value: unknown, name: string): asserts value is boolean {
  if (typeof value !== "boolean") wrongType(name, "boolean", value, validateBoolean);
}

// Flags of validateObject.
export const kValidateObjectNone = 0;
export const kValidateObjectAllowNullable = 1;
export const kValidateObjectAllowArray = 2;
export const kValidateObjectAllowFunction = 4;
export const kValidateObjectAllowObjects = kValidateObjectAllowArray | kValidateObjectAllowFunction;
export const kValidateObjectAllowObjectsAndNull = kValidateObjectAllowObjects | kValidateObjectAllowNullable;

/** An object; null, arrays and functions only as the flags allow. */
export function validateObject<T>(
  value: T,
  name: string,
  flags = kValidateObjectNone,
): asserts value is Checked<T, Dictionary> {
  if (flags === kValidateObjectNone) {
    if (value === null || isArray(value)) wrongType(name, "Object", value, validateObject);
    if (typeof value !== "object") wrongType(name, "Object", value, validateObject);
    return;
  }
  if ((flags & kValidateObjectAllowNullable) === 0 && value === null) wrongType(name, "Object", value, validateObject);
  if ((flags & kValidateObjectAllowArray) === 0 && isArray(value)) wrongType(name, "Object", value, validateObject);
  const type = typeof value;
  if (type !== "object" && !((flags & kValidateObjectAllowFunction) !== 0 && type === "function")) {
    wrongType(name, "Object", value, validateObject);
  }
}

/** A dictionary of Web IDL: undefined, null, an object or a function. */
export function validateDictionary(value: unknown, name: string) {
  if (value != null && typeof value !== "object" && typeof value !== "function") {
    wrongType(name, "a dictionary", value, validateDictionary);
  }
}

/** The value of an option of an object that may be absent; `fallback` then. A null prototype object is fine. */
export function getOwnPropertyValueOrDefault(options: unknown, key: string, fallback: unknown) {
  return options == null || !Object.prototype.hasOwnProperty.call(options, key)
    ? fallback
    : (options as Dictionary)[key];
}

export function validateArray<T>(
  value: T,
  name: string,
  minLength = 0,
): asserts value is Checked<T, readonly unknown[]> {
  if (!isArray(value)) wrongType(name, "Array", value, validateArray);
  if ((value as unknown[]).length < minLength) {
    wrongValue(name, value, `must be longer than ${minLength}`, validateArray);
  }
}

export function validateStringArray(value: unknown, name: string): asserts value is string[] {
  validateArray(value, name);
  for (let i = 0; i < value.length; i++) validateString(value[i], `${name}[${i}]`);
}

export function validateBooleanArray(value: unknown, name: string): asserts value is boolean[] {
  validateArray(value, name);
  for (let i = 0; i < value.length; i++) validateBoolean(value[i], `${name}[${i}]`);
}

export function validateAbortSignalArray(value: unknown, name: string): asserts value is AbortSignal[] {
  validateArray(value, name);
  for (let i = 0; i < value.length; i++) {
    const at = `${name}[${i}]`;
    if (value[i] == null) wrongType(at, "AbortSignal", value[i], validateAbortSignalArray);
    validateAbortSignal(value[i], at);
  }
}

/** The name of a signal that the system has. */
export function validateSignalName(signal: unknown, name = "signal"): asserts signal is string {
  validateString(signal, name);
  const { signals } = require("node:os").constants;
  if (signals[signal] === undefined) {
    if (signals[signal.toUpperCase()] !== undefined) {
      fail(new codes.ERR_UNKNOWN_SIGNAL(`${signal} (signals must use all capital letters)`), validateSignalName);
    }
    fail(new codes.ERR_UNKNOWN_SIGNAL(signal), validateSignalName);
  }
}

/** A Buffer, TypedArray or DataView. */
export function validateBuffer<T>(value: T, name = "buffer"): asserts value is Checked<T, ArrayBufferView> {
  if (!ArrayBuffer.isView(value)) wrongType(name, ["Buffer", "TypedArray", "DataView"], value, validateBuffer);
}

/** That `encoding` fits string data: hex needs an even length. */
export function validateEncoding(data: { readonly length: number }, encoding: unknown) {
  if (typeof encoding === "string" && encoding.toLowerCase() === "hex" && data.length % 2 !== 0) {
    wrongValue("encoding", encoding, `is invalid for data of length ${data.length}`, validateEncoding);
  }
}

/** A port as a number or a string of one, 0 to 65535 (from 1 without `allowZero`). Returns the number. */
export function validatePort(port: unknown, name = "Port", allowZero = true): number {
  if (
    (typeof port !== "number" && typeof port !== "string") ||
    (typeof port === "string" && port.trim().length === 0) ||
    +port !== +port >>> 0 ||
    +port > 0xffff ||
    (port === 0 && !allowZero)
  ) {
    fail(new codes.ERR_SOCKET_BAD_PORT(name, port, allowZero), validatePort);
  }
  return +port | 0;
}

/** An AbortSignal or undefined. */
export function validateAbortSignal<T>(signal: T, name: string): asserts signal is Checked<T, AbortSignal | undefined> {
  if (signal !== undefined && (signal === null || typeof signal !== "object" || !("aborted" in signal))) {
    wrongType(name, "AbortSignal", signal, validateAbortSignal);
  }
}

export function validateFunction<T>(value: T, name: string): asserts value is Checked<T, Callable> {
  if (typeof value !== "function") wrongType(name, "Function", value, validateFunction);
}

/** A function that is not async. */
export function validatePlainFunction<T>(value: T, name: string): asserts value is Checked<T, Callable> {
  if (
    typeof value !== "function" ||
    (value as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] === "AsyncFunction"
  ) {
    wrongType(name, "Function", value, validatePlainFunction);
  }
}

export function validateUndefined(value: unknown, name: string): asserts value is undefined {
  if (value !== undefined) wrongType(name, "undefined", value, validateUndefined);
}

/** One of `union` (a list of strings); `value` is named in the message. */
export function validateUnion(value: unknown, name: string, union: unknown[]) {
  if (!union.includes(value)) wrongType(name, `('${union.join("|")}')`, value, validateUnion);
}

/**
 * What Node takes for a link, in a form with one way to match: parameters of any characters but `;`, quotes and white space, which may
 * end in a quoted value.
 */
const linkFormat = /^<[^>]*>(?:\s*;\s*[^;"\s]+(?:(?<=[^;"\s]=)"[^;"\s]*")?)*$/;

/** The value of a Link header: `<url>; rel=...`. */
export function validateLinkHeaderFormat(value: unknown, name: string) {
  if (value === undefined || !linkFormat.test(value as string)) {
    wrongValue(
      name,
      value,
      'must be an array or string of format "</styles.css>; rel=preload; as=style"',
      validateLinkHeaderFormat,
    );
  }
}

/** The `hints` of early hints: a string or an array of strings. Returns the header's value. */
export function validateLinkHeaderValue(hints: unknown): string {
  if (typeof hints === "string") {
    validateLinkHeaderFormat(hints, "hints");
    return hints;
  }
  if (isArray(hints)) {
    for (const link of hints) validateLinkHeaderFormat(link, "hints");
    return hints.join(", ");
  }
  return wrongValue(
    "hints",
    hints,
    'must be an array or string of format "</styles.css>; rel=preload; as=style"',
    validateLinkHeaderValue,
  );
}

/** A finite number, or undefined (returns false). Used by node:fs and streams for positions and sizes. */
export function validateFiniteNumber(number: unknown, name: string): number is number {
  if (number === undefined) return false;
  if (Number.isFinite(number)) return true;
  if (Number.isNaN(number)) return false;
  validateNumber(number, name);
  return wrongRange(name, "a finite number", number, validateFiniteNumber);
}

/** A finite number in [lower, upper]; `fallback` when undefined or NaN. Returns the number. */
export function checkRangesOrGetDefault<F>(
  number: unknown,
  name: string,
  lower: number,
  upper: number,
  fallback: F,
): number | F {
  if (!validateFiniteNumber(number, name)) return fallback;
  if (number < lower || number > upper) {
    wrongRange(name, `>= ${lower} and <= ${upper}`, number, checkRangesOrGetDefault);
  }
  return number;
}

/** `object` must have `key` of its own (a brand); otherwise ERR_INVALID_ARG_TYPE of `type`. */
export function validateInternalField(object: unknown, key: PropertyKey, type: string) {
  if (typeof object !== "object" || object === null || !Object.prototype.hasOwnProperty.call(object, key)) {
    wrongType("this", type, object, validateInternalField);
  }
}

/** `this` of a method must have `key` (a brand); otherwise ERR_INVALID_THIS of `type`. */
export function validateThisInternalField(object: unknown, key: PropertyKey, type: string) {
  if (typeof object !== "object" || object === null || !(key in object)) {
    fail(new codes.ERR_INVALID_THIS(type), validateThisInternalField);
  }
}

export { hideStackFrames };
