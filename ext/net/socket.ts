// net.Socket (https://nodejs.org/api/net.html#class-netsocket).

import stream from "node:stream";
import { FastBuffer } from "internal/buffer/base";
import { codes, errnoException, genericNodeError } from "internal/core/errors";
import { Pipe, StreamHandle, TCP, UV_EBADF, UV_ENOTCONN, UV_EOF } from "internal/net/native";
import { getTimerDuration, clearTimer, kTimeout, setUnrefTimeout } from "internal/core/timers";
import { validateFunction, validateInt32, validateNumber } from "internal/core/validators";
import { ENCODING_LATIN1, ENCODING_UTF8, WRITTEN_ALL, WRITTEN_LATER } from "internal/net/native_constants";
import type { Timeout } from "internal/core/timers";
import type {
  Address,
  Chunk,
  Done,
  Duplex as DuplexStream,
  ListenOptions,
  OnRead,
  PendingChunk,
  Socket as NetSocket,
  SocketOptions,
  StreamConstructor,
  TLSOptions,
} from "internal/net/types";

const { Duplex } = stream as { Duplex: StreamConstructor<DuplexStream> };
const UV_ECANCELED = -125;

const kBytesRead = Symbol("kBytesRead");
export const kBytesWritten = Symbol("kBytesWritten");
const kLastWriteQueueSize = Symbol("lastWriteQueueSize");
export const kSetNoDelay = Symbol("kSetNoDelay");
export const kSetKeepAlive = Symbol("kSetKeepAlive");
export const kSetKeepAliveInitialDelay = Symbol("kSetKeepAliveInitialDelay");
const kSetTOS = Symbol("kSetTOS");
const kBuffer = Symbol("kBuffer");
const kBufferCb = Symbol("kBufferCb");
const kHeld = Symbol("kHeld");

/** A socket with what only this module and its neighbours look at. */
export interface SocketState extends NetSocket {
  [kBytesRead]: number;
  [kBytesWritten]: number;
  [kLastWriteQueueSize]: number;
  [kSetNoDelay]: boolean;
  [kSetKeepAlive]: boolean;
  /** Seconds. */
  [kSetKeepAliveInitialDelay]: number;
  [kSetTOS]: number | undefined;
  [kTimeout]: Timeout | null;
  /** The buffer of `onread`; true where there is a new one each time. */
  [kBuffer]: Uint8Array | true | null;
  [kBufferCb]: OnRead["callback"] | null;
  /** What a pause keeps back of a buffer. */
  [kHeld]?: Uint8Array | undefined;
}

let channels:
  | (Record<"client" | "server", { publish(message: unknown): void }> & {
      listen: Record<"asyncStart" | "asyncEnd" | "error", { publish(message: unknown): void }>;
    })
  | undefined;
/** The diagnostics channels of this module. */
export function netChannels() {
  if (channels === undefined) {
    const dc = require("node:diagnostics_channel");
    channels = {
      client: dc.channel("net.client.socket"),
      server: dc.channel("net.server.socket"),
      listen: dc.tracingChannel("net.server.listen"),
    };
  }
  return channels;
}

function noop(): void {}

function handleFromFd(fd: number) {
  const id = native("net").openStream(fd);
  if (id < 0) throw errnoException(id, "open");
  const kind = native("process").guessHandleType(fd);
  return kind === "TCP" ? new TCP(id) : new Pipe(id);
}

/** `new Socket([options])`; callable without `new`. */
export function Socket(this: SocketState, options?: SocketOptions): NetSocket | void {
  if (!(this instanceof Socket)) return new (Socket as StreamConstructor<NetSocket>)(options);
  if (options?.objectMode) {
    throw new codes.ERR_INVALID_ARG_VALUE("options.objectMode", options.objectMode, "is not supported");
  } else if (options?.readableObjectMode || options?.writableObjectMode) {
    const name = `options.${options.readableObjectMode ? "readableObjectMode" : "writableObjectMode"}`;
    throw new codes.ERR_INVALID_ARG_VALUE(
      name,
      options.readableObjectMode || options.writableObjectMode,
      "is not supported",
    );
  }
  if (options?.keepAliveInitialDelay !== undefined) {
    validateNumber(options.keepAliveInitialDelay, "options.keepAliveInitialDelay");
    if (options.keepAliveInitialDelay < 0) options.keepAliveInitialDelay = 0;
  }
  if (options?.typeOfService !== undefined) validateInt32(options.typeOfService, "options.typeOfService", 0, 255);

  this.connecting = false;
  this._hadError = false;
  this._handle = null;
  this._parent = null;
  this._host = null;
  this[kLastWriteQueueSize] = 0;
  this[kTimeout] = null;
  this[kBuffer] = null;
  this[kBufferCb] = null;
  this._closeAfterHandlingError = false;
  this._pendingData = null;
  this._pendingEncoding = "";
  this._sockname = undefined;
  this._peername = undefined;
  this.server = null;
  this._server = null;

  const own: SocketOptions = typeof options === "number" ? { fd: options } : { ...options };
  own.allowHalfOpen = Boolean(own.allowHalfOpen);
  // The event is emitted when the handle is closed.
  own.emitClose = false;
  own.autoDestroy = true;
  // Strings go to the handle as they are.
  own.decodeStrings = false;
  Duplex.call(this, own);

  if (own.handle) {
    this._handle = own.handle;
  } else if (own.fd !== undefined) {
    const { fd } = own;
    validateInt32(fd, "fd", 0);
    this._handle = handleFromFd(fd);
    if ((fd === 1 || fd === 2) && this._handle instanceof Pipe) this._handle.setBlocking();
  }
  const { onread } = own;
  if (
    onread !== null &&
    typeof onread === "object" &&
    typeof onread.callback === "function" &&
    (onread.buffer instanceof Uint8Array || typeof onread.buffer === "function")
  ) {
    if (typeof onread.buffer === "function") {
      this[kBuffer] = true;
      this._bufferGen = onread.buffer;
    } else {
      this[kBuffer] = onread.buffer;
    }
    this[kBufferCb] = onread.callback;
  }
  this[kSetNoDelay] = Boolean(own.noDelay);
  this[kSetKeepAlive] = Boolean(own.keepAlive);
  this[kSetKeepAliveInitialDelay] = ~~(own.keepAliveInitialDelay! / 1000);
  this[kSetTOS] = own.typeOfService;

  this.on("end", onReadableStreamEnd);
  if (this._handle) initSocketHandle(this);
  this[kBytesRead] = 0;
  this[kBytesWritten] = 0;
  if (own.blockList) {
    const { BlockList } = require("internal/net/blocklist");
    if (!BlockList.isBlockList(own.blockList)) {
      throw new codes.ERR_INVALID_ARG_TYPE("options.blockList", "net.BlockList", own.blockList);
    }
    this.blockList = own.blockList;
  }

  // Reading starts at once where there is something to read from; it stops when nobody listens for data.
  if (this._handle && own.readable !== false && !own.manualStart) {
    if (own.pauseOnCreate) {
      this._handle.reading = false;
      this._handle.readStop();
      this.readableFlowing = false;
    } else {
      this.read(0);
    }
  }
}
Object.setPrototypeOf(Socket.prototype, Duplex.prototype);
Object.setPrototypeOf(Socket, Duplex);

const proto: SocketState = Socket.prototype;

/** Ties a handle to its socket. */
export function initSocketHandle(socket: NetSocket): void {
  socket._sockname = null;
  const handle = socket._handle;
  if (!handle) return;
  handle.owner = socket;
  if (handle instanceof StreamHandle || "onread" in handle) handle.onread = onStreamRead;
}

// Called with the handle as `this`.
function onStreamRead(this: StreamHandle, bytes: ArrayBuffer | undefined, errno: number): void {
  const socket = this.owner as SocketState;
  if (socket[kTimeout] !== null) socket[kTimeout].refresh();
  if (bytes !== undefined) {
    let go: boolean;
    const callback = socket[kBufferCb];
    const buffer = new FastBuffer(bytes);
    if (callback !== null) go = passToCallback(socket, callback, buffer);
    else go = socket.push(buffer);
    if (!go && this.reading) {
      this.reading = false;
      if (!socket.destroyed) this.readStop();
    }
    return;
  }
  if (errno !== UV_EOF) {
    socket.destroy(errnoException(errno, "read"));
    return;
  }
  if (socket._readableState.endEmitted) {
    maybeDestroy.call(socket);
    return;
  }
  socket.on("end", maybeDestroy);
  // Nothing may come after this.
  socket.push(null);
  socket.read(0);
}

function passToCallback(socket: SocketState, callback: OnRead["callback"], bytes: Uint8Array): boolean {
  let from = 0;
  let go = true;
  while (from < bytes.length) {
    const target = socket[kBuffer] === true ? socket._bufferGen!() : socket[kBuffer]!;
    const n = Math.min(target.length, bytes.length - from);
    target.set(bytes.subarray(from, from + n), 0);
    from += n;
    go = callback.call(socket, n, target) !== false;
    if ((!go || socket._handle?.reading === false) && from < bytes.length) {
      // Paused: the rest waits here, as it would in the kernel.
      socket[kHeld] = bytes.subarray(from);
      break;
    }
  }
  return go;
}

// Hands over what a pause kept back; false where that led to another pause.
function releaseHeld(socket: SocketState): boolean {
  const held = socket[kHeld];
  if (held === undefined) return true;
  socket[kHeld] = undefined;
  const go = passToCallback(socket, socket[kBufferCb]!, held);
  if (!go && socket._handle) socket._handle.reading = false;
  return go && socket[kHeld] === undefined;
}

function maybeDestroy(this: SocketState): void {
  if (!this.connecting && this.writable === false && !this.writableLength) this.destroy();
}

function onReadableStreamEnd(this: SocketState): void {
  if (!this.allowHalfOpen) this.write = writeAfterFIN;
}

function writeAfterFIN(this: SocketState, chunk: unknown, encoding?: unknown, cb?: unknown): boolean {
  if (!this.writableEnded) return Duplex.prototype.write.call(this, chunk, encoding, cb);
  if (typeof encoding === "function") cb = encoding;
  const error = genericNodeError("This socket has been ended by the other party", { code: "EPIPE" });
  if (typeof cb === "function") process.nextTick(cb, error);
  this.destroy(error);
  return false;
}

proto._onTimeout = function () {
  const handle = this._handle;
  const lastSize = this[kLastWriteQueueSize];
  if (lastSize > 0 && handle) {
    // A large write that makes progress is no idleness.
    const { writeQueueSize } = handle;
    if (lastSize !== writeQueueSize) {
      this[kLastWriteQueueSize] = writeQueueSize;
      this._unrefTimer();
      return;
    }
  }
  this.emit("timeout");
};

proto._unrefTimer = function () {
  for (let s: SocketState | null = this; s !== null && s !== undefined; s = s._parent as SocketState | null) {
    if (s[kTimeout]) s[kTimeout].refresh();
  }
};

proto.setTimeout = function (msecs, callback) {
  if (this.destroyed) return this;
  this.timeout = msecs;
  msecs = getTimerDuration(msecs, "msecs");
  if (this[kTimeout]) clearTimer(this[kTimeout]);
  this[kTimeout] = null;
  if (msecs === 0) {
    if (callback !== undefined) {
      validateFunction(callback, "callback");
      this.removeListener("timeout", callback);
    }
  } else {
    this[kTimeout] = setUnrefTimeout(this._onTimeout.bind(this), msecs);
    if (callback !== undefined) {
      validateFunction(callback, "callback");
      this.once("timeout", callback);
    }
  }
  return this;
};

proto.setNoDelay = function (enable) {
  enable = Boolean(enable === undefined ? true : enable);
  if (!this._handle) {
    this[kSetNoDelay] = enable;
    return this;
  }
  if (this._handle.setNoDelay && enable !== this[kSetNoDelay]) {
    this[kSetNoDelay] = enable;
    this._handle.setNoDelay(enable);
  }
  return this;
};

proto.setKeepAlive = function (enable, initialDelayMsecs) {
  enable = Boolean(enable);
  const initialDelay = ~~(initialDelayMsecs! / 1000);
  if (!this._handle) {
    this[kSetKeepAlive] = enable;
    this[kSetKeepAliveInitialDelay] = initialDelay;
    return this;
  }
  if (!this._handle.setKeepAlive) return this;
  if (enable !== this[kSetKeepAlive] || (enable && this[kSetKeepAliveInitialDelay] !== initialDelay)) {
    this[kSetKeepAlive] = enable;
    this[kSetKeepAliveInitialDelay] = initialDelay;
    this._handle.setKeepAlive(enable, initialDelay);
  }
  return this;
};

proto.setTypeOfService = function (tos) {
  if (Number.isNaN(tos)) throw new codes.ERR_INVALID_ARG_TYPE("tos", "number", tos);
  validateInt32(tos, "tos", 0, 255);
  if (!this._handle) {
    this[kSetTOS] = tos;
    return this;
  }
  if (!this._handle.setTypeOfService) {
    this[kSetTOS] = tos;
    return this;
  }
  if (tos !== this[kSetTOS]) {
    this[kSetTOS] = tos;
    const errno = this._handle.setTypeOfService(tos);
    if (errno) throw errnoException(errno, "setTypeOfService");
  }
  return this;
};

proto.getTypeOfService = function () {
  if (!this._handle || !this._handle.getTypeOfService) return this[kSetTOS] ?? 0;
  const result = this._handle.getTypeOfService();
  if (result < 0) throw errnoException(result, "getTypeOfService");
  return result;
};

proto.address = function () {
  return this._getsockname();
};

const accessors: Record<string, (this: SocketState) => unknown> = {
  _connecting() {
    return this.connecting;
  },
  pending() {
    return !this._handle || this.connecting;
  },
  readyState() {
    if (this.connecting) return "opening";
    if (this.readable && this.writable) return "open";
    if (this.readable && !this.writable) return "readOnly";
    return !this.readable && this.writable ? "writeOnly" : "closed";
  },
  bufferSize() {
    return this._handle ? this.writableLength : undefined;
  },
  bytesRead() {
    return this._handle ? this._handle.bytesRead : this[kBytesRead];
  },
  remoteAddress() {
    return this._getpeername().address;
  },
  remoteFamily() {
    return this._getpeername().family;
  },
  remotePort() {
    return this._getpeername().port;
  },
  localAddress() {
    return this._getsockname().address;
  },
  localPort() {
    return this._getsockname().port;
  },
  localFamily() {
    return this._getsockname().family;
  },
  _bytesDispatched() {
    return this._handle ? this._handle.bytesWritten : this[kBytesWritten];
  },
  bytesWritten() {
    let bytes = this._bytesDispatched;
    const state = this._writableState;
    if (!state) return undefined;
    for (const { chunk, encoding } of this._writableState.getBuffer()) bytes += sizeOf(chunk as Chunk, encoding);
    const { _pendingData: data, _pendingEncoding: encoding } = this;
    if (Array.isArray(data)) {
      for (const part of data)
        bytes +=
          typeof part === "object" && part.chunk !== undefined
            ? sizeOf(part.chunk, part.encoding)
            : sizeOf(part as never, "");
    } else if (data) {
      bytes += sizeOf(data, encoding);
    }
    return bytes;
  },
};
for (const name of Object.keys(accessors)) {
  Object.defineProperty(proto, name, { get: accessors[name], configurable: true, enumerable: true });
}

function sizeOf(chunk: Chunk, encoding: string): number {
  if (typeof chunk !== "string") return chunk.byteLength;
  const { Buffer } = require("node:buffer");
  return Buffer.byteLength(chunk, encoding);
}

proto._getpeername = function () {
  if (!this._handle || !this._handle.getpeername || this.connecting) return this._peername || {};
  if (!this._peername) {
    const out: Address = {};
    if (this._handle.getpeername(out) !== 0) return {};
    // Of a unix socket there is nothing to tell.
    this._peername = out.family === "unix" ? {} : out;
  }
  return this._peername;
};

proto._getsockname = function () {
  if (!this._handle || !this._handle.getsockname) return {};
  if (!this._sockname) {
    const out: Address = {};
    if (this._handle.getsockname(out) !== 0) return {};
    this._sockname = out.family === "unix" ? {} : { address: out.address, family: out.family, port: out.port };
  }
  return this._sockname;
};

// ---------------------------------------------------------------------------------------------------------------------
// Reading and writing

function tryReadStart(socket: SocketState): void {
  socket._handle!.reading = true;
  if (socket[kHeld] !== undefined && (!releaseHeld(socket) || !socket._handle?.reading)) return;
  const errno = socket._handle!.readStart();
  if (errno) socket.destroy(errnoException(errno, "read"));
}

proto._read = function (n) {
  if (this.connecting || !this._handle) this.once("connect", () => this._read(n));
  else if (!this._handle.reading) tryReadStart(this);
};

function callbackMode(socket: SocketState): boolean {
  return Boolean(socket[kBuffer] && !socket.connecting && socket._handle);
}

proto.pause = function () {
  if (callbackMode(this) && this._handle!.reading) {
    this._handle!.reading = false;
    if (!this.destroyed) this._handle!.readStop();
  }
  return Duplex.prototype.pause.call(this) as SocketState;
};

proto.resume = function () {
  if (callbackMode(this) && !this._handle!.reading) tryReadStart(this);
  return Duplex.prototype.resume.call(this) as SocketState;
};

proto.read = function (n) {
  if (callbackMode(this) && !this._handle!.reading) tryReadStart(this);
  return Duplex.prototype.read.call(this, n);
};

proto.end = function (data, encoding, callback) {
  Duplex.prototype.end.call(this, data, encoding, callback);
  return this;
};

/** Encodings that the handle takes strings in: true for Latin-1, false for UTF-8, undefined for others. */
function nativeEncoding(encoding: string): boolean | undefined {
  switch (encoding) {
    case "utf8":
    case "utf-8":
    case undefined:
    case null:
    case "":
      return false;
    case "latin1":
    case "binary":
    case "ascii":
      return true;
    default:
      return undefined;
  }
}

// write("text", "buffer"): the stream lets it pass, the handle does not.
function secondArgument(): TypeError {
  const error: NodeError = new TypeError("Second argument must be a buffer");
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

proto._writeGeneric = function (many: boolean, data: Chunk | PendingChunk[], encoding: string, cb: Done) {
  if (this.connecting) {
    // Kept until there is a connection. A Writable waits for its callback, so there is only one.
    this._pendingData = data;
    this._pendingEncoding = encoding;
    const onClose = () => cb(new codes.ERR_SOCKET_CLOSED_BEFORE_CONNECTION());
    this.once("connect", () => {
      this.off("close", onClose);
      this._writeGeneric(many, data, encoding, cb);
    });
    this.once("close", onClose);
    return;
  }
  this._pendingData = null;
  this._pendingEncoding = "";
  const handle = this._handle;
  if (!handle) {
    cb(new codes.ERR_SOCKET_CLOSED());
    return false;
  }
  if (this[kTimeout] !== null || this._parent) this._unrefTimer();
  const done = (errno: number) => afterWrite(this, errno, cb);
  let result: number;
  if (many) {
    const list: unknown[] = [];
    for (let i = 0; i < data.length; i++) {
      const { chunk } = data[i] as PendingChunk;
      if (typeof chunk !== "string") {
        list.push(chunk, 0);
        continue;
      }
      const latin1 = nativeEncoding((data[i] as PendingChunk).encoding);
      if (latin1 === undefined)
        list.push(require("node:buffer").Buffer.from(chunk, (data[i] as PendingChunk).encoding), 0);
      else list.push(chunk, latin1 ? ENCODING_LATIN1 : ENCODING_UTF8);
    }
    result = handle.writeMany(list, done);
  } else if (typeof data === "string") {
    const latin1 = nativeEncoding(encoding);
    if (encoding === "buffer" && typeof data === "string") throw secondArgument();
    if (latin1 === undefined) result = handle.write(require("node:buffer").Buffer.from(data, encoding), false, done);
    else result = handle.write(data, latin1, done);
  } else {
    result = handle.write(data, false, done);
  }
  if (result === WRITTEN_LATER) this[kLastWriteQueueSize] = handle.writeQueueSize;
  else if (result === WRITTEN_ALL) cb();
  else cb(errnoException(result, "write"));
};

function afterWrite(socket: SocketState, errno: number, cb: Done): void {
  socket[kLastWriteQueueSize] = 0;
  if (socket.destroyed) {
    cb(errno < 0 && errno !== UV_ECANCELED ? errnoException(errno, "write") : new codes.ERR_STREAM_DESTROYED("write"));
    return;
  }
  if (socket[kTimeout] !== null || socket._parent) socket._unrefTimer();
  if (errno < 0) socket.destroy(errnoException(errno, "write"), cb);
  else cb();
}

proto._writev = function (chunks, cb) {
  this._writeGeneric(true, chunks as PendingChunk[], "", cb);
};

proto._write = function (data, encoding, cb) {
  this._writeGeneric(false, data, encoding, cb);
};

proto._final = function (cb) {
  if (this.connecting) {
    this.once("connect", () => this._final(cb));
    return;
  }
  if (!this._handle) return cb();
  const result = this._handle.shutdown((errno: number) => {
    if (this.destroyed || errno === 0 || errno === UV_ENOTCONN) cb();
    else cb(errnoException(errno, "shutdown"));
  });
  if (result === 0 || result === UV_ENOTCONN || result === UV_EBADF) cb();
  else if (result < 0) cb(errnoException(result, "shutdown"));
};

// ---------------------------------------------------------------------------------------------------------------------
// The end

proto.destroySoon = function () {
  if (this.writable) this.end();
  if (this.writableFinished) this.destroy();
  else this.once("finish", this.destroy);
};

function emitCloseNT(socket: SocketState): void {
  socket.emit("close", false);
}

proto._destroy = function (error, cb) {
  this.connecting = false;
  for (let s: SocketState | null = this; s !== null && s !== undefined; s = s._parent as SocketState | null) {
    if (s[kTimeout]) {
      clearTimer(s[kTimeout]);
      s[kTimeout] = null;
    }
  }
  const handle = this._handle;
  if (handle) {
    const isException = Boolean(error);
    this[kBytesRead] = handle.bytesRead;
    this[kBytesWritten] = handle.bytesWritten;
    const closed = () => this.emit("close", isException);
    if (this.resetAndClosing) {
      this.resetAndClosing = false;
      const errno = handle.reset(closed);
      if (errno) this.emit("error", errnoException(errno, "reset"));
    } else if (this._closeAfterHandlingError) {
      // The error is emitted first; a listener may still look at the handle.
      queueMicrotask(() => handle.close(closed));
    } else {
      handle.close(closed);
    }
    handle.onread = noop;
    this._handle = null;
    this._sockname = null;
    cb(error);
  } else {
    cb(error);
    process.nextTick(emitCloseNT, this);
  }
  if (this._server) {
    this._server._connections--;
    if (this._server._emitCloseIfDrained) this._server._emitCloseIfDrained();
  }
};

proto.resetAndDestroy = function () {
  if (this._handle) {
    if (!(this._handle instanceof TCP)) throw new codes.ERR_INVALID_HANDLE_TYPE();
    if (this.connecting) {
      this.once("connect", () => this._reset());
    } else {
      this._reset();
    }
  } else {
    this.destroy(new codes.ERR_SOCKET_CLOSED());
  }
  return this;
};

proto._reset = function () {
  this.resetAndClosing = true;
  return this.destroy();
};

proto.ref = function () {
  if (!this._handle) {
    this.once("connect", this.ref);
    return this;
  }
  if (typeof this._handle.ref === "function") this._handle.ref();
  return this;
};

proto.unref = function () {
  if (!this._handle) {
    this.once("connect", this.unref);
    return this;
  }
  if (typeof this._handle.unref === "function") this._handle.unref();
  return this;
};

/** Applies the options that wait for a connection. */
export function applyOptions(socket: SocketState): void {
  const handle = socket._handle!;
  if (socket[kSetNoDelay] && handle.setNoDelay) handle.setNoDelay(true);
  if (socket[kSetKeepAlive] && handle.setKeepAlive) handle.setKeepAlive(true, socket[kSetKeepAliveInitialDelay]);
  if (socket[kSetTOS] !== undefined && handle.setTypeOfService) handle.setTypeOfService(socket[kSetTOS]);
}

/** `[options, callback]` of the argument lists of connect() and listen(). */
export function normalizeArgs(args: readonly unknown[]): NormalizedArgs {
  let result: NormalizedArgs;
  if (args.length === 0) {
    result = [{}, null];
  } else {
    const first = args[0];
    let options: NormalizedArgs[0] = {};
    if (typeof first === "object" && first !== null) {
      options = first;
    } else if (isPipeName(first)) {
      options.path = first;
    } else {
      options.port = first as number | undefined;
      if (args.length > 1 && typeof args[1] === "string") options.host = args[1];
    }
    const cb = args[args.length - 1];
    result = typeof cb === "function" ? [options, cb as Done] : [options, null];
  }
  result[kNormalized] = true;
  return result;
}
/** Options, and a listener or null. */
export type NormalizedArgs = [TLSOptions & ListenOptions, Done | null] & { [kNormalized]?: boolean };
export const kNormalized = Symbol("normalizedArgs");

function isPipeName(value: unknown): value is string {
  return typeof value === "string" && toNumber(value) === false;
}

/** A non-negative number, or false. */
export function toNumber(value: unknown): number | false {
  return ((value as number) = Number(value)) >= 0 ? (value as number) : false;
}

proto.connect = function (...args) {
  return require("internal/net/connect").connect(this, args) as SocketState;
};
