// What the parts of node:crypto share.
import buffer from "node:buffer";
import { codes } from "internal/core/errors";
import { isAnyArrayBuffer } from "internal/util/types";

const { Buffer } = buffer;

const { isView } = ArrayBuffer;

const { setPrototypeOf } = Object;
const { prototype } = Buffer;

/** A native result, which nobody else has, as a Buffer: the same object, since a further view would cost twice as much. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return setPrototypeOf(bytes, prototype);
}

/** Bytes of a string (in an encoding), buffer or view; throws ERR_INVALID_ARG_TYPE for anything else. */
export function bytesOf(value: unknown, name: string, encoding?: string): Native.Bytes {
  if (typeof value === "string")
    return Buffer.from(value, encoding === undefined || encoding === "buffer" ? "utf8" : encoding);
  if (isView(value) || isAnyArrayBuffer(value)) return value;
  throw new codes.ERR_INVALID_ARG_TYPE(name, ["string", "ArrayBuffer", "Buffer", "TypedArray", "DataView"], value);
}

/** Throws for hexadecimal text with half a byte. */
export function validateEncoding(data: string, encoding: string | undefined): void {
  if (typeof encoding === "string" && encoding.toLowerCase() === "hex" && data.length % 2 !== 0) {
    throw new codes.ERR_INVALID_ARG_VALUE("encoding", encoding, `is invalid for data of length ${data.length}`);
  }
}

/** Whether an encoding is UTF-8, which native code takes as a string; unknown ones count as such, as in Node. */
export function isUtf8(encoding: string | undefined): boolean {
  if (encoding === undefined || encoding === "utf8" || encoding === "utf-8") return true;
  return !Buffer.isEncoding(encoding) || /^utf-?8$/i.test(encoding);
}

/** Numbers of the encodings in which native code writes results. */
export const textCodes: Record<string, number> = {
  __proto__: null as never,
  hex: 0,
  base64: 1,
  base64url: 2,
  latin1: 3,
  binary: 3,
};

/** For an error of OpenSSL that programs know by its code. */
export function opensslError(number: string, library: string, reason: string, code: string): Error {
  const error: NodeError & { library?: string } = new Error(`error:${number}:${library}::${reason}`);
  error.library = library;
  error.reason = reason;
  error.code = code;
  return error;
}

export function notImplemented(name: string): never {
  throw new codes.ERR_NOT_IMPLEMENTED(`crypto.${name}`);
}
