// tls.Server (https://nodejs.org/api/tls.html#class-tlsserver).

import { codes, connResetException } from "internal/errors";
import { Server as NetServer } from "internal/net/server";
import { createSecureContext } from "internal/tls/context";
import { TLSSocket } from "internal/tls/socket";
import { validateNumber } from "internal/validators";

/** `new Server([options][, secureConnectionListener])`; callable without `new`. */
export function Server(this: any, options?: any, listener?: any): any {
  if (!(this instanceof (Server as any))) return new (Server as any)(options, listener);
  if (typeof options === "function") {
    listener = options;
    options = {};
  } else if (options == null || typeof options === "object") {
    options ??= {};
  } else {
    throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
  }
  this._contexts = [];
  this.requestCert = options.requestCert === true;
  this.rejectUnauthorized = options.rejectUnauthorized !== false;
  if (options.ALPNProtocols && options.ALPNCallback) throw new codes.ERR_TLS_ALPN_CALLBACK_WITH_PROTOCOLS();
  if (options.SNICallback !== undefined && typeof options.SNICallback !== "function") {
    throw new codes.ERR_INVALID_ARG_TYPE("options.SNICallback", "Function", options.SNICallback);
  }
  this.setSecureContext(options);
  this._handshakeTimeout = options.handshakeTimeout || 120 * 1000;
  validateNumber(this._handshakeTimeout, "options.handshakeTimeout");
  this._tlsServerOptions = options;
  (NetServer as any).call(this, options, onConnection);
  if (listener) this.on("secureConnection", listener);
}
Object.setPrototypeOf(Server.prototype, (NetServer as any).prototype);
Object.setPrototypeOf(Server, NetServer);

const proto: any = Server.prototype;

function onConnection(this: any, rawSocket: any): void {
  const server = this;
  const options = server._tlsServerOptions;
  const socket = new (TLSSocket as any)(rawSocket, {
    isServer: true,
    server,
    secureContext: server._sharedCreds,
    requestCert: server.requestCert,
    rejectUnauthorized: server.rejectUnauthorized,
    ALPNProtocols: options.ALPNProtocols,
    ALPNCallback: options.ALPNCallback,
    SNICallback: options.SNICallback,
    handshakeTimeout: server._handshakeTimeout,
    pauseOnConnect: server.pauseOnConnect,
    allowHalfOpen: server.allowHalfOpen,
  });
  socket.server = server;
  let told = false;
  const fail = (error: any) => {
    if (told) return;
    told = true;
    server.emit("tlsClientError", error, socket);
  };
  socket.on("_tlsError", fail);
  socket.on("error", (error: any) => {
    if (!socket._secureEstablished) fail(error);
  });
  socket.once("close", () => {
    if (socket._secureEstablished || told) return;
    fail(connResetException("socket hang up"));
  });
  socket.once("secure", () => {
    told = true;
    server.emit("secureConnection", socket);
  });
}

proto.setSecureContext = function(options: any): void {
  if (options === null || typeof options !== "object") throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
  this._sharedCreds = createSecureContext(options);
};

proto.addContext = function(servername: any, context: any): void {
  if (!servername) throw new codes.ERR_TLS_REQUIRED_SERVER_NAME();
  const pattern = String(servername).replace(/([.^$+?\-\\[\]{}])/g, "\\$1").replaceAll("*", "[^.]*");
  this._contexts.push([new RegExp(`^${pattern}$`, "i"), context.context ? context : createSecureContext(context)]);
};

/** The last context that was added for a name. */
proto._contextFor = function(servername: string): any {
  for (let i = this._contexts.length - 1; i >= 0; i--) if (this._contexts[i][0].test(servername)) return this._contexts[i][1];
  return this._sharedCreds;
};

proto.getTicketKeys = function(): any {
  throw new Error("bao: tls.Server#getTicketKeys() is not implemented");
};
proto.setTicketKeys = function(): void {
  throw new Error("bao: tls.Server#setTicketKeys() is not implemented");
};
