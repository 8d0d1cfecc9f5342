// Tests as plain data, for reporters and for the process that started this one.

import {
  ASSERTION_COUNT,
  FAIL,
  FAILING_PASSED,
  HOOK_TIMEOUT_DONE,
  LEFT_OUT,
  NO_ASSERTIONS,
  PASS,
  SKIPPED,
  TIMEOUT,
  TODO_PASSED,
} from "internal/test/bun_test/sequence";
import { framesOf, titleOf } from "internal/test/bun_test/error_text";
import type { Sequence } from "internal/test/bun_test/sequence";
import type { Frame } from "internal/test/bun_test/types";

export interface ErrorRecord {
  name: string;
  message: string;
  /** The error as it is printed. */
  text: string;
  /** Path, line and column of the stack's places. */
  places: [string, number, number][];
}

export interface TestRecord {
  /** Path of the file as it is shown. */
  file: string;
  path: string;
  title: string;
  /** Titles of the describe blocks around it, the outermost first. */
  ancestors: string[];
  /** Lines on which these stand; 0 where no reporter asks for lines. */
  ancestorLines: number[];
  status: "pass" | "fail" | "skip" | "todo" | "filtered";
  /** Milliseconds. */
  duration: number;
  attempts: number;
  assertions: number;
  line: number;
  errors: ErrorRecord[];
}

/** What a run came to. */
export interface Summary extends Counts {
  snapshots: SnapshotSums;
  /** Milliseconds. */
  elapsed: number;
  failed: boolean;
  interrupted: boolean;
}

/** How many tests ended how, and what else is counted. */
export interface Counts {
  pass: number;
  fail: number;
  skip: number;
  todo: number;
  filtered: number;
  expects: number;
  errors: number;
  files: number;
}

export interface SnapshotSums {
  total: number;
  passed: number;
  failed: number;
  added: number;
}

/** A file as reporters are told of it. */
export interface FileRecord {
  path: string;
  title: string;
}

/** An error that belongs to no test. */
export interface StrayError {
  file: string;
  /** Undefined for a preloaded module. */
  path: string | undefined;
  error: ErrorRecord;
  /** Whether it keeps the file from being run. */
  loading: boolean;
}

/** A reporter, of ours or of the program: see reporters.ts. */
export interface Reporter {
  start?(run: { files: string[] }): unknown;
  file?(file: FileRecord): unknown;
  test?(record: TestRecord): unknown;
  error?(error: StrayError): unknown;
  /** `what`: what kept the file from its end, where that is not its loading. */
  fileFailed?(file: FileRecord & { what?: string | undefined; error: ErrorRecord | undefined }): unknown;
  fileEnd?(file: FileRecord & { duration: number }): unknown;
  /** What it returns may be a promise. */
  end?(summary: Summary): unknown;
}

/** What a process of --parallel keeps for the reporters: the method and its argument. */
export type KeptRecord = [method: keyof Reporter, record: never];

function statusOf(result: number): TestRecord["status"] {
  if (result >= FAIL) return "fail";
  return result === PASS ? "pass" : result === SKIPPED ? "skip" : result === LEFT_OUT ? "filtered" : "todo";
}

export function errorRecord(error: unknown, frames: Frame[] | undefined, text: string): ErrorRecord {
  const title = titleOf(error);
  const isObject = typeof error === "object" && error !== null;
  const message = isObject ? wordOf(error as NodeError, "message", "") : title.slice("error: ".length);
  const name = isObject ? wordOf(error as NodeError, "name", "Error") : "Error";
  return {
    name: name === "Error" && message.startsWith("expect(") ? "AssertionError" : name,
    message,
    text,
    places: framesOf(error, frames).map((frame) => [
      frame[1].startsWith("file://") ? decodeURIComponent(frame[1].slice(7)) : frame[1],
      frame[2],
      frame[3],
    ]),
  };
}

function wordOf(error: NodeError, name: "message" | "name", otherwise: string): string {
  try {
    return String(error[name] ?? otherwise);
  } catch {
    return otherwise;
  }
}

/** What a failure is that has no error of its own. */
function implied(sequence: Sequence): ErrorRecord | undefined {
  const { result } = sequence;
  const make = (name: string, message: string): ErrorRecord => ({
    name,
    message,
    text: `${name}: ${message}\n`,
    places: [],
  });
  if (result >= TIMEOUT && result <= HOOK_TIMEOUT_DONE) return make("TimeoutError", "test timed out");
  if (result === FAILING_PASSED) return make("AssertionError", "test marked with .failing() did not throw");
  if (result === TODO_PASSED) return make("AssertionError", "TODO passed");
  if (result === NO_ASSERTIONS) return make("AssertionError", "Expected to have assertions, but none were run");
  if (result === ASSERTION_COUNT)
    return make(
      "AssertionError",
      `Expected ${sequence.expectedAssertions} assertions, but received ${sequence.assertionCount}`,
    );
  return undefined;
}

export function recordOf(sequence: Sequence): TestRecord {
  const ancestors: string[] = [];
  const ancestorLines: number[] = [];
  for (let scope = sequence.scope; scope !== null && scope !== undefined; scope = scope.parent) {
    if (scope.name === undefined || scope.name === "") continue;
    ancestors.unshift(scope.name);
    ancestorLines.unshift(scope.line);
  }
  const errors: ErrorRecord[] = sequence.result >= FAIL ? (sequence.records ?? []) : [];
  const more = implied(sequence);
  return {
    file: sequence.file.title,
    path: sequence.file.path,
    title: sequence.entry?.name ?? "(unnamed)",
    ancestors,
    ancestorLines,
    status: statusOf(sequence.result),
    duration: sequence.elapsed,
    attempts: sequence.attempt,
    assertions: sequence.assertionCount,
    line: sequence.entry?.line ?? 0,
    errors: more === undefined ? errors : [...errors, more],
  };
}
