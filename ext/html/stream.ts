/** The body of a response that is rewritten while it is read. */
import { Body, chunkBytes } from "internal/fetch/body";
import type { RewrittenDocument } from "internal/html/document";
import { createReadableBytes, type ByteControllerImpl } from "internal/streams/webstreams/byte_core";
import { readableOf, wrapReadable } from "internal/streams/webstreams/readable";
import { acquireReader, type DefaultReaderImpl } from "internal/streams/webstreams/readable_core";

/** Bytes of output that are made before somebody reads them. */
const HIGH_WATER_MARK = 64 << 10;

/** A chunk, or undefined at the end. */
function readChunk(reader: DefaultReaderImpl): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // Chunks may be objects with `then` only by a program's mistake: the wrapping array keeps promises from asking.
    reader.read({ chunk: (value: unknown) => resolve([value]), close: () => resolve(undefined), error: reject });
  });
}

/** Reads chunks of a document as output is wanted. */
class StreamedSource {
  #document: RewrittenDocument;
  #reader: DefaultReaderImpl;

  constructor(document: RewrittenDocument, reader: DefaultReaderImpl) {
    this.#document = document;
    this.#reader = reader;
  }

  async pull(controller: ByteControllerImpl): Promise<void> {
    const document = this.#document;
    try {
      for (;;) {
        const next = (await readChunk(this.#reader)) as [unknown] | undefined;
        const waiting = next === undefined ? document.end() : document.write(chunkBytes(next[0]));
        if (waiting !== undefined) await waiting;
        const output = document.take();
        // The stream takes the memory away.
        const isEmpty = output.byteLength === 0;
        if (!isEmpty) controller.enqueue(output);
        if (next === undefined) {
          controller.close();
          if (controller.pendingPullIntos.length > 0) controller.respond(0);
          return;
        }
        // A part without output does not answer the reader.
        if (!isEmpty) return;
      }
    } catch (error) {
      document.stop();
      // A source that cannot be cancelled has failed itself, and that is known already.
      this.#reader.cancel(error)?.then(undefined, () => undefined);
      throw error;
    }
  }

  cancel(reason: unknown): unknown {
    this.#document.stop();
    return this.#reader.cancel(reason);
  }
}

/** Gives the output of a document that is complete once its handlers are. */
class WaitingSource {
  #document: RewrittenDocument;
  #waiting: Promise<void>;

  constructor(document: RewrittenDocument, waiting: Promise<void>) {
    this.#document = document;
    this.#waiting = waiting;
  }

  async pull(controller: ByteControllerImpl): Promise<void> {
    await this.#waiting;
    const output = this.#document.take();
    if (output.byteLength > 0) controller.enqueue(output);
    controller.close();
    if (controller.pendingPullIntos.length > 0) controller.respond(0);
  }

  cancel(): void {
    this.#document.stop();
  }
}

function failed(error: unknown): Body {
  const source = {
    pull() {
      throw error;
    },
  };
  return new Body(undefined, wrapReadable(createReadableBytes(source)));
}

/** The body that a document in memory becomes. Handlers run now, up to the first promise that is not settled. */
export function rewriteBytes(document: RewrittenDocument, bytes: Uint8Array): Body {
  let waiting: Promise<void> | undefined;
  try {
    waiting = document.whole(bytes);
  } catch (error) {
    return failed(error);
  }
  if (waiting === undefined) return new Body(document.take());
  // Whoever reads gets the error; if nobody does, it is not reported, as in Bun.
  waiting.then(undefined, () => undefined);
  return new Body(undefined, wrapReadable(createReadableBytes(new WaitingSource(document, waiting))));
}

/** The body that a stream becomes. */
export function rewriteStream(document: RewrittenDocument, stream: unknown): Body {
  const source = new StreamedSource(document, acquireReader(readableOf(stream)));
  return new Body(undefined, wrapReadable(createReadableBytes(source, HIGH_WATER_MARK)));
}
