/** Bun.spawn() and Bun.spawnSync(): https://bun.com/docs/api/spawn */

import { AbortError, codes, uvException } from "internal/core/errors";
import { validateAbortSignal, validateInt32 } from "internal/core/validators";
import { INHERITED, environment } from "internal/child_process/options";
import { Output } from "internal/child_process/output";
import { ResourceUsage, Subprocess, killNumber, typeError } from "internal/child_process/subprocess";
import {
  STDIO_CHANNEL,
  STDIO_DUPLEX,
  STDIO_FD,
  STDIO_IGNORE,
  STDIO_INPUT,
  STDIO_OUTPUT,
} from "internal/child_process/native_constants";

import type { FileSink } from "internal/child_process/file_sink";
import type { Terminal } from "bun/terminal";
import type { BytesStream, IpcTarget } from "internal/child_process/types";

const ops = native("child");
const isMainThread = native("process").isMainThread();
const { isArray } = Array;

// Kinds of entries, as ext/child_process/native/stdio.rs numbers them.

// Flags of ops.spawn().
const DETACHED = 1;
const TERMINAL = 2;

/** More than the system takes in any case: an argument is at least a pointer and a byte, and all have 6 MiB together. */
const MAX_ARGUMENTS = 1 << 20;
const ENOENT = -2;
const ENOBUFS = -105;
const ETIMEDOUT = -110;

/** The options of Bun.spawn() as programs give them; `cmd` where there is no first argument. */
interface SpawnOptions {
  cmd?: unknown;
  argv0?: unknown;
  cgroup?: unknown;
  cwd?: unknown;
  detached?: unknown;
  env?: Record<string, unknown> | null;
  gid?: number | null;
  ipc?: (...values: unknown[]) => unknown;
  killSignal?: unknown;
  lazy?: unknown;
  maxBuffer?: unknown;
  onDisconnect?: unknown;
  onExit?: (...values: unknown[]) => void;
  serialization?: string;
  signal?: AbortSignal | null;
  stderr?: unknown;
  stdin?: unknown;
  stdio?: readonly unknown[] | null;
  stdout?: unknown;
  terminal?: object | null;
  timeout?: number | null;
  uid?: number | null;
}

/** One descriptor of the child. */
interface Entry {
  kind: number;
  /** Of this process, for kind STDIO_FD. */
  fd: number;
  /** What is to be written to the child. */
  input?: Uint8Array | BytesStream;
  /** What the property of the Subprocess is where it is no pipe. */
  shown?: unknown;
}

interface Plan {
  cmd: string[];
  file: string;
  argv: string[];
  env: string[];
  cwd: string | undefined;
  flags: number;
  uid: number | undefined;
  gid: number | undefined;
  /** Descriptor of the cgroup.procs to join, or -1. */
  cgroup: number;
  entries: Entry[];
  /** Descriptors opened for files, to be closed once the child has them. */
  opened: number[];
  /** Index of the IPC channel, or -1. */
  channel: number;
  timeout: number | undefined;
  killSignal: number;
  maxBuffer: number | undefined;
  signal: AbortSignal | undefined;
  /** The terminal that the process runs in. */
  terminal: { terminal: Terminal; slave: number; own: boolean } | undefined;
  options: SpawnOptions;
}

function openFile(target: string | number, reading: boolean, plan: Plan): number {
  if (typeof target === "number") return target;
  const fd = require("node:fs").openSync(target, reading ? "r" : "w");
  plan.opened.push(fd);
  return fd;
}

/** One entry of `stdio`, or `stdin`, `stdout`, `stderr`, understood. */
function entryOf(value: unknown, index: number, sync: boolean, plan: Plan): Entry {
  if (value === undefined)
    value = index === 0 ? "ignore" : index === 1 || (index === 2 && sync) ? "pipe" : index === 2 ? "inherit" : "ignore";
  switch (value) {
    case null:
    case "ignore":
      return { kind: STDIO_IGNORE, fd: -1 };
    case "pipe":
    case "overlapped":
      return { kind: index === 0 ? STDIO_INPUT : index < 3 ? STDIO_OUTPUT : STDIO_DUPLEX, fd: -1 };
    case "inherit":
      return { kind: STDIO_FD, fd: index };
    case "ipc":
      if (sync || plan.channel !== -1) throw typeError("'ipc' can be used once, and not in sync mode");
      plan.channel = index;
      return { kind: STDIO_CHANNEL, fd: -1 };
  }
  if (typeof value === "number") {
    if (index === 0 && (value === 1 || value === 2)) throw typeError("stdout and stderr cannot be used for stdin");
    validateInt32(value, "fd", 0);
    return { kind: STDIO_FD, fd: value, shown: value };
  }
  if (typeof value === "object") {
    const isBlob = require("web/blob").isBlob(value);
    const target = isBlob ? require("bun/file").targetOfFile(value) : undefined;
    if (target !== undefined) return { kind: STDIO_FD, fd: openFile(target, index === 0, plan) };
    const input = index === 0 ? inputOf(value!, sync) : undefined;
    if (input !== undefined) return { kind: STDIO_INPUT, fd: -1, input, shown: input === value ? value : undefined };
    if (isBlob) throw typeError("Blobs are immutable, and cannot be used for stdout/stderr");
    throw typeError("stdio must be an array of 'inherit', 'ignore', or null");
  }
  throw typeError("stdio must be an array of 'inherit', 'pipe', 'ignore', Bun.file(pathOrFd), number, or null");
}

/** Input given as an object: bytes or a stream; undefined for other objects. */
function inputOf(value: object, sync: boolean): Uint8Array | BytesStream | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value as ArrayBuffer);
  const { isBlob, blobBytesSync } = require("web/blob");
  if (isBlob(value)) {
    const bytes = blobBytesSync(value);
    if (bytes !== undefined) return bytes;
    if (!sync) return (value as Blob).stream() as BytesStream;
    throw typeError("'stdin' Blob whose bytes are not in memory cannot be used in sync mode");
  }
  if (value instanceof ReadableStream) {
    if (sync) throw typeError("'stdin' ReadableStream cannot be used in sync mode");
    if ((value as BytesStream).locked) throw typeError("'stdin' ReadableStream is already locked");
    return value as BytesStream;
  }
  // Request and Response, by their shape: fetch need not be loaded for this.
  if ("bodyUsed" in value && "body" in value) {
    if (sync) throw typeError("'stdin' Request or Response cannot be used in sync mode");
    if (value.bodyUsed) throw typeError("'stdin' body has already been used");
    return (value.body as BytesStream | null) ?? new Uint8Array(0);
  }
  return undefined;
}

/** A control group, given by the path or a descriptor of its directory. */
function openCgroup(cgroup: unknown, plan: Plan): number {
  if (typeof cgroup !== "string" && typeof cgroup !== "number") {
    throw new codes.ERR_INVALID_ARG_TYPE("cgroup", ["string", "number"], cgroup);
  }
  const { openSync, constants } = require("node:fs");
  const directory = typeof cgroup === "number" ? `/proc/self/fd/${cgroup}` : cgroup;
  const fd = openSync(`${directory}/cgroup.procs`, constants.O_WRONLY);
  plan.opened.push(fd);
  return fd;
}

function optional(options: SpawnOptions, name: string, type: string, message: string): unknown {
  const value = (options as Record<string, unknown>)[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type) throw typeError(message);
  return value;
}

/** The first executable file of that name in PATH; what is not found is looked for by exec. */
function findInPath(name: string, path: string): string {
  const { accessSync, constants } = require("node:fs");
  for (const directory of path.split(":")) {
    const file = `${directory || "."}/${name}`;
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The next one.
    }
  }
  return name;
}

/** `(cmd, options)` or `({ cmd, ...options })`. */
function planOf(cmd: unknown, options: SpawnOptions | undefined, sync: boolean): Plan {
  if (!isArray(cmd)) {
    options = cmd as SpawnOptions;
    cmd = (cmd as SpawnOptions | null | undefined)?.cmd;
    if (!isArray(cmd)) throw typeError("cmd must be an array");
  }
  if (cmd.length === 0) throw typeError("cmd must not be empty");
  if (cmd.length > MAX_ARGUMENTS) throw typeError("cmd array is too large");
  options ??= {};
  if (typeof options !== "object") throw typeError("options must be an object");
  const argv = cmd.map((argument: unknown, i: number) => {
    const text = `${argument}`;
    if (text.includes("\0"))
      throw new codes.ERR_INVALID_ARG_VALUE(`args[${i}]`, text, "must be a string without null bytes");
    return text;
  });
  if (options.terminal != null && sync) {
    throw typeError("terminal option is only supported for Bun.spawn, not Bun.spawnSync");
  }
  let file: string = argv[0];
  if (file === "") throw typeError("cmd[0] must not be empty");
  const plan: Plan = {
    cmd: argv,
    file,
    argv,
    env: INHERITED,
    cwd: undefined,
    flags: options.detached ? DETACHED : 0,
    uid: undefined,
    gid: undefined,
    cgroup: -1,
    entries: [],
    opened: [],
    channel: -1,
    timeout: undefined,
    killSignal: killNumber(options.killSignal),
    maxBuffer: undefined,
    signal: undefined,
    terminal: undefined,
    options,
  };
  const { argv0, cwd, env, stdio, timeout, uid, gid, signal } = options;
  if (argv0 !== undefined && argv0 !== null) plan.argv = [`${argv0}`, ...argv.slice(1)];
  if (cwd !== undefined && cwd !== null && cwd !== "")
    plan.cwd = cwd instanceof URL ? require("node:url").fileURLToPath(cwd) : `${cwd}`;
  if (env !== undefined && env !== null) {
    if (typeof env !== "object") throw typeError("env must be an object");
    if (env !== process.env) {
      plan.env = environment(env);
      if (env.PATH === undefined && !file.includes("/")) plan.file = findInPath(file, process.env.PATH ?? "");
    }
  }
  if (plan.env === INHERITED && !isMainThread) plan.env = environment(process.env);
  if (uid !== undefined && uid !== null) validateInt32((plan.uid = uid), "uid");
  if (gid !== undefined && gid !== null) validateInt32((plan.gid = gid), "gid");
  if (timeout !== undefined && timeout !== null && timeout !== Infinity) {
    if (typeof timeout !== "number") throw new codes.ERR_INVALID_ARG_TYPE("timeout", "number", timeout);
    if (!(timeout >= 0 && timeout <= Number.MAX_SAFE_INTEGER)) {
      throw new codes.ERR_OUT_OF_RANGE("timeout", `>= 0 and <= ${Number.MAX_SAFE_INTEGER}`, timeout);
    }
    plan.timeout = timeout;
  }
  if (signal !== undefined && signal !== null) {
    validateAbortSignal(signal, "signal");
    if (signal.aborted) throw new AbortError(undefined, { cause: signal.reason });
    plan.signal = signal;
  }
  if (typeof options.maxBuffer === "number" && options.maxBuffer > 0) plan.maxBuffer = options.maxBuffer;
  optional(options, "onExit", "function", "onExit must be a function or undefined");

  if (options.terminal != null && typeof options.terminal !== "object") {
    throw typeError("terminal must be a Terminal object or options object");
  }
  if (options.cgroup != null) plan.cgroup = openCgroup(options.cgroup, plan);
  if (options.terminal != null) {
    const place = require("bun/terminal").terminalFor(options.terminal);
    if (place === undefined) {
      closeOpened(plan);
      throw typeError("terminal is closed");
    }
    plan.terminal = place;
    plan.flags |= TERMINAL;
    for (let i = 0; i < 3; i++) plan.entries.push({ kind: STDIO_FD, fd: place.slave, shown: null });
    return plan;
  }
  try {
    if (stdio !== undefined && stdio !== null) {
      if (!isArray(stdio)) throw typeError("stdio must be an array");
      const count = Math.max(stdio.length, 3);
      for (let i = 0; i < count; i++) plan.entries.push(entryOf(stdio[i], i, sync, plan));
    } else {
      plan.entries.push(
        entryOf(options.stdin, 0, sync, plan),
        entryOf(options.stdout, 1, sync, plan),
        entryOf(options.stderr, 2, sync, plan),
      );
    }
  } catch (error) {
    closeOpened(plan);
    throw error;
  }
  return plan;
}

function closeOpened(plan: Plan): void {
  for (const fd of plan.opened) require("node:fs").closeSync(fd);
  plan.opened = [];
}

function numbersOf(entries: Entry[]): number[] {
  const numbers: number[] = [];
  for (const { kind, fd } of entries) numbers.push(kind, fd);
  return numbers;
}

function startError(errno: number, plan: Plan): Error {
  const { cwd, cmd } = plan;
  const name = cmd[0]!;
  if (errno === ENOENT && !name.includes("/") && (cwd === undefined || require("node:fs").existsSync(cwd))) {
    const error: NodeError = new Error(`Executable not found in $PATH: ${JSON.stringify(name)}`);
    error.code = "ENOENT";
    error.path = name;
    error.errno = errno;
    return error;
  }
  const { code, message, syscall } = uvException({ errno, syscall: "posix_spawn" });
  return Object.assign(new Error(`${message} '${name}'`), { code, path: name, syscall, errno });
}

function envText(env: string[]): string | undefined {
  return env === INHERITED ? undefined : env.join("\0");
}

/** Starts a process. */
export function spawn(cmd: unknown, options?: SpawnOptions): Subprocess {
  const plan = planOf(cmd, options, false);
  options = plan.options;
  const { entries, opened } = plan;
  const ipc = typeof options.ipc === "function" ? options.ipc : undefined;
  const { serialization } = options;
  if (ipc !== undefined || plan.channel !== -1) {
    if (serialization !== undefined && serialization !== "json" && serialization !== "advanced") {
      throw typeError('serialization must be "json" or "advanced"');
    }
    if (plan.channel === -1) plan.channel = entries.push({ kind: STDIO_CHANNEL, fd: -1 }) - 1;
    if (plan.env === INHERITED) plan.env = environment(process.env);
    plan.env.push(`NODE_CHANNEL_FD=${plan.channel}`, `NODE_CHANNEL_SERIALIZATION_MODE=${serialization ?? "advanced"}`);
  }

  let subprocess: Subprocess;
  const [errno, id, pid, pipes] = ops.spawn(
    plan.file,
    plan.argv.join("\0"),
    envText(plan.env),
    plan.cwd,
    numbersOf(entries),
    plan.flags,
    plan.uid,
    plan.gid,
    plan.cgroup,
    (code: number, signal: number, usage: Float64Array) => Subprocess.ended(subprocess, code, signal, usage),
  );
  if (opened.length > 0) closeOpened(plan);
  const { terminal } = plan;
  if (terminal?.own) {
    if (errno === 0) require("bun/terminal").releaseSlave(terminal.terminal);
    else terminal.terminal.close();
  }
  if (errno !== 0) {
    for (const pipe of pipes) if (pipe !== -1) ops.pipeClose(pipe);
    throw startError(errno, plan);
  }

  const stdio: Array<number | null> = [null, null, null];
  for (let i = 3; i < entries.length; i++) {
    if (i !== plan.channel)
      stdio.push(
        entries[i]!.kind === STDIO_DUPLEX
          ? ops.pipeDetach(pipes[i])
          : ((entries[i]!.shown as number | undefined) ?? null),
      );
  }
  const input = inputSink(entries[0]!, pipes[0]);
  const isPipe = input !== undefined && entries[0]!.input === undefined;
  subprocess = new Subprocess(id, pid, {
    cmd: plan.cmd,
    stdin: (isPipe ? input : entries[0]!.shown) as FileSink | null | undefined,
    input,
    stdout: outputStream(entries[1]!, pipes[1], options.lazy === true),
    stderr: outputStream(entries[2]!, pipes[2], options.lazy === true),
    stdio,
    terminal: terminal?.terminal,
    killSignal: plan.killSignal,
    timeout: plan.timeout,
    signal: plan.signal,
    onExit: options.onExit,
  });
  if (plan.maxBuffer !== undefined) {
    for (let i = 1; i < 3; i++) {
      if (entries[i]!.kind === STDIO_OUTPUT) {
        ops.pipeLimit(pipes[i], plan.maxBuffer, () => Subprocess.kill(subprocess, plan.killSignal));
      }
    }
  }
  if (plan.channel !== -1)
    openChannel(subprocess, pipes[plan.channel], serialization ?? "advanced", ipc, options.onDisconnect);
  return subprocess;
}

/** What writes to a process, where that is not a descriptor. */
function inputSink(entry: Entry, pipe: number): FileSink | undefined {
  if (entry.kind !== STDIO_INPUT) return undefined;
  const { FileSink, pump } = require("internal/child_process/file_sink");
  const sink: FileSink = new FileSink(pipe);
  const { input } = entry;
  if (input instanceof Uint8Array) {
    sink.write(input);
    sink.end();
  } else if (input !== undefined) {
    // An error of the stream ends the input; it is the program's own to see.
    pump(input, sink).catch(() => {});
  }
  return sink;
}

function outputStream(entry: Entry, pipe: number, lazy: boolean): unknown {
  if (entry.kind !== STDIO_OUTPUT) return entry.shown;
  return new Output(pipe, lazy);
}

function openChannel(
  subprocess: Subprocess,
  pipe: number,
  serialization: string,
  ipc: SpawnOptions["ipc"],
  onDisconnect: unknown,
): void {
  const EventEmitter = require("node:events");
  const channel = new EventEmitter() as IpcTarget;
  require("internal/child_process/ipc").setupChannel(channel, pipe, serialization);
  Subprocess.setChannel(subprocess, channel);
  channel.on("message", (message: unknown, handle: unknown) => ipc?.call(subprocess, message, subprocess, handle));
  // Without a listener an error of send() would end the program; the callback of send() tells of it.
  channel.on("error", () => {});
  if (typeof onDisconnect === "function") channel.on("disconnect", () => onDisconnect.call(subprocess, true));
}

/** What Bun.spawnSync() returns. */
interface SyncSubprocess {
  exitCode: number | null;
  signalCode?: string;
  stdout: Buffer | undefined;
  stderr: Buffer | undefined;
  success: boolean;
  resourceUsage: ResourceUsage;
  exitedDueToTimeout?: true;
  exitedDueToMaxBuffer?: true;
  pid: number;
}

/** Runs a process to its end. */
export function spawnSync(cmd: unknown, options?: SpawnOptions): SyncSubprocess {
  const plan = planOf(cmd, options, true);
  const { entries, opened } = plan;
  const inputs = entries.map(({ input }) => input as Uint8Array | undefined);
  // Nothing can abort while this thread waits, but time.
  let { timeout } = plan;
  const delay = plan.signal === undefined ? Infinity : require("web/abort").abortDelay(plan.signal);
  const aborts = delay < (timeout || Infinity);
  if (aborts) timeout = Math.max(1, Math.ceil(delay));
  const [errno, pid, exit, output] = ops.spawnSync(
    plan.file,
    plan.argv.join("\0"),
    envText(plan.env),
    plan.cwd,
    numbersOf(entries),
    plan.flags,
    plan.uid,
    plan.gid,
    plan.cgroup,
    inputs,
    timeout ?? 0,
    plan.maxBuffer ?? 0,
    plan.killSignal,
  );
  if (opened.length > 0) closeOpened(plan);
  if (pid === 0) throw startError(errno, plan);
  const [code, signal, usage] = exit ?? [null, 0, new Float64Array(12)];
  const result = { exitCode: signal !== 0 ? null : code } as SyncSubprocess;
  if (signal !== 0) result.signalCode = require("internal/child_process/options").signalName(signal);
  result.stdout = bufferOf(output[1]);
  result.stderr = bufferOf(output[2]);
  result.success = code === 0 && signal === 0;
  result.resourceUsage = new ResourceUsage(usage);
  if (errno === ETIMEDOUT && !aborts) result.exitedDueToTimeout = true;
  if (errno === ENOBUFS) result.exitedDueToMaxBuffer = true;
  result.pid = pid;
  return result;
}

function bufferOf(bytes: Uint8Array | undefined): Buffer | undefined {
  return bytes && require("node:buffer").Buffer.from(bytes.buffer, 0, bytes.length);
}
