// crypto.createHash, createHmac and hash (https://nodejs.org/api/crypto.html#class-hash).
import { findHash, type HashFunction } from "internal/crypto/hashes";
import { makeLazyTransform } from "internal/crypto/lazy_transform";
import { asBuffer, bytesOf, isUtf8, opensslError, textCodes, validateEncoding } from "internal/crypto/util";
import { codes } from "internal/core/errors";
import { validateObject, validateString, validateUint32 } from "internal/core/validators";

const {
  hashStart,
  hashStartWith,
  hashUpdate,
  hashUpdateText,
  hashFinish,
  hashFinishText,
  hashBytes,
  hashBytesText,
  hashString,
  hashStringText,
  hmacStart,
  hmacUpdate,
  hmacUpdateText,
  hmacFinish,
  hmacFinishText,
} = native("crypto");
const { isView } = ArrayBuffer;

/** A result in an encoding that native code does not write; bytes for none, "buffer" and unknown ones. */
function encoded(bytes: Uint8Array, encoding: string | undefined) {
  const buffer = asBuffer(bytes);
  return encoding !== undefined && Buffer.isEncoding(encoding) ? buffer.toString(encoding) : buffer;
}

/** The number of an encoding that native code writes. */
function textCode(encoding: string | undefined): number | undefined {
  return encoding === undefined ? undefined : (textCodes[encoding] ?? textCodes[encoding.toLowerCase()]);
}

function wrongData(data: unknown): Error {
  return new codes.ERR_INVALID_ARG_TYPE("data", ["string", "Buffer", "TypedArray", "DataView"], data);
}

/** The number of bytes of a result, from the option outputLength. */
function resultLength(hash: HashFunction, asked: unknown): number {
  if (asked === undefined) return hash.length;
  validateUint32(asked, "options.outputLength");
  if (!hash.extendable && asked !== hash.length) {
    throw opensslError(
      "030000B2",
      "digital envelope routines",
      "not XOF or invalid length",
      "ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH",
    );
  }
  return asked;
}

let warnedLength = false;

/** SHAKE's default lengths give half of its strength. */
function warnLength(): void {
  if (warnedLength) return;
  warnedLength = true;
  process.emitWarning(
    "Creating SHAKE128/256 digests without an explicit options.outputLength is deprecated.",
    "DeprecationWarning",
    "DEP0198",
  );
}

type HashOptions = { outputLength?: unknown } | null | undefined;

class Hasher {
  /** The stream's: see lazy_transform. */
  declare push: (chunk: unknown) => boolean;
  // A single string is kept until the result is wanted: most hashes then take one native call in all.
  #pending: string | undefined = undefined;
  #state: Uint8Array | undefined = undefined;
  #hash: HashFunction;
  #length: number;
  #done = false;
  _options: unknown;

  constructor(from: string | Hasher, options: HashOptions) {
    if (typeof from === "object" && from !== null && #hash in from) {
      if (from.#done) throw new codes.ERR_CRYPTO_HASH_FINALIZED();
      this.#hash = from.#hash;
      this.#length = resultLength(from.#hash, options?.outputLength);
      this.#pending = from.#pending;
      this.#state = from.#state?.slice();
    } else {
      validateString(from, "algorithm");
      const asked = options !== null && typeof options === "object" ? options.outputLength : undefined;
      if (asked !== undefined) validateUint32(asked, "options.outputLength");
      const found = findHash(from as string);
      if (found === undefined) throw new Error("Digest method not supported");
      this.#hash = found;
      this.#length = resultLength(found, asked);
      if (found.extendable && asked === undefined) warnLength();
    }
    this._options = options;
  }

  /** A hash of the same data so far. Throws ERR_CRYPTO_HASH_FINALIZED after digest(). */
  copy(options?: HashOptions): Hasher {
    return new (Hash as unknown as typeof Hasher)(this, options);
  }

  _transform(chunk: Uint8Array, encoding: string, callback: () => void): void {
    this.update(chunk, encoding);
    callback();
  }

  // The end of the stream does not keep a program from asking for the digest.
  _flush(callback: () => void): void {
    this.push(this.#result(undefined));
    callback();
  }

  /** Takes in a string (in an encoding) or a view. Throws ERR_CRYPTO_HASH_FINALIZED after digest(). */
  update(data: string | ArrayBufferView, encoding?: string): this {
    if (this.#done) throw new codes.ERR_CRYPTO_HASH_FINALIZED();
    if (typeof data === "string") {
      if (isUtf8(encoding)) {
        if (this.#state === undefined && this.#pending === undefined) this.#pending = data;
        else hashUpdateText(this.#hash.id, this.#started(), data);
        return this;
      }
      validateEncoding(data, encoding);
      data = Buffer.from(data, encoding as BufferEncoding);
    } else if (!isView(data)) {
      throw wrongData(data);
    }
    if (this.#state === undefined && this.#pending === undefined) {
      this.#state = new Uint8Array(this.#hash.state);
      hashStartWith(this.#hash.id, this.#state, data);
    } else hashUpdate(this.#hash.id, this.#started(), data);
    return this;
  }

  #started(): Uint8Array {
    let state = this.#state;
    if (state === undefined) {
      this.#state = state = hashStart(this.#hash.id) as Uint8Array;
      if (this.#pending !== undefined) hashUpdateText(this.#hash.id, state, this.#pending);
      this.#pending = undefined;
    }
    return state;
  }

  /** The hash as a Buffer, or as text. Can be called once. */
  digest(outputEncoding?: "buffer"): Buffer;
  digest(outputEncoding: BufferEncoding): string;
  digest(outputEncoding?: unknown): string | Buffer;
  digest(outputEncoding?: unknown): string | Buffer {
    if (this.#done) throw new codes.ERR_CRYPTO_HASH_FINALIZED();
    const result = this.#result(outputEncoding ? `${outputEncoding}` : undefined);
    this.#done = true;
    return result;
  }

  #result(encoding: string | undefined) {
    const { id } = this.#hash;
    const code = textCode(encoding);
    if (this.#state === undefined) {
      const text = this.#pending ?? "";
      if (code !== undefined) return hashStringText(id, text, this.#length, code);
      return encoded(hashString(id, text, this.#length), encoding);
    }
    if (code !== undefined) return hashFinishText(id, this.#state, this.#length, code);
    return encoded(hashFinish(id, this.#state, this.#length), encoding);
  }
}

class Hmacker {
  declare push: (chunk: unknown) => boolean;
  #id: number;
  #state: Uint8Array;
  #done = false;
  _options: unknown;

  constructor(hmac: string | Hmacker, key: unknown, options: { encoding?: string } | null | undefined) {
    if (typeof hmac === "object" && hmac !== null && #id in hmac) {
      this.#id = hmac.#id;
      this.#state = hmac.#state.slice();
      return;
    }
    validateString(hmac, "hmac");
    const encoding = options !== null && typeof options === "object" ? options.encoding : undefined;
    const bytes = keyBytes(key, encoding);
    const found = findHash(hmac as string);
    if (found === undefined) throw new codes.ERR_CRYPTO_INVALID_DIGEST(hmac);
    if (found.extendable) throw new Error("error:00000000:lib(0)::reason(0)");
    this.#id = found.id;
    this.#state = new Uint8Array(2 * found.state);
    hmacStart(found.id, this.#state, bytes);
    this._options = options;
  }

  /** Takes in a string (in an encoding) or a view. Throws ERR_CRYPTO_HASH_FINALIZED after digest(). */
  update(data: string | ArrayBufferView, encoding?: string): this {
    if (this.#done) throw new codes.ERR_CRYPTO_HASH_FINALIZED();
    if (typeof data === "string") {
      if (isUtf8(encoding)) {
        hmacUpdateText(this.#id, this.#state, data);
        return this;
      }
      validateEncoding(data, encoding);
      data = Buffer.from(data, encoding as BufferEncoding);
    } else if (!isView(data)) {
      throw wrongData(data);
    }
    hmacUpdate(this.#id, this.#state, data);
    return this;
  }

  /** The code as a Buffer, or as text; empty after the first call. */
  digest(outputEncoding?: "buffer"): Buffer;
  digest(outputEncoding: BufferEncoding): string;
  digest(outputEncoding?: unknown): string | Buffer;
  digest(outputEncoding?: unknown): string | Buffer {
    const encoding = outputEncoding ? `${outputEncoding}` : undefined;
    if (this.#done) {
      const empty = Buffer.from("");
      return encoding === undefined || encoding === "buffer" ? empty : empty.toString(encoding as BufferEncoding);
    }
    const result = this.#result(encoding);
    this.#done = true;
    return result;
  }

  #result(encoding: string | undefined) {
    const code = textCode(encoding);
    if (code !== undefined) return hmacFinishText(this.#id, this.#state, code);
    return encoded(hmacFinish(this.#id, this.#state), encoding);
  }

  _flush(callback: () => void): void {
    this.push(this.#result(undefined));
    callback();
  }

  _transform(chunk: Uint8Array, encoding: string, callback: () => void): void {
    this.update(chunk, encoding);
    callback();
  }
}

/** The bytes of a secret key: a string, buffer or view, a KeyObject or a CryptoKey. */
function keyBytes(key: unknown, encoding: string | undefined): Native.Bytes {
  if (typeof key === "string" || isView(key) || key instanceof ArrayBuffer) return bytesOf(key, "key", encoding);
  const { handleOf, secretBytes } = require("internal/crypto/keys");
  if (handleOf(key) !== undefined) return secretBytes(key);
  if (key instanceof SharedArrayBuffer) return key;
  throw new codes.ERR_INVALID_ARG_TYPE(
    "key",
    ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView", "KeyObject", "CryptoKey"],
    key,
  );
}

let warnedHash = false;
let warnedHmac = false;

/** crypto.Hash, which may be called without `new`. Deprecated in favour of createHash(). */
function Hash(this: unknown, algorithm: unknown, options?: unknown): Hasher {
  if (!(typeof algorithm === "object" && algorithm instanceof Hash) && !warnedHash) {
    warnedHash = true;
    process.emitWarning("crypto.Hash constructor is deprecated.", "DeprecationWarning", "DEP0179");
  }
  return Reflect.construct(Hasher, [algorithm, options], new.target ?? Hash);
}

/** crypto.Hmac, which may be called without `new`. Deprecated in favour of createHmac(). */
function Hmac(hmac: unknown, key: unknown, options?: unknown): unknown {
  if (!warnedHmac) {
    warnedHmac = true;
    process.emitWarning("crypto.Hmac constructor is deprecated.", "DeprecationWarning", "DEP0181");
  }
  return Reflect.construct(Hmacker, [hmac, key, options], new.target ?? Hmac);
}

for (const [outer, inner] of [
  [Hash, Hasher],
  [Hmac, Hmacker],
] as [outer: { prototype: object }, inner: { prototype: object }][]) {
  outer.prototype = inner.prototype;
  Object.defineProperty(outer.prototype, "constructor", { value: outer, configurable: true, writable: true });
  makeLazyTransform(outer.prototype);
}
Object.defineProperty(Hash, "length", { value: 2, configurable: true });
Object.defineProperty(Hmac, "length", { value: 3, configurable: true });

/** crypto.createHash(): throws Error for an unknown name; the option outputLength is for SHAKE. */
function createHash(algorithm: string, options?: HashOptions): Hasher {
  return new Hasher(algorithm, options);
}

/** crypto.createHmac(): throws ERR_CRYPTO_INVALID_DIGEST for an unknown name. */
function createHmac(hmac: string, key: unknown, options?: { encoding?: string } | null): Hmacker {
  return new Hmacker(hmac, key, options);
}

/** An HMAC of the same data so far; Node has none, Bun's CryptoHasher does. The other one must not be at its end. */
export function copyHmac(hmac: Hmacker): Hmacker {
  return new Hmacker(hmac, undefined, undefined);
}

/**
 * crypto.hash(): hashes a string's UTF-8 or a view in one go.
 * @param options the encoding of the result ("hex" unless said otherwise, "buffer" for a Buffer), or an object with
 *   outputEncoding and outputLength
 */
function hash(algorithm: string, input: unknown, options?: unknown) {
  validateString(algorithm, "algorithm");
  if (typeof input !== "string" && !isView(input)) {
    throw new codes.ERR_INVALID_ARG_TYPE("input", ["Buffer", "TypedArray", "DataView", "string"], input);
  }
  let encoding = options as string | undefined;
  let asked: number | undefined;
  if (options !== undefined && typeof options !== "string") {
    validateObject(options, "options");
    encoding = options.outputEncoding as string | undefined;
    asked = options.outputLength as number | undefined;
  }
  encoding ??= "hex";
  validateString(encoding, "outputEncoding");
  let code = textCodes[encoding];
  if (code === undefined) {
    code = textCodes[encoding.toLowerCase()];
    if (code === undefined && encoding.toLowerCase() !== "buffer" && !Buffer.isEncoding(encoding)) {
      throw new codes.ERR_INVALID_ARG_VALUE("outputEncoding", encoding);
    }
  }
  const found = findHash(algorithm);
  if (found === undefined) throw new Error(`Digest method ${algorithm} is not supported`);
  let { length } = found;
  if (asked !== undefined) {
    validateUint32(asked, "options.outputLength");
    if (!found.extendable && asked !== length) {
      const error: NodeError = new Error(
        `Output length ${asked} is invalid for ${algorithm}, which does not support XOF`,
      );
      error.code = "ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH";
      throw error;
    }
    length = asked;
  } else if (found.extendable) {
    warnLength();
  }
  if (typeof input === "string") {
    return code === undefined
      ? encoded(hashString(found.id, input, length), encoding)
      : hashStringText(found.id, input, length, code);
  }
  return code === undefined
    ? encoded(hashBytes(found.id, input, length), encoding)
    : hashBytesText(found.id, input, length, code);
}

export type { Hmacker };
export { Hash, Hmac, createHash, createHmac, hash };
