// ChildProcess: a running child, its streams, its events.

import EventEmitter from "node:events";
import { own } from "internal/events/async_context";
import { diagnostics } from "internal/events/diagnostics";
import { AbortError, errnoException } from "internal/core/errors";
import {
  INHERITED,
  checkProcessCommand,
  checkProcessOptions,
  environment,
  signalName,
  signalNumber,
} from "internal/child_process/options";
import { Socket } from "internal/child_process/socket";
import { resources } from "internal/process/execution";
import { parseStdio, stdioNumbers } from "internal/child_process/stdio";

import type { IpcControl, IpcTarget, SpawnOptions, StdioStream } from "internal/child_process/types";
import type { Duplex } from "internal/net/types";

const ops = native("child");

// Errors of the start that are reported by the event 'error' (errno: EACCES, EAGAIN, EMFILE, ENFILE, ENOENT).
const eventErrors = new Set([-13, -11, -24, -23, -2]);
const EMFILE = -24;
const ENFILE = -23;
const ESRCH = -3;
const EINVAL = -22;
const ENOSYS = -38;

const DETACHED = 1;
const SIGKILL = 9;

/** The children of this module that have not ended. */
export const runningChildren = (resources.children = new Set<ChildProcess>());

// The diagnostics channels child_process.spawn.
let spawnTrace: Record<"start" | "end" | "error", { publish(message: unknown): void }> | undefined;

/** The native half of a ChildProcess, as programs know it: `subprocess._handle`. */
class Process {
  #id = 0;
  #referenced = true;
  pid: number | undefined;
  /** Called with the exit code (a negative errno where the start failed) and the name of a signal or "". */
  onexit: (code: number, signal: string, usage?: Float64Array) => void;

  constructor(onexit: (code: number, signal: string, usage?: Float64Array) => void) {
    this.onexit = onexit;
  }

  /** Returns 0 or a negative errno, and the pipes. */
  spawn(options: SpawnOptions, stdio: number[], envPairs: string[] | undefined): [number, number[]] {
    const [error, id, pid, pipes] = ops.spawn(
      options.file,
      (options.args ?? [options.file]).join("\0"),
      envPairs?.join("\0"),
      options.cwd || undefined,
      stdio,
      options.detached ? DETACHED : 0,
      options.uid ?? undefined,
      options.gid ?? undefined,
      -1,
      (code: number, signal: number, usage: Float64Array) => this.#ended(code, signal, usage),
    );
    if (error === 0) {
      this.#id = id;
      this.pid = pid;
      if (!this.#referenced) ops.setRef(id, false);
    }
    return [error, pipes];
  }

  #ended(code: number, signal: number, usage: Float64Array): void {
    ops.release(this.#id);
    // -1: somebody else has waited for the process, nobody knows how it ended.
    this.onexit(code === -1 ? 0 : code, signal === 0 ? "" : signalName(signal), usage);
  }

  /** 0, or a negative errno. */
  kill(signal: number): number {
    return ops.kill(this.#id, signal);
  }

  ref(): void {
    this.#setRef(true);
  }

  unref(): void {
    this.#setRef(false);
  }

  #setRef(on: boolean): void {
    this.#referenced = on;
    if (this.#id !== 0) ops.setRef(this.#id, on);
  }

  hasRef(): boolean {
    return this.pid !== undefined && this.#referenced;
  }

  close(): void {}
}

/** https://nodejs.org/api/child_process.html#class-childprocess */
class ChildProcess extends EventEmitter {
  /** How many ends have to come before 'close': of the process and of its streams. */
  declare _closesNeeded: number;
  declare _closesGot: number;
  declare _handle: Process | null;
  declare connected: boolean;
  declare channel: IpcControl | null | undefined;
  declare signalCode: string | null;
  declare exitCode: number | null;
  declare killed: boolean;
  declare pid: number | undefined;
  declare spawnfile: string | null;
  declare spawnargs: string[];
  declare stdin: Duplex | null | undefined;
  declare stdout: Duplex | null | undefined;
  declare stderr: Duplex | null | undefined;
  /** Null where there is no pipe. */
  declare stdio: Duplex[];
  declare send: NonNullable<IpcTarget["send"]>;
  declare _send: IpcTarget["_send"];
  declare disconnect: () => void;
  declare _disconnect: () => void;

  constructor() {
    super();
    this._closesNeeded = 1;
    this._closesGot = 0;
    this.connected = false;
    this.signalCode = null;
    this.exitCode = null;
    this.killed = false;
    this.spawnfile = null;
    this._handle = new Process((code, signal) => exited(this, code, signal));
    if (diagnostics.loaded) require("node:diagnostics_channel").channel("child_process").publish({ process: this });
  }

  /**
   * Starts the process: `options` as normalizeSpawnArguments() makes them. Returns 0 or a negative errno that the
   * event 'error' will tell of; throws the others.
   */
  spawn(options: SpawnOptions): number {
    checkProcessOptions(options);
    const serialization = options.serialization || "json";
    const { entries, ipc } = parseStdio(options.stdio || "pipe", false);
    let envPairs = options.envPairs === undefined ? [] : options.envPairs;
    checkProcessCommand(options);
    this.spawnfile = options.file;
    this.spawnargs = options.args === undefined ? [] : options.args;
    if (ipc !== -1) {
      if (envPairs === INHERITED) envPairs = environment(process.env);
      envPairs.push(`NODE_CHANNEL_FD=${ipc}`, `NODE_CHANNEL_SERIALIZATION_MODE=${serialization}`);
    }

    for (const entry of entries) if (entry.type === "wrap") (entry.stream as StdioStream)._stopForChild();
    const trace = diagnostics.loaded
      ? (spawnTrace ??= require("node:diagnostics_channel").tracingChannel("child_process.spawn"))
      : undefined;
    trace?.start.publish({ process: this, options });
    const [error, pipes] = this._handle!.spawn(
      options,
      stdioNumbers(entries),
      envPairs === INHERITED ? undefined : envPairs,
    );
    if (error !== 0) trace?.error.publish({ process: this, options, error: errnoException(error, "spawn") });
    if (eventErrors.has(error)) {
      process.nextTick(startFailed, this, error);
      // Without descriptors there are no streams either.
      if (error === EMFILE || error === ENFILE) return error;
    } else if (error !== 0) {
      for (const pipe of pipes) if (pipe !== -1) ops.pipeClose(pipe);
      this._handle = null;
      throw errnoException(error, "spawn");
    } else {
      process.nextTick(started, this);
      trace?.end.publish({ process: this });
    }
    this.pid = this._handle!.pid;
    if (error === 0) {
      runningChildren.add(this);
      own(this as ChildProcess, abandon);
    }

    const streams: (Duplex | null)[] = [];
    for (let i = 0; i < entries.length; i++) {
      const { type, stream } = entries[i]!;
      const pipe = pipes[i]!;
      if (type === "wrap") {
        streams.push(stream instanceof Socket ? null : (stream as Duplex));
      } else if (pipe === -1 || type === "ipc") {
        streams.push(null);
        if (type === "ipc") this._closesNeeded++;
      } else {
        const socket = new Socket(pipe, i > 0, i === 0 || i > 2);
        if (i > 0) {
          this._closesNeeded++;
          socket.on("close", () => closedOne(this));
        }
        streams.push(socket);
      }
    }
    this.stdin = streams[0];
    this.stdout = streams[1];
    this.stderr = streams[2];
    this.stdio = streams as Duplex[];
    if (ipc !== -1) {
      require("internal/child_process/ipc").setupChannel(this, pipes[ipc], serialization, () => closedOne(this));
    }
    return error;
  }

  /** Sends a signal (a name or number, SIGTERM if left out). False where the process has ended. */
  kill(signal?: unknown): boolean {
    const number = signal === 0 ? 0 : signal === undefined || signal === null ? 15 : signalNumber(signal);
    if (this._handle) {
      const error = this._handle.kill(number);
      if (error === 0) {
        // 0 is only a question.
        if (number !== 0) this.killed = true;
        return true;
      }
      if (error === EINVAL || error === ENOSYS) throw errnoException(error, "kill");
      if (error !== ESRCH) this.emit("error", errnoException(error, "kill"));
    }
    return false;
  }

  [Symbol.dispose](): void {
    if (!this.killed) this.kill();
  }

  ref(): void {
    this._handle?.ref();
  }

  unref(): void {
    this._handle?.unref();
  }
}

// Ends a process of a graph of modules that is disposed; nobody hears of its end.
function abandon(child: ChildProcess): void {
  child.removeAllListeners();
  for (const stream of child.stdio ?? []) {
    stream?.removeAllListeners();
    stream?.on("error", () => {});
    stream?.destroy();
  }
  const handle = child._handle;
  if (handle === null) return;
  handle.onexit = () => void runningChildren.delete(child);
  handle.unref();
  handle.kill(SIGKILL);
}

function started(child: ChildProcess): void {
  child.emit("spawn");
}

function startFailed(child: ChildProcess, errno: number): void {
  child._handle?.onexit(errno, "");
}

function exited(child: ChildProcess, code: number, signal: string): void {
  runningChildren.delete(child);
  if (signal) child.signalCode = signal;
  else child.exitCode = code;
  child.stdin?.destroy();
  child._handle = null;
  if (code < 0) {
    const error: NodeError & { spawnargs?: string[] } = errnoException(
      code,
      child.spawnfile ? `spawn ${child.spawnfile}` : "spawn",
    );
    if (child.spawnfile) error.path = child.spawnfile;
    error.spawnargs = child.spawnargs.slice(1);
    child.emit("error", error);
  } else {
    child.emit("exit", child.exitCode, child.signalCode);
  }
  // Not if a listener threw, as in Node: a listener of 'close' that ends the process would hide that error.
  // Output that nobody reads must not hold back 'close'. Reading starts in the next tick, so that listeners of
  // 'exit' can still ask for it.
  process.nextTick(flush, child);
  closedOne(child);
}

function flush(child: ChildProcess): void {
  for (const stream of child.stdio ?? []) {
    if (stream && stream.readable && !(stream as StdioStream)._isUsedAsStdio) stream.resume();
  }
}

/** 'close' comes when the process has ended and all its streams have. */
function closedOne(child: ChildProcess): void {
  if (++child._closesGot === child._closesNeeded) child.emit("close", child.exitCode, child.signalCode);
}

/** Kills `child` because a signal was aborted, and tells so. */
export function abortChild(child: ChildProcess, killSignal: number | undefined, reason: unknown): void {
  if (!child) return;
  try {
    if (child.kill(killSignal)) child.emit("error", new AbortError(undefined, { cause: reason }));
  } catch (error) {
    child.emit("error", error);
  }
}

export { ChildProcess };
