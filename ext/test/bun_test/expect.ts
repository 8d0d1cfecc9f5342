// `expect`: the object that a call gives, what every matcher has in common, and the functions of `expect` itself.
// https://bun.com/docs/test/writing-tests#matchers, https://jestjs.io/docs/expect
//
// The matchers are in matchers_*.ts, each a function whose `this` is the Expectation. What a passing assertion does not need
// (text of values, differences, snapshots) is loaded by those that fail or ask for it.
import { colors, dim, green, red } from "internal/test/bun_test/message_colors";
import type { AsymmetricMatcher } from "internal/test/bun_test/asymmetric";
import type { PollOptions } from "internal/test/bun_test/extend";
import type { Serializer } from "internal/test/bun_test/format";
import { checkReceiver, LazyMatchers } from "internal/test/bun_test/matcher_names";
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
}

// Not by `extends`: the constructor of a derived class takes longer, and each `expect()` calls it.
interface Expectation extends LazyMatchers {}
Object.setPrototypeOf(Expectation.prototype, LazyMatchers.prototype);

function badGetter(name: string): TypeError {
  return new TypeError(`The Expect.${name} getter can only be used on instances of Expect`);
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
