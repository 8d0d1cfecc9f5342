// What a shell environment is: variables, parameters, functions, options, the working directory. A subshell has a copy.

import { ShellFailure } from "internal/shell/errors";

import type { Command } from "internal/shell/ast";

interface Variable {
  value: string | undefined;
  exported: boolean;
  readonly: boolean;
}

/** A list in the background. */
interface Job {
  /** The process of its first program, or a number that no process has: known once that has started, or the job has ended. */
  number: Promise<number>;
  known: number | undefined;
  status: Promise<number>;
}

/** Options of `set`, by their letters and names. */
const OPTIONS: Record<string, string> = {
  a: "allexport",
  C: "noclobber",
  e: "errexit",
  f: "noglob",
  n: "noexec",
  u: "nounset",
  x: "xtrace",
};

/** What else `set -o` knows: `posix` splits and globs the values of variables, as other shells do. */
const LONG_OPTIONS = ["pipefail", "posix"];

class State {
  /** The environment that the shell was started with; its variables are exported. */
  base: Record<string, string | undefined>;
  variables = new Map<string, Variable>();
  functions = new Map<string, Command>();
  options = new Set<string>();
  traps = new Map<string, string>();
  cwd: string;
  zero: string;
  parameters: string[];
  status = 0;
  /** What was started in the background last. */
  background: Job | undefined;
  /** For each function that runs the variables that are local to it, with what they hide. */
  locals: Array<Map<string, Variable | undefined>> = [];
  /** Whether a variable that is exported was changed: then the child's environment has to be made. */
  changed = false;

  constructor(base: Record<string, string | undefined>, cwd: string, zero: string, parameters: string[]) {
    this.base = base;
    this.cwd = cwd;
    this.zero = zero;
    this.parameters = parameters;
  }

  /** The state of a subshell. Traps are those of the shell that set them. */
  copy(): State {
    const copy = new State(this.base, this.cwd, this.zero, this.parameters);
    if (this.variables.size > 0)
      for (const [name, variable] of this.variables) copy.variables.set(name, { ...variable });
    copy.functions = new Map(this.functions);
    copy.options = new Set(this.options);
    copy.status = this.status;
    copy.background = this.background;
    copy.locals = this.locals.map((scope) => new Map(scope));
    copy.changed = this.changed;
    return copy;
  }

  get(name: string): string | undefined {
    const variable = this.variables.get(name);
    if (variable !== undefined) return variable.value;
    if (name === "PWD") return this.cwd;
    if (name === "OPTIND") return "1";
    return this.base[name];
  }

  #own(name: string): Variable {
    let variable = this.variables.get(name);
    if (variable === undefined) {
      const value = this.base[name];
      variable = { value, exported: value !== undefined, readonly: false };
      this.variables.set(name, variable);
    }
    return variable;
  }

  set(name: string, value: string): void {
    const variable = this.#own(name);
    if (variable.readonly) throw new ShellFailure(`${name}: readonly variable`, this.posix ? 2 : 1, this.posix);
    variable.value = value;
    if (this.options.has("allexport")) variable.exported = true;
    if (variable.exported) this.changed = true;
  }

  unset(name: string): void {
    const variable = this.#own(name);
    if (variable.readonly) throw new ShellFailure(`${name}: cannot unset: readonly variable`);
    variable.value = undefined;
    variable.exported = false;
    this.changed = true;
  }

  export(name: string, on = true): void {
    this.#own(name).exported = on;
    this.changed = true;
  }

  makeReadonly(name: string): void {
    this.#own(name).readonly = true;
  }

  /** Makes a variable local to the function that runs. */
  makeLocal(name: string): void {
    const scope = this.locals.at(-1)!;
    if (scope.has(name)) return;
    const variable = this.variables.get(name);
    scope.set(name, variable && { ...variable });
    this.variables.set(name, { value: undefined, exported: variable?.exported ?? false, readonly: false });
  }

  /** Puts back what the locals of a function hid. */
  leaveFunction(): void {
    for (const [name, variable] of this.locals.pop()!) {
      if (variable === undefined) this.variables.delete(name);
      else this.variables.set(name, variable);
      this.changed = true;
    }
  }

  /** The names and values of the variables that programs get. */
  environment(): Map<string, string> {
    const all = new Map<string, string>();
    for (const name in this.base) {
      const value = this.base[name];
      if (value !== undefined) all.set(name, `${value}`);
    }
    for (const [name, { value, exported }] of this.variables) {
      if (exported && value !== undefined) all.set(name, value);
      else all.delete(name);
    }
    return all;
  }

  /** What splits words: IFS. */
  get separators(): string {
    return this.get("IFS") ?? " \t\n";
  }

  get posix(): boolean {
    return this.options.has("posix");
  }
}

export type { Job };
export { LONG_OPTIONS, OPTIONS, State };
