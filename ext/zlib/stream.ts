/**
 * What all streams of `node:zlib` are made of (https://nodejs.org/api/zlib.html): a Transform that gives its chunks to
 * a native stream, on the thread pool.
 *
 * Packages reach into Node's own implementation (pngjs, minizlib): `_handle`, `_processChunk`, `_writeState`,
 * `_outBuffer`, `_outOffset` and `_chunkSize` mean here what they mean there.
 */
import buffer from "node:buffer";
import { codes, genericNodeError } from "internal/core/errors";
import { FastBuffer, isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";
import { checkRangesOrGetDefault, validateFiniteNumber } from "internal/core/validators";
import { Transform } from "internal/streams/transform";
import type { Done, NodeTransform, StreamOptions, TransformConstructor } from "internal/streams/types";
import type { ZlibOptions } from "internal/zlib/types";

const { Buffer } = buffer;

const ops = native("zlib");
// As the module has it, and not as it was made: what this is at load time is the limit, as in Node.
const { kMaxLength } = require("node:buffer");
const { setPrototypeOf, defineProperty } = Object;

const DEFAULT_CHUNK = 16 * 1024;
const MIN_CHUNK = 64;
/** Most bytes of output that one job of the pool makes, in whole chunks. */
const MAX_JOB_OUTPUT = 32 * 1024;
const Z_NO_FLUSH = 0,
  Z_SYNC_FLUSH = 2,
  Z_FULL_FLUSH = 3,
  Z_FINISH = 4,
  Z_BLOCK = 5;
// zlib.constants.DEFLATE and so on.
const INFLATE = 2,
  GZIP = 3,
  GUNZIP = 4,
  UNZIP = 7;

const kError = Symbol("kError");
const kFlushFlag = Symbol("kFlushFlag");

/** A stream of this module. */
export interface Engine extends NodeTransform {
  /** Why it failed. */
  [kError]: unknown;
  bytesWritten: number;
  _handle: Handle | null;
  _writeState: Uint32Array;
  _outBuffer: Buffer;
  _outOffset: number;
  _chunkSize: number;
  _defaultFlushFlag: number;
  _finishFlushFlag: number;
  _defaultFullFlushFlag: number;
  _info: boolean | undefined;
  _maxOutputLength: number;
  _rejectGarbageAfterEnd: boolean;
  reset(): void;
  flush(kind?: number | Done, callback?: Done): void;
  close(callback?: Done): void;
  _processChunk(chunk: Uint8Array, flag: number, callback?: Done): unknown;
}

/** A stream of deflate, zlib or gzip. */
interface ZlibEngine extends Engine {
  _level: number;
  _strategy: number;
}

/** A chunk; the empty one of a flush says which. */
type FlushChunk = Uint8Array & { [kFlushFlag]?: number };

/** What a native step gives: the output, and how much input is left; below 0 after a failure. */
type StepResult = [Uint8Array<ArrayBuffer>, number];

/** A Buffer of bytes that nobody else has seen. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return setPrototypeOf(bytes, FastBuffer.prototype);
}

/** The native half of a stream. */
class Handle {
  /** The stream this belongs to. */
  engine: Engine = undefined as never;
  /** Called with (message, errno, code) of a failure; if undefined, a failure is thrown. */
  onerror: ((message: string, errno: number, code: string) => void) | undefined = undefined;
  /** Its memory owns the native stream: collected with this object. */
  #lifetime: ArrayBuffer | undefined;
  #id: number;

  // The chunk at work: its bytes, what is left of them, the flush value and the callback of the write.
  #chunk: Uint8Array | undefined = undefined;
  #offset = 0;
  #left = 0;
  #flush = 0;
  #callback: Done | undefined = undefined;
  // Output that has not been pushed yet, because the reader is full.
  #output: Uint8Array | undefined = undefined;
  #pushed = 0;
  #held = false;
  #onStep: ((error: unknown, result: StepResult) => void) | undefined = undefined;
  /** Of a handle without a stream: its mode, and where `writeSync` tells what is left. */
  #mode = 0;
  #state: Uint32Array | undefined = undefined;

  /** For a native stream, or for one of `mode` that `init` makes. */
  constructor(lifetime: ArrayBuffer | number) {
    if (typeof lifetime === "number") {
      this.#mode = lifetime;
      this.#id = 0;
    } else {
      this.#lifetime = lifetime;
      this.#id = new Uint32Array(lifetime)[0];
    }
  }

  /**
   * As a handle of Node's binding, for packages (ssh2) that take the class from a stream and compress without one. The handle then
   * takes `writeSync`, `params`, `reset` and `close`; the callback of Node's asynchronous `write` is not called.
   */
  init(
    windowBits: number,
    level: number,
    memLevel: number,
    strategy: number,
    state: Uint32Array,
    _processed: () => void,
    dictionary?: Uint8Array,
  ): void {
    if (this.#lifetime !== undefined) throw new codes.ERR_INVALID_STATE("the handle has been initialized");
    if (!(state instanceof Uint32Array)) throw new codes.ERR_INVALID_ARG_TYPE("writeState", "Uint32Array", state);
    const lifetime = ops.openZlib(
      this.#mode,
      windowBits,
      level,
      memLevel,
      strategy,
      false,
      dictionary ?? new Uint8Array(0),
    );
    this.#lifetime = lifetime;
    this.#id = new Uint32Array(lifetime)[0];
    this.#state = state;
  }

  /** Frees the native stream; one at work ends first. */
  close(): void {
    if (this.#lifetime === undefined) return;
    ops.closeStream(this.#id);
    this.#id = 0;
    this.#lifetime = undefined;
  }

  /** Makes the native stream begin again. */
  reset(): void {
    if (!ops.resetStream(this.#id)) this.#fail();
  }

  params(level: number, strategy: number): void {
    if (!ops.setParams(this.#id, level, strategy)) this.#fail();
  }

  #fail(): void {
    const failure = ops.takeFailure(this.#id)!;
    if (this.onerror === undefined) throw zlibError(failure[0], failure[1], failure[2]);
    this.onerror(failure[0], failure[1], failure[2]);
  }

  /**
   * One synchronous step with the caller's memory. What is left of `outLength` and `inLength` is in the stream's
   * `_writeState` afterwards, in this order.
   */
  writeSync(
    flush: number,
    input: ArrayBufferView | undefined,
    inOffset: number,
    inLength: number,
    output: Uint8Array,
    outOffset: number,
    outLength: number,
  ): void {
    const [bytes, left] = ops.stepSync(this.#id, flush, input ?? new Uint8Array(0), inOffset, inLength, outLength, 1);
    if (left < 0) return this.#fail();
    output.set(bytes, outOffset);
    const state = this.#state ?? this.engine._writeState;
    state[0] = outLength - bytes.length;
    state[1] = left;
  }

  /** Everything at once; undefined after a failure, which `onerror` has got. */
  all(flush: number, input: ArrayBufferView, limit: number): [Uint8Array, number] | undefined {
    const result = ops.allSync(this.#id, flush, input, limit);
    if (result[1] >= 0) return result;
    this.#fail();
  }

  /** The same on the pool: `done(error?, output, left)`. A failure goes to `done`, not to `onerror`. */
  allLater(
    flush: number,
    input: ArrayBufferView,
    limit: number,
    done: (error: unknown, output?: Uint8Array, left?: number) => void,
  ): void {
    const id = this.#id;
    ops.all(id, flush, input, limit, (error, result) => {
      if (error !== undefined) return done(error);
      if (result[1] >= 0) return done(null, result[0], result[1]);
      const failure = ops.takeFailure(id)!;
      done(zlibError(failure[0], failure[1], failure[2]));
    });
  }

  /** Takes a chunk of the stream through; `callback` when it is used up. */
  write(flush: number, chunk: Uint8Array, callback: Done): void {
    if (this.#state !== undefined) throw new codes.ERR_NOT_IMPLEMENTED("write() of a zlib handle without a stream");
    this.#chunk = chunk;
    this.#offset = 0;
    this.#left = chunk.byteLength;
    this.#flush = flush;
    this.#callback = callback;
    this.#next();
  }

  #next(): void {
    const size = this.engine._chunkSize;
    const pieces = Math.max(1, Math.floor(MAX_JOB_OUTPUT / size));
    this.#onStep ??= (error: unknown, result: StepResult) => this.#stepped(error, result);
    ops.step(this.#id, this.#flush, this.#chunk!, this.#offset, this.#left, size, pieces, this.#onStep);
  }

  #finish(): void {
    const callback = this.#callback;
    this.#chunk = this.#callback = this.#output = undefined;
    callback!();
  }

  #stepped(error: unknown, result: StepResult): void {
    const { engine } = this;
    if (engine.destroyed || this.#id === 0) return this.#finish();
    if (error !== undefined) {
      engine.destroy(error);
      return;
    }
    const left = result[1];
    if (left < 0) return this.#fail();
    const taken = this.#left - left;
    engine.bytesWritten += taken;
    this.#offset += taken;
    this.#left = left;
    this.#output = result[0];
    this.#pushed = 0;
    this.#push();
  }

  /** Hands the output on, chunk by chunk, for as long as the reader takes it. */
  #push(): void {
    const { engine } = this;
    const output = this.#output!;
    const { length } = output;
    const size = engine._chunkSize;
    let full = false;
    while (this.#pushed < length) {
      if (full) return this.#hold();
      const from = this.#pushed;
      const end = Math.min(from + size, length);
      this.#pushed = end;
      full = !engine.push(
        end - from === length ? asBuffer(output) : new FastBuffer(output.buffer, output.byteOffset + from, end - from),
      );
      if (engine.destroyed) return this.#finish();
    }
    // The last chunk is full: there may be more. That goes on even with nothing left to read, as the native stream may
    // have kept something.
    if (length > 0 && length % size === 0) {
      this.#output = undefined;
      if (full) this.#hold();
      else this.#next();
      return;
    }
    if (this.#left > 0) {
      // There was room for output, and the native stream did not want the input: the data has ended before it.
      if (engine._rejectGarbageAfterEnd) {
        engine.destroy(new codes.ERR_TRAILING_JUNK_AFTER_STREAM_END());
        return;
      }
      engine.push(null);
    }
    this.#finish();
  }

  #hold(): void {
    this.#held = true;
  }

  /** The reader wants more. */
  resume(): void {
    if (!this.#held) return;
    this.#held = false;
    if (this.#id === 0) return;
    if (this.#output === undefined) this.#next();
    else this.#push();
  }
}
for (const name of ["engine", "onerror"]) {
  defineProperty(Handle.prototype, name, { value: undefined, writable: true, configurable: true, enumerable: true });
}

function zlibError(message: string, errno: number, code: string) {
  const error = genericNodeError(message, { errno, code });
  error.errno = errno;
  error.code = code;
  return error;
}

function onError(this: Handle, message: string, errno: number, code: string): void {
  const { engine } = this;
  const error = zlibError(message, errno, code);
  engine.destroy(error);
  engine[kError] = error;
}

interface FlushValues {
  flush: number;
  finishFlush: number;
  fullFlush: number;
  last: number;
}

const zlibFlush: FlushValues = { flush: Z_NO_FLUSH, finishFlush: Z_FINISH, fullFlush: Z_FULL_FLUSH, last: Z_BLOCK };
const brotliFlush: FlushValues = { flush: 0, finishFlush: 2, fullFlush: 1, last: 3 };
const zstdFlush: FlushValues = { flush: 0, finishFlush: 2, fullFlush: 1, last: 2 };

/** The class below all others. */
function ZlibBase(this: Engine, options: ZlibOptions | undefined, handle: Handle, values: FlushValues): void {
  let chunkSize = DEFAULT_CHUNK;
  let maxOutputLength = kMaxLength;
  let { flush, finishFlush } = values;

  if (options) {
    chunkSize = options.chunkSize!;
    if (!validateFiniteNumber(chunkSize, "options.chunkSize")) {
      chunkSize = DEFAULT_CHUNK;
    } else if (chunkSize < MIN_CHUNK) {
      throw new codes.ERR_OUT_OF_RANGE("options.chunkSize", `>= ${MIN_CHUNK}`, chunkSize);
    }
    flush = checkRangesOrGetDefault(options.flush, "options.flush", 0, values.last, flush);
    finishFlush = checkRangesOrGetDefault(options.finishFlush, "options.finishFlush", 0, values.last, finishFlush);
    maxOutputLength = checkRangesOrGetDefault(
      options.maxOutputLength,
      "options.maxOutputLength",
      1,
      kMaxLength,
      kMaxLength,
    );
    if (options.encoding || options.objectMode || options.writableObjectMode) {
      options = { ...options, encoding: null, objectMode: false, writableObjectMode: false };
    }
  }

  (Transform as TransformConstructor).call(this, {
    autoDestroy: true,
    ...(options as StreamOptions | undefined),
  });
  this[kError] = null;
  this.bytesWritten = 0;
  this._handle = handle;
  handle.engine = this;
  handle.onerror = onError;
  this._outOffset = 0;
  this._chunkSize = chunkSize;
  this._defaultFlushFlag = flush;
  this._finishFlushFlag = finishFlush;
  this._defaultFullFlushFlag = values.fullFlush;
  this._info = options?.info;
  this._maxOutputLength = maxOutputLength;
  this._rejectGarbageAfterEnd = options?.rejectGarbageAfterEnd === true;
}
inherit(ZlibBase, Transform);
const base: Engine = ZlibBase.prototype;

/** Members that only packages with a knowledge of Node's insides ask for: made at the first read. */
function onDemand(name: string, make: (self: Engine) => unknown): void {
  defineProperty(base, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make(this);
      defineProperty(this, name, { configurable: true, enumerable: true, writable: true, value });
      return value;
    },
    set(value) {
      defineProperty(this, name, { configurable: true, enumerable: true, writable: true, value });
    },
  });
}
onDemand("_writeState", () => new Uint32Array(2));
onDemand("_outBuffer", (self) => Buffer.allocUnsafe(self._chunkSize));

defineProperty(base, "_closed", {
  configurable: true,
  enumerable: true,
  get() {
    return !this._handle;
  },
});

/** An old name of bytesWritten; warns. */
defineProperty(base, "bytesRead", {
  configurable: true,
  enumerable: true,
  get() {
    warnBytesRead(
      "zlib.bytesRead is deprecated and will change its meaning in the future. Use zlib.bytesWritten instead.",
    );
    return this.bytesWritten;
  },
  set(value) {
    warnBytesRead("Setting zlib.bytesRead is deprecated. This feature will be removed in the future.");
    this.bytesWritten = value;
  },
});

const warned = new Set<string>();
function warnOnce(key: string, message: string, code: string): void {
  if (warned.has(key)) return;
  warned.add(key);
  process.emitWarning(message, "DeprecationWarning", code);
}

function warnBytesRead(message: string): void {
  warnOnce("bytesRead", message, "DEP0108");
}

/** Warns of a class that was called without `new`. */
export function warnWithoutNew(name: string): void {
  warnOnce(name, `Instantiating ${name} without the 'new' keyword has been deprecated.`, "DEP0184");
}

/** Makes instances and static members of `child` inherit from `parent`. */
export function inherit(child: { prototype: object }, parent: { prototype: object }): void {
  setPrototypeOf(child.prototype, parent.prototype);
  setPrototypeOf(child, parent);
}

function internalAssert(value: unknown, message: string): void {
  if (!value) throw new codes.ERR_INTERNAL_ASSERTION(message);
}

/** Makes the native stream begin again with what is written next. */
base.reset = function (): void {
  internalAssert(this._handle, "zlib binding closed");
  return this._handle!.reset();
};

base._flush = function (callback: Done): void {
  this._transform(Buffer.alloc(0), "", callback);
};

// Transform's _final would flush before the last write is through.
base._final = function (callback: Done): void {
  callback();
};

base._read = function (size: number): void {
  this._handle?.resume?.();
  Transform.prototype._read.call(this, size);
};

// Which flush is the stronger one: partial flushes less than Z_BLOCK although their number is smaller.
const strength = [0, 2, 3, 4, 5, 1];

// A flush goes through the queue of writes as an empty chunk that says what it is.
const flushChunks = strength.map((_, flag) => {
  const chunk: FlushChunk = new FastBuffer(new ArrayBuffer(0));
  chunk[kFlushFlag] = flag;
  return chunk;
});

/** Writes out what the native stream holds back: flush([kind][, callback]). */
base.flush = function (kind?: number | Done, callback?: Done): void {
  if (typeof kind === "function" || (kind === undefined && !callback)) {
    callback = kind as Done | undefined;
    kind = this._defaultFullFlushFlag;
  }
  if (this.writableFinished) {
    if (callback) process.nextTick(callback);
  } else if (this.writableEnded) {
    if (callback) this.once("end", callback);
  } else {
    this.write(flushChunks[kind as number], "", callback);
  }
};

/** Frees the native stream; `callback` when that is done. */
base.close = function (callback?: Done): void {
  if (callback) require("internal/streams/end_of_stream").eos(this, callback);
  this.destroy();
};

base._destroy = function (error: unknown, callback: Done): void {
  closeHandle(this);
  callback(error);
};

base._transform = function (chunk: unknown, _encoding: string, callback: Done): void {
  let flag = this._defaultFlushFlag;
  if (typeof (chunk as FlushChunk)[kFlushFlag] === "number") flag = (chunk as FlushChunk)[kFlushFlag]!;
  // The last chunk also ends the data.
  if (this.writableEnded && this.writableLength === (chunk as Uint8Array).byteLength) {
    const last = this._finishFlushFlag;
    if (strength[flag] <= strength[last]) flag = last;
  }
  writeChunk(this, chunk as Uint8Array, flag, callback);
};

/** Takes one chunk through: returns the output if there is no callback. Not public, but used by packages. */
base._processChunk = function (chunk: Uint8Array, flag: number, callback?: Done): unknown {
  if (typeof callback === "function") writeChunk(this, chunk, flag, callback);
  else return writeAllSync(this, chunk, flag);
};

function writeChunk(self: Engine, chunk: Uint8Array, flag: number, callback: Done): void {
  const handle = self._handle;
  if (!handle) return process.nextTick(callback);
  handle.write(flag, chunk, callback);
}

/** Takes a chunk through at once, closes the stream, returns the output. */
export function writeAllSync(self: Engine, chunk: ArrayBufferView, flag: number): Buffer {
  let error: unknown;
  self.on("error", (thrown: unknown) => {
    error = thrown;
  });
  const result = self._handle!.all(flag, chunk, self._maxOutputLength);
  if (result === undefined) throw error ?? self[kError];
  const [bytes, left] = result;
  self.bytesWritten = chunk.byteLength - left;
  closeHandle(self);
  if (bytes.length > self._maxOutputLength) throw new codes.ERR_BUFFER_TOO_LARGE(self._maxOutputLength);
  if (left > 0 && self._rejectGarbageAfterEnd) throw new codes.ERR_TRAILING_JUNK_AFTER_STREAM_END();
  return asBuffer(bytes);
}

/** The same on the pool: `callback(error, output)`. */
export function writeAll(
  self: Engine,
  chunk: ArrayBufferView,
  flag: number,
  callback: (error: unknown, output?: Buffer) => void,
): void {
  self._handle!.allLater(flag, chunk, self._maxOutputLength, (error, bytes, left) => {
    self.close();
    if (error) return callback(error);
    self.bytesWritten = chunk.byteLength - left!;
    if (bytes!.length > self._maxOutputLength) {
      return callback(new codes.ERR_BUFFER_TOO_LARGE(self._maxOutputLength));
    }
    if (left! > 0 && self._rejectGarbageAfterEnd) return callback(new codes.ERR_TRAILING_JUNK_AFTER_STREAM_END());
    callback(null, asBuffer(bytes!));
  });
}

// Through the property and not by a private field: minizlib puts another `close` in its place.
function closeHandle(self: Engine): void {
  if (!self._handle) return;
  self._handle.close();
  self._handle = null;
}

// ---------------------------------------------------------------------------------------------------------------------

const none = new Uint8Array(0);

/** options.dictionary as bytes. */
function dictionaryOf(options: ZlibOptions | null | undefined): ArrayBufferView {
  const dictionary = options?.dictionary;
  if (dictionary === undefined || isArrayBufferView(dictionary)) return dictionary ?? none;
  if (isAnyArrayBuffer(dictionary)) return new Uint8Array(dictionary as ArrayBuffer);
  throw new codes.ERR_INVALID_ARG_TYPE(
    "options.dictionary",
    ["Buffer", "TypedArray", "DataView", "ArrayBuffer"],
    dictionary,
  );
}

/** Streams of deflate, zlib and gzip. */
export function Zlib(this: ZlibEngine, options: ZlibOptions | undefined, mode: number): void {
  let windowBits = 15;
  let level = -1;
  let memLevel = 8;
  let strategy = 0;
  if (options) {
    if (
      (options.windowBits == null || options.windowBits === 0) &&
      (mode === INFLATE || mode === GUNZIP || mode === UNZIP)
    ) {
      // What the data's header says.
      windowBits = 0;
    } else {
      // Eight is fine for zlib, but not for gzip.
      windowBits = checkRangesOrGetDefault(options.windowBits, "options.windowBits", mode === GZIP ? 9 : 8, 15, 15);
    }
    level = checkRangesOrGetDefault(options.level, "options.level", -1, 9, -1);
    memLevel = checkRangesOrGetDefault(options.memLevel, "options.memLevel", 1, 9, 8);
    strategy = checkRangesOrGetDefault(options.strategy, "options.strategy", 0, 4, 0);
  }
  const oneMember = options?.rejectGarbageAfterEnd === true;
  const handle = new Handle(
    ops.openZlib(mode, windowBits, level, memLevel, strategy, oneMember, dictionaryOf(options)),
  );
  ZlibBase.call(this, options, handle, zlibFlush);
  this._level = level;
  this._strategy = strategy;
}
inherit(Zlib, ZlibBase);

/** Changes level and strategy for what is written from now on: params(level, strategy, callback). */
Zlib.prototype.params = function params(this: ZlibEngine, level: number, strategy: number, callback?: Done): void {
  checkRangesOrGetDefault(level, "level", -1, 9, undefined);
  checkRangesOrGetDefault(strategy, "strategy", 0, 4, undefined);
  if (this._level === level && this._strategy === strategy) {
    process.nextTick(callback!);
    return;
  }
  this.flush(Z_SYNC_FLUSH, () => {
    internalAssert(this._handle, "zlib binding closed");
    this._handle!.params(level, strategy);
    if (this.destroyed) return;
    this._level = level;
    this._strategy = strategy;
    if (callback) callback();
  });
};

/** options.params as a list of pairs; keys are numbers up to `last`, each at most once. */
function paramsOf(options: ZlibOptions | undefined, last: number, code: string): number[] {
  const list: number[] = [];
  if (!options?.params) return list;
  const seen = new Set<number>();
  for (const name of Object.keys(options.params)) {
    const key = +name;
    if (Number.isNaN(key) || key < 0 || key > last || seen.has(key)) throw new codes[code](name);
    seen.add(key);
    const value = options.params[name];
    if (typeof value !== "number" && typeof value !== "boolean") {
      throw new codes.ERR_INVALID_ARG_TYPE("options.params[key]", "number", value);
    }
    list.push(key, +value);
  }
  return list;
}

const LAST_BROTLI_PARAM = 8;
const LAST_ZSTD_COMPRESSION_PARAM = 402;
const LAST_ZSTD_DECOMPRESSION_PARAM = 100;

/** Streams of Brotli. */
export function Brotli(this: Engine, options: ZlibOptions | undefined, compress: boolean): void {
  const params = paramsOf(options, LAST_BROTLI_PARAM, "ERR_BROTLI_INVALID_PARAM");
  const handle = new Handle(ops.openBrotli(compress, params, dictionaryOf(options)));
  ZlibBase.call(this, options, handle, brotliFlush);
}
inherit(Brotli, Zlib);

/** Streams of Zstandard. */
export function Zstd(this: Engine, options: ZlibOptions | undefined, compress: boolean): void {
  const last = compress ? LAST_ZSTD_COMPRESSION_PARAM : LAST_ZSTD_DECOMPRESSION_PARAM;
  const params = paramsOf(options, last, "ERR_ZSTD_INVALID_PARAM");
  const pledgedSize = compress ? options?.pledgedSrcSize : undefined;
  const handle = new Handle(ops.openZstd(compress, params, pledgedSize, dictionaryOf(options)));
  ZlibBase.call(this, options, handle, zstdFlush);
}
inherit(Zstd, ZlibBase);
