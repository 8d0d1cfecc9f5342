// MockTracker of node:test: https://nodejs.org/api/test.html#class-mocktracker

import type { MockTimers } from "internal/test/node_test/mock_timers";
import { codes } from "internal/core/errors";
import { validateBoolean, validateFunction, validateInteger, validateObject } from "internal/core/validators";

const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
const noop = () => {};

function validateTimes(value: unknown, name: string) {
  if (value !== Infinity) validateInteger(value, name, 1);
}

function validateName(value: unknown) {
  if (typeof value !== "string" && typeof value !== "symbol")
    throw new codes.ERR_INVALID_ARG_TYPE("methodName", ["string", "symbol"], value);
}

function findDescriptor(object: unknown, name: PropertyKey): PropertyDescriptor | undefined {
  for (let holder = object; holder !== null && holder !== undefined; holder = getPrototypeOf(holder)) {
    const found = getOwnPropertyDescriptor(holder, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Target = Record<PropertyKey, unknown>;

/** What a mock has replaced. */
interface Replaced {
  object: Target;
  name: PropertyKey;
  descriptor: PropertyDescriptor | undefined;
}

type Implementation = (this: unknown, ...args: unknown[]) => unknown;
type MockFunction = Implementation & { readonly mock: MockFunctionContext };

interface MockOptions {
  times?: number;
}

/** The options of `mock.method()`. */
interface MethodOptions extends MockOptions {
  getter?: boolean;
  setter?: boolean;
}

/** The record of a mock's calls: `fn.mock`. */
class MockFunctionContext {
  #calls: unknown[] = [];
  #once = new Map<number, Function>();
  #implementation: Function | undefined;
  #original: Function;
  #restore: Replaced | undefined;
  #times: number;

  constructor(implementation: Function, original: Function, restore: Replaced | undefined, times: number) {
    this.#implementation = implementation;
    this.#original = original;
    this.#restore = restore;
    this.#times = times;
  }

  /** A copy of the calls so far. */
  get calls() {
    return this.#calls.slice();
  }

  callCount() {
    return this.#calls.length;
  }

  mockImplementation(implementation: unknown) {
    validateFunction(implementation, "implementation");
    this.#implementation = implementation;
  }

  mockImplementationOnce(implementation: unknown, onCall?: unknown) {
    validateFunction(implementation, "implementation");
    const next = this.#calls.length;
    const call = onCall ?? next;
    validateInteger(call, "onCall", next);
    this.#once.set(call, implementation);
  }

  restore() {
    if (this.#restore !== undefined) {
      const { object, name, descriptor } = this.#restore;
      if (descriptor === undefined) delete object[name];
      else defineProperty(object, name, descriptor);
    }
    this.#implementation = undefined;
  }

  resetCalls() {
    this.#calls = [];
  }

  /** The function that answers the next call. */
  static next(context: MockFunctionContext): Function {
    const at = context.#calls.length;
    const once = context.#once.get(at);
    if (once !== undefined) {
      context.#once.delete(at);
      return once;
    }
    if (context.#implementation === undefined || at >= context.#times) return context.#original;
    return context.#implementation;
  }

  static track(context: MockFunctionContext, call: unknown) {
    context.#calls.push(call);
  }
}

/** The record of a mocked property's reads and writes. */
class MockPropertyContext {
  #object: Target;
  #name: PropertyKey;
  #value: unknown;
  #original: unknown;
  #descriptor: PropertyDescriptor;
  #accesses: unknown[] = [];
  #once = new Map<number, unknown>();

  constructor(object: Target, name: PropertyKey, descriptor: PropertyDescriptor, hasValue: boolean, value: unknown) {
    this.#object = object;
    this.#name = name;
    this.#original = object[name];
    this.#value = hasValue ? value : this.#original;
    this.#descriptor = descriptor;
    const self = this;
    const { configurable, enumerable } = descriptor;
    defineProperty(object, name, {
      configurable,
      enumerable,
      get() {
        const next = self.#next(self.#value);
        self.#accesses.push({ type: "get", value: next, stack: new Error() });
        return next;
      },
      set(given: unknown) {
        if (!descriptor.writable) throw new codes.ERR_INVALID_ARG_VALUE("propertyName", name, "cannot be set");
        const next = self.#next(given);
        self.#accesses.push({ type: "set", value: next, stack: new Error() });
        self.#value = next;
      },
    });
  }

  #next(value: unknown) {
    const at = this.#accesses.length;
    if (!this.#once.has(at)) return value;
    const once = this.#once.get(at);
    this.#once.delete(at);
    return once;
  }

  get accesses() {
    return this.#accesses.slice();
  }

  accessCount() {
    return this.#accesses.length;
  }

  mockImplementation(value: unknown) {
    // This counts as an access, too, as in Node.
    this.#object[this.#name] = value;
  }

  mockImplementationOnce(value: unknown, onAccess?: unknown) {
    const next = this.#accesses.length;
    const at = onAccess ?? next;
    validateInteger(at, "onAccess", next);
    this.#once.set(at, value);
  }

  resetAccesses() {
    this.#accesses = [];
  }

  restore() {
    defineProperty(this.#object, this.#name, { ...this.#descriptor, value: this.#original });
  }
}

function mockFunction(context: MockFunctionContext, original: Function): MockFunction {
  return new Proxy(original, {
    apply(_: Function, self: unknown, args: unknown[]) {
      return called(context, self, args, undefined, () => Reflect.apply(MockFunctionContext.next(context), self, args));
    },
    construct(target: Function, args: unknown[], newTarget: Function) {
      return called(context, undefined, args, target, (record) => {
        const made = Reflect.construct(MockFunctionContext.next(context), args, newTarget);
        record.self = made;
        return made;
      });
    },
    get(target: Function, name: string | symbol, receiver: unknown) {
      return name === "mock" ? context : Reflect.get(target, name, receiver);
    },
  }) as MockFunction;
}

function called<T>(
  context: MockFunctionContext,
  self: unknown,
  args: unknown[],
  target: unknown,
  run: (record: { self: unknown }) => T,
): T {
  const record = { self };
  let result: T | undefined;
  let error: unknown;
  try {
    return (result = run(record));
  } catch (thrown) {
    error = thrown;
    throw thrown;
  } finally {
    MockFunctionContext.track(context, {
      arguments: args,
      error,
      result,
      stack: new Error(),
      target,
      this: record.self,
    });
  }
}

export class MockTracker {
  #mocks: { restore(): void }[] = [];
  #timers: MockTimers | undefined;

  get timers() {
    return (this.#timers ??= new (require("internal/test/node_test/mock_timers").MockTimers)());
  }

  /** A function that records its calls. */
  fn(original: unknown = function () {}, implementation: unknown = original, options: MockOptions = {}) {
    if (original !== null && typeof original === "object") {
      options = original as MockOptions;
      original = function () {};
      implementation = original;
    } else if (implementation !== null && typeof implementation === "object") {
      options = implementation as MockOptions;
      implementation = original;
    }
    validateFunction(original, "original");
    validateFunction(implementation, "implementation");
    validateObject(options, "options");
    const { times = Infinity } = options;
    validateTimes(times, "options.times");
    return this.#make(implementation, original, undefined, times);
  }

  #make(implementation: Function, original: Function, restore: Replaced | undefined, times: number) {
    const context = new MockFunctionContext(implementation, original, restore, times);
    this.#mocks.push(context);
    return mockFunction(context, original);
  }

  /** Replaces a method (or accessor) of `object`. */
  method(
    object: Target,
    name: string | symbol,
    implementation: Implementation | MethodOptions = noop,
    options: MethodOptions = {},
  ) {
    validateName(name);
    if (typeof object !== "function") validateObject(object, "object");
    const given = implementation !== noop;
    if (given && implementation !== null && typeof implementation === "object") {
      options = implementation;
      implementation = noop;
    }
    validateFunction(implementation === noop ? noop : implementation, "implementation");
    validateObject(options, "options");
    const { getter = false, setter = false, times = Infinity } = options;
    validateBoolean(getter, "options.getter");
    validateBoolean(setter, "options.setter");
    validateTimes(times, "options.times");
    if (setter && getter)
      throw new codes.ERR_INVALID_ARG_VALUE("options.setter", setter, "cannot be used with 'options.getter'");
    const descriptor = findDescriptor(object, name);
    const original: unknown =
      descriptor === undefined ? undefined : getter ? descriptor.get : setter ? descriptor.set : descriptor.value;
    if (typeof original !== "function")
      throw new codes.ERR_INVALID_ARG_VALUE("methodName", original, "must be a method");
    const mock = this.#make(
      implementation === noop ? original : (implementation as Implementation),
      original,
      // Node leaves an inherited method behind as an own one.
      { object, name, descriptor },
      times,
    );
    const { configurable, enumerable, writable } = descriptor!;
    const made: PropertyDescriptor = { configurable: configurable!, enumerable: enumerable! };
    if (getter) {
      made.get = mock;
      if (descriptor!.set !== undefined) made.set = descriptor!.set;
    } else if (setter) {
      if (descriptor!.get !== undefined) made.get = descriptor!.get;
      made.set = mock;
    } else {
      made.writable = writable!;
      made.value = mock;
    }
    defineProperty(object, name, made);
    return mock;
  }

  getter(
    object: Target,
    name: string | symbol,
    implementation: Implementation | MethodOptions = noop,
    options: MethodOptions = {},
  ) {
    if (implementation !== null && typeof implementation === "object") {
      options = implementation;
      implementation = noop;
    } else validateObject(options, "options");
    if (options.getter === false) throw new codes.ERR_INVALID_ARG_VALUE("options.getter", false, "cannot be false");
    return this.method(object, name, implementation, { ...options, getter: true });
  }

  setter(
    object: Target,
    name: string | symbol,
    implementation: Implementation | MethodOptions = noop,
    options: MethodOptions = {},
  ) {
    if (implementation !== null && typeof implementation === "object") {
      options = implementation;
      implementation = noop;
    } else validateObject(options, "options");
    if (options.setter === false) throw new codes.ERR_INVALID_ARG_VALUE("options.setter", false, "cannot be false");
    return this.method(object, name, implementation, { ...options, setter: true });
  }

  /** Replaces a data property by one whose uses are recorded. */
  property(object: unknown, name: unknown, value?: unknown) {
    validateObject(object, "object");
    if (typeof name !== "string" && typeof name !== "symbol")
      throw new codes.ERR_INVALID_ARG_TYPE("propertyName", ["string", "symbol"], name);
    const descriptor = findDescriptor(object, name);
    if (descriptor === undefined)
      throw new codes.ERR_INVALID_ARG_VALUE("propertyName", name, "is not a property of the object");
    if (!descriptor.configurable) throw new codes.ERR_INVALID_ARG_VALUE("propertyName", name, "cannot be redefined");
    if ("get" in descriptor || "set" in descriptor) {
      throw new codes.ERR_INVALID_ARG_VALUE(
        "propertyName",
        name,
        "cannot be a getter or setter; use mock.getter() or mock.setter()",
      );
    }
    const context = new MockPropertyContext(object as Target, name, descriptor, arguments.length > 2, value);
    this.#mocks.push(context);
    return new Proxy(object, {
      get(target, key) {
        return key === "mock" ? context : (target as Target)[key];
      },
    });
  }

  /** Gives a module other exports: https://nodejs.org/api/test.html#mockmodulespecifier-options */
  module(specifier: unknown, options?: unknown) {
    const mock = require("internal/test/node_test/mock_module").mockModule(specifier, options);
    this.#mocks.push(mock);
    return mock;
  }

  /** Undoes all mocks and forgets them. */
  reset() {
    this.restoreAll();
    this.#timers?.reset();
    this.#mocks = [];
  }

  restoreAll() {
    for (const mock of this.#mocks) mock.restore();
  }
}

// https://nodejs.org/api/cli.html#--experimental-test-module-mocks
if (native("process").cliOption("--experimental-test-module-mocks") !== true)
  delete (MockTracker.prototype as Partial<MockTracker>).module;
