// The contexts of vitest's tests and hooks, and what becomes of what hooks return (https://vitest.dev/guide/test-context).

import type { Sequence } from "internal/test/bun_test/sequence";
import type { Scope } from "internal/test/bun_test/tree";
import { SkipCalled } from "internal/test/bun_test/run";
import { FAIL, TEST } from "internal/test/bun_test/sequence";
import { runner } from "internal/test/bun_test/state";
import { Entry, NORMAL, onTestFinished } from "internal/test/bun_test/tree";

const api = require("bun/test");

const config = { mode: NORMAL, concurrent: undefined, only: false, context: false };

/** A function as an entry that runs after a test, or after all. */
export function cleanup(callback: Function): Entry {
  return new Entry(
    null,
    undefined,
    config,
    callback,
    { timeout: runner.defaultTimeout, retry: 0, repeats: 0 },
    false,
    0,
  );
}

/** A file or a block as tests see it. */
interface Suite {
  type: "suite";
  name: string;
  filepath?: string;
  mode: string;
  suite?: Suite | undefined;
  file?: Suite;
  meta: object;
}

/** What tests and hooks of tests are called with; fixtures are further properties. */
export interface TestContext {
  [name: string]: unknown;
}

/** A block as `task.suite` describes it. */
function suiteOf(scope: Scope | null, file: Suite): Suite | undefined {
  if (scope === null) return undefined;
  const parent = suiteOf(scope.parent, file);
  return scope.parent === null
    ? file
    : {
        type: "suite",
        name: scope.name ?? "",
        mode: "run",
        suite: parent?.type === "suite" && parent !== file ? parent : undefined,
        file,
        meta: {},
      };
}

/** The argument of a test, or of a hook: contexts of one test are the same object. */
export function contextOf(sequence: Sequence, entry: Entry): unknown {
  const { path, title } = sequence.file;
  const file: Suite = { type: "suite", name: title, filepath: path, mode: "run", meta: {} };
  if (sequence.hook === entry) return suiteOf(sequence.scope, file) ?? file;
  if (sequence.context !== undefined) return sequence.context;
  const suite = suiteOf(sequence.scope, file);
  const task = {
    type: "test",
    name: sequence.entry!.name ?? "",
    mode: "run",
    suite: suite === file ? undefined : suite,
    file,
    meta: {},
    retry: sequence.entry!.retry,
    repeats: sequence.entry!.repeats,
    timeout: sequence.entry!.timeout,
    get result() {
      return {
        state: sequence.result >= FAIL ? "fail" : sequence.stage > TEST ? "pass" : "run",
        startTime: 0,
        errors: [],
      };
    },
  };
  return (sequence.context = {
    task,
    get expect() {
      return api.expect;
    },
    skip(condition?: unknown) {
      if (condition === false) return;
      throw new SkipCalled();
    },
    onTestFinished,
    onTestFailed(callback: Function) {
      sequence.addLast(cleanup(() => (sequence.result >= FAIL ? callback(this) : undefined)));
    },
    annotate: async () => {},
    signal: new AbortController().signal,
  });
}

/** What a function that was called gives: what a hook returns is called when the test, or the file, is over. */
export function afterCall(
  sequence: Sequence,
  entry: Entry,
  result: PromiseLike<unknown> | undefined,
): PromiseLike<unknown> | undefined {
  const keep = (value: unknown) => {
    if (typeof value !== "function") return;
    if (sequence.hook === entry) sequence.file.addCleanup(cleanup(value));
    else if (entry !== sequence.entry) sequence.addLast(cleanup(value));
  };
  if (typeof result?.then === "function" && entry !== sequence.entry)
    return result.then((value: unknown) => keep(value));
  keep(result);
  return result;
}
