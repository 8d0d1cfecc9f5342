// --experimental-test-coverage: https://nodejs.org/api/test.html#collecting-code-coverage
//
// The counts are those of `bao test --coverage` (statements, functions and branches as Istanbul has them); here they become what
// Node reports: a line counts unless all of it is inside of something that did not run.

import type { Coverage, FileCoverage } from "internal/test/bun_test/coverage";
import type { EventData } from "internal/test/node_test/types";
import type { CoverageSettings, Plan } from "internal/test/node_test/run";
import { collect, FUNCTION_COUNT, ITEM, merge } from "internal/test/bun_test/coverage";
import { listOf, numberOf } from "internal/test/node_test/settings";
import type { Root } from "internal/test/node_test/root";

const natives = native("test");
const option = native("process").cliOption;
/** The variable by which the processes of a run learn what they count. */
const VARIABLE = "BAO_TEST_COVERAGE";

/** Files that are no sources: those that hold tests, by their names. */
const TESTS = [
  "**/*.test.{js,cjs,mjs,ts,cts,mts}",
  "**/*[-_]test.{js,cjs,mjs,ts,cts,mts}",
  "**/test-*.{js,cjs,mjs,ts,cts,mts}",
  "**/test.{js,cjs,mjs,ts,cts,mts}",
  "**/test/**/*.{js,cjs,mjs,ts,cts,mts}",
];

interface Order {
  folder: string;
  cwd: string;
  include: string[];
  exclude: string[];
}

/** One file of the report. */
export interface CoveredFile {
  path: string;
  totalLineCount: number;
  totalBranchCount: number;
  totalFunctionCount: number;
  coveredLineCount: number;
  coveredBranchCount: number;
  coveredFunctionCount: number;
  coveredLinePercent: number;
  coveredBranchPercent: number;
  coveredFunctionPercent: number;
  functions: { name: string; line: number; count: number }[];
  branches: { line: number; count: number }[];
  lines: { line: number; count: number }[];
}

export interface CoverageSummary {
  workingDirectory: string;
  files: CoveredFile[];
  thresholds: { line: number; branch: number; function: number };
  totals: Omit<CoveredFile, "path" | "functions" | "branches" | "lines">;
}

function start({ cwd, include, exclude }: Order): void {
  natives.coverageStart(cwd, [], exclude.length === 0 && include.length === 0 ? TESTS : exclude, include);
}

/** In a process of its own: counts from the first module on. Called before the program is loaded. */
export function prepare(): void {
  const text = process.env[VARIABLE];
  if (text !== undefined) {
    const order: Order = JSON.parse(text);
    delete process.env[VARIABLE];
    start(order);
    process.on("exit", () => {
      try {
        require("node:fs").writeFileSync(`${order.folder}/${process.pid}.json`, JSON.stringify(collect()));
      } catch (error) {
        // The run has been interrupted and adds nothing up any more.
        if ((error as NodeError).code !== "ENOENT") throw error;
      }
    });
    return;
  }
  if (option("--test") === true) return;
  start({ folder: "", cwd: process.cwd(), ...globsOf() });
}

const globsOf = () => ({ include: listOf("--test-coverage-include"), exclude: listOf("--test-coverage-exclude") });

/** The report of a process that runs its own tests. */
export function attach(root: Root): void {
  if (option("--experimental-test-coverage") !== true || process.env.NODE_TEST_CONTEXT !== undefined) return;
  const settings: CoverageSettings = {
    ...globsOf(),
    lines: numberOf("--test-coverage-lines") ?? 0,
    branches: numberOf("--test-coverage-branches") ?? 0,
    functions: numberOf("--test-coverage-functions") ?? 0,
  };
  root.ending.push(() => tell(root, settings, process.cwd(), collect()));
}

/** The counts in a file; undefined for one whose process was killed while it wrote. */
function parsed(text: string): Coverage | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Counts in the processes of a run, or in this one; `report` adds it up, `one.cleanUp` removes what they have written. */
export function begin(
  one: Plan,
  settings: CoverageSettings,
): { env: Record<string, string | undefined>; report: () => void } {
  const { include, exclude } = settings;
  const { cwd, root } = one;
  if (one.isolation === "none") {
    start({ folder: "", cwd, include, exclude });
    return { env: {}, report: () => tell(root, settings, cwd, collect()) };
  }
  const fs = require("node:fs");
  const folder = fs.mkdtempSync(require("node:path").join(require("node:os").tmpdir(), "bao-coverage-"));
  one.cleanUp = () => fs.rmSync(folder, { recursive: true, force: true });
  const order: Order = { folder, cwd, include, exclude };
  const report = () => {
    const all: Coverage = Object.create(null);
    for (const name of fs.readdirSync(folder)) {
      const counts = parsed(fs.readFileSync(`${folder}/${name}`, "utf8"));
      if (counts !== undefined) merge(all, counts);
    }
    tell(root, settings, cwd, all);
  };
  return { env: { [VARIABLE]: JSON.stringify(order) }, report };
}

/** Marks the lines that are wholly inside of a range. Lines count from 1, columns from 0. */
function mark(counts: number[], texts: string[], from: number[], at: number): void {
  const [startLine, startColumn, endLine, endColumn] = [from[at]!, from[at + 1]!, from[at + 2]!, from[at + 3]!];
  for (let line = startLine; line <= endLine; line++) {
    const text = texts[line - 1] ?? "";
    // Spaces in front count for nobody.
    if (line === startLine && startColumn > text.length - text.trimStart().length) continue;
    if (line === endLine && endColumn < text.trimEnd().length) continue;
    counts[line - 1] = 0;
  }
}

/** Lines that comments take out of the report. */
function ignored(texts: string[]): Set<number> {
  const found = new Set<number>();
  let isOff = false;
  let next = 0;
  texts.forEach((text, index) => {
    const status = /\/\* node:coverage (enable|disable) \*\//.exec(text);
    if (status !== null) {
      isOff = status[1] === "disable";
      found.add(index);
      return;
    }
    const skip = /\/\* node:coverage ignore next (\d+ )?\*\//.exec(text);
    if (skip !== null) {
      next = Number(skip[1] ?? 1);
      found.add(index);
      return;
    }
    if (isOff || next > 0) found.add(index);
    if (next > 0) next--;
  });
  return found;
}

const percent = (covered: number, total: number) => (total === 0 ? 100 : (covered / total) * 100);

function fileOf({ path, statements, functions, branches }: FileCoverage): CoveredFile {
  let text = "";
  try {
    text = require("node:fs").readFileSync(path, "utf8");
  } catch {
    // A file that is gone has no lines.
  }
  const texts = text.split(/\r?\n/);
  if (texts.at(-1) === "") texts.pop();
  const left = ignored(texts);
  const counts: number[] = texts.map(() => 1);
  for (let at = 0; at < statements.length; at += ITEM)
    if (statements[at + ITEM - 1] === 0) mark(counts, texts, statements, at);
  const shownFunctions: CoveredFile["functions"] = [];
  const shownBranches: CoveredFile["branches"] = [{ line: 1, count: 1 }];
  for (const one of functions) {
    const count = one[FUNCTION_COUNT];
    if (left.has(one[1] - 1)) continue;
    shownFunctions.push({ name: /^\(anonymous/.test(one[0]) ? "" : one[0], line: one[1], count });
    if (count === 0) mark(counts, texts, [one[1], one[2], one[5], one[6]], 0);
    else shownBranches.push({ line: one[1], count });
  }
  for (const branch of branches) {
    const [, startLine, startColumn, endLine, endColumn, ways, ...body] = branch;
    const whole = [startLine, startColumn, endLine, endColumn];
    let total = 0;
    for (let at = ITEM - 1; at < ways.length; at += ITEM) total += ways[at]!;
    for (let at = 0; at < ways.length; at += ITEM) {
      const count = ways[at + ITEM - 1]!;
      if (count === 0 && ways[at]! > 0) {
        if (at === 0 && body.length > 0) mark(counts, texts, body, 0);
        // An `else` that is not there has the place of the whole statement, which did run.
        else if (!whole.every((number, index) => ways[at + index] === number)) mark(counts, texts, ways, at);
      }
      // What is in a function that did not run is not looked at.
      if (total > 0 && !left.has(startLine - 1)) shownBranches.push({ line: ways[at] || startLine, count });
    }
  }
  const lines = counts.map((count, index) => ({ line: index + 1, count })).filter(({ line }) => !left.has(line - 1));
  const hit = (list: { count: number }[]) => list.filter(({ count }) => count > 0).length;
  const [coveredLineCount, coveredBranchCount, coveredFunctionCount] = [
    hit(lines),
    hit(shownBranches),
    hit(shownFunctions),
  ];
  return {
    path,
    totalLineCount: lines.length,
    totalBranchCount: shownBranches.length,
    totalFunctionCount: shownFunctions.length,
    coveredLineCount,
    coveredBranchCount,
    coveredFunctionCount,
    coveredLinePercent: percent(coveredLineCount, lines.length),
    coveredBranchPercent: percent(coveredBranchCount, shownBranches.length),
    coveredFunctionPercent: percent(coveredFunctionCount, shownFunctions.length),
    functions: shownFunctions,
    branches: shownBranches,
    lines,
  };
}

function summaryOf(all: Coverage, cwd: string, { lines, branches, functions }: CoverageSettings): CoverageSummary {
  const files = Object.values(all)
    .map(fileOf)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const sum = (key: keyof CoverageSummary["totals"]) => files.reduce((total, file) => total + file[key], 0);
  const [line, branch, fn] = [sum("totalLineCount"), sum("totalBranchCount"), sum("totalFunctionCount")];
  const [hitLine, hitBranch, hitFn] = [sum("coveredLineCount"), sum("coveredBranchCount"), sum("coveredFunctionCount")];
  return {
    workingDirectory: cwd,
    files,
    thresholds: { line: lines, branch: branches, function: functions },
    totals: {
      totalLineCount: line,
      totalBranchCount: branch,
      totalFunctionCount: fn,
      coveredLineCount: hitLine,
      coveredBranchCount: hitBranch,
      coveredFunctionCount: hitFn,
      coveredLinePercent: percent(hitLine, line),
      coveredBranchPercent: percent(hitBranch, branch),
      coveredFunctionPercent: percent(hitFn, fn),
    },
  };
}

/** Emits the report, and what is below a threshold. */
function tell(root: Root, settings: CoverageSettings, cwd: string, all: Coverage): void {
  const summary = summaryOf(all, cwd, settings);
  root.emit("test:coverage", { nesting: 0, summary } as Partial<EventData>);
  const checks: [string, number, number][] = [
    ["line", summary.totals.coveredLinePercent, settings.lines],
    ["branch", summary.totals.coveredBranchPercent, settings.branches],
    ["function", summary.totals.coveredFunctionPercent, settings.functions],
  ];
  for (const [name, actual, threshold] of checks) {
    if (threshold <= 0 || actual >= threshold) continue;
    root.bad = true;
    const message = `Error: ${actual.toFixed(2)}% ${name} coverage does not meet threshold of ${threshold}%.`;
    root.emit("test:diagnostic", { nesting: 0, message, level: "error" });
  }
}
