/**
 * node:stream (https://nodejs.org/api/stream.html). The export is the legacy Stream class with everything
 * else as its properties. pipeline, compose, the promise versions, operators and web adapters load on first use.
 */
import type { NodeDuplex, StreamOptions } from "internal/streams/types";
import { Stream } from "internal/streams/legacy";
import { Readable } from "internal/streams/readable";
import { Writable } from "internal/streams/writable";
import { Duplex } from "internal/streams/duplex";
import { PassThrough, Transform } from "internal/streams/transform";
import { destroyer } from "internal/streams/destroy";
import { getDefaultHighWaterMark, isUint8Array, setDefaultHighWaterMark, viewToBuffer } from "internal/streams/state";
import { isDestroyed, isDisturbed, isErrored, isReadable, isWritable } from "internal/streams/utils";

const stream: any = Stream;

stream.isDestroyed = isDestroyed;
stream.isDisturbed = isDisturbed;
stream.isErrored = isErrored;
stream.isReadable = isReadable;
stream.isWritable = isWritable;
stream.Readable = Readable;
stream.Writable = Writable;
stream.Duplex = Duplex;
stream.Transform = Transform;
stream.PassThrough = PassThrough;

stream.duplexPair = function duplexPair(options?: StreamOptions): [NodeDuplex, NodeDuplex] {
  return require("internal/streams/duplexpair").duplexPair(options);
};

stream.pipeline = function pipeline(...streams: unknown[]): unknown {
  return require("internal/streams/pipeline").pipeline(...streams);
};

stream.addAbortSignal = function addAbortSignal(signal: AbortSignal, target: unknown): unknown {
  return require("internal/streams/add_abort_signal").addAbortSignal(signal, target);
};

stream.finished = function eos(target: unknown, options: unknown, callback: unknown): () => void {
  return Reflect.apply(require("internal/streams/end_of_stream").eos, this, arguments);
};

stream.destroy = destroyer;

stream.compose = function compose(...streams: unknown[]): unknown {
  return require("internal/streams/compose").compose(...streams);
};

stream.setDefaultHighWaterMark = setDefaultHighWaterMark;
stream.getDefaultHighWaterMark = getDefaultHighWaterMark;

Object.defineProperty(stream, "promises", {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() {
    return require("node:stream/promises");
  },
} as PropertyDescriptor);

// The same under its old name, as in Bun.
stream.eos = stream.finished;

// util.promisify(pipeline) and util.promisify(finished) are the functions of stream/promises.
const kCustomPromisify = Symbol.for("nodejs.util.promisify.custom");
for (const name of ["pipeline", "finished"] as const) {
  Object.defineProperty(stream[name], kCustomPromisify, {
    __proto__: null,
    enumerable: true,
    get() {
      return require("node:stream/promises")[name];
    },
  } as PropertyDescriptor);
}

stream.Stream = Stream;
stream._isArrayBufferView = ArrayBuffer.isView;
stream._isUint8Array = isUint8Array;
stream._uint8ArrayToBuffer = function _uint8ArrayToBuffer(chunk: Uint8Array): Buffer {
  return viewToBuffer(chunk);
};

export default stream;
