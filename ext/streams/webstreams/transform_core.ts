/** Transform streams inside: https://streams.spec.whatwg.org/#ts-model */
import {
  type Algorithm,
  Deferred,
  type SizeAlgorithm,
  LATER,
  callForPromise,
  deferred,
  nextMicrotask,
  react,
  reactToResult,
  rejectedWith,
  resolvedWith,
  resultPromise,
  stateError,
} from "internal/streams/webstreams/core";
import {
  DefaultControllerImpl,
  ERRORED as READ_ERRORED,
  ReadableImpl,
} from "internal/streams/webstreams/readable_core";
import {
  ERRORED as WRITE_ERRORED,
  ERRORING,
  WritableControllerImpl,
  WritableImpl,
} from "internal/streams/webstreams/writable_core";

interface TransformerFunctions {
  start?: Algorithm;
  transform?: Algorithm;
  flush?: Algorithm;
  cancel?: Algorithm;
}

/** A transform stream and its controller in one: they are made and die together. */
export class TransformImpl {
  readable = new ReadableImpl();
  writable = new WritableImpl();
  readableController: DefaultControllerImpl;
  writableController: WritableControllerImpl;
  transformer: unknown;
  transform: Algorithm | undefined;
  flush: Algorithm | undefined;
  cancel: Algorithm | undefined;
  /** What `start`, `transform` and `flush` get. */
  api: unknown = this;
  backpressure = true;
  /** The readable side has asked for chunks and got none yet: its pull() is under way. */
  pulling = false;
  /** The chunk of a write that waits for the end of backpressure. */
  waitingChunk: unknown = undefined;
  writeWaits = false;
  /** Goes on with that write. */
  resume = () => {
    this.resumeWrite();
  };
  transformFailed = (error: unknown): never => {
    this.error(error);
    throw error;
  };
  /** The outcome of closing, aborting or cancelling, whichever comes first. */
  finishing: Deferred | undefined = undefined;

  constructor(
    transformer: unknown,
    functions: TransformerFunctions,
    writableMark: number,
    writableSize: SizeAlgorithm | undefined,
    readableMark: number,
    readableSize: SizeAlgorithm | undefined,
  ) {
    this.transformer = transformer;
    this.transform = functions.transform;
    this.flush = functions.flush;
    this.cancel = functions.cancel;

    this.writableController = new WritableControllerImpl(
      this.writable,
      this,
      {
        write: this.sinkWrite,
        close: this.sinkClose,
        abort: this.sinkAbort,
      },
      writableMark,
      writableSize,
    );
    this.readableController = new DefaultControllerImpl(
      this.readable,
      this,
      {
        pull: this.sourcePull,
        cancel: this.sourceCancel,
      },
      readableMark,
      readableSize,
    );
  }

  /** Both sides start when `start` of the transformer is through. */
  start(start: Algorithm | undefined): void {
    const result = start === undefined ? undefined : start.call(this.transformer, this.api);
    if (result !== null && (typeof result === "object" || typeof result === "function")) {
      const started = resultPromise(result);
      const waitForStart = () => started;
      this.writableController.start(waitForStart);
      this.readableController.start(waitForStart);
      return;
    }
    // As many ticks as it takes for a promise of a promise, without the promises.
    let ticks = 3;
    const step = () => {
      if (--ticks > 0) {
        nextMicrotask(step);
      } else {
        this.writableController.onStarted();
        this.readableController.onStarted();
      }
    };
    nextMicrotask(step);
  }

  get desiredSize(): number | null {
    return this.readableController.desiredSize;
  }

  clearAlgorithms(): void {
    this.transform = undefined;
    this.flush = undefined;
    this.cancel = undefined;
    this.transformer = undefined;
  }

  setBackpressure(backpressure: boolean): void {
    this.backpressure = backpressure;
    if (this.pulling) {
      // Over when there is backpressure again, that is, when nothing more is wanted.
      this.pulling = false;
      const { readableController } = this;
      readableController.pulling = false;
      readableController.pullAgain = false;
    }
    if (this.writeWaits) {
      this.writeWaits = false;
      nextMicrotask(this.resume);
    }
  }

  /** controller.enqueue() */
  enqueue(chunk: unknown): void {
    const { readableController: controller } = this;
    if (!controller.canCloseOrEnqueue) throw stateError("Readable side is closed or errored");
    try {
      controller.enqueue(chunk);
    } catch (error) {
      this.errorWritableAndUnblock(error);
      throw this.readable.storedError;
    }
    const backpressure = !controller.wantsMore;
    if (backpressure !== this.backpressure) this.setBackpressure(true);
  }

  /** controller.error() */
  error(reason: unknown): void {
    this.readableController.error(reason);
    this.errorWritableAndUnblock(reason);
  }

  errorWritableAndUnblock(reason: unknown): void {
    this.clearAlgorithms();
    this.writableController.errorIfNeeded(reason);
    this.unblockWrite();
  }

  unblockWrite(): void {
    if (this.backpressure) this.setBackpressure(false);
  }

  /** controller.terminate() */
  terminate(): void {
    this.readableController.close();
    this.errorWritableAndUnblock(stateError("TransformStream has been terminated"));
  }

  performTransform(chunk: unknown): unknown {
    const { transform } = this;
    let result: unknown;
    try {
      if (transform === undefined) this.enqueue(chunk);
      else result = transform.call(this.transformer, chunk, this.api);
    } catch (error) {
      result = rejectedWith(error);
    }
    if (result === undefined || result === null || (typeof result !== "object" && typeof result !== "function")) {
      return undefined;
    }
    return react(resolvedWith(result), undefined, this.transformFailed);
  }

  // The functions of the two sides; called on this object.

  sinkWrite(this: TransformImpl, chunk: unknown): unknown {
    if (!this.backpressure) return this.performTransform(chunk);
    this.waitingChunk = chunk;
    this.writeWaits = true;
    return LATER;
  }

  resumeWrite(): void {
    const { waitingChunk, writable, writableController } = this;
    this.waitingChunk = undefined;
    const result =
      writable.state === ERRORING ? rejectedWith(writable.storedError) : this.performTransform(waitingChunk);
    reactToResult(result, writableController.written!, writableController.writeFailed!);
  }

  sinkAbort(this: TransformImpl, reason: unknown): unknown {
    if (this.finishing !== undefined) return this.finishing.promise;
    const finishing = (this.finishing = deferred());
    const cancelled = callForPromise(this.cancel, this.transformer, reason);
    this.clearAlgorithms();
    react(
      cancelled,
      () => {
        if (this.readable.state === READ_ERRORED) {
          finishing.reject(this.readable.storedError);
        } else {
          this.readableController.error(reason);
          finishing.resolve(undefined);
        }
      },
      (error: unknown) => {
        this.readableController.error(error);
        finishing.reject(error);
      },
    );
    return finishing.promise;
  }

  sinkClose(this: TransformImpl): unknown {
    if (this.finishing !== undefined) return this.finishing.promise;
    const finishing = (this.finishing = deferred());
    const flushed = callForPromise(this.flush, this.transformer, this.api);
    this.clearAlgorithms();
    react(
      flushed,
      () => {
        if (this.readable.state === READ_ERRORED) {
          finishing.reject(this.readable.storedError);
        } else {
          this.readableController.close();
          finishing.resolve(undefined);
        }
      },
      (error: unknown) => {
        this.readableController.error(error);
        finishing.reject(error);
      },
    );
    return finishing.promise;
  }

  sourcePull(this: TransformImpl): { __proto__: null } {
    this.setBackpressure(false);
    this.pulling = true;
    return LATER;
  }

  sourceCancel(this: TransformImpl, reason: unknown): unknown {
    if (this.finishing !== undefined) return this.finishing.promise;
    const finishing = (this.finishing = deferred());
    const cancelled = callForPromise(this.cancel, this.transformer, reason);
    this.clearAlgorithms();
    react(
      cancelled,
      () => {
        if (this.writable.state === WRITE_ERRORED) {
          finishing.reject(this.writable.storedError);
        } else {
          this.writableController.errorIfNeeded(reason);
          this.unblockWrite();
          finishing.resolve(undefined);
        }
      },
      (error: unknown) => {
        this.writableController.errorIfNeeded(error);
        this.unblockWrite();
        finishing.reject(error);
      },
    );
    return finishing.promise;
  }
}

/** A transform stream for bao's own use. The functions are called on `transformer` and get the TransformImpl. */
export function createTransform<S extends TransformerFunctions>(
  transformer: S,
  writableMark = 1,
  writableSize?: SizeAlgorithm,
  readableMark = 0,
  readableSize?: SizeAlgorithm,
): TransformImpl {
  const stream = new TransformImpl(transformer, transformer, writableMark, writableSize, readableMark, readableSize);
  stream.start(transformer.start);
  return stream;
}
