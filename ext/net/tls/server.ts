// tls.Server (https://nodejs.org/api/tls.html#class-tlsserver).

import { codes, connResetException } from "internal/core/errors";
import { Server as NetServer } from "internal/net/server";
import { createSecureContext } from "internal/net/tls/context";
import { TLSSocket, type TLSSocketConstructor } from "internal/net/tls/socket";
import {
  validateBuffer,
  validateFunction,
  validateInt32,
  validateNumber,
  validateString,
} from "internal/core/validators";
import type {
  ContextHolder,
  Socket,
  ServerOptions,
  TLSOptions,
  TLSServer,
  TLSSocket as SecureSocket,
} from "internal/net/types";

type Options = TLSOptions & ServerOptions;
type ConnectionListener = (socket: SecureSocket) => void;
export interface TLSServerConstructor {
  new (options?: Options | ConnectionListener | null, listener?: ConnectionListener): TLSServer;
  (this: TLSServer, options?: Options | ConnectionListener | null, listener?: ConnectionListener): TLSServer | void;
  readonly prototype: TLSServer;
}

/** `new Server([options][, secureConnectionListener])`; callable without `new`. */
export function Server(
  this: TLSServer,
  options?: Options | ConnectionListener | null,
  listener?: ConnectionListener,
): TLSServer | void {
  if (!(this instanceof Server)) return new (Server as TLSServerConstructor)(options, listener);
  if (typeof options === "function") {
    listener = options;
    options = {};
  } else if (options == null || typeof options === "object") {
    options ??= {};
  } else {
    throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
  }
  this._contexts = [];
  if (options.pskCallback) validateFunction(options.pskCallback, "options.pskCallback");
  if (options.pskIdentityHint) validateString(options.pskIdentityHint, "options.pskIdentityHint");
  this.requestCert = options.requestCert === true;
  this.rejectUnauthorized = options.rejectUnauthorized !== false;
  if (options.ALPNProtocols && options.ALPNCallback) throw new codes.ERR_TLS_ALPN_CALLBACK_WITH_PROTOCOLS();
  if (options.SNICallback !== undefined && typeof options.SNICallback !== "function") {
    throw new codes.ERR_INVALID_ARG_TYPE("options.SNICallback", "Function", options.SNICallback);
  }
  if (options.ALPNProtocols) require("node:tls").convertALPNProtocols(options.ALPNProtocols, this);
  if (options.ALPNCallback) this.ALPNCallback = options.ALPNCallback;
  this.setSecureContext(options);
  this._handshakeTimeout = options.handshakeTimeout || 120 * 1000;
  validateNumber(this._handshakeTimeout, "options.handshakeTimeout");
  this._tlsServerOptions = options;
  (
    NetServer as {
      call(self: TLSServer, options: ServerOptions, listener: (this: TLSServer, socket: Socket) => void): void;
    }
  ).call(this, options, onConnection);
  if (listener) this.on("secureConnection", listener);
}
Object.setPrototypeOf(Server.prototype, NetServer.prototype);
Object.setPrototypeOf(Server, NetServer);

const proto: TLSServer = Server.prototype;

function onConnection(this: TLSServer, rawSocket: Socket): void {
  const server = this;
  const options = server._tlsServerOptions;
  const socket = new (TLSSocket as TLSSocketConstructor)(rawSocket, {
    isServer: true,
    server,
    secureContext: server._sharedCreds,
    requestCert: server.requestCert,
    rejectUnauthorized: server.rejectUnauthorized,
    ALPNProtocols: options.ALPNProtocols,
    ALPNCallback: options.ALPNCallback,
    SNICallback: options.SNICallback,
    pskCallback: options.pskCallback,
    pskIdentityHint: options.pskIdentityHint,
    enableTrace: options.enableTrace,
    handshakeTimeout: server._handshakeTimeout,
    pauseOnConnect: server.pauseOnConnect,
    allowHalfOpen: server.allowHalfOpen,
  });
  socket.server = server;
  let told = false;
  const fail = (error: NodeError | null | undefined) => {
    if (told) return;
    told = true;
    server.emit("tlsClientError", error, socket);
  };
  socket.on("_tlsError", fail);
  socket.on("error", (error: NodeError | null | undefined) => {
    if (!socket._secureEstablished) fail(error);
  });
  socket.once("close", () => {
    if (socket._secureEstablished || told) return;
    fail(connResetException("socket hang up"));
  });
  // Who has ended within the handshake cannot finish it. The end of the writing half would wait for that.
  socket.once("end", () => {
    if (!socket._secureEstablished) socket.destroy();
  });
  socket.once("secure", () => {
    told = true;
    server.emit("secureConnection", socket);
  });
}

proto.setSecureContext = function (options) {
  if (options === null || typeof options !== "object")
    throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
  const { sessionTimeout } = options;
  if (sessionTimeout) validateInt32(sessionTimeout, "options.sessionTimeout", 0, 0x7fffffff);
  // Sessions are for this program, as in Node.
  const sessionIdContext =
    options.sessionIdContext ||
    require("node:crypto").createHash("sha1").update(process.argv.join(" ")).digest("hex").slice(0, 32);
  const honorCipherOrder = options.honorCipherOrder === undefined || Boolean(options.honorCipherOrder);
  this._sharedCreds = createSecureContext({ ...options, sessionIdContext, honorCipherOrder });
};

proto.addContext = function (servername, context) {
  if (!servername) throw new codes.ERR_TLS_REQUIRED_SERVER_NAME();
  const pattern = String(servername)
    .replace(/([.^$+?\-\\[\]{}])/g, "\\$1")
    .replaceAll("*", "[^.]*");
  this._contexts.push([
    new RegExp(`^${pattern}$`, "i"),
    context.context ? (context as ContextHolder) : createSecureContext(context),
  ]);
};

/** What a listener's promise rejects with, where rejections are captured (https://nodejs.org/api/events.html#capture-rejections-of-promises). */
(proto as unknown as Record<symbol, unknown>)[Symbol.for("nodejs.rejection")] = function (
  this: TLSServer,
  error: Error,
  event: string,
  socket: SecureSocket,
): void {
  if (event === "secureConnection") socket.destroy(error);
  else NetServer.prototype[Symbol.for("nodejs.rejection")].call(this, error, event, socket);
};

/** The last context that was added for a name. */
proto._contextFor = function (servername) {
  for (let i = this._contexts.length - 1; i >= 0; i--)
    if (this._contexts[i]![0].test(servername)) return this._contexts[i]![1];
  return this._sharedCreds;
};

proto.getTicketKeys = function () {
  const bytes = native("net").tlsTicketKeys(this._sharedCreds.context.id, undefined);
  return require("node:buffer").Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};
proto.setTicketKeys = function (keys) {
  validateBuffer(keys);
  if (keys.byteLength !== 48) require("node:assert").fail("Session ticket keys must be a 48-byte buffer");
  native("net").tlsTicketKeys(this._sharedCreds.context.id, keys);
};
