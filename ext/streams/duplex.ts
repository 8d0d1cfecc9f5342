/** Duplex: a stream that is both Readable and Writable, with separate buffers and one life. */
import { Stream } from "internal/streams/legacy";
import { construct } from "internal/streams/destroy";
import { constructors, defineAccessors } from "internal/streams/state";
import { Readable, afterConstruct as afterReadableConstruct } from "internal/streams/readable";
import { Writable, afterConstruct as afterWritableConstruct, initWritable } from "internal/streams/writable";
import { ReadableState, ENDED as READ_ENDED, END_EMITTED } from "internal/streams/readable_state";
import { ENDED, ENDING, FINISHED } from "internal/streams/writable_state";
import type {
  Anything,
  DuplexConstructor,
  NodeDuplex,
  ReadableStateConstructor,
  StreamOptions,
  WebOptions,
} from "internal/streams/types";

/** `new Duplex([options])`; callable without `new`, so that older code can inherit from it. */
export function Duplex(this: NodeDuplex, options?: StreamOptions): unknown {
  if (new.target === undefined && !(this instanceof (Duplex as DuplexConstructor)))
    return new (Duplex as DuplexConstructor)(options);

  (Stream as { call(...values: unknown[]): unknown }).call(this, options);
  this._readableState = new (ReadableState as ReadableStateConstructor)(options, this, true);
  initWritable(this, options, true);
  this.allowHalfOpen = true;

  if (options) {
    this.allowHalfOpen = options.allowHalfOpen !== false;
    if (options.readable === false) {
      this._readableState.flags |= READ_ENDED | END_EMITTED;
      this._readableState.readable = false;
    }
    if (options.writable === false) {
      this._writableState.flags |= ENDING | ENDED | FINISHED;
      this._writableState.writable = false;
    }
    if (typeof options.read === "function") this._read = options.read;
    if (typeof options.write === "function") this._write = options.write;
    if (typeof options.writev === "function") this._writev = options.writev;
    if (typeof options.destroy === "function") this._destroy = options.destroy;
    if (typeof options.final === "function") this._final = options.final;
    if (typeof options.construct === "function") this._construct = options.construct;
    if (options.signal) require("internal/streams/add_abort_signal").addAbortSignal(options.signal, this);
  }

  if (this._construct != null) {
    construct(this, () => {
      afterReadableConstruct(this);
      afterWritableConstruct(this);
    });
  }
}
Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
Object.setPrototypeOf(Duplex, Readable);
constructors.Duplex = Duplex as DuplexConstructor;

// There is one prototype chain, through Readable; the methods of Writable are copied.
for (const name of Object.keys(Writable.prototype)) {
  if (!Duplex.prototype[name]) Duplex.prototype[name] = Writable.prototype[name];
}
// Writable's destroy() also fails the writes that wait.
Duplex.prototype.destroy = Writable.prototype.destroy;

const writableAccessor = (name: string) =>
  Object.getOwnPropertyDescriptor(Writable.prototype, name) as { get: () => unknown };
defineAccessors(Duplex.prototype, {
  writable: writableAccessor("writable"),
  writableHighWaterMark: writableAccessor("writableHighWaterMark"),
  writableObjectMode: writableAccessor("writableObjectMode"),
  writableBuffer: writableAccessor("writableBuffer"),
  writableLength: writableAccessor("writableLength"),
  writableFinished: writableAccessor("writableFinished"),
  writableCorked: writableAccessor("writableCorked"),
  writableEnded: writableAccessor("writableEnded"),
  writableNeedDrain: writableAccessor("writableNeedDrain"),
  writableAborted: writableAccessor("writableAborted"),
  destroyed: {
    get(this: NodeDuplex) {
      if (this._readableState === undefined || this._writableState === undefined) return false;
      return this._readableState.destroyed && this._writableState.destroyed;
    },
    set(this: NodeDuplex, value: unknown) {
      // Subclasses of before destroy() set it themselves; ignored until there is a state to keep it.
      if (this._readableState && this._writableState) {
        this._readableState.destroyed = Boolean(value);
        this._writableState.destroyed = Boolean(value);
      }
    },
  },
});

Duplex.fromWeb = function (pair: { readable?: unknown; writable?: unknown }, options?: WebOptions): NodeDuplex {
  return require("internal/streams/webstreams/adapters").newStreamDuplexFromReadableWritablePair(pair, options);
};
Duplex.toWeb = function (duplex: NodeDuplex, options?: WebOptions) {
  return require("internal/streams/webstreams/adapters").newReadableWritablePairFromDuplex(duplex, options);
};
/** Duplex.from(body): a duplex out of a stream, a pair, an iterable, a function, a Blob or a promise. */
Duplex.from = function (body: Anything): NodeDuplex {
  return require("internal/streams/duplexify").duplexify(body, "body");
};
