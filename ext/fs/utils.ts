// Arguments of the fs functions: paths, flags, modes, options, ranges, times; and results that are paths.
//
// A path goes to the native half as a string. Paths that came as bytes and are not UTF-8 go as U+0000 followed by one
// character for each byte, and come back so (see ext/fs/native/sys/path.rs); programs cannot pass U+0000 themselves.

import type { BufferConstructor } from "internal/buffer/types";
import { codedTypeError, codes } from "internal/core/errors";
import {
  isInt32,
  parseFileMode,
  validateAbortSignal,
  validateBoolean,
  validateFunction,
  validateInt32,
  validateInteger,
  validateObject,
  validateUint32,
} from "internal/core/validators";
import type { CheckedOptions, CheckedPath, GivenPath } from "internal/fs/types";

const { isView } = ArrayBuffer;
const { setPrototypeOf } = Object;

// The same on all architectures; fs.constants is made when it is asked for.
const O_RDONLY = 0;
const O_WRONLY = 1;
const O_RDWR = 2;
const O_CREAT = 0o100;
const O_EXCL = 0o200;
const O_TRUNC = 0o1000;
const O_APPEND = 0o2000;
const O_SYNC = 0o4010000;

/** The largest range of a single read or write, as in Node: the largest positive 32-bit integer. */
export const kIoMaxLength = 2 ** 31 - 1;
/** How much whole-file reads through a FileHandle, and stream reads, ask for at once. */
export const kReadFileUnknownBufferLength = 64 * 1024;
export const kReadFileBufferLength = 512 * 1024;
export const kWriteFileMaxChunkSize = 512 * 1024;
export const kMaxUserId = 2 ** 32 - 1;

export { isInt32, parseFileMode };

/** Undefined until it is first asked for. */
let bufferClass: BufferConstructor;
let bufferPrototype: Buffer;

/** The Buffer class; node:buffer is loaded by the first call. */
export function lazyBuffer(): BufferConstructor {
  if (bufferClass === undefined) {
    bufferClass = require("node:buffer").Buffer;
    bufferPrototype = bufferClass.prototype;
  }
  return bufferClass;
}

/** Makes a Buffer of a Uint8Array that nobody else has seen. */
export function toBuffer(bytes: Uint8Array): Buffer {
  if (bufferClass === undefined) lazyBuffer();
  // Quicker than a second view on the same memory (see newBuffer in internal/buffer/base).
  return setPrototypeOf(bytes, bufferPrototype);
}

const { takeInto, takeBytes } = native("fs");

/**
 * The Buffer of a file that readStart or readStartSync has read; `size` is their answer. Where that is a number of bytes
 * the view is made here: it is a young object without an ArrayBuffer until somebody asks for that.
 */
export function takeBuffer(size: number): Buffer {
  if (bufferClass === undefined) lazyBuffer();
  if (size < 0) return setPrototypeOf(takeBytes(), bufferPrototype);
  const bytes = setPrototypeOf(new Uint8Array(size), bufferPrototype);
  takeInto(bytes);
  return bytes;
}

// ---------------------------------------------------------------------------------------------------------------------
// Paths in

/** Whether `value` is a URL object (and not the old url.parse() result). */
export function isURL<T>(value: T): value is T & URL;
export function isURL(
  value: { href?: unknown; protocol?: unknown; auth?: unknown; path?: unknown } | null | undefined,
): boolean {
  return Boolean(value?.href && value.protocol && value.auth === undefined && value.path === undefined);
}

/**
 * A file: URL becomes its path and a String object its text, as in Bun; anything else comes back. Throws ERR_INVALID_URL_SCHEME and
 * the like.
 */
export function toPathIfFileURL(value: unknown): unknown {
  if (value instanceof String) return require("internal/core/validators").unboxed(value);
  return isURL(value) ? require("node:url").fileURLToPath(value) : value;
}

function refuseNull(path: string | Uint8Array, name: string): never {
  throw new codes.ERR_INVALID_ARG_VALUE(name, path, "must be a string, Uint8Array, or URL without null bytes");
}

/** Throws unless `path` is a string or Uint8Array without null bytes. */
export function validatePath(path: unknown, name = "path"): void {
  if (typeof path === "string") {
    if (path.includes("\0")) refuseNull(path, name);
  } else if (!require("internal/buffer/base").isUint8Array(path)) {
    throw new codes.ERR_INVALID_ARG_TYPE(name, ["string", "Buffer", "URL"], path);
  } else if (path.includes(0)) {
    refuseNull(path, name);
  }
}

/** A checked path, as the program gave it: a string, or a Uint8Array; URLs become strings. */
export function getValidatedPath(path: unknown, name = "path"): CheckedPath {
  const plain = typeof path === "string" ? path : toPathIfFileURL(path);
  validatePath(plain, name);
  return plain as CheckedPath;
}

/** A checked path in the form that native functions take. */
export function pathOf(path: unknown, name = "path"): string {
  if (typeof path === "string") {
    if (path.includes("\0")) refuseNull(path, name);
    return path;
  }
  return nativePath(getValidatedPath(path, name));
}

/** The native form of a path that has been checked. */
export function nativePath(path: CheckedPath): string {
  if (typeof path === "string") return path;
  const bytes = asBuffer(path);
  const text = bytes.utf8Slice(0, bytes.length);
  return text.includes("\ufffd") ? `\0${bytes.latin1Slice(0, bytes.length)}` : text;
}

/** A Buffer on the bytes of a Uint8Array. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return lazyBuffer().from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whether `value` is a descriptor and not a path. */
export function isFd(value: unknown): value is number {
  return typeof value === "number" && value === (value | 0) && value >= 0;
}

/** Whether a path argument is an integer, and so meant to be a descriptor, if only a wrong one. */
export function isNumber(value: unknown): value is number {
  return typeof value === "number" && value === (value | 0);
}

/** The path of realpath: Node makes text of anything. */
export function asText(path: unknown) {
  return typeof path === "string" || path instanceof URL || ArrayBuffer.isView(path) ? path : `${path}`;
}

/** A descriptor as Node's JavaScript half checks it. */
export function checkFd(fd: unknown): number {
  validateInt32(fd, "fd", 0);
  return fd | 0;
}

/** A descriptor as Node's native half checks it; -0 is 0. */
export function getValidatedFd(fd: unknown, name = "fd"): number {
  if (typeof fd === "number" && fd === (fd | 0) && fd >= 0) return fd | 0;
  // These three are shown as Node's native half shows them.
  const shown =
    typeof fd === "function"
      ? "function"
      : typeof fd === "symbol"
        ? String(fd)
        : typeof fd === "bigint"
          ? `type bigint (${fd})`
          : "";
  if (shown !== "")
    throw codedTypeError("ERR_INVALID_ARG_TYPE", `The "${name}" argument must be of type number. Received ${shown}`);
  validateInt32(fd, name, 0);
  return fd;
}

// ---------------------------------------------------------------------------------------------------------------------
// Paths out

/** A path or name from a native function in the encoding that the program asked for. */
export function decodePath(path: string, encoding: "utf8"): string;
export function decodePath(path: string, encoding: string | null | undefined): GivenPath;
export function decodePath(path: string, encoding: string | null | undefined): GivenPath {
  const raw = path.charCodeAt(0) === 0;
  if (!raw && (encoding === undefined || encoding === null || encoding === "utf8" || encoding === "utf-8")) return path;
  const Buffer = lazyBuffer();
  const bytes = raw ? Buffer.from(path.slice(1), "latin1") : Buffer.from(path);
  return encoding === "buffer" ? bytes : bytes.toString(encoding || "utf8");
}

/** Splits a list of names as native functions give it (see ext/fs/native/convert.rs, `Names`). */
export function decodeNames(names: string | Uint8Array, encoding: undefined): string[];
export function decodeNames(names: string | Uint8Array, encoding: "buffer"): Buffer[];
export function decodeNames(names: string | Uint8Array, encoding: string | null | undefined): string[] | Buffer[];
export function decodeNames(names: string | Uint8Array, encoding: string | null | undefined): GivenPath[] {
  const text = typeof names === "string";
  if (text) {
    if (names === "") return [];
    if (encoding === undefined || encoding === null || encoding === "utf8" || encoding === "utf-8") {
      return names.split("\0");
    }
  }
  const bytes = text ? lazyBuffer().from(names) : asBuffer(names);
  const list: GivenPath[] = [];
  for (let from = 0; from <= bytes.length;) {
    let to = bytes.indexOf(0, from);
    if (to === -1) to = bytes.length;
    const name = bytes.subarray(from, to);
    list.push(encoding === "buffer" ? lazyBuffer().from(name) : name.toString(encoding || "utf8"));
    from = to + 1;
  }
  return list;
}

// ---------------------------------------------------------------------------------------------------------------------
// Options

/** Throws ERR_INVALID_ARG_VALUE unless Buffer knows the encoding; empty values pass. */
export function assertEncoding(encoding: unknown): void {
  if (encoding && encoding !== "utf8" && encoding !== "utf-8" && !lazyBuffer().isEncoding(encoding)) {
    throw new codes.ERR_INVALID_ARG_VALUE("encoding", encoding, "is invalid encoding");
  }
}

const noOptions: CheckedOptions = Object.freeze({ __proto__: null });

/**
 * Options as most functions take them: nothing (or the callback in their place), the name of an encoding, or an object,
 * which is given back as it is.
 */
export function getOptions<T>(options: T, defaults?: CheckedOptions): CheckedOptions;
export function getOptions(
  options: string | CheckedOptions | Callback | null | undefined,
  defaults: CheckedOptions = noOptions,
): CheckedOptions {
  if (options == null || typeof options === "function") return defaults;
  if (typeof options === "string") {
    if (options !== "buffer") assertEncoding(options);
    return { __proto__: null, ...defaults, encoding: options };
  }
  if (typeof options !== "object") throw new codes.ERR_INVALID_ARG_TYPE("options", ["string", "Object"], options);
  if (options.encoding !== "buffer") assertEncoding(options.encoding);
  if (options.signal !== undefined) validateAbortSignal(options.signal, "options.signal");
  return options;
}

/** Throws an AbortError if the signal is aborted. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

/** Calls `listener` when the signal is aborted; the result ends that. What only looks like a signal is left alone. */
export function listenForAbort(signal: AbortSignal, listener: () => void): () => void {
  try {
    signal.addEventListener("abort", listener, { once: true });
  } catch {
    return () => {};
  }
  return () => signal.removeEventListener("abort", listener);
}

export function abortError(signal: { reason?: unknown }): Error {
  const { AbortError } = require("internal/core/errors");
  return new AbortError(undefined, { cause: signal.reason });
}

/** The O_* bits of "r", "w+", "ax" and so on; numbers are taken as they are, nothing means "r". */
export function stringToFlags(flags: unknown, name = "flags"): number {
  if (typeof flags === "number") {
    validateInt32(flags, name);
    return flags;
  }
  if (flags == null) return O_RDONLY;
  switch (flags) {
    case "r":
      return O_RDONLY;
    case "rs":
    case "sr":
      return O_RDONLY | O_SYNC;
    case "r+":
      return O_RDWR;
    case "rs+":
    case "sr+":
      return O_RDWR | O_SYNC;
    case "w":
      return O_TRUNC | O_CREAT | O_WRONLY;
    case "wx":
    case "xw":
      return O_TRUNC | O_CREAT | O_WRONLY | O_EXCL;
    case "w+":
      return O_TRUNC | O_CREAT | O_RDWR;
    case "wx+":
    case "xw+":
      return O_TRUNC | O_CREAT | O_RDWR | O_EXCL;
    case "a":
      return O_APPEND | O_CREAT | O_WRONLY;
    case "ax":
    case "xa":
      return O_APPEND | O_CREAT | O_WRONLY | O_EXCL;
    case "as":
    case "sa":
      return O_APPEND | O_CREAT | O_WRONLY | O_SYNC;
    case "a+":
      return O_APPEND | O_CREAT | O_RDWR;
    case "ax+":
    case "xa+":
      return O_APPEND | O_CREAT | O_RDWR | O_EXCL;
    case "as+":
    case "sa+":
      return O_APPEND | O_CREAT | O_RDWR | O_SYNC;
  }
  throw new codes.ERR_INVALID_ARG_VALUE(name, flags);
}

/** The mode of access() or copyFile(): 0 to 7, `fallback` when missing. */
export function smallMode(mode: unknown, fallback: number): number {
  if (mode == null) return fallback;
  if (typeof mode !== "number") {
    const error: NodeError = new TypeError("mode must be int32 or null/undefined");
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
  if (mode < 0 || mode > 7) {
    const error: NodeError = new RangeError("mode is out of range: >= 0 && <= 7");
    error.code = "ERR_OUT_OF_RANGE";
    throw error;
  }
  return mode | 0;
}

/** A user or group id: an integer from -1 (leave it) to 2**32 - 1. */
export function validateId(id: unknown, name: string): asserts id is number {
  validateInteger(id, name, -1, kMaxUserId);
}

/** A time for utimes(): numbers and numeric strings are seconds, dates their time; now, where a number is negative. */
export function toUnixTimestamp<T>(time: T, name?: string): number;
export function toUnixTimestamp(time: string | number | Date, name = "time"): number {
  // A numeric string is compared with the number that it stands for.
  if (typeof time === "string" && (+time as unknown) == time) return +time;
  if (Number.isFinite(time)) return (time as number) < 0 ? Date.now() / 1000 : (time as number);
  if (time instanceof Date || Object.prototype.toString.call(time) === "[object Date]")
    return (time as Date).getTime() / 1000;
  throw new codes.ERR_INVALID_ARG_TYPE(name, ["Date", "Time in seconds"], time);
}

/**
 * The data of writeFile() and appendFile() as a string or view: strings that are not to be written as UTF-8 are encoded,
 * array buffers (which Bun takes, too) are viewed. Throws for other values.
 */
export function writeData(data: unknown, encoding: string): string | ArrayBufferView {
  if (typeof data === "string") {
    return encoding === "utf8" || encoding === "utf-8" ? data : lazyBuffer().from(data, encoding);
  }
  if (!isView(data) && require("internal/buffer/base").isAnyArrayBuffer(data)) return new Uint8Array(data);
  validateData(data, "data");
  return data;
}

/** What write() and the like take: a string or a view. */
export function validateData(data: unknown, name: string): asserts data is string | ArrayBufferView {
  if (typeof data !== "string" && !isView(data)) {
    throw new codes.ERR_INVALID_ARG_TYPE(name, ["string", "Buffer", "TypedArray", "DataView"], data);
  }
}
export { validateData as validateStringAfterArrayBufferView };

/** The elements of `buffers`; throws unless it is an array of views. */
export function validateBufferArray(buffers: unknown, name = "buffers"): readonly ArrayBufferView[] {
  // Each element is read once: a getter may detach what came before it.
  const list: unknown[] = Array.isArray(buffers) ? Array.from(buffers as unknown[]) : [undefined];
  for (const one of list) if (!isView(one)) throw new codes.ERR_INVALID_ARG_TYPE(name, "ArrayBufferView[]", buffers);
  return list as ArrayBufferView[];
}

// ---------------------------------------------------------------------------------------------------------------------
// Ranges

/** Throws ERR_OUT_OF_RANGE unless [offset, offset + length) is inside a buffer that is read into. */
export function validateOffsetLengthRead(offset: number, length: number, size: number): void {
  if (offset < 0) throw new codes.ERR_OUT_OF_RANGE("offset", ">= 0", offset);
  if (length < 0) throw new codes.ERR_OUT_OF_RANGE("length", ">= 0", length);
  if (offset + length > size) throw new codes.ERR_OUT_OF_RANGE("length", `<= ${size - offset}`, length);
}

/** The same for a buffer that is written from. */
export function validateOffsetLengthWrite(offset: number, length: number, size: number): void {
  if (offset > size) throw new codes.ERR_OUT_OF_RANGE("offset", `<= ${size}`, offset);
  if (length > size - offset) throw new codes.ERR_OUT_OF_RANGE("length", `<= ${size - offset}`, length);
  if (length < 0) throw new codes.ERR_OUT_OF_RANGE("length", ">= 0", length);
  validateInt32(length, "length", 0);
}

/** A position to read `length` bytes from: an integer from -1 (the file's own position), or a bigint. */
export function validatePosition(position: unknown, name: string, length: number): asserts position is number | bigint {
  if (typeof position === "number") {
    validateInteger(position, name, -1);
  } else if (typeof position === "bigint") {
    const most = 2n ** 63n - 1n - BigInt(length);
    if (!(position >= -1n && position <= most)) {
      throw new codes.ERR_OUT_OF_RANGE(name, `>= -1 && <= ${most}`, position);
    }
  } else {
    throw new codes.ERR_INVALID_ARG_TYPE(name, ["integer", "bigint"], position);
  }
}

/** The arguments of a read after the descriptor, checked: what native functions take. */
export interface ReadRange {
  buffer: unknown;
  offset: number;
  /** 0: there is nothing to read. */
  length: number;
  /** -1: the file's own position. */
  position: number | bigint;
}

/** Checks a read. `name` is that of the buffer in messages. */
export function checkRead(
  buffer: ArrayBufferView,
  offset: number | null | undefined,
  length: number,
  position: number | bigint | null | undefined,
): ReadRange {
  if (offset == null) offset = 0;
  else validateInteger(offset, "offset", 0);
  length |= 0;
  if (length === 0) return { buffer, offset, length, position: -1 };
  if (buffer.byteLength === 0) {
    throw new codes.ERR_INVALID_ARG_VALUE("buffer", buffer, "is empty and cannot be written");
  }
  validateOffsetLengthRead(offset, length, buffer.byteLength);
  if (position == null) position = -1;
  else validatePosition(position, "position", length);
  return { buffer, offset, length, position };
}

/** The position of a write, readv or writev: the file's own unless it is an integer. */
export function writePosition(position: unknown): number {
  return typeof position === "number" && Number.isSafeInteger(position) ? position : -1;
}

// ---------------------------------------------------------------------------------------------------------------------
// Options of single functions

/** Options of writeFile() and appendFile(), checked; `flag` is their default. */
export function writeOptions(options: unknown, flag: string): WriteOptions {
  if (options === undefined || options === null) {
    return { encoding: "utf8", mode: 0o666, flags: stringToFlags(flag), flush: false, signal: undefined };
  }
  const { encoding, mode, flag: given, flush = null, signal } = getOptions(options);
  if (flush !== null) validateBoolean(flush, "options.flush");
  return {
    encoding: encoding || "utf8",
    mode: parseFileMode(mode, "mode", 0o666),
    flags: stringToFlags(given || flag),
    flush: flush === true,
    signal,
  };
}

export interface WriteOptions {
  encoding: string;
  mode: number;
  flags: number;
  flush: boolean;
  signal: AbortSignal | undefined;
}

/** Options of rm(), with defaults. Throws what Node throws. */
export function validateRmOptions(options: unknown) {
  const checked = { retryDelay: 100, maxRetries: 0, recursive: false, force: false };
  if (options !== undefined) {
    validateObject(options, "options");
    Object.assign(checked, definedOf(options, checked));
    validateBoolean(checked.force, "options.force");
    validateBoolean(checked.recursive, "options.recursive");
    validateInt32(checked.retryDelay, "options.retryDelay", 0);
    validateUint32(checked.maxRetries, "options.maxRetries");
  }
  return checked;
}

/** Those properties of `options` (own or inherited) that `defaults` has and that are present. */
function definedOf(
  options: { [key: string]: unknown },
  defaults: { retryDelay: number; maxRetries: number; recursive: boolean; force: boolean },
): { [key: string]: unknown } {
  const found: { [key: string]: unknown } = {};
  for (const key of Object.keys(defaults)) {
    if (key in options) found[key] = options[key];
  }
  return found;
}

/** The error of rm() for a directory without `recursive`. */
export function rmIsDirectory(path: unknown): Error {
  return new codes.ERR_FS_EISDIR({ code: "EISDIR", message: "is a directory", path, syscall: "rm", errno: 21 });
}

/** Recursion is the one option of rmdir() that Node has dropped and that is kept here, as Bun keeps it. */
export function rmdirRecursive(options: unknown): boolean {
  if (options === undefined || typeof options === "function") return false;
  validateObject(options, "options");
  return options?.recursive === true;
}

/** A callback, or an error that names it "cb". */
export function checkCallback(callback: unknown): Callback {
  validateFunction(callback, "cb");
  return callback;
}
