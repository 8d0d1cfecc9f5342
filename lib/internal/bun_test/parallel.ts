// --parallel: test files run in several processes, each of which gets its next file when it is ready.
//
// A worker is `bao test --test-worker`. It reads lines of JSON from descriptor 4 (first what is to be run and how, then one file
// each) and writes lines of JSON to descriptor 3 when a file is over. What it prints is collected by its parent and shown file by
// file: on both streams a worker prints a mark when a file is over.

import { clock } from "internal/bun_test/run";
import { runner } from "internal/bun_test/state";
import { ConsoleReporter } from "internal/bun_test/report_console";

const natives = native("test");

/** Ends the output of a file. */
const MARK = "\0bao test: over\0";

/** Seconds a worker may take to end when it is told to. */
const GRACE = 5000;

class Worker {
  child: any;
  number: number;
  file: string[] | undefined = undefined;
  isReady = false;
  isOver = false;
  /** What it has printed for its file, by stream; and whether its mark has come. */
  printed: Record<"out" | "err", { text: string; ended: boolean }> = { out: { text: "", ended: false }, err: { text: "", ended: false } };
  result: any = undefined;
  constructor(child: any, number: number) {
    this.child = child;
    this.number = number;
  }
}

/** Runs the files of `config` in `count` processes; `finish` is called with the reporter that has their sums. */
export function start(config: any, count: number, started: number, isAgent: boolean, finish: (reporter: any) => void): void {
  const { spawn } = require("node:child_process");
  count = Math.min(count, config.files.length);
  const reporter: any = new ConsoleReporter(config, started, isAgent);
  runner.reporter = reporter;
  reporter.onBail = () => {
    reporter.bailed();
    stopAll();
    process.exitCode = 1;
    natives.release();
    (process as any).reallyExit(1);
  };
  if (config.reporters.length > 0 || config.junit !== undefined) {
    const problem = require("internal/bun_test/reporters").addReporters(reporter, config);
    if (problem !== undefined) {
      process.stderr.write(`error: ${problem}\n`);
      return void (process as any).reallyExit(1);
    }
  }
  for (const other of reporter.others) other.start?.({ files: config.files.map((file: string[]) => file[1]) });
  const queue: string[][] = config.timings.length > 0 ? require("internal/bun_test/timings").slowestFirst(config.files, config) : [...config.files];
  const settings = JSON.stringify({
    ...config, coverage: config.coverage && { ...config.coverage, tests: config.files.map((file: string[]) => file[0]) }, files: undefined, random: undefined, wantsRecords: reporter.others.length > 0, isAgent, isolate: config.isolate ?? true, reporters: [], junit: undefined,
    bail: undefined,
  });
  // What the workers load is to be watched as well.
  const watcher: number | undefined = config.watch ? natives.watchFd() : undefined;
  const workers: Worker[] = [];
  let numbers = 0;
  let isDone = false;

  function stopAll(): void {
    for (const worker of workers) if (!worker.isOver) worker.child.kill("SIGKILL");
  }

  function add(): void {
    const number = ++numbers;
    const child = spawn(process.execPath, [...process.execArgv, "test", "--test-worker"], {
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", ...(watcher === undefined ? [] : [watcher])],
      env: { ...process.env, FORCE_COLOR: reporter.colors ? "1" : "0", BUN_TEST_WORKER_ID: String(number), JEST_WORKER_ID: String(number), BAO_TEST_TTY: reporter.isTty ? "1" : "", BAO_WATCH_FD: watcher === undefined ? undefined : "5" },
    });
    const worker = new Worker(child, number);
    workers.push(worker);
    let unread = "";
    child.stdio[3].setEncoding("utf8");
    child.stdio[3].on("data", (text: string) => {
      unread += text;
      for (let end = unread.indexOf("\n"); end >= 0; end = unread.indexOf("\n")) {
        const message = JSON.parse(unread.slice(0, end));
        unread = unread.slice(end + 1);
        if (message.type === "ready") {
          worker.isReady = true;
          give(worker);
        } else if (message.type === "coverage") {
          require("internal/bun_test/coverage").merge((reporter.coverage ??= {}), message.files);
        } else {
          worker.result = message;
          look(worker);
        }
      }
    });
    for (const [stream, name] of [[child.stdout, "out"], [child.stderr, "err"]] as const) {
      const { printed } = worker;
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => {
        printed[name].text += text;
        if (printed[name].text.endsWith(MARK)) {
          printed[name].ended = true;
          printed[name].text = printed[name].text.slice(0, -MARK.length);
          look(worker);
        }
      });
    }
    child.stdio[4].on("error", () => {});
    child.stdio[4].write(`${settings}\n`);
    child.on("error", (error: any) => crashed(worker, `could not be started: ${error.message}`));
    child.on("close", (code: number | null, signal: string | null) => {
      worker.isOver = true;
      if (worker.file !== undefined) crashed(worker, signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
      else if (worker.printed.err.text !== "" || worker.printed.out.text !== "") show(worker);
      check();
    });
  }

  function give(worker: Worker): void {
    const file = queue.shift();
    worker.file = file;
    worker.result = undefined;
    if (file === undefined) {
      worker.child.stdio[4].end("null\n");
      setTimeout(() => worker.isOver || worker.child.kill("SIGKILL"), GRACE).unref();
      return;
    }
    worker.printed.out.ended = worker.printed.err.ended = false;
    worker.child.stdio[4].write(`${JSON.stringify(file)}\n`);
  }

  function show(worker: Worker): void {
    const { out, err } = worker.printed;
    if (out.text !== "") process.stdout.write(out.text);
    if (err.text !== "") reporter.print(err.text);
    out.text = err.text = "";
  }

  /** Looks whether all of a file has come. */
  function look(worker: Worker): void {
    const { result, printed, file } = worker;
    if (result === undefined || file === undefined || !printed.out.ended || !printed.err.ended) return;
    show(worker);
    const { fail, errors } = reporter.counts;
    reporter.absorb(result);
    if (config.watch) natives.tellWatcher(`${reporter.counts.fail > fail || reporter.counts.errors > errors ? "failed" : "passed"}:${file[0]}`);
    if (config.updateTimings) require("internal/bun_test/timings").measured.set(file[1], result.elapsed);
    worker.file = undefined;
    give(worker);
    check();
  }

  /** A worker that did not come to the end of its file takes only that file with it. */
  function crashed(worker: Worker, how: string): void {
    const { file } = worker;
    worker.isOver = true;
    worker.file = undefined;
    show(worker);
    if (file !== undefined) {
      reporter.print(`\n${file[1]}:\nerror: the process that ran this file ${how}\n`);
      reporter.counts.files++;
      reporter.counts.errors++;
      if (config.watch) natives.tellWatcher(`failed:${file[0]}`);
      reporter.fileFailed({ path: file[0], title: file[1], lastError: { name: "Error", message: `the process that ran this file ${how}`, text: `error: the process that ran this file ${how}\n`, places: [] } });
    }
    if (queue.length > 0 && !isDone) add();
  }

  function check(): void {
    if (isDone || queue.length > 0 || workers.some((worker) => !worker.isOver)) return;
    isDone = true;
    finish(reporter);
  }

  add();
  // A run that is over before the others would be ready needs none of them.
  setTimeout(() => {
    while (numbers < count && queue.length > 0) add();
  }, config.parallelDelay ?? 5);
}

/** A worker's side: `runOne` runs a file and calls back. */
export function work(prepare: (config: any) => any, runOne: (path: string, title: string, round: number, first: boolean, last: boolean, done: () => void) => void): void {
  const { readSync, writeSync } = require("node:fs");
  const buffer = Buffer.alloc(64 << 10);
  let unread = Buffer.alloc(0);

  /** The next line from the parent; undefined when it is gone. */
  function readLine(): any {
    for (;;) {
      const end = unread.indexOf(10);
      if (end >= 0) {
        const line = unread.toString("utf8", 0, end);
        unread = unread.subarray(end + 1);
        return JSON.parse(line);
      }
      let size: number;
      try {
        size = readSync(4, buffer, 0, buffer.length, null);
      } catch (error: any) {
        if (error.code !== "EAGAIN") throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
        continue;
      }
      if (size === 0) return undefined;
      unread = Buffer.concat([unread, buffer.subarray(0, size)]);
    }
  }

  function send(message: any): void {
    let rest = Buffer.from(`${JSON.stringify(message)}\n`);
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(3, rest));
      } catch (error: any) {
        if (error.code !== "EAGAIN") throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      }
    }
  }

  const settings = readLine();
  if (settings === undefined) return void (process as any).reallyExit(1);
  const { reporter, snapshots, end, collect } = prepare(settings);
  let first = true;
  let isRunning = false;
  let again = false;
  send({ type: "ready" });

  const next = () => {
    if (isRunning) {
      again = true;
      return;
    }
    isRunning = true;
    do {
      again = false;
      const file = readLine();
      if (file === undefined || file === null) {
        if (settings.coverage !== undefined) send({ type: "coverage", files: require("internal/bun_test/coverage").collect() });
        return void end();
      }
      let round = 0;
      const rounds = Math.max(1, settings.rerunEach ?? 1);
      const began = clock();
      const over = () => {
        if (++round < rounds) return runOne(file[0], file[1], round, false, false, over);
        natives.release();
        writeSync(1, MARK);
        writeSync(2, MARK);
        send({ type: "file", elapsed: clock() - began, ...reporter.take(), snapshots: { ...snapshots }, records: collect() });
        for (const key of Object.keys(snapshots)) snapshots[key] = 0;
        next();
      };
      runOne(file[0], file[1], 0, first, false, over);
      first = false;
    } while (again);
    isRunning = false;
  };
  next();
}
