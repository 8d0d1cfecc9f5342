// The coverage of a run as a table and as lcov.

import type { CoveredFile, CoverageSummary } from "internal/test/node_test/coverage";
import { rangesOf } from "internal/test/bun_test/coverage";

const COLUMNS = ["line %", "branch %", "funcs %"];
const PERCENTS = ["coveredLinePercent", "coveredBranchPercent", "coveredFunctionPercent"] as const;
const UNCOVERED = "uncovered lines";
const BETWEEN = " | ";
/** Folders and files of the report. */
type Tree = Map<string, CoveredFile | Tree>;

function treeOf({ workingDirectory, files }: CoverageSummary): { tree: Tree; width: number } {
  const { relative } = require("node:path");
  const tree: Tree = new Map();
  let depth = 1;
  let longest = 0;
  for (const file of files) {
    const parts: string[] = relative(workingDirectory, file.path).split("/");
    let folder = tree;
    parts.forEach((part, index) => {
      longest = Math.max(longest, part.length);
      if (index === parts.length - 1) {
        folder.set(part, file);
        return;
      }
      let next = folder.get(part);
      if (!(next instanceof Map)) folder.set(part, (next = new Map() as Tree));
      folder = next;
    });
    depth = Math.max(depth, parts.length);
  }
  return { tree, width: Math.max(longest + depth - 1, "all files".length) };
}

/** `5-7 9-11 13` */
const uncovered = ({ lines }: CoveredFile) =>
  rangesOf(lines.map(({ line, count }) => [line, count] as const)).join(" ");

const cutStart = (text: string, width: number) =>
  text.length > width ? `…${text.slice(text.length - width + 1)}` : text;
const cutEnd = (text: string, width: number) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);

/** The table, each line after `prefix`; `tint`: the escape sequence of its color, or nothing. */
export function table(summary: CoverageSummary, prefix: string, tint: string): string {
  const { tree, width } = treeOf(summary);
  const columns = process.stdout.columns || Infinity;
  let fileWidth = Math.min(tint === "" ? width : width + 2, Math.floor(columns / 2));
  const widths = COLUMNS.map((column) => Math.max(column.length, 6));
  const columnsWidth = widths.reduce((sum, one) => sum + one + BETWEEN.length, 0);
  const wanted = Math.max(UNCOVERED.length, ...summary.files.map((file) => uncovered(file).length));
  let total = fileWidth + 2 + columnsWidth + wanted + 2;
  let lastWidth = Infinity;
  const room = columns - prefix.length;
  if (total > room) {
    fileWidth = Math.min(Math.floor(room * 0.5), fileWidth);
    lastWidth = Math.max(room - columnsWidth - (fileWidth + 2) - 2, 1);
    total = room;
  }
  const paint = (text: string, value: number | undefined) => {
    if (tint === "" || value === undefined) return text;
    return `${value > 90 ? "\x1b[32m" : value > 50 ? "\x1b[33m" : "\x1b[31m"}${text}${tint}`;
  };
  const rule = `${prefix}${"-".repeat(total)}\n`;
  const row = (name: string, depth: number, values: (number | string)[], mean: number | undefined, rest: string) => {
    const room = fileWidth - depth;
    const shown = paint(cutStart(name.padEnd(room), room), mean);
    const cells = values.map((value, index) =>
      typeof value === "number"
        ? paint(value.toFixed(2).padStart(widths[index]!), value)
        : value.padStart(widths[index]!),
    );
    return `${prefix}${" ".repeat(depth)}${shown}${BETWEEN}${cells.join(BETWEEN)}${BETWEEN}${cutEnd(rest, lastWidth)}\n`;
  };
  const body = (level: Tree, depth: number): string => {
    let text = "";
    for (const [name, one] of level) {
      if (one instanceof Map) text += row(name, depth, ["", "", ""], undefined, "") + body(one, depth + 1);
      else {
        const values = PERCENTS.map((key) => one[key]);
        text += row(name, depth, values, (values[0]! + values[1]! + values[2]!) / 3, uncovered(one));
      }
    }
    return text;
  };
  const totals = PERCENTS.map((key) => summary.totals[key]);
  return (
    `${tint}${prefix}start of coverage report\n${rule}` +
    row("file", 0, COLUMNS, undefined, UNCOVERED) +
    rule +
    body(tree, 0) +
    rule +
    row("all files", 0, totals, (totals[0]! + totals[1]! + totals[2]!) / 3, "") +
    `${rule}${prefix}end of coverage report\n${tint === "" ? "" : "\x1b[39m"}`
  );
}

/** https://man.archlinux.org/man/geninfo.1#TRACEFILE_FORMAT */
export function lcov({ workingDirectory, files }: CoverageSummary): string {
  const { relative } = require("node:path");
  let text = "";
  for (const file of files) {
    text += `TN:\nSF:${relative(workingDirectory, file.path)}\n`;
    const names = file.functions.map(({ name }, index) => name || `anonymous_${index}`);
    file.functions.forEach(({ line }, index) => (text += `FN:${line},${names[index]}\n`));
    file.functions.forEach(({ count }, index) => (text += `FNDA:${count},${names[index]}\n`));
    text += `FNF:${file.totalFunctionCount}\nFNH:${file.coveredFunctionCount}\n`;
    file.branches.forEach(({ line, count }, index) => (text += `BRDA:${line},${index},0,${count}\n`));
    text += `BRF:${file.totalBranchCount}\nBRH:${file.coveredBranchCount}\n`;
    for (const { line, count } of file.lines) text += `DA:${line},${count}\n`;
    text += `LH:${file.coveredLineCount}\nLF:${file.totalLineCount}\nend_of_record\n`;
  }
  return text;
}
