// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  test: {
    /**
     * Starts the watchdog of a run of tests, whose stacks have paths as in Bun. With `parent` the process ends with its parent. With `signals` SIGINT, SIGTERM and SIGHUP end the run with
     * what is known so far, unless the program listens to them.
     */
    watch(parent: boolean, signals: boolean): void;
    /** Sets the time at which code that runs is ended, in milliseconds from now; 0: never. */
    arm(ms: number): void;
    /** Milliseconds until the code that runs is ended; Infinity: no limit. Once the time is over, it ends right after this. */
    timeLeft(): number;
    /** From now on processes whose parents end become children of this one, so that `killDescendants` finds them. */
    adoptDescendants(): void;
    /** Ends all processes below this one, or those of them in its process group; how many there were. */
    killDescendants(ofGroup: boolean): number;
    /** After a file: opens again those of the standard streams that it has closed. */
    mendDescriptors(): void;
    /** A copy of a descriptor where programs do not look, not inherited by what they start; `close`: in place of the first. */
    moveDescriptor(fd: number, close: boolean): number;
    /**
     * Tells the process of `--watch`: `passed:` or `failed:` and the path of a test file, `over:` when all have run, or a path to be
     * watched.
     */
    tellWatcher(text: string): void;
    /** The descriptor on which the process of `--watch` is told what is loaded. */
    watchFd(): number | undefined;
    /**
     * Counts, from now on, the files that are loaded, see `crate::coverage`: not those of `leftOut`, and only what matches a pattern of
     * `included` and none of `ignored`.
     */
    coverageStart(cwd: string, leftOut: readonly string[], ignored: readonly string[], included: readonly string[]): void;
    /** The counts as JSON, see `coverage::report`. */
    coverage(): string;
    /** What there is to count in a file that was not loaded, like one of the files of `coverage`; undefined where it is not counted. */
    coverageShape(path: string): string | undefined;
    /** Numbers of the last `call`: its duration in microseconds, and one of `outcome`. */
    callCells(): Uint32Array;
    /**
     * Calls `function(argument)`, or `function()` where the argument is undefined. One that runs for longer than `ms` milliseconds
     * (0: the limit of `arm`(crate::arm)) without coming back is ended, whatever it catches; then this throws an error with the code
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
    /** From the first file that looks as if it mocked modules, exports can be replaced. */
    expectMocks(): void;
    /** From now on the exports of modules can be replaced: see ext/test/bun_test/module_mock.ts. */
    makeAssignable(): void;
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
    /** Has the system fetch the files of a run, in their order, if some of them are not in memory. */
    fetchAhead(paths: readonly string[]): void;
  };
}
