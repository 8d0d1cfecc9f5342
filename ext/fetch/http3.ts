/**
 * fetch over HTTP/3 (its option `protocol: "http3"`): requests to one server share a connection of QUIC, see internal/fetch/streams. All of
 * them go through one datagram socket.
 */
import { fetchError, networkError } from "internal/fetch/errors";
import { REJECTED, SessionBase } from "internal/http/http3";
import { ClientStream, NO_ERROR } from "internal/fetch/streams";
import { clearTimer, setSharedTimeout } from "internal/core/timers";
import { isIP } from "internal/net/ip";
import { H2_BLOCK_REQUEST } from "internal/net/native_constants";
import type { Exchange } from "internal/fetch/exchange";
import type { Timeout } from "internal/core/timers";

const net = native("net");

const END_STREAM = 4;
const IDLE_TIME = 60_000;
/** Silence after which QUIC gives a server up, in ms, during and after the handshake. */
const QUIC_IDLE = 30_000;
/** See native code's `Lost`. */
const LOST_CLOSED = 0;
const LOST_TRANSPORT = 1;
const LOST_TIMED_OUT = 2;
const LOST_RESET = 3;
const LOST_VERSION = 4;

/** Sessions by {@link Route.key}. */
const sessions = new Map<string, ClientSession>();
/** Servers that are being looked up, and who waits for them. */
const lookups = new Map<string, Exchange[]>();
/** Servers whose answers have named HTTP/3 (Alt-Svc), by origin, and until when. */
const known = new Map<string, number>();
const MAX_KNOWN = 1000;

/** The socket, -1 where there is none. */
let endpoint = -1;
/** Sessions that have requests: the loop waits for them. */
let busy = 0;
/** Sessions that are not over. */
const live = new Set<ClientSession>();

/** What tests look at: sessions, and streams on them. */
export function liveCounts(): { sessions: number; streams: number } {
  let streams = 0;
  for (const session of live) streams += session.streams.size;
  return { sessions: live.size, streams };
}

const SWEEP = 1000;
let sweeping = false;

/** Ends requests whose server has been silent for too long. */
function sweep(): void {
  sweeping = false;
  const now = performance.now();
  for (const session of live) session.sweep(now);
  keepSweeping();
}

function keepSweeping(): void {
  if (sweeping || busy === 0) return;
  sweeping = true;
  setSharedTimeout(sweep, SWEEP);
}

function count(delta: number): void {
  const before = busy > 0;
  busy += delta;
  if (before !== busy > 0) net.setRef(endpoint, busy > 0);
  keepSweeping();
}

/** Notes what an answer says of other ways to reach its server (RFC 7838); only the same host is taken. */
export function noteAltSvc(origin: string, port: number | string, value: string): void {
  if (/^\s*clear\s*$/.test(value)) {
    known.delete(origin);
    return;
  }
  for (const part of value.split(",")) {
    const match = /^\s*h3="?:(\d+)"?\s*(.*)$/.exec(part);
    if (match === null || Number(match[1]) !== Number(port)) continue;
    const age = /;\s*ma=(\d+)/.exec(match[2]!);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(origin, performance.now() + (age === null ? 86_400 : Math.min(Number(age[1]), 604_800)) * 1000);
    return;
  }
}

/** Whether a server is known to speak HTTP/3. */
export function isKnown(origin: string): boolean {
  const until = known.get(origin);
  if (until === undefined) return false;
  if (until > performance.now()) return true;
  known.delete(origin);
  return false;
}

/** Gives a request a stream of a session, which is made where there is none. */
export function assign(exchange: Exchange): void {
  const { key, target } = exchange.route;
  const session = key === "" ? undefined : sessions.get(key);
  if (session !== undefined) {
    session.add(exchange);
    return;
  }
  const { hostname, port } = target;
  if (key !== "") {
    const others = lookups.get(key);
    if (others !== undefined) {
      others.push(exchange);
      return;
    }
  }
  const waiting = [exchange];
  if (key !== "") lookups.set(key, waiting);
  exchange.waiting = waiting;
  require("internal/fetch/connect").resolveHost(hostname, (error, addresses) => {
    if (lookups.get(key) === waiting) lookups.delete(key);
    const [first] = waiting;
    if (first === undefined) return;
    try {
      if (error !== undefined && error !== null) throw networkError(error, first.href);
      const made = connect(first, addresses!, Number(port));
      for (const each of waiting) made.add(each);
    } catch (failure) {
      for (const each of waiting) each.fail(failure);
    }
  });
}

/** Takes a request out that waits for a connection; false where it does not. */
export function forget(exchange: Exchange): boolean {
  const list = exchange.waiting ?? lookups.get(exchange.route.key);
  const index = list?.indexOf(exchange) ?? -1;
  if (index >= 0) list!.splice(index, 1);
  return sessions.get(exchange.route.key)?.forget(exchange) ?? index >= 0;
}

function connect(exchange: Exchange, addresses: string[], port: number): ClientSession {
  if (endpoint < 0) {
    endpoint = net.h3Open();
    if (endpoint < 0) {
      const errno = endpoint;
      throw networkError(require("internal/core/errors").errnoException(errno, "socket"), exchange.href);
    }
    net.setRef(endpoint, busy > 0);
  }
  const { route } = exchange;
  const { contextFor } = require("internal/fetch/tls");
  const context = contextFor(route.tls);
  const given = route.tls?.servername ?? route.tls?.serverName;
  const name = given ?? (isIP(route.target.hostname) ? "" : route.target.hostname);
  const id = net.h3Connect(
    endpoint,
    addresses[0]!,
    port,
    context.context.id,
    isIP(name) ? "" : name,
    `${name || route.target.hostname}:${port}:h3`,
    QUIC_IDLE,
  );
  if (id < 0)
    throw networkError(
      require("internal/core/errors").exceptionWithHostPort(id, "connect", addresses[0], port),
      exchange.href,
    );
  return new ClientSession(id, exchange, name || route.target.hostname, addresses.slice(1), port);
}

class ClientSession extends SessionBase {
  declare key: string;
  declare tlsOptions: Exchange["route"]["tls"];
  declare tlsName: string;
  /** Addresses that are tried if this one does not answer. */
  declare others: string[];
  declare port: number;
  declare streams: Map<number, ClientStream>;
  /** Requests that wait for the handshake; undefined after it. */
  declare pending: Exchange[] | undefined;
  declare over: boolean;
  declare counted: boolean;
  declare timer: Timeout | undefined;
  declare readonly name: string;

  constructor(id: number, exchange: Exchange, tlsName: string, others: string[], port: number) {
    super(id);
    this.key = exchange.route.key;
    this.tlsOptions = exchange.route.tls;
    this.tlsName = tlsName;
    this.others = others;
    this.port = port;
    this.streams = new Map();
    this.pending = [];
    this.over = false;
    this.counted = false;
    this.timer = undefined;
    live.add(this);
    if (this.key !== "") sessions.set(this.key, this);
    this.schedule();
  }

  add(exchange: Exchange): void {
    if (this.timer !== undefined) {
      clearTimer(this.timer);
      this.timer = undefined;
    }
    if (!this.counted) {
      this.counted = true;
      count(1);
    }
    if (this.pending === undefined) exchange.begin(new ClientStream(this, exchange));
    else this.pending.push(exchange);
  }

  /** Looks at what has come since the last time. */
  sweep(now: number): void {
    for (const stream of [...this.streams.values()]) {
      const { exchange, touched } = stream;
      if (exchange === undefined || stream.paused || now - touched < exchange.silence) continue;
      const cause: NodeError = new Error("The server was silent for too long");
      cause.code = "ETIMEDOUT";
      stream.fail(fetchError("ETIMEDOUT", exchange.href, cause, exchange.responded));
    }
  }

  /** Takes a request out that waits for the handshake. */
  forget(exchange: Exchange): boolean {
    const index = this.pending?.indexOf(exchange) ?? -1;
    if (index < 0) return false;
    this.pending!.splice(index, 1);
    if (this.pending!.length === 0) this.close();
    return true;
  }

  /** A new stream. */
  request(text: string, flags: number): number {
    return this.sendHeaders(H2_BLOCK_REQUEST, 0, text, flags);
  }

  /** Takes no more requests. */
  private retire(): void {
    this.over = true;
    if (sessions.get(this.key) === this) sessions.delete(this.key);
  }

  /** A stream is over. */
  removed(): void {
    if (this.streams.size > 0 || this.id < 0) return;
    if (this.over || this.key === "") {
      setImmediate(() => {
        if (this.streams.size === 0) this.close();
      });
      return;
    }
    this.uncount();
    this.timer ??= setSharedTimeout(() => {
      if (this.streams.size === 0) this.close();
    }, IDLE_TIME);
  }

  private uncount(): void {
    if (!this.counted) return;
    this.counted = false;
    count(-1);
  }

  private close(): void {
    this.retire();
    if (this.id < 0) return;
    this.end(NO_ERROR);
    this.gone();
  }

  private gone(): void {
    this.retire();
    this.uncount();
    if (this.timer !== undefined) clearTimer(this.timer);
    this.timer = undefined;
    live.delete(this);
  }

  // ---- events

  onConnected(): void {
    const pending = this.pending ?? [];
    const error = require("internal/fetch/tls").problemOf(this.id, this.tlsName, this.tlsOptions);
    if (error !== undefined) {
      this.pending = undefined;
      this.close();
      for (const each of pending)
        each.fail(error.own ? error.error : fetchError("HTTP3HandshakeFailed", each.href, error.error));
      return;
    }
    this.pending = undefined;
    for (const each of pending) each.begin(new ClientStream(this, each));
  }

  onHeaders(id: number, flags: number, text: string): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    stream.touched = performance.now();
    stream.head(text, (flags & END_STREAM) !== 0);
  }

  onData(id: number, bytes: ArrayBuffer): void {
    const stream = this.streams.get(id);
    if (stream !== undefined) stream.touched = performance.now();
    if (stream?.exchange?.data(new Uint8Array(bytes)) === false) stream.pause();
  }

  onEnd(id: number): void {
    this.streams.get(id)?.end();
  }

  onClosed(id: number, code: number): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    this.streams.delete(id);
    // Asked again on another connection, where nothing was done about it.
    stream.lost(code, code === REJECTED);
    this.removed();
  }

  onWritten(id: number): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    stream.touched = performance.now();
    stream.waiting = 0;
    stream.exchange?.drained();
  }

  onGoaway(): void {
    this.retire();
    if (this.streams.size === 0) this.removed();
  }

  onDrained(): void {}

  onLost(how: number, code: number, reason: string): void {
    const { pending } = this;
    this.pending = undefined;
    this.free();
    this.gone();
    if (pending !== undefined && pending.length > 0) {
      this.lostEarly(pending, how, code, reason);
      return;
    }
    const streams = [...this.streams.values()];
    this.streams.clear();
    for (const stream of streams) {
      const { exchange } = stream;
      // The server has gone away: another one may be there, or the same anew.
      const again =
        (how === LOST_CLOSED || how === LOST_RESET) &&
        exchange !== undefined &&
        !exchange.responded &&
        exchange.repeatable &&
        !exchange.retried;
      stream.connectionLost(again, lostError(how, code, reason, exchange));
    }
  }

  /** There was no handshake. */
  private lostEarly(pending: Exchange[], how: number, code: number, reason: string): void {
    const [first] = pending;
    if (how === LOST_TIMED_OUT && this.others.length > 0) {
      try {
        const next = connect(first!, this.others, this.port);
        for (const each of pending) next.add(each);
        return;
      } catch {
        // Told of below.
      }
    }
    for (const each of pending) each.fail(lostError(how, code, reason, each, true));
  }
}

function lostError(
  how: number,
  code: number,
  reason: string,
  exchange: Exchange | undefined,
  handshake = false,
): TypeError {
  const cause: NodeError = new Error(reason === "" ? `The server has closed the connection with code ${code}` : reason);
  let name = handshake ? "HTTP3HandshakeFailed" : "HTTP3StreamReset";
  if (how === LOST_TIMED_OUT) {
    cause.code = "ETIMEDOUT";
    name = handshake ? "ConnectionRefused" : "ETIMEDOUT";
  } else if (how === LOST_CLOSED || how === LOST_RESET) {
    cause.code = "ECONNRESET";
  } else if (how === LOST_TRANSPORT || how === LOST_VERSION) {
    cause.code = "EPROTO";
  } else {
    name = "HTTP3ProtocolError";
  }
  return fetchError(name, exchange?.href ?? "", cause, exchange?.responded ?? false);
}

Object.assign(ClientSession.prototype, { name: "HTTP3" });
