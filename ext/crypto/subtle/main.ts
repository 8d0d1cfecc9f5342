// The operations of SubtleCrypto (https://w3c.github.io/webcrypto/#subtlecrypto-interface). ext/crypto/web/crypto.ts has the class,
// which checks `this` and the number of arguments.
import type { Jwk, Normalized } from "internal/crypto/types";
import { type CryptoKey, internalsOf, isCryptoKey } from "internal/crypto/crypto_key";
import type { KeyHandle } from "internal/crypto/key_handle";
import {
  arrayBuffer,
  bufferCopy,
  bufferSource,
  domException,
  later,
  normalize,
  ulong,
} from "internal/crypto/subtle/normalize";

const ops = native("crypto");

const SMALL = 16 * 1024;

const SECRETS = /^(?:AES-|HMAC|KMAC|ChaCha20)/;
const DERIVING = /^(?:HKDF|PBKDF2|Argon2)/;

/** The operations of an algorithm; a module has those that its algorithms know. */
interface Operations {
  encrypt(algorithm: Normalized, key: unknown, data: Uint8Array): Uint8Array | Promise<Uint8Array>;
  decrypt(algorithm: Normalized, key: unknown, data: Uint8Array): Uint8Array | Promise<Uint8Array>;
  sign(algorithm: Normalized, key: unknown, data: Uint8Array): Uint8Array | Promise<Uint8Array>;
  verify(algorithm: Normalized, key: unknown, data: Uint8Array, signature: Uint8Array): Promise<boolean>;
  wrap(wrapping: boolean, key: unknown, data: Uint8Array): ArrayBuffer;
  generateKey(
    algorithm: Normalized,
    extractable: boolean,
    usages: string[],
  ): CryptoKey | Promise<{ publicKey: CryptoKey; privateKey: CryptoKey }>;
  /** Keeps `data`, which nobody else has. */
  importKey(
    format: string,
    data: Uint8Array | Jwk,
    algorithm: Normalized,
    extractable: boolean,
    usages: string[],
  ): CryptoKey;
  exportKey(format: string, key: unknown): ArrayBufferLike | Jwk | undefined;
  getKeyLength(algorithm: Normalized): number;
  getPublicKey(key: unknown, usages: string[]): CryptoKey;
  deriveBits(algorithm: Normalized, key: unknown, length: number | null): Promise<ArrayBuffer>;
}

const modules: Record<string, Operations> = Object.create(null);

/** The module with the operations of an algorithm, which has its canonical name. */
function moduleOf(name: string): Operations {
  return (modules[name] ??= findModule(name));
}

function findModule(name: string): Operations {
  if (SECRETS.test(name)) return require("internal/crypto/subtle/symmetric") as unknown as Operations;
  if (DERIVING.test(name)) return require("internal/crypto/subtle/derive") as unknown as Operations;
  return require("internal/crypto/subtle/pairs") as unknown as Operations;
}

// -----------------------------------------------------------------------------------------------------------------------
// Conversion of arguments

const ordinals = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th"];

function where(method: string, index: number): string {
  return `Failed to execute '${method}' on 'SubtleCrypto': ${ordinals[index]} argument`;
}

function wrongType(message: string, code = "ERR_INVALID_ARG_TYPE"): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = code;
  return error;
}

function keyArgument(value: unknown, method: string, index: number): CryptoKey {
  if (!isCryptoKey(value)) throw wrongType(`${where(method, index)} is not of type CryptoKey.`);
  return value;
}

const bytesArgument = (value: unknown, method: string, index: number) => bufferSource(value, where(method, index));
const bytesCopy = (value: unknown, method: string, index: number) => bufferCopy(value, where(method, index));

const formats = ["raw", "pkcs8", "spki", "jwk", "raw-public", "raw-secret", "raw-seed"];

function formatArgument(value: unknown, method: string, index: number): string {
  const text = `${value}`;
  if (!formats.includes(text)) {
    throw wrongType(
      `${where(method, index)} value '${text}' is not a valid enum value of type KeyFormat.`,
      "ERR_INVALID_ARG_VALUE",
    );
  }
  return text;
}

const usageNames = [
  "encrypt",
  "decrypt",
  "sign",
  "verify",
  "deriveKey",
  "deriveBits",
  "wrapKey",
  "unwrapKey",
  "encapsulateKey",
  "encapsulateBits",
  "decapsulateKey",
  "decapsulateBits",
];

function usagesArgument(value: unknown, method: string, index: number): string[] {
  if (
    value === null ||
    (typeof value !== "object" && typeof value !== "function") ||
    typeof (value as Iterable<unknown>)[Symbol.iterator] !== "function"
  ) {
    throw wrongType(`${where(method, index)} can not be converted to sequence.`);
  }
  const out: string[] = [];
  for (const item of value as Iterable<unknown>) {
    const text = `${item}`;
    if (!usageNames.includes(text)) {
      throw wrongType(
        `${where(method, index)}[${out.length}] value '${text}' is not a valid enum value of type KeyUsage.`,
        "ERR_INVALID_ARG_VALUE",
      );
    }
    out.push(text);
  }
  return out;
}

const jwkStrings = [
  "alg",
  "crv",
  "d",
  "dp",
  "dq",
  "e",
  "k",
  "kty",
  "n",
  "p",
  "priv",
  "pub",
  "q",
  "qi",
  "use",
  "x",
  "y",
];

/** A JsonWebKey dictionary of an object. */
function jwkArgument(value: { [member: string]: unknown } | null | undefined, what: string): Jwk {
  if (value !== null && value !== undefined && typeof value !== "object" && typeof value !== "function") {
    throw wrongType(`${what} can not be converted to a dictionary.`);
  }
  const out: { [key: string]: unknown } = {};
  if (value == null) return out;
  for (const name of jwkStrings) if (value[name] !== undefined) out[name] = `${value[name]}`;
  if (value.ext !== undefined) out.ext = !!value.ext;
  if (value.key_ops !== undefined) {
    if (value.key_ops === null || typeof (value.key_ops as Iterable<unknown>)[Symbol.iterator] !== "function") {
      throw wrongType(`${what}: key_ops can not be converted to sequence.`);
    }
    out.key_ops = Array.from(value.key_ops as Iterable<unknown>, (item) => `${item}`);
  }
  if (value.oth !== undefined) out.oth = Array.from(value.oth as Iterable<unknown>);
  return out;
}

/** What an import is made of: a JsonWebKey for "jwk", else bytes. */
function keyData(format: string, value: unknown, method: string, index: number): Uint8Array | Jwk {
  const isBytes = ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
  if (format === "jwk") {
    if (isBytes) throw wrongType("Key data must be an object for JWK import");
    if (value != null && typeof value !== "object")
      throw wrongType(`${where(method, index)} can not be converted to a JsonWebKey.`);
    return jwkArgument(value as { [member: string]: unknown } | null | undefined, where(method, index));
  }
  if (!isBytes)
    throw wrongType(`${where(method, index)} is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
  // A copy: imports may need more than one turn.
  return bytesCopy(value, method, index);
}

/** Throws InvalidAccessError unless a key is of an algorithm and has a usage. */
function checkKey(key: unknown, algorithm: Normalized, usage: string): void {
  const { algorithm: own, usages } = internalsOf(key);
  const fits = own.name === algorithm.name;
  if (fits && usages.includes(usage)) return;
  let message = "The requested operation is not valid for the provided key";
  if (usage === "sign" || usage === "verify") message = `Unable to use this key to ${usage}`;
  else if (usage === "deriveKey" || usage === "deriveBits") {
    message = usages.includes(usage) || !fits ? "Key algorithm mismatch" : `baseKey does not have ${usage} usage`;
  }
  throw domException(message, "InvalidAccessError");
}

/** Throws InvalidAccessError where a key is not of the type for an operation with a pair. */
function checkType(key: unknown, type: string): void {
  const own = internalsOf(key).handle.type;
  if (own !== "secret" && own !== type) throw domException(`Key must be a ${type} key`, "InvalidAccessError");
}

/** bytes or a promise of them, as an ArrayBuffer. */
async function result(bytes: Uint8Array | Promise<Uint8Array>): Promise<ArrayBuffer> {
  return arrayBuffer(bytes instanceof Promise ? await bytes : bytes);
}

// -----------------------------------------------------------------------------------------------------------------------
// Operations

export function digest(algorithm: unknown, data: unknown): ArrayBuffer | Promise<ArrayBuffer> {
  const bytes = bytesArgument(data, "digest", 1);
  const normalized = normalize(algorithm, "digest");
  if (normalized.name.startsWith("cSHAKE")) {
    const { name, length, functionName, customization } = normalized;
    if (length % 8 !== 0) throw domException("Unsupported CShakeParams length", "NotSupportedError");
    const none = new Uint8Array(0);
    return ops.cshake(Number(name.slice(6)), functionName ?? none, customization ?? none, bytes, length / 8).buffer;
  }
  const hash = require("internal/crypto/hashes").findHash(normalized.name)!;
  if (bytes.length <= SMALL) return ops.hashBytes(hash.id, bytes, hash.length).buffer;
  return result(later((callback) => ops.hashLater(hash.id, bytes, hash.length, callback)));
}

export async function encrypt(algorithm: unknown, key: unknown, data: unknown): Promise<ArrayBuffer> {
  return crypt("encrypt", algorithm, key, data);
}

export async function decrypt(algorithm: unknown, key: unknown, data: unknown): Promise<ArrayBuffer> {
  return crypt("decrypt", algorithm, key, data);
}

async function crypt(
  operation: "encrypt" | "decrypt",
  algorithm: unknown,
  key: unknown,
  data: unknown,
): Promise<ArrayBuffer> {
  keyArgument(key, operation, 1);
  bytesArgument(data, operation, 2);
  const normalized = normalize(algorithm, operation);
  const bytes = bytesArgument(data, operation, 2);
  checkKey(key, normalized, operation);
  return result(moduleOf(normalized.name)[operation](normalized, key, bytes));
}

export async function sign(algorithm: unknown, key: unknown, data: unknown): Promise<ArrayBuffer> {
  keyArgument(key, "sign", 1);
  bytesArgument(data, "sign", 2);
  const normalized = normalize(algorithm, "sign");
  const bytes = bytesArgument(data, "sign", 2);
  checkKey(key, normalized, "sign");
  checkType(key, "private");
  return result(moduleOf(normalized.name).sign(normalized, key, bytes));
}

export async function verify(algorithm: unknown, key: unknown, signature: unknown, data: unknown): Promise<boolean> {
  keyArgument(key, "verify", 1);
  bytesArgument(signature, "verify", 2);
  bytesArgument(data, "verify", 3);
  const normalized = normalize(algorithm, "verify");
  const signed = bytesArgument(signature, "verify", 2);
  const bytes = bytesArgument(data, "verify", 3);
  checkKey(key, normalized, "verify");
  checkType(key, "public");
  return moduleOf(normalized.name).verify(normalized, key, bytes, signed);
}

export async function generateKey(algorithm: unknown, extractable: unknown, usages: unknown): Promise<unknown> {
  const names = usagesArgument(usages, "generateKey", 2);
  const normalized = normalize(algorithm, "generateKey");
  const made: CryptoKey | { publicKey: CryptoKey; privateKey: CryptoKey } = await moduleOf(normalized.name).generateKey(
    normalized,
    !!extractable,
    names,
  );
  const key = (made as { privateKey?: CryptoKey }).privateKey ?? made;
  if (isCryptoKey(key) && internalsOf(key).usages.length === 0) {
    throw domException("Usages cannot be empty when creating a key.", "SyntaxError");
  }
  return made;
}

function importNormalized(
  format: string,
  data: Uint8Array | Jwk,
  normalized: Normalized,
  extractable: boolean,
  usages: string[],
): unknown {
  const key = moduleOf(normalized.name).importKey(format, data, normalized, extractable, usages);
  const { handle, usages: kept } = internalsOf(key);
  if (kept.length === 0 && handle.type !== "public") {
    throw domException(`Usages cannot be empty when importing a ${handle.type} key.`, "SyntaxError");
  }
  return key;
}

export async function importKey(
  format: string,
  data: unknown,
  algorithm: unknown,
  extractable: unknown,
  usages: unknown,
): Promise<unknown> {
  format = formatArgument(format, "importKey", 0);
  const names = usagesArgument(usages, "importKey", 4);
  const given = keyData(format, data, "importKey", 1);
  return importNormalized(format, given, normalize(algorithm, "importKey"), !!extractable, names);
}

/** The half of a pair that a format is for. */
const halves: Record<string, string> = {
  spki: "public",
  pkcs8: "private",
  raw: "public",
  "raw-public": "public",
  "raw-seed": "private",
};

function exported(format: string, key: unknown): ArrayBufferLike | Jwk {
  const { algorithm, extractable, handle, usages } = internalsOf(key);
  const table = normalizeName(algorithm.name, "exportKey");
  if (!extractable) throw domException("key is not extractable", "InvalidAccessError");
  const out = moduleOf(table).exportKey(format, key);
  if (out === undefined) {
    // The format may be one for the other half of a pair.
    const half = halves[format];
    const other =
      handle.type !== "secret" &&
      half !== undefined &&
      half !== handle.type &&
      !(format.startsWith("raw") && /^RSA/.test(algorithm.name));
    throw domException(
      `Unable to export ${algorithm.name} ${handle.type} key using ${format} format`,
      other ? "InvalidAccessError" : "NotSupportedError",
    );
  }
  return format === "jwk" ? { key_ops: [...usages], ext: true, ...out } : out;
}

function normalizeName(name: string, operation: string): string {
  try {
    return normalize(name, operation).name;
  } catch {
    throw domException(`${name} key export is not supported`, "NotSupportedError");
  }
}

export async function exportKey(format: string, key: unknown): Promise<unknown> {
  format = formatArgument(format, "exportKey", 0);
  return exported(format, keyArgument(key, "exportKey", 1));
}

/** "Derive bits": `length` in bits, or null for all there is. */
function derive(normalized: Normalized, key: unknown, length: number | null): Promise<ArrayBuffer> {
  return moduleOf(normalized.name).deriveBits(normalized, key, length);
}

export async function deriveBits(algorithm: unknown, key: unknown, length: unknown = null): Promise<ArrayBuffer> {
  keyArgument(key, "deriveBits", 1);
  if (length !== null) length = ulong(length, where("deriveBits", 2));
  const normalized = normalize(algorithm, "deriveBits");
  checkKey(key, normalized, "deriveBits");
  return derive(normalized, key, length as number | null);
}

/** "Get key length" of a normalised algorithm: bits, or null. */
function keyLength(algorithm: Normalized): number | null {
  const { name } = algorithm;
  if (DERIVING.test(name)) return null;
  return moduleOf(name).getKeyLength(algorithm);
}

export async function deriveKey(
  algorithm: unknown,
  key: unknown,
  derived: unknown,
  extractable: unknown,
  usages: unknown,
): Promise<unknown> {
  keyArgument(key, "deriveKey", 1);
  const names = usagesArgument(usages, "deriveKey", 4);
  const normalized = normalize(algorithm, "deriveBits");
  const importAlgorithm = normalize(derived, "importKey");
  const lengthAlgorithm = normalize(derived, "getKeyLength");
  checkKey(key, normalized, "deriveKey");
  const bits = await derive(normalized, key, keyLength(lengthAlgorithm));
  return importNormalized("raw-secret", new Uint8Array(bits), importAlgorithm, !!extractable, names);
}

export async function wrapKey(
  format: string,
  key: unknown,
  wrappingKey: unknown,
  algorithm: unknown,
): Promise<ArrayBuffer> {
  format = formatArgument(format, "wrapKey", 0);
  keyArgument(key, "wrapKey", 1);
  keyArgument(wrappingKey, "wrapKey", 2);
  const [normalized, isWrap] = normalizeEither(algorithm, "wrapKey", "encrypt");
  checkKey(wrappingKey, normalized, "wrapKey");
  const data = exported(format, key);
  let bytes: Uint8Array =
    format === "jwk" ? new Uint8Array(Buffer.from(JSON.stringify(data))) : new Uint8Array(data as ArrayBuffer);
  const { wrap, encrypt: run } = moduleOf(normalized.name);
  if (!isWrap) return result(run(normalized, wrappingKey, bytes));
  if (format === "jwk" && bytes.length % 8 !== 0) {
    // White space at the end of JSON means nothing, and AES-KW takes whole blocks.
    const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8).fill(0x20);
    padded.set(bytes);
    bytes = padded;
  }
  return wrap(true, wrappingKey, bytes);
}

/** The algorithm for one operation, else for the other: [normalised, whether it is the first]. */
function normalizeEither(algorithm: unknown, first: string, second: string): [Normalized, boolean] {
  try {
    return [normalize(algorithm, first), true];
  } catch {
    return [normalize(algorithm, second), false];
  }
}

export async function unwrapKey(
  format: string,
  wrapped: unknown,
  unwrappingKey: unknown,
  algorithm: unknown,
  keyAlgorithm: unknown,
  extractable: unknown,
  usages: unknown,
): Promise<unknown> {
  format = formatArgument(format, "unwrapKey", 0);
  const data = bytesCopy(wrapped, "unwrapKey", 1);
  keyArgument(unwrappingKey, "unwrapKey", 2);
  const names = usagesArgument(usages, "unwrapKey", 6);
  const [normalized, isWrap] = normalizeEither(algorithm, "unwrapKey", "decrypt");
  const importAlgorithm = normalize(keyAlgorithm, "importKey");
  checkKey(unwrappingKey, normalized, "unwrapKey");
  const { wrap, decrypt: run } = moduleOf(normalized.name);
  const bytes = isWrap ? wrap(false, unwrappingKey, data) : await result(run(normalized, unwrappingKey, data));
  let given: Uint8Array | Jwk = new Uint8Array(bytes);
  if (format === "jwk") {
    try {
      given = jwkArgument(JSON.parse(Buffer.from(bytes).toString("utf8")), "unwrapKey");
    } catch (error) {
      throw domException("Invalid wrapped JWK key", "DataError", error);
    }
  }
  return importNormalized(format, given, importAlgorithm, !!extractable, names);
}

export async function getPublicKey(key: unknown, usages: unknown): Promise<unknown> {
  keyArgument(key, "getPublicKey", 0);
  const names = usagesArgument(usages, "getPublicKey", 1);
  const { handle, algorithm } = internalsOf(key);
  if (handle.type === "secret") throw domException("key must be a private key", "NotSupportedError");
  if (handle.type !== "private") throw domException("key must be a private key", "InvalidAccessError");
  return moduleOf(algorithm.name).getPublicKey(key, names);
}

export async function encapsulateBits(algorithm: unknown, key: unknown): Promise<unknown> {
  keyArgument(key, "encapsulateBits", 1);
  checkKey(key, normalize(algorithm, "encapsulate"), "encapsulateBits");
  return require("internal/crypto/subtle/pairs").encapsulate(key);
}

export async function encapsulateKey(
  algorithm: unknown,
  key: unknown,
  shared: unknown,
  extractable: unknown,
  usages: unknown,
): Promise<unknown> {
  keyArgument(key, "encapsulateKey", 1);
  const names = usagesArgument(usages, "encapsulateKey", 4);
  const normalized = normalize(algorithm, "encapsulate");
  const importAlgorithm = normalize(shared, "importKey");
  checkKey(key, normalized, "encapsulateKey");
  const { sharedKey, ciphertext } = require("internal/crypto/subtle/pairs").encapsulate(key);
  const made = importNormalized("raw-secret", new Uint8Array(sharedKey), importAlgorithm, !!extractable, names);
  return { sharedKey: made, ciphertext };
}

export async function decapsulateBits(algorithm: unknown, key: unknown, ciphertext: unknown): Promise<ArrayBuffer> {
  keyArgument(key, "decapsulateBits", 1);
  const bytes = bytesArgument(ciphertext, "decapsulateBits", 2);
  checkKey(key, normalize(algorithm, "decapsulate"), "decapsulateBits");
  return require("internal/crypto/subtle/pairs").decapsulate(key, bytes);
}

export async function decapsulateKey(
  algorithm: unknown,
  key: unknown,
  ciphertext: unknown,
  shared: unknown,
  extractable: unknown,
  usages: unknown,
): Promise<unknown> {
  keyArgument(key, "decapsulateKey", 1);
  const bytes = bytesArgument(ciphertext, "decapsulateKey", 2);
  const names = usagesArgument(usages, "decapsulateKey", 5);
  const normalized = normalize(algorithm, "decapsulate");
  const importAlgorithm = normalize(shared, "importKey");
  checkKey(key, normalized, "decapsulateKey");
  const secret = require("internal/crypto/subtle/pairs").decapsulate(key, bytes);
  return importNormalized("raw-secret", new Uint8Array(secret), importAlgorithm, !!extractable, names);
}

/** SubtleCrypto.supports(): whether an algorithm can be used for an operation. */
export function supports(operation: string, algorithm: unknown, other: unknown): boolean {
  try {
    switch (`${operation}`) {
      case "wrapKey":
      case "unwrapKey":
        normalizeEither(algorithm, `${operation}`, operation === "wrapKey" ? "encrypt" : "decrypt");
        return other == null || (normalize(other, operation === "wrapKey" ? "exportKey" : "importKey"), true);
      case "deriveKey": {
        normalize(algorithm, "deriveBits");
        normalize(other, "importKey");
        normalize(other, "getKeyLength");
        return true;
      }
      case "getPublicKey":
        return !SECRETS.test(normalize(algorithm, "exportKey").name);
      case "encapsulateBits":
      case "encapsulateKey":
        normalize(algorithm, "encapsulate");
        return operation === "encapsulateBits" || (normalize(other, "importKey"), true);
      case "decapsulateBits":
      case "decapsulateKey":
        normalize(algorithm, "decapsulate");
        return operation === "decapsulateBits" || (normalize(other, "importKey"), true);
      case "digest":
      case "encrypt":
      case "decrypt":
      case "sign":
      case "verify":
      case "generateKey":
      case "importKey":
      case "exportKey":
      case "deriveBits": {
        const normalized = normalize(algorithm, operation);
        if (operation === "generateKey" && SECRETS.test(normalized.name))
          moduleOf(normalized.name).getKeyLength(normalized);
        return true;
      }
      default:
        return false;
    }
  } catch {
    return false;
  }
}

/** KeyObject.toCryptoKey(): what importKey() would make of the key. */
export function fromKeyHandle(handle: KeyHandle, algorithm: unknown, extractable: unknown, usages: unknown): unknown {
  const names = usagesArgument(usages, "importKey", 4);
  const normalized = normalize(algorithm, "importKey");
  if (handle.type === "secret") return importNormalized("raw-secret", handle.data, normalized, !!extractable, names);
  if (SECRETS.test(normalized.name) || DERIVING.test(normalized.name))
    throw domException("Invalid key type", "DataError");
  return require("internal/crypto/subtle/pairs").fromHandle(handle, normalized, !!extractable, names);
}
