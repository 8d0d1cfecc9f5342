// Plugins of a build (https://bun.com/docs/bundler/plugins): what `setup` registers, and the answers to the bundler's questions.
import path from "node:path";
import { blobBytes, bytesOf } from "bun/util";
import { loaderOf } from "internal/bundle/options";
import { RollupHost, isRollupPlugin } from "internal/bundle/rollup";
import type { RollupPlugin } from "internal/bundle/rollup";
import type { BundlerPlugin } from "internal/bundle/options";
import type { FilterOption, LoaderName } from "internal/bundle/types";

const { dirname } = path;

const ops = native("bundle");

interface OnResolveAnswer {
  path?: unknown;
  namespace?: unknown;
  external?: unknown;
  sideEffects?: unknown;
}

interface OnLoadAnswer {
  contents?: unknown;
  loader?: unknown;
  exports?: unknown;
  /** Only of Rollup's plugins. */
  sideEffects?: boolean | undefined;
}

type Later<T> = T | PromiseLike<T>;

interface Filtered<Args, Answer> {
  filter: RegExp;
  namespace: string | undefined;
  /** Whether it is asked about files of all namespaces. */
  anywhere?: boolean;
  callback: (args: Args) => Later<Answer | null | undefined>;
}

interface ResolveArgs {
  path: string;
  importer: string;
  namespace: string;
  resolveDir: string;
  kind: string;
}

interface LoadArgs {
  path: string;
  namespace: string;
  loader: LoaderName;
  /** Where the module will run. */
  side: "client" | "server";
  defer: () => Promise<void>;
}

/** A function of a native plugin: the file of its addon, its name, and what it is given. */
type NativeFunction = [file: string, symbol: string, external: unknown];

/** The answer to a question: JSON and bytes; `undefined` if no plugin knows. */
export interface Reply {
  value: object;
  bytes?: Uint8Array | undefined;
}

function filterOf(constraints: unknown, method: string): { filter: RegExp; namespace: string | undefined } {
  if (typeof constraints !== "object" || constraints === null)
    throw new TypeError(`Expected an object as first argument of ${method}`);
  const { filter, namespace } = constraints as { filter?: unknown; namespace?: unknown };
  if (!(filter instanceof RegExp))
    throw new TypeError(`${method}() expects first argument to be an object containing "filter" RegExp`);
  if (namespace !== undefined && typeof namespace !== "string") {
    throw new TypeError(`${method}() expects namespace to be a string`);
  }
  return { filter, namespace: namespace === "" ? undefined : namespace };
}

/** What `onBeforeParse` takes. Throws Bun's errors about what is no function of a native plugin. */
function nativeFunctionOf(plugin: unknown): NativeFunction {
  const { napiModule, symbol, external } = Object(plugin) as {
    napiModule?: unknown;
    symbol?: unknown;
    external?: unknown;
  };
  const file = require("internal/napi/load").fileOfAddon(napiModule);
  if (file === undefined) {
    throw new TypeError("onBeforeParse `napiModule` must be a Napi module which exports the `BUN_PLUGIN_NAME` symbol.");
  }
  if (typeof symbol !== "string") throw new TypeError("onBeforeParse `symbol` must be a string");
  try {
    native("napi").checkPlugin(file, symbol, external);
  } catch (error) {
    const { name, code, message } = error as NodeError;
    // Its text has the code, as that of Node's errors.
    if (code !== undefined) {
      const toString = () => `${name} [${code}]: ${message}`;
      Object.defineProperty(error, "toString", { value: toString, configurable: true, writable: true });
    }
    throw error;
  }
  return [file, symbol, external];
}

function callbackOf(callback: unknown, method: string): (...args: unknown[]) => unknown {
  if (typeof callback !== "function") throw new TypeError(`${method}() expects second argument to be a function`);
  return callback as (...args: unknown[]) => unknown;
}

function matches(
  { filter, namespace }: { filter: RegExp; namespace: string | undefined },
  text: string,
  space: string,
): boolean {
  if (namespace !== undefined && namespace !== space) return false;
  filter.lastIndex = 0;
  return filter.test(text);
}

/** The plugins of one build. */
export class Plugins {
  readonly #resolvers: Filtered<ResolveArgs, OnResolveAnswer>[] = [];
  readonly #loaders: Filtered<LoadArgs, OnLoadAnswer>[] = [];
  readonly #natives: { filter: RegExp; namespace: string; call: NativeFunction }[] = [];
  readonly #starts: (() => unknown)[] = [];
  readonly #ends: ((result: unknown) => unknown)[] = [];
  readonly #modules = new Map<string, () => Later<OnLoadAnswer>>();
  /** What waits for all other modules, by question. */
  readonly #deferred = new Map<number, () => void>();
  readonly #defer: (question: number) => void;
  readonly rollup = new RollupHost();

  /** `defer` asks the bundler to call {@link wake} of a question when all other modules have been loaded. */
  constructor(defer: (question: number) => void) {
    this.#defer = defer;
  }

  /** Calls `setup` of all plugins in their order, and waits for it. `config` is what they see as `build.config`. */
  async setUp(plugins: readonly BundlerPlugin[], config: object, assetNames: string): Promise<void> {
    for (const plugin of plugins) {
      if (plugin.setup === undefined) {
        if (isRollupPlugin(plugin)) await this.#addRollup(plugin, assetNames, config);
        continue;
      }
      const builder = {
        config,
        initialOptions: initialOptions(config as { [name: string]: unknown }),
        onStart: (callback: unknown) => {
          this.#starts.push(callbackOf(callback, "onStart"));
          return builder;
        },
        onEnd: (callback: unknown) => {
          this.#ends.push(callbackOf(callback, "onEnd"));
          return builder;
        },
        onResolve: (constraints: unknown, callback: unknown) => {
          const filtered = filterOf(constraints, "onResolve");
          const call = callbackOf(callback, "onResolve") as Filtered<ResolveArgs, OnResolveAnswer>["callback"];
          this.#resolvers.push({ ...filtered, callback: call });
          return builder;
        },
        onLoad: (constraints: unknown, callback: unknown) => {
          const filtered = filterOf(constraints, "onLoad");
          const call = callbackOf(callback, "onLoad") as Filtered<LoadArgs, OnLoadAnswer>["callback"];
          this.#loaders.push({ ...filtered, callback: call });
          return builder;
        },
        module: (specifier: unknown, callback: unknown) => {
          if (typeof specifier !== "string") throw new TypeError("module() expects a specifier");
          this.#modules.set(specifier, callbackOf(callback, "module") as () => Later<OnLoadAnswer>);
          return builder;
        },
        onBeforeParse: (constraints: unknown, plugin: unknown) => {
          const { filter, namespace } = filterOf(constraints, "onBeforeParse");
          this.#natives.push({ filter, namespace: namespace ?? "file", call: nativeFunctionOf(plugin) });
          return builder;
        },
      };
      await plugin.setup(builder);
    }
  }

  /** The first Rollup plugin stands for all of them among the plugins of Bun; among themselves they keep their order. */
  async #addRollup(plugin: object, assetNames: string, config: object): Promise<void> {
    const { rollup } = this;
    const wasEmpty = rollup.isEmpty;
    const given = config as { entrypoints?: unknown };
    await rollup.add(plugin as RollupPlugin, assetNames, { input: given.entrypoints });
    if (rollup.input !== undefined) given.entrypoints = rollup.input;
    // It is not the first of all, or was not added: some are for Vite's server only.
    if (!wasEmpty || rollup.isEmpty) return;
    this.#resolvers.push({
      filter: /(?:)/,
      namespace: undefined,
      callback: async ({ path, importer, namespace, kind }) => {
        const isEntry = kind === "entry-point-build";
        const from = idOf(importer, namespace);
        const found =
          kind === "dynamic-import"
            ? await rollup.resolveDynamic(path, from)
            : await rollup.resolveId(path, importer === "" ? undefined : from, { isEntry });
        if (found === undefined) return undefined;
        return { path: found.id, external: found.external, sideEffects: found.moduleSideEffects };
      },
    });
    this.#loaders.push({
      filter: /(?:)/,
      namespace: undefined,
      anywhere: true,
      callback: async ({ path, namespace }) => {
        const found = await rollup.load(idOf(path, namespace));
        return found === undefined
          ? undefined
          : {
              contents: found.code,
              loader: loaderOfType(found.moduleType) ?? "js",
              sideEffects: found.hasEffects,
            };
      },
    });
  }

  /** Whether no plugin asks to resolve or load a module. */
  get isEmpty(): boolean {
    return this.#resolvers.length === 0 && this.#loaders.length === 0 && this.#modules.size === 0;
  }

  get resolveFilters(): FilterOption[] {
    const filters = this.#resolvers.map(({ filter, namespace }) => option(filter, namespace));
    for (const specifier of this.#modules.keys())
      filters.push(option(new RegExp(`^${RegExp.escape(specifier)}$`), undefined));
    return filters;
  }

  get loadFilters(): FilterOption[] {
    const filters = this.#loaders.map(({ filter, namespace, anywhere }) =>
      option(filter, anywhere === true ? undefined : (namespace ?? "file")),
    );
    if (this.#modules.size !== 0) filters.push(option(/./, "bao-module"));
    return filters;
  }

  get nativeFilters(): FilterOption[] {
    return this.#natives.map(({ filter, namespace }) => option(filter, namespace));
  }

  /** The functions that are called for {@link nativeFilters}, in their order. */
  get nativeFunctions(): NativeFunction[] {
    return this.#natives.map(({ call }) => call);
  }

  /** A module of the development server as native plugins leave it. Throws about an error that one tells. */
  prepared(
    path: string,
    namespace: string,
    bytes: Uint8Array,
    loader: LoaderName,
  ): { bytes: Uint8Array; loader: LoaderName } {
    const asked = this.#natives.filter((one) => matches(one, path, namespace)).map(({ call }) => call);
    const found = asked.length === 0 ? null : ops.beforeParse(asked, path, namespace, loader, bytes);
    return found === null ? { bytes, loader } : { bytes: found[0], loader: found[1] as LoaderName };
  }

  async start(): Promise<void> {
    await Promise.all(this.#starts.map((callback) => callback()));
  }

  /** Calls all `onEnd`, whatever one of them throws; the first error that comes rejects. */
  async end(result: unknown): Promise<void> {
    const failures: unknown[] = [];
    const pending: unknown[] = [];
    for (const callback of this.#ends) {
      try {
        pending.push(callback(result));
      } catch (error) {
        failures.push(error);
      }
    }
    const waiting = Promise.all(pending);
    if (failures.length === 0) {
      await waiting;
      return;
    }
    waiting.catch(() => undefined);
    // Those that have begun go on for a turn, as in Bun.
    await Promise.resolve();
    throw failures[0];
  }

  /** Where a specifier leads. */
  async resolve(path: string, importer: string, namespace: string, kind: string): Promise<Reply | undefined> {
    if (this.#modules.has(path)) return { value: { path, namespace: "bao-module" } };
    const resolveDir = importer === "" ? process.cwd() : dirname(importer);
    for (const resolver of this.#resolvers) {
      if (!matches(resolver, path, namespace)) continue;
      const answer = await resolver.callback({ path, importer, namespace, resolveDir, kind });
      // Bun goes on to the next plugin for whatever is no object.
      if (typeof answer !== "object" || answer === null) continue;
      const { external, sideEffects } = answer;
      const found = answer.path ?? (external === true ? path : undefined);
      if (found === undefined) continue;
      if (typeof found !== "string") throw new TypeError("onResolve plugins: 'path' must be a string");
      if (answer.namespace !== undefined && typeof answer.namespace !== "string") {
        throw new TypeError("onResolve plugins: 'namespace' must be a string");
      }
      return {
        value: {
          path: found,
          namespace: answer.namespace ?? "file",
          external: external === true,
          sideEffects: typeof sideEffects === "boolean" ? sideEffects : null,
        },
      };
    }
    return undefined;
  }

  /** The text of a module. */
  async load(
    question: number,
    path: string,
    namespace: string,
    loader: LoaderName,
    side: "client" | "server",
  ): Promise<Reply | undefined> {
    const made = namespace === "bao-module" ? this.#modules.get(path) : undefined;
    if (made !== undefined) return contentsOf(await made(), "module");
    for (const one of this.#loaders) {
      const space = one.anywhere === true ? undefined : (one.namespace ?? "file");
      if (!matches({ ...one, namespace: space }, path, namespace)) continue;
      const defer = () => this.#waitForOthers(question);
      const answer = await one.callback({ path, namespace, loader, side, defer });
      if (answer === undefined || answer === null) continue;
      return contentsOf(answer, "onLoad");
    }
    return undefined;
  }

  /** The promise of `defer()`. A module can wait once. */
  #waitForOthers(question: number): Promise<void> {
    if (this.#deferred.has(question)) throw new Error("Can't call .defer() more than once within an onLoad plugin");
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#deferred.set(question, resolve);
    this.#defer(question);
    return promise;
  }

  /** All other modules have been loaded. */
  wake(question: number): void {
    this.#deferred.get(question)?.();
  }

  /** The text of a module by Rollup's `transform`. `loader` is what the text is before. */
  async transform(path: string, namespace: string, code: string, loader: LoaderName): Promise<Reply | undefined> {
    const changed = await this.rollup.transform(idOf(path, namespace), code, loader);
    if (changed === undefined) return undefined;
    const chosen = loaderOfType(changed.moduleType);
    return {
      value: {
        maps: changed.maps,
        sideEffects: changed.hasEffects,
        ...(chosen === undefined ? {} : { loader: chosen }),
      },
      bytes: Buffer.from(changed.code),
    };
  }

  /** What plugins of Rollup answer in a hook; `about` is what it is about, as JSON. */
  async callRollup(hook: string, about: string): Promise<Reply | undefined> {
    const answer = await this.rollup.ask(hook, JSON.parse(about) as { [name: string]: unknown });
    return answer === undefined ? undefined : { value: answer as object };
  }

  /** A chunk by Rollup's `renderChunk`; `chunk` is JSON. */
  async renderChunk(code: string, chunk: string, options: object): Promise<Reply | undefined> {
    const changed = await this.rollup.renderChunk(code, JSON.parse(chunk), options);
    return changed === undefined ? undefined : { value: { maps: changed.maps }, bytes: Buffer.from(changed.code) };
  }
}

/** The options as esbuild's plugins read them. */
function initialOptions(config: { [name: string]: unknown }): object {
  const minify = config["minify"];
  const one = (name: string) => {
    const on = typeof minify === "object" && minify !== null ? (minify as { [name: string]: unknown })[name] : minify;
    return on === true ? true : undefined;
  };
  return {
    bundle: true,
    entryPoints: config["entrypoints"],
    external: config["external"],
    format: config["format"] ?? "esm",
    minify: minify === true,
    minifyIdentifiers: one("identifiers"),
    minifySyntax: one("syntax"),
    minifyWhitespace: one("whitespace"),
    outdir: config["outdir"],
    platform: config["target"] === undefined || config["target"] === "browser" ? "browser" : "node",
    sourcemap: config["sourcemap"] === undefined || config["sourcemap"] === "none" ? undefined : config["sourcemap"],
  };
}

/** A file as Rollup names it: other namespaces are virtual modules, which begin with a NUL. */
function idOf(path: string, namespace: string): string {
  return namespace === "file" || namespace === "" ? path : `\0${namespace}:${path}`;
}

/** The loader of Rolldown's `moduleType`. */
function loaderOfType(type: string | undefined): LoaderName | undefined {
  return type === undefined ? undefined : loaderOf(type, "moduleType");
}

function option({ source, flags }: RegExp, namespace: string | undefined): FilterOption {
  return { source, flags, namespace: namespace ?? null };
}

function contentsOf(answer: unknown, method: string): Reply {
  if (typeof answer !== "object" || answer === null) throw new TypeError(`${method} plugins must return an object`);
  const { contents, loader, exports, sideEffects } = answer as OnLoadAnswer;
  if (loader === "object") {
    if (typeof exports !== "object" || exports === null)
      throw new TypeError(`${method} plugins: 'exports' must be an object`);
    const lines = Object.entries(exports).map(([name, value]) =>
      name === "default"
        ? `export default ${JSON.stringify(value)};`
        : `const value_${name} = ${JSON.stringify(value)}; export { value_${name} as ${JSON.stringify(name)} };`,
    );
    return { value: { loader: "js" }, bytes: Buffer.from(lines.join("\n")) };
  }
  const bytes =
    typeof contents === "string"
      ? Buffer.from(contents)
      : typeof contents === "object" && contents !== null
        ? (bytesOf(contents) ?? blobBytes(contents))
        : undefined;
  if (bytes === undefined) {
    throw new TypeError(
      `${method} plugins must return an object with "contents" as a string, a Blob or an ArrayBufferView`,
    );
  }
  return { value: { sideEffects, ...(loader === undefined ? {} : { loader: loaderOf(loader, "loader") }) }, bytes };
}
