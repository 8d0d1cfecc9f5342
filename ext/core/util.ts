// Small functions that node:util and other built-in modules share.

import { codes } from "internal/core/errors";
import { validateFunction, validateString } from "internal/core/validators";

const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyDescriptors, getPrototypeOf, setPrototypeOf } = Object;

export const customInspectSymbol = Symbol.for("nodejs.util.inspect.custom");

/** On a callback function: the names under which `promisify` gives several results, as one object. */
export const customPromisifyArgs = Symbol("customPromisifyArgs");

const kCustomPromisify = Symbol.for("nodejs.util.promisify.custom");

export const kEmptyObject = Object.freeze(Object.create(null));
export const kEnumerableProperty = Object.freeze(Object.assign(Object.create(null), { enumerable: true }));

/** Errors of any realm and objects that inherit from Error. */
export function isError(value: unknown): boolean {
  return Error.isError(value) || value instanceof Error;
}

/** A function that calls `fn` the first time only. */
export function once<A extends unknown[], R>(fn: (...args: A) => R): (...args: A) => R | undefined {
  let called = false;
  return function (this: unknown, ...args) {
    if (called) return undefined;
    called = true;
    return Reflect.apply(fn, this, args);
  };
}

const experimental = new Set<string>();

/** Warns once per feature that it may change. */
export function emitExperimentalWarning(feature: string) {
  if (experimental.has(feature)) return;
  experimental.add(feature);
  process.emitWarning(`${feature} is an experimental feature and might change at any time`, "ExperimentalWarning");
}

// ---------------------------------------------------------------------------------------------------------------------

const warnedCodes = new Set<string>();

/**
 * `fn` with a DeprecationWarning at its first call; one per `code` if there is a code. Options: modifyPrototype (true):
 * the result has the prototype and static members of `fn`.
 */
export function deprecate<F extends Function>(
  fn: F,
  message: string,
  code?: string,
  options?: { modifyPrototype?: boolean },
): F {
  if (code !== undefined) validateString(code, "code");
  // Programs that silence deprecations before the first one get the function itself.
  if (process.noDeprecation === true) return fn;
  return wrapDeprecated(fn, message, code, options?.modifyPrototype !== false, () => true) as Function as F;
}

/** `deprecate` that warns only with --pending-deprecation. */
export function pendingDeprecate(fn: Function, message: string, code?: string) {
  return wrapDeprecated(fn, message, code, true, () => native("process").cliOption("--pending-deprecation") === true);
}

function wrapDeprecated(
  fn: Function,
  message: string,
  code: string | undefined,
  prototype: boolean,
  wanted: () => boolean,
) {
  let warned = false;
  function deprecated(this: unknown, ...args: unknown[]): unknown {
    if (!warned && wanted()) {
      warned = true;
      if (code === undefined) {
        process.emitWarning(message, "DeprecationWarning", deprecated);
      } else if (!warnedCodes.has(code)) {
        warnedCodes.add(code);
        process.emitWarning(message, "DeprecationWarning", code, deprecated);
      }
    }
    return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args);
  }
  defineProperty(deprecated, "length", { ...getOwnPropertyDescriptor(fn, "length") });
  if (prototype) {
    // The wrapper behaves as the function itself: static members, `new`, instanceof.
    setPrototypeOf(deprecated, fn);
    if (fn.prototype) deprecated.prototype = fn.prototype;
  }
  return deprecated;
}

// ---------------------------------------------------------------------------------------------------------------------

/** A function of an error-first callback, and what it says about that. */
type Promisable = Function & { [kCustomPromisify]?: unknown; [customPromisifyArgs]?: string[] };

/**
 * A function that returns a promise instead of calling an error-first callback at the end of its arguments.
 * `original[promisify.custom]`, a function, is the result if it is there.
 */
export function promisify(original: Promisable): (...args: unknown[]) => Promise<unknown> {
  validateFunction(original, "original");
  const custom = original[kCustomPromisify];
  if (custom) {
    validateFunction(custom, "util.promisify.custom");
    return defineProperty(custom as () => Promise<unknown>, kCustomPromisify, {
      value: custom,
      enumerable: false,
      writable: false,
      configurable: true,
    });
  }
  const names = original[customPromisifyArgs];
  function promisified(this: unknown, ...args: unknown[]) {
    return new Promise((resolve, reject) => {
      args.push((error: NodeError | null | undefined, ...values: unknown[]) => {
        if (error) {
          reject(error);
        } else if (names !== undefined && values.length > 1) {
          const result: { [key: string]: unknown } = {};
          for (let i = 0; i < names.length; i++) result[names[i]!] = values[i];
          resolve(result);
        } else {
          resolve(values[0]);
        }
      });
      const returned = Reflect.apply(original, this, args);
      if (require("internal/util/types").isPromise(returned)) warnOfPromise();
    });
  }
  setPrototypeOf(promisified, getPrototypeOf(original));
  defineProperty(promisified, kCustomPromisify, {
    value: promisified,
    enumerable: false,
    writable: false,
    configurable: true,
  });
  return Object.defineProperties(promisified, getOwnPropertyDescriptors(original));
}
promisify.custom = kCustomPromisify;

function warnOfPromise() {
  process.emitWarning(
    "Calling promisify on a function that returns a Promise is likely a mistake.",
    "DeprecationWarning",
    "DEP0174",
  );
}

/**
 * A function with an error-first callback as its last argument for one that returns a promise. A falsy reason becomes an
 * ERR_FALSY_VALUE_REJECTION with `reason`. What the callback throws is an uncaught exception.
 */
export function callbackify(original: (...args: unknown[]) => PromiseLike<unknown>) {
  validateFunction(original, "original");
  function callbackified(this: unknown, ...args: unknown[]) {
    const last = args.pop();
    validateFunction(last, "last argument");
    const callback = last.bind(this);
    (Reflect.apply(original, this, args) as Promise<unknown>).then(
      (value) => process.nextTick(callback, null, value),
      (reason: unknown) => process.nextTick(onRejected, reason, callback),
    );
  }
  const descriptors = getOwnPropertyDescriptors(original) as { [key: PropertyKey]: PropertyDescriptor };
  if (typeof descriptors.length!.value === "number") descriptors.length!.value++;
  if (typeof descriptors.name!.value === "string") descriptors.name!.value += "Callbackified";
  for (const key of Reflect.ownKeys(descriptors)) setPrototypeOf(descriptors[key], null);
  return Object.defineProperties(callbackified, descriptors);
}

function onRejected(reason: NodeError, callback: Callback) {
  if (!reason) {
    reason = new codes.ERR_FALSY_VALUE_REJECTION(reason);
    require("internal/core/errors").hideFrom(reason, onRejected);
  }
  return callback(reason);
}
