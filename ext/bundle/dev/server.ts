// The development server: pages of Bun.serve whose modules are replaced while they run
// (https://bun.com/docs/bundler/fullstack#development-mode, https://bun.com/docs/bundler/hot-reloading).
//
// A page is built when somebody first asks for it. From then on its files are watched; a change turns the files anew that have
// changed, and every page that has them gets their new versions over its WebSocket. While a page has a mistake, changes are
// kept back: what runs stays whole. The letters of the messages are Bun's.
import fs from "node:fs";
import path from "node:path";
import { App } from "internal/bundle/app/app";
import { appOptionsOf } from "internal/bundle/app/options";
import { check } from "internal/bundle/options";
import { pluginsOf, settingsOf } from "internal/bundle/serve_settings";
import { chunkOf, placeIn, sourceMapOf } from "internal/bundle/dev/chunks";
import type { Chunk } from "internal/bundle/dev/chunks";
import { ASSETS, Graph } from "internal/bundle/dev/graph";
import { hex } from "internal/bundle/dev/module";
import type { Module, Problem } from "internal/bundle/dev/module";
import { printMessage, printProblems } from "internal/bundle/dev/terminal";
import { Watch } from "internal/bundle/dev/watch";
import { refusalOf } from "internal/bundle/dev/requests";

const { basename, dirname, resolve } = path;
const { existsSync } = fs;

const ops = native("bundle");

/** The option `development` of Bun.serve. */
interface DevOptions {
  /** Whether the console of pages is printed in the terminal. */
  console: boolean;
  /** Whether Chrome may edit the files of the working directory. */
  workspace: boolean;
}

/** What the server of the pages gives. */
interface Host {
  /** The page that a path leads to. */
  pageOf(path: string): Page | undefined;
  /** The name that clients may know the server by, besides those of this machine. */
  hostname: string | undefined;
  /** The option `app` of Bun.serve. */
  app: unknown;
}

/** A page: an HTML file that is a route, or what the browser has of a route of an app. */
export class Page {
  readonly path: string;
  module: Module | undefined = undefined;
  loading: Promise<void> | undefined = undefined;
  problems: Problem[] = [];
  /** Of a route of an app: loads its modules, also those that are new after a change. */
  app: (() => Promise<void>) | undefined = undefined;
  /** Of a route of an app: its modules that run in this process. */
  server: { roots: Module[]; all: Set<Module>; sheets: Module[] } | undefined = undefined;
  /** What its clients have, and what they have still to get. */
  known = new Set<Module>();
  pending = new Set<Module>();
  /** Counts its changes. */
  version = 0;
  /** The script with all modules, until something changes. */
  script: { name: string; chunk: Chunk } | undefined = undefined;
  html: string | undefined = undefined;

  constructor(path: string) {
    this.path = path;
  }
}

/** What the server needs of a WebSocket. */
interface Socket {
  send(data: string | Uint8Array): unknown;
}

interface Client {
  page: Page | undefined;
  topics: Set<string>;
}

/** What tests hear of a batch of changes; the numbers are Bun's. */
const BATCH_STARTED = 0;
const BATCH_SEES_FILES = 1;
const BATCH_WITHOUT_BUILD = 2;
const BUILD_FINISHED = 3;
const BUILD_FINISHED_WITH_MESSAGES = 4;

/** Scripts that are kept for source maps and for pages that load late. */
const MAX_SCRIPTS = 100;

let closed = 0;

/** How many servers have been closed, for tests of Bun. */
export function closedCount(): number {
  return closed;
}

const encoder = new TextEncoder();
const message = (kind: string, text: string) => encoder.encode(kind + text);

/** The modules of a graph that have to be turned anew when these files have changed. What is gone leaves the graph. */
function dirtyOf(graph: Graph, paths: readonly string[]): Set<Module> {
  const dirty = new Set<Module>();
  for (const module of [...graph.modules.values()]) {
    if (module.missing.length !== 0) dirty.add(module);
    if (!module.inputs.some((input) => paths.includes(input))) continue;
    if (module.kind !== "page" && module.inputs[0] !== undefined && !existsSync(module.inputs[0])) {
      // Its importers look for it anew.
      graph.modules.delete(module.key);
      graph.shape++;
      for (const importer of module.importers) dirty.add(importer);
    } else dirty.add(module);
  }
  return dirty;
}

export class DevServer {
  readonly root = process.cwd();
  readonly options: DevOptions;
  readonly host: Host;
  readonly pages = new Map<string, Page>();
  /** Scripts by name. */
  readonly scripts = new Map<string, Chunk>();
  /** Files by URL. */
  readonly files = new Map<string, { bytes: Uint8Array | string; type: string }>();
  readonly #version: string;
  readonly #clients = new Map<Socket, Client>();
  #graph: Promise<Graph> | undefined;
  #loadedGraph: Graph | undefined;
  #watch: Watch;
  #changed = new Set<string>();
  #building: Promise<void> | undefined;
  #isBatching = false;
  #updates = 0;
  #isClosed = false;
  readonly #app: App | undefined;

  constructor(host: Host, options: DevOptions) {
    this.host = host;
    this.options = options;
    this.#app = host.app === undefined ? undefined : this.#makeApp(host.app);
    this.#version = hex(`${Bun.revision}:${process.pid}:${performance.timeOrigin}`);
    this.#watch = new Watch((paths) => this.#onChange(paths));
  }

  /** The page of a file. */
  page(path: string): Page {
    let page = this.pages.get(path);
    if (page === undefined) this.pages.set(path, (page = new Page(path)));
    return page;
  }

  #makeApp(options: unknown): App {
    const host = {
      root: this.root,
      page: (path: string) => this.page(path),
      prepare: (page: Page) => this.#prepare(page),
      refusal: (request: Request) => refusalOf(this, request),
      refuse: (page: Page) => this.#pageResponse(page),
      urlsOf: (page: Page) => ({
        script: `/_bun/client/${this.#scriptOf(page)}`,
        styles: this.#sheetsOf(page).map(({ sheetId }) => `${ASSETS}${sheetId}.css`),
      }),
    };
    return new App(host, appOptionsOf(options, this.root));
  }

  /** Answers a request for a route of the app; undefined if there is none of its path. */
  async answerApp(request: Request): Promise<Response | undefined> {
    return this.#app?.answer(request);
  }

  async #makeGraph(): Promise<Graph> {
    const { env, define: own } = settingsOf();
    const define = { "process.env.NODE_ENV": '"development"', ...own };
    const app = this.#app;
    const plugins = await pluginsOf(app?.options.plugins);
    const graph =
      app === undefined
        ? new Graph(this.root, check({ entrypoints: ["."], target: "browser", env, define }).native, plugins)
        : app.makeGraphs((side) => app.graphOptions(side, { env, define }), plugins);
    if (app === undefined) await graph.findRefresh("react-refresh/runtime", true);
    else if (app.options.refresh !== undefined) await graph.findRefresh(app.options.refresh, false);
    return (this.#loadedGraph = graph);
  }

  /** All graphs: that of the browsers first. */
  #graphs(graph: Graph): Graph[] {
    return [graph, ...(this.#app?.serverGraphs ?? [])];
  }

  /** Answers a request for a page. */
  async answer(page: Page, request: Request): Promise<Response> {
    return refusalOf(this, request) ?? this.#answerPage(page);
  }

  async #answerPage(page: Page): Promise<Response> {
    await this.#prepare(page);
    return this.#pageResponse(page);
  }

  async #prepare(page: Page): Promise<void> {
    await this.#building;
    await (page.loading ??= this.#loadPage(page).catch((error: unknown) => {
      // The next one who asks tries again, and looks for files anew.
      page.loading = undefined;
      if (this.#loadedGraph !== undefined) for (const one of this.#graphs(this.#loadedGraph)) one.forget();
      throw error;
    }));
  }

  #pageResponse(page: Page): Response {
    const headers: { [name: string]: string } = {
      "content-type": "text/html;charset=utf-8",
      "cache-control": "no-store",
    };
    return new Response(this.#htmlOf(page), { status: page.problems.length === 0 ? 200 : 500, headers });
  }

  async #loadPage(page: Page): Promise<void> {
    const begun = performance.now();
    const graph = await (this.#graph ??= this.#makeGraph());
    if (page.app === undefined) {
      page.module = await graph.take(page.path, "html", undefined);
      await graph.settle(page.module);
    } else await page.app();
    this.#look(graph, page);
    page.known = graph.reachable(page.module!).all;
    page.pending.clear();
    this.#index(graph);
    this.#app?.sync();
    const shown = page.app === undefined ? page.module!.id : page.path.slice("app:".length);
    if (page.problems.length === 0)
      printMessage(`Bundled page in ${Math.round(performance.now() - begun)}ms: ${shown}`);
    else printProblems(page.problems);
  }

  /** Looks at what a page consists of now. */
  #look(graph: Graph, page: Page): void {
    const { all } = graph.reachable(page.module!);
    const problems: Problem[] = [];
    for (const module of all) problems.push(...module.problems);
    for (const module of page.server?.all ?? []) problems.push(...module.problems);
    // A sheet that several sheets import is at fault once.
    const seen = new Set<string>();
    page.problems = problems.filter((problem) => {
      const key = JSON.stringify(problem);
      return !seen.has(key) && seen.add(key);
    });
    page.html = undefined;
    page.script = undefined;
  }

  /** Files by URL, and what is watched. */
  #index(graph: Graph): void {
    this.files.clear();
    const watched = new Set<string>();
    const folders = new Set<string>();
    for (const folder of this.#app?.folders ?? []) folders.add(folder);
    for (const module of this.#graphs(graph).flatMap(({ modules }) => [...modules.values()])) {
      for (const input of module.inputs) watched.add(input);
      for (const folder of module.missing) folders.add(folder);
      if (module.kind === "sheet") {
        this.files.set(`${ASSETS}${module.sheetId}.css`, { bytes: module.sheet, type: "text/css;charset=utf-8" });
        for (const { 0: url, 1: asset } of module.copies) this.#addFile(url, asset);
      } else if (module.kind === "asset" && module.bytes !== undefined) this.#addFile(module.url, module);
    }
    if (!this.#isClosed) this.#watch.follow(watched, folders);
  }

  #addFile(url: string, { bytes, key }: Module): void {
    if (bytes === undefined) return;
    this.files.set(url, { bytes, type: require("bun/mime").typeOf(key) || "application/octet-stream" });
  }

  // ---- what pages get

  #config(page: Page, errors: Problem[]): string {
    return JSON.stringify({
      main: page.module?.id ?? "",
      version: this.#version,
      generation: page.version,
      refresh: errors.length === 0 ? (this.#loadedGraph?.refresh?.id ?? "") : "",
      console: this.options.console,
      errors,
    });
  }

  #keep(name: string, chunk: Chunk): void {
    this.scripts.set(name, chunk);
    if (this.scripts.size > MAX_SCRIPTS) this.scripts.delete(this.scripts.keys().next().value!);
  }

  #scriptOf(page: Page): string {
    if (page.script !== undefined) return page.script.name;
    const scripts = page.problems.length === 0 ? this.#loadedGraph!.reachable(page.module!).scripts : [];
    // The page first: it is what runs.
    scripts.reverse();
    const client = ops.devClient().replace(/^(?:\/\/.*|\/\* .* \*\/)\n/gm, "");
    const head = `((config, modules) => {${client}})(${this.#config(page, page.problems)},{\n`;
    const chunk = chunkOf(head, scripts, "});\n");
    const name = `${basename(page.path, ".html").replace(/[^\w.-]/g, "_")}-${hex(chunk.text)}.js`;
    chunk.text += `//# sourceMappingURL=/_bun/client/${name}.map\n`;
    page.script = { name, chunk };
    this.#keep(name, chunk);
    return name;
  }

  /** The style sheets of a page, each once; a sheet that a module of the server imports comes before those of the browser. */
  #sheetsOf(page: Page): Module[] {
    const { sheets } = this.#loadedGraph!.reachable(page.module!);
    const seen = new Set<string>();
    return [...(page.server?.sheets ?? []), ...sheets].filter(({ id }) => !seen.has(id) && seen.add(id));
  }

  #htmlOf(page: Page): string {
    if (page.html !== undefined) return page.html;
    const script = `<script type="module" crossorigin src="/_bun/client/${this.#scriptOf(page)}" data-bun-dev-server-script></script>`;
    if (page.problems.length !== 0) {
      return (page.html = `<!doctype html><html><head><meta charset="utf-8"><title>Build error</title></head><body>${script}</body></html>`);
    }
    const module = page.module!;
    const urls: { [url: string]: string | null } = {};
    for (const { kind, url, target } of module.references) {
      if (target === undefined) continue;
      urls[url] = kind === "asset" ? target.url : null;
    }
    const links = this.#sheetsOf(page).map(({ sheetId }) => `<link rel="stylesheet" href="${ASSETS}${sheetId}.css">`);
    return (page.html = ops.pageWith(module.sheet, JSON.stringify(urls), links.join("") + script));
  }

  // ---- changes

  #onChange(paths: Iterable<string>): void {
    const before = this.#changed.size;
    for (const path of paths) this.#changed.add(path);
    if (this.#changed.size === before && before === 0) return;
    if (this.#isBatching) {
      this.#tellTests(BATCH_SEES_FILES);
      return;
    }
    this.#build();
  }

  #build(): void {
    if (this.#building !== undefined || this.#isClosed) return;
    this.#building = this.#rebuild()
      .catch((error: unknown) => native("loader").report(error))
      .finally(() => {
        this.#building = undefined;
        // What has changed meanwhile.
        if (this.#changed.size !== 0 && !this.#isBatching) this.#build();
      });
  }

  async #rebuild(): Promise<void> {
    const begun = performance.now();
    const paths = [...this.#changed];
    this.#changed.clear();
    const graph = await (this.#graph ??= this.#makeGraph());
    const graphs = this.#graphs(graph);
    const shapeOf = () => graphs.reduce((sum, { shape }) => sum + shape, 0);
    const shape = shapeOf();
    if (paths.some((path) => this.#app?.folders.has(dirname(path)))) this.#app?.scan();
    const dirty = new Set<Module>();
    for (const one of graphs) {
      one.forget();
      one.loaded.clear();
      for (const module of dirtyOf(one, paths)) dirty.add(module);
    }
    // What imports a module may be of another graph than that is.
    const graphOf = (module: Module) => graphs.find(({ modules }) => modules.get(module.key) === module);
    await Promise.all([...dirty].map((module) => graphOf(module)?.reload(module)));
    const built = [...this.pages.values()].filter(({ module }) => module !== undefined);
    // Only the code of scripts is new: pages consist of the same modules, files and mistakes.
    const isSame = shapeOf() === shape && built.every(({ problems }) => problems.length === 0);
    if (!isSame) {
      for (const page of built) {
        if (page.app === undefined) await graph.settle(page.module!);
        else await page.app();
      }
      const roots = built.flatMap(({ module, server }) => [module!, ...(server?.all ?? [])]);
      for (const one of graphs) one.collect(graph.refresh === undefined ? roots : [...roots, graph.refresh]);
      this.#index(graph);
    }
    this.#app?.sync();
    const changed = graphs.flatMap(({ loaded }) => [...loaded]).filter((module) => graphOf(module) !== undefined);
    let hasSent = false;
    const problems = new Map<string, Problem>();
    for (const page of built) {
      hasSent = this.#update(graph, page, changed, isSame) || hasSent;
      for (const problem of page.problems) problems.set(JSON.stringify(problem), problem);
    }
    if (problems.size !== 0) printProblems([...problems.values()]);
    else if (changed.length !== 0) {
      const more = changed.length === 1 ? "" : ` + ${changed.length - 1} more`;
      printMessage(`Reloaded in ${Math.round(performance.now() - begun)}ms: ${changed[0]!.id}${more}`);
    }
    this.#tellTests(hasSent ? BUILD_FINISHED_WITH_MESSAGES : BUILD_FINISHED);
  }

  /**
   * Sends what has changed to the clients of a page; false if nobody is there to hear it. `isSame`: the page consists of the same
   * modules as before.
   */
  #update(graph: Graph, page: Page, changed: Module[], isSame: boolean): boolean {
    const module = page.module!;
    const hadProblems = page.problems.length !== 0;
    const all = isSame ? page.known : graph.reachable(module).all;
    for (const one of changed) if (all.has(one)) page.pending.add(one);
    let isLess = false;
    if (!isSame) {
      for (const one of all) if (!page.known.has(one)) page.pending.add(one);
      isLess = [...page.known].some((one) => !all.has(one));
      page.known = all;
    }
    // A style sheet that only the server imports is replaced like the others.
    const ofServer = changed.filter((one) => page.server?.all.has(one) === true);
    for (const one of ofServer) if (one.kind === "sheet") page.pending.add(one);
    const isServerChanged = ofServer.some(({ kind }) => kind !== "sheet");
    const isChanged = page.pending.size !== 0 || isLess || hadProblems || isServerChanged;
    if (isChanged) {
      page.version++;
      if (isSame) page.html = page.script = undefined;
      else this.#look(graph, page);
    }
    const clients = [...this.#clients].filter(([, client]) => client.page === page && client.topics.has("h"));
    const isTested = [...this.#clients.values()].some(({ topics }) => topics.has("r"));
    if (page.problems.length !== 0) {
      const text = message("e", JSON.stringify(page.problems));
      if (isChanged || isTested) for (const [socket] of clients) socket.send(text);
      return clients.length !== 0;
    }
    if (!isChanged && !isTested) return false;
    const update = this.#updateOf(page, module, isLess, isServerChanged);
    page.pending.clear();
    for (const [socket] of clients) socket.send(update);
    return clients.length !== 0;
  }

  /** The message with the new versions of what a page's clients have to get. */
  #updateOf(page: Page, module: Module, isLess: boolean, isServerChanged: boolean): Uint8Array {
    const { pending } = page;
    const isOfPage = (one: Module) => module.references.some(({ kind, target }) => kind === "asset" && target === one);
    const reload = [...pending].some((one) => one === module || isOfPage(one));
    const head: { reload: boolean; server?: boolean; sheets?: { [id: string]: string }; order?: string[] } = { reload };
    if (isServerChanged) head.server = true;
    const changedSheets = [...pending].filter(({ kind }) => kind === "sheet");
    if (changedSheets.length !== 0 || isLess) {
      head.sheets = Object.fromEntries(changedSheets.map((one) => [one.sheetId, one.sheet]));
      head.order = this.#sheetsOf(page).map(({ sheetId }) => sheetId);
    }
    const scripts = reload ? [] : [...pending].filter((one) => one.kind !== "page");
    // A style sheet that a script imports is a module that changes only with the names of its classes.
    const changed = scripts.filter((one) => one.kind !== "sheet" || one.hasNewCode).map(({ id }) => id);
    let code = "";
    if (scripts.length !== 0 && (changed.length !== 0 || scripts.some((one) => one.version === 1))) {
      const name = `hmr-${++this.#updates}-${hex(`${this.#version}:${this.#updates}`)}.js`;
      const chunk = chunkOf('globalThis[Symbol.for("bun:hmr")]({\n', scripts, `},${JSON.stringify(changed)});\n`);
      chunk.text += `//# sourceURL=/_bun/client/${name}\n//# sourceMappingURL=/_bun/client/${name}.map\n`;
      this.#keep(name, chunk);
      code = chunk.text;
    }
    const headBytes = encoder.encode(JSON.stringify(head));
    const codeBytes = encoder.encode(code);
    const update = new Uint8Array(5 + headBytes.length + codeBytes.length);
    update[0] = "u".charCodeAt(0);
    new DataView(update.buffer).setUint32(1, headBytes.length, true);
    update.set(headBytes, 5);
    update.set(codeBytes, 5 + headBytes.length);
    return update;
  }

  // ---- WebSockets

  /** Handlers of the WebSockets of pages, as Bun.serve takes them. */
  readonly sockets = {
    open: (socket: Socket) => {
      this.#clients.set(socket, { page: undefined, topics: new Set() });
      socket.send(message("V", this.#version));
    },
    close: (socket: Socket) => {
      this.#clients.delete(socket);
    },
    message: (socket: Socket, data: string | Uint8Array) => {
      const text = typeof data === "string" ? data : new TextDecoder().decode(data);
      const client = this.#clients.get(socket);
      if (client !== undefined) this.#hear(socket, client, text[0] ?? "", text.slice(1));
    },
    idleTimeout: 0,
  };

  #hear(socket: Socket, client: Client, kind: string, text: string): void {
    switch (kind) {
      case "s":
        for (const topic of text) client.topics.add(topic);
        return;
      case "n":
        client.page = this.host.pageOf(text) ?? this.#app?.pageOf(text);
        // From now on the client hears of changes.
        socket.send(message("n", client.page?.path ?? ""));
        return;
      case "i":
        // The page has changed while the client was on its way.
        if (client.page !== undefined && client.page.version > Number(text) && client.page.problems.length === 0)
          socket.send(this.#reloadMessage());
        return;
      case "l":
        if (this.options.console) this.#echo(text);
        return;
      case "H":
        this.#batch();
    }
  }

  /** Has all pages that are open load again. */
  reloadPages(): void {
    for (const socket of this.#clients.keys()) socket.send(this.#reloadMessage());
  }

  #reloadMessage(): Uint8Array {
    const head = encoder.encode(JSON.stringify({ reload: true }));
    const bytes = new Uint8Array(5 + head.length);
    bytes[0] = "u".charCodeAt(0);
    new DataView(bytes.buffer).setUint32(1, head.length, true);
    bytes.set(head, 5);
    return bytes;
  }

  /** Prints what a page has written to its console: level, text, and behind a NUL the frame of the call. */
  #echo(text: string): void {
    const at = text.lastIndexOf("\0");
    const words = text.slice(1, at === -1 ? undefined : at);
    const place = at === -1 ? undefined : this.frames(text.slice(at + 1))[0];
    // What moves the cursor or rings is not the page's to say.
    // oxlint-disable-next-line no-control-regex
    const clean = words.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
    printMessage(`[browser] ${clean}`, text[0] ?? "l", place);
  }

  /** The frames of a stack that lie in scripts of this server, at their places in the sources. */
  frames(stack: string): { name: string; file: string; line: number; column: number; source: string }[] {
    const frames: { name: string; file: string; line: number; column: number; source: string }[] = [];
    for (const line of stack.split("\n")) {
      const found = /\/_bun\/client\/([^/\s)]+\.js)(?:\?[^:]*)?:(\d+):(\d+)/.exec(line);
      if (found === null) continue;
      const chunk = this.scripts.get(found[1]!);
      const place = chunk === undefined ? undefined : placeIn(chunk, Number(found[2]), Number(found[3]));
      if (place === undefined) continue;
      const name = /^\s*at (?:async )?([^\s(]+) \(/.exec(line)?.[1] ?? /^([^@\s]+)@/.exec(line)?.[1] ?? "";
      frames.push({ name, file: place.module.id, line: place.line, column: place.column, source: place.source });
    }
    return frames;
  }

  /** The source map of a script. */
  sourceMap(name: string): string | undefined {
    const chunk = this.scripts.get(name);
    return chunk === undefined ? undefined : sourceMapOf(chunk);
  }

  /** The path of a module by what pages call it; undefined if no page has it. */
  pathOf(id: string): string | undefined {
    const path = resolve(this.root, id);
    return this.#loadedGraph?.modules.has(path) === true ? path : undefined;
  }

  // ---- tests

  #tellTests(event: number): void {
    for (const { 0: socket, 1: client } of this.#clients)
      if (client.topics.has("r")) socket.send(new Uint8Array(["r".charCodeAt(0), event]));
  }

  /** Tests hold changes back and let them go together: Bun's own do. */
  #batch(): void {
    if (process.env["BUN_FEATURE_FLAG_INTERNAL_FOR_TESTING"] !== "1") return;
    if (!this.#isBatching) {
      this.#isBatching = true;
      this.#tellTests(BATCH_STARTED);
      return;
    }
    this.#isBatching = false;
    if (this.#changed.size === 0) this.#tellTests(BATCH_WITHOUT_BUILD);
    else this.#build();
  }

  /** Ends the watching. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#watch.close();
    void this.#graph?.then(
      (graph) => {
        for (const one of this.#graphs(graph)) one.close();
      },
      () => {},
    );
    closed++;
  }
}
