/**
 * Bridges between Node's streams and web streams, in both directions: Readable.toWeb and fromWeb,
 * Writable.toWeb and fromWeb, Duplex.toWeb and fromWeb
 * (https://nodejs.org/api/stream.html#streamreadabletowebstreamreadable-options).
 */
import buffer from "node:buffer";
import { codes, AbortError } from "internal/core/errors";
import { validateBoolean, validateObject, validateOneOf } from "internal/core/validators";
import { deferred, Deferred } from "internal/streams/webstreams/core";
import type {
  Anything,
  Done,
  DuplexConstructor,
  NodeDuplex,
  NodeReadable,
  NodeWritable,
  ReadableConstructor,
  StreamOptions,
  WritableConstructor,
  WriteBatch,
} from "internal/streams/types";
import { Duplex } from "internal/streams/duplex";
import { Readable } from "internal/streams/readable";
import { Writable } from "internal/streams/writable";
import { destroyer } from "internal/streams/destroy";
import { eos } from "internal/streams/end_of_stream";
import { isDestroyed, isReadable, isWritable, isWritableEnded, isWritableNodeStream } from "internal/streams/utils";
import type {
  ReadableByteStreamController,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
} from "internal/streams/webstreams/readable";
import type {
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
} from "internal/streams/webstreams/writable";
import { isReadableStream, ReadableStream } from "internal/streams/webstreams/readable";
import { isWritableStream, WritableStream } from "internal/streams/webstreams/writable";
import { ByteLengthQueuingStrategy, CountQueuingStrategy } from "internal/streams/webstreams/strategies";

const { Buffer } = buffer;

/** The failures of Node's streams in the terms of the web. */
function toWebError(error: NodeError | null | undefined): unknown {
  if (error?.code === "ERR_STREAM_PREMATURE_CLOSE") return new AbortError(undefined, { cause: error });
  if (
    typeof error?.code === "string" &&
    /^(?:Z_(?!OK|STREAM_END)|ERR__?BROTLI_|ERR_ZSTD_|ZSTD_error)/.test(error.code)
  ) {
    // Broken compressed data is a TypeError in the Compression standard.
    const converted: NodeError = new TypeError(undefined, { cause: error });
    converted.code = error.code;
    return converted;
  }
  return error;
}

/** Runs a stream's callback out of promise reactions: what it throws must not become a rejection. */
function callSafely(callback: Done, error: unknown, onThrow: (thrown: unknown) => void): void {
  try {
    callback(error);
  } catch (thrown) {
    process.nextTick(onThrow, thrown);
  }
}

function rethrow(error: unknown): void {
  throw error;
}

// ---------------------------------------------------------------------------------------------------
// From Node to the web

/** Writable.toWeb(writable). */
export function newWritableStreamFromStreamWritable(writable: Anything): WritableStream {
  if (!isWritableNodeStream(writable)) {
    throw new codes.ERR_INVALID_ARG_TYPE("streamWritable", "stream.Writable", writable);
  }
  if (isDestroyed(writable) || !isWritable(writable)) {
    const closed = new WritableStream();
    closed.close();
    return closed;
  }

  const objectMode = writable.writableObjectMode;
  const highWaterMark = writable.writableHighWaterMark;
  const strategy = objectMode ? new CountQueuingStrategy({ highWaterMark }) : { highWaterMark };

  let controller: WritableStreamDefaultController | undefined;
  // What a write, and the close, wait for.
  let drained: Deferred | undefined;
  let closed: Deferred | undefined;

  const cleanup = eos(writable, (error) => {
    error = toWebError(error as NodeError | null | undefined);
    cleanup();
    // Errors from here on have nowhere to go.
    writable.on("error", () => {});
    if (error != null) {
      drained?.reject(error);
      closed?.reject(error);
      closed = undefined;
      controller?.error(error);
      controller = undefined;
      return;
    }
    if (closed !== undefined) {
      closed.resolve(undefined);
      closed = undefined;
      return;
    }
    controller?.error(new AbortError());
    controller = undefined;
  });
  writable.on("drain", () => {
    drained?.resolve(undefined);
  });

  return new WritableStream(
    {
      start(c: WritableStreamDefaultController) {
        controller = c;
      },

      write(chunk: unknown) {
        if (!objectMode && chunk instanceof ArrayBuffer) chunk = new Uint8Array(chunk);
        if (writable.writableNeedDrain || !writable.write(chunk)) {
          drained = deferred();
          return drained!.promise.finally(() => {
            drained = undefined;
          });
        }
      },

      abort(reason: unknown) {
        destroyer(writable, reason);
      },

      close() {
        if (closed === undefined && !isWritableEnded(writable)) writable.end();
        closed ??= deferred();
        return closed!.promise;
      },
    },
    strategy,
  );
}

/** A chunk whose memory the web stream may keep (or, as a byte stream, take away). */
function ownBytes(chunk: Uint8Array, mustOwn: boolean): Uint8Array {
  // A Buffer may be a view on a larger memory.
  if (mustOwn || chunk.byteLength !== chunk.buffer.byteLength) return new Uint8Array(chunk);
  return new Uint8Array(chunk.buffer);
}

/** Readable.toWeb(readable[, { strategy, type }]). */
export function newReadableStreamFromStreamReadable(
  readable: NodeReadable,
  options: { type?: string; strategy?: unknown } = {},
): ReadableStream {
  if (typeof readable?._readableState !== "object" || readable._readableState === null) {
    throw new codes.ERR_INVALID_ARG_TYPE("streamReadable", "stream.Readable", readable);
  }
  validateObject(options, "options");
  if (options.type !== undefined) validateOneOf(options.type, "options.type", ["bytes", undefined]);
  const isBytes = options.type === "bytes";

  if (isDestroyed(readable) || !isReadable(readable)) {
    const cancelled = new ReadableStream({ type: options.type });
    cancelled.cancel();
    return cancelled;
  }

  const objectMode = readable.readableObjectMode;
  const highWaterMark = readable.readableHighWaterMark;
  let { strategy } = options;
  if (isBytes) strategy = { highWaterMark };
  else if (!strategy) {
    strategy = objectMode
      ? new CountQueuingStrategy({ highWaterMark })
      : new ByteLengthQueuingStrategy({ highWaterMark });
  }

  let controller: ReadableStreamDefaultController;
  let cancelled = false;

  const cleanup = eos(readable, { writable: false }, (error) => {
    error = toWebError(error as NodeError | null | undefined);
    cleanup();
    readable.on("error", () => {});
    if (error) {
      controller.error(error);
    } else if (!cancelled) {
      controller.close();
      // A BYOB read that waits gets its memory back.
      if (isBytes) (controller as unknown as ReadableByteStreamController).byobRequest?.respond(0);
    }
  });

  readable.pause();
  readable.on("data", (chunk: unknown) => {
    if (cancelled) return;
    if (!objectMode && Buffer.isBuffer(chunk)) chunk = ownBytes(chunk as Buffer, isBytes);
    else if (isBytes && typeof chunk === "string") chunk = new Uint8Array(Buffer.from(chunk));
    controller.enqueue(chunk);
    if (controller.desiredSize! <= 0) readable.pause();
  });

  return new ReadableStream(
    {
      type: options.type,
      start(c: ReadableStreamDefaultController) {
        controller = c;
      },
      pull() {
        readable.resume();
      },
      cancel(reason: unknown) {
        cancelled = true;
        destroyer(readable, reason);
      },
    },
    strategy,
  );
}

/** Duplex.toWeb(duplex[, { readableType }]). */
export function newReadableWritablePairFromDuplex(
  duplex: NodeDuplex,
  options: { type?: string; readableType?: string } = {},
) {
  if (typeof duplex?._writableState !== "object" || typeof duplex?._readableState !== "object") {
    throw new codes.ERR_INVALID_ARG_TYPE("duplex", "stream.Duplex", duplex);
  }
  validateObject(options, "options");
  const type = options.readableType ?? options.type;
  if (type !== undefined) validateOneOf(type, "options.readableType", ["bytes", undefined]);

  let writable: WritableStream;
  let readable: ReadableStream;
  const destroyed = isDestroyed(duplex);
  if (!destroyed && isWritable(duplex)) {
    writable = newWritableStreamFromStreamWritable(duplex);
  } else {
    writable = new WritableStream();
    writable.close();
  }
  if (!destroyed && isReadable(duplex)) {
    readable = newReadableStreamFromStreamReadable(duplex, { type });
  } else {
    readable = new ReadableStream({ type });
    readable.cancel();
  }
  return { writable, readable };
}

// ---------------------------------------------------------------------------------------------------
// From the web to Node

function readOptions(options: StreamOptions) {
  validateObject(options, "options");
  const { highWaterMark, encoding, decodeStrings = true, objectMode = false, allowHalfOpen = false, signal } = options;
  validateBoolean(objectMode, "options.objectMode");
  validateBoolean(decodeStrings, "options.decodeStrings");
  validateBoolean(allowHalfOpen, "options.allowHalfOpen");
  if (encoding !== undefined && !Buffer.isEncoding(encoding)) {
    throw new codes.ERR_INVALID_ARG_VALUE(encoding, "options.encoding");
  }
  return { highWaterMark, encoding, decodeStrings, objectMode, allowHalfOpen, signal };
}

/** The write side of a Node stream over a writer: write, writev and final. `self` gives the stream. */
function writerMethods(
  writer: WritableStreamDefaultWriter,
  settings: StreamOptions,
  isClosed: () => boolean,
  self: () => unknown,
): StreamOptions {
  const fail = (error: unknown) => {
    destroyer(self(), error);
  };

  return {
    writev(chunks: WriteBatch, callback: Done) {
      const done = (error?: unknown | null | undefined) => {
        callSafely(callback, error, fail);
      };
      writer.ready.then(
        () =>
          Promise.all(chunks.map(({ chunk }) => writer.write(chunk))).then(() => {
            done();
          }, done),
        done,
      );
    },

    write(chunk: unknown, encoding: string, callback: Done) {
      if (typeof chunk === "string" && settings.decodeStrings && !settings.objectMode) {
        const bytes = Buffer.from(chunk, encoding);
        chunk = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      }
      const done = (error?: unknown | null | undefined) => {
        callSafely(callback, error, fail);
      };
      writer.ready.then(
        () =>
          writer.write(chunk).then(() => {
            done();
          }, done),
        done,
      );
    },

    final(callback: Done) {
      const done = (error?: unknown | null | undefined) => {
        callSafely(callback, error, fail);
      };
      if (isClosed()) done();
      else
        writer.close().then(() => {
          done();
        }, done);
    },
  };
}

/** The read side: what read() pushes. */
function readMethod(reader: ReadableStreamDefaultReader, self: () => NodeReadable): () => void {
  return () => {
    reader.read().then(
      (result: { done?: unknown; value?: unknown }) => {
        self().push(result.done ? null : result.value);
      },
      (error: unknown) => {
        destroyer(self(), error);
      },
    );
  };
}

/** Writable.fromWeb(writableStream[, options]). */
export function newStreamWritableFromWritableStream(stream: unknown, options: StreamOptions = {}): NodeWritable {
  if (!isWritableStream(stream)) {
    throw new codes.ERR_INVALID_ARG_TYPE("writableStream", "WritableStream", stream);
  }
  const settings = readOptions(options);
  const { highWaterMark, decodeStrings, objectMode, signal } = settings;
  const writer = stream.getWriter();
  let closed = false;

  const writable: NodeWritable = new (Writable as WritableConstructor)({
    highWaterMark,
    objectMode,
    decodeStrings,
    signal,
    ...writerMethods(
      writer,
      settings,
      () => closed,
      () => writable,
    ),
    destroy(error: unknown, callback: Done) {
      const done = () => {
        callSafely(callback, error, rethrow);
      };
      if (closed) done();
      else if (error != null) writer.abort(error).then(done, done);
      else writer.close().then(done, done);
    },
  });

  writer.closed.then(
    () => {
      closed = true;
      // Closed behind our back.
      if (!isWritableEnded(writable)) destroyer(writable, new codes.ERR_STREAM_PREMATURE_CLOSE());
    },
    (error: unknown) => {
      closed = true;
      destroyer(writable, error);
    },
  );
  return writable;
}

/** Readable.fromWeb(readableStream[, options]). */
export function newStreamReadableFromReadableStream(stream: unknown, options: StreamOptions = {}): NodeReadable {
  if (!isReadableStream(stream)) {
    throw new codes.ERR_INVALID_ARG_TYPE("readableStream", "ReadableStream", stream);
  }
  const { highWaterMark, encoding, objectMode, signal } = readOptions(options);
  const reader = stream.getReader();
  let closed = false;

  const readable: NodeReadable = new (Readable as ReadableConstructor)({
    objectMode,
    highWaterMark,
    encoding,
    signal,
    read: readMethod(reader, () => readable),
    destroy(error: unknown, callback: Done) {
      const done = () => {
        callSafely(callback, error, rethrow);
      };
      if (closed) done();
      else reader.cancel(error).then(done, done);
    },
  });

  reader.closed.then(
    () => {
      closed = true;
    },
    (error: unknown) => {
      closed = true;
      destroyer(readable, error);
    },
  );
  return readable;
}

/** Duplex.fromWeb({ readable, writable }[, options]). */
export function newStreamDuplexFromReadableWritablePair(
  pair: { readable?: unknown; writable?: unknown } = {},
  options: StreamOptions = {},
): NodeDuplex {
  validateObject(pair, "pair");
  const { readable, writable } = pair;
  if (!isReadableStream(readable)) throw new codes.ERR_INVALID_ARG_TYPE("pair.readable", "ReadableStream", readable);
  if (!isWritableStream(writable)) throw new codes.ERR_INVALID_ARG_TYPE("pair.writable", "WritableStream", writable);
  const settings = readOptions(options);
  const writer = writable.getWriter();
  const reader = readable.getReader();
  let writableClosed = false;
  let readableClosed = false;

  const duplex: NodeDuplex = new (Duplex as DuplexConstructor)({
    ...settings,
    ...writerMethods(
      writer,
      settings,
      () => writableClosed,
      () => duplex,
    ),
    read: readMethod(reader, () => duplex),
    destroy(error: unknown, callback: Done) {
      const done = () => {
        callSafely(callback, error, rethrow);
      };
      if (writableClosed && readableClosed) {
        done();
        return;
      }
      Promise.all([
        writableClosed ? undefined : writer.abort(error),
        readableClosed ? undefined : reader.cancel(error),
      ]).then(done, done);
    },
  });

  writer.closed.then(
    () => {
      writableClosed = true;
      if (!isWritableEnded(duplex)) destroyer(duplex, new codes.ERR_STREAM_PREMATURE_CLOSE());
    },
    (error: unknown) => {
      writableClosed = true;
      readableClosed = true;
      destroyer(duplex, error);
    },
  );
  reader.closed.then(
    () => {
      readableClosed = true;
    },
    (error: unknown) => {
      writableClosed = true;
      readableClosed = true;
      destroyer(duplex, error);
    },
  );
  return duplex;
}
