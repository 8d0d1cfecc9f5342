/** The bookkeeping of a readable stream (`stream._readableState`). */
import {
  AUTO_DESTROY,
  EMIT_CLOSE,
  INITIAL,
  OBJECT_MODE,
  commonBits,
  defineBits,
  highWaterMarkFrom,
  isDuplexInstance,
} from "internal/streams/state";
import type { ReadableState as State, StreamOptions } from "internal/streams/types";

export const ENDED = 1 << 10;
export const END_EMITTED = 1 << 11;
export const READING = 1 << 12;
export const NEED_READABLE = 1 << 13;
export const EMITTED_READABLE = 1 << 14;
export const READABLE_LISTENING = 1 << 15;
export const RESUME_SCHEDULED = 1 << 16;
export const MULTI_AWAIT_DRAIN = 1 << 17;
export const READING_MORE = 1 << 18;
export const DATA_EMITTED = 1 << 19;
// `flowing` and `paused` have three values; the HAS_ bit tells false from null.
export const HAS_FLOWING = 1 << 20;
export const FLOWING = 1 << 21;
export const HAS_PAUSED = 1 << 22;
export const PAUSED = 1 << 23;

/** Shape: `new ReadableState(options, stream, isDuplex)`. */
export function ReadableState(
  this: State,
  options: StreamOptions | null | undefined,
  stream?: unknown,
  isDuplex?: boolean,
): void {
  if (typeof isDuplex !== "boolean") isDuplex = isDuplexInstance(stream);

  let flags = INITIAL;
  let defaultEncoding = "utf8";
  if (options) {
    if (options.objectMode || (isDuplex && options.readableObjectMode)) flags |= OBJECT_MODE;
    if (options.emitClose === false) flags &= ~EMIT_CLOSE;
    if (options.autoDestroy === false) flags &= ~AUTO_DESTROY;
    const encoding = options.defaultEncoding;
    if (encoding != null && encoding !== "utf8" && encoding !== "utf-8") {
      const { Buffer } = require("node:buffer");
      if (!Buffer.isEncoding(encoding)) {
        const { codes } = require("internal/core/errors");
        throw new codes.ERR_UNKNOWN_ENCODING(encoding);
      }
      defaultEncoding = encoding;
    }
  }

  this.highWaterMark = highWaterMarkFrom((flags & OBJECT_MODE) !== 0, options, "readableHighWaterMark", isDuplex!);
  // Chunks wait in buffer[bufferIndex...]; the slots before are spent (null).
  this.buffer = [];
  this.bufferIndex = 0;
  // Bytes (or string units, or objects) that wait in the buffer.
  this.length = 0;
  this.pipes = [];
  // The destination, or Set of destinations, whose `drain` we wait for.
  this.awaitDrainWriters = null;
  this.flags = flags;
  this.errored = null;
  this.defaultEncoding = defaultEncoding;
  this.decoder = null;
  this.encoding = null;

  if (options && options.encoding) {
    const { StringDecoder } = require("node:string_decoder");
    this.decoder = new StringDecoder(options.encoding);
    this.encoding = options.encoding;
  }
}

defineBits(ReadableState.prototype, {
  ...commonBits,
  ended: ENDED,
  endEmitted: END_EMITTED,
  reading: READING,
  needReadable: NEED_READABLE,
  emittedReadable: EMITTED_READABLE,
  readableListening: READABLE_LISTENING,
  resumeScheduled: RESUME_SCHEDULED,
  multiAwaitDrain: MULTI_AWAIT_DRAIN,
  readingMore: READING_MORE,
  dataEmitted: DATA_EMITTED,
});

/** A property that is null, false or true, kept in two bits. */
function defineTristate(name: string, has: number, bit: number): void {
  Object.defineProperty(ReadableState.prototype, name, {
    __proto__: null,
    enumerable: false,
    configurable: false,
    get() {
      return (this.flags & has) !== 0 ? (this.flags & bit) !== 0 : null;
    },
    set(value: boolean | null | undefined) {
      if (value == null) this.flags &= ~(has | bit);
      else if (value) this.flags |= has | bit;
      else this.flags = (this.flags & ~bit) | has;
    },
  } as PropertyDescriptor & ThisType<State>);
}
defineTristate("flowing", HAS_FLOWING, FLOWING);
defineTristate("paused", HAS_PAUSED, PAUSED);

Object.defineProperty(ReadableState.prototype, "pipesCount", {
  __proto__: null,
  enumerable: false,
  configurable: false,
  get() {
    return this.pipes.length;
  },
} as PropertyDescriptor & ThisType<State>);
