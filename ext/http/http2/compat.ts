// Http2ServerRequest and Http2ServerResponse: streams of HTTP/2 in the clothes of node:http
// (https://nodejs.org/api/http2.html#compatibility-api).

import stream from "node:stream";
import { codes, hideStackFrames } from "internal/core/errors";
import { checkIsHttpToken } from "internal/http/common";
import { assertValidPseudoHeader, getAuthority, kProxySocket, kRequest, kSocket } from "internal/http/http2/util";
import { validateFunction, validateLinkHeaderValue, validateObject, validateString } from "internal/core/validators";

const { Readable, Stream } = stream as any;

const kState = Symbol("state");
const kStream = Symbol("stream");
const kResponse = Symbol("response");
const kHeaders = Symbol("headers");
const kRawHeaders = Symbol("rawHeaders");
const kTrailers = Symbol("trailers");
const kRawTrailers = Symbol("rawTrailers");
const kAborted = Symbol("aborted");

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

function onData(this: any, chunk: unknown): void {
  const request = this[kRequest];
  if (request !== undefined && !request.push(chunk)) this.pause();
}

function onTrailers(this: any, trailers: unknown, _flags: number, raw: string[]): void {
  const request = this[kRequest];
  if (request === undefined) return;
  Object.assign(request[kTrailers], trailers);
  request[kRawTrailers].push(...raw);
}

function onEnd(this: any): void {
  this[kRequest]?.push(null);
}

// Errors of the stream are not those of the request.
function onError(): void {}

function onAborted(this: any): void {
  const request = this[kRequest];
  if (request === undefined || request[kState].closed) return;
  request[kAborted] = true;
  request.emit("aborted");
}

function onRequestClose(this: any): void {
  const request = this[kRequest];
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

function onRequestTimeout(this: any): void {
  this[kRequest].emit("timeout");
}

function onResponseTimeout(this: any): void {
  this[kResponse].emit("timeout");
}

function onDrain(this: any): void {
  this[kResponse]?.emit("drain");
}

function onWantTrailers(this: any): void {
  this.sendTrailers(this[kResponse][kTrailers]);
}

function onResponseClose(this: any): void {
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

function onPause(this: any): void {
  this[kStream].pause();
}

function onResume(this: any): void {
  this[kStream].resume();
}

function resumeStream(target: any): void {
  target.resume();
}

// ---- what stands for the socket

const streamMethods = new Set<unknown>(["on", "once", "end", "emit", "destroy"]);
const forbidden = new Set<unknown>(["write", "read", "pause", "resume"]);

function socketBehind(target: any): any {
  return target.session !== undefined ? target.session[kSocket] : target;
}

const socketProxy = {
  has: (target: any, name: any) => name in target || name in socketBehind(target),
  get(target: any, name: string): any {
    if (streamMethods.has(name)) return target[name].bind(target);
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
    const value = socket[name];
    return typeof value === "function" ? value.bind(socket) : value;
  },
  getPrototypeOf: (target: any) => Reflect.getPrototypeOf(socketBehind(target)),
  set(target: any, name: string, value: unknown): boolean {
    if (forbidden.has(name)) throw new codes.ERR_HTTP2_NO_SOCKET_MANIPULATION();
    if (streamMethods.has(name) || name === "writable" || name === "readable" || name === "destroyed")
      target[name] = value;
    else if (name === "setTimeout") (target.session ?? target).setTimeout = value;
    else socketBehind(target)[name] = value;
    return true;
  },
};

function socketOf(target: any): any {
  return target[kProxySocket] === null ? (target[kProxySocket] = new Proxy(target, socketProxy)) : target[kProxySocket];
}

// ---------------------------------------------------------------------------------------------------------------------

export class Http2ServerRequest extends Readable {
  constructor(target: any, headers: unknown, options?: any, rawHeaders?: unknown) {
    super({ autoDestroy: false, ...options });
    const self: any = this;
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
    return (this as any)[kAborted];
  }

  get complete(): boolean {
    const self: any = this;
    return self[kAborted] || this.readableEnded || self[kState].closed || self[kStream].destroyed;
  }

  get stream(): unknown {
    return (this as any)[kStream];
  }

  get headers(): unknown {
    return (this as any)[kHeaders];
  }

  get rawHeaders(): unknown {
    return (this as any)[kRawHeaders];
  }

  get trailers(): unknown {
    return (this as any)[kTrailers];
  }

  get rawTrailers(): unknown {
    return (this as any)[kRawTrailers];
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

  get socket(): unknown {
    return socketOf((this as any)[kStream]);
  }

  get connection(): unknown {
    return this.socket;
  }

  _read(this: any): void {
    const state = this[kState];
    if (!state.didRead) {
      state.didRead = true;
      this[kStream].on("data", onData);
    } else {
      process.nextTick(resumeStream, this[kStream]);
    }
  }

  get method(): unknown {
    return (this as any)[kHeaders][":method"];
  }

  set method(method: unknown) {
    validateString(method, "method");
    if (method.trim() === "") throw new codes.ERR_INVALID_ARG_VALUE("method", method);
    (this as any)[kHeaders][":method"] = method;
  }

  get authority(): unknown {
    return getAuthority((this as any)[kHeaders]);
  }

  get scheme(): unknown {
    return (this as any)[kHeaders][":scheme"];
  }

  get url(): unknown {
    return (this as any)[kHeaders][":path"];
  }

  set url(url: unknown) {
    (this as any)[kHeaders][":path"] = url;
  }

  setTimeout(this: any, msecs: unknown, callback?: unknown): unknown {
    if (!this[kState].closed) this[kStream].setTimeout(msecs, callback);
    return this;
  }
}

export class Http2ServerResponse extends Stream {
  constructor(target: any, options?: unknown) {
    super(options);
    const self: any = this;
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
    self.req = target[kRequest];
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
    return (this as any)[kState].ending;
  }

  get finished(): boolean {
    return (this as any)[kState].ending;
  }

  get socket(): unknown {
    const self: any = this;
    return self[kState].closed ? undefined : socketOf(self[kStream]);
  }

  get connection(): unknown {
    return this.socket;
  }

  get stream(): any {
    return (this as any)[kStream];
  }

  get headersSent(): boolean {
    return (this as any)[kStream].headersSent;
  }

  get sendDate(): boolean {
    return (this as any)[kState].sendDate;
  }

  set sendDate(on: boolean) {
    (this as any)[kState].sendDate = Boolean(on);
  }

  get statusCode(): number {
    return (this as any)[kState].statusCode;
  }

  set statusCode(code: number) {
    code |= 0;
    if (code >= 100 && code < 200) throw new codes.ERR_HTTP2_INFO_STATUS_NOT_ALLOWED();
    if (code < 100 || code > 599) throw new codes.ERR_HTTP2_STATUS_INVALID(code);
    (this as any)[kState].statusCode = code;
  }

  get writableCorked(): number {
    return (this as any)[kStream].writableCorked;
  }

  get writableHighWaterMark(): number {
    return (this as any)[kStream].writableHighWaterMark;
  }

  get writableFinished(): boolean {
    return (this as any)[kStream].writableFinished;
  }

  get writableLength(): number {
    return (this as any)[kStream].writableLength;
  }

  setTrailer(this: any, name: string, value: unknown): void {
    validateString(name, "name");
    name = name.trim().toLowerCase();
    checkHeader(name, value);
    this[kTrailers][name] = value;
  }

  addTrailers(headers: { [key: string]: unknown }): void {
    for (const key of Object.keys(headers)) this.setTrailer(key, headers[key]);
  }

  getHeader(this: any, name: unknown): unknown {
    validateString(name, "name");
    return this[kHeaders][name.trim().toLowerCase()];
  }

  getHeaderNames(this: any): string[] {
    return Object.keys(this[kHeaders]);
  }

  getHeaders(this: any): unknown {
    return Object.assign(Object.create(null), this[kHeaders]);
  }

  hasHeader(this: any, name: unknown): boolean {
    validateString(name, "name");
    return Object.hasOwn(this[kHeaders], name.trim().toLowerCase());
  }

  removeHeader(this: any, name: string): void {
    validateString(name, "name");
    if (this[kStream].headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    name = name.trim().toLowerCase();
    if (name === "date") this[kState].sendDate = false;
    else delete this[kHeaders][name];
  }

  setHeader(this: any, name: unknown, value: unknown): void {
    validateString(name, "name");
    if (this[kStream].headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    put(this, name, value, false);
  }

  appendHeader(this: any, name: unknown, value: unknown): void {
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

  flushHeaders(this: any): void {
    const state = this[kState];
    if (!state.closed && !this[kStream].headersSent) this.writeHead(state.statusCode);
  }

  writeHead(this: any, statusCode: unknown, statusMessage?: unknown, headers?: any): unknown {
    const state = this[kState];
    if (state.closed || this.stream.destroyed || this.stream.closed) return this;
    if (this[kStream].headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    if (typeof statusMessage === "string") warnOfStatusMessage();
    if (headers === undefined && typeof statusMessage === "object") headers = statusMessage;
    if (Array.isArray(headers)) {
      // A flat list, or one of pairs. It replaces what was set before, but may itself name a field several times.
      const pairs = headers.length > 0 && Array.isArray(headers[0]);
      const step = pairs ? 1 : 2;
      for (let i = 0; i < headers.length; i += step) this.removeHeader(pairs ? headers[i][0] : headers[i]);
      if (!pairs && headers.length % 2 !== 0) throw new codes.ERR_INVALID_ARG_VALUE("headers", headers);
      for (let i = 0; i < headers.length; i += step) {
        if (pairs) put(this, headers[i][0], headers[i][1], true);
        else put(this, headers[i], headers[i + 1], true);
      }
    } else if (typeof headers === "object" && headers !== null) {
      for (const key of Object.keys(headers)) put(this, key, headers[key], false);
    }
    state.statusCode = statusCode;
    const fields = this[kHeaders];
    fields[":status"] = statusCode;
    this[kStream].respond(fields, { endStream: state.ending, waitForTrailers: true, sendDate: state.sendDate });
    return this;
  }

  cork(): void {
    (this as any)[kStream].cork();
  }

  uncork(): void {
    (this as any)[kStream].uncork();
  }

  write(this: any, chunk: unknown, encoding?: unknown, cb?: unknown): boolean {
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

  end(this: any, chunk?: unknown, encoding?: unknown, cb?: unknown): unknown {
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

  destroy(this: any, error?: NodeError | null | undefined): void {
    const state = this[kState];
    if (state.destroyed) return;
    state.destroyed = true;
    this[kStream].destroy(error);
  }

  setTimeout(this: any, msecs: unknown, callback?: unknown): void {
    if (!this[kState].closed) this[kStream].setTimeout(msecs, callback);
  }

  createPushResponse(this: any, headers: unknown, callback: unknown): void {
    validateFunction(callback, "callback");
    if (this[kState].closed) {
      process.nextTick(callback, new codes.ERR_HTTP2_INVALID_STREAM());
      return;
    }
    this[kStream].pushStream(headers, {}, (error: NodeError | null | undefined, pushed: any) => {
      if (error) callback(error);
      else callback(null, new Http2ServerResponse(pushed));
    });
  }

  writeContinue(this: any): boolean {
    const target = this[kStream];
    if (target.headersSent || this[kState].closed) return false;
    target.additionalHeaders({ ":status": 100 });
    return true;
  }

  writeEarlyHints(this: any, hints: unknown): boolean {
    validateObject(hints, "hints");
    const headers: any = Object.create(null);
    const link = validateLinkHeaderValue(hints.link);
    for (const key of Object.keys(hints)) if (key !== "link") headers[key] = hints[key];
    if (link.length === 0) return false;
    const target = this[kStream];
    if (target.headersSent || this[kState].closed) return false;
    target.additionalHeaders({ ...headers, ":status": 103, Link: link });
    return true;
  }
}

function put(response: any, name: string, value: unknown, append: boolean): void {
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
  if (!Array.isArray(headers[name])) headers[name] = [headers[name]];
  if (Array.isArray(value)) headers[name].push(...value);
  else headers[name].push(value);
}

/** `stream` of a server that listens for requests. */
export function onServerStream(
  this: any,
  Request: any,
  Response: any,
  target: unknown,
  headers: { [key: string]: unknown },
  _flags: number,
  rawHeaders: unknown,
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
