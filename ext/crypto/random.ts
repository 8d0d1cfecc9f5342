// Random numbers of node:crypto (https://nodejs.org/api/crypto.html#cryptorandombytessize-callback).
import { newBuffer } from "internal/buffer/base";
import { STOCK_MAX, takeRandom } from "internal/crypto/random_pool";
import { asBuffer } from "internal/crypto/util";
import { codes } from "internal/core/errors";
import { asResource } from "internal/events/async_context";
import { isAnyArrayBuffer, isUint8Array } from "internal/util/types";
import { validateBoolean, validateFunction, validateNumber, validateObject } from "internal/core/validators";

const ops = native("crypto");
const { isView } = ArrayBuffer;

/** What randomBytes and randomFill can make at once. */
const MAX_LENGTH = 2 ** 31 - 1;

/** Up to this size random bytes cost less than handing the work to another thread. */
const SMALL = 64 * 1024;

function checkOffset(offset: unknown, unit: number, length: number): number {
  validateNumber(offset, "offset");
  offset *= unit;
  const max = Math.min(length, MAX_LENGTH);
  if (Number.isNaN(offset) || offset > max || offset < 0)
    throw new codes.ERR_OUT_OF_RANGE("offset", `>= 0 && <= ${max}`, offset);
  return offset >>> 0;
}

function checkSize(size: unknown, unit: number, offset: number, length: number): number {
  validateNumber(size, "size");
  size *= unit;
  if (Number.isNaN(size) || size > MAX_LENGTH || size < 0)
    throw new codes.ERR_OUT_OF_RANGE("size", `>= 0 && <= ${MAX_LENGTH}`, size);
  if (size + offset > length) throw new codes.ERR_OUT_OF_RANGE("size + offset", `<= ${length}`, size + offset);
  return size >>> 0;
}

function freshBytes(size: number): Buffer {
  if (size > STOCK_MAX) return asBuffer(ops.randomBytes(size));
  const bytes = newBuffer(size);
  takeRandom(bytes);
  return bytes as unknown as Buffer;
}

/** crypto.randomBytes(): a Buffer, or with a callback (error, Buffer) later. Throws ERR_OUT_OF_RANGE. */
export function randomBytes(size: number, callback?: undefined): Buffer;
export function randomBytes(size: number, callback: (error: Error | null, bytes?: Buffer) => void): void;
export function randomBytes(size: number, callback?: (error: Error | null, bytes?: Buffer) => void) {
  size = checkSize(size, 1, 0, Infinity);
  if (callback === undefined) return freshBytes(size);
  validateFunction(callback, "callback");
  callback = asResource(callback, "RANDOMBYTESREQUEST");
  if (size <= SMALL) {
    setImmediate(callback, null, freshBytes(size));
    return;
  }
  const bytes = Buffer.allocUnsafeSlow(size);
  ops.randomFill(bytes, (error: Error | undefined) => (error ? callback(error) : callback(null, bytes)));
}

function checkBuffer(buf: unknown): void {
  if (!isAnyArrayBuffer(buf) && !isView(buf)) {
    throw new codes.ERR_INVALID_ARG_TYPE("buf", ["ArrayBuffer", "ArrayBufferView"], buf);
  }
}

/** The bytes of a part of a buffer or view. */
function part(buf: Uint8Array, offset: number, size: number): Uint8Array {
  return isView(buf) ? new Uint8Array(buf.buffer, buf.byteOffset + offset, size) : new Uint8Array(buf, offset, size);
}

/** crypto.randomFillSync(): fills a buffer or view, or a part of it told in its elements; returns it. */
export function randomFillSync(buf: Uint8Array, offset: number = 0, size?: number): unknown {
  checkBuffer(buf);
  const unit = buf.BYTES_PER_ELEMENT || 1;
  offset = checkOffset(offset, unit, buf.byteLength);
  size = size === undefined ? buf.byteLength - offset : checkSize(size, unit, offset, buf.byteLength);
  if (size === buf.byteLength && size <= STOCK_MAX && isUint8Array(buf)) takeRandom(buf);
  else if (size > 0) ops.randomFillSync(part(buf, offset, size));
  return buf;
}

/** crypto.randomFill(buf[, offset][, size], callback): the same later; the callback gets (error, buf). */
export function randomFill(
  buf: Uint8Array,
  offset: number,
  size: number | undefined,
  callback?: (...values: unknown[]) => unknown,
): void {
  checkBuffer(buf);
  const unit = buf.BYTES_PER_ELEMENT || 1;
  if (typeof offset === "function") {
    callback = offset;
    offset = 0;
    size = undefined;
  } else if (typeof size === "function") {
    callback = size;
    size = undefined;
  } else {
    validateFunction(callback, "callback");
  }
  offset = checkOffset(offset, unit, buf.byteLength);
  size = size === undefined ? buf.byteLength - offset : checkSize(size, unit, offset, buf.byteLength);
  if (size === 0) {
    callback(null, buf);
    return;
  }
  callback = asResource(callback, "RANDOMBYTESREQUEST");
  ops.randomFill(part(buf, offset, size), (error: Error | undefined) =>
    error ? callback(error) : callback(null, buf),
  );
}

/** Six random bytes make one number. */
const MAX_RANDOM = 2 ** 48 - 1;
let stock: Buffer | undefined;
let used = 0;

function sixBytes(): number {
  if (stock === undefined || used === stock.length) {
    stock ??= Buffer.allocUnsafeSlow(6 * 1024);
    ops.randomFillSync(stock);
    used = 0;
  }
  const value = stock.readUIntBE(used, 6);
  used += 6;
  return value;
}

/** crypto.randomInt([min,] max[, callback]): an integer from min (0) up to but without max; they are less than 2^48 apart. */
export function randomInt(max: number): number;
export function randomInt(min: number, max: number): number;
export function randomInt(max: number, callback: Callback): void;
export function randomInt(min: number, max: number, callback: Callback): void;
export function randomInt(min: number, max?: number | Callback, callback?: Callback): number | undefined {
  const onlyMax = max === undefined || typeof max === "function";
  if (onlyMax) {
    callback = max as Callback | undefined;
    max = min;
    min = 0;
  }
  if (callback !== undefined) validateFunction(callback, "callback");
  if (!Number.isSafeInteger(min)) throw new codes.ERR_INVALID_ARG_TYPE("min", "a safe integer", min);
  if (!Number.isSafeInteger(max)) throw new codes.ERR_INVALID_ARG_TYPE("max", "a safe integer", max);
  if ((max as number) <= min) throw new codes.ERR_OUT_OF_RANGE("max", `greater than the value of "min" (${min})`, max);
  const range = (max as number) - min;
  if (!(range <= MAX_RANDOM))
    throw new codes.ERR_OUT_OF_RANGE(onlyMax ? "max" : "max - min", `<= ${MAX_RANDOM}`, range);
  // Numbers of the last, incomplete range are thrown away: they would make small results more likely.
  const limit = MAX_RANDOM - (MAX_RANDOM % range);
  let value = sixBytes();
  while (value >= limit) value = sixBytes();
  const result = (value % range) + min;
  if (callback === undefined) return result;
  process.nextTick(callback, undefined, result);
}

function fresh(options: unknown): boolean {
  if (options === undefined) return false;
  validateObject(options, "options");
  const { disableEntropyCache = false } = options;
  validateBoolean(disableEntropyCache, "options.disableEntropyCache");
  return disableEntropyCache;
}

/** crypto.randomUUID(): version 4 of RFC 9562; random bytes come from a stock unless options.disableEntropyCache is set. */
export function randomUUID(options?: unknown): string {
  return ops.randomUuid(options === undefined ? false : fresh(options));
}

/** crypto.randomUUIDv7(): version 7 of RFC 9562, which starts with the time. */
export function randomUUIDv7(options?: unknown): string {
  return ops.randomUuidV7(Date.now(), fresh(options));
}

/** crypto.timingSafeEqual(): whether bytes are equal, in a time that depends only on their number. */
export function timingSafeEqual(
  buf1: ArrayBuffer | SharedArrayBuffer | ArrayBufferView,
  buf2: ArrayBuffer | SharedArrayBuffer | ArrayBufferView,
): boolean {
  try {
    // It looks at the memory itself: what a program has set as `byteLength` says nothing.
    return ops.timingSafeEqual(buf1, buf2);
  } catch {
    // The errors of the checks below say what was wrong.
  }
  if (!isView(buf1) && !isAnyArrayBuffer(buf1)) throw notBytes("buf1");
  if (!isView(buf2) && !isAnyArrayBuffer(buf2)) throw notBytes("buf2");
  throw new codes.ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH();
}

/** As Node's native code makes it: with a code, which is not in the name. */
function notBytes(name: string): TypeError {
  const error: NodeError = new TypeError(
    `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`,
  );
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}
