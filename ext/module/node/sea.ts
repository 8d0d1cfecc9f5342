/**
 * `node:sea` (https://nodejs.org/api/single-executable-applications.html) outside of an executable with a program of Node's making: there
 * are no assets, and whoever asks for one is told so.
 */
import { codes } from "internal/core/errors";
import { validateString } from "internal/core/validators";

/** Whether the program is part of the executable. */
function isSea(): boolean {
  return false;
}

function refuse(): never {
  throw new codes.ERR_NOT_IN_SINGLE_EXECUTABLE_APPLICATION();
}

/** An asset as text of that encoding, or as an `ArrayBuffer`. */
function getAsset(key: unknown, encoding: unknown): never {
  validateString(key, "key");
  if (encoding !== undefined) validateString(encoding, "encoding");
  refuse();
}

/** An asset as an `ArrayBuffer` on the executable's own memory. */
function getRawAsset(key: unknown): never {
  validateString(key, "key");
  refuse();
}

/** An asset as a `Blob`. */
function getAssetAsBlob(key: unknown, _options: unknown): never {
  validateString(key, "key");
  refuse();
}

/** The names of all assets. */
function getAssetKeys(): never {
  refuse();
}

export default { isSea, getAsset, getRawAsset, getAssetAsBlob, getAssetKeys };
