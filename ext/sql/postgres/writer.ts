/** Messages to the server, one after the other in one buffer (https://www.postgresql.org/docs/current/protocol-message-formats.html). */

const FIRST_SIZE = 4096;
/** A buffer that grew larger than this is not kept. */
const MAX_KEPT = 1 << 18;

export class Writer {
  #buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  #at = 0;
  /** Where the length of the open message stands. */
  #start = 0;

  get size(): number {
    return this.#at;
  }

  /** What was written is at the beginning. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  #ensure(size: number): void {
    if (this.#at + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + size));
    larger.set(this.#buffer.subarray(0, this.#at));
    this.#buffer = larger;
  }

  /** Begins a message; `kind` 0 is that of the start, which has none. */
  begin(kind: number): void {
    this.#ensure(5);
    if (kind !== 0) this.#buffer[this.#at++] = kind;
    this.#start = this.#at;
    this.#at += 4;
  }

  end(): void {
    this.#put32(this.#start, this.#at - this.#start);
  }

  #put32(at: number, value: number): void {
    const buffer = this.#buffer;
    buffer[at] = value >>> 24;
    buffer[at + 1] = value >>> 16;
    buffer[at + 2] = value >>> 8;
    buffer[at + 3] = value;
  }

  byte(value: number): void {
    this.#ensure(1);
    this.#buffer[this.#at++] = value;
  }

  int16(value: number): void {
    this.#ensure(2);
    this.#buffer[this.#at++] = value >>> 8;
    this.#buffer[this.#at++] = value;
  }

  int32(value: number): void {
    this.#ensure(4);
    this.#put32(this.#at, value);
    this.#at += 4;
  }

  /** Text without a zero at its end. */
  text(value: string): void {
    if (value.length < 24) {
      this.#ensure(72);
      const buffer = this.#buffer;
      let at = this.#at;
      let i = 0;
      for (; i < value.length; i++) {
        const code = value.charCodeAt(i);
        if (code > 127) break;
        buffer[at++] = code;
      }
      if (i === value.length) {
        this.#at = at;
        return;
      }
    }
    this.#ensure(value.length * 3);
    this.#at += this.#buffer.utf8Write(value, this.#at, this.#buffer.length - this.#at);
  }

  /** Text with a zero at its end: it has none within. */
  cstring(value: string): void {
    this.text(value);
    this.byte(0);
  }

  /** Text with its length before. */
  sized(value: string): void {
    this.#ensure(4);
    const at = this.#at;
    this.#at += 4;
    this.text(value);
    this.#put32(at, this.#at - at - 4);
  }

  bytes(value: Uint8Array): void {
    this.#ensure(value.length);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
  }

  /** Takes back what was written after `size`: a message that cannot be completed. */
  truncate(size: number): void {
    this.#at = size;
  }

  /** Nothing is written; the buffer is used again. */
  clear(): void {
    this.#at = 0;
    if (this.#buffer.length > MAX_KEPT) this.#buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  }
}
