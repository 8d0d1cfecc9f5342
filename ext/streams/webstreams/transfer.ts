/**
 * Web streams in postMessage() and structuredClone(): the transfer steps of the standard
 * (https://streams.spec.whatwg.org/#transferrable-streams). A transferred stream leaves a MessagePort behind,
 * over which its chunks go; the other side builds a stream on the port it gets.
 */
import { deferred, Deferred, markHandled, react, rejectedWith, resolvedWith } from "internal/streams/webstreams/core";
import { type DefaultStreamImpl, ReadableImpl, createReadable } from "internal/streams/webstreams/readable_core";
import { WritableImpl, createWritable } from "internal/streams/webstreams/writable_core";
import { isReadableStream, readableOf, wrapReadable } from "internal/streams/webstreams/readable";
import { isWritableStream, wrapWritable, writableOf } from "internal/streams/webstreams/writable";
import { isTransformStream, wrapTransform } from "internal/streams/webstreams/transform";

const noSignal = { preventAbort: false, preventCancel: false, preventClose: false, signal: undefined };

/** A MessagePort, of the web or of node:worker_threads. */
interface Port {
  onmessage?: ((event: { data: { type: string; value: unknown } | null }) => void) | null;
  onmessageerror?: (() => void) | null;
  postMessage(message: { type: string; value: unknown }): void;
  close(): void;
  start?(): void;
  ref?(): void;
  unref?(): void;
}

function dataCloneError(message: string): Error {
  return new DOMException(message, "DataCloneError");
}

/** Posts a message; what cannot be cloned is reported to the other side and thrown. */
function post(port: Port, type: string, value: unknown): void {
  try {
    port.postMessage({ type, value });
  } catch (error) {
    sendError(port, error);
    throw error;
  }
}

/** An error that cannot be cloned itself arrives as undefined. */
function sendError(port: Port, error: unknown): void {
  try {
    port.postMessage({ type: "error", value: error });
  } catch {
    port.postMessage({ type: "error", value: undefined });
  }
}

function listen(port: Port, onMessage: (type: string, value: unknown) => void, onError: (error: Error) => void): void {
  port.onmessage = ({ data }) => {
    if (data !== null && typeof data === "object") onMessage(data.type, data.value);
  };
  port.onmessageerror = () => {
    const error = dataCloneError("A chunk could not be deserialized");
    sendError(port, error);
    onError(error);
    port.close();
  };
  port.start?.();
  // An idle stream does not keep the process alive.
  port.unref?.();
}

/** The readable end of a transferred stream. */
function readableOnPort(port: Port, isLeftBehind = false): ReadableImpl {
  let stream: DefaultStreamImpl;
  listen(
    port,
    (type, value) => {
      const { controller } = stream;
      // Only a read that waits keeps the process alive.
      port.unref?.();
      if (type === "chunk") {
        if (controller.canCloseOrEnqueue) controller.enqueue(value);
      } else if (type === "close") {
        controller.close();
        port.close();
      } else if (type === "error") {
        controller.error(value);
        port.close();
      }
    },
    (error) => {
      stream.controller.error(error);
    },
  );

  return (stream = createReadable(
    {
      pull() {
        // What is left of a transferred stream waits for chunks that may never come.
        if (!isLeftBehind) port.ref?.();
        post(port, "pull", undefined);
      },
      cancel(reason: unknown) {
        try {
          post(port, "error", reason);
        } finally {
          port.close();
        }
      },
    },
    0,
  ));
}

/** The writable end of a transferred stream. A write waits until the other side pulls. */
function writableOnPort(port: Port): WritableImpl {
  let stream: WritableImpl;
  let pulled: Deferred | undefined = deferred();

  const release = () => {
    pulled?.resolve(undefined);
    pulled = undefined;
  };
  listen(
    port,
    (type, value) => {
      if (type === "pull") {
        release();
      } else if (type === "error") {
        stream.controller.errorIfNeeded(value);
        release();
      }
    },
    (error) => {
      stream.controller.errorIfNeeded(error);
      release();
    },
  );

  return (stream = createWritable(
    {
      write(chunk: unknown) {
        const wait = pulled === undefined ? resolvedWith(undefined) : pulled.promise;
        return react(wait, () => {
          pulled = deferred();
          try {
            post(port, "chunk", chunk);
          } catch (error) {
            port.close();
            throw error;
          }
        });
      },
      close() {
        post(port, "close", undefined);
        port.close();
      },
      abort(reason: unknown) {
        try {
          post(port, "error", reason);
          return resolvedWith(undefined);
        } catch (error) {
          return rejectedWith(error);
        } finally {
          port.close();
        }
      },
    },
    1,
  ));
}

function pipe(source: ReadableImpl, dest: WritableImpl): void {
  markHandled(require("internal/streams/webstreams/pipe").pipe(source, dest, noSignal));
}

/** Whether `value` is a stream that can be transferred. */
export function isTransferableStream(value: unknown): boolean {
  return isReadableStream(value) || isWritableStream(value) || isTransformStream(value);
}

interface TransferredStream {
  kind: "readable" | "writable" | "transform";
  ports: Port[];
}

/**
 * The transfer steps: locks `stream` and gives the ports to transfer in its place. Throws a DataCloneError for
 * a locked stream.
 */
export function transferStream(stream: unknown): TransferredStream {
  if (isTransformStream(stream)) {
    if (stream.readable.locked || stream.writable.locked) throw dataCloneError("A locked stream cannot be transferred");
    return {
      kind: "transform",
      ports: [...transferStream(stream.readable).ports, ...transferStream(stream.writable).ports],
    };
  }
  if ((stream as { locked: boolean }).locked) throw dataCloneError("A locked stream cannot be transferred");
  const { port1, port2 } = new MessageChannel();
  if (isReadableStream(stream)) {
    pipe(readableOf(stream), writableOnPort(port1));
    return { kind: "readable", ports: [port2] };
  }
  pipe(readableOnPort(port1, true), writableOf(stream));
  return { kind: "writable", ports: [port2] };
}

/** The transfer-receiving steps: the stream on the other side. */
export function receiveStream({ kind, ports }: TransferredStream) {
  if (kind === "readable") return wrapReadable(readableOnPort(ports[0]));
  if (kind === "writable") return wrapWritable(writableOnPort(ports[0]));
  return wrapTransform({ readable: readableOnPort(ports[0]), writable: writableOnPort(ports[1]), backpressure: false });
}
