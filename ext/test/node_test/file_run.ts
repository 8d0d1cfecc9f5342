// A file of tests as a process of a run: what it tells becomes the run's own events, in the order of the files.

import type { Duplex } from "internal/http/types";
import type { EventData, TestOptions } from "internal/test/node_test/types";
import type { Frame } from "internal/test/node_test/frames";
import type { Outcome, Root } from "internal/test/node_test/root";
import { failure, Test } from "internal/test/node_test/tree";

/** Sums of the file's own run, which the run of all files makes anew. */
const SUMS = new Set(["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo", "duration_ms"]);
/** Kinds of failure of a test that was ended from outside. */
const CANCELLED = new Set(["cancelledByParent", "testAborted", "testTimeoutFailure"]);

/** The result of an event of a test that is over. */
function outcomeOf(type: string, { nesting, skip, todo, details }: EventData): Outcome {
  const kind = details.error?.failureType;
  return {
    type: details.type ?? "test",
    passed: type === "test:pass",
    skipped: skip !== undefined,
    isTodo: todo !== undefined,
    cancelled: kind !== undefined && CANCELLED.has(kind),
    isTopLevel: nesting === 0,
    failsItself: kind !== "subtestsFailed",
  };
}

export class FileTest extends Test {
  #waiting: Frame[] = [];
  /** Tests that the file has reported. */
  #children = 0;
  hasFailures = false;
  /** Files that the process has loaded, if it was asked for them. */
  dependencies: string[] = [];
  /** Absolute path. */
  readonly path: string;

  constructor(parent: Test, options: TestOptions) {
    super(parent, options);
    this.path = options.location!.file;
    this.timeout = Infinity;
  }

  /** Takes an event of the process. It waits until the files before this one have been reported. */
  take(event: Frame): void {
    if (event.type === "internal:loaded") {
      this.dependencies = (event.data as unknown as { files: string[] }).files;
      return;
    }
    if (event.type === "test:pass" || event.type === "test:fail") {
      this.#children++;
      if (event.data.nesting === 0 && event.type === "test:fail") this.hasFailures = true;
    }
    if (!this.isTurn()) {
      this.#waiting.push(event);
      return;
    }
    this.#drain();
    this.#report(event);
  }

  #drain(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const event of waiting) this.#report(event);
  }

  #report({ type, data }: Frame): void {
    const root = this.root as unknown as Root;
    if (data.nesting === 0) {
      if (type === "test:plan") return;
      if (type === "test:diagnostic" && SUMS.has(String(data.message).split(" ", 1)[0]!)) return;
    }
    if (type === "test:summary") data.file = this.path;
    if (type === "test:pass" || type === "test:fail") {
      if (data.nesting === 0) data.testNumber = root.counters.topLevel + 1;
      root.add(outcomeOf(type, data));
    }
    root.emit(type, data);
  }

  override reportStarted(): void {
    this.#drain();
  }

  override report(): void {
    this.#drain();
    // The file itself is a test only where it has none, or where it failed for another reason than they did.
    if (this.#children > 0 && (this.error === null || this.error.failureType === "subtestsFailed")) return;
    this.number = (this.root as unknown as Root).counters.topLevel + 1;
    super.reportStarted();
    super.report();
  }
}

/** A process with three pipes. */
interface Piped {
  stdin: { end(): void };
  stdout: { on(event: "data", listener: (bytes: Buffer) => void): void };
  stderr: Duplex;
  on(event: string, listener: (...values: never[]) => void): void;
}

/** What a process of a run is started with. */
interface Start {
  args: string[];
  cwd: string;
  env: Record<string, string | undefined>;
}

/** Runs the file of `test` as a process, until it has ended and all it wrote was read. */
export async function runProcess(test: FileTest, { args, cwd, env }: Start, signal: AbortSignal): Promise<void> {
  const { spawn } = require("node:child_process");
  const { FrameReader } = require("internal/test/node_test/frames");
  const { path } = test;
  const tell = (type: string, message: string) => {
    const data: Partial<EventData> = { file: path, message };
    test.take({ type, data: data as EventData });
  };
  const child = spawn(process.execPath, args, {
    cwd,
    env,
    signal,
    stdio: ["pipe", "pipe", "pipe"],
  }) as unknown as Piped;
  // Tests read what stands at the standard input of a run of its own: nothing.
  child.stdin.end();
  const reader = new FrameReader(
    (event) => test.take(event),
    (text) => tell("test:stdout", text),
  );
  child.stdout.on("data", (bytes: Buffer) => reader.push(bytes));
  const lines = require("node:readline").createInterface({ input: child.stderr });
  lines.on("line", (line: string) => tell("test:stderr", `${line}\n`));
  const { promise, resolve } = Promise.withResolvers<[number | null, string | null]>();
  let wrong: unknown;
  child.on("error", (error: Error) => (wrong = error));
  child.on("close", (code: number | null, name: string | null) => resolve([code, name]));
  const [code, name] = await promise;
  lines.close();
  reader.end();
  if (code === 0 && name === null) return;
  if (signal.aborted) throw failure(signal.reason ?? "The test was aborted", "testAborted");
  if (wrong !== undefined) throw wrong;
  const error = failure("test failed", test.hasFailures ? "subtestsFailed" : "testCodeFailure");
  // The stack of this process says nothing about the file.
  throw Object.assign(error, { exitCode: code, signal: name, stack: undefined });
}
