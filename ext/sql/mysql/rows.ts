/** Values and rows of both protocols: the binary one of prepared statements, and the textual one. */

import { OBJECTS, RAW } from "internal/sql/adapter";
import {
  type Column,
  KIND_BIT,
  KIND_BLOB,
  KIND_DATE,
  KIND_DOUBLE,
  KIND_FLOAT,
  KIND_INT16,
  KIND_INT24,
  KIND_INT32,
  KIND_INT64,
  KIND_INT8,
  KIND_JSON,
  KIND_NULL,
  KIND_TEXT,
  KIND_TIME,
  KIND_UINT16,
  KIND_UINT32,
  KIND_UINT64,
  KIND_UINT8,
  type RowMaker,
  type Shape,
} from "internal/sql/mysql/columns";
import { ProtocolError } from "internal/sql/mysql/error";
import type { Reader } from "internal/sql/mysql/packets";

const NULL = 0xfb;
const ZERO = 0x30;

function invalidValue(what: string): ProtocolError {
  return new ProtocolError("INVALID_BINARY_VALUE", `The server sent a ${what} that is none`);
}

function invalidRow(): ProtocolError {
  return new ProtocolError("INVALID_RESULT_ROW", "The server sent a row that is not of its columns");
}

const MONTH_DAYS = [0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function hasDay(year: number, month: number, day: number): boolean {
  if (!(day > 0 && month > 0 && month <= 12 && day <= MONTH_DAYS[month]!)) return false;
  return day < 29 || month !== 2 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0));
}

/** Days from 1970-01-01: years are counted from March on, so that a leap day is the last of its year. */
function daysOf(year: number, month: number, day: number): number {
  const years = month < 3 ? year - 1 : year;
  const months = month < 3 ? month + 9 : month - 3;
  const century = Math.floor(years / 100);
  return 365 * years + (years >> 2) - century + (century >> 2) + Math.floor((153 * months + 2) / 5) + day - 719_469;
}

/** The moment in UTC; an invalid Date for what is none, as days and months that are 0. */
function moment(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  micros: number,
): Date {
  if (!hasDay(year, month, day)) return new Date(NaN);
  const seconds = hour * 3600 + minute * 60 + second;
  return new Date(daysOf(year, month, day) * 86_400_000 + seconds * 1000 + Math.floor(micros / 1000));
}

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));

/** `[-]HH:MM:SS[.ffffff]`, hours up to 838. */
function timeText(
  isNegative: boolean,
  hours: number,
  minutes: number,
  seconds: number,
  micros: number,
  decimals: number,
): string {
  const text = `${isNegative ? "-" : ""}${two(hours)}:${two(minutes)}:${two(seconds)}`;
  const digits = decimals <= 6 ? decimals : micros === 0 ? 0 : 6;
  return digits === 0 ? text : `${text}.${String(micros).padStart(6, "0").slice(0, digits)}`;
}

/** 64 bits as a number if it has at most 32, else as a string or a bigint. */
function wide(low: number, high: number, isUnsigned: boolean, bigint: boolean): number | string | bigint {
  if (isUnsigned) {
    if (high === 0) return low >>> 0;
    if (!bigint && high >>> 0 < 2 ** 21) return String((high >>> 0) * 2 ** 32 + (low >>> 0));
    const value = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
    return bigint ? value : String(value);
  }
  if (high === low >> 31) return low;
  if (!bigint && high >= -(2 ** 20) && high < 2 ** 20) return String(high * 2 ** 32 + (low >>> 0));
  const value = (BigInt(high) << 32n) | BigInt(low >>> 0);
  return bigint ? value : String(value);
}

/** JSON as a value; what the server takes for JSON although it is none stays text. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// ---- binary

function binaryDate(reader: Reader): Date {
  const from = reader.value();
  const length = reader.at - from;
  if (length === 0) return new Date(NaN);
  if (length !== 4 && length !== 7 && length !== 11) throw invalidValue("date");
  const { bytes } = reader;
  const year = bytes[from]! | (bytes[from + 1]! << 8);
  const month = bytes[from + 2]!;
  const day = bytes[from + 3]!;
  if (length === 4) return moment(year, month, day, 0, 0, 0, 0);
  const micros = length === 7 ? 0 : bytes.readUInt32LE(from + 7);
  return moment(year, month, day, bytes[from + 4]!, bytes[from + 5]!, bytes[from + 6]!, micros);
}

function binaryTime(reader: Reader, decimals: number): string {
  const from = reader.value();
  const length = reader.at - from;
  if (length === 0) return timeText(false, 0, 0, 0, 0, decimals);
  if (length !== 8 && length !== 12) throw invalidValue("time");
  const { bytes } = reader;
  const hours = bytes.readUInt32LE(from + 1) * 24 + bytes[from + 5]!;
  const micros = length === 8 ? 0 : bytes.readUInt32LE(from + 8);
  return timeText(bytes[from] === 1, hours, bytes[from + 6]!, bytes[from + 7]!, micros, decimals);
}

function binaryInt64(reader: Reader, bigint: boolean): number | string | bigint {
  const low = reader.int32();
  const high = reader.int32();
  return high === low >> 31 ? low : wide(low, high, false, bigint);
}

/** A value that is not NULL. */
function binaryValue(reader: Reader, { kind, decimals }: Column, bigint: boolean): unknown {
  switch (kind) {
    case KIND_INT32:
    case KIND_INT24:
      return reader.int32();
    case KIND_TEXT:
      return reader.text();
    case KIND_INT64:
      return binaryInt64(reader, bigint);
    case KIND_UINT64: {
      const low = reader.int32();
      return wide(low, reader.int32(), true, bigint);
    }
    case KIND_UINT32:
      return reader.uint32();
    case KIND_INT8:
      return (reader.uint8() << 24) >> 24;
    case KIND_UINT8:
      return reader.uint8();
    case KIND_INT16:
      return (reader.uint16() << 16) >> 16;
    case KIND_UINT16:
      return reader.uint16();
    case KIND_DOUBLE:
      return reader.float64();
    case KIND_FLOAT:
      return reader.float32();
    case KIND_DATE:
      return binaryDate(reader);
    case KIND_TIME:
      return binaryTime(reader, decimals);
    case KIND_JSON:
      return json(reader.text());
    case KIND_BLOB:
      return reader.blob();
    case KIND_BIT:
      return bit(reader);
    default:
      return null;
  }
}

function bit(reader: Reader): boolean {
  const from = reader.value();
  return reader.at > from && reader.bytes[from] === 1;
}

/** Bytes of a value as the server sent them, without its length. */
function binaryRaw(reader: Reader, kind: number): Buffer {
  let size: number;
  switch (kind) {
    case KIND_INT8:
    case KIND_UINT8:
      size = 1;
      break;
    case KIND_INT16:
    case KIND_UINT16:
      size = 2;
      break;
    case KIND_INT24:
    case KIND_INT32:
    case KIND_UINT32:
    case KIND_FLOAT:
      size = 4;
      break;
    case KIND_INT64:
    case KIND_UINT64:
    case KIND_DOUBLE:
      size = 8;
      break;
    default:
      return reader.blob();
  }
  const from = reader.at;
  reader.skip(size);
  // The fourth byte of a number of three is its sign.
  return Buffer.from(reader.bytes.subarray(from, from + (kind === KIND_INT24 ? 3 : size)));
}

// ---- text

/** Digits between two places; anything but a number in decimal digits is NaN. */
function digits(bytes: Buffer, from: number, to: number): number {
  let value = 0;
  if (from === to) return NaN;
  for (let at = from; at < to; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return NaN;
    value = value * 10 + digit;
  }
  return value;
}

function textDate(bytes: Buffer, from: number, to: number): Date {
  const year = digits(bytes, from, from + 4);
  const month = digits(bytes, from + 5, from + 7);
  const day = digits(bytes, from + 8, from + 10);
  if (to - from === 10) return moment(year, month, day, 0, 0, 0, 0);
  if (to - from < 19) throw invalidValue("date");
  const hour = digits(bytes, from + 11, from + 13);
  const minute = digits(bytes, from + 14, from + 16);
  const second = digits(bytes, from + 17, from + 19);
  const length = Math.min(to - from - 20, 6);
  const micros = length > 0 ? digits(bytes, from + 20, from + 20 + length) * 10 ** (6 - length) : 0;
  return moment(year, month, day, hour, minute, second, micros);
}

function textInteger(
  reader: Reader,
  from: number,
  to: number,
  isUnsigned: boolean,
  bigint: boolean,
): number | string | bigint {
  const isNegative = reader.bytes[from] === 0x2d;
  const size = digits(reader.bytes, isNegative ? from + 1 : from, to);
  if (Number.isNaN(size)) throw invalidValue("number");
  if (isUnsigned ? size <= 0xffff_ffff : size <= (isNegative ? 2 ** 31 : 2 ** 31 - 1))
    return isNegative ? 0 - size : size;
  const text = reader.slice(from, to);
  return bigint ? BigInt(text) : text;
}

function textNumber(reader: Reader, from: number, to: number): number {
  const value = digits(reader.bytes, from, to);
  return Number.isNaN(value) ? Number(reader.slice(from, to)) : value;
}

/** A value that is not NULL; `at` is at its length. */
function textValue(reader: Reader, { kind }: Column, bigint: boolean): unknown {
  const from = reader.value();
  const to = reader.at;
  switch (kind) {
    case KIND_TEXT:
    case KIND_TIME:
      return reader.slice(from, to);
    case KIND_INT64:
      return textInteger(reader, from, to, false, bigint);
    case KIND_UINT64:
      return textInteger(reader, from, to, true, bigint);
    case KIND_DATE:
      return textDate(reader.bytes, from, to);
    case KIND_JSON:
      return json(reader.slice(from, to));
    case KIND_BLOB:
      return Buffer.from(reader.bytes.subarray(from, to));
    case KIND_BIT:
      return to > from && reader.bytes[from] === 1;
    case KIND_NULL:
      return null;
    default:
      return textNumber(reader, from, to);
  }
}

// ---- rows

/** Reads all values of a row in order. `take` gets each, and its place. */
function rowReader({
  columns,
  mode,
  isBinary,
  bigint,
}: Shape): (reader: Reader, take: (value: unknown, index: number) => void) => void {
  const count = columns.length;
  if (!isBinary) {
    return (reader, take) => {
      for (let i = 0; i < count; i++) {
        if (reader.at < reader.end && reader.bytes[reader.at] === NULL) {
          reader.at++;
          take(null, i);
        } else take(mode === RAW ? reader.blob() : textValue(reader, columns[i]!, bigint), i);
      }
      if (reader.at !== reader.end) throw invalidRow();
    };
  }
  const bitmap = (count + 9) >> 3;
  return (reader, take) => {
    const start = reader.at + 1;
    reader.skip(bitmap + 1);
    for (let i = 0; i < count; i++) {
      if ((reader.bytes[start + ((i + 2) >> 3)]! & (1 << ((i + 2) & 7))) !== 0) take(null, i);
      else take(mode === RAW ? binaryRaw(reader, columns[i]!.kind) : binaryValue(reader, columns[i]!, bigint), i);
    }
    if (reader.at !== reader.end) throw invalidRow();
  };
}

/** Rows as arrays of what the columns have, in their order. */
function arrayMaker(shape: Shape): RowMaker {
  const read = rowReader(shape);
  return (reader) => {
    const row: unknown[] = [];
    read(reader, (value) => {
      row.push(value);
    });
    return row;
  };
}

/** An expression that reads the value of a column. */
function valueSource({ kind }: Column, index: number, { isBinary, bigint }: Shape): string {
  if (!isBinary) return `text(r, columns[${index}], ${bigint})`;
  switch (kind) {
    case KIND_INT32:
    case KIND_INT24:
      return "r.int32()";
    case KIND_UINT32:
      return "r.uint32()";
    case KIND_TEXT:
      return "r.text()";
    case KIND_DOUBLE:
      return "r.float64()";
    case KIND_DATE:
      return "date(r)";
    case KIND_INT64:
      return `int64(r, ${bigint})`;
    default:
      return `binary(r, columns[${index}], ${bigint})`;
  }
}

/**
 * A function that makes rows as one object literal: all its rows have one shape from the start, and the engine reads each value without a
 * question for its kind. Names of columns stand in it as JSON strings.
 */
function compile(shape: Shape): RowMaker {
  const { columns, names, isBinary } = shape;
  const bitmap = (columns.length + 9) >> 3;
  const fields = columns.map((column, i) => {
    const value = valueSource(column, i, shape);
    const isNull = isBinary
      ? `(r.bytes[start + ${(i + 2) >> 3}] & ${1 << ((i + 2) & 7)}) !== 0`
      : "r.at < r.end && r.bytes[r.at] === 251 && ++r.at > 0";
    const name = JSON.stringify(names[i]);
    // In brackets, since a name of `__proto__` would set the prototype otherwise.
    return `${names[i] === "__proto__" ? `[${name}]` : name}: ${isNull} ? null : ${value}`;
  });
  const head = isBinary ? `const start = r.at + 1; r.skip(${bitmap + 1});` : "";
  const body = `"use strict"; return (r) => { ${head} const row = {\n${fields.join(",\n")}\n}; if (r.at !== r.end) throw invalid(); return row; };`;
  const make = new Function("text", "binary", "date", "int64", "columns", "invalid", body) as (
    ...args: unknown[]
  ) => RowMaker;
  return make(textValue, binaryValue, binaryDate, binaryInt64, columns, invalidRow);
}

/** Rows made value by value: for those of which there are few. */
function objectMaker(shape: Shape): RowMaker {
  const read = rowReader(shape);
  const { names } = shape;
  return (reader) => {
    const row: Record<string, unknown> = {};
    read(reader, (value, index) => {
      const name = names[index]!;
      if (name === "__proto__")
        Object.defineProperty(row, name, { value, writable: true, enumerable: true, configurable: true });
      else row[name] = value;
    });
    return row;
  };
}

/** Rows of a shape before a function of its own is made for them. */
const COMPILE_AFTER = 40;
/** More columns than a program can look at, for which nothing is compiled. */
const MAX_COMPILED = 300;

/** A function that makes rows of the shape. */
export function rowMaker(shape: Shape): RowMaker {
  if (shape.mode !== OBJECTS) return arrayMaker(shape);
  let make = objectMaker(shape);
  if (shape.columns.length > MAX_COMPILED) return make;
  let count = 0;
  return (reader) => {
    if (++count === COMPILE_AFTER) {
      try {
        make = compile(shape);
      } catch {
        // Programs can forbid functions made of text; then rows are made as before.
      }
    }
    return make(reader);
  };
}
