// The output of a process as a web stream: `subprocess.stdout` and `subprocess.stderr` of Bun.spawn().

import { ReadableStream } from "web/streams";
import { errnoException } from "internal/errors";

const { pipeRead, pipeReadAll, pipeStop, pipeResume, pipeSetRef, pipeClose } = native("child");

/**
 * A stream of Uint8Arrays. Output is read ahead into native memory from the start, so that a process whose output
 * nobody reads does not get stuck; text(), json(), bytes() and blob() of an untouched stream take it from there in one
 * piece.
 */
class OutputStream extends (ReadableStream as any) {
  #pipe: { id: number; controller: any; started: boolean; open: boolean };

  /** `id`: a pipe of native("child"), which belongs to the stream from now on. */
  constructor(id: number) {
    const pipe = { id, controller: undefined as any, started: false, open: true };
    const close = () => {
      if (!pipe.open) return;
      pipe.open = false;
      pipeClose(id);
    };
    const received = (errno: number, bytes: Uint8Array | undefined) => {
      if (errno !== 0) {
        close();
        pipe.controller.error(errnoException(errno, "read"));
      } else if (bytes === undefined) {
        close();
        pipe.controller.close();
      } else {
        pipe.controller.enqueue(bytes);
        if (pipe.controller.desiredSize <= 0) pipeStop(id);
      }
    };
    super(
      {
        start(controller: any) {
          pipe.controller = controller;
        },
        pull() {
          if (!pipe.open) return;
          if (pipe.started) {
            pipeResume(id);
          } else {
            pipe.started = true;
            pipeRead(id, received);
          }
        },
        cancel: close,
      },
      { highWaterMark: 0 },
    );
    this.#pipe = pipe;
    // Reads ahead.
    pipeReadAll(id, undefined);
  }

  /** Promise of all bytes that are still to come. */
  bytes(): Promise<Uint8Array> {
    const pipe = this.#pipe;
    if (this.locked || pipe.started || !pipe.open) return collect(this);
    pipe.started = true;
    const reader = this.getReader();
    const { promise, resolve, reject }: any = Promise.withResolvers();
    pipeReadAll(pipe.id, (errno: number, bytes: Uint8Array) => {
      pipe.open = false;
      pipeClose(pipe.id);
      if (errno === 0) {
        pipe.controller.close();
        resolve(bytes);
      } else {
        const error = errnoException(errno, "read");
        pipe.controller.error(error);
        reject(error);
      }
      reader.releaseLock();
    });
    return promise;
  }

  /** Promise of the rest as text (UTF-8). */
  text(): Promise<string> {
    return this.bytes().then((bytes) => native("encoding").decodeUtf8(bytes, false, false));
  }

  /** Promise of the rest as JSON. */
  json(): Promise<any> {
    return this.text().then(JSON.parse);
  }

  /** Promise of the rest as a Blob. */
  blob(): Promise<Blob> {
    return this.bytes().then((bytes) => require("web/blob").createBlob(bytes));
  }

  /** Whether waiting for output keeps the program alive. */
  static setRef(stream: OutputStream, on: boolean): void {
    if (stream.#pipe.open) pipeSetRef(stream.#pipe.id, on);
  }
}

async function collect(stream: any): Promise<Uint8Array> {
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

export { OutputStream };
