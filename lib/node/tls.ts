/** node:tls (https://nodejs.org/api/tls.html), on rustls. */
import { codes } from "internal/errors";
import { createSecureContext, defaults, SecureContext } from "internal/tls/context";
import { checkServerIdentity } from "internal/tls/identity";
import { onHandshakeEnd, protocolList, TLSSocket } from "internal/tls/socket";
import { Server } from "internal/tls/server";
import { normalizeArgs } from "internal/net/socket";

function createServer(options?: any, listener?: any): any {
  return new (Server as any)(options, listener);
}

/** tls.connect(options[, callback]), tls.connect(port[, host][, options][, callback]), tls.connect(path[, …]) */
function connect(...args: any[]): any {
  const normalized = normalizeArgs(args);
  let options = normalized[0];
  const cb = normalized[1];
  // connect(port, host, options)
  if (args[1] !== null && typeof args[1] === "object") options = { ...options, ...args[1] };
  else if (args[2] !== null && typeof args[2] === "object") options = { ...options, ...args[2] };
  const allowUnauthorized = process.env.NODE_TLS_REJECT_UNAUTHORIZED === "0";
  options = {
    rejectUnauthorized: !allowUnauthorized,
    checkServerIdentity,
    ...options,
  };
  if (!options.keepAlive) options.singleUse = true;
  if (typeof options.checkServerIdentity !== "function") {
    throw new codes.ERR_INVALID_ARG_TYPE("options.checkServerIdentity", "Function", options.checkServerIdentity);
  }
  const hostname = options.servername || options.host || options.socket?._host || "localhost";
  const socket = new (TLSSocket as any)(options.socket, {
    ...options,
    host: options.host ?? hostname,
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

const exported: any = {
  CLIENT_RENEG_LIMIT: 3,
  CLIENT_RENEG_WINDOW: 600,
  DEFAULT_CIPHERS: "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:" +
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:" +
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-CHACHA20-POLY1305",
  DEFAULT_ECDH_CURVE: "auto",
  TLSSocket,
  Server,
  SecureContext,
  createServer,
  createSecureContext,
  checkServerIdentity,
  connect,
  getCiphers: () => ["tls_aes_256_gcm_sha384", "tls_chacha20_poly1305_sha256", "tls_aes_128_gcm_sha256",
    "ecdhe-ecdsa-aes256-gcm-sha384", "ecdhe-ecdsa-aes128-gcm-sha256", "ecdhe-ecdsa-chacha20-poly1305",
    "ecdhe-rsa-aes256-gcm-sha384", "ecdhe-rsa-aes128-gcm-sha256", "ecdhe-rsa-chacha20-poly1305"],
  convertALPNProtocols(protocols: any, out: any) {
    const { Buffer } = require("node:buffer");
    out.ALPNProtocols = Buffer.concat(protocolList(protocols).flatMap((name) => [Buffer.from([name.length]), Buffer.from(name, "latin1")]));
  },
};
for (const [name, key] of [["DEFAULT_MIN_VERSION", "minVersion"], ["DEFAULT_MAX_VERSION", "maxVersion"]] as const) {
  Object.defineProperty(exported, name, {
    configurable: true,
    enumerable: true,
    get: () => defaults[key],
    set: (value: string) => { defaults[key] = value; },
  });
}
export default exported;
