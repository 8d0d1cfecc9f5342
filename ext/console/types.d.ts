// The types of consoles: the global one and those of the class `Console`.

import type { InspectOptions } from "internal/util/inspect_types";

/** A stream that a console writes to; what is optional is missing from streams that programs make themselves. */
export interface OutputStream {
  write(chunk: string | ArrayBufferView, callback?: (error?: NodeError | null) => void): unknown;
  once?(type: string, listener: (error: NodeError) => void): unknown;
  removeListener?(type: string, listener: (error: NodeError) => void): unknown;
  listenerCount?(type: string): number;
  isTTY?: boolean;
  getColorDepth?(): number;
  errored?: unknown;
  _isStdio?: boolean;
  _writableState?: { errorEmitted?: boolean };
}

/** What all consoles have: https://console.spec.whatwg.org */
export interface ConsoleMethods {
  log(...args: unknown[]): void;
  warn(...args: unknown[]): void;
  error(...args: unknown[]): void;
  info(...args: unknown[]): void;
  debug(...args: unknown[]): void;
  dirxml(...args: unknown[]): void;
  trace(...args: unknown[]): void;
  group(...label: unknown[]): void;
  groupCollapsed(...label: unknown[]): void;
  groupEnd(): void;
  dir(object?: unknown, options?: InspectOptions): void;
  assert(condition?: unknown, ...args: unknown[]): void;
  clear(): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
  timeLog(label?: string, ...data: unknown[]): void;
  table(data?: unknown, properties?: readonly string[]): void;
}

/** The global console. */
export interface GlobalConsole extends ConsoleMethods {
  /** Absent only until it is first read. */
  Console?: new (stdout: unknown, stderr?: unknown, ignoreErrors?: boolean) => ConsoleMethods;
  profile(label?: unknown): void;
  profileEnd(label?: unknown): void;
  timeStamp(): void;
  context(name?: unknown): { [key: string]: unknown };
  createTask(name?: unknown): { run<T>(fn: () => T): T };
}

/** The state of one console, which the methods work on. */
export interface Core {
  indent: string;
  /** Columns that a group is indented by. */
  indentWidth: number;
  times: Map<string, number> | undefined;
  counts: Map<string, number> | undefined;
  console: ConsoleMethods;
  /** Writes one message, `fd` 1 or 2. */
  emit(fd: number, text: string): void;
  /** Options for values that are inspected for this output. */
  inspectOptions(fd: number): InspectOptions;
  stream(fd: number): OutputStream;
  isTty(fd: number): boolean;
}
