/**
 * The rule of the server that an exception in its own code ends a connection (or a stream of HTTP/2), never the process: whatever
 * native code, timers and promises call goes through here.
 */

type Method = (this: unknown, a: unknown, b: unknown, c: unknown, d: unknown) => unknown;

/** Has exceptions of the methods `names`, which native code calls with up to four arguments, given to `broken` with their object. */
export function guard<T extends object>(
  prototype: T,
  names: (keyof T)[],
  broken: (target: T, error: unknown) => void,
): void {
  for (const name of names) {
    const method = prototype[name] as Method;
    const guarded: Method = function (a, b, c, d) {
      try {
        return method.call(this, a, b, c, d);
      } catch (error) {
        broken(this as T, error);
        return undefined;
      }
    };
    Object.defineProperty(prototype, name, { value: guarded, writable: true, configurable: true });
  }
}

interface ReadSink {
  chunk(value: unknown): void;
  close(): void;
  error(reason: unknown): void;
}

/** The reader of a stream whose mistakes are given to `broken`: it is called out of the stream, whose owner has no part in them. */
export function guardSink(sink: ReadSink, broken: (error: unknown) => void): ReadSink {
  const run = (name: keyof ReadSink, value: unknown) => {
    try {
      sink[name](value);
    } catch (error) {
      broken(error);
    }
  };
  return {
    chunk: (value) => run("chunk", value),
    close: () => run("close", undefined),
    error: (reason) => run("error", reason),
  };
}
