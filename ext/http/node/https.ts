/** node:https (https://nodejs.org/api/https.html). */
import { Agent as HttpAgent, newGlobalAgent } from "internal/http/agent";
import { ClientRequest } from "internal/http/client";
import { kUniqueHeaders } from "internal/http/outgoing";
import { openTunnel, proxyFor, environmentOfGlobal } from "internal/http/proxy";
import {
  connectionListener,
  httpServerPreClose,
  parseUniqueHeadersOption,
  Server as HttpServer,
  setupConnectionsTracking,
  storeHTTPOptions,
} from "internal/http/server";
import { Server as TlsServer } from "internal/net/tls/server";
import tls from "node:tls";
import type {
  AgentClass as HttpAgentClass,
  Agent as BaseAgent,
  AgentOptions,
  ConnectionOptions,
} from "internal/http/agent";
import type { ClientRequest as Request, ClientRequestClass, RequestOptions } from "internal/http/client";
import type { RequestListener, Server as BaseServer, ServerOptions } from "internal/http/server";
import type { ClientSocket, NetServer, Socket } from "internal/http/types";

/** Options of TLS that are of interest here; https://nodejs.org/api/tls.html has all. */
interface TlsOptions {
  ALPNProtocols?: string[];
  ALPNCallback?(choice: { servername: string; protocols: string[] }): string | undefined;
  allowHalfOpen?: boolean;
}

type HttpsServerOptions = ServerOptions & TlsOptions;

interface ServerClass {
  new (options?: HttpsServerOptions | RequestListener, requestListener?: RequestListener): BaseServer;
  (this: unknown, options?: HttpsServerOptions | RequestListener, requestListener?: RequestListener): BaseServer;
}

/** Options that make another connection out of one to the same server. */
interface SecureConnectionOptions extends ConnectionOptions {
  [name: string]: unknown;
  ALPNProtocols?: string[];
  /** A session to resume. */
  session?: unknown;
}

interface HttpsAgent extends BaseAgent {
  maxCachedSessions: number;
  [kSessions]: Map<string, unknown>;
}

interface AgentClass {
  new (options?: AgentOptions): HttpsAgent;
  (this: unknown, options?: AgentOptions): HttpsAgent;
}

/** `new Server([options][, requestListener])`; callable without `new`. */
function Server(
  this: BaseServer,
  options?: HttpsServerOptions | RequestListener,
  requestListener?: RequestListener,
): BaseServer | void {
  if (!(this instanceof (Server as ServerClass))) return new (Server as ServerClass)(options, requestListener);
  if (typeof options === "function") {
    requestListener = options;
    options = {};
  } else if (options != null) {
    (require("internal/core/validators").validateObject as Check)(options, "options");
  }
  const own: HttpsServerOptions = { ...options };
  // http/1.1 unless the program says otherwise.
  if (!own.ALPNProtocols && !own.ALPNCallback) own.ALPNProtocols = ["http/1.1"];
  storeHTTPOptions.call(this, own);
  own.noDelay ??= true;
  own.allowHalfOpen = true;
  (TlsServer as { call(...values: unknown[]): unknown }).call(this, own);
  this.removeAllListeners("secureConnection");
  this.httpAllowHalfOpen = false;
  this.on("secureConnection", connectionListener);
  this.on("listening", setupConnectionsTracking);
  if (requestListener) this.addListener("request", requestListener);
  this.addListener("tlsClientError", function (this: NetServer, error: NodeError | null | undefined, socket: Socket) {
    if (!this.emit("clientError", error, socket)) socket.destroy(error);
  });
  this.timeout = 0;
  this.maxHeadersCount = null;
  this.maxRequestsPerSocket = 0;
  this[kUniqueHeaders] = parseUniqueHeadersOption(own.uniqueHeaders);
}
Object.setPrototypeOf(Server.prototype, TlsServer.prototype);
Object.setPrototypeOf(Server, TlsServer);

const proto: BaseServer = Server.prototype;
const httpProto: BaseServer = HttpServer.prototype;
proto.closeAllConnections = httpProto.closeAllConnections;
proto.closeIdleConnections = httpProto.closeIdleConnections;
proto.setTimeout = httpProto.setTimeout;
proto.close = function (...args) {
  httpServerPreClose(this);
  TlsServer.prototype.close.apply(this, args);
  return this;
};
proto[Symbol.asyncDispose] = httpProto[Symbol.asyncDispose];

function createServer(options?: HttpsServerOptions | RequestListener, requestListener?: RequestListener): BaseServer {
  return new (Server as ServerClass)(options, requestListener);
}

/** Takes the arguments of tls.connect(). Through a proxy the connection comes to the callback, which is the last one. */
function createConnection(this: HttpsAgent, ...args: unknown[]): ClientSocket | undefined {
  let options: SecureConnectionOptions;
  if (args[0] !== null && typeof args[0] === "object") options = { ...args[0] };
  else if (args[1] !== null && typeof args[1] === "object") options = { ...args[1], port: args[0] as number };
  else if (args[2] !== null && typeof args[2] === "object")
    options = { ...args[2], port: args[0] as number, host: args[1] as string };
  else options = { port: args[0] as number, host: args[1] as string };
  const proxy = proxyFor(this, options);
  if (proxy === undefined) return secureConnection(this, options);
  const done = args.at(-1) as (error: unknown, socket?: ClientSocket) => void;
  const keep = this.keepAlive || Number.isFinite(this.maxSockets);
  openTunnel(proxy, options, keep, (error, socket) => {
    if (error !== null) {
      done(error);
      return;
    }
    const secured = secureConnection(this, { ...options, socket });
    if (options.timeout) secured.setTimeout(options.timeout);
    done(null, secured);
  });
  return undefined;
}

function secureConnection(agent: HttpsAgent, options: SecureConnectionOptions): ClientSocket {
  const key = options._agentKey;
  const sessions: Map<string, unknown> | undefined = agent?.[kSessions];
  if (key !== undefined && sessions !== undefined && !options.session) options.session = sessions.get(key);
  const socket = tls.connect(options);
  if (agent instanceof (Agent as AgentClass)) {
    const keylog = (line: unknown) => agent.emit("keylog", line, socket);
    if (agent.listenerCount("keylog") > 0) socket.on("keylog", keylog);
  }
  if (key !== undefined && sessions !== undefined && agent.maxCachedSessions > 0) {
    socket.on("session", (session: unknown) => {
      if (!sessions.has(key) && sessions.size >= agent.maxCachedSessions)
        sessions.delete(sessions.keys().next().value!);
      sessions.set(key, session);
    });
    // What did not work once is not tried again.
    socket.once("close", (error: NodeError | null | undefined) => {
      if (error) sessions.delete(key);
    });
  }
  return socket as unknown as ClientSocket;
}

/** Sessions to resume, by the name of the connection. */
const kSessions = Symbol("sessions");

/** `new Agent([options])`; callable without `new`. */
function Agent(this: HttpsAgent, options?: AgentOptions): HttpsAgent | void {
  if (!(this instanceof (Agent as AgentClass))) return new (Agent as AgentClass)(options);
  options = { __proto__: null, ...options } as AgentOptions;
  options.defaultPort ??= 443;
  options.protocol ??= "https:";
  HttpAgent.call(this, options);
  this.maxCachedSessions = this.options.maxCachedSessions ?? 100;
  this[kSessions] = new Map();
}
Object.setPrototypeOf(Agent.prototype, HttpAgent.prototype);
Object.setPrototypeOf(Agent, HttpAgent);
Agent.prototype.createConnection = createConnection;

// Connections with other certificates or checks are other connections.
Agent.prototype.getName = function (this: HttpsAgent, options: SecureConnectionOptions = {}): string {
  let name = HttpAgent.prototype.getName.call(this, options);
  for (const key of ["ca", "cert", "clientCertEngine", "ciphers", "key", "pfx"]) {
    name += ":";
    if (options[key]) name += options[key];
  }
  name += ":";
  if (options.rejectUnauthorized !== undefined) name += options.rejectUnauthorized;
  name += ":";
  if (options.servername && options.servername !== options.host) name += options.servername;
  for (const key of ["minVersion", "maxVersion", "secureProtocol", "crl", "honorCipherOrder", "ecdhCurve", "dhparam"]) {
    name += ":";
    if (key === "honorCipherOrder" ? options[key] !== undefined : options[key]) name += options[key];
  }
  name += ":";
  if (options.secureOptions !== undefined) name += options.secureOptions;
  name += ":";
  if (options.sessionIdContext) name += options.sessionIdContext;
  name += ":";
  if (options.sigalgs) name += JSON.stringify(options.sigalgs);
  for (const key of ["privateKeyIdentifier", "privateKeyEngine"]) {
    name += ":";
    if (options[key]) name += options[key];
  }
  return name;
};

let agent: BaseAgent | undefined;

/** Takes the arguments of http.request(). */
function request(...args: unknown[]): Request {
  let options: RequestOptions = {};
  if (typeof args[0] === "string") {
    const { URL, urlToHttpOptions } = require("node:url");
    options = urlToHttpOptions(new URL(args.shift() as string));
  } else if (args[0] instanceof globalThis.URL) {
    options = require("node:url").urlToHttpOptions(args.shift() as URL);
  }
  if (args[0] && typeof args[0] !== "function") Object.assign(options, args.shift());
  options._defaultAgent = exported.globalAgent;
  return new (ClientRequest as unknown as ClientRequestClass)(options, ...(args as []));
}

function get(input: unknown, options?: unknown, cb?: unknown): Request {
  const req = request(...[input, options, cb].filter((arg) => arg !== undefined));
  req.end();
  return req;
}

const exported = {
  Agent,
  Server,
  createServer,
  get,
  request,
  get globalAgent(): BaseAgent {
    return (agent ??= newGlobalAgent(Agent as unknown as HttpAgentClass, environmentOfGlobal("https:")));
  },
  set globalAgent(value: BaseAgent) {
    agent = value;
  },
};

export default exported;
