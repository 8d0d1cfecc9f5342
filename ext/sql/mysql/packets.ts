/** Packets out of the chunks that come before the login is over, the values in packets, and packets that are written. */

import { malformed, ProtocolError } from "internal/sql/mysql/error";
import { MAX_PAYLOAD } from "internal/sql/mysql/protocol";

/** Most bytes of a packet of the connection phase: a greeting, a public key. The other side is not known to speak the protocol. */
const MAX_FIRST = 0x1_0000;

/** Bytes of a writer's first buffer; a buffer that grew larger than the second is not kept. */
const FIRST_SIZE = 1024;
const MAX_KEPT = 0x1_0000;

const EMPTY = Buffer.alloc(0);

/**
 * Reads packets, one after the other: `next` finds one, `at` and `end` are its bounds in `bytes`, and the methods read from `at` on. They
 * throw ProtocolError for what goes beyond the packet.
 */
export class Reader {
  bytes: Buffer = EMPTY;
  at = 0;
  end = 0;
  /** Number of the packet within its exchange. */
  sequence = 0;
  /** Where the packet after this one begins. */
  private following = 0;

  /** Takes the next bytes. */
  feed(chunk: Buffer): void {
    this.bytes = this.hasRest ? Buffer.concat([this.bytes.subarray(this.following), chunk]) : chunk;
    this.following = 0;
  }

  /** Is at the one packet with this payload. */
  load(payload: Buffer): void {
    this.bytes = payload;
    this.at = 0;
    this.end = this.following = payload.length;
  }

  /** Whether there are bytes behind the packet. */
  get hasRest(): boolean {
    return this.following < this.bytes.length;
  }

  /** Goes to the next packet; false: it has not come whole. */
  next(): boolean {
    const { bytes, following } = this;
    const available = bytes.length - following;
    if (available < 4) return false;
    const length = bytes[following]! | (bytes[following + 1]! << 8) | (bytes[following + 2]! << 16);
    if (length + 4 > MAX_FIRST) throw malformed(`${length + 4} bytes`);
    if (available < length + 4) return false;
    this.sequence = bytes[following + 3]!;
    this.at = following + 4;
    this.end = this.following = following + 4 + length;
    return true;
  }

  // ---- values

  private must(count: number): number {
    const { at } = this;
    if (count > this.end - at) throw malformed("it ends within a value");
    this.at = at + count;
    return at;
  }

  skip(count: number): void {
    this.must(count);
  }

  uint8(): number {
    return this.bytes[this.must(1)]!;
  }

  uint16(): number {
    const at = this.must(2);
    const { bytes } = this;
    return bytes[at]! | (bytes[at + 1]! << 8);
  }

  uint32(): number {
    return this.bytes.readUInt32LE(this.must(4));
  }

  /** An integer with its length before it: lengths and counts. The NULL of text rows is no such. */
  length(): number {
    const first = this.uint8();
    if (first < 0xfb) return first;
    if (first === 0xfc) return this.uint16();
    if (first === 0xfd) {
      const at = this.must(3);
      const { bytes } = this;
      return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    }
    if (first === 0xfe) {
      const low = this.uint32();
      return this.uint32() * 2 ** 32 + low;
    }
    throw new ProtocolError("INVALID_ENCODED_INTEGER", "Malformed packet: a length that is none");
  }

  /** As `length`, exact: a number if it is safe, else a bigint. */
  bigLength(): number | bigint {
    if (this.at >= this.end || this.bytes[this.at] !== 0xfe) return this.length();
    this.at++;
    const low = this.uint32();
    const high = this.uint32();
    return high < 2 ** 21 ? high * 2 ** 32 + low : (BigInt(high) << 32n) | BigInt(low);
  }

  /** The bytes of a value with its length before it: their first place; `at` is behind them. */
  value(): number {
    const { at } = this;
    // Most are short.
    if (at < this.end) {
      const first = this.bytes[at]!;
      if (first < 0xfb) {
        if (first >= this.end - at) throw malformed("a value is longer than its packet");
        this.at = at + 1 + first;
        return at + 1;
      }
    }
    const length = this.length();
    if (length > this.end - this.at) throw malformed("a value is longer than its packet");
    return this.must(length);
  }

  /** Text with its length before it. */
  text(): string {
    const from = this.value();
    return this.bytes.utf8Slice(from, this.at);
  }

  /** Text up to a NUL; if there is none, up to the end of the packet. */
  zeroText(): string {
    const { bytes, at, end } = this;
    let to = at;
    while (to < end && bytes[to] !== 0) to++;
    this.at = Math.min(to + 1, end);
    return bytes.utf8Slice(at, to);
  }

  /** What is left of the packet, copied. */
  rest(): Buffer {
    const { at, end } = this;
    this.at = end;
    return Buffer.from(this.bytes.subarray(at, end));
  }
}

/** Writes packets one after the other into one growing buffer. */
export class Writer {
  private bytes: Buffer = Buffer.allocUnsafe(FIRST_SIZE);
  private at = 0;
  private start = 0;

  /** Bytes that have been written. */
  get size(): number {
    return this.at;
  }

  /** What has been written is at its beginning. */
  get buffer(): Buffer {
    return this.bytes;
  }

  /** What has been written, as a part of the buffer: see `leave`. */
  view(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  /** Nothing is written; the buffer is used again. */
  clear(): void {
    this.at = 0;
    if (this.bytes.length > MAX_KEPT) this.bytes = Buffer.allocUnsafe(FIRST_SIZE);
  }

  /** Nothing is written; whoever has the buffer keeps it. */
  leave(): void {
    this.at = 0;
    this.bytes = Buffer.allocUnsafe(FIRST_SIZE);
  }

  private room(count: number): number {
    const { at } = this;
    const needed = at + count;
    if (needed > this.bytes.length) {
      const bytes = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
      bytes.set(this.bytes.subarray(0, at));
      this.bytes = bytes;
    }
    this.at = needed;
    return at;
  }

  /** Begins a packet. */
  begin(sequence: number): void {
    this.start = this.room(4);
    this.bytes[this.start + 3] = sequence;
  }

  /** Ends the packet; false if it is longer than one packet can be: nothing of it is left then. */
  end(): boolean {
    const { bytes, start } = this;
    const length = this.at - start - 4;
    if (length >= MAX_PAYLOAD) {
      this.drop();
      return false;
    }
    bytes[start] = length & 0xff;
    bytes[start + 1] = (length >> 8) & 0xff;
    bytes[start + 2] = length >> 16;
    return true;
  }

  /** Takes the packet back that was begun last. */
  drop(): void {
    this.at = this.start;
    if (this.bytes.length > 0x10_0000) this.bytes = Buffer.from(this.bytes.subarray(0, Math.max(this.at, 1024)));
  }

  uint8(value: number): void {
    const at = this.room(1);
    this.bytes[at] = value;
  }

  uint16(value: number): void {
    const at = this.room(2);
    const { bytes } = this;
    bytes[at] = value;
    bytes[at + 1] = value >> 8;
  }

  uint32(value: number): void {
    const at = this.room(4);
    const { bytes } = this;
    bytes[at] = value;
    bytes[at + 1] = value >> 8;
    bytes[at + 2] = value >> 16;
    bytes[at + 3] = value >> 24;
  }

  uint64(value: bigint): void {
    this.uint32(Number(value & 0xffff_ffffn));
    this.uint32(Number((value >> 32n) & 0xffff_ffffn));
  }

  float64(value: number): void {
    const at = this.room(8);
    this.bytes.writeDoubleLE(value, at);
  }

  zeros(count: number): number {
    const at = this.room(count);
    this.bytes.fill(0, at, at + count);
    return at;
  }

  /** Sets bits of a byte that has been written. */
  mark(at: number, bits: number): void {
    this.bytes[at]! |= bits;
  }

  length64(value: number): void {
    if (value < 0xfb) return this.uint8(value);
    if (value <= 0xffff) {
      this.uint8(0xfc);
      return this.uint16(value);
    }
    if (value <= 0xffffff) {
      this.uint8(0xfd);
      this.uint16(value);
      return this.uint8(value >> 16);
    }
    this.uint8(0xfe);
    this.uint32(value);
    this.uint32(Math.floor(value / 2 ** 32));
  }

  raw(value: Uint8Array): void {
    const at = this.room(value.length);
    this.bytes.set(value, at);
  }

  /** Text as UTF-8, without its length. */
  text(value: string): void {
    if (value.length < 64) {
      const at = this.room(value.length);
      const { bytes } = this;
      for (let i = 0; i < value.length; i++) {
        const code = value.charCodeAt(i);
        if (code > 0x7f) {
          this.at = at;
          return this.utf8(value);
        }
        bytes[at + i] = code;
      }
      return;
    }
    this.utf8(value);
  }

  private utf8(value: string): void {
    const at = this.room(value.length * 3);
    this.at = at + this.bytes.utf8Write(value, at);
  }

  zeroText(value: string): void {
    this.text(value);
    this.uint8(0);
  }

  /** Text with its length before it. */
  value(text: string): void {
    // Short text has a length of one byte, which is known when it is written.
    if (text.length * 3 < 0xfb) {
      const at = this.room(1);
      this.text(text);
      this.bytes[at] = this.at - at - 1;
      return;
    }
    this.length64(Buffer.byteLength(text));
    this.text(text);
  }

  blob(value: Uint8Array): void {
    this.length64(value.length);
    this.raw(value);
  }
}
