/**
 * The client's connections, over native("net") without node:net or node:http in between, and the pool of those that wait
 * for the next request. One object is both the socket and the parser of responses to native code.
 */
import { runInContext } from "internal/events/async_context";
import { maxHeaderSize } from "internal/http/common";
import { table } from "internal/net/native";
import { connectionClosed, fetchError } from "internal/fetch/errors";
import { setSharedTimeout } from "internal/core/timers";
import type { Exchange } from "internal/fetch/exchange";
import type { Errand, FrameData, Successor, TlsOptions } from "internal/fetch/types";
import type { Proxy, Target } from "internal/fetch/url_target";
import {
  ANSWER_TAKE_OVER,
  ENCODING_LATIN1,
  ENCODING_UTF8,
  HEAD_COMPLETE,
  HEAD_KEEP_ALIVE,
  WRITTEN_LATER,
} from "internal/net/native_constants";

const net = native("net");

/** How long a connection waits for the next request, in ms, where the server says nothing of it. */
const IDLE_TIME = 60_000;
/** How long a server may be silent, in ms. */
const SILENCE = Number(process.env.BUN_CONFIG_HTTP_IDLE_TIMEOUT) * 1000 || 300_000;
/** Between two looks at all connections, in ms. */
const SWEEP = 1000;
const MAX_CONNECTIONS = Number(process.env.BUN_CONFIG_MAX_HTTP_REQUESTS) || 256;

/** Connections without a request, the latest last, by {@link Route.key}. */
const idle = new Map<string, Connection[]>();
const open = new Set<Connection>();
/** Requests for which there is no connection to be had. */
const waiting: Exchange[] = [];
let sweeping = false;
/** Counts sweeps. */
let now = 0;

/** Requests that share connections with each other alone (`Bun.FetchSession`). */
export interface Session {
  /** Part of the keys of its connections; another one after each `close()`. */
  name: string;
}

/** A way to a server; connections of equal keys can stand in for each other. */
export interface Route {
  key: string;
  session?: Session | undefined;
  target: Target;
  proxy: Proxy | undefined;
  unix: string | undefined;
  /** Options of TLS with this server, or undefined. */
  tls: TlsOptions | undefined;
  /** A proxy is to open a tunnel even where there is no TLS. */
  tunnel: boolean;
  /** HTTP/2, which TLS agrees on; "offered": HTTP/1.1 where the server does not. */
  http2: boolean | "offered";
  http3: boolean;
}

function sweep(): void {
  sweeping = false;
  now++;
  for (const connection of open) {
    if (connection.gathered > 0) {
      const count = net.byteCounts(connection.id)[0];
      if (count !== connection.gathered) connection.touched = now;
      connection.gathered = count;
    }
    const silent = (now - connection.touched) * SWEEP;
    if (connection.exchange === undefined) {
      if (silent >= connection.idleTime) connection.close();
    } else if (silent >= connection.exchange.silence && !connection.paused) {
      connection.fail(fetchError("ETIMEDOUT", connection.exchange.href, timedOut(), connection.exchange.responded));
    }
  }
  keepSweeping();
}

function timedOut(): Error {
  const error: NodeError = new Error("The server was silent for too long");
  error.code = "ETIMEDOUT";
  return error;
}

function keepSweeping(): void {
  if (sweeping || open.size === 0) return;
  sweeping = true;
  setSharedTimeout(sweep, SWEEP);
}

/** Connections that are opened before a request asks for one, by the keys of their routes, each with the request that came meanwhile. */
const dialing = new Map<string, { next: Exchange | undefined }>();

/** Gives a request a connection, now or when there is one. */
export function assign(exchange: Exchange): void {
  const { key } = exchange.route;
  if (exchange.route.http3) {
    require("internal/fetch/http3").assign(exchange);
    return;
  }
  if (exchange.route.http2) {
    require("internal/fetch/http2").assign(exchange, (placeholder: Errand) => new Connection(placeholder), assign);
    return;
  }
  const list = idle.get(key);
  if (list !== undefined) {
    const connection = list.pop()!;
    if (list.length === 0) idle.delete(key);
    connection.begin(exchange, true);
    return;
  }
  const ahead = dialing.get(key);
  if (ahead !== undefined && ahead.next === undefined) {
    ahead.next = exchange;
    return;
  }
  if (open.size >= MAX_CONNECTIONS && !closeOldest()) {
    waiting.push(exchange);
    return;
  }
  new Connection(exchange);
}

/** Gives up the connection that has been idle longest; false if there is none. */
function closeOldest(): boolean {
  for (const list of idle.values()) {
    list[0]!.close();
    return true;
  }
  return false;
}

/** Closes the connections of a session that no request uses. */
export function closeIdle(session: Session): void {
  for (const connection of [...idle.values()].flat()) {
    if (connection.route.session === session) connection.close();
  }
}

/** Takes a request out that waits for a connection. */
export function forget(exchange: Exchange): void {
  if (exchange.route.http3) {
    require("internal/fetch/http3").forget(exchange);
    return;
  }
  if (exchange.route.http2 && require("internal/fetch/http2").forget(exchange)) return;
  const ahead = dialing.get(exchange.route.key);
  if (ahead?.next === exchange) {
    ahead.next = undefined;
    return;
  }
  const index = waiting.indexOf(exchange);
  if (index !== -1) waiting.splice(index, 1);
}

/** One connection, from its first attempt to its end. */
export class Connection {
  /** Of the socket and of the parser; -1 where there is none. */
  declare id: number;
  declare parser: number;
  /** Requests have contexts, connections have none. */
  declare context: undefined;
  declare onclose: undefined;
  declare route: Route;
  declare exchange: Errand | undefined;
  declare dialer: { cancel(): void } | undefined;
  /** The name that the server's certificate is to have. */
  declare tlsName: string;
  /** The session of TLS is one with a proxy. */
  declare tlsWithProxy: boolean;
  declare closed: boolean;
  /** Whether it has carried a request before. */
  declare reused: boolean;
  /** What the last head said about the next request. */
  declare persistent: boolean;
  declare touched: number;
  declare idleTime: number;
  /** Nothing is read, because nobody takes it. */
  declare paused: boolean;
  /** Bytes that had come when a sweep last looked, while native code gathers a body. */
  declare gathered: number;
  declare requestDone: boolean;
  declare responseDone: boolean;
  /** Under way with a CONNECT to a proxy: what comes next. */
  declare tunnel: { head(info: number, text: string): 1 | 2; open(): void } | undefined;
  /** What reads instead of a parser, see {@link Connection.detach}. */
  declare socket: Successor | undefined;

  constructor(exchange: Errand) {
    this.id = -1;
    this.parser = -1;
    this.context = undefined;
    this.onclose = undefined;
    this.route = exchange.route;
    this.exchange = exchange;
    exchange.connection = this;
    this.closed = false;
    this.reused = false;
    this.persistent = false;
    this.touched = now;
    this.idleTime = IDLE_TIME;
    this.paused = false;
    this.gathered = 0;
    this.requestDone = false;
    this.responseDone = false;
    this.tunnel = undefined;
    this.socket = undefined;
    this.tlsName = "";
    this.tlsWithProxy = false;
    open.add(this);
    keepSweeping();
    const { dial } = require("internal/fetch/connect");
    this.dialer = undefined;
    // A connection is nobody's: the next request may be another's.
    runInContext(undefined, dial, undefined, [this]);
  }

  // ---- from the dialer

  /** There is a connection: number `id`. */
  connectedTo(id: number): void {
    this.dialer = undefined;
    this.id = id;
    table[id] = this;
    this.touched = now;
    if (this.route.unix === undefined) net.setOption(id, 6 /* IPPROTO_TCP */, 1 /* TCP_NODELAY */, 1);
    const { proxy, target } = this.route;
    if (proxy === undefined) {
      this.listen(false);
      if (target.protocol === "https:") this.startTls(target.hostname, false);
      this.ready();
    } else if (target.protocol === "https:" || this.route.tunnel) {
      require("internal/fetch/connect").tunnelThrough(this, proxy);
    } else {
      this.listen(false);
      if (proxy.protocol === "https:") this.startTls(proxy.hostname, true);
      this.ready();
    }
  }

  /** Has a new parser read from the socket. `asking`: one that asks about bodies, for CONNECT. */
  listen(asking: boolean): void {
    this.freeParser();
    const parser = net.httpCreate(true, maxHeaderSize(), false);
    this.parser = parser;
    table[parser] = this;
    net.httpConsume(parser, this.id);
    if (!asking) net.httpExpect(parser, false);
    net.readStart(this.id);
  }

  /** Goes on with another socket. The one before belongs to somebody else. */
  replaceSocket(id: number): void {
    this.id = id;
    table[id] = this;
  }

  /** Begins a session of TLS with a server, or with the proxy on the way to it. */
  startTls(hostname: string, withProxy: boolean): void {
    this.tlsWithProxy = withProxy;
    require("internal/fetch/tls").start(this, hostname);
  }

  /** The first request can be sent: what is written waits until a handshake is done. */
  ready(): void {
    const { exchange } = this;
    // Which protocol it is comes out with the handshake.
    if (this.route.http2) return;
    if (exchange !== undefined && !this.closed) this.begin(exchange, false);
    else if (!this.closed) this.toPool();
  }

  // ---- requests

  begin(exchange: Errand, reused: boolean): void {
    this.exchange = exchange;
    exchange.connection = this;
    this.reused = reused;
    this.touched = now;
    this.requestDone = false;
    this.responseDone = false;
    this.gathered = 0;
    this.persistent = false;
    if (reused) net.setRef(this.id, true);
    net.httpExpect(this.parser, exchange.method === "HEAD");
    exchange.begin!(this);
  }

  /**
   * Writes a head and what may follow it at once: a string, bytes or undefined. False where `drained` of the exchange will be
   * called once the system has all of it. Failures show on the reading side, behind an answer that is there already.
   */
  write(head: string, body: string | Uint8Array | undefined): boolean {
    return this.closed || net.write(this.id, head, ENCODING_LATIN1, body, ENCODING_UTF8) !== WRITTEN_LATER;
  }

  /** The same for one chunk of a body, in the coding for bodies of unknown length. */
  writeChunk(bytes: Uint8Array, chunked: boolean): boolean {
    if (this.closed) return true;
    if (!chunked) return net.write(this.id, bytes, ENCODING_UTF8, undefined, ENCODING_UTF8) !== WRITTEN_LATER;
    return (
      net.writeMany(this.id, [
        `${bytes.byteLength.toString(16)}\r\n`,
        ENCODING_LATIN1,
        bytes,
        ENCODING_UTF8,
        "\r\n",
        ENCODING_LATIN1,
      ]) !== WRITTEN_LATER
    );
  }

  /** All of the request has been written. */
  requestEnded(): void {
    this.requestDone = true;
    if (this.responseDone) this.release();
  }

  responseEnded(): void {
    this.responseDone = true;
    if (this.paused) this.resume();
    // A server that has said everything does not want the rest.
    if (this.requestDone || !this.persistent) this.release();
  }

  /** The request is over: the connection is for the next one, if it can be. */
  release(): void {
    const { exchange } = this;
    this.exchange = undefined;
    if (exchange !== undefined) {
      exchange.connection = undefined;
      exchange.settled();
    }
    if (this.closed) return;
    if (!this.persistent || !this.requestDone || exchange?.last) {
      this.close();
      return;
    }
    this.toPool();
  }

  private toPool(): void {
    const { key } = this.route;
    if (waiting.length > 0) {
      const index = waiting.findIndex((exchange) => exchange.route.key === key);
      if (index !== -1) {
        this.begin(waiting.splice(index, 1)[0]!, true);
        return;
      }
      this.close();
      return;
    }
    const { session } = this.route;
    // A session that was closed meanwhile has another name.
    if (key === "" || (session !== undefined && !key.includes(session.name))) {
      this.close();
      return;
    }
    this.touched = now;
    // The loop does not wait for idle connections.
    net.setRef(this.id, false);
    const list = idle.get(key);
    if (list === undefined) idle.set(key, [this]);
    else list.push(this);
  }

  /** Hands what comes from now on to `socket`: another protocol has begun, and the pool is done with the connection. */
  detach(socket: Successor): void {
    open.delete(this);
    this.exchange = undefined;
    this.socket = socket;
    this.freeParser();
    if (waiting.length > 0) queueMicrotask(next);
  }

  pause(): void {
    if (this.paused || this.closed) return;
    this.paused = true;
    net.readStop(this.id);
  }

  resume(): void {
    if (!this.paused || this.closed) return;
    this.paused = false;
    this.touched = now;
    net.readStart(this.id);
  }

  /** The request is over with an error, and the connection with it. */
  fail(error: unknown): void {
    const { exchange } = this;
    this.exchange = undefined;
    this.close();
    if (exchange !== undefined) {
      exchange.connection = undefined;
      exchange.fail(error);
    }
  }

  /** Has native code put a body together behind `early`: it comes as one piece. */
  gather(early: Uint8Array, expected: number): boolean {
    if (this.closed) return false;
    net.httpCollect(this.parser, early, Math.max(expected - early.byteLength, 0));
    this.gathered = net.byteCounts(this.id)[0];
    return true;
  }

  /** Nobody wants the rest of the response. */
  abandon(): void {
    const { exchange } = this;
    this.exchange = undefined;
    this.close();
    if (exchange === undefined) return;
    exchange.connection = undefined;
    exchange.settled();
  }

  freeParser(): void {
    const { parser } = this;
    if (parser < 0) return;
    this.parser = -1;
    table[parser] = undefined;
    net.httpFree(parser);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    open.delete(this);
    const list = idle.get(this.route.key);
    if (list !== undefined) {
      const index = list.indexOf(this);
      if (index !== -1) list.splice(index, 1);
      if (list.length === 0) idle.delete(this.route.key);
    }
    this.dialer?.cancel();
    this.dialer = undefined;
    this.freeParser();
    const { id } = this;
    this.id = -1;
    if (id >= 0) net.close(id, false);
    if (waiting.length > 0) queueMicrotask(next);
  }

  // ---- calls from native code: the socket

  /** Only the end comes here while there is a parser. */
  onread(_bytes: unknown, errno: number): void {
    if (this.closed) return;
    if (this.socket !== undefined) {
      const { socket } = this;
      this.close();
      socket.disconnected();
      return;
    }
    const { exchange } = this;
    if (exchange === undefined) {
      this.close();
      return;
    }
    this.persistent = false;
    if (this.tunnel === undefined && this.parser >= 0) {
      // A body that the end of the connection ends is complete: `end` is called.
      if (errno === -4095) net.httpFinish(this.parser);
      if (this.closed || this.exchange !== exchange) return;
    }
    this.lost(connectionClosed(exchange.href, errno, exchange.responded!));
  }

  /** The connection broke: a server may close an idle one at any time, which is no failure of the next request. */
  private lost(error: TypeError): void {
    const { exchange } = this;
    if (exchange !== undefined && this.reused && !exchange.responded && exchange.repeatable) {
      this.exchange = undefined;
      exchange.connection = undefined;
      this.close();
      exchange.start!();
      return;
    }
    this.fail(error);
  }

  written(errno: number): void {
    this.touched = now;
    if (errno === 0) (this.socket ?? this.exchange)?.drained!();
  }

  ontls(kind: number, first: string, second: string): void {
    if (!this.closed) require("internal/fetch/tls").event(this, kind, first, second);
  }

  /** A frame of a WebSocket. */
  frame(first: number, data: FrameData): void {
    this.socket?.frame!(first, data);
  }

  // ---- calls from native code: the parser

  head(info: number, text: string, body: ArrayBuffer | undefined): number {
    const { exchange } = this;
    this.touched = now;
    if (this.tunnel !== undefined) return this.tunnel.head(info, text);
    if (exchange === undefined || exchange.responded) {
      // Nobody has asked.
      if (exchange === undefined) this.close();
      else this.fail(connectionClosed(exchange.href, undefined, true));
      return 0;
    }
    const status = info & 1023;
    if (status < 200 && status !== 101) return 0;
    this.persistent = (info & HEAD_KEEP_ALIVE) !== 0;
    const complete = (info & HEAD_COMPLETE) !== 0;
    exchange.received!(this, status, text, complete, body);
    return status === 101 ? ANSWER_TAKE_OVER : 0;
  }

  body(bytes: ArrayBuffer): void {
    this.touched = now;
    if (this.exchange?.data!(new Uint8Array(bytes)) === false) this.pause();
  }

  end(_trailers: string | undefined): void {
    const { exchange } = this;
    if (exchange === undefined || this.tunnel !== undefined) return;
    exchange.ended!();
    if (this.exchange === exchange) this.responseEnded();
  }

  failed(code: string, reason: string): void {
    const { exchange } = this;
    if (exchange === undefined) {
      this.close();
      return;
    }
    const cause: NodeError = new Error(`Response does not match the HTTP/1.1 protocol (${reason})`);
    cause.name = "HTTPParserError";
    cause.code = code;
    this.fail(fetchError(code, exchange.href, cause, exchange.responded));
  }

  upgraded(rest: ArrayBuffer): void {
    const { exchange } = this;
    if (this.tunnel !== undefined) this.tunnel.open();
    else exchange?.upgraded!(this, new Uint8Array(rest));
  }
}

/** The request that has waited longest. */
function next(): void {
  const exchange = waiting.shift();
  if (exchange !== undefined) assign(exchange);
}

/** Opens a connection for requests to come (fetch.preconnect). */
export function preconnect(route: Route): void {
  if (idle.has(route.key) || dialing.has(route.key) || open.size >= MAX_CONNECTIONS) return;
  const ahead: { next: Exchange | undefined } = { next: undefined };
  dialing.set(route.key, ahead);
  const over = () => {
    dialing.delete(route.key);
    if (ahead.next !== undefined) assign(ahead.next);
  };
  const placeholder: Errand = {
    route,
    href: route.target.href,
    connection: undefined,
    silence: SILENCE,
    fail: over,
    settled() {},
  };
  const connection = new Connection(placeholder);
  placeholder.begin = () => {
    connection.exchange = undefined;
    connection.requestDone = true;
    connection.persistent = true;
    connection.release();
    over();
  };
}

export { SILENCE };
