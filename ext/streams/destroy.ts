/**
 * How streams begin and end their life: `_construct`, `destroy()`, and the order in which `error` and
 * `close` follow. Shared by Readable, Writable and Duplex; on a Duplex both states move together.
 */
import { codes, aggregateTwoErrors, AbortError } from "internal/core/errors";
import {
  AUTO_DESTROY,
  CLOSED,
  CLOSE_EMITTED,
  CONSTRUCTED,
  DESTROYED,
  EMIT_CLOSE,
  ERROR_EMITTED,
} from "internal/streams/state";
import type { Anything, Done, NodeStream, ReadableState, WritableState } from "internal/streams/types";

const kDestroy = Symbol("kDestroy");
const kConstruct = Symbol("kConstruct");

/** Remembers the first error on both halves. */
function noteError(error: unknown, r: ReadableState | undefined, w: WritableState | undefined): void {
  if (!error) return;
  // Reading `stack` makes engines that build it lazily do so now, while it still describes this place.
  (error as Error).stack; // eslint-disable-line no-unused-expressions
  if (w && !w.errored) w.errored = error;
  if (r && !r.errored) r.errored = error;
}

/**
 * stream.destroy([error][, callback]). The callback is internal: it gets the error `_destroy` ended with,
 * right before `error` and `close` are scheduled.
 */
export function destroy(this: NodeStream, error?: unknown, callback?: Done): NodeStream {
  const r = this._readableState;
  const w = this._writableState;
  const state = (w || r)!;

  if ((w && (w.flags & DESTROYED) !== 0) || (r && (r.flags & DESTROYED) !== 0)) {
    if (typeof callback === "function") callback();
    return this;
  }

  noteError(error, r, w);
  if (w) w.flags |= DESTROYED;
  if (r) r.flags |= DESTROYED;

  if ((state.flags & CONSTRUCTED) === 0) {
    // `_destroy` may rely on what `_construct` sets up, so it waits for it.
    this.once(kDestroy, function (this: NodeStream, constructError: unknown) {
      runDestroy(this, aggregateTwoErrors(constructError, error), callback);
    });
  } else {
    runDestroy(this, error, callback);
  }
  return this;
}

function runDestroy(stream: NodeStream, error: unknown, callback?: Done): void {
  let done = false;

  function finished(result?: unknown) {
    if (done) return;
    done = true;

    const r = stream._readableState;
    const w = stream._writableState;
    noteError(result, r, w);
    if (w) w.flags |= CLOSED;
    if (r) r.flags |= CLOSED;
    if (typeof callback === "function") callback(result);
    if (result) process.nextTick(emitErrorThenClose, stream, result);
    else process.nextTick(emitClose, stream);
  }

  try {
    stream._destroy(error || null, finished);
  } catch (thrown) {
    finished(thrown);
  }
}

function emitErrorThenClose(stream: NodeStream, error: unknown): void {
  emitError(stream, error);
  emitClose(stream);
}

function emitClose(stream: NodeStream): void {
  const r = stream._readableState;
  const w = stream._writableState;
  if (w) w.flags |= CLOSE_EMITTED;
  if (r) r.flags |= CLOSE_EMITTED;
  if ((w && (w.flags & EMIT_CLOSE) !== 0) || (r && (r.flags & EMIT_CLOSE) !== 0)) stream.emit("close");
}

function emitError(stream: NodeStream, error: unknown): void {
  const r = stream._readableState;
  const w = stream._writableState;
  if ((w && (w.flags & ERROR_EMITTED) !== 0) || (r && (r.flags & ERROR_EMITTED) !== 0)) return;
  if (w) w.flags |= ERROR_EMITTED;
  if (r) r.flags |= ERROR_EMITTED;
  stream.emit("error", error);
}

/** Takes destroy() back, for sockets that reconnect. */
export function undestroy(this: NodeStream): void {
  const r = this._readableState;
  const w = this._writableState;
  if (r) {
    r.constructed = true;
    r.closed = false;
    r.closeEmitted = false;
    r.destroyed = false;
    r.errored = null;
    r.errorEmitted = false;
    r.reading = false;
    r.ended = r.readable === false;
    r.endEmitted = r.readable === false;
  }
  if (w) {
    w.constructed = true;
    w.destroyed = false;
    w.closed = false;
    w.closeEmitted = false;
    w.errored = null;
    w.errorEmitted = false;
    w.finalCalled = false;
    w.prefinished = false;
    w.ended = w.writable === false;
    w.ending = w.writable === false;
    w.finished = w.writable === false;
  }
}

/**
 * The stream has met `error`: destroys it where it destroys itself (autoDestroy), else only emits `error`,
 * in the next tick when `sync` says that user code is on the stack.
 */
export function errorOrDestroy(stream: NodeStream, error: unknown, sync?: boolean): void {
  const r = stream._readableState;
  const w = stream._writableState;
  if ((w && (w.flags & DESTROYED) !== 0) || (r && (r.flags & DESTROYED) !== 0)) return;

  if ((r && (r.flags & AUTO_DESTROY) !== 0) || (w && (w.flags & AUTO_DESTROY) !== 0)) {
    stream.destroy(error);
  } else if (error) {
    noteError(error, r, w);
    if (sync) process.nextTick(emitError, stream, error);
    else emitError(stream, error);
  }
}

/** Runs `stream._construct` (if there is one) in the next tick; `onConstructed` follows its success. */
export function construct(stream: NodeStream, onConstructed: () => void): void {
  if (typeof stream._construct !== "function") return;
  const r = stream._readableState;
  const w = stream._writableState;
  if (r) r.flags &= ~CONSTRUCTED;
  if (w) w.flags &= ~CONSTRUCTED;

  stream.once(kConstruct, onConstructed);
  // Both halves of a hand-made duplex ask for it; it runs once.
  if (stream.listenerCount(kConstruct) > 1) return;
  process.nextTick(runConstruct, stream);
}

function runConstruct(stream: NodeStream): void {
  let called = false;

  function onConstruct(error?: unknown) {
    if (called) {
      errorOrDestroy(stream, error ?? new codes.ERR_MULTIPLE_CALLBACK());
      return;
    }
    called = true;

    const r = stream._readableState;
    const w = stream._writableState;
    if (r) r.flags |= CONSTRUCTED;
    if (w) w.flags |= CONSTRUCTED;

    if (((w || r)!.flags & DESTROYED) !== 0) stream.emit(kDestroy, error);
    else if (error) errorOrDestroy(stream, error, true);
    else stream.emit(kConstruct);
  }

  try {
    stream._construct!((error?: unknown) => {
      process.nextTick(onConstruct, error);
    });
  } catch (thrown) {
    process.nextTick(onConstruct, thrown);
  }
}

function emitCloseLegacy(stream: NodeStream): void {
  stream.emit("close");
}

function emitErrorCloseLegacy(stream: NodeStream, error: unknown): void {
  stream.emit("error", error);
  process.nextTick(emitCloseLegacy, stream);
}

/**
 * stream.destroy(anyStream, error): destroys whatever kind of stream it is given, old or new, client
 * request or server request. Without an error, a stream that has not finished gets an AbortError.
 */
export function destroyer(stream: Anything, error?: unknown): void;
export function destroyer(stream: Partial<NodeStream> | null | undefined, error?: unknown): void {
  const utils = require("internal/streams/utils");
  if (!stream || utils.isDestroyed(stream)) return;
  if (!error && !utils.isFinished(stream)) error = new AbortError();

  if (utils.isServerRequest(stream)) {
    // The response still needs the connection.
    stream.socket = null;
    stream.destroy!(error);
  } else if (isClientRequest(stream)) {
    stream.abort!();
  } else if (isClientRequest(stream.req)) {
    stream.req!.abort!();
  } else if (typeof stream.destroy === "function") {
    stream.destroy(error);
  } else if (typeof stream.close === "function") {
    // Nothing to hand the error to.
    stream.close();
  } else if (error) {
    process.nextTick(emitErrorCloseLegacy, stream, error);
  } else {
    process.nextTick(emitCloseLegacy, stream);
  }

  if (!stream.destroyed) stream[utils.kIsDestroyed] = true;
}

/** An object in the style of the `request` package: a header setter that aborts instead of being destroyed. */
function isClientRequest(stream: Partial<NodeStream> | null | undefined): boolean {
  return Boolean(stream && stream.setHeader && typeof stream.abort === "function");
}
