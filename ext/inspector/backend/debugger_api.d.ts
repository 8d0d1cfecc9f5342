// SpiderMonkey's debugger API, as far as it is used here.
// https://searchfox.org/mozilla-central/source/js/src/doc/Debugger

declare namespace Debug {
  type Primitive = string | number | bigint | boolean | symbol | null | undefined;

  /** What stands for a variable that has no value: its `uninitialized`, `optimizedOut` or `missingArguments` is true. */
  interface Missing {
    uninitialized?: boolean;
    optimizedOut?: boolean;
    missingArguments?: boolean;
  }

  /** A value of the program. */
  type Value = Primitive | Obj | Missing;

  /** How code has ended; null where it was terminated. */
  interface Completion {
    return?: Value;
    throw?: Value;
    stack?: SavedFrame | null;
    await?: boolean;
    yield?: boolean;
    initial?: boolean;
  }

  interface SavedFrame {
    source: string;
    line: number;
    column: number;
    functionDisplayName: string | null;
    parent: SavedFrame | null;
    asyncParent: SavedFrame | null;
    asyncCause: string | null;
  }

  interface Descriptor {
    value?: Value;
    get?: Obj;
    set?: Obj;
    writable?: boolean;
    enumerable?: boolean;
    configurable?: boolean;
  }

  interface EvalOptions {
    url?: string;
    lineNumber?: number;
  }

  interface Obj {
    readonly class: string;
    readonly callable: boolean;
    readonly name: string | undefined;
    readonly displayName: string | undefined;
    readonly proto: Obj | null;
    readonly script: Script | null | undefined;
    readonly isProxy: boolean;
    readonly proxyTarget: Obj | null;
    readonly proxyHandler: Obj | null;
    readonly isPromise: boolean;
    readonly promiseState: "pending" | "fulfilled" | "rejected";
    readonly promiseValue: Value;
    readonly promiseReason: Value;
    readonly isBoundFunction: boolean | undefined;
    readonly boundTargetFunction: Obj;
    readonly boundThis: Value;
    readonly isClassConstructor: boolean | undefined;
    readonly isError: boolean;
    getProperty(key: string | symbol): Completion | null;
    setProperty(key: string | symbol, value: Value): Completion | null;
    getOwnPropertyNames(): string[];
    getOwnPropertySymbols(): symbol[];
    /** The names of private fields and methods, as symbols of the engine's. */
    getOwnPrivateProperties(): symbol[];
    getOwnPropertyDescriptor(key: string | symbol): Descriptor | undefined;
    defineProperty(key: string | symbol, descriptor: Descriptor): void;
    call(self: Value, ...args: Value[]): Completion | null;
    apply(self: Value, args: Value[]): Completion | null;
    executeInGlobal(code: string, options?: EvalOptions): Completion | null;
    executeInGlobalWithBindings(
      code: string,
      bindings: Record<string, Value>,
      options?: EvalOptions,
    ): Completion | null;
    makeDebuggeeValue(value: unknown): Value;
    unsafeDereference(): object;
    /** Whether it is the native function that `value` is in the debugger's realm. */
    isSameNative(value: Function): boolean;
    getPromiseReactions(): unknown[];
    asEnvironment(): Environment;
  }

  interface Possible {
    offset: number;
    /** From 1, as the column. */
    lineNumber: number;
    columnNumber: number;
    isStepStart: boolean;
  }

  interface Script {
    readonly url: string | null;
    readonly startLine: number;
    readonly startColumn: number;
    readonly lineCount: number;
    readonly source: Source;
    readonly global: Obj;
    readonly displayName: string | undefined;
    readonly isFunction: boolean;
    readonly isModule: boolean;
    readonly isAsyncFunction: boolean;
    readonly isGeneratorFunction: boolean;
    readonly mainOffset: number;
    /** Where the text of the script begins in that of its source, in characters. */
    readonly sourceStart: number;
    readonly format: "js" | "wasm";
    getChildScripts(): Script[];
    getPossibleBreakpoints(): Possible[];
    getOffsetMetadata(offset: number): Omit<Possible, "offset"> & { isBreakpoint: boolean };
    setBreakpoint(offset: number, handler: { hit(frame: Frame): Resumption }): void;
    clearBreakpoint(handler: object, offset?: number): void;
    isInCatchScope(offset: number): boolean;
    /** Of the instructions that write what is not the frame's own. */
    getEffectfulOffsets(): number[];
  }

  interface Source {
    readonly text: string;
    readonly url: string | null;
    readonly displayURL: string | null;
    readonly introductionType: string | undefined;
    readonly sourceMapURL: string | null;
    readonly startLine: number;
  }

  interface Environment {
    readonly type: "declarative" | "object" | "with";
    readonly scopeKind: string | null;
    readonly parent: Environment | null;
    readonly object: Obj;
    readonly calleeScript: Script | null;
    readonly inspectable: boolean;
    readonly optimizedOut: boolean;
    names(): string[];
    find(name: string): Environment | null;
    getVariable(name: string): Value;
    setVariable(name: string, value: Value): void;
  }

  /** What a hook has the program do: undefined goes on, null ends it. */
  type Resumption = undefined | null;

  interface Frame {
    readonly type: "call" | "eval" | "global" | "module" | "wasmcall" | "debugger";
    readonly script: Script;
    readonly offset: number;
    readonly older: Frame | null;
    readonly olderSavedFrame: SavedFrame | null;
    readonly onStack: boolean;
    readonly terminated: boolean;
    readonly environment: Environment;
    readonly callee: Obj | null;
    readonly this: Value;
    readonly asyncPromise: Obj | null | undefined;
    onStep: ((this: Frame) => Resumption) | undefined;
    onPop: ((this: Frame, completion: Completion | null) => Resumption) | undefined;
    eval(code: string, options?: EvalOptions): Completion | null;
    evalWithBindings(code: string, bindings: Record<string, Value>, options?: EvalOptions): Completion | null;
  }

  interface Memory {
    /** Of how many allocations of objects the stacks are noted, from 0 to 1. */
    allocationSamplingProbability: number;
    trackingAllocationSites: boolean;
    takeCensus(options: { breakdown: object }): unknown;
  }

  interface Instance {
    onDebuggerStatement: ((frame: Frame) => Resumption) | undefined;
    onExceptionUnwind: ((frame: Frame, value: Value) => Resumption) | undefined;
    onNewScript: ((script: Script) => void) | undefined;
    onEnterFrame: ((frame: Frame) => Resumption) | undefined;
    onNewGlobalObject: ((global: Obj) => void) | undefined;
    onNativeCall: ((callee: Obj, reason: "call" | "get" | "set") => Resumption) | undefined;
    shouldAvoidSideEffects: boolean;
    readonly memory: Memory;
    /** Whether no other Debugger hears of code that this one runs. */
    exclusiveDebuggerOnEval: boolean;
    uncaughtExceptionHook: ((error: unknown) => Resumption) | null;
    allowUnobservedWasm: boolean;
    allowUnobservedAsmJS: boolean;
    addDebuggee(global: unknown): Obj;
    removeDebuggee(global: unknown): void;
    removeAllDebuggees(): void;
    hasDebuggee(global: unknown): boolean;
    getNewestFrame(): Frame | null;
    findScripts(query?: { source?: Source; url?: string }): Script[];
    findAllGlobals(): Obj[];
    makeGlobalObjectReference(global: unknown): Obj;
    adoptDebuggeeValue(value: unknown): Value;
    adoptFrame(frame: Frame): Frame;
    enableAsyncStack(global: unknown): void;
    disableAsyncStack(global: unknown): void;
  }
}

declare const Debugger: { new (): Debug.Instance; Object: abstract new () => Debug.Obj };
