// Shared types of cryptography.

/** A member of JsonWebKey (RFC 7517, 7518, 8037) for each kind of key; those that a key needs are checked where it is imported. */
export interface Jwk {
  kty?: string;
  alg?: string;
  crv?: string;
  d?: string;
  dp?: string;
  dq?: string;
  e?: string;
  k?: string;
  n?: string;
  p?: string;
  priv?: string;
  pub?: string;
  q?: string;
  qi?: string;
  use?: string;
  x?: string;
  y?: string;
  ext?: boolean;
  key_ops?: string[];
  /** Further primes of RSA. */
  oth?: unknown[];
}

/**
 * An algorithm as `normalize` gives it. Which members there are is a matter of the algorithm and the operation (see
 * `dictionaries` there); those that are read are there, but for the ones that may be undefined.
 */
export interface Normalized {
  /** The canonical name. */
  name: string;
  hash: { name: string };
  /** Bits; undefined where the key says how many. */
  length: number;
  modulusLength: number;
  publicExponent: Uint8Array;
  saltLength: number;
  namedCurve: string;
  /** The other key of a key agreement. */
  public: unknown;
  counter: Uint8Array;
  iv: Uint8Array;
  info: Uint8Array;
  salt: Uint8Array;
  iterations: number;
  memory: number;
  nonce: Uint8Array;
  parallelism: number;
  passes: number;
  additionalData: Uint8Array | undefined;
  associatedData: Uint8Array | undefined;
  context: Uint8Array | undefined;
  customization: Uint8Array | undefined;
  functionName: Uint8Array | undefined;
  label: Uint8Array | undefined;
  secretValue: Uint8Array | undefined;
  /** Bits of a tag. */
  tagLength: number | undefined;
  version: number | undefined;
}

/** The algorithm of a CryptoKey. */
export type KeyAlgorithm = Pick<Normalized, "name"> &
  Partial<Pick<Normalized, "hash" | "length" | "modulusLength" | "publicExponent" | "namedCurve">>;

/** What `crypto.generateKey` and the like of an algorithm are called with. */
export interface KeyOptions {
  [name: string]: unknown;
}
