/** node:stream/consumers (https://nodejs.org/api/webstreams.html#utility-consumers). */
import { toArray, toBlob, toBytes, toJSON, toText } from "internal/streams/webstreams/consume";

async function blob(stream: unknown): Promise<Blob> {
  return toBlob(stream);
}

async function arrayBuffer(stream: unknown): Promise<ArrayBuffer> {
  const chunks = await toArray(stream);
  // A single ArrayBuffer of its own can be given as it is.
  if (chunks.length === 1 && chunks[0] instanceof ArrayBuffer) return chunks[0];
  return (await toBytes(chunks)).buffer as ArrayBuffer;
}

async function buffer(stream: unknown): Promise<unknown> {
  const { Buffer } = require("node:buffer");
  return Buffer.from(await arrayBuffer(stream));
}

async function bytes(stream: unknown): Promise<Uint8Array> {
  return new Uint8Array(await arrayBuffer(stream));
}

async function text(stream: unknown): Promise<string> {
  return toText(stream);
}

async function json(stream: unknown): Promise<unknown> {
  return toJSON(stream);
}

export default { arrayBuffer, blob, buffer, bytes, json, text };
