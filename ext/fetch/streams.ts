/**
 * Requests of fetch that share a connection: what an Exchange sees of one is an object with the methods of a Connection of HTTP/1.1. What
 * carries them, HTTP/2 or HTTP/3, is a {@link StreamSession}.
 */
import { connectionClosed, fetchError } from "internal/fetch/errors";
import type { Exchange } from "internal/fetch/exchange";

/** Codes of HTTP/2, which stand for those of HTTP/3, too. */
export const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;
const REFUSED_STREAM = 7;
const CANCEL = 8;
/** How often a request is sent anew that a server refuses, as in Bun. */
const MAX_REFUSALS = 5;
/** Bytes of a body that may wait in native code. */
const AHEAD = 256 * 1024;

/** The session of a connection. Texts of fields are `name NUL value NUL`; commands are sent with the next {@link schedule}. */
interface StreamSession {
  readonly id: number;
  readonly streams: Map<number, ClientStream>;
  /** Begins the codes of its errors. */
  readonly name: string;
  /** A new stream, or a negative number. */
  request(text: string, flags: number): number;
  write(stream: number, body: string | Uint8Array, end: boolean): void;
  shut(stream: number): void;
  setReading(stream: number, on: boolean): void;
  reset(stream: number, code: number): void;
  schedule(): void;
  /** A stream is over. */
  removed(): void;
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
export class ClientStream {
  declare session: StreamSession;
  declare exchange: Exchange | undefined;
  declare stream: number;
  /** The head, and what follows it at once, before they are sent. */
  declare pending: { head: string; body: string | Uint8Array | undefined } | undefined;
  declare waiting: number;
  /** When something came of the server last, and whether nothing more is wanted of it now. */
  declare touched: number;
  declare paused: boolean;
  declare requestDone: boolean;
  declare ended: boolean;
  // Of connections of HTTP/1.1.
  declare persistent: boolean;
  declare idleTime: number;
  declare closed: boolean;

  constructor(session: StreamSession, exchange: Exchange) {
    this.session = session;
    this.exchange = exchange;
    this.stream = 0;
    this.pending = undefined;
    this.waiting = 0;
    this.touched = performance.now();
    this.paused = false;
    this.requestDone = false;
    this.ended = false;
    this.persistent = true;
    this.idleTime = 0;
    this.closed = false;
    exchange.connection = this;
  }

  // ---- the request

  write(head: string, body: string | Uint8Array | undefined): boolean {
    // The end of a coding that this protocol has no need of; the head of an empty body may not have gone yet.
    if (this.stream !== 0 || this.pending !== undefined) return true;
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
    const id = session.request(fields, end && body === undefined ? 1 : 0);
    if (id < 0) {
      this.fail(fetchError(`${this.session.name}StreamUnavailable`, this.exchange!.href));
      return;
    }
    this.stream = id;
    session.streams.set(id, this);
    session.setReading(id, true);
    if (body !== undefined) {
      session.write(id, body, end);
      this.waiting += (body as Uint8Array).byteLength ?? body.length;
    }
    session.schedule();
  }

  writeChunk(bytes: Uint8Array, _chunked: boolean): boolean {
    this.start(false);
    if (this.closed || this.stream === 0) return true;
    this.session.write(this.stream, bytes, false);
    this.session.schedule();
    this.waiting += bytes.byteLength;
    return this.waiting < AHEAD;
  }

  requestEnded(): void {
    this.requestDone = true;
    if (this.stream === 0) this.start(true);
    else if (!this.closed) {
      this.session.shut(this.stream);
      this.session.schedule();
    }
  }

  // ---- the response

  head(text: string, complete: boolean): void {
    const { exchange } = this;
    if (exchange === undefined) return;
    if (exchange.responded) {
      // Trailers, which fetch does not show.
      if (complete) this.end();
      return;
    }
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
    if (!this.ended || !this.requestDone) this.reset(CANCEL);
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
    this.session.reset(this.stream, code);
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
    this.paused = true;
    if (!this.closed) this.session.setReading(this.stream, false);
  }

  resume(): void {
    this.paused = false;
    if (this.closed || this.session.id < 0) return;
    this.session.setReading(this.stream, true);
    this.session.schedule();
  }

  /** The stream is no more. `refused`: the server has done nothing about it. */
  lost(code: number, refused = code === REFUSED_STREAM): void {
    this.closed = true;
    const { exchange } = this;
    if (exchange === undefined) return;
    this.exchange = undefined;
    exchange.connection = undefined;
    if (refused && !exchange.responded && exchange.repeatable && exchange.refusals++ < MAX_REFUSALS) {
      exchange.start();
      return;
    }
    const cause: NodeError = new Error(`The server has closed the stream with code ${code}`);
    cause.code = "ECONNRESET";
    const what = refused ? "RefusedStream" : code === PROTOCOL_ERROR ? "ProtocolError" : "StreamReset";
    exchange.fail(fetchError(`${this.session.name}${what}`, exchange.href, cause, exchange.responded));
  }

  /** The connection is lost; `again`: another one may do. */
  connectionLost(again: boolean, error: TypeError): void {
    this.closed = true;
    const { exchange } = this;
    if (exchange === undefined) return;
    this.exchange = undefined;
    exchange.connection = undefined;
    if (!again) {
      exchange.fail(error);
      return;
    }
    exchange.retried = true;
    exchange.start();
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
