// What the functions of tests and suites get: https://nodejs.org/api/test.html#class-testcontext

import type { HookOptions } from "internal/test/node_test/types";
import { failure, location, LONGEST_TIMEOUT, Plan, type Suite, Test } from "internal/test/node_test/tree";
import timers from "node:timers";
import { validateFunction, validateNumber, validateObject, validateUint32 } from "internal/core/validators";

const noop = () => {};
// As they are before a program fakes them.
const { clearTimeout, setTimeout } = timers;

export class TestContext {
  #test: Test;

  constructor(test: Test) {
    this.#test = test;
  }

  get signal() {
    return this.#test.signal;
  }

  get name() {
    return this.#test.name;
  }

  get fullName() {
    return this.#test.fullName;
  }

  get filePath() {
    return this.#test.location?.file;
  }

  get error() {
    return this.#test.error;
  }

  get passed() {
    return this.#test.passed;
  }

  get attempt() {
    return 0;
  }

  get workerId() {
    const id = Number(process.env.NODE_TEST_WORKER_ID);
    return Number.isInteger(id) && id > 0 ? id : undefined;
  }

  get mock() {
    return (this.#test.mocker ??= new (require("internal/test/node_test/mock").MockTracker)());
  }

  get assert() {
    const test = this.#test;
    return (test.assert ??= require("internal/test/node_test/assertions").assertionsOf(test, () => test.plan?.count()));
  }

  diagnostic(message: unknown) {
    this.#test.diagnostic(message);
  }

  plan(count: unknown, options: unknown = {}) {
    if (this.#test.plan !== undefined) throw failure("cannot set plan more than once", "testCodeFailure");
    validateUint32(count, "count");
    validateObject(options, "options");
    this.#test.plan = new Plan(count, options.wait);
  }

  runOnly(value: unknown) {
    this.#test.runOnlySubtests = !!value;
  }

  skip(message?: unknown) {
    this.#test.skip(message);
  }

  todo(message?: unknown) {
    this.#test.todo(message);
  }

  test(name?: string, options?: unknown, fn?: unknown) {
    this.#test.plan?.count();
    const test = this.#test.createSubtest(Test, name, options, fn, {}, location(this.test));
    return test.start();
  }

  before(fn: unknown, options?: HookOptions) {
    this.#test.addHook("before", fn, options, location(this.before));
    // The test runs already: so does the hook.
    if (this.#test.startTime !== undefined && this.#test.beforeRun === undefined) {
      this.#test.beforeRun = this.#test.runHooks("before", this.#test, [this]);
      this.#test.beforeRun.catch(noop);
    }
  }

  after(fn: unknown, options?: HookOptions) {
    this.#test.addHook("after", fn, options, location(this.after));
  }

  beforeEach(fn: unknown, options?: HookOptions) {
    this.#test.addHook("beforeEach", fn, options, location(this.beforeEach));
  }

  afterEach(fn: unknown, options?: HookOptions) {
    this.#test.addHook("afterEach", fn, options, location(this.afterEach));
  }

  /** Calls `condition` until it does not throw. */
  waitFor(condition: unknown, options: unknown = {}): Promise<unknown> {
    validateFunction(condition, "condition");
    validateObject(options, "options");
    const { interval = 50, timeout = 1000 } = options;
    validateNumber(interval, "options.interval", 0, LONGEST_TIMEOUT);
    validateNumber(timeout, "options.timeout", 0, LONGEST_TIMEOUT);
    return new Promise((resolve, reject) => {
      let cause: unknown;
      let ended = false;
      let poll: ReturnType<typeof setTimeout>;
      const limit = setTimeout(() => {
        ended = true;
        clearTimeout(poll);
        const error = new Error("waitFor() timed out");
        if (cause !== undefined) error.cause = cause;
        reject(error);
      }, timeout);
      const attempt = async () => {
        try {
          const value = await condition();
          if (ended) return;
          ended = true;
          clearTimeout(limit);
          resolve(value);
        } catch (error) {
          cause = error;
          if (!ended) poll = setTimeout(attempt, interval);
        }
      };
      poll = setTimeout(attempt, 0);
    });
  }
}

export class SuiteContext {
  #suite: Suite;

  constructor(suite: Suite) {
    this.#suite = suite;
  }

  get signal() {
    return this.#suite.signal;
  }

  get name() {
    return this.#suite.name;
  }

  get fullName() {
    return this.#suite.fullName;
  }

  get filePath() {
    return this.#suite.location?.file;
  }

  get passed() {
    return this.#suite.passed;
  }

  get attempt() {
    return 0;
  }

  diagnostic(message: unknown) {
    this.#suite.diagnostic(message);
  }
}
