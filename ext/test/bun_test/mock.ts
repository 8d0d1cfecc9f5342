// Mock functions and spies: https://bun.com/docs/test/mocks, https://jestjs.io/docs/mock-function-api
import { atFileEnd, onRestore, restore } from "internal/test/bun_test/file_cleanup";
import { invalidThis } from "internal/test/bun_test/receiver";

const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;

interface Result {
  type: "return" | "throw" | "incomplete";
  value: unknown;
}

/** `fn.mock` */
class CallRecord {
  calls: unknown[][] = [];
  contexts: unknown[] = [];
  instances: unknown[] = [];
  results: Result[] = [];
  invocationCallOrder: number[] = [];

  get lastCall(): unknown[] | undefined {
    return this.calls.at(-1);
  }

  /** What the promises among the results were settled with, as vitest has it. */
  get settledResults(): { type: "incomplete" | "fulfilled" | "rejected"; value: unknown }[] {
    const { isPromise } = require("internal/util/types");
    return this.results.map(({ type, value }) => {
      if (!isPromise(value))
        return { type: type === "throw" ? "rejected" : type === "return" ? "fulfilled" : type, value };
      const [state, settled] = native("inspect").promiseDetails(value)!;
      return {
        type: (["incomplete", "fulfilled", "rejected"] as const)[state]!,
        value: state === 0 ? undefined : settled,
      };
    });
  }
}
defineProperty(CallRecord.prototype, "constructor", {
  value: Object,
  configurable: true,
  writable: true,
  enumerable: false,
});

/** What a mock function is besides a function. */
interface State {
  record: CallRecord;
  implementation: Function | undefined;
  once: Function[];
  name: string;
  /** Undoes a spy. */
  restore: (() => void) | undefined;
  /** When it was last in step with `clearAllMocks` and `resetAllMocks`, which touch no mock at once. */
  clears: number;
  resets: number;
}

const states = new WeakMap<Function, State>();
let invocations = 0;
// Orders of calls are counted in each file anew.
atFileEnd.push(() => {
  invocations = 0;
});
let clears = 0;
let resets = 0;

function refresh(state: State): void {
  if (state.resets !== resets) {
    state.resets = resets;
    state.implementation = undefined;
    state.once = [];
  }
  state.clears = clears;
  state.record = new CallRecord();
}

function stateOf(fn: Function): State {
  const state = states.get(fn);
  if (state === undefined) throw invalidThis("Mock", fn);
  if (state.clears !== clears) refresh(state);
  return state;
}

const isClass = (fn: Function): boolean => Function.prototype.toString.call(fn).startsWith("class");

/** Calls what a mock stands for and notes how that ended. */
function invoke(state: State, self: unknown, args: unknown[], target: Function | undefined): unknown {
  if (state.clears !== clears) refresh(state);
  const { record } = state;
  const result: Result = { type: "incomplete", value: undefined };
  record.calls.push(args);
  const at = record.instances.push(self) - 1;
  record.contexts.push(self);
  record.results.push(result);
  record.invocationCallOrder.push(++invocations);
  const implementation = state.once.length > 0 ? state.once.shift()! : state.implementation;
  try {
    let value: unknown;
    if (implementation !== undefined) {
      if (target !== undefined && isClass(implementation)) {
        value = Reflect.construct(implementation, args, target);
        record.instances[at] = record.contexts[at] = value;
      } else value = Reflect.apply(implementation, self, args);
    }
    result.type = "return";
    result.value = value;
    return value;
  } catch (error) {
    result.type = "throw";
    result.value = error;
    throw error;
  }
}

function make(implementation: Function | undefined, name: string, length: number): MockFunction {
  const state: State = { record: new CallRecord(), implementation, once: [], name, restore: undefined, clears, resets };
  // As an element of an array it gets no name.
  const [fn] = [
    function (this: unknown, ...args: unknown[]): unknown {
      return invoke(state, this, args, new.target as Function | undefined);
    },
  ];
  if (name !== "") defineProperty(fn, "name", { value: name, configurable: true });
  if (length > 0) defineProperty(fn, "length", { value: length, configurable: true });
  setPrototypeOf(fn, mockPrototype);
  // Instances of a mocked class have its methods.
  const { prototype } = implementation ?? {};
  if (
    typeof prototype === "object" &&
    prototype !== null &&
    implementation !== undefined &&
    Object.getOwnPropertyNames(prototype).length > 1
  ) {
    fn.prototype = prototype;
  }
  states.set(fn, state);
  return fn as unknown as MockFunction;
}

/** A mock function, with the methods of all. */
interface MockFunction extends Methods {
  (...args: unknown[]): unknown;
}
type Methods = typeof methods;

const methods = {
  getMockImplementation(this: MockFunction): Function | undefined {
    return stateOf(this).implementation;
  },
  getMockName(this: MockFunction): string {
    return stateOf(this).name;
  },
  mockName(this: MockFunction, name: unknown): MockFunction {
    const state = stateOf(this);
    // Values that say nothing are ignored.
    if (name === undefined || name === null || name === "") return this;
    state.name = `${name}`;
    defineProperty(this, "name", { value: `${name}`, configurable: true });
    return this;
  },
  mockClear(this: MockFunction): MockFunction {
    stateOf(this).record = new CallRecord();
    return this;
  },
  mockReset(this: MockFunction): MockFunction {
    const state = stateOf(this);
    state.record = new CallRecord();
    state.implementation = undefined;
    state.once = [];
    return this;
  },
  mockRestore(this: MockFunction): void {
    const state = stateOf(this);
    methods.mockReset.call(this);
    const undo = state.restore;
    state.restore = undefined;
    undo?.();
  },
  mockImplementation(this: MockFunction, implementation: (...values: unknown[]) => unknown): MockFunction {
    stateOf(this).implementation = implementation;
    return this;
  },
  mockImplementationOnce(this: MockFunction, implementation: (...values: unknown[]) => unknown): MockFunction {
    stateOf(this).once.push(implementation);
    return this;
  },
  withImplementation(
    this: MockFunction,
    implementation: (...values: unknown[]) => unknown,
    callback: () => unknown,
  ): PromiseLike<void> | undefined {
    const state = stateOf(this);
    const { implementation: before, once } = state;
    state.implementation = implementation;
    state.once = [];
    const end = () => {
      state.implementation = before;
      state.once = once;
    };
    let result: PromiseLike<unknown> | undefined;
    try {
      result = callback() as PromiseLike<unknown> | undefined;
    } catch (error) {
      end();
      throw error;
    }
    if (typeof result?.then === "function") {
      return result.then(
        () => end(),
        (error: unknown) => {
          end();
          throw error;
        },
      );
    }
    end();
  },
  mockReturnThis(this: MockFunction): MockFunction {
    return methods.mockImplementation.call(this, function (this: unknown) {
      return this;
    });
  },
  mockReturnValue(this: MockFunction, value: unknown): MockFunction {
    return methods.mockImplementation.call(this, () => value);
  },
  mockReturnValueOnce(this: MockFunction, value: unknown): MockFunction {
    return methods.mockImplementationOnce.call(this, () => value);
  },
  mockResolvedValue(this: MockFunction, value: unknown): MockFunction {
    return methods.mockImplementation.call(this, () => Promise.resolve(value));
  },
  mockResolvedValueOnce(this: MockFunction, value: unknown): MockFunction {
    return methods.mockImplementationOnce.call(this, () => Promise.resolve(value));
  },
  mockRejectedValue(this: MockFunction, reason: unknown): MockFunction {
    return methods.mockImplementation.call(this, () => Promise.reject(reason));
  },
  mockRejectedValueOnce(this: MockFunction, reason: unknown): MockFunction {
    return methods.mockImplementationOnce.call(this, () => Promise.reject(reason));
  },
};

const mockPrototype: object = Object.create(Function.prototype);
for (const name of Object.keys(methods)) {
  defineProperty(mockPrototype, name, {
    value: methods[name as keyof typeof methods],
    configurable: true,
    enumerable: true,
    writable: true,
  });
}
defineProperty(mockPrototype, "mock", {
  configurable: true,
  enumerable: true,
  get(this: MockFunction) {
    return stateOf(this).record;
  },
});
defineProperty(mockPrototype, "_isMockFunction", { value: true, configurable: true, enumerable: true, writable: true });
defineProperty(mockPrototype, "_protoImpl", { value: undefined, configurable: true, enumerable: true, writable: true });
defineProperty(mockPrototype, Symbol.dispose, { value: methods.mockRestore, configurable: true, writable: true });

/** Name of a mock of nothing that has a name, as in Jest. */
const UNNAMED = "mockConstructor";

/** The name of a function, also of one whose getter of it throws. */
function nameOf(implementation: Function): string {
  try {
    return `${implementation.name}`;
  } catch {
    return UNNAMED;
  }
}

/** A mock function; what is not a function is what it returns. */
export function fn(implementation?: unknown): unknown {
  if (implementation === undefined) return make(undefined, UNNAMED, 0);
  if (typeof implementation !== "function") return make(() => implementation, UNNAMED, 0);
  return make(implementation, nameOf(implementation), implementation.length);
}

export const isMockFunction = (value: unknown): boolean => typeof value === "function" && states.has(value);

type Target = Record<PropertyKey, unknown>;

function holderOf(object: unknown, key: PropertyKey): PropertyDescriptor | undefined {
  for (let holder = object; holder !== null && holder !== undefined; holder = getPrototypeOf(holder)) {
    const found = getOwnPropertyDescriptor(holder, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function replaceProperty(object: Target, key: PropertyKey, descriptor: PropertyDescriptor): () => void {
  const own = getOwnPropertyDescriptor(object, key);
  if (own !== undefined && !own.configurable) {
    const { setExport } = require("internal/test/bun_test/module_mock");
    if ("value" in descriptor) {
      const undo = setExport(object, key, descriptor.value);
      if (undo !== undefined) return undo;
      if (own.writable) {
        object[key] = descriptor.value;
        return () => void (object[key] = own.value);
      }
    }
    throw new TypeError(`Cannot spy on property ${String(key)}: it cannot be redefined`);
  }
  defineProperty(object, key, descriptor);
  return () => {
    if (own === undefined) delete object[key];
    else defineProperty(object, key, own);
  };
}

function attach(mock: MockFunction, undo: () => void): unknown {
  const forget = onRestore("spy", () => mock.mockRestore());
  states.get(mock)!.restore = () => {
    forget();
    undo();
  };
  return mock;
}

/** Replaces a method of `object` (or, with `access`, its getter or setter) by a mock function that does the same. */
export function spyOn(object: Target, key: string, access?: "get" | "set"): unknown {
  if ((typeof object !== "object" && typeof object !== "function") || object === null || key === undefined) {
    throw new Error("spyOn(target, prop) expects a target object and a property key");
  }
  if (typeof key !== "symbol" && typeof key !== "string" && typeof key !== "number") key = `${key}`;
  const descriptor = holderOf(object, key);
  const enumerable = descriptor?.enumerable ?? true;
  if (access !== undefined) return spyOnAccess(object, key, access, descriptor);
  const isAccessor = descriptor !== undefined && !("value" in descriptor);
  const original = (isAccessor && descriptor.get === undefined ? undefined : object[key]) as Function | undefined;
  if (isMockFunction(original)) return original;
  if (typeof original === "function" || descriptor === undefined) {
    const mock = make(original, (original && nameOf(original)) || String(key), original?.length ?? 0);
    return attach(mock, replaceProperty(object, key, { value: mock, configurable: true, enumerable, writable: true }));
  }
  if (isAccessor) return spyOnAccess(object, key, descriptor.get === undefined ? "set" : "get", descriptor);
  // A plain value: reads call the mock without arguments, writes with the new value.
  let current = original as unknown;
  const mock = make((...args: unknown[]) => (args.length > 0 ? void (current = args[0]) : current), String(key), 0);
  return attach(
    mock,
    replaceProperty(object, key, {
      configurable: true,
      enumerable,
      get: () => mock(),
      set: (value: unknown) => mock(value),
    }),
  );
}

/** Reads (or writes) of a plain property: vitest allows to spy on them. */
function spyOnData(
  object: Target,
  key: PropertyKey,
  access: "get" | "set",
  { value, enumerable }: PropertyDescriptor,
): unknown {
  let current = value;
  const mock =
    access === "get"
      ? make(() => current, String(key), 0)
      : make((given: unknown) => void (current = given), String(key), 1);
  return attach(
    mock,
    replaceProperty(object, key, {
      configurable: true,
      enumerable: enumerable!,
      get: access === "get" ? mock : () => current,
      set: access === "set" ? mock : (given: unknown) => void (current = given),
    }),
  );
}

function spyOnAccess(
  object: Target,
  key: PropertyKey,
  access: "get" | "set",
  descriptor: PropertyDescriptor | undefined,
): unknown {
  if (access !== "get" && access !== "set")
    throw new TypeError(`spyOn(target, prop, access): access is "get" or "set"`);
  if (descriptor === undefined) throw new Error(`Property \`${String(key)}\` does not exist in the provided object`);
  const original = descriptor[access];
  if (original === undefined && "value" in descriptor) return spyOnData(object, key, access, descriptor);
  if (original === undefined) throw new Error(`Property \`${String(key)}\` does not have access type ${access}`);
  if (isMockFunction(original)) return original;
  const mock = make(original, original.name, original.length);
  const { get, set, enumerable } = descriptor;
  const made: PropertyDescriptor = { configurable: true, enumerable: enumerable! };
  if (access === "get") {
    made.get = mock;
    if (set !== undefined) made.set = set;
  } else {
    made.set = mock;
    if (get !== undefined) made.get = get;
  }
  return attach(mock, replaceProperty(object, key, made));
}

/** `jest.replaceProperty`: another value until everything is restored. */
export function replaceValue(object: Target, key: string, value: unknown) {
  const descriptor = holderOf(object, key);
  if (descriptor === undefined) throw new Error(`Cannot replace property \`${String(key)}\`: it does not exist`);
  if (!("value" in descriptor))
    throw new Error(`Cannot replace property \`${String(key)}\`: use spyOn() for getters and setters`);
  if (typeof descriptor.value === "function")
    throw new Error(`Cannot replace property \`${String(key)}\`: use spyOn() for methods`);
  const { enumerable } = descriptor;
  const undo = replaceProperty(object, key, { value, configurable: true, enumerable: enumerable!, writable: true });
  const forget = onRestore("spy", undo);
  return {
    replaceValue(next: unknown) {
      object[key] = next;
      return this;
    },
    restore() {
      forget();
      undo();
    },
  };
}

export function clearAllMocks(): void {
  clears++;
}

export function resetAllMocks(): void {
  clears++;
  resets++;
}

export function restoreAllMocks(): void {
  restore("spy");
}
