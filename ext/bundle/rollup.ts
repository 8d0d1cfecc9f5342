// Plugins of Rollup (https://rollupjs.org/plugin-development) as plugins of Bun.build: their hooks are asked in the order of
// the plugins, and their context has what most of them use.
import path from "node:path";
import { notImplemented } from "bun/util";

const { dirname } = path;

type Later<T> = T | PromiseLike<T>;

/** A hook: a function, or an object with one. */
type Hook = ((this: object, ...args: never[]) => unknown) | { handler: (this: object, ...args: never[]) => unknown };

/** An object with hooks of Rollup. */
type RollupPlugin = { name?: string } & { [hook: string]: unknown };

/** A file that plugins add to the results. */
interface EmittedAsset {
  fileName: string;
  source: string | Uint8Array;
}

/** What a plugin sees of a result in `generateBundle`. */
export type BundleItem =
  | { type: "asset"; fileName: string; name: string | undefined; source: string | Uint8Array }
  | {
      type: "chunk";
      fileName: string;
      name: string;
      isEntry: boolean;
      code: string;
      map: { toString(): string } | null;
      facadeModuleId: string | null;
    };

interface ResolvedId {
  id: string;
  external: boolean;
  moduleSideEffects: boolean | null;
}

interface Transformed {
  code: string;
  map: string | null;
  moduleType: string | undefined;
}

const hooks = [
  "buildStart",
  "resolveId",
  "load",
  "transform",
  "buildEnd",
  "renderStart",
  "renderChunk",
  "generateBundle",
  "writeBundle",
  "closeBundle",
  "banner",
  "footer",
];

/** Hooks that would change what a build gives, and that are not called. */
const missing = [
  "resolveDynamicImport",
  "intro",
  "outro",
  "resolveFileUrl",
  "augmentChunkHash",
  "shouldTransformCachedModule",
];

/** Whether an object is a plugin of Rollup. */
export function isRollupPlugin(plugin: object): plugin is RollupPlugin {
  return hooks.some((name) => (plugin as RollupPlugin)[name] !== undefined);
}

function handlerOf(plugin: RollupPlugin, name: string): ((this: object, ...args: unknown[]) => unknown) | undefined {
  const hook = plugin[name] as Hook | string | undefined | null;
  if (typeof hook === "function") return hook as never;
  if (typeof hook === "object" && hook !== null && typeof hook.handler === "function") return hook.handler as never;
  return undefined;
}

/** Text and map of what `transform` and `renderChunk` give; undefined if nothing changes. */
function changeOf(answer: unknown, plugin: RollupPlugin, hook: string): Transformed | undefined {
  if (answer === null || answer === undefined) return undefined;
  if (typeof answer === "string") return { code: answer, map: null, moduleType: undefined };
  if (typeof answer !== "object") throw new TypeError(`${hook} of the plugin "${plugin.name}" must return code`);
  const { code, map, moduleType } = answer as { code?: unknown; map?: unknown; moduleType?: unknown };
  if (code === undefined || code === null) return undefined;
  // magic-string and the like give objects that become text.
  const text = typeof code === "string" ? code : String(code);
  const mapText =
    map === undefined || map === null
      ? null
      : typeof map === "string"
        ? map
        : JSON.stringify({ names: [], sources: [], ...(map as object) });
  return { code: text, map: mapText, moduleType: typeof moduleType === "string" ? moduleType : undefined };
}

/** What the hooks of all Rollup plugins of a build share. */
export class RollupHost {
  readonly #plugins: RollupPlugin[] = [];
  readonly #contexts = new Map<RollupPlugin, object>();
  readonly #assets = new Map<string, EmittedAsset>();
  readonly warnings: Error[] = [];
  readonly watched = new Set<string>();
  #assetNames = "[name]-[hash].[ext]";

  get isEmpty(): boolean {
    return this.#plugins.length === 0;
  }

  has(hook: string): boolean {
    return this.#plugins.some((plugin) => handlerOf(plugin, hook) !== undefined);
  }

  /** Adds a plugin. Throws about hooks that are not called. */
  add(plugin: RollupPlugin, assetNames: string): void {
    for (const hook of missing) {
      if (plugin[hook] !== undefined) throw notImplemented(`the hook "${hook}" of the plugin "${plugin.name}"`);
    }
    // A plugin of Vite for its server only.
    if (plugin["apply"] === "serve") return;
    this.#assetNames = assetNames;
    this.#plugins.push(plugin);
  }

  #contextOf(plugin: RollupPlugin): object {
    let context = this.#contexts.get(plugin);
    if (context === undefined) this.#contexts.set(plugin, (context = this.#makeContext(plugin)));
    return context;
  }

  #makeContext(plugin: RollupPlugin): object {
    const prefix = plugin.name === undefined ? "" : `[plugin ${plugin.name}] `;
    const textOf = (log: unknown) => {
      const value = typeof log === "function" ? (log as () => unknown)() : log;
      return typeof value === "object" && value !== null && "message" in value ? String(value.message) : String(value);
    };
    return {
      meta: { rollupVersion: "4.60.0", watchMode: false },
      error: (error: unknown): never => {
        throw error instanceof Error ? error : new Error(prefix + textOf(error));
      },
      warn: (log: unknown) => void this.warnings.push(new Error(prefix + textOf(log))),
      info: () => undefined,
      debug: () => undefined,
      addWatchFile: (file: string) => void this.watched.add(file),
      getWatchFiles: () => [...this.watched],
      emitFile: (file: { type: string; name?: string; fileName?: string; source?: string | Uint8Array }) => {
        if (file.type !== "asset") throw notImplemented(`emitFile() of the type "${file.type}"`);
        const source = file.source ?? "";
        const reference = Bun.hash(`${this.#assets.size} ${file.fileName ?? file.name ?? ""}`).toString(36);
        this.#assets.set(reference, { fileName: file.fileName ?? this.#nameOf(file.name ?? "asset", source), source });
        return reference;
      },
      setAssetSource: (reference: string, source: string | Uint8Array) => {
        const asset = this.#assets.get(reference);
        if (asset === undefined) throw new Error(`${prefix}no emitted file has the reference "${reference}"`);
        asset.source = source;
      },
      getFileName: (reference: string) => {
        const asset = this.#assets.get(reference);
        if (asset === undefined) throw new Error(`${prefix}no emitted file has the reference "${reference}"`);
        return asset.fileName;
      },
      resolve: (source: string, importer?: string, options?: { skipSelf?: boolean }) =>
        this.#resolveAll(source, importer, options?.skipSelf === false ? undefined : plugin),
      parse: () => {
        throw notImplemented(`this.parse() of the plugin "${plugin.name}"`);
      },
      getModuleInfo: () => {
        throw notImplemented(`this.getModuleInfo() of the plugin "${plugin.name}"`);
      },
      load: () => {
        throw notImplemented(`this.load() of the plugin "${plugin.name}"`);
      },
    };
  }

  #nameOf(name: string, source: string | Uint8Array): string {
    const { name: stem, ext } = path.parse(name);
    const hash = Bun.hash(source).toString(36).padStart(8, "0").slice(0, 8);
    return this.#assetNames
      .replaceAll("[dir]", "")
      .replaceAll("[name]", stem)
      .replace(/\[hash\d*\]/g, hash)
      .replaceAll("[ext]", ext.slice(1))
      .replace(/^[./]+/, "");
  }

  async #resolveAll(source: string, importer: string | undefined, skipped?: RollupPlugin): Promise<ResolvedId | null> {
    const found = await this.resolveId(source, importer, importer === undefined, skipped);
    if (found !== undefined) return found;
    try {
      const from = importer === undefined ? process.cwd() : dirname(importer);
      return { id: Bun.resolveSync(source, from), external: false, moduleSideEffects: null };
    } catch {
      return null;
    }
  }

  /** Asks `resolveId` of the plugins; undefined if none of them knows. */
  async resolveId(
    source: string,
    importer: string | undefined,
    isEntry: boolean,
    skipped?: RollupPlugin,
  ): Promise<ResolvedId | undefined> {
    for (const plugin of this.#plugins) {
      if (plugin === skipped) continue;
      const handler = handlerOf(plugin, "resolveId");
      if (handler === undefined) continue;
      const options = { isEntry, attributes: {}, custom: {} };
      const answer = await handler.call(this.#contextOf(plugin), source, importer, options);
      if (answer === null || answer === undefined) continue;
      if (answer === false) return { id: source, external: true, moduleSideEffects: null };
      if (typeof answer === "string") return { id: answer, external: false, moduleSideEffects: null };
      const { id, external, moduleSideEffects } = answer as {
        id?: unknown;
        external?: unknown;
        moduleSideEffects?: unknown;
      };
      if (typeof id !== "string") throw new TypeError(`resolveId of the plugin "${plugin.name}" must return an id`);
      return {
        id,
        external: external !== undefined && external !== false,
        moduleSideEffects: typeof moduleSideEffects === "boolean" ? moduleSideEffects : null,
      };
    }
    return undefined;
  }

  /** Asks `load` of the plugins for the text of a module; undefined if none of them has it. */
  async load(id: string): Promise<Transformed | undefined> {
    for (const plugin of this.#plugins) {
      const handler = handlerOf(plugin, "load");
      if (handler === undefined) continue;
      const found = changeOf(await handler.call(this.#contextOf(plugin), id), plugin, "load");
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Gives a text to a hook of all plugins, one after the other. */
  async #change(
    hook: string,
    code: string,
    args: (code: string) => unknown[],
  ): Promise<{ code: string; maps: string[]; moduleType: string | undefined } | undefined> {
    let changed = false;
    let isMapped = true;
    const maps: string[] = [];
    let moduleType: string | undefined;
    for (const plugin of this.#plugins) {
      const handler = handlerOf(plugin, hook);
      if (handler === undefined) continue;
      const found = changeOf(await handler.call(this.#contextOf(plugin), ...args(code)), plugin, hook);
      if (found === undefined) continue;
      changed = true;
      ({ code } = found);
      moduleType = found.moduleType ?? moduleType;
      if (found.map === null) isMapped = false;
      else maps.push(found.map);
    }
    return changed ? { code, maps: isMapped ? maps : [], moduleType } : undefined;
  }

  transform(id: string, code: string) {
    return this.#change("transform", code, (text) => [text, id, { attributes: {}, moduleType: undefined }]);
  }

  renderChunk(code: string, chunk: object, options: object) {
    return this.#change("renderChunk", code, (text) => [text, chunk, options, { chunks: {} }]);
  }

  /** Calls a hook of all plugins that only looks. */
  async call(hook: string, ...args: unknown[]): Promise<void> {
    for (const plugin of this.#plugins) {
      const handler = handlerOf(plugin, hook);
      if (handler !== undefined) await (handler.call(this.#contextOf(plugin), ...args) as Later<unknown>);
    }
  }

  /** The texts that plugins put before or behind each chunk. */
  async texts(hook: "banner" | "footer"): Promise<string> {
    const texts: string[] = [];
    for (const plugin of this.#plugins) {
      const value = plugin[hook];
      const handler = handlerOf(plugin, hook);
      const text = handler === undefined ? value : await handler.call(this.#contextOf(plugin), {});
      if (typeof text === "string" && text !== "") texts.push(text);
    }
    return texts.join("\n");
  }

  /** Calls `generateBundle`, which may change, add and delete results; emitted files are among them. */
  async generateBundle(bundle: { [fileName: string]: BundleItem }, options: object, writes: boolean): Promise<void> {
    for (const { fileName, source } of this.#assets.values())
      bundle[fileName] = { type: "asset", fileName, name: undefined, source };
    const context = { get: (plugin: RollupPlugin) => this.#contextOf(plugin) };
    for (const plugin of this.#plugins) {
      const handler = handlerOf(plugin, "generateBundle");
      if (handler === undefined) continue;
      const before = new Set(this.#assets.keys());
      await handler.call(context.get(plugin), options, bundle, writes);
      for (const [reference, { fileName, source }] of this.#assets) {
        if (!before.has(reference)) bundle[fileName] = { type: "asset", fileName, name: undefined, source };
      }
    }
  }
}
