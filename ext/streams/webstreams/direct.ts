/**
 * Bun's direct streams: `new ReadableStream({ type: "direct", pull(controller) { controller.write(chunk) } })`.
 * pull() is called once, when somebody wants data, and writes all of it; there is no queue to mind. When it is
 * through (or its promise is fulfilled) the stream ends. https://bun.com/docs/api/streams#direct-readablestream
 */
import { utf8Bytes } from "internal/buffer/codecs";
import { codes } from "internal/core/errors";
import {
  DefaultControllerImpl,
  READABLE,
  ReadableImpl,
  type SourceFunctions,
} from "internal/streams/webstreams/readable_core";

const { enqueueMicrotask } = native("loop");

function joined(parts: Uint8Array[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += part.byteLength;
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.byteLength;
  }
  return all;
}

/** What pull() of a direct stream gets. */
class DirectController {
  #impl: DefaultControllerImpl;
  #unflushed = 0;
  /** What is written in one go reaches the reader as one chunk. */
  #written: Uint8Array[] = [];

  constructor(impl: DefaultControllerImpl) {
    this.#impl = impl;
  }

  /** Writes a copy of `chunk` (a string, which becomes UTF-8, or bytes); returns its size in bytes. */
  write(chunk: unknown): number {
    const impl = this.#impl;
    if (!impl.canCloseOrEnqueue) return 0;
    if (typeof chunk !== "string" && !ArrayBuffer.isView(chunk) && !(chunk instanceof ArrayBuffer)) {
      throw new codes.ERR_INVALID_ARG_TYPE("chunk", ["string", "ArrayBuffer", "TypedArray", "DataView"], chunk);
    }
    const bytes =
      typeof chunk === "string"
        ? utf8Bytes(chunk)
        : chunk instanceof ArrayBuffer
          ? new Uint8Array(chunk.slice(0))
          : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength).slice();
    const size = bytes.byteLength;
    if (size === 0) return 0;
    this.#unflushed += size;
    if (this.#written.push(bytes) === 1) enqueueMicrotask(() => this.#deliver());
    return size;
  }

  #deliver(): void {
    const written = this.#written;
    if (written.length === 0) return;
    this.#written = [];
    if (!this.#impl.canCloseOrEnqueue) return;
    this.#impl.enqueue(written.length === 1 ? written[0] : joined(written));
  }

  /** Gives the reader what is written; returns how many bytes that were since the last flush. */
  flush(): number {
    this.#deliver();
    const count = this.#unflushed;
    this.#unflushed = 0;
    return count;
  }

  /** Ends the stream. */
  end(): void {
    this.#deliver();
    this.#impl.close();
  }

  /** Ends the stream, with an error if one is given. */
  close(error?: unknown): void {
    if (error !== undefined) return this.error(error);
    this.#deliver();
    this.#impl.close();
  }

  error(error: unknown): void {
    this.#written = [];
    this.#impl.error(error);
  }

  get desiredSize(): number | null {
    return this.#impl.desiredSize;
  }
}

/**
 * Sets `stream` up as a direct stream. Its `direct` property keeps the source, so that a server or a sink can
 * hand pull() a controller of its own and pass the stream by.
 */
export function setUpDirect(
  stream: ReadableImpl,
  source: unknown,
  functions: SourceFunctions,
  highWaterMark: number,
): void {
  if (functions.pull === undefined) throw new codes.ERR_INVALID_ARG_TYPE("source.pull", "Function", undefined);
  (stream as { direct?: unknown }).direct = source;
  let called = false;

  const controller = new DefaultControllerImpl(
    stream,
    source,
    {
      async pull() {
        if (called) return;
        called = true;
        await functions.pull!.call(source, direct);
        if (stream.state === READABLE) direct.end();
      },
      cancel: functions.cancel,
    },
    highWaterMark,
    undefined,
  );
  const direct = new DirectController(controller);
  controller.start(functions.start === undefined ? undefined : () => functions.start!.call(source, direct));
}
