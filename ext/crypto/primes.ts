// Prime numbers of node:crypto (https://nodejs.org/api/crypto.html#cryptogenerateprimesize-options-callback).
import { codes } from "internal/core/errors";
import { asResource } from "internal/events/async_context";
import { isAnyArrayBuffer } from "internal/util/types";
import {
  validateBoolean,
  validateFunction,
  validateInt32,
  validateObject,
  validateUint32,
} from "internal/core/validators";

const ops = native("crypto");
const { isView } = ArrayBuffer;
const none = new Uint8Array(0);

function bigintBytes(value: bigint, name: string): Uint8Array {
  if (value < 0n) throw new codes.ERR_OUT_OF_RANGE(name, ">= 0", value);
  let hex = value.toString(16);
  if (hex.length % 2 !== 0) hex = `0${hex}`;
  return Buffer.from(hex, "hex");
}

function toBigint(bytes: ArrayBuffer): bigint {
  const hex = Buffer.from(bytes).toString("hex");
  return hex === "" ? 0n : BigInt(`0x${hex}`);
}

function numberOption(value: unknown, name: string): Uint8Array {
  if (value === undefined) return none;
  if (typeof value === "bigint") return bigintBytes(value, name);
  if (isView(value) || isAnyArrayBuffer(value))
    return new Uint8Array(
      isView(value) ? value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength) : value,
    );
  throw new codes.ERR_INVALID_ARG_TYPE(name, ["ArrayBuffer", "TypedArray", "Buffer", "DataView", "bigint"], value);
}

function parse(size: unknown, options: unknown) {
  validateInt32(size, "size", 1);
  validateObject(options, "options");
  const { safe = false, bigint = false } = options;
  validateBoolean(safe, "options.safe");
  validateBoolean(bigint, "options.bigint");
  const add = numberOption(options.add, "options.add");
  const rem = numberOption(options.rem, "options.rem");
  if (add.length > 0) {
    const step = toBigint(add.slice().buffer as ArrayBuffer);
    const bits = step === 0n ? 0 : step.toString(2).length;
    if (bits > size) throw outOfRange("invalid options.add");
    if (rem.length > 0 && step <= toBigint(rem.slice().buffer as ArrayBuffer)) throw outOfRange("invalid options.rem");
  }
  return { safe, bigint, add, rem };
}

function outOfRange(message: string): RangeError {
  const error: NodeError = new RangeError(message);
  error.code = "ERR_OUT_OF_RANGE";
  return error;
}

/** crypto.generatePrimeSync(): an ArrayBuffer of big-endian bytes, or a bigint with options.bigint. */
export function generatePrimeSync(size: number, options: unknown = {}): bigint | ArrayBuffer {
  const { safe, bigint, add, rem } = parse(size, options);
  const { buffer } = ops.primeSync(size, safe, add, rem);
  return bigint ? toBigint(buffer) : buffer;
}

/** crypto.generatePrime(): the callback gets (error, prime). */
export function generatePrime(size: number, options: unknown, callback?: unknown): void {
  if (typeof options === "function") {
    callback = options;
    options = {};
  }
  validateFunction(callback, "callback");
  const { safe, bigint, add, rem } = parse(size, options);
  const done = asResource(callback, "RANDOMPRIMEREQUEST");
  ops.primeLater(size, safe, add, rem, (error: Error | undefined, bytes: Uint8Array) => {
    if (error) done(error);
    else done(undefined, bigint ? toBigint(bytes.buffer as ArrayBuffer) : bytes.buffer);
  });
}

function parseCheck(candidate: unknown, options: unknown) {
  if (typeof candidate === "bigint") candidate = bigintBytes(candidate, "candidate");
  if (!isView(candidate) && !isAnyArrayBuffer(candidate)) {
    throw new codes.ERR_INVALID_ARG_TYPE(
      "candidate",
      ["ArrayBuffer", "TypedArray", "Buffer", "DataView", "bigint"],
      candidate,
    );
  }
  validateObject(options, "options");
  const { checks = 0 } = options;
  validateInt32(checks, "options.checks", 0);
  validateUint32(checks, "options.checks");
  return { candidate, checks };
}

/** crypto.checkPrimeSync(): whether a number (bytes or bigint) is a prime, very likely. */
export function checkPrimeSync(number: unknown, options: unknown = {}): boolean {
  const { candidate, checks } = parseCheck(number, options);
  return ops.checkPrimeSync(candidate, checks);
}

/** crypto.checkPrime(): the callback gets (error, result). */
export function checkPrime(number: unknown, options: unknown, callback?: unknown): void {
  if (typeof options === "function") {
    callback = options;
    options = {};
  }
  validateFunction(callback, "callback");
  const { candidate, checks } = parseCheck(number, options);
  const done = asResource(callback, "CHECKPRIMEREQUEST");
  ops.checkPrimeLater(candidate, checks, (error: Error | undefined, result: boolean) =>
    error ? done(error) : done(undefined, result),
  );
}
