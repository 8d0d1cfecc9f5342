// --coverage: which lines and functions ran, as a table and as LCOV (https://bun.com/docs/test/code-coverage). The engine counts;
// its lines are those of the code it runs, which are put back to those of the text it was made of.

const natives = native("test");

/** Counts of one file, by line of the text; functions by line and name. */
export interface FileCoverage {
  lines: Record<number, number>;
  functions: Record<string, { line: number; name: string; count: number }>;
  branches: Record<string, { line: number; count: number }>;
}

export type Coverage = Record<string, FileCoverage>;

/** What ran in this process so far, by absolute path. */
export function collect(): Coverage {
  const found: Coverage = {};
  const summary: string = natives.coverage() ?? "";
  for (const record of summary.split("end_of_record")) {
    const source = /^SF:(.*)$/m.exec(record)?.[1];
    if (source === undefined) continue;
    const path = source.startsWith("file://") ? decodeURIComponent(source.slice(7).replace(/[?#].*$/, "")) : source;
    if (!path.startsWith("/") || path.includes("/node_modules/") || !/\.[cm]?[jt]sx?$/.test(path)) continue;
    addRecord((found[path] ??= { lines: {}, functions: {}, branches: {} }), record, linesOf(source));
  }
  return found;
}

/** Lines of the text by line of the code; undefined where they are the same. */
function linesOf(source: string): Map<number, number[]> | undefined {
  const pairs: Float64Array | undefined = natives.mappedLines(source);
  if (pairs === undefined) return undefined;
  const map = new Map<number, number[]>();
  for (let index = 0; index < pairs.length; index += 2) {
    const known = map.get(pairs[index]!);
    if (known === undefined) map.set(pairs[index]!, [pairs[index + 1]!]);
    else if (!known.includes(pairs[index + 1]!)) known.push(pairs[index + 1]!);
  }
  return map;
}

function addRecord(file: FileCoverage, record: string, map: Map<number, number[]> | undefined): void {
  const places = (line: number) => (map === undefined ? [line] : (map.get(line) ?? []));
  const functions = new Map<string, number[]>();
  for (const line of record.split("\n")) {
    const at = line.indexOf(":");
    const fields = line.slice(at + 1).split(",");
    switch (line.slice(0, at)) {
      case "FN": {
        const name = fields.slice(1).join(",");
        const known = functions.get(name);
        if (known === undefined) functions.set(name, [Number(fields[0])]);
        else known.push(Number(fields[0]));
        break;
      }
      case "FNDA": {
        const name = fields.slice(1).join(",");
        // Functions of the same name come in the order of their declarations.
        const declared = functions.get(name)?.shift();
        if (declared === undefined || name === "top-level") break;
        const [place] = places(declared);
        if (place === undefined) break;
        const key = `${place}:${name}`;
        const entry = (file.functions[key] ??= { line: place, name, count: 0 });
        entry.count += Number(fields[0]);
        break;
      }
      case "DA":
        for (const place of places(Number(fields[0]))) file.lines[place] = (file.lines[place] ?? 0) + Number(fields[1]);
        break;
      case "BRDA": {
        const [place] = places(Number(fields[0]));
        if (place === undefined) break;
        const key = `${place},${fields[1]},${fields[2]}`;
        const entry = (file.branches[key] ??= { line: place, count: 0 });
        entry.count += fields[3] === "-" ? 0 : Number(fields[3]);
        break;
      }
    }
  }
  // What has never been called has no count.
  for (const [name, declared] of functions) {
    for (const line of name === "top-level" ? [] : declared) {
      const [place] = places(line);
      if (place !== undefined) file.functions[`${place}:${name}`] ??= { line: place, name, count: 0 };
    }
  }
}

/** Adds the counts of another process. */
export function merge(into: Coverage, more: Coverage): void {
  for (const [path, file] of Object.entries(more)) {
    const known = into[path];
    if (known === undefined) {
      into[path] = file;
      continue;
    }
    for (const [line, count] of Object.entries(file.lines)) known.lines[line as any] = (known.lines[line as any] ?? 0) + count;
    for (const kind of ["functions", "branches"] as const) {
      for (const [key, entry] of Object.entries(file[kind])) {
        const same: any = known[kind][key];
        if (same === undefined) (known[kind] as any)[key] = entry;
        else same.count += entry.count;
      }
    }
  }
}

/** Sums of one file. */
interface Row {
  path: string;
  file: FileCoverage;
  lines: [number, number][];
  linesHit: number;
  functionCount: number;
  functionsHit: number;
  lineShare: number;
  functionShare: number;
  isLow: boolean;
}

const share = (hit: number, all: number) => (all === 0 ? 1 : hit / all);

function rowsOf(all: Coverage, config: any): Row[] {
  const { relative } = require("node:path");
  const { threshold, ignore } = config.coverage;
  const tests = new Set(config.files.map((file: string[]) => file[0]));
  const globs = ignore.map((pattern: string) => new (require("bun/glob").Glob)(pattern));
  const cwd = process.cwd();
  const least = typeof threshold === "number" ? { line: threshold, function: threshold } : (threshold ?? {});
  const rows: Row[] = [];
  for (const [absolute, file] of Object.entries(all)) {
    const path = relative(cwd, absolute);
    if (tests.has(absolute) || globs.some((glob: any) => glob.match(path))) continue;
    const lines = Object.entries(file.lines).map(([line, count]) => [Number(line), count] as [number, number]).sort((a, b) => a[0] - b[0]);
    const linesHit = lines.filter(([, count]) => count > 0).length;
    const functions = Object.values(file.functions);
    const functionsHit = functions.filter(({ count }) => count > 0).length;
    const lineShare = share(linesHit, lines.length);
    const functionShare = share(functionsHit, functions.length);
    const isLow = lineShare < (least.line ?? 0) || functionShare < (least.function ?? 0) || lineShare < (least.statement ?? 0);
    rows.push({ path, file, lines, linesHit, functionCount: functions.length, functionsHit, lineShare, functionShare, isLow });
  }
  return rows.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** `5-6,9-11,16`: what did not run. Lines without code in between do not end a range. */
function missing({ lines }: Row): string[] {
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

function tableOf(rows: Row[], colors: boolean, least: any): string {
  const width = Math.max(9, ...rows.map(({ path }) => path.length + 1)) + 2;
  const dim = (text: string) => (colors ? `\x1b[0m\x1b[2m${text}\x1b[0m` : text);
  const rule = `${dim(`${"-".repeat(width)}|---------|---------|-------------------`)}\n`;
  const bar = dim("|");
  let text = `${rule}${"File".padEnd(width)}${bar} % Funcs ${bar} % Lines ${bar} Uncovered Line #s\n${rule}`;
  const average = (key: "lineShare" | "functionShare") => (rows.length === 0 ? 1 : rows.reduce((sum, row) => sum + row[key], 0) / rows.length);
  const paint = (value: string, good: boolean) => (colors ? `\x1b[0m\x1b[1m\x1b[${good ? 32 : 31}m${value}\x1b[0m` : value);
  const row = (name: string, functions: number, lines: number, rest: string) => {
    const isGood = functions >= least.function && lines >= least.line;
    return `${paint(name.padEnd(width), isGood)}${bar}${paint(percent(functions), functions >= least.function)} ${bar}${paint(percent(lines), lines >= least.line)} ${bar}${rest}\n`;
  };
  text += row("All files", average("functionShare"), average("lineShare"), "");
  for (const one of rows) {
    const ranges = missing(one);
    const shown = colors ? ranges.map((range) => `\x1b[0m\x1b[31m${range}\x1b[0m`).join(dim(",")) : ranges.join(",");
    text += row(` ${one.path}`, one.functionShare, one.lineShare, ` ${shown}`);
  }
  return `${text}${rule}`;
}

function lcovOf(rows: Row[]): string {
  let text = "";
  for (const row of rows) {
    text += `TN:\nSF:${row.path}\n`;
    const functions = Object.values(row.file.functions).sort((a, b) => a.line - b.line);
    for (const { line, name } of functions) text += `FN:${line},${name}\n`;
    for (const { name, count } of functions) text += `FNDA:${count},${name}\n`;
    text += `FNF:${row.functionCount}\nFNH:${row.functionsHit}\n`;
    const branches = Object.entries(row.file.branches);
    for (const [key, { count }] of branches) text += `BRDA:${key},${count}\n`;
    if (branches.length > 0) text += `BRF:${branches.length}\nBRH:${branches.filter(([, { count }]) => count > 0).length}\n`;
    for (const [line, count] of row.lines) text += `DA:${line},${count}\n`;
    text += `LF:${row.lines.length}\nLH:${row.linesHit}\nend_of_record\n`;
  }
  return text;
}

/** Writes the reports; the table for the terminal, and whether something is below the threshold. */
export function report(config: any, colors: boolean, all: Coverage = collect()): { table: string | undefined; isLow: boolean } {
  const { reporters, dir, threshold } = config.coverage;
  const rows = rowsOf(all, config);
  const names: string[] = reporters.length === 0 ? ["text"] : reporters;
  if (names.includes("lcov")) {
    const fs = require("node:fs");
    const { join } = require("node:path");
    const folder = dir ?? "coverage";
    try {
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(join(folder, "lcov.info"), lcovOf(rows));
    } catch (error: any) {
      process.stderr.write(`error: cannot write ${join(folder, "lcov.info")}: ${error.message}\n`);
    }
  }
  const least = typeof threshold === "number" ? { line: threshold, function: threshold } : { line: 0.9, function: 0.9, ...threshold };
  return { table: names.includes("text") ? tableOf(rows, colors, least) : undefined, isLow: rows.some((row) => row.isLow) };
}
