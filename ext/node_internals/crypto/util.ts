// What Node's tests ask of require("internal/crypto/util") with --expose-internals.

/** A big-endian array of bytes as a number. */
export function bigIntArrayToUnsignedBigInt(input: Uint8Array): bigint {
  let result = 0n;
  for (const byte of input) result = (result << 8n) | BigInt(byte);
  return result;
}

/** The same as a number of at most 32 bits; undefined for larger ones. */
export function bigIntArrayToUnsignedInt(input: Uint8Array): number | undefined {
  const value = bigIntArrayToUnsignedBigInt(input);
  return value < 2n ** 32n ? Number(value) : undefined;
}

export { normalize as normalizeAlgorithm } from "internal/crypto/subtle/normalize";
