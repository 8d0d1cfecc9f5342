/** The public classes of transform streams: https://streams.spec.whatwg.org/#ts */
import { codes } from "internal/core/errors";
import {
  defineInterface,
  highWaterMarkOf,
  type Internal,
  kInternal,
  thisError,
  toCallback,
  toStrategy,
} from "internal/streams/webstreams/core";
import { TransformImpl } from "internal/streams/webstreams/transform_core";
import { wrapReadable } from "internal/streams/webstreams/readable";
import { wrapWritable } from "internal/streams/webstreams/writable";

let isStream: (value: unknown) => value is TransformStream;
let streamOf: (stream: TransformStream) => TransformImpl;
let isController: (value: unknown) => value is TransformStreamDefaultController;

/** A transformer's members, read in the order of the standard. */
function toTransformer(value: { [member: string]: unknown } | undefined) {
  if (value === undefined) return {};
  if (value === null || (typeof value !== "object" && typeof value !== "function")) {
    throw new codes.ERR_INVALID_ARG_TYPE("transformer", "Object", value);
  }
  const cancel = toCallback(value.cancel, "transformer.cancel");
  const flush = toCallback(value.flush, "transformer.flush");
  const { readableType } = value;
  const start = toCallback(value.start, "transformer.start");
  const transform = toCallback(value.transform, "transformer.transform");
  const { writableType } = value;
  if (readableType !== undefined) {
    throw new codes.ERR_INVALID_ARG_VALUE.RangeError("transformer.readableType", readableType);
  }
  if (writableType !== undefined) {
    throw new codes.ERR_INVALID_ARG_VALUE.RangeError("transformer.writableType", writableType);
  }
  return { cancel, flush, start, transform };
}

class TransformStream {
  #impl!: TransformImpl;

  static {
    isStream = (value) => typeof value === "object" && value !== null && #impl in value;
    streamOf = (stream) => stream.#impl;
  }

  constructor(
    transformer: unknown = undefined,
    writableStrategy: unknown = undefined,
    readableStrategy: unknown = undefined,
  ) {
    if (transformer === kInternal) {
      this.#impl = writableStrategy as TransformImpl;
      return;
    }
    const forWriting = toStrategy(writableStrategy);
    const forReading = toStrategy(readableStrategy);
    const functions = toTransformer(transformer as { [member: string]: unknown } | undefined);
    const readableMark = highWaterMarkOf(forReading, 0);
    const writableMark = highWaterMarkOf(forWriting, 1);

    const impl = (this.#impl = new TransformImpl(
      transformer,
      functions,
      writableMark,
      forWriting.size,
      readableMark,
      forReading.size,
    ));
    impl.api = new (TransformStreamDefaultController as unknown as Internal<TransformStreamDefaultController>)(
      kInternal,
      impl,
    );
    impl.start(functions.start);
  }

  get readable() {
    if (!isStream(this)) throw thisError("TransformStream");
    return wrapReadable(this.#impl.readable);
  }

  get writable() {
    if (!isStream(this)) throw thisError("TransformStream");
    return wrapWritable(this.#impl.writable);
  }
}
defineInterface(TransformStream, "TransformStream", ["readable", "writable"], (stream) => ({
  readable: stream.readable,
  writable: stream.writable,
  backpressure: streamOf(stream).backpressure,
}));

class TransformStreamDefaultController {
  #impl: TransformImpl;

  static {
    isController = (value) => typeof value === "object" && value !== null && #impl in value;
  }

  constructor() {
    if (arguments[0] !== kInternal) throw new codes.ERR_ILLEGAL_CONSTRUCTOR();
    this.#impl = arguments[1];
  }

  get desiredSize(): number | null {
    if (!isController(this)) throw thisError("TransformStreamDefaultController");
    return this.#impl.desiredSize;
  }

  enqueue(chunk: unknown = undefined): void {
    if (!isController(this)) throw thisError("TransformStreamDefaultController");
    this.#impl.enqueue(chunk);
  }

  error(reason: unknown = undefined): void {
    if (!isController(this)) throw thisError("TransformStreamDefaultController");
    this.#impl.error(reason);
  }

  terminate(): void {
    if (!isController(this)) throw thisError("TransformStreamDefaultController");
    this.#impl.terminate();
  }
}
defineInterface(
  TransformStreamDefaultController,
  "TransformStreamDefaultController",
  ["desiredSize", "enqueue", "error", "terminate"],
  (controller) => ({ desiredSize: controller.desiredSize }),
);

/** Whether `value` is a TransformStream of this realm. */
function isTransformStream(value: unknown): value is TransformStream {
  return isStream(value);
}

/**
 * A public object for an internal transform stream, or for anything with an internal `readable` and
 * `writable` (a pair received by transfer).
 */
function wrapTransform(impl: unknown): TransformStream {
  return new TransformStream(kInternal, impl);
}

export { TransformStream, TransformStreamDefaultController, isTransformStream, wrapTransform };
