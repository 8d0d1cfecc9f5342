// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  bundle: {
    /**
     * Begins a build. `options` is JSON, see `bundle::BuildOptions`.
     *
     * `ask(question, "resolve", specifier, importer, namespace, kind)`, `ask(question, "load", path, namespace, loader)`,
     * `ask(question, "transform", path, namespace, code, loader)` and `ask(question, "render", code, chunk)` are called for plugins if
     * their filters match, `ask(question, "rollup", hook, about)` for hooks of Rollup with what they are about as JSON, and
     * `ask(question, "macros", path, text, loader)` for macros; `answer` takes what they say, `defer` lets a plugin wait. `done(artifacts, messages, metafile, inputs, kept)` is
     * called once: each artifact is `[path, kind, loader, hash, bytes, sourcemap, source, isEntry, description]`, the messages are JSON,
     * the metafile is JSON or null, the inputs are JSON, or null if they are those of the build before, `kept` has the bytes of the code
     * and of its map if `writeTexts` writes these, whose artifacts are empty, else null. `natives` has `[file, symbol, external]` for
     * each filter of native plugins; the caller keeps it until `done` is called.
     *
     * # Errors
     * Options that are not of this form, native plugins that are none, and threads that cannot be made.
     */
    build(options: string, ask?: unknown, done?: unknown, natives?: unknown): number;
    /**
     * Writes the code and the map of the last build, which are kept for the next one, to new files, both at once. `map` is null if there
     * is none. Blocks are reserved first, as a file that is renamed to another's name is given its blocks then, which takes longer.
     *
     * # Errors
     * The system's error about the first that cannot be written.
     */
    writeTexts(code: number, map?: number | null | undefined): void;
    /**
     * Gives a module of the development server to native plugins: `natives` has `[file, symbol, external]` of those whose filters
     * match, `loader` is the name of its loader. Gives `[bytes, loader]`, or null if the module stays.
     *
     * # Errors
     * Native plugins that are none, and the first error that one tells.
     */
    beforeParse(natives: unknown, path: string, namespace: string, loader: string, bytes: Native.Bytes): [bytes: Uint8Array, loader: string] | null;
    /**
     * Answers a question of a build: `value` is JSON (of `onResolve` the object, of `onLoad` `{ loader }`) or null if no plugin
     * knew; `bytes` is the text of a module; `error` the text of what a plugin has thrown.
     */
    answer(question: number, value?: string | null | undefined, bytes?: Native.Bytes | null | undefined, error?: string | null | undefined): void;
    /**
     * Lets a plugin wait for all other modules of its build, but those that wait too: `ask(question, "deferred")` is called then.
     * `question` is that of a module's text which has no answer yet; after its answer nothing happens.
     */
    defer(question: number): void;
    /** What is known of a module of a build, as JSON (see `Graph::module_info`); null if it is none of it. */
    moduleInfo(build: number, id: string): string | undefined;
    /** The code of a module of a build; null as long as it has not been parsed. */
    moduleCode(build: number, id: string): string | undefined;
    /** The ids of all modules of a build that are known. */
    moduleIds(build: number): string[];
    /**
     * Adds a chunk to a build and gives its reference. `chunk` is JSON: `{ id, importer, name, fileName, signature }`.
     *
     * # Errors
     * The modules have all been read, or the build has ended.
     */
    emitChunk(build: number, chunk: string): string;
    /**
     * Makes the name of a file known to a build and gives its reference.
     *
     * # Errors
     * A name that no file may have; the build has ended.
     */
    emitAsset(build: number, fileName: string): string;
    /**
     * The name of the file of a reference that `emitChunk` or `emitAsset` has given.
     *
     * # Errors
     * A reference that is none, and a chunk that has no name yet.
     */
    emittedName(build: number, reference: string): string;
    /**
     * Reads a module of a build, `withImports` also until its imports have been resolved; `ask(ticket, "told", answer)` is called then.
     *
     * # Errors
     * The build has ended.
     */
    loadModule(build: number, ticket: number, id: string, sideEffects: boolean | null | undefined, withImports: boolean): void;
    /**
     * Looks where a specifier leads by all but plugins; `ask(ticket, "told", answer)` is called with `{ id, external }` or null.
     *
     * # Errors
     * The build has ended.
     */
    resolveModule(build: number, ticket: number, specifier: string, importer: string | null | undefined, isEntry: boolean): void;
    /** Lets go of the modules of a build: nobody asks any more. */
    releaseModules(build: number): void;
    /**
     * The syntax tree of JavaScript by the standard ESTree, as JSON: `{ tree, fixes }`, where `fixes` leads to the values of bigints and
     * regular expressions, which JSON has not; or `{ error, start }` about a text that is none, with its place in UTF-16 code units.
     * `jsx` and `isReturnAllowed` are Rollup's options.
     */
    parseModule(code: string, jsx: boolean, isReturnAllowed: boolean): string;
    /**
     * Begins an executable: bao's options that it always runs with, and which of .env, bunfig.toml, tsconfig.json and package.json it
     * reads; how many times longer than usual code stays in the interpreter. Gives its number, which `executableWrite` takes back.
     */
    executableNew(execArgv: readonly string[], dotenv: boolean, bunfig: boolean, tsconfig: boolean, packageJson: boolean, jitPolicy?: number | null | undefined): number;
    /**
     * Takes a file that a run has written about the functions that it used (`BUN_BYTECODE_ORDER_OUT`); the first one that knows a module
     * counts. False if it is no such file.
     */
    executableOrder(number: number, content: Native.Bytes): boolean;
    /**
     * Adds a module, the one that runs first. `map` is its source map as JSON. With `allFunctions` those of the
     * module are compiled, not only what runs when it is loaded. Gives whether its code is one of an order file.
     *
     * # Errors
     * A SyntaxError about a text that the engine cannot compile; a name that no file can have.
     */
    executableModule(number: number, name: string, text: string, esm: boolean, allFunctions: boolean, map?: string | null | undefined): boolean;
    /**
     * The compiled code of a module that will have this text at this path, as `runtime_core::bytecode` reads it, with `allFunctions` also
     * of what does not run when it is loaded.
     *
     * # Errors
     * A SyntaxError about a text that the engine cannot compile.
     */
    bytecode(path: string, text: string, esm: boolean, allFunctions: boolean): Uint8Array<ArrayBuffer> | undefined;
    /**
     * Adds a file.
     *
     * # Errors
     * A name that no file can have.
     */
    executableFile(number: number, name: string, content: Native.Bytes): void;
    /** Forgets an executable that is not written. */
    executableDrop(number: number): void;
    /**
     * Writes the executable to `path`, as a copy of the bao at `template`; gives its size in bytes.
     *
     * # Errors
     * A template that cannot be read or is none, and those of the system about `path`.
     */
    executableWrite(number: number, template: string, path: string, callback: Native.Callback<number>): void;
    executableWrite(number: number, template: string, path: string): Promise<number>;
    /**
     * Makes a resolver for a build with these options (JSON, as `build` takes them) and gives its number, which `devClose` takes back.
     *
     * # Errors
     * Options that are not of this form.
     */
    devResolver(options: string): number;
    /** Drops a resolver; nothing happens if there is none of this number. */
    devClose(number: number): void;
    /**
     * Where a specifier leads from a file: a path, `bao-node:ID` for what stands for a built-in module of Node, "" for a module without
     * exports, null for what the browser loads itself.
     *
     * # Errors
     * The resolver's text about a specifier that leads nowhere.
     */
    devResolve(number: number, importer: string, specifier: string, isRequire: boolean): string | undefined;
    /**
     * Has a resolver look at the disk anew.
     *
     * # Errors
     * A number that no resolver has.
     */
    devForget(number: number): void;
    /**
     * What stands for a built-in module of Node in browsers, by its id, as JSON: `{ code, imports }`, the text of a CommonJS module and
     * where its specifiers lead.
     *
     * # Errors
     * An id that is none.
     */
    devPolyfill(id: string): string;
    /** The loader of files with an extension (with its dot), by its name. */
    devLoader(extension: string): string;
    /**
     * A module as the body of a function, as JSON:
     * `{ code, map, kind, isAsync, isStrict, directives, exports, barrel, dependencies: [{ specifier, kind, attribute, graph, names,
     * isWhole, optional, line, column }] }` (`barrel`: `{ exports: [[exported, specifier, imported]], always }` or null), or `{ problems: [{ text, line, column, length, lineText, notes }] }`. `shown` is its name in messages and maps; `define` is JSON;
     * `refresh` registers components for React Fast Refresh.
     *
     * # Errors
     * A `define` that cannot be read.
     */
    devModule(path: string, shown: string, source: string, loader: string, define: string, refresh: boolean, callback: Native.Callback<string>): void;
    devModule(path: string, shown: string, source: string, loader: string, define: string, refresh: boolean): Promise<string>;
    /**
     * A style sheet with what it imports, as JSON: `{ code, module, inputs, assets: [{ name, source }] }`, or
     * `{ problem: { text, unresolved, file, line, column, length, lineText, notes } }` (`unresolved`: a URL that leads nowhere). `module` is JavaScript for a module of CSS. `options` are
     * those of a build, `texts` (JSON) sheets that plugins have loaded.
     *
     * # Errors
     * Options that are not of this form.
     */
    devSheet(options: string, path: string, texts: string, callback: Native.Callback<string>): void;
    devSheet(options: string, path: string, texts: string): Promise<string>;
    /** The script of the browser's half. */
    devClient(): string;
    /** The script of the registry for modules that run in this process: the body of a function of `config` and `modules`. */
    devServerModules(): string;
    /** A CommonJS module that stands for `react-refresh/runtime` where that package is not installed. */
    reactRefresh(): string;
    /**
     * `[serve.static]` of a bunfig.toml, as JSON: `{ plugins, define, env, minify, publicPath }`; null is what is not set. `path` is for
     * messages.
     *
     * # Errors
     * A mistake in the text, with its place.
     */
    serveSettings(text: string, path: string): string;
    /**
     * What a page refers to, as JSON: `[{ kind, url }]`, kinds `script`, `style`, `asset`.
     *
     * # Errors
     * A page that cannot be read.
     */
    pageReferences(html: string): string;
    /**
     * A page with `urls` (JSON: reference to URL; null takes the tag away) in the place of its references, and `head` at the end of
     * its head.
     *
     * # Errors
     * A page that cannot be read.
     */
    pageWith(html: string, urls: string, head: string): string;
  };
}
