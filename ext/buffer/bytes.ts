/**
 * The methods of `Buffer.prototype` that work on bytes without reading numbers or text out of them: copying,
 * comparing, searching and filling (https://nodejs.org/api/buffer.html).
 */
import { codes } from "internal/core/errors";
import { validateInteger, validateString } from "internal/core/validators";
import { isArrayBufferView, isUint8Array, kMaxLength } from "internal/buffer/base";
import { getCodec, normalizeEncoding, utf8 } from "internal/buffer/codecs";

const ops = native("encoding");
const { isBytes } = ops;
const typedArrayProto = Object.getPrototypeOf(Uint8Array.prototype);
const { set: setElements, fill: fillElements, copyWithin: copyElements, indexOf: indexOfElement } = typedArrayProto;
const { MAX_SAFE_INTEGER, MIN_SAFE_INTEGER } = Number;

/** Up to this many bytes a loop is cheaper than a native call that compares; chosen by measurement. */
const SHORT = 16;
/** Up to this many bytes a loop is cheaper than a native call that copies a part. */
const SHORT_COPY = 10;

function asBytes(view: ArrayBufferView): Uint8Array {
  return isUint8Array(view) ? view : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function asBytesOrUndefined(value: unknown): Uint8Array | undefined {
  if (isUint8Array(value)) return value;
  return isArrayBufferView(value) ? asBytes(value) : undefined;
}

// ---- copying ----

/**
 * Copies bytes `sourceStart` to `sourceEnd` of `source` to `targetStart` of `target`, as many as there is room for;
 * the areas may overlap. Returns the number of bytes copied.
 */
export function copyBytes(
  source: Uint8Array,
  target: Uint8Array,
  targetStart: number,
  sourceStart: number,
  sourceEnd: number,
): number {
  const sourceSize = source.byteLength;
  const room = target.byteLength - targetStart;
  if (sourceEnd > sourceSize) sourceEnd = sourceSize;
  let count = sourceEnd - sourceStart;
  if (count > room) count = room;
  if (count <= 0) return 0;
  if (count <= SHORT_COPY) {
    // Both may be views of one memory: then the bytes that are overwritten first must have been read by then. Asking for
    // `buffer` would tell, but makes small arrays move out of their objects.
    if (target.byteOffset + targetStart <= source.byteOffset + sourceStart) {
      for (let i = 0; i < count; i++) target[targetStart + i] = source[sourceStart + i];
    } else {
      for (let i = count - 1; i >= 0; i--) target[targetStart + i] = source[sourceStart + i];
    }
  } else if (count === sourceSize) {
    setElements.call(target, source, targetStart);
  } else {
    ops.copyBytes(target, targetStart, source, sourceStart, count);
  }
  return count;
}

/** A position argument: numbers are floored, what is no safe number gives `fallback`. */
function toInteger(value: unknown, fallback: number): number {
  if (typeof value === "number" && (value | 0) === value) return value;
  const number = +(value as number);
  if (number >= MIN_SAFE_INTEGER && number <= MAX_SAFE_INTEGER) {
    return number % 1 === 0 ? number : Math.floor(number);
  }
  return fallback;
}

/** `buf.copy(target[, targetStart[, sourceStart[, sourceEnd]]])`; ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE. */
function copy(this: unknown, target: unknown, targetStart?: number, sourceStart?: number, sourceEnd?: number): number {
  if (isBytes(this) && isBytes(target)) {
    const size = this.byteLength;
    const at = targetStart === undefined ? 0 : targetStart;
    const start = sourceStart === undefined ? 0 : sourceStart;
    const end = sourceEnd === undefined ? size : sourceEnd;
    // Such integers need no conversion, which asks an object for its number.
    if (
      typeof at === "number" &&
      (at | 0) === at &&
      at >= 0 &&
      typeof start === "number" &&
      (start | 0) === start &&
      start >= 0 &&
      start <= size &&
      typeof end === "number" &&
      (end | 0) === end &&
      end >= 0
    ) {
      // The common case, all of the bytes to where there is room for them.
      if (start === 0 && end === size && size > 0 && size <= target.byteLength - at) {
        setElements.call(target, this, at);
        return size;
      }
      return copyBytes(this, target, at, start, end);
    }
  }
  return copyConverted(this, target, targetStart, sourceStart, sourceEnd);
}

/** The same for arguments of any kind. */
function copyConverted(
  source: unknown,
  target: unknown,
  targetStart?: number,
  sourceStart?: number,
  sourceEnd?: number,
): number {
  const from = asBytesOrUndefined(source);
  if (from === undefined) throw new codes.ERR_INVALID_ARG_TYPE("source", ["Buffer", "Uint8Array"], source);
  const to = asBytesOrUndefined(target);
  if (to === undefined) throw new codes.ERR_INVALID_ARG_TYPE("target", ["Buffer", "Uint8Array"], target);
  const size = from.byteLength;
  if (targetStart === undefined) {
    targetStart = 0;
  } else {
    targetStart = toInteger(targetStart, 0);
    if (targetStart < 0) throw new codes.ERR_OUT_OF_RANGE("targetStart", ">= 0", targetStart);
  }
  if (sourceStart === undefined) {
    sourceStart = 0;
  } else {
    sourceStart = toInteger(sourceStart, 0);
    if (sourceStart < 0 || sourceStart > size) {
      throw new codes.ERR_OUT_OF_RANGE("sourceStart", `>= 0 && <= ${size}`, sourceStart);
    }
  }
  if (sourceEnd === undefined) {
    sourceEnd = size;
  } else {
    sourceEnd = toInteger(sourceEnd, 0);
    if (sourceEnd < 0) throw new codes.ERR_OUT_OF_RANGE("sourceEnd", ">= 0", sourceEnd);
  }
  if (targetStart >= to.byteLength || sourceStart >= sourceEnd) return 0;
  return copyBytes(from, to, targetStart, sourceStart, sourceEnd);
}

// ---- comparing ----

/** -1, 0 or 1 by the first byte that differs, then by length. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  if (a === b) return 0;
  const sizeA = a.byteLength;
  const sizeB = b.byteLength;
  const common = sizeA < sizeB ? sizeA : sizeB;
  if (common > SHORT) return ops.compare(a, b);
  for (let i = 0; i < common; i++) {
    const byteA = a[i];
    const byteB = b[i];
    if (byteA !== byteB) return byteA < byteB ? -1 : 1;
  }
  return sizeA === sizeB ? 0 : sizeA < sizeB ? -1 : 1;
}

/** Whether both buffers have the same bytes; ERR_INVALID_ARG_TYPE if the other is not a Buffer or Uint8Array. */
function equals(this: Uint8Array, otherBuffer: unknown): boolean {
  if (!isUint8Array(otherBuffer)) {
    throw new codes.ERR_INVALID_ARG_TYPE("otherBuffer", ["Buffer", "Uint8Array"], otherBuffer);
  }
  if (this === otherBuffer) return true;
  const size = this.byteLength;
  if (size !== otherBuffer.byteLength) return false;
  return size > SHORT ? ops.compare(this, otherBuffer) === 0 : compareBytes(asBytes(this), otherBuffer) === 0;
}

/**
 * Order of a range of `this` relative to a range of `target`, see `buf.compare()`.
 * Throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE.
 */
function compare(
  this: Uint8Array,
  target: unknown,
  targetStart?: number,
  targetEnd?: number,
  sourceStart?: number,
  sourceEnd?: number,
): number {
  if (!isUint8Array(target)) throw new codes.ERR_INVALID_ARG_TYPE("target", ["Buffer", "Uint8Array"], target);
  if (targetStart === undefined && targetEnd === undefined && sourceStart === undefined && sourceEnd === undefined)
    return compareBytes(asBytes(this), target);
  if (targetStart === undefined) targetStart = 0;
  else validateInteger(targetStart, "targetStart", 0, kMaxLength);
  if (targetEnd === undefined) targetEnd = target.length;
  else validateInteger(targetEnd, "targetEnd", 0, target.length);
  if (sourceStart === undefined) sourceStart = 0;
  else validateInteger(sourceStart, "sourceStart", 0, kMaxLength);
  if (sourceEnd === undefined) sourceEnd = this.length;
  else validateInteger(sourceEnd, "sourceEnd", 0, this.length);
  if (sourceStart >= sourceEnd) return targetStart >= targetEnd ? 0 : -1;
  if (targetStart >= targetEnd) return 1;
  return ops.compareRange(this, sourceStart, sourceEnd, target, targetStart, targetEnd);
}

// ---- searching ----

/** Place of one byte; the engine's own search is the faster one where it fits. */
function searchByte(buf: ArrayBufferView, byte: number, offset: number, forward: boolean): number {
  if (!forward || !isUint8Array(buf)) return ops.indexOfByte(buf, byte, offset, forward);
  // Both count negative offsets from the end, and take what is left of the beginning for the beginning.
  return indexOfElement.call(buf, byte, offset);
}

function isDetached(view: ArrayBufferView): boolean {
  const { buffer } = view;
  return "detached" in buffer && buffer.detached;
}

/** `indexOf` and `lastIndexOf`: `forward` is the direction. */
function search(
  buf: Uint8Array,
  value: unknown,
  byteOffset: number | string | undefined,
  encoding: string | undefined,
  forward: boolean,
): number {
  if (!isUint8Array(buf) && !isArrayBufferView(buf)) {
    throw new codes.ERR_INVALID_ARG_TYPE("buffer", ["Buffer", "TypedArray", "DataView"], buf);
  }
  if (byteOffset === undefined) {
    byteOffset = forward ? 0 : (buf as { length?: number }).length || (buf as ArrayBufferView).byteLength;
  } else {
    if (typeof byteOffset === "string") {
      encoding = byteOffset;
      byteOffset = undefined;
    } else if (byteOffset > 0x7fffffff) {
      byteOffset = 0x7fffffff;
    } else if (byteOffset < -0x80000000) {
      byteOffset = -0x80000000;
    }
    byteOffset = +byteOffset!;
    if (byteOffset !== byteOffset) {
      byteOffset = forward ? 0 : (buf as { length?: number }).length || (buf as ArrayBufferView).byteLength;
    }
    byteOffset = Math.trunc(byteOffset as number);
  }

  // The conversion of the offset or of the encoding's name may have detached the memory: nothing is in it.
  if (buf.byteLength === 0 && isDetached(buf)) return -1;
  if (typeof value === "number") return searchByte(buf, value & 0xff, byteOffset as number, forward);
  if (encoding !== undefined && typeof encoding !== "string") {
    encoding = `${encoding as unknown}`;
    if (buf.byteLength === 0 && isDetached(buf)) return -1;
  }
  const codec = encoding === undefined ? utf8 : getCodec(encoding);
  if (typeof value === "string") {
    if (codec === undefined) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
    if (codec === utf8 && value.length === 1) {
      const unit = value.charCodeAt(0);
      if (unit < 0x80) return searchByte(buf, unit, byteOffset as number, forward);
    }
    return codec.find(asBytes(buf), value, byteOffset as number, forward);
  }
  if (isUint8Array(value)) {
    // Text in 16-bit units is only found at even places.
    if (codec !== undefined && codec.name === "utf16le")
      return ops.indexOfUnits(buf, value, byteOffset as number, forward);
    return ops.indexOfBytes(buf, value, byteOffset as number, forward);
  }
  throw new codes.ERR_INVALID_ARG_TYPE("value", ["number", "string", "Buffer", "Uint8Array"], value);
}

/**
 * Byte index of the first occurrence of a byte, text or bytes at or after `byteOffset` (negative: from the end), or
 * -1. Throws ERR_INVALID_ARG_TYPE, ERR_UNKNOWN_ENCODING.
 */
function indexOf(this: Uint8Array, value: unknown, byteOffset?: number | string, encoding?: string): number {
  return search(this, value, byteOffset, encoding, true);
}

/** As `indexOf`, but the last occurrence at or before `byteOffset`. */
function lastIndexOf(this: Uint8Array, value: unknown, byteOffset?: number | string, encoding?: string): number {
  return search(this, value, byteOffset, encoding, false);
}

/** Whether `indexOf` finds anything. */
function includes(this: Uint8Array, value: unknown, byteOffset?: number | string, encoding?: string): boolean {
  return search(this, value, byteOffset, encoding, true) !== -1;
}

// ---- filling ----

/**
 * Fills bytes `offset` to `end` of `buf` with a number, with text in `encoding` or with bytes, repeated. Returns
 * `buf`. Throws ERR_INVALID_ARG_VALUE for a pattern without bytes, ERR_OUT_OF_RANGE, ERR_BUFFER_OUT_OF_BOUNDS,
 * ERR_UNKNOWN_ENCODING, ERR_INVALID_ARG_TYPE.
 */
export function fillBytes<T extends Uint8Array>(
  buf: T,
  value: unknown,
  offset?: number | string,
  end?: number | string,
  encoding?: string,
): T {
  let codec;
  if (typeof value === "string") {
    if (offset === undefined || typeof offset === "string") {
      encoding = offset;
      offset = 0;
      end = buf.length;
    } else if (typeof end === "string") {
      encoding = end;
      end = buf.length;
    }
    const name = typeof encoding === "string" || encoding == null ? normalizeEncoding(encoding) : undefined;
    if (name === undefined) {
      validateString(encoding, "encoding");
      throw new codes.ERR_UNKNOWN_ENCODING(encoding);
    }
    codec = getCodec(name)!;
    if (value.length === 0) {
      value = 0;
    } else if (value.length === 1) {
      // One byte per character: the same as a number.
      const unit = value.charCodeAt(0);
      if ((name === "utf8" && unit < 0x80) || name === "latin1") value = unit;
    }
  }

  if (offset === undefined) {
    offset = 0;
    end = buf.length;
  } else {
    validateInteger(offset, "offset", 0, kMaxLength);
    if (end === undefined) end = buf.length;
    else validateInteger(end, "end", 0, buf.length);
    if (offset >= end) return buf;
  }
  const size = buf.byteLength;
  if (typeof value === "number") {
    if (offset > end || end > size) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS();
    return fillElements.call(buf, value, offset, end);
  }

  let pattern: Uint8Array;
  if (typeof value === "string") {
    pattern = new Uint8Array(codec!.byteLength(value));
    const used = codec!.write(value, pattern, 0, pattern.length);
    if (used < pattern.length) pattern = pattern.subarray(0, used);
  } else if (isArrayBufferView(value)) {
    pattern = asBytes(value);
  } else {
    // Anything else counts by its lowest byte. The conversion may shrink or detach the memory.
    if (end > size) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS();
    const byte = +(value as number) & 0xff;
    if (buf.byteLength < end) end = buf.byteLength;
    return offset >= end ? buf : fillElements.call(buf, byte, offset, end);
  }
  if (end > size) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS();
  if (offset >= end) return buf;
  if (pattern.length === 0) throw new codes.ERR_INVALID_ARG_VALUE("value", value);
  // One copy of the pattern, which then doubles.
  const bytes = asBytes(buf);
  let done = copyBytes(pattern, bytes, offset, 0, Math.min(pattern.length, end - offset));
  while (offset + done < end) {
    const count = Math.min(done, end - offset - done);
    copyElements.call(bytes, offset + done, offset, offset + count);
    done += count;
  }
  return buf;
}

/** `buf.fill(value[, offset[, end]][, encoding])`, see {@link fillBytes}. */
function fill(
  this: Uint8Array,
  value: unknown,
  offset?: number | string,
  end?: number | string,
  encoding?: string,
): unknown {
  return fillBytes(this, value, offset, end, encoding);
}

/** The methods by name, in Node's order. */
export const byteMethods: Record<string, Function> = {
  copy,
  equals,
  compare,
  indexOf,
  lastIndexOf,
  includes,
  fill,
};
