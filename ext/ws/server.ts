/** `WebSocketServer` of the package `ws`: connections of an HTTP server become WebSockets (RFC 6455, 4.2). */

import EventEmitter from "node:events";
import { acceptFor } from "internal/fetch/websocket/frames";
import { DEFLATE, type Extensions, PerMessageDeflate } from "internal/ws/deflate";
import { extension, type Offers, subprotocol } from "internal/ws/header";
import { owner, WebSocket } from "internal/ws/socket";
import type { Listener } from "internal/events/types";
import type { Connection, DeflateOptions, HttpServer, Incoming, Limits } from "internal/ws/types";

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const RUNNING = 0,
  CLOSING = 1,
  CLOSED = 2;

type Verified = (accepted: boolean, code?: number, message?: string, headers?: Record<string, unknown>) => void;
/** What `verifyClient` is told. */
interface ClientInfo {
  origin: string | undefined;
  secure: boolean;
  req: Incoming;
}

interface ServerOptions extends Limits {
  autoPong?: boolean;
  closeTimeout?: number;
  backlog?: number;
  clientTracking?: boolean;
  handleProtocols?: ((protocols: Set<string>, request: Incoming) => string | false) | null;
  host?: string;
  noServer?: boolean;
  path?: string;
  perMessageDeflate?: boolean | DeflateOptions;
  port?: number | null;
  server?: HttpServer | null;
  verifyClient?: ((info: ClientInfo, done?: Verified) => boolean | void) | null;
  WebSocket?: typeof WebSocket;
}

const DEFAULTS = {
  allowSynchronousEvents: true,
  autoPong: true,
  maxBufferedChunks: 1024 * 1024,
  maxFragments: 128 * 1024,
  maxPayload: 100 * 1024 * 1024,
  skipUTF8Validation: false,
  perMessageDeflate: false,
  handleProtocols: null,
  clientTracking: true,
  closeTimeout: 30000,
  verifyClient: null,
  noServer: false,
  backlog: undefined,
  server: null,
  host: undefined,
  path: undefined,
  port: null,
  WebSocket,
};

type Settings = typeof DEFAULTS & ServerOptions;
type Accept = (socket: WebSocket, request: Incoming) => void;

/** Answers a request that is not upgraded, and closes its connection. */
function refuse(socket: Connection, code: number, message?: string, headers?: Record<string, unknown>): void {
  const { STATUS_CODES } = require("node:http");
  const body = message || STATUS_CODES[code];
  const fields = {
    Connection: "close",
    "Content-Type": "text/html",
    "Content-Length": Buffer.byteLength(body),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.once("finish", () => void socket.destroy());
  socket.end(`HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

export class WebSocketServer extends EventEmitter {
  options: Settings;
  clients: Set<WebSocket> | undefined = undefined;
  _server: HttpServer | null = null;
  _state = RUNNING;
  #listeners: [string, Listener][] = [];
  /** The "close" event waits for the last client. */
  #closeWithLast = false;

  constructor(options: ServerOptions, callback?: Listener) {
    super();
    const settings = (this.options = { ...DEFAULTS, ...options } as Settings);
    const ways = [settings.port ?? null, settings.server || null, settings.noServer || null];
    if (ways.filter((way) => way !== null).length !== 1)
      throw new TypeError('One and only one of the "port", "server", or "noServer" options must be specified');
    if (settings.perMessageDeflate === (true as never)) settings.perMessageDeflate = {} as never;
    if (settings.clientTracking) this.clients = new Set();
    else delete this.clients;
    if (settings.port !== null && settings.port !== undefined) this.#listen(settings, callback);
    else if (settings.server) this._server = settings.server;
    if (this._server !== null) this.#attach(this._server);
  }

  #listen({ port, host, backlog }: Settings, callback: Listener | undefined): void {
    const http = require("node:http");
    const server = http.createServer((_request: unknown, response: { writeHead: Function; end: Function }) => {
      const body: string = http.STATUS_CODES[426];
      response.writeHead(426, { "Content-Length": body.length, "Content-Type": "text/plain" });
      response.end(body);
    }) as unknown as HttpServer;
    this._server = server;
    server.listen(port!, host, backlog, callback);
  }

  #attach(server: HttpServer): void {
    const accept: Accept = (socket, request) => void this.emit("connection", socket, request);
    this.#listeners = [
      ["listening", () => void this.emit("listening")],
      ["error", (error: unknown) => void this.emit("error", error)],
      [
        "upgrade",
        (request: Incoming, socket: Connection, head: Uint8Array) => this.handleUpgrade(request, socket, head, accept),
      ],
    ] as [string, Listener][];
    for (const [event, listener] of this.#listeners) server.on(event, listener);
  }

  #detach(): void {
    for (const [event, listener] of this.#listeners) this._server!.removeListener(event, listener);
    this.#listeners = [];
    this._server = null;
  }

  /** As `server.address()` of the HTTP server. */
  address(): unknown {
    if (this.options.noServer) throw new Error('The server is operating in "noServer" mode');
    return this._server === null ? null : this._server.address();
  }

  /** Takes no more connections; `callback` is called when all have gone, with an error where the server is closed already. */
  close(callback?: (error?: Error) => void): void {
    if (this._state === CLOSED) {
      if (callback) this.once("close", () => callback(new Error("The server is not running")));
      process.nextTick(() => this.#closed());
      return;
    }
    if (callback) this.once("close", callback as Listener);
    if (this._state === CLOSING) return;
    this._state = CLOSING;
    const server = this._server;
    if (server !== null) this.#detach();
    if (!this.options.noServer && !this.options.server) {
      // Its "close" event comes with the last connection.
      server!.close(() => this.#closed());
    } else if (this.clients !== undefined && this.clients.size > 0) {
      this.#closeWithLast = true;
    } else {
      process.nextTick(() => this.#closed());
    }
  }

  #closed(): void {
    this._state = CLOSED;
    this.emit("close");
  }

  /** Whether a request is for this server: by the option `path`. */
  shouldHandle(request: Incoming): boolean {
    const { path } = this.options;
    return !path || request.url.split("?", 1)[0] === path;
  }

  /** Answers a request for an upgrade; `accept` gets the WebSocket. */
  handleUpgrade(request: Incoming, socket: Connection, head: Uint8Array, accept: Accept): void {
    const onError = (): void => void socket.destroy();
    socket.on("error", onError);
    const { headers, method } = request;
    const key = headers["sec-websocket-key"];
    const version = Number(headers["sec-websocket-version"]);
    const wrong = (message: string, code = 400, fields?: Record<string, unknown>): void =>
      this.#mistake(request, socket, code, message, fields);
    if (method !== "GET") return wrong("Invalid HTTP method", 405);
    if (headers.upgrade?.toLowerCase() !== "websocket") return wrong("Invalid Upgrade header");
    if (key === undefined || !KEY.test(key)) return wrong("Missing or invalid Sec-WebSocket-Key header");
    if (version !== 8 && version !== 13)
      return wrong("Missing or invalid Sec-WebSocket-Version header", 400, { "Sec-WebSocket-Version": "13, 8" });
    if (!this.shouldHandle(request)) return refuse(socket, 400);
    let protocols = new Set<string>();
    try {
      const header = headers["sec-websocket-protocol"];
      if (header !== undefined) protocols = subprotocol.parse(header);
    } catch {
      return wrong("Invalid Sec-WebSocket-Protocol header");
    }
    let extensions: Extensions;
    try {
      extensions = this.#negotiate(headers["sec-websocket-extensions"]);
    } catch {
      return wrong("Invalid or unacceptable Sec-WebSocket-Extensions header");
    }
    const complete = (): void =>
      this.completeUpgrade(extensions, key, protocols, request, socket, head, accept, onError);
    const { verifyClient } = this.options as ServerOptions;
    if (!verifyClient) return complete();
    const info: ClientInfo = {
      origin: headers[version === 8 ? "sec-websocket-origin" : "origin"],
      secure: Boolean(request.socket.authorized || request.socket.encrypted),
      req: request,
    };
    if (verifyClient.length === 2) {
      verifyClient(info, (accepted, code, message, fields) => {
        if (accepted) complete();
        else refuse(socket, code || 401, message, fields);
      });
    } else if (verifyClient(info)) {
      complete();
    } else {
      refuse(socket, 401);
    }
  }

  #negotiate(header: string | undefined): Extensions {
    const { perMessageDeflate, maxPayload } = this.options as ServerOptions;
    if (!perMessageDeflate || header === undefined) return {};
    const offers: Offers = extension.parse(header);
    if (offers[DEFLATE] === undefined) return {};
    const deflate = new PerMessageDeflate({ ...(perMessageDeflate as DeflateOptions), isServer: true, maxPayload });
    deflate.accept(offers[DEFLATE]);
    return { [DEFLATE]: deflate };
  }

  /** A request that is not as it should be: whoever listens to "wsClientError" answers it. */
  #mistake(
    request: Incoming,
    socket: Connection,
    code: number,
    message: string,
    fields: Record<string, unknown> | undefined,
  ): void {
    if (this.listenerCount("wsClientError") > 0) this.emit("wsClientError", new Error(message), socket, request);
    else refuse(socket, code, message, fields);
  }

  completeUpgrade(
    extensions: Extensions,
    key: string,
    protocols: Set<string>,
    request: Incoming,
    socket: Connection & { [owner]?: WebSocket },
    head: Uint8Array,
    accept: Accept,
    onError?: Listener,
  ): void {
    // The client has hung up already.
    if (!socket.readable || !socket.writable) {
      socket.destroy();
      return;
    }
    if (socket[owner] !== undefined)
      throw new Error(
        "server.handleUpgrade() was called more than once with the same socket, possibly due to a misconfiguration",
      );
    if (this._state > RUNNING) return refuse(socket, 503);
    const headers = [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${acceptFor(key)}`,
    ];
    const { handleProtocols, ...options } = this.options as Settings & ServerOptions;
    const websocket = new options.WebSocket(null, undefined, options);
    if (protocols.size > 0) {
      const [first] = protocols;
      const protocol = handleProtocols ? (handleProtocols as Function)(protocols, request) : first;
      if (protocol) {
        headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
        websocket._protocol = protocol;
      }
    }
    const deflate = extensions[DEFLATE];
    if (deflate !== undefined) {
      headers.push(`Sec-WebSocket-Extensions: ${extension.format({ [DEFLATE]: [deflate.params] })}`);
      websocket._extensions = extensions;
    }
    this.emit("headers", headers, request);
    socket.write(`${headers.join("\r\n")}\r\n\r\n`);
    if (onError !== undefined) socket.removeListener("error", onError);
    websocket.setSocket(socket, head, options);
    this.#track(websocket);
    accept(websocket, request);
  }

  #track(websocket: WebSocket): void {
    const { clients } = this;
    if (clients === undefined) return;
    clients.add(websocket);
    websocket.on("close", () => {
      clients.delete(websocket);
      if (this.#closeWithLast && clients.size === 0) process.nextTick(() => this.#closed());
    });
  }
}
