/**
 * Writable streams inside: https://streams.spec.whatwg.org/#ws-model. Function names follow the standard's
 * operations; the public classes are in writable.ts.
 */
import type { WritableStream } from "internal/streams/webstreams/writable";
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
  resultPromise,
  stateError,
} from "internal/streams/webstreams/core";

// States of a stream.
export const WRITABLE = 0;
export const CLOSED = 1;
export const ERRORING = 2;
export const ERRORED = 3;

/** In the controller's queue: the stream closes here. */
const kClose = Symbol("close sentinel");

interface PendingAbort {
  deferred: Deferred;
  reason: unknown;
  wasAlreadyErroring: boolean;
}

export class WritableImpl {
  state = WRITABLE;
  storedError: unknown = undefined;
  writer: WriterImpl | undefined = undefined;
  controller!: WritableControllerImpl;
  backpressure = false;
  /** Promises of write() that wait for the sink, in order. */
  writeRequests = new RequestQueue<Deferred>();
  inFlightWrite: Deferred | undefined = undefined;
  closeRequest: Deferred | undefined = undefined;
  inFlightClose: Deferred | undefined = undefined;
  pendingAbort: PendingAbort | undefined = undefined;
  /** The state is ERRORED and everybody who waits for the end has been told. */
  failureTold = false;
  /** The public object, if there is one. */
  shell: WritableStream | undefined = undefined;
  /** For stream.finished(): see ReadableImpl. */
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

  get closeQueuedOrInFlight(): boolean {
    return this.closeRequest !== undefined || this.inFlightClose !== undefined;
  }
}

/** Both promises are made when asked for; until then the state of the stream stands for them. */
export class WriterImpl {
  stream: WritableImpl | undefined;
  closed: Deferred | undefined = undefined;
  ready: Deferred | undefined = undefined;
  /** Set when `ready` is rejected before anybody asked for it. */
  readyFailure: { reason: unknown } | undefined = undefined;
  /** What `closed` is rejected with after the writer was released. */
  releasedError: Error | undefined = undefined;
  /** A pipe waits here for the end of backpressure, without a promise. */
  onReady: (() => void) | undefined = undefined;

  constructor(stream: WritableImpl) {
    this.stream = stream;
    stream.writer = this;
    // While an abort is under way, `closed` of older writers is still pending, that of new ones is not.
    if (stream.state === ERRORED && !stream.failureTold) this.closed = settledDeferred(stream.storedError);
  }

  get closedPromise(): Promise<void> {
    if (this.closed === undefined) {
      const closed = (this.closed = deferred());
      const { stream } = this;
      if (stream === undefined) closed.reject(this.releasedError);
      else if (stream.state === CLOSED) closed.resolve(undefined);
      else if (stream.failureTold) closed.reject(stream.storedError);
      if (stream === undefined || stream.failureTold) markHandled(closed.promise);
    }
    return this.closed!.promise;
  }

  get readyPromise(): Promise<void> {
    if (this.ready === undefined) {
      const ready = (this.ready = deferred());
      const stream = this.stream!;
      if (this.readyFailure !== undefined) {
        ready.reject(this.readyFailure.reason);
        markHandled(ready.promise);
      } else if (stream.state === ERRORING || stream.state === ERRORED) {
        ready.reject(stream.storedError);
        markHandled(ready.promise);
      } else if (!this.readyPending) {
        ready.resolve(undefined);
      }
    }
    return this.ready!.promise;
  }

  /** The stream wants writes again. */
  becomeReady(): void {
    this.ready?.resolve(undefined);
    const { onReady } = this;
    this.onReady = undefined;
    onReady?.();
  }

  /** EnsureReadyPromiseRejected. `pending`: the promise, if somebody has it, is not settled yet. */
  failReady(reason: unknown, pending: boolean): void {
    if (this.ready === undefined) {
      this.readyFailure = { reason };
    } else if (pending) {
      this.ready.reject(reason);
      markHandled(this.ready.promise);
    } else {
      this.ready = settledDeferred(reason);
    }
    const { onReady } = this;
    this.onReady = undefined;
    onReady?.();
  }

  /** Whether a `ready` handed out now would still be pending. */
  get readyPending(): boolean {
    const stream = this.stream!;
    return stream.state === WRITABLE && stream.backpressure && !stream.closeQueuedOrInFlight;
  }

  get desiredSize(): number | null {
    const stream = this.stream!;
    if (stream.state === ERRORED || stream.state === ERRORING) return null;
    return stream.state === CLOSED ? 0 : stream.controller.desiredSize;
  }

  /** The standard's WritableStreamDefaultWriterWrite. */
  write(chunk: unknown): Promise<void> {
    const request = deferred();
    this.writeWith(chunk, request);
    return request.promise;
  }

  /** The same with an object whose resolve or reject is called. */
  writeWith(chunk: unknown, request: { resolve(value: void): void; reject(reason: unknown): void }): void {
    const stream = this.stream!;
    const { controller } = stream;
    const size = controller.chunkSize(chunk);
    // The size function may have released the writer.
    if (stream !== this.stream) request.reject(stateError("Mismatched WritableStreams"));
    else if (stream.state === ERRORED) request.reject(stream.storedError);
    else if (stream.closeQueuedOrInFlight || stream.state === CLOSED) {
      request.reject(stateError("WritableStream is closed"));
    } else if (stream.state === ERRORING) {
      request.reject(stream.storedError);
    } else {
      stream.writeRequests.push(request as Deferred);
      controller.write(chunk, size);
    }
  }

  close(): Promise<void> {
    return closeWritable(this.stream!);
  }

  release(): void {
    const { stream } = this;
    if (stream === undefined) return;
    const reason = (this.releasedError = stateError("Writer has been released"));
    this.failReady(reason, this.readyPending);
    if (this.closed !== undefined) {
      if (stream.state === CLOSED || stream.failureTold) {
        this.closed = settledDeferred(reason);
      } else {
        this.closed.reject(reason);
        markHandled(this.closed.promise);
      }
    }
    this.discard();
  }

  /** releaseLock() of a writer whose promises no program has. */
  discard(): void {
    if (this.stream !== undefined) this.stream.writer = undefined;
    this.stream = undefined;
  }
}

function nothing(): void {}

/** Stands in for a promise that was settled and is now another, rejected one. */
function settledDeferred(reason: unknown): Deferred {
  return { promise: handledRejection(reason), resolve: nothing, reject: nothing };
}

/** The standard's AcquireWritableStreamDefaultWriter. Throws if the stream is locked. */
export function acquireWriter(stream: WritableImpl): WriterImpl {
  if (stream.writer !== undefined) throw stateError("WritableStream is locked");
  return new WriterImpl(stream);
}

/** The standard's WritableStreamAbort. */
export function abortWritable(stream: WritableImpl, reason: unknown): Promise<void> {
  if (stream.state === CLOSED || stream.state === ERRORED) return resolvedWith(undefined);
  stream.controller.abortSignal(reason);
  // Listeners of the signal may have changed the state.
  const { state } = stream;
  if ((state as number) === CLOSED || (state as number) === ERRORED) return resolvedWith(undefined);
  if (stream.pendingAbort !== undefined) return stream.pendingAbort.deferred.promise;

  const wasAlreadyErroring = state === ERRORING;
  if (wasAlreadyErroring) reason = undefined;
  const pending = { deferred: deferred(), reason, wasAlreadyErroring };
  stream.pendingAbort = pending;
  if (!wasAlreadyErroring) startErroring(stream, reason);
  return pending.deferred.promise;
}

/** The standard's WritableStreamClose. */
export function closeWritable(stream: WritableImpl): Promise<void> {
  if (stream.state === CLOSED || stream.state === ERRORED) {
    return rejectedWith(stateError("WritableStream is closed"));
  }
  const request = deferred();
  const { writer } = stream;
  const unlock = writer !== undefined && stream.backpressure && stream.state === WRITABLE;
  stream.closeRequest = request;
  if (unlock) writer!.becomeReady();
  stream.controller.close();
  return request.promise;
}

function startErroring(stream: WritableImpl, reason: unknown): void {
  const { writer, controller } = stream;
  const pending = writer !== undefined && writer.readyPending;
  stream.state = ERRORING;
  stream.storedError = reason;
  writer?.failReady(reason, pending);
  if (stream.inFlightWrite === undefined && stream.inFlightClose === undefined && controller.started) {
    finishErroring(stream);
  }
}

/** The standard's WritableStreamDealWithRejection. */
function dealWithRejection(stream: WritableImpl, reason: unknown): void {
  if (stream.state === WRITABLE) startErroring(stream, reason);
  else finishErroring(stream);
}

function finishErroring(stream: WritableImpl): void {
  stream.state = ERRORED;
  stream.controller.queue.reset();
  const { storedError } = stream;
  for (const request of stream.writeRequests.take()) request.reject(storedError);

  const abort = stream.pendingAbort;
  if (abort === undefined) {
    rejectCloseAndClosed(stream);
    return;
  }
  stream.pendingAbort = undefined;
  if (abort.wasAlreadyErroring) {
    abort.deferred.reject(storedError);
    rejectCloseAndClosed(stream);
    return;
  }
  react(
    stream.controller.abortSteps(abort.reason),
    () => {
      abort.deferred.resolve(undefined);
      rejectCloseAndClosed(stream);
    },
    (error: unknown) => {
      abort.deferred.reject(error);
      rejectCloseAndClosed(stream);
    },
  );
}

function rejectCloseAndClosed(stream: WritableImpl): void {
  const { storedError } = stream;
  stream.failureTold = true;
  if (stream.closeRequest !== undefined) {
    stream.closeRequest.reject(storedError);
    stream.closeRequest = undefined;
  }
  stream.finished?.reject(storedError);
  const closed = stream.writer?.closed;
  if (closed !== undefined) {
    closed.reject(storedError);
    markHandled(closed.promise);
  }
}

function updateBackpressure(stream: WritableImpl, backpressure: boolean): void {
  if (backpressure === stream.backpressure) return;
  // Before the writer hears of it: a pipe writes at once.
  stream.backpressure = backpressure;
  const { writer } = stream;
  if (writer === undefined) return;
  if (backpressure) writer.ready = undefined;
  else writer.becomeReady();
}

interface SinkFunctions {
  start?: Algorithm;
  write?: Algorithm;
  close?: Algorithm;
  abort?: Algorithm;
}

export class WritableControllerImpl {
  stream: WritableImpl;
  queue = new SizedQueue();
  highWaterMark: number;
  /** undefined: each chunk counts 1. */
  size: SizeAlgorithm | undefined;
  sink: unknown;
  sinkWrite: Algorithm | undefined;
  sinkClose: Algorithm | undefined;
  sinkAbort: Algorithm | undefined;
  /** What `start` and `write` get. */
  api: unknown = this;
  shell: unknown = undefined;
  started = false;
  /** The AbortController behind controller.signal; made when somebody looks. */
  abortSource: AbortController | undefined = undefined;
  aborted = false;
  abortReason: unknown = undefined;
  // The reactions to sink.write(), made once.
  written: (() => void) | undefined = undefined;
  writeFailed: ((reason: unknown) => void) | undefined = undefined;

  constructor(
    stream: WritableImpl,
    sink: unknown,
    functions: SinkFunctions,
    highWaterMark: number,
    size: SizeAlgorithm | undefined,
  ) {
    this.stream = stream;
    this.sink = sink;
    this.sinkWrite = functions.write;
    this.sinkClose = functions.close;
    this.sinkAbort = functions.abort;
    this.highWaterMark = highWaterMark;
    this.size = size;
    stream.controller = this;
    stream.backpressure = this.desiredSize <= 0;
  }

  /** Calls `start`; the constructor of the stream throws what it throws. */
  start(start: Algorithm | undefined): void {
    const result = start === undefined ? undefined : start.call(this.sink, this.api);
    reactToStart(result, this);
  }

  onStarted(): void {
    this.started = true;
    this.advance();
  }

  onStartFailed(reason: unknown): void {
    this.started = true;
    dealWithRejection(this.stream, reason);
  }

  get desiredSize(): number {
    return this.highWaterMark - this.queue.total;
  }

  get signal(): AbortSignal {
    if (this.abortSource === undefined) {
      this.abortSource = new AbortController();
      if (this.aborted) this.abortSource.abort(this.abortReason);
    }
    return this.abortSource.signal;
  }

  abortSignal(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.abortReason = reason;
    this.abortSource?.abort(reason);
  }

  clearAlgorithms(): void {
    this.sinkWrite = undefined;
    this.sinkClose = undefined;
    this.sinkAbort = undefined;
    this.size = undefined;
    this.sink = undefined;
  }

  chunkSize(chunk: unknown): number {
    const { size } = this;
    if (size === undefined) return 1;
    try {
      return +size(chunk);
    } catch (error) {
      this.errorIfNeeded(error);
      return 1;
    }
  }

  write(chunk: unknown, size: number): void {
    try {
      this.queue.pushSized(chunk, size);
    } catch (error) {
      this.errorIfNeeded(error);
      return;
    }
    const { stream } = this;
    if (!stream.closeQueuedOrInFlight && stream.state === WRITABLE) {
      updateBackpressure(stream, this.desiredSize <= 0);
    }
    this.advance();
  }

  close(): void {
    // A size of 0 that does not count: the sentinel is looked for by identity.
    this.queue.pushSized(kClose, 0);
    this.advance();
  }

  errorIfNeeded(reason: unknown): void {
    if (this.stream.state === WRITABLE) this.error(reason);
  }

  error(reason: unknown): void {
    this.clearAlgorithms();
    startErroring(this.stream, reason);
  }

  /** AdvanceQueueIfNeeded: hands the next thing to the sink. */
  advance(): void {
    const { stream } = this;
    if (!this.started || stream.inFlightWrite !== undefined) return;
    if (stream.state === ERRORING) {
      finishErroring(stream);
      return;
    }
    if (this.queue.length === 0) return;
    const next = this.queue.peek();
    if (next === kClose) this.processClose();
    else this.processWrite(next);
  }

  processClose(): void {
    const { stream } = this;
    stream.inFlightClose = stream.closeRequest;
    stream.closeRequest = undefined;
    this.queue.shiftSized();
    // Without an argument, unlike the others.
    const { sinkClose, sink } = this;
    let closed: Promise<unknown>;
    try {
      closed = resultPromise(sinkClose === undefined ? undefined : sinkClose.call(sink));
    } catch (error) {
      closed = rejectedWith(error);
    }
    this.clearAlgorithms();
    react(
      closed,
      () => {
        finishClose(stream);
      },
      (reason: unknown) => {
        finishCloseWithError(stream, reason);
      },
    );
  }

  processWrite(chunk: unknown): void {
    const { stream } = this;
    stream.inFlightWrite = stream.writeRequests.shift();
    if (this.written === undefined) {
      this.written = () => {
        const request = stream.inFlightWrite!;
        stream.inFlightWrite = undefined;
        request.resolve(undefined);
        this.queue.shiftSized();
        if (!stream.closeQueuedOrInFlight && stream.state === WRITABLE) {
          updateBackpressure(stream, this.desiredSize <= 0);
        }
        this.advance();
      };
      this.writeFailed = (reason) => {
        if (stream.state === WRITABLE) this.clearAlgorithms();
        const request = stream.inFlightWrite!;
        stream.inFlightWrite = undefined;
        request.reject(reason);
        dealWithRejection(stream, reason);
      };
    }
    let result: unknown;
    try {
      const { sinkWrite } = this;
      result = sinkWrite === undefined ? undefined : sinkWrite.call(this.sink, chunk, this.api);
    } catch (error) {
      result = rejectedWith(error);
    }
    reactToResult(result, this.written, this.writeFailed!);
  }

  abortSteps(reason: unknown): Promise<unknown> {
    const { sinkAbort, sink } = this;
    this.clearAlgorithms();
    return callForPromise(sinkAbort, sink, reason);
  }
}

function finishClose(stream: WritableImpl): void {
  stream.inFlightClose!.resolve(undefined);
  stream.inFlightClose = undefined;
  if (stream.state === ERRORING) {
    // Closed all the same: an abort that came meanwhile has nothing to do any more.
    stream.storedError = undefined;
    if (stream.pendingAbort !== undefined) {
      stream.pendingAbort.deferred.resolve(undefined);
      stream.pendingAbort = undefined;
    }
  }
  stream.state = CLOSED;
  stream.finished?.resolve(undefined);
  stream.writer?.closed?.resolve(undefined);
}

function finishCloseWithError(stream: WritableImpl, reason: unknown): void {
  stream.inFlightClose!.reject(reason);
  stream.inFlightClose = undefined;
  if (stream.pendingAbort !== undefined) {
    stream.pendingAbort.deferred.reject(reason);
    stream.pendingAbort = undefined;
  }
  dealWithRejection(stream, reason);
}

/**
 * A stream for bao's own use: CreateWritableStream of the standard. The functions are called on `sink` and
 * get the internal controller.
 */
export function createWritable<S extends SinkFunctions>(
  sink: S,
  highWaterMark = 1,
  size?: SizeAlgorithm,
): WritableImpl {
  const stream = new WritableImpl();
  new WritableControllerImpl(stream, sink, sink, highWaterMark, size).start(sink.start);
  return stream;
}
