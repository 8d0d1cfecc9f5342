/** node:zlib (https://nodejs.org/api/zlib.html): deflate, gzip, Brotli and Zstandard. */
import { codes as errorCodes } from "internal/core/errors";
import { isAnyArrayBuffer, isArrayBufferView, isUint8Array } from "internal/buffer/base";
import { validateFunction, validateUint32 } from "internal/core/validators";
import { codes, constants } from "internal/zlib/constants";
import { asBuffer, Brotli, inherit, warnWithoutNew, writeAll, writeAllSync, Zlib, Zstd } from "internal/zlib/stream";

const ops = native("zlib");
// As the module has it, and not as it was made: what this is at load time is the limit, as in Node.
import { kArrayLimit } from "internal/buffer/base";

const { defineProperty } = Object;
const { DEFLATE, INFLATE, GZIP, GUNZIP, DEFLATERAW, INFLATERAW, UNZIP } = constants;

// ---------------------------------------------------------------------------------------------------------------------
// Classes: callable without `new`, so that older code can inherit from them.

function Deflate(this: unknown, options: any): any {
  if (!(this instanceof (Deflate as any))) return called(Deflate, options);
  (Zlib as { call(...values: unknown[]): unknown }).call(this, options, DEFLATE);
}
function Inflate(this: unknown, options: any): any {
  if (!(this instanceof (Inflate as any))) return called(Inflate, options);
  (Zlib as { call(...values: unknown[]): unknown }).call(this, options, INFLATE);
}
function Gzip(this: unknown, options: any): any {
  if (!(this instanceof (Gzip as any))) return called(Gzip, options);
  (Zlib as { call(...values: unknown[]): unknown }).call(this, options, GZIP);
}
function Gunzip(this: unknown, options: any): any {
  if (!(this instanceof (Gunzip as any))) return called(Gunzip, options);
  (Zlib as { call(...values: unknown[]): unknown }).call(this, options, GUNZIP);
}
function DeflateRaw(this: unknown, options: any): any {
  // zlib cannot do a raw stream with a window of eight bits; nine is as good.
  if (options && options.windowBits === 8) options.windowBits = 9;
  if (!(this instanceof (DeflateRaw as any))) return called(DeflateRaw, options);
  (Zlib as { call(...values: unknown[]): unknown }).call(this, options, DEFLATERAW);
}
function InflateRaw(this: unknown, options: any): any {
  if (!(this instanceof (InflateRaw as any))) return called(InflateRaw, options);
  (Zlib as { call(...values: unknown[]): unknown }).call(this, options, INFLATERAW);
}
function Unzip(this: unknown, options: any): any {
  if (!(this instanceof (Unzip as any))) return called(Unzip, options);
  (Zlib as { call(...values: unknown[]): unknown }).call(this, options, UNZIP);
}
function BrotliCompress(this: unknown, options: any): any {
  if (!(this instanceof (BrotliCompress as any))) return called(BrotliCompress, options);
  (Brotli as { call(...values: unknown[]): unknown }).call(this, options, true);
}
function BrotliDecompress(this: unknown, options: any): any {
  if (!(this instanceof (BrotliDecompress as any))) return called(BrotliDecompress, options);
  (Brotli as { call(...values: unknown[]): unknown }).call(this, options, false);
}
function ZstdCompress(this: unknown, options: any): any {
  if (!(this instanceof (ZstdCompress as any))) return called(ZstdCompress, options);
  (Zstd as { call(...values: unknown[]): unknown }).call(this, options, true);
}
function ZstdDecompress(this: unknown, options: any): any {
  if (!(this instanceof (ZstdDecompress as any))) return called(ZstdDecompress, options);
  (Zstd as { call(...values: unknown[]): unknown }).call(this, options, false);
}
for (const type of [Deflate, Inflate, Gzip, Gunzip, DeflateRaw, InflateRaw, Unzip]) inherit(type, Zlib);
for (const type of [BrotliCompress, BrotliDecompress]) inherit(type, Brotli);
for (const type of [ZstdCompress, ZstdDecompress]) inherit(type, Zstd);

function called(type: any, options: any): any {
  warnWithoutNew(type.name);
  return new type(options);
}

// ---------------------------------------------------------------------------------------------------------------------
// Everything at once

/** Whether options leave everything at its default; level and maxOutputLength may be there. */
function isPlain(options: any): boolean {
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
function quickSync(mode: number, bytes: ArrayBufferView, options: any): unknown {
  const limit = options?.maxOutputLength ?? kLongest;
  if (compresses(mode)) {
    const out = ops.compressSync(mode, options?.level ?? -1, false, bytes);
    return out.length <= limit ? asBuffer(out) : undefined;
  }
  const out = ops.decompressSync(mode, limit, bytes);
  return out === undefined ? undefined : asBuffer(out);
}

function runSync(type: any, mode: number, data: unknown, options: any): unknown {
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

function runLater(type: string, mode: number, data: unknown, options: any, callback: unknown): void {
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
  type: any,
  data: unknown,
  bytes: ArrayBufferView | undefined,
  options: unknown,
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
  writeAll(engine, bytes, engine._finishFlushFlag, (error: NodeError | null | undefined, buffer: unknown) => {
    if (error) callback(error);
    else if (engine._info) callback(null, { buffer, engine });
    else callback(null, buffer);
  });
}

function sync(type: string, mode: number) {
  return function syncBufferWrapper(buffer: unknown, options: unknown) {
    return runSync(type, mode, buffer, options);
  };
}

function later(type: string, mode: number) {
  return function asyncBufferWrapper(buffer: unknown, options: any, callback: unknown) {
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

const exported: any = {
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
const methods = [
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
  exported[name] = later(type, mode);
  exported[`${name}Sync`] = sync(type, mode);
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
] as any[]) {
  defineProperty(exported, `create${type.name}`, {
    configurable: true,
    enumerable: true,
    value(options: unknown) {
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
