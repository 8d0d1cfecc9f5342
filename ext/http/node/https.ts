/** node:https (https://nodejs.org/api/https.html). */
import { Agent as HttpAgent } from "internal/http/agent";
import { ClientRequest } from "internal/http/client";
import { kUniqueHeaders } from "internal/http/outgoing";
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

/** `new Server([options][, requestListener])`; callable without `new`. */
function Server(this: any, options?: any, requestListener?: any): any {
  if (!(this instanceof (Server as any))) return new (Server as any)(options, requestListener);
  if (typeof options === "function") {
    requestListener = options;
    options = {};
  }
  const own = { ...options };
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
  this.addListener("tlsClientError", function (this: any, error: NodeError | null | undefined, socket: any) {
    if (!this.emit("clientError", error, socket)) socket.destroy(error);
  });
  this.timeout = 0;
  this.maxHeadersCount = null;
  this.maxRequestsPerSocket = 0;
  this[kUniqueHeaders] = parseUniqueHeadersOption(own.uniqueHeaders);
}
Object.setPrototypeOf(Server.prototype, TlsServer.prototype);
Object.setPrototypeOf(Server, TlsServer);

const proto: any = Server.prototype;
const httpProto: any = HttpServer.prototype;
proto.closeAllConnections = httpProto.closeAllConnections;
proto.closeIdleConnections = httpProto.closeIdleConnections;
proto.setTimeout = httpProto.setTimeout;
proto.close = function (...args: unknown[]): unknown {
  httpServerPreClose(this);
  TlsServer.prototype.close.apply(this, args);
  return this;
};
proto[Symbol.asyncDispose] = httpProto[Symbol.asyncDispose];

function createServer(options?: any, requestListener?: any): unknown {
  return new (Server as any)(options, requestListener);
}

function createConnection(this: any, ...args: unknown[]): unknown {
  let options: any;
  if (args[0] !== null && typeof args[0] === "object") options = { ...args[0] };
  else if (args[1] !== null && typeof args[1] === "object") options = { ...args[1], port: args[0] };
  else if (args[2] !== null && typeof args[2] === "object") options = { ...args[2], port: args[0], host: args[1] };
  else options = { port: args[0], host: args[1] };
  if (!options.ALPNProtocols) options.ALPNProtocols = ["http/1.1"];
  const key = options._agentKey;
  const sessions: Map<string, any> | undefined = this?.[kSessions];
  if (key !== undefined && sessions !== undefined && !options.session) options.session = sessions.get(key);
  const socket = tls.connect(options);
  if (this instanceof (Agent as any)) {
    const keylog = (line: unknown) => this.emit("keylog", line, socket);
    if (this.listenerCount("keylog") > 0) socket.on("keylog", keylog);
  }
  if (key !== undefined && sessions !== undefined && this.maxCachedSessions > 0) {
    socket.on("session", (session: unknown) => {
      if (!sessions.has(key) && sessions.size >= this.maxCachedSessions) sessions.delete(sessions.keys().next().value!);
      sessions.set(key, session);
    });
    // What did not work once is not tried again.
    socket.once("close", (error: NodeError | null | undefined) => {
      if (error) sessions.delete(key);
    });
  }
  return socket;
}

/** Sessions to resume, by the name of the connection. */
const kSessions = Symbol("sessions");

/** `new Agent([options])`; callable without `new`. */
function Agent(this: any, options?: any): any {
  if (!(this instanceof (Agent as any))) return new (Agent as any)(options);
  options = { __proto__: null, ...options };
  options.defaultPort ??= 443;
  options.protocol ??= "https:";
  (HttpAgent as { call(...values: unknown[]): unknown }).call(this, options);
  this.maxCachedSessions = this.options.maxCachedSessions ?? 100;
  this[kSessions] = new Map();
}
Object.setPrototypeOf(Agent.prototype, HttpAgent.prototype);
Object.setPrototypeOf(Agent, HttpAgent);
Agent.prototype.createConnection = createConnection;

// Connections with other certificates or checks are other connections.
Agent.prototype.getName = function (options: any = {}): string {
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

let agent: unknown;

function request(...args: any[]): any {
  let options: any = {};
  if (typeof args[0] === "string") {
    const { URL, urlToHttpOptions } = require("node:url");
    options = urlToHttpOptions(new URL(args.shift()));
  } else if (args[0] instanceof globalThis.URL) {
    options = require("node:url").urlToHttpOptions(args.shift());
  }
  if (args[0] && typeof args[0] !== "function") Object.assign(options, args.shift());
  options._defaultAgent = exported.globalAgent;
  return new (ClientRequest as any)(options, ...args);
}

function get(input: unknown, options?: unknown, cb?: unknown): unknown {
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
  get globalAgent() {
    return (agent ??= new (Agent as any)({ keepAlive: true, scheduling: "lifo", timeout: 5000 }));
  },
  set globalAgent(value: unknown) {
    agent = value;
  },
};

export default exported;
