// `Bun.$` (https://bun.com/docs/runtime/shell): the tag function, its promise, its result and its error.

import { own } from "internal/events/async_context";
import { validateAbortSignal, validateNumber } from "internal/core/validators";
import { Collector, Descriptor, FileDescriptor } from "internal/shell/descriptors";
import { Interpreter } from "internal/shell/interpreter";
import { State } from "internal/shell/state";
import { expandBraces, parseBraces, tokenizeBraces } from "internal/shell/braces";
import { parse } from "internal/shell/parser";
import { sourceOf } from "internal/shell/source";
import { invalidType } from "bun/util";

import type { List } from "internal/shell/ast";
import type { Run } from "internal/shell/interpreter";

type Environment = Record<string, string | undefined>;

/** What `$` and a Shell set for their commands. */
interface Settings {
  cwd: string | undefined;
  env: Environment | undefined;
  throws: boolean;
}

/** What `.stdin` and so on of a promise set before it runs. */
interface Plan {
  body: List;
  cwd: string | undefined;
  env: Environment | undefined;
  throws: boolean;
  quiet: boolean;
  signal: AbortSignal | undefined;
  timeout: number | undefined;
}

const SIGTERM = 15;
const SIGKILL = 9;

/** The output of a shell: what it has in common for results and errors. */
interface Outputs {
  stdout: Buffer;
}

function jsonOf(outputs: Outputs): unknown {
  return JSON.parse(outputs.stdout.toString());
}

function arrayBufferOf(outputs: Outputs): ArrayBuffer {
  const { stdout } = outputs;
  return stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.byteLength) as ArrayBuffer;
}

class ShellOutput {
  stdout: Buffer;
  stderr: Buffer;
  exitCode: number;

  constructor(stdout: Buffer, stderr: Buffer, exitCode: number) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.exitCode = exitCode;
  }

  text(encoding?: BufferEncoding): string {
    return this.stdout.toString(encoding);
  }

  json(): unknown {
    return jsonOf(this);
  }

  arrayBuffer(): ArrayBuffer {
    return arrayBufferOf(this);
  }

  bytes(): Uint8Array {
    return new Uint8Array(arrayBufferOf(this));
  }

  blob(): Blob {
    return new Blob([this.stdout as Buffer<ArrayBuffer>]);
  }
}

class ShellError extends Error {
  declare info: { exitCode: number; stderr: string; stdout: string };
  declare exitCode: number;
  declare stdout: Buffer;
  declare stderr: Buffer;

  constructor() {
    super("");
  }

  text(encoding?: BufferEncoding): string {
    return this.stdout.toString(encoding);
  }

  json(): unknown {
    return jsonOf(this);
  }

  arrayBuffer(): ArrayBuffer {
    return arrayBufferOf(this);
  }

  bytes(): Uint8Array {
    return new Uint8Array(arrayBufferOf(this));
  }

  blob(): Blob {
    return new Blob([this.stdout as Buffer<ArrayBuffer>]);
  }
}

function fill(error: ShellError, stdout: Buffer, stderr: Buffer, exitCode: number): ShellError {
  Object.defineProperty(error, "name", { value: "ShellError", writable: true, configurable: true });
  error.message = `Failed with exit code ${exitCode}`;
  Object.defineProperty(error, "info", {
    value: { exitCode, stderr: stderr.toString(), stdout: stdout.toString() },
    writable: true,
    configurable: true,
    enumerable: false,
  });
  return Object.assign(error, { exitCode, stdout, stderr });
}

/** A string of the shell as `$.cwd()` and `.cwd()` take it: a directory that is there, absolute. */
function directoryOf(cwd: string): string {
  const { resolve } = require("node:path");
  const { statSync } = require("node:fs");
  const path = resolve(cwd);
  if (path.length >= 4096) throw Object.assign(new Error("File name too long"), { code: "ENAMETOOLONG" });
  try {
    if (!statSync(path).isDirectory()) throw Object.assign(new Error("Not a directory"), { code: "ENOTDIR" });
  } catch (error) {
    const { code } = error as NodeError;
    const { messageOf } = require("internal/shell/errors");
    throw Object.assign(new Error(messageOf(code)), { code, path });
  }
  return path;
}

/** The descriptors that a run starts with: those of the process, and what collects the output. */
function standard(quiet: boolean): { descriptors: Map<number, Descriptor>; stdout: Collector; stderr: Collector } {
  const stdout = new Collector(quiet ? undefined : new FileDescriptor(1, false));
  const stderr = new Collector(quiet ? undefined : new FileDescriptor(2, false));
  const descriptors = new Map<number, Descriptor>([
    [0, new FileDescriptor(0, false)],
    [1, stdout],
    [2, stderr],
  ]);
  return { descriptors, stdout, stderr };
}

/** Gives a run up: nothing is started any more, and what runs gets SIGTERM. */
function abort(run: Run, reason: unknown): void {
  run.aborted ??= reason ?? new DOMException("The operation was aborted", "AbortError");
  for (const id of run.programs) native("child").kill(id, SIGTERM);
}

/** Ends the programs of a graph of modules that is disposed; the run never comes to its end. */
function abandon(run: Run): void {
  run.isAbandoned = true;
  run.aborted ??= new DOMException("The operation was aborted", "AbortError");
  for (const id of run.programs) native("child").kill(id, SIGKILL);
}

async function execute(plan: Plan): Promise<ShellOutput> {
  const cwd = plan.cwd === undefined ? process.cwd() : directoryOf(plan.cwd);
  const { descriptors, stdout, stderr } = standard(plan.quiet);
  const argv = process.argv;
  const state = new State(plan.env ?? process.env, cwd, argv[0]!, argv.slice(1));
  const run: Run = { programs: new Set(), aborted: undefined, background: new Set(), calls: 0 };
  own(run, abandon);
  const { signal, timeout } = plan;
  const given = Promise.withResolvers<never>();
  given.promise.catch(() => {});
  const giveUp = (reason: unknown) => {
    abort(run, reason);
    given.reject(run.aborted);
  };
  const onAbort = () => giveUp(signal!.reason);
  if (signal?.aborted) throw signal.reason;
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => giveUp(new DOMException("The operation timed out", "TimeoutError")), timeout);
  let status: number;
  try {
    const running = (async () => {
      const ended = await new Interpreter(run, state, descriptors).environment(plan.body);
      // Their output is part of the result.
      while (run.background.size > 0) await Promise.all(run.background);
      return ended;
    })();
    if (signal === undefined && timeout === undefined) {
      status = await running;
    } else {
      // What does not notice the end (a read from a stream that gives nothing) is left behind.
      running.catch(() => {});
      status = await Promise.race([running, given.promise]);
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    for (const descriptor of descriptors.values()) descriptor.release();
    if (run.isAbandoned === true) await new Promise(() => {});
  }
  if (run.aborted !== undefined) throw run.aborted;
  return new ShellOutput(stdout.bytes() as Buffer, stderr.bytes() as Buffer, status);
}

interface Settle {
  resolve: (value: ShellOutput) => void;
  reject: (reason: unknown) => void;
}

class ShellPromise extends Promise<ShellOutput> {
  #plan: Plan | undefined;
  #settle: Settle;
  #started = false;
  /** Made where the command is written, so that its stack says where that is. */
  #error: ShellError | undefined;

  constructor(plan: Plan) {
    let settle: Settle;
    super((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.#settle = settle!;
    this.#plan = plan;
    this.#error = new ShellError();
  }

  static override get [Symbol.species]() {
    return Promise;
  }

  #change(): Plan {
    if (this.#started) throw new Error("Shell is already running");
    return this.#plan!;
  }

  /** The working directory; an empty one or "." is that of the process. */
  cwd(cwd?: string): this {
    const plan = this.#change();
    plan.cwd = cwd === undefined || cwd === "" || cwd === "." ? process.cwd() : `${cwd}`;
    return this;
  }

  env(env?: Environment): this {
    this.#change().env = env === undefined ? process.env : { ...env };
    return this;
  }

  /** The output is collected and not printed as well. */
  quiet(on = true): this {
    this.#change().quiet = Boolean(on);
    return this;
  }

  nothrow(): this {
    return this.throws(false);
  }

  throws(on?: boolean): this {
    if (this.#plan !== undefined) this.#plan.throws = Boolean(on);
    return this;
  }

  /** Beyond Bun: an AbortSignal that ends the commands. */
  signal(signal: AbortSignal): this {
    validateAbortSignal(signal, "signal");
    this.#change().signal = signal;
    return this;
  }

  /** Beyond Bun: milliseconds until the commands are ended. */
  timeout(milliseconds: number): this {
    validateNumber(milliseconds, "milliseconds", 0);
    this.#change().timeout = milliseconds;
    return this;
  }

  async text(encoding?: BufferEncoding): Promise<string> {
    return (await this.#quietly()).text(encoding);
  }

  async json(): Promise<unknown> {
    return (await this.#quietly()).json();
  }

  async *lines(): AsyncGenerator<string> {
    const { stdout } = await this.#quietly();
    yield* stdout.toString().split("\n");
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.#quietly()).arrayBuffer();
  }

  async bytes(): Promise<Uint8Array> {
    return (await this.#quietly()).bytes();
  }

  async blob(): Promise<Blob> {
    return (await this.#quietly()).blob();
  }

  #quietly(): this {
    if (!this.#started) this.#plan!.quiet = true;
    return this;
  }

  /** Starts the commands, which otherwise `await` does. */
  run(): this {
    if (this.#started) return this;
    this.#started = true;
    const plan = this.#plan!;
    execute(plan).then(
      (output) => {
        if (!plan.throws || output.exitCode === 0) this.#settle.resolve(output);
        else this.#settle.reject(fill(this.#error!, output.stdout, output.stderr, output.exitCode));
        this.#error = undefined;
      },
      (error) => this.#settle.reject(error),
    );
    return this;
  }

  override then<A = ShellOutput, B = never>(
    onfulfilled?: ((value: ShellOutput) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.run();
    return super.then(onfulfilled, onrejected);
  }
}

/** The characters for which `$.escape` puts quotes around a text. */
const NEEDS_QUOTES = /[~[\]#;\n*{},`$=()\d\\"'&|<>? \t\r\b]/;

/** A text as one word of a script. */
function escape(value: unknown): string {
  const text = `${value}`;
  if (text !== "" && !NEEDS_QUOTES.test(text)) return text;
  return `"${text.replace(/[$`"\\]/g, "\\$&").replaceAll("\b", '\b""')}"`;
}

/** The texts that braces make of a text; with `tokenize` or `parse` JSON with what Bun's lexer or parser sees in it. */
function braces(text: unknown, options?: { parse?: unknown; tokenize?: unknown } | null): string[] | string {
  if (options !== undefined && options !== null && typeof options !== "object") {
    throw invalidType("BracesOptions must be an object");
  }
  if (options?.tokenize) return tokenizeBraces(`${text}`);
  if (options?.parse) return parseBraces(`${text}`);
  return expandBraces(`${text}`);
}

/** A tag function with settings of its own, and the methods that change them. */
function makeShell(settings: Settings, prototype: object): unknown {
  function BunShell(strings: TemplateStringsArray, ...expressions: unknown[]): ShellPromise {
    if (strings?.raw === undefined) {
      throw new Error("Please use '$' as a tagged template function: $`cmd arg1 arg2`");
    }
    let body = expressions.length === 0 ? PARSED.get(strings) : undefined;
    if (body === undefined) {
      body = parse(sourceOf(strings.raw, expressions));
      if (expressions.length === 0) PARSED.set(strings, body);
    }
    const { cwd, env, throws } = settings;
    return new ShellPromise({ body, cwd, env, throws, quiet: false, signal: undefined, timeout: undefined });
  }
  SETTINGS.set(BunShell, settings);
  Object.setPrototypeOf(BunShell, prototype);
  return BunShell;
}

/** The commands of templates without values: one call site always has the same strings. */
const PARSED = new WeakMap<TemplateStringsArray, List>();

const SETTINGS = new WeakMap<object, Settings>();

function settingsOf(shell: object): Settings {
  const settings = SETTINGS.get(shell);
  if (settings === undefined) throw new TypeError("not a shell");
  return settings;
}

class ShellPrototype {
  env(env?: Environment): this {
    const settings = settingsOf(this);
    if (env === undefined || env === process.env) settings.env = undefined;
    else if (env !== null && typeof env === "object") settings.env = { ...env };
    else throw new TypeError("env must be an object or undefined");
    return this;
  }

  cwd(cwd?: string): this {
    if (cwd !== undefined && typeof cwd !== "string") throw new TypeError("cwd must be a string or undefined");
    settingsOf(this).cwd = cwd === undefined || cwd === "" || cwd === "." ? undefined : cwd;
    return this;
  }

  nothrow(): this {
    settingsOf(this).throws = false;
    return this;
  }

  throws(on?: boolean): this {
    settingsOf(this).throws = Boolean(on);
    return this;
  }
}

Object.setPrototypeOf(ShellPrototype.prototype, Function.prototype);

/** `new $.Shell()`: a tag function that has settings of its own. */
function Shell(this: unknown): unknown {
  if (new.target === undefined) throw new TypeError("Class constructor Shell cannot be invoked without 'new'");
  const { env, cwd, throws } = settingsOf($);
  const shell = makeShell({ env, cwd, throws }, Shell.prototype as object) as object;
  Object.defineProperty(shell, "name", { value: "Shell", configurable: true });
  return shell;
}

Object.setPrototypeOf(Shell.prototype, ShellPrototype.prototype);

export const $ = makeShell(
  { env: undefined, cwd: undefined, throws: true },
  ShellPrototype.prototype,
) as ShellPrototype & {
  (strings: TemplateStringsArray, ...expressions: unknown[]): ShellPromise;
};
Object.assign($, { Shell, ShellPromise, ShellError, braces, escape });
