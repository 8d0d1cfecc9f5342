/** stream.duplexPair(): two duplex streams, each of which reads what is written to the other. */
import { Duplex } from "internal/streams/duplex";

const kOther = Symbol("kOtherSide");
const kWriteDone = Symbol("kCallback");

class DuplexSide extends (Duplex as any) {
  constructor(options: any) {
    super(options);
    (this as any)[kWriteDone] = null;
    (this as any)[kOther] = null;
  }

  _read(): void {
    // The other side's write is done once we want more.
    const callback = (this as any)[kWriteDone];
    if (callback) {
      (this as any)[kWriteDone] = null;
      callback();
    }
  }

  _write(chunk: Uint8Array, _encoding: string, callback: () => void): void {
    const other = (this as any)[kOther];
    if (chunk.length === 0) {
      // An empty chunk never reaches _read of the other side.
      process.nextTick(callback);
    } else {
      other.push(chunk);
      other[kWriteDone] = callback;
    }
  }

  _final(callback: () => void): void {
    const other = (this as any)[kOther];
    other.on("end", callback);
    other.push(null);
  }

  _destroy(error: unknown, callback: (error?: unknown) => void): void {
    const other = (this as any)[kOther];
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
export function duplexPair(options?: unknown): [unknown, unknown] {
  const a: any = new DuplexSide(options);
  const b: any = new DuplexSide(options);
  a[kOther] = b;
  b[kOther] = a;
  return [a, b];
}
