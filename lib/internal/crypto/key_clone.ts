// Structured cloning of CryptoKeys and KeyObjects, also to other threads: see lib/internal/clone_blobs.
import { internalsOf, isCryptoKey, makeCryptoKey } from "internal/crypto/crypto_key";
import { PKCS8, SPKI, KeyHandle } from "internal/crypto/key_handle";
import { handleOf, isKeyObject, keyObject } from "internal/crypto/keys";

const ops = native("crypto");

export function isKey(value: any): boolean {
  return isCryptoKey(value) || isKeyObject(value);
}

/** Plain data of a key. */
export function serialize(value: any): any {
  const { type, data } = handleOf(value)!;
  const bytes = type === "secret"
    ? data
    : type === "public" ? ops.keyExportPublic(data, false, SPKI) : ops.keyExportPrivate(data, false, PKCS8, undefined, undefined);
  if (!isCryptoKey(value)) return { type, bytes };
  const { algorithm, extractable, usages } = internalsOf(value);
  return { type, bytes, algorithm, extractable, usages };
}

/** The key that {@link serialize} gave `data` for. */
export function deserialize(data: any): any {
  const { type, bytes } = data;
  const isPrivate = type === "private";
  const native = type === "secret" ? bytes : ops.keyImport(isPrivate, 1, isPrivate ? PKCS8 : SPKI, undefined, bytes);
  const handle = new KeyHandle(type, native);
  return data.algorithm === undefined ? keyObject(handle) : makeCryptoKey(handle, data.algorithm, data.extractable, data.usages);
}
