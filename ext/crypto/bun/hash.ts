// Bun.hash: hash functions that are not for cryptography (https://bun.com/docs/runtime/hashing#bun-hash). The numbers are
// those of ext/bun/native/hash.
import { stringOrBytes } from "bun/util";

const ops = native("bun");

function seedOf(seed: unknown): number | bigint {
  if (seed === undefined) return 0;
  if (typeof seed === "bigint") return BigInt.asUintN(64, seed);
  if (typeof seed !== "number" || !Number.isFinite(seed)) return 0;
  return seed >= 0 && seed <= Number.MAX_SAFE_INTEGER ? Math.trunc(seed) : BigInt.asUintN(64, BigInt(Math.trunc(seed)));
}

function function32(name: string, number: number): (input: unknown, seed?: unknown) => number {
  const { hash32, hash32Text } = ops;
  return named(name, (input: unknown, seed?: unknown) => {
    const data = typeof input === "string" ? input : stringOrBytes(input, "data");
    return typeof data === "string" ? hash32Text(number, data, seedOf(seed)) : hash32(number, data, seedOf(seed));
  });
}

function function64(name: string, number: number): (input: string | Uint8Array, seed?: unknown) => bigint {
  const { hash64, hash64Text } = ops;
  return named(name, (input: unknown, seed?: unknown) => {
    const data = typeof input === "string" ? input : stringOrBytes(input, "data");
    return typeof data === "string" ? hash64Text(number, data, seedOf(seed)) : hash64(number, data, seedOf(seed));
  });
}

function named<F extends Function>(name: string, fn: F): F {
  Object.defineProperty(fn, "name", { value: name, configurable: true });
  Object.defineProperty(fn, "length", { value: 1, configurable: true });
  return fn;
}

/** Wyhash of a string (its UTF-8), buffer, view or Blob, as a BigInt; the other functions are its properties. */
export const hash = Object.assign(function64("hash", 0), {
  wyhash: function64("wyhash", 0),
  adler32: function32("adler32", 0),
  crc32: function32("crc32", 1),
  cityHash32: function32("cityHash32", 2),
  cityHash64: function64("cityHash64", 1),
  xxHash32: function32("xxHash32", 3),
  xxHash64: function64("xxHash64", 2),
  xxHash3: function64("xxHash3", 3),
  murmur32v2: function32("murmur32v2", 4),
  murmur32v3: function32("murmur32v3", 5),
  murmur64v2: function64("murmur64v2", 4),
  rapidhash: function64("rapidhash", 5),
});
