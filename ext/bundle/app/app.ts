// An app of Bun.serve in development: routes out of files, whose modules run in this process and are replaced when they change.
//
// The modules of the server are a graph of their own, and those with "use client" have a third one if the framework wants it; both
// run in one registry, which is the one of browsers with another end (native/client/server.js). A route is loaded when somebody
// first asks for it. Its page has what the browser needs: the framework's entry point and the modules with "use client".
import path from "node:path";
import { check } from "internal/bundle/options";
import { Graph, MADE } from "internal/bundle/dev/graph";
import { chunkOf, placeIn } from "internal/bundle/dev/chunks";
import { printProblems } from "internal/bundle/dev/terminal";
import { findRoutes, matchRoute } from "internal/bundle/app/routes";
import type { AppOptions, Side } from "internal/bundle/app/options";
import type { AppRoute, Params } from "internal/bundle/app/routes";
import type { Chunk } from "internal/bundle/dev/chunks";
import type { Module, Problem } from "internal/bundle/dev/module";
import type { Page } from "internal/bundle/dev/server";
import type { Plugins } from "internal/bundle/plugins";
import type { NativeOptions } from "internal/bundle/types";

const { dirname, join, relative, resolve } = path;

const ops = native("bundle");

/** What the app needs of the development server. */
interface Host {
  readonly root: string;
  page(path: string): Page;
  /** Waits until the page and the modules of the server that it needs are there; looks at the page's problems. */
  prepare(page: Page): Promise<void>;
  /** The answer for a request that must not have one of the development server's. */
  refusal(request: Request): Response | undefined;
  /** The answer for a page with problems. */
  refuse(page: Page): Response;
  /** The URLs of the page's script and style sheets. */
  urlsOf(page: Page): { script: string; styles: string[] };
}

/** The registry of native/client/server.js. */
interface Registry {
  load(id: string): Promise<{ [name: string]: unknown }>;
  replace(definitions: object, gone: string[]): void;
}

interface Bundle {
  route: AppRoute;
  page: Page;
}

interface Manifests {
  serverManifest: { [id: string]: { id: string; name: string; chunks: [] } };
  ssrManifest: { [id: string]: { [name: string]: { specifier: string; name: string } } };
  actionManifest: undefined;
}

/** The module `bun:bake/client`: its callback stands for the reload of the page when the server has changed. */
const CLIENT_MODULE =
  'export async function onServerSideReload(callback) { globalThis[Symbol.for("bun:bake")] = callback; }';

/** Scripts whose lines are kept for stacks. */
const MAX_CHUNKS = 200;

export class App {
  readonly options: AppOptions;
  readonly #host: Host;
  #graphs: { client: Graph; server: Graph; ssr: Graph | undefined } | undefined;
  #routes: AppRoute[] = [];
  folders = new Set<string>();
  readonly #bundles = new Map<string, Bundle>();
  #registry: Registry | undefined;
  /** Versions of the modules that the registry has, and the scripts that they came in, by id. */
  readonly #known = new Map<string, { version: number; chunk: string }>();
  readonly #chunks = new Map<string, Chunk>();
  #count = 0;
  readonly #manifests: Manifests = { serverManifest: {}, ssrManifest: {}, actionManifest: undefined };

  constructor(host: Host, options: AppOptions) {
    this.#host = host;
    this.options = options;
    this.scan();
  }

  /** Looks for routes anew. */
  scan(): void {
    const problems: Problem[] = [];
    const { routes, folders } = findRoutes(this.options.types, (file, { message }) => {
      const shown = relative(this.#host.root, file);
      const place = { line: 0, column: 0, length: 1, lineText: "", notes: [] };
      problems.push({ file: shown, level: "error", text: message, ...place });
    });
    if (problems.length !== 0) printProblems(problems);
    this.#routes = routes;
    this.folders = folders;
    for (const { 0: file, 1: bundle } of this.#bundles) {
      const route = routes.find(({ page }) => page === file);
      if (route === undefined) {
        this.#bundles.delete(file);
        // The page is found again by its path if the file comes back.
        bundle.page.module = bundle.page.loading = bundle.page.server = undefined;
      } else bundle.route = route;
    }
  }

  /** The graphs of the server, made beside that of the client. */
  makeGraphs(options: (side: Side) => NativeOptions, plugins: Plugins): Graph {
    const other = (side: Side) => this.#graphs?.[side];
    const make = (side: Side) => {
      const graph = new Graph(this.#host.root, options(side), plugins, { side, app: this.options, other });
      graph.made.set(`${MADE}bun:bake/client`, CLIENT_MODULE);
      return graph;
    };
    const ssr = this.options.components?.isSeparate === true ? make("ssr") : undefined;
    this.#graphs = { client: make("client"), server: make("server"), ssr };
    return this.#graphs.client;
  }

  /** The options of a graph; `base`: what all graphs have. */
  graphOptions(side: Side, base: { env: unknown; define: object }): NativeOptions {
    const own = this.options.graphOptions(side);
    const conditions = [...own.conditions];
    if (side === "server" && this.options.components !== undefined) conditions.push("react-server");
    return check({
      entrypoints: ["."],
      target: side === "client" ? "browser" : "bun",
      env: base.env,
      define: { ...base.define, ...own.define },
      loader: own.loader,
      conditions,
    }).native;
  }

  /** The graphs of modules that run in this process. */
  get serverGraphs(): Graph[] {
    if (this.#graphs === undefined) return [];
    return this.#graphs.ssr === undefined ? [this.#graphs.server] : [this.#graphs.server, this.#graphs.ssr];
  }

  /** The page of a path, if it has been asked for. */
  pageOf(pathname: string): Page | undefined {
    const found = matchRoute(this.#routes, pathname);
    return found === undefined ? undefined : this.#bundles.get(found.route.page)?.page;
  }

  /** Answers a request; undefined if no route has its path. */
  async answer(request: Request): Promise<Response | undefined> {
    const { pathname } = new URL(request.url);
    const file = this.#staticFile(pathname);
    const found = file === undefined ? matchRoute(this.#routes, pathname) : undefined;
    if (file === undefined && found === undefined) return undefined;
    const refusal = this.#host.refusal(request);
    if (refusal !== undefined) return refusal;
    if (found === undefined) return new Response(file);
    const { route, params } = found;
    let bundle = this.#bundles.get(route.page);
    if (bundle === undefined) {
      bundle = { route, page: this.#host.page(`app:${relative(this.#host.root, route.page)}`) };
      bundle.page.app = () => this.#loadRoute(bundle!);
      this.#bundles.set(route.page, bundle);
    }
    const { page } = bundle;
    await this.#host.prepare(page);
    if (page.problems.length !== 0) return this.#host.refuse(page);
    try {
      return await this.#render(bundle, params, request);
    } catch (error) {
      this.#mapStack(error);
      throw error;
    }
  }

  /** A file of the folders that are served as they are. */
  #staticFile(pathname: string): Blob | undefined {
    for (const { prefix, folder } of this.options.statics) {
      if (prefix !== "/" && !pathname.startsWith(`${prefix}/`)) continue;
      let name: string;
      try {
        name = decodeURIComponent(pathname.slice(prefix === "/" ? 0 : prefix.length));
      } catch {
        return undefined;
      }
      const place = join(folder, name);
      if (name.includes("\0") || !place.startsWith(`${folder}/`)) continue;
      const stats = require("node:fs").statSync(place, { throwIfNoEntry: false });
      if (stats?.isFile() === true) return Bun.file(place);
    }
    return undefined;
  }

  /** Loads the modules of a route: what runs here becomes the page's `server`, and the page's module is what the browser runs. */
  async #loadRoute({ route, page }: Bundle): Promise<void> {
    const { client, server, ssr } = this.#graphs!;
    const roots = [await server.entry(route.type.serverEntryPoint)];
    for (const file of [route.page, ...route.layouts]) roots.push(await server.entry(file));
    for (const root of roots) await server.settle(root);
    const all = new Set<Module>();
    const sheets: Module[] = [];
    for (const root of roots) {
      const reached = server.reachable(root);
      for (const one of reached.all) all.add(one);
      for (const sheet of reached.sheets) if (!sheets.includes(sheet)) sheets.push(sheet);
    }
    const boundaries = [...all].filter(({ isBoundary }) => isBoundary);
    const specifiers = boundaries.map(({ key }) => key);
    const { clientEntryPoint } = route.type;
    if (clientEntryPoint !== undefined) specifiers.push(clientEntryPoint);
    if (ssr !== undefined) {
      for (const { key } of boundaries) {
        const module = await ssr.entry(key);
        await ssr.settle(module);
        for (const one of ssr.reachable(module).all) all.add(one);
      }
    }
    this.#noteBoundaries(boundaries);
    page.server = { roots, all, sheets };
    const text = specifiers.map((specifier) => `import ${JSON.stringify(specifier)};\n`).join("");
    page.module = await client.takeMade(`route:${relative(this.#host.root, route.page)}`, text);
    await client.settle(page.module);
  }

  /** What the manifests say of modules with "use client". */
  #noteBoundaries(boundaries: readonly Module[]): void {
    const { serverManifest, ssrManifest } = this.#manifests;
    const isSeparate = this.options.components?.isSeparate === true;
    for (const { id, exports } of boundaries) {
      for (const name of Object.keys(ssrManifest[id] ?? {})) delete serverManifest[`${id}#${name}`];
      const entries: Manifests["ssrManifest"][string] = {};
      for (const name of exports) {
        serverManifest[`${id}#${name}`] = { id, name, chunks: [] };
        entries[name] = { specifier: isSeparate ? `ssr:${id}` : id, name };
      }
      ssrManifest[id] = entries;
    }
  }

  /** Gives the registry the new versions of modules. */
  sync(): void {
    const fresh: Module[] = [];
    const there = new Set<string>();
    for (const graph of this.serverGraphs) {
      for (const module of graph.modules.values()) {
        there.add(module.id);
        if (module.problems.length === 0 && this.#known.get(module.id)?.version !== module.version) fresh.push(module);
      }
    }
    const gone = [...this.#known.keys()].filter((id) => !there.has(id));
    if (fresh.length === 0 && gone.length === 0) return;
    for (const id of gone) this.#known.delete(id);
    const name = `bao:app/${++this.#count}.js`;
    for (const { id, version } of fresh) this.#known.set(id, { version, chunk: name });
    const chunk = chunkOf("({\n", fresh, "})", ",__filename,__dirname");
    this.#chunks.set(name, chunk);
    if (this.#chunks.size > MAX_CHUNKS) {
      // Those that modules still run from stay.
      const used = new Set([...this.#known.values()].map(({ chunk: of }) => of));
      for (const old of this.#chunks.keys()) if (!used.has(old)) this.#chunks.delete(old);
    }
    const { Script } = require("node:vm");
    const definitions = new Script(chunk.text, { filename: name }).runInThisContext() as object;
    (this.#registry ??= this.#makeRegistry()).replace(definitions, gone);
  }

  #makeRegistry(): Registry {
    const { createRequire } = require("node:module");
    const { pathToFileURL } = require("node:url");
    const { root } = this.#host;
    const requireFrom = createRequire(join(root, "x"));
    // Ids are paths from the root; those of the third graph have a prefix.
    const pathOf = (id: string) => resolve(root, id.replace(/^ssr:/, "").replace(/\?[^/]*$/, ""));
    const config = {
      require: (id: string) => (id === "bun:bake/server" ? this.#manifests : requireFrom(id)),
      import: (specifier: string, importer: string) => import(Bun.resolveSync(specifier, dirname(importer))),
      resolve: (specifier: string, importer: string) => {
        const { isBuiltin } = require("node:module");
        return isBuiltin(specifier) ? specifier : pathToFileURL(Bun.resolveSync(specifier, dirname(importer))).href;
      },
      report: (error: unknown) => native("loader").report(error),
      urlOf: (file: string) => pathToFileURL(file).href,
      env: process.env,
      dirname,
      pathOf,
    };
    // The text is bao's own.
    // oxlint-disable-next-line no-new-func
    const make = new Function("config", "modules", ops.devServerModules()) as (
      config: object,
      modules: object,
    ) => Registry;
    return make(config, { __proto__: null });
  }

  async #render({ page }: Bundle, params: Params | null, request: Request): Promise<Response> {
    const [entry, ...files] = page.server!.roots.map(({ id }) => id);
    const { render } = await this.#registry!.load(entry!);
    if (render === undefined) throw new Error('Framework server entrypoint is missing a "render" export.');
    if (typeof render !== "function")
      throw new Error('Framework server entrypoint\'s "render" export is not a function.');
    const [pageModule, ...layouts] = await Promise.all(files.map((id) => this.#registry!.load(id)));
    const { script, styles } = this.#host.urlsOf(page);
    const meta = { styles, modules: [script], layouts, pageModule, modulepreload: [], params };
    const response: unknown = await render(request, meta);
    if (response instanceof Response) return response;
    throw new TypeError("Server-side request handler was expected to return a Response object.");
  }

  /** Puts the places of sources into the stack of an error. */
  #mapStack(error: unknown): void {
    if (!(error instanceof Error) || typeof error.stack !== "string" || !error.stack.includes("bao:app/")) return;
    error.stack = error.stack.replace(/(bao:app\/\d+\.js):(\d+):(\d+)/g, (whole, name: string, line, column) => {
      const chunk = this.#chunks.get(name);
      const place = chunk === undefined ? undefined : placeIn(chunk, Number(line), Number(column));
      return place === undefined
        ? whole
        : `${join(this.#host.root, place.module.id.replace(/^ssr:/, ""))}:${place.line}:${place.column}`;
    });
  }
}
