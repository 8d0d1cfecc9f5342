// New keys of node:crypto (https://nodejs.org/api/crypto.html#cryptogeneratekeypairtype-options-callback).
import { findHash } from "internal/crypto/hashes";
import { KeyHandle } from "internal/crypto/key_handle";
import { exportHandle, keyObject, parseKeyEncoding, type Encoding } from "internal/crypto/keys";
import type { KeyOptions } from "internal/crypto/types";
import { codes } from "internal/core/errors";
import { asResource } from "internal/events/async_context";
import {
  validateBuffer,
  validateFunction,
  validateInt32,
  validateInteger,
  validateObject,
  validateOneOf,
  validateString,
  validateUint32,
} from "internal/core/validators";

const ops = native("crypto");

interface Request {
  kind: string;
  curve: string;
  numbers: number[];
  bytes: ArrayBufferView;
  publicEncoding: Encoding | undefined;
  privateEncoding: Encoding | undefined;
  /** What making the key would end with. */
  failure?: Error;
}

const plainError = (message: string) => new Error(message);

const none = new Uint8Array(0);

/** Big-endian bytes of a number below 2^32. */
function numberBytes(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value);
  return out;
}

function hashNumber(name: string | undefined, option: string): number {
  if (name === undefined) return -1;
  const found = findHash(name);
  if (found === undefined) {
    const error: NodeError = new TypeError(`Invalid ${option === "hashAlgorithm" ? "digest" : "MGF1 digest"}: ${name}`);
    error.code = "ERR_CRYPTO_INVALID_DIGEST";
    throw error;
  }
  return found.id;
}

let warnedOptions = false;

/** A new name of an option in RSA-PSS, or its old one. */
function renamed(options: KeyOptions, now: string, before: string): string | undefined {
  const value = options[now];
  const old = options[before];
  if (value !== undefined) {
    validateString(value, `options.${now}`);
    if (old !== undefined && old !== value) throw new codes.ERR_INVALID_ARG_VALUE(`options.${before}`, old);
    return value;
  }
  if (old === undefined) return undefined;
  if (!warnedOptions) {
    warnedOptions = true;
    process.emitWarning(
      '"options.hash" is deprecated, use "options.hashAlgorithm" instead.'
        .replace('options.hash"', `options.${before}"`)
        .replace("hashAlgorithm", now),
      "DeprecationWarning",
      "DEP0154",
    );
  }
  validateString(old, `options.${before}`);
  return old;
}

const post = /^ml-(?:dsa-(?:44|65|87)|kem-(?:512|768|1024))$/;

function encodings(
  kind: string,
  options: { publicKeyEncoding?: unknown; privateKeyEncoding?: unknown },
): Pick<Request, "publicEncoding" | "privateEncoding"> {
  const { publicKeyEncoding, privateKeyEncoding } = options;
  let publicEncoding: Encoding | undefined;
  let privateEncoding: Encoding | undefined;
  if (publicKeyEncoding == null) {
    // A KeyObject.
  } else if (typeof publicKeyEncoding === "object") {
    publicEncoding = parseKeyEncoding(publicKeyEncoding, kind, true, "publicKeyEncoding");
  } else {
    throw new codes.ERR_INVALID_ARG_VALUE("options.publicKeyEncoding", publicKeyEncoding);
  }
  if (privateKeyEncoding == null) {
    // The same.
  } else if (typeof privateKeyEncoding === "object") {
    privateEncoding = parseKeyEncoding(privateKeyEncoding, kind, false, "privateKeyEncoding");
  } else {
    throw new codes.ERR_INVALID_ARG_VALUE("options.privateKeyEncoding", privateKeyEncoding);
  }
  return { publicEncoding, privateEncoding };
}

function parsePair(kind: string, options: KeyOptions | undefined): Request {
  const out: Request = {
    kind,
    curve: "",
    numbers: [],
    bytes: none,
    ...encodings(kind, options ?? {}),
  };
  switch (kind) {
    case "rsa":
    case "rsa-pss": {
      validateObject(options, "options");
      const { modulusLength } = options;
      validateUint32(modulusLength, "options.modulusLength");
      let { publicExponent } = options as { publicExponent?: number | null };
      if (publicExponent == null) publicExponent = 0x10001;
      else validateUint32(publicExponent, "options.publicExponent");
      if (modulusLength < 512) out.failure = plainError("error:1C8000AB:Provider routines::key size too small");
      else if (publicExponent < 3 || publicExponent % 2 === 0) {
        out.failure = plainError("error:020000B2:rsa routines::pub exponent out of range");
      }
      out.bytes = numberBytes(publicExponent);
      out.numbers = [modulusLength, -1, -1, -1];
      if (kind === "rsa-pss") {
        const { saltLength } = options;
        if (saltLength !== undefined) validateInt32(saltLength, "options.saltLength", 0);
        const hash = hashNumber(renamed(options, "hashAlgorithm", "hash"), "hashAlgorithm");
        const mask = hashNumber(renamed(options, "mgf1HashAlgorithm", "mgf1Hash"), "mgf1HashAlgorithm");
        out.numbers = [modulusLength, hash, mask, saltLength ?? -1];
      }
      return out;
    }
    case "dsa": {
      validateObject(options, "options");
      const { modulusLength } = options;
      validateUint32(modulusLength, "options.modulusLength");
      let { divisorLength } = options as { divisorLength?: number | null };
      if (divisorLength == null) divisorLength = 224;
      else validateInt32(divisorLength, "options.divisorLength", 0);
      out.numbers = [modulusLength, divisorLength];
      return out;
    }
    case "ec": {
      validateObject(options, "options");
      const { namedCurve } = options;
      validateString(namedCurve, "options.namedCurve");
      if (options.paramEncoding !== undefined && options.paramEncoding !== null) {
        if (options.paramEncoding === "explicit") throw new codes.ERR_NOT_IMPLEMENTED("paramEncoding explicit");
        if (options.paramEncoding !== "named")
          throw new codes.ERR_INVALID_ARG_VALUE("options.paramEncoding", options.paramEncoding);
      }
      out.curve = namedCurve;
      return out;
    }
    case "ed25519":
    case "x25519":
    case "ed448":
    case "x448":
      return out;
    case "dh": {
      validateObject(options, "options");
      const { group, primeLength, prime, generator } = options;
      if (group != null) {
        if (prime != null) throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR("group", "prime");
        if (primeLength != null) throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR("group", "primeLength");
        if (generator != null) throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR("group", "generator");
        validateString(group, "options.group");
        const known = require("internal/crypto/diffiehellman").groupPrime(group);
        if (known === undefined) throw new codes.ERR_CRYPTO_UNKNOWN_DH_GROUP();
        out.bytes = known;
        out.numbers = [0, 2];
        return out;
      }
      if (prime != null) {
        if (primeLength != null) throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR("prime", "primeLength");
        validateBuffer(prime, "options.prime");
        out.bytes = prime;
      } else if (primeLength != null) {
        validateInt32(primeLength, "options.primeLength", 0);
      } else {
        throw new codes.ERR_MISSING_OPTION("At least one of the group, prime, or primeLength options");
      }
      if (generator != null) validateInt32(generator, "options.generator", 0);
      out.numbers = [primeLength ?? 0, generator ?? 2];
      return out;
    }
    default:
      if (post.test(kind)) return out;
      throw new codes.ERR_INVALID_ARG_VALUE("type", kind, "must be a supported key type");
  }
}

function pairOf(request: Request, native: Native.Key): { publicKey: unknown; privateKey: unknown } {
  const handle = new KeyHandle("private", native);
  const half = (one: KeyHandle, encoding: Encoding | undefined) =>
    encoding === undefined ? keyObject(one) : exportHandle(one, encoding);
  return {
    publicKey: half(handle.toPublic(), request.publicEncoding),
    privateKey: half(handle, request.privateEncoding),
  };
}

const checkType = (type: unknown) => validateString(type, "type");

/** crypto.generateKeyPairSync(): KeyObjects, or encoded keys where the options say how. */
export function generateKeyPairSync(type: string, options?: unknown) {
  checkType(type);
  if (options !== undefined) validateObject(options, "options");
  const request = parsePair(type, options);
  if (request.failure !== undefined) throw request.failure;
  return pairOf(request, ops.keyGenerate(request.kind, request.curve, request.numbers, request.bytes));
}

/** crypto.generateKeyPair(): the callback gets (error, publicKey, privateKey). */
export function generateKeyPair(type: string, options: unknown, callback?: unknown): void {
  if (typeof options === "function") {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, "callback");
  checkType(type);
  if (options !== undefined) validateObject(options, "options");
  const request = parsePair(type, options);
  if (request.kind === "ec") ops.ecdhConvert(request.curve, none, 4); // throws ERR_CRYPTO_INVALID_CURVE at once
  if (request.failure !== undefined) {
    process.nextTick(callback, request.failure);
    return;
  }
  const done = asResource(callback, "KEYPAIRGENREQUEST");
  ops.keyGenerateLater(
    request.kind,
    request.curve,
    request.numbers,
    request.bytes,
    (error: Error | undefined, native) => {
      if (error) {
        done(error);
        return;
      }
      let pair;
      try {
        pair = pairOf(request, native);
      } catch (failure) {
        done(failure);
        return;
      }
      done(null, pair.publicKey, pair.privateKey);
    },
  );
}

Object.defineProperty(generateKeyPair, require("internal/core/util").customPromisifyArgs, {
  value: ["publicKey", "privateKey"],
  enumerable: false,
});

/** Bits of a new secret key. */
function secretLength(type: unknown, options: unknown): number {
  validateString(type, "type");
  validateObject(options, "options");
  const { length } = options;
  if (type === "hmac") validateInteger(length, "options.length", 8, 2 ** 31 - 1);
  else if (type === "aes") validateOneOf(length, "options.length", [128, 192, 256]);
  else throw new codes.ERR_INVALID_ARG_VALUE("type", type, "must be a supported key type");
  return length as number;
}

const newSecret = (bits: number) => keyObject(new KeyHandle("secret", ops.randomBytes(Math.floor(bits / 8))));

/** crypto.generateKeySync(): a secret key for "hmac" or "aes" with options.length bits. */
export function generateKeySync(type: unknown, options: unknown) {
  return newSecret(secretLength(type, options));
}

/** crypto.generateKey(): the callback gets (error, key). */
export function generateKey(type: unknown, options: unknown, callback?: unknown): void {
  if (typeof options === "function") {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, "callback");
  const bits = secretLength(type, options);
  const done = asResource(callback, "KEYGENREQUEST");
  setImmediate(() => done(null, newSecret(bits)));
}
