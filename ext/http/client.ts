// http.ClientRequest (https://nodejs.org/api/http.html#class-httpclientrequest).

import { codes, connResetException } from "internal/core/errors";
import { globals } from "internal/http/agent";
import {
  checkIsHttpToken,
  freeParser,
  HTTPParser,
  isInsecure,
  kNeedDrain,
  kOutHeaders,
  maxHeaderSize,
} from "internal/http/common";
import "internal/http/incoming";
import { kUniqueHeaders, OutgoingMessage } from "internal/http/outgoing";
import { addressProxy, proxyFor } from "internal/http/proxy";
import { parseUniqueHeadersOption } from "internal/http/server";
import { getTimerDuration } from "internal/core/timers";
import { validateBoolean, validateInteger } from "internal/core/validators";
import { ANSWER_SKIP_BODY, ANSWER_TAKE_OVER } from "internal/net/native_constants";
import type { Agent, AgentClass, ConnectionOptions } from "internal/http/agent";
import type { IncomingMessage } from "internal/http/incoming";
import type { Channel, ClientSocket, GivenHeaders, HeaderValue } from "internal/http/types";

const kError = Symbol("kError");
const kPath = Symbol("kPath");
const kReleased = Symbol("kReleased");
const INVALID_PATH_REGEX = /[^\u0021-\u00ff]/;

let channels: Record<"created" | "start" | "error" | "finish", Channel> | undefined;
function diagnostics() {
  if (channels === undefined) {
    const dc = require("node:diagnostics_channel");
    channels = {
      created: dc.channel("http.client.request.created"),
      start: dc.channel("http.client.request.start"),
      error: dc.channel("http.client.request.error"),
      finish: dc.channel("http.client.response.finish"),
    };
  }
  return channels;
}

function emitErrorEvent(request: ClientRequest, error: unknown): void {
  const channel = diagnostics().error;
  if (channel.hasSubscribers) channel.publish({ request, error });
  request.emit("error", error);
}

function validateHost(host: string | null | undefined, name: string): string | null | undefined {
  if (host !== null && host !== undefined && typeof host !== "string") {
    throw new codes.ERR_INVALID_ARG_TYPE(`options.${name}`, ["string", "undefined", "null"], host);
  }
  return host;
}

/** https://nodejs.org/api/http.html#httprequesturl-options-callback */
export interface RequestOptions {
  agent?: Agent | false | null;
  /** What is taken where `agent` says nothing. */
  _defaultAgent?: Agent;
  auth?: string | null;
  createConnection?(
    options: ConnectionOptions,
    done: (error: unknown, socket?: ClientSocket) => void,
  ): ClientSocket | undefined;
  defaultPort?: number;
  family?: number;
  headers?: GivenHeaders;
  host?: string | null;
  hostname?: string | null;
  insecureHTTPParser?: boolean;
  joinDuplicateHeaders?: boolean;
  localAddress?: string;
  maxHeaderSize?: number;
  method?: string | null;
  noDelay?: boolean;
  path?: string | null;
  port?: number | string | null;
  protocol?: string | null;
  /** The name for TLS. */
  servername?: string;
  setDefaultHeaders?: boolean;
  setHost?: boolean;
  signal?: AbortSignal;
  socketPath?: string;
  timeout?: number;
  uniqueHeaders?: string[];
}

export interface ClientRequest extends OutgoingMessage {
  agent: Agent | null | undefined;
  socket: ClientSocket | null;
  socketPath: string | undefined;
  timeout?: number;
  method: string;
  path: string;
  host: string;
  protocol: string;
  maxHeaderSize: number | undefined;
  insecureHTTPParser: boolean | undefined;
  joinDuplicateHeaders: boolean | undefined;
  /** The response has been read. */
  _ended: boolean;
  res: IncomingMessage | null;
  aborted: boolean;
  timeoutCb: (() => void) | null;
  upgradeOrConnect: boolean;
  parser: HTTPParser | null;
  maxHeadersCount: number | null;
  reusedSocket: boolean;
  [kError]: unknown;
  [kPath]: string;
  [kReleased]?: boolean;
  abort(): void;
  onSocket(socket: ClientSocket | null | undefined, error?: unknown): void;
  clearTimeout(callback?: () => void): void;
  setNoDelay(noDelay?: boolean): void;
  setSocketKeepAlive(enable?: boolean, initialDelay?: number): void;
  /** Calls a method of the connection when there is one. */
  _deferToConnect(method: "setNoDelay" | "setKeepAlive" | null, args: unknown[]): void;
}

/** A request that has its connection. */
type Connected = ClientRequest & { socket: ClientSocket };

/** What `response` calls. */
export type ResponseListener = (response: IncomingMessage) => void;

export type RequestInput = string | URL | RequestOptions;

export type ClientRequestClass = new (
  input: RequestInput,
  options?: RequestOptions | ResponseListener,
  callback?: ResponseListener,
) => ClientRequest;

/** `new ClientRequest(url | options[, options][, callback])`; callable for classes of the old kind. */
export function ClientRequest(
  this: ClientRequest,
  input: RequestInput | null,
  options: RequestOptions,
  cb?: ResponseListener,
): void {
  OutgoingMessage.call(this);
  this[kError] = undefined;
  if (typeof input === "string") {
    const { URL, urlToHttpOptions } = require("node:url");
    input = urlToHttpOptions(new URL(input));
  } else if (input instanceof globalThis.URL) {
    input = require("node:url").urlToHttpOptions(input);
  } else {
    cb = options as unknown as ResponseListener;
    options = input as RequestOptions;
    input = null;
  }
  if (typeof options === "function") {
    cb = options as unknown as ResponseListener;
    options = (input || {}) as RequestOptions;
  } else {
    options = Object.assign(input || {}, options);
  }

  let agent = options.agent;
  const defaultAgent = options._defaultAgent || globals.agent;
  if (agent === false) {
    agent = new (defaultAgent.constructor as AgentClass)();
  } else if (agent == null) {
    if (typeof options.createConnection !== "function") agent = defaultAgent;
  } else if (typeof agent.addRequest !== "function") {
    throw new codes.ERR_INVALID_ARG_TYPE("options.agent", ["Agent-like Object", "undefined", "false"], agent);
  }
  this.agent = agent as Agent | null | undefined;

  const protocol = options.protocol || defaultAgent.protocol;
  let expectedProtocol = defaultAgent.protocol;
  if (this.agent?.protocol) expectedProtocol = this.agent.protocol;

  if (options.path) {
    const path = String(options.path);
    if (INVALID_PATH_REGEX.test(path)) throw new codes.ERR_UNESCAPED_CHARACTERS("Request path");
  }
  if (protocol !== expectedProtocol) throw new codes.ERR_INVALID_PROTOCOL(protocol, expectedProtocol);

  const defaultPort = options.defaultPort || this.agent?.defaultPort;
  const optsWithoutSignal = { __proto__: null, ...options } as ConnectionOptions;
  const port = (optsWithoutSignal.port = options.port || defaultPort || 80);
  const host = (optsWithoutSignal.host =
    validateHost(options.hostname, "hostname") || validateHost(options.host, "host") || "localhost");
  const setHost = options.setHost !== undefined ? Boolean(options.setHost) : options.setDefaultHeaders !== false;
  this._removedConnection = options.setDefaultHeaders === false;
  this._removedContLen = options.setDefaultHeaders === false;
  this._removedTE = options.setDefaultHeaders === false;

  this.socketPath = options.socketPath;
  if (options.timeout !== undefined) this.timeout = getTimerDuration(options.timeout, "timeout");
  const { signal } = options;
  if (signal) {
    require("internal/streams/add_abort_signal").addAbortSignal(signal, this);
    delete optsWithoutSignal.signal;
  }
  let method = options.method;
  if (method != null && typeof method !== "string")
    throw new codes.ERR_INVALID_ARG_TYPE("options.method", "string", method);
  if (method) {
    if (!checkIsHttpToken(method)) throw new codes.ERR_INVALID_HTTP_TOKEN("Method", method);
    method = this.method = method.toUpperCase();
  } else {
    method = this.method = "GET";
  }
  const limit = options.maxHeaderSize;
  if (limit !== undefined) validateInteger(limit, "maxHeaderSize", 0);
  this.maxHeaderSize = limit;
  const { insecureHTTPParser } = options;
  if (insecureHTTPParser !== undefined) validateBoolean(insecureHTTPParser, "options.insecureHTTPParser");
  this.insecureHTTPParser = insecureHTTPParser;
  if (options.joinDuplicateHeaders !== undefined)
    validateBoolean(options.joinDuplicateHeaders, "options.joinDuplicateHeaders");
  this.joinDuplicateHeaders = options.joinDuplicateHeaders;

  this[kPath] = options.path || "/";
  if (cb) this.once("response", cb);

  this.useChunkedEncodingByDefault = !(
    method === "GET" ||
    method === "HEAD" ||
    method === "DELETE" ||
    method === "OPTIONS" ||
    method === "TRACE" ||
    method === "CONNECT"
  );
  this._ended = false;
  this.res = null;
  this.aborted = false;
  this.timeoutCb = null;
  this.upgradeOrConnect = false;
  this.parser = null;
  this.maxHeadersCount = null;
  this.reusedSocket = false;
  this.host = host;
  this.protocol = protocol;

  if (this.agent) {
    // Without keep-alive in the agent the connection ends with the response.
    if (!this.agent.keepAlive && !Number.isFinite(this.agent.maxSockets)) {
      this._last = true;
      this.shouldKeepAlive = false;
    } else {
      this._last = false;
      this.shouldKeepAlive = true;
    }
  }

  // Requests of `https:` agents go through a tunnel.
  const proxy = this.agent?.protocol === "http:" ? proxyFor(this.agent, optsWithoutSignal) : undefined;
  const headersArray = Array.isArray(options.headers);
  if (!headersArray) {
    if (options.headers) {
      for (const key of Object.keys(options.headers))
        this.setHeader(key, (options.headers as { [name: string]: HeaderValue })[key]!);
    }
    if (host && !this.getHeader("host") && setHost) {
      let hostHeader = host;
      // An IPv6 address stands in brackets.
      const colon = hostHeader.indexOf(":");
      if (colon !== -1 && hostHeader.includes(":", colon + 1) && hostHeader.charCodeAt(0) !== 91)
        hostHeader = `[${hostHeader}]`;
      if (port && +port !== defaultPort) hostHeader += `:${port}`;
      this.setHeader("Host", hostHeader);
    }
    if (options.auth && !this.getHeader("Authorization")) {
      this.setHeader("Authorization", `Basic ${require("node:buffer").Buffer.from(options.auth).toString("base64")}`);
    }
    if (proxy !== undefined) addressProxy(this, proxy, optsWithoutSignal, this.shouldKeepAlive);
    if (this.getHeader("expect")) {
      if (this._header) throw new codes.ERR_HTTP_HEADERS_SENT("render");
      this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, this[kOutHeaders]);
    }
  } else {
    // Sent as they are, nothing is added.
    if (proxy !== undefined) addressProxy(this, proxy, optsWithoutSignal, this.shouldKeepAlive);
    this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, options.headers);
  }
  this[kUniqueHeaders] = parseUniqueHeadersOption(options.uniqueHeaders);

  // Where there is an agent, it finds a connection; else one is made for this request.
  if (this.agent) {
    this.agent.addRequest(this, optsWithoutSignal);
  } else {
    this._last = true;
    this.shouldKeepAlive = false;
    let opts = optsWithoutSignal;
    if (opts.path || opts.socketPath) {
      opts = { ...optsWithoutSignal };
      if (opts.socketPath) opts.path = opts.socketPath;
      else opts.path = undefined;
    }
    if (typeof opts.createConnection === "function") {
      let called = false;
      const oncreate = (error: unknown, socket?: ClientSocket) => {
        if (called) return;
        called = true;
        if (error) process.nextTick(() => emitErrorEvent(this, error));
        else this.onSocket(socket);
      };
      try {
        const socket = opts.createConnection(opts, oncreate);
        if (socket) oncreate(null, socket);
      } catch (error) {
        oncreate(error, undefined);
      }
    } else {
      this.onSocket(require("node:net").createConnection(opts) as unknown as ClientSocket);
    }
  }
  const { created } = diagnostics();
  if (created.hasSubscribers) created.publish({ request: this });
}
Object.setPrototypeOf(ClientRequest.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ClientRequest, OutgoingMessage);

const proto: ClientRequest = ClientRequest.prototype;

Object.defineProperty(proto, "path", {
  get(this: ClientRequest) {
    return this[kPath];
  },
  set(this: ClientRequest, value: unknown) {
    const path = String(value);
    if (INVALID_PATH_REGEX.test(path)) throw new codes.ERR_UNESCAPED_CHARACTERS("Request path");
    this[kPath] = path;
  },
  configurable: true,
  enumerable: true,
});

proto._finish = function () {
  OutgoingMessage.prototype._finish.call(this);
  const { start } = diagnostics();
  if (start.hasSubscribers) start.publish({ request: this });
};

proto._implicitHeader = function () {
  if (this._header) throw new codes.ERR_HTTP_HEADERS_SENT("render");
  this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, this[kOutHeaders]);
};

proto.abort = function () {
  if (this.aborted) return;
  this.aborted = true;
  process.nextTick((req: ClientRequest) => req.emit("abort"), this);
  this.destroy();
};

proto.destroy = function (error) {
  if (this.destroyed) return this;
  this.destroyed = true;
  // A response that has begun gets the error itself.
  if (this.res) this.res._dump();
  this[kError] = error;
  this.socket?.destroy(error);
  return this;
};

function onSocketCloseListener(this: ClientSocket): void {
  const socket = this;
  const req = socket._httpMessage as Connected;
  // The rest of what came belongs to the response.
  const { parser } = socket;
  const { res } = req;
  req.destroyed = true;
  if (res) {
    // Only a complete response ends well.
    if (!res.complete) res.destroy(connResetException("aborted"));
    req._closed = true;
    req.emit("close");
    if (!res.aborted && res.readable) res.push(null);
  } else {
    if (!req.socket._hadError) {
      // The server hung up before it answered.
      req.socket._hadError = true;
      emitErrorEvent(req, connResetException("socket hang up"));
    }
    req._closed = true;
    req.emit("close");
  }
  // Nothing will come for what was still to be written.
  if (req.outputData) req.outputData.length = 0;
  if (parser) {
    parser.finish();
    freeParser(parser, req, socket);
  }
}

function onSocketErrorListener(this: ClientSocket, error: unknown): void {
  const socket = this;
  const req = socket._httpMessage as Connected | null | undefined;
  if (req) {
    // Of the same failure there will be a `close`, which must not report it again.
    req.socket._hadError = true;
    emitErrorEvent(req, error);
  }
  const { parser } = socket;
  if (parser) {
    parser.finish();
    freeParser(parser, req, socket);
  }
  socket.removeListener("data", socketOnData);
  socket.removeListener("end", socketOnEnd);
  socket.destroy();
}

function socketOnEnd(this: ClientSocket): void {
  const socket = this;
  const req = socket._httpMessage as Connected | null | undefined;
  const { parser } = socket;
  if (!req) return;
  if (!req.res && !req.socket._hadError) {
    req.socket._hadError = true;
    emitErrorEvent(req, connResetException("socket hang up"));
  }
  if (parser) {
    parser.finish();
    freeParser(parser, req, socket);
  }
  socket.end();
}

function socketOnData(this: ClientSocket, bytes: Uint8Array): void {
  this.parser?.execute(bytes);
}

function onParserError(req: Connected, error: unknown): void {
  const { socket } = req;
  if (!socket) return;
  freeParser(socket.parser, req, socket);
  socket.removeListener("data", socketOnData);
  socket.removeListener("end", socketOnEnd);
  socket.destroy();
  req.socket._hadError = true;
  emitErrorEvent(req, error);
}

// The server has agreed to another protocol.
function onUpgrade(req: Connected, head: Uint8Array): void {
  const { socket, res } = req;
  const { parser } = socket;
  freeParser(parser, req, socket);
  socket.removeListener("data", socketOnData);
  socket.removeListener("end", socketOnEnd);
  socket.removeListener("drain", ondrain);
  if (req.timeoutCb) socket.removeListener("timeout", req.timeoutCb);
  socket.removeListener("timeout", responseOnTimeout);
  res!.complete = true;
  const event = req.method === "CONNECT" ? "connect" : "upgrade";
  if (req.listenerCount(event) > 0) {
    req.upgradeOrConnect = true;
    // The connection is no longer the agent's.
    socket.emit("agentRemove");
    socket.removeListener("close", onSocketCloseListener);
    socket.removeListener("error", onSocketErrorListener);
    socket._httpMessage = null;
    socket.readableFlowing = null;
    req.emit(event, res, socket, head);
    req.destroyed = true;
    req._closed = true;
    req.emit("close");
  } else {
    socket.destroy();
  }
}

function ondrain(this: ClientSocket): void {
  const message = this._httpMessage;
  if (message && !message.finished && message[kNeedDrain]) {
    message[kNeedDrain] = false;
    message.emit("drain");
  }
}

/** A head of a response. */
function onIncoming(req: Connected, res: IncomingMessage, keepAlive: boolean): number {
  const { socket } = req;
  if (req.res) {
    // A second response to one request: the server is confused.
    socket.destroy();
    return 0;
  }
  req.res = res;
  // A response to CONNECT has no body, its connection is a tunnel.
  if (req.method === "CONNECT" && res.statusCode! >= 200 && res.statusCode! < 300) {
    res.upgrade = true;
    return ANSWER_TAKE_OVER;
  }
  if (res.upgrade) {
    // Nobody asked for it, or nobody wants it.
    if (req.listenerCount("upgrade") === 0) res.upgrade = false;
    return ANSWER_TAKE_OVER;
  }
  // A 101 that no upgrade goes with is a response of its own (RFC 9110, 15.2.2).
  if (res.statusCode! >= 100 && res.statusCode! < 200 && res.statusCode !== 101) {
    req.res = null;
    // What comes now is the real response.
    if (res.statusCode === 100) req.emit("continue");
    req.emit("information", {
      statusCode: res.statusCode,
      statusMessage: res.statusMessage,
      httpVersion: res.httpVersion,
      httpVersionMajor: res.httpVersionMajor,
      httpVersionMinor: res.httpVersionMinor,
      headers: res.headers,
      rawHeaders: res.rawHeaders,
    });
    return ANSWER_SKIP_BODY;
  }
  if (req.shouldKeepAlive && !keepAlive) {
    // The server ends the connection.
    req.shouldKeepAlive = false;
  }
  const { finish } = diagnostics();
  if (finish.hasSubscribers) finish.publish({ request: req, response: res });
  res.req = req;
  // The connection is free when the response has been read.
  res.on("end", responseOnEnd);
  req.on("finish", requestOnFinish);
  socket.on("timeout", responseOnTimeout);
  if (req.aborted || !req.emit("response", res)) res._dump();
  return req.method === "HEAD" ? ANSWER_SKIP_BODY : 0;
}

function nothing(): void {}

function responseKeepAlive(req: Connected): void {
  const { socket } = req;
  // The end of the response and the end of the request both lead here; the first gives the connection away.
  if (req[kReleased]) return;
  req[kReleased] = true;
  if (req.timeoutCb) {
    socket.setTimeout(0, req.timeoutCb);
    req.timeoutCb = null;
  }
  socket.removeListener("timeout", responseOnTimeout);
  socket.removeListener("close", onSocketCloseListener);
  socket.removeListener("error", onSocketErrorListener);
  socket.removeListener("data", socketOnData);
  socket.removeListener("end", socketOnEnd);
  socket.removeListener("drain", ondrain);
  // Between two requests nothing should come; if something does, the connection is of no use.
  process.nextTick(emitFreeNT, req);
  req.destroyed = true;
  if (req.res) {
    // The request is over with its response.
    freeParser(req.parser ?? socket.parser, req, socket);
  }
}

function emitFreeNT(req: ClientRequest): void {
  req.destroyed = true;
  req._closed = true;
  req.emit("close");
  if (req.socket) req.socket.emit("free");
}

function responseOnEnd(this: IncomingMessage): void {
  const { req } = this as IncomingMessage & { req: Connected };
  const { socket } = req;
  if (socket) {
    if (req.timeoutCb) socket.removeListener("timeout", emitRequestTimeout);
    socket.removeListener("timeout", responseOnTimeout);
  }
  req._ended = true;
  if (!req.shouldKeepAlive) {
    if (socket.writable) {
      if (typeof socket.destroySoon === "function") socket.destroySoon();
      else socket.end();
    }
  } else if (req.writableFinished && !this.aborted) {
    responseKeepAlive(req);
  }
}

function requestOnFinish(this: ClientRequest): void {
  // The response was there before the request was written.
  if (this.shouldKeepAlive && this._ended) responseKeepAlive(this as Connected);
}

function responseOnTimeout(this: ClientSocket): void {
  const res = this._httpMessage?.res;
  if (res) res.emit("timeout");
}

function emitRequestTimeout(this: ClientSocket): void {
  const req = this._httpMessage;
  if (req) req.emit("timeout");
}

function tickOnSocket(req: ClientRequest, socket: ClientSocket): void {
  const lenient = req.insecureHTTPParser === undefined ? isInsecure() : req.insecureHTTPParser;
  const parser = new HTTPParser(true, req.maxHeaderSize || maxHeaderSize(), lenient, socket);
  req.socket = socket;
  req.parser = parser;
  parser.outgoing = req;
  parser.joinDuplicateHeaders = req.joinDuplicateHeaders;
  if (typeof req.maxHeadersCount === "number") parser.maxHeaderPairs = req.maxHeadersCount << 1;
  parser.onIncoming = (res: IncomingMessage, keepAlive: boolean) => onIncoming(req as Connected, res, keepAlive);
  parser.onError = (error: unknown) => onParserError(req as Connected, error);
  parser.onUpgrade = (head: Uint8Array) => onUpgrade(req as Connected, head);
  socket.parser = parser;
  socket._httpMessage = req;
  socket.on("error", onSocketErrorListener);
  socket.on("data", socketOnData);
  socket.on("end", socketOnEnd);
  socket.on("close", onSocketCloseListener);
  socket.on("drain", ondrain);
  // Bytes go from the socket to the parser without a way through JavaScript, once there is a connection.
  if (socket.connecting)
    socket.once("connect", () => {
      if (socket.parser === parser) parser.consume(socket._handle);
    });
  else parser.consume(socket._handle);

  if ((req.timeout !== undefined && req.timeout !== 0) || req.agent?.options?.timeout) listenSocketTimeout(req);
  req.emit("socket", socket);
}

proto.onSocket = function (socket, error) {
  process.nextTick(onSocketNT, this, socket, error);
};

function onSocketNT(req: ClientRequest, socket: ClientSocket, error: unknown): void {
  if (req.destroyed || error) {
    let failure = req[kError];
    const finish = () => {
      req.destroyed = true;
      if (!req.aborted && !failure) failure = error ?? connResetException("socket hang up");
      if (failure) emitErrorEvent(req, failure);
      req._closed = true;
      req.emit("close");
    };
    if (socket) {
      if (!error && req.agent && !socket.destroyed) {
        socket.emit("free");
        finish();
        return;
      }
      const { eos } = require("internal/streams/end_of_stream");
      socket.on("error", nothing);
      eos(socket.destroy(error || failure), (e: NodeError) => {
        failure ??= e?.code === "ERR_STREAM_PREMATURE_CLOSE" ? undefined : e;
        finish();
      });
      return;
    }
    if (error && !failure) failure = error;
    finish();
    return;
  }
  tickOnSocket(req, socket);
  req._flush();
}

proto._deferToConnect = function (method, args) {
  const callSocketMethod = () => {
    if (method) Reflect.apply(this.socket![method], this.socket, args);
  };
  const onSocket = () => {
    if (this.socket!.writable) callSocketMethod();
    else this.socket!.once("connect", callSocketMethod);
  };
  if (this.socket) onSocket();
  else this.once("socket", onSocket);
};

function listenSocketTimeout(req: ClientRequest): void {
  if (req.timeoutCb) return;
  req.timeoutCb = emitRequestTimeout;
  if (req.socket) req.socket.once("timeout", emitRequestTimeout);
  else req.on("socket", (socket: ClientSocket) => socket.once("timeout", emitRequestTimeout));
}

proto.setTimeout = function (msecs, callback) {
  if (this._ended) return this;
  listenSocketTimeout(this);
  msecs = getTimerDuration(msecs, "msecs");
  if (callback) this.once("timeout", callback);
  if (this.socket) {
    setSocketTimeout(this.socket, msecs);
  } else {
    this.once("socket", (socket: ClientSocket) => setSocketTimeout(socket, msecs));
  }
  return this;
};

function setSocketTimeout(socket: ClientSocket, msecs: number): void {
  if (socket.connecting) socket.once("connect", () => socket.setTimeout(msecs));
  else socket.setTimeout(msecs);
}

proto.setNoDelay = function (noDelay) {
  this._deferToConnect("setNoDelay", [noDelay]);
};

proto.setSocketKeepAlive = function (enable, initialDelay) {
  this._deferToConnect("setKeepAlive", [enable, initialDelay]);
};

proto.clearTimeout = function (cb) {
  this.setTimeout(0, cb);
};
