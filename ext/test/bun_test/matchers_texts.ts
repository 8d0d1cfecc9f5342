// Matchers of texts.
import {
  addMatcher,
  addMatchers,
  type Expectation,
  fail,
  showExpected,
  showReceived,
  text,
} from "internal/test/bun_test/expect";

/** Matchers that ask whether a text stands in a relation to another. */
function relation(name: string, verb: string, test: (value: string, expected: string) => boolean): void {
  addMatcher(name, "expected", function (this: Expectation, expected: unknown) {
    const { value, isNot } = this;
    if (typeof expected !== "string") throw new Error(`${name}() requires the first argument to be a string`);
    const pass = typeof value === "string" && test(value, expected);
    if (pass === isNot)
      fail(
        this,
        name,
        "expected",
        `Expected to ${isNot ? "not " : ""}${verb}: ${showExpected(expected)}\nReceived: ${showReceived(value)}\n`,
      );
  });
}

export function install(): void {
  relation("toInclude", "include", (value, expected) => value.includes(expected));
  relation("toStartWith", "start with", (value, expected) => value.startsWith(expected));
  relation("toEndWith", "end with", (value, expected) => value.endsWith(expected));

  addMatchers("expected", {
    toMatch(expected: unknown) {
      const { value, isNot } = this;
      if (arguments.length === 0) throw new TypeError("toMatch() requires 1 argument");
      const isPattern = expected instanceof RegExp;
      if (!isPattern && typeof expected !== "string")
        throw new Error(`Expected value must be a string or regular expression: ${text(expected)}`);
      if (typeof value !== "string") throw new Error(`Received value must be a string: ${text(value)}`);
      const pass = isPattern ? new RegExp(expected).test(value) : value.includes(expected as string);
      if (pass === isNot)
        fail(
          this,
          "toMatch",
          "expected",
          `Expected substring or pattern: ${isNot ? "not " : ""}${showExpected(expected)}\nReceived: ${showReceived(value)}\n`,
        );
    },
    toEqualIgnoringWhitespace(expected: unknown) {
      const { value, isNot } = this;
      if (typeof expected !== "string") throw new Error("toEqualIgnoringWhitespace() requires argument to be a string");
      const bare = (given: string) => given.replace(/\s+/g, "");
      const pass = typeof value === "string" && bare(value) === bare(expected);
      if (pass === isNot)
        fail(
          this,
          "toEqualIgnoringWhitespace",
          "expected",
          `Expected: ${isNot ? "not " : ""}${showExpected(expected)}\nReceived: ${showReceived(value)}\n`,
        );
    },
    toIncludeRepeated(expected: unknown, times: unknown) {
      const { value, isNot } = this;
      if (arguments.length < 2) throw new TypeError("toIncludeRepeated() requires 2 arguments");
      if (typeof expected !== "string")
        throw new Error("toIncludeRepeated() requires the first argument to be a string");
      if (typeof times !== "number" || !Number.isInteger(times) || Object.is(times, -0))
        throw new Error("toIncludeRepeated() requires the second argument to be a number");
      if (typeof value !== "string") throw new Error("toIncludeRepeated() requires the expect(value) to be a string");
      if (expected === "") throw new Error("toIncludeRepeated() requires the first argument to be a non-empty string");
      const found = value.split(expected).length - 1;
      if ((found === times) !== isNot) return;
      const shown = showExpected(expected);
      const count = times > 1 ? `${showExpected(times)} times ` : "";
      const problem = isNot
        ? times <= 0
          ? `Expected to include: ${shown} `
          : `Expected not to include: ${shown} ${count}`
        : times <= 0
          ? `Expected to not include: ${shown}`
          : times === 1
            ? `Expected to include: ${shown}`
            : `Expected to include: ${shown} ${count}`;
      fail(this, "toIncludeRepeated", "expected", `${problem}\nReceived: ${showReceived(value)}\n`);
    },
  });
}
