// Inline snapshots: where a call stands in its source, and the source with the snapshots in it.
import { asTemplate, normalized, writeWhole } from "internal/test/bun_test/snapshot";
import { type SnapshotCounts } from "internal/test/bun_test/types";

const fs = () => require("node:fs");

/** Where the snapshot of a call stands, or is to stand. */
interface Place {
  file: string;
  start: number;
  end: number;
  /** What goes before the literal. */
  before: string;
  /** The white space that its line begins with. */
  indent: string;
}

interface Edit extends Place {
  /** undefined: the source stays as it is. */
  text: string | undefined;
}

/** A snapshot written with the indentation of its source, without it. */
export function dedent(text: string): string {
  const lines = normalized(text).split("\n");
  if (lines.length < 3 || lines[0]!.trim() !== "" || lines.at(-1)!.trim() !== "") return normalized(text);
  const content = lines.slice(1, -1);
  const indent = /^[ \t]*/.exec(content.find((line) => line.trim() !== "") ?? "")![0];
  if (!content.every((line) => line.trim() === "" || line.startsWith(indent))) return content.join("\n");
  return content.map((line) => line.slice(indent.length)).join("\n");
}

/** A text as a literal in a line that begins with `indent`, or with the indentation of the literal that was there. */
function literal(text: string, indent: string, old: string): string {
  const escaped = asTemplate(text);
  if (!text.includes("\n")) return `\`${escaped}\``;
  let deeper = `${indent}  `;
  const shape = /^`[ \t]*\r?\n(?:[ \t]*\r?\n)*([ \t]*)[^]*\n([ \t]*)`$/.exec(old);
  if (shape !== null) [, deeper, indent] = shape as unknown as [string, string, string];
  const lines = escaped.split("\n").map((line) => (line === "" ? "" : deeper + line));
  return `\`\n${lines.join("\n")}\n${indent}\``;
}

/** Skips a comment, text, template or pattern that begins at `at`; `at` where there is none. */
function skipToken(source: string, at: number, before: string): number {
  const char = source[at]!;
  const next = source[at + 1];
  if (char === "/" && next === "/") {
    const end = source.indexOf("\n", at);
    return end < 0 ? source.length : end;
  }
  if (char === "/" && next === "*") {
    const end = source.indexOf("*/", at + 2);
    return end < 0 ? source.length : end + 2;
  }
  if (char === '"' || char === "'") {
    for (let i = at + 1; i < source.length; i++) {
      if (source[i] === "\\") i++;
      else if (source[i] === char) return i + 1;
    }
    return source.length;
  }
  if (char === "`") return skipTemplate(source, at);
  if (char === "/" && "(,=:[!&|?{};+-*%<>~^\n".includes(before)) {
    let inClass = false;
    for (let i = at + 1; i < source.length; i++) {
      if (source[i] === "\\") i++;
      else if (source[i] === "[") inClass = true;
      else if (source[i] === "]") inClass = false;
      else if (source[i] === "/" && !inClass) return i + 1;
      else if (source[i] === "\n") return at;
    }
  }
  return at;
}

function skipTemplate(source: string, at: number): number {
  for (let i = at + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "`") return i + 1;
    else if (source[i] === "$" && source[i + 1] === "{") {
      const end = skipGroup(source, i + 1, undefined);
      if (end < 0) return source.length;
      i = end - 1;
    }
  }
  return source.length;
}

/** The end of the brackets that open at `at`; `commas` gets the places of those between arguments. */
function skipGroup(source: string, at: number, commas: number[] | undefined): number {
  let depth = 0;
  let before = "(";
  for (let i = at; i < source.length; i++) {
    const end = skipToken(source, i, before);
    if (end > i) {
      if (!(source[i] === "/" && (source[i + 1] === "/" || source[i + 1] === "*"))) before = '"';
      i = end - 1;
      continue;
    }
    const char = source[i]!;
    if (char === "(" || char === "[" || char === "{") depth++;
    else if (char === ")" || char === "]" || char === "}") {
      if (--depth === 0) return i + 1;
    } else if (char === "," && depth === 1) commas?.push(i);
    if (char > " ") before = char;
  }
  return -1;
}

/** Begin and end of what is in an argument, without white space and comments around it. */
function trimmed(source: string, start: number, end: number): [number, number] {
  let first = -1;
  let last = start;
  for (let i = start; i < end; i++) {
    const char = source[i]!;
    if (char <= " ") continue;
    const skipped = skipToken(source, i, "(");
    const isComment = char === "/" && (source[i + 1] === "/" || source[i + 1] === "*");
    if (!isComment) {
      if (first < 0) first = i;
      last = Math.max(i + 1, Math.min(skipped, end));
    }
    if (skipped > i) i = skipped - 1;
  }
  return first < 0 ? [end, end] : [first, last];
}

/** Source files as they were at the first look. */
const sources = new Map<string, string>();

function sourceOf(file: string): string {
  let source = sources.get(file);
  if (source === undefined) sources.set(file, (source = fs().readFileSync(file, "utf8") as string));
  return source;
}

/** The place of the matcher's name nearest to a position, as positions are those of a transpiler's map. */
function findName(source: string, name: string, line: number, column: number): number {
  let lineStart = 0;
  const ends = source.matchAll(/\r\n|[\n\r\u2028\u2029]/g);
  for (let i = 1; i < line; i++) {
    const { value: end } = ends.next();
    if (end === undefined) return -1;
    lineStart = end.index + end[0].length;
  }
  const at = lineStart + column - 1;
  if (source.startsWith(name, at)) return at;
  const pattern = new RegExp(`\\b${name}\\b(?=\\s*(?:<[^()]*>\\s*)?\\()`, "g");
  const found: number[] = [];
  for (const match of source.matchAll(pattern)) found.push(match.index!);
  let best = -1;
  for (const one of found) {
    // Of several the first that follows; the expression may begin lines above.
    if (one >= at) return best >= 0 && at - best < one - at && source.slice(best, at).indexOf("\n") < 0 ? best : one;
    best = one;
  }
  return best;
}

/** Where the literal of the call at a position is: argument number `index`. */
function placeOf(file: string, name: string, line: number, column: number, index: number): Place {
  const source = sourceOf(file);
  const at = findName(source, name, line, column);
  const open = at < 0 ? -1 : source.indexOf("(", at);
  const commas: number[] = [];
  const end = open < 0 ? -1 : skipGroup(source, open, commas);
  if (end < 0) throw problem(`Could not find '${name}' here`, file, line, column);
  const bounds = [open, ...commas, end - 1];
  const args: [number, number][] = [];
  for (let i = 0; i + 1 < bounds.length; i++) args.push(trimmed(source, bounds[i]! + 1, bounds[i + 1]!));
  // After a trailing comma there is no argument.
  while (args.length > 0 && args.at(-1)![0] === args.at(-1)![1]) args.pop();
  const close = end - 1;
  if (args.some(([start]) => source.startsWith("...", start)))
    throw problem("Spread is not allowed", file, line, column);
  if (args.length > 2) throw problem("Snapshot expects at most two arguments", file, line, column);
  const place = (start: number, last: number, before: string): Place => {
    const lineStart = source.lastIndexOf("\n", start - 1) + 1;
    const indent = /^[ \t]*/.exec(source.slice(lineStart, start))![0];
    return { file, start, end: last, before, indent };
  };
  if (index < args.length) {
    const [start, last] = args[index]!;
    if (!/^(?:"[^]*"|'[^]*'|`[^]*`)$/.test(source.slice(start, last)) || skipToken(source, start, "(") !== last)
      throw problem("Argument must be a string literal", file, line, column);
    return place(start, last, "");
  }
  if (index > args.length) throw problem(`'${name}' is not called with the property matchers`, file, line, column);
  if (args.length === 0) return place(close, close, "");
  const last = args.at(-1)![1];
  if (commas.length >= args.length) return place(commas[args.length - 1]!, close, ", ");
  return place(source.slice(last, close).includes("\n") ? last : close, close, ", ");
}

/** What keeps a snapshot from being written where its call stands. */
function problem(what: string, file: string, line: number, column: number): Error {
  return new Error(`Failed to update inline snapshot: ${what}: ${file}:${line}:${column}`);
}

export class InlineSnapshots {
  #edits = new Map<string, Edit>();

  /** Notes what the call that `site` is of gets as its snapshot. Throws where the call got another one before. */
  note(site: { file: string; line: number; column: number }, name: string, index: number, text: string): void {
    const place = placeOf(site.file, name, site.line, site.column, index);
    const key = `${place.file}:${place.start}`;
    const before = this.#edits.get(key);
    if (before !== undefined && before.text !== text) {
      const first = before.text;
      // Neither is right for all calls.
      before.text = undefined;
      throw new Error(
        `Failed to update inline snapshot: Multiple inline snapshots on the same line must all have the same value\n\nFirst: ${first}\nThen:  ${text}`,
      );
    }
    this.#edits.set(key, { ...place, text });
  }

  finish(counts: SnapshotCounts): void {
    const files = new Map<string, Edit[]>();
    for (const edit of this.#edits.values()) {
      if (edit.text === undefined) continue;
      const list = files.get(edit.file);
      if (list === undefined) files.set(edit.file, [edit]);
      else list.push(edit);
    }
    this.#edits.clear();
    for (const [file, edits] of files) {
      try {
        const source = sourceOf(file);
        if (fs().readFileSync(file, "utf8") !== source) throw new Error("the file has changed while its tests ran");
        let text = source;
        edits.sort((a, b) => b.start - a.start);
        for (const edit of edits) {
          text =
            text.slice(0, edit.start) +
            edit.before +
            literal(edit.text!, edit.indent, source.slice(edit.start, edit.end)) +
            text.slice(edit.end);
        }
        writeWhole(file, text);
        counts.written.push(file);
      } catch (error) {
        counts.errors.push(
          new Error(`Failed to update inline snapshots of ${file}: ${(error as Error).message}`, { cause: error }),
        );
      }
      sources.delete(file);
    }
  }
}
