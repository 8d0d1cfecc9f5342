// `AssertionError` and the messages of failed comparisons (https://nodejs.org/api/assert.html#class-assertassertionerror).

import type { InspectContext } from "internal/util/inspect_types";
import { inspect } from "internal/util/inspect";
import { type Colors, stderrColors } from "internal/util/colors";
import { validateObject } from "internal/core/validators";
import { myersDiff, printCharacterDiff, printLineDiff } from "internal/util/assert/myers_diff";

const operatorTexts: Record<string, string> = {
  deepStrictEqual: "Expected values to be strictly deep-equal:",
  partialDeepStrictEqual: "Expected values to be partially and strictly deep-equal:",
  strictEqual: "Expected values to be strictly equal:",
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: "Expected values to be loosely deep-equal:",
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notIdentical: "Values have same structure but are not reference-equal:",
  notDeepEqualUnequal: "Expected values not to be loosely deep-equal:",
};

// Two values of at most this many characters together are shown on one line.
const maxShortLength = 12;
const maxLongLength = 512;
// Above this many lines only the first ones are shown.
const maxLines = 50;

const isObject = (value: unknown) => typeof value === "object" && value !== null;
const hasDiff = (operator: unknown) =>
  operator === "deepStrictEqual" || operator === "strictEqual" || operator === "partialDeepStrictEqual";

// Everything that a comparison looks at, whatever the user's defaults of inspect are.
function inspectValue(value: unknown): string {
  return inspect(value, {
    compact: false,
    customInspect: false,
    depth: 1000,
    maxArrayLength: Infinity,
    showHidden: false,
    showProxy: false,
    sorted: true,
    getters: true,
  });
}

// An error without its stack, so that the message shows only what is compared.
function withoutStack(error: NodeError): unknown {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(error)), error);
  Object.defineProperty(copy, "message", { __proto__: null, value: error.message } as PropertyDescriptor);
  if (Object.hasOwn(error, "cause")) {
    let { cause } = error;
    if (Error.isError(cause)) cause = withoutStack(cause);
    Object.defineProperty(copy, "cause", { __proto__: null, value: cause } as PropertyDescriptor);
  }
  return copy;
}

function stackedDiff(actual: string, expected: string, colors: Colors): string {
  let text = `\n${colors.green}+${colors.white} ${actual}\n${colors.red}-${colors.white} ${expected}`;
  // A mark under the first difference, if both fit on a line of the terminal and it is not at the very start.
  const { columns } = process.stderr;
  if (actual.length + expected.length < (columns || 80)) {
    let at = 0;
    while (at < actual.length && actual[at] === expected[at]) at++;
    if (at > 2) text += `\n  ${" ".repeat(at)}^`;
  }
  return text;
}

/** The message of a failed equality: heading, legend, difference. `heading`: the caller's own, or undefined. */
function diffMessage(
  actual: unknown,
  expected: unknown,
  operator: string,
  heading: string | undefined,
  diff: string,
): string {
  const colors = stderrColors();
  if (
    operator === "strictEqual" &&
    ((isObject(actual) && isObject(expected)) || (typeof actual === "function" && typeof expected === "function"))
  ) {
    operator = "strictEqualObject";
  }
  const actualText = inspectValue(actual);
  const expectedText = inspectValue(expected);
  const actualLines = actualText.split("\n");
  const expectedLines = expectedText.split("\n");
  let legend = "+ actual - expected";
  let skipped = false;
  let text: string;

  if (actualLines.length === 1 && expectedLines.length === 1 && !(isObject(actual) && isObject(expected))) {
    const strings = typeof actual === "string" && typeof expected === "string";
    let length = actualText.length + expectedText.length;
    if (typeof actual === "string") length -= 2;
    if (typeof expected === "string") length -= 2;
    if (length <= maxShortLength && (actual !== 0 || expected !== 0)) {
      text = `${actualText} !== ${expectedText}`;
      legend = "";
    } else if (strings && colors.hasColors) {
      text = printCharacterDiff(myersDiff(actualText.split(""), expectedText.split("")), colors);
      legend = `${colors.green}actual${colors.white} ${colors.red}expected${colors.white}`;
    } else {
      text = stackedDiff(actualText, expectedText, colors);
    }
  } else if (actualText === expectedText) {
    operator = "notIdentical";
    legend = "";
    if (actualLines.length > maxLines && diff !== "full") {
      text = `${actualLines.slice(0, maxLines).join("\n")}\n...}`;
      skipped = true;
    } else {
      text = actualText;
    }
  } else {
    const partial = operator === "partialDeepStrictEqual";
    const printed = printLineDiff(myersDiff(actualLines, expectedLines, isObject(actual)), partial, colors);
    text = printed.text;
    skipped = printed.skipped;
    legend = partial
      ? `${colors.gray}${colors.hasColors ? "" : "+ "}actual${colors.white} ${colors.red}- expected${colors.white}`
      : `${colors.green}+ actual${colors.white} ${colors.red}- expected${colors.white}`;
  }
  return `${heading || operatorTexts[operator]}\n${legend}${skipped ? "\n... Skipped lines" : ""}\n${text}\n`;
}

/** The message of a failed inequality: what both values are. */
function sameMessage(actual: unknown, operator: string, diff: string): string {
  let heading = operatorTexts[operator];
  if (operator === "notStrictEqual" && (isObject(actual) || typeof actual === "function")) {
    heading = operatorTexts.notStrictEqualObject;
  }
  const lines = inspectValue(actual).split("\n");
  if (lines.length > maxLines && diff !== "full") {
    const colors = stderrColors();
    lines[46] = `${colors.blue}...${colors.white}`;
    lines.length = 47;
  }
  if (lines.length === 1) return `${heading}${lines[0]!.length > 5 ? "\n\n" : " "}${lines[0]}`;
  return `${heading}\n\n${lines.join("\n")}\n`;
}

function cut(text: string, length: number, diff: string): string {
  return text.length > length && diff !== "full" ? `${text.slice(0, length - 3)}...` : text;
}

/** The message of any other operator, and of the loose ones: both values as they are. */
function plainMessage(actual: unknown, expected: unknown, operator: string, diff: string): string {
  const actualText = inspectValue(actual);
  const expectedText = inspectValue(expected);
  if (operator === "notDeepEqual" && actualText === expectedText) {
    return cut(`${operatorTexts.notDeepEqual}\n\n${actualText}`, 1024, diff);
  }
  const left = cut(actualText, maxLongLength, diff);
  const right = cut(expectedText, maxLongLength, diff);
  if (operator === "deepEqual") {
    return `${operatorTexts.deepEqual}\n\n${left}\n\nshould loosely deep-equal\n\n${right}`;
  }
  if (operator === "notDeepEqual") {
    return `${operatorTexts.notDeepEqualUnequal}\n\n${left}\n\nshould not loosely deep-equal\n\n${right}`;
  }
  return `${left} ${operator} ${right}`;
}

function messageOf(
  { message, operator, diff = "simple" }: AssertionErrorOptions & { operator: string },
  actual: unknown,
  expected: unknown,
): string {
  if (message != null) {
    return hasDiff(operator) ? diffMessage(actual, expected, operator, message as string, diff) : String(message);
  }
  if (hasDiff(operator)) return diffMessage(actual, expected, operator, undefined, diff);
  if (operator === "notDeepStrictEqual" || operator === "notStrictEqual") return sameMessage(actual, operator, diff);
  return plainMessage(actual, expected, operator, diff);
}

// Long strings are in the message already.
function shorten(text: string): string {
  const lines = text.split("\n", 11);
  if (lines.length > 10) {
    lines.length = 10;
    return `${lines.join("\n")}\n...`;
  }
  // (Node shows the end of the string here, not its start.)
  return text.length > maxLongLength ? `${text.slice(maxLongLength)}...` : text;
}

/** "full": long values in messages are not cut. */
export type Diff = "simple" | "full" | undefined;

export interface AssertionErrorOptions {
  message?: unknown;
  actual?: unknown;
  expected?: unknown;
  operator?: string;
  stackStartFn?: Function;
  stackStartFunction?: Function;
  diff?: Diff;
  /** Several failed assertions that are reported as one. */
  details?: { message: string; actual: unknown; expected: unknown; operator: string; stack: unknown }[];
}

/**
 * A failed assertion. Options: message, actual, expected, operator, stackStartFn (frames from it up are left out),
 * diff ("simple" or "full": nothing is cut). `code` is "ERR_ASSERTION".
 */
export class AssertionError extends Error {
  declare generatedMessage: boolean;
  declare code: string;
  declare actual: unknown;
  declare expected: unknown;
  declare operator: string | undefined;
  declare diff: string;

  [detail: `${string} ${number}`]: unknown;
  constructor(options: AssertionErrorOptions) {
    validateObject(options, "options");
    const { operator, stackStartFn, details, stackStartFunction, diff = "simple" } = options;
    let { actual, expected } = options;
    if (isObject(actual) && isObject(expected) && actual instanceof Error && expected instanceof Error) {
      if (options.message == null) {
        actual = withoutStack(actual);
        expected = withoutStack(expected);
      }
    }
    super(messageOf(options as AssertionErrorOptions & { operator: string }, actual, expected));
    this.generatedMessage = !options.message;
    Object.defineProperty(this, "name", {
      __proto__: null,
      value: "AssertionError [ERR_ASSERTION]",
      enumerable: false,
      writable: true,
      configurable: true,
    } as PropertyDescriptor);
    this.code = "ERR_ASSERTION";
    if (details) {
      this.actual = undefined;
      this.expected = undefined;
      this.operator = undefined;
      details.forEach((detail, i) => {
        this[`message ${i}`] = detail.message;
        this[`actual ${i}`] = detail.actual;
        this[`expected ${i}`] = detail.expected;
        this[`operator ${i}`] = detail.operator;
        (this as Record<string, unknown>)[`stack trace ${i}`] = detail.stack;
      });
    } else {
      this.actual = actual;
      this.expected = expected;
      this.operator = operator;
    }
    this.diff = diff;
    Error.captureStackTrace(this, stackStartFn || stackStartFunction || AssertionError);
    // The first line of the stack is to have the code; reading the stack fixes it.
    void this.stack;
    this.name = "AssertionError";
  }

  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }

  [inspect.custom](_depth: number, options: InspectContext) {
    const { actual, expected } = this;
    if (typeof actual === "string") this.actual = shorten(actual);
    if (typeof expected === "string") this.expected = shorten(expected);
    try {
      return inspect(this, { ...options, customInspect: false, depth: 0 });
    } finally {
      this.actual = actual;
      this.expected = expected;
    }
  }
}
