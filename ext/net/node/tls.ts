/** node:tls (https://nodejs.org/api/tls.html), on aws-lc. */
import { codes } from "internal/core/errors";
import { isIP } from "internal/net/ip";
import { createSecureContext, defaultCiphers, defaults, forgetDefault, SecureContext } from "internal/net/tls/context";
import { checkServerIdentity } from "internal/net/tls/identity";
import { onHandshakeEnd, protocolList, TLSSocket, type TLSSocketConstructor } from "internal/net/tls/socket";
import { Server, type TLSServerConstructor } from "internal/net/tls/server";
import { normalizeArgs } from "internal/net/socket";
import type {
  SecureContextOptions,
  ServerOptions,
  TLSOptions,
  TLSServer,
  TLSSocket as SecureSocket,
} from "internal/net/types";

/** Whether the program was told what NODE_TLS_REJECT_UNAUTHORIZED means. */
let warned = false;

function createServer(options?: TLSOptions & ServerOptions, listener?: (socket: SecureSocket) => void): TLSServer {
  return new (Server as TLSServerConstructor)(options, listener);
}

/** tls.connect(options[, callback]), tls.connect(port[, host][, options][, callback]), tls.connect(path[, …]) */
function connect(...args: unknown[]): SecureSocket {
  const normalized = normalizeArgs(args);
  let options = normalized[0];
  const cb = normalized[1];
  // connect(port, host, options)
  if (args[1] !== null && typeof args[1] === "object") options = { ...options, ...args[1] };
  else if (args[2] !== null && typeof args[2] === "object") options = { ...options, ...args[2] };
  const allowUnauthorized = process.env.NODE_TLS_REJECT_UNAUTHORIZED === "0";
  if (allowUnauthorized && !warned) {
    warned = true;
    process.emitWarning(
      "Setting the NODE_TLS_REJECT_UNAUTHORIZED environment variable to '0' makes TLS connections and HTTPS " +
        "requests insecure by disabling certificate verification.",
    );
  }
  options = {
    rejectUnauthorized: !allowUnauthorized,
    checkServerIdentity,
    ...options,
  };
  if (!options.keepAlive) options.singleUse = true;
  if (typeof options.checkServerIdentity !== "function") {
    throw new codes.ERR_INVALID_ARG_TYPE("options.checkServerIdentity", "Function", options.checkServerIdentity);
  }
  if (options.servername && isIP(options.servername)) {
    throw new codes.ERR_INVALID_ARG_VALUE(
      "options.servername",
      options.servername,
      "Setting the TLS ServerName to an IP address is not permitted",
    );
  }
  const hostname = options.servername || options.host || options.socket?._host || "localhost";
  const socket = new (TLSSocket as TLSSocketConstructor)(options.socket, {
    ...options,
    host: options.host ?? hostname,
    _host: options.host,
    isServer: false,
    _connects: true,
    secureContext: options.secureContext || createSecureContext(options),
  });
  if (cb) socket.once("secureConnect", cb);
  if (!options.socket) {
    if (options.timeout) socket.setTimeout(options.timeout);
    socket.connect(options);
  }
  socket.on("end", onHandshakeEnd);
  return socket;
}

/** The fields of a distinguished name, one a line as `CN=x`; an array of values where a field is there more than once (old). */
function parseCertString(text: string): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = Object.create(null);
  for (const line of `${text}`.split("\n")) {
    const equals = line.indexOf("=");
    if (equals <= 0) continue;
    const key = line.slice(0, equals);
    const value = line.slice(equals + 1);
    const known = out[key];
    if (known === undefined) out[key] = value;
    else if (Array.isArray(known)) known.push(value);
    else out[key] = [known, value];
  }
  return out;
}

let ciphers: string[] | undefined;

/** tls.createSecureContext([options]): always a new one, which the program may add to. */
function newSecureContext(options?: SecureContextOptions | null): SecureContext {
  return new SecureContext(options ?? {});
}
Object.defineProperty(newSecureContext, "name", { value: "createSecureContext" });

const exported = {
  CLIENT_RENEG_LIMIT: 3,
  CLIENT_RENEG_WINDOW: 600,
  TLSSocket,
  Server,
  SecureContext,
  createServer,
  createSecureContext: newSecureContext,
  checkServerIdentity,
  connect,
  parseCertString,
  getCiphers: () => [
    ...(ciphers ??= native("net")
      .tlsCiphers()
      .map((name: string) => name.toLowerCase())
      .sort()),
  ],
  getCACertificates: (type?: unknown) => require("internal/net/tls/trust").getCACertificates(type),
  setDefaultCACertificates: (list: unknown) => require("internal/net/tls/trust").setDefaultCACertificates(list),
  convertALPNProtocols(protocols: unknown, out: { ALPNProtocols?: unknown }) {
    const { Buffer } = require("node:buffer");
    if (Array.isArray(protocols)) {
      out.ALPNProtocols = Buffer.concat(
        protocolList(protocols).flatMap((name) => [Buffer.from([name.length]), Buffer.from(name, "latin1")]),
      );
    } else if (ArrayBuffer.isView(protocols)) {
      out.ALPNProtocols = Buffer.from(Buffer.from(protocols.buffer, protocols.byteOffset, protocols.byteLength));
    }
  },
};
for (const [name, key, get] of [
  ["DEFAULT_MIN_VERSION", "minVersion", undefined],
  ["DEFAULT_MAX_VERSION", "maxVersion", undefined],
  ["DEFAULT_CIPHERS", "ciphers", defaultCiphers],
  ["DEFAULT_ECDH_CURVE", "curve", undefined],
] as const) {
  Object.defineProperty(exported, name, {
    configurable: true,
    enumerable: true,
    get: get ?? (() => defaults[key]),
    set: (value: string) => {
      (defaults as Record<typeof key, string | undefined>)[key] = value;
      forgetDefault();
    },
  });
}
Object.defineProperty(exported, "rootCertificates", {
  configurable: false,
  enumerable: true,
  get: () => require("internal/net/tls/trust").bundled(),
});
export default exported as Omit<typeof exported, "TLSSocket" | "Server"> & {
  TLSSocket: TLSSocketConstructor;
  Server: TLSServerConstructor;
};
