// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
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
    /**
     * What lives after a full collection, by the names of classes and the most frequent first: everything, and what native code
     * holds on to.
     */
    heapTypeCounts(): [[string, number][], [string, number][]];
    /** Counts what is loaded from now on. `detailed`: ranges inside functions; `counts`: how often, and not only whether. */
    startCoverage(detailed: boolean, counts: boolean): void;
    /** Counts no more. */
    stopCoverage(): void;
    /** The answer of `Profiler.takePreciseCoverage` as JSON, or undefined if nothing is counted. */
    takeCoverage(): string | undefined;
    /** The answer of `Profiler.getBestEffortCoverage` as JSON. */
    bestEffortCoverage(): string;
    /** Writes the report of `NODE_V8_COVERAGE` and begins a new one. */
    writeCoverage(): void;
    /** Counts from now on as with `NODE_V8_COVERAGE`, into a directory. */
    countInto(directory: string): void;
    /** The text of a function without the counters in it. */
    withoutCounters(code: string): string;
    /** Whether `NODE_V8_COVERAGE` counts in this thread. */
    writesCoverage(): boolean;
    /** Starts a profile of this thread with a sample every `interval` microseconds (0: 1000); gives its number. */
    startCpuProfile(interval: number): number;
    /** Ends a profile; the protocol's `Profiler.Profile` as JSON, or undefined if there is none of that number. */
    stopCpuProfile(number: number): string | undefined;
  };
}
