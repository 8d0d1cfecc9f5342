// The options of a build as the crate `bundle` takes them (bundle/src/options.rs), and what it gives back.

export type LoaderName =
  | "js"
  | "jsx"
  | "ts"
  | "tsx"
  | "json"
  | "jsonc"
  | "json5"
  | "toml"
  | "yaml"
  | "text"
  | "file"
  | "wasm"
  | "napi"
  | "css"
  | "html"
  | "base64"
  | "dataurl"
  | "binary"
  | "empty"
  | "sqlite"
  | "sqliteembedded"
  | "md";

export interface FilterOption {
  source: string;
  flags: string;
  namespace: string | null;
}

/** See `BuildOptions` of the crate. */
export interface NativeOptions {
  cwd: string;
  entrypoints: string[];
  root: string | null;
  outdir: string | null;
  outfile: string | null;
  executable: string | null;
  standalone: boolean;
  target: "browser" | "bun" | "node";
  format: "esm" | "cjs" | "iife";
  splitting: boolean;
  splitRequire: boolean;
  minChunkSize: number;
  modulePreload: boolean;
  cssChunking: boolean;
  namespaceSetters: boolean;
  sourcemap: "none" | "linked" | "inline" | "external";
  minify: { whitespace: boolean; syntax: boolean; identifiers: boolean; keepNames: boolean };
  naming: { entry: string; chunk: string; asset: string };
  publicPath: string;
  external: string[];
  packagesExternal: boolean;
  conditions: string[];
  nodePaths: string[];
  define: { [name: string]: string };
  drop: string[];
  loader: { [extension: string]: LoaderName };
  banner: string;
  footer: string;
  jsx: {
    runtime: string | null;
    importSource: string | null;
    factory: string | null;
    fragment: string | null;
    development: boolean | null;
    sideEffects: boolean;
    refresh: boolean;
  };
  tsconfig: string | null;
  treeShaking: boolean;
  ignoreDceAnnotations: boolean;
  emitDceAnnotations: boolean | null;
  bytecode: boolean;
  env: { [name: string]: string };
  files: { [path: string]: string };
  allowUnresolved: string[] | null;
  features: string[];
  optimizeImports: string[];
  syntaxTarget: string[];
  alias: { [specifier: string]: string };
  globalName: string | null;
  metafile: boolean;
  legalComments: "none" | "inline";
  inject: string[];
  manualChunks: { name: string; contains: string[] }[];
  declarations: boolean;
  resolveFilters: FilterOption[];
  loadFilters: FilterOption[];
  beforeParseFilters: FilterOption[];
  /** The hooks that plugins of Rollup have, and whether there are such plugins. */
  rollupHooks: string[];
  hasRollup: boolean;
  hasTransform: boolean;
  hasRenderChunk: boolean;
  /** Whether the process ends with this build. */
  isLast: boolean;
  /** Of a command line that watches: the files that have changed since its last build. */
  changed: string[] | null;
  /** Whether these are all: the files of the last build were watched when it began. */
  changedIsAll: boolean;
  /** Whether texts that the next build goes on with stay with the native half, which writes them. */
  keepsTexts: boolean;
}

/**
 * One result: path, kind, loader, hash, bytes, name of its source map, source file, whether it is an entry point's, and a chunk as
 * plugins of Rollup see it, as JSON.
 */
export type NativeArtifact = [
  string,
  string,
  string,
  string,
  Uint8Array,
  string | null,
  string | null,
  boolean,
  (string | null)?,
];

export interface NativeMessage {
  /** The last three are of native plugins. */
  level: "error" | "warning" | "info" | "debug" | "verbose";
  text: string;
  position: {
    file: string;
    namespace: string;
    line: number;
    column: number;
    length: number;
    offset: number;
    lineText: string;
  } | null;
  notes: string[];
  unresolved: { specifier: string; referrer: string; kind: string } | null;
}
