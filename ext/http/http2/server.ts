// Http2Server, Http2SecureServer and performServerHandshake (https://nodejs.org/api/http2.html#class-http2server).

import {
  connectionListener as http1Listener,
  httpServerPreClose,
  Server as HttpServer,
  setupConnectionsTracking,
  storeHTTPOptions,
  type Server as Http1Server,
} from "internal/http/server";
import { codes } from "internal/core/errors";
import { kOptions, kServer, kSessions } from "internal/http/http2/symbols";
import { ServerHttp2Session } from "internal/http/http2/session";
import { assertIsArray, assertIsObject, MAX_ADDITIONAL_SETTINGS, validateSettings } from "internal/http/http2/util";
import { Server as NetServer } from "internal/net/server";
import { kEmptyObject, promisify } from "internal/core/util";
import { validateBoolean, validateFunction, validateUint32 } from "internal/core/validators";

function sessionOnStream(this: any, ...args: unknown[]): void {
  this[kServer]?.emit("stream", ...args);
}

function sessionOnPriority(this: any, ...args: unknown[]): void {
  this[kServer]?.emit("priority", ...args);
}

function sessionOnError(this: any, error: unknown): void {
  this[kServer]?.emit("sessionError", error, this);
}

function sessionOnTimeout(this: any): void {
  if (this.destroyed || this.closed) return;
  if (!this[kServer].emit("timeout", this)) this.destroy();
}

const refusal =
  "HTTP/1.0 403 Forbidden\r\nContent-Type: text/plain\r\n\r\nMissing ALPN Protocol, expected `h2` to be available.\n" +
  "If this is a HTTP request: The server was not configured with the `allowHTTP1` option or a listener for the `unknownProtocol` event.\n";

function connectionListener(this: any, socket: any): void {
  const options = this[kOptions] || {};
  if (socket.alpnProtocol === false || socket.alpnProtocol === "http/1.1") {
    if (options.allowHTTP1 === true) {
      socket.server = this;
      http1Listener.call(this, socket);
      return;
    }
    if (this.emit("unknownProtocol", socket)) return;
    const timer = setTimeout(() => {
      if (!socket.destroyed) socket.destroy();
    }, options.unknownProtocolTimeout);
    timer.unref();
    socket.once("close", () => clearTimeout(timer));
    // Perhaps it understands this.
    socket.end(refusal);
    return;
  }
  const session: any = new ServerHttp2Session(options, socket, this);
  session.on("stream", sessionOnStream);
  session.on("error", sessionOnError);
  session.on("priority", sessionOnPriority);
  if (this.timeout) session.setTimeout(this.timeout, sessionOnTimeout);
  socket[kServer] = this;
  this.emit("session", session);
}

function initialOptions(given: any): any {
  assertIsObject(given, "options");
  const options: any = { ...given };
  assertIsObject(options.settings, "options.settings");
  options.settings = { ...options.settings };
  assertIsArray(options.remoteCustomSettings, "options.remoteCustomSettings");
  if (options.remoteCustomSettings) {
    options.remoteCustomSettings = [...options.remoteCustomSettings];
    if (options.remoteCustomSettings.length > MAX_ADDITIONAL_SETTINGS)
      throw new codes.ERR_HTTP2_TOO_MANY_CUSTOM_SETTINGS();
  }
  for (const name of ["maxSessionInvalidFrames", "maxSessionRejectedStreams", "unknownProtocolTimeout"]) {
    if (options[name] !== undefined) validateUint32(options[name], `options.${name}`);
  }
  options.unknownProtocolTimeout ??= 10000;
  if (options.strictSingleValueFields !== undefined)
    validateBoolean(options.strictSingleValueFields, "options.strictSingleValueFields");
  else options.strictSingleValueFields = true;
  options.http1Options = { ...options.http1Options };
  if (options.Http1IncomingMessage !== undefined) options.http1Options.IncomingMessage ??= options.Http1IncomingMessage;
  if (options.Http1ServerResponse !== undefined) options.http1Options.ServerResponse ??= options.Http1ServerResponse;
  if (!options.Http2ServerRequest || !options.Http2ServerResponse) {
    const { Http2ServerRequest, Http2ServerResponse } = require("internal/http/http2/compat");
    options.Http2ServerRequest ||= Http2ServerRequest;
    options.Http2ServerResponse ||= Http2ServerResponse;
  }
  return options;
}

/** Options for TLS: the protocols to agree on. */
export function tlsOptions(given: unknown, servername?: string): any {
  const options = initialOptions(given);
  if (!options.ALPNCallback) {
    options.ALPNProtocols = ["h2"];
    if (options.allowHTTP1 === true) options.ALPNProtocols.push("http/1.1");
  }
  if (servername !== undefined && !options.servername) options.servername = servername;
  return options;
}

function setupCompat(this: any, event: string): void {
  if (event !== "request") return;
  this.removeListener("newListener", setupCompat);
  const { onServerStream } = require("internal/http/http2/compat");
  const { Http2ServerRequest, Http2ServerResponse } = this[kOptions];
  this.on("stream", onServerStream.bind(this, Http2ServerRequest, Http2ServerResponse));
}

function closeSessions(server: any): void {
  for (const session of [...server[kSessions]]) session.close();
}

/** What both kinds of servers have. */
const shared = {
  setTimeout(this: any, msecs: unknown, callback?: unknown): unknown {
    this.timeout = msecs;
    if (callback !== undefined) {
      validateFunction(callback, "callback");
      this.on("timeout", callback);
    }
    return this;
  },
  updateSettings(this: any, settings: any): void {
    assertIsObject(settings, "settings");
    validateSettings(settings);
    this[kOptions].settings = { ...this[kOptions].settings, ...settings };
  },
};

function setUp(server: any, options: unknown, listener: unknown): void {
  server[kOptions] = options;
  server[kSessions] = new Set();
  server.timeout = 0;
  server.on("newListener", setupCompat);
  if (typeof listener === "function") server.on("request", listener);
}

class Http2Server extends (NetServer as any) {
  constructor(given: any, listener: (...values: unknown[]) => unknown) {
    const options = initialOptions(given);
    super(options, connectionListener);
    setUp(this, options, listener);
  }

  close(...args: any[]): void {
    (NetServer as any).prototype.close.apply(this, args);
    closeSessions(this);
  }

  async [(Symbol as any).asyncDispose](): Promise<void> {
    await promisify((NetServer as any).prototype.close).call(this);
  }

  [Symbol.for("nodejs.rejection")](error: unknown, event: string, ...args: any[]): void {
    if (event === "stream") {
      const stream = args[0];
      if (stream.sentHeaders) {
        stream.destroy(error);
      } else {
        stream.respond({ ":status": 500 });
        stream.end();
      }
    } else if (event === "request") {
      const response = args[1];
      if (response.headersSent || response.finished) {
        response.destroy();
        return;
      }
      // The program's headers would be wrong here.
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      response.statusCode = 500;
      response.end(require("node:http").STATUS_CODES[500]);
    } else {
      (NetServer as any).prototype[Symbol.for("nodejs.rejection")].call(this, error, event, ...args);
    }
  }
}
Object.defineProperties(Http2Server.prototype, Object.getOwnPropertyDescriptors(shared));

let secure: unknown;

/** The class of secure servers: TLS is loaded with the first one. */
function secureServerClass(): any {
  if (secure !== undefined) return secure;
  const { Server: TlsServer } = require("internal/net/tls/server");
  class Http2SecureServer extends (TlsServer as any) {
    constructor(given: any, listener: (...values: unknown[]) => unknown) {
      const options = tlsOptions(given);
      super(options, connectionListener);
      setUp(this, options, undefined);
      if (options.allowHTTP1 === true) {
        storeHTTPOptions.call(this as unknown as Http1Server, { ...options, ...options.http1Options });
        (this as { shouldUpgradeCallback?: unknown }).shouldUpgradeCallback = function (this: any) {
          return this.listenerCount("upgrade") > 0;
        };
        this.on("listening", setupConnectionsTracking);
      }
      if (typeof listener === "function") this.on("request", listener);
      this.on("tlsClientError", function (this: any, error: unknown, socket: any) {
        if (!this.emit("clientError", error, socket)) socket.destroy(error);
      });
    }

    close(...args: any[]): void {
      (TlsServer as any).prototype.close.apply(this, args);
      if ((this as any)[kOptions].allowHTTP1 === true) httpServerPreClose(this as unknown as Http1Server);
      closeSessions(this);
    }

    closeIdleConnections(...args: any[]): void {
      if ((this as any)[kOptions].allowHTTP1 === true)
        (HttpServer as any).prototype.closeIdleConnections.apply(this, args);
    }
  }
  Object.defineProperties(Http2SecureServer.prototype, Object.getOwnPropertyDescriptors(shared));
  return (secure = Http2SecureServer);
}

/** http2.createServer() */
export function createServer(options?: unknown, handler?: any): Http2Server {
  if (typeof options === "function") {
    handler = options;
    options = kEmptyObject;
  }
  return new Http2Server(options, handler);
}

/** http2.createSecureServer() */
export function createSecureServer(options?: unknown, handler?: unknown): unknown {
  return new (secureServerClass())(options, handler);
}

/** http2.performServerHandshake() */
export function performServerHandshake(socket: unknown, options: unknown = {}): ServerHttp2Session {
  return new ServerHttp2Session(initialOptions(options), socket, undefined);
}
