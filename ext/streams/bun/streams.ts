// Bytes and streams of them: ArrayBufferSink, concatArrayBuffers, allocUnsafe, readableStreamTo*.
import { codes } from "internal/core/errors";
import { bytesOf, invalidType } from "bun/util";

/** A Uint8Array whose content nobody has cleared (here: it is zeros all the same). */
export function allocUnsafe(size: unknown): Uint8Array {
  if (typeof size !== "number") throw new codes.ERR_INVALID_ARG_TYPE("size", "number", size);
  if (!(size >= 0 && size <= 4294967295)) throw new codes.ERR_OUT_OF_RANGE("size", ">= 0 && <= 4294967295", size);
  return new Uint8Array(size);
}

function joined(parts: Uint8Array[], most = Infinity): Uint8Array {
  let size = 0;
  for (const part of parts) size += part.byteLength;
  if (size > most) size = most;
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    if (at >= size) break;
    all.set(part.byteLength > size - at ? part.subarray(0, size - at) : part, at);
    at += part.byteLength;
  }
  return all;
}

/**
 * The bytes of buffers and views one after the other.
 * @param maxLength what is beyond is left out
 * @param asUint8Array a Uint8Array instead of an ArrayBuffer
 */
export function concatArrayBuffers(
  buffers: unknown,
  maxLength: unknown = Infinity,
  asUint8Array: boolean = false,
): ArrayBuffer | SharedArrayBuffer | Uint8Array {
  if (buffers === undefined) throw new TypeError("Expected at least one argument");
  if (!Array.isArray(buffers)) throw new TypeError("Argument must be an array");
  const parts = buffers.map((buffer) => {
    const bytes = bytesOf(buffer);
    if (bytes === undefined) throw new TypeError("Expected TypedArray");
    return bytes;
  });
  // A getter of a later element may have taken away the memory of an earlier one.
  for (const { buffer } of parts)
    if ("detached" in buffer && buffer.detached) throw new TypeError("Cannot concatenate a detached ArrayBuffer");
  const most = typeof maxLength === "number" ? Math.trunc(maxLength) : Infinity;
  if (most < 0) throw new RangeError("Maximum length must be >= 0");
  const all = joined(parts, most);
  return asUint8Array ? all : all.buffer;
}
Object.defineProperty(concatArrayBuffers, "length", { value: 3 });

/** Collects what is written to it in memory. */
export class ArrayBufferSink {
  #chunks: Uint8Array[] = [];
  #asUint8Array = false;
  #streams = false;
  #ended = false;

  /** @param options `asUint8Array`; `stream`: flush() gives what has been collected; `highWaterMark` */
  start(options?: { asUint8Array?: unknown; stream?: unknown } | null): void {
    this.#asUint8Array = Boolean(options?.asUint8Array);
    this.#streams = Boolean(options?.stream);
  }

  /** Takes a string, buffer or view; the number of its bytes. */
  write(chunk: unknown): number {
    const bytes =
      typeof chunk === "string" ? require("internal/buffer/codecs").utf8Bytes(chunk) : bytesOf(chunk)?.slice();
    if (bytes === undefined) throw invalidType("write() expects a string, ArrayBufferView, or ArrayBuffer");
    if (!this.#ended) this.#chunks.push(bytes);
    return bytes.byteLength;
  }

  #take(): ArrayBuffer | SharedArrayBuffer | Uint8Array {
    const all = joined(this.#chunks);
    this.#chunks = [];
    return this.#asUint8Array ? all : all.buffer;
  }

  flush(): number | ArrayBuffer | SharedArrayBuffer | Uint8Array {
    return this.#streams ? this.#take() : 0;
  }

  /** All that has been written since the last flush. */
  end(): ArrayBuffer | SharedArrayBuffer | Uint8Array {
    this.#ended = true;
    return this.#take();
  }

  close(): void {
    this.#ended = true;
    this.#chunks = [];
  }
}
Object.defineProperty(ArrayBufferSink.prototype, Symbol.toStringTag, { value: "ArrayBufferSink", configurable: true });

const consume = () => require("internal/streams/webstreams/consume");

function checked(stream: unknown): unknown {
  if (!require("internal/streams/webstreams/readable").isReadableStream(stream)) {
    const error = new codes.ERR_INVALID_ARG_TYPE("stream", "ReadableStream", stream);
    error.message = error.message.replace("an instance of", "of type");
    throw error;
  }
  return stream;
}

async function allBytes(stream: unknown): Promise<Uint8Array> {
  const chunks = await consume().toArray(stream);
  return joined(
    chunks.map((chunk: unknown) => {
      const bytes = typeof chunk === "string" ? require("internal/buffer/codecs").utf8Bytes(chunk) : bytesOf(chunk);
      if (bytes === undefined) throw new TypeError("Expected an ArrayBuffer, ArrayBufferView, or string chunk");
      return bytes;
    }),
  );
}

async function allText(stream: unknown): Promise<string> {
  const chunks = await consume().toArray(stream);
  let text = "";
  let decoder: TextDecoder | undefined;
  for (const chunk of chunks) {
    if (typeof chunk === "string") text += chunk;
    else if (bytesOf(chunk) === undefined) throw new TypeError("Expected text, ArrayBuffer or ArrayBufferView");
    else text += (decoder ??= new TextDecoder()).decode(chunk, { stream: true });
  }
  // What is left of an unfinished character.
  return decoder === undefined ? text : text + decoder.decode();
}

/** Promise of all chunks. */
export function readableStreamToArray(stream: unknown): Promise<unknown[]> {
  return consume().toArray(checked(stream));
}

/** Promise of all bytes. */
export function readableStreamToArrayBuffer(stream: unknown): Promise<ArrayBuffer> {
  return allBytes(checked(stream)).then((bytes) => bytes.buffer as ArrayBuffer);
}

/** Promise of all bytes. */
export function readableStreamToBytes(stream: unknown): Promise<Uint8Array> {
  return allBytes(checked(stream));
}

/** Promise of a Blob of all bytes. */
export function readableStreamToBlob(stream: unknown) {
  return consume().toBlob(checked(stream));
}

/** Promise of a form, read as `contentType` (a boundary, or a media type) says. */
export async function readableStreamToFormData(
  stream: unknown,
  contentType?: string | ArrayBufferView,
): Promise<unknown> {
  const bytes = await readableStreamToBytes(stream);
  const { Response } = globalThis as unknown as {
    Response: new (body: Uint8Array, init: { headers: { [name: string]: string } }) => { formData(): Promise<unknown> };
  };
  let type = "application/x-www-form-urlencoded";
  if (typeof contentType === "string")
    type = contentType.includes("/") ? contentType : `multipart/form-data; boundary=${contentType}`;
  else if (contentType !== undefined) type = `multipart/form-data; boundary=${new TextDecoder().decode(contentType)}`;
  return new Response(bytes, { headers: { "content-type": type } }).formData();
}
Object.defineProperty(readableStreamToFormData, "length", { value: 1 });

/** Promise of a value of JSON. */
export function readableStreamToJSON(stream: unknown): Promise<unknown> {
  return allText(checked(stream)).then((text) => JSON.parse(text));
}

/** Promise of all text. */
export function readableStreamToText(stream: unknown): Promise<string> {
  return allText(checked(stream));
}
