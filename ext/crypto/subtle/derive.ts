// HKDF, PBKDF2 and Argon2 of WebCrypto.
import type { Normalized } from "internal/crypto/types";
import { internalsOf, makeCryptoKey } from "internal/crypto/crypto_key";
import { KeyHandle } from "internal/crypto/key_handle";
import { checkUsages, domException, hashNumber, later, operationFailed } from "internal/crypto/subtle/normalize";

const ops = native("crypto");

export function importKey(
  format: string,
  data: Uint8Array,
  algorithm: Normalized,
  extractable: boolean,
  usages: string[],
) {
  const { name } = algorithm;
  if (format !== "raw-secret" && (format !== "raw" || name.startsWith("Argon2"))) {
    throw domException(`Unable to import ${name} using ${format} format`, "NotSupportedError");
  }
  checkUsages(usages, ["deriveKey", "deriveBits"], name);
  if (extractable) throw domException(`${name} keys are not extractable`, "SyntaxError");
  return makeCryptoKey(new KeyHandle("secret", data.slice()), { name }, false, usages);
}

const argonKinds: Record<string, number> = { Argon2d: 0, Argon2i: 1, Argon2id: 2 };

export async function deriveBits(algorithm: Normalized, key: unknown, length: number | null): Promise<ArrayBuffer> {
  const { data } = internalsOf(key).handle;
  const { name } = algorithm;
  if (length === null) throw domException("length cannot be null", "OperationError");
  if (length % 8 !== 0) throw domException("length must be a multiple of 8", "OperationError");
  const count = length / 8;
  try {
    if (name === "HKDF") {
      const hash = require("internal/crypto/hashes").findHash(algorithm.hash.name)!;
      if (count > 255 * hash.length) throw operationFailed();
      const bits = new ArrayBuffer(count);
      ops.hkdfSync(hash.id, data, algorithm.salt, algorithm.info, bits);
      return bits;
    }
    if (name === "PBKDF2") {
      const { iterations, salt } = algorithm;
      if (iterations === 0) throw domException("iterations cannot be zero", "OperationError");
      if (count === 0) return new ArrayBuffer(0);
      return (
        await later((callback) => ops.pbkdf2(hashNumber(algorithm.hash), data, salt, iterations, count, callback))
      ).buffer as ArrayBuffer;
    }
    const { parallelism, memory, passes, nonce, secretValue, associatedData, version } = algorithm;
    if (version !== undefined && version !== 0x13)
      throw domException(`${version} is not a supported Argon2 version`, "OperationError");
    if (count < 4) throw domException("length must be at least 32", "OperationError");
    const none = new Uint8Array(0);
    const numbers = [argonKinds[name]!, parallelism, count, memory, passes];
    return (
      await later((callback) => ops.argon2(data, nonce, numbers, secretValue ?? none, associatedData ?? none, callback))
    ).buffer as ArrayBuffer;
  } catch (error) {
    throw (error as NodeError)?.name === "OperationError" ? error : operationFailed(error);
  }
}
