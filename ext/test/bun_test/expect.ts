// `expect`: the object that a call gives, what every matcher has in common, and the functions of `expect` itself.
// https://bun.com/docs/test/writing-tests#matchers, https://jestjs.io/docs/expect
//
// The matchers are in matchers_*.ts, each a function whose `this` is the Expectation. What a passing assertion does not need
// (text of values, differences, snapshots) is loaded by those that fail or ask for it.
import { colors, dim, green, red } from "internal/test/bun_test/message_colors";
import type { AsymmetricMatcher } from "internal/test/bun_test/asymmetric";
import type { PollOptions } from "internal/test/bun_test/extend";
import type { Serializer } from "internal/test/bun_test/format";
import type { SnapshotState } from "internal/test/bun_test/snapshot";
import { type ExpectContext, type ExpectInstance, type TestRecord } from "internal/test/bun_test/types";

const { defineProperty, is } = Object;

/** Calls of matchers in all files so far, for the summary. */
const totals = { assertions: 0 };

let context: ExpectContext | undefined;

export const currentContext = (): ExpectContext | undefined => context;

export const currentTest = (): TestRecord | undefined => context?.currentTest();

type Settling = "" | "resolves" | "rejects";

/** What `expect(value)` gives; `not`, `resolves` and `rejects` give further ones. */
class Expectation {
  declare value: unknown;
  declare isNot: boolean;
  declare settling: Settling;
  /** The second argument of `expect`, in place of the signature in messages. */
  declare label: string | undefined;
  declare isSoft: boolean;
  declare flags: number;
  /** Where the value came from, once the promise has settled. */
  declare settled: Settling;
  /** Where the call stands, for inline snapshots of what a promise was settled with. */
  declare site: { file: string; line: number; column: number } | undefined;

  constructor(value: unknown, isNot: boolean, settling: Settling, label: string | undefined, isSoft: boolean) {
    this.value = value;
    this.isNot = isNot;
    this.settling = settling;
    this.label = label;
    this.isSoft = isSoft;
  }

  get not(): Expectation {
    if (this.settling === undefined) throw badGetter("not");
    const other = new Expectation(this.value, !this.isNot, this.settling, this.label, this.isSoft);
    if (this.flags !== 0) other.flags = this.flags;
    return other;
  }

  get resolves(): Expectation {
    if (this.settling === undefined) throw badGetter("resolves");
    return new Expectation(this.value, this.isNot, "resolves", this.label, this.isSoft);
  }

  get rejects(): Expectation {
    if (this.settling === undefined) throw badGetter("rejects");
    return new Expectation(this.value, this.isNot, "rejects", this.label, this.isSoft);
  }

  toBe(expected: unknown): unknown {
    const test = count();
    if (this.settling === "" && !this.isSoft) {
      if (is(this.value, expected) === this.isNot) isNotSame(this, expected);
      return;
    }
    return special(this, "toBe", isSame, [expected], test);
  }

  // The others are loaded by the first call of one of their file: most runs need few of them, and a method of a class costs less
  // than a function made at start.

  // matchers_values.ts
  toEqual(): unknown {
    return loaded(this, "values", "toEqual", arguments);
  }
  toStrictEqual(): unknown {
    return loaded(this, "values", "toStrictEqual", arguments);
  }
  toMatchObject(): unknown {
    return loaded(this, "values", "toMatchObject", arguments);
  }
  toBeInstanceOf(): unknown {
    return loaded(this, "values", "toBeInstanceOf", arguments);
  }
  toSatisfy(): unknown {
    return loaded(this, "values", "toSatisfy", arguments);
  }
  toBeTruthy(): unknown {
    return loaded(this, "values", "toBeTruthy", arguments);
  }
  toBeFalsy(): unknown {
    return loaded(this, "values", "toBeFalsy", arguments);
  }
  toBeDefined(): unknown {
    return loaded(this, "values", "toBeDefined", arguments);
  }
  toBeUndefined(): unknown {
    return loaded(this, "values", "toBeUndefined", arguments);
  }
  toBeNull(): unknown {
    return loaded(this, "values", "toBeNull", arguments);
  }
  toBeNullable(): unknown {
    return loaded(this, "values", "toBeNullable", arguments);
  }
  toBeNil(): unknown {
    return loaded(this, "values", "toBeNil", arguments);
  }
  toBeNaN(): unknown {
    return loaded(this, "values", "toBeNaN", arguments);
  }
  toBeOdd(): unknown {
    return loaded(this, "values", "toBeOdd", arguments);
  }
  toBeEven(): unknown {
    return loaded(this, "values", "toBeEven", arguments);
  }
  toBeArray(): unknown {
    return loaded(this, "values", "toBeArray", arguments);
  }
  toBeBoolean(): unknown {
    return loaded(this, "values", "toBeBoolean", arguments);
  }
  toBeTrue(): unknown {
    return loaded(this, "values", "toBeTrue", arguments);
  }
  toBeFalse(): unknown {
    return loaded(this, "values", "toBeFalse", arguments);
  }
  toBeNumber(): unknown {
    return loaded(this, "values", "toBeNumber", arguments);
  }
  toBeInteger(): unknown {
    return loaded(this, "values", "toBeInteger", arguments);
  }
  toBeFinite(): unknown {
    return loaded(this, "values", "toBeFinite", arguments);
  }
  toBePositive(): unknown {
    return loaded(this, "values", "toBePositive", arguments);
  }
  toBeNegative(): unknown {
    return loaded(this, "values", "toBeNegative", arguments);
  }
  toBeSymbol(): unknown {
    return loaded(this, "values", "toBeSymbol", arguments);
  }
  toBeFunction(): unknown {
    return loaded(this, "values", "toBeFunction", arguments);
  }
  toBeString(): unknown {
    return loaded(this, "values", "toBeString", arguments);
  }
  toBeDate(): unknown {
    return loaded(this, "values", "toBeDate", arguments);
  }
  toBeValidDate(): unknown {
    return loaded(this, "values", "toBeValidDate", arguments);
  }
  toBeEmptyObject(): unknown {
    return loaded(this, "values", "toBeEmptyObject", arguments);
  }
  toBeObject(): unknown {
    return loaded(this, "values", "toBeObject", arguments);
  }
  toBeEmpty(): unknown {
    return loaded(this, "values", "toBeEmpty", arguments);
  }
  toBeArrayOfSize(): unknown {
    return loaded(this, "values", "toBeArrayOfSize", arguments);
  }
  toBeTypeOf(): unknown {
    return loaded(this, "values", "toBeTypeOf", arguments);
  }
  pass(): unknown {
    return loaded(this, "values", "pass", arguments);
  }
  fail(): unknown {
    return loaded(this, "values", "fail", arguments);
  }
  toBeGreaterThan(): unknown {
    return loaded(this, "values", "toBeGreaterThan", arguments);
  }
  toBeGreaterThanOrEqual(): unknown {
    return loaded(this, "values", "toBeGreaterThanOrEqual", arguments);
  }
  toBeLessThan(): unknown {
    return loaded(this, "values", "toBeLessThan", arguments);
  }
  toBeLessThanOrEqual(): unknown {
    return loaded(this, "values", "toBeLessThanOrEqual", arguments);
  }
  toBeCloseTo(): unknown {
    return loaded(this, "values", "toBeCloseTo", arguments);
  }
  toBeWithin(): unknown {
    return loaded(this, "values", "toBeWithin", arguments);
  }

  // matchers_containers.ts
  toContain(): unknown {
    return loaded(this, "containers", "toContain", arguments);
  }
  toContainEqual(): unknown {
    return loaded(this, "containers", "toContainEqual", arguments);
  }
  toBeOneOf(): unknown {
    return loaded(this, "containers", "toBeOneOf", arguments);
  }
  toContainKey(): unknown {
    return loaded(this, "containers", "toContainKey", arguments);
  }
  toContainValue(): unknown {
    return loaded(this, "containers", "toContainValue", arguments);
  }
  toHaveLength(): unknown {
    return loaded(this, "containers", "toHaveLength", arguments);
  }
  toContainKeys(): unknown {
    return loaded(this, "containers", "toContainKeys", arguments);
  }
  toContainAllKeys(): unknown {
    return loaded(this, "containers", "toContainAllKeys", arguments);
  }
  toContainAnyKeys(): unknown {
    return loaded(this, "containers", "toContainAnyKeys", arguments);
  }
  toContainValues(): unknown {
    return loaded(this, "containers", "toContainValues", arguments);
  }
  toContainAllValues(): unknown {
    return loaded(this, "containers", "toContainAllValues", arguments);
  }
  toContainAnyValues(): unknown {
    return loaded(this, "containers", "toContainAnyValues", arguments);
  }
  toHaveProperty(): unknown {
    return loaded(this, "containers", "toHaveProperty", arguments);
  }

  // matchers_texts.ts
  toInclude(): unknown {
    return loaded(this, "texts", "toInclude", arguments);
  }
  toStartWith(): unknown {
    return loaded(this, "texts", "toStartWith", arguments);
  }
  toEndWith(): unknown {
    return loaded(this, "texts", "toEndWith", arguments);
  }
  toMatch(): unknown {
    return loaded(this, "texts", "toMatch", arguments);
  }
  toEqualIgnoringWhitespace(): unknown {
    return loaded(this, "texts", "toEqualIgnoringWhitespace", arguments);
  }
  toIncludeRepeated(): unknown {
    return loaded(this, "texts", "toIncludeRepeated", arguments);
  }

  // matchers_errors.ts
  toThrow(): unknown {
    return loaded(this, "errors", "toThrow", arguments);
  }
  toThrowError(): unknown {
    return loaded(this, "errors", "toThrowError", arguments);
  }

  // matchers_calls.ts
  toHaveBeenCalled(): unknown {
    return loaded(this, "calls", "toHaveBeenCalled", arguments);
  }
  toBeCalled(): unknown {
    return loaded(this, "calls", "toBeCalled", arguments);
  }
  toHaveBeenCalledOnce(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledOnce", arguments);
  }
  toHaveBeenCalledTimes(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledTimes", arguments);
  }
  toBeCalledTimes(): unknown {
    return loaded(this, "calls", "toBeCalledTimes", arguments);
  }
  toHaveBeenCalledWith(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledWith", arguments);
  }
  toBeCalledWith(): unknown {
    return loaded(this, "calls", "toBeCalledWith", arguments);
  }
  toHaveBeenCalledExactlyOnceWith(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledExactlyOnceWith", arguments);
  }
  toHaveBeenLastCalledWith(): unknown {
    return loaded(this, "calls", "toHaveBeenLastCalledWith", arguments);
  }
  lastCalledWith(): unknown {
    return loaded(this, "calls", "lastCalledWith", arguments);
  }
  toHaveBeenNthCalledWith(): unknown {
    return loaded(this, "calls", "toHaveBeenNthCalledWith", arguments);
  }
  nthCalledWith(): unknown {
    return loaded(this, "calls", "nthCalledWith", arguments);
  }
  toHaveBeenCalledBefore(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledBefore", arguments);
  }
  toHaveBeenCalledAfter(): unknown {
    return loaded(this, "calls", "toHaveBeenCalledAfter", arguments);
  }
  toHaveReturned(): unknown {
    return loaded(this, "calls", "toHaveReturned", arguments);
  }
  toReturn(): unknown {
    return loaded(this, "calls", "toReturn", arguments);
  }
  toHaveReturnedTimes(): unknown {
    return loaded(this, "calls", "toHaveReturnedTimes", arguments);
  }
  toReturnTimes(): unknown {
    return loaded(this, "calls", "toReturnTimes", arguments);
  }
  toHaveReturnedWith(): unknown {
    return loaded(this, "calls", "toHaveReturnedWith", arguments);
  }
  toReturnWith(): unknown {
    return loaded(this, "calls", "toReturnWith", arguments);
  }
  toHaveLastReturnedWith(): unknown {
    return loaded(this, "calls", "toHaveLastReturnedWith", arguments);
  }
  lastReturnedWith(): unknown {
    return loaded(this, "calls", "lastReturnedWith", arguments);
  }
  toHaveNthReturnedWith(): unknown {
    return loaded(this, "calls", "toHaveNthReturnedWith", arguments);
  }
  nthReturnedWith(): unknown {
    return loaded(this, "calls", "nthReturnedWith", arguments);
  }
  toHaveResolved(): unknown {
    return loaded(this, "calls", "toHaveResolved", arguments);
  }
  toHaveResolvedTimes(): unknown {
    return loaded(this, "calls", "toHaveResolvedTimes", arguments);
  }
  toHaveResolvedWith(): unknown {
    return loaded(this, "calls", "toHaveResolvedWith", arguments);
  }
  toHaveLastResolvedWith(): unknown {
    return loaded(this, "calls", "toHaveLastResolvedWith", arguments);
  }
  toHaveNthResolvedWith(): unknown {
    return loaded(this, "calls", "toHaveNthResolvedWith", arguments);
  }

  // matchers_snapshots.ts
  toMatchSnapshot(): unknown {
    return loaded(this, "snapshots", "toMatchSnapshot", arguments);
  }
  toMatchInlineSnapshot(): unknown {
    return loaded(this, "snapshots", "toMatchInlineSnapshot", arguments);
  }
  toThrowErrorMatchingSnapshot(): unknown {
    return loaded(this, "snapshots", "toThrowErrorMatchingSnapshot", arguments);
  }
  toThrowErrorMatchingInlineSnapshot(): unknown {
    return loaded(this, "snapshots", "toThrowErrorMatchingInlineSnapshot", arguments);
  }
  toMatchFileSnapshot(): unknown {
    return loaded(this, "snapshots", "toMatchFileSnapshot", arguments);
  }

  // chai's words, which vitest's `expect` has too (chai.ts). Not a proxy behind the prototype: every field of a new object asks it.
  get to(): unknown {
    return word(this, "to");
  }
  get be(): unknown {
    return word(this, "be");
  }
  get been(): unknown {
    return word(this, "been");
  }
  get is(): unknown {
    return word(this, "is");
  }
  get that(): unknown {
    return word(this, "that");
  }
  get which(): unknown {
    return word(this, "which");
  }
  get and(): unknown {
    return word(this, "and");
  }
  get has(): unknown {
    return word(this, "has");
  }
  get have(): unknown {
    return word(this, "have");
  }
  get with(): unknown {
    return word(this, "with");
  }
  get at(): unknown {
    return word(this, "at");
  }
  get of(): unknown {
    return word(this, "of");
  }
  get same(): unknown {
    return word(this, "same");
  }
  get but(): unknown {
    return word(this, "but");
  }
  get does(): unknown {
    return word(this, "does");
  }
  get still(): unknown {
    return word(this, "still");
  }
  get also(): unknown {
    return word(this, "also");
  }
  get deep(): unknown {
    return word(this, "deep");
  }
  get nested(): unknown {
    return word(this, "nested");
  }
  get own(): unknown {
    return word(this, "own");
  }
  get ordered(): unknown {
    return word(this, "ordered");
  }
  get any(): unknown {
    return word(this, "any");
  }
  get all(): unknown {
    return word(this, "all");
  }
  get itself(): unknown {
    return word(this, "itself");
  }
  get equal(): unknown {
    return word(this, "equal");
  }
  get equals(): unknown {
    return word(this, "equals");
  }
  get eq(): unknown {
    return word(this, "eq");
  }
  get eql(): unknown {
    return word(this, "eql");
  }
  get eqls(): unknown {
    return word(this, "eqls");
  }
  get above(): unknown {
    return word(this, "above");
  }
  get gt(): unknown {
    return word(this, "gt");
  }
  get greaterThan(): unknown {
    return word(this, "greaterThan");
  }
  get least(): unknown {
    return word(this, "least");
  }
  get gte(): unknown {
    return word(this, "gte");
  }
  get greaterThanOrEqual(): unknown {
    return word(this, "greaterThanOrEqual");
  }
  get below(): unknown {
    return word(this, "below");
  }
  get lt(): unknown {
    return word(this, "lt");
  }
  get lessThan(): unknown {
    return word(this, "lessThan");
  }
  get most(): unknown {
    return word(this, "most");
  }
  get lte(): unknown {
    return word(this, "lte");
  }
  get lessThanOrEqual(): unknown {
    return word(this, "lessThanOrEqual");
  }
  get within(): unknown {
    return word(this, "within");
  }
  get instanceof(): unknown {
    return word(this, "instanceof");
  }
  get instanceOf(): unknown {
    return word(this, "instanceOf");
  }
  get property(): unknown {
    return word(this, "property");
  }
  get ownProperty(): unknown {
    return word(this, "ownProperty");
  }
  get haveOwnProperty(): unknown {
    return word(this, "haveOwnProperty");
  }
  get ownPropertyDescriptor(): unknown {
    return word(this, "ownPropertyDescriptor");
  }
  get haveOwnPropertyDescriptor(): unknown {
    return word(this, "haveOwnPropertyDescriptor");
  }
  get match(): unknown {
    return word(this, "match");
  }
  get matches(): unknown {
    return word(this, "matches");
  }
  get string(): unknown {
    return word(this, "string");
  }
  get keys(): unknown {
    return word(this, "keys");
  }
  get key(): unknown {
    return word(this, "key");
  }
  get throw(): unknown {
    return word(this, "throw");
  }
  get throws(): unknown {
    return word(this, "throws");
  }
  get Throw(): unknown {
    return word(this, "Throw");
  }
  get respondTo(): unknown {
    return word(this, "respondTo");
  }
  get respondsTo(): unknown {
    return word(this, "respondsTo");
  }
  get satisfy(): unknown {
    return word(this, "satisfy");
  }
  get satisfies(): unknown {
    return word(this, "satisfies");
  }
  get closeTo(): unknown {
    return word(this, "closeTo");
  }
  get approximately(): unknown {
    return word(this, "approximately");
  }
  get members(): unknown {
    return word(this, "members");
  }
  get oneOf(): unknown {
    return word(this, "oneOf");
  }
  get containSubset(): unknown {
    return word(this, "containSubset");
  }
  get change(): unknown {
    return word(this, "change");
  }
  get changes(): unknown {
    return word(this, "changes");
  }
  get increase(): unknown {
    return word(this, "increase");
  }
  get increases(): unknown {
    return word(this, "increases");
  }
  get decrease(): unknown {
    return word(this, "decrease");
  }
  get decreases(): unknown {
    return word(this, "decreases");
  }
  get callCount(): unknown {
    return word(this, "callCount");
  }
  get calledWith(): unknown {
    return word(this, "calledWith");
  }
  get calledOnceWith(): unknown {
    return word(this, "calledOnceWith");
  }
  get ok(): unknown {
    return word(this, "ok");
  }
  get true(): unknown {
    return word(this, "true");
  }
  get false(): unknown {
    return word(this, "false");
  }
  get callable(): unknown {
    return word(this, "callable");
  }
  get null(): unknown {
    return word(this, "null");
  }
  get undefined(): unknown {
    return word(this, "undefined");
  }
  get NaN(): unknown {
    return word(this, "NaN");
  }
  get exist(): unknown {
    return word(this, "exist");
  }
  get exists(): unknown {
    return word(this, "exists");
  }
  get numeric(): unknown {
    return word(this, "numeric");
  }
  get iterable(): unknown {
    return word(this, "iterable");
  }
  get empty(): unknown {
    return word(this, "empty");
  }
  get arguments(): unknown {
    return word(this, "arguments");
  }
  get Arguments(): unknown {
    return word(this, "Arguments");
  }
  get extensible(): unknown {
    return word(this, "extensible");
  }
  get sealed(): unknown {
    return word(this, "sealed");
  }
  get frozen(): unknown {
    return word(this, "frozen");
  }
  get finite(): unknown {
    return word(this, "finite");
  }
  get called(): unknown {
    return word(this, "called");
  }
  get calledOnce(): unknown {
    return word(this, "calledOnce");
  }
  get calledTwice(): unknown {
    return word(this, "calledTwice");
  }
  get calledThrice(): unknown {
    return word(this, "calledThrice");
  }
  get a(): unknown {
    return word(this, "a");
  }
  get an(): unknown {
    return word(this, "an");
  }
  get include(): unknown {
    return word(this, "include");
  }
  get includes(): unknown {
    return word(this, "includes");
  }
  get contain(): unknown {
    return word(this, "contain");
  }
  get contains(): unknown {
    return word(this, "contains");
  }
  get length(): unknown {
    return word(this, "length");
  }
  get lengthOf(): unknown {
    return word(this, "lengthOf");
  }
}

function badGetter(name: string): TypeError {
  return new TypeError(`The Expect.${name} getter can only be used on instances of Expect`);
}

/** A matcher's `this` has to be what `expect` gave. */
function checkReceiver(value: unknown): void {
  if (value instanceof Expectation && value.settling !== undefined) return;
  throw require("internal/test/bun_test/receiver").invalidThis("Expect", value);
}

Object.assign(Expectation.prototype, { settled: "", site: undefined });

/** How chai's words compare, see chai.ts. */
defineProperty(Expectation.prototype, "flags", { value: 0, writable: true });

export { Expectation };
export type { Assertion };
type Matcher = (this: Expectation, ...args: never[]) => unknown;

const failures = new WeakSet<object>();

/** An error of a failed assertion. */
export function failure(message: string): Error {
  const error = new Error(message);
  failures.add(error);
  return error;
}

/** `expect(received).not.NAME(params)`. */
export function signature(settling: Settling, isNot: boolean, name: string, params: string): string {
  const dot = dim(".");
  const listed =
    params === ""
      ? ""
      : params
          .split(", ")
          .map((param) => green(param))
          .join(dim(", "));
  return `${dim("expect(")}${red("received")}${dim(").")}${settling === "" ? "" : settling + dot}${isNot ? `not${dot}` : ""}${name}${dim("(")}${listed}${dim(")")}`;
}

/** Throws for an assertion that does not hold; `details` ends as Bun's does, mostly with a line feed. A label of "": no heading. */
export function fail(expectation: Expectation, name: string, params: string, details: string): never {
  const { label, settling, isNot } = expectation;
  throw failure(label === "" ? details : `${label ?? signature(settling, isNot, name, params)}\n\n${details}`);
}

/** A value in a message, in the form of the console. */
export function text(value: unknown): string {
  if (
    typeof value === "object" &&
    value !== null &&
    (value instanceof Error || (value as { nodeType?: unknown }).nodeType !== undefined)
  ) {
    return require("internal/test/bun_test/format").format(value, "diff");
  }
  const shown: string =
    typeof value === "function" && value === Function.prototype ? "[Function]" : require("bun/inspect").inspect(value);
  return shortened(shown);
}

/** Both ends of a very long text. */
export function shortened(text: string): string {
  return text.length > 10_000
    ? `${text.slice(0, 5_000)}\n... (${text.length - 10_000} bytes truncated) ...\n${text.slice(-5_000)}`
    : text;
}

export const showExpected = (value: unknown): string => green(text(value));
export const showReceived = (value: unknown): string => red(text(value));

/** Counts an assertion. */
function count(): TestRecord | undefined {
  totals.assertions++;
  const test = context?.currentTest();
  if (test !== undefined) test.assertionCount++;
  return test;
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  typeof (value as Partial<PromiseLike<unknown>>).then === "function";

/** The promise of an assertion, which knows whether anyone waits for it. */
class Assertion extends Promise<unknown> {
  declare isAwaited: boolean;

  static override get [Symbol.species]() {
    return Promise;
  }

  override then<A = unknown, B = never>(...handlers: Parameters<Promise<unknown>["then"]>): Promise<A | B> {
    this.isAwaited = true;
    return super.then(...handlers) as Promise<A | B>;
  }
}

/** A promise of an assertion: the test waits for it also where the code does not. */
export function later(start: () => Promise<unknown>): Assertion {
  const site = new Error();
  const test = currentTest();
  const result = new Assertion((resolve, reject) => {
    start().then(resolve, (error: unknown) => {
      if (typeof error !== "object" || error === null || !failures.has(error)) return reject(error);
      // The stack of the call says more than that of the settling.
      failures.add(site);
      site.message = (error as Error).message;
      reject(site);
    });
  });
  if (test !== undefined) {
    (test.pending ??= []).push(result);
    result.catch(() => {});
    result.isAwaited = false;
  }
  return result;
}

function settle(expectation: Expectation, name: string, matcher: Matcher, args: ArrayLike<unknown>) {
  const { settling, isNot, label } = expectation;
  let { value } = expectation;
  if (typeof value === "function" && typeof (value as Partial<PromiseLike<unknown>>).then !== "function")
    value = value();
  if (!isThenable(value))
    fail(expectation, name, paramsOf(name), `Expected promise\nReceived: ${showReceived(value)}\n`);
  const site = name.includes("InlineSnapshot")
    ? require("internal/test/bun_test/snapshot_matchers").callSite()
    : undefined;
  const go = (settledValue: unknown) => {
    const next = new Expectation(settledValue, isNot, "", label, false);
    next.settled = settling;
    next.site = site;
    return matcher.apply(next, args as never[]);
  };
  const wrong = (want: string, got: string, reason: unknown) =>
    fail(
      expectation,
      name,
      paramsOf(name),
      `Expected promise that ${want}\nReceived promise that ${got}: ${showReceived(reason)}\n`,
    );
  return later(() =>
    Promise.resolve(value).then(
      settling === "resolves" ? go : (given: unknown) => wrong("rejects", "resolved", given),
      settling === "rejects" ? go : (reason: unknown) => wrong("resolves", "rejected", reason),
    ),
  );
}

function isNotSame(expectation: Expectation, expected: unknown): never {
  return require("internal/test/bun_test/matchers_values").isNotSame(expectation, expected);
}

function isSame(this: Expectation, expected: unknown): void {
  if (is(this.value, expected) === this.isNot) isNotSame(this, expected);
}

/** Loads the file of a matcher, which puts its own in the place of what is in the class, and calls it. */
function loaded(expectation: Expectation, file: string, name: string, args: IArguments): unknown {
  checkReceiver(expectation);
  (require(`internal/test/bun_test/matchers_${file}` as BuiltinId) as { install(): void }).install();
  return (expectation as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args);
}

/** Loads chai's words, which put themselves in the place of what is in the class, and gives the one that was asked for. */
function word(expectation: Expectation, name: string): unknown {
  require("internal/test/bun_test/chai").install();
  return expectation[name as keyof Expectation];
}

/** A matcher of a promise's value, or one that is soft. */
function special(
  expectation: Expectation,
  name: string,
  matcher: Matcher,
  args: ArrayLike<unknown>,
  test: TestRecord | undefined,
): unknown {
  checkReceiver(expectation);
  if (!expectation.isSoft || test === undefined) return settle(expectation, name, matcher, args);
  const note = (error: unknown) => void test.softErrors.push(error);
  try {
    const result =
      expectation.settling === ""
        ? matcher.apply(expectation, args as never[])
        : settle(expectation, name, matcher, args);
    return isThenable(result) ? result.then(undefined, note) : result;
  } catch (error) {
    note(error);
  }
}

const params = new Map<string, string>();
const paramsOf = (name: string): string => params.get(name) ?? "expected";

/** Names of `expect.extend`, which win over ours. */
const own = new Set<string>();

/** Adds a matcher; `shown` names its parameters in messages. `isOwn`: the program's. */
export function addMatcher(name: string, shown: string, matcher: Matcher, isOwn = false): void {
  if (isOwn) own.add(name);
  else if (own.has(name)) return;
  params.set(name, shown);
  const method = {
    [name](this: Expectation) {
      const test = count();
      if (this.settling === "" && !this.isSoft) return matcher.apply(this, arguments as ArrayLike<unknown> as never[]);
      return special(this, name, matcher, arguments, test);
    },
  }[name]!;
  defineProperty(Expectation.prototype, name, { value: method, configurable: true, enumerable: true, writable: true });
}

export function addMatchers(shown: string, matchers: Record<string, Matcher>): void {
  for (const name of Object.keys(matchers)) addMatcher(name, shown, matchers[name]!);
}

/** `expect(value, message?)`. */
export const expect = function expect(value?: unknown, message?: string): Expectation {
  if (new.target !== undefined) throw new Error("expect() cannot be called with new");
  if (message !== undefined && typeof message !== "string") message = message === null ? undefined : `${message}`;
  return new Expectation(value, false, "", message === "" ? undefined : message, false);
};

// Programs look for matchers, or test `instanceof expect`.
defineProperty(expect, "name", { value: "Expect", configurable: true });
defineProperty(expect, "prototype", { value: Expectation.prototype, writable: false });
defineProperty(Expectation.prototype, "constructor", { value: expect, configurable: true, writable: true });
defineProperty(Expectation.prototype, Symbol.toStringTag, { value: "Expect", configurable: true });

function requireTest(): TestRecord {
  const test = currentTest();
  if (test === undefined)
    throw new Error("expect.assertions() and expect.hasAssertions() are for the inside of a test");
  return test;
}

const statics = {
  /** A failed assertion ends nothing; the test fails when it is over. */
  soft(value: unknown, message?: string): Expectation {
    return new Expectation(value, false, "", message, true);
  },
  assertions(expected: unknown) {
    if (typeof expected !== "number" || !Number.isInteger(expected) || expected < 0) {
      throw new Error(`Expected value must be a non-negative integer: ${text(expected)}`);
    }
    requireTest().expectedAssertions = expected;
  },
  hasAssertions() {
    requireTest().needsAssertions = true;
  },
  unreachable(reason?: unknown) {
    count();
    if (reason !== undefined && typeof reason !== "string") throw reason;
    const error = failure(reason ?? "reached unreachable code");
    error.name = "UnreachableError";
    throw error;
  },
  extend(matchers: unknown) {
    require("internal/test/bun_test/extend").extend(matchers as Record<string, unknown>);
  },
  addSnapshotSerializer(serializer: Serializer) {
    require("internal/test/bun_test/format").addSerializer(serializer);
  },
  addEqualityTesters(testers: unknown) {
    require("internal/test/bun_test/equality").addEqualityTesters(testers);
  },
  getState() {
    const test = currentTest();
    return {
      assertionCalls: test?.assertionCount ?? 0,
      currentTestName: test?.fullName,
      expand: false,
      expectedAssertionsNumber: test?.expectedAssertions ?? null,
      isExpectingAssertions: test?.needsAssertions ?? false,
      snapshotState: undefined,
      suppressedErrors: test?.softErrors ?? [],
      testPath: context?.testPath,
    };
  },
  /** Asks again until the assertion holds: `await expect.poll(() => value).toBe(1)`, as vitest has it. */
  poll(ask: unknown, options?: PollOptions) {
    return require("internal/test/bun_test/extend").poll(ask, options);
  },
};
/** What makes asymmetric matchers, by name. */
type Factories = Record<string, (...args: unknown[]) => AsymmetricMatcher>;

/** Where `expect.extend` puts what it makes of its matchers: the factories of `expect` and those of `expect.not`. */
export const asymmetric: { readonly plain: Factories; readonly negated: Factories } = {
  get plain() {
    return (plain ??= require("internal/test/bun_test/asymmetric").factories(false));
  },
  get negated() {
    return (negated ??= require("internal/test/bun_test/asymmetric").factories(true));
  },
};
let plain: Factories | undefined;
let negated: Factories | undefined;

Object.assign(expect, statics, {
  any() {
    return asymmetric.plain.any!(...arguments);
  },
  anything() {
    return asymmetric.plain.anything!(...arguments);
  },
  arrayContaining() {
    return asymmetric.plain.arrayContaining(...arguments);
  },
  objectContaining() {
    return asymmetric.plain.objectContaining(...arguments);
  },
  stringContaining() {
    return asymmetric.plain.stringContaining(...arguments);
  },
  stringMatching() {
    return asymmetric.plain.stringMatching(...arguments);
  },
  closeTo() {
    return asymmetric.plain.closeTo(...arguments);
  },
  // vitest's and Jest's.
  arrayOf() {
    return asymmetric.plain.arrayOf(...arguments);
  },
  toBeOneOf() {
    return asymmetric.plain.toBeOneOf(...arguments);
  },
  toSatisfy() {
    return asymmetric.plain.toSatisfy(...arguments);
  },
  schemaMatching() {
    return asymmetric.plain.schemaMatching(...arguments);
  },
});

/** `expect.resolvesTo` and the like: each factory's matcher asked about the value of a promise. */
function ofPromises(inverse: boolean, rejected: boolean): { [key: string]: unknown } {
  const { settled } = require("internal/test/bun_test/asymmetric");
  const { plain } = asymmetric;
  const made: { [key: string]: unknown } = {};
  for (const name of Object.keys(plain)) {
    made[name] = (...args: unknown[]) => settled(plain[name]!(...args), inverse, rejected);
  }
  return made;
}

function lazily(target: unknown, name: string, make: () => unknown): void {
  defineProperty(target, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = make();
      defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
      return value;
    },
  });
}
lazily(expect, "not", () => {
  const { negated } = asymmetric;
  lazily(negated, "resolvesTo", () => ofPromises(true, false));
  lazily(negated, "rejectsTo", () => ofPromises(true, true));
  return negated;
});
lazily(expect, "resolvesTo", () => ofPromises(false, false));
lazily(expect, "rejectsTo", () => ofPromises(false, true));

/** Whether messages are to be coloured when the context does not say. */
const defaultColors = (): boolean => require("internal/util/colors").fdHasColors(2);

/** Makes `given` the context of everything here and gives what the runner needs for that file. See types.ts. */
export function makeExpect(given: ExpectContext): ExpectInstance {
  if (context === undefined) native("test").expectMocks();
  context = given;
  colors.enabled = given.options.colors ?? defaultColors();
  let state: SnapshotState | undefined;
  const { enterFile, leaveFile } = require("internal/test/bun_test/file_cleanup");
  enterFile();
  return {
    expect,
    get snapshotState() {
      return (state ??= require("internal/test/bun_test/snapshot").stateOf(given));
    },
    restoreMocks: leaveFile,
  };
}

/**
 * Waits for assertions of promises that the test did not wait for; undefined where there are none. Gives the first one that
 * failed, for a test that did not fail already.
 */
export function settlePending(test: TestRecord): Promise<unknown> | undefined {
  const pending = test.pending?.filter((one) => !one.isAwaited);
  test.pending = undefined;
  if (pending === undefined || pending.length === 0) return undefined;
  return Promise.allSettled(pending).then((results) => {
    const failed = results.find((result) => result.status === "rejected");
    return failed === undefined ? undefined : (failed as PromiseRejectedResult).reason;
  });
}
