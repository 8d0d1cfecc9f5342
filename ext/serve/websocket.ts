/** WebSockets of Bun.serve: https://bun.com/docs/runtime/http/websockets */
import { type DeflateOption, DeflateSettings, deflateSettings, negotiate } from "internal/fetch/websocket/extension";
import {
  acceptFor,
  BINARY,
  CLOSE,
  closePayload,
  Deflate,
  firstByte,
  PING,
  PONG,
  readFrames,
  Receiver,
  Sink,
  TEXT,
} from "internal/fetch/websocket/frames";
import { captureContext, runInContext } from "internal/events/async_context";
import { isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";
import type { ServerConnection } from "internal/serve/connection";
import type { IncomingRequest } from "internal/serve/request";
import type { ServerImpl } from "internal/serve/server";
import { table } from "internal/net/native";
import {
  ENCODING_LATIN1,
  ENCODING_UTF8,
  PUBLISHED_DROPPED,
  PUBLISHED_WAITS,
  WRITTEN_LATER,
} from "internal/net/native_constants";
import type { FrameData } from "internal/fetch/types";

const net = native("net");
const EMPTY = new Uint8Array(0);
const OPEN = 1,
  CLOSING = 2,
  CLOSED = 3;
const binaryTypes = ["nodebuffer", "arraybuffer", "uint8array"];
/** Seconds that a peer has to answer a close frame. */
const CLOSE_TIMEOUT = 5;

/** The option `websocket`: handlers by name, and limits. */
interface Handlers {
  [name: string]: unknown;
  error?: (socket: unknown, error: unknown) => void;
  perMessageDeflate?: DeflateOption;
}

/** The option `websocket`, checked. */
export interface SocketSettings {
  handlers: Handlers;
  /** The async context in which the handlers were given. */
  context: unknown;
  maxPayload: number;
  backpressureLimit: number;
  closeOnLimit: boolean;
  idleTimeout: number;
  publishToSelf: boolean;
  sendPings: boolean;
  deflate: DeflateSettings | undefined;
}

function typeError(message: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

/** Checks the option `websocket`. */
export function socketSettings(options: Handlers): SocketSettings {
  for (const name of ["open", "message", "close", "drain", "ping", "pong", "error"]) {
    const value = options[name];
    if (value !== undefined && value !== null && typeof value !== "function")
      throw typeError(`websocket expects a function for the '${name}' option`);
  }
  if (
    typeof options.open !== "function" &&
    typeof options.message !== "function" &&
    typeof options.close !== "function" &&
    typeof options.drain !== "function"
  ) {
    throw typeError("WebSocketServerContext expects a message handler");
  }
  const { perMessageDeflate: deflate } = options;
  if (
    deflate !== undefined &&
    deflate !== null &&
    typeof deflate !== "boolean" &&
    typeof deflate !== "object" &&
    typeof deflate !== "function"
  )
    throw typeError("websocket expects perMessageDeflate to be a boolean or an object");
  const number = (name: string, fallback: number): number => {
    const value = options[name];
    if (value === undefined || value === null) return fallback;
    if (typeof value !== "number" || !(value >= 0)) throw typeError(`websocket expects ${name} to be an integer`);
    return Math.trunc(value);
  };
  const idleTimeout = number("idleTimeout", 120);
  if (idleTimeout > 960) throw typeError("websocket expects idleTimeout to be 960 or less");
  return {
    handlers: options,
    context: captureContext(),
    idleTimeout,
    maxPayload: number("maxPayloadLength", 16 << 20),
    backpressureLimit: number("backpressureLimit", 16 << 20),
    closeOnLimit: Boolean(options.closeOnBackpressureLimit),
    publishToSelf: Boolean(options.publishToSelf),
    sendPings: options.sendPings !== false,
    deflate: deflateSettings(deflate),
  };
}

/** Checks the name of a topic, with the errors of Bun's method `name`. */
function topicOf(name: string, topic: unknown): string {
  if (typeof topic !== "string") {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_ARG_TYPE("topic", "string", topic);
  }
  if (topic === "") throw new Error(`${name} requires a non-empty topic name`);
  return topic;
}

/** Checks whether a message is to be compressed. */
function flagOf(name: string, compress: unknown): boolean {
  if (compress !== undefined && typeof compress !== "boolean")
    throw new Error(`${name} expects compress to be a boolean`);
  return compress === true;
}

function isBinary(data: unknown): boolean {
  return isArrayBufferView(data) || isAnyArrayBuffer(data) || require("web/blob").isBlob(data);
}

/** What handlers get. */
class ServerWebSocket {
  #peer: Peer;
  /** What upgrade() was given. */
  data: unknown;

  constructor(peer: Peer, data: unknown) {
    this.#peer = peer;
    this.data = data;
  }

  get readyState(): number {
    return this.#peer.state;
  }
  get remoteAddress(): string {
    return this.#peer.address;
  }
  get binaryType(): string {
    return this.#peer.binaryType;
  }
  set binaryType(value: string) {
    if (!binaryTypes.includes(value))
      throw typeError(`binaryType must be either "arraybuffer" or "nodebuffer" or "uint8array"`);
    this.#peer.binaryType = value;
  }
  get subscriptions(): string[] {
    return [...(this.#peer.topics ?? [])];
  }

  /** Bytes sent, 0 where the message was dropped, -1 where it waits for the client. */
  send(data: unknown, compress: unknown = undefined): number {
    if (arguments.length === 0) throw new Error("send requires at least 1 argument");
    if (data === undefined || data === null) throw new Error("send requires a non-empty message");
    return this.#peer.send(data, flagOf("send", compress));
  }
  sendText(data: unknown, compress: unknown = undefined): number {
    if (typeof data !== "string") throw new Error("sendText expects a string");
    return this.#peer.send(data, flagOf("sendText", compress));
  }
  sendBinary(data: unknown, compress: unknown = undefined): number {
    if (!isBinary(data)) throw new Error("sendBinary expects a Blob or BufferSource");
    return this.#peer.send(data, flagOf("sendBinary", compress));
  }
  close(code: unknown = undefined, reason: unknown = undefined): void {
    this.#peer.close(code, reason);
  }
  terminate(): void {
    this.#peer.terminate();
  }
  ping(data: unknown = undefined): number {
    return this.#peer.control(PING, data);
  }
  pong(data: unknown = undefined): number {
    return this.#peer.control(PONG, data);
  }
  /** To everybody who has subscribed to the topic, except this one unless `publishToSelf`. */
  publish(topic: unknown, data: unknown, compress: unknown = undefined): number {
    if (arguments.length === 0) throw new Error("publish requires at least 1 argument");
    const name = topicOf("publish", topic);
    if (data === undefined || data === null) throw new Error("publish requires a non-empty message");
    return this.#peer.publish(name, data, flagOf("publish", compress));
  }
  publishText(topic: unknown, data: unknown, compress: unknown = undefined): number {
    if (arguments.length === 0) throw new Error("publishText requires at least 1 argument");
    const name = topicOf("publishText", topic);
    if (typeof data !== "string") throw new Error("publishText expects a string");
    return this.#peer.publish(name, data, flagOf("publishText", compress));
  }
  publishBinary(topic: unknown, data: unknown, compress: unknown = undefined): number {
    if (arguments.length === 0) throw new Error("publishBinary requires at least 1 argument");
    const name = topicOf("publishBinary", topic);
    if (!isBinary(data)) throw new Error("publishBinary expects a Blob or BufferSource");
    return this.#peer.publish(name, data, flagOf("publishBinary", compress));
  }
  subscribe(topic: unknown): boolean {
    if (arguments.length === 0) throw new Error("subscribe requires at least 1 argument");
    return this.#peer.subscribe(topicOf("subscribe", topic));
  }
  unsubscribe(topic: unknown): boolean {
    if (arguments.length === 0) throw new Error("unsubscribe requires at least 1 argument");
    return this.#peer.unsubscribe(topicOf("unsubscribe", topic));
  }
  isSubscribed(topic: unknown): boolean {
    if (arguments.length === 0) throw new Error("isSubscribed requires at least 1 argument");
    return this.#peer.topics?.has(topicOf("isSubscribed", topic)) ?? false;
  }
  /** Calls `callback(this)`; what it sends goes out together. */
  cork(callback: unknown): unknown {
    if (typeof callback !== "function") throw typeError("cork expects a function");
    return this.#peer.cork(() => callback.call(this, this));
  }
  getBufferedAmount(): number {
    return this.#peer.buffered;
  }
  pause(): void {
    this.#peer.setPaused(true);
  }
  resume(): void {
    this.#peer.setPaused(false);
  }
  isPaused(): boolean {
    return this.#peer.paused;
  }
}
Object.defineProperty(ServerWebSocket.prototype, Symbol.toStringTag, { value: "ServerWebSocket", configurable: true });

/** Text or bytes to send. */
function payloadOf(data: unknown): string | Uint8Array {
  if (typeof data === "string") return data;
  if (isArrayBufferView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (isAnyArrayBuffer(data)) return new Uint8Array(data as ArrayBuffer);
  const { isBlob, blobBytesSync } = require("web/blob");
  if (isBlob(data)) {
    const bytes = blobBytesSync(data);
    if (bytes === undefined) throw typeError("send expects a string, bytes or a Blob in memory");
    return bytes;
  }
  return `${data}`;
}

/** Those who have subscribed to a topic. */
export class Topic {
  readonly peers = new Set<Peer>();
  /** Sweep (see ServerImpl) of the last message. */
  touched = 0;
  #sockets: Uint32Array | undefined = undefined;

  /** The numbers of their sockets. */
  get sockets(): Uint32Array {
    return (this.#sockets ??= Uint32Array.from(this.peers, (peer) => peer.socket));
  }

  add(peer: Peer): void {
    this.peers.add(peer);
    this.#sockets = undefined;
  }

  delete(peer: Peer): void {
    this.peers.delete(peer);
    this.#sockets = undefined;
  }
}

/** The server's end of one WebSocket. */
class Peer implements Sink {
  state = OPEN;
  binaryType = "nodebuffer";
  topics: Set<string> | undefined = undefined;
  paused = false;
  #connection: ServerConnection;
  #server: ServerImpl;
  #settings: SocketSettings;
  #receiver: Receiver;
  #deflate: Deflate | undefined;
  #api: ServerWebSocket;
  #address: string | undefined = undefined;
  #corked = false;
  #blocked = false;
  #closeSent = false;
  #pinged = false;
  #closing: { code: number; reason: string } | undefined = undefined;

  constructor(connection: ServerConnection, settings: SocketSettings, data: unknown, deflate: Deflate | undefined) {
    this.#connection = connection;
    this.#server = connection.server;
    this.#settings = settings;
    this.#deflate = deflate;
    this.#receiver = new Receiver(this, settings.maxPayload, deflate);
    this.#api = new ServerWebSocket(this, data);
    void this.address;
  }

  get address(): string {
    if (this.#address === undefined) {
      const { 0: errno, 1: parts } = net.socketAddress(this.#connection.id, true);
      this.#address = errno === 0 ? parts![0] : "";
    }
    return this.#address!;
  }

  /** The number of its socket. */
  get socket(): number {
    return this.#connection.id;
  }

  /** What has become of a message that was published, see native wsPublish. */
  published(outcome: number): void {
    if (outcome === PUBLISHED_WAITS) this.#blocked = true;
    else if (outcome === PUBLISHED_DROPPED && this.#settings.closeOnLimit) this.terminate();
  }

  /** The sweep in which something was last published to it. */
  get addressed(): number {
    let last = 0;
    for (const topic of this.topics ?? []) last = Math.max(last, this.#server.topics.get(topic)?.touched ?? 0);
    return last;
  }

  /** Whether it compresses what it is asked to. */
  get compresses(): boolean {
    return this.#deflate !== undefined && this.#settings.deflate!.compresses;
  }

  get buffered(): number {
    return this.#connection.id < 0 ? 0 : net.queued(this.#connection.id);
  }

  #call(name: string, ...args: unknown[]): void {
    const handler = this.#settings.handlers[name] as ((...args: unknown[]) => unknown) | null | undefined;
    if (handler === undefined || handler === null) return;
    try {
      const { handlers, context } = this.#settings;
      const result = (
        context === undefined
          ? handler.call(handlers, this.#api, ...args)
          : runInContext(context, handler, handlers, [this.#api, ...args])
      ) as PromiseLike<unknown> | undefined;
      if (typeof result?.then === "function") result.then(undefined, (error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const handler = this.#settings.handlers.error;
    if (typeof handler === "function") {
      try {
        handler.call(this.#settings.handlers, this.#api, error);
        return;
      } catch (another) {
        error = another;
      }
    }
    this.#server.report(error);
  }

  opened(): void {
    this.#call("open");
  }

  // ---- from the connection

  frame(first: number, data: FrameData): void {
    this.#pinged = false;
    this.#receiver.frame(first, data);
  }

  /** The connection is gone. */
  disconnected(): void {
    if (this.state === CLOSED) return;
    this.state = CLOSED;
    this.#leave();
    this.#deflate?.close();
    this.#server.sockets--;
    const { code, reason } = this.#closing ?? { code: 1006, reason: "" };
    this.#call("close", code, reason);
  }

  /** The system has taken what was written. */
  drained(): void {
    if (!this.#blocked) return;
    this.#blocked = false;
    if (this.state === OPEN) this.#call("drain");
  }

  silent(): void {
    this.#closing ??= { code: 1006, reason: "WebSocket timed out from inactivity" };
    this.#connection.close();
  }

  /** Seconds without a sign of the client. */
  beat(seconds: number): void {
    const { patience } = this.#connection;
    if (!this.#settings.sendPings || this.#pinged || patience === 0 || seconds < patience / 2 || this.state !== OPEN)
      return;
    this.#pinged = true;
    const { touched } = this.#connection;
    this.#frame(PING, false, EMPTY);
    this.#connection.touched = touched;
  }

  // ---- frames in

  text(message: string): void {
    if (this.state === OPEN) this.#call("message", message);
  }

  binary(message: Uint8Array): void {
    if (this.state !== OPEN) return;
    let value: unknown = message;
    if (this.binaryType === "nodebuffer") value = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    else if (this.binaryType === "arraybuffer")
      value = message.buffer.byteLength === message.byteLength ? message.buffer : message.slice().buffer;
    this.#call("message", value);
  }

  ping(data: Uint8Array): void {
    if (!this.#closeSent) this.#frame(PONG, false, data);
    this.#call("ping", Buffer.from(data));
  }

  pong(data: Uint8Array): void {
    this.#call("pong", Buffer.from(data));
  }

  closing(code: number, reason: string): void {
    this.#closing ??= { code, reason };
    if (!this.#closeSent) {
      this.#closeSent = true;
      this.#frame(CLOSE, false, closePayload(code, ""));
    }
    this.#hangUp();
  }

  broken(code: number, reason: string): void {
    this.#closing ??= { code: 1006, reason };
    if (!this.#closeSent) {
      this.#closeSent = true;
      this.#frame(CLOSE, false, closePayload(code, reason));
    }
    this.#hangUp();
  }

  /** Gives up all topics. */
  #leave(): void {
    const { topics } = this;
    this.topics = undefined;
    for (const topic of topics ?? []) this.#unsubscribe(topic);
  }

  #unsubscribe(topic: string): void {
    const found = this.#server.topics.get(topic);
    found?.delete(this);
    if (found?.peers.size === 0) this.#server.topics.delete(topic);
  }

  /** Closes the connection once everything is written. */
  #hangUp(): void {
    if (this.state === CLOSED) return;
    this.state = CLOSING;
    this.#leave();
    const connection = this.#connection;
    if (net.shutdown(connection.id) === WRITTEN_LATER) {
      connection.patience = CLOSE_TIMEOUT;
      connection.drained = () => connection.close();
    } else {
      connection.close();
    }
  }

  // ---- frames out

  /** What native wsSend says: bytes of the payload, -1 where they wait, less where they cannot be sent. */
  #frame(opcode: number, compressed: boolean, payload: string | Uint8Array): number {
    const connection = this.#connection;
    if (connection.closed) return -2;
    connection.touched = this.#server.now;
    return net.wsSend(connection.id, firstByte(opcode, compressed), payload, false);
  }

  send(data: unknown, compress: unknown): number {
    if (this.state !== OPEN) return 0;
    return this.deliver(payloadOf(data), compress);
  }

  deliver(payload: string | Uint8Array, compress: unknown): number {
    if (this.#blocked) {
      const { backpressureLimit, closeOnLimit } = this.#settings;
      const size = typeof payload === "string" ? Buffer.byteLength(payload) : payload.byteLength;
      if (backpressureLimit > 0 && this.buffered + size > backpressureLimit) {
        if (closeOnLimit) this.terminate();
        return 0;
      }
    }
    const opcode = typeof payload === "string" ? TEXT : BINARY;
    let result: number;
    if (compress && this.compresses)
      result = this.#frame(
        opcode,
        true,
        this.#deflate!.compress(typeof payload === "string" ? Buffer.from(payload) : payload),
      );
    else result = this.#frame(opcode, false, payload);
    if (result === -1) this.#blocked = true;
    return result < -1 ? 0 : result;
  }

  control(opcode: number, data: unknown): number {
    if (this.state !== OPEN) return 0;
    const payload = data === undefined || data === null ? EMPTY : payloadOf(data);
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    if (bytes.byteLength > 125) throw new RangeError("The data of a control frame must not be longer than 125 bytes");
    const result = this.#frame(opcode, false, bytes);
    return result < -1 ? 0 : result;
  }

  cork(run: () => unknown): unknown {
    const { id } = this.#connection;
    if (this.#corked || id < 0) return run();
    this.#corked = true;
    net.cork(id, true);
    try {
      return run();
    } finally {
      this.#corked = false;
      if (!this.#connection.closed && net.cork(id, false) === WRITTEN_LATER) this.#blocked = true;
    }
  }

  close(code: unknown, reason: unknown): void {
    if (this.state !== OPEN) return;
    const number = code === undefined || code === null ? 1000 : Math.trunc(Number(code)) || 0;
    const text = reason === undefined || reason === null ? "" : `${reason}`;
    if (number < 1000 || number > 4999) throw typeError("close requires a valid close code");
    this.#closing = { code: number, reason: text };
    this.#closeSent = true;
    this.#frame(CLOSE, false, closePayload(number, text.slice(0, 123)));
    this.#hangUp();
  }

  /** The server stops. */
  stopped(): void {
    if (this.state === CLOSED) return;
    this.#closing ??= { code: 1001, reason: "Server closed" };
    if (!this.#closeSent) {
      this.#closeSent = true;
      this.#frame(CLOSE, false, closePayload(1001, "Server closed"));
    }
    this.#connection.close();
  }

  terminate(): void {
    if (this.state === CLOSED) return;
    this.#closing ??= { code: 1006, reason: "" };
    this.#connection.close();
  }

  setPaused(on: boolean): void {
    this.paused = on;
    if (on) this.#connection.pause();
    else this.#connection.resume();
  }

  // ---- topics

  subscribe(topic: string): boolean {
    if (this.state !== OPEN) return false;
    (this.topics ??= new Set()).add(topic);
    const { topics } = this.#server;
    let found = topics.get(topic);
    if (found === undefined) topics.set(topic, (found = new Topic()));
    found.add(this);
    return true;
  }

  unsubscribe(topic: string): boolean {
    if (!this.topics?.delete(topic)) return false;
    this.#unsubscribe(topic);
    return true;
  }

  publish(topic: unknown, data: unknown, compress: unknown): number {
    if (this.state !== OPEN) return 0;
    return publish(this.#server, topic, data, compress, this.#settings.publishToSelf ? undefined : this);
  }
}

/** Sends to everybody who has subscribed: bytes of the message, 0 where there is nobody, -1 where somebody has to wait. */
export function publish(
  server: ServerImpl,
  topic: unknown,
  data: unknown,
  compress: unknown,
  except: Peer | undefined,
): number {
  const found = server.topics.get(`${topic}`);
  if (found === undefined) return 0;
  const payload = payloadOf(data);
  let waits = false;
  if (compress && server.settings.websocket!.deflate !== undefined) {
    // Frames of a connection's own.
    for (const peer of found.peers) if (peer !== except && peer.deliver(payload, compress) === -1) waits = true;
    return waits ? -1 : typeof payload === "string" ? Buffer.byteLength(payload) : payload.byteLength;
  }
  found.touched = server.now;
  const outcomes = net.wsPublish(
    found.sockets,
    except === undefined ? -1 : except.socket,
    firstByte(typeof payload === "string" ? TEXT : BINARY, false),
    payload,
    server.settings.websocket!.backpressureLimit,
  );
  flushLater();
  for (let i = 1; i < outcomes.length; i += 2) {
    if (outcomes[i + 1] === PUBLISHED_WAITS) waits = true;
    (table[outcomes[i]!] as ServerConnection | undefined)?.socket?.published(outcomes[i + 1]!);
  }
  return waits ? -1 : outcomes[0]!;
}

let flushing = false;

/** What is published in one turn of the loop goes out together, one write for each socket. */
function flushLater(): void {
  if (flushing) return;
  flushing = true;
  setImmediate(() => {
    flushing = false;
    for (const id of net.wsFlush()) (table[id] as ServerConnection | undefined)?.socket?.published(PUBLISHED_WAITS);
  });
}

/** Turns the connection of a request into a WebSocket; false if that is not what it asks for. */
export function upgrade(
  request: IncomingRequest,
  settings: SocketSettings,
  options: { headers?: unknown; data?: unknown } | null | undefined,
): boolean {
  const { connection } = request;
  if (request.done || request.upgraded || request.method !== "GET") return false;
  if (request.header("upgrade")?.toLowerCase() !== "websocket") return false;
  const key = request.header("sec-websocket-key");
  if (key === undefined || key === "" || request.header("sec-websocket-version") !== "13") return false;

  const extensions = request.header("sec-websocket-extensions") ?? "";
  let protocol = request.header("sec-websocket-protocol")?.split(",")[0]!.trim();
  // Code of the program, which may upgrade the request itself, change its headers, or end the connection.
  const { data, headers } = options ?? {};
  const own = headers === undefined || headers === null ? [] : [...new Headers(headers)];
  if (request.done || request.upgraded) return false;

  let text = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptFor(key)}\r\n`;
  let extra = "";
  for (const [name, value] of own) {
    if (name === "sec-websocket-protocol") protocol = value;
    else if (
      !/^(?:upgrade|connection|sec-websocket-(?:accept|extensions)|content-length|transfer-encoding)$/.test(name)
    )
      extra += `${name}: ${value}\r\n`;
  }
  if (request.cookies !== undefined)
    for (const line of request.cookies.toSetCookieHeaders()) extra += `Set-Cookie: ${line}\r\n`;
  if (protocol) text += `Sec-WebSocket-Protocol: ${protocol}\r\n`;
  const agreed = settings.deflate && negotiate(extensions, settings.deflate);
  let deflate: Deflate | undefined;
  if (agreed !== undefined) {
    deflate = new Deflate(agreed.keepOut, agreed.keepIn, agreed.bitsOut, agreed.levelOut, agreed.bitsIn);
    text += `Sec-WebSocket-Extensions: ${agreed.text}\r\n`;
  }
  request.upgraded = true;
  net.write(connection.id, `${text}${extra}\r\n`, ENCODING_LATIN1, undefined, ENCODING_UTF8);
  const peer = new Peer(connection, settings, data, deflate);
  connection.becomeSocket(request, peer, settings.idleTimeout);
  readFrames(connection.id, true, settings.maxPayload);
  connection.server.sockets++;
  peer.opened();
  return true;
}

export type { Peer };
