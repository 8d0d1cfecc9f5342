// FileHandle: an open file with promises (https://nodejs.org/api/fs.html#class-filehandle).

import type { Stats, BigIntStats } from "internal/fs/stats";
import type { FileStreamConstructor, ReadStream, WriteStream } from "internal/fs/streams";
import type { RangeOptions, ReadOptions, StatusOptions } from "internal/fs/types";
import { codes } from "internal/core/errors";
import { kTransfer, Packed } from "internal/worker/messaging/hooks";
import EventEmitter from "node:events";
import {
  validateBoolean,
  validateBuffer,
  validateEncoding,
  validateInteger,
  validateObject,
} from "internal/core/validators";
import { statsFromBytes } from "internal/fs/stats";
import {
  abortError,
  checkAborted,
  checkRead,
  getOptions,
  kWriteFileMaxChunkSize,
  lazyBuffer,
  listenForAbort,
  parseFileMode,
  toBuffer,
  toUnixTimestamp,
  validateBufferArray,
  validateData,
  validateId,
  validateOffsetLengthWrite,
  writeData,
  writeOptions,
  writePosition,
} from "internal/fs/utils";
import { tracking } from "internal/fs/tracking";
import { STATUS_BIGINT } from "internal/fs/native_constants";

const binding = native("fs");
const { isView } = ArrayBuffer;

const kFd = Symbol("kFd");
const kRefs = Symbol("kRefs");
const kClosePromise = Symbol("kClosePromise");
const kCloseResolve = Symbol("kCloseResolve");
const kCloseReject = Symbol("kCloseReject");
const kLocked = Symbol("kLocked");
const kTransferred = Symbol("kTransferred");
/** Streams that use a handle hold a reference: close() waits for them. */
export const kRef: unique symbol = Symbol("kRef");
export const kUnref: unique symbol = Symbol("kUnref");

/** The promise of one native call: native functions without a callback give one. */
export function run<A extends unknown[], T>(op: (...args: A) => Promise<T>, ...args: A): Promise<T> {
  return op(...args);
}

/** The same, rejected at once when `signal` is aborted (the native call itself runs to its end). */
export function runAbortable<A extends unknown[], T>(
  signal: AbortSignal | undefined,
  op: (...args: A) => Promise<T>,
  ...args: A
): Promise<T> {
  if (!signal) return run(op, ...args);
  if (signal.aborted) return Promise.reject(abortError(signal));
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError(signal));
    const forget = listenForAbort(signal, onAbort);
    (op as (...values: never[]) => unknown as (...values: unknown[]) => void)(
      ...args,
      (error: Native.NativeError | undefined, value: T) => {
        forget();
        if (signal.aborted) onAbort();
        else if (error) reject(error);
        else resolve(value);
      },
    );
  });
}

/** Runs `fn` with the handle marked as in use; rejects with EBADF when it is closed. */
async function using<T>(handle: FileHandle, name: string, fn: () => Promise<T>): Promise<T> {
  if (handle?.[kRefs] === undefined) {
    throw new codes.ERR_INTERNAL_ASSERTION("handle must be an instance of FileHandle");
  }
  if (handle[kFd] === -1) {
    const error: NodeError = new Error(handle[kTransferred] ? "The FileHandle has been transferred" : "file closed");
    error.code = "EBADF";
    error.syscall = name;
    throw error;
  }
  handle[kRef]();
  try {
    return await fn();
  } finally {
    handle[kUnref]();
  }
}

// A handle that is forgotten leaks its descriptor, which is closed when the collector finds out. That is a bug of the
// program (nobody knows when it happens), so it is told.
let forgotten: FinalizationRegistry<number>;

function watchHandle(handle: FileHandle, fd: number): void {
  forgotten ??= new FinalizationRegistry((number: number) => {
    process.emitWarning(
      `Closing file descriptor ${number} on garbage collection: close FileHandle objects explicitly`,
      "Warning",
      "DEP0137",
    );
    tracking.handle?.(number, false);
    binding.close(number, () => {});
  });
  forgotten.register(handle, fd, handle);
}

/** What write() gives. */
interface Written {
  bytesWritten: number;
  buffer: string | ArrayBufferView;
}

/** Made by fs.promises.open(). */
export class FileHandle extends EventEmitter {
  /** The descriptor, -1 once closed. */
  declare [kFd]: number;
  /** How many work with the handle, itself included until it is closed. */
  declare [kRefs]: number;
  declare [kTransferred]: boolean;
  declare [kClosePromise]: Promise<void> | null | undefined;
  declare [kCloseResolve]: () => void;
  declare [kCloseReject]: (error: unknown) => void;
  /** Whether there is a web stream of it. */
  declare [kLocked]: boolean | undefined;
  close: () => Promise<void>;

  constructor(fd: number) {
    super();
    // An own property, as in Node: `const { close } = handle` works.
    const close = () => closeHandle(this);
    this.close = close;
    this[kFd] = fd;
    this[kRefs] = 1;
    this[kTransferred] = false;
    this[kClosePromise] = null;
    watchHandle(this, fd);
    tracking.handle?.(fd, true);
  }

  getAsyncId(): number {
    return 0;
  }

  /** The descriptor goes to the other side; this handle is closed from then on. */
  [kTransfer](): Packed {
    if (this[kRefs] !== 1) {
      const { DOMException } = require("web/dom_exception");
      throw new DOMException("Cannot transfer FileHandle while in use", "DataCloneError");
    }
    const fd = this[kFd];
    this[kFd] = -1;
    this[kRefs] = 0;
    this[kTransferred] = true;
    forgotten?.unregister(this);
    tracking.handle?.(fd, false);
    return { module: "internal/fs/filehandle", name: "receiveHandle", data: fd };
  }

  /** The descriptor, -1 once closed. */
  get fd(): number {
    return this[kFd];
  }

  /** Same as writeFile() on a handle: writing goes on at the present position. */
  appendFile(data: unknown, options?: unknown): Promise<void> {
    return using(this, "writeFile", () => writeFileHandle(this, data, options));
  }

  chmod(mode: unknown): Promise<void> {
    return using(this, "fchmod", async () => run(binding.fchmod, this.fd, parseFileMode(mode, "mode")));
  }

  chown(uid: unknown, gid: unknown): Promise<void> {
    return using(this, "fchown", async () => {
      validateId(uid, "uid");
      validateId(gid, "gid");
      return run(binding.fchown, this.fd, uid, gid);
    });
  }

  datasync(): Promise<void> {
    return using(this, "fdatasync", () => run(binding.fdatasync, this.fd));
  }

  sync(): Promise<void> {
    return using(this, "fsync", () => run(binding.fsync, this.fd));
  }

  /** `(buffer, offset, length, position)`, `(buffer, options)` or `(options)`; gives `{ bytesRead, buffer }`. */
  read<T>(
    buffer: T,
    offset?: number | RangeOptions | null,
    length?: number,
    position?: RangeOptions["position"],
  ): Promise<{ bytesRead: number; buffer: T | ArrayBufferView }> {
    return using(this, "read", () => readHandle(this, buffer, offset, length, position));
  }

  /** Fills several views; gives `{ bytesRead, buffers }`. */
  readv(
    buffers: readonly ArrayBufferView[],
    position?: unknown,
  ): Promise<{ bytesRead: number; buffers: readonly ArrayBufferView[] }> {
    return using(this, "readv", async () => {
      buffers = validateBufferArray(buffers);
      const bytesRead = await run(binding.readv, this.fd, buffers, writePosition(position));
      return { __proto__: null, bytesRead, buffers };
    });
  }

  /** The rest of the file: a Buffer, or a string with an encoding. Options: `encoding`, `signal`. */
  readFile(options?: unknown): Promise<string | Buffer> {
    return using(this, "readFile", () => readFileHandle(this, options));
  }

  /** The lines of the file, as an async iterable readline interface. Options as for createReadStream(). */
  readLines(options: object | undefined = undefined) {
    return require("node:readline").createInterface({
      input: this.createReadStream(options),
      crlfDelay: Infinity,
    });
  }

  stat(options?: StatusOptions | null): Promise<Stats | BigIntStats> {
    return using(this, "fstat", async () => {
      const bigint = Boolean(options?.bigint);
      return statsFromBytes(await run(binding.fstat, this.fd, bigint ? STATUS_BIGINT : 0), bigint);
    });
  }

  truncate(len: unknown = 0): Promise<void> {
    return using(this, "ftruncate", async () => {
      validateInteger(len, "len");
      return run(binding.ftruncate, this.fd, Math.max(0, len));
    });
  }

  utimes(atime: unknown, mtime: unknown): Promise<void> {
    return using(this, "futimes", async () =>
      run(binding.handleUtimes, this.fd, toUnixTimestamp(atime, "atime"), toUnixTimestamp(mtime, "mtime")),
    );
  }

  /**
   * `(buffer, offset, length, position)`, `(buffer, options)` or `(string, position, encoding)`; gives
   * `{ bytesWritten, buffer }`.
   */
  write(
    buffer: string | ArrayBufferView,
    offset?: number | RangeOptions | null,
    length?: number | string,
    position?: unknown,
  ): Promise<Written> {
    return using(this, "write", () => writeHandle(this, buffer, offset, length, position));
  }

  writev(
    buffers: readonly ArrayBufferView[],
    position?: unknown,
  ): Promise<{ bytesWritten: number; buffers: readonly ArrayBufferView[] }> {
    return using(this, "writev", async () => {
      buffers = validateBufferArray(buffers);
      const bytesWritten =
        buffers.length === 0 ? 0 : await run(binding.writev, this.fd, buffers, writePosition(position));
      return { __proto__: null, bytesWritten, buffers };
    });
  }

  /** Writes a string, view, iterable or stream at the present position. Options: `encoding`, `signal`, `flush`. */
  writeFile(data: unknown, options?: unknown): Promise<void> {
    return using(this, "writeFile", () => writeFileHandle(this, data, options));
  }

  /** A byte stream of the rest of the file. Option `autoClose`: the handle is closed when the stream ends. */
  readableWebStream(options: unknown = {}): ReadableStream {
    return webStream(this, options);
  }

  createReadStream(options: object | undefined = undefined): ReadStream {
    const { ReadStream } = require("internal/fs/streams");
    return new (ReadStream as unknown as FileStreamConstructor<ReadStream>)(undefined, { ...options, fd: this });
  }

  createWriteStream(options: object | undefined = undefined): WriteStream {
    const { WriteStream } = require("internal/fs/streams");
    return new (WriteStream as unknown as FileStreamConstructor<WriteStream>)(undefined, { ...options, fd: this });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  [kRef](): void {
    this[kRefs]++;
  }

  [kUnref](): void {
    this[kRefs]--;
    if (this[kRefs] === 0) release(this).then(this[kCloseResolve], this[kCloseReject]);
  }
}

/** Gives the descriptor back. */
function release(handle: FileHandle): Promise<void> {
  const fd = handle[kFd];
  handle[kFd] = -1;
  forgotten.unregister(handle);
  tracking.handle?.(fd, false);
  return run(binding.close, fd);
}

export function receiveHandle(fd: number): FileHandle {
  return new FileHandle(fd);
}

function closeHandle(handle: FileHandle): Promise<void> {
  if (handle[kFd] === -1) return Promise.resolve();
  if (handle[kClosePromise]) return handle[kClosePromise];
  handle[kRefs]--;
  const closing =
    handle[kRefs] === 0
      ? release(handle)
      : // Somebody is at work with the handle; the last of them closes it.
        new Promise<void>((resolve, reject) => {
          handle[kCloseResolve] = resolve;
          handle[kCloseReject] = reject;
        });
  handle[kClosePromise] = closing.finally(() => {
    handle[kClosePromise] = undefined;
  });
  handle.emit("close");
  return handle[kClosePromise];
}

async function readHandle(
  handle: FileHandle,
  bufferOrParams: unknown,
  offset: number | RangeOptions | null | undefined,
  length: number | undefined,
  position: RangeOptions["position"],
): Promise<{ bytesRead: number; buffer: ArrayBufferView }> {
  let buffer = bufferOrParams;
  if (!isView(buffer)) {
    if (bufferOrParams !== undefined) validateObject(bufferOrParams, "options", 1);
    ({
      buffer = lazyBuffer().alloc(16384),
      offset = 0,
      length = (buffer as ArrayBufferView).byteLength - (offset as number),
      position = null,
    } = (bufferOrParams ?? {}) as ReadOptions);
    validateBuffer(buffer);
  }
  if (offset !== null && typeof offset === "object") {
    ({
      offset = 0,
      length = (buffer as ArrayBufferView).byteLength - (offset as number),
      position = null,
    } = offset as RangeOptions);
  }
  if (offset == null) offset = 0;
  else validateInteger(offset, "offset", 0);
  length ??= (buffer as ArrayBufferView).byteLength - (offset as number);
  const range = checkRead(buffer, offset as number, length, position);
  const bytesRead =
    range.length === 0 ? 0 : await run(binding.read, handle.fd, buffer, range.offset, range.length, range.position);
  return { __proto__: null, bytesRead, buffer } as { bytesRead: number; buffer: ArrayBufferView };
}

async function writeHandle(
  handle: FileHandle,
  buffer: string | ArrayBufferView,
  offsetOrOptions: number | RangeOptions | null | undefined,
  length: number | string | undefined,
  position: unknown,
): Promise<Written> {
  if ((buffer as ArrayBufferView)?.byteLength === 0) return { __proto__: null, bytesWritten: 0, buffer } as Written;
  if (isView(buffer)) {
    let offset = offsetOrOptions;
    if (typeof offset === "object") {
      ({
        offset = 0,
        length = (buffer as ArrayBufferView).byteLength - (offset as number),
        position = null,
      } = (offsetOrOptions ?? {}) as RangeOptions);
    }
    if (offset == null) offset = 0;
    else validateInteger(offset, "offset", 0);
    if (typeof length !== "number") length = buffer.byteLength - offset;
    validateOffsetLengthWrite(offset, length, buffer.byteLength);
    const bytesWritten = await run(binding.write, handle.fd, buffer, offset, length, writePosition(position));
    return { __proto__: null, bytesWritten, buffer } as Written;
  }
  validateData(buffer, "buffer");
  validateEncoding(buffer, length);
  const bytes = lazyBuffer().from(buffer, lazyBuffer().isEncoding(length) ? length : "utf8");
  const bytesWritten = await run(binding.write, handle.fd, bytes, 0, bytes.byteLength, writePosition(offsetOrOptions));
  return { __proto__: null, bytesWritten, buffer } as Written;
}

async function readFileHandle(handle: FileHandle, options: unknown): Promise<string | Buffer> {
  const { encoding, signal } = getOptions(options);
  checkAborted(signal);
  if (encoding === "utf8" || encoding === "utf-8") return runAbortable(signal, binding.readTextFd, handle.fd);
  const buffer = toBuffer(await runAbortable(signal, binding.readFileFd, handle.fd));
  return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
}

/** Whether writeFile() takes the chunks of `data` one after the other. */
export function isIterableData(data: unknown): data is AsyncIterable<string | ArrayBufferView> {
  return (
    data != null &&
    typeof data !== "string" &&
    !isView(data) &&
    (typeof (data as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function" ||
      typeof (data as Partial<Iterable<unknown>>)[Symbol.iterator] === "function")
  );
}

async function writeFileHandle(handle: FileHandle, data: unknown, options: unknown): Promise<void> {
  const { encoding, flush, signal } = writeOptions(options, "w");
  await writeToHandle(handle, data, encoding, signal);
  if (flush) await run(binding.fsync, handle.fd);
}

/** Writes `data`, of whatever kind writeFile() takes, at the present position. */
export async function writeToHandle(
  handle: FileHandle,
  data: unknown,
  encoding: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  checkAborted(signal);
  if (isIterableData(data)) {
    for await (const chunk of data) {
      checkAborted(signal);
      await writeChunk(handle, isView(chunk) ? chunk : lazyBuffer().from(chunk, encoding), signal);
    }
    return;
  }
  data = writeData(data, encoding);
  if (typeof data === "string") data = lazyBuffer().from(data);
  if (signal) await writeChunk(handle, data as ArrayBufferView, signal);
  else await run(binding.writeAll, handle.fd, data as ArrayBufferView, false);
}

/** Writes a view piece by piece, so that a signal is heeded in between. */
async function writeChunk(handle: FileHandle, view: ArrayBufferView, signal: AbortSignal | undefined): Promise<void> {
  for (let at = 0; at < view.byteLength;) {
    const size = Math.min(kWriteFileMaxChunkSize, view.byteLength - at);
    at += await run(binding.write, handle.fd, view, at, size, -1);
    checkAborted(signal);
  }
}

/** What the stream's source uses of its controller. */
interface ByteController {
  readonly byobRequest: { readonly view: Uint8Array; respond(bytes: number): void } | null;
  close(): void;
}

function webStream(handle: FileHandle, options: unknown): ReadableStream {
  if (handle[kFd] === -1) throw new codes.ERR_INVALID_STATE("The FileHandle is closed");
  if (handle[kClosePromise]) throw new codes.ERR_INVALID_STATE("The FileHandle is closing");
  if (handle[kLocked]) throw new codes.ERR_INVALID_STATE("The FileHandle is locked");
  validateObject(options, "options");
  const { type = "bytes", autoClose = false } = options;
  validateBoolean(autoClose, "options.autoClose");
  if (type !== "bytes") {
    process.emitWarning(
      'A non-"bytes" options.type has no effect. A byte-oriented steam is always created.',
      "ExperimentalWarning",
    );
  }
  handle[kLocked] = true;
  handle[kRef]();
  let open = true;
  const finish = async () => {
    if (!open) return;
    open = false;
    handle.removeListener("close", onClose);
    handle[kUnref]();
    if (autoClose) await handle.close();
  };
  let controller: ByteController;
  const stream = new ReadableStream({
    type: "bytes",
    autoAllocateChunkSize: 16384,
    start(given: ByteController) {
      controller = given;
    },
    async pull(given: ByteController) {
      const view = given.byobRequest!.view;
      const { bytesRead } = await handle.read(view, 0, view.byteLength, null);
      if (!open) return;
      if (bytesRead === 0) {
        given.close();
        given.byobRequest?.respond(0);
        await finish();
        return;
      }
      given.byobRequest!.respond(bytesRead);
    },
    cancel: finish,
  });
  // The handle was closed by the program: that is the stream's end.
  function onClose() {
    if (!open) return;
    open = false;
    handle[kUnref]();
    try {
      controller.close();
      controller.byobRequest?.respond(0);
    } catch {
      // The stream has ended or failed already.
    }
  }
  handle.once("close", onClose);
  return stream;
}
