// The callback functions of node:fs (https://nodejs.org/api/fs.html#callback-api): arguments are checked at once, the
// work is done on the thread pool, the callback gets `(error, result)`.

import type { Dirent } from "internal/fs/dirent";
import type { BigIntStats, StatFs, Stats } from "internal/fs/stats";
import type { CheckedOptions, Done, GivenPath, ReadOptions, RangeOptions, StatusOptions } from "internal/fs/types";
import {
  validateBoolean,
  validateBuffer,
  validateEncoding,
  validateInteger,
  validateObject,
} from "internal/core/validators";
import { statFsFromBytes, statsFromBytes } from "internal/fs/stats";
import { checkSymlinkType, type MkdirOptions, mkdirOptions, tempPrefix } from "internal/fs/sync";
import {
  abortError,
  checkCallback,
  checkRead,
  decodeNames,
  decodePath,
  getOptions,
  getValidatedFd,
  getValidatedPath,
  asText,
  checkFd,
  isNumber,
  lazyBuffer,
  listenForAbort,
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
import { READ_START_ELSEWHERE, STATUS_BIGINT, STATUS_MAYBE, STATUS_NO_FOLLOW } from "internal/fs/native_constants";

const binding = native("fs");
const { isView } = ArrayBuffer;
const { defineProperty } = Object;

/** A callback, whatever the types of its parameters are. */
type Callback = Done<unknown[]>;

/** For results that nobody sees: the callback gets null or the error, and nothing else. */
function plain(callback: Done | undefined): Callback {
  checkCallback(callback);
  return (error) => (error ? callback!(error) : callback!(null));
}

/** For a result as the native function gives it. */
function passing(callback: Callback | undefined): Callback {
  checkCallback(callback);
  return (error, value) => (error ? callback!(error) : callback!(null, value));
}

/** For a result that is made out of what the native function gives. */
function converting<T>(callback: Callback | undefined, convert: (value: T) => unknown): Native.Callback<T> {
  checkCallback(callback);
  return (error, value) => {
    if (error) {
      callback!(error);
      return;
    }
    try {
      value = convert(value) as T;
    } catch (failure) {
      callback!(failure as NodeError);
      return;
    }
    callback!(null, value);
  };
}

/** util.promisify() of `fn` gives an object with these names where the callback has several results. */
function promisifiedNames(fn: (...values: never[]) => void, names: string[]): void {
  const custom = Symbol.for("nodejs.util.promisify.custom");
  let promisified: unknown;
  defineProperty(fn, custom, {
    __proto__: null,
    get() {
      return (promisified ??= function (this: unknown, ...args: unknown[]) {
        return new Promise((resolve, reject) => {
          Reflect.apply(fn, this, [
            ...args,
            (error: unknown, ...values: unknown[]) => {
              if (error) {
                reject(error);
                return;
              }
              const result: { [key: string]: unknown } = {};
              for (let i = 0; i < names.length; i++) result[names[i]!] = values[i];
              resolve(result);
            },
          ]);
        });
      });
    },
    set(value: unknown) {
      promisified = value;
    },
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor);
}

// ---------------------------------------------------------------------------------------------------------------------
// Whole files

/** Calls back with an AbortError as soon as the signal is aborted, and then never again. */
function abortable(signal: AbortSignal, callback: Callback): { done: Callback; aborted: boolean } {
  if (signal.aborted) {
    process.nextTick(callback, abortError(signal));
    return { done: callback, aborted: true };
  }
  let open = true;
  const onAbort = () => {
    if (!open) return;
    open = false;
    callback(abortError(signal));
  };
  const forget = listenForAbort(signal, onAbort);
  return {
    aborted: false,
    done: (error, value) => {
      if (!open) return;
      open = false;
      forget();
      if (signal.aborted) callback(abortError(signal));
      else callback(error, value);
    },
  };
}

/** Reads a whole file; see readFileSync. Option `signal` ends it with an AbortError. */
export function readFile(path: unknown, callback: Done<[Buffer]>): void;
export function readFile(
  path: unknown,
  options: BufferEncoding | { encoding: BufferEncoding },
  callback: Done<[string]>,
): void;
export function readFile(path: unknown, options: unknown, callback: Done<[string | Buffer]>): void;
export function readFile(path: unknown, options: unknown, callback?: Callback): void {
  callback ||= options as Callback;
  checkCallback(callback);
  options = getOptions(options);
  const { encoding, signal } = options as CheckedOptions;
  const text = encoding === "utf8" || encoding === "utf-8";
  let done: Callback = text
    ? passing(callback)
    : !encoding || encoding === "buffer"
      ? (converting(callback, toBuffer) as Callback)
      : (converting(callback, (value: Uint8Array) => toBuffer(value).toString(encoding)) as Callback);
  if (isNumber(path)) {
    if (signal) {
      const watched = abortable(signal, done);
      if (watched.aborted) return;
      done = watched.done;
    }
    if (text) binding.readTextFd(path, done);
    else binding.readFileFd(path, done);
    return;
  }
  const target = pathOf(path);
  const flags = stringToFlags((options as CheckedOptions).flag);
  if (signal) {
    const watched = abortable(signal, done);
    if (watched.aborted) return;
    done = watched.done;
  }
  if (text) {
    binding.readText(target, flags, done);
    return;
  }
  // At once where no device has to be waited for; the callback runs in the next turn of the loop either way.
  const size = flags === 0 ? binding.readStart(target) : READ_START_ELSEWHERE;
  if (size === READ_START_ELSEWHERE) binding.readFile(target, flags, done);
  else binding.later(takeBuffer(size), done);
}

/** Writes a whole file; see writeFileSync. Option `signal` ends it with an AbortError. */
export function writeFile(path: unknown, data: unknown, callback: Done): void;
export function writeFile(path: unknown, data: unknown, options: unknown, callback: Done): void;
export function writeFile(path: unknown, data: unknown, options: unknown, callback?: Callback): void {
  writeWhole(path, data, options, callback, "w");
}

/** Appends to a file; see appendFileSync. */
export function appendFile(path: unknown, data: unknown, callback: Done): void;
export function appendFile(path: unknown, data: unknown, options: unknown, callback: Done): void;
export function appendFile(path: unknown, data: unknown, options: unknown, callback?: Callback): void {
  writeWhole(path, data, options, callback, "a");
}

function writeWhole(
  path: unknown,
  data: unknown,
  options: unknown,
  callback: Callback | undefined,
  flag: string,
): void {
  callback ||= options as Callback;
  checkCallback(callback);
  if (typeof options === "function") options = undefined;
  const { encoding, mode, flags, flush, signal } = writeOptions(options, flag);
  data = writeData(data, encoding);
  const target = isNumber(path) ? getValidatedFd(path) : pathOf(path);
  let done = plain(callback);
  if (signal) {
    const watched = abortable(signal, done);
    if (watched.aborted) return;
    done = watched.done;
  }
  if (flush) {
    writeFlushed(
      target,
      typeof data === "string" ? lazyBuffer().from(data) : (data as ArrayBufferView),
      flags,
      mode,
      done,
    );
  } else if (typeof target === "number") {
    binding.writeAll(
      target,
      typeof data === "string" ? lazyBuffer().from(data) : (data as ArrayBufferView),
      false,
      done,
    );
  } else if (typeof data === "string") {
    binding.writeFileText(target, data, flags, mode, false, done);
  } else {
    binding.writeFile(target, data as ArrayBufferView, flags, mode, false, done);
  }
}

/** The way with separate steps, because programs may watch over fsync. */
function writeFlushed(
  target: string | number,
  data: ArrayBuffer | SharedArrayBuffer | ArrayBufferView,
  flags: number,
  mode: number,
  done: Callback,
): void {
  const write = (fd: number, finish: Callback) => {
    binding.writeAll(fd, data, false, (error) => {
      if (error) finish(error);
      else require("node:fs").fsync(fd, finish);
    });
  };
  if (typeof target === "number") {
    write(target, done);
    return;
  }
  binding.open(target, flags, mode, (error, fd: number) => {
    if (error) {
      done(error);
      return;
    }
    write(fd, (failure) => binding.close(fd, (closeFailure) => done(failure || closeFailure)));
  });
}

/** Copies a file; see copyFileSync. */
export function copyFile(src: unknown, dest: unknown, callback: Done): void;
export function copyFile(src: unknown, dest: unknown, mode: number | undefined, callback: Done): void;
export function copyFile(src: unknown, dest: unknown, mode: number | Callback | undefined, callback?: Callback): void {
  if (typeof mode === "function") {
    callback = mode as Callback;
    mode = 0;
  }
  const from = pathOf(src, "src");
  const to = pathOf(dest, "dest");
  const done = plain(callback);
  binding.copyFile(from, to, smallMode(mode, 0), done);
}

// ---------------------------------------------------------------------------------------------------------------------
// Open files

/** `(path[, flags[, mode]], callback)`: opens a file and gives the descriptor. */
export function open(path: unknown, callback: Done<[fd: number]>): void;
export function open(path: unknown, flags: unknown, callback: Done<[fd: number]>): void;
export function open(path: unknown, flags: unknown, mode: unknown, callback: Done<[fd: number]>): void;
export function open(path: unknown, flags: unknown, mode?: unknown, callback?: Callback): void {
  const target = pathOf(path);
  if (arguments.length < 3) {
    callback = flags as Callback;
    flags = "r";
    mode = 0o666;
  } else if (typeof mode === "function") {
    callback = mode as Callback;
    mode = 0o666;
  } else {
    mode = parseFileMode(mode, "mode", 0o666);
  }
  const bits = stringToFlags(flags);
  const done = passing(callback);
  binding.open(
    target,
    bits,
    mode as number,
    tracking.plain === undefined
      ? done
      : (error, fd: number) => {
          if (!error) tracking.plain!(fd, true);
          done(error, fd);
        },
  );
}

function throwError(error: NodeError | null | undefined): void {
  if (error) throw error;
}

export function close(fd: number, callback: Done = throwError): void {
  const done = plain(callback);
  binding.close(getValidatedFd(fd), done);
  tracking.plain?.(fd, false);
}

/**
 * Reads: `(fd, buffer, offset, length, position, callback)`, `(fd, buffer, options, callback)`, `(fd, options, callback)`
 * or `(fd, callback)`. The callback gets the number of bytes and the buffer.
 */
export function read(fd: number, callback: Done<[bytesRead: number, buffer: Buffer]>): void;
export function read(
  fd: number,
  options: ReadOptions,
  callback: Done<[bytesRead: number, buffer: ArrayBufferView]>,
): void;
export function read(
  fd: number,
  buffer: ArrayBufferView,
  options: RangeOptions,
  callback: Done<[bytesRead: number, buffer: ArrayBufferView]>,
): void;
export function read(
  fd: number,
  buffer: ArrayBufferView,
  offset: number,
  length: number,
  position: RangeOptions["position"],
  callback: Done<[bytesRead: number, buffer: ArrayBufferView]>,
): void;
export function read(
  fd: number,
  buffer: ArrayBufferView | ReadOptions | Callback,
  offsetOrOptions?: number | RangeOptions | Callback | null | undefined,
  length?: number | Callback | undefined,
  position?: RangeOptions["position"],
  callback?: Callback,
): void {
  fd = checkFd(fd);
  let offset = offsetOrOptions;
  if (arguments.length <= 4) {
    let params: ReadOptions | undefined;
    if (arguments.length === 4) {
      validateObject(offsetOrOptions, "options", 1);
      callback = length as Callback;
      params = offsetOrOptions as RangeOptions;
    } else if (arguments.length === 3) {
      if (!isView(buffer)) {
        params = buffer as ReadOptions;
        ({ buffer = lazyBuffer().alloc(16384) } = params ?? {});
      }
      callback = offsetOrOptions as Callback;
    } else {
      callback = buffer as Callback;
      buffer = lazyBuffer().alloc(16384);
    }
    if (params !== undefined) validateObject(params, "options", 1);
    ({
      offset = 0,
      length = (buffer as ArrayBufferView)?.byteLength - (offset as number),
      position = null,
    } = params ?? ({} as RangeOptions));
  }
  validateBuffer(buffer);
  checkCallback(callback);
  const range = checkRead(buffer, offset as number, length as number, position);
  if (range.length === 0) {
    process.nextTick(() => callback!(null, 0, buffer));
    return;
  }
  // The buffer is given back with the number, and stays referenced until then.
  binding.read(fd, buffer, range.offset, range.length, range.position, (error, bytesRead) => {
    if (error) callback!(error, 0, buffer);
    else callback!(null, bytesRead, buffer);
  });
}
promisifiedNames(read, ["bytesRead", "buffer"]);

/** Fills several views: `(fd, buffers[, position], callback)`. */
export function readv(
  fd: number,
  buffers: readonly ArrayBufferView[],
  callback: Done<[bytesRead: number, buffers: readonly ArrayBufferView[]]>,
): void;
export function readv(
  fd: number,
  buffers: readonly ArrayBufferView[],
  position: unknown,
  callback: Done<[bytesRead: number, buffers: readonly ArrayBufferView[]]>,
): void;
export function readv(fd: number, buffers: readonly Native.Bytes[], position: unknown, callback?: Callback): void {
  fd = getValidatedFd(fd);
  buffers = validateBufferArray(buffers);
  callback ||= position as Callback;
  checkCallback(callback);
  binding.readv(fd, buffers, writePosition(position), (error, bytesRead) => {
    if (error) callback!(error, 0, buffers);
    else callback!(null, bytesRead, buffers);
  });
}
promisifiedNames(readv, ["bytesRead", "buffers"]);

/**
 * Writes a view, `(fd, buffer[, offset[, length[, position]]], callback)` or `(fd, buffer, options, callback)`, or a
 * string, `(fd, string[, position[, encoding]], callback)`. The callback gets the number of bytes and the data.
 */
export function write(
  fd: number,
  data: string | ArrayBufferView,
  callback: Done<[written: number, data: string | ArrayBufferView]>,
): void;
export function write(
  fd: number,
  buffer: ArrayBufferView,
  options: number | RangeOptions | null,
  callback: Done<[written: number, buffer: ArrayBufferView]>,
): void;
export function write(
  fd: number,
  text: string,
  position: number | null | undefined,
  callback: Done<[written: number, text: string]>,
): void;
export function write(
  fd: number,
  text: string,
  position: number | null | undefined,
  encoding: string,
  callback: Done<[written: number, text: string]>,
): void;
export function write(
  fd: number,
  buffer: ArrayBufferView,
  offset: number,
  length: number,
  callback: Done<[written: number, buffer: ArrayBufferView]>,
): void;
export function write(
  fd: number,
  buffer: ArrayBufferView,
  offset: number,
  length: number,
  position: unknown,
  callback: Done<[written: number, buffer: ArrayBufferView]>,
): void;
export function write(
  fd: number,
  buffer: string | ArrayBufferView,
  offsetOrOptions?: number | RangeOptions | Callback | null | undefined,
  length?: number | string | Callback | undefined,
  position?: unknown,
  callback?: Callback,
): void {
  fd = checkFd(fd);
  let offset = offsetOrOptions;
  const finish = (error: Native.NativeError | undefined, written: number) => {
    if (error) callback!(error, 0, buffer);
    else callback!(null, written, buffer);
  };
  if (isView(buffer)) {
    callback = callback || ((position || length || offset) as Callback);
    checkCallback(callback);
    if (typeof offset === "object") {
      ({
        offset = 0,
        length = buffer.byteLength - (offset as number),
        position = null,
      } = (offsetOrOptions ?? {}) as RangeOptions);
    }
    if (offset == null || typeof offset === "function") offset = 0;
    else validateInteger(offset, "offset", 0);
    if (typeof length !== "number") length = buffer.byteLength - offset;
    validateOffsetLengthWrite(offset, length, buffer.byteLength);
    binding.write(fd, buffer, offset, length, writePosition(position), finish);
    return;
  }
  validateData(buffer, "buffer");
  if (typeof position !== "function") {
    if (typeof offset === "function") {
      position = offset;
      offset = null;
    } else {
      position = length;
    }
    length = "utf8";
  }
  const encoding = length as string;
  validateEncoding(buffer, encoding);
  callback = position as Callback;
  checkCallback(callback);
  const at = writePosition(offset);
  if (encoding == null || encoding === "utf8" || encoding === "utf-8" || !lazyBuffer().isEncoding(encoding)) {
    binding.writeText(fd, buffer, at, finish);
  } else {
    const bytes = lazyBuffer().from(buffer, encoding);
    binding.write(fd, bytes, 0, bytes.byteLength, at, finish);
  }
}
promisifiedNames(write, ["bytesWritten", "buffer"]);

/** Writes several views: `(fd, buffers[, position], callback)`. */
export function writev(
  fd: number,
  buffers: readonly ArrayBufferView[],
  callback: Done<[written: number, buffers: readonly ArrayBufferView[]]>,
): void;
export function writev(
  fd: number,
  buffers: readonly ArrayBufferView[],
  position: unknown,
  callback: Done<[written: number, buffers: readonly ArrayBufferView[]]>,
): void;
export function writev(fd: number, buffers: readonly Native.Bytes[], position: unknown, callback?: Callback): void {
  fd = getValidatedFd(fd);
  buffers = validateBufferArray(buffers);
  callback ||= position as Callback;
  checkCallback(callback);
  if (buffers.length === 0) {
    process.nextTick(callback, null, 0, buffers);
    return;
  }
  binding.writev(fd, buffers, writePosition(position), (error, written) => {
    if (error) callback!(error, 0, buffers);
    else callback!(null, written, buffers);
  });
}
promisifiedNames(writev, ["bytesWritten", "buffers"]);

export function ftruncate(fd: number, callback: Done): void;
export function ftruncate(fd: number, len: unknown, callback: Done): void;
export function ftruncate(fd: number, len: unknown = 0, callback?: Callback): void {
  if (typeof len === "function") {
    callback = len as Callback;
    len = 0;
  }
  fd = getValidatedFd(fd);
  validateInteger(len, "len");
  binding.ftruncate(fd, Math.max(0, len), plain(callback));
}

export function truncate(path: unknown, callback: Done): void;
export function truncate(path: unknown, len: unknown, callback: Done): void;
export function truncate(path: unknown, len: unknown, callback?: Callback): void {
  if (typeof len === "function") {
    callback = len as Callback;
    len = 0;
  } else if (len === undefined) {
    len = 0;
  }
  const target = pathOf(path);
  validateInteger(len, "len");
  binding.truncate(target, Math.max(0, len), plain(callback));
}

export function fsync(fd: number, callback: Done): void {
  const done = plain(callback);
  binding.fsync(getValidatedFd(fd), done);
}

export function fdatasync(fd: number, callback: Done): void {
  const done = plain(callback);
  binding.fdatasync(getValidatedFd(fd), done);
}

// ---------------------------------------------------------------------------------------------------------------------
// Status

function pathStatus(
  path: unknown,
  options: StatusOptions | Callback | null | undefined,
  callback: Callback | undefined,
  flags: number,
): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  checkCallback(callback);
  const target = pathOf(path);
  const bigint = Boolean(options?.bigint);
  if (bigint) flags |= STATUS_BIGINT;
  if (options?.throwIfNoEntry === false) flags |= STATUS_MAYBE;
  const done = converting(callback, (bytes: Uint8Array | undefined) =>
    bytes === undefined ? undefined : statsFromBytes(bytes, bigint),
  );
  binding.stat(target, flags, done);
}

/** `(path[, { bigint }], callback)` */
export function stat(path: unknown, callback: Done<[Stats]>): void;
export function stat(
  path: unknown,
  options: StatusOptions | null | undefined,
  callback: Done<[Stats | BigIntStats | undefined]>,
): void;
export function stat(
  path: unknown,
  options: StatusOptions | Callback | null | undefined = undefined,
  callback?: Callback,
): void {
  pathStatus(path, options, callback, 0);
}

export function lstat(path: unknown, callback: Done<[Stats]>): void;
export function lstat(
  path: unknown,
  options: StatusOptions | null | undefined,
  callback: Done<[Stats | BigIntStats | undefined]>,
): void;
export function lstat(
  path: unknown,
  options: StatusOptions | Callback | null | undefined = undefined,
  callback?: Callback,
): void {
  pathStatus(path, options, callback, STATUS_NO_FOLLOW);
}

export function fstat(fd: number, callback: Done<[Stats]>): void;
export function fstat(
  fd: number,
  options: StatusOptions | null | undefined,
  callback: Done<[Stats | BigIntStats]>,
): void;
export function fstat(
  fd: number,
  options: StatusOptions | Callback | null | undefined = undefined,
  callback?: Callback,
): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  checkCallback(callback);
  fd = getValidatedFd(fd);
  const bigint = Boolean(options?.bigint);
  binding.fstat(
    fd,
    bigint ? STATUS_BIGINT : 0,
    converting(callback, (bytes) => statsFromBytes(bytes, bigint)),
  );
}

export function statfs(path: unknown, callback: Done<[StatFs]>): void;
export function statfs(path: unknown, options: StatusOptions | null | undefined, callback: Done<[StatFs]>): void;
export function statfs(
  path: unknown,
  options: StatusOptions | Callback | null | undefined = undefined,
  callback?: Callback,
): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  checkCallback(callback);
  const target = pathOf(path);
  const bigint = Boolean(options?.bigint);
  binding.statfs(
    target,
    bigint,
    converting(callback, (bytes) => statFsFromBytes(bytes, bigint)),
  );
}

/** Deprecated in Node: calls back with a boolean and no error. */
export function exists(path: unknown, callback: (found: boolean) => void): void {
  checkCallback(callback);
  let target: string;
  try {
    target = pathOf(path);
  } catch {
    callback(false);
    return;
  }
  binding.exists(target, (_, found: boolean) => callback(found === true));
}
defineProperty(exists, Symbol.for("nodejs.util.promisify.custom"), {
  __proto__: null,
  // A method, so that its name does not hide the function.
  value: {
    exists(path: unknown): Promise<boolean> {
      return new Promise((resolve) => exists(path, resolve));
    },
  }.exists,
} as PropertyDescriptor);

export function access(path: unknown, callback: Done): void;
export function access(path: unknown, mode: number | undefined, callback: Done): void;
export function access(path: unknown, mode: number | Callback | undefined, callback?: Callback): void {
  if (typeof mode === "function") {
    callback = mode as Callback;
    mode = 0;
  }
  const target = pathOf(path);
  const done = plain(callback);
  binding.access(target, smallMode(mode, 0), done);
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

export function rename(oldPath: unknown, newPath: unknown, callback: Done): void {
  const done = plain(callback);
  const from = pathOf(oldPath, "oldPath");
  binding.rename(from, pathOf(newPath, "newPath"), done);
}

export function link(existingPath: unknown, newPath: unknown, callback: Done): void {
  const done = plain(callback);
  const from = pathOf(existingPath, "existingPath");
  binding.link(from, pathOf(newPath, "newPath"), done);
}

/** `(target, path[, type], callback)` */
export function symlink(target: unknown, path: unknown, callback: Done): void;
export function symlink(target: unknown, path: unknown, type: unknown, callback: Done): void;
export function symlink(target: unknown, path: unknown, type: unknown, callback?: Callback): void {
  if (callback === undefined) {
    callback = type as Callback;
    type = undefined;
    checkCallback(callback);
  } else {
    checkSymlinkType(type);
  }
  const to = pathOf(target, "target");
  binding.symlink(to, pathOf(path), plain(callback));
}

export function readlink(path: unknown, callback: Done<[string]>): void;
export function readlink(path: unknown, options: unknown, callback: Done<[GivenPath]>): void;
export function readlink(path: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(typeof options === "function" ? options : callback);
  const { encoding } = getOptions(options);
  binding.readlink(
    pathOf(path),
    converting(callback, (target) => decodePath(target, encoding)),
  );
}

export function realpath(path: unknown, callback: Done<[string]>): void;
export function realpath(path: unknown, options: unknown, callback: Done<[GivenPath]>): void;
export function realpath(path: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(typeof options === "function" ? options : callback);
  const { encoding } = getOptions(options);
  binding.realpath(
    pathOf(asText(path)),
    false,
    converting(callback, (real) => decodePath(real, encoding)),
  );
}

export function realpathNative(path: unknown, callback: Done<[string]>): void;
export function realpathNative(path: unknown, options: unknown, callback: Done<[GivenPath]>): void;
export function realpathNative(path: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(callback || options);
  const { encoding } = getOptions(options);
  binding.realpath(
    pathOf(path),
    true,
    converting(callback, (real) => decodePath(real, encoding)),
  );
}

export function unlink(path: unknown, callback: Done): void {
  const done = plain(callback);
  binding.unlink(pathOf(path), done);
}

export function rmdir(path: unknown, callback: Done): void;
export function rmdir(path: unknown, options: unknown, callback: Done): void;
export function rmdir(path: unknown, options: unknown, callback?: Callback): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  const done = plain(callback);
  const target = pathOf(path);
  if (rmdirRecursive(options)) binding.rm(target, false, true, 0, 0, done);
  else binding.rmdir(target, done);
}

/** Removes a file or tree; see rmSync. */
export function rm(path: unknown, callback: Done): void;
export function rm(path: unknown, options: unknown, callback: Done): void;
export function rm(path: unknown, options: unknown, callback?: Callback): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  const target = getValidatedPath(path);
  const { force, recursive, maxRetries, retryDelay } = validateRmOptions(options);
  checkCallback(callback);
  binding.rm(nativePath(target), force, recursive, maxRetries, retryDelay, (error, removed: boolean) => {
    callback!(error || (removed ? null : rmIsDirectory(target)));
  });
}

/** Makes a directory; see mkdirSync. */
export function mkdir(path: unknown, callback: Done): void;
export function mkdir(path: unknown, options: MkdirOptions, callback: Done<[made: string | undefined]>): void;
export function mkdir(path: unknown, options: unknown, callback?: Callback): void {
  const target = pathOf(path);
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  const { mode, recursive } = mkdirOptions(options as MkdirOptions);
  if (!recursive) {
    binding.mkdir(target, mode, plain(callback));
    return;
  }
  const done = converting(callback, (made: string | undefined) =>
    made === undefined ? undefined : decodePath(made, "utf8"),
  );
  binding.mkdirAll(target, mode, done);
}

export function mkdtemp(prefix: unknown, callback: Done<[string]>): void;
export function mkdtemp(prefix: unknown, options: unknown, callback: Done<[GivenPath]>): void;
export function mkdtemp(prefix: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(typeof options === "function" ? options : callback);
  const { encoding } = getOptions(options);
  binding.mkdtemp(
    tempPrefix(prefix),
    converting(callback, (path) => decodePath(path, encoding)),
  );
}

// ---------------------------------------------------------------------------------------------------------------------
// Directories

/** Lists a directory; see readdirSync. */
export function readdir(path: unknown, callback: Done<[string[]]>): void;
export function readdir(path: unknown, options: unknown, callback: Done<[GivenPath[] | Dirent<GivenPath>[]]>): void;
export function readdir(path: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(typeof options === "function" ? options : callback);
  options = getOptions(options);
  const { encoding, withFileTypes } = options as CheckedOptions;
  const plainPath = getValidatedPath(path);
  const target = nativePath(plainPath);
  if ((options as CheckedOptions).recursive != null)
    validateBoolean((options as CheckedOptions).recursive, "options.recursive");
  const recursive = Boolean((options as CheckedOptions).recursive);
  if (!recursive && !withFileTypes) {
    binding.readdir(
      target,
      converting(callback, (names) => decodeNames(names, encoding)),
    );
    return;
  }
  binding.readdirTypes(
    target,
    recursive,
    converting(callback, ([names, types]) => {
      if (!withFileTypes) return decodeNames(names, encoding);
      const { direntsOf, direntsOfTree } = require("internal/fs/dirent");
      return (recursive ? direntsOfTree : direntsOf)(plainPath, names, types, encoding);
    }),
  );
}

// ---------------------------------------------------------------------------------------------------------------------
// Modes, owners, times

export function chmod(path: unknown, mode: number, callback: Done): void {
  const target = pathOf(path);
  mode = parseFileMode(mode, "mode");
  binding.chmod(target, mode, plain(callback));
}

export function fchmod(fd: number, mode: number, callback: Done): void {
  fd = getValidatedFd(fd);
  mode = parseFileMode(mode, "mode");
  binding.fchmod(fd, mode, plain(callback));
}

export function chown(path: unknown, uid: unknown, gid: unknown, callback: Done): void {
  const done = plain(callback);
  const target = pathOf(path);
  validateId(uid, "uid");
  validateId(gid, "gid");
  binding.chown(target, uid, gid, done);
}

export function lchown(path: unknown, uid: unknown, gid: unknown, callback: Done): void {
  const done = plain(callback);
  const target = pathOf(path);
  validateId(uid, "uid");
  validateId(gid, "gid");
  binding.lchown(target, uid, gid, done);
}

export function fchown(fd: number, uid: unknown, gid: unknown, callback: Done): void {
  fd = getValidatedFd(fd);
  validateId(uid, "uid");
  validateId(gid, "gid");
  binding.fchown(fd, uid, gid, plain(callback));
}

export function utimes(path: unknown, atime: unknown, mtime: unknown, callback: Done): void {
  const done = plain(callback);
  const target = pathOf(path);
  binding.utimes(target, toUnixTimestamp(atime), toUnixTimestamp(mtime), done);
}

export function lutimes(path: unknown, atime: unknown, mtime: unknown, callback: Done): void {
  const done = plain(callback);
  const target = pathOf(path);
  binding.lutimes(target, toUnixTimestamp(atime), toUnixTimestamp(mtime), done);
}

export function futimes(fd: number, atime: number, mtime: number, callback: Done): void {
  fd = getValidatedFd(fd);
  atime = toUnixTimestamp(atime, "atime");
  mtime = toUnixTimestamp(mtime, "mtime");
  binding.futimes(fd, atime, mtime, plain(callback));
}
