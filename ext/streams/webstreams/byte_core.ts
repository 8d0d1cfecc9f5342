/**
 * Byte streams inside: the byte stream controller, the BYOB reader and the BYOB request of
 * https://streams.spec.whatwg.org/#rbs-controller-class. Function names follow the standard's operations.
 */
import { codes } from "internal/core/errors";
import type { ReadableStreamBYOBRequest } from "internal/streams/webstreams/readable";
import {
  type Algorithm,
  type ViewConstructor,
  callForPromise,
  copyBytes,
  isDetached,
  reactToResult,
  reactToStart,
  rejectedWith,
  stateError,
  transferBuffer,
  viewConstructor,
} from "internal/streams/webstreams/core";
import {
  CLOSED,
  ERRORED,
  READABLE,
  ReadRequest,
  ReadableImpl,
  ReaderImpl,
  SourceFunctions,
  closeReadable,
  errorReadable,
} from "internal/streams/webstreams/readable_core";

// Kinds of readers a pull-into was made for; NO_READER: the reader has been released since.
const DEFAULT_READER = 0;
const BYOB_READER = 1;
const NO_READER = 2;

/** A buffer to be filled. Lengths and offsets are in bytes. */
interface PullInto {
  buffer: ArrayBuffer;
  bufferByteLength: number;
  byteOffset: number;
  byteLength: number;
  bytesFilled: number;
  minimumFill: number;
  elementSize: number;
  viewConstructor: ViewConstructor;
  readerKind: number;
}

interface Entry {
  buffer: ArrayBuffer;
  byteOffset: number;
  byteLength: number;
}

export class ByobReaderImpl extends ReaderImpl {
  /** The standard's ReadableStreamBYOBReaderRead; `min` counts elements of the view. */
  read(view: ArrayBufferView, min: number, request: ReadRequest): void {
    const stream = this.stream!;
    stream.disturbed = true;
    if (stream.state === ERRORED) request.error(stream.storedError);
    else (stream.controller as ByteControllerImpl).pullInto(view, min, request);
  }
}
ByobReaderImpl.prototype.byob = true;

/** The standard's AcquireReadableStreamBYOBReader. Throws if the stream is locked or no byte stream. */
export function acquireByobReader(stream: ReadableImpl): ByobReaderImpl {
  if (stream.reader !== undefined) throw stateError("ReadableStream is locked");
  if (!(stream.controller instanceof ByteControllerImpl)) {
    throw new codes.ERR_INVALID_ARG_VALUE("stream", stream.shell, "must be a byte stream");
  }
  return new ByobReaderImpl(stream);
}

/** The slots of a ReadableStreamBYOBRequest; both empty once it has been responded to. */
export class ByobRequestImpl {
  controller: ByteControllerImpl | undefined;
  view: Uint8Array | null;
  shell: ReadableStreamBYOBRequest | undefined = undefined;

  constructor(controller: ByteControllerImpl, view: Uint8Array) {
    this.controller = controller;
    this.view = view;
  }
}

export class ByteControllerImpl {
  stream: ReadableImpl;
  queue: Entry[] = [];
  /** Bytes in the queue. */
  total = 0;
  pendingPullIntos: PullInto[] = [];
  byobRequest: ByobRequestImpl | null = null;
  highWaterMark: number;
  autoAllocateChunkSize: number | undefined;
  source: unknown;
  pull: Algorithm | undefined;
  cancel: Algorithm | undefined;
  api: unknown = this;
  shell: unknown = undefined;
  started = false;
  closeRequested = false;
  pulling = false;
  pullAgain = false;
  pulled: (() => void) | undefined = undefined;
  pullFailed: ((reason: unknown) => void) | undefined = undefined;

  constructor(
    stream: ReadableImpl,
    source: unknown,
    functions: SourceFunctions,
    highWaterMark: number,
    autoAllocateChunkSize: number | undefined,
  ) {
    this.stream = stream;
    this.source = source;
    this.pull = functions.pull;
    this.cancel = functions.cancel;
    this.highWaterMark = highWaterMark;
    this.autoAllocateChunkSize = autoAllocateChunkSize;
    stream.controller = this;
  }

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
    return state === CLOSED ? 0 : this.highWaterMark - this.total;
  }

  get wantsMore(): boolean {
    if (this.closeRequested || !this.started || this.stream.state !== READABLE) return false;
    const { reader } = this.stream;
    if (reader !== undefined && reader.requests.length > 0) return true;
    return this.highWaterMark - this.total > 0;
  }

  pullIfNeeded(): void {
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
    this.source = undefined;
  }

  resetQueue(): void {
    this.queue = [];
    this.total = 0;
  }

  clearPendingPullIntos(): void {
    this.invalidateByobRequest();
    this.pendingPullIntos = [];
  }

  invalidateByobRequest(): void {
    const request = this.byobRequest;
    if (request === null) return;
    request.controller = undefined;
    request.view = null;
    this.byobRequest = null;
  }

  getByobRequest(): ByobRequestImpl | null {
    if (this.byobRequest === null && this.pendingPullIntos.length > 0) {
      const first = this.pendingPullIntos[0];
      this.byobRequest = new ByobRequestImpl(
        this,
        new Uint8Array(first.buffer, first.byteOffset + first.bytesFilled, first.byteLength - first.bytesFilled),
      );
    }
    return this.byobRequest;
  }

  close(): void {
    if (!this.canCloseOrEnqueue) return;
    if (this.total > 0) {
      this.closeRequested = true;
      return;
    }
    if (this.pendingPullIntos.length > 0) {
      const first = this.pendingPullIntos[0];
      if (first.bytesFilled % first.elementSize !== 0) {
        const error = stateError("Partial read");
        this.error(error);
        throw error;
      }
    }
    this.clearAlgorithms();
    closeReadable(this.stream);
  }

  error(reason: unknown): void {
    if (this.stream.state !== READABLE) return;
    this.clearPendingPullIntos();
    this.resetQueue();
    this.clearAlgorithms();
    errorReadable(this.stream, reason);
  }

  /** Takes over the memory of `chunk`. */
  enqueue(chunk: ArrayBufferView): void {
    if (!this.canCloseOrEnqueue) return;
    const { buffer, byteOffset, byteLength } = chunk;
    if (isDetached(buffer)) throw stateError("Destination ArrayBuffer is detached");
    const transferred = transferBuffer(buffer);

    if (this.pendingPullIntos.length > 0) {
      const first = this.pendingPullIntos[0];
      if (isDetached(first.buffer)) throw stateError("Destination ArrayBuffer is detached");
      this.invalidateByobRequest();
      first.buffer = transferBuffer(first.buffer);
      if (first.readerKind === NO_READER) this.enqueueDetachedPullInto(first);
    }

    const { reader } = this.stream;
    if (reader === undefined) {
      this.enqueueEntry(transferred, byteOffset, byteLength);
    } else if (!reader.byob) {
      this.processReadRequests(reader);
      if (reader.requests.length === 0) {
        this.enqueueEntry(transferred, byteOffset, byteLength);
      } else {
        if (this.pendingPullIntos.length > 0) this.pendingPullIntos.shift();
        reader.requests.shift().chunk(new Uint8Array(transferred, byteOffset, byteLength));
      }
    } else {
      this.enqueueEntry(transferred, byteOffset, byteLength);
      for (const pullInto of this.processPullIntos()) this.commitPullInto(pullInto);
    }
    this.pullIfNeeded();
  }

  enqueueEntry(buffer: ArrayBuffer, byteOffset: number, byteLength: number): void {
    this.queue.push({ buffer, byteOffset, byteLength });
    this.total += byteLength;
  }

  enqueueClone(buffer: ArrayBuffer, byteOffset: number, byteLength: number): void {
    let clone: ArrayBuffer;
    try {
      clone = copyBytes(buffer, byteOffset, byteLength);
    } catch (error) {
      this.error(error);
      throw error;
    }
    this.enqueueEntry(clone, 0, byteLength);
  }

  enqueueDetachedPullInto(pullInto: PullInto): void {
    if (pullInto.bytesFilled > 0) this.enqueueClone(pullInto.buffer, pullInto.byteOffset, pullInto.bytesFilled);
    this.pendingPullIntos.shift();
  }

  /** Gives the first chunk of the queue to `request`. */
  fillReadRequest(request: ReadRequest): void {
    const entry = this.queue.shift()!;
    this.total -= entry.byteLength;
    this.handleQueueDrain();
    request.chunk(new Uint8Array(entry.buffer, entry.byteOffset, entry.byteLength));
  }

  processReadRequests(reader: ReaderImpl): void {
    while (reader.requests.length > 0 && this.total > 0) this.fillReadRequest(reader.requests.shift());
  }

  handleQueueDrain(): void {
    if (this.total === 0 && this.closeRequested) {
      this.clearAlgorithms();
      closeReadable(this.stream);
    } else {
      this.pullIfNeeded();
    }
  }

  /** Copies from the queue; true when the pull-into has as much as it needs. */
  fillFromQueue(pullInto: PullInto): boolean {
    const copyLimit = Math.min(this.total, pullInto.byteLength - pullInto.bytesFilled);
    const fillLimit = pullInto.bytesFilled + copyLimit;
    const aligned = fillLimit - (fillLimit % pullInto.elementSize);
    let remaining = copyLimit;
    let ready = false;
    if (aligned >= pullInto.minimumFill) {
      remaining = aligned - pullInto.bytesFilled;
      ready = true;
    }
    while (remaining > 0) {
      const head = this.queue[0];
      const count = Math.min(remaining, head.byteLength);
      new Uint8Array(pullInto.buffer, pullInto.byteOffset + pullInto.bytesFilled, count).set(
        new Uint8Array(head.buffer, head.byteOffset, count),
      );
      if (head.byteLength === count) {
        this.queue.shift();
      } else {
        head.byteOffset += count;
        head.byteLength -= count;
      }
      this.total -= count;
      pullInto.bytesFilled += count;
      remaining -= count;
    }
    return ready;
  }

  /** Fills pull-intos while the queue lasts; gives those that are complete. */
  processPullIntos(): PullInto[] {
    const filled: PullInto[] = [];
    while (this.pendingPullIntos.length > 0 && this.total > 0) {
      const first = this.pendingPullIntos[0];
      if (this.fillFromQueue(first)) {
        this.pendingPullIntos.shift();
        filled.push(first);
      }
    }
    return filled;
  }

  commitPullInto(pullInto: PullInto): void {
    const done = this.stream.state === CLOSED;
    const view = viewOf(pullInto);
    const request = this.stream.reader!.requests.shift();
    if (done) request.close(view);
    else request.chunk(view);
  }

  /** A BYOB read. */
  pullInto(view: ArrayBufferView, min: number, request: ReadRequest): void {
    const { stream } = this;
    const elementSize = (view as Uint8Array).BYTES_PER_ELEMENT ?? 1;
    const type = viewConstructor(view);
    const { byteOffset, byteLength } = view;
    let buffer: ArrayBuffer;
    try {
      buffer = transferBuffer(view.buffer);
    } catch (error) {
      request.error(error);
      return;
    }

    const pullInto: PullInto = {
      buffer,
      bufferByteLength: buffer.byteLength,
      byteOffset,
      byteLength,
      bytesFilled: 0,
      minimumFill: min * elementSize,
      elementSize,
      viewConstructor: type,
      readerKind: BYOB_READER,
    };

    if (this.pendingPullIntos.length > 0) {
      this.pendingPullIntos.push(pullInto);
      stream.reader!.requests.push(request);
      return;
    }
    if (stream.state === CLOSED) {
      request.close(new type(buffer, byteOffset, 0));
      return;
    }
    if (this.total > 0) {
      if (this.fillFromQueue(pullInto)) {
        const filled = viewOf(pullInto);
        this.handleQueueDrain();
        request.chunk(filled);
        return;
      }
      if (this.closeRequested) {
        const error = stateError("ReadableStream closed");
        this.error(error);
        request.error(error);
        return;
      }
    }
    this.pendingPullIntos.push(pullInto);
    stream.reader!.requests.push(request);
    this.pullIfNeeded();
  }

  /** byobRequest.respond(). */
  respond(bytesWritten: number): void {
    const first = this.pendingPullIntos[0];
    if (this.stream.state === CLOSED) {
      if (bytesWritten !== 0) throw new codes.ERR_INVALID_ARG_VALUE("bytesWritten", bytesWritten);
    } else {
      if (bytesWritten === 0) throw new codes.ERR_INVALID_ARG_VALUE("bytesWritten", bytesWritten);
      if (first.bytesFilled + bytesWritten > first.byteLength) {
        throw new codes.ERR_INVALID_ARG_VALUE.RangeError("bytesWritten", bytesWritten);
      }
    }
    first.buffer = transferBuffer(first.buffer);
    this.respondInternal(bytesWritten);
  }

  /** byobRequest.respondWithNewView(). */
  respondWithNewView(view: ArrayBufferView): void {
    const first = this.pendingPullIntos[0];
    const { byteLength } = view;
    if (this.stream.state === CLOSED) {
      if (byteLength !== 0) throw new codes.ERR_INVALID_ARG_VALUE("view", view);
    } else if (byteLength === 0) {
      throw new codes.ERR_INVALID_ARG_VALUE("view", view);
    }
    if (
      first.byteOffset + first.bytesFilled !== view.byteOffset ||
      first.bufferByteLength !== view.buffer.byteLength ||
      first.bytesFilled + byteLength > first.byteLength
    ) {
      throw new codes.ERR_INVALID_ARG_VALUE.RangeError("view", view);
    }
    first.buffer = transferBuffer(view.buffer);
    this.respondInternal(byteLength);
  }

  respondInternal(bytesWritten: number): void {
    const first = this.pendingPullIntos[0];
    this.invalidateByobRequest();
    if (this.stream.state === CLOSED) this.respondInClosedState(first);
    else this.respondInReadableState(bytesWritten, first);
    this.pullIfNeeded();
  }

  respondInClosedState(first: PullInto): void {
    if (first.readerKind === NO_READER) this.pendingPullIntos.shift();
    const { reader } = this.stream;
    if (reader === undefined || !reader.byob) return;
    const filled: PullInto[] = [];
    while (filled.length < reader.requests.length) filled.push(this.pendingPullIntos.shift()!);
    for (const pullInto of filled) this.commitPullInto(pullInto);
  }

  respondInReadableState(bytesWritten: number, pullInto: PullInto): void {
    pullInto.bytesFilled += bytesWritten;
    if (pullInto.readerKind === NO_READER) {
      this.enqueueDetachedPullInto(pullInto);
      for (const filled of this.processPullIntos()) this.commitPullInto(filled);
      return;
    }
    if (pullInto.bytesFilled < pullInto.minimumFill) return;

    this.pendingPullIntos.shift();
    const rest = pullInto.bytesFilled % pullInto.elementSize;
    if (rest > 0) {
      const end = pullInto.byteOffset + pullInto.bytesFilled;
      this.enqueueClone(pullInto.buffer, end - rest, rest);
    }
    pullInto.bytesFilled -= rest;
    const filled = this.processPullIntos();
    this.commitPullInto(pullInto);
    for (const next of filled) this.commitPullInto(next);
  }

  pullSteps(request: ReadRequest): void {
    if (this.total > 0) {
      this.fillReadRequest(request);
      return;
    }
    const size = this.autoAllocateChunkSize;
    if (size !== undefined) {
      let buffer: ArrayBuffer;
      try {
        buffer = new ArrayBuffer(size);
      } catch (error) {
        request.error(error);
        return;
      }
      this.pendingPullIntos.push({
        buffer,
        bufferByteLength: size,
        byteOffset: 0,
        byteLength: size,
        bytesFilled: 0,
        minimumFill: 1,
        elementSize: 1,
        viewConstructor: Uint8Array,
        readerKind: DEFAULT_READER,
      });
    }
    this.stream.reader!.requests.push(request);
    this.pullIfNeeded();
  }

  cancelSteps(reason: unknown): Promise<unknown> {
    this.clearPendingPullIntos();
    this.resetQueue();
    const { cancel, source } = this;
    this.clearAlgorithms();
    return callForPromise(cancel, source, reason);
  }

  releaseSteps(): void {
    if (this.pendingPullIntos.length > 0) {
      const first = this.pendingPullIntos[0];
      first.readerKind = NO_READER;
      this.pendingPullIntos = [first];
    }
  }
}

/** What has been filled, as a view of the kind that was asked for, on a buffer of its own. */
function viewOf(pullInto: PullInto): ArrayBufferView {
  const Type = pullInto.viewConstructor;
  return new Type(transferBuffer(pullInto.buffer), pullInto.byteOffset, pullInto.bytesFilled / pullInto.elementSize);
}

/** A stream whose controller is that of a byte stream. */
type ByteStreamImpl = ReadableImpl & { controller: ByteControllerImpl };

/** A byte stream for bao's own use: CreateReadableByteStream of the standard. See createReadable. */
export function createReadableBytes<S extends SourceFunctions>(
  source: S,
  highWaterMark = 0,
  autoAllocateChunkSize?: number,
): ByteStreamImpl {
  const stream = new ReadableImpl();
  new ByteControllerImpl(stream, source, source, highWaterMark, autoAllocateChunkSize).start(source.start);
  return stream as ByteStreamImpl;
}

/**
 * The same for a source without start() whose chunks come when it likes: it is ready at once, where others are in the next
 * microtask, which keeps each stream that is made and not read until then.
 */
export function createReadyBytes(source: { pull: Algorithm; cancel: Algorithm }): ByteStreamImpl {
  const stream = new ReadableImpl();
  new ByteControllerImpl(stream, source, source, 0, undefined).started = true;
  return stream as ByteStreamImpl;
}
