// KeyObject of node:crypto, for secret keys. Keys of pairs are not there yet.
import { asBuffer, bytesOf, notImplemented } from "internal/crypto/util";
import { codes } from "internal/errors";
import { validateObject, validateOneOf } from "internal/validators";

let bytesOfKey: (key: KeyObject) => Uint8Array;

export class KeyObject {
  #type: string;
  #bytes: Uint8Array;

  static {
    bytesOfKey = (key) => key.#bytes;
  }

  /** For this module: the bytes are not copied. Programs use createSecretKey(). */
  constructor(type: string, bytes: Uint8Array) {
    if (type !== "secret" && type !== "public" && type !== "private") throw new codes.ERR_INVALID_ARG_VALUE("type", type);
    if (!(bytes instanceof Uint8Array)) throw new codes.ERR_INVALID_ARG_TYPE("handle", "object", bytes);
    this.#type = type;
    this.#bytes = bytes;
  }

  static from(_key: any): KeyObject {
    return notImplemented("KeyObject.from");
  }

  /** "secret" */
  get type(): string {
    return this.#type;
  }

  get [Symbol.toStringTag](): string {
    return "KeyObject";
  }

  /** Whether two keys are of the same type and have the same bytes. */
  equals(other: KeyObject): boolean {
    if (!isKeyObject(other)) throw new codes.ERR_INVALID_ARG_TYPE("otherKeyObject", "KeyObject", other);
    return this.#type === other.#type && native("crypto").timingSafeEqual(this.#bytes, other.#bytes);
  }
}

export function isKeyObject(value: any): value is KeyObject {
  return value instanceof KeyObject;
}

export class SecretKeyObject extends KeyObject {
  /** Bytes of the key. */
  get symmetricKeySize(): number {
    return bytesOfKey(this).length;
  }

  /** A Buffer of the key, or a JSON Web Key with `{ format: "jwk" }`. */
  export(options?: any): any {
    const bytes = bytesOfKey(this);
    if (options !== undefined) {
      validateObject(options, "options");
      validateOneOf(options.format, "options.format", [undefined, "buffer", "jwk"]);
      if (options.format === "jwk") return { kty: "oct", k: asBuffer(bytes).toString("base64url") };
    }
    return Buffer.from(bytes);
  }

  toCryptoKey(): never {
    return notImplemented("KeyObject.toCryptoKey");
  }
}
Object.defineProperty(SecretKeyObject, "name", { value: "SecretKeyObject", configurable: true });

/** crypto.createSecretKey(): a key of the bytes of a string (in an encoding), buffer or view, which are copied. */
export function createSecretKey(key: any, encoding?: string): KeyObject {
  if (key === null || (typeof key !== "string" && typeof key !== "object")) throw wrongKey(key);
  let bytes;
  try {
    bytes = bytesOf(key, "key", encoding);
  } catch {
    throw wrongKey(key);
  }
  const view = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
  return new SecretKeyObject("secret", new Uint8Array(view));
}

function wrongKey(key: any): Error {
  return new codes.ERR_INVALID_ARG_TYPE("key", ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"], key);
}

/** The bytes of a secret key; throws ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE for another kind of key. */
export function secretBytes(key: KeyObject): Uint8Array {
  if (key.type !== "secret") throw new codes.ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(key.type, "secret");
  return bytesOfKey(key);
}
