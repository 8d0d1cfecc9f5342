// node:crypto for browsers: random bytes, digests and what the page's own `crypto` has. Ciphers, keys and signatures need a package.

import { digestOf, names } from "internal/crypto/digests";
import { Buffer } from "node:buffer";
import stream from "node:stream";
import type { Digest } from "internal/crypto/digests";

type Data = string | ArrayBuffer | ArrayBufferView;
type Encoding = "hex" | "base64" | "base64url" | "latin1" | "utf8";
type Callback<T> = (error: unknown, value: T) => void;
const { crypto } = globalThis;

function bytesOf(data: Data, encoding?: string): Uint8Array {
  if (typeof data === "string") return Buffer.from(data, encoding as Encoding) as Uint8Array;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

function digestNamed(name: string): Digest {
  const digest = digestOf(name);
  if (digest === undefined)
    throw new Error(`Digest method not supported: ${name}. In browsers there are ${names.join(", ")}`);
  return digest;
}

class Hash extends stream.Transform {
  #digest: Digest | undefined;
  readonly #name: string;

  constructor(name: string, digest = digestNamed(name)) {
    super();
    this.#name = name;
    this.#digest = digest;
  }

  #open(): Digest {
    if (this.#digest === undefined) throw new Error("Digest already called");
    return this.#digest;
  }

  update(data: Data, encoding?: string): this {
    this.#open().update(bytesOf(data, encoding));
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

  override _transform(chunk: Data, encoding: string, callback: () => void): void {
    this.update(chunk, encoding);
    callback();
  }

  override _flush(callback: () => void): void {
    this.push(this.digest());
    callback();
  }
}

/** RFC 2104. */
class Hmac extends Hash {
  readonly #outer: Digest;

  constructor(name: string, key: Data) {
    super(name);
    this.#outer = digestNamed(name);
    let secret = bytesOf(key);
    if (secret.length > this.#outer.block) {
      const digest = digestNamed(name);
      digest.update(secret);
      secret = digest.finish();
    }
    const padded = new Uint8Array(this.#outer.block);
    padded.set(secret);
    this.update(padded.map((byte) => byte ^ 0x36));
    this.#outer.update(padded.map((byte) => byte ^ 0x5c));
  }

  protected override finish(digest: Digest): Uint8Array {
    this.#outer.update(digest.finish());
    return this.#outer.finish();
  }
}

/** Random bytes for a view; browsers give at most 65,536 at once. */
function randomFillSync<T extends ArrayBufferView>(view: T, offset = 0, size = view.byteLength - offset): T {
  for (let at = offset; at < offset + size; at += 65_536) {
    const length = Math.min(65_536, offset + size - at);
    crypto.getRandomValues(new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset + at, length));
  }
  return view;
}

function randomBytes(size: number, callback?: Callback<Uint8Array>): Uint8Array | void {
  const bytes = randomFillSync(Buffer.alloc(size) as Uint8Array);
  if (callback === undefined) return bytes;
  queueMicrotask(() => callback(null, bytes));
}

function randomFill<T extends ArrayBufferView>(view: T, ...rest: unknown[]): void {
  const callback = rest.pop() as Callback<T>;
  randomFillSync(view, ...(rest as number[]));
  queueMicrotask(() => callback(null, view));
}

/** A number from `min` up to `max`, which is left out. */
function randomInt(min: number, max?: number | Callback<number>, callback?: Callback<number>): number | void {
  if (typeof max !== "number") [callback, max, min] = [max, min, 0];
  const range = max - min;
  if (!(range > 0 && range < 2 ** 48)) throw new RangeError('The value of "max" is out of range');
  // What is above the last whole multiple would make small numbers likelier.
  const limit = 2 ** 48 - (2 ** 48 % range);
  let number = limit;
  while (number >= limit) {
    const bytes = crypto.getRandomValues(new Uint8Array(6));
    number = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  }
  const result = min + (number % range);
  if (callback === undefined) return result;
  queueMicrotask(() => callback(null, result));
}

/** Takes the same time for all contents of one length. */
function timingSafeEqual(a: Data, b: Data): boolean {
  const [x, y] = [bytesOf(a), bytesOf(b)];
  if (x.length !== y.length) throw new RangeError("Input buffers must have the same byte length");
  let difference = 0;
  for (let i = 0; i < x.length; i++) difference |= x[i]! ^ y[i]!;
  return difference === 0;
}

/** RFC 8018, section 5.2. */
function pbkdf2Sync(password: Data, salt: Data, iterations: number, length: number, digest: string): Uint8Array {
  const result = Buffer.alloc(length) as Uint8Array;
  const hmac = (...parts: Uint8Array[]) => {
    const made = new Hmac(digest, password);
    for (const part of parts) made.update(part);
    return made.digest() as Uint8Array;
  };
  for (let block = 1, at = 0; at < length; block++) {
    const number = new Uint8Array(4);
    new DataView(number.buffer).setUint32(0, block);
    let last = hmac(bytesOf(salt), number);
    const sum = last.slice();
    for (let i = 1; i < iterations; i++) {
      last = hmac(last);
      last.forEach((byte, place) => (sum[place]! ^= byte));
    }
    result.set(sum.subarray(0, length - at), at);
    at += sum.length;
  }
  return result;
}

function pbkdf2(...values: unknown[]): void {
  const callback = values.pop() as Callback<Uint8Array | undefined>;
  const [password, salt, iterations, length, digest] = values as [Data, Data, number, number, string];
  queueMicrotask(() => callback(null, pbkdf2Sync(password, salt, iterations, length, digest)));
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
  createHmac: (name: string, key: Data) => new Hmac(name, key),
  getHashes: () => [...names],
  getCiphers: () => [],
  getCurves: () => [],
  constants: {},
  Hash,
  Hmac,
};
