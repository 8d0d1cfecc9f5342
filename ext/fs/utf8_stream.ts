// fs.Utf8Stream (https://nodejs.org/api/fs.html#class-fsutf8stream): collects text and writes it to a file in large
// pieces; for logs. Not a Writable: write() takes a string and nothing else happens until enough has come together.

import path from "node:path";
import EventEmitter from "node:events";
import { codes } from "internal/core/errors";
import {
  validateBoolean,
  validateFunction,
  validateObject,
  validateOneOf,
  validateString,
  validateUint32,
} from "internal/core/validators";
import { lazyBuffer, parseFileMode } from "internal/fs/utils";

/** The most that is written at once unless `maxWrite` says otherwise. */
const MAX_WRITE = 16 * 1024;
/** From this much on write() says that it is enough for now. */
const HIGH_WATER_MARK = 16387;
/** Milliseconds before a file that is busy is tried again. */
const BUSY_WAIT = 100;

const FUNCTIONS = ["write", "writeSync", "fsync", "fsyncSync", "close", "open", "openSync", "mkdir", "mkdirSync"];

function isBusy(error: NodeError): boolean {
  return error.code === "EAGAIN" || error.code === "EBUSY";
}

let sleeper: Int32Array | undefined;

function sleep(ms: number): void {
  Atomics.wait((sleeper ??= new Int32Array(new SharedArrayBuffer(4))), 0, 0, ms);
}

type Piece = string | Uint8Array;

type Done = (error: NodeError | null | undefined, value: number) => void;

/** What the stream uses of node:fs or of the option `fs`. */
interface Operations {
  write(fd: number, piece: Piece, ...encodingAndCallback: (string | undefined | Done)[]): void;
  writeSync(fd: number, piece: Piece, encoding?: string): number;
  fsync(fd: number, callback: (error?: NodeError | null) => void): void;
  fsyncSync(fd: number): void;
  close(fd: number, callback: (error?: NodeError | null) => void): void;
  open(path: string, flags: string, mode: unknown, callback: Done): void;
  openSync(path: string, flags: string, mode: unknown): number;
  mkdir(path: string, options: { recursive: boolean }, callback: (error?: NodeError | null) => void): void;
  mkdirSync(path: string, options: { recursive: boolean }): void;
}

interface Utf8StreamOptions {
  fd?: number;
  dest?: string;
  minLength?: number;
  maxLength?: number;
  maxWrite?: number;
  periodicFlush?: number;
  sync?: boolean;
  append?: boolean;
  mkdir?: boolean;
  retryEAGAIN?: (error: unknown, writing: number, waiting: number) => boolean;
  fsync?: boolean;
  contentMode?: "utf8" | "buffer";
  mode?: unknown;
  fs?: Partial<Operations>;
}

/**
 * Options: `fd` or `dest` (a path; with `append` (true), `mkdir`, `mode`), `sync`, `fsync` (after every write),
 * `minLength` (what has to come together before a write), `maxLength` (more is dropped), `maxWrite` (bytes of one write),
 * `periodicFlush` (milliseconds), `contentMode` ("utf8" | "buffer"), `retryEAGAIN` (function), `fs`.
 * Events: 'ready', 'write' (bytes), 'drain', 'drop' (data), 'finish', 'close', 'error'.
 */
export class Utf8Stream extends EventEmitter {
  #fs: Operations;
  #fd = -1;
  #file: string | null = null;
  #mode: unknown;
  #append: boolean;
  #mkdir: boolean;
  #sync: boolean;
  #fsync: boolean;
  #minLength: number;
  #maxLength: number;
  #maxWrite: number;
  #mark: number;
  #periodicFlush: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #contentMode: string;
  #retry: (error: unknown, writing: number, waiting: number) => boolean;

  /** Pieces of up to `maxWrite` that wait. */
  #pieces: Piece[] = [];
  /** The piece that is being written; it stays here when writing fails. */
  #current: Piece | undefined;
  /** Length of all that is not written yet, the present piece included. */
  #length = 0;
  #writing = false;
  #opening = false;
  #reopening = false;
  #ending = false;
  #destroyed = false;
  #drainScheduled = false;

  constructor(options: Utf8StreamOptions = {}) {
    super();
    validateObject(options, "options");
    const {
      fd,
      dest,
      minLength = 0,
      maxLength = 0,
      maxWrite = MAX_WRITE,
      periodicFlush = 0,
      sync = false,
      append = true,
      mkdir = false,
      retryEAGAIN = () => true,
      fsync = false,
      contentMode = "utf8",
      mode,
      fs: given,
    } = options;
    if (fd === undefined && dest === undefined) {
      throw new codes.ERR_INVALID_ARG_VALUE("options", options, "must have either the property 'fd' or 'dest'");
    }
    validateUint32(minLength, "options.minLength");
    validateUint32(maxLength, "options.maxLength");
    validateUint32(maxWrite, "options.maxWrite");
    validateUint32(periodicFlush, "options.periodicFlush");
    validateBoolean(sync, "options.sync");
    validateBoolean(append, "options.append");
    validateBoolean(mkdir, "options.mkdir");
    validateBoolean(fsync, "options.fsync");
    validateFunction(retryEAGAIN, "options.retryEAGAIN");
    validateOneOf(contentMode, "options.contentMode", ["utf8", "buffer"]);
    if (mode !== undefined) parseFileMode(mode, "options.mode");
    if (minLength >= maxWrite) {
      throw new codes.ERR_INVALID_ARG_VALUE(
        "options.minLength",
        minLength,
        `must be smaller than maxWrite (${maxWrite})`,
      );
    }
    this.#fs = operations(given);
    this.#mode = mode;
    this.#append = append;
    this.#mkdir = mkdir;
    this.#sync = sync;
    this.#fsync = fsync;
    this.#minLength = minLength;
    this.#maxLength = maxLength;
    this.#maxWrite = maxWrite;
    this.#mark = Math.max(minLength, HIGH_WATER_MARK);
    this.#periodicFlush = periodicFlush;
    this.#contentMode = contentMode;
    this.#retry = retryEAGAIN;
    if (fd !== undefined) {
      validateUint32(fd, "options.fd");
      this.#fd = fd;
      process.nextTick(() => this.emit("ready"));
    } else {
      validateString(dest, "options.dest");
      this.#open(dest);
    }
    if (periodicFlush !== 0) {
      this.#timer = setInterval(() => this.flush(), periodicFlush);
      this.#timer.unref();
    }
  }

  /** Takes data; false when it is time to wait for 'drain'. */
  write(data: unknown): boolean {
    if (this.#destroyed) throw new codes.ERR_INVALID_STATE("Utf8Stream is destroyed");
    if (this.#contentMode === "utf8") {
      if (typeof data !== "string") throw new codes.ERR_INVALID_ARG_TYPE("data", "string", data);
    } else if (!ArrayBuffer.isView(data)) {
      throw new codes.ERR_INVALID_ARG_TYPE("data", ["Buffer", "TypedArray", "DataView"], data);
    }
    const piece: Piece =
      typeof data === "string" ? data : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (this.#maxLength !== 0 && this.#length + piece.length > this.#maxLength) {
      this.emit("drop", data);
      return this.#length < this.#mark;
    }
    this.#add(piece);
    if (!this.#writing && this.#length >= this.#minLength) this.#writeNext();
    return this.#length < this.#mark;
  }

  #add(piece: Piece): void {
    this.#length += piece.length;
    const last = this.#pieces.length - 1;
    if (last >= 0 && this.#pieces[last]!.length + piece.length <= this.#maxWrite) {
      this.#pieces[last] = joined(this.#pieces[last]!, piece);
    } else {
      this.#pieces.push(piece);
    }
  }

  /** Writes what has come together, however little, and syncs the file; then calls back. */
  flush(callback?: unknown): void {
    if (callback !== undefined && callback !== null) validateFunction(callback, "cb");
    if (this.#destroyed) {
      const error = new codes.ERR_INVALID_STATE("Utf8Stream is destroyed");
      if (!callback) throw error;
      callback(error);
      return;
    }
    if (this.#minLength <= 0) {
      callback?.();
      return;
    }
    if (callback) this.#afterDrain(callback);
    if (this.#writing) return;
    if (this.#length > 0) this.#writeNext();
    else process.nextTick(() => this.emit("drain"));
  }

  #afterDrain(callback: Callback): void {
    const onDrain = () => {
      this.off("error", onError);
      // With the option `fsync` it is synced already.
      if (this.#fsync) callback();
      else this.#fs.fsync(this.#fd, callback);
    };
    const onError = (error: NodeError | null | undefined) => {
      this.off("drain", onDrain);
      callback(error);
    };
    this.once("drain", onDrain);
    this.once("error", onError);
  }

  /** Writes all that waits, now. Throws when that fails; nothing is lost then. */
  flushSync(): void {
    if (this.#destroyed) throw new codes.ERR_INVALID_STATE("Utf8Stream is destroyed");
    if (this.#fd < 0) throw new codes.ERR_INVALID_STATE("Utf8Stream is not ready yet");
    // What has failed before comes first; what another thread writes at the moment is left to it.
    if (!this.#writing && this.#current !== undefined) {
      this.#pieces.unshift(this.#current);
      this.#current = undefined;
    }
    while (this.#pieces.length > 0) {
      const piece = this.#pieces[0]!;
      let rest: Piece | undefined;
      try {
        rest = unwritten(piece, this.#fs.writeSync(this.#fd, ...argumentsFor(piece)));
      } catch (error) {
        if (!isBusy(error as NodeError) || !this.#retry(error, piece.length, this.#length - piece.length)) throw error;
        sleep(BUSY_WAIT);
        continue;
      }
      this.#length -= piece.length - (rest?.length ?? 0);
      if (rest === undefined) this.#pieces.shift();
      else this.#pieces[0] = rest;
    }
    try {
      this.#fs.fsyncSync(this.#fd);
    } catch {
      // Not every file can be synced.
    }
  }

  /** Goes on in another file, or (after a rotation of logs) in a new one of the same name. */
  reopen(file?: unknown): void {
    if (this.#destroyed) throw new codes.ERR_INVALID_STATE("Utf8Stream is destroyed");
    if (this.#opening) {
      this.once("ready", () => this.reopen(file));
      return;
    }
    if (this.#ending) return;
    if (file) {
      validateString(file, "file");
      this.#file = file;
    }
    if (!this.#file) throw new codes.ERR_INVALID_STATE("Unable to reopen a file descriptor, you must pass a file");
    this.#reopening = true;
    if (this.#writing) return;
    this.#reopenNow();
  }

  #reopenNow(): void {
    const old = this.#fd;
    this.once("ready", () => {
      if (old === this.#fd) return;
      this.#fs.close(old, (error: NodeError | null | undefined) => {
        if (error) this.emit("error", error);
      });
    });
    this.#open(this.#file!);
  }

  /** Writes the rest and closes; 'finish' and 'close' follow. */
  end(): void {
    if (this.#destroyed) throw new codes.ERR_INVALID_STATE("Utf8Stream is destroyed");
    if (this.#opening) {
      this.once("ready", () => this.end());
      return;
    }
    if (this.#ending) return;
    this.#ending = true;
    if (this.#writing) return;
    if (this.#length > 0 && this.#fd >= 0) this.#writeNext();
    else this.#close();
  }

  /** Closes without writing what waits. */
  destroy(): void {
    if (this.#destroyed) return;
    this.#close();
  }

  get mode(): unknown {
    return this.#mode;
  }

  get file(): string | null {
    return this.#file;
  }

  get fd(): number {
    return this.#fd;
  }

  get minLength(): number {
    return this.#minLength;
  }

  get maxLength(): number {
    return this.#maxLength;
  }

  get writing(): boolean {
    return this.#writing;
  }

  get sync(): boolean {
    return this.#sync;
  }

  get fsync(): boolean {
    return this.#fsync;
  }

  get append(): boolean {
    return this.#append;
  }

  get periodicFlush(): number {
    return this.#periodicFlush;
  }

  get contentMode(): string {
    return this.#contentMode;
  }

  get mkdir(): boolean {
    return this.#mkdir;
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  // -------------------------------------------------------------------------------------------------------------------

  #open(file: string): void {
    this.#opening = true;
    // Nothing is written before the file is open.
    this.#writing = true;
    this.#drainScheduled = false;
    const flags = this.#append ? "a" : "w";
    const opened = (error: NodeError | null | undefined, fd?: number) => this.#opened(error, fd, file);
    if (this.#sync) {
      let fd: number;
      try {
        if (this.#mkdir) this.#fs.mkdirSync(path.dirname(file), { recursive: true });
        fd = this.#fs.openSync(file, flags, this.#mode);
      } catch (error) {
        opened(error as NodeError);
        throw error;
      }
      opened(null, fd);
    } else if (this.#mkdir) {
      this.#fs.mkdir(path.dirname(file), { recursive: true }, (error: NodeError | null | undefined) => {
        if (error) opened(error);
        else this.#fs.open(file, flags, this.#mode, opened);
      });
    } else {
      this.#fs.open(file, flags, this.#mode, opened);
    }
  }

  #opened(error: NodeError | null | undefined, fd: number | undefined, file: string): void {
    const reopening = this.#reopening;
    this.#opening = false;
    this.#reopening = false;
    this.#writing = false;
    if (error) {
      if (!this.#sync) {
        this.emit("error", error);
      } else {
        // The caller gets it as an exception; as an event only if somebody listens.
        process.nextTick(() => {
          if (this.listenerCount("error") > 0) this.emit("error", error);
        });
      }
      return;
    }
    this.#fd = fd!;
    this.#file = file;
    if (this.#sync) process.nextTick(() => this.emit("ready"));
    else this.emit("ready");
    if (this.#destroyed || this.#writing || this.#opening) return;
    if (this.#length > 0 && this.#length >= this.#minLength) this.#writeNext();
    else if (reopening) process.nextTick(() => this.emit("drain"));
  }

  /** Writes the next piece, or the one that has failed. */
  #writeNext(): void {
    this.#writing = true;
    this.#current ??= this.#pieces.shift();
    if (!this.#sync) {
      this.#writeAsync();
      return;
    }
    let written: number | undefined;
    try {
      written = this.#fs.writeSync(this.#fd, ...argumentsFor(this.#current!));
    } catch (error) {
      this.#failed(error as NodeError);
      return;
    }
    this.#wrote(written);
  }

  #writeAsync(): void {
    this.#fs.write(
      this.#fd,
      ...argumentsFor(this.#current!),
      (error: NodeError | null | undefined, written: number) => {
        if (error) this.#failed(error);
        else this.#wrote(written);
      },
    );
  }

  #failed(error: NodeError): void {
    const size = this.#current!.length;
    if (!isBusy(error) || !this.#retry(error, size, this.#length - size)) {
      this.#writing = false;
      this.emit("error", error);
      return;
    }
    if (this.#sync) {
      sleep(BUSY_WAIT);
      this.#writeNext();
    } else {
      // By another write in a while; the event loop goes on.
      setTimeout(() => this.#writeAsync(), BUSY_WAIT);
    }
  }

  #wrote(bytes: number | undefined): void {
    const piece = this.#current!;
    this.emit("write", bytes);
    this.#current = unwritten(piece, bytes);
    this.#length -= piece.length - (this.#current?.length ?? 0);
    if (this.#destroyed) {
      // The rest is given up; those who wait for a flush are told all the same.
      this.#writing = false;
      this.emit("drain");
      return;
    }
    if (this.#current !== undefined) {
      this.#writeNext();
      return;
    }
    if (this.#fsync) this.#fs.fsyncSync(this.#fd);
    if (this.#reopening && !this.#ending) {
      this.#writing = false;
      this.#reopenNow();
    } else if (this.#length > 0 && (this.#ending || this.#length > this.#minLength)) {
      this.#writeNext();
    } else if (this.#ending) {
      this.#writing = false;
      this.#close();
    } else {
      this.#writing = false;
      if (!this.#sync) {
        this.emit("drain");
      } else if (!this.#drainScheduled) {
        this.#drainScheduled = true;
        process.nextTick(() => {
          this.#drainScheduled = false;
          this.emit("drain");
        });
      }
    }
  }

  #close(): void {
    if (this.#fd === -1) {
      this.once("ready", () => this.#close());
      return;
    }
    if (this.#timer !== undefined) clearInterval(this.#timer);
    this.#destroyed = true;
    this.#pieces = [];
    const finish = (error?: NodeError | null | undefined) => {
      if (error) {
        this.emit("error", error);
        return;
      }
      if (this.#ending && !this.#writing) this.emit("finish");
      this.emit("close");
    };
    // The process's own output stays open.
    const close = () => (this.#fd === 1 || this.#fd === 2 ? finish() : this.#fs.close(this.#fd, finish));
    // Errors of the last sync are of no interest: pipes and terminals cannot be synced.
    if (this.#fsync) close();
    else this.#fs.fsync(this.#fd, close);
  }
}

/** The functions that the stream uses: those of node:fs, some of them replaced. */
function operations(given: unknown): Operations {
  const fs = require("node:fs");
  if (given === undefined) return fs as Operations;
  validateObject(given, "options.fs");
  const chosen: { [key: string]: unknown } = {};
  for (const name of FUNCTIONS) {
    if (given[name] !== undefined) validateFunction(given[name], `options.fs.${name}`);
    const fn = (given[name] ?? fs[name as keyof typeof fs]) as (...values: unknown[]) => unknown;
    chosen[name] = (...args: unknown[]) => Reflect.apply(fn, given, args);
  }
  return chosen as unknown as Operations;
}

/** What fs.write takes after the descriptor. */
function argumentsFor(piece: Piece): [piece: Piece, encoding?: string] {
  return typeof piece === "string" ? [piece, "utf8"] : [piece];
}

function joined(a: Piece, b: Piece): Piece {
  return typeof a === "string" ? a + (b as string) : lazyBuffer().concat([a, b as Uint8Array]);
}

/**
 * What is left of a piece of which `bytes` are written (all, if that is undefined); undefined if nothing is. A character
 * that was written in part is written again as a whole.
 */
function unwritten(piece: Piece, bytes: number | undefined): Piece | undefined {
  if (bytes === undefined) return undefined;
  if (typeof piece !== "string") return bytes >= piece.length ? undefined : piece.subarray(bytes);
  const encoded = lazyBuffer().from(piece);
  if (bytes >= encoded.length) return undefined;
  let at = bytes;
  while (at > 0 && (encoded[at]! & 0xc0) === 0x80) at--;
  return encoded.toString("utf8", at);
}
