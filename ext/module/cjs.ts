/**
 * The CommonJS loader: `require`, `module`, the cache. The heavier public surface (`node:module`) is built on it and
 * loaded only when asked for.
 *
 * Every program loads this, most of them first of all. So there are no regular expressions here, and no loops over iterators
 * outside of functions: the engine would make RegExp and Iterator with all their methods at each start.
 */

import type {
  CommonModule,
  Loader,
  ModuleConstructor,
  Parent,
  Require,
  ResolveOptions,
  Source,
} from "internal/module/types";

const loader = native("loader");

/** `require.cache` and `Module._cache`: modules by path. */
export const cache: Record<string, CommonModule> = Object.create(null);

/** `Module._extensions`. Programs may add and replace entries. */
export const extensions: Record<string, Loader> = Object.create(null);

/** `Module._pathCache`, kept for programs that look at it; resolution has its own caches. */
const pathCache: Record<string, string> = Object.create(null);

let mainModule: CommonModule | undefined;

/** What a graph of modules (graph.ts) has of its own. */
interface GraphModules {
  cache: Record<string, CommonModule>;
  main: CommonModule | undefined;
}

/** Graphs that are not disposed by their numbers, which are above 0: that is the program itself. */
export const graphs = new Map<number, GraphModules>();

/** The number of the graph that a module is in. */
const kGraph = Symbol("graph");
interface InGraph extends CommonModule {
  [kGraph]?: number;
}

function graphOf(module: Parent): number | undefined {
  return (module as InGraph | null | undefined)?.[kGraph];
}

function enterGraph(module: CommonModule, graph: number | undefined): void {
  if (graph !== undefined && graph !== 0) Object.defineProperty(module, kGraph, { value: graph });
}

/** A module that a program makes belongs to the graph in whose context it does so. */
export function enterCurrentGraph(module: CommonModule): void {
  const { ownership } = require("internal/events/async_context");
  if (ownership.own !== undefined) enterGraph(module, require("internal/module/graph").currentNumber());
}

/** The cache that modules of a graph are in: of one that is disposed, none. */
function cacheOf(graph: number | undefined): Record<string, CommonModule> {
  return graph === undefined ? Module._cache : (graphs.get(graph)?.cache ?? Object.create(null));
}

/** Query and hash that a module was required with. */
const kSuffix = Symbol("suffix");
interface Suffixed extends CommonModule {
  [kSuffix]?: string;
}

/** Its text is from hooks of `module.register`. */
const kImported = Symbol("imported");
interface Imported extends CommonModule {
  [kImported]?: boolean;
}

/** The part of a name behind its last dot; empty if there is none. */
function extensionOf(name: string): string {
  const at = name.lastIndexOf(".");
  return at < 0 ? "" : name.slice(at + 1);
}

/** The loader of a file by its extension, `js` for those of other languages. */
function languageOf(filename: string): string {
  const extension = extensionOf(filename);
  return extension === "ts" || extension === "tsx" || extension === "jsx" ? extension : "js";
}

function dirname(path: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? "." : at === 0 ? "/" : path.slice(0, at);
}

// As in Node a program may put anything that has indices into `module.children`.
const { includes, push } = Array.prototype;

/** A CommonJS module, as Node's `Module`. */
export function Module(this: CommonModule, id = "", parent?: Parent) {
  this.id = id;
  this.path = dirname(id);
  // Defined, not set: a program may have put an accessor on Object.prototype.
  Object.defineProperty(this, "exports", { value: {}, writable: true, configurable: true, enumerable: true });
  this.filename = null;
  this.loaded = false;
  this.children = [];
  if (parent?.children) push.call(parent.children, this);
  // Node has `module.parent` as a deprecated accessor; a hidden property serves the same programs.
  Object.defineProperty(this, "parent", { value: parent, writable: true, configurable: true, enumerable: false });
}

const lazyPaths = {
  configurable: true,
  enumerable: true,
  get(this: CommonModule) {
    const value = this.filename || this.path ? loader.lookupPaths(this.path) : [];
    Object.defineProperty(this, "paths", { value, writable: true, configurable: true, enumerable: true });
    return value;
  },
  set(value: unknown) {
    Object.defineProperty(this, "paths", { value, writable: true, configurable: true, enumerable: true });
  },
};
Object.defineProperty(Module.prototype, "paths", lazyPaths);

Module.prototype.require = function require(this: CommonModule, id: string) {
  checkSpecifier(id);
  if (hooks.traced) return tracedLoad(id, this);
  return Module._load(id, this, false);
};

/** Loads the file of this module. */
Module.prototype.load = function load(this: CommonModule, filename: string) {
  this.filename = filename;
  this.path = dirname(filename);
  handlerOf(filename).call(Module._extensions, this, filename);
  this.loaded = true;
};

/** `Module.prototype._compile` as it was. */
const { _compile: compile } = {
  /** Compiles and runs `content` as the body of this module. ES modules take part as `require` of them does. */
  _compile(this: CommonModule, content: string, filename: string, format?: string): unknown {
    if (wrapping.own !== undefined) return runWrapped(this, content, filename);
    if (format !== "module") {
      let wrapper: Function | undefined;
      try {
        wrapper = loader.compileText(content, filename, graphOf(this));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
      if (wrapper !== undefined) return run(this, wrapper, filename);
    }
    // Either an ES module, or text that is neither: this reading says what is wrong with it.
    return runSource(this, content, filename, languageOf(filename), format);
  },
};
Module.prototype._compile = compile;

/** Runs text in the language of a loader (`js`, `ts`, ...) as the body of a module. */
function runSource(module: CommonModule, contents: string, filename: string, language: string, format?: string) {
  const url = filename[0] === "/" ? require("node:url").pathToFileURL(filename).href : filename;
  let loaded: ReturnType<typeof loader.loadHooked>;
  try {
    loaded = loader.loadHooked(
      { key: filename, path: filename, url, loader: language, format, contents },
      graphOf(module),
    );
  } catch (error) {
    throw requireError(error, module, filename);
  }
  if (loaded[0] === 0) return run(module, loaded[1], filename);
  module.exports = loaded[1];
  return undefined;
}

/** Files that Node would read as JavaScript, and that are not. */
const DATA = ["jsonc", "json5", "toml", "yaml", "yml", "txt", "wasm", "css", "html", "htm", "sh"];

/** How a file is loaded: the longest registered extension wins (`.test.js` before `.js`), and `.js` if there is none. */
function handlerOf(filename: string): Loader {
  const handlers = Module._extensions;
  const name = filename.slice(filename.lastIndexOf("/") + 1);
  let at = name.indexOf(".");
  while (at !== -1) {
    const handler = at > 0 ? handlers[name.slice(at)] : undefined;
    if (handler) return handler;
    at = name.indexOf(".", at + 1);
  }
  return (DATA.includes(extensionOf(name)) ? undefined : handlers[".js"]) ?? loadDefault;
}

function checkSpecifier(id: string): asserts id is string {
  if (typeof id !== "string") {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_ARG_TYPE("id", "string", id);
  }
  if (id === "") {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_ARG_VALUE("id", id, "must be a non-empty string");
  }
}

function checkRequest(request: string): asserts request is string {
  (require("internal/core/validators").validateString as Check)(request, "request");
}

function run(module: CommonModule, wrapper: Function, filename: string): unknown {
  const exports = module.exports;
  return wrapper.call(exports, exports, makeRequire(module), module, filename, dirname(filename));
}

/** `own`: what a program put in place of `Module.wrap` or `Module.wrapper`; then every module goes through it as text. */
export const wrapping: { own: ((source: string) => string) | undefined } = { own: undefined };

function runWrapped(module: CommonModule, content: string, filename: string): unknown {
  const source = content.charCodeAt(0) === 0xfeff ? content.slice(1) : content;
  const wrapper = loader.runScript(wrapping.own!(source.startsWith("#!") ? `//${source}` : source), filename);
  return run(module, wrapper as Function, filename);
}

function textOf(filename: string): string {
  return require("node:fs").readFileSync(filename, "utf8");
}

/** How a file is loaded where no program has put its own handler in `extensions`. */
function loadDefault(module: CommonModule, filename: string): unknown {
  // Programs that transform modules put a `_compile` of their own on the module or on its prototype.
  const extension = extensionOf(filename);
  if (module._compile !== compile && extension !== "json" && extension !== "node" && !DATA.includes(extension))
    return module._compile(textOf(filename), filename);
  // Modules of other kinds (JSON, TypeScript, ES) have no wrapper in Node either.
  if (wrapping.own !== undefined && (extension === "js" || extension === "cjs"))
    return module._compile(textOf(filename), filename);
  const loaded = loadFile(module, filename);
  if (loaded[0] === 0) run(module, loaded[1], filename);
  else module.exports = loaded[1];
}

/** The file as the loader gives it; ES modules are told of where the command line asks for it. */
function loadFile(module: CommonModule, filename: string) {
  let loaded: ReturnType<typeof loader.load>;
  hooks.requires++;
  try {
    loaded = loader.load(filename, (module as Suffixed)[kSuffix], graphOf(module));
  } catch (error) {
    throw requireError(error, module, filename);
  } finally {
    hooks.requires--;
  }
  if (loaded[0] === 1) traceEsm(module, filename);
  return loaded;
}

/**
 * Says in the loader's error of an ES module that cannot be required who requires it. What a module has thrown stays as it is,
 * also where it has the same code: a `require` within it has told its own.
 */
function requireError(error: unknown, module: CommonModule, filename: string): unknown {
  if (!Error.isError(error)) return error;
  const code: unknown = Object.getOwnPropertyDescriptor(error, "code")?.value;
  const message: unknown = Object.getOwnPropertyDescriptor(error, "message")?.value;
  if (typeof message !== "string") return error;
  const isAsync =
    code === "ERR_REQUIRE_ASYNC_MODULE" &&
    message.startsWith("require() cannot be used on an ESM graph with top-level await: ");
  const isCycle = code === "ERR_REQUIRE_CYCLE_MODULE" && message.endsWith(" in a cycle.");
  const isImportCycle = code === "ERR_REQUIRE_CYCLE_MODULE" && message.startsWith("Cannot import Module ");
  if (!isAsync && !isCycle && !isImportCycle) return error;
  const { codes } = require("internal/core/errors");
  const from = module.parent?.filename;
  if (isAsync) return new codes.ERR_REQUIRE_ASYNC_MODULE(filename, from);
  if (isImportCycle) return new codes.ERR_REQUIRE_CYCLE_MODULE(message);
  return new codes.ERR_REQUIRE_CYCLE_MODULE(
    `${message}${from ? ` (from ${from})` : ""} A cycle involving require(esm) is not allowed to maintain invariants mandated ` +
      "by the ECMAScript specification. Try making at least part of the dependency in the graph lazily loaded.",
  );
}

let traceMode: unknown = null;
/** `--trace-require-module`: warns of an ES module that is loaded by `require`. */
function traceEsm(module: CommonModule, filename: string): void {
  if (traceMode === null) traceMode = native("process").cliOption("--trace-require-module");
  if (traceMode === undefined) return;
  const from = module.parent?.filename;
  if (traceMode === "no-node-modules" && (from == null || from.includes("/node_modules/"))) return;
  const message = from ? `CommonJS module ${from} is loading ES Module ${filename} using require().\n` : "";
  require("node:process").emitWarning(
    `${message}Support for loading ES Module in require() is an experimental feature and might change at any time`,
    "ExperimentalWarning",
  );
}

/** Programs replace `process.dlopen`, too. */
interface Dlopen {
  dlopen(module: object, filename: string): void;
}

const standardExtensions = [".js", ".json", ".node", ".ts", ".cts", ".mjs", ".mts"];
const standardHandlers: Loader[] = [loadDefault];
/** Extensions whose files are read as TypeScript without being asked for. */
const TYPESCRIPT = ["ts", "cts", "mts", "tsx"];
standardExtensions.forEach((extension) => {
  extensions[extension] = function (module: CommonModule, filename: string) {
    if (extension === ".json") loadJson(module, filename);
    else if (extension === ".node") (globalThis as unknown as { process: Dlopen }).process.dlopen(module, filename);
    else if (extension.endsWith("ts") && module._compile === compile && !TYPESCRIPT.includes(extensionOf(filename)))
      runSource(module, textOf(filename), filename, "ts");
    else loadDefault(module, filename);
  };
  standardHandlers.push(extensions[extension]);
});

// The file is not in the stack of a program that catches the error, so it is in the message, as in Node.
function loadJson(module: CommonModule, filename: string) {
  try {
    loadDefault(module, filename);
  } catch (error) {
    if (error instanceof SyntaxError && !error.message.startsWith(filename))
      error.message = `${filename}: ${error.message}`;
    throw error;
  }
}

let requireTrace: Tracing | undefined;

/** A TracingChannel of node:diagnostics_channel. */
interface Tracing {
  hasSubscribers: boolean;
  traceSync(fn: unknown, context: object, self: unknown, ...args: unknown[]): unknown;
}

// `require` while somebody may listen to the diagnostics channels module.require.
function tracedLoad(id: string, parent: Parent): unknown {
  requireTrace ??= loader.requireBuiltin("node:diagnostics_channel").tracingChannel("module.require") as Tracing;
  if (!requireTrace.hasSubscribers) return Module._load(id, parent, false);
  return requireTrace.traceSync(
    Module._load,
    { __proto__: null, parentFilename: parent?.filename, id },
    Module,
    id,
    parent,
    false,
  );
}

/** `require` of a module. */
export function makeRequire(module: CommonModule): Require {
  function require(id: string): unknown {
    // Not `Module._load`: programs replace the method, of one module or of all.
    return module.require(id);
  }
  function resolve(request: string, options?: ResolveOptions) {
    checkRequest(request);
    if ((module as Imported)[kImported] === true && options?.paths === undefined)
      return hooks.resolveImported!(request, importerOf(module));
    return Module._resolveFilename(request, module, false, options);
  }
  resolve.paths = function paths(request: string) {
    checkRequest(request);
    return loader.resolvePaths(request, module.filename ?? module.path + "/[eval]") ?? null;
  };
  require.resolve = resolve;
  // As with `exports`, not by setting it.
  const graph = graphOf(module);
  const main = graph === undefined ? mainModule : graphs.get(graph)?.main;
  Object.defineProperty(require, "main", { value: main, writable: true, configurable: true, enumerable: true });
  require.extensions = Module._extensions;
  require.cache = cacheOf(graph);
  return require as Require;
}

function importerOf(parent: Parent): string {
  if (parent?.filename) return parent.filename;
  // A module that is no file, such as the REPL's, counts from the working directory.
  if (parent?.path?.[0] === "/") return parent.path + "/[eval]";
  return native("process").cwd() + "/[eval]";
}

/** Resolves for `require`: the path of a file, or the name of a built-in module as written. */
const resolveFilename = (request: string, parent: Parent, isMain?: boolean, options?: ResolveOptions): string => {
  const paths = options?.paths;
  const hooked = hooks.resolve?.(request, importerOf(parent), paths);
  if (hooked !== undefined) return hooked;
  if (Array.isArray(paths) && paths.every((path) => typeof path === "string") && isRelative(request))
    return resolveBelow(request, parent, paths);
  if (paths !== undefined && !Array.isArray(paths)) {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_ARG_VALUE("options.paths", paths);
  }
  let found: Resolved | undefined;
  try {
    found = loader.resolve(request, importerOf(parent), true, paths);
  } catch (error) {
    found = afterFailure(error, request, parent);
    if (found === undefined) throw error;
  }
  return found[0] === "builtin" && !request.startsWith("node:") ? request : found[1];
};
Object.defineProperty(resolveFilename, "name", { value: "_resolveFilename" });

/** The error of a module that is not there. */
interface ResolveError extends NodeError {
  requireStack?: string[];
}

function isRelative(request: string): boolean {
  return request === "." || request === ".." || request.startsWith("./") || request.startsWith("../");
}

/** A relative request counts from each of `paths`, which count from the working directory. */
function resolveBelow(request: string, parent: Parent, paths: string[]): string {
  const { resolve } = require("node:path");
  let missing: unknown;
  for (const path of paths) {
    try {
      return loader.resolve(resolve(path, request), importerOf(parent), true)[1];
    } catch (error) {
      missing ??= error;
    }
  }
  const error: ResolveError = new Error(
    `Cannot find module '${request}'\nRequire stack:\n- ${requireStack(parent).join("\n- ")}`,
  );
  error.code = "MODULE_NOT_FOUND";
  error.requireStack = requireStack(parent);
  if (missing === undefined) error.message = `Cannot find module '${request}'`;
  throw error;
}

function requireStack(parent: Parent): string[] {
  const stack: string[] = [];
  for (let module = parent; module; module = module.parent) {
    stack.push(module.filename ?? module.id);
    if (stack.length > 100) break;
  }
  return stack;
}

/** An own member, as on Node's errors: `ResolveMessage.prototype` has none to assign to. */
function showRequireStack(error: ResolveError, value: string[]): void {
  Object.defineProperty(error, "requireStack", { value, writable: true, enumerable: true, configurable: true });
}

/** What a request leads to: its kind, its id, path or URL, and the query and hash of a path. */
type Resolved = [kind: "builtin" | "file" | "url", name: string, suffix?: string | undefined];

/** Extensions that programs have added to `require.extensions`, in their order. */
function resolveByExtensions(request: string, parent: Parent): Resolved | undefined {
  for (const extension of Object.keys(Module._extensions)) {
    if (standardExtensions.includes(extension)) continue;
    try {
      return loader.resolve(request + extension, importerOf(parent), false);
    } catch {
      // Not with this one.
    }
  }
  return undefined;
}

/** What a request that was not found leads to with an added extension; the error of one that stays missing gets its `requireStack`. */
function afterFailure(error: unknown, request: string, parent: Parent): Resolved | undefined {
  const missing = error as ResolveError | null;
  if (missing?.code !== "MODULE_NOT_FOUND") return undefined;
  const found = resolveByExtensions(request, parent);
  if (found !== undefined || missing.requireStack !== undefined) return found;
  const stack = requireStack(parent);
  showRequireStack(missing, stack);
  const [first, ...others] = String(missing.message).split("\n");
  const rest = others.filter((line) => !line.startsWith("Require stack:") && !line.startsWith("- "));
  const shown = stack.length > 0 ? ["Require stack:", ...stack.map((name) => `- ${name}`)] : [];
  missing.message = [first, ...shown, ...rest].join("\n");
  return undefined;
}

function resolveForLoad(request: string, parent: Parent): Resolved {
  // Programs replace `_resolveFilename` (module aliases, test runners); the direct way is for when nobody did.
  if (Module._resolveFilename !== resolveFilename) {
    if (request.startsWith("node:")) {
      const builtin = loader.builtinId(request);
      if (builtin !== undefined) return ["builtin", builtin];
    }
    const name = Module._resolveFilename(request, parent, false);
    const id = loader.builtinId(name);
    return id !== undefined ? ["builtin", id] : ["file", name];
  }
  try {
    return loader.resolve(request, importerOf(parent), false);
  } catch (error) {
    const found = afterFailure(error, request, parent);
    if (found !== undefined) return found;
    throw error;
  }
}

/** What an ES module that uses `require`, `__dirname` or `__filename` gets. */
export function moduleScope(path: string, graph: number) {
  const module = new (Module as unknown as ModuleConstructor)(path, null);
  enterGraph(module, graph);
  module.filename = path;
  return { require: makeRequire(module), __dirname: dirname(path), __filename: path };
}

/** `load` of ext/module/loader_hooks, once a plugin or hook exists; `traced`: node:diagnostics_channel is there. */
export const hooks: {
  /** `require.resolve` by hooks of node:module: undefined without any. */
  resolve: ((request: string, importer: string, paths?: string[]) => string | undefined) | undefined;
  /** `require.resolve` in CommonJS whose text hooks of `module.register` gave. */
  resolveImported: ((request: string, importer: string) => string) | undefined;
  load: ((specifier: string, importer: string, kind: string) => Source | undefined | Promise<object>) | undefined;
  traced: boolean;
  /** Files that `require` is loading: what those import must be there at once. */
  requires: number;
} = {
  resolve: undefined,
  resolveImported: undefined,
  load: undefined,
  traced: false,
  requires: 0,
};

function load(request: string, parent: Parent, isMain: boolean) {
  const graph = graphOf(parent);
  if (graph !== undefined && !graphs.has(graph)) throw require("internal/module/graph").disposed();
  if (hooks.load !== undefined) {
    const kind = (parent as Imported | null | undefined)?.[kImported] === true ? "require-imported" : "require-call";
    const source = hooks.load(request, importerOf(parent), kind) as Source | undefined;
    if (source !== undefined) {
      if ("value" in source) return source.value;
      if (source.builtin !== undefined) return loader.requireBuiltin(source.builtin as BuiltinId);
      return source.file !== undefined ? loadPath(source.file, parent, isMain) : requireHooked(source, parent);
    }
  }
  const found = resolveForLoad(request, parent);
  if (found[0] === "builtin") {
    const cached = request.startsWith("node:") ? undefined : cacheOf(graph)[request];
    if (cached) return cached.exports;
    return loader.requireBuiltin(found[1] as BuiltinId);
  }
  return loadPath(found[1], parent, isMain, found[2]);
}

/** `suffix`: query and hash; each is a module of its own, as in Bun. */
function loadPath(
  filename: string,
  parent: Parent,
  isMain: boolean,
  suffix?: string,
  graph = graphOf(parent),
  mainOf?: GraphModules,
) {
  const key = suffix === undefined ? filename : filename + suffix;
  const cache = cacheOf(graph);
  const cached = cache[key];
  if (cached !== undefined) {
    if (parent?.children && !includes.call(parent.children, cached)) push.call(parent.children, cached);
    return cached.exports;
  }
  const module = new (Module as unknown as ModuleConstructor)(filename, parent);
  enterGraph(module, graph);
  if (mainOf !== undefined) mainOf.main = module;
  if (isMain) {
    mainModule = module;
    module.id = ".";
  }
  cache[key] = module;
  if (suffix !== undefined) (module as Suffixed)[kSuffix] = suffix;
  let ok = false;
  try {
    module.load(filename);
    ok = true;
  } finally {
    if (!ok) forget(cache, key, module, parent);
  }
  return module.exports;
}

/** A module that failed is loaded anew by whoever asks next. */
function forget(cache: Record<string, CommonModule>, key: string, module: CommonModule, parent: Parent) {
  delete cache[key];
  const children = parent?.children;
  const at = Array.isArray(children) ? children.indexOf(module) : -1;
  if (at !== -1) children!.splice(at, 1);
}

function loadHooked(source: Source, graph: number | undefined, module: CommonModule) {
  hooks.requires++;
  try {
    return loader.loadHooked(source, graph);
  } catch (error) {
    throw requireError(error, module, source.path!);
  } finally {
    hooks.requires--;
  }
}

/** `require` of a module whose source a plugin or hook gave. */
export function requireHooked(source: Source, parent?: Parent) {
  const graph = graphOf(parent) ?? (loader.currentGraph() || undefined);
  const cache = cacheOf(graph);
  const cached = cache[source.key!];
  if (cached !== undefined) return cached.exports;
  const module = new (Module as unknown as ModuleConstructor)(source.path, parent);
  enterGraph(module, graph);
  module.filename = source.path!;
  if (source.isImported === true) Object.defineProperty(module, kImported, { value: true });
  cache[source.key!] = module;
  let ok = false;
  try {
    const loaded = loadHooked(source, graph, module);
    if (loaded[0] === 0) run(module, loaded[1], source.path!);
    else module.exports = loaded[1];
    ok = true;
  } finally {
    if (!ok) forget(cache, source.key!, module, parent);
  }
  module.loaded = true;
  return module.exports;
}

Module._cache = cache;
Module._extensions = extensions;
Module._pathCache = pathCache;
Module._resolveFilename = resolveFilename;
Module._load = load;
Module.prototype.constructor = Module;

/** The program's CommonJS main module; undefined when the main module is an ES module. */
export function getMainModule() {
  return mainModule;
}

/** Runs the program. */
export function runMain(path: string) {
  // A preloaded module may have put its own in place.
  const { runMain } = Module as { runMain?: ModuleConstructor["runMain"] };
  if (runMain !== undefined && runMain.isOwn !== true) return runMain.call(Module, path);
  runMainFile(path);
}

/** `Module.runMain` as it was. */
export function runMainFile(path: string) {
  // A preloaded module may have replaced `_load`.
  if (Module._load !== load) Module._load(path, null, true);
  else loadPath(path, null, true);
}

/** Whether the program has put something of its own into the way of loading the file `path`. */
export function isHooked(path: string): boolean {
  const handler = handlerOf(path);
  return Module.prototype._compile !== compile || Module._load !== load || !standardHandlers.includes(handler);
}

/** `require` of a path that is already resolved: the CommonJS half of an `import`. */
export function requirePath(path: string, graph: number) {
  if (graph !== 0) return requireInto(graph, path);
  return Module._load !== load ? Module._load(path, undefined, false) : loadPath(path, undefined, false);
}

/** The same in a graph, whose main module is the first that is imported. */
function requireInto(graph: number, path: string) {
  const modules = graphs.get(graph);
  if (modules === undefined) throw require("internal/module/graph").disposed();
  const isMain = modules.main === undefined && modules.cache[path] === undefined && loader.mainOfGraph(graph) === path;
  return loadPath(path, undefined, false, undefined, graph, isMain ? modules : undefined);
}

/** Loads a `--preload` / `--require` module. */
export function preload(specifier: string) {
  const module = new (Module as unknown as ModuleConstructor)("internal/preload", null);
  module.path = native("process").cwd();
  module.filename = null;
  try {
    Module._load(specifier, module, false);
  } catch (error) {
    if (
      (error as ResolveError | null)?.code === "MODULE_NOT_FOUND" &&
      (error as ResolveError).requireStack?.[0] === "internal/preload"
    ) {
      const message =
        `Cannot find module '${specifier}': preload not found "${specifier}" ` +
        `(--preload, --require, --import or "preload" in bunfig.toml)`;
      // No module asks for it, and no line of a program.
      (error as ResolveError).stack = `Error: ${message}`;
      (error as ResolveError).message = message;
      showRequireStack(error as ResolveError, []);
    }
    throw error;
  }
}

function defineBuiltinGlobal(name: string): void {
  const set = (value: unknown) =>
    Object.defineProperty(globalThis, name, { value, writable: true, enumerable: true, configurable: true });
  const get = () => {
    const module = loader.requireBuiltin(`node:${name}` as BuiltinId);
    set(module);
    return module;
  };
  Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, get, set });
}

/** What `-e` text has beside the usual globals. */
interface EvalGlobals {
  module: CommonModule;
  exports: unknown;
  require: Require;
  __filename: string;
  __dirname: string;
  console: { log(value: unknown): void };
}

/** Runs `-e` / `-p` text: sloppy, with `require` and friends as globals, as Node does. */
export function runText(text: string, path: string, print: boolean) {
  const module = new (Module as unknown as ModuleConstructor)(path, null);
  module.filename = path;
  module.paths = loader.lookupPaths(dirname(path));
  const globals = globalThis as unknown as EvalGlobals;
  globals.module = module;
  globals.exports = module.exports;
  globals.require = makeRequire(module);
  globals.__filename = "[eval]";
  globals.__dirname = ".";
  // Node has all built-in modules as globals here; those that the text does not name are nobody's business.
  for (const name of loader.builtinNames()) {
    const isIdentifier = !name.includes("/") && !name.includes(":") && !name.startsWith("_");
    if (text.includes(name) && isIdentifier && !["module", "process", "console"].includes(name))
      defineBuiltinGlobal(name);
  }
  const value = loader.runScript(text, path);
  if (print) globals.console.log(value);
}

/** Prints what the last expression of an ES module (`-p`) has given. */
export function print(value: unknown): void {
  (globalThis as unknown as EvalGlobals).console.log(value);
}
