// What `bao test` prints, as `bun test` prints it: a line for each test, errors where they happen, a summary. All of it goes to
// standard error; see libs/base/src/stderr.rs for when it is written.

import type { Coverage } from "internal/test/bun_test/coverage";
import type { Progress } from "internal/test/bun_test/progress";
import type {
  Counts,
  ErrorRecord,
  FileRecord,
  KeptRecord,
  Reporter,
  SnapshotSums,
} from "internal/test/bun_test/records";
import type { FileRun } from "internal/test/bun_test/run";
import type { Sequence } from "internal/test/bun_test/sequence";
import type { Scope } from "internal/test/bun_test/tree";
import type { Frame, RunConfig, TestFile } from "internal/test/bun_test/types";
import { runner } from "internal/test/bun_test/state";
import { variable } from "internal/test/bun_test/light_process";
import { clock } from "internal/test/bun_test/run";
import {
  ASSERTION_COUNT,
  FAIL,
  FAILING_PASSED,
  HOOK_TIMEOUT,
  HOOK_TIMEOUT_DONE,
  LEFT_OUT,
  NO_ASSERTIONS,
  PASS,
  SKIPPED,
  TIMEOUT,
  TIMEOUT_DONE,
  TODO_PASSED,
  TO_DO,
} from "internal/test/bun_test/sequence";

const natives = native("test");
/** How errors are shown; a run without any does not load it. */
const shown = () => require("internal/test/bun_test/error_text");

/** Tests that pass from which on the others are shown again at the end. */
const MANY = 20;
/** Milliseconds from which on a test's time is emphasised. */
const SLOW = 10;

/** Characters of a test's name that are shown. */
const LONGEST = 2000;

const RESET = "\x1b[0m";
const DIM = "\x1b[2m";
const BOLD = "\x1b[1m";

/** Whether standard error takes colours. */
export function errorColors(): boolean {
  const [FORCE_COLOR, NO_COLOR] = [variable("FORCE_COLOR"), variable("NO_COLOR")];
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return native("console").isTty(2);
}

/** A count of the summary, and whether it is one. */
const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** What errors that belong to no test are told of: a file, or in place of one "". */
interface Origin {
  title: string;
  path?: string;
  lastError?: ErrorRecord | undefined;
}

/** What the reporter of a process has counted of a file. */
interface Taken {
  counts: Counts;
  skips: string;
  todos: string;
  failures: [title: string, line: string][];
}

/** What a process of --parallel sends when a file is over. */
export interface FileResult extends Taken {
  elapsed: number;
  snapshots: SnapshotSums;
  records: KeptRecord[];
}

export class ConsoleReporter {
  colors: boolean;
  isTty: boolean;
  dots: boolean;
  onlyFailures: boolean;
  isGithub: boolean;
  isAgent: boolean;
  #started: number;
  counts: Counts = { pass: 0, fail: 0, skip: 0, todo: 0, filtered: 0, expects: 0, errors: 0, files: 0 };
  /** What ran in the workers of --parallel, with --coverage. */
  coverage: Coverage | undefined = undefined;
  /** Sums of the files' snapshots. */
  snapshots: SnapshotSums = { total: 0, passed: 0, failed: 0, added: 0 };
  #header: string | undefined;
  #lastWasDot = false;
  #isAnnounced = false;
  #skips = "";
  #todos = "";
  /** Title of the file and line of each test that failed. */
  #failures: [string, string][] = [];
  /** Whether --bail has ended the run. */
  hasBailed = false;
  /** Further reporters, see reporters.ts. */
  others: Reporter[] = [];
  /** Whether they are in the place of this one. */
  isSilent = false;
  /** Whether a signal has ended the run. */
  wasInterrupted = false;
  /** Called when --bail ends the run. */
  onBail: () => void = () => {};
  #progress: Progress | undefined;
  /** Whether lines are text without colours, written together. */
  get #isPlain(): boolean {
    return !this.colors && !this.isSilent && !this.isTty;
  }

  constructor(config: RunConfig, started: number, isAgent: boolean) {
    this.colors = errorColors();
    this.isTty = native("console").isTty(2);
    this.dots = Boolean(config.dots);
    this.isAgent = isAgent;
    this.onlyFailures = Boolean(config.onlyFailures) || isAgent;
    this.isGithub = variable("GITHUB_ACTIONS") === "true";
    this.#started = started;
    if (this.isTty && !isAgent && !config.dots && !config.worker) {
      const { Progress } = require("internal/test/bun_test/progress");
      this.#progress = new Progress(config.files.length, this.counts, this.colors);
    }
  }

  print(text: string): void {
    if (this.isSilent) return;
    if (this.#progress !== undefined) text = this.#progress.around(text);
    natives.hold(text);
    if (this.isTty) natives.release();
  }

  #line(text: string): void {
    this.#showHeader();
    this.print(text);
  }

  file(file: FileRun): void {
    this.#settle();
    if (file.round === 0) this.counts.files++;
    const rounds = runner.config.rerunEach ?? 1;
    const title = `${this.isGithub ? "::group::" : ""}${file.title}:`;
    const reset = this.colors ? `${RESET}` : "";
    if (rounds > 1) {
      const round = ` ${this.colors ? DIM : ""}(run #${file.round + 1})${reset}`;
      this.#header = `\n${title}${round}\n`;
    } else this.#header = `${reset}\n${title}\n`;
    if (!this.dots && !this.onlyFailures) this.#showHeader();
    else this.#announce();
    this.#progress?.file(file.title);
    for (const other of this.others) other.file?.({ path: file.path, title: file.title });
  }

  #showHeader(): void {
    const text = this.#before();
    this.#header = undefined;
    this.#lastWasDot = false;
    // What the program itself printed has already brought it out.
    if (text !== "" && (natives.announce("") || !this.#isAnnounced)) this.print(text);
    this.#isAnnounced = false;
  }

  /** What comes before the next line: the end of a line of dots, the name of the file. */
  #before(): string {
    return `${this.#lastWasDot ? (this.colors ? `${RESET}\n` : "\n") : ""}${this.#header ?? ""}`;
  }

  /** Finds out whether what was announced has been printed by now. */
  #settle(): void {
    if (this.#isAnnounced && !natives.announce("")) {
      this.#header = undefined;
      this.#lastWasDot = false;
    }
    this.#isAnnounced = false;
  }

  /** Has that printed also before what the program prints. */
  #announce(): void {
    this.#settle();
    const text = this.#before();
    this.#isAnnounced = text !== "";
    natives.announce(text);
  }

  fileEnd(file: FileRun): void {
    if (this.isGithub && this.#header === undefined) this.print(`${this.colors ? RESET : ""}\n::endgroup::\n`);
    for (const other of this.others) other.fileEnd?.({ path: file.path, title: file.title, duration: file.elapsed });
  }

  /** A file could not be loaded (or `what`): that is a failure, beside the error. */
  fileFailed(file: FileRecord & { lastError: ErrorRecord | undefined; what?: string }): void {
    this.counts.fail++;
    const { path, title, what, lastError: error } = file;
    for (const other of this.others) other.fileFailed?.({ path, title, what, error });
    this.#maybeBail();
  }

  /** The process of a file ended before the file did. `how`: by which code or signal; `hasTitle`: the name of the file has been printed. */
  crashed([path, title]: TestFile, how: string, hasTitle: boolean): void {
    this.print(
      `${hasTitle ? "" : `\n${title}:\n`}${this.colors ? `${RESET}\x1b[31m✗${RESET}${BOLD}` : "✗"} ${title} ${this.colors ? RESET + DIM : ""}(worker crashed: ${how})${this.colors ? RESET : ""}\n`,
    );
    this.counts.files++;
    for (const other of this.others) other.file?.({ path, title });
    const message = `worker process crashed before reporting results: ${how}`;
    this.fileFailed({
      path,
      title,
      what: "(worker crashed)",
      lastError: { name: "Error", message, text: `error: ${message}\n`, places: [] },
    });
  }

  /** An error that belongs to no test. `loading`: it keeps the file from being run, which is told of in its turn. */
  betweenTests(file: Origin, error: unknown, frames?: Frame[], loading = false): void {
    this.counts.errors++;
    this.#showHeader();
    this.print(
      this.colors
        ? `${RESET}\n${BOLD}${DIM}#${RESET} \x1b[31m${BOLD}Unhandled error${RESET}${DIM} between tests${RESET}\n${DIM}-------------------------------${RESET}\n`
        : "\n# Unhandled error between tests\n-------------------------------\n",
    );
    this.#showError(file, error, frames);
    this.print(
      this.colors ? `${RESET}${DIM}-------------------------------${RESET}\n\n` : "-------------------------------\n\n",
    );
    if (this.others.length > 0) {
      file.lastError = require("internal/test/bun_test/records").errorRecord(
        error,
        frames,
        shown().errorText(error, frames, false),
      );
      for (const other of this.others)
        other.error?.({ file: file.title, path: file.path, error: file.lastError, loading });
    }
  }

  error(file: FileRun, error: unknown, frames: Frame[] | undefined, sequence: Sequence): void {
    this.#showHeader();
    this.#showError(file, error, frames);
    if (this.others.length > 0) {
      (sequence.records ??= []).push(
        require("internal/test/bun_test/records").errorRecord(error, frames, shown().errorText(error, frames, false)),
      );
    }
  }

  /** A line that belongs to the next test's. */
  note(text: string): void {
    this.#line(this.colors ? `${DIM}${text}${RESET}\n` : `${text}\n`);
  }

  /** Lines that belong to the file that is over. */
  hint(text: string): void {
    if (text !== "") this.#line(text);
  }

  #showError(file: Origin, error: unknown, frames: Frame[] | undefined): void {
    this.print(shown().errorText(error, frames, this.colors));
    if (this.isGithub) this.print(annotation(error, frames, file));
  }

  /** A test is over (or a hook of a block has failed). */
  test(sequence: Sequence): void {
    const { counts } = this;
    const { result } = sequence;
    counts.expects += sequence.assertionCount;
    if (result === PASS) counts.pass++;
    else if (result >= FAIL) counts.fail++;
    else if (result === SKIPPED) counts.skip++;
    else if (result === TO_DO) counts.todo++;
    else counts.filtered++;
    if (this.others.length > 0 && (result >= FAIL || sequence.entry !== undefined)) {
      const record = require("internal/test/bun_test/records").recordOf(sequence);
      for (const other of this.others) other.test?.(record);
    }
    if (result === LEFT_OUT) return;
    if (result < FAIL) {
      if (this.dots) {
        this.#dot(result);
        return;
      }
      if (this.onlyFailures) {
        this.#progress?.tick();
        return;
      }
    }
    if (result === PASS && this.#isPlain && sequence.attempt === 1 && sequence.round === 1) {
      // Of these there may be many thousands.
      if (this.#header !== undefined || this.#lastWasDot || this.#isAnnounced) this.#showHeader();
      natives.holdPass(pathOf(sequence.scope), sequence.entry!.name ?? "(unnamed)", sequence.elapsed);
      return;
    }
    if (result === ASSERTION_COUNT || result === NO_ASSERTIONS) this.#assertionNote(sequence);
    const line = this.#testLine(sequence);
    this.#line(line);
    if (result >= FAIL) {
      if (!this.dots && !this.onlyFailures) this.#failures.push([sequence.file.title, line]);
      this.#maybeBail();
    } else if (result === SKIPPED) this.#skips += line;
    else if (result === TO_DO) this.#todos += line;
  }

  #dot(result: number): void {
    const color = result === PASS ? 32 : result === SKIPPED ? 33 : 35;
    this.#settle();
    this.print(this.colors ? `${RESET}\x1b[${color}m.${result === SKIPPED ? DIM : RESET}` : ".");
    this.#lastWasDot = true;
    this.#announce();
  }

  #assertionNote(sequence: Sequence): void {
    const { expectedAssertions: expected, assertionCount: count } = sequence;
    const c = this.colors;
    const mark = c ? `\x1b[31mAssertionError${RESET}${DIM}:${RESET} ` : "AssertionError: ";
    const green = (text: string) => (c ? `\x1b[32m${text}${RESET}` : text);
    const red = (text: string) => (c ? `\x1b[31m${text}${RESET}` : text);
    this.#line(
      sequence.result === ASSERTION_COUNT
        ? `${mark}expected ${green(plural(expected!, "assertion"))}, but test ended with ${red(plural(count, "assertion"))}\n`
        : `${mark}received ${red("0 assertions")}, but expected ${green("at least one assertion")} to be called\n`,
    );
  }

  #testLine(sequence: Sequence): string {
    const { result, entry } = sequence;
    const { colors } = this;
    const dim = result === SKIPPED || (result === TO_DO && !runner.config.todo);
    let text: string;
    if (!colors)
      text = result >= FAIL ? "(fail)" : result === PASS ? "(pass)" : result === SKIPPED ? "(skip)" : "(todo)";
    else {
      text =
        result >= FAIL
          ? `${RESET}\x1b[31m✗${RESET}`
          : result === PASS
            ? `${RESET}\x1b[32m✓${RESET}`
            : result === SKIPPED
              ? `${RESET}\x1b[33m»${DIM}`
              : `${RESET}\x1b[35m✎${RESET}`;
    }
    const scopes = colors ? paintedPath(sequence.scope, dim) : pathOf(sequence.scope);
    let title = entry?.name ?? "(unnamed)";
    if (title.length > LONGEST)
      title = `${title.slice(0, LONGEST)}... [output truncated: ${title.length - LONGEST} characters]`;
    text += scopes + (colors ? `${RESET}${dim ? DIM : BOLD} ${title}${RESET}` : ` ${title}`);
    if (sequence.attempt > 1)
      text += colors ? ` ${DIM}(attempt ${sequence.attempt})${RESET}` : ` (attempt ${sequence.attempt})`;
    if (sequence.round > 1) text += colors ? ` ${DIM}(run ${sequence.round})${RESET}` : ` (run ${sequence.round})`;
    const { elapsed } = sequence;
    if (elapsed > 0.01) {
      const time = `${elapsed.toFixed(2)}ms`;
      text += !colors
        ? ` [${time}]`
        : elapsed < SLOW
          ? ` ${RESET}${DIM}[${time}${RESET}${DIM}]${RESET}`
          : ` ${RESET}${DIM}[${BOLD}${time}${RESET}${DIM}]${RESET}`;
    }
    text += "\n";
    const note = noteOf(sequence);
    if (note !== undefined) {
      text += colors
        ? `  ${DIM}^${RESET} \x1b[31m${note[0]}${RESET}${note[1] === "" ? "" : ` ${DIM}${note[1]}${RESET}`}\n`
        : `  ^ ${note[0]}${note[1] === "" ? "" : ` ${note[1]}`}\n`;
    }
    if (this.isGithub && result >= TIMEOUT && result <= HOOK_TIMEOUT_DONE) {
      this.print(
        `::error title=error: Test "${title}" timed out after ${entry?.timeout ?? sequence.hook!.timeout}ms::\n`,
      );
    }
    return text;
  }

  #maybeBail(): void {
    if (runner.config.bail === undefined || this.hasBailed || this.counts.fail < runner.config.bail) return;
    this.hasBailed = true;
    this.onBail();
  }

  /** The end after --bail. */
  bailed(): void {
    this.#progress?.end();
    this.print(this.#ranLine());
    this.print(`Bailed out after ${plural(runner.config.bail!, "failure")}${this.colors ? RESET : ""}\n`);
  }

  /** A signal ends the run while `files` run. */
  interrupted(signal: string, files: (Origin & { currentSequence?(): Sequence | undefined })[]): void {
    this.wasInterrupted = true;
    this.#progress?.end();
    const where = files.map((file) => {
      const sequence = file.currentSequence?.();
      return ` in ${file.title}${sequence?.entry === undefined ? "" : `:${pathOf(sequence.scope)} ${sequence.entry!.name}`}`;
    });
    const text = `interrupted by ${signal}${where.join(",")}`;
    this.print(this.colors ? `\n\x1b[33m${text}${RESET}\n` : `\n${text}\n`);
  }

  /** Tests that are lost among many others, once more. */
  #repeat(): void {
    const { counts, colors } = this;
    if (counts.pass <= MANY || this.isAgent || this.dots || this.onlyFailures) return;
    const heading = (count: number, what: string) =>
      colors ? `\n${RESET}${DIM}${count} tests ${what}:${RESET}\n` : `\n${count} tests ${what}:\n`;
    if (counts.skip > 0) this.print(heading(counts.skip, "skipped") + this.#skips);
    if (counts.todo > 0) this.print((counts.skip > 0 ? "\n" : "") + heading(counts.todo, "todo") + this.#todos);
    if (counts.fail > 0)
      this.print(
        (counts.skip > 0 || counts.todo > 0 ? "\n" : "") + heading(counts.fail, "failed") + this.#failuresText(),
      );
  }

  /** The lines of what failed; where there are several files, below their names. */
  #failuresText(): string {
    let text = "";
    let last = "";
    for (const [title, line] of this.#failures) {
      if (title !== last && this.counts.files > 1) text += this.colors ? `${DIM}${title}:${RESET}\n` : `${title}:\n`;
      last = title;
      text += line;
    }
    return text;
  }

  /** The summary. `coverage`: its table. */
  end(coverage?: string): void {
    this.#progress?.end();
    const { counts, colors } = this;
    natives.announce("");
    this.#header = undefined;
    this.#lastWasDot = this.#isAnnounced = false;
    this.#repeat();
    this.print(`${coverage ?? ""}\n`);
    const nothingMatched =
      runner.filter !== undefined &&
      counts.filtered > 0 &&
      counts.pass + counts.fail + counts.skip + counts.todo === 0 &&
      counts.errors === 0;
    if (nothingMatched) {
      const quoted = JSON.stringify(runner.config.namePattern);
      const head = colors
        ? `\x1b[31merror${RESET}${DIM}:${RESET} regex ${BOLD}${quoted}${RESET}`
        : `error: regex ${quoted}`;
      this.print(
        `${head} matched 0 tests. Searched ${plural(counts.files, "file")} (skipping ${plural(counts.filtered, "test")}) ${this.#time()}\n`,
      );
      return;
    }
    const indent = this.dots ? "" : " ";
    if (this.dots) this.print("\n");
    let text = "";
    if (runner.config.randomize)
      text += `${indent}${colors ? RESET : ""}--seed=${runner.config.seed}${colors ? RESET : ""}\n`;
    text += `${colors && counts.pass > 0 ? `${RESET}\x1b[32m` : ""}${indent}${counts.pass} pass${colors ? RESET : ""}\n`;
    const row = (color: string, count: number, word: string) =>
      colors ? `${indent}${RESET}\x1b[${color}m${count} ${word}${RESET}\n` : `${indent}${count} ${word}\n`;
    if (counts.skip > 0) text += row("33", counts.skip, "skip");
    else if (counts.filtered > 0) text += row("2", counts.filtered, "filtered out");
    if (counts.todo > 0) text += row("35", counts.todo, "todo");
    text += `${colors ? (counts.fail > 0 ? `${RESET}\x1b[31m` : `${RESET}${DIM}`) : ""}${indent}${counts.fail} fail${colors ? RESET : ""}\n`;
    if (counts.errors > 0) text += row("31", counts.errors, counts.errors > 1 ? "errors" : "error");
    text += this.#snapshotLine(indent);
    this.print(text + this.#ranLine());
  }

  #snapshotLine(indent: string): string {
    const { counts, colors } = this;
    const calls = counts.expects > 0 ? `${indent}${counts.expects} expect() calls\n` : "";
    const { total, passed, failed, added } = this.snapshots;
    if (total === 0) return calls;
    if (calls !== "" && added === 0 && failed === 0)
      return `${indent}${total} snapshots, ${counts.expects} expect() calls\n`;
    const parts: string[] = [];
    if (passed > 0) parts.push(colors ? `${DIM}${passed} passed${RESET}` : `${passed} passed`);
    if (added > 0) {
      const text = parts.length === 0 ? `+${added} added` : `, ${added} added`;
      parts.push(colors ? `${BOLD}${text}${RESET}` : text);
    }
    if (failed > 0)
      parts.push(
        `${parts.length === 0 ? "" : ", "}${colors ? `\x1b[31m${failed} failed${RESET}` : `${failed} failed`}`,
      );
    return `${colors ? `${DIM}snapshots:${RESET} ` : "snapshots: "}${parts.join("")}\n${calls}`;
  }

  #ranLine(): string {
    const { counts } = this;
    const tests = counts.fail + counts.pass + counts.skip + counts.todo;
    return `Ran ${plural(tests, "test")} across ${plural(counts.files, "file")}. ${this.#time()}\n`;
  }

  #time(): string {
    return elapsedText(clock() - this.#started, this.colors);
  }

  /** What a worker's reporter has counted since the last time. */
  take(): Taken {
    const taken = { counts: { ...this.counts }, skips: this.#skips, todos: this.#todos, failures: this.#failures };
    for (const key of Object.keys(this.counts)) this.counts[key as keyof Counts] = 0;
    this.#skips = this.#todos = "";
    this.#failures = [];
    shown().forgetFiles();
    return taken;
  }

  /** Adds what a worker has taken, and gives its records to the other reporters. */
  absorb(result: FileResult): void {
    for (const [key, count] of Object.entries(result.counts)) this.counts[key as keyof Counts] += count;
    for (const [key, count] of Object.entries(result.snapshots)) this.snapshots[key as keyof SnapshotSums] += count;
    this.#skips += result.skips;
    this.#todos += result.todos;
    this.#failures.push(...result.failures);
    for (const [method, record] of result.records ?? []) for (const other of this.others) other[method]?.(record);
    this.#progress?.tick();
    this.#maybeBail();
  }
}

/** ` outer > inner >`, made once for each block. */
function pathOf(scope: Scope | null | undefined): string {
  if (scope === null || scope === undefined) return "";
  if (scope.shown === undefined)
    scope.shown = pathOf(scope.parent) + (scope.name === undefined || scope.name === "" ? "" : ` ${scope.name} >`);
  return scope.shown;
}

function paintedPath(scope: Scope | null | undefined, dim: boolean): string {
  if (scope === null || scope === undefined) return "";
  const before = paintedPath(scope.parent, dim);
  return scope.name === undefined || scope.name === ""
    ? before
    : `${before} ${RESET}${dim ? DIM : ""}${scope.name}${DIM} >`;
}

/** `[12.00ms]`, `[1.52s]` */
export function elapsedText(elapsed: number, colors: boolean): string {
  const whole = Math.round(elapsed);
  const text = whole <= 1500 ? `${whole}.00ms` : `${(elapsed / 1000).toFixed(2)}s`;
  return colors ? `${RESET}${DIM}[${BOLD}${text}${RESET}${DIM}]${RESET}` : `[${text}]`;
}

/** What the result of a test that failed without an error means, and what to do. */
function noteOf(sequence: Sequence): [string, string] | undefined {
  switch (sequence.result) {
    case FAILING_PASSED:
      return ["this test is marked as failing but it passed.", "Remove `.failing` if tested behavior now works"];
    case TODO_PASSED:
      return ["this test is marked as todo but passes.", "Remove `.todo` if tested behavior now works"];
    case TIMEOUT:
      return [`this test timed out after ${sequence.entry!.timeout}ms.`, ""];
    case HOOK_TIMEOUT:
      return ["a beforeEach/afterEach hook timed out for this test.", ""];
    case TIMEOUT_DONE:
      return [
        `this test timed out after ${sequence.entry!.timeout}ms, before its done callback was called.`,
        "If a done callback was not intended, remove the last parameter from the test callback function",
      ];
    case HOOK_TIMEOUT_DONE:
      return [
        "a beforeEach/afterEach hook timed out before its done callback was called.",
        "If a done callback was not intended, remove the last parameter from the hook callback function",
      ];
  }
  return undefined;
}

const escapeData = (text: string) => text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");

/** A line that GitHub shows beside the source. */
function annotation(error: unknown, frames: Frame[] | undefined, file: Origin): string {
  const places = shown().framesOf(error, frames);
  const place = places[0];
  const { stripVTControlCharacters } = require("node:util");
  // An error without a message has no name in Bun's annotations, either.
  const title = shown()
    .titleOf(error)
    .replace(/^Error: ?(?=\n|$)/, "error:");
  const at = title.indexOf("\n");
  const head = at < 0 ? title : title.slice(0, at);
  const rest = at < 0 ? "" : title.slice(at + 1).replace(/^\n+/, "");
  const text = shown().errorText(error, frames, false);
  const stack = text
    .slice(text.lastIndexOf("\n      at ") < 0 ? text.length : text.indexOf("\n      at "))
    .replace(/\n$/, "");
  const { relative } = require("node:path");
  let where = "";
  if (place !== undefined) {
    const path = place[1].startsWith("file://") ? decodeURIComponent(place[1].slice(7)) : place[1];
    where = `file=${relative(process.env.GITHUB_WORKSPACE ?? process.cwd(), path)},line=${place[2]},col=${place[3]},`;
  } else where = `file=${file.title},`;
  // Only what separates properties is encoded in the title; a colon in it is common and harmless.
  const name = escapeData(head.replace(/^error:$/, "error")).replace(/,/g, "%2C");
  return stripVTControlCharacters(`\n::error ${where}title=${name}::${escapeData(`${rest}${stack}`)}\n`);
}
