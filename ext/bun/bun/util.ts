// What several files behind the Bun object need.
import { codes } from "internal/core/errors";
import { isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";

/** A TypeError with the code ERR_INVALID_ARG_TYPE and a message of Bun's own. */
export function invalidType(message: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

/** The error of a class that was called without `new`. */
function illegalConstructor(name: string): TypeError {
  const error: NodeError = new TypeError(`${name} constructor cannot be invoked without 'new'`);
  error.code = "ERR_ILLEGAL_CONSTRUCTOR";
  return error;
}

/** A class that says so in Bun's words when it is called without `new`. */
export function constructorOnly<T extends new (...args: never[]) => unknown>(Class: T): T {
  return new Proxy(Class, {
    apply() {
      throw illegalConstructor(Class.name);
    },
  });
}

/** The error of a method that is called on something else than an instance of its class. */
export function wrongThis(value: unknown, name: string): TypeError {
  const what =
    typeof value === "object" && value !== null
      ? `an instance of ${value.constructor?.name ?? "Object"}`
      : String(value);
  const error: NodeError = new TypeError(`Expected this to be instanceof ${name}, but received ${what}`);
  error.code = "ERR_INVALID_THIS";
  return error;
}

/** The error of something that bao does not have yet. */
export function notImplemented(what: string): Error {
  return new codes.ERR_NOT_IMPLEMENTED(what);
}

/** The bytes of a buffer or view, of the same memory; undefined for other values. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (isArrayBufferView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isAnyArrayBuffer(value) ? new Uint8Array(value as ArrayBuffer) : undefined;
}

/** The bytes of a Blob in memory. */
export function blobBytes(value: unknown): Uint8Array | undefined {
  const { isBlob, blobBytesSync } = require("web/blob");
  if (!isBlob(value)) return undefined;
  if (require("bun/file").isBunFile(value)) throw invalidType("File blob cannot be used here");
  const bytes = blobBytesSync(value);
  if (bytes === undefined) throw invalidType("File blob cannot be used here");
  return bytes;
}

/** A string, or the bytes of a buffer, view or Blob; other values but null and undefined as strings. */
export function stringOrBytes(value: unknown, name: string): string | Uint8Array {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) {
    throw invalidType(`${name} must be a string, ArrayBuffer, ArrayBufferView or Blob`);
  }
  if (typeof value === "object") {
    // Natives take every kind of buffer as it is.
    if (isArrayBufferView(value) || isAnyArrayBuffer(value)) return value as string | Uint8Array;
    return blobBytes(value) ?? `${value}`;
  }
  return `${value}`;
}
