/**
 * Transform: a Duplex whose output is computed from its input, chunk by chunk; and PassThrough, which
 * leaves chunks as they are. Backpressure runs through: while the readable side is full, the callback of
 * the last write is held back until somebody reads.
 */
import { codes } from "internal/core/errors";
import { Duplex } from "internal/streams/duplex";
import { highWaterMarkFrom } from "internal/streams/state";

const kHeldCallback = Symbol("kCallback");

/** `new Transform([options])`; callable without `new`, so that older code can inherit from it. */
export function Transform(this: any, options?: any): any {
  if (new.target === undefined && !(this instanceof (Transform as any))) return new (Transform as any)(options);

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

const proto: any = Transform.prototype;

function final(this: any, callback?: (error?: unknown) => void): void {
  if (typeof this._flush !== "function" || this.destroyed) {
    this.push(null);
    callback?.();
    return;
  }
  this._flush((error: unknown, data: Uint8Array) => {
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

function onPrefinish(this: any): void {
  if (this._final !== final) final.call(this);
}

proto._final = final;

proto._transform = function (_chunk: any, _encoding: string, _callback: any): void {
  throw new codes.ERR_METHOD_NOT_IMPLEMENTED("_transform()");
};

proto._write = function (chunk: Uint8Array, encoding: string, callback: (error?: unknown) => void): void {
  const r = this._readableState;
  const w = this._writableState;
  const before = r.length;

  this._transform(chunk, encoding, (error: unknown, value: any) => {
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
export function PassThrough(this: unknown, options?: any): any {
  if (new.target === undefined && !(this instanceof (PassThrough as any))) return new (PassThrough as any)(options);
  (Transform as { call(...values: unknown[]): unknown }).call(this, options);
}
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);

PassThrough.prototype._transform = function (chunk: Uint8Array, _encoding: string, callback: Callback): void {
  callback(null, chunk);
};
