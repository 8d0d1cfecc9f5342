// Files of --coverage: which sources there are beside those that were loaded, and the reports that are written.

import type { CoverageRun, Sums } from "internal/test/bun_test/coverage";
import type { Dirent } from "internal/fs/dirent";
import { FUNCTION_COUNT, ITEM, METRICS, type Row, type Sum, noSums, share } from "internal/test/bun_test/coverage";

const SOURCE = /\.[cm]?[jt]sx?$/;
/** Declarations, tests and configuration files: not what tests are written for. */
const NO_SOURCE =
  /\.d\.[cm]?ts$|[._](?:test|spec)(?:-d)?\.[cm]?[jt]sx?$|(?:^|\/)__(?:tests|mocks|snapshots)__\/|\.config\.[cm]?[jt]s$/;

/** Paths of the source files below `cwd`. With include patterns everything that is no test file counts, the patterns tell the rest. */
export function sources(cwd: string, config: CoverageRun): string[] {
  const fs = require("node:fs");
  const { join, resolve } = require("node:path");
  const { coverage } = config;
  const tests = new Set(config.files.map((file) => file[0]));
  const skipped = resolve(cwd, coverage.dir ?? "coverage");
  const found: string[] = [];
  const walk = (folder: string) => {
    let entries: Dirent[];
    try {
      entries = fs.readdirSync(folder, { withFileTypes: true });
    } catch {
      // Not ours to read.
      return;
    }
    for (const entry of entries) {
      const { name } = entry;
      const path = join(folder, name);
      if (entry.isDirectory()) {
        if (name !== "node_modules" && name[0] !== "." && path !== skipped) walk(path);
      } else if (SOURCE.test(name) && entry.isFile() && !tests.has(path) && !NO_SOURCE.test(path.slice(cwd.length))) {
        found.push(path);
      }
    }
  };
  walk(cwd);
  return found;
}

/** Writes the reports that are called for; one that cannot be written is said so. */
export function write(names: string[], rows: Row[], folder: string): void {
  const files: [string, () => string][] = [];
  if (names.includes("lcov")) files.push(["lcov.info", () => lcovOf(rows)]);
  if (names.includes("json")) files.push(["coverage-final.json", () => JSON.stringify(istanbulOf(rows))]);
  if (names.includes("json-summary"))
    files.push(["coverage-summary.json", () => JSON.stringify(summaryOf(rows), null, 2)]);
  if (names.includes("html")) files.push(...require("internal/test/bun_test/coverage_html").pages(rows));
  const fs = require("node:fs");
  const { dirname, join } = require("node:path");
  let last = "";
  for (const [name, text] of files) {
    const path = join(folder, name);
    try {
      if (dirname(path) !== last) fs.mkdirSync((last = dirname(path)), { recursive: true });
      fs.writeFileSync(path, text());
    } catch (error) {
      process.stderr.write(`error: cannot write ${path}: ${(error as Error).message}\n`);
      process.exitCode = 1;
      return;
    }
  }
}

/** https://man.archlinux.org/man/geninfo.1#TRACEFILE_FORMAT */
function lcovOf(rows: Row[]): string {
  let text = "";
  for (const { path, file, lines, sums } of rows) {
    text += `TN:\nSF:${path}\n`;
    for (const one of file.functions) text += `FN:${one[1]},${one[0]}\n`;
    for (const one of file.functions) text += `FNDA:${one[FUNCTION_COUNT]},${one[0]}\n`;
    text += `FNF:${sums.function.total}\nFNH:${sums.function.hit}\n`;
    file.branches.forEach((branch, index) => {
      const ways = branch[5];
      for (let way = 0; way * ITEM < ways.length; way++)
        text += `BRDA:${branch[1]},${index},${way},${ways[way * ITEM + ITEM - 1]}\n`;
    });
    if (sums.branch.total > 0) text += `BRF:${sums.branch.total}\nBRH:${sums.branch.hit}\n`;
    for (const [line, count] of lines) text += `DA:${line},${count}\n`;
    text += `LF:${sums.line.total}\nLH:${sums.line.hit}\nend_of_record\n`;
  }
  return text;
}

interface Place {
  line: number;
  column: number;
}
interface Range {
  start: Place;
  end: Place;
}

/** One file of Istanbul's reports: places by number, and counts by the same numbers. */
interface IstanbulFile {
  path: string;
  statementMap: Record<number, Range>;
  fnMap: Record<number, { name: string; decl: Range; loc: Range; line: number }>;
  branchMap: Record<number, { type: string; line: number; loc: Range; locations: Range[] }>;
  s: Record<number, number>;
  f: Record<number, number>;
  b: Record<number, number[]>;
}

const range = (from: ArrayLike<unknown>, at: number): Range => ({
  start: { line: from[at] as number, column: from[at + 1] as number },
  end: { line: from[at + 2] as number, column: from[at + 3] as number },
});

/** What nyc and other tools of Istanbul read and merge. */
function istanbulOf(rows: Row[]): Record<string, IstanbulFile> {
  const all: Record<string, IstanbulFile> = {};
  for (const { file } of rows) {
    const one: IstanbulFile = { path: file.path, statementMap: {}, fnMap: {}, branchMap: {}, s: {}, f: {}, b: {} };
    for (let at = 0; at < file.statements.length; at += ITEM) {
      one.statementMap[at / ITEM] = range(file.statements, at);
      one.s[at / ITEM] = file.statements[at + ITEM - 1];
    }
    file.functions.forEach((item, index) => {
      const [name, line, column] = item;
      one.fnMap[index] = {
        name,
        decl: { start: { line, column }, end: { line, column: column + 1 } },
        loc: range(item, 3),
        line,
      };
      one.f[index] = item[FUNCTION_COUNT];
    });
    file.branches.forEach((branch, index) => {
      const ways: number[] = branch[5];
      const places = Array.from({ length: ways.length / ITEM }, (_, way) => way * ITEM);
      one.branchMap[index] = {
        type: branch[0],
        line: branch[1],
        loc: range(branch, 1),
        locations: places.map((at) => range(ways, at)),
      };
      one.b[index] = places.map((at) => ways[at + ITEM - 1]);
    });
    all[file.path] = one;
  }
  return all;
}

function summaryOf(rows: Row[]) {
  const names = { line: "lines", statement: "statements", function: "functions", branch: "branches" };
  const total = noSums();
  const shown = (sum: Sum) => ({
    total: sum.total,
    covered: sum.hit,
    skipped: 0,
    pct: Math.floor(share(sum) * 10000) / 100,
  });
  const sumsOf = (sums: Sums) => Object.fromEntries(METRICS.map((metric) => [names[metric], shown(sums[metric])]));
  for (const { sums } of rows) {
    for (const metric of METRICS) {
      total[metric].total += sums[metric].total;
      total[metric].hit += sums[metric].hit;
    }
  }
  return { total: sumsOf(total), ...Object.fromEntries(rows.map(({ file, sums }) => [file.path, sumsOf(sums)])) };
}
