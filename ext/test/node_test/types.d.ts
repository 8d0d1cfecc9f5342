// The types of node:test: https://nodejs.org/api/test.html

import type { RunOptions, TestsStream } from "internal/test/node_test/run";
import type { Test } from "internal/test/node_test/tree";

/** Where the program calls `test` and the like. */
export interface Location {
  file: string;
  line: number | null;
  column: number | null;
}

/** ERR_TEST_FAILURE */
export interface TestFailure extends Error {
  code: string;
  failureType: string;
  cause: unknown;
  location?: Location | undefined;
}

/** The function of a test, suite or hook. */
export type TestFunction = (this: unknown, ...args: unknown[]) => unknown;

/** The options of a test or suite as the program gives them, with what the call adds. */
export interface TestOptions {
  name?: unknown;
  fn?: TestFunction | undefined;
  location?: Location | undefined;
  concurrency?: unknown;
  only?: unknown;
  timeout?: unknown;
  todo?: unknown;
  skip?: unknown;
  signal?: AbortSignal;
  plan?: unknown;
  /** True, a text, what assert.throws() takes, or `{ label, with }`. */
  expectFailure?: unknown;
}

export interface HookOptions {
  timeout?: number | null;
  signal?: AbortSignal;
}

/** What the command line says to node:test. */
export interface Settings {
  only: boolean;
  names: RegExp[];
  skips: RegExp[];
  reporters: string[];
  destinations: string[];
  updateSnapshots: boolean;
  forceExit?: boolean;
  timeout?: number;
  /** Whether a test runs; of `names` and `skips`. */
  filter?: (test: Test) => boolean;
}

/** The root of a tree of tests. */
export interface RootTest extends Test {
  config: Partial<Settings>;
  emit(type: string, data: Partial<EventData>): void;
  /** Takes a test that is over into the sums. */
  count(test: Test): void;
}

/** What an event of the reporters says; what of it there is depends on the event. */
export interface EventData {
  name: string;
  nesting: number;
  type: string;
  testNumber: number;
  details: { duration_ms: number; type: string; error?: TestFailure; passed?: boolean };
  skip?: string | true;
  todo?: string | true;
  expectFailure?: unknown;
  /** Of a plan. */
  count: number;
  /** Of a diagnostic, or of output. */
  message: string;
  level: string;
  /** Of a summary. */
  success: boolean;
  counts: Record<string, number>;
  duration_ms: number;
  file?: string | undefined;
  line?: number | null;
  column?: number | null;
}

/** Makes text of events. */
export type Format = (type: string, data: EventData) => string;

/** Declares a test or a suite. */
type Declare = (name?: unknown, options?: unknown, fn?: unknown) => Promise<void>;

/** `test` and `suite`; what is optional is added by node:test. */
export interface Declarer extends Declare {
  expectFailure: Declare;
  skip: Declare;
  todo: Declare;
  only: Declare;
  test?: Declarer;
  it?: Declarer;
  describe?: Declarer;
  suite?: Declarer;
  before?: DeclareHook;
  after?: DeclareHook;
  beforeEach?: DeclareHook;
  afterEach?: DeclareHook;
  run?: (options?: RunOptions) => TestsStream;
}

export type DeclareHook = (fn?: unknown, options?: HookOptions) => void;
