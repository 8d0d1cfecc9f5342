// node:crypto for browsers: random bytes, digests and what the page's own `crypto` has. Ciphers, keys and signatures need a package.

import { isAnyArrayBuffer } from "internal/buffer/base";
import { codes } from "internal/core/errors";
import { validateFunction, validateInt32, validateNumber, validateString } from "internal/core/validators";
import { digestOf, names } from "internal/crypto/digests";
import { bytesOf } from "internal/crypto/util";
import buffer from "node:buffer";
import stream from "node:stream";
import type { Digest } from "internal/crypto/digests";

type Encoding = "hex" | "base64" | "base64url" | "latin1" | "utf8";
type Callback<T> = (error: unknown, value: T) => void;
const { Buffer } = buffer;
const { crypto } = globalThis;
const { isView } = ArrayBuffer;

function viewOf(memory: Native.Bytes): Uint8Array {
  return isView(memory) ? new Uint8Array(memory.buffer, memory.byteOffset, memory.byteLength) : new Uint8Array(memory);
}

/** The bytes of an argument that is no text. */
function memoryOf(value: unknown, name: string): Uint8Array {
  if (isView(value) || isAnyArrayBuffer(value)) return viewOf(value);
  throw new codes.ERR_INVALID_ARG_TYPE(name, ["ArrayBuffer", "Buffer", "TypedArray", "DataView"], value);
}

function digestNamed(name: unknown): Digest {
  validateString(name, "algorithm");
  const digest = digestOf(name);
  if (digest === undefined)
    throw new Error(`Digest method not supported: ${name}. In browsers there are ${names.join(", ")}`);
  return digest;
}

class Hash extends stream.Transform {
  #digest: Digest | undefined;
  readonly #name: string;

  constructor(name: string, digest: Digest = digestNamed(name)) {
    super();
    this.#name = name;
    this.#digest = digest;
  }

  #open(): Digest {
    if (this.#digest === undefined) throw new Error("Digest already called");
    return this.#digest;
  }

  update(data: unknown, encoding?: string): this {
    const digest = this.#open();
    if (typeof data !== "string" && !isView(data))
      throw new codes.ERR_INVALID_ARG_TYPE("data", ["string", "Buffer", "TypedArray", "DataView"], data);
    digest.update(viewOf(bytesOf(data, "data", encoding)));
    return this;
  }

  digest(encoding?: Encoding | "buffer") {
    const bytes = Buffer.from(this.finish(this.#open()) as Uint8Array<ArrayBuffer>);
    this.#digest = undefined;
    return encoding === undefined || encoding === "buffer" ? bytes : bytes.toString(encoding);
  }

  /** The last step, which an HMAC has more of. */
  protected finish(digest: Digest): Uint8Array {
    return digest.finish();
  }

  copy(): Hash {
    return new Hash(this.#name, this.#open().clone());
  }

  _transform(chunk: unknown, encoding: string, callback: () => void): void {
    this.update(chunk, encoding);
    callback();
  }

  _flush(callback: () => void): void {
    this.push(this.digest());
    callback();
  }
}

/** What makes codes of RFC 2104: the digests that have taken in the key. */
interface Keyed {
  readonly inner: Digest;
  readonly outer: Digest;
}

function keyed(name: string, key: Uint8Array): Keyed {
  const [inner, outer] = [digestOf(name), digestOf(name)];
  if (inner === undefined || outer === undefined) throw new codes.ERR_CRYPTO_INVALID_DIGEST(name);
  if (key.length > outer.block) {
    const digest = outer.clone();
    digest.update(key);
    key = digest.finish();
  }
  const padded = new Uint8Array(outer.block);
  padded.set(key);
  inner.update(padded.map((byte) => byte ^ 0x36));
  outer.update(padded.map((byte) => byte ^ 0x5c));
  return { inner, outer };
}

class Hmac extends Hash {
  readonly #outer: Digest;

  constructor(name: unknown, key: unknown) {
    validateString(name, "hmac");
    const { inner, outer } = keyed(name, viewOf(bytesOf(key, "key")));
    super(name, inner);
    this.#outer = outer;
  }

  protected override finish(digest: Digest): Uint8Array {
    this.#outer.update(digest.finish());
    return this.#outer.finish();
  }
}

/** The bytes of a part that is told in elements. */
function partOf(data: unknown, offset: number, size: number | undefined): Uint8Array {
  const all = memoryOf(data, "buf");
  const unit = (data as Uint8Array).BYTES_PER_ELEMENT || 1;
  validateNumber(offset, "offset", 0, all.length / unit);
  if (size === undefined) return all.subarray(offset * unit);
  validateNumber(size, "size", 0, all.length / unit - offset);
  return all.subarray(offset * unit, (offset + size) * unit);
}

/** Random bytes for a view or buffer; browsers give at most 65,536 at once. */
function randomFillSync<T>(data: T, offset = 0, size?: number): T {
  const part = partOf(data, offset, size);
  for (let at = 0; at < part.length; at += 65_536)
    crypto.getRandomValues(part.subarray(at, at + 65_536) as Uint8Array<ArrayBuffer>);
  return data;
}

function randomBytes(size: number, callback?: Callback<Uint8Array>): Uint8Array | void {
  const bytes = randomFillSync(Buffer.alloc(size) as Uint8Array);
  if (callback === undefined) return bytes;
  validateFunction(callback, "callback");
  queueMicrotask(() => callback(null, bytes));
}

function randomFill<T>(data: T, ...rest: unknown[]): void {
  const callback = rest.pop() as Callback<T>;
  validateFunction(callback, "callback");
  randomFillSync(data, ...(rest as [offset?: number, size?: number]));
  queueMicrotask(() => callback(null, data));
}

/** A number from `min` up to `max`, which is left out. */
function randomInt(min: number, max?: number | Callback<number>, callback?: Callback<number>): number | void {
  if (max === undefined || typeof max === "function") [callback, max, min] = [max, min, 0];
  if (callback !== undefined) validateFunction(callback, "callback");
  if (!Number.isSafeInteger(min)) throw new codes.ERR_INVALID_ARG_TYPE("min", "a safe integer", min);
  if (!Number.isSafeInteger(max)) throw new codes.ERR_INVALID_ARG_TYPE("max", "a safe integer", max);
  const range = max - min;
  if (range <= 0) throw new codes.ERR_OUT_OF_RANGE("max", `greater than the value of "min" (${min})`, max);
  if (range >= 2 ** 48) throw new codes.ERR_OUT_OF_RANGE("max - min", `<= ${2 ** 48 - 1}`, range);
  // What is above the last whole multiple would make small numbers likelier.
  const limit = 2 ** 48 - (2 ** 48 % range);
  let number = limit;
  while (number >= limit) {
    const bytes = crypto.getRandomValues(new Uint8Array(6));
    number = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  }
  const result = min + (number % range);
  if (callback === undefined) return result;
  const done = callback;
  queueMicrotask(() => done(null, result));
}

/** Takes the same time for all contents of one length. */
function timingSafeEqual(a: unknown, b: unknown): boolean {
  const [x, y] = [memoryOf(a, "buf1"), memoryOf(b, "buf2")];
  if (x.length !== y.length) throw new codes.ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH();
  let difference = 0;
  for (let i = 0; i < x.length; i++) difference |= x[i]! ^ y[i]!;
  return difference === 0;
}

type Derivation = [password: unknown, salt: unknown, iterations: number, length: number, digest: unknown];

/** RFC 8018, section 5.2. Checks the arguments now; what it gives does the work, with what they hold now. */
function derivation(...[password, salt, iterations, length, digest]: Derivation): () => Uint8Array {
  validateString(digest, "digest");
  const secret = viewOf(bytesOf(password, "password"));
  const salted = viewOf(bytesOf(salt, "salt"));
  validateInt32(iterations, "iterations", 1);
  validateInt32(length, "keylen", 0);
  const start = keyed(digest, secret);
  const first = start.inner.clone();
  first.update(salted);
  const result = Buffer.alloc(length) as Uint8Array;
  const code = (from: Digest, bytes: Uint8Array) => {
    const [inner, outer] = [from.clone(), start.outer.clone()];
    inner.update(bytes);
    outer.update(inner.finish());
    return outer.finish();
  };
  return () => {
    for (let block = 1, at = 0; at < length; block++) {
      const number = new Uint8Array(4);
      new DataView(number.buffer).setUint32(0, block);
      let last = code(first, number);
      const sum = last.slice();
      for (let i = 1; i < iterations; i++) {
        last = code(start.inner, last);
        for (let place = 0; place < sum.length; place++) sum[place]! ^= last[place]!;
      }
      result.set(sum.subarray(0, length - at), at);
      at += sum.length;
    }
    return result;
  };
}

const pbkdf2Sync = (...values: Derivation): Uint8Array => derivation(...values)();

function pbkdf2(...values: [...Derivation, callback: Callback<Uint8Array>]): void {
  const [password, salt, iterations, length, digest, callback] = values;
  const derive = derivation(password, salt, iterations, length, digest);
  validateFunction(callback, "callback");
  queueMicrotask(() => callback(null, derive()));
}

function refuse(name: string): () => never {
  return () => {
    throw new Error(
      `crypto.${name} is not there in browsers: install "crypto-browserify", which is then bundled instead`,
    );
  };
}

const missing = (
  "createCipheriv createDecipheriv createSign createVerify createECDH createDiffieHellman createDiffieHellmanGroup " +
  "getDiffieHellman publicEncrypt publicDecrypt privateEncrypt privateDecrypt sign verify scrypt scryptSync hkdf hkdfSync " +
  "generateKeyPair generateKeyPairSync createPrivateKey createPublicKey createSecretKey"
).split(" ");

export default {
  ...Object.fromEntries(missing.map((name) => [name, refuse(name)])),
  webcrypto: crypto,
  subtle: crypto?.subtle,
  getRandomValues: <T extends ArrayBufferView>(view: T): T => crypto.getRandomValues(view as never) as T,
  randomUUID: () => crypto.randomUUID(),
  randomBytes,
  pseudoRandomBytes: randomBytes,
  rng: randomBytes,
  prng: randomBytes,
  randomFill,
  randomFillSync,
  randomInt,
  timingSafeEqual,
  pbkdf2,
  pbkdf2Sync,
  createHash: (name: string) => new Hash(name),
  createHmac: (name: unknown, key: unknown) => new Hmac(name, key),
  getHashes: () => [...names],
  getCiphers: () => [],
  getCurves: () => [],
  constants: {},
  Hash,
  Hmac,
};
