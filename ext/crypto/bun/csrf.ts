// Bun.CSRF (https://bun.com/docs/runtime/csrf): tokens that only who knows the secret can make.
//
// A token is the time (8 bytes, milliseconds since 1970), a random number (16), how long it is good for (8, milliseconds; 0
// is for ever) and the HMAC of all that.
import { codes } from "internal/core/errors";
import { invalidType } from "bun/util";

const DAY = 24 * 60 * 60 * 1000;
const HEAD = 32;

/** The secret of this process, for callers without one. */
let ownSecret: unknown;

function secretOf(value: unknown): unknown {
  if (value === undefined) return (ownSecret ??= require("node:crypto").randomBytes(32));
  if (typeof value !== "string") throw invalidType("secret must be a string");
  if (value === "") throw invalidType("Secret must be a non-empty string");
  return value;
}

function encodingOf(value: unknown): BufferEncoding {
  if (value === undefined) return "base64url";
  if (value === "base64" || value === "base64url" || value === "hex") return value;
  throw invalidType("Invalid format: must be 'base64', 'base64url', or 'hex'");
}

function algorithmOf(value: unknown): string {
  if (value === undefined) return "sha256";
  if (/^(?:blake2b256|blake2b512|sha256|sha384|sha512|sha512-256)$/.test(value as string)) return value as string;
  throw invalidType("Algorithm not supported");
}

function milliseconds(value: unknown, name: string, standard: number): number {
  if (value === undefined) return standard;
  if (typeof value !== "number") throw new codes.ERR_INVALID_ARG_TYPE(name, "number", value);
  if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
    throw new codes.ERR_OUT_OF_RANGE(name, ">= 0 && <= 9007199254740991", value);
  }
  return Math.trunc(value);
}

/** The session that a token is good for; "" for any. */
function sessionOf(id: unknown, name: string): string {
  if (id === undefined || id === null) return "";
  if (typeof id !== "string") throw invalidType(`${name} must be a string`);
  if (id === "") throw invalidType("sessionId must be a non-empty string");
  return id;
}

function signature(algorithm: string, secret: unknown, data: Uint8Array, session: string): Buffer {
  return require("node:crypto").createHmac(algorithm, secret).update(data).update(session).digest();
}

interface VerifyOptions {
  secret?: unknown;
  maxAge?: unknown;
  encoding?: unknown;
  algorithm?: unknown;
  sessionId?: unknown;
}

export const CSRF = {
  /**
   * A new token.
   * @param options `expiresIn` (milliseconds, default a day), `encoding` ("base64url", "base64", "hex"), `algorithm`,
   *   `sessionId`: what the same session has to say to verify()
   */
  generate(
    secret?: unknown,
    options?: { expiresIn?: unknown; encoding?: unknown; algorithm?: unknown; sessionId?: unknown } | null,
  ): string {
    const key = secretOf(secret);
    const lifetime = milliseconds(options?.expiresIn, "CSRFGenerateOptions.expiresIn", DAY);
    const encoding = encodingOf(options?.encoding);
    const algorithm = algorithmOf(options?.algorithm);
    const session = sessionOf(options?.sessionId, "CSRFGenerateOptions.sessionId");
    const { Buffer } = require("node:buffer");
    const token = Buffer.alloc(HEAD);
    token.writeBigUInt64BE(BigInt(Date.now()), 0);
    token.set(require("node:crypto").randomBytes(16), 8);
    token.writeBigUInt64BE(BigInt(lifetime), 24);
    return Buffer.concat([token, signature(algorithm, key, token, session)]).toString(encoding);
  },

  /**
   * Whether a token is genuine and still good.
   * @param options `secret`, `maxAge` (milliseconds; 0: only the token's own limit), `encoding`, `algorithm`,
   *   `sessionId`
   */
  verify(token: unknown, options?: VerifyOptions | null): boolean {
    if (typeof token !== "string") throw invalidType("token must be a string");
    if (token === "") throw invalidType("Token must be a non-empty string");
    const key = secretOf(options?.secret);
    const most = milliseconds(options?.maxAge, "CSRFVerifyOptions.maxAge", DAY);
    const encoding = encodingOf(options?.encoding);
    const algorithm = algorithmOf(options?.algorithm);
    const session = sessionOf(options?.sessionId, "CSRFVerifyOptions.sessionId");
    const bytes = require("node:buffer").Buffer.from(token, encoding);
    if (bytes.length <= HEAD) return false;
    const head = bytes.subarray(0, HEAD);
    const expected = signature(algorithm, key, head, session);
    const given = bytes.subarray(HEAD);
    if (given.length !== expected.length || !require("node:crypto").timingSafeEqual(given, expected)) return false;
    const age = Date.now() - Number(bytes.readBigUInt64BE(0));
    const lifetime = Number(bytes.readBigUInt64BE(24));
    return (lifetime === 0 || age <= lifetime) && (most === 0 || age <= most);
  },
};
