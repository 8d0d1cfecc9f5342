// The types of modules: https://nodejs.org/api/modules.html, https://nodejs.org/api/module.html

import type { SourceMap } from "internal/module/source_map";

/** A CommonJS module. */
export interface CommonModule {
  id: string;
  /** The folder of its file. */
  path: string;
  exports: unknown;
  filename: string | null;
  loaded: boolean;
  children: CommonModule[];
  parent?: CommonModule | null;
  paths: string[];
  require(id: string): unknown;
  load(filename: string): void;
  _compile(content: string, filename: string, format?: string): unknown;
}

/** The module that asks for another one: null for what the program begins with. */
export type Parent = CommonModule | null | undefined;

/** Loads the file of a module: an entry of `require.extensions`. */
export type Loader = (module: CommonModule, filename: string) => void;

export interface ResolveOptions {
  /** Folders to start from. */
  paths?: string[];
}

/** `require` of a module. */
export interface Require {
  (id: string): unknown;
  resolve: {
    (request: string, options?: ResolveOptions): string;
    paths(request: string): string[] | null;
  };
  main?: CommonModule;
  extensions: Record<string, Loader>;
  cache: Record<string, CommonModule>;
}

interface CompileCacheOptions {
  directory?: unknown;
  portable?: boolean;
}

export interface CompileCacheResult {
  status: number;
  directory?: string | undefined;
  message?: string | undefined;
}

/** `Module`, which is node:module. */
export interface ModuleConstructor {
  new (id?: string, parent?: Parent): CommonModule;
  prototype: CommonModule;
  Module: ModuleConstructor;
  _cache: Record<string, CommonModule>;
  _extensions: Record<string, Loader>;
  _pathCache: Record<string, string>;
  _load(request: string, parent: Parent, isMain: boolean): unknown;
  _resolveFilename(request: string, parent: Parent, isMain?: boolean, options?: ResolveOptions): string;
  _resolveLookupPaths(request: string, parent: Parent): string[] | null;
  _nodeModulePaths(from: string): string[];
  _findPath(request: string, paths: string[]): string | false;
  _initPaths(): void;
  _preloadModules(list?: string[]): void;
  _stat(path: string): number;
  globalPaths: string[];
  wrap: (script: string) => string;
  wrapper: string[];
  /** `isOwn`: the program has put no other in its place. */
  runMain: ((main?: string) => void) & { isOwn?: boolean };
  createRequire(filename: string | URL): Require;
  isBuiltin(name: string): boolean;
  readonly builtinModules: string[];
  findPackageJSON(specifier: string | URL, base?: string | URL): string | undefined;
  syncBuiltinESMExports(): void;
  stripTypeScriptTypes(code: string, options?: { mode?: string; sourceUrl?: string }): string;
  register(specifier: string | URL, parent?: string | URL | RegisterOptions, options?: RegisterOptions): void;
  registerHooks(options: SyncHooks): { deregister(): void };
  findSourceMap(path?: string): SourceMap | undefined;
  enableCompileCache(options?: string | CompileCacheOptions): CompileCacheResult;
  getCompileCacheDir(): string | undefined;
  flushCompileCache(): void;
  getSourceMapsSupport(): object;
  setSourceMapsSupport(enabled: unknown, options?: { nodeModules?: boolean; generatedCode?: boolean }): void;
  constants: {
    __proto__: null;
    compileCacheStatus: { __proto__: null; FAILED: number; ENABLED: number; ALREADY_ENABLED: number; DISABLED: number };
  };
}

/** What the loader is told about a module that a plugin or hook gives. */
export interface Source {
  /** Id of a built-in module. */
  builtin?: string;
  /** Path of a file to be loaded as usual. */
  file?: string;
  /** Identity in the module map and in `require.cache`. */
  key?: string;
  path?: string;
  url?: string;
  /** `js`, `jsx`, `ts`, `tsx`, `json`, `jsonc`, `json5`, `toml`, `yaml`, `text`, `file`. */
  loader?: string;
  /** `module`, `commonjs`, or undefined to look at the text. */
  format?: string | undefined;
  contents?: string;
  /** The exports themselves, instead of a text. */
  exports?: object;
  /** What `require` gives, instead of all the others. */
  value?: unknown;
  /** CommonJS whose text hooks of `register` gave: its `require` asks them. */
  isImported?: boolean;
}

export type Later<T> = T | Promise<T>;

/** What hooks of node:module are told beside the specifier or URL. */
export interface HookContext {
  conditions: string[];
  importAttributes: Record<string, string>;
  parentURL?: string | undefined;
  format?: string | null | undefined;
}

/** What hooks of node:module return; the first three are of `resolve`. */
export interface HookResult {
  url?: unknown;
  importAttributes?: Record<string, string>;
  format?: string | null | undefined;
  source?: unknown;
  shortCircuit?: boolean;
}

/** What the thread of the hooks of `register` answers to `load`. `self`: URL of the file or module whose content is unchanged. */
export interface LoadedThere {
  format?: string | null | undefined;
  source?: unknown;
  self?: string;
}

/** A `resolve` or `load` hook. */
export type Hook = (
  subject: string,
  context: HookContext,
  next: (subject: string, changes?: Partial<HookContext>) => Later<HookResult>,
) => Later<HookResult | null | undefined>;

export interface SyncHooks {
  resolve?: Hook;
  load?: Hook;
}

export interface RegisterOptions {
  parentURL?: string | URL;
  /** What `initialize` of the hooks gets, as a clone. */
  data?: unknown;
  /** Objects of `data` that are moved. */
  transferList?: object[];
}
