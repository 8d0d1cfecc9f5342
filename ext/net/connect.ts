// Connecting a net.Socket: names, one address after another (RFC 8305, as far as Node goes), unix sockets.

import { diagnostics } from "internal/events/diagnostics";
import { codes, exceptionWithHostPort, NodeAggregateError } from "internal/core/errors";
import { orDenied } from "internal/net/denied";
import { isIP } from "internal/net/ip";
import { Pipe, TCP } from "internal/net/native";
import { type Destination, sinks } from "internal/core/trace_sinks";
import {
  applyOptions,
  initSocketHandle,
  kNormalized,
  kSetKeepAlive,
  kSetKeepAliveInitialDelay,
  kSetNoDelay,
  netChannels,
  type NormalizedArgs,
  normalizeArgs,
  Socket,
  type SocketState,
} from "internal/net/socket";
import {
  validateBoolean,
  validateFunction,
  validateInt32,
  validateNumber,
  validatePort,
  validateString,
} from "internal/core/validators";

import type { Timeout } from "internal/core/timers";
import type { ConnectOptions, Lookup, LookupOptions } from "internal/net/types";

const UV_ETIMEDOUT = -110;

/** net.getDefaultAutoSelectFamily() and its timeout. */
export const autoSelect = defaultsOfCommandLine();

function defaultsOfCommandLine(): { family: boolean; timeout: number } {
  const { cliOption } = native("process");
  const timeout = cliOption("--network-family-autoselection-attempt-timeout") as number | undefined;
  return { family: cliOption("--no-network-family-autoselection") === undefined, timeout: timeout ?? 500 };
}

/** socket.connect(...args). */
export function connect(socket: SocketState, args: readonly unknown[]): SocketState {
  let normalized: NormalizedArgs;
  if (Array.isArray(args[0]) && (args[0] as NormalizedArgs)[kNormalized]) normalized = args[0] as NormalizedArgs;
  else normalized = normalizeArgs(args);
  const options = normalized[0];
  const cb = normalized[1];

  if (options.port === undefined && options.path == null) throw new codes.ERR_MISSING_ARGS(["options", "port", "path"]);
  // It was given up before it could begin.
  if (socket.destroyed && (options as { signal?: AbortSignal }).signal?.aborted === true) return socket;
  if (diagnostics.loaded) netChannels().client.publish({ socket });
  sinks.connect?.(socket, options as Destination);

  if (socket.write !== Socket.prototype.write) delete (socket as Partial<SocketState>).write;
  if (socket.destroyed) {
    // A closed socket can be used again.
    socket._handle = null;
    socket._peername = undefined;
    socket._sockname = undefined;
    socket._undestroy();
  }
  const { path } = options;
  const pipe = Boolean(path);
  if (!socket._handle) {
    socket._handle = pipe ? new Pipe(-1) : new TCP(-1);
    initSocketHandle(socket);
  }
  if (cb !== null) socket.once("connect", cb);

  if (socket._parent?.connecting) {
    socket.connecting = true;
    socket._parent.once("connect", () => {});
    return socket;
  }
  socket._unrefTimer();
  socket.connecting = true;
  if (options.keepAlive) socket[kSetKeepAlive] = true;
  if (options.keepAliveInitialDelay !== undefined && options.keepAlive) {
    socket[kSetKeepAliveInitialDelay] = ~~(options.keepAliveInitialDelay / 1000);
  }
  if (options.noDelay) socket[kSetNoDelay] = true;

  if (pipe) {
    validateString(path, "options.path");
    openPipe(socket, path);
  } else {
    lookupAndConnect(socket, options);
  }
  return socket;
}

function openPipe(socket: SocketState, path: string): void {
  const id = orDenied(() => native("net").connectUnix(path));
  if (typeof id !== "number") {
    process.nextTick(connectErrorNT, socket, id);
    return;
  }
  if (id < 0) {
    process.nextTick(() => {
      if (!socket.destroyed) socket.destroy(exceptionWithHostPort(id, "connect", path, undefined));
    });
    return;
  }
  socket._handle!.attach(id);
  socket._handle!.onconnect = (errno: number) => afterConnect(socket, errno, path, undefined, undefined, undefined);
}

function connectErrorNT(socket: SocketState, error: NodeError | null | undefined): void {
  socket.destroy(error);
}

/** Opens one connection. True where an attempt is under way. */
function openTcp(
  socket: SocketState,
  address: string,
  port: number,
  localAddress?: string,
  localPort?: number,
): boolean {
  const bound = bindAddress(address, localAddress, localPort);
  const id = orDenied(() => native("net").connectTcp(address, port, bound, localPort ?? 0));
  if (typeof id !== "number") {
    id.syscall = "connect";
    process.nextTick(connectErrorNT, socket, id);
    return false;
  }
  if (id < 0) {
    const local = localAddress ? `${localAddress}:${localPort}` : localPort ? `:::${localPort}` : undefined;
    const error = exceptionWithHostPort(id, localAddress || localPort ? "bind" : "connect", address, port, local);
    process.nextTick(connectErrorNT, socket, error);
    return false;
  }
  socket._handle!.attach(id);
  socket._handle!.onconnect = (errno: number) => afterConnect(socket, errno, address, port, localAddress, localPort);
  return true;
}

function bindAddress(
  address: string,
  localAddress: string | undefined,
  localPort: number | undefined,
): string | undefined {
  if (localAddress) return localAddress;
  if (localPort) return isIP(address) === 6 ? "::" : "0.0.0.0";
  return undefined;
}

function afterConnect(
  socket: SocketState,
  errno: number,
  address: string,
  port: number | undefined,
  localAddress?: string,
  localPort?: number,
): void {
  if (socket.destroyed) return;
  socket.connecting = false;
  socket._sockname = null;
  if (errno === 0) {
    applyOptions(socket);
    // Reading starts before the event, unless the socket is paused.
    socket.emit("connect");
    socket.emit("ready");
    if (socket.readable && !socket.isPaused()) socket.read(0);
    return;
  }
  let details: string | undefined;
  if (localAddress && localPort) details = `${localAddress}:${localPort}`;
  const error: CodedError & { localAddress?: string; localPort?: number } = exceptionWithHostPort(
    errno,
    "connect",
    address,
    port,
    details,
  );
  if (details) {
    error.localAddress = localAddress;
    error.localPort = localPort;
  }
  if (port !== undefined) socket.emit("connectionAttemptFailed", address, port, isIP(address), error);
  socket.destroy(error);
}

function lookupAndConnect(socket: SocketState, options: ConnectOptions): void {
  const { localAddress, localPort } = options;
  const host = options.host || "localhost";
  if (typeof host !== "string") throw new codes.ERR_INVALID_ARG_TYPE("options.host", "string", host);
  let { port, autoSelectFamilyAttemptTimeout: attemptTimeout, autoSelectFamily } = options;

  if (localAddress && !isIP(localAddress)) throw new codes.ERR_INVALID_IP_ADDRESS(localAddress);
  if (localPort) validateNumber(localPort, "options.localPort");
  if (port !== undefined) {
    if (typeof port !== "number" && typeof port !== "string") {
      throw new codes.ERR_INVALID_ARG_TYPE("options.port", ["number", "string"], port);
    }
    validatePort(port);
  }
  (port as number) |= 0;
  if (autoSelectFamily != null) validateBoolean(autoSelectFamily, "options.autoSelectFamily");
  else autoSelectFamily = autoSelect.family;
  if (attemptTimeout != null) {
    validateInt32(attemptTimeout, "options.autoSelectFamilyAttemptTimeout", 1);
    if (attemptTimeout < 10) attemptTimeout = 10;
  } else {
    attemptTimeout = autoSelect.timeout;
  }

  const family = isIP(host);
  if (family) {
    process.nextTick(() => {
      if (!socket.connecting) return;
      if (blocked(socket, host, family)) return;
      socket.emit("connectionAttempt", host, port, family);
      openTcp(socket, host, port as number, localAddress, localPort);
    });
    return;
  }
  if (options.lookup != null) validateFunction(options.lookup, "options.lookup");
  const dns = require("node:dns");
  const wanted = options.family === "IPv4" ? 4 : options.family === "IPv6" ? 6 : options.family;
  const dnsOptions = { family: wanted, hints: options.hints || 0 };
  if (dnsOptions.family !== 4 && dnsOptions.family !== 6 && dnsOptions.hints === 0) dnsOptions.hints = dns.ADDRCONFIG;
  socket._host = host;
  const lookup: Lookup = options.lookup || dns.lookup;

  if (autoSelectFamily && dnsOptions.family !== 4 && dnsOptions.family !== 6 && !localAddress) {
    lookupAndConnectMultiple(
      socket,
      lookup,
      host,
      options,
      dnsOptions,
      port as number,
      localAddress,
      localPort,
      attemptTimeout,
    );
    return;
  }
  lookup(host, dnsOptions, (error, ip, addressType) => {
    socket.emit("lookup", error, ip, addressType, host);
    if (!socket.connecting) return;
    if (error) {
      process.nextTick(connectErrorNT, socket, error);
    } else if (typeof ip !== "string" || !isIP(ip)) {
      process.nextTick(connectErrorNT, socket, new codes.ERR_INVALID_IP_ADDRESS(ip));
    } else if (addressType !== 4 && addressType !== 6) {
      process.nextTick(
        connectErrorNT,
        socket,
        new codes.ERR_INVALID_ADDRESS_FAMILY(addressType, options.host, options.port),
      );
    } else {
      socket._unrefTimer();
      if (blocked(socket, ip, addressType)) return;
      socket.emit("connectionAttempt", ip, port, addressType);
      openTcp(socket, ip, port as number, localAddress, localPort);
    }
  });
}

function blocked(socket: SocketState, address: string, family: number): boolean {
  if (!socket.blockList?.check(address, `ipv${family}`)) return false;
  const error = new codes.ERR_IP_BLOCKED(address);
  process.nextTick(connectErrorNT, socket, error);
  return true;
}

function lookupAndConnectMultiple(
  socket: SocketState,
  lookup: Lookup,
  host: string,
  options: ConnectOptions,
  dnsOptions: LookupOptions,
  port: number,
  localAddress: string | undefined,
  localPort: number | undefined,
  timeout: number,
): void {
  lookup(host, { ...dnsOptions, all: true }, (error, addresses) => {
    if (!socket.connecting) {
      if (error) socket.emit("lookup", error, undefined, undefined, host);
      return;
    }
    if (error) {
      socket.emit("lookup", error, undefined, undefined, host);
      process.nextTick(connectErrorNT, socket, error);
      return;
    }
    const byFamily: Record<number, [string, number][]> = { 4: [], 6: [] };
    let first = 0;
    let bad: CodedError | undefined;
    // A lookup function of the program may ignore `all`.
    const list = Array.isArray(addresses) ? addresses : [{ address: addresses, family: isIP(addresses) }];
    for (const { address: ip, family } of list) {
      socket.emit("lookup", error, ip, family, host);
      if (!socket.connecting) return;
      if (isIP(ip) && (family === 4 || family === 6)) {
        first ||= family;
        byFamily[family].push([ip, family]);
      } else {
        bad ??= isIP(ip)
          ? new codes.ERR_INVALID_ADDRESS_FAMILY(family, options.host, options.port)
          : new codes.ERR_INVALID_IP_ADDRESS(ip);
      }
    }
    const order = byFamily[first || 4];
    const other = byFamily[first === 6 ? 4 : 6];
    if (order.length === 0) {
      process.nextTick(connectErrorNT, socket, bad ?? new codes.ERR_INVALID_IP_ADDRESS(""));
      return;
    }
    // One of each family in turn.
    const attempts = [];
    for (let i = 0; i < Math.max(order.length, other.length); i++) {
      if (i < order.length) attempts.push(order[i]);
      if (i < other.length) attempts.push(other[i]);
    }
    if (attempts.length === 1) {
      const [ip, family] = attempts[0];
      socket._unrefTimer();
      if (blocked(socket, ip, family)) return;
      socket.emit("connectionAttempt", ip, port, family);
      openTcp(socket, ip, port, localAddress, localPort);
      return;
    }
    socket.autoSelectFamilyAttemptedAddresses = [];
    socket._unrefTimer();
    attempt({ socket, attempts, index: 0, errors: [], port, localPort, timeout, timer: undefined });
  });
}

/** Connecting to one of several addresses. */
interface Attempts {
  socket: SocketState;
  attempts: [string, number][];
  /** Of the next attempt. */
  index: number;
  errors: NodeError[];
  port: number;
  localPort: number | undefined;
  /** Milliseconds that an attempt has before the next one begins. */
  timeout: number;
  timer: Timeout | undefined;
}

// Tries the next address. An attempt that fails or takes too long gives way to the one after it.
function attempt(context: Attempts): void {
  const { socket, attempts, port, localPort } = context;
  if (!socket.connecting || socket.destroyed) return;
  if (context.index === attempts.length) {
    const { errors } = context;
    if (errors.length === 1) {
      socket.destroy(errors[0]);
      return;
    }
    socket.destroy(new NodeAggregateError(errors, ""));
    return;
  }
  const { 0: address, 1: family } = attempts[context.index++];
  if (socket.blockList?.check(address, `ipv${family}`)) {
    context.errors.push(new codes.ERR_IP_BLOCKED(address));
    attempt(context);
    return;
  }
  socket.autoSelectFamilyAttemptedAddresses!.push(`${address}:${port}`);
  socket.emit("connectionAttempt", address, port, family);
  const bound = bindAddress(address, undefined, localPort);
  const id = orDenied(() => native("net").connectTcp(address, port, bound, localPort ?? 0));
  if (typeof id !== "number" || id < 0) {
    const error = typeof id === "number" ? exceptionWithHostPort(id, "connect", address, port) : id;
    context.errors.push(error);
    socket.emit("connectionAttemptFailed", address, port, family, error);
    attempt(context);
    return;
  }
  // The socket may be looked at meanwhile; it keeps one handle object, which changes its connection.
  const handle = socket._handle!.id === -1 ? socket._handle! : new TCP(-1);
  const fresh = handle !== socket._handle;
  handle.attach(id);
  if (fresh) {
    handle.refed = socket._handle!.refed;
    socket._handle = handle;
    initSocketHandle(socket);
  }
  const last = context.index === attempts.length;
  handle.onconnect = (errno: number) => {
    clearTimeout(context.timer);
    if (socket.destroyed || socket._handle !== handle) {
      handle.close();
      return;
    }
    if (errno === 0) {
      afterConnect(socket, 0, address, port);
      return;
    }
    const error = exceptionWithHostPort(errno, "connect", address, port);
    context.errors.push(error);
    socket.emit("connectionAttemptFailed", address, port, family, error);
    if (!last) {
      handle.close();
      socket._handle = new TCP(-1);
      socket._handle.refed = handle.refed;
      initSocketHandle(socket);
    }
    attempt(context);
  };
  if (!last) {
    context.timer = setTimeout(() => {
      if (!socket.connecting || socket._handle !== handle) return;
      handle.onconnect = undefined;
      socket.emit("connectionAttemptTimeout", address, port, family);
      context.errors.push(exceptionWithHostPort(UV_ETIMEDOUT, "connect", address, port));
      handle.close();
      socket._handle = new TCP(-1);
      socket._handle.refed = handle.refed;
      initSocketHandle(socket);
      attempt(context);
    }, context.timeout);
    if (!handle.refed) context.timer.unref();
  }
}
