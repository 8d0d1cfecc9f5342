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
  pending?: Promise<unknown>[] | undefined;
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
