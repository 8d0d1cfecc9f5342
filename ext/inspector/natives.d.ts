// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  inspector: {
    /** Starts the server. As in Node, an address that cannot be had is told on standard error, and no more. */
    open(host: string, port: number): void;
    /** Stops the server and hangs up on its clients. */
    close(): void;
    /** The URL of this thread, if the server runs. */
    url(): string | undefined;
    /** Calls a function of `internal/inspector/backend/main` in the debugger's realm. */
    backend(name: string, first?: unknown, second?: unknown, third?: unknown): unknown;
    /** The port of the server; if it does not run, the one that it would take. */
    debugPort(): number;
    /** Sets the port that the server takes if it is started without one. */
    setDebugPort(port: number): void;
    /**
     * The next thing that has come, as the name of what `internal/inspector/backend/main` exports for it, a number and a text; waits for
     * it. Undefined if the thread is to end.
     */
    wait(): [string, number, string] | undefined;
    /** Sends a message to a client. */
    send(client: number, text: string): void;
    /** Whether the backend is in the middle of something from here on; what it was before. */
    setBusy(isBusy: boolean): boolean;
    /**
     * Code of a client's runs from here on, until `endCode` gets what this gives: other clients are served meanwhile, and of this one what
     * is about the code.
     */
    beginCode(client: number): boolean;
    /** The code of a client has ended. */
    endCode(wasBusy: boolean): void;
    /** Whether a module or a lazy global of bao's is being made: no program can tell. */
    isLoading(): boolean;
    /** Whether the engine keeps the stacks of asynchronous calls, in realms whose debugger wants them. */
    setAsyncStacks(areKept: boolean): void;
    /** The global object of the program, behind a wrapper. */
    program(): unknown;
    /** The exports of a built-in module in the program's realm, behind a wrapper. */
    programModule(id: string): unknown;
    /**
     * The map of a transpiled file by its name in stacks: line and column, original line and column of each token, from 0. Of text
     * that comes from nowhere the original line is -1.
     */
    positions(name: string): number[] | undefined;
    /** The text of a file as it was written, for files whose code is made of it; undefined if it cannot be read. */
    originalText(name: string): string | undefined;
    /** The URL of a path. */
    fileUrl(path: string): string;
    /** The number of this process. */
    processId(): number;
    /** Whether the server has clients. */
    hasClients(): boolean;
    /** Ends the code that runs, as soon as it can be interrupted. */
    terminate(): void;
    /** Has code that runs from here on end after `milliseconds`, until `endDeadline`. */
    beginDeadline(milliseconds: number): void;
    /** Takes back `beginDeadline`, and lets the thread go on after code was ended. */
    endDeadline(): void;
    /** Lets the thread go on after the code of a client was ended; not if the program ends. */
    goOn(): void;
    /** A session of this program, a worker's, with the main thread; `receive` gets its messages as JSON. Gives the number of the link. */
    connectMain(receive: (message: string) => void): number;
    /** Sends a message of the protocol to the thread of a link. What has ended is not told. */
    sendToThread(link: number, message: string): void;
    /** Ends the session of a link. Nothing comes from it any more. */
    disconnectThread(link: number): void;
    /**
     * Has a session of the main thread told of workers from here on (`workerStarted`), which wait for it if `waits` says so; `isOwn`:
     * it is the program's own. Gives the numbers of those that run; undefined on other threads, whose sessions hear of none.
     */
    watchWorkers(client: number, isOwn: boolean, waits: boolean): number[] | undefined;
    /** Takes back `watchWorkers`. */
    unwatchWorkers(client: number): void;
    /**
     * A session with a worker: `[number of the link, title, URL]`; undefined if the worker has ended. `isOwn`: for a session of the
     * program's own.
     */
    attachWorker(worker: number, isOwn: boolean): [number, string, string] | undefined;
    /** A worker that waits for a session is not to wait for it. */
    skipWorker(worker: number): void;
  };
}
