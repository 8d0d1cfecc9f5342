// fs.ReadStream and fs.WriteStream (https://nodejs.org/api/fs.html#class-fsreadstream). Functions with prototypes, not
// classes, because programs call them without `new` and inherit from them in the old way.

import type { EventEmitter } from "internal/events/types";
import type { FileHandle, kRef as KRef, kUnref as KUnref } from "internal/fs/filehandle";
import type { CheckedPath } from "internal/fs/types";
import { codes } from "internal/core/errors";
import streams from "node:stream";
import { validateBoolean, validateFunction, validateInteger } from "internal/core/validators";
import { getOptions, getValidatedFd, lazyBuffer, toPathIfFileURL, validatePath } from "internal/fs/utils";

const { finished, Readable, Writable } = streams;
const { defineProperties, setPrototypeOf } = Object;

/** The functions that a stream uses: node:fs (with what programs have put there), `options.fs`, or a FileHandle's. */
const kFs = Symbol("kFs");
const kIoDone = Symbol("kIoDone");
const kIsPerformingIO = Symbol("kIsPerformingIO");
const kHandle = Symbol("kHandle");

type Bytes = Uint8Array<ArrayBufferLike>;
type Transferred<T> = (error: NodeError | null | undefined, bytes: number, data: T) => void;

/** What a stream needs of node:fs. */
interface Operations {
  open(path: CheckedPath, flags: unknown, mode: unknown, callback: Callback): void;
  close(fd: number, callback: Callback): void;
  fsync(fd: number, callback: Callback): void;
  read(
    fd: number,
    buffer: Bytes,
    offset: number,
    length: number,
    position: number | undefined,
    callback: Transferred<Bytes>,
  ): void;
  write(
    fd: number,
    buffer: Bytes,
    offset: number,
    length: number,
    position: number | undefined,
    callback: Transferred<Bytes>,
  ): void;
  writev(fd: number, buffers: Bytes[], position: number | undefined, callback: Transferred<Bytes[]>): void;
}

/** Options of both kinds of streams as programs give them: `importFile` and the constructors check them. */
interface StreamOptions {
  fd?: unknown;
  fs?: Operations;
  flags?: unknown;
  mode?: unknown;
  autoClose?: boolean;
  autoDestroy?: boolean;
  encoding?: string;
  highWaterMark?: number;
  start?: number;
  end?: number;
  flush?: boolean;
  decodeStrings?: boolean;
}

/** What both kinds have beside what they inherit from their classes of node:stream. */
interface FileStream extends EventEmitter {
  [kFs]: Operations;
  [kHandle]?: FileHandle;
  [kIsPerformingIO]: boolean;
  fd: number | null;
  path: CheckedPath;
  flags: unknown;
  mode: unknown;
  flush?: boolean;
  start: number | undefined;
  /** Where the next bytes are in the file; undefined: where the descriptor stands. */
  pos: number | undefined;
  autoClose: boolean;
  readonly closed: boolean;
  readonly destroyed: boolean;
  destroy(error?: unknown): this;
  pipe<T>(destination: T, options?: { end?: boolean }): T;
  _undestroy(): void;
  close(callback?: Callback): void;
  /** Only of subclasses that open by themselves. */
  open?(): void;
}

/** The methods that node:stream calls. */
interface StreamMethods {
  _construct(callback: Callback): void;
  _read?(size: number): void;
  _destroy(error: NodeError | null | undefined, callback: Callback): void;
}

export interface ReadStream extends FileStream {
  /** The last byte to read. */
  end: number;
  bytesRead: number;
  push(chunk: Bytes | null): boolean;
  pause(): this;
  resume(): this;
  setEncoding(encoding: string): this;
}

export interface WriteStream extends FileStream {
  bytesWritten: number;
  _write: unknown;
  _writev: unknown;
  write(chunk: string | ArrayBufferView, encoding?: string, callback?: Callback): boolean;
  end(chunk?: unknown, encoding?: unknown, callback?: unknown): this;
  /** Only terminals have it. */
  isTTY?: undefined;
  setDefaultEncoding(encoding: string): this;
}

/** ReadStream and WriteStream as they are called with `new`. */
export type FileStreamConstructor<S> = new (path: unknown, options?: object) => S;

/** Functions like those of node:fs over a FileHandle. */
function handleOperations(handle: FileHandle): Operations {
  const { kUnref } = require("internal/fs/filehandle");
  return {
    open() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("open()");
    },
    close(_fd: number, callback: Callback) {
      handle[kUnref as typeof KUnref]();
      handle.close().then(() => callback(), callback);
    },
    fsync(_fd: number, callback: Callback) {
      handle.sync().then(() => callback(), callback);
    },
    read(_fd, buffer, offset, length, position, callback) {
      handle.read(buffer, offset, length, position).then(
        (result) => callback(null, result.bytesRead, result.buffer as Bytes),
        (error) => callback(error, 0, buffer),
      );
    },
    write(_fd, buffer, offset, length, position, callback) {
      handle.write(buffer, offset, length, position).then(
        (result) => callback(null, result.bytesWritten, result.buffer as Bytes),
        (error) => callback(error, 0, buffer),
      );
    },
    writev(_fd, buffers, position, callback) {
      handle.writev(buffers, position).then(
        (result) => callback(null, result.bytesWritten, result.buffers as Bytes[]),
        (error) => callback(error, 0, buffers),
      );
    },
  };
}

/** Sets `stream[kFs]` for `options.fd` and gives the descriptor. */
function importFd(stream: FileStream, options: StreamOptions): number {
  if (typeof options.fd === "number") {
    stream[kFs] = (options.fs || require("node:fs")) as Operations;
    return options.fd;
  }
  const { FileHandle, kRef } = require("internal/fs/filehandle");
  if (typeof options.fd === "object" && options.fd instanceof FileHandle) {
    // The handle's own functions keep count of its users; others would not.
    if (options.fs) throw new codes.ERR_METHOD_NOT_IMPLEMENTED("FileHandle with fs");
    const handle = options.fd;
    stream[kHandle] = handle;
    stream[kFs] = handleOperations(handle);
    handle[kRef as typeof KRef]();
    handle.on("close", () => stream.close());
    return handle.fd;
  }
  throw new codes.ERR_INVALID_ARG_TYPE("options.fd", ["number", "FileHandle"], options.fd);
}

/** A copy with inherited options, too. */
function copyOptions(options: unknown): StreamOptions {
  const copy: { [key: string]: unknown } = {};
  const given = getOptions(options, {});
  for (const key in given) copy[key] = given[key];
  return copy;
}

/** The part of both constructors that deals with where the file comes from. */
function importFile(stream: FileStream, path: unknown, options: StreamOptions, flags: string): void {
  if (options.fd == null) {
    stream[kFs] = (options.fs || require("node:fs")) as Operations;
    validateFunction(stream[kFs].open, "options.fs.open");
    stream.fd = null;
    stream.path = toPathIfFileURL(path) as CheckedPath;
    stream.flags = options.flags === undefined ? flags : options.flags;
    stream.mode = options.mode === undefined ? 0o666 : options.mode;
    validatePath(stream.path);
  } else {
    stream.fd = getValidatedFd(importFd(stream, options));
  }
  options.autoDestroy = options.autoClose === undefined ? true : options.autoClose;
}

/** Opens the file; 'open' and 'ready' follow. */
function construct(this: FileStream, callback: Callback): void {
  const stream = this;
  if (typeof stream.fd === "number") {
    callback();
    return;
  }
  if (typeof stream.open === "function") {
    // A subclass that opens by itself (graceful-fs does) and tells by events.
    const emit = stream.emit;
    stream.emit = function (this: FileStream, ...args: [type: string | symbol, ...values: unknown[]]) {
      if (args[0] === "open") {
        this.emit = emit;
        callback();
        Reflect.apply(emit, this, args);
      } else if (args[0] === "error") {
        this.emit = emit;
        callback(args[1] as NodeError);
      } else {
        Reflect.apply(emit, this, args);
      }
    } as (this: FileStream, ...args: [type: string | symbol, ...values: unknown[]]) => unknown as FileStream["emit"];
    stream.open();
    return;
  }
  stream[kFs].open(stream.path, stream.flags, stream.mode, (error, fd) => {
    if (error) {
      callback(error);
      return;
    }
    stream.fd = fd as number;
    callback();
    stream.emit("open", stream.fd);
    stream.emit("ready");
  });
}

function closeFile(stream: FileStream, error: NodeError | null | undefined, callback: Callback): void {
  if (!stream.fd) {
    callback(error);
  } else if (stream.flush) {
    stream[kFs].fsync(stream.fd, (flushError) => closeNow(stream, error || flushError, callback));
  } else {
    closeNow(stream, error, callback);
  }
}

function closeNow(stream: FileStream, error: NodeError | null | undefined, callback: Callback): void {
  stream[kFs].close(stream.fd!, (closeError) => callback(closeError || error));
  stream.fd = null;
}

/** The descriptor must not be closed (and its number given to somebody else) while a read or write goes on. */
function destroyFile(this: FileStream, error: NodeError | null | undefined, callback: Callback): void {
  if (this[kIsPerformingIO]) this.once(kIoDone, (ioError?: NodeError) => closeFile(this, error || ioError, callback));
  else closeFile(this, error, callback);
}

/** A function that is called with `new`. */
interface OldClass {
  readonly name: string;
  readonly prototype: object;
}

function inherit(Class: OldClass, Base: OldClass, state: "_readableState" | "_writableState"): void {
  const stateOf = (stream: { [state]?: { autoDestroy: unknown } }) => {
    if (stream[state] === undefined) throw new codes.ERR_INVALID_THIS(Class.name);
    return stream[state];
  };
  setPrototypeOf(Class.prototype, Base.prototype);
  setPrototypeOf(Class, Base);
  defineProperties(Class.prototype, {
    autoClose: {
      __proto__: null,
      get() {
        return stateOf(this as Parameters<typeof stateOf>[0]).autoDestroy;
      },
      set(value: unknown) {
        stateOf(this as Parameters<typeof stateOf>[0]).autoDestroy = value;
      },
    } as PropertyDescriptor,
  });
}

/**
 * Reads a file. Options: `flags`, `encoding`, `fd` (number or FileHandle), `mode`, `autoClose`, `emitClose`, `start` and
 * `end` (bytes, both inclusive), `highWaterMark` (bytes, 64 KiB), `fs`, `signal`.
 */
export function ReadStream(this: ReadStream, path: unknown, options: StreamOptions): ReadStream | undefined {
  if (!(this instanceof ReadStream))
    return new (ReadStream as unknown as FileStreamConstructor<ReadStream>)(path, options);
  options = copyOptions(options);
  if (options.highWaterMark === undefined) options.highWaterMark = 64 * 1024;
  importFile(this, path, options, "r");
  validateFunction(this[kFs].read, "options.fs.read");
  if (options.autoDestroy) validateFunction(this[kFs].close, "options.fs.close");
  this.start = options.start;
  this.end = options.end ?? Infinity;
  this.pos = undefined;
  this.bytesRead = 0;
  this[kIsPerformingIO] = false;
  if (this.start !== undefined) {
    validateInteger(this.start, "start", 0);
    this.pos = this.start;
  }
  if (this.end !== Infinity) {
    validateInteger(this.end, "end", 0);
    if (this.start !== undefined && this.start > this.end) {
      throw new codes.ERR_OUT_OF_RANGE("start", `<= "end" (here: ${this.end})`, this.start);
    }
  }
  Reflect.apply(Readable, this, [options]);
  if (options.encoding) this.setEncoding(options.encoding);
}
inherit(ReadStream, Readable, "_readableState");

/** What `errorOrDestroy` takes. */
type Failing = Parameters<typeof import("internal/streams/destroy").errorOrDestroy>[0];

const reading: ReadStream & StreamMethods = ReadStream.prototype;

reading._construct = function _construct(callback: Callback): void {
  construct.call(this, callback);
};

reading._read = function (size: number): void {
  const done = this.pos !== undefined ? this.pos : this.bytesRead;
  size = Math.min(this.end - done + 1, size);
  if (size <= 0) {
    this.push(null);
    return;
  }
  const buffer = lazyBuffer().allocUnsafeSlow(size);
  this[kIsPerformingIO] = true;
  this[kFs].read(this.fd!, buffer, 0, size, this.pos, (error, bytesRead, buf) => {
    this[kIsPerformingIO] = false;
    if (this.destroyed) {
      this.emit(kIoDone, error);
      return;
    }
    if (error) {
      require("internal/streams/destroy").errorOrDestroy(this as unknown as Failing, error);
      return;
    }
    if (this.pos !== undefined) this.pos += bytesRead;
    this.bytesRead += bytesRead;
    if (bytesRead === 0) {
      this.push(null);
      return;
    }
    // A short read must not pin the whole buffer.
    this.push(bytesRead === buf.length ? buf : lazyBuffer().from(buf.subarray(0, bytesRead)));
  });
};

reading._destroy = function (error: NodeError, callback: Callback): void {
  destroyFile.call(this, error, callback);
};

reading.close = function (callback: Callback): void {
  if (typeof callback === "function") finished(this as unknown as Parameters<typeof finished>[0], callback);
  this.destroy();
};

/**
 * Writes a file. Options: `flags`, `encoding`, `fd` (number or FileHandle), `mode`, `autoClose`, `emitClose`, `start`
 * (bytes), `highWaterMark` (bytes, 16 KiB), `fs`, `signal`, `flush` (waits for the device before closing).
 */
export function WriteStream(this: WriteStream, path: unknown, options: StreamOptions): WriteStream | undefined {
  if (!(this instanceof WriteStream))
    return new (WriteStream as unknown as FileStreamConstructor<WriteStream>)(path, options);
  options = copyOptions(options);
  // Strings become buffers before they get here.
  options.decodeStrings = true;
  importFile(this, path, options, "w");
  const { write, writev, close, fsync } = this[kFs];
  if (!write && !writev) throw new codes.ERR_INVALID_ARG_TYPE("options.fs.write", "function", write);
  if (write) validateFunction(write, "options.fs.write");
  if (writev) validateFunction(writev, "options.fs.writev");
  if (options.autoDestroy) validateFunction(close, "options.fs.close");
  this.flush = options.flush ?? false;
  validateBoolean(this.flush, "options.flush");
  if (this.flush) validateFunction(fsync, "options.fs.fsync");
  // One of the two is enough.
  if (!write) this._write = null;
  if (!writev) this._writev = null;
  this.start = options.start;
  this.pos = undefined;
  this.bytesWritten = 0;
  this[kIsPerformingIO] = false;
  if (this.start !== undefined) {
    validateInteger(this.start, "start", 0);
    this.pos = this.start;
  }
  Reflect.apply(Writable, this, [options]);
  if (options.encoding) this.setDefaultEncoding(options.encoding);
}
inherit(WriteStream, Writable, "_writableState");

const writing: WriteStream & StreamMethods & { destroySoon(): unknown } = WriteStream.prototype;

writing._construct = function _construct(callback: Callback): void {
  construct.call(this, callback);
};

/** How often in a row a write may write nothing. */
const MAX_EMPTY_WRITES = 5;

function writeAll(
  stream: WriteStream,
  data: Bytes,
  position: number | undefined,
  callback: Callback,
  retries = 0,
): void {
  stream[kFs].write(
    stream.fd!,
    data,
    0,
    data.length,
    position,
    (error: NodeError | null | undefined, written: number, buffer: Uint8Array) => {
      // The file (a pipe, a terminal) is full for now.
      if (error?.code === "EAGAIN") {
        error = null;
        written = 0;
      }
      if (stream.destroyed || error) {
        callback(error || new codes.ERR_STREAM_DESTROYED("write"));
        return;
      }
      stream.bytesWritten += written;
      retries = written ? 0 : retries + 1;
      if (retries > MAX_EMPTY_WRITES) callback(new Error("write failed"));
      else if (written < data.length) {
        writeAll(
          stream,
          buffer.slice(written),
          position === undefined ? position : position + written,
          callback,
          retries,
        );
      } else callback();
    },
  );
}

function writevAll(
  stream: WriteStream,
  chunks: Bytes[],
  size: number,
  position: number | undefined,
  callback: Callback,
  retries = 0,
): void {
  stream[kFs].writev(
    stream.fd!,
    chunks,
    position,
    (error: NodeError | null | undefined, written: number, buffers: Bytes[]) => {
      if (error?.code === "EAGAIN") {
        error = null;
        written = 0;
      }
      if (stream.destroyed || error) {
        callback(error || new codes.ERR_STREAM_DESTROYED("writev"));
        return;
      }
      stream.bytesWritten += written;
      retries = written ? 0 : retries + 1;
      size -= written;
      if (retries > MAX_EMPTY_WRITES) callback(new Error("writev failed"));
      else if (size > 0) {
        const rest = lazyBuffer().concat(buffers).slice(written);
        writevAll(stream, [rest], size, position === undefined ? position : position + written, callback, retries);
      } else callback();
    },
  );
}

/** Ends a write: tells those who wait for it before they close the file. */
function written(stream: WriteStream, error: NodeError | null | undefined, callback: Callback): void {
  stream[kIsPerformingIO] = false;
  callback(error);
  if (stream.destroyed) stream.emit(kIoDone, error);
}

writing._write = function (this: WriteStream, data: Bytes, _encoding: unknown, callback: Callback): void {
  this[kIsPerformingIO] = true;
  writeAll(this, data, this.pos, (error) => written(this, error, callback));
  if (this.pos !== undefined) this.pos += data.length;
};

writing._writev = function (this: WriteStream, data: { chunk: Bytes }[], callback: Callback): void {
  const chunks = new Array(data.length);
  let size = 0;
  for (let i = 0; i < data.length; i++) {
    chunks[i] = data[i].chunk;
    size += chunks[i].length;
  }
  this[kIsPerformingIO] = true;
  writevAll(this, chunks, size, this.pos, (error) => written(this, error, callback));
  if (this.pos !== undefined) this.pos += size;
};

writing._destroy = function (error: NodeError, callback: Callback): void {
  destroyFile.call(this, error, callback);
};

writing.close = function (callback: Callback): void {
  if (callback) {
    if (this.closed) {
      process.nextTick(callback);
      return;
    }
    this.on("close", callback);
  }
  // Without autoClose nothing else closes the file after the last write.
  if (!this.autoClose) this.on("finish", this.destroy);
  // Not destroy(): what has been written to the stream has to get to the file.
  this.end();
};

writing.destroySoon = Writable.prototype.end;

for (const prototype of [reading, writing]) {
  defineProperties(prototype, {
    pending: {
      __proto__: null,
      get(this: FileStream) {
        return this.fd === null;
      },
      configurable: true,
    } as PropertyDescriptor,
  });
}
