/** Values that a program passes, as parameters of the binary protocol: first their types, then themselves. */

import type { Writer } from "internal/sql/mysql/packets";
import {
  TYPE_BLOB,
  TYPE_DATETIME,
  TYPE_DOUBLE,
  TYPE_LONG,
  TYPE_LONGLONG,
  TYPE_NULL,
  TYPE_STRING,
  TYPE_TINY,
} from "internal/sql/mysql/protocol";

const UNSIGNED = 0x8000;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;
const MIN_TIME = Date.parse("0000-01-01T00:00:00Z");
const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A value that can be sent: text of objects and bytes of buffers are made. */
type Value = null | boolean | number | bigint | string | Date | Uint8Array;

function coded(error: Error, code: string): Error {
  Object.defineProperty(error, "code", { value: code, enumerable: false, configurable: true, writable: true });
  return error;
}

function unbindable(what: string): Error {
  return coded(new TypeError(`Cannot bind ${what} to query parameter`), "ERR_INVALID_ARG_TYPE");
}

function outOfRange(): Error {
  const text = `The value is out of range. It must be >= ${MIN_INT64} and <= ${MAX_UINT64}.`;
  return coded(new RangeError(text), "ERR_OUT_OF_RANGE");
}

function dateOf(date: Date): Date {
  const time = date.getTime();
  if (Number.isNaN(time))
    throw coded(new TypeError("Cannot bind an Invalid Date to query parameter"), "ERR_INVALID_ARG_VALUE");
  if (time < MIN_TIME || time > MAX_TIME) {
    throw coded(new RangeError("MySQL DATETIME value must be between 0000-01-01 and 9999-12-31"), "ERR_OUT_OF_RANGE");
  }
  // The program's own object can change before it is sent.
  return new Date(time);
}

/** Throws TypeError or RangeError for what cannot be sent. Runs code of the program: `toJSON`, and getters beneath it. */
export function valueOf(given: unknown): Value {
  switch (typeof given) {
    case "undefined":
      return null;
    case "string":
    case "number":
    case "boolean":
      return given;
    case "bigint":
      if (given < MIN_INT64 || given > MAX_UINT64) throw outOfRange();
      return given;
    case "function":
      throw unbindable("a function");
    case "symbol":
      throw unbindable("this type");
  }
  if (given === null) return null;
  if (given instanceof Date) return dateOf(given);
  if (ArrayBuffer.isView(given)) {
    // Copied, since a getter of a later value can change it.
    return Buffer.from(new Uint8Array(given.buffer as ArrayBuffer, given.byteOffset, given.byteLength));
  }
  if (given instanceof ArrayBuffer || given instanceof SharedArrayBuffer)
    return Buffer.from(new Uint8Array(given as ArrayBuffer));
  if (given instanceof String) return String(given);
  if (given instanceof Number) throw unbindable("NumberObject");
  if (given instanceof Boolean) throw unbindable("BooleanObject");
  if (
    given instanceof Blob ||
    given instanceof Map ||
    given instanceof Set ||
    given instanceof URL ||
    given instanceof Promise
  ) {
    throw unbindable("this type");
  }
  const text = JSON.stringify(given) as string | undefined;
  return text === undefined ? null : text;
}

function typeOf(value: Value): number {
  if (value === null) return TYPE_NULL;
  switch (typeof value) {
    case "string":
      return TYPE_STRING;
    case "number":
      if ((value | 0) === value) return TYPE_LONG;
      if (!Number.isSafeInteger(value)) return TYPE_DOUBLE;
      return value > 0 && value <= 0xffff_ffff ? TYPE_LONG | UNSIGNED : TYPE_LONGLONG;
    case "boolean":
      return TYPE_TINY;
    case "bigint":
      return value > MAX_INT64 ? TYPE_LONGLONG | UNSIGNED : TYPE_LONGLONG;
  }
  return value instanceof Date ? TYPE_DATETIME : TYPE_BLOB;
}

function writeDate(writer: Writer, date: Date): void {
  const milliseconds = date.getUTCMilliseconds();
  writer.uint8(milliseconds === 0 ? 7 : 11);
  writer.uint16(date.getUTCFullYear());
  writer.uint8(date.getUTCMonth() + 1);
  writer.uint8(date.getUTCDate());
  writer.uint8(date.getUTCHours());
  writer.uint8(date.getUTCMinutes());
  writer.uint8(date.getUTCSeconds());
  if (milliseconds !== 0) writer.uint32(milliseconds * 1000);
}

function writeValue(writer: Writer, value: Value, type: number): void {
  switch (type & 0xff) {
    case TYPE_NULL:
      return;
    case TYPE_TINY:
      return writer.uint8(value === true ? 1 : 0);
    case TYPE_LONG:
      return writer.uint32(value as number);
    case TYPE_LONGLONG:
      return writer.uint64(BigInt(value as number | bigint));
    case TYPE_DOUBLE:
      return writer.float64(value as number);
    case TYPE_STRING:
      return writer.value(value as string);
    case TYPE_DATETIME:
      return writeDate(writer, value as Date);
    default:
      return writer.blob(value as Uint8Array);
  }
}

/** Bitmap of NULLs, types, values. */
export function writeParameters(writer: Writer, values: readonly Value[]): void {
  const count = values.length;
  const bitmap = writer.zeros((count + 7) >> 3);
  writer.uint8(1);
  const types = values.map(typeOf);
  for (let i = 0; i < count; i++) {
    if (types[i] === TYPE_NULL) writer.mark(bitmap + (i >> 3), 1 << (i & 7));
    writer.uint16(types[i]!);
  }
  for (let i = 0; i < count; i++) writeValue(writer, values[i]!, types[i]!);
}
