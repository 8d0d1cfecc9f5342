// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  process: {
    argv(): string[];
    /** The text that `-e`, `-p`, standard input or a worker's `eval` gave; undefined for a file. */
    programText(): string | undefined;
    execArgv(): string[];
    /** Whether stacks go by the source maps of all files: `--enable-source-maps`, or what `enableSourceMaps` was given last. */
    sourceMapsEnabled(): boolean;
    /** Has stacks go by the source maps that files name, or only by those of bundles for Bun. */
    enableSourceMaps(enabled: boolean): void;
    execPath(): string;
    argv0(): string;
    version(): string;
    versions(): string[];
    release(): string[];
    revision(): string;
    /** A Node-style option by its long name; undefined where it was not given. */
    cliOption(name: string): boolean | string | string[] | undefined;
    /** Ids of the built-in modules that have been loaded. */
    loadedBuiltins(): string[];
    /** Whether the permission model is on. */
    permissionOn(): boolean;
    /** Whether it gives what a scope of `process.permission.has` names; `reference` is a path for the file system. */
    permissionHas(name: string, reference?: string | null | undefined): boolean;
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
    setgroups(groups: readonly number[]): void;
    initgroups(user: string, group: number): void;
    lookupUser(name: string): number | undefined;
    lookupGroup(name: string): number | undefined;
    userName(uid: number): string | undefined;
    setTitle(title: string): void;
    /** Makes `path` the second item of `argv`, for a `process.argv` that is made later. */
    setScript(path: string): void;
    /** What a descriptor is, in libuv's words. */
    guessHandleType(fd: number): string;
    /** Columns and rows of a terminal. */
    windowSize(fd: number): number[] | undefined;
    /** Replaces the process image; comes back only with an error. */
    execve(file: string, args: readonly string[], env: readonly string[]): void;
    /**
     * Begins the trace of this process, unless it has begun. `pattern` is the path of the file, in which `${pid}` and `${rotation}`
     * (from 1) stand for numbers. A file that cannot be opened is told on standard error, and there is no trace.
     */
    openTrace(pattern: string): void;
    /** Adds an event, a JSON object, to the trace. */
    writeTrace(event: string): void;
    /** The system's number of this thread. */
    systemThreadId(): number;
  };
}
