// Built-ins that change what runs: exit, return, break, eval, exec, trap, wait, kill, command, type.

import { complain, print, printed, refused, systemPath } from "internal/shell/builtins/common";
import { findProgram } from "internal/shell/builtins/text";
import { decode } from "internal/shell/bytes";
import { Exit, Jump } from "internal/shell/errors";
import { ShellFailure } from "internal/shell/errors";

import type { Interpreter } from "internal/shell/interpreter";

const RESERVED = new Set("if then elif else fi while until for do done case esac ! [[ { }".split(" "));

export function success(): number {
  return 0;
}

export function failure(): number {
  return 1;
}

export function exit(shell: Interpreter, words: string[]): number | Promise<number> {
  if (words.length > 2) return refused(shell, "exit: too many arguments\n");
  if (words.length === 1) throw new Exit(shell.state.status);
  if (!/^\d+$/.test(words[1]!)) return refused(shell, "exit: numeric argument required\n");
  throw new Exit(Number(BigInt.asUintN(8, BigInt(words[1]!))));
}

export function returnFunction(shell: Interpreter, words: string[]): number {
  const code = words[1] === undefined ? shell.state.status : Number(words[1]) & 255;
  throw new Jump("return", 1, code);
}

function levels(shell: Interpreter, words: string[]): number {
  const count = words[1] === undefined ? 1 : Number(words[1]);
  if (!Number.isInteger(count) || count < 1) throw new ShellFailure(`${words[1]}: numeric argument required`, 2, true);
  return Math.min(count, shell.loops);
}

export function breakLoop(shell: Interpreter, words: string[]): number {
  const count = levels(shell, words);
  if (shell.loops === 0) return 0;
  throw new Jump("break", count);
}

export function continueLoop(shell: Interpreter, words: string[]): number {
  const count = levels(shell, words);
  if (shell.loops === 0) return 0;
  throw new Jump("continue", count);
}

export function evaluate(shell: Interpreter, words: string[]): Promise<number> {
  return shell.evaluate(words.slice(1).join(" "));
}

/** `. file`: in this environment; a name without a slash is looked for in PATH, then here. */
export async function source(shell: Interpreter, words: string[]): Promise<number> {
  const { state } = shell;
  const name = words[1];
  if (name === undefined) return refused(shell, `usage: ${words[0]} file [arguments]\n`, 2);
  const path = (name.includes("/") ? undefined : findProgram(shell, name, undefined, 4)) ?? name;
  let text: string;
  try {
    text = decode(await native("fs").readFile(systemPath(shell, path), 0));
  } catch (error) {
    const { messageOf } = require("internal/shell/errors");
    throw new ShellFailure(`${name}: ${messageOf((error as NodeError).code)}`);
  }
  const parameters = state.parameters;
  if (words.length > 2) state.parameters = words.slice(2);
  try {
    return await shell.evaluate(text);
  } catch (error) {
    if (!(error instanceof Jump) || error.kind !== "return") throw error;
    return error.code;
  } finally {
    if (words.length > 2) state.parameters = parameters;
  }
}

/** `exec`: redirections stay; a command takes the place of the rest of the environment. */
export async function exec(shell: Interpreter, words: string[]): Promise<number> {
  const operands = words[1] === "--" ? words.slice(2) : words.slice(1);
  if (operands.length === 0) {
    shell.keepDescriptors();
    return 0;
  }
  await shell.invoke(operands, new Map());
  throw new Exit(shell.state.status);
}

export async function command(shell: Interpreter, words: string[]): Promise<number> {
  const { state } = shell;
  if (words[1] === "-v" || words[1] === "-V") {
    let status = 0;
    for (const name of words.slice(2)) status = (await told(shell, name, words[1] === "-V")) ? status : 1;
    return status;
  }
  const operands = words.slice(words[1] === "-p" || words[1] === "--" ? 2 : 1);
  if (operands.length === 0) return 0;
  const temporary = new Map<string, string>();
  if (words[1] === "-p") {
    const path = findProgram(shell, operands[0]!, "/usr/bin:/bin:/usr/sbin:/sbin");
    if (path !== undefined) operands[0] = path;
  }
  await shell.invoke(operands, temporary);
  return state.status;
}

/** Says what a name is; false if it is nothing. */
async function told(shell: Interpreter, name: string, long: boolean): Promise<boolean> {
  const { isBuiltin } = require("internal/shell/builtins");
  const { SPECIAL } = require("internal/shell/interpreter");
  const { state } = shell;
  let text: string | undefined;
  if (RESERVED.has(name)) text = long ? `${name} is a shell keyword` : name;
  else if (state.functions.has(name)) text = long ? `${name} is a function` : name;
  else if (isBuiltin(name)) text = long ? `${name} is a ${SPECIAL.has(name) ? "special " : ""}shell builtin` : name;
  else {
    const path = findProgram(shell, name);
    if (path !== undefined) text = long ? `${name} is ${path}` : path;
  }
  if (text !== undefined) await print(shell, `${text}\n`);
  return text !== undefined;
}

export async function type(shell: Interpreter, words: string[]): Promise<number> {
  let status = 0;
  for (const name of words.slice(1)) {
    if (await told(shell, name, true)) continue;
    status = 1;
    await complain(shell, `type: ${name}: not found\n`);
  }
  return status;
}

/** `hash`: programs are looked for each time, so nothing is kept; it says of names whether they can be found. */
export async function hash(shell: Interpreter, words: string[]): Promise<number> {
  const { isBuiltin } = require("internal/shell/builtins");
  let status = 0;
  for (const name of words.slice(words[1] === "-r" ? 2 : 1)) {
    if (isBuiltin(name) || shell.state.functions.has(name) || findProgram(shell, name) !== undefined) continue;
    status = 1;
    await complain(shell, `hash: ${name}: not found\n`);
  }
  return status;
}

/** Names of signals, and EXIT, that `trap` knows. */
function conditionOf(text: string): string | undefined {
  const given = /^\d+$/.test(text) ? Number(text) : undefined;
  const upper = text.toUpperCase();
  if (given === 0 || upper === "EXIT") return "EXIT";
  const { signals } = require("node:os").constants;
  const name = upper.startsWith("SIG") ? upper : `SIG${upper}`;
  if (name in signals) return name.slice(3);
  for (const [signal, number] of Object.entries(signals)) if (number === given) return signal.slice(3);
  return undefined;
}

/** `trap`: for EXIT in every shell; for signals in a script that is a program of its own (`bao exec`, `bao FILE.sh`). */
export async function trap(shell: Interpreter, words: string[]): Promise<number> {
  const { state } = shell;
  const operands = words[1] === "--" ? words.slice(2) : words.slice(1);
  if (words[1] !== "--" && /^-./.test(words[1] ?? "")) return refused(shell, `trap: ${words[1]}: invalid option\n`, 2);
  if (operands.length === 0) {
    let out = "";
    const { signals } = require("node:os").constants;
    const numberOf = (name: string) => signals[`SIG${name}` as keyof typeof signals] ?? 0;
    for (const [name, action] of [...state.traps].sort(([one], [other]) => numberOf(one) - numberOf(other)))
      out += `trap -- '${action.replaceAll("'", "'\\''")}' ${name}\n`;
    return printed(shell, out);
  }
  const reset = operands.length === 1 || operands[0] === "-" || /^\d+$/.test(operands[0]!);
  const action = reset ? undefined : operands[0]!;
  let status = 0;
  for (const text of operands.length === 1 || /^\d+$/.test(operands[0]!) ? operands : operands.slice(1)) {
    const name = conditionOf(text);
    if (name === undefined) {
      status = 1;
      await complain(shell, `trap: ${text}: bad trap\n`);
      continue;
    }
    if (name !== "EXIT" && !shell.trapSignal(name, action)) {
      status = 1;
      await complain(shell, `trap: ${text}: signals can only be trapped by a script that is a program of its own\n`);
      continue;
    }
    if (action === undefined) state.traps.delete(name);
    else state.traps.set(name, action);
  }
  return status;
}

/** Waits for all jobs of this environment, or for those that are named; the status is that of the last one named. */
export async function wait(shell: Interpreter, words: string[]): Promise<number> {
  const names = words.slice(1);
  if (names.length === 0) {
    await Promise.all(shell.jobs.map((job) => job.status));
    shell.jobs = [];
    return 0;
  }
  let status = 0;
  for (const name of names) {
    // Whoever has the number of a job has waited for it to be known.
    const job = shell.jobs.find(({ known }) => known === Number(name));
    status = job === undefined ? 127 : await job.status;
    shell.jobs = shell.jobs.filter((other) => other !== job);
  }
  return status;
}

export async function kill(shell: Interpreter, words: string[]): Promise<number> {
  const { signals } = require("node:os").constants;
  let signal = 15;
  let i = 1;
  const option = words[1];
  if (option === "-l" && words.length > 2) {
    let out = "";
    for (const word of words.slice(2)) {
      const number = Number(word) > 128 ? Number(word) - 128 : Number(word);
      const name = Object.keys(signals).find((key) => signals[key as keyof typeof signals] === number);
      if (name === undefined) return refused(shell, `kill: ${word}: invalid signal\n`);
      out += `${name.slice(3)}\n`;
    }
    return printed(shell, out);
  }
  if (option === "-l") {
    return printed(
      shell,
      `${Object.keys(signals)
        .map((name) => name.slice(3))
        .join(" ")}\n`,
    );
  }
  if (option !== undefined && option[0] === "-" && option !== "--") {
    const text = option === "-s" ? (words[2] ?? "") : option.slice(1);
    i = option === "-s" ? 3 : 2;
    const number = /^\d+$/.test(text)
      ? Number(text)
      : signals[(text.startsWith("SIG") ? text : `SIG${text}`) as keyof typeof signals];
    if (number === undefined) return refused(shell, `kill: ${text}: invalid signal\n`);
    signal = number;
  }
  if (words[i] === "--") i++;
  if (i >= words.length) return refused(shell, "usage: kill [-s signal | -signal] pid ...\n", 2);
  let status = 0;
  for (const word of words.slice(i)) {
    if (!/^-?\d+$/.test(word)) {
      status = 1;
      await complain(shell, `kill: ${word}: arguments must be process IDs\n`);
      continue;
    }
    try {
      process.kill(Number(word), signal);
    } catch (error) {
      status = 1;
      const { messageOf } = require("internal/shell/errors");
      const { code } = error as NodeError;
      await complain(shell, `kill: (${word}) - ${code === "ESRCH" ? "No such process" : messageOf(code)}\n`);
    }
  }
  return status;
}
