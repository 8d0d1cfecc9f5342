// Prime numbers of node:crypto (https://nodejs.org/api/crypto.html#cryptogenerateprimesize-options-callback).
import { codes } from "internal/core/errors";
import { randomBytes, randomInt } from "internal/crypto/random";
import { asResource } from "internal/events/async_context";
import { opensslError } from "internal/crypto/util";
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

function bigintOf(bytes: Uint8Array): bigint {
  return toBigint(bytes.slice().buffer as ArrayBuffer);
}

/** As much as OpenSSL's numbers can have. */
const MAX_BYTES = 8 * Math.trunc((2 ** 31 - 1) / (4 * 64));
/** Sizes up to which all primes with a step are looked at. The library's search with steps is not asked: it never ends where a small prime
 * divides the step and the remainder less 1, passes over the primes it divides by, and halves odd steps of safe primes. */
const SMALL_BITS = 16;

function gcd(a: bigint, b: bigint): bigint {
  while (b > 0n) [a, b] = [b, a % b];
  return a;
}

function isSmallPrime(value: number): boolean {
  if (value < 4) return value > 1;
  if (value % 2 === 0) return false;
  for (let i = 3; i * i <= value; i += 2) if (value % i === 0) return false;
  return true;
}

/** One of the primes of `size` bits that are `rest` modulo `step`; all have the same chance. */
function smallPrime(size: number, step: bigint, rest: bigint, safe: boolean): Uint8Array | undefined {
  const found: number[] = [];
  const by = Number(step);
  for (let value = Number(rest); value < 2 ** size; value += by) {
    if (value >= 2 ** (size - 1) && isSmallPrime(value) && (!safe || isSmallPrime((value - 1) / 2))) found.push(value);
  }
  if (found.length === 0) return undefined;
  const value = found[randomInt(found.length) as number]!;
  return size > 8 ? Uint8Array.of(value >> 8, value) : Uint8Array.of(value);
}

/** What primes of a size are looked for, where a step is given. */
interface Progression {
  size: number;
  /** Even, so that no even number is looked at. */
  step: bigint;
  rest: bigint;
  safe: boolean;
}

/**
 * `rem` (without it 1, of safe primes 3) modulo `step`: the prime, of few bits, or where to search. Refuses what no prime can be: such a
 * search would never end.
 */
function progression(size: number, step: bigint, rem: Uint8Array, safe: boolean): Uint8Array | Progression {
  let rest = rem.length > 0 ? bigintOf(rem) : (safe ? 3n : 1n) % step;
  if (size <= SMALL_BITS) {
    const prime = smallPrime(size, step, rest, safe);
    if (prime === undefined) throw outOfRange("invalid options.rem");
    return prime;
  }
  if (step % 2n === 1n) {
    if (rest % 2n === 0n) rest += step;
    step *= 2n;
  }
  if (gcd(step, rest) !== 1n || (safe && gcd(step / 2n, (rest - 1n) / 2n) !== 1n))
    throw outOfRange("invalid options.rem");
  return { size, step, rest, safe };
}

/** The product of the odd primes below 256. */
let smallFactors = 0n;

/** Numbers of a progression that no small prime divides, from a random one on, and from another one after some steps. */
function* candidates({ size, step, rest, safe }: Progression): Generator<bigint, never> {
  if (smallFactors === 0n) {
    smallFactors = 1n;
    for (let i = 3; i < 256; i += 2) if (isSmallPrime(i)) smallFactors *= BigInt(i);
  }
  const low = 1n << BigInt(size - 1);
  const isRough = (value: bigint) => gcd(smallFactors, value % smallFactors) === 1n;
  for (;;) {
    const start = low + (toBigint(randomBytes(Math.ceil(size / 8)).buffer as ArrayBuffer) % low);
    let value = start - (start % step) + rest;
    for (let i = 0; i < 4096 && value < low * 2n; i++, value += step)
      if (value >= low && isRough(value) && (!safe || isRough((value - 1n) / 2n))) yield value;
  }
}

function primeBytes(value: bigint, size: number): Uint8Array {
  return new Uint8Array(Buffer.from(value.toString(16).padStart(Math.ceil(size / 8) * 2, "0"), "hex"));
}

function searchSync(where: Progression): Uint8Array {
  const values = candidates(where);
  for (;;) {
    const { value } = values.next();
    const isPrime = ops.checkPrimeSync(bigintBytes(value, ""), 0);
    if (isPrime && (!where.safe || ops.checkPrimeSync(bigintBytes((value - 1n) / 2n, ""), 0)))
      return primeBytes(value, where.size);
  }
}

/** The same with the tests off the thread. */
function searchLater(where: Progression, done: (error: Error | undefined, bytes?: Uint8Array) => void): void {
  const values = candidates(where);
  const next = () => {
    const { value } = values.next();
    ops.checkPrimeLater(bigintBytes(value, ""), 0, (error: Error | undefined, isPrime: boolean) => {
      if (error) return done(error);
      if (!isPrime) return next();
      if (!where.safe) return done(undefined, primeBytes(value, where.size));
      ops.checkPrimeLater(bigintBytes((value - 1n) / 2n, ""), 0, (failure: Error | undefined, isSafe: boolean) => {
        if (failure) done(failure);
        else if (isSafe) done(undefined, primeBytes(value, where.size));
        else next();
      });
    });
  };
  next();
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
    const step = bigintOf(add);
    const bits = step === 0n ? 0 : step.toString(2).length;
    if (bits > size) throw outOfRange("invalid options.add");
    if (rem.length > 0 && step <= bigintOf(rem)) throw outOfRange("invalid options.rem");
    if (step === 0n) throw opensslError("01800067", "bignum routines", "div by zero", "ERR_OSSL_BN_DIV_BY_ZERO");
    return { safe, bigint, found: progression(size, step, rem, safe) };
  }
  // 7 is the only safe prime of so few bits that OpenSSL gives.
  if (safe && size < 6 && size !== 3)
    throw opensslError("01800076", "bignum routines", "bits too small", "ERR_OSSL_BN_BITS_TOO_SMALL");
  return { safe, bigint, found: undefined };
}

function outOfRange(message: string): RangeError {
  const error: NodeError = new RangeError(message);
  error.code = "ERR_OUT_OF_RANGE";
  return error;
}

/** crypto.generatePrimeSync(): an ArrayBuffer of big-endian bytes, or a bigint with options.bigint. */
export function generatePrimeSync(size: number, options: unknown = {}): bigint | ArrayBuffer {
  const { safe, bigint, found } = parse(size, options);
  let bytes: Uint8Array;
  if (found === undefined) bytes = ops.primeSync(size, safe);
  else bytes = found instanceof Uint8Array ? found : searchSync(found);
  const buffer = bytes.buffer as ArrayBuffer;
  return bigint ? toBigint(buffer) : buffer;
}

/** crypto.generatePrime(): the callback gets (error, prime). */
export function generatePrime(size: number, options: unknown, callback?: unknown): void {
  if (typeof options === "function") {
    callback = options;
    options = {};
  }
  validateFunction(callback, "callback");
  const { safe, bigint, found } = parse(size, options);
  const done = asResource(callback, "RANDOMPRIMEREQUEST");
  const answer = (error: Error | undefined, bytes?: Uint8Array) => {
    if (error) return done(error);
    const buffer = bytes!.buffer as ArrayBuffer;
    done(undefined, bigint ? toBigint(buffer) : buffer);
  };
  if (found === undefined) ops.primeLater(size, safe, answer);
  else if (found instanceof Uint8Array) setImmediate(answer, undefined, found);
  else searchLater(found, answer);
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
  const bytes = isView(candidate)
    ? new Uint8Array(candidate.buffer, candidate.byteOffset, candidate.byteLength)
    : new Uint8Array(candidate);
  // Leading zeros do not count.
  const first = bytes.length > MAX_BYTES ? bytes.findIndex((byte) => byte !== 0) : -1;
  if (first >= 0 && bytes.length - first > MAX_BYTES)
    throw opensslError("01800072", "bignum routines", "bignum too long", "ERR_OSSL_BN_BIGNUM_TOO_LONG");
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
