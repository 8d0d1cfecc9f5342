// Evaluation that ends before it has an effect which the program could see: `throwOnSideEffect`, for previews of what is typed.
//
// A Debugger of its own watches the code: its frames end at an instruction that writes something made before
// (`getEffectfulOffsets`), and at a call of a native function that is not known to be free of effects. Functions of bao's own
// modules count as such: they end before they begin, but for what the engine loads by itself, which no program can tell.
import { isObject } from "internal/inspector/backend/objects";
import { isInternal } from "internal/inspector/backend/scripts";

const inspector = native("inspector");

/** What code ends with that was about to have an effect. */
export const EFFECT = Symbol("effect");

/** The module of accessors that make what they give at its first use. */
const LAZY = "internal/core/lazy";

type Constructor = { readonly prototype: object };

/** Members of the language's objects that change something, or tell of something that changes. */
const EFFECTFUL: readonly [object, string][] = [
  [Object, "assign defineProperty defineProperties freeze preventExtensions seal setPrototypeOf"],
  [Object.prototype, "__defineGetter__ __defineSetter__"],
  [
    Array.prototype,
    "copyWithin fill pop push reverse shift sort splice unshift", // (Their results are what they were called on.)
  ],
  [Map.prototype, "set delete clear getOrInsert getOrInsertComputed"],
  [Set.prototype, "add delete clear"],
  [WeakMap.prototype, "set delete getOrInsert getOrInsertComputed"],
  [WeakSet.prototype, "add delete"],
  [Date.prototype, "setDate setFullYear setHours setMilliseconds setMinutes setMonth setSeconds setTime setYear"],
  [Date.prototype, "setUTCDate setUTCFullYear setUTCHours setUTCMilliseconds setUTCMinutes setUTCMonth setUTCSeconds"],
  [RegExp.prototype, "compile exec test"],
  [ArrayBuffer.prototype, "resize transfer transferToFixedLength"],
  [Object.getPrototypeOf(Uint8Array.prototype), "copyWithin fill reverse set sort"],
  [Uint8Array.prototype, "setFromBase64 setFromHex"],
  [Math, "random"],
  [Symbol, "for"],
  [Reflect, "defineProperty deleteProperty preventExtensions set setPrototypeOf"],
];

/** The objects whose other members have no effects. Constructors do not have any either. */
const OBJECTS: readonly object[] = [Math, JSON, Reflect, Intl];
const CONSTRUCTORS = [
  ...[
    Object,
    Function,
    Boolean,
    Symbol,
    Number,
    BigInt,
    String,
    RegExp,
    Date,
    Array,
    Map,
    Set,
    WeakMap,
    WeakSet,
    WeakRef,
  ],
  ...[Error, AggregateError, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError],
  ...[ArrayBuffer, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
  ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array, Object.getPrototypeOf(Uint8Array), Proxy],
  ...[
    Intl.Collator,
    Intl.DateTimeFormat,
    Intl.ListFormat,
    Intl.NumberFormat,
    Intl.PluralRules,
    Intl.RelativeTimeFormat,
  ],
] as unknown as readonly Constructor[];
const FUNCTIONS: readonly Function[] = [
  ...[decodeURI, decodeURIComponent, encodeURI, encodeURIComponent, escape, unescape],
  ...[isFinite, isNaN, parseFloat, parseInt],
];

/** The native functions that have no effects, of this realm. */
function pureFunctions(): Function[] {
  const effectful = new Map<object, Set<string>>();
  for (const [object, names] of EFFECTFUL) {
    const known = effectful.get(object) ?? new Set();
    for (const name of names.split(" ")) known.add(name);
    effectful.set(object, known);
  }
  const pure = new Set<Function>(FUNCTIONS);
  const addMembers = (object: object) => {
    for (const key of Reflect.ownKeys(object)) {
      if (effectful.get(object)?.has(key as string) === true) continue;
      const { value, get } = Reflect.getOwnPropertyDescriptor(object, key)!;
      // (A constructor as a property of its prototype is there by itself.)
      if (typeof value === "function" && key !== "constructor") pure.add(value);
      if (get !== undefined) pure.add(get);
    }
  };
  for (const object of OBJECTS) addMembers(object);
  for (const constructor of CONSTRUCTORS) {
    // Code that is compiled could do anything, as could handlers that see what the engine does.
    if ((constructor as unknown) !== Function) pure.add(constructor as unknown as Function);
    addMembers(constructor);
    if (constructor.prototype !== undefined) addMembers(constructor.prototype);
  }
  return [...pure];
}

export class PureEvaluator {
  readonly #dbg = new Debugger();
  /** What is known of the native functions that code has called. */
  readonly #known = new Map<Debug.Obj, boolean>();
  #pure: Function[] | undefined;
  /** Where code ends, by script. */
  readonly #guarded = new Set<Debug.Script>();
  readonly #guard = { hit: (): null => this.#refuse() };
  /** Whether code was ended here, and not by its time limit. */
  #hasRefused = false;
  /** Accessors under way that make what they give at its first use, which no program can tell. */
  #lazy = 0;

  constructor() {
    const dbg = this.#dbg;
    dbg.allowUnobservedWasm = true;
    dbg.allowUnobservedAsmJS = true;
    dbg.shouldAvoidSideEffects = true;
    // A breakpoint of the program's would stop it in the middle of what somebody types.
    dbg.exclusiveDebuggerOnEval = true;
    dbg.uncaughtExceptionHook = () => this.#refuse();
  }

  /** A value of another Debugger's, for code that this one runs. */
  adopt(value: Debug.Value): Debug.Value {
    return isObject(value) ? this.#dbg.adoptDebuggeeValue(value) : value;
  }

  /** A frame of another Debugger's. */
  adoptFrame(frame: Debug.Frame): Debug.Frame {
    return this.#dbg.adoptFrame(frame);
  }

  #refuse(): null {
    this.#hasRefused = true;
    return null;
  }

  /**
   * Runs code, which `evaluate` does with values of this Debugger's; EFFECT if it was about to have one. The result is for `owner`.
   */
  run(
    owner: Debug.Instance,
    global: Debug.Obj,
    evaluate: () => Debug.Completion | null,
  ): Debug.Completion | null | typeof EFFECT {
    const dbg = this.#dbg;
    this.#hasRefused = false;
    this.#lazy = 0;
    const program = dbg.addDebuggee(global.unsafeDereference());
    // It is bao's own, see engine/src/json.rs.
    const json = program.getOwnPropertyDescriptor("JSON")?.value;
    const stringify = isObject(json) ? json.getOwnPropertyDescriptor("stringify")?.value : undefined;
    if (isObject(stringify) && stringify.script === undefined && stringify.name === "stringify") {
      this.#known.set(stringify, true);
    }
    dbg.onEnterFrame = (frame) => this.#enter(frame);
    dbg.onNativeCall = (callee, reason) => this.#call(callee, reason);
    try {
      const completion = evaluate();
      if (completion === null) return this.#hasRefused ? EFFECT : null;
      const adopt = (value: Debug.Value) => (isObject(value) ? owner.adoptDebuggeeValue(value) : value);
      return "throw" in completion
        ? { throw: adopt(completion.throw), stack: completion.stack }
        : { return: adopt(completion.return) };
    } finally {
      dbg.onEnterFrame = undefined;
      dbg.onNativeCall = undefined;
      for (const script of this.#guarded) script.clearBreakpoint(this.#guard);
      this.#guarded.clear();
      this.#known.clear();
      dbg.removeAllDebuggees();
    }
  }

  #enter(frame: Debug.Frame): Debug.Resumption {
    const { script } = frame;
    // What the engine loads when a name is first used.
    if (inspector.isLoading()) return undefined;
    if (this.#lazy > 0) return undefined;
    if (script.url === LAZY) {
      this.#lazy++;
      frame.onPop = () => {
        this.#lazy--;
        return undefined;
      };
      return undefined;
    }
    if (isInternal(script.url)) return this.#refuse();
    // A generator or an asynchronous function would be left where it waits.
    if (script.isGeneratorFunction || script.isAsyncFunction) return this.#refuse();
    if (this.#guarded.has(script)) return undefined;
    this.#guarded.add(script);
    for (const offset of script.getEffectfulOffsets()) script.setBreakpoint(offset, this.#guard);
    return undefined;
  }

  #call(callee: Debug.Obj, reason: "call" | "get" | "set"): Debug.Resumption {
    if (inspector.isLoading() || this.#lazy > 0) return undefined;
    if (reason === "set") return this.#refuse();
    let isPure = this.#known.get(callee);
    if (isPure === undefined) {
      this.#pure ??= pureFunctions();
      isPure = callee.isBoundFunction === true || this.#pure.some((pure) => callee.isSameNative(pure));
      this.#known.set(callee, isPure);
    }
    return isPure ? undefined : this.#refuse();
  }
}
