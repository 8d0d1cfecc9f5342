/**
 * Writable: the sink half of node:stream (https://nodejs.org/api/stream.html#writable-streams).
 *
 * One `_write` runs at a time; what is written meanwhile waits and goes out one by one, or together by
 * `_writev`. end() runs `_final` once everything has been acknowledged, and then comes `finish`.
 */
import buffer from "node:buffer";
import { codes, AbortError } from "internal/core/errors";
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
  isDuplexInstance,
  viewToBuffer,
} from "internal/streams/state";
import {
  AFTER_WRITE_PENDING,
  ALL_BUFFERS,
  ALL_NOOP,
  BUFFER_PROCESSING,
  DECODE_STRINGS,
  ENDED,
  ENDING,
  FINAL_CALLED,
  FINISHED,
  NEED_DRAIN,
  PREFINISHED,
  WRITING,
  WritableState,
  nop,
} from "internal/streams/writable_state";
import type {
  AfterWrite,
  BufferedWrite,
  Chunk,
  Done,
  NodeWritable,
  StreamOptions,
  WebOptions,
  WritableConstructor,
  WritableState as State,
  WritableStateConstructor,
  WriteBatch,
} from "internal/streams/types";

const { Buffer } = buffer;

// Plain instanceof would ask our own Symbol.hasInstance, which wants the state that is not there yet.
const isOwnInstance = Function.prototype[Symbol.hasInstance];

/** `new Writable([options])`; callable without `new`, so that older code can inherit from it. */
export function Writable(this: NodeWritable, options?: StreamOptions): unknown {
  if (new.target === undefined && !isDuplexInstance(this) && !isOwnInstance.call(Writable, this)) {
    return new (Writable as WritableConstructor)(options);
  }

  (Stream as { call(...values: unknown[]): unknown }).call(this, options);
  initWritable(this, options, undefined);

  if (options) {
    if (typeof options.write === "function") this._write = options.write;
    if (typeof options.writev === "function") this._writev = options.writev;
    if (typeof options.destroy === "function") this._destroy = options.destroy;
    if (typeof options.final === "function") this._final = options.final;
    if (typeof options.construct === "function") this._construct = options.construct;
    if (options.signal) require("internal/streams/add_abort_signal").addAbortSignal(options.signal, this);
  }
  if (this._construct != null) construct(this, () => afterConstruct(this));
}
Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Object.setPrototypeOf(Writable, Stream);

const proto: NodeWritable = Writable.prototype;

Writable.WritableState = WritableState;

/** Gives `stream` its writable state. */
export function initWritable(
  stream: NodeWritable,
  options: StreamOptions | null | undefined,
  isDuplex: boolean | undefined,
): void {
  const state = new (WritableState as WritableStateConstructor)(options, stream, isDuplex);
  state.onwrite = (error?: unknown) => {
    onwrite(stream, state, error);
  };
  stream._writableState = state;
}

/** Writes that arrived during `_construct` go out, and an early end() takes effect. */
export function afterConstruct(stream: NodeWritable): void {
  const state = stream._writableState;
  if ((state.flags & WRITING) === 0) clearBuffer(stream, state);
  if ((state.flags & ENDING) !== 0) finishMaybe(stream, state, false);
}

// A Duplex inherits from Readable, yet is a Writable too.
Object.defineProperty(Writable, Symbol.hasInstance, {
  __proto__: null,
  value(this: unknown, object: { [key: string]: unknown }) {
    if (isOwnInstance.call(this, object)) return true;
    if (this !== Writable) return false;
    return object && object._writableState instanceof (WritableState as WritableStateConstructor);
  },
} as PropertyDescriptor);

/** A Writable cannot be a source. */
proto.pipe = function (this: NodeWritable) {
  errorOrDestroy(this, new codes.ERR_STREAM_CANNOT_PIPE());
} as () => never;

// ---------------------------------------------------------------------------------------------------
// Writing

/** The validation and the write proper; returns an Error instead of throwing it where Node reports by event. */
function writeChunk(
  stream: NodeWritable,
  chunk: unknown,
  encoding: string | null | undefined,
  callback: Done | undefined,
): boolean | Error {
  const state = stream._writableState;
  if (typeof callback !== "function") callback = nop;

  let size = 1;
  if (chunk === null) {
    throw new codes.ERR_STREAM_NULL_VALUES();
  } else if ((state.flags & OBJECT_MODE) === 0) {
    // Object mode hands encodings through as they are.
    if (!encoding) encoding = state.defaultEncoding;
    else if (encoding !== "buffer" && !Buffer.isEncoding(encoding)) throw new codes.ERR_UNKNOWN_ENCODING(encoding);

    if (typeof chunk === "string") {
      if ((state.flags & DECODE_STRINGS) !== 0) {
        chunk = Buffer.from(chunk, encoding);
        encoding = "buffer";
      }
    } else if (chunk instanceof Buffer) {
      encoding = "buffer";
    } else if (ArrayBuffer.isView(chunk)) {
      chunk = viewToBuffer(chunk);
      encoding = "buffer";
    } else {
      throw new codes.ERR_INVALID_ARG_TYPE("chunk", ["string", "Buffer", "TypedArray", "DataView"], chunk);
    }
    size = (chunk as Chunk).length;
  }

  let error: CodedError | undefined;
  if ((state.flags & ENDING) !== 0) error = new codes.ERR_STREAM_WRITE_AFTER_END();
  else if ((state.flags & DESTROYED) !== 0) error = new codes.ERR_STREAM_DESTROYED("write");
  if (error) {
    process.nextTick(callback, error);
    errorOrDestroy(stream, error, true);
    return error;
  }

  state.pendingcb++;
  state.length += size;
  const below = state.length < state.highWaterMark;
  if (!below) state.flags |= NEED_DRAIN;

  if ((state.flags & (WRITING | CONSTRUCTED)) !== CONSTRUCTED || state.corked !== 0 || state.errored) {
    if (state.waiting === null) state.waiting = [];
    state.waiting.push({ chunk, encoding, callback } as BufferedWrite);
    if (callback !== nop) state.flags &= ~ALL_NOOP;
    if (encoding !== "buffer") state.flags &= ~ALL_BUFFERS;
  } else {
    state.writelen = size;
    state.writecb = callback;
    state.flags |= WRITING | SYNC;
    stream._write(chunk, encoding as string, state.onwrite);
    state.flags &= ~SYNC;
  }
  // A stream that failed during the write reports no room.
  return below && !state.errored && (state.flags & DESTROYED) === 0;
}

/** Writes a chunk. Returns false when the caller should wait for `drain`. */
proto.write = function (chunk: unknown, encoding?: string | Done | null, callback?: Done): boolean {
  if (chunk != null && typeof encoding === "function") {
    callback = encoding;
    encoding = null;
  }
  return writeChunk(this, chunk, encoding as string | null, callback) === true;
};

/** Holds writes back until uncork() has been called as often as cork(). */
proto.cork = function (): void {
  this._writableState.corked++;
};

proto.uncork = function (): void {
  const state = this._writableState;
  if (state.corked) {
    state.corked--;
    if ((state.flags & WRITING) === 0) clearBuffer(this, state);
  }
};

proto.setDefaultEncoding = function setDefaultEncoding(encoding: string) {
  if (typeof encoding === "string") encoding = encoding.toLowerCase();
  if (!Buffer.isEncoding(encoding)) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
  this._writableState.defaultEncoding = encoding;
  return this;
};

proto._write = function (chunk: unknown, encoding: string, callback: Done): void {
  if (!this._writev) throw new codes.ERR_METHOD_NOT_IMPLEMENTED("_write()");
  this._writev([{ chunk, encoding }], callback);
};

proto._writev = null;

/** What `_write` and `_writev` get as their callback. */
function onwrite(stream: NodeWritable, state: State, error: unknown): void {
  const callback = state.writecb;
  if (typeof callback !== "function") {
    errorOrDestroy(stream, new codes.ERR_MULTIPLE_CALLBACK());
    return;
  }
  const sync = (state.flags & SYNC) !== 0;
  state.flags &= ~WRITING;
  state.writecb = null;
  state.length -= state.writelen;
  state.writelen = 0;

  if (error) {
    (error as Error).stack; // eslint-disable-line no-unused-expressions
    if (!state.errored) state.errored = error;
    const r = stream._readableState;
    if (r && !r.errored) r.errored = error;
    if (sync) process.nextTick(afterWriteError, stream, state, error, callback);
    else afterWriteError(stream, state, error, callback);
    return;
  }

  if (state.waiting !== null && state.waiting.length > state.bufferedIndex) clearBuffer(stream, state);

  if (!sync) {
    afterWrite(stream, state, 1, callback);
    return;
  }

  // Callbacks and `drain` of synchronous writes come in the next tick, many in one where they are alike.
  if (callback === nop) {
    const mustDrain = (state.flags & (NEED_DRAIN | ENDING | DESTROYED)) === NEED_DRAIN && state.length === 0;
    if (mustDrain && (state.flags & AFTER_WRITE_PENDING) === 0) {
      state.flags |= AFTER_WRITE_PENDING;
      process.nextTick(afterWrite, stream, state, 1, callback);
    } else {
      state.pendingcb--;
      if ((state.flags & ENDING) !== 0) finishMaybe(stream, state, true);
    }
  } else if (state.afterWriteTickInfo !== null && state.afterWriteTickInfo.callback === callback) {
    state.afterWriteTickInfo.count++;
  } else {
    state.afterWriteTickInfo = { count: 1, callback, stream, state };
    process.nextTick(afterWriteTick, state.afterWriteTickInfo);
    state.flags |= AFTER_WRITE_PENDING;
  }
}

function afterWriteError(stream: NodeWritable, state: State, error: unknown, callback: Done): void {
  state.pendingcb--;
  callback(error);
  // Callbacks first, then the `error` event.
  failBuffer(state);
  errorOrDestroy(stream, error);
}

function afterWriteTick(info: AfterWrite): void {
  info.state.afterWriteTickInfo = null;
  afterWrite(info.stream, info.state, info.count, info.callback);
}

function afterWrite(stream: NodeWritable, state: State, count: number, callback: Done): void {
  state.flags &= ~AFTER_WRITE_PENDING;
  if ((state.flags & (NEED_DRAIN | ENDING | DESTROYED)) === NEED_DRAIN && state.length === 0) {
    state.flags &= ~NEED_DRAIN;
    stream.emit("drain");
  }
  while (count-- > 0) {
    state.pendingcb--;
    callback(null);
  }
  if ((state.flags & DESTROYED) !== 0) failBuffer(state);
  if ((state.flags & ENDING) !== 0) finishMaybe(stream, state, true);
}

/** Tells everybody who still waits that it will not happen. */
function failBuffer(state: State): void {
  if ((state.flags & WRITING) !== 0) return;
  if (state.waiting !== null) {
    for (let i = state.bufferedIndex; i < state.waiting.length; i++) {
      const { chunk, callback } = state.waiting[i]!;
      state.length -= (state.flags & OBJECT_MODE) !== 0 ? 1 : (chunk as Chunk).length;
      callback(state.errored ?? new codes.ERR_STREAM_DESTROYED("write"));
    }
  }
  callFinishCallbacks(state, state.errored ?? new codes.ERR_STREAM_DESTROYED("end"));
  resetBuffer(state);
}

function resetBuffer(state: State): void {
  state.waiting = null;
  state.bufferedIndex = 0;
  state.flags |= ALL_BUFFERS | ALL_NOOP;
}

/** Sends what waits: all at once where there is a `_writev`, else until a write does not finish at once. */
function clearBuffer(stream: NodeWritable, state: State): void {
  if (
    state.corked !== 0 ||
    state.waiting === null ||
    (state.flags & (BUFFER_PROCESSING | DESTROYED | CONSTRUCTED)) !== CONSTRUCTED
  ) {
    return;
  }
  const waiting = state.waiting;
  const objectMode = (state.flags & OBJECT_MODE) !== 0;
  let index: number = state.bufferedIndex;
  const count = waiting.length - index;
  if (count === 0) return;

  state.flags |= BUFFER_PROCESSING;
  if (count > 1 && stream._writev) {
    state.pendingcb -= count - 1;
    const callback =
      (state.flags & ALL_NOOP) !== 0
        ? nop
        : (error?: unknown) => {
            for (let i = index; i < waiting.length; i++) waiting[i]!.callback(error);
          };
    // The callback above reads `waiting`, so _writev gets its own array.
    const chunks: WriteBatch =
      (state.flags & ALL_NOOP) !== 0 && index === 0
        ? (waiting as BufferedWrite[])
        : (waiting.slice(index) as BufferedWrite[]);
    chunks.allBuffers = (state.flags & ALL_BUFFERS) !== 0;
    send(stream, state, true, state.length, chunks, "", callback);
    resetBuffer(state);
  } else {
    do {
      const { chunk, encoding, callback } = waiting[index]!;
      waiting[index++] = null;
      send(stream, state, false, objectMode ? 1 : (chunk as Chunk).length, chunk, encoding, callback);
    } while (index < waiting.length && (state.flags & WRITING) === 0);

    if (index === waiting.length) {
      resetBuffer(state);
    } else if (index > 256) {
      waiting.splice(0, index);
      state.bufferedIndex = 0;
    } else {
      state.bufferedIndex = index;
    }
  }
  state.flags &= ~BUFFER_PROCESSING;
}

function send(
  stream: NodeWritable,
  state: State,
  many: boolean,
  size: number,
  chunk: unknown,
  encoding: string,
  callback: Done,
): void {
  state.writelen = size;
  state.writecb = callback;
  state.flags |= WRITING | SYNC;
  if ((state.flags & DESTROYED) !== 0) state.onwrite(new codes.ERR_STREAM_DESTROYED("write"));
  else if (many) stream._writev!(chunk as WriteBatch, state.onwrite);
  else stream._write(chunk, encoding, state.onwrite);
  state.flags &= ~SYNC;
}

// ---------------------------------------------------------------------------------------------------
// Ending

/** Ends the stream after an optional last chunk. `callback` follows `finish`, or gets the error. */
proto.end = function (chunk?: unknown, encoding?: string | Done | null, callback?: Done) {
  const state = this._writableState;
  if (typeof chunk === "function") {
    callback = chunk as Done;
    chunk = null;
    encoding = null;
  } else if (typeof encoding === "function") {
    callback = encoding;
    encoding = null;
  }

  let error: Error | CodedError | undefined;
  if (chunk !== null && chunk !== undefined) {
    const result = writeChunk(this, chunk, encoding as string | null, undefined);
    if (result instanceof Error) error = result;
  }

  if (state.corked) {
    state.corked = 1;
    this.uncork();
  }

  if (error) {
    // Reported already.
  } else if (!state.errored && (state.flags & ENDING) === 0) {
    state.flags |= ENDING;
    finishMaybe(this, state, true);
    state.flags |= ENDED;
  } else if ((state.flags & FINISHED) !== 0) {
    error = new codes.ERR_STREAM_ALREADY_FINISHED("end");
  } else if ((state.flags & DESTROYED) !== 0) {
    error = new codes.ERR_STREAM_DESTROYED("end");
  }

  if (typeof callback === "function") {
    if (error) process.nextTick(callback, error);
    else if (state.errored) process.nextTick(callback, state.errored);
    else if ((state.flags & FINISHED) !== 0) process.nextTick(callback);
    else (state.finishCallbacks ??= []).push(callback);
  }
  return this;
};

const FINISH_MASK = ENDING | CONSTRUCTED | DESTROYED | FINISHED | WRITING | ERROR_EMITTED | CLOSE_EMITTED;

/** Everything is written and acknowledged, and the stream was told to end. */
function needFinish(state: State): boolean {
  return (
    (state.flags & FINISH_MASK) === (ENDING | CONSTRUCTED) &&
    state.length === 0 &&
    !state.errored &&
    (state.waiting === null || state.waiting.length === 0)
  );
}

function callFinishCallbacks(state: State, error: unknown): void {
  const callbacks = state.finishCallbacks;
  if (callbacks === null) return;
  state.finishCallbacks = null;
  for (let i = 0; i < callbacks.length; i++) callbacks[i](error);
}

function callFinal(stream: NodeWritable, state: State): void {
  let called = false;

  function onFinal(error?: unknown) {
    if (called) {
      errorOrDestroy(stream, error ?? new codes.ERR_MULTIPLE_CALLBACK());
      return;
    }
    called = true;
    state.pendingcb--;
    if (error) {
      callFinishCallbacks(state, error);
      errorOrDestroy(stream, error, (state.flags & SYNC) !== 0);
    } else if (needFinish(state)) {
      state.flags |= PREFINISHED;
      stream.emit("prefinish");
      // Always a tick later, also for synchronous _final, so that end() has returned.
      state.pendingcb++;
      process.nextTick(finish, stream, state);
    }
  }

  state.flags |= SYNC;
  state.pendingcb++;
  try {
    stream._final!(onFinal);
  } catch (error) {
    onFinal(error);
  }
  state.flags &= ~SYNC;
}

function finishMaybe(stream: NodeWritable, state: State, sync: boolean): void {
  if (!needFinish(state)) return;

  if ((state.flags & (PREFINISHED | FINAL_CALLED)) === 0) {
    if (typeof stream._final === "function" && (state.flags & DESTROYED) === 0) {
      state.flags |= FINAL_CALLED;
      callFinal(stream, state);
    } else {
      state.flags |= PREFINISHED;
      stream.emit("prefinish");
    }
  }

  if (state.pendingcb === 0) {
    if (sync) {
      state.pendingcb++;
      process.nextTick(finishLater, stream, state);
    } else if (needFinish(state)) {
      state.pendingcb++;
      finish(stream, state);
    }
  }
}

function finishLater(stream: NodeWritable, state: State): void {
  if (needFinish(state)) finish(stream, state);
  else state.pendingcb--;
}

function finish(stream: NodeWritable, state: State): void {
  state.pendingcb--;
  state.flags |= FINISHED;
  callFinishCallbacks(state, null);
  stream.emit("finish");

  if ((state.flags & AUTO_DESTROY) !== 0) {
    // A duplex waits for its other half.
    const r = stream._readableState;
    if (!r || (r.autoDestroy && (r.endEmitted || r.readable === false))) stream.destroy();
  }
}

// ---------------------------------------------------------------------------------------------------
// Destruction

proto.destroy = function (error?: NodeError, callback?: Done) {
  const state = this._writableState;
  if (
    (state.flags & DESTROYED) === 0 &&
    ((state.waiting !== null && state.bufferedIndex < state.waiting.length) || state.finishCallbacks !== null)
  ) {
    process.nextTick(failBuffer, state);
  }
  destroy.call(this, error, callback);
  return this;
};
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
    error = this.writableFinished ? null : new AbortError();
    this.destroy(error);
  }
  return new Promise((resolve, reject) => {
    const { eos } = require("internal/streams/end_of_stream");
    eos(this, (reason: NodeError) => (reason && reason.name !== "AbortError" ? reject(reason) : resolve(null)));
  });
};

Writable.fromWeb = function (stream: unknown, options?: WebOptions): NodeWritable {
  return require("internal/streams/webstreams/adapters").newStreamWritableFromWritableStream(stream, options);
};
Writable.toWeb = function (stream: unknown): unknown {
  return require("internal/streams/webstreams/adapters").newWritableStreamFromStreamWritable(stream);
};

// ---------------------------------------------------------------------------------------------------
// Properties

defineAccessors(proto, {
  closed: {
    get(this: NodeWritable) {
      return this._writableState ? this._writableState.closed : false;
    },
  },
  destroyed: {
    get(this: NodeWritable) {
      return this._writableState ? this._writableState.destroyed : false;
    },
    set(this: NodeWritable, value: unknown) {
      if (this._writableState) this._writableState.destroyed = Boolean(value);
    },
  },
  writable: {
    get(this: NodeWritable) {
      const w = this._writableState;
      // `w.writable === false` is how a Duplex says that it has no writable half.
      return Boolean(w) && w.writable !== false && !w.errored && (w.flags & (DESTROYED | ENDING | ENDED)) === 0;
    },
    set(this: NodeWritable, value: unknown) {
      if (this._writableState) this._writableState.writable = Boolean(value);
    },
  },
  writableFinished: {
    get(this: NodeWritable) {
      return this._writableState ? this._writableState.finished : false;
    },
  },
  writableObjectMode: {
    get(this: NodeWritable) {
      return this._writableState ? this._writableState.objectMode : false;
    },
  },
  writableBuffer: {
    get(this: NodeWritable) {
      return this._writableState?.getBuffer();
    },
  },
  writableEnded: {
    get(this: NodeWritable) {
      return this._writableState ? this._writableState.ending : false;
    },
  },
  writableNeedDrain: {
    get(this: NodeWritable) {
      const w = this._writableState;
      return w ? (w.flags & (DESTROYED | ENDING | NEED_DRAIN)) === NEED_DRAIN : false;
    },
  },
  writableHighWaterMark: {
    get(this: NodeWritable) {
      return this._writableState?.highWaterMark;
    },
  },
  writableCorked: {
    get(this: NodeWritable) {
      return this._writableState ? this._writableState.corked : 0;
    },
  },
  writableLength: {
    get(this: NodeWritable) {
      return this._writableState?.length;
    },
  },
  errored: {
    get(this: NodeWritable) {
      return this._writableState ? this._writableState.errored : null;
    },
  },
  writableAborted: {
    get(this: NodeWritable) {
      const w = this._writableState;
      return w.writable !== false && ((w.flags & DESTROYED) !== 0 || Boolean(w.errored)) && (w.flags & FINISHED) === 0;
    },
  },
});
