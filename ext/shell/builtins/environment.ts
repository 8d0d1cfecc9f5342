// Built-ins that change the environment of the shell: cd, export, set, read and their kin.

import { encode, decode, nativePath } from "internal/shell/bytes";
import { normal, print, printed, refused } from "internal/shell/builtins/common";
import { ShellFailure } from "internal/shell/errors";
import { LONG_OPTIONS, OPTIONS } from "internal/shell/state";

import type { Interpreter } from "internal/shell/interpreter";

const fs = native("fs");
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export async function cd(shell: Interpreter, words: string[]): Promise<number> {
  const { state } = shell;
  const operands = words[1] === "-P" || words[1] === "-L" || words[1] === "--" ? words.slice(2) : words.slice(1);
  if (operands.length > 1) return refused(shell, "cd: too many arguments\n");
  let target = operands[0];
  if (target === undefined) {
    target = state.get("HOME") ?? "";
    if (target === "") return 0;
  }
  if (target === "") return 0;
  // As in Bun, which does not print where `cd -` leads; other shells do.
  let told = target === "-" && state.posix;
  if (target === "-") target = state.get("OLDPWD") ?? state.cwd;
  let path = normal(shell, target);
  const search = state.get("CDPATH");
  if (search !== undefined && !/^\.{0,2}(?:\/|$)/.test(target)) {
    for (const directory of search.split(":")) {
      const place = normal(shell, `${directory || "."}/${target}`);
      if (fs.kindOfSync(nativePath(place)) !== 1) continue;
      path = place;
      told = directory !== "";
      break;
    }
  }
  if (path.length >= 4096 || path.split("/").some((name) => encode(name).length > 255)) {
    return refused(shell, "cd: file name too long\n");
  }
  try {
    // What is a file is one for root as well, who may not run it either.
    if (fs.kindOfSync(nativePath(path)) === 0) return refused(shell, `cd: not a directory: ${target}\n`);
    await fs.access(nativePath(path), require("node:fs").constants.X_OK);
    if (fs.kindOfSync(nativePath(path)) !== 1) return refused(shell, `cd: not a directory: ${target}\n`);
  } catch (error) {
    const { code } = error as NodeError;
    if (code === "ENOENT" || code === "ENOTDIR") return refused(shell, `cd: not a directory: ${target}\n`);
    if (code === "ENAMETOOLONG") return refused(shell, "cd: file name too long\n");
    const { messageOf } = require("internal/shell/errors");
    return refused(shell, `cd: ${messageOf(code)}: ${target}\n`);
  }
  if (words[1] === "-P") path = fs.realpathSync(nativePath(path), true);
  if (told) await print(shell, `${path}\n`);
  const before = state.cwd;
  state.cwd = path;
  state.set("OLDPWD", before);
  state.export("OLDPWD");
  state.set("PWD", path);
  state.export("PWD");
  return 0;
}

export function pwd(shell: Interpreter, words: string[]): number | Promise<number> {
  if (words.length > 1 && !(words.length === 2 && (words[1] === "-L" || words[1] === "-P"))) {
    return refused(shell, "pwd: too many arguments\n");
  }
  if (words[1] === "-P") return printed(shell, `${fs.realpathSync(nativePath(shell.state.cwd), true)}\n`);
  return printed(shell, `${shell.state.cwd}\n`);
}

/** A value as a word that a shell reads back. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** `name` or `name=value`. */
function split(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

export async function exportVariables(shell: Interpreter, words: string[]): Promise<number> {
  const { state } = shell;
  const operands = words.slice(1).filter((word) => word !== "-p" && word !== "--");
  if (words[1] === "-n") {
    for (const name of words.slice(2)) state.export(name, false);
    return 0;
  }
  if (operands.length === 0) {
    const all = [...state.environment()].sort(([a], [b]) => (a < b ? -1 : 1));
    if (words[1] === "-p")
      return printed(shell, all.map(([name, value]) => `export ${name}=${quoted(value)}\n`).join(""));
    return printed(shell, all.map(([name, value]) => `${name}=${value}\n`).join(""));
  }
  for (const word of operands) {
    const [name, value] = split(word);
    if (!NAME.test(name)) {
      // As in Bun, which takes no notice of it.
      if (state.posix) throw new ShellFailure(`${name}: not a valid identifier`);
      continue;
    }
    if (value !== undefined) state.set(name, value);
    state.export(name);
  }
  return 0;
}

export async function makeReadonly(shell: Interpreter, words: string[]): Promise<number> {
  const { state } = shell;
  const operands = words.slice(1).filter((word) => word !== "-p");
  if (operands.length === 0) {
    let out = "";
    for (const [name, variable] of state.variables) {
      if (variable.readonly) out += `readonly ${name}=${quoted(variable.value ?? "")}\n`;
    }
    return printed(shell, out);
  }
  for (const word of operands) {
    const [name, value] = split(word);
    if (!NAME.test(name)) throw new ShellFailure(`${name}: not a valid identifier`);
    if (value !== undefined) state.set(name, value);
    state.makeReadonly(name);
  }
  return 0;
}

export function local(shell: Interpreter, words: string[]): number {
  const { state } = shell;
  if (state.locals.length === 0) throw new ShellFailure("can only be used in a function");
  for (const word of words.slice(1)) {
    const [name, value] = split(word);
    if (!NAME.test(name)) throw new ShellFailure(`${name}: not a valid identifier`);
    state.makeLocal(name);
    if (value !== undefined) state.set(name, value);
  }
  return 0;
}

export function unset(shell: Interpreter, words: string[]): number {
  const { state } = shell;
  const functions = words[1] === "-f";
  for (const name of words.slice(words[1]?.[0] === "-" ? 2 : 1)) {
    if (functions) state.functions.delete(name);
    else if (state.variables.get(name) === undefined && state.base[name] === undefined) state.functions.delete(name);
    else state.unset(name);
  }
  return 0;
}

export async function set(shell: Interpreter, words: string[]): Promise<number> {
  const { state } = shell;
  if (words.length === 1) {
    const names = [...new Set([...state.environment().keys(), ...state.variables.keys()])].sort();
    return printed(shell, names.map((name) => `${name}=${quoted(state.get(name) ?? "")}\n`).join(""));
  }
  const long = new Set([...Object.values(OPTIONS), ...LONG_OPTIONS]);
  let i = 1;
  for (; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      state.parameters = words.slice(i + 1);
      return 0;
    }
    if (word === "-") {
      // Other shells end tracing with it.
      state.options.delete("xtrace");
      if (i + 1 < words.length) state.parameters = words.slice(i + 1);
      return 0;
    }
    if (word[0] !== "-" && word[0] !== "+") break;
    const on = word[0] === "-";
    for (const letter of word.slice(1)) {
      if (letter === "o") {
        const name = words[++i];
        if (name === undefined) {
          const lines = [...long].map((option) => `${option.padEnd(15)} ${state.options.has(option) ? "on" : "off"}\n`);
          return printed(shell, lines.join(""));
        }
        if (!long.has(name)) return refused(shell, `set: ${name}: invalid option name\n`, 2);
        if (on) state.options.add(name);
        else state.options.delete(name);
        continue;
      }
      const name = OPTIONS[letter];
      if (name === undefined) return refused(shell, `set: illegal option -- ${letter}\n`, 2);
      if (on) state.options.add(name);
      else state.options.delete(name);
    }
  }
  if (i < words.length) state.parameters = words.slice(i);
  return 0;
}

export function shift(shell: Interpreter, words: string[]): number {
  const count = words[1] === undefined ? 1 : Number(words[1]);
  const { state } = shell;
  if (!Number.isInteger(count) || count < 0) throw new ShellFailure(`${words[1]}: numeric argument required`);
  if (count > state.parameters.length) return 1;
  state.parameters = state.parameters.slice(count);
  return 0;
}

/** A line of standard input; undefined at the end without one. The rest of what was read goes back. */
async function line(shell: Interpreter): Promise<{ text: string; ended: boolean }> {
  const input = shell.descriptors.get(0);
  const chunks: Uint8Array[] = [];
  for (;;) {
    const bytes = await input?.read();
    if (bytes === undefined) return { text: decode(Buffer.concat(chunks)), ended: true };
    const end = bytes.indexOf(10);
    if (end === -1) {
      chunks.push(bytes);
      continue;
    }
    chunks.push(bytes.subarray(0, end));
    input!.unread(bytes.subarray(end + 1));
    return { text: decode(Buffer.concat(chunks)), ended: false };
  }
}

export async function read(shell: Interpreter, words: string[]): Promise<number> {
  const { state } = shell;
  let i = 1;
  let raw = false;
  for (; i < words.length && words[i]![0] === "-"; i++) {
    if (words[i] === "--") {
      i++;
      break;
    }
    if (words[i] !== "-r") return refused(shell, `read: illegal option -- ${words[i]!.slice(1)}\n`, 2);
    raw = true;
  }
  const names = words.slice(i);
  if (names.length === 0) names.push("REPLY");
  for (const name of names) if (!NAME.test(name)) throw new ShellFailure(`${name}: not a valid identifier`, 2);
  let { text, ended } = await line(shell);
  while (!raw && !ended && /(?:^|[^\\])(?:\\\\)*\\$/.test(text)) {
    const more = await line(shell);
    text = text.slice(0, -1) + more.text;
    ended = more.ended;
  }
  text = text.replaceAll("\0", "");
  // Characters, each with whether it was escaped.
  const characters: Array<[string, boolean]> = [];
  for (let j = 0; j < text.length; j++) {
    if (!raw && text[j] === "\\" && j + 1 < text.length) characters.push([text[++j]!, true]);
    else characters.push([text[j]!, false]);
  }
  const separators = state.separators;
  const separates = ([character, escaped]: [string, boolean]) => !escaped && separators.includes(character);
  const blank = (item: [string, boolean]) => separates(item) && " \t\n".includes(item[0]);
  let at = 0;
  while (at < characters.length && blank(characters[at]!)) at++;
  for (let n = 0; n < names.length; n++) {
    const last = n === names.length - 1;
    let end = at;
    if (last) {
      end = characters.length;
      while (end > at && blank(characters[end - 1]!)) end--;
      // A single separator at the end belongs to the field before it.
      if (end > at && separates(characters[end - 1]!) && !characters.slice(at, end - 1).some(separates)) end--;
    } else {
      while (end < characters.length && !separates(characters[end]!)) end++;
    }
    state.set(
      names[n]!,
      characters
        .slice(at, end)
        .map(([character]) => character)
        .join(""),
    );
    if (last) break;
    at = end;
    while (at < characters.length && blank(characters[at]!)) at++;
    if (at < characters.length && separates(characters[at]!) && !blank(characters[at]!)) {
      at++;
      while (at < characters.length && blank(characters[at]!)) at++;
    }
  }
  return ended ? 1 : 0;
}

/** The mask that a symbolic mode as of chmod (`u=rwx,g-w`) makes of another one; undefined if it is none. */
function symbolicMask(text: string, mask: number): number | undefined {
  let allowed = ~mask & 0o777;
  for (const clause of text.split(",")) {
    const match = /^([ugoa]*)((?:[-+=][rwxXst]*)+)$/.exec(clause);
    if (match === null) return undefined;
    const who = match[1] === "" || match[1]!.includes("a") ? "ugo" : match[1]!;
    for (const [, operator, letters] of match[2]!.matchAll(/([-+=])([rwxXst]*)/g)) {
      let bits = 0;
      for (const letter of letters!) bits |= { r: 4, w: 2, x: 1 }[letter] ?? 0;
      for (const [place, one] of ["o", "g", "u"].entries()) {
        if (!who.includes(one)) continue;
        const shift = place * 3;
        if (operator === "=") allowed &= ~(7 << shift);
        if (operator === "-") allowed &= ~(bits << shift);
        else allowed |= bits << shift;
      }
    }
  }
  return ~allowed & 0o777;
}

export async function umask(shell: Interpreter, words: string[]): Promise<number> {
  const symbolic = words[1] === "-S";
  const operand = words[symbolic ? 2 : 1];
  const mask = process.umask();
  if (operand === undefined) {
    if (!symbolic) return printed(shell, `${mask.toString(8).padStart(4, "0")}\n`);
    const letters = (shift: number) => ["r", "w", "x"].filter((_, i) => ((mask >> (shift + 2 - i)) & 1) === 0).join("");
    return printed(shell, `u=${letters(6)},g=${letters(3)},o=${letters(0)}\n`);
  }
  const octal = /^[0-7]{1,4}$/.test(operand) ? Number.parseInt(operand, 8) & 0o777 : undefined;
  const wanted = octal ?? (operand[0] === "-" ? undefined : symbolicMask(operand, mask));
  if (wanted === undefined) return refused(shell, `umask: ${operand}: invalid mode\n`, 2);
  // The mask is the whole process's: only the shell that is the process itself may set it. A subshell is not, and `$` neither, since
  // other code of the program makes files meanwhile.
  if (!shell.ownsProcess) return refused(shell, "umask: cannot be set: the mask belongs to the whole process\n");
  process.umask(wanted);
  return 0;
}

/** getopts, as POSIX has it. */
export async function getopts(shell: Interpreter, words: string[]): Promise<number> {
  const { state } = shell;
  const options = words[1];
  const name = words[2];
  if (options === undefined || name === undefined)
    return refused(shell, "usage: getopts optstring name [arg ...]\n", 2);
  const args = words.length > 3 ? words.slice(3) : state.parameters;
  const silent = options[0] === ":";
  let index = Number(state.get("OPTIND") ?? "1") || 1;
  // The place within a word of several letters.
  let place = Number(state.get("_OPTPLACE") ?? "1") || 1;
  if (index === 1 && state.get("_OPTINDEX") !== "1") place = 1;
  const word = args[index - 1];
  const done = (status: number) => {
    state.set("OPTIND", `${index}`);
    state.set("_OPTINDEX", `${index}`);
    state.set("_OPTPLACE", `${place}`);
    return status;
  };
  if (word === undefined || word[0] !== "-" || word === "-" || word === "--") {
    if (word === "--") index++;
    index = Math.min(index, args.length + 1);
    place = 1;
    state.set(name, "?");
    return done(1);
  }
  const letter = word[place]!;
  const at = letter === ":" ? -1 : options.indexOf(letter, silent ? 1 : 0);
  place++;
  const next = () => {
    index++;
    place = 1;
  };
  if (at === -1) {
    if (place >= word.length) next();
    state.set(name, "?");
    if (silent) state.set("OPTARG", letter);
    else {
      state.unset("OPTARG");
      await shell.complain(`${state.zero}: illegal option -- ${letter}\n`);
    }
    return done(0);
  }
  if (options[at + 1] !== ":") {
    if (place >= word.length) next();
    state.set(name, letter);
    state.unset("OPTARG");
    return done(0);
  }
  let value: string | undefined = word.slice(place);
  next();
  if (value === "") {
    value = args[index - 1];
    index++;
  }
  if (value === undefined) {
    index--;
    state.set(name, silent ? ":" : "?");
    if (silent) state.set("OPTARG", letter);
    else await shell.complain(`${state.zero}: option requires an argument -- ${letter}\n`);
    return done(0);
  }
  state.set(name, letter);
  state.set("OPTARG", value);
  return done(0);
}
