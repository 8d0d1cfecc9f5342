// Built-ins that work on files: cat, ls, rm, mv, cp, mkdir, touch. Options and messages are Bun's, those of BSD.

import {
  absolute,
  complain,
  lettersOf,
  normal,
  print,
  reason,
  refused,
  systemPath,
} from "internal/shell/builtins/common";
import { type Descriptor, openFile } from "internal/shell/descriptors";
import { namesOf, nativePath } from "internal/shell/bytes";
import { messageOf } from "internal/shell/errors";

import type { Stats } from "internal/fs/stats";
import type { Interpreter } from "internal/shell/interpreter";

const fs = native("fs");

const DIRECTORY = 2;

/** Status of a path, its links not followed; undefined if there is nothing. */
async function statusOf(path: string, follow: boolean): Promise<Stats | undefined> {
  const { promises } = require("node:fs");
  try {
    return (await (follow ? promises.stat(path) : promises.lstat(path))) as Stats;
  } catch {
    return undefined;
  }
}

/** A path for node:fs: text, or bytes where it is not UTF-8. */
function nodePath(shell: Interpreter, path: string): string | Buffer {
  const text = systemPath(shell, path);
  return text[0] === "\0" ? Buffer.from(text.slice(1), "latin1") : text;
}

async function isDirectory(shell: Interpreter, path: string): Promise<boolean> {
  return (await statusOf(nodePath(shell, path) as string, true))?.isDirectory() ?? false;
}

export async function cat(shell: Interpreter, words: string[]): Promise<number> {
  const { operands } = lettersOf(words, "u");
  let status = 0;
  for (const path of operands.length > 0 ? operands : ["-"]) {
    const input = path === "-" ? shell.descriptors.get(0)?.hold() : undefined;
    let source: Descriptor | undefined = input;
    try {
      if (path === "-" && source === undefined) throw Object.assign(new Error(), { code: "EBADF" });
      source ??= await openFile(absolute(shell, path), 0);
    } catch (error) {
      status = 1;
      await complain(shell, `cat: ${path}: ${reason(error)}\n`);
      continue;
    }
    try {
      for (;;) {
        let bytes: Uint8Array | undefined;
        try {
          bytes = await source.read();
        } catch (error) {
          const { errno } = error as { errno?: number };
          if (errno === undefined) throw error;
          status = 1;
          await complain(shell, `cat: ${path}: ${messageOf(require("node:util").getSystemErrorName(errno))}\n`);
          break;
        }
        if (bytes === undefined) break;
        const waiting = print(shell, bytes);
        if (waiting !== undefined) await waiting;
        if (shell.run.aborted !== undefined) throw shell.run.aborted;
      }
    } finally {
      source.release();
    }
  }
  return status;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function longLine(name: string, status: Stats): string {
  const { mode } = status;
  const kind = status.isDirectory()
    ? "d"
    : status.isSymbolicLink()
      ? "l"
      : status.isFIFO()
        ? "p"
        : status.isSocket()
          ? "s"
          : status.isCharacterDevice()
            ? "c"
            : status.isBlockDevice()
              ? "b"
              : "-";
  let bits = "";
  for (let shift = 6; shift >= 0; shift -= 3) {
    const three = (mode >> shift) & 7;
    const special = mode & (shift === 6 ? 0o4000 : shift === 3 ? 0o2000 : 0o1000);
    const letter = shift === 0 ? "t" : "s";
    bits += (three & 4 ? "r" : "-") + (three & 2 ? "w" : "-");
    bits += special ? (three & 1 ? letter : letter.toUpperCase()) : three & 1 ? "x" : "-";
  }
  const time = status.mtime;
  const old = Math.abs(Date.now() - time.getTime()) > 182 * 86_400_000;
  const two = (value: number) => `${value}`.padStart(2, "0");
  const clock = old ? ` ${time.getFullYear()}` : `${two(time.getHours())}:${two(time.getMinutes())}`;
  const date = `${MONTHS[time.getMonth()]} ${`${time.getDate()}`.padStart(2)} ${clock}`;
  const columns = [
    `${status.nlink}`.padStart(3),
    `${status.uid}`.padStart(5),
    `${status.gid}`.padStart(5),
    `${status.size}`.padStart(8),
  ];
  return `${kind}${bits} ${columns.join(" ")} ${date} ${name}\n`;
}

class Lister {
  #shell: Interpreter;
  #letters: Set<string>;
  /** Whether the name of a directory stands before its files. */
  #titles: boolean;
  status = 0;

  constructor(shell: Interpreter, letters: Set<string>, titles: boolean) {
    this.#shell = shell;
    this.#letters = letters;
    this.#titles = titles;
  }

  async #lines(directory: string | undefined, names: readonly string[]): Promise<string> {
    if (!this.#letters.has("l")) return names.length === 0 ? "" : `${names.join("\n")}\n`;
    let out = "";
    for (const name of names) {
      const path = directory === undefined ? name : `${directory}/${name}`;
      const status = await statusOf(nodePath(this.#shell, path) as string, false);
      if (status !== undefined) out += longLine(name, status);
    }
    return out;
  }

  async #fail(path: string, error: unknown): Promise<void> {
    this.status = 1;
    await complain(this.#shell, `ls: ${path}: ${reason(error)}\n`);
  }

  async list(path: string, title: boolean): Promise<void> {
    const shell = this.#shell;
    if (this.#letters.has("d")) {
      try {
        await fs.stat(systemPath(shell, path), 0);
      } catch (error) {
        return this.#fail(path, error);
      }
      await print(shell, await this.#lines(undefined, [path]));
      return;
    }
    let names: string[];
    let types: Uint8Array;
    try {
      const result = await fs.readdirTypes(systemPath(shell, path), false);
      names = namesOf(result[0]);
      types = result[1];
    } catch (error) {
      if ((error as NodeError).code !== "ENOTDIR") return this.#fail(path, error);
      await print(shell, await this.#lines(undefined, [path]));
      return;
    }
    const all = this.#letters.has("a");
    const hidden = all || this.#letters.has("A");
    const shown = hidden ? names : names.filter((name) => name[0] !== ".");
    let out = title && (this.#titles || this.#letters.has("R")) ? `${path}:\n` : "";
    out += await this.#lines(path, all ? [".", "..", ...shown] : shown);
    const waiting = print(shell, out);
    if (waiting !== undefined) await waiting;
    if (!this.#letters.has("R")) return;
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!;
      if (types[i] !== DIRECTORY || (name[0] === "." && !hidden)) continue;
      if (shell.run.aborted !== undefined) throw shell.run.aborted;
      await this.list(path.endsWith("/") ? path + name : `${path}/${name}`, true);
    }
  }
}

export async function ls(shell: Interpreter, words: string[]): Promise<number> {
  const { letters, operands, unknown } = lettersOf(words, "aAbBcCdDfFgGhHiIklLmnNopqQrRsStTuUvwxX1Z");
  if (unknown !== undefined) return refused(shell, `ls: illegal option -- ${unknown}\n`);
  const lister = new Lister(shell, letters, operands.length > 1);
  if (operands.length === 0) await lister.list(".", false);
  // Files come before directories.
  const directories: string[] = [];
  for (const path of operands) {
    if (!letters.has("d") && (await isDirectory(shell, path))) directories.push(path);
    else await lister.list(path, true);
  }
  for (const path of directories) await lister.list(path, operands.length > 1);
  return lister.status;
}

const RM_USAGE = "usage: rm [-f | -i] [-dIPRrvWx] file ...\n       unlink [--] file\n";

class Remover {
  #shell: Interpreter;
  #force: boolean;
  #verbose: boolean;
  status = 0;

  constructor(shell: Interpreter, force: boolean, verbose: boolean) {
    this.#shell = shell;
    this.#force = force;
    this.#verbose = verbose;
  }

  async fail(path: string, error: unknown): Promise<void> {
    const { code } = error as NodeError;
    if (this.#force && (code === "ENOENT" || code === "ENOTDIR")) return;
    this.status = 1;
    await complain(this.#shell, `rm: ${path}: ${reason(error)}\n`);
  }

  async #told(path: string): Promise<void> {
    if (this.#verbose) await print(this.#shell, `${path}\n`);
  }

  /** Removes a file; false for a directory. */
  async file(path: string): Promise<boolean> {
    try {
      await fs.unlink(systemPath(this.#shell, path));
      await this.#told(path);
      return true;
    } catch (error) {
      if (
        (error as NodeError).code === "EISDIR" ||
        ((error as NodeError).code === "EPERM" && (await isDirectory(this.#shell, path)))
      ) {
        return false;
      }
      await this.fail(path, error);
      return true;
    }
  }

  async directory(path: string): Promise<void> {
    try {
      await fs.rmdir(systemPath(this.#shell, path));
      await this.#told(path);
    } catch (error) {
      await this.fail(path, error);
    }
  }

  /** A directory and all below it. It is held open by its descriptor, so that a link that takes its place is not followed. */
  async tree(path: string, within: string): Promise<void> {
    const { run } = this.#shell;
    const O_DIRECTORY = 0o200000;
    const O_NOFOLLOW = 0o400000;
    let fd: number;
    try {
      fd = await fs.open(nativePath(within.replace(/(.)\/+$/, "$1")), O_DIRECTORY | O_NOFOLLOW, 0);
    } catch (error) {
      return this.fail(path, error);
    }
    const place = `/proc/self/fd/${fd}`;
    try {
      const [text, types] = await fs.readdirTypes(`${place}/.`, false);
      const names = namesOf(text);
      for (let i = 0; i < names.length; i++) {
        if (run.aborted !== undefined) throw run.aborted;
        const name = names[i]!;
        const shown = path.endsWith("/") ? path + name : `${path}/${name}`;
        if (types[i] === DIRECTORY) {
          await this.tree(shown, `${place}/${name}`);
          try {
            await fs.rmdir(nativePath(`${place}/${name}`));
            await this.#told(shown);
          } catch (error) {
            await this.fail(shown, error);
          }
        } else {
          try {
            await fs.unlink(nativePath(`${place}/${name}`));
            await this.#told(shown);
          } catch (error) {
            await this.fail(shown, error);
          }
        }
      }
    } catch (error) {
      if ((error as NodeError).code === undefined || error === run.aborted) throw error;
      await this.fail(path, error);
    } finally {
      await fs.close(fd);
    }
  }
}

export async function rm(shell: Interpreter, words: string[]): Promise<number> {
  const { letters, operands, unknown } = lettersOf(words, "dfiIPRrvWx");
  if (unknown !== undefined) return refused(shell, `rm: illegal option -- ${unknown}\n`);
  for (const letter of ["i", "I", "P", "W", "x"]) {
    if (letters.has(letter)) return refused(shell, `rm: "-${letter}" is not supported yet\n`);
  }
  const force = letters.has("f");
  if (operands.length === 0) return force && shell.state.posix ? 0 : refused(shell, RM_USAGE);
  const recursive = letters.has("r") || letters.has("R");
  const remover = new Remover(shell, force, letters.has("v"));
  for (const path of operands) {
    const place = normal(shell, path);
    if (place === "/") return refused(shell, 'rm: "/" may not be removed\n');
    if (recursive && /(?:^|\/)\.\.?\/*$/.test(path)) {
      remover.status = 1;
      await complain(shell, 'rm: "." and ".." may not be removed\n');
      continue;
    }
    if (await remover.file(path)) continue;
    if (recursive) {
      await remover.tree(path, absolute(shell, path));
      await remover.directory(path);
    } else if (letters.has("d")) {
      await remover.directory(path);
    } else {
      remover.status = 1;
      await complain(shell, `rm: ${path}: Is a directory\n`);
    }
  }
  return remover.status;
}

const MV_USAGE = "usage: mv [-f | -i | -n] [-hv] source target\n       mv [-f | -i | -n] [-v] source ... directory\n";

export async function mv(shell: Interpreter, words: string[]): Promise<number> {
  const { letters, operands, unknown } = lettersOf(words, "finhv");
  if (unknown !== undefined) return refused(shell, "mv: illegal option -- -\n");
  if (letters.has("i")) return refused(shell, 'mv: "-i" is not supported yet\n');
  if (operands.length < 2) return refused(shell, MV_USAGE);
  const target = operands.pop()!;
  const into = await isDirectory(shell, target);
  if (!into && (operands.length > 1 || target.endsWith("/"))) {
    if (operands.length > 1) {
      const there = await statusOf(nodePath(shell, target) as string, true);
      return refused(
        shell,
        `mv: ${target}: ${there === undefined ? "No such file or directory" : "Not a directory"}\n`,
      );
    }
  }
  let status = 0;
  for (const source of operands) {
    const base = source.replace(/\/+$/, "").replace(/^.*\//s, "");
    const to = into ? `${target.replace(/\/+$/, "")}/${base}` : target;
    if (letters.has("n") && (await statusOf(nodePath(shell, to) as string, false)) !== undefined) continue;
    try {
      await fs.rename(systemPath(shell, source), systemPath(shell, to));
    } catch (error) {
      const { code, errno } = error as NodeError;
      if (code === "EXDEV") {
        const failed = await moveAcross(shell, source, to);
        if (failed !== 0) status = failed;
        else if (letters.has("v")) await print(shell, `${source} -> ${to}\n`);
        continue;
      }
      status = Math.abs(errno ?? 1);
      const missing = code === "ENOENT" && (await statusOf(nodePath(shell, source) as string, false)) !== undefined;
      await complain(shell, `mv: ${missing || code === "ENOTDIR" ? target : source}: ${reason(error)}\n`);
      continue;
    }
    if (letters.has("v")) await print(shell, `${source} -> ${to}\n`);
  }
  return status;
}

/** To another file system: a copy, then the source is removed. */
async function moveAcross(shell: Interpreter, source: string, to: string): Promise<number> {
  const { promises } = require("node:fs");
  try {
    await promises.cp(absolute(shell, source), absolute(shell, to), {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
    });
    await promises.rm(absolute(shell, source), { recursive: true });
    return 0;
  } catch (error) {
    await complain(shell, `mv: ${source}: ${reason(error)}\n`);
    return 1;
  }
}

const CP_USAGE =
  "usage: cp [-R [-H | -L | -P]] [-fi | -n] [-aclpsvXx] source_file target_file\n       cp [-R [-H | -L | -P]] [-fi | -n] [-aclpsvXx] source_file ... target_directory\n";

export async function cp(shell: Interpreter, words: string[]): Promise<number> {
  const { letters, operands } = lettersOf(words, "RrafvpnP");
  if (operands.length < 2) return refused(shell, CP_USAGE);
  const recursive = letters.has("R") || letters.has("r") || letters.has("a");
  const target = operands.pop()!;
  const into = await isDirectory(shell, target);
  if (!into && (target.endsWith("/") || operands.length > 1) && !(recursive && operands.length === 1)) {
    const directories = [];
    for (const source of operands) if (!recursive && (await isDirectory(shell, source))) directories.push(source);
    if (directories.length === 0) return refused(shell, `cp: ${target} is not a directory\n`);
  }
  let status = 0;
  const { promises, constants } = require("node:fs");
  for (const source of operands) {
    const base = source.replace(/\/+$/, "").replace(/^.*\//s, "");
    const to = into ? `${target.replace(/\/+$/, "")}/${base}` : target;
    const from = await statusOf(nodePath(shell, source) as string, true);
    if (from?.isDirectory() && !recursive) {
      status = 1;
      await complain(shell, `cp: ${source} is a directory (not copied)\n`);
      continue;
    }
    const there = await statusOf(nodePath(shell, to) as string, true);
    if (from !== undefined && there !== undefined && from.ino === there.ino && from.dev === there.dev) {
      status = 1;
      await complain(shell, `cp: ${source} and ${to} are identical (not copied)\n`);
      continue;
    }
    if (letters.has("n") && there !== undefined) continue;
    try {
      if (from?.isDirectory() || letters.has("P") || letters.has("a") || letters.has("p")) {
        await promises.cp(absolute(shell, source), absolute(shell, to), {
          recursive,
          verbatimSymlinks: true,
          dereference: !recursive && !letters.has("P"),
          preserveTimestamps: letters.has("p") || letters.has("a"),
        });
      } else {
        await fs.copyFile(
          systemPath(shell, source),
          systemPath(shell, to),
          letters.has("n") ? constants.COPYFILE_EXCL : 0,
        );
      }
      if (letters.has("v")) await print(shell, `${normal(shell, source)} -> ${normal(shell, to)}\n`);
    } catch (error) {
      status = 1;
      await complain(shell, `cp: ${source}: ${reason(error)}\n`);
    }
  }
  return status;
}

const MKDIR_USAGE = "usage: mkdir [-pv] [-m mode] directory_name ...\n";

export async function mkdir(shell: Interpreter, words: string[]): Promise<number> {
  let parents = false;
  let verbose = false;
  let mode: number | undefined;
  let i = 1;
  for (; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      i++;
      break;
    }
    if (word === "--parents" || word === "--verbose") {
      if (word === "--parents") parents = true;
      else verbose = true;
      continue;
    }
    if (word[0] !== "-" || word === "-") break;
    if (word.startsWith("--")) return refused(shell, `mkdir: illegal option -- ${word.slice(2)}\n`);
    for (let j = 1; j < word.length; j++) {
      const letter = word[j]!;
      if (letter === "p") parents = true;
      else if (letter === "v") verbose = true;
      else if (letter === "m") {
        const text = word.slice(j + 1) || words[++i] || "";
        if (!/^[0-7]{1,4}$/.test(text)) return refused(shell, `mkdir: invalid file mode: ${text}\n`);
        mode = parseInt(text, 8);
        break;
      } else return refused(shell, `mkdir: illegal option -- ${letter}\n`);
    }
  }
  const operands = words.slice(i);
  if (operands.length === 0) return refused(shell, MKDIR_USAGE);
  let status = 0;
  for (const path of operands) {
    const place = normal(shell, path);
    try {
      const first = parents ? await fs.mkdirAll(nativePath(place), 0o777) : await fs.mkdir(nativePath(place), 0o777);
      if (mode !== undefined) await fs.chmod(nativePath(place), mode);
      if (verbose && (!parents || first !== undefined)) {
        let from = parents ? (first as string) : place;
        for (;;) {
          await print(shell, `${from}\n`);
          if (from.length >= place.length) break;
          const slash = place.indexOf("/", from.length + 1);
          from = slash === -1 ? place : place.slice(0, slash);
        }
      }
    } catch (error) {
      status = 1;
      await complain(shell, `mkdir: ${place}: ${reason(error)}\n`);
    }
  }
  return status;
}

const TOUCH_USAGE =
  "usage: touch [-A [-][[hh]mm]SS] [-achm] [-r file] [-t [[CC]YY]MMDDhhmm[.SS]]\n       [-d YYYY-MM-DDThh:mm:SS[.frac][tz]] file ...\n";

/** A time as `-t` has it: [[CC]YY]MMDDhhmm[.SS]. */
function stampOf(text: string): Date | undefined {
  const match = /^(?:(\d\d)?(\d\d))?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(text);
  if (match === null) return undefined;
  const [, century, two, month, day, hour, minute, second = "0"] = match;
  const year =
    two === undefined
      ? new Date().getFullYear()
      : century !== undefined
        ? Number(century + two)
        : Number(two) + (Number(two) < 69 ? 2000 : 1900);
  return new Date(year, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
}

export async function touch(shell: Interpreter, words: string[]): Promise<number> {
  let create = true;
  let access = false;
  let change = false;
  let time: Date | undefined;
  let like: string | undefined;
  let i = 1;
  for (; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      i++;
      break;
    }
    if (word[0] !== "-" || word === "-") break;
    if (word.startsWith("--")) return refused(shell, `touch: illegal option -- ${word.slice(2)}\n`);
    for (let j = 1; j < word.length; j++) {
      const letter = word[j]!;
      if (letter === "c" || letter === "h") create = false;
      else if (letter === "a") access = true;
      else if (letter === "m") change = true;
      else if (letter === "r" || letter === "t" || letter === "d") {
        const value = word.slice(j + 1) || words[++i];
        if (value === undefined) return refused(shell, `touch: option requires an argument -- ${letter}\n`);
        if (letter === "r") like = value;
        else time = letter === "t" ? stampOf(value) : new Date(value);
        if (letter !== "r" && (time === undefined || Number.isNaN(time.getTime()))) {
          return refused(shell, `touch: out of range or illegal time specification: ${value}\n`);
        }
        break;
      } else return refused(shell, `touch: illegal option -- ${letter}\n`);
    }
  }
  const operands = words.slice(i);
  if (operands.length === 0) return refused(shell, TOUCH_USAGE);
  const { promises } = require("node:fs");
  let atime = time ?? new Date();
  let mtime = atime;
  if (like !== undefined) {
    const status = await statusOf(nodePath(shell, like) as string, true);
    if (status === undefined) return refused(shell, `touch: ${like}: No such file or directory\n`);
    ({ atime, mtime } = status);
  }
  let status = 0;
  for (const path of operands) {
    const place = nativePath(normal(shell, path));
    try {
      if (create) await fs.close(await fs.open(place, 0o1 | 0o100 | 0o4000, 0o666));
    } catch (error) {
      if ((error as NodeError).code !== "EISDIR" && (error as NodeError).code !== "ENXIO") {
        status = 1;
        await complain(shell, `touch: ${normal(shell, path)}: ${reason(error)}\n`);
        continue;
      }
    }
    try {
      const before = access !== change ? await promises.stat(nodePath(shell, path)) : undefined;
      await fs.utimes(
        place,
        (change && before !== undefined ? before.atime : atime).getTime() / 1000,
        (access && before !== undefined ? before.mtime : mtime).getTime() / 1000,
      );
    } catch (error) {
      if ((error as NodeError).code === "ENOENT" && !create) continue;
      status = 1;
      await complain(shell, `touch: ${normal(shell, path)}: ${reason(error)}\n`);
    }
  }
  return status;
}
