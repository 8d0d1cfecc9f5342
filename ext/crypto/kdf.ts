// Keys from passwords and from other keys: pbkdf2, scrypt, hkdf, argon2 of node:crypto.
import { kMaxLength } from "internal/buffer/base";
import { findHash } from "internal/crypto/hashes";
import { asBuffer, bytesOf } from "internal/crypto/util";
import { codes } from "internal/core/errors";
import { asResource } from "internal/events/async_context";
import { isAnyArrayBuffer, isKeyObject } from "internal/util/types";
import {
  validateFunction,
  validateInt32,
  validateInteger,
  validateObject,
  validateOneOf,
  validateString,
  validateUint32,
} from "internal/core/validators";

const ops = native("crypto");
const { isView } = ArrayBuffer;

type Callback = (error: Error | null, key?: unknown) => void;

/** The number of a hash function that HMAC can use. */
function hmacHash(name: string) {
  const found = findHash(name);
  if (found === undefined) throw new codes.ERR_CRYPTO_INVALID_DIGEST(name);
  if (found.extendable) throw new Error("Deriving bits failed");
  return found;
}

/** Hands a key to a callback when it is there. */
function later(callback: Callback, convert: (bytes: Uint8Array) => unknown) {
  return (error: Error | undefined, bytes: Uint8Array) => {
    if (error) callback(error);
    else callback(null, convert(bytes));
  };
}

function checkPbkdf2(password: unknown, salt: unknown, iterations: unknown, keylen: unknown, digest: unknown) {
  validateString(digest, "digest");
  password = bytesOf(password, "password", "buffer");
  salt = bytesOf(salt, "salt", "buffer");
  validateInt32(iterations, "iterations", 1);
  validateInt32(keylen, "keylen", 0);
  return { password, salt };
}

/** crypto.pbkdf2(): the callback gets (error, Buffer). Throws ERR_CRYPTO_INVALID_DIGEST for an unknown hash. */
export function pbkdf2(
  password: unknown,
  salt: unknown,
  iterations: number,
  keylen: number,
  digest: unknown,
  callback?: unknown,
): void {
  if (typeof digest === "function") {
    callback = digest;
    digest = undefined;
  }
  ({ password, salt } = checkPbkdf2(password, salt, iterations, keylen, digest));
  validateFunction(callback, "callback");
  ops.pbkdf2(
    hmacHash(digest as string).id,
    password as Native.Bytes,
    salt as Native.Bytes,
    iterations,
    keylen,
    later(asResource(callback, "PBKDF2REQUEST"), asBuffer),
  );
}

export function pbkdf2Sync(
  password: unknown,
  salt: unknown,
  iterations: number,
  keylen: number,
  digest: string,
): Buffer {
  ({ password, salt } = checkPbkdf2(password, salt, iterations, keylen, digest));
  return asBuffer(
    ops.pbkdf2Sync(hmacHash(digest).id, password as Native.Bytes, salt as Native.Bytes, iterations, keylen),
  );
}

const scryptDefaults = { N: 16384, r: 8, p: 1, maxmem: 32 << 20 };

/** One of two options of the same meaning; undefined if neither is there. */
function either(options: { [name: string]: unknown }, short: string, long: string): number | undefined {
  const first = options[short];
  const second = options[long];
  if (first !== undefined) validateUint32(first, short);
  if (second !== undefined) {
    if (first !== undefined) throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR(short, long);
    validateUint32(second, long);
  }
  return first ?? second;
}

function invalidScrypt(detail: string): RangeError {
  const error: NodeError = new RangeError(`Invalid scrypt params${detail}`);
  error.code = "ERR_CRYPTO_INVALID_SCRYPT_PARAMS";
  return error;
}

/** Numbers, by the names of Node or of the algorithm. */
type ScryptOptions = { [name: string]: unknown } | null | undefined;

interface ScryptArguments {
  password: Native.Bytes;
  salt: Native.Bytes;
  N: number;
  r: number;
  p: number;
}

function checkScrypt(password: unknown, salt: unknown, keylen: unknown, options: ScryptOptions) {
  password = bytesOf(password, "password");
  salt = bytesOf(salt, "salt");
  validateInt32(keylen, "keylen", 0);
  let { N, r, p, maxmem } = scryptDefaults;
  if (options) {
    // 0 stands for the default, too.
    N = either(options, "N", "cost") || N;
    r = either(options, "r", "blockSize") || r;
    p = either(options, "p", "parallelization") || p;
    const limit = options.maxmem;
    if (limit !== undefined) {
      validateInteger(limit, "maxmem", 0);
      maxmem = limit || maxmem;
    }
  }
  switch (ops.scryptCheck(N, r, p, maxmem)) {
    case 1:
      throw invalidScrypt("");
    case 2:
      throw invalidScrypt(": memory limit exceeded");
  }
  return { password, salt, N, r, p } as ScryptArguments;
}

/**
 * crypto.scrypt(): the callback gets (error, Buffer). Options: N or cost, r or blockSize, p or parallelization, maxmem in
 * bytes. Throws ERR_CRYPTO_INVALID_SCRYPT_PARAMS.
 */
export function scrypt(password: unknown, salt: unknown, keylen: number, options: unknown, callback?: unknown): void {
  if (callback === undefined) {
    callback = options;
    options = undefined;
  }
  const checked = checkScrypt(password, salt, keylen, options as ScryptOptions);
  validateFunction(callback, "callback");
  const done = asResource(callback, "SCRYPTREQUEST");
  ops.scrypt(checked.password, checked.salt, checked.N, checked.r, checked.p, keylen, later(done, asBuffer));
}

export function scryptSync(password: unknown, salt: unknown, keylen: number, options?: ScryptOptions): Buffer {
  const checked = checkScrypt(password, salt, keylen, options);
  return asBuffer(ops.scryptSync(checked.password, checked.salt, checked.N, checked.r, checked.p, keylen));
}

function byteSource(value: unknown, name: string, expected: string[]): Native.Bytes {
  if (typeof value === "string" || isView(value) || isAnyArrayBuffer(value)) return bytesOf(value, name);
  throw new codes.ERR_INVALID_ARG_TYPE(name, expected, value);
}

interface HkdfArguments {
  /** The number of the hash function. */
  id: number;
  key: Native.Bytes;
  salt: Native.Bytes;
  info: Native.Bytes;
}

const sources = ["string", "ArrayBuffer", "TypedArray", "DataView", "Buffer"];
const keySources = ["string", "SecretKeyObject", ...sources.slice(1)];

function checkHkdf(digest: string, ikm: unknown, salt: unknown, info: unknown, length: unknown) {
  validateString(digest, "digest");
  // What is a view is told quickly.
  const key =
    !isView(ikm) && isKeyObject(ikm)
      ? require("internal/crypto/keys").secretBytes(ikm)
      : byteSource(ikm, "ikm", keySources);
  salt = byteSource(salt, "salt", sources);
  info = byteSource(info, "info", sources);
  validateInteger(length, "length", 0, kMaxLength);
  if ((info as Native.Bytes).byteLength > 1024) {
    throw new codes.ERR_OUT_OF_RANGE(
      "info",
      "must not contain more than 1024 bytes",
      (info as Native.Bytes).byteLength,
    );
  }
  const hash = hmacHash(digest);
  if (length > hash.length * 255) throw new codes.ERR_CRYPTO_INVALID_KEYLEN();
  return { id: hash.id, key, salt, info } as HkdfArguments;
}

function asArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer as ArrayBuffer;
}

/** crypto.hkdf(): the callback gets (error, ArrayBuffer). Throws ERR_CRYPTO_INVALID_DIGEST, ERR_CRYPTO_INVALID_KEYLEN. */
export function hkdf(
  digest: string,
  ikm: unknown,
  salt: unknown,
  info: unknown,
  length: number,
  callback?: Callback,
): void {
  const checked = checkHkdf(digest, ikm, salt, info, length);
  validateFunction(callback, "callback");
  const done = asResource(callback, "DERIVEBITSREQUEST");
  if (length === 0) {
    process.nextTick(done, new Error("Deriving bits failed"));
    return;
  }
  ops.hkdf(checked.id, checked.key, checked.salt, checked.info, length, later(done, asArrayBuffer));
}

/** The same at once; its errors are thrown. Nothing is derived of length 0 (Node and Bun: an error as well). */
export function hkdfSync(digest: string, ikm: unknown, salt: unknown, info: unknown, length: number): ArrayBuffer {
  const checked = checkHkdf(digest, ikm, salt, info, length);
  if (length === 0) throw new Error("Deriving bits failed");
  const key = new ArrayBuffer(length);
  ops.hkdfSync(checked.id, checked.key, checked.salt, checked.info, key);
  return key;
}

const argonKinds = ["argon2d", "argon2i", "argon2id"];

function checkArgon2(algorithm: string, parameters: unknown) {
  validateString(algorithm, "algorithm");
  validateOneOf(algorithm, "algorithm", argonKinds);
  validateObject(parameters, "parameters");
  const { parallelism, tagLength, memory, passes } = parameters;
  const message = bytesOf(parameters.message, "parameters.message");
  validateInteger(parallelism, "parameters.parallelism", 1, 2 ** 24 - 1);
  const nonce = bytesOf(parameters.nonce, "parameters.nonce");
  if (nonce.byteLength < 8)
    throw new codes.ERR_OUT_OF_RANGE("parameters.nonce.byteLength", `>= 8 && <= ${2 ** 32 - 1}`, nonce.byteLength);
  validateInteger(tagLength, "parameters.tagLength", 4, 2 ** 32 - 1);
  validateInteger(memory, "parameters.memory", 8 * parallelism, 2 ** 32 - 1);
  validateInteger(passes, "parameters.passes", 1, 2 ** 32 - 1);
  const optional = (name: string) =>
    parameters[name] === undefined ? new Uint8Array(0) : bytesOf(parameters[name], `parameters.${name}`);
  const numbers = [argonKinds.indexOf(algorithm), parallelism, tagLength, memory, passes];
  return [message, nonce, numbers, optional("secret"), optional("associatedData")] as const;
}

/**
 * crypto.argon2() (RFC 9106): the callback gets (error, Buffer). Parameters: message, nonce, parallelism, tagLength in
 * bytes, memory in kibibytes, passes, secret, associatedData.
 */
export function argon2(algorithm: string, parameters: unknown, callback?: unknown): void {
  const checked = checkArgon2(algorithm, parameters);
  validateFunction(callback, "callback");
  ops.argon2(...checked, later(asResource(callback, "ARGON2REQUEST"), asBuffer));
}

export function argon2Sync(algorithm: string, parameters: unknown): Buffer {
  return asBuffer(ops.argon2Sync(...checkArgon2(algorithm, parameters)));
}
