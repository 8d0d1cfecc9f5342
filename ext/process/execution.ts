// Uncaught exceptions and the end of the process (https://nodejs.org/api/process.html#event-uncaughtexception).
// Native code calls the exports; see NATIVE notes of runtime.

import { ownership } from "internal/events/async_context";
import { exitState } from "internal/core/task_queues";
import type { ChildProcess } from "internal/child_process/child";

/** Set while somebody may listen to the global object's "error" events (web/global_scope): returns whether one was canceled. */
export const scopeEvents: { report: ((error: NodeError) => boolean) | undefined } = { report: undefined };

/** A test runner in this process: what nobody catches fails the test that runs; `idle` is asked when the loop has run empty. */
export const hooks: {
  runner:
    | {
        uncaught(error: NodeError | null | undefined, fromPromise: boolean): void;
        idle(): boolean;
        stopped(why: string): void;
      }
    | undefined;
} = { runner: undefined };

/**
 * What keeps the loop alive, for a test runner that looks for what files leave behind. `sockets` and `children` are those of the
 * modules that have them, once these are loaded. `opened`, where it is set, is told of everything else that is made: its kind
 * ("" if it does not keep the loop alive), whether it is still open, and how to close it.
 */
export const resources: {
  sockets: any[] | undefined;
  children: Set<ChildProcess> | undefined;
  opened: ((kind: string, isOpen: () => boolean, close: () => void) => void) | undefined;
  /** Where a socket, listener or child was made: told of each. */
  made: ((resource: object) => void) | undefined;
} = { sockets: undefined, children: undefined, opened: undefined, made: undefined };

let captureCallback: ((error: NodeError) => void) | null = null;
// Callbacks of addUncaughtExceptionCaptureCallback(), the newest is asked first.
let extraCallbacks: Array<(error: unknown) => unknown> = [];

/** What native code ends the process with where there is nothing to call. */
const NO_HANDLER = 6;

/**
 * Native entry for an exception (or an unhandled rejection, `fromPromise`) that nobody caught: calls process._fatalException, which
 * programs wrap. Returns whether the program handled it. When it did not, 'exit' has been emitted and native prints the error and ends
 * the process. Throws what a handler throws: then native prints that error and ends with code 7.
 */
export function onUncaughtException(error: NodeError | null | undefined, fromPromise: boolean): boolean | number {
  // Those of a graph of modules (Bun.ModuleGraph) are told to it.
  if (ownership.own !== undefined) {
    const kind = fromPromise ? "unhandledRejection" : "uncaughtException";
    if (require("internal/events/ownership").takesError(error, kind)) return true;
  }
  const process = require("node:process");
  if (typeof process._fatalException !== "function") return NO_HANDLER;
  return process._fatalException(error, fromPromise) ? true : false;
}

/** What writes a diagnostic report for an error that ends the process (internal/process/report). */
export const reporting: { uncaught: ((error: unknown) => void) | undefined } = { uncaught: undefined };

/** process._fatalException, unless the program has put something else in its place. */
export function fatalException(error: NodeError, fromPromise: boolean): boolean {
  const process = require("node:process");
  const origin = fromPromise ? "unhandledRejection" : "uncaughtException";
  // In a worker an error is for its parent.
  const aborts = native("process").isMainThread() && native("process").cliOption("--abort-on-uncaught-exception");
  try {
    if (!aborts) process.emit("uncaughtExceptionMonitor", error, origin);
    for (let i = extraCallbacks.length - 1; i >= 0; i--) {
      if (extraCallbacks[i]!(error) === true) return true;
    }
  } catch (thrown) {
    if (aborts) abortBecauseOf(thrown);
    throw thrown;
  }
  if (captureCallback !== null) {
    captureCallback(error);
    return true;
  }
  // A rejection is not an "error" event.
  if (!fromPromise && scopeEvents.report?.(error) === true) return true;
  // Listeners of 'uncaughtException' do not help: the core dump is to show the place of the error.
  if (aborts) abortBecauseOf(error);
  if (process.emit("uncaughtException", error, origin)) return true;
  if (hooks.runner !== undefined) {
    hooks.runner.uncaught(error, fromPromise);
    return true;
  }
  reporting.uncaught?.(error);
  try {
    if (!exitState.exiting) {
      exitState.exiting = true;
      process.exitCode = 1;
      process.emit("exit", 1);
    }
  } catch {
    // The process ends because of the first error, and that is the one to report.
  }
  return false;
}

/** Native entry: code was ended from outside and the test runner is to go on: "time", "memory N" (its limit in MiB), or a signal. */
export function onStopped(why: string): void {
  hooks.runner?.stopped(why);
}

// --abort-on-uncaught-exception
function abortBecauseOf(error: unknown): never {
  let text: string;
  try {
    text = require("node:util").inspect(error);
  } catch {
    text = "(an error that cannot be shown)";
  }
  const ops = native("process");
  ops.stdioWrite(2, `Uncaught:\n${text}\n`);
  return ops.abort() as never;
}

/** --trace-exit: where the program ends itself. */
export function traceExit(code: number): void {
  const { isMainThread, stdioWrite, threadId } = native("process");
  const thread = isMainThread() ? "" : `, thread:${threadId()}`;
  const at: { [key: string]: unknown } = {};
  Error.captureStackTrace(at, traceExit);
  const frames = `${at.stack}`.slice(`${at.stack}`.indexOf("\n") + 1);
  stdioWrite(
    2,
    `(node:${require("node:process").pid}${thread}) WARNING: Exited the environment with code ${code}\n${frames}\n`,
  );
}

/** Native entry: the loop has run empty. Listeners may start new work. */
export function emitBeforeExit(): void {
  if (hooks.runner?.idle() === true) return;
  const process = require("node:process");
  try {
    process.emit("beforeExit", process.exitCode || 0);
  } catch (error) {
    native("loop").triggerUncaughtException(error, false);
  }
}

/**
 * Native entry: emits 'exit' unless that has happened, and returns the exit code of the process. `code` is used when
 * the program has not set process.exitCode.
 */
export function emitExit(code?: number): number {
  const process = require("node:process");
  if (!exitState.exiting) {
    exitState.exiting = true;
    if (code !== undefined && process.exitCode === undefined) process.exitCode = code;
    try {
      process.emit("exit", Number(process.exitCode ?? 0));
    } catch (error) {
      native("loop").triggerUncaughtException(error, false);
    }
  }
  return Number(process.exitCode ?? code ?? 0);
}

/** Whether the program has said with which code it ends. */
export function hasExitCode(): boolean {
  return require("node:process").exitCode !== undefined;
}

/** process.setUncaughtExceptionCaptureCallback(fn or null). */
export function setUncaughtExceptionCaptureCallback(fn: (...values: unknown[]) => unknown): void {
  const { codes } = require("internal/core/errors");
  if (fn === null) {
    captureCallback = null;
    return;
  }
  if (typeof fn !== "function") throw new codes.ERR_INVALID_ARG_TYPE("fn", ["Function", "null"], fn);
  if (captureCallback !== null) throw new codes.ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET();
  if (domainsUsedAt !== undefined) {
    const error = new codes.ERR_DOMAIN_CANNOT_SET_UNCAUGHT_EXCEPTION_CAPTURE();
    error.stack += `\n${"-".repeat(40)}\n${domainsUsedAt}`;
    throw error;
  }
  captureCallback = fn;
}

let domainsUsedAt: string | undefined;

/** For node:domain: a domain and a program's own callback exclude each other. `stack`: where it was loaded. */
export function guardCaptureCallback(stack: string): void {
  if (captureCallback !== null) throw new (require("internal/core/errors").codes.ERR_DOMAIN_CALLBACK_NOT_AVAILABLE)();
  domainsUsedAt = stack;
}

/** process.addUncaughtExceptionCaptureCallback(fn): `fn` returns true for an exception it has handled. */
export function addUncaughtExceptionCaptureCallback(fn: (...values: unknown[]) => unknown): void {
  (require("internal/core/validators").validateFunction as Check)(fn, "fn");
  extraCallbacks = [...extraCallbacks, fn];
}

export function hasUncaughtExceptionCaptureCallback(): boolean {
  return captureCallback !== null;
}
