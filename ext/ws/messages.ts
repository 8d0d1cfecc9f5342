/** Messages put together from frames whose headers are taken apart already (RFC 6455, 5.4 to 5.6). */

import { CLOSE, isCloseCode, PING, TEXT } from "internal/fetch/websocket/frames";
import { DEFLATE, type Extensions } from "internal/ws/deflate";
import { errors } from "internal/ws/errors";
import type { Limits } from "internal/ws/types";

const FIN = 128;
const COMPRESSED = 64;
const CONTINUATION = 0;
const EMPTY = Buffer.alloc(0);

/** A message as listeners get it: fragments stay apart for the binary type "fragments". */
export type Message = Buffer | ArrayBuffer | Buffer[] | Blob;

/** What messages are told to. */
export interface Sink {
  message(data: Message, isBinary: boolean): void;
  ping(data: Buffer): void;
  pong(data: Buffer): void;
  /** The peer closes: 1005 where it gives no code. */
  conclude(code: number, reason: Buffer): void;
  /** Nothing is looked at any more. */
  failed(error: Error): void;
}

let utf8: ((bytes: Uint8Array) => boolean) | undefined;
const isUtf8 = (bytes: Uint8Array): boolean => (utf8 ??= require("node:buffer").isUtf8)(bytes);

/** A view of bytes that nobody else has as an ArrayBuffer. */
function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer, byteLength } = bytes;
  return (
    buffer.byteLength === byteLength ? buffer : buffer.slice(bytes.byteOffset, bytes.byteOffset + byteLength)
  ) as ArrayBuffer;
}

export interface MessageOptions extends Limits {
  binaryType?: string;
  extensions?: Extensions;
}

export class Messages {
  binaryType: string;
  /** Nothing is looked at any more: a close frame has come, or an error. */
  stopped = false;
  readonly limit: number;
  #sink: Sink;
  #maxFragments: number;
  #anyText: boolean;
  #synchronous: boolean;
  #extensions: Extensions;
  /** Of a fragmented message. */
  #opcode = 0;
  #compressed = false;
  #parts: Buffer[] = [];
  #count = 0;
  #length = 0;
  /** Events that wait for a turn of their own. */
  #waiting: (() => void)[] = [];

  constructor(sink: Sink, options: MessageOptions) {
    this.#sink = sink;
    this.binaryType = options.binaryType ?? "nodebuffer";
    this.limit = (options.maxPayload ?? 0) | 0 || Infinity;
    this.#maxFragments = (options.maxFragments ?? 0) | 0 || Infinity;
    this.#anyText = Boolean(options.skipUTF8Validation);
    this.#synchronous = options.allowSynchronousEvents !== false;
    this.#extensions = options.extensions ?? {};
  }

  /** Events are waiting for their turns. */
  get busy(): boolean {
    return this.#waiting.length > 0;
  }

  fail(error: Error): void {
    if (this.stopped) return;
    this.stopped = true;
    this.#parts = [];
    this.#later(() => this.#sink.failed(error));
  }

  /** Tells an event: at once, or in a turn of its own. */
  #tell(event: () => void): void {
    if (this.#synchronous) event();
    else this.#queue(event);
  }

  /** As {@link #tell}, behind what waits already. */
  #later(event: () => void): void {
    if (this.#waiting.length === 0) event();
    else this.#queue(event);
  }

  #queue(event: () => void): void {
    this.#waiting.push(event);
    if (this.#waiting.length === 1) setImmediate(() => this.#turn());
  }

  #turn(): void {
    const event = this.#waiting[0]!;
    try {
      event();
    } finally {
      this.#waiting.shift();
      if (this.#waiting.length > 0) setImmediate(() => this.#turn());
    }
  }

  /** A text message in one frame, decoded and so checked already. */
  text(message: string): void {
    if (this.stopped) return;
    if (this.#opcode !== 0) return this.fail(errors.opcode(TEXT));
    const data = Buffer.from(message);
    this.#tell(() => this.#sink.message(data, false));
  }

  /** A frame: its first byte, and the payload without its mask. */
  frame(first: number, payload: Buffer): void {
    if (this.stopped) return;
    const opcode = first & 15;
    const compressed = (first & COMPRESSED) !== 0;
    if (opcode >= CLOSE) {
      if (compressed) return this.fail(errors.compressedBit());
      return this.#control(opcode, payload);
    }
    if (compressed && (this.#extensions[DEFLATE] === undefined || opcode === CONTINUATION))
      return this.fail(errors.compressedBit());
    if (opcode === CONTINUATION ? this.#opcode === 0 : this.#opcode !== 0) return this.fail(errors.opcode(opcode));
    if (opcode !== CONTINUATION) {
      this.#opcode = opcode;
      this.#compressed = compressed;
    }
    this.#length += payload.length;
    if (this.#length > this.limit) return this.fail(errors.tooLarge());
    // Nothing is kept of empty ones, but they count.
    if (++this.#count > this.#maxFragments) return this.fail(errors.fragments());
    if (payload.length > 0) this.#parts.push(payload);
    if ((first & FIN) !== 0) this.#complete();
  }

  #control(opcode: number, payload: Buffer): void {
    if (opcode === PING) return this.#tell(() => this.#sink.ping(payload));
    if (opcode !== CLOSE) return this.#tell(() => this.#sink.pong(payload));
    if (payload.length === 0) {
      this.stopped = true;
      return this.#later(() => this.#sink.conclude(1005, EMPTY));
    }
    if (payload.length === 1) return this.fail(errors.controlLength(1));
    const code = (payload[0]! << 8) | payload[1]!;
    if (!isCloseCode(code)) return this.fail(errors.closeCode(code));
    const reason = payload.subarray(2) as Buffer;
    if (!this.#anyText && !isUtf8(reason)) return this.fail(errors.text());
    this.stopped = true;
    this.#later(() => this.#sink.conclude(code, reason));
  }

  #complete(): void {
    let parts = this.#parts;
    const text = this.#opcode === TEXT;
    this.#parts = [];
    this.#opcode = 0;
    this.#length = 0;
    this.#count = 0;
    if (this.#compressed) {
      this.#compressed = false;
      let bytes: Uint8Array | undefined;
      try {
        bytes = this.#extensions[DEFLATE]!.stream.decompress(parts, this.limit);
      } catch (error) {
        return this.fail(errors.data(error as Error));
      }
      if (bytes === undefined) return this.fail(errors.tooLarge());
      parts = [Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)];
    }
    if (!text && this.binaryType === "fragments") return this.#tell(() => this.#sink.message(parts, true));
    const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    if (!text) {
      const data =
        this.binaryType === "arraybuffer" ? toArrayBuffer(whole) : this.binaryType === "blob" ? new Blob(parts) : whole;
      return this.#tell(() => this.#sink.message(data, true));
    }
    if (!this.#anyText && !isUtf8(whole)) return this.fail(errors.text());
    this.#tell(() => this.#sink.message(whole, false));
  }
}
