// The JavaScript side of native("net"): objects for its numbers, and the functions it calls.
//
// Native code names a socket by a small number and calls one function per kind of event; the object is looked up in
// an array. What Node calls a handle (`socket._handle`) is one of the classes below.

import { asyncContext, callInContext, captureContext, ownership } from "internal/events/async_context";
import { resources } from "internal/process/execution";
import { ENCODING_LATIN1, ENCODING_UTF8, WRITTEN_LATER } from "internal/net/native_constants";
import type { Address, Server, Socket } from "internal/net/types";

const net = native("net");

export const UV_EOF = -4095;
export const UV_EBADF = -9;
export const UV_EINVAL = -22;
export const UV_ENOTCONN = -107;
export const UV_EPROTO = -71;
export const UV_ECANCELED = -125;
export const UV_EADDRINUSE = -98;

/**
 * What native code tells of events: a handle, a parser, a connection of another family. Each has the methods for the events
 * that come to its number.
 */
interface Target {
  id?: number;
  /** The async context of its callbacks. */
  context: unknown;
  onclose?: unknown;
  onread?(bytes: ArrayBuffer | undefined, errno: number): void;
  written?(errno: number): void;
  connected?(errno: number): void;
  connection?(errno: number, stream: number): void;
  received?(bytes: ArrayBuffer | undefined, errno: number, address: string, port: number, family: number): void;
  ontls?(kind: number, first: string, second: string): void;
  head?(info: number, text: string, body: ArrayBuffer | undefined): number | void;
  body?(bytes: ArrayBuffer): void;
  end?(trailers: string | undefined): void;
  failed?(code: string, reason: string, parsed: number, packet: ArrayBuffer): void;
  upgraded?(rest: ArrayBuffer): void;
}

/** Sockets, listeners and parsers by their numbers. */
export const table: any[] = (resources.sockets = []);

function noop(): void {}

function onRead(id: number, bytes: ArrayBuffer | undefined, errno: number): void {
  const handle: Target = table[id];
  if (asyncContext.active) callInContext(handle.context, handle.onread!, handle, [bytes, errno]);
  else handle.onread!(bytes, errno);
}

function onWrite(id: number, errno: number): void {
  const handle: Target = table[id];
  if (asyncContext.active) callInContext(handle.context, handle.written!, handle, [errno]);
  else handle.written!(errno);
}

function onConnect(id: number, errno: number): void {
  const handle: Target = table[id];
  if (asyncContext.active) callInContext(handle.context, handle.connected!, handle, [errno]);
  else handle.connected!(errno);
}

function onConnection(id: number, errno: number, stream: number): void {
  const handle: Target = table[id];
  if (asyncContext.active) callInContext(handle.context, handle.connection!, handle, [errno, stream]);
  else handle.connection!(errno, stream);
}

function onClose(id: number): void {
  const handle: Target = table[id];
  table[id] = undefined;
  if (handle === undefined) return;
  handle.id = -1;
  const callback = handle.onclose as (() => void) | undefined;
  if (callback === undefined) return;
  handle.onclose = undefined;
  if (asyncContext.active) callInContext(handle.context, callback, handle, []);
  else callback.call(handle);
}

function onDatagram(
  id: number,
  bytes: ArrayBuffer | undefined,
  errno: number,
  address: string,
  port: number,
  family: number,
): void {
  const handle: Target = table[id];
  if (asyncContext.active)
    callInContext(handle.context, handle.received!, handle, [bytes, errno, address, port, family]);
  else handle.received!(bytes, errno, address, port, family);
}

function onHead(id: number, info: number, text: string, body: ArrayBuffer | undefined): number | void {
  const parser: Target = table[id];
  if (asyncContext.active) return callInContext(parser.context, parser.head!, parser, [info, text, body]);
  return parser.head!(info, text, body);
}

function onBody(id: number, bytes: ArrayBuffer): void {
  const parser: Target = table[id];
  if (asyncContext.active) callInContext(parser.context, parser.body!, parser, [bytes]);
  else parser.body!(bytes);
}

function onEnd(id: number, trailers: string | undefined): void {
  const parser: Target = table[id];
  if (asyncContext.active) callInContext(parser.context, parser.end!, parser, [trailers]);
  else parser.end!(trailers);
}

function onHttpError(id: number, code: string, reason: string, parsed: number, packet: ArrayBuffer): void {
  const parser: Target = table[id];
  if (asyncContext.active) callInContext(parser.context, parser.failed!, parser, [code, reason, parsed, packet]);
  else parser.failed!(code, reason, parsed, packet);
}

function onUpgrade(id: number, rest: ArrayBuffer): void {
  const parser: Target = table[id];
  if (asyncContext.active) callInContext(parser.context, parser.upgraded!, parser, [rest]);
  else parser.upgraded!(rest);
}

function onTls(id: number, kind: number, first: string, second: string): void {
  const handle: Target = table[id];
  if (asyncContext.active) callInContext(handle.context, handle.ontls!, handle, [kind, first, second]);
  else handle.ontls!(kind, first, second);
}

net.setCallbacks([
  onRead,
  onWrite,
  onConnect,
  onConnection,
  onClose,
  onDatagram,
  onHead,
  onBody,
  onEnd,
  onHttpError,
  onUpgrade,
  onTls,
]);

/** Takes the last calls for a socket whose owner hears nothing any more. */
class Silence {
  id = -1;
  context = undefined;
  onclose = undefined;
  onread(): void {}
  written(): void {}
  connected(): void {}
  connection(errno: number, stream: number): void {
    if (errno === 0) net.close(stream, false);
  }
  received(): void {}
  ontls(): void {}
}

/** Closes a socket or listener and tells nobody. */
export function silence(handle: { id: number }): void {
  const { id } = handle;
  if (id < 0) return;
  handle.id = -1;
  table[id] = new Silence();
  net.close(id, false);
}

/** Closes what code opens in the context of a graph of modules that is disposed, as soon as it is whole. */
export function closeIfAbandoned(handle: { id: number; context: unknown }): void {
  if (ownership.isAbandoned?.(handle.context) === true) queueMicrotask(() => silence(handle));
}

// Sockets of a graph of modules end with it. Other entries of the table are closed by whom they belong to.
ownership.closers.push((isOwned) => {
  for (const target of table) {
    if (target !== undefined && target.isOwnSocket === true && isOwned(target.context)) silence(target);
  }
});

// ---------------------------------------------------------------------------------------------------------------------

/** What all handles share. `id` is -1 before there is a socket and after it is closed. */
class Handle {
  declare id: number;
  declare context: unknown;
  declare refed: boolean;
  declare onclose: (() => void) | undefined;

  constructor(id: number) {
    this.id = id;
    this.context = captureContext();
    this.refed = true;
    this.onclose = undefined;
    if (id >= 0) table[id] = this;
    closeIfAbandoned(this);
    if (resources.made !== undefined) resources.made(this);
  }

  /** The number is that of a socket, which the handle alone has. */
  get isOwnSocket(): boolean {
    return true;
  }

  /** Gives a socket made later to this handle. */
  attach(id: number): void {
    this.id = id;
    table[id] = this;
    closeIfAbandoned(this);
    if (!this.refed) net.setRef(id, false);
  }

  ref(): void {
    this.refed = true;
    if (this.id >= 0) net.setRef(this.id, true);
  }

  unref(): void {
    this.refed = false;
    if (this.id >= 0) net.setRef(this.id, false);
  }

  hasRef(): boolean {
    return this.id >= 0 ? net.hasRef(this.id) : this.refed;
  }

  get fd(): number {
    return this.id >= 0 ? net.socketFd(this.id) : -1;
  }

  getAsyncId(): number {
    return 0;
  }

  getsockname(out: Address): number {
    return this.address(out, false);
  }

  getpeername(out: Address): number {
    return this.address(out, true);
  }

  private address(out: Address, peer: boolean): number {
    if (this.id < 0) return UV_EBADF;
    const { 0: errno, 1: parts } = net.socketAddress(this.id, peer);
    if (errno !== 0) return errno;
    out.address = parts![0];
    out.port = parts![1];
    out.family = parts![2] === 6 ? "IPv6" : parts![2] === 4 ? "IPv4" : "unix";
    return 0;
  }

  /** Closes; `callback` is called at the end of the loop's turn. */
  close(callback?: () => void): void {
    const id = this.id;
    if (id < 0) {
      // As for a real one: after the errors that the same turn reports.
      if (callback !== undefined) setImmediate(callback);
      return;
    }
    this.onclose = callback;
    this.id = -1;
    net.close(id, false);
  }
}

/** A connection. Its owner sets `onread(bytes | undefined, errno)`. */
export class StreamHandle extends Handle {
  declare reading: boolean;
  /** What reads it, by the `this` of `onread`. */
  declare owner: Socket;
  declare onread: (this: StreamHandle, bytes: ArrayBuffer | undefined, errno: number) => void;
  declare onconnect: ((errno: number) => void) | undefined;
  // What TLS has to say, see native's Callback::Tls.
  declare ontls: (kind: number, first: string, second: string) => void;
  /** Of a TLS connection: the error of the peer's certificate, null if there is none. */
  declare verifyError?: () => Error | null;
  // Of the write and the shutdown under way.
  declare onwritten: ((errno: number) => void) | undefined;
  declare onshutdown: ((errno: number) => void) | undefined;
  declare readBytes: number;
  declare writtenBytes: number;

  constructor(id: number) {
    super(id);
    this.reading = false;
    this.onread = noop;
    this.onconnect = undefined;
    this.ontls = noop;
    this.onwritten = undefined;
    this.onshutdown = undefined;
    this.readBytes = 0;
    this.writtenBytes = 0;
  }

  get bytesRead(): number {
    return this.id >= 0 ? net.programBytes(this.id)[0] : this.readBytes;
  }

  get bytesWritten(): number {
    return this.id >= 0 ? net.programBytes(this.id)[1] : this.writtenBytes;
  }

  get writeQueueSize(): number {
    return this.id >= 0 ? net.queued(this.id) : 0;
  }

  readStart(): number {
    this.reading = true;
    return this.id >= 0 ? net.readStart(this.id) : UV_EBADF;
  }

  readStop(): number {
    this.reading = false;
    if (this.id >= 0) net.readStop(this.id);
    return 0;
  }

  setNoDelay(on: boolean): number {
    return this.id >= 0 ? net.setOption(this.id, 6 /* IPPROTO_TCP */, 1 /* TCP_NODELAY */, on ? 1 : 0) : UV_EBADF;
  }

  setKeepAlive(on: boolean, delay: number): number {
    return this.id >= 0 ? net.setKeepAlive(this.id, on, delay) : UV_EBADF;
  }

  setTypeOfService(tos: number): number {
    if (this.id < 0) return UV_EBADF;
    const errno = net.setOption(this.id, 0 /* IPPROTO_IP */, 1 /* IP_TOS */, tos);
    return errno < 0 ? net.setOption(this.id, 41 /* IPPROTO_IPV6 */, 67 /* IPV6_TCLASS */, tos) : errno;
  }

  getTypeOfService(): number {
    if (this.id < 0) return UV_EBADF;
    return net.getOption(this.id, 0, 1);
  }

  // Reads and writes never block.
  setBlocking(): number {
    return 0;
  }

  /** Writes a string (`latin1`, else UTF-8) or bytes. 0: done; 1: `done(errno)` will be called; negative: errno. */
  write(data: unknown, latin1: boolean, done: (errno: number) => void): number {
    if (this.id < 0) return UV_EBADF;
    const result = net.write(this.id, data, latin1 ? ENCODING_LATIN1 : ENCODING_UTF8, undefined, ENCODING_UTF8);
    if (result === WRITTEN_LATER) this.onwritten = done;
    return result;
  }

  /** Writes `[chunk, encoding, …]`, see native writeMany. */
  writeMany(list: unknown[], done: (errno: number) => void): number {
    if (this.id < 0) return UV_EBADF;
    const result = net.writeMany(this.id, list);
    if (result === WRITTEN_LATER) this.onwritten = done;
    return result;
  }

  /** Ends the writing side: 0 done, 1 when `done` is called, negative errno. */
  shutdown(done: (errno: number) => void): number {
    if (this.id < 0) return UV_EBADF;
    const result = net.shutdown(this.id);
    if (result === WRITTEN_LATER) this.onshutdown = done;
    return result;
  }

  /** The kernel has everything, or refused it. */
  written(errno: number): void {
    const done = this.onwritten;
    const ended = this.onshutdown;
    this.onwritten = undefined;
    this.onshutdown = undefined;
    if (done !== undefined) done(errno);
    if (ended !== undefined) ended(errno);
  }

  connected(errno: number): void {
    const callback = this.onconnect;
    this.onconnect = undefined;
    if (callback !== undefined) callback(errno);
  }

  private remember(): void {
    [this.readBytes, this.writtenBytes] = net.programBytes(this.id);
  }

  close(callback?: () => void): void {
    if (this.id >= 0) this.remember();
    super.close(callback);
    this.cancel();
  }

  /** Closes with RST. */
  reset(callback?: () => void): number {
    const id = this.id;
    if (id < 0) return UV_EBADF;
    this.remember();
    this.onclose = callback;
    this.id = -1;
    net.close(id, true);
    this.cancel();
    return 0;
  }

  private cancel(): void {
    if (this.onwritten === undefined && this.onshutdown === undefined) return;
    process.nextTick((handle: StreamHandle) => handle.written(UV_ECANCELED), this);
  }
}

/** A TCP connection. */
export class TCP extends StreamHandle {}

/** A unix socket, or a descriptor of another kind. */
export class Pipe extends StreamHandle {}

/** A listening socket. Its owner sets `onconnection(errno, handle)`. */
export class ListenHandle extends Handle {
  declare owner: Server;
  /** What it listens at where that is not both families: "0.0.0.0". */
  declare any?: string;
  /** After an error there is no handle. */
  declare onconnection: (this: ListenHandle, errno: number, handle: StreamHandle) => void;
  declare tcp: boolean;

  constructor(id: number, tcp: boolean) {
    super(id);
    this.tcp = tcp;
    this.onconnection = noop;
  }

  connection(errno: number, stream: number): void {
    this.onconnection(errno, errno === 0 ? (this.tcp ? new TCP(stream) : new Pipe(stream)) : undefined!);
  }

  listen(backlog: number): number {
    return this.id >= 0 ? net.listen(this.id, backlog) : UV_EBADF;
  }
}

/** A datagram socket. Its owner sets `received(bytes, errno, address, port, family)`. */
export class UDP extends Handle {
  declare received: (
    this: UDP,
    bytes: ArrayBuffer,
    errno: number,
    address: string,
    port: number,
    family: number,
  ) => void;
  // Callbacks of datagrams that wait for the kernel, in order.
  declare waiting: ((errno: number) => void)[];

  constructor(id: number) {
    super(id);
    this.received = noop;
    this.waiting = [];
  }

  /** Sends one datagram made of buffers: 0, 1 where `waiting` is told, or a negative errno. */
  send(list: unknown[], address: string | undefined, port: number): number {
    return net.udpSend(this.id, list, address, port);
  }

  written(errno: number): void {
    this.waiting.shift()?.(errno);
  }

  close(callback?: () => void): void {
    super.close(callback);
    const waiting = this.waiting;
    this.waiting = [];
    for (const done of waiting) process.nextTick(done, UV_ECANCELED);
  }
}

/** A handle of a connection begun now, or a negative errno. */
export function connectTcp(address: string, port: number, local?: string, localPort = 0): number | TCP {
  const id = net.connectTcp(address, port, local, localPort);
  return id < 0 ? id : new TCP(id);
}
