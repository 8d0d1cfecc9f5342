// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

/** The native halves of the API families by name. */
interface Natives {}

declare namespace Native {
  /** An ArrayBuffer, a SharedArrayBuffer or a view on one. */
  type Bytes = ArrayBufferView | ArrayBufferLike;

  /** An error of the system or of a native function. */
  interface NativeError extends Error {
    code?: string;
    errno?: number;
    syscall?: string;
    path?: string;
    dest?: string;
  }

  /** The last argument of an asynchronous op; after an error there is no value. */
  type Callback<T> = (error: NativeError | undefined, value: T) => void;

  /** Marks native objects, which JavaScript only passes on. */
  const resource: unique symbol;

  interface Certificate {
    readonly [resource]: "Certificate";
  }

  interface Cipher {
    readonly [resource]: "Cipher";
  }

  interface Key {
    readonly [resource]: "Key";
  }

  interface ModuleRecord {
    readonly [resource]: "ModuleRecord";
  }

  interface Name {
    readonly [resource]: "Name";
  }

  interface Port {
    readonly [resource]: "Port";
  }

  interface Worker {
    readonly [resource]: "Worker";
  }
}

interface Natives {
  bun_data: {
    /** The value of a text. `format`: 0 JSONC, 1 JSON5, 2 TOML, 3 YAML. Throws a SyntaxError, its message without the format. */
    parseData(format: number, text: string): unknown;
    /**
     * JavaScript for a text. `loader`: js, jsx, ts or tsx. `define`: names and replacements in turns. `flags`: 1 without
     * whitespace, 2 the classic JSX runtime, 4 the automatic one without development information. `names`: the JSX import
     * source, factory and fragment, "" for the default.
     */
    transform(text: string, loader: string, define: readonly string[], flags: number, names: readonly string[]): string;
    /** The same on the thread pool. */
    transformLater(text: string, loader: string, define: readonly string[], flags: number, names: readonly string[], callback: Native.Callback<string>): void;
    transformLater(text: string, loader: string, define: readonly string[], flags: number, names: readonly string[]): Promise<string>;
    /** What a text exports and asks for: `[exports, kinds and specifiers in turns]`. Kinds: s import, d import(), r require. */
    scanModule(text: string, loader: string): [string[], string[]];
  };

  console: {
    /** Writes text to a descriptor, waiting as long as it takes. */
    write(fd: number, text: string): void;
    /** Whether a descriptor is a terminal. */
    isTty(fd: number): boolean;
  };

  inspect: {
    /** `[state, result]`: 0 pending, 1 fulfilled, 2 rejected; undefined for other values. */
    promiseDetails(value?: unknown): [state: 0 | 1 | 2, result: unknown] | undefined;
    /** `[target, handler]` of a proxy; undefined for other values. */
    proxyDetails(value?: unknown): [target: object | null, handler: object | null] | undefined;
    /** Internal class of an object as a number; the list stands in ext/util/types.ts. */
    classOf(value?: unknown): number;
    /** Own keys that are no array indices, symbols included. */
    ownNonIndexKeys(object: object, onlyEnumerable: boolean): (string | symbol)[];
    /**
     * Whether two objects are equal in all that is in them, as far as that can be said without running JavaScript:
     * see `Scope::compare_trees`. `rules`: 0 loose, 1 strict, 3 strict without prototypes (the numbers of
     * ext/util/comparisons.ts), 4 as Bun, 5 as Bun, strict.
     */
    compareTrees(a: unknown, b: unknown, rules: number, outer?: unknown): boolean | unknown[] | undefined;
    /** What an iterator or weak collection holds: the engine does not tell without changing the iterator, so undefined. */
    previewEntries(value?: unknown): [items: unknown[], arePairs: boolean] | undefined;
    /**
     * Frames `[function, source, line, column, isAsync]` of the running code, mapped to original positions, without the
     * frames of bao's own modules.
     */
    currentStack(limit: number): [function: string, source: string, line: number, column: number, isAsync: boolean][];
    /** The same for an error object; undefined for other values. */
    errorFrames(error?: unknown): [function: string, source: string, line: number, column: number, isAsync: boolean][] | undefined;
  };

  loader: {
    /** Resolves for `require`: `["builtin", id]` or `["file", path, query and hash if any]`. `paths` are directories to start from instead. */
    resolve(specifier: string, importer: string, resolveOnly: boolean, paths?: readonly string[] | null | undefined): [kind: "builtin" | "file" | "url", name: string, suffix: string | undefined];
    /** `import.meta.resolve`: the URL of a specifier for an importer. */
    resolveUrl(specifier: string, importer: string): string;
    /** Loads a file for `require`: `[0, function]` for CommonJS, `[1, namespace]` for an ES module, `[2, value]` for data. */
    load(path: string, suffix?: string | null | undefined): [0, Function] | [1 | 2, unknown];
    /** `module._compile`: the function of CommonJS text, or `undefined` where the text is an ES module. */
    compileText(text: string, path: string): Function;
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
    hookedModule(source: unknown, specifier: string, importer: string): object;
    /** Loads a source that hooks gave for `require`, as `load` does a file. */
    loadHooked(source?: unknown): [0, Function] | [1 | 2, unknown];
    /** `require` of a `data:` URL: the namespace of its module. */
    requireUrl(url: string): object;
    /** The module system of a script file, `module` or `commonjs`, as loading it would find. */
    moduleKind(path: string): string;
    /** Paths of the program's files that are ES modules, or were imported by some. */
    loadedFiles(): string[];
    /** From the first file that looks as if it mocked modules, exports can be replaced. */
    expectMocks(): void;
    /** From now on the exports of modules can be replaced: see ext/test/bun_test/module_mock.ts. */
    makeAssignable(): void;
    /** Forgets the program's modules (`--hot`). */
    resetModules(): void;
    /** Runs the main file again: the promise of its evaluation, or undefined where it is CommonJS. */
    runMain(path: string): Promise<unknown> | undefined;
    /** Prints an error as an uncaught one is printed. */
    report(error?: unknown): void;
    /** Whether `--hot` clears the screen before it loads anew; undefined without `--hot`. */
    hotClearsScreen(): boolean | undefined;
  };

  locks: {
    /** From now on `listener(id, what)` is called when a request of this thread is granted (0) or a lock of it stolen (1) by another thread. */
    listen(listener?: unknown): void;
    /**
     * `[id, granted, stolen...]`: the number of the request, 1 where it holds the lock already, and entries of this thread that it has stolen it from.
     * `id` is 0 where it was to be had only if nobody had to be waited for.
     */
    request(name: string, exclusive: boolean, ifAvailable: boolean, steal: boolean): number[];
    /** Gives a lock back, or takes a request back: the requests of this thread that hold the lock now. */
    release(name: string, id: number): number[];
    /** `[name, exclusive, thread, held]` of all of them, one after the other. */
    query(): [name: string, exclusive: boolean, thread: number, held: boolean][];
  };

  loop: {
    readonly tickInfo: Uint32Array;
    readonly immediateInfo: Uint32Array;
    readonly timerInfo: Int32Array;
    /** A copy of a string, or of an object of plain data. Another object: 1, or 2 where one of bao's own may be in it. */
    clonePlain(value?: unknown): unknown;
    /** `[true, clone]`, or `[false, message]` where the value cannot be cloned. */
    structuredClone(value?: unknown, transfer?: readonly unknown[] | undefined): [true, unknown] | [false, string];
    /** A full collection (`--expose-gc`). */
    gc(): void;
    /** Loop time in whole milliseconds as of this turn. */
    now(): number;
    /** Reads the clock anew. */
    updateNow(): number;
    /** Arms the one native timer, `ms` from now. */
    scheduleTimer(ms: number): void;
    runMicrotasks(): void;
    enqueueMicrotask(callback: () => void): void;
    /** A pending promise without resolving functions, which are what makes `new Promise` slow. */
    newPromise<T>(): Promise<T>;
    /** Resolves a promise of `newPromise`. */
    resolvePromise<T>(promise: Promise<T>, value: T): void;
    /** Rejects a promise of `newPromise`. */
    rejectPromise(promise: Promise<unknown>, reason?: unknown): void;
    /** Calls one of two functions in a microtask once a promise (nothing else) is settled; makes no promise as `then` does. */
    whenSettled(promise: Promise<unknown>, onFulfilled: (value: never) => void, onRejected: (reason: unknown) => void): void;
    /**
     * An error nobody caught: handlers, report, exit. Comes back where a handler took it, else throws the uncatchable
     * end of execution.
     */
    triggerUncaughtException(error: unknown, fromPromise: boolean): void;
    getAsyncContext(): unknown;
    setAsyncContext(value?: unknown): void;
    activeResources(): string[];
    /** `[idle ms, loop start, turns, events, events waiting]` */
    loopMetrics(): Float64Array<ArrayBuffer>;
    /** Changes the number of operations that keep the loop alive, for operations that stop or start to count. */
    keepAlive(delta: number): void;
  };

  messaging: {
    /** See ext/worker/messaging/hooks. */
    setCloneSymbols(one?: unknown, two?: unknown): void;
    /** See ext/worker/untransferable. */
    expectMarks(): void;
    /** Two resources, each other's end. */
    createChannel(): [Native.Port, Native.Port];
    /**
     * Posts `value` where it is a primitive or an object of plain data, and gives 0. Otherwise 1 where it is for `post` as it is, 2 where
     * objects of bao's own may be in it.
     */
    postPlain(port?: unknown, value?: unknown): number;
    /** Posts `value` with the objects of the array `transfer`. Undefined, or why the value cannot be cloned. */
    post(port: Native.Port, value?: unknown, transfer?: readonly unknown[] | undefined): string | undefined;
    /** From now on `callback` gets what is posted to the port, see `deliver`. */
    start(port?: unknown, callback?: unknown): void;
    /** As `start` for a port of a context of node:vm: messages are made in the realm of `callback`, ports among them by `attach(handle)`. */
    startInContext(port?: unknown, callback?: unknown, attach?: unknown): void;
    /** As `start`, but only for the end of the other port. */
    watch(port?: unknown, callback?: unknown): void;
    /** Nothing more arrives at the port, and nothing is lost: it can be started again. */
    pause(port?: unknown): void;
    /** Closes the port; the other one is told. Whether messages had come: they are still delivered, and then the callback is told of the end. */
    close(port?: unknown): boolean;
    /** The next message, without waiting, or `none`. */
    receive(port: Native.Port, none?: unknown): unknown;
    /** Whether `value` is a resource of this kind. */
    isPortHandle(value?: unknown): boolean;
    /** Whether they are the two ends of one channel. */
    arePair(one: Native.Port, two: Native.Port): boolean;
    /** A member of a broadcast channel: a port whose peer is everybody else. */
    joinChannel(name: string): Native.Port;
    /** Posts `value` to all other members of the channel. Undefined, or why the value cannot be cloned. */
    broadcast(port: Native.Port, name: string, value?: unknown): string | undefined;
  };

  process: {
    argv(): string[];
    execArgv(): string[];
    execPath(): string;
    argv0(): string;
    version(): string;
    versions(): string[];
    release(): string[];
    revision(): string;
    /** A Node-style option by its long name; undefined where it was not given. */
    cliOption(name: string): boolean | string | string[] | undefined;
    /** The id of a public built-in module. */
    builtinId(specifier: string): BuiltinId | undefined;
    isMainThread(): boolean;
    /** 0 for the main thread. */
    threadId(): number;
    /** Ends the process, or the worker. */
    reallyExit(code: number): void;
    /** Monotonic milliseconds since the process started. */
    nowMs(): number;
    /** Unix milliseconds of `now_ms() == 0`. */
    timeOrigin(): number;
    /** Milliseconds after the process start: engine started, realm made, program about to run, loop entered, loop left. */
    milestones(): Float64Array<ArrayBuffer>;
    /** `[rss, heap total, heap used, external, array buffers]` */
    memoryUsage(): Float64Array<ArrayBuffer>;
    /** Starts to watch a signal. */
    startSignal(number: number): void;
    /** Stops watching a signal. */
    stopSignal(number: number): void;
    /** Writes a string (as UTF-8) or bytes, waiting as long as it takes. */
    stdioWrite(fd: number, data?: unknown): void;
    getTitle(): string;
    sourceMapsEnabled(): boolean;
    glibcVersion(): string | undefined;
    /** Opens a reader: `callback(error, chunk)`, chunk undefined at the end. */
    fdReaderOpen(fd: number, callback?: unknown): number;
    fdReaderStart(id: number): void;
    fdReaderStop(id: number): void;
    fdReaderRef(id: number, refed: boolean): void;
    fdReaderClose(id: number): void;
    pid(): number;
    ppid(): number;
    arch(): string;
    platform(): string;
    getenv(name: string): string | undefined;
    setenv(name: string, value: string): void;
    unsetenv(name: string): void;
    /** Flat `[name, value, ...]`. */
    envEntries(): string[];
    cwd(): string;
    chdir(path: string): void;
    umask(mask: number): number;
    /** 0 or a negative errno. */
    kill(pid: number, signal: number): number;
    /** Ends the process with a core, as `abort(3)`. */
    abort(): void;
    /** Writes monotonic time: u64 nanoseconds at 0, u32 seconds at 8, u32 rest at 12. */
    hrtime(out: Native.Bytes): void;
    /** Resident bytes. */
    rss(): number;
    cpuUsage(): Float64Array<ArrayBuffer>;
    threadCpuUsage(): Float64Array<ArrayBuffer>;
    resourceUsage(): Float64Array<ArrayBuffer>;
    /** The cgroup's memory limit in bytes; 0 where there is none. */
    constrainedMemory(): number;
    /** Bytes that can still be allocated. */
    availableMemory(): number;
    /** The id of the process's user. */
    getuid(): number;
    /** The id of the process's effective user. */
    geteuid(): number;
    /** The id of the process's group. */
    getgid(): number;
    /** The id of the process's effective group. */
    getegid(): number;
    setuid(id: number): void;
    seteuid(id: number): void;
    setgid(id: number): void;
    setegid(id: number): void;
    getgroups(): number[];
    initgroups(user: string, group: number): void;
    lookupUser(name: string): number | undefined;
    lookupGroup(name: string): number | undefined;
    userName(uid: number): string | undefined;
    /** Sets the title, and the name of the thread, which the kernel cuts to 15 bytes. */
    setTitle(title: string): void;
    /** Makes `path` the second item of `argv`, for a `process.argv` that is made later. */
    setScript(path: string): void;
    /** What a descriptor is, in libuv's words. */
    guessHandleType(fd: number): string;
    /** Columns and rows of a terminal. */
    windowSize(fd: number): number[] | undefined;
    /** Replaces the process image; comes back only with an error. */
    execve(file: string, args: readonly string[], env: readonly string[]): void;
  };

  source_map: {
    /**
     * Decodes the "mappings" of a source map (ECMA-426): six numbers a mapping, in the order of the text: generated line and
     * column, index of the source, original line and column, index of the name; -1 for what a mapping does not have.
     */
    decodeMappings(text: string): Float64Array<ArrayBuffer>;
  };

  test: {
    /**
     * Starts the watchdog. With `parent` the process ends with its parent. With `signals` SIGINT, SIGTERM and SIGHUP end the run with
     * what is known so far, unless the program listens to them.
     */
    watch(parent: boolean, signals: boolean): void;
    /** Sets the time at which code that runs is ended, in milliseconds from now; 0: never. */
    arm(ms: number): void;
    /** From now on processes whose parents end become children of this one, so that `killDescendants` finds them. */
    adoptDescendants(): void;
    /** Ends all processes below this one; how many there were. */
    killDescendants(): number;
    /** After a file: opens again those of the standard streams that it has closed. */
    mendDescriptors(): void;
    /** A copy of a descriptor where programs do not look, not inherited by what they start; `close`: in place of the first. */
    moveDescriptor(fd: number, close: boolean): number;
    /** Tells the process of `--watch`: `passed:` or `failed:` and the path of a test file, or a path to be watched. */
    tellWatcher(text: string): void;
    /** The descriptor on which the process of `--watch` is told what is loaded. */
    watchFd(): number | undefined;
    /**
     * Counts, from now on, the files that are loaded, see `crate::coverage`: not those of `leftOut`, and only what matches a pattern of
     * `included` and none of `ignored`.
     */
    coverageStart(cwd: string, leftOut: readonly string[], ignored: readonly string[], included: readonly string[]): void;
    /** The counts as JSON, see `crate::coverage::report`. */
    coverage(): string;
    /** What there is to count in a file that was not loaded, like one of the files of `coverage`; undefined where it is not counted. */
    coverageShape(path: string): string | undefined;
    /** Numbers of the last `call`: its duration in microseconds, and one of `state`. */
    callCells(): Uint32Array;
    /**
     * Calls `function(argument)`, or `function()` where the argument is undefined. One that runs for longer than `ms` milliseconds
     * (0: the limit of `arm`) without coming back is ended, whatever it catches; then this throws an error with the code
     * ERR_TEST_TIMEOUT.
     *
     * Microtasks run before this returns where nothing was returned that may be a thenable, or where a promise was returned that
     * this alone waits for (nothing was passed), unless ticks or rejections wait, which JavaScript has to see to. Is such a promise
     * settled then, no one has to wait for it: undefined or the reason is returned, see `callCells`.
     */
    call(function_: Function, ms: number, argument?: unknown): unknown;
    /** Frames of the place where the last function of `call` threw: as `inspect.errorFrames` gives them. */
    thrownFrames(): [function: string, source: string, line: number, column: number, isAsync: boolean][];
    /** Keeps text for standard error, to be written with what follows, see `base::stderr`. */
    hold(text: string): void;
    /**
     * Keeps the line of a test that passed, without colours: the names of its blocks and its own, and its time in milliseconds
     * where that is more than a hundredth of one.
     */
    holdPass(path: string, title: string, elapsed: number): void;
    /** Whether a built-in module has been loaded. */
    isLoaded(id: string): boolean;
    /** Writes what is held. */
    release(): void;
    /** Has `text` written to standard error before whatever the program writes next; whether the text set before was not needed. */
    announce(text: string): boolean;
    /** Forgets the program's modules, so that they are loaded anew; what is known of files and packages stays. */
    renewModules(): void;
    /** Keeps compiled files from now on: they will be loaded again. */
    keepCode(): void;
    /** Forgets one module, so that its file is loaded anew. */
    forgetModule(path: string): void;
    /** How many modules there are: a mark for `forgetModulesSince`. */
    moduleCount(): number;
    /** Forgets the modules made after a mark: what a failed import leaves behind half linked cannot be linked again. */
    forgetModulesSince(mark: number): void;
  };

  v8: {
    /** See ext/v8/node/v8.ts. What this engine has no number for is 0. */
    heapStatistics(): Float64Array<ArrayBuffer>;
    /** `[name, size, used, available, resident]` of the heap's two areas, by the names of V8's that mean the same. */
    heapSpaces(): [string, number, number, number, number][];
    /** Machine code; the engine has no numbers for bytecode, sources and profilers. */
    codeStatistics(): Float64Array<ArrayBuffer>;
    /** Starts to keep a record of collections. */
    startGcLog(): void;
    /** The records since `startGcLog`, which end: microseconds taken, and bytes in use before and after. */
    stopGcLog(): [number, number, number][];
    /** Everything in this thread's heap, as the text of a `.heapsnapshot` file. `internals`: with the names of what only the engine sees. */
    heapSnapshot(internals: boolean): string;
  };

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

  worker: {
    /**
     * Starts a worker: `kind` 0 runs the file `program`, 1 the text. `execArgv` is an array or undefined for the parent's; `settings` are its
     * options as `--name=value`, `preload` what is loaded first, after the parent's own. `setup` (with the objects of `transfer`) goes to the worker's side of
     * JavaScript; `on_exit(code, out_of_memory)` is called when its program has ended. The result: a resource, or why `setup` cannot be cloned.
     */
    start(id: number, kind: number, program: string, name: string, argv: readonly string[], execArgv: readonly string[] | undefined, settings: readonly string[], preload: readonly string[], limits: readonly number[], setup: unknown, transfer: readonly unknown[] | undefined, onExit: (code: number, outOfMemory: boolean) => void): Native.Worker | string;
    /** A number for a new worker. */
    nextId(): number;
    /** Ends the worker as soon as possible, from inside of a loop or a wait. */
    terminate(worker?: unknown): void;
    /** Milliseconds that the worker's loop has slept and worked; empty before it began and after its end. */
    loopTimes(worker?: unknown): number[];
    /** `[user, system]` processor time of this thread in microseconds. */
    threadCpuUsage(): number[];
    /**
     * Posts `value` to the thread of that number; `callback` gets 0 once a listener there was called, 1 where that is not possible, 2 where one has thrown.
     * The result: why the value cannot be cloned, or undefined.
     */
    postToThread(thread: number, value: unknown, transfer: readonly unknown[] | undefined, callback: (status: 0 | 1 | 2) => void): string | undefined;
  };
}
