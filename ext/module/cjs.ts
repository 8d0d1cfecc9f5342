/**
 * The CommonJS loader: `require`, `module`, the cache. The heavier public surface (`node:module`) is built on it and
 * loaded only when asked for.
 */

const loader = native("loader");

/** `require.cache` and `Module._cache`: modules by path. */
export const cache: Record<string, any> = Object.create(null);

/** `Module._extensions`. Programs may add and replace entries. */
export const extensions: Record<string, any> = Object.create(null);

/** `Module._pathCache`, kept for programs that look at it; resolution has its own caches. */
export const pathCache: Record<string, string> = Object.create(null);

let mainModule: unknown;

/** Query and hash that a module was required with. */
const kSuffix = Symbol("suffix");

function dirname(path: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? "." : at === 0 ? "/" : path.slice(0, at);
}

/** A CommonJS module, as Node's `Module`. */
export function Module(this: any, id = "", parent?: any) {
  this.id = id;
  this.path = dirname(id);
  // Defined, not set: a program may have put an accessor on Object.prototype.
  Object.defineProperty(this, "exports", { value: {}, writable: true, configurable: true, enumerable: true });
  this.filename = null;
  this.loaded = false;
  this.children = [];
  if (parent?.children) parent.children.push(this);
  // Node has `module.parent` as a deprecated accessor; a hidden property serves the same programs.
  Object.defineProperty(this, "parent", { value: parent, writable: true, configurable: true, enumerable: false });
}

const lazyPaths = {
  configurable: true,
  enumerable: true,
  get(this: any) {
    const value = this.filename || this.path ? loader.lookupPaths(this.path) : [];
    Object.defineProperty(this, "paths", { value, writable: true, configurable: true, enumerable: true });
    return value;
  },
  set(value: unknown) {
    Object.defineProperty(this, "paths", { value, writable: true, configurable: true, enumerable: true });
  },
};
Object.defineProperty(Module.prototype, "paths", lazyPaths);

Module.prototype.require = function require(id: string) {
  checkSpecifier(id);
  return (Module as any)._load(id, this, false);
};

/** Loads the file of this module. */
Module.prototype.load = function load(filename: string) {
  this.filename = filename;
  this.path = dirname(filename);
  const extension = findExtension(filename);
  const loadFile = extensions[extension] ?? loadDefault;
  loadFile.call(extensions, this, filename);
  this.loaded = true;
};

/** Compiles and runs `content` as the body of this module. */
Module.prototype._compile = function _compile(content: string, filename: string) {
  if (wrapping.own !== undefined) return runWrapped(this, content, filename);
  const wrapper = loader.compileText(content, filename);
  return run(this, wrapper, filename);
};

function findExtension(filename: string): string {
  const name = filename.slice(filename.lastIndexOf("/") + 1);
  // The longest registered extension wins (`.test.js` before `.js`).
  let at = name.indexOf(".");
  while (at !== -1) {
    const candidate = name.slice(at);
    if (at > 0 && extensions[candidate]) return candidate;
    at = name.indexOf(".", at + 1);
  }
  return "";
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

function run(module: any, wrapper: Function, filename: string) {
  const exports = module.exports;
  return wrapper.call(exports, exports, makeRequire(module), module, filename, dirname(filename));
}

/** `own`: what a program put in place of `Module.wrap` or `Module.wrapper`; then every module goes through it as text. */
export const wrapping: { own: ((source: string) => string) | undefined } = { own: undefined };

function runWrapped(module: any, content: string, filename: string) {
  const source = content.charCodeAt(0) === 0xfeff ? content.slice(1) : content;
  const wrapper = loader.runScript(wrapping.own!(source.startsWith("#!") ? `//${source}` : source), filename);
  return run(module, wrapper as Function, filename);
}

/** How a file is loaded where no program has put its own handler in `extensions`. */
function loadDefault(module: any, filename: string) {
  // Modules of other kinds (JSON, TypeScript, ES) have no wrapper in Node either.
  if (wrapping.own !== undefined && /\.c?js$/.test(filename)) {
    return module._compile(require("node:fs").readFileSync(filename, "utf8"), filename);
  }
  const loaded = loader.load(filename, module[kSuffix]);
  if (loaded[0] === 0) run(module, loaded[1], filename);
  else module.exports = loaded[1];
}

for (const extension of [".js", ".json", ".node"]) {
  extensions[extension] = function (module: unknown, filename: string) {
    if (extension === ".json") loadJson(module, filename);
    else loadDefault(module, filename);
  };
}

// The file is not in the stack of a program that catches the error, so it is in the message, as in Node.
function loadJson(module: unknown, filename: string) {
  try {
    loadDefault(module, filename);
  } catch (error) {
    if (error instanceof SyntaxError && !error.message.startsWith(filename))
      error.message = `${filename}: ${error.message}`;
    throw error;
  }
}

let requireTrace: any;

// `require` while somebody may listen to the diagnostics channels module.require.
function tracedLoad(id: string, parent: { filename?: unknown } | null | undefined): unknown {
  requireTrace ??= loader.requireBuiltin("node:diagnostics_channel").tracingChannel("module.require");
  if (!requireTrace.hasSubscribers) return (Module as any)._load(id, parent, false);
  return requireTrace.traceSync(
    (Module as { _load?: unknown })._load,
    { __proto__: null, parentFilename: parent?.filename, id },
    Module,
    id,
    parent,
    false,
  );
}

/** `require` of a module. */
export function makeRequire(module: any) {
  function require(id: string) {
    checkSpecifier(id);
    if (hooks.traced) return tracedLoad(id, module);
    return (Module as any)._load(id, module, false);
  }
  function resolve(request: string, options?: { paths?: string[] }) {
    checkRequest(request);
    return (Module as any)._resolveFilename(request, module, false, options);
  }
  resolve.paths = function paths(request: string) {
    checkRequest(request);
    return loader.resolvePaths(request, module.filename ?? module.path + "/[eval]") ?? null;
  };
  require.resolve = resolve;
  // As with `exports`, not by setting it.
  Object.defineProperty(require, "main", { value: mainModule, writable: true, configurable: true, enumerable: true });
  require.extensions = extensions;
  require.cache = cache;
  return require;
}

function importerOf(parent: any): string {
  if (parent?.filename) return parent.filename;
  // A module that is no file, such as the REPL's, counts from the working directory.
  if (parent?.path?.[0] === "/") return parent.path + "/[eval]";
  return native("process").cwd() + "/[eval]";
}

/** Resolves for `require`: the path of a file, or the name of a built-in module as written. */
function resolveFilename(request: string, parent: any, isMain?: boolean, options?: { paths?: string[] }): string {
  const paths = options?.paths;
  if (Array.isArray(paths) && paths.every((path) => typeof path === "string") && /^\.\.?(\/|$)/.test(request))
    return resolveBelow(request, parent, paths);
  if (paths !== undefined && !Array.isArray(paths)) {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_ARG_VALUE("options.paths", paths);
  }
  const found = loader.resolve(request, importerOf(parent), true, paths);
  return found[0] === "builtin" && !request.startsWith("node:") ? request : found[1];
}

/** A relative request counts from each of `paths`, which count from the working directory. */
function resolveBelow(request: string, parent: any, paths: string[]): string {
  const { resolve } = require("node:path");
  let missing: unknown;
  for (const path of paths) {
    try {
      return loader.resolve(resolve(path, request), importerOf(parent), true)[1];
    } catch (error) {
      missing ??= error;
    }
  }
  const error: any = new Error(
    `Cannot find module '${request}'\nRequire stack:\n- ${requireStack(parent).join("\n- ")}`,
  );
  error.code = "MODULE_NOT_FOUND";
  error.requireStack = requireStack(parent);
  if (missing === undefined) error.message = `Cannot find module '${request}'`;
  throw error;
}

function requireStack(parent: any): string[] {
  const stack: string[] = [];
  for (let module = parent; module; module = module.parent) {
    stack.push(module.filename ?? module.id);
    if (stack.length > 100) break;
  }
  return stack;
}

const originalResolveFilename = resolveFilename;

/** What a request leads to: its kind, its id, path or URL, and the query and hash of a path. */
type Resolved = [kind: "builtin" | "file" | "url", name: string, suffix?: string | undefined];

/** Extensions that programs have added to `require.extensions`, in their order. */
function resolveByExtensions(request: string, parent: any): Resolved | undefined {
  for (const extension of Object.keys(extensions)) {
    if (extension === ".js" || extension === ".json" || extension === ".node") continue;
    try {
      return loader.resolve(request + extension, importerOf(parent), false);
    } catch {
      // Not with this one.
    }
  }
  return undefined;
}

function resolveForLoad(request: string, parent: any): Resolved {
  // Programs replace `_resolveFilename` (module aliases, test runners); the direct way is for when nobody did.
  if ((Module as { _resolveFilename?: unknown })._resolveFilename !== originalResolveFilename) {
    const builtin = loader.builtinId(request);
    if (builtin !== undefined) return ["builtin", builtin];
    const name = (Module as any)._resolveFilename(request, parent, false);
    const id = loader.builtinId(name);
    return id !== undefined ? ["builtin", id] : ["file", name];
  }
  try {
    return loader.resolve(request, importerOf(parent), false);
  } catch (error: any) {
    const found = error?.code === "MODULE_NOT_FOUND" ? resolveByExtensions(request, parent) : undefined;
    if (found !== undefined) return found;
    if (error?.code === "MODULE_NOT_FOUND" && error.requireStack === undefined) {
      const stack = requireStack(parent);
      error.requireStack = stack;
      const firstLine = String(error.message).split("\nRequire stack:")[0].split("\n")[0];
      const rest = String(error.message)
        .split("\n")
        .slice(1)
        .filter((line) => !/^(Require stack:|- )/.test(line));
      error.message =
        firstLine +
        (stack.length ? "\nRequire stack:\n- " + stack.join("\n- ") : "") +
        (rest.length ? "\n" + rest.join("\n") : "");
    }
    throw error;
  }
}

/** What an ES module that uses `require`, `__dirname` or `__filename` gets. */
export function moduleScope(path: string) {
  const module = new (Module as any)(path, null);
  module.filename = path;
  return { require: makeRequire(module), __dirname: dirname(path), __filename: path };
}

/** `load` of ext/module/loader_hooks, once a plugin or hook exists; `traced`: node:diagnostics_channel is there. */
export const hooks: {
  load: ((specifier: string, importer: string, kind: string) => any) | undefined;
  traced: boolean;
} = {
  load: undefined,
  traced: false,
};

function load(request: string, parent: any, isMain: boolean) {
  if (hooks.load !== undefined) {
    const source = hooks.load(request, importerOf(parent), "require-call");
    if (source !== undefined) {
      if (source.builtin !== undefined) return loader.requireBuiltin(source.builtin);
      return source.file !== undefined ? loadPath(source.file, parent, isMain) : requireHooked(source, parent);
    }
  }
  const found = resolveForLoad(request, parent);
  if (found[0] === "builtin") {
    const cached = cache[request];
    if (cached && !request.startsWith("node:")) return cached.exports;
    return loader.requireBuiltin(found[1] as BuiltinId);
  }
  return loadPath(found[1], parent, isMain, found[2]);
}

/** `suffix`: query and hash; each is a module of its own, as in Bun. */
function loadPath(filename: string, parent: any, isMain: boolean, suffix?: string) {
  const key = suffix === undefined ? filename : filename + suffix;
  const cached = cache[key];
  if (cached !== undefined) {
    if (parent?.children && !parent.children.includes(cached)) parent.children.push(cached);
    return cached.exports;
  }
  const module = new (Module as any)(filename, parent);
  if (isMain) {
    mainModule = module;
    module.id = ".";
  }
  cache[key] = module;
  if (suffix !== undefined) module[kSuffix] = suffix;
  let ok = false;
  try {
    module.load(filename);
    ok = true;
  } finally {
    if (!ok) delete cache[key];
  }
  return module.exports;
}

/** `require` of a module whose source a plugin or hook gave. */
export function requireHooked(source: any, parent?: any) {
  const cached = cache[source.key];
  if (cached !== undefined) return cached.exports;
  const module = new (Module as any)(source.path, parent);
  module.filename = source.path;
  cache[source.key] = module;
  let ok = false;
  try {
    const loaded = loader.loadHooked(source);
    if (loaded[0] === 0) run(module, loaded[1], source.path);
    else module.exports = loaded[1];
    ok = true;
  } finally {
    if (!ok) delete cache[source.key];
  }
  module.loaded = true;
  return module.exports;
}

(Module as { _cache?: unknown })._cache = cache;
(Module as { _extensions?: unknown })._extensions = extensions;
(Module as { _pathCache?: Record<string, string> })._pathCache = pathCache;
(Module as { _resolveFilename?: unknown })._resolveFilename = resolveFilename;
(Module as { _load?: unknown })._load = load;
Module.prototype.constructor = Module;

/** The program's CommonJS main module; undefined when the main module is an ES module. */
export function getMainModule() {
  return mainModule;
}

/** Runs the program. */
export function runMain(path: string) {
  // A preloaded module may have put its own in place.
  const { runMain } = Module as any;
  if (runMain !== undefined && runMain.isOwn !== true) return runMain.call(Module, path);
  runMainFile(path);
}

/** `Module.runMain` as it was. */
export function runMainFile(path: string) {
  // Through `_load`'s own steps, so that a preloaded module's hooks see the main file too.
  loadPath(path, null, true);
}

/** `require` of a path that is already resolved: the CommonJS half of an `import`. */
export function requirePath(path: string) {
  return loadPath(path, undefined, false);
}

/** Loads a `--preload` / `--require` module. */
export function preload(specifier: string) {
  const module = new (Module as any)("internal/preload", null);
  module.path = native("process").cwd();
  module.filename = null;
  try {
    (Module as any)._load(specifier, module, false);
  } catch (error: any) {
    if (error?.code === "MODULE_NOT_FOUND" && error.requireStack?.[0] === "internal/preload") {
      error.message =
        `Cannot find module '${specifier}', which is to be loaded before the program ` +
        `(--preload, --require, --import or "preload" in bunfig.toml)`;
      error.requireStack = [];
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

/** Runs `-e` / `-p` text: sloppy, with `require` and friends as globals, as Node does. */
export function runText(text: string, path: string, print: boolean) {
  const module = new (Module as any)(path, null);
  module.filename = path;
  module.paths = loader.lookupPaths(dirname(path));
  const globals = globalThis as any;
  globals.module = module;
  globals.exports = module.exports;
  globals.require = makeRequire(module);
  globals.__filename = "[eval]";
  globals.__dirname = ".";
  // Node has all built-in modules as globals here; those that the text does not name are nobody's business.
  for (const name of loader.builtinNames()) {
    if (text.includes(name) && /^[a-z]\w*$/.test(name) && name !== "process" && name !== "console")
      defineBuiltinGlobal(name);
  }
  const value = loader.runScript(text, path);
  if (print) globals.console.log(value);
}
