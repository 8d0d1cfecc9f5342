// The modules of a build as Rollup's plugins see them: `this.getModuleInfo`, `this.load`, `this.parse`
// (https://rollupjs.org/plugin-development/#plugin-context).
import { notImplemented } from "bun/util";

const ops = native("bundle");

/** What `this.parse` takes. */
interface ParseOptions {
  allowReturnOutsideFunction?: boolean;
  jsx?: boolean | object;
}

/** A node of a syntax tree. */
interface Literal {
  value: unknown;
  bigint?: string;
  regex?: { pattern: string; flags: string };
}

/** Where a specifier leads. */
export interface ResolvedId {
  id: string;
  external: boolean | "absolute" | "relative";
  moduleSideEffects: boolean | "no-treeshake" | null;
  meta?: { [plugin: string]: unknown };
  attributes?: { [name: string]: string };
  resolvedBy?: string;
  syntheticNamedExports?: boolean | string;
}

/** What plugins have said of a module. */
interface Said {
  meta: { [plugin: string]: unknown };
  moduleSideEffects: boolean | "no-treeshake";
  attributes: { [name: string]: string };
}

/** What the bundler knows of a module. */
interface Facts {
  isEntry: boolean;
  isExternal: boolean;
  isParsed: boolean;
  importers: string[];
  dynamicImporters: string[];
  importedIds: string[];
  dynamicallyImportedIds: string[];
  exports: string[];
}

/** What is known of a module that has not been read. */
const UNREAD: Facts = {
  isEntry: false,
  isExternal: false,
  isParsed: false,
  importers: [],
  dynamicImporters: [],
  importedIds: [],
  dynamicallyImportedIds: [],
  exports: [],
};

/**
 * The syntax tree of JavaScript, by ESTree. Throws an error with `code`, `pos` and `loc` of Rollup's about a text that is none.
 */
export function parse(code: string, options: ParseOptions = {}): object {
  const jsx = options.jsx !== undefined && options.jsx !== false;
  const parsed = JSON.parse(ops.parseModule(String(code), jsx, options.allowReturnOutsideFunction === true)) as
    | { node: object; fixes: (string | number)[][] }
    | { error: string; start: number };
  if ("error" in parsed) {
    const before = code.slice(0, parsed.start).split("\n");
    const error = new Error(parsed.error) as Error & { code: string; pos: number; loc: object };
    error.code = "PARSE_ERROR";
    error.pos = parsed.start;
    error.loc = { line: before.length, column: before.at(-1)!.length };
    throw error;
  }
  // JSON has no value for these.
  for (const place of parsed.fixes) {
    const node = place.reduce<unknown>((at, key) => (at as { [key: string]: unknown })[key], parsed.node) as Literal;
    if (node.bigint !== undefined) node.value = BigInt(node.bigint);
    else if (node.regex !== undefined) {
      try {
        node.value = new RegExp(node.regex.pattern, node.regex.flags);
      } catch {
        // One that this engine does not know has no value, as ESTree has it.
        node.value = null;
      }
    }
  }
  return parsed.node;
}

function ended(): never {
  throw new Error("modules can be asked for only while a build is made");
}

/** What `this.getModuleInfo` gives: the same object for each module, whose properties are those of the moment. */
class ModuleInfo {
  readonly #modules: ModuleGraph;
  readonly id: string;
  readonly implicitlyLoadedAfterOneOf: readonly string[] = [];
  readonly implicitlyLoadedBefore: readonly string[] = [];
  readonly syntheticNamedExports = false;
  readonly safeVariableNames = null;

  constructor(modules: ModuleGraph, id: string) {
    this.#modules = modules;
    this.id = id;
  }

  get #facts(): Facts {
    return this.#modules.factsOf(this.id) ?? ended();
  }

  get code(): string | null {
    return this.#modules.codeOf(this.id);
  }

  get ast(): object | null {
    const { code } = this;
    return code === null ? null : parse(code);
  }

  get meta(): { [plugin: string]: unknown } {
    return this.#modules.saidOf(this.id).meta;
  }

  get attributes(): { [name: string]: string } {
    return this.#modules.saidOf(this.id).attributes;
  }

  get moduleSideEffects(): boolean | "no-treeshake" {
    return this.#modules.saidOf(this.id).moduleSideEffects;
  }

  set moduleSideEffects(value: boolean | "no-treeshake") {
    this.#modules.saidOf(this.id).moduleSideEffects = value;
  }

  get hasModuleSideEffects(): boolean | "no-treeshake" {
    return this.moduleSideEffects;
  }

  get isEntry(): boolean {
    return this.#facts.isEntry;
  }

  get isExternal(): boolean {
    return this.#facts.isExternal;
  }

  /** Null until chunks have been made. */
  get isIncluded(): boolean | null {
    return this.#modules.isIncluded(this.id);
  }

  get importers(): string[] {
    return this.#facts.importers;
  }

  get dynamicImporters(): string[] {
    return this.#facts.dynamicImporters;
  }

  get importedIds(): string[] {
    return this.#facts.importedIds;
  }

  get dynamicallyImportedIds(): string[] {
    return this.#facts.dynamicallyImportedIds;
  }

  get importedIdResolutions(): ResolvedId[] {
    return this.importedIds.map((id) => this.#modules.resolutionOf(id));
  }

  get dynamicallyImportedIdResolutions(): ResolvedId[] {
    return this.dynamicallyImportedIds.map((id) => this.#modules.resolutionOf(id));
  }

  get exports(): string[] | null {
    const { isParsed, exports } = this.#facts;
    return isParsed ? exports : null;
  }

  get hasDefaultExport(): boolean | null {
    return this.exports?.includes("default") ?? null;
  }
}

// What plugins copy and enumerate.
for (const name of Object.getOwnPropertyNames(ModuleInfo.prototype)) {
  if (name !== "constructor") Object.defineProperty(ModuleInfo.prototype, name, { enumerable: true });
}

/** The modules of a build. */
export class ModuleGraph {
  /** The number of the build; undefined before it has begun, and where nothing is linked. */
  #build: number | undefined;
  readonly #infos = new Map<string, ModuleInfo>();
  readonly #said = new Map<string, Said>();
  /** What plugins have asked to be read, which the bundler may not have come to. */
  readonly #asked = new Set<string>();
  #included: Set<string> | undefined;
  #tickets = 0;
  /** What waits for the bundler, by ticket. */
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();

  begin(build: number): void {
    this.#build = build;
  }

  /** Lets go of the modules. */
  end(): void {
    if (this.#build !== undefined) ops.releaseModules(this.#build);
    this.#build = undefined;
  }

  /** Whether the bundler can be asked. */
  get isOpen(): boolean {
    return this.#build !== undefined;
  }

  get #open(): number {
    return this.#build ?? ended();
  }

  /** The answer to a question: JSON. */
  answer(ticket: number, text: string): void {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    const { value, error } = JSON.parse(text) as { value?: unknown; error?: string };
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }

  #ask(send: (build: number, ticket: number) => void): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const ticket = ++this.#tickets;
    this.#waiting.set(ticket, { resolve, reject });
    send(this.#open, ticket);
    return promise;
  }

  factsOf(id: string): Facts | undefined {
    const facts = this.#build === undefined ? null : ops.moduleInfo(this.#build, id);
    if (typeof facts === "string") return JSON.parse(facts) as Facts;
    return this.#asked.has(id) ? UNREAD : undefined;
  }

  codeOf(id: string): string | null {
    return ops.moduleCode(this.#open, id) ?? null;
  }

  saidOf(id: string): Said {
    let said = this.#said.get(id);
    if (said === undefined) this.#said.set(id, (said = { meta: {}, moduleSideEffects: true, attributes: {} }));
    return said;
  }

  /** Remembers what a hook has said of a module beside its text or place. */
  say(id: string, answer: object): void {
    const { meta, moduleSideEffects, attributes } = answer as Partial<ResolvedId>;
    if (meta === undefined && moduleSideEffects === undefined && attributes === undefined) return;
    const said = this.saidOf(id);
    if (typeof meta === "object" && meta !== null) Object.assign(said.meta, meta);
    if (typeof moduleSideEffects === "boolean" || moduleSideEffects === "no-treeshake")
      said.moduleSideEffects = moduleSideEffects;
    if (typeof attributes === "object" && attributes !== null) said.attributes = attributes;
  }

  isIncluded(id: string): boolean | null {
    return this.#included?.has(id) ?? null;
  }

  /** Notes which modules are left in the results. */
  include(ids: Iterable<string>): void {
    this.#included = new Set(ids);
  }

  info(id: string): object | null {
    if (this.factsOf(id) === undefined) return null;
    let info = this.#infos.get(id);
    if (info === undefined) this.#infos.set(id, (info = new ModuleInfo(this, id)));
    return info;
  }

  get ids(): string[] {
    return ops.moduleIds(this.#open);
  }

  resolutionOf(id: string): ResolvedId {
    const { meta, moduleSideEffects, attributes } = this.saidOf(id);
    const external = this.factsOf(id)?.isExternal ?? false;
    return { id, external, moduleSideEffects, meta, attributes, resolvedBy: "bao", syntheticNamedExports: false };
  }

  /** `this.load`: what is known of a module once it has been parsed. Rejects if it cannot be. */
  async load(options: unknown): Promise<object> {
    const { id, moduleSideEffects, resolveDependencies } = Object(options) as { [name: string]: unknown };
    if (typeof id !== "string") throw new TypeError("this.load() expects an object with an id");
    this.say(id, Object(options) as object);
    this.#asked.add(id);
    const hasEffects = typeof moduleSideEffects === "boolean" ? moduleSideEffects : undefined;
    await this.#ask(
      (build, ticket) => void ops.loadModule(build, ticket, id, hasEffects, resolveDependencies === true),
    );
    const info = this.info(id);
    if (info === null || (info as ModuleInfo).code === null) throw new Error(`could not load "${id}"`);
    return info;
  }

  /** Where a specifier leads by all but plugins. */
  async resolve(specifier: string, importer: string | undefined, isEntry: boolean): Promise<ResolvedId | null> {
    const found = (await this.#ask(
      (build, ticket) => void ops.resolveModule(build, ticket, specifier, importer ?? null, isEntry),
    )) as { id: string; external: boolean } | null;
    if (found === null) return null;
    return { ...this.resolutionOf(found.id), ...found };
  }

  /** Adds a chunk and gives its reference. Throws Rollup's words about one that comes too late. */
  emitChunk(chunk: object): string {
    const { id, importer, name, fileName, preserveSignature, implicitlyLoadedAfterOneOf } = chunk as {
      [name: string]: unknown;
    };
    if (typeof id !== "string") throw new TypeError('emitFile() of the type "chunk" expects an id');
    if (implicitlyLoadedAfterOneOf !== undefined) throw notImplemented('"implicitlyLoadedAfterOneOf" of emitFile()');
    const signature = preserveSignature === undefined ? undefined : String(preserveSignature);
    return ops.emitChunk(this.#open, JSON.stringify({ id, importer, name, fileName, signature }));
  }

  /** Makes the name of a file known and gives its reference. */
  emitAsset(fileName: string): string {
    return ops.emitAsset(this.#open, fileName);
  }

  /** The name of the file of a reference. */
  nameOf(reference: string): string {
    return ops.emittedName(this.#open, reference);
  }
}
