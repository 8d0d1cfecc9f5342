/**
 * The number accessors of `Buffer.prototype` (https://nodejs.org/api/buffer.html, `buf.read*` and `buf.write*`).
 *
 * All offsets are in bytes. Readers throw ERR_INVALID_ARG_TYPE for an offset that is not a number,
 * ERR_OUT_OF_RANGE for one that is fractional or outside the buffer, and ERR_BUFFER_OUT_OF_BOUNDS for a buffer that
 * is shorter than the value. Writers add ERR_OUT_OF_RANGE for values that do not fit, and return offset + size.
 *
 * Integers are put together from bytes with shifts, which the JIT turns into plain loads; floats and 64-bit integers
 * go through one 8-byte scratch area seen as several element types. Both supported architectures are little-endian.
 */
import { codes } from "internal/core/errors";

type Bytes = Uint8Array;

/** The scratch area in all its views; made by the first accessor that needs it, as the classes take time to set up. */
let scratchU32: Uint32Array;
let scratchF32: Float32Array;
let scratchF64: Float64Array;
let scratchI64: BigInt64Array;
let scratchU64: BigUint64Array;

function openScratch(): void {
  const { buffer } = (scratchF64 = new Float64Array(1));
  scratchF32 = new Float32Array(buffer);
  scratchI64 = new BigInt64Array(buffer);
  scratchU64 = new BigUint64Array(buffer);
  scratchU32 = new Uint32Array(buffer);
}

const TWO_32 = 0x100000000;

/** Throws the error for an access of `size` bytes at `offset` that is known not to be possible. */
function failAccess(buf: Bytes, offset: unknown, size: number): never {
  if (typeof offset !== "number") throw new codes.ERR_INVALID_ARG_TYPE("offset", "number", offset);
  if (Math.floor(offset) !== offset) throw new codes.ERR_OUT_OF_RANGE("offset", "an integer", offset);
  const last = buf.length - size;
  if (last < 0) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS();
  throw new codes.ERR_OUT_OF_RANGE("offset", `>= 0 and <= ${last}`, offset);
}

/** Throws the error for a `byteLength` argument that is not one of 1 to 6. */
function failByteLength(byteLength: unknown): never {
  if (typeof byteLength !== "number") throw new codes.ERR_INVALID_ARG_TYPE("byteLength", "number", byteLength);
  if (Math.floor(byteLength) !== byteLength) throw new codes.ERR_OUT_OF_RANGE("byteLength", "an integer", byteLength);
  throw new codes.ERR_OUT_OF_RANGE("byteLength", ">= 1 and <= 6", byteLength);
}

/** Throws the error for a value that does not fit in an integer of `size` bytes between `min` and `max`. */
function failValue(value: unknown, min: number | bigint, max: number | bigint, size: number): never {
  const n = typeof min === "bigint" ? "n" : "";
  let range: string;
  if (size <= 4) range = `>= ${min}${n} and <= ${max}${n}`;
  else if (min == 0) range = `>= 0${n} and < 2${n} ** ${size * 8}${n}`;
  else range = `>= -(2${n} ** ${size * 8 - 1}${n}) and < 2${n} ** ${size * 8 - 1}${n}`;
  throw new codes.ERR_OUT_OF_RANGE("value", range, value);
}

/** Throws the error for a write that is known not to be possible: first the value, then the place. */
function failWrite(buf: Bytes, value: number, offset: unknown, min: number, max: number, size: number): never {
  if (value > max || value < min) failValue(value, min, max, size);
  failAccess(buf, offset, size);
}

/** The accessors of a fixed size take 0 for an absent offset; those of a variable size refuse it. */
function requireOffset(buf: Bytes, value: number, offset: unknown, min: number, max: number, size: number): void {
  if (offset !== undefined) return;
  if (size === 1) failAccess(buf, offset, 1);
  failWrite(buf, +value, offset, min, max, size);
}

/** The common check of the integer writers wider than four bytes: first the value, then the place. */
function checkWrite(
  buf: Bytes,
  value: number | bigint,
  offset: unknown,
  min: number | bigint,
  max: number | bigint,
  size: number,
): void {
  if (value > max || value < min) failValue(value, min, max, size);
  if (typeof offset !== "number" || buf[offset] === undefined || buf[offset + size - 1] === undefined) {
    failAccess(buf, offset, size);
  }
}

// ---- readers, little-endian ----

function readUInt8(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 1);
  const value = this[offset];
  if (value === undefined) failAccess(this, offset, 1);
  return value;
}

function readInt8(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 1);
  const value = this[offset];
  if (value === undefined) failAccess(this, offset, 1);
  return (value << 24) >> 24;
}

function readUInt16LE(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 2);
  const first = this[offset];
  const last = this[offset + 1];
  if (first === undefined || last === undefined) failAccess(this, offset, 2);
  return first | (last << 8);
}

function readInt16LE(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 2);
  const first = this[offset];
  const last = this[offset + 1];
  if (first === undefined || last === undefined) failAccess(this, offset, 2);
  return ((first | (last << 8)) << 16) >> 16;
}

function readInt32LE(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 4);
  const first = this[offset];
  const last = this[offset + 3];
  if (first === undefined || last === undefined) failAccess(this, offset, 4);
  return first | (this[offset + 1] << 8) | (this[offset + 2] << 16) | (last << 24);
}

function readUInt32LE(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 4);
  const first = this[offset];
  const last = this[offset + 3];
  if (first === undefined || last === undefined) failAccess(this, offset, 4);
  return (first | (this[offset + 1] << 8) | (this[offset + 2] << 16) | (last << 24)) >>> 0;
}

function uint24LE(buf: Bytes, offset: unknown): number {
  if (typeof offset !== "number") failAccess(buf, offset, 3);
  const first = buf[offset];
  const last = buf[offset + 2];
  if (first === undefined || last === undefined) failAccess(buf, offset, 3);
  return first | (buf[offset + 1] << 8) | (last << 16);
}

/** The low four bytes of a 5- or 6-byte integer whose last byte has been checked to exist. */
function low32LE(buf: Bytes, offset: number): number {
  return (buf[offset] | (buf[offset + 1] << 8) | (buf[offset + 2] << 16) | (buf[offset + 3] << 24)) >>> 0;
}

function checkRead(buf: Bytes, offset: unknown, size: number): void {
  if (typeof offset !== "number" || buf[offset] === undefined || buf[offset + size - 1] === undefined) {
    failAccess(buf, offset, size);
  }
}

function readUIntLE(this: Bytes, offset: number, byteLength: unknown): number {
  if (offset === undefined) throw new codes.ERR_INVALID_ARG_TYPE("offset", "number", offset);
  switch (byteLength) {
    case 6:
      checkRead(this, offset, 6);
      return low32LE(this, offset) + (this[offset + 4] | (this[offset + 5] << 8)) * TWO_32;
    case 5:
      checkRead(this, offset, 5);
      return low32LE(this, offset) + this[offset + 4] * TWO_32;
    case 4:
      return readUInt32LE.call(this, offset);
    case 3:
      return uint24LE(this, offset);
    case 2:
      return readUInt16LE.call(this, offset);
    case 1:
      return readUInt8.call(this, offset);
  }
  failByteLength(byteLength);
}

function readIntLE(this: Bytes, offset: number, byteLength: unknown): number {
  if (offset === undefined) throw new codes.ERR_INVALID_ARG_TYPE("offset", "number", offset);
  switch (byteLength) {
    case 6:
      checkRead(this, offset, 6);
      return low32LE(this, offset) + (((this[offset + 4] | (this[offset + 5] << 8)) << 16) >> 16) * TWO_32;
    case 5:
      checkRead(this, offset, 5);
      return low32LE(this, offset) + ((this[offset + 4] << 24) >> 24) * TWO_32;
    case 4:
      return readInt32LE.call(this, offset);
    case 3:
      return (uint24LE(this, offset) << 8) >> 8;
    case 2:
      return readInt16LE.call(this, offset);
    case 1:
      return readInt8.call(this, offset);
  }
  failByteLength(byteLength);
}

// ---- readers, big-endian ----

function readUInt16BE(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 2);
  const first = this[offset];
  const last = this[offset + 1];
  if (first === undefined || last === undefined) failAccess(this, offset, 2);
  return (first << 8) | last;
}

function readInt16BE(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 2);
  const first = this[offset];
  const last = this[offset + 1];
  if (first === undefined || last === undefined) failAccess(this, offset, 2);
  return (((first << 8) | last) << 16) >> 16;
}

function readInt32BE(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 4);
  const first = this[offset];
  const last = this[offset + 3];
  if (first === undefined || last === undefined) failAccess(this, offset, 4);
  return (first << 24) | (this[offset + 1] << 16) | (this[offset + 2] << 8) | last;
}

function readUInt32BE(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 4);
  const first = this[offset];
  const last = this[offset + 3];
  if (first === undefined || last === undefined) failAccess(this, offset, 4);
  return ((first << 24) | (this[offset + 1] << 16) | (this[offset + 2] << 8) | last) >>> 0;
}

function uint24BE(buf: Bytes, offset: unknown): number {
  if (typeof offset !== "number") failAccess(buf, offset, 3);
  const first = buf[offset];
  const last = buf[offset + 2];
  if (first === undefined || last === undefined) failAccess(buf, offset, 3);
  return (first << 16) | (buf[offset + 1] << 8) | last;
}

function low32BE(buf: Bytes, offset: number): number {
  return ((buf[offset] << 24) | (buf[offset + 1] << 16) | (buf[offset + 2] << 8) | buf[offset + 3]) >>> 0;
}

function readUIntBE(this: Bytes, offset: number, byteLength: unknown): number {
  if (offset === undefined) throw new codes.ERR_INVALID_ARG_TYPE("offset", "number", offset);
  switch (byteLength) {
    case 6:
      checkRead(this, offset, 6);
      return ((this[offset] << 8) | this[offset + 1]) * TWO_32 + low32BE(this, offset + 2);
    case 5:
      checkRead(this, offset, 5);
      return this[offset] * TWO_32 + low32BE(this, offset + 1);
    case 4:
      return readUInt32BE.call(this, offset);
    case 3:
      return uint24BE(this, offset);
    case 2:
      return readUInt16BE.call(this, offset);
    case 1:
      return readUInt8.call(this, offset);
  }
  failByteLength(byteLength);
}

function readIntBE(this: Bytes, offset: number, byteLength: unknown): number {
  if (offset === undefined) throw new codes.ERR_INVALID_ARG_TYPE("offset", "number", offset);
  switch (byteLength) {
    case 6:
      checkRead(this, offset, 6);
      return ((((this[offset] << 8) | this[offset + 1]) << 16) >> 16) * TWO_32 + low32BE(this, offset + 2);
    case 5:
      checkRead(this, offset, 5);
      return ((this[offset] << 24) >> 24) * TWO_32 + low32BE(this, offset + 1);
    case 4:
      return readInt32BE.call(this, offset);
    case 3:
      return (uint24BE(this, offset) << 8) >> 8;
    case 2:
      return readInt16BE.call(this, offset);
    case 1:
      return readInt8.call(this, offset);
  }
  failByteLength(byteLength);
}

// ---- readers through the scratch area ----

/** Loads 8 bytes into the scratch area in memory order. */
function loadForwards(buf: Bytes, offset: number): void {
  checkRead(buf, offset, 8);
  if (scratchU32 === undefined) openScratch();
  scratchU32[0] = buf[offset] | (buf[offset + 1] << 8) | (buf[offset + 2] << 16) | (buf[offset + 3] << 24);
  scratchU32[1] = buf[offset + 4] | (buf[offset + 5] << 8) | (buf[offset + 6] << 16) | (buf[offset + 7] << 24);
}

/** Loads 8 bytes into the scratch area in reverse order. */
function loadBackwards(buf: Bytes, offset: number): void {
  checkRead(buf, offset, 8);
  if (scratchU32 === undefined) openScratch();
  scratchU32[1] = (buf[offset] << 24) | (buf[offset + 1] << 16) | (buf[offset + 2] << 8) | buf[offset + 3];
  scratchU32[0] = (buf[offset + 4] << 24) | (buf[offset + 5] << 16) | (buf[offset + 6] << 8) | buf[offset + 7];
}

function readBigUInt64LE(this: Bytes, offset: number = 0): bigint {
  loadForwards(this, offset);
  return scratchU64[0];
}

function readBigUInt64BE(this: Bytes, offset: number = 0): bigint {
  loadBackwards(this, offset);
  return scratchU64[0];
}

function readBigInt64LE(this: Bytes, offset: number = 0): bigint {
  loadForwards(this, offset);
  return scratchI64[0];
}

function readBigInt64BE(this: Bytes, offset: number = 0): bigint {
  loadBackwards(this, offset);
  return scratchI64[0];
}

function readFloatForwards(this: Bytes, offset: number = 0): number {
  checkRead(this, offset, 4);
  if (scratchU32 === undefined) openScratch();
  scratchU32[0] = this[offset] | (this[offset + 1] << 8) | (this[offset + 2] << 16) | (this[offset + 3] << 24);
  return scratchF32[0];
}

function readFloatBackwards(this: Bytes, offset: number = 0): number {
  checkRead(this, offset, 4);
  if (scratchU32 === undefined) openScratch();
  scratchU32[0] = (this[offset] << 24) | (this[offset + 1] << 16) | (this[offset + 2] << 8) | this[offset + 3];
  return scratchF32[0];
}

function readDoubleForwards(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 8);
  const first = this[offset];
  const last = this[offset + 7];
  if (first === undefined || last === undefined) failAccess(this, offset, 8);
  if (scratchU32 === undefined) openScratch();
  scratchU32[0] = first | (this[offset + 1] << 8) | (this[offset + 2] << 16) | (this[offset + 3] << 24);
  scratchU32[1] = this[offset + 4] | (this[offset + 5] << 8) | (this[offset + 6] << 16) | (last << 24);
  return scratchF64[0];
}

function readDoubleBackwards(this: Bytes, offset: unknown = 0): number {
  if (typeof offset !== "number") failAccess(this, offset, 8);
  const first = this[offset];
  const last = this[offset + 7];
  if (first === undefined || last === undefined) failAccess(this, offset, 8);
  if (scratchU32 === undefined) openScratch();
  scratchU32[1] = (first << 24) | (this[offset + 1] << 16) | (this[offset + 2] << 8) | this[offset + 3];
  scratchU32[0] = (this[offset + 4] << 24) | (this[offset + 5] << 16) | (this[offset + 6] << 8) | last;
  return scratchF64[0];
}

// ---- integer writers ----

function putInt24LE(buf: Bytes, value: number, offset: number, min: number, max: number): number {
  value = +value;
  checkWrite(buf, value, offset, min, max, 3);
  buf[offset] = value;
  buf[offset + 1] = value >> 8;
  buf[offset + 2] = value >> 16;
  return offset + 3;
}

function putInt24BE(buf: Bytes, value: number, offset: number, min: number, max: number): number {
  value = +value;
  checkWrite(buf, value, offset, min, max, 3);
  buf[offset] = value >> 16;
  buf[offset + 1] = value >> 8;
  buf[offset + 2] = value;
  return offset + 3;
}

/** Four bytes of a value whose place has been checked. `>>` takes the value modulo 2^32, as is wanted here. */
function store32LE(buf: Bytes, value: number, offset: number): void {
  buf[offset] = value;
  buf[offset + 1] = value >> 8;
  buf[offset + 2] = value >> 16;
  buf[offset + 3] = value >> 24;
}

function store32BE(buf: Bytes, value: number, offset: number): void {
  buf[offset] = value >> 24;
  buf[offset + 1] = value >> 16;
  buf[offset + 2] = value >> 8;
  buf[offset + 3] = value;
}

function putInt40LE(buf: Bytes, value: number, offset: number, min: number, max: number): number {
  value = +value;
  checkWrite(buf, value, offset, min, max, 5);
  store32LE(buf, value, offset);
  buf[offset + 4] = Math.floor(value / TWO_32);
  return offset + 5;
}

function putInt40BE(buf: Bytes, value: number, offset: number, min: number, max: number): number {
  value = +value;
  checkWrite(buf, value, offset, min, max, 5);
  buf[offset] = Math.floor(value / TWO_32);
  store32BE(buf, value, offset + 1);
  return offset + 5;
}

function putInt48LE(buf: Bytes, value: number, offset: number, min: number, max: number): number {
  value = +value;
  checkWrite(buf, value, offset, min, max, 6);
  const high = Math.floor(value / TWO_32);
  store32LE(buf, value, offset);
  buf[offset + 4] = high;
  buf[offset + 5] = high >> 8;
  return offset + 6;
}

function putInt48BE(buf: Bytes, value: number, offset: number, min: number, max: number): number {
  value = +value;
  checkWrite(buf, value, offset, min, max, 6);
  const high = Math.floor(value / TWO_32);
  buf[offset] = high >> 8;
  buf[offset + 1] = high;
  store32BE(buf, value, offset + 2);
  return offset + 6;
}

function writeUInt8(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  // Unlike the wider writers this one looks at the offset's type before the value.
  if (typeof offset !== "number") failAccess(this, offset, 1);
  if (value > 0xff || value < 0 || this[offset] === undefined) failWrite(this, value, offset, 0, 0xff, 1);
  this[offset] = value;
  return offset + 1;
}

function writeUInt16LE(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (
    value > 0xffff ||
    value < 0 ||
    typeof offset !== "number" ||
    this[offset] === undefined ||
    this[offset + 1] === undefined
  ) {
    failWrite(this, value, offset, 0, 0xffff, 2);
  }
  this[offset] = value;
  this[offset + 1] = value >> 8;
  return offset + 2;
}

function writeUInt32LE(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (
    value > 0xffffffff ||
    value < 0 ||
    typeof offset !== "number" ||
    this[offset] === undefined ||
    this[offset + 3] === undefined
  ) {
    failWrite(this, value, offset, 0, 0xffffffff, 4);
  }
  this[offset] = value;
  this[offset + 1] = value >> 8;
  this[offset + 2] = value >> 16;
  this[offset + 3] = value >> 24;
  return offset + 4;
}

function writeUIntLE(this: Bytes, value: number, offset: number, byteLength: unknown): number {
  switch (byteLength) {
    case 6:
      return putInt48LE(this, value, offset, 0, 0xffffffffffff);
    case 5:
      return putInt40LE(this, value, offset, 0, 0xffffffffff);
    case 4:
      requireOffset(this, value, offset, 0, 0xffffffff, 4);
      return writeUInt32LE.call(this, value, offset);
    case 3:
      return putInt24LE(this, value, offset, 0, 0xffffff);
    case 2:
      requireOffset(this, value, offset, 0, 0xffff, 2);
      return writeUInt16LE.call(this, value, offset);
    case 1:
      requireOffset(this, value, offset, 0, 0xff, 1);
      return writeUInt8.call(this, value, offset);
  }
  failByteLength(byteLength);
}

function writeUInt16BE(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (
    value > 0xffff ||
    value < 0 ||
    typeof offset !== "number" ||
    this[offset] === undefined ||
    this[offset + 1] === undefined
  ) {
    failWrite(this, value, offset, 0, 0xffff, 2);
  }
  this[offset] = value >> 8;
  this[offset + 1] = value;
  return offset + 2;
}

function writeUInt32BE(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (
    value > 0xffffffff ||
    value < 0 ||
    typeof offset !== "number" ||
    this[offset] === undefined ||
    this[offset + 3] === undefined
  ) {
    failWrite(this, value, offset, 0, 0xffffffff, 4);
  }
  this[offset] = value >> 24;
  this[offset + 1] = value >> 16;
  this[offset + 2] = value >> 8;
  this[offset + 3] = value;
  return offset + 4;
}

function writeUIntBE(this: Bytes, value: number, offset: number, byteLength: unknown): number {
  switch (byteLength) {
    case 6:
      return putInt48BE(this, value, offset, 0, 0xffffffffffff);
    case 5:
      return putInt40BE(this, value, offset, 0, 0xffffffffff);
    case 4:
      requireOffset(this, value, offset, 0, 0xffffffff, 4);
      return writeUInt32BE.call(this, value, offset);
    case 3:
      return putInt24BE(this, value, offset, 0, 0xffffff);
    case 2:
      requireOffset(this, value, offset, 0, 0xffff, 2);
      return writeUInt16BE.call(this, value, offset);
    case 1:
      requireOffset(this, value, offset, 0, 0xff, 1);
      return writeUInt8.call(this, value, offset);
  }
  failByteLength(byteLength);
}

function writeInt8(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  // Unlike the wider writers this one looks at the offset's type before the value.
  if (typeof offset !== "number") failAccess(this, offset, 1);
  if (value > 0x7f || value < -0x80 || this[offset] === undefined) failWrite(this, value, offset, -0x80, 0x7f, 1);
  this[offset] = value;
  return offset + 1;
}

function writeInt16LE(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (
    value > 0x7fff ||
    value < -0x8000 ||
    typeof offset !== "number" ||
    this[offset] === undefined ||
    this[offset + 1] === undefined
  ) {
    failWrite(this, value, offset, -0x8000, 0x7fff, 2);
  }
  this[offset] = value;
  this[offset + 1] = value >> 8;
  return offset + 2;
}

function writeInt32LE(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (
    value > 0x7fffffff ||
    value < -0x80000000 ||
    typeof offset !== "number" ||
    this[offset] === undefined ||
    this[offset + 3] === undefined
  ) {
    failWrite(this, value, offset, -0x80000000, 0x7fffffff, 4);
  }
  this[offset] = value;
  this[offset + 1] = value >> 8;
  this[offset + 2] = value >> 16;
  this[offset + 3] = value >> 24;
  return offset + 4;
}

function writeIntLE(this: Bytes, value: number, offset: number, byteLength: unknown): number {
  switch (byteLength) {
    case 6:
      return putInt48LE(this, value, offset, -0x800000000000, 0x7fffffffffff);
    case 5:
      return putInt40LE(this, value, offset, -0x8000000000, 0x7fffffffff);
    case 4:
      requireOffset(this, value, offset, -0x80000000, 0x7fffffff, 4);
      return writeInt32LE.call(this, value, offset);
    case 3:
      return putInt24LE(this, value, offset, -0x800000, 0x7fffff);
    case 2:
      requireOffset(this, value, offset, -0x8000, 0x7fff, 2);
      return writeInt16LE.call(this, value, offset);
    case 1:
      requireOffset(this, value, offset, -0x80, 0x7f, 1);
      return writeInt8.call(this, value, offset);
  }
  failByteLength(byteLength);
}

function writeInt16BE(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (
    value > 0x7fff ||
    value < -0x8000 ||
    typeof offset !== "number" ||
    this[offset] === undefined ||
    this[offset + 1] === undefined
  ) {
    failWrite(this, value, offset, -0x8000, 0x7fff, 2);
  }
  this[offset] = value >> 8;
  this[offset + 1] = value;
  return offset + 2;
}

function writeInt32BE(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (
    value > 0x7fffffff ||
    value < -0x80000000 ||
    typeof offset !== "number" ||
    this[offset] === undefined ||
    this[offset + 3] === undefined
  ) {
    failWrite(this, value, offset, -0x80000000, 0x7fffffff, 4);
  }
  this[offset] = value >> 24;
  this[offset + 1] = value >> 16;
  this[offset + 2] = value >> 8;
  this[offset + 3] = value;
  return offset + 4;
}

function writeIntBE(this: Bytes, value: number, offset: number, byteLength: unknown): number {
  switch (byteLength) {
    case 6:
      return putInt48BE(this, value, offset, -0x800000000000, 0x7fffffffffff);
    case 5:
      return putInt40BE(this, value, offset, -0x8000000000, 0x7fffffffff);
    case 4:
      requireOffset(this, value, offset, -0x80000000, 0x7fffffff, 4);
      return writeInt32BE.call(this, value, offset);
    case 3:
      return putInt24BE(this, value, offset, -0x800000, 0x7fffff);
    case 2:
      requireOffset(this, value, offset, -0x8000, 0x7fff, 2);
      return writeInt16BE.call(this, value, offset);
    case 1:
      requireOffset(this, value, offset, -0x80, 0x7f, 1);
      return writeInt8.call(this, value, offset);
  }
  failByteLength(byteLength);
}

// ---- writers through the scratch area ----

/** Stores the 8 bytes of the scratch area in memory order; returns the offset behind them. */
function storeForwards(buf: Bytes, offset: number): number {
  store32LE(buf, scratchU32[0], offset);
  store32LE(buf, scratchU32[1], offset + 4);
  return offset + 8;
}

/** Stores the 8 bytes of the scratch area in reverse order; returns the offset behind them. */
function storeBackwards(buf: Bytes, offset: number): number {
  store32BE(buf, scratchU32[1], offset);
  store32BE(buf, scratchU32[0], offset + 4);
  return offset + 8;
}

function loadBigInt(buf: Bytes, value: number | bigint, offset: unknown, min: bigint, max: bigint): void {
  checkWrite(buf, value, offset, min, max, 8);
  if (typeof value !== "bigint") throw new TypeError("Cannot mix BigInt and other types, use explicit conversions");
  if (scratchU32 === undefined) openScratch();
  // A negative value stored through the unsigned view has the two's complement bytes that the signed view would give.
  scratchU64[0] = value;
}

function writeBigUInt64LE(this: Bytes, value: number | bigint, offset: number = 0): number {
  loadBigInt(this, value, offset, 0n, 0xffffffffffffffffn);
  return storeForwards(this, offset);
}

function writeBigUInt64BE(this: Bytes, value: number | bigint, offset: number = 0): number {
  loadBigInt(this, value, offset, 0n, 0xffffffffffffffffn);
  return storeBackwards(this, offset);
}

function writeBigInt64LE(this: Bytes, value: number | bigint, offset: number = 0): number {
  loadBigInt(this, value, offset, -0x8000000000000000n, 0x7fffffffffffffffn);
  return storeForwards(this, offset);
}

function writeBigInt64BE(this: Bytes, value: number | bigint, offset: number = 0): number {
  loadBigInt(this, value, offset, -0x8000000000000000n, 0x7fffffffffffffffn);
  return storeBackwards(this, offset);
}

function writeFloatForwards(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (typeof offset !== "number" || this[offset] === undefined || this[offset + 3] === undefined)
    failAccess(this, offset, 4);
  if (scratchU32 === undefined) openScratch();
  scratchF32[0] = value;
  const bits = scratchU32[0];
  this[offset] = bits;
  this[offset + 1] = bits >> 8;
  this[offset + 2] = bits >> 16;
  this[offset + 3] = bits >> 24;
  return offset + 4;
}

function writeFloatBackwards(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (typeof offset !== "number" || this[offset] === undefined || this[offset + 3] === undefined)
    failAccess(this, offset, 4);
  if (scratchU32 === undefined) openScratch();
  scratchF32[0] = value;
  const bits = scratchU32[0];
  this[offset] = bits >> 24;
  this[offset + 1] = bits >> 16;
  this[offset + 2] = bits >> 8;
  this[offset + 3] = bits;
  return offset + 4;
}

function writeDoubleForwards(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (typeof offset !== "number" || this[offset] === undefined || this[offset + 7] === undefined)
    failAccess(this, offset, 8);
  if (scratchU32 === undefined) openScratch();
  scratchF64[0] = value;
  const low = scratchU32[0];
  const high = scratchU32[1];
  this[offset] = low;
  this[offset + 1] = low >> 8;
  this[offset + 2] = low >> 16;
  this[offset + 3] = low >> 24;
  this[offset + 4] = high;
  this[offset + 5] = high >> 8;
  this[offset + 6] = high >> 16;
  this[offset + 7] = high >> 24;
  return offset + 8;
}

function writeDoubleBackwards(this: Bytes, value: number, offset: unknown = 0): number {
  value = +value;
  if (typeof offset !== "number" || this[offset] === undefined || this[offset + 7] === undefined)
    failAccess(this, offset, 8);
  if (scratchU32 === undefined) openScratch();
  scratchF64[0] = value;
  const low = scratchU32[0];
  const high = scratchU32[1];
  this[offset] = high >> 24;
  this[offset + 1] = high >> 16;
  this[offset + 2] = high >> 8;
  this[offset + 3] = high;
  this[offset + 4] = low >> 24;
  this[offset + 5] = low >> 16;
  this[offset + 6] = low >> 8;
  this[offset + 7] = low;
  return offset + 8;
}

/** All number accessors by the names they have on `Buffer.prototype`, aliases included, in Node's order. */
export const numberMethods: Record<string, Function> = {
  readBigUInt64LE,
  readBigUInt64BE,
  readBigUint64LE: readBigUInt64LE,
  readBigUint64BE: readBigUInt64BE,
  readBigInt64LE,
  readBigInt64BE,
  writeBigUInt64LE,
  writeBigUInt64BE,
  writeBigUint64LE: writeBigUInt64LE,
  writeBigUint64BE: writeBigUInt64BE,
  writeBigInt64LE,
  writeBigInt64BE,
  readUIntLE,
  readUInt32LE,
  readUInt16LE,
  readUInt8,
  readUIntBE,
  readUInt32BE,
  readUInt16BE,
  readUintLE: readUIntLE,
  readUint32LE: readUInt32LE,
  readUint16LE: readUInt16LE,
  readUint8: readUInt8,
  readUintBE: readUIntBE,
  readUint32BE: readUInt32BE,
  readUint16BE: readUInt16BE,
  readIntLE,
  readInt32LE,
  readInt16LE,
  readInt8,
  readIntBE,
  readInt32BE,
  readInt16BE,
  writeUIntLE,
  writeUInt32LE,
  writeUInt16LE,
  writeUInt8,
  writeUIntBE,
  writeUInt32BE,
  writeUInt16BE,
  writeUintLE: writeUIntLE,
  writeUint32LE: writeUInt32LE,
  writeUint16LE: writeUInt16LE,
  writeUint8: writeUInt8,
  writeUintBE: writeUIntBE,
  writeUint32BE: writeUInt32BE,
  writeUint16BE: writeUInt16BE,
  writeIntLE,
  writeInt32LE,
  writeInt16LE,
  writeInt8,
  writeIntBE,
  writeInt32BE,
  writeInt16BE,
  readFloatLE: readFloatForwards,
  readFloatBE: readFloatBackwards,
  readDoubleLE: readDoubleForwards,
  readDoubleBE: readDoubleBackwards,
  writeFloatLE: writeFloatForwards,
  writeFloatBE: writeFloatBackwards,
  writeDoubleLE: writeDoubleForwards,
  writeDoubleBE: writeDoubleBackwards,
  // Bun's additions, in the byte order of this machine's.
  readBigInt64: readBigInt64LE,
  readBigUInt64: readBigUInt64LE,
  readDouble: readDoubleForwards,
  readFloat: readFloatForwards,
  readInt16: readInt16LE,
  readInt32: readInt32LE,
  writeDouble: writeDoubleForwards,
  writeFloat: writeFloatForwards,
  writeUInt16: writeUInt16LE,
  writeUInt32: writeUInt32LE,
  writeUint16: writeUInt16LE,
  writeUint32: writeUInt32LE,
};
