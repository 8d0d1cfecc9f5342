/** Readable.from and readable.wrap: parts of Readable that not every program uses. */
import { codes } from "internal/core/errors";
import { errorOrDestroy } from "internal/streams/destroy";
import type { Done, LegacyStream, NodeReadable, Source, StreamOptions } from "internal/streams/types";

/**
 * Readable.from(iterable[, options]): strings and Buffers are one chunk, other iterables give one chunk
 * per value (promises are awaited).
 */
export function from<T extends NodeReadable>(
  Readable: new (options?: StreamOptions) => T,
  iterable: Source,
  options?: StreamOptions,
): T {
  const { Buffer } = require("node:buffer");
  if (typeof iterable === "string" || iterable instanceof Buffer) {
    return new Readable({
      objectMode: true,
      ...options,
      read() {
        this.push(iterable);
        this.push(null);
      },
    });
  }

  let iterator: Iterator<unknown> | AsyncIterator<unknown>;
  let isAsync: boolean;
  if (iterable && iterable[Symbol.asyncIterator]) {
    isAsync = true;
    iterator = iterable[Symbol.asyncIterator]!();
  } else if (iterable && iterable[Symbol.iterator]) {
    isAsync = false;
    iterator = iterable[Symbol.iterator]!();
  } else {
    throw new codes.ERR_INVALID_ARG_TYPE("iterable", ["Iterable"], iterable);
  }

  const readable = new Readable({ objectMode: true, highWaterMark: 1, ...options });
  // One step of the iterator at a time.
  let reading = false;
  // Set at the first promise a synchronous iterator gives: from then on values are awaited.
  let givesPromises = false;

  readable._read = function () {
    if (reading) return;
    reading = true;
    if (isAsync || givesPromises) pumpAsync();
    else pumpSync();
  };
  const ownDestroy = options?.destroy;
  readable._destroy = function (error: unknown, callback: Done) {
    const close = (reason: unknown) => {
      // nextTick escapes the promise, where a throwing callback would become a rejection.
      closeIterator(reason).then(
        () => process.nextTick(callback, reason),
        (closeError: unknown) => process.nextTick(callback, closeError || reason),
      );
    };
    // First what the options bring: it may free an iterator that waits for something.
    if (typeof ownDestroy === "function") ownDestroy.call(readable, error, (reason: unknown) => close(reason || error));
    else close(error);
  };
  return readable;

  async function closeIterator(error: unknown) {
    if (error !== undefined && error !== null && typeof iterator.throw === "function") {
      const { value, done } = await iterator.throw(error);
      await value;
      if (done) return;
    }
    if (typeof iterator.return === "function") {
      const { value } = await iterator.return();
      await value;
    }
  }

  function pumpSync() {
    for (;;) {
      try {
        const { value, done } = (iterator as Iterator<unknown>).next();
        if (done) {
          readable.push(null);
          return;
        }
        if (value && typeof (value as PromiseLike<unknown>).then === "function") {
          givesPromises = true;
          pumpAsync(value as PromiseLike<unknown>);
          return;
        }
        if (value === null) {
          reading = false;
          throw new codes.ERR_STREAM_NULL_VALUES();
        }
        if (readable.push(value)) continue;
        reading = false;
      } catch (error) {
        readable.destroy(error);
      }
      return;
    }
  }

  async function pumpAsync(pending?: PromiseLike<unknown>) {
    for (;;) {
      try {
        let value: unknown;
        if (pending === undefined) {
          const step = isAsync ? await iterator.next() : (iterator as Iterator<unknown>).next();
          if (step.done) {
            readable.push(null);
            return;
          }
          value = step.value;
        } else {
          value = pending;
          pending = undefined;
        }
        if (value && typeof (value as PromiseLike<unknown>).then === "function") value = await value;
        if (value === null) {
          reading = false;
          throw new codes.ERR_STREAM_NULL_VALUES();
        }
        if (readable.push(value)) continue;
        reading = false;
      } catch (error) {
        readable.destroy(error);
      }
      return;
    }
  }
}

/** readable.wrap(stream): feeds `readable` from a stream that only knows events, pause and resume. */
export function wrap(readable: NodeReadable, source: LegacyStream): NodeReadable {
  let paused = false;

  source.on("data", (chunk: unknown) => {
    if (!readable.push(chunk) && source.pause) {
      paused = true;
      source.pause();
    }
  });
  source.on("end", () => {
    readable.push(null);
  });
  source.on("error", (error: unknown) => {
    errorOrDestroy(readable, error);
  });
  source.on("close", () => {
    readable.destroy();
  });
  source.on("destroy", () => {
    readable.destroy();
  });

  readable._read = () => {
    if (paused && source.resume) {
      paused = false;
      source.resume();
    }
  };

  // Whatever else the source can do stays within reach.
  for (const name of Object.keys(source)) {
    if ((readable as unknown as LegacyStream)[name] === undefined && typeof source[name] === "function") {
      (readable as unknown as LegacyStream)[name] = (source[name] as () => unknown).bind(source);
    }
  }
  return readable;
}
