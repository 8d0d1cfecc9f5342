/** One call of fetch for http: and https:: what is sent, redirects, and the response. */
import { own } from "internal/events/async_context";
import { blobBytesSync, isBlob } from "web/blob";
import { addAbortAlgorithm } from "web/abort";
import { diagnostics } from "internal/events/diagnostics";
import { Body, chunkBytes } from "internal/fetch/body";
import { assign, Connection, forget, Route, type Session, SILENCE } from "internal/fetch/connection";
import { fetchError } from "internal/fetch/errors";
import { lower } from "internal/fetch/header_names";
import { Incoming } from "internal/fetch/incoming";
import { isBadPort, proxyOf, Target, targetOf } from "internal/fetch/url_target";
import { isReadableStream, readableOf, type ReadableStream } from "internal/streams/webstreams/readable";
import { acquireReader } from "internal/streams/webstreams/readable_core";
import type { RequestState } from "web/request";
import { createResponse } from "web/response";
import { HeaderList } from "web/headers";
import type { BodySource, IncomingBody } from "internal/fetch/body";
import type { Carrier, ProxyOption, TlsOptions } from "internal/fetch/types";

const MAX_REDIRECTS = 20;
/** Bytes of a body that are given to the system at once. */
const PIECE = 512 * 1024;

/** fetch's options beyond those of the standard. */
export interface Options {
  tls: TlsOptions | undefined;
  proxy: ProxyOption;
  unix: string | undefined;
  verbose: unknown;
  decompress: boolean;
  timeout: unknown;
  keepalive: boolean;
  maxRedirects: number;
  http2: boolean | "offered";
  /** `true`, or `"offered"`: where the server has said that it speaks it. */
  http3: boolean | "offered";
  /** Credentials and the like for "s3:" URLs. */
  s3?: unknown;
  session?: Session | undefined;
}

const idempotent = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
/** Headers that say something of a request's body. */
const bodyHeaders = [
  "content-encoding",
  "content-language",
  "content-location",
  "content-type",
  "content-length",
  "transfer-encoding",
];

let agent: string | undefined;
/** The User-Agent that says who asks. */
const userAgent = () =>
  (agent ??= (native("process").cliOption("--user-agent") as string | undefined) ?? navigator.userAgent);

/** Bun's name for a body that cannot be decoded, by its last coding (the first of the list). */
function decodingError(codings: string[] | undefined): string {
  const last = codings?.[0];
  return last === "br" ? "BrotliDecompressionError" : last === "zstd" ? "ZstdDecompressionError" : "ZlibError";
}

/** Where the name at `index` comes first. */
function firstOf(items: string[], index: number): number {
  const name = items[index];
  let i = 0;
  while (items[i] !== name) i += 3;
  return i;
}

function hasMore(items: string[], index: number): boolean {
  const name = items[index];
  for (let i = index + 3; i < items.length; i += 3) if (items[i] === name) return true;
  return false;
}

export class Exchange {
  declare href: string;
  declare target: Target;
  declare route: Route;
  declare method: string;
  declare list: HeaderList;
  declare options: Options;
  declare redirect: string;
  declare integrity: string;
  declare redirects: number;
  declare silence: number;
  declare connection: Carrier | undefined;
  /** A head has come. */
  declare responded: boolean;
  /** The connection is not for another request. */
  declare last: boolean;
  /** Those who wait for the same server's addresses, see internal/fetch/http3. */
  declare waiting: Exchange[] | undefined;
  /** It was sent anew because its connection was lost. */
  declare retried: boolean;
  /** How often a server has refused it without having done anything. */
  declare refusals: number;
  /** What is sent: undefined for nothing, a string, bytes, a Blob that is no memory, or a stream. */
  declare private content: BodySource | ReadableStream | undefined;
  declare private incoming: Incoming | undefined;
  declare private resolve: ((response: unknown) => void) | undefined;
  declare private reject: (reason: unknown) => void;
  declare private signal: AbortSignal | undefined;
  declare private unsubscribe: (() => void) | undefined;
  declare private reader: ReturnType<typeof acquireReader> | undefined;
  declare private resumeUpload: (() => void) | undefined;

  /** @param state is used up */
  constructor(
    state: RequestState,
    options: Options,
    resolve: (response: unknown) => void,
    reject: (reason: unknown) => void,
  ) {
    this.href = state.url;
    this.target = targetOf(state.url);
    this.method = state.method;
    this.list = state.list;
    this.options = options;
    this.redirect = state.redirect;
    this.integrity = state.integrity;
    this.redirects = 0;
    this.silence = options.timeout === false || options.timeout === 0 ? Infinity : SILENCE;
    this.connection = undefined;
    this.responded = false;
    this.last = false;
    this.waiting = undefined;
    this.retried = false;
    this.refusals = 0;
    this.content = undefined;
    this.incoming = undefined;
    this.resolve = resolve;
    this.reject = reject;
    this.signal = state.follows;
    this.unsubscribe = undefined;
    this.reader = undefined;
    this.resumeUpload = undefined;
    const { body } = state;
    if (body !== null) {
      const source = body.take();
      this.content = source === undefined ? body.stream : isBlob(source) ? (blobBytesSync(source) ?? source) : source;
    }
    this.route = this.findRoute();
    if (this.signal !== undefined) this.unsubscribe = addAbortAlgorithm(this.signal, () => this.abort());
    own(this, (exchange) => exchange.abandon());
  }

  private findRoute(): Route {
    const { target, options } = this;
    const { tls, unix, session } = options;
    if (isBadPort(target.port) && unix === undefined) throw fetchError("ERR_BAD_PORT", this.href);
    if (unix !== undefined && options.proxy) {
      const error: NodeError = new TypeError("fetch() cannot use a proxy with a unix socket.");
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    const proxy = unix === undefined ? proxyOf(target, options.proxy) : undefined;
    let key = target.origin;
    let known = true;
    if (unix !== undefined) key += ` unix ${unix}`;
    if (proxy !== undefined) key += ` ${proxy.protocol}${proxy.hostname}:${proxy.port} ${proxy.authorization}`;
    if (proxy !== undefined && proxy.headers.length > 0) key += JSON.stringify(proxy.headers);
    if (tls !== undefined) {
      const text: string = require("internal/fetch/tls").tlsKey(tls);
      key += text;
      known = text !== "";
    }
    if (session !== undefined) key += session.name;
    let { http2, http3 } = options;
    if (http3 === true && (target.protocol !== "https:" || proxy !== undefined || unix !== undefined))
      throw fetchError("HTTP3Unsupported", this.href);
    if (http3 === "offered") {
      const possible = target.protocol === "https:" && proxy === undefined && unix === undefined;
      http3 = possible && require("internal/fetch/http3").isKnown(target.origin);
    }
    if (http3) {
      key += " h3";
      http2 = false;
    }
    if (http2 === "offered" && (target.protocol !== "https:" || proxy !== undefined)) http2 = false;
    if (http2) {
      if (target.protocol !== "https:") throw fetchError("HTTP2Unsupported", this.href);
      key += " h2";
    }
    return { key: known ? key : "", session, target, proxy, unix, tls, tunnel: false, http2, http3: http3 === true };
  }

  /** Whether the request may be sent again where a connection turns out to be closed. */
  get repeatable(): boolean {
    return idempotent.has(this.method) && !isReadableStream(this.content);
  }

  /** Begins, or begins anew. */
  start(): void {
    assign(this);
  }

  // ---- the request

  private headText(length: number | undefined): { text: string; chunked: boolean } {
    const { target, list, method, route } = this;
    const { items } = list;
    const isProxied = route.proxy !== undefined && target.protocol === "http:";
    const plain =
      method === "GET" &&
      items.length === 0 &&
      length === undefined &&
      this.content === undefined &&
      !isProxied &&
      this.options.keepalive &&
      this.options.decompress &&
      this.options.verbose === undefined;
    if (plain && target.plainHead !== undefined) return { text: target.plainHead, chunked: false };
    const path = isProxied ? `http://${target.host}${target.path}` : target.path;
    let text = `${method} ${path} HTTP/1.1\r\n`;
    let connection = false,
      agentGiven = false,
      accept = false,
      host = false,
      encoding = false,
      authorization = false,
      range = false;
    let declared: string | undefined;
    for (let i = 0; i < items.length; i += 3) {
      let value = items[i + 2]!;
      if (items.length > 3) {
        // Values of one name go out as one.
        if (firstOf(items, i) !== i) continue;
        if (hasMore(items, i)) value = list.get(items[i]!)!;
      }
      switch (items[i]) {
        case "content-length":
          // Only for bodies whose length nobody else knows.
          declared = value;
          continue;
        case "transfer-encoding":
          continue;
        case "connection":
          connection = true;
          if (/(?:^|[\s,])close(?:$|[\s,])/i.test(value)) this.last = true;
          break;
        case "user-agent":
          agentGiven = true;
          break;
        case "accept":
          accept = true;
          break;
        case "host":
          host = true;
          break;
        case "accept-encoding":
          encoding = true;
          break;
        case "authorization":
          authorization = true;
          break;
        case "range":
          range = true;
          break;
      }
      text += `${items[i + 1]}: ${value}\r\n`;
    }
    if (!connection) {
      text += this.options.keepalive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
      if (!this.options.keepalive) this.last = true;
    }
    if (!agentGiven) text += `User-Agent: ${userAgent()}\r\n`;
    if (!accept) text += "Accept: */*\r\n";
    if (!host) text += `Host: ${target.host}\r\n`;
    // A part of a compressed body cannot be decompressed.
    if (!encoding && this.options.decompress)
      text += range ? "Accept-Encoding: identity\r\n" : "Accept-Encoding: gzip, deflate, br, zstd\r\n";
    if (!authorization && target.authorization !== undefined) text += `Authorization: ${target.authorization}\r\n`;
    if (isProxied) {
      const { proxy } = route;
      text += "Proxy-Connection: Keep-Alive\r\n";
      if (proxy!.authorization !== undefined) text += `Proxy-Authorization: ${proxy!.authorization}\r\n`;
      for (const [name, value] of proxy!.headers) text += `${name}: ${value}\r\n`;
    }
    let chunked = false;
    if (length !== undefined) {
      text += `Content-Length: ${length}\r\n`;
    } else if (this.content !== undefined) {
      chunked = declared === undefined || !/^\d+$/.test(declared);
      text += chunked ? "Transfer-Encoding: chunked\r\n" : `Content-Length: ${declared}\r\n`;
    } else if (method === "POST" || method === "PUT" || method === "PATCH") {
      text += "Content-Length: 0\r\n";
    }
    text += "\r\n";
    if (plain) target.plainHead = text;
    return { text, chunked };
  }

  /** Sends the request on a connection. */
  begin(connection: Carrier): void {
    const { content } = this;
    let length: number | undefined;
    let direct = content as string | Uint8Array | undefined;
    if (typeof content === "string") length = Buffer.byteLength(content);
    else if (content instanceof Uint8Array) length = content.byteLength;
    else if (content !== undefined) {
      direct = undefined;
      if (isBlob(content) && Number.isFinite(content.size)) length = content.size;
    }
    if (diagnostics.loaded) require("internal/fetch/channels").create(this);
    const { text, chunked } = this.headText(length);
    if (diagnostics.loaded) require("internal/fetch/channels").sendHeaders(this, text, connection);
    if (this.options.verbose !== undefined) require("internal/fetch/verbose").showRequest(this, text, content);
    if (direct instanceof Uint8Array && direct.byteLength > PIECE) {
      this.uploadPieces(connection, text, direct);
      return;
    }
    connection.write(text, direct === "" ? undefined : direct);
    if (content === undefined || direct !== undefined) this.sent(connection);
    else this.upload(connection, isBlob(content) ? content.stream() : content, chunked, length);
  }

  /** All of the request is on its way. */
  private sent(connection: Carrier): void {
    if (diagnostics.loaded) require("internal/fetch/channels").bodySent(this);
    connection.requestEnded();
  }

  /** Sends bytes piece by piece: what the system does not take at once has to be kept, and that need not be all. */
  private uploadPieces(connection: Carrier, head: string, bytes: Uint8Array): void {
    let at = PIECE;
    const go = () => {
      if (this.connection !== connection) return;
      while (at < bytes.byteLength) {
        const ready = connection.writeChunk(bytes.subarray(at, (at += PIECE)), false);
        if (!ready && at < bytes.byteLength) {
          this.resumeUpload = go;
          return;
        }
      }
      this.sent(connection);
    };
    if (connection.write(head, bytes.subarray(0, PIECE))) go();
    else this.resumeUpload = go;
  }

  private upload(connection: Carrier, stream: unknown, chunked: boolean, length: number | undefined): void {
    const reader = (this.reader = acquireReader(readableOf(stream)));
    let inRead = false;
    let more = false;
    let sent = 0;
    const next = () => {
      inRead = true;
      do {
        more = false;
        reader.read(request);
      } while (more);
      inRead = false;
    };
    const go = () => {
      more = true;
      if (!inRead) next();
    };
    const request = {
      chunk: (value: unknown) => {
        if (this.connection !== connection) return;
        let bytes: Uint8Array;
        try {
          bytes = chunkBytes(value);
        } catch (error) {
          connection.fail(error);
          return;
        }
        sent += bytes.byteLength;
        if (length !== undefined && sent > length) {
          connection.fail(fetchError("RequestContentLengthMismatch", this.href));
          return;
        }
        if (bytes.byteLength === 0 || connection.writeChunk(bytes, chunked)) go();
        else this.resumeUpload = go;
      },
      close: () => {
        this.reader = undefined;
        if (this.connection !== connection) return;
        if (length !== undefined && sent < length) {
          connection.fail(fetchError("RequestContentLengthMismatch", this.href));
          return;
        }
        if (chunked) connection.write("0\r\n\r\n", undefined);
        this.sent(connection);
      },
      error: (reason: NodeError) => {
        this.reader = undefined;
        if (this.connection === connection) connection.fail(reason);
      },
    };
    next();
  }

  /** The system has taken everything that was written. */
  drained(): void {
    const resume = this.resumeUpload;
    this.resumeUpload = undefined;
    resume?.();
  }

  // ---- the response

  /** A final head: its status, and reason and headers as native code gives them. */
  received(connection: Carrier, status: number, text: string, complete: boolean, body: ArrayBuffer | undefined): void {
    this.responded = true;
    const parts = text.split("\0");
    if (diagnostics.loaded) require("internal/fetch/channels").headers(this, status, parts);
    const list = new HeaderList();
    const { items } = list;
    let coding: string | undefined;
    let location: string | undefined;
    let length = 0;
    for (let i = 1; i < parts.length; i += 2) {
      const name = lower(parts[i]!);
      const value = parts[i + 1]!;
      if (name === "content-encoding") coding = coding === undefined ? value : `${coding}, ${value}`;
      else if (name === "location") location ??= value;
      else if (name === "content-length") length = Number(value) || 0;
      else if (name === "keep-alive") noteKeepAlive(connection, value);
      else if (name === "alt-svc" && this.options.http3 === "offered" && this.target.protocol === "https:")
        require("internal/fetch/http3").noteAltSvc(this.target.origin, this.target.port, value);
      items.push(name, name, value);
    }
    if (this.options.verbose !== undefined) require("internal/fetch/verbose").showResponse(this, status, parts);
    if (
      location !== undefined &&
      this.redirect !== "manual" &&
      (status === 301 || status === 302 || status === 303 || status === 307 || status === 308)
    ) {
      this.follow(connection, status, location, complete);
      return;
    }
    if (status === 101) {
      connection.fail(fetchError("UnexpectedUpgrade", this.href));
      return;
    }
    let content: Body | null = null;
    const none = this.method === "HEAD" || status === 204 || status === 205 || status === 304;
    if (!none) {
      let codings: string[] | undefined;
      try {
        if (coding !== undefined && this.options.decompress)
          codings = require("internal/fetch/decode").codingsOf(coding);
      } catch (error) {
        connection.fail(fetchError("InvalidContentEncoding", this.href, error as NodeError));
        return;
      }
      if (complete && codings === undefined) {
        content = new Body(body === undefined ? new Uint8Array(0) : new Uint8Array(body));
      } else {
        const incoming = new Incoming(complete ? undefined : connection, codings, (cause) =>
          fetchError(decodingError(codings), this.href, cause, true),
        );
        incoming.expected = length;
        if (diagnostics.loaded) incoming.isToldInPieces = require("internal/fetch/channels").tellsPieces(this);
        content = new Body(incoming);
        if (complete) {
          if (body !== undefined) incoming.push(new Uint8Array(body));
          incoming.finish();
        } else {
          this.incoming = incoming;
          incoming.dependOn(content);
        }
      }
    }
    const { resolve } = this;
    this.resolve = undefined;
    if (complete) {
      connection.responseEnded();
      if (diagnostics.loaded) {
        const { bodyChunkReceived, trailers } = require("internal/fetch/channels");
        if (body !== undefined) bodyChunkReceived(this, new Uint8Array(body));
        trailers(this);
      }
    }
    const response = (body: Body | null) =>
      createResponse({
        type: "basic",
        status,
        statusText: parts[0]!,
        url: this.target.href,
        redirected: this.redirects > 0,
        list,
        body,
      });
    if (this.integrity === "") resolve!(response(content));
    else this.verify(content, (bytes) => resolve!(response(bytes === undefined ? null : new Body(bytes))));
  }

  /** Reads a body to its end and compares it with what `integrity` says: https://www.w3.org/TR/SRI/ */
  private verify(body: Body | null, done: (bytes: Uint8Array | undefined) => void): void {
    const check = (bytes: Uint8Array | undefined) => {
      const { matchesIntegrity } = require("internal/fetch/integrity");
      if (matchesIntegrity(bytes ?? new Uint8Array(0), this.integrity)) done(bytes);
      else this.reject(fetchError("ERR_INTEGRITY_MISMATCH", this.href));
    };
    const source = body?.take();
    if (source === undefined || source instanceof Uint8Array) check(source);
    else (source as IncomingBody).collect(check, this.reject);
  }

  /** A piece of the body; false where the connection should wait. */
  data(bytes: Uint8Array): boolean {
    if (diagnostics.loaded) require("internal/fetch/channels").bodyChunkReceived(this, bytes);
    return this.incoming === undefined || this.incoming.push(bytes);
  }

  /** The response is complete. */
  ended(): void {
    const { incoming } = this;
    this.incoming = undefined;
    if (diagnostics.loaded) require("internal/fetch/channels").trailers(this);
    incoming?.finish();
  }

  private follow(connection: Carrier, status: number, location: string, complete: boolean): void {
    const refuse = (code: string, cause?: NodeError) => connection.fail(fetchError(code, this.href, cause));
    if (this.redirect === "error") return refuse("UnexpectedRedirect");
    // Bytes beyond ASCII stay the bytes that they are, UTF-8 or not.
    const text = location.replace(/[\x80-\xff]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
    const url = URL.parse(text, this.href);
    if (url === null) return refuse("RedirectURLInvalid");
    if (url.protocol !== "http:" && url.protocol !== "https:") return refuse("UnsupportedRedirectProtocol");
    if (++this.redirects > this.options.maxRedirects) return refuse("TooManyRedirects");
    if (status !== 303 && isReadableStream(this.content)) return refuse("RequestBodyNotReusable");
    const { list } = this;
    if (
      status === 303
        ? this.method !== "GET" && this.method !== "HEAD"
        : (status === 301 || status === 302) && this.method === "POST"
    ) {
      this.method = "GET";
      this.content = undefined;
      for (const name of bodyHeaders) list.delete(name);
    }
    if (url.hash === "") {
      const hash = this.href.indexOf("#");
      if (hash !== -1) url.hash = this.href.slice(hash);
    }
    const before = this.target.origin;
    this.href = url.href;
    this.target = targetOf(url.href);
    if (this.target.origin !== before) {
      for (const name of ["authorization", "proxy-authorization", "cookie", "host"]) list.delete(name);
    }
    // The rest of a body that nobody wants takes longer than a new connection.
    if (!complete) connection.persistent = false;
    const { unsubscribe } = this;
    this.unsubscribe = undefined;
    if (complete) connection.responseEnded();
    if (this.connection !== undefined) connection.release();
    this.unsubscribe = unsubscribe;
    this.responded = false;
    this.last = false;
    try {
      this.route = this.findRoute();
    } catch (error) {
      this.fail(error);
      return;
    }
    this.start();
  }

  // ---- the end

  /** The connection is done with it. */
  settled(): void {
    this.stopUpload(undefined);
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }

  private stopUpload(reason: unknown): void {
    const { reader } = this;
    this.reader = undefined;
    this.resumeUpload = undefined;
    if (reader !== undefined) require("internal/streams/webstreams/core").markHandled(reader.cancel(reason));
  }

  /** There will be no response, or no more of its body. */
  fail(error: unknown): void {
    if (diagnostics.loaded) require("internal/fetch/channels").error(this, error);
    this.stopUpload(error);
    this.unsubscribe?.();
    this.unsubscribe = undefined;
    const { incoming } = this;
    this.incoming = undefined;
    incoming?.fail(error);
    this.resolve = undefined;
    this.reject(error);
  }

  /** Ends without a word: the graph of modules whose request it is is disposed. */
  private abandon(): void {
    const { connection } = this;
    this.stopUpload(undefined);
    this.unsubscribe?.();
    this.unsubscribe = undefined;
    this.incoming = undefined;
    this.resolve = undefined;
    this.reject = () => {};
    if (connection === undefined) forget(this);
    else connection.fail(undefined);
  }

  private abort(): void {
    const { connection } = this;
    const { reason } = this.signal!;
    this.unsubscribe = undefined;
    if (connection === undefined) {
      forget(this);
      this.fail(reason);
    } else {
      connection.fail(reason);
    }
  }
}

/** "timeout=5": the server closes the connection after that many seconds. */
function noteKeepAlive(connection: Pick<Connection, "idleTime">, value: string): void {
  const match = /(?:^|[\s,;])timeout=(\d+)/i.exec(value);
  // A second less: what is on its way then would come too late.
  if (match !== null) connection.idleTime = Math.min(Math.max(Number(match[1]) * 1000 - 1000, 0), 600_000);
}

export { MAX_REDIRECTS };
