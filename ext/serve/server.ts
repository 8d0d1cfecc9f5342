/** A server of Bun.serve: its listener, its connections, and the way from a request to the handler and back. */
import { captureContext, own, runInContext } from "internal/events/async_context";
import { incomingOf, IncomingRequest, quiet, routeRequest } from "internal/serve/request";
import { ServerConnection, abandon } from "internal/serve/connection";
import { respond, sendPlain } from "internal/serve/respond";
import { Answer, type Fixed, type Handler, Router } from "internal/serve/routes";
import { table } from "internal/net/native";
import { resources } from "internal/process/execution";
import { setUnrefTimeout } from "internal/core/timers";
import { wrapRequest } from "web/request";
import { createResponse, isResponse, responseState } from "web/response";
import type { Http3Connection, Http3Listener } from "internal/serve/http3";
import type { certificates } from "internal/serve/tls";
import type { SocketSettings, Topic } from "internal/serve/websocket";
import type { RequestState } from "web/request";
import type { DevSettings, ServerPages } from "internal/bundle/page_routes";

const net = native("net");
const { promiseDetails } = native("inspect");
/** State of a promise, see promiseDetails. */
const FULFILLED = 1;
const SWEEP = 1000;
const BACKLOG = 511;

/** What has been checked of Bun.serve's options. */
export interface Settings {
  fetch: Handler | undefined;
  routes: { [path: string]: unknown } | undefined;
  error: ((this: unknown, error: unknown) => unknown) | undefined;
  websocket: SocketSettings | undefined;
  development: boolean;
  /** What `development` says of pages, and the option itself. */
  dev: DevSettings;
  developmentOption: unknown;
  /** The option `app`; undefined for none. */
  app: unknown;
  idleTimeout: number;
  maxBody: number;
}

/** Whether routes have an imported page among them, by itself or for a method: an object with the path of its `index`. */
function havePages(routes: { [path: string]: unknown }): boolean {
  const isPage = (value: unknown) =>
    typeof value === "object" && value !== null && typeof (value as { index?: unknown }).index === "string";
  return Object.values(routes).some(
    (value) => isPage(value) || (typeof value === "object" && value !== null && Object.values(value).some(isPage)),
  );
}

export class ServerImpl {
  /** What programs see. */
  declare api: unknown;
  declare settings: Settings;
  declare router: Router | undefined;
  declare fetchHandler: Handler | undefined;
  /** The async context in which the handlers were given: they run in it, as in Bun. */
  declare handlerContext: unknown;
  /** Connections of HTTP/1 and HTTP/2 that are open: those of the table of sockets that belong to this server. */
  declare open: number;
  /** Those of HTTP/3. */
  declare quic: Set<Http3Connection>;
  /** Number of the listener, -1 when closed. */
  declare id: number;
  declare context: undefined;
  declare onclose: undefined;
  declare unix: string | undefined;
  declare secure: boolean;
  /** Whether clients may speak HTTP/2. */
  declare http2: boolean;
  /** Whether they may speak HTTP/1.1. */
  declare http1: boolean;
  /** Where they speak HTTP/3. */
  declare http3: Http3Listener | undefined;
  /** The Alt-Svc header that tells the others of it, with its end of line; "" for none. */
  declare altSvc: string;
  /** Certificates: `requestCert`, and `choose(socket, name)` for a ClientHello. */
  declare tls: ReturnType<typeof certificates>;
  declare maxBody: number;
  /** In sweeps; 0 for none. */
  declare idleTimeout: number;
  /** Counts sweeps. */
  declare now: number;
  declare sweeping: boolean;
  declare pending: number;
  declare sockets: number;
  /** Those who have subscribed to a topic. */
  declare topics: Map<string, Topic>;
  declare stopping: boolean;
  declare refed: boolean;
  /** Host and port for URLs of requests that name none. */
  declare authority: string;
  /** Pages among the routes. */
  declare pages: ServerPages | undefined;
  /** The option `hostname`. */
  declare hostname: string | undefined;
  declare stopped: { promise: Promise<void>; resolve: () => void } | undefined;

  constructor(settings: Settings) {
    this.open = 0;
    this.quic = new Set();
    this.id = -1;
    this.context = undefined;
    this.onclose = undefined;
    this.unix = undefined;
    this.secure = false;
    this.http2 = false;
    this.http1 = true;
    this.http3 = undefined;
    this.altSvc = "";
    this.tls = undefined;
    this.now = 0;
    this.sweeping = false;
    this.pending = 0;
    this.sockets = 0;
    this.topics = new Map();
    this.stopping = false;
    this.refed = true;
    this.authority = "";
    this.stopped = undefined;
    this.pages = undefined;
    this.hostname = undefined;
    this.configure(settings);
  }

  configure(settings: Settings): void {
    this.settings = settings;
    let { routes } = settings;
    // The list of an app of Hono, which is exported as it is; Bun passes it over, too.
    if (Array.isArray(routes)) routes = undefined;
    const hasPages = routes !== undefined && (this.pages !== undefined || havePages(routes));
    if (hasPages || settings.app !== undefined) {
      const { ServerPages } = require("internal/bundle/page_routes");
      routes = (this.pages ??= new ServerPages(this) as ServerPages).routesOf(routes ?? {});
    }
    this.router = routes === undefined ? undefined : new Router(routes);
    this.fetchHandler = settings.fetch;
    this.handlerContext = captureContext();
    this.maxBody = settings.maxBody;
    this.idleTimeout = settings.idleTimeout;
  }

  /** Begins to listen: 0 or a negative errno. `address` is an IP address, or the path of a socket if `unix`. */
  listen(address: string, port: number, unix: boolean, flags: number): number {
    const id: number = unix ? net.bindUnix(address) : net.bindTcp(address, port, flags);
    if (id < 0) return id;
    const errno = net.listen(id, BACKLOG);
    if (errno < 0) {
      net.close(id, false);
      return errno;
    }
    this.id = id;
    table[id] = this;
    if (resources.made !== undefined) resources.made(this);
    own(this, (server) => server.abandon());
    if (unix) this.unix = address;
    return 0;
  }

  /** Gives the listener up again, before anybody knows of it. */
  unlisten(): void {
    net.close(this.id, false);
    this.id = -1;
  }

  /** Begins to listen for HTTP/3: 0 or a negative errno. */
  listenHttp3(address: string, port: number, flags: number): number {
    const { Http3Listener } = require("internal/serve/http3");
    const listener = Http3Listener.listen(this, address, port, flags);
    if (typeof listener === "number") return listener;
    this.http3 = listener;
    // A day, as in Bun.
    if (this.id >= 0) this.altSvc = `h3=":${listener.port}"; ma=86400`;
    return 0;
  }

  /** Number of what listens, -1 when closed. */
  get socket(): number {
    return this.id >= 0 ? this.id : (this.http3?.id ?? -1);
  }

  /** Port of the listener. */
  get port(): number {
    if (this.id < 0) return this.http3!.port;
    return net.socketAddress(this.id, false)[1]![1];
  }

  // Called from native code.
  connection(errno: number, id: number): void {
    if (errno !== 0) return;
    if (this.stopping) {
      net.close(id, false);
      return;
    }
    try {
      new ServerConnection(this, id);
      if (!this.refed) net.setRef(id, false);
      this.keepSweeping();
    } catch (error) {
      this.broken(table[id] instanceof ServerConnection ? table[id] : { close: () => net.close(id, false) }, error);
    }
  }

  /** A connection of HTTP/3 has come. */
  adopt(connection: Http3Connection): void {
    this.quic.add(connection);
    this.keepSweeping();
  }

  /** It has gone. */
  dropped(connection: Http3Connection): void {
    this.quic.delete(connection);
    this.connectionClosed();
  }

  private keepSweeping(): void {
    if (this.sweeping || !this.hasConnections()) return;
    setUnrefTimeout(() => {
      try {
        this.sweep();
      } catch (error) {
        this.report(error);
      }
      try {
        this.keepSweeping();
      } catch (error) {
        // The next connection begins again.
        this.report(error);
      }
    }, SWEEP);
    this.sweeping = true;
  }

  private sweep(): void {
    this.sweeping = false;
    this.now++;
    this.forEach((connection) => {
      try {
        this.visit(connection);
      } catch (error) {
        this.broken(connection, error);
      }
    });
  }

  private hasConnections(): boolean {
    return this.open > 0 || this.quic.size > 0;
  }

  /**
   * Calls a function with every connection. It may close any of them. No list of them is kept: an entry of a set would take a tenth
   * of the memory of a connection that waits for a request.
   */
  private forEach(visit: (connection: ServerConnection | Http3Connection) => void): void {
    for (let id = 0; id < table.length; id++) {
      const connection: unknown = table[id];
      // One that is closed stays in the table until the system has taken its socket back.
      if (connection instanceof ServerConnection && connection.server === this && connection.id === id)
        visit(connection);
    }
    for (const connection of [...this.quic]) visit(connection);
  }

  /** Looks at what a connection has done since the last sweep. */
  private visit(connection: ServerConnection | Http3Connection): void {
    if (connection instanceof ServerConnection && connection.gathered > 0) {
      const count = net.byteCounts(connection.id)[0];
      if (count !== connection.gathered) connection.touched = this.now;
      connection.gathered = count;
    }
    if (connection instanceof ServerConnection && connection.sending > 0) {
      const count = net.byteCounts(connection.id)[1];
      if (count !== connection.sending) connection.touched = this.now;
      connection.sending = count;
    }
    const heard = connection.socket?.addressed ?? 0;
    if (heard > connection.touched) connection.touched = heard;
    const silent = this.now - connection.touched;
    if (connection.ending) {
      if (silent > 2) connection.close();
    } else if (connection.patience > 0 && silent > connection.patience) {
      if (connection.socket === undefined) connection.close();
      else connection.socket.silent();
    } else {
      connection.socket?.beat(silent);
    }
  }

  // ---- requests

  dispatch(request: IncomingRequest): void {
    const { handlerContext } = this;
    if (handlerContext === undefined) this.handle(request);
    else runInContext(handlerContext, this.handle, this, [request]);
  }

  private handle(request: IncomingRequest): void {
    this.pending++;
    const { router } = this;
    let result: unknown;
    try {
      if (router !== undefined) {
        const answer = router.find(request.method, request.path);
        // A file that is not there leaves the request to the handler.
        if (answer !== undefined && this.answer(request, answer, router.params)) return;
      }
      const { fetchHandler } = this;
      if (fetchHandler === undefined) {
        respond(request, createResponse({ status: 404 }));
        return;
      }
      result = fetchHandler.call(this.api, wrapRequest(request as IncomingRequest & RequestState), this.api);
    } catch (error) {
      this.failed(request, error);
      return;
    }
    this.settle(request, result);
  }

  /** False: the route has no answer after all. */
  private answer(request: IncomingRequest, answer: Answer, params: Record<string, string> | undefined): boolean {
    const { fixed, handler } = answer;
    if (fixed !== undefined) {
      this.sendFixed(request, fixed);
      return true;
    }
    if (handler === undefined) {
      if (answer.file !== undefined) return require("internal/serve/file_routes").sendStoredFile(request, answer.file);
      answer.directory!.send(request, request.path);
      return true;
    }
    request.params = params;
    this.settle(request, handler.call(this.api, routeRequest(request), this.api));
    return true;
  }

  private sendFixed(request: IncomingRequest, { response, body, etag }: Fixed): void {
    const { text } = request;
    // Looked at closely only where one of these names occurs.
    if (
      etag === undefined ||
      (request.method !== "GET" && request.method !== "HEAD") ||
      (!text.includes("one-Match") && !text.includes("one-match"))
    ) {
      if (sendPlain(request, response, body)) return;
    }
    const state = responseState(response);
    const { Body } = require("internal/fetch/body");
    if (etag !== undefined && (request.method === "GET" || request.method === "HEAD")) {
      const wanted = request.header("if-none-match");
      if (wanted !== undefined && require("internal/serve/file_routes").matchesTag(wanted, etag)) {
        respond(request, createResponse({ status: 304, list: state.list }));
        return;
      }
    }
    respond(
      request,
      createResponse({
        status: state.status,
        statusText: state.statusText,
        list: state.list,
        body: body === undefined ? null : new Body(body),
      }),
    );
  }

  private settle(request: IncomingRequest, result: unknown): void {
    try {
      this.take(request, result);
    } catch (error) {
      this.failed(request, error);
    }
  }

  private take(request: IncomingRequest, result: unknown): void {
    if (isResponse(result)) {
      respond(request, result);
    } else if (typeof (result as PromiseLike<unknown> | undefined)?.then === "function") {
      // An async handler that has awaited nothing is answered at once.
      const details = promiseDetails(result);
      if (
        details !== undefined &&
        details[0] === FULFILLED &&
        typeof (details[1] as { then?: unknown })?.then !== "function"
      )
        this.settle(request, details[1]);
      else
        (result as PromiseLike<unknown>).then(
          (value) => this.settle(request, value),
          (error: unknown) => this.failed(request, error),
        );
    } else if (!request.upgraded && !request.done) {
      // As in Bun: a handler that returns nothing has nothing to say.
      respond(request, createResponse({ status: 204 }));
    }
  }

  /** A handler has thrown, or its response cannot be sent. */
  failed(request: IncomingRequest, error: unknown): void {
    try {
      this.fail(request, error);
    } catch (another) {
      this.broken(request.connection, another);
    }
  }

  private fail(request: IncomingRequest, error: unknown): void {
    const { error: handler } = this.settings;
    // The client has a part of an answer: it must not take what comes now for the rest.
    if (request.begun || (request.upgraded && !request.done)) {
      this.broken(request.connection, error);
      return;
    }
    if (request.done) {
      if (!request.upgraded) return;
      this.report(error);
      return;
    }
    if (handler === undefined) {
      this.refuse(request, error);
      return;
    }
    const settle = (result: unknown) => {
      if (!isResponse(result)) {
        this.refuse(request, error);
        return;
      }
      try {
        respond(request, result);
      } catch (another) {
        this.refuse(request, another);
      }
    };
    try {
      const result = handler.call(this.api, error) as PromiseLike<unknown> | undefined;
      if (typeof result?.then === "function") result.then(settle, (another) => this.refuse(request, another));
      else settle(result);
    } catch (another) {
      this.refuse(request, another);
    }
  }

  private refuse(request: IncomingRequest, error: unknown): void {
    this.report(error);
    if (request.done) return;
    try {
      const { errorResponse } = require("internal/serve/error_page");
      respond(request, errorResponse(error as NodeError, this.settings.development));
    } catch (another) {
      this.broken(request.connection, another);
    }
  }

  /**
   * A mistake of the server itself while it answers: that costs the client its connection (or stream), and nobody else anything.
   * No client may end the process by what it sends.
   */
  broken(connection: { close(): void }, error: unknown): void {
    try {
      this.report(error);
    } catch {
      // What went wrong in saying so is said by nobody.
    }
    try {
      connection.close();
    } catch (another) {
      this.report(another);
    }
  }

  /** Says on standard error what went wrong. */
  report(error: unknown): void {
    native("loader").report(error);
  }

  /** A request has got its response, or never will. */
  settled(): void {
    this.pending--;
  }

  connectionClosed(): void {
    if (this.stopping && !this.hasConnections()) this.allClosed();
  }

  private allClosed(): void {
    this.http3?.close();
    this.stopped?.resolve();
  }

  // ---- the end

  /** Listens no longer; connections end when their requests are answered, or at once with `force`. */
  stop(force: boolean): Promise<void> {
    this.stopping = true;
    this.pages?.close();
    if (this.stopped === undefined) {
      let resolve!: () => void;
      const promise = new Promise<void>((done) => (resolve = done));
      this.stopped = { promise, resolve };
    }
    if (this.id >= 0) {
      const { id } = this;
      this.id = -1;
      net.close(id, false);
      if (this.unix !== undefined && !this.unix.startsWith("\0")) {
        try {
          require("node:fs").unlinkSync(this.unix);
        } catch {
          // Somebody else has taken it away.
        }
      }
    }
    this.http3?.refuse();
    this.forEach((connection) => {
      if (force && connection.socket !== undefined) connection.socket.stopped();
      else if (force || (connection.current === undefined && connection.socket === undefined)) connection.close();
      else connection.h2?.retire();
    });
    if (!this.hasConnections()) this.allClosed();
    return this.stopped.promise;
  }

  /** Ends at once and calls no handler: the graph of modules that it belongs to is disposed. */
  private abandon(): void {
    quiet.isOn = true;
    try {
      this.forEach((connection) => {
        if (connection instanceof ServerConnection) abandon(connection);
        else connection.close();
      });
      void this.stop(true);
    } finally {
      quiet.isOn = false;
    }
  }

  closeIdle(): void {
    this.forEach((connection) => {
      if (connection.current === undefined && connection.receiving === undefined && connection.socket === undefined)
        connection.close();
    });
  }

  setRef(on: boolean): void {
    this.refed = on;
    if (this.id >= 0) net.setRef(this.id, on);
    this.http3?.setRef(on);
    this.forEach((connection) => {
      if (connection.id >= 0) net.setRef(connection.id, on);
    });
  }

  /** Handles a request without a network: as in Bun by the fetch handler, where there is one. */
  async fetch(request: Request): Promise<unknown> {
    const response = await this.ask(request);
    if (isResponse(response)) {
      const state = responseState(response);
      if (state.url === "") state.url = request.url;
    }
    return response;
  }

  /** Answers a request that no route has. */
  answerOther(request: Request): Promise<Response> {
    if (this.fetchHandler === undefined) return Promise.resolve(createResponse({ status: 404 }));
    return Promise.resolve(this.fetchHandler.call(this.api, request, this.api)) as Promise<Response>;
  }

  private ask(request: Request): Promise<unknown> {
    const answer =
      this.fetchHandler !== undefined
        ? undefined
        : this.router?.find(request.method, request.url.slice(request.url.indexOf("/", request.url.indexOf("//") + 2)));
    const given = (response: Response) => {
      const state = responseState(response);
      return createResponse({
        ...state,
        list: state.list.copy(),
        headers: undefined,
        body: state.body === null ? null : state.body.clone(),
      });
    };
    try {
      if (answer?.fixed !== undefined) return Promise.resolve(given(answer.fixed.response));
      if (answer?.file !== undefined) return Promise.resolve(given(answer.file));
      if (answer?.directory !== undefined)
        throw new Error("bao: server.fetch() of a directory route is not implemented: ask over the network");
      if (answer !== undefined) {
        Object.defineProperty(request, "params", {
          value: this.router!.params ?? {},
          configurable: true,
          enumerable: true,
          writable: true,
        });
        return Promise.resolve(answer.handler!.call(this.api, request, this.api));
      }
      return this.answerOther(request);
    } catch (error) {
      const { error: handler } = this.settings;
      if (handler === undefined) return Promise.reject(error);
      return Promise.resolve(handler.call(this.api, error));
    }
  }

  private peerOf(id: number) {
    const parts = this.http3 === undefined ? undefined : net.h3Address(id);
    return parts === undefined ? net.socketAddress(id, true) : ([0, parts] as const);
  }

  /** `{ address, port, family }` of the client, or null. */
  addressOf(request: unknown): { address: string; family: string; port: number } | null {
    const { connection } = incomingOf(request) ?? {};
    if (connection === undefined || connection.closed || this.unix !== undefined) return null;
    const { 0: errno, 1: parts } = this.peerOf(connection.id);
    if (errno !== 0 || parts === undefined) return null;
    return { address: parts![0], family: parts![2] === 6 ? "IPv6" : "IPv4", port: parts![1] };
  }
}
