/**
 * A server's connections: one object is both the socket and the parser of requests to native code. Requests that come in while
 * one is being answered wait.
 */
import { maxHeaderSize } from "internal/http/common";
import { table } from "internal/net/native";
import { guard } from "internal/serve/guard";
import { IncomingRequest, isTarget } from "internal/serve/request";
import type { ServerImpl } from "internal/serve/server";
import {
  ENCODING_LATIN1,
  ENCODING_UTF8,
  HEAD_CHUNKED,
  HEAD_COMPLETE,
  HEAD_HAS_EXPECT,
  HEAD_HAS_HOST,
  HEAD_KEEP_ALIVE,
  HEAD_MAJOR_SHIFT,
  HEAD_MINOR_SHIFT,
  HEAD_ODD_HOST,
  TLS_EVENT_HELLO,
  TLS_HELLO_EVENT,
  WRITTEN_LATER,
} from "internal/net/native_constants";
import type { FrameData } from "internal/fetch/types";
import type { ServerSession } from "internal/serve/http2";
import type { Peer } from "internal/serve/websocket";

const net = native("net");
/** Requests that may wait on one connection. */
const MAX_WAITING = 16;

/** More than the longest patience, in sweeps. */
const PATIENCE = 1024;

/** What a connection has beyond one that waits for a request: made with the first of it, given up between two requests. */
class Busy {
  /** Requests behind the one that is being answered. */
  waiting: IncomingRequest[] | undefined = undefined;
  /** The request whose body is coming in. */
  receiving: IncomingRequest | undefined = undefined;
  /** Bytes of that body. */
  received: number = 0;
  /** Bytes that had come when a sweep last looked, while native code gathers a body. */
  gathered: number = 0;
  /** Bytes that had gone when a sweep last looked, while the system sends a file; 0 for no file. */
  sending: number = 0;
  /** No request after this one. */
  last: boolean = false;
  /** Closes once everything is written. */
  ending: boolean = false;
  /** What is answered, before it hangs up, when the requests before are done. */
  refusal: string | undefined = undefined;
  /** Whether nothing is read. */
  paused: boolean = false;
  /** Called when the system has taken what was written. */
  drained: (() => void) | undefined = undefined;
  /** Called when the client goes away. */
  gone: (() => void) | undefined = undefined;
  /** What carries its requests where it speaks HTTP/2, see internal/serve/http2. */
  h2: ServerSession | undefined = undefined;

  /** Whether nothing of it is needed by a connection that waits for a request. */
  isOver(): boolean {
    return (
      this.receiving === undefined &&
      this.drained === undefined &&
      this.gone === undefined &&
      this.h2 === undefined &&
      this.refusal === undefined &&
      this.sending === 0 &&
      !this.last &&
      !this.ending &&
      !this.paused
    );
  }
}

export class ServerConnection {
  /** Of the socket and of its parser; -1 when closed. */
  declare id: number;
  declare context: undefined;
  declare onclose: undefined;
  declare server: ServerImpl;
  /** The request that is being answered. */
  declare current: IncomingRequest | undefined;
  /** `touched` and `patience` in one number: there may be very many connections, and each field takes eight bytes. */
  declare times: number;
  /** The WebSocket that it has become. */
  declare socket: Peer | undefined;
  /** Undefined for a connection that waits for a request, of which there may be very many. */
  declare busy: Busy | undefined;
  /** Whether this is a stream of HTTP/2 and stands for a connection: requests are told apart by this, not by what they say. */
  declare readonly isStream: boolean;

  constructor(server: ServerImpl, id: number) {
    this.id = id;
    this.server = server;
    this.current = undefined;
    this.socket = undefined;
    this.busy = undefined;
    this.times = server.now * PATIENCE + server.idleTimeout;
    table[id] = this;
    server.open++;
    net.httpServe(id, maxHeaderSize());
    if (!server.unix) net.setOption(id, 6 /* IPPROTO_TCP */, 1 /* TCP_NODELAY */, 1);
    if (server.tls !== undefined) server.tls.begin(id);
    net.readStart(id);
  }

  /** Whether it is closed. */
  get closed(): boolean {
    return this.id < 0;
  }

  /** When something was last heard or sent, as `now` of the server. */
  get touched(): number {
    return Math.floor(this.times / PATIENCE);
  }
  set touched(now: number) {
    this.times = now * PATIENCE + this.patience;
  }

  /** Sweeps of silence before it is closed; 0 for any number. */
  get patience(): number {
    return this.times % PATIENCE;
  }
  set patience(sweeps: number) {
    this.times = this.touched * PATIENCE + sweeps;
  }

  // ---- the fields of Busy

  get waiting(): IncomingRequest[] | undefined {
    return this.busy === undefined ? undefined : this.busy.waiting;
  }
  set waiting(value: IncomingRequest[] | undefined) {
    if (this.busy !== undefined || value !== undefined) (this.busy ??= new Busy()).waiting = value;
  }

  get receiving(): IncomingRequest | undefined {
    return this.busy === undefined ? undefined : this.busy.receiving;
  }
  set receiving(value: IncomingRequest | undefined) {
    if (this.busy !== undefined || value !== undefined) (this.busy ??= new Busy()).receiving = value;
  }

  get received(): number {
    return this.busy === undefined ? 0 : this.busy.received;
  }
  set received(value: number) {
    if (this.busy !== undefined || value !== 0) (this.busy ??= new Busy()).received = value;
  }

  get gathered(): number {
    return this.busy === undefined ? 0 : this.busy.gathered;
  }
  set gathered(value: number) {
    if (this.busy !== undefined || value !== 0) (this.busy ??= new Busy()).gathered = value;
  }

  get sending(): number {
    return this.busy === undefined ? 0 : this.busy.sending;
  }
  set sending(value: number) {
    if (this.busy !== undefined || value !== 0) (this.busy ??= new Busy()).sending = value;
  }

  get last(): boolean {
    return this.busy === undefined ? false : this.busy.last;
  }
  set last(value: boolean) {
    if (this.busy !== undefined || value !== false) (this.busy ??= new Busy()).last = value;
  }

  get ending(): boolean {
    return this.busy === undefined ? false : this.busy.ending;
  }
  set ending(value: boolean) {
    if (this.busy !== undefined || value !== false) (this.busy ??= new Busy()).ending = value;
  }

  get refusal(): string | undefined {
    return this.busy === undefined ? undefined : this.busy.refusal;
  }
  set refusal(value: string | undefined) {
    if (this.busy !== undefined || value !== undefined) (this.busy ??= new Busy()).refusal = value;
  }

  get paused(): boolean {
    return this.busy === undefined ? false : this.busy.paused;
  }
  set paused(value: boolean) {
    if (this.busy !== undefined || value !== false) (this.busy ??= new Busy()).paused = value;
  }

  get drained(): (() => void) | undefined {
    return this.busy === undefined ? undefined : this.busy.drained;
  }
  set drained(value: (() => void) | undefined) {
    if (this.busy !== undefined || value !== undefined) (this.busy ??= new Busy()).drained = value;
  }

  get gone(): (() => void) | undefined {
    return this.busy === undefined ? undefined : this.busy.gone;
  }
  set gone(value: (() => void) | undefined) {
    if (this.busy !== undefined || value !== undefined) (this.busy ??= new Busy()).gone = value;
  }

  get h2(): ServerSession | undefined {
    return this.busy === undefined ? undefined : this.busy.h2;
  }
  set h2(value: ServerSession | undefined) {
    if (this.busy !== undefined || value !== undefined) (this.busy ??= new Busy()).h2 = value;
  }

  // ---- calls from native code: the parser

  head(info: number, text: string, body: ArrayBuffer | undefined): void {
    const { server } = this;
    this.touched = server.now;
    if (this.ending || this.closed || this.refusal !== undefined) return;
    if (!server.http1) {
      this.refuse("505 HTTP Version Not Supported");
      return;
    }
    // The parser takes HTTP/0.9 and HTTP/2.0 for the sake of node:http, as Node does.
    if (((info >> HEAD_MAJOR_SHIFT) & 15) !== 1) {
      this.refuse("505 HTTP Version Not Supported");
      return;
    }
    if ((info & HEAD_KEEP_ALIVE) === 0) this.last = true;
    const minor = (info >> HEAD_MINOR_SHIFT) & 15;
    // Chunks are not of HTTP/1.0: whoever is before this server may see the end of such a request elsewhere (RFC 9112, 6.1).
    if (
      (minor === 0 ? (info & HEAD_CHUNKED) !== 0 : (info & HEAD_HAS_HOST) === 0) ||
      (info & HEAD_ODD_HOST) !== 0 ||
      (text.charCodeAt(0) !== 47 /* / */ && !isTarget(text, info))
    ) {
      this.refuse("400 Bad Request");
      return;
    }
    const request = new IncomingRequest(this, info, text, body);
    if ((info & HEAD_COMPLETE) === 0) {
      if (!this.begin(request)) return;
    } else if (body !== undefined && body.byteLength > server.maxBody) {
      this.refuse("413 Request Entity Too Large");
      return;
    }
    if (this.current !== undefined) {
      const waiting = (this.waiting ??= []);
      waiting.push(request);
      if (waiting.length >= MAX_WAITING) this.pause();
      return;
    }
    this.current = request;
    server.dispatch(request);
  }

  /** A request whose body has not come yet, or that has none but is to change the protocol. */
  private begin(request: IncomingRequest): boolean {
    const { server } = this;
    const length = request.header("content-length");
    if (length !== undefined && Number(length) > server.maxBody) {
      this.refuse("413 Request Entity Too Large");
      return false;
    }
    this.receiving = request;
    this.received = 0;
    if (length === undefined && request.header("transfer-encoding") === undefined) return true;
    const { Incoming } = require("internal/fetch/incoming");
    request.incoming = new Incoming(this, undefined, undefined);
    request.incoming.expected = length === undefined ? 0 : Number(length);
    if ((request.info & HEAD_HAS_EXPECT) !== 0 && /^100-continue$/i.test(request.header("expect")!)) {
      net.write(this.id, "HTTP/1.1 100 Continue\r\n\r\n", ENCODING_LATIN1, undefined, ENCODING_UTF8);
    }
    return true;
  }

  body(bytes: ArrayBuffer): void {
    this.touched = this.server.now;
    const request = this.receiving;
    if (request === undefined) return;
    this.received += bytes.byteLength;
    if (this.received > this.server.maxBody) {
      const { DOMException } = require("web/dom_exception");
      request.incoming?.fail(
        new DOMException("The request body is larger than maxRequestBodySize", "QuotaExceededError"),
      );
      if (request.done || request !== this.current) this.close();
      else this.refuse("413 Request Entity Too Large");
      return;
    }
    // Nobody reads the body of a request that has been answered.
    if (request.incoming !== undefined && !request.incoming.push(new Uint8Array(bytes)) && !request.done) this.pause();
  }

  end(_trailers: string | undefined): void {
    const request = this.receiving;
    this.receiving = undefined;
    this.gathered = 0;
    request?.incoming?.finish();
    if (this.ending && !this.closed) this.finishEnding();
  }

  failed(code: string, _reason: string, _parsed: number, packet: ArrayBuffer): void {
    // A client that knows already what is spoken here.
    if (code === "HPE_PAUSED_H2_UPGRADE" && this.server.http2 && this.current === undefined) {
      this.becomeHttp2(packet);
      return;
    }
    if (code === "HPE_INVALID_METHOD" && this.server.http2 && this.current === undefined) {
      // Neither HTTP/1 nor the preface of HTTP/2: an answer would mean nothing to whoever this is (RFC 9113, 3.4).
      this.close();
      return;
    }
    this.refuse(code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request");
  }

  upgraded(): void {}

  /** Answers what cannot be a request, behind the answers that are under way, and hangs up. */
  private refuse(status: string): void {
    const { current, receiving } = this;
    if (this.closed) return;
    if (this.ending) {
      // The answer was the last; nothing of its request's body is waited for any more.
      if (receiving === undefined) return;
      this.receiving = undefined;
      receiving.incoming?.fail(aborted());
      this.finishEnding();
      return;
    }
    if (current !== undefined && receiving !== current) {
      this.refusal = status;
      return;
    }
    this.receiving = undefined;
    if (current !== undefined) {
      // It is this request's body that is wrong.
      if (this.gone !== undefined) {
        this.close();
        return;
      }
      this.current = undefined;
      current.done = true;
      this.server.settled();
      current.abort();
      current.incoming?.fail(aborted());
    }
    this.hangUpWith(status);
  }

  private hangUpWith(status: string): void {
    this.ending = true;
    net.write(this.id, `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, ENCODING_LATIN1, undefined, ENCODING_UTF8);
    this.finishEnding();
  }

  // ---- calls from native code: the socket

  /** Only the end comes here. */
  onread(): void {
    this.close();
  }

  /** A frame of a WebSocket. */
  frame(first: number, data: FrameData): void {
    this.touched = this.server.now;
    this.socket?.frame(first, data);
  }

  written(errno: number): void {
    this.touched = this.server.now;
    if (errno < 0) {
      this.close();
      return;
    }
    const { drained } = this;
    if (drained !== undefined) {
      this.drained = undefined;
      drained();
    } else if (this.socket !== undefined) {
      this.socket.drained();
    } else if (this.ending) {
      this.finishEnding();
    }
  }

  ontls(kind: number, first: string, second: string): void {
    if (this.closed) return;
    if ((kind & TLS_HELLO_EVENT) === TLS_EVENT_HELLO) this.server.tls!.choose(this.id, first, second);
    else if (kind !== 0 || (this.server.tls!.requestCert && !this.server.tls!.admits(this.id))) this.close();
    else {
      if (this.server.http2 && net.tlsDescribe(this.id)[2] === "h2") this.becomeHttp2(undefined);
      net.tlsRelease(this.id);
    }
  }

  /** Speaks HTTP/2 from now on; `early` has come already. */
  private becomeHttp2(early: ArrayBuffer | undefined): void {
    net.httpFree(this.id);
    const { ServerSession } = require("internal/serve/http2");
    this.h2 = new ServerSession(this, early);
  }

  // ---- flow

  pause(): void {
    if (this.paused || this.closed) return;
    this.paused = true;
    net.readStop(this.id);
  }

  resume(): void {
    if (!this.paused || this.closed) return;
    this.paused = false;
    net.readStart(this.id);
  }

  /** Has native code put a body of known length together behind `early`: it comes as one piece. */
  gather(early: Uint8Array, expected: number): boolean {
    if (expected === 0 || this.closed) return false;
    net.httpCollect(this.id, early, Math.max(expected - early.byteLength, 0));
    // What native code hands on counts anew.
    this.received = 0;
    this.gathered = net.byteCounts(this.id)[0];
    return true;
  }

  /** Nobody wants the rest of a request's body: it is read and thrown away. */
  abandon(): void {
    this.resume();
  }

  /** Writes bytes or a string; false where `drained` is called once the system has them. */
  write(data: Uint8Array, latin1 = false): boolean {
    this.touched = this.server.now;
    return (
      this.closed ||
      net.write(this.id, data, latin1 ? ENCODING_LATIN1 : ENCODING_UTF8, undefined, ENCODING_UTF8) !== WRITTEN_LATER
    );
  }

  /** Speaks WebSocket from now on. */
  becomeSocket(request: IncomingRequest, socket: Peer, patience: number): void {
    net.httpFree(this.id);
    this.socket = socket;
    this.patience = patience;
    this.last = false;
    this.current = undefined;
    this.receiving = undefined;
    this.waiting = undefined;
    request.done = true;
    this.server.settled();
    this.resume();
  }

  // ---- the end of a request, and of the connection

  /** The response has been handed to the system. */
  finished(request: IncomingRequest): void {
    // The client has gone meanwhile.
    if (request.done) return;
    request.done = true;
    this.gone = undefined;
    this.current = undefined;
    this.server.settled();
    if (this.last) {
      const { waiting } = this;
      if (waiting === undefined || waiting.length === 0) {
        this.ending = true;
        this.finishEnding();
        return;
      }
    }
    if (this.paused) this.resume();
    const next = this.waiting?.shift();
    if (next !== undefined) {
      this.current = next;
      this.server.dispatch(next);
    } else if (this.refusal !== undefined) {
      this.hangUpWith(this.refusal);
    } else if (this.server.stopping) {
      this.close();
    } else if (this.busy !== undefined && this.busy.isOver()) {
      this.busy = undefined;
    }
  }

  /** Closes when everything is written, and read: unread bytes would make the system tear the connection down. */
  private finishEnding(): void {
    if (this.closed) return;
    const result = net.shutdown(this.id);
    if (this.receiving === undefined && result !== WRITTEN_LATER) this.close();
  }

  close(): void {
    if (this.closed) return;
    const { id, current, waiting, gone } = this;
    this.id = -1;
    this.server.open--;
    net.httpFree(id);
    const { h2 } = this;
    if (h2 !== undefined) {
      this.current = undefined;
      this.h2 = undefined;
      h2.disconnected();
    }
    net.close(id, false);
    this.current = undefined;
    this.waiting = undefined;
    this.drained = undefined;
    this.gone = undefined;
    const { receiving } = this;
    this.receiving = undefined;
    if (current !== undefined && !current.done && h2 === undefined) {
      current.done = true;
      this.server.settled();
      current.abort();
      gone?.();
    }
    if (waiting !== undefined) for (const request of waiting) request.done = true;
    receiving?.incoming?.fail(aborted());
    this.socket?.disconnected();
    this.server.connectionClosed();
  }
}

/** Closes a connection and tells no handler of it. */
export function abandon(connection: ServerConnection): void {
  connection.current = undefined;
  connection.waiting = undefined;
  connection.receiving = undefined;
  connection.gone = undefined;
  connection.socket = undefined;
  connection.close();
}

guard(
  ServerConnection.prototype,
  ["head", "body", "end", "failed", "onread", "frame", "written", "ontls"],
  (connection, error) => connection.server.broken(connection, error),
);

// The same for all of them: there may be very many.
Object.assign(ServerConnection.prototype, { context: undefined, onclose: undefined, isStream: false });

function aborted() {
  const { DOMException } = require("web/dom_exception");
  return new DOMException("The connection was closed.", "AbortError");
}
