/** Frames of WebSockets (RFC 6455) with permessage-deflate (RFC 7692), for clients and servers. */

import { asyncContext, callInContext } from "internal/events/async_context";
import { table } from "internal/net/native";
import type { FrameData } from "internal/fetch/types";

const net = native("net");
const zlib = native("zlib");

const CONTINUATION = 0;
export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

const NOTHING = new Uint8Array(0);
/** What a compressed message ends with, which is not sent. */
const TAIL = new Uint8Array([0, 0, 255, 255]);
const PIECE = 64 * 1024;
const SYNC_FLUSH = 2;

/** What a {@link Receiver} tells. */
export interface Sink {
  text(message: string): void;
  /** The bytes are in memory of their own, or with other bytes of the same message. */
  binary(message: Uint8Array): void;
  ping(data: Uint8Array): void;
  pong(data: Uint8Array): void;
  /** The peer closes: 1005 where it gives no code. */
  closing(code: number, reason: string): void;
  /** The peer breaks the rules. */
  broken(code: number, reason: string): void;
}

/**
 * Decompression and compression of messages; with `keep...` the window is kept from one message to the next. `bits...`: sizes of windows as
 * powers of two, `levelOut`: zlib's memory level, `effort`: its level of compression.
 */
export class Deflate {
  #keepOut: boolean;
  #keepIn: boolean;
  #bitsOut: number;
  #levelOut: number;
  #bitsIn: number;
  #effort: number;
  #out: ArrayBuffer | undefined = undefined;
  #in: ArrayBuffer | undefined = undefined;

  constructor(keepOut: boolean, keepIn: boolean, bitsOut: number, levelOut = 8, bitsIn = 15, effort = -1) {
    this.#keepOut = keepOut;
    this.#keepIn = keepIn;
    this.#bitsOut = bitsOut;
    this.#levelOut = levelOut;
    this.#bitsIn = bitsIn;
    this.#effort = effort;
  }

  compress(data: Uint8Array): Uint8Array {
    const stream = (this.#out ??= zlib.openZlib(
      5 /* DEFLATERAW */,
      this.#bitsOut,
      this.#effort,
      this.#levelOut,
      0,
      true,
      NOTHING,
    ));
    const id = new Uint32Array(stream)[0]!;
    const pieces: Uint8Array[] = [];
    let offset = 0;
    let left = data.byteLength;
    for (;;) {
      const [output, after] = zlib.stepSync(id, SYNC_FLUSH, data, offset, left, PIECE, 1);
      if (after < 0) throw new Error(zlib.takeFailure(id)![0]);
      offset += left - after;
      left = after;
      pieces.push(output);
      if (output.length < PIECE) break;
    }
    if (!this.#keepOut) this.#out = this.#end(stream);
    const all = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    return all.subarray(0, all.length - 4);
  }

  /** The message, or undefined where it is larger than `limit`. */
  decompress(parts: Uint8Array[], limit: number): Uint8Array | undefined {
    const stream = (this.#in ??= zlib.openZlib(6 /* INFLATERAW */, this.#bitsIn, -1, 8, 0, true, NOTHING));
    const id = new Uint32Array(stream)[0]!;
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (const part of [...parts, TAIL]) {
      let offset = 0;
      let left = part.byteLength;
      for (;;) {
        const [output, after] = zlib.stepSync(id, SYNC_FLUSH, part, offset, left, PIECE, 1);
        if (after < 0) throw new Error(zlib.takeFailure(id)![0]);
        offset += left - after;
        left = after;
        length += output.length;
        if (length > limit) return undefined;
        if (output.length > 0) pieces.push(output);
        if (output.length < PIECE) break;
      }
    }
    if (!this.#keepIn) this.#in = this.#end(stream);
    return pieces.length === 1 ? pieces[0]! : new Uint8Array(Buffer.concat(pieces));
  }

  /** Frees the windows: the connection is gone. */
  close(): void {
    if (this.#out !== undefined) this.#out = this.#end(this.#out);
    if (this.#in !== undefined) this.#in = this.#end(this.#in);
  }

  #end(stream: ArrayBuffer): undefined {
    zlib.closeStream(new Uint32Array(stream)[0]);
    return undefined;
  }
}

let decoder: TextDecoder | undefined;
/** Text of bytes; undefined where they are no UTF-8. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return (decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })).decode(bytes);
  } catch {
    return undefined;
  }
}

export function isCloseCode(code: number): boolean {
  return (
    (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006) || (code >= 3000 && code <= 4999)
  );
}

const FIN = 128;
const COMPRESSED = 64;

/** Puts messages together from frames, which native code takes apart (ext/net/native/http/frames.rs). */
export class Receiver {
  #sink: Sink;
  #limit: number;
  #deflate: Deflate | undefined;
  /** Of a fragmented message. */
  #opcode = 0;
  #compressed = false;
  #parts: Uint8Array[] = [];
  #length = 0;
  /** Nothing is looked at any more. */
  stopped = false;

  constructor(sink: Sink, limit: number, deflate: Deflate | undefined) {
    this.#sink = sink;
    this.#limit = limit;
    this.#deflate = deflate;
  }

  #fail(code: number, reason: string): void {
    this.stopped = true;
    this.#parts = [];
    this.#sink.broken(code, reason);
  }

  /** What native code tells: see `Net::frame_callback`. */
  frame(first: number, data: FrameData): void {
    if (this.stopped) return;
    if (first === (FIN | TEXT) && this.#opcode === 0) {
      if (data === undefined) this.#fail(1007, "Received invalid UTF-8");
      else this.#sink.text(data as string);
      return;
    }
    if (first >= 1000) return this.#fail(first, data as string);
    const opcode = first & 15;
    const compressed = (first & COMPRESSED) !== 0;
    if (compressed && (this.#deflate === undefined || (opcode !== TEXT && opcode !== BINARY))) {
      return this.#fail(1002, "Received unexpected RSV1 bit");
    }
    if (opcode >= CLOSE) return this.#control(opcode, new Uint8Array(data as ArrayBuffer));
    if (opcode === CONTINUATION && this.#opcode === 0)
      return this.#fail(1002, "Received continuation frame outside a fragmented message");
    if (opcode !== CONTINUATION && this.#opcode !== 0)
      return this.#fail(1002, "Received new message inside a fragmented message");
    this.#data(opcode, (first & FIN) !== 0, compressed, new Uint8Array(data as ArrayBuffer));
  }

  #control(opcode: number, payload: Uint8Array): void {
    if (opcode === PING) return this.#sink.ping(payload);
    if (opcode === PONG) return this.#sink.pong(payload);
    if (payload.length === 1) return this.#fail(1002, "Received invalid close payload");
    if (payload.length === 0) {
      this.stopped = true;
      return this.#sink.closing(1005, "");
    }
    const code = (payload[0]! << 8) | payload[1]!;
    if (!isCloseCode(code)) return this.#fail(1002, "Received invalid close code");
    const reason = decodeText(payload.subarray(2));
    if (reason === undefined) return this.#fail(1007, "Received invalid UTF-8");
    this.stopped = true;
    this.#sink.closing(code, reason);
  }

  #data(opcode: number, fin: boolean, compressed: boolean, payload: Uint8Array): void {
    if (opcode !== CONTINUATION) {
      this.#opcode = opcode;
      this.#compressed = compressed;
    }
    this.#length += payload.byteLength;
    if (this.#length > this.#limit) return this.#fail(1009, "Received too big message");
    if (!fin) {
      // Nothing is kept of empty ones, of which there may be any number.
      if (payload.byteLength > 0) this.#parts.push(payload);
      return;
    }
    const text = this.#opcode === TEXT;
    let message: Uint8Array | undefined = payload;
    if (this.#compressed) {
      this.#parts.push(payload);
      try {
        message = this.#deflate!.decompress(this.#parts, this.#limit);
      } catch {
        return this.#fail(1007, "Received invalid compressed data");
      }
      if (message === undefined) return this.#fail(1009, "Received too big message");
    } else if (this.#parts.length > 0) {
      this.#parts.push(payload);
      message = new Uint8Array(Buffer.concat(this.#parts));
    }
    this.#opcode = 0;
    this.#length = 0;
    if (this.#parts.length > 0) this.#parts = [];
    if (!text) return this.#sink.binary(message);
    const content = decodeText(message);
    if (content === undefined) this.#fail(1007, "Received invalid UTF-8");
    else this.#sink.text(content);
  }
}

/** The first byte of a frame that is a message of its own or a control frame. */
export const firstByte = (opcode: number, compressed: boolean): number => FIN | (compressed ? COMPRESSED : 0) | opcode;

let listening = false;
/**
 * Has native code read the frames of a socket; the object under its number in `table` gets them as `frame(first, data)`, and a frame
 * that breaks the rules as `frame(close code, reason, its first two bytes)`.
 */
export function readFrames(id: number, masked: boolean, limit: number): void {
  if (!listening) {
    listening = true;
    net.wsCallback((socket: number, first: number, data: unknown, head: number) => {
      const handle = table[socket];
      if (asyncContext.active) callInContext(handle.context, handle.frame, handle, [first, data, head]);
      else handle.frame(first, data, head);
    });
  }
  net.wsStart(id, masked, limit);
}

/** The payload of a close frame. */
export function closePayload(code: number | undefined, reason: string): Uint8Array {
  if (code === undefined || code === 1005) return NOTHING;
  const text = Buffer.from(reason);
  const payload = new Uint8Array(2 + text.length);
  payload[0] = code >> 8;
  payload[1] = code & 255;
  payload.set(text, 2);
  return payload;
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Sec-WebSocket-Accept for a key. */
export function acceptFor(key: string): string {
  return require("node:crypto")
    .createHash("sha1")
    .update(key + GUID)
    .digest("base64");
}
