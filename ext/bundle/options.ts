// Bun.build's options (https://bun.com/docs/bundler) checked and brought into the form that the crate `bundle` takes.
import path from "node:path";
import { blobBytes, bytesOf, invalidType, notImplemented } from "bun/util";
import { codes } from "internal/core/errors";
import { isRollupPlugin } from "internal/bundle/rollup";
import { checkCompile } from "internal/bundle/compile";
import type { CompileOptions } from "internal/bundle/compile";
import type { LoaderName, NativeOptions } from "internal/bundle/types";

const { basename, delimiter, dirname, isAbsolute, resolve } = path;

const loaders: readonly string[] = [
  "js",
  "jsx",
  "ts",
  "tsx",
  "json",
  "jsonc",
  "json5",
  "toml",
  "yaml",
  "text",
  "file",
  "wasm",
  "napi",
  "css",
  "html",
  "base64",
  "dataurl",
  "binary",
  "empty",
  "sqlite",
  "md",
];

/** Bun's other names of loaders. */
const loaderNames: { [name: string]: LoaderName } = {
  mjs: "js",
  cjs: "js",
  mts: "ts",
  cts: "ts",
  txt: "text",
  yml: "yaml",
  node: "napi",
  data: "dataurl",
};

/** A plugin: https://bun.com/docs/bundler/plugins */
export interface BundlerPlugin {
  name?: unknown;
  target?: string;
  setup?(build: object): unknown;
}

/** What a program may pass in; everything is checked before it is used. */
export type BuildConfig = { [name: string]: unknown };

/** The options of a build beside those that go to the crate. */
export interface CheckedConfig {
  native: NativeOptions;
  plugins: BundlerPlugin[];
  /** Whether a failed build rejects. */
  throws: boolean;
  /** Where the metafile goes beside the result's `metafile`. */
  metafile: { json: string | undefined; markdown: string | undefined } | undefined;
  /** If an executable is made. */
  compile: CompileOptions | undefined;
  /** Which compiled code is asked for: of all functions, or only what runs when a module is loaded. */
  bytecode: "all" | "modules" | undefined;
  /** Whether nothing is bundled if TypeScript finds mistakes. */
  checksTypes: boolean;
}

function fail(text: string): never {
  throw new TypeError(text);
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function stringOr(config: BuildConfig, name: string, otherwise: string): string {
  const value = config[name];
  if (value === undefined || value === null) return otherwise;
  return typeof value === "string" ? value : fail(`Expected ${name} to be a string`);
}

function optionalString(config: BuildConfig, name: string): string | null {
  const value = stringOr(config, name, "");
  return value === "" ? null : value;
}

function booleanOr(config: BuildConfig, name: string, otherwise: boolean): boolean {
  const value = config[name];
  if (value === undefined || value === null) return otherwise;
  return typeof value === "boolean" ? value : fail(`Expected ${name} to be a boolean`);
}

/** An integer up to `most` that is not negative; undefined if it is not given. The errors are Bun's. */
function countOf(config: BuildConfig, name: string, most: number): number | undefined {
  const value = config[name];
  if (value === undefined || value === null) return undefined;
  const kind = `The "${name}" property must be of type`;
  if (typeof value !== "number") throw invalidType(`${kind} number. Received ${typeof value}`);
  if (!Number.isInteger(value)) throw invalidType(`${kind} integer. Received number`);
  if (value < 0 || value > most) throw new codes.ERR_OUT_OF_RANGE(name, `>= 0 and <= ${most}`, value);
  return value;
}

function minChunkSizeOf(config: BuildConfig): number {
  const bytes = countOf(config, "minChunkSize", Number.MAX_SAFE_INTEGER) ?? 0;
  if (bytes !== 0 && config["splitting"] !== true) {
    throw invalidType("minChunkSize requires splitting to be true.");
  }
  return bytes;
}

/**
 * Which compiled code `bytecode` asks for: that of `all` functions, or at depth 0 only what runs when a module is loaded (`modules`). The
 * engine has no passes that make compiled code better.
 */
function bytecodeOf(config: BuildConfig): CheckedConfig["bytecode"] {
  const depth = countOf(config, "bytecodeDepth", 0xffff_ffff);
  if (depth !== undefined && depth !== 0)
    throw notImplemented(`Bun.build's option bytecodeDepth with another value than 0`);
  const optimize = config["optimize"];
  if (optimize !== undefined && optimize !== null) {
    if (!isObject(optimize)) throw invalidType("Expected optimize to be an object");
    if (booleanOr(optimize, "bytecode", false)) throw notImplemented("Bun.build's option optimize.bytecode");
  }
  if (config["bytecode"] !== true) return undefined;
  return depth === 0 ? "modules" : "all";
}

function strings(config: BuildConfig, name: string): string[] {
  const value = config[name];
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value)
    ? value
    : typeof value === "string"
      ? [value]
      : fail(`Expected ${name} to be an array of strings`);
  for (const item of list) if (typeof item !== "string") fail(`Expected ${name} to be an array of strings`);
  return list as string[];
}

function oneOf<T extends string>(config: BuildConfig, name: string, values: readonly T[], otherwise: T): T {
  const value = config[name];
  if (value === undefined || value === null) return otherwise;
  if (values.includes(value as T)) return value as T;
  return fail(`${name} must be one of ${values.map((one) => `"${one}"`).join(", ")}`);
}

function stringMap(config: BuildConfig, name: string): { [key: string]: string } {
  const value = config[name];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) return fail(`Expected ${name} to be an object`);
  const map: { [key: string]: string } = {};
  for (const [key, text] of Object.entries(value)) {
    map[key] = typeof text === "string" ? text : fail(`${name} "${key}" must be a string`);
  }
  return map;
}

function targetOf(config: BuildConfig): NativeOptions["target"] {
  const { target } = config;
  if (target === undefined || target === null) return "browser";
  if (target === "browser" || target === "bun" || target === "node") return target;
  return fail(
    `Expected target to be one of 'browser', 'node', 'bun', 'macro', or 'bun-<target>', got ${String(target)}`,
  );
}

function sourcemapOf(value: unknown, isWritten: boolean): NativeOptions["sourcemap"] {
  if (value === undefined || value === null || value === false) return "none";
  if (value === true) return isWritten ? "linked" : "inline";
  if (value === "none" || value === "linked" || value === "inline" || value === "external") return value;
  return fail('sourcemap must be one of "none", "linked", "inline", "external"');
}

function minifyOf(value: unknown): NativeOptions["minify"] {
  if (value === undefined || value === null || typeof value === "boolean") {
    const all = value === true;
    return { whitespace: all, syntax: all, identifiers: all, keepNames: false };
  }
  if (!isObject(value)) return fail("Expected minify to be a boolean or an object");
  return {
    whitespace: booleanOr(value, "whitespace", false),
    syntax: booleanOr(value, "syntax", false),
    identifiers: booleanOr(value, "identifiers", false),
    keepNames: booleanOr(value, "keepNames", false),
  };
}

function namingOf(value: unknown): NativeOptions["naming"] {
  const naming = { entry: "[dir]/[name].[ext]", chunk: "chunk-[hash].[ext]", asset: "[name]-[hash].[ext]" };
  if (value === undefined || value === null) return naming;
  if (typeof value === "string") return { ...naming, entry: value };
  if (!isObject(value)) return fail("Expected naming to be a string or an object");
  for (const key of ["entry", "chunk", "asset"] as const) naming[key] = stringOr(value, key, naming[key]);
  return naming;
}

/** The loader of a name; an error about `what` if there is none. */
export function loaderOf(name: unknown, what: string): LoaderName {
  if (typeof name === "string") {
    if (loaders.includes(name)) return name as LoaderName;
    const other = loaderNames[name];
    if (other !== undefined) return other;
  }
  return fail(`${what}: invalid loader ${JSON.stringify(name)}, expected one of: ${loaders.join(", ")}`);
}

function loaderMap(value: unknown): NativeOptions["loader"] {
  const map: NativeOptions["loader"] = {};
  if (value === undefined || value === null) return map;
  if (!isObject(value)) return fail("Expected loader to be an object");
  for (const [extension, name] of Object.entries(value)) {
    if (extension === "") continue;
    if (!extension.startsWith(".")) fail(`loader "${extension}": a file extension begins with "."`);
    map[extension] = loaderOf(name, `loader "${extension}"`);
  }
  return map;
}

/** The variables of the environment that `env` puts into the code. */
function envOf(value: unknown): { [name: string]: string } {
  if (value === undefined || value === null || value === false || value === "disable") return {};
  if (value === true || value === "inline") return { ...process.env } as { [name: string]: string };
  if (typeof value === "string" && value.endsWith("*")) {
    const prefix = value.slice(0, -1);
    return Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith(prefix))) as {
      [name: string]: string;
    };
  }
  return fail('env must be "inline", "disable", or a prefix that ends with "*"');
}

/** `nodeEnv`: what the build has been told of `process.env.NODE_ENV`, as JSON. */
function jsxOf(config: BuildConfig, nodeEnv: string | undefined): NativeOptions["jsx"] {
  const value = config["jsx"];
  const given =
    value === undefined || value === null ? {} : isObject(value) ? value : fail("Expected jsx to be an object");
  const runtime = oneOf(given, "runtime", ["", "automatic", "classic", "preserve"] as const, "");
  return {
    runtime: runtime === "" ? null : runtime,
    importSource: optionalString(given, "importSource"),
    factory: optionalString(given, "factory"),
    fragment: optionalString(given, "fragment"),
    // What is not said comes from tsconfig.json.
    development:
      nodeEnv === '"production"'
        ? false
        : given["development"] !== undefined
          ? booleanOr(given, "development", false)
          : nodeEnv === '"development"'
            ? true
            : null,
    sideEffects: booleanOr(given, "sideEffects", false),
    refresh: booleanOr(config, "reactFastRefresh", false),
  };
}

function filesOf(value: unknown, cwd: string): { [path: string]: string } {
  const files: { [path: string]: string } = {};
  if (value === undefined || value === null) return files;
  if (!isObject(value)) return fail("Expected files to be an object");
  for (const [path, contents] of Object.entries(value)) {
    const bytes =
      typeof contents === "object" && contents !== null ? (bytesOf(contents) ?? blobBytes(contents)) : undefined;
    if (typeof contents !== "string" && bytes === undefined) {
      fail(`files "${path}" must be a string, a Blob, an ArrayBuffer or a view of one`);
    }
    files[resolve(cwd, path)] = bytes === undefined ? (contents as string) : new TextDecoder().decode(bytes);
  }
  return files;
}

function metafileOf(value: unknown): CheckedConfig["metafile"] {
  if (value === undefined || value === null || value === false) return undefined;
  if (value === true) return { json: undefined, markdown: undefined };
  if (typeof value === "string") return { json: value, markdown: undefined };
  if (!isObject(value)) return fail("Expected metafile to be a boolean, a path or an object");
  return { json: optionalString(value, "json") ?? undefined, markdown: optionalString(value, "markdown") ?? undefined };
}

/** Names that are values, as an expression of `define`. */
const expression = /^[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_][\p{ID_Continue}$]*)*$/u;

/** What `define` puts in: JSON and names as they are, any other text as a string, as in Bun. */
function defineValue(value: string): string {
  if (expression.test(value)) return value;
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}

function manualChunksOf(value: unknown): NativeOptions["manualChunks"] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return fail("Expected manualChunks to be an object of names and parts of paths");
  return Object.keys(value).map((name) => ({
    name,
    // A package's name stands for all of its files.
    contains: strings(value, name).map((part) =>
      /^[@\w]/.test(part) && !part.includes(".") ? `/node_modules/${part}/` : part,
    ),
  }));
}

/** The text of an entry point: a path, or a file: URL. */
function entryOf(value: string): string {
  return value.startsWith("file://") ? require("node:url").fileURLToPath(value) : value;
}

/** The target of the code of an executable for a machine, as the command line names it. */
function machineOf(config: BuildConfig): BuildConfig {
  const { target } = config;
  if (typeof target !== "string" || !target.startsWith("bun-")) return config;
  const compile = config["compile"];
  if (compile === undefined || compile === null || compile === false) {
    fail(`target "${target}" is for executables: set compile, too`);
  }
  return { ...config, target: "bun", compile: { target, ...(isObject(compile) ? compile : {}) } };
}

/** Whether React's compiler is to memoize what components compute: on servers each of them runs once, so they stay as they are. */
function isCompiledForReact(config: BuildConfig, target: NativeOptions["target"]): boolean {
  const mode = config["reactCompilerOutputMode"] ?? (target === "browser" ? "client" : "ssr");
  if (typeof mode !== "string")
    fail(`The "reactCompilerOutputMode" property must be of type string, got ${typeof mode}`);
  if (mode !== "client" && mode !== "ssr") {
    fail(`Expected reactCompilerOutputMode to be 'client' or 'ssr', got ${mode}`);
  }
  return booleanOr(config, "reactCompiler", false) && mode === "client";
}

/** Checks the options of `Bun.build`. */
export function check(given: unknown): CheckedConfig {
  if (!isObject(given)) return fail("Expected a config object to be passed to Bun.build");
  const config = machineOf(given);
  const isExecutable = config["compile"] !== undefined && config["compile"] !== null && config["compile"] !== false;
  const bytecode = bytecodeOf(config);
  const entrypoints = config["entrypoints"];
  if (entrypoints === undefined || entrypoints === null) fail("Expected entrypoints to be an array of strings");
  if (!Array.isArray(entrypoints)) return fail("entrypoints must be an array");
  if (entrypoints.length === 0 || entrypoints.some((entry) => typeof entry !== "string")) {
    fail("Expected entrypoints to be an array of strings");
  }
  const cwd = process.cwd();
  const hasBytecode = config["bytecode"] === true;
  const target = hasBytecode && (config["target"] ?? null) === null ? "bun" : targetOf(config);
  const format = oneOf(config, "format", ["esm", "cjs", "iife"] as const, hasBytecode ? "cjs" : "esm");
  if (hasBytecode && !isExecutable && target !== "bun") fail("target must be 'bun' when bytecode is true");
  if (hasBytecode && format === "iife") fail("format must be 'cjs' or 'esm' when bytecode is true.");
  const minify = minifyOf(config["minify"]);
  const define = stringMap(config, "define");
  for (const [name, value] of Object.entries(define)) define[name] = defineValue(value);
  const ownNodeEnv = define["process.env.NODE_ENV"];
  const production = config["production"] === true || process.env.NODE_ENV === "production";
  define["process.env.NODE_ENV"] ??= JSON.stringify(
    production ? "production" : (process.env.NODE_ENV ?? "development"),
  );
  const absolute = (path: string | null) => (path === null || isAbsolute(path) ? path : resolve(cwd, path));
  const packages = oneOf(config, "packages", ["bundle", "external"] as const, "bundle");
  const plugins: unknown = config["plugins"] ?? [];
  if (!Array.isArray(plugins)) return fail("Expected plugins to be an array");
  // Rollup's users leave places empty in lists in the list; Bun takes objects only.
  for (const plugin of plugins) if (!isObject(plugin)) fail("Expected plugin to be an object");
  for (const plugin of plugins.flat(Infinity) as unknown[]) {
    if (plugin === undefined || plugin === null || plugin === false) continue;
    if (!isObject(plugin)) fail("Expected plugin to be an object");
    else if (typeof plugin["setup"] !== "function" && !isRollupPlugin(plugin))
      fail("Expected plugin to have a setup() function");
  }
  const compilers = isCompiledForReact(config, target)
    ? [require("internal/bundle/react_compiler").reactCompiler(cwd)]
    : [];
  const metafile = metafileOf(config["metafile"]);
  const outdir = absolute(optionalString(config, "outdir"));
  const outfile = absolute(optionalString(config, "outfile"));
  const naming = namingOf(config["naming"]);
  const checked: CheckedConfig = {
    compile: undefined,
    bytecode,
    checksTypes: booleanOr(config, "check", false),
    plugins: [...(plugins.flat(Infinity) as BundlerPlugin[]).filter(Boolean), ...compilers],
    throws: booleanOr(config, "throw", true),
    metafile,
    native: {
      cwd,
      entrypoints: (entrypoints as string[]).map(entryOf),
      root: absolute(optionalString(config, "root")),
      outdir: outfile === null || isExecutable ? outdir : dirname(outfile),
      outfile,
      executable: null,
      standalone: false,
      target,
      format,
      splitting: booleanOr(config, "splitting", false),
      splitRequire: booleanOr(config, "splitRequire", true),
      minChunkSize: minChunkSizeOf(config),
      modulePreload: booleanOr(config, "modulePreload", true),
      cssChunking: booleanOr(config, "cssChunking", false),
      // Bun's default is true: real namespaces cannot be assigned to, so here it has to be asked for.
      namespaceSetters: booleanOr(config, "deprecatedNamespaceObjectSetters", false),
      sourcemap: sourcemapOf(config["sourcemap"], outdir !== null || outfile !== null),
      minify,
      // The only result has the name of the file, whatever the entry point's.
      naming: outfile === null || isExecutable ? naming : { ...naming, entry: basename(outfile) },
      publicPath: stringOr(config, "publicPath", ""),
      external: strings(config, "external"),
      packagesExternal: packages === "external",
      conditions: strings(config, "conditions"),
      nodePaths: (process.env["NODE_PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder)),
      define,
      drop: strings(config, "drop"),
      loader: loaderMap(config["loader"]),
      banner: stringOr(config, "banner", ""),
      footer: stringOr(config, "footer", ""),
      jsx: jsxOf(config, ownNodeEnv ?? (production ? '"production"' : undefined)),
      tsconfig: absolute(optionalString(config, "tsconfig")),
      treeShaking: booleanOr(config, "treeShaking", true),
      ignoreDceAnnotations: booleanOr(config, "ignoreDCEAnnotations", false),
      // The modules of an executable are always there in the engine's form.
      bytecode: hasBytecode && !isExecutable,
      emitDceAnnotations:
        config["emitDCEAnnotations"] === undefined ? null : booleanOr(config, "emitDCEAnnotations", true),
      env: envOf(config["env"]),
      files: filesOf(config["files"], cwd),
      allowUnresolved:
        config["allowUnresolved"] === undefined || config["allowUnresolved"] === null
          ? null
          : strings(config, "allowUnresolved"),
      features: strings(config, "features"),
      optimizeImports: strings(config, "optimizeImports"),
      syntaxTarget: strings(config, "syntaxTarget"),
      alias: stringMap(config, "alias"),
      globalName: optionalString(config, "globalName"),
      metafile: metafile !== undefined,
      legalComments: oneOf(config, "legalComments", ["none", "inline"] as const, "inline"),
      inject: strings(config, "inject").map((path) => resolve(cwd, path)),
      manualChunks: manualChunksOf(config["manualChunks"]),
      declarations: booleanOr(config, "declarations", false),
      resolveFilters: [],
      loadFilters: [],
      beforeParseFilters: [],
      rollupHooks: [],
      hasRollup: false,
      hasTransform: false,
      hasRenderChunk: false,
      isLast: false,
      changed: null,
      changedIsAll: false,
      keepsTexts: false,
    },
  };
  checked.compile = checkCompile(config["compile"], checked.native, strings(config, "asset"), bytecode);
  return checked;
}
