/** node:stream/web (https://nodejs.org/api/webstreams.html): the same classes as the globals. */
import { lazyProperties } from "internal/core/lazy";

const names = [
  "ReadableStream",
  "ReadableStreamDefaultReader",
  "ReadableStreamBYOBReader",
  "ReadableStreamBYOBRequest",
  "ReadableByteStreamController",
  "ReadableStreamDefaultController",
  "TransformStream",
  "TransformStreamDefaultController",
  "WritableStream",
  "WritableStreamDefaultController",
  "WritableStreamDefaultWriter",
  "ByteLengthQueuingStrategy",
  "CountQueuingStrategy",
  "TextEncoderStream",
  "TextDecoderStream",
] as const;

const all: Record<string, unknown> = {};
lazyProperties(all, () => require("web/streams"), names);
lazyProperties(all, () => require("web/compression"), ["CompressionStream", "DecompressionStream"]);

export default all;
