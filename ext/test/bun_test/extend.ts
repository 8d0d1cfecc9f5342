// expect.extend: matchers of the program's own. https://jestjs.io/docs/expect#expectextendmatchers
import {
  addMatcher,
  asymmetric,
  currentContext,
  currentTest,
  expect,
  type Expectation,
  fail,
  later,
  signature,
  text,
} from "internal/test/bun_test/expect";
import { customTesters, equals } from "internal/test/bun_test/equality";
import { ownMessages } from "internal/test/bun_test/snapshot_custom_messages";
import { custom } from "internal/test/bun_test/asymmetric";
import { utils } from "internal/test/bun_test/jest_utils";

const { defineProperty } = Object;

/** Names of the parameters of a function that follow its first, as messages show them. */
function paramsOf(matcher: Function): string {
  const source = Function.prototype.toString.call(matcher);
  const match = /^(?:async\s+)?(?:function\s*\*?\s*)?(?:[\w$]*\s*)\(([^()]*)\)/.exec(source);
  if (match === null) return "";
  return match[1]!
    .split(",")
    .map((name) => name.trim())
    .filter((name) => /^[\w$]+$/.test(name))
    .slice(1)
    .join(", ");
}

/** `this` of a custom matcher. */
function contextOf(isNot: boolean, promise: string) {
  const test = currentTest();
  return {
    isNot,
    promise,
    utils,
    expand: false,
    error: undefined,
    equals: (a: unknown, b: unknown, _testers?: unknown, strict?: unknown) => equals(a, b, strict === true),
    customTesters: customTesters(),
    assertionCalls: test?.assertionCount ?? 0,
    expectedAssertionsNumber: test?.expectedAssertions ?? null,
    isExpectingAssertions: test?.needsAssertions ?? false,
    currentTestName: test?.fullName,
    testPath: currentContext()?.testPath,
    suppressedErrors: [],
    dontThrow() {},
  };
}

/** What a matcher returns. */
interface Answer {
  pass?: unknown;
  message?: unknown;
}

function judge(e: Expectation, name: string, shown: string, result: Answer | null | undefined): void {
  if (
    (typeof result !== "object" && typeof result !== "function") ||
    result === null ||
    (typeof result.pass !== "boolean" && result.pass === undefined) ||
    result.message === null
  ) {
    const error = new Error(
      `Unexpected return from matcher function \`${name}\`.\nMatcher functions should return an object in the following format:\n` +
        `  {message?: string | function, pass: boolean}\n'${text(result)}' was returned`,
    );
    error.name = "InvalidMatcherError";
    throw error;
  }
  if (Boolean(result.pass) !== e.isNot) return;
  const { message } = result;
  const given = typeof message === "function" ? message() : message;
  const shownMessage =
    given === undefined ? "No message was specified for this matcher." : typeof given === "string" ? given : `${given}`;
  // A message that has a signature of its own is not given another one.
  const label = shownMessage.includes("expect(") ? "" : signature("", e.isNot, name, shown);
  try {
    fail(
      e.label === undefined ? Object.assign(Object.create(Object.getPrototypeOf(e)), e, { label }) : e,
      name,
      shown,
      shownMessage,
    );
  } catch (error) {
    // Jest gives such errors the message alone; its snapshots of them match.
    if (label !== "") ownMessages.set(error as Error, shownMessage);
    throw error;
  }
}

function add(name: string, matcher: Function): void {
  const shown = paramsOf(matcher);
  addMatcher(
    name,
    shown,
    function (this: Expectation, ...args: unknown[]) {
      const result = matcher.call(contextOf(this.isNot, this.settled), this.value, ...args);
      if (typeof result?.then === "function" && result.pass === undefined)
        return later(() => Promise.resolve(result).then((answer) => judge(this, name, shown, answer)));
      return judge(this, name, shown, result);
    },
    true,
  );
  const makeContext = (isNot: boolean) => contextOf(isNot, "");
  const plain = (...args: unknown[]) => custom(name, matcher, args, false, makeContext);
  const negated = (...args: unknown[]) => custom(name, matcher, args, true, makeContext);
  defineProperty(expect, name, { value: plain, configurable: true, enumerable: true, writable: true });
  defineProperty(asymmetric.negated, name, { value: negated, configurable: true, enumerable: true, writable: true });
}

type Matchers = Record<string, unknown>;

export function extend(matchers: Matchers | Function): void {
  if ((typeof matchers !== "object" && typeof matchers !== "function") || matchers === null) {
    throw new Error("expect.extend(matchers)\n\nExpected an object containing matchers\n");
  }
  for (
    let holder: object = matchers;
    holder !== null && holder !== Object.prototype && holder !== Function.prototype;
    holder = Object.getPrototypeOf(holder)
  ) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (name === "constructor" || name === "__esModule" || (holder !== matchers && Object.hasOwn(matchers, name)))
        continue;
      if (typeof matchers === "function" && (name === "length" || name === "name" || name === "prototype")) continue;
      const matcher = (matchers as Matchers)[name];
      if (typeof matcher !== "function") {
        throw new TypeError(
          `expect.extend: \`${name}\` is not a valid matcher. Must be a function, is "${matcher === null ? "null" : typeof matcher}"`,
        );
      }
      add(name, matcher);
    }
  }
}

/** The options of `expect.poll`; times are milliseconds. */
export interface PollOptions {
  interval?: number;
  timeout?: number;
  message?: string;
}

/** What stands at the end of a path of words. */
type Words = Record<string, (...args: unknown[]) => unknown> & Record<string, object>;

/** `expect.poll(ask).matcher(…)`: asks until the matcher passes or time is up. */
export function poll(ask: unknown, { interval = 50, timeout = 1000, message }: PollOptions = {}) {
  if (typeof ask !== "function") throw new TypeError("expect.poll() requires a function");
  const { setTimeout: wait, clearTimeout: endWait } = require("internal/test/bun_test/real_timers");
  /** The answer, or an error where it does not come in time. */
  const within = async (what: string, end: number, give: () => unknown): Promise<unknown> => {
    let timer: ReturnType<typeof wait> | undefined;
    const late = new Promise((_, reject) => {
      timer = wait(
        () => reject(new Error(`expect.poll() ${what} didn't resolve in time.`)),
        Math.max(0, end - performance.now()),
      );
    });
    try {
      return await Promise.race([give(), late]);
    } finally {
      endWait(timer);
    }
  };
  // Words before the matcher, of chai or `not`.
  const words =
    /^(?:not|to|be|been|is|that|which|and|has|have|with|at|of|same|but|does|still|also|deep|nested|own|ordered|any|all)$/;
  const chain = (path: string[]) =>
    new Proxy(
      {},
      {
        get(_, name: string) {
          if (typeof name === "string" && words.test(name)) return chain([...path, name]);
          if (name === "then") return undefined;
          return (...args: unknown[]) =>
            later(async () => {
              const end = performance.now() + timeout;
              const controller = new AbortController();
              try {
                for (;;) {
                  try {
                    const value = await within("function", end, () => ask({ signal: controller.signal }));
                    const e = expect(value, message);
                    return await within("assertion", end, () =>
                      path.reduce((at, word) => at[word] as Words, e as unknown as Words)[name]!(...args),
                    );
                  } catch (error) {
                    if (performance.now() >= end) throw error;
                  }
                  await new Promise((resolve) => wait(resolve, interval));
                }
              } finally {
                controller.abort();
              }
            });
        },
      },
    );
  return chain([]);
}
