// The functions of node:assert (https://nodejs.org/api/assert.html). They are the methods of `Assert`; the module's own
// functions are the same methods without an instance.

import { lazyProperty } from "internal/core/lazy";
import { codes } from "internal/core/errors";
import type { AssertionError, AssertionErrorOptions, Diff } from "internal/util/assert/assertion_error";

const { is } = Object;

const kOptions = Symbol("options");

/** What the constructor of `Assert` takes. */
interface AssertOptions {
  diff?: "simple" | "full";
  strict?: boolean;
  skipPrototype?: boolean;
}

/** An instance of `Assert`; its methods are called without one too. */
interface AssertInstance {
  [kOptions]?: AssertOptions;
}
type Methods = { [name: string]: Function };
/** What the caller has given as the message: nothing, an error, a function, a text with arguments. */
type MessageArguments = unknown[];

const lazyError = () => require("internal/util/assert/assertion_error").AssertionError;
const comparisons = () => require("internal/util/comparisons");
const throwing = () => require("internal/util/assert/throws");

const isError = (value: unknown): value is Error => Error.isError(value) || value instanceof Error;

/**
 * Throws the AssertionError of a failed assertion, or what the caller wants instead: `message` is a list, as it was
 * passed: nothing, an Error (is thrown), a function of both values, a text, a text with printf arguments.
 */
function failWith(options: AssertionErrorOptions, message: MessageArguments): never {
  const [first] = message;
  if (isError(first)) {
    if (message.length > 1) {
      throw new codes.ERR_AMBIGUOUS_ARGUMENT(
        "message",
        `The error message was passed as error object "${Error.prototype.toString.call(first)}" has trailing arguments ` +
          "that would be ignored.",
      );
    }
    throw first;
  }
  if (typeof first === "function") {
    if (message.length > 1) {
      throw new codes.ERR_AMBIGUOUS_ARGUMENT(
        "message",
        `The error message with function "${first.name || "anonymous"}" has trailing arguments that would be ignored.`,
      );
    }
    try {
      const text = first(options.actual, options.expected);
      if (typeof text === "string") options.message = text;
    } catch {
      // The standard message then.
    }
  } else if (message.length > 1 && typeof first === "string") {
    options.message = require("internal/util/inspect").format(...message);
  } else {
    options.message = first;
  }
  throw new (lazyError())(options);
}

// For the parts that have made their message.
function fail(options: AssertionErrorOptions): never {
  if (isError(options.message)) throw options.message;
  throw new (lazyError())(options);
}

function needTwo(count: number) {
  if (count < 2) throw new codes.ERR_MISSING_ARGS("actual", "expected");
}

const diffOf = (self: AssertInstance | undefined) => self?.[kOptions]?.diff;

/**
 * A set of assertions with options of its own: `diff` ("simple", or "full" for messages that are not cut), `strict`
 * (true: `equal` is `strictEqual` and so on), `skipPrototype` (deep equality does not compare prototypes). The options are
 * lost when a method is taken off its instance.
 */
function Assert(this: AssertInstance & Methods, options: AssertOptions | undefined) {
  if (!new.target) throw new codes.ERR_CONSTRUCT_CALL_REQUIRED("Assert");
  options = { __proto__: null, strict: true, skipPrototype: false, ...options } as AssertOptions;
  if (options.diff !== undefined) {
    require("internal/core/validators").validateOneOf(options.diff, "options.diff", ["simple", "full"]);
  }
  this.AssertionError = lazyError();
  Object.defineProperty(this, kOptions, { value: options, enumerable: false, configurable: false, writable: false });
  if (options.strict) {
    this.equal = this.strictEqual;
    this.deepEqual = this.deepStrictEqual;
    this.notEqual = this.notStrictEqual;
    this.notDeepEqual = this.notDeepStrictEqual;
  }
}

/** Throws with `message` ("Failed"). An Error is thrown as it is. */
Assert.prototype.fail = function fail(message: unknown) {
  if (isError(message)) throw message;
  const error = new (lazyError())({
    operator: "fail",
    stackStartFn: fail,
    diff: diffOf(this),
    message: message !== undefined ? message : "Failed",
  });
  error.generatedMessage = message === undefined;
  throw error;
};

Assert.prototype.ok = function ok(...args: unknown[]) {
  okInternal(ok, args, diffOf(this));
};

function okInternal(fn: Function, args: unknown[], diff: Diff) {
  const [value] = args;
  if (value) return;
  let generated = false;
  let message = args.slice(1);
  if (args.length === 0) {
    generated = true;
    message = ["No value argument passed to `assert.ok()`"];
  } else if (message[0] == null) {
    generated = true;
    const source = require("internal/util/assert/source").callExpression(fn);
    message = source === undefined ? [] : [`The expression evaluated to a falsy value:\n\n  ${source}\n`];
  }
  try {
    failWith({ actual: value, expected: true, operator: "==", stackStartFn: fn, diff }, message);
  } catch (error) {
    if (generated) (error as AssertionError).generatedMessage = true;
    throw error;
  }
}

Assert.prototype.equal = function equal(actual: unknown, expected: unknown, ...message: unknown[]) {
  needTwo(arguments.length);
  // eslint-disable-next-line eqeqeq
  if (actual != expected && (actual === actual || expected === expected)) {
    failWith({ actual, expected, operator: "==", stackStartFn: equal, diff: diffOf(this) }, message);
  }
};

Assert.prototype.notEqual = function notEqual(actual: unknown, expected: unknown, ...message: unknown[]) {
  needTwo(arguments.length);
  // eslint-disable-next-line eqeqeq
  if (actual == expected || (actual !== actual && expected !== expected)) {
    failWith({ actual, expected, operator: "!=", stackStartFn: notEqual, diff: diffOf(this) }, message);
  }
};

Assert.prototype.deepEqual = function deepEqual(actual: unknown, expected: unknown, ...message: unknown[]) {
  needTwo(arguments.length);
  if (!comparisons().isDeepEqual(actual, expected)) {
    failWith({ actual, expected, operator: "deepEqual", stackStartFn: deepEqual, diff: diffOf(this) }, message);
  }
};

Assert.prototype.notDeepEqual = function notDeepEqual(actual: unknown, expected: unknown, ...message: unknown[]) {
  needTwo(arguments.length);
  if (comparisons().isDeepEqual(actual, expected)) {
    failWith({ actual, expected, operator: "notDeepEqual", stackStartFn: notDeepEqual, diff: diffOf(this) }, message);
  }
};

Assert.prototype.deepStrictEqual = function deepStrictEqual(actual: unknown, expected: unknown, ...message: unknown[]) {
  needTwo(arguments.length);
  if (!comparisons().isDeepStrictEqual(actual, expected, this?.[kOptions]?.skipPrototype)) {
    failWith(
      { actual, expected, operator: "deepStrictEqual", stackStartFn: deepStrictEqual, diff: diffOf(this) },
      message,
    );
  }
};

Assert.prototype.notDeepStrictEqual = function notDeepStrictEqual(
  actual: unknown,
  expected: unknown,
  ...message: unknown[]
) {
  needTwo(arguments.length);
  if (comparisons().isDeepStrictEqual(actual, expected, this?.[kOptions]?.skipPrototype)) {
    failWith(
      { actual, expected, operator: "notDeepStrictEqual", stackStartFn: notDeepStrictEqual, diff: diffOf(this) },
      message,
    );
  }
};

Assert.prototype.strictEqual = function strictEqual(actual: unknown, expected: unknown, ...message: unknown[]) {
  needTwo(arguments.length);
  if (!is(actual, expected)) {
    failWith({ actual, expected, operator: "strictEqual", stackStartFn: strictEqual, diff: diffOf(this) }, message);
  }
};

Assert.prototype.notStrictEqual = function notStrictEqual(actual: unknown, expected: unknown, ...message: unknown[]) {
  needTwo(arguments.length);
  if (is(actual, expected)) {
    failWith(
      { actual, expected, operator: "notStrictEqual", stackStartFn: notStrictEqual, diff: diffOf(this) },
      message,
    );
  }
};

Assert.prototype.partialDeepStrictEqual = function partialDeepStrictEqual(
  actual: unknown,
  expected: unknown,
  ...message: unknown[]
) {
  needTwo(arguments.length);
  if (!comparisons().isPartialStrictEqual(actual, expected)) {
    failWith(
      {
        actual,
        expected,
        operator: "partialDeepStrictEqual",
        stackStartFn: partialDeepStrictEqual,
        diff: diffOf(this),
      },
      message,
    );
  }
};

Assert.prototype.throws = function throws(fn: unknown, ...args: unknown[]) {
  throwing().expectsError(throws, fail, diffOf(this), throwing().getActual(fn), ...args);
};

Assert.prototype.rejects = async function rejects(promiseFn: unknown, ...args: unknown[]) {
  throwing().expectsError(rejects, fail, diffOf(this), await throwing().waitForActual(promiseFn), ...args);
};

Assert.prototype.doesNotThrow = function doesNotThrow(fn: unknown, ...args: [error?: unknown, message?: unknown]) {
  throwing().expectsNoError(doesNotThrow, fail, diffOf(this), throwing().getActual(fn), ...args);
};

Assert.prototype.doesNotReject = async function doesNotReject(
  fn: unknown,
  ...args: [error?: unknown, message?: unknown]
) {
  throwing().expectsNoError(doesNotReject, fail, diffOf(this), await throwing().waitForActual(fn), ...args);
};

/** Throws if `err` is neither undefined nor null; the stack is that of `err` below the frames of this call. */
Assert.prototype.ifError = function ifError(err: NodeError | null | undefined) {
  if (err === null || err === undefined) return;
  let message = "ifError got unwanted exception: ";
  if (typeof err === "object" && typeof err.message === "string") {
    message += err.message.length === 0 && err.constructor ? err.constructor.name : err.message;
  } else {
    message += require("internal/util/inspect").inspect(err);
  }
  const error = new (lazyError())({
    actual: err,
    expected: null,
    operator: "ifError",
    message,
    stackStartFn: ifError,
    diff: diffOf(this),
  });
  const { stack } = err;
  if (typeof stack === "string") {
    const start = stack.indexOf("\n    at");
    if (start >= 0) {
      const frames = stack.slice(start + 1).split("\n");
      let own: string[] = error.stack!.split("\n");
      // From the first frame that both have on, the frames of `err` say it all.
      for (const frame of frames) {
        const at = own.indexOf(frame);
        if (at >= 0) {
          own = own.slice(0, at);
          break;
        }
      }
      error.stack = `${own.join("\n")}\n${frames.join("\n")}`;
    }
  }
  throw error;
};

function matchInternal(text: unknown, regexp: unknown, message: unknown[], fn: Function, wanted: boolean, diff: Diff) {
  if (!require("internal/util/types").isRegExp(regexp)) {
    throw new codes.ERR_INVALID_ARG_TYPE("regexp", "RegExp", regexp);
  }
  if (typeof text === "string" && (regexp.exec(text) !== null) === wanted) return;
  const generated = !message[0];
  if (generated) {
    const { inspect } = require("internal/util/inspect");
    message = [
      typeof text !== "string"
        ? `The "string" argument must be of type string. Received type ${typeof text} (${inspect(text)})`
        : `The input ${wanted ? "did not" : "was expected to not"} match the regular expression ${inspect(regexp)}. ` +
          `Input:\n\n${inspect(text)}\n`,
    ];
  }
  try {
    failWith({ actual: text, expected: regexp, operator: fn.name, stackStartFn: fn, diff }, message);
  } catch (error) {
    if (generated) (error as AssertionError).generatedMessage = true;
    throw error;
  }
}

Assert.prototype.match = function match(string: unknown, regexp: unknown, ...message: unknown[]) {
  matchInternal(string, regexp, message, match, true, diffOf(this));
};

Assert.prototype.doesNotMatch = function doesNotMatch(string: unknown, regexp: unknown, ...message: unknown[]) {
  matchInternal(string, regexp, message, doesNotMatch, false, diffOf(this));
};

// ---------------------------------------------------------------------------------------------------------------------

function ok(...args: unknown[]) {
  okInternal(ok, args, undefined);
}

/** `assert` itself is `ok`. */
const assert = ok as unknown as Methods;
const methods: Methods = Assert.prototype;
for (const name of [
  "fail",
  "equal",
  "notEqual",
  "deepEqual",
  "notDeepEqual",
  "deepStrictEqual",
  "notDeepStrictEqual",
  "strictEqual",
  "notStrictEqual",
  "partialDeepStrictEqual",
  "throws",
  "rejects",
  "doesNotThrow",
  "doesNotReject",
  "ifError",
  "match",
  "doesNotMatch",
]) {
  assert[name] = methods[name]!;
}
assert.ok = ok;
assert.Assert = Assert;

function strict(...args: unknown[]) {
  okInternal(strict, args, undefined);
}

function lazyClasses(target: object) {
  lazyProperty(target, "AssertionError", lazyError);
  // Not among the names that Node 25 has.
  lazyProperty(target, "CallTracker", () => require("internal/util/assert/call_tracker").CallTracker, false);
}
lazyClasses(assert);

const strictAssert = strict as unknown as Methods;
for (const name of Object.keys(assert)) {
  if (name !== "AssertionError") strictAssert[name] = assert[name]!;
}
lazyClasses(strictAssert);
strictAssert.equal = assert.strictEqual!;
strictAssert.deepEqual = assert.deepStrictEqual!;
strictAssert.notEqual = assert.notStrictEqual!;
strictAssert.notDeepEqual = assert.notDeepStrictEqual!;
strictAssert.strict = strictAssert as unknown as Function;
assert.strict = strictAssert as unknown as Function;

export default assert;
