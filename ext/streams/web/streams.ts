/** The web streams as globals: https://streams.spec.whatwg.org. Each part loads when it is first asked for. */

// What is exported, by the module that has it.
const parts: { [K in BuiltinId]?: string[] } = {
  "internal/streams/webstreams/readable": [
    "ReadableStream",
    "ReadableStreamDefaultReader",
    "ReadableStreamBYOBReader",
    "ReadableStreamBYOBRequest",
    "ReadableByteStreamController",
    "ReadableStreamDefaultController",
  ],
  "internal/streams/webstreams/writable": [
    "WritableStream",
    "WritableStreamDefaultController",
    "WritableStreamDefaultWriter",
  ],
  "internal/streams/webstreams/transform": ["TransformStream", "TransformStreamDefaultController"],
  "internal/streams/webstreams/strategies": ["ByteLengthQueuingStrategy", "CountQueuingStrategy"],
  "internal/streams/webstreams/encoding": ["TextEncoderStream", "TextDecoderStream"],
};

const all: Record<string, any> = {};
for (const [id, names] of Object.entries(parts) as [BuiltinId, string[]][]) {
  for (const name of names) {
    Object.defineProperty(all, name, {
      __proto__: null,
      configurable: true,
      enumerable: true,
      get() {
        return (require(id) as Record<string, unknown>)[name];
      },
    } as PropertyDescriptor);
  }
}

export default all;
