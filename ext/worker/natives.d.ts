// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
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

  worker: {
    /**
     * Starts a worker: `kind` 0 runs the file `program`, 1 the text, 2 a text that a URL stands for. `execArgv` is an array or
     * undefined for the parent's; `settings` are its options as `--name=value`; `preload` is loaded first, then `imports` are imported, each
     * after the parent's own. Nothing is imported in front of a text of kind 1. `setup` (with the objects of `transfer`) goes to the
     * worker's side of JavaScript; `on_exit(code, out_of_memory)` is called when its program has ended. The result: a resource, or why
     * `setup` cannot be cloned.
     */
    start(id: number, kind: number, program: string, name: string, argv: readonly string[], execArgv: readonly string[] | undefined, settings: readonly string[], preload: readonly string[], imports: readonly string[], limits: readonly number[], setup: unknown, transfer: readonly unknown[] | undefined, onExit: (code: number, outOfMemory: boolean) => void): Native.Worker | string;
    /** A number for a new worker. */
    nextId(): number;
    /** Ends the worker as soon as possible, from inside of a loop or a wait. */
    terminate(worker?: unknown): void;
    /** Whether the worker of that number has not ended yet, as far as its own thread is concerned: its parent's loop may not know. */
    isRunning(id: number): boolean;
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
