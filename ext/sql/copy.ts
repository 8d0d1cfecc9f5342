/** COPY through streams: `query.readable()` for COPY ... TO STDOUT, `query.writable()` for COPY ... FROM STDIN. */

import type { Copy, CopyServer } from "internal/sql/adapter";

/** Bytes that wait for a reader before the server is held up. */
const HIGH_WATER = 1 << 18;

const noCopy = (): Error => new Error("The statement is not a COPY of this direction");

/** What of a stream's controller is used. */
interface Controller {
  enqueue(chunk: Uint8Array): void;
  close(): void;
  error(reason: unknown): void;
  readonly desiredSize: number | null;
}

/** What the streams need of a query. */
interface CopyQuery {
  /** Runs the query with the copy; its end settles the promise. */
  start(copy: Copy): Promise<unknown>;
  cancel(): void;
}

/** The rows that the server sends, as bytes in COPY's format. */
export function copyOut(query: CopyQuery): ReadableStream {
  let server: CopyServer | undefined;
  let isOver = false;
  return new ReadableStream(
    {
      start(given: unknown) {
        const controller = given as Controller;
        const copy: Copy = {
          direction: "out",
          begin(begun) {
            server = begun;
          },
          data(chunk) {
            if (isOver) return;
            controller.enqueue(chunk);
            if ((controller.desiredSize ?? 0) <= 0) server?.pause();
          },
        };
        query.start(copy).then(
          () => {
            if (isOver) return;
            isOver = true;
            if (server === undefined) controller.error(noCopy());
            else controller.close();
          },
          (error: unknown) => {
            if (isOver) return;
            isOver = true;
            controller.error(error);
          },
        );
      },
      pull() {
        server?.resume();
      },
      cancel() {
        isOver = true;
        server?.resume();
        query.cancel();
      },
    },
    { highWaterMark: HIGH_WATER, size: (chunk: Uint8Array) => chunk.byteLength },
  );
}

function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === "string") return Buffer.from(chunk);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
  throw new TypeError("A chunk of COPY is a string or bytes");
}

/** What the server gets: strings or bytes in COPY's format. Closing the stream ends the COPY, aborting it undoes it. */
export function copyIn(query: CopyQuery): WritableStream {
  let server: CopyServer | undefined;
  let done: Promise<unknown>;
  return new WritableStream({
    async start(given: unknown) {
      const controller = given as { error(reason: unknown): void };
      const begun = Promise.withResolvers<void>();
      const copy: Copy = {
        direction: "in",
        begin(taking) {
          server = taking;
          begun.resolve();
        },
        data() {},
      };
      done = query.start(copy);
      done.then(
        () => begun.reject(noCopy()),
        (error: unknown) => {
          begun.reject(error);
          controller.error(error);
        },
      );
      await begun.promise;
    },
    async write(chunk: unknown) {
      await server!.write(bytesOf(chunk));
    },
    async close() {
      server!.end();
      await done;
    },
    async abort(reason: unknown) {
      server?.fail(reason instanceof Error ? reason.message : String(reason));
      await done.catch(() => {});
    },
  });
}
