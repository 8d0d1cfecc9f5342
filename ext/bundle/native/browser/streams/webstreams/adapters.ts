// Between Node's streams and the browser's own.

import type { NodeDuplex as Duplex, NodeReadable as Readable, NodeWritable as Writable } from "internal/streams/types";

const stream = () => require("node:stream");
type Events = { on(name: string, listener: (value: never) => void): void };
/** What this needs of the browser's streams (https://streams.spec.whatwg.org). */
type Controller = {
  readonly desiredSize: number | null;
  enqueue(chunk: unknown): void;
  close(): void;
  error(reason: unknown): void;
};
type Source = {
  getReader(): { read(): Promise<{ done: boolean; value: unknown }>; cancel(reason: unknown): Promise<void> };
};
type Target = {
  getWriter(): { write(chunk: unknown): Promise<void>; close(): Promise<void>; abort(reason: unknown): Promise<void> };
};

export function newReadableStreamFromStreamReadable(readable: Readable): ReadableStream {
  return new ReadableStream({
    start(controller: Controller) {
      readable.pause();
      const events = readable as unknown as Events;
      events.on("data", (chunk: unknown) => {
        controller.enqueue(chunk instanceof Uint8Array ? new Uint8Array(chunk) : chunk);
        if ((controller.desiredSize ?? 1) <= 0) readable.pause();
      });
      stream().finished(readable, (error: unknown) => {
        if (error) controller.error(error);
        else controller.close();
      });
      readable.pause();
    },
    pull() {
      readable.resume();
    },
    cancel(reason: unknown) {
      readable.destroy(reason as Error);
    },
  });
}

export function newStreamReadableFromReadableStream(source: Source, options?: object): Readable {
  const reader = source.getReader();
  return new (stream().Readable)({
    objectMode: false,
    ...options,
    read(this: Readable) {
      reader.read().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: unknown) => this.destroy(error as Error),
      );
    },
    destroy(error: unknown, callback: (error?: unknown) => void) {
      reader.cancel(error).then(
        () => callback(error),
        () => callback(error),
      );
    },
  }) as Readable;
}

export function newWritableStreamFromStreamWritable(writable: Writable): WritableStream {
  type Settle = (error?: unknown) => void;
  const until = (start: (settle: Settle) => void) =>
    new Promise<void>((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
  // It also keeps errors from being ones that nobody listens for. What there is to read may still be there.
  const whenFinished = (settle: Settle) => stream().finished(writable, { readable: false }, settle);
  return new WritableStream({
    start(controller: Controller) {
      whenFinished((error) => {
        if (error) controller.error(error);
      });
    },
    write: (chunk: unknown) => until((settle) => writable.write(chunk, settle)),
    close: () =>
      until((settle) => {
        whenFinished(settle);
        writable.end();
      }),
    abort(reason: unknown) {
      writable.destroy(reason as Error);
    },
  });
}

export function newStreamWritableFromWritableStream(target: Target, options?: object): Writable {
  const writer = target.getWriter();
  const settle = (promise: Promise<void>, callback: (error?: unknown) => void) =>
    promise.then(() => callback(), callback);
  return new (stream().Writable)({
    ...options,
    write(chunk: unknown, _encoding: string, callback: (error?: unknown) => void) {
      void settle(writer.write(chunk), callback);
    },
    final(callback: (error?: unknown) => void) {
      void settle(writer.close(), callback);
    },
    destroy(error: unknown, callback: (error?: unknown) => void) {
      if (error) void settle(writer.abort(error), () => callback(error));
      else callback();
    },
  }) as Writable;
}

export function newReadableWritablePairFromDuplex(duplex: Duplex): {
  readable: ReadableStream;
  writable: WritableStream;
} {
  return {
    readable: newReadableStreamFromStreamReadable(duplex as unknown as Readable),
    writable: newWritableStreamFromStreamWritable(duplex as unknown as Writable),
  };
}

export function newStreamDuplexFromReadableWritablePair(
  pair: { readable: Source; writable: Target },
  options?: object,
): Duplex {
  const writable = newStreamWritableFromWritableStream(pair.writable, options);
  const readable = newStreamReadableFromReadableStream(pair.readable, options);
  return stream().Duplex.from({ readable, writable }) as Duplex;
}
