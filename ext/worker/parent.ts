// Worker of node:worker_threads (https://nodejs.org/api/worker_threads.html#class-worker), the parent's side.

import { own as noteOwned, tracking } from "internal/events/async_context";
import EventEmitter from "node:events";
import { codes } from "internal/core/errors";
import { validateArray, validateNumber, validateObject, validateString } from "internal/core/validators";
import { MessageChannel, receiveMessageOnPort } from "web/message_port";
import { check, pack, transferList, type TransferOptions } from "internal/worker/messaging/message";
import { own, SHARE_ENV } from "internal/worker/thread_info";
import { nextTick } from "internal/core/task_queues";
import { resources } from "internal/process/execution";

import type { CpuUsage, Duplex } from "internal/process/types";
import type { FromWorker, Setup, WorkerOptions } from "internal/worker/types";
import type { Port } from "web/message_port";

const { start, nextId, terminate, loopTimes } = native("worker");
const { keepAlive } = native("loop");

const FILE = 0;
const TEXT = 1;
/** The text behind a URL. */
const MODULE = 2;

/** Default limits as Node has them, in MiB; they are reported, and enforced where one was given. */
const limitNames = ["maxYoungGenerationSizeMb", "maxOldGenerationSizeMb", "codeRangeSizeMb", "stackSizeMb"];

function parseLimits(limits: Record<string, unknown> | null | undefined): Record<string, number> {
  const parsed: Record<string, number> = {};
  for (const name of limitNames) {
    const value = limits?.[name];
    parsed[name] = typeof value === "number" ? value : name === "stackSizeMb" ? 4 : -1;
  }
  return parsed;
}

/** Node's rules for the first argument: what to run, and the name that process.argv gets. */
function programOf(filename: unknown, options: WorkerOptions): { kind: number; program: string; name: string } {
  if (options.eval) {
    if (typeof filename !== "string") {
      throw new codes.ERR_INVALID_ARG_VALUE(
        "options.eval",
        options.eval,
        "must be false when 'filename' is not a string",
      );
    }
    return { kind: TEXT, program: filename, name: "[worker eval]" };
  }
  if (
    filename instanceof URL ||
    (typeof filename === "object" &&
      filename !== null &&
      typeof (filename as URL).href === "string" &&
      (filename as URL).protocol)
  ) {
    if ((filename as URL).protocol === "data:" || (filename as URL).protocol === "blob:")
      return moduleAt((filename as URL).href);
    const path = require("node:url").fileURLToPath(filename as URL);
    const program = native("loader").embeddedWorker(path) ?? path;
    return { kind: FILE, program, name: program };
  }
  if (typeof filename !== "string") throw new codes.ERR_INVALID_ARG_TYPE("filename", ["string", "URL"], filename);
  // Modules of an executable come before files.
  const embedded = native("loader").embeddedWorker(filename);
  if (embedded !== undefined) return { kind: FILE, program: embedded, name: embedded };
  const path = require("node:path");
  if (path.isAbsolute(filename) || /^\.\.?[\\/]/.test(filename)) {
    const resolved = path.resolve(filename);
    return { kind: FILE, program: resolved, name: resolved };
  }
  throw new codes.ERR_WORKER_PATH(filename);
}

/** A URL that only this thread may know the content of. */
function moduleAt(href: string): { kind: number; program: string; name: string } {
  if (href.startsWith("data:")) return { kind: MODULE, program: `import ${JSON.stringify(href)};`, name: href };
  const blob = require("web/blob").resolveObjectURL(href);
  // The worker fails to load it: that is an event, as the standard has it, no exception of the constructor.
  if (blob === undefined) return { kind: MODULE, program: `import ${JSON.stringify(href)};`, name: href };
  const bytes = require("web/blob").blobBytesSync(blob);
  if (bytes === undefined) throw new TypeError(`A worker cannot be made of a Blob of a file: ${href}`);
  return { kind: MODULE, program: new TextDecoder().decode(bytes), name: href };
}

/** Options of Node's that a worker can have beside its parent's. */
const knownExecArgv =
  /^--(?:no-warnings|trace-warnings|no-deprecation|trace-deprecation|throw-deprecation|pending-deprecation|enable-source-maps|expose-internals|trace-exit|trace-uncaught|trace-sigint|preserve-symlinks|preserve-symlinks-main|no-addons|frozen-intrinsics|verify-base-objects|insecure-http-parser|force-context-aware|no-experimental-[\w-]+|experimental-[\w-]+|input-type=[\w-]+|disable-warning=.*|unhandled-rejections=\w+|conditions=.+|import=.+|require=.+|dns-result-order=\w+|max-http-header-size=\d+|stack-trace-limit=\d+|cpu-prof(?:-md)?|heap-prof|(?:cpu|heap)-prof-(?:dir|name|interval)=.+|inspect(?:-brk|-wait)?(?:=.*)?|inspect-port=.+)$/;
/** Those whose value may be the next word. */
const withValue: Record<string, string> = {
  __proto__: null as never,
  "-r": "--require",
  "--require": "--require",
  "--import": "--import",
  "-C": "--conditions",
  "--conditions": "--conditions",
  "--input-type": "--input-type",
  "--disable-warning": "--disable-warning",
  "--unhandled-rejections": "--unhandled-rejections",
  "--dns-result-order": "--dns-result-order",
  "--heap-prof-dir": "--heap-prof-dir",
  "--heap-prof-name": "--heap-prof-name",
  "--heap-prof-interval": "--heap-prof-interval",
  "--cpu-prof-dir": "--cpu-prof-dir",
  "--cpu-prof-name": "--cpu-prof-name",
  "--cpu-prof-interval": "--cpu-prof-interval",
};

interface Settings {
  execArgv: string[] | undefined;
  settings: string[];
  preload: string[];
  /** What `--import` names: not loaded in front of a text, as in Node. */
  imports: string[];
}

/** Words in front of a program, as `--name=value`; files to load first stand apart. Throws ERR_WORKER_INVALID_EXEC_ARGV. */
function parseWords(words: string[], what?: string): { settings: string[]; preload: string[]; imports: string[] } {
  const settings: string[] = [];
  const preload: string[] = [];
  const imports: string[] = [];
  const invalid: string[] = [];
  for (let i = 0; i < words.length; i++) {
    let word = words[i]!;
    const long = withValue[word];
    if (long !== undefined) word = `${long}=${words[++i] ?? ""}`;
    if (!word.startsWith("-")) continue;
    if (!knownExecArgv.test(word)) {
      // What the process itself was started with holds for all of it, as `--bun` does: programs pass `process.execArgv` on.
      if (!process.execArgv.includes(words[i]!)) invalid.push(words[i]!);
      continue;
    }
    if (word.startsWith("--require=")) preload.push(word.slice("--require=".length));
    else if (word.startsWith("--import=")) imports.push(word.slice("--import=".length));
    else settings.push(word);
  }
  if (invalid.length > 0) throw new codes.ERR_WORKER_INVALID_EXEC_ARGV(invalid, what);
  return { settings, preload, imports };
}

/** The words of NODE_OPTIONS: in double quotes there may be spaces, and a backslash before what stands for itself. */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:"(?:\\.|[^"\\])*"|[^\s"])+/g) ?? [];
  return words.map((word) => word.replace(/"((?:\\.|[^"\\])*)"/g, (_, inner) => inner.replace(/\\(.)/g, "$1")));
}

function checkExecArgv(list: unknown, env: WorkerOptions["env"]): Settings {
  const settings: Settings = { execArgv: undefined, settings: [], preload: [], imports: [] };
  if (list !== undefined && list !== null) {
    validateArray(list, "options.execArgv");
    let items: string[] = list.map(String);
    // It ends the options, and is none.
    const end = items.indexOf("--");
    if (end !== -1) items = items.slice(0, end);
    Object.assign(settings, parseWords(items), { execArgv: items });
  }
  // An environment of its own has options of its own.
  if (typeof env !== "object" || env === null || env === process.env) return settings;
  if (`${env.NODE_PRESERVE_SYMLINKS}` === "1") settings.settings.push("--preserve-symlinks");
  if (`${env.NODE_PRESERVE_SYMLINKS_MAIN}` === "1") settings.settings.push("--preserve-symlinks-main");
  if (env.NODE_OPTIONS !== undefined && env.NODE_OPTIONS !== process.env.NODE_OPTIONS) {
    const more = parseWords(wordsOf(`${env.NODE_OPTIONS}`), "invalid NODE_OPTIONS env variable");
    settings.settings.push(...more.settings);
    settings.preload.push(...more.preload);
    settings.imports.push(...more.imports);
  }
  return settings;
}

/** A profile of a worker, under way. */
class ProfileHandle {
  readonly #end: () => Promise<string>;
  #ended: Promise<string> | undefined;

  constructor(end: () => Promise<string>) {
    this.#end = end;
  }

  /** Ends the profile. */
  stop(): Promise<string> {
    return (this.#ended ??= this.#end());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Who waits for an answer. */
interface Question {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/** Told of new workers: `process.on("worker")`. */
function announce(worker: unknown): void {
  nextTick(() => process.emit("worker", worker));
}

export class Worker extends EventEmitter {
  [key: string]: unknown;
  #handle: string | Native.Worker | undefined;
  #port: Port;
  #control: Port;
  #refed = true;
  #ended = false;
  #exitCode: number | null = null;
  #limits: Record<string, number>;
  #name: string;
  #id: number;
  #waiting: ((code: number) => void)[] = [];
  #stdin: Duplex | null = null;
  #stdout: Duplex | undefined;
  #stderr: Duplex | undefined;
  #performance: unknown;
  /** Streams (1, 2) that go to the process's as well. */
  #copied = 0;
  /** Who waits for answers of the worker, by number. */
  #questions: Question[] = [];
  /** What createHook() sees of the worker; `hasRef()` is undefined once it has ended, as of Node's. */
  #resource: { hasRef(): boolean | undefined } | undefined;
  #isGone = false;

  constructor(
    filename: string | URL | undefined,
    options: WorkerOptions & { [kWeb]?: WebOptions; [kServes]?: "macros" | "hooks" } = {},
  ) {
    super();
    if (options === null || options === undefined) options = {};
    validateObject(options, "options");
    const { execArgv, settings, preload, imports } = checkExecArgv(options.execArgv, options.env);
    if (options[kWeb]?.preload !== undefined) preload.push(...options[kWeb].preload);
    let argv: string[] = [];
    if (options.argv !== undefined && options.argv !== null) {
      validateArray(options.argv, "options.argv");
      argv = options.argv.map(String);
    }
    const { kind, program, name } = programOf(filename, options);
    let env: Record<string, unknown> | undefined;
    if (typeof options.env === "object" && options.env !== null) {
      env = { ...options.env };
    } else if (options.env === undefined || options.env === null) {
      env = { ...process.env };
    } else if (options.env === SHARE_ENV) {
      require("internal/process/env").shareEnvironment();
    } else {
      throw new codes.ERR_INVALID_ARG_TYPE(
        "options.env",
        ["object", "undefined", "null", "worker_threads.SHARE_ENV"],
        options.env,
      );
    }
    if (options.name !== undefined) validateString(options.name, "options.name");
    this.#name = options.name === undefined ? "WorkerThread" : `${options.name}`.trim();
    this.#limits = parseLimits(options.resourceLimits);
    this.#id = nextId();

    if (tracking.enabled) {
      this.#resource = { hasRef: () => (this.#isGone ? undefined : this.#ended || this.#refed) };
      require("internal/events/async_ids").initObject(this.#resource, "WORKER");
    }
    const messages = new MessageChannel();
    const control = new MessageChannel();
    this.#port = messages.port1;
    this.#control = control.port1;
    const list = transferList(options.transferList) ?? [];
    const data: Setup = {
      port: messages.port2,
      control: control.port2,
      workerData: pack(options.workerData === undefined ? null : options.workerData, list),
      environmentData: own.environmentData,
      env: env === undefined ? undefined : text(env),
      name: this.#name,
      limits: this.#limits,
      stdin: !!options.stdin,
      stdout: !!options.stdout,
      stderr: !!options.stderr,
      isWeb: options[kWeb] !== undefined,
      serves: options[kServes],
      trackFds: options.trackUnmanagedFds ?? true,
    };
    const handle = start(
      this.#id,
      kind,
      program,
      this.#name || "WorkerThread",
      [process.execPath, name, ...argv],
      execArgv,
      settings,
      preload,
      imports,
      [
        (options.resourceLimits?.maxOldGenerationSizeMb as number | undefined) ?? 0,
        (options.resourceLimits?.stackSizeMb as number | undefined) ?? 0,
        options[kWeb]?.smol ? 1 : 0,
      ],
      data,
      [messages.port2, control.port2, ...list],
      (code: number, outOfMemory: boolean) => this.#onExit(code, outOfMemory),
    );
    if (typeof handle === "string") check(handle, options.workerData);
    this.#handle = handle;
    keepAlive(1);
    noteOwned(this as Worker, (worker) => {
      worker.removeAllListeners();
      void worker.terminate();
      worker.unref();
    });
    if (resources.opened !== undefined)
      resources.opened(
        "Worker",
        () => !this.#ended && this.#refed,
        () => void this.terminate(),
      );
    this.#port.on("message", (message: unknown) => this.emit("message", message));
    this.#port.on("messageerror", (error: unknown) => this.emit("messageerror", error));
    this.#port.unref();
    this.#control.on("message", (message: unknown) => this.#onControl(message as FromWorker));
    this.#control.unref();
    const { outputOf, inputOf } = require("internal/worker/stdio");
    if (options.stdout) this.#stdout = outputOf();
    if (options.stderr) this.#stderr = outputOf();
    if (options.stdin) this.#stdin = inputOf(this.#control);
    if (options[kServes] === undefined) {
      const created = require("node:diagnostics_channel").channel("worker_threads");
      if (created.hasSubscribers) created.publish({ worker: this });
      announce(options[kWeb]?.owner ?? this);
    }
  }

  #onControl(message: FromWorker): void {
    switch (message.type) {
      case "online":
        this.emit("online");
        return;
      case "error":
        this.emit("error", require("internal/worker/errors").unpackError(message));
        return;
      case "answer":
        this.#questions[message.id]!.resolve(message.value);
        return;
      case "output":
        (message.fd === 1 ? this.#stdout : this.#stderr)?.push(message.chunk);
        if (this.#copied & message.fd) (message.fd === 1 ? process.stdout : process.stderr).write(message.chunk);
        return;
    }
  }

  #onExit(code: number, outOfMemory: boolean): void {
    this.#ended = true;
    this.#exitCode = code;
    // What was posted before the end comes before 'exit'.
    for (let next; (next = receiveMessageOnPort(this.#control)) !== undefined;)
      this.#onControl(next.message as FromWorker);
    for (let next; (next = receiveMessageOnPort(this.#port)) !== undefined;) this.emit("message", next.message);
    this.#control.removeAllListeners("message");
    this.#port.removeAllListeners("message");
    this.#control.close();
    this.#port.close();
    this.#stdout?.push(null);
    this.#stderr?.push(null);
    this.#handle = undefined;
    if (this.#refed) keepAlive(-1);
    this.#refed = false;
    if (outOfMemory) this.emit("error", new codes.ERR_WORKER_OUT_OF_MEMORY("JS heap out of memory"));
    for (const resolve of this.#waiting) resolve(code);
    for (const { reject } of this.#questions) reject(new codes.ERR_WORKER_NOT_RUNNING());
    const resource = this.#resource;
    if (resource === undefined) {
      this.emit("exit", code);
      return;
    }
    nextTick(() => {
      this.#isGone = true;
      require("internal/events/async_ids").endObject(resource);
    });
    require("internal/events/async_ids").callWithin(resource, () => this.emit("exit", code));
  }

  /** Sends a copy of `value` to the worker's parentPort. */
  postMessage(value: unknown, options: TransferOptions = undefined): void {
    if (this.#ended) return;
    if (arguments.length === 0) throw new TypeError("Not enough arguments to MessagePort.postMessage");
    this.#port.postMessage(value, options);
  }

  /** Ends the worker as soon as possible; the promise gives its exit code. */
  terminate(callback: unknown = undefined): Promise<number | undefined> {
    if (typeof callback === "function") {
      process.emitWarning(
        "Passing a callback to worker.terminate() is deprecated. It returns a Promise instead.",
        "DeprecationWarning",
        "DEP0132",
      );
      if (this.#ended) {
        nextTick(callback, null, this.#exitCode);
        return Promise.resolve(undefined);
      }
      this.once("exit", (code: number) => callback(null, code));
    }
    if (this.#ended) return Promise.resolve(undefined);
    this.ref();
    terminate(this.#handle);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
  }

  ref(): void {
    if (this.#ended || this.#refed) return;
    this.#refed = true;
    this.#port.ref();
    keepAlive(1);
  }

  unref(): void {
    if (this.#ended || !this.#refed) return;
    this.#refed = false;
    this.#port.unref();
    keepAlive(-1);
  }

  /** -1 once the worker has ended. */
  get threadId(): number {
    return this.#ended ? -1 : this.#id;
  }
  get threadName(): string | null {
    return this.#ended ? null : this.#name;
  }
  get stdin(): Duplex | null {
    return this.#stdin;
  }
  /** What the worker writes to its stdout. A worker whose parent asks for it before it runs writes through it, to the process's. */
  get stdout(): Duplex {
    return (this.#stdout ??= this.#output(1));
  }
  get stderr(): Duplex {
    return (this.#stderr ??= this.#output(2));
  }
  #output(fd: number): Duplex {
    const { emptyOutput, outputOf } = require("internal/worker/stdio");
    if (this.#ended) return emptyOutput();
    this.#control.postMessage({ type: "capture", fd });
    this.#copied |= fd;
    return outputOf();
  }
  get resourceLimits(): Record<string, number> {
    return this.#ended ? {} : { ...this.#limits };
  }

  /** A readable stream of the worker's heap in V8's format, as of v8.getHeapSnapshot(). */
  getHeapSnapshot(options: unknown = undefined): Promise<unknown> {
    const { snapshotOptions, streamOf } = require("internal/v8/heap_snapshot");
    const { exposeInternals } = snapshotOptions(options);
    return this.#ask<string>(exposeInternals ? "snapshotWithInternals" : "snapshot").then(streamOf);
  }
  /** Starts a CPU profile of the worker's thread; `stop()` of what it gives ends it, with the text of a `.cpuprofile` file. */
  async startCpuProfile(): Promise<ProfileHandle> {
    const profile = await this.#ask<number>("startProfile");
    return new ProfileHandle(() => this.#ask<string>(`stopProfile ${profile}`));
  }
  /** A profile of the heap by who allocates. */
  async startHeapProfile(): Promise<ProfileHandle> {
    const profile = await this.#ask<number>("startHeapProfile");
    return new ProfileHandle(() => this.#ask<string>(`stopHeapProfile ${profile}`));
  }
  /** v8.getHeapStatistics() of the worker. */
  getHeapStatistics(): Promise<unknown> {
    return this.#ask("heap");
  }
  /** Processor time of the worker's thread in microseconds, since its start or since an earlier result. */
  cpuUsage(previous: CpuUsage | undefined = undefined): Promise<{ user: number; system: number }> {
    if (previous) {
      validateObject(previous, "prev");
      for (const key of ["user", "system"] as const) {
        validateNumber(previous[key], `prev.${key}`);
        if (previous[key] < 0 || previous[key] > Number.MAX_SAFE_INTEGER) {
          throw new codes.ERR_OUT_OF_RANGE(`prev.${key}`, `>= 0 && <= ${Number.MAX_SAFE_INTEGER}`, previous[key]);
        }
      }
    }
    return this.#ask<[number, number]>("cpu").then(({ 0: user, 1: system }) =>
      previous ? { user: user - previous.user, system: system - previous.system } : { user, system },
    );
  }

  /** Asks the worker something; its loop answers. */
  #ask<T>(what: string): Promise<T> {
    if (this.#ended) return Promise.reject(new codes.ERR_WORKER_NOT_RUNNING());
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const id = this.#questions.length;
    this.#questions.push({ resolve, reject } as Question);
    this.#control.postMessage({ type: "ask", id, what });
    keepAlive(1);
    return promise.finally(() => keepAlive(-1));
  }

  /** `{ eventLoopUtilization() }` of the worker's loop, as in node:perf_hooks. */
  get performance(): unknown {
    if (this.#performance === undefined) {
      const { utilization } = require("internal/perf/node_additions");
      const eventLoopUtilization = (
        later?: Parameters<typeof utilization>[2],
        earlier?: Parameters<typeof utilization>[3],
      ) => {
        const [idle = 0, active = 0] = this.#handle === undefined ? [] : loopTimes(this.#handle);
        return utilization(idle, active, later, earlier);
      };
      this.#performance = { eventLoopUtilization };
    }
    return this.#performance;
  }
}

/** What the web's Worker adds: modules to load first, and a small heap. */
interface WebOptions {
  preload: string[] | undefined;
  smol: boolean;
  /** The object that a program sees. */
  owner: object;
}

/** Option of the web's Worker, which is made of this one. */
export const kWeb = Symbol("web");

/** Option of workers that do a work of bao's own: which. */
export const kServes = Symbol("serves");

/** Values of an environment are texts. */
function text(env: Record<string, unknown>): Record<string, string> {
  const out: Record<string, string> = {};
  for (const key of Object.keys(env)) if (env[key] !== undefined) out[key] = `${env[key]}`;
  return out;
}
