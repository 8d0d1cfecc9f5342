// KeyObject of node:crypto (https://nodejs.org/api/crypto.html#class-keyobject), and the ways in which keys are passed to
// its functions.
import { KeyHandle, curves, ecFromJwk, okpFromJwk, rsaFromJwk, toJwk, type KeyType } from "internal/crypto/key_handle";
import { asBuffer, bytesOf } from "internal/crypto/util";
import type { Jwk } from "internal/crypto/types";
import { codes } from "internal/core/errors";
import { kClone, type Packed } from "internal/worker/messaging/hooks";
import { isAnyArrayBuffer } from "internal/util/types";
import { validateObject, validateOneOf, validateString } from "internal/core/validators";
import {
  KEY_ENCODING_PKCS1,
  KEY_ENCODING_PKCS8,
  KEY_ENCODING_SEC1,
  KEY_ENCODING_SPKI,
} from "internal/crypto/native_constants";

const ops = native("crypto");
const { isView } = ArrayBuffer;

let handleOfKey: (key: KeyObject) => KeyHandle;

export class KeyObject {
  #handle: KeyHandle;

  static {
    handleOfKey = (key) => key.#handle;
  }

  /** For this module. Programs use createSecretKey() and the like. */
  constructor(type: string, handle: KeyHandle) {
    if (type !== "secret" && type !== "public" && type !== "private")
      throw new codes.ERR_INVALID_ARG_VALUE("type", type);
    if (!(handle instanceof KeyHandle)) throw new codes.ERR_INVALID_ARG_TYPE("handle", "object", handle);
    this.#handle = handle;
  }

  /** The key of a CryptoKey. */
  static from(key: unknown): KeyObject {
    const handle = cryptoKeyHandle(key);
    if (handle === undefined) throw new codes.ERR_INVALID_ARG_TYPE("key", "CryptoKey", key);
    return keyObject(handle);
  }

  /** "secret", "public" or "private" */
  get type(): string {
    return this.#handle.type;
  }

  get [Symbol.toStringTag](): string {
    return "KeyObject";
  }

  [kClone](): Packed {
    return require("internal/crypto/key_clone").packKey(this);
  }

  /** Whether two keys are of the same type and have the same value and parameters. */
  equals(other: KeyObject): boolean {
    if (!isKeyObject(other)) throw new codes.ERR_INVALID_ARG_TYPE("otherKeyObject", "KeyObject", other);
    return this.#handle.equals(other.#handle);
  }
}

export function isKeyObject(value: unknown): value is KeyObject {
  return value instanceof KeyObject;
}

/** The handle of a CryptoKey; undefined for anything else. */
function cryptoKeyHandle(value: unknown): KeyHandle | undefined {
  if (value === null || typeof value !== "object") return undefined;
  const { isCryptoKey } = require("internal/util/types");
  return isCryptoKey(value) ? require("internal/crypto/crypto_key").internalsOf(value).handle : undefined;
}

/** The handle of a KeyObject or CryptoKey; undefined for anything else. */
export function handleOf(value: unknown): KeyHandle | undefined {
  if (value === null || typeof value !== "object" || isView(value)) return undefined;
  return isKeyObject(value) ? handleOfKey(value) : cryptoKeyHandle(value);
}

/** A KeyObject of a handle. */
export function keyObject(handle: KeyHandle): KeyObject {
  if (handle.type === "secret") return new SecretKeyObject("secret", handle);
  return handle.type === "public" ? new PublicKeyObject("public", handle) : new PrivateKeyObject("private", handle);
}

export class SecretKeyObject extends KeyObject {
  /** Bytes of the key. */
  get symmetricKeySize(): number {
    return handleOfKey(this).data.length;
  }

  /** A Buffer of the key, or a JSON Web Key with `{ format: "jwk" }`. */
  export(options?: unknown): unknown {
    const handle = handleOfKey(this);
    if (options !== undefined) {
      validateObject(options, "options");
      validateOneOf(options.format, "options.format", [undefined, "buffer", "jwk"]);
      if (options.format === "jwk") return toJwk(handle);
    }
    return Buffer.from(handle.data);
  }

  /** The same key for WebCrypto, as importKey() would make it. */
  toCryptoKey(algorithm: unknown, extractable: unknown, usages: unknown): unknown {
    return require("internal/crypto/subtle/main").fromKeyHandle(handleOfKey(this), algorithm, extractable, usages);
  }
}

const lowerHashes: Record<string, string> = {
  __proto__: null as never,
  "2b0e03021a": "sha1",
  "608648016503040204": "sha224",
  "608648016503040201": "sha256",
  "608648016503040202": "sha384",
  "608648016503040203": "sha512",
  "608648016503040205": "sha512-224",
  "608648016503040206": "sha512-256",
  "2a864886f70d0205": "md5",
};

/** The parameters in the SPKI form of an RSA-PSS key (RFC 4055); undefined where it has none. */
function pssParameters(key: Native.Key) {
  const der = Buffer.from(ops.keyExportPublic(key, false, KEY_ENCODING_SPKI));
  let at = 0;
  // The next element: its tag and where its content starts and ends.
  const read = () => {
    const tag = der[at++]!;
    let length = der[at++]!;
    if (length & 0x80) {
      let count = length & 0x7f;
      length = 0;
      while (count-- > 0) length = length * 256 + der[at++]!;
    }
    return { tag, start: at, end: at + length };
  };
  read(); // SubjectPublicKeyInfo
  const algorithm = read();
  const oid = read();
  at = oid.end;
  if (at >= algorithm.end) return undefined;
  const sequence = read();
  if (sequence.tag !== 0x30) return undefined;
  const found = { hashAlgorithm: "sha1", mgf1HashAlgorithm: "sha1", saltLength: 20 };
  const hashName = () => {
    read();
    const id = read();
    return lowerHashes[der.toString("hex", id.start, id.end)] ?? "";
  };
  while (at < sequence.end) {
    const { tag, end } = read();
    if (tag === 0xa0) found.hashAlgorithm = hashName();
    else if (tag === 0xa1) {
      read();
      const mask = read();
      at = mask.end;
      found.mgf1HashAlgorithm = hashName();
    } else if (tag === 0xa2) {
      const number = read();
      found.saltLength = der.readUIntBE(number.start, number.end - number.start);
    }
    at = end;
  }
  return found;
}

function bigint(bytes: Uint8Array): bigint {
  const hex = Buffer.from(bytes).toString("hex");
  return hex === "" ? 0n : BigInt(`0x${hex}`);
}

interface KeyDetails {
  modulusLength?: number;
  publicExponent?: bigint;
  divisorLength?: number;
  namedCurve?: string;
  hashAlgorithm?: string;
  mgf1HashAlgorithm?: string;
  saltLength?: number;
}

/** Details that were made once per handle. */
const detailsOf = new WeakMap<KeyHandle, KeyDetails>();

class AsymmetricKeyObject extends KeyObject {
  /** "rsa", "rsa-pss", "dsa", "dh", "ec", "ed25519", "x25519", "ed448", "x448", "ml-dsa-44" … */
  get asymmetricKeyType(): string {
    return handleOfKey(this).info.name;
  }

  /** The parameters: modulusLength and publicExponent of RSA, namedCurve of EC, and so on. */
  get asymmetricKeyDetails(): KeyDetails {
    const handle = handleOfKey(this);
    let details = detailsOf.get(handle);
    if (details === undefined) {
      const { name, bits, divisorBits, curve, exponent } = handle.info;
      if (name === "rsa") details = { modulusLength: bits, publicExponent: bigint(exponent!) };
      else if (name === "rsa-pss")
        details = { modulusLength: bits, publicExponent: bigint(exponent!), ...pssParameters(handle.data) };
      else if (name === "dsa") details = { modulusLength: bits, divisorLength: divisorBits };
      else if (name === "ec") details = { namedCurve: curve };
      else details = {};
      detailsOf.set(handle, details);
    }
    return { ...details };
  }

  /** The same key for WebCrypto, as importKey() would make it. */
  toCryptoKey(algorithm: unknown, extractable: unknown, usages: unknown): unknown {
    return require("internal/crypto/subtle/main").fromKeyHandle(handleOfKey(this), algorithm, extractable, usages);
  }
}

function exportJwk(handle: KeyHandle): Jwk {
  // WebCrypto has a form for these, node:crypto has none.
  if (handle.type !== "secret" && handle.info.name.startsWith("ml-kem"))
    throw new codes.ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE();
  const jwk = toJwk(handle);
  if (jwk !== undefined) return jwk;
  if (handle.info.name === "ec") throw new codes.ERR_CRYPTO_JWK_UNSUPPORTED_CURVE(handle.info.curve);
  throw new codes.ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE();
}

/** An encoding that was checked, as text or bytes. */
export function exportHandle(handle: KeyHandle, encoding: Encoding): string | Buffer | Jwk {
  if (encoding.format === "jwk") return exportJwk(handle);
  const pem = encoding.format === "pem";
  const bytes =
    handle.type === "public"
      ? ops.keyExportPublic(handle.data, pem, encoding.type!)
      : ops.keyExportPrivate(handle.data, pem, encoding.type!, encoding.cipher, encoding.passphrase);
  return pem ? asBuffer(bytes).latin1Slice() : asBuffer(bytes);
}

export class PublicKeyObject extends AsymmetricKeyObject {
  /** The key as PEM text, DER bytes or a JSON Web Key; options: format, type ("pkcs1" or "spki"). */
  export(options?: { format?: string } | null): unknown {
    const handle = handleOfKey(this);
    if (options && options.format === "jwk") return exportJwk(handle);
    return exportHandle(handle, parseKeyEncoding(options, handle.info.name, true, undefined));
  }
}

class PrivateKeyObject extends AsymmetricKeyObject {
  /** The same; options also type ("pkcs1", "pkcs8" or "sec1"), cipher and passphrase. */
  export(options?: { format?: string; passphrase?: unknown } | null): unknown {
    const handle = handleOfKey(this);
    if (options && options.format === "jwk") {
      if (options.passphrase !== undefined) {
        throw new codes.ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS("jwk", "does not support encryption");
      }
      return exportJwk(handle);
    }
    return exportHandle(handle, parseKeyEncoding(options, handle.info.name, false, undefined));
  }
}

// -----------------------------------------------------------------------------------------------------------------------
// Encodings

export interface Encoding {
  format: string;
  type: number | undefined;
  cipher?: string;
  passphrase?: Native.Bytes;
}

const encodingNames: Record<number, string> = {
  [KEY_ENCODING_PKCS1]: "pkcs1",
  [KEY_ENCODING_PKCS8]: "pkcs8",
  [KEY_ENCODING_SEC1]: "sec1",
  [KEY_ENCODING_SPKI]: "spki",
};

const option = (name: string, owner: string | undefined) =>
  owner === undefined ? `options.${name}` : `options.${owner}.${name}`;

function parseFormat(format: unknown, fallback: string | undefined, name: string): string {
  if (format === undefined && fallback !== undefined) return fallback;
  if (format === "pem" || format === "der" || format === "jwk") return format;
  throw new codes.ERR_INVALID_ARG_VALUE(name, format);
}

function parseType(
  type: unknown,
  required: boolean,
  keyType: string | undefined,
  isPublic: boolean | undefined,
  name: string,
): number | undefined {
  if (type === undefined && !required) return undefined;
  if (type === "pkcs1") {
    if (keyType !== undefined && keyType !== "rsa") {
      throw new codes.ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS(type, "can only be used for RSA keys");
    }
    return KEY_ENCODING_PKCS1;
  }
  if (type === "spki" && isPublic !== false) return KEY_ENCODING_SPKI;
  if (type === "pkcs8" && isPublic !== true) return KEY_ENCODING_PKCS8;
  if (type === "sec1" && isPublic !== true) {
    if (keyType !== undefined && keyType !== "ec") {
      throw new codes.ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS(type, "can only be used for EC keys");
    }
    return KEY_ENCODING_SEC1;
  }
  throw new codes.ERR_INVALID_ARG_VALUE(name, type);
}

const isStringOrBuffer = (value: unknown) => typeof value === "string" || isView(value) || isAnyArrayBuffer(value);

/** Checks how a key is to be read (without a key type) or written. `owner` is the option that holds these, for messages. */
export function parseKeyEncoding(
  enc: unknown,
  keyType: string | undefined,
  isPublic: boolean | undefined,
  owner: string | undefined,
): Encoding {
  validateObject(enc, "options");
  const isInput = keyType === undefined;
  const format = parseFormat(enc.format, isInput ? "pem" : undefined, option("format", owner));
  const required = (!isInput || format === "der") && format !== "jwk";
  const type = parseType(enc.type, required, keyType, isPublic, option("type", owner));
  let cipher: unknown;
  let passphrase: unknown;
  if (isPublic !== true) {
    let encoding;
    ({ cipher, passphrase, encoding } = enc);
    if (!isInput) {
      if (cipher != null) {
        if (typeof cipher !== "string") throw new codes.ERR_INVALID_ARG_VALUE(option("cipher", owner), cipher);
        if (format === "der" && (type === undefined || type === KEY_ENCODING_PKCS1 || type === KEY_ENCODING_SEC1)) {
          throw new codes.ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS(encodingNames[type!], "does not support encryption");
        }
      } else if (passphrase !== undefined) {
        throw new codes.ERR_INVALID_ARG_VALUE(option("cipher", owner), cipher);
      }
    }
    if (
      isInput
        ? passphrase !== undefined && !isStringOrBuffer(passphrase)
        : cipher != null && !isStringOrBuffer(passphrase)
    ) {
      throw new codes.ERR_INVALID_ARG_VALUE(option("passphrase", owner), passphrase);
    }
    if (passphrase !== undefined) passphrase = bytesOf(passphrase, "key.passphrase", encoding as string | undefined);
  }
  return { format, type, cipher: cipher ?? undefined, passphrase } as Encoding;
}

// -----------------------------------------------------------------------------------------------------------------------
// Keys as arguments

/** What a function does with a key: makes a public or private KeyObject of it, or uses the public or private half. */
const CREATE_PUBLIC = 0;
const CREATE_PRIVATE = 1;
export const CONSUME_PUBLIC = 2;
export const CONSUME_PRIVATE = 3;

function keyTypes(allowKeyObject: boolean, bufferOnly = false): string[] {
  const types = ["ArrayBuffer", "Buffer", "TypedArray", "DataView"];
  if (!bufferOnly) {
    types.push("string");
    if (allowKeyObject) types.push("KeyObject", "CryptoKey");
  }
  return types;
}

function checkedHandle(handle: KeyHandle, context: number): KeyHandle {
  if (context === CREATE_PRIVATE) {
    throw new codes.ERR_INVALID_ARG_TYPE(
      "key",
      ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"],
      keyObject(handle),
    );
  }
  if (handle.type !== "private") {
    if (context === CONSUME_PRIVATE || context === CREATE_PUBLIC) {
      throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(handle.type, "private");
    }
    if (handle.type !== "public") throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(handle.type, "private or public");
  }
  return handle;
}

function jwkHandle(jwk: unknown, context: number): KeyHandle {
  validateObject(jwk, "key");
  const isPrivate = context === CREATE_PRIVATE || context === CONSUME_PRIVATE;
  validateOneOf(jwk.kty, "key.kty", ["RSA", "EC", "OKP", "AKP"]);
  const strings = (names: string[]) => names.forEach((name) => validateString(jwk[name], `key.${name}`));
  let make: (jwk: Jwk, isPrivate: boolean) => KeyHandle;
  if (jwk.kty === "OKP") {
    validateString(jwk.crv, "key.crv");
    validateOneOf(jwk.crv, "key.crv", ["Ed25519", "Ed448", "X25519", "X448"]);
    strings(isPrivate ? ["x", "d"] : ["x"]);
    make = okpFromJwk;
  } else if (jwk.kty === "EC") {
    validateString(jwk.crv, "key.crv");
    validateOneOf(
      jwk.crv,
      "key.crv",
      curves.map((entry) => entry[0]),
    );
    strings(isPrivate ? ["x", "y", "d"] : ["x", "y"]);
    make = ecFromJwk;
  } else if (jwk.kty === "AKP") {
    validateOneOf(jwk.alg, "key.alg", ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"]);
    strings(isPrivate ? ["pub", "priv"] : ["pub"]);
    make = (value, priv) => {
      const data = Buffer.from((priv ? value.priv : value.pub)!, "base64url");
      const key = ops.keyRawImport(value.alg!.toLowerCase(), priv, data);
      if (priv && asBuffer(ops.keyRaw(key, false)).toString("base64url") !== value.pub) throw new Error("Invalid JWK");
      return new KeyHandle(priv ? "private" : "public", key);
    };
  } else {
    strings(isPrivate ? ["n", "e", "d", "p", "q", "dp", "dq", "qi"] : ["n", "e"]);
    make = rsaFromJwk;
  }
  try {
    return make(jwk, isPrivate);
  } catch {
    const error = new codes.ERR_CRYPTO_INVALID_JWK();
    if (jwk.kty === "EC") error.message = "Invalid JWK EC key";
    throw error;
  }
}

function load(
  context: number,
  bytes: ArrayBuffer | SharedArrayBuffer | ArrayBufferView,
  encoding: Encoding,
): KeyHandle {
  const isPrivate = context === CREATE_PRIVATE || context === CONSUME_PRIVATE;
  const format = encoding.format === "der" ? 1 : 0;
  const key = ops.keyImport(isPrivate, format, encoding.type ?? 0, encoding.passphrase, bytes);
  return new KeyHandle(isPrivate ? "private" : "public", key);
}

const plainPem: Encoding = { format: "pem", type: undefined };

/**
 * The key that an argument of a function of node:crypto stands for: a KeyObject, CryptoKey, text, bytes, or an object with
 * `key` and how it is written. Throws ERR_INVALID_ARG_TYPE and the like.
 */
export function asymmetricKey(key: unknown, context: number, name = "key"): KeyHandle {
  const handle = handleOf(key);
  if (handle !== undefined) return checkedHandle(handle, context);
  if (isStringOrBuffer(key)) return load(context, bytesOf(key, name), plainPem);
  if (typeof key === "object" && key !== null) {
    const { key: data, encoding, format } = key as { key?: unknown; encoding?: string; format?: unknown };
    const inner = handleOf(data);
    if (inner !== undefined) return checkedHandle(inner, context);
    if (format === "jwk") {
      validateObject(data, `${name}.key`);
      return jwkHandle(data, context);
    }
    if (!isStringOrBuffer(data)) {
      throw new codes.ERR_INVALID_ARG_TYPE(`${name}.key`, keyTypes(context !== CREATE_PRIVATE), data);
    }
    const isPublic = context === CONSUME_PRIVATE || context === CREATE_PRIVATE ? false : undefined;
    return load(context, bytesOf(data, `${name}.key`, encoding), parseKeyEncoding(key, undefined, isPublic, undefined));
  }
  throw new codes.ERR_INVALID_ARG_TYPE(name, keyTypes(context !== CREATE_PRIVATE), key);
}

/** crypto.createPublicKey(): also of a private key or a certificate. */
export function createPublicKey(key: unknown): KeyObject {
  const handle = asymmetricKey(key, CREATE_PUBLIC);
  return keyObject(handle.type === "public" ? handle : handle.toPublic());
}

/** crypto.createPrivateKey() */
export function createPrivateKey(key: unknown): KeyObject {
  return keyObject(asymmetricKey(key, CREATE_PRIVATE));
}

/** The bytes of a secret key as a view. */
function view(bytes: Native.Bytes): Uint8Array {
  return isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
}

/** A secret key of bytes, which are copied. */
function secretHandle(bytes: Native.Bytes, type: KeyType = "secret"): KeyHandle {
  return new KeyHandle(type, new Uint8Array(view(bytes)));
}

/** crypto.createSecretKey(): a key of the bytes of a string (in an encoding), buffer or view, which are copied. */
export function createSecretKey(key: unknown, encoding?: string): KeyObject {
  return keyObject(secretHandle(secretKeyBytes(key, encoding, true)));
}

/** The bytes of an argument that is a secret key: a string, bytes, KeyObject or CryptoKey. */
export function secretKeyBytes(key: unknown, encoding?: string, bufferOnly = false): Native.Bytes {
  // Most keys are bytes; to find out whether something is a key object takes longer.
  if (isView(key)) return key;
  if (!bufferOnly && typeof key === "object") {
    const handle = handleOf(key);
    if (handle !== undefined) {
      if (handle.type !== "secret") throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(handle.type, "secret");
      return handle.data;
    }
  }
  if (!isStringOrBuffer(key)) {
    throw new codes.ERR_INVALID_ARG_TYPE(
      "key",
      bufferOnly ? ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"] : keyTypes(true),
      key,
    );
  }
  return bytesOf(key, "key", encoding);
}

/** The bytes of a secret key; throws ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE for another kind of key. */
export function secretBytes(key: unknown): Uint8Array {
  const handle = handleOf(key)!;
  if (handle.type !== "secret") throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(handle.type, "secret");
  return handle.data;
}
