// Http2Server, Http2SecureServer and performServerHandshake (https://nodejs.org/api/http2.html#class-http2server).

import {
  connectionListener as http1Listener,
  httpServerPreClose,
  Server as HttpServer,
  setupConnectionsTracking,
  storeHTTPOptions,
  type Server as Http1Server,
  type ServerOptions as Http1ServerOptions,
} from "internal/http/server";
import { codes } from "internal/core/errors";
import { kOptions, kServer, kSessions } from "internal/http/http2/symbols";
import { ServerHttp2Session } from "internal/http/http2/session";
import {
  assertIsArray,
  assertIsObject,
  MAX_ADDITIONAL_SETTINGS,
  type SessionOptions,
  type Settings,
  validateSettings,
} from "internal/http/http2/util";
import { Server as NetServer } from "internal/net/server";
import { kEmptyObject, promisify } from "internal/core/util";
import { validateBoolean, validateFunction, validateUint32 } from "internal/core/validators";
import type { Listener } from "internal/events/types";
import type { Http2ServerRequest, Http2ServerResponse } from "internal/http/http2/compat";
import type { SessionSocket } from "internal/http/http2/session";
import type { ServerHttp2Stream } from "internal/http/http2/stream";
import type { NetServer as BaseServer } from "internal/http/types";

/** https://nodejs.org/api/http2.html#http2createserveroptions-onrequesthandler */
export interface ServerOptions extends SessionOptions {
  ALPNCallback?(choice: { servername: string; protocols: string[] }): string | undefined;
  ALPNProtocols?: string[];
  allowHTTP1?: boolean;
  http1Options?: Http1ServerOptions;
  /** Older names of options of `http1Options`. */
  Http1IncomingMessage?: Http1ServerOptions["IncomingMessage"];
  Http1ServerResponse?: Http1ServerOptions["ServerResponse"];
  Http2ServerRequest?: typeof Http2ServerRequest;
  Http2ServerResponse?: typeof Http2ServerResponse;
  servername?: string;
  /** Milliseconds that a connection of another protocol may stay. */
  unknownProtocolTimeout?: number;
}

interface NetServerClass {
  new (options: object, listener: (this: Server, socket: SessionSocket) => void): BaseServer;
  readonly prototype: BaseServer;
}

/** A server of HTTP/2, secure or not. */
interface Server extends BaseServer {
  timeout: number;
  [kOptions]: ServerOptions;
  [kSessions]: Set<ServerHttp2Session>;
}

export type RequestHandler = (request: Http2ServerRequest, response: Http2ServerResponse) => unknown;

function sessionOnStream(this: ServerHttp2Session, ...args: unknown[]): void {
  this[kServer]?.emit("stream", ...args);
}

function sessionOnPriority(this: ServerHttp2Session, ...args: unknown[]): void {
  this[kServer]?.emit("priority", ...args);
}

function sessionOnError(this: ServerHttp2Session, error: unknown): void {
  this[kServer]?.emit("sessionError", error, this);
}

function sessionOnTimeout(this: ServerHttp2Session): void {
  if (this.destroyed || this.closed) return;
  if (!this[kServer]!.emit("timeout", this)) this.destroy();
}

const refusal =
  "HTTP/1.0 403 Forbidden\r\nContent-Type: text/plain\r\n\r\nMissing ALPN Protocol, expected `h2` to be available.\n" +
  "If this is a HTTP request: The server was not configured with the `allowHTTP1` option or a listener for the `unknownProtocol` event.\n";

function connectionListener(this: Server, socket: SessionSocket): void {
  const options = this[kOptions] || {};
  if (socket.alpnProtocol === false || socket.alpnProtocol === "http/1.1") {
    if (options.allowHTTP1 === true) {
      socket.server = this;
      http1Listener.call(this, socket as Parameters<typeof http1Listener>[0]);
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
  const session = new ServerHttp2Session(options, socket, this);
  session.on("stream", sessionOnStream);
  session.on("error", sessionOnError);
  session.on("priority", sessionOnPriority);
  if (this.timeout) session.setTimeout(this.timeout, sessionOnTimeout);
  socket[kServer] = this;
  this.emit("session", session);
}

function initialOptions(given: ServerOptions | undefined): ServerOptions {
  assertIsObject(given, "options");
  const options: ServerOptions = { ...given };
  assertIsObject(options.settings, "options.settings");
  options.settings = { ...options.settings };
  assertIsArray(options.remoteCustomSettings, "options.remoteCustomSettings");
  if (options.remoteCustomSettings) {
    options.remoteCustomSettings = [...options.remoteCustomSettings];
    if (options.remoteCustomSettings.length > MAX_ADDITIONAL_SETTINGS)
      throw new codes.ERR_HTTP2_TOO_MANY_CUSTOM_SETTINGS();
  }
  for (const name of ["maxSessionInvalidFrames", "maxSessionRejectedStreams", "unknownProtocolTimeout"] as const) {
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
export function tlsOptions(given: ServerOptions | undefined, servername?: string): ServerOptions {
  const options = initialOptions(given);
  if (!options.ALPNCallback) {
    options.ALPNProtocols = ["h2"];
    if (options.allowHTTP1 === true) options.ALPNProtocols.push("http/1.1");
  }
  if (servername !== undefined && !options.servername) options.servername = servername;
  return options;
}

function setupCompat(this: Server, event: string): void {
  if (event !== "request") return;
  this.removeListener("newListener", setupCompat);
  const { onServerStream } = require("internal/http/http2/compat");
  const { Http2ServerRequest, Http2ServerResponse } = this[kOptions] as Required<ServerOptions>;
  this.on("stream", onServerStream.bind(this, Http2ServerRequest, Http2ServerResponse));
}

function closeSessions(server: Server): void {
  for (const session of [...server[kSessions]]) session.close();
}

/** What both kinds of servers have. */
const shared = {
  setTimeout<T extends Server>(this: T, msecs: number, callback?: () => void): T {
    this.timeout = msecs;
    if (callback !== undefined) {
      validateFunction(callback, "callback");
      this.on("timeout", callback);
    }
    return this;
  },
  updateSettings(this: Server, settings: Settings): void {
    assertIsObject(settings, "settings");
    validateSettings(settings);
    this[kOptions].settings = { ...this[kOptions].settings, ...settings };
  },
};

function setUp(server: Server, options: ServerOptions, listener: RequestHandler | undefined): void {
  server[kOptions] = options;
  server[kSessions] = new Set();
  server.timeout = 0;
  server.on("newListener", setupCompat);
  if (typeof listener === "function") server.on("request", listener);
}

class Http2Server extends (NetServer as unknown as NetServerClass) {
  declare timeout: number;
  declare [kOptions]: ServerOptions;
  declare [kSessions]: Set<ServerHttp2Session>;

  constructor(given: ServerOptions | undefined, listener: RequestHandler | undefined) {
    const options = initialOptions(given);
    super(options, connectionListener);
    setUp(this, options, listener);
  }

  close(...args: [callback?: () => void]): void {
    (NetServer as unknown as NetServerClass).prototype.close.apply(this, args);
    closeSessions(this);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await promisify((NetServer as unknown as NetServerClass).prototype.close).call(this);
  }

  [Symbol.for("nodejs.rejection")](error: unknown, event: string, ...args: unknown[]): void {
    if (event === "stream") {
      const stream = args[0] as ServerHttp2Stream;
      if (stream.sentHeaders) {
        stream.destroy(error);
      } else {
        stream.respond({ ":status": 500 });
        stream.end();
      }
    } else if (event === "request") {
      const response = args[1] as Http2ServerResponse;
      if (response.headersSent || response.finished) {
        response.destroy();
        return;
      }
      // The program's headers would be wrong here.
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      response.statusCode = 500;
      response.end(require("node:http").STATUS_CODES[500]);
    } else {
      (NetServer.prototype as { [name: symbol]: Listener })[Symbol.for("nodejs.rejection")]!.call(
        this,
        error,
        event,
        ...args,
      );
    }
  }
}
Object.defineProperties(Http2Server.prototype, Object.getOwnPropertyDescriptors(shared));

let secure: SecureServerClass | undefined;
type SecureServerClass = new (options?: ServerOptions, listener?: RequestHandler) => Server;

/** The class of secure servers: TLS is loaded with the first one. */
function secureServerClass(): SecureServerClass {
  if (secure !== undefined) return secure;
  const { Server: TlsServer } = require("internal/net/tls/server");
  class Http2SecureServer extends (TlsServer as unknown as NetServerClass) {
    declare timeout: number;
    declare [kOptions]: ServerOptions;
    declare [kSessions]: Set<ServerHttp2Session>;

    constructor(given: ServerOptions | undefined, listener: RequestHandler | undefined) {
      const options = tlsOptions(given);
      super(options, connectionListener);
      setUp(this, options, undefined);
      if (options.allowHTTP1 === true) {
        storeHTTPOptions.call(this as unknown as Http1Server, { ...options, ...options.http1Options });
        (this as { shouldUpgradeCallback?: unknown }).shouldUpgradeCallback = function (this: Server) {
          return this.listenerCount("upgrade") > 0;
        };
        this.on("listening", setupConnectionsTracking);
      }
      if (typeof listener === "function") this.on("request", listener);
      this.on("tlsClientError", function (this: Server, error: unknown, socket: SessionSocket) {
        if (!this.emit("clientError", error, socket)) socket.destroy(error);
      });
    }

    close(...args: [callback?: () => void]): void {
      (TlsServer as unknown as NetServerClass).prototype.close.apply(this, args);
      if (this[kOptions].allowHTTP1 === true) httpServerPreClose(this as unknown as Http1Server);
      closeSessions(this);
    }

    closeIdleConnections(...args: []): void {
      if (this[kOptions].allowHTTP1 === true) HttpServer.prototype.closeIdleConnections.apply(this, args);
    }
  }
  Object.defineProperties(Http2SecureServer.prototype, Object.getOwnPropertyDescriptors(shared));
  return (secure = Http2SecureServer);
}

/** http2.createServer() */
export function createServer(options?: ServerOptions | RequestHandler, handler?: RequestHandler): Http2Server {
  if (typeof options === "function") {
    handler = options;
    options = kEmptyObject as ServerOptions;
  }
  return new Http2Server(options, handler);
}

/** http2.createSecureServer() */
export function createSecureServer(options?: ServerOptions, handler?: RequestHandler): Server {
  return new (secureServerClass())(options, handler);
}

/** http2.performServerHandshake() */
export function performServerHandshake(socket: SessionSocket, options: ServerOptions = {}): ServerHttp2Session {
  return new ServerHttp2Session(initialOptions(options), socket, undefined);
}
