// net.Server (https://nodejs.org/api/net.html#class-netserver).

import EventEmitter from "node:events";
import { role } from "internal/child_process/cluster/role";
import { diagnostics } from "internal/events/diagnostics";
import { codes, errnoException, uvExceptionWithHostPort } from "internal/core/errors";
import { isIP } from "internal/net/ip";
import { ListenHandle, UV_EADDRINUSE, UV_EINVAL } from "internal/net/native";
import { netChannels, normalizeArgs, Socket, toNumber } from "internal/net/socket";
import { validateAbortSignal, validateFunction, validateNumber, validatePort } from "internal/core/validators";
import { BIND_IPV6_ONLY, BIND_REUSE_PORT } from "internal/net/native_constants";
import type { StreamHandle } from "internal/net/native";
import type {
  Address,
  DroppedConnection,
  ListenOptions,
  Server as NetServer,
  ServerOptions,
  Socket as NetSocket,
  SocketOptions,
  StreamConstructor,
} from "internal/net/types";

type ConnectionListener = (socket: NetSocket) => void;
export interface ServerConstructor {
  new (options?: ServerOptions | ConnectionListener | null, connectionListener?: ConnectionListener | null): NetServer;
  (
    this: NetServer,
    options?: ServerOptions | ConnectionListener | null,
    connectionListener?: ConnectionListener | null,
  ): NetServer | void;
  readonly prototype: NetServer;
}

/** `new Server([options][, connectionListener])`; callable without `new`. */
export function Server(
  this: NetServer,
  options?: ServerOptions | ConnectionListener | null,
  connectionListener?: ConnectionListener | null,
): NetServer | void {
  if (!(this instanceof Server)) return new (Server as ServerConstructor)(options, connectionListener);
  EventEmitter.call(this);
  if (typeof options === "function") {
    connectionListener = options;
    options = {};
    this.on("connection", connectionListener);
  } else if (options == null || typeof options === "object") {
    options = { ...options };
    if (connectionListener != null) {
      validateFunction(connectionListener, "connectionListener");
      this.on("connection", connectionListener);
    }
  } else {
    throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
  }
  if (options.keepAliveInitialDelay !== undefined) {
    validateNumber(options.keepAliveInitialDelay, "options.keepAliveInitialDelay");
    if (options.keepAliveInitialDelay < 0) options.keepAliveInitialDelay = 0;
  }
  if (options.highWaterMark !== undefined) {
    validateNumber(options.highWaterMark, "options.highWaterMark");
    if (options.highWaterMark < 0) options.highWaterMark = require("internal/streams/state").getDefaultHighWaterMark();
  }
  this._connections = 0;
  this._handle = null;
  this._usingWorkers = false;
  this._workers = [];
  this._unref = false;
  this._listeningId = 1;
  this.allowHalfOpen = options.allowHalfOpen || false;
  this.pauseOnConnect = Boolean(options.pauseOnConnect);
  this.noDelay = Boolean(options.noDelay);
  this.keepAlive = Boolean(options.keepAlive);
  this.keepAliveInitialDelay = ~~(options.keepAliveInitialDelay! / 1000);
  this.highWaterMark = options.highWaterMark ?? require("internal/streams/state").getDefaultHighWaterMark();
  if (options.blockList) {
    const { BlockList } = require("internal/net/blocklist");
    if (!BlockList.isBlockList(options.blockList)) {
      throw new codes.ERR_INVALID_ARG_TYPE("options.blockList", "net.BlockList", options.blockList);
    }
    this.blockList = options.blockList;
  }
}
Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Server, EventEmitter);

const proto: NetServer & { [rejection: symbol]: unknown } = Server.prototype;

Object.defineProperty(proto, "listening", {
  get() {
    return Boolean(this._handle);
  },
  configurable: true,
  enumerable: true,
});

function emitErrorNT(server: NetServer, error: NodeError | null | undefined): void {
  server.emit("error", error);
}

function emitListeningNT(server: NetServer): void {
  if (server._handle) server.emit("listening");
}

function failed(server: NetServer, errno: number, address: string | undefined, port: number | null): void {
  const error = uvExceptionWithHostPort(errno, "listen", address as string, port as number);
  if (diagnostics.loaded) netChannels().listen.error.publish({ server, error });
  process.nextTick(emitErrorNT, server, error);
}

const { bindTcp, bindUnix, openListener } = native("net");

/** Makes a listening handle: a path (port -1), a descriptor, or an address and a port. */
export function createServerHandle(
  address: string | null,
  port: number | null,
  addressType: unknown,
  fd?: number,
  flags = 0,
): ListenHandle | number {
  if (typeof fd === "number" && fd >= 0) {
    const kind = native("process").guessHandleType(fd);
    if (kind !== "TCP" && kind !== "PIPE") return UV_EINVAL;
    const id = openListener(fd);
    return id < 0 ? id : new ListenHandle(id, kind === "TCP");
  }
  if (port === -1 && addressType === -1) {
    const id = bindUnix(address!);
    return id < 0 ? id : new ListenHandle(id, false);
  }
  let id: number;
  if (!address) {
    // Both families where the system has IPv6.
    id = bindTcp("::", port!, flags);
    if (id < 0 && id !== UV_EADDRINUSE) {
      const handle = createServerHandle("0.0.0.0", port, 4, undefined, flags & ~BIND_IPV6_ONLY);
      if (typeof handle !== "number") handle.any = "0.0.0.0";
      return handle;
    }
  } else {
    id = bindTcp(address, port!, flags);
  }
  return id < 0 ? id : new ListenHandle(id, true);
}

function setupListenHandle(
  this: NetServer,
  address: string | null | undefined,
  port: number | null,
  addressType: number | null,
  backlog: number | false | undefined,
  fd?: number,
  flags?: number,
): void {
  if (!this._handle) {
    const handle = createServerHandle(address!, port, addressType, fd, flags);
    if (typeof handle === "number") {
      failed(this, handle, address ?? (typeof fd === "number" ? undefined : "::"), port);
      return;
    }
    this._handle = handle;
  }
  const handle = this._handle;
  if (!address && typeof fd !== "number" && port !== -1) {
    address = handle.any ?? "::";
    addressType = isIP(address);
  }
  handle.onconnection = onConnection;
  handle.owner = this;
  const errno = handle.listen(backlog || 511);
  if (errno) {
    handle.close();
    this._handle = null;
    failed(this, errno, address ?? "::", port);
    return;
  }
  this._connectionKey = `${addressType}:${address}:${port}`;
  if (this._unref) this.unref();
  if (diagnostics.loaded) netChannels().listen.asyncEnd.publish({ server: this });
  process.nextTick(emitListeningNT, this);
}
proto._listen2 = setupListenHandle;

/** Starts listening where a handle is not given; cluster's way in. */
function listenInCluster(
  server: NetServer,
  address: string | null,
  port: number | null,
  addressType: number | null,
  backlog: number | false | undefined,
  fd?: number,
  exclusive?: boolean,
  flags?: number,
): void {
  if (!role.isWorker || exclusive) {
    server._listen2(address, port, addressType, backlog, fd, flags);
    return;
  }
  const query = { address, port, addressType, fd, flags, backlog };
  require("internal/child_process/cluster/child").cluster._getServer(
    server,
    query,
    (errno: number, handle: ListenHandle | null) => {
      if (errno) {
        handle?.close();
        server.emit("error", uvExceptionWithHostPort(errno, "bind", address as string, port as number));
        return;
      }
      // The primary may have had another port of the same socket.
      server._handle = handle;
      server._listen2(address, port, addressType, backlog, fd, flags);
    },
  );
}

proto.listen = function (...args) {
  const normalized = normalizeArgs(args);
  let options: ListenOptions = normalized[0];
  const cb = normalized[1];
  if (this._handle) throw new codes.ERR_SERVER_ALREADY_LISTEN();
  if (cb !== null) this.once("listening", cb);

  const backlogFromArgs = toNumber(args.length > 1 && args[1]) || toNumber(args.length > 2 && args[2]);
  options = options._handle || options.handle || options;
  const flags = (options.ipv6Only ? BIND_IPV6_ONLY : 0) | (options.reusePort ? BIND_REUSE_PORT : 0);
  if (diagnostics.loaded) netChannels().listen.asyncStart.publish({ server: this, options });

  if (options instanceof ListenHandle) {
    this._handle = options;
    this._listen2(null, -1, -1, backlogFromArgs);
    return this;
  }
  addAbortSignal(this, options);
  if (typeof options.fd === "number" && options.fd >= 0) {
    listenInCluster(this, null, null, null, backlogFromArgs, options.fd);
    return this;
  }
  // listen(), listen(callback), listen(null), listen(undefined)
  if (
    args.length === 0 ||
    typeof args[0] === "function" ||
    (typeof options.port === "undefined" && "port" in options) ||
    options.port === null
  ) {
    options = { ...options, port: 0 };
  }
  if (typeof options.port === "number" || typeof options.port === "string") {
    validatePort(options.port, "options.port");
    const backlog = options.backlog || backlogFromArgs;
    if (options.reusePort === true) options.exclusive = true;
    if (options.host) lookupAndListen(this, (options.port as number) | 0, options.host, backlog, flags);
    else listenInCluster(this, null, (options.port as number) | 0, 4, backlog, undefined, options.exclusive, flags);
    return this;
  }
  if (options.path && typeof options.path === "string" && toNumber(options.path) === false) {
    const { path } = options;
    listenInCluster(this, path, -1, -1, options.backlog || backlogFromArgs, undefined, options.exclusive);
    if (!this._handle) return this;
    // Node makes the socket reachable for other users on request.
    let mode = 0;
    if (options.readableAll === true) mode |= 0o444;
    if (options.writableAll === true) mode |= 0o222;
    if (mode !== 0) {
      const fs = require("node:fs");
      try {
        fs.chmodSync(path, fs.statSync(path).mode | mode);
      } catch (error) {
        (this._handle as ListenHandle).close();
        this._handle = null;
        throw errnoException((error as NodeError).errno!, "uv_pipe_chmod");
      }
    }
    return this;
  }
  if (!("port" in options || "path" in options)) {
    throw new codes.ERR_INVALID_ARG_VALUE("options", options, 'must have the property "port" or "path"');
  }
  throw new codes.ERR_INVALID_ARG_VALUE("options", options);
};

function addAbortSignal(server: NetServer, options: ListenOptions | null | undefined): void {
  if (options?.signal === undefined) return;
  validateAbortSignal(options.signal, "options.signal");
  const { signal } = options;
  const onAborted = () => server.close();
  if (signal.aborted) {
    process.nextTick(onAborted);
  } else {
    const disposable = require("node:events").addAbortListener(signal, onAborted);
    server.once("close", disposable[Symbol.dispose]);
  }
}

function lookupAndListen(
  server: NetServer,
  port: number,
  host: string,
  backlog: number | false | undefined,
  flags: number,
): void {
  const family = isIP(host);
  const id = ++server._listeningId;
  if (family) {
    listenInCluster(
      server,
      host,
      port,
      family,
      backlog,
      undefined,
      undefined,
      family === 6 ? flags : flags & ~BIND_IPV6_ONLY,
    );
    return;
  }
  require("node:dns").lookup(host, (error: NodeError | null | undefined, ip: string, addressType: number) => {
    // Closed meanwhile.
    if (id !== server._listeningId) return;
    if (error) {
      server.emit("error", error);
      return;
    }
    listenInCluster(
      server,
      ip,
      port,
      ip ? addressType : 4,
      backlog,
      undefined,
      undefined,
      addressType === 6 ? flags : flags & ~BIND_IPV6_ONLY,
    );
  });
}

// Called with the handle as `this`.
function onConnection(this: ListenHandle, errno: number, clientHandle: StreamHandle): void {
  const server = this.owner;
  if (errno) {
    server.emit("error", errnoException(errno, "accept"));
    return;
  }
  const drop = () => {
    const data: DroppedConnection = {};
    const local: Address = {};
    const remote: Address = {};
    if (clientHandle.getsockname(local) === 0 && local.family !== "unix") {
      data.localAddress = local.address;
      data.localPort = local.port;
      data.localFamily = local.family;
    }
    if (clientHandle.getpeername(remote) === 0 && remote.family !== "unix") {
      data.remoteAddress = remote.address;
      data.remotePort = remote.port;
      data.remoteFamily = remote.family;
    }
    clientHandle.close();
    server.emit("drop", data);
  };
  if (server.maxConnections != null && server._connections >= server.maxConnections) {
    drop();
    return;
  }
  if (server.blockList) {
    const remote: Address = {};
    if (
      clientHandle.getpeername(remote) === 0 &&
      remote.family !== "unix" &&
      server.blockList.check(remote.address!, remote.family!.toLowerCase())
    ) {
      drop();
      return;
    }
  }
  const socket = new (Socket as StreamConstructor<NetSocket, SocketOptions>)({
    handle: clientHandle,
    allowHalfOpen: server.allowHalfOpen,
    pauseOnCreate: server.pauseOnConnect,
    readable: true,
    writable: true,
    readableHighWaterMark: server.highWaterMark,
    writableHighWaterMark: server.highWaterMark,
  });
  if (server.noDelay) socket.setNoDelay(true);
  if (server.keepAlive) socket.setKeepAlive(true, server.keepAliveInitialDelay * 1000);
  server._connections++;
  socket.server = server;
  socket._server = server;
  server.emit("connection", socket);
  if (diagnostics.loaded) netChannels().server.publish({ socket });
}

proto.getConnections = function (cb) {
  process.nextTick((count: number) => cb(null, count), this._connections);
  return this;
};

proto.address = function () {
  if (!this._handle) return null;
  const out: Address = {};
  const errno = this._handle.getsockname(out);
  if (errno) throw errnoException(errno, "address");
  if (out.family === "unix") return out.address;
  return { address: out.address, family: out.family, port: out.port };
};

proto.close = function (cb) {
  // A lookup under way no longer leads to listening.
  this._listeningId++;
  if (typeof cb === "function") {
    if (!this._handle) {
      this.once("close", () => cb(new codes.ERR_SERVER_NOT_RUNNING()));
    } else {
      this.once("close", cb);
    }
  }
  if (this._handle) {
    const path = this._handle.tcp ? undefined : unixPath(this);
    this._handle.close();
    this._handle = null;
    if (path) unlink(path);
  }
  this._emitCloseIfDrained();
  return this;
};

function unixPath(server: NetServer): string | undefined {
  const out: Address = {};
  if (server._handle!.getsockname(out) !== 0 || !out.address || out.address[0] === "\0") return undefined;
  return out.address;
}

function unlink(path: string): void {
  try {
    require("node:fs").unlinkSync(path);
  } catch {
    // Somebody else has removed it.
  }
}

proto[Symbol.asyncDispose] = function () {
  if (!this._handle) return Promise.resolve();
  return new Promise((resolve, reject) => this.close((error: unknown) => (error ? reject(error) : resolve())));
};

proto._emitCloseIfDrained = function () {
  if (this._handle || this._connections) return;
  process.nextTick((server: NetServer) => server.emit("close"), this);
};

proto[Symbol.for("nodejs.rejection")] = function (
  this: NetServer,
  error: unknown,
  event: string,
  sock: NetSocket,
): void {
  if (event === "connection") sock.destroy(error);
  else this.emit("error", error);
};

proto.ref = function () {
  this._unref = false;
  if (this._handle) this._handle.ref();
  return this;
};

proto.unref = function () {
  this._unref = true;
  if (this._handle) this._handle.unref();
  return this;
};
