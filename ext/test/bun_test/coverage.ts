// --coverage: what ran (https://bun.com/docs/test/code-coverage). The native half puts counters into the text of files that are
// loaded (libs/transpile/src/coverage): what a statement, a function and a branch is, is what Istanbul says. Here their counts
// become sums, a table and files; coverage_files.ts writes those, coverage_html.ts pages.

import type { CoverageConfig, Metric, RunConfig } from "internal/test/bun_test/types";

const natives = native("test");

/** A function: name, declaration (line, column), start and end of the body, count. */
type CountedFunction = [string, number, number, number, number, number, number, number];
/** A branch: kind, start, end, ways; of an `if` whose first way is counted the start and end of its body, too. */
type CountedBranch = [string, number, number, number, number, number[], ...body: number[]];

/** Counts of one file. Lines are from 1, columns from 0. Statements, and the ways of a branch, are five numbers each: start (line, column), end, count. */
export interface FileCoverage {
  path: string;
  statements: number[];
  functions: CountedFunction[];
  branches: CountedBranch[];
}

/** Numbers of an item in FileCoverage's lists; the last one is the count. */
export const ITEM = 5;
/** Where the count of a function is. */
export const FUNCTION_COUNT = 7;

/** By absolute path. */
export type Coverage = Record<string, FileCoverage>;

/** A run with --coverage. */
export type CoverageRun = RunConfig & { coverage: CoverageConfig };

/** Counts from now on. */
export function begin({ coverage, files }: CoverageRun): void {
  const left = coverage.countsTests ? [] : (coverage.tests ?? files.map((file) => file[0]));
  natives.coverageStart(process.cwd(), left, coverage.ignore, coverage.include);
}

/** What was counted in this process so far. */
export function collect(): Coverage {
  const found: Coverage = Object.create(null);
  for (const file of JSON.parse(natives.coverage())) add(found, file);
  return found;
}

function add(into: Coverage, file: FileCoverage): void {
  const known = into[file.path];
  // A file that has changed in between counts as it is now.
  if (
    known === undefined ||
    known.statements.length !== file.statements.length ||
    known.functions.length !== file.functions.length
  ) {
    into[file.path] = file;
    return;
  }
  addItems(known.statements, file.statements);
  known.functions.forEach((one, index) => (one[FUNCTION_COUNT] += file.functions[index]![FUNCTION_COUNT]));
  known.branches.forEach((one, index) => addItems(one[5], file.branches[index]?.[5] ?? []));
}

function addItems(into: number[], more: number[]): void {
  for (let at = ITEM - 1; at < into.length; at += ITEM) into[at]! += more[at] ?? 0;
}

/** Adds the counts of another process. */
export function merge(into: Coverage, more: Coverage): void {
  for (const file of Object.values(more)) add(into, file);
}

/** How many of something there are, and how many of them ran. */
export interface Sum {
  total: number;
  hit: number;
}

export const METRICS = ["line", "function", "statement", "branch"] as const;
export type { Metric };
export type Sums = Record<Metric, Sum>;

/** One file of a report. */
export interface Row {
  /** As shown: relative to the working directory. */
  path: string;
  file: FileCoverage;
  /** Lines that statements begin in, in order, with the largest of their counts. */
  lines: [number, number][];
  sums: Sums;
}

export const noSums = (): Sums => ({
  line: { total: 0, hit: 0 },
  function: { total: 0, hit: 0 },
  statement: { total: 0, hit: 0 },
  branch: { total: 0, hit: 0 },
});

export const share = ({ total, hit }: Sum) => (total === 0 ? 1 : hit / total);

function sumUp(sum: Sum, items: number[]): void {
  for (let at = ITEM - 1; at < items.length; at += ITEM) {
    sum.total++;
    if (items[at]! > 0) sum.hit++;
  }
}

function rowOf(path: string, file: FileCoverage): Row {
  const sums = noSums();
  const counts = new Map<number, number>();
  const { statements } = file;
  for (let at = 0; at < statements.length; at += ITEM)
    counts.set(statements[at]!, Math.max(counts.get(statements[at]!) ?? 0, statements[at + ITEM - 1]!));
  const lines = [...counts].sort((a, b) => a[0] - b[0]);
  sums.line = { total: lines.length, hit: lines.filter(([, count]) => count > 0).length };
  sums.function = { total: file.functions.length, hit: file.functions.filter((one) => one[FUNCTION_COUNT] > 0).length };
  sumUp(sums.statement, statements);
  for (const branch of file.branches) sumUp(sums.branch, branch[5]);
  return { path, file, lines, sums };
}

function rowsOf(all: Coverage, config: CoverageRun): Row[] {
  const { relative } = require("node:path");
  const cwd = process.cwd();
  if (config.coverage.all || config.coverage.include.length > 0) {
    for (const path of require("internal/test/bun_test/coverage_files").sources(cwd, config)) {
      if (all[path] !== undefined) continue;
      const shape = natives.coverageShape(path);
      if (shape === undefined) continue;
      const file: FileCoverage = JSON.parse(shape);
      // What only has types is nothing that a test could load.
      if (file.statements.length + file.functions.length > 0) all[path] = file;
    }
  }
  return Object.entries(all)
    .map(([path, file]) => rowOf(relative(cwd, path), file))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** `5-6`, `9-11`, `16`: the lines of `lines` (number and count, in order) that did not run. A line that is not among them ends a range. */
export function rangesOf(lines: Iterable<readonly [line: number, count: number]>): string[] {
  const ranges: string[] = [];
  let first = 0;
  let last = 0;
  const end = () => {
    if (first > 0) ranges.push(first === last ? String(first) : `${first}-${last}`);
    first = 0;
  };
  for (const [line, count] of lines) {
    if (count > 0 || (first > 0 && line !== last + 1)) end();
    if (count > 0) continue;
    if (first === 0) first = line;
    last = line;
  }
  end();
  return ranges;
}

const percent = (value: number) => (value * 100).toFixed(2).padStart(8);

function tableOf(rows: Row[], colors: boolean, least: Record<Metric, number>): string {
  const width = Math.max(9, ...rows.map(({ path }) => path.length)) + 2;
  const dim = (text: string) => (colors ? `\x1b[0m\x1b[2m${text}\x1b[0m` : text);
  const rule = `${dim(`${"-".repeat(width)}|---------|---------|-------------------`)}\n`;
  const bar = dim("|");
  let text = `${rule}${"File".padEnd(width)}${bar} % Funcs ${bar} % Lines ${bar} Uncovered Line #s\n${rule}`;
  const average = (metric: Metric) =>
    rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + share(row.sums[metric]), 0) / rows.length;
  const paint = (value: string, good: boolean) =>
    colors ? `\x1b[0m\x1b[1m\x1b[${good ? 32 : 31}m${value}\x1b[0m` : value;
  const row = (name: string, functions: number, lines: number, rest: string) => {
    const isGood = functions >= least.function && lines >= least.line;
    return `${paint(name.padEnd(width), isGood)}${bar}${paint(percent(functions), functions >= least.function)} ${bar}${paint(percent(lines), lines >= least.line)} ${bar}${rest}\n`;
  };
  text += row("All files", average("function"), average("line"), "");
  for (const one of rows) {
    const ranges = rangesOf(one.lines);
    const shown = colors ? ranges.map((range) => `\x1b[0m\x1b[31m${range}\x1b[0m`).join(dim(",")) : ranges.join(",");
    text += row(` ${one.path}`, share(one.sums.function), share(one.sums.line), ` ${shown}`);
  }
  return `${text}${rule}`;
}

const PLURALS: Record<Metric, string> = {
  line: "lines",
  function: "functions",
  statement: "statements",
  branch: "branches",
};

/** What is below the threshold, a line for each. */
function shortfalls(rows: Row[], least: Partial<Record<Metric, number>>, colors: boolean): string {
  let text = "";
  const error = colors ? "\x1b[0m\x1b[31merror\x1b[0m\x1b[2m:\x1b[0m" : "error:";
  const figure = (value: number) => `${(value * 100).toFixed(2)}%`;
  for (const { path, sums } of rows) {
    for (const metric of METRICS) {
      const wanted = least[metric];
      if (wanted === undefined || share(sums[metric]) >= wanted) continue;
      const { hit, total } = sums[metric];
      text += `${error} ${path}: ${figure(share(sums[metric]))} of ${PLURALS[metric]} covered (${hit} of ${total}), the threshold is ${figure(wanted)}\n`;
    }
  }
  return text;
}

/** Writes the reports; what the terminal gets, and whether something is below the threshold. */
export function report(
  config: CoverageRun,
  colors: boolean,
  all: Coverage = collect(),
): { table: string | undefined; isLow: boolean } {
  const { reporters, dir, threshold } = config.coverage;
  const rows = rowsOf(all, config);
  const names: string[] = reporters.length === 0 ? ["text"] : reporters;
  if (names.some((name) => name !== "text"))
    require("internal/test/bun_test/coverage_files").write(names, rows, dir ?? "coverage");
  const wanted = typeof threshold === "number" ? { line: threshold, function: threshold } : (threshold ?? {});
  const low = shortfalls(rows, wanted, colors);
  const table = names.includes("text")
    ? tableOf(rows, colors, { line: 0.9, function: 0.9, statement: 0, branch: 0, ...wanted })
    : "";
  return { table: table + low || undefined, isLow: low !== "" };
}
