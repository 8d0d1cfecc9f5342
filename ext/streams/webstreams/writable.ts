/** The public classes of writable streams: https://streams.spec.whatwg.org/#ws */
import { codes } from "internal/core/errors";
import {
  defineInterface,
  highWaterMarkOf,
  kControllerErrorFunction,
  type Internal,
  kInternal,
  kIsClosedPromise,
  kIsErrored,
  kIsWritable,
  rejectedWith,
  stateError,
  thisError,
  toCallback,
  toStrategy,
} from "internal/streams/webstreams/core";
import {
  ERRORED,
  ERRORING,
  WRITABLE,
  WritableControllerImpl,
  WritableImpl,
  WriterImpl,
  abortWritable,
  acquireWriter,
  closeWritable,
} from "internal/streams/webstreams/writable_core";

const stateNames = ["writable", "closed", "erroring", "errored"];

let streamOf: (stream: WritableStream) => WritableImpl;
let isStream: (value: unknown) => value is WritableStream;
let isWriter: (value: unknown) => value is WritableStreamDefaultWriter;
let writerOf: (writer: WritableStreamDefaultWriter) => WriterImpl;
let isController: (value: unknown) => value is WritableStreamDefaultController;

/** A sink's members, read in the order of the standard. */
function toSink(value: { [member: string]: unknown } | undefined) {
  if (value === undefined) return {};
  if (value === null || (typeof value !== "object" && typeof value !== "function")) {
    throw new codes.ERR_INVALID_ARG_TYPE("sink", "Object", value);
  }
  const abort = toCallback(value.abort, "sink.abort");
  const close = toCallback(value.close, "sink.close");
  const start = toCallback(value.start, "sink.start");
  const { type } = value;
  const write = toCallback(value.write, "sink.write");
  // Reserved for the future.
  if (type !== undefined) throw new codes.ERR_INVALID_ARG_VALUE.RangeError("type", type);
  return { abort, close, start, write };
}

class WritableStream {
  #impl!: WritableImpl;

  static {
    streamOf = (stream) => stream.#impl;
    isStream = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  constructor(underlyingSink: unknown = undefined, queuingStrategy: unknown = undefined) {
    if (underlyingSink === kInternal) {
      this.#impl = queuingStrategy as WritableImpl;
      (queuingStrategy as WritableImpl).shell = this;
      return;
    }
    const strategy = toStrategy(queuingStrategy);
    const sink = toSink(underlyingSink as { [member: string]: unknown } | undefined);
    const impl = (this.#impl = new WritableImpl());
    impl.shell = this;
    const controller = new WritableControllerImpl(
      impl,
      underlyingSink,
      sink,
      highWaterMarkOf(strategy, 1),
      strategy.size,
    );
    controller.api = new (WritableStreamDefaultController as unknown as Internal<WritableStreamDefaultController>)(
      kInternal,
      controller,
    );
    controller.start(sink.start);
  }

  get locked(): boolean {
    if (!isStream(this)) throw thisError("WritableStream");
    return this.#impl.writer !== undefined;
  }

  abort(reason: unknown = undefined): Promise<void> {
    if (!isStream(this)) return rejectedWith(thisError("WritableStream"));
    if (this.#impl.writer !== undefined) return rejectedWith(stateError("WritableStream is locked"));
    return abortWritable(this.#impl, reason);
  }

  close(): Promise<void> {
    if (!isStream(this)) return rejectedWith(thisError("WritableStream"));
    if (this.#impl.writer !== undefined) return rejectedWith(stateError("WritableStream is locked"));
    if (this.#impl.closeQueuedOrInFlight) return rejectedWith(stateError("Failure closing WritableStream"));
    return closeWritable(this.#impl);
  }

  getWriter(): WritableStreamDefaultWriter {
    if (!isStream(this)) throw thisError("WritableStream");
    return new (WritableStreamDefaultWriter as unknown as Internal<WritableStreamDefaultWriter>)(
      kInternal,
      acquireWriter(this.#impl),
    );
  }

  // For node:stream.
  get [kIsErrored](): boolean {
    return this.#impl.state === ERRORED || this.#impl.state === ERRORING;
  }

  get [kIsWritable](): boolean {
    return this.#impl.state === WRITABLE;
  }

  get [kIsClosedPromise](): unknown {
    return this.#impl.finishedPromise;
  }

  [kControllerErrorFunction](error: unknown): void {
    this.#impl.controller.errorIfNeeded(error);
  }
}
defineInterface(WritableStream, "WritableStream", ["locked", "abort", "close", "getWriter"], (stream) => ({
  locked: stream.locked,
  state: stateNames[streamOf(stream).state],
}));

class WritableStreamDefaultWriter {
  #impl!: WriterImpl;

  static {
    writerOf = (writer) => writer.#impl;
    isWriter = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  constructor(stream: unknown) {
    if (stream === kInternal) this.#impl = arguments[1];
    else if (!isStream(stream)) throw new codes.ERR_INVALID_ARG_TYPE("stream", "WritableStream", stream);
    else this.#impl = acquireWriter(streamOf(stream));
  }

  get closed(): Promise<void> {
    if (!isWriter(this)) return rejectedWith(thisError("WritableStreamDefaultWriter"));
    return this.#impl.closedPromise;
  }

  get desiredSize(): number | null {
    if (!isWriter(this)) throw thisError("WritableStreamDefaultWriter");
    if (this.#impl.stream === undefined) throw stateError("Writer is not bound to a WritableStream");
    return this.#impl.desiredSize;
  }

  get ready(): Promise<void> {
    if (!isWriter(this)) return rejectedWith(thisError("WritableStreamDefaultWriter"));
    return this.#impl.readyPromise;
  }

  abort(reason: unknown = undefined): Promise<void> {
    if (!isWriter(this)) return rejectedWith(thisError("WritableStreamDefaultWriter"));
    const { stream } = this.#impl;
    if (stream === undefined) return rejectedWith(stateError("Writer is not bound to a WritableStream"));
    return abortWritable(stream, reason);
  }

  close(): Promise<void> {
    if (!isWriter(this)) return rejectedWith(thisError("WritableStreamDefaultWriter"));
    const { stream } = this.#impl;
    if (stream === undefined) return rejectedWith(stateError("Writer is not bound to a WritableStream"));
    if (stream.closeQueuedOrInFlight) return rejectedWith(stateError("Failure to close WritableStream"));
    return closeWritable(stream);
  }

  releaseLock(): void {
    if (!isWriter(this)) throw thisError("WritableStreamDefaultWriter");
    this.#impl.release();
  }

  write(chunk: unknown = undefined): Promise<void> {
    if (!isWriter(this)) return rejectedWith(thisError("WritableStreamDefaultWriter"));
    if (this.#impl.stream === undefined) return rejectedWith(stateError("Writer is not bound to a WritableStream"));
    return this.#impl.write(chunk);
  }
}
defineInterface(
  WritableStreamDefaultWriter,
  "WritableStreamDefaultWriter",
  ["closed", "desiredSize", "ready", "abort", "close", "releaseLock", "write"],
  (writer) => ({
    stream: writerOf(writer).stream?.shell,
    close: writerOf(writer).closedPromise,
    ready: writerOf(writer).readyPromise,
    desiredSize: writerOf(writer).stream === undefined ? null : writerOf(writer).desiredSize,
  }),
);

class WritableStreamDefaultController {
  #impl: WritableControllerImpl;

  static {
    isController = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  constructor() {
    if (arguments[0] !== kInternal) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#impl = arguments[1];
    this.#impl.shell = this;
  }

  get signal(): AbortSignal {
    if (!isController(this)) throw thisError("WritableStreamDefaultController");
    return this.#impl.signal;
  }

  error(error: unknown = undefined): void {
    if (!isController(this)) throw thisError("WritableStreamDefaultController");
    this.#impl.errorIfNeeded(error);
  }
}
defineInterface(
  WritableStreamDefaultController,
  "WritableStreamDefaultController",
  ["signal", "error"],
  (controller) => ({ signal: controller.signal }),
);

/** The public object of an internal stream; made on first use. */
function wrapWritable(impl: WritableImpl): WritableStream {
  return impl.shell ?? new WritableStream(kInternal, impl);
}

/** Whether `value` is a WritableStream of this realm. */
function isWritableStream(value: unknown): value is WritableStream {
  return isStream(value);
}

/** The internal stream behind a WritableStream. */
function writableOf(stream: unknown): WritableImpl {
  return streamOf(stream as WritableStream);
}

export {
  WritableStream,
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
  isWritableStream,
  wrapWritable,
  writableOf,
};
