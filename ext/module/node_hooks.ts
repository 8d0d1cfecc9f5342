// Hooks of node:module: https://nodejs.org/api/module.html#customization-hooks
//
// There are two chains. Those of `registerHooks` come first and are asked by `import` and `require`; those of `register` may answer
// with promises and are asked by `import` only. They run on the program's own thread.

import type { Hook, HookContext, HookResult, Later, RegisterOptions, Source, SyncHooks } from "internal/module/types";
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
import { hooks } from "internal/module/cjs";
import { codes } from "internal/core/errors";

const loader = native("loader");

interface NodeHooks {
  resolve?: Hook | undefined;
  load?: Hook | undefined;
  /** Of `register`: may answer with promises. */
  async: boolean;
  /** Until `initialize` has ended. */
  ready: Promise<unknown> | undefined;
}

/** In the order of their registration: the last one is asked first. */
const chains: { sync: NodeHooks[]; async: NodeHooks[] } = { sync: [], async: [] };

/** On what the loader itself would load: the source and its URL. */
const kSelf = Symbol("what the loader would do by itself");

interface LoadResult extends HookResult {
  [kSelf]?: { source: unknown; url: string };
}

function pathOfUrl(url: string): string | undefined {
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

function formatOf(path: string): string | undefined {
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

function checkChained(entry: NodeHooks, result: unknown, called: boolean, name: "resolve" | "load"): HookResult {
  if (result === null || typeof result !== "object")
    throw new codes.ERR_INVALID_RETURN_VALUE("an object", `${name} hook's function`, result);
  const { shortCircuit } = result as HookResult;
  if (called || shortCircuit === true) return result;
  if (!entry.async) badValue("true", name, "shortCircuit", shortCircuit);
  const error: NodeError = new Error(
    `"${name}" did not call the next hook in its chain and did not explicitly signal a short circuit. ` +
      `If this is intentional, include \`shortCircuit: true\` in the hook's return.`,
  );
  error.code = "ERR_LOADER_CHAIN_INCOMPLETE";
  throw error;
}

/** Runs a chain of hooks, the last registered first; `last` is what the loader would do. */
function run(
  list: NodeHooks[],
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
        const entry = list[i]!;
        const hook = entry[name];
        if (hook === undefined) continue;
        const call = (): Later<HookResult> => {
          let called = false;
          const next = (s: string, c?: Partial<HookContext>) => {
            called = true;
            if (typeof s !== "string")
              throw new codes.ERR_INVALID_ARG_TYPE(name === "resolve" ? "specifier" : "url", "string", s);
            return from(i - 1, merged)(s, c);
          };
          return after(hook(given, merged, next), (result) => checkChained(entry, result, called, name));
        };
        return entry.ready === undefined ? call() : entry.ready.then(call);
      }
      return last(given, merged);
    };
  return from(list.length - 1, context)(subject);
}

/** Both chains, one after the other. */
function runAll(
  kind: string,
  name: "resolve" | "load",
  subject: string,
  context: HookContext,
  last: (s: string, c: HookContext) => HookResult,
): Later<HookResult> {
  if (kind === "require-call") return run(chains.sync, name, subject, context, last);
  return run(chains.sync, name, subject, context, (s, c) => run(chains.async, name, s, c, last));
}

function resolveSelf(kind: string, importer: string, paths?: string[]) {
  return (given: string, context: HookContext): HookResult => {
    const parent = context.parentURL === undefined ? basis(importer) : basis(pathOfUrl(context.parentURL) ?? "");
    if (/^(data|blob|https?):/.test(given)) return { url: given };
    const conditions = changedConditions(context, kind);
    if (kind === "require-call") {
      const [what, name] = loader.resolve(given, parent, paths !== undefined, paths, conditions);
      return what === "builtin" ? { url: name, format: "builtin" } : { url: fileUrl(name), format: undefined };
    }
    const url = loader.resolveUrl(given, parent, conditions);
    return { url, format: url.startsWith("node:") ? "builtin" : undefined };
  };
}

function contextOf(importer: string, kind: string, type: string | undefined): HookContext {
  const isEntry = importer === "" || kind === "entry-point-run";
  return {
    conditions: conditionsOf(kind),
    importAttributes: type === undefined ? {} : { type },
    parentURL: isEntry ? undefined : importer.startsWith("/") ? fileUrl(importer) : importer,
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
  if (kind === "require-call" && chains.sync.length === 0) return undefined;
  const context = contextOf(importer, kind, type);
  // The program's own path is no specifier.
  const subject = kind === "entry-point-run" && specifier.startsWith("/") ? fileUrl(specifier) : specifier;
  const resolved = runAll(kind, "resolve", subject, context, resolveSelf(kind, importer));
  return after(resolved, (found) => load(kind, checkedUrl(found), found, context));
}

function load(kind: string, url: string, found: HookResult, context: HookContext): Later<Source | undefined> {
  const builtin = loader.builtinId(url);
  const hasLoad = (list: NodeHooks[]) => list.some((entry) => entry.load !== undefined);
  const isAsked = hasLoad(chains.sync) || (kind !== "require-call" && hasLoad(chains.async));
  if (builtin !== undefined && !isAsked) return { builtin };
  const path = pathOfUrl(url) ?? url;
  const loaded = runAll(
    kind,
    "load",
    url,
    {
      conditions: context.conditions,
      importAttributes: found.importAttributes ?? context.importAttributes,
      format:
        found.format ??
        (builtin !== undefined ? "builtin" : url.startsWith("file:") && isAsked ? formatOf(path) : undefined),
    },
    (given, merged): LoadResult => {
      if (loader.builtinId(given) !== undefined)
        return { format: "builtin", source: null, [kSelf]: { source: null, url: given } };
      const file = pathOfUrl(given);
      if (file === undefined) return { format: merged.format, source: null, [kSelf]: { source: null, url: given } };
      const { readFileSync } = require("node:fs");
      const source = isAsked ? (kind === "require-call" ? readFileSync(file, "utf8") : readFileSync(file)) : null;
      const format = given === url ? merged.format : formatOf(file);
      return { format: format ?? (isAsked ? formatOf(file) : undefined), source, [kSelf]: { source, url: given } };
    },
  );
  return after(loaded, (result: LoadResult) => sourceOf(kind, url, path, builtin, result));
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
    if (file !== undefined) return { file };
    return loader.builtinId(own.url) === undefined ? undefined : { builtin: own.url };
  }
  if (source == null && format === "commonjs" && pathOfUrl(url) !== undefined) return { file: path };
  const isText = typeof source === "string";
  if (!isText && !ArrayBuffer.isView(source) && !(source instanceof ArrayBuffer))
    badValue("a string, an ArrayBuffer, or a TypedArray", "load", "source", source);
  const contents = textOf(source, `The load hook for ${url}`);
  if (kind === "entry-point-run") loader.setMain(path);
  const key = url.startsWith("file:") ? path : builtin === undefined ? url : `hook:${url}`;
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
  if (!chains.sync.some((entry) => entry.resolve !== undefined)) return undefined;
  const kind = "require-call";
  const found = run(
    chains.sync,
    "resolve",
    specifier,
    contextOf(importer, kind, undefined),
    resolveSelf(kind, importer, paths),
  );
  const url = checkedUrl(found as HookResult);
  const builtin = loader.builtinId(url);
  if (builtin !== undefined) {
    const bare = url.replace(/^node:/, "");
    return specifier === url || loader.builtinId(bare) === undefined ? url : bare;
  }
  return pathOfUrl(url) ?? url;
}

function add(list: NodeHooks[], entry: NodeHooks): void {
  list.push(entry);
  nodeHooks.count++;
  hooks.resolve = resolveForRequire;
  activate();
}

/** `module.registerHooks`: https://nodejs.org/api/module.html#moduleregisterhooksoptions */
export function registerHooks(options: SyncHooks) {
  const { validateFunction } = require("internal/core/validators") as Checks;
  if (options.resolve !== undefined) validateFunction(options.resolve, "hooks.resolve");
  if (options.load !== undefined) validateFunction(options.load, "hooks.load");
  const entry: NodeHooks = { resolve: options.resolve, load: options.load, async: false, ready: undefined };
  add(chains.sync, entry);
  return {
    deregister() {
      const at = chains.sync.indexOf(entry);
      if (at === -1) return;
      chains.sync.splice(at, 1);
      nodeHooks.count--;
    },
  };
}

/** What a module of hooks exports. */
interface HooksModule extends SyncHooks {
  initialize?: (data: unknown) => unknown;
  globalPreload?: unknown;
}

/**
 * `module.register`. The hooks run on this thread, not on one of their own as in Node, so they see the program's
 * globals; otherwise they are the same. The result is settled when `initialize` has ended.
 */
export function register(
  specifier: string | URL,
  parent?: string | URL | RegisterOptions,
  options?: RegisterOptions,
): Promise<unknown> | undefined {
  if (parent !== null && typeof parent === "object" && !(parent instanceof URL)) {
    options = parent;
    parent = options.parentURL;
  }
  const base = parent === undefined || `${parent}` === "data:" ? `${native("process").cwd()}/` : `${parent}`;
  const { createRequire } = require("node:module");
  const text = `${specifier}`;
  if ((parent === undefined || `${parent}` === "data:") && !URL.canParse(text)) {
    throw new codes.ERR_UNSUPPORTED_RESOLVE_REQUEST(text, "data:");
  }
  const requireFrom = createRequire(
    base.startsWith("file:") || base.startsWith("/") ? base : `${native("process").cwd()}/`,
  );
  const exports = text.startsWith("file:")
    ? requireFrom(require("node:url").fileURLToPath(text))
    : text.startsWith("data:")
      ? loader.requireUrl(text)
      : requireFrom(text);
  const { initialize, resolve, load: loadHook, globalPreload } = exports as HooksModule;
  if (globalPreload !== undefined && initialize === undefined)
    require("node:process").emitWarning(
      "`globalPreload` has been removed; use `initialize` instead.",
      "UnsupportedWarning",
    );
  let ready: Promise<unknown> | undefined;
  if (typeof initialize === "function") {
    const { data, transferList } = options ?? {};
    const sent = data === undefined ? undefined : structuredClone(data, { transfer: transferList ?? [] });
    // A promise that it rejects is an unhandled rejection of the program, and ends what waits for the hooks.
    const begun = initialize(sent);
    if (isPromise(begun as Later<unknown>)) ready = begun as Promise<unknown>;
  }
  const entry: NodeHooks = { resolve, load: loadHook, async: true, ready };
  ready?.then(
    () => (entry.ready = undefined),
    () => {},
  );
  add(chains.async, entry);
  return ready;
}
