// `this.utils` of custom matchers, as jest-matcher-utils has it. https://jestjs.io/docs/expect#thisutils
import { diffValues } from "internal/test/bun_test/diff";
import { colors } from "internal/test/bun_test/message_colors";
import type { Asymmetric } from "internal/test/bun_test/equality";
import { equals, isAsymmetric, matchesSubset } from "internal/test/bun_test/equality";

// Each colour with the code that ends it alone, line by line.
const sgr =
  (open: number, close: number) =>
  (value: unknown): string => {
    if (!colors.enabled) return `${value}`;
    return `\x1b[${open}m${`${value}`.replaceAll("\n", `\x1b[${close}m\n\x1b[${open}m`)}\x1b[${close}m`;
  };
const green = sgr(32, 39);
const red = sgr(31, 39);
const dim = sgr(2, 22);

/** A value on one line, as Jest's pretty-format has it with `min`. */
function stringify(value: unknown): string {
  return print(value, []);
}

interface HasJSON {
  toJSON(): unknown;
}

interface Mock extends Function {
  mock?: unknown;
  getMockName(): string;
}

function print(value: unknown, above: unknown[]): string {
  switch (typeof value) {
    case "string":
      return `"${value.replace(/["\\]/g, "\\$&")}"`;
    case "number":
      return Object.is(value, -0) ? "-0" : `${value}`;
    case "bigint":
      return `${value}n`;
    case "function":
      return (value as Mock).mock !== undefined && typeof (value as Mock).getMockName === "function"
        ? `[MockFunction${(value as Mock).getMockName() === "jest.fn()" || (value as Mock).getMockName() === "" ? "" : ` ${(value as Mock).getMockName()}`}]`
        : `[Function ${value.name || "anonymous"}]`;
    case "symbol":
      return value.toString();
    case "undefined":
    case "boolean":
      return `${value}`;
  }
  if (value === null) return "null";
  if (above.includes(value)) return "[Circular]";
  if (isAsymmetric(value)) return asymmetric(value, above);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Date { NaN }" : value.toISOString();
  if (value instanceof Error) return `[${Error.prototype.toString.call(value)}]`;
  if (value instanceof RegExp) return `${value}`;
  const { isPromise, isWeakMap, isWeakSet } = require("internal/util/types");
  if (isPromise(value)) return "Promise {}";
  if (isWeakMap(value)) return "WeakMap {}";
  if (isWeakSet(value)) return "WeakSet {}";
  if (typeof (value as Partial<HasJSON>).toJSON === "function" && !Array.isArray(value))
    return print((value as HasJSON).toJSON(), [...above, value]);
  const inner = [...above, value];
  const list = (items: Iterable<unknown>) => Array.from(items, (item) => print(item, inner)).join(", ");
  if (Array.isArray(value)) return `[${list(value)}]`;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return `[${list(value as Uint8Array)}]`;
  if (value instanceof Map)
    return `Map {${[...value].map(([key, item]) => `${print(key, inner)} => ${print(item, inner)}`).join(", ")}}`;
  if (value instanceof Set) return `Set {${list(value)}}`;
  if (
    (value as { nodeType?: unknown }).nodeType !== undefined ||
    (value as { $$typeof?: unknown }).$$typeof !== undefined
  )
    return require("internal/test/bun_test/format").format(value, "jest");
  const keys: (string | symbol)[] = Object.keys(value as object).sort();
  for (const symbol of Object.getOwnPropertySymbols(value))
    if (Object.prototype.propertyIsEnumerable.call(value, symbol)) keys.push(symbol);
  return `{${keys.map((key) => `${typeof key === "symbol" ? key.toString() : print(key, inner)}: ${print((value as Record<PropertyKey, unknown>)[key], inner)}`).join(", ")}}`;
}

function asymmetric(value: Asymmetric, above: unknown[]): string {
  const name = `${value}`;
  if (name === "Anything" || name === "Any") return value.toAsymmetricMatcher!();
  if (value.sample === undefined) return value.toAsymmetricMatcher?.() ?? name;
  return `${name} ${print(value.sample, above)}`;
}

/** https://jestjs.io/docs/expect#thisutils */
interface HintOptions {
  comment?: string;
  isDirectExpectCall?: boolean;
  isNot?: boolean;
  promise?: string;
  secondArgument?: string;
  expectedColor?: (value: unknown) => string;
  receivedColor?: (value: unknown) => string;
  secondArgumentColor?: (value: unknown) => string;
}

/** Jest's hint: `expect(received).not.name(expected)`. */
function matcherHint(
  name: string,
  received: unknown = "received",
  expected: unknown = "expected",
  options: HintOptions = {},
): string {
  const { comment = "", isDirectExpectCall = false, isNot = false, promise = "", secondArgument = "" } = options;
  const expectedColor = options.expectedColor ?? green;
  const receivedColor = options.receivedColor ?? red;
  const secondColor = options.secondArgumentColor ?? green;
  let hint = "";
  let plain = "expect";
  if (!isDirectExpectCall && received !== "") {
    hint += dim(`${plain}(`) + receivedColor(received);
    plain = ")";
  }
  if (promise !== "") {
    hint += dim(`${plain}.`) + promise;
    plain = "";
  }
  if (isNot) {
    hint += `${dim(`${plain}.`)}not`;
    plain = "";
  }
  if (name.includes(".")) plain += name;
  else {
    hint += dim(`${plain}.`) + name;
    plain = "";
  }
  if (expected === "") plain += "()";
  else {
    hint += dim(`${plain}(`) + expectedColor(expected);
    if (secondArgument !== "") hint += dim(", ") + secondColor(secondArgument);
    plain = ")";
  }
  if (comment !== "") plain += ` // ${comment}`;
  return plain === "" ? hint : hint + dim(plain);
}

const spaces = (text: string): string => text.replace(/\s+$/gm, (end) => "·".repeat(end.length));
const printReceived = (value: unknown): string => red(spaces(stringify(value)));
const printExpected = (value: unknown): string => green(spaces(stringify(value)));
const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "object") return typeof value;
  return value instanceof RegExp
    ? "regexp"
    : value instanceof Map
      ? "map"
      : value instanceof Set
        ? "set"
        : value instanceof Date
          ? "date"
          : value instanceof Error
            ? "error"
            : "object";
};

export const utils = {
  stringify,
  printReceived,
  printExpected,
  matcherHint,
  EXPECTED_COLOR: green,
  RECEIVED_COLOR: red,
  DIM_COLOR: dim,
  BOLD_WEIGHT: sgr(1, 22),
  INVERTED_COLOR: sgr(7, 27),
  SUGGEST_TO_CONTAIN_EQUAL:
    "Looks like you wanted to test for object/array equality with the stricter `toContain` matcher. You probably need to use `toContainEqual` instead.",
  diff: (expected: unknown, received: unknown) => diffValues(expected, received),
  printDiffOrStringify(expected: unknown, received: unknown, expectedLabel = "Expected", receivedLabel = "Received") {
    const compares =
      (typeof expected === "object" && expected !== null && typeof received === "object" && received !== null) ||
      (typeof expected === "string" &&
        typeof received === "string" &&
        (expected.includes("\n") || received.includes("\n")));
    if (compares) return diffValues(expected, received);
    const width = Math.max(expectedLabel.length, receivedLabel.length);
    const label = (name: string) => `${name}: ${" ".repeat(width - name.length)}`;
    return `${label(expectedLabel)}${printExpected(expected)}\n${label(receivedLabel)}${printReceived(received)}`;
  },
  printWithType(name: string, value: unknown, show: (value: unknown) => string) {
    const type = typeOf(value);
    const hasType = type !== "null" && type !== "undefined" ? `${name} has type:  ${type}\n` : "";
    return `${hasType}${name} has value: ${show(value)}`;
  },
  getType: typeOf,
  getLabelPrinter: (...names: string[]) => {
    const width = Math.max(...names.map((name) => name.length));
    return (name: string) => `${name}: ${" ".repeat(width - name.length)}`;
  },
  pluralize: (word: string, count: number) =>
    `${["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"][count] ?? count} ${word}${count === 1 ? "" : "s"}`,
  highlightTrailingWhitespace: spaces,
  matcherErrorMessage: (hint: string, generic: string, specific?: string) =>
    `${hint}\n\n${sgr(1, 22)("Matcher error")}: ${generic}${typeof specific === "string" ? `\n\n${specific}` : ""}`,
  ensureNoExpected(expected: unknown, name: string, options?: HintOptions) {
    if (expected === undefined) return;
    throw new Error(
      utils.matcherErrorMessage(
        matcherHint(options ? name : `${name}`, undefined, options ? "expected" : "", options),
        "this matcher must not have an expected argument",
        utils.printWithType("Expected", expected, printExpected),
      ),
    );
  },
  iterableEquality: (a: unknown, b: unknown) =>
    typeof (a as Partial<Iterable<unknown>> | undefined)?.[Symbol.iterator] === "function" &&
    typeof (b as Partial<Iterable<unknown>> | undefined)?.[Symbol.iterator] === "function" &&
    typeof a === "object"
      ? equals(a, b)
      : undefined,
  subsetEquality: (a: unknown, b: unknown) => (typeof b === "object" && b !== null ? matchesSubset(a, b) : undefined),
};
