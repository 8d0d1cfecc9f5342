// http.OutgoingMessage (https://nodejs.org/api/http.html#class-httpoutgoingmessage).

import { Stream } from "internal/streams/legacy";
import { codes } from "internal/core/errors";
import { kNeedDrain, kOutHeaders } from "internal/http/common";
import { headerMethods, kUniqueHeaders } from "internal/http/outgoing_headers";
import { StreamHandle } from "internal/net/native";
import { Socket } from "internal/net/socket";
import { getDefaultHighWaterMark } from "internal/streams/state";
import type { EventEmitter } from "internal/events/types";
import type { Agent } from "internal/http/agent";
import type { Chunk, Done, GivenHeaders, HeaderValue, OutHeaders, Socket as Connection } from "internal/http/types";

const nativeWrite = native("net").write;
const socketWrite = Socket.prototype.write;

export { kUniqueHeaders };
export const kHighWaterMark = Symbol("kHighWaterMark");
const kErrored = Symbol("errored");
const kCorked = Symbol("corked");
const kChunkedBuffer = Symbol("kChunkedBuffer");
const kChunkedLength = Symbol("kChunkedLength");
const kSocket = Symbol("kSocket");
const kBytesWritten = Symbol("kBytesWritten");
const kRejectNonStandardBodyWrites = Symbol("kRejectNonStandardBodyWrites");
const kEndCalled = Symbol("kEndCalled");
/** On responses of a server: what is to happen before `finish` is emitted. */
export const kBeforeFinish = Symbol("kBeforeFinish");

function nop(): void {}

let BufferClass: typeof Buffer | undefined;
function buffers(): typeof Buffer {
  return (BufferClass ??= require("node:buffer").Buffer);
}

function byteLength(chunk: Chunk, encoding: string | null | undefined): number {
  return typeof chunk === "string" ? buffers().byteLength(chunk, encoding!) : chunk.byteLength;
}

/** What is to be written, in the order of the arguments of write(). */
interface Output {
  data: Chunk;
  encoding: string | null | undefined;
  callback: Done | null | undefined;
}

/** A request of a client, a response of a server. */
export interface OutgoingMessage extends EventEmitter {
  /** What waits for a connection, and its length. */
  outputData: Output[];
  outputSize: number;
  writable: boolean;
  destroyed: boolean;
  /** The connection ends with this message. */
  _last: boolean;
  chunkedEncoding: boolean;
  shouldKeepAlive: boolean;
  maxRequestsOnConnectionReached: boolean;
  _defaultKeepAlive: boolean;
  useChunkedEncodingByDefault: boolean;
  sendDate: boolean;
  _removedConnection: boolean;
  _removedContLen: boolean;
  _removedTE: boolean;
  strictContentLength: boolean;
  _contentLength: number | null;
  _hasBody: boolean;
  _trailer: string;
  finished: boolean;
  _headerSent: boolean;
  _closed: boolean;
  /** The head as it is sent; null until it is known. */
  _header: string | null;
  _keepAliveTimeout: number;
  _maxRequestsPerSocket: number;
  /** Hears how many bytes more (or less) wait in `outputData`. */
  _onPendingData(delta: number): void;
  /** Of responses. */
  statusCode?: number;
  /** Of requests. */
  agent?: Agent | null;
  parser?: unknown;
  [kNeedDrain]: boolean;
  [kOutHeaders]: OutHeaders | null;
  [kUniqueHeaders]?: Set<string> | null;
  [kHighWaterMark]: number;
  [kErrored]: unknown;
  [kCorked]: number;
  [kChunkedBuffer]: [data: Chunk, encoding: string | null | undefined, callback: Done | null | undefined][] | null;
  [kChunkedLength]: number;
  [kSocket]: Connection | null;
  [kBytesWritten]: number;
  [kRejectNonStandardBodyWrites]: boolean;
  [kEndCalled]: boolean;
  [kBeforeFinish]?(message: OutgoingMessage): void;
  readonly errored: unknown;
  readonly closed: boolean;
  readonly writableFinished: boolean;
  readonly writableObjectMode: boolean;
  readonly writableLength: number;
  readonly writableHighWaterMark: number;
  readonly writableCorked: number;
  readonly writableEnded: boolean;
  readonly writableNeedDrain: boolean;
  readonly headersSent: boolean;
  socket: Connection | null;
  connection: Connection | null;
  _headers: { [name: string]: HeaderValue } | null | undefined;
  cork(): void;
  uncork(): void;
  setTimeout(msecs: number, callback?: () => void): this;
  destroy(error?: unknown): this;
  setHeader(name: string, value: HeaderValue): this;
  /** Takes a Headers or a Map. */
  setHeaders(headers: Iterable<[string, string | string[]]> & { keys: unknown; get: unknown }): this;
  appendHeader(name: string, value: string | string[]): this;
  getHeader(name: string): HeaderValue | undefined;
  getHeaderNames(): string[];
  getRawHeaderNames(): string[];
  getHeaders(): { [name: string]: HeaderValue };
  hasHeader(name: string): boolean;
  removeHeader(name: string): void;
  flushHeaders(): void;
  addTrailers(headers: { [name: string]: HeaderValue } | [string, HeaderValue][]): void;
  write(chunk: Chunk, encoding?: string | Done | null, callback?: Done | null): boolean;
  end(chunk?: Chunk | Done | null, encoding?: string | Done | null, callback?: Done): this;
  pipe(): void;
  _renderHeaders(): { [name: string]: HeaderValue };
  _storeHeader(firstLine: string, headers: OutHeaders | GivenHeaders | null | undefined): void;
  _implicitHeader(): void;
  _send(data: Chunk, encoding?: string | null, callback?: Done | null, length?: number): boolean;
  _writeRaw(data: Chunk, encoding?: string | null, callback?: Done | null, size?: number): boolean;
  _finish(): void;
  _flush(): void;
  _flushOutput(socket: Connection): boolean | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OutgoingOptions {
  highWaterMark?: number;
  /** Writing a body that the message cannot have throws. */
  rejectNonStandardBodyWrites?: boolean;
}

/** `new OutgoingMessage([options])`; callable for classes of the old kind. */
export function OutgoingMessage(this: OutgoingMessage, options?: OutgoingOptions): void {
  Stream.call(this);
  // Bytes that wait for a socket: { data, encoding, callback }.
  this.outputData = [];
  this.outputSize = 0;
  this.writable = true;
  this.destroyed = false;
  this._last = false;
  this.chunkedEncoding = false;
  this.shouldKeepAlive = true;
  this.maxRequestsOnConnectionReached = false;
  this._defaultKeepAlive = true;
  this.useChunkedEncodingByDefault = true;
  this.sendDate = false;
  this._removedConnection = false;
  this._removedContLen = false;
  this._removedTE = false;
  this.strictContentLength = false;
  this[kBytesWritten] = 0;
  this._contentLength = null;
  this._hasBody = true;
  this._trailer = "";
  this[kNeedDrain] = false;
  this.finished = false;
  this._headerSent = false;
  this[kCorked] = 0;
  this[kChunkedBuffer] = null;
  this[kChunkedLength] = 0;
  this._closed = false;
  this[kSocket] = null;
  this._header = null;
  this[kOutHeaders] = null;
  this[kEndCalled] = false;
  this._keepAliveTimeout = 0;
  this._onPendingData = nop;
  this[kErrored] = null;
  this[kHighWaterMark] = options?.highWaterMark ?? getDefaultHighWaterMark();
  this[kRejectNonStandardBodyWrites] = options?.rejectNonStandardBodyWrites ?? false;
  this[kBeforeFinish] = undefined;
}
Object.setPrototypeOf(OutgoingMessage.prototype, Stream.prototype);
Object.setPrototypeOf(OutgoingMessage, Stream);

const proto: OutgoingMessage = OutgoingMessage.prototype;

const accessors: {
  [K in keyof OutgoingMessage]?: {
    get(this: OutgoingMessage): OutgoingMessage[K];
    set?(this: OutgoingMessage, value: OutgoingMessage[K]): void;
  };
} = {
  errored: {
    get() {
      return this[kErrored];
    },
  },
  closed: {
    get() {
      return this._closed;
    },
  },
  writableFinished: {
    get() {
      return this.finished && this.outputSize === 0 && (!this[kSocket] || this[kSocket].writableLength === 0);
    },
  },
  writableObjectMode: {
    get() {
      return false;
    },
  },
  writableLength: {
    get() {
      return this.outputSize + this[kChunkedLength] + (this[kSocket] ? this[kSocket].writableLength : 0);
    },
  },
  writableHighWaterMark: {
    get() {
      return this[kSocket] ? this[kSocket].writableHighWaterMark : this[kHighWaterMark];
    },
  },
  writableCorked: {
    get() {
      return this[kCorked];
    },
  },
  writableEnded: {
    get() {
      return this.finished;
    },
  },
  writableNeedDrain: {
    get() {
      return !this.destroyed && !this.finished && this[kNeedDrain];
    },
  },
  socket: {
    get() {
      return this[kSocket];
    },
    set(value) {
      for (let n = 0; n < this[kCorked]; n++) {
        value?.cork();
        this[kSocket]?.uncork();
      }
      this[kSocket] = value;
    },
  },
  connection: {
    get() {
      return this[kSocket];
    },
    set(value) {
      this.socket = value;
    },
  },
  headersSent: {
    get() {
      return Boolean(this._header);
    },
  },
  _headers: {
    get() {
      return this.getHeaders();
    },
    set(value) {
      if (value == null) {
        this[kOutHeaders] = null;
      } else if (typeof value === "object") {
        const headers: OutHeaders = (this[kOutHeaders] = Object.create(null));
        for (const name of Object.keys(value)) headers[name.toLowerCase()] = [name, value[name]!];
      }
    },
  },
};
for (const name of Object.keys(accessors)) {
  Object.defineProperty(proto, name, {
    ...accessors[name as keyof OutgoingMessage],
    configurable: true,
    enumerable: name !== "_headers" && name !== "errored" && name !== "closed",
  });
}

Object.assign(proto, headerMethods);

proto.cork = function () {
  this[kCorked]++;
  if (this[kSocket]) this[kSocket].cork();
};

proto.uncork = function () {
  this[kCorked]--;
  if (this[kSocket]) this[kSocket].uncork();
  if (this[kCorked] || !this[kChunkedBuffer]?.length) return;
  const length = this[kChunkedLength];
  const list = this[kChunkedBuffer];
  this[kChunkedBuffer] = null;
  this[kChunkedLength] = 0;
  if (!this.chunkedEncoding) return;
  // One chunk of everything that was written meanwhile.
  let callbacks: Done[] | undefined;
  this._send(length.toString(16), "latin1", null);
  this._send("\r\n", null, null);
  for (const [data, encoding, callback] of list) {
    this._send(data, encoding, null);
    if (callback) (callbacks ??= []).push(callback);
  }
  this._send(
    "\r\n",
    null,
    callbacks === undefined
      ? null
      : (error) => {
          for (const callback of callbacks!) callback(error);
        },
  );
};

proto.setTimeout = function (msecs, callback) {
  if (callback) this.on("timeout", callback);
  if (!this[kSocket]) this.once("socket", (socket: Connection) => socket.setTimeout(msecs));
  else this[kSocket].setTimeout(msecs);
  return this;
};

proto.destroy = function (error) {
  if (this.destroyed) return this;
  this.destroyed = true;
  this[kErrored] = error;
  if (this[kSocket]) this[kSocket].destroy(error);
  else this.once("socket", (socket: Connection) => socket.destroy(error));
  return this;
};

/** Writes to the connection, the head first where it has not been sent. */
proto._send = function (data, encoding, callback, length) {
  if (!this._headerSent && this._header !== null) {
    const header = this._header;
    if (
      typeof data === "string" &&
      (encoding === "latin1" || data === "" || ((encoding === "utf8" || !encoding) && !/[\x80-\xff]/.test(header)))
    ) {
      // A head alone is Latin-1; before text it is sent with the text.
      if (data === "") encoding = "latin1";
      data = header + data;
    } else {
      this.outputData.unshift({ data: header, encoding: "latin1", callback: null });
      this.outputSize += header.length;
      this._onPendingData(header.length);
    }
    this._headerSent = true;
  }
  return this._writeRaw(data, encoding, callback, length);
};

proto._writeRaw = function (data, encoding, callback, size) {
  const conn = this[kSocket];
  if (conn?._httpMessage === this && conn.writable) {
    // There might be something that was written before there was a connection.
    if (this.outputData.length) this._flushOutput(conn);
    return conn.write(data, encoding, callback);
  }
  if (conn?.destroyed || (conn && !conn.writable && conn._httpMessage === this)) {
    // The connection went away: nobody will send this.
    return false;
  }
  this.outputData.push({ data, encoding, callback });
  this.outputSize += data.length;
  this._onPendingData(data.length);
  return this.outputSize < this[kHighWaterMark];
};

proto._implicitHeader = function () {
  throw new codes.ERR_METHOD_NOT_IMPLEMENTED("_implicitHeader()");
};

// ---------------------------------------------------------------------------------------------------------------------
// The body

proto.write = function (chunk, encoding, callback) {
  if (typeof encoding === "function") {
    callback = encoding;
    encoding = null;
  }
  const result = write_(this, chunk, encoding, callback, false);
  if (!result) this[kNeedDrain] = true;
  return result;
};

function writeAfterEnd(message: OutgoingMessage, error: NodeError, callback: Done): void {
  if (!message.destroyed) onError(message, error, callback);
  else process.nextTick(callback, error);
}

function onError(message: OutgoingMessage, error: NodeError, callback: Done): void {
  if (message.destroyed) return;
  process.nextTick(emitErrorNT, message, error, callback);
}

function emitErrorNT(message: OutgoingMessage, error: NodeError, callback: Done): void {
  callback(error);
  if (typeof message.emit === "function" && !message.destroyed) message.emit("error", error);
}

function strictContentLength(message: OutgoingMessage): boolean {
  return (
    message.strictContentLength &&
    message._contentLength! > 0 &&
    !message._removedContLen &&
    !message.chunkedEncoding &&
    message._hasBody
  );
}

function write_(
  message: OutgoingMessage,
  chunk: Chunk,
  encoding: string | null | undefined,
  callback: Done | null | undefined,
  fromEnd: boolean,
): boolean {
  if (typeof callback !== "function") callback = nop;
  if (chunk === null) throw new codes.ERR_STREAM_NULL_VALUES();
  if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) {
    throw new codes.ERR_INVALID_ARG_TYPE("chunk", ["string", "Buffer", "Uint8Array"], chunk);
  }
  let error: CodedError | undefined;
  if (message.finished) error = new codes.ERR_STREAM_WRITE_AFTER_END();
  else if (message.destroyed) error = new codes.ERR_STREAM_DESTROYED("write");
  if (error !== undefined) {
    writeAfterEnd(message, error, callback);
    return false;
  }
  let length: number | undefined;
  if (message.strictContentLength) {
    length = byteLength(chunk, encoding);
    if (
      strictContentLength(message) &&
      (fromEnd
        ? message[kBytesWritten] + length !== message._contentLength
        : message[kBytesWritten] + length > message._contentLength!)
    ) {
      throw new codes.ERR_HTTP_CONTENT_LENGTH_MISMATCH(length + message[kBytesWritten], message._contentLength);
    }
    message[kBytesWritten] += length;
  }
  if (!message._header) {
    if (fromEnd) message._contentLength ??= length ?? byteLength(chunk, encoding);
    message._implicitHeader();
  }
  if (!message._hasBody) {
    if (message[kRejectNonStandardBodyWrites]) throw new codes.ERR_HTTP_BODY_NOT_ALLOWED();
    process.nextTick(callback);
    return true;
  }
  const socket = message[kSocket];
  if (!fromEnd && socket && !socket.writableCorked) {
    socket.cork();
    process.nextTick(connectionCorkNT, socket);
  }
  if (message.chunkedEncoding && chunk.length !== 0) {
    length ??= byteLength(chunk, encoding);
    if (message[kCorked] && message._headerSent) {
      (message[kChunkedBuffer] ??= []).push([chunk, encoding, callback]);
      message[kChunkedLength] += length;
      return message[kChunkedLength] < message[kHighWaterMark];
    }
    message._send(length!.toString(16), "latin1", null);
    message._send("\r\n", null, null);
    message._send(chunk, encoding, null, length);
    return message._send("\r\n", null, callback);
  }
  return message._send(chunk, encoding, callback, length);
}

function connectionCorkNT(socket: Connection): void {
  socket.uncork();
}

function onFinish(message: OutgoingMessage): void {
  if (message?.[kSocket]?._hadError) return;
  const before = message[kBeforeFinish];
  if (before !== undefined) before(message);
  message.emit("finish");
}

/**
 * A whole message in one system call, past the Writable: head and body go to the native handle, which must have nothing
 * else to write. False where that is not so.
 */
function sendAtOnce(message: OutgoingMessage, chunk: Chunk | undefined, encoding: string | null | undefined): boolean {
  const socket = message[kSocket];
  if (socket === null || socket._httpMessage !== message) return false;
  const handle = socket._handle;
  if (!(handle instanceof StreamHandle) || handle.id < 0 || socket.connecting || socket.write !== socketWrite)
    return false;
  const state = socket._writableState;
  if (state.length !== 0 || state.corked !== 0 || state.ending || state.destroyed || handle.onwritten !== undefined)
    return false;
  const latin1 = encoding === "latin1" || encoding === "binary" ? 1 : 0;
  if (typeof chunk === "string" && latin1 === 0 && encoding && encoding !== "utf8" && encoding !== "utf-8")
    return false;
  const result = nativeWrite(handle.id, message._header, 1, chunk, latin1);
  message._headerSent = true;
  if (result === 0) {
    process.nextTick(onFinish, message);
  } else if (result === 1) {
    handle.onwritten = (errno: number) => {
      if (errno < 0) socket.destroy(require("internal/core/errors").errnoException(errno, "write"));
      else onFinish(message);
    };
  } else {
    // As a failed write of the socket: an error for who listens, and the end.
    process.nextTick(() => socket.destroy(require("internal/core/errors").errnoException(result, "write")));
  }
  return true;
}

proto.end = function (chunk, encoding, callback) {
  if (typeof chunk === "function") {
    callback = chunk;
    chunk = null;
    encoding = null;
  } else if (typeof encoding === "function") {
    callback = encoding;
    encoding = null;
  }
  if (chunk) {
    if (this.finished) {
      writeAfterEnd(this, new codes.ERR_STREAM_WRITE_AFTER_END(), typeof callback !== "function" ? nop : callback);
      return this;
    }
    if (
      !this._header &&
      this[kCorked] === 0 &&
      !this.destroyed &&
      !this.strictContentLength &&
      this.outputData.length === 0 &&
      this[kRejectNonStandardBodyWrites] === false &&
      (typeof chunk === "string" || chunk instanceof Uint8Array)
    ) {
      // The usual end of a small response.
      this._contentLength ??= byteLength(chunk, encoding);
      this._implicitHeader();
      if (!this.chunkedEncoding && !this._headerSent) {
        if (typeof callback === "function") this.once("finish", callback);
        const body = this._hasBody ? chunk : undefined;
        if (!this._trailer && sendAtOnce(this, body, encoding)) {
          this.finished = true;
          this._finish();
          return this;
        }
        if (typeof callback === "function") {
          this.removeListener("finish", callback);
        }
      }
    }
    if (this[kSocket]) this[kSocket].cork();
    write_(this, chunk, encoding, null, true);
  } else if (this.finished) {
    if (typeof callback === "function") {
      if (!this.writableFinished) this.on("finish", callback);
      else callback(new codes.ERR_STREAM_ALREADY_FINISHED("end"));
    }
    return this;
  } else if (!this._header) {
    if (this[kSocket]) this[kSocket].cork();
    this._contentLength = 0;
    this._implicitHeader();
  } else if (this[kSocket]) {
    this[kSocket].cork();
  }
  if (typeof callback === "function") this.once("finish", callback);
  if (strictContentLength(this) && this[kBytesWritten] !== this._contentLength) {
    throw new codes.ERR_HTTP_CONTENT_LENGTH_MISMATCH(this[kBytesWritten], this._contentLength);
  }
  const finish = onFinish.bind(undefined, this);
  if (this._hasBody && this.chunkedEncoding) {
    // Corked chunks come first.
    while (this[kCorked]) this.uncork();
    this._send(`0\r\n${this._trailer}\r\n`, "latin1", finish);
  } else if (!this._headerSent || this.writableLength || chunk) {
    this._send("", "latin1", finish);
  } else {
    process.nextTick(finish);
  }
  if (this[kSocket]) {
    // Everything that was corked here and by write().
    this[kSocket]._writableState.corked = 1;
    this[kSocket].uncork();
  }
  this[kCorked] = 1;
  this.uncork();
  this.finished = true;
  if (this.outputData.length === 0 && this[kSocket]?._httpMessage === this) this._finish();
  return this;
};

proto._finish = function () {
  this.emit("prefinish");
};

/** Sends what was written before there was a connection. */
proto._flush = function () {
  const socket = this[kSocket];
  if (!socket?.writable) return;
  const result = this._flushOutput(socket);
  if (this.finished) this._finish();
  else if (result && this[kNeedDrain]) {
    this[kNeedDrain] = false;
    this.emit("drain");
  }
};

proto._flushOutput = function (socket) {
  const { outputData } = this;
  if (outputData.length === 0) return undefined;
  this.outputData = [];
  const size = this.outputSize;
  this.outputSize = 0;
  this._onPendingData(-size);
  let result: boolean | undefined;
  socket.cork();
  for (const { data, encoding, callback } of outputData) {
    result = socket.write(data, encoding, callback);
  }
  socket.uncork();
  return result;
};

proto.flushHeaders = function () {
  if (!this._header) this._implicitHeader();
  this._send("");
};

proto.pipe = function () {
  this.emit("error", new codes.ERR_STREAM_CANNOT_PIPE());
};

(proto as unknown as { [name: symbol]: unknown })[Symbol.for("nodejs.rejection")] = function (
  this: OutgoingMessage,
  error: NodeError,
) {
  this.destroy(error);
};

proto[Symbol.asyncDispose] = async function () {
  this.destroy();
};
