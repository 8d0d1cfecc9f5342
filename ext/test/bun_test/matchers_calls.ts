// Matchers of mock functions: how often, with what, and with which results they were called.
import { addMatcher, type Expectation, fail, showExpected, showReceived, text } from "internal/test/bun_test/expect";
import { equals } from "internal/test/bun_test/equality";
import { difference } from "internal/test/bun_test/matchers_values";

/** The calls of a mock function: ours, or one of another library that has the same. */
interface MockRecord {
  calls: unknown[][];
  results?: Result[];
  invocationCallOrder?: number[];
  settledResults?: { type: string; value: unknown }[];
}

/** How a call ended. */
interface Result {
  type: string;
  value: unknown;
}

function recordOf(e: Expectation): MockRecord {
  const record = (e.value as { mock?: MockRecord } | null | undefined)?.mock;
  if (record === undefined || record === null || !Array.isArray(record.calls)) {
    throw new Error(`Expected value must be a mock function: ${text(e.value)}`);
  }
  return record;
}

/** An argument that is undefined is one more than none. */
const callsMatch = (call: unknown[], expected: unknown[]): boolean =>
  call.length === expected.length && equals([...call], expected);

function checkCount(value: unknown, name: string): asserts value is number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
    throw new TypeError(`${name}() requires 1 non-negative integer argument`);
  }
}

function refuseArgument(given: unknown, name: string): void {
  if (given === undefined) return;
  const error = new TypeError(`${name}() must not have an argument`);
  throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
}

const MOST_CALLS = 20;

/** Calls or results as numbered lines; of many only the last ones. */
function numbered(items: string[]): string {
  const width = 14;
  const skipped = Math.max(0, items.length - MOST_CALLS);
  let lines = skipped > 0 ? `${" ".repeat(width)}... ${skipped} more\n` : "";
  for (let i = skipped; i < items.length; i++) lines += `${`${i + 1}`.padStart(width + 1)}: ${items[i]}\n`;
  return lines === "" ? "\n" : lines;
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

function add(
  names: string[],
  params: string,
  matcher: (this: Expectation, name: string, args: unknown[]) => void,
): void {
  for (const name of names) {
    addMatcher(name, params, function (this: Expectation, ...args: unknown[]) {
      return matcher.call(this, names[0]!, args);
    });
  }
}

function installCalls(): void {
  add(["toHaveBeenCalled", "toBeCalled"], "", function (name, [given]) {
    refuseArgument(given, name);
    const { calls } = recordOf(this);
    if (calls.length > 0 !== this.isNot) return;
    fail(
      this,
      name,
      "",
      `Expected number of calls: ${this.isNot ? showExpected(0) : `>= ${showExpected(1)}`}\nReceived number of calls: ${showReceived(calls.length)}\n`,
    );
  });

  const times = (name: string, wanted: number, e: Expectation) => {
    const { calls } = recordOf(e);
    if ((calls.length === wanted) !== e.isNot) return;
    fail(
      e,
      name,
      "expected",
      `Expected number of calls: ${e.isNot ? "not " : ""}${showExpected(wanted)}\nReceived number of calls: ${showReceived(calls.length)}\n`,
    );
  };
  add(["toHaveBeenCalledOnce"], "expected", function (name) {
    times(name, 1, this);
  });
  add(["toHaveBeenCalledTimes", "toBeCalledTimes"], "expected", function (name, [wanted]) {
    recordOf(this);
    checkCount(wanted, name);
    times(name, wanted, this);
  });

  const calledWith = (name: string, e: Expectation, expected: unknown[], pass: boolean, calls: unknown[][]) => {
    if (pass !== e.isNot) return;
    if (e.isNot)
      fail(
        e,
        name,
        "...expected",
        `Expected mock function not to have been called with: ${showExpected(expected)}\nBut it was.`,
      );
    if (calls.length === 0) fail(e, name, "...expected", `Expected: ${showExpected(expected)}\nBut it was not called.`);
    if (calls.length === 1) fail(e, name, "...expected", difference(expected, [...calls[0]!]));
    fail(
      e,
      name,
      "...expected",
      `    Expected: ${showExpected(expected)}\n    Received:\n${numbered(calls.map((call) => showReceived([...call])))}\n    Number of calls: ${calls.length}\n`,
    );
  };
  add(["toHaveBeenCalledWith", "toBeCalledWith"], "...expected", function (name, expected) {
    const { calls } = recordOf(this);
    calledWith(
      name,
      this,
      expected,
      calls.some((call) => callsMatch(call, expected)),
      calls,
    );
  });
  add(["toHaveBeenCalledExactlyOnceWith"], "...expected", function (name, expected) {
    const { calls } = recordOf(this);
    calledWith(name, this, expected, calls.length === 1 && callsMatch(calls[0]!, expected), calls);
  });
  add(["toHaveBeenLastCalledWith", "lastCalledWith"], "...expected", function (name, expected) {
    const { calls } = recordOf(this);
    const last = calls.at(-1);
    if ((last !== undefined && callsMatch(last, expected)) !== this.isNot) return;
    if (this.isNot)
      fail(this, name, "...expected", `Expected last call not to be with: ${showExpected(expected)}\nBut it was.`);
    if (last === undefined)
      fail(this, name, "...expected", `Expected: ${showExpected(expected)}\nBut it was not called.`);
    fail(this, name, "...expected", difference(expected, [...last]));
  });
  add(["toHaveBeenNthCalledWith", "nthCalledWith"], "n, ...expected", function (name, [n, ...expected]) {
    const { calls } = recordOf(this);
    if (typeof n !== "number" || !Number.isInteger(n) || n < 1)
      throw new TypeError(`${name}() requires a positive integer as the first argument`);
    const call = calls[n - 1];
    if ((call !== undefined && callsMatch(call, expected)) !== this.isNot) return;
    if (this.isNot)
      fail(this, name, "n, ...expected", `Expected call #${n} not to be with: ${showExpected(expected)}\nBut it was.`);
    if (call === undefined) {
      fail(
        this,
        name,
        "n, ...expected",
        `The mock function was called ${plural(calls.length, "time")}, but call ${n} was requested.`,
      );
    }
    fail(this, name, "n, ...expected", `Call #${n}:\n${difference(expected, [...call])}`);
  });

  const order = (name: string, before: boolean) =>
    add([name], "expected", function (_, [other, failIfNever = true]) {
      const own: number[] = recordOf(this).invocationCallOrder ?? [];
      const others = (other as { mock?: MockRecord } | null | undefined)?.mock?.invocationCallOrder;
      if (!Array.isArray(others)) throw new Error(`Expected value must be a mock function: ${text(other)}`);
      let pass: boolean;
      if (own.length === 0) pass = before ? !failIfNever : false;
      else if (others.length === 0) pass = before ? false : !failIfNever;
      else pass = before ? own[0]! < others.at(-1)! : own.at(-1)! > others[0]!;
      if (pass !== this.isNot) return;
      fail(
        this,
        name,
        "expected",
        `Expected mock function ${this.isNot ? "not " : ""}to have been called ${before ? "before" : "after"} the other\n`,
      );
    });
  order("toHaveBeenCalledBefore", true);
  order("toHaveBeenCalledAfter", false);
}

const returnsOf = (record: MockRecord): Result[] => (record.results ?? []).filter((result) => result.type === "return");

function installReturns(): void {
  const counts = (e: Expectation, name: string, pass: boolean, wanted: string, gap: string) => {
    if (pass !== e.isNot) return;
    const record = recordOf(e);
    fail(
      e,
      name,
      "expected",
      `Expected number of succesful returns: ${wanted}\n` +
        `Received number of succesful returns: ${gap}${showReceived(returnsOf(record).length)}\n` +
        `Received number of calls:             ${gap}${showReceived(record.calls.length)}\n`,
    );
  };
  add(["toHaveReturned", "toReturn"], "expected", function (name, [given]) {
    refuseArgument(given, name);
    const pass = returnsOf(recordOf(this)).length > 0;
    counts(this, name, pass, this.isNot ? `< ${showExpected(1)}` : `>= ${showExpected(1)}`, this.isNot ? "  " : "   ");
  });
  add(["toHaveReturnedTimes", "toReturnTimes"], "expected", function (name, [wanted]) {
    const record = recordOf(this);
    checkCount(wanted, name);
    counts(
      this,
      name,
      returnsOf(record).length === wanted,
      `${this.isNot ? "!=" : "=="} ${showExpected(wanted)}`,
      "   ",
    );
  });
  add(["toHaveReturnedWith", "toReturnWith"], "expected", function (name, [expected]) {
    const record = recordOf(this);
    const results: Result[] = record.results ?? [];
    const returned = returnsOf(record);
    if (returned.some((result) => equals(result.value, expected)) !== this.isNot) return;
    if (this.isNot)
      fail(this, name, "expected", `Expected mock function not to have returned: ${showExpected(expected)}\n`);
    if (results.length === 1 && returned.length === 1) {
      fail(
        this,
        name,
        "expected",
        `Expected: ${showExpected(expected)}\nReceived: ${showReceived(returned[0]!.value)}`,
      );
    }
    const threw = results.length > returned.length;
    const shown = results.map((result) =>
      result.type === "return"
        ? showReceived(result.value)
        : result.type === "throw"
          ? `function call threw an error: ${showReceived(result.value)}`
          : "function call has not returned",
    );
    fail(
      this,
      name,
      "expected",
      `${threw ? "Some calls errored:\n\n" : ""}    Expected: ${showExpected(expected)}\n    Received:\n${numbered(shown)}\n` +
        `    Number of returns: ${returned.length}\n${threw ? `    Number of calls:   ${results.length}\n` : ""}`,
    );
  });
  for (const name of ["toHaveLastReturnedWith", "lastReturnedWith"]) {
    addMatcher(name, "expected", function (this: Expectation, expected: unknown) {
      const shown = "toHaveBeenLastReturnedWith";
      const last = (recordOf(this).results ?? []).at(-1);
      if ((last?.type === "return" && equals(last.value, expected)) !== this.isNot) return;
      if (this.isNot)
        fail(
          this,
          shown,
          "expected",
          `Expected mock function not to have last returned: ${showExpected(expected)}\nBut it did.\n`,
        );
      if (last === undefined) fail(this, shown, "expected", "The mock function was not called.");
      if (last.type === "throw")
        fail(this, shown, "expected", `The last call threw an error: ${showReceived(last.value)}\n`);
      fail(this, shown, "expected", `Expected: ${showExpected(expected)}\nReceived: ${showReceived(last.value)}`);
    });
  }
  add(["toHaveNthReturnedWith", "nthReturnedWith"], "n, expected", function (name, [n, expected]) {
    const results = recordOf(this).results ?? [];
    if (typeof n !== "number" || !Number.isInteger(n))
      throw new TypeError(`${name}() first argument must be an integer`);
    if (n < 1) throw new TypeError(`${name}() n must be greater than 0`);
    const result = results[n - 1];
    if ((result?.type === "return" && equals(result.value, expected)) !== this.isNot) return;
    if (this.isNot)
      fail(
        this,
        name,
        "n, expected",
        `Expected mock function not to have returned on call ${n}: ${showExpected(expected)}\nBut it did.\n`,
      );
    if (result === undefined) {
      fail(
        this,
        name,
        "n, expected",
        `The mock function was called ${plural(results.length, "time")}, but call ${n} was requested.\n`,
      );
    }
    if (result.type === "throw")
      fail(this, name, "n, expected", `Call ${n} threw an error: ${showReceived(result.value)}\n`);
    fail(
      this,
      name,
      "n, expected",
      `Call ${n}:\nExpected: ${showExpected(expected)}\nReceived: ${showReceived(result.value)}`,
    );
  });
}

/** vitest's matchers of what the promises of a mock function's results were settled with. */
function installSettled(): void {
  const settledOf = (e: Expectation): { type: string; value: unknown }[] => {
    const record = recordOf(e);
    if (Array.isArray(record.settledResults)) return record.settledResults;
    const { isPromise } = require("internal/util/types");
    return (record.results ?? []).map((result) => {
      if (!isPromise(result.value))
        return { type: result.type === "return" ? "fulfilled" : "rejected", value: result.value };
      const [state, value] = native("inspect").promiseDetails(result.value)!;
      return { type: ["incomplete", "fulfilled", "rejected"][state]!, value };
    });
  };
  const resolved = (e: Expectation) => settledOf(e).filter((result) => result.type === "fulfilled");
  const check = (e: Expectation, name: string, pass: boolean, params: string, what: string) => {
    if (pass === e.isNot)
      fail(
        e,
        name,
        params,
        `Expected mock function ${e.isNot ? "not " : ""}to have ${what}\nReceived: ${showReceived(settledOf(e))}\n`,
      );
  };
  add(["toHaveResolved"], "", function (name) {
    check(this, name, resolved(this).length > 0, "", "resolved");
  });
  add(["toHaveResolvedTimes"], "expected", function (name, [wanted]) {
    check(this, name, resolved(this).length === wanted, "expected", `resolved ${plural(wanted as number, "time")}`);
  });
  add(["toHaveResolvedWith"], "expected", function (name, [expected]) {
    check(
      this,
      name,
      resolved(this).some((result) => equals(result.value, expected)),
      "expected",
      `resolved with: ${showExpected(expected)}`,
    );
  });
  add(["toHaveLastResolvedWith"], "expected", function (name, [expected]) {
    const last = settledOf(this).at(-1);
    check(
      this,
      name,
      last?.type === "fulfilled" && equals(last.value, expected),
      "expected",
      `last resolved with: ${showExpected(expected)}`,
    );
  });
  add(["toHaveNthResolvedWith"], "n, expected", function (name, [n, expected]) {
    const result = settledOf(this)[(n as number) - 1];
    check(
      this,
      name,
      result?.type === "fulfilled" && equals(result.value, expected),
      "n, expected",
      `resolved on call ${n} with: ${showExpected(expected)}`,
    );
  });
}

export function install(): void {
  installCalls();
  installReturns();
  installSettled();
}
