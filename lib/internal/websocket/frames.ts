/** Frames of WebSockets (RFC 6455) with permessage-deflate (RFC 7692), for clients and servers. */

const { wsMask } = native("net");
const zlib = native("zlib");

export const CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;

const NOTHING = new Uint8Array(0);
/** What a compressed message ends with, which is not sent. */
const TAIL = new Uint8Array([0, 0, 255, 255]);
const PIECE = 64 * 1024;
const SYNC_FLUSH = 2;

/** What a {@link Receiver} tells. */
export interface Sink {
  /** A message: text if `text`, whose bytes are valid UTF-8. The bytes are the receiver's own to give away. */
  message(data: Uint8Array, text: boolean): void;
  ping(data: Uint8Array): void;
  pong(data: Uint8Array): void;
  /** The peer closes: 1005 where it gives no code. */
  closing(code: number, reason: string): void;
  /** The peer breaks the rules. */
  broken(code: number, reason: string): void;
}

/** Decompression and compression of messages; with `keep...` the window is kept from one message to the next. */
export class Deflate {
  #keepOut: boolean;
  #keepIn: boolean;
  #bitsOut: number;
  #out: ArrayBuffer | undefined = undefined;
  #in: ArrayBuffer | undefined = undefined;

  constructor(keepOut: boolean, keepIn: boolean, bitsOut: number) {
    this.#keepOut = keepOut;
    this.#keepIn = keepIn;
    this.#bitsOut = bitsOut;
  }

  compress(data: Uint8Array): Uint8Array {
    const stream = this.#out ??= zlib.openZlib(5 /* DEFLATERAW */, this.#bitsOut, -1, 8, 0, true, NOTHING);
    const id = new Uint32Array(stream)[0]!;
    const pieces: Uint8Array[] = [];
    let offset = 0;
    let left = data.byteLength;
    for (;;) {
      const [output, after] = zlib.stepSync(id, SYNC_FLUSH, data, offset, left, PIECE, 1);
      if (after < 0) throw new Error(zlib.takeFailure(id)[0]);
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
    const stream = this.#in ??= zlib.openZlib(6 /* INFLATERAW */, 15, -1, 8, 0, true, NOTHING);
    const id = new Uint32Array(stream)[0]!;
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (const part of [...parts, TAIL]) {
      let offset = 0;
      let left = part.byteLength;
      for (;;) {
        const [output, after] = zlib.stepSync(id, SYNC_FLUSH, part, offset, left, PIECE, 1);
        if (after < 0) throw new Error(zlib.takeFailure(id)[0]);
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

  #end(stream: ArrayBuffer): undefined {
    zlib.closeStream(new Uint32Array(stream)[0]);
    return undefined;
  }
}

let decoder: TextDecoder | undefined;
/** Text of bytes; undefined where they are no UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return (decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })).decode(bytes);
  } catch {
    return undefined;
  }
}

export function isCloseCode(code: number): boolean {
  return code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006 || code >= 3000 && code <= 4999;
}

/** Takes frames apart. */
export class Receiver {
  #sink: Sink;
  /** Clients mask what they send, servers must not. */
  #masked: boolean;
  #limit: number;
  #deflate: Deflate | undefined;
  /** Bytes of a frame that is not complete. */
  #rest: Uint8Array | undefined = undefined;
  /** Of a fragmented message. */
  #opcode = 0;
  #compressed = false;
  #parts: Uint8Array[] = [];
  #length = 0;
  /** Nothing is looked at any more. */
  stopped = false;

  constructor(sink: Sink, masked: boolean, limit: number, deflate: Deflate | undefined) {
    this.#sink = sink;
    this.#masked = masked;
    this.#limit = limit;
    this.#deflate = deflate;
  }

  #fail(code: number, reason: string): void {
    this.stopped = true;
    this.#rest = undefined;
    this.#parts = [];
    this.#sink.broken(code, reason);
  }

  /** @param bytes in memory that is nobody else's: it is unmasked in place */
  push(bytes: Uint8Array): void {
    if (this.stopped) return;
    let data = bytes;
    if (this.#rest !== undefined) {
      data = new Uint8Array(this.#rest.byteLength + bytes.byteLength);
      data.set(this.#rest);
      data.set(bytes, this.#rest.byteLength);
      this.#rest = undefined;
    }
    let at = 0;
    const { length } = data;
    while (!this.stopped && length - at >= 2) {
      const first = data[at]!;
      const second = data[at + 1]!;
      const opcode = first & 15;
      const fin = (first & 128) !== 0;
      const compressed = (first & 64) !== 0;
      if ((first & 48) !== 0 || compressed && (this.#deflate === undefined || opcode !== TEXT && opcode !== BINARY)) {
        return this.#fail(1002, "Unexpected reserved bits");
      }
      if (((second & 128) !== 0) !== this.#masked) {
        return this.#fail(1002, this.#masked ? "Frames of clients must be masked" : "Frames of servers must not be masked");
      }
      let size = second & 127;
      let header = 2;
      if (opcode >= 8) {
        if (opcode > PONG) return this.#fail(1002, "Invalid opcode");
        if (!fin) return this.#fail(1002, "Fragmented control frame");
        if (size > 125) return this.#fail(1002, "Control frame too long");
      } else if (opcode > BINARY) {
        return this.#fail(1002, "Invalid opcode");
      }
      if (size === 126) {
        if (length - at < 4) break;
        size = data[at + 2]! << 8 | data[at + 3]!;
        header = 4;
      } else if (size === 127) {
        if (length - at < 10) break;
        const high = (data[at + 2]! * 2 ** 24) + (data[at + 3]! << 16 | data[at + 4]! << 8 | data[at + 5]!);
        const low = (data[at + 6]! * 2 ** 24) + (data[at + 7]! << 16 | data[at + 8]! << 8 | data[at + 9]!);
        if (high > 0x1fffff) return this.#fail(1002, "Frame too long");
        size = high * 2 ** 32 + low;
        header = 10;
      }
      if (opcode < 8) {
        if (opcode === CONTINUATION ? this.#opcode === 0 : this.#opcode !== 0) return this.#fail(1002, "Unexpected continuation");
        if (this.#length + size > this.#limit) return this.#fail(1009, "Message too big");
      }
      if (this.#masked) header += 4;
      if (length - at < header + size) break;
      const start = at + header;
      const payload = data.subarray(start, start + size);
      if (this.#masked && size > 0) {
        const key = (data[start - 4]! << 24 | data[start - 3]! << 16 | data[start - 2]! << 8 | data[start - 1]!) >>> 0;
        wsMask(payload, key, 0);
      }
      at = start + size;
      if (opcode >= 8) this.#control(opcode, payload);
      else this.#data(opcode, fin, compressed, payload);
    }
    if (!this.stopped && at < length) this.#rest = at === 0 && data === bytes ? data : data.slice(at);
  }

  #control(opcode: number, payload: Uint8Array): void {
    if (opcode === PING) return this.#sink.ping(payload.slice());
    if (opcode === PONG) return this.#sink.pong(payload.slice());
    if (payload.length === 1) return this.#fail(1002, "Invalid close frame");
    if (payload.length === 0) {
      this.stopped = true;
      return this.#sink.closing(1005, "");
    }
    const code = payload[0]! << 8 | payload[1]!;
    if (!isCloseCode(code)) return this.#fail(1002, "Invalid close code");
    const reason = decodeText(payload.subarray(2));
    if (reason === undefined) return this.#fail(1007, "Invalid UTF-8 in close frame");
    this.stopped = true;
    this.#sink.closing(code, reason);
  }

  #data(opcode: number, fin: boolean, compressed: boolean, payload: Uint8Array): void {
    if (opcode !== CONTINUATION) {
      this.#opcode = opcode;
      this.#compressed = compressed;
    }
    if (!fin) {
      this.#parts.push(payload);
      this.#length += payload.byteLength;
      return;
    }
    const text = this.#opcode === TEXT;
    let message: Uint8Array | undefined = payload;
    if (this.#compressed) {
      this.#parts.push(payload);
      try {
        message = this.#deflate!.decompress(this.#parts, this.#limit);
      } catch {
        return this.#fail(1007, "Invalid compressed data");
      }
      if (message === undefined) return this.#fail(1009, "Message too big");
    } else if (this.#parts.length > 0) {
      this.#parts.push(payload);
      message = new Uint8Array(Buffer.concat(this.#parts));
    }
    this.#opcode = 0;
    this.#length = 0;
    if (this.#parts.length > 0) this.#parts = [];
    this.#sink.message(message, text);
  }
}

/** The beginning of a frame: everything before the payload. `key`: a masking key, or undefined. */
export function frameHeader(opcode: number, compressed: boolean, size: number, key: number | undefined): Uint8Array {
  const extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
  const header = new Uint8Array(2 + extra + (key === undefined ? 0 : 4));
  header[0] = 128 | (compressed ? 64 : 0) | opcode;
  header[1] = (extra === 0 ? size : extra === 2 ? 126 : 127) | (key === undefined ? 0 : 128);
  if (extra === 2) {
    header[2] = size >> 8;
    header[3] = size & 255;
  } else if (extra === 8) {
    const high = Math.floor(size / 2 ** 32);
    for (let i = 0; i < 4; i++) {
      header[2 + i] = high >>> (24 - 8 * i) & 255;
      header[6 + i] = size >>> (24 - 8 * i) & 255;
    }
  }
  if (key !== undefined) for (let i = 0; i < 4; i++) header[2 + extra + i] = key >>> (24 - 8 * i) & 255;
  return header;
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
  return require("node:crypto").createHash("sha1").update(key + GUID).digest("base64");
}
