// The type of `process`: https://nodejs.org/api/process.html

import type { EventEmitter } from "internal/events/types";
import type { Duplex } from "internal/net/types";

export type { Duplex };

/** A standard stream: a file, a pipe, a socket or a terminal. */
export interface Stream extends Duplex {
  fd: number;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  isRaw?: boolean;
  setRawMode?(on: boolean): Stream;
  getColorDepth?(environment?: object): number;
  hasColors?(count?: number, environment?: object): boolean;
  getWindowSize?(): [number, number];
  ref(): this;
  unref(): this;
  _type?: string;
  _isStdio?: boolean;
  /** Of terminals: reads their size again. */
  _refreshSize?(): void;
}

/** What process.ref() takes: something with one of these methods, or with one of Symbol.for("nodejs.ref") and the like. */
export interface Refable {
  [name: symbol]: unknown;
  ref?: unknown;
  unref?: unknown;
}

/** Microseconds of CPU time. */
export interface CpuUsage {
  user: number;
  system: number;
}

/** The connection to a parent process. */
export interface Channel extends EventEmitter {
  ref(): void;
  unref(): void;
}

export interface Process extends EventEmitter {
  allowedNodeEnvironmentFlags: Set<string>;
  arch: string;
  argv: string[];
  argv0: string;
  browser: boolean;
  channel: Channel | undefined;
  config: object;
  connected: boolean;
  debugPort: number;
  _debugEnd(): void;
  _debugProcess(pid: number): void;
  env: Record<string, string | undefined>;
  execArgv: string[];
  execPath: string;
  get exitCode(): number | string | undefined;
  set exitCode(code: number | string | null | undefined);
  features: object;
  finalization: object;
  isBun: boolean;
  mainModule: ReturnType<BuiltinModules["internal/module/cjs"]["getMainModule"]>;
  noDeprecation: boolean | undefined;
  pid: number;
  platform: string;
  ppid: number;
  release: Record<string, string>;
  report: BuiltinModules["internal/process/report"];
  revision: string;
  signalCode: string | undefined;
  sourceMapsEnabled: boolean;
  stderr: Stream;
  stdin: Stream;
  stdout: Stream;
  throwDeprecation: boolean | undefined;
  title: string;
  traceDeprecation: boolean | undefined;
  traceProcessWarnings: boolean | undefined;
  version: string;
  versions: Record<string, string>;
  /** Whether 'exit' was emitted. */
  _exiting: boolean;
  /** What is called with an error that nobody has caught; true if the program has handled it. */
  _fatalException(error: unknown, fromPromise?: boolean): boolean;
  _getActiveHandles(): unknown[];
  _getActiveRequests(): unknown[];
  _kill(pid: number, signal: number): number;
  _rawDebug(...args: unknown[]): void;
  _tickCallback(): void;
  abort(): never;
  addUncaughtExceptionCaptureCallback(callback: (error: unknown) => boolean): void;
  availableMemory(): number;
  binding(name: string): object;
  chdir(folder: string): void;
  constrainedMemory(): number;
  cpuUsage(previous?: CpuUsage): CpuUsage;
  cwd(): string;
  disconnect(): void;
  dlopen(module: object, filename: string, flags?: number): void;
  emitWarning(warning: string | Error, type?: string | object, code?: string, above?: Function): void;
  emitWarning(warning: string | Error, type: string | undefined, above: Function): void;
  execve(file: string, args?: readonly string[], env?: object): never;
  exit(code?: number | string | null): never;
  getActiveResourcesInfo(): string[];
  getBuiltinModule(id: string): unknown;
  getegid(): number;
  geteuid(): number;
  getgid(): number;
  getgroups(): number[];
  getuid(): number;
  hasUncaughtExceptionCaptureCallback(): boolean;
  hrtime: { (time?: [number, number]): [number, number]; bigint(): bigint };
  initgroups(user: string | number, extraGroup: string | number): void;
  kill(pid: number, signal?: string | number): true;
  loadEnvFile(path?: string | URL): void;
  memoryUsage: { (): Record<string, number>; rss(): number };
  nextTick(callback: Function, ...args: unknown[]): void;
  openStdin(): Stream;
  reallyExit(code?: number): void;
  ref(handle: object): void;
  resourceUsage(): Record<string, number>;
  send?(message: unknown, handle?: unknown, options?: unknown, callback?: (error: Error | null) => void): boolean;
  setSourceMapsEnabled(enabled: boolean): void;
  setUncaughtExceptionCaptureCallback(callback: ((error: unknown) => void) | null): void;
  setegid(id: string | number): void;
  seteuid(id: string | number): void;
  setgid(id: string | number): void;
  setgroups(groups: readonly (string | number)[]): void;
  setuid(id: string | number): void;
  threadCpuUsage(previous?: CpuUsage): CpuUsage;
  umask(mask?: string | number): number;
  unref(handle: object): void;
  uptime(): number;
}
