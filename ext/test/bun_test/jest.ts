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
export function setSystemTime(now?: any): void {
  timers().setSystemTime(now);
}

const { fn } = mocks;

function module(id: any, factory?: any): any {
  if (typeof factory !== "function") throw new TypeError("mock(module, fn) requires a function");
  return modules().mockModule(id, factory);
}

/** `mock(implementation)` and what belongs to it. */
export const mock: any = Object.assign((implementation?: any) => fn(implementation), {
  module,
  restore() {
    restore("spy", "module");
  },
  clearAllMocks: mocks.clearAllMocks,
});
Object.defineProperty(mock, "name", { value: "fn", configurable: true });

/** Functions that give their object again, so that calls can be chained. */
function chained(names: string[]): Record<string, any> {
  const made: Record<string, any> = {};
  for (const name of names) {
    made[name] = {
      [name](this: any, ...args: any[]) {
        (timers() as Record<string, any>)[name](...args);
        return this;
      },
    }[name];
  }
  return made;
}

const timerFunctions: Record<string, any> = {
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
  advanceTimersByTimeAsync: (milliseconds: any) => timers().advanceTimersByTimeAsync(milliseconds),
  advanceTimersToNextTimerAsync: (steps?: any) => timers().advanceTimersToNextTimerAsync(steps),
  runAllTimersAsync: () => timers().runAllTimersAsync(),
  runOnlyPendingTimersAsync: () => timers().runOnlyPendingTimersAsync(),
};

const shared: Record<string, any> = {
  fn,
  mock(this: any, id: any, factory?: any) {
    const result = modules().mockModule(id, factory);
    return result instanceof Promise ? result.then(() => this) : this;
  },
  doMock(this: any, id: any, factory?: any) {
    return shared.mock.call(this, id, factory);
  },
  unmock(this: any, id: any) {
    modules().unmock(id);
    return this;
  },
  spyOn: mocks.spyOn,
  restoreAllMocks(this: any) {
    mocks.restoreAllMocks();
    return this;
  },
  clearAllMocks(this: any) {
    mocks.clearAllMocks();
    return this;
  },
  resetAllMocks(this: any) {
    mocks.resetAllMocks();
    return this;
  },
  isMockFunction: mocks.isMockFunction,
  mocked: (value: any) => value,
  setTimeout(this: any, milliseconds: any) {
    setDefaultTimeout(milliseconds);
    return this;
  },
  resetModules(this: any) {
    modules().resetModules();
    return this;
  },
  ...timerFunctions,
};

function setDefaultTimeout(milliseconds: any): void {
  if (typeof milliseconds !== "number") throw new TypeError("setTimeout() expects a number (milliseconds)");
  currentContext()?.setDefaultTimeout?.(milliseconds);
}

export const jest: any = {
  ...shared,
  replaceProperty: mocks.replaceValue,
  dontMock(this: any, id: any) {
    return shared.unmock.call(this, id);
  },
  requireActual: (id: any) => modules().requireActual(id),
  requireMock: (id: any) => modules().requireFrom(id),
  createMockFromModule: (id: any) => require("internal/test/bun_test/automock").automock(modules().requireActual(id)),
  isolateModules(this: any, run: any) {
    modules().isolate(run);
    return this;
  },
  isolateModulesAsync: (run: any) => modules().isolate(run),
  enableAutomock(this: any) {
    modules().setAutomock(true);
    return this;
  },
  disableAutomock(this: any) {
    modules().setAutomock(false);
    return this;
  },
  deepUnmock(this: any, id: any) {
    return shared.unmock.call(this, id);
  },
  onGenerateMock(this: any, change: any) {
    require("internal/test/bun_test/module_mock").changes.push(change);
    return this;
  },
  /** Failing tests of this file are tried up to `count` more times. */
  retryTimes(this: any, count: any, options?: any) {
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

/** Asks `check` until it does not throw (and, for `waitUntil`, is truthy). */
async function waitUntil(check: any, options: any, needsTruth: boolean): Promise<any> {
  const { timeout = 1000, interval = 50 } = typeof options === "number" ? { timeout: options } : (options ?? {});
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

export const vi: any = {
  ...shared,
  stubGlobal(this: any, name: any, value: any) {
    const global: any = globalThis;
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
  unstubAllGlobals(this: any) {
    restore("global");
    return this;
  },
  stubEnv(this: any, name: any, value: any) {
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
  unstubAllEnvs(this: any) {
    restore("env");
    return this;
  },
  doUnmock(this: any, id: any) {
    return shared.unmock.call(this, id);
  },
  hoisted: (make: any) => make(),
  importActual: (id: any) => modules().importActual(id),
  importMock: async (id: any) => require("internal/test/bun_test/automock").automock(await modules().importActual(id)),
  mockObject: (value: any) => require("internal/test/bun_test/automock").automock(value),
  waitFor: (check: any, options?: any) => waitUntil(check, options, false),
  waitUntil: (check: any, options?: any) => waitUntil(check, options, true),
  setConfig(config: any) {
    if (typeof config?.testTimeout === "number") setDefaultTimeout(config.testTimeout);
  },
  resetConfig() {},
  getMockedSystemTime: () => timers().getMockedSystemTime(),
  dynamicImportSettled: () =>
    new Promise((resolve) => require("internal/test/bun_test/real_timers").setImmediate(resolve)),
};
