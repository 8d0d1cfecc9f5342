// Algorithms of WebCrypto whose keys are pairs: RSA, ECDSA, ECDH, Ed25519, X25519, Ed448, X448, ML-DSA, ML-KEM.
import type { Jwk, KeyAlgorithm, Normalized } from "internal/crypto/types";
import { type CryptoKey, internalsOf, makeCryptoKey } from "internal/crypto/crypto_key";
import { KeyHandle, curves, ecFromJwk, okpFromJwk, rsaFromJwk, toJwk } from "internal/crypto/key_handle";
import {
  checkJwk,
  checkUsages,
  domException,
  hashNumber,
  later,
  operationFailed,
} from "internal/crypto/subtle/normalize";
import { KEY_ENCODING_PKCS8, KEY_ENCODING_PKCS8_SEED, KEY_ENCODING_SPKI } from "internal/crypto/native_constants";

const ops = native("crypto");

const SMALL = 16 * 1024;
const PKCS1_PADDING = 1;
const OAEP_PADDING = 4;
const PSS_PADDING = 6;
const NO_SALT = 1e9;

interface Pair {
  /** As in KeyObject.asymmetricKeyType. */
  type: string;
  usages: { public: string[]; private: string[] };
  use: "enc" | "sig";
  kty: string;
}

const signing = { public: ["verify"], private: ["sign"] };
const deriving = { public: [] as string[], private: ["deriveKey", "deriveBits"] };
const rsa = { type: "rsa", kty: "RSA" } as const;
const kem = {
  usages: { public: ["encapsulateKey", "encapsulateBits"], private: ["decapsulateKey", "decapsulateBits"] },
  use: "enc",
  kty: "AKP",
} as const;
const dsa = { usages: signing, use: "sig", kty: "AKP" } as const;

const pairs: Record<string, Pair> = {
  __proto__: null as never,
  "RSASSA-PKCS1-v1_5": { ...rsa, usages: signing, use: "sig" },
  "RSA-PSS": { ...rsa, usages: signing, use: "sig" },
  "RSA-OAEP": { ...rsa, usages: { public: ["encrypt", "wrapKey"], private: ["decrypt", "unwrapKey"] }, use: "enc" },
  ECDSA: { type: "ec", usages: signing, use: "sig", kty: "EC" },
  ECDH: { type: "ec", usages: deriving, use: "enc", kty: "EC" },
  Ed25519: { type: "ed25519", usages: signing, use: "sig", kty: "OKP" },
  X25519: { type: "x25519", usages: deriving, use: "enc", kty: "OKP" },
  Ed448: { type: "ed448", usages: signing, use: "sig", kty: "OKP" },
  X448: { type: "x448", usages: deriving, use: "enc", kty: "OKP" },
};
for (const size of ["44", "65", "87"]) pairs[`ML-DSA-${size}`] = { type: `ml-dsa-${size}`, ...dsa };
for (const size of ["512", "768", "1024"]) {
  pairs[`ML-KEM-${size}`] = {
    type: `ml-kem-${size}`,
    ...kem,
    usages: { public: [...kem.usages.public], private: [...kem.usages.private] },
  };
}

const invalid = (cause?: unknown) => domException("Invalid keyData", "DataError", cause);

function curveOf(algorithm: { namedCurve?: string }): (typeof curves)[0] {
  const curve = curves.find((entry) => entry[0] === algorithm.namedCurve && entry[0] !== "secp256k1");
  if (curve === undefined) throw domException("Unrecognized namedCurve", "NotSupportedError");
  return curve;
}

// -----------------------------------------------------------------------------------------------------------------------
// generateKey

interface KeyPair {
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

export async function generateKey(algorithm: Normalized, extractable: boolean, usages: string[]): Promise<KeyPair> {
  const { name } = algorithm;
  const pair = pairs[name]!;
  const publicUsages = usages.filter((usage) => pair.usages.public.includes(usage));
  const privateUsages = usages.filter((usage) => pair.usages.private.includes(usage));
  checkUsages(usages, [...pair.usages.public, ...pair.usages.private], name);
  let native: Native.Key;
  let made: KeyAlgorithm = { name };
  if (pair.type === "rsa") {
    const { modulusLength, publicExponent, hash } = algorithm;
    const isOdd = publicExponent.length > 0 && (publicExponent[publicExponent.length - 1]! & 1) === 1;
    const value = publicExponent.reduce((sum, byte) => sum * 256 + byte, 0);
    if (value >= 2 ** 32)
      throw domException("The publicExponent must be equivalent to an unsigned 32-bit value", "OperationError");
    if (modulusLength < 512 || !isOdd || value < 3) throw operationFailed();
    try {
      native = await later<Native.Key>((callback) =>
        ops.keyGenerateLater("rsa", "", [modulusLength, -1, -1, -1], publicExponent, callback),
      );
    } catch (error) {
      throw operationFailed(error);
    }
    made = { name, modulusLength, publicExponent, hash: { name: hash.name } };
  } else if (pair.type === "ec") {
    native = ops.keyGenerate("ec", curveOf(algorithm)[1], [], new Uint8Array(0));
    made = { name, namedCurve: algorithm.namedCurve };
  } else {
    native = ops.keyGenerate(pair.type, "", [], new Uint8Array(0));
  }
  if (privateUsages.length === 0) throw domException("Usages cannot be empty when creating a key.", "SyntaxError");
  const handle = new KeyHandle("private", native);
  return {
    __proto__: null,
    publicKey: makeCryptoKey(handle.toPublic(), made, true, publicUsages),
    privateKey: makeCryptoKey(handle, made, extractable, privateUsages),
  } as KeyPair;
}

// -----------------------------------------------------------------------------------------------------------------------
// importKey and exportKey

function fromDer(isPrivate: boolean, data: Uint8Array, pair: Pair): KeyHandle {
  let handle;
  try {
    handle = new KeyHandle(
      isPrivate ? "private" : "public",
      ops.keyImport(isPrivate, 1, isPrivate ? KEY_ENCODING_PKCS8 : KEY_ENCODING_SPKI, undefined, data),
    );
  } catch (error) {
    throw invalid(error);
  }
  if (handle.info.name !== pair.type) throw domException("Invalid key type", "DataError");
  return handle;
}

const hashSuffix: Record<string, string> = { "SHA-1": "1", "SHA-256": "256", "SHA-384": "384", "SHA-512": "512" };

/** The property `alg` that a JSON Web Key of an algorithm has; undefined where it has none. */
function jwkAlgorithm(algorithm: KeyAlgorithm): string | undefined {
  const suffix = algorithm.hash === undefined ? undefined : hashSuffix[algorithm.hash.name];
  switch (algorithm.name) {
    case "RSASSA-PKCS1-v1_5":
      return suffix && `RS${suffix}`;
    case "RSA-PSS":
      return suffix && `PS${suffix}`;
    case "RSA-OAEP":
      return suffix && (suffix === "1" ? "RSA-OAEP" : `RSA-OAEP-${suffix}`);
    case "ECDSA":
      return ({ "P-256": "ES256", "P-384": "ES384", "P-521": "ES512" } as Record<string, string>)[
        algorithm.namedCurve!
      ];
    case "ECDH":
    case "X25519":
    case "X448":
      return undefined;
    default:
      return algorithm.name;
  }
}

function fromJwk(jwk: Jwk, algorithm: Normalized, pair: Pair, extractable: boolean, usages: string[]): KeyHandle {
  if (!jwk.kty) throw invalid();
  if (jwk.kty !== pair.kty) throw domException('Invalid JWK "kty" Parameter', "DataError");
  const { name } = algorithm;
  const isPrivate = pair.kty === "AKP" ? jwk.priv !== undefined : jwk.d !== undefined;
  checkUsages(usages, isPrivate ? pair.usages.private : pair.usages.public, name);
  checkJwk(jwk, pair.kty, pair.use, extractable, usages);
  if (pair.kty === "OKP" || pair.kty === "EC") {
    const curve = pair.kty === "EC" ? algorithm.namedCurve : name;
    if (jwk.crv !== curve) {
      const how =
        pair.kty === "EC" ? "does not match the requested algorithm" : "Parameter and algorithm name mismatch";
      throw domException(`JWK "crv" ${how}`, "DataError");
    }
  }
  if (pair.kty === "AKP" && jwk.alg !== jwkAlgorithm(algorithm)) {
    throw domException('JWK "alg" Parameter and algorithm name mismatch', "DataError");
  }
  if (jwk.alg !== undefined) {
    const wanted = jwkAlgorithm(algorithm);
    const known = jwk.alg === wanted || (jwk.alg === "EdDSA" && pair.kty === "OKP");
    if (!known && wanted !== undefined) {
      throw domException('JWK "alg" does not match the requested algorithm', "DataError");
    }
  }
  const needed =
    pair.kty === "RSA"
      ? isPrivate
        ? ["n", "e", "d", "p", "q", "dp", "dq", "qi"]
        : ["n", "e"]
      : pair.kty === "EC"
        ? isPrivate
          ? ["x", "y", "d"]
          : ["x", "y"]
        : pair.kty === "OKP"
          ? isPrivate
            ? ["x", "d"]
            : ["x"]
          : isPrivate
            ? ["pub", "priv"]
            : ["pub"];
  // With more than two primes the numbers of the others would be needed, too.
  if (
    needed.some((member) => typeof jwk[member as keyof Jwk] !== "string") ||
    (pair.kty === "RSA" && jwk.oth !== undefined)
  ) {
    throw pair.kty === "AKP" ? domException("Invalid JWK", "DataError") : invalid();
  }
  try {
    if (pair.kty === "RSA") return rsaFromJwk(jwk, isPrivate);
    if (pair.kty === "EC") return ecFromJwk(jwk, isPrivate);
    if (pair.kty === "OKP") return okpFromJwk(jwk, isPrivate);
    const key = ops.keyRawImport(pair.type, isPrivate, Buffer.from((isPrivate ? jwk.priv : jwk.pub)!, "base64url"));
    if (isPrivate && Buffer.from(ops.keyRaw(key, false)).toString("base64url") !== jwk.pub) throw invalid();
    return new KeyHandle(isPrivate ? "private" : "public", key);
  } catch (error) {
    throw invalid(error);
  }
}

export function importKey(
  format: string,
  data: Uint8Array | Jwk,
  algorithm: Normalized,
  extractable: boolean,
  usages: string[],
) {
  const { name } = algorithm;
  const pair = pairs[name]!;
  if (pair.type === "ec") curveOf(algorithm);
  let handle: KeyHandle;
  const isPrivate = format === "pkcs8" || format === "raw-seed";
  if (format !== "jwk") checkUsages(usages, isPrivate ? pair.usages.private : pair.usages.public, name);
  if (format === "spki" || format === "pkcs8") {
    handle = fromDer(isPrivate, data as Uint8Array, pair);
  } else if (format === "jwk") {
    handle = fromJwk(data as Jwk, algorithm, pair, extractable, usages);
  } else if (
    (format === "raw" || format === "raw-public" || format === "raw-seed") &&
    pair.type !== "rsa" &&
    isRawFormat(format, pair)
  ) {
    try {
      const key =
        pair.type === "ec"
          ? ops.keyEcFromPoint(curveOf(algorithm)[1], data as Uint8Array)
          : ops.keyRawImport(pair.type, isPrivate, data as Uint8Array);
      handle = new KeyHandle(isPrivate ? "private" : "public", key);
    } catch (error) {
      throw invalid(error);
    }
  } else {
    throw domException(`Unable to import ${name} using ${format} format`, "NotSupportedError");
  }
  if (handle.type === "private" && usages.length === 0) {
    throw domException("Usages cannot be empty when importing a private key.", "SyntaxError");
  }
  return makeCryptoKey(handle, keyAlgorithm(handle, algorithm), extractable, usages);
}

function isRawFormat(format: string, pair: Pair): boolean {
  if (pair.kty === "AKP") return format !== "raw";
  return format !== "raw-seed";
}

/** The algorithm of a key that came in, from that of the call and what is in the key. */
function keyAlgorithm(handle: KeyHandle, algorithm: Normalized) {
  const { name } = algorithm;
  const { info } = handle;
  if (info.name === "rsa") {
    return {
      name,
      modulusLength: info.bits,
      publicExponent: new Uint8Array(info.exponent!),
      hash: { name: algorithm.hash.name },
    };
  }
  if (info.name === "ec") {
    if (curveOf(algorithm)[1] !== info.curve) throw domException("Named curve mismatch", "DataError");
    return { name, namedCurve: algorithm.namedCurve };
  }
  return { name };
}

/** A CryptoKey of a key that node:crypto made. */
export function fromHandle(handle: KeyHandle, algorithm: Normalized, extractable: boolean, usages: string[]) {
  const pair = pairs[algorithm.name]!;
  if (handle.type === "secret" || handle.info.name !== pair.type) throw domException("Invalid key type", "DataError");
  if (pair.type === "ec") curveOf(algorithm);
  checkUsages(usages, handle.type === "private" ? pair.usages.private : pair.usages.public, algorithm.name);
  if (handle.type === "private" && usages.length === 0) {
    throw domException("Usages cannot be empty when importing a private key.", "SyntaxError");
  }
  return makeCryptoKey(handle, keyAlgorithm(handle, algorithm), extractable, usages);
}

export function exportKey(format: string, key: unknown): ArrayBufferLike | Jwk | undefined {
  const { handle, algorithm } = internalsOf(key);
  const { data, type } = handle;
  const pair = pairs[algorithm.name]!;
  const copied = (bytes: Uint8Array) => bytes.slice().buffer;
  if (format === "spki" && type === "public") return copied(ops.keyExportPublic(data, false, KEY_ENCODING_SPKI));
  if (format === "pkcs8" && type === "private") {
    try {
      return copied(
        ops.keyExportPrivate(
          data,
          false,
          pair.kty === "AKP" ? KEY_ENCODING_PKCS8_SEED : KEY_ENCODING_PKCS8,
          undefined,
          undefined,
        ),
      );
    } catch (error) {
      throw operationFailed(error);
    }
  }
  if (format === "jwk") {
    const jwk = toJwk(handle);
    const alg = pair.kty === "EC" ? undefined : jwkAlgorithm(algorithm);
    return alg === undefined ? jwk : { alg, ...jwk };
  }
  if (
    (format === "raw" || format === "raw-public") &&
    type === "public" &&
    pair.type !== "rsa" &&
    isRawFormat(format, pair)
  ) {
    return copied(pair.type === "ec" ? ops.keyEcPoint(data, 4) : ops.keyRaw(data, false));
  }
  if (format === "raw-seed" && type === "private" && pair.kty === "AKP") return copied(ops.keyRaw(data, true));
  return undefined;
}

/** The public key of a private one. */
export function getPublicKey(key: unknown, usages: string[]) {
  const { handle, algorithm } = internalsOf(key);
  checkUsages(usages, pairs[algorithm.name]!.usages.public, algorithm.name);
  return makeCryptoKey(handle.toPublic(), algorithm, true, usages);
}

// -----------------------------------------------------------------------------------------------------------------------
// Signatures

function options(algorithm: Normalized, own: KeyAlgorithm): number[] {
  switch (algorithm.name) {
    case "RSASSA-PKCS1-v1_5":
      return [hashNumber(own.hash!), PKCS1_PADDING, NO_SALT, 0, 0];
    case "RSA-PSS":
      return [hashNumber(own.hash!), PSS_PADDING, algorithm.saltLength, 0, 0];
    case "ECDSA":
      return [hashNumber(algorithm.hash), 0, NO_SALT, 0, 1];
    default:
      return [-1, 0, NO_SALT, 0, 0];
  }
}

/** Whether the work is a matter of some tens of microseconds. */
function isQuick(algorithm: { name?: string }, own: { namedCurve?: string }, data: Uint8Array): boolean {
  return (
    data.length <= SMALL && (algorithm.name === "Ed25519" || (algorithm.name === "ECDSA" && own.namedCurve === "P-256"))
  );
}

/** Throws where the salt of RSA-PSS has no room in a signature. */
function checkSalt({ saltLength }: Normalized, own: KeyAlgorithm): void {
  const { length } = require("internal/crypto/hashes").findHash(own.hash!.name)!;
  const max = Math.ceil((own.modulusLength! - 1) / 8) - length - 2;
  if (saltLength <= max) return;
  const { codes } = require("internal/core/errors");
  throw operationFailed(new codes.ERR_OUT_OF_RANGE("algorithm.saltLength", `>= 0 && <= ${max}`, saltLength));
}

export async function sign(algorithm: Normalized, key: unknown, data: Uint8Array): Promise<Uint8Array> {
  const { handle, algorithm: own } = internalsOf(key);
  const numbers = options(algorithm, own);
  if (algorithm.name === "RSA-PSS") checkSalt(algorithm, own);
  try {
    if (isQuick(algorithm, own, data)) return ops.signSync(handle.data, numbers, undefined, data);
    return await later((callback) => ops.signLater(handle.data, numbers, algorithm.context, data, callback));
  } catch (error) {
    throw operationFailed(error);
  }
}

/** Points of Ed25519 whose order divides 8, without the sign of x; as keys they would fit many messages. */
const smallOrder = new Set([
  "0100000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);

function isSmallOrder(point: Uint8Array): boolean {
  const first = point[0]!;
  // Hardly any point gets further.
  if (first > 1 && first < 0xec && first !== 0x26 && first !== 0xc7) return false;
  const copy = Buffer.from(point.subarray(0, 32));
  copy[31]! &= 0x7f;
  return smallOrder.has(copy.toString("hex"));
}

const weakKeys = new WeakMap<KeyHandle, boolean>();

function isWeak(handle: KeyHandle): boolean {
  let weak = weakKeys.get(handle);
  if (weak === undefined) weakKeys.set(handle, (weak = isSmallOrder(ops.keyRaw(handle.data, false))));
  return weak;
}

export async function verify(
  algorithm: Normalized,
  key: unknown,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const { handle, algorithm: own } = internalsOf(key);
  const numbers = options(algorithm, own);
  if (algorithm.name === "RSA-PSS") checkSalt(algorithm, own);
  if (own.name === "Ed25519" && signature.length === 64 && (isSmallOrder(signature) || isWeak(handle))) return false;
  try {
    // RSA's public half is quick.
    if (
      isQuick(algorithm, own, data) ||
      (handle.info.name === "rsa" && data.length <= SMALL && handle.info.bits <= 4096)
    ) {
      return ops.verifySync(handle.data, numbers, undefined, data, signature);
    }
    return await later<boolean>((callback) =>
      ops.verifyLater(handle.data, numbers, algorithm.context, data, signature, callback),
    );
  } catch (error) {
    throw operationFailed(error);
  }
}

// -----------------------------------------------------------------------------------------------------------------------
// RSA-OAEP

async function oaep(operation: number, algorithm: Normalized, key: unknown, data: Uint8Array): Promise<Uint8Array> {
  const { handle, algorithm: own } = internalsOf(key);
  const hash = hashNumber(own.hash!);
  const numbers = [operation, OAEP_PADDING, hash, hash];
  try {
    if (operation === 0) return ops.rsaCryptSync(handle.data, numbers, algorithm.label, data);
    return await later((callback) => ops.rsaCryptLater(handle.data, numbers, algorithm.label, data, callback));
  } catch (error) {
    throw operationFailed(error);
  }
}

export const encrypt = (algorithm: Normalized, key: unknown, data: Uint8Array) => oaep(0, algorithm, key, data);
export const decrypt = (algorithm: Normalized, key: unknown, data: Uint8Array) => oaep(1, algorithm, key, data);

// -----------------------------------------------------------------------------------------------------------------------
// Shared secrets

/** The shared secret of ECDH, X25519 or X448; with a length in bits its first ones. */
export async function deriveBits(algorithm: Normalized, key: unknown, length: number | null): Promise<ArrayBuffer> {
  const { handle, algorithm: own } = internalsOf(key);
  const other = internalsOf(algorithm.public);
  if (handle.type !== "private") throw domException("baseKey must be a private key", "InvalidAccessError");
  if (other.handle.type !== "public") throw domException("algorithm.public must be a public key", "InvalidAccessError");
  if (other.algorithm.name !== own.name) throw domException("key algorithm mismatch", "InvalidAccessError");
  if (own.namedCurve !== other.algorithm.namedCurve) throw domException("Named curve mismatch", "InvalidAccessError");
  let secret: Uint8Array;
  try {
    secret =
      own.namedCurve === "P-384" || own.namedCurve === "P-521"
        ? await later((callback) => ops.keyDeriveLater(handle.data, other.handle.data, callback))
        : ops.keyDerive(handle.data, other.handle.data);
  } catch (error) {
    throw operationFailed(error);
  }
  if (length === null) return secret.slice().buffer as ArrayBuffer;
  if (secret.length * 8 < length) throw domException("derived bit length is too small", "OperationError");
  const out = secret.slice(0, Math.ceil(length / 8));
  if (length % 8 !== 0) out[out.length - 1]! &= 0xff << (8 - (length % 8));
  return out.buffer;
}

export function encapsulate(key: unknown): { sharedKey: ArrayBuffer; ciphertext: ArrayBuffer } {
  const [ciphertext, secret] = ops.keyEncapsulate(internalsOf(key).handle.data);
  return { sharedKey: secret.slice().buffer, ciphertext: ciphertext.slice().buffer };
}

export function decapsulate(key: unknown, ciphertext: Uint8Array): ArrayBuffer {
  try {
    return ops.keyDecapsulate(internalsOf(key).handle.data, ciphertext).slice().buffer;
  } catch (error) {
    throw operationFailed(error);
  }
}
