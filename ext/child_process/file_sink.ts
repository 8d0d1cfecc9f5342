// The writing end of a pipe to a process, as Bun has it: `subprocess.stdin` (https://bun.com/docs/api/spawn).

import { captureContext, ownership } from "internal/events/async_context";

import type { BytesStream } from "internal/child_process/types";

const { pipeFd, pipeWrite, pipeSetRef, pipeClose } = native("child");

/** Bytes that may wait before they are written without waiting for the end of the turn. */
const HIGH_WATER_MARK = 64 * 1024;

function bytesOf(data: unknown): Uint8Array {
  if (typeof data === "string") return require("node:buffer").Buffer.from(data);
  if (data instanceof Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer || data instanceof SharedArrayBuffer) return new Uint8Array(data as ArrayBuffer);
  throw new TypeError("write() expects a string, ArrayBufferView, or ArrayBuffer");
}

/**
 * What is written during a turn goes out as one piece at its end, or with flush() and end(). Results are numbers of
 * bytes, or promises of them where the pipe is full. A process that does not read any more is no error: what it does
 * not take counts as 0.
 */
class FileSink {
  #id: number;
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #scheduled = false;
  /** Writes that the pipe has not taken yet, and the sum of their bytes. */
  #pending: Promise<number> | undefined;
  #ending: Promise<number> | undefined;

  /** `id`: a pipe of native("child"), which belongs to the sink from now on. */
  constructor(id: number) {
    this.#id = id;
  }

  start(_options?: { highWaterMark?: number }): void {}

  /** Takes bytes or text: the number of bytes, or a promise where a full pipe has to be waited for. */
  write(data: string | ArrayBufferView | ArrayBuffer): number | Promise<number> {
    const bytes = bytesOf(data);
    if (this.#id === -1 || this.#ending) return 0;
    const { length } = bytes;
    if (length === 0) return 0;
    // A copy: the caller may go on to use its buffer.
    this.#chunks.push(typeof data === "string" ? bytes : bytes.slice());
    this.#waiting += length;
    if (this.#waiting >= HIGH_WATER_MARK && this.#pending === undefined) {
      const flushed = this.#flush();
      return typeof flushed === "number" ? length : flushed.then(() => length);
    }
    if (!this.#scheduled) {
      this.#scheduled = true;
      queueMicrotask(() => {
        this.#scheduled = false;
        if (this.#pending === undefined) this.#flush();
      });
    }
    return this.#pending === undefined ? length : this.#pending.then(() => length);
  }

  #flush(): number | Promise<number> {
    if (this.#pending !== undefined) return this.#pending;
    if (this.#waiting === 0 || this.#id === -1) return 0;
    const chunks = this.#chunks;
    const count = this.#waiting;
    this.#chunks = [];
    this.#waiting = 0;
    const bytes = chunks.length === 1 ? chunks[0]! : require("node:buffer").Buffer.concat(chunks, count);
    let resolve: (count: number) => void;
    const result = pipeWrite(this.#id, bytes, -1, (errno: number) => {
      // A graph of modules that is disposed is told nothing.
      if (ownership.isAbandoned?.(captureContext()) === true) return;
      this.#pending = undefined;
      if (errno !== 0) {
        resolve(0);
        this.#close();
        return;
      }
      // What came meanwhile belongs to the same promise for whoever waits for it.
      const next = this.#flush();
      if (typeof next === "number") resolve(count + next);
      else next.then((more) => resolve(count + more));
    });
    if (result === 0) return count;
    if (result < 0) {
      this.#close();
      return 0;
    }
    return (this.#pending = new Promise<number>((done) => (resolve = done)));
  }

  /** Writes what waits: the number of bytes, or a promise of it. */
  flush(): number | Promise<number> {
    return this.#flush();
  }

  /** Writes what waits and closes the pipe: the process reads to the end. */
  end(_error?: Error): number | Promise<number> {
    if (this.#ending !== undefined) return this.#ending;
    if (this.#id === -1) return 0;
    const flushed = this.#flush();
    if (typeof flushed === "number") {
      this.#close();
      return flushed;
    }
    return (this.#ending = flushed.then((count) => {
      this.#close();
      return count;
    }));
  }

  close(): void {
    this.end();
  }

  /** Closes the pipe without writing what waits. */
  [Symbol.dispose](): void {
    this.#close();
  }

  #close(): void {
    if (this.#id === -1) return;
    pipeClose(this.#id);
    this.#id = -1;
    this.#chunks = [];
    this.#waiting = 0;
  }

  ref(): void {
    if (this.#id !== -1) pipeSetRef(this.#id, true);
  }

  unref(): void {
    if (this.#id !== -1) pipeSetRef(this.#id, false);
  }

  _getFd(): number {
    return this.#id === -1 ? -1 : pipeFd(this.#id);
  }

  get [Symbol.toStringTag](): string {
    return "FileSink";
  }
}

/** Writes all that a stream says to `sink`, then ends it. */
export async function pump(stream: BytesStream, sink: FileSink): Promise<void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const written = sink.write(value);
      if (typeof written !== "number") await written;
    }
  } finally {
    sink.end();
  }
}

export { FileSink };
