// Http2ServerRequest and Http2ServerResponse: streams of HTTP/2 in the clothes of node:http
// (https://nodejs.org/api/http2.html#compatibility-api).

import stream from "node:stream";
import { codes, hideStackFrames } from "internal/core/errors";
import { checkIsHttpToken } from "internal/http/common";
import {
  assertValidPseudoHeader,
  getAuthority,
  type HeaderObject,
  kProxySocket,
  kRequest,
  kSocket,
} from "internal/http/http2/util";
import {
  validateFunction,
  validateInteger,
  validateLinkHeaderValue,
  validateObject,
  validateString,
} from "internal/core/validators";
import type { EventEmitter } from "internal/events/types";
import type { ServerHttp2Stream } from "internal/http/http2/stream";
import type { Chunk, Done, GivenHeaders, HeaderValue, Socket, Streams } from "internal/http/types";

const { Readable, Stream } = stream as Streams;

const kState = Symbol("state");
const kStream = Symbol("stream");
const kResponse = Symbol("response");
const kHeaders = Symbol("headers");
const kRawHeaders = Symbol("rawHeaders");
const kTrailers = Symbol("trailers");
const kRawTrailers = Symbol("rawTrailers");
const kAborted = Symbol("aborted");

/** A stream with its request and response. */
interface RequestStream extends ServerHttp2Stream {
  [kResponse]?: Http2ServerResponse | undefined;
}

const warned = new Set<string>();

function warnOnce(text: string): void {
  if (warned.has(text)) return;
  warned.add(text);
  process.emitWarning(text, "UnsupportedWarning");
}

function warnOfStatusMessage(): void {
  warnOnce("Status message is not supported by HTTP/2 (RFC7540 8.1.2.4)");
}

function isUsable(name: string, value: unknown): boolean {
  return name !== "connection" || value === "trailers";
}

const checkHeader = hideStackFrames((name: unknown, value: unknown) => {
  if (name === "" || typeof name !== "string" || name.includes(" "))
    throw new codes.ERR_INVALID_HTTP_TOKEN("Header name", name);
  switch (name) {
    case ":status":
    case ":method":
    case ":path":
    case ":authority":
    case ":scheme":
      throw new codes.ERR_HTTP2_PSEUDOHEADER_NOT_ALLOWED();
  }
  if (value === undefined || value === null) throw new codes.ERR_HTTP2_INVALID_HEADER_VALUE(value, name);
  if (!isUsable(name, value)) {
    warnOnce(
      "The provided connection header is not valid, the value will be dropped from the header and will never be in use.",
    );
  }
});

// ---- the stream's events; `this` is the stream

function onData(this: RequestStream, chunk: Uint8Array): void {
  const request = this[kRequest]!;
  if (request !== undefined && !request.push(chunk)) this.pause();
}

function onTrailers(this: RequestStream, trailers: HeaderObject, _flags: number, raw: string[]): void {
  const request = this[kRequest]!;
  if (request === undefined) return;
  Object.assign(request[kTrailers], trailers);
  request[kRawTrailers].push(...raw);
}

function onEnd(this: RequestStream): void {
  this[kRequest]?.push(null);
}

// Errors of the stream are not those of the request.
function onError(): void {}

function onAborted(this: RequestStream): void {
  const request = this[kRequest]!;
  if (request === undefined || request[kState].closed) return;
  request[kAborted] = true;
  request.emit("aborted");
}

function onRequestClose(this: RequestStream): void {
  const request = this[kRequest]!;
  if (request === undefined) return;
  const state = request[kState];
  state.closed = true;
  request.push(null);
  // As in node:http, what nobody looks at is thrown away.
  if (!state.didRead && !request._readableState.resumeScheduled) request.resume();
  this[kProxySocket] = null;
  this[kRequest] = undefined;
  request.emit("close");
}

function onRequestTimeout(this: RequestStream): void {
  this[kRequest]!.emit("timeout");
}

function onResponseTimeout(this: RequestStream): void {
  this[kResponse]!.emit("timeout");
}

function onDrain(this: RequestStream): void {
  this[kResponse]?.emit("drain");
}

function onWantTrailers(this: RequestStream): void {
  this.sendTrailers(this[kResponse]![kTrailers]);
}

function onResponseClose(this: RequestStream): void {
  const response = this[kResponse];
  if (response === undefined) return;
  const state = response[kState];
  if (this.headRequest !== state.headRequest) return;
  state.closed = true;
  this[kProxySocket] = null;
  this.removeListener("wantTrailers", onWantTrailers);
  this[kResponse] = undefined;
  response.emit("finish");
  response.emit("close");
}

function onPause(this: Http2ServerRequest): void {
  this[kStream].pause();
}

function onResume(this: Http2ServerRequest): void {
  this[kStream].resume();
}

function resumeStream(target: RequestStream): void {
  target.resume();
}

// ---- what stands for the socket

const streamMethods = new Set<unknown>(["on", "once", "end", "emit", "destroy"]);
const forbidden = new Set<unknown>(["write", "read", "pause", "resume"]);

function socketBehind(target: RequestStream): Socket {
  return target.session !== undefined ? target.session[kSocket]! : (target as unknown as Socket);
}

const socketProxy = {
  has: (target: RequestStream, name: string) => name in target || name in socketBehind(target),
  get(target: RequestStream, name: string): unknown {
    if (streamMethods.has(name)) return target[name as "on"].bind(target);
    if (forbidden.has(name)) throw new codes.ERR_HTTP2_NO_SOCKET_MANIPULATION();
    if (name === "writable" || name === "destroyed") return target[name];
    if (name === "readable") {
      if (target.destroyed) return false;
      const request = target[kRequest];
      return request ? request.readable : target.readable;
    }
    if (name === "setTimeout") {
      const owner = target.session ?? target;
      return owner.setTimeout.bind(owner);
    }
    const socket = socketBehind(target);
    const value = socket[name as "ref"] as unknown;
    return typeof value === "function" ? value.bind(socket) : value;
  },
  getPrototypeOf: (target: RequestStream) => Reflect.getPrototypeOf(socketBehind(target)),
  set(target: RequestStream, name: string, value: unknown): boolean {
    if (forbidden.has(name)) throw new codes.ERR_HTTP2_NO_SOCKET_MANIPULATION();
    if (streamMethods.has(name) || name === "writable" || name === "readable" || name === "destroyed")
      target[name as "destroyed"] = value as boolean;
    else if (name === "setTimeout") (target.session ?? target).setTimeout = value as RequestStream["setTimeout"];
    else socketBehind(target)[name as "timeout"] = value as number;
    return true;
  },
};

function socketOf(target: RequestStream): Socket {
  return target[kProxySocket] === null
    ? (target[kProxySocket] = new Proxy(target, socketProxy) as unknown as Socket)
    : target[kProxySocket];
}

// ---------------------------------------------------------------------------------------------------------------------

export class Http2ServerRequest extends Readable {
  declare [kState]: { closed: boolean; didRead: boolean };
  declare [kHeaders]: HeaderObject;
  declare [kRawHeaders]: string[];
  declare [kTrailers]: HeaderObject;
  declare [kRawTrailers]: string[];
  declare [kStream]: RequestStream;
  declare [kAborted]: boolean;

  constructor(target: RequestStream, headers: HeaderObject, options: object | undefined, rawHeaders: string[]) {
    super({ autoDestroy: false, ...options });
    const self = this;
    self[kState] = { closed: false, didRead: false };
    self[kHeaders] = headers;
    self[kRawHeaders] = rawHeaders;
    self[kTrailers] = {};
    self[kRawTrailers] = [];
    self[kStream] = target;
    self[kAborted] = false;
    target[kProxySocket] = null;
    target[kRequest] = this;
    target.on("trailers", onTrailers);
    target.on("end", onEnd);
    target.on("error", onError);
    target.on("aborted", onAborted);
    target.on("close", onRequestClose);
    target.on("timeout", onRequestTimeout);
    this.on("pause", onPause);
    this.on("resume", onResume);
  }

  get aborted(): boolean {
    return this[kAborted];
  }

  get complete(): boolean {
    const self = this;
    return self[kAborted] || this.readableEnded || self[kState].closed || self[kStream].destroyed;
  }

  get stream(): ServerHttp2Stream {
    return this[kStream];
  }

  get headers(): HeaderObject {
    return this[kHeaders];
  }

  get rawHeaders(): string[] {
    return this[kRawHeaders];
  }

  get trailers(): HeaderObject {
    return this[kTrailers];
  }

  get rawTrailers(): string[] {
    return this[kRawTrailers];
  }

  get httpVersionMajor(): number {
    return 2;
  }

  get httpVersionMinor(): number {
    return 0;
  }

  get httpVersion(): string {
    return "2.0";
  }

  get socket(): Socket {
    return socketOf(this[kStream]);
  }

  get connection(): Socket | undefined {
    return this.socket;
  }

  _read(): void {
    const state = this[kState];
    if (!state.didRead) {
      state.didRead = true;
      this[kStream].on("data", onData);
    } else {
      process.nextTick(resumeStream, this[kStream]);
    }
  }

  get method(): string | undefined {
    return this[kHeaders][":method"];
  }

  set method(method: string | undefined) {
    validateString(method, "method");
    if (method.trim() === "") throw new codes.ERR_INVALID_ARG_VALUE("method", method);
    this[kHeaders][":method"] = method;
  }

  get authority(): string | undefined {
    return getAuthority(this[kHeaders]);
  }

  get scheme(): string | undefined {
    return this[kHeaders][":scheme"];
  }

  get url(): string | undefined {
    return this[kHeaders][":path"];
  }

  set url(url: string | undefined) {
    this[kHeaders][":path"] = url;
  }

  setTimeout(msecs: number, callback?: () => void): this {
    if (!this[kState].closed) this[kStream].setTimeout(msecs, callback);
    return this;
  }
}

export class Http2ServerResponse extends Stream {
  declare [kState]: {
    closed: boolean;
    ending: boolean;
    destroyed: boolean;
    headRequest: boolean;
    sendDate: boolean;
    statusCode: number;
  };
  declare [kHeaders]: HeaderObject;
  declare [kTrailers]: HeaderObject;
  declare [kStream]: RequestStream;
  declare writable: boolean;
  declare req: Http2ServerRequest | undefined;

  constructor(target: RequestStream, options?: object) {
    super(options);
    const self = this;
    self[kState] = {
      closed: false,
      ending: false,
      destroyed: false,
      headRequest: false,
      sendDate: true,
      statusCode: 200,
    };
    self[kHeaders] = Object.create(null);
    self[kTrailers] = Object.create(null);
    self[kStream] = target;
    target[kProxySocket] = null;
    target[kResponse] = this;
    self.writable = true;
    self.req = target[kRequest]!;
    target.on("drain", onDrain);
    target.on("close", onResponseClose);
    target.on("wantTrailers", onWantTrailers);
    target.on("timeout", onResponseTimeout);
  }

  // Packages look whether it is there.
  get _header(): boolean {
    return this.headersSent;
  }

  get writableEnded(): boolean {
    return this[kState].ending;
  }

  get finished(): boolean {
    return this[kState].ending;
  }

  get socket(): Socket | undefined {
    const self = this;
    return self[kState].closed ? undefined : socketOf(self[kStream]);
  }

  get connection(): Socket | undefined {
    return this.socket;
  }

  get stream(): ServerHttp2Stream {
    return this[kStream];
  }

  get headersSent(): boolean {
    return this[kStream].headersSent;
  }

  get sendDate(): boolean {
    return this[kState].sendDate;
  }

  set sendDate(on: boolean) {
    this[kState].sendDate = Boolean(on);
  }

  get statusCode(): number {
    return this[kState].statusCode;
  }

  set statusCode(code: number) {
    code |= 0;
    if (code >= 100 && code < 200) throw new codes.ERR_HTTP2_INFO_STATUS_NOT_ALLOWED();
    if (code < 100 || code > 599) throw new codes.ERR_HTTP2_STATUS_INVALID(code);
    this[kState].statusCode = code;
  }

  get writableCorked(): number {
    return this[kStream].writableCorked;
  }

  get writableHighWaterMark(): number {
    return this[kStream].writableHighWaterMark;
  }

  get writableFinished(): boolean {
    return this[kStream].writableFinished;
  }

  get writableLength(): number {
    return this[kStream].writableLength;
  }

  setTrailer(name: string, value: HeaderValue): void {
    validateString(name, "name");
    name = name.trim().toLowerCase();
    checkHeader(name, value);
    this[kTrailers][name] = value;
  }

  addTrailers(headers: { [name: string]: HeaderValue }): void {
    for (const key of Object.keys(headers)) this.setTrailer(key, headers[key]!);
  }

  getHeader(name: string): HeaderValue | undefined {
    validateString(name, "name");
    return this[kHeaders][name.trim().toLowerCase()];
  }

  getHeaderNames(): string[] {
    return Object.keys(this[kHeaders]);
  }

  getHeaders(): HeaderObject {
    return Object.assign(Object.create(null), this[kHeaders]);
  }

  hasHeader(name: string): boolean {
    validateString(name, "name");
    return Object.hasOwn(this[kHeaders], name.trim().toLowerCase());
  }

  removeHeader(name: string): void {
    validateString(name, "name");
    if (this[kStream].headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    name = name.trim().toLowerCase();
    if (name === "date") this[kState].sendDate = false;
    else delete this[kHeaders][name];
  }

  setHeader(name: string, value: HeaderValue): void {
    validateString(name, "name");
    if (this[kStream].headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    put(this, name, value, false);
  }

  appendHeader(name: string, value: HeaderValue): void {
    validateString(name, "name");
    if (this[kStream].headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    put(this, name, value, true);
  }

  get statusMessage(): string {
    warnOfStatusMessage();
    return "";
  }

  set statusMessage(_message: string) {
    warnOfStatusMessage();
  }

  flushHeaders(): void {
    const state = this[kState];
    if (!state.closed && !this[kStream].headersSent) this.writeHead(state.statusCode);
  }

  writeHead(statusCode: number, statusMessage?: string | GivenHeaders, headers?: GivenHeaders): this {
    const state = this[kState];
    if (state.closed || this.stream.destroyed || this.stream.closed) return this;
    if (this[kStream].headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    if (typeof statusMessage === "string") warnOfStatusMessage();
    if (headers === undefined && typeof statusMessage === "object") headers = statusMessage;
    if (Array.isArray(headers)) {
      // A flat list, or one of pairs. It replaces what was set before, but may itself name a field several times.
      const pairs = headers.length > 0 && Array.isArray(headers[0]);
      const step = pairs ? 1 : 2;
      for (let i = 0; i < headers.length; i += step)
        this.removeHeader(pairs ? (headers[i] as string[])[0]! : (headers[i] as string));
      if (!pairs && headers.length % 2 !== 0) throw new codes.ERR_INVALID_ARG_VALUE("headers", headers);
      for (let i = 0; i < headers.length; i += step) {
        if (pairs) put(this, (headers[i] as string[])[0]!, (headers[i] as string[])[1]!, true);
        else put(this, headers[i] as string, headers[i + 1] as HeaderValue, true);
      }
    } else if (typeof headers === "object" && headers !== null) {
      for (const key of Object.keys(headers)) put(this, key, headers[key]!, false);
    }
    state.statusCode = statusCode;
    const fields = this[kHeaders];
    fields[":status"] = statusCode;
    this[kStream].respond(fields, { endStream: state.ending, waitForTrailers: true, sendDate: state.sendDate });
    return this;
  }

  cork(): void {
    this[kStream].cork();
  }

  uncork(): void {
    this[kStream].uncork();
  }

  write(chunk: Chunk, encoding?: string | Done, cb?: Done): boolean {
    const state = this[kState];
    if (typeof encoding === "function") {
      cb = encoding;
      encoding = "utf8";
    }
    let error: CodedError | undefined;
    if (state.ending) error = new codes.ERR_STREAM_WRITE_AFTER_END();
    else if (state.closed) error = new codes.ERR_HTTP2_INVALID_STREAM();
    else if (state.destroyed) return false;
    if (error !== undefined) {
      if (typeof cb === "function") process.nextTick(cb, error);
      this.destroy(error);
      return false;
    }
    const target = this[kStream];
    if (!target.headersSent) this.writeHead(state.statusCode);
    return target.write(chunk, encoding, cb);
  }

  end(chunk?: Chunk | Done | null, encoding?: string | Done, cb?: Done): this {
    const target = this[kStream];
    const state = this[kState];
    if (typeof chunk === "function") {
      cb = chunk;
      chunk = null;
    } else if (typeof encoding === "function") {
      cb = encoding;
      encoding = "utf8";
    }
    if ((state.closed || state.ending) && state.headRequest === target.headRequest) {
      if (typeof cb === "function") process.nextTick(cb);
      return this;
    }
    if (chunk !== null && chunk !== undefined) this.write(chunk, encoding);
    state.headRequest = target.headRequest;
    state.ending = true;
    if (typeof cb === "function") {
      if (target.writableEnded) this.once("finish", cb);
      else target.once("finish", cb);
    }
    if (!target.headersSent) this.writeHead(state.statusCode);
    if (state.closed || target.destroyed) onResponseClose.call(target);
    else target.end();
    return this;
  }

  destroy(error?: NodeError | null | undefined): void {
    const state = this[kState];
    if (state.destroyed) return;
    state.destroyed = true;
    this[kStream].destroy(error);
  }

  setTimeout(msecs: number, callback?: () => void): void {
    if (!this[kState].closed) this[kStream].setTimeout(msecs, callback);
  }

  createPushResponse(headers: HeaderObject, callback: (error: unknown, response?: Http2ServerResponse) => void): void {
    validateFunction(callback, "callback");
    if (this[kState].closed) {
      process.nextTick(callback, new codes.ERR_HTTP2_INVALID_STREAM());
      return;
    }
    this[kStream].pushStream(headers, {}, (error, pushed) => {
      if (error) callback(error);
      else callback(null, new Http2ServerResponse(pushed!));
    });
  }

  writeContinue(): boolean {
    const target = this[kStream];
    if (target.headersSent || this[kState].closed) return false;
    target.additionalHeaders({ ":status": 100 });
    return true;
  }

  writeEarlyHints(hints: { [name: string]: string | string[] }): boolean {
    validateObject(hints, "hints");
    const headers: HeaderObject = Object.create(null);
    const link = validateLinkHeaderValue(hints.link);
    for (const key of Object.keys(hints)) if (key !== "link") headers[key] = hints[key];
    if (link.length === 0) return false;
    const target = this[kStream];
    if (target.headersSent || this[kState].closed) return false;
    target.additionalHeaders({ ...headers, ":status": 103, Link: link });
    return true;
  }

  /** An informational response before the final one; of Node 26. False if it is too late. */
  writeInformation(statusCode: number, headers?: HeaderObject | null): boolean {
    validateInteger(statusCode, "statusCode", 100, 199);
    if (statusCode === 101) throw new codes.ERR_HTTP_INVALID_STATUS_CODE(statusCode);
    if (headers !== undefined && headers !== null) validateObject(headers, "headers");
    const target = this[kStream];
    if (target.headersSent || this[kState].closed) return false;
    target.additionalHeaders({ ...headers, ":status": statusCode });
    return true;
  }

  get writableNeedDrain(): boolean {
    return (this[kStream] as unknown as { writableNeedDrain: boolean }).writableNeedDrain;
  }

  get writableObjectMode(): boolean {
    return (this[kStream] as unknown as { writableObjectMode: boolean }).writableObjectMode;
  }
}

function put(response: Http2ServerResponse, name: string, value: HeaderValue, append: boolean): void {
  name = name.trim().toLowerCase();
  checkHeader(name, value);
  if (!isUsable(name, value)) return;
  if (name[0] === ":") assertValidPseudoHeader(name);
  else if (!checkIsHttpToken(name)) response.destroy(new codes.ERR_INVALID_HTTP_TOKEN("Header name", name));
  const headers = response[kHeaders];
  if (!append || !headers[name]) {
    headers[name] = value;
    return;
  }
  if (!Array.isArray(headers[name])) headers[name] = [headers[name] as string];
  if (Array.isArray(value)) (headers[name] as string[]).push(...value);
  else (headers[name] as string[]).push(value as string);
}

/** `stream` of a server that listens for requests. */
export function onServerStream(
  this: EventEmitter,
  Request: typeof Http2ServerRequest,
  Response: typeof Http2ServerResponse,
  target: ServerHttp2Stream,
  headers: HeaderObject,
  _flags: number,
  rawHeaders: string[],
): void {
  const request = new Request(target, headers, undefined, rawHeaders);
  const response = new Response(target);
  const refuse = (status: number) => {
    response.statusCode = status;
    response.end();
  };
  if (headers[":method"] === "CONNECT") {
    if (!this.emit("connect", request, response)) refuse(405);
  } else if (headers.expect === undefined) {
    this.emit("request", request, response);
  } else if (headers.expect === "100-continue") {
    if (this.listenerCount("checkContinue") > 0) {
      this.emit("checkContinue", request, response);
    } else {
      response.writeContinue();
      this.emit("request", request, response);
    }
  } else if (this.listenerCount("checkExpectation") > 0) {
    this.emit("checkExpectation", request, response);
  } else {
    refuse(417);
  }
}
