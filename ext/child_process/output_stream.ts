// The output of a process as a web stream: `subprocess.stdout` and `subprocess.stderr` of Bun.spawn().

import streams from "web/streams";

const { ReadableStream } = streams;
import { closeSource } from "internal/child_process/output";
import type { Source } from "internal/child_process/output";
import { errnoException } from "internal/core/errors";
import type { BytesController, BytesStream } from "internal/child_process/types";

const { pipeRead, pipeReadAll, pipeStop, pipeResume } = native("child");
const { decodeUtf8 } = native("encoding");

/** A stream of Uint8Arrays; text(), json(), bytes() and blob() of an untouched one take everything in one piece. */
export class OutputStream extends ReadableStream {
  #source: Source;

  constructor(source: Source) {
    const received = (errno: number, bytes: Uint8Array | undefined) => {
      const { controller } = source as { controller: BytesController };
      if (errno !== 0) {
        closeSource(source);
        controller.error(errnoException(errno, "read"));
      } else if (bytes === undefined) {
        closeSource(source);
        controller.close();
      } else {
        controller.enqueue(bytes);
        if (controller.desiredSize <= 0) pipeStop(source.id);
      }
    };
    super(
      {
        start(controller: BytesController) {
          source.controller = controller;
        },
        pull(controller: BytesController) {
          const { bytes } = source;
          if (bytes !== undefined) {
            source.bytes = undefined;
            if (bytes.length > 0) controller.enqueue(bytes);
            controller.close();
          } else if (source.id === -1) {
            return;
          } else if (source.started) {
            pipeResume(source.id);
          } else {
            source.started = true;
            pipeRead(source.id, received);
          }
        },
        cancel() {
          source.bytes = undefined;
          closeSource(source);
        },
      },
      { highWaterMark: 0 },
    );
    this.#source = source;
  }

  /** Promise of all bytes that are still to come. */
  bytes(): Promise<Uint8Array> {
    const source = this.#source;
    if (this.locked || source.started || source.id === -1) return collect(this as unknown as BytesStream);
    source.started = true;
    // Locks the stream meanwhile.
    const reader = this.getReader();
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    pipeReadAll(source.id, (errno: number, bytes: Uint8Array) => {
      closeSource(source);
      if (errno === 0) {
        source.controller!.close();
        resolve(bytes);
      } else {
        const error = errnoException(errno, "read");
        source.controller!.error(error);
        reject(error);
      }
      reader.releaseLock();
    });
    return promise;
  }

  /** Promise of the rest as text (UTF-8). */
  text(): Promise<string> {
    return this.bytes().then((bytes) => decodeUtf8(bytes, false, false)!);
  }

  /** Promise of the rest as JSON. */
  json(): Promise<unknown> {
    return this.text().then(JSON.parse);
  }

  /** Promise of the rest as a Blob. */
  blob(): Promise<Blob> {
    return this.bytes().then((bytes) => require("web/blob").createBlob(bytes));
  }
}

async function collect(stream: BytesStream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      size += value.length;
    }
  } finally {
    reader.releaseLock();
  }
  if (chunks.length === 1) return chunks[0]!;
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

// For programs it is a stream like any other.
Object.defineProperty(OutputStream.prototype, "constructor", {
  value: ReadableStream,
  writable: true,
  configurable: true,
  enumerable: false,
});
