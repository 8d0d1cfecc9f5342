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
  checkArguments,
  checkNul,
  killSignalNumber,
  normalizeSpawnArguments,
  pathOption,
  validateMaxBuffer,
  validateTimeout,
} from "internal/child_process/options";

const { isArray } = Array;
const { defineProperty } = Object;

/** Output of exec() and execFile() per stream, in bytes, unless `maxBuffer` says otherwise. */
const MAX_BUFFER = 1024 * 1024;

/** Starts a process; ChildProcess tells what becomes of it. */
function spawn(file: unknown, args: any, options: any): ChildProcess {
  options = normalizeSpawnArguments(file, args, options);
  validateTimeout(options.timeout);
  const { signal } = options;
  if (signal !== undefined) validateAbortSignal(signal, "options.signal");
  const killSignal = killSignalNumber(options.killSignal);
  const child = new ChildProcess();
  child.spawn(options);

  if (options.timeout > 0) {
    let timer: any = setTimeout(() => {
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
  options: any,
  callback: unknown,
): { file: string; options: any; callback: unknown } {
  validateString(command, "command");
  checkNul(command, "command");
  if (typeof options === "function") {
    callback = options;
    options = undefined;
  }
  options = { __proto__: null, ...options };
  options.shell = typeof options.shell === "string" ? options.shell : true;
  return { file: command, options, callback };
}

/** Runs a command in a shell: `callback(error, stdout, stderr)`. */
function exec(command: unknown, options: unknown, callback?: unknown): ChildProcess {
  const normalized = normalizeExecArgs(command, options, callback);
  return execFile(normalized.file, normalized.options, normalized.callback, undefined);
}

/** What one stream of a child has said so far, up to `limit` bytes. */
class Output {
  #chunks: unknown[] = [];
  #length = 0;
  #stream: any;
  #encoding: string | null;

  /** `exceeded` is called when there is more than fits. */
  constructor(stream: any, encoding: string | null, limit: number, exceeded: () => void) {
    this.#stream = stream;
    this.#encoding = encoding;
    if (!stream) return;
    if (encoding) stream.setEncoding(encoding);
    stream.on("data", (chunk: Uint8Array) => {
      if (limit === Infinity) {
        this.#chunks.push(chunk);
        return;
      }
      const { readableEncoding } = stream;
      const length = readableEncoding
        ? require("node:buffer").Buffer.byteLength(chunk, readableEncoding)
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

  result(): unknown {
    if (this.#encoding || this.#stream?.readableEncoding) return this.#chunks.join("");
    return require("node:buffer").Buffer.concat(this.#chunks);
  }
}

/** `(file[, args][, options][, callback])` of execFile() and execFileSync(). */
function normalizeExecFileArgs(file: unknown, args: unknown, options: any, callback: unknown) {
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
  if (options.argv0 !== null && options.argv0 !== undefined) {
    validateString(options.argv0, "options.argv0");
    checkNul(options.argv0, "options.argv0");
  }
  return { file, args, options, callback };
}

/** Runs a program: `callback(error, stdout, stderr)`. */
function execFile(file: unknown, args: any, options: any, callback: any): ChildProcess {
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
  };
  validateTimeout(options.timeout);
  validateMaxBuffer(options.maxBuffer);
  const killSignal = killSignalNumber(options.killSignal);

  const child: any = spawn(file, args, {
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
  });

  let encoding: string | null = null;
  if (options.encoding !== "buffer" && require("node:buffer").Buffer.isEncoding(options.encoding)) {
    encoding = options.encoding;
  }
  let killed = false;
  let exited = false;
  let timer: any;
  let error: any = null;
  let command = file;

  const finish = (code?: any, signal?: unknown): void => {
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
    if (args?.length > 0) command += ` ${args.join(" ")}`;
    error ??= genericNodeError(`Command failed: ${command}\n${stderr}`, {
      code: code < 0 ? getSystemErrorName(code) : code,
      killed: child.killed || killed,
      signal,
    });
    error.cmd = command;
    callback(error, stdout, stderr);
  };
  const fail = (failure: unknown): void => {
    error = failure;
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
      error ??= failure;
      finish();
    }
  };
  const exceeded = (name: string) => () => {
    error ??= new codes.ERR_CHILD_PROCESS_STDIO_MAXBUFFER(name);
    kill();
  };
  const output = new Output(child.stdout, encoding, options.maxBuffer, exceeded("stdout"));
  const errors = new Output(child.stderr, encoding, options.maxBuffer, exceeded("stderr"));
  if (options.timeout > 0) {
    timer = setTimeout(() => {
      timer = undefined;
      kill();
    }, options.timeout);
  }
  child.addListener("close", finish);
  child.addListener("error", fail);
  return child;
}

/** What util.promisify() makes of exec() and execFile(): a promise of { stdout, stderr } with the `child` on it. */
function definePromisified(original: any): void {
  defineProperty(original, Symbol.for("nodejs.util.promisify.custom"), {
    enumerable: false,
    value: defineProperty(
      (...args: unknown[]) => {
        const { promise, resolve, reject }: any = Promise.withResolvers();
        promise.child = original(...args, (error: any, stdout: unknown, stderr: unknown) => {
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
function spawnSync(file: unknown, args: unknown, options: unknown): any {
  return require("internal/child_process/sync").spawnSync(file, args, options);
}

/** Standard error goes to that of this process, unless `stdio` says otherwise. */
function passOnErrors(options: { stdio?: unknown }, result: { stderr?: unknown }): void {
  if (!options.stdio && result.stderr) process.stderr.write(result.stderr);
}

/** Runs a program and returns its output; throws if it fails. */
function execFileSync(file: unknown, args: any, options: any): unknown {
  ({ file, args, options } = normalizeExecFileArgs(file, args, options, undefined));
  const { spawnSync, syncError } = require("internal/child_process/sync");
  const result = spawnSync(file, args, options);
  passOnErrors(options, result);
  const error = syncError(result, [options.argv0 || file, ...args].join(" "));
  if (error) throw error;
  return result.stdout;
}

/** Runs a command in a shell and returns its output; throws if it fails. */
function execSync(command: any, options: unknown): unknown {
  const normalized = normalizeExecArgs(command, options, null);
  const { spawnSync, syncError } = require("internal/child_process/sync");
  const result = spawnSync(normalized.file, normalized.options);
  passOnErrors(normalized.options, result);
  const error = syncError(result, command);
  if (error) throw error;
  return result.stdout;
}

/** Runs a module in a new process of this program, with a channel for messages. */
function fork(modulePath: unknown, args?: any, options?: any): ChildProcess {
  modulePath = pathOption(modulePath, "modulePath");
  if (args === undefined || args === null) {
    args = [];
  } else if (typeof args === "object" && !isArray(args)) {
    options = args;
    args = [];
  } else {
    validateArray(args, "args");
  }
  checkArguments(args);
  if (options !== undefined && options !== null) validateObject(options, "options");
  // A shell would make the arguments of this process its own.
  options = { __proto__: null, ...options, shell: false };
  options.execPath ||= process.execPath;
  checkNul(options.execPath, "options.execPath");

  let execArgv = options.execArgv || process.execArgv;
  checkArguments(execArgv, "options.execArgv");
  if (execArgv === process.execArgv) execArgv = withoutProgramText(execArgv);
  args = [...execArgv, modulePath, ...args];

  const { stdioStringToArray } = require("internal/child_process/stdio");
  if (typeof options.stdio === "string") {
    options.stdio = stdioStringToArray(options.stdio, "ipc");
  } else if (!options.stdio) {
    options.stdio = stdioStringToArray(options.silent ? "pipe" : "inherit", "ipc");
  } else if (!options.stdio.includes("ipc")) {
    throw new codes.ERR_CHILD_PROCESS_IPC_REQUIRED("options.stdio");
  }
  return spawn(options.execPath, args, options);
}

/** Flags of this process that name its program (`-e text`) are not for a module. */
function withoutProgramText(execArgv: string[]): string[] {
  const text = (process as any)._eval;
  if (text === undefined || text === null) return execArgv;
  const index = execArgv.lastIndexOf(text);
  return index > 0 ? execArgv.toSpliced(index - 1, 2) : execArgv;
}

function _forkChild(fd: number, serialization: any): void {
  require("internal/child_process/ipc").forkChild(fd, serialization);
}

export default { _forkChild, ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
