/**
 * stream.pipeline(): connects sources, transforms and a sink of any kind, forwards errors, cleans up, and
 * reports once (https://nodejs.org/api/stream.html#streampipelinesource-transforms-destination-callback).
 */
import { codes, aggregateTwoErrors, AbortError } from "internal/core/errors";
import type {
  Anything,
  Done,
  DuplexConstructor,
  NodeReadable,
  NodeStream,
  NodeWritable,
  TransformConstructor,
  WebPair,
} from "internal/streams/types";
import type { WritableStream } from "internal/streams/webstreams/writable";
import { Duplex } from "internal/streams/duplex";
import { PassThrough } from "internal/streams/transform";
import { destroyer as destroyStream } from "internal/streams/destroy";
import { eos } from "internal/streams/end_of_stream";
import {
  isIterable,
  isNodeStream,
  isReadable,
  isReadableFinished,
  isReadableNodeStream,
  isReadableStream,
  isTransformStream,
  isWebStream,
} from "internal/streams/utils";

/** A function of a pipeline after the first: gives what it makes of the chunks, or a promise. */
type LastFunction = (source: unknown, options: { signal: AbortSignal }) => unknown;

/** What a pipeline reports to; `value` is that of a last function. */
type Outcome = (error?: NodeError | null, value?: unknown) => void;

interface PipelineOptions {
  signal?: AbortSignal;
  /** False: the last stream is not ended. */
  end?: boolean;
}

/** pipeline(...streams, callback). Returns the last stream, or a stand-in for a last function. */
export function pipeline(...streams: unknown[]): unknown {
  const callback = streams[streams.length - 1];
  (require("internal/core/validators").validateFunction as Check)(callback, "streams[stream.length - 1]");
  streams.pop();
  let called = false;
  return pipelineOf(streams, function (this: unknown, ...args: [unknown]) {
    if (called) return;
    called = true;
    Reflect.apply(callback as Outcome, this, args);
  });
}

/** The same with the streams in an array; `options` has `signal` and `end`. */
export function pipelineOf(streams: unknown[], callback: Outcome, options?: PipelineOptions): unknown {
  if (streams.length === 1 && Array.isArray(streams[0])) streams = streams[0];
  if (streams.length < 2) throw new codes.ERR_MISSING_ARGS("streams");
  (require("internal/core/validators").validateAbortSignal as Check)(options?.signal, "options.signal");
  return new Pipeline(streams, callback, options).connect();
}

/** stream/promises pipeline(): the last argument may be `{ signal, end }`. */
export function pipelinePromise(...streams: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let signal: AbortSignal | undefined;
    let end: boolean | undefined;
    const last = streams[streams.length - 1];
    if (last && typeof last === "object" && !isNodeStream(last) && !isIterable(last) && !isWebStream(last)) {
      const options = streams.pop() as PipelineOptions;
      signal = options.signal;
      end = options.end;
    }
    pipelineOf(
      streams,
      (error, value) => {
        if (error) reject(error);
        else resolve(value);
      },
      { signal, end },
    );
  });
}

class Pipeline {
  streams: unknown[];
  callback: Outcome;
  outerSignal: AbortSignal | undefined;
  endsLast: boolean;
  controller = new AbortController();
  outerListener: Disposable | undefined;
  error: NodeError | undefined;
  // What the promise of a last function resolved with.
  value: unknown;
  // Connections whose end is still due.
  pending = 0;
  destroys: Done[] = [];
  // Listeners to take off a last stream that the caller may go on reading.
  lastCleanups: Array<() => void> = [];

  constructor(streams: unknown[], callback: Outcome, options: PipelineOptions | undefined) {
    this.streams = streams;
    this.callback = callback;
    this.outerSignal = options?.signal;
    this.endsLast = options?.end !== false;
  }

  /** One connection is through. */
  finish = (error?: NodeError): void => {
    this.settle(error, --this.pending === 0);
  };

  /** Something failed; success of this one does not count. */
  fail = (error?: NodeError | null | undefined): void => {
    this.settle(error, false);
  };

  abort = (): void => {
    this.settle(new AbortError(undefined, { cause: this.outerSignal?.reason }), undefined);
  };

  settle(error: NodeError | null | undefined, final: boolean | undefined): void {
    // A premature close is usually the consequence of a better reason that comes later.
    if (error && (!this.error || this.error.code === "ERR_STREAM_PREMATURE_CLOSE")) this.error = error;
    if (!this.error && !final) return;

    while (this.destroys.length) this.destroys.shift()!(this.error);
    this.outerListener?.[Symbol.dispose]();
    this.controller.abort();

    if (final) {
      if (!this.error) for (const cleanup of this.lastCleanups) cleanup();
      process.nextTick(this.callback, this.error, this.value);
    }
  }

  connect(): unknown {
    const { streams, outerSignal } = this;
    if (outerSignal) {
      const { addAbortListener } = require("node:events");
      this.outerListener = addAbortListener(outerSignal, this.abort);
    }

    let current: unknown;
    for (let i = 0; i < streams.length; i++) {
      const stream = streams[i];
      const isLast = i === streams.length - 1;
      const end = !isLast || this.endsLast;

      if (isNodeStream(stream)) {
        const next = isLast ? null : streams[i + 1];
        if (next !== null && ((next as NodeStream | undefined)?.closed || (next as NodeStream | undefined)?.destroyed))
          throw new codes.ERR_STREAM_UNABLE_TO_PIPE();
        this.watch(stream, i, isLast, end);
      }

      if (i === 0) current = this.source(stream);
      else if (typeof stream === "function")
        current = this.callFunction(stream as LastFunction, current, i, isLast, end);
      else if (isNodeStream(stream)) current = this.intoNode(current as Anything, stream as NodeWritable, isLast, end);
      else if (isWebStream(stream))
        current = this.intoWeb(current as Anything, stream as WritableStream | WebPair, end);
      else current = (Duplex as DuplexConstructor).from(stream);
    }

    if (this.controller.signal.aborted || outerSignal?.aborted) process.nextTick(this.abort);
    return current;
  }

  /** Notices a stream's failure, and destroys it when another one fails. */
  watch(stream: NodeStream, index: number, isLast: boolean, end: boolean): void {
    const staysReadable = isLast && isReadable(stream);
    if (end) {
      const cleanup = this.destroyLater(stream, !isLast, index > 0);
      if (staysReadable) this.lastCleanups.push(cleanup);
    }
    // Errors that come after the pipe itself is through.
    const onError = (error: NodeError | null | undefined) => {
      if (error && error.name !== "AbortError" && error.code !== "ERR_STREAM_PREMATURE_CLOSE") this.fail(error);
    };
    stream.on("error", onError);
    if (staysReadable)
      this.lastCleanups.push(() => {
        stream.removeListener("error", onError);
      });
  }

  destroyLater(stream: NodeStream, reading: boolean, writing: boolean): () => void {
    let over = false;
    stream.on("close", () => {
      over = true;
    });
    const cleanup = eos(stream, { readable: reading, writable: writing }, (error: unknown) => {
      over = !error;
    });
    this.destroys.push((error) => {
      if (over) return;
      over = true;
      destroyStream(stream, error || new codes.ERR_STREAM_DESTROYED("pipe"));
    });
    return cleanup;
  }

  source(stream: Anything): unknown {
    if (typeof stream === "function") {
      const result = stream({ signal: this.controller.signal });
      if (!isIterable(result)) {
        throw new codes.ERR_INVALID_RETURN_VALUE("Iterable, AsyncIterable or Stream", "source", result);
      }
      return result;
    }
    if (isIterable(stream) || isReadableNodeStream(stream) || isTransformStream(stream)) return stream;
    return (Duplex as DuplexConstructor).from(stream);
  }

  callFunction(fn: LastFunction, input: Anything, index: number, isLast: boolean, end: boolean): unknown {
    const iterable = toAsyncIterable(isTransformStream(input) ? input?.readable : input);
    const result = fn(iterable, { signal: this.controller.signal });

    if (!isLast) {
      if (!isIterable(result, true)) {
        throw new codes.ERR_INVALID_RETURN_VALUE("AsyncIterable", `transform[${index - 1}]`, result);
      }
      return result;
    }

    // pipeline() returns a stream in any case, so a last function is represented by one.
    const output = new (PassThrough as TransformConstructor)({ objectMode: true });
    // Read once: `then` may be a getter.
    const then = (result as PromiseLike<unknown> | null | undefined)?.then;
    if (typeof then === "function") {
      this.pending++;
      then.call(
        result,
        (value: unknown) => {
          this.value = value;
          if (value != null) output.write(value);
          if (end) output.end();
          process.nextTick(this.finish);
        },
        (error: NodeError | null | undefined) => {
          output.destroy(error);
          process.nextTick(this.finish, error);
        },
      );
    } else if (isIterable(result, true)) {
      this.pending++;
      pumpToNode(result, output, this.finish, end);
    } else if (isReadableStream(result) || isTransformStream(result)) {
      this.pending++;
      pumpToNode((result as WebPair).readable || result, output, this.finish, end);
    } else {
      throw new codes.ERR_INVALID_RETURN_VALUE("AsyncIterable or Promise", "destination", result);
    }

    const cleanup = this.destroyLater(output, false, true);
    this.lastCleanups.push(cleanup);
    return output;
  }

  intoNode(input: Anything, stream: NodeWritable, isLast: boolean, end: boolean): NodeWritable {
    if (isReadableNodeStream(input)) {
      this.pending += 2;
      const cleanup = this.pipe(input, stream, end);
      if (isReadable(stream) && isLast) this.lastCleanups.push(cleanup);
    } else if (isTransformStream(input) || isReadableStream(input)) {
      this.pending++;
      pumpToNode((input as WebPair).readable || input, stream, this.finish, end);
    } else if (isIterable(input)) {
      this.pending++;
      pumpToNode(input, stream, this.finish, end);
    } else {
      throw new codes.ERR_INVALID_ARG_TYPE(
        "val",
        ["Readable", "Iterable", "AsyncIterable", "ReadableStream", "TransformStream"],
        input,
      );
    }
    return stream;
  }

  intoWeb(input: Anything, stream: WritableStream | WebPair, end: boolean): unknown {
    let from: AsyncIterable<unknown> | Iterable<unknown>;
    if (isReadableNodeStream(input)) from = toAsyncIterable(input);
    else if (isReadableStream(input) || isIterable(input)) from = input;
    else if (isTransformStream(input)) from = input.readable;
    else {
      throw new codes.ERR_INVALID_ARG_TYPE(
        "val",
        ["Readable", "Iterable", "AsyncIterable", "ReadableStream", "TransformStream"],
        input,
      );
    }
    this.pending++;
    pumpToWeb(from, stream, this.finish, end);
    return stream;
  }

  /** readable.pipe() between two Node streams; counts for two: the end of one, the finish of the other. */
  pipe(source: NodeReadable, dest: NodeWritable, end: boolean): () => void {
    let ended = false;
    dest.on("close", () => {
      if (!ended) this.fail(new codes.ERR_STREAM_PREMATURE_CLOSE());
    });

    source.pipe(dest, { end: false });
    if (end) {
      const endDest = () => {
        ended = true;
        dest.end();
      };
      if (isReadableFinished(source)) process.nextTick(endDest);
      else source.once("end", endDest);
    } else {
      this.finish();
    }

    eos(source, { readable: true, writable: false }, (error: NodeError) => {
      const r = source._readableState;
      if (error && error.code === "ERR_STREAM_PREMATURE_CLOSE" && r?.ended && !r.errored && !r.errorEmitted) {
        // Some streams emit `close` with data still in the buffer; `end` will follow once that is read.
        source.once("end", this.finish).once("error", this.finish);
      } else {
        this.finish(error);
      }
    });
    return eos(dest, { readable: false, writable: true }, this.finish);
  }
}

function toAsyncIterable(value: Anything): AsyncIterable<unknown> | Iterable<unknown> {
  if (isIterable(value)) return value;
  // Older streams, without an iterator of their own.
  if (isReadableNodeStream(value)) return iterateReadable(value);
  throw new codes.ERR_INVALID_ARG_TYPE("val", ["Readable", "Iterable", "AsyncIterable"], value);
}

async function* iterateReadable(stream: NodeReadable): AsyncGenerator<unknown> {
  const { asyncIterate } = require("internal/streams/readable_iterator");
  yield* asyncIterate(stream, undefined);
}

/** Writes all of `iterable` to a Node stream, minding its backpressure. */
async function pumpToNode(
  iterable: AsyncIterable<unknown> | Iterable<unknown>,
  writable: NodeWritable,
  finish: Done,
  end: boolean,
): Promise<void> {
  let error: unknown;
  let wake: (() => void) | null = null;

  const resume = (reason?: unknown) => {
    if (reason) error = reason;
    if (wake) {
      const call = wake;
      wake = null;
      call();
    }
  };
  const wait = () =>
    new Promise<void>((resolve, reject) => {
      if (error) {
        reject(error);
      } else {
        wake = () => {
          if (error) reject(error);
          else resolve();
        };
      }
    });

  writable.on("drain", resume);
  const cleanup = eos(writable, { readable: false }, resume);
  try {
    if (writable.writableNeedDrain) await wait();
    for await (const chunk of iterable) {
      if (!writable.write(chunk)) await wait();
    }
    if (end) {
      writable.end();
      await wait();
    }
    finish();
  } catch (thrown) {
    finish((error !== thrown ? aggregateTwoErrors(error, thrown) : thrown) as NodeError | undefined);
  } finally {
    cleanup();
    writable.off("drain", resume);
  }
}

/** Writes all of `iterable` to a WritableStream (or the writable side of a TransformStream). */
async function pumpToWeb(
  iterable: AsyncIterable<unknown> | Iterable<unknown>,
  stream: WritableStream | WebPair,
  finish: Done,
  end: boolean,
): Promise<void> {
  const writer = (isTransformStream(stream) ? stream.writable : stream).getWriter();
  try {
    for await (const chunk of iterable) {
      await writer.ready;
      // Its failure shows in `ready` or close().
      writer.write(chunk).catch(() => {});
    }
    await writer.ready;
    if (end) await writer.close();
    finish();
  } catch (error) {
    try {
      await writer.abort(error);
      finish(error);
    } catch (abortError) {
      finish(abortError);
    }
  }
}
