// http.Agent (https://nodejs.org/api/http.html#class-httpagent): connections kept between requests.

import EventEmitter from "node:events";
import { ownership, runInContext } from "internal/events/async_context";
import { agentProxy, kProxy, placeOf, proxyFor, refuse, environmentOfGlobal } from "internal/http/proxy";
import { isIP } from "internal/net/ip";
import { validateNumber, validateOneOf, validateString } from "internal/core/validators";
import type { Owner } from "internal/events/ownership";
import type { EventEmitter as Emitter } from "internal/events/types";
import type { ClientRequest, RequestOptions } from "internal/http/client";
import type { AgentProxy, ProxyEnvironment } from "internal/http/proxy";
import type { ClientSocket } from "internal/http/types";

const kOnKeylog = Symbol("onkeylog");
/** The graph of modules (Bun.ModuleGraph) that an agent was made in. */
const kOwner = Symbol("owner");
/** Of requests that wait: what they want. */
const kRequestOptions = Symbol("requestOptions");

function freeSocketErrorListener(this: ClientSocket): void {
  this.destroy();
  this.emit("agentRemove");
}

export interface AgentOptions extends RequestOptions {
  keepAliveMsecs?: number;
  keepAlive?: boolean;
  maxSockets?: number;
  maxTotalSockets?: number;
  maxFreeSockets?: number;
  maxCachedSessions?: number;
  scheduling?: "fifo" | "lifo";
  /** Milliseconds by which connections are given up before the server says that it ends them. */
  agentKeepAliveTimeoutBuffer?: number;
  /** Variables as `process.env` has them: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. */
  proxyEnv?: ProxyEnvironment;
}

/** What connections are made with: options of a request and of the agent. */
export interface ConnectionOptions extends AgentOptions {
  /** The agent's key of the connection. */
  _agentKey?: string;
  encoding?: string | null;
  keepAliveInitialDelay?: number;
}

/** A request, with what it wants while it waits. */
type Waiting = ClientRequest & { [kRequestOptions]?: ConnectionOptions };

/** By the keys of `getName`. */
type ByName<T> = { [name: string]: T[] };

export interface Agent extends Emitter {
  options: AgentOptions;
  requests: ByName<Waiting>;
  sockets: ByName<ClientSocket>;
  freeSockets: ByName<ClientSocket>;
  keepAliveMsecs: number;
  keepAlive: boolean;
  maxSockets: number;
  maxFreeSockets: number;
  scheduling: "fifo" | "lifo";
  maxTotalSockets: number;
  totalSocketCount: number;
  agentKeepAliveTimeoutBuffer: number;
  defaultPort: number;
  protocol: string;
  [kOnKeylog]?: (line: Uint8Array) => void;
  [kProxy]?: AgentProxy | undefined;
  [kOwner]?: Owner | undefined;
  createConnection(options: ConnectionOptions, done?: Created): ClientSocket | undefined;
  getName(options?: ConnectionOptions): string;
  addRequest(req: ClientRequest, options: ConnectionOptions | string, port?: number, localAddress?: string): void;
  createSocket(req: ClientRequest, options: ConnectionOptions, cb: Created): void;
  removeSocket(socket: ClientSocket, options: ConnectionOptions): void;
  keepSocketAlive(socket: ClientSocket): boolean;
  reuseSocket(socket: ClientSocket, req: ClientRequest): void;
  destroy(): void;
}

/** A class of agents; `Agent` itself is one. */
export interface AgentClass {
  new (options?: AgentOptions): Agent;
  (this: unknown, options?: AgentOptions): Agent;
  defaultMaxSockets: number;
}

/** A connection has been made, or not. */
type Created = (error: unknown, socket?: ClientSocket) => void;

/** A connection that nobody uses is no reason for the loop to go on. */
function installListeners(agent: Agent, socket: ClientSocket, options: ConnectionOptions): void {
  function onFree(): void {
    agent.emit("free", socket, options);
  }
  function onClose(): void {
    agent.totalSocketCount--;
    agent.removeSocket(socket, options);
  }
  function onTimeout(): void {
    // Only where the connection waits for a request.
    const sockets = agent.freeSockets;
    if (Object.keys(sockets).some((name) => sockets[name]!.includes(socket))) socket.destroy();
  }
  function onRemove(): void {
    // Handed over to another protocol.
    agent.totalSocketCount--;
    agent.removeSocket(socket, options);
    socket.removeListener("close", onClose);
    socket.removeListener("free", onFree);
    socket.removeListener("timeout", onTimeout);
    socket.removeListener("agentRemove", onRemove);
  }
  socket.on("free", onFree);
  socket.on("close", onClose);
  socket.on("timeout", onTimeout);
  socket.on("agentRemove", onRemove);
  if (agent[kOnKeylog]) socket.on("keylog", agent[kOnKeylog]);
}

/** `new Agent([options])`; callable without `new`. */
export function Agent(this: Agent, options?: AgentOptions): Agent | void {
  if (!(this instanceof (Agent as AgentClass))) return new (Agent as AgentClass)(options);
  EventEmitter.call(this);
  this.options = { __proto__: null, ...options } as AgentOptions;
  if (this.options.noDelay === undefined) this.options.noDelay = true;
  // A path of a unix socket belongs to a request, not to all of them.
  this.options.path = null;
  this.requests = Object.create(null);
  this.sockets = Object.create(null);
  this.freeSockets = Object.create(null);
  this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
  this.keepAlive = this.options.keepAlive || false;
  this.maxSockets = this.options.maxSockets || Agent.defaultMaxSockets;
  this.maxFreeSockets = this.options.maxFreeSockets || 256;
  this.scheduling = this.options.scheduling || "lifo";
  this.maxTotalSockets = this.options.maxTotalSockets!;
  this.totalSocketCount = 0;
  if (ownership.own !== undefined) this[kOwner] = require("internal/events/ownership").currentOwner();
  this.agentKeepAliveTimeoutBuffer =
    typeof this.options.agentKeepAliveTimeoutBuffer === "number" &&
    this.options.agentKeepAliveTimeoutBuffer >= 0 &&
    Number.isFinite(this.options.agentKeepAliveTimeoutBuffer)
      ? this.options.agentKeepAliveTimeoutBuffer
      : 1000;
  this.defaultPort = this.options.defaultPort || 80;
  this.protocol = this.options.protocol || "http:";
  const { proxyEnv } = this.options;
  if (typeof proxyEnv === "object" && proxyEnv !== null) this[kProxy] = agentProxy(proxyEnv, this.protocol);
  validateOneOf(this.scheduling, "scheduling", ["fifo", "lifo"]);
  if (this.maxTotalSockets !== undefined) validateNumber(this.maxTotalSockets, "maxTotalSockets", 1);
  else this.maxTotalSockets = Infinity;

  this.on("free", (socket: ClientSocket, opts: ConnectionOptions) => onFree(this, socket, opts));
  // Listeners for keylog are put on every connection.
  this.on("newListener", (event: string) => {
    if (event !== "keylog" || this[kOnKeylog]) return;
    this[kOnKeylog] = (keylog) => this.emit("keylog", keylog, this);
    for (const name of Object.keys(this.sockets)) {
      for (const socket of this.sockets[name]!) socket.on("keylog", this[kOnKeylog]);
    }
  });
}
Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Agent, EventEmitter);
Agent.defaultMaxSockets = Infinity;

const proto: Agent = Agent.prototype;

// A connection has done its work.
function onFree(agent: Agent, socket: ClientSocket, options: ConnectionOptions): void {
  const name = agent.getName(options);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const requests = agent.requests[name];
  if (requests?.length) {
    const req = requests.shift()!;
    setRequestSocket(agent, req, socket);
    if (requests.length === 0) delete agent.requests[name];
    return;
  }
  const req = socket._httpMessage;
  if (!req || !req.shouldKeepAlive || !agent.keepAlive) {
    socket.destroy();
    return;
  }
  const freeSockets = agent.freeSockets[name] || [];
  const freeLength = freeSockets.length;
  let count = freeLength;
  if (agent.sockets[name]) count += agent.sockets[name].length;
  if (
    agent.totalSocketCount > agent.maxTotalSockets ||
    count > agent.maxSockets ||
    freeLength >= agent.maxFreeSockets ||
    !agent.keepSocketAlive(socket)
  ) {
    socket.destroy();
    return;
  }
  agent.freeSockets[name] = freeSockets;
  socket._httpMessage = null;
  agent.removeSocket(socket, options);
  socket.once("error", freeSocketErrorListener);
  freeSockets.push(socket);
}

proto.createConnection = function (...args) {
  const [options] = args;
  const proxy = typeof options === "object" ? proxyFor(this, options) : undefined;
  if (proxy !== undefined) {
    args[0] = { ...options, ...placeOf(proxy) };
    if (proxy.isSecure) return require("node:tls").connect(args[0]) as unknown as ClientSocket;
  }
  return require("node:net").createConnection(...args) as unknown as ClientSocket;
};

/** The key of connections that a request can use. */
proto.getName = function (options = {}) {
  let name = options.host || "localhost";
  name += ":";
  if (options.port) name += options.port;
  name += ":";
  if (options.localAddress) name += options.localAddress;
  if (options.family === 4 || options.family === 6) name += `:${options.family}`;
  if (options.socketPath) name += `:${options.socketPath}`;
  return name;
};

proto.addRequest = function (req, options, port, localAddress) {
  // An old form: addRequest(req, host, port, localAddress)
  if (typeof options === "string")
    options = { __proto__: null, host: options, port, localAddress } as ConnectionOptions;
  options = { __proto__: null, ...options, ...this.options } as ConnectionOptions;
  if (options.socketPath) options.path = options.socketPath;
  normalizeServerName(options, req);
  const name = this.getName(options);
  this.sockets[name] ||= [];
  const freeSockets = this.freeSockets[name];
  let socket: ClientSocket | undefined;
  if (freeSockets) {
    while (freeSockets.length && freeSockets[0]!.destroyed) freeSockets.shift();
    socket = this.scheduling === "fifo" ? freeSockets.shift() : freeSockets.pop();
    if (!freeSockets.length) delete this.freeSockets[name];
  }
  const freeLength = freeSockets ? freeSockets.length : 0;
  const length = freeLength + this.sockets[name].length;
  if (socket) {
    socket._handle?.asyncReset?.();
    this.reuseSocket(socket, req);
    setRequestSocket(this, req, socket);
    this.sockets[name].push(socket);
  } else if (length < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
    this.createSocket(req, options, (error, created) => {
      if (error) refuse(req, created, error);
      else setRequestSocket(this, req, created!);
    });
  } else {
    (this.requests[name] ||= []).push(req);
    (req as Waiting)[kRequestOptions] = options;
  }
};

proto.createSocket = function (req, options, cb) {
  options = { __proto__: null, ...options, ...this.options } as ConnectionOptions;
  if (options.socketPath) options.path = options.socketPath;
  normalizeServerName(options, req);
  // What the request says goes first.
  const timeout = req.timeout || this.options.timeout;
  if (timeout) options.timeout = timeout;
  const name = this.getName(options);
  options._agentKey = name;
  options.encoding = null;
  let called = false;
  const oncreate = (error: unknown, socket?: ClientSocket) => {
    if (called) return;
    called = true;
    if (error) {
      cb(error);
      return;
    }
    (this.sockets[name] ||= []).push(socket!);
    this.totalSocketCount++;
    installListeners(this, socket!, options);
    cb(null, socket);
  };
  // The handshake may go on where the last one stopped.
  if (this.keepAlive) {
    options.keepAlive = this.keepAlive;
    options.keepAliveInitialDelay = this.keepAliveMsecs;
  }
  // A connection belongs to who made the agent, not to who makes the request: a graph of modules may end before others do. What else is
  // in the context is the request's.
  const socket =
    ownership.own === undefined
      ? this.createConnection(options, oncreate)
      : require("internal/events/ownership").runAs(this[kOwner], this.createConnection, this, [options, oncreate]);
  if (socket && !called) oncreate(null, socket);
};

function normalizeServerName(options: ConnectionOptions, req: ClientRequest): void {
  if (!options.servername && options.servername !== "") options.servername = calculateServerName(options, req);
}

function calculateServerName(options: ConnectionOptions, req: ClientRequest): string {
  let servername = options.host!;
  const hostHeader = req.getHeader("host");
  if (hostHeader) {
    validateString(hostHeader, "options.headers.host");
    // `[::1]:80`, `name:80`
    servername = hostHeader[0] === "[" ? hostHeader.slice(1, hostHeader.indexOf("]")) : hostHeader.split(":", 1)[0];
  }
  // Addresses are no names.
  return isIP(servername) ? "" : servername;
}

proto.removeSocket = function (socket, options) {
  const name = this.getName(options);
  const sets = [this.sockets];
  // A connection that died while it waited is in the other list.
  if (!socket.writable) sets.push(this.freeSockets);
  for (const sockets of sets) {
    const list = sockets[name];
    if (!list) continue;
    const index = list.indexOf(socket);
    if (index < 0) continue;
    list.splice(index, 1);
    if (list.length === 0) delete sockets[name];
  }
  let req: Waiting | undefined;
  if (this.requests[name]?.length) {
    req = this.requests[name][0];
  } else {
    // With a limit over all hosts, another host's request may go on.
    for (const key of Object.keys(this.requests)) {
      if (this.sockets[key]?.length) break;
      if (this.requests[key]?.length) {
        req = this.requests[key][0];
        options = req![kRequestOptions]!;
        break;
      }
    }
  }
  if (req && options) {
    req[kRequestOptions] = undefined;
    // It finds this one in the list, not yet taken: `free` hands it the connection.
    this.createSocket(req, options, (error, created) => {
      if (error) refuse(req, null, error);
      else created!.emit("free");
    });
  }
};

proto.keepSocketAlive = function (socket) {
  socket.setKeepAlive(true, this.keepAliveMsecs);
  socket.unref();
  let agentTimeout = this.options.timeout || 0;
  let canKeep = true;
  if (socket._httpMessage?.res) {
    // The server says how long it keeps the connection.
    const hint = socket._httpMessage.res.headers["keep-alive"];
    if (hint) {
      const match = /^timeout=(\d+)/.exec(hint);
      if (match) {
        let serverTimeout = parseInt(match[1]!) * 1000 - this.agentKeepAliveTimeoutBuffer;
        if (!(serverTimeout > 0)) {
          serverTimeout = 0;
          canKeep = false;
        }
        if (canKeep && (!agentTimeout || serverTimeout < agentTimeout)) agentTimeout = serverTimeout;
      }
    }
  }
  if (socket.timeout !== agentTimeout) socket.setTimeout(agentTimeout);
  return canKeep;
};

proto.reuseSocket = function (socket, req) {
  req.reusedSocket = true;
  socket.removeListener("error", freeSocketErrorListener);
  socket.ref();
};

proto.destroy = function () {
  for (const set of [this.freeSockets, this.sockets]) {
    for (const key of Object.keys(set)) for (const socket of set[key]!) socket.destroy();
  }
};

function setRequestSocket(agent: Agent, req: ClientRequest, socket: ClientSocket): void {
  req.onSocket(socket);
  const agentTimeout = agent.options.timeout || 0;
  if (req.timeout === undefined || req.timeout === agentTimeout) return;
  socket.setTimeout(req.timeout);
}

/** An agent for all requests that have none of their own. */
export function newGlobalAgent(Class: AgentClass, proxyEnv: ProxyEnvironment | undefined): Agent {
  // It is everybody's, whoever needs it first.
  const options = { keepAlive: true, scheduling: "lifo", timeout: 5000, ...(proxyEnv && { proxyEnv }) } as const;
  return runInContext(undefined, () => new Class(options), undefined, []);
}

let globalAgent: Agent | undefined;
/** http.globalAgent, made when it is first needed. */
export const globals = {
  get agent(): Agent {
    return (globalAgent ??= newGlobalAgent(Agent as AgentClass, environmentOfGlobal("http:")));
  },
  set agent(value: Agent) {
    globalAgent = value;
  },
};
