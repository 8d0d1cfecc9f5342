/** Frames out of a stream of bytes, for connections that are no sockets, and as the class `Receiver` of the package `ws`. */

import stream from "node:stream";
import type { Writable as WritableStream } from "internal/http/types";
import type { StreamConstructor } from "internal/net/types";
import { errors } from "internal/ws/errors";
import { type Message, type MessageOptions, Messages, type Sink } from "internal/ws/messages";

const { Writable } = stream as unknown as { Writable: StreamConstructor<WritableStream> };

const FIN = 128;
const MASKED = 128;
const CONTROL = 8;
/** Frames with less are rather waited for than put together from pieces. */
const EMPTY = Buffer.alloc(0);

interface ReceiverOptions extends MessageOptions {
  isServer?: boolean;
}

/** What stands before a payload. */
interface Header {
  first: number;
  size: number;
  key: Buffer | undefined;
}

/** A Writable of bytes with the events "message", "ping", "pong", "conclude" and "error". */
export class Receiver extends Writable implements Sink {
  declare readonly errored: Error | null;
  declare readonly writableNeedDrain: boolean;
  #messages: Messages;
  #isServer: boolean;
  #compresses: boolean;
  #maxChunks: number;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Of the frame whose payload has not come in full. */
  #header: Header | undefined = undefined;
  #opcodeOpen = false;
  #failure: Error | undefined = undefined;

  constructor(options: ReceiverOptions = {}) {
    super();
    this.#messages = new Messages(this, options);
    this.#isServer = Boolean(options.isServer);
    this.#compresses = options.extensions?.["permessage-deflate"] !== undefined;
    this.#maxChunks = (options.maxBufferedChunks ?? 0) | 0 || Infinity;
  }

  get _binaryType(): string {
    return this.#messages.binaryType;
  }
  set _binaryType(type: string) {
    this.#messages.binaryType = type;
  }

  // ---- what comes of messages

  message(data: Message, isBinary: boolean): void {
    this.emit("message", data, isBinary);
  }
  ping(data: Buffer): void {
    this.emit("ping", data);
  }
  pong(data: Buffer): void {
    this.emit("pong", data);
  }
  conclude(code: number, reason: Buffer): void {
    this.emit("conclude", code, reason);
    this.end();
  }
  failed(error: Error): void {
    this.#failure = error;
  }

  // ---- bytes

  _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    if (this.#messages.stopped) return done(this.#take());
    if (this.#chunks.length >= this.#maxChunks) return done(errors.chunks());
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (!this.#messages.stopped && this.#next());
    if (this.#messages.stopped) {
      this.#chunks = [];
      this.#length = 0;
    }
    if (!this.#messages.busy) return done(this.#take());
    // The next bytes wait until all events of these are told.
    const wait = (): void => {
      if (this.#messages.busy) setImmediate(wait);
      else done(this.#take());
    };
    setImmediate(wait);
  }

  #take(): Error | undefined {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }

  /** The next `size` bytes, which are there. */
  #consume(size: number): Buffer {
    if (size === 0) return EMPTY;
    this.#length -= size;
    const first = this.#chunks[0]!;
    if (first.length === size) return this.#chunks.shift()!;
    if (first.length > size) {
      this.#chunks[0] = first.subarray(size) as Buffer;
      return first.subarray(0, size) as Buffer;
    }
    const joined = Buffer.allocUnsafe(size);
    let at = 0;
    while (at < size) {
      const chunk = this.#chunks[0]!;
      const part = Math.min(chunk.length, size - at);
      joined.set(part === chunk.length ? chunk : chunk.subarray(0, part), at);
      at += part;
      if (part === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(part) as Buffer;
    }
    return joined;
  }

  /** The byte at a place of what waits. */
  #peek(at: number): number {
    for (const chunk of this.#chunks) {
      if (at < chunk.length) return chunk[at]!;
      at -= chunk.length;
    }
    return 0;
  }

  /** Takes one frame, or its header: false where more bytes are needed or nothing is looked at any more. */
  #next(): boolean {
    const header = (this.#header ??= this.#readHeader());
    if (header === undefined || this.#length < header.size) return false;
    this.#header = undefined;
    let payload = this.#consume(header.size);
    if (header.key !== undefined && payload.length > 0) {
      const { key } = header;
      // In memory of its own: the bytes of a chunk are whoever wrote it's.
      payload = Buffer.from(payload);
      for (let i = 0; i < payload.length; i++) payload[i] = payload[i]! ^ key[i & 3]!;
    }
    this.#messages.frame(header.first, payload);
    return true;
  }

  #readHeader(): Header | undefined {
    if (this.#length < 2) return undefined;
    const first = this.#peek(0);
    const second = this.#peek(1);
    const opcode = first & 15;
    const masked = (second & MASKED) !== 0;
    const short = second & 127;
    const error = this.#refusal(first, opcode, masked, short);
    if (error !== undefined) {
      this.#messages.fail(error);
      return undefined;
    }
    const wide = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (this.#length < 2 + wide + (masked ? 4 : 0)) return undefined;
    this.#consume(2);
    let size = short;
    if (wide === 2) size = this.#consume(2).readUInt16BE(0);
    else if (wide === 8) {
      const bytes = this.#consume(8);
      const high = bytes.readUInt32BE(0);
      if (high >= 2 ** 21) {
        this.#messages.fail(errors.tooLong());
        return undefined;
      }
      size = high * 2 ** 32 + bytes.readUInt32BE(4);
    }
    if (opcode < CONTROL) {
      if (size > this.#messages.limit) {
        this.#messages.fail(errors.tooLarge());
        return undefined;
      }
      this.#opcodeOpen = (first & FIN) === 0;
    }
    return { first, size, key: masked ? this.#consume(4) : undefined };
  }

  /** What is wrong with the first two bytes of a frame. */
  #refusal(first: number, opcode: number, masked: boolean, size: number): Error | undefined {
    if ((first & 0x30) !== 0) return errors.reservedBits();
    if ((first & 0x40) !== 0 && (!this.#compresses || opcode === 0 || opcode >= CONTROL)) return errors.compressedBit();
    if (opcode > 10 || (opcode > 2 && opcode < CONTROL)) return errors.opcode(opcode);
    if (opcode >= CONTROL) {
      if ((first & FIN) === 0) return errors.fragmented();
      if (size > 125 || (opcode === CONTROL && size === 1)) return errors.controlLength(size);
    } else if ((opcode === 0) !== this.#opcodeOpen) {
      return errors.opcode(opcode);
    }
    if (masked !== this.#isServer) return masked ? errors.masked() : errors.unmasked();
    return undefined;
  }
}
