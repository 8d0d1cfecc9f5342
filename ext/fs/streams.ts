// fs.ReadStream and fs.WriteStream (https://nodejs.org/api/fs.html#class-fsreadstream). Functions with prototypes, not
// classes, because programs call them without `new` and inherit from them in the old way.

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

/** Functions like those of node:fs over a FileHandle. */
function handleOperations(handle: any) {
  const { kUnref } = require("internal/fs/filehandle");
  return {
    open() {
      throw new codes.ERR_METHOD_NOT_IMPLEMENTED("open()");
    },
    close(_fd: number, callback: Callback) {
      handle[kUnref]();
      handle.close().then(() => callback(), callback);
    },
    fsync(_fd: number, callback: Callback) {
      handle.sync().then(() => callback(), callback);
    },
    read(_fd: number, buffer: unknown, offset: unknown, length: unknown, position: unknown, callback: Callback) {
      handle.read(buffer, offset, length, position).then(
        (result: { bytesRead?: unknown; buffer?: unknown }) => callback(null, result.bytesRead, result.buffer),
        (error: NodeError | null | undefined) => callback(error, 0, buffer),
      );
    },
    write(_fd: number, buffer: unknown, offset: unknown, length: unknown, position: unknown, callback: Callback) {
      handle.write(buffer, offset, length, position).then(
        (result: { bytesWritten?: unknown; buffer?: unknown }) => callback(null, result.bytesWritten, result.buffer),
        (error: NodeError | null | undefined) => callback(error, 0, buffer),
      );
    },
    writev(_fd: number, buffers: unknown, position: unknown, callback: Callback) {
      handle.writev(buffers, position).then(
        (result: { bytesWritten?: unknown; buffers?: unknown }) => callback(null, result.bytesWritten, result.buffers),
        (error: NodeError | null | undefined) => callback(error, 0, buffers),
      );
    },
  };
}

/** Sets `stream[kFs]` for `options.fd` and gives the descriptor. */
function importFd(stream: any, options: any): number {
  if (typeof options.fd === "number") {
    stream[kFs] = options.fs || require("node:fs");
    return options.fd;
  }
  const { FileHandle, kRef } = require("internal/fs/filehandle");
  if (typeof options.fd === "object" && options.fd instanceof FileHandle) {
    // The handle's own functions keep count of its users; others would not.
    if (options.fs) throw new codes.ERR_METHOD_NOT_IMPLEMENTED("FileHandle with fs");
    const handle = options.fd;
    stream[kHandle] = handle;
    stream[kFs] = handleOperations(handle);
    handle[kRef]();
    handle.on("close", () => stream.close());
    return handle.fd;
  }
  throw new codes.ERR_INVALID_ARG_TYPE("options.fd", ["number", "FileHandle"], options.fd);
}

/** A copy with inherited options, too. */
function copyOptions(options: any): { [key: string]: unknown } {
  const copy: { [key: string]: unknown } = {};
  const given = getOptions(options, {});
  for (const key in given) copy[key] = given[key];
  return copy;
}

/** The part of both constructors that deals with where the file comes from. */
function importFile(stream: any, path: any, options: any, flags: string): void {
  if (options.fd == null) {
    stream[kFs] = options.fs || require("node:fs");
    validateFunction(stream[kFs].open, "options.fs.open");
    stream.fd = null;
    stream.path = toPathIfFileURL(path);
    stream.flags = options.flags === undefined ? flags : options.flags;
    stream.mode = options.mode === undefined ? 0o666 : options.mode;
    validatePath(stream.path);
  } else {
    stream.fd = getValidatedFd(importFd(stream, options));
  }
  options.autoDestroy = options.autoClose === undefined ? true : options.autoClose;
}

/** Opens the file; 'open' and 'ready' follow. */
function construct(this: any, callback: Callback): void {
  const stream = this;
  if (typeof stream.fd === "number") {
    callback();
    return;
  }
  if (typeof stream.open === "function") {
    // A subclass that opens by itself (graceful-fs does) and tells by events.
    const emit = stream.emit;
    stream.emit = function (...args: any[]) {
      if (args[0] === "open") {
        this.emit = emit;
        callback();
        Reflect.apply(emit, this, args);
      } else if (args[0] === "error") {
        this.emit = emit;
        callback(args[1]);
      } else {
        Reflect.apply(emit, this, args);
      }
    };
    stream.open();
    return;
  }
  stream[kFs].open(stream.path, stream.flags, stream.mode, (error: NodeError | null | undefined, fd: unknown) => {
    if (error) {
      callback(error);
      return;
    }
    stream.fd = fd;
    callback();
    stream.emit("open", stream.fd);
    stream.emit("ready");
  });
}

function closeFile(stream: any, error: NodeError, callback: Callback): void {
  if (!stream.fd) {
    callback(error);
  } else if (stream.flush) {
    stream[kFs].fsync(stream.fd, (flushError: any) => closeNow(stream, error || flushError, callback));
  } else {
    closeNow(stream, error, callback);
  }
}

function closeNow(stream: any, error: unknown, callback: Callback): void {
  stream[kFs].close(stream.fd, (closeError: any) => callback(closeError || error));
  stream.fd = null;
}

/** The descriptor must not be closed (and its number given to somebody else) while a read or write goes on. */
function destroyFile(this: any, error: NodeError, callback: Callback): void {
  if (this[kIsPerformingIO]) this.once(kIoDone, (ioError: any) => closeFile(this, error || ioError, callback));
  else closeFile(this, error, callback);
}

function inherit(Class: any, Base: any, state: string): void {
  const stateOf = (stream: any) => {
    if (stream[state] === undefined) throw new codes.ERR_INVALID_THIS(Class.name);
    return stream[state];
  };
  setPrototypeOf(Class.prototype, Base.prototype);
  setPrototypeOf(Class, Base);
  defineProperties(Class.prototype, {
    autoClose: {
      __proto__: null,
      get() {
        return stateOf(this).autoDestroy;
      },
      set(value: unknown) {
        stateOf(this).autoDestroy = value;
      },
    } as PropertyDescriptor,
  });
}

/**
 * Reads a file. Options: `flags`, `encoding`, `fd` (number or FileHandle), `mode`, `autoClose`, `emitClose`, `start` and
 * `end` (bytes, both inclusive), `highWaterMark` (bytes, 64 KiB), `fs`, `signal`.
 */
export function ReadStream(this: any, path: any, options: any): any {
  if (!(this instanceof (ReadStream as any))) return new (ReadStream as any)(path, options);
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

const reading: any = ReadStream.prototype;

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
  this[kFs].read(this.fd, buffer, 0, size, this.pos, (error: NodeError, bytesRead: number, buf: Uint8Array) => {
    this[kIsPerformingIO] = false;
    if (this.destroyed) {
      this.emit(kIoDone, error);
      return;
    }
    if (error) {
      require("internal/streams/destroy").errorOrDestroy(this, error);
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
  if (typeof callback === "function") finished(this, callback);
  this.destroy();
};

/**
 * Writes a file. Options: `flags`, `encoding`, `fd` (number or FileHandle), `mode`, `autoClose`, `emitClose`, `start`
 * (bytes), `highWaterMark` (bytes, 16 KiB), `fs`, `signal`, `flush` (waits for the device before closing).
 */
export function WriteStream(this: any, path: any, options: any): any {
  if (!(this instanceof (WriteStream as any))) return new (WriteStream as any)(path, options);
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

const writing: any = WriteStream.prototype;

writing._construct = function _construct(callback: Callback): void {
  construct.call(this, callback);
};

/** How often in a row a write may write nothing. */
const MAX_EMPTY_WRITES = 5;

function writeAll(stream: any, data: Uint8Array, position: number, callback: any, retries = 0): void {
  stream[kFs].write(
    stream.fd,
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

function writevAll(stream: any, chunks: any[], size: number, position: number, callback: any, retries = 0): void {
  stream[kFs].writev(
    stream.fd,
    chunks,
    position,
    (error: NodeError | null | undefined, written: number, buffers: unknown) => {
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
function written(stream: any, error: NodeError | null | undefined, callback: Callback): void {
  stream[kIsPerformingIO] = false;
  callback(error);
  if (stream.destroyed) stream.emit(kIoDone, error);
}

writing._write = function (data: Uint8Array, _encoding: any, callback: Callback): void {
  this[kIsPerformingIO] = true;
  writeAll(this, data, this.pos, (error: NodeError) => written(this, error, callback));
  if (this.pos !== undefined) this.pos += data.length;
};

writing._writev = function (data: any[], callback: Callback): void {
  const chunks = new Array(data.length);
  let size = 0;
  for (let i = 0; i < data.length; i++) {
    chunks[i] = data[i].chunk;
    size += chunks[i].length;
  }
  this[kIsPerformingIO] = true;
  writevAll(this, chunks, size, this.pos, (error: NodeError) => written(this, error, callback));
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
      get(this: any) {
        return this.fd === null;
      },
      configurable: true,
    } as PropertyDescriptor,
  });
}
