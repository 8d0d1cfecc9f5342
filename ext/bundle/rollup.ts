// Plugins of Rollup (https://rollupjs.org/plugin-development) as plugins of Bun.build: their hooks are asked in the order of
// the plugins, and their context has what most of them use.
import fs from "node:fs";
import path from "node:path";
import { notImplemented } from "bun/util";
import { EmittedFiles, checkName } from "internal/bundle/rollup_emitted";
import { acceptanceOf } from "internal/bundle/rollup_filters";
import { ModuleGraph, parse } from "internal/bundle/rollup_modules";
import type { Question } from "internal/bundle/rollup_filters";
import type { ResolvedId } from "internal/bundle/rollup_modules";

const { dirname } = path;

type Later<T> = T | PromiseLike<T>;

/** A function of a plugin. */
type Handler = (this: object, ...args: unknown[]) => unknown;

/** A hook of a plugin. */
interface PluginHook {
  plugin: RollupPlugin;
  handler: Handler;
  /** Hooks of a lower rank are asked first. */
  rank: number;
  accepts: (question: Question) => boolean;
}

/** An object with hooks of Rollup. */
export type RollupPlugin = { name?: string } & { [hook: string]: unknown };

/** What a plugin sees of a result in `generateBundle`. */
export type BundleItem =
  | { type: "asset"; fileName: string; name: string | undefined; source: string | Uint8Array }
  | {
      type: "chunk";
      fileName: string;
      name: string;
      isEntry: boolean;
      code: string;
      map: (object & { toString(): string }) | null;
      facadeModuleId: string | null;
      /** What is left of each module. */
      modules?: { [id: string]: { code: string | null; renderedLength: number; renderedExports: string[] } };
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

interface Transformed {
  code: string;
  map: string | null;
  moduleType: string | undefined;
  /** Whether the module does something when it runs, if the plugin says. */
  hasEffects: boolean | undefined;
}

/** A message of a plugin. */
interface Log {
  message: string;
  code?: string;
  plugin?: string | undefined;
  [name: string]: unknown;
}

type LogLevel = "debug" | "info" | "warn";

/** Texts around the code of a chunk: before and behind all of it, and within the function that may surround it. */
const addons = ["banner", "footer", "intro", "outro"];

const hooks = [
  "options",
  "outputOptions",
  "onLog",
  "buildStart",
  "resolveId",
  "resolveDynamicImport",
  "load",
  "transform",
  "moduleParsed",
  "buildEnd",
  "renderStart",
  "renderChunk",
  "augmentChunkHash",
  "resolveFileUrl",
  "resolveImportMeta",
  "renderError",
  "generateBundle",
  "writeBundle",
  "closeBundle",
  ...addons,
];

/** Hooks that would change what a build gives, and that are not called. */
const missing = ["renderDynamicImport"];

/** Whether an object is a plugin of Rollup. */
export function isRollupPlugin(plugin: object): plugin is RollupPlugin {
  return [...hooks, ...missing].some((name) => (plugin as RollupPlugin)[name] !== undefined);
}

/** The function of a hook, which is one or an object with one; a text around code may be that text. */
function handlerOf(plugin: RollupPlugin, name: string): Handler | undefined {
  const hook = plugin[name];
  const value: unknown = typeof hook === "object" && hook !== null ? (hook as { handler?: unknown }).handler : hook;
  if (typeof value === "function") return value as Handler;
  if (typeof value === "string" && addons.includes(name)) return () => value;
  return undefined;
}

const ranks: { [order: string]: number } = { pre: 0, post: 2 };

/** The place of a hook among those of its name: `order` is "pre", "post" or nothing. */
function rankOf(plugin: RollupPlugin, hook: string): number {
  const value = plugin[hook];
  const order = typeof value === "object" && value !== null ? (value as { order?: unknown }).order : undefined;
  return (typeof order === "string" ? ranks[order] : undefined) ?? 1;
}

/** Text and map of what `transform` and `renderChunk` give; undefined if nothing changes. */
function changeOf(answer: unknown, plugin: RollupPlugin, hook: string): Transformed | undefined {
  if (answer === null || answer === undefined) return undefined;
  const nothing = { map: null, moduleType: undefined, hasEffects: undefined };
  if (typeof answer === "string") return { code: answer, ...nothing };
  if (typeof answer !== "object") throw new TypeError(`${hook} of the plugin "${plugin.name}" must return code`);
  const { code, map, moduleType, moduleSideEffects } = answer as { [name: string]: unknown };
  if (code === undefined || code === null) return undefined;
  // magic-string and the like give objects that become text.
  const text = typeof code === "string" ? code : String(code);
  const mapText =
    map === undefined || map === null
      ? null
      : typeof map === "string"
        ? map
        : JSON.stringify({ names: [], sources: [], ...(map as object) });
  return {
    code: text,
    map: mapText,
    moduleType: typeof moduleType === "string" ? moduleType : undefined,
    hasEffects: typeof moduleSideEffects === "boolean" ? moduleSideEffects : undefined,
  };
}

/** Whether Rollup's option `external` has a specifier. */
function isExternal(external: unknown, source: string, importer: string | undefined): boolean {
  if (typeof external === "function") return (external as Handler).call({}, source, importer, false) === true;
  return [external ?? []].flat().some((one) => (one instanceof RegExp ? one.test(source) : one === source));
}

/** What the hooks of all Rollup plugins of a build share. */
export class RollupHost {
  readonly #plugins: RollupPlugin[] = [];
  /** The hooks of all plugins by name, in the order in which they are asked. */
  readonly #hooks = new Map<string, PluginHook[]>();
  readonly #contexts = new Map<RollupPlugin, object>();
  readonly warnings: Error[] = [];
  readonly watched = new Set<string>();
  readonly modules = new ModuleGraph();
  readonly emitted = new EmittedFiles(this.modules);
  /** What plugins have made of the option `external`. */
  #external: unknown;
  /** What plugins have made of the entry points. */
  input: string[] | undefined;
  /** Options as plugins see them. */
  #options: { [name: string]: unknown } = {};
  #outputOptions: object = {};
  #step: "begun" | "built" | "ended" = "begun";

  get isEmpty(): boolean {
    return this.#plugins.length === 0;
  }

  has(hook: string): boolean {
    return this.#hooks.has(hook);
  }

  /** The names of the hooks that plugins have. */
  get hookNames(): string[] {
    return [...this.#hooks.keys()];
  }

  /**
   * Adds a plugin, and the plugins that it adds by `options`. `input`: the options as Rollup's plugins see them. Throws about hooks
   * that are not called, filters that are not known, and options that have no counterpart.
   */
  async add(plugin: RollupPlugin, assetNames: string, input: { [name: string]: unknown }): Promise<void> {
    // A plugin of Vite for its server only.
    if (plugin["apply"] === "serve") return;
    for (const hook of missing) {
      if (plugin[hook] !== undefined) throw notImplemented(`the hook "${hook}" of the plugin "${plugin.name}"`);
    }
    this.emitted.assetNames = assetNames;
    this.#plugins.push(plugin);
    this.#options = { ...input, ...this.#options, plugins: this.#plugins };
    // It comes first: some plugins make their filters there.
    const changed = await this.#changedBy(plugin, "options", this.#options);
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
    for (const [name, value] of Object.entries(changed)) await this.#takeOption(plugin, name, value, assetNames, input);
  }

  /** The options that a plugin wants otherwise. */
  async #changedBy(
    plugin: RollupPlugin,
    hook: "options" | "outputOptions",
    options: { [name: string]: unknown },
  ): Promise<{ [name: string]: unknown }> {
    const shown: { [name: string]: unknown } = { ...options };
    const answer = await handlerOf(plugin, hook)?.call(this.#contextOf(plugin), shown);
    const wanted = typeof answer === "object" && answer !== null ? (answer as { [name: string]: unknown }) : shown;
    return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== options[name]));
  }

  async #takeOption(
    plugin: RollupPlugin,
    name: string,
    value: unknown,
    assetNames: string,
    input: { [name: string]: unknown },
  ): Promise<void> {
    if (name === "input" && (typeof value === "string" || Array.isArray(value))) {
      this.input = [value].flat().map(String);
      this.#options["input"] = this.input;
    } else if (name === "external") this.#external = this.#options["external"] = value;
    else if (name === "plugins") {
      const known = new Set(this.#plugins);
      // Plugins that others add are not asked for options, as in Rollup.
      for (const one of ([value] as unknown[]).flat(Infinity)) {
        if (typeof one !== "object" || one === null || known.has(one as RollupPlugin)) continue;
        const { options, ...rest } = one as RollupPlugin;
        void options;
        await this.add(
          Object.assign(Object.create(Object.getPrototypeOf(one) as object) as RollupPlugin, rest),
          assetNames,
          input,
        );
      }
    } else if (name !== "onLog" && name !== "onwarn" && name !== "logLevel")
      throw notImplemented(`changing the option "${name}" by the hook "options" of the plugin "${plugin.name}"`);
    else this.#options[name] = value;
  }

  /** Calls `outputOptions` of all plugins; gives the options that they want otherwise, by Rollup's names. */
  async changedOutput(options: { [name: string]: unknown }): Promise<{ [name: string]: unknown }> {
    let all = {};
    for (const { plugin } of this.#hooksOf("outputOptions"))
      all = { ...all, ...(await this.#changedBy(plugin, "outputOptions", { ...options, ...all })) };
    this.#outputOptions = { ...options, ...all };
    return all;
  }

  /** Adds the texts of output options around the code of chunks, which come before those of plugins. */
  addText(name: string, value: unknown): void {
    const plugin = { name: "output options", [name]: value } as RollupPlugin;
    const handler = handlerOf(plugin, name);
    if (handler === undefined) return;
    this.#hooks.set(name, [{ plugin, handler, rank: 0, accepts: () => true }, ...this.#hooksOf(name)]);
  }

  #hooksOf(hook: string): PluginHook[] {
    return this.#hooks.get(hook) ?? [];
  }

  #contextOf(plugin: RollupPlugin): object {
    let context = this.#contexts.get(plugin);
    if (context === undefined) this.#contexts.set(plugin, (context = this.#makeContext(plugin)));
    return context;
  }

  /** Passes on what a plugin tells; one of the hooks `onLog` may keep it. */
  #log(level: LogLevel, given: unknown, plugin: string | undefined): void {
    const value = typeof given === "function" ? (given as () => unknown)() : given;
    const log: Log =
      typeof value === "object" && value !== null && "message" in value
        ? { ...value, message: String(value.message) }
        : { message: String(value) };
    log.plugin ??= plugin;
    log.code ??= "PLUGIN_LOG";
    for (const hook of this.#hooksOf("onLog")) {
      if (hook.handler.call(this.#contextOf(hook.plugin), level, log) === false) return;
    }
    if (level !== "warn") return;
    const prefix = plugin === undefined ? "" : `[plugin ${plugin}] `;
    this.warnings.push(new Error(prefix + log.message));
  }

  #makeContext(plugin: RollupPlugin): object {
    const { name } = plugin;
    const prefix = name === undefined ? "" : `[plugin ${name}] `;
    const { modules, emitted } = this;
    const values = new Map<string, unknown>();
    // As in Rollup, it belongs to a name.
    const kept = () => {
      const keyOf = (one: RollupPlugin) => one["cacheKey"] ?? one.name;
      const key = keyOf(plugin);
      if (key === undefined)
        throw new Error("A plugin is trying to use the Rollup cache but is not declaring a plugin name or cacheKey.");
      if (this.#plugins.some((other) => other !== plugin && keyOf(other) === key))
        throw new Error(
          `The plugin name ${String(key)} is being used twice in the same rollup instance. Plugin names must be distinct and provide a cacheKey so that the cache can be stored to the correct plugin.`,
        );
      return values;
    };
    return {
      meta: { rollupVersion: "4.60.0", watchMode: false },
      cache: {
        get: (key: string) => kept().get(key),
        set: (key: string, value: unknown) => void kept().set(key, value),
        has: (key: string) => kept().has(key),
        delete: (key: string) => kept().delete(key),
      },
      fs: fs.promises,
      error: (error: unknown): never => {
        if (error instanceof Error) throw error;
        if (typeof error !== "object" || error === null) throw new Error(prefix + String(error));
        const made = new Error(prefix + String((error as { message?: unknown }).message));
        throw Object.assign(made, { ...error, message: made.message });
      },
      warn: (log: unknown) => this.#log("warn", log, name),
      info: (log: unknown) => this.#log("info", log, name),
      debug: (log: unknown) => this.#log("debug", log, name),
      addWatchFile: (file: string) => void this.watched.add(file),
      getWatchFiles: () => [...this.watched],
      emitFile: (file: unknown) => emitted.emit(file),
      setAssetSource: (reference: string, source: string | Uint8Array) => emitted.setSource(reference, source),
      getFileName: (reference: string) => emitted.nameOf(reference),
      resolve: this.#resolverOf(plugin, []),
      parse,
      getModuleInfo: (id: string) => modules.info(id),
      getModuleIds: () => modules.ids.values(),
      load: (options: unknown) => modules.load(options),
    };
  }

  /** `this.resolve` of a plugin, whose own question is among those of `skips`. */
  #resolverOf(plugin: RollupPlugin, skips: readonly Skip[]) {
    return async (source: string, importer?: string, options: ResolveOptions = {}): Promise<ResolvedId | null> => {
      const all = options.skipSelf === false ? skips : [...skips, { plugin, source, importer }];
      const isEntry = options.isEntry ?? importer === undefined;
      const found = await this.resolveId(source, importer, { ...options, isEntry }, all);
      if (found !== undefined) return { ...this.modules.resolutionOf(found.id), ...found };
      if (this.modules.isOpen) return this.modules.resolve(source, importer, isEntry);
      try {
        const from = importer === undefined ? process.cwd() : dirname(importer);
        return { id: Bun.resolveSync(source, from), external: false, moduleSideEffects: null };
      } catch {
        return null;
      }
    };
  }

  /** What a plugin has answered about a specifier; undefined if it does not know. */
  #resolutionOf(answer: unknown, source: string, plugin: RollupPlugin, hook: string): ResolvedId | undefined {
    if (answer === null || answer === undefined) return undefined;
    if (answer === false) return { id: source, external: true, moduleSideEffects: null };
    if (typeof answer === "string") return { id: answer, external: false, moduleSideEffects: null };
    const found = answer as Partial<ResolvedId>;
    if (typeof found.id !== "string") throw new TypeError(`${hook} of the plugin "${plugin.name}" must return an id`);
    this.modules.say(found.id, found);
    return {
      ...found,
      id: found.id,
      external: found.external !== undefined && found.external !== false,
      moduleSideEffects: typeof found.moduleSideEffects === "boolean" ? found.moduleSideEffects : null,
    };
  }

  /** Asks `resolveId` of the plugins but those of `skips`; undefined if none of them knows. */
  async resolveId(
    source: string,
    importer: string | undefined,
    { isEntry = false, attributes = {}, custom = {} }: ResolveOptions,
    skips: readonly Skip[] = [],
  ): Promise<ResolvedId | undefined> {
    if (this.#external !== undefined && !isEntry && isExternal(this.#external, source, importer))
      return { id: source, external: true, moduleSideEffects: null };
    const isAsking = ({ plugin }: PluginHook) =>
      skips.some((skip) => skip.plugin === plugin && skip.source === source && skip.importer === importer);
    for (const hook of this.#hooksOf("resolveId")) {
      if (isAsking(hook) || !hook.accepts({ id: source, importer })) continue;
      const { plugin, handler } = hook;
      const own = this.#contextOf(plugin);
      // What it asks for in turn leads back to nobody who waits for it.
      const context = skips.length === 0 ? own : { ...own, resolve: this.#resolverOf(plugin, skips) };
      const answer = await handler.call(context, source, importer, { isEntry, attributes, custom });
      const found = this.#resolutionOf(answer, source, plugin, "resolveId");
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Asks where the specifier of an `import()` leads. */
  async resolveDynamic(source: string, importer: string): Promise<ResolvedId | undefined> {
    for (const { plugin, handler } of this.#hooksOf("resolveDynamicImport")) {
      const answer = await handler.call(this.#contextOf(plugin), source, importer, { attributes: {} });
      const found = this.#resolutionOf(answer, source, plugin, "resolveDynamicImport");
      if (found === undefined) continue;
      // What is relative leads on from the importer.
      return found.id.startsWith(".") && !found.external
        ? { ...found, id: path.resolve(dirname(importer), found.id) }
        : found;
    }
    return this.resolveId(source, importer, {});
  }

  /** Asks `load` of the plugins for the text of a module; undefined if none of them has it. */
  async load(id: string): Promise<Transformed | undefined> {
    for (const { plugin, handler, accepts } of this.#hooksOf("load")) {
      if (!accepts({ id })) continue;
      const answer = await handler.call(this.#contextOf(plugin), id);
      const found = changeOf(answer, plugin, "load");
      if (found === undefined) continue;
      if (typeof answer === "object") this.modules.say(id, answer as object);
      return found;
    }
    return undefined;
  }

  /** Gives a text to a hook of all plugins, one after the other. `asked` is what filters see beside it. */
  async #change(
    hook: string,
    code: string,
    asked: Question,
    args: (code: string, moduleType: string | undefined) => unknown[],
  ): Promise<
    { code: string; maps: string[]; moduleType: string | undefined; hasEffects: boolean | undefined } | undefined
  > {
    let changed = false;
    let isMapped = true;
    const maps: string[] = [];
    let moduleType: string | undefined;
    let hasEffects: boolean | undefined;
    for (const { plugin, handler, accepts } of this.#hooksOf(hook)) {
      const type = moduleType ?? asked.moduleType;
      if (!accepts({ ...asked, code, moduleType: type })) continue;
      const answer = await handler.call(this.#contextOf(plugin), ...args(code, type));
      if (hook === "transform" && typeof answer === "object" && answer !== null) this.modules.say(asked.id!, answer);
      const found = changeOf(answer, plugin, hook);
      if (found === undefined) continue;
      changed = true;
      ({ code } = found);
      moduleType = found.moduleType ?? moduleType;
      hasEffects = found.hasEffects ?? hasEffects;
      if (found.map === null) isMapped = false;
      else maps.push(found.map);
    }
    return changed ? { code, maps: isMapped ? maps : [], moduleType, hasEffects } : undefined;
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

  /** The answer of the first plugin that has one. */
  async #first(hook: string, ...args: unknown[]): Promise<unknown> {
    for (const { plugin, handler } of this.#hooksOf(hook)) {
      const answer = await handler.call(this.#contextOf(plugin), ...args);
      if (answer !== undefined && answer !== null) return answer;
    }
    return undefined;
  }

  /** The texts of all plugins in a hook; those that are no text, or empty, are left out. */
  async #texts(hook: string, chunk: object): Promise<string[]> {
    const texts: string[] = [];
    for (const { plugin, handler } of this.#hooksOf(hook)) {
      const text = await handler.call(this.#contextOf(plugin), chunk);
      if (typeof text === "string" && text !== "") texts.push(text);
    }
    return texts;
  }

  /** A hook that the bundler calls, with what it is about. Gives undefined if no plugin answers. */
  async ask(hook: string, about: { [name: string]: unknown }): Promise<unknown> {
    switch (hook) {
      case "buildStart":
        this.#step = "begun";
        return this.call("buildStart", this.#options);
      case "moduleParsed":
        return this.call("moduleParsed", this.modules.info(String(about["id"])));
      case "renderStart":
        if (this.#step !== "begun") return undefined;
        await this.#built();
        return this.call("renderStart", this.#outputOptions, this.#options);
      case "augmentChunkHash":
        return (await this.#texts(hook, about)).join("") || undefined;
      case "banner":
      case "footer":
      case "intro":
      case "outro":
        return (await this.#texts(hook, about)).join(hook.endsWith("tro") ? "\n\n" : "\n") || undefined;
      case "resolveImportMeta": {
        const { property, ...place } = about;
        return this.#first(hook, property, place);
      }
      default:
        return this.#first(hook, about);
    }
  }

  async #built(error?: unknown): Promise<void> {
    this.#step = "built";
    await this.call("buildEnd", ...(error === undefined ? [] : [error]));
  }

  /** Tells plugins what has become of the build: `error` is what it has failed with. */
  async ended(error?: unknown): Promise<void> {
    const step = this.#step;
    this.#step = "ended";
    if (step === "begun") await this.#built(error);
    else if (step === "built" && error !== undefined) await this.call("renderError", error);
    this.#step = "ended";
  }

  /** Calls `generateBundle`, which may change, add and delete results; emitted files are among them. */
  async generateBundle(bundle: { [fileName: string]: BundleItem }, options: object, writes: boolean): Promise<void> {
    // What the build itself has named is where the program wants it.
    const own = new Set(Object.keys(bundle));
    const shown = new Map<string, string | Uint8Array>();
    const show = () => {
      for (const { fileName, name, source } of this.emitted.all()) {
        if (shown.get(fileName) === source) continue;
        shown.set(fileName, source);
        bundle[fileName] = { type: "asset", fileName, name, source };
      }
    };
    show();
    for (const { plugin, handler } of this.#hooksOf("generateBundle")) {
      await handler.call(this.#contextOf(plugin), options, bundle, writes);
      show();
    }
    for (const { fileName } of Object.values(bundle)) if (!own.has(fileName)) checkName(fileName);
  }
}
