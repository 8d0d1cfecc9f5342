/**
 * Duplex.from(): makes a Duplex out of nearly anything
 * (https://nodejs.org/api/stream.html#streamduplexfromsrc).
 */
import { codes, AbortError } from "internal/core/errors";
import type {
  Done,
  DuplexConstructor,
  NodeDuplex,
  Anything,
  LegacyStream,
  NodeReadable,
  NodeWritable,
  ReadableConstructor,
  StreamOptions,
  WritableConstructor,
} from "internal/streams/types";
import { Duplex } from "internal/streams/duplex";
import { Readable } from "internal/streams/readable";
import { Writable } from "internal/streams/writable";
import { destroyer } from "internal/streams/destroy";
import { eos } from "internal/streams/end_of_stream";
import { from } from "internal/streams/readable_extra";
import {
  isDuplexNodeStream,
  isIterable,
  isNodeStream,
  isReadable,
  isReadableNodeStream,
  isReadableStream,
  isWritable,
  isWritableNodeStream,
  isWritableStream,
} from "internal/streams/utils";
import { ENDED as READ_ENDED, END_EMITTED } from "internal/streams/readable_state";
import { ENDED, ENDING, FINISHED } from "internal/streams/writable_state";

/** A Duplex half of which may be missing: that half is ended from the start. */
class Duplexify extends (Duplex as DuplexConstructor) {
  constructor(options?: StreamOptions) {
    super(options);
    if (options?.readable === false) {
      this._readableState.flags |= READ_ENDED | END_EMITTED;
      this._readableState.readable = false;
    }
    if (options?.writable === false) {
      this._writableState.flags |= ENDING | ENDED | FINISHED;
      this._writableState.writable = false;
    }
  }
}

function isBlob(value: unknown): value is Blob {
  return typeof Blob !== "undefined" && value instanceof Blob;
}

/** A pair, perhaps of other things that become streams. */
interface Parts {
  readable?: Anything;
  writable?: Anything;
}

/** `name` is how errors call `body`. */
export function duplexify(body: Anything, name?: string): NodeDuplex {
  if (isDuplexNodeStream(body)) return body;
  if (isReadableNodeStream(body)) return fromPair({ readable: body });
  if (isWritableNodeStream(body)) return fromPair({ writable: body });
  if (isNodeStream(body)) return fromPair({ writable: false, readable: false });
  if (isReadableStream(body)) return fromPair({ readable: (Readable as ReadableConstructor).fromWeb(body) });
  if (isWritableStream(body)) return fromPair({ writable: (Writable as WritableConstructor).fromWeb(body) });
  if (typeof body === "function") return fromFunction(body as (...values: unknown[]) => unknown, name);
  if (isBlob(body)) return duplexify(body.arrayBuffer());
  if (isIterable(body)) return from(Duplexify, body, { objectMode: true, writable: false });
  if (
    isReadableStream((body as Parts | null | undefined)?.readable) &&
    isWritableStream((body as Parts | null | undefined)?.writable)
  )
    return (Duplexify as DuplexConstructor).fromWeb(body as Parts);

  if (
    typeof (body as Parts | null | undefined)?.writable === "object" ||
    typeof (body as Parts | null | undefined)?.readable === "object"
  ) {
    const readable = (body as Parts | null | undefined)?.readable
      ? isReadableNodeStream((body as Parts).readable)
        ? (body as Parts).readable
        : duplexify((body as Parts).readable)
      : undefined;
    const writable = (body as Parts | null | undefined)?.writable
      ? isWritableNodeStream((body as Parts).writable)
        ? (body as Parts).writable
        : duplexify((body as Parts).writable)
      : undefined;
    return fromPair({ readable, writable });
  }

  const then = (body as Partial<PromiseLike<unknown>> | null | undefined)?.then;
  if (typeof then === "function") {
    const duplex = new Duplexify({ objectMode: true, writable: false, read() {} });
    then.call(
      body,
      (value: unknown) => {
        if (value != null) duplex.push(value);
        duplex.push(null);
      },
      (error: unknown) => {
        destroyer(duplex, error);
      },
    );
    return duplex;
  }

  throw new codes.ERR_INVALID_ARG_TYPE(
    name,
    [
      "Blob",
      "ReadableStream",
      "WritableStream",
      "Stream",
      "Iterable",
      "AsyncIterable",
      "Function",
      "{ readable, writable } pair",
      "Promise",
    ],
    body,
  );
}

/** A function from an async iterable (what is written) to an iterable (what is read), or to a promise. */
function fromFunction(fn: (...values: unknown[]) => unknown, name?: string): NodeDuplex {
  const { value, write, final, destroy } = feed(fn);

  // A constructor was called instead.
  if (isDuplexNodeStream(value)) return value;
  if (isIterable(value)) return from(Duplexify, value, { objectMode: true, write, final, destroy });

  const then = (value as PromiseLike<unknown> | null | undefined)?.then;
  if (typeof then === "function") {
    let duplex: Duplexify;
    const done = then.call(
      value,
      (result: unknown) => {
        if (result != null) throw new codes.ERR_INVALID_RETURN_VALUE("nully", "body", result);
      },
      (error: unknown) => {
        destroyer(duplex, error);
      },
    );
    duplex = new Duplexify({
      objectMode: true,
      readable: false,
      write,
      final(callback: Done) {
        final(async () => {
          try {
            await done;
            process.nextTick(callback, null);
          } catch (error) {
            process.nextTick(callback, error);
          }
        });
      },
      destroy,
    });
    return duplex;
  }
  throw new codes.ERR_INVALID_RETURN_VALUE("Iterable, AsyncIterable or AsyncFunction", name, value);
}

/** What is written, or with `done` the end of it. */
interface Item {
  chunk?: unknown;
  done: boolean;
  callback: Done;
}

/** The next item; null while there is none to wait for, or once it has been provided. */
interface Slot {
  promise: Promise<Item> | null;
  resolve: ((item: Item) => void) | null;
  reject(reason: unknown): void;
}

interface Feed {
  /** What the function returned. */
  value: unknown;
  write(chunk: unknown, encoding: string, callback: Done): void;
  final(callback: Done): void;
  destroy(error: unknown, callback: Done): void;
}

/** Calls `fn` with an async iterable that gives what the returned write() gets. */
function feed(fn: (...values: unknown[]) => unknown): Feed {
  // The next item, and how to provide it; `resolve` is null from then until the iterable asks again.
  let { promise, resolve, reject }: Slot = Promise.withResolvers<Item>();
  const controller = new AbortController();
  const { signal } = controller;

  async function* written() {
    for (;;) {
      const next = promise!;
      promise = null;
      const { chunk, done, callback } = await next;
      process.nextTick(callback);
      if (done) return;
      if (signal.aborted) throw new AbortError(undefined, { cause: signal.reason });
      ({ promise, resolve, reject } = Promise.withResolvers<Item>());
      yield chunk;
    }
  }
  function hand(item: Item) {
    const call = resolve!;
    resolve = null;
    call(item);
  }

  return {
    value: fn(written(), { signal }),
    write(chunk: unknown, _encoding: string, callback: Done) {
      hand({ chunk, done: false, callback });
    },
    final(callback: Done) {
      hand({ done: true, callback });
    },
    destroy(error: unknown, callback: Done) {
      controller.abort();
      if (resolve !== null) {
        // The function may be waiting for input that will never come.
        promise?.catch(() => {});
        resolve = null;
        reject(error ?? new AbortError(undefined, { cause: signal.reason }));
      }
      callback(error);
    },
  };
}

/** One duplex in front of a readable and a writable stream, either of which may be missing. */
function fromPair(pair: { readable?: unknown; writable?: unknown }): NodeDuplex {
  const source =
    pair.readable && typeof (pair.readable as Partial<NodeReadable>).read !== "function"
      ? (Readable as ReadableConstructor).wrap(pair.readable as LegacyStream)
      : (pair.readable as NodeReadable);
  const sink = pair.writable as NodeWritable;
  let readable = Boolean(isReadable(source));
  let writable = Boolean(isWritable(sink));

  let onDrain: Done | null | undefined;
  let onFinish: Done | null | undefined;
  let onReadable: ((size?: number) => void) | null | undefined;
  // null once either stream is over.
  let onClose: Done | null | undefined;

  const duplex = new Duplexify({
    readableObjectMode: Boolean(source?.readableObjectMode),
    writableObjectMode: Boolean(sink?.writableObjectMode),
    readable,
    writable,
  });

  function over(error: unknown) {
    const callback = onClose;
    onClose = null;
    if (callback) callback(error);
    else if (error) duplex.destroy(error);
  }

  if (writable) {
    eos(sink, (error: unknown) => {
      writable = false;
      if (error) destroyer(source, error);
      over(error);
    });
    duplex._write = (chunk: unknown, encoding: string, callback: Done) => {
      if (sink.write(chunk, encoding)) callback();
      else onDrain = callback;
    };
    duplex._final = (callback: Done) => {
      sink.end();
      onFinish = callback;
    };
    sink.on("drain", () => {
      const callback = onDrain;
      onDrain = null;
      callback?.();
    });
    sink.on("finish", () => {
      const callback = onFinish;
      onFinish = null;
      callback?.();
    });
  }

  if (readable) {
    eos(source, (error: unknown) => {
      readable = false;
      if (error) destroyer(source, error);
      over(error);
    });
    source.on("readable", () => {
      const callback = onReadable;
      onReadable = null;
      callback?.();
    });
    source.on("end", () => {
      duplex.push(null);
    });
    duplex._read = () => {
      for (;;) {
        const chunk = source.read();
        if (chunk === null) {
          onReadable = duplex._read;
          return;
        }
        if (!duplex.push(chunk)) return;
      }
    };
  }

  duplex._destroy = (error: unknown, callback: Done) => {
    if (!error && onClose !== null) error = new AbortError();
    onReadable = null;
    onDrain = null;
    onFinish = null;
    if (onClose === null) {
      callback(error);
    } else {
      onClose = callback;
      destroyer(sink, error);
      destroyer(source, error);
    }
  };
  return duplex;
}
