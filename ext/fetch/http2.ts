/**
 * fetch over HTTP/2 (its option `protocol: "http2"`): requests to one server share a connection. What an Exchange sees of it is an object
 * with the methods of a Connection of HTTP/1.1.
 */
import { connectionClosed, fetchError } from "internal/fetch/errors";
import { SessionBase } from "internal/http/http2/native";
import { clearTimer, setUnrefTimeout } from "internal/core/timers";
import type { Timeout } from "internal/core/timers";
import type { Connection } from "internal/fetch/connection";
import type { Errand } from "internal/fetch/types";
import type { Exchange } from "internal/fetch/exchange";
import { H2_BLOCK_REQUEST } from "internal/net/native_constants";

const net = native("net");

const NO_ERROR = 0;
const REFUSED_STREAM = 7;
const CANCEL = 8;
const END_STREAM = 4;
const IDLE_TIME = 60_000;
/** Bytes of a body that may wait in native code. */
const AHEAD = 256 * 1024;
const LIMITS = new Array(15).fill(NaN);
/** No promises; what a server may send ahead on one stream, and on all. */
const WINDOW = 1 << 20;
const SETTINGS = [2, 0, 4, WINDOW];
const ALL_WINDOWS = 4 << 20;

/** Connections by {@link Route.key}, also those that are being made. */
const sessions = new Map<string, ClientSession | Attempt>();

/** A connection on its way, and who waits for it. */
class Attempt {
  declare exchanges: Exchange[];

  constructor(exchange: Exchange) {
    this.exchanges = [exchange];
  }

  add(exchange: Exchange): void {
    this.exchanges.push(exchange);
  }
}

/** Servers, by {@link Route.key}, that were offered HTTP/2 and chose HTTP/1.1. */
const declined = new Set<string>();

/** The same request over HTTP/1.1. */
function withoutHttp2(exchange: Exchange): Exchange {
  const { route } = exchange;
  exchange.route = { ...route, key: route.key.replace(/ h2$/, ""), http2: false };
  return exchange;
}

/**
 * Gives a request a stream of a connection, which `dial` makes where there is none. `http1` gives it a connection of HTTP/1.1, where
 * HTTP/2 is only offered.
 */
export function assign(
  exchange: Exchange,
  dial: (placeholder: Errand) => void,
  http1: (exchange: Exchange) => void,
): void {
  const { key, http2 } = exchange.route;
  if (http2 === "offered" && declined.has(key)) {
    http1(withoutHttp2(exchange));
    return;
  }
  const known = key === "" ? undefined : sessions.get(key);
  if (known !== undefined) {
    known.add(exchange);
    return;
  }
  const attempt = new Attempt(exchange);
  if (key !== "") sessions.set(key, attempt);
  const forgetAttempt = () => {
    if (sessions.get(key) === attempt) sessions.delete(key);
  };
  const placeholder = {
    route: exchange.route,
    href: exchange.href,
    connection: undefined,
    silence: exchange.silence,
    options: exchange.options,
    fail(error: unknown) {
      forgetAttempt();
      for (const each of attempt.exchanges) each.fail(error);
    },
    settled() {},
    /** Nothing of its own waits to be written: what a proxy was told is a head. */
    drained() {},
    /** The handshake is over. */
    secured(connection: Connection, protocol: string) {
      if (protocol !== "h2" && http2 === "offered") {
        forgetAttempt();
        if (declined.size > 1000) declined.clear();
        if (key !== "") declined.add(key);
        const [first, ...others] = attempt.exchanges.map(withoutHttp2);
        if (first === undefined) {
          connection.close();
        } else {
          connection.route = first.route;
          connection.begin(first, false);
        }
        for (const each of others) http1(each);
        return;
      }
      if (protocol !== "h2") {
        connection.fail(fetchError("HTTP2Unsupported", exchange.href));
        return;
      }
      forgetAttempt();
      const session = new ClientSession(connection, key);
      for (const each of attempt.exchanges) session.add(each);
    },
  };
  // Who is aborted meanwhile waits no longer.
  exchange.connection = undefined;
  dial(placeholder);
}

/** Takes a request out that waits for a connection; false where it does not. */
export function forget(exchange: Exchange): boolean {
  const known = sessions.get(exchange.route.key);
  if (!(known instanceof Attempt)) return false;
  const index = known.exchanges.indexOf(exchange);
  if (index === -1) return false;
  known.exchanges.splice(index, 1);
  return true;
}

class ClientSession extends SessionBase {
  declare carrier: Connection;
  declare key: string;
  declare streams: Map<number, ClientStream>;
  declare over: boolean;
  declare timer: Timeout | undefined;

  constructor(carrier: Connection, key: string) {
    super(false, LIMITS);
    this.carrier = carrier;
    this.key = key;
    this.streams = new Map();
    this.over = false;
    this.timer = undefined;
    carrier.detach(this);
    net.h2Settings(this.id, SETTINGS);
    net.h2Window(this.id, ALL_WINDOWS);
    net.h2Consume(this.id, carrier.id);
    if (key !== "") sessions.set(key, this);
    this.schedule();
  }

  add(exchange: Exchange): void {
    if (this.timer !== undefined) {
      clearTimer(this.timer);
      this.timer = undefined;
    }
    if (this.streams.size === 0) net.setRef(this.carrier.id, true);
    exchange.begin(new ClientStream(this, exchange));
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
    net.setRef(this.carrier.id, false);
    this.timer ??= setUnrefTimeout(() => {
      if (this.streams.size === 0) this.close();
    }, IDLE_TIME);
  }

  private close(): void {
    this.retire();
    if (this.id < 0) return;
    net.h2Close(this.id, NO_ERROR, true);
    this.carrier.close();
    this.free();
  }

  // ---- events

  onHeaders(id: number, flags: number, text: string): void {
    this.streams.get(id)?.head(text, (flags & END_STREAM) !== 0);
  }

  onData(id: number, bytes: ArrayBuffer): void {
    const stream = this.streams.get(id);
    if (stream?.exchange?.data(new Uint8Array(bytes)) === false) stream.pause();
  }

  onEnd(id: number): void {
    this.streams.get(id)?.end();
  }

  onClosed(id: number, code: number): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    this.streams.delete(id);
    stream.lost(code);
    this.removed();
  }

  onWritten(id: number): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    stream.waiting = 0;
    stream.exchange?.drained();
  }

  onSettings(): void {}
  onSettingsAck(): void {}
  onPing(): void {}
  onPriority(): void {}
  onWantTrailers(): void {}
  onAltSvc(): void {}
  onOrigin(): void {}

  onFrameError(id: number): void {
    const stream = this.streams.get(id);
    stream?.fail(fetchError("HTTP2HeadersTooLarge", stream.exchange?.href ?? ""));
  }

  onGoaway(): void {
    this.retire();
    if (this.streams.size === 0) this.removed();
  }

  onError(): void {
    this.broken();
  }

  onTerminated(): void {
    this.broken();
  }

  /** The server does not keep to the protocol. */
  private broken(): void {
    this.retire();
    setImmediate(() => {
      if (this.id < 0) return;
      net.h2Flush(this.id);
      this.failAll("HTTP2ProtocolError");
      this.carrier.close();
      this.free();
    });
  }

  private failAll(code: string | undefined): void {
    const streams = [...this.streams.values()];
    this.streams.clear();
    for (const stream of streams) stream.disconnected(code);
  }

  // ---- from the socket

  disconnected(): void {
    this.retire();
    this.free();
    this.failAll(undefined);
  }

  drained(): void {}
}

/** Heads of requests by their form in HTTP/1.1. */
const heads = new Map<string, string>();
const MAX_HEADS = 100;

/** The fields of a request. */
function fieldsOf(head: string, scheme: string): string {
  const lines = head.split("\r\n");
  const first = lines[0]!;
  const space = first.indexOf(" ");
  let authority = "";
  let rest = "";
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i]!;
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    switch (name) {
      case "host":
        authority = value;
        break;
      case "connection":
      case "transfer-encoding":
      case "keep-alive":
      case "upgrade":
      case "proxy-connection":
      case "http2-settings":
        break;
      case "te":
        if (value === "trailers") rest += "te\0trailers\0";
        break;
      default:
        rest += `${name}\0${value}\0`;
    }
  }
  const path = first.slice(space + 1, first.lastIndexOf(" "));
  return `:method\0${first.slice(0, space)}\0:scheme\0${scheme}\0:authority\0${authority}\0:path\0${path}\0${rest}`;
}

/** One request and its response. */
class ClientStream {
  declare session: ClientSession;
  declare exchange: Exchange | undefined;
  declare stream: number;
  /** The head, and what follows it at once, before they are sent. */
  declare pending: { head: string; body: string | Uint8Array | undefined } | undefined;
  declare waiting: number;
  declare requestDone: boolean;
  declare ended: boolean;
  // Of connections of HTTP/1.1.
  declare persistent: boolean;
  declare idleTime: number;
  declare closed: boolean;

  constructor(session: ClientSession, exchange: Exchange) {
    this.session = session;
    this.exchange = exchange;
    this.stream = 0;
    this.pending = undefined;
    this.waiting = 0;
    this.requestDone = false;
    this.ended = false;
    this.persistent = true;
    this.idleTime = 0;
    this.closed = false;
    exchange.connection = this;
  }

  // ---- the request

  write(head: string, body: string | Uint8Array | undefined): boolean {
    // The end of a coding that this protocol has no need of.
    if (this.stream !== 0) return true;
    this.pending = { head, body };
    queueMicrotask(() => this.start(false));
    return true;
  }

  /** Opens the stream. `end`: nothing follows. */
  private start(end: boolean): void {
    const { pending, session } = this;
    if (pending === undefined || this.closed) return;
    this.pending = undefined;
    let fields = heads.get(pending.head);
    if (fields === undefined) {
      fields = fieldsOf(pending.head, "https");
      if (heads.size < MAX_HEADS) heads.set(pending.head, fields);
    }
    const { body } = pending;
    const id = net.h2Headers(session.id, H2_BLOCK_REQUEST, 0, fields, end && body === undefined ? 1 : 0);
    if (id < 0) {
      this.fail(fetchError("HTTP2StreamUnavailable", this.exchange!.href));
      return;
    }
    this.stream = id;
    session.streams.set(id, this);
    net.h2Reading(session.id, id, true);
    if (body !== undefined) {
      net.h2Write(session.id, id, body, 0, end);
      this.waiting += (body as Uint8Array).byteLength ?? body.length;
    }
    session.schedule();
  }

  writeChunk(bytes: Uint8Array, _chunked: boolean): boolean {
    this.start(false);
    if (this.closed || this.stream === 0) return true;
    net.h2Write(this.session.id, this.stream, bytes, 0, false);
    this.session.schedule();
    this.waiting += bytes.byteLength;
    return this.waiting < AHEAD;
  }

  requestEnded(): void {
    this.requestDone = true;
    if (this.stream === 0) this.start(true);
    else if (!this.closed) {
      net.h2Shut(this.session.id, this.stream);
      this.session.schedule();
    }
  }

  // ---- the response

  head(text: string, complete: boolean): void {
    const { exchange } = this;
    if (exchange === undefined || exchange.responded) return;
    const end = text.indexOf("\0", 8);
    const status = Number(text.slice(8, end === -1 ? text.length : end));
    if (status < 200) return;
    this.ended = complete;
    exchange.received(this, status, end === -1 ? "" : text.slice(end), complete, undefined);
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    const { exchange } = this;
    if (exchange === undefined) return;
    exchange.ended();
    if (this.exchange === exchange) this.responseEnded();
  }

  responseEnded(): void {
    this.ended = true;
    this.release();
  }

  release(): void {
    const { exchange } = this;
    this.exchange = undefined;
    if (exchange !== undefined) {
      exchange.connection = undefined;
      exchange.settled();
    }
    if (!this.ended || !this.requestDone) this.reset(this.ended ? NO_ERROR : CANCEL);
  }

  private reset(code: number): void {
    this.pending = undefined;
    if (this.closed || this.stream === 0) {
      if (!this.closed) {
        this.closed = true;
        this.session.removed();
      }
      return;
    }
    net.h2Reset(this.session.id, this.stream, code);
    this.session.schedule();
  }

  fail(error: TypeError): void {
    const { exchange } = this;
    this.exchange = undefined;
    this.reset(CANCEL);
    if (exchange === undefined) return;
    exchange.connection = undefined;
    exchange.fail(error);
  }

  abandon(): void {
    this.release();
  }

  gather(): boolean {
    return false;
  }

  pause(): void {
    if (!this.closed) net.h2Reading(this.session.id, this.stream, false);
  }

  resume(): void {
    if (this.closed || this.session.id < 0) return;
    net.h2Reading(this.session.id, this.stream, true);
    this.session.schedule();
  }

  /** The stream is no more. */
  lost(code: number): void {
    this.closed = true;
    const { exchange } = this;
    if (exchange === undefined) return;
    this.exchange = undefined;
    exchange.connection = undefined;
    // The server has done nothing yet.
    if (code === REFUSED_STREAM && !exchange.responded && exchange.repeatable) {
      exchange.start();
      return;
    }
    const cause: NodeError = new Error(`The server has closed the stream with code ${code}`);
    cause.code = "ECONNRESET";
    exchange.fail(fetchError("ECONNRESET", exchange.href, cause, exchange.responded));
  }

  /** So is the connection. */
  disconnected(code: string | undefined): void {
    this.closed = true;
    const { exchange } = this;
    if (exchange === undefined) return;
    this.exchange = undefined;
    exchange.connection = undefined;
    exchange.fail(
      code === undefined
        ? connectionClosed(exchange.href, undefined, exchange.responded)
        : fetchError(code, exchange.href, undefined, exchange.responded),
    );
  }
}
