/** Bun.Terminal, a pseudo-terminal: https://bun.com/reference/bun/Terminal */

import { own } from "internal/events/async_context";
import { uvException } from "internal/core/errors";

const ops = native("child");

interface TerminalOptions {
  cols?: number;
  rows?: number;
  name?: string;
  data?: (terminal: Terminal, data: Uint8Array) => void;
  exit?: (terminal: Terminal, exitCode: number, signal: null) => void;
  drain?: (terminal: Terminal) => void;
}

/** A size that a terminal can have, or the usual one. */
function dimension(value: number | undefined, usual: number): number {
  return typeof value === "number" && value >= 1 && value <= 0xffff ? value | 0 : usual;
}

// termios(3)
const RAW_INPUT = 0o1 | 0o2 | 0o10 | 0o40 | 0o100 | 0o200 | 0o400 | 0o2000;
const RAW_LOCAL = 0o1 | 0o2 | 0o10 | 0o100 | 0o100000;

/** What spawn() needs to know of a terminal. */
let slaveOf: (terminal: Terminal) => number;
let releaseSlaveOf: (terminal: Terminal) => void;

/** A pseudo-terminal. Processes are started in it with the option `terminal` of Bun.spawn(). */
export class Terminal {
  #pipe: number;
  /** Descriptor of the side of the processes; -1 where only they have it. */
  #slave: number;
  #closed = false;
  #options: TerminalOptions;
  /** Flags from before raw mode. */
  #cooked: number[] | undefined;
  #ended = false;

  static {
    slaveOf = (terminal) => (terminal.#closed ? -1 : terminal.#slave);
    releaseSlaveOf = (terminal) => terminal.#releaseSlave();
  }

  constructor(options: TerminalOptions) {
    if (options === null || typeof options !== "object")
      throw new Error("Terminal constructor requires an options object");
    const [errno, pipe, slave] = ops.terminalOpen(dimension(options.cols, 80), dimension(options.rows, 24));
    if (errno !== 0) throw uvException({ errno, syscall: "openpty" });
    this.#pipe = pipe;
    this.#slave = slave;
    this.#options = { ...options };
    ops.pipeRead(pipe, (failure: number, bytes: Uint8Array | undefined) => {
      if (bytes !== undefined) this.#call("data", bytes);
      // The last process in it is gone: the kernel reports that as an error of the terminal.
      else this.#end(failure === 0 ? 0 : 1);
    });
    own(this as Terminal, (terminal) => {
      terminal.#options = {};
      terminal.close();
    });
    // By itself it does not keep the program alive; processes do.
    ops.pipeSetRef(pipe, false);
  }

  #call(name: "data" | "exit" | "drain", ...rest: unknown[]): void {
    const callback: unknown = this.#options[name];
    if (typeof callback === "function") callback(this, ...rest);
  }

  #end(code: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#call("exit", code, null);
  }

  #releaseSlave(): void {
    if (this.#slave === -1) return;
    ops.closeDescriptor(this.#slave);
    this.#slave = -1;
  }

  #open(): void {
    if (this.#closed) throw new Error("Terminal is closed");
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** What processes read as typed: the number of bytes. */
  write(data: string | ArrayBufferView | ArrayBuffer): number {
    this.#open();
    const { Buffer } = require("node:buffer");
    let bytes: Uint8Array;
    if (typeof data === "string") bytes = Buffer.from(data);
    else if (ArrayBuffer.isView(data)) bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    else if (data instanceof ArrayBuffer) bytes = new Uint8Array(data);
    else throw new TypeError("write() expects a string, ArrayBufferView, or ArrayBuffer");
    // A copy where it has to wait: the caller may go on to use its buffer.
    const result = ops.pipeWrite(this.#pipe, typeof data === "string" ? bytes : bytes.slice(), -1, () =>
      this.#call("drain"),
    );
    if (result < 0) throw uvException({ errno: result, syscall: "write" });
    return bytes.length;
  }

  /** Changes the size; processes get SIGWINCH. */
  resize(cols: number, rows: number): void {
    this.#open();
    if (!(cols >= 1 && cols <= 0xffff && rows >= 1 && rows <= 0xffff)) {
      throw new RangeError("resize() requires valid cols and rows arguments");
    }
    const errno = ops.terminalResize(this.#pipe, cols | 0, rows | 0);
    if (errno !== 0) throw uvException({ errno, syscall: "ioctl" });
  }

  /** Whether what is typed goes to processes as it is, without echo, editing and signals. */
  setRawMode(on: boolean): void {
    this.#open();
    if (on) {
      if (this.#cooked !== undefined) return;
      const [input, output, local, control] = (this.#cooked = ops.terminalFlags(this.#pipe)) as number[];
      ops.terminalSetFlags(this.#pipe, input! & ~RAW_INPUT, output!, local! & ~RAW_LOCAL, control!);
    } else if (this.#cooked !== undefined) {
      ops.terminalSetFlags(this.#pipe, ...(this.#cooked as [number, number, number, number]));
      this.#cooked = undefined;
    }
  }

  #flags(index: number): number {
    return this.#closed ? 0 : (ops.terminalFlags(this.#pipe)[index] ?? 0);
  }

  #setFlags(index: number, value: number): void {
    if (this.#closed) return;
    const flags = ops.terminalFlags(this.#pipe);
    flags[index] = Number(value) >>> 0;
    ops.terminalSetFlags(this.#pipe, ...(flags as [number, number, number, number]));
  }

  /** c_iflag of termios(3); 0 where the terminal is closed. The same for the next three. */
  get inputFlags(): number {
    return this.#flags(0);
  }

  set inputFlags(value: number) {
    this.#setFlags(0, value);
  }

  get outputFlags(): number {
    return this.#flags(1);
  }

  set outputFlags(value: number) {
    this.#setFlags(1, value);
  }

  get localFlags(): number {
    return this.#flags(2);
  }

  set localFlags(value: number) {
    this.#setFlags(2, value);
  }

  get controlFlags(): number {
    return this.#flags(3);
  }

  set controlFlags(value: number) {
    this.#setFlags(3, value);
  }

  /** Keeps the program alive as long as the terminal is open. */
  ref(): void {
    if (!this.#closed) ops.pipeSetRef(this.#pipe, true);
  }

  unref(): void {
    if (!this.#closed) ops.pipeSetRef(this.#pipe, false);
  }

  /** Closes the terminal; processes in it get SIGHUP. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#releaseSlave();
    ops.pipeClose(this.#pipe);
    process.nextTick(() => this.#end(0));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  get [Symbol.toStringTag](): string {
    return "Terminal";
  }
}

/** The terminal for a process of Bun.spawn() and the descriptor that it gets. `own`: made for this process alone. */
export function terminalFor(value: object): { terminal: Terminal; slave: number; own: boolean } | undefined {
  if (value instanceof Terminal) {
    const slave = slaveOf(value);
    return slave === -1 ? undefined : { terminal: value, slave, own: false };
  }
  const terminal = new Terminal(value);
  return { terminal, slave: slaveOf(terminal), own: true };
}

/** Gives up this process's copy of the other side: the terminal ends with the last process in it. */
export function releaseSlave(terminal: Terminal): void {
  releaseSlaveOf(terminal);
}
