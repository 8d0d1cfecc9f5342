// The difference of two texts as a failed assertion shows it: lines of both with a sign, those far from a change left out.

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
/** Pairs of lines beyond which the exact difference is not looked for. */
const MOST_WORK = 4_000_000;

/** One line: kept (0), only expected (-1) or only received (1). */
type Line = [kind: -1 | 0 | 1, text: string];

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, KEPT)}... (${text.length - 2 * KEPT} bytes truncated) ...${text.slice(-KEPT)}`;
}

/** The shortest script from `a` to `b` by Myers' algorithm, equal ends taken off first. */
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
  const n = endA - start;
  const m = endB - start;
  const script = n === 0 || m === 0 ? undefined : myers(a, b, start, n, m);
  if (script !== undefined) {
    for (const line of script) lines.push(line);
    return;
  }
  for (let i = start; i < endA; i++) lines.push([-1, a[i]!]);
  for (let i = start; i < endB; i++) lines.push([1, b[i]!]);
}

function myers(a: string[], b: string[], start: number, n: number, m: number): Line[] | undefined {
  const most = n + m;
  const furthest = new Int32Array(2 * most + 2);
  const trace: Int32Array[] = [];
  let work = 0;
  search: for (let d = 0; ; d++) {
    trace.push(furthest.slice(most - d - 1 < 0 ? 0 : most - d - 1, most + d + 2));
    for (let k = -d; k <= d; k += 2) {
      let x =
        k === -d || (k !== d && furthest[most + k - 1]! < furthest[most + k + 1]!)
          ? furthest[most + k + 1]!
          : furthest[most + k - 1]! + 1;
      let y = x - k;
      while (x < n && y < m && a[start + x] === b[start + y]) {
        x++;
        y++;
      }
      furthest[most + k] = x;
      if (x >= n && y >= m) break search;
    }
    work += 2 * d + 1;
    if (work > MOST_WORK) return undefined;
  }
  const script: Line[] = [];
  let x = n;
  let y = m;
  for (let d = trace.length - 1; d >= 0; d--) {
    const row = trace[d]!;
    const base = most - d - 1 < 0 ? 0 : most - d - 1;
    const at = (k: number) => row[most + k - base] ?? 0;
    const k = x - y;
    const before = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    const beforeX = d === 0 ? 0 : at(before);
    const beforeY = d === 0 ? 0 : beforeX - before;
    while (x > beforeX && y > beforeY && x > 0 && y > 0) {
      script.push([0, a[start + --x]!]);
      y--;
    }
    if (d === 0) break;
    if (x === beforeX) script.push([1, b[start + --y]!]);
    else script.push([-1, a[start + --x]!]);
  }
  script.reverse();
  // Of what was replaced the expected lines come first.
  const ordered: Line[] = [];
  let added: Line[] = [];
  for (const line of script) {
    if (line[0] === 1) added.push(line);
    else {
      if (line[0] === 0 && added.length > 0) {
        ordered.push(...added);
        added = [];
      }
      ordered.push(line);
    }
  }
  ordered.push(...added);
  return ordered;
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
