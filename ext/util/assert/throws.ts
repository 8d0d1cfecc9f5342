// `assert.throws` and its relatives: what was thrown against what was expected.

import { codes } from "internal/core/errors";
import { inspect } from "internal/util/inspect";
import { isPromise, isRegExp } from "internal/util/types";
import { isDeepStrictEqual } from "internal/util/comparisons";
import { validateFunction } from "internal/core/validators";
import { AssertionError, type AssertionErrorOptions, type Diff } from "internal/util/assert/assertion_error";

/** What a function that has thrown nothing gives. */
const noException = Symbol("no exception");

const isError = (value: unknown): value is Error => Error.isError(value) || value instanceof Error;

/** Calls `fn` and gives what it threw, or `noException`. */
export function getActual(fn: unknown) {
  validateFunction(fn, "fn");
  try {
    fn();
  } catch (error) {
    return error;
  }
  return noException;
}

function isThenable(value: unknown): boolean {
  return (
    isPromise(value) ||
    (value !== null &&
      typeof value === "object" &&
      typeof (value as Promise<unknown>).then === "function" &&
      typeof (value as Promise<unknown>).catch === "function")
  );
}

/** Awaits a promise, or that of a function, and gives the reason of its rejection, or `noException`. */
export async function waitForActual(promiseFn: unknown): Promise<unknown> {
  let promise: unknown;
  if (typeof promiseFn === "function") {
    promise = promiseFn();
    if (!isThenable(promise)) throw new codes.ERR_INVALID_RETURN_VALUE("instance of Promise", "promiseFn", promise);
  } else if (isThenable(promiseFn)) {
    promise = promiseFn;
  } else {
    throw new codes.ERR_INVALID_ARG_TYPE("promiseFn", ["Function", "Promise"], promiseFn);
  }
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return noException;
}

type Fail = (options: AssertionErrorOptions) => never;

/** Fails unless `actual` is what `args` (expectation and message) say. `fn`: the public function, `diff` its option. */
export function expectsError(fn: Function, fail: Fail, diff: Diff, actual: unknown, ...args: unknown[]) {
  let [error, message] = args;
  if (typeof error === "string") {
    if (args.length === 2) {
      throw new codes.ERR_INVALID_ARG_TYPE("error", ["Function", "Error", "RegExp", "Object"], error);
    }
    // A string as the only expectation is the message of the assertion, which is easily misread.
    if (typeof actual === "object" && actual !== null) {
      if ((actual as Error).message === error) {
        throw new codes.ERR_AMBIGUOUS_ARGUMENT(
          "error/message",
          `The error message "${(actual as Error).message}" is identical to the message.`,
        );
      }
    } else if (actual === error) {
      throw new codes.ERR_AMBIGUOUS_ARGUMENT("error/message", `The error "${actual}" is identical to the message.`);
    }
    message = error;
    error = undefined;
  } else if (error != null && typeof error !== "object" && typeof error !== "function") {
    throw new codes.ERR_INVALID_ARG_TYPE("error", ["Function", "Error", "RegExp", "Object"], error);
  }

  if (actual === noException) {
    let details = error && (error as Error).name ? ` (${(error as Error).name})` : "";
    details += message ? `: ${message}` : ".";
    fail({
      actual: undefined,
      expected: error,
      diff,
      operator: fn.name,
      message: `Missing expected ${fn.name === "rejects" ? "rejection" : "exception"}${details}`,
      stackStartFn: fn,
    });
  }
  if (error) expectedException(actual, error as object, message, fn, fail, diff);
}

/** Fails if `actual` is an exception that matches `error` (or any, without one); others are thrown on. */
export function expectsNoError(
  fn: Function,
  fail: Fail,
  diff: Diff,
  actual: unknown,
  error?: unknown,
  message?: unknown,
) {
  if (actual === noException) return;
  if (typeof error === "string") {
    message = error;
    error = undefined;
  }
  if (!error || matches(actual, error)) {
    const details = message ? `: ${message}` : ".";
    fail({
      actual,
      expected: error,
      diff,
      operator: fn.name,
      message:
        `Got unwanted ${fn.name === "doesNotReject" ? "rejection" : "exception"}${details}\n` +
        `Actual message: "${actual && (actual as Error).message}"`,
      stackStartFn: fn,
    });
  }
  throw actual;
}

function matches(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== "function") {
    if (isRegExp(expected)) return expected.exec(String(actual)) !== null;
    throw new codes.ERR_INVALID_ARG_TYPE("expected", ["Function", "RegExp"], expected);
  }
  if (expected.prototype !== undefined && actual instanceof expected) return true;
  if (Object.prototype.isPrototypeOf.call(Error, expected)) return false;
  return expected.call({}, actual) === true;
}

type Compared = { [key: string]: unknown };

// Of both sides only the properties that are compared, so that the difference shows nothing else.
class Comparison {
  [key: string]: unknown;
  constructor(object: Compared, keys: string[], actual?: Compared) {
    for (const key of keys) {
      if (!(key in object)) continue;
      const matched =
        actual !== undefined &&
        typeof actual[key] === "string" &&
        isRegExp(object[key]) &&
        object[key].exec(actual[key]) !== null;
      this[key] = matched ? actual[key] : object[key];
    }
  }
}

function compareKey(
  actual: Compared,
  expected: Compared,
  key: string,
  message: unknown,
  keys: string[],
  fn: Function,
  fail: Fail,
  diff: Diff,
) {
  if (key in actual && isDeepStrictEqual(actual[key], expected[key])) return;
  if (!message) {
    const error = new AssertionError({
      actual: new Comparison(actual, keys),
      expected: new Comparison(expected, keys, actual),
      diff,
      operator: "deepStrictEqual",
      stackStartFn: fn,
    });
    error.actual = actual;
    error.expected = expected;
    error.operator = fn.name;
    throw error;
  }
  fail({ actual, expected, diff, message, operator: fn.name, stackStartFn: fn });
}

function expectedException(actual: unknown, expected: object, message: unknown, fn: Function, fail: Fail, diff: Diff) {
  let generated = false;
  if (typeof expected !== "function") {
    if (isRegExp(expected)) {
      const text = String(actual);
      if (expected.exec(text) !== null) return;
      if (!message) {
        generated = true;
        message = `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(text)}\n`;
      }
    } else if (typeof actual !== "object" || actual === null) {
      const error = new AssertionError({
        actual,
        expected,
        message,
        diff,
        operator: "deepStrictEqual",
        stackStartFn: fn,
      });
      error.operator = fn.name;
      throw error;
    } else {
      const keys = Object.keys(expected);
      if (expected instanceof Error) keys.push("name", "message");
      else if (keys.length === 0)
        throw new codes.ERR_INVALID_ARG_VALUE("error", expected, "may not be an empty object");
      for (const key of keys) {
        if (
          typeof (actual as Compared)[key] === "string" &&
          isRegExp((expected as Compared)[key]) &&
          ((expected as Compared)[key] as RegExp).exec((actual as Compared)[key] as string) !== null
        )
          continue;
        compareKey(actual as Compared, expected as Compared, key, message, keys, fn, fail, diff);
      }
      return;
    }
  } else if (expected.prototype !== undefined && actual instanceof expected) {
    return;
  } else if (Object.prototype.isPrototypeOf.call(Error, expected)) {
    if (!message) {
      generated = true;
      message = `The error is expected to be an instance of "${expected.name}". Received `;
      if (isError(actual)) {
        const name = actual.constructor?.name || actual.name;
        message += expected.name === name ? "an error with identical name but a different prototype." : `"${name}"`;
        if (actual.message) message += `\n\nError message:\n\n${actual.message}`;
      } else {
        message += `"${inspect(actual, { depth: -1 })}"`;
      }
    }
  } else {
    const result = expected.call({}, actual);
    if (result === true) return;
    if (!message) {
      generated = true;
      const name = expected.name ? `"${expected.name}" ` : "";
      message = `The ${name}validation function is expected to return "true". Received ${inspect(result)}`;
      if (isError(actual)) message += `\n\nCaught error:\n\n${actual}`;
    }
  }
  const error = new AssertionError({ actual, expected, message, diff, operator: fn.name, stackStartFn: fn });
  error.generatedMessage = generated;
  throw error;
}
