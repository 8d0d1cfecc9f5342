/**
 * Transform: a Duplex whose output is computed from its input, chunk by chunk; and PassThrough, which
 * leaves chunks as they are. Backpressure runs through: while the readable side is full, the callback of
 * the last write is held back until somebody reads.
 */
import { codes } from "internal/core/errors";
import { Duplex } from "internal/streams/duplex";
import { highWaterMarkFrom } from "internal/streams/state";
import type { Done, NodeTransform, StreamOptions, TransformConstructor, TransformDone } from "internal/streams/types";

const kHeldCallback = Symbol("kCallback");

interface Transformer extends NodeTransform {
  /** Of the last write, while the readable side is full. */
  [kHeldCallback]: Done | null;
}

/** `new Transform([options])`; callable without `new`, so that older code can inherit from it. */
export function Transform(this: Transformer, options?: StreamOptions): unknown {
  if (new.target === undefined && !(this instanceof (Transform as TransformConstructor)))
    return new (Transform as TransformConstructor)(options);

  // A readable mark of 0 asks for no read-ahead at all; a write side that buffered would defeat it.
  if (
    options &&
    highWaterMarkFrom(
      Boolean(options.objectMode || options.readableObjectMode),
      options,
      "readableHighWaterMark",
      true,
    ) === 0
  ) {
    options = {
      ...options,
      highWaterMark: null,
      readableHighWaterMark: 0,
      writableHighWaterMark: options.writableHighWaterMark || 0,
    };
  }
  (Duplex as { call(...values: unknown[]): unknown }).call(this, options);

  // There is no _read in progress at the start, so that a synchronous transform does not defer `readable`.
  this._readableState.sync = false;
  this[kHeldCallback] = null;

  if (options) {
    if (typeof options.transform === "function") this._transform = options.transform;
    if (typeof options.flush === "function") this._flush = options.flush;
  }

  // Subclasses that define _final themselves still get _flush.
  this.on("prefinish", onPrefinish);
}
Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

const proto: Transformer = Transform.prototype;

function final(this: Transformer, callback?: Done): void {
  if (typeof this._flush !== "function" || this.destroyed) {
    this.push(null);
    callback?.();
    return;
  }
  this._flush((error?: unknown, data?: unknown) => {
    if (error) {
      if (callback) callback(error);
      else this.destroy(error);
      return;
    }
    if (data != null) this.push(data);
    this.push(null);
    callback?.();
  });
}

function onPrefinish(this: Transformer): void {
  if (this._final !== final) final.call(this);
}

proto._final = final;

proto._transform = function (_chunk: unknown, _encoding: string, _callback: TransformDone): void {
  throw new codes.ERR_METHOD_NOT_IMPLEMENTED("_transform()");
};

proto._write = function (chunk: unknown, encoding: string, callback: Done): void {
  const r = this._readableState;
  const w = this._writableState;
  const before = r.length;

  this._transform(chunk, encoding, (error?: unknown, value?: unknown) => {
    if (error) {
      callback(error);
      return;
    }
    if (value != null) this.push(value);

    if (r.ended) {
      // The readable side is over: what is still written goes nowhere, but has to be acknowledged later,
      // else a writer that writes in its callback never returns.
      process.nextTick(callback);
    } else if (w.ended || before === r.length || r.length < r.highWaterMark) {
      callback();
    } else {
      this[kHeldCallback] = callback;
    }
  });
};

proto._read = function (): void {
  const callback = this[kHeldCallback];
  if (callback) {
    this[kHeldCallback] = null;
    callback();
  }
};

/** `new PassThrough([options])`. */
export function PassThrough(this: Transformer, options?: StreamOptions): unknown {
  if (new.target === undefined && !(this instanceof (PassThrough as TransformConstructor)))
    return new (PassThrough as TransformConstructor)(options);
  (Transform as { call(...values: unknown[]): unknown }).call(this, options);
}
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);

PassThrough.prototype._transform = function (chunk: unknown, _encoding: string, callback: TransformDone): void {
  callback(null, chunk);
};
