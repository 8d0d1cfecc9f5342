// node:test in a process: it collects what files declare, reports it, and sets the exit code.

import type { DeclareHook, Declarer, TestFunction, TestOptions } from "internal/test/node_test/types";
import { current, failure, location, Suite, Test, type HookName } from "internal/test/node_test/tree";
import { setUpReporters } from "internal/test/node_test/reporting";
import { Root } from "internal/test/node_test/root";
import { settings } from "internal/test/node_test/settings";
import { runner as bunRunner } from "internal/test/bun_test/state";

let root: Root | undefined;
let started = Promise.resolve();

/** The root, with its listeners on the process, at the first test of the process. */
function theRoot(): Root {
  if (root !== undefined) return root;
  const made = new Root(settings());
  if (native("process").cliOption("--experimental-test-coverage") === true)
    require("internal/test/node_test/coverage").attach(made);
  adopt(made, setUpReporters(made));
  return made;
}

const pending = () =>
  failure("Promise resolution is still pending but the event loop has already resolved", "cancelledByParent");

/**
 * Makes `made` the root of what this process declares: errors that nothing catches are its tests', and it ends with the process.
 *
 * - `start`: when it is settled, tests of the top level begin.
 *
 * The result takes the listeners away.
 */
export function adopt(made: Root, start: Promise<void>): () => void {
  root = made;
  started = start;
  const late = (error: unknown, kind: string) => {
    const test = current.getStore();
    if (test === undefined || test === made) {
      // No test to blame: the process fails as it would without tests.
      made.bad = true;
      process.exitCode = 1;
      made.emit("test:diagnostic", {
        nesting: 0,
        message: `Error: ${(error as Partial<Error> | null | undefined)?.stack ?? error}`,
        level: "error",
      });
      return;
    }
    if (test.finished || test.endTime !== undefined) {
      const where =
        test.location === undefined ? "" : ` at ${test.location.file}:${test.location.line}:${test.location.column}`;
      made.diagnostic(
        `Error: Test "${test.name}"${where} generated asynchronous activity after the test ended. This activity created the error "${error}" and would have ` +
          `caused the test to fail, but instead triggered an ${kind} event.`,
      );
      made.bad = true;
      process.exitCode = 1;
      return;
    }
    test.uncaught(failure(error, kind));
  };
  const listeners: [string, (...values: unknown[]) => void][] = [
    ["uncaughtException", (error) => late(error, "uncaughtException")],
    ["unhandledRejection", (error) => late(error, "unhandledRejection")],
    [
      "beforeExit",
      async () => {
        await started;
        await made.end(pending());
        leave();
      },
    ],
    [
      "exit",
      () => {
        leave();
        if (made.over) return;
        if (made.early !== undefined) made.ready();
        made.end(pending());
      },
    ],
  ];
  for (const [name, listener] of listeners) process.on(name, listener);
  const leave = () => {
    for (const [name, listener] of listeners) process.off(name, listener);
  };
  return () => {
    leave();
    root = undefined;
  };
}

/** What tests of the top level promise when they are declared, if a run without processes waits for them. */
export const tops: { running: Promise<void>[] | undefined } = { running: undefined };

/** Starts a test of the top level once all is there for it. */
export function startTop(test: Test): Promise<void> {
  const promise = started.then(() => test.start());
  tops.running?.push(promise);
  return promise;
}

/** The half that serves `bao test`, where this is one and the caller is in no test of node:test. */
function bridge() {
  return bunRunner.active && current.getStore() === undefined ? require("internal/test/bun_test/node_test") : undefined;
}

function runTest(name: unknown, options: unknown, fn: unknown, overrides: TestOptions, above: Function): Promise<void> {
  const other = bridge();
  if (other !== undefined) return other.declareTest(name, options, fn, overrides);
  const parent = current.getStore() ?? theRoot();
  const test = parent.createSubtest(Test, name, options, fn, overrides, location(above));
  // In a suite's function, which may be asynchronous, tests are only declared; they run when the suite does.
  if (test.parent instanceof Suite && test.parent.startsTests) return Promise.resolve();
  return test.parent === root && !test.filtered ? startTop(test) : test.start();
}

function runSuite(
  name: unknown,
  options: unknown,
  fn: unknown,
  overrides: TestOptions,
  above: Function,
): Promise<void> {
  const other = bridge();
  if (other !== undefined) return other.declareSuite(name, options, fn, overrides);
  const parent = current.getStore() ?? theRoot();
  const suite = parent.createSubtest(Suite, name, options, fn, overrides, location(above)) as Suite;
  suite.build();
  if (parent instanceof Suite && parent.startsTests) return Promise.resolve();
  return suite.parent === root ? startTop(suite) : started.then(() => suite.start());
}

function withVariants(
  run: (name: unknown, options: unknown, fn: unknown, overrides: TestOptions, above: Function) => Promise<void>,
  variants: ("expectFailure" | "skip" | "todo" | "only")[],
): Declarer {
  const main = function (name?: unknown, options?: unknown, fn?: unknown): Promise<void> {
    return run(name, options, fn, {}, main);
  } as Declarer;
  for (const key of variants) {
    const overrides = key === "expectFailure" ? { expectFailure: true } : { [key]: true };
    const variant = (name?: unknown, options?: unknown, fn?: unknown): Promise<void> =>
      run(name, options, fn, overrides, variant);
    Object.defineProperty(variant, "name", { value: key });
    main[key] = variant;
  }
  return main;
}

export const test = withVariants(runTest, ["expectFailure", "skip", "todo", "only"]);
export const suite = withVariants(runSuite, ["expectFailure", "skip", "todo", "only"]);

function hook(name: HookName): DeclareHook {
  const add: DeclareHook = (fn, options) => {
    const other = bridge();
    if (other !== undefined) return other.declareHook(name, fn as TestFunction, options);
    const parent = current.getStore() ?? theRoot();
    parent.addHook(name, fn, options, location(add));
  };
  Object.defineProperty(add, "name", { value: name });
  return add;
}

export const before = hook("before");
export const after = hook("after");
export const beforeEach = hook("beforeEach");
export const afterEach = hook("afterEach");
