// The hash functions by name. The numbers are those of ext/crypto/native (digest::Algorithm).

export interface HashFunction {
  /** Number of the function for native calls. */
  id: number;
  /** Bytes of the result; for functions whose result can have every length, Node's default. */
  length: number;
  /** Bytes of the state of a hash in progress. */
  state: number;
  /** Whether the length can be chosen. */
  extendable: boolean;
}

/** Number, then names: the names of getHashes() first, then further ones that OpenSSL takes; case does not matter. */
const names: [number, string][] = [
  [0, "md4"],
  [1, "RSA-MD5 md5 md5WithRSAEncryption ssl3-md5"],
  [2, "RSA-SHA1 RSA-SHA1-2 sha1 sha1WithRSAEncryption ssl3-sha1 sha-1"],
  [3, "RSA-SHA224 sha224 sha224WithRSAEncryption sha2-224 sha-224"],
  [4, "RSA-SHA256 sha256 sha256WithRSAEncryption sha2-256 sha-256"],
  [5, "RSA-SHA384 sha384 sha384WithRSAEncryption sha2-384 sha-384"],
  [6, "RSA-SHA512 sha512 sha512WithRSAEncryption sha2-512 sha-512"],
  [7, "RSA-SHA512/224 sha512-224 sha512-224WithRSAEncryption sha2-512/224 sha-512/224"],
  [8, "RSA-SHA512/256 sha512-256 sha512-256WithRSAEncryption sha2-512/256 sha-512/256"],
  [9, "RSA-RIPEMD160 ripemd ripemd160 ripemd160WithRSA rmd160 ripemd-160"],
  [10, "md5-sha1"],
  [11, "RSA-SHA3-224 id-rsassa-pkcs1-v1_5-with-sha3-224 sha3-224"],
  [12, "RSA-SHA3-256 id-rsassa-pkcs1-v1_5-with-sha3-256 sha3-256"],
  [13, "RSA-SHA3-384 id-rsassa-pkcs1-v1_5-with-sha3-384 sha3-384"],
  [14, "RSA-SHA3-512 id-rsassa-pkcs1-v1_5-with-sha3-512 sha3-512"],
  [15, "shake128 shake-128"],
  [16, "shake256 shake-256"],
  [17, "blake2b256"],
  [18, "blake2b512 blake2b-512"],
  [19, "blake2s256 blake2s-256"],
  [20, "RSA-SM3 sm3 sm3WithRSAEncryption"],
];

const byName = new Map<string, HashFunction>();
let ids: Map<string, number> | undefined;

/** The hash function of a name, or undefined. */
export function findHash(name: string): HashFunction | undefined {
  let found = byName.get(name);
  if (found !== undefined) return found;
  if (ids === undefined) {
    ids = new Map();
    for (const [id, list] of names) for (const one of list.split(" ")) ids.set(one.toLowerCase(), id);
  }
  const id = ids.get(name.toLowerCase());
  if (id === undefined) return undefined;
  const [length, state, extendable] = native("crypto").hashInfo(id);
  found = { id, length, state, extendable };
  byName.set(name, found);
  return found;
}

/** crypto.getHashes(): the names that OpenSSL 3 lists, in its order. */
export function getHashes(): string[] {
  return (
    "RSA-MD5 RSA-RIPEMD160 RSA-SHA1 RSA-SHA1-2 RSA-SHA224 RSA-SHA256 RSA-SHA3-224 RSA-SHA3-256 RSA-SHA3-384 " +
    "RSA-SHA3-512 RSA-SHA384 RSA-SHA512 RSA-SHA512/224 RSA-SHA512/256 RSA-SM3 blake2b512 blake2s256 " +
    "id-rsassa-pkcs1-v1_5-with-sha3-224 id-rsassa-pkcs1-v1_5-with-sha3-256 id-rsassa-pkcs1-v1_5-with-sha3-384 " +
    "id-rsassa-pkcs1-v1_5-with-sha3-512 md5 md5-sha1 md5WithRSAEncryption ripemd ripemd160 ripemd160WithRSA rmd160 sha1 " +
    "sha1WithRSAEncryption sha224 sha224WithRSAEncryption sha256 sha256WithRSAEncryption sha3-224 sha3-256 sha3-384 " +
    "sha3-512 sha384 sha384WithRSAEncryption sha512 sha512-224 sha512-224WithRSAEncryption sha512-256 " +
    "sha512-256WithRSAEncryption sha512WithRSAEncryption shake128 shake256 sm3 sm3WithRSAEncryption ssl3-md5 ssl3-sha1"
  ).split(" ");
}
