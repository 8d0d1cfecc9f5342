// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  vm: {
    /**
     * Makes a realm with the language's globals. With an object as `sandbox` it is contextified and what `globalThis` is there
     * comes back, else its global object. `strings` and `wasm`: whether code may be made of strings and of WebAssembly;
     * `ownMicrotasks`: see `engine::RealmOptions`; `holder` answers `import()` in code that has no referrer; `ownNames` is an
     * object with names that a contextified realm has besides the language's.
     */
    createRealm(strings: boolean, wasm: boolean, ownMicrotasks: boolean, sandbox?: unknown, holder?: unknown, ownNames?: unknown): object;
    /**
     * Compiles a script: its number.
     *
     * - `line`, `column`: of the first character, from 1.
     * - `environment`: whether it is for `runWith`.
     * - `defaultLoader`: whether `import()` without a holder loads as the program's modules do; else it is refused.
     * - `cached`: bytes of `cachedData`, used where they fit.
     *
     * Gives `[number, whether the bytes were refused]`.
     */
    compile(source: string, filename: string, line: number, column: number, environment: boolean, defaultLoader: boolean, cached?: Native.Bytes | null | undefined): [number, boolean];
    /** The body of a function with counters, if texts are counted: for `vm.compileFunction`. */
    countedBody(code: string, filename: string): string | undefined;
    /** Serialised form of a script, or undefined where it has none. */
    cachedData(script: number, source: string, environment: boolean): Uint8Array<ArrayBuffer> | undefined;
    /** Forgets a script. */
    release(script: number): void;
    /**
     * Runs a script in the main realm.
     *
     * - `timeout`: in milliseconds, 0 for none.
     * - `sigint`: whether SIGINT ends it.
     * - `holder`: answers its `import()` calls, see `Referrer::Holder`; may be undefined.
     */
    run(script: number, timeout: number, sigint: boolean, holder?: unknown): unknown;
    /**
     * Runs a script in the realm of `global`, its free names looked up first in the objects of the array `environments`, from the
     * last to the first; the rest as in `run`.
     */
    runWith(script: number, global: object, environments: readonly object[], holder?: unknown): unknown;
    /** Runs a script in the realm of `global`, which may be the view of a contextified one; the rest as in `run`. */
    runIn(script: number, global: object, timeout: number, sigint: boolean, holder?: unknown): unknown;
    /**
     * Compiles a module in the realm of `global`: `[module record, whether the cached data was refused]`. `holder` answers its
     * requests, see `Referrer::Holder`; its `module` is set here. `line`, `column` and `cached` as in `compile`.
     */
    compileModule(source: string, identifier: string, line: number, column: number, global: object, holder: object, cached?: Native.Bytes | null | undefined): [module: Native.ModuleRecord, rejected: boolean];
    /** Serialised form of a module's code, or undefined where it has none. */
    moduleCachedData(source: string, identifier: string, line: number, column: number): Uint8Array<ArrayBuffer> | undefined;
    /** What a module imports: arrays of specifier, `type` attribute or undefined, and whether it is `import source`. */
    moduleRequests(module: Native.ModuleRecord): [specifier: string, type: string | undefined, isSource: boolean][];
    /** Status of a module in Node's words. */
    moduleStatus(module?: unknown): string;
    /** Whether a module's own code awaits at its top level. */
    moduleHasAwait(module?: unknown): boolean;
    /** Asks the holders of a graph for its modules, which have to answer at once, and links it. */
    linkModule(module?: unknown): void;
    /**
     * Evaluates a linked module: `[state, value, promise]` of its evaluation, the state 0 while it is under way, 1 where it is
     * done, 2 where it failed with the value. `timeout` and `sigint` as in `run`.
     */
    evaluateModule(module: Native.ModuleRecord, global: object, timeout: number, sigint: boolean): [state: 0 | 1 | 2, value: unknown, promise: Promise<unknown>];
    /** The namespace object of a linked module. */
    moduleNamespace(module: Native.ModuleRecord): Record<string, unknown>;
    /** The module of a namespace object; undefined for every other value. */
    moduleOfNamespace(value?: unknown): Native.ModuleRecord | undefined;
    /** Runs a full collection and counts: bytes of the heap, of the main realm's objects, and of those of each context. */
    measure(): [number, number, number[]];
  };
}
