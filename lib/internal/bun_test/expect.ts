// `expect`: the object that a call gives, what every matcher has in common, and the functions of `expect` itself.
// https://bun.com/docs/test/writing-tests#matchers, https://jestjs.io/docs/expect
//
// The matchers are in matchers_*.ts, each a function whose `this` is the Expectation. What a passing assertion does not need
// (text of values, differences, snapshots) is loaded by those that fail or ask for it.
import { colors, dim, green, red } from "internal/bun_test/diff";
import { type ExpectContext, type ExpectInstance, type TestRecord } from "internal/bun_test/types";

const { defineProperty } = Object;

/** Calls of matchers in all files so far, for the summary. */
export const totals = { assertions: 0 };

let context: ExpectContext | undefined;

export const currentContext = (): ExpectContext | undefined => context;

export const currentTest = (): TestRecord | undefined => context?.currentTest();

type Settling = "" | "resolves" | "rejects";

/** What `expect(value)` gives; `not`, `resolves` and `rejects` give further ones. */
class Expectation {
  declare value: any;
  declare isNot: boolean;
  declare settling: Settling;
  /** The second argument of `expect`, in place of the signature in messages. */
  declare label: string | undefined;
  declare isSoft: boolean;
  /** Where the value came from, once the promise has settled. */
  declare settled: Settling;
  /** Where the call stands, for inline snapshots of what a promise was settled with. */
  declare site: { file: string; line: number; column: number } | undefined;

  constructor(value: any, isNot: boolean, settling: Settling, label: string | undefined, isSoft: boolean) {
    this.value = value;
    this.isNot = isNot;
    this.settling = settling;
    this.label = label;
    this.isSoft = isSoft;
    this.settled = "";
    this.site = undefined;
  }

  get not(): Expectation {
    return new Expectation(this.value, !this.isNot, this.settling, this.label, this.isSoft);
  }

  get resolves(): Expectation {
    return new Expectation(this.value, this.isNot, "resolves", this.label, this.isSoft);
  }

  get rejects(): Expectation {
    return new Expectation(this.value, this.isNot, "rejects", this.label, this.isSoft);
  }
}
defineProperty(Expectation, "name", { value: "Expect", configurable: true });

export type { Expectation };
type Matcher = (this: Expectation, ...args: any[]) => any;

const failures = new WeakSet<object>();

/** An error of a failed assertion. */
function failure(message: string): Error {
  const error = new Error(message);
  failures.add(error);
  return error;
}

/** `expect(received).not.NAME(params)`. */
export function signature(settling: Settling, isNot: boolean, name: string, params: string): string {
  const dot = dim(".");
  const listed = params === "" ? "" : params.split(", ").map((param) => green(param)).join(dim(", "));
  return `${dim("expect(")}${red("received")}${dim(").")}${settling === "" ? "" : settling + dot}${isNot ? `not${dot}` : ""}${name}${dim("(")}${listed}${dim(")")}`;
}

/** Throws for an assertion that does not hold; `details` ends as Bun's does, mostly with a line feed. A label of "": no heading. */
export function fail(expectation: Expectation, name: string, params: string, details: string): never {
  const { label, settling, isNot } = expectation;
  throw failure(label === "" ? details : `${label ?? signature(settling, isNot, name, params)}\n\n${details}`);
}

/** A value in a message, in the form of the console. */
export function text(value: any): string {
  if (typeof value === "object" && value !== null && (value instanceof Error || value.nodeType !== undefined)) {
    return require("internal/bun_test/format").format(value, "diff");
  }
  const shown: string = typeof value === "function" && value === Function.prototype ? "[Function]" : require("bun/inspect").inspect(value);
  return shown.length > 10_000 ? `${shown.slice(0, 5_000)}\n... (${shown.length - 10_000} bytes truncated) ...\n${shown.slice(-5_000)}` : shown;
}

export const showExpected = (value: any): string => green(text(value));
export const showReceived = (value: any): string => red(text(value));

/** Counts an assertion. */
function count(): TestRecord | undefined {
  totals.assertions++;
  const test = context?.currentTest();
  if (test !== undefined) test.assertionCount++;
  return test;
}

const isThenable = (value: any): boolean => (typeof value === "object" || typeof value === "function") && value !== null && typeof value.then === "function";

/** The promise of an assertion, which knows whether anyone waits for it. */
class Assertion extends Promise<any> {
  declare isAwaited: boolean;

  static override get [Symbol.species]() {
    return Promise;
  }

  override then(...handlers: any[]): any {
    this.isAwaited = true;
    return super.then(...handlers);
  }
}

/** A promise of an assertion: the test waits for it also where the code does not. */
export function later(start: () => Promise<any>): Promise<any> {
  const site = new Error();
  const test = currentTest();
  const result = new Assertion((resolve, reject) => {
    start().then(resolve, (error: any) => {
      if (typeof error !== "object" || error === null || !failures.has(error)) return reject(error);
      // The stack of the call says more than that of the settling.
      failures.add(site);
      site.message = error.message;
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

function settle(expectation: Expectation, name: string, matcher: Matcher, args: any): any {
  const { settling, isNot, label } = expectation;
  let { value } = expectation;
  if (typeof value === "function" && typeof value.then !== "function") value = value();
  if (!isThenable(value)) fail(expectation, name, paramsOf(name), `Expected promise\nReceived: ${showReceived(value)}\n`);
  const site = name.includes("InlineSnapshot") ? require("internal/bun_test/snapshot_matchers").callSite() : undefined;
  const go = (settledValue: any) => {
    const next = new Expectation(settledValue, isNot, "", label, false);
    next.settled = settling;
    next.site = site;
    return matcher.apply(next, args);
  };
  const wrong = (want: string, got: string, reason: any) =>
    fail(expectation, name, paramsOf(name), `Expected promise that ${want}\nReceived promise that ${got}: ${showReceived(reason)}\n`);
  return later(() => Promise.resolve(value).then(
    settling === "resolves" ? go : (given: any) => wrong("rejects", "resolved", given),
    settling === "rejects" ? go : (reason: any) => wrong("resolves", "rejected", reason),
  ));
}

/** A matcher of a promise's value, or one that is soft. */
function special(expectation: Expectation, name: string, matcher: Matcher, args: any, test: TestRecord | undefined): any {
  if (!expectation.isSoft || test === undefined) return settle(expectation, name, matcher, args);
  const note = (error: unknown) => void test.softErrors.push(error);
  try {
    const result = expectation.settling === "" ? matcher.apply(expectation, args) : settle(expectation, name, matcher, args);
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
      if (this.settling === "" && !this.isSoft) return matcher.apply(this, arguments as any);
      return special(this, name, matcher, arguments, test);
    },
  }[name]!;
  defineProperty(Expectation.prototype, name, { value: method, configurable: true, enumerable: true, writable: true });
}

export function addMatchers(shown: string, matchers: Record<string, Matcher>): void {
  for (const name of Object.keys(matchers)) addMatcher(name, shown, matchers[name]!);
}

/** `expect(value, message?)`. */
export const expect: any = function expect(value: any, message?: any): Expectation {
  if (message !== undefined && typeof message !== "string") message = message === null ? undefined : `${message}`;
  return new Expectation(value, false, "", message === "" ? undefined : message, false);
};

function requireTest(): TestRecord {
  const test = currentTest();
  if (test === undefined) throw new Error("expect.assertions() and expect.hasAssertions() are for the inside of a test");
  return test;
}

const statics: Record<string, any> = {
  /** A failed assertion ends nothing; the test fails when it is over. */
  soft(value: any, message?: string): Expectation {
    return new Expectation(value, false, "", message, true);
  },
  assertions(expected: any) {
    if (typeof expected !== "number" || !Number.isInteger(expected) || expected < 0) {
      throw new Error(`Expected value must be a non-negative integer: ${text(expected)}`);
    }
    requireTest().expectedAssertions = expected;
  },
  hasAssertions() {
    requireTest().needsAssertions = true;
  },
  unreachable(reason?: any) {
    count();
    if (reason !== undefined && typeof reason !== "string") throw reason;
    const error = failure(reason ?? "reached unreachable code");
    error.name = "UnreachableError";
    throw error;
  },
  extend(matchers: any) {
    require("internal/bun_test/extend").extend(matchers);
  },
  addSnapshotSerializer(serializer: any) {
    require("internal/bun_test/format").addSerializer(serializer);
  },
  addEqualityTesters(testers: any) {
    require("internal/bun_test/equality").addEqualityTesters(testers);
  },
  getState(): any {
    const test = currentTest();
    return {
      assertionCalls: test?.assertionCount ?? 0, currentTestName: test?.fullName, expand: false,
      expectedAssertionsNumber: test?.expectedAssertions ?? null, isExpectingAssertions: test?.needsAssertions ?? false,
      snapshotState: undefined, suppressedErrors: test?.softErrors ?? [], testPath: context?.testPath,
    };
  },
  /** Asks again until the assertion holds: `await expect.poll(() => value).toBe(1)`, as vitest has it. */
  poll(ask: any, options?: any) {
    return require("internal/bun_test/extend").poll(ask, options);
  },
};
for (const name of Object.keys(statics)) {
  defineProperty(expect, name, { value: statics[name], configurable: true, enumerable: true, writable: true });
}

const { factories, settled } = require("internal/bun_test/asymmetric");
const plain = factories(false);
/** Where `expect.extend` puts what it makes of its matchers. */
export const asymmetric: { plain: any; negated: any } = { plain, negated: factories(true) };
Object.assign(expect, plain);

/** `expect.resolvesTo` and the like: each factory's matcher asked about the value of a promise. */
function ofPromises(inverse: boolean, rejected: boolean): any {
  const made: any = {};
  for (const name of Object.keys(plain)) {
    made[name] = (...args: any[]) => settled(plain[name](...args), inverse, rejected);
  }
  return made;
}

function lazily(target: any, name: string, make: () => any): void {
  defineProperty(target, name, {
    configurable: true, enumerable: true,
    get() {
      const value = make();
      defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
      return value;
    },
  });
}
defineProperty(expect, "not", { value: asymmetric.negated, configurable: true, enumerable: true });
lazily(expect, "resolvesTo", () => ofPromises(false, false));
lazily(expect, "rejectsTo", () => ofPromises(false, true));
lazily(asymmetric.negated, "resolvesTo", () => ofPromises(true, false));
lazily(asymmetric.negated, "rejectsTo", () => ofPromises(true, true));

/** Matchers whose file is loaded by the first call of one of them. */
const LATER: Record<string, string> = {
  containers: "toContain toContainEqual toBeOneOf toContainKey toContainValue toHaveLength toContainKeys toContainAllKeys toContainAnyKeys " +
    "toContainValues toContainAllValues toContainAnyValues toHaveProperty",
  texts: "toInclude toStartWith toEndWith toMatch toEqualIgnoringWhitespace toIncludeRepeated",
  errors: "toThrow toThrowError",
  calls: "toHaveBeenCalled toBeCalled toHaveBeenCalledOnce toHaveBeenCalledTimes toBeCalledTimes toHaveBeenCalledWith toBeCalledWith " +
    "toHaveBeenCalledExactlyOnceWith toHaveBeenLastCalledWith lastCalledWith toHaveBeenNthCalledWith nthCalledWith " +
    "toHaveBeenCalledBefore toHaveBeenCalledAfter toHaveReturned toReturn toHaveReturnedTimes toReturnTimes toHaveReturnedWith " +
    "toReturnWith toHaveLastReturnedWith lastReturnedWith toHaveNthReturnedWith nthReturnedWith toHaveResolved toHaveResolvedTimes " +
    "toHaveResolvedWith toHaveLastResolvedWith toHaveNthResolvedWith",
  snapshots: "toMatchSnapshot toMatchInlineSnapshot toThrowErrorMatchingSnapshot toThrowErrorMatchingInlineSnapshot toMatchFileSnapshot",
};

function addLater(file: string, name: string): void {
  const method = {
    [name](this: any, ...args: any[]) {
      // A matcher of the program may have taken the place of one.
      if (this[name] === method) require(`internal/bun_test/matchers_${file}`).install();
      return this[name](...args);
    },
  }[name]!;
  defineProperty(Expectation.prototype, name, { value: method, configurable: true, enumerable: true, writable: true });
}

for (const file of Object.keys(LATER)) for (const name of LATER[file]!.split(" ")) addLater(file, name);
require("internal/bun_test/matchers_values").install();

/** Whether messages are to be coloured when the context does not say. */
const defaultColors = (): boolean => require("internal/util/colors").fdHasColors(2);

/** Makes `given` the context of everything here and gives what the runner needs for that file. See types.ts. */
export function makeExpect(given: ExpectContext): ExpectInstance {
  if (context === undefined) native("loader").expectMocks();
  context = given;
  colors.enabled = given.options.colors ?? defaultColors();
  let state: any;
  const { enterFile, leaveFile } = require("internal/bun_test/scope");
  enterFile();
  return {
    expect,
    get snapshotState() {
      return state ??= require("internal/bun_test/snapshot").stateOf(given);
    },
    restoreMocks: leaveFile,
  };
}

/**
 * Waits for assertions of promises that the test did not wait for; undefined where there are none. Gives the first one that
 * failed, for a test that did not fail already.
 */
export function settlePending(test: TestRecord): Promise<unknown> | undefined {
  const pending = test.pending?.filter((one: any) => !one.isAwaited);
  test.pending = undefined;
  if (pending === undefined || pending.length === 0) return undefined;
  return Promise.allSettled(pending).then((results) => {
    const failed = results.find((result) => result.status === "rejected");
    return failed === undefined ? undefined : (failed as PromiseRejectedResult).reason;
  });
}
