// Hooks of node:module: https://nodejs.org/api/module.html#customization-hooks
//
// There are two chains. Those of `registerHooks` come first, run on the program's thread and are asked by `import` and `require`. Those
// of `register` run on a thread of their own (internal/module/hooks_thread, internal/module/async_hooks); they may answer with promises,
// and are asked by `import`, by `import.meta.resolve` and by `require` in CommonJS whose text they gave.

import type {
  Hook,
  HookContext,
  HookResult,
  Later,
  LoadedThere,
  RegisterOptions,
  Source,
  SyncHooks,
} from "internal/module/types";
import type { HooksThread } from "internal/module/hooks_thread";
import {
  activate,
  after,
  basis,
  extensionOf,
  fileUrl,
  isPromise,
  nodeHooks,
  textOf,
} from "internal/module/loader_hooks";
import { cache, hooks } from "internal/module/cjs";
import { codes } from "internal/core/errors";
import { own } from "internal/worker/thread_info";

const loader = native("loader");

interface NodeHooks {
  resolve?: Hook | undefined;
  load?: Hook | undefined;
}

/** The hooks of `registerHooks` in the order of their registration: the last one is asked first. */
const chain: NodeHooks[] = [];

/** The thread of the hooks of `register`, once there are any; undefined on that thread itself. */
let thread: HooksThread | undefined;

/** On what the loader itself would load: the source and its URL. */
export const kSelf = Symbol("what the loader would do by itself");

export interface LoadResult extends HookResult {
  [kSelf]?: { source: unknown; url: string };
}

export function pathOfUrl(url: string): string | undefined {
  return url.startsWith("file:") ? require("node:url").fileURLToPath(url) : undefined;
}

function conditionsOf(kind: string): string[] {
  return kind === "require-call"
    ? ["require", "node", "module-sync", "node-addons"]
    : ["import", "node", "module-sync", "node-addons"];
}

/** The conditions that hooks have left in the context; undefined for the usual ones. */
function changedConditions(context: HookContext, kind: string): string[] | undefined {
  const { conditions } = context as { conditions?: unknown };
  if (conditions === undefined) return undefined;
  if (!Array.isArray(conditions)) throw new codes.ERR_INVALID_ARG_VALUE("conditions", conditions, "expected an array");
  const usual = conditionsOf(kind);
  const isUsual = conditions.length === usual.length && conditions.every((one, index) => one === usual[index]);
  return isUsual ? undefined : conditions.map(String);
}

/** The format of a file; undefined if it is not there. */
function formatOf(path: string): string | undefined {
  try {
    return formatOfFile(path);
  } catch {
    return undefined;
  }
}

function formatOfFile(path: string): string | undefined {
  switch (extensionOf(path)) {
    case ".json":
      return "json";
    case ".wasm":
      return "wasm";
    case ".node":
      return "addon";
    case ".mts":
      return "module-typescript";
    case ".cts":
      return "commonjs-typescript";
    case ".ts":
    case ".tsx":
      return `${loader.moduleKind(path)}-typescript`;
    case ".mjs":
      return "module";
    case ".cjs":
      return "commonjs";
    default:
      return loader.moduleKind(path);
  }
}

function badValue(expected: string, name: string, property: string, value: unknown): never {
  throw new codes.ERR_INVALID_RETURN_PROPERTY_VALUE(expected, name, property, value);
}

function checkChained(result: unknown, called: boolean, name: "resolve" | "load"): HookResult {
  if (result === null || typeof result !== "object")
    throw new codes.ERR_INVALID_RETURN_VALUE("an object", `${name} hook's function`, result);
  const { shortCircuit } = result as HookResult;
  if (!called && shortCircuit !== true) badValue("true", name, "shortCircuit", shortCircuit);
  return result;
}

/** Runs the chain of `registerHooks`, the last registered first; `last` is what comes after it. */
function run(
  name: "resolve" | "load",
  subject: string,
  context: HookContext,
  last: (s: string, c: HookContext) => Later<HookResult>,
): Later<HookResult> {
  const from =
    (index: number, above: HookContext) =>
    (given: string, changes?: Partial<HookContext>): Later<HookResult> => {
      const merged = changes === undefined ? above : { ...above, ...changes };
      for (let i = index; i >= 0; i--) {
        const hook = chain[i]![name];
        if (hook === undefined) continue;
        let called = false;
        const next = (s: string, c?: Partial<HookContext>) => {
          called = true;
          if (typeof s !== "string")
            throw new codes.ERR_INVALID_ARG_TYPE(name === "resolve" ? "specifier" : "url", "string", s);
          return from(i - 1, merged)(s, c);
        };
        return after(hook(given, merged, next), (result) => checkChained(result, called, name));
      }
      return last(given, merged);
    };
  return from(chain.length - 1, context)(subject);
}

/** How a module is asked for, and what may be waited for. */
export interface Asking {
  kind: string;
  importer: string;
  /** The answer has to be there at once. */
  sync: boolean;
  paths?: string[] | undefined;
}

/** Both chains, one after the other. */
function runAll(
  asking: Asking,
  name: "resolve" | "load",
  subject: string,
  context: HookContext,
  last: (s: string, c: HookContext) => HookResult,
): Later<HookResult> {
  if (asking.kind === "require-call") return run(name, subject, context, last);
  return run(name, subject, context, (s, c) => {
    if (!hasAsync(name)) return last(s, c);
    if (thread === undefined) {
      const chain = require("internal/module/async_hooks");
      return name === "resolve" ? chain.resolve(asking, s, c) : chain.load(asking.kind, s, c);
    }
    if (name === "resolve") return thread.ask("resolve", [asking.kind, asking.importer, s, c], asking.sync);
    return after(thread.ask("load", [asking.kind, s, c, hasSyncLoad()], asking.sync), loadedThere);
  });
}

function hasSyncLoad(): boolean {
  return chain.some((entry) => entry.load !== undefined);
}

/** Whether hooks of `register` are asked. */
function hasAsync(name: "resolve" | "load"): boolean {
  if (thread !== undefined) return thread.has(name);
  return own.serves === "hooks" && require("internal/module/async_hooks").has(name);
}

/** What the hooks' thread has answered to `load`, as a hook of this thread gives it. */
function loadedThere({ self, ...result }: LoadedThere): LoadResult {
  return self === undefined ? result : { ...result, [kSelf]: { source: result.source, url: self } };
}

/** Hooks take URLs apart: `bun` and packages that are built in (`ws`) are `bun:` ones to them. */
function builtinUrl(specifier: string): string {
  return URL.canParse(specifier) ? specifier : `bun:${specifier}`;
}

export function resolveSelf({ kind, importer, paths }: Asking) {
  return (given: string, context: HookContext): HookResult => {
    const parent = context.parentURL === undefined ? basis(importer) : basis(pathOfUrl(context.parentURL) ?? "");
    if (/^(data|blob|https?):/.test(given)) return { url: given };
    // What a module that is no file imports from beside it.
    if (/^(\.\.?)?\//.test(given) && context.parentURL !== undefined && !context.parentURL.startsWith("file:")) {
      if (URL.canParse(given, context.parentURL)) return { url: new URL(given, context.parentURL).href };
    }
    const conditions = changedConditions(context, kind);
    if (kind === "require-call") {
      const [what, name] = loader.resolve(given, parent, paths !== undefined, paths, conditions);
      return what === "builtin"
        ? { url: builtinUrl(name.startsWith("node:") ? name : given), format: "builtin" }
        : { url: fileUrl(name), format: undefined };
    }
    const url = loader.resolveUrl(given, parent, conditions);
    return loader.builtinId(url) === undefined
      ? { url, format: undefined }
      : { url: builtinUrl(url), format: "builtin" };
  };
}

/**
 * What the loader itself gives for a URL: the text only if somebody looks at it. Hooks of `register` get none of CommonJS, as in Node;
 * one that they give all the same makes `require` in it ask them.
 */
export function loadSelf(kind: string, url: string, isAsked: boolean, isAsync: boolean) {
  return (given: string, context: HookContext): LoadResult => {
    if (loader.builtinId(given) !== undefined)
      return { format: "builtin", source: null, [kSelf]: { source: null, url: given } };
    const file = pathOfUrl(given);
    if (file === undefined) return { format: context.format, source: null, [kSelf]: { source: null, url: given } };
    const { readFileSync } = require("node:fs");
    const format = (given === url ? context.format : undefined) ?? (isAsked ? formatOf(file) : undefined);
    const isRead = isAsked && !(isAsync && format === "commonjs");
    const source = isRead ? (kind === "require-call" ? readFileSync(file, "utf8") : readFileSync(file)) : null;
    return { format, source, [kSelf]: { source, url: given } };
  };
}

function urlOfImporter(path: string): string {
  // Text of the command line is no file, and Node says so.
  return fileUrl(path).replace(/%5Beval(\d*)%5D$/, "[eval$1]");
}

function contextOf(importer: string, kind: string, type: string | undefined): HookContext {
  const isEntry = importer === "" || kind === "entry-point-run";
  return {
    conditions: conditionsOf(kind),
    importAttributes: type === undefined ? {} : { type },
    parentURL: isEntry ? undefined : importer.startsWith("/") ? urlOfImporter(importer) : importer,
  };
}

function checkedUrl(found: HookResult): string {
  if (typeof found.url !== "string") badValue("a URL string", "resolve", "url", found.url);
  return found.url;
}

/** Asks the hooks for a module: undefined if they leave it to the loader. */
export function ask(
  specifier: string,
  importer: string,
  kind: string,
  type: string | undefined,
): Later<Source | undefined> {
  if (kind === "require-call" && chain.length === 0) return undefined;
  if (kind === "require-imported") return askImported(specifier, importer);
  const context = contextOf(importer, kind, type);
  // The program's own path is no specifier.
  const subject = kind === "entry-point-run" && specifier.startsWith("/") ? fileUrl(specifier) : specifier;
  // What `require` loads an ES module with has to be there at once, and so has what that imports.
  const asking = {
    kind,
    importer,
    sync: kind === "require-call" || (kind === "import-statement" && hooks.requires > 0),
  };
  const resolved = runAll(asking, "resolve", subject, context, resolveSelf(asking));
  return after(resolved, (found) => {
    const url = checkedUrl(found);
    if (kind !== "require-call") return loadOnce(asking, url, found, context);
    const path = pathOfUrl(url);
    const cached = cache[path ?? url];
    if (cached !== undefined) return path === undefined ? { value: cached.exports } : { file: path };
    return load(asking, url, found, context);
  });
}

/** `load` hooks are asked once for each URL and type that are imported. */
function loadOnce(asking: Asking, url: string, found: HookResult, context: HookContext): Later<Source | undefined> {
  const { loads } = nodeHooks;
  const key = `${(found.importAttributes ?? context.importAttributes).type ?? ""} ${url}`;
  const known = asking.kind === "entry-point-run" ? undefined : loads.get(key);
  if (known !== undefined && !(asking.sync && isPromise(known))) return known;
  const loaded = load(asking, url, found, context);
  if (loaded !== undefined) loads.set(key, loaded);
  if (isPromise(loaded)) {
    loaded.then(
      (source) => source !== undefined && loads.set(key, source),
      () => loads.delete(key),
    );
  }
  return loaded;
}

/** `require` in CommonJS whose text hooks of `register` gave: what CommonJS finds is a specifier for all hooks. */
function askImported(specifier: string, importer: string): Later<Source | undefined> {
  let subject = specifier;
  if (loader.builtinId(specifier) === undefined) {
    let path: string;
    try {
      path = loader.resolve(specifier, basis(importer), false)[1];
    } catch {
      // The loader says so itself.
      return undefined;
    }
    if (extensionOf(path) === ".node") return undefined;
    subject = fileUrl(path);
  }
  const type = extensionOf(subject) === ".json" ? "json" : undefined;
  const asking = { kind: "import-statement", importer, sync: true };
  const context = contextOf(importer, asking.kind, type);
  const found = runAll(asking, "resolve", subject, context, resolveSelf(asking)) as HookResult;
  return load(asking, checkedUrl(found), found, context);
}

/** `import.meta.resolve` by both chains: a URL, also that of what is not there and that of a directory. */
function resolveNow(specifier: string, importer: string): string {
  const asking = { kind: "import-statement", importer, sync: true };
  const context = contextOf(importer, asking.kind, undefined);
  try {
    return checkedUrl(runAll(asking, "resolve", specifier, context, resolveSelf(asking)) as HookResult);
  } catch (error) {
    const { code, url } = (error ?? {}) as { code?: unknown; url?: unknown };
    if ((code === "ERR_MODULE_NOT_FOUND" || code === "ERR_UNSUPPORTED_DIR_IMPORT") && typeof url === "string")
      return url;
    if (code === "ERR_UNKNOWN_BUILTIN_MODULE") return specifier;
    throw error;
  }
}

function load(asking: Asking, url: string, found: HookResult, context: HookContext): Later<Source | undefined> {
  const { kind } = asking;
  const builtin = loader.builtinId(url);
  const isAsync = kind !== "require-call" && hasAsync("load");
  const isAsked = isAsync || hasSyncLoad();
  if (builtin !== undefined && !isAsked) return { builtin };
  const path = pathOfUrl(url) ?? url;
  const loaded = runAll(
    asking,
    "load",
    url,
    {
      conditions: context.conditions,
      format:
        found.format ??
        (builtin !== undefined ? "builtin" : url.startsWith("file:") && isAsked ? formatOf(path) : undefined),
      importAttributes: found.importAttributes ?? context.importAttributes,
    },
    loadSelf(kind, url, isAsked, false),
  );
  return after(loaded, (result: LoadResult) => {
    const source = sourceOf(kind, url, path, builtin, result);
    // Its `require` asks the hooks, too.
    if (isAsync && source?.contents !== undefined && source.format === "commonjs") source.isImported = true;
    return source;
  });
}

/** Query and hash of a URL: each is a module of its own. */
function suffixOf(url: string): string {
  return /^[^?#]*(.*)$/s.exec(url)![1]!;
}

function sourceOf(
  kind: string,
  url: string,
  path: string,
  builtin: string | undefined,
  result: LoadResult,
): Source | undefined {
  const { format, source } = result;
  const own = result[kSelf];
  if (format === "builtin") return { builtin: loader.builtinId(own?.url ?? url) ?? builtin! };
  if (own !== undefined && own.source === source && (own.url === url || source === null)) {
    // As it is on disk.
    const file = pathOfUrl(own.url);
    if (file !== undefined) return { file: kind === "require-call" ? file : file + suffixOf(own.url) };
    const id = loader.builtinId(own.url);
    return id === undefined ? undefined : { builtin: id };
  }
  if (source == null && format === "commonjs" && pathOfUrl(url) !== undefined) return { file: path };
  const isText = typeof source === "string";
  const isBuffer = source instanceof ArrayBuffer || source instanceof SharedArrayBuffer;
  if (!isText && !isBuffer && !ArrayBuffer.isView(source))
    badValue("a string, an ArrayBuffer, or a TypedArray", "load", "source", source);
  const contents = textOf(source, `The load hook for ${url}`);
  if (kind === "entry-point-run") loader.setMain(path);
  const suffix = kind === "require-call" ? "" : suffixOf(url);
  const key = url.startsWith("file:") ? path + suffix : builtin === undefined ? url : `hook:${url}`;
  const base = { key, path, url, contents };
  switch (format) {
    case "module":
      return { ...base, loader: "js", format: "module" };
    case "commonjs":
      return { ...base, loader: "js", format: "commonjs" };
    case "module-typescript":
      return { ...base, loader: "ts", format: "module" };
    case "commonjs-typescript":
      return { ...base, loader: "ts", format: "commonjs" };
    case "json":
      return { ...base, loader: "json" };
    case undefined:
    case null:
      return { ...base, loader: "js" };
    default: {
      const error: NodeError = new RangeError(`Unknown module format: ${format} for URL ${url}`);
      error.code = "ERR_UNKNOWN_MODULE_FORMAT";
      throw error;
    }
  }
}

/** `require.resolve`: a path, the name of a built-in module or a URL; undefined if there are no hooks for it. */
function resolveForRequire(specifier: string, importer: string, paths?: string[]): string | undefined {
  if (!chain.some((entry) => entry.resolve !== undefined)) return undefined;
  const kind = "require-call";
  const found = run(
    "resolve",
    specifier,
    contextOf(importer, kind, undefined),
    resolveSelf({ kind, importer, sync: true, paths }),
  );
  const url = checkedUrl(found as HookResult);
  const builtin = loader.builtinId(url);
  if (builtin !== undefined) {
    const bare = url.replace(/^node:/, "");
    return specifier === url || loader.builtinId(bare) === undefined ? url : bare;
  }
  return pathOfUrl(url) ?? url;
}

/** `require.resolve` of CommonJS whose text hooks of `register` gave: they are asked with the URL of what is found without them. */
function resolveForImported(specifier: string, importer: string): string {
  let found = resolveForRequire(specifier, importer);
  if (found === undefined) {
    const [what, name] = loader.resolve(specifier, basis(importer), true);
    found = what === "builtin" ? specifier : name;
  }
  if (thread === undefined || !thread.has("resolve")) return found;
  const subject = found.startsWith("/") ? fileUrl(found) : found;
  const kind = "import-statement";
  const asked = thread.ask("resolve", [kind, importer, subject, contextOf(importer, kind, undefined)], true);
  const url = checkedUrl(asked as HookResult);
  return pathOfUrl(url) ?? url;
}

/** The loader asks from now on. */
export function begin(): void {
  nodeHooks.count++;
  hooks.resolve = resolveForRequire;
  hooks.resolveImported = resolveForImported;
  if (own.serves !== "hooks") require("internal/module/import_meta").forHooks.resolve = resolveNow;
  activate();
}

/** `module.registerHooks`: https://nodejs.org/api/module.html#moduleregisterhooksoptions */
export function registerHooks(options: SyncHooks) {
  const { validateFunction } = require("internal/core/validators") as Checks;
  if (options.resolve !== undefined) validateFunction(options.resolve, "hooks.resolve");
  if (options.load !== undefined) validateFunction(options.load, "hooks.load");
  const entry: NodeHooks = { resolve: options.resolve, load: options.load };
  chain.push(entry);
  begin();
  return {
    deregister() {
      const at = chain.indexOf(entry);
      if (at === -1) return;
      chain.splice(at, 1);
      nodeHooks.count--;
    },
  };
}

/**
 * `module.register`: https://nodejs.org/api/module.html#moduleregisterspecifier-parenturl-options. The hooks run on a thread of their own,
 * and this one waits until `initialize` has ended.
 */
export function register(
  specifier: string | URL,
  parent?: string | URL | RegisterOptions,
  options?: RegisterOptions,
): void {
  if (parent !== null && typeof parent === "object" && !(parent instanceof URL)) {
    options = parent;
    parent = options.parentURL;
  }
  const from = parent === undefined ? "data:" : `${parent}`;
  const text = `${specifier}`;
  if (from === "data:" && !URL.canParse(text)) throw new codes.ERR_UNSUPPORTED_RESOLVE_REQUEST(text, "data:");
  const { data, transferList } = options ?? {};
  if (own.serves === "hooks") {
    void require("internal/module/async_hooks").register(text, from, data);
    return;
  }
  thread ??= require("internal/module/hooks_thread").start() as HooksThread;
  thread.ask("register", [text, from, data], true, transferList);
  begin();
}
