/** node:child_process (https://nodejs.org/api/child_process.html). */

import { codes, genericNodeError, getSystemErrorName } from "internal/core/errors";
import { kEmptyObject } from "internal/core/util";
import {
  validateAbortSignal,
  validateArray,
  validateFunction,
  validateObject,
  validateString,
} from "internal/core/validators";
import { ChildProcess, abortChild } from "internal/child_process/child";
import {
  INHERITED,
  checkArguments,
  checkNul,
  environment,
  killSignalNumber,
  normalizeSpawnArguments,
  pathOption,
  validateMaxBuffer,
  validateTimeout,
} from "internal/child_process/options";

import type { Timeout } from "internal/core/timers";
import type {
  ExecCallback,
  ExecError,
  ProcessOptions,
  ProcessOutput,
  SpawnOptions,
  SyncResult,
} from "internal/child_process/types";
import type { Duplex } from "internal/net/types";

const { isArray } = Array;
const { defineProperty } = Object;

/** Output of exec() and execFile() per stream, in bytes, unless `maxBuffer` says otherwise. */
const MAX_BUFFER = 1024 * 1024;

/** The method that packages such as process-on-spawn (nyc, tap) replace. */
const ownSpawn = ChildProcess.prototype.spawn;

/** Starts a process; ChildProcess tells what becomes of it. */
function spawn(file: unknown, args: unknown, options: ProcessOptions): ChildProcess {
  options = normalizeSpawnArguments(file, args, options);
  validateTimeout(options.timeout);
  const { signal } = options;
  if (signal !== undefined) validateAbortSignal(signal, "options.signal");
  const killSignal = killSignalNumber(options.killSignal);
  const child = new ChildProcess();
  // Who has replaced the method reads the variables.
  if (child.spawn !== ownSpawn && (options as SpawnOptions).envPairs === INHERITED) {
    (options as SpawnOptions).envPairs = environment(process.env);
  }
  child.spawn(options as SpawnOptions);

  if (options.timeout! > 0) {
    let timer: Timeout | undefined = setTimeout(() => {
      timer = undefined;
      try {
        child.kill(killSignal);
      } catch (error) {
        child.emit("error", error);
      }
    }, options.timeout);
    child.once("exit", () => {
      if (timer !== undefined) clearTimeout(timer);
    });
  }
  if (signal !== undefined) {
    const abort = () => abortChild(child, killSignal, signal.reason);
    if (signal.aborted) {
      process.nextTick(abort);
    } else {
      const listener = require("node:events").addAbortListener(signal, abort);
      child.once("exit", () => listener[Symbol.dispose]());
    }
  }
  return child;
}

function normalizeExecArgs(
  command: unknown,
  options: ProcessOptions | ExecCallback | null | undefined,
  callback: ExecCallback | null | undefined,
): { file: string; options: ProcessOptions; callback: ExecCallback | null | undefined } {
  validateString(command, "command");
  checkNul(command, "command");
  if (typeof options === "function") {
    callback = options;
    options = undefined;
  }
  options = { __proto__: null, ...options } as ProcessOptions;
  options.shell = typeof options.shell === "string" ? options.shell : true;
  return { file: command, options, callback };
}

/** Runs a command in a shell: `callback(error, stdout, stderr)`. */
function exec(
  command: unknown,
  options: ProcessOptions | ExecCallback | null | undefined,
  callback?: ExecCallback | null,
): ChildProcess {
  const normalized = normalizeExecArgs(command, options, callback);
  return execFile(normalized.file, normalized.options, normalized.callback, undefined);
}

type Readable = Duplex & { readableEncoding?: string | null };

/** What one stream of a child has said so far, up to `limit` bytes. */
class Output {
  #chunks: ProcessOutput[] = [];
  #length = 0;
  #stream: Readable | null | undefined;
  #encoding: string | null;

  /** `exceeded` is called when there is more than fits. */
  constructor(stream: Readable | null | undefined, encoding: string | null, limit: number, exceeded: () => void) {
    this.#stream = stream;
    this.#encoding = encoding;
    if (!stream) return;
    if (encoding) stream.setEncoding(encoding);
    stream.on("data", (chunk: ProcessOutput) => {
      if (limit === Infinity) {
        this.#chunks.push(chunk);
        return;
      }
      const { readableEncoding } = stream;
      const length = readableEncoding
        ? require("node:buffer").Buffer.byteLength(chunk as string, readableEncoding)
        : chunk.length;
      this.#length += length;
      if (this.#length <= limit) {
        this.#chunks.push(chunk);
        return;
      }
      this.#chunks.push(chunk.slice(0, limit - (this.#length - length)));
      exceeded();
    });
  }

  result(): ProcessOutput {
    if (this.#encoding || this.#stream?.readableEncoding) return this.#chunks.join("");
    return require("node:buffer").Buffer.concat(this.#chunks as Buffer[]);
  }
}

/** `(file[, args][, options][, callback])` of execFile() and execFileSync(). */
function normalizeExecFileArgs(
  file: unknown,
  args: unknown,
  options: unknown,
  callback: unknown,
): { file: string; args: string[]; options: ProcessOptions; callback: ExecCallback | null | undefined } {
  if (isArray(args)) {
    args = args.slice();
  } else if (args !== null && typeof args === "object") {
    callback = options;
    options = args;
    args = null;
  } else if (typeof args === "function") {
    callback = args;
    options = null;
    args = null;
  }
  args ??= [];
  if (typeof options === "function") callback = options;
  else if (options !== null && options !== undefined) validateObject(options, "options");
  options ??= kEmptyObject;
  if (typeof options === "function") options = kEmptyObject;
  if (callback !== null && callback !== undefined) validateFunction(callback, "callback");
  if ((options as ProcessOptions).argv0 !== null && (options as ProcessOptions).argv0 !== undefined) {
    validateString((options as ProcessOptions).argv0, "options.argv0");
    checkNul((options as ProcessOptions).argv0, "options.argv0");
  }
  return { file, args, options, callback } as ReturnType<typeof normalizeExecFileArgs>;
}

/** Runs a program: `callback(error, stdout, stderr)`. */
function execFile(
  file: string,
  args: readonly string[] | ProcessOptions | ExecCallback | null | undefined,
  options: ProcessOptions | ExecCallback | null | undefined,
  callback: ExecCallback | null | undefined,
): ChildProcess {
  ({ file, args, options, callback } = normalizeExecFileArgs(file, args, options, callback));
  options = {
    __proto__: null,
    encoding: "utf8",
    timeout: 0,
    maxBuffer: MAX_BUFFER,
    killSignal: "SIGTERM",
    cwd: null,
    env: null,
    shell: false,
    ...options,
  } as ProcessOptions;
  validateTimeout(options.timeout);
  validateMaxBuffer(options.maxBuffer);
  const killSignal = killSignalNumber(options.killSignal);

  const child = spawn(file, args, {
    __proto__: null,
    cwd: options.cwd,
    env: options.env,
    gid: options.gid,
    uid: options.uid,
    shell: options.shell,
    signal: options.signal,
    argv0: options.argv0,
    killSignal: options.signal === undefined ? undefined : options.killSignal,
    windowsHide: Boolean(options.windowsHide),
    windowsVerbatimArguments: Boolean(options.windowsVerbatimArguments),
  } as ProcessOptions);

  let encoding: string | null = null;
  if (options.encoding !== "buffer" && require("node:buffer").Buffer.isEncoding(options.encoding)) {
    encoding = options.encoding!;
  }
  let killed = false;
  let exited = false;
  let timer: Timeout | undefined;
  let error: ExecError | null = null;
  let command = file;

  const finish = (code?: number | null, signal?: unknown): void => {
    if (exited) return;
    exited = true;
    if (timer !== undefined) clearTimeout(timer);
    if (!callback) return;
    const stdout = output.result();
    const stderr = errors.result();
    if (!error && code === 0 && signal === null) {
      callback(null, stdout, stderr);
      return;
    }
    if (((args as string[] | undefined)?.length ?? 0) > 0) command += ` ${(args as string[]).join(" ")}`;
    error ??= genericNodeError(`Command failed: ${command}\n${stderr}`, {
      code: code! < 0 ? getSystemErrorName(code!) : code,
      killed: child.killed || killed,
      signal,
    });
    error.cmd = command;
    callback(error, stdout, stderr);
  };
  const fail = (failure: unknown): void => {
    error = failure as ExecError;
    child.stdout?.destroy();
    child.stderr?.destroy();
    finish();
  };
  const kill = (): void => {
    child.stdout?.destroy();
    child.stderr?.destroy();
    killed = true;
    try {
      child.kill(killSignal);
    } catch (failure) {
      error ??= failure as ExecError;
      finish();
    }
  };
  const exceeded = (name: string) => () => {
    error ??= new codes.ERR_CHILD_PROCESS_STDIO_MAXBUFFER(name);
    kill();
  };
  const output = new Output(child.stdout, encoding, options.maxBuffer!, exceeded("stdout"));
  const errors = new Output(child.stderr, encoding, options.maxBuffer!, exceeded("stderr"));
  if (options.timeout! > 0) {
    timer = setTimeout(() => {
      timer = undefined;
      kill();
    }, options.timeout);
  }
  child.addListener("close", finish);
  child.addListener("error", fail);
  return child;
}

/** exec() or execFile(). */
type Starter = typeof exec | typeof execFile;

/** What util.promisify() makes of exec() and execFile(): a promise of { stdout, stderr } with the `child` on it. */
function definePromisified(original: Starter): void {
  defineProperty(original, Symbol.for("nodejs.util.promisify.custom"), {
    enumerable: false,
    value: defineProperty(
      (...args: unknown[]) => {
        const { promise, resolve, reject } = Promise.withResolvers<{ stdout: ProcessOutput; stderr: ProcessOutput }>();
        (promise as typeof promise & { child: ChildProcess }).child = (
          original as (...values: unknown[]) => ChildProcess
        )(...args, (error: ExecError | null, stdout: ProcessOutput, stderr: ProcessOutput) => {
          if (error !== null) {
            error.stdout = stdout;
            error.stderr = stderr;
            reject(error);
          } else {
            resolve({ stdout, stderr });
          }
        });
        return promise;
      },
      "name",
      { configurable: true, value: original.name },
    ),
  });
}
definePromisified(exec);
definePromisified(execFile);

/** Runs a program to its end and returns what came of it. */
function spawnSync(
  file: unknown,
  args: unknown,
  options: ProcessOptions & { encoding: BufferEncoding },
): SyncResult<string>;
function spawnSync(file: unknown, args: unknown, options: ProcessOptions): SyncResult;
function spawnSync(file: unknown, args: unknown, options: ProcessOptions): SyncResult {
  return require("internal/child_process/sync").spawnSync(file, args, options);
}

/** Standard error goes to that of this process, unless `stdio` says otherwise. */
function passOnErrors(options: ProcessOptions, result: SyncResult): void {
  if (!options.stdio && result.stderr) process.stderr.write(result.stderr);
}

/** Runs a program and returns its output; throws if it fails. */
function execFileSync(
  file: string,
  args: readonly string[] | ProcessOptions | null | undefined,
  options: ProcessOptions | null | undefined,
): ProcessOutput {
  ({ file, args, options } = normalizeExecFileArgs(file, args, options, undefined));
  const { spawnSync, syncError } = require("internal/child_process/sync");
  const result = spawnSync(file, args, options);
  passOnErrors(options, result);
  const error = syncError(result, [options.argv0 || file, ...args].join(" "));
  if (error) throw error;
  return result.stdout;
}

/** Runs a command in a shell and returns its output; throws if it fails. */
function execSync(command: string, options: ProcessOptions): ProcessOutput {
  const normalized = normalizeExecArgs(command, options, null);
  const { spawnSync, syncError } = require("internal/child_process/sync");
  const result = spawnSync(normalized.file, normalized.options);
  passOnErrors(normalized.options, result);
  const error = syncError(result, command);
  if (error) throw error;
  return result.stdout;
}

/** Runs a module in a new process of this program, with a channel for messages. */
function fork(
  modulePath: unknown,
  args?: readonly string[] | ProcessOptions | null,
  options?: ProcessOptions | null,
): ChildProcess {
  modulePath = pathOption(modulePath, "modulePath");
  if (args === undefined || args === null) {
    args = [];
  } else if (typeof args === "object" && !isArray(args)) {
    options = args as ProcessOptions;
    args = [];
  } else {
    validateArray(args, "args");
  }
  checkArguments(args as string[]);
  if (options !== undefined && options !== null) validateObject(options, "options");
  // A shell would make the arguments of this process its own.
  options = { __proto__: null, ...options, shell: false } as ProcessOptions;
  options.execPath ||= process.execPath;
  checkNul(options.execPath, "options.execPath");

  let execArgv: readonly string[] = options.execArgv || process.execArgv;
  checkArguments(execArgv, "options.execArgv");
  if (execArgv === process.execArgv) execArgv = withoutProgramText(execArgv);
  args = [...execArgv, modulePath as string, ...(args as string[])];

  const { stdioStringToArray } = require("internal/child_process/stdio");
  if (typeof options.stdio === "string") {
    options.stdio = stdioStringToArray(options.stdio, "ipc");
  } else if (!options.stdio) {
    options.stdio = stdioStringToArray(options.silent ? "pipe" : "inherit", "ipc");
  } else if (!(options.stdio as unknown[]).includes("ipc")) {
    throw new codes.ERR_CHILD_PROCESS_IPC_REQUIRED("options.stdio");
  }
  return spawn(options.execPath, args, options);
}

/** Flags of this process that name its program (`-e text`) are not for a module. */
function withoutProgramText(execArgv: readonly string[]): readonly string[] {
  const text = (process as { _eval?: string })._eval;
  if (text === undefined || text === null) return execArgv;
  const index = execArgv.lastIndexOf(text);
  return index > 0 ? execArgv.toSpliced(index - 1, 2) : execArgv;
}

function _forkChild(fd: number, serialization: string | undefined): void {
  require("internal/child_process/ipc").forkChild(fd, serialization);
}

export default { _forkChild, ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
