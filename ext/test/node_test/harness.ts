// The root of node:test in a process: it collects what files declare, reports it, and sets the exit code.

import type {
  DeclareHook,
  Declarer,
  EventData,
  Settings,
  TestFunction,
  TestOptions,
} from "internal/test/node_test/types";
import { current, failure, location, now, Suite, Test, type HookName } from "internal/test/node_test/tree";
import { runner as bunRunner } from "internal/test/bun_test/state";
import { codes } from "internal/core/errors";

const noop = () => {};

/** What the command line says, from process.execArgv: https://nodejs.org/api/cli.html#--test */
function settings(): Settings {
  const found: Settings = {
    only: false,
    names: [],
    skips: [],
    reporters: [],
    destinations: [],
    updateSnapshots: false,
  };
  const list = process.execArgv;
  for (let index = 0; index < list.length; index++) {
    const [name, inline] = splitFlag(list[index]!);
    const value = () => inline ?? list[++index];
    if (name === "--test-only") found.only = true;
    else if (name === "--test-force-exit") found.forceExit = true;
    else if (name === "--test-update-snapshots") found.updateSnapshots = true;
    else if (name === "--test-name-pattern") found.names.push(pattern(value()!));
    else if (name === "--test-skip-pattern") found.skips.push(pattern(value()!));
    else if (name === "--test-reporter") found.reporters.push(value()!);
    else if (name === "--test-reporter-destination") found.destinations.push(value()!);
    else if (name === "--test-timeout") found.timeout = Number(value());
  }
  if (found.names.length > 0 || found.skips.length > 0) found.filter = (test: Test) => selected(test, found);
  return found;
}

function splitFlag(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** `/text/flags` or the source of a regular expression. */
function pattern(text: string): RegExp {
  const literal = /^\/(.*)\/([a-z]*)$/.exec(text);
  return literal === null ? new RegExp(text) : new RegExp(literal[1]!, literal[2]);
}

// A suite is there for the sake of the tests below it, which are not known yet: it is filtered by its name only for skipping.
function selected(test: Test, { names, skips }: Settings): boolean {
  const matches = (list: RegExp[], text: string) => list.some((one) => ((one.lastIndex = 0), one.test(text)));
  if (skips.length > 0 && (matches(skips, test.name) || matches(skips, test.fullName))) return false;
  if (names.length === 0 || test.type === "suite") return true;
  for (let above: Test | null = test; above !== null && above.parent !== null; above = above.parent) {
    if (matches(names, above.name) || matches(names, above.fullName)) return true;
  }
  return false;
}

class Root extends Test {
  config: Settings;
  counters = { tests: 0, failed: 0, passed: 0, cancelled: 0, skipped: 0, todo: 0, suites: 0, topLevel: 0 };
  /** Of hooks that failed. */
  ownDiagnostics: string[] = [];
  sinks: ((type: string, data: EventData) => void)[] = [];
  closing: (() => Promise<void> | void)[] = [];
  early: [string, EventData][] | undefined = [];
  over = false;

  constructor(config: Settings) {
    super(null, { name: "<root>" });
    this.config = config;
    if (config.timeout! > 0) this.timeout = config.timeout!;
    this.startTime = now();
  }

  emit(type: string, data: Partial<EventData>) {
    if (this.early !== undefined) this.early.push([type, data as EventData]);
    else for (const sink of this.sinks) sink(type, data as EventData);
  }

  ready() {
    const waiting = this.early!;
    this.early = undefined;
    for (const [type, data] of waiting) this.emit(type, data);
  }

  count(test: Test) {
    const { counters } = this;
    if (test.parent === this) counters.topLevel++;
    if (test.type === "suite") {
      counters.suites++;
      // A suite that fails by itself counts, one whose tests fail does not.
      if (!test.passed && test.error?.failureType !== "subtestsFailed" && !test.isTodo) this.bad = true;
      return;
    }
    counters.tests++;
    if (test.skipped) counters.skipped++;
    else if (test.isTodo) counters.todo++;
    else if (test.cancelled) counters.cancelled++;
    else if (!test.passed) counters.failed++;
    else counters.passed++;
    if (!test.passed && !test.isTodo) this.bad = true;
  }

  bad = false;

  ranAfter: Promise<void> | undefined;

  /** Hooks of `after`, each once. A failure is reported at the end. */
  runAfter(): Promise<void> {
    return (this.ranAfter = (async () => {
      await this.ranAfter;
      try {
        await this.runHooks("after", this, []);
      } catch (failed) {
        this.bad = true;
        this.ownDiagnostics.push(
          `${(failed as Error).message}: ${((failed as Error).cause as Partial<Error> | null | undefined)?.message ?? ""}`,
        );
      }
    })());
  }

  /** All tests that are known are over. What they left open may keep the process: the hooks may close it, as in Node. */
  override allReported() {
    if (this.over || this.subtests.length === 0) return;
    if (this.config.forceExit) this.runAfter().then(() => this.end());
    else if (this.hooks.after.some((hook) => !hook.ran)) this.runAfter();
  }

  /** Ends the run: what did not end is cancelled, the summary is reported. */
  async end(error?: unknown) {
    if (this.over) return;
    this.over = true;
    for (const waiting of this.pending) waiting.test.cancel(error);
    this.pending = [];
    for (const test of this.subtests) {
      if (!test.finished) {
        test.cancel(error);
        test.postRun(error);
      }
    }
    this.flush();
    if (this.hooks.after.some((hook) => !hook.ran)) await this.runAfter();
    for (const message of this.ownDiagnostics) this.emit("test:diagnostic", { nesting: 0, message, level: "error" });
    this.endTime = now();
    this.emit("test:plan", { nesting: 0, count: this.counters.topLevel });
    for (const message of this.diagnostics) this.emit("test:diagnostic", { nesting: 0, message, level: "warn" });
    const { counters } = this;
    const duration_ms = this.duration;
    const rows = [
      ["tests", counters.tests],
      ["suites", counters.suites],
      ["pass", counters.passed],
      ["fail", counters.failed],
      ["cancelled", counters.cancelled],
      ["skipped", counters.skipped],
      ["todo", counters.todo],
      ["duration_ms", duration_ms],
    ];
    for (const [name, value] of rows)
      this.emit("test:diagnostic", { nesting: 0, message: `${name} ${value}`, level: "info" });
    this.emit("test:summary", {
      success: !this.bad,
      counts: {
        tests: counters.tests,
        failed: counters.failed,
        passed: counters.passed,
        cancelled: counters.cancelled,
        skipped: counters.skipped,
        todo: counters.todo,
        topLevel: counters.topLevel,
        suites: counters.suites,
      },
      duration_ms,
      file: undefined,
    });
    if (this.bad) process.exitCode = 1;
    for (const close of this.closing) await close();
    if (this.config.forceExit) process.exit();
  }
}

let root: Root | undefined;
let started = Promise.resolve();

/** The root, with its listeners on the process, at the first test of the process. */
function theRoot(): Root {
  if (root !== undefined) return root;
  const made = (root = new Root(settings()));
  started = setUpReporters(made);
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
  process.on("uncaughtException", (error) => late(error, "uncaughtException"));
  process.on("unhandledRejection", (error) => late(error, "unhandledRejection"));
  const pending = () =>
    failure("Promise resolution is still pending but the event loop has already resolved", "cancelledByParent");
  process.on("beforeExit", async () => {
    await started;
    await made.end(pending());
  });
  process.on("exit", () => {
    if (!made.over) {
      if (made.early !== undefined) made.ready();
      made.end(pending());
    }
  });
  return made;
}

/** A reporter by its name, and where it writes to. */
async function setUpReporters(made: Root) {
  const { reporters, destinations } = made.config;
  if (reporters.length === 0) reporters.push("spec");
  if (destinations.length === 0 && reporters.length === 1) destinations.push("stdout");
  if (destinations.length !== reporters.length) {
    throw new codes.ERR_INVALID_ARG_VALUE(
      "--test-reporter",
      reporters,
      "must match the number of specified '--test-reporter-destination'",
    );
  }
  const { formatters } = require("internal/test/node_test/report");
  for (let index = 0; index < reporters.length; index++) {
    const destination =
      destinations[index] === "stdout"
        ? process.stdout
        : destinations[index] === "stderr"
          ? process.stderr
          : require("node:fs").createWriteStream(destinations[index]);
    const own = formatters[reporters[index]];
    if (own !== undefined) {
      const format = own(destination.isTTY === true);
      made.sinks.push((type, data) => {
        const text = format(type, data);
        if (text !== "") destination.write(text);
      });
      if (destination !== process.stdout && destination !== process.stderr)
        made.closing.push(() => new Promise((resolve) => destination.end(resolve)));
      continue;
    }
    await custom(made, reporters[index], destination);
  }
  made.ready();
}

async function custom(made: Root, name: string, destination: unknown) {
  const { createRequire } = require("node:module");
  const { pathToFileURL } = require("node:url");
  const resolve = createRequire(process.cwd() + "/");
  const target = /^(?:file|data|node):/.test(name) ? name : pathToFileURL(resolve.resolve(name)).href;
  const loaded = await import(target);
  const reporter = loaded.default ?? loaded;
  if (reporter === undefined || (typeof reporter !== "function" && typeof reporter !== "object")) {
    throw new codes.ERR_INVALID_ARG_VALUE("Reporter", reporter, "is not a kind of reporter");
  }
  const { Readable } = require("node:stream");
  const events = new Readable({ objectMode: true, read: noop, highWaterMark: 1e9 });
  const isClass =
    typeof reporter === "function" &&
    reporter.prototype &&
    Object.getOwnPropertyDescriptor(reporter.prototype, "constructor") &&
    !/Generator/.test(reporter.constructor.name);
  const output = events.compose(isClass ? new reporter() : reporter);
  const ended = new Promise<void>((done) => output.on("end", done).on("error", done));
  output.pipe(destination, { end: destination !== process.stdout && destination !== process.stderr });
  made.sinks.push((type, data) => events.push({ type, data }));
  made.closing.push(() => {
    events.push(null);
    return ended;
  });
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
  // In a suite's function tests are only declared; they run when the suite does.
  if (test.parent instanceof Suite && !test.parent.startTime) return Promise.resolve();
  if (test.parent === root && !test.filtered) {
    const { promise, resolve } = Promise.withResolvers<void>();
    started.then(() => test.start()).then(resolve);
    return promise;
  }
  return test.start();
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
  if (parent instanceof Suite && !parent.startTime) return Promise.resolve();
  return started.then(() => suite.start());
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
