/** node:stream/consumers (https://nodejs.org/api/webstreams.html#utility-consumers). */
import { toArray, toBlob, toBytes, toJSON, toText } from "internal/streams/webstreams/consume";

async function blob(stream: any): Promise<Blob> {
  return toBlob(stream);
}

async function arrayBuffer(stream: any): Promise<ArrayBuffer> {
  const chunks = await toArray(stream);
  // A single ArrayBuffer of its own can be given as it is.
  if (chunks.length === 1 && chunks[0] instanceof ArrayBuffer) return chunks[0];
  return (await toBytes(chunks)).buffer as ArrayBuffer;
}

async function buffer(stream: any): Promise<any> {
  const { Buffer } = require("node:buffer");
  return Buffer.from(await arrayBuffer(stream));
}

async function bytes(stream: any): Promise<Uint8Array> {
  return new Uint8Array(await arrayBuffer(stream));
}

async function text(stream: any): Promise<string> {
  return toText(stream);
}

async function json(stream: any): Promise<any> {
  return toJSON(stream);
}

export default { arrayBuffer, blob, buffer, bytes, json, text };
