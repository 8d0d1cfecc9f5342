// Structured cloning of CryptoKeys and KeyObjects, also to other threads: see ext/worker/messaging/hooks.
import { internalsOf, isCryptoKey, makeCryptoKey } from "internal/crypto/crypto_key";
import { Packed } from "internal/worker/messaging/hooks";
import { KeyHandle } from "internal/crypto/key_handle";
import { handleOf, keyObject } from "internal/crypto/keys";
import { KEY_ENCODING_PKCS8, KEY_ENCODING_SPKI } from "internal/crypto/native_constants";

const ops = native("crypto");

/** What stands for a key in a message. */
export function packKey(value: unknown): Packed {
  return { module: "internal/crypto/key_clone", name: "receiveKey", data: serialize(value) };
}

function serialize(value: unknown) {
  const { type, data } = handleOf(value)!;
  const bytes =
    type === "secret"
      ? data
      : type === "public"
        ? ops.keyExportPublic(data, false, KEY_ENCODING_SPKI)
        : ops.keyExportPrivate(data, false, KEY_ENCODING_PKCS8, undefined, undefined);
  if (!isCryptoKey(value)) return { type, bytes };
  const { algorithm, extractable, usages } = internalsOf(value);
  return { type, bytes, algorithm, extractable, usages };
}

/** The key that {@link packKey} gave `data` for. */
export function receiveKey(data: ReturnType<typeof serialize>) {
  const { type, bytes } = data;
  const isPrivate = type === "private";
  const native =
    type === "secret"
      ? bytes
      : ops.keyImport(isPrivate, 1, isPrivate ? KEY_ENCODING_PKCS8 : KEY_ENCODING_SPKI, undefined, bytes);
  const handle = new KeyHandle(type, native);
  return data.algorithm === undefined
    ? keyObject(handle)
    : makeCryptoKey(handle, data.algorithm, data.extractable, data.usages);
}
