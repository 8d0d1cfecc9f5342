// A test with its hooks while it runs, and how it ended.

import type { Timeout } from "internal/core/timers";
import type { ErrorRecord } from "internal/test/bun_test/records";
import type { FileRun } from "internal/test/bun_test/run";
import type { TestContext } from "internal/test/bun_test/vitest_context";
import type { TestRecord } from "internal/test/bun_test/types";
import { runner } from "internal/test/bun_test/state";
import { type Entry, type Scope, fullName } from "internal/test/bun_test/tree";

/** How a test ended. What is below FAIL is no failure. */
export const PENDING = 0;
export const PASS = 1;
export const SKIPPED = 2;
export const LEFT_OUT = 3;
export const TO_DO = 4;
export const FAIL = 5;
export const TIMEOUT = 6;
export const TIMEOUT_DONE = 7;
export const HOOK_TIMEOUT = 8;
export const HOOK_TIMEOUT_DONE = 9;
export const FAILING_PASSED = 10;
export const TODO_PASSED = 11;
export const NO_ASSERTIONS = 12;
export const ASSERTION_COUNT = 13;

const NONE: Entry[] = [];

const BEFORE = 0;
/** Its test runs. */
export const TEST = 1;
const ADDED = 2;
const AFTER = 3;
const LAST = 4;
/** All of it has run. */
export const OVER = 5;

/** A test with its hooks, or a hook of a whole block, while it runs. It is the `TestRecord` of the matchers. */
export class Sequence {
  /** What it belongs to. */
  declare file: FileRun;
  /** The test; a hook of a block has none. */
  declare entry: Entry | undefined;
  declare hook: Entry | undefined;
  declare scope: Scope | null;
  declare before: Entry[];
  declare after: Entry[];
  declare added: Entry[] | undefined;
  declare last: Entry[] | undefined;
  declare stage: number;
  declare at: number;
  /** What runs. */
  declare current: Entry | undefined;
  declare result: number;
  /** Milliseconds, without what lies between its calls. */
  declare elapsed: number;
  /** When a call began that is waited for. */
  declare since: number;
  /** How many processes had been started before it; -1: it has not begun. */
  declare processes: number;
  /** Its errors as data, where a reporter wants them. */
  declare records: ErrorRecord[] | undefined;
  /** How often it has been tried, or run. */
  declare attempt: number;
  declare round: number;
  /** What vitest's tests are called with. */
  declare context: TestContext | undefined;
  /** Counts calls, so that what comes late is known as such. */
  declare token: number;
  declare settled: number;
  /** Whether the call that runs is on the stack. */
  declare isCalling: boolean;
  declare timer: Timeout | undefined;
  /** Assertions of promises that the test did not wait for (expect.ts). */
  declare pending: TestRecord["pending"];
  /** Calls of matchers. */
  declare assertionCount: number;
  /** What expect.assertions() and expect.hasAssertions() said. */
  declare expectedAssertions: number | undefined;
  declare needsAssertions: boolean;
  declare soft: unknown[] | undefined;
  /** Goes on with the tests after this one. */
  declare resume: (() => void) | undefined;

  constructor(file: FileRun, entry: Entry | undefined, hook: Entry | undefined, scope: Scope | null) {
    this.file = file;
    this.entry = entry;
    this.scope = scope;
    this.stage = BEFORE;
    this.at = 0;
    this.current = undefined;
    this.result = PENDING;
    this.elapsed = 0;
    this.processes = -1;
    this.token = 0;
    this.isCalling = false;
    this.assertionCount = 0;
    if (hook !== undefined) this.hook = hook;
    else if (entry!.callback !== undefined) {
      const before = scope!.before ?? (scope!.before = hooksBefore(scope));
      if (before.length > 0) this.before = before;
      const after = scope!.after ?? (scope!.after = hooksAfter(scope));
      if (after.length > 0) this.after = after;
    }
  }

  get fullName(): string {
    return fullName(this.entry?.name, this.scope);
  }

  get softErrors(): unknown[] {
    return (this.soft ??= []);
  }

  takeSoftErrors(): unknown[] | undefined {
    const errors = this.soft;
    this.soft = undefined;
    return errors;
  }

  /** The result that what was said with expect.assertions() asks for, if it is not met. */
  unmet(): number {
    const { expectedAssertions } = this;
    if (expectedAssertions !== undefined && this.assertionCount !== expectedAssertions) return ASSERTION_COUNT;
    return this.needsAssertions && this.assertionCount === 0 ? NO_ASSERTIONS : PENDING;
  }

  get isTest(): boolean {
    return this.stage === TEST && this.hook === undefined;
  }

  /** A hook declared within the test: the newest runs first. */
  addAfter(entry: Entry): void {
    if (this.stage >= AFTER) throw new Error("Cannot call afterEach() here. Call it inside describe() instead.");
    (this.added ??= []).unshift(entry);
  }

  addLast(entry: Entry): void {
    (this.last ??= []).push(entry);
  }

  next(): Entry | undefined {
    for (;;) {
      switch (this.stage) {
        case BEFORE:
          if (this.at < this.before.length) return this.before[this.at++];
          this.stage = TEST;
          this.at = 0;
          break;
        case TEST:
          if (this.at++ === 0) return this.hook ?? this.entry;
          if (this.after.length === 0 && this.added === undefined && this.last === undefined) {
            this.stage = OVER;
            return undefined;
          }
          this.skipTo(ADDED);
          break;
        case ADDED:
          if (this.added !== undefined && this.at < this.added.length) return this.added[this.at++];
          this.skipTo(AFTER);
          break;
        case AFTER:
          if (this.at < this.after.length) return this.after[this.at++];
          this.skipTo(LAST);
          break;
        case LAST:
          if (this.last !== undefined && this.at < this.last.length) return this.last[this.at++];
          this.skipTo(OVER);
          break;
        default:
          return undefined;
      }
    }
  }

  skipTo(stage: number): void {
    this.stage = stage;
    this.at = 0;
  }

  /** After a failure: what is to clean up still runs. */
  skip(): void {
    if (this.stage <= TEST) this.skipTo(ADDED);
    else if (this.stage < LAST) this.skipTo(LAST);
  }

  /** Makes it ready to run once more. */
  again(): void {
    this.skipTo(BEFORE);
    this.added = this.last = undefined;
    this.result = PENDING;
    this.elapsed = 0;
    this.context = undefined;
    this.assertionCount = 0;
    this.expectedAssertions = undefined;
    this.needsAssertions = false;
    this.soft = undefined;
    this.file.snapshots?.resetTest(this.fullName);
  }
}

// What most tests never set: an object of few fields is made faster, and there are two of them for every test.
Object.assign(Sequence.prototype, {
  hook: undefined,
  before: NONE,
  after: NONE,
  added: undefined,
  last: undefined,
  since: 0,
  records: undefined,
  attempt: 1,
  round: 1,
  context: undefined,
  settled: 0,
  timer: undefined,
  pending: undefined,
  expectedAssertions: undefined,
  needsAssertions: false,
  soft: undefined,
  resume: undefined,
});

function hooksBefore(scope: Scope | null): Entry[] {
  const list: Entry[] = [];
  for (let at = scope; at !== null; at = at.parent) if (at.beforeEach !== undefined) list.unshift(...at.beforeEach);
  if (runner.hooks.beforeEach !== undefined) list.unshift(...runner.hooks.beforeEach);
  return list.length === 0 ? NONE : list;
}

function hooksAfter(scope: Scope | null): Entry[] {
  const list: Entry[] = [];
  for (let at = scope; at !== null; at = at.parent) if (at.afterEach !== undefined) list.push(...at.afterEach);
  if (runner.hooks.afterEach !== undefined) list.push(...runner.hooks.afterEach);
  return list.length === 0 ? NONE : list;
}
