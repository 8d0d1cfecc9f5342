/** Bun.serve: https://bun.com/docs/api/http. The work is done in ext/serve. */
import { incomingOf } from "internal/serve/request";
import { ServerImpl, Settings } from "internal/serve/server";
import { isIP } from "internal/net/ip";
import { BIND_IPV6_ONLY, BIND_REUSE_PORT } from "internal/net/native_constants";
import type { RequestOptions } from "web/request";

const MAX_BODY = 128 * 1024 * 1024;
const IDLE_TIMEOUT = 10;

function typeError(message: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

const isProduction = () => process.env.NODE_ENV === "production";

/** https://bun.com/docs/api/http; what is checked is `unknown`. */
interface ServeOptions {
  fetch?: Settings["fetch"] | null;
  error?: Settings["error"] | null;
  routes?: Settings["routes"] | null;
  /** An older name of `routes`. */
  static?: Settings["routes"] | null;
  websocket?: Parameters<(typeof import("internal/serve/websocket"))["socketSettings"]>[0] | null;
  development?: unknown;
  /** A framework with routes out of files, in development only. */
  app?: unknown;
  idleTimeout?: unknown;
  maxRequestBodySize?: unknown;
  http1?: unknown;
  http2?: unknown;
  http3?: unknown;
  unix?: unknown;
  hostname?: unknown;
  port?: unknown;
  reusePort?: unknown;
  ipv6Only?: unknown;
  tls?: unknown;
  id?: unknown;
}

/** Most bytes of the path of a socket, see unix(7). */
const MAX_UNIX = 107;
const ENAMETOOLONG = -36;
const UV_EADDRINUSE = -98;

/** What the option `development` says of pages, if it is an object. */
function devSettings(development: unknown): Settings["dev"] {
  const given = (typeof development === "object" && development !== null ? development : {}) as {
    [name: string]: unknown;
  };
  return {
    hmr: given["hmr"] !== false,
    console: given["console"] === true,
    workspace: given["chromeDevToolsAutomaticWorkspaceFolders"] !== false,
  };
}

/** What of the options `reload` may change. */
function settingsOf(options: ServeOptions): Settings {
  const { fetch, error, websocket, development, idleTimeout, maxRequestBodySize } = options;
  const routes = options.routes ?? options.static;
  if (fetch !== undefined && fetch !== null && typeof fetch !== "function")
    throw typeError("Expected fetch() to be a function");
  if (error !== undefined && error !== null && typeof error !== "function")
    throw typeError("Expected error to be a function");
  if (routes !== undefined && routes !== null && typeof routes !== "object")
    throw typeError("Bun.serve() expects 'routes' to be an object");
  const app = options.app ?? undefined;
  if (!fetch && !routes && app === undefined) {
    throw typeError(
      'Bun.serve() needs either:\n\n  - A routes object:\n     routes: {\n       "/path": {\n         GET: (req) => new Response("Hello")\n       }\n     }\n\n  - Or a fetch handler:\n     fetch: (req) => {\n       return new Response("Hello")\n     }\n\nLearn more at https://bun.com/docs/api/http',
    );
  }
  let timeout = IDLE_TIMEOUT;
  if (idleTimeout !== undefined && idleTimeout !== null) {
    if (typeof idleTimeout !== "number" || !(idleTimeout >= 0))
      throw typeError("Bun.serve expects idleTimeout to be an integer");
    if (idleTimeout > 255) throw typeError("Bun.serve expects idleTimeout to be 255 or less");
    timeout = Math.trunc(idleTimeout);
  }
  if (websocket !== undefined && websocket !== null && typeof websocket !== "object")
    throw typeError("Expected websocket to be an object");
  return {
    fetch: fetch ?? undefined,
    error: error ?? undefined,
    routes: routes ?? undefined,
    websocket: websocket ? require("internal/serve/websocket").socketSettings(websocket) : undefined,
    development: development === undefined || development === null ? !isProduction() : Boolean(development),
    dev: devSettings(development),
    developmentOption: development,
    app,
    idleTimeout: timeout,
    maxBody:
      maxRequestBodySize === undefined || maxRequestBodySize === null
        ? MAX_BODY
        : Math.max(Number(maxRequestBodySize) || 0, 0),
  };
}

/** The port that is meant: an option, or what the environment or the command line says. */
function portOf(value: unknown): number {
  if (value === undefined || value === null) {
    const { env } = process;
    value = native("process").cliOption("--port") ?? env.BUN_PORT ?? env.PORT ?? env.NODE_PORT ?? 3000;
  }
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    const error: NodeError = new RangeError(
      `The value of "port" is out of range. It must be >= 0 and <= 65535. Received ${String(value)}`,
    );
    error.code = "ERR_OUT_OF_RANGE";
    throw error;
  }
  return port;
}

/** What Bun.serve returns. */
class Server {
  #impl: ServerImpl;
  #hostname: string;
  #id: string;
  #port: number | undefined;
  #url: URL | undefined = undefined;

  constructor(impl: ServerImpl, hostname: string, id: string) {
    this.#impl = impl;
    this.#hostname = hostname;
    this.#id = id;
    this.#port = impl.unix === undefined ? impl.port : undefined;
    impl.api = this;
  }

  get address(): string | { address: string; family: string; port: number } | null {
    const impl = this.#impl;
    if (impl.socket < 0) return null;
    if (impl.unix !== undefined) return impl.unix;
    const parts = native("net").socketAddress(impl.socket, false)[1];
    return { address: parts![0], family: parts![2] === 6 ? "IPv6" : "IPv4", port: parts![1] };
  }

  get development(): boolean {
    return this.#impl.settings.development;
  }

  get hostname(): string | undefined {
    return this.#impl.unix === undefined ? this.#hostname : undefined;
  }

  get id(): string {
    return this.#id;
  }

  get pendingRequests(): number {
    return this.#impl.pending;
  }

  get pendingWebSockets(): number {
    return this.#impl.sockets;
  }

  get port(): number | undefined {
    return this.#port;
  }

  get protocol(): string {
    return this.#impl.secure ? "https" : "http";
  }

  /** The same object each time. */
  get url(): URL {
    return (this.#url ??= new URL(this.#origin()));
  }

  #origin(): string {
    const { unix, authority } = this.#impl;
    if (unix === undefined) return `${this.protocol}://${authority}/`;
    return unix.startsWith("\0") ? `abstract://${unix.slice(1)}/` : `unix://${unix}`;
  }

  /** Stops listening; with `force` ends what is under way. The promise settles when no connection is left. */
  stop(force: boolean = false): Promise<void> {
    return this.#impl.stop(Boolean(force));
  }

  closeIdleConnections(): void {
    this.#impl.closeIdle();
  }

  /** Replaces handlers, routes and the other options that are no address. */
  reload(options: unknown): this {
    if (typeof options !== "object" || options === null) throw typeError("Not enough arguments");
    const { settings } = this.#impl;
    this.#impl.configure(
      settingsOf({
        fetch: settings.fetch,
        error: settings.error,
        routes: undefined,
        development: settings.developmentOption ?? settings.development,
        app: settings.app,
        idleTimeout: settings.idleTimeout,
        maxRequestBodySize: settings.maxBody,
        websocket: settings.websocket?.handlers,
        ...options,
      }),
    );
    return this;
  }

  /** Has the handler answer a request that came over no network. */
  fetch(input: unknown, init: RequestOptions | undefined = undefined): Promise<unknown> {
    if (arguments.length === 0) return Promise.reject(typeError("fetch() expects a string but received no arguments."));
    try {
      if (typeof input === "string" && input.startsWith("/")) input = new URL(input, this.url).href;
      return this.#impl.fetch(
        typeof input === "object" && input !== null && input instanceof Request ? input : new Request(input, init),
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Address, port and family of the client of a request; null for unix sockets and for clients that have gone. */
  requestIP(request: unknown): { address: string; family: string; port: number } | null {
    return this.#impl.addressOf(request);
  }

  /** How long the connection of a request may be silent, in seconds; 0 for ever. */
  timeout(request: unknown, seconds: unknown): void {
    const connection = incomingOf(request)?.connection;
    if (connection === undefined) return;
    const number = Math.trunc(Number(seconds));
    if (!(number >= 0)) throw typeError("timeout() expects a number of seconds");
    connection.touched = connection.server.now;
    connection.patience = Math.min(number, 255);
  }

  /** Makes a WebSocket of a request: true if it asked for one. `options`: `data` for the socket, `headers` of the answer. */
  upgrade(request: unknown, options: { headers?: unknown; data?: unknown } | null | undefined = undefined): boolean {
    const { websocket } = this.#impl.settings;
    if (websocket === undefined)
      throw new TypeError('To enable websocket support, set the "websocket" object in Bun.serve({})');
    if (arguments.length === 0) throw typeError("upgrade requires a Request object");
    const incoming = incomingOf(request);
    return incoming !== undefined && require("internal/serve/websocket").upgrade(incoming, websocket, options);
  }

  /** Sends to every WebSocket that has subscribed to the topic: bytes, 0 where there is none, -1 where one has to wait. */
  publish(topic: unknown, data: unknown, compress: unknown = undefined): number {
    return require("internal/serve/websocket").publish(this.#impl, topic, data, compress, undefined);
  }

  subscriberCount(topic: unknown): number {
    return this.#impl.topics.get(`${topic}`)?.peers.size ?? 0;
  }

  ref(): this {
    this.#impl.setRef(true);
    return this;
  }

  unref(): this {
    this.#impl.setRef(false);
    return this;
  }

  [Symbol.dispose](): void {
    this.#impl.stop(true);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#impl.stop(true);
  }

  [Symbol.for("nodejs.util.inspect.custom")](_depth: number, options: unknown): string {
    const { inspect } = require("internal/util/inspect");
    const { address, development, hostname, id, pendingRequests, pendingWebSockets, port, protocol, url } = this;
    return `Server ${inspect({ address, development, hostname, id, pendingRequests, pendingWebSockets, port, protocol, url: url.href }, options)}`;
  }
}
for (const name of Object.getOwnPropertyNames(Server.prototype)) {
  if (name !== "constructor") Object.defineProperty(Server.prototype, name, { enumerable: true });
}

/** Ports that are tried where one is free for TCP and not for UDP. */
const PORT_ATTEMPTS = 8;

/** Binds to an address, for HTTP/3 with a datagram socket of the same port: 0 or a negative errno. */
function listenAt(impl: ServerImpl, address: string, port: number, flags: number, http3: boolean): number {
  // Without the other protocols, only the datagram socket listens.
  if (!http3) return impl.listen(address, port, false, flags);
  if (!impl.http1 && !impl.http2) return impl.listenHttp3(address, port, flags);
  let errno = 0;
  for (let i = 0; i < PORT_ATTEMPTS; i++) {
    errno = impl.listen(address, port, false, flags);
    if (errno < 0) return errno;
    errno = impl.listenHttp3(address, impl.port, flags);
    if (errno >= 0) return errno;
    impl.unlisten();
    if (port !== 0 || errno !== UV_EADDRINUSE) break;
  }
  return errno;
}

/** Binds to the addresses that a host name means: 0 or a negative errno. */
function listen(impl: ServerImpl, hostname: string, port: number, flags: number, http3: boolean): number {
  if (hostname === "") {
    // Both families through one socket, where the system has IPv6.
    const errno = listenAt(impl, "::", port, flags, http3);
    return errno === -97 /* EAFNOSUPPORT */ || errno === -99 /* EADDRNOTAVAIL */
      ? listenAt(impl, "0.0.0.0", port, flags, http3)
      : errno;
  }
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  if (isIP(bare)) return listenAt(impl, bare, port, flags, http3);
  if (bare === "localhost") return listenAt(impl, "127.0.0.1", port, flags, http3);
  const found = native("net").getAddrInfoNow(bare, 0, 0);
  let errno = found[0] !== 0 ? -2 /* ENOENT */ : -99; /* EADDRNOTAVAIL */
  for (const address of found[1]) {
    errno = listenAt(impl, address, port, flags, http3);
    if (errno >= 0) break;
  }
  return errno;
}

interface Kept {
  server: Server | undefined;
  load: number;
}
/** With `--hot`: servers that the program finds again when it is loaded anew, by what they are called or where they listen. */
const keptServers = new Map<string, Kept>();

function keptFor(options: { id?: unknown; unix?: unknown; hostname?: unknown; port?: unknown }): Kept {
  const { hot } = require("internal/module/hot");
  const name = options.id || options.unix || `${options.hostname ?? ""}:${options.port ?? ""}`;
  // Several with the same name are told apart by their order.
  for (let i = 0; ; i++) {
    const key = `${name} ${i}`;
    let kept = keptServers.get(key);
    if (kept === undefined) keptServers.set(key, (kept = { server: undefined, load: -1 }));
    if (kept.load === hot.load) continue;
    kept.load = hot.load;
    if (kept.server?.address === null) kept.server = undefined;
    return kept;
  }
}

/** Starts an HTTP server. */
export function serve(options: ServeOptions): Server {
  if ((typeof options !== "object" && typeof options !== "function") || options === null)
    throw typeError("Bun.serve expects an object");
  const settings = settingsOf(options);
  const kept = native("loader").hotClearsScreen() === undefined ? undefined : keptFor(options);
  if (kept?.server !== undefined) return kept.server.reload(options);
  const impl = new ServerImpl(settings);
  impl.http2 = Boolean(options.http2);
  impl.http1 = options.http1 !== false;
  const { hostname: givenHost, reusePort, ipv6Only, tls, id } = options;
  if (typeof givenHost === "string") impl.hostname = givenHost;
  if (tls) {
    if (typeof tls !== "object") throw typeError("TLSOptions must be an object");
    impl.tls = require("internal/serve/tls").certificates(tls, impl.http1, impl.http2);
    impl.secure = impl.tls !== undefined;
  }
  const http3 = Boolean(options.http3);
  if (http3 && impl.tls === undefined) throw typeError("HTTP/3 requires 'tls' to be set");
  if (!impl.http1 && !impl.http2 && !http3) throw typeError("Cannot disable http1 without enabling http2 or http3");
  let errno: number;
  let port = 0;
  const hostname = givenHost === undefined || givenHost === null ? "" : `${givenHost}`;
  const unix = options.unix ? `${options.unix}` : "";
  if (unix !== "") {
    if (hostname !== "") throw typeError("Cannot specify both hostname and unix");
    errno = Buffer.byteLength(unix) > MAX_UNIX ? ENAMETOOLONG : impl.listen(unix, 0, true, 0);
  } else {
    port = portOf(options.port);
    const flags = (ipv6Only ? BIND_IPV6_ONLY : 0) | (reusePort ? BIND_REUSE_PORT : 0);
    errno = listen(impl, hostname, port, flags, http3);
  }
  if (errno < 0) {
    const [code, text] = require("internal/core/errors").uvErrmapGet(errno);
    const where = unix ? `unix socket ${unix}` : `port ${port}`;
    const error: NodeError = new Error(
      code === "EADDRINUSE"
        ? `Failed to start server. Is ${where} in use?`
        : `Failed to listen at ${unix || hostname || "0.0.0.0"}: ${code}, ${text}`,
    );
    error.code = code;
    error.errno = errno;
    error.syscall = "listen";
    throw error;
  }
  if (http3 && unix !== "") process.stderr.write("warn: http3: true with a unix socket — HTTP/3 listener skipped\n");
  const shown = hostname === "" || hostname === "0.0.0.0" || hostname === "::" ? "localhost" : hostname;
  if (impl.unix === undefined) {
    const number = impl.port;
    const host = shown.includes(":") && !shown.startsWith("[") ? `[${shown}]` : shown;
    impl.authority = number === (impl.secure ? 443 : 80) ? host : `${host}:${number}`;
  } else {
    impl.authority = "localhost";
  }
  const server = new Server(
    impl,
    hostname === "" ? "localhost" : hostname,
    id === undefined || id === null ? "" : `${id}`,
  );
  if (kept !== undefined) kept.server = server;
  return server;
}

/** Whether a value is a server. */
export function isServer(value: unknown): boolean {
  return value instanceof Server;
}
