// AES, ChaCha20-Poly1305, HMAC and KMAC of WebCrypto.
import type { Jwk, KeyAlgorithm, Normalized } from "internal/crypto/types";
import { internalsOf, makeCryptoKey } from "internal/crypto/crypto_key";
import { KeyHandle, toJwk } from "internal/crypto/key_handle";
import {
  arrayBuffer,
  checkJwk,
  checkUsages,
  domException,
  hashNumber,
  later,
  operationFailed,
} from "internal/crypto/subtle/normalize";

const ops = native("crypto");

/** Up to so many bytes the work takes less time than going to another thread and back. */
const SMALL = 16 * 1024;

const numbers: Record<string, number> = Object.create(null);

/** The number of a cipher for native calls. */
function cipherNumber(name: string): number {
  return (numbers[name] ??= ops.cipherInfo(name, 0)![0]);
}

const cryptUsages = ["encrypt", "decrypt", "wrapKey", "unwrapKey"];

interface Secret {
  usages: string[];
  use: "enc" | "sig";
  /** The property `alg` of a JSON Web Key, for an algorithm with a length in bits. */
  jwkName(algorithm: KeyAlgorithm): string | undefined;
  /** Algorithm of a key with so many bits; throws where it cannot have them. */
  checked(algorithm: Normalized, bytes: Uint8Array): KeyAlgorithm;
  /** Bits of a new key. Throws OperationError. */
  length(algorithm: Normalized): number;
}

const aes = (suffix: string, usages: string[]): Secret => ({
  usages,
  use: "enc",
  jwkName: (algorithm) => `A${algorithm.length}${suffix}`,
  checked(algorithm, bytes) {
    const length = bytes.length * 8;
    if (length !== 128 && length !== 192 && length !== 256) throw domException("Invalid key length", "DataError");
    return { name: algorithm.name, length };
  },
  length(algorithm) {
    if (algorithm.length !== 128 && algorithm.length !== 192 && algorithm.length !== 256) {
      throw domException("AES key length must be 128, 192, or 256 bits", "OperationError");
    }
    return algorithm.length;
  },
});

const blockBits: Record<string, number> = {
  "SHA-384": 1024,
  "SHA-512": 1024,
  "SHA3-256": 1088,
  "SHA3-384": 832,
  "SHA3-512": 576,
};

const keepBits = (algorithm: { length?: number }, bytes: Uint8Array, what: string): number => {
  const length = bytes.length * 8;
  if (algorithm.length === 0) throw domException(`${what}ImportParams.length cannot be 0`, "DataError");
  if (length === 0) throw domException("Zero-length key is not supported", "DataError");
  if (algorithm.length === undefined) return length;
  if (algorithm.length > length) throw domException("Invalid key length", "DataError");
  // As in Node; the standard has keys of which some bits are not used.
  if (algorithm.length !== length) throw domException(`Unsupported ${what}ImportParams.length`, "NotSupportedError");
  return length;
};

const hmac: Secret = {
  usages: ["sign", "verify"],
  use: "sig",
  jwkName: ({ hash }) => ({ "SHA-1": "HS1", "SHA-256": "HS256", "SHA-384": "HS384", "SHA-512": "HS512" })[hash!.name],
  checked: (algorithm, bytes) => ({
    name: "HMAC",
    length: keepBits(algorithm, bytes, "Hmac"),
    hash: { name: algorithm.hash.name },
  }),
  length(algorithm) {
    if (algorithm.length === undefined) return blockBits[algorithm.hash.name] ?? 512;
    if (algorithm.length === 0) throw domException("HmacKeyGenParams.length cannot be 0", "OperationError");
    return algorithm.length;
  },
};

const kmac: Secret = {
  usages: ["sign", "verify"],
  use: "sig",
  jwkName: ({ name }) => `K${name.slice(4)}`,
  checked: (algorithm, bytes) => ({ name: algorithm.name, length: keepBits(algorithm, bytes, "Kmac") }),
  length(algorithm) {
    if (algorithm.length === undefined) return Number(algorithm.name.slice(4));
    if (algorithm.length === 0) throw domException("KmacKeyGenParams.length cannot be 0", "OperationError");
    return algorithm.length;
  },
};

const chacha: Secret = {
  usages: cryptUsages,
  use: "enc",
  jwkName: () => "C20P",
  checked(_algorithm, bytes) {
    if (bytes.length !== 32) throw domException("Invalid key length", "DataError");
    return { name: "ChaCha20-Poly1305" };
  },
  length: () => 256,
};

const secrets: Record<string, Secret> = {
  __proto__: null as never,
  "AES-CBC": aes("CBC", cryptUsages),
  "AES-CTR": aes("CTR", cryptUsages),
  "AES-GCM": aes("GCM", cryptUsages),
  "AES-OCB": aes("OCB", cryptUsages),
  "AES-KW": aes("KW", ["wrapKey", "unwrapKey"]),
  HMAC: hmac,
  KMAC128: kmac,
  KMAC256: kmac,
  "ChaCha20-Poly1305": chacha,
};

export function generateKey(algorithm: Normalized, extractable: boolean, usages: string[]) {
  const secret = secrets[algorithm.name]!;
  checkUsages(usages, secret.usages, algorithm.name);
  const length = secret.length(algorithm);
  const bytes = ops.randomBytes(Math.ceil(length / 8));
  return makeCryptoKey(
    new KeyHandle("secret", bytes),
    secret.checked({ ...algorithm, length }, bytes),
    extractable,
    usages,
  );
}

export function getKeyLength(algorithm: Normalized): number {
  return secrets[algorithm.name]!.length(algorithm);
}

/** Formats that stand for the bytes of a secret key. */
function isRaw(format: string, name: string): boolean {
  if (format === "raw-secret") return true;
  return format === "raw" && name !== "AES-OCB" && name !== "ChaCha20-Poly1305" && !name.startsWith("KMAC");
}

export function importKey(
  format: string,
  data: Uint8Array | Jwk,
  algorithm: Normalized,
  extractable: boolean,
  usages: string[],
) {
  const { name } = algorithm;
  const secret = secrets[name]!;
  checkUsages(usages, secret.usages, name);
  let bytes: Uint8Array;
  if (isRaw(format, name)) {
    bytes = data as Uint8Array;
  } else if (format === "jwk") {
    checkJwk(data as Jwk, "oct", secret.use, extractable, usages);
    if (typeof (data as Jwk).k !== "string" || !/^[\w-]*$/.test((data as Jwk).k!))
      throw domException("Invalid keyData", "DataError");
    bytes = new Uint8Array(Buffer.from((data as Jwk).k!, "base64url"));
  } else {
    throw domException(`Unable to import ${name} using ${format} format`, "NotSupportedError");
  }
  const made = secret.checked(algorithm, bytes);
  if (format === "jwk" && (data as Jwk).alg !== undefined) {
    const wanted = secret.jwkName(made);
    if (wanted !== undefined && (data as Jwk).alg !== wanted)
      throw domException('JWK "alg" does not match the requested algorithm', "DataError");
  }
  return makeCryptoKey(new KeyHandle("secret", bytes), made, extractable, usages);
}

export function exportKey(format: string, key: unknown): ArrayBufferLike | Jwk | undefined {
  const { handle, algorithm } = internalsOf(key);
  if (isRaw(format, algorithm.name)) return handle.data.slice().buffer;
  if (format !== "jwk") return undefined;
  const jwk = toJwk(handle);
  const alg = secrets[algorithm.name]!.jwkName(algorithm);
  return alg === undefined ? jwk : { alg, ...jwk };
}

function sliceBits(code: Uint8Array, other: Uint8Array): boolean {
  return code.length === other.length && ops.timingSafeEqual(code, other);
}

export function sign(
  algorithm: Normalized,
  key: unknown,
  data: Uint8Array,
): Uint8Array<ArrayBuffer> | Promise<Uint8Array> {
  const { handle, algorithm: own } = internalsOf(key);
  if (algorithm.name !== "HMAC") {
    const bits = Number(algorithm.name.slice(4));
    if (algorithm.length % 8 !== 0) throw domException("Unsupported KmacParams length", "NotSupportedError");
    return ops.kmac(bits, handle.data, algorithm.customization ?? new Uint8Array(0), data, algorithm.length / 8, true);
  }
  const hash = hashNumber(own.hash!);
  if (data.length <= SMALL) return ops.hmacBytes(hash, handle.data, data);
  return later((callback) => ops.hmacLater(hash, handle.data, data, callback));
}

export async function verify(
  algorithm: Normalized,
  key: unknown,
  data: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const code = sign(algorithm, key, data);
  // The signature may be changed while another thread works.
  return code instanceof Promise
    ? ((signature = signature.slice()), sliceBits(await code, signature))
    : sliceBits(code, signature);
}

const bitsOf = (key: unknown) => internalsOf(key).handle.data.length * 8;

const ciphers: Record<string, string> = {
  __proto__: null as never,
  "AES-GCM": "gcm",
  "AES-OCB": "ocb",
  "AES-CBC": "cbc",
  "AES-CTR": "ctr",
  "AES-KW": "ecb",
};

function cipherOf(key: unknown, name: string): number {
  return cipherNumber(name === "ChaCha20-Poly1305" ? "chacha20-poly1305" : `aes-${bitsOf(key)}-${ciphers[name]}`);
}

const MAX_IV = 2 ** 32;

/** The bytes of a tag. */
function tagLength(algorithm: Normalized): number {
  const { name, tagLength: asked = 128, iv } = algorithm;
  const allowed = name === "AES-GCM" ? [32, 64, 96, 104, 112, 120, 128] : name === "AES-OCB" ? [64, 96, 128] : [128];
  if (!allowed.includes(asked)) throw domException(`${asked} is not a valid ${name} tag length`, "OperationError");
  if (
    name === "AES-GCM"
      ? iv.length === 0 || iv.length >= MAX_IV
      : name === "AES-OCB"
        ? iv.length < 1 || iv.length > 15
        : iv.length !== 12
  ) {
    throw domException(`${name} algorithm.iv has a wrong length`, "OperationError");
  }
  return asked / 8;
}

const empty = new Uint8Array(0);

function crypt(
  encrypting: boolean,
  algorithm: Normalized,
  key: unknown,
  data: Uint8Array,
): Uint8Array | Promise<Uint8Array> {
  const { data: bytes } = internalsOf(key).handle;
  const { name } = algorithm;
  const number = cipherOf(key, name);
  const failed = (out: Uint8Array | undefined) => {
    if (out === undefined) throw operationFailed();
    return out;
  };
  if (name === "AES-CBC" || name === "AES-CTR") {
    const isCounter = name === "AES-CTR";
    const block: Uint8Array = isCounter ? algorithm.counter : algorithm.iv;
    if (block.length !== 16) {
      throw domException(
        isCounter ? "AES-CTR algorithm.counter must be 16 bytes" : "algorithm.iv must contain exactly 16 bytes",
        "OperationError",
      );
    }
    const bits = isCounter ? algorithm.length : 0;
    if (isCounter && (bits === 0 || bits > 128)) {
      throw domException("AES-CTR algorithm.length must be between 1 and 128", "OperationError");
    }
    if (isCounter && bits < 53 && Math.ceil(data.length / 16) > 2 ** bits) throw operationFailed();
    const options = [number, encrypting ? 1 : 0, bits];
    if (data.length <= SMALL) return failed(ops.cipherSync(options, bytes, block, data));
    return later<Uint8Array | undefined>((callback) => ops.cipherLater(options, bytes, block, data, callback)).then(
      failed,
    );
  }
  const length = tagLength(algorithm);
  if (!encrypting && data.length < length) throw domException("The provided data is too small.", "OperationError");
  const options = [number, encrypting ? 1 : 0, length];
  const associated = algorithm.additionalData ?? empty;
  if (data.length <= SMALL) return failed(ops.aeadSync(options, bytes, algorithm.iv, associated, data));
  return later<Uint8Array | undefined>((callback) =>
    ops.aeadLater(options, bytes, algorithm.iv, associated, data, callback),
  ).then(failed);
}

export const encrypt = (algorithm: Normalized, key: unknown, data: Uint8Array) => crypt(true, algorithm, key, data);
export const decrypt = (algorithm: Normalized, key: unknown, data: Uint8Array) => crypt(false, algorithm, key, data);

/** AES-KW of the bytes of a key. */
export function wrap(wrapping: boolean, key: unknown, data: Uint8Array): ArrayBuffer {
  if (wrapping ? data.length % 8 !== 0 || data.length < 16 : data.length % 8 !== 0 || data.length < 24)
    throw operationFailed();
  const out = ops.aesWrap(wrapping, internalsOf(key).handle.data, data);
  if (out === undefined) throw operationFailed();
  return arrayBuffer(out);
}
