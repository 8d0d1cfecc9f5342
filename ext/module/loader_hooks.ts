/**
 * Modules that the program makes itself: `Bun.plugin` and the hooks of `node:module`. The loader asks here before it
 * looks at the file system, once the first hook exists.
 *
 * An answer is a {@link Source}, or a promise of one. `import` can wait for promises, `require` cannot.
 */

import type { Later, Source } from "internal/module/types";
import { hooks } from "internal/module/cjs";

const loader = native("loader");

/** What a plugin gives: `onResolve` a path, `onLoad` and virtual modules a text or exports. */
interface PluginAnswer {
  path?: unknown;
  namespace?: string;
  external?: unknown;
  loader?: string;
  contents?: unknown;
  exports?: object | null;
}

interface Filtered {
  filter: RegExp;
  namespace: string;
  callback: (args: object) => Later<PluginAnswer | null | undefined>;
}

const resolvers: Filtered[] = [];
const loaders: Filtered[] = [];
const virtual = new Map<string, () => Later<PluginAnswer>>();
/** Namespaces of modules that plugins made, by path: what they import names it. */
const namespaces = new Map<string, string>();

const loaderByExtension: Record<string, string> = {
  __proto__: null as never,
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".json": "json",
  ".jsonc": "jsonc",
  ".json5": "json5",
  ".toml": "toml",
  ".yaml": "yaml",
  ".yml": "yaml",
  ".txt": "text",
  ".wasm": "wasm",
  ".node": "napi",
};

export function isPromise<T>(value: Later<T>): value is Promise<T> {
  return value !== null && typeof value === "object" && typeof (value as Partial<Promise<T>>).then === "function";
}

/** Goes on with `next` now, or when `value` is there. */
export function after<T, R>(value: Later<T>, next: (value: T) => Later<R>): Later<R> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const at = name.lastIndexOf(".");
  return at <= 0 ? "" : name.slice(at);
}

export function fileUrl(path: string): string {
  return require("node:url").pathToFileURL(path).href;
}

export function textOf(contents: unknown, where: string): string {
  if (typeof contents === "string") return contents;
  if (ArrayBuffer.isView(contents) || contents instanceof ArrayBuffer || contents instanceof SharedArrayBuffer) {
    return new TextDecoder().decode(contents);
  }
  throw new TypeError(`${where}: expected "contents" to be a string, an ArrayBuffer or a view`);
}

/** From now on the loader asks. */
export function activate() {
  hooks.load = load;
  loader.activateHooks();
}

/** A path that relative specifiers of `importer` can be resolved from. */
export function basis(importer: string): string {
  return importer.startsWith("/") ? importer : `${native("process").cwd()}/[plugin]`;
}

/** What the loader would resolve to by itself; undefined where it would fail, and then says so itself. */
export function resolveAlone(specifier: string, importer: string, kind: string): Source | undefined {
  try {
    if (kind === "require-call") {
      const [what, name] = loader.resolve(specifier, basis(importer), false);
      return what === "builtin" ? { builtin: name } : { file: name };
    }
    const url: string = loader.resolveUrl(specifier, basis(importer));
    if (!url.startsWith("file:")) {
      const builtin = loader.builtinId(url);
      return builtin === undefined ? undefined : { builtin };
    }
    return { file: require("node:url").fileURLToPath(url) };
  } catch {
    return undefined;
  }
}

/** Mocked modules (internal/bun_test/module_mock), which come before plugins and hooks. */
export const moduleMocks: {
  ask: ((specifier: string, importer: string, kind: string) => Later<Source | undefined>) | undefined;
  /** The same of node:test, with the import attribute `type`. */
  askNode: ((specifier: string, importer: string, kind: string, type?: string) => Source | undefined) | undefined;
  /** The path of a mocked module that has no file. */
  path: ((specifier: string, importer: string) => string | undefined) | undefined;
  activate: () => void;
} = {
  ask: undefined,
  askNode: undefined,
  path: undefined,
  activate,
};

/** How many hooks of node:module there are (internal/module/node_hooks), and what they gave for URLs and types that were imported. */
export const nodeHooks = { count: 0, loads: new Map<string, Later<Source | undefined>>() };

// Bun.plugin

function firstAnswer(list: Filtered[], namespace: string, text: string, args: object): Later<PluginAnswer | undefined> {
  const from = (index: number): Later<PluginAnswer | undefined> => {
    for (let i = index; i < list.length; i++) {
      const entry = list[i];
      if (entry.namespace !== namespace) continue;
      entry.filter.lastIndex = 0;
      if (!entry.filter.test(text)) continue;
      const answer = entry.callback(args);
      if (isPromise(answer)) return answer.then((value) => (value == null ? from(i + 1) : value));
      if (answer != null) return answer;
    }
    return undefined;
  };
  return from(0);
}

function sourceOf(answer: PluginAnswer, path: string, key: string, url: string, where: string): Source {
  if (typeof answer !== "object") throw new TypeError(`${where}: expected an object`);
  if (answer.loader === "object" || (answer.exports !== undefined && answer.contents === undefined)) {
    if (answer.exports === null || typeof answer.exports !== "object") {
      throw new TypeError(`${where}: the "object" loader expects "exports" to be an object`);
    }
    return { key, path, url, exports: answer.exports };
  }
  const name = answer.loader ?? loaderByExtension[extensionOf(path)] ?? "js";
  if (!["js", "jsx", "ts", "tsx", "json", "jsonc", "json5", "toml", "yaml", "text", "file"].includes(name)) {
    throw new TypeError(`${where}: the loader "${name}" is not implemented for plugins in bao yet`);
  }
  return { key, path, url, loader: name, contents: textOf(answer.contents, where) };
}

function loadByPlugins(path: string, namespace: string): Later<Source | undefined> {
  const args = {
    path,
    namespace,
    suffix: "",
    loader: loaderByExtension[extensionOf(path)] ?? "file",
    defer() {
      throw new Error("onLoad's defer() is for the bundler; it is not available at run time");
    },
  };
  return after(firstAnswer(loaders, namespace, path, args), (answer): Later<Source | undefined> => {
    if (answer == null) return undefined;
    const isFile = namespace === "file";
    if (!isFile) namespaces.set(path, namespace);
    const key = isFile ? path : `${namespace}:${path}`;
    const url = isFile && path.startsWith("/") ? fileUrl(path) : key;
    return sourceOf(answer, path, key, url, `onLoad plugin for "${key}"`);
  });
}

function askPlugins(specifier: string, importer: string, kind: string): Later<Source | undefined> {
  const made = virtual.get(specifier);
  if (made !== undefined) {
    return after(made(), (answer) =>
      sourceOf(answer, specifier, `module:${specifier}`, specifier, `module "${specifier}"`),
    );
  }
  const from = namespaces.get(importer) ?? "file";
  // `namespace:path` names a module of a plugin directly.
  const colon = specifier.indexOf(":");
  const named = colon > 0 ? specifier.slice(0, colon) : "";
  const namespace = named !== "" && resolvers.some((entry) => entry.namespace === named) ? named : from;
  const path = namespace === named && named !== "" ? specifier.slice(colon + 1) : specifier;
  const args = {
    path,
    importer,
    namespace,
    resolveDir: importer.startsWith("/") ? importer.slice(0, importer.lastIndexOf("/")) || "/" : "",
    kind,
  };
  return after(firstAnswer(resolvers, namespace, path, args), (answer): Later<Source | undefined> => {
    if (answer == null) {
      if (named !== "" && loaders.some((entry) => entry.namespace === named)) {
        return loadByPlugins(specifier.slice(colon + 1), named);
      }
      if (!loaders.some((entry) => entry.namespace === "file")) return undefined;
      const alone = resolveAlone(specifier, importer, kind);
      if (alone?.file === undefined) return alone?.builtin === undefined ? undefined : alone;
      return after(loadByPlugins(alone.file, "file"), (found) => found ?? undefined);
    }
    if (typeof answer.path !== "string") {
      throw new TypeError(`onResolve plugin for "${specifier}": expected "path" to be a string`);
    }
    if (answer.external === true) return resolveAlone(answer.path, importer, kind);
    const target = answer.namespace ?? "file";
    return after(loadByPlugins(answer.path, target), (found): Source => {
      if (found !== undefined) return found;
      if (target !== "file") {
        throw new Error(
          `Cannot load "${target}:${answer.path}": no plugin has an onLoad for it (imported by ${importer})`,
        );
      }
      return resolveAlone(answer.path as string, importer, kind) ?? { file: answer.path as string };
    });
  });
}

/** Which modules a callback is for. */
interface Constraints {
  filter?: unknown;
  namespace?: unknown;
}

function checkFiltered(name: string, constraints: Constraints, callback: unknown): Filtered {
  if (constraints === null || typeof constraints !== "object") {
    throw new TypeError(`${name}() expects an object with "filter" as its first argument`);
  }
  const { filter, namespace = "file" } = constraints;
  if (!(filter instanceof RegExp)) throw new TypeError(`${name}() expects "filter" to be a RegExp`);
  if (typeof namespace !== "string") throw new TypeError(`${name}() expects "namespace" to be a string`);
  if (!/^[A-Za-z0-9_-]*$/.test(namespace)) {
    throw new TypeError(`${name}(): a namespace may hold letters, digits, "-" and "_" only`);
  }
  if (typeof callback !== "function") throw new TypeError(`${name}() expects a function as its second argument`);
  return { filter, namespace: namespace === "" ? "file" : namespace, callback } as Filtered;
}

function onlyInBuilds(name: string) {
  return () => {
    throw new Error(`${name}() is for the bundler; it is not available at run time`);
  };
}

interface PluginOptions {
  target?: string;
  setup(builder: object): unknown;
}

/** `Bun.plugin`: https://bun.sh/docs/runtime/plugins */
export function plugin(options: PluginOptions): Promise<unknown> | undefined {
  if (options === null || typeof options !== "object") throw new TypeError("plugin() expects an object");
  if (typeof options.setup !== "function") throw new TypeError('plugin() expects "setup" to be a function');
  // Plugins for the bundler's other targets are no business of the runtime.
  if (options.target !== undefined && options.target !== "bun") {
    if (options.target === "browser" || options.target === "node") return undefined;
    throw new TypeError('plugin() expects "target" to be "bun", "node" or "browser"');
  }
  const builder = {
    config: {},
    target: "bun",
    onResolve(constraints: Constraints, callback: unknown) {
      resolvers.push(checkFiltered("onResolve", constraints, callback));
      activate();
      return builder;
    },
    onLoad(constraints: Constraints, callback: unknown) {
      loaders.push(checkFiltered("onLoad", constraints, callback));
      activate();
      return builder;
    },
    module(specifier: string, callback: () => Later<PluginAnswer>) {
      if (typeof specifier !== "string" || specifier === "") throw new TypeError("module() expects a specifier");
      if (typeof callback !== "function") throw new TypeError("module() expects a function as its second argument");
      if (loader.builtinId(specifier) !== undefined)
        throw new TypeError(`module() cannot replace the built-in "${specifier}"`);
      virtual.set(specifier, callback);
      activate();
      return builder;
    },
    onStart: onlyInBuilds("onStart"),
    onEnd: onlyInBuilds("onEnd"),
    onBeforeParse: onlyInBuilds("onBeforeParse"),
  };
  const result = options.setup(builder);
  return isPromise(result) ? result : undefined;
}

plugin.clearAll = function clearAll() {
  resolvers.length = 0;
  loaders.length = 0;
  virtual.clear();
};

// The loader's side

/**
 * Asks the hooks for `specifier`.
 *
 * - `kind`: `import-statement`, `dynamic-import`, `require-call` or `entry-point-run`.
 * - `type`: the import attribute of that name.
 *
 * Undefined where no hook has an opinion; else a source, or (not for `require`) a promise of a module record.
 */
export function load(
  specifier: string,
  importer: string,
  kind: string,
  type?: string,
): Source | undefined | Promise<object> {
  let answer: Later<Source | undefined> = moduleMocks.ask?.(specifier, importer, kind);
  if (answer === undefined) answer = moduleMocks.askNode?.(specifier, importer, kind, type);
  if (answer === undefined && nodeHooks.count > 0)
    answer = require("internal/module/node_hooks").ask(specifier, importer, kind, type);
  if (answer === undefined && resolvers.length + loaders.length + virtual.size > 0) {
    answer = askPlugins(specifier, importer, kind);
  }
  if (!isPromise(answer)) return answer;
  if (kind === "require-call") {
    throw new TypeError(
      `require() cannot load "${specifier}": a plugin or hook answered with a promise; use import() instead`,
    );
  }
  // The program's first module goes on where it began, see `startEntry`.
  if (kind === "entry-point-run") return answer as Promise<object>;
  const graph = loader.currentGraph();
  return answer.then((source) => loader.hookedModule(source, specifier, importer, graph));
}

/** Goes on with the program's first module once the hooks have answered: a promise of the end of its evaluation. */
export async function startEntry(answer: Promise<object | undefined>, path: string): Promise<void> {
  await loader.runEntry(path, await answer);
}

/** A module behind a `blob:` URL, as a promise of its record. */
export function loadBlob(url: string): Promise<object> {
  const blob = require("node:buffer").resolveObjectURL(url);
  if (blob === undefined) {
    const error: NodeError = new Error(`Cannot find module '${url}': the object URL was revoked or never made`);
    error.code = "ERR_MODULE_NOT_FOUND";
    throw error;
  }
  const type = blob.type.split(";")[0].trim();
  const name =
    type === "application/json" ? "json" : type === "text/plain" ? "text" : /jsx|tsx/.test(type) ? "tsx" : "ts";
  const graph = loader.currentGraph();
  return blob.text().then((contents: string) =>
    loader.hookedModule(
      {
        key: url,
        path: url,
        url,
        loader: name,
        contents,
        format: name === "ts" || name === "tsx" ? "module" : undefined,
      },
      url,
      "",
      graph,
    ),
  );
}
