/** The bytes of a connection: native code reads the socket (native/link.rs), and what is written waits for the system to take it. */

import { errnoException } from "internal/core/errors";
import { asyncContext, callInContext, runInContext } from "internal/events/async_context";
import { type StreamHandle, UV_EOF } from "internal/net/native";

const nothing = (): void => {};

/** Milliseconds that a socket which takes no more bytes has for what the server said last. */
const MAX_LAST_WORDS = 1000;

/** The ops of one kind of server. */
export interface LinkOps<Link> {
  /** Writes the first bytes of a buffer. 0: the kernel has them; 1: the write event will tell; negative: errno. */
  write(link: Link, buffer: unknown, length: number): number;
  /** Whether the loop waits for the socket also where no answer is expected. */
  hold(link: Link, on: boolean): void;
  /** Lets go of the socket. */
  detach(link: Link): boolean | void;
}

/** Messages that have been made and not been written. */
interface Unwritten {
  readonly buffer: Uint8Array;
  readonly size: number;
  clear(): void;
}

/** What native code tells, in the context of the socket. */
export function inContextOf<A extends unknown[]>(handle: StreamHandle, tell: (...args: A) => void) {
  return (...args: A): void => {
    if (asyncContext.active) callInContext(handle.context, tell, undefined, args);
    else tell(...args);
  };
}

export class Channel<Link> {
  readonly link: Link;
  #ops: LinkOps<Link>;
  #handle: StreamHandle;
  #writer: Unwritten;
  #closed: (cause: Error | undefined) => void;
  #isDetached = false;
  /** The system has not taken all of what was written, or takes nothing any more. */
  #isWriting = false;
  /** Ends the wait for the system. */
  #whenDrained: (() => void) | undefined = undefined;
  /** Waits for what the server said last. */
  #lastWords: ReturnType<typeof setTimeout> | undefined = undefined;

  /**
   * A socket that `link` reads from now on, without the streams above it. `closed` is called at its end, with an error of the system if there
   * is one.
   */
  constructor(
    handle: StreamHandle,
    link: Link,
    ops: LinkOps<Link>,
    writer: Unwritten,
    closed: (cause: Error | undefined) => void,
  ) {
    this.#handle = handle;
    this.link = link;
    this.#ops = ops;
    this.#writer = writer;
    this.#closed = closed;
    // What is left to tell is the end.
    handle.onread = (_, errno) => closed(errno === UV_EOF ? undefined : errnoException(errno, "read"));
    if (!handle.reading) handle.readStart();
  }

  /** Writes what has been made, unless the system has not taken what came before. */
  write(): void {
    const writer = this.#writer;
    if (writer.size === 0 || this.#isWriting || this.#isDetached) return;
    const result = this.#ops.write(this.link, writer.buffer, writer.size);
    writer.clear();
    if (result < 0) this.#refused(result);
    else if (result > 0) {
      this.#isWriting = true;
      this.#handle.onwritten = this.#written;
    }
  }

  #written = (errno: number): void => {
    this.#isWriting = false;
    if (this.#isDetached) return;
    if (errno < 0) return this.#refused(errno);
    this.write();
    if (!this.#isWriting) this.#drained();
  };

  #drained(): void {
    this.#whenDrained?.();
    this.#whenDrained = undefined;
  }

  /** The system takes no more. What the server said last is read before the end of the socket is told, which native code finds by itself. */
  #refused(errno: number): void {
    this.#isWriting = true;
    const error = errnoException(errno, "write");
    const tell = inContextOf(this.#handle, this.#closed);
    const wait = this.#handle.reading ? MAX_LAST_WORDS : 0;
    // Not in the context of whoever's query was written: the end of a `Bun.ModuleGraph` closes the timers of its contexts.
    this.#lastWords = runInContext(undefined, () => setTimeout(() => tell(error), wait), undefined, []);
  }

  /** Resolves when the system takes more; undefined if it does. */
  drained(): Promise<void> | undefined {
    if (!this.#isWriting) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenDrained = resolve;
    return promise;
  }

  pause(): void {
    if (!this.#isDetached) this.#handle.readStop();
  }

  resume(): void {
    if (!this.#isDetached) this.#handle.readStart();
  }

  /** Whether the loop waits for the socket also while no answer is expected. */
  hold(on: boolean): void {
    if (!this.#isDetached) this.#ops.hold(this.link, on);
  }

  /** Lets go of the socket. PostgreSQL: whether the server has begun with the first query that it has not answered. */
  detach(): boolean {
    if (this.#isDetached) return false;
    this.#isDetached = true;
    clearTimeout(this.#lastWords);
    this.#handle.onread = nothing;
    this.#drained();
    return this.#ops.detach(this.link) === true;
  }
}
