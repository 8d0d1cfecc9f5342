/**
 * `node:sea` (https://nodejs.org/api/single-executable-applications.html): the files that an executable of `bao build --compile` brings
 * along, by their names. Outside of one there are no assets, and whoever asks for one is told so.
 */
import { codes } from "internal/core/errors";
import { validateObject, validateString } from "internal/core/validators";

const loader = native("loader");

/** Whether the program is part of the executable. */
function isSea(): boolean {
  return loader.embeddedFiles() !== undefined;
}

/** The place of an asset. Throws if there is none of that name, or no executable that could have one. */
function placeOf(key: unknown): string {
  validateString(key, "key");
  const files = loader.embeddedFiles();
  if (files === undefined) throw new codes.ERR_NOT_IN_SINGLE_EXECUTABLE_APPLICATION();
  if (!files.some(([name]) => name === key)) throw new codes.ERR_SINGLE_EXECUTABLE_APPLICATION_ASSET_NOT_FOUND(key);
  return `/$bunfs/root/${key}`;
}

/** An asset as an `ArrayBuffer`: a copy, since the executable's own memory cannot be written to. */
function getRawAsset(key: unknown): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = require("node:fs").readFileSync(placeOf(key)) as Buffer<ArrayBuffer>;
  return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
}

/** An asset as text of that encoding, or as an `ArrayBuffer`. */
function getAsset(key: unknown, encoding?: unknown): string | ArrayBuffer {
  validateString(key, "key");
  if (encoding !== undefined) validateString(encoding, "encoding");
  const asset = getRawAsset(key);
  return encoding === undefined ? asset : new TextDecoder(encoding as string).decode(asset);
}

/** An asset as a `Blob`. */
function getAssetAsBlob(key: unknown, options: unknown = {}): Blob {
  validateObject(options, "options");
  return new Blob([getRawAsset(key)], options as { type?: string });
}

/** The names of all assets. */
function getAssetKeys(): string[] {
  const files = loader.embeddedFiles();
  if (files === undefined) throw new codes.ERR_NOT_IN_SINGLE_EXECUTABLE_APPLICATION();
  return files.map(([name]) => name);
}

export default { isSea, getAsset, getRawAsset, getAssetAsBlob, getAssetKeys };
