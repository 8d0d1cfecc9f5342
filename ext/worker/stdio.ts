// Standard streams of workers. A worker writes to the process's own descriptors, at once and in order, unless its parent asked for the
// streams (`stdout: true`): then chunks travel by the control port.

import type { Duplex, Stream } from "internal/process/types";
import type { Port } from "web/message_port";

/** The parent's side of a worker's stdout or stderr. */
export function outputOf(): Duplex {
  const { Readable } = require("node:stream");
  return new Readable({ read() {} });
}

/** worker.stdout of a worker that has ended. */
export function emptyOutput(): Duplex {
  const { Readable } = require("node:stream");
  const stream = new Readable({ read() {} });
  stream.push(null);
  return stream;
}

/** The parent's side of a worker's stdin. */
export function inputOf(control: Port): Duplex {
  const { Writable } = require("node:stream");
  return new Writable({
    decodeStrings: true,
    write(chunk: Uint8Array, _encoding: unknown, callback: Callback) {
      control.postMessage({ type: "input", chunk: Uint8Array.from(chunk) });
      callback();
    },
    final(callback: Callback) {
      control.postMessage({ type: "input", chunk: null });
      callback();
    },
  });
}

/** The worker's side of a stream that its parent reads. */
export function outputTo(control: Port, fd: number): Stream {
  const { Writable } = require("node:stream");
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: Uint8Array, encoding: string | undefined, callback: Callback) {
      control.postMessage({
        type: "output",
        fd,
        chunk: typeof chunk === "string" && encoding === "utf8" ? chunk : Buffer.from(chunk, encoding),
      });
      callback();
    },
  });
  stream.fd = fd;
  stream._isStdio = true;
  return stream;
}

/** The worker's stdin: what its parent writes, or nothing. */
export function inputFrom(control: Port, isOpen: boolean): Stream {
  const { Readable } = require("node:stream");
  const stream = new Readable({
    read() {
      // Reading it keeps the worker alive.
      if (isOpen) control.ref();
    },
  });
  stream.fd = 0;
  if (!isOpen) {
    stream.push(null);
    return stream;
  }
  stream.on("end", () => control.unref());
  return stream;
}
