// Bun.randomUUIDv7 and Bun.randomUUIDv5 (RFC 9562).
import { codes } from "internal/core/errors";
import { bytesOf, invalidType } from "bun/util";

function invalidValue(message: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = "ERR_INVALID_ARG_VALUE";
  return error;
}

function encoded(bytes: Buffer, encoding: unknown): unknown {
  switch (encoding === undefined ? "hex" : `${encoding}`) {
    case "hex": {
      const hex = bytes.toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    }
    case "base64":
      return bytes.toString("base64");
    case "base64url":
      return bytes.toString("base64url");
    case "buffer":
      return bytes;
  }
  const error: NodeError = new TypeError("Encoding must be one of base64, base64url, hex, or buffer");
  error.code = "ERR_UNKNOWN_ENCODING";
  throw error;
}

let lastTime = -1;
let counter = 0;

/**
 * A UUID that begins with the time, so that later ones sort after earlier ones.
 * @param encoding "hex" (default), "base64", "base64url" or "buffer"
 * @param timestamp milliseconds since 1970, or a Date; now by default
 */
export function randomUUIDv7(encoding?: unknown, timestamp?: unknown): unknown {
  if (typeof encoding === "number" || encoding instanceof Date) [encoding, timestamp] = [undefined, encoding];
  if (encoding === null) timestamp = null;
  if (timestamp !== undefined && typeof timestamp !== "number" && !(timestamp instanceof Date)) {
    const given = timestamp === null ? "object" : typeof timestamp;
    throw invalidType(`The "timestamp" property must be of type number. Received ${given}`);
  }
  const time =
    timestamp === undefined ? Date.now() : timestamp instanceof Date ? timestamp.getTime() : Number(timestamp);
  if (!(time >= 0 && time <= 281474976710655)) {
    throw new codes.ERR_OUT_OF_RANGE("timestamp", ">= 0 and <= 281474976710655", timestamp);
  }
  const { Buffer } = require("node:buffer");
  const bytes = require("node:crypto").randomBytes(16);
  const milliseconds = Math.trunc(time);
  // The twelve bits after the version count up within a millisecond, from a random start.
  counter = milliseconds === lastTime ? (counter + 1) & 0xfff : ((bytes[6] << 8) | bytes[7]) & 0x7ff;
  lastTime = milliseconds;
  bytes.writeUIntBE(milliseconds, 0, 6);
  bytes[6] = 0x70 | (counter >> 8);
  bytes[7] = counter & 0xff;
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  return encoded(Buffer.from(bytes), encoding);
}
Object.defineProperty(randomUUIDv7, "length", { value: 2 });

const namespaces: Record<string, string> = {
  __proto__: null as never,
  dns: "6ba7b8109dad11d180b400c04fd430c8",
  url: "6ba7b8119dad11d180b400c04fd430c8",
  oid: "6ba7b8129dad11d180b400c04fd430c8",
  x500: "6ba7b8149dad11d180b400c04fd430c8",
};

/**
 * The UUID of a name in a namespace: the same for the same arguments.
 * @param namespace "dns", "url", "oid", "x500", a UUID as text, or its 16 bytes
 */
export function randomUUIDv5(name: unknown, namespace: unknown, encoding?: unknown): unknown {
  const data = typeof name === "string" ? name : bytesOf(name);
  if (data === undefined) throw invalidType("name must be a string, ArrayBuffer or ArrayBufferView");
  const { Buffer } = require("node:buffer");
  let space: Uint8Array | undefined;
  if (typeof namespace === "string") {
    const known = namespaces[namespace.toLowerCase()];
    if (known === undefined && !/^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(namespace)) {
      throw invalidValue("Invalid UUID format for namespace");
    }
    space = Buffer.from(known ?? namespace.replaceAll("-", ""), "hex");
  } else {
    space = bytesOf(namespace);
    if (space === undefined) throw invalidType("namespace must be a string, ArrayBuffer or ArrayBufferView");
    if (space.byteLength !== 16) throw invalidValue("Namespace must be exactly 16 bytes");
  }
  const digest = require("node:crypto").createHash("sha1").update(space!).update(data).digest();
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes[6] = 0x50 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  return encoded(bytes, encoding);
}
