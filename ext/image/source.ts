/** Where the bytes of an image come from: a file, memory, a Blob, or a data: URL. */

import { isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";
import { codes } from "internal/core/errors";
import { invalidType } from "bun/util";
import { isBlob } from "web/blob";

/** Gives the bytes, which nobody else changes. */
export interface Source {
  read(): Promise<Uint8Array>;
  /** The same at once. Throws if the bytes are not on this machine. */
  readNow(): Uint8Array;
}

function noDevice(path: string): Error {
  const error: NodeError = new Error(`ENODEV: no such device, read '${path}'`);
  return Object.assign(error, { code: "ENODEV", errno: -19, syscall: "read", path });
}

/** A file, read when its bytes are needed. Pipes and devices are refused: they might never end. */
function fileSource(path: string): Source {
  return {
    async read() {
      const { open } = require("node:fs").promises;
      const { O_RDONLY, O_NONBLOCK } = require("node:fs").constants;
      const file = await open(path, O_RDONLY | O_NONBLOCK);
      try {
        if (!(await file.stat()).isFile()) throw noDevice(path);
        return await file.readFile();
      } finally {
        await file.close();
      }
    },
    readNow() {
      const fs = require("node:fs");
      if (!fs.statSync(path).isFile()) throw noDevice(path);
      return fs.readFileSync(path);
    },
  };
}

/** Memory of the program. It is copied when a pipeline starts: decoding is on another thread, and the program may go on. */
function memorySource(value: ArrayBufferLike | ArrayBufferView): Source {
  const isView = isArrayBufferView(value);
  const buffer = (isView ? value.buffer : value) as ArrayBuffer & { resizable?: boolean; growable?: boolean };
  if (!(buffer instanceof ArrayBuffer) || buffer.resizable) {
    throw invalidType(
      "Image(): resizable / shared ArrayBuffer is not supported; pass a fixed-length view (e.g. buf.slice())",
    );
  }
  const hadBytes = value.byteLength > 0;
  const readNow = (): Uint8Array => {
    if (hadBytes && value.byteLength === 0) {
      const error: NodeError = new Error("Image: source ArrayBuffer was detached");
      error.code = "ERR_INVALID_STATE";
      throw error;
    }
    return isView ? new Uint8Array(buffer, value.byteOffset, value.byteLength).slice() : new Uint8Array(buffer).slice();
  };
  return { readNow, read: async () => readNow() };
}

function blobSource(blob: Blob): Source {
  return {
    async read() {
      return new Uint8Array(await blob.arrayBuffer());
    },
    readNow() {
      const { isBunFile } = require("bun/file");
      if (isBunFile(blob)) {
        const { name } = blob as Blob & { name?: string };
        if (typeof name === "string") return fileSource(name).readNow();
      }
      const bytes = require("web/blob").blobBytesSync(blob);
      if (bytes === undefined) {
        throw new codes.ERR_NOT_IMPLEMENTED("an image of a remote file as a body (await image.blob() first)");
      }
      return bytes;
    },
  };
}

function dataSource(url: string): Source {
  const comma = url.indexOf(",");
  if (comma < 0 || !url.slice(0, comma).endsWith(";base64")) {
    throw invalidType("Image(): only base64 data: URLs are supported");
  }
  const text = url.slice(comma + 1);
  if (!/^[A-Za-z0-9+/\s]*=*\s*$/.test(text)) throw invalidType("Image(): invalid base64 in data: URL");
  const bytes = Buffer.from(text, "base64");
  return { readNow: () => bytes, read: async () => bytes };
}

/** The source that the first argument of `Bun.Image` names. */
export function sourceOf(value: unknown): Source {
  if (value === undefined || value === null)
    throw invalidType("Image() expects a path, ArrayBuffer, TypedArray, Blob or data: URL");
  if (typeof value === "string") {
    if (value.startsWith("data:")) return dataSource(value);
    if (value.includes("\0")) {
      throw new codes.ERR_INVALID_ARG_VALUE("path", value, "must be a string, Uint8Array, or URL without null bytes");
    }
    return fileSource(value);
  }
  if (isArrayBufferView(value) || isAnyArrayBuffer(value)) return memorySource(value);
  if (isBlob(value)) return blobSource(value as Blob);
  throw invalidType("Image() input must be a path string, data: URL, ArrayBuffer, TypedArray or Blob");
}
