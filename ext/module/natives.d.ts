// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  loader: {
    /**
     * Resolves for `require`: `["builtin", id]` or `["file", path, query and hash if any]`. `paths` are directories to start from instead,
     * `conditions` those of package exports instead of the usual ones.
     */
    resolve(specifier: string, importer: string, resolveOnly: boolean, paths?: readonly string[] | null | undefined, conditions?: readonly string[] | null | undefined): [kind: "builtin" | "file" | "url", name: string, suffix: string | undefined];
    /** `import.meta.resolve`: the URL of a specifier for an importer. `conditions`: those of package exports instead of the usual ones. */
    resolveUrl(specifier: string, importer: string, conditions?: readonly string[] | null | undefined): string;
    /**
     * Loads a file for `require`: `[0, function]` for CommonJS, `[1, namespace]` for an ES module, `[2, value]` for data. `graph`: that of the
     * module that asks, if any.
     */
    load(path: string, suffix?: string | null | undefined, graph?: number | null | undefined): [0, Function] | [1 | 2, unknown];
    /** `module._compile`: the function of CommonJS text, or `undefined` where the text is an ES module. */
    compileText(text: string, path: string, graph?: number | null | undefined): Function;
    /** Runs text as a classic script (`-e`): its declarations become globals; gives the completion value. */
    runScript(text: string, path: string): unknown;
    /** Parses a JSON file's text for `require`, naming the file in errors. */
    loadJson(path: string): unknown;
    /** `module.paths` of a directory. */
    lookupPaths(dir: string): string[];
    /** `require.resolve.paths`. */
    resolvePaths(specifier: string, importer: string): string[] | undefined;
    /** Path of the package.json whose scope a file is in. */
    packageJsonPath(path: string): string | undefined;
    /** Names of public built-in modules. */
    builtinNames(): string[];
    /**
     * `module.enableCompileCache`: 0 failed, 1 enabled, 2 enabled before, 3 switched off by the environment; and the folder, or what
     * went wrong.
     */
    enableCompileCache(dir: string, portable: boolean): [number, string | undefined];
    /** The folder of the compile cache; undefined while there is none. */
    compileCacheDir(): string | undefined;
    /** Writes what the compile cache has noted. */
    flushCompileCache(): void;
    /** Id of a public built-in module for a specifier. */
    builtinId(specifier: string): BuiltinId | undefined;
    /** Exports of a public built-in module. */
    requireBuiltin<K extends BuiltinId>(id: K): BuiltinModules[K];
    /** Path of the program. */
    mainPath(): string | undefined;
    /** TypeScript to JavaScript for `module.stripTypeScriptTypes`. */
    stripTypes(text: string): string;
    /** From now on the loader asks ext/module/loader_hooks. */
    activateHooks(): void;
    /** The module record of a source that hooks gave; of none, that of `specifier`. */
    hookedModule(source: unknown, specifier: string, importer: string, graph?: number | null | undefined): object;
    /** Loads a source that hooks gave for `require`, as `load` does a file. */
    loadHooked(source?: unknown, graph?: number | null | undefined): [0, Function] | [1 | 2, unknown];
    /** The module system of a script file, `module` or `commonjs`, as loading it would find. */
    moduleKind(path: string): string;
    /** Names and sizes of the files in the executable that are no modules; undefined if it has no program (`bao build --compile`). */
    embeddedFiles(): [name: string, size: number][] | undefined;
    /** The path of the module in the executable that a worker's specifier means. */
    embeddedWorker(specifier: string): string | undefined;
    /**
     * The calls of macros in a text, six texts each: module, export, arguments (see `transpile::MacroCall`), line, column, text of the
     * line. Undefined if it imports no macros. `loader`: js, jsx, ts or tsx. `sources`: functions that are macros wherever they are
     * imported, in threes: module and name as imported, module that has it.
     *
     * # Errors
     * A SyntaxError about arguments that are not known before the program runs.
     */
    findMacros(text: string, path: string, loader: string, sources: readonly string[]): string[] | undefined;
    /**
     * The text with JavaScript expressions in the places of its macros' calls.
     *
     * # Errors
     * As `findMacros`.
     */
    expandMacros(text: string, path: string, loader: string, sources: readonly string[], results: readonly string[]): string;
    /** Paths of the program's files that are ES modules, or were imported by some. */
    loadedFiles(): string[];
    /** Forgets the program's modules (`--hot`). */
    resetModules(): void;
    /** Runs the main file again: the promise of its evaluation, or undefined where it is CommonJS. */
    runMain(path: string): Promise<unknown> | undefined;
    /** Prints an error as an uncaught one is printed. */
    report(error?: unknown): void;
    /** Whether `--hot` clears the screen before it loads anew; undefined without `--hot`. */
    hotClearsScreen(): boolean | undefined;
    /**
     * Goes on with the main file `path` once asynchronous hooks have answered `answer` for it: the promise of its evaluation, or undefined if
     * it is CommonJS.
     */
    runEntry(path: string, answer?: unknown): Promise<unknown> | undefined;
    /** Makes `path` that of the program's main module (`import.meta.main`). */
    setMain(path: string): void;
    /** `module.syncBuiltinESMExports` */
    syncBuiltins(): void;
    /** The number of the graph that modules are looked up in now; 0 for the program. */
    currentGraph(): number;
    /** Makes a graph of modules whose modules have `names`, which are identifiers, beside the global object's; its number. */
    createGraph(names: readonly string[]): number;
    /** `import()` into a graph. */
    importInto(graph: number, specifier: string): Promise<object>;
    /** The path of a graph's main module, once one was imported. */
    mainOfGraph(graph: number): string | undefined;
    /** Forgets the modules of a graph; imports in its code end in `refuseImport` of ext/module/graph.ts. */
    disposeGraph(graph: number): void;
  };

  source_map: {
    /**
     * Decodes the "mappings" of a source map (ECMA-426): six numbers a mapping, in the order of the text: generated line and
     * column, index of the source, original line and column, index of the name; -1 for what a mapping does not have.
     */
    decodeMappings(text: string): Float64Array<ArrayBuffer>;
    /**
     * The source map of a file as JSON: the one made when it was transpiled, or the one that its text names in a comment. Undefined if
     * there is none, or if it cannot be read.
     */
    find(path: string): string | undefined;
  };
}
