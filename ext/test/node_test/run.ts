// run() of node:test: files of tests, each in a process of its own or all in this one.
// https://nodejs.org/api/test.html#runoptions

import type { EventData, Location, Settings, TestOptions } from "internal/test/node_test/types";
import { codes } from "internal/core/errors";
import {
  validateArray,
  validateBoolean,
  validateFunction,
  validateInteger,
  validateObject,
  validateOneOf,
  validateString,
  validateStringArray,
} from "internal/core/validators";
import { adopt, startTop, tops } from "internal/test/node_test/harness";
import { FileTest, runProcess } from "internal/test/node_test/file_run";
import { Root } from "internal/test/node_test/root";
import { context, pattern, setFilter, settings } from "internal/test/node_test/settings";
import { current, failure, Test } from "internal/test/node_test/tree";
import path from "node:path";
import stream from "node:stream";

/** Names of test files: https://nodejs.org/api/test.html#running-tests-from-the-command-line */
const NAMES = "{test,test/**/*,test-*,*[._-]test}";

export interface RunOptions {
  concurrency?: unknown;
  coverage?: unknown;
  cwd?: unknown;
  files?: unknown;
  forceExit?: unknown;
  globPatterns?: unknown;
  inspectPort?: unknown;
  isolation?: unknown;
  only?: unknown;
  setup?: unknown;
  execArgv?: unknown;
  argv?: unknown;
  signal?: AbortSignal;
  testNamePatterns?: unknown;
  testSkipPatterns?: unknown;
  timeout?: unknown;
  watch?: unknown;
  shard?: unknown;
  globalSetupPath?: unknown;
  rerunFailuresFilePath?: unknown;
  lineCoverage?: unknown;
  branchCoverage?: unknown;
  functionCoverage?: unknown;
  coverageIncludeGlobs?: unknown;
  coverageExcludeGlobs?: unknown;
  env?: unknown;
}

/** What is used here of a Readable. */
interface ReadableBase {
  push(item: unknown): boolean;
  emit(event: string, ...values: unknown[]): boolean;
  destroy(error?: Error): void;
  resume(): void;
}

const { Readable } = stream as unknown as { Readable: new (options: object) => ReadableBase };

/** The stream of a run's events; each is also emitted under its name. */
export class TestsStream extends Readable {
  #waiting: unknown[] = [];
  #flows = false;

  constructor() {
    super({ objectMode: true, highWaterMark: Number.MAX_SAFE_INTEGER });
  }

  _read(): void {
    this.#flows = true;
    while (this.#waiting.length > 0 && this.#flows) this.#flows = this.push(this.#waiting.shift());
  }

  /** Reports an event; null ends the stream. */
  tell(type: string | null, data?: EventData): void {
    if (type !== null) this.emit(type, data);
    const item = type === null ? null : { type, data };
    if (this.#flows && this.#waiting.length === 0) this.#flows = this.push(item);
    else this.#waiting.push(item);
  }
}

/** What a run needs to know, once the options have been looked at. */
export interface Plan {
  root: Root;
  stream: TestsStream;
  files: string[];
  cwd: string;
  isolation: "process" | "none";
  execArgv: string[];
  argv: string[];
  env: Record<string, string | undefined> | undefined;
  only: boolean;
  forceExit: boolean;
  names: RegExp[];
  skips: RegExp[];
  signal: AbortSignal | undefined;
  globalSetupPath: string | undefined;
  setup: ((stream: TestsStream) => unknown) | undefined;
  /** Files of the test files' processes get colors. */
  colors: boolean;
  coverage: CoverageSettings | undefined;
  /** Removes the files that the run has made for itself: to be called however it ends. */
  cleanUp: () => void;
}

/** What of a run's coverage is asked for. */
export interface CoverageSettings {
  include: string[];
  exclude: string[];
  lines: number;
  branches: number;
  functions: number;
}

function patternsOf(value: unknown, name: string): RegExp[] {
  if (value == null) return [];
  return (Array.isArray(value) ? value : [value]).map((one: unknown, index) => {
    const where = `${name}[${index}]`;
    if (typeof one === "string") return pattern(one, where);
    if (require("node:util").types.isRegExp(one)) return one as RegExp;
    throw new codes.ERR_INVALID_ARG_TYPE(where, ["string", "RegExp"], one);
  });
}

function globsOf(value: unknown, name: string): string[] {
  if (value == null) return [];
  const list: unknown = Array.isArray(value) ? value : [value];
  validateStringArray(list, name);
  return list as string[];
}

/** The files that patterns name, or those whose names say that they are tests. */
function findFiles(patterns: string[] | undefined, cwd: string): string[] {
  const { globSync } = require("node:fs");
  const isGiven = patterns !== undefined && patterns.length > 0;
  const endings = native("process").cliOption("--no-experimental-strip-types") === true ? "js" : "{js,ts}";
  const list = isGiven ? patterns : [`**/${NAMES}.{,c,m}${endings}`];
  const found = globSync(list, { cwd, exclude: (name: string) => !isGiven && name === "node_modules" }) as string[];
  if (isGiven && found.length === 0 && list.every((one) => !/[*?[{]/.test(one))) {
    process.stderr.write(`Could not find '${list.join(", ")}'\n`);
    process.exit(1);
  }
  return [...new Set(found)].sort();
}

/** Looks at the options of run(). */
function plan(options: RunOptions): Plan {
  validateObject(options, "options");
  const { files, watch, forceExit, only, globPatterns, setup, signal, timeout, globalSetupPath } = options;
  const { cwd = process.cwd(), execArgv = [], argv = [], isolation = "process", env, coverage = false } = options;
  if (files != null) validateArray(files, "options.files");
  if (watch != null) validateBoolean(watch, "options.watch");
  if (forceExit != null) {
    validateBoolean(forceExit, "options.forceExit");
    if (forceExit && watch)
      throw new codes.ERR_INVALID_ARG_VALUE("options.forceExit", watch, "is not supported with watch mode");
  }
  if (only != null) validateBoolean(only, "options.only");
  if (globPatterns != null) validateArray(globPatterns, "options.globPatterns");
  validateString(cwd, "options.cwd");
  if ((globPatterns as unknown[] | undefined)?.length && (files as unknown[] | undefined)?.length) {
    throw new codes.ERR_INVALID_ARG_VALUE(
      "options.globPatterns",
      globPatterns,
      "is not supported when specifying 'options.files'",
    );
  }
  let shard: { index: number; total: number } | undefined;
  if (options.shard != null) {
    validateObject(options.shard, "options.shard");
    const { index, total } = options.shard as { index: unknown; total: unknown };
    validateInteger(total, "options.shard.total", 1);
    validateInteger(index, "options.shard.index", 1, total as number);
    if (watch) throw new codes.ERR_INVALID_ARG_VALUE("options.shard", watch, "shards not supported with watch mode");
    shard = { index: index as number, total: total as number };
  }
  if (setup != null) validateFunction(setup, "options.setup");
  const names = patternsOf(options.testNamePatterns, "options.testNamePatterns");
  const skips = patternsOf(options.testSkipPatterns, "options.testSkipPatterns");
  validateOneOf(isolation, "options.isolation", ["process", "none"]);
  validateBoolean(coverage, "options.coverage");
  const exclude = globsOf(options.coverageExcludeGlobs, "options.coverageExcludeGlobs");
  const include = globsOf(options.coverageIncludeGlobs, "options.coverageIncludeGlobs");
  const { lineCoverage = 0, branchCoverage = 0, functionCoverage = 0 } = options;
  validateInteger(lineCoverage, "options.lineCoverage", 0, 100);
  validateInteger(branchCoverage, "options.branchCoverage", 0, 100);
  validateInteger(functionCoverage, "options.functionCoverage", 0, 100);
  validateStringArray(argv, "options.argv");
  validateStringArray(execArgv, "options.execArgv");
  if (globalSetupPath != null) validateString(globalSetupPath, "options.globalSetupPath");
  if (env != null) {
    validateObject(env, "options.env");
    if (isolation === "none")
      throw new codes.ERR_INVALID_ARG_VALUE("options.env", env, "is not supported with isolation='none'");
  }
  if (options.rerunFailuresFilePath != null)
    throw new codes.ERR_NOT_IMPLEMENTED("option rerunFailuresFilePath of test.run()");
  if (options.inspectPort != null) throw new codes.ERR_NOT_IMPLEMENTED("option inspectPort of test.run()");
  const own = settings();
  const config: Settings = {
    ...own,
    only: isolation === "none" && (only === true || own.only),
    names: isolation === "none" ? [...own.names, ...names] : [],
    skips: isolation === "none" ? [...own.skips, ...skips] : [],
    forceExit: false,
  };
  delete config.filter;
  setFilter(config);
  const root = new Root(config, {
    concurrency: options.concurrency ?? false,
    timeout,
    signal,
  } as TestOptions);
  root.decidesExitCode = false;
  const made = new TestsStream();
  root.sinks.push((type, data) => made.tell(type, data));
  let list = (files as string[] | null | undefined) ?? findFiles(globPatterns as string[] | undefined, cwd as string);
  if (shard !== undefined) list = list.filter((_, index) => index % shard.total === shard.index - 1);
  return {
    root,
    stream: made,
    files: list,
    cwd: cwd as string,
    isolation: isolation as "process" | "none",
    execArgv: execArgv as string[],
    argv: argv as string[],
    env: (env ?? undefined) as Record<string, string | undefined> | undefined,
    only: only === true,
    forceExit: forceExit === true,
    names,
    skips,
    signal,
    globalSetupPath: (globalSetupPath ?? undefined) as string | undefined,
    setup: (setup ?? undefined) as Plan["setup"],
    colors: false,
    coverage: coverage
      ? {
          include,
          exclude,
          lines: lineCoverage as number,
          branches: branchCoverage as number,
          functions: functionCoverage as number,
        }
      : undefined,
    cleanUp: () => {},
  };
}

/** Options of this process that say nothing to the processes of its files. */
const OWN_FLAGS = new Set(["--test", "--experimental-test-coverage", "--watch"]);
/** The same with a value. */
const OWN_VALUES = new Set([
  "--test-reporter",
  "--test-reporter-destination",
  "--test-concurrency",
  "--test-shard",
  "--test-isolation",
  "--experimental-test-isolation",
  "--test-global-setup",
  "--test-coverage-include",
  "--test-coverage-exclude",
  "--test-coverage-lines",
  "--test-coverage-branches",
  "--test-coverage-functions",
]);

function inherited(list: string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < list.length; index++) {
    const word = list[index]!;
    const at = word.indexOf("=");
    const name = at < 0 ? word : word.slice(0, at);
    if (OWN_FLAGS.has(word)) continue;
    if (OWN_VALUES.has(name)) {
      if (at < 0) index++;
      continue;
    }
    kept.push(word);
  }
  return kept;
}

function argsOf(file: string, one: Plan): string[] {
  const args = inherited(process.execArgv);
  if (one.forceExit) args.push("--test-force-exit");
  for (const name of one.names) args.push(`--test-name-pattern=${name}`);
  for (const name of one.skips) args.push(`--test-skip-pattern=${name}`);
  if (one.only) args.push("--test-only");
  const { timeout } = one.root;
  if (timeout !== Infinity) args.push(`--test-timeout=${timeout}`);
  args.push(...one.execArgv, file, ...one.argv);
  return args;
}

/** Numbers of the processes that run at the same time, from 1. */
class Places {
  #taken = new Set<number>();
  take(): number {
    let place = 1;
    while (this.#taken.has(place)) place++;
    this.#taken.add(place);
    return place;
  }
  free(place: number): void {
    this.#taken.delete(place);
  }
}

function declareFile(
  one: Plan,
  file: string,
  places: Places,
  extra: Record<string, string | undefined>,
): Promise<void> {
  const { root, signal } = one;
  const where: Location = { file: path.resolve(one.cwd, file), line: 1, column: 1 };
  const test: FileTest = root.createSubtest(
    FileTest,
    file,
    { signal },
    async (t: { signal: AbortSignal }) => {
      const place = places.take();
      const env: Record<string, string | undefined> = {
        ...(one.env ?? process.env),
        NODE_TEST_CONTEXT: "child-v8",
        NODE_TEST_WORKER_ID: String(place),
        ...extra,
      };
      if (one.colors) env.FORCE_COLOR = "1";
      try {
        await runProcess(test, { args: argsOf(file, one), cwd: one.cwd, env }, t.signal);
      } finally {
        places.free(place);
      }
    },
    {},
    where,
  ) as FileTest;
  return test.start();
}

/** The hooks of a whole run. */
interface GlobalSetup {
  globalSetup?: unknown;
  globalTeardown?: unknown;
}

async function globalSetup(one: Plan): Promise<() => Promise<void>> {
  if (one.globalSetupPath === undefined) return async () => {};
  const file = path.resolve(one.cwd, one.globalSetupPath);
  const module: GlobalSetup = await import(require("node:url").pathToFileURL(file).href);
  const { globalSetup: begin, globalTeardown: end } = module;
  if (begin !== undefined) validateFunction(begin, "globalSetupFunction");
  if (end !== undefined) validateFunction(end, "globalTeardownFunction");
  if (typeof begin === "function") await begin();
  return async () => {
    if (typeof end === "function") await end();
  };
}

/** All files in this process, in their order; the tests run once all are declared. */
async function runHere(one: Plan): Promise<void> {
  const { root, cwd } = one;
  const { promise, resolve } = Promise.withResolvers<void>();
  const undo = adopt(root, promise);
  const running: Promise<void>[] = (tops.running = []);
  try {
    await current.run(root, async () => {
      for (const file of one.files) {
        const where: Location = { file: path.resolve(cwd, file), line: 1, column: 1 };
        const before = root.subtests.length;
        let wrong: { error: unknown } | undefined;
        try {
          await import(require("node:url").pathToFileURL(where.file).href);
        } catch (error) {
          wrong = { error };
        }
        if (root.subtests.length > before && wrong === undefined) continue;
        // Without tests the file itself is one.
        const test = root.createSubtest(Test, file, {}, undefined, {}, where);
        if (wrong !== undefined) test.fn = () => Promise.reject(wrong.error);
        void startTop(test);
      }
    });
    resolve();
    // Tests may declare more of them.
    for (let count = 0; count < running.length;) {
      count = running.length;
      await Promise.all(running);
    }
  } finally {
    tops.running = undefined;
    undo();
  }
}

async function runFiles(one: Plan): Promise<void> {
  const places = new Places();
  const coverage =
    one.coverage === undefined ? undefined : require("internal/test/node_test/coverage").begin(one, one.coverage);
  if (one.isolation === "none") await runHere(one);
  else await Promise.allSettled(one.files.map((file) => declareFile(one, file, places, coverage?.env ?? {})));
  if (coverage !== undefined) one.root.ending.push(() => coverage.report());
}

/** Begins a run and gives what it is made of; `prepare` is called before the first event. */
export function begin(options: RunOptions, prepare?: (one: Plan) => Promise<void>): Plan {
  const one = plan(options);
  const { root, stream: made } = one;
  const where = context();
  if (where !== undefined && one.isolation === "process") {
    process.emitWarning("node:test run() is being called recursively within a test file. skipping running files.");
    root.ready();
    void root.end().then(() => made.tell(null));
    return one;
  }
  if (options.watch === true) {
    require("internal/test/node_test/watch").start(one, prepare);
    return one;
  }
  void (async () => {
    let end = async () => {};
    try {
      if (prepare === undefined) root.ready();
      else await prepare(one);
      await one.setup?.(made);
      end = await globalSetup(one);
      await runFiles(one);
      await root.end(failure("test did not finish before its parent and was cancelled", "cancelledByParent"));
      await end();
    } catch (error) {
      made.destroy(error as Error);
      return;
    } finally {
      one.cleanUp();
    }
    made.tell(null);
  })();
  return one;
}

/** `run()` of node:test. */
export function run(options: RunOptions = {}): TestsStream {
  return begin(options).stream;
}

export { declareFile, Places };
