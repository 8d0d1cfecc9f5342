/** node:zlib (https://nodejs.org/api/zlib.html): deflate, gzip, Brotli and Zstandard. */
import { codes as errorCodes } from "internal/core/errors";
import { isAnyArrayBuffer, isArrayBufferView, isUint8Array } from "internal/buffer/base";
import { validateFunction, validateUint32 } from "internal/core/validators";
import { codes, constants } from "internal/zlib/constants";
import type { ZlibOptions } from "internal/zlib/types";
import {
  type Engine,
  asBuffer,
  Brotli,
  inherit,
  warnWithoutNew,
  writeAll,
  writeAllSync,
  Zlib,
  Zstd,
} from "internal/zlib/stream";

const ops = native("zlib");

/** A class of the ones below. */
interface EngineClass {
  new (options?: ZlibOptions): Engine;
  (options?: ZlibOptions): Engine;
}
// As the module has it, and not as it was made: what this is at load time is the limit, as in Node.
import { kArrayLimit } from "internal/buffer/base";

const { defineProperty } = Object;
const { DEFLATE, INFLATE, GZIP, GUNZIP, DEFLATERAW, INFLATERAW, UNZIP } = constants;

// ---------------------------------------------------------------------------------------------------------------------
// Classes: callable without `new`, so that older code can inherit from them.

function Deflate(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (Deflate as EngineClass))) return called(Deflate as EngineClass, options);
  Zlib.call(this as never, options, DEFLATE);
}
function Inflate(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (Inflate as EngineClass))) return called(Inflate as EngineClass, options);
  Zlib.call(this as never, options, INFLATE);
}
function Gzip(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (Gzip as EngineClass))) return called(Gzip as EngineClass, options);
  Zlib.call(this as never, options, GZIP);
}
function Gunzip(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (Gunzip as EngineClass))) return called(Gunzip as EngineClass, options);
  Zlib.call(this as never, options, GUNZIP);
}
function DeflateRaw(this: unknown, options?: ZlibOptions): unknown {
  // zlib cannot do a raw stream with a window of eight bits; nine is as good.
  if (options && options.windowBits === 8) options.windowBits = 9;
  if (!(this instanceof (DeflateRaw as EngineClass))) return called(DeflateRaw as EngineClass, options);
  Zlib.call(this as never, options, DEFLATERAW);
}
function InflateRaw(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (InflateRaw as EngineClass))) return called(InflateRaw as EngineClass, options);
  Zlib.call(this as never, options, INFLATERAW);
}
function Unzip(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (Unzip as EngineClass))) return called(Unzip as EngineClass, options);
  Zlib.call(this as never, options, UNZIP);
}
function BrotliCompress(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (BrotliCompress as EngineClass))) return called(BrotliCompress as EngineClass, options);
  Brotli.call(this as never, options, true);
}
function BrotliDecompress(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (BrotliDecompress as EngineClass))) return called(BrotliDecompress as EngineClass, options);
  Brotli.call(this as never, options, false);
}
function ZstdCompress(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (ZstdCompress as EngineClass))) return called(ZstdCompress as EngineClass, options);
  Zstd.call(this as never, options, true);
}
function ZstdDecompress(this: unknown, options?: ZlibOptions): unknown {
  if (!(this instanceof (ZstdDecompress as EngineClass))) return called(ZstdDecompress as EngineClass, options);
  Zstd.call(this as never, options, false);
}
for (const type of [Deflate, Inflate, Gzip, Gunzip, DeflateRaw, InflateRaw, Unzip]) inherit(type, Zlib);
for (const type of [BrotliCompress, BrotliDecompress]) inherit(type, Brotli);
for (const type of [ZstdCompress, ZstdDecompress]) inherit(type, Zstd);

function called(type: EngineClass, options: ZlibOptions | undefined): Engine {
  warnWithoutNew(type.name);
  return new type(options);
}

// ---------------------------------------------------------------------------------------------------------------------
// Everything at once

/** Whether options leave everything at its default; level and maxOutputLength may be there. */
function isPlain(options: ZlibOptions | null | undefined): boolean {
  if (options === undefined || options === null) return true;
  if (typeof options !== "object") return false;
  const { level, maxOutputLength } = options;
  return (
    options.chunkSize === undefined &&
    options.flush === undefined &&
    options.finishFlush === undefined &&
    options.windowBits === undefined &&
    options.memLevel === undefined &&
    options.strategy === undefined &&
    options.dictionary === undefined &&
    !options.info &&
    !options.rejectGarbageAfterEnd &&
    (level === undefined || (Number.isInteger(level) && level >= -1 && level <= 9)) &&
    (maxOutputLength === undefined || (Number.isInteger(maxOutputLength) && maxOutputLength >= 1))
  );
}

/** Bytes of what may be compressed; undefined for other values. */
function bytesOf(data: unknown) {
  if (typeof data === "string") return Buffer.from(data);
  if (isArrayBufferView(data)) return data;
  if (isAnyArrayBuffer(data)) return new Uint8Array(data as ArrayBuffer);
}

const compresses = (mode: number) => mode === DEFLATE || mode === GZIP || mode === DEFLATERAW;

/** As in Node, what `buffer.kMaxLength` says when this module is loaded. */
const kLongest = Math.min(kArrayLimit, require("node:buffer").kMaxLength);

/** The simple case in one native call, without a stream; undefined where a stream has to do it. */
function quickSync(mode: number, bytes: ArrayBufferView, options: ZlibOptions | null | undefined): unknown {
  const limit = options?.maxOutputLength ?? kLongest;
  if (compresses(mode)) {
    const out = ops.compressSync(mode, options?.level ?? -1, false, bytes);
    return out.length <= limit ? asBuffer(out) : undefined;
  }
  const out = ops.decompressSync(mode, limit, bytes);
  return out === undefined ? undefined : asBuffer(out);
}

function runSync(type: EngineClass, mode: number, data: unknown, options: ZlibOptions | undefined): unknown {
  const bytes = bytesOf(data);
  if (mode !== 0 && bytes !== undefined && isPlain(options)) {
    const out = quickSync(mode, bytes, options);
    if (out !== undefined) return out;
  }
  const engine = new type(options);
  if (bytes === undefined) {
    throw new errorCodes.ERR_INVALID_ARG_TYPE(
      "buffer",
      ["string", "Buffer", "TypedArray", "DataView", "ArrayBuffer"],
      data,
    );
  }
  const buffer = writeAllSync(engine, bytes, engine._finishFlushFlag);
  return engine._info ? { buffer, engine } : buffer;
}

function runLater(
  type: EngineClass,
  mode: number,
  data: unknown,
  options: ZlibOptions | undefined,
  callback: unknown,
): void {
  const bytes = bytesOf(data);
  if (mode === 0 || bytes === undefined || typeof callback !== "function" || !isPlain(options)) {
    return runStream(type, data, bytes, options, callback);
  }
  const limit = options?.maxOutputLength ?? kLongest;
  const done = (error: Native.NativeError | undefined, out: Uint8Array<ArrayBuffer> | undefined) => {
    // A stream tells what is wrong.
    if (error || out === undefined || out.length > limit) runStream(type, data, bytes, options, callback);
    else callback(null, asBuffer(out));
  };
  if (compresses(mode)) ops.compress(mode, options?.level ?? -1, false, bytes, done);
  else ops.decompress(mode, limit, bytes, done);
}

function runStream(
  type: EngineClass,
  data: unknown,
  bytes: ArrayBufferView | undefined,
  options: ZlibOptions | undefined,
  callback: unknown,
): void {
  const engine = new type(options);
  validateFunction(callback, "callback");
  if (bytes === undefined) {
    // The stream knows what to say about such a chunk.
    engine.on("error", callback);
    engine.end(data);
    return;
  }
  writeAll(engine, bytes, engine._finishFlushFlag, (error, buffer) => {
    if (error) callback(error);
    else if (engine._info) callback(null, { buffer, engine });
    else callback(null, buffer);
  });
}

function sync(type: EngineClass, mode: number) {
  return function syncBufferWrapper(buffer: unknown, options?: ZlibOptions) {
    return runSync(type, mode, buffer, options);
  };
}

function later(type: EngineClass, mode: number) {
  return function asyncBufferWrapper(buffer: unknown, options: ZlibOptions | undefined, callback: unknown) {
    if (typeof options === "function") {
      callback = options;
      options = {};
    }
    return runLater(type, mode, buffer, options, callback);
  };
}

/** CRC-32 of a string's UTF-8 or of bytes, going on from `value`. */
function crc32(data: unknown, value = 0): number {
  if (typeof data === "string") {
    validateUint32(value, "value");
    return ops.crc32Text(data, value);
  }
  if (!isUint8Array(data) && !isArrayBufferView(data)) {
    throw new errorCodes.ERR_INVALID_ARG_TYPE("data", ["Buffer", "TypedArray", "DataView", "string"], data);
  }
  validateUint32(value, "value");
  return ops.crc32(data, value);
}

const exported: { [name: string]: unknown } = {
  crc32,
  Deflate,
  Inflate,
  Gzip,
  Gunzip,
  DeflateRaw,
  InflateRaw,
  Unzip,
  BrotliCompress,
  BrotliDecompress,
  ZstdCompress,
  ZstdDecompress,
};

// Mode 0: always a stream.
const methods: [string, unknown, number][] = [
  ["deflate", Deflate, DEFLATE],
  ["gzip", Gzip, GZIP],
  ["deflateRaw", DeflateRaw, DEFLATERAW],
  ["unzip", Unzip, UNZIP],
  ["inflate", Inflate, INFLATE],
  ["gunzip", Gunzip, GUNZIP],
  ["inflateRaw", InflateRaw, INFLATERAW],
  ["brotliCompress", BrotliCompress, 0],
  ["brotliDecompress", BrotliDecompress, 0],
  ["zstdCompress", ZstdCompress, 0],
  ["zstdDecompress", ZstdDecompress, 0],
];
for (const [name, type, mode] of methods) {
  exported[name] = later(type as EngineClass, mode);
  exported[`${name}Sync`] = sync(type as EngineClass, mode);
}
for (const type of [
  Deflate,
  Inflate,
  DeflateRaw,
  InflateRaw,
  Gzip,
  Gunzip,
  Unzip,
  BrotliCompress,
  BrotliDecompress,
  ZstdCompress,
  ZstdDecompress,
] as EngineClass[]) {
  defineProperty(exported, `create${type.name}`, {
    configurable: true,
    enumerable: true,
    value(options?: ZlibOptions) {
      return new type(options);
    },
  });
}
defineProperty(exported, "constants", { configurable: false, enumerable: true, value: constants });
defineProperty(exported, "codes", { configurable: false, enumerable: true, writable: false, value: codes });

// The constants of zlib at the top, as in old versions of Node.
for (const name of Object.keys(constants)) {
  if (name.startsWith("BROTLI") || name.startsWith("ZSTD")) continue;
  defineProperty(exported, name, { enumerable: false, value: constants[name], writable: false });
}

export default exported;
