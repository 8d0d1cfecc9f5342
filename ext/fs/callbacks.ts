// The callback functions of node:fs (https://nodejs.org/api/fs.html#callback-api): arguments are checked at once, the
// work is done on the thread pool, the callback gets `(error, result)`.

import type { CheckedOptions, Done, ReadOptions, RangeOptions } from "internal/fs/types";
import { validateBuffer, validateEncoding, validateInteger, validateObject } from "internal/core/validators";
import { type Callback, converting, passing, plain, promisifiedNames } from "internal/fs/callback_results";
import {
  abortError,
  checkCallback,
  checkRead,
  getOptions,
  getValidatedFd,
  checkFd,
  isNumber,
  lazyBuffer,
  listenForAbort,
  parseFileMode,
  pathOf,
  smallMode,
  stringToFlags,
  takeBuffer,
  toBuffer,
  validateBufferArray,
  validateData,
  validateOffsetLengthWrite,
  writeData,
  writeOptions,
  writePosition,
} from "internal/fs/utils";
import { tracking } from "internal/fs/tracking";
import { READ_START_ELSEWHERE } from "internal/fs/native_constants";

export {
  access,
  chmod,
  chown,
  exists,
  fchmod,
  fchown,
  fstat,
  futimes,
  lchown,
  link,
  lstat,
  lutimes,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  realpathNative,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  symlink,
  unlink,
  utimes,
} from "internal/fs/path_callbacks";

const binding = native("fs");
const { isView } = ArrayBuffer;

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
