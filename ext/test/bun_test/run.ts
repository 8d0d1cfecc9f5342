// Runs the tests of one file. Nothing here is a promise of the runner's own: a test that returns at once is over at once, and
// the next one is called from the same loop; one that waits leaves the loop, and what it waits for takes it up again.

import type { ErrorRecord } from "internal/test/bun_test/records";
import type { ExpectContext, ExpectInstance, Frame, SnapshotState } from "internal/test/bun_test/types";
import type { TestContext } from "internal/test/bun_test/vitest_context";
import { runNextTicks } from "internal/core/task_queues";
import { Immediate, Timeout, clearTimer, startTimer } from "internal/core/timers";
import { killSince, processes } from "internal/test/bun_test/processes";
import {
  FAIL,
  FAILING_PASSED,
  HOOK_TIMEOUT,
  HOOK_TIMEOUT_DONE,
  LEFT_OUT,
  OVER,
  PASS,
  PENDING,
  SKIPPED,
  Sequence,
  TIMEOUT,
  TIMEOUT_DONE,
  TODO_PASSED,
  TO_DO,
} from "internal/test/bun_test/sequence";
import { BaseError, runner } from "internal/test/bun_test/state";
import { setScript } from "internal/test/bun_test/light_process";
import { Entry, FAILING, FILTERED, NORMAL, ONLY, Scope, TODO, isLeftOut } from "internal/test/bun_test/tree";

const natives = native("test");
/** Milliseconds since the process started, whatever the program has done to `performance`. */
export const clock: () => number = native("process").nowMs;

/** Of the last call of a function: its microseconds, and one of the following. */
const cells: Uint32Array = natives.callCells();
/** It is over, and microtasks have run. */
const CALL_OVER = 1;
/** It returned a promise that was rejected; what call() gave is the reason. */
const CALL_REJECTED = 2;

/** A hook of a block. */
class HookStep {
  declare entry: Entry;
  declare scope: Scope | null;
  /** Where to go on after a failure. */
  skipTo = 0;
  constructor(entry: Entry, scope: Scope | null) {
    this.entry = entry;
    this.scope = scope;
  }
}

type Step = Entry | Entry[] | HookStep;

/** Thrown by process.exit() and the like, so that what called it ends. */
export class ExitCalled extends Error {
  constructor(name: string, code: unknown) {
    super(`process.${name}(${code === undefined ? "" : String(code)}) was called`);
  }
}

/** What code may run beyond its timeout before it is ended, so that timers come first; milliseconds. */
const BEYOND = 50;

/** Thrown by the `skip` of vitest's contexts. */
export class SkipCalled extends Error {}

/** Whether an error, which may be a proxy that throws, is one of the runner's own. */
const isMade = (error: unknown, constructor: typeof SkipCalled | typeof ExitCalled) =>
  BaseError.isError(error) && Object.getPrototypeOf(error) === constructor.prototype;

/** Whether native code ended a function that did not come back. */
function isOverdue(error: unknown): boolean {
  if (!BaseError.isError(error)) return false;
  return Object.getOwnPropertyDescriptor(error, "code")?.value === "ERR_TEST_TIMEOUT";
}

function contextOf(sequence: Sequence, entry: Entry): unknown {
  return require("internal/test/bun_test/vitest_context").contextOf(sequence, entry);
}

/** One test file, from its loading to its end. */
export class FileRun {
  declare path: string;
  declare title: string;
  /** Which of the runs of --rerun-each, from 0. */
  declare round: number;
  declare concurrent: boolean;
  /** 0: tests are declared; 1: they run; 2: over. */
  phase = 0;
  declare root: Scope;
  /** The block in which tests are declared. */
  declare scope: Scope;
  /** Blocks declared by the function that runs, and their functions. */
  declared: (Scope | Function)[] = [];
  /** Blocks that wait for theirs to run, the next one last. */
  waiting: (Scope | Function)[] = [];
  plan: Step[] = [];
  at = 0;
  /** The sequence that runs alone. */
  sequence: Sequence | undefined = undefined;
  group: Group | undefined = undefined;
  /** The context of its matchers, and what makeExpect() gave for it; undefined where only hooks run. */
  context: ExpectContext | undefined = undefined;
  instance: ExpectInstance | undefined = undefined;
  elapsed = 0;
  /** `jest.retryTimes`: how often failing tests are tried again, and milliseconds before each time. */
  retries = 0;
  retryWait = 0;
  /** The last error that belonged to no test, as data. */
  lastError: ErrorRecord | undefined = undefined;
  /** What has to be called when a module or block that waits is ready. */
  #resume: (() => void) | undefined = undefined;
  #done: () => void;
  /** Ends a file whose loading waits for too long. */
  #loadTimer: Timeout | undefined = undefined;
  /** How many modules there were before it was loaded. */
  #mark = 0;
  /** Whether hooks for all files run with this one. */
  isFirst = false;
  isLast = false;

  constructor(path: string, title: string, round: number, done: () => void) {
    this.path = path;
    this.title = title;
    this.round = round;
    this.concurrent = Boolean(runner.config.concurrent) || matchesConcurrent(title);
    this.scope = this.root = new Scope(
      null,
      undefined,
      { mode: NORMAL, concurrent: undefined, only: false, context: false },
      0,
    );
    this.#done = done;
  }

  /** The file's snapshots, if there are any. */
  get snapshots(): SnapshotState | undefined {
    return this.context?.usesSnapshots === true ? this.instance!.snapshotState : undefined;
  }

  /** The sequence that the calling code belongs to; undefined where several run at once and it is not known. */
  currentSequence(): Sequence | undefined {
    return this.sequence ?? this.group?.current();
  }

  /** Loads the file. */
  start(): void {
    let loading: Promise<unknown> | undefined;
    this.#mark = natives.moduleCount();
    this.#limitLoading();
    try {
      loading = natives.call(load, 0, this.path) as Promise<unknown> | undefined;
      runNextTicks();
    } catch (error) {
      if (isOverdue(error)) return this.#loadFailed(this.#overdue());
      // An error knows where it was made.
      const frames = natives.thrownFrames();
      return this.#loadFailed(error, BaseError.isError(error) ? undefined : frames);
    }
    if (loading === undefined) return this.#collect();
    const [state, reason] = native("inspect").promiseDetails(loading) ?? [1];
    if (state === 1) return this.#collect();
    if (state === 2) {
      loading.then(undefined, () => {});
      return this.#loadFailed(reason);
    }
    const go = () => {};
    this.#resume = go;
    this.#limitWaiting();
    loading.then(
      () => later(() => this.#resume === go && this.#collect()),
      (error: unknown) => later(() => this.#resume === go && this.#loadFailed(error)),
    );
  }

  /** From now on the file, or the function of a block, has as long as it may take to declare its tests. */
  #limitLoading(): void {
    const limit = loadTimeout();
    if (limit > 0) natives.arm(limit + BEYOND);
  }

  /** The same while it waits for something. */
  #limitWaiting(): void {
    const limit = loadTimeout();
    if (limit === 0) return;
    const end = () => {
      this.#loadTimer = undefined;
      if (this.phase === 0) this.#loadFailed(this.#overdue());
    };
    if (this.#loadTimer !== undefined) clearTimer(this.#loadTimer);
    this.#loadTimer = startTimeout(end, limit);
    this.#loadTimer.unref();
  }

  #stopLoadTimer(): void {
    natives.arm(0);
    if (this.#loadTimer !== undefined) clearTimer(this.#loadTimer);
    this.#loadTimer = undefined;
  }

  #overdue(): Error {
    const error = new BaseError(`this file was not loaded within ${loadTimeout()}ms (--load-timeout)`);
    error.stack = undefined;
    return error;
  }

  /** Instead of a file: the hooks of preloaded modules that are for the end of all files. */
  runHooks(): void {
    this.phase = 1;
    this.#makePlan();
    this.advance();
  }

  #loadFailed(error: unknown, frames?: Frame[]): void {
    this.#resume = undefined;
    this.#stopLoadTimer();
    const { isA, property } = require("internal/test/bun_test/error_text");
    if (isA(error, SyntaxError) || property(error ?? {}, "code") === "ERR_MODULE_NOT_FOUND")
      natives.forgetModulesSince(this.#mark);
    runner.reporter.betweenTests(this, error, frames, true);
    this.phase = 2;
    runner.reporter.fileFailed(this);
    this.#done();
  }

  /** Runs the functions of blocks, those within a block before those after it. */
  #collect(): void {
    this.#resume = undefined;
    const mocks = runner.pendingMocks?.();
    if (mocks !== undefined) {
      const go = () => later(() => this.#collect());
      this.#resume = go;
      mocks.then(go, go);
      return;
    }
    if (this.root.failed) this.root.entries = [];
    else {
      this.#takeDeclared();
      const { waiting } = this;
      while (waiting.length > 0) {
        const callback = waiting.pop() as Function;
        const scope = waiting.pop() as Scope;
        this.scope = scope;
        let result: PromiseLike<unknown> | undefined;
        try {
          result = natives.call(callback, 0, undefined) as PromiseLike<unknown> | undefined;
          if (cells[1] === CALL_REJECTED) {
            this.#blockFailed(scope, result);
            result = undefined;
          }
        } catch (error) {
          if (isOverdue(error)) {
            this.#blockFailed(scope, this.#overdue());
            this.#limitLoading();
          } else this.#blockFailed(scope, error, natives.thrownFrames());
        }
        if (typeof result?.then === "function") {
          const go = () => {
            if (this.#resume !== go) return;
            this.#takeDeclared();
            this.#collect();
          };
          this.#resume = go;
          this.#limitLoading();
          this.#limitWaiting();
          result.then(
            () => later(go),
            (error: unknown) => {
              this.#blockFailed(scope, error);
              later(go);
            },
          );
          return;
        }
        runNextTicks();
        this.#takeDeclared();
      }
    }
    this.scope = this.root;
    try {
      this.#makePlan();
    } catch (error) {
      return this.#loadFailed(error);
    }
    this.phase = 1;
    this.#stopLoadTimer();
    this.advance();
  }

  #takeDeclared(): void {
    const { declared } = this;
    if (declared.length === 0) return;
    for (let index = declared.length - 2; index >= 0; index -= 2)
      this.waiting.push(declared[index], declared[index + 1]);
    declared.length = 0;
  }

  #blockFailed(scope: Scope, error: unknown, frames?: Frame[]): void {
    scope.failed = true;
    this.declared.length = 0;
    runner.reporter.betweenTests(this, error, frames);
  }

  #makePlan(): void {
    const { plan, root } = this;
    const all = root.only === 0 && runner.filter === undefined;
    const early = this.isFirst ? this.#planHooks(runner.hooks.beforeAll, null) : 0;
    const from = plan.length - early;
    this.#planScope(root, all, !runner.config.only);
    for (let index = from; index < from + early; index++) (plan[index] as HookStep).skipTo = plan.length;
    if (this.isLast) {
      const start = plan.length;
      this.#planHooks(runner.hooks.afterAll, null);
      for (let index = start; index < plan.length; index++) (plan[index] as HookStep).skipTo = index + 1;
    }
  }

  #planHooks(hooks: Entry[] | undefined, scope: Scope | null): number {
    if (hooks === undefined) return 0;
    let count = 0;
    // Those of a block that is skipped have no function.
    for (const hook of hooks) {
      if (hook.callback === undefined) continue;
      this.plan.push(new HookStep(hook, scope));
      count++;
    }
    return count;
  }

  /** `chosen`: with --only, whether a block around it says `only`. */
  #planScope(scope: Scope, all: boolean, chosen: boolean): void {
    if (scope.failed) return;
    chosen ||= scope.only === ONLY;
    const { plan } = this;
    const first = plan.length;
    const uses = (all || scope.runs) && (chosen || hasChosen(scope));
    const count = uses ? this.#planHooks(scope.beforeAll, scope) : 0;
    const { entries } = scope;
    if (runner.config.random !== undefined || scope.shuffled) shuffle(entries, runner.config.random ?? Math.random);
    for (const entry of entries) {
      if (isLeftOut(scope, entry)) continue;
      if (entry instanceof Scope) {
        this.#planScope(entry, all, chosen);
        continue;
      }
      if (!chosen && entry.only !== ONLY) continue;
      if (!entry.concurrent) {
        plan.push(entry);
      } else {
        const last = plan[plan.length - 1];
        if (Array.isArray(last)) last.push(entry);
        else plan.push([entry]);
      }
    }
    for (let index = first; index < first + count; index++) (plan[index] as HookStep).skipTo = plan.length;
    if (uses && scope.afterAll !== undefined) {
      const start = plan.length;
      this.#planHooks(scope.afterAll, scope);
      for (let index = start; index < plan.length; index++) (plan[index] as HookStep).skipTo = index + 1;
    }
  }

  /** Runs what is left of the plan, as far as it goes without waiting. */
  advance(): void {
    const { plan } = this;
    while (this.at < plan.length) {
      const step = plan[this.at]!;
      if (step instanceof Entry) {
        if (step.callback === undefined) {
          this.#withoutCallback(step);
          this.at++;
          continue;
        }
        const sequence = new Sequence(this, step, undefined, step.parent);
        this.sequence = sequence;
        const after = () => {
          this.sequence = undefined;
          this.at++;
        };
        // Set before the call: code that is ended because it took too long may have taken this frame with it.
        sequence.resume = () => {
          after();
          this.advance();
        };
        if (!this.run(sequence)) return;
        after();
      } else if (step instanceof HookStep) {
        const sequence = new Sequence(this, undefined, step.entry, step.scope);
        this.sequence = sequence;
        const after = () => {
          this.sequence = undefined;
          if (sequence.result >= FAIL) this.at = step.skipTo;
          else this.at++;
        };
        sequence.resume = () => {
          after();
          this.advance();
        };
        if (!this.run(sequence)) return;
        after();
      } else {
        const group = new Group(this, step);
        this.group = group;
        if (
          !group.start(() => {
            this.group = undefined;
            natives.arm(0);
            this.at++;
            this.advance();
          })
        ) {
          return;
        }
        this.group = undefined;
        this.at++;
      }
      if (runner.reporter.hasBailed) return;
    }
    this.phase = 2;
    this.#done();
  }

  #withoutCallback(entry: Entry): void {
    const sequence = new Sequence(this, entry, undefined, entry.parent);
    sequence.result = entry.mode === TODO ? TO_DO : entry.mode === FILTERED ? LEFT_OUT : SKIPPED;
    // A test without a function that is not marked at all is one to be written.
    if (entry.mode === NORMAL) sequence.result = TO_DO;
    this.snapshots?.markSkipped(sequence.fullName);
    runner.reporter.test(sequence);
  }

  /** Runs a sequence; false: it waits for something, and `resume` is called when it is over. */
  run(sequence: Sequence): boolean {
    for (;;) {
      const entry = sequence.next();
      if (entry === undefined) {
        if (this.#complete(sequence)) return true;
        if (this.retryWait > 0 && sequence.attempt > 1) {
          startTimeout(() => {
            if (this.run(sequence)) sequence.resume!();
          }, this.retryWait);
          return false;
        }
        continue;
      }
      if (!this.#call(sequence, entry)) return false;
    }
  }

  /** Calls one function; false: it waits. */
  #call(sequence: Sequence, entry: Entry): boolean {
    const token = ++sequence.token;
    sequence.current = entry;
    if (sequence.processes < 0) sequence.processes = processes.started;
    const { timeout } = entry;
    let done: Done | undefined;
    // A promise, where it is asynchronous.
    let result: PromiseLike<unknown> | undefined;
    let threw = false;
    sequence.isCalling = true;
    if (entry.hasDone) done = new Done(this, sequence, token);
    try {
      const argument = entry.takesContext ? contextOf(sequence, entry) : done?.callback;
      let { callback } = entry;
      if (
        entry.takesContext &&
        sequence.entry?.fixtures !== undefined &&
        (entry === sequence.entry || entry.parent !== null)
      ) {
        const { callback: inner } = entry;
        const { fixtures } = sequence.entry;
        callback = (context: TestContext) =>
          require("internal/test/bun_test/fixtures").callWithFixtures(fixtures, inner!, sequence, context);
      }
      result = natives.call(callback!, timeout === 0 ? 0 : timeout + 50, argument) as PromiseLike<unknown> | undefined;
      if (cells[1] === CALL_REJECTED) {
        threw = true;
        this.fail(sequence, result);
        result = undefined;
      }
      if (entry.takesContext)
        result = require("internal/test/bun_test/vitest_context").afterCall(sequence, entry, result);
    } catch (error) {
      threw = true;
      if (isOverdue(error) && timeout > 0) this.#timedOut(sequence, entry);
      else this.fail(sequence, error, natives.thrownFrames());
    }
    const took = cells[0]! / 1000;
    const hasRunMicrotasks = cells[1] === CALL_OVER;
    if (sequence.pending !== undefined && !threw) result = afterPending(sequence, result);
    let waits = false;
    // When a call began that something is still to come of.
    let since = 0;
    if (!threw) {
      if (typeof result === "object" && result !== null && typeof result.then === "function") {
        waits = true;
        result.then(
          () => {
            if (done === undefined || done.isCalled || sequence.token !== token) this.settle(sequence, token);
            else done.promiseIsDone = true;
          },
          (error: unknown) => {
            if (sequence.token !== token) return;
            this.fail(sequence, error);
            this.settle(sequence, token);
          },
        );
      } else if (done !== undefined && !done.isCalled) waits = true;
      if (done !== undefined && waits) done.hasPromise = typeof result?.then === "function";
      if (waits) since = clock() - took;
    }
    if (waits && timeout > 0) this.#limit(timeout + BEYOND);
    if (!hasRunMicrotasks || waits) runNextTicks();
    sequence.isCalling = false;
    // What an unhandled error already ended does not wait.
    if (waits && sequence.settled !== token) {
      if (timeout > 0) {
        // One more, because the loop's time is in whole milliseconds.
        const left = Math.max(1, timeout - (clock() - since)) + 1;
        sequence.timer = startTimeout(() => {
          sequence.timer = undefined;
          if (sequence.token !== token) return;
          this.#timedOut(sequence, entry);
          this.#next(sequence);
        }, left);
      } else this.#limit(0);
      sequence.since = since;
      return false;
    }
    if (waits && this.group === undefined) natives.arm(0);
    sequence.token++;
    sequence.elapsed += waits ? clock() - since : took;
    if (!waits && took > timeout && timeout > 0 && !threw && sequence.result < FAIL) this.#timedOut(sequence, entry);
    return true;
  }

  /** Code that runs for longer than so many milliseconds from now is ended; 0: none. */
  #limit(milliseconds: number): void {
    if (this.group === undefined) natives.arm(milliseconds);
    else this.group.limit(milliseconds);
  }

  #timedOut(sequence: Sequence, entry: Entry): void {
    // Of tests that run at once nobody knows whose a process is.
    if (this.sequence === sequence) {
      const killed = killSince(sequence.processes);
      if (killed > 0) runner.reporter.note(`killed ${killed} dangling process${killed === 1 ? "" : "es"}`);
    }
    sequence.token++;
    sequence.result = sequence.isTest
      ? entry.hasDone
        ? TIMEOUT_DONE
        : TIMEOUT
      : entry.hasDone
        ? HOOK_TIMEOUT_DONE
        : HOOK_TIMEOUT;
    sequence.skip();
  }

  /** The call number `token` is done. */
  settle(sequence: Sequence, token: number): void {
    if (sequence.token !== token || sequence.settled === token) return;
    sequence.settled = token;
    if (sequence.isCalling) return;
    stop(sequence);
    later(() => {
      if (sequence.token === token) this.#next(sequence);
    });
  }

  #next(sequence: Sequence): void {
    sequence.token++;
    if (sequence.since > 0) sequence.elapsed += clock() - sequence.since;
    sequence.since = 0;
    stop(sequence);
    if (this.group === undefined) natives.arm(0);
    if (this.run(sequence)) sequence.resume!();
  }

  /** Called by the loop after code was ended because of `error`, or because it took too long. */
  stopped(error: Error | undefined): void {
    if (this.phase === 0) return this.#loadFailed(error ?? this.#overdue());
    const { group } = this;
    const running: (Sequence | undefined)[] = group === undefined ? [this.sequence] : [...group.running];
    group?.unwound();
    let any = false;
    for (const sequence of running) {
      const entry = sequence?.current;
      if (sequence === undefined || entry === undefined || sequence.stage === OVER) continue;
      // The others have timers of their own, or have begun since.
      const isLate =
        sequence.isCalling || (sequence.since > 0 && entry.timeout > 0 && clock() - sequence.since > entry.timeout);
      if (error === undefined && !isLate) continue;
      any = true;
      sequence.isCalling = false;
      stop(sequence);
      if (error !== undefined) this.fail(sequence, error);
      else this.#timedOut(sequence, entry);
      this.#next(sequence);
    }
    if (!any && error !== undefined) runner.reporter.betweenTests(this, error);
    if (!any && group === undefined && this.phase === 1) this.advance();
  }

  /** Something was thrown by what `sequence` runs. */
  fail(sequence: Sequence, error: unknown, frames?: Frame[]): void {
    const { entry } = sequence;
    // The engine's own, which has no place: what filled the heap has to go before anything is said of it.
    if (error === "out of memory") native("loop").gc();
    if (isMade(error, SkipCalled)) {
      sequence.result = SKIPPED;
      sequence.skip();
      return;
    }
    if (isMade(error, ExitCalled) && sequence.hook !== undefined && sequence.scope?.afterAll?.includes(sequence.hook))
      return;
    if (sequence.isTest && entry!.mode === FAILING) {
      if (sequence.result === PENDING) sequence.result = PASS;
      sequence.skip();
      return;
    }
    if (sequence.result === PENDING || sequence.result === PASS)
      sequence.result = sequence.isTest && entry!.mode === TODO ? TO_DO : FAIL;
    runner.reporter.error(this, error, frames, sequence);
    sequence.skip();
  }

  /** Adds a function to what runs at the end of the file. */
  addCleanup(entry: Entry): void {
    const step = new HookStep(entry, null);
    this.plan.push(step);
    step.skipTo = this.plan.length;
  }

  /** The sequence has run once; whether it is over. */
  #complete(sequence: Sequence): boolean {
    const soft = sequence.takeSoftErrors();
    if (soft !== undefined) for (const error of soft) this.fail(sequence, error);
    sequence.stage = OVER;
    const { entry } = sequence;
    if (sequence.result < FAIL) {
      const unmet = sequence.unmet();
      if (unmet !== PENDING && !(entry?.mode === FAILING)) sequence.result = unmet;
      else if (unmet !== PENDING) sequence.result = PASS;
    }
    if (sequence.result === PENDING) {
      sequence.result = entry?.mode === FAILING ? FAILING_PASSED : entry?.mode === TODO ? TODO_PASSED : PASS;
    }
    if (entry === undefined) {
      if (sequence.result >= FAIL) runner.reporter.test(sequence);
      return true;
    }
    if (
      sequence.result >= FAIL &&
      sequence.result !== FAILING_PASSED &&
      sequence.attempt <= Math.max(entry.retry, this.retries)
    ) {
      sequence.attempt++;
    } else if (sequence.result < FAIL && sequence.round <= entry.repeats) {
      sequence.round++;
    } else {
      runner.reporter.test(sequence);
      return true;
    }
    sequence.again();
    return false;
  }

  /** An error that no code of the program caught. */
  uncaught(error: unknown, fromPromise: boolean): void {
    const frames = fromPromise ? undefined : require("internal/test/bun_test/error_text").thrownFramesOf(error);
    if (this.phase === 0) {
      this.scope.failed = true;
      runner.reporter.betweenTests(this, error, frames);
      return;
    }
    const sequence = this.phase === 1 ? this.currentSequence() : undefined;
    // A hook goes on, as in Bun, and so do its tests: the error alone makes the run fail.
    if (sequence === undefined || sequence.stage === OVER || !sequence.isTest) {
      runner.reporter.betweenTests(this, error, frames);
      return;
    }
    this.fail(sequence, error, frames);
    const { token } = sequence;
    this.settle(sequence, token);
  }

  /** Nothing is left in the loop while something is waited for: it will never come. */
  idle(): boolean {
    if (this.phase === 2) return false;
    if (this.phase === 0) {
      if (this.#resume === undefined) return false;
      const error = new BaseError("this file waits for something that never comes: nothing is left in the event loop");
      error.stack = undefined;
      this.#loadFailed(error);
      return true;
    }
    const sequence = this.currentSequence() ?? this.group?.running[0];
    if (sequence === undefined || sequence.current === undefined) return false;
    const error = new BaseError("this waits for something that never comes: nothing is left in the event loop");
    error.stack = undefined;
    this.fail(sequence, error);
    this.#next(sequence);
    return true;
  }
}

/** Whether something below a block says `only`, and has something to run. */
function hasChosen(scope: Scope): boolean {
  return scope.entries.some((entry) =>
    entry instanceof Scope
      ? entry.only === ONLY
        ? entry.runs
        : hasChosen(entry)
      : entry.only === ONLY && entry.callback !== undefined,
  );
}

/** Which of the tests that run at the same time the calling code is of. */
interface Store {
  getStore(): Sequence | undefined;
  run<T>(sequence: Sequence, call: () => T): T;
}

/** Tests that run at the same time. */
class Group {
  declare file: FileRun;
  declare entries: Entry[];
  at = 0;
  running: Sequence[] = [];
  #storage: Store;
  #over: () => void = () => {};
  #isStarting = false;
  /** When the last of the tests that wait has to be over, by clock(). */
  #due = 0;

  constructor(file: FileRun, entries: Entry[]) {
    this.file = file;
    this.entries = entries;
    const { AsyncLocalStorage } = require("node:async_hooks");
    this.#storage = new AsyncLocalStorage<Sequence>();
  }

  current(): Sequence | undefined {
    const sequence = this.#storage.getStore();
    return sequence ?? (this.running.length === 1 ? this.running[0] : undefined);
  }

  /** One of the tests waits, for so many milliseconds at most (0: for ever): code is ended that runs for longer. */
  limit(milliseconds: number): void {
    if (milliseconds === 0) this.#due = Infinity;
    else this.#due = Math.max(this.#due, clock() + milliseconds);
    natives.arm(this.#due === Infinity ? 0 : this.#due - clock());
  }

  /** What was on the stack is gone. */
  unwound(): void {
    this.#isStarting = false;
  }

  /** Whether all are over at once; else `over` is called. */
  start(over: () => void): boolean {
    this.#over = over;
    return this.#fill();
  }

  #fill(): boolean {
    // 0: no limit.
    const most = (runner.config.maxConcurrency ?? 20) || Infinity;
    const { entries, file, running } = this;
    this.#isStarting = true;
    while (this.at < entries.length && running.length < most) {
      const entry = entries[this.at++]!;
      const sequence = new Sequence(file, entry, undefined, entry.parent);
      if (entry.callback === undefined) {
        sequence.result = entry.mode === TODO ? TO_DO : entry.mode === FILTERED ? LEFT_OUT : SKIPPED;
        runner.reporter.test(sequence);
        continue;
      }
      running.push(sequence);
      const remove = () => running.splice(running.indexOf(sequence), 1);
      // Before the call, as in advance().
      sequence.resume = () => {
        remove();
        if (!this.#isStarting && this.#fill()) this.#over();
      };
      if (this.#storage.run(sequence, () => file.run(sequence))) remove();
      if (runner.reporter.hasBailed) return false;
    }
    this.#isStarting = false;
    return running.length === 0 && this.at >= entries.length;
  }
}

/** The result of a test, once the assertions are settled that it did not wait for. */
function afterPending(sequence: Sequence, result: unknown): Promise<void> {
  const { settlePending } = require("internal/test/bun_test/expect");
  return Promise.resolve(result).then(async () => {
    const error = await settlePending(sequence);
    if (error !== undefined) throw error;
  });
}

/** `done(error?)` and `done.fail(reason?)`. */
interface DoneCallback {
  (error?: unknown): void;
  fail(error?: unknown): void;
}

/** The function that a test calls when it is done. */
class Done {
  isCalled = false;
  promiseIsDone = false;
  hasPromise = false;
  declare callback: DoneCallback;

  constructor(file: FileRun, sequence: Sequence, token: number) {
    const done = (error?: unknown) => {
      if (this.isCalled) return;
      this.isCalled = true;
      if (error !== undefined && error !== null && sequence.token === token) file.fail(sequence, error);
      if (this.hasPromise && !this.promiseIsDone && (error === undefined || error === null)) return;
      file.settle(sequence, token);
    };
    done.fail = (error?: unknown) =>
      done(
        error instanceof Error ? error : new BaseError(error === undefined ? "done.fail() was called" : String(error)),
      );
    this.callback = done;
  }
}

function stop(sequence: Sequence): void {
  const { timer } = sequence;
  if (timer === undefined) return;
  sequence.timer = undefined;
  clearTimer(timer);
}

/** Calls `callback` from the loop, on an empty stack. */
function later(callback: () => void): void {
  new Immediate(callback, undefined);
}

function startTimeout(callback: () => void, milliseconds: number): Timeout {
  // What has run so far counts: the loop's time is that of its last turn.
  native("loop").updateNow();
  const timer = new Timeout(callback, milliseconds, undefined, false, true);
  startTimer(timer);
  return timer;
}

/** Milliseconds that a file may take to declare its tests; 0: no limit. */
function loadTimeout(): number {
  return runner.config.loadTimeout ?? 10 * (runner.config.timeout ?? 5000);
}

function load(path: string): Promise<unknown> | undefined {
  setScript(path);
  return native("loader").runMain(path);
}

function matchesConcurrent(title: string): boolean {
  const globs: string[] = runner.config.concurrentTestGlob ?? [];
  if (globs.length === 0) return false;
  const { Glob } = require("bun/glob");
  return globs.some((glob) => new Glob(glob).match(title));
}

/** In place, by a generator of numbers below 1. */
export function shuffle<T>(list: T[], random: () => number): void {
  for (let index = list.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [list[index], list[other]] = [list[other], list[index]];
  }
}
