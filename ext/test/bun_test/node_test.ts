// node:test under `bao test`: its tests, suites and hooks are those of the file, subtests run within their test.

import type { HookOptions, Location, TestFailure, TestFunction, TestOptions } from "internal/test/node_test/types";
import { Test } from "internal/test/node_test/tree";
import { SKIPPED, TO_DO } from "internal/test/bun_test/sequence";
import { runner } from "internal/test/bun_test/state";
import { describe, hook, test } from "internal/test/bun_test/tree";

/** What a test of node:test runs in; its events go nowhere. */
class Holder extends Test {
  config = {};
  constructor() {
    super(null, { name: "<root>" });
  }
  emit(): void {}
  count(): void {}
}

function read(
  name: unknown,
  options: TestOptions | TestFunction | null | undefined,
  fn: TestFunction | undefined,
  overrides: TestOptions,
) {
  if (typeof name === "function") fn = name as TestFunction;
  else if (name !== null && typeof name === "object") {
    fn = options as TestFunction;
    options = name as TestOptions;
    name = undefined;
  } else if (typeof options === "function") fn = options as TestFunction;
  if (options === null || typeof options !== "object") options = {};
  options = { ...options, ...overrides };
  return { title: typeof name === "string" && name !== "" ? name : fn?.name || "<anonymous>", options, fn };
}

const isSet = (value: unknown) => value !== undefined && value !== false;

/** `test` or `describe` as the options want it. */
function variant(plain: typeof test, { skip, todo, only }: TestOptions): typeof test {
  let chosen = only === true ? plain.only : plain;
  if (isSet(skip)) chosen = chosen.skip;
  else if (isSet(todo)) chosen = chosen.todo;
  return chosen;
}

export function declareTest(name: unknown, given: unknown, body: unknown, overrides: TestOptions): Promise<void> {
  const { title, options, fn } = read(name, given as TestOptions, body as TestFunction | undefined, overrides);
  const { skip, todo, only, ...rest } = options;
  const run = async () => {
    const sequence = runner.file!.currentSequence()!;
    const own = new Holder().createSubtest(Test, title, rest, fn, {}, {} as Location);
    await own.start();
    if (!own.passed) throw errorOf(own);
    if (own.skipped) sequence.result = SKIPPED;
    else if (own.isTodo) sequence.result = TO_DO;
  };
  // Its own timeout is node:test's to keep; the runner's is for what comes after it.
  const limit =
    typeof options.timeout === "number" && Number.isFinite(options.timeout) ? options.timeout + 1000 : undefined;
  const declare = variant(test, { skip, todo, only });
  const callback = isSet(todo) && fn === undefined ? undefined : run;
  if (limit === undefined) declare(title, callback);
  else declare(title, callback, { timeout: limit });
  return Promise.resolve();
}

/** The error as the program threw it. */
function errorOf(test: Test): unknown {
  const { error } = test as { error: TestFailure };
  if (error.failureType === "subtestsFailed") {
    const failed = test.subtests.find((subtest) => !subtest.passed && !subtest.isTodo);
    if (failed !== undefined) error.cause = errorOf(failed);
    return error;
  }
  if (typeof error.cause !== "object" || error.cause === null) {
    // Only a text, which the message has already.
    delete error.cause;
    return error;
  }
  return error.failureType === "testCodeFailure" ? error.cause : error;
}

export function declareSuite(name: unknown, given: unknown, body: unknown, overrides: TestOptions): Promise<void> {
  const { title, options, fn } = read(name, given as TestOptions, body as TestFunction | undefined, overrides);
  const context = { name: title, signal: new AbortController().signal };
  variant(describe, options)(title, () => fn?.call(context, context));
  return Promise.resolve();
}

const NAMES: Record<string, "beforeAll" | "afterAll" | "beforeEach" | "afterEach"> = {
  before: "beforeAll",
  after: "afterAll",
  beforeEach: "beforeEach",
  afterEach: "afterEach",
};

export function declareHook(
  name: string,
  fn: (...values: unknown[]) => unknown,
  options: HookOptions | undefined,
): void {
  if (typeof fn !== "function") fn = () => {};
  const call = fn.length >= 2 ? (done: unknown) => fn({}, done) : () => fn({});
  hook(NAMES[name]!)(
    call,
    typeof options?.timeout === "number" && Number.isFinite(options.timeout) ? { timeout: options.timeout } : undefined,
  );
}
