// `bao test`: what the command line found runs here, one file after the other in this process (or in several, see
// parallel.ts). The native half calls `start`; see cli/scripts/src/test_command for what it gives.

import type { CoverageRun } from "internal/test/bun_test/coverage";
import type { KeptRecord, Reporter } from "internal/test/bun_test/records";
import type {
  ExpectContext,
  ExpectInstance,
  RunConfig,
  SnapshotCounts,
  TestFile,
  WorkerConfig,
} from "internal/test/bun_test/types";
import { hooks as uncaughtHooks } from "internal/process/execution";
import { exitState } from "internal/core/task_queues";
import { Immediate } from "internal/core/timers";
import { restoreGlobals, restoreProcess, snapshotGlobals } from "internal/test/bun_test/globals";
import { ConsoleReporter, elapsedText, errorColors } from "internal/test/bun_test/report_console";
import { ExitCalled, FileRun, clock, shuffle } from "internal/test/bun_test/run";
import { BaseError, runner } from "internal/test/bun_test/state";
import { exit, variable } from "internal/test/bun_test/light_process";
import { NORMAL, Scope } from "internal/test/bun_test/tree";

const natives = native("test");

/** When the process started, by clock(). */
const runStarted = 0;

/** Begins a run. `text`: JSON of what is to be run. */
export function start(text: string): void {
  const config: RunConfig = JSON.parse(text);
  if (config.worker) return require("internal/test/bun_test/parallel").work(startWorker, runOne);
  setUp(config);
  const isAgent = isAgentCalling();
  if (config.dots) config.onlyFailures = false;
  /** What is said of the files that run. */
  let notes = "";
  const missing = nothingToRun(config, isAgent);
  if (missing === undefined && config.changed !== undefined) {
    const { affected } = require("internal/test/bun_test/changed");
    const { files, text } = affected(config.files, config.changed, Boolean(config.watch));
    config.files = files;
    notes += text;
  }
  if (config.rerun !== undefined) notes += runAgain(config);
  if (missing !== undefined) {
    showHeader(config, 1);
    return end(missing);
  }
  if (config.shard !== undefined) {
    const all = config.files.length;
    config.files = shardOf(config.files, config);
    notes += `--shard=${config.shard.join("/")}: running ${config.files.length}/${all} test files\n`;
  }
  if (config.randomize) shuffle(config.files, generator(config.seed!));
  if (config.parallel !== undefined) {
    const most = config.parallel === 0 ? require("node:os").availableParallelism() : config.parallel;
    const workers = Math.min(most, config.files.length);
    showHeader(config, workers);
    natives.hold(notes);
    if (workers > 1)
      return require("internal/test/bun_test/parallel").start(config, workers, runStarted, isAgent, {
        finish,
        close: closeReporters,
      });
    config.isolate ??= true;
    process.env.JEST_WORKER_ID = process.env.BUN_TEST_WORKER_ID = "1";
  } else if (notes !== "") natives.hold(notes);
  const reporter = new ConsoleReporter(config, runStarted, isAgent);
  runner.reporter = reporter;
  if (config.reporters.length > 0 || config.junit !== undefined) {
    const problem = require("internal/test/bun_test/reporters").addReporters(reporter, config);
    if (problem !== undefined) {
      process.stderr.write(`error: ${problem}\n`);
      return end(1);
    }
  }
  for (const other of reporter.others) other.start?.({ files: config.files.map((file) => file[1]) });
  prepare(reporter, () => runFiles(reporter));
}

/** Ends the first line of the output, where the command line has left it to the runner, with the number of processes. */
function showHeader(config: RunConfig, workers: number): void {
  if (config.header !== undefined)
    process.stdout.write(`${config.header}${workers > 1 ? ` ${workers}x PARALLEL` : ""}\n`);
}

/** Makes `config` that of the run. */
function setUp(config: RunConfig): void {
  runner.active = true;
  runner.config = config;
  runner.isCI = detectCI();
  runner.hooks = new Scope(null, undefined, { mode: NORMAL, concurrent: undefined, only: false, context: false }, 0);
  if (config.namePattern !== undefined) runner.filter = pattern(config.namePattern);
  if (config.randomize) config.seed ??= Math.floor(Math.random() * 0x1_0000_0000);
  if (config.coverage !== undefined) require("internal/test/bun_test/coverage").begin(config as CoverageRun);
}

/** Leaves of the files what --watch wants to see again: what a change reaches, or files that have failed. Returns a line that says so. */
function runAgain(config: RunConfig): string {
  const { files, rerun, rerunPaths } = config;
  const only = new Set(rerunPaths);
  const chosen: TestFile[] | undefined =
    rerun === "only"
      ? files.filter(([path]) => only.has(path))
      : require("internal/test/bun_test/changed").reached(files, rerunPaths, config.preload);
  if (chosen === undefined || chosen.length === 0 || chosen.length === files.length) return "";
  config.files = chosen;
  const { relative } = require("node:path");
  const what =
    rerun === "only"
      ? "that failed"
      : `that ${rerunPaths.map((path) => relative(process.cwd(), path)).join(", ")} ${rerunPaths.length === 1 ? "has" : "have"} an effect on`;
  return `${chosen.length} of ${files.length} test files, ${what}\n`;
}

/** A process of --parallel, with what its parent has read from the command line; `ready` is called when it can run files. */
function startWorker(config: WorkerConfig, ready: () => void) {
  config.worker = true;
  setUp(config);
  const reporter = new ConsoleReporter(config, runStarted, config.isAgent);
  let records: KeptRecord[] = [];
  if (config.wantsRecords) {
    runner.wantsLines = true;
    const keep = (method: keyof Reporter) => (record: unknown) => void records.push([method, record as never]);
    reporter.others.push({
      file: keep("file"),
      test: keep("test"),
      error: keep("error"),
      fileFailed: keep("fileFailed"),
      fileEnd: keep("fileEnd"),
    });
  }
  prepare(reporter, ready);
  return {
    reporter,
    snapshots: reporter.snapshots,
    /** Hooks of preloaded modules for the end of all files; then the end. */
    end() {
      const file = new FileRun("", "", 0, () => end(0));
      file.isLast = !(runner.config.isolate && runner.config.preload.length > 0);
      runner.file = file;
      file.runHooks();
    },
    collect() {
      const taken = records;
      records = [];
      return taken;
    },
  };
}

/** Sets up what all files share: handlers, preloaded modules, globals; then calls `ready`. */
function prepare(reporter: ConsoleReporter, ready: () => void): void {
  runner.reporter = reporter;
  const { config } = runner;
  runner.defaultTimeout = config.timeout ?? 5000;
  uncaughtHooks.runner = {
    uncaught(error: NodeError, fromPromise: boolean) {
      guarded(() => {
        if (runner.file !== undefined) runner.file.uncaught(error, fromPromise);
        else reporter.betweenTests({ title: "" }, error);
      });
    },
    idle() {
      if (guarded(() => runner.file !== undefined && runner.file.idle())) {
        // The loop is to come here again if the next test waits for nothing as well.
        new Immediate(() => {}, undefined);
        return true;
      }
      // Nothing will go on by itself any more, which a run must not end with silently.
      if (runner.inPreload)
        preloadFailed(
          reporter,
          plainError("a preloaded module waits for something that never comes: nothing is left in the event loop"),
        );
      else end(1);
      return false;
    },
    stopped(why: string) {
      // What called this may be on the stack still, or may be gone without having come to its end: first the loop.
      new Immediate(() => guarded(() => stopped(why, reporter)), undefined);
    },
  };
  natives.watch(Boolean(config.worker || config.noOrphans), !config.worker);
  if (config.noOrphans) natives.adoptDescendants();
  reporter.onBail = () => {
    reporter.bailed();
    closeReporters(reporter, true);
  };
  guardExit();
  require("internal/test/bun_test/processes").watch();
  if (config.isolate || config.detectOpenHandles)
    require("internal/test/bun_test/open_handles").start(Boolean(config.detectOpenHandles));
  if (config.isolate) {
    natives.keepCode();
    snapshotGlobals();
  }
  preload(reporter, 0, ready);
}

/** Loads the modules of --preload from the one with this index on. */
function preload(reporter: ConsoleReporter, index: number, done: () => void): void {
  const specifiers: string[] = runner.config.preload;
  if (index >= specifiers.length) return done();
  runner.inPreload = true;
  let loading: Promise<unknown> | undefined;
  try {
    require("internal/module/cjs").preload(specifiers[index]!);
  } catch (error) {
    if (!isAsyncModule(error)) return preloadFailed(reporter, error);
    const path = require("node:module").createRequire(`${process.cwd()}/[preload]`).resolve(specifiers[index]!);
    loading = native("loader").runMain(path);
  }
  const next = () => {
    runner.inPreload = false;
    preload(reporter, index + 1, done);
  };
  if (loading === undefined) return next();
  // Out of the reaction, so that what is thrown later is no rejection.
  loading.then(
    () => new Immediate(() => guarded(next), undefined),
    (error: NodeError) => preloadFailed(reporter, error),
  );
}

const isAsyncModule = (error: unknown) =>
  require("internal/test/bun_test/error_text").property(error ?? {}, "code") === "ERR_REQUIRE_ASYNC_MODULE";

function preloadFailed(reporter: ConsoleReporter, error: unknown): void {
  runner.inPreload = false;
  reporter.betweenTests({ title: "" }, error);
  closeReporters(reporter, true);
}

/** An error of the runner's own, whose stack would tell nothing. */
function plainError(message: string): Error {
  const error = new BaseError(message);
  error.stack = undefined;
  return error;
}

/** Code was ended: it took too long, filled the heap, or a signal asks for the end of the run. */
function stopped(why: string, reporter: ConsoleReporter): void {
  require("internal/core/timers").recoverTimers();
  runner.isRunning = false;
  if (why.startsWith("SIG")) return interrupted(why, reporter);
  let error: Error | undefined;
  if (why !== "time") {
    const limit = why.slice("memory ".length);
    error = plainError(
      limit === ""
        ? "out of memory: next to nothing is left of the machine's"
        : `out of memory: the JavaScript heap has reached its limit (${limit} MiB)`,
    );
    (error as { code?: unknown }).code = "ERR_OUT_OF_MEMORY";
  }
  if (runner.file !== undefined) runner.file.stopped(error);
  else reporter.betweenTests({ title: "" }, error ?? plainError("code outside of tests did not come back"));
}

/** A signal ends the run: what is known so far is reported. */
function interrupted(signal: string, reporter: ConsoleReporter): void {
  const code = 128 + require("node:os").constants.signals[signal];
  if (runner.config.worker) return native("process").reallyExit(code);
  const { file } = runner;
  reporter.interrupted(signal, file === undefined ? [] : [file]);
  runner.file = undefined;
  finish(reporter, code);
}

/** Whether a file with modules and globals of its own has run, so that the next one needs the preloads again. */
let needsPreloads = false;

/** Calls a part of the runner; an error of its own ends the run, which would go round in circles otherwise. */
function guarded<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    natives.hold(`error: bao test cannot go on: ${(error as Partial<Error> | null)?.stack ?? error}\n`);
    natives.release();
    native("process").reallyExit(1);
    throw error;
  }
}

/** `process.exit` and the like within tests end what calls them, not the run. */
function guardExit(): void {
  exitState.guard = (code, name = "exit") => {
    // What may end this process does not take the results with it.
    if (name === "kill") return natives.release();
    const { file } = runner;
    if (file !== undefined && file.phase !== 2)
      throw new ExitCalled(name, name === "exit" ? (code ?? process.exitCode) : code);
  };
}

function runFiles(reporter: ConsoleReporter): void {
  const { files, rerunEach } = runner.config;
  natives.fetchAhead(files.map(([path]) => path));
  const rounds = Math.max(1, rerunEach ?? 1);
  let index = 0;
  let round = 0;
  let again = false;
  // Files that are over at once are run in a loop, not by calls within calls.
  const next = () => {
    if (runner.isRunning) {
      again = true;
      return;
    }
    runner.isRunning = true;
    do {
      again = false;
      if (reporter.hasBailed) return;
      if (index >= files.length) return finish(reporter);
      const [path, title] = files[index];
      const first = index === 0 && round === 0;
      const last = index === files.length - 1 && round === rounds - 1;
      const current = round;
      if (++round >= rounds) {
        round = 0;
        index++;
      }
      runOne(path, title, current, first, last, next);
    } while (again);
    runner.isRunning = false;
  };
  next();
}

/** Runs one file; `done` is called when it is over, perhaps before this returns. */
function runOne(path: string, title: string, round: number, first: boolean, last: boolean, done: () => void): void {
  const { config, reporter } = runner;
  if (config.isolate && config.preload.length > 0) {
    // The preloads are part of each file, and so are their hooks.
    first = last = true;
    if (needsPreloads) {
      runner.hooks = new Scope(
        null,
        undefined,
        { mode: NORMAL, concurrent: undefined, only: false, context: false },
        0,
      );
      preload(reporter, 0, () => runPrepared(path, title, round, first, last, done));
      return;
    }
    needsPreloads = true;
  }
  runPrepared(path, title, round, first, last, done);
}

function runPrepared(
  path: string,
  title: string,
  round: number,
  first: boolean,
  last: boolean,
  done: () => void,
): void {
  const { config, reporter } = runner;
  const started = clock();
  let instance: ExpectInstance;
  let context: ExpectContext;
  const { fail, errors } = reporter.counts;
  const file: FileRun = new FileRun(path, title, round, () => {
    if (context.usesSnapshots) addSnapshots(file, instance.snapshotState.finish());
    instance.restoreMocks();
    runner.file = undefined;
    runner.defaultTimeout = config.timeout ?? 5000;
    file.elapsed = clock() - started;
    if (config.updateTimings) require("internal/test/bun_test/timings").measured.set(title, file.elapsed);
    if (config.detectOpenHandles)
      reporter.hint(require("internal/test/bun_test/open_handles").textOfLeft(title, reporter.colors));
    reporter.fileEnd(file);
    if (config.watch)
      natives.tellWatcher(
        `${reporter.counts.fail > fail || reporter.counts.errors > errors ? "failed" : "passed"}:${path}`,
      );
    natives.mendDescriptors();
    if (config.isolate) renew();
    done();
  });
  // The same in whatever process and after whatever files.
  if (config.randomize) config.random = generator(config.seed! ^ hashOf(title));
  file.isFirst = first;
  file.isLast = last;
  if (round > 0) forget(path);
  runner.file = file;
  context = {
    testPath: path,
    currentTest: () => file.currentSequence(),
    options: { updateSnapshots: Boolean(config.updateSnapshots), ci: runner.isCI, colors: reporter.colors },
    setDefaultTimeout: (milliseconds: number) => {
      runner.defaultTimeout = milliseconds;
    },
    usesSnapshots: false,
  };
  instance = require("internal/test/bun_test/expect").makeExpect(context);
  file.context = context;
  file.instance = instance;
  reporter.file(file);
  file.start();
}

function addSnapshots(file: FileRun, counts: SnapshotCounts): void {
  const { snapshots } = runner.reporter;
  snapshots.added += counts.added;
  snapshots.passed += counts.matched;
  snapshots.failed += counts.failed;
  snapshots.total += counts.added + counts.matched + counts.failed + counts.updated;
  for (const error of counts.errors ?? []) {
    runner.reporter.betweenTests(file, error);
    runner.reporter.counts.fail++;
  }
}

/** Modules and globals as they were before the file. */
function renew(): void {
  const { cache } = require("internal/module/cjs");
  require("internal/test/bun_test/file_cleanup").leaveAll();
  for (const path of Object.keys(cache)) delete cache[path];
  natives.renewModules();
  runner.forgetExports?.(true);
  restoreGlobals();
  restoreProcess();
}

/** Has the file loaded anew; what it imports stays. */
function forget(path: string): void {
  delete require("internal/module/cjs").cache[path];
  natives.forgetModule?.(path);
}

/** The end of a run: reports, exit code. `code`: that of a run that was ended. */
function finish(reporter: ConsoleReporter, code?: number): void {
  const { config } = runner;
  runner.file = undefined;
  const { counts } = reporter;
  let failed = counts.fail > 0 || counts.errors > 0;
  let table: string | undefined;
  if (config.coverage !== undefined) {
    const coverage = require("internal/test/bun_test/coverage").report(
      config as CoverageRun,
      reporter.colors,
      reporter.coverage,
    );
    table = coverage.table;
    if (coverage.isLow) failed = true;
  }
  // A change from now on breaks nothing off.
  if (config.watch) natives.tellWatcher("over:");
  reporter.end(table);
  const total = counts.pass + counts.fail + counts.skip + counts.todo;
  if (runner.filter !== undefined && total === 0 && counts.filtered > 0 && !config.passWithNoTests) failed = true;
  if (config.updateTimings && config.timings.length > 0) require("internal/test/bun_test/timings").update(config);
  closeReporters(reporter, failed || code !== undefined, code);
}

/** Tells the other reporters of the end, and ends the process. */
function closeReporters(reporter: ConsoleReporter, failed: boolean, code = failed ? 1 : 0): void {
  const summary = {
    ...reporter.counts,
    snapshots: reporter.snapshots,
    elapsed: clock() - runStarted,
    failed,
    interrupted: reporter.wasInterrupted,
  };
  const waits = reporter.others
    .map((other) => other.end?.(summary))
    .filter((result) => typeof (result as PromiseLike<unknown> | undefined)?.then === "function");
  if (waits.length === 0) return end(code);
  Promise.allSettled(waits).then(() => end(code));
}

/** Ends the process. */
function end(code: number): void {
  runner.file = undefined;
  natives.release();
  if (runner.config.noOrphans) natives.killDescendants(false);
  exit(code);
}

/** Says why there is nothing to run; the exit code, or undefined where there is something. */
function nothingToRun(config: RunConfig, isAgent: boolean): number | undefined {
  if (config.files.length > 0) return undefined;
  const colors = errorColors();
  const yellow = (text: string) => (colors ? `\x1b[0m\x1b[33m${text}\x1b[0m` : text);
  const note = colors ? "\x1b[0m\x1b[34mnote\x1b[0m\x1b[2m:\x1b[0m" : "note:";
  const dim = (text: string) => (colors ? `\x1b[2m${text}\x1b[0m` : text);
  const cwd = JSON.stringify(process.cwd());
  const code = config.passWithNoTests ? 0 : 1;
  let text = "";
  if (config.missing !== undefined) {
    text = `Test filter ${JSON.stringify(config.missing)} had no matches${isAgent ? ` in --cwd=${cwd}` : ""}\n`;
    natives.hold(text);
    return 1;
  }
  if (config.filters.length === 0) {
    text = isAgent
      ? `error: 0 test files matching **{.test,.spec,_test_,_spec_}.{js,ts,jsx,tsx} in --cwd=${cwd}\n`
      : `${yellow("No tests found!")}\n\nTests need ".test", "_test_", ".spec" or "_spec_" in the filename ${dim('(ex: "MyApp.test.ts")')}\n`;
  } else {
    text = `${yellow(`The following filters did not match any test files${isAgent ? ` in --cwd=${cwd}` : ""}:`)}\n`;
    text += config.filters.map((filter) => ` ${filter}`).join("");
    if (config.searched > 0)
      text += `\n${config.searched} files were searched ${elapsedText(clock() - runStarted, colors)}\n`;
    else text += "\n";
    text += `\n${note} Tests need ".test", "_test_", ".spec" or "_spec_" in the filename ${dim('(ex: "MyApp.test.ts")')}\n`;
    const path = config.filters.find((filter) => /\.[jt]sx?$/.test(filter) && !/^\.{0,2}\//.test(filter));
    if (path !== undefined) text += `${note} To treat the "${path}" filter as a path, run "bao test ./${path}"\n`;
  }
  if (!isAgent)
    text += `\nLearn more about bun test: ${colors ? "\x1b[35mhttps://bun.com/docs/cli/test\x1b[0m" : "https://bun.com/docs/cli/test"}\n`;
  natives.hold(text);
  return code;
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    process.stderr.write(`error: --test-name-pattern: ${(error as Error).message}\n`);
    process.reallyExit(1);
    throw error;
  }
}

/** FNV-1a, of 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** Numbers from 0 to below 1, the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  // mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c (public domain)
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** One of several parts of the files: by turns, or by their durations where these are known. */
function shardOf(files: TestFile[], config: RunConfig): TestFile[] {
  const [index, count] = config.shard!;
  if (config.timings.length > 0) return require("internal/test/bun_test/timings").balance(files, config)[index - 1];
  return files.filter((_, at) => (at % count) + 1 === index);
}

function detectCI(): boolean {
  const said = variable("CI");
  if (said === "false" || said === "0") return false;
  return [
    "CI",
    "CI_JOB_ID",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "BUILDKITE",
    "CIRCLECI",
    "TRAVIS",
    "TF_BUILD",
    "JENKINS_URL",
    "TEAMCITY_VERSION",
    "BUILD_ID",
    "RUN_ID",
  ].some((name) => {
    const value = variable(name);
    return value !== undefined && value !== "" && value !== "false";
  });
}

/** Whether a language model reads the output: it gets the failures only. */
function isAgentCalling(): boolean {
  return variable("CLAUDECODE") === "1" || variable("REPL_ID") !== undefined || variable("AGENT") === "1";
}
