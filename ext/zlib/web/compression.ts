/** CompressionStream and DecompressionStream: https://compression.spec.whatwg.org. Brotli and Zstandard as in Node and Bun. */
import { codes } from "internal/core/errors";
import { isAnyArrayBuffer, isArrayBufferView, isSharedArrayBuffer } from "internal/buffer/base";
import { utf8Bytes } from "internal/buffer/codecs";
import { defineInterface } from "internal/streams/webstreams/core";
import { TransformImpl, createTransform } from "internal/streams/webstreams/transform_core";
import { wrapReadable } from "internal/streams/webstreams/readable";
import { wrapWritable } from "internal/streams/webstreams/writable";

const ops = native("zlib");

/** Chunks up to this size are done at once: the way to the thread pool and back would take longer. */
const SMALL = 32 * 1024;
/** Bytes of a piece of output. */
const PIECE = 64 * 1024;
const NOTHING = new Uint8Array(0);

// zlib.constants.DEFLATE and so on; the second is for decompression.
const zlibModes: Record<string, [number, number]> = { deflate: [1, 2], gzip: [3, 4], "deflate-raw": [5, 6] };

function formatOf(format: string, name: string): string {
  format = `${format}`;
  if (Object.hasOwn(zlibModes, format) || format === "brotli" || format === "zstd") return format;
  throw new codes.ERR_INVALID_ARG_VALUE("format", format, `is not a format of ${name}`);
}

function open(format: string, compress: boolean): ArrayBuffer {
  if (format === "brotli") return ops.openBrotli(compress, [], NOTHING);
  if (format === "zstd") return ops.openZstd(compress, [], undefined, NOTHING);
  return ops.openZlib(zlibModes[format][compress ? 0 : 1], 15, -1, 8, 0, true, NOTHING);
}

/** The bytes of a chunk: a BufferSource that is not shared or, as in Node, a string. */
function bytesOf(chunk: unknown): ArrayBufferView | ArrayBuffer {
  if (typeof chunk === "string") return utf8Bytes(chunk);
  if (chunk === null) throw new codes.ERR_STREAM_NULL_VALUES();
  const view = isArrayBufferView(chunk);
  if (view ? isSharedArrayBuffer(chunk.buffer) : !isAnyArrayBuffer(chunk) || isSharedArrayBuffer(chunk)) {
    throw new codes.ERR_INVALID_ARG_TYPE("chunk", ["Buffer", "TypedArray", "DataView", "ArrayBuffer"], chunk);
  }
  return chunk as ArrayBufferView | ArrayBuffer;
}

/** The transform stream around a native stream. */
function makeTransform(format: string, compress: boolean): TransformImpl {
  // Its memory owns the native stream, which goes with it if nobody closes this.
  let lifetime: ArrayBuffer | undefined = open(format, compress);
  const id = new Uint32Array(lifetime)[0];
  const isZlib = Object.hasOwn(zlibModes, format);
  const finish = isZlib ? 4 : 2;
  let received = false;

  const close = () => {
    if (lifetime === undefined) return;
    lifetime = undefined;
    ops.closeStream(id);
  };

  const fail = (): never => {
    const [message, errno, code] = ops.takeFailure(id)!;
    close();
    const error: NodeError = new TypeError(message);
    error.errno = errno;
    error.code = code;
    throw error;
  };

  // Hands on the output of a step; true if there is to be another one.
  const take = (controller: TransformImpl, output: Uint8Array, left: number): boolean => {
    if (left < 0) fail();
    if (output.length > 0) controller.enqueue(output);
    if (output.length === PIECE) return true;
    if (left > 0) {
      close();
      throw new codes.ERR_TRAILING_JUNK_AFTER_STREAM_END();
    }
    return false;
  };

  const run = (controller: TransformImpl, flush: number, chunk: ArrayBufferView | ArrayBuffer) => {
    let left = chunk.byteLength;
    if (left > SMALL) return runLater(controller, flush, chunk);
    for (let offset = 0; ;) {
      const [output, after] = ops.stepSync(id, flush, chunk, offset, left, PIECE, 1);
      offset += left - after;
      left = after;
      if (!take(controller, output, after)) return;
    }
  };

  const runLater = (controller: TransformImpl, flush: number, chunk: ArrayBufferView | ArrayBuffer) =>
    new Promise<void>((resolve, reject) => {
      let offset = 0;
      let left = chunk.byteLength;
      const step = () =>
        ops.step(id, flush, chunk, offset, left, PIECE, 1, (error, result) => {
          // Aborted meanwhile.
          if (lifetime === undefined) return resolve();
          if (error) return reject(error);
          const after = result[1];
          offset += left - after;
          left = after;
          try {
            if (take(controller, result[0], after)) step();
            else resolve();
          } catch (thrown) {
            reject(thrown);
          }
        });
      step();
    });

  return createTransform({
    transform(chunk: unknown, controller: TransformImpl) {
      const bytes = bytesOf(chunk);
      if (bytes.byteLength === 0) return;
      received = true;
      return run(controller, 0, bytes);
    },
    flush(controller: TransformImpl) {
      // A decompressor that never got anything has not seen the end of its data either.
      if (!compress && !received) {
        close();
        const error: NodeError = new TypeError("unexpected end of file");
        error.code = "Z_BUF_ERROR";
        throw error;
      }
      run(controller, finish, NOTHING);
      close();
    },
    cancel: close,
  });
}

// Node has this from V8, as its classes read the private field unasked.
function wrongThis(): Error {
  return new TypeError("Cannot read private member #transform from an object whose class did not declare it");
}

/** Compresses what is written: new CompressionStream("gzip" | "deflate" | "deflate-raw" | "brotli" | "zstd"). */
class CompressionStream {
  #transform: TransformImpl;

  constructor(format: string) {
    this.#transform = makeTransform(formatOf(format, "CompressionStream"), true);
  }

  get readable() {
    if (!(typeof this === "object" && this !== null && #transform in this)) throw wrongThis();
    return wrapReadable(this.#transform.readable);
  }

  get writable() {
    if (!(typeof this === "object" && this !== null && #transform in this)) throw wrongThis();
    return wrapWritable(this.#transform.writable);
  }
}

/** Decompresses what is written; the same formats. */
class DecompressionStream {
  #transform: TransformImpl;

  constructor(format: string) {
    this.#transform = makeTransform(formatOf(format, "DecompressionStream"), false);
  }

  get readable() {
    if (!(typeof this === "object" && this !== null && #transform in this)) throw wrongThis();
    return wrapReadable(this.#transform.readable);
  }

  get writable() {
    if (!(typeof this === "object" && this !== null && #transform in this)) throw wrongThis();
    return wrapWritable(this.#transform.writable);
  }
}

const describe = (stream: { readable?: unknown; writable?: unknown }) => ({
  readable: stream.readable,
  writable: stream.writable,
});
defineInterface(CompressionStream, "CompressionStream", ["readable", "writable"], describe);
defineInterface(DecompressionStream, "DecompressionStream", ["readable", "writable"], describe);

export { CompressionStream, DecompressionStream };
