// Plugins of Rollup (https://rollupjs.org/plugin-development) as plugins of Bun.build: their hooks are asked in the order of
// the plugins, and their context has what most of them use.
import path from "node:path";
import { notImplemented } from "bun/util";

const { dirname, isAbsolute, join, normalize } = path;

type Later<T> = T | PromiseLike<T>;

/** A function of a plugin. */
type Handler = (this: object, ...args: unknown[]) => unknown;

/** What a filter says about one text. */
type Test = (text: string) => boolean;

/** What a hook is asked about, as far as filters look at it. */
interface Question {
  id?: string;
  code?: string;
  moduleType?: string | undefined;
}

/** A hook of a plugin. */
interface PluginHook {
  plugin: RollupPlugin;
  handler: Handler;
  /** Hooks of a lower rank are asked first. */
  rank: number;
  accepts: (question: Question) => boolean;
}

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

/** What `this.resolve` takes and `resolveId` sees beside specifier and importer. */
interface ResolveOptions {
  isEntry?: boolean;
  skipSelf?: boolean;
  attributes?: object;
  /** What plugins tell each other. */
  custom?: object;
}

/** A plugin that is not asked about a specifier, since it has asked for it itself. */
interface Skip {
  plugin: RollupPlugin;
  source: string;
  importer: string | undefined;
}

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
  "options",
  "outputOptions",
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

/** Hooks that would change what a build gives or look at it, and that are not called. */
const missing = [
  "resolveDynamicImport",
  "resolveImportMeta",
  "moduleParsed",
  "renderDynamicImport",
  "renderError",
  "intro",
  "outro",
  "resolveFileUrl",
  "augmentChunkHash",
];

/** The parts of `filter` that a hook may have. */
const filterParts: { [hook: string]: readonly (keyof Question)[] } = {
  resolveId: ["id"],
  load: ["id"],
  transform: ["id", "code", "moduleType"],
  renderChunk: ["code"],
};

/** Whether an object is a plugin of Rollup. */
export function isRollupPlugin(plugin: object): plugin is RollupPlugin {
  return [...hooks, ...missing].some((name) => (plugin as RollupPlugin)[name] !== undefined);
}

/** The function of a hook, which is one or an object with one; a banner or footer may be a text. */
function handlerOf(plugin: RollupPlugin, name: string): Handler | undefined {
  const hook = plugin[name];
  const value: unknown = typeof hook === "object" && hook !== null ? (hook as { handler?: unknown }).handler : hook;
  if (typeof value === "function") return value as Handler;
  if (typeof value === "string" && (name === "banner" || name === "footer")) return () => value;
  return undefined;
}

/** A glob of Rollup: one that is not absolute and does not begin with `**` starts at the working directory. */
function globOf(pattern: string): Test {
  const isWhole = pattern.startsWith("**") || isAbsolute(pattern);
  const whole = isWhole ? pattern : join(process.cwd().replace(/[\\*?!{}[\]()]/g, "\\$&"), pattern);
  const glob = new Bun.Glob(whole);
  return (text) => glob.match(text);
}

/** How the texts in each part of a filter are meant. */
const textTests: { [part in keyof Question]-?: (pattern: string) => Test } = {
  id: globOf,
  code: (pattern) => (text) => text.includes(pattern),
  moduleType: (pattern) => (text) => text === pattern,
};

function testsOf(patterns: unknown, part: keyof Question, what: string): Test[] {
  if (patterns === undefined || patterns === null) return [];
  return [patterns].flat().map((pattern: unknown): Test => {
    if (typeof pattern === "string") return textTests[part](pattern);
    if (!(pattern instanceof RegExp)) throw new TypeError(`${what} must be of strings and regular expressions`);
    return (text) => {
      pattern.lastIndex = 0;
      return pattern.test(text);
    };
  });
}

/** A part of a filter: a pattern, a list of them, or `{ include, exclude }`. */
function testOf(given: unknown, part: keyof Question, what: string): Test {
  const isObject = typeof given === "object" && !Array.isArray(given) && !(given instanceof RegExp);
  const { include, exclude } = (isObject ? (given ?? {}) : { include: given }) as {
    include?: unknown;
    exclude?: unknown;
  };
  const included = testsOf(include, part, what);
  const excluded = testsOf(exclude, part, what);
  return (text) =>
    !excluded.some((test) => test(text)) && (included.length === 0 || included.some((test) => test(text)));
}

/**
 * What the filter of a hook accepts (https://rollupjs.org/plugin-development/#hook-filters). Throws about parts that bao does not
 * know.
 */
function acceptanceOf(plugin: RollupPlugin, hook: string): (question: Question) => boolean {
  const value = plugin[hook];
  const filter = typeof value === "object" && value !== null ? (value as { filter?: unknown }).filter : undefined;
  if (filter === undefined || filter === null) return () => true;
  const what = `the filter of the hook "${hook}" of the plugin "${plugin.name}"`;
  if (Array.isArray(filter)) throw notImplemented(`a list of expressions as ${what}`);
  if (typeof filter !== "object") throw new TypeError(`${what} must be an object`);
  const tests = Object.entries(filter).map(([name, given]) => {
    const part = filterParts[hook]?.find((known) => known === name);
    if (part === undefined) throw notImplemented(`"${name}" in ${what}`);
    return [part, testOf(given, part, `"${name}" in ${what}`)] as const;
  });
  return (question) => tests.every(([part, test]) => test(question[part] ?? ""));
}

const ranks: { [order: string]: number } = { pre: 0, post: 2 };

/** The place of a hook among those of its name: `order` is "pre", "post" or nothing. */
function rankOf(plugin: RollupPlugin, hook: string): number {
  const value = plugin[hook];
  const order = typeof value === "object" && value !== null ? (value as { order?: unknown }).order : undefined;
  return (typeof order === "string" ? ranks[order] : undefined) ?? 1;
}

/** Checks the name of a file that a plugin adds, with Rollup's words; results stay in the folder of the build. */
function checkName(fileName: unknown): asserts fileName is string {
  if (
    typeof fileName === "string" &&
    fileName !== "" &&
    !isAbsolute(fileName) &&
    !/^\.\.(?:\/|$)/.test(normalize(fileName))
  )
    return;
  throw new Error(
    `The "fileName" or "name" properties of emitted chunks and assets must be strings that are neither absolute nor relative paths, received "${String(fileName)}".`,
  );
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
  /** The hooks of all plugins by name, in the order in which they are asked. */
  readonly #hooks = new Map<string, PluginHook[]>();
  readonly #contexts = new Map<RollupPlugin, object>();
  readonly #assets = new Map<string, EmittedAsset>();
  readonly warnings: Error[] = [];
  readonly watched = new Set<string>();
  #assetNames = "[name]-[hash].[ext]";

  get isEmpty(): boolean {
    return this.#plugins.length === 0;
  }

  has(hook: string): boolean {
    return this.#hooks.has(hook);
  }

  /**
   * Adds a plugin. `input`: the options as Rollup's plugins see them. Throws about hooks that are not called, filters that are not
   * known, and other options than those of the build.
   */
  async add(plugin: RollupPlugin, assetNames: string, input: object): Promise<void> {
    // A plugin of Vite for its server only.
    if (plugin["apply"] === "serve") return;
    for (const hook of missing) {
      if (plugin[hook] !== undefined) throw notImplemented(`the hook "${hook}" of the plugin "${plugin.name}"`);
    }
    this.#assetNames = assetNames;
    this.#plugins.push(plugin);
    // It comes first: some plugins make their filters there.
    await this.#show(plugin, "options", input);
    for (const hook of hooks) {
      const handler = handlerOf(plugin, hook);
      if (handler === undefined) continue;
      const all = this.#hooksOf(hook);
      all.push({ plugin, handler, rank: rankOf(plugin, hook), accepts: acceptanceOf(plugin, hook) });
      // Those of one rank stay in the order of their plugins.
      this.#hooks.set(
        hook,
        all.toSorted((a, b) => a.rank - b.rank),
      );
    }
  }

  /** Shows options to a plugin. Throws if it wants others. */
  async #show(plugin: RollupPlugin, hook: "options" | "outputOptions", options: object): Promise<void> {
    const answer = await handlerOf(plugin, hook)?.call(this.#contextOf(plugin), options);
    if (answer === undefined || answer === null || answer === options) return;
    throw notImplemented(`changing options by the hook "${hook}" of the plugin "${plugin.name}"`);
  }

  /** Calls `outputOptions` of all plugins. Throws about one that wants others. */
  async showOutput(options: object): Promise<void> {
    for (const { plugin } of this.#hooksOf("outputOptions")) await this.#show(plugin, "outputOptions", options);
  }

  #hooksOf(hook: string): PluginHook[] {
    return this.#hooks.get(hook) ?? [];
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
        const given = file.fileName ?? file.name;
        if (given !== undefined) checkName(given);
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
      resolve: this.#resolverOf(plugin, []),
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

  /** `this.resolve` of a plugin, whose own question is among those of `skips`. */
  #resolverOf(plugin: RollupPlugin, skips: readonly Skip[]) {
    return async (source: string, importer?: string, options: ResolveOptions = {}): Promise<ResolvedId | null> => {
      const all = options.skipSelf === false ? skips : [...skips, { plugin, source, importer }];
      const found = await this.resolveId(source, importer, { isEntry: importer === undefined, ...options }, all);
      if (found !== undefined) return found;
      try {
        const from = importer === undefined ? process.cwd() : dirname(importer);
        return { id: Bun.resolveSync(source, from), external: false, moduleSideEffects: null };
      } catch {
        return null;
      }
    };
  }

  /** Asks `resolveId` of the plugins but those of `skips`; undefined if none of them knows. */
  async resolveId(
    source: string,
    importer: string | undefined,
    { isEntry = false, attributes = {}, custom = {} }: ResolveOptions,
    skips: readonly Skip[] = [],
  ): Promise<ResolvedId | undefined> {
    const isAsking = ({ plugin }: PluginHook) =>
      skips.some((skip) => skip.plugin === plugin && skip.source === source && skip.importer === importer);
    for (const hook of this.#hooksOf("resolveId")) {
      if (isAsking(hook) || !hook.accepts({ id: source })) continue;
      const { plugin, handler } = hook;
      const own = this.#contextOf(plugin);
      // What it asks for in turn leads back to nobody who waits for it.
      const context = skips.length === 0 ? own : { ...own, resolve: this.#resolverOf(plugin, skips) };
      const answer = await handler.call(context, source, importer, { isEntry, attributes, custom });
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
    for (const { plugin, handler, accepts } of this.#hooksOf("load")) {
      if (!accepts({ id })) continue;
      const found = changeOf(await handler.call(this.#contextOf(plugin), id), plugin, "load");
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Gives a text to a hook of all plugins, one after the other. `asked` is what filters see beside it. */
  async #change(
    hook: string,
    code: string,
    asked: Question,
    args: (code: string, moduleType: string | undefined) => unknown[],
  ): Promise<{ code: string; maps: string[]; moduleType: string | undefined } | undefined> {
    let changed = false;
    let isMapped = true;
    const maps: string[] = [];
    let moduleType: string | undefined;
    for (const { plugin, handler, accepts } of this.#hooksOf(hook)) {
      const type = moduleType ?? asked.moduleType;
      if (!accepts({ ...asked, code, moduleType: type })) continue;
      const found = changeOf(await handler.call(this.#contextOf(plugin), ...args(code, type)), plugin, hook);
      if (found === undefined) continue;
      changed = true;
      ({ code } = found);
      moduleType = found.moduleType ?? moduleType;
      if (found.map === null) isMapped = false;
      else maps.push(found.map);
    }
    return changed ? { code, maps: isMapped ? maps : [], moduleType } : undefined;
  }

  /** Asks `transform` of the plugins; `moduleType` is the loader of the module. */
  transform(id: string, code: string, moduleType: string) {
    return this.#change("transform", code, { id, moduleType }, (text, type) => [
      text,
      id,
      { attributes: {}, moduleType: type },
    ]);
  }

  renderChunk(code: string, chunk: object, options: object) {
    return this.#change("renderChunk", code, {}, (text) => [text, chunk, options, { chunks: {} }]);
  }

  /** Calls a hook of all plugins that only looks. */
  async call(hook: string, ...args: unknown[]): Promise<void> {
    for (const { plugin, handler } of this.#hooksOf(hook)) {
      await (handler.call(this.#contextOf(plugin), ...args) as Later<unknown>);
    }
  }

  /** The texts that plugins put before or behind each chunk. */
  async texts(hook: "banner" | "footer"): Promise<string> {
    const texts: string[] = [];
    for (const { plugin, handler } of this.#hooksOf(hook)) {
      const text = await handler.call(this.#contextOf(plugin), {});
      if (typeof text === "string" && text !== "") texts.push(text);
    }
    return texts.join("\n");
  }

  /** Calls `generateBundle`, which may change, add and delete results; emitted files are among them. */
  async generateBundle(bundle: { [fileName: string]: BundleItem }, options: object, writes: boolean): Promise<void> {
    // What the build itself has named is where the program wants it.
    const own = new Set(Object.keys(bundle));
    for (const { fileName, source } of this.#assets.values())
      bundle[fileName] = { type: "asset", fileName, name: undefined, source };
    for (const { plugin, handler } of this.#hooksOf("generateBundle")) {
      const before = new Set(this.#assets.keys());
      await handler.call(this.#contextOf(plugin), options, bundle, writes);
      for (const [reference, { fileName, source }] of this.#assets) {
        if (!before.has(reference)) bundle[fileName] = { type: "asset", fileName, name: undefined, source };
      }
    }
    for (const { fileName } of Object.values(bundle)) if (!own.has(fileName)) checkName(fileName);
  }
}
