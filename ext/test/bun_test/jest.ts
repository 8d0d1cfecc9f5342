// The objects `mock`, `jest` and `vi`, and `spyOn` and `setSystemTime`, as `bun:test` exports them.
// https://jestjs.io/docs/jest-object, https://vitest.dev/api/vi
import * as mocks from "internal/test/bun_test/mock";
import { onRestore, restore } from "internal/test/bun_test/file_cleanup";
import { currentContext } from "internal/test/bun_test/expect";

const timers = () => require("internal/test/bun_test/fake_timers");
const modules = () => require("internal/test/bun_test/module_mock");

/** `spyOn(object, name)`, or `(object, name, "get" | "set")` for accessors. */
export const spyOn = mocks.spyOn;

/** `setSystemTime(date)`: what Date says from now on; without a date the real time again. */
export function setSystemTime(now?: unknown): void {
  timers().setSystemTime(now);
}

const { fn } = mocks;

function module(id: unknown, factory?: unknown) {
  if (typeof factory !== "function") throw new TypeError("mock(module, fn) requires a function");
  return modules().mockModule(id, factory);
}

/** `mock(implementation)` and what belongs to it. */
export const mock = Object.assign((implementation?: unknown) => fn(implementation), {
  module,
  restore() {
    restore("spy", "module");
  },
  clearAllMocks: mocks.clearAllMocks,
});
Object.defineProperty(mock, "name", { value: "fn", configurable: true });

/** Functions that give their object again, so that calls can be chained. */
function chained(names: string[]): { [key: string]: unknown } {
  const made: { [key: string]: unknown } = {};
  for (const name of names) {
    made[name] = {
      [name](...args: unknown[]) {
        (timers() as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args);
        return this;
      },
    }[name];
  }
  return made;
}

const timerFunctions = {
  ...chained([
    "useFakeTimers",
    "useRealTimers",
    "advanceTimersToNextTimer",
    "advanceTimersByTime",
    "advanceTimersToNextFrame",
    "runOnlyPendingTimers",
    "runAllTimers",
    "runAllTicks",
    "clearAllTimers",
    "setSystemTime",
  ]),
  getTimerCount: () => timers().getTimerCount(),
  isFakeTimers: () => timers().isFakeTimers(),
  now: () => timers().now(),
  getRealSystemTime: () => timers().getRealSystemTime(),
  advanceTimersByTimeAsync: (milliseconds: unknown) => timers().advanceTimersByTimeAsync(milliseconds),
  advanceTimersToNextTimerAsync: (steps?: number) => timers().advanceTimersToNextTimerAsync(steps),
  runAllTimersAsync: () => timers().runAllTimersAsync(),
  runOnlyPendingTimersAsync: () => timers().runOnlyPendingTimersAsync(),
};

const shared = {
  fn: mock,
  mock(id: unknown, factory?: unknown) {
    const result = modules().mockModule(id, factory);
    return result instanceof Promise ? result.then(() => this) : this;
  },
  doMock(id: unknown, factory?: unknown) {
    return shared.mock.call(this, id, factory);
  },
  unmock(id: unknown) {
    modules().unmock(id);
    return this;
  },
  spyOn: mocks.spyOn,
  restoreAllMocks() {
    mocks.restoreAllMocks();
    return this;
  },
  clearAllMocks() {
    mocks.clearAllMocks();
    return this;
  },
  resetAllMocks() {
    mocks.resetAllMocks();
    return this;
  },
  isMockFunction: mocks.isMockFunction,
  mocked: (value: unknown) => value,
  setTimeout(milliseconds: unknown) {
    setDefaultTimeout(milliseconds);
    return this;
  },
  resetModules() {
    modules().resetModules();
    return this;
  },
  ...timerFunctions,
};

function setDefaultTimeout(milliseconds: unknown): void {
  if (typeof milliseconds !== "number") throw new TypeError("setTimeout() expects a number (milliseconds)");
  currentContext()?.setDefaultTimeout?.(milliseconds);
}

export const jest = {
  ...shared,
  replaceProperty: mocks.replaceValue,
  dontMock(id: unknown) {
    return shared.unmock.call(this, id);
  },
  requireActual: (id: unknown) => modules().requireActual(id),
  requireMock: (id: unknown) => modules().requireFrom(id),
  createMockFromModule: (id: unknown) =>
    require("internal/test/bun_test/automock").automock(modules().requireActual(id)),
  isolateModules(run: () => unknown) {
    modules().isolate(run);
    return this;
  },
  isolateModulesAsync: (run: () => unknown) => modules().isolate(run),
  enableAutomock() {
    modules().setAutomock(true);
    return this;
  },
  disableAutomock() {
    modules().setAutomock(false);
    return this;
  },
  deepUnmock(id: unknown) {
    return shared.unmock.call(this, id);
  },
  onGenerateMock(change: (path: string, made: unknown) => unknown) {
    require("internal/test/bun_test/module_mock").changes.push(change);
    return this;
  },
  /** Failing tests of this file are tried up to `count` more times. */
  retryTimes(count: unknown, options?: { waitBeforeRetry?: number } | null) {
    if (typeof count !== "number") throw new TypeError("jest.retryTimes() expects a number");
    const { runner } = require("internal/test/bun_test/state");
    if (runner.file === undefined) throw new Error("jest.retryTimes() is for the inside of a test file");
    runner.file.retries = Math.max(0, Math.floor(count) || 0);
    runner.file.retryWait = options?.waitBeforeRetry ?? 0;
    return this;
  },
  getSeed: () => require("internal/test/bun_test/state").runner.config.seed ?? 0,
  isEnvironmentTornDown: () => false,
};

const stubbedGlobals = new Map<PropertyKey, () => void>();
const stubbedEnv = new Map<string, () => void>();

/** Milliseconds. */
interface WaitOptions {
  timeout?: number;
  interval?: number;
}

/** Asks `check` until it does not throw (and, for `waitUntil`, is truthy). */
async function waitUntil(
  check: (...values: unknown[]) => unknown,
  options: number | WaitOptions | null | undefined,
  needsTruth: boolean,
): Promise<unknown> {
  const { timeout = 1000, interval = 50 } =
    typeof options === "number" ? ({ timeout: options } as WaitOptions) : (options ?? {});
  const { setTimeout: wait } = require("internal/test/bun_test/real_timers");
  const start = performance.now();
  const realStart = timers().getRealSystemTime();
  for (;;) {
    let problem: unknown;
    try {
      const value = await check();
      if (!needsTruth || value) return value;
      problem = new Error("Timed out in waitUntil!");
    } catch (error) {
      if (needsTruth) throw error;
      problem = error;
    }
    const fake = timers().isFakeTimers();
    const waited = fake ? timers().getRealSystemTime() - realStart : performance.now() - start;
    if (waited >= timeout) throw problem;
    if (fake) await timers().advanceTimersByTimeAsync(interval);
    else await new Promise((resolve) => wait(resolve, interval));
  }
}

export const vi = {
  ...shared,
  stubGlobal(name: string | number | symbol, value: unknown) {
    const global = globalThis as unknown as Record<PropertyKey, unknown>;
    if (!stubbedGlobals.has(name)) {
      const before = Object.getOwnPropertyDescriptor(global, name);
      const undo = () => {
        stubbedGlobals.delete(name);
        if (before === undefined) delete global[name];
        else Object.defineProperty(global, name, before);
      };
      stubbedGlobals.set(name, undo);
      onRestore("global", undo);
    }
    Object.defineProperty(global, name, { value, configurable: true, enumerable: true, writable: true });
    return this;
  },
  unstubAllGlobals() {
    restore("global");
    return this;
  },
  stubEnv(name: string, value: unknown) {
    const { env } = process;
    if (!stubbedEnv.has(name)) {
      const before = env[name];
      const undo = () => {
        stubbedEnv.delete(name);
        if (before === undefined) delete env[name];
        else env[name] = before;
      };
      stubbedEnv.set(name, undo);
      onRestore("env", undo);
    }
    if (value === undefined) delete env[name];
    else env[name] = `${value}`;
    return this;
  },
  unstubAllEnvs() {
    restore("env");
    return this;
  },
  doUnmock(id: unknown) {
    return shared.unmock.call(this, id);
  },
  hoisted: (make: (...values: unknown[]) => unknown) => make(),
  importActual: (id: unknown) => modules().importActual(id),
  importMock: async (id: unknown) =>
    require("internal/test/bun_test/automock").automock(await modules().importActual(id)),
  mockObject: (value: unknown) => require("internal/test/bun_test/automock").automock(value),
  waitFor: (check: () => unknown, options?: number | WaitOptions) => waitUntil(check, options, false),
  waitUntil: (check: () => unknown, options?: number | WaitOptions) => waitUntil(check, options, true),
  setConfig(config: { testTimeout?: unknown } | null | undefined) {
    if (typeof config?.testTimeout === "number") setDefaultTimeout(config.testTimeout);
  },
  resetConfig() {},
  getMockedSystemTime: () => timers().getMockedSystemTime(),
  dynamicImportSettled: () =>
    new Promise((resolve) => require("internal/test/bun_test/real_timers").setImmediate(resolve)),
};
