// The synchronous functions of node:fs (https://nodejs.org/api/fs.html#synchronous-api). Each checks its arguments and
// makes one native call.

import type { Dirent } from "internal/fs/dirent";
import type { BigIntStats, Stats } from "internal/fs/stats";
import type { CheckedOptions, GivenPath, RangeOptions, StatusOptions } from "internal/fs/types";
import { codes } from "internal/core/errors";
import {
  validateBoolean,
  validateBuffer,
  validateEncoding,
  validateInteger,
  validateObject,
} from "internal/core/validators";
import {
  checkRead,
  decodeNames,
  decodePath,
  getOptions,
  getValidatedFd,
  getValidatedPath,
  isNumber,
  asText,
  lazyBuffer,
  nativePath,
  parseFileMode,
  pathOf,
  rmIsDirectory,
  rmdirRecursive,
  smallMode,
  stringToFlags,
  takeBuffer,
  toBuffer,
  toUnixTimestamp,
  validateBufferArray,
  validateData,
  validateId,
  validateOffsetLengthWrite,
  validateRmOptions,
  writeData,
  writeOptions,
  writePosition,
} from "internal/fs/utils";
import { tracking } from "internal/fs/tracking";
import { STATUS_BIGINT, STATUS_MAYBE, STATUS_NO_FOLLOW } from "internal/fs/native_constants";

const binding = native("fs");
const { isView } = ArrayBuffer;

// ---------------------------------------------------------------------------------------------------------------------
// Whole files

/**
 * The contents of a file: a Buffer, or a string with an encoding. `path`: string, Buffer, URL, or a descriptor, which
 * is read from its position. Options: `encoding`, `flag`.
 */
export function readFileSync(path: unknown, options?: { encoding?: null; flag?: unknown } | null): Buffer;
export function readFileSync(path: unknown, options: BufferEncoding | { encoding: BufferEncoding }): string;
export function readFileSync(path: unknown, options?: unknown): string | Buffer;
export function readFileSync(path: unknown, options?: unknown): string | Buffer {
  let encoding = options as string | null | undefined;
  let flags = 0;
  if (options !== "utf8" && options !== undefined) {
    options = getOptions(options);
    encoding = (options as CheckedOptions).encoding;
    if ((options as CheckedOptions).flag !== undefined) flags = stringToFlags((options as CheckedOptions).flag);
  }
  if (encoding === "utf8" || encoding === "utf-8") {
    if (typeof path === "string" && !path.includes("\0")) return binding.readTextSync(path, flags);
    return isNumber(path) ? binding.readTextFdSync(fileNumber(path)) : binding.readTextSync(pathOf(path), flags);
  }
  const buffer = isNumber(path)
    ? toBuffer(binding.readFileFdSync(fileNumber(path)))
    : takeBuffer(binding.readStartSync(pathOf(path), flags));
  return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
}

function fileNumber(fd: number): number {
  if (fd < 0) throw new codes.ERR_OUT_OF_RANGE("fd", ">= 0 && <= 2147483647", fd);
  return fd;
}

/**
 * Writes a file, which is made or overwritten. `data`: string or view. Options: `encoding`, `mode`, `flag`, `flush`
 * (waits for the device).
 */
export function writeFileSync(path: unknown, data: unknown, options?: unknown): void {
  writeWhole(path, data, options, "w");
}

/** Appends to a file, which is made if it is missing. Options as for writeFileSync. */
export function appendFileSync(path: unknown, data: unknown, options?: unknown): void {
  writeWhole(path, data, options, "a");
}

function writeWhole(path: unknown, data: unknown, options: unknown, flag: string): void {
  const { encoding, mode, flags, flush } = writeOptions(options, flag);
  data = writeData(data, encoding);
  const text = typeof data === "string";
  if (flush) {
    // The way with separate steps, because programs may watch over fsync.
    const fd = isNumber(path) ? path : binding.openSync(pathOf(path), flags, mode);
    try {
      if (text) binding.writeAllTextSync(fd, data as string, false);
      else binding.writeAllSync(fd, data as ArrayBufferView, false);
      require("node:fs").fsyncSync(fd);
    } finally {
      if (fd !== path) binding.closeSync(fd);
    }
    return;
  }
  if (isNumber(path)) {
    if (text) binding.writeAllTextSync(path, data as string, false);
    else binding.writeAllSync(path, data as ArrayBufferView, false);
    return;
  }
  const target = pathOf(path);
  if (text) binding.writeFileTextSync(target, data as string, flags, mode, false);
  else binding.writeFileSync(target, data as ArrayBufferView, flags, mode, false);
}

/** Copies a file with its permissions. `mode`: COPYFILE_* bits. */
export function copyFileSync(src: unknown, dest: unknown, mode?: unknown): void {
  const from = pathOf(src, "src");
  const to = pathOf(dest, "dest");
  binding.copyFileSync(from, to, smallMode(mode, 0));
}

// ---------------------------------------------------------------------------------------------------------------------
// Open files

/** Opens a file; the descriptor. `flags`: "r", "w+" ... or O_* bits; `mode`: permissions of a new file. */
export function openSync(path: unknown, flags?: unknown, mode?: unknown): number {
  const fd = binding.openSync(pathOf(path), stringToFlags(flags), parseFileMode(mode, "mode", 0o666));
  tracking.plain?.(fd, true);
  return fd;
}

export function closeSync(fd: number): void {
  binding.closeSync(getValidatedFd(fd));
  tracking.plain?.(fd, false);
}

/**
 * Reads into `buffer`: `(fd, buffer, offset, length[, position])` or `(fd, buffer[, { offset, length, position }])`. The
 * number of bytes read, 0 at the end.
 */
export function readSync(
  fd: number,
  buffer: ArrayBuffer | SharedArrayBuffer | ArrayBufferView,
  offsetOrOptions?: number | RangeOptions | null,
  length?: number,
  position?: RangeOptions["position"],
): number {
  fd = getValidatedFd(fd);
  // The usual call, all arguments given and right, goes through without further checks.
  if (
    typeof offsetOrOptions === "number" &&
    typeof length === "number" &&
    isView(buffer) &&
    offsetOrOptions === (offsetOrOptions | 0) &&
    offsetOrOptions >= 0 &&
    length === (length | 0) &&
    length > 0 &&
    offsetOrOptions + length <= buffer.byteLength
  ) {
    if (position === null) return binding.readSync(fd, buffer, offsetOrOptions, length, -1);
    if (typeof position === "number" && position === (position | 0) && position >= 0) {
      return binding.readSync(fd, buffer, offsetOrOptions, length, position);
    }
  }
  validateBuffer(buffer);
  let offset = offsetOrOptions;
  if (arguments.length <= 3 || (offsetOrOptions !== null && typeof offsetOrOptions === "object")) {
    if (offsetOrOptions !== undefined && offsetOrOptions !== null) validateObject(offsetOrOptions, "options");
    ({
      offset = 0,
      length = buffer.byteLength - (offset as number),
      position = null,
    } = (offsetOrOptions ?? {}) as RangeOptions);
  }
  if (offset === undefined) offset = 0;
  const range = checkRead(buffer, offset as number | null, length!, position);
  if (range.length === 0) return 0;
  return binding.readSync(fd, buffer, range.offset, range.length, range.position);
}

/** Fills several views one after the other. `position`: as for readSync. The number of bytes read. */
export function readvSync(fd: number, buffers: readonly Native.Bytes[], position?: unknown): number {
  fd = getValidatedFd(fd);
  buffers = validateBufferArray(buffers);
  return binding.readvSync(fd, buffers, writePosition(position));
}

/**
 * Writes a view, `(fd, buffer[, offset[, length[, position]]])` or `(fd, buffer, { offset, length, position })`, or a
 * string, `(fd, string[, position[, encoding]])`. The number of bytes written.
 */
export function writeSync(
  fd: number,
  buffer: string | ArrayBufferView,
  offsetOrOptions?: number | RangeOptions | null,
  length?: number | string,
  position?: unknown,
): number {
  fd = getValidatedFd(fd);
  if (isView(buffer)) {
    let offset = offsetOrOptions;
    if (typeof offset === "object" && offset !== null) {
      ({
        offset = 0,
        length = buffer.byteLength - (offset as number),
        position = null,
      } = offsetOrOptions as RangeOptions);
    }
    if (offset == null) offset = 0;
    else validateInteger(offset, "offset", 0);
    if (typeof length !== "number") length = buffer.byteLength - offset;
    validateOffsetLengthWrite(offset, length, buffer.byteLength);
    return binding.writeSync(fd, buffer, offset, length, writePosition(position));
  }
  validateData(buffer, "buffer");
  validateEncoding(buffer, length);
  const at = writePosition(offsetOrOptions);
  if (length == null || length === "utf8" || length === "utf-8" || !lazyBuffer().isEncoding(length)) {
    return binding.writeTextSync(fd, buffer, at);
  }
  const bytes = lazyBuffer().from(buffer, length);
  return binding.writeSync(fd, bytes, 0, bytes.byteLength, at);
}

/** Writes several views one after the other; the number of bytes written. */
export function writevSync(fd: unknown, buffers: readonly Native.Bytes[], position?: unknown): number {
  buffers = validateBufferArray(buffers);
  if (buffers.length === 0) return 0;
  return binding.writevSync(getValidatedFd(fd), buffers, writePosition(position));
}

/** Sets the length in bytes; negative lengths are 0. */
export function ftruncateSync(fd: unknown, len: unknown = 0): void {
  validateInteger(len, "len");
  binding.ftruncateSync(getValidatedFd(fd), Math.max(0, len));
}

export function truncateSync(path: unknown, len?: unknown): void {
  // The file is looked for before the length is checked, as in Node.
  const fd = openSync(path, "r+");
  try {
    ftruncateSync(fd, len);
  } finally {
    closeSync(fd);
  }
}

export function fsyncSync(fd: unknown): void {
  binding.fsyncSync(getValidatedFd(fd));
}

export function fdatasyncSync(fd: unknown): void {
  binding.fdatasyncSync(getValidatedFd(fd));
}

// ---------------------------------------------------------------------------------------------------------------------
// Status

// The native call fills these, and the Stats object takes the values from them.
let doubles: Float64Array | undefined;
let statsFrom: (values: Float64Array | BigInt64Array) => Stats | BigIntStats;
let bigints: BigInt64Array | undefined;

/** The array for the native call, which fills it. */
function statArray(flags: number): Float64Array | BigInt64Array {
  if (doubles === undefined) {
    doubles = new Float64Array(14);
    ({ statsFrom } = require("internal/fs/stats"));
  }
  return (flags & STATUS_BIGINT) === 0 ? doubles : (bigints ??= new BigInt64Array(14));
}

function statInto(path: string, flags: number): Stats | BigIntStats | undefined {
  const out = statArray(flags);
  return binding.statSync(path, out, flags) ? statsFrom(out) : undefined;
}

function statFlags(options: StatusOptions): number {
  const { bigint, throwIfNoEntry } = options;
  return (bigint ? STATUS_BIGINT : 0) | (throwIfNoEntry === false ? STATUS_MAYBE : 0);
}

/** Status of a file. Options: `bigint`, `throwIfNoEntry` (false: undefined for a missing file). */
export function statSync(path: unknown, options?: { bigint?: false; throwIfNoEntry?: true }): Stats;
export function statSync(path: unknown, options: { bigint?: false; throwIfNoEntry: false }): Stats | undefined;
export function statSync(path: unknown, options: { bigint: true; throwIfNoEntry: false }): BigIntStats | undefined;
export function statSync(path: unknown, options?: StatusOptions): Stats | BigIntStats | undefined;
export function statSync(
  path: unknown,
  options: StatusOptions | undefined = undefined,
): Stats | BigIntStats | undefined {
  return statInto(pathOf(path), options === undefined ? 0 : statFlags(options));
}

/** The same for a symbolic link itself. */
export function lstatSync(path: unknown, options?: { bigint?: false; throwIfNoEntry?: true }): Stats;
export function lstatSync(path: unknown, options: { bigint?: false; throwIfNoEntry: false }): Stats | undefined;
export function lstatSync(path: unknown, options?: StatusOptions): Stats | BigIntStats | undefined;
export function lstatSync(
  path: unknown,
  options: StatusOptions | undefined = undefined,
): Stats | BigIntStats | undefined {
  return statInto(pathOf(path), STATUS_NO_FOLLOW | (options === undefined ? 0 : statFlags(options)));
}

export function fstatSync(fd: unknown, options?: { bigint?: false } | null): Stats;
export function fstatSync(fd: unknown, options: { bigint: true }): BigIntStats;
export function fstatSync(fd: unknown, options?: StatusOptions | null): Stats | BigIntStats;
export function fstatSync(fd: unknown, options: StatusOptions | null | undefined = undefined): Stats | BigIntStats {
  fd = getValidatedFd(fd);
  const bigint = options?.bigint ? STATUS_BIGINT : 0;
  const out = statArray(bigint);
  binding.fstatSync(fd as number, out, bigint);
  return statsFrom(out);
}

/** Status of a file system. Options: `bigint`. */
export function statfsSync(path: unknown, options: StatusOptions | null | undefined = undefined) {
  const bigint = Boolean(options?.bigint);
  return require("internal/fs/stats").statFsFromBytes(binding.statfsSync(pathOf(path), bigint), bigint);
}

let warnedExists = false;

/** Whether the path leads to something; false for what is no path. */
export function existsSync(path: unknown): boolean {
  if (typeof path !== "string" || path.includes("\0")) {
    try {
      path = pathOf(path);
    } catch (error) {
      if (!warnedExists && (error as NodeError)?.code === "ERR_INVALID_ARG_TYPE") {
        warnedExists = true;
        process.emitWarning(
          "Passing invalid argument types to fs.existsSync is deprecated",
          "DeprecationWarning",
          "DEP0187",
        );
      }
      return false;
    }
  }
  return binding.existsSync(path as string);
}

/** Throws unless the process may use the file so: F_OK, R_OK, W_OK, X_OK bits. */
export function accessSync(path: unknown, mode?: unknown): void {
  const target = pathOf(path);
  if (typeof mode === "number" && mode !== mode) {
    const error: NodeError = new RangeError("mode is out of range");
    error.code = "ERR_OUT_OF_RANGE";
    throw error;
  }
  binding.accessSync(target, smallMode(mode, 0));
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

export function renameSync(oldPath: unknown, newPath: unknown): void {
  const from = pathOf(oldPath, "oldPath");
  binding.renameSync(from, pathOf(newPath, "newPath"));
}

export function linkSync(existingPath: unknown, newPath: unknown): void {
  const from = pathOf(existingPath, "existingPath");
  binding.linkSync(from, pathOf(newPath, "newPath"));
}

/** Throws unless `type` is one of those that Windows tells apart; they all mean the same here. */
export function checkSymlinkType(type: unknown): void {
  if (type === undefined || type === null || type === "dir" || type === "file" || type === "junction") return;
  require("internal/core/validators").validateOneOf(type, "type", ["dir", "file", "junction", null, undefined]);
}

/** What forbids to make a symbolic link, which can lead anywhere; undefined if nothing does. */
export function symlinkDenied(): NodeError | undefined {
  const permission = native("process");
  if (!permission.permissionOn() || (permission.permissionHas("fs.read") && permission.permissionHas("fs.write")))
    return undefined;
  const { codes } = require("internal/core/errors");
  return new codes.ERR_ACCESS_DENIED("fs.symlink API requires full fs.read and fs.write permissions.");
}

export function symlinkSync(target: unknown, path: unknown, type?: unknown): void {
  checkSymlinkType(type);
  const denied = symlinkDenied();
  if (denied !== undefined) throw denied;
  const to = pathOf(target, "target");
  binding.symlinkSync(to, pathOf(path));
}

/** The target of a symbolic link, in the encoding that `options` name ("buffer": a Buffer). */
export function readlinkSync(path: unknown): string;
export function readlinkSync(path: unknown, options: unknown): GivenPath;
export function readlinkSync(path: unknown, options?: unknown): GivenPath {
  const { encoding } = getOptions(options);
  return decodePath(binding.readlinkSync(pathOf(path)), encoding);
}

/** The path without links, "." and "..". Option: `encoding`. */
export function realpathSync(path: unknown): string;
export function realpathSync(path: unknown, options: unknown): GivenPath;
export function realpathSync(path: unknown, options?: unknown): GivenPath {
  const { encoding } = getOptions(options);
  return decodePath(binding.realpathSync(pathOf(asText(path)), false), encoding);
}

/** realpath(3): what the system answers. */
function realpathNativeSync(path: unknown, options?: unknown): GivenPath {
  const { encoding } = getOptions(options);
  return decodePath(binding.realpathSync(pathOf(path), true), encoding);
}
Object.defineProperty(realpathNativeSync, "name", { value: "native", configurable: true });
realpathSync.native = realpathNativeSync;

export function unlinkSync(path: unknown): void {
  binding.unlinkSync(pathOf(path));
}

/** Removes an empty directory. */
export function rmdirSync(path: unknown, options?: unknown): void {
  const target = pathOf(path);
  if (options !== undefined && rmdirRecursive(options)) {
    binding.rmSync(target, false, true, 0, 0);
    return;
  }
  binding.rmdirSync(target);
}

/**
 * Removes a file, or with `recursive` a tree. Options: `force` (nothing there is no error), `maxRetries` and
 * `retryDelay` (milliseconds, growing) for what is busy.
 */
export function rmSync(path: unknown, options?: unknown): void {
  const plain = getValidatedPath(path);
  const { force, recursive, maxRetries, retryDelay } = validateRmOptions(options);
  if (!binding.rmSync(nativePath(plain), force, recursive, maxRetries, retryDelay)) throw rmIsDirectory(plain);
}

/** What mkdir() takes: a mode, or an object. */
export type MkdirOptions = number | string | { recursive?: boolean; mode?: unknown } | null | undefined;

/** `mode` and `recursive` of mkdir's options, checked. */
export function mkdirOptions(options: MkdirOptions): {
  mode: number;
  recursive: boolean;
} {
  if (typeof options === "number" || typeof options === "string") {
    return { mode: parseFileMode(options, "mode"), recursive: false };
  }
  if (!options) return { mode: 0o777, recursive: false };
  const { recursive = false } = options;
  validateBoolean(recursive, "options.recursive");
  return { mode: options.mode === undefined ? 0o777 : parseFileMode(options.mode, "options.mode"), recursive };
}

/** Makes a directory; with `recursive` those above it, too, and gives the first one made (or undefined). */
export function mkdirSync(path: unknown, options?: MkdirOptions): string | undefined {
  const target = pathOf(path);
  const { mode, recursive } = mkdirOptions(options);
  if (!recursive) {
    binding.mkdirSync(target, mode);
    return undefined;
  }
  const made = binding.mkdirAllSync(target, mode);
  return made === undefined ? undefined : decodePath(made, "utf8");
}

let warnedTemplate = false;

/** A checked prefix; warns (once) of one that mkdtemp(3) of some systems would take for part of the random name. */
export function tempPrefix(prefix: unknown): string {
  const checked = pathOf(prefix, "prefix");
  if (!warnedTemplate && checked.endsWith("X")) {
    warnedTemplate = true;
    process.emitWarning(
      "mkdtemp() templates ending with X are not portable. For details see: https://nodejs.org/api/fs.html",
    );
  }
  return checked;
}

/** Makes a directory named `prefix` and six random characters; its path in the encoding of `options`. */
export function mkdtempSync(prefix: unknown): string;
export function mkdtempSync(prefix: unknown, options: unknown): GivenPath;
export function mkdtempSync(prefix: unknown, options?: unknown): GivenPath {
  const { encoding } = getOptions(options);
  return decodePath(binding.mkdtempSync(tempPrefix(prefix)), encoding);
}

/** The same as an object `{ path, remove() }`, which `using` removes at the end of its block. */
export function mkdtempDisposableSync(prefix: unknown, options?: unknown) {
  const { encoding } = getOptions(options);
  const made = binding.mkdtempSync(tempPrefix(prefix));
  const path = decodePath(made, encoding);
  // A relative path must lead to the same directory after chdir().
  const full = made.charCodeAt(0) === 0 ? made : require("node:path").resolve(made);
  return {
    __proto__: null,
    path,
    remove() {
      binding.rmSync(full, true, true, 0, 0);
    },
    [Symbol.dispose]() {
      this.remove();
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// Directories

/**
 * The names in a directory, sorted. Options: `encoding` ("buffer": Buffers), `withFileTypes` (Dirents), `recursive`
 * (relative paths of everything below).
 */
export function readdirSync(path: unknown): string[];
export function readdirSync(path: unknown, options: { withFileTypes: true; recursive?: boolean }): Dirent<string>[];
export function readdirSync(path: unknown, options: { withFileTypes?: false; recursive?: boolean }): string[];
export function readdirSync(path: unknown, options: unknown): GivenPath[] | Dirent<GivenPath>[];
export function readdirSync(path: unknown, options?: unknown): GivenPath[] | Dirent<GivenPath>[] {
  if (options === undefined) return decodeNames(binding.readdirSync(pathOf(path)), undefined);
  options = getOptions(options);
  const { encoding, recursive, withFileTypes } = options as CheckedOptions;
  const plain = getValidatedPath(path);
  if (recursive != null) validateBoolean(recursive, "options.recursive");
  if (recursive) {
    const [names, types] = binding.readdirTypesSync(nativePath(plain), true);
    if (!withFileTypes) return decodeNames(names, encoding);
    return require("internal/fs/dirent").direntsOfTree(plain, names, types, encoding);
  }
  if (!withFileTypes) return decodeNames(binding.readdirSync(nativePath(plain)), encoding);
  const [names, types] = binding.readdirTypesSync(nativePath(plain), false);
  return require("internal/fs/dirent").direntsOf(plain, names, types, encoding);
}

// ---------------------------------------------------------------------------------------------------------------------
// Modes, owners, times

export function chmodSync(path: unknown, mode: unknown): void {
  const target = pathOf(path);
  binding.chmodSync(target, parseFileMode(mode, "mode"));
}

export function fchmodSync(fd: number, mode: unknown): void {
  fd = getValidatedFd(fd);
  binding.fchmodSync(fd, parseFileMode(mode, "mode"));
}

export function chownSync(path: unknown, uid: unknown, gid: unknown): void {
  const target = pathOf(path);
  validateId(uid, "uid");
  validateId(gid, "gid");
  binding.chownSync(target, uid, gid);
}

export function lchownSync(path: unknown, uid: unknown, gid: unknown): void {
  const target = pathOf(path);
  validateId(uid, "uid");
  validateId(gid, "gid");
  binding.lchownSync(target, uid, gid);
}

export function fchownSync(fd: number, uid: unknown, gid: unknown): void {
  fd = getValidatedFd(fd);
  validateId(uid, "uid");
  validateId(gid, "gid");
  binding.fchownSync(fd, uid, gid);
}

/** Times: seconds since the epoch, numeric strings, or dates. */
export function utimesSync(path: unknown, atime: unknown, mtime: unknown): void {
  const target = pathOf(path);
  binding.utimesSync(target, toUnixTimestamp(atime), toUnixTimestamp(mtime));
}

export function lutimesSync(path: unknown, atime: unknown, mtime: unknown): void {
  const target = pathOf(path);
  binding.lutimesSync(target, toUnixTimestamp(atime), toUnixTimestamp(mtime));
}

export function futimesSync(fd: number, atime: unknown, mtime: unknown): void {
  fd = getValidatedFd(fd);
  binding.futimesSync(fd, toUnixTimestamp(atime, "atime"), toUnixTimestamp(mtime, "mtime"));
}
