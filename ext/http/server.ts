// http.Server, and what its connections do (https://nodejs.org/api/http.html#class-httpserver).

import EventEmitter from "node:events";
import { codes, connResetException } from "internal/core/errors";
import { Server as NetServer } from "internal/net/server";
import { IncomingMessage } from "internal/http/incoming";
import { kBeforeFinish, kUniqueHeaders } from "internal/http/outgoing";
import { diagnostics, emitCloseNT, kRequest, kState, ServerResponse } from "internal/http/server_response";
import {
  checkIsHttpToken,
  continueExpression,
  freeParser,
  HTTPParser,
  isInsecure,
  kIncomingMessage,
  kNeedDrain,
  maxHeaderSize,
  ondrain,
} from "internal/http/common";
import { STATUS_CODES } from "internal/http/status";
import { clearTimer, setUnrefTimeout } from "internal/core/timers";
import { StreamHandle } from "internal/net/native";
import { validateBoolean, validateFunction, validateInteger, validateObject } from "internal/core/validators";
import { ANSWER_TAKE_OVER, HEAD_HAS_EXPECT, HEAD_HAS_HOST } from "internal/net/native_constants";
import type { Timeout } from "internal/core/timers";
import type { Listener } from "internal/events/types";
import type { MessageClass } from "internal/http/common";
import type { Connection, ResponseClass } from "internal/http/server_response";
import type { NetServer as TcpServer } from "internal/http/types";

export { ServerResponse };

export const kServerResponse = Symbol("ServerResponse");
const kConnections = Symbol("http.server.connections");
export const kConnectionsCheckingInterval = Symbol("http.server.connectionsCheckingInterval");
const kOptimizeEmptyRequests = Symbol("kOptimizeEmptyRequests");

// ---------------------------------------------------------------------------------------------------------------------
// Server

/** https://nodejs.org/api/http.html#httpcreateserveroptions-requestlistener */
export interface ServerOptions {
  IncomingMessage?: MessageClass;
  ServerResponse?: ResponseClass;
  connectionsCheckingInterval?: number;
  headersTimeout?: number;
  highWaterMark?: number;
  insecureHTTPParser?: boolean;
  joinDuplicateHeaders?: boolean;
  keepAlive?: boolean;
  keepAliveInitialDelay?: number;
  keepAliveTimeout?: number;
  keepAliveTimeoutBuffer?: number;
  maxHeaderSize?: number;
  noDelay?: boolean;
  optimizeEmptyRequests?: boolean;
  rejectNonStandardBodyWrites?: boolean;
  requestTimeout?: number;
  requireHostHeader?: boolean;
  shouldUpgradeCallback?(req: IncomingMessage): unknown;
  uniqueHeaders?: string[];
}

/** An http or https server. */
export interface Server extends TcpServer {
  timeout: number;
  headersTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
  keepAliveTimeoutBuffer: number;
  connectionsCheckingInterval: number;
  maxHeaderSize: number | undefined;
  maxHeadersCount: number | null;
  maxRequestsPerSocket: number;
  insecureHTTPParser: boolean | undefined;
  joinDuplicateHeaders: boolean | undefined;
  rejectNonStandardBodyWrites: boolean;
  requireHostHeader: boolean;
  httpAllowHalfOpen: boolean;
  shouldUpgradeCallback(req: IncomingMessage): unknown;
  [kIncomingMessage]: MessageClass;
  [kServerResponse]: ResponseClass;
  [kOptimizeEmptyRequests]: boolean;
  [kUniqueHeaders]: Set<string> | null;
  [kConnections]: Set<Connection>;
  [kConnectionsCheckingInterval]?: ReturnType<typeof setInterval>;
  closeAllConnections(): void;
  closeIdleConnections(): void;
  setTimeout(msecs: number, callback?: () => void): this;
  [Symbol.asyncDispose](): Promise<void>;
}

export type RequestListener = (req: IncomingMessage, res: ServerResponse) => unknown;

/** The class of servers, which needs no `new`. */
export interface ServerClass {
  new (options?: ServerOptions | RequestListener, requestListener?: RequestListener): Server;
  (this: unknown, options?: ServerOptions | RequestListener, requestListener?: RequestListener): Server;
}

/** Checks the options that http and https servers share and keeps them on the server. */
export function storeHTTPOptions(this: Server, options: ServerOptions): void {
  this[kIncomingMessage] = options.IncomingMessage || (IncomingMessage as unknown as MessageClass);
  this[kServerResponse] = options.ServerResponse || (ServerResponse as unknown as ResponseClass);
  const limit = options.maxHeaderSize;
  if (limit !== undefined) validateInteger(limit, "maxHeaderSize", 0);
  this.maxHeaderSize = limit;
  const insecureHTTPParser = options.insecureHTTPParser;
  if (insecureHTTPParser !== undefined) validateBoolean(insecureHTTPParser, "options.insecureHTTPParser");
  this.insecureHTTPParser = insecureHTTPParser;

  const requestTimeout = options.requestTimeout;
  if (requestTimeout !== undefined) validateInteger(requestTimeout, "requestTimeout", 0);
  this.requestTimeout = requestTimeout ?? 300_000;
  const headersTimeout = options.headersTimeout;
  if (headersTimeout !== undefined) {
    validateInteger(headersTimeout, "headersTimeout", 0);
    this.headersTimeout = headersTimeout;
  } else {
    this.headersTimeout = Math.min(60_000, this.requestTimeout || 60_000);
  }
  if (this.requestTimeout > 0 && this.headersTimeout > 0 && this.headersTimeout > this.requestTimeout) {
    throw new codes.ERR_OUT_OF_RANGE("headersTimeout", "<= requestTimeout", headersTimeout);
  }
  const keepAliveTimeout = options.keepAliveTimeout;
  if (keepAliveTimeout !== undefined) validateInteger(keepAliveTimeout, "keepAliveTimeout", 0);
  this.keepAliveTimeout = keepAliveTimeout ?? 5_000;
  const keepAliveTimeoutBuffer = options.keepAliveTimeoutBuffer;
  if (keepAliveTimeoutBuffer !== undefined) validateInteger(keepAliveTimeoutBuffer, "keepAliveTimeoutBuffer", 0);
  this.keepAliveTimeoutBuffer = keepAliveTimeoutBuffer ?? 1_000;
  const interval = options.connectionsCheckingInterval;
  if (interval !== undefined) validateInteger(interval, "connectionsCheckingInterval", 0);
  this.connectionsCheckingInterval = interval ?? 30_000;
  const requireHostHeader = options.requireHostHeader;
  if (requireHostHeader !== undefined) validateBoolean(requireHostHeader, "options.requireHostHeader");
  this.requireHostHeader = requireHostHeader ?? true;
  const joinDuplicateHeaders = options.joinDuplicateHeaders;
  if (joinDuplicateHeaders !== undefined) validateBoolean(joinDuplicateHeaders, "options.joinDuplicateHeaders");
  this.joinDuplicateHeaders = joinDuplicateHeaders;
  const reject = options.rejectNonStandardBodyWrites;
  if (reject !== undefined) validateBoolean(reject, "options.rejectNonStandardBodyWrites");
  this.rejectNonStandardBodyWrites = reject ?? false;
  const optimizeEmptyRequests = options.optimizeEmptyRequests;
  if (optimizeEmptyRequests !== undefined) validateBoolean(optimizeEmptyRequests, "options.optimizeEmptyRequests");
  this[kOptimizeEmptyRequests] = optimizeEmptyRequests || false;
  const { shouldUpgradeCallback } = options;
  if (shouldUpgradeCallback !== undefined) {
    validateFunction(shouldUpgradeCallback, "options.shouldUpgradeCallback");
    this.shouldUpgradeCallback = shouldUpgradeCallback;
  } else {
    this.shouldUpgradeCallback = () => this.listenerCount("upgrade") > 0;
  }
}

export function setupConnectionsTracking(this: Server): void {
  this[kConnections] ??= new Set();
  if (this[kConnectionsCheckingInterval]) clearInterval(this[kConnectionsCheckingInterval]);
  this[kConnectionsCheckingInterval] = setInterval(checkConnections.bind(this), this.connectionsCheckingInterval);
  this[kConnectionsCheckingInterval].unref();
}

function clearTracking(server: Server): void {
  if (server[kConnectionsCheckingInterval]) clearInterval(server[kConnectionsCheckingInterval]);
}

const { httpAge } = native("net");

// Ends connections whose request takes too long to arrive.
function checkConnections(this: Server): void {
  if (this.headersTimeout === 0 && this.requestTimeout === 0) return;
  for (const socket of this[kConnections]) {
    const { parser } = socket;
    if (!parser || parser.id < 0) continue;
    const { 0: age, 1: headComplete } = httpAge(parser.id);
    if (age < 0) continue;
    const expired =
      (!headComplete && this.headersTimeout > 0 && age > this.headersTimeout) ||
      (this.requestTimeout > 0 && age > this.requestTimeout);
    if (expired) onSocketError.call(socket, new codes.ERR_HTTP_REQUEST_TIMEOUT());
  }
}

export function httpServerPreClose(server: Server): void {
  server.closeIdleConnections();
  clearTracking(server);
}

/** `new Server([options][, requestListener])`; callable without `new`. */
export function Server(
  this: Server,
  options?: ServerOptions | RequestListener,
  requestListener?: RequestListener,
): Server | void {
  if (!(this instanceof (Server as ServerClass))) return new (Server as ServerClass)(options, requestListener);
  if (typeof options === "function") {
    requestListener = options;
    options = {};
  } else if (options == null) {
    options = {};
  } else {
    validateObject(options, "options");
  }
  storeHTTPOptions.call(this, options);
  (NetServer as { call(...values: unknown[]): unknown }).call(this, {
    allowHalfOpen: true,
    noDelay: options.noDelay ?? true,
    keepAlive: options.keepAlive,
    keepAliveInitialDelay: options.keepAliveInitialDelay,
    highWaterMark: options.highWaterMark,
  });
  if (requestListener) this.on("request", requestListener);
  this.httpAllowHalfOpen = false;
  this.on("connection", connectionListener);
  this.on("listening", setupConnectionsTracking);
  this.timeout = 0;
  this.maxHeadersCount = null;
  this.maxRequestsPerSocket = 0;
  this[kUniqueHeaders] = parseUniqueHeadersOption(options.uniqueHeaders);
  this[kConnections] = new Set();
}
Object.setPrototypeOf(Server.prototype, NetServer.prototype);
Object.setPrototypeOf(Server, NetServer);

const server: Server = Server.prototype;

/** The option `uniqueHeaders`: names of which a list of values becomes one line. */
export function parseUniqueHeadersOption(headers: unknown): Set<string> | null {
  if (!Array.isArray(headers)) return null;
  const unique = new Set<string>();
  for (const name of headers) {
    if (!checkIsHttpToken(name)) throw new codes.ERR_INVALID_HTTP_TOKEN("Header name", name);
    unique.add(name.toLowerCase());
  }
  return unique;
}

server.close = function (...args) {
  httpServerPreClose(this);
  NetServer.prototype.close.apply(this, args);
  return this;
};

server[Symbol.asyncDispose] = function () {
  if (!this._handle) return Promise.resolve();
  return new Promise((resolve, reject) => this.close((error: unknown) => (error ? reject(error) : resolve())));
};

server.closeAllConnections = function () {
  for (const socket of this[kConnections]) socket.destroy();
};

server.closeIdleConnections = function () {
  for (const socket of this[kConnections]) {
    if (socket._httpMessage && !socket._httpMessage.finished) continue;
    // A request that is arriving is no idleness, nor is a connection that has sent nothing yet.
    if (socket.parser && socket.parser.id >= 0 && httpAge(socket.parser.id)[0] >= 0) continue;
    socket.destroy();
  }
};

server.setTimeout = function (msecs, callback) {
  this.timeout = msecs;
  if (callback) this.on("timeout", callback);
  return this;
};

(server as unknown as { [name: symbol]: unknown })[EventEmitter.captureRejectionSymbol] = function (
  this: Server,
  error: unknown,
  event: string,
  ...args: [IncomingMessage, ServerResponse]
): void {
  switch (event) {
    case "request": {
      const { 1: res } = args;
      if (!res.headersSent && !res.writableEnded) {
        for (const name of res.getHeaderNames()) res.removeHeader(name);
        res.statusCode = 500;
        res.end(STATUS_CODES[500]);
      } else {
        res.destroy();
      }
      break;
    }
    default:
      NetServer.prototype[Symbol.for("nodejs.rejection")].call(this, error, event, ...args);
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Connections

/** What a server keeps of a connection. */
export class ConnectionState {
  server: Server;
  socket: Connection;
  // Responses that wait for the one before them.
  outgoing: ServerResponse[] = [];
  incoming: IncomingMessage[] = [];
  // Bytes of those that wait.
  outgoingData = 0;
  requestsCount = 0;
  keepAliveTimeoutSet = false;
  keepAliveTimer: Timeout | null = null;
  onData: ((bytes: Uint8Array) => void) | undefined;
  onEnd: (() => void) | undefined;
  onClose: (() => void) | undefined;
  onDrain: (() => void) | undefined;

  constructor(server: Server, socket: Connection) {
    this.server = server;
    this.socket = socket;
  }
}

/** What `connection` leads to. */
export function connectionListener(this: unknown, socket: Connection): void {
  const server = this as Server;
  socket._httpMessage = undefined;
  // Sockets that come from elsewhere know no server.
  if (socket.server === null || socket.server === undefined) socket.server = server;
  if (server.timeout && typeof socket.setTimeout === "function") socket.setTimeout(server.timeout);
  socket.on("timeout", socketOnTimeout);

  const lenient = server.insecureHTTPParser === undefined ? isInsecure() : server.insecureHTTPParser;
  const parser = new HTTPParser(false, server.maxHeaderSize || maxHeaderSize(), lenient, socket);
  socket.parser = parser;
  parser.joinDuplicateHeaders = server.joinDuplicateHeaders;
  if (typeof server.maxHeadersCount === "number") parser.maxHeaderPairs = server.maxHeadersCount << 1;

  const state = new ConnectionState(server, socket);
  socket[kState] = state;
  server[kConnections]?.add(socket);
  state.onData = socketOnData.bind(undefined, state);
  state.onEnd = socketOnEnd.bind(undefined, state);
  state.onClose = socketOnClose.bind(undefined, state);
  state.onDrain = socketOnDrain.bind(undefined, state);
  socket.on("error", onSocketError);
  socket.on("data", state.onData);
  socket.on("end", state.onEnd);
  socket.on("close", state.onClose);
  socket.on("drain", state.onDrain);
  parser.onIncoming = (req: IncomingMessage, keepAlive: boolean, info: number) =>
    onIncoming(state, req, keepAlive, info);
  parser.onError = (error: NodeError) => onParserError(state, error);
  parser.onUpgrade = (head: Uint8Array) => onUpgrade(state, head);
  socket.on("resume", onSocketResume);
  socket.on("pause", onSocketPause);

  if (parser.consume(socket._handle)) {
    // A program that listens itself gets the bytes, and the parser gets them from the socket.
    socket.on = unconsumingOn;
    socket.addListener = unconsumingOn;
    socket.prependListener = unconsumingPrepend;
    socket.setEncoding = socketSetEncoding;
  } else {
    socket.setEncoding = socketSetEncoding;
  }
  socket._paused = false;
}

function socketSetEncoding(): void {
  throw new codes.ERR_HTTP_SOCKET_ENCODING();
}

function unconsumingOn(this: Connection, event: string, listener: Listener): Connection {
  if (event === "data" || event === "readable") unconsume(this);
  return Object.getPrototypeOf(this).on.call(this, event, listener);
}

function unconsumingPrepend(this: Connection, event: string, listener: Listener): Connection {
  if (event === "data" || event === "readable") unconsume(this);
  return Object.getPrototypeOf(this).prependListener.call(this, event, listener);
}

function unconsume(socket: Connection): void {
  delete (socket as Partial<Connection>).on;
  delete (socket as Partial<Connection>).addListener;
  delete (socket as Partial<Connection>).prependListener;
  socket.parser?.unconsume();
}

function onSocketResume(this: Connection): void {
  // Reading is the parser's business while a response waits to be written.
  if (this._paused) {
    this.pause();
    return;
  }
  if (this._handle && !this._handle.reading && this._handle instanceof StreamHandle) this._handle.readStart();
}

function onSocketPause(this: Connection): void {
  if (this._handle instanceof StreamHandle) this._handle.readStop();
}

function socketOnData(state: ConnectionState, bytes: Uint8Array): void {
  const { parser } = state.socket;
  if (parser) parser.execute(bytes);
}

function onParserError(state: ConnectionState, error: NodeError): void {
  onSocketError.call(state.socket, error);
}

function socketOnTimeout(this: Connection): void {
  const req = this.parser?.incoming;
  const reqTimeout = req && !req.complete && req.emit("timeout", this);
  const res = this._httpMessage;
  const resTimeout = res && res.emit("timeout", this);
  const serverTimeout = this.server.emit("timeout", this);
  if (!reqTimeout && !resTimeout && !serverTimeout) this.destroy();
}

function socketOnClose(state: ConnectionState): void {
  const { socket, server } = state;
  server[kConnections]?.delete(socket);
  if (state.keepAliveTimer !== null) clearTimer(state.keepAliveTimer);
  freeParser(socket.parser, null, socket);
  abortIncoming(state.incoming);
  const res = socket._httpMessage;
  if (res) emitCloseNT(res);
}

function abortIncoming(incoming: IncomingMessage[]): void {
  while (incoming.length) {
    const req = incoming.shift()!;
    req.destroy(connResetException("aborted"));
  }
}

function socketOnEnd(state: ConnectionState): void {
  const { server, socket } = state;
  const { parser } = socket;
  const error = parser ? parser.finish() : undefined;
  if (error !== undefined) {
    onSocketError.call(socket, error);
  } else if (!server.httpAllowHalfOpen) {
    socket.end();
  } else if (state.outgoing.length) {
    state.outgoing[state.outgoing.length - 1]!._last = true;
  } else if (socket._httpMessage) {
    socket._httpMessage._last = true;
  } else {
    socket.end();
  }
}

function socketOnDrain(state: ConnectionState): void {
  const { socket } = state;
  const needPause = state.outgoingData > socket.writableHighWaterMark;
  if (socket._paused && !needPause) {
    socket._paused = false;
    socket.resume();
  }
  const message = socket._httpMessage;
  if (message && !message.finished && message[kNeedDrain]) {
    message[kNeedDrain] = false;
    message.emit("drain");
  }
}

function updateOutgoingData(state: ConnectionState, delta: number): void {
  state.outgoingData += delta;
  socketOnDrain(state);
}

const badRequest = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
const requestTimedOut = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n";
const payloadTooLarge = "HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\n\r\n";
const headTooLarge = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n";

function noop(): void {}

// `this` is the socket.
function onSocketError(this: Connection, error: NodeError): void {
  // Further errors of this connection concern nobody.
  this.removeListener("error", onSocketError);
  if (this.listenerCount("error", noop) === 0) this.on("error", noop);
  if (this.server.emit("clientError", error, this)) return;
  // An error page would corrupt a response that has begun.
  if (this.writable && (!this._httpMessage || !this._httpMessage._headerSent)) {
    switch (error.code) {
      case "HPE_HEADER_OVERFLOW":
        this.write(headTooLarge);
        break;
      case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
        this.write(payloadTooLarge);
        break;
      case "ERR_HTTP_REQUEST_TIMEOUT":
        this.write(requestTimedOut);
        break;
      default:
        this.write(badRequest);
    }
  }
  if (typeof this.destroySoon === "function" && error.code === "ERR_HTTP_REQUEST_TIMEOUT") this.destroySoon();
  else this.destroy(error);
}

function resetSocketTimeout(state: ConnectionState): void {
  if (!state.keepAliveTimeoutSet) return;
  state.keepAliveTimeoutSet = false;
  if (state.server.timeout) state.socket.setTimeout(state.server.timeout);
  else state.socket.timeout = 0;
}

// The idle time between two requests. One timer serves a connection; a request in between only makes it look again.
function setKeepAliveTimeout(state: ConnectionState): void {
  const { server, socket } = state;
  const after = server.keepAliveTimeout + server.keepAliveTimeoutBuffer;
  state.keepAliveTimeoutSet = true;
  if (server.timeout && typeof socket.setTimeout === "function") socket.setTimeout(0);
  socket.timeout = after;
  const timer = state.keepAliveTimer;
  if (timer === null || timer._idleTimeout !== after) {
    if (timer !== null) clearTimer(timer);
    state.keepAliveTimer = setUnrefTimeout(() => {
      if (state.keepAliveTimeoutSet && !socket.destroyed) socket._onTimeout();
    }, after);
  } else {
    timer.refresh();
  }
}

/** A head has come: the program's handler, unless something stands against it. */
function onIncoming(state: ConnectionState, req: IncomingMessage, keepAlive: boolean, info: number): number {
  const { server, socket } = state;
  resetSocketTimeout(state);
  if (req.upgrade) {
    req.upgrade = req.method === "CONNECT" || Boolean(server.shouldUpgradeCallback(req));
    if (req.upgrade) return ANSWER_TAKE_OVER;
  }
  if (
    server[kOptimizeEmptyRequests] &&
    req.headers["content-length"] === undefined &&
    req.headers["transfer-encoding"] === undefined
  ) {
    req._dumpAndCloseReadable();
  }
  state.incoming.push(req);
  // Pipelined requests wait while the answers to earlier ones do.
  if (!socket._paused) {
    const ws = socket._writableState;
    if (ws.needDrain || state.outgoingData >= socket.writableHighWaterMark) {
      socket._paused = true;
      socket.pause();
    }
  }
  const res = new server[kServerResponse](
    req,
    server.rejectNonStandardBodyWrites
      ? {
          highWaterMark: socket.writableHighWaterMark,
          rejectNonStandardBodyWrites: server.rejectNonStandardBodyWrites,
        }
      : undefined,
  );
  res._keepAliveTimeout = server.keepAliveTimeout;
  res._maxRequestsPerSocket = server.maxRequestsPerSocket;
  res.shouldKeepAlive = keepAlive;
  res[kUniqueHeaders] = server[kUniqueHeaders];
  res[kState] = state;
  res[kRequest] = req;
  res[kBeforeFinish] = resOnFinish;
  const { start } = diagnostics();
  if (start.hasSubscribers) start.publish({ request: req, response: res, socket, server });
  if (socket._httpMessage) {
    // Not its turn yet.
    res._onPendingData = updateOutgoingData.bind(undefined, state);
    state.outgoing.push(res);
  } else {
    res.assignSocket(socket);
  }
  if (req.httpVersionMajor === 1 && req.httpVersionMinor === 1) {
    if (server.requireHostHeader && (info & HEAD_HAS_HOST) === 0) {
      res.writeHead(400, ["Connection", "close"]);
      res.end();
      return 0;
    }
    const max = server.maxRequestsPerSocket;
    if (typeof max === "number" && max > 0) {
      state.requestsCount++;
      res.maxRequestsOnConnectionReached = max <= state.requestsCount;
      if (max < state.requestsCount) {
        server.emit("dropRequest", req, socket);
        res.writeHead(503);
        res.end();
        return 0;
      }
    }
    if ((info & HEAD_HAS_EXPECT) !== 0) {
      if (continueExpression.test(req.headers.expect!)) {
        res._expect_continue = true;
        if (server.listenerCount("checkContinue") > 0) {
          server.emit("checkContinue", req, res);
        } else {
          res.writeContinue();
          server.emit("request", req, res);
        }
      } else if (server.listenerCount("checkExpectation") > 0) {
        server.emit("checkExpectation", req, res);
      } else {
        res.writeHead(417);
        res.end();
      }
      return 0;
    }
  }
  server.emit("request", req, res);
  return 0;
}

/** A response is written: the connection is for the next one. */
function resOnFinish(res: ServerResponse): void {
  const state = res[kState]!;
  const req = res[kRequest]!;
  const { server, socket } = state;
  const { finish } = diagnostics();
  if (finish.hasSubscribers) finish.publish({ request: req, response: res, socket, server });
  // Usually the first of the list.
  if (state.incoming[0] === req) state.incoming.shift();
  // What nobody has read of the body must not stand before the next request.
  if (!req._consumed && !req.readableDidRead) {
    // A request without a body that nobody listens to ends without events.
    if (req.complete && req._eventsCount === 0 && req._readableState.length === 0) req._dumpAndCloseReadable();
    else req._dump();
  }
  res.detachSocket(socket);
  const { parser } = socket;
  if (parser && parser.incoming === req) {
    if (req.readableEnded) parser.incoming = null;
    else req.on("end", clearIncoming);
  }
  process.nextTick(emitCloseNT, res);
  if (res._last) {
    if (typeof socket.destroySoon === "function") socket.destroySoon();
    else socket.end();
  } else if (state.outgoing.length === 0) {
    if (server.keepAliveTimeout && typeof socket.setTimeout === "function") setKeepAliveTimeout(state);
    else if (server.timeout === 0 && typeof socket.setTimeout === "function") socket.setTimeout(0);
  } else {
    const next = state.outgoing.shift()!;
    next.assignSocket(socket);
  }
}

function clearIncoming(this: IncomingMessage): void {
  const parser = this.socket?.parser;
  if (parser && parser.incoming === this) parser.incoming = null;
}

function onUpgrade(state: ConnectionState, head: Uint8Array): void {
  const { server, socket } = state;
  const { parser } = socket;
  const req = parser!.incoming!;
  const event = req.method === "CONNECT" ? "connect" : "upgrade";
  socket.removeListener("data", state.onData!);
  socket.removeListener("end", state.onEnd!);
  socket.removeListener("close", state.onClose!);
  socket.removeListener("drain", state.onDrain!);
  socket.removeListener("drain", ondrain);
  socket.removeListener("error", onSocketError);
  socket.removeListener("timeout", socketOnTimeout);
  socket.removeListener("resume", onSocketResume);
  socket.removeListener("pause", onSocketPause);
  if (state.keepAliveTimer !== null) clearTimer(state.keepAliveTimer);
  server[kConnections]?.delete(socket);
  delete (socket as Partial<Connection>).on;
  delete (socket as Partial<Connection>).addListener;
  delete (socket as Partial<Connection>).prependListener;
  delete socket.setEncoding;
  freeParser(parser, req, null);
  socket.parser = null;
  // The request itself has no body.
  req.complete = true;
  if (server.listenerCount(event) > 0) {
    socket.readableFlowing = null;
    server.emit(event, req, socket, head);
  } else {
    socket.destroy();
  }
}
