// The types of node:stream's streams, which are functions with prototypes: https://nodejs.org/api/stream.html

import type { EventEmitter } from "internal/events/types";
import type { ReadableStream } from "internal/streams/webstreams/readable";
import type { WritableStream } from "internal/streams/webstreams/writable";
import type { StringDecoder } from "internal/buffer/types";

/**
 * A callback of `_write`, `_destroy` and the like. Errors are whatever a program has thrown; as a method's type this
 * also fits functions that only expect Errors.
 */
export type Done = { done(error?: unknown): void }["done"];

/** A chunk of a stream that is not in object mode, as it is buffered. */
export type Chunk = string | Buffer;

/** What the states of both halves have; the booleans are bits of `flags`. */
export interface StreamState {
  flags: number;
  highWaterMark: number;
  /** Bytes, or string units, or objects. */
  length: number;
  errored: unknown;
  defaultEncoding: string;
  objectMode: boolean;
  constructed: boolean;
  sync: boolean;
  emitClose: boolean;
  autoDestroy: boolean;
  destroyed: boolean;
  closed: boolean;
  closeEmitted: boolean;
  errorEmitted: boolean;
  ended: boolean;
}

/** `stream._readableState`. */
export interface ReadableState extends StreamState {
  /** Chunks wait in buffer[bufferIndex...]; the slots before are null. */
  buffer: unknown[];
  bufferIndex: number;
  pipes: NodeWritable[];
  /** The destination whose `drain` is waited for; a Set of them with the flag MULTI_AWAIT_DRAIN. */
  awaitDrainWriters: NodeWritable | Set<NodeWritable> | null;
  decoder: StringDecoder | null;
  encoding: string | null;
  /** False: a Duplex has no readable half. */
  readable?: boolean;
  endEmitted: boolean;
  reading: boolean;
  needReadable: boolean;
  emittedReadable: boolean;
  readableListening: boolean;
  resumeScheduled: boolean;
  multiAwaitDrain: boolean;
  readingMore: boolean;
  dataEmitted: boolean;
  flowing: boolean | null;
  paused: boolean | null;
  readonly pipesCount: number;
}

export interface ReadableStateConstructor {
  new (options: StreamOptions | null | undefined, stream?: unknown, isDuplex?: boolean): ReadableState;
  (this: ReadableState, options: StreamOptions | null | undefined, stream?: unknown, isDuplex?: boolean): void;
  readonly prototype: ReadableState;
}

/** One waiting write. */
export interface BufferedWrite {
  chunk: unknown;
  encoding: string;
  callback: Done;
}

/** What `_writev` gets. */
export type WriteBatch = { chunk: unknown; encoding: string }[] & { allBuffers?: boolean };

/** Writes of which `count` have the same callback, told of in one tick. */
export interface AfterWrite {
  count: number;
  callback: Done;
  stream: NodeWritable;
  state: WritableState;
}

/** `stream._writableState`. */
export interface WritableState extends StreamState {
  corked: number;
  /** The callback that `_write` gets. */
  onwrite: Done;
  /** The callback of the write under way. */
  writecb: Done | null;
  writelen: number;
  afterWriteTickInfo: AfterWrite | null;
  /** The writes behind it: waiting[bufferedIndex...]; null while none ever waited. */
  waiting: (BufferedWrite | null)[] | null;
  bufferedIndex: number;
  pendingcb: number;
  finishCallbacks: Done[] | null;
  /** False: a Duplex has no writable half. */
  writable?: boolean;
  finalCalled: boolean;
  needDrain: boolean;
  ending: boolean;
  finished: boolean;
  decodeStrings: boolean;
  writing: boolean;
  bufferProcessing: boolean;
  prefinished: boolean;
  allBuffers: boolean;
  allNoop: boolean;
  buffered: (BufferedWrite | null)[] | null;
  readonly bufferedRequestCount: number;
  getBuffer(): BufferedWrite[];
}

export interface WritableStateConstructor {
  new (options: StreamOptions | null | undefined, stream?: unknown, isDuplex?: boolean): WritableState;
  (this: WritableState, options: StreamOptions | null | undefined, stream?: unknown, isDuplex?: boolean): void;
  readonly prototype: WritableState;
}

/** Options of all kinds of streams; the functions become methods of the stream. */
export interface StreamOptions {
  highWaterMark?: number | null;
  readableHighWaterMark?: number | null;
  writableHighWaterMark?: number | null;
  objectMode?: boolean;
  readableObjectMode?: boolean;
  writableObjectMode?: boolean;
  emitClose?: boolean;
  autoDestroy?: boolean;
  defaultEncoding?: string | null;
  encoding?: string | null;
  decodeStrings?: boolean;
  allowHalfOpen?: boolean;
  captureRejections?: boolean;
  /** False: a Duplex without this half. */
  readable?: boolean;
  writable?: boolean;
  signal?: AbortSignal;
  read?(this: NodeReadable, size: number): void;
  write?(this: NodeWritable, chunk: unknown, encoding: string, callback: Done): void;
  writev?(this: NodeWritable, chunks: WriteBatch, callback: Done): void;
  final?(this: NodeWritable, callback: Done): void;
  destroy?(this: NodeStream, error: unknown, callback: Done): void;
  construct?(this: NodeStream, callback: Done): void;
  transform?(this: NodeTransform, chunk: unknown, encoding: string, callback: TransformDone): void;
  flush?(this: NodeTransform, callback: TransformDone): void;
}

/** What `_transform` and `_flush` call when they are through. */
export type TransformDone = (error?: unknown, data?: unknown) => void;

/** What streams of all kinds have, the older ones and http messages by and large. */
export interface NodeStream extends EventEmitter {
  _events?: { [type: string | symbol]: unknown };
  _readableState?: ReadableState;
  _writableState?: WritableState;
  destroyed: boolean;
  closed?: boolean;
  errored?: unknown;
  readable?: boolean;
  writable?: boolean;
  /** Of readable halves and of older streams; a Writable has one that fails. */
  pipe<T extends NodeWritable>(dest: T, options?: { end?: boolean }): T;
  pause?(): this;
  resume?(): this;
  destroy(error?: unknown, callback?: Done): this;
  _construct?(callback: Done): void;
  _destroy(error: unknown, callback: Done): void;
  _undestroy(): void;
  _isStdio?: boolean;
  /** Of http messages and of what looks like them. */
  req?: NodeStream;
  socket?: NodeStream | null;
  aborted?: boolean;
  setHeader?: unknown;
  abort?(): void;
  close?(): void;
  /** Answers to questions of other libraries, and what subclasses hide. */
  [hidden: symbol]: unknown;
}

export interface NodeReadable extends NodeStream {
  _readableState: ReadableState;
  closed: boolean;
  errored: unknown;
  readable: boolean;
  readonly readableDidRead: boolean;
  readonly readableAborted: boolean;
  readonly readableHighWaterMark: number;
  readonly readableBuffer: unknown[];
  readableFlowing: boolean | null;
  readonly readableLength: number;
  readonly readableObjectMode: boolean;
  readonly readableEncoding: string | null;
  readonly readableEnded: boolean;
  allowHalfOpen?: boolean;
  _read(size?: number): void;
  /** null ends the stream. */
  push(chunk: unknown, encoding?: string): boolean;
  unshift(chunk: unknown, encoding?: string): boolean;
  read(size?: number): unknown;
  isPaused(): boolean;
  setEncoding(encoding: string): this;
  resume(): this;
  pause(): this;
  unpipe(dest?: NodeWritable): this;
  wrap(stream: LegacyStream): this;
  iterator(options?: { destroyOnReturn?: boolean }): AsyncIterableIterator<unknown>;
  [Symbol.asyncIterator](): AsyncIterableIterator<unknown>;
  [Symbol.asyncDispose](): Promise<unknown>;
}

export interface NodeWritable extends NodeStream {
  _writableState: WritableState;
  closed: boolean;
  errored: unknown;
  writable: boolean;
  readonly writableFinished: boolean;
  readonly writableObjectMode: boolean;
  readonly writableBuffer: BufferedWrite[];
  readonly writableEnded: boolean;
  readonly writableNeedDrain: boolean;
  readonly writableHighWaterMark: number;
  readonly writableCorked: number;
  readonly writableLength: number;
  readonly writableAborted: boolean;
  _write(chunk: unknown, encoding: string, callback: Done): void;
  _writev: ((chunks: WriteBatch, callback: Done) => void) | null;
  _final?(callback: Done): void;
  write(chunk: unknown, callback?: Done): boolean;
  write(chunk: unknown, encoding?: string | null, callback?: Done): boolean;
  end(callback?: Done): this;
  end(chunk: unknown, callback?: Done): this;
  end(chunk: unknown, encoding?: string | null, callback?: Done): this;
  cork(): void;
  uncork(): void;
  setDefaultEncoding(encoding: string): this;
  [Symbol.asyncDispose](): Promise<unknown>;
}

export interface NodeDuplex extends NodeReadable, NodeWritable {
  closed: boolean;
  errored: unknown;
  _readableState: ReadableState;
  _writableState: WritableState;
  readable: boolean;
  writable: boolean;
  allowHalfOpen: boolean;
  resume(): this;
  pause(): this;
  [Symbol.asyncDispose](): Promise<unknown>;
}

export interface NodeTransform extends NodeDuplex {
  _transform(chunk: unknown, encoding: string, callback: TransformDone): void;
  _flush?(callback: TransformDone): void;
}

/** A stream from before Readable: events, and perhaps a way to pause them. */
export interface LegacyStream extends EventEmitter {
  _readableState?: ReadableState;
  readable?: boolean;
  readableObjectMode?: boolean;
  objectMode?: boolean;
  pause?(): unknown;
  resume?(): unknown;
  [name: string]: unknown;
}

/** A class that can be called without `new` too. */
interface StreamConstructor<T> {
  new (options?: StreamOptions): T;
  (options?: StreamOptions): T;
  readonly prototype: T;
  call(self: object, options?: StreamOptions): void;
}

/** What Readable.from makes a stream of. */
export type Source =
  | { [Symbol.iterator]?(): Iterator<unknown>; [Symbol.asyncIterator]?(): AsyncIterator<unknown> }
  | string;

/** Options of the bridges from and to web streams. */
export interface WebOptions extends StreamOptions {
  strategy?: unknown;
  type?: string;
}

export interface ReadableConstructor extends StreamConstructor<NodeReadable> {
  ReadableState: unknown;
  from(iterable: Source, options?: StreamOptions): NodeReadable;
  wrap(source: LegacyStream, options?: StreamOptions): NodeReadable;
  fromWeb(stream: unknown, options?: WebOptions): NodeReadable;
  toWeb(stream: NodeReadable, options?: WebOptions): unknown;
  _fromList(n: number, state: ReadableState): unknown;
}

export interface WritableConstructor extends StreamConstructor<NodeWritable> {
  WritableState: unknown;
  fromWeb(stream: unknown, options?: WebOptions): NodeWritable;
  toWeb(stream: unknown): unknown;
}

export interface DuplexConstructor extends StreamConstructor<NodeDuplex> {
  from(body: Anything): NodeDuplex;
  fromWeb(pair: { readable?: unknown; writable?: unknown }, options?: WebOptions): NodeDuplex;
  toWeb(duplex: NodeDuplex, options?: WebOptions): unknown;
}

export type TransformConstructor = StreamConstructor<NodeTransform>;

/** Options of finished(). */
export interface FinishedOptions {
  /** False: this half is not waited for. */
  readable?: boolean;
  writable?: boolean;
  /** False: the `error` event does not count. */
  error?: boolean;
  signal?: AbortSignal;
  /** Of the promise version: removes the listeners afterwards. */
  cleanup?: boolean;
}

/** Like `unknown`, for overloads that their implementation refines. */
export type Anything = {} | null | undefined;

/** What questions about streams of any kind look at. None of it has to be there. */
export interface StreamLike {
  _readableState?: ReadableState;
  _writableState?: WritableState;
  on?: unknown;
  pipe?: unknown;
  pause?: unknown;
  resume?: unknown;
  write?: unknown;
  readable?: unknown;
  writable?: unknown;
  destroyed?: unknown;
  closed?: unknown;
  writableEnded?: unknown;
  writableFinished?: unknown;
  writableErrored?: unknown;
  readableErrored?: unknown;
  readableDidRead?: unknown;
  readableAborted?: unknown;
  /** Of web streams. */
  pipeThrough?: unknown;
  getReader?: unknown;
  cancel?: unknown;
  getWriter?: unknown;
  abort?: unknown;
  /** Of http messages. */
  _closed?: unknown;
  _defaultKeepAlive?: unknown;
  _removedConnection?: unknown;
  _removedContLen?: unknown;
  _sent100?: unknown;
  _consuming?: unknown;
  _dumped?: unknown;
  req?: { upgradeOrConnect?: unknown };
  /** What a stream of another library answers; see the symbols in internal/streams/utils. */
  [answer: symbol]: unknown;
}

/** A web TransformStream, or any such pair. */
export interface WebPair {
  readable: WebReadable;
  writable: WritableStream;
}

/** A web ReadableStream; the iteration is defined on its prototype from outside of the class. */
export type WebReadable = ReadableStream & AsyncIterable<unknown>;
