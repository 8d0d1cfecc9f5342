/** TextEncoderStream and TextDecoderStream: https://encoding.spec.whatwg.org/#interface-textencoderstream */
import { defineInterface, thisError } from "internal/streams/webstreams/core";
import { TransformImpl, createTransform } from "internal/streams/webstreams/transform_core";
import { wrapReadable } from "internal/streams/webstreams/readable";
import { wrapWritable } from "internal/streams/webstreams/writable";

const toText = (value: unknown) => `${value}`;

/** Strings to UTF-8; a surrogate pair may be split between two chunks. */
class TextEncoderStream {
  #transform: TransformImpl;

  constructor() {
    const encoder = new TextEncoder();
    let pending = "";

    this.#transform = createTransform({
      transform(chunk: unknown, controller: TransformImpl) {
        let text = toText(chunk);
        if (text.length === 0) return;
        if (pending !== "") {
          text = pending + text;
          pending = "";
        }
        const last = text.charCodeAt(text.length - 1);
        if (last >= 0xd800 && last <= 0xdbff) {
          // Its other half may come with the next chunk.
          pending = text[text.length - 1];
          text = text.slice(0, -1);
        }
        if (text.length > 0) controller.enqueue(encoder.encode(text));
      },
      flush(controller: TransformImpl) {
        if (pending !== "") controller.enqueue(new Uint8Array([0xef, 0xbf, 0xbd]));
      },
    });
  }

  get encoding(): string {
    if (!(typeof this === "object" && this !== null && #transform in this)) throw thisError("TextEncoderStream");
    return "utf-8";
  }

  get readable() {
    if (!(typeof this === "object" && this !== null && #transform in this)) throw thisError("TextEncoderStream");
    return wrapReadable(this.#transform.readable);
  }

  get writable() {
    if (!(typeof this === "object" && this !== null && #transform in this)) throw thisError("TextEncoderStream");
    return wrapWritable(this.#transform.writable);
  }
}
defineInterface(TextEncoderStream, "TextEncoderStream", ["encoding", "readable", "writable"], (stream) => ({
  encoding: stream.encoding,
  readable: stream.readable,
  writable: stream.writable,
}));

/** Bytes to strings. */
class TextDecoderStream {
  #decoder: TextDecoder;
  #transform: TransformImpl;

  constructor(label: string = "utf-8", options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    const decoder = (this.#decoder = new TextDecoder(label, options));

    this.#transform = createTransform({
      transform(chunk: unknown, controller: TransformImpl) {
        if (chunk === undefined) throw new TypeError("A chunk must be a BufferSource");
        const text = decoder.decode(chunk, { stream: true });
        if (text !== "") controller.enqueue(text);
      },
      flush(controller: TransformImpl) {
        const text = decoder.decode();
        if (text !== "") controller.enqueue(text);
      },
    });
  }

  get encoding(): string {
    if (!(typeof this === "object" && this !== null && #decoder in this)) throw thisError("TextDecoderStream");
    return this.#decoder.encoding;
  }

  get fatal(): boolean {
    if (!(typeof this === "object" && this !== null && #decoder in this)) throw thisError("TextDecoderStream");
    return this.#decoder.fatal;
  }

  get ignoreBOM(): boolean {
    if (!(typeof this === "object" && this !== null && #decoder in this)) throw thisError("TextDecoderStream");
    return this.#decoder.ignoreBOM;
  }

  get readable() {
    if (!(typeof this === "object" && this !== null && #decoder in this)) throw thisError("TextDecoderStream");
    return wrapReadable(this.#transform.readable);
  }

  get writable() {
    if (!(typeof this === "object" && this !== null && #decoder in this)) throw thisError("TextDecoderStream");
    return wrapWritable(this.#transform.writable);
  }
}
defineInterface(
  TextDecoderStream,
  "TextDecoderStream",
  ["encoding", "fatal", "ignoreBOM", "readable", "writable"],
  (stream) => ({
    encoding: stream.encoding,
    fatal: stream.fatal,
    ignoreBOM: stream.ignoreBOM,
    readable: stream.readable,
    writable: stream.writable,
  }),
);

export { TextDecoderStream, TextEncoderStream };
