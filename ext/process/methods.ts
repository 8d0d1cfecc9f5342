// The methods of process that ask the system: times, memory, usage, directories, execve, loadEnvFile.
// Loaded with the first call of one of them.

import { codes } from "internal/core/errors";
import {
  validateArray,
  validateBoolean,
  validateFunction,
  validateNumber,
  validateObject,
  validateString,
  parseFileMode,
} from "internal/core/validators";

import type { CpuUsage, Refable } from "internal/process/types";

const ops = native("process");

const hrBytes = new Uint8Array(16);
const hrSeconds = new Uint32Array(hrBytes.buffer, 8, 2);
const hrTotal = new BigUint64Array(hrBytes.buffer, 0, 1);

/** [seconds, nanoseconds] of a monotonic clock, relative to an earlier result when one is given. */
export function hrtime(time?: [number, number]): [number, number] {
  ops.hrtime(hrBytes);
  const seconds = hrSeconds[0]!;
  const nanoseconds = hrSeconds[1]!;
  if (time === undefined) return [seconds, nanoseconds];
  validateArray(time, "time");
  if (time.length !== 2) throw new codes.ERR_OUT_OF_RANGE("time", 2, time.length);
  const diff = seconds - time[0];
  const rest = nanoseconds - time[1];
  return rest < 0 ? [diff - 1, rest + 1e9] : [diff, rest];
}

/** The same clock in nanoseconds as a BigInt. */
export function hrtimeBigint(): bigint {
  ops.hrtime(hrBytes);
  return hrTotal[0]!;
}

export function memoryUsage(): object {
  const [rss, heapTotal, heapUsed, external, arrayBuffers] = ops.memoryUsage();
  return { rss, heapTotal, heapUsed, external, arrayBuffers };
}

function checkPrevious(value: unknown, name: string): void {
  validateNumber(value, name);
  if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
    throw new codes.ERR_INVALID_ARG_VALUE.RangeError(name, value);
  }
}

// { user, system } in microseconds, minus an earlier result.
function usage(values: Float64Array, previous: CpuUsage | undefined): CpuUsage {
  const [user, system] = values as unknown as [number, number];
  if (!previous) return { user, system };
  return { user: user - previous.user, system: system - previous.system };
}

function checkPreviousUsage(previous: unknown): void {
  if (!previous) return;
  validateObject(previous, "prevValue");
  checkPrevious(previous.user, "prevValue.user");
  checkPrevious(previous.system, "prevValue.system");
}

/** CPU time of the process in microseconds: `{ user, system }`. */
export function cpuUsage(previous?: CpuUsage): CpuUsage {
  checkPreviousUsage(previous);
  return usage(ops.cpuUsage(), previous);
}

/** CPU time of this thread. */
export function threadCpuUsage(previous?: CpuUsage): CpuUsage {
  checkPreviousUsage(previous);
  return usage(ops.threadCpuUsage(), previous);
}

export function resourceUsage(): object {
  const [
    userCPUTime,
    systemCPUTime,
    maxRSS,
    sharedMemorySize,
    unsharedDataSize,
    unsharedStackSize,
    minorPageFault,
    majorPageFault,
    swappedOut,
    fsRead,
    fsWrite,
    ipcSent,
    ipcReceived,
    signalsCount,
    voluntaryContextSwitches,
    involuntaryContextSwitches,
  ] = ops.resourceUsage();
  return {
    userCPUTime,
    systemCPUTime,
    maxRSS,
    sharedMemorySize,
    unsharedDataSize,
    unsharedStackSize,
    minorPageFault,
    majorPageFault,
    swappedOut,
    fsRead,
    fsWrite,
    ipcSent,
    ipcReceived,
    signalsCount,
    voluntaryContextSwitches,
    involuntaryContextSwitches,
  };
}

function mainThreadOnly(name: string): void {
  if (!ops.isMainThread()) throw new codes.ERR_WORKER_UNSUPPORTED_OPERATION(name);
}

/** Changes the working directory. Not in workers, because it is the whole process's. */
export function chdir(directory: unknown): void {
  mainThreadOnly("process.chdir()");
  validateString(directory, "directory");
  // The system sees a text up to its first NUL.
  ops.chdir(directory.split("\0", 1)[0]);
}

/** Reads and, with `mask` (number or octal string), sets the file mode creation mask. Returns the old one. */
export function umask(mask?: unknown): number {
  if (mask === undefined) return ops.umask(-1);
  mainThreadOnly("Setting process.umask()");
  return ops.umask(parseFileMode(mask, "mask") & 0o777);
}

/** Replaces the process image by `execPath`. Returns only by throwing. */
export function execve(
  execPath: string,
  args: readonly string[] = [],
  env?: Record<string, string | undefined>,
): never {
  mainThreadOnly("process.execve");
  if (ops.platform() === "win32") throw new codes.ERR_FEATURE_UNAVAILABLE_ON_PLATFORM("process.execve");
  validateString(execPath, "execPath");
  if (execPath.includes("\0"))
    throw new codes.ERR_INVALID_ARG_VALUE("execPath", execPath, "must be a string without null bytes");
  validateArray(args, "args");
  for (let i = 0; i < args.length; i++) {
    if (typeof args[i] !== "string" || args[i].includes("\0")) {
      throw new codes.ERR_INVALID_ARG_VALUE(`args[${i}]`, args[i], "must be a string without null bytes");
    }
  }
  const process = require("node:process");
  if (env === undefined) env = process.env;
  else validateObject(env, "env");
  const list: string[] = [];
  for (const [key, value] of Object.entries(env)) {
    if (typeof value !== "string" || value.includes("\0") || key.includes("\0")) {
      throw new codes.ERR_INVALID_ARG_VALUE(
        "env",
        env,
        "must be an object with string keys and values without null bytes",
      );
    }
    list.push(`${key}=${value}`);
  }
  process.emitWarning("process.execve is an experimental feature and might change at any time", "ExperimentalWarning");
  return ops.execve(execPath, args, list) as never;
}

/** Adds the variables of a .env file that are not in the environment yet. */
export function loadEnvFile(path: unknown = undefined): void {
  const { readFileSync } = require("node:fs");
  const { parseEnv } = require("node:util");
  if (path != null && typeof path !== "string" && !(path instanceof URL) && !ArrayBuffer.isView(path)) {
    throw new codes.ERR_INVALID_ARG_TYPE("path", ["string", "Buffer", "URL"], path);
  }
  const { env } = require("node:process");
  const values = parseEnv(readFileSync(path ?? ".env", "utf8"));
  for (const key of Object.keys(values)) if (!Object.hasOwn(env, key)) env[key] = values[key];
}

/** A public built-in module by id, or undefined. */
export function getBuiltinModule(id: string): unknown {
  validateString(id, "id");
  const canonical = ops.builtinId(id);
  return canonical === undefined ? undefined : require(canonical);
}

// Sockets, listeners and children that keep the loop alive, as their handles.
function activeHandles() {
  const { table } = require("internal/net/native");
  const handles = [];
  // Numbers of parsers stand in the same table; they keep nothing alive.
  for (const handle of table) if (handle?.owner && handle.hasRef?.()) handles.push(handle);
  return handles;
}

function activeChildren(): unknown[] {
  return [...require("internal/child_process/child").runningChildren].filter((child) => child._handle?.hasRef());
}

/** Names of the resource types of what keeps the loop alive. */
export function getActiveResourcesInfo(): string[] {
  const { Pipe, ListenHandle, UDP } = require("internal/net/native");
  const names: string[] = activeHandles().map((handle) => {
    if (handle instanceof UDP) return "UDPWrap";
    if (handle instanceof ListenHandle) return handle.tcp ? "TCPServerWrap" : "PipeServerWrap";
    return handle instanceof Pipe ? "PipeWrap" : "TCPSocketWrap";
  });
  for (let i = activeChildren().length; i > 0; i--) names.push("ProcessWrap");
  return [...requestNames(), ...names, ...require("internal/core/timers").activeTimerNames()];
}

// Operations under way are counted by the loop, not kept as objects.
function requestNames(): string[] {
  return native("loop").activeResources();
}

/** The sockets, servers and child processes that keep the loop alive. */
export function getActiveHandles(): unknown[] {
  return [...activeHandles().map((handle) => handle.owner), ...activeChildren()];
}

/** An object for every operation under way; only their number and type tell something. */
export function getActiveRequests(): { type: string }[] {
  return requestNames().map((type) => ({ type }));
}

/** Loads a native addon into `module.exports`. */
export function dlopen(module: unknown, filename: unknown, flags?: unknown): void {
  require("internal/napi/load").dlopen(module, filename, flags);
}

/** Internal modules by their old names: `constants`, and `spawn_sync`, whose `spawn` packages replace. */
export function binding(name: unknown) {
  name = `${name}`;
  if (name === "constants") {
    const os = require("node:os").constants;
    return {
      os,
      fs: require("node:fs").constants,
      crypto: require("node:crypto").constants,
      zlib: require("node:zlib").constants,
      trace: {},
    };
  }
  if (name === "spawn_sync") return require("internal/child_process/sync").binding;
  const error: NodeError = new Error(`No such module: ${name}`);
  error.code = "ERR_INVALID_MODULE";
  throw error;
}

/** printf-style output on stderr that works when nothing else does. */
export function rawDebug(...args: unknown[]): void {
  ops.stdioWrite(2, `${require("node:util").format(...args)}\n`);
}

const kRef = Symbol.for("nodejs.ref");
const kUnref = Symbol.for("nodejs.unref");

export function ref(maybeRefable: Refable | null | undefined): void {
  const fn = maybeRefable?.[kRef] ?? maybeRefable?.[Symbol.for("node:ref")] ?? maybeRefable?.ref;
  if (typeof fn === "function") fn.call(maybeRefable);
}

export function unref(maybeRefable: Refable | null | undefined): void {
  const fn = maybeRefable?.[kUnref] ?? maybeRefable?.[Symbol.for("node:unref")] ?? maybeRefable?.unref;
  if (typeof fn === "function") fn.call(maybeRefable);
}

/**
 * What a program asked for about source maps of what it runs; undefined until somebody asks. Stacks show the positions of what bao
 * itself transpiled, and those of bundles for Bun, in any case. `nodeModules` and `generatedCode` are told, and that is all.
 */
let sourceMaps: { enabled: boolean; nodeModules: boolean; generatedCode: boolean } | undefined;

/** `module.getSourceMapsSupport()`: off unless `--enable-source-maps` or a call says otherwise, as in Node. */
export function sourceMapsSupport() {
  if (sourceMaps === undefined) {
    const enabled = ops.sourceMapsEnabled();
    sourceMaps = { enabled, nodeModules: enabled, generatedCode: enabled };
  }
  return sourceMaps;
}

export function setSourceMapsSupport(enabled: boolean, nodeModules: boolean, generatedCode: boolean): void {
  sourceMaps = { enabled, nodeModules, generatedCode };
  ops.enableSourceMaps(enabled);
}

export function setSourceMapsEnabled(value: unknown): void {
  validateBoolean(value, "enabled");
  setSourceMapsSupport(value, value, value);
}

/** A callback of process.finalization. */
interface FinalEntry {
  ref: WeakRef<object>;
  callback: (object: object, event: string) => unknown;
  event: string;
  run: () => void;
}

let finalizationObject: unknown;

/** process.finalization: callbacks for objects that are still alive when the process ends. */
export function finalization() {
  if (finalizationObject !== undefined) return finalizationObject;
  const process = require("node:process");
  // One list per event; entries hold the object weakly and go when it is collected.
  const lists = new Map<string, Set<FinalEntry>>();
  const registry = new FinalizationRegistry((entry: FinalEntry) => drop(entry));
  const drop = (entry: FinalEntry) => {
    const set = lists.get(entry.event)!;
    set.delete(entry);
    if (set.size === 0) process.removeListener(entry.event, entry.run);
  };
  const runs = new Map<string, () => void>();
  const register = (event: string, object: unknown, callback: unknown) => {
    validateObject(object, "obj", 4 | 2);
    validateFunction(callback, "fn");
    let set = lists.get(event);
    if (set === undefined) {
      lists.set(event, (set = new Set()));
      runs.set(event, () => {
        for (const entry of [...lists.get(event)!]) {
          const target = entry.ref.deref();
          if (target !== undefined) entry.callback(target, event);
        }
        lists.get(event)!.clear();
      });
    }
    const run = runs.get(event)!;
    if (set.size === 0) process.on(event, run);
    const entry = { ref: new WeakRef(object), callback, event, run };
    set.add(entry);
    registry.register(object, entry, entry);
  };
  finalizationObject = {
    register: (object: unknown, callback: unknown) => register("exit", object, callback),
    registerBeforeExit: (object: unknown, callback: unknown) => register("beforeExit", object, callback),
    unregister(object: { [key: string]: unknown }) {
      if (object === undefined || object === null) return;
      for (const set of lists.values()) {
        for (const entry of [...set]) {
          if (entry.ref.deref() !== object) continue;
          registry.unregister(entry);
          drop(entry);
        }
      }
    },
  };
  return finalizationObject;
}
