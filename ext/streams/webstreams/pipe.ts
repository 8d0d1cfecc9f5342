/** readable.pipeTo(writable): https://streams.spec.whatwg.org/#readable-stream-pipe-to */
import { codes, AbortError } from "internal/core/errors";
import {
  deferred,
  nextMicrotask,
  react,
  rejectedWith,
  resolvedWith,
  stateError,
  toDictionary,
} from "internal/streams/webstreams/core";
import {
  CLOSED as READ_CLOSED,
  DefaultControllerImpl,
  DefaultReaderImpl,
  ERRORED as READ_ERRORED,
  READABLE,
  ReadableImpl,
  acquireReader,
  cancelReadable,
} from "internal/streams/webstreams/readable_core";
import {
  CLOSED as WRITE_CLOSED,
  ERRORED as WRITE_ERRORED,
  WRITABLE,
  WritableImpl,
  WriterImpl,
  abortWritable,
  acquireWriter,
  closeWritable,
} from "internal/streams/webstreams/writable_core";

interface PipeOptions {
  preventAbort: boolean;
  preventCancel: boolean;
  preventClose: boolean;
  signal: AbortSignal | undefined;
}

/** The StreamPipeOptions dictionary. */
export function toPipeOptions(value: unknown): PipeOptions {
  const options = toDictionary(value, "options");
  if (options === undefined) {
    return { preventAbort: false, preventCancel: false, preventClose: false, signal: undefined };
  }
  const preventAbort = Boolean(options.preventAbort);
  const preventCancel = Boolean(options.preventCancel);
  const preventClose = Boolean(options.preventClose);
  const { signal } = options;
  if (signal !== undefined && !require("web/abort").isAbortSignal(signal)) {
    throw new codes.ERR_INVALID_ARG_TYPE("options.signal", "AbortSignal", signal);
  }
  return { preventAbort, preventCancel, preventClose, signal };
}

/** Both streams must be unlocked. The promise settles once everything is written, closed or failed. */
export function pipe(source: ReadableImpl, dest: WritableImpl, options: PipeOptions): Promise<void> {
  return new Pipe(source, dest, options).run();
}

class Pipe {
  source: ReadableImpl;
  dest: WritableImpl;
  options: PipeOptions;
  reader: DefaultReaderImpl;
  writer: WriterImpl;
  done = deferred<void>();
  shuttingDown = false;
  /** A read is under way. */
  reading = false;
  /** Writes the sink has not acknowledged yet. */
  outstanding = 0;
  onAllWritten: (() => void) | undefined = undefined;
  removeAbort: (() => void) | undefined = undefined;
  pump = () => {
    this.step();
  };
  /** What the read gave, until it is written. */
  value: unknown = undefined;
  pass = () => {
    const { value } = this;
    this.value = undefined;
    this.reading = false;
    if (this.writer.stream === undefined) return;
    this.write(value);
    this.step();
  };

  constructor(source: ReadableImpl, dest: WritableImpl, options: PipeOptions) {
    this.source = source;
    this.dest = dest;
    this.options = options;
    this.reader = acquireReader(source);
    this.writer = acquireWriter(dest);
    source.disturbed = true;
  }

  run(): Promise<void> {
    const { signal } = this.options;
    if (signal !== undefined) {
      if (signal.aborted) {
        this.abort();
        return this.done.promise;
      }
      this.removeAbort = require("web/abort").addAbortAlgorithm(signal, () => {
        this.abort();
      });
    }

    // Errors and closing are noticed whenever they happen, also while a read or a write is pending.
    react(
      this.reader.closedPromise,
      () => {
        this.sourceClosed();
      },
      (reason: unknown) => {
        this.sourceErrored(reason);
      },
    );
    react(
      this.writer.closedPromise,
      () => {
        this.destClosed();
      },
      (reason: unknown) => {
        this.destErrored(reason);
      },
    );
    if (this.source.state === READ_ERRORED) this.sourceErrored(this.source.storedError);
    else if (this.dest.state === WRITE_ERRORED) this.destErrored(this.dest.storedError);
    else if (this.source.state === READ_CLOSED) this.sourceClosed();
    else if (this.dest.closeQueuedOrInFlight || this.dest.state === WRITE_CLOSED) this.destClosed();
    // After the streams' start() had its turn.
    nextMicrotask(this.pump);
    return this.done.promise;
  }

  // The writer calls these for each write.
  resolve(): void {
    if (--this.outstanding === 0) this.onAllWritten?.();
  }
  reject(): void {
    if (--this.outstanding === 0) this.onAllWritten?.();
  }

  write(value: unknown): void {
    this.outstanding++;
    this.writer.writeWith(value, this);
  }

  /** Moves chunks while both sides are ready. */
  step(): void {
    const { source, dest, reader, writer } = this;
    while (!this.shuttingDown && !this.reading && dest.state === WRITABLE && !dest.closeQueuedOrInFlight) {
      if (dest.backpressure) {
        // Called where the sink has finished a write, in a microtask.
        writer.onReady = this.pump;
        return;
      }
      const { controller } = source;
      if (source.state !== READABLE) return;
      if (controller instanceof DefaultControllerImpl && controller.queue.length > 0) {
        // What waits in the queue needs no request.
        this.write(controller.takeChunk());
        continue;
      }
      this.reading = true;
      reader.read(this);
    }
  }

  // The reader calls these for a read.
  chunk(value: unknown): void {
    // Not within the source's enqueue(): the sink's write() is not to be called from there.
    this.value = value;
    nextMicrotask(this.pass);
  }
  close(): void {
    this.reading = false;
  }
  error(): void {
    this.reading = false;
  }

  sourceErrored(reason: unknown): void {
    if (this.options.preventAbort) this.shutdown(undefined, true, reason);
    else this.shutdown(() => abortWritable(this.dest, reason), true, reason);
  }

  destErrored(reason: unknown): void {
    if (this.options.preventCancel) this.shutdown(undefined, true, reason);
    else this.shutdown(() => cancelReadable(this.source, reason), true, reason);
  }

  sourceClosed(): void {
    if (this.options.preventClose) this.shutdown(undefined, false, undefined);
    else this.shutdown(() => closeWithErrorPropagation(this.dest), false, undefined);
  }

  destClosed(): void {
    // Mostly because the pipe itself has closed it.
    if (this.shuttingDown) return;
    const reason = stateError("Destination WritableStream is closed");
    if (this.options.preventCancel) this.shutdown(undefined, true, reason);
    else this.shutdown(() => cancelReadable(this.source, reason), true, reason);
  }

  abort(): void {
    let { reason } = this.options.signal!;
    if (reason instanceof AbortError) reason = new DOMException(reason.message, "AbortError");
    const { preventAbort, preventCancel } = this.options;
    this.shutdown(
      () => {
        const actions = [];
        if (!preventAbort) {
          actions.push(this.dest.state === WRITABLE ? abortWritable(this.dest, reason) : resolvedWith(undefined));
        }
        if (!preventCancel) {
          actions.push(this.source.state === READABLE ? cancelReadable(this.source, reason) : resolvedWith(undefined));
        }
        return all(actions);
      },
      true,
      reason,
    );
  }

  /** Shutdown, with an action: what has been read is written first. */
  shutdown(action: (() => Promise<unknown>) | undefined, failed: boolean, reason: unknown): void {
    if (this.shuttingDown) return;
    this.shuttingDown = true;
    this.writer.onReady = undefined;

    const act = () => {
      if (action === undefined) {
        this.finalize(failed, reason);
      } else {
        react(
          action(),
          () => {
            this.finalize(failed, reason);
          },
          (error: unknown) => {
            this.finalize(true, error);
          },
        );
      }
    };
    if (this.dest.state === WRITABLE && !this.dest.closeQueuedOrInFlight) this.afterWrites(act);
    else act();
  }

  /** Calls `act` once a chunk on its way has been written and all writes are acknowledged. */
  afterWrites(act: () => void): void {
    // A chunk that was read is handed to write() in the next microtask.
    nextMicrotask(() => {
      if (this.outstanding === 0) {
        nextMicrotask(act);
      } else {
        this.onAllWritten = () => {
          this.onAllWritten = undefined;
          nextMicrotask(act);
        };
      }
    });
  }

  finalize(failed: boolean, reason: unknown): void {
    // Nobody else has these: there is no one to tell that they have been released.
    this.writer.discard();
    this.reader.closed = undefined;
    this.reader.release();
    this.removeAbort?.();
    if (failed) this.done.reject(reason);
    else this.done.resolve(undefined);
  }
}

/** The standard's WritableStreamDefaultWriterCloseWithErrorPropagation. */
function closeWithErrorPropagation(dest: WritableImpl): Promise<void> {
  if (dest.closeQueuedOrInFlight || dest.state === WRITE_CLOSED) return resolvedWith(undefined);
  if (dest.state === WRITE_ERRORED) return rejectedWith(dest.storedError);
  return closeWritable(dest);
}

/** Waits for all; the first rejection counts. */
function all(promises: Promise<unknown>[]): Promise<void> {
  const result = deferred<void>();
  let left = promises.length;
  if (left === 0) result.resolve(undefined);
  for (const promise of promises) {
    react(
      promise,
      () => {
        if (--left === 0) result.resolve(undefined);
      },
      (reason: unknown) => {
        result.reject(reason);
      },
    );
  }
  return result.promise;
}
