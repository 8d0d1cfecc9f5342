/**
 * Connections of Bun.listen and Bun.connect (https://bun.com/docs/api/tcp). A `Link` is what native code calls, a `Socket` what
 * programs see. Nothing is kept of what the system does not take: `write` says how much that was, and `drain` tells when there is room.
 */
// For the methods of the buffers below.
import "node:buffer";
import { FastBuffer } from "internal/buffer/base";
import { captureContext } from "internal/events/async_context";
import { clearTimer, setUnrefTimeout } from "internal/core/timers";
import { closeIfAbandoned, table, UV_EOF } from "internal/net/native";
import { bytesOf, invalidType } from "bun/util";
import { WRITTEN_LATER } from "internal/net/native_constants";

import type { Timeout } from "internal/core/timers";
import type { Secure, UpgradeOptions } from "internal/net/sockets/tls";
import type { PeerCertificate } from "internal/net/types";

const net = native("net");
const { triggerUncaughtException } = native("loop");

const BUFFER = 0;
const UINT8ARRAY = 1;
const ARRAY_BUFFER = 2;
const binaryTypes: Record<string, number> = {
  __proto__: null as never,
  buffer: BUFFER,
  uint8array: UINT8ARRAY,
  arraybuffer: ARRAY_BUFFER,
};

/** A function of a program: it gets the socket, and what there is to tell. */
type Handler = (this: unknown, socket: unknown, ...details: unknown[]) => unknown;

/** The functions of a program, checked. All connections of a listener share one object, so that `reload` reaches them. */
export class Handlers {
  declare open: Handler | undefined;
  declare data: Handler | undefined;
  declare drain: Handler | undefined;
  declare close: Handler | undefined;
  declare error: Handler | undefined;
  declare end: Handler | undefined;
  declare timeout: Handler | undefined;
  declare handshake: Handler | undefined;
  declare connectError: Handler | undefined;
  declare binary: number;

  constructor(given: unknown) {
    this.replace(given);
  }

  replace(given: unknown): void {
    if ((typeof given !== "object" && typeof given !== "function") || given === null)
      throw invalidType("SocketOptions.socket must be an object");
    const take = (name: string, shown: string) => {
      const value = (given as Record<string, unknown>)[name];
      if (value === undefined || value === null) return undefined;
      if (typeof value !== "function") throw invalidType(`Expected "${shown}" callback to be a function`);
      return value as Handler;
    };
    const data = take("data", "onData");
    const drain = take("drain", "onWritable");
    const open = take("open", "onOpen");
    const close = take("close", "onClose");
    const error = take("error", "onError");
    const end = take("end", "onEnd");
    const timeout = take("timeout", "onTimeout");
    const handshake = take("handshake", "onHandshake");
    const connectError = take("connectError", "onConnectError");
    if (data === undefined && drain === undefined) throw invalidType('Expected at least "data" or "drain" callback');
    const { binaryType } = given as { binaryType?: string };
    const binary = binaryType === undefined || binaryType === null ? BUFFER : binaryTypes[binaryType];
    if (binary === undefined)
      throw invalidType('SocketHandler.binaryType must be "arraybuffer", "buffer", or "uint8array"');
    this.open = open;
    this.data = data;
    this.drain = drain;
    this.close = close;
    this.error = error;
    this.end = end;
    this.timeout = timeout;
    this.handshake = handshake;
    this.connectError = connectError;
    this.binary = binary;
  }
}

/** Bun's error for a failed call on a connection: `ECONNRESET: connection reset by peer, read`. */
export function systemError(errno: number, syscall: string): NodeError {
  const { 0: code, 1: text } = require("internal/core/errors").uvErrmapGet(errno);
  const error: NodeError = new Error(`${code}: ${text}, ${syscall}`);
  error.code = code;
  error.syscall = syscall;
  error.errno = errno;
  return error;
}

/** Address, port and family (4, 6; 0 of a path, which has no address). */
type Endpoint = [string, number, number] | [undefined, undefined, number];

/** One connection, from its first byte to its last. */
export class Link {
  /** Of the socket; -1 when closed. */
  declare id: number;
  declare context: unknown;
  declare onclose: undefined;
  declare handlers: Handlers;
  declare api: unknown;
  /** The listener that accepted it: `{ links, api }`. */
  declare listener: { id: number; links: Set<Link>; api: unknown } | undefined;
  declare halfOpen: boolean;
  /** This side has said that it writes no more. */
  declare shut: boolean;
  /** This side reads no more, whatever comes. */
  declare deaf: boolean;
  /** The other side has said that it writes no more. */
  declare ended: boolean;
  /** Closes when there is room again: the last write was one of `end`. */
  declare closing: boolean;
  /** Closes when everything is written. */
  declare finishing: boolean;
  declare refed: boolean;
  declare timer: Timeout | undefined;
  /** Bytes that the system has taken. */
  declare taken: number;
  /** State of TLS, see internal/sockets/secure. */
  declare tls: Secure | undefined;
  /** The connection beneath TLS, where `upgradeTLS` made this one. */
  declare raw: Link | undefined;
  declare local: Endpoint | undefined;
  declare remote: Endpoint | undefined;

  constructor(id: number, handlers: Handlers, halfOpen: boolean, listener: Link["listener"]) {
    this.id = id;
    this.context = captureContext();
    this.onclose = undefined;
    this.handlers = handlers;
    this.api = undefined;
    this.listener = listener;
    this.halfOpen = halfOpen;
    this.shut = false;
    this.deaf = false;
    this.ended = false;
    this.closing = false;
    this.finishing = false;
    this.refed = true;
    this.timer = undefined;
    this.taken = 0;
    this.tls = undefined;
    this.raw = undefined;
    this.local = undefined;
    this.remote = undefined;
    if (id >= 0) table[id] = this;
    closeIfAbandoned(this);
  }

  get isOwnSocket(): boolean {
    return true;
  }

  /** Begins to read, and tells the program of a connection that is open. */
  start(): void {
    net.readStart(this.id);
    if (this.tls === undefined || this.handlers.handshake !== undefined) this.opened();
  }

  opened(): void {
    const { open } = this.handlers;
    if (open === undefined) return;
    const { api } = this;
    let result: unknown;
    try {
      result = open.call(api, api);
    } catch (error) {
      this.failed(error);
      this.finish(undefined);
      return;
    }
    if (result instanceof Error) {
      // As in Bun: an error that is returned here counts as thrown.
      this.failed(result);
      this.finish(undefined);
    }
  }

  /** A handler has thrown. */
  failed(error: unknown): void {
    const { error: handler } = this.handlers;
    if (handler === undefined) {
      triggerUncaughtException(error, false);
      return;
    }
    try {
      handler.call(this.api, this.api, error);
    } catch (another) {
      triggerUncaughtException(another, false);
    }
  }

  private tell(handler: Handler | undefined): void {
    if (handler === undefined) return;
    try {
      handler.call(this.api, this.api);
    } catch (error) {
      this.failed(error);
    }
  }

  // ---- calls from native code

  onread(bytes: ArrayBuffer | undefined, errno: number): void {
    if (bytes !== undefined) {
      const { data, binary } = this.handlers;
      if (data === undefined || this.deaf) return;
      const { api } = this;
      try {
        data.call(
          api,
          api,
          binary === BUFFER ? new FastBuffer(bytes) : binary === UINT8ARRAY ? new Uint8Array(bytes) : bytes,
        );
      } catch (error) {
        this.failed(error);
      }
      return;
    }
    if (errno === UV_EOF) this.peerEnded();
    // One that has said goodbye does not mind how the other side goes.
    else this.finish(this.shut || this.finishing ? undefined : systemError(errno, "read"));
  }

  private peerEnded(): void {
    this.ended = true;
    if (this.shut || this.finishing) {
      if (!this.finishing || net.queued(this.id) === 0) this.finish(undefined);
      return;
    }
    if (this.tls !== undefined && !this.tls.established) {
      this.tls.brokenOff(this);
      return;
    }
    this.tell(this.handlers.end);
    if (this.id < 0 || this.halfOpen) return;
    this.finishing = true;
    if (net.shutdown(this.id) !== WRITTEN_LATER) this.finish(undefined);
  }

  written(errno: number): void {
    if (this.id < 0) return;
    if (errno < 0) {
      this.finish(systemError(errno, "write"));
    } else if (this.finishing) {
      if (this.tls === undefined || this.ended) this.finish(undefined);
    } else if (this.closing) {
      this.hangUp();
    } else if (this.shut) {
      if (this.ended) this.finish(undefined);
    } else {
      this.tell(this.handlers.drain);
    }
  }

  ontls(kind: number, first: string, second: string): void {
    if (this.id >= 0) this.tls!.event(this, kind, first, second);
  }

  /** There is room for what was not taken before the handshake; told behind the data that came with its end. */
  drainLater(): void {
    if (this.handlers.drain !== undefined)
      process.nextTick((link: Link) => {
        if (link.id >= 0) link.tell(link.handlers.drain);
      }, this);
  }

  // ---- what programs ask for

  /** Bytes that the system took, -1 where nothing can be written any more. */
  write(data: string | Uint8Array): number {
    if (this.id < 0 || this.shut) return -1;
    if (this.closing || this.finishing) return 0;
    const count: number = net.writeSome(this.id, data);
    // Why it failed comes as the end of reading.
    if (count < 0) return -1;
    this.taken += count;
    return count;
  }

  /** Writes no more, and closes: at once, over TLS when the other side has agreed. */
  hangUp(): void {
    if (this.id < 0) return;
    const waits = net.shutdown(this.id) === WRITTEN_LATER;
    this.shut = true;
    if (this.tls !== undefined && this.tls.established && !this.ended) return;
    if (waits) this.finishing = true;
    else this.finish(undefined);
  }

  shutDown(reading: boolean): void {
    if (this.id < 0) return;
    if (reading) {
      this.deaf = true;
      net.shutdownRead(this.id);
      return;
    }
    if (this.shut) return;
    this.shut = true;
    if (net.shutdown(this.id) !== WRITTEN_LATER && this.ended) setImmediate(() => this.finish(undefined));
  }

  /** Closes with RST. */
  terminate(): void {
    if (this.id < 0) return;
    net.close(this.id, true);
    this.closed(undefined);
  }

  /** Closes. */
  finish(error: NodeError | null | undefined): void {
    if (this.id < 0) return;
    net.close(this.id, false);
    this.closed(error);
  }

  private closed(error: NodeError | null | undefined): void {
    const { id, raw, handlers, listener } = this;
    this.id = -1;
    // The number is free only when native code says so; nothing else may come here.
    table[id] = gone;
    this.setTimeout(0);
    if (listener !== undefined) listener.links.delete(this);
    if (raw !== undefined) {
      raw.id = -1;
      raw.listener?.links.delete(raw);
      if (raw.handlers.close !== undefined) raw.tellClosed(error);
    }
    if (handlers.close !== undefined) this.tellClosed(error);
  }

  tellClosed(error: NodeError | null | undefined): void {
    try {
      this.handlers.close!.call(this.api, this.api, error);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  setTimeout(seconds: number): void {
    if (this.timer !== undefined) clearTimer(this.timer);
    this.timer =
      seconds > 0 && this.id >= 0
        ? setUnrefTimeout(() => {
            this.timer = undefined;
            this.tell(this.handlers.timeout);
          }, seconds * 1000)
        : undefined;
  }

  address(peer: boolean): Endpoint | undefined {
    const known = peer ? this.remote : this.local;
    if (known !== undefined || this.id < 0) return known;
    const { 0: errno, 1: parts } = net.socketAddress(this.id, peer);
    // Sockets with paths have no addresses here.
    const found = errno !== 0 || parts![2] === 0 ? none : parts!;
    if (peer) this.remote = found;
    else this.local = found;
    return found;
  }
}

/** Takes the last calls for a connection that is closed. */
const gone = { id: -1, context: undefined, onclose: undefined, onread() {}, written() {}, connected() {}, ontls() {} };
const none: Endpoint = [undefined, undefined, 0];

function outOfRange(name: string, limit: number, value: number): never {
  const { codes } = require("internal/core/errors");
  throw new codes.ERR_OUT_OF_RANGE(name, `>= 0 and <= ${limit}`, value);
}

/** What is to be written: a string as it is, or bytes from `byteOffset` on. */
function chunkOf(data: unknown, byteOffset: unknown, byteLength: unknown): string | Uint8Array {
  if (typeof data === "string") {
    if (byteOffset === undefined || byteOffset === null) return data;
    if (typeof byteOffset === "string") {
      return /^utf-?8$/i.test(byteOffset) ? data : Buffer.from(data, byteOffset);
    }
    data = Buffer.from(data);
  }
  let bytes = bytesOf(data);
  if (bytes === undefined) {
    const { isBlob, blobBytesSync } = require("web/blob");
    if (isBlob(data)) bytes = blobBytesSync(data);
    if (bytes === undefined) {
      const { determineSpecificType } = require("internal/core/errors");
      throw invalidType(
        `The "data" argument must be of type string, buffer, or blob. Received ${determineSpecificType(data)}`,
      );
    }
  }
  if (byteOffset === undefined || byteOffset === null) return bytes;
  if (typeof byteOffset !== "number" || !Number.isInteger(byteOffset))
    throw invalidType("Expected byteOffset to be a integer for 'Socket.write'.");
  if (byteOffset < 0) outOfRange("byteOffset", Number.MAX_SAFE_INTEGER, byteOffset);
  if (byteOffset > bytes.byteLength) outOfRange("byteOffset", bytes.byteLength, byteOffset);
  const rest = bytes.byteLength - byteOffset;
  if (byteLength === undefined || byteLength === null) return bytes.subarray(byteOffset);
  if (typeof byteLength !== "number" || !Number.isInteger(byteLength))
    throw invalidType("Expected byteLength to be a integer for 'Socket.write'.");
  if (byteLength < 0 || byteLength > rest) outOfRange("byteLength", rest, byteLength);
  return bytes.subarray(byteOffset, byteOffset + byteLength);
}

/** A connection as programs see it. */
class Socket {
  #link: Link;
  #data: unknown;

  constructor(link: Link, data: unknown) {
    this.#link = link;
    this.#data = data;
    link.api = this;
  }

  get data(): unknown {
    return this.#data;
  }
  set data(value: unknown) {
    this.#data = value;
  }

  get fd(): number {
    const { id } = this.#link;
    return id < 0 ? -1 : net.socketFd(id);
  }

  get readyState(): number {
    return this.#link.id < 0 ? -1 : 1;
  }

  get listener(): unknown {
    const { listener } = this.#link;
    return listener === undefined || listener.id < 0 ? undefined : listener.api;
  }

  get bytesWritten(): number {
    return this.#link.taken;
  }

  get localAddress(): unknown {
    return this.#link.address(false)?.[0];
  }
  get localFamily(): string | undefined {
    return familyName(this.#link.address(false)?.[2]);
  }
  get localPort(): unknown {
    return this.#link.address(false)?.[1];
  }
  get remoteAddress(): unknown {
    return this.#link.address(true)?.[0];
  }
  get remoteFamily(): string | undefined {
    return familyName(this.#link.address(true)?.[2]);
  }
  get remotePort(): unknown {
    return this.#link.address(true)?.[1];
  }

  /** Writes what the system takes now: the number of bytes, -1 where the connection is closed or shut down. */
  write(data?: unknown, byteOffset?: unknown, byteLength?: unknown): number {
    const link = this.#link;
    if (link.id < 0) return -1;
    if (data === undefined) return 0;
    return link.write(chunkOf(data, byteOffset, byteLength));
  }

  /** Writes what the system takes of `data`, and closes. */
  end(data?: unknown, byteOffset?: unknown, byteLength?: unknown): number {
    const link = this.#link;
    if (link.id < 0) return -1;
    let count = 0;
    if (data !== undefined && data !== null) {
      const chunk = chunkOf(data, byteOffset, byteLength);
      count = link.write(chunk);
      const length = typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.byteLength;
      if (count >= 0 && count < length) {
        link.closing = true;
        return count;
      }
    }
    link.hangUp();
    return count;
  }

  close(): void {
    this.#link.hangUp();
  }

  shutdown(halfClose?: unknown): void {
    this.#link.shutDown(Boolean(halfClose));
  }

  terminate(): void {
    this.#link.terminate();
  }

  /** Nothing is kept here that could be flushed. */
  flush(): void {}

  pause(): void {
    const { id } = this.#link;
    if (id >= 0) net.readStop(id);
  }

  resume(): void {
    const { id } = this.#link;
    if (id >= 0) net.readStart(id);
  }

  ref(): void {
    const link = this.#link;
    link.refed = true;
    if (link.id >= 0) net.setRef(link.id, true);
  }

  unref(): void {
    const link = this.#link;
    link.refed = false;
    if (link.id >= 0) net.setRef(link.id, false);
  }

  /** Has `timeout` called once after so many seconds; 0 for never. */
  timeout(seconds?: unknown): void {
    if (arguments.length === 0) throw invalidType("Expected 1 argument, got 0");
    const number = Math.trunc(Number(seconds)) || 0;
    if (number < 0) throw invalidType("Timeout must be a positive integer");
    this.#link.setTimeout(number);
  }

  /** Replaces the handlers, of all connections of the listener where there is one. */
  reload(options?: { socket?: unknown }): void {
    if (arguments.length === 0) throw invalidType("Expected 1 argument");
    this.#link.handlers.replace(handlersOf(options));
  }

  setNoDelay(on: boolean = true): boolean {
    const { id } = this.#link;
    return id >= 0 && net.setOption(id, 6 /* IPPROTO_TCP */, 1 /* TCP_NODELAY */, on ? 1 : 0) === 0;
  }

  setKeepAlive(on: boolean = false, initialDelay: number = 0): boolean {
    const { validateInteger } = require("internal/core/validators") as Checks;
    if (initialDelay !== undefined && initialDelay !== null) validateInteger(initialDelay, "initialDelay", 0);
    const { id } = this.#link;
    return id >= 0 && net.setKeepAlive(id, Boolean(on), Math.trunc(initialDelay / 1000)) === 0;
  }

  getTypeOfService(): number {
    const { id } = this.#link;
    return id < 0 ? 0 : net.getOption(id, 0 /* IPPROTO_IP */, 1 /* IP_TOS */);
  }

  setTypeOfService(tos: unknown): number {
    const { id } = this.#link;
    return id < 0 ? 0 : net.setOption(id, 0, 1, Number(tos) | 0);
  }

  // ---- TLS

  get authorized(): boolean {
    return this.#link.tls?.authorized ?? false;
  }

  get alpnProtocol(): unknown {
    return this.#link.tls?.alpn ?? false;
  }

  getAuthorizationError(): unknown {
    return this.#link.tls?.error ?? null;
  }

  getServername(): unknown {
    return this.#link.tls?.serverName;
  }

  setServername(name: unknown): void {
    const { tls } = this.#link;
    if (tls === undefined) return;
    if (typeof name !== "string") throw invalidType("Expected hostname to be a string");
    throw new Error("Already started.");
  }

  getPeerCertificate(detailed: boolean = true): PeerCertificate | null {
    const link = this.#link;
    return link.tls === undefined ? null : link.tls.peerCertificate(link, Boolean(detailed));
  }

  getPeerX509Certificate(): unknown {
    const raw = this.getPeerCertificate()?.raw;
    return raw === undefined ? undefined : new (require("node:crypto").X509Certificate)(raw);
  }

  getCertificate(): PeerCertificate | undefined {
    return this.#link.tls?.certificate();
  }

  getX509Certificate(): unknown {
    const raw = this.getCertificate()?.raw;
    return raw === undefined ? undefined : new (require("node:crypto").X509Certificate)(raw);
  }

  getCipher(): unknown {
    const link = this.#link;
    return link.tls === undefined ? undefined : link.tls.cipher(link);
  }

  getTLSVersion(): unknown {
    const link = this.#link;
    return link.tls === undefined ? null : link.tls.version(link);
  }

  getEphemeralKeyInfo() {
    const { tls } = this.#link;
    return tls === undefined || tls.isServer ? null : {};
  }

  exportKeyingMaterial(length?: unknown, label?: unknown, context?: unknown): unknown {
    const link = this.#link;
    if (link.tls === undefined) return undefined;
    const { validateString, validateInteger } = require("internal/core/validators") as Checks;
    validateInteger(length, "length", 1);
    validateString(label, "label");
    return link.tls.exportKey(
      link,
      length as number,
      label as string,
      typeof context === "string" ? Buffer.from(context) : (context as ArrayBufferView | null | undefined),
    );
  }

  getSession() {
    return this.#bytes((id) => net.tlsSession(id, false));
  }
  getTLSTicket() {
    return this.#bytes((id) => net.tlsTicket(id));
  }
  getTLSFinishedMessage() {
    return this.#bytes((id) => net.tlsFinished(id, false));
  }
  getTLSPeerFinishedMessage() {
    return this.#bytes((id) => net.tlsFinished(id, true));
  }
  /** What TLS says about the connection; undefined where it says nothing. */
  #bytes(ask: (id: number) => Uint8Array) {
    const link = this.#link;
    if (link.tls === undefined || link.id < 0) return undefined;
    const bytes = ask(link.id);
    return bytes.length === 0 ? undefined : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  getSharedSigalgs() {
    return this.#link.tls === undefined ? undefined : [];
  }
  isSessionReused(): boolean {
    const link = this.#link;
    return link.tls !== undefined && link.id >= 0 && net.tlsIsResumed(link.id);
  }
  /** There is no renegotiation. */
  disableRenegotiation(): void {}

  setSession(_session: unknown): void {
    if (this.#link.tls !== undefined) throw notImplemented("socket.setSession()");
  }
  renegotiate(): void {
    if (this.#link.tls !== undefined) throw notImplemented("socket.renegotiate()");
  }
  setVerifyMode(requestCert: unknown, rejectUnauthorized: unknown): void {
    this.#link.tls?.setVerifyMode(Boolean(requestCert), Boolean(rejectUnauthorized));
  }
  setMaxSendFragment(size: unknown): boolean {
    const link = this.#link;
    return link.tls !== undefined && link.id >= 0 && net.tlsMaxFragment(link.id, Number(size) || 0);
  }

  /** Speaks TLS from now on: `[the connection beneath, the one that is encrypted]`; this object is of no use afterwards. */
  upgradeTLS(options?: UpgradeOptions): unknown {
    return require("internal/net/sockets/tls").upgrade(this, this.#link, options!, (link: Link) => {
      this.#link = link;
    });
  }

  [Symbol.dispose](): void {
    this.#link.hangUp();
  }

  [Symbol.for("nodejs.util.inspect.custom")](_depth: number, options: unknown): string {
    return `${Object.prototype.toString.call(this).slice(8, -1)} ${require("internal/util/inspect").inspect(fieldsOf(this, Socket.prototype), options)}`;
  }
}

/** All members of an object with accessors on its prototype, for inspection. */
export function fieldsOf(object: object & Disposable, prototype: object): unknown {
  const fields: Record<PropertyKey, unknown> = {};
  for (const name of Object.keys(prototype).sort()) fields[name] = (object as Record<string, unknown>)[name];
  fields[Symbol.dispose] = object[Symbol.dispose];
  return fields;
}

function notImplemented(what: string): Error {
  return require("bun/util").notImplemented(what);
}

const familyName = (family: number | undefined) => (family === 4 ? "IPv4" : family === 6 ? "IPv6" : undefined);

/** Members of a class are as those of Bun's classes: enumerable, and without a constructor that programs could call. */
export function seal(prototype: object, tag: string): void {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (name !== "constructor") Object.defineProperty(prototype, name, { enumerable: true });
  }
  delete (prototype as { constructor?: unknown }).constructor;
  Object.defineProperty(prototype, Symbol.toStringTag, { value: tag, configurable: true });
}
seal(Socket.prototype, "TCPSocket");

class TLSSocket extends Socket {}
delete (TLSSocket.prototype as { constructor?: unknown }).constructor;
Object.defineProperty(TLSSocket.prototype, Symbol.toStringTag, { value: "TLSSocket", configurable: true });

/** The object that a program gets for a connection. */
export function socketFor(link: Link, data: unknown): Socket {
  return link.tls === undefined ? new Socket(link, data) : new TLSSocket(link, data);
}

/** `socket` of options. */
export function handlersOf(options: { socket?: unknown } | null | undefined): unknown {
  if ((typeof options !== "object" && typeof options !== "function") || options === null)
    throw invalidType("Expected options object");
  const { socket } = options;
  if (socket === undefined || socket === null) throw invalidType("SocketOptions.socket is required");
  return socket;
}
