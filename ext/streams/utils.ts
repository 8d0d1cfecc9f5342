/**
 * Questions about streams of any kind: node:stream's, older ones that only emit events, http messages, and
 * web streams. Many of them answer null for "cannot tell".
 */

import type { WritableStream } from "internal/streams/webstreams/writable";
import type {
  WebReadable,
  Anything,
  NodeReadable,
  NodeStream,
  NodeWritable,
  NodeDuplex,
  StreamLike,
  WebPair,
} from "internal/streams/types";

// Set on (or answered by) streams of other libraries, and by web streams, so they can be asked as well.
export const kIsDestroyed = Symbol.for("nodejs.stream.destroyed");
const kIsErrored = Symbol.for("nodejs.stream.errored");
const kIsReadable = Symbol.for("nodejs.stream.readable");
const kIsWritable = Symbol.for("nodejs.stream.writable");
const kIsDisturbed = Symbol.for("nodejs.stream.disturbed");
export const kIsClosedPromise = Symbol.for("nodejs.webstream.isClosedPromise");
export const kControllerErrorFunction = Symbol.for("nodejs.webstream.controllerErrorFunction");

/** Has pipe() and on(); `strict` asks for pause() and resume() too. */
export function isReadableNodeStream(stream: Anything, strict?: boolean): stream is NodeReadable;
export function isReadableNodeStream(stream: StreamLike | null | undefined, strict = false): boolean {
  return Boolean(
    stream &&
    typeof stream.pipe === "function" &&
    typeof stream.on === "function" &&
    (!strict || (typeof stream.pause === "function" && typeof stream.resume === "function")) &&
    (!stream._writableState || stream._readableState?.readable !== false) &&
    // A Writable has a pipe() too, which throws.
    (!stream._writableState || stream._readableState),
  );
}

export function isWritableNodeStream(stream: Anything): stream is NodeWritable;
export function isWritableNodeStream(stream: StreamLike | null | undefined): boolean {
  return Boolean(
    stream &&
    typeof stream.write === "function" &&
    typeof stream.on === "function" &&
    (!stream._readableState || stream._writableState?.writable !== false),
  );
}

export function isDuplexNodeStream(stream: Anything): stream is NodeDuplex;
export function isDuplexNodeStream(stream: StreamLike | null | undefined): boolean {
  return Boolean(
    stream &&
    typeof stream.pipe === "function" &&
    stream._readableState &&
    typeof stream.on === "function" &&
    typeof stream.write === "function",
  );
}

export function isNodeStream(stream: Anything): stream is NodeStream;
export function isNodeStream(stream: StreamLike | null | undefined): boolean {
  return Boolean(
    stream &&
    (stream._readableState ||
      stream._writableState ||
      (typeof stream.write === "function" && typeof stream.on === "function") ||
      (typeof stream.pipe === "function" && typeof stream.on === "function")),
  );
}

/** A web ReadableStream, by its shape. */
export function isReadableStream(stream: Anything): stream is WebReadable;
export function isReadableStream(stream: StreamLike | null | undefined): boolean {
  return Boolean(
    stream &&
    !isNodeStream(stream) &&
    typeof stream.pipeThrough === "function" &&
    typeof stream.getReader === "function" &&
    typeof stream.cancel === "function",
  );
}

/** A web WritableStream, by its shape. */
export function isWritableStream(stream: Anything): stream is WritableStream;
export function isWritableStream(stream: StreamLike | null | undefined): boolean {
  return Boolean(
    stream && !isNodeStream(stream) && typeof stream.getWriter === "function" && typeof stream.abort === "function",
  );
}

/** A web TransformStream (or any pair), by its shape. */
export function isTransformStream(stream: Anything): stream is WebPair;
export function isTransformStream(stream: StreamLike | null | undefined): boolean {
  return Boolean(
    stream && !isNodeStream(stream) && typeof stream.readable === "object" && typeof stream.writable === "object",
  );
}

export function isWebStream(stream: Anything): stream is WebReadable | WritableStream | WebPair;
export function isWebStream(stream: StreamLike | null | undefined): boolean {
  return isReadableStream(stream) || isWritableStream(stream) || isTransformStream(stream);
}

/** `isAsync` true or false asks for that kind only. */
export function isIterable(value: Anything, isAsync?: boolean): value is Iterable<unknown> | AsyncIterable<unknown>;
export function isIterable(
  value: { [Symbol.iterator]?: unknown; [Symbol.asyncIterator]?: unknown } | null | undefined,
  isAsync?: boolean,
): boolean {
  if (value == null) return false;
  if (isAsync === true) return typeof value[Symbol.asyncIterator] === "function";
  if (isAsync === false) return typeof value[Symbol.iterator] === "function";
  return typeof value[Symbol.asyncIterator] === "function" || typeof value[Symbol.iterator] === "function";
}

export function isDestroyed(stream: Anything): boolean | null;
export function isDestroyed(stream: StreamLike | null | undefined): boolean | null {
  if (!isNodeStream(stream)) return null;
  const state = stream._writableState || stream._readableState;
  return Boolean(stream.destroyed || stream[kIsDestroyed] || state?.destroyed);
}

/** end() has been called. */
export function isWritableEnded(stream: Anything): boolean | null;
export function isWritableEnded(stream: StreamLike | null | undefined): boolean | null {
  if (!isWritableNodeStream(stream)) return null;
  if (stream.writableEnded === true) return true;
  const w = stream._writableState;
  if (w?.errored) return false;
  if (typeof w?.ended !== "boolean") return null;
  return w.ended;
}

/** `finish` has been emitted (or, not `strict`, is bound to be). */
export function isWritableFinished(stream: Anything, strict?: boolean): boolean | null;
export function isWritableFinished(stream: StreamLike | null | undefined, strict?: boolean): boolean | null {
  if (!isWritableNodeStream(stream)) return null;
  if (stream.writableFinished === true) return true;
  const w = stream._writableState;
  if (w?.errored) return false;
  if (typeof w?.finished !== "boolean") return null;
  return Boolean(w.finished || (strict === false && w.ended === true && w.length === 0));
}

/** `end` has been emitted (or, not `strict`, is bound to be). */
export function isReadableFinished(stream: Anything, strict?: boolean): boolean | null;
export function isReadableFinished(stream: StreamLike | null | undefined, strict?: boolean): boolean | null {
  if (!isReadableNodeStream(stream)) return null;
  const r = stream._readableState;
  if (r?.errored) return false;
  if (typeof r?.endEmitted !== "boolean") return null;
  return Boolean(r.endEmitted || (strict === false && r.ended === true && r.length === 0));
}

/** stream.isReadable(): can still be read; null if it is no readable stream at all. */
export function isReadable(stream: Anything): boolean | null;
export function isReadable(stream: StreamLike | null | undefined): boolean | null {
  if (stream && stream[kIsReadable] != null) return stream[kIsReadable] as boolean;
  if (typeof stream?.readable !== "boolean") return null;
  if (isDestroyed(stream)) return false;
  return isReadableNodeStream(stream) && stream.readable && !isReadableFinished(stream);
}

/** stream.isWritable(): can still be written; null if it is no writable stream at all. */
export function isWritable(stream: Anything): boolean | null;
export function isWritable(stream: StreamLike | null | undefined): boolean | null {
  if (stream && stream[kIsWritable] != null) return stream[kIsWritable] as boolean;
  if (typeof stream?.writable !== "boolean") return null;
  if (isDestroyed(stream)) return false;
  return isWritableNodeStream(stream) && stream.writable && !isWritableEnded(stream);
}

/** Neither half (of those `options` asks about) has anything left to do. */
export function isFinished(stream: Anything, options?: { readable?: boolean; writable?: boolean }): boolean | null;
export function isFinished(
  stream: StreamLike | null | undefined,
  options?: { readable?: boolean; writable?: boolean },
): boolean | null {
  if (!isNodeStream(stream)) return null;
  if (isDestroyed(stream)) return true;
  if (options?.readable !== false && isReadable(stream)) return false;
  if (options?.writable !== false && isWritable(stream)) return false;
  return true;
}

export function isWritableErrored(stream: Anything): unknown;
export function isWritableErrored(stream: StreamLike | null | undefined): unknown {
  if (!isNodeStream(stream)) return null;
  if (stream.writableErrored) return stream.writableErrored;
  return stream._writableState?.errored ?? null;
}

export function isReadableErrored(stream: Anything): unknown;
export function isReadableErrored(stream: StreamLike | null | undefined): unknown {
  if (!isNodeStream(stream)) return null;
  if (stream.readableErrored) return stream.readableErrored;
  return stream._readableState?.errored ?? null;
}

/** The underlying resource is closed; null if the stream does not tell. */
export function isClosed(stream: Anything): boolean | null;
export function isClosed(stream: StreamLike | null | undefined): boolean | null {
  if (!isNodeStream(stream)) return null;
  if (typeof stream.closed === "boolean") return stream.closed;
  const w = stream._writableState;
  const r = stream._readableState;
  if (typeof w?.closed === "boolean" || typeof r?.closed === "boolean") return (w?.closed || r?.closed) as boolean;
  // http.OutgoingMessage has no states.
  if (typeof stream._closed === "boolean" && isOutgoingMessage(stream)) return stream._closed;
  return null;
}

function isOutgoingMessage(stream: StreamLike): boolean {
  return (
    typeof stream._closed === "boolean" &&
    typeof stream._defaultKeepAlive === "boolean" &&
    typeof stream._removedConnection === "boolean" &&
    typeof stream._removedContLen === "boolean"
  );
}

/** An http.ServerResponse, by its shape. */
function isServerResponse(stream: StreamLike): boolean {
  return typeof stream._sent100 === "boolean" && isOutgoingMessage(stream);
}

/** An http.IncomingMessage on the server's side, by its shape. */
export function isServerRequest(stream: NonNullable<Anything>): boolean;
export function isServerRequest(stream: StreamLike): boolean {
  return (
    typeof stream._consuming === "boolean" &&
    typeof stream._dumped === "boolean" &&
    stream.req?.upgradeOrConnect === undefined
  );
}

/** Will the stream emit `close` once it is through? */
export function willEmitClose(stream: Anything): boolean | null;
export function willEmitClose(stream: StreamLike | null | undefined): boolean | null {
  if (!isNodeStream(stream)) return null;
  const w = stream._writableState;
  const r = stream._readableState;
  const state = w || r;
  return (
    (!state && isServerResponse(stream)) || Boolean(state?.autoDestroy && state.emitClose && state.closed === false)
  );
}

/** stream.isDisturbed(): something has been read from it, or it was cancelled. */
export function isDisturbed(stream: Anything): boolean;
export function isDisturbed(stream: StreamLike | null | undefined): boolean {
  return Boolean(stream && (stream[kIsDisturbed] ?? (stream.readableDidRead || stream.readableAborted)));
}

/** stream.isErrored(). */
export function isErrored(stream: Anything): boolean;
export function isErrored(stream: StreamLike | null | undefined): boolean {
  return Boolean(
    stream &&
    (stream[kIsErrored] ??
      stream.readableErrored ??
      stream.writableErrored ??
      stream._readableState?.errorEmitted ??
      stream._writableState?.errorEmitted ??
      stream._readableState?.errored ??
      stream._writableState?.errored),
  );
}
