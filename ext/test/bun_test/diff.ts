// The difference of two texts as a failed assertion shows it: lines of both with a sign, those far from a change left out.

import { DELETE, INSERT, listDiff } from "internal/util/list_diff";
import { colors, dim, green, red } from "internal/test/bun_test/message_colors";

const bold = (text: string, color: number): string => `\x1b[0m\x1b[1;4;${color}m${text}\x1b[0m\x1b[${color}m`;

/** Lines shown around a change when not all are. */
const CONTEXT = 5;
/** Texts shorter than this are shown whole. */
const WHOLE = 2048;
/** A line or run longer than this is cut in the middle, this much kept at each end. */
const LONGEST = 2048;
const KEPT = 100;
/** Lines of one side of a change that are shown. */
const MOST_LINES = 200;
/** Changes that are shown. */
const MOST_HUNKS = 50;
/** Lines removed and added beyond which the exact difference is not looked for. */
const MOST_EDITS = 2000;

/** One line: kept (0), only expected (-1) or only received (1). */
type Line = [kind: -1 | 0 | 1, text: string];

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, KEPT)}... (${text.length - 2 * KEPT} bytes truncated) ...${text.slice(-KEPT)}`;
}

/** The shortest script from `a` to `b`, equal ends taken off first. */
function diffLines(a: string[], b: string[]): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) lines.push([0, a[start++]!]);
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  middle(a, b, start, endA, endB, lines);
  for (let i = endA; i < a.length; i++) lines.push([0, a[i]!]);
  return lines;
}

function middle(a: string[], b: string[], start: number, endA: number, endB: number, lines: Line[]): void {
  const edits = listDiff(a.slice(start, endA), b.slice(start, endB), false, MOST_EDITS);
  if (edits === undefined) {
    for (let i = start; i < endA; i++) lines.push([-1, a[i]!]);
    for (let i = start; i < endB; i++) lines.push([1, b[i]!]);
    return;
  }
  // Of what was replaced the expected lines come first.
  let added: Line[] = [];
  let [x, y] = [start, start];
  for (const edit of edits) {
    if (edit === INSERT) {
      added.push([1, b[y++]!]);
    } else if (edit === DELETE) {
      lines.push([-1, a[x++]!]);
    } else {
      lines.push(...added, [0, a[x++]!]);
      added = [];
      y++;
    }
  }
  for (const line of added) lines.push(line);
}

/** Two lines of which one replaces the other, with what differs standing out. */
function emphasize(before: string, after: string): [string, string] | undefined {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  // Lines that have little in common are two lines.
  if (start + end < Math.max(before.length, after.length) / 3) return undefined;
  const mark = (text: string, color: number) => {
    const part = text.slice(start, text.length - end);
    return part === "" ? text : text.slice(0, start) + bold(part, color) + text.slice(text.length - end);
  };
  return [mark(before, 32), mark(after, 31)];
}

/** The lines of one run of removed and added ones. */
function paintRun(run: Line[]): string {
  const gone = run.filter((line) => line[0] === -1).map((line) => cut(line[1]));
  const come = run.filter((line) => line[0] === 1).map((line) => cut(line[1]));
  if (colors.enabled && gone.length === come.length) {
    for (let i = 0; i < gone.length; i++) {
      const pair = emphasize(gone[i]!, come[i]!);
      if (pair !== undefined) [gone[i], come[i]] = pair;
    }
  }
  return paintSide(gone, "-", green) + paintSide(come, "+", red);
}

/** The removed or the added lines of a run; of very many only the first and last ones. */
function paintSide(lines: string[], sign: string, paint: (text: string) => string): string {
  let text = "";
  const skipped = lines.length > MOST_LINES ? lines.length - MOST_LINES : 0;
  for (let i = 0; i < lines.length; i++) {
    if (skipped > 0 && i === MOST_LINES / 2) {
      text += `${paint(`${sign} ... (${skipped} lines truncated) ...`)}\n`;
      i += skipped;
    }
    text += `${paint(`${sign} ${lines[i]}`)}\n`;
  }
  return text;
}

function paintLines(lines: Line[]): string {
  let text = "";
  let run: Line[] = [];
  for (const line of lines) {
    if (line[0] !== 0) {
      run.push(line);
      continue;
    }
    if (run.length > 0) text += paintRun(run);
    run = [];
    text += `  ${dim(cut(line[1]))}\n`;
  }
  return run.length > 0 ? text + paintRun(run) : text;
}

/** Parts of long differences, each under a heading with the numbers of its lines. */
function paintHunks(lines: Line[]): string {
  let text = "";
  let expectedLine = 1;
  let receivedLine = 1;
  let from = 0;
  for (let shown = 0; from < lines.length; shown++) {
    let first = from;
    while (first < lines.length && lines[first]![0] === 0) first++;
    if (first === lines.length) break;
    if (shown === MOST_HUNKS) {
      text += `${dim("@@ further differences are not shown @@")}\n`;
      break;
    }
    const begin = Math.max(from, first - CONTEXT);
    let last = first;
    for (let i = first; i < lines.length && i - last <= 2 * CONTEXT; i++) if (lines[i]![0] !== 0) last = i;
    const end = Math.min(lines.length, last + CONTEXT + 1);
    expectedLine += begin - from;
    receivedLine += begin - from;
    const hunk = lines.slice(begin, end);
    const expectedCount = hunk.filter((line) => line[0] !== 1).length;
    const receivedCount = hunk.filter((line) => line[0] !== -1).length;
    text += `${dim(`@@ -${expectedLine},${expectedCount} +${receivedLine},${receivedCount} @@`)}\n${paintLines(hunk)}`;
    expectedLine += expectedCount;
    receivedLine += receivedCount;
    from = end;
  }
  return text;
}

/** Two texts of one line each. */
function paintShort(expected: string, received: string): string {
  const [left, right] = [cut(expected), cut(received)];
  const pair = colors.enabled ? emphasize(left, right) : undefined;
  return `Expected: ${green(pair?.[0] ?? left)}\nReceived: ${red(pair?.[1] ?? right)}`;
}

/** What differs between two texts, ending with a line feed. */
export function diffTexts(expected: string, received: string): string {
  if (!expected.includes("\n") && !received.includes("\n")) return `${paintShort(expected, received)}\n`;
  const lines = diffLines(expected.split("\n"), received.split("\n"));
  let gone = 0;
  let come = 0;
  for (const [kind] of lines) {
    if (kind === -1) gone++;
    else if (kind === 1) come++;
  }
  const all = expected.length + received.length < 2 * WHOLE || lines.length <= 4 * CONTEXT || gone + come === 0;
  const body = all ? paintLines(lines) : paintHunks(lines);
  return `${body}\n${green(`- Expected  - ${gone}`)}\n${red(`+ Received  + ${come}`)}\n`;
}

/** What differs between two values. */
export function diffValues(expected: unknown, received: unknown): string {
  const { format } = require("internal/test/bun_test/format");
  return diffTexts(format(expected, "diff"), format(received, "diff"));
}
