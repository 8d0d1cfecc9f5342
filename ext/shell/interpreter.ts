// Runs commands. Each shell environment is an Interpreter: the shell itself, its subshells, the parts of a pipeline, command
// substitutions. All of them share one Run.

import { expandPattern, expandText, expandValue, expandWord } from "internal/shell/expand";
import { Collector, Descriptor, DescriptorError, FileDescriptor, makePipe } from "internal/shell/descriptors";
import { testCondition } from "internal/shell/conditions";
import { GlobError, glob } from "internal/shell/glob";
import { assignmentOf } from "internal/shell/words";
import { matcher } from "internal/shell/pattern";
import { Exit, Jump, ShellFailure, describe, messageOf } from "internal/shell/errors";
import { openRedirection } from "internal/shell/redirect";
import { startProgram } from "internal/shell/program";
import { builtinOf } from "internal/shell/builtins";

import type { Command, Compound, List, Pipeline, Redirection, Simple, Word } from "internal/shell/ast";
import type { Expansion, Request } from "internal/shell/expand";
import type { Job, State } from "internal/shell/state";

const ENOENT = -2;
const EACCES = -13;
const ENOTDIR = -20;
const ENAMETOOLONG = -36;
/** So deep functions and substitutions may call each other. */
const MAX_CALLS = 1000;

/** What all environments of one call of the shell share. */
interface Run {
  /** Numbers of the programs that run, for the native half. */
  programs: Set<number>;
  /** Set when the run is given up: nothing is started any more. */
  aborted: unknown;
  /** Its end is told to nobody. */
  isAbandoned?: boolean;
  background: Set<Promise<unknown>>;
  calls: number;
}

/** The descriptors of a command by their numbers. */
type Descriptors = Map<number, Descriptor>;

class Interpreter {
  run: Run;
  state: State;
  descriptors: Descriptors;
  /** Above 0 where a failure is a condition and does not end the shell under `set -e`. */
  #conditions = 0;
  /** Loops around the command that runs. */
  loops = 0;
  /** What runs in the background of this environment, and what has ended and was not waited for. */
  jobs: Job[] = [];
  /** Ends the process in place of a program: `exec`. */
  #owned: Descriptor[] = [];

  constructor(run: Run, state: State, descriptors: Descriptors) {
    this.run = run;
    this.state = state;
    this.descriptors = descriptors;
  }

  /** An environment for a part of this one, with its own copy of everything. */
  #fork(changes?: Array<[number, Descriptor]>): Interpreter {
    const descriptors: Descriptors = new Map(this.descriptors);
    for (const [fd, descriptor] of changes ?? []) descriptors.set(fd, descriptor);
    const fork = new Interpreter(this.run, this.state.copy(), descriptors);
    fork.#conditions = this.#conditions;
    return fork;
  }

  // Expansion.

  /** Runs an expansion; a promise only where it has to wait. */
  expand<T>(expansion: Expansion<T>): T | Promise<T> {
    const first = expansion.next();
    return first.done ? first.value : this.#expandRest(expansion, first.value);
  }

  async #expandRest<T>(expansion: Expansion<T>, request: Request): Promise<T> {
    for (;;) {
      let answer: unknown;
      let failed = false;
      try {
        if ("body" in request) answer = await this.#substitute(request.body);
        else answer = await ("job" in request ? request.job.number : this.#glob(request.pattern));
      } catch (error) {
        answer = error;
        failed = true;
      }
      const next = failed ? expansion.throw(answer) : expansion.next(answer);
      if (next.done) return next.value;
      request = next.value;
    }
  }

  async #glob(pattern: string): Promise<string[] | undefined> {
    try {
      const names = await glob(this.state.cwd, pattern);
      return names.length === 0 ? undefined : names;
    } catch (error) {
      if (!(error instanceof GlobError)) throw error;
      throw new ShellFailure(`${messageOf(error.code)}: ${error.path.replace(/(.)\/$/, "$1")}`);
    }
  }

  /** The output of `$(...)`. */
  async #substitute(body: List): Promise<string> {
    const output = new Collector();
    const fork = this.#fork([[1, output]]);
    this.state.status = await fork.environment(body);
    // No value has NUL in it, since no program could be given it.
    return output.text().replaceAll("\0", "");
  }

  async arguments(words: readonly Word[]): Promise<string[]> {
    const out: string[] = [];
    const declares = words.length > 1 && DECLARATIONS.has(words[0]!.plain ?? "");
    for (const word of words) {
      const changes = word.plain === undefined || word.plain.includes("~");
      const assignment = declares && changes ? assignmentOf(word) : undefined;
      if (assignment !== undefined) {
        // `export x=$y`: what is assigned is not split.
        out.push(`${assignment.name}=${await this.expand(expandValue(this.state, assignment.value))}`);
        continue;
      }
      const waiting = this.expand(expandWord(this.state, word, out));
      if (waiting !== undefined) await waiting;
    }
    return out;
  }

  // Commands.

  /** Runs a list as a whole environment: with its end, its traps, and `exit`. The status. */
  async environment(body: List): Promise<number> {
    const { state } = this;
    try {
      await this.list(body);
    } catch (error) {
      this.#ended(error);
    }
    const trap = state.traps.get("EXIT");
    if (trap !== undefined) {
      state.traps.delete("EXIT");
      const status = state.status;
      try {
        await this.evaluate(trap);
        state.status = status;
      } catch (error) {
        this.#ended(error);
      }
    }
    for (const descriptor of this.#owned) descriptor.release();
    for (const [signal, listener] of this.#listeners) process.removeListener(signal, listener);
    return state.status;
  }

  #ended(error: unknown): void {
    if (error instanceof Exit) this.state.status = error.code;
    else if (error instanceof Jump) this.state.status = error.code;
    else throw error;
  }

  /** Runs a text of commands in this environment: `eval`, `.`, traps. */
  async evaluate(text: string): Promise<number> {
    const { parse } = require("internal/shell/parser");
    const { Source } = require("internal/shell/source");
    let body: List;
    try {
      body = parse(new Source(text));
    } catch (error) {
      throw new ShellFailure((error as Error).message, 2);
    }
    if (body.items.length === 0) this.state.status = 0;
    await this.list(body);
    return this.state.status;
  }

  async list(list: List): Promise<number> {
    for (const { command, background } of list.items) {
      if (background) this.#background(command);
      else await this.command(command);
      if (this.#pending.length > 0) await this.#runTraps();
    }
    return this.state.status;
  }

  #background(command: Command): void {
    const { state, run } = this;
    const held = [...this.descriptors.values()].map((descriptor) => descriptor.hold());
    const input = new FileDescriptor(native("fs").openSync("/dev/null", 0, 0), true);
    const fork = this.#fork([[0, input]]);
    const started = Promise.withResolvers<number | undefined>();
    fork.onStart = started.resolve;
    const job = fork
      .environment({ kind: "list", items: [{ command, background: false }] })
      .catch((error) => {
        run.aborted ??= error;
        return 1;
      })
      .finally(() => {
        started.resolve(undefined);
        input.release();
        for (const descriptor of held) descriptor.release();
        run.background.delete(job);
      });
    run.background.add(job);
    // A program is known by its process, what needs none by a number that no process has.
    const number = started.promise.then((pid) => (entry.known = pid ?? nextJob()));
    const entry: Job = { number, known: undefined, status: job };
    state.background = entry;
    this.jobs.push(entry);
    state.status = 0;
  }

  /** Told of the first program that this environment starts. */
  onStart: ((pid: number) => void) | undefined;

  /** Runs one command; its status is the state's. */
  async command(command: Command): Promise<number> {
    const { state } = this;
    if (this.run.aborted !== undefined) throw this.run.aborted;
    if (state.options.has("noexec")) return state.status;
    switch (command.kind) {
      case "list":
        return this.list(command);
      case "simple": {
        const waiting = command.still && !state.posix ? this.#still(command) : this.simple(command);
        if (waiting !== undefined) await waiting;
        this.#checkError();
        return state.status;
      }
      case "and":
      case "or": {
        this.#conditions++;
        try {
          await this.command(command.left);
        } finally {
          this.#conditions--;
        }
        if ((state.status === 0) === (command.kind === "and")) await this.command(command.right);
        return state.status;
      }
      case "pipeline":
        return this.#pipeline(command);
      case "function":
        if (state.posix && SPECIAL.has(command.name)) {
          await this.fail(new ShellFailure(`${command.name}: a special built-in cannot be a function`, 2, true));
        }
        state.functions.set(command.name, command.body);
        state.status = 0;
        return 0;
      default:
        try {
          await this.#redirected(command.redirections, command.kind, () => this.#compound(command));
        } catch (error) {
          await this.fail(error);
        }
        if (command.kind === "subshell" || command.kind === "condition") this.#checkError();
        return state.status;
    }
  }

  /** `set -e`. */
  #checkError(): void {
    const { state } = this;
    if (state.status !== 0 && this.#conditions === 0 && state.options.has("errexit")) throw new Exit(state.status);
  }

  async #condition(list: List): Promise<boolean> {
    this.#conditions++;
    try {
      return (await this.list(list)) === 0;
    } finally {
      this.#conditions--;
    }
  }

  async #compound(command: Compound): Promise<void> {
    const { state } = this;
    switch (command.kind) {
      case "group":
        await this.list(command.body);
        return;
      case "subshell":
        state.status = await this.#fork().environment(command.body);
        return;
      case "if":
        for (const { condition, body } of command.branches) {
          if (!(await this.#condition(condition))) continue;
          await this.list(body);
          return;
        }
        state.status = 0;
        if (command.otherwise !== undefined) await this.list(command.otherwise);
        return;
      case "while": {
        let status = 0;
        await this.#loop(async () => {
          if ((await this.#condition(command.condition)) === command.until) return false;
          status = await this.list(command.body);
          return true;
        });
        if (!this.#jumped) state.status = status;
        return;
      }
      case "for": {
        const words = command.words === undefined ? [...state.parameters] : await this.arguments(command.words);
        let i = 0;
        state.status = 0;
        await this.#loop(async () => {
          if (i >= words.length) return false;
          state.set(command.name, words[i++]!);
          await this.list(command.body);
          return true;
        });
        return;
      }
      case "case": {
        const text = await this.expand(expandText(state, command.word));
        state.status = 0;
        let falls = false;
        for (const item of command.items) {
          let matches = falls;
          for (const pattern of matches ? [] : item.patterns) {
            matches = matcher(await this.expand(expandPattern(state, pattern)))(text);
            if (matches) break;
          }
          if (!matches) continue;
          await this.list(item.body);
          falls = item.falls;
          if (!falls) return;
        }
        return;
      }
      case "condition":
        state.status = (await testCondition(this, command.expression)) ? 0 : 1;
    }
  }

  /** Whether the last loop was left by `break`. */
  #jumped = false;

  async #loop(step: () => Promise<boolean>): Promise<void> {
    this.loops++;
    this.#jumped = false;
    let jumped = false;
    try {
      for (let turn = 0; ; turn++) {
        // A loop of built-ins gives the rest of the program its turns.
        if (turn % 256 === 255) await new Promise<void>((resolve) => setImmediate(resolve));
        if (this.run.aborted !== undefined) throw this.run.aborted;
        try {
          if (!(await step())) break;
        } catch (error) {
          if (!(error instanceof Jump) || error.kind === "return") throw error;
          this.state.status = 0;
          if (error.levels > 1 && this.loops > 1) throw new Jump(error.kind, error.levels - 1);
          if (error.kind === "continue") continue;
          jumped = true;
          break;
        }
      }
    } finally {
      this.loops--;
    }
    this.#jumped = jumped;
  }

  async #pipeline(pipeline: Pipeline): Promise<number> {
    const { state } = this;
    const { commands, negated, both } = pipeline;
    if (negated) this.#conditions++;
    try {
      if (commands.length === 1) {
        await this.command(commands[0]!);
      } else {
        const statuses = await this.#piped(commands, both);
        state.status = statuses.at(-1)!;
        if (state.options.has("pipefail")) state.status = statuses.findLast((status) => status !== 0) ?? 0;
      }
    } finally {
      if (negated) this.#conditions--;
    }
    if (negated) state.status = state.status === 0 ? 1 : 0;
    else if (commands.length > 1) this.#checkError();
    return state.status;
  }

  async #piped(commands: readonly Command[], both: readonly boolean[]): Promise<number[]> {
    const running: Array<Promise<number>> = [];
    // Assignments by themselves are no part of a pipeline, as in Bun: what is written before them goes to what comes after.
    const kept = commands.filter((command) => !isAssignment(command));
    if (kept.length < commands.length && !this.state.posix) {
      if (kept.length === 0) return [0];
      commands = kept;
    }
    let input: FileDescriptor | undefined;
    for (let i = 0; i < commands.length; i++) {
      const changes: Array<[number, Descriptor]> = [];
      const mine: Descriptor[] = [];
      if (input !== undefined) {
        changes.push([0, input]);
        mine.push(input);
        input = undefined;
      }
      if (i < commands.length - 1) {
        const { reader, writer } = makePipe();
        input = reader;
        changes.push([1, writer]);
        mine.push(writer);
        if (both[i]) changes.push([2, writer]);
      }
      const fork = this.#fork(changes);
      fork.onStart = this.onStart;
      const body: List = { kind: "list", items: [{ command: commands[i]!, background: false }] };
      running.push(
        fork.environment(body).finally(() => {
          for (const descriptor of mine) descriptor.release();
        }),
      );
    }
    return Promise.all(running);
  }

  // Simple commands.

  /** Runs `action` with redirections in place. A redirection that fails is the command's failure. */
  async #redirected(redirections: readonly Redirection[], name: string, action: () => Promise<void>): Promise<void> {
    if (redirections.length === 0) return action();
    const before = this.descriptors;
    const opened: Descriptor[] = [];
    this.descriptors = new Map(before);
    try {
      for (const redirection of redirections) {
        await openRedirection(this, redirection, name, opened);
      }
    } catch (error) {
      this.descriptors = before;
      for (const descriptor of opened) descriptor.release();
      await this.fail(error);
      this.#checkError();
      return;
    }
    try {
      await action();
    } finally {
      if (this.#kept) {
        this.#kept = false;
        this.#owned.push(...opened);
      } else {
        this.descriptors = before;
        for (const descriptor of opened) descriptor.release();
      }
    }
  }

  /** The message and the status of a failure that is the script's. Others are thrown on. */
  async fail(error: unknown): Promise<void> {
    if (!(error instanceof ShellFailure)) throw error;
    this.state.status = error.code;
    await this.complain(`bun: ${error.message}\n`);
    if (error.fatal) throw new Exit(error.code);
  }

  async complain(text: string): Promise<void> {
    try {
      await this.descriptors.get(2)?.write(text);
    } catch (error) {
      if (!(error instanceof DescriptorError)) throw error;
    }
  }

  /** A simple command of which nothing but the built-in itself may wait; a promise only where that does. */
  #still(command: Simple): void | Promise<void> {
    const { state } = this;
    const words: string[] = [];
    try {
      for (const word of command.words) void this.expand(expandWord(state, word, words));
      if (command.words.length === 0) {
        state.status = 0;
        for (const { name, append, value } of command.assignments) {
          const text = this.expand(expandValue(state, value)) as string;
          state.set(name, append ? (state.get(name) ?? "") + text : text);
        }
        return undefined;
      }
    } catch (error) {
      return this.fail(error);
    }
    if (words.length === 0) {
      state.status = 0;
      return undefined;
    }
    if (state.options.has("xtrace")) return this.#trace(words).then(() => this.#invoke(command, words));
    if (state.functions.has(words[0]!)) return this.#invoke(command, words);
    return this.invoke(words, NOTHING);
  }

  async simple(command: Simple): Promise<void> {
    const { state } = this;
    let words: string[];
    const before = state.status;
    try {
      words = await this.arguments(command.words);
    } catch (error) {
      await this.fail(error);
      return;
    }
    if (words.length === 0) {
      if (command.words.length === 0) state.status = 0;
      else if (command.words.every((word) => word.parts.every((part) => part.kind !== "command"))) state.status = 0;
      await this.#redirected(command.redirections, "", () => this.#assign(command));
      return;
    }
    state.status = before;
    // Before the redirections: it goes where the errors of the shell go.
    if (state.options.has("xtrace")) await this.#trace(words);
    await this.#redirected(command.redirections, words[0]!, () => this.#invoke(command, words));
  }

  /** `set -x`. */
  #trace(words: readonly string[]): Promise<void> {
    return this.complain(`+ ${words.join(" ")}\n`);
  }

  async #assign(command: Simple): Promise<void> {
    try {
      for (const { name, append, value } of command.assignments) {
        const text = await this.expand(expandValue(this.state, value));
        this.state.set(name, append ? (this.state.get(name) ?? "") + text : text);
      }
    } catch (error) {
      await this.fail(error);
    }
  }

  async #invoke(command: Simple, words: string[]): Promise<void> {
    const { state } = this;
    const name = words[0]!;
    const temporary = new Map<string, string>();
    let restore: (() => void) | undefined;
    try {
      // Each sees those before it.
      if (command.assignments.length > 1) {
        restore = this.#keepVariables(command.assignments.map(({ name: variable }) => variable));
      }
      for (const { name: variable, value } of command.assignments) {
        const text = await this.expand(expandValue(state, value));
        temporary.set(variable, text);
        if (restore !== undefined) state.set(variable, text);
      }
    } catch (error) {
      restore?.();
      return this.fail(error);
    }
    restore?.();
    // POSIX: assignments before a special built-in stay.
    if (state.posix && temporary.size > 0 && SPECIAL.has(name)) {
      try {
        for (const [variable, value] of temporary) state.set(variable, value);
        // What the built-in does to them stays, too; a program in the place of the shell still gets them.
        if (name !== "exec") temporary.clear();
      } catch (error) {
        return this.fail(error);
      }
    }
    const body = state.functions.get(name);
    if (body !== undefined) {
      await this.#call(body, words, temporary);
      return;
    }
    await this.invoke(words, temporary);
  }

  /** Runs a built-in or a program. */
  invoke(words: string[], temporary: Map<string, string>): void | Promise<void> {
    const { state } = this;
    const name = words[0]!;
    const builtin = builtinOf(name, words);
    if (builtin === undefined) return this.#program(words, temporary);
    if (temporary.size > 0) return this.#builtin(name, () => builtin(this, words), temporary);
    let result: number | Promise<number>;
    try {
      result = builtin(this, words);
    } catch (error) {
      return this.#builtin(name, () => Promise.reject(error), temporary);
    }
    if (typeof result === "number") {
      state.status = result;
      return undefined;
    }
    return this.#builtin(name, () => result, temporary);
  }

  async #builtin(name: string, run: () => number | Promise<number>, temporary: Map<string, string>): Promise<void> {
    const { state } = this;
    const hidden = this.#hide(temporary);
    try {
      state.status = await run();
    } catch (error) {
      if (error instanceof DescriptorError) {
        // Nobody reads any more: a program would be ended by SIGPIPE.
        state.status = error.errno === -32 ? 141 : 1;
        if (error.errno !== -32 && error.errno !== -125) await this.complain(`${name}: ${describe(error.errno)}\n`);
      } else if (error instanceof ShellFailure) {
        state.status = error.code;
        await this.complain(`${name}: ${error.message}\n`);
        if (error.fatal) throw new Exit(error.code);
      } else {
        throw error;
      }
    } finally {
      hidden?.();
    }
  }

  /** A function that puts back what variables were. */
  #keepVariables(names: readonly string[]): () => void {
    const { state } = this;
    const kept = names.map((name) => {
      const variable = state.variables.get(name);
      return [name, variable && { ...variable }] as const;
    });
    const { changed } = state;
    return () => {
      for (const [name, variable] of kept) {
        if (variable === undefined) state.variables.delete(name);
        else state.variables.set(name, variable);
      }
      state.changed = changed;
    };
  }

  /** Sets variables for the time of a built-in or a function, and exports them; the result puts back what was. */
  #hide(temporary: Map<string, string>): (() => void) | undefined {
    if (temporary.size === 0) return undefined;
    const { state } = this;
    const restore = this.#keepVariables([...temporary.keys()]);
    for (const [name, value] of temporary) {
      state.set(name, value);
      state.export(name);
    }
    return restore;
  }

  async #call(body: Command, words: string[], temporary: Map<string, string>): Promise<void> {
    const { state, run } = this;
    if (++run.calls > MAX_CALLS) {
      run.calls--;
      return this.fail(
        new ShellFailure(`${words[0]}: maximum function nesting level exceeded (${MAX_CALLS})`, 1, true),
      );
    }
    const parameters = state.parameters;
    const loops = this.loops;
    state.parameters = words.slice(1);
    state.locals.push(new Map());
    this.loops = 0;
    const hidden = this.#hide(temporary);
    try {
      await this.command(body);
    } catch (error) {
      if (!(error instanceof Jump) || error.kind !== "return") throw error;
      state.status = error.code;
    } finally {
      state.leaveFunction();
      hidden?.();
      state.parameters = parameters;
      this.loops = loops;
      run.calls--;
    }
  }

  async #program(words: string[], temporary: Map<string, string>): Promise<void> {
    const { state } = this;
    const name = words[0]!;
    const result = await startProgram(this, words, temporary);
    if (result >= 0) {
      state.status = result;
      return;
    }
    const missing = result === ENOENT || result === EACCES || result === ENOTDIR || result === ENAMETOOLONG;
    state.status = missing ? (state.posix ? (result === EACCES ? 126 : 127) : 1) : 1;
    await this.complain(missing ? `bun: command not found: ${name}\n` : `bun: ${describe(result)}: ${name}\n`);
  }

  /** Makes the descriptors of the command that runs those of the environment, until it ends: `exec > file`. */
  keepDescriptors(): void {
    this.#kept = true;
  }

  #kept = false;

  /** Whether the script is a program of its own: then it may trap signals. */
  ownsProcess = false;

  /** Runs `action` whenever the process gets a signal; "" takes no notice of it, undefined restores what the signal does. */
  trapSignal(name: string, action: string | undefined): boolean {
    if (!this.ownsProcess) return false;
    const signal = `SIG${name}`;
    const before = this.#listeners.get(signal);
    if (before !== undefined) process.removeListener(signal, before);
    this.#listeners.delete(signal);
    // Nothing catches these two; other shells say nothing about it either.
    if (action === undefined || name === "KILL" || name === "STOP") return true;
    const listener = () => {
      this.#pending.push(action);
    };
    this.#listeners.set(signal, listener);
    process.on(signal, listener);
    return true;
  }

  #listeners = new Map<string, () => void>();
  /** Actions of traps whose signals came: they run between two commands. */
  #pending: string[] = [];

  async #runTraps(): Promise<void> {
    while (this.#pending.length > 0) {
      const action = this.#pending.shift()!;
      const { status } = this.state;
      if (action !== "") await this.evaluate(action);
      this.state.status = status;
    }
  }
}

function isAssignment(command: Command): boolean {
  return command.kind === "simple" && command.words.length + command.redirections.length === 0;
}

/** Built-ins that POSIX calls special. */
const SPECIAL = new Set(
  ". : break continue eval exec exit export readonly return set shift times trap unset".split(" "),
);

/** Built-ins whose operands are assignments. */
const DECLARATIONS = new Set(["export", "readonly", "local"]);

const NOTHING = new Map<string, string>();

let jobs = 1 << 22;

function nextJob(): number {
  return ++jobs;
}

export { Interpreter, SPECIAL };
export type { Run };
