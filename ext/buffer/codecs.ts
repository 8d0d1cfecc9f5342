/**
 * The string encodings of `node:buffer`: one {@link Codec} per encoding, looked up by any of its names, and the
 * `xxxSlice`/`xxxWrite` methods of `Buffer.prototype` built on them.
 *
 * The conversions themselves are native (family "encoding"). A native call costs some 10 ns, one that makes a string 25,
 * which for very short text is more than the work, so short ASCII text is converted right here.
 */
import { codes } from "internal/core/errors";
import { getTypedLength, isArrayBufferView, isUint8Array } from "internal/buffer/base";

const ops = native("encoding");
const { asciiSlice, ucs2Slice, hexSlice, base64Slice, base64urlSlice, indexOfBytes, indexOfString } = ops;
const { fromCharCode } = String;

type Bytes = Uint8Array;

/** One string encoding. Offsets and lengths are bytes and have been checked by the caller. */
export interface Codec {
  /** The name that Node normalises the encoding's names to. */
  name: string;
  /** Node's number of the encoding. */
  id: number;
  /** An upper bound of the bytes `value` needs; exact for all but base64 and hex with invalid input. */
  byteLength(value: string): number;
  /**
   * Writes at most `length` bytes at `offset`, never part of a character; returns the bytes written. The string comes
   * first, as in the native functions, some of which stand here directly.
   */
  write(value: string, buf: Bytes, offset: number, length: number): number;
  /** A long string as new bytes, faster than `write` to zeroed ones. */
  bytes?(value: string): Bytes;
  /** The text of the bytes from `start` (inclusive) to `end` (exclusive). */
  slice(buf: Bytes, start: number, end: number): string;
  /** Byte index of `value` in `buf`, or -1; `offset` as in `buf.indexOf`, `forward` false for `lastIndexOf`. */
  find(buf: Bytes, value: string, offset: number, forward: boolean): number;
}

/** Numbers that `indexOfString` knows encodings by. */
const FIND_UTF8 = 0;
const FIND_LATIN1 = 1;
const FIND_UCS2 = 2;

/** Longest string, in code units, that is written by the loops below; chosen by measurement. */
const SHORT = 14;
/** Longest string, in code units, whose size is counted by a loop, which only reads. */
const SHORT_COUNTED = 24;

/** Most bytes that {@link shortAscii} converts; chosen by measurement. */
export const TINY = 16;

/**
 * The text of `count` (at most {@link TINY}) bytes of `buf` from `at` on, or undefined if they are not all ASCII.
 *
 * Written out for each count because `fromCharCode` with plain arguments makes the string in one step, while a loop
 * would leave a rope, and `apply` costs more than the native call that this is to save.
 */
export function shortAscii(buf: Bytes, at: number, count: number): string | undefined {
  let all = 0;
  for (let i = 0; i < count; i++) all |= buf[at + i];
  if (all > 0x7f) return undefined;
  switch (count) {
    case 0:
      return "";
    case 1:
      return fromCharCode(buf[at]);
    case 2:
      return fromCharCode(buf[at], buf[at + 1]);
    case 3:
      return fromCharCode(buf[at], buf[at + 1], buf[at + 2]);
    case 4:
      return fromCharCode(buf[at], buf[at + 1], buf[at + 2], buf[at + 3]);
  }
  const a = buf[at];
  const b = buf[at + 1];
  const c = buf[at + 2];
  const d = buf[at + 3];
  const e = buf[at + 4];
  switch (count) {
    case 5:
      return fromCharCode(a, b, c, d, e);
    case 6:
      return fromCharCode(a, b, c, d, e, buf[at + 5]);
    case 7:
      return fromCharCode(a, b, c, d, e, buf[at + 5], buf[at + 6]);
    case 8:
      return fromCharCode(a, b, c, d, e, buf[at + 5], buf[at + 6], buf[at + 7]);
  }
  const f = buf[at + 5];
  const g = buf[at + 6];
  const h = buf[at + 7];
  const i = buf[at + 8];
  switch (count) {
    case 9:
      return fromCharCode(a, b, c, d, e, f, g, h, i);
    case 10:
      return fromCharCode(a, b, c, d, e, f, g, h, i, buf[at + 9]);
    case 11:
      return fromCharCode(a, b, c, d, e, f, g, h, i, buf[at + 9], buf[at + 10]);
    case 12:
      return fromCharCode(a, b, c, d, e, f, g, h, i, buf[at + 9], buf[at + 10], buf[at + 11]);
  }
  const j = buf[at + 9];
  const k = buf[at + 10];
  const l = buf[at + 11];
  const m = buf[at + 12];
  switch (count) {
    case 13:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m);
    case 14:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m, buf[at + 13]);
    case 15:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m, buf[at + 13], buf[at + 14]);
    case 16:
      return fromCharCode(a, b, c, d, e, f, g, h, i, j, k, l, m, buf[at + 13], buf[at + 14], buf[at + 15]);
  }
  return undefined;
}

function sliceUtf8(buf: Bytes, start: number, end: number): string {
  if (end - start <= TINY && end >= start && isUint8Array(buf) && end <= getTypedLength.call(buf)) {
    const text = shortAscii(buf, start, end - start);
    if (text !== undefined) return text;
  }
  return ops.utf8Slice(buf, start, end);
}

function sliceLatin1(buf: Bytes, start: number, end: number): string {
  if (end - start <= TINY && end >= start && isUint8Array(buf) && end <= getTypedLength.call(buf)) {
    const text = shortAscii(buf, start, end - start);
    if (text !== undefined) return text;
  }
  return ops.latin1Slice(buf, start, end);
}

function utf8Length(value: string): number {
  const units = value.length;
  if (units <= SHORT_COUNTED) {
    let i = 0;
    while (i < units && value.charCodeAt(i) < 0x80) i++;
    if (i === units) return units;
  }
  return ops.utf8Length(value);
}

function writeUtf8(value: string, buf: Bytes, offset: number, length: number): number {
  const units = value.length;
  if (units <= SHORT && units <= length) {
    let i = 0;
    for (; i < units; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 0x7f) break;
      buf[offset + i] = unit;
    }
    if (i === units) return units;
  }
  return ops.utf8Write(value, buf, offset, length);
}

function writeLatin1(value: string, buf: Bytes, offset: number, length: number): number {
  const units = value.length;
  if (units <= SHORT) {
    const count = units < length ? units : length;
    for (let i = 0; i < count; i++) buf[offset + i] = value.charCodeAt(i);
    return count;
  }
  return ops.latin1Write(value, buf, offset, length);
}

/** The UTF-8 bytes of `value` in a new Uint8Array, lone surrogates as U+FFFD. */
export function utf8Bytes(value: string): Uint8Array {
  const units = value.length;
  // The right size if the text is ASCII, which most is.
  const bytes = new Uint8Array(units);
  if (units <= SHORT_COUNTED) {
    let i = 0;
    for (; i < units; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 0x7f) break;
      bytes[i] = unit;
    }
    if (i === units) return bytes;
  }
  const size = ops.utf8Fill(value, bytes);
  if (size === units) return bytes;
  const larger = new Uint8Array(size);
  ops.utf8Write(value, larger, 0, size);
  return larger;
}

/**
 * Bytes that a base64 text stands for if all of its characters count: whitespace and other characters outside the
 * alphabet make it an overestimate.
 */
function base64Length(value: string): number {
  let units = value.length;
  if (units > 0 && value.charCodeAt(units - 1) === 0x3d) units--;
  if (units > 1 && value.charCodeAt(units - 1) === 0x3d) units--;
  // Not `>>> 2`: three times the length may exceed 32 bits.
  return Math.floor((units * 3) / 4);
}

/** Finds text in an encoding that the native search does not know by encoding the text first. */
function findEncoded(codec: Codec, buf: Bytes, value: string, offset: number, forward: boolean): number {
  const room = codec.byteLength(value);
  const needle = new Uint8Array(room);
  const size = codec.write(value as string, needle, 0, room);
  return indexOfBytes(buf, size === room ? needle : needle.subarray(0, size), offset, forward);
}

export const utf8: Codec = {
  name: "utf8",
  id: 1,
  byteLength: utf8Length,
  write: writeUtf8,
  bytes: ops.utf8Bytes,
  slice: sliceUtf8,
  find: (buf, value, offset, forward) => indexOfString(value, buf, offset, FIND_UTF8, forward),
};

export const ucs2: Codec = {
  name: "utf16le",
  id: 3,
  byteLength: (value) => value.length * 2,
  write: ops.ucs2Write,
  slice: ucs2Slice,
  find: (buf, value, offset, forward) => indexOfString(value, buf, offset, FIND_UCS2, forward),
};

export const latin1: Codec = {
  name: "latin1",
  id: 4,
  byteLength: (value) => value.length,
  write: writeLatin1,
  bytes: ops.latin1Bytes,
  slice: sliceLatin1,
  find: (buf, value, offset, forward) => indexOfString(value, buf, offset, FIND_LATIN1, forward),
};

export const ascii: Codec = {
  name: "ascii",
  id: 0,
  byteLength: (value) => value.length,
  // Encoding as ASCII does not mask the eighth bit, only decoding does.
  write: writeLatin1,
  bytes: ops.latin1Bytes,
  slice: asciiSlice,
  find: (buf, value, offset, forward) => indexOfString(value, buf, offset, FIND_LATIN1, forward),
};

export const base64: Codec = {
  name: "base64",
  id: 2,
  byteLength: base64Length,
  write: ops.base64Write,
  bytes: ops.base64Bytes,
  slice: base64Slice,
  find: (buf, value, offset, forward) => findEncoded(base64, buf, value, offset, forward),
};

export const base64url: Codec = {
  name: "base64url",
  id: 7,
  byteLength: base64Length,
  // Either alphabet is read in both.
  write: ops.base64Write,
  bytes: ops.base64Bytes,
  slice: base64urlSlice,
  find: (buf, value, offset, forward) => findEncoded(base64url, buf, value, offset, forward),
};

export const hex: Codec = {
  name: "hex",
  id: 5,
  byteLength: (value) => value.length >>> 1,
  write: ops.hexWrite,
  bytes: ops.hexBytes,
  slice: hexSlice,
  find: (buf, value, offset, forward) => findEncoded(hex, buf, value, offset, forward),
};

function lookup(name: string): Codec | undefined {
  switch (name) {
    case "utf8":
    case "utf-8":
      return utf8;
    case "hex":
      return hex;
    case "base64":
      return base64;
    case "latin1":
    case "binary":
      return latin1;
    case "ascii":
      return ascii;
    case "base64url":
      return base64url;
    case "utf16le":
    case "utf-16le":
    case "ucs2":
    case "ucs-2":
      return ucs2;
  }
  return undefined;
}

/**
 * The codec of an encoding name in any case, or undefined. Like in Node the name may be any value that converts to
 * a string.
 */
export function getCodec(encoding: unknown): Codec | undefined {
  const name = typeof encoding === "string" ? encoding : `${encoding}`;
  const found = lookup(name);
  if (found !== undefined || name.length < 3 || name.length > 9) return found;
  return lookup(name.toLowerCase());
}

/**
 * Node's canonical name of an encoding ("utf8" for undefined, null and ""), or undefined for an unknown one.
 */
export function normalizeEncoding(encoding: unknown): string | undefined {
  if (encoding == null || encoding === "" || encoding === "utf8") return "utf8";
  return getCodec(encoding)?.name;
}

// ---- the methods of Buffer.prototype ----

/** Byte length of the view a method was called on; the error for everything else. */
function viewLength(view: unknown): number {
  // What it nearly always is; the other test is a native call.
  if (isUint8Array(view)) return view.byteLength;
  if (!isArrayBufferView(view)) {
    const error: NodeError = new TypeError("argument must be a buffer");
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
  return view.byteLength;
}

/** A view's elements as bytes: the loops for short text need that. */
function asBytes(view: ArrayBufferView): Bytes {
  return isUint8Array(view) ? view : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** An index argument: undefined gives `fallback`, other values are truncated to integers. */
function toIndex(value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  const index = Math.trunc(value as number) || 0;
  if (index < 0) throw outOfRange();
  return index;
}

function outOfRange(): Error {
  const error: NodeError = new RangeError("Index out of range");
  error.code = "ERR_OUT_OF_RANGE";
  return error;
}

function checkedSlice(codec: Codec, view: unknown, start: unknown, end: unknown): string {
  const length = viewLength(view);
  if (length === 0) return "";
  const from = toIndex(start, 0);
  let to = toIndex(end, length);
  if (to < from) to = from;
  if (to > length) throw outOfRange();
  return codec.slice(asBytes(view as ArrayBufferView), from, to);
}

function requireString(value: unknown): void {
  if (typeof value !== "string") {
    const error: NodeError = new TypeError("argument must be a string");
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
}

/**
 * A write whose range must lie inside the view. Throws ERR_INVALID_ARG_TYPE for what is not a view or not a string,
 * ERR_BUFFER_OUT_OF_BOUNDS.
 */
export function strictWrite(
  codec: Codec,
  view: unknown,
  value: unknown,
  offset: number | undefined,
  length: number | undefined,
): number {
  const size = viewLength(view);
  if (offset === undefined) offset = 0;
  if (offset < 0 || offset > size) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("offset");
  const from = Math.trunc(offset) || 0;
  const room = size - from;
  if (length === undefined) length = size - offset;
  // Compared with what was given: where that is no number nothing is out of bounds, as in Node, and the length is cut to what is left.
  else if (length < 0 || length > size - offset) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("length");
  requireString(value);
  const most = Math.trunc(length) || 0;
  return codec.write(value as string, asBytes(view as ArrayBufferView), from, most < room ? most : room);
}

/** A write whose length is cut to what is left of the view (base64, hex, ucs2). */
function clampedWrite(codec: Codec, view: unknown, value: unknown, offset: unknown, length: unknown): number {
  const size = viewLength(view);
  requireString(value);
  const from = toIndex(offset, 0);
  if (from > size) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("offset");
  const room = toIndex(length, size - from);
  return codec.write(value as string, asBytes(view as ArrayBufferView), from, room < size - from ? room : size - from);
}

/**
 * Undocumented but widely used methods of `Buffer.prototype`: `buf.utf8Slice(start, end)`, `buf.latin1Write(string,
 * offset, length)` and so on. They also work on any other array buffer view.
 */
export const stringMethods: Record<string, Function> = {
  asciiSlice(start?: unknown, end?: unknown) {
    return checkedSlice(ascii, this, start, end);
  },
  base64Slice(start?: unknown, end?: unknown) {
    return checkedSlice(base64, this, start, end);
  },
  base64urlSlice(start?: unknown, end?: unknown) {
    return checkedSlice(base64url, this, start, end);
  },
  latin1Slice(start?: unknown, end?: unknown) {
    return checkedSlice(latin1, this, start, end);
  },
  hexSlice(start?: unknown, end?: unknown) {
    return checkedSlice(hex, this, start, end);
  },
  ucs2Slice(start?: unknown, end?: unknown) {
    return checkedSlice(ucs2, this, start, end);
  },
  utf16leSlice(start?: unknown, end?: unknown) {
    return checkedSlice(ucs2, this, start, end);
  },
  utf8Slice(start?: unknown, end?: unknown) {
    return checkedSlice(utf8, this, start, end);
  },
  asciiWrite(value: unknown, offset?: number, length?: number) {
    return strictWrite(ascii, this, value, offset, length);
  },
  base64Write(value: unknown, offset?: unknown, length?: unknown) {
    return clampedWrite(base64, this, value, offset, length);
  },
  base64urlWrite(value: unknown, offset?: unknown, length?: unknown) {
    return clampedWrite(base64url, this, value, offset, length);
  },
  latin1Write(value: unknown, offset?: number, length?: number) {
    return strictWrite(latin1, this, value, offset, length);
  },
  hexWrite(value: unknown, offset?: unknown, length?: unknown) {
    return clampedWrite(hex, this, value, offset, length);
  },
  ucs2Write(value: unknown, offset?: unknown, length?: unknown) {
    return clampedWrite(ucs2, this, value, offset, length);
  },
  utf16leWrite(value: unknown, offset?: unknown, length?: unknown) {
    return clampedWrite(ucs2, this, value, offset, length);
  },
  utf8Write(value: unknown, offset?: number, length?: number) {
    return strictWrite(utf8, this, value, offset, length);
  },
};
