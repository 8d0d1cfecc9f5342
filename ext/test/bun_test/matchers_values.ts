// Matchers of single values: identity, equality, kinds, numbers.
import {
  addMatcher,
  addMatchers,
  type Expectation,
  fail,
  shortened,
  showExpected,
  showReceived,
  text,
} from "internal/test/bun_test/expect";
import { equals, matchesSubset } from "internal/test/bun_test/equality";
import { green, red } from "internal/test/bun_test/message_colors";

/** What differs between an expected and a received value, or that no difference can be shown. */
export function difference(expected: unknown, received: unknown): string {
  const { format } = require("internal/test/bun_test/format");
  const { diffTexts } = require("internal/test/bun_test/diff");
  const [left, right] = [format(expected, "diff"), format(received, "diff")];
  if (left === right && typeof expected === "object" && expected !== null) {
    return `Expected: ${green(shortened(left))}\nReceived: ${red("serializes to the same string")}\n`;
  }
  return diffTexts(left, right);
}

const expectedNot = (value: unknown): string => {
  const { format } = require("internal/test/bun_test/format");
  return `Expected: not ${green(shortened(format(value, "diff")))}\n`;
};

/** A text beyond which two objects are shown by their difference. */
const LONG = 600;

function toBeDetails(expected: unknown, received: unknown): string {
  if (typeof expected === "string" && typeof received === "string") return difference(expected, received);
  if (typeof expected === "object" && expected !== null && typeof received === "object" && received !== null) {
    const [left, right] = [text(expected), text(received)];
    if (left === right)
      return `Expected: ${green(shortened(left))}\nReceived: ${red("serializes to the same string")}\n`;
    if (left.length + right.length > LONG) return difference(expected, received);
    return `Expected: ${green(left)}\nReceived: ${red(right)}\n`;
  }
  return `Expected: ${showExpected(expected)}\nReceived: ${showReceived(received)}\n`;
}

/** Says what `toBe` found. */
export function isNotSame(expectation: Expectation, expected: unknown): never {
  const details = expectation.isNot
    ? `Expected: not ${showExpected(expected)}\n`
    : toBeDetails(expected, expectation.value);
  fail(expectation, "toBe", "expected", details);
}

/** Matchers without arguments that ask one question. */
function questions(): Record<string, (value: unknown) => boolean> {
  const isInteger = (value: unknown): value is number => typeof value === "number" && Number.isInteger(value);
  return {
    toBeTruthy: (value) => Boolean(value),
    toBeFalsy: (value) => !value,
    toBeDefined: (value) => value !== undefined,
    toBeUndefined: (value) => value === undefined,
    toBeNull: (value) => value === null,
    toBeNullable: (value) => value === null || value === undefined,
    toBeNil: (value) => value === null || value === undefined,
    toBeNaN: (value) => typeof value === "number" && value !== value,
    toBeOdd: (value) =>
      (isInteger(value) && Math.abs(value % 2) === 1) || (typeof value === "bigint" && value % 2n !== 0n),
    toBeEven: (value) => (isInteger(value) && value % 2 === 0) || (typeof value === "bigint" && value % 2n === 0n),
    toBeArray: (value) => Array.isArray(value),
    toBeBoolean: (value) => typeof value === "boolean",
    toBeTrue: (value) => value === true,
    toBeFalse: (value) => value === false,
    toBeNumber: (value) => typeof value === "number",
    toBeInteger: isInteger,
    toBeFinite: (value) => typeof value === "number" && Number.isFinite(value),
    toBePositive: (value) => typeof value === "number" && Number.isFinite(value) && Math.round(value) > 0,
    toBeNegative: (value) => typeof value === "number" && Number.isFinite(value) && Math.round(value) < 0,
    toBeSymbol: (value) => typeof value === "symbol",
    toBeFunction: (value) => typeof value === "function",
    toBeString: (value) => typeof value === "string" || value instanceof String,
    toBeDate: (value) => value instanceof Date,
    toBeValidDate: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    toBeEmptyObject: (value) =>
      ((typeof value === "object" && value !== null) || typeof value === "function") &&
      !isSpecial(value) &&
      Object.keys(value).length === 0,
  };
}

/** As for jest-extended, these are kinds of their own, not objects. */
const isSpecial = (value: object): boolean =>
  value instanceof Map ||
  value instanceof Set ||
  value instanceof WeakMap ||
  value instanceof WeakSet ||
  value instanceof Date ||
  value instanceof RegExp;

const kinds = ["function", "object", "bigint", "boolean", "number", "string", "symbol", "undefined"];

function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return value === "";
  if ((typeof value !== "object" && typeof value !== "function") || value === null) {
    return true;
  }
  if (typeof (value as ArrayLike<unknown>).length === "number" && typeof value !== "function")
    return (value as ArrayLike<unknown>).length === 0;
  if (
    (value instanceof Map ||
      value instanceof Set ||
      value instanceof URLSearchParams ||
      (value instanceof Headers && false)) &&
    typeof value.size === "number"
  )
    return value.size === 0;
  if (typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] === "function")
    return (value as Iterable<unknown>)[Symbol.iterator]().next().done === true;
  if (typeof Blob !== "undefined" && value instanceof Blob) return value.size === 0;
  return Object.keys(value).length === 0;
}

const comparisons: Record<string, [string, (a: number | bigint, b: number | bigint) => boolean]> = {
  toBeGreaterThan: [">", (a, b) => a > b],
  toBeGreaterThanOrEqual: [">=", (a, b) => a >= b],
  toBeLessThan: ["<", (a, b) => a < b],
  toBeLessThanOrEqual: ["<=", (a, b) => a <= b],
};

const isNumeric = (value: unknown) => typeof value === "number" || typeof value === "bigint";

function wrongType(what: string, expected: string, where: string): TypeError {
  return new TypeError(`Expected ${what} to be a ${expected} for '${where}'.`);
}

export function install(): void {
  addMatchers("expected", {
    toEqual(expected: unknown) {
      if (equals(this.value, expected) !== this.isNot) return;
      fail(this, "toEqual", "expected", this.isNot ? expectedNot(expected) : difference(expected, this.value));
    },
    toStrictEqual(expected: unknown) {
      if (equals(this.value, expected, true) !== this.isNot) return;
      fail(this, "toStrictEqual", "expected", this.isNot ? expectedNot(expected) : difference(expected, this.value));
    },
    toMatchObject(expected: unknown) {
      const { value, isNot } = this;
      const isObject = (given: unknown) => (typeof given === "object" && given !== null) || typeof given === "function";
      if (!isObject(value))
        fail(this, "toMatchObject", "expected", `Matcher error: received value must be a non-null object\n`);
      if (!isObject(expected))
        fail(this, "toMatchObject", "", `Matcher error: expected value must be a non-null object\n`);
      if (matchesSubset(value, expected) !== isNot) return;
      fail(this, "toMatchObject", "expected", isNot ? expectedNot(expected) : difference(expected, value));
    },
    toBeInstanceOf(expected: unknown) {
      const { value, isNot } = this;
      if (typeof expected !== "function") throw new Error(`Expected value must be a function: ${text(expected)}`);
      if (value instanceof expected !== isNot) return;
      fail(
        this,
        "toBeInstanceOf",
        "expected",
        `Expected constructor: ${isNot ? "not " : ""}${showExpected(expected)}\nReceived value: ${showReceived(value)}\n`,
      );
    },
    toSatisfy(predicate: unknown) {
      const { value, isNot } = this;
      if (typeof predicate !== "function") throw new Error("toSatisfy() argument must be a function");
      if (Boolean(predicate(value)) !== isNot) return;
      fail(
        this,
        "toSatisfy",
        "expected",
        isNot
          ? `Expected: not ${showExpected(predicate)}\n`
          : `Expected: ${showExpected(predicate)}\nReceived: ${showReceived(value)}\n`,
      );
    },
  });

  const asked = questions();
  for (const name of Object.keys(asked)) {
    const question = asked[name]!;
    addMatcher(name, "", function (this: Expectation) {
      if (question(this.value) === this.isNot) fail(this, name, "", `Received: ${showReceived(this.value)}\n`);
    });
  }

  addMatchers("", {
    toBeObject() {
      const { value, isNot } = this;
      const pass = (typeof value === "object" && value !== null) || typeof value === "function";
      if (pass === isNot)
        fail(
          this,
          "toBeObject",
          "",
          `Expected value ${isNot ? "not " : ""}to be an object\n\nReceived: ${showReceived(value)}\n`,
        );
    },
    toBeEmpty() {
      const { value, isNot } = this;
      if (isEmpty(value) !== isNot) return;
      const problem = isNot ? "Expected value not to be a string, object, or iterable" : "Expected value to be empty";
      fail(this, "toBeEmpty", "", `${problem}\n\nReceived: ${showReceived(value)}\n`);
    },
    toBeArrayOfSize(size: unknown) {
      const { value, isNot } = this;
      if (typeof size !== "number") throw new Error("toBeArrayOfSize() requires the first argument to be a number");
      if ((Array.isArray(value) && value.length === size) === isNot)
        fail(this, "toBeArrayOfSize", "", `Received: ${showReceived(value)}\n`);
    },
    toBeTypeOf(type: unknown) {
      const { value, isNot } = this;
      if (typeof type !== "string") throw new TypeError("toBeTypeOf() requires a string argument");
      if (!kinds.includes(type)) {
        throw new TypeError(
          `toBeTypeOf() requires a valid type string argument (${kinds.map((kind) => `'${kind}'`).join(", ")})`,
        );
      }
      if ((typeof value === type) !== isNot) return;
      fail(
        this,
        "toBeTypeOf",
        "",
        `Expected type: ${isNot ? "not " : ""}${showExpected(type)}\nReceived type: ${showReceived(typeof value)}\nReceived value: ${showReceived(value)}\n`,
      );
    },
    pass(message?: unknown) {
      if (message !== undefined && typeof message !== "string") throw wrongType("message", "string", "pass");
      if (this.isNot) fail(this, "pass", "", `${message ?? "passes by .pass() assertion"}\n`);
    },
    fail(message?: unknown) {
      if (message !== undefined && typeof message !== "string") throw wrongType("message", "string", "fail");
      if (this.isNot) return;
      // Bun's signature of it.
      const shown = this.not;
      fail(shown, "fail", "", `${message ?? "fails by .fail() assertion"}\n`);
    },
  });

  for (const name of Object.keys(comparisons)) {
    const [sign, compare] = comparisons[name]!;
    addMatcher(name, "expected", function (this: Expectation, expected: number | bigint) {
      const { value, isNot } = this;
      if (!isNumeric(value) || !isNumeric(expected))
        throw new Error("Expected and actual values must be numbers or bigints");
      if (compare(value, expected) !== isNot) return;
      fail(
        this,
        name,
        "expected",
        `Expected: ${isNot ? "not " : ""}${sign} ${showExpected(expected)}\nReceived: ${showReceived(value)}\n`,
      );
    });
  }

  addMatcher(
    "toBeCloseTo",
    "expected, precision",
    function (this: Expectation, expected: unknown, precision: unknown = 2) {
      const { value, isNot } = this;
      if (arguments.length === 0)
        throw new TypeError("toBeCloseTo() requires at least 1 argument. Expected value must be a number");
      if (typeof expected !== "number") throw wrongType("expected", "number", "toBeCloseTo");
      if (typeof precision !== "number") throw wrongType("precision", "number", "toBeCloseTo");
      if (typeof value !== "number") throw wrongType("received", "number", "expect");
      const limit = 10 ** -precision / 2;
      const distance = Math.abs(value - expected);
      const pass = value === expected || distance < limit;
      if (pass !== isNot) return;
      fail(
        this,
        "toBeCloseTo",
        "expected, precision",
        `Expected: ${showExpected(expected)}\nReceived: ${showReceived(value)}\n\n` +
          `Expected precision: ${precision}\nExpected difference: < ${showExpected(limit).replace(/\b5e-(\d+)/, (_, digits) => limit.toFixed(Number(digits)))}\nReceived difference: ${showReceived(distance)}\n`,
      );
    },
  );

  addMatcher("toBeWithin", "start, end", function (this: Expectation, start: unknown, end: unknown) {
    const { value, isNot } = this;
    if (arguments.length < 2) throw new TypeError("toBeWithin() requires 2 arguments");
    if (typeof start !== "number") throw new Error("toBeWithin() requires the first argument to be a number");
    if (typeof end !== "number") throw new Error("toBeWithin() requires the second argument to be a number");
    if ((typeof value === "number" && value >= start && value < end) !== isNot) return;
    fail(
      this,
      "toBeWithin",
      "start, end",
      `Expected: ${isNot ? "not " : ""}between ${showExpected(start)} (inclusive) and ${showExpected(end)} (exclusive)\nReceived: ${showReceived(value)}\n`,
    );
  });
}
