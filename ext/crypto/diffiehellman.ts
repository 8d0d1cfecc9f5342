// Diffie-Hellman of node:crypto, on numbers and on elliptic curves (https://nodejs.org/api/crypto.html#class-diffiehellman).
import type { KeyHandle } from "internal/crypto/key_handle";
import { handleOf } from "internal/crypto/keys";
import { asBuffer, bytesOf, opensslError } from "internal/crypto/util";
import { codes } from "internal/core/errors";
import { asResource } from "internal/events/async_context";
import { isAnyArrayBuffer } from "internal/util/types";
import { validateFunction, validateInt32, validateObject, validateString } from "internal/core/validators";

const ops = native("crypto");
const { isView } = ArrayBuffer;

/** Bits of the smallest prime that OpenSSL makes. */
const MIN_PRIME = 512;

const encode = (bytes: Buffer, encoding: string | undefined) =>
  encoding && encoding !== "buffer" ? bytes.toString(encoding) : bytes;

/** The short groups of RFC 2409; the longer ones of RFC 3526 are in the library. */
const modp1 =
  "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404ddef9519b3cd3a431b" +
  "302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a6";
const shortGroups: Record<string, string> = {
  __proto__: null as never,
  modp1: `${modp1}3a3620ffffffffffffffff`,
  modp2: `${modp1}37ed6b0bff5cb6f406b7edee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff`,
};
const longGroups: Record<string, number> = {
  __proto__: null as never,
  modp5: 1536,
  modp14: 2048,
  modp15: 3072,
  modp16: 4096,
  modp17: 6144,
  modp18: 8192,
};

/** The prime of a group by its name, or undefined; the generator of all is 2. */
export function groupPrime(name: string): Buffer | undefined {
  const key = name.toLowerCase();
  if (shortGroups[key] !== undefined) return Buffer.from(shortGroups[key]!, "hex");
  return longGroups[key] === undefined ? undefined : asBuffer(ops.dhKnownPrime(longGroups[key]));
}

/** The bytes of a number without leading zeros. */
function trimmed(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return bytes.subarray(start);
}

class Exchange {
  #prime: Buffer;
  #generator: Buffer;
  #private: Buffer | undefined = undefined;
  #public: Buffer | undefined = undefined;

  constructor(prime: Buffer, generator: Buffer) {
    this.#prime = prime;
    this.#generator = generator;
  }

  /** The `DH_…` flags of what is wrong with the prime and the generator; 0 for nothing. */
  get verifyError(): number {
    return ops.dhCheck(this.#prime, this.#generator);
  }

  /** Makes the private key unless there is one, and the public one; gives the latter. */
  generateKeys(encoding?: string) {
    const [priv, pub] = ops.dhGenerate(this.#prime, this.#generator, this.#private ?? Buffer.alloc(0));
    this.#private ??= asBuffer(priv);
    this.#public = asBuffer(pub);
    return encode(this.#public!, encoding);
  }

  /** The secret shared with the owner of another public key. Throws ERR_CRYPTO_INVALID_KEYLEN. */
  computeSecret(otherKey: unknown, inputEncoding?: string, outputEncoding?: string) {
    const other = bytesOf(otherKey, "otherPublicKey", inputEncoding);
    if (this.#private === undefined) {
      throw opensslError("02800064", "Diffie-Hellman routines", "no private value", "ERR_OSSL_DH_NO_PRIVATE_VALUE");
    }
    const [wrong, secret] = ops.dhCompute(this.#prime, this.#private, other);
    if (wrong !== 0) {
      const error: NodeError = new RangeError(`Supplied key is too ${wrong === 1 ? "small" : "large"}`);
      error.code = "ERR_CRYPTO_INVALID_KEYLEN";
      throw error;
    }
    return encode(asBuffer(secret), outputEncoding);
  }

  getPrime(encoding?: string) {
    return encode(Buffer.from(this.#prime), encoding);
  }

  getGenerator(encoding?: string) {
    return encode(Buffer.from(this.#generator), encoding);
  }

  getPublicKey(encoding?: string) {
    return encode(needed(this.#public, "public"), encoding);
  }

  getPrivateKey(encoding?: string) {
    return encode(needed(this.#private, "private"), encoding);
  }

  static set(exchange: Exchange, which: "public" | "private", key: Buffer): void {
    if (which === "public") exchange.#public = key;
    else exchange.#private = trimmed(key);
  }
}

function needed(key: Buffer | undefined, which: string): Buffer {
  if (key === undefined) {
    const error: NodeError = new Error(`No ${which} key - did you forget to generate one?`);
    error.code = "ERR_CRYPTO_INVALID_STATE";
    throw error;
  }
  return Buffer.from(key);
}

class OpenExchange extends Exchange {
  setPublicKey(key: unknown, encoding?: string): this {
    Exchange.set(this, "public", Buffer.from(bytesOf(key, "key", encoding)));
    return this;
  }

  setPrivateKey(key: unknown, encoding?: string): this {
    Exchange.set(this, "private", Buffer.from(bytesOf(key, "key", encoding)));
    return this;
  }
}

const view = (value: Native.Bytes): Buffer =>
  isView(value) ? Buffer.from(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength) : Buffer.from(value);

function openExchange(
  target: unknown,
  sizeOrKey: unknown,
  keyEncoding: unknown,
  generator: unknown,
  genEncoding: unknown,
): OpenExchange {
  if (
    typeof sizeOrKey !== "number" &&
    typeof sizeOrKey !== "string" &&
    !isView(sizeOrKey) &&
    !isAnyArrayBuffer(sizeOrKey)
  ) {
    throw new codes.ERR_INVALID_ARG_TYPE(
      "sizeOrKey",
      ["number", "string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"],
      sizeOrKey,
    );
  }
  if (typeof sizeOrKey === "number") validateInt32(sizeOrKey, "sizeOrKey");
  if (keyEncoding && !Buffer.isEncoding(keyEncoding) && keyEncoding !== "buffer") {
    genEncoding = generator;
    generator = keyEncoding;
    keyEncoding = false;
  }
  const encoding = (keyEncoding || "buffer") as string;
  const genEnc = (genEncoding || "buffer") as string;
  let key = sizeOrKey;
  if (typeof sizeOrKey !== "number") key = view(bytesOf(sizeOrKey, "sizeOrKey", encoding));
  if (!generator) generator = 2;
  else if (typeof generator === "number") validateInt32(generator, "generator");
  else if (typeof generator === "string") generator = view(bytesOf(generator, "generator", genEnc));
  else if (!isView(generator) && !isAnyArrayBuffer(generator)) {
    throw new codes.ERR_INVALID_ARG_TYPE(
      "generator",
      ["number", "string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"],
      generator,
    );
  } else generator = view(generator);
  const badGenerator = () =>
    opensslError("02800065", "Diffie-Hellman routines", "bad generator", "ERR_OSSL_DH_BAD_GENERATOR");
  let base: Buffer;
  if (typeof generator === "number") {
    if (generator < 2) throw badGenerator();
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(generator);
    base = trimmed(bytes);
  } else {
    base = trimmed(generator as Buffer);
    if (base.length === 0 || (base.length === 1 && base[0] === 1)) throw badGenerator();
  }
  if (typeof key === "number") {
    if (typeof generator !== "number") {
      const error: NodeError = new TypeError("Second argument must be an int32");
      error.code = "ERR_INVALID_ARG_TYPE";
      throw error;
    }
    if (key < 2) {
      throw opensslError("0280007E", "Diffie-Hellman routines", "modulus too small", "ERR_OSSL_DH_MODULUS_TOO_SMALL");
    }
    if (key < MIN_PRIME) {
      const error: NodeError = new TypeError("Invalid DH parameters");
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    key = asBuffer(ops.dhPrime(key, generator));
  }
  return Reflect.construct(
    OpenExchange,
    [Buffer.from(key as Buffer), Buffer.from(base)],
    target as typeof OpenExchange,
  );
}

/** crypto.DiffieHellman(prime[, encoding], generator[, encoding]) or (bits, generator); may be called without `new`. */
function DiffieHellman(
  this: unknown,
  sizeOrKey: unknown,
  keyEncoding?: unknown,
  generator?: unknown,
  genEncoding?: unknown,
): OpenExchange {
  return openExchange(new.target ?? DiffieHellman, sizeOrKey, keyEncoding, generator, genEncoding);
}

/** crypto.DiffieHellmanGroup(): of a prime with a name. Throws ERR_CRYPTO_UNKNOWN_DH_GROUP. */
function DiffieHellmanGroup(this: unknown, name: string): Exchange {
  const prime = groupPrime(`${name}`);
  if (prime === undefined) throw new codes.ERR_CRYPTO_UNKNOWN_DH_GROUP();
  return Reflect.construct(Exchange, [prime, Buffer.from([2])], new.target ?? DiffieHellmanGroup);
}

const shared = ["generateKeys", "computeSecret", "getPrime", "getGenerator", "getPublicKey", "getPrivateKey"];
for (const [outer, names] of [
  [DiffieHellman, [...shared, "setPublicKey", "setPrivateKey"]],
  [DiffieHellmanGroup, shared],
] as [outer: { prototype: object }, names: string[]][]) {
  for (const name of names) {
    Object.defineProperty(outer.prototype, name, {
      value: (OpenExchange.prototype as unknown as Record<string, unknown>)[name],
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  Object.defineProperty(outer.prototype, "verifyError", {
    ...Object.getOwnPropertyDescriptor(Exchange.prototype, "verifyError"),
    enumerable: true,
  });
}
Object.defineProperty(DiffieHellman, "length", { value: 4, configurable: true });
Object.defineProperty(DiffieHellmanGroup, "length", { value: 1, configurable: true });

function createDiffieHellman(
  sizeOrKey: unknown,
  keyEncoding?: unknown,
  generator?: unknown,
  genEncoding?: unknown,
): OpenExchange {
  return new (DiffieHellman as unknown as new (...values: unknown[]) => OpenExchange)(
    sizeOrKey,
    keyEncoding,
    generator,
    genEncoding,
  );
}

/** crypto.getDiffieHellman() and createDiffieHellmanGroup() */
function getDiffieHellman(name: string): Exchange {
  return new (DiffieHellmanGroup as unknown as new (name: string) => Exchange)(name);
}

function createDiffieHellmanGroup(name: string): Exchange {
  return new (DiffieHellmanGroup as unknown as new (name: string) => Exchange)(name);
}

// -----------------------------------------------------------------------------------------------------------------------
// Elliptic curves

const forms: Record<string, number> = { compressed: 2, uncompressed: 4, hybrid: 6 };

function formOf(format: string | undefined): number {
  if (!format) return 4;
  const form = forms[format];
  if (form === undefined) throw new codes.ERR_CRYPTO_ECDH_INVALID_FORMAT(format);
  return form;
}

/** crypto.ECDH(): throws ERR_CRYPTO_INVALID_CURVE. */
class ECDHImpl {
  #curve: string;
  #private: Buffer | undefined = undefined;
  #public: Buffer | undefined = undefined;

  constructor(curve: string) {
    validateString(curve, "curve");
    ops.ecdhConvert(curve, new Uint8Array(0), 4);
    this.#curve = curve;
  }

  /** Makes a new pair, and gives its public key. */
  generateKeys(encoding?: string, format?: string): unknown {
    const [priv, pub] = ops.ecdhGenerate(this.#curve, new Uint8Array(0));
    this.#private = asBuffer(priv);
    this.#public = asBuffer(pub);
    return this.getPublicKey(encoding, format);
  }

  /** The secret shared with the owner of another public key. Throws ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY. */
  computeSecret(otherKey: unknown, inputEncoding?: string, outputEncoding?: string) {
    const other = bytesOf(otherKey, "otherPublicKey", inputEncoding);
    if (this.#private === undefined || this.#public === undefined) throw new codes.ERR_CRYPTO_INVALID_KEYPAIR();
    const expected = ops.ecdhGenerate(this.#curve, this.#private)[1];
    if (expected === undefined || !this.#public.equals(expected)) throw new codes.ERR_CRYPTO_INVALID_KEYPAIR();
    const secret = ops.ecdhCompute(this.#curve, this.#private, other);
    if (secret === undefined) throw new codes.ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY();
    return encode(asBuffer(secret), outputEncoding);
  }

  getPublicKey(encoding?: string, format?: string) {
    const form = formOf(format);
    if (this.#public === undefined) throw failed("Failed to get ECDH public key");
    return encode(asBuffer(ops.ecdhConvert(this.#curve, this.#public, form)!), encoding);
  }

  getPrivateKey(encoding?: string) {
    if (this.#private === undefined) throw failed("Failed to get ECDH private key");
    return encode(Buffer.from(this.#private), encoding);
  }

  setPrivateKey(key: unknown, encoding?: string): void {
    const bytes = bytesOf(key, "key", encoding);
    const pair = bytes.byteLength === 0 ? [] : ops.ecdhGenerate(this.#curve, bytes);
    if (pair.length === 0) {
      const error: NodeError = new RangeError("Private key is not valid for specified curve.");
      error.code = "ERR_CRYPTO_INVALID_KEYTYPE";
      throw error;
    }
    this.#private = asBuffer(pair[0]!);
    this.#public = asBuffer(pair[1]!);
  }

  /** Deprecated. */
  setPublicKey(key: unknown, encoding?: string): void {
    const bytes = bytesOf(key, "key", encoding);
    const point = ops.ecdhConvert(this.#curve, bytes, 4);
    if (point === undefined) throw failed("Failed to convert Buffer to EC_POINT");
    this.#public = asBuffer(point);
  }
}

function failed(message: string): Error {
  const error: NodeError = new Error(message);
  error.code = "ERR_CRYPTO_OPERATION_FAILED";
  return error;
}

function ECDH(this: unknown, curve: unknown): ECDHImpl {
  return Reflect.construct(ECDHImpl, [curve], new.target ?? ECDH);
}
ECDH.prototype = ECDHImpl.prototype;
Object.defineProperty(ECDH.prototype, "constructor", { value: ECDH, configurable: true, writable: true });

/** crypto.ECDH.convertKey(): a public key in another form. */
ECDH.convertKey = function convertKey(key: unknown, curve: string, inEnc?: string, outEnc?: string, format?: string) {
  validateString(curve, "curve");
  const bytes = bytesOf(key, "key", inEnc || "buffer");
  const form = formOf(format);
  const point = ops.ecdhConvert(curve, bytes, form);
  if (point === undefined) throw failed("Failed to convert Buffer to EC_POINT");
  return encode(asBuffer(point), outEnc);
};

ECDH.prototype.setPublicKey = require("internal/core/util").deprecate(
  ECDHImpl.prototype.setPublicKey,
  "ecdh.setPublicKey() is deprecated.",
  "DEP0031",
);

function createECDH(curve: unknown): ECDHImpl {
  return new (ECDH as unknown as new (curve: unknown) => ECDHImpl)(curve);
}

let curveNames: string[] | undefined;

/** crypto.getCurves(): the names that createECDH() takes. */
function getCurves(): string[] {
  return [...(curveNames ??= ops.curveNames() as string[])];
}

// -----------------------------------------------------------------------------------------------------------------------
// Keys as objects

const exchangeable = /^(?:dh|ec|x25519|x448)$/;

/** crypto.diffieHellman({ privateKey, publicKey }): the shared secret, or with a callback (error, secret) later. */
function diffieHellman(options: unknown, callback?: unknown) {
  validateObject(options, "options");
  if (callback !== undefined) validateFunction(callback, "callback");
  const { privateKey, publicKey } = options;
  const mine = keyOf(privateKey, "options.privateKey");
  const other = keyOf(publicKey, "options.publicKey");
  if (mine.type !== "private") throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(mine.type, "private");
  if (other.type !== "public" && other.type !== "private") {
    throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(other.type, "private or public");
  }
  const one = mine.info.name;
  const two = other.info.name;
  if (one !== two || !exchangeable.test(one)) {
    throw new codes.ERR_CRYPTO_INCOMPATIBLE_KEY("key types for Diffie-Hellman", `${one} and ${two}`);
  }
  if (callback === undefined) return asBuffer(ops.keyDerive(mine.data, other.data));
  const done = asResource(callback, "DERIVEBITSREQUEST");
  ops.keyDeriveLater(mine.data, other.data, (error: Error | undefined, secret: Uint8Array) =>
    error ? done(error) : done(null, asBuffer(secret)),
  );
}

function keyOf(value: unknown, name: string): KeyHandle {
  const { isKeyObject } = require("internal/crypto/keys");
  if (!isKeyObject(value)) throw new codes.ERR_INVALID_ARG_VALUE(name, value);
  return handleOf(value)!;
}

export {
  DiffieHellman,
  DiffieHellmanGroup,
  ECDH,
  createDiffieHellman,
  createDiffieHellmanGroup,
  createECDH,
  diffieHellman,
  getCurves,
  getDiffieHellman,
};
