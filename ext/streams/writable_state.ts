/** The bookkeeping of a writable stream (`stream._writableState`). */
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
import type { BufferedWrite, Done, WritableState as State, StreamOptions } from "internal/streams/types";

export const ENDING = 1 << 10;
export const ENDED = 1 << 11;
export const FINISHED = 1 << 12;
export const FINAL_CALLED = 1 << 13;
export const PREFINISHED = 1 << 14;
export const NEED_DRAIN = 1 << 15;
export const WRITING = 1 << 16;
export const BUFFER_PROCESSING = 1 << 17;
export const DECODE_STRINGS = 1 << 18;
// What the waiting writes have in common: they are all Buffers; none of them has a callback.
export const ALL_BUFFERS = 1 << 19;
export const ALL_NOOP = 1 << 20;
export const AFTER_WRITE_PENDING = 1 << 21;

/** The callback of writes that were given none; compared by identity. */
export function nop(): void {}

/**
 * Shape: `new WritableState(options, stream, isDuplex)`; `onwrite` is what `_write` gets as its callback
 * and is set by Writable and Duplex.
 */
export function WritableState(
  this: State,
  options: StreamOptions | null | undefined,
  stream?: unknown,
  isDuplex?: boolean,
): void {
  if (typeof isDuplex !== "boolean") isDuplex = isDuplexInstance(stream);

  let flags = INITIAL | DECODE_STRINGS | ALL_BUFFERS | ALL_NOOP;
  let defaultEncoding = "utf8";
  if (options) {
    if (options.objectMode || (isDuplex && options.writableObjectMode)) flags |= OBJECT_MODE;
    if (options.emitClose === false) flags &= ~EMIT_CLOSE;
    if (options.autoDestroy === false) flags &= ~AUTO_DESTROY;
    if (options.decodeStrings === false) flags &= ~DECODE_STRINGS;
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

  this.highWaterMark = highWaterMarkFrom((flags & OBJECT_MODE) !== 0, options, "writableHighWaterMark", isDuplex!);
  // Bytes (or string units, or objects) written but not yet acknowledged by _write.
  this.length = 0;
  this.corked = 0;
  this.onwrite = null as unknown as Done;
  // The write under way: its callback and its length.
  this.writecb = null;
  this.writelen = 0;
  this.afterWriteTickInfo = null;
  // The writes behind it: buffered[bufferedIndex...]; null while none ever waited.
  this.waiting = null;
  this.bufferedIndex = 0;
  // User callbacks (of writes, _final, finish) that are still due; `finish` waits for them.
  this.pendingcb = 0;
  this.finishCallbacks = null;
  this.flags = flags;
  this.errored = null;
  this.defaultEncoding = defaultEncoding;
}

defineBits(WritableState.prototype, {
  ...commonBits,
  finalCalled: FINAL_CALLED,
  needDrain: NEED_DRAIN,
  ending: ENDING,
  ended: ENDED,
  finished: FINISHED,
  decodeStrings: DECODE_STRINGS,
  writing: WRITING,
  bufferProcessing: BUFFER_PROCESSING,
  prefinished: PREFINISHED,
  allBuffers: ALL_BUFFERS,
  allNoop: ALL_NOOP,
});

Object.defineProperty(WritableState.prototype, "buffered", {
  __proto__: null,
  enumerable: false,
  configurable: false,
  get() {
    return this.waiting ?? [];
  },
  set(value: BufferedWrite[] | null) {
    this.waiting = value;
  },
} as PropertyDescriptor & ThisType<State>);

Object.defineProperty(WritableState.prototype, "bufferedRequestCount", {
  __proto__: null,
  enumerable: false,
  configurable: false,
  get() {
    return this.waiting === null ? 0 : this.waiting.length - this.bufferedIndex;
  },
} as PropertyDescriptor & ThisType<State>);

/** The writes that wait, as Node's getBuffer() gives them. */
WritableState.prototype.getBuffer = function (this: State) {
  return this.waiting === null ? [] : this.waiting.slice(this.bufferedIndex);
};
