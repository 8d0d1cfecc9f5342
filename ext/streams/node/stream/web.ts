/** node:stream/web (https://nodejs.org/api/webstreams.html): the same classes as the globals. */
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
];

const all: Record<string, unknown> = {};
function define(name: string, load: () => unknown): void {
  Object.defineProperty(all, name, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get: load,
  } as PropertyDescriptor);
}
for (const name of names) define(name, () => require("web/streams")[name]);
for (const name of ["CompressionStream", "DecompressionStream"] as const)
  define(name, () => require("web/compression")[name]);

export default all;
