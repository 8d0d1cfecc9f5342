// The table of built-ins: commands that run without a process.

import { cat, cp, ls, mkdir, mv, rm, touch } from "internal/shell/builtins/files";
import { basename, dirname, echo, printf, seq, which, yes } from "internal/shell/builtins/text";
import * as environment from "internal/shell/builtins/environment";
import * as control from "internal/shell/builtins/control";
import { test } from "internal/shell/builtins/test";

import type { Interpreter } from "internal/shell/interpreter";

/** A built-in: `words` with its name first; the exit status. May throw a ShellFailure or DescriptorError. */
type Builtin = (shell: Interpreter, words: string[]) => number | Promise<number>;

const BUILTINS = new Map<string, Builtin>(
  Object.entries({
    ":": control.success,
    ".": control.source,
    "[": test,
    basename,
    break: control.breakLoop,
    cat,
    cd: environment.cd,
    command: control.command,
    continue: control.continueLoop,
    cp,
    dirname,
    echo,
    eval: control.evaluate,
    exec: control.exec,
    exit: control.exit,
    export: environment.exportVariables,
    false: control.failure,
    getopts: environment.getopts,
    hash: control.hash,
    kill: control.kill,
    local: environment.local,
    ls,
    mkdir,
    mv,
    printf,
    pwd: environment.pwd,
    read: environment.read,
    readonly: environment.makeReadonly,
    return: control.returnFunction,
    rm,
    seq,
    set: environment.set,
    shift: environment.shift,
    source: control.source,
    test,
    touch,
    trap: control.trap,
    true: control.success,
    type: control.type,
    umask: environment.umask,
    unset: environment.unset,
    wait: control.wait,
    which,
    yes,
  }),
);

/** Options that a built-in leaves to the program of its name. */
const LEFT_TO_PROGRAM: Record<string, RegExp> = {
  cat: /^-(?!u*$)./,
  cp: /^-(?![RrafvpnP]+$)./,
  kill: /^(?!-|\d|%)/,
};

/** The built-in that a command is; undefined for a program. */
export function builtinOf(name: string, words: readonly string[]): Builtin | undefined {
  const builtin = BUILTINS.get(name);
  if (builtin === undefined) return undefined;
  const left = LEFT_TO_PROGRAM[name];
  if (left !== undefined) {
    for (let i = 1; i < words.length && words[i] !== "--"; i++) if (left.test(words[i]!)) return undefined;
  }
  return builtin;
}

/** Whether there is a built-in of that name. */
export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name);
}
