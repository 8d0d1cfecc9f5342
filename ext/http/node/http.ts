/** node:http (https://nodejs.org/api/http.html). */
import { lazyProperty } from "internal/core/lazy";
import { methods, maxHeaderSizeOption, validateHeaderName, validateHeaderValue } from "internal/http/common";
import { IncomingMessage } from "internal/http/incoming";
import { OutgoingMessage } from "internal/http/outgoing";
import { connectionListener, Server, ServerResponse } from "internal/http/server";
import { STATUS_CODES } from "internal/http/status";
import { codes } from "internal/core/errors";
import { validateInteger, validateObject } from "internal/core/validators";
import type { Agent, AgentClass } from "internal/http/agent";
import type {
  ClientRequest,
  ClientRequestClass,
  RequestInput,
  RequestOptions,
  ResponseListener,
} from "internal/http/client";
import type { ProxyEnvironment } from "internal/http/proxy";
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

/**
 * Requests that have no agent of their own, and fetch, go through the proxies of an environment from now on, until the function that it
 * gives is called. Throws ERR_PROXY_INVALID_CONFIG.
 */
function setGlobalProxyFromEnv(proxyEnv: ProxyEnvironment = process.env): () => void {
  (validateObject as Check)(proxyEnv, "proxyEnv");
  const { proxyUrl } = require("internal/http/proxy");
  const http = proxyUrl(proxyEnv, "http:");
  const https = proxyUrl(proxyEnv, "https:");
  if (http === undefined && https === undefined) return () => {};
  for (const url of [http, https])
    if (url !== undefined && !URL.canParse(url)) throw new codes.ERR_PROXY_INVALID_CONFIG(url);
  const { given } = require("internal/fetch/proxy");
  const { Agent, globals, newGlobalAgent } = require("internal/http/agent");
  const secure = require("node:https");
  const before = { env: given.env, http: globals.agent, https: secure.globalAgent };
  given.env = proxyEnv;
  if (http !== undefined) globals.agent = newGlobalAgent(Agent as AgentClass, proxyEnv);
  if (https !== undefined) secure.globalAgent = newGlobalAgent(secure.Agent as unknown as AgentClass, proxyEnv);
  return function restore(): void {
    given.env = before.env;
    if (http !== undefined) globals.agent = before.http;
    if (https !== undefined) secure.globalAgent = before.https;
  };
}

const exported = {
  // llhttp's, which is Node's list.
  METHODS: methods.filter((method) => method !== "MKADDRESSBOOK").toSorted(),
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
  setGlobalProxyFromEnv,
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
