/** node:http (https://nodejs.org/api/http.html). */
import { lazyProperty } from "internal/core/lazy";
import { methods, maxHeaderSizeOption, validateHeaderName, validateHeaderValue } from "internal/http/common";
import { IncomingMessage } from "internal/http/incoming";
import { OutgoingMessage } from "internal/http/outgoing";
import { connectionListener, Server, ServerResponse } from "internal/http/server";
import { STATUS_CODES } from "internal/http/status";
import { validateInteger } from "internal/core/validators";
import type { Agent } from "internal/http/agent";
import type {
  ClientRequest,
  ClientRequestClass,
  RequestInput,
  RequestOptions,
  ResponseListener,
} from "internal/http/client";
import type { RequestListener, Server as HttpServer, ServerClass, ServerOptions } from "internal/http/server";

let sizeLimit: number | undefined;

function createServer(options?: ServerOptions | RequestListener, listener?: RequestListener): HttpServer {
  return new (Server as ServerClass)(options, listener);
}

function client() {
  return require("internal/http/client");
}

function request(url: RequestInput, options?: RequestOptions | ResponseListener, cb?: ResponseListener): ClientRequest {
  return new (client().ClientRequest as unknown as ClientRequestClass)(url, options, cb);
}

function get(url: RequestInput, options?: RequestOptions | ResponseListener, cb?: ResponseListener): ClientRequest {
  const req = request(url, options, cb);
  req.end();
  return req;
}

function setMaxIdleHTTPParsers(max: unknown): void {
  // Parsers are small and belong to their connection: none are kept.
  validateInteger(max, "max", 1);
}

const exported = {
  METHODS: methods.toSorted(),
  STATUS_CODES,
  IncomingMessage,
  OutgoingMessage,
  Server,
  ServerResponse,
  _connectionListener: connectionListener,
  createServer,
  validateHeaderName,
  validateHeaderValue,
  get,
  request,
  setMaxIdleHTTPParsers,
};
// The client is loaded when somebody asks for it.
lazyProperty(exported, "Agent", () => require("internal/http/agent").Agent);
lazyProperty(exported, "ClientRequest", () => client().ClientRequest);
const live: Record<string, { get: () => unknown; set?: (value: unknown) => void }> = {
  globalAgent: {
    get: () => require("internal/http/agent").globals.agent,
    set: (value) => {
      require("internal/http/agent").globals.agent = value as Agent;
    },
  },
  maxHeaderSize: { get: () => (sizeLimit ??= maxHeaderSizeOption()) },
  WebSocket: { get: () => globalThis.WebSocket },
  CloseEvent: { get: () => globalThis.CloseEvent },
  MessageEvent: { get: () => globalThis.MessageEvent },
};
for (const name of Object.keys(live))
  Object.defineProperty(exported, name, { ...live[name], configurable: true, enumerable: true });

export default exported;
