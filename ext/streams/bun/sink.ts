// FileSink: what BunFile.writer() gives (https://bun.com/docs/runtime/file-io#incremental-writing-with-filesink). What is
// written is collected until there is enough of it, until flush() or end(), or until the turn of the loop is over.
import { own } from "internal/events/async_context";
import { invalidType } from "bun/util";
import { utf8Bytes } from "internal/buffer/codecs";
import { bytesOf } from "bun/util";

const fs = native("fs");
const O_WRONLY = 1;
const O_CREAT = 0o100;
const DEFAULT_HIGH_WATER_MARK = 64 * 1024;

export class FileSink {
  #target: string | number;
  #fd = -1;
  #highWaterMark = DEFAULT_HIGH_WATER_MARK;
  #chunks: (string | Uint8Array)[] = [];
  #pending = 0;
  /** Bytes that neither flush() nor end() has told of yet. */
  #untold = 0;
  #ended = false;
  /** The turn's end will write what is left. */
  #scheduled = false;
  /** Why that failed, for flush() or end() to throw. */
  #failure: { error: unknown } | undefined = undefined;

  constructor(target: string | number, options?: unknown) {
    this.#target = target;
    this.start(options as { highWaterMark?: unknown } | null | undefined);
    this.#open();
    own(this as FileSink, (sink) => sink.#abandon());
  }

  /** Closes the file; what was not written is dropped. */
  #abandon(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#chunks = [];
    this.#pending = 0;
    if (this.#fd !== this.#target) fs.closeSync(this.#fd);
  }

  #open(): void {
    this.#fd = typeof this.#target === "number" ? this.#target : fs.openSync(this.#target, O_WRONLY | O_CREAT, 0o664);
  }

  /** Sets `highWaterMark`, the number of bytes that are collected before they are written. */
  start(options?: { highWaterMark?: unknown } | null): void {
    const mark = options?.highWaterMark;
    if (typeof mark === "number" && mark > 0) this.#highWaterMark = mark;
  }

  /** Takes a string, buffer or view; the number of its bytes, or true after the end, when nothing is written. */
  write(chunk: unknown): number | boolean {
    if (this.#ended) return true;
    const data = typeof chunk === "string" ? utf8Bytes(chunk) : bytesOf(chunk)?.slice();
    if (data === undefined) throw invalidType("write() expects a string, ArrayBufferView, or ArrayBuffer");
    if (data.byteLength > 0) this.#chunks.push(data);
    this.#pending += data.byteLength;
    this.#untold += data.byteLength;
    if (this.#pending >= this.#highWaterMark) this.#writeOut();
    else if (!this.#scheduled) this.#schedule();
    return data.byteLength;
  }

  #schedule(): void {
    this.#scheduled = true;
    // Behind the microtasks and ticks of this turn.
    queueMicrotask(() => process.nextTick(() => this.#turnEnded()));
  }

  #turnEnded(): void {
    this.#scheduled = false;
    if (this.#ended || this.#pending === 0) return;
    try {
      this.#writeOut();
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#untold = 0;
  }

  #checkFailure(): void {
    const failure = this.#failure;
    if (failure === undefined) return;
    this.#failure = undefined;
    throw failure.error;
  }

  #writeOut(): void {
    const count = this.#pending;
    if (count === 0) return;
    const chunks = this.#chunks as Uint8Array[];
    this.#chunks = [];
    this.#pending = 0;
    const all = chunks.length === 1 ? chunks[0]! : new Uint8Array(count);
    if (chunks.length > 1) {
      let at = 0;
      for (const chunk of chunks) {
        all.set(chunk, at);
        at += chunk.byteLength;
      }
    }
    fs.writeAllSync(this.#fd, all, false);
  }

  #told(): number {
    const count = this.#untold;
    this.#untold = 0;
    return count;
  }

  /** Writes what has been collected; the number of bytes that have been taken since the last flush(). */
  flush(): number | boolean | Promise<number> {
    if (this.#ended) return true;
    this.#checkFailure();
    this.#writeOut();
    return this.#told();
  }

  /** Writes the rest and closes the file; the number of bytes that have been taken since the last flush(). */
  end(_error?: unknown): number | Promise<number> {
    if (this.#ended) return 0;
    this.#ended = true;
    try {
      this.#checkFailure();
      this.#writeOut();
    } finally {
      if (this.#fd !== this.#target) fs.closeSync(this.#fd);
    }
    return this.#told();
  }

  close(): void {
    this.end();
  }

  /** Nothing of a file keeps the process alive. */
  ref(): void {}
  unref(): void {}

  _getFd(): number {
    return this.#fd;
  }
}
Object.defineProperty(FileSink.prototype, Symbol.toStringTag, { value: "FileSink", configurable: true });
