// "Normalizing an algorithm" of WebCrypto (https://w3c.github.io/webcrypto/#algorithm-normalization-normalize-an-algorithm):
// which algorithms there are, for which operations, and what their dictionaries hold.
import type { Jwk, Normalized } from "internal/crypto/types";
import { isCryptoKey } from "internal/crypto/crypto_key";
import { getTypedLength, isUint8Array } from "internal/buffer/base";
import { isAnyArrayBuffer, isSharedArrayBuffer } from "internal/util/types";

const { isView } = ArrayBuffer;

export function domException(message: string, name: string, cause?: unknown): Error {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(message, cause === undefined ? name : { name, cause });
}

const notSupported = () => domException("Unrecognized algorithm name", "NotSupportedError");
export const operationFailed = (cause?: unknown) =>
  domException("The operation failed for an operation-specific reason", "OperationError", cause);

function typeError(message: string, code: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = code;
  return error;
}

/** Whether a view is on memory that threads share. */
function isOnShared({ buffer }: ArrayBufferView): boolean {
  // What it nearly always is, without the calls that tell the others apart.
  return !(buffer instanceof ArrayBuffer) && isSharedArrayBuffer(buffer);
}

/** The bytes of a BufferSource as they are now, in memory of their own. */
export function bufferCopy(value: unknown, what: string): Uint8Array {
  // The usual case without a view on the way.
  const bytes = isUint8Array(value) && !isOnShared(value) ? value : bufferSource(value, what);
  const copy = new Uint8Array(getTypedLength.call(bytes));
  copy.set(bytes);
  return copy;
}

/** The bytes of a BufferSource as they are now; a view on the same memory. */
export function bufferSource(value: unknown, what: string): Uint8Array {
  if (isView(value)) {
    if (isOnShared(value))
      throw typeError(`${what} is a view on a SharedArrayBuffer, which is not allowed.`, "ERR_INVALID_ARG_TYPE");
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  if (isAnyArrayBuffer(value) && !isSharedArrayBuffer(value)) return new Uint8Array(value);
  throw typeError(`${what} is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.`, "ERR_INVALID_ARG_TYPE");
}

function integer(bits: number) {
  const max = 2 ** bits - 1;
  return (value: unknown, what: string): number => {
    if (typeof value === "bigint" || typeof value === "symbol") {
      throw typeError(
        `${what} is a ${typeof value === "bigint" ? "BigInt" : "Symbol"} and cannot be converted to a number.`,
        "ERR_INVALID_ARG_TYPE",
      );
    }
    const number = Number(value);
    if (!Number.isFinite(number)) throw typeError(`${what} is not a finite number.`, "ERR_INVALID_ARG_TYPE");
    const whole = Math.trunc(number);
    if (whole < 0 || whole > max)
      throw typeError(`${what} is outside the expected range of 0 to ${max}.`, "ERR_OUT_OF_RANGE");
    return whole + 0;
  };
}

const octet = integer(8);
const ushort = integer(16);
export const ulong = integer(32);
// A copy: the bytes must stay as they were when the call was made.
const bytes = bufferCopy;
const hash = (value: unknown): Normalized => normalize(value, "digest");
const text = (value: unknown, what: string) => {
  if (typeof value === "symbol")
    throw typeError(`${what} is a Symbol and cannot be converted to a string.`, "ERR_INVALID_ARG_TYPE");
  return `${value}`;
};
const bigInteger = (value: unknown, what: string) => {
  if (!isUint8Array(value)) throw typeError(`${what} is not an Uint8Array object.`, "ERR_INVALID_ARG_TYPE");
  return value.slice();
};
const cryptoKey = (value: unknown, what: string) => {
  if (!isCryptoKey(value)) throw typeError(`${what} is not of type CryptoKey.`, "ERR_INVALID_ARG_TYPE");
  return value;
};

/** Members of a dictionary in the order in which they are read; those with a mark have to be there. */
type Members = [name: string, convert: (value: unknown, what: string) => unknown, required: boolean][];

const none: [string, Members] = ["Algorithm", []];
const dictionaries: Record<string, [string, Members]> = {
  hmac: [
    "HmacKeyGenParams",
    [
      ["hash", hash, true],
      ["length", ulong, false],
    ],
  ],
  hmacImport: [
    "HmacImportParams",
    [
      ["hash", hash, true],
      ["length", ulong, false],
    ],
  ],
  rsaGenerate: [
    "RsaHashedKeyGenParams",
    [
      ["hash", hash, true],
      ["modulusLength", ulong, true],
      ["publicExponent", bigInteger, true],
    ],
  ],
  rsaImport: ["RsaHashedImportParams", [["hash", hash, true]]],
  pss: ["RsaPssParams", [["saltLength", ulong, true]]],
  oaep: ["RsaOaepParams", [["label", bytes, false]]],
  ec: ["EcKeyGenParams", [["namedCurve", text, true]]],
  ecdsa: ["EcdsaParams", [["hash", hash, true]]],
  ecdh: ["EcdhKeyDeriveParams", [["public", cryptoKey, true]]],
  aesKey: ["AesKeyGenParams", [["length", ushort, true]]],
  aesLength: ["AesDerivedKeyParams", [["length", ushort, true]]],
  ctr: [
    "AesCtrParams",
    [
      ["counter", bytes, true],
      ["length", octet, true],
    ],
  ],
  cbc: ["AesCbcParams", [["iv", bytes, true]]],
  gcm: [
    "AeadParams",
    [
      ["additionalData", bytes, false],
      ["iv", bytes, true],
      ["tagLength", octet, false],
    ],
  ],
  hkdf: [
    "HkdfParams",
    [
      ["hash", hash, true],
      ["info", bytes, true],
      ["salt", bytes, true],
    ],
  ],
  pbkdf2: [
    "Pbkdf2Params",
    [
      ["hash", hash, true],
      ["iterations", ulong, true],
      ["salt", bytes, true],
    ],
  ],
  context: ["ContextParams", [["context", bytes, false]]],
  cshake: [
    "CShakeParams",
    [
      ["customization", bytes, false],
      ["functionName", bytes, false],
      ["length", ulong, true],
    ],
  ],
  kmac: [
    "KmacParams",
    [
      ["customization", bytes, false],
      ["length", ulong, true],
    ],
  ],
  kmacKey: ["KmacKeyGenParams", [["length", ulong, false]]],
  argon2: [
    "Argon2Params",
    [
      ["associatedData", bytes, false],
      ["memory", ulong, true],
      ["nonce", bytes, true],
      ["parallelism", ulong, true],
      ["passes", ulong, true],
      ["secretValue", bytes, false],
      ["version", octet, false],
    ],
  ],
};

type Table = Record<string, [canonical: string, dictionary: [string, Members]]>;

function table(entries: Record<string, string>): Table {
  const out: Table = Object.create(null);
  for (const name in entries) {
    const dictionary = entries[name] === "" ? none : dictionaries[entries[name]!]!;
    for (const one of name.split(" ")) out[one] = out[one.toLowerCase()] = [one, dictionary];
  }
  return out;
}

const AES = "AES-CBC AES-CTR AES-GCM AES-OCB AES-KW";
const OKP = "Ed25519 X25519 Ed448 X448";
const RSA = "RSASSA-PKCS1-v1_5 RSA-PSS RSA-OAEP";
const DSA = "ML-DSA-44 ML-DSA-65 ML-DSA-87";
const KEM = "ML-KEM-512 ML-KEM-768 ML-KEM-1024";
const KMAC = "KMAC128 KMAC256";
const ARGON = "Argon2d Argon2i Argon2id";
const ciphers = { "RSA-OAEP": "oaep", "AES-CTR": "ctr", "AES-CBC": "cbc", "AES-GCM AES-OCB ChaCha20-Poly1305": "gcm" };
const signatures = {
  "HMAC RSASSA-PKCS1-v1_5 Ed25519": "",
  Ed448: "context",
  "RSA-PSS": "pss",
  ECDSA: "ecdsa",
  [DSA]: "context",
  [KMAC]: "kmac",
};

const makers: Record<string, () => Table> = {
  digest: () =>
    table({ "SHA-1 SHA-256 SHA-384 SHA-512 SHA3-256 SHA3-384 SHA3-512": "", "cSHAKE128 cSHAKE256": "cshake" }),
  encrypt: () => table(ciphers),
  decrypt: () => table(ciphers),
  sign: () => table(signatures),
  verify: () => table(signatures),
  generateKey: () =>
    table({
      [RSA]: "rsaGenerate",
      "ECDSA ECDH": "ec",
      [AES]: "aesKey",
      HMAC: "hmac",
      [`${OKP} ${DSA} ${KEM} ChaCha20-Poly1305`]: "",
      [KMAC]: "kmacKey",
    }),
  deriveBits: () => table({ "ECDH X25519 X448": "ecdh", HKDF: "hkdf", PBKDF2: "pbkdf2", [ARGON]: "argon2" }),
  importKey: () =>
    table({
      [RSA]: "rsaImport",
      "ECDSA ECDH": "ec",
      HMAC: "hmacImport",
      [`${OKP} ${AES} ${DSA} ${KEM} ${ARGON} HKDF PBKDF2 ChaCha20-Poly1305`]: "",
      [KMAC]: "kmacKey",
    }),
  exportKey: () => table({ [`${RSA} ECDSA ECDH HMAC ${OKP} ${AES} ${DSA} ${KEM} ${KMAC} ChaCha20-Poly1305`]: "" }),
  wrapKey: () => table({ "AES-KW": "" }),
  unwrapKey: () => table({ "AES-KW": "" }),
  getKeyLength: () =>
    table({
      [AES]: "aesLength",
      HMAC: "hmacImport",
      [KMAC]: "kmacKey",
      [`HKDF PBKDF2 ${ARGON} ChaCha20-Poly1305`]: "",
    }),
  encapsulate: () => table({ [KEM]: "" }),
  decapsulate: () => table({ [KEM]: "" }),
};
const tables: Record<string, Table> = Object.create(null);

/** Names match without regard to the case of ASCII letters only: the Kelvin sign is no K. */
function asciiLower(name: string): string {
  return /^[\0-\x7f]*$/.test(name) ? name.toLowerCase() : name;
}

/**
 * A dictionary with the canonical `name` and its members converted. Throws NotSupportedError for an algorithm that has no
 * such operation, TypeError for members that are missing or wrong.
 */
export function normalize<T>(algorithm: T, operation: string): Normalized;
export function normalize(algorithm: string | { [member: string]: unknown }, operation: string): Normalized {
  const isObject = algorithm !== null && (typeof algorithm === "object" || typeof algorithm === "function");
  let name: unknown = algorithm;
  if (isObject) {
    name = algorithm.name;
    if (name === undefined) {
      throw typeError(
        "Failed to normalize algorithm: passed algorithm can not be converted to 'Algorithm' because 'name' is required in 'Algorithm'.",
        "ERR_MISSING_OPTION",
      );
    }
  }
  name = text(name, "Failed to normalize algorithm: name");
  const known = (tables[operation] ??= makers[operation]!());
  const entry = known[name as string] ?? known[asciiLower(name as string)];
  if (entry === undefined) throw notSupported();
  const out: { name: string; [member: string]: unknown } = { name: entry[0] };
  const [dictionary, members] = entry[1];
  for (const [member, convert, required] of members) {
    const value = isObject ? algorithm[member] : undefined;
    if (value !== undefined) {
      out[member] = convert(value, `Failed to normalize algorithm: '${member}' of '${dictionary}' (passed algorithm)`);
    } else if (required) {
      throw typeError(
        `Failed to normalize algorithm: passed algorithm can not be converted to '${dictionary}' because '${member}' is required in '${dictionary}'.`,
        "ERR_MISSING_OPTION",
      );
    }
  }
  return out as unknown as Normalized;
}

/** Throws SyntaxError if a usage is not one of those that a key may have. */
export function checkUsages(usages: string[], allowed: string[], name: string): void {
  if (usages.some((usage) => !allowed.includes(usage))) {
    const what = name.startsWith("AES")
      ? "an AES"
      : name.startsWith("RSA")
        ? "an RSA"
        : name === "HMAC"
          ? name
          : `a ${name}`;
    throw domException(`Unsupported key usage for ${what} key`, "SyntaxError");
  }
}

/** Checks what all JSON Web Keys have in common, before an import. */
export function checkJwk(jwk: Jwk, kty: string, use: string, extractable: boolean, usages: string[]): void {
  if (!jwk.kty) throw domException("Invalid keyData", "DataError");
  if (jwk.kty !== kty) throw domException('Invalid JWK "kty" Parameter', "DataError");
  if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use)
    throw domException('Invalid JWK "use" Parameter', "DataError");
  if (jwk.key_ops !== undefined) {
    const operations = jwk.key_ops;
    if (new Set(operations).size !== operations.length) throw domException("Duplicate key operation", "DataError");
    if (usages.some((usage) => !operations.includes(usage))) {
      throw domException("Key operations and usage mismatch", "DataError");
    }
  }
  if (jwk.ext !== undefined && jwk.ext === false && extractable) {
    throw domException('JWK "ext" Parameter and extractable mismatch', "DataError");
  }
}

/** The hash function of a normalised hash for native code. */
export function hashNumber(algorithm: { name: string }): number {
  return require("internal/crypto/hashes").findHash(algorithm.name)!.id;
}

/** A promise of what a native function calls back with. */
export function later<T = Uint8Array>(
  call: (callback: (error: Error | undefined, value: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));
}

export const arrayBuffer = (view: Uint8Array): ArrayBuffer =>
  (view.byteLength === view.buffer.byteLength ? view.buffer : view.slice().buffer) as ArrayBuffer;
