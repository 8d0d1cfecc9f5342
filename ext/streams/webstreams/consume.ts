/**
 * The whole of a stream in one piece: for node:stream/consumers, for Bun's ReadableStream methods and
 * Bun.readableStreamTo*. A stream is a ReadableStream, a Node Readable, or any async iterable.
 */
import { isReadableStream, readableOf } from "internal/streams/webstreams/readable";
import { acquireReader } from "internal/streams/webstreams/readable_core";
import { deferred } from "internal/streams/webstreams/core";

/** All chunks. Of a ReadableStream they are read without a promise for each of them. */
export function toArray(stream: unknown): Promise<unknown[]> {
  return isReadableStream(stream) ? readAll(stream) : iterateAll(stream as AsyncIterable<unknown>);
}

function readAll(stream: unknown): Promise<unknown[]> {
  const done = deferred<unknown[]>();
  const chunks: unknown[] = [];
  try {
    const reader = acquireReader(readableOf(stream));
    let inChunk = false;
    let more = false;

    const request = {
      chunk(value: unknown) {
        chunks.push(value);
        // Chunks that are there already come synchronously: loop instead of recursing.
        more = true;
        if (!inChunk) next();
      },
      close() {
        reader.release();
        done.resolve(chunks);
      },
      error(reason: unknown) {
        reader.release();
        done.reject(reason);
      },
    };
    const next = () => {
      inChunk = true;
      do {
        more = false;
        reader.read(request);
      } while (more);
      inChunk = false;
    };
    next();
  } catch (error) {
    done.reject(error);
  }
  return done.promise;
}

async function iterateAll(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** The bytes of a chunk as Blob has it: of what is no buffer, the UTF-8 of its string. */
function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  if (typeof SharedArrayBuffer !== "undefined" && chunk instanceof SharedArrayBuffer) {
    return new Uint8Array(chunk);
  }
  return new TextEncoder().encode(`${chunk}`);
}

/** One Uint8Array of its own memory. */
export async function toBytes(stream: unknown): Promise<Uint8Array> {
  const parts = (await toArray(stream)).map(bytesOf);
  let length = 0;
  for (const part of parts) length += part.byteLength;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** The text of the chunks; bytes are decoded as UTF-8 across their borders. */
export async function toText(stream: unknown): Promise<string> {
  const chunks = await toArray(stream);
  let text = "";
  let decoder: TextDecoder | undefined;
  for (const chunk of chunks) {
    if (typeof chunk === "string") text += chunk;
    else text += (decoder ??= new TextDecoder()).decode(chunk, { stream: true });
  }
  // What is left of an unfinished character.
  return decoder === undefined ? text : text + decoder.decode();
}

export async function toJSON(stream: unknown): Promise<unknown> {
  return JSON.parse(await toText(stream));
}

export async function toBlob(stream: unknown): Promise<Blob> {
  return new Blob(await toArray(stream));
}
