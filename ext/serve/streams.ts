/**
 * Requests to Bun.serve that share a connection: each has an object of its own that stands where ServerConnection stands for HTTP/1.1, so that
 * handlers, routes and bodies are the same. What carries them, HTTP/2 or HTTP/3, is a {@link StreamSession}.
 */
import { utcDate } from "internal/http/common";
import { chunkBytes } from "internal/fetch/body";
import { guard, guardSink } from "internal/serve/guard";
import { IncomingRequest, isHost } from "internal/serve/request";
import { blobBytesSync, isBlob } from "web/blob";
import { readableOf } from "internal/streams/webstreams/readable";
import { acquireReader } from "internal/streams/webstreams/readable_core";
import type { ServerConnection } from "internal/serve/connection";
import type { ServerImpl } from "internal/serve/server";
import type { ResponseState } from "web/response";
import { H2_BLOCK_INFO, H2_BLOCK_RESPOND } from "internal/net/native_constants";

/** Codes of HTTP/2, which stand for those of HTTP/3, too. */
export const NO_ERROR = 0;
export const INTERNAL_ERROR = 2;
const REFUSED_STREAM = 7;
/** Bytes of a body that may wait in native code. */
const AHEAD = 256 * 1024;
/** Up to this size nobody has to hear how a body fares. */
const SMALL = 32 * 1024;

/** The session of a connection. Texts of fields are `name NUL value NUL`; commands are sent with the next {@link schedule}. */
interface StreamSession {
  readonly id: number;
  readonly server: ServerImpl;
  readonly carrier: Pick<ServerConnection, "id" | "touched" | "patience" | "current">;
  readonly streams: Map<number, StreamConnection>;
  /** Takes no more requests. */
  readonly refusing: boolean;
  /** Major and minor version, as the parser of HTTP/1.1 has them. */
  readonly version: number;
  sendHeaders(kind: number, stream: number, text: string, flags: number): void;
  /** Head and body in one; `quiet`: a good end is not told. */
  reply(stream: number, text: string, body: unknown, quiet: boolean): void;
  write(stream: number, bytes: Uint8Array): void;
  shut(stream: number): void;
  setReading(stream: number, on: boolean): void;
  reset(stream: number, code: number): void;
  schedule(): void;
  answered(stream: StreamConnection): void;
}

/** Fields of an answer that belong to a connection of HTTP/1.1. */
function isOfConnection(name: string): boolean {
  switch (name) {
    case "connection":
    case "keep-alive":
    case "proxy-connection":
    case "transfer-encoding":
    case "upgrade":
    case "content-length":
      return true;
    default:
      return false;
  }
}

function aborted() {
  const { DOMException } = require("web/dom_exception");
  return new DOMException("The connection was closed.", "AbortError");
}

/** A request and its answer. */
export class StreamConnection {
  declare session: StreamSession;
  declare stream: number;
  declare server: ServerImpl;
  declare current: IncomingRequest | undefined;
  declare receiving: boolean;
  declare received: number;
  /** The request is answered, and nobody reads its body. */
  declare unwanted: boolean;
  declare closed: boolean;
  /** As of connections of HTTP/1.1, where the answer to one request ends them. */
  declare last: boolean;
  declare drained: (() => void) | undefined;
  declare gone: (() => void) | undefined;
  declare waiting: number;
  declare readonly isStream: boolean;

  constructor(session: StreamSession, stream: number) {
    this.session = session;
    this.stream = stream;
    this.server = session.server;
    this.current = undefined;
    this.receiving = false;
    this.received = 0;
    this.unwanted = false;
    this.closed = false;
    this.last = false;
    this.drained = undefined;
    this.gone = undefined;
    this.waiting = 0;
    session.streams.set(stream, this);
  }

  /** The socket. */
  get id(): number {
    return this.session.carrier.id;
  }

  get touched(): number {
    return this.session.carrier.touched;
  }

  set touched(now: number) {
    this.session.carrier.touched = now;
  }

  set patience(sweeps: number) {
    this.session.carrier.patience = sweeps;
  }

  begin(text: string, complete: boolean): void {
    const { server, session } = this;
    // The pseudo-headers come first.
    let method = "";
    let path = "";
    let authority = "";
    let at = 0;
    while (text.charCodeAt(at) === 58 /* : */) {
      const middle = text.indexOf("\0", at);
      let end = text.indexOf("\0", middle + 1);
      if (end === -1) end = text.length;
      const value = text.slice(middle + 1, end);
      switch (text.charCodeAt(at + 1)) {
        case 109:
          method = value;
          break;
        case 112:
          path = value;
          break;
        case 97:
          authority = value;
          break;
      }
      at = end + 1;
    }
    let head = authority === "" ? path : `${path}\0host\0${authority}`;
    if (at < text.length) {
      const rest = text.slice(at);
      const cookie = rest.indexOf("cookie\0");
      head += `\0${cookie !== -1 && rest.indexOf("\0cookie\0", cookie + 1) !== -1 ? joinCookies(rest) : rest}`;
    }
    const request = new IncomingRequest(this as unknown as ServerConnection, session.version, head, undefined);
    request.method = method;
    // Until it is dispatched nobody counts it.
    request.done = true;
    this.current = request;
    session.carrier.current ??= request;
    if (session.refusing || method === "CONNECT") {
      session.reset(this.stream, session.refusing ? REFUSED_STREAM : INTERNAL_ERROR);
      session.schedule();
      return;
    }
    const host = authority === "" ? (request.header("host") ?? "") : authority;
    if (!isHost(host) || (path.charCodeAt(0) !== 47 /* / */ && (path !== "*" || method !== "OPTIONS"))) {
      this.refuse(request, 400);
      return;
    }
    if (!complete) {
      const length = request.header("content-length");
      if (length !== undefined && Number(length) > server.maxBody) {
        this.refuse(request);
        return;
      }
      this.receiving = true;
      const { Incoming } = require("internal/fetch/incoming");
      request.incoming = new Incoming(this, undefined, undefined);
      request.incoming.expected = length === undefined ? 0 : Number(length);
      session.setReading(this.stream, true);
      if (request.header("expect") === "100-continue")
        session.sendHeaders(H2_BLOCK_INFO, this.stream, ":status\x00100\0", 0);
    }
    request.done = false;
    server.dispatch(request);
  }

  /** What has come cannot be answered, or its body is larger than the server takes. */
  private refuse(request: IncomingRequest, status = 413): void {
    const { session } = this;
    request.done = true;
    session.sendHeaders(H2_BLOCK_RESPOND, this.stream, `:status\0${status}\0`, 1);
    session.reset(this.stream, NO_ERROR);
    session.schedule();
  }

  body(bytes: ArrayBuffer): void {
    const request = this.current;
    if (request === undefined || !this.receiving) return;
    if (this.unwanted) {
      this.session.reset(this.stream, NO_ERROR);
      this.session.schedule();
      return;
    }
    this.received += bytes.byteLength;
    if (this.received > this.server.maxBody) {
      this.receiving = false;
      const { DOMException } = require("web/dom_exception");
      request.incoming?.fail(
        new DOMException("The request body is larger than maxRequestBodySize", "QuotaExceededError"),
      );
      if (!request.done) {
        this.server.settled();
        request.abort();
      }
      this.refuse(request);
      return;
    }
    // Nobody reads the body of a request that has been answered.
    if (!request.incoming!.push(new Uint8Array(bytes)) && !request.done) this.pause();
  }

  end(): void {
    if (!this.receiving) return;
    this.receiving = false;
    this.current?.incoming?.finish();
  }

  written(): void {
    this.waiting = 0;
    const { drained } = this;
    if (drained === undefined) return;
    this.drained = undefined;
    drained();
  }

  // ---- flow

  pause(): void {
    if (!this.closed) this.session.setReading(this.stream, false);
  }

  resume(): void {
    if (this.closed) return;
    this.session.setReading(this.stream, true);
    this.session.schedule();
  }

  gather(): boolean {
    return false;
  }

  abandon(): void {
    this.resume();
  }

  /** Queues a piece of the body; false where `drained` is called once there is room for more. */
  write(bytes: Uint8Array): boolean {
    if (this.closed) return true;
    this.session.write(this.stream, bytes);
    this.session.schedule();
    this.waiting += bytes.byteLength;
    return this.waiting < AHEAD;
  }

  // ---- the end

  /** Calls `action` in the check phase of this turn. */
  later(action: () => void): void {
    setImmediate(() => {
      try {
        action();
      } catch (error) {
        this.server.broken(this, error);
      }
    });
  }

  finished(request: IncomingRequest): void {
    if (request.done) return;
    request.done = true;
    this.gone = undefined;
    this.server.settled();
  }

  /** Ends the stream with an error: the client must not take what it has for the whole. */
  close(): void {
    if (this.closed) return;
    this.session.reset(this.stream, INTERNAL_ERROR);
    this.session.schedule();
  }

  /** The stream is no more. */
  lost(): void {
    if (this.closed) return;
    this.closed = true;
    const { current: request, gone } = this;
    this.drained = undefined;
    this.gone = undefined;
    if (request === undefined) return;
    if (!request.done) {
      request.done = true;
      this.server.settled();
      request.abort();
      gone?.();
    }
    if (this.receiving) {
      this.receiving = false;
      request.incoming?.fail(aborted());
    }
  }
}

Object.assign(StreamConnection.prototype, { isStream: true });
guard(StreamConnection.prototype, ["begin", "body", "end", "written"], (stream, error) =>
  stream.server.broken(stream, error),
);
/** A client may send each cookie as a field of its own (RFC 9113, 8.2.3). */
function joinCookies(rest: string): string {
  const parts = rest.split("\0");
  const cookies: string[] = [];
  let text = "";
  for (let i = 0; i < parts.length; i += 2) {
    if (parts[i] === "cookie") cookies.push(parts[i + 1]!);
    else text += `${parts[i]}\0${parts[i + 1]}\0`;
  }
  return `${text}cookie\0${cookies.join("; ")}`;
}

// ---------------------------------------------------------------------------------------------------------------------

/** Heads of responses with status 200 that have a media type and nothing else. */
const plainHeads = new Map<string, string>();

/** The fields of a response, without those that sending adds. */
function headOf(state: ResponseState, cookies: IncomingRequest["cookies"]): string {
  const { items } = state.list;
  if (items.length === 3 && items[0] === "content-type" && state.status === 200 && cookies === undefined) {
    const type = items[2]!;
    let head = plainHeads.get(type);
    if (head === undefined) {
      head = `:status\x00200\0content-type\0${type}\0`;
      if (plainHeads.size < 100) plainHeads.set(type, head);
    }
    return `${head}date\0${utcDate()}\0`;
  }
  let head = `:status\0${state.status}\0`;
  let dated = false;
  for (let i = 0; i < items.length; i += 3) {
    const name = items[i]!;
    if (isOfConnection(name)) continue;
    if (name === "date") dated = true;
    head += `${name}\0${items[i + 2]}\0`;
  }
  if (cookies !== undefined) for (const line of cookies.toSetCookieHeaders()) head += `set-cookie\0${line}\0`;
  return dated ? head : `${head}date\0${utcDate()}\0`;
}

/** Sends a Response on a stream; what has been checked of it says internal/serve/respond. */
export function respondOnStream(request: IncomingRequest, state: ResponseState): void {
  const stream = request.connection as unknown as StreamConnection;
  const { session } = stream;
  const { status, body } = state;
  const source = body === null ? undefined : body.source;
  let head = headOf(state, request.cookies);
  const { altSvc } = stream.server;
  if (altSvc !== "" && session.version !== 3 << 16 && !state.list.has("alt-svc")) head += `alt-svc\0${altSvc}\0`;
  const length =
    state.list.items.length > 3 || state.list.items[0] === "content-length" ? state.list.get("content-length") : null;
  const bodyless = request.method === "HEAD" || status === 204 || status === 304 || status < 200;
  if (
    body === null ||
    typeof source === "string" ||
    source instanceof Uint8Array ||
    (source !== undefined && isBlob(source))
  ) {
    let content = body === null ? undefined : body.take();
    if (content !== undefined && typeof content !== "string" && !(content instanceof Uint8Array))
      content = blobBytesSync(content as Blob);
    if (status !== 204 && status !== 304 && status >= 200) {
      // A handler may know what the length would be.
      if (content === undefined) head += `content-length\0${bodyless && length !== null ? length : 0}\0`;
      else
        head += `content-length\0${typeof content === "string" ? Buffer.byteLength(content) : (content as Uint8Array).byteLength}\0`;
    }
    if (bodyless || content === undefined || content.length === 0) content = undefined;
    if (content !== undefined && content.length > AHEAD) {
      sendPieces(request, stream, head, typeof content === "string" ? Buffer.from(content) : content);
      return;
    }
    request.begun = true;
    const quiet = !stream.receiving && (content === undefined || content.length <= SMALL);
    if (!stream.closed) session.reply(stream.stream, head, content, quiet);
    session.schedule();
    stream.finished(request);
    if (quiet) session.answered(stream);
    else stopReceiving(stream);
    return;
  }
  if (length !== null && /^\d+$/.test(length)) head += `content-length\0${length}\0`;
  if (bodyless) {
    body.stream.cancel().catch(() => {});
    request.begun = true;
    session.sendHeaders(H2_BLOCK_RESPOND, stream.stream, head, 1);
    session.schedule();
    stopReceiving(stream);
    stream.finished(request);
    return;
  }
  sendStream(request, stream, head, body.stream);
}

/** Sends bytes piece by piece: what the client does not take at once has to be kept, and that need not be all. */
function sendPieces(request: IncomingRequest, stream: StreamConnection, head: string, bytes: Uint8Array): void {
  const { session } = stream;
  request.begun = true;
  session.sendHeaders(H2_BLOCK_RESPOND, stream.stream, head, 0);
  let at = 0;
  const go = () => {
    if (request.done) return;
    while (at < bytes.byteLength) {
      const ready = stream.write(bytes.subarray(at, (at += AHEAD)));
      if (!ready && at < bytes.byteLength) {
        stream.drained = go;
        return;
      }
    }
    session.shut(stream.stream);
    session.schedule();
    stopReceiving(stream);
    stream.finished(request);
  };
  go();
}

/** The answer is complete; who goes on sending a body is told to stop (RFC 9113, 8.1). */
function stopReceiving(stream: StreamConnection): void {
  if (stream.receiving && !stream.current?.incoming?.claimed) stream.unwanted = true;
}

function sendStream(request: IncomingRequest, stream: StreamConnection, head: string, source: unknown): void {
  const { session } = stream;
  const reader = acquireReader(readableOf(source));
  const { markHandled } = require("internal/streams/webstreams/core");
  let begun = false;
  let inRead = false;
  let more = false;
  const begin = () => {
    if (begun) return;
    begun = request.begun = true;
    session.sendHeaders(H2_BLOCK_RESPOND, stream.stream, head, 0);
    session.schedule();
  };
  const go = () => {
    more = true;
    if (inRead) return;
    inRead = true;
    do {
      more = false;
      reader.read(guarded);
    } while (more && !request.done);
    inRead = false;
  };
  const sink = {
    chunk(value: unknown) {
      if (request.done) return;
      let bytes: Uint8Array;
      try {
        bytes = chunkBytes(value);
      } catch (error) {
        sink.error(error);
        markHandled(reader.cancel(error));
        return;
      }
      begin();
      if (bytes.byteLength === 0 || stream.write(bytes)) go();
      else stream.drained = go;
    },
    close() {
      if (request.done) return;
      begin();
      session.shut(stream.stream);
      session.schedule();
      stream.finished(request);
    },
    error(reason: unknown) {
      if (request.done) return;
      if (!begun) {
        stream.gone = undefined;
        stream.server.failed(request, reason);
        return;
      }
      stream.server.report(reason);
      session.reset(stream.stream, INTERNAL_ERROR);
      session.schedule();
    },
  };
  stream.gone = () => markHandled(reader.cancel(undefined));
  const guarded = guardSink(sink, (error) => stream.server.broken(stream, error));
  go();
  // Whoever waits for the head need not wait for the first piece.
  stream.later(() => {
    if (!request.done) begin();
  });
}
