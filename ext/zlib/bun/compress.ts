/**
 * Bun.gzipSync, gunzipSync, deflateSync, inflateSync and the four of Zstandard
 * (https://bun.com/docs/runtime/utils#compression). deflateSync makes raw data, without zlib's header.
 */
import { codes } from "internal/core/errors";
import { isAnyArrayBuffer, isArrayBufferView, kArrayLimit } from "internal/buffer/base";

interface Options {
  library?: unknown;
  level?: number;
  memLevel?: number;
  strategy?: number;
  windowBits?: number;
}

const ops = native("zlib");
const NOTHING = new Uint8Array(0);
const GZIP = 3,
  GUNZIP = 4,
  DEFLATE_RAW = 5,
  INFLATE_RAW = 6,
  INFLATE = 2,
  UNZIP = 7;
const FINISH = 4,
  ZSTD_END = 2,
  ZSTD_LEVEL = 100;

function typeError(message: string): Error {
  const error: NodeError = new TypeError(message);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

function bytesOf(data: unknown) {
  if (typeof data === "string") return Buffer.from(data);
  if (isArrayBufferView(data)) return data;
  if (isAnyArrayBuffer(data)) return new Uint8Array(data as ArrayBuffer);
  throw typeError("data must be a string, ArrayBuffer or ArrayBufferView");
}

function within(value: number | undefined, name: string, least: number, most: number, fallback: number): number {
  if (value === undefined) return fallback;
  const number = value | 0;
  if (number < least || number > most) {
    throw new codes.ERR_OUT_OF_RANGE(`ZlibCompressionOptions.${name}`, `>= ${least} && <= ${most}`, number);
  }
  return number;
}

/** The library that options name: "zlib", "libdeflate" or undefined. */
function libraryOf(options: Options | null | undefined): unknown {
  if (options === undefined || options === null) return undefined;
  if (typeof options !== "object") throw typeError("ZlibCompressionOptions must be an object");
  const { library } = options;
  if (library !== undefined && library !== "zlib" && library !== "libdeflate") {
    throw typeError("Expected library to be one of 'zlib' or 'libdeflate'");
  }
  return library;
}

/** The number of a native stream, which lives for as long as the buffer: it has to be asked for to the end. */
function idOf(lifetime: ArrayBuffer): number {
  return new Uint32Array(lifetime)[0];
}

/** Everything through a stream of its own. */
function runStream(lifetime: ArrayBuffer, bytes: ArrayBufferView, finish: number): Uint8Array {
  try {
    const [output, left] = ops.allSync(idOf(lifetime), finish, bytes, kArrayLimit);
    if (left >= 0) return output;
    const [message, , code] = ops.takeFailure(idOf(lifetime))!;
    throw new Error(code === "Z_BUF_ERROR" ? "Zlib returned an error" : message);
  } finally {
    ops.closeStream(idOf(lifetime));
  }
}

function compress(mode: number, data: unknown, options: Options | undefined): Uint8Array {
  const bytes = bytesOf(data);
  const library = libraryOf(options);
  const given = options?.level;
  const level = given === undefined ? -1 : given | 0;
  if (library === "libdeflate") {
    const known = given === undefined ? 6 : level;
    if (known < 0 || known > 12) throw typeError("Compression level must be between 0 and 12 for libdeflate");
    return ops.compressSync(mode, known, true, bytes);
  }
  if (level < -1 || level > 9) throw new Error("Zlib error: Invalid argument");
  const memLevel = within(options?.memLevel, "memLevel", 1, 9, 8);
  const strategy = within(options?.strategy, "strategy", 0, 4, 0);
  // Bun does not look at windowBits here: the function's name says which header there is.
  if (library === undefined && memLevel === 8 && strategy === 0) return ops.compressSync(mode, level, false, bytes);
  return runStream(ops.openZlib(mode, 15, level, memLevel, strategy, true, NOTHING), bytes, FINISH);
}

/** What windowBits asks for: below 0 raw data, to 15 zlib, to 31 gzip, to 47 either of the last two. */
function modeOf(windowBits: number): number {
  if (windowBits < 0) return INFLATE_RAW;
  if (windowBits > 31) return UNZIP;
  return windowBits > 15 ? GUNZIP : INFLATE;
}

function decompress(mode: number, data: unknown, options: Options | undefined): Uint8Array {
  const bytes = bytesOf(data);
  const library = libraryOf(options);
  const windowBits = options?.windowBits;
  let window = 15;
  if (windowBits !== undefined) {
    mode = modeOf(windowBits | 0);
    window = Math.abs(windowBits | 0) & 15;
  }
  if (library !== "zlib") {
    const output = ops.decompressSync(mode, kArrayLimit, bytes);
    if (output !== undefined) return output;
  }
  try {
    // Only the first member of a gzip file, and no look at what follows the end.
    return runStream(ops.openZlib(mode, window, -1, 8, 0, true, NOTHING), bytes, FINISH);
  } catch (error) {
    if (library !== "libdeflate") throw error;
    throw new Error("libdeflate returned an error: bad data");
  }
}

function gzipSync(data: unknown, options: Options | undefined = undefined): Uint8Array {
  return compress(GZIP, data, options);
}

function deflateSync(data: unknown, options: Options | undefined = undefined): Uint8Array {
  return compress(DEFLATE_RAW, data, options);
}

function gunzipSync(data: unknown, options: Options | undefined = undefined): Uint8Array {
  return decompress(GUNZIP, data, options);
}

function inflateSync(data: unknown, options: Options | undefined = undefined): Uint8Array {
  return decompress(INFLATE_RAW, data, options);
}

// ---------------------------------------------------------------------------------------------------------------------

function openZstd(data: unknown, options: Options | undefined, compressing: boolean): [ArrayBufferView, ArrayBuffer] {
  const bytes = bytesOf(data);
  const params: number[] = [];
  const level = options?.level;
  if (compressing && level !== undefined) {
    if (!(level >= 1 && level <= 22)) throw typeError("Compression level must be between 1 and 22");
    params.push(ZSTD_LEVEL, level | 0);
  }
  return [bytes, ops.openZstd(compressing, params, undefined, NOTHING)];
}

function zstdResult(lifetime: ArrayBuffer, output: Uint8Array, left: number, bytes: ArrayBufferView): unknown {
  // Bytes that begin no frame are damage, too.
  const junk = left > 0;
  ops.closeStream(idOf(lifetime));
  if (left < 0 || (junk && bytes.byteLength > 0)) {
    const error: NodeError = new Error("Decompression failed: InvalidZstdData");
    error.code = "ERR_ZSTD";
    throw error;
  }
  return Object.setPrototypeOf(output, Buffer.prototype);
}

function zstdSync(data: unknown, options: Options | undefined, compressing: boolean): unknown {
  const [bytes, lifetime] = openZstd(data, options, compressing);
  const [output, left] = ops.allSync(idOf(lifetime), ZSTD_END, bytes, kArrayLimit);
  return zstdResult(lifetime, output, left, bytes);
}

function zstdLater(data: unknown, options: Options | undefined, compressing: boolean): Promise<unknown> {
  const [bytes, lifetime] = openZstd(data, options, compressing);
  return new Promise((resolve, reject) => {
    ops.all(idOf(lifetime), ZSTD_END, bytes, kArrayLimit, (error, result) => {
      try {
        if (error) throw error;
        resolve(zstdResult(lifetime, result[0], result[1], bytes));
      } catch (thrown) {
        reject(thrown);
      }
    });
  });
}

function zstdCompressSync(data: unknown, options: Options | undefined = undefined): unknown {
  return zstdSync(data, options, true);
}

function zstdDecompressSync(data: unknown): unknown {
  return zstdSync(data, undefined, false);
}

function zstdCompress(data: unknown, options: Options | undefined = undefined): Promise<unknown> {
  return zstdLater(data, options, true);
}

function zstdDecompress(data: unknown): Promise<unknown> {
  return zstdLater(data, undefined, false);
}

export {
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
};
