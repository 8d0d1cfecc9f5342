// The debugger on the terminal: a REPL whose context has the commands of `node inspect`
// (https://nodejs.org/api/debugger.html), over the program that is debugged.
import type { Connection, Fields } from "internal/inspector/client/connection";
import { refusal } from "internal/inspector/client/connection";
import { help } from "internal/inspector/client/help";
import { Profiles } from "internal/inspector/client/profiles";
import { Program, shownPath } from "internal/inspector/client/program";
import { connect, Process, type Target } from "internal/inspector/client/target";
import type { RemoteValue } from "internal/inspector/client/values";
import { codes } from "internal/core/errors";
import { validateString } from "internal/core/validators";
import { REPLServer } from "internal/repl/server";
import { isRecoverable, Recoverable } from "internal/repl/utils";
import { inspect } from "internal/util/inspect";

/** Second names of commands. */
const ALIASES: Record<string, string> = {
  c: "cont",
  n: "next",
  s: "step",
  o: "out",
  bt: "backtrace",
  sb: "setBreakpoint",
  cb: "clearBreakpoint",
  r: "run",
  restart: "run",
  p: "exec",
};

/** Lines around the place of a breakpoint that was just set, and around the current line that `list` prints. */
const LISTED_LINES = 5;

/** The domains of the protocol that the context has. */
const DOMAINS = [
  "Debugger",
  "Runtime",
  "Profiler",
  "HeapProfiler",
  "NodeRuntime",
  "NodeTracing",
  "NodeWorker",
  "Schema",
];

type EvalCallback = (error?: NodeError | null, result?: unknown) => void;

/** What an emitter of events has beside what the type of a REPL says. */
interface Listeners {
  listeners(event: string): Function[];
  removeAllListeners(event: string): void;
}

/** A line that is printed by the commands and is no value. */
const NOTHING = undefined;

export class DebuggerSession {
  readonly #target: Target;
  readonly #program = new Program();
  readonly #profiles: Profiles;
  #process: Process | undefined;
  #repl: REPLServer | undefined;
  /** What Enter alone does once more. */
  #last = "";
  /** The context of the commands, while expressions of the program are typed (`repl`). */
  #isTypingProgram = false;
  #hasBegun = false;
  /** A program is being started or connected to. */
  #isStarting = false;

  constructor(target: Target) {
    this.#target = target;
    this.#profiles = new Profiles(this.#program, (text) => this.#print(text));
  }

  /** Starts the program or connects to it, and reads commands. Rejects where there is nothing to debug. */
  async start(): Promise<void> {
    await this.#run();
    await this.#showStop();
    const repl = new REPLServer({
      prompt: "debug> ",
      input: process.stdin as never,
      output: process.stdout as never,
      eval: (code, context, file, callback) => this.#eval(code, context, file, callback),
      useGlobal: false,
      ignoreUndefined: true,
    });
    this.#repl = repl;
    this.#define(repl.context);
    repl.on("reset", (context: Record<string, unknown>) => this.#define(context));
    repl.defineCommand("interrupt", () => void repl.emit("SIGINT"));
    repl.on("exit", () => void this.#exit(0));
  }

  /** Ends the program that was started, and this process. */
  async #exit(code: number): Promise<void> {
    await this.#kill();
    process.exit(code);
  }

  // ------------------------------------------------------------------------------------------------- printing

  #print(text: string): void {
    const repl = this.#repl;
    if (repl?.terminal === true) {
      const { clearLine, cursorTo } = require("node:readline");
      cursorTo(process.stdout, 0);
      clearLine(process.stdout, 0);
    }
    process.stdout.write(`${text}\n`);
    // Its input has ended while the program is being ended.
    if (repl !== undefined && !repl.closed && !this.#isBusy) repl.displayPrompt(true);
  }

  /** Whether a command is being done, after which there is a prompt anyway. */
  #isBusy = false;

  /** What the program writes. */
  #printOutput(text: string): void {
    const lines = text.split(/\r?\n/).filter((line) => line !== "");
    if (lines.length > 0) this.#print(lines.map((line) => `< ${line}`).join("\n"));
    // Nothing is left to be looked at: the program has ended.
    if (text.includes("Waiting for the debugger to disconnect...\n")) void this.#kill();
  }

  // ---------------------------------------------------------------------------------------------- the program

  /** Starts the program, or connects to it, once more if there is one. */
  async #run(): Promise<void> {
    await this.#kill();
    this.#isStarting = true;
    try {
      let { address } = this.#target;
      if (this.#target.program !== undefined) {
        const print = (text: string) => this.#printOutput(text);
        [this.#process, address] = await Process.start(address, this.#target.program, print);
      }
      const name = `${address.host}:${address.port}`;
      process.stdout.write(`connecting to ${name} ... `);
      let connection: Connection;
      try {
        connection = await connect(address);
      } catch (error) {
        process.stdout.write("\n");
        throw (error as NodeError).code === undefined
          ? error
          : refusal(`failed to connect to ${name}: ${(error as NodeError).message}`);
      }
      process.stdout.write("ok\n");
      await this.#attach(connection);
    } catch (error) {
      await this.#kill();
      throw error;
    } finally {
      this.#isStarting = false;
    }
  }

  async #attach(connection: Connection): Promise<void> {
    const isStarted = this.#target.program !== undefined;
    const attached = this.#program.attach(connection);
    const stopped = new Promise<void>((resolve) => {
      connection.once("close", resolve);
      connection.once("Debugger.paused", () => resolve());
    });
    connection.on("Debugger.paused", (params: Fields) => {
      if (params.reason === "Break on start" && process.env.NODE_INSPECT_RESUME_ON_START === "1" && !this.#hasBegun) {
        this.#hasBegun = true;
        void connection.send("Debugger.resume");
        return;
      }
      this.#hasBegun = true;
      this.#reason = params.reason as string;
      if (this.#repl !== undefined) void this.#showStop();
    });
    connection.once("close", () => {
      if (this.#program.isConnected && !this.#isStarting) this.#print("The program has ended.");
      this.#program.detach();
    });
    this.#profiles.watch();
    await attached;
    // A program that was started stops at its first statement.
    if (isStarted && process.env.NODE_INSPECT_RESUME_ON_START !== "1") await stopped;
  }

  /** Ends the program that was started, or hangs up. */
  async #kill(): Promise<void> {
    // A program that runs without the debugger goes on when this has hung up.
    this.#program.detach();
    const child = this.#process;
    this.#process = undefined;
    await child?.end();
  }

  #reason = "other";

  /** Tells where the program has stopped, and why. */
  async #showStop(): Promise<void> {
    const [frame] = this.#program.frames;
    if (frame === undefined) return;
    const { location } = frame;
    const kind = this.#reason === "other" ? "break" : this.#reason;
    const parts = [`${kind} in ${shownPath(this.#program.urlOf(location) || frame.url)}:${location.lineNumber + 1}`];
    try {
      const [watched, snippet] = await Promise.all([
        this.#program.watchedText(),
        this.#program.snippet(location, this.#program.contextLines),
      ]);
      if (watched !== "") parts.push(`Watchers:\n${watched}\n`);
      parts.push(snippet);
    } catch {
      // It has gone on, or ended, meanwhile.
      return;
    }
    this.#print(parts.join("\n"));
  }

  // ----------------------------------------------------------------------------------------------- evaluation

  #eval(code: string, context: object, file: string, callback: EvalCallback): void {
    const line = code.trim();
    const again = line === "" ? this.#last : line;
    this.#last = again;
    this.#isBusy = true;
    const done: EvalCallback = (error, result) => {
      this.#isBusy = false;
      callback(error, result);
    };
    let value: unknown;
    try {
      value =
        again === ""
          ? NOTHING
          : this.#isTypingProgram
            ? this.#program.evaluate(again)
            : this.#command(again, context, file);
    } catch (error) {
      this.#isBusy = false;
      const isOpen = (error as Error | null)?.name === "SyntaxError" && isRecoverable(code);
      callback((isOpen ? new Recoverable(error) : error) as NodeError);
      return;
    }
    // With it all commands that were begun: there may be several in a line.
    const begun = this.#begun.splice(0);
    Promise.all([value, ...begun]).then(
      ([result]) => done(null, result),
      (error: NodeError) => done(error),
    );
  }

  /** Promises of the commands that a line has called. */
  readonly #begun: Promise<unknown>[] = [];

  /** A command that notes what it has begun. */
  #noting<P extends unknown[]>(command: (...args: P) => unknown): (...args: P) => unknown {
    return (...args) => {
      const value = command(...args);
      if (value instanceof Promise) this.#begun.push(value);
      return value;
    };
  }

  /** Does what was typed: a command, or JavaScript in which commands are functions and properties. */
  #command(text: string, context: object, file: string): unknown {
    // `exec process.title` without parentheses and quotes
    const expression = /^(?:exec|p)\s+(.*)$/s.exec(text)?.[1];
    if (expression !== undefined) return this.#exec(expression);
    // Functions that are named alone are called.
    const name = ALIASES[text] ?? text;
    const found = this.#functions[name];
    if (found !== undefined && name !== "exec") return found();
    return require("node:vm").runInContext(`${text}\n`, context, { filename: file });
  }

  #exec(expression: unknown): Promise<RemoteValue | unknown[]> {
    validateString(expression, "expression");
    return expression.trim() === ".scope" ? this.#program.scopes() : this.#program.evaluate(expression);
  }

  // ------------------------------------------------------------------------------------------------- commands

  /** Commands that are done where their name is read. */
  readonly #properties: Record<string, () => unknown> = {
    __proto__: null as never,
    help: () => this.#say(help()),
    run: () => this.#run(),
    kill: () => this.#kill(),
    cont: () => this.#go("resume"),
    next: () => this.#go("stepOver"),
    step: () => this.#go("stepInto"),
    out: () => this.#go("stepOut"),
    pause: () => this.#go("pause"),
    backtrace: () => this.#say(this.#program.backtrace()),
    breakpoints: () => this.#say(this.#program.breakpointList()),
    breakOnException: () => this.#program.stopAtExceptions("all"),
    breakOnUncaught: () => this.#program.stopAtExceptions("uncaught"),
    breakOnNone: () => this.#program.stopAtExceptions("none"),
    watchers: async () => this.#say(await this.#program.watchedText()),
    profile: () => this.#profiles.start(),
    profileEnd: () => this.#profiles.end(),
    profiles: () => this.#profiles.list,
    version: () => this.#version(),
    repl: () => this.#typeProgram(),
  };

  /** Commands that take something. */
  readonly #functions: Record<string, (...args: never[]) => unknown> = {
    __proto__: null as never,
    exec: (expression: unknown) => this.#exec(expression),
    list: async (around: number = LISTED_LINES) => {
      const { location } = this.#program.frame;
      this.#say(await this.#program.snippet(location, around));
    },
    scripts: (all?: boolean) => this.#say(this.#program.scriptList(all === true)),
    setContextLineNumber: (lines: unknown) => this.#setContextLines(lines),
    setBreakpoint: (script?: unknown, line?: unknown, condition?: string) =>
      this.#setBreakpoint(script, line, condition),
    clearBreakpoint: async (script: unknown, line: number) => {
      const name = `${script as string}`;
      if (!(await this.#program.clear(name, line - 1))) this.#say(`Could not find breakpoint at ${name}:${line}`);
    },
    setPauseOnExceptions: (state: string) => this.#program.stopAtExceptions(state),
    watch: (expression: unknown) => {
      validateString(expression, "expression");
      if (!this.#program.watched.includes(expression)) this.#program.watched.push(expression);
    },
    unwatch: (which: unknown) => {
      const { watched } = this.#program;
      const index = typeof which === "number" ? which : watched.indexOf(`${which as string}`);
      if (index >= 0) watched.splice(index, 1);
    },
    takeHeapSnapshot: (file?: string) => this.#profiles.takeHeapSnapshot(file),
  };

  #say(text: string): void {
    if (text !== "") this.#print(text);
  }

  async #go(command: string): Promise<void> {
    const { connection } = this.#program;
    try {
      await connection.send(`Debugger.${command}`);
    } catch (error) {
      // It went on and ended before it could answer.
      if (this.#program.isConnected) throw error;
    }
  }

  async #version(): Promise<void> {
    const { result } = await this.#program.send("Runtime.evaluate", {
      expression: "process.versions.v8",
      returnByValue: true,
    });
    this.#say((result as { value: string }).value);
  }

  #setContextLines(lines: unknown): void {
    if (typeof lines !== "number") throw new codes.ERR_INVALID_ARG_TYPE("delta", "number", lines);
    if (!Number.isInteger(lines)) throw new codes.ERR_OUT_OF_RANGE("delta", "an integer", lines);
    if (lines < 1) throw new codes.ERR_OUT_OF_RANGE("delta", ">= 1", lines);
    this.#program.contextLines = lines;
  }

  /**
   * `()`: at the current line; `(line)`: in the current script; `("f()")`: where a function is called; `(script, line, condition)`: in a
   * script, which may not be there yet. Lines count from 1.
   */
  async #setBreakpoint(script: unknown, line: unknown, condition: string | undefined): Promise<void> {
    const program = this.#program;
    if (typeof script === "string" && script.endsWith("()")) return program.setAtCall(script.slice(0, -2));
    const number = typeof script === "number" ? script : line;
    if (script !== undefined && (typeof number !== "number" || !(number >= 1))) {
      throw refusal("Line should be a positive value");
    }
    const lineNumber = (number as number) - 1;
    if (script === undefined || typeof script === "number") {
      const { location } = program.frame;
      const place = script === undefined ? location : { scriptId: location.scriptId, lineNumber };
      const text = typeof script === "number" && typeof line === "string" ? line : condition;
      this.#say(await program.snippet(await program.setAt(place, text), LISTED_LINES));
      return;
    }
    validateString(script, "script");
    const place = await program.setIn(script, lineNumber, condition);
    if (place === undefined) this.#say(`Warning: script '${script}' was not loaded yet.`);
    else this.#say(await program.snippet(place, LISTED_LINES));
  }

  #typeProgram(): void {
    void this.#program.connection;
    this.#isTypingProgram = true;
    this.#last = "";
    this.#say("Press Ctrl+C to leave debug repl");
    const repl = this.#repl! as REPLServer & Listeners;
    repl.setPrompt("> ");
    const listeners = repl.listeners("SIGINT") as (() => void)[];
    repl.removeAllListeners("SIGINT");
    repl.once("SIGINT", () => {
      for (const listener of listeners) repl.on("SIGINT", listener);
      this.#isTypingProgram = false;
      this.#last = "";
      repl.setPrompt("debug> ");
      process.stdout.write("\n");
      repl.displayPrompt();
    });
  }

  /** Gives a context of the REPL the commands. */
  #define(context: Record<string, unknown>): void {
    const names = [...Object.keys(this.#properties), ...Object.keys(this.#functions), ...Object.keys(ALIASES)];
    for (const name of names) {
      const full = ALIASES[name] ?? name;
      const property = this.#properties[full];
      Object.defineProperty(context, name, {
        configurable: true,
        enumerable: true,
        ...(property === undefined
          ? { value: this.#noting(this.#functions[full]!), writable: true }
          : { get: this.#noting(property) }),
      });
    }
    for (const domain of DOMAINS) {
      Object.defineProperty(context, domain, { configurable: true, value: this.#domain(domain) });
    }
  }

  /** A domain of the protocol: each property is a command; `on` and `off` are for its events. */
  #domain(domain: string): object {
    const program = this.#program;
    return new Proxy(
      { [inspect.custom as unknown as string]: () => `[${domain}]` },
      {
        get(target, name) {
          if (typeof name === "symbol" || name === "then") return Reflect.get(target, name) as unknown;
          if (name === "on" || name === "off") {
            return (event: string, listener: (params: Fields) => void) =>
              void program.connection[name](`${domain}.${event}`, listener);
          }
          return (params?: Fields) => program.send(`${domain}.${name}`, params);
        },
      },
    );
  }
}
