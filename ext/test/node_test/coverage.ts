// --experimental-test-coverage: https://nodejs.org/api/test.html#collecting-code-coverage
//
// Processes and threads of the run write what ran in V8's form (NODE_V8_COVERAGE). Here the reports are read and added up, and
// their ranges become what Node reports: a line did not run if all of it is in a range that did not, a range is a branch.

import type { EventData } from "internal/test/node_test/types";
import type { CoverageSettings, Plan } from "internal/test/node_test/run";
import type { MapCache } from "internal/test/node_test/coverage_maps";
import { validateInteger } from "internal/core/validators";
import { listOf, numberOf } from "internal/test/node_test/settings";
import type { Root } from "internal/test/node_test/root";

const option = native("process").cliOption;
/** The variable that names the folder for reports. */
const VARIABLE = "NODE_V8_COVERAGE";

/** Files that are no sources: those that hold tests, by their names. */
const TESTS = [
  "**/*.test.{js,cjs,mjs,ts,cts,mts}",
  "**/*[-_]test.{js,cjs,mjs,ts,cts,mts}",
  "**/test-*.{js,cjs,mjs,ts,cts,mts}",
  "**/test.{js,cjs,mjs,ts,cts,mts}",
  "**/test/**/*.{js,cjs,mjs,ts,cts,mts}",
];

/** Whose coverage is looked at: globs of paths, which may be relative to `cwd`. */
interface Selection {
  cwd: string;
  include: string[];
  exclude: string[];
}

/** What V8 reports. Offsets are UTF-16 code units. */
export interface Range {
  startOffset: number;
  endOffset: number;
  count: number;
}
export interface CountedFunction {
  functionName: string;
  ranges: Range[];
  isBlockCoverage: boolean;
}
export interface Script {
  url: string;
  functions: CountedFunction[];
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

/** A folder for the reports of a run. What was in NODE_V8_COVERAGE before gets copies of them at the end. */
class Folder {
  readonly path: string;
  #given = process.env[VARIABLE];

  constructor() {
    const { join } = require("node:path");
    this.path = require("node:fs").mkdtempSync(join(require("node:os").tmpdir(), "bao-coverage-"));
  }

  /** Counts in this process and its children. */
  count(): void {
    process.env[VARIABLE] = this.path;
    native("v8").countInto(this.path);
  }

  /** Writes what this process has counted, and counts no more. */
  stop(): void {
    const ops = native("v8");
    if (!ops.writesCoverage()) return;
    ops.writeCoverage();
    ops.stopCoverage();
  }

  /** The lines of a file, which keep the counts that source maps have given them. */
  readonly lines = (url: string, text?: string): Line[] | undefined => {
    if (this.#lines.has(url)) return this.#lines.get(url);
    let lines: Line[] | undefined;
    try {
      lines = linesOf(text ?? require("node:fs").readFileSync(require("node:url").fileURLToPath(url), "utf8"));
    } catch {
      // A file that is gone is left out.
    }
    this.#lines.set(url, lines);
    return lines;
  };
  #lines = new Map<string, Line[] | undefined>();

  read(selection: Selection): Script[] {
    const fs = require("node:fs");
    const found = new Map<string, Script>();
    for (const name of fs.readdirSync(this.path)) {
      let scripts: Script[];
      let maps: MapCache | undefined;
      try {
        const report = JSON.parse(fs.readFileSync(`${this.path}/${name}`, "utf8"));
        scripts = report.result;
        maps = report["source-map-cache"];
      } catch {
        // Its process was killed while it wrote.
        continue;
      }
      if (maps !== undefined && process.execArgv.includes("--enable-source-maps")) {
        const { mapped } = require("internal/test/node_test/coverage_maps");
        scripts = mapped(scripts, maps, this.lines, (url) => isWanted(url, selection));
      }
      for (const script of scripts) {
        if (!isWanted(script.url, selection)) continue;
        const known = found.get(script.url);
        if (known === undefined) found.set(script.url, script);
        else mergeScripts(known, script);
      }
    }
    return [...found.values()];
  }

  remove(): void {
    const fs = require("node:fs");
    if (process.env[VARIABLE] === this.path) {
      if (this.#given === undefined) delete process.env[VARIABLE];
      else process.env[VARIABLE] = this.#given;
    }
    if (this.#given) {
      fs.mkdirSync(this.#given, { recursive: true });
      for (const name of fs.readdirSync(this.path)) fs.copyFileSync(`${this.path}/${name}`, `${this.#given}/${name}`);
    }
    fs.rmSync(this.path, { recursive: true, force: true });
  }
}

function isWanted(url: string, { cwd, include, exclude }: Selection): boolean {
  if (!url.startsWith("file:")) return false;
  const { matchesGlob, relative } = require("node:path");
  const path = require("node:url").fileURLToPath(url);
  const matches = (globs: string[]) =>
    globs.some((glob) => matchesGlob(relative(cwd, path), glob) || matchesGlob(path, glob));
  if (matches(exclude)) return false;
  return include.length > 0 ? matches(include) : !url.includes("/node_modules/");
}

const isSame = (a: Range | undefined, b: Range | undefined) =>
  a?.startOffset === b?.startOffset && a?.endOffset === b?.endOffset;
const contains = (a: Range, b: Range) => a.startOffset <= b.startOffset && a.endOffset >= b.endOffset;

function mergeScripts(into: Script, more: Script): void {
  for (const fresh of more.functions) {
    const known = into.functions.find(
      (one) => one.functionName === fresh.functionName && isSame(one.ranges[0], fresh.ranges[0]),
    );
    if (known === undefined) into.functions.push(fresh);
    else if (!fresh.isBlockCoverage) continue;
    else if (known.isBlockCoverage) known.ranges = mergedRanges(known.ranges, fresh.ranges);
    else Object.assign(known, { isBlockCoverage: true, ranges: fresh.ranges });
  }
}

/** Ranges that ran in one of both; of those that ran in neither, the smaller ones. */
function mergedRanges(known: Range[], fresh: Range[]): Range[] {
  const merged = new Set(known.filter(({ count }) => count > 0));
  for (const range of fresh) {
    const same = known.find((one) => isSame(one, range));
    for (const one of known) {
      if (one === same) break;
      if (one.count > 0 || range.count > 0) continue;
      if (contains(one, range)) merged.add(range);
      else if (contains(range, one)) merged.add(one);
    }
    if (same !== undefined) {
      same.count += range.count;
      merged.add(same);
    } else if (range.count > 0) merged.add(range);
  }
  return [...merged];
}

/** Counts from the first module on, in a process that runs its own tests. Called before the program is loaded. */
export function prepare(): void {
  const folder = (own = new Folder());
  folder.count();
  process.on("exit", () => {
    folder.stop();
    folder.remove();
  });
}

/** What [`prepare`] counts into. */
let own: Folder | undefined;

/** The globs of the command line. */
export function globsOf(): { include: string[]; exclude: string[] } {
  const exclude = listOf("--test-coverage-exclude");
  return { include: listOf("--test-coverage-include"), exclude: exclude.length === 0 ? TESTS : exclude };
}

/** Percentages that the command line wants; throws ERR_OUT_OF_RANGE. */
export function thresholdsOf(): { lines: number; branches: number; functions: number } {
  const percentage = (name: string) => {
    const value = numberOf(name) ?? 0;
    (validateInteger as (value: unknown, name: string, min: number, max: number) => void)(value, name, 0, 100);
    return value;
  };
  return {
    branches: percentage("--test-coverage-branches"),
    lines: percentage("--test-coverage-lines"),
    functions: percentage("--test-coverage-functions"),
  };
}

/** The report of a process that runs its own tests. */
export function attach(root: Root): void {
  if (own === undefined || option("--experimental-test-coverage") !== true) return;
  const folder = own;
  const settings: CoverageSettings = { ...globsOf(), ...thresholdsOf() };
  root.ending.push(() => finish(root, settings, process.cwd(), folder));
}

function finish(root: Root, settings: CoverageSettings, cwd: string, folder: Folder): void {
  folder.stop();
  tell(root, settings, cwd, folder);
}

/** Counts in the processes of a run, or in this one; `report` adds it up, `one.cleanUp` removes what they have written. */
export function begin(
  one: Plan,
  settings: CoverageSettings,
): { env: Record<string, string | undefined>; report: () => void } {
  const { cwd, root } = one;
  const folder = new Folder();
  one.cleanUp = () => folder.remove();
  if (one.isolation === "none") {
    folder.count();
    return { env: {}, report: () => finish(root, settings, cwd, folder) };
  }
  return {
    env: { [VARIABLE]: folder.path },
    report: () => tell(root, settings, cwd, folder),
  };
}

/** A line of a file. An empty one has run. */
export interface Line {
  line: number;
  startOffset: number;
  /** Where the line break begins. */
  endOffset: number;
  isIgnored: boolean;
  count: number;
}

function linesOf(text: string): Line[] {
  let offset = 0;
  let left = 0;
  let isOn = true;
  return text.split(/(?<=\r?\n)/u).map((source, index) => {
    const startOffset = offset;
    offset += source.length;
    const endOffset = offset - (/\r?\n$/u.exec(source)?.[0].length ?? 0);
    const isIgnored = left > 0 || !isOn;
    if (left > 0) left--;
    if (!isIgnored) {
      const next = /\/\* node:coverage ignore next (\d+ )?\*\//.exec(source);
      if (next !== null) left = Number.parseInt(next[1] ?? "1", 10);
    }
    const status = /\/\* node:coverage (enable|disable) \*\//.exec(source);
    if (status !== null) {
      left = 0;
      isOn = status[1] === "enable";
    }
    return { line: index + 1, startOffset, endOffset, isIgnored, count: startOffset === endOffset ? 1 : 0 };
  });
}

/** The lines that a range touches. Those that are wholly inside get its count. */
export function mark({ startOffset, endOffset, count }: Range, lines: Line[]): Line[] {
  let first = 0;
  let last = lines.length - 1;
  while (first < last) {
    const middle = (first + last) >> 1;
    if (startOffset > lines[middle]!.endOffset) first = middle + 1;
    else last = middle;
  }
  const touched: Line[] = [];
  for (let at = first; at < lines.length && endOffset > lines[at]!.startOffset; at++) {
    const line = lines[at]!;
    if (startOffset <= line.startOffset && endOffset >= line.endOffset) line.count = count;
    touched.push(line);
  }
  return touched;
}

const percent = (covered: number, total: number) => (total === 0 ? 100 : (covered / total) * 100);

function fileOf({ url, functions: counted }: Script, lines: Line[]): CoveredFile {
  const path = require("node:url").fileURLToPath(url);
  const functions: CoveredFile["functions"] = [];
  const branches: CoveredFile["branches"] = [];
  let coveredBranchCount = 0;
  let coveredFunctionCount = 0;
  counted.forEach(({ functionName: name, ranges, isBlockCoverage }, index) => {
    ranges.forEach((range, at) => {
      const touched = mark(range, lines);
      const line = touched[0]?.line as number;
      const isCovered = range.count !== 0 || touched.every(({ isIgnored }) => isIgnored);
      if (isBlockCoverage) {
        branches.push({ line, count: range.count });
        if (isCovered) coveredBranchCount++;
      }
      // The first function is the file.
      if (at > 0 || index === 0) return;
      functions.push({ name, count: Math.max(...ranges.map(({ count }) => count)), line });
      if (isCovered) coveredFunctionCount++;
    });
  });
  const coveredLineCount = lines.filter(({ count, isIgnored }) => count > 0 || isIgnored).length;
  return {
    path,
    totalLineCount: lines.length,
    totalBranchCount: branches.length,
    totalFunctionCount: functions.length,
    coveredLineCount,
    coveredBranchCount,
    coveredFunctionCount,
    coveredLinePercent: percent(coveredLineCount, lines.length),
    coveredBranchPercent: percent(coveredBranchCount, branches.length),
    coveredFunctionPercent: percent(coveredFunctionCount, functions.length),
    functions,
    branches,
    lines: lines.filter(({ isIgnored }) => !isIgnored).map(({ line, count }) => ({ line, count })),
  };
}

function summaryOf(folder: Folder, cwd: string, settings: CoverageSettings): CoverageSummary {
  const { lines, branches, functions } = settings;
  const files = folder
    .read({ ...settings, cwd })
    .flatMap((script) => {
      const found = folder.lines(script.url);
      return found === undefined ? [] : [fileOf(script, found)];
    })
    .sort((a, b) => a.path.localeCompare(b.path));
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
function tell(root: Root, settings: CoverageSettings, cwd: string, folder: Folder): void {
  let summary: CoverageSummary;
  try {
    summary = summaryOf(folder, cwd, settings);
  } catch (error) {
    root.bad = true;
    process.exitCode = 1;
    const message = `Warning: Could not report code coverage. ${error}`;
    root.emit("test:diagnostic", { nesting: 0, message, level: "info" });
    return;
  }
  root.emit("test:coverage", { nesting: 0, summary } as Partial<EventData>);
  const checks: [string, number, number][] = [
    ["line", summary.totals.coveredLinePercent, settings.lines],
    ["branch", summary.totals.coveredBranchPercent, settings.branches],
    ["function", summary.totals.coveredFunctionPercent, settings.functions],
  ];
  for (const [name, actual, threshold] of checks) {
    if (threshold <= 0 || actual >= threshold) continue;
    root.bad = true;
    process.exitCode = 1;
    const message = `Error: ${actual.toFixed(2)}% ${name} coverage does not meet threshold of ${threshold}%.`;
    root.emit("test:diagnostic", { nesting: 0, message, level: "error" });
  }
}
