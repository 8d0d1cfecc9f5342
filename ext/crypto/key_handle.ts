// What a KeyObject and a CryptoKey stand on: the bytes of a secret key, or a native key, which pairs share.
import type { Jwk } from "internal/crypto/types";

const ops = native("crypto");

export type KeyType = "secret" | "public" | "private";

interface KeyInfo {
  /** As in KeyObject.asymmetricKeyType. */
  name: string;
  bits: number;
  divisorBits: number;
  curve: string;
  /** The public exponent of an RSA key. */
  exponent: Uint8Array | undefined;
}

export class KeyHandle {
  type: KeyType;
  /** Bytes of a secret key, else the native key: who reads it has looked at `type` before. */
  data: Uint8Array & Native.Key;
  #info: KeyInfo | undefined = undefined;

  constructor(type: KeyType, data: Uint8Array | Native.Key) {
    this.type = type;
    this.data = data as Uint8Array & Native.Key;
  }

  /** Type and parameters of an asymmetric key. */
  get info(): KeyInfo {
    if (this.#info === undefined) {
      const [name, bits, divisorBits, curve, exponent] = ops.keyInfo(this.data);
      this.#info = { name, bits, divisorBits, curve, exponent };
    }
    return this.#info;
  }

  /** The public half of a private key. */
  toPublic(): KeyHandle {
    return new KeyHandle("public", this.data);
  }

  equals(other: KeyHandle): boolean {
    if (this.type !== other.type) return false;
    if (this.type !== "secret") return ops.keyEqual(this.data, other.data);
    return this.data.length === other.data.length && ops.timingSafeEqual(this.data, other.data);
  }
}

/** WebCrypto's and OpenSSL's names of curves, with the bytes of a coordinate. */
export const curves: [web: string, openssl: string, bytes: number][] = [
  ["P-256", "prime256v1", 32],
  ["P-384", "secp384r1", 48],
  ["P-521", "secp521r1", 66],
  ["secp256k1", "secp256k1", 32],
];

const base64url = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength).toString("base64url");

const okpNames: Record<string, string> = {
  __proto__: null as never,
  ed25519: "Ed25519",
  x25519: "X25519",
  ed448: "Ed448",
  x448: "X448",
};

/** The members of a JSON Web Key (RFC 7517, 7518, 8037) that say what the key is; undefined for keys without such a form. */
export function toJwk(handle: KeyHandle): Jwk | undefined {
  const { type, data } = handle;
  if (type === "secret") return { kty: "oct", k: base64url(data) };
  const { name, curve } = handle.info;
  const isPrivate = type === "private";
  if (name === "rsa") {
    const parts = ops.keyRsaParts(data, isPrivate).map(base64url);
    const jwk: Jwk = { kty: "RSA", n: parts[0], e: parts[1] };
    if (isPrivate) [, , jwk.d, jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi] = parts;
    return jwk;
  }
  if (name === "ec") {
    const known = curves.find((entry) => entry[1] === curve);
    if (known === undefined) return undefined;
    const [x, y, d] = ops.keyEcParts(data, isPrivate).map(base64url);
    return isPrivate ? { kty: "EC", x, y, crv: known[0], d } : { kty: "EC", x, y, crv: known[0] };
  }
  if (okpNames[name] !== undefined) {
    const crv = okpNames[name];
    const x = base64url(ops.keyRaw(data, false));
    return isPrivate ? { crv, d: base64url(ops.keyRaw(data, true)), x, kty: "OKP" } : { crv, x, kty: "OKP" };
  }
  if (name.startsWith("ml-")) {
    const jwk: Jwk = { kty: "AKP", alg: name.toUpperCase(), pub: base64url(ops.keyRaw(data, false)) };
    if (isPrivate) jwk.priv = base64url(seedOf(data));
    return jwk;
  }
  return undefined;
}

/** The seed of a key of ML-DSA or ML-KEM. */
function seedOf(key: Native.Key): Uint8Array {
  try {
    return ops.keyRaw(key, true);
  } catch (error) {
    if ((error as NodeError).code === "ERR_CRYPTO_OPERATION_FAILED")
      (error as NodeError).message = "key does not have an available seed";
    throw error;
  }
}

const fromBase64url = (text: string) => Buffer.from(text, "base64url");

/** The RSA key of a JSON Web Key whose members are strings. Throws where they make no key. */
export function rsaFromJwk(jwk: Jwk, isPrivate: boolean): KeyHandle {
  const names = ["n", "e", "d", "p", "q", "dp", "dq", "qi"] as const;
  const parts = names.map((name, index) => (index < 2 || isPrivate ? fromBase64url(jwk[name]!) : Buffer.alloc(0)));
  const lengths = parts.map((part) => part.length);
  return new KeyHandle(isPrivate ? "private" : "public", ops.keyRsaImport(lengths, Buffer.concat(parts)));
}

/** The same for elliptic curves; throws where a coordinate has a wrong length or the point is not on the curve. */
export function ecFromJwk(jwk: Jwk, isPrivate: boolean): KeyHandle {
  const [, name, bytes] = curves.find((entry) => entry[0] === jwk.crv)!;
  const x = fromBase64url(jwk.x!);
  const y = fromBase64url(jwk.y!);
  const d = isPrivate ? fromBase64url(jwk.d!) : Buffer.alloc(0);
  if (x.length !== bytes || y.length !== bytes || (isPrivate && d.length !== bytes)) throw new Error("Invalid JWK");
  return new KeyHandle(isPrivate ? "private" : "public", ops.keyEcImport(name, x, y, d));
}

/** The same for Ed25519, X25519, Ed448 and X448; both halves have to belong together. */
export function okpFromJwk(jwk: Jwk, isPrivate: boolean): KeyHandle {
  const name = jwk.crv!.toLowerCase();
  const key = ops.keyRawImport(name, isPrivate, fromBase64url((isPrivate ? jwk.d : jwk.x)!));
  if (isPrivate && !ops.timingSafeEqual(ops.keyRaw(key, false), fromBase64url(jwk.x!))) throw new Error("Invalid JWK");
  return new KeyHandle(isPrivate ? "private" : "public", key);
}
