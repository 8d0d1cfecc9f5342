/**
 * Readable streams inside: the stream, the default reader and the default controller of
 * https://streams.spec.whatwg.org/#rs-model. Byte streams are in byte_core.ts, the public classes in
 * readable.ts.
 */
import type { ByteControllerImpl } from "internal/streams/webstreams/byte_core";
import type { ReadableStream } from "internal/streams/webstreams/readable";
import {
  type Algorithm,
  type SizeAlgorithm,
  Deferred,
  RequestQueue,
  SizedQueue,
  callForPromise,
  deferred,
  handledRejection,
  markHandled,
  react,
  reactToResult,
  reactToStart,
  rejectedWith,
  resolvedWith,
  stateError,
} from "internal/streams/webstreams/core";

// States of a stream.
export const READABLE = 0;
export const CLOSED = 1;
export const ERRORED = 2;

/** What a reader wants done with what it reads. */
export interface ReadRequest {
  chunk(value: unknown): void;
  /** `value` is the emptied view of a BYOB read, or undefined. */
  close(value?: unknown): void;
  error(reason: unknown): void;
}

export class ReadableImpl {
  state = READABLE;
  storedError: unknown = undefined;
  reader: ReaderImpl | undefined = undefined;
  controller: DefaultControllerImpl | ByteControllerImpl = undefined as unknown as DefaultControllerImpl;
  disturbed = false;
  /** The public object, if there is one. */
  shell: ReadableStream | undefined = undefined;
  /** For stream.finished(): settles when the stream closes or fails; made when asked for. */
  finished: Deferred | undefined = undefined;

  get finishedPromise(): Deferred {
    let result = this.finished;
    if (result === undefined) {
      result = this.finished = deferred();
      markHandled(result!.promise);
      if (this.state === CLOSED) result!.resolve(undefined);
      else if (this.state === ERRORED) result!.reject(this.storedError);
    }
    return result!;
  }
}

/** The standard's ReadableStreamClose. */
export function closeReadable(stream: ReadableImpl): void {
  stream.state = CLOSED;
  stream.finished?.resolve(undefined);
  const { reader } = stream;
  if (reader === undefined) return;
  reader.closed?.resolve(undefined);
  if (!reader.byob) for (const request of reader.requests.take()) request.close();
}

/** The standard's ReadableStreamError. */
export function errorReadable(stream: ReadableImpl, reason: unknown): void {
  stream.state = ERRORED;
  stream.storedError = reason;
  stream.finished?.reject(reason);
  const { reader } = stream;
  if (reader === undefined) return;
  if (reader.closed !== undefined) {
    reader.closed.reject(reason);
    markHandled(reader.closed.promise);
  }
  reader.failRequests(reason);
}

/** The standard's ReadableStreamCancel. */
export function cancelReadable(stream: ReadableImpl, reason: unknown): Promise<void> {
  stream.disturbed = true;
  if (stream.state === CLOSED) return resolvedWith(undefined);
  if (stream.state === ERRORED) return rejectedWith(stream.storedError);
  closeReadable(stream);
  const { reader } = stream;
  if (reader !== undefined && reader.byob) for (const request of reader.requests.take()) request.close(undefined);
  return react(stream.controller.cancelSteps(reason), toUndefined);
}

function toUndefined(): void {}

/** What the two kinds of readers have in common. */
export class ReaderImpl {
  stream: ReadableImpl | undefined;
  requests = new RequestQueue<ReadRequest>();
  /** The `closed` promise, made when asked for. */
  closed: Deferred | undefined = undefined;
  declare byob: boolean;

  constructor(stream: ReadableImpl) {
    this.stream = stream;
    stream.reader = this;
  }

  get closedPromise(): Promise<void> {
    if (this.closed === undefined) {
      const closed = (this.closed = deferred());
      const { stream } = this;
      if (stream === undefined) closed.reject(stateError("Reader released"));
      else if (stream.state === CLOSED) closed.resolve(undefined);
      else if (stream.state === ERRORED) closed.reject(stream.storedError);
      if (stream === undefined || stream.state === ERRORED) markHandled(closed.promise);
    }
    return this.closed!.promise;
  }

  cancel(reason: unknown): Promise<void> {
    if (this.stream === undefined) return rejectedWith(stateError("The reader is not attached to a stream"));
    return cancelReadable(this.stream, reason);
  }

  failRequests(reason: unknown): void {
    for (const request of this.requests.take()) request.error(reason);
  }

  /** releaseLock(): pending reads fail. */
  release(): void {
    const { stream } = this;
    if (stream === undefined) return;
    if (this.closed !== undefined) {
      const reason = stateError("Reader released");
      if (stream.state === READABLE) {
        this.closed.reject(reason);
        markHandled(this.closed.promise);
      } else {
        this.closed = { promise: handledRejection(reason), resolve: toUndefined, reject: toUndefined };
      }
    }
    stream.controller.releaseSteps();
    stream.reader = undefined;
    this.stream = undefined;
    if (this.requests.length > 0) this.failRequests(stateError("Reader released"));
  }
}

export class DefaultReaderImpl extends ReaderImpl {
  /** The standard's ReadableStreamDefaultReaderRead. The reader must have its stream. */
  read(request: ReadRequest): void {
    const stream = this.stream!;
    stream.disturbed = true;
    if (stream.state === READABLE) stream.controller.pullSteps(request);
    else if (stream.state === CLOSED) request.close();
    else request.error(stream.storedError);
  }
}
DefaultReaderImpl.prototype.byob = false;

/** The standard's AcquireReadableStreamDefaultReader. Throws if the stream is locked. */
export function acquireReader(stream: ReadableImpl): DefaultReaderImpl {
  if (stream.reader !== undefined) throw stateError("ReadableStream is locked");
  return new DefaultReaderImpl(stream);
}

/**
 * Called with the controller as the public object, or the internal one where `api` is not given. The source
 * may be anything: the functions are given apart and called on it.
 */
export interface SourceFunctions {
  start?: Algorithm;
  pull?: Algorithm;
  cancel?: Algorithm;
}

export class DefaultControllerImpl {
  stream: ReadableImpl;
  queue = new SizedQueue();
  highWaterMark: number;
  /** undefined: each chunk counts 1. */
  size: SizeAlgorithm | undefined;
  source: unknown;
  pull: Algorithm | undefined;
  cancel: Algorithm | undefined;
  /** What `start` and `pull` get. */
  api: unknown = this;
  /** The public object, if there is one. */
  shell: unknown = undefined;
  started = false;
  closeRequested = false;
  pulling = false;
  pullAgain = false;
  // The reactions to pull(), made once.
  pulled: (() => void) | undefined = undefined;
  pullFailed: ((reason: unknown) => void) | undefined = undefined;

  constructor(
    stream: ReadableImpl,
    source: unknown,
    functions: SourceFunctions,
    highWaterMark: number,
    size: SizeAlgorithm | undefined,
  ) {
    this.stream = stream;
    this.source = source;
    this.pull = functions.pull;
    this.cancel = functions.cancel;
    this.highWaterMark = highWaterMark;
    this.size = size;
    stream.controller = this;
  }

  /** Calls `start`; the constructor of the stream throws what it throws. */
  start(start: Algorithm | undefined): void {
    const result = start === undefined ? undefined : start.call(this.source, this.api);
    reactToStart(result, this);
  }

  onStarted(): void {
    this.started = true;
    this.pullIfNeeded();
  }

  onStartFailed(reason: unknown): void {
    this.error(reason);
  }

  get canCloseOrEnqueue(): boolean {
    return !this.closeRequested && this.stream.state === READABLE;
  }

  get desiredSize(): number | null {
    const { state } = this.stream;
    if (state === ERRORED) return null;
    return state === CLOSED ? 0 : this.highWaterMark - this.queue.total;
  }

  /** Chunks are wanted now. */
  get wantsMore(): boolean {
    if (this.closeRequested || !this.started || this.stream.state !== READABLE) return false;
    const { reader } = this.stream;
    if (reader !== undefined && reader.requests.length > 0) return true;
    return this.highWaterMark - this.queue.total > 0;
  }

  pullIfNeeded(): void {
    // Without a pull there is nothing to observe of all this.
    if (this.pull === undefined || !this.wantsMore) return;
    if (this.pulling) {
      this.pullAgain = true;
      return;
    }
    this.pulling = true;
    if (this.pulled === undefined) {
      this.pulled = () => {
        this.pulling = false;
        if (this.pullAgain) {
          this.pullAgain = false;
          this.pullIfNeeded();
        }
      };
      this.pullFailed = (reason) => {
        this.error(reason);
      };
    }
    let result: unknown;
    try {
      result = this.pull.call(this.source, this.api);
    } catch (error) {
      result = rejectedWith(error);
    }
    reactToResult(result, this.pulled, this.pullFailed!);
  }

  clearAlgorithms(): void {
    this.pull = undefined;
    this.cancel = undefined;
    this.size = undefined;
    this.source = undefined;
  }

  close(): void {
    if (!this.canCloseOrEnqueue) return;
    this.closeRequested = true;
    if (this.queue.length === 0) {
      this.clearAlgorithms();
      closeReadable(this.stream);
    }
  }

  enqueue(chunk: unknown): void {
    const { stream } = this;
    if (this.closeRequested || stream.state !== READABLE) return;
    const { reader } = stream;
    if (reader !== undefined && reader.requests.length > 0) {
      reader.requests.shift().chunk(chunk);
    } else {
      try {
        const { size } = this;
        this.queue.pushSized(chunk, size === undefined ? 1 : +size(chunk));
      } catch (error) {
        this.error(error);
        throw error;
      }
    }
    this.pullIfNeeded();
  }

  error(reason: unknown): void {
    if (this.stream.state !== READABLE) return;
    this.queue.reset();
    this.clearAlgorithms();
    errorReadable(this.stream, reason);
  }

  pullSteps(request: ReadRequest): void {
    if (this.queue.length > 0) {
      request.chunk(this.takeChunk());
    } else {
      this.stream.reader!.requests.push(request);
      this.pullIfNeeded();
    }
  }

  /** The next chunk of the queue, which must have one; closes or pulls as that makes room. */
  takeChunk(): unknown {
    const chunk = this.queue.shiftSized();
    if (this.closeRequested && this.queue.length === 0) {
      this.clearAlgorithms();
      closeReadable(this.stream);
    } else {
      this.pullIfNeeded();
    }
    return chunk;
  }

  cancelSteps(reason: unknown): Promise<unknown> {
    this.queue.reset();
    const { cancel, source } = this;
    this.clearAlgorithms();
    return callForPromise(cancel, source, reason);
  }

  releaseSteps(): void {}
}

/** A stream that is no byte stream. */
export type DefaultStreamImpl = ReadableImpl & { controller: DefaultControllerImpl };

/**
 * A stream for bao's own use: CreateReadableStream of the standard. The functions are called on `source`
 * and get the internal controller.
 */
export function createReadable<S extends SourceFunctions>(
  source: S,
  highWaterMark = 1,
  size?: SizeAlgorithm,
): DefaultStreamImpl {
  const stream = new ReadableImpl();
  new DefaultControllerImpl(stream, source, source, highWaterMark, size).start(source.start);
  return stream as DefaultStreamImpl;
}
