// WebCrypto (https://w3c.github.io/webcrypto/): the classes. What SubtleCrypto does is in internal/crypto/subtle, which is
// loaded when it is first used.
import { CryptoKey } from "internal/crypto/crypto_key";
import { findHash } from "internal/crypto/hashes";
import { STOCK_MAX, takeRandom } from "internal/crypto/random_pool";
import { codes } from "internal/core/errors";
import { isSharedArrayBuffer, isUint8Array, typedArrayTag } from "internal/util/types";

const ops = native("crypto");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

/** Up to this size hashing takes less time than going to another thread and back. */
const SMALL = 16 * 1024;

const MAX_RANDOM_VALUES = 65536;

const quickHashes: Record<string, string> = {
  __proto__: null as never,
  "SHA-1": "sha1",
  "SHA-256": "sha256",
  "SHA-384": "sha384",
  "SHA-512": "sha512",
};

/** Throws where `this` is no SubtleCrypto, or arguments are missing. */
let check: (value: unknown, method: string, wanted: number, present: number) => void;

/** Only this module makes objects of these classes. */
const kMake = Symbol("make");

function domException(message: string, name: string): Error {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(message, name);
}

function illegalConstructor(): Error {
  const error: NodeError = new TypeError("Illegal constructor");
  error.code = "ERR_ILLEGAL_CONSTRUCTOR";
  return error;
}

function missing(method: string, owner: string, wanted: number, present: number): Error {
  const plural = wanted === 1 ? "argument" : "arguments";
  const error: NodeError = new TypeError(
    `Failed to execute '${method}' on '${owner}': ${wanted} ${plural} required, but only ${present} present.`,
  );
  error.code = "ERR_MISSING_ARGS";
  return error;
}

type Operations = typeof import("internal/crypto/subtle/main");
let loaded: Operations | undefined;
const operations = (): Operations => (loaded ??= require("internal/crypto/subtle/main"));

class SubtleCrypto {
  #made = true;

  constructor(token?: symbol) {
    if (token !== kMake) throw illegalConstructor();
  }

  static {
    Object.defineProperty(this, "length", { value: 0, configurable: true });
    check = (value, method, wanted, present) => {
      if (value == null || typeof value !== "object" || !(#made in value))
        throw new codes.ERR_INVALID_THIS("SubtleCrypto");
      if (present < wanted) throw missing(method, "SubtleCrypto", wanted, present);
    };
  }

  /** Whether an algorithm can be used for an operation. */
  static supports(operation: string, algorithm: unknown, other: unknown = null): boolean {
    if (typeof this !== "function" || (this !== SubtleCrypto && !(this.prototype instanceof SubtleCrypto))) {
      throw new codes.ERR_INVALID_THIS("SubtleCrypto constructor");
    }
    return operations().supports(operation, algorithm, other);
  }

  /** The hash of the bytes of a buffer or view, as they are at the time of the call. */
  async digest(algorithm: unknown, data: unknown): Promise<ArrayBuffer> {
    check(this, "digest", 2, arguments.length);
    // The usual case without the modules of the rest.
    const hash = typeof algorithm === "string" ? quickHashes[algorithm] : undefined;
    if (hash !== undefined && isUint8Array(data) && data.byteLength <= SMALL && !isSharedArrayBuffer(data.buffer)) {
      const { id, length } = findHash(hash)!;
      return ops.hashBytes(id, data, length).buffer;
    }
    return operations().digest(algorithm, data);
  }

  [inspectCustom](depth: number | null, options: unknown) {
    return depth !== null && depth < 0 ? this : `SubtleCrypto ${require("internal/util/inspect").inspect({}, options)}`;
  }
}

// The other methods, with the numbers of arguments of the standard: all reject where they cannot work.
for (const [name, length] of Object.entries({
  encrypt: 3,
  decrypt: 3,
  sign: 3,
  verify: 4,
  generateKey: 3,
  deriveKey: 5,
  deriveBits: 2,
  importKey: 5,
  exportKey: 2,
  wrapKey: 4,
  unwrapKey: 7,
  getPublicKey: 2,
  encapsulateBits: 2,
  encapsulateKey: 5,
  decapsulateBits: 3,
  decapsulateKey: 6,
})) {
  type Operation = (
    a: unknown,
    b: unknown,
    c: unknown,
    d: unknown,
    e: unknown,
    f: unknown,
    g: unknown,
  ) => Promise<unknown>;
  const method = {
    // Not an async function, and without a list of arguments: both would cost as much as an import of a key.
    [name](a: unknown, b: unknown, c: unknown, d: unknown, e: unknown, f: unknown, g: unknown): Promise<unknown> {
      try {
        check(this, name, length, arguments.length);
      } catch (error) {
        return Promise.reject(error);
      }
      return (operations() as unknown as Record<string, Operation>)[name]!(a, b, c, d, e, f, g);
    },
  }[name]!;
  Object.defineProperty(method, "length", { value: length, configurable: true });
  Object.defineProperty(SubtleCrypto.prototype, name, {
    value: method,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

class Crypto {
  #made = true;
  #subtle: SubtleCrypto | undefined = undefined;

  constructor(token?: symbol) {
    if (token !== kMake) throw illegalConstructor();
  }

  static {
    Object.defineProperty(this, "length", { value: 0, configurable: true });
  }

  get subtle(): SubtleCrypto {
    if (this == null || typeof this !== "object" || !(#made in this)) throw new codes.ERR_INVALID_THIS("Crypto");
    return (this.#subtle ??= new SubtleCrypto(kMake));
  }

  /** Fills a typed array of integers, of at most 65,536 bytes, with random values, and returns it. */
  getRandomValues<T extends ArrayBufferView>(array: T): T {
    if (this == null || typeof this !== "object" || !(#made in this)) throw new codes.ERR_INVALID_THIS("Crypto");
    if (arguments.length < 1) throw missing("getRandomValues", "Crypto", 1, 0);
    const tag = typedArrayTag(array);
    if (tag === undefined || tag.startsWith("Float")) {
      throw domException("The data argument must be an integer-type TypedArray", "TypeMismatchError");
    }
    if (array.byteLength > MAX_RANDOM_VALUES) throw quotaExceeded();
    if (tag === "Uint8Array" && array.byteLength <= STOCK_MAX) takeRandom(array as unknown as Uint8Array);
    else ops.randomFillSync(array);
    return array;
  }

  /** A random UUID (version 4). */
  randomUUID(...[options]: unknown[]): string {
    if (this == null || typeof this !== "object" || !(#made in this)) throw new codes.ERR_INVALID_THIS("Crypto");
    if (options === undefined) return ops.randomUuid(false);
    return require("internal/crypto/random").randomUUID(options);
  }

  /** Bun's addition: whether two buffers have the same bytes, in a time that does not depend on them. */
  timingSafeEqual(a: ArrayBufferView, b: ArrayBufferView): boolean {
    if (this == null || typeof this !== "object" || !(#made in this)) throw new codes.ERR_INVALID_THIS("Crypto");
    return require("node:crypto").timingSafeEqual(a, b);
  }

  [inspectCustom](depth: number | null, options: unknown) {
    return depth !== null && depth < 0 ? this : `Crypto ${require("internal/util/inspect").inspect({}, options)}`;
  }
}

function quotaExceeded(): Error {
  const { DOMException, QuotaExceededError } = require("web/dom_exception");
  const message = "The requested length exceeds 65,536 bytes";
  if (QuotaExceededError !== undefined) return new QuotaExceededError(message) as unknown as Error;
  return new DOMException(message, "QuotaExceededError");
}

const enumerable = { enumerable: true };
Object.defineProperties(Crypto.prototype, {
  [Symbol.toStringTag]: { configurable: true, value: "Crypto" },
  subtle: enumerable,
  getRandomValues: enumerable,
  randomUUID: enumerable,
  timingSafeEqual: enumerable,
});
Object.defineProperties(SubtleCrypto.prototype, {
  [Symbol.toStringTag]: { configurable: true, value: "SubtleCrypto" },
  digest: enumerable,
});
Object.defineProperty(SubtleCrypto, "supports", enumerable);
const crypto = new Crypto(kMake);

export { Crypto, crypto, CryptoKey, SubtleCrypto };
