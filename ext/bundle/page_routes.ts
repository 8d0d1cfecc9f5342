// The routes of Bun.serve with their pages turned into handlers: of the development server, or of pages that are built once.
import path from "node:path";
import { notImplemented } from "bun/util";
import { HTMLBundle, isPage } from "internal/bundle/html_bundle";
import type { Manifest } from "internal/bundle/html_bundle";
import { BuildFailure, buildPage, readPage, responseOf } from "internal/bundle/static_pages";
import type { StaticPage } from "internal/bundle/static_pages";
import { incomingOf } from "internal/serve/request";
import type { Handler, Router } from "internal/serve/routes";
import type { DevServer, Page } from "internal/bundle/dev/server";

const { relative } = path;

/** What a server of Bun.serve says of itself. */
interface ServerOfPages {
  router: Router | undefined;
  pages: ServerPages | undefined;
  settings: { development: boolean; dev: DevSettings; app: unknown };
  /** Calls the program's handler for a request that no route has. */
  answerOther(request: Request): Promise<Response>;
  hostname: string | undefined;
}

/** The option `development` as an object. */
export interface DevSettings {
  hmr: boolean;
  console: boolean;
  workspace: boolean;
}

type Routes = { [path: string]: unknown };

/** The pages of one server: they outlive a change of its routes. */
export class ServerPages {
  readonly #server: ServerOfPages;
  #dev: DevServer | undefined;
  /** The option `app` that the development server was made with. */
  #app: unknown;
  #byHandler = new WeakMap<Handler, Page>();
  /** Handlers by page, and the files of those that have been built. */
  #handlers = new Map<unknown, Handler>();
  #files = new Map<string, Handler>();

  constructor(server: ServerOfPages) {
    this.#server = server;
  }

  /** Routes without pages. */
  routesOf(routes: Routes): Routes {
    const { development, dev, app } = this.#server.settings;
    const isHot = development && dev.hmr;
    if (this.#dev !== undefined && app !== this.#app) this.#replaceDev();
    const made: Routes = {};
    if (this.#server.settings.app !== undefined) this.#addApp(made, isHot);
    for (const { 0: path, 1: value } of Object.entries(routes)) made[path] = this.#routeOf(path, value, isHot);
    if (this.#dev !== undefined) this.#addInternal(made);
    for (const { 0: path, 1: handler } of this.#files) made[path] ??= handler;
    return made;
  }

  #routeOf(path: string, value: unknown, isHot: boolean): unknown {
    if (isPage(value)) return this.#handlerOf(value, isHot);
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    const entries = Object.entries(value);
    if (!entries.some(([, inner]) => isPage(inner))) return value;
    if (isHot) {
      throw new TypeError(
        `Bun.serve: the route '${path}' has a page for some methods, which the development server does not have. ` +
          "Make the page the whole route, or set `development: false`.",
      );
    }
    return Object.fromEntries(
      entries.map(([method, inner]) => [method, isPage(inner) ? this.#handlerOf(inner, false) : inner]),
    );
  }

  #handlerOf(value: HTMLBundle | Manifest, isHot: boolean): Handler {
    const key = value instanceof HTMLBundle ? `${isHot}:${value.index}` : value;
    let handler = this.#handlers.get(key);
    if (handler === undefined) {
      handler = !(value instanceof HTMLBundle)
        ? this.#ready(readPage(value))
        : isHot
          ? this.#hot(value.index)
          : this.#lazy(value.index);
      this.#handlers.set(key, handler);
    }
    return handler;
  }

  /** The routes of an app: whatever no other route has. */
  #addApp(routes: Routes, isHot: boolean): void {
    if (!isHot) {
      throw notImplemented(
        "the option `app` of Bun.serve with `development: false` or `hmr: false`; it works with `development: true`",
      );
    }
    const dev = this.#devServer();
    routes["/*"] = async (request: Request) => (await dev.answerApp(request)) ?? this.#server.answerOther(request);
  }

  #devServer(): DevServer {
    const server = this.#server;
    const { settings } = server;
    if (this.#dev === undefined) {
      const { DevServer } = require("internal/bundle/dev/server");
      const pageOf = (path: string) => {
        const handler = this.#server.router?.find("GET", path)?.handler;
        return handler === undefined ? undefined : this.#byHandler.get(handler);
      };
      const { console, workspace } = settings.dev;
      const host = {
        pageOf,
        get hostname() {
          return server.hostname;
        },
        app: settings.app,
      };
      this.#dev = new DevServer(host, { console, workspace }) as DevServer;
      this.#app = settings.app;
    }
    return this.#dev;
  }

  /** A development server for another app in place of the one that is there, which stays if the app's options have a mistake. */
  #replaceDev(): void {
    const old = this.#dev!;
    this.#dev = undefined;
    try {
      this.#devServer();
    } catch (error) {
      this.#dev = old;
      throw error;
    }
    this.#handlers.clear();
    this.#byHandler = new WeakMap();
    old.reloadPages();
    old.close();
  }

  /** A page of the development server. */
  #hot(index: string): Handler {
    const dev = this.#devServer();
    const page = dev.page(index);
    const handler = ((request: Request) => dev.answer(page, request)) as unknown as Handler;
    this.#byHandler.set(handler, page);
    return handler;
  }

  /** The routes that pages use for themselves. */
  #addInternal(routes: Routes): void {
    const requests = require("internal/bundle/dev/requests");
    const { INTERNAL_PATHS, WORKSPACE_PATH, answerInternal, crossSiteRefusal, refusalOf } = requests;
    const dev = this.#dev!;
    const handler = (request: Request) => answerInternal(dev, request);
    for (const path of INTERNAL_PATHS) routes[path] = handler;
    if (dev.options.workspace) routes[WORKSPACE_PATH] ??= handler;
    const { socketSettings, upgrade } = require("internal/serve/websocket");
    const settings = socketSettings(dev.sockets);
    routes["/_bun/hmr"] = (request: Request) => {
      const refusal = refusalOf(dev, request) ?? crossSiteRefusal(request);
      if (refusal !== undefined) return refusal;
      const incoming = incomingOf(request);
      if (incoming !== undefined && upgrade(incoming, settings, undefined)) return undefined;
      return new Response("expected a WebSocket\n", { status: 426 });
    };
  }

  /** A page that is built when somebody first asks for it. */
  #lazy(index: string): Handler {
    let building: Promise<StaticPage> | undefined;
    return (async (request: Request) => {
      const { development } = this.#server.settings;
      try {
        const { page } = await (building ??= this.#build(index, development));
        return responseOf(page, request, development);
      } catch (error) {
        // The next one who asks tries again.
        building = undefined;
        return failure(error, development);
      }
    }) as unknown as Handler;
  }

  async #build(index: string, development: boolean): Promise<StaticPage> {
    const made = await buildPage(index, development);
    this.#addFiles(made);
    return made;
  }

  #ready(made: StaticPage): Handler {
    this.#addFiles(made);
    return ((request: Request) => responseOf(made.page, request, false)) as unknown as Handler;
  }

  #addFiles({ files }: StaticPage): void {
    for (const { 0: path, 1: file } of files) {
      const handler = ((request: Request) =>
        responseOf(file, request, this.#server.settings.development)) as unknown as Handler;
      this.#files.set(path, handler);
      this.#server.router?.add(path, handler);
    }
  }

  close(): void {
    this.#dev?.close();
  }
}

/** What a client gets of a page that cannot be built. */
function failure(error: unknown, development: boolean): Response {
  if (error instanceof BuildFailure) require("internal/bundle/dev/terminal").printProblems(problemsOf(error));
  else native("loader").report(error);
  return require("internal/serve/error_page").errorResponse(error as NodeError, development);
}

function problemsOf({ messages }: BuildFailure) {
  return messages.map(({ level, text, position, notes }) => ({
    file: position === null ? "" : relative(process.cwd(), position.file),
    level: level === "error" ? ("error" as const) : ("warn" as const),
    text,
    line: position?.line ?? 0,
    column: position?.column ?? 0,
    length: position?.length ?? 1,
    lineText: position?.lineText ?? "",
    notes,
  }));
}
