/**
 * fetch over HTTP/2 (its option `protocol: "http2"`): requests to one server share a connection, see internal/fetch/streams.
 */
import { fetchError } from "internal/fetch/errors";
import { ClientStream, NO_ERROR } from "internal/fetch/streams";
import { SessionBase } from "internal/http/http2/native";
import { clearTimer, setSharedTimeout } from "internal/core/timers";
import type { Timeout } from "internal/core/timers";
import type { Connection } from "internal/fetch/connection";
import type { Errand } from "internal/fetch/types";
import type { Exchange } from "internal/fetch/exchange";
import { H2_BLOCK_REQUEST } from "internal/net/native_constants";

const net = native("net");

const END_STREAM = 4;
const IDLE_TIME = 60_000;
const LIMITS = new Array(15).fill(NaN);
/** No promises; what a server may send ahead on one stream, and on all. */
const WINDOW = 1 << 20;
const SETTINGS = [2, 0, 4, WINDOW];
const ALL_WINDOWS = 4 << 20;

/** Bun's names of errors of a connection, by their codes in GOAWAY (RFC 9113, 7) and by nghttp2's; others are a ProtocolError. */
const ERRORS: Record<number, string | undefined> = {
  3: "FlowControlError",
  6: "FrameSizeError",
  9: "CompressionError",
};
const NGHTTP2_ERRORS: Record<number, string | undefined> = {
  [-522]: "FrameSizeError",
  [-523]: "CompressionError",
  [-524]: "FlowControlError",
};

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
  declare readonly name: string;

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
    this.timer ??= setSharedTimeout(() => {
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

  // ---- commands, see StreamSession

  request(text: string, flags: number): number {
    return net.h2Headers(this.id, H2_BLOCK_REQUEST, 0, text, flags);
  }

  write(stream: number, body: string | Uint8Array, end: boolean): void {
    net.h2Write(this.id, stream, body, 0, end);
  }

  shut(stream: number): void {
    net.h2Shut(this.id, stream);
  }

  setReading(stream: number, on: boolean): void {
    net.h2Reading(this.id, stream, on);
  }

  reset(stream: number, code: number): void {
    net.h2Reset(this.id, stream, code);
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

  onError(code: number): void {
    this.broken(NGHTTP2_ERRORS[code]);
  }

  onTerminated(code: number): void {
    this.broken(ERRORS[code]);
  }

  /** The server does not keep to the protocol: what is wrong, as the code of the error names it. */
  private broken(what = "ProtocolError"): void {
    this.retire();
    setImmediate(() => {
      if (this.id < 0) return;
      net.h2Flush(this.id);
      this.failAll(`HTTP2${what}`);
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

Object.assign(ClientSession.prototype, { name: "HTTP2" });
