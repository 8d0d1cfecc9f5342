// WebCrypto (https://w3c.github.io/webcrypto/): random values, UUIDs and digests. The rest of SubtleCrypto rejects with
// ERR_NOT_IMPLEMENTED.
import { findHash } from "internal/crypto/hashes";
import { codes } from "internal/errors";
import { isAnyArrayBuffer, typedArrayTag } from "internal/util/types";

const ops = native("crypto");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

/** Up to this size hashing takes less time than going to another thread and back. */
const SMALL = 16 * 1024;

const MAX_RANDOM_VALUES = 65536;

/** Only this module makes objects of these classes. */
const kMake = Symbol("make");

function domException(message: string, name: string): Error {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(message, name);
}

function illegalConstructor(): Error {
  const error: any = new TypeError("Illegal constructor");
  error.code = "ERR_ILLEGAL_CONSTRUCTOR";
  return error;
}

function missing(method: string, owner: string, wanted: number, present: number): Error {
  const plural = wanted === 1 ? "argument" : "arguments";
  const error: any = new TypeError(
    `Failed to execute '${method}' on '${owner}': ${wanted} ${plural} required, but only ${present} present.`,
  );
  error.code = "ERR_MISSING_ARGS";
  return error;
}

/** The hash function behind an algorithm identifier: a name, or an object with one. */
function digestAlgorithm(algorithm: any) {
  let name = algorithm;
  if (algorithm !== null && typeof algorithm === "object") {
    name = algorithm.name;
    if (name === undefined) {
      const error: any = new TypeError(
        "Failed to normalize algorithm: passed algorithm can not be converted to 'Algorithm' because 'name' is required in 'Algorithm'.",
      );
      error.code = "ERR_MISSING_OPTION";
      throw error;
    }
  }
  name = `${name}`;
  if (!/^sha(?:-(?:1|256|384|512)|3-(?:256|384|512))$/i.test(name)) {
    throw domException("Unrecognized algorithm name", "NotSupportedError");
  }
  return findHash(name)!;
}

class SubtleCrypto {
  #made = true;

  constructor(token?: symbol) {
    if (token !== kMake) throw illegalConstructor();
  }

  static {
    Object.defineProperty(this, "length", { value: 0, configurable: true });
  }

  /** The hash of the bytes of a buffer or view, as they are at the time of the call. */
  async digest(algorithm: any, data: any): Promise<ArrayBuffer> {
    if (this == null || typeof this !== "object" || !(#made in this)) throw new codes.ERR_INVALID_THIS("SubtleCrypto");
    if (arguments.length < 2) throw missing("digest", "SubtleCrypto", 2, arguments.length);
    const hash = digestAlgorithm(algorithm);
    if (!ArrayBuffer.isView(data) && !isAnyArrayBuffer(data)) {
      const error: any = new TypeError(
        "Failed to execute 'digest' on 'SubtleCrypto': 2nd argument is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.",
      );
      error.code = "ERR_INVALID_ARG_TYPE";
      throw error;
    }
    if (data.byteLength <= SMALL) return ops.hashBytes(hash.id, data, hash.length).buffer;
    return new Promise((resolve, reject) => {
      ops.hashLater(hash.id, data, hash.length, (error: Error | undefined, bytes: Uint8Array) => {
        if (error) reject(error);
        else resolve(bytes.buffer as ArrayBuffer);
      });
    });
  }

  [inspectCustom](depth: number | null, options: any): any {
    return depth !== null && depth < 0 ? this : `SubtleCrypto ${require("internal/util/inspect").inspect({}, options)}`;
  }
}

// The methods that are not there yet, with the numbers of arguments of the standard.
for (const [name, length] of Object.entries({
  encrypt: 3, decrypt: 3, sign: 3, verify: 4, generateKey: 3, deriveKey: 5, deriveBits: 2, importKey: 5, exportKey: 2,
  wrapKey: 4, unwrapKey: 7,
})) {
  const method = {
    async [name](): Promise<never> {
      throw new codes.ERR_NOT_IMPLEMENTED(`SubtleCrypto.${name}`);
    },
  }[name]!;
  Object.defineProperty(method, "length", { value: length, configurable: true });
  Object.defineProperty(SubtleCrypto.prototype, name, { value: method, configurable: true, enumerable: true, writable: true });
}

class CryptoKey {
  constructor() {
    throw illegalConstructor();
  }
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
    return this.#subtle ??= new SubtleCrypto(kMake);
  }

  /** Fills a typed array of integers, of at most 65,536 bytes, with random values, and returns it. */
  getRandomValues<T extends ArrayBufferView>(array: T): T {
    if (this == null || typeof this !== "object" || !(#made in this)) throw new codes.ERR_INVALID_THIS("Crypto");
    if (arguments.length < 1) throw missing("getRandomValues", "Crypto", 1, 0);
    const tag = typedArrayTag(array);
    if (tag === undefined || tag.startsWith("Float")) {
      throw domException("The data argument must be an integer-type TypedArray", "TypeMismatchError");
    }
    if (array.byteLength > MAX_RANDOM_VALUES) throw quotaExceeded(array.byteLength);
    ops.randomFillSync(array);
    return array;
  }

  /** A random UUID (version 4). */
  randomUUID(options?: any): string {
    if (this == null || typeof this !== "object" || !(#made in this)) throw new codes.ERR_INVALID_THIS("Crypto");
    if (options === undefined) return ops.randomUuid(false);
    return require("internal/crypto/random").randomUUID(options);
  }

  [inspectCustom](depth: number | null, options: any): any {
    return depth !== null && depth < 0 ? this : `Crypto ${require("internal/util/inspect").inspect({}, options)}`;
  }
}

function quotaExceeded(requested: number): Error {
  const { DOMException, QuotaExceededError } = require("web/dom_exception");
  const message = "The requested length exceeds 65,536 bytes";
  if (QuotaExceededError !== undefined) return new QuotaExceededError(message, { quota: MAX_RANDOM_VALUES, requested });
  return new DOMException(message, "QuotaExceededError");
}

const enumerable = { enumerable: true };
Object.defineProperties(Crypto.prototype, {
  [Symbol.toStringTag]: { configurable: true, value: "Crypto" },
  subtle: enumerable,
  getRandomValues: enumerable,
  randomUUID: enumerable,
});
Object.defineProperties(SubtleCrypto.prototype, {
  [Symbol.toStringTag]: { configurable: true, value: "SubtleCrypto" },
  digest: enumerable,
});
Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag, { configurable: true, value: "CryptoKey" });

const crypto = new Crypto(kMake);

export { Crypto, crypto, CryptoKey, SubtleCrypto };
