// What the runner of `bao test` and the API half of `bun:test` know of each other.
//
// The runner (main.ts, run.ts, sequence.ts, tree.ts, ext/test/bun/test.ts) owns the tree of tests and hooks; the API half (the
// other files here) owns what is called inside of a test. `expect`, `mock` and the rest are one per realm: a helper module or a preload that extends `expect`
// does so for all files. What differs from file to file is the context, which the runner sets before it loads a test file:
//
//     const { makeExpect, settlePending, totals } = require("internal/test/bun_test/expect");
//     const { expect, snapshotState, restoreMocks } = makeExpect(context);   // makes `context` the current one
//     ... load the file; wait for require("internal/test/bun_test/module_mock").pendingMocks() if that is loaded and gives a promise ...
//     for each test, after its body and its afterEach hooks:
//         const late = settlePending(test);       // undefined, or a promise of the first error (or undefined) of assertions on
//                                                 // promises that the test did not wait for; await it before the test is over
//         test.assertionCount, expectedAssertions, needsAssertions    // expect.assertions / hasAssertions
//         test.softErrors                         // errors of expect.soft, in order: the test failed if there are any
//     const counts = snapshotState.finish();      // writes files; throws nothing: see SnapshotCounts.errors
//     restoreMocks();                             // spies, module mocks, fake timers, stubs of this file; not those of a preload
//
// `totals.assertions` counts the calls of matchers in all files, also outside of tests.
//
// A test retried or repeated gets a new TestRecord; `snapshotState.resetTest(fullName)` starts its
// snapshot numbers again. `snapshotState.markSkipped(fullName)` keeps the snapshots of a test that did not run from being obsolete.
//
//     const { makeEach, formatTitle } = require("internal/test/bun_test/each_title");
//     makeEach(register)(table)(title, fn, options)      // register(title, fn, options) once for each row; fn bound to the row
//
//     const { mock, spyOn, jest, vi, setSystemTime } = require("internal/test/bun_test/jest");     // the public objects
//     const { expectTypeOf } = require("internal/test/bun_test/expect_type_of");
//
// Modules whose exports `bun:test` only needs at times (jest, expect_type_of) may be required inside of getters.

import type { Assertion } from "internal/test/bun_test/expect";

/** A test file: its path, and the path as it is shown. */
export type TestFile = [path: string, title: string];

/** A place of a stack, as the engine gives it. */
export type Frame = [name: string, source: string, line: number, column: number, isAsync: boolean];

/** What the command line and bunfig.toml ask for: written by cli/scripts/src/test_command. Flags that are not set are missing. */
export interface RunConfig {
  files: TestFile[];
  preload: string[];
  /** Words of the command line that chose the files, the first of them that fits none, and how many files were searched. */
  filters: string[];
  missing?: string;
  searched: number;
  timeout?: number;
  loadTimeout?: number;
  detectOpenHandles?: boolean;
  noOrphans?: boolean;
  updateSnapshots?: boolean;
  updateTimings?: boolean;
  timings: string[];
  rerunEach?: number;
  retry?: number;
  todo?: boolean;
  only?: boolean;
  passWithNoTests?: boolean;
  concurrent?: boolean;
  concurrentTestGlob?: string[];
  maxConcurrency?: number;
  randomize?: boolean;
  seed?: number;
  /** Of the file that runs, with `randomize`: made of the seed and its title. */
  random?: () => number;
  bail?: number;
  namePattern?: string;
  reporters: string[];
  reporterOutfile?: string;
  junit?: string;
  dots?: boolean;
  onlyFailures?: boolean;
  /** What git is asked to compare with; "": what is not committed. */
  changed?: string;
  isolate?: boolean;
  /** Processes; 0: as many as there are processors. */
  parallel?: number;
  parallelDelay?: number;
  /** With `parallel`: the first line of the output, without what the number of processes adds to it. */
  header?: string;
  shard?: [index: number, count: number];
  coverage?: CoverageConfig;
  watch?: boolean;
  /** What --watch runs again: files that failed, or what `rerunPaths` have an effect on. */
  rerun?: string;
  rerunPaths: string[];
  /** Whether this is a process of --parallel. */
  worker?: boolean;
}

export interface CoverageConfig {
  reporters: string[];
  dir?: string;
  threshold?: number | Partial<Record<Metric, number>>;
  countsTests?: boolean;
  all?: boolean;
  include: string[];
  ignore: string[];
  /** Paths of all test files, where the process runs only some. */
  tests?: string[];
}

export type Metric = "line" | "function" | "statement" | "branch";

/** What a process of --parallel is told in its first line. */
export interface WorkerConfig extends RunConfig {
  wantsRecords: boolean;
  isAgent: boolean;
  /** What it prints when a file is over. */
  mark: string;
}

/** What a running test tells of itself and is told. */
export interface TestRecord {
  /** Names of its describe blocks and its own, joined by spaces: the name of its snapshots. */
  fullName: string;
  /** Calls of matchers so far. */
  assertionCount: number;
  /** `expect.assertions(n)`. */
  expectedAssertions?: number | undefined;
  /** `expect.hasAssertions()`. */
  needsAssertions: boolean;
  /** Errors of `expect.soft`, which do not end a test. */
  softErrors: unknown[];
  /** Assertions on promises that are not known to have ended; `settlePending` waits for them. */
  pending?: Assertion[] | undefined;
}

export interface ExpectContext {
  /** Absolute path of the test file. */
  testPath: string;
  /** The test that the calling code belongs to (the runner knows by its async context when tests run concurrently). */
  currentTest(): TestRecord | undefined;
  options: {
    /** `-u`: snapshots that differ are written, obsolete ones removed. */
    updateSnapshots: boolean;
    /** New snapshots are errors instead of being written. */
    ci: boolean;
    /** Whether messages of failed assertions are coloured; as standard error is by default. */
    colors?: boolean;
  };
  /** Set by the first snapshot: whether there is anything to finish. */
  usesSnapshots?: boolean;
  /** `jest.setTimeout(ms)`: limit of the tests of this file that name none. */
  setDefaultTimeout?(milliseconds: number): void;
}

export interface SnapshotCounts {
  /** Snapshots that did not exist, including inline ones. */
  added: number;
  /** Snapshots replaced because of `-u`. */
  updated: number;
  matched: number;
  failed: number;
  /** Names of snapshots in the file that no test asked for. Removed from the file with `-u`. */
  obsolete: string[];
  removed: number;
  /** Files that were written: snapshot files and sources with inline snapshots. */
  written: string[];
  /** What went wrong while writing (read-only files, a source changed meanwhile): failures of the file. */
  errors: Error[];
}

export interface SnapshotState {
  finish(): SnapshotCounts;
  resetTest(fullName: string): void;
  markSkipped(fullName: string): void;
}

export interface ExpectInstance {
  expect: unknown;
  snapshotState: SnapshotState;
  restoreMocks(): void;
}

// `finish()` with -u removes what no test asked for: mark the tests that were skipped or filtered out, and those that failed
// before they came to their snapshots. When only a part of a file's tests is run, mark all others.
