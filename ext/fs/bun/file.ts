// Bun.file, Bun.write and the standard streams (https://bun.com/docs/runtime/file-io).
//
// A BunFile is a Blob whose content is in a file: nothing is opened or asked before somebody wants to know. Small files
// are written on the calling thread, which takes less time than going to another one and back; they are read there where
// no device has to be waited for.
import { codes } from "internal/core/errors";
import { invalidType, bytesOf } from "bun/util";
import { Blob, isBlob, kSegments } from "web/blob";
import { kClone } from "internal/worker/messaging/hooks";
import { READ_START_ELSEWHERE, STATUS_MAYBE } from "internal/fs/native_constants";

const fs = native("fs");

/** Up to this size, in bytes, files are written on the calling thread. */
const SMALL = 256 * 1024;
const O_WRONLY = 1;
const O_CREAT = 0o100;
const O_TRUNC = 0o1000;
const DEFAULT_MODE = 0o664;
/** What `lastModified` is for files that are not there, as in Bun. */
const NEVER = 4503599627370495;
const customInspect = Symbol.for("nodejs.util.inspect.custom");

/** Fields of a status: mode, size, time of the last change in milliseconds. */
const MODE = 1;
const SIZE = 8;
const MTIME = 11;
const FIELDS = 14;

/** The promise of one native call: native functions without a callback give one. */
function run<A extends unknown[], T>(op: (...args: A) => Promise<T>, ...args: A): Promise<T> {
  return op(...args);
}

/** The bytes of a file that readStart has read; see takeBuffer in internal/fs/utils. */
function takeView(size: number): Uint8Array {
  if (size < 0) return fs.takeBytes();
  const bytes = new Uint8Array(size);
  fs.takeInto(bytes);
  return bytes;
}

/** Calls `fn` at once; what it throws becomes a rejection. */
function attempt<T>(fn: () => T | Promise<T>): Promise<T> {
  try {
    const value = fn();
    return value instanceof Promise ? value : Promise.resolve(value);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The next bytes of a descriptor without places, `count` at most, after `skipped` others. */
async function readNext(fd: number, count: number, skipped: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let left = skipped + count; left > 0;) {
    const part = new Uint8Array(Math.min(left, 65536));
    const got = await run(fs.read, fd, part, 0, part.length, -1);
    if (got === 0) break;
    parts.push(part.subarray(0, got));
    left -= got;
  }
  return require("node:buffer").Buffer.concat(parts).subarray(skipped);
}

let isFile: (value: unknown) => value is BunFile;
/** The path or descriptor of a file. */
let fileTarget: (file: BunFile) => string | number;
/** Whether a file is all of one that has a name. */
let isWhole: (file: BunFile) => boolean;
let fileStart: (file: BunFile) => number;
let fileEnd: (file: BunFile) => number | undefined;

/** A media type that can stand in a head, as Blob has it; undefined where the name has to say what the file is. */
function givenType(type: unknown): string | undefined {
  return typeof type === "string" && /^[ -~]*$/.test(type) ? type : undefined;
}

/** Clamps as Blob.slice does. */
function clampIndex(value: number, size: number): number {
  const number = Math.trunc(+value) || 0;
  return number < 0 ? Math.max(size + number, 0) : Math.min(number, size);
}

/** What the source of a stream uses of its controller. */
interface ByteController {
  readonly byobRequest: { respond(bytes: number): void } | null;
  enqueue(chunk: Uint8Array): void;
  close(): void;
}

class BunFile extends Blob {
  /** A path or a descriptor. */
  #target: string | number;
  #start: number;
  /** End of the range in the file; undefined: wherever the file ends. */
  #end: number | undefined;
  #fileType: string | undefined;

  static {
    isFile = (value): value is BunFile => typeof value === "object" && value !== null && #target in value;
    fileTarget = (file) => file.#target;
    isWhole = (file) => file.#isWhole;
    fileStart = (file) => file.#start;
    fileEnd = (file) => file.#end;
  }

  constructor(target: string | number, start = 0, end?: number, type?: string) {
    // Blobs that are made of this one read it when they are read; its size is asked for then.
    const segments: unknown[] = [];
    super(kSegments, segments, "");
    this.#target = target;
    this.#start = start;
    this.#end = end;
    this.#fileType = type;
    const file = this;
    segments.push({
      source: {
        read: (from: number, to: number) => file.#read(from, to),
        check() {
          if (typeof target === "string") fs.closeSync(fs.openSync(target, 0, 0));
        },
      },
      start,
      get end() {
        return start + file.size;
      },
    });
  }

  /** The path as it was given; undefined for descriptors. */
  get name(): string | undefined {
    return typeof this.#target === "string" ? this.#target : undefined;
  }

  /** The media type that was given, or the one that the name's extension stands for. */
  get type(): string {
    return (this.#fileType ??=
      typeof this.#target === "string" ? require("bun/mime").typeOf(this.#target) : "application/octet-stream");
  }

  #status(): Float64Array | undefined {
    const status = new Float64Array(FIELDS);
    try {
      if (typeof this.#target === "number") fs.fstatSync(this.#target, status, 0);
      else if (!fs.statSync(this.#target, status, STATUS_MAYBE)) return undefined;
      return status;
    } catch {
      return undefined;
    }
  }

  /** Size in bytes; 0 where there is no file, Infinity for pipes and the like. */
  get size(): number {
    if (this.#end !== undefined) return this.#end - this.#start;
    const status = this.#status();
    if (status === undefined) return 0;
    if ((status[MODE]! & 0o170000) !== 0o100000)
      return (status[MODE]! & 0o170000) === 0o040000 ? status[SIZE]! : Infinity;
    return Math.max(status[SIZE]! - this.#start, 0);
  }

  /** Time of the last change, in milliseconds since 1970. */
  get lastModified(): number {
    const status = this.#status();
    return status === undefined ? NEVER : Math.trunc(status[MTIME]!);
  }

  /** Promise of whether there is a file (no directory). */
  exists(): Promise<boolean> {
    return attempt(() => {
      const status = this.#status();
      return status !== undefined && (status[MODE]! & 0o170000) !== 0o040000;
    });
  }

  /** Promise of the status, as of node:fs/promises. */
  stat(): Promise<unknown> {
    const target = this.#target;
    if (typeof target === "string") return require("node:fs").promises.stat(target);
    return new Promise((resolve, reject) => {
      require("node:fs").fstat(target, (error: unknown, stats: unknown) => (error ? reject(error) : resolve(stats)));
    });
  }

  /** Whether the file is a whole one with a name. */
  get #isWhole(): boolean {
    return typeof this.#target === "string" && this.#start === 0 && this.#end === undefined;
  }

  async #bytes(): Promise<Uint8Array> {
    const target = this.#target;
    if (this.#isWhole) return run(fs.readFile, target as string, 0);
    if (typeof target === "number" && this.#start === 0 && this.#end === undefined) return run(fs.readFileFd, target);
    const size = this.size;
    return size === Infinity ? run(fs.readFileFd, target as number) : this.#read(0, size, true);
  }

  /** The bytes of a range; with `partial`, fewer where the file ends. */
  async #read(from: number, to: number, partial = false): Promise<Uint8Array> {
    const target = this.#target;
    const fd = typeof target === "number" ? target : await run(fs.open, target, 0, 0);
    try {
      const status = new Float64Array((await run(fs.fstat, fd, 0)).buffer);
      // A pipe or terminal has neither a size nor places: what comes next is all there is.
      if ((status[MODE]! & 0o170000) !== 0o100000) return await readNext(fd, to - from, this.#start + from);
      const most = Math.max(0, Math.min(to - from, status[SIZE]! - this.#start - from));
      const bytes = new Uint8Array(partial ? most : to - from);
      let at = 0;
      while (at < bytes.length) {
        const got = await run(fs.read, fd, bytes, at, bytes.length - at, this.#start + from + at);
        if (got === 0) break;
        at += got;
      }
      return at < bytes.length ? bytes.subarray(0, at) : bytes;
    } finally {
      if (fd !== target) await run(fs.close, fd);
    }
  }

  /** Promise of the content as text: UTF-8 without byte order mark. */
  text(): Promise<string> {
    return attempt(() => {
      if (this.#isWhole && fs.readStart(this.#target as string) !== READ_START_ELSEWHERE)
        return fs.later(fs.takeText(true));
      return this.#bytes().then((bytes) => native("encoding").decodeUtf8(bytes, false, false)!);
    });
  }

  /** Promise of the content as a value of JSON. */
  json(): Promise<unknown> {
    return this.text().then(JSON.parse as (text: string) => unknown);
  }

  /** Promise of the bytes. */
  bytes(): Promise<Uint8Array> {
    return attempt(() => {
      const size = this.#isWhole ? fs.readStart(this.#target as string) : READ_START_ELSEWHERE;
      return size === READ_START_ELSEWHERE ? this.#bytes() : fs.later(takeView(size));
    });
  }

  /** Promise of the bytes as an ArrayBuffer. */
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.bytes().then((bytes) =>
      bytes.byteLength === bytes.buffer.byteLength
        ? (bytes.buffer as ArrayBuffer)
        : (bytes.slice().buffer as ArrayBuffer),
    );
  }

  /** A readable stream of the bytes. */
  stream(): ReadableStream {
    const target = this.#target;
    const start = this.#start;
    const end = this.#end;
    let fd = -1;
    let at = start;
    const { ReadableStream } = require("web/streams");
    const close = () => {
      const open = fd;
      fd = -1;
      return open >= 0 && open !== target ? run(fs.close, open) : undefined;
    };
    // Pipes and terminals have no positions.
    const positioned = typeof target === "string" || start > 0 || end !== undefined;
    return new ReadableStream(
      {
        type: "bytes",
        async pull(controller: ByteController) {
          try {
            if (fd < 0) fd = typeof target === "number" ? target : await run(fs.open, target, 0, 0);
            const most = Math.min(end === undefined ? 65536 : end - at, 65536);
            const bytes = new Uint8Array(Math.max(most, 1));
            const position = positioned ? at : -1;
            const got =
              most <= 0
                ? 0
                : await run(fs.read, fd, bytes, 0, most, position).catch((error: NodeError) => {
                    // A pipe that was opened by name.
                    if (error.code !== "ESPIPE") throw error;
                    return run(fs.read, fd, bytes, 0, most, -1);
                  });
            if (got === 0) {
              await close();
              controller.close();
              controller.byobRequest?.respond(0);
              return;
            }
            at += got;
            controller.enqueue(got < bytes.length ? bytes.subarray(0, got) : bytes);
          } catch (error) {
            await close();
            throw error;
          }
        },
        cancel: close,
      },
      { highWaterMark: 0 },
    );
  }

  /** The file from `start` to `end`, in bytes. */
  slice(start: number | undefined = 0, end: number | undefined = undefined, contentType: unknown = undefined): BunFile {
    if (typeof start === "string") [start, contentType] = [0, start];
    if (typeof end === "string") [end, contentType] = [undefined, end];
    if (end === Infinity) end = undefined;
    const needsSize = +start < 0 || (end !== undefined && +end < 0);
    const size = needsSize ? this.size : Infinity;
    const from = needsSize ? clampIndex(start, size) : Math.trunc(+start) || 0;
    const to =
      end === undefined
        ? this.#end
        : this.#start + Math.max(from, needsSize ? clampIndex(end, size) : Math.trunc(+end) || 0);
    return new BunFile(
      this.#target,
      this.#start + from,
      to,
      typeof contentType === "string" ? (givenType(contentType)?.toLowerCase() ?? "") : this.#fileType,
    );
  }

  /**
   * A sink that writes to the file, from its beginning.
   * @param options `highWaterMark`: how many bytes are collected before they are written
   */
  writer(options?: unknown) {
    const { FileSink } = require("bun/sink");
    return new FileSink(this.#target, options);
  }

  /** A copy in a message is the same file, read where it arrives. */
  [kClone]() {
    const data: PackedFile = {
      target: this.#target,
      start: this.#start,
      end: this.#end,
      type: this.#fileType,
    };
    return { module: "bun/file", name: "receiveFile", data };
  }

  /** Bun.write to this file. */
  write(data: unknown, options?: unknown): Promise<number> {
    return write(this, data, options);
  }

  /** Removes the file. */
  async unlink(): Promise<void> {
    if (typeof this.#target === "number") throw new TypeError("Is not possible to unlink a file descriptor");
    await run(fs.unlink, this.#target);
  }

  [customInspect](depth: unknown, options: unknown): string {
    if (typeof depth === "number" && depth < 0) return "[FileRef]";
    const { inspect } = require("internal/util/inspect");
    const place = typeof this.#target === "number" ? `fd: ${this.#target}` : inspect(this.#target, options);
    const shown: { type: string; offset?: number } = { type: this.type };
    if (this.#start > 0) shown.offset = this.#start;
    return `FileRef (${place}) ${inspect(shown, options)}`;
  }
}

const { prototype } = BunFile;
prototype.delete = prototype.unlink;
Object.defineProperty(prototype.delete, "name", { value: "unlink" });
// The public face is Blob, as in Bun.
Object.defineProperty(prototype, "constructor", { value: Blob, configurable: true, writable: true });

/** What a message has in place of a file. */
interface PackedFile {
  target: string | number;
  start: number;
  end: number | undefined;
  type: string | undefined;
}

/** The file that a message speaks of. */
export function receiveFile({ target, start, end, type }: PackedFile): BunFile {
  return new BunFile(target, start, end, type);
}

/** The path or descriptor that a BunFile stands for; undefined for other values. */
export function targetOfFile(value: unknown): string | number | undefined {
  return isFile(value) ? fileTarget(value) : undefined;
}

/** Where a slice of a file with a name begins; undefined for other values. */
export function sliceStart(value: unknown): number | undefined {
  return isFile(value) && !isWhole(value) && typeof fileTarget(value) === "string" ? fileStart(value) : undefined;
}

/** The path of a file that is all of one with a name, else undefined. */
export function wholePath(value: unknown): string | undefined {
  return isFile(value) && isWhole(value) ? (fileTarget(value) as string) : undefined;
}

/** Whether `value` was made by Bun.file(). */
export function isBunFile(value: unknown): boolean {
  return isFile(value);
}

/** The path or descriptor that `value` stands for; undefined if it stands for none. */
function targetOf(value: unknown): string | number | undefined {
  if (typeof value === "number") {
    require("internal/fs/utils").getValidatedFd(value);
    return value;
  }
  if (typeof value === "string") {
    if (value.includes("\0")) require("internal/fs/utils").validatePath(value);
    return value;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof String) return targetOf(require("internal/core/validators").unboxed(value));
  if (require("internal/fs/utils").isURL(value)) return require("node:url").fileURLToPath(value);
  const bytes = bytesOf(value);
  if (bytes === undefined) return undefined;
  const path = require("node:buffer").Buffer.from(bytes).toString();
  require("internal/fs/utils").validatePath(path);
  return path;
}

/**
 * A Blob on a file, which need not be there.
 * @param path path, file: URL, bytes of a path, or descriptor
 * @param options `type`: the media type
 */
export function file(path: unknown, options?: { type?: unknown } | null): BunFile {
  if (typeof path === "string" && path.startsWith("s3://"))
    return require("bun/s3").s3File(path, options) as unknown as BunFile;
  const target = targetOf(path);
  if (target === undefined) {
    if (isFile(path)) return path;
    throw invalidType("Expected file path string or file descriptor");
  }
  return new BunFile(target, 0, undefined, givenType(options?.type));
}
Object.defineProperty(file, "length", { value: 1 });

// ---- Bun.write ----

interface WriteOptions {
  mode: number;
  /** The program gave the mode: a copy has it, whatever its source has. */
  isModeGiven: boolean;
  createPath: boolean;
}

const writeDefaults: WriteOptions = { mode: DEFAULT_MODE, isModeGiven: false, createPath: true };

function writeOptions(options: unknown): WriteOptions {
  if (options === undefined || options === null) return writeDefaults;
  if (typeof options !== "object") throw invalidType("options must be an object");
  const { mode, createPath } = options as Partial<WriteOptions>;
  if (createPath !== undefined && typeof createPath !== "boolean") throw invalidType("createPath must be a boolean");
  return {
    mode: mode === undefined ? DEFAULT_MODE : require("internal/fs/utils").parseFileMode(mode, "mode"),
    isModeGiven: mode !== undefined,
    createPath: createPath !== false,
  };
}

/**
 * Writes to a file, which is made or replaced; a promise of the number of bytes.
 * @param destination path, URL, descriptor or BunFile
 * @param data string, buffer, view, Blob, BunFile or Response; other objects as strings
 * @param options `mode` of a new file, `createPath`: make directories that are missing (default true)
 */
export function write(destination: unknown, data?: unknown, options?: unknown): Promise<number> {
  let target: string | number | undefined;
  if (typeof destination === "string" && destination.startsWith("s3://"))
    destination = require("bun/s3").s3File(destination, options);
  if (isBlob(destination) && !isFile(destination) && require("bun/s3").isS3File(destination))
    return destination.write(data, options);
  try {
    target = isFile(destination) ? fileTarget(destination) : targetOf(destination);
  } catch (error) {
    return Promise.reject(error);
  }
  if (target === undefined) {
    const error = new codes.ERR_INVALID_ARG_TYPE("destination", "Blob", destination);
    const text = error.message.replace("an instance of Blob", "of type path, file descriptor, or Blob");
    Object.defineProperty(error, "message", { value: text, configurable: true, writable: true });
    throw error;
  }
  if (data === undefined || data === null) {
    throw invalidType("Bun.write(pathOrFdOrBlob, blob) expects a Blob-y thing to write");
  }
  const settings = writeOptions(options);
  return attempt(() => writeData(target, data, settings));
}
Object.defineProperty(write, "length", { value: 1 });

/** What is written of a Response or Request. */
interface Body {
  readonly body: ReadableLike | null;
  readonly bodyUsed: boolean;
  bytes(): Promise<Uint8Array>;
  formData(): Promise<unknown>;
}

interface ReadableLike {
  getReader(): {
    read(): Promise<{ done: boolean; value?: unknown }>;
    cancel(reason: unknown): Promise<void>;
  };
}

/** Globals, which programs may remove. */
interface Classes {
  Response: new (body: unknown) => Body;
  Request: new (...values: never) => Body;
  ReadableStream: new (...values: never) => ReadableLike;
}

function writeData(target: string | number, data: unknown, options: WriteOptions): number | Promise<number> {
  if (typeof data === "string")
    return data.length < SMALL ? writeSmall(target, data, options) : writeLarge(target, data, options);
  if (typeof data !== "object") return writeData(target, `${data}`, options);
  const bytes = bytesOf(data);
  if (bytes !== undefined) {
    return bytes.byteLength < SMALL ? writeSmall(target, bytes, options) : writeLarge(target, bytes, options);
  }
  if (Object.prototype.toString.call(data) === "[object Archive]") {
    const { isArchive } = require("bun/archive");
    if (isArchive(data)) return data.bytes().then((archive) => writeData(target, archive, options));
  }
  if (isFile(data)) return copy(target, data, options);
  if (isBlob(data)) {
    if (require("bun/s3").isS3File(data))
      return writeData(target, new globalThis.Response(data.stream() as never), options);
    const inMemory = require("web/blob").blobBytesSync(data);
    if (inMemory !== undefined) return writeData(target, inMemory, options);
    return data.bytes().then((all: Uint8Array) => writeData(target, all, options));
  }
  const { Response, Request, ReadableStream } = globalThis as unknown as Classes;
  if ((Response !== undefined && data instanceof Response) || (Request !== undefined && data instanceof Request)) {
    // What is in memory stays there; what is yet to come goes to the file as it comes.
    const source = data instanceof Response ? require("web/response").responseState(data).body?.source : undefined;
    if (data.bodyUsed || (source !== undefined && !isFile(source)))
      return data.bytes().then((all: Uint8Array) => writeData(target, all, options));
    const { body } = data;
    if (body === null) return writeData(target, "", options);
    return isFile(source) ? copy(target, source, options) : writeStream(target, body, options);
  }
  if (data instanceof ReadableStream) return writeStream(target, data, options);
  // Arrays are joined without commas, as parts of a Blob are.
  return writeData(target, Array.isArray(data) ? new Blob(data) : `${data}`, options);
}

/** Whether to try again after making the directories of `target`. */
function madeDirectories(error: unknown, target: string | number, options: WriteOptions): boolean {
  if ((error as NodeError)?.code !== "ENOENT" || !options.createPath || typeof target !== "string") return false;
  const slash = target.lastIndexOf("/");
  if (slash <= 0) return false;
  fs.mkdirAllSync(target.slice(0, slash), 0o777);
  return true;
}

function writeSmall(target: string | number, data: string | Uint8Array, options: WriteOptions): number {
  const text = typeof data === "string";
  const size = text ? native("encoding").utf8Length(data) : data.byteLength;
  if (typeof target === "number") {
    if (text) fs.writeAllTextSync(target, data, false);
    else fs.writeAllSync(target, data, false);
    return size;
  }
  const writeFile = (text ? fs.writeFileTextSync : fs.writeFileSync) as (
    path: string,
    data: string | Uint8Array,
    flags: number,
    mode: number,
    flush: boolean,
  ) => void;
  try {
    writeFile(target, data, O_WRONLY | O_CREAT | O_TRUNC, options.mode, false);
  } catch (error) {
    if (!madeDirectories(error, target, options)) throw error;
    writeFile(target, data, O_WRONLY | O_CREAT | O_TRUNC, options.mode, false);
  }
  return size;
}

async function writeLarge(target: string | number, data: string | Uint8Array, options: WriteOptions): Promise<number> {
  const bytes = typeof data === "string" ? require("internal/buffer/codecs").utf8Bytes(data) : data;
  if (typeof target === "number") {
    await run(fs.writeAll, target, bytes, false);
    return bytes.byteLength;
  }
  try {
    await run(fs.writeFile, target, bytes, O_WRONLY | O_CREAT | O_TRUNC, options.mode, false);
  } catch (error) {
    if (!madeDirectories(error, target, options)) throw error;
    await run(fs.writeFile, target, bytes, O_WRONLY | O_CREAT | O_TRUNC, options.mode, false);
  }
  return bytes.byteLength;
}

/** Opens a file to be replaced. */
async function openTarget(target: string, options: WriteOptions): Promise<number> {
  try {
    return await run(fs.open, target, O_WRONLY | O_CREAT | O_TRUNC, options.mode);
  } catch (error) {
    if (!madeDirectories(error, target, options)) throw error;
    return run(fs.open, target, O_WRONLY | O_CREAT | O_TRUNC, options.mode);
  }
}

/** Writes the chunks of a stream as they come. The file is opened with the first one. */
async function writeStream(target: string | number, stream: ReadableLike, options: WriteOptions): Promise<number> {
  const reader = stream.getReader();
  let fd = typeof target === "number" ? target : -1;
  let total = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (fd < 0) fd = await openTarget(target as string, options);
      if (done) return total;
      const bytes = typeof value === "string" ? require("internal/buffer/codecs").utf8Bytes(value) : bytesOf(value);
      if (bytes === undefined) throw new TypeError("Expected an ArrayBuffer, ArrayBufferView, or string chunk");
      await run(fs.writeAll, fd, bytes, false);
      total += bytes.byteLength;
    }
  } catch (error) {
    reader.cancel(error).catch(() => {});
    throw error;
  } finally {
    if (fd >= 0 && fd !== target) await run(fs.close, fd);
  }
}

/** Whether two paths lead to one file. */
function isSameFile(one: string, other: string): boolean {
  const { statSync } = require("node:fs");
  const first = statSync(one, { throwIfNoEntry: false, bigint: true });
  const second = statSync(other, { throwIfNoEntry: false, bigint: true });
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}

/** Copies a file or a part of one. The system does it: copy_file_range, sendfile or splice, whatever there is for such a pair. */
async function copy(target: string | number, source: BunFile, options: WriteOptions): Promise<number> {
  const size = await copyBytes(target, source, options);
  if (options.isModeGiven && typeof target === "string") require("node:fs").chmodSync(target, options.mode);
  return size;
}

async function copyBytes(target: string | number, source: BunFile, options: WriteOptions): Promise<number> {
  const from = fileTarget(source);
  if (!isWhole(source) || typeof target !== "string") {
    if (typeof from === "string" && typeof target === "string" && isSameFile(from, target))
      return writeData(target, await source.bytes(), options);
    const input = typeof from === "number" ? from : await run(fs.open, from, 0, 0);
    let output = -1;
    try {
      output = typeof target === "number" ? target : await openTarget(target, options);
      const end = fileEnd(source);
      const start = fileStart(source);
      return await run(
        fs.transfer,
        input,
        typeof from === "number" && start === 0 && end === undefined ? -1 : start,
        output,
        end === undefined ? -1 : end - start,
      );
    } finally {
      if (output >= 0 && output !== target) await run(fs.close, output);
      if (input !== from) await run(fs.close, input);
    }
  }
  try {
    await run(fs.copyFile, from as string, target, 0);
  } catch (error) {
    if ((error as NodeError)?.code !== "ENOENT" || !fs.existsSync(from as string))
      throw readError(error, from as string);
    if (!madeDirectories(error, target, options)) throw error;
    await run(fs.copyFile, from as string, target, 0);
  }
  return file(target).size;
}

/** The error of opening the source, which is what the program asked for. */
function readError(error: unknown, path: string): unknown {
  try {
    fs.closeSync(fs.openSync(path, 0, 0));
  } catch (openError) {
    return openError;
  }
  return error;
}

export const stdin = new BunFile(0);
export const stdout = new BunFile(1);
export const stderr = new BunFile(2);
