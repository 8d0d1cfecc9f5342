// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  loop: {
    readonly tickInfo: Uint32Array;
    readonly immediateInfo: Uint32Array;
    readonly timerInfo: Int32Array;
    /**
     * A copy of a string, of an object of plain data, or of an error of the language. Another object: 1, or 2 where one of bao's own may be
     * in it.
     */
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
    /**
     * Has functions called with each promise: when it is made (and its parent), around each of its jobs, and when it is settled;
     * undefined is none. False if this build's engine cannot tell.
     */
    setPromiseHooks(init?: ((promise: Promise<unknown>, parent: Promise<unknown> | undefined) => void) | undefined, before?: ((promise: Promise<unknown>) => void) | undefined, after?: ((promise: Promise<unknown>) => void) | undefined, settled?: ((promise: Promise<unknown>) => void) | undefined): boolean;
    activeResources(): string[];
    /** `[idle ms, loop start, turns, events, events waiting]` */
    loopMetrics(): Float64Array<ArrayBuffer>;
    /** Changes the number of operations that keep the loop alive, for operations that stop or start to count. */
    keepAlive(delta: number): void;
  };
}
