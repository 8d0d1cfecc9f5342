/**
 * stream.finished(): one callback when a stream has ended, finished, failed or closed too early, whatever
 * kind of stream it is (https://nodejs.org/api/stream.html#streamfinishedstream-options-callback).
 */
import { bindContext } from "internal/events/async_context";
import type { Anything, Done, FinishedOptions, NodeStream, StreamLike } from "internal/streams/types";
import { codes, AbortError } from "internal/core/errors";
import { validateAbortSignal, validateBoolean, validateFunction, validateObject } from "internal/core/validators";
import {
  isClosed,
  isNodeStream,
  isReadable,
  isReadableErrored,
  isReadableFinished,
  isReadableNodeStream,
  isReadableStream,
  isWritable,
  isWritableErrored,
  isWritableFinished,
  isWritableNodeStream,
  isWritableStream,
  kIsClosedPromise,
  willEmitClose as willEmitCloseEvent,
} from "internal/streams/utils";

function isRequest(stream: NodeStream): boolean {
  return (stream.setHeader as boolean) && typeof stream.abort === "function";
}

function nop() {}

/** Calls `callback` the first time only. */
function once(callback: Done) {
  let called = false;
  return function (this: unknown, ...args: unknown[]) {
    if (called) return;
    called = true;
    Reflect.apply(callback, this, args as [unknown]);
  };
}

/** See the file's head. Returns a function that removes all listeners again. */
export function eos(stream: Anything, options: FinishedOptions | Done | null | undefined, callback?: Done): () => void {
  if (arguments.length === 2) {
    callback = options as Done;
    options = {};
  } else if (options == null) {
    options = {};
  } else {
    validateObject(options, "options");
  }
  validateFunction(callback, "callback");
  validateAbortSignal((options as FinishedOptions).signal, "options.signal");

  callback = once(bindContext(callback as Done));

  if (isReadableStream(stream) || isWritableStream(stream))
    return eosWeb(stream as unknown as StreamLike, options as FinishedOptions, callback);
  if (!isNodeStream(stream)) {
    throw new codes.ERR_INVALID_ARG_TYPE("stream", ["ReadableStream", "WritableStream", "Stream"], stream);
  }

  const readable = (options as FinishedOptions).readable ?? isReadableNodeStream(stream);
  const writable = (options as FinishedOptions).writable ?? isWritableNodeStream(stream);
  const w = stream._writableState;
  const r = stream._readableState;

  // A stream that emits `close` is waited for until then, but only if the caller waits for all of it:
  // half a duplex can be over long before the duplex closes.
  let willEmitClose =
    willEmitCloseEvent(stream) &&
    isReadableNodeStream(stream) === readable &&
    isWritableNodeStream(stream) === writable;

  let writableFinished = isWritableFinished(stream, false);
  let readableFinished = isReadableFinished(stream, false);
  let closed = isClosed(stream);

  const onlegacyfinish = () => {
    if (!stream.writable) onfinish();
  };
  const onfinish = () => {
    writableFinished = true;
    if (stream.destroyed) willEmitClose = false;
    if (willEmitClose && (!stream.writable || readable)) return;
    if (!readable || readableFinished) callback!.call(stream);
  };
  const onend = () => {
    readableFinished = true;
    if (stream.destroyed) willEmitClose = false;
    if (willEmitClose && (!stream.readable || writable)) return;
    if (!writable || writableFinished) callback!.call(stream);
  };
  const onerror = (error: NodeError | null | undefined) => {
    callback!.call(stream, error);
  };
  const onclose = () => {
    closed = true;
    const error = isWritableErrored(stream) || isReadableErrored(stream);
    if (error && typeof error !== "boolean") return callback!.call(stream, error);
    if (readable && !readableFinished && isReadableNodeStream(stream, true)) {
      if (!isReadableFinished(stream, false)) return callback!.call(stream, new codes.ERR_STREAM_PREMATURE_CLOSE());
    }
    if (writable && !writableFinished) {
      if (!isWritableFinished(stream, false)) return callback!.call(stream, new codes.ERR_STREAM_PREMATURE_CLOSE());
    }
    callback!.call(stream);
  };
  // For streams that closed before we came: no `close` event tells.
  const onclosed = () => {
    closed = true;
    const error = isWritableErrored(stream) || isReadableErrored(stream);
    if (error && typeof error !== "boolean") return callback!.call(stream, error);
    callback!.call(stream);
  };
  const onrequest = () => {
    stream.req!.on("finish", onfinish);
  };

  if (isRequest(stream)) {
    stream.on("complete", onfinish);
    if (!willEmitClose) stream.on("abort", onclose);
    if (stream.req) onrequest();
    else stream.on("request", onrequest);
  } else if (writable && !w) {
    stream.on("end", onlegacyfinish);
    stream.on("close", onlegacyfinish);
  }
  // Not all streams will emit `close` after `aborted`.
  if (!willEmitClose && typeof stream.aborted === "boolean") stream.on("aborted", onclose);

  stream.on("end", onend);
  stream.on("finish", onfinish);
  if (options.error !== false) stream.on("error", onerror);
  stream.on("close", onclose);

  if (closed) {
    process.nextTick(onclose);
  } else if (w?.errorEmitted || r?.errorEmitted) {
    if (!willEmitClose) process.nextTick(onclosed);
  } else if (
    !readable &&
    (!willEmitClose || isReadable(stream)) &&
    (writableFinished || isWritable(stream) === false) &&
    !w?.pendingcb
  ) {
    process.nextTick(onclosed);
  } else if (
    !writable &&
    (!willEmitClose || isWritable(stream)) &&
    (readableFinished || isReadable(stream) === false)
  ) {
    process.nextTick(onclosed);
  } else if (r && stream.req && stream.aborted) {
    process.nextTick(onclosed);
  }

  const cleanup = () => {
    callback = nop;
    stream.removeListener("aborted", onclose);
    stream.removeListener("complete", onfinish);
    stream.removeListener("abort", onclose);
    stream.removeListener("request", onrequest);
    if (stream.req) stream.req.removeListener("finish", onfinish);
    stream.removeListener("end", onlegacyfinish);
    stream.removeListener("close", onlegacyfinish);
    stream.removeListener("finish", onfinish);
    stream.removeListener("end", onend);
    stream.removeListener("error", onerror);
    stream.removeListener("close", onclose);
  };

  if (options.signal && !closed) {
    callback = withSignal(stream, (options as FinishedOptions).signal!, callback, (next) => {
      const last = callback!;
      cleanup();
      next(last);
    });
  }
  return cleanup;
}

/**
 * Wires an AbortSignal: aborting calls `onAbort`, which hands over the callback to call with the
 * AbortError. Returns the callback that also lets go of the signal.
 */
function withSignal(
  stream: Anything,
  signal: AbortSignal,
  callback: Done,
  onAbort: (next: (last: Done) => void) => void,
): Done {
  const abort = () =>
    onAbort((last) => {
      last.call(stream, new AbortError(undefined, { cause: signal.reason }));
    });
  if (signal.aborted) {
    process.nextTick(abort);
    return callback;
  }
  const { addAbortListener } = require("node:events");
  const disposable = addAbortListener(signal, abort);
  return once((...args: unknown[]) => {
    disposable[Symbol.dispose]();
    Reflect.apply(callback, stream, args as [unknown]);
  });
}

function eosWeb(stream: StreamLike, options: FinishedOptions, callback: Done): () => void {
  let aborted = false;
  let abort = nop;
  if (options.signal) {
    abort = () => {
      aborted = true;
      callback.call(stream, new AbortError(undefined, { cause: options.signal!.reason }));
    };
    if (options.signal.aborted) {
      process.nextTick(abort);
    } else {
      const { addAbortListener } = require("node:events");
      const disposable = addAbortListener(options.signal, abort);
      const inner = callback;
      callback = once((...args: unknown[]) => {
        disposable[Symbol.dispose]();
        Reflect.apply(inner, stream, args as [unknown]);
      });
    }
  }
  const settled = (...args: unknown[]) => {
    if (!aborted) process.nextTick(() => callback.apply(stream, args as [unknown]));
  };
  (stream[kIsClosedPromise] as { promise: Promise<void> }).promise.then(settled, settled);
  return nop;
}

/** stream/promises finished(): the same as a promise; `options.cleanup` removes the listeners afterwards. */
export function finished(stream: Anything, options?: FinishedOptions | null): Promise<void> {
  let autoCleanup = false;
  if (options == null) options = {};
  if (options?.cleanup !== undefined) {
    validateBoolean(options.cleanup, "cleanup");
    autoCleanup = options.cleanup;
  }
  return new Promise((resolve, reject) => {
    const cleanup = eos(stream, options, (error: unknown) => {
      if (autoCleanup) cleanup();
      if (error) reject(error);
      else resolve();
    });
  });
}
