/**
 * What the states of readable and writable streams have in common: the flag bits, the accessors that
 * show each bit as the boolean property Node documents (`stream._readableState.ended`), and the default
 * buffer sizes. One integer of flags instead of thirty boolean slots keeps a stream small and lets hot
 * paths test several conditions with one mask.
 */
import { codes } from "internal/core/errors";
import type { NodeDuplex, StreamOptions, StreamState } from "internal/streams/types";

// Bits 0..9 mean the same in both states, so that destroy() can treat either alike.
export const OBJECT_MODE = 1 << 0;
export const CONSTRUCTED = 1 << 1;
export const SYNC = 1 << 2;
export const EMIT_CLOSE = 1 << 3;
export const AUTO_DESTROY = 1 << 4;
export const DESTROYED = 1 << 5;
export const CLOSED = 1 << 6;
export const CLOSE_EMITTED = 1 << 7;
export const ERROR_EMITTED = 1 << 8;

/** Flags a fresh state starts with, before its options are looked at. */
export const INITIAL = CONSTRUCTED | SYNC | EMIT_CLOSE | AUTO_DESTROY;

/** Property names of the common bits. */
export const commonBits: Record<string, number> = {
  objectMode: OBJECT_MODE,
  constructed: CONSTRUCTED,
  sync: SYNC,
  emitClose: EMIT_CLOSE,
  autoDestroy: AUTO_DESTROY,
  destroyed: DESTROYED,
  closed: CLOSED,
  closeEmitted: CLOSE_EMITTED,
  errorEmitted: ERROR_EMITTED,
};

/** Defines a get/set pair on `proto` for each named bit of `this.flags`. */
export function defineBits(proto: StreamState, bits: Record<string, number>): void {
  for (const name of Object.keys(bits)) {
    const bit = bits[name];
    Object.defineProperty(proto, name, {
      __proto__: null,
      enumerable: false,
      configurable: false,
      get() {
        return (this.flags & bit) !== 0;
      },
      set(value: unknown) {
        if (value) this.flags |= bit;
        else this.flags &= ~bit;
      },
    } as PropertyDescriptor & ThisType<StreamState>);
  }
}

/** Defines accessors on a stream prototype the way Node does: not enumerable, not configurable. */
export function defineAccessors<T>(
  proto: T,
  accessors: Record<string, { get?: (this: T) => unknown; set?: (this: T, value: never) => void }>,
): void {
  for (const name of Object.keys(accessors)) {
    const { get, set } = accessors[name];
    Object.defineProperty(proto, name, {
      __proto__: null,
      enumerable: false,
      configurable: false,
      get,
      set,
    } as PropertyDescriptor);
  }
}

/**
 * The constructors of this package, filled in as their modules load. Readable and Writable ask whether
 * `this` is a Duplex without importing Duplex (which imports them).
 */
export const constructors: { Duplex: (abstract new () => NodeDuplex) | null } = { Duplex: null };

/** True when `stream` is an instance of Duplex (false while no Duplex can exist yet). */
export function isDuplexInstance(stream: unknown): boolean {
  return constructors.Duplex !== null && stream instanceof constructors.Duplex;
}

// Bytes and objects that a stream buffers before it says "stop".
let defaultBytes = 64 * 1024;
let defaultObjects = 16;

/** stream.getDefaultHighWaterMark(objectMode): bytes, or a number of objects in object mode. */
export function getDefaultHighWaterMark(objectMode?: boolean): number {
  return objectMode ? defaultObjects : defaultBytes;
}

/** stream.setDefaultHighWaterMark(objectMode, value): value is an integer >= 0. */
export function setDefaultHighWaterMark(objectMode: boolean, value: number): void {
  const { validateInteger } = require("internal/core/validators") as Checks;
  validateInteger(value, "value", 0);
  if (objectMode) defaultObjects = value;
  else defaultBytes = value;
}

/**
 * The high water mark that stream options ask for. `duplexKey` (`readableHighWaterMark` or
 * `writableHighWaterMark`) counts only for a Duplex, and only where `highWaterMark` itself is not given.
 */
export function highWaterMarkFrom(
  objectMode: boolean,
  options: StreamOptions | null | undefined,
  duplexKey: "readableHighWaterMark" | "writableHighWaterMark",
  isDuplex: boolean,
): number {
  let mark: number | null | undefined = null;
  let name = "highWaterMark";
  if (options != null) {
    if (options.highWaterMark != null) {
      mark = options.highWaterMark;
    } else if (isDuplex) {
      mark = options[duplexKey];
      name = duplexKey;
    }
  }
  if (mark == null) return objectMode ? defaultObjects : defaultBytes;
  if (!Number.isInteger(mark) || mark < 0) {
    throw new codes.ERR_INVALID_ARG_VALUE(isDuplex ? `options.${name}` : "options.highWaterMark", mark);
  }
  return mark;
}

const typedArrayTag = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)!.get!;

/** True for any Uint8Array, of whatever realm or subclass. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return typedArrayTag.call(value) === "Uint8Array";
}

let BufferClass: typeof Buffer | undefined;

/** A Buffer over the same memory as an ArrayBuffer view. */
export function viewToBuffer(view: ArrayBufferView): Buffer {
  BufferClass ??= require("node:buffer").Buffer;
  return BufferClass!.from(view.buffer, view.byteOffset, view.byteLength);
}
