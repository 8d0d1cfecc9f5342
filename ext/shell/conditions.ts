// Conditions of files, texts and numbers: `[[ ... ]]`, `test` and `[`.

import { encode, nativePath } from "internal/shell/bytes";
import { evaluate } from "internal/shell/arithmetic";
import { expandPattern, expandText } from "internal/shell/expand";
import { matcher } from "internal/shell/pattern";
import { ShellFailure } from "internal/shell/errors";
import { OPTIONS } from "internal/shell/state";

import type { Stats } from "internal/fs/stats";
import type { Condition } from "internal/shell/ast";
import type { Interpreter } from "internal/shell/interpreter";
import type { State } from "internal/shell/state";

async function statusOf(state: State, path: string, follow = true): Promise<Stats | undefined> {
  if (path === "") return undefined;
  const { promises } = require("node:fs");
  const text = nativePath(path.startsWith("/") ? path : `${state.cwd}/${path}`);
  const place = text[0] === "\0" ? Buffer.from(text.slice(1), "latin1") : text;
  try {
    return (await (follow ? promises.stat(place) : promises.lstat(place))) as Stats;
  } catch {
    return undefined;
  }
}

async function accessible(state: State, path: string, mode: number): Promise<boolean> {
  if (path === "") return false;
  try {
    await native("fs").access(nativePath(path.startsWith("/") ? path : `${state.cwd}/${path}`), mode);
    return true;
  } catch {
    return false;
  }
}

/** A test with one operand. Throws a ShellFailure for an unknown one. */
export async function unary(shell: Interpreter, operator: string, operand: string): Promise<boolean> {
  const { state } = shell;
  switch (operator) {
    case "-n":
      return operand !== "";
    case "-z":
      return operand === "";
    case "-v":
      return state.get(operand) !== undefined;
    case "-o":
      return state.options.has(OPTIONS[operand] ?? operand);
    case "-t": {
      const descriptor = shell.descriptors.get(Number(operand));
      return descriptor !== undefined && descriptor.fd >= 0 && native("tty").isTty(descriptor.fd);
    }
    case "-r":
      return accessible(state, operand, 4);
    case "-w":
      return accessible(state, operand, 2);
    case "-x":
      return accessible(state, operand, 1);
    case "-h":
    case "-L":
      return (await statusOf(state, operand, false))?.isSymbolicLink() ?? false;
  }
  const status = await statusOf(state, operand);
  if (status === undefined) {
    if ("-a-b-c-d-e-f-g-k-p-s-u-G-N-O-S".includes(operator)) return false;
    throw new ShellFailure(`${operator}: unary operator expected`, 2);
  }
  switch (operator) {
    case "-a":
    case "-e":
      return true;
    case "-b":
      return status.isBlockDevice();
    case "-c":
      return status.isCharacterDevice();
    case "-d":
      return status.isDirectory();
    case "-f":
      return status.isFile();
    case "-g":
      return (status.mode & 0o2000) !== 0;
    case "-k":
      return (status.mode & 0o1000) !== 0;
    case "-p":
      return status.isFIFO();
    case "-s":
      return status.size > 0;
    case "-u":
      return (status.mode & 0o4000) !== 0;
    case "-G":
      return status.gid === process.getegid!();
    case "-N":
      return status.mtimeMs > status.atimeMs;
    case "-O":
      return status.uid === process.geteuid!();
    case "-S":
      return status.isSocket();
  }
  throw new ShellFailure(`${operator}: unary operator expected`, 2);
}

function compare(operator: string, left: bigint, right: bigint): boolean {
  switch (operator) {
    case "-eq":
      return left === right;
    case "-ne":
      return left !== right;
    case "-lt":
      return left < right;
    case "-le":
      return left <= right;
    case "-gt":
      return left > right;
    default:
      return left >= right;
  }
}

async function files(state: State, operator: string, left: string, right: string): Promise<boolean> {
  const [a, b] = await Promise.all([statusOf(state, left), statusOf(state, right)]);
  if (operator === "-ef") return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
  if (operator === "-nt") return a !== undefined && (b === undefined || a.mtimeMs > b.mtimeMs);
  return b !== undefined && (a === undefined || a.mtimeMs < b.mtimeMs);
}

/** A test of `test` with two operands. Throws a ShellFailure for one that is no number. */
export function binary(state: State, operator: string, left: string, right: string): boolean | Promise<boolean> {
  switch (operator) {
    case "=":
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return Buffer.compare(encode(left), encode(right)) < 0;
    case ">":
      return Buffer.compare(encode(left), encode(right)) > 0;
    case "-ef":
    case "-nt":
    case "-ot":
      return files(state, operator, left, right);
  }
  const number = (text: string): bigint => {
    if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new ShellFailure(`${text}: integer expression expected`, 2);
    return BigInt(text.trim().replace(/^\+/, ""));
  };
  return compare(operator, number(left), number(right));
}

/** `[[ ... ]]`. */
export async function testCondition(shell: Interpreter, condition: Condition): Promise<boolean> {
  const { state } = shell;
  switch (condition.kind) {
    case "not":
      return !(await testCondition(shell, condition.operand));
    case "and":
      return (await testCondition(shell, condition.left)) && testCondition(shell, condition.right);
    case "or":
      return (await testCondition(shell, condition.left)) || testCondition(shell, condition.right);
    case "unary":
      return unary(shell, condition.operator, await shell.expand(expandText(state, condition.operand)));
  }
  const { operator } = condition;
  const left = await shell.expand(expandText(state, condition.left));
  if (operator === "=" || operator === "==" || operator === "!=") {
    const matches = matcher(await shell.expand(expandPattern(state, condition.right)))(left);
    return matches === (operator !== "!=");
  }
  if (operator === "=~") {
    let expression: RegExp;
    const pattern = await shell.expand(expandText(state, condition.right));
    try {
      expression = new RegExp(pattern, "u");
    } catch {
      throw new ShellFailure(`${pattern}: invalid regular expression`, 2);
    }
    return expression.test(left);
  }
  const right = await shell.expand(expandText(state, condition.right));
  if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) {
    const variables = {
      get: (name: string) => state.get(name),
      set: (name: string, value: string) => state.set(name, value),
    };
    try {
      return compare(operator, evaluate(left, variables), evaluate(right, variables));
    } catch (error) {
      throw error instanceof ShellFailure ? error : new ShellFailure(`[[: ${(error as Error).message}`);
    }
  }
  return binary(state, operator, left, right);
}
