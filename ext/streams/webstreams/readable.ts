/** The public classes of readable streams: https://streams.spec.whatwg.org/#rs */
import { bindContext } from "internal/events/async_context";
import { codes } from "internal/core/errors";
import type { MaybeIterable } from "internal/streams/webstreams/iterate";
import {
  defineInterface,
  highWaterMarkOf,
  isDetached,
  kControllerErrorFunction,
  type Internal,
  kInternal,
  kIsClosedPromise,
  kIsDisturbed,
  kIsErrored,
  kIsReadable,
  markHandled,
  rejectedWith,
  resolvedWith,
  stateError,
  thisError,
  type Algorithm,
  toCallback,
  toDictionary,
  toStrategy,
  toUint64,
} from "internal/streams/webstreams/core";
import {
  DefaultControllerImpl,
  DefaultReaderImpl,
  ERRORED,
  READABLE,
  ReadRequest,
  ReadableImpl,
  acquireReader,
  cancelReadable,
} from "internal/streams/webstreams/readable_core";
import {
  ByobReaderImpl,
  ByobRequestImpl,
  ByteControllerImpl,
  acquireByobReader,
} from "internal/streams/webstreams/byte_core";

const { newPromise, resolvePromise, rejectPromise } = native("loop");

const stateNames = ["readable", "closed", "errored"];

// The way from public objects to internal ones, filled in by the classes.
let streamOf: (stream: ReadableStream) => ReadableImpl;
let isStream: (value: unknown) => value is ReadableStream;
let readerOf: (reader: ReadableStreamDefaultReader) => DefaultReaderImpl;
let isReader: (value: unknown) => value is ReadableStreamDefaultReader;

const inContext = (callback: Algorithm | undefined) => callback && bindContext(callback);

/** A source's members, read in the order of the standard. */
function toSource(value: { [member: string]: unknown } | undefined) {
  if (value === undefined) return undefined;
  if (value === null || (typeof value !== "object" && typeof value !== "function")) {
    throw new codes.ERR_INVALID_ARG_TYPE("source", "Object", value);
  }
  let { autoAllocateChunkSize } = value as { autoAllocateChunkSize: number | undefined };
  if (autoAllocateChunkSize !== undefined) {
    autoAllocateChunkSize = toUint64(autoAllocateChunkSize, "source.autoAllocateChunkSize");
  }
  // They run in the context of the constructor, as in Bun.
  const cancel = inContext(toCallback(value.cancel, "source.cancel"));
  const pull = inContext(toCallback(value.pull, "source.pull"));
  const start = toCallback(value.start, "source.start");
  let { type } = value;
  if (type !== undefined) {
    type = `${type}`;
    if (type !== "bytes" && type !== "direct") throw new codes.ERR_INVALID_ARG_VALUE("source.type", type);
  }
  return { autoAllocateChunkSize, cancel, pull, start, type };
}

class ReadableStream {
  #impl!: ReadableImpl;

  static {
    streamOf = (stream) => stream.#impl;
    isStream = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  /** Beside the standard's types, Bun's "direct" (internal/webstreams/direct.ts). */
  constructor(underlyingSource: unknown = undefined, queuingStrategy: unknown = undefined) {
    if (underlyingSource === kInternal) {
      this.#impl = queuingStrategy as ReadableImpl;
      (queuingStrategy as ReadableImpl).shell = this;
      return;
    }
    const strategy = toStrategy(queuingStrategy);
    const source = toSource(underlyingSource as { [member: string]: unknown } | undefined);
    const impl = (this.#impl = new ReadableImpl());
    impl.shell = this;

    if (source?.type === "bytes") {
      if (strategy.size !== undefined) {
        throw new codes.ERR_INVALID_ARG_VALUE.RangeError("strategy.size", strategy.size);
      }
      const highWaterMark = highWaterMarkOf(strategy, 0);
      if (source.autoAllocateChunkSize === 0) {
        throw new codes.ERR_INVALID_ARG_VALUE("source.autoAllocateChunkSize", source.autoAllocateChunkSize);
      }
      const controller = new ByteControllerImpl(
        impl,
        underlyingSource,
        source,
        highWaterMark,
        source.autoAllocateChunkSize,
      );
      controller.api = new (ReadableByteStreamController as unknown as Internal<ReadableByteStreamController>)(
        kInternal,
        controller,
      );
      controller.start(source.start);
    } else if (source?.type === "direct") {
      require("internal/streams/webstreams/direct").setUpDirect(
        impl,
        underlyingSource,
        source,
        highWaterMarkOf(strategy, 0),
      );
    } else {
      const controller = new DefaultControllerImpl(
        impl,
        underlyingSource,
        source ?? {},
        highWaterMarkOf(strategy, 1),
        strategy.size,
      );
      controller.api = new (ReadableStreamDefaultController as unknown as Internal<ReadableStreamDefaultController>)(
        kInternal,
        controller,
      );
      controller.start(source?.start);
    }
  }

  /** A stream of what an iterable or async iterable gives. */
  static from(asyncIterable: MaybeIterable): ReadableStream {
    return wrapReadable(require("internal/streams/webstreams/iterate").fromIterable(asyncIterable));
  }

  get locked(): boolean {
    if (!isStream(this)) throw thisError("ReadableStream");
    return this.#impl.reader !== undefined;
  }

  cancel(reason: unknown = undefined): Promise<void> {
    if (!isStream(this)) return rejectedWith(thisError("ReadableStream"));
    if (this.#impl.reader !== undefined) return rejectedWith(stateError("ReadableStream is locked"));
    return cancelReadable(this.#impl, reason);
  }

  getReader(): ReadableStreamDefaultReader;
  getReader(options: unknown): ReadableStreamDefaultReader | ReadableStreamBYOBReader;
  getReader(options: unknown = undefined): unknown {
    if (!isStream(this)) throw thisError("ReadableStream");
    const mode = toDictionary(options, "options")?.mode;
    if (mode === undefined) {
      return new (ReadableStreamDefaultReader as unknown as Internal<ReadableStreamDefaultReader>)(
        kInternal,
        acquireReader(this.#impl),
      );
    }
    if (`${mode}` !== "byob") throw new codes.ERR_INVALID_ARG_VALUE("options.mode", mode);
    return new (ReadableStreamBYOBReader as unknown as Internal<ReadableStreamBYOBReader>)(
      kInternal,
      acquireByobReader(this.#impl),
    );
  }

  pipeThrough(
    transform: { readable?: unknown; writable?: unknown } | null | undefined,
    options: unknown = undefined,
  ): unknown {
    if (!isStream(this)) throw thisError("ReadableStream");
    if (transform === undefined || transform === null) {
      throw new codes.ERR_INVALID_ARG_TYPE("transform", "Object", transform);
    }
    const { readable } = transform;
    if (!isStream(readable)) throw new codes.ERR_INVALID_ARG_TYPE("transform.readable", "ReadableStream", readable);
    const { isWritableStream, writableOf } = require("internal/streams/webstreams/writable");
    const { writable } = transform;
    if (!isWritableStream(writable)) {
      throw new codes.ERR_INVALID_ARG_TYPE("transform.writable", "WritableStream", writable);
    }
    const { pipe, toPipeOptions } = require("internal/streams/webstreams/pipe");
    const pipeOptions = toPipeOptions(options);
    if (this.#impl.reader !== undefined) throw stateError("The ReadableStream is locked");
    if (writableOf(writable).writer !== undefined) throw stateError("The WritableStream is locked");
    markHandled(pipe(this.#impl, writableOf(writable), pipeOptions));
    return readable;
  }

  pipeTo(destination: unknown, options: unknown = undefined): Promise<void> {
    try {
      if (!isStream(this)) throw thisError("ReadableStream");
      const { isWritableStream, writableOf } = require("internal/streams/webstreams/writable");
      if (!isWritableStream(destination)) {
        throw new codes.ERR_INVALID_ARG_TYPE("destination", "WritableStream", destination);
      }
      const { pipe, toPipeOptions } = require("internal/streams/webstreams/pipe");
      const pipeOptions = toPipeOptions(options);
      if (this.#impl.reader !== undefined) throw stateError("The ReadableStream is locked");
      if (writableOf(destination).writer !== undefined) throw stateError("The WritableStream is locked");
      return pipe(this.#impl, writableOf(destination), pipeOptions);
    } catch (error) {
      return rejectedWith(error);
    }
  }

  tee(): [ReadableStream, ReadableStream] {
    if (!isStream(this)) throw thisError("ReadableStream");
    const [first, second] = require("internal/streams/webstreams/tee").tee(this.#impl, false);
    return [wrapReadable(first), wrapReadable(second)];
  }

  values(options: unknown = undefined) {
    if (!isStream(this)) throw thisError("ReadableStream");
    const preventCancel = Boolean(toDictionary(options, "options")?.preventCancel);
    return require("internal/streams/webstreams/iterate").createIterator(acquireReader(this.#impl), preventCancel);
  }

  // For node:stream.
  get [kIsDisturbed](): boolean {
    return this.#impl.disturbed;
  }

  get [kIsErrored](): boolean {
    return this.#impl.state === ERRORED;
  }

  get [kIsReadable](): boolean {
    return this.#impl.state === READABLE;
  }

  get [kIsClosedPromise](): unknown {
    return this.#impl.finishedPromise;
  }

  [kControllerErrorFunction](error: unknown): void {
    this.#impl.controller.error(error);
  }
}

defineInterface(
  ReadableStream,
  "ReadableStream",
  ["locked", "cancel", "getReader", "pipeThrough", "pipeTo", "tee", "values"],
  (stream) => ({
    locked: stream.locked,
    state: stateNames[streamOf(stream).state],
    supportsBYOB: streamOf(stream).controller instanceof ByteControllerImpl,
  }),
);
Object.defineProperty(ReadableStream, "from", { enumerable: true });
Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, {
  __proto__: null,
  configurable: true,
  enumerable: false,
  writable: true,
  value: ReadableStream.prototype.values,
} as PropertyDescriptor);

/** Bun's additions: the whole of the stream in one form or another. */
for (const [name, consumer] of [
  ["text", "toText"],
  ["json", "toJSON"],
  ["bytes", "toBytes"],
  ["blob", "toBlob"],
] as const) {
  Object.defineProperty(ReadableStream.prototype, name, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    writable: true,
    value: {
      [name](): Promise<unknown> {
        // Thrown and not a rejection, as in Bun.
        if (!isStream(this)) throw thisError("ReadableStream");
        if (streamOf(this).reader !== undefined) return rejectedWith(stateError("ReadableStream is locked"));
        return require("internal/streams/webstreams/consume")[consumer](this);
      },
    }[name],
  } as PropertyDescriptor);
}

/** read() as a promise. */
class PromiseRequest implements ReadRequest {
  promise = newPromise<{ value: unknown; done: boolean }>();

  chunk(value: unknown): void {
    resolvePromise(this.promise, { value, done: false });
  }

  close(value: unknown): void {
    resolvePromise(this.promise, { value, done: true });
  }

  error(reason: unknown): void {
    rejectPromise(this.promise, reason);
  }
}

/** What readMany() gives. */
interface Many {
  value: unknown[];
  size: number;
  done: boolean;
}

class ReadableStreamDefaultReader {
  #impl!: DefaultReaderImpl;

  static {
    readerOf = (reader) => reader.#impl;
    isReader = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  constructor(stream: unknown) {
    if (stream === kInternal) this.#impl = arguments[1];
    else if (!isStream(stream)) throw new codes.ERR_INVALID_ARG_TYPE("stream", "ReadableStream", stream);
    else this.#impl = acquireReader(streamOf(stream));
  }

  get closed(): Promise<void> {
    if (!isReader(this)) return rejectedWith(thisError("ReadableStreamDefaultReader"));
    return this.#impl.closedPromise;
  }

  cancel(reason: unknown = undefined): Promise<void> {
    if (!isReader(this)) return rejectedWith(thisError("ReadableStreamDefaultReader"));
    return this.#impl.cancel(reason);
  }

  read(): Promise<{ value: unknown; done: boolean }> {
    if (!isReader(this)) return rejectedWith(thisError("ReadableStreamDefaultReader"));
    const reader = this.#impl;
    const { stream } = reader;
    if (stream === undefined) return rejectedWith(stateError("The reader is not attached to a stream"));

    const { controller } = stream;
    if (stream.state === READABLE && controller instanceof DefaultControllerImpl && controller.queue.length > 0) {
      // The chunk is there: no request, no resolving functions.
      stream.disturbed = true;
      return resolvedWith({ value: controller.takeChunk(), done: false });
    }
    const request = new PromiseRequest();
    reader.read(request);
    return request.promise;
  }

  /**
   * Bun's addition: all chunks that are there, `{ value, size, done }`, with `size` 0; without any the promise of the next
   * one and those that come with it. Throws what the stream has failed with.
   */
  readMany(): Many | Promise<Many> {
    if (!isReader(this)) throw thisError("ReadableStreamDefaultReader");
    const reader = this.#impl;
    const { stream } = reader;
    if (stream === undefined) throw stateError("The reader is not attached to a stream");
    if (stream.state === ERRORED) throw stream.storedError;
    const { controller } = stream;
    const waiting = () =>
      stream.state === READABLE && controller instanceof DefaultControllerImpl && controller.queue.length > 0;
    const taken = (chunks: unknown[]) => {
      while (waiting()) chunks.push((controller as DefaultControllerImpl).takeChunk());
      return chunks;
    };
    if (!waiting()) {
      if (stream.state !== READABLE) return { value: [], size: 0, done: true };
      return this.read().then(({ value, done }) => ({ value: done ? [] : taken([value]), size: 0, done }));
    }
    stream.disturbed = true;
    return { value: taken([]), size: 0, done: false };
  }

  releaseLock(): void {
    if (!isReader(this)) throw thisError("ReadableStreamDefaultReader");
    this.#impl.release();
  }
}
defineInterface(
  ReadableStreamDefaultReader,
  "ReadableStreamDefaultReader",
  ["closed", "cancel", "read", "readMany", "releaseLock"],
  (reader) => ({
    stream: readerOf(reader).stream?.shell,
    readRequests: readerOf(reader).requests.length,
    close: readerOf(reader).closedPromise,
  }),
);

let byobReaderOf: (reader: ReadableStreamBYOBReader) => ByobReaderImpl;
let isByobReader: (value: unknown) => value is ReadableStreamBYOBReader;

class ReadableStreamBYOBReader {
  #impl!: ByobReaderImpl;

  static {
    byobReaderOf = (reader) => reader.#impl;
    isByobReader = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  constructor(stream: unknown) {
    if (stream === kInternal) this.#impl = arguments[1];
    else if (!isStream(stream)) throw new codes.ERR_INVALID_ARG_TYPE("stream", "ReadableStream", stream);
    else this.#impl = acquireByobReader(streamOf(stream));
  }

  get closed(): Promise<void> {
    if (!isByobReader(this)) return rejectedWith(thisError("ReadableStreamBYOBReader"));
    return this.#impl.closedPromise;
  }

  cancel(reason: unknown = undefined): Promise<void> {
    if (!isByobReader(this)) return rejectedWith(thisError("ReadableStreamBYOBReader"));
    return this.#impl.cancel(reason);
  }

  /** Fills `view` (whose buffer is taken over) with at least `options.min` elements, or to the end. */
  read(view: Uint8Array, options: unknown = undefined): Promise<{ value: unknown; done: boolean }> {
    try {
      if (!isByobReader(this)) throw thisError("ReadableStreamBYOBReader");
      checkView(view);
      let min = toDictionary(options, "options")?.min as number;
      min = min === undefined ? 1 : toUint64(min, "options.min");
      if (view.byteLength === 0 || view.buffer.byteLength === 0) {
        if (isDetached(view.buffer)) throw stateError("View's ArrayBuffer has been detached");
        throw stateError("View has no length");
      }
      if (min === 0) throw new codes.ERR_INVALID_ARG_VALUE("options.min", min, "must be greater than 0");
      if (min > (view instanceof DataView ? view.byteLength : view.length)) {
        throw new codes.ERR_INVALID_ARG_VALUE.RangeError("options.min", min, "is larger than the view");
      }
      const reader = this.#impl;
      if (reader.stream === undefined) throw stateError("The reader is not attached to a stream");
      const request = new PromiseRequest();
      reader.read(view, min, request);
      return request.promise;
    } catch (error) {
      return rejectedWith(error);
    }
  }

  releaseLock(): void {
    if (!isByobReader(this)) throw thisError("ReadableStreamBYOBReader");
    this.#impl.release();
  }
}
defineInterface(
  ReadableStreamBYOBReader,
  "ReadableStreamBYOBReader",
  ["closed", "cancel", "read", "releaseLock"],
  (reader) => ({
    stream: byobReaderOf(reader).stream?.shell,
    requests: byobReaderOf(reader).requests.length,
    close: byobReaderOf(reader).closedPromise,
  }),
);

/** An ArrayBufferView on memory that is not shared. */
function checkView(view: unknown): void {
  if (!ArrayBuffer.isView(view) || isShared(view.buffer)) {
    throw new codes.ERR_INVALID_ARG_TYPE("view", ["Buffer", "TypedArray", "DataView"], view);
  }
}

function isShared(buffer: ArrayBuffer | SharedArrayBuffer): boolean {
  return typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
}

let isByobRequest: (value: unknown) => value is ReadableStreamBYOBRequest;

class ReadableStreamBYOBRequest {
  #impl: ByobRequestImpl;

  static {
    isByobRequest = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  constructor() {
    if (arguments[0] !== kInternal) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#impl = arguments[1];
  }

  get view(): Uint8Array | null {
    if (!isByobRequest(this)) throw thisError("ReadableStreamBYOBRequest");
    return this.#impl.view;
  }

  respond(bytesWritten: number): void {
    if (!isByobRequest(this)) throw thisError("ReadableStreamBYOBRequest");
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("bytesWritten");
    const count = toUint64(bytesWritten, "bytesWritten");
    const { controller, view } = this.#impl;
    if (controller === undefined) throw stateError("This BYOB request has been invalidated");
    if (isDetached(view!.buffer)) throw stateError("Viewed ArrayBuffer is detached");
    controller.respond(count);
  }

  respondWithNewView(view: ArrayBufferView): void {
    if (!isByobRequest(this)) throw thisError("ReadableStreamBYOBRequest");
    checkView(view);
    const { controller } = this.#impl;
    if (controller === undefined) throw stateError("This BYOB request has been invalidated");
    if (isDetached(view.buffer)) throw stateError("Viewed ArrayBuffer is detached");
    controller.respondWithNewView(view);
  }
}
defineInterface(
  ReadableStreamBYOBRequest,
  "ReadableStreamBYOBRequest",
  ["view", "respond", "respondWithNewView"],
  (request) => ({ view: request.view }),
);

let isDefaultController: (value: unknown) => value is ReadableStreamDefaultController;

class ReadableStreamDefaultController {
  #impl: DefaultControllerImpl;

  static {
    isDefaultController = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  constructor() {
    if (arguments[0] !== kInternal) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#impl = arguments[1];
    this.#impl.shell = this;
  }

  get desiredSize(): number | null {
    if (!isDefaultController(this)) throw thisError("ReadableStreamDefaultController");
    return this.#impl.desiredSize;
  }

  close(): void {
    if (!isDefaultController(this)) throw thisError("ReadableStreamDefaultController");
    if (!this.#impl.canCloseOrEnqueue) throw stateError("Controller is already closed");
    this.#impl.close();
  }

  enqueue(chunk: unknown = undefined): void {
    if (!isDefaultController(this)) throw thisError("ReadableStreamDefaultController");
    if (!this.#impl.canCloseOrEnqueue) throw stateError("Controller is already closed");
    this.#impl.enqueue(chunk);
  }

  error(error: unknown = undefined): void {
    if (!isDefaultController(this)) throw thisError("ReadableStreamDefaultController");
    this.#impl.error(error);
  }
}
defineInterface(
  ReadableStreamDefaultController,
  "ReadableStreamDefaultController",
  ["desiredSize", "close", "enqueue", "error"],
  () => ({}),
);

let isByteController: (value: unknown) => value is ReadableByteStreamController;

class ReadableByteStreamController {
  #impl: ByteControllerImpl;

  static {
    isByteController = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  constructor() {
    if (arguments[0] !== kInternal) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#impl = arguments[1];
    this.#impl.shell = this;
  }

  get byobRequest(): ReadableStreamBYOBRequest | null {
    if (!isByteController(this)) throw thisError("ReadableByteStreamController");
    const request = this.#impl.getByobRequest();
    if (request === null) return null;
    return (request.shell ??= new (ReadableStreamBYOBRequest as unknown as Internal<ReadableStreamBYOBRequest>)(
      kInternal,
      request,
    ));
  }

  get desiredSize(): number | null {
    if (!isByteController(this)) throw thisError("ReadableByteStreamController");
    return this.#impl.desiredSize;
  }

  close(): void {
    if (!isByteController(this)) throw thisError("ReadableByteStreamController");
    if (this.#impl.closeRequested) throw stateError("Controller is already closed");
    if (this.#impl.stream.state !== READABLE) throw stateError("ReadableStream is already closed");
    this.#impl.close();
  }

  enqueue(chunk: ArrayBufferView): void {
    if (!isByteController(this)) throw thisError("ReadableByteStreamController");
    if (!ArrayBuffer.isView(chunk) || isShared(chunk.buffer)) {
      throw new codes.ERR_INVALID_ARG_TYPE("buffer", ["Buffer", "TypedArray", "DataView"], chunk);
    }
    if (chunk.byteLength === 0 || chunk.buffer.byteLength === 0) {
      throw stateError("chunk ArrayBuffer is zero-length or detached");
    }
    if (this.#impl.closeRequested) throw stateError("Controller is already closed");
    if (this.#impl.stream.state !== READABLE) throw stateError("ReadableStream is already closed");
    this.#impl.enqueue(chunk);
  }

  error(error: unknown = undefined): void {
    if (!isByteController(this)) throw thisError("ReadableByteStreamController");
    this.#impl.error(error);
  }
}
defineInterface(
  ReadableByteStreamController,
  "ReadableByteStreamController",
  ["byobRequest", "desiredSize", "close", "enqueue", "error"],
  () => ({}),
);

/** The public object of an internal stream; made on first use. */
function wrapReadable(impl: ReadableImpl): ReadableStream {
  return impl.shell ?? new ReadableStream(kInternal, impl);
}

/** Whether `value` is a ReadableStream of this realm. */
function isReadableStream(value: unknown): value is ReadableStream {
  return isStream(value);
}

/** The internal stream behind a ReadableStream. */
function readableOf(stream: unknown): ReadableImpl {
  return streamOf(stream as ReadableStream);
}

export {
  ReadableByteStreamController,
  ReadableStream,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
  isReadableStream,
  readableOf,
  wrapReadable,
};
