/** The protocol RESP3 (https://github.com/redis/redis-specifications/blob/master/protocol/RESP3.md): commands out, replies in. */

import { invalid, RedisError } from "internal/redis/errors";

/** An argument of a command. */
export type Argument = string | Uint8Array;

/** Who gets what a server says. */
export interface Replies {
  /** Whether the strings of the next reply are wanted as Buffers. */
  isBinary(): boolean;
  /** A reply; an error of the server's is a RedisError. */
  reply(value: unknown): void;
  /** What comes unasked: its kind and its values. */
  push(kind: string, values: unknown[]): void;
}

const MAX_DEPTH = 128;
const MAX_LINE = 512 * 1024;
const MAX_STRING = 512 * 1024 * 1024;
const CR = 13,
  LF = 10,
  MINUS = 45,
  ZERO = 48;

/** An aggregate under way. */
interface Frame {
  kind: string;
  /** Elements that are still to come. */
  left: number;
  items: unknown[];
}

/** Heads of commands, by name and number of arguments. */
const heads = new Map<string, Uint8Array[]>();
const MAX_HEADS = 1000;

function headOf(command: string, count: number): Uint8Array {
  const known = heads.get(command)?.[count];
  if (known !== undefined) return known;
  const head = Buffer.from(`*${count + 1}\r\n$${Buffer.byteLength(command)}\r\n${command}\r\n`);
  if (count < 8 && heads.size < MAX_HEADS) {
    const all = heads.get(command) ?? [];
    heads.set(command, all);
    all[count] = head;
  }
  return head;
}

/** Text up to this length is copied here, which costs less than a call of native code. */
const SHORT = 40;
/** Bytes from this length on are written from where they are. */
const LONG = 4096;
const DOLLAR = 36;

/** Writes commands one after the other into a buffer. */
export class Encoder {
  #bytes: Buffer = Buffer.allocUnsafe(1024);
  #at = 0;
  /** What comes before the buffer. */
  #pieces: Uint8Array[] = [];
  #piecesLength = 0;

  get length(): number {
    return this.#piecesLength + this.#at;
  }

  /** What has been written, as pieces that belong to the caller. */
  take(): Uint8Array[] {
    this.#cut();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#piecesLength = 0;
    return pieces;
  }

  #cut(): void {
    const at = this.#at;
    if (at === 0) return;
    const bytes = this.#bytes;
    this.#at = 0;
    // A small command does not take a large buffer with it.
    if (at * 2 < bytes.length && at < 0x4000) this.#add(Buffer.from(bytes.subarray(0, at)));
    else {
      this.#add(bytes.subarray(0, at));
      this.#bytes = Buffer.allocUnsafe(Math.min(bytes.length, 0x1_0000));
    }
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#piecesLength += piece.length;
  }

  #reserve(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    const bytes = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    bytes.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = bytes;
  }

  command(name: string, args: readonly Argument[]): void {
    const head = headOf(name, args.length);
    this.#reserve(head.length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < head.length; i++) bytes[at++] = head[i]!;
    this.#at = at;
    for (let i = 0; i < args.length; i++) {
      const arg = args[i]!;
      if (typeof arg !== "string") this.#raw(arg);
      else if (!(arg.length > SHORT ? this.#medium(arg) : this.#short(arg))) this.#raw(Buffer.from(arg));
    }
  }

  /** `$`, the length, and the end of the line; the place behind it. */
  #size(length: number): number {
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = DOLLAR;
    if (length < 10) bytes[at++] = ZERO + length;
    else if (length < 100) {
      bytes[at++] = ZERO + ((length / 10) | 0);
      bytes[at++] = ZERO + (length % 10);
    } else at += bytes.latin1Write(String(length), at);
    bytes[at++] = CR;
    bytes[at++] = LF;
    return at;
  }

  /** Writes ASCII; false if the text has something else, of which nothing is written then. */
  #short(text: string): boolean {
    const { length } = text;
    this.#reserve(length + 16);
    const bytes = this.#bytes;
    let at = this.#size(length);
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[at++] = code;
    }
    bytes[at++] = CR;
    bytes[at++] = LF;
    this.#at = at;
    return true;
  }

  /** The same by native code; false also for text that is long. */
  #medium(text: string): boolean {
    const { length } = text;
    if (length >= LONG) return false;
    this.#reserve(length * 3 + 16);
    const at = this.#size(length);
    const bytes = this.#bytes;
    if (bytes.utf8Write(text, at) !== length) return false;
    bytes[at + length] = CR;
    bytes[at + length + 1] = LF;
    this.#at = at + length + 2;
    return true;
  }

  #raw(value: Uint8Array): void {
    const { length } = value;
    const isLong = length >= LONG;
    this.#reserve((isLong ? 0 : length) + 32);
    this.#at = this.#size(length);
    if (isLong) {
      this.#cut();
      this.#add(value);
    } else {
      this.#bytes.set(value, this.#at);
      this.#at += length;
    }
    this.#reserve(2);
    const bytes = this.#bytes;
    bytes[this.#at++] = CR;
    bytes[this.#at++] = LF;
  }
}

/** Reads replies out of the pieces of a stream. */
export class Parser {
  #replies: Replies;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Pieces that have come since more was needed. */
  #later: Uint8Array[] = [];
  #laterLength = 0;
  /** As many bytes are needed before it is worth to look again. */
  #need = 1;
  #frames: Frame[] = [];
  #binary = false;

  constructor(replies: Replies) {
    this.#replies = replies;
  }

  /** Takes the next bytes. Throws RedisError for what is no RESP3; the stream is of no use then. */
  feed(chunk: Buffer): void {
    const rest = this.#bytes.length - this.#at;
    if (rest === 0 && this.#later.length === 0) {
      this.#bytes = chunk;
      this.#at = 0;
    } else {
      this.#later.push(chunk);
      this.#laterLength += chunk.length;
      if (rest + this.#laterLength < this.#need) return;
      this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), ...this.#later]);
      this.#at = 0;
      this.#later = [];
      this.#laterLength = 0;
    }
    this.#need = 1;
    while (this.#at < this.#bytes.length && this.#element());
  }

  /** The end of the line that begins at `from`; -1: it has not come. */
  #lineEnd(from: number): number {
    const bytes = this.#bytes;
    let end = from;
    const near = Math.min(bytes.length, from + SHORT);
    while (end < near && bytes[end] !== LF) end++;
    if (end === near) end = bytes.indexOf(LF, end);
    if (end < 0) {
      if (bytes.length - from > MAX_LINE) throw invalid("Line too long");
      this.#need = bytes.length - this.#at + 1;
      return -1;
    }
    if (end - from > MAX_LINE) throw invalid("Line too long");
    if (end === from || bytes[end - 1] !== CR) throw invalid("Failed to read data: a line ends without CR");
    return end - 1;
  }

  #text(from: number, to: number): string {
    return this.#bytes.utf8Slice(from, to);
  }

  #string(from: number, to: number): string | Buffer {
    return this.#binary ? Buffer.from(this.#bytes.subarray(from, to)) : this.#bytes.utf8Slice(from, to);
  }

  #integer(from: number, to: number): number {
    const bytes = this.#bytes;
    let at = from;
    let negative = false;
    if (bytes[at] === MINUS || bytes[at] === 43) negative = bytes[at++] === MINUS;
    if (at === to) throw new RedisError("INVALID_INTEGER", "Failed to read data: an empty integer");
    let value = 0;
    for (; at < to; at++) {
      const digit = bytes[at]! - ZERO;
      if (digit < 0 || digit > 9) {
        const text = this.#text(from, Math.min(to, from + 40));
        throw new RedisError("INVALID_INTEGER", `Failed to read data: ${JSON.stringify(text)} is no integer`);
      }
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  /** Reads an element, or the head of an aggregate. Returns false where more bytes are needed. */
  #element(): boolean {
    const start = this.#at;
    const kind = this.#bytes[start]!;
    const end = this.#lineEnd(start + 1);
    if (end < 0) return false;
    const from = start + 1;
    const next = end + 2;
    const isBottom = this.#frames.length === 0;
    if (isBottom) this.#binary = kind !== 62 /* > */ && this.#replies.isBinary();
    switch (kind) {
      case 43 /* + */:
        if (end - from === 2 && this.#bytes[from] === 79 && this.#bytes[from + 1] === 75 && !this.#binary) {
          return this.#take(next, "OK");
        }
        return this.#take(next, this.#string(from, end));
      case 45 /* - */:
        return this.#take(next, new RedisError("SERVER_ERROR", this.#text(from, end)));
      case 58 /* : */:
        return this.#take(next, this.#integer(from, end));
      case 95 /* _ */:
        if (end !== from) throw invalid("Failed to read data: a null with a value");
        return this.#take(next, null);
      case 35 /* # */: {
        const letter = this.#text(from, end);
        if (letter !== "t" && letter !== "f") throw invalid("Failed to read data: a boolean that is neither t nor f");
        return this.#take(next, letter === "t");
      }
      case 44 /* , */:
        return this.#take(next, this.#double(this.#text(from, end)));
      case 40 /* ( */: {
        const text = this.#text(from, end);
        if (!/^[+-]?\d+$/.test(text)) throw invalid("Failed to read data: a big number that is none");
        const big = BigInt(text);
        return this.#take(next, BigInt.asIntN(64, big) === big ? Number(big) : text);
      }
      case 36 /* $ */:
      case 33 /* ! */:
      case 61 /* = */:
        return this.#bulk(kind, this.#integer(from, end), next);
      case 42 /* * */:
      case 126 /* ~ */:
      case 62 /* > */:
      case 37 /* % */:
      case 124 /* | */:
        return this.#open(String.fromCharCode(kind), this.#integer(from, end), next);
      default:
        throw new RedisError(
          "INVALID_RESPONSE_TYPE",
          `Failed to read data: unknown type ${JSON.stringify(String.fromCharCode(kind))}`,
        );
    }
  }

  #double(text: string): number {
    if (text === "inf" || text === "+inf") return Infinity;
    if (text === "-inf") return -Infinity;
    if (/^[+-]?nan$/i.test(text)) return NaN;
    const value = Number(text);
    if (text === "" || Number.isNaN(value)) throw invalid("Failed to read data: a double that is none");
    return value;
  }

  #bulk(kind: number, length: number, from: number): boolean {
    if (length === -1 && kind === 36) return this.#take(from, null);
    if (length < 0 || length > MAX_STRING)
      throw new RedisError("INVALID_BULK_STRING", `Failed to read data: a string of ${length} bytes`);
    const to = from + length;
    const bytes = this.#bytes;
    if (bytes.length < to + 2) {
      this.#need = to + 2 - this.#at;
      return false;
    }
    if (bytes[to] !== CR || bytes[to + 1] !== LF)
      throw new RedisError("INVALID_BULK_STRING", "Failed to read data: a string that is longer than it says");
    if (kind === 33) return this.#take(to + 2, new RedisError("SERVER_ERROR", this.#text(from, to)));
    // A verbatim string has its format before it: "txt:".
    if (kind === 61 && length < 4) throw invalid("Failed to read data: a verbatim string without a format");
    return this.#take(to + 2, this.#string(kind === 61 ? from + 4 : from, to));
  }

  #open(kind: string, count: number, next: number): boolean {
    if (count === -1 && kind === "*") return this.#take(next, null);
    if (count < 0) throw new RedisError("INVALID_ARRAY", `Failed to read data: ${count} elements`);
    if (this.#frames.length >= MAX_DEPTH) throw invalid("Failed to read data: nested too deeply");
    const left = kind === "%" || kind === "|" ? count * 2 : count;
    this.#at = next;
    const frame = { kind, left, items: [] };
    if (left > 0) this.#frames.push(frame);
    else this.#closed(frame);
    return true;
  }

  #take(next: number, value: unknown): true {
    this.#at = next;
    this.#put(value);
    return true;
  }

  /** Puts a value where it belongs. */
  #put(value: unknown): void {
    const frames = this.#frames;
    if (frames.length === 0) return this.#replies.reply(value);
    const frame = frames[frames.length - 1]!;
    frame.items.push(value);
    if (--frame.left > 0) return;
    this.#frames.pop();
    this.#closed(frame);
  }

  #closed({ kind, items }: Frame): void {
    // Attributes say something of the value that follows, and nobody asks.
    if (kind === "|") return;
    if (kind === ">" && this.#frames.length === 0) {
      const [first, ...rest] = items;
      return this.#replies.push(String(first), rest);
    }
    if (kind !== "%") return this.#put(items);
    const map: Record<string, unknown> = Object.create(null);
    for (let i = 0; i < items.length; i += 2) map[String(items[i])] = items[i + 1];
    this.#put(map);
  }
}
