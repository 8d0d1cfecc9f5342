/** node:net (https://nodejs.org/api/net.html). */
import { autoSelect } from "internal/net/connect";
import { isIP, isIPv4, isIPv6 } from "internal/net/ip";
import { normalizeArgs, Socket } from "internal/net/socket";
import { createServerHandle, Server } from "internal/net/server";
import { validateBoolean, validateInt32 } from "internal/core/validators";

function createServer(options?: any, connectionListener?: any): unknown {
  return new (Server as any)(options, connectionListener);
}

/** A new socket, connecting. */
function connect(...args: any[]): any {
  const normalized = normalizeArgs(args);
  const options = normalized[0];
  const socket = new (Socket as any)(options);
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

const exported: any = {
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

export default exported;
