// Bun.CryptoHasher, Bun.sha and the classes of single algorithms (https://bun.com/docs/runtime/hashing#bun-cryptohasher).
// node:crypto does the work.
import type { Hmacker } from "internal/crypto/hash";
import { bytesOf, blobBytes, constructorOnly, invalidType } from "bun/util";

/** Largest digest there is; Bun wants room for it in any case. */
const MOST = 64;

/** Bun's names of the algorithms, what node:crypto calls them, and the length of their digests in bytes. */
const algorithms: Record<string, [string, number]> = {
  __proto__: null as never,
  blake2b256: ["blake2b256", 32],
  blake2b512: ["blake2b512", 64],
  blake2s256: ["blake2s256", 32],
  md4: ["md4", 16],
  md5: ["md5", 16],
  ripemd160: ["ripemd160", 20],
  sha1: ["sha1", 20],
  sha224: ["sha224", 28],
  sha256: ["sha256", 32],
  sha384: ["sha384", 48],
  sha512: ["sha512", 64],
  "sha512-224": ["sha512-224", 28],
  "sha512-256": ["sha512-256", 32],
  "sha3-224": ["sha3-224", 28],
  "sha3-256": ["sha3-256", 32],
  "sha3-384": ["sha3-384", 48],
  "sha3-512": ["sha3-512", 64],
  shake128: ["shake128", 16],
  shake256: ["shake256", 32],
};

const aliases: Record<string, string> = {
  __proto__: null as never,
  "sha-1": "sha1",
  "sha-224": "sha224",
  "sha-256": "sha256",
  "sha-384": "sha384",
  "sha-512": "sha512",
  "sha-512/224": "sha512-224",
  "sha-512_224": "sha512-224",
  "sha-512224": "sha512-224",
  "sha512/224": "sha512-224",
  "sha-512/256": "sha512-256",
  "sha-512_256": "sha512-256",
  "sha-512256": "sha512-256",
  "sha512/256": "sha512-256",
  rmd160: "ripemd160",
  sha128: "sha1",
};

function find(name: unknown, quoted = false): string {
  if (typeof name !== "string") throw invalidType("algorithm must be a string");
  let key = name.toLowerCase();
  key = aliases[key] ?? key;
  if (algorithms[key] === undefined) throw invalidType(`Unsupported algorithm ${quoted ? JSON.stringify(name) : name}`);
  return key;
}

function inputOf(
  input: unknown,
  kinds = "input must be a string, ArrayBuffer, ArrayBufferView or Blob",
): string | Uint8Array {
  if (typeof input === "string") return input;
  const bytes = typeof input === "object" && input !== null ? (bytesOf(input) ?? blobBytes(input)) : undefined;
  if (bytes === undefined) throw invalidType(kinds);
  return bytes;
}

const encodings = /^(?:hex|base64|base64url|utf-?8|latin1|binary|ascii|utf16le|utf-16le|ucs2|ucs-2|buffer)$/i;

/** Calls `finish` with an encoding, or for a Buffer; writes into `output` if that is a view. */
function deliver(output: unknown, most: number, finish: (encoding?: string) => string | Uint8Array): unknown {
  if (typeof output === "string") {
    if (!encodings.test(output)) {
      const error: NodeError = new TypeError(`Unknown encoding: ${output}`);
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    return output === "buffer" ? finish() : finish(output.toLowerCase());
  }
  if (output === undefined || output === null) return finish();
  const target = bytesOf(output);
  if (target === undefined) throw invalidType("output must be of type string or ArrayBuffer or ArrayBufferView");
  if (target.byteLength < most) throw invalidType(`TypedArray must be at least ${most} bytes`);
  target.set(finish() as Uint8Array);
  return output;
}

const create = (name: string) => {
  const [algorithm, length] = algorithms[name]!;
  return require("node:crypto").createHash(algorithm, name.startsWith("shake") ? { outputLength: length } : undefined);
};

/** The digest of data that is all there. */
function once(name: string, data: string | Uint8Array, encoding = "buffer"): string | Uint8Array {
  if (!name.startsWith("shake")) return require("node:crypto").hash(algorithms[name]![0], data, encoding);
  return create(name)
    .update(data)
    .digest(encoding === "buffer" ? undefined : encoding);
}

/** A hash or HMAC of node:crypto. */
interface State {
  update(data: string | Uint8Array, encoding?: unknown): State;
  digest(encoding?: string): string | Uint8Array;
  /** Of a hash only. */
  copy?(): State;
}

class CryptoHasher {
  #name: string;
  /** Undefined after the digest of an HMAC. */
  #state: State | undefined;
  #isHmac: boolean;

  /**
   * @param algorithm one of `CryptoHasher.algorithms`
   * @param key of an HMAC; without one it is a plain hash
   */
  constructor(algorithm: unknown, key?: unknown) {
    if (algorithm === kCopy) {
      [this.#name, this.#state, this.#isHmac] = key as [string, State, boolean];
      return;
    }
    this.#name = find(algorithm);
    this.#isHmac = key !== undefined && key !== null;
    this.#state = this.#isHmac
      ? require("node:crypto").createHmac(
          algorithms[this.#name]![0],
          inputOf(key, "hmacKey must be a string, ArrayBuffer or ArrayBufferView"),
        )
      : create(this.#name);
  }

  static get algorithms(): string[] {
    return Object.keys(algorithms);
  }

  /** The digest of `input`: a Buffer, text in an encoding, or written into a view. */
  static hash(algorithm: unknown, input: unknown, output?: unknown): unknown {
    const name = find(algorithm, true);
    const data = inputOf(input);
    return deliver(output, algorithms[name]![1], (encoding) => once(name, data, encoding));
  }

  get algorithm(): string {
    return this.#name;
  }

  /** Bytes of the digest; an error after the digest of an HMAC. */
  get byteLength(): number {
    this.#usable();
    return algorithms[this.#name]![1];
  }

  #usable(): State {
    if (this.#state === undefined) throw new Error("HMAC has been consumed and is no longer usable");
    return this.#state;
  }

  update(input: unknown, encoding?: unknown): this {
    const state = this.#usable();
    state.update(inputOf(input), typeof input === "string" ? encoding : undefined);
    return this;
  }

  copy(): CryptoHasher {
    const state = this.#usable();
    const copy = this.#isHmac ? require("internal/crypto/hash").copyHmac(state as unknown as Hmacker) : state.copy!();
    return new CryptoHasher(kCopy, [this.#name, copy, this.#isHmac]);
  }

  /** The digest; a hash begins anew after it. */
  digest(output?: unknown): unknown {
    const state = this.#usable();
    return deliver(output, MOST, (encoding) => {
      this.#state = this.#isHmac ? undefined : create(this.#name);
      return state.digest(encoding);
    });
  }
}
Object.defineProperty(CryptoHasher, "length", { value: 0 });
Object.defineProperty(CryptoHasher.prototype, Symbol.toStringTag, { value: "CryptoHasher", configurable: true });

const kCopy = Symbol("copy");

/** A class for one algorithm. */
function single(className: string, name: string) {
  const size = algorithms[name]![1];
  const plain = (digest: string | Uint8Array) => (typeof digest === "string" ? digest : new Uint8Array(digest));
  const Class = {
    [className]: class {
      #state: State | undefined = create(name);

      static readonly byteLength = size;

      static hash(input: unknown, output?: unknown): unknown {
        const data = inputOf(input);
        return typeof output === "object" && output !== null
          ? deliver(output, size, () => once(name, data))
          : deliver(output, size, (encoding) => plain(once(name, data, encoding)));
      }

      get byteLength(): number {
        return size;
      }

      #usable(what: string): State {
        if (this.#state !== undefined) return this.#state;
        const error: NodeError = new Error(`${className} hasher already digested, create a new instance to ${what}`);
        error.code = "ERR_INVALID_STATE";
        throw error;
      }

      update(input: unknown) {
        this.#usable("update").update(inputOf(input));
        return this;
      }

      digest(output?: unknown): unknown {
        const state = this.#usable("digest again");
        return deliver(output, size, (encoding) => {
          this.#state = undefined;
          const digest = state.digest(encoding);
          return typeof output === "object" && output !== null ? digest : plain(digest);
        });
      }
    },
  }[className]!;
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: className, configurable: true });
  return constructorOnly(Class);
}

const PublicHasher = constructorOnly(CryptoHasher);
Object.defineProperty(CryptoHasher.prototype, "constructor", {
  value: PublicHasher,
  configurable: true,
  writable: true,
});
export { PublicHasher as CryptoHasher };
export const MD4 = single("MD4", "md4");
export const MD5 = single("MD5", "md5");
export const SHA1 = single("SHA1", "sha1");
export const SHA224 = single("SHA224", "sha224");
export const SHA256 = single("SHA256", "sha256");
export const SHA384 = single("SHA384", "sha384");
export const SHA512 = single("SHA512", "sha512");
export const SHA512_256 = single("SHA512_256", "sha512-256");

/** SHA-512/256 of `input`. */
export function sha(input: unknown, output?: unknown): unknown {
  return SHA512_256.hash(input, output);
}
Object.defineProperty(sha, "length", { value: 1 });
