/** The class `WebSocket` of the package `ws` (https://github.com/websockets/ws/blob/master/doc/ws.md), for both ends. */

import EventEmitter from "node:events";
import { readFrames } from "internal/fetch/websocket/frames";
import { StreamHandle } from "internal/net/native";
import { abort, connect, type ClientOptions } from "internal/ws/connect";
import { DEFLATE, type Extensions } from "internal/ws/deflate";
import { errors, statusOf } from "internal/ws/errors";
import { addEventListener, defineAttribute, removeEventListener } from "internal/ws/events";
import { type Message, type MessageOptions, Messages, type Sink } from "internal/ws/messages";
import { Receiver } from "internal/ws/receiver";
import { bytesOf, isBlob, Sender, type SendOptions } from "internal/ws/sender";
import type { Connection, Limits, Outgoing, Sent } from "internal/ws/types";
import type { FrameData } from "internal/fetch/types";

const net = native("net");
const STATES = ["CONNECTING", "OPEN", "CLOSING", "CLOSED"];
const CONNECTING = 0,
  OPEN = 1,
  CLOSING = 2,
  CLOSED = 3;
const BINARY_TYPES = ["nodebuffer", "arraybuffer", "fragments", "blob"];
const EMPTY = Buffer.alloc(0);

/** Which WebSocket a connection belongs to. */
export const owner = Symbol("websocket");
type Owned = Connection & { [owner]?: WebSocket };

/** What reads the frames of a socket. */
interface Reader {
  /** Nothing more comes out of it. */
  readonly over: boolean;
  _binaryType: string;
  pause(): void;
  resume(): void;
  /** The connection has ended. */
  finish(done: () => void): void;
}

/** Frames that native code takes apart: the handle of the socket gets them one by one. */
class NativeReader implements Reader, Sink {
  #socket: WebSocket;
  #handle: StreamHandle;
  #messages: Messages;

  constructor(socket: WebSocket, handle: StreamHandle, options: MessageOptions) {
    this.#socket = socket;
    this.#handle = handle;
    this.#messages = new Messages(this, options);
    (handle as StreamHandle & { frame?: unknown }).frame = (first: number, data: FrameData, head: number) =>
      this.#frame(first, data, head);
    readFrames(
      handle.id,
      socket._isServer,
      this.#messages.limit === Infinity ? Number.MAX_SAFE_INTEGER : this.#messages.limit,
    );
  }

  #frame(first: number, data: FrameData, head: number): void {
    if (first >= 1000) this.#messages.fail(refused(data as string, head, this.#socket._isServer));
    else if (typeof data === "string") this.#messages.text(data);
    else if (data === undefined) this.#messages.fail(errors.text());
    else this.#messages.frame(first, Buffer.from(data as ArrayBuffer));
  }

  get over(): boolean {
    return this.#messages.stopped && !this.#messages.busy;
  }
  get _binaryType(): string {
    return this.#messages.binaryType;
  }
  set _binaryType(type: string) {
    this.#messages.binaryType = type;
  }
  pause(): void {
    this.#socket._socket!.pause();
    this.#handle.readStop();
  }
  resume(): void {
    this.#socket._socket!.resume();
    if (this.#handle.id >= 0) this.#handle.readStart();
  }
  feed(bytes: Uint8Array): void {
    if (bytes.length > 0 && this.#handle.id >= 0) net.wsFeed(this.#handle.id, bytes);
  }
  finish(done: () => void): void {
    if (!this.#messages.busy) return done();
    setImmediate(() => this.finish(done));
  }

  message(data: Message, isBinary: boolean): void {
    this.#socket.emit("message", data, isBinary);
  }
  ping(data: Buffer): void {
    this.#socket._pinged(data);
  }
  pong(data: Buffer): void {
    this.#socket.emit("pong", data);
  }
  conclude(code: number, reason: Buffer): void {
    this.#socket._concluded(code, reason);
  }
  failed(error: Error): void {
    // As an error of a stream: not within the event of the bytes.
    process.nextTick(() => this.#socket._failed(error));
  }
}

/** The error for what native code does not take (ext/net/native/http/wire.rs); `head`: the two bytes the frame begins with. */
function refused(reason: string, head: number, isServer: boolean): Error {
  if (reason.includes("RSV")) return errors.reservedBits();
  if (reason.includes("masked")) return isServer ? errors.unmasked() : errors.masked();
  if (reason.includes("fragmented")) return errors.fragmented();
  if (reason.includes("control")) return errors.controlLength(head & 127);
  return reason.includes("opcode") ? errors.opcode((head >> 8) & 15) : errors.tooLarge();
}

/** Frames out of a stream that is no socket of the system, or read in a way that native code does not know. */
class StreamReader implements Reader {
  #stream: Connection;
  #receiver: Receiver;

  constructor(socket: WebSocket, stream: Connection, receiver: Receiver) {
    this.#stream = stream;
    this.#receiver = receiver;
    receiver.on("message", (data, isBinary) => void socket.emit("message", data, isBinary));
    receiver.on("ping", (data) => socket._pinged(data));
    receiver.on("pong", (data) => void socket.emit("pong", data));
    receiver.on("conclude", (code, reason) => socket._concluded(code, reason));
    receiver.on("error", (error) => socket._failed(error));
    receiver.on("drain", () => {
      if (!socket.isPaused) stream.resume();
    });
    stream.on("data", this.#onData);
  }

  #onData = (chunk: Buffer): void => {
    if (this.#receiver.destroyed || this.#receiver.writableEnded) return;
    if (!this.#receiver.write(chunk)) this.#stream.pause();
  };

  get over(): boolean {
    return this.#receiver.errored !== null || this.#receiver.writableEnded;
  }
  get _binaryType(): string {
    return this.#receiver._binaryType;
  }
  set _binaryType(type: string) {
    this.#receiver._binaryType = type;
  }
  pause(): void {
    this.#stream.pause();
  }
  resume(): void {
    if (!this.#receiver.writableNeedDrain) this.#stream.resume();
  }
  finish(done: () => void): void {
    const receiver = this.#receiver;
    const rest = receiver.writableEnded || receiver.errored !== null ? null : (this.#stream.read() as Buffer | null);
    if (rest !== null) receiver.write(rest);
    if (!receiver.writableEnded) receiver.end();
    if (receiver.writableFinished || receiver.errored !== null) return done();
    receiver.once("error", done);
    receiver.once("finish", done);
  }
}

/** How a server makes a WebSocket: without an address, with what it was itself given. */
interface ServerSide {
  autoPong?: boolean;
  closeTimeout?: number;
}

export class WebSocket extends EventEmitter {
  declare static readonly CONNECTING: 0;
  declare static readonly OPEN: 1;
  declare static readonly CLOSING: 2;
  declare static readonly CLOSED: 3;

  // Underscored names are the package's own, which other packages use.
  _binaryType = "nodebuffer";
  _closeCode = 1006;
  _closeFrameReceived = false;
  _closeFrameSent = false;
  _closeMessage: Buffer = EMPTY;
  _errorEmitted = false;
  _extensions: Extensions = {};
  _isServer = false;
  _protocol = "";
  _readyState = CONNECTING;
  _sender: Sender | null = null;
  _socket: Owned | null = null;
  _url: string | undefined = undefined;
  _req: Outgoing | null = null;
  _redirects = 0;
  _autoPong: boolean;
  _closeTimeout: number;
  _receiver: Reader | null = null;
  _closeTimer: ReturnType<typeof setTimeout> | null = null;
  #paused = false;
  /** Of messages for a connection that never came to be. */
  #lost = 0;

  constructor(
    address: string | URL | null,
    protocols?: string | string[] | ClientOptions,
    options?: ClientOptions | ServerSide,
  ) {
    super();
    let names: string[] = [];
    if (Array.isArray(protocols)) names = protocols;
    else if (typeof protocols === "object" && protocols !== null) options = protocols;
    else if (protocols !== undefined) names = [protocols];
    this._autoPong = options?.autoPong ?? true;
    this._closeTimeout = options?.closeTimeout ?? 30000;
    if (address === null) {
      this._isServer = true;
      return;
    }
    connect(this, address, names, (options ?? {}) as ClientOptions);
  }

  // ---- properties

  get binaryType(): string {
    return this._binaryType;
  }
  set binaryType(type: string) {
    if (!BINARY_TYPES.includes(type)) return;
    this._binaryType = type;
    if (this._receiver !== null) this._receiver._binaryType = type;
  }
  /** Bytes that the system has not taken, frames and all. */
  get bufferedAmount(): number {
    if (this._socket === null) return this.#lost;
    return this._sender!.waiting + this._socket.writableLength;
  }
  get extensions(): string {
    return Object.keys(this._extensions).join();
  }
  get isPaused(): boolean {
    return this.#paused;
  }
  get protocol(): string {
    return this._protocol;
  }
  get readyState(): number {
    return this._readyState;
  }
  get url(): string | undefined {
    return this._url;
  }

  // ---- the connection

  /** Speaks over a connection that both sides have upgraded; `head` came with the handshake. */
  setSocket(socket: Owned, head: Uint8Array, options: Limits): void {
    const all: MessageOptions = { ...options, binaryType: this._binaryType, extensions: this._extensions };
    const sender = (this._sender = new Sender(socket, this._extensions, options.generateMask));
    this._socket = socket;
    socket[owner] = this;
    sender.onerror = (error) => this.#sendingFailed(error);
    socket.setTimeout?.(0);
    socket.setNoDelay?.();
    const handle = socket._handle;
    let rest = head;
    // Native code knows no text that is no UTF-8, and nothing of bytes that a stream holds back.
    const direct =
      handle instanceof StreamHandle && handle.id >= 0 && !options.skipUTF8Validation && socket.writableLength === 0;
    if (direct) {
      const early = socket.readableLength > 0 ? (socket.read() as Uint8Array | null) : null;
      if (early !== null) rest = Buffer.concat([head, early]);
      sender.goNative(handle);
      this._receiver = new NativeReader(this, handle, all);
      socket.on("end", this.#onEnd);
      // Reading goes on, so that the end of the stream is seen.
      socket.resume();
    } else {
      if (head.length > 0) socket.unshift(head);
      this._receiver = new StreamReader(this, socket, new Receiver({ ...all, isServer: this._isServer }));
      socket.on("end", this.#onEnd);
    }
    socket.on("close", this.#onClose);
    socket.on("error", this.#onError);
    this._readyState = OPEN;
    this.emit("open");
    if (direct && rest.length > 0) {
      // Listeners may be added within the turn, as those of a stream may.
      process.nextTick(() => (this._receiver as NativeReader).feed(rest));
    }
  }

  #onEnd = (): void => {
    this._readyState = CLOSING;
    this._socket!.end();
  };

  #onError = (): void => {
    // What a socket fails with is told by the code of the "close" event only.
    const socket = this._socket!;
    socket.removeListener("error", this.#onError);
    socket.on("error", () => {});
    if (socket[owner] === undefined) return;
    this._readyState = CLOSING;
    socket.destroy();
  };

  #onClose = (): void => {
    const socket = this._socket!;
    socket.removeListener("close", this.#onClose);
    socket.removeListener("end", this.#onEnd);
    this._readyState = CLOSING;
    socket[owner] = undefined;
    if (this._closeTimer !== null) clearTimeout(this._closeTimer);
    this._receiver!.finish(() => this.emitClose());
  };

  emitClose(): void {
    if (this._readyState === CLOSED) return;
    this._extensions[DEFLATE]?.cleanup();
    this._readyState = CLOSED;
    this.emit("close", this._closeCode, this._closeMessage);
  }

  // ---- what the peer says

  _pinged(data: Buffer): void {
    if (this._autoPong) this.pong(data, !this._isServer, () => {});
    this.emit("ping", data);
  }

  _concluded(code: number, reason: Buffer): void {
    this._closeFrameReceived = true;
    this._closeMessage = reason;
    this._closeCode = code;
    if (this._socket![owner] === undefined) return;
    process.nextTick(() => this._socket!.resume());
    if (code === 1005) this.close();
    else this.close(code, reason);
  }

  _failed(error: Error): void {
    if (this._socket![owner] !== undefined) {
      process.nextTick(() => this._socket!.resume());
      this.close(statusOf(error));
    }
    this._raise(error);
  }

  /** Emits the one error that a WebSocket has. */
  _raise(error: Error): void {
    if (this._errorEmitted) return;
    this._errorEmitted = true;
    this.emit("error", error);
  }

  #sendingFailed(error: Error): void {
    if (this._readyState === CLOSED) return;
    if (this._readyState === OPEN) {
      this._readyState = CLOSING;
      this.#setCloseTimer();
    }
    // What waits still goes out.
    this._socket!.end();
    this._raise(error);
  }

  // ---- what the program says

  /** Begins to close: a close frame is sent, the peer's is waited for, then the connection is closed. */
  close(code?: number, reason?: string | Uint8Array): void {
    if (this._readyState === CLOSED) return;
    if (this._readyState === CONNECTING) {
      abort(this, this._req, "WebSocket was closed before the connection was established");
      return;
    }
    const hangUp = (): void => {
      if (this._closeFrameSent && (this._closeFrameReceived || this._receiver!.over)) this._socket!.end();
    };
    if (this._readyState === CLOSING) return hangUp();
    this._readyState = CLOSING;
    this._sender!.close(code, reason, !this._isServer, (error) => {
      if (error) return;
      this._closeFrameSent = true;
      hangUp();
    });
    this.#setCloseTimer();
  }

  #setCloseTimer(): void {
    this._closeTimer = setTimeout(() => this._socket!.destroy(), this._closeTimeout);
  }

  /** Hangs up. */
  terminate(): void {
    if (this._readyState === CLOSED) return;
    if (this._readyState === CONNECTING) {
      abort(this, this._req, "WebSocket was closed before the connection was established");
      return;
    }
    if (this._socket === null) return;
    this._readyState = CLOSING;
    this._socket.destroy();
  }

  /** Takes nothing more from the network until `resume`. */
  pause(): void {
    if (this._readyState === CONNECTING || this._readyState === CLOSED) return;
    this.#paused = true;
    this._receiver!.pause();
  }

  resume(): void {
    if (this._readyState === CONNECTING || this._readyState === CLOSED) return;
    this.#paused = false;
    this._receiver!.resume();
  }

  /** Sends a message: text for a string, else binary (`options.binary` says otherwise). */
  send(data: unknown, options?: SendOptions | Sent, sent?: Sent): void {
    if (this._readyState === CONNECTING) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
    if (typeof options === "function") {
      sent = options;
      options = undefined;
    }
    if (typeof data === "number") data = String(data);
    if (this._readyState !== OPEN) return this.#refuse(data, sent);
    const all: SendOptions = {
      binary: typeof data !== "string",
      mask: !this._isServer,
      compress: true,
      fin: true,
      ...options,
    };
    if (this._extensions[DEFLATE] === undefined) all.compress = false;
    this._sender!.send(data || EMPTY, all, sent);
  }

  ping(data?: unknown, mask?: boolean | Sent, sent?: Sent): void {
    this.#control("ping", data, mask, sent);
  }

  pong(data?: unknown, mask?: boolean | Sent, sent?: Sent): void {
    this.#control("pong", data, mask, sent);
  }

  #control(kind: "ping" | "pong", data: unknown, mask: boolean | Sent | undefined, sent: Sent | undefined): void {
    if (this._readyState === CONNECTING) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
    if (typeof data === "function") {
      sent = data as Sent;
      data = mask = undefined;
    } else if (typeof mask === "function") {
      sent = mask;
      mask = undefined;
    }
    if (typeof data === "number") data = String(data);
    if (this._readyState !== OPEN) return this.#refuse(data, sent);
    this._sender![kind](data || EMPTY, mask === undefined ? !this._isServer : Boolean(mask), sent);
  }

  /** It is too late to send. */
  #refuse(data: unknown, sent: Sent | undefined): void {
    if (data) {
      const size = isBlob(data) ? data.size : bytesOf(data).length;
      if (this._sender !== null) this._sender._bufferedBytes += size;
      else this.#lost += size;
    }
    if (sent === undefined) return;
    const state = this._readyState;
    process.nextTick(sent, new Error(`WebSocket is not open: readyState ${state} (${STATES[state]})`));
  }
}

export interface WebSocket {
  addEventListener: typeof addEventListener;
  removeEventListener: typeof removeEventListener;
}

STATES.forEach((name, value) => {
  Object.defineProperty(WebSocket, name, { enumerable: true, value });
  Object.defineProperty(WebSocket.prototype, name, { enumerable: true, value });
});
for (const name of ["binaryType", "bufferedAmount", "extensions", "isPaused", "protocol", "readyState", "url"])
  Object.defineProperty(WebSocket.prototype, name, { enumerable: true });
for (const type of ["open", "error", "close", "message"]) defineAttribute(WebSocket.prototype, type);
WebSocket.prototype.addEventListener = addEventListener;
WebSocket.prototype.removeEventListener = removeEventListener;
