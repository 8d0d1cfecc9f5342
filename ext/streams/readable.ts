/**
 * Readable: the source half of node:stream (https://nodejs.org/api/stream.html#readable-streams).
 *
 * Chunks arrive through push() and leave through read(), by `data` events while the stream flows, or by
 * `readable` events and explicit reads while it does not. Piping, async iteration, Readable.from, the
 * iterator-style operators and the bridges to web streams are modules of their own, loaded on first use.
 */
import buffer from "node:buffer";
import { codes, AbortError } from "internal/core/errors";
import type { EventName } from "internal/events/types";
import { Stream } from "internal/streams/legacy";
import { construct, destroy, errorOrDestroy, undestroy } from "internal/streams/destroy";
import {
  AUTO_DESTROY,
  CLOSE_EMITTED,
  CONSTRUCTED,
  DESTROYED,
  ERROR_EMITTED,
  OBJECT_MODE,
  SYNC,
  defineAccessors,
  viewToBuffer,
} from "internal/streams/state";
import {
  DATA_EMITTED,
  EMITTED_READABLE,
  ENDED,
  END_EMITTED,
  FLOWING,
  HAS_FLOWING,
  HAS_PAUSED,
  MULTI_AWAIT_DRAIN,
  NEED_READABLE,
  PAUSED,
  READABLE_LISTENING,
  READING,
  READING_MORE,
  RESUME_SCHEDULED,
  ReadableState,
} from "internal/streams/readable_state";
import type {
  Chunk,
  Source,
  Done,
  LegacyStream,
  NodeReadable,
  NodeDuplex,
  NodeStream,
  NodeWritable,
  ReadableConstructor,
  ReadableState as State,
  ReadableStateConstructor,
  StreamOptions,
  WebOptions,
} from "internal/streams/types";

const { Buffer } = buffer;

const base: NodeStream = Stream.prototype;

/** `new Readable([options])`; callable without `new`, so that older code can inherit from it. */
export function Readable(this: NodeReadable, options?: StreamOptions): unknown {
  if (new.target === undefined && !(this instanceof (Readable as ReadableConstructor)))
    return new (Readable as ReadableConstructor)(options);

  (Stream as { call(...values: unknown[]): unknown }).call(this, options);
  this._readableState = new (ReadableState as ReadableStateConstructor)(options, this);

  if (options) {
    if (typeof options.read === "function") this._read = options.read;
    if (typeof options.destroy === "function") this._destroy = options.destroy;
    if (typeof options.construct === "function") this._construct = options.construct;
    if (options.signal) require("internal/streams/add_abort_signal").addAbortSignal(options.signal, this);
  }
  if (this._construct != null) construct(this, () => afterConstruct(this));
}
Object.setPrototypeOf(Readable.prototype, base);
Object.setPrototypeOf(Readable, Stream);

const proto: NodeReadable = Readable.prototype;

Readable.ReadableState = ReadableState;

/** A read that was asked for while the stream was still constructing starts now. */
export function afterConstruct(stream: NodeReadable): void {
  if ((stream._readableState.flags & NEED_READABLE) !== 0) maybeReadMore(stream, stream._readableState);
}

proto.destroy = destroy as NodeReadable["destroy"];
proto._undestroy = undestroy;
proto._destroy = function (error: unknown, callback: Done) {
  callback(error);
};
proto[Symbol.for("nodejs.rejection")] = function (error: unknown) {
  this.destroy(error);
};
proto[Symbol.asyncDispose] = function () {
  let error: AbortError | null;
  if (!this.destroyed) {
    error = this.readableEnded ? null : new AbortError();
    this.destroy(error);
  }
  return new Promise((resolve, reject) => {
    const { eos } = require("internal/streams/end_of_stream");
    eos(this, (reason: NodeError) => (reason && reason !== error ? reject(reason) : resolve(null)));
  });
};

// ---------------------------------------------------------------------------------------------------
// Putting in

/**
 * Hands a chunk to the stream from `_read`; null ends it. Returns false when the buffer is full and the
 * source should wait for the next `_read`.
 */
proto.push = function (chunk: unknown, encoding?: string): boolean {
  const state = this._readableState;
  return (state.flags & OBJECT_MODE) === 0
    ? pushBytes(this, state, chunk as Chunk | null, encoding)
    : pushObject(this, state, chunk, encoding);
};

/** Puts a chunk back at the front of the buffer. */
proto.unshift = function (chunk: unknown, encoding?: string): boolean {
  const state = this._readableState;
  return (state.flags & OBJECT_MODE) === 0
    ? unshiftBytes(this, state, chunk as Chunk | null, encoding)
    : unshiftObject(this, state, chunk);
};

function wantsMore(state: State): boolean {
  return (state.flags & ENDED) === 0 && (state.length < state.highWaterMark || state.length === 0);
}

function rejectChunk(stream: NodeReadable, chunk: unknown): boolean {
  errorOrDestroy(
    stream,
    new codes.ERR_INVALID_ARG_TYPE("chunk", ["string", "Buffer", "TypedArray", "DataView"], chunk),
  );
  return false;
}

/**
 * A string chunk in the form the stream buffers: its own encoding's string if it decodes, else bytes.
 */
function convertString(state: State, chunk: string, encoding: string): Chunk {
  if (state.encoding === encoding) return chunk;
  if (state.encoding) return Buffer.from(chunk, encoding).toString(state.encoding);
  return Buffer.from(chunk, encoding);
}

function pushBytes(stream: NodeReadable, state: State, chunk: Chunk | null, encoding?: string): boolean {
  if (chunk === null) {
    state.flags &= ~READING;
    endOfInput(stream, state);
    return false;
  }

  // True for text that is already in the stream's own encoding and must not go through the decoder.
  let decoded = false;
  if (typeof chunk === "string") {
    const from = encoding || state.defaultEncoding;
    if (state.encoding) {
      decoded = true;
      if (state.encoding !== from) chunk = Buffer.from(chunk, from).toString(state.encoding);
    } else {
      chunk = Buffer.from(chunk, from);
    }
  } else if (!(chunk instanceof Buffer)) {
    if (ArrayBuffer.isView(chunk)) chunk = viewToBuffer(chunk);
    else if (chunk !== undefined) return rejectChunk(stream, chunk);
  }

  if (!chunk || chunk.length <= 0) {
    // An empty chunk carries nothing but ends the pending _read.
    state.flags &= ~READING;
    maybeReadMore(stream, state);
    return wantsMore(state);
  }
  if ((state.flags & ENDED) !== 0) {
    errorOrDestroy(stream, new codes.ERR_STREAM_PUSH_AFTER_EOF());
    return false;
  }
  if ((state.flags & DESTROYED) !== 0 || state.errored) return false;

  state.flags &= ~READING;
  if (state.decoder !== null && !decoded) {
    chunk = state.decoder.write(chunk);
    if (chunk.length === 0) {
      // Half a character: nothing to show yet.
      maybeReadMore(stream, state);
      return wantsMore(state);
    }
  }
  insertLast(stream, state, chunk, chunk.length);
  return wantsMore(state);
}

function pushObject(stream: NodeReadable, state: State, chunk: unknown, encoding?: string): boolean {
  if (chunk === null) {
    state.flags &= ~READING;
    endOfInput(stream, state);
    return false;
  }
  if ((state.flags & ENDED) !== 0) {
    errorOrDestroy(stream, new codes.ERR_STREAM_PUSH_AFTER_EOF());
    return false;
  }
  if ((state.flags & DESTROYED) !== 0 || state.errored) return false;

  state.flags &= ~READING;
  if (state.decoder !== null && !encoding) chunk = state.decoder.write(chunk as Chunk);
  insertLast(stream, state, chunk, 1);
  return wantsMore(state);
}

function unshiftBytes(stream: NodeReadable, state: State, chunk: Chunk | null, encoding?: string): boolean {
  if (chunk === null) {
    state.flags &= ~READING;
    endOfInput(stream, state);
    return false;
  }
  if (typeof chunk === "string") {
    chunk = convertString(state, chunk, encoding || state.defaultEncoding);
  } else if (ArrayBuffer.isView(chunk)) {
    if (!(chunk instanceof Buffer)) chunk = viewToBuffer(chunk);
  } else if (chunk !== undefined) {
    return rejectChunk(stream, chunk);
  }
  if (!chunk || chunk.length <= 0) return wantsMore(state);
  return insertFirst(stream, state, chunk, chunk.length);
}

function unshiftObject(stream: NodeReadable, state: State, chunk: unknown): boolean {
  if (chunk === null) {
    state.flags &= ~READING;
    endOfInput(stream, state);
    return false;
  }
  return insertFirst(stream, state, chunk, 1);
}

/** listenerCount("data") > 0, for emitters of ours (others have no `_events`). */
function hasDataListener(stream: NodeReadable): boolean {
  const { _events } = stream;
  return _events !== undefined && _events.data !== undefined;
}

/** Adds at the end, or emits directly when somebody is listening and nothing is waiting. */
function insertLast(stream: NodeReadable, state: State, chunk: unknown, size: number): void {
  if ((state.flags & (FLOWING | SYNC)) === FLOWING && state.length === 0 && hasDataListener(stream)) {
    emitDirectly(stream, state, chunk);
  } else {
    state.length += size;
    state.buffer.push(chunk);
    if ((state.flags & NEED_READABLE) !== 0) emitReadable(stream);
  }
  maybeReadMore(stream, state);
}

function insertFirst(stream: NodeReadable, state: State, chunk: unknown, size: number): boolean {
  if ((state.flags & END_EMITTED) !== 0) {
    errorOrDestroy(stream, new codes.ERR_STREAM_UNSHIFT_AFTER_END_EVENT());
    return wantsMore(state);
  }
  if ((state.flags & DESTROYED) !== 0 || state.errored) return false;

  if ((state.flags & (FLOWING | SYNC)) === FLOWING && state.length === 0 && hasDataListener(stream)) {
    emitDirectly(stream, state, chunk);
  } else {
    state.length += size;
    if (state.bufferIndex > 0) state.buffer[--state.bufferIndex] = chunk;
    else state.buffer.unshift(chunk);
    if ((state.flags & NEED_READABLE) !== 0) emitReadable(stream);
  }
  maybeReadMore(stream, state);
  return wantsMore(state);
}

function emitDirectly(stream: NodeReadable, state: State, chunk: unknown): void {
  forgetDrain(state);
  state.flags |= DATA_EMITTED;
  stream.emit("data", chunk);
}

/** Whoever we waited for has been overtaken: data is on its way out again. */
function forgetDrain(state: State): void {
  if ((state.flags & MULTI_AWAIT_DRAIN) !== 0) (state.awaitDrainWriters as Set<NodeWritable>).clear();
  else state.awaitDrainWriters = null;
}

/** push(null): flushes the decoder and lets readers know that no more will come. */
function endOfInput(stream: NodeReadable, state: State): void {
  if ((state.flags & ENDED) !== 0) return;
  if (state.decoder !== null) {
    const rest = state.decoder.end();
    if (rest && rest.length) {
      state.buffer.push(rest);
      state.length += (state.flags & OBJECT_MODE) !== 0 ? 1 : rest.length;
    }
  }
  state.flags |= ENDED;

  if ((state.flags & SYNC) !== 0) {
    // Inside _read: let it return first.
    emitReadable(stream);
  } else {
    state.flags = (state.flags & ~NEED_READABLE) | EMITTED_READABLE;
    emitReadableNow(stream);
  }
}

proto.isPaused = function (): boolean {
  const flags = this._readableState.flags;
  return (flags & PAUSED) !== 0 || (flags & (HAS_FLOWING | FLOWING)) === HAS_FLOWING;
};

/** From here on chunks are strings of `encoding`; what is buffered already is converted. */
proto.setEncoding = function (encoding: string) {
  const { StringDecoder } = require("node:string_decoder");
  const state = this._readableState;
  const decoder = new StringDecoder(encoding);
  state.decoder = decoder;
  // The decoder knows the canonical name.
  state.encoding = decoder.encoding;

  let content = "";
  for (let i = state.bufferIndex; i < state.buffer.length; i++) content += decoder.write(state.buffer[i] as Chunk);
  state.buffer = content === "" ? [] : [content];
  state.bufferIndex = 0;
  state.length = content.length;
  return this;
};

// ---------------------------------------------------------------------------------------------------
// Taking out

const MAX_HIGH_WATER_MARK = 0x40000000;

/** The next power of two, so that a growing sequence of read(n) does not raise the mark bit by bit. */
function raiseHighWaterMark(n: number): number {
  if (n > MAX_HIGH_WATER_MARK) {
    throw new codes.ERR_OUT_OF_RANGE("size", "<= 1GiB", n);
  }
  return n <= 1 ? 1 : 2 ** (32 - Math.clz32(n - 1));
}

/** How much of the buffer read(n) gives; NaN asks for everything (or, while flowing, the first chunk). */
function readableAmount(n: number, state: State): number {
  if (n <= 0 || (state.length === 0 && (state.flags & ENDED) !== 0)) return 0;
  if ((state.flags & OBJECT_MODE) !== 0) return 1;
  if (Number.isNaN(n)) {
    if ((state.flags & FLOWING) !== 0 && state.length) return (state.buffer[state.bufferIndex] as Chunk).length;
    return state.length;
  }
  if (n <= state.length) return n;
  return (state.flags & ENDED) !== 0 ? state.length : 0;
}

/** Takes `n` bytes (all without n), or null if that much is not there. See Node's readable.read(). */
proto.read = function (n?: number) {
  if (n === undefined) n = NaN;
  else if (!Number.isInteger(n)) n = Number.parseInt(n as unknown as string, 10);

  const state = this._readableState;
  const asked: number = n!;

  if (n! > state.highWaterMark) state.highWaterMark = raiseHighWaterMark(n!);
  if (n !== 0) state.flags &= ~EMITTED_READABLE;

  // read(0) with enough in the buffer only has to wake the reader.
  if (
    n === 0 &&
    (state.flags & NEED_READABLE) !== 0 &&
    ((state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0) ||
      (state.flags & ENDED) !== 0)
  ) {
    if (state.length === 0 && (state.flags & ENDED) !== 0) endReadable(this);
    else emitReadable(this);
    return null;
  }

  n = readableAmount(n!, state);
  if (n === 0 && (state.flags & ENDED) !== 0) {
    if (state.length === 0) endReadable(this);
    return null;
  }

  // Ask the source for more if somebody waits for it, or if this read leaves less than the mark.
  let refill = (state.flags & NEED_READABLE) !== 0;
  if (state.length === 0 || state.length - n < state.highWaterMark) refill = true;

  if (refill && (state.flags & (ENDED | READING | DESTROYED | CONSTRUCTED)) === CONSTRUCTED && !state.errored) {
    state.flags |= READING | SYNC;
    if (state.length === 0) state.flags |= NEED_READABLE;
    try {
      this._read(state.highWaterMark);
    } catch (error) {
      errorOrDestroy(this, error);
    }
    state.flags &= ~SYNC;
    // A source that pushed at once may have changed what there is to give.
    if ((state.flags & READING) === 0) n = readableAmount(asked, state);
  }

  const chunk = n > 0 ? takeFromBuffer(n, state) : null;
  if (chunk === null) {
    if (state.length <= state.highWaterMark) state.flags |= NEED_READABLE;
    else state.flags &= ~NEED_READABLE;
    n = 0;
  } else {
    state.length -= n;
    forgetDrain(state);
  }

  if (state.length === 0) {
    if ((state.flags & ENDED) === 0) state.flags |= NEED_READABLE;
    else if (asked !== n) endReadable(this);
  }

  if (chunk !== null && (state.flags & (ERROR_EMITTED | CLOSE_EMITTED)) === 0) {
    state.flags |= DATA_EMITTED;
    this.emit("data", chunk);
  }
  return chunk;
};

/** Removes `n` from the front of the buffer: one chunk, all of it joined, or an exact number of bytes. */
function takeFromBuffer(n: number, state: State): unknown {
  if (state.length === 0) return null;
  const buffer = state.buffer as Chunk[];
  const start: number = state.bufferIndex;

  if ((state.flags & OBJECT_MODE) !== 0) return takeFirst(state);

  if (!n || n >= state.length) {
    let all: Chunk;
    const count = buffer.length - start;
    if (state.decoder !== null) {
      all = "";
      for (let i = start; i < buffer.length; i++) all += buffer[i];
    } else if (count === 0) {
      all = Buffer.alloc(0);
    } else if (count === 1) {
      all = buffer[start];
    } else {
      all = Buffer.allocUnsafe(state.length);
      let at = 0;
      for (let i = start; i < buffer.length; i++) {
        (all as Buffer).set(buffer[i] as Buffer, at);
        at += buffer[i].length;
      }
    }
    state.buffer = [];
    state.bufferIndex = 0;
    return all;
  }

  const first = buffer[start];
  if (n === first.length) return takeFirst(state);
  if (n < first.length) {
    // The rest of the chunk stays, as a view of the same memory.
    buffer[start] = first.slice(n);
    return first.slice(0, n);
  }
  return takeAcross(n, state);
}

function takeFirst(state: State): unknown {
  const buffer = state.buffer;
  const index: number = state.bufferIndex;
  const chunk = buffer[index];
  if (index + 1 === buffer.length) {
    // Cutting an array by its length is slow; the usual case is a single chunk.
    if (index === 0) buffer.pop();
    else state.buffer = [];
    state.bufferIndex = 0;
    return chunk;
  }
  buffer[index] = null;
  if (index >= 1023) {
    buffer.splice(0, index + 1);
    state.bufferIndex = 0;
  } else {
    state.bufferIndex = index + 1;
  }
  return chunk;
}

function takeAcross(n: number, state: State): Chunk {
  const text = state.decoder !== null;
  let result: Chunk = text ? "" : Buffer.allocUnsafe(n);
  let missing = n;
  while (missing > 0) {
    const chunk = state.buffer[state.bufferIndex] as Chunk;
    const part = chunk.length <= missing ? chunk : chunk.slice(0, missing);
    if (text) (result as string) += part as string;
    else (result as Buffer).set(part as Buffer, n - missing);
    missing -= part.length;
    if (part.length === chunk.length) takeFirst(state);
    else state.buffer[state.bufferIndex] = chunk.slice(part.length);
  }
  return result;
}

Readable._fromList = function fromList(n: number, state: State): unknown {
  return takeFromBuffer(n, state);
};

// ---------------------------------------------------------------------------------------------------
// Events

/** Schedules `readable` unless it is scheduled already. */
function emitReadable(stream: NodeReadable): void {
  const state = stream._readableState;
  state.flags &= ~NEED_READABLE;
  if ((state.flags & EMITTED_READABLE) === 0) {
    state.flags |= EMITTED_READABLE;
    process.nextTick(emitReadableNow, stream);
  }
}

function emitReadableNow(stream: NodeReadable): void {
  const state = stream._readableState;
  if ((state.flags & DESTROYED) === 0 && !state.errored && (state.length || (state.flags & ENDED) !== 0)) {
    stream.emit("readable");
    state.flags &= ~EMITTED_READABLE;
  }
  // The next `readable` is due only if the listener left little enough behind.
  if ((state.flags & (FLOWING | ENDED)) === 0 && state.length <= state.highWaterMark) state.flags |= NEED_READABLE;
  else state.flags &= ~NEED_READABLE;
  flow(stream);
}

/** Fills the buffer up to the mark, a tick later, as long as the source answers synchronously. */
function maybeReadMore(stream: NodeReadable, state: State): void {
  if ((state.flags & (READING_MORE | CONSTRUCTED)) === CONSTRUCTED) {
    state.flags |= READING_MORE;
    process.nextTick(readMore, stream, state);
  }
}

function readMore(stream: NodeReadable, state: State): void {
  while (
    (state.flags & (READING | ENDED)) === 0 &&
    (state.length < state.highWaterMark || ((state.flags & FLOWING) !== 0 && state.length === 0))
  ) {
    const before = state.length;
    stream.read(0);
    if (before === state.length) break;
  }
  state.flags &= ~READING_MORE;
}

proto._read = function (_size: number): void {
  throw new codes.ERR_METHOD_NOT_IMPLEMENTED("_read()");
};

/** A `data` listener starts the flow, a `readable` listener stops it. */
proto.on = function (event, listener) {
  const result = base.on.call(this, event, listener) as NodeReadable;
  const state = this._readableState;

  if (event === "data") {
    if (this.listenerCount("readable") > 0) state.flags |= READABLE_LISTENING;
    else state.flags &= ~READABLE_LISTENING;
    // Not if somebody paused it explicitly.
    if ((state.flags & (HAS_FLOWING | FLOWING)) !== HAS_FLOWING) this.resume();
  } else if (event === "readable") {
    if ((state.flags & (END_EMITTED | READABLE_LISTENING)) === 0) {
      state.flags |= READABLE_LISTENING | NEED_READABLE | HAS_FLOWING;
      state.flags &= ~(FLOWING | EMITTED_READABLE);
      if (state.length) emitReadable(this);
      else if ((state.flags & READING) === 0) process.nextTick(readNothing, this);
    }
  }
  return result;
};
proto.addListener = proto.on;

proto.removeListener = function (event, listener) {
  const result = base.removeListener.call(this, event, listener) as NodeReadable;
  // Later, so that removing one listener and adding the next does not restart the flow in between.
  if (event === "readable") process.nextTick(updateReadableListening, this);
  return result;
};
proto.off = proto.removeListener;

proto.removeAllListeners = function (event) {
  const result = base.removeAllListeners.apply(this, arguments as unknown as [EventName]) as NodeReadable;
  if (event === "readable" || event === undefined) process.nextTick(updateReadableListening, this);
  return result;
};

function updateReadableListening(stream: NodeReadable): void {
  const state = stream._readableState;
  if (stream.listenerCount("readable") > 0) state.flags |= READABLE_LISTENING;
  else state.flags &= ~READABLE_LISTENING;

  if ((state.flags & (HAS_PAUSED | PAUSED | RESUME_SCHEDULED)) === (HAS_PAUSED | RESUME_SCHEDULED)) {
    // resume() was called meanwhile; it decides.
    state.flags |= HAS_FLOWING | FLOWING;
  } else if (stream.listenerCount("data") > 0) {
    stream.resume();
  } else if ((state.flags & READABLE_LISTENING) === 0) {
    state.flags &= ~(HAS_FLOWING | FLOWING);
  }
}

function readNothing(stream: NodeReadable): void {
  stream.read(0);
}

/** Lets the stream flow. With a `readable` listener present it only records the wish. */
proto.resume = function () {
  const state = this._readableState;
  if ((state.flags & FLOWING) === 0) {
    state.flags |= HAS_FLOWING;
    if ((state.flags & READABLE_LISTENING) === 0) state.flags |= FLOWING;
    else state.flags &= ~FLOWING;
    if ((state.flags & RESUME_SCHEDULED) === 0) {
      state.flags |= RESUME_SCHEDULED;
      process.nextTick(resumeNow, this, state);
    }
  }
  state.flags = (state.flags & ~PAUSED) | HAS_PAUSED;
  return this;
};

function resumeNow(stream: NodeReadable, state: State): void {
  if ((state.flags & READING) === 0) stream.read(0);
  state.flags &= ~RESUME_SCHEDULED;
  stream.emit("resume");
  flow(stream);
  if ((state.flags & (FLOWING | READING)) === FLOWING) stream.read(0);
}

proto.pause = function () {
  const state = this._readableState;
  if ((state.flags & (HAS_FLOWING | FLOWING)) !== HAS_FLOWING) {
    state.flags = (state.flags & ~FLOWING) | HAS_FLOWING;
    this.emit("pause");
  }
  state.flags |= HAS_PAUSED | PAUSED;
  return this;
};

function flow(stream: NodeReadable): void {
  const state = stream._readableState;
  while ((state.flags & FLOWING) !== 0 && stream.read() !== null);
}

function endReadable(stream: NodeReadable): void {
  const state = stream._readableState;
  if ((state.flags & END_EMITTED) === 0) {
    state.flags |= ENDED;
    process.nextTick(emitEnd, state, stream);
  }
}

function emitEnd(state: State, stream: NodeReadable): void {
  // The stream may have failed, or got data back by unshift(), since.
  if (state.errored || (state.flags & (CLOSE_EMITTED | END_EMITTED)) !== 0 || state.length !== 0) return;
  state.flags |= END_EMITTED;
  stream.emit("end");

  if (stream.writable && stream.allowHalfOpen === false) {
    process.nextTick(endWritable, stream);
  } else if ((state.flags & AUTO_DESTROY) !== 0) {
    // A duplex waits for its other half.
    const w = stream._writableState;
    if (!w || (w.autoDestroy && (w.finished || w.writable === false))) stream.destroy();
  }
}

function endWritable(stream: NodeDuplex): void {
  if (stream.writable && !stream.writableEnded && !stream.destroyed) stream.end();
}

// ---------------------------------------------------------------------------------------------------
// Parts that load on first use

proto.pipe = function (dest, options) {
  return require("internal/streams/pipe").pipe(this, dest, options);
};
proto.unpipe = function (dest) {
  return require("internal/streams/pipe").unpipe(this, dest);
};
/** Reads an old-style stream through this one. */
proto.wrap = function (stream: LegacyStream) {
  return require("internal/streams/readable_extra").wrap(this, stream);
};
proto[Symbol.asyncIterator] = function () {
  return require("internal/streams/readable_iterator").asyncIterate(this, undefined);
};
proto.iterator = function (options) {
  if (options !== undefined) (require("internal/core/validators").validateObject as Check)(options, "options");
  return require("internal/streams/readable_iterator").asyncIterate(this, options);
};

Readable.from = function (iterable: Source, options?: StreamOptions): NodeReadable {
  return require("internal/streams/readable_extra").from(Readable as ReadableConstructor, iterable, options);
};
Readable.wrap = function (source: LegacyStream, options?: StreamOptions): NodeReadable {
  const { destroyer } = require("internal/streams/destroy");
  return new (Readable as ReadableConstructor)({
    objectMode: source.readableObjectMode ?? source.objectMode ?? true,
    ...options,
    destroy(error: NodeError, callback: Done) {
      destroyer(source, error);
      callback(error);
    },
  }).wrap(source);
};
Readable.fromWeb = function (stream: unknown, options?: WebOptions): NodeReadable {
  return require("internal/streams/webstreams/adapters").newStreamReadableFromReadableStream(stream, options);
};
Readable.toWeb = function (stream: NodeReadable, options?: WebOptions): unknown {
  return require("internal/streams/webstreams/adapters").newReadableStreamFromStreamReadable(stream, options);
};

// ---------------------------------------------------------------------------------------------------
// Properties

defineAccessors(proto, {
  readable: {
    get(this: NodeReadable) {
      const r = this._readableState;
      // Some subclasses hide it by setting `readable` themselves; destroyed, ended and failed streams are not.
      return Boolean(r) && r.readable !== false && (r.flags & (DESTROYED | END_EMITTED)) === 0 && !r.errorEmitted;
    },
    set(this: NodeReadable, value: unknown) {
      if (this._readableState) this._readableState.readable = Boolean(value);
    },
  },
  readableDidRead: {
    get(this: NodeReadable) {
      return this._readableState.dataEmitted;
    },
  },
  readableAborted: {
    get(this: NodeReadable) {
      const r = this._readableState;
      return Boolean(
        r.readable !== false && ((r.flags & DESTROYED) !== 0 || r.errored) && (r.flags & END_EMITTED) === 0,
      );
    },
  },
  readableHighWaterMark: {
    get(this: NodeReadable) {
      return this._readableState.highWaterMark;
    },
  },
  readableBuffer: {
    get(this: NodeReadable) {
      return this._readableState?.buffer;
    },
  },
  readableFlowing: {
    get(this: NodeReadable) {
      return this._readableState.flowing;
    },
    set(this: NodeReadable, value: boolean | null) {
      if (this._readableState) this._readableState.flowing = value;
    },
  },
  readableLength: {
    get(this: NodeReadable) {
      return this._readableState.length;
    },
  },
  readableObjectMode: {
    get(this: NodeReadable) {
      return this._readableState ? this._readableState.objectMode : false;
    },
  },
  readableEncoding: {
    get(this: NodeReadable) {
      return this._readableState ? this._readableState.encoding : null;
    },
  },
  errored: {
    get(this: NodeReadable) {
      return this._readableState ? this._readableState.errored : null;
    },
  },
  closed: {
    get(this: NodeReadable) {
      return this._readableState ? this._readableState.closed : false;
    },
  },
  destroyed: {
    get(this: NodeReadable) {
      return this._readableState ? this._readableState.destroyed : false;
    },
    set(this: NodeReadable, value: unknown) {
      if (this._readableState) this._readableState.destroyed = Boolean(value);
    },
  },
  readableEnded: {
    get(this: NodeReadable) {
      return this._readableState ? this._readableState.endEmitted : false;
    },
  },
});

// The operators live in a module of their own; these only find it. Methods, so that `new` on them throws.
const operators = () => require("internal/streams/operators");
const fromIterable = (iterable: Source) => (Readable as ReadableConstructor).from(iterable);
const operatorMethods: { [name: string]: unknown } & ThisType<NodeReadable> = {
  drop(_limit: unknown) {
    return fromIterable(Reflect.apply(operators().drop, this, arguments));
  },
  filter(_fn: (...values: unknown[]) => unknown, _options: unknown) {
    return fromIterable(Reflect.apply(operators().filter, this, arguments));
  },
  flatMap(_fn: (...values: unknown[]) => unknown, _options: unknown) {
    return fromIterable(Reflect.apply(operators().flatMap, this, arguments));
  },
  map(_fn: (...values: unknown[]) => unknown, _options: unknown) {
    return fromIterable(Reflect.apply(operators().map, this, arguments));
  },
  take(_limit: unknown) {
    return fromIterable(Reflect.apply(operators().take, this, arguments));
  },
  compose(_stream: unknown, _options: unknown) {
    return Reflect.apply(operators().compose, this, arguments);
  },
  every(_fn: (...values: unknown[]) => unknown) {
    return Reflect.apply(operators().every, this, arguments);
  },
  forEach(_fn: (...values: unknown[]) => unknown, _options: unknown) {
    return Reflect.apply(operators().forEach, this, arguments);
  },
  reduce(_fn: (...values: unknown[]) => unknown, _initial: unknown, _options: unknown) {
    return Reflect.apply(operators().reduce, this, arguments);
  },
  toArray(_options: unknown) {
    return Reflect.apply(operators().toArray, this, arguments);
  },
  some(_fn: (...values: unknown[]) => unknown) {
    return Reflect.apply(operators().some, this, arguments);
  },
  find(_fn: (...values: unknown[]) => unknown, _options: unknown) {
    return Reflect.apply(operators().find, this, arguments);
  },
};
for (const name of Object.keys(operatorMethods)) {
  Object.defineProperty(proto, name, {
    __proto__: null,
    value: operatorMethods[name],
    enumerable: false,
    configurable: true,
    writable: true,
  } as PropertyDescriptor);
}
