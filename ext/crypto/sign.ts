// Signatures of node:crypto (https://nodejs.org/api/crypto.html#class-sign), and RSA as a cipher.
import { findHash } from "internal/crypto/hashes";
import type { KeyHandle } from "internal/crypto/key_handle";
import { CONSUME_PRIVATE, CONSUME_PUBLIC, asymmetricKey } from "internal/crypto/keys";
import { makeLazyWritable } from "internal/crypto/lazy_transform";
import { asBuffer, bytesOf, isUtf8, opensslError, validateEncoding } from "internal/crypto/util";
import { codes } from "internal/core/errors";
import { asResource } from "internal/events/async_context";
import { validateFunction, validateString } from "internal/core/validators";

const ops = native("crypto");
const { isView } = ArrayBuffer;

const PSS = 6;
const OAEP = 4;
const PKCS1 = 1;
const NO_SALT = 1e9;
const SHA256 = 4;

/** Key types whose algorithm brings a hash function of its own. */
const OWN_HASH = /^(?:ed|ml-)/;

function intOption(options: unknown, name: string): number | undefined {
  const value = (options as { [name: string]: number } | undefined)?.[name];
  if (value === undefined) return undefined;
  if (value === value >> 0) return value;
  throw new codes.ERR_INVALID_ARG_VALUE(`options.${name}`, value);
}

/** Whether r and s are to stand one after the other instead of in DER. */
function isPlain(options: unknown): boolean {
  if (options === null || typeof options !== "object") return false;
  const { dsaEncoding = "der" } = options as { dsaEncoding?: unknown };
  if (dsaEncoding === "der") return false;
  if (dsaEncoding === "ieee-p1363") return true;
  throw new codes.ERR_INVALID_ARG_VALUE("options.dsaEncoding", dsaEncoding);
}

interface Settings {
  padding: number | undefined;
  salt: number | undefined;
  plain: boolean;
}

function settings(options: unknown): Settings {
  return { padding: intOption(options, "padding"), salt: intOption(options, "saltLength"), plain: isPlain(options) };
}

/** The list of numbers that native code takes. */
function numbers(hash: number, { padding, salt, plain }: Settings, digested: boolean): number[] {
  if (padding === OAEP) {
    throw opensslError(
      "1C8000A5",
      "Provider routines",
      "illegal or unsupported padding mode",
      "ERR_OSSL_ILLEGAL_OR_UNSUPPORTED_PADDING_MODE",
    );
  }
  return [hash, padding ?? 0, salt ?? (padding === PSS ? -2 : NO_SALT), digested ? 1 : 0, plain ? 1 : 0];
}

const unsupported = () => new codes.ERR_CRYPTO_UNSUPPORTED_OPERATION();

function notInitialised(): Error {
  const error: NodeError = new Error("Not initialised");
  error.code = "ERR_CRYPTO_INVALID_STATE";
  return error;
}

/** Hash functions that the library knows for signatures; others make digests for DSA and ECDSA, which take any. */
const MAX_SIGNING_HASH = 14;

/** The number of a hash function for a digest that is there. */
function digestHash(hash: number, handle: KeyHandle): number {
  return hash > MAX_SIGNING_HASH && (handle.info.name === "ec" || handle.info.name === "dsa") ? -1 : hash;
}

class Signer {
  #hash: number;
  /** Undefined once the digest was taken. */
  #state: Uint8Array | undefined;
  #length: number;
  _options: unknown;

  constructor(algorithm: string, options: unknown) {
    validateString(algorithm, "algorithm");
    // The name that SHA-1 had in signatures of DSA.
    const found = findHash(/^dss1$/i.test(algorithm) ? "sha1" : algorithm);
    if (found === undefined) {
      const error: NodeError = new TypeError("Invalid digest");
      error.code = "ERR_CRYPTO_INVALID_DIGEST";
      throw error;
    }
    this.#hash = found.id;
    this.#length = found.length;
    this.#state = ops.hashStart(found.id);
    this._options = options;
  }

  _write(chunk: Uint8Array, encoding: string, callback: () => void): void {
    this.update(chunk, encoding);
    callback();
  }

  /** Takes in a string (in an encoding) or a view. */
  update(data: string | ArrayBufferView, encoding?: string): this {
    if (this.#state === undefined) throw notInitialised();
    if (typeof data === "string") {
      if (isUtf8(encoding)) {
        ops.hashUpdateText(this.#hash, this.#state, data);
        return this;
      }
      validateEncoding(data, encoding);
      data = Buffer.from(data, encoding as BufferEncoding);
    } else if (!isView(data)) {
      throw new codes.ERR_INVALID_ARG_TYPE("data", ["string", "Buffer", "TypedArray", "DataView"], data);
    }
    ops.hashUpdate(this.#hash, this.#state, data);
    return this;
  }

  static digest(signer: Signer): [hash: number, digest: Uint8Array] {
    if (signer.#state === undefined) throw notInitialised();
    const digest = ops.hashFinish(signer.#hash, signer.#state, signer.#length);
    signer.#state = undefined;
    return [signer.#hash, digest];
  }
}

class SignImpl extends Signer {
  /** The signature as a Buffer, or as text. Throws ERR_CRYPTO_SIGN_KEY_REQUIRED. */
  sign(options: unknown, encoding?: string) {
    if (!options) throw new codes.ERR_CRYPTO_SIGN_KEY_REQUIRED();
    const handle = asymmetricKey(options, CONSUME_PRIVATE);
    const set = settings(options);
    if (OWN_HASH.test(handle.info.name)) throw unsupported();
    const [hash, digest] = Signer.digest(this);
    const out = asBuffer(ops.signSync(handle.data, numbers(digestHash(hash, handle), set, true), undefined, digest));
    return encoding && encoding !== "buffer" ? out.toString(encoding) : out;
  }
}

class VerifyImpl extends Signer {
  /** Whether a signature, as bytes or text in an encoding, is that of what was taken in. */
  verify(options: unknown, signature: unknown, encoding?: string): boolean {
    const isText = typeof options === "string";
    if (isText) signature = bytesOf(signature, "signature", encoding);
    const handle = asymmetricKey(options, CONSUME_PUBLIC);
    const set = settings(options);
    if (!isText) signature = bytesOf(signature, "signature", encoding);
    if (OWN_HASH.test(handle.info.name)) throw unsupported();
    const [hash, digest] = Signer.digest(this);
    return ops.verifySync(
      handle.data,
      numbers(digestHash(hash, handle), set, true),
      undefined,
      digest,
      signature as Native.Bytes,
    );
  }
}

/** crypto.Sign, which may be called without `new`. */
function Sign(algorithm: unknown, options?: unknown): unknown {
  return Reflect.construct(SignImpl, [algorithm, options], new.target ?? Sign);
}

/** crypto.Verify, the same. */
function Verify(algorithm: unknown, options?: unknown): unknown {
  return Reflect.construct(VerifyImpl, [algorithm, options], new.target ?? Verify);
}

for (const [outer, inner] of [
  [Sign, SignImpl],
  [Verify, VerifyImpl],
] as [outer: { prototype: object }, inner: { prototype: object }][]) {
  outer.prototype = inner.prototype;
  Object.defineProperty(outer.prototype, "constructor", { value: outer, configurable: true, writable: true });
  Object.defineProperty(outer, "length", { value: 2, configurable: true });
  for (const name of ["update", "_write"]) {
    Object.defineProperty(outer.prototype, name, {
      value: (Signer.prototype as unknown as Record<string, unknown>)[name],
      configurable: true,
      writable: true,
    });
  }
  makeLazyWritable(outer.prototype);
}

/** crypto.createSign(): throws ERR_CRYPTO_INVALID_DIGEST for an unknown hash function. */
function createSign(algorithm: string, options?: unknown): SignImpl {
  return new SignImpl(algorithm, options);
}

/** crypto.createVerify(), the same. */
function createVerify(algorithm: string, options?: unknown): VerifyImpl {
  return new VerifyImpl(algorithm, options);
}

/** The hash of crypto.sign() and verify() for a key: -1 where the algorithm has its own. */
function hashFor(algorithm: unknown, handle: KeyHandle): number {
  const { name } = handle.info;
  if (name === "x25519" || name === "x448" || name === "dh" || name.startsWith("ml-kem")) {
    throw opensslError(
      "03000096",
      "digital envelope routines",
      "operation not supported for this keytype",
      "ERR_OSSL_EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE",
    );
  }
  if (OWN_HASH.test(name)) {
    if (algorithm != null)
      throw opensslError("1C80007A", "Provider routines", "invalid digest", "ERR_OSSL_INVALID_DIGEST");
    return -1;
  }
  if (algorithm == null) return SHA256;
  const found = findHash(algorithm as string);
  if (found === undefined) throw new codes.ERR_CRYPTO_INVALID_DIGEST(algorithm);
  return found.id;
}

function contextOf(key: unknown): ArrayBufferView | undefined {
  const context = (key as { context?: unknown } | null | undefined)?.context;
  if (context !== undefined && !isView(context)) {
    throw new codes.ERR_INVALID_ARG_TYPE("context", ["Buffer", "TypedArray", "DataView"], context);
  }
  return context;
}

/**
 * crypto.sign(): the signature of data, or with a callback (error, signature) later, made by another thread.
 * @param algorithm a hash function; null or undefined for keys that bring their own
 */
function sign(algorithm: unknown, data: unknown, key: unknown, callback?: unknown) {
  if (algorithm != null) validateString(algorithm, "algorithm");
  if (callback !== undefined) validateFunction(callback, "callback");
  data = bytesOf(data, "data");
  if (!key) throw new codes.ERR_CRYPTO_SIGN_KEY_REQUIRED();
  const set = settings(key);
  const context = contextOf(key);
  const handle = asymmetricKey(key, CONSUME_PRIVATE);
  if (callback === undefined)
    return asBuffer(
      ops.signSync(handle.data, numbers(hashFor(algorithm, handle), set, false), context, data as Native.Bytes),
    );
  let options;
  try {
    options = numbers(hashFor(algorithm, handle), set, false);
  } catch (error) {
    if ((error as NodeError).code === "ERR_CRYPTO_INVALID_DIGEST") throw error;
    process.nextTick(callback, error);
    return;
  }
  const done = asResource(callback, "SIGNREQUEST");
  ops.signLater(handle.data, options, context, data as Native.Bytes, (error: Error | undefined, out: Uint8Array) =>
    error ? done(error) : done(null, asBuffer(out)),
  );
}

/** crypto.verify(): whether a signature is that of data, or with a callback (error, result) later. */
function verify(
  algorithm: unknown,
  data: unknown,
  key: unknown,
  signature: ArrayBuffer | SharedArrayBuffer | ArrayBufferView,
  callback?: unknown,
) {
  if (algorithm != null) validateString(algorithm, "algorithm");
  if (callback !== undefined) validateFunction(callback, "callback");
  data = bytesOf(data, "data");
  if (!isView(data) && !(data instanceof ArrayBuffer) && !(data instanceof SharedArrayBuffer)) {
    throw new codes.ERR_INVALID_ARG_TYPE("data", ["Buffer", "TypedArray", "DataView"], data);
  }
  const set = settings(key);
  const context = contextOf(key);
  if (!isView(signature) && !(signature instanceof ArrayBuffer)) {
    throw new codes.ERR_INVALID_ARG_TYPE("signature", ["Buffer", "TypedArray", "DataView"], signature);
  }
  const handle = asymmetricKey(key, CONSUME_PUBLIC);
  if (callback === undefined) {
    return ops.verifySync(handle.data, numbers(hashFor(algorithm, handle), set, false), context, data, signature);
  }
  let options;
  try {
    options = numbers(hashFor(algorithm, handle), set, false);
  } catch (error) {
    if ((error as NodeError).code === "ERR_CRYPTO_INVALID_DIGEST") throw error;
    process.nextTick(callback, error);
    return;
  }
  const done = asResource(callback, "SIGNREQUEST");
  ops.verifyLater(handle.data, options, context, data, signature, (error: Error | undefined, good: boolean) =>
    error ? done(error) : done(null, good),
  );
}

const invalidHash = () =>
  opensslError("03000098", "digital envelope routines", "invalid digest", "ERR_OSSL_EVP_INVALID_DIGEST");

/** Options beside those that say how the key is written. */
interface RsaOptions {
  padding?: number;
  oaepHash?: string;
  oaepLabel?: unknown;
  /** Of the data and the label, where they are text. */
  encoding?: string;
}

/** A function of RSA: its number for native code, its usual padding, which half of the key it takes. */
function rsaFunction(operation: number, usual: number, context: number) {
  return (key: unknown, data: unknown): Buffer => {
    const { oaepHash, encoding } = (key ?? {}) as RsaOptions;
    const padding = (key as RsaOptions | null | undefined)?.padding || usual;
    if (typeof oaepHash === "string" && padding === OAEP && findHash(oaepHash) === undefined) throw invalidHash();
    // What can be told without reading the key comes first.
    let { oaepLabel } = (key ?? {}) as RsaOptions;
    if (oaepHash !== undefined) validateString(oaepHash, "key.oaepHash");
    if (oaepLabel !== undefined) oaepLabel = bytesOf(oaepLabel, "key.oaepLabel", encoding);
    data = bytesOf(data, "buffer", encoding);
    const handle = asymmetricKey(key, context);
    const found = findHash(oaepHash ?? "sha1");
    if (!handle.info.name.startsWith("rsa")) {
      throw opensslError(
        "03000096",
        "digital envelope routines",
        "operation not supported for this keytype",
        "ERR_OSSL_EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE",
      );
    }
    const hash = padding === OAEP ? found!.id : 0;
    return asBuffer(
      ops.rsaCryptSync(
        handle.data,
        [operation, padding, hash, hash],
        oaepLabel as Native.Bytes | undefined,
        data as Native.Bytes,
      ),
    );
  };
}

const publicEncrypt = rsaFunction(0, OAEP, CONSUME_PUBLIC);
const privateDecrypt = rsaFunction(1, OAEP, CONSUME_PRIVATE);
const privateEncrypt = rsaFunction(2, PKCS1, CONSUME_PRIVATE);
const publicDecrypt = rsaFunction(3, PKCS1, CONSUME_PUBLIC);

/** crypto.encapsulate(): a shared secret and the ciphertext that carries it, for a public key of ML-KEM. */
function encapsulate(key: unknown, callback?: unknown): unknown {
  return mechanism(asymmetricKey(key, CONSUME_PUBLIC), callback, (data) => {
    const [ciphertext, sharedKey] = ops.keyEncapsulate(data);
    return { sharedKey: asBuffer(sharedKey), ciphertext: asBuffer(ciphertext) };
  });
}

/** crypto.decapsulate(): the shared secret in a ciphertext. */
function decapsulate(key: unknown, ciphertext: unknown, callback?: unknown): unknown {
  const handle = asymmetricKey(key, CONSUME_PRIVATE);
  ciphertext = bytesOf(ciphertext, "ciphertext");
  return mechanism(handle, callback, (data) => asBuffer(ops.keyDecapsulate(data, ciphertext as Native.Bytes)));
}

function mechanism(handle: KeyHandle, callback: unknown, run: (data: Native.Key) => unknown): unknown {
  if (callback !== undefined) validateFunction(callback, "callback");
  const wrong = !handle.info.name.startsWith("ml-kem");
  const failed = () =>
    opensslError(
      "03000096",
      "digital envelope routines",
      "operation not supported for this keytype",
      "ERR_OSSL_EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE",
    );
  if (callback === undefined) {
    if (wrong) throw failed();
    return run(handle.data);
  }
  // Some tens of microseconds: not worth another thread.
  let result: unknown;
  try {
    if (wrong) throw failed();
    result = run(handle.data);
  } catch (error) {
    setImmediate(callback, error);
    return;
  }
  setImmediate(callback, null, result);
}

export {
  Sign,
  Verify,
  createSign,
  createVerify,
  decapsulate,
  encapsulate,
  privateDecrypt,
  privateEncrypt,
  publicDecrypt,
  publicEncrypt,
  sign,
  verify,
};
