// The options of child processes, checked and brought into the form that the native half takes.

import { codes } from "internal/core/errors";
import {
  validateArray,
  validateBoolean,
  validateInt32,
  validateInteger,
  validateNumber,
  validateObject,
  validateOneOf,
  validateString,
} from "internal/core/validators";

import type { ProcessOptions, SpawnOptions } from "internal/child_process/types";

const { isArray } = Array;
const isMainThread = native("process").isMainThread();

/** Throws ERR_INVALID_ARG_VALUE for a string with a NUL in it; no such thing can be handed to a program. */
export function checkNul(value: unknown, name: string): void {
  if (typeof value === "string" && value.includes("\0")) {
    throw new codes.ERR_INVALID_ARG_VALUE(name, value, "must be a string without null bytes");
  }
}

/** Checks each argument of a program. */
export function checkArguments(args: readonly unknown[], name = "args"): void {
  for (let i = 0; i < args.length; i++) checkNul(args[i], `${name}[${i}]`);
}

/** A path or file URL as a string. */
export function pathOption(value: unknown, name: string): string {
  const path = require("internal/fs/utils").getValidatedPath(value, name);
  return typeof path === "string" ? path : require("node:buffer").Buffer.from(path).toString();
}

function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** `(file[, args][, options])` as spawn() and spawnSync() take them. */
export function normalizeSpawnArguments(
  file: unknown,
  args: unknown,
  options?: ProcessOptions & Partial<Pick<SpawnOptions, "envPairs" | "file">>,
): SpawnOptions {
  validateString(file, "file");
  checkNul(file, "file");
  if (file.length === 0) throw new codes.ERR_INVALID_ARG_VALUE("file", file, "cannot be empty");

  if (isArray(args)) {
    args = args.slice();
  } else if (!present(args)) {
    args = [];
  } else if (typeof args === "object") {
    options = args as ProcessOptions;
    args = [];
  } else {
    throw new codes.ERR_INVALID_ARG_TYPE("args", "object", args);
  }
  checkArguments(args as unknown[]);

  if (options !== undefined) validateObject(options, "options");
  // A null prototype, so that nothing put on Object.prototype becomes an option.
  options = { __proto__: null, ...options } as typeof options & object;
  let { cwd } = options;
  const { shell, argv0 } = options;
  if (present(cwd)) cwd = pathOption(cwd, "options.cwd");
  if (present(options.detached)) validateBoolean(options.detached, "options.detached");
  if (present(options.uid)) validateInt32(options.uid, "options.uid");
  if (present(options.gid)) validateInt32(options.gid, "options.gid");
  if (present(shell) && typeof shell !== "boolean" && typeof shell !== "string") {
    throw new codes.ERR_INVALID_ARG_TYPE("options.shell", ["boolean", "string"], shell);
  }
  if (present(argv0)) {
    validateString(argv0, "options.argv0");
    checkNul(argv0, "options.argv0");
  }
  // These two concern Windows only.
  if (present(options.windowsHide)) validateBoolean(options.windowsHide, "options.windowsHide");
  if (present(options.windowsVerbatimArguments)) {
    validateBoolean(options.windowsVerbatimArguments, "options.windowsVerbatimArguments");
  }

  if (shell) {
    checkNul(shell, "options.shell");
    if ((args as unknown[]).length > 0) warnOfShellArguments();
    const command = [file, ...(args as unknown[])].join(" ");
    file = typeof shell === "string" ? shell : "/bin/sh";
    args = ["-c", command];
  }
  (args as unknown[]).unshift(typeof argv0 === "string" ? argv0 : file);

  options.args = args as string[];
  options.cwd = cwd;
  options.detached = Boolean(options.detached);
  options.envPairs = environmentOption(options.env);
  options.file = file as string;
  options.windowsHide = Boolean(options.windowsHide);
  options.windowsVerbatimArguments = Boolean(options.windowsVerbatimArguments);
  return options as SpawnOptions;
}

let shellWarned = false;

function warnOfShellArguments(): void {
  if (shellWarned) return;
  shellWarned = true;
  process.emitWarning(
    "Passing args to a child process with shell option true can lead to security vulnerabilities, as the arguments " +
      "are not escaped, only concatenated.",
    "DeprecationWarning",
    "DEP0190",
  );
}

/** In place of pairs: the environment of this process, which need not pass through JavaScript. */
export const INHERITED: string[] = [];

function environmentOption(env: Record<string, unknown> | null | undefined): string[] {
  // Other threads have environments of their own, which only JavaScript knows.
  if (isMainThread && (!env || env === process.env)) return INHERITED;
  return environment(env || process.env);
}

/** The variables of `env` as exec takes them. */
export function environment(env: { [key: string]: unknown }): string[] {
  const pairs: string[] = [];
  // Inherited variables count: for..in on purpose.
  for (const key in env) {
    const value = env[key];
    if (value === undefined) continue;
    checkNul(key, `options.env['${key}']`);
    checkNul(value, `options.env['${key}']`);
    pairs.push(`${key}=${value}`);
  }
  // As in Node, a child's coverage is written beside its parent's.
  const directory = process.env.NODE_V8_COVERAGE;
  if (directory && !Object.hasOwn(env, "NODE_V8_COVERAGE")) pairs.push(`NODE_V8_COVERAGE=${directory}`);
  return pairs;
}

/** `timeout` in milliseconds. */
export function validateTimeout(timeout: unknown): void {
  if (present(timeout)) validateInteger(timeout, "timeout", 0);
}

/** `maxBuffer` in bytes. */
export function validateMaxBuffer(maxBuffer: unknown): void {
  if (present(maxBuffer)) validateNumber(maxBuffer, "options.maxBuffer", 0);
}

/** The number of a signal given by name (in any case) or number; ERR_UNKNOWN_SIGNAL for others. */
export function signalNumber(signal: unknown): number {
  const numbers = require("internal/process/signals").signalNumbers();
  if (typeof signal === "number") {
    for (const name in numbers) if (numbers[name] === signal) return signal;
  } else if (typeof signal === "string") {
    const number = numbers[signal.toUpperCase()];
    if (number !== undefined) return number;
  }
  throw new codes.ERR_UNKNOWN_SIGNAL(signal);
}

/** The name of a signal by number. */
export function signalName(number: number): string {
  const numbers = require("internal/process/signals").signalNumbers();
  for (const name in numbers) if (numbers[name] === number) return name;
  return `SIG${number}`;
}

/** The number for the option `killSignal`, undefined where it is not given. */
export function killSignalNumber(signal: unknown): number | undefined {
  if (typeof signal === "string" || typeof signal === "number") return signalNumber(signal);
  if (present(signal)) throw new codes.ERR_INVALID_ARG_TYPE("options.killSignal", ["string", "number"], signal);
  return undefined;
}

/** The checks of ChildProcess.prototype.spawn(), which programs can call with options of their own. */
export function checkProcessOptions(options: unknown): void {
  validateObject(options, "options");
  validateOneOf(options.serialization, "options.serialization", [undefined, "json", "advanced"]);
}

/** The rest of these checks, in Node's order after the stdio. */
export function checkProcessCommand(options: SpawnOptions): void {
  if (options.envPairs !== undefined) validateArray(options.envPairs, "options.envPairs");
  validateString(options.file, "options.file");
  if (options.args !== undefined) validateArray(options.args, "options.args");
}
