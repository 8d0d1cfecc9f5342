// Plugins of a build (https://bun.com/docs/bundler/plugins): what `setup` registers, and the answers to the bundler's questions.
import path from "node:path";
import { blobBytes, bytesOf, notImplemented } from "bun/util";
import { loaderOf } from "internal/bundle/options";
import type { BundlerPlugin } from "internal/bundle/options";
import type { FilterOption, LoaderName } from "internal/bundle/types";

const { dirname } = path;

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
}

type Later<T> = T | PromiseLike<T>;

interface Filtered<Args, Answer> {
  filter: RegExp;
  namespace: string | undefined;
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
  defer: () => Promise<void>;
}

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
  readonly #starts: (() => unknown)[] = [];
  readonly #ends: ((result: unknown) => unknown)[] = [];
  readonly #modules = new Map<string, () => Later<OnLoadAnswer>>();

  /** Calls `setup` of all plugins in their order, and waits for it. `config` is what they see as `build.config`. */
  async setUp(plugins: readonly BundlerPlugin[], config: object): Promise<void> {
    for (const plugin of plugins) {
      const builder = {
        config,
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
        onBeforeParse: () => {
          throw notImplemented("onBeforeParse of a bundler plugin");
        },
      };
      await plugin.setup(builder);
    }
  }

  get resolveFilters(): FilterOption[] {
    const filters = this.#resolvers.map(({ filter, namespace }) => option(filter, namespace));
    for (const specifier of this.#modules.keys())
      filters.push(option(new RegExp(`^${RegExp.escape(specifier)}$`), undefined));
    return filters;
  }

  get loadFilters(): FilterOption[] {
    const filters = this.#loaders.map(({ filter, namespace }) => option(filter, namespace ?? "file"));
    if (this.#modules.size !== 0) filters.push(option(/./, "bao-module"));
    return filters;
  }

  async start(): Promise<void> {
    await Promise.all(this.#starts.map((callback) => callback()));
  }

  async end(result: unknown): Promise<void> {
    for (const callback of this.#ends) await callback(result);
  }

  /** Where a specifier leads. */
  async resolve(path: string, importer: string, namespace: string, kind: string): Promise<Reply | undefined> {
    if (this.#modules.has(path)) return { value: { path, namespace: "bao-module" } };
    const resolveDir = importer === "" ? process.cwd() : dirname(importer);
    for (const resolver of this.#resolvers) {
      if (!matches(resolver, path, namespace)) continue;
      const answer = await resolver.callback({ path, importer, namespace, resolveDir, kind });
      if (answer === undefined || answer === null) continue;
      if (typeof answer !== "object") throw new TypeError("onResolve plugins must return an object");
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
  async load(path: string, namespace: string, loader: LoaderName): Promise<Reply | undefined> {
    const made = namespace === "bao-module" ? this.#modules.get(path) : undefined;
    if (made !== undefined) return contentsOf(await made(), "module");
    for (const one of this.#loaders) {
      if (!matches({ ...one, namespace: one.namespace ?? "file" }, path, namespace)) continue;
      const defer = () => Promise.reject(notImplemented("defer() of onLoad"));
      const answer = await one.callback({ path, namespace, loader, defer });
      if (answer === undefined || answer === null) continue;
      return contentsOf(answer, "onLoad");
    }
    return undefined;
  }
}

function option({ source, flags }: RegExp, namespace: string | undefined): FilterOption {
  return { source, flags, namespace: namespace ?? null };
}

function contentsOf(answer: unknown, method: string): Reply {
  if (typeof answer !== "object" || answer === null) throw new TypeError(`${method} plugins must return an object`);
  const { contents, loader, exports } = answer as OnLoadAnswer;
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
  return { value: loader === undefined ? {} : { loader: loaderOf(loader, "loader") }, bytes };
}
