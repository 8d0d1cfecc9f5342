/** stream.duplexPair(): two duplex streams, each of which reads what is written to the other. */
import { Duplex } from "internal/streams/duplex";
import type { Done, DuplexConstructor, NodeDuplex, StreamOptions } from "internal/streams/types";

const kOther = Symbol("kOtherSide");
const kWriteDone = Symbol("kCallback");

class DuplexSide extends (Duplex as DuplexConstructor) {
  declare [kWriteDone]: (() => void) | null;
  declare [kOther]: DuplexSide | null;

  constructor(options?: StreamOptions) {
    super(options);
    this[kWriteDone] = null;
    this[kOther] = null;
  }

  _read(): void {
    // The other side's write is done once we want more.
    const callback = this[kWriteDone];
    if (callback) {
      this[kWriteDone] = null;
      callback();
    }
  }

  _write(chunk: Uint8Array, _encoding: string, callback: () => void): void {
    const other = this[kOther]!;
    if (chunk.length === 0) {
      // An empty chunk never reaches _read of the other side.
      process.nextTick(callback);
    } else {
      other.push(chunk);
      other[kWriteDone] = callback;
    }
  }

  _final(callback: () => void): void {
    const other = this[kOther]!;
    other.on("end", callback);
    other.push(null);
  }

  _destroy(error: unknown, callback: Done): void {
    const other = this[kOther];
    if (other !== null && !other.destroyed) {
      // Both ends close; a tick later, so that this side's own events come first. The error stays here.
      process.nextTick(() => {
        if (other.destroyed) return;
        if (error) other.destroy();
        else if (!other.readableEnded) other.push(null);
      });
    }
    callback(error);
  }
}

/** Returns `[sideA, sideB]`, both constructed with `options`. */
export function duplexPair(options?: StreamOptions): [NodeDuplex, NodeDuplex] {
  const a = new DuplexSide(options);
  const b = new DuplexSide(options);
  a[kOther] = b;
  b[kOther] = a;
  return [a, b];
}
