/** The handshake of a client of the package `ws`: a request for an upgrade, redirects, and what the answer must say (RFC 6455, 4.1). */

import { acceptFor } from "internal/fetch/websocket/frames";
import { DEFLATE, PerMessageDeflate } from "internal/ws/deflate";
import { extension, isToken, type Offers } from "internal/ws/header";
import type { Connection, DeflateOptions, Incoming, Limits, Outgoing } from "internal/ws/types";
import { type Proxy, tunnel } from "internal/ws/proxy";
import type { WebSocket } from "internal/ws/socket";

const VERSIONS = [8, 13];
const CONNECTING = 0,
  CLOSING = 2;
const ABORTED = Symbol("aborted");

/** Options of a client: these, and those of http.request. */
export interface ClientOptions extends Limits {
  autoPong?: boolean;
  closeTimeout?: number;
  finishRequest?: (request: Outgoing, socket: WebSocket) => void;
  followRedirects?: boolean;
  handshakeTimeout?: number;
  maxRedirects?: number;
  origin?: string;
  perMessageDeflate?: boolean | DeflateOptions;
  protocolVersion?: number;
  headers?: Record<string, unknown>;
  auth?: string;
  createConnection?: unknown;
  /** Bun's options: a proxy, before an agent, and what holds for TLS to it and to the server. */
  proxy?: Proxy;
  tls?: Record<string, unknown>;
  [name: string]: unknown;
}

/** Where the first request of a WebSocket went: what is secret goes nowhere else. */
interface Origin {
  local: boolean;
  secure: boolean;
  place: string;
}

type Request = Outgoing & { [ABORTED]?: boolean };

/** Ends a handshake with an error; `stream`: the request, or the connection if it is upgraded already. */
export function abort(socket: WebSocket, stream: Request | Connection | null, message: string): void {
  socket._readyState = CLOSING;
  const error = new Error(message);
  if (stream === null) {
    process.nextTick(fail, socket, error);
  } else if ("setHeader" in stream) {
    stream[ABORTED] = true;
    stream.abort();
    const { socket: connection } = stream;
    if (connection && !connection.destroyed) connection.destroy();
    process.nextTick(fail, socket, error);
  } else {
    const connection = stream as Connection;
    connection.destroy(error);
    connection.once("error", (reason: unknown) => socket.emit("error", reason));
    connection.once("close", () => socket.emitClose());
  }
}

function fail(socket: WebSocket, error: Error): void {
  socket._readyState = CLOSING;
  socket._errorEmitted = true;
  socket.emit("error", error);
  socket.emitClose();
}

/** Connections are made as for any client of node:http, but to a name without its port in `path`. */
function connectPlain(options: Record<string, unknown>): unknown {
  options.path = options.socketPath;
  return require("node:net").connect(options);
}

function connectSecure(options: Record<string, unknown>): unknown {
  options.path = undefined;
  if (!options.servername && options.servername !== "")
    options.servername = require("node:net").isIP(options.host) ? "" : options.host;
  return require("node:tls").connect(options);
}

/** The URL, its scheme one of a WebSocket. Throws SyntaxError for what cannot be connected to. */
function urlOf(address: string | URL): URL {
  let url: URL;
  try {
    url = address instanceof URL ? address : new URL(address);
  } catch {
    throw new SyntaxError(`Invalid URL: ${address}`);
  }
  if (url.protocol === "http:") url.protocol = "ws:";
  else if (url.protocol === "https:") url.protocol = "wss:";
  return url;
}

function refusalOf(url: URL): string | undefined {
  if (!["ws:", "wss:", "ws+unix:"].includes(url.protocol))
    return 'The URL\'s protocol must be one of "ws:", "wss:", "http:", "https:", or "ws+unix:"';
  if (url.protocol === "ws+unix:" && url.pathname === "") return "The URL's pathname is empty";
  return url.hash === "" ? undefined : "The URL contains a fragment identifier";
}

function protocolSet(protocols: string[]): Set<string> {
  const known = new Set<string>();
  for (const protocol of protocols) {
    if (typeof protocol !== "string" || !isToken(protocol) || known.has(protocol))
      throw new SyntaxError("An invalid or duplicated subprotocol was specified");
    known.add(protocol);
  }
  return known;
}

/** Begins to connect. Throws for options and addresses that cannot be. */
export function connect(
  socket: WebSocket,
  address: string | URL,
  protocols: string[],
  options: ClientOptions,
  origin?: Origin,
): void {
  const version = options.protocolVersion ?? 13;
  if (!VERSIONS.includes(version))
    throw new RangeError(`Unsupported protocol version: ${version} (supported versions: ${VERSIONS.join(", ")})`);
  const url = urlOf(address);
  socket._url = url.href;
  const refusal = refusalOf(url);
  if (refusal !== undefined) {
    const error = new SyntaxError(refusal);
    if (socket._redirects === 0) throw error;
    fail(socket, error);
    return;
  }
  new Handshake(socket, url, protocols, version, options, origin).begin();
}

class Handshake {
  #socket: WebSocket;
  #url: URL;
  #protocols: string[];
  #wanted: Set<string>;
  #options: ClientOptions;
  #version: number;
  #origin: Origin | undefined;
  #secure: boolean;
  #local: boolean;
  #key = require("node:crypto").randomBytes(16).toString("base64");
  #deflate: PerMessageDeflate | undefined = undefined;
  #request: Request | null = null;

  constructor(
    socket: WebSocket,
    url: URL,
    protocols: string[],
    version: number,
    options: ClientOptions,
    origin: Origin | undefined,
  ) {
    this.#socket = socket;
    this.#url = url;
    this.#protocols = protocols;
    this.#wanted = protocolSet(protocols);
    this.#version = version;
    this.#options = options;
    this.#origin = origin;
    this.#secure = url.protocol === "wss:";
    this.#local = url.protocol === "ws+unix:";
  }

  #headers(): Record<string, unknown> {
    const { maxPayload, origin } = this.#options;
    // Given as undefined it is off, as in the package.
    const perMessageDeflate = "perMessageDeflate" in this.#options ? this.#options.perMessageDeflate : true;
    const headers: Record<string, unknown> = {
      ...this.#options.headers,
      "Sec-WebSocket-Version": this.#version,
      "Sec-WebSocket-Key": this.#key,
      Connection: "Upgrade",
      Upgrade: "websocket",
    };
    if (perMessageDeflate) {
      this.#deflate = new PerMessageDeflate({
        ...(perMessageDeflate === true ? undefined : perMessageDeflate),
        isServer: false,
        maxPayload,
      });
      headers["Sec-WebSocket-Extensions"] = extension.format({ [DEFLATE]: this.#deflate.offer() });
    }
    if (this.#protocols.length > 0) headers["Sec-WebSocket-Protocol"] = this.#protocols.join(",");
    if (origin) headers[this.#version < 13 ? "Sec-WebSocket-Origin" : "Origin"] = origin;
    return headers;
  }

  begin(): void {
    const url = this.#url;
    const { protocol: _, timeout: __, proxy, tls, ...given } = this.#options;
    const port = this.#secure ? 443 : 80;
    const host = url.hostname;
    const usual = given.createConnection ?? (this.#secure ? connectSecure : connectPlain);
    const settings: Record<string, unknown> = {
      ...tls,
      ...given,
      method: "GET",
      hostname: undefined,
      socketPath: undefined,
      createConnection: proxy ? tunnel(proxy, tls, this.#secure) : usual,
      defaultPort: given.defaultPort ?? port,
      port: url.port || port,
      host: host.startsWith("[") ? host.slice(1, -1) : host,
      path: url.pathname + url.search,
      timeout: given.handshakeTimeout,
      headers: this.#headers(),
    };
    if (url.username || url.password) settings.auth = `${url.username}:${url.password}`;
    if (this.#local) [settings.socketPath, settings.path] = (settings.path as string).split(":");
    if (proxy) settings.agent = undefined;
    if (given.followRedirects) this.#guard(settings);
    const request: Request = (this.#request = require(this.#secure ? "node:https" : "node:http").request(settings));
    this.#socket._req = request;
    if (given.followRedirects && this.#socket._redirects > 0) this.#socket.emit("redirect", this.#socket.url, request);
    this.#listen(request, settings);
    if (given.finishRequest) given.finishRequest(request, this.#socket);
    else request.end();
  }

  /** Keeps credentials from other hosts than the first one, unless somebody listens to "redirect" and so decides. */
  #guard(settings: Record<string, unknown>): void {
    const place = this.#local ? (settings.socketPath as string) : this.#url.host;
    const headers = settings.headers as Record<string, unknown>;
    if (this.#origin === undefined) {
      this.#origin = { local: this.#local, secure: this.#secure, place };
      const lower: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(this.#options.headers ?? {})) lower[name.toLowerCase()] = value;
      this.#options = { ...this.#options, headers: lower };
    } else if (this.#socket.listenerCount("redirect") === 0) {
      const same = this.#local === this.#origin.local && place === this.#origin.place;
      if (!same || (this.#origin.secure && !this.#secure)) {
        delete headers.authorization;
        delete headers.cookie;
        if (!same) delete headers.host;
        settings.auth = undefined;
      }
    }
    // The first credentials hold for what follows.
    const kept = this.#options.headers!;
    if (settings.auth && !kept.authorization)
      kept.authorization = `Basic ${Buffer.from(settings.auth as string).toString("base64")}`;
  }

  #listen(request: Request, settings: Record<string, unknown>): void {
    const socket = this.#socket;
    if (settings.timeout) request.on("timeout", () => abort(socket, request, "Opening handshake has timed out"));
    request.on("error", (error: Error) => {
      if (this.#request === null || request[ABORTED]) return;
      this.#request = socket._req = null;
      fail(socket, error);
    });
    request.on("response", (response: Incoming) => this.#responded(request, response));
    request.on("upgrade", (response: Incoming, connection: Connection, head: Uint8Array) => {
      socket.emit("upgrade", response);
      // A listener may have closed it.
      if (socket.readyState !== CONNECTING) return;
      this.#request = socket._req = null;
      const refusal = this.#check(response);
      if (refusal !== undefined) {
        abort(socket, connection, refusal);
        return;
      }
      const { allowSynchronousEvents, generateMask, maxBufferedChunks, maxFragments, maxPayload, skipUTF8Validation } =
        this.#options;
      socket.setSocket(connection, head, {
        allowSynchronousEvents,
        generateMask,
        maxBufferedChunks: maxBufferedChunks ?? 1024 * 1024,
        maxFragments: maxFragments ?? 128 * 1024,
        maxPayload: maxPayload ?? 100 * 1024 * 1024,
        skipUTF8Validation,
      });
    });
  }

  #responded(request: Request, response: Incoming): void {
    const socket = this.#socket;
    const { location } = response.headers;
    const { followRedirects, maxRedirects = 10 } = this.#options;
    if (!location || !followRedirects || response.statusCode < 300 || response.statusCode >= 400) {
      if (!socket.emit("unexpected-response", request, response))
        abort(socket, request, `Unexpected server response: ${response.statusCode}`);
      return;
    }
    if (++socket._redirects > maxRedirects) {
      abort(socket, request, "Maximum redirects exceeded");
      return;
    }
    request[ABORTED] = true;
    request.abort();
    let next: URL;
    try {
      next = new URL(location, this.#url);
    } catch {
      fail(socket, new SyntaxError(`Invalid URL: ${location}`));
      return;
    }
    connect(socket, next, this.#protocols, this.#options, this.#origin);
  }

  /** What is wrong with the server's answer. */
  #check({ headers }: Incoming): string | undefined {
    if (headers.upgrade?.toLowerCase() !== "websocket") return "Invalid Upgrade header";
    if (headers["sec-websocket-accept"] !== acceptFor(this.#key)) return "Invalid Sec-WebSocket-Accept header";
    const protocol = headers["sec-websocket-protocol"];
    if (protocol === undefined) {
      if (this.#wanted.size > 0) return "Server sent no subprotocol";
    } else if (this.#wanted.size === 0) {
      return "Server sent a subprotocol but none was requested";
    } else if (!this.#wanted.has(protocol)) {
      return "Server sent an invalid subprotocol";
    }
    if (protocol) this.#socket._protocol = protocol;
    return this.#checkExtensions(headers["sec-websocket-extensions"]);
  }

  #checkExtensions(header: string | undefined): string | undefined {
    if (header === undefined) return undefined;
    if (this.#deflate === undefined)
      return "Server sent a Sec-WebSocket-Extensions header but no extension was requested";
    let offers: Offers;
    try {
      offers = extension.parse(header);
    } catch {
      return "Invalid Sec-WebSocket-Extensions header";
    }
    const names = Object.keys(offers);
    if (names.length !== 1 || names[0] !== DEFLATE) return "Server indicated an extension that was not requested";
    try {
      this.#deflate.accept(offers[DEFLATE]!);
    } catch {
      return "Invalid Sec-WebSocket-Extensions header";
    }
    this.#socket._extensions[DEFLATE] = this.#deflate;
    return undefined;
  }
}
