// The native half of node:buffer for browsers: what ext/buffer asks of `native("encoding")`, in JavaScript.

const encoder = new TextEncoder();
// A Buffer has its own methods of these names.
const { indexOf, lastIndexOf, slice } = Uint8Array.prototype;
/** Code units that one call of `fromCharCode` takes. */
const PIECE = 0x2000;

function charCodes(units: Uint8Array | Uint16Array): string {
  let text = "";
  for (let at = 0; at < units.length; at += PIECE) text += String.fromCharCode(...units.subarray(at, at + PIECE));
  return text;
}

/** A decoder takes no memory that threads share. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : slice.call(bytes);
}

/** The bytes of a view of another kind, or of a buffer. */
function bytesIn(memory: ArrayBufferView | ArrayBufferLike): Uint8Array {
  if (memory instanceof Uint8Array) return memory;
  return ArrayBuffer.isView(memory)
    ? new Uint8Array(memory.buffer, memory.byteOffset, memory.byteLength)
    : new Uint8Array(memory);
}

export function utf8Slice(bytes: Uint8Array, start: number, end: number): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(unshared(bytes.subarray(start, end)));
}

export function latin1Slice(bytes: Uint8Array, start: number, end: number): string {
  return charCodes(bytes.subarray(start, end));
}

export function asciiSlice(bytes: Uint8Array, start: number, end: number): string {
  return charCodes(Uint8Array.from(bytes.subarray(start, end), (byte) => byte & 0x7f));
}

export function ucs2Slice(bytes: Uint8Array, start: number, end: number): string {
  const units = new Uint16Array(Math.max(end - start, 0) >> 1);
  for (let i = 0; i < units.length; i++) units[i] = bytes[start + 2 * i]! | (bytes[start + 2 * i + 1]! << 8);
  return charCodes(units);
}

export function hexSlice(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) text += bytes[at]!.toString(16).padStart(2, "0");
  return text;
}

export function base64Slice(bytes: Uint8Array, start: number, end: number): string {
  return btoa(charCodes(bytes.subarray(start, end)));
}

export function base64urlSlice(bytes: Uint8Array, start: number, end: number): string {
  const text = base64Slice(bytes, start, end).replaceAll("+", "-").replaceAll("/", "_");
  return text.replace(/=+$/, "");
}

/** Writes as much of `from` as there is room for. */
function copy(from: Uint8Array, bytes: Uint8Array, offset: number, length: number): number {
  const size = Math.min(from.length, length, bytes.length - offset);
  bytes.set(from.subarray(0, size), offset);
  return size;
}

export function utf8Write(text: string, bytes: Uint8Array, offset: number, length: number): number {
  return encoder.encodeInto(text, bytes.subarray(offset, offset + length)).written;
}

export function latin1Write(text: string, bytes: Uint8Array, offset: number, length: number): number {
  return copy(latin1Bytes(text), bytes, offset, length);
}

export function ucs2Write(text: string, bytes: Uint8Array, offset: number, length: number): number {
  const units = Math.min(text.length, Math.min(length, bytes.length - offset) >> 1);
  for (let i = 0; i < units; i++) {
    const unit = text.charCodeAt(i);
    bytes[offset + 2 * i] = unit;
    bytes[offset + 2 * i + 1] = unit >> 8;
  }
  return units * 2;
}

export function hexWrite(text: string, bytes: Uint8Array, offset: number, length: number): number {
  return copy(hexBytes(text), bytes, offset, length);
}

export function base64Write(text: string, bytes: Uint8Array, offset: number, length: number): number {
  return copy(base64Bytes(text), bytes, offset, length);
}

const hexDigits = /^(?:[0-9a-f]{2})*/i;

export function hexBytes(text: string): Uint8Array<ArrayBuffer> {
  const digits = hexDigits.exec(text)![0];
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Base64 in either alphabet: what is no digit of it is left out, and it ends at the first `=`. */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  const digits = text.split("=", 1)[0]!.replaceAll("-", "+").replaceAll("_", "/");
  let whole = digits.replace(/[^A-Za-z0-9+/]/g, "");
  // A single digit at the end is less than a byte.
  if (whole.length % 4 === 1) whole = whole.slice(0, -1);
  return latin1Bytes(atob(whole));
}

export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text) as Uint8Array<ArrayBuffer>;
}

export function uninitialized(size: number | bigint): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Number(size));
}

export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    length += unit < 0x800 ? 1 : 2;
    // A pair of surrogates has four bytes together.
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
  }
  return length;
}

export function utf8Fill(text: string, bytes: Uint8Array): number {
  const size = utf8Length(text);
  if (size <= bytes.length) encoder.encodeInto(text, bytes);
  return size;
}

export function compare(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  return Math.sign(a.length - b.length);
}

export function compareRange(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  return compare(a.subarray(aStart, aEnd), b.subarray(bStart, bEnd));
}

export function indexOfByte(bytes: Uint8Array, byte: number, offset: number, forward: boolean): number {
  const all = bytesIn(bytes);
  return forward ? indexOf.call(all, byte, offset) : lastIndexOf.call(all, byte, offset);
}

/**
 * Where a search of `size` bytes in `length` begins; -1 if it cannot find anything. Negative offsets count from the end. Going
 * backwards, an offset behind the last possible place means that place.
 */
function startOf(length: number, offset: number, size: number, forward: boolean): number {
  if (offset < 0) {
    if (offset + length >= 0) return offset + length;
    return forward || size === 0 ? 0 : -1;
  }
  if (offset + size <= length) return offset;
  if (size === 0) return length;
  return forward ? -1 : length - 1;
}

/** The first place from `start` in steps, backwards if these are negative; -1 for none. */
function indexIn(bytes: Uint8Array, needle: Uint8Array, start: number, step: number): number {
  const last = bytes.length - needle.length;
  for (let at = step > 0 ? start : Math.min(start, last); at >= 0 && at <= last; at += step) {
    let i = 0;
    while (i < needle.length && bytes[at + i] === needle[i]) i++;
    if (i === needle.length) return at;
  }
  return -1;
}

export function indexOfBytes(bytes: Uint8Array, needle: Uint8Array, offset: number, forward: boolean): number {
  const all = bytesIn(bytes);
  const start = startOf(all.length, offset, needle.length, forward);
  if (start < 0 || needle.length === 0) return start;
  return indexIn(all, needle, start, forward ? 1 : -1);
}

/** Places of units are even, and odd bytes at the ends do not count. */
export function indexOfUnits(bytes: Uint8Array, needle: Uint8Array, offset: number, forward: boolean): number {
  const all = bytesIn(bytes);
  const start = startOf(all.length, offset, needle.length, forward);
  if (start < 0 || needle.length === 0) return start;
  if (needle.length < 2 || needle.length + (forward ? start : 0) > all.length) return -1;
  const even = (number: number) => number - (number % 2);
  const [units, sought] = [all.subarray(0, even(all.length)), needle.subarray(0, even(needle.length))];
  return indexIn(units, sought, even(start), forward ? 2 : -2);
}

/** `encoding`: 0 for UTF-8, 1 for latin1, 2 for UTF-16LE. */
export function indexOfString(
  text: string,
  bytes: Uint8Array,
  offset: number,
  encoding: number,
  forward: boolean,
): number {
  if (encoding === 0) return indexOfBytes(bytes, utf8Bytes(text), offset, forward);
  if (encoding === 1) return indexOfBytes(bytes, latin1Bytes(text), offset, forward);
  const needle = new Uint8Array(text.length * 2);
  ucs2Write(text, needle, 0, needle.length);
  return indexOfUnits(bytes, needle, offset, forward);
}

export function swapBytes(bytes: Uint8Array, unit: number): void {
  for (let at = 0; at < bytes.length; at += unit) bytes.subarray(at, at + unit).reverse();
}

/** Copies `count` bytes, or as many as both have; the memory may be the same. Gives the number of bytes. */
export function copyBytes(
  target: Uint8Array,
  targetStart: number,
  source: Uint8Array,
  sourceStart: number,
  count: number,
): number {
  const size = Math.max(Math.min(count, source.length - sourceStart, target.length - targetStart), 0);
  const part = new Uint8Array(source.buffer, source.byteOffset + sourceStart, size);
  Uint8Array.prototype.set.call(target, part, targetStart);
  return size;
}

/** Leaves the view to the caller, which makes it by the constructor. */
export function viewBytes(): undefined {}

/** Whether a value is a `Uint8Array`. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

/** Leaves the bytes to the caller, which makes them by the constructor. */
export function newBytes(): undefined {}

export function isUtf8(memory: ArrayBufferView | ArrayBufferLike): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(unshared(bytesIn(memory)));
    return true;
  } catch {
    return false;
  }
}

export function isAscii(memory: ArrayBufferView | ArrayBufferLike): boolean {
  return bytesIn(memory).every((byte) => byte < 0x80);
}

/** The result in `to`, or the code of an error. */
export function transcodeBytes(bytes: Uint8Array, from: string, to: string): Uint8Array<ArrayBuffer> | string {
  const { Buffer } = require("node:buffer");
  const known = /^(?:utf-?8|ucs-?2|utf-?16-?le|latin1|binary|ascii)$/i;
  if (!known.test(from) || !known.test(to)) return "U_ILLEGAL_ARGUMENT_ERROR";
  const text = Buffer.from(bytes).toString(from as "utf8");
  // What the smaller alphabets lack.
  const limit = /^ascii$/i.test(to) ? /[^\0-\x7f]/gu : /^(?:latin1|binary)$/i.test(to) ? /[^\0-\xff]/gu : undefined;
  return Buffer.from(limit === undefined ? text : text.replace(limit, "?"), to as "utf8");
}
