/** The bytes of a connection: native code reads the socket (native/postgres_link.rs), and what is written waits for the system to take it. */

import { errnoException } from "internal/core/errors";
import { asyncContext, callInContext } from "internal/events/async_context";
import { type StreamHandle, UV_EOF } from "internal/net/native";
import { postgresError } from "internal/sql/postgres/errors";
import type { Socket } from "internal/sql/postgres/socket";
import type { Writer } from "internal/sql/postgres/writer";

const ops = native("sql");

const nothing = (): void => {};

/** What native code tells: see `postgresLink`. */
type Tell = (kind: number, first: unknown, command?: string, count?: number, status?: number) => void;

export class Channel {
  readonly link: Native.PostgresLink;
  #handle: StreamHandle;
  #writer: Writer;
  #closed: (cause: Error | undefined) => void;
  #isDetached = false;
  /** The system has not taken all of what was written. */
  #isWriting = false;
  /** Ends the wait for the system. */
  #whenDrained: (() => void) | undefined = undefined;

  /** Reads the socket from now on, without the streams above it. `closed` is called at its end, with an error of the system if there is one. */
  constructor(socket: Socket, writer: Writer, tell: Tell, closed: (cause: Error | undefined) => void) {
    const handle = socket._handle;
    const link =
      handle &&
      ops.postgresLink(handle.id, (...args) => {
        if (asyncContext.active) callInContext(handle.context, tell, undefined, args);
        else tell(...args);
      });
    if (!handle || !link) throw postgresError("CONNECTION_CLOSED", "Connection closed");
    this.#handle = handle;
    this.link = link;
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
    const result = ops.postgresWrite(this.link, writer.buffer, writer.size);
    writer.clear();
    if (result < 0) {
      const error = errnoException(result, "write");
      // What the server said last is still to be read.
      process.nextTick(() => {
        if (!this.#isDetached) this.#closed(error);
      });
    } else if (result > 0) {
      this.#isWriting = true;
      this.#handle.onwritten = this.#written;
    }
  }

  #written = (errno: number): void => {
    this.#isWriting = false;
    if (this.#isDetached) return;
    if (errno < 0) {
      this.#closed(errnoException(errno, "write"));
      return;
    }
    this.write();
    if (this.#isWriting) return;
    this.#whenDrained?.();
    this.#whenDrained = undefined;
  };

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
    if (!this.#isDetached) ops.postgresHold(this.link, on);
  }

  /** Lets go of the socket. Whether the server has begun with the first query that it has not answered. */
  detach(): boolean {
    if (this.#isDetached) return false;
    this.#isDetached = true;
    this.#handle.onread = nothing;
    this.#whenDrained?.();
    return ops.postgresDetach(this.link);
  }
}
