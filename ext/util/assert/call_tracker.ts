// assert.CallTracker (https://nodejs.org/docs/latest-v24.x/api/assert.html#class-assertcalltracker). Node 25 has taken it
// out; Node 24 and Bun have it, and tests of packages still use it.

import { codes } from "internal/core/errors";
import { validateUint32 } from "internal/core/validators";
import { AssertionError } from "internal/util/assert/assertion_error";

interface Tracked {
  name: string;
  expected: number;
  calls: { thisArg: unknown; arguments: unknown[] }[];
  /** Where the tracking began: its stack is part of the report. */
  from: Error;
}

const noop = () => {};

export class CallTracker {
  #tracked = new Map<Function, Tracked>();

  #of(fn: unknown): Tracked {
    const tracked = this.#tracked.get(fn as Function);
    if (tracked === undefined) throw new codes.ERR_INVALID_ARG_VALUE("tracked", fn, "is not a tracked function");
    return tracked;
  }

  /** A function that calls `fn` and is expected to be called `expected` times. */
  calls(fn?: Function | number, expected: number = 1): Function {
    if (process._exiting) throw new codes.ERR_UNAVAILABLE_DURING_EXIT();
    if (typeof fn === "number") {
      expected = fn;
      fn = noop;
    } else if (fn === undefined) {
      fn = noop;
    }
    validateUint32(expected, "expected", true);
    const tracked: Tracked = { name: fn.name || "calls", expected, calls: [], from: new Error() };
    const wrapped = new Proxy(fn, {
      apply(target, thisArg, list) {
        tracked.calls.push(Object.freeze({ thisArg, arguments: Object.freeze([...list]) as unknown[] }));
        return Reflect.apply(target, thisArg, list);
      },
    });
    this.#tracked.set(wrapped, tracked);
    return wrapped;
  }

  /** The calls of a tracked function. */
  getCalls(fn: Function) {
    return Object.freeze([...this.#of(fn).calls]);
  }

  /** Forgets the calls of one tracked function, or of all. */
  reset(fn?: Function): void {
    if (fn === undefined) {
      for (const tracked of this.#tracked.values()) tracked.calls = [];
      return;
    }
    this.#of(fn).calls = [];
  }

  /** What was not called as often as expected. */
  report() {
    const report = [];
    for (const { name, expected, calls, from } of this.#tracked.values()) {
      if (calls.length === expected) continue;
      report.push({
        message: `Expected the ${name} function to be executed ${expected} time(s) but was executed ${calls.length} time(s).`,
        actual: calls.length,
        expected,
        operator: name,
        stack: from,
      });
    }
    return report;
  }

  /** Throws an AssertionError where [`report`] has entries. */
  verify(): void {
    const report = this.report();
    if (report.length === 0) return;
    const message = report.length === 1 ? report[0].message : "Functions were not called the expected number of times";
    throw new AssertionError({ message, details: report });
  }
}
