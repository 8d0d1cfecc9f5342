// process.stdin, process.stdout, process.stderr (https://nodejs.org/api/process.html#process-io).
//
// Writes are synchronous whatever the descriptor is (files, pipes and terminals are in Node on Linux): what was
// written before process.exit() is out.

import { errnoException } from "internal/core/errors";
import { nextTick } from "internal/core/task_queues";
import type { Done, Duplex, StreamConstructor } from "internal/net/types";
import type { Stream } from "internal/process/types";

const { guessHandleType, stdioWrite, fdReaderOpen, fdReaderStart, fdReaderStop, fdReaderRef, fdReaderClose } =
  native("process");

let stdin: Stream | undefined;
let stdout: Stream | undefined;
let stderr: Stream | undefined;
let outputClass: (new (fd: number, type: string) => Stream) | undefined;
let inputClass: (new (fd: number, type: string) => Stream) | undefined;

/** Whether process.stderr exists already; if not, internal output can go to the descriptor directly. */
export function hasStderr(): boolean {
  return stderr !== undefined;
}

function writeError(error: NodeError, type: string): NodeError {
  // Errors of pipes and terminals look like those of sockets.
  return type === "fs" || typeof error?.errno !== "number" ? error : errnoException(error.errno, "write");
}

function makeOutputClass() {
  const { Writable } = require("node:stream") as { Writable: StreamConstructor<Duplex> };
  const kFd = Symbol("fd");

  /** A writable whose writes are done when write() returns. `_type` is "fs" (files, devices) or "pipe". */
  class SyncWriteStream extends Writable {
    declare [kFd]: number;
    declare fd: number;
    declare _type: string;
    declare _isStdio: boolean;
    declare _handle?: {
      fd: number;
      setBlocking(): number;
      ref(): void;
      unref(): void;
      hasRef(): boolean;
    };

    constructor(fd: number, type: string) {
      super({ autoDestroy: true, decodeStrings: false, emitClose: false });
      this.fd = fd;
      this[kFd] = fd;
      this.readable = false;
      this._type = type;
      // Some programs ask for blocking writes of pipes; they are blocking always.
      if (type === "pipe") this._handle = { fd, setBlocking: () => 0, ref() {}, unref() {}, hasRef: () => false };
    }

    // The usual call, write(string), needs none of the stream's bookkeeping: nothing is ever buffered.
    write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      if (
        encoding === undefined &&
        callback === undefined &&
        typeof chunk === "string" &&
        this.writable &&
        !this.writableCorked &&
        this.writableLength === 0
      ) {
        try {
          stdioWrite(this[kFd], chunk);
          return true;
        } catch (error) {
          const failure = writeError(error as NodeError, this._type);
          this.destroy(failure);
          return false;
        }
      }
      // An addition of Bun.
      if (typeof chunk === "object" && require("internal/buffer/base").isAnyArrayBuffer(chunk))
        chunk = new Uint8Array(chunk);
      return super.write(chunk, encoding, callback);
    }

    _write(chunk: string | Uint8Array, encoding: string, callback: Done): void {
      try {
        if (typeof chunk === "string" && encoding !== "utf8" && encoding !== "utf-8")
          chunk = require("node:buffer").Buffer.from(chunk, encoding);
        stdioWrite(this[kFd], chunk);
      } catch (error) {
        callback(writeError(error as NodeError, this._type));
        return;
      }
      callback();
    }

    // The descriptor belongs to the process, not to the stream.
    ref(): this {
      return this;
    }

    unref(): this {
      return this;
    }

    /** A pipe's stream is a Duplex in Node; programs tell by this method. There is nothing to read. */
    async *[Symbol.asyncIterator](): AsyncGenerator<never> {}
  }
  return SyncWriteStream;
}

// stdout and stderr cannot be closed: destroying them only reports the error.
function dummyDestroy(this: Stream, error: NodeError | null, callback: Done): void {
  callback(error);
  this._undestroy();
  if (!this._writableState.emitClose) nextTick(() => this.emit("close"));
}

function createOutput(fd: number): Stream {
  const kind = guessHandleType(fd);
  let stream: Stream;
  if (kind === "TTY") {
    const { WriteStream } = require("node:tty");
    stream = new (WriteStream as unknown as new (fd: number) => Stream)(fd);
    stream._type = "tty";
  } else {
    outputClass ??= makeOutputClass();
    stream = new outputClass(fd, kind === "PIPE" || kind === "TCP" ? "pipe" : "fs");
  }
  stream._isStdio = true;
  stream.destroySoon = stream.destroy;
  stream._destroy = dummyDestroy;
  return stream;
}

/** process.stdout, made on first use. */
export function getStdout(): Stream {
  if (stdout !== undefined) return stdout;
  stdout = createOutput(1);
  if (stdout.isTTY) refreshOnResize(stdout);
  require("internal/console/state").stdout = stdout;
  return stdout;
}

/** process.stderr, made on first use. */
export function getStderr(): Stream {
  if (stderr !== undefined) return stderr;
  stderr = createOutput(2);
  if (stderr.isTTY) refreshOnResize(stderr);
  require("internal/console/state").stderr = stderr;
  return stderr;
}

// The window size of a terminal is read again on SIGWINCH as soon as somebody listens to 'resize'. (Node watches the
// signal always; here a program that does not care has no watcher.) A plain read of `columns` is kept fresh by tty.
function refreshOnResize(stream: Stream): void {
  let watching = false;
  stream.on("newListener", (event: unknown) => {
    if (event !== "resize" || watching || typeof stream._refreshSize !== "function") return;
    watching = true;
    require("node:process").on("SIGWINCH", () => stream._refreshSize!());
  });
}

function makeInputClass() {
  const { Readable } = require("node:stream") as { Readable: StreamConstructor<Duplex> };

  /** process.stdin for pipes, sockets and character devices: reads when data is there, never blocks the loop. */
  return class StdinStream extends Readable {
    #reader: number | undefined;
    #reading = false;
    /** Whether reading keeps the process alive; it may be said before there is a reader. */
    #isRef = true;
    declare fd: number;
    declare _type: string;

    constructor(fd: number, type: string) {
      super({ highWaterMark: 65536, autoDestroy: type === "pipe" });
      this.fd = fd;
      this._type = type;
      // A paused stdin lets the process end although the writer has not closed the pipe. A listener of 'data' that has just been
      // added begins to read in the next tick, also if the stream is paused before: stop after that, as Node does.
      this.on("pause", () => nextTick(() => this.isPaused() && this.#stop()));
    }

    #stop(): void {
      if (!this.#reading) return;
      this.#reading = false;
      fdReaderStop(this.#reader!);
      // The _read that was under way is withdrawn; resume() asks again.
      this._readableState.reading = false;
    }

    _read(): void {
      if (this.#reading) return;
      this.#reader ??= fdReaderOpen(this.fd, (error: NodeError | undefined, chunk: Uint8Array | undefined) => {
        if (error) {
          this.#stop();
          this.destroy(errnoException(error.errno!, "read"));
        } else if (chunk === undefined) {
          this.#stop();
          this.push(null);
        } else if (!this.push(require("node:buffer").Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) {
          this.#stop();
        }
      });
      this.#reading = true;
      if (!this.#isRef) fdReaderRef(this.#reader, false);
      fdReaderStart(this.#reader);
    }

    _destroy(error: NodeError | null, callback: Done): void {
      this.#stop();
      if (this.#reader !== undefined) fdReaderClose(this.#reader);
      this.#reader = undefined;
      callback(error);
    }

    ref(): this {
      this.#isRef = true;
      if (this.#reader !== undefined) fdReaderRef(this.#reader, true);
      return this;
    }

    unref(): this {
      this.#isRef = false;
      if (this.#reader !== undefined) fdReaderRef(this.#reader, false);
      return this;
    }
  };
}

/** process.stdin, made on first use; nothing is read before somebody wants data. */
export function getStdin(): Stream {
  if (stdin !== undefined) return stdin;
  const fd = 0;
  const kind = guessHandleType(fd);
  if (kind === "TTY") {
    const { ReadStream } = require("node:tty");
    stdin = new (ReadStream as unknown as new (fd: number) => Stream)(fd);
    stdin._type = "tty";
  } else if (kind === "FILE") {
    const { ReadStream } = require("node:fs");
    stdin = new ReadStream(null, { fd, autoClose: false }) as unknown as Stream;
    stdin._type = "fs";
    stdin.fd = fd;
  } else if (kind === "INVALID") {
    // A closed descriptor reads as an empty stream.
    const { Readable } = require("node:stream");
    stdin = new Readable({ read() {} }) as Stream;
    stdin.push(null);
    stdin.fd = fd;
  } else {
    inputClass ??= makeInputClass();
    stdin = new inputClass(fd, kind === "PIPE" || kind === "TCP" ? "pipe" : "fs");
  }
  return stdin;
}

/** process.openStdin(): resumes and returns process.stdin. */
export function openStdin(): unknown {
  getStdin().resume();
  return stdin;
}
