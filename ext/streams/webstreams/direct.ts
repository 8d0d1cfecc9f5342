/**
 * Bun's direct streams: `new ReadableStream({ type: "direct", pull(controller) { controller.write(chunk) } })`.
 * pull() is called once, when somebody wants data, and writes all of it; there is no queue to mind. When it is
 * through (or its promise is fulfilled) the stream ends. https://bun.com/docs/api/streams#direct-readablestream
 */
import { codes } from "internal/core/errors";
import {
  DefaultControllerImpl,
  READABLE,
  ReadableImpl,
  type SourceFunctions,
} from "internal/streams/webstreams/readable_core";

/** What pull() of a direct stream gets. */
class DirectController {
  #impl: DefaultControllerImpl;
  #unflushed = 0;

  constructor(impl: DefaultControllerImpl) {
    this.#impl = impl;
  }

  /** Gives `chunk` (a string, or bytes) to the reader as it is; returns its size. */
  write(chunk: unknown): number {
    const impl = this.#impl;
    if (!impl.canCloseOrEnqueue) return 0;
    if (typeof chunk !== "string" && !ArrayBuffer.isView(chunk) && !(chunk instanceof ArrayBuffer)) {
      throw new codes.ERR_INVALID_ARG_TYPE("chunk", ["string", "ArrayBuffer", "TypedArray", "DataView"], chunk);
    }
    const size = typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.byteLength;
    if (size === 0) return 0;
    this.#unflushed += size;
    impl.enqueue(chunk);
    return size;
  }

  /** Everything written is with the reader already; returns how many bytes that were since the last flush. */
  flush(): number {
    const count = this.#unflushed;
    this.#unflushed = 0;
    return count;
  }

  /** Ends the stream. */
  end(): void {
    this.#impl.close();
  }

  /** Ends the stream, with an error if one is given. */
  close(error?: unknown): void {
    if (error !== undefined) this.#impl.error(error);
    else this.#impl.close();
  }

  error(error: unknown): void {
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
        if (stream.state === READABLE) controller.close();
      },
      cancel: functions.cancel,
    },
    highWaterMark,
    undefined,
  );
  const direct = new DirectController(controller);
  controller.start(functions.start === undefined ? undefined : () => functions.start!.call(source, direct));
}
