// The process object: global `process` and module node:process, https://nodejs.org/api/process.html
//
// This module is part of almost every start, so it only makes what is cheap. Whatever costs something is behind a
// getter or in a method that loads its module on the first call.

import EventEmitter from "node:events";
import { exitState, nextTick } from "internal/core/task_queues";

import type { CpuUsage, Process, Refable } from "internal/process/types";

const ops = native("process");
const { defineProperty, create } = Object;

// A class of its own between process and EventEmitter, as in Node: `process.constructor.name === "process"`.
// Calling it does nothing, as there: Jest calls the constructors of process's prototypes on its own copy.
const processClass = function process(this: unknown) {
  return this;
};
defineProperty(processClass, "name", { value: "process", configurable: true });
processClass.prototype = create(EventEmitter.prototype, {
  constructor: { value: processClass, writable: true, enumerable: false, configurable: true },
});
const process: Process = create(processClass.prototype);
EventEmitter.call(process);
defineProperty(process, Symbol.toStringTag, { writable: true, value: "process" });

/** A property computed when it is first read; it can be overwritten. */
function lazy(key: string, compute: () => unknown): void {
  defineProperty(process, key, {
    configurable: true,
    enumerable: true,
    get() {
      const value = compute();
      defineProperty(process, key, { value, writable: true, enumerable: true, configurable: true });
      return value;
    },
    set(value: unknown) {
      defineProperty(process, key, { value, writable: true, enumerable: true, configurable: true });
    },
  });
}

/** A property that is computed anew whenever it is read. */
function live(key: string, get: () => unknown, set?: (value: unknown) => void): void {
  defineProperty(process, key, { configurable: true, enumerable: true, get, set });
}

/** A constant computed when it is first read. */
function constant(key: string, compute: () => unknown): void {
  let value: unknown;
  live(key, () => (value ??= compute()));
}

/** An object of constants, but that of the name `loose`, if there is one, can be changed. */
function fromPairs(pairs: string[], loose?: string): { [key: string]: unknown } {
  const object: { [key: string]: unknown } = {};
  for (let i = 0; i < pairs.length; i += 2) {
    const free = pairs[i] === loose;
    defineProperty(object, pairs[i]!, { value: pairs[i + 1], enumerable: true, writable: free, configurable: free });
  }
  return object;
}

constant("version", ops.version);
// Programs that want to be taken for Node hide that of Bun: Bun lets them, and Node has none that it keeps.
constant("versions", () => fromPairs(ops.versions(), "bun"));
constant("arch", ops.arch);
constant("platform", ops.platform);
constant("release", () => fromPairs(ops.release()));
constant("features", () => require("internal/process/features").features());
constant("config", () => require("internal/process/features").config());
lazy("allowedNodeEnvironmentFlags", () => require("internal/process/features").allowedFlags());
constant("revision", ops.revision);
lazy("finalization", () => require("internal/process/methods").finalization());
constant("report", () => require("internal/process/report").report);
live("moduleLoadList", () =>
  ops.loadedBuiltins().map((id) => `NativeModule ${id.startsWith("node:") ? id.slice(5) : id}`),
);
// As in Node, only where something is denied.
if (ops.permissionOn()) constant("permission", () => require("internal/process/permission").permission);

let mainModule: unknown;
live(
  "mainModule",
  () => mainModule ?? require("internal/module/cjs").getMainModule(),
  (value) => (mainModule = value),
);

const evaluated = ops.programText();
if (evaluated !== undefined)
  defineProperty(process, "_eval", { value: evaluated, writable: true, enumerable: true, configurable: true });

lazy("_preload_modules", () => ops.cliOption("--require"));
lazy("argv", ops.argv);
lazy("execArgv", ops.execArgv);
lazy("execPath", ops.execPath);
lazy("argv0", ops.argv0);
lazy("env", () => require("internal/process/env").createEnv());
lazy("pid", ops.pid);
live("ppid", ops.ppid, function (this: object, value) {
  defineProperty(this, "ppid", { value, writable: true, enumerable: true, configurable: true });
});
live("title", ops.getTitle, (value) => ops.setTitle(`${value}`));
live("sourceMapsEnabled", () => require("internal/process/methods").sourceMapsSupport().enabled);
live("stdin", () => require("internal/process/stdio").getStdin());
live("stdout", () => require("internal/process/stdio").getStdout());
live("stderr", () => require("internal/process/stdio").getStderr());
live(
  "_exiting",
  () => exitState.exiting,
  (value) => (exitState.exiting = !!value),
);
live(
  "debugPort",
  () => native("inspector").debugPort(),
  (value) => {
    // As the language makes an int32 of it.
    const port = Number(value) | 0;
    if (port !== 0 && (port < 1024 || port > 65535)) {
      const error: NodeError = new RangeError("process.debugPort must be 0 or in range 1024 to 65535");
      error.code = "ERR_OUT_OF_RANGE";
      throw error;
    }
    native("inspector").setDebugPort(port);
  },
);
process._debugEnd = () => native("inspector").close();
process._debugProcess = (pid: number) => process.kill(pid, "SIGUSR1");
process.isBun = true;
process.browser = false;

// ---------------------------------------------------------------------------------------------- end of the process

let exitCode: number | string | undefined;

defineProperty(process, "exitCode", {
  configurable: false,
  enumerable: true,
  get: () => exitCode,
  set(value: number | string | null | undefined) {
    if (value !== null && value !== undefined) {
      let number = value;
      if (typeof value === "string" && value !== "") number = Number(value);
      if (!Number.isInteger(number))
        (require("internal/core/validators").validateInteger as Check)(number !== number ? value : number, "code");
    } else {
      value = undefined;
    }
    exitCode = value;
  },
});

Object.assign(process, {
  /** Emits 'exit' and ends the process (in a worker: the thread) with `code`, by default process.exitCode or 0. */
  exit(code?: number | string | null): never {
    // A test runner may not let it happen.
    exitState.guard?.(code);
    if (arguments.length > 0) process.exitCode = code;
    if (!exitState.exiting) {
      exitState.exiting = true;
      process.emit("exit", Number(exitCode ?? 0));
    }
    // Through the property: tests replace it.
    process.reallyExit(Number(exitCode ?? 0));
    return undefined as never;
  },
  /** Ends the process at once, without 'exit'. */
  reallyExit(code?: number): void {
    exitState.guard?.(code, "reallyExit");
    if (ops.cliOption("--trace-exit")) require("internal/process/execution").traceExit(code! | 0);
    ops.reallyExit(code! | 0);
  },
  abort(): void {
    if (!ops.isMainThread()) {
      const { codes } = require("internal/core/errors");
      throw new codes.ERR_WORKER_UNSUPPORTED_OPERATION("process.abort()");
    }
    exitState.guard?.(undefined, "abort");
    ops.abort();
  },
  kill(pid: number, signal?: unknown): true {
    exitState.guard?.(undefined, "kill");
    return require("internal/process/signals").kill(pid, signal);
  },
  _kill(pid: number, signal: number): number {
    return ops.kill(pid, signal);
  },
  nextTick,
  emitWarning(warning: unknown, type?: string, code?: unknown, ctor?: unknown): void {
    require("internal/process/warning").emitWarning(warning, type, code, ctor);
  },
  setUncaughtExceptionCaptureCallback(fn: (...values: unknown[]) => unknown): void {
    require("internal/process/execution").setUncaughtExceptionCaptureCallback(fn);
  },
  addUncaughtExceptionCaptureCallback(fn: (...values: unknown[]) => unknown): void {
    require("internal/process/execution").addUncaughtExceptionCaptureCallback(fn);
  },
  hasUncaughtExceptionCaptureCallback(): boolean {
    return require("internal/process/execution").hasUncaughtExceptionCaptureCallback();
  },
  _tickCallback(): void {
    require("internal/core/task_queues").runNextTicks();
  },
  /** What is called with an error that nobody has caught; true where the program has handled it. */
  _fatalException(error: NodeError, fromPromise: boolean): boolean {
    return require("internal/process/execution").fatalException(error, fromPromise);
  },
  _rawDebug(...args: unknown[]): void {
    require("internal/process/methods").rawDebug(...args);
  },
});

// ---------------------------------------------------------------------------------------------- asking the system

let cachedCwd: string | undefined;
const isMainThread = ops.isMainThread();

function cwd(): string {
  // Only this thread can change the main thread's directory; workers ask each time.
  if (isMainThread) return (cachedCwd ??= ops.cwd() as string);
  return ops.cwd();
}

const hrtime = function hrtime(time?: [number, number]): [number, number] {
  return require("internal/process/methods").hrtime(time);
};
hrtime.bigint = function bigint(): bigint {
  return require("internal/process/methods").hrtimeBigint();
};

const memoryUsage = function memoryUsage(): object {
  return require("internal/process/methods").memoryUsage();
};
memoryUsage.rss = function rss(): number {
  return ops.rss();
};

Object.assign(process, {
  cwd,
  chdir(directory: unknown): void {
    cachedCwd = undefined;
    require("internal/process/methods").chdir(directory);
  },
  umask(mask?: unknown): number {
    return require("internal/process/methods").umask(mask);
  },
  hrtime,
  /** Seconds since the process started. */
  uptime(): number {
    return ops.nowMs() / 1000;
  },
  memoryUsage,
  constrainedMemory(): number {
    return ops.constrainedMemory();
  },
  availableMemory(): number {
    return ops.availableMemory();
  },
  cpuUsage(previous?: CpuUsage): CpuUsage {
    return require("internal/process/methods").cpuUsage(previous);
  },
  threadCpuUsage(previous?: CpuUsage): CpuUsage {
    return require("internal/process/methods").threadCpuUsage(previous);
  },
  resourceUsage(): object {
    return require("internal/process/methods").resourceUsage();
  },
  getuid: () => ops.getuid(),
  geteuid: () => ops.geteuid(),
  getgid: () => ops.getgid(),
  getegid: () => ops.getegid(),
  getgroups: () => require("internal/process/credentials").getgroups(),
  setuid(id: string | number): void {
    require("internal/process/credentials").setuid(id);
  },
  seteuid(id: string | number): void {
    require("internal/process/credentials").seteuid(id);
  },
  setgid(id: string | number): void {
    require("internal/process/credentials").setgid(id);
  },
  setegid(id: string | number): void {
    require("internal/process/credentials").setegid(id);
  },
  setgroups(groups: readonly (string | number)[]): void {
    require("internal/process/credentials").setgroups(groups);
  },
  initgroups(user: string | number, extraGroup: string | number): void {
    require("internal/process/credentials").initgroups(user, extraGroup);
  },
  execve(execPath: string, args?: readonly string[], env?: Record<string, string>): never {
    return require("internal/process/methods").execve(execPath, args, env);
  },
  loadEnvFile(path?: unknown): void {
    require("internal/process/methods").loadEnvFile(path);
  },
  getBuiltinModule(id: string) {
    return require("internal/process/methods").getBuiltinModule(id);
  },
  _getActiveHandles() {
    return require("internal/process/methods").getActiveHandles();
  },
  _getActiveRequests(): { type: string }[] {
    return require("internal/process/methods").getActiveRequests();
  },
  getActiveResourcesInfo(): string[] {
    return require("internal/process/methods").getActiveResourcesInfo();
  },
  setSourceMapsEnabled(value: unknown): void {
    require("internal/process/methods").setSourceMapsEnabled(value);
  },
  dlopen(module: unknown, filename: unknown, flags?: unknown): void {
    require("internal/process/methods").dlopen(module, filename, flags);
  },
  binding(name: unknown) {
    if (ops.cliOption("--permission") === true) {
      const { codes } = require("internal/core/errors");
      throw Object.assign(new codes.ERR_ACCESS_DENIED("process.binding"), { permission: "", resource: "" });
    }
    return require("internal/process/methods").binding(name);
  },
  /** Bindings that are linked into a program that embeds Node: there are none. */
  _linkedBinding(name: unknown): never {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_MODULE(`No such binding was linked: ${name}`);
  },
  _startProfilerIdleNotifier: () => {},
  _stopProfilerIdleNotifier: () => {},
  ref(maybeRefable: object): void {
    require("internal/process/methods").ref(maybeRefable as Refable);
  },
  unref(maybeRefable: object): void {
    require("internal/process/methods").unref(maybeRefable as Refable);
  },
  openStdin() {
    return require("internal/process/stdio").openStdin();
  },
});

// ---------------------------------------------------------------------------------------------- start

// Flags only become properties when they were given, as in Node.
if (ops.cliOption("--no-deprecation")) process.noDeprecation = true;
if (ops.cliOption("--throw-deprecation")) process.throwDeprecation = true;
if (ops.cliOption("--trace-deprecation")) process.traceDeprecation = true;
if (ops.cliOption("--trace-warnings")) process.traceProcessWarnings = true;

process.on("newListener", function startListeningIfSignal(event: unknown) {
  if (typeof event === "string" && event.startsWith("SIG") && isMainThread)
    require("internal/process/signals").onNewListener(event);
});
process.on("removeListener", function stopListeningIfSignal(event: unknown) {
  if (typeof event === "string" && event.startsWith("SIG") && isMainThread)
    require("internal/process/signals").onRemoveListener(event);
});
if (!ops.cliOption("--no-warnings") && ops.getenv("NODE_NO_WARNINGS") !== "1") {
  process.on("warning", function onWarning(warning: NodeError) {
    require("internal/process/warning").onWarning(warning);
  });
}

export default process;
