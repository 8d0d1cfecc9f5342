// node:timers/promises for browsers.

import { AbortError } from "internal/core/errors";
import timers from "node:timers";

interface Options {
  signal?: AbortSignal;
}

function wait<T>(start: (done: () => void) => () => void, value: T, { signal }: Options = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(new AbortError(undefined, { cause: signal!.reason }));
    };
    const cancel = start(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

function setTimeout<T>(delay?: number, value?: T, options?: Options): Promise<T | undefined> {
  return wait(
    (done) => {
      const id = timers.setTimeout(done, delay);
      return () => timers.clearTimeout(id);
    },
    value,
    options,
  );
}

function setImmediate<T>(value?: T, options?: Options): Promise<T | undefined> {
  return wait(
    (done) => {
      const id = timers.setImmediate(done) as never;
      return () => timers.clearImmediate(id);
    },
    value,
    options,
  );
}

async function* setInterval<T>(delay?: number, value?: T, options?: Options): AsyncGenerator<T | undefined> {
  for (;;) yield setTimeout(delay, value, options);
}

export default {
  setTimeout,
  setImmediate,
  setInterval,
  scheduler: {
    wait: (delay: number, options?: Options) => setTimeout(delay, undefined, options),
    yield: () => setImmediate(),
  },
};
