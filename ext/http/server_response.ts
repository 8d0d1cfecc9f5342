// http.ServerResponse (https://nodejs.org/api/http.html#class-httpserverresponse).

import { codes } from "internal/core/errors";
import { validateInteger, validateLinkHeaderValue, validateObject } from "internal/core/validators";
import { checkInvalidHeaderChar, checkIsHttpToken, kOutHeaders } from "internal/http/common";
import { OutgoingMessage } from "internal/http/outgoing";
import { STATUS_CODES } from "internal/http/status";
import type { IncomingMessage } from "internal/http/incoming";
import type { OutgoingOptions } from "internal/http/outgoing";
import type { ConnectionState, Server } from "internal/http/server";
import type { Channel, Done, GivenHeaders, OutHeaders, Socket } from "internal/http/types";

/** What the server keeps of the connection of a response, and the request that it answers. */
export const kState = Symbol("kState");
export const kRequest = Symbol("kRequest");

let channels: Record<"created" | "start" | "finish", Channel> | undefined;
/** The diagnostics channels of servers. */
export function diagnostics() {
  if (channels === undefined) {
    const dc = require("node:diagnostics_channel");
    channels = {
      created: dc.channel("http.server.response.created"),
      start: dc.channel("http.server.request.start"),
      finish: dc.channel("http.server.response.finish"),
    };
  }
  return channels;
}

export interface ServerResponse extends OutgoingMessage {
  req: IncomingMessage;
  _sent100: boolean;
  _expect_continue: boolean;
  statusCode: number;
  statusMessage: string | undefined;
  [kState]: ConnectionState | undefined;
  [kRequest]?: IncomingMessage;
  assignSocket(socket: Connection): void;
  detachSocket(socket: Connection): void;
  writeContinue(callback?: Done): void;
  writeProcessing(callback?: Done): void;
  writeEarlyHints(hints: { [name: string]: string | string[] }, callback?: Done): void;
  writeInformation(statusCode: number, headers?: object | unknown[] | null, callback?: Done): void;
  writeHead(statusCode: number, reason?: string | GivenHeaders, headers?: GivenHeaders): this;
  writeHeader(statusCode: number, reason?: string | GivenHeaders, headers?: GivenHeaders): this;
}

/** The class of the responses of a server; programs may have their own. */
export type ResponseClass = new (req: IncomingMessage, options?: OutgoingOptions) => ServerResponse;

/** The connection of a server. */
export interface Connection extends Socket {
  _httpMessage?: ServerResponse | null;
  server: Server;
  [kState]?: ConnectionState;
}

/** `new ServerResponse(req[, options])`; callable for classes of the old kind. */
export function ServerResponse(this: ServerResponse, req: IncomingMessage, options?: OutgoingOptions): void {
  OutgoingMessage.call(this, options);
  if (req.method === "HEAD") this._hasBody = false;
  this.req = req;
  this.sendDate = true;
  this._sent100 = false;
  this._expect_continue = false;
  this.statusCode = 200;
  this.statusMessage = undefined;
  this[kState] = undefined;
  this._maxRequestsPerSocket = 0;
  if (req.httpVersionMajor! < 1 || (req.httpVersionMajor === 1 && req.httpVersionMinor! < 1)) {
    const te = req.headers.te;
    this.useChunkedEncodingByDefault = te !== undefined && /(?:^|\W)chunked(?:$|\W)/i.test(te);
    this.shouldKeepAlive = false;
  }
  const { created } = diagnostics();
  if (created.hasSubscribers) created.publish({ request: req, response: this });
}
Object.setPrototypeOf(ServerResponse.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);

const response: ServerResponse = ServerResponse.prototype;
response.statusCode = 200;
response.statusMessage = undefined;

function onServerResponseClose(this: Connection): void {
  // `this` is the socket.
  if (this._httpMessage) emitCloseNT(this._httpMessage);
}

export function emitCloseNT(self: ServerResponse): void {
  if (self._closed) return;
  self.destroyed = true;
  self._closed = true;
  self.emit("close");
}

response.assignSocket = function (socket) {
  if (socket._httpMessage) throw new codes.ERR_HTTP_SOCKET_ASSIGNED();
  socket._httpMessage = this;
  // Connections of a server tell by themselves.
  if (this[kState] === undefined) socket.on("close", onServerResponseClose);
  this.socket = socket;
  this.emit("socket", socket);
  if (this.outputData.length) this._flush();
  else if (this.finished) this._finish();
};

response.detachSocket = function (socket) {
  if (this[kState] === undefined) socket.removeListener("close", onServerResponseClose);
  socket._httpMessage = null;
  this.socket = null;
};

response.writeContinue = function (cb) {
  this._writeRaw("HTTP/1.1 100 Continue\r\n\r\n", "latin1", cb);
  this._sent100 = true;
};

response.writeProcessing = function (cb) {
  this._writeRaw("HTTP/1.1 102 Processing\r\n\r\n", "latin1", cb);
};

response.writeEarlyHints = function (hints, cb) {
  let head = "HTTP/1.1 103 Early Hints\r\n";
  validateObject(hints, "hints");
  if (hints.link === null || hints.link === undefined) return;
  const link = validateLinkHeaderValue(hints.link);
  if (link.length === 0) return;
  if (checkInvalidHeaderChar(link)) {
    throw new codes.ERR_INVALID_ARG_VALUE(
      "hints",
      hints,
      'must be an array or string of format "</styles.css>; rel=preload; as=style"',
    );
  }
  head += `Link: ${link}\r\n`;
  for (const key of Object.keys(hints)) {
    if (key === "link") continue;
    if (!checkIsHttpToken(key)) throw new codes.ERR_INVALID_HTTP_TOKEN("Header name", key);
    const value = `${hints[key]}`;
    if (checkInvalidHeaderChar(value)) throw new codes.ERR_INVALID_CHAR("header content", key);
    head += `${key}: ${value}\r\n`;
  }
  this._writeRaw(`${head}\r\n`, "ascii", cb);
};

/** A line of the head of an informational response. */
function informationLine(name: unknown, value: unknown): string {
  if (!checkIsHttpToken(name as string)) throw new codes.ERR_INVALID_HTTP_TOKEN("Header name", name as string);
  const text = `${value as string}`;
  if (checkInvalidHeaderChar(text)) throw new codes.ERR_INVALID_CHAR("header content", name as string);
  return `${name as string}: ${text}\r\n`;
}

// An informational response (100 to 199, but not 101) before the final one; of Node 26.
response.writeInformation = function (statusCode, headers, cb) {
  if (this.headersSent) throw new codes.ERR_HTTP_HEADERS_SENT("write");
  validateInteger(statusCode, "statusCode", 100, 199);
  if (statusCode === 101) throw new codes.ERR_HTTP_INVALID_STATUS_CODE(statusCode);
  let head = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] || "unknown"}\r\n`;
  if (Array.isArray(headers)) {
    const pairs = headers as [unknown, unknown][];
    const flat: unknown[] = Array.isArray(headers[0]) ? pairs.flatMap(([name, value]) => [name, value]) : headers;
    if (flat.length % 2 !== 0) throw new codes.ERR_INVALID_ARG_VALUE("headers", headers);
    for (let i = 0; i < flat.length; i += 2) head += informationLine(flat[i], flat[i + 1]);
  } else if (headers !== undefined && headers !== null) {
    validateObject(headers, "headers");
    for (const key of Object.keys(headers)) head += informationLine(key, (headers as { [name: string]: unknown })[key]);
  }
  this._writeRaw(`${head}\r\n`, "ascii", cb);
};

response._implicitHeader = function () {
  this.writeHead(this.statusCode);
};

response.writeHead = function (statusCode, reason, headers) {
  if (this._header) throw new codes.ERR_HTTP_HEADERS_SENT("write");
  const given = statusCode;
  statusCode |= 0;
  if (statusCode < 100 || statusCode > 999) throw new codes.ERR_HTTP_INVALID_STATUS_CODE(given);
  if (typeof reason === "string") {
    this.statusMessage = reason;
  } else {
    this.statusMessage ||= STATUS_CODES[statusCode] || "unknown";
    headers ??= reason;
  }
  this.statusCode = statusCode;

  let all: OutHeaders | GivenHeaders | undefined;
  if (this[kOutHeaders]) {
    // Headers set before are kept where these do not say otherwise.
    if (Array.isArray(headers)) {
      if (headers.length && Array.isArray(headers[0])) headers = headers.flat();
      if (headers.length % 2 !== 0) throw new codes.ERR_INVALID_ARG_VALUE("headers", headers);
      for (let n = 0; n < headers.length; n += 2) this.removeHeader(headers[n] as string);
      for (let n = 0; n < headers.length; n += 2)
        if (headers[n]) this.appendHeader(headers[n] as string, headers[n + 1] as string);
    } else if (headers) {
      for (const key of Object.keys(headers)) if (key) this.setHeader(key, headers[key]);
    }
    all = this[kOutHeaders];
  } else {
    all = headers;
  }
  const message = `${this.statusMessage}`;
  if (message !== STATUS_CODES[statusCode] && checkInvalidHeaderChar(message)) {
    throw new codes.ERR_INVALID_CHAR("statusMessage");
  }
  if (statusCode === 204 || statusCode === 304 || (statusCode >= 100 && statusCode <= 199)) this._hasBody = false;
  // A client that waits for 100 Continue will not send its body now: what follows could be anything.
  if (this._expect_continue && !this._sent100) this.shouldKeepAlive = false;
  this._storeHeader(
    statusCode === 200 && message === "OK" ? "HTTP/1.1 200 OK\r\n" : `HTTP/1.1 ${statusCode} ${message}\r\n`,
    all,
  );
  return this;
};
// An old misspelling that programs use.
let deprecatedWriteHead: typeof response.writeHead | undefined;
response.writeHeader = function writeHeader(this: ServerResponse, ...args) {
  deprecatedWriteHead ??= require("internal/core/util").deprecate(
    response.writeHead,
    "ServerResponse.prototype.writeHeader is deprecated.",
    "DEP0063",
  );
  return Reflect.apply(deprecatedWriteHead, this, args);
};
