/** node:net (https://nodejs.org/api/net.html). */
import { autoSelect } from "internal/net/connect";
import { isIP, isIPv4, isIPv6 } from "internal/net/ip";
import { normalizeArgs, Socket } from "internal/net/socket";
import { createServerHandle, Server, type ServerConstructor } from "internal/net/server";
import { validateBoolean, validateInt32 } from "internal/core/validators";
import type {
  Server as NetServer,
  ServerOptions,
  Socket as NetSocket,
  SocketOptions,
  StreamConstructor,
} from "internal/net/types";

type SocketConstructor = StreamConstructor<NetSocket, SocketOptions>;

function createServer(options?: ServerOptions | null, connectionListener?: (socket: NetSocket) => void): NetServer {
  return new (Server as ServerConstructor)(options, connectionListener);
}

/** A new socket, connecting. */
function connect(...args: unknown[]): NetSocket {
  const normalized = normalizeArgs(args);
  const options = normalized[0];
  const socket = new (Socket as SocketConstructor)(options);
  if (options.timeout) socket.setTimeout(options.timeout);
  return socket.connect(normalized);
}

function getDefaultAutoSelectFamily(): boolean {
  return autoSelect.family;
}

function setDefaultAutoSelectFamily(value: boolean): void {
  validateBoolean(value, "value");
  autoSelect.family = value;
}

function getDefaultAutoSelectFamilyAttemptTimeout(): number {
  return autoSelect.timeout;
}

function setDefaultAutoSelectFamilyAttemptTimeout(value: number): void {
  validateInt32(value, "value", 1);
  autoSelect.timeout = value < 10 ? 10 : value;
}

let warnedOfAccepts = false;

/** Did something on Windows only; it says that it is deprecated. */
function _setSimultaneousAccepts(_handle?: unknown): void {
  if (warnedOfAccepts) return;
  warnedOfAccepts = true;
  process.emitWarning(
    "net._setSimultaneousAccepts() is deprecated and will be removed.",
    "DeprecationWarning",
    "DEP0121",
  );
}

const exported = {
  _setSimultaneousAccepts,
  _createServerHandle: createServerHandle,
  _normalizeArgs: normalizeArgs,
  connect,
  createConnection: connect,
  createServer,
  isIP,
  isIPv4,
  isIPv6,
  Server,
  Socket,
  Stream: Socket,
  getDefaultAutoSelectFamily,
  setDefaultAutoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout,
};
for (const name of ["BlockList", "SocketAddress"]) {
  Object.defineProperty(exported, name, {
    configurable: true,
    enumerable: true,
    get: () => (require("internal/net/blocklist") as Record<string, unknown>)[name],
  });
}

export default exported as Omit<typeof exported, "Server" | "Socket" | "Stream"> & {
  Server: ServerConstructor;
  Socket: SocketConstructor;
  Stream: SocketConstructor;
  BlockList: typeof import("internal/net/blocklist").BlockList;
  SocketAddress: typeof import("internal/net/blocklist").SocketAddress;
};
