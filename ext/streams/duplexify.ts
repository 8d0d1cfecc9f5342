/**
 * Duplex.from(): makes a Duplex out of nearly anything
 * (https://nodejs.org/api/stream.html#streamduplexfromsrc).
 */
import { codes, AbortError } from "internal/core/errors";
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
class Duplexify extends (Duplex as any) {
  constructor(options: any) {
    super(options);
    if (options?.readable === false) {
      (this as any)._readableState.flags |= READ_ENDED | END_EMITTED;
      (this as any)._readableState.readable = false;
    }
    if (options?.writable === false) {
      (this as any)._writableState.flags |= ENDING | ENDED | FINISHED;
      (this as any)._writableState.writable = false;
    }
  }
}

function isBlob(value: unknown): boolean {
  return typeof Blob !== "undefined" && value instanceof Blob;
}

/** `name` is how errors call `body`. */
export function duplexify(body: any, name?: string): unknown {
  if (isDuplexNodeStream(body)) return body;
  if (isReadableNodeStream(body)) return fromPair({ readable: body });
  if (isWritableNodeStream(body)) return fromPair({ writable: body });
  if (isNodeStream(body)) return fromPair({ writable: false, readable: false });
  if (isReadableStream(body)) return fromPair({ readable: (Readable as any).fromWeb(body) });
  if (isWritableStream(body)) return fromPair({ writable: (Writable as any).fromWeb(body) });
  if (typeof body === "function") return fromFunction(body, name);
  if (isBlob(body)) return duplexify(body.arrayBuffer());
  if (isIterable(body)) return from(Duplexify, body, { objectMode: true, writable: false });
  if (isReadableStream(body?.readable) && isWritableStream(body?.writable)) return (Duplexify as any).fromWeb(body);

  if (typeof body?.writable === "object" || typeof body?.readable === "object") {
    const readable = body?.readable
      ? isReadableNodeStream(body.readable)
        ? body.readable
        : duplexify(body.readable)
      : undefined;
    const writable = body?.writable
      ? isWritableNodeStream(body.writable)
        ? body.writable
        : duplexify(body.writable)
      : undefined;
    return fromPair({ readable, writable });
  }

  const then = body?.then;
  if (typeof then === "function") {
    const duplex: any = new Duplexify({ objectMode: true, writable: false, read() {} });
    then.call(
      body,
      (value: unknown) => {
        if (value != null) duplex.push(value);
        duplex.push(null);
      },
      (error: NodeError | null | undefined) => {
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
function fromFunction(fn: (...values: unknown[]) => unknown, name?: string): unknown {
  const { value, write, final, destroy } = feed(fn);

  // A constructor was called instead.
  if (isDuplexNodeStream(value)) return value;
  if (isIterable(value)) return from(Duplexify, value, { objectMode: true, write, final, destroy });

  const then = value?.then;
  if (typeof then === "function") {
    let duplex: Duplexify;
    const done = then.call(
      value,
      (result: unknown) => {
        if (result != null) throw new codes.ERR_INVALID_RETURN_VALUE("nully", "body", result);
      },
      (error: NodeError | null | undefined) => {
        destroyer(duplex, error);
      },
    );
    duplex = new Duplexify({
      objectMode: true,
      readable: false,
      write,
      final(callback: Callback) {
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

/** Calls `fn` with an async iterable that gives what the returned write() gets. */
function feed(fn: (...values: unknown[]) => unknown): { value: any; write: any; final: any; destroy: any } {
  // The next item, and how to provide it; `resolve` is null from then until the iterable asks again.
  let { promise, resolve, reject }: any = Promise.withResolvers();
  const controller = new AbortController();
  const { signal } = controller;

  async function* written() {
    for (;;) {
      const next: unknown = promise;
      promise = null;
      const { chunk, done, callback }: any = await next;
      process.nextTick(callback);
      if (done) return;
      if (signal.aborted) throw new AbortError(undefined, { cause: signal.reason });
      ({ promise, resolve, reject } = Promise.withResolvers());
      yield chunk;
    }
  }
  function hand(item: unknown) {
    const call = resolve;
    resolve = null;
    call(item);
  }

  return {
    value: fn(written(), { signal }),
    write(chunk: unknown, _encoding: string, callback: unknown) {
      hand({ chunk, done: false, callback });
    },
    final(callback: unknown) {
      hand({ done: true, callback });
    },
    destroy(error: NodeError | null | undefined, callback: Callback) {
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
function fromPair(pair: { readable?: any; writable?: any }): unknown {
  const source =
    pair.readable && typeof pair.readable.read !== "function" ? (Readable as any).wrap(pair.readable) : pair.readable;
  const sink = pair.writable;
  let readable = Boolean(isReadable(source));
  let writable = Boolean(isWritable(sink));

  let onDrain: any;
  let onFinish: any;
  let onReadable: any;
  // null once either stream is over.
  let onClose: any;

  const duplex: any = new Duplexify({
    readableObjectMode: Boolean(source?.readableObjectMode),
    writableObjectMode: Boolean(sink?.writableObjectMode),
    readable,
    writable,
  });

  function over(error: NodeError | null | undefined) {
    const callback = onClose;
    onClose = null;
    if (callback) callback(error);
    else if (error) duplex.destroy(error);
  }

  if (writable) {
    eos(sink, (error: NodeError | null | undefined) => {
      writable = false;
      if (error) destroyer(source, error);
      over(error);
    });
    duplex._write = (chunk: unknown, encoding: string, callback: Callback) => {
      if (sink.write(chunk, encoding)) callback();
      else onDrain = callback;
    };
    duplex._final = (callback: unknown) => {
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
    eos(source, (error: NodeError | null | undefined) => {
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

  duplex._destroy = (error: NodeError | null | undefined, callback: Callback) => {
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
