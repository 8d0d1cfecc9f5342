// Subprocess: what Bun.spawn() returns (https://bun.com/docs/api/spawn).

import { own } from "internal/events/async_context";
import { codes, uvException } from "internal/core/errors";
import { Output } from "internal/child_process/output";
import { signalName, signalNumber } from "internal/child_process/options";

import type { IpcTarget } from "internal/child_process/types";
import type { Timeout } from "internal/core/timers";

const ops = native("child");

const ESRCH = -3;
const SIGKILL = 9;

const inspectKey = Symbol.for("nodejs.util.inspect.custom");

/** An object as inspection shows it: what its class has as accessors, as properties under the same name. */
function shown(self: object, name: string): unknown {
  const constructor = class {};
  Object.defineProperty(constructor, "name", { value: name });
  const values: Record<string, unknown> = new constructor() as Record<string, unknown>;
  for (const key in self) values[key] = (self as Record<string, unknown>)[key];
  return values;
}

/** What a process has used; `usage` as ops.spawn() gives it. Times are in microseconds, sizes in bytes. */
class ResourceUsage {
  #usage: Float64Array;

  constructor(usage: Float64Array) {
    this.#usage = usage;
  }

  get contextSwitches(): { voluntary: number; involuntary: number } {
    return { __proto__: null, voluntary: this.#usage[10]!, involuntary: this.#usage[11]! } as {
      voluntary: number;
      involuntary: number;
    };
  }

  get cpuTime(): { user: bigint; system: bigint; total: bigint } {
    const user = BigInt(this.#usage[0]!);
    const system = BigInt(this.#usage[1]!);
    return { __proto__: null, user, system, total: user + system } as { user: bigint; system: bigint; total: bigint };
  }

  get maxRSS(): number {
    return this.#usage[2]!;
  }

  get messages(): { sent: number; received: number } {
    return { __proto__: null, sent: this.#usage[7]!, received: this.#usage[8]! } as { sent: number; received: number };
  }

  get ops(): { in: number; out: number } {
    return { __proto__: null, in: this.#usage[5]!, out: this.#usage[6]! } as { in: number; out: number };
  }

  get shmSize(): number {
    return this.#usage[3]!;
  }

  get signalCount(): number {
    return this.#usage[9]!;
  }

  get swapCount(): number {
    return this.#usage[4]!;
  }

  [inspectKey](): unknown {
    return shown(this, "ResourceUsage");
  }
}

for (const key of ["contextSwitches", "cpuTime", "maxRSS", "messages", "ops", "shmSize", "signalCount", "swapCount"]) {
  Object.defineProperty(ResourceUsage.prototype, key, { enumerable: true });
}

/** The number of a signal, 1 to 31; SIGTERM where it is left out. */
export function killNumber(signal: unknown): number {
  if (signal === undefined || signal === null) return 15;
  if (signal === "" || Number.isNaN(signal)) return 15;
  if (typeof signal === "number") {
    if (signal < 0) throw typeError("Invalid signal: must be >= 0");
    if (signal >= 32) throw typeError("Invalid signal: must be < 32");
    if (!Number.isInteger(signal)) throw typeError("Unknown signal");
    return signal;
  }
  if (typeof signal !== "string") throw typeError("Invalid signal: must be a string or an integer");
  const numbers = require("internal/process/signals").signalNumbers();
  if (!(signal in numbers)) {
    const names = Object.keys(numbers)
      .filter((name) => name !== "SIGIOT" && name !== "SIGPOLL")
      .map((name) => `'${name}'`);
    const last = names.pop();
    throw typeError(`signal must be one of ${names.join(", ")} or ${last}`);
  }
  return signalNumber(signal);
}

/** A TypeError with Bun's code for wrong arguments. */
export function typeError(message: string): TypeError {
  const error = new TypeError(message);
  Object.defineProperty(error, "code", { value: "ERR_INVALID_ARG_TYPE", writable: true, configurable: true });
  return error;
}

/** What a Subprocess is made of. */
interface Parts {
  cmd: string[];
  /** FileSink, ReadableStream or what else `stdin` is. */
  stdin: Partial<Disposable & { ref(): void; unref(): void }> | null | undefined;
  /** What writes to the process, whether or not it is `stdin`. */
  input: Disposable | undefined;
  /** Output, or the value of the property. */
  stdout: unknown;
  stderr: unknown;
  /** Descriptors of this process for further pipes, null for the first three and others. */
  stdio: Array<number | null>;
  /** The Bun.Terminal that the process runs in. */
  terminal: unknown;
  killSignal: number;
  timeout: number | undefined;
  signal: AbortSignal | undefined;
  onExit: ((...args: unknown[]) => void) | undefined;
}

function shownOutput(output: unknown): unknown {
  return output instanceof Output ? output.stream : output;
}

class Subprocess {
  #id: number;
  #pid: number;
  #parts: Parts;
  #exitCode: number | null = null;
  #signal = 0;
  #usage: Float64Array | undefined;
  #exited: { promise: Promise<number>; resolve: (code: number) => void } | undefined;
  #timer: Timeout | undefined;
  #abort: (() => void) | undefined;
  #channel: IpcTarget | undefined;
  #isAbandoned = false;

  constructor(id: number, pid: number, parts: Parts) {
    this.#id = id;
    this.#pid = pid;
    this.#parts = parts;
    own(this as Subprocess, (self) => self.#abandon());
    const { timeout, signal, killSignal } = parts;
    if (timeout !== undefined && timeout > 0) {
      this.#timer = setTimeout(() => this.#kill(killSignal), timeout);
      this.#timer.unref();
    }
    if (signal !== undefined) {
      this.#abort = () => this.#kill(killSignal);
      if (signal.aborted) this.#abort();
      else signal.addEventListener("abort", this.#abort, { once: true });
    }
  }

  // The rest of the family calls these: programs cannot.
  static ended(self: Subprocess, code: number, signal: number, usage: Float64Array): void {
    self.#ended(code, signal, usage);
  }

  static setChannel(self: Subprocess, channel: IpcTarget): void {
    self.#channel = channel;
  }

  static kill(self: Subprocess, signal: number): void {
    self.#kill(signal);
  }

  /** Ends the process of a graph of modules that is disposed; nobody hears of its end. */
  #abandon(): void {
    const { input, stdout, stderr } = this.#parts;
    input?.[Symbol.dispose]();
    if (stdout instanceof Output) stdout.abandon();
    if (stderr instanceof Output) stderr.abandon();
    if (this.#id === 0) return;
    this.#isAbandoned = true;
    this.unref();
    this.#kill(SIGKILL);
  }

  #ended(code: number, signal: number, usage: Float64Array): void {
    ops.release(this.#id);
    this.#id = 0;
    this.#signal = signal;
    this.#exitCode = signal !== 0 ? null : code;
    this.#usage = usage;
    clearTimeout(this.#timer);
    const { onExit, signal: aborter, stdin, stdout, stderr } = this.#parts;
    if (stdout instanceof Output) stdout.ended();
    if (stderr instanceof Output) stderr.ended();
    if (this.#abort) aborter!.removeEventListener("abort", this.#abort);
    if (this.#isAbandoned) return;
    // Nobody reads from it any more.
    stdin?.[Symbol.dispose]?.();
    this.#exited?.resolve(this.#status());
    // After those that wait for `exited`.
    if (onExit) queueMicrotask(() => process.nextTick(onExit, this, this.#exitCode, this.signalCode, undefined));
  }

  /** The exit code as shells have it: 128 and the signal where one ended the process. */
  #status(): number {
    return this.#signal !== 0 ? 128 + this.#signal : this.#exitCode!;
  }

  #kill(signal: number): void {
    if (this.#id === 0) return;
    const error = ops.kill(this.#id, signal);
    if (error !== 0 && error !== ESRCH) throw uvException({ errno: error, syscall: "kill" });
  }

  get pid(): number {
    return this.#pid;
  }

  get stdin(): unknown {
    return this.#parts.stdin;
  }

  get writable(): unknown {
    return this.#parts.stdin;
  }

  get stdout(): unknown {
    return shownOutput(this.#parts.stdout);
  }

  get readable(): unknown {
    return shownOutput(this.#parts.stdout);
  }

  get stderr(): unknown {
    return shownOutput(this.#parts.stderr);
  }

  get stdio(): Array<number | null> {
    return this.#parts.stdio;
  }

  get terminal(): unknown {
    return this.#parts.terminal;
  }

  /** Promise of the exit code; 128 and the signal's number where a signal ended the process. */
  get exited(): Promise<number> {
    if (this.#exited === undefined) {
      this.#exited = Promise.withResolvers<number>();
      if (this.#exitCode !== null || this.#signal !== 0) this.#exited.resolve(this.#status());
    }
    return this.#exited.promise;
  }

  get exitCode(): number | null {
    return this.#exitCode;
  }

  get signalCode(): string | null {
    return this.#signal === 0 ? null : signalName(this.#signal);
  }

  /** Whether the process has ended. */
  get killed(): boolean {
    return this.#exitCode !== null || this.#signal !== 0;
  }

  /** Whether there is a channel that can be written to. */
  get connected(): boolean {
    return this.#id !== 0 && this.#channel !== undefined && this.#channel.connected;
  }

  /** Sends a signal: a name or a number, SIGTERM if left out. */
  kill(signal?: number | string): void {
    this.#kill(killNumber(signal));
  }

  ref(): void {
    this.#setRef(true);
  }

  unref(): void {
    this.#setRef(false);
  }

  #setRef(on: boolean): void {
    if (this.#id !== 0) ops.setRef(this.#id, on);
    const { stdin, stdout, stderr } = this.#parts;
    if (on) stdin?.ref?.();
    else stdin?.unref?.();
    if (stdout instanceof Output) stdout.setRef(on);
    if (stderr instanceof Output) stderr.setRef(on);
    if (on) this.#channel?.channel?.ref();
    else this.#channel?.channel?.unref();
  }

  /** Sends a message through the channel of the option `ipc`. */
  send(message: unknown, ...rest: unknown[]): boolean {
    const channel = this.#channel;
    if (!this.connected) {
      const error = new codes.ERR_IPC_CHANNEL_CLOSED();
      error.message =
        this.#id === 0
          ? "Subprocess.send() cannot be used after the process has exited."
          : "Subprocess.send() can only be used if an IPC channel is open.";
      throw error;
    }
    return channel!.send!(message, ...rest);
  }

  /** Closes the channel. */
  disconnect(): void {
    if (this.connected) this.#channel!.disconnect();
  }

  /** What the process has used; undefined while it runs. */
  resourceUsage(): ResourceUsage | undefined {
    return this.#usage && new ResourceUsage(this.#usage);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#id !== 0) this.#kill(15);
    await this.exited;
  }

  get [Symbol.toStringTag](): string {
    return "Subprocess";
  }

  [inspectKey](): unknown {
    return shown(this, "Subprocess");
  }
}

for (const key of Object.getOwnPropertyNames(Subprocess.prototype)) {
  if (key !== "constructor") Object.defineProperty(Subprocess.prototype, key, { enumerable: true });
}

export { ResourceUsage, Subprocess };
