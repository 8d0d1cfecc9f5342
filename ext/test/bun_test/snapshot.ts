// Snapshots of a test file: `__snapshots__/NAME.snap`, and those that stand in the source. https://bun.com/docs/test/snapshots
//
// A snapshot file is read at the first snapshot and written once, when the file's tests are over: beside the old one and renamed,
// after what another run has written meanwhile was taken in. A file that cannot be read as one is never written over without -u.
import type { InlineSnapshots } from "internal/test/bun_test/snapshot_inline";
import { type ExpectContext, type SnapshotCounts, type SnapshotState as Interface } from "internal/test/bun_test/types";

const fs = () => require("node:fs");
const path = () => require("node:path");

const HEADER = "// Bun Snapshot v1, https://bun.sh/docs/test/snapshots";

export const normalized = (text: string): string => text.replace(/\r\n?/g, "\n").toWellFormed();
/** A text as it stands between backticks: control characters are escapes, but for tabs and line ends. */
export const asTemplate = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/\\|`|\$\{|[\0-\x08\v\f\x0e-\x1f\u2028\u2029]/g, (found) => {
    if (found === "\b") return "\\b";
    if (found === "\v") return "\\v";
    if (found === "\f") return "\\f";
    const code = found.charCodeAt(0);
    if (code < 0x20) return `\\x${code.toString(16).toUpperCase().padStart(2, "0")}`;
    return code >= 0x2028 ? `\\u${code.toString(16)}` : `\\${found}`;
  });

/** A text of many lines has its own lines in the file. */
export const framed = (text: string): string => (text.includes("\n") ? `\n${text}\n` : text);

class SnapshotFileError extends Error {}

interface Contents {
  header: string;
  entries: Map<string, string>;
}

/** The template literal that begins at `at`: its text and where it ends; undefined where there is none. */
function readTemplate(source: string, at: number): { text: string; end: number } | undefined {
  if (source[at] !== "`") return undefined;
  let text = "";
  const plain = /[^`\\$]+/y;
  for (let i = at + 1; i < source.length; i++) {
    plain.lastIndex = i;
    const run = plain.exec(source);
    if (run !== null) {
      text += run[0];
      i += run[0].length;
    }
    const char = source[i];
    if (char === undefined) return undefined;
    if (char === "`") return { text, end: i + 1 };
    if (char === "$" && source[i + 1] === "{") return undefined;
    if (char !== "\\") {
      text += char;
      continue;
    }
    const next = source[++i];
    const simple =
      next === undefined
        ? undefined
        : { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", 0: "\0", "\n": "" }[next];
    if (simple !== undefined) text += simple;
    else if (next === "x" || next === "u") {
      const match = /^(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\})/.exec(source.slice(i, i + 10));
      if (match === null) return undefined;
      text += String.fromCodePoint(Number.parseInt(match[1] ?? match[2] ?? match[3]!, 16));
      i += match[0].length - 1;
    } else if (next !== undefined) text += next;
  }
  return undefined;
}

/** What is in the text of a snapshot file. */
function parse(source: string, file: string): Contents {
  source = normalized(source);
  const entries = new Map<string, string>();
  const header = /^(\/\/[^\n]*)/.exec(source)?.[1] ?? HEADER;
  let at = 0;
  const blank = /(?:\s|\/\/[^\n]*)*/y;
  const wrong = () => {
    const line = source.slice(0, at).split("\n").length;
    return new SnapshotFileError(
      `Failed to parse snapshot file ${file} at line ${line}: expected exports[\`name\`] = \`value\`;\nIt was left as it is. Mend it, or write it anew with --update-snapshots.`,
    );
  };
  for (;;) {
    blank.lastIndex = at;
    at += blank.exec(source)![0].length;
    if (at >= source.length) break;
    if (!source.startsWith("exports[", at)) throw wrong();
    const key = readTemplate(source, at + 8);
    const equals = key === undefined ? null : /^\]\s*=\s*/.exec(source.slice(key.end, key.end + 20));
    if (key === undefined || equals === null) throw wrong();
    const value = readTemplate(source, key.end + equals[0].length);
    if (value === undefined) throw wrong();
    entries.set(key.text, value.text);
    at = value.end;
    if (source[at] === ";") at++;
  }
  return { header, entries };
}

function compose({ header, entries }: Contents): string {
  let text = `${header}\n`;
  for (const [key, value] of entries) text += `\nexports[\`${asTemplate(key)}\`] = \`${asTemplate(value)}\`;\n`;
  return text;
}

let temporary = 0;

/** Writes a file whole or not at all; one that is read-only, or reached by a link, stays what it is. */
export function writeWhole(file: string, text: string): void {
  const { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } = fs();
  let mode = 0o666;
  try {
    file = realpathSync(file);
    const status = statSync(file);
    if ((status.mode & 0o222) === 0)
      throw Object.assign(new Error(`EACCES: permission denied, open '${file}'`), { code: "EACCES", path: file });
    mode = status.mode & 0o7777;
  } catch (error) {
    if ((error as NodeError).code !== "ENOENT") throw error;
    mkdirSync(path().dirname(file), { recursive: true });
  }
  const beside = `${file}.${process.pid}-${++temporary}.tmp`;
  try {
    writeFileSync(beside, text, { mode });
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

const bare = (key: string): string => key.replaceAll(" > ", " ");

export class SnapshotState implements Interface {
  context: ExpectContext;
  file: string;
  added = 0;
  updated = 0;
  matched = 0;
  failed = 0;
  inline: InlineSnapshots | undefined;

  #text: string | undefined;
  #contents: Contents | undefined;
  #problem: SnapshotFileError | undefined;
  /** vitest's names by ours. */
  #aliases: Map<string, string> | undefined;
  #counts = new Map<string, Map<string, number>>();
  #checked = new Set<string>();
  #changed = new Map<string, string>();
  #skipped: string[] = [];

  constructor(context: ExpectContext) {
    this.context = context;
    const { basename, dirname, join } = path();
    this.file = join(dirname(context.testPath), "__snapshots__", `${basename(context.testPath)}.snap`);
  }

  #load(): Contents {
    if (this.#contents !== undefined) return this.#contents;
    if (this.#problem !== undefined) throw this.#problem;
    try {
      this.#text = fs().readFileSync(this.file, "utf8") as string;
    } catch (error) {
      if ((error as NodeError).code !== "ENOENT" && (error as NodeError).code !== "ENOTDIR") throw error;
      return (this.#contents = { header: HEADER, entries: new Map() });
    }
    try {
      this.#contents = parse(this.#text, this.file);
    } catch (error) {
      if (!this.context.options.updateSnapshots) {
        this.#problem = error as SnapshotFileError;
        throw error;
      }
      this.#contents = { header: HEADER, entries: new Map() };
    }
    if (this.#contents.header.includes("Vitest")) {
      this.#aliases = new Map();
      for (const key of this.#contents.entries.keys()) this.#aliases.set(bare(key), key);
    }
    return this.#contents;
  }

  /** Whether the file was written by another runner, whose texts of values differ from Bun's. */
  get style(): "bun" | "jest" {
    return this.#load().header.includes("Bun Snapshot") ? "bun" : "jest";
  }

  /** The number of the next snapshot of a test with this name. */
  count(testName: string, name: string): number {
    let counts = this.#counts.get(testName);
    if (counts === undefined) this.#counts.set(testName, (counts = new Map()));
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count;
  }

  /** The name of the next snapshot of a test. */
  key(testName: string, hint: string): string {
    const name = hint === "" ? testName : `${testName}: ${hint}`;
    const count = this.count(testName, name);
    const key = `${name} ${count}`;
    if (this.#load() === undefined || this.#aliases === undefined) return key;
    return this.#aliases.get(bare(key)) ?? this.#aliases.get(bare(`${testName} ${hint} ${count}`)) ?? key;
  }

  /** The text of a snapshot as it stands in the file. */
  get(key: string): string | undefined {
    this.#checked.add(key);
    return this.#load().entries.get(key);
  }

  set(key: string, text: string): void {
    const { entries } = this.#load();
    if (entries.has(key)) this.updated++;
    else this.added++;
    entries.set(key, text);
    this.#changed.set(key, text);
    this.#checked.add(key);
  }

  resetTest(fullName: string): void {
    this.#counts.delete(fullName);
  }

  markSkipped(fullName: string): void {
    this.#skipped.push(fullName);
  }

  #isSkipped(key: string): boolean {
    const plain = this.#aliases === undefined ? key : bare(key);
    return this.#skipped.some(
      (name) =>
        plain.startsWith(name) &&
        /^(?:: .*| .*)? \d+$/s.test(plain.slice(name.length)) &&
        (plain[name.length] === ":" || /^ \d+$/.test(plain.slice(name.length)) || this.#aliases !== undefined),
    );
  }

  finish(): SnapshotCounts {
    const { updateSnapshots, ci } = this.context.options;
    const counts: SnapshotCounts = {
      added: 0,
      updated: 0,
      matched: this.matched,
      failed: this.failed,
      obsolete: [],
      removed: 0,
      written: [],
      errors: [],
    };
    this.#finishFile(counts, updateSnapshots, ci);
    this.inline?.finish(counts);
    counts.added = this.added;
    counts.updated = this.updated;
    return counts;
  }

  #finishFile(counts: SnapshotCounts, update: boolean, ci: boolean): void {
    try {
      // Without a snapshot asked for there still may be a file of them.
      const contents = this.#load();
      counts.obsolete = [...contents.entries.keys()].filter((key) => !this.#checked.has(key) && !this.#isSkipped(key));
      if (ci && !update) return;
      const removed = update ? counts.obsolete : [];
      if (this.#changed.size === 0 && removed.length === 0) return;
      const merged = this.#merge(contents);
      for (const key of removed) {
        merged.entries.delete(key);
        counts.removed++;
      }
      if (removed.length > 0) counts.obsolete = [];
      if (merged.entries.size === 0) fs().rmSync(this.file, { force: true });
      else writeWhole(this.file, compose(merged));
      counts.written.push(this.file);
    } catch (error) {
      // A damaged file failed the tests that asked for a snapshot; others need not know.
      if (error instanceof SnapshotFileError && this.#counts.size > 0) return;
      counts.errors.push(
        error instanceof SnapshotFileError
          ? error
          : new Error(`Failed to write snapshot file ${this.file}: ${(error as Error).message}`, { cause: error }),
      );
    }
  }

  /** What is to be written: ours, and what another run has added since we read the file. */
  #merge(contents: Contents): Contents {
    let text: string;
    try {
      text = fs().readFileSync(this.file, "utf8");
    } catch {
      return contents;
    }
    if (text === this.#text) return contents;
    let theirs: Contents;
    try {
      theirs = parse(text, this.file);
    } catch {
      return contents;
    }
    for (const [key, value] of this.#changed) theirs.entries.set(key, value);
    return theirs;
  }
}

let current: SnapshotState | undefined;

/** The state of the file that a context is of. */
export function stateOf(context: ExpectContext): SnapshotState {
  if (current?.context !== context) current = new SnapshotState(context);
  return current;
}
