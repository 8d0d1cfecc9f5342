// The tree of node:test: tests, suites and their hooks. https://nodejs.org/api/test.html
//
// A test starts when its parent has room for it (`concurrency`) and is reported when everything before it has been reported:
// results come in the order of the calls, whatever ends first. What a test left running when its function ended is cancelled.

import type { MockTracker } from "internal/test/node_test/mock";
import type {
  EventData,
  HookOptions,
  Location,
  RootTest,
  TestFailure,
  TestFunction,
  TestOptions,
} from "internal/test/node_test/types";
import { codes } from "internal/core/errors";
import { validateAbortSignal, validateNumber, validateUint32 } from "internal/core/validators";
import asyncHooks from "node:async_hooks";
import timers from "node:timers";

// As they are before a program fakes them.
const { clearTimeout, setTimeout } = timers;
/** Milliseconds since the process started. */
export const now: () => number = native("process").nowMs;
const noop = () => {};
export const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** The test that the running code belongs to; what it leaves behind (timers, promises) keeps it. */
export const current = new asyncHooks.AsyncLocalStorage<Test>();

/** ERR_TEST_FAILURE around `cause`, an error or a text. */
export function failure(cause: unknown, type: string): TestFailure {
  const error = new codes.ERR_TEST_FAILURE(cause, type) as TestFailure;
  error.failureType = type;
  error.cause = cause;
  return error;
}

const isFailure = (error: unknown): error is TestFailure =>
  (error as NodeError | null | undefined)?.code === "ERR_TEST_FAILURE";

type Hook = { fn: Function; options: HookOptions; location: Location | undefined; name: string; ran?: boolean };
const HOOKS = ["before", "after", "beforeEach", "afterEach"] as const;
export type HookName = (typeof HOOKS)[number];

/** Where the user's call is: the first frame outside of bao. */
export function location(above: Function): Location | undefined {
  const limit = Error.stackTraceLimit;
  const prepare = Error.prepareStackTrace;
  Error.stackTraceLimit = 1;
  const holder: { stack?: CallSite[] } = {};
  try {
    Error.prepareStackTrace = (_, sites) => sites;
    Error.captureStackTrace(holder, above);
    const site = holder.stack?.[0];
    let file = site?.getFileName();
    if (typeof file !== "string") return undefined;
    if (file.startsWith("file:")) file = require("node:url").fileURLToPath(file);
    return { file, line: site!.getLineNumber(), column: site!.getColumnNumber() };
  } finally {
    Error.stackTraceLimit = limit;
    Error.prepareStackTrace = prepare;
  }
}

/** What ends a test from outside: its time limit or its signal. `promise` only ever rejects. */
function stopper(
  timeout: number,
  signal: AbortSignal | undefined,
): { promise: Promise<never> | undefined; end: () => void } {
  if (timeout === Infinity && signal === undefined) return { promise: undefined, end: noop };
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(noop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (timeout !== Infinity) {
    timer = setTimeout(() => reject(failure(`test timed out after ${timeout}ms`, "testTimeoutFailure")), timeout);
  }
  const aborted = () => reject(failure(signal!.reason ?? "The test was aborted", "testAborted"));
  if (signal !== undefined) {
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted, { once: true });
  }
  return {
    promise,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    },
  };
}

/**
 * The first of these to settle, after as many turns of the microtask queue as Node takes: assertions that come some turns after a
 * test that returns at once still count for its plan.
 */
function raced(promises: (Promise<unknown> | undefined)[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const steps: Promise<unknown>[] = [];
    for (const promise of promises) {
      if (promise !== undefined) steps.push(new Promise((done, fail) => void promise.then(done, fail)));
    }
    Promise.race(steps).then(resolve, reject);
  });
}

/** Calls `fn` as tests and hooks are called: with a callback where it takes one more argument than `args` has. */
function callBack(fn: Function, self: unknown, args: unknown[]): unknown {
  if (fn.length !== args.length + 1) return Reflect.apply(fn, self, args);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let calls = 0;
  const returned = Reflect.apply(fn, self, [
    ...args,
    (error: unknown) => {
      if (calls++ > 0) throw failure("callback invoked multiple times", "multipleCallbackInvocations");
      if (error) reject(error);
      else resolve();
    },
  ]);
  if (typeof returned?.then === "function") {
    Promise.resolve(returned).catch(noop);
    throw failure("passed a callback but also returned a Promise", "callbackAndPromisePresent");
  }
  return promise;
}

/** Counts what `t.plan()` announced. */
export class Plan {
  actual = 0;
  timer: ReturnType<typeof setTimeout> | undefined;
  waiting: PromiseWithResolvers<void> | undefined;
  expected: number;
  wait: unknown;

  constructor(expected: number, wait: unknown) {
    this.expected = expected;
    this.wait = wait;
    if (typeof wait === "number") validateNumber(wait, "options.wait", 0, LONGEST_TIMEOUT);
    else if (wait !== undefined && typeof wait !== "boolean")
      throw new codes.ERR_INVALID_ARG_TYPE("options.wait", ["boolean", "number"], wait);
  }

  count() {
    this.actual++;
    if (this.actual === this.expected) this.waiting?.resolve();
    else if (this.actual > this.expected) this.waiting?.reject(this.mismatch());
  }

  mismatch() {
    return failure(`plan expected ${this.expected} assertions but received ${this.actual}`, "testCodeFailure");
  }

  /** Undefined where the count is right; a promise where the plan may still be met. */
  check(): Promise<void> | undefined {
    if (this.actual === this.expected) return undefined;
    if (this.wait === undefined || this.wait === false || this.actual > this.expected) throw this.mismatch();
    this.waiting = Promise.withResolvers<void>();
    if (typeof this.wait === "number") {
      this.timer = setTimeout(
        () =>
          this.waiting!.reject(
            failure(
              `plan timed out after ${this.wait}ms with ${this.actual} assertions when expecting ${this.expected}`,
              "testTimeoutFailure",
            ),
          ),
        this.wait,
      );
      this.waiting.promise.finally(() => clearTimeout(this.timer)).catch(noop);
    }
    return this.waiting.promise;
  }
}

export class Test {
  name: string;
  fn: TestFunction;
  nesting: number;
  number: number;
  root: RootTest;
  concurrency: number;
  timeout: number;
  only: boolean;
  runOnlySubtests = false;
  skipped = false;
  filtered = false;
  isTodo = false;
  expectFailure: unknown;
  message: string | null = null;
  hooks: Record<HookName, Hook[]> = { before: [], after: [], beforeEach: [], afterEach: [] };
  subtests: Test[] = [];
  pending: { test: Test; start: () => void }[] = [];
  active = 0;
  reported = 0;
  diagnostics: string[] = [];
  passed = false;
  error: TestFailure | null = null;
  startTime: number | undefined;
  endTime: number | undefined;
  finished = false;
  done = false;
  cancelled = false;
  startedReport = false;
  plan: Plan | undefined;
  assert: unknown;
  controller: AbortController;
  signal: AbortSignal;
  /** The signal of the options. */
  outer: AbortSignal | undefined;
  location: Location | undefined;
  mocker: MockTracker | undefined;
  beforeRun: Promise<void> | undefined;
  /** Ends what the running test waits for, once an error outside of it has made it fail. */
  interrupt: ((error: unknown) => void) | undefined;
  parent: Test | null;
  readonly type: string = "test";

  constructor(parent: Test | null, options: TestOptions) {
    this.parent = parent;
    const { name, fn, concurrency, only, timeout, todo, skip, signal, plan, expectFailure } = options;
    this.name = typeof name === "string" && name !== "" ? name : fn?.name || "<anonymous>";
    this.fn = skip !== undefined && skip !== false ? noop : (fn ?? noop);
    this.location = options.location;
    this.nesting = parent === null ? 0 : parent.parent === null ? 0 : parent.nesting + 1;
    this.number = parent === null ? 0 : parent.subtests.length + 1;
    this.root = parent === null ? (this as unknown as RootTest) : parent.root;
    this.concurrency = parent === null ? 1 : parent.inheritedConcurrency();
    if (typeof concurrency === "number") {
      validateUint32(concurrency, "options.concurrency", true);
      this.concurrency = concurrency;
    } else if (typeof concurrency === "boolean") {
      this.concurrency = !concurrency
        ? 1
        : parent === null
          ? Math.max(require("node:os").availableParallelism() - 1, 1)
          : Infinity;
    } else if (concurrency != null) {
      throw new codes.ERR_INVALID_ARG_TYPE("options.concurrency", ["boolean", "number"], concurrency);
    }
    this.timeout = parent === null ? Infinity : parent.timeout;
    if (timeout != null && timeout !== Infinity) {
      validateNumber(timeout, "options.timeout", 0, LONGEST_TIMEOUT);
      this.timeout = timeout;
    }
    if (signal !== undefined) validateAbortSignal(signal, "options.signal");
    if (plan !== undefined) {
      validateUint32(plan, "options.plan");
      this.plan = new Plan(plan, undefined);
    }
    this.only = only === true;
    if (skip !== undefined && skip !== false) this.skip(skip);
    if (todo !== undefined && todo !== false) {
      this.isTodo = true;
      this.message = typeof todo === "string" ? todo : null;
    }
    if (expectFailure !== undefined && expectFailure !== false) this.expectFailure = expectFailure;
    this.controller = new AbortController();
    this.outer = signal;
    this.signal = this.controller.signal;
    signal?.addEventListener("abort", () => this.controller.abort(signal.reason), { once: true });
    if (signal?.aborted) this.controller.abort(signal.reason);
  }

  inheritedConcurrency(): number {
    return 1;
  }

  get fullName(): string {
    return this.parent === null || this.parent.parent === null ? this.name : `${this.parent.fullName} > ${this.name}`;
  }

  get duration(): number {
    // Nanoseconds are the last digits that mean something.
    return this.startTime === undefined ? 0 : Math.round(((this.endTime ?? now()) - this.startTime) * 1e6) / 1e6;
  }

  /** Makes a child and asks for its start; the promise is what `test()` returns. */
  createSubtest(
    Kind: new (parent: Test, options: TestOptions) => Test,
    name: unknown,
    options: unknown,
    fn: unknown,
    overrides: TestOptions,
    where: Location | undefined,
  ): Test {
    if (typeof name === "function") fn = name;
    else if (name !== null && typeof name === "object") {
      fn = options;
      options = name;
      name = undefined;
    } else if (typeof options === "function") fn = options;
    if (options === null || typeof options !== "object") options = {};
    let parent: Test = this;
    let early: unknown;
    if (this.done) {
      early = failure("test could not be started because its parent finished", "parentAlreadyFinished");
      while (parent.done && parent.parent !== null) parent = parent.parent;
    }
    const test: Test = new Kind(parent, {
      ...(options as TestOptions),
      ...overrides,
      name,
      fn,
      location: where,
    } as TestOptions);
    parent.subtests.push(test);
    if (this.root.config.filter !== undefined && parent.parent !== undefined)
      test.filtered = !this.root.config.filter(test);
    if (early !== undefined)
      test.fn = () => {
        throw early;
      };
    this.root.emit("test:enqueue", { nesting: test.nesting, name: test.name, type: test.type, ...where });
    return test;
  }

  /** Runs now or when the parent has room. */
  start(): Promise<void> {
    const parent = this.parent!;
    if (this.filtered) {
      this.passed = true;
      this.endTime = this.startTime = now();
      this.settle();
      return Promise.resolve();
    }
    if (parent.active < parent.concurrency && parent.pending.length === 0) return this.run();
    const { promise, resolve } = Promise.withResolvers<void>();
    parent.pending.push({ test: this, start: () => resolve(this.run()) });
    return promise;
  }

  nextPending() {
    while (this.pending.length > 0 && this.active < this.concurrency) this.pending.shift()!.start();
  }

  skip(message?: unknown) {
    this.skipped = true;
    this.message = typeof message === "string" ? message : null;
  }

  todo(message?: unknown) {
    this.isTodo = true;
    this.message = typeof message === "string" ? message : null;
  }

  diagnostic(message: unknown) {
    this.diagnostics.push(String(message));
  }

  fail(error: unknown) {
    if (this.error !== null) return;
    if (this.endTime === undefined) this.endTime = now();
    this.passed = false;
    this.error = isFailure(error) ? error : failure(error, "testCodeFailure");
    if (this.expectFailure !== undefined && !this.cancelled && this.error.failureType === "testCodeFailure") {
      if (this.expected(error)) {
        this.passed = true;
        this.error = null;
      }
    }
  }

  // `expectFailure` may be a text, or what assert.throws takes.
  expected(error: unknown): boolean {
    const wanted = (this.expectFailure as { with?: unknown } | undefined)?.with ?? this.expectFailure;
    if (
      wanted === true ||
      typeof wanted === "string" ||
      wanted === null ||
      (typeof wanted === "object" && "label" in wanted && !("with" in wanted))
    )
      return true;
    try {
      require("node:assert").throws(() => {
        throw error;
      }, wanted);
      return true;
    } catch (mismatch) {
      this.error = failure("The test failed, but the error did not match the expected validation", "testCodeFailure");
      this.error.cause = mismatch;
      return false;
    }
  }

  pass() {
    if (this.error !== null || this.endTime !== undefined) return;
    this.endTime = now();
    if (this.expectFailure !== undefined && !this.skipped && !this.isTodo) {
      this.error = failure("test was expected to fail but passed", "expectedFailure");
      return;
    }
    this.passed = true;
  }

  cancel(error?: unknown) {
    if (this.endTime !== undefined) return;
    this.cancelled = true;
    this.fail(error ?? failure("test did not finish before its parent and was cancelled", "cancelledByParent"));
    this.controller.abort();
  }

  addHook(name: HookName, fn: unknown, options: HookOptions | null | undefined, where?: Location) {
    if (options !== null && typeof options === "object") {
      if (options.timeout != null && options.timeout !== Infinity)
        validateNumber(options.timeout, "options.timeout", 0, LONGEST_TIMEOUT);
      if (options.signal !== undefined) validateAbortSignal(options.signal, "options.signal");
    }
    const hook: Hook = { fn: typeof fn === "function" ? fn : noop, options: options ?? {}, location: where, name };
    this.hooks[name].push(hook);
    // A hook that is added to a test that runs already.
    if (name === "before" && this.startTime !== undefined && this.beforeRun !== undefined) {
      this.beforeRun = this.beforeRun.then(() => this.runHooks("before", this, this.args()));
    }
  }

  async runHooks(name: HookName, of: Test, args: unknown[]): Promise<void> {
    const list = name === "after" || name === "afterEach" ? this.hooks[name] : [...this.hooks[name]];
    for (const hook of list) {
      if (name === "before" || name === "after") {
        if (hook.ran) continue;
        hook.ran = true;
      }
      const { timeout = Infinity, signal } = hook.options;
      const stop = stopper(timeout ?? Infinity, signal);
      try {
        const running = current.run(of, () => callBack(hook.fn, args[0], args)) as Promise<unknown> | undefined;
        if (typeof running?.then === "function" || stop.promise !== undefined) {
          await (stop.promise === undefined ? running : Promise.race([running, stop.promise]));
        }
      } catch (cause) {
        const error = failure(`failed running ${name} hook`, "hookFailed");
        error.cause = isFailure(cause) ? cause.cause : cause;
        error.location = hook.location;
        throw error;
      } finally {
        stop.end();
      }
    }
  }

  /** Hooks of this test and of those above, outermost first; `afterEach` runs from the inside out. */
  async runEach(name: "beforeEach" | "afterEach", args: unknown[]): Promise<void> {
    const chain: Test[] = [];
    for (let above = this.parent; above !== null; above = above.parent) {
      if (above.hooks[name].length > 0) chain.push(above);
    }
    if (name === "beforeEach") chain.reverse();
    for (const above of chain) await above.runHooks(name, this, args);
  }

  /** `before` of everything above runs when the first test below starts. */
  beforeAll(): Promise<void> | undefined {
    const mine = this.beforeRun;
    if (mine !== undefined) return mine;
    const above = this.parent?.beforeAll();
    if (above === undefined && this.hooks.before.length === 0) return undefined;
    return (this.beforeRun = (async () => {
      await above;
      await this.runHooks("before", this, this.args());
    })());
  }

  args(): unknown[] {
    return [this.context()];
  }

  shared: unknown;
  context(): unknown {
    return (this.shared ??= new (require("internal/test/node_test/contexts").TestContext)(this));
  }

  async run(): Promise<void> {
    const parent = this.parent!;
    parent.active++;
    this.startTime = now();
    this.root.emit("test:dequeue", { nesting: this.nesting, name: this.name, type: this.type, ...this.location });
    if (this.root.config.only && !this.only && !this.runOnlySubtests && parent.skipsUnmarked(this)) {
      this.skip("'only' option not set");
      this.fn = noop;
    }
    if (this.outer?.aborted) {
      this.fail(failure(this.outer.reason ?? "The test was aborted", "testAborted"));
      this.cancelled = true;
      return this.postRun();
    }
    const stop = stopper(this.timeout, this.outer);
    const interrupted = this.interruptible();
    let afterEachRan = false;
    const afterEach = async () => {
      if (afterEachRan) return;
      afterEachRan = true;
      await this.runEach("afterEach", this.args());
    };
    let afterRan = false;
    const after = async () => {
      if (afterRan) return;
      afterRan = true;
      await this.runHooks("after", this, this.args());
    };
    try {
      const before = parent.beforeAll();
      if (before !== undefined) await before;
      if (!this.skipped) await this.runEach("beforeEach", this.args());
      const running = current.run(this, () => callBack(this.fn, this.context(), this.args()));
      await raced([Promise.resolve(running), stop.promise, interrupted]);
      const met = this.plan?.check();
      if (met !== undefined) await raced([met, stop.promise, interrupted]);
      this.pass();
      if (!this.skipped || this.hooks.afterEach.length > 0) await afterEach();
      await after();
    } catch (error) {
      if (isFailure(error) && (error.failureType === "testTimeoutFailure" || error.failureType === "testAborted")) {
        this.fail(error);
        this.cancelled = true;
      } else this.failAnyway(error);
      try {
        await afterEach();
      } catch (another) {
        this.failAnyway(another);
      }
      try {
        await after();
      } catch (another) {
        this.failAnyway(another);
      }
    } finally {
      stop.end();
      this.interrupt = undefined;
      this.mocker?.restoreAll();
    }
    this.postRun();
  }

  /** A promise that `interrupt` rejects. */
  interruptible(): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(noop);
    this.interrupt = reject;
    return promise;
  }

  /** An error of the program that nothing caught: the test fails and does not go on, its hooks still run. */
  uncaught(error: TestFailure) {
    this.fail(error);
    if (this.interrupt === undefined) this.postRun();
    else this.interrupt(error);
  }

  // A failing hook makes a test fail that has passed before.
  failAnyway(error: unknown) {
    if (this.passed) {
      this.passed = false;
      this.endTime = undefined;
      this.error = null;
    }
    this.fail(error);
  }

  skipsUnmarked(_: Test): boolean {
    return this.parent === null || this.runOnlySubtests || this.subtests.some((test) => test.only);
  }

  postRun(error?: unknown) {
    this.endTime ??= now();
    for (const waiting of this.pending) waiting.test.cancel(error);
    this.pending = [];
    let failed = 0;
    for (const test of this.subtests) {
      if (!test.finished) {
        test.cancel(error);
        test.postRun(error);
      }
      if (!test.passed && !test.isTodo) failed++;
    }
    this.done = true;
    if (failed > 0 && this.error === null && this.parent !== null) {
      this.passed = false;
      this.error = failure(`${failed} subtest${failed > 1 ? "s" : ""} failed`, "subtestsFailed");
    }
    this.controller.abort();
    this.settle();
  }

  settle() {
    if (this.finished) return;
    this.finished = true;
    this.done = true;
    const parent = this.parent;
    if (parent === null) return;
    if (!this.filtered) {
      parent.active = Math.max(0, parent.active - 1);
      // A suite is there for the sake of its tests: without one that the filters let through it is none of the run.
      const { subtests } = this;
      if (this.type === "suite" && subtests.length > 0 && subtests.every((test) => test.filtered)) this.filtered = true;
      else this.root.emit("test:complete", this.result());
    }
    parent.flush();
    parent.nextPending();
  }

  isTurn(): boolean {
    const parent = this.parent;
    return parent === null || (parent.reported === this.number - 1 && parent.isTurn());
  }

  /** Reports the children that are done, in order, up to the first that is not. */
  flush() {
    while (this.reported < this.subtests.length && this.isTurn()) {
      const next = this.subtests[this.reported]!;
      if (!next.finished) return;
      if (!next.filtered) next.report();
      this.reported++;
    }
    if (this.reported === this.subtests.length) this.allReported();
  }

  /** Everything below has been reported. */
  allReported() {}

  reportStarted() {
    if (this.startedReport || this.parent === null) return;
    this.startedReport = true;
    this.parent.reportStarted();
    this.root.emit("test:start", { nesting: this.nesting, name: this.name, ...this.location });
  }

  shown(): number {
    let count = 0;
    for (const test of this.subtests) if (!test.filtered) count++;
    return count;
  }

  result(): Partial<EventData> & Pick<EventData, "details"> {
    const details: EventData["details"] = { duration_ms: this.duration, type: this.type };
    if (this.error !== null) details.error = this.error;
    details.passed = this.passed;
    const event: Partial<EventData> & Pick<EventData, "details"> = {
      name: this.name,
      nesting: this.nesting,
      testNumber: this.number,
      details,
      ...this.location,
    };
    if (this.skipped) event.skip = this.message ?? true;
    else if (this.isTodo) event.todo = this.message ?? true;
    if (this.expectFailure !== undefined)
      event.expectFailure =
        typeof this.expectFailure === "string"
          ? this.expectFailure
          : ((this.expectFailure as { label?: unknown } | null)?.label ?? true);
    return event;
  }

  report() {
    this.reportStarted();
    this.flush();
    const count = this.shown();
    if (count > 0) this.root.emit("test:plan", { nesting: this.subtests[0]!.nesting, count, ...this.location });
    const event = this.result();
    delete event.details.passed;
    this.root.count(this);
    this.root.emit(this.passed ? "test:pass" : "test:fail", event);
    for (const message of this.diagnostics) {
      this.root.emit("test:diagnostic", { nesting: this.nesting, message, level: "info", ...this.location });
    }
  }
}

export class Suite extends Test {
  override readonly type = "suite";
  built: Promise<void> | undefined;
  /** Whether it starts what is declared in it: until it has started all that there was. */
  startsTests = true;
  parentConcurrency: number;

  constructor(parent: Test, options: TestOptions) {
    super(parent, options);
    this.parentConcurrency = this.concurrency;
  }

  override inheritedConcurrency() {
    return this.parentConcurrency;
  }

  override context(): unknown {
    return (this.shared ??= new (require("internal/test/node_test/contexts").SuiteContext)(this));
  }

  /** Calls the suite's function: it declares tests, which run later. */
  build() {
    if (this.skipped) return;
    try {
      const returned = current.run(this, () => Reflect.apply(this.fn, this.context(), [this.context()])) as
        | Promise<unknown>
        | undefined;
      if (typeof returned?.then === "function") {
        this.built = Promise.resolve(returned).then(noop, (error) => this.fail(failure(error, "testCodeFailure")));
      }
    } catch (error) {
      this.fail(failure(error, "testCodeFailure"));
    }
  }

  override async run(): Promise<void> {
    const parent = this.parent!;
    parent.active++;
    this.startTime = now();
    this.root.emit("test:dequeue", { nesting: this.nesting, name: this.name, type: this.type, ...this.location });
    const stop = stopper(this.timeout, this.outer);
    const interrupted = this.interruptible();
    try {
      if (this.built !== undefined) await this.built;
      if (this.skipped || this.error !== null) {
        this.subtests = [];
      } else {
        if (this.outer?.aborted) throw failure(this.outer.reason ?? "The test was aborted", "testAborted");
        const work = async () => {
          await parent.beforeAll();
          if (this.root.config.only)
            for (const test of this.subtests)
              test.runOnlySubtests ||= this.only && !this.subtests.some((other) => other.only);
          // `before` runs although no test is below.
          await this.beforeAll();
          const running = [];
          // Tests may be added while others run.
          for (let index = 0; index < this.subtests.length; index++) {
            const test = this.subtests[index]!;
            running.push(test.start());
            if (this.active >= this.concurrency || this.pending.length > 0) await Promise.race(running.slice(-1));
          }
          this.startsTests = false;
          await Promise.all(running);
          this.pass();
          await this.runHooks("after", this, this.args());
        };
        await raced([work(), stop.promise, interrupted]);
      }
      this.pass();
    } catch (error) {
      if (isFailure(error) && error.failureType !== "hookFailed") {
        this.fail(error);
        this.cancelled = true;
      } else this.failAnyway(error);
      try {
        await this.runHooks("after", this, this.args());
      } catch (another) {
        this.failAnyway(another);
      }
    } finally {
      stop.end();
      this.interrupt = undefined;
    }
    this.postRun(this.error ?? undefined);
  }
}
