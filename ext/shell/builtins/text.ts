// Built-ins that make text: echo, printf, seq, yes, basename, dirname, which.

import { print, printed, refused, systemPath } from "internal/shell/builtins/common";
import { ShellFailure } from "internal/shell/errors";

import type { Interpreter } from "internal/shell/interpreter";

const YES_BYTES = 16 << 10;
const SEQ_BYTES = 16 << 10;

const SIMPLE_ESCAPES: Record<string, string> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

/** A byte as text of the shell. */
function byte(code: number): string {
  code &= 0xff;
  return String.fromCharCode(code < 0x80 ? code : 0xdc00 | code);
}

/** Text with its backslash escapes done; `ended` where `\c` ends all output. `zero`: octal digits need a 0 in front. */
function unescape(text: string, zero: boolean): { text: string; ended: boolean } {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== "\\" || i + 1 === text.length) {
      out += text[i];
      continue;
    }
    const next = text[++i]!;
    const rest = text.slice(i + 1);
    let match: RegExpExecArray | null;
    if (next in SIMPLE_ESCAPES) {
      out += SIMPLE_ESCAPES[next];
    } else if (next === "c") {
      return { text: out, ended: true };
    } else if (next === "x" && (match = /^[0-9a-fA-F]{1,2}/.exec(rest)) !== null) {
      out += byte(parseInt(match[0], 16));
      i += match[0].length;
    } else if (next === "0" && (match = /^[0-7]{0,3}/.exec(rest)) !== null) {
      out += byte(parseInt(match[0] || "0", 8));
      i += match[0].length;
    } else if (!zero && /[1-7]/.test(next) && (match = /^[0-7]{0,2}/.exec(rest)) !== null) {
      out += byte(parseInt(next + match[0], 8));
      i += match[0].length;
    } else {
      out += `\\${next}`;
    }
  }
  return { text: out, ended: false };
}

export function echo(shell: Interpreter, words: string[]): number | Promise<number> {
  let i = 1;
  let newline = true;
  let escapes = false;
  for (; i < words.length && /^-[neE]+$/.test(words[i]!); i++) {
    for (const letter of words[i]!.slice(1)) {
      if (letter === "n") newline = false;
      else escapes = letter === "e";
    }
  }
  let text = i === 1 && words.length === 2 ? words[1]! : words.slice(i).join(" ");
  if (escapes) {
    const result = unescape(text, true);
    text = result.text;
    if (result.ended) newline = false;
  }
  if (newline) {
    // As in Bun: newlines at the end of the last word become one, the end of the line.
    const last = words.length > i ? words.at(-1)! : "";
    if (!escapes && last.endsWith("\n") && !shell.state.posix) {
      const kept = /^\n+$/.test(last) ? Math.min(last.length, 2) : 1;
      text = text.slice(0, text.length - /\n+$/.exec(last)![0].length) + "\n".repeat(kept);
    } else {
      text += "\n";
    }
  }
  return printed(shell, text);
}

const FORMAT = /%(?:%|([-+ #0]*)(\*|\d+)?(?:\.(\*|-?\d+)?)?([diouxXcsbeEfFgG])|(.?))/y;

/** A number as printf reads its arguments; undefined if it is none. */
function numberOf(text: string): bigint | undefined {
  if (text === "") return 0n;
  if (text[0] === "'" || text[0] === '"') return BigInt(text.codePointAt(1) ?? 0);
  const match = /^\s*([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]*|\d+)$/.exec(text);
  if (match === null) return undefined;
  const digits = match[2]!;
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return match[1] === "-" ? -value : value;
}

function padded(text: string, width: number, flags: string, zeros: boolean): string {
  const length = Array.from(text).length;
  if (length >= width) return text;
  if (flags.includes("-")) return text + " ".repeat(width - length);
  if (!zeros || !flags.includes("0")) return " ".repeat(width - length) + text;
  const sign = /^[-+ ]?(?:0[xX])?/.exec(text)![0];
  return sign + "0".repeat(width - length) + text.slice(sign.length);
}

function integer(value: bigint, kind: string, flags: string, precision: number | undefined): string {
  const negative = value < 0n;
  const positive = kind === "d" || kind === "i" ? (negative ? -value : value) : BigInt.asUintN(64, value);
  const radix = kind === "o" ? 8 : kind === "x" || kind === "X" ? 16 : 10;
  let digits = positive.toString(radix);
  if (kind === "X") digits = digits.toUpperCase();
  if (precision !== undefined) digits = digits.padStart(precision, "0");
  if (flags.includes("#") && radix === 16 && positive !== 0n) digits = `0${kind}${digits}`;
  if (flags.includes("#") && radix === 8 && digits[0] !== "0") digits = `0${digits}`;
  if (kind !== "d" && kind !== "i") return digits;
  return (negative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "") + digits;
}

function floating(value: number, kind: string, flags: string, precision = 6): string {
  let text: string;
  if (!Number.isFinite(value)) text = `${value}`.replace("Infinity", "inf").replace("NaN", "nan");
  else if (kind === "f" || kind === "F") text = value.toFixed(Math.min(precision, 100));
  else if (kind === "e" || kind === "E") text = value.toExponential(Math.min(precision, 100));
  else {
    const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
    const digits = precision === 0 ? 1 : precision;
    text =
      exponent < -4 || exponent >= digits
        ? value.toExponential(digits - 1)
        : value.toFixed(Math.max(0, digits - 1 - exponent));
    if (!flags.includes("#") && text.includes(".")) text = text.replace(/\.?0+(?=e|$)/, "");
  }
  text = text.replace(/e([-+])(\d)$/, "e$10$2");
  if (flags.includes("#") && Number.isFinite(value) && !text.includes(".")) text = text.replace(/(?=e|$)/, ".");
  if (kind === "E" || kind === "G") text = text.toUpperCase();
  return value >= 0 && flags.includes("+") ? `+${text}` : value >= 0 && flags.includes(" ") ? ` ${text}` : text;
}

/** printf, as POSIX has it. */
export async function printf(shell: Interpreter, words: string[]): Promise<number> {
  let start = 1;
  if (words[start] === "--") start++;
  else if (/^-[A-Za-z]$/.test(words[start] ?? "")) return refused(shell, `printf: illegal option ${words[start]}\n`, 2);
  if (words.length <= start) return refused(shell, "usage: printf format [arguments]\n", 2);
  const format = words[start]!;
  const values = words.slice(start + 1);
  let next = 0;
  let out = "";
  let status = 0;
  const complaints: string[] = [];
  const numeric = (text: string): bigint => {
    const value = numberOf(text);
    if (value !== undefined) return value;
    status = 1;
    complaints.push(`printf: ${text}: invalid number\n`);
    return BigInt(/^[-+]?\d+/.exec(text.trim())?.[0] ?? 0);
  };
  do {
    for (let i = 0; i < format.length;) {
      if (format[i] === "\\") {
        const end = /\\(?:x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[^])/y;
        end.lastIndex = i;
        const escape = end.exec(format)?.[0] ?? "\\";
        const result = unescape(escape, false);
        out += result.text;
        if (result.ended) return printed(shell, out);
        i += escape.length;
        continue;
      }
      if (format[i] !== "%") {
        out += format[i++];
        continue;
      }
      FORMAT.lastIndex = i;
      const [all, flags = "", width, precision, kind, wrong] = FORMAT.exec(format)!;
      i += all.length;
      if (all === "%%") {
        out += "%";
        continue;
      }
      if (kind === undefined) return refused(shell, `printf: %${wrong ?? ""}: invalid directive\n`);
      let size = width === "*" ? Number(numeric(values[next++] ?? "")) : Number(width ?? 0);
      let style = flags;
      if (size < 0) {
        size = -size;
        style += "-";
      }
      let digits =
        precision === "*"
          ? Number(numeric(values[next++] ?? ""))
          : precision === undefined
            ? all.includes(".")
              ? 0
              : undefined
            : Number(precision);
      if (digits !== undefined && digits < 0) digits = undefined;
      const value = values[next++] ?? "";
      let text: string;
      let ended = false;
      if (kind === "s" || kind === "b" || kind === "c") {
        text = value;
        if (kind === "b") ({ text, ended } = unescape(value, false));
        if (kind === "c") text = Array.from(value)[0] ?? "";
        else if (digits !== undefined) text = Array.from(text).slice(0, digits).join("");
        text = padded(text, size, style, false);
      } else if ("diouxX".includes(kind)) {
        text = padded(integer(numeric(value), kind, style, digits), size, style, digits === undefined);
      } else {
        const number = value === "" ? 0 : Number(value);
        if (Number.isNaN(number)) {
          status = 1;
          complaints.push(`printf: ${value}: invalid number\n`);
        }
        text = padded(floating(Number.isNaN(number) ? 0 : number, kind, style, digits), size, style, true);
      }
      out += text;
      if (ended) return printed(shell, out);
    }
    if (next === 0) break;
  } while (next < values.length);
  const waiting = print(shell, out);
  if (waiting !== undefined) await waiting;
  for (const complaint of complaints) await shell.complain(complaint);
  return status;
}

const SEQ_USAGE = "usage: seq [-w] [-f format] [-s string] [-t string] [first [incr]] last\n";

/** seq, with BSD's options as Bun has them. Numbers are those of single precision, as in Bun, while they fit. */
export async function seq(shell: Interpreter, words: string[]): Promise<number> {
  let separator = "\n";
  let terminator = "";
  let fixed = false;
  let i = 1;
  for (; i < words.length; i++) {
    const word = words[i]!;
    if (word === "--") {
      i++;
      break;
    }
    const letter = /^-[st]/.test(word)
      ? word[1]
      : word === "--separator"
        ? "s"
        : word === "--terminator"
          ? "t"
          : undefined;
    if (letter !== undefined) {
      let value: string | undefined = word[1] === "-" || word.length === 2 ? undefined : word.slice(2);
      if (value === undefined) value = words[++i];
      if (value === undefined) return refused(shell, `seq: option requires an argument -- ${letter}\n`);
      if (letter === "s") separator = value;
      else terminator = value;
    } else if (word === "-w" || word === "--fixed-width") {
      fixed = true;
    } else {
      break;
    }
  }
  const operands = words.slice(i);
  if (operands.length === 0) return refused(shell, SEQ_USAGE);
  const numbers: number[] = [];
  for (const operand of operands.slice(0, 3)) {
    const value = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(operand) ? Number(operand) : NaN;
    if (!Number.isFinite(value)) return refused(shell, "seq: invalid argument\n");
    numbers.push(value);
  }
  const last = numbers.length === 1 ? numbers[0]! : numbers.at(-1)!;
  const first = numbers.length === 1 ? 1 : numbers[0]!;
  const step = numbers.length === 3 ? numbers[1]! : first > last ? -1 : 1;
  if (numbers.length === 3) {
    if (step === 0) return refused(shell, "seq: zero increment\n");
    if (first > last && step > 0) return refused(shell, "seq: needs negative decrement\n");
    if (first < last && step < 0) return refused(shell, "seq: needs positive increment\n");
  }
  const single = !shell.state.posix;
  const round = single ? Math.fround : (value: number) => value;
  const shortest = (value: number): string => {
    if (!single || Number.isInteger(value)) return `${value}`;
    for (let digits = 1; digits < 10; digits++) {
      const text = `${Number(value.toPrecision(digits))}`;
      if (Math.fround(Number(text)) === value) return text;
    }
    return `${value}`;
  };
  const width = fixed && !single ? Math.max(`${first}`.length, `${last}`.length) : 0;
  let out = "";
  for (let value = round(first); step > 0 ? value <= round(last) : value >= round(last);) {
    out += (width > 0 ? shortest(value).padStart(width, "0") : shortest(value)) + separator;
    if (out.length >= SEQ_BYTES) {
      await print(shell, out);
      out = "";
      if (shell.run.aborted !== undefined) throw shell.run.aborted;
    }
    const next = round(value + step);
    // The step is too small to change the number.
    if (next === value) break;
    value = next;
  }
  return printed(shell, out + terminator);
}

export async function yes(shell: Interpreter, words: string[]): Promise<number> {
  const line = `${words.length > 1 ? words.slice(1).join(" ") : "y"}\n`;
  const bytes = Buffer.from(line.repeat(Math.max(1, Math.floor(YES_BYTES / line.length))));
  const target = shell.descriptors.get(1);
  if (target === undefined) throw new ShellFailure("standard output is closed");
  for (let turn = 0; ; turn++) {
    const waiting = target.write(bytes);
    if (waiting !== undefined) await waiting;
    else if (turn % 16 === 15) await new Promise<void>((resolve) => setImmediate(resolve));
    if (shell.run.aborted !== undefined) throw shell.run.aborted;
    if ((target as { full?: boolean }).full) return 1;
  }
}

function baseOf(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  if (trimmed === "") return path === "" ? "" : "/";
  return trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

function directoryOf(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  const slash = trimmed.lastIndexOf("/");
  if (slash === -1) return trimmed === "" && path !== "" ? "/" : ".";
  return trimmed.slice(0, slash).replace(/\/+$/, "") || "/";
}

/** The last part of each path; with `set -o posix` the second operand is a suffix to leave out. */
export function basename(shell: Interpreter, words: string[]): number | Promise<number> {
  if (words.length === 1) return refused(shell, "usage: basename string\n");
  if (shell.state.posix && words.length === 3) {
    const base = baseOf(words[1]!);
    const suffix = words[2]!;
    return printed(
      shell,
      `${base.endsWith(suffix) && base !== suffix ? base.slice(0, base.length - suffix.length) : base}\n`,
    );
  }
  return printed(
    shell,
    words
      .slice(1)
      .map((word) => `${baseOf(word)}\n`)
      .join(""),
  );
}

export function dirname(shell: Interpreter, words: string[]): number | Promise<number> {
  if (words.length === 1) return refused(shell, "usage: dirname string\n");
  return printed(
    shell,
    words
      .slice(1)
      .map((word) => `${directoryOf(word)}\n`)
      .join(""),
  );
}

/** Where a program is, in the PATH of the shell or another; `mode`: what has to be allowed, running it if left out. */
export function findProgram(
  shell: Interpreter,
  name: string,
  search = shell.state.get("PATH") ?? "/bin:/usr/bin",
  mode?: number,
): string | undefined {
  const { accessSync, statSync, constants } = require("node:fs");
  const executable = (path: string): boolean => {
    try {
      const file = systemPath(shell, path);
      accessSync(file, mode ?? constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  };
  if (name === "") return undefined;
  if (name.includes("/")) return executable(name) ? name : undefined;
  for (const directory of search.split(":")) {
    const path = directory === "" ? `./${name}` : `${directory.replace(/\/$/, "")}/${name}`;
    if (executable(path)) return path;
  }
  return undefined;
}

export async function which(shell: Interpreter, words: string[]): Promise<number> {
  if (words.length === 1) {
    await print(shell, "\n");
    return 1;
  }
  let status = 0;
  for (const name of words.slice(1)) {
    const path = findProgram(shell, name);
    if (path === undefined) status = 1;
    await print(shell, path === undefined ? `${name} not found\n` : `${path}\n`);
  }
  return status;
}
