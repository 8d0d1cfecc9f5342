// The root of a tree of tests: it takes the events, adds up the results, and reports the sums at the end.

import type { EventData, Settings, TestOptions } from "internal/test/node_test/types";
import { now, Test } from "internal/test/node_test/tree";

/** What counts of a test that is over, whether it ran here or in a process of a run. */
export interface Outcome {
  type: string;
  passed: boolean;
  skipped: boolean;
  isTodo: boolean;
  cancelled: boolean;
  isTopLevel: boolean;
  /** A suite that fails by itself counts as a failure, one whose tests fail does not. */
  failsItself: boolean;
}

export class Root extends Test {
  config: Settings;
  counters = { tests: 0, failed: 0, passed: 0, cancelled: 0, skipped: 0, todo: 0, suites: 0, topLevel: 0 };
  /** Of hooks that failed. */
  ownDiagnostics: string[] = [];
  sinks: ((type: string, data: EventData) => void)[] = [];
  /** Called in turn when the sums have been reported. */
  closing: (() => Promise<void> | void)[] = [];
  /** Before the last diagnostics: what else there is to report at the end (coverage). */
  ending: (() => Promise<void> | void)[] = [];
  early: [string, EventData][] | undefined = [];
  over = false;
  bad = false;
  /** Whether the process ends with 1 if a test failed: not that of `run()`, whose stream says it. */
  decidesExitCode = true;
  ranAfter: Promise<void> | undefined;

  constructor(config: Settings, options: TestOptions = {}) {
    super(null, { ...options, name: "<root>" });
    this.config = config;
    if (config.timeout! > 0) this.timeout = config.timeout!;
    this.startTime = now();
  }

  emit(type: string, data: Partial<EventData>) {
    if (this.early !== undefined) this.early.push([type, data as EventData]);
    else for (const sink of this.sinks) sink(type, data as EventData);
  }

  /** The sinks are there: they get what was reported before. */
  ready() {
    const waiting = this.early!;
    this.early = undefined;
    for (const [type, data] of waiting) this.emit(type, data);
  }

  count(test: Test) {
    this.add({
      type: test.type,
      passed: test.passed,
      skipped: test.skipped,
      isTodo: test.isTodo,
      cancelled: test.cancelled,
      isTopLevel: test.parent === this,
      failsItself: test.error?.failureType !== "subtestsFailed",
    });
  }

  add({ type, passed, skipped, isTodo, cancelled, isTopLevel, failsItself }: Outcome) {
    const { counters } = this;
    if (isTopLevel) counters.topLevel++;
    if (type === "suite") {
      counters.suites++;
      if (!passed && failsItself && !isTodo) this.bad = true;
      return;
    }
    counters.tests++;
    if (skipped) counters.skipped++;
    else if (isTodo) counters.todo++;
    else if (cancelled) counters.cancelled++;
    else if (!passed) counters.failed++;
    else counters.passed++;
    if (!passed && !isTodo) this.bad = true;
  }

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
    if (this.over || this.subtests.length === 0 || !this.decidesExitCode) return;
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
    for (const last of this.ending) await last();
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
    if (this.bad && this.decidesExitCode) process.exitCode = 1;
    for (const close of this.closing) await close();
    if (this.config.forceExit && this.decidesExitCode) process.exit();
  }
}
