// --parallel: test files run in several processes, each of which gets its next file when it is ready.
//
// A worker is `bao test --test-worker`. It reads lines of JSON from descriptor 4 (first what is to be run and how, then one file
// each) and writes lines of JSON to descriptor 3 when a file is over. What it prints is collected by its parent and shown file by
// file: on both streams a worker prints a mark when a file is over. A file that takes long or prints very much is shown as it goes,
// one at a time; files that end meanwhile are shown between its lines, and its name comes again after them.

import type { FileResult } from "internal/test/bun_test/report_console";
import type { Coverage } from "internal/test/bun_test/coverage";
import type { KeptRecord, SnapshotSums } from "internal/test/bun_test/records";
import type { RunConfig, TestFile, WorkerConfig } from "internal/test/bun_test/types";
import { hooks as uncaughtHooks } from "internal/process/execution";
import { clock } from "internal/test/bun_test/run";
import { runner } from "internal/test/bun_test/state";
import { ConsoleReporter } from "internal/test/bun_test/report_console";

const natives = native("test");

/** Milliseconds a worker may take to end when it is told to. */
const GRACE = 5000;
/** Milliseconds to wait for the end of the output of a worker that is gone: processes it started may hold the pipe open. */
const LINGER = 200;
/** As many characters of a stream are collected of a file that runs. */
const MOST = 8 << 20;
/** Milliseconds after which a file that runs is shown as it goes. */
const LONG = 100;

/** A stream from a process. */
interface Output {
  setEncoding(encoding: string): void;
  on(type: "data", listener: (text: string) => void): void;
}

/** A process that runs files. `stdio`: 3 is what it reports, 4 what it reads. */
interface WorkerProcess {
  pid: number | undefined;
  stdout: Output;
  stderr: Output;
  stdio: [
    unknown,
    unknown,
    unknown,
    Output,
    { write(text: string): void; end(text: string): void; on(type: "error", listener: () => void): void },
  ];
  kill(signal: string): boolean;
  on(type: "error", listener: (error: Error) => void): void;
  on(type: "exit", listener: (code: number | null, signal: string | null) => void): void;
  on(type: "close", listener: () => void): void;
}

/** A line from a process. */
type Message = { type: "ready" } | { type: "coverage"; files: Coverage } | ({ type: "file" } & FileResult);

/** What came over one of the streams of a worker and is not shown yet. */
class Printed {
  declare stream: Output;
  /** What the mark of the end is looked for in: it may come in pieces. */
  #rest = "";
  #pieces: string[] = [];
  #size = 0;
  /** A file of what there is no room for, without a name; -1: none. */
  #spilled = -1;
  /** Whether the mark has come: what comes after it is not of this file. */
  ended = false;

  constructor(stream: Output) {
    this.stream = stream;
  }

  /** Takes what has come; whether the mark was in it. */
  add(text: string, mark: string): boolean {
    this.#rest += text;
    if (this.ended) return false;
    const end = this.#rest.indexOf(mark);
    if (end >= 0) {
      this.ended = true;
      this.#keep(this.#rest.slice(0, end));
      this.#rest = this.#rest.slice(end + mark.length);
      return true;
    }
    // A part of the mark at the end waits for the rest of it.
    const begin = this.#rest.indexOf(mark[0]!, Math.max(0, this.#rest.length - mark.length));
    const held = begin >= 0 && mark.startsWith(this.#rest.slice(begin)) ? begin : this.#rest.length;
    this.#keep(this.#rest.slice(0, held));
    this.#rest = this.#rest.slice(held);
    return false;
  }

  #keep(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#size += text.length;
  }

  get isLong(): boolean {
    return this.#size > MOST;
  }

  /** Puts into a file what there is, until it can be shown. */
  spill(): void {
    const fs = require("node:fs");
    if (this.#spilled < 0) {
      const path = require("node:path").join(require("node:os").tmpdir(), `bao-test-${crypto.randomUUID()}`);
      this.#spilled = fs.openSync(path, "wx+", 0o600);
      fs.unlinkSync(path);
    }
    fs.writeSync(this.#spilled, this.#pieces.join(""));
    this.#pieces = [];
    this.#size = 0;
  }

  get isEmpty(): boolean {
    return this.#size === 0 && this.#spilled < 0;
  }

  /** Gives all of it to `show`, what came after the mark only with `whole`. */
  take(show: (text: string) => void, whole: boolean): void {
    if (this.#spilled >= 0) {
      const fs = require("node:fs");
      const decoder = new (require("node:string_decoder").StringDecoder)("utf8");
      const buffer = Buffer.alloc(1 << 20);
      for (let at = 0, size; (size = fs.readSync(this.#spilled, buffer, 0, buffer.length, at)) > 0; at += size)
        show(decoder.write(buffer.subarray(0, size)));
      fs.closeSync(this.#spilled);
      this.#spilled = -1;
    }
    const text = this.#pieces.join("") + (whole ? this.#rest : "");
    this.#pieces = [];
    this.#size = 0;
    if (whole) this.#rest = "";
    if (text !== "") show(text);
  }
}

class Worker {
  child: WorkerProcess;
  number: number;
  file: TestFile | undefined = undefined;
  isOver = false;
  /** What has been shown of its file's errors: whether the name, whether the last line is complete. */
  hasTitle = false;
  isMidLine = false;
  /** Whether another file was shown after that. */
  wasInterrupted = false;
  out: Printed;
  err: Printed;
  result: FileResult | undefined = undefined;
  constructor(child: WorkerProcess, number: number) {
    this.child = child;
    this.number = number;
    this.out = new Printed(child.stdout);
    this.err = new Printed(child.stderr);
  }
}

/** The files of each process: those of a directory together, as far as possible; where durations are known, one range for all. */
function rangesOf(config: RunConfig, count: number): TestFile[][] {
  const { files } = config;
  if (config.timings.length > 0) return [require("internal/test/bun_test/timings").slowestFirst(files, config)];
  const at = (index: number) => Math.floor((index * files.length) / count);
  return Array.from({ length: count }, (_, index) => files.slice(at(index), at(index + 1)));
}

/** What the main half does at the end of a run. */
interface Endings {
  finish(reporter: ConsoleReporter, code?: number): void;
  close(reporter: ConsoleReporter, failed: boolean): void;
}

/** Runs the files of `config` in `count` processes; then one of `endings` is called with the reporter that has their sums. */
export function start(config: RunConfig, count: number, started: number, isAgent: boolean, endings: Endings): void {
  const { spawn } = require("node:child_process");
  const reporter = new ConsoleReporter(config, started, isAgent);
  runner.reporter = reporter;
  reporter.onBail = () => {
    stopAll();
    reporter.bailed();
    endings.close(reporter, true);
  };
  if (config.reporters.length > 0 || config.junit !== undefined) {
    const problem = require("internal/test/bun_test/reporters").addReporters(reporter, config);
    if (problem !== undefined) {
      process.stderr.write(`error: ${problem}\n`);
      return void process.reallyExit(1);
    }
  }
  for (const other of reporter.others) other.start?.({ files: config.files.map((file) => file[1]) });
  const ranges = rangesOf(config, count);
  // Nothing that a test prints is the end of its output by chance.
  const mark = `\0bao test: over ${crypto.randomUUID()}\0`;
  const settings = JSON.stringify({
    ...config,
    coverage: config.coverage && { ...config.coverage, tests: config.files.map((file) => file[0]) },
    files: undefined,
    random: undefined,
    wantsRecords: reporter.others.length > 0,
    isAgent,
    isolate: config.isolate ?? true,
    reporters: [],
    junit: undefined,
    bail: undefined,
    mark,
  });
  // What the workers load is to be watched as well.
  const watcher: number | undefined = config.watch ? natives.watchFd() : undefined;
  const workers: Worker[] = [];
  /** The worker whose file is shown while it runs. */
  let shown: Worker | undefined;
  /** Waits for a file to take long. */
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let numbers = 0;
  let isDone = false;

  uncaughtHooks.runner = {
    uncaught(error: NodeError) {
      reporter.betweenTests({ title: "" }, error);
    },
    idle: () => false,
    stopped(why: string) {
      if (isDone || !why.startsWith("SIG")) return;
      const running = workers.filter((worker) => !worker.isOver && worker.file !== undefined);
      stopAll();
      reporter.interrupted(
        why,
        running.map((worker) => ({ title: worker.file![1] })),
      );
      endings.finish(reporter, 128 + require("node:os").constants.signals[why]);
    },
  };
  natives.watch(Boolean(config.noOrphans), true);
  if (config.noOrphans) natives.adoptDescendants();

  const isEmpty = () => ranges.every((range) => range.length === 0);

  /** The next file for a worker: of its own range, of one that no worker has, or the last of what most are left of. */
  function nextFile(worker: Worker): TestFile | undefined {
    const own = ranges[(worker.number - 1) % ranges.length]!;
    if (own.length > 0) return own.shift();
    const free = ranges.findIndex((range, index) => range.length > 0 && index >= workers.length);
    if (free >= 0) return ranges[free]!.shift();
    return ranges.reduce((most, range) => (range.length > most.length ? range : most)).pop();
  }

  /** Ends all workers with the processes of their tests, and the run of what they say. */
  function stopAll(): void {
    isDone = true;
    for (const range of ranges) range.length = 0;
    natives.killDescendants(true);
  }

  function add(): void {
    const number = ++numbers;
    const child = spawn(process.execPath, [...process.execArgv, "test", "--test-worker"], {
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", ...(watcher === undefined ? [] : [watcher])],
      env: {
        ...process.env,
        FORCE_COLOR: reporter.colors ? "1" : "0",
        BUN_TEST_WORKER_ID: String(number),
        JEST_WORKER_ID: String(number),
        BAO_TEST_TTY: reporter.isTty ? "1" : "",
        BAO_WATCH_FD: watcher === undefined ? undefined : "5",
      },
    }) as unknown as WorkerProcess;
    child.on("error", (error) => crashed(worker, error.message));
    const worker = new Worker(child, number);
    workers.push(worker);
    if (child.pid === undefined) return;
    let unread = "";
    child.stdio[3].setEncoding("utf8");
    child.stdio[3].on("data", (text: string) => {
      unread += text;
      for (let end = unread.indexOf("\n"); end >= 0; end = unread.indexOf("\n")) {
        const line = unread.slice(0, end);
        unread = unread.slice(end + 1);
        take(worker, line);
      }
    });
    for (const printed of [worker.out, worker.err]) {
      printed.stream.setEncoding("utf8");
      printed.stream.on("data", (text: string) => receive(worker, printed, text));
    }
    child.stdio[4].on("error", () => {});
    child.stdio[4].write(`${settings}\n`);
    let status: [number | null, string | null] | undefined;
    const gone = () => {
      if (worker.isOver) return;
      worker.isOver = true;
      const [code, signal] = status!;
      if (worker.file !== undefined) crashed(worker, signal === null ? `exit code ${code}` : signal);
      else show(worker);
      if (shown === worker) shown = undefined;
      check();
    };
    child.on("exit", (code, signal) => {
      status = [code, signal];
      setTimeout(gone, LINGER);
    });
    // A signal of the terminal is for all: the run ends as soon as this process has noticed it.
    child.on("close", () => status !== undefined && status[1] !== "SIGINT" && status[1] !== "SIGHUP" && gone());
  }

  /** One line that a worker sent. */
  function take(worker: Worker, line: string): void {
    const message: Message = JSON.parse(line);
    if (message.type === "ready") give(worker);
    else if (message.type === "coverage")
      require("internal/test/bun_test/coverage").merge((reporter.coverage ??= {}), message.files);
    else {
      worker.result = message;
      look(worker);
    }
  }

  function receive(worker: Worker, printed: Printed, text: string): void {
    if (printed.add(text, mark)) return look(worker);
    if (shown === worker) show(worker);
    else if (shown === undefined) {
      if (printed.isLong) follow(worker);
      else waiting ??= setTimeout(choose, LONG);
    } else if (printed.isLong) printed.spill();
  }

  /** From now on this worker's file is shown as it goes. */
  function follow(worker: Worker): void {
    shown = worker;
    show(worker);
  }

  /** Follows the first worker that has something to show. */
  function choose(): void {
    waiting = undefined;
    if (isDone || shown !== undefined) return;
    const worker = workers.find(
      ({ file, isOver, out, err }) => file !== undefined && !isOver && !(out.isEmpty && err.isEmpty),
    );
    if (worker !== undefined) follow(worker);
  }

  function give(worker: Worker): void {
    const file = isDone ? undefined : nextFile(worker);
    worker.file = file;
    worker.result = undefined;
    if (file === undefined) {
      worker.child.stdio[4].end("null\n");
      setTimeout(() => worker.isOver || worker.child.kill("SIGKILL"), GRACE).unref();
      return;
    }
    worker.out.ended = worker.err.ended = worker.hasTitle = worker.isMidLine = worker.wasInterrupted = false;
    worker.child.stdio[4].write(`${JSON.stringify(file)}\n`);
  }

  function show(worker: Worker): void {
    if (shown !== undefined && shown !== worker && !shown.wasInterrupted) {
      shown.wasInterrupted = true;
      if (shown.isMidLine && !reporter.dots) reporter.print("\n");
    }
    const title = headerOf(worker.file);
    worker.out.take((text) => void process.stdout.write(text), worker.isOver);
    worker.err.take((text) => {
      if (worker.wasInterrupted && worker.hasTitle) text = `\n${title}${text}`;
      worker.wasInterrupted = false;
      worker.hasTitle ||= text.includes(title);
      worker.isMidLine = !text.endsWith("\n");
      reporter.print(text);
    }, worker.isOver);
  }

  /** The line with which the output of a file begins. */
  function headerOf(file: TestFile | undefined): string {
    return `${reporter.isGithub ? "::group::" : ""}${file?.[1]}:\n`;
  }

  /** Looks whether all of a file has come. */
  function look(worker: Worker): void {
    const { result, file, out, err } = worker;
    if (isDone || result === undefined || file === undefined || !out.ended || !err.ended) return;
    show(worker);
    if (shown === worker) shown = undefined;
    if (shown === undefined) waiting ??= setTimeout(choose, LONG);
    const { fail, errors } = reporter.counts;
    reporter.absorb(result);
    if (config.watch)
      natives.tellWatcher(
        `${reporter.counts.fail > fail || reporter.counts.errors > errors ? "failed" : "passed"}:${file[0]}`,
      );
    if (config.updateTimings) require("internal/test/bun_test/timings").measured.set(file[1], result.elapsed);
    worker.file = undefined;
    if (!worker.isOver) give(worker);
    check();
  }

  /** A worker that did not come to the end of its file takes only that file with it. `how`: what ended it. */
  function crashed(worker: Worker, how: string): void {
    const { file } = worker;
    worker.isOver = true;
    if (isDone) return;
    show(worker);
    worker.file = undefined;
    if (file !== undefined) {
      if (config.watch) natives.tellWatcher(`failed:${file[0]}`);
      reporter.crashed(file, how, worker.hasTitle);
    } else if (numbers > 2 * config.files.length) return;
    if (!isEmpty() && !isDone) add();
    else check();
  }

  function check(): void {
    if (isDone || workers.some((worker) => !worker.isOver)) return;
    const left = ranges.flat().length;
    if (left > 0) reporter.betweenTests({ title: "" }, new Error(`no process was ready to run ${left} files`));
    isDone = true;
    endings.finish(reporter);
  }

  add();
  // A run that is over before the others would be ready needs none of them.
  setTimeout(
    () => {
      while (numbers < count && !isEmpty()) add();
    },
    config.parallelDelay ?? Number(process.env.BUN_TEST_PARALLEL_SCALE_MS ?? 5),
  );
}

/** What the main half of a worker gives. */
interface WorkerSide {
  reporter: ConsoleReporter;
  snapshots: SnapshotSums;
  end(): void;
  /** What its reporters have been told since the last time. */
  collect(): KeptRecord[];
}

/** A worker's side: `runOne` runs a file and calls back. */
export function work(
  prepare: (config: WorkerConfig, ready: () => void) => WorkerSide,
  runOne: (path: string, title: string, round: number, first: boolean, last: boolean, done: () => void) => void,
): void {
  const { readSync } = require("node:fs");
  const { pause, writeAll } = require("internal/test/pipes");
  // Out of the way of the program: it may close whatever it finds, and its processes do not hold them open.
  const [output, errors, results, tasks] = [1, 2, 3, 4].map((fd) => natives.moveDescriptor(fd, fd > 2)) as [
    number,
    number,
    number,
    number,
  ];
  const buffer = Buffer.alloc(64 << 10);
  let unread = Buffer.alloc(0);

  /** The next line from the parent; undefined when it is gone. */
  function readLine(): unknown {
    for (;;) {
      const end = unread.indexOf(10);
      if (end >= 0) {
        const line = unread.toString("utf8", 0, end);
        unread = unread.subarray(end + 1);
        return JSON.parse(line);
      }
      let size: number;
      try {
        size = readSync(tasks, buffer, 0, buffer.length, null);
      } catch (error) {
        if ((error as NodeError).code !== "EAGAIN") throw error;
        pause();
        continue;
      }
      if (size === 0) return undefined;
      unread = Buffer.concat([unread, buffer.subarray(0, size)]);
    }
  }

  const send = (message: unknown) => writeAll(results, `${JSON.stringify(message)}\n`);

  const settings = readLine() as WorkerConfig | undefined;
  if (settings === undefined) return void process.reallyExit(1);
  let first = true;
  let again = false;
  let isPrepared = false;
  let isReady = false;
  const { reporter, snapshots, end, collect } = prepare(settings, () => {
    isReady = true;
    if (isPrepared) begin();
  });

  const next = () => {
    if (runner.isRunning) {
      again = true;
      return;
    }
    runner.isRunning = true;
    do {
      again = false;
      const file = readLine() as TestFile | null | undefined;
      if (file === undefined || file === null) {
        if (settings.coverage !== undefined)
          send({ type: "coverage", files: require("internal/test/bun_test/coverage").collect() });
        return void end();
      }
      let round = 0;
      const rounds = Math.max(1, settings.rerunEach ?? 1);
      const began = clock();
      const over = () => {
        if (++round < rounds) return runOne(file[0], file[1], round, false, false, over);
        natives.release();
        writeAll(output, settings.mark);
        writeAll(errors, settings.mark);
        send({
          type: "file",
          elapsed: clock() - began,
          ...reporter.take(),
          snapshots: { ...snapshots },
          records: collect(),
        });
        for (const key of Object.keys(snapshots)) snapshots[key as keyof SnapshotSums] = 0;
        next();
      };
      runOne(file[0], file[1], 0, first, false, over);
      first = false;
    } while (again);
    runner.isRunning = false;
  };
  const begin = () => {
    send({ type: "ready" });
    next();
  };
  isPrepared = true;
  if (isReady) begin();
}
