// --coverage-reporter=html: index.html with directories and files, and a page for each file. Pages need nothing but themselves.

import {
  FUNCTION_COUNT,
  ITEM,
  METRICS,
  type FileCoverage,
  type Metric,
  type Row,
  type Sums,
  noSums,
  share,
} from "internal/test/bun_test/coverage";

const TITLES: Record<Metric, string> = {
  line: "Lines",
  function: "Functions",
  statement: "Statements",
  branch: "Branches",
};

const STYLE = `:root{color-scheme:light dark;--line:#8884;--good:#1a7f37;--fair:#9a6700;--bad:#cf222e;--no:#ff818266;--way:#ffd33d88}
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em}
h1{font-size:1.3em}a{color:inherit}
table{border-collapse:collapse;width:100%}
.sums th,.sums td{border-bottom:1px solid var(--line);padding:.25em .6em;text-align:right;font-variant-numeric:tabular-nums}
.sums th:first-child,.sums td:first-child{text-align:left}
.sums .dir td{font-weight:600}.sums .in td:first-child{padding-left:1.8em}
.high{color:var(--good)}.middle{color:var(--fair)}.low{color:var(--bad)}
.code{font:13px/1.45 ui-monospace,monospace;tab-size:4}
.code td{padding:0 .6em;white-space:pre;vertical-align:top}
.code td:last-child{width:100%;white-space:pre-wrap;overflow-wrap:anywhere}
.code .n,.code .c{text-align:right;user-select:none;opacity:.7}
.code .c{border-right:3px solid transparent}.code .hit .c{border-color:var(--good)}.code .some .c{border-color:var(--fair)}.code .miss .c{border-color:var(--bad)}
.no{background:var(--no)}.way{background:var(--way)}.mark{background:#24292f;color:#fff;border-radius:3px;padding:0 .3em;margin-right:.2em;font-size:.85em}
tr:target{outline:2px solid var(--fair)}
`;

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

/** Directories above the working directory do not get out of the report's. */
const pageOf = (path: string) => `${path.replace(/(^|\/)\.\.(?=\/)/g, "$1__")}.html`;

const linkTo = (page: string) => page.split("/").map(encodeURIComponent).join("/");

function page(title: string, body: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>\n<style>${STYLE}</style></head>\n<body>\n${body}</body></html>\n`;
}

function cells(sums: Sums): string {
  let text = "";
  for (const metric of METRICS) {
    const { total, hit } = sums[metric];
    const value = share(sums[metric]);
    text += `<td class="${value >= 0.9 ? "high" : value >= 0.5 ? "middle" : "low"}">${(value * 100).toFixed(2)}%</td><td>${hit}/${total}</td>`;
  }
  return text;
}

const HEAD = `<tr><th>File</th>${METRICS.map((metric) => `<th colspan="2">${TITLES[metric]}</th>`).join("")}</tr>\n`;

function sumOf(rows: Row[]): Sums {
  const all = noSums();
  for (const { sums } of rows) {
    for (const metric of METRICS) {
      all[metric].total += sums[metric].total;
      all[metric].hit += sums[metric].hit;
    }
  }
  return all;
}

function indexOf(rows: Row[]): string {
  const { dirname, basename } = require("node:path");
  const folders = new Map<string, Row[]>();
  for (const row of rows) {
    const folder = dirname(row.path);
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [row]);
    else known.push(row);
  }
  let text = `<h1>Coverage</h1>\n<table class="sums">${HEAD}<tr class="dir"><td>All files</td>${cells(sumOf(rows))}</tr>\n`;
  for (const [folder, files] of [...folders].sort((a, b) => (a[0] < b[0] ? -1 : 1))) {
    text += `<tr class="dir"><td>${escaped(folder === "." ? "./" : `${folder}/`)}</td>${cells(sumOf(files))}</tr>\n`;
    for (const { path, sums } of files)
      text += `<tr class="in"><td><a href="${linkTo(pageOf(path))}">${escaped(basename(path))}</a></td>${cells(sums)}</tr>\n`;
  }
  return page("Coverage", `${text}</table>\n`);
}

const NOT_RUN = 1;
const NOT_TAKEN = 2;

/** What a page shows in the text of its file. */
class Marks {
  /** Kinds of marks of the characters of a line, by its number. */
  kinds = new Map<number, Uint8Array>();
  /** Ways without a text of their own: column, letter and what it stands for. */
  notes = new Map<number, [number, string, string][]>();
  /** Lines with a way that was not taken. */
  partial = new Set<number>();

  #lines: string[];

  constructor(lines: string[], file: FileCoverage) {
    this.#lines = lines;
    const { statements } = file;
    for (let at = 0; at < statements.length; at += ITEM)
      if (statements[at + ITEM - 1] === 0) this.#range(statements, at, NOT_RUN);
    for (const one of file.functions) {
      if (one[FUNCTION_COUNT] === 0) this.#note(one[1], one[2], "F", `function ${one[0]} was not called`);
    }
    for (const [kind, line, column, , , ways] of file.branches) {
      const counts = ways.filter((_, at) => at % ITEM === ITEM - 1);
      // Where nothing came by, that is shown already.
      if (counts.every((count) => count === 0) && kind !== "default-arg") continue;
      counts.forEach((count, way) => {
        if (count > 0) return;
        const at = way * ITEM;
        this.partial.add(line);
        if (kind === "if" && ways[at] === line && ways[at + 1] === column)
          this.#note(line, column, way === 0 ? "I" : "E", way === 0 ? "if: never true" : "if: never false");
        else this.#range(ways, at, NOT_TAKEN);
      });
    }
  }

  #note(line: number, column: number, letter: string, title: string): void {
    const known = this.notes.get(line);
    if (known === undefined) this.notes.set(line, [[column, letter, title]]);
    else known.push([column, letter, title]);
  }

  #range(items: number[], at: number, kind: number): void {
    const [line, column, endLine, endColumn] = items.slice(at, at + 4) as [number, number, number, number];
    for (let current = line; current <= endLine; current++) {
      const length = this.#lines[current - 1]?.length ?? 0;
      let kinds = this.kinds.get(current);
      if (kinds === undefined) this.kinds.set(current, (kinds = new Uint8Array(length)));
      const from = current === line ? column : this.#lines[current - 1]!.search(/\S|$/);
      const to = current === endLine ? endColumn : length;
      for (let index = from; index < to; index++) kinds[index]! |= kind;
    }
  }

  /** A line of the text with its marks. */
  line(number: number): string {
    const text = this.#lines[number - 1]!;
    const kinds = this.kinds.get(number);
    const notes = (this.notes.get(number) ?? []).sort((a, b) => a[0] - b[0]);
    if (kinds === undefined && notes.length === 0) return escaped(text);
    let out = "";
    let at = 0;
    const upTo = (end: number) => {
      while (at < end) {
        const kind = kinds?.[at] ?? 0;
        let stop = at + 1;
        while (stop < end && (kinds?.[stop] ?? 0) === kind) stop++;
        const part = escaped(text.slice(at, stop));
        if (kind === 0) out += part;
        else
          out +=
            kind & NOT_RUN
              ? `<span class="no" title="did not run">${part}</span>`
              : `<span class="way" title="branch not taken">${part}</span>`;
        at = stop;
      }
    };
    for (const [column, letter, title] of notes) {
      upTo(Math.min(column, text.length));
      out += `<span class="mark" title="${escaped(title)}">${letter}</span>`;
    }
    upTo(text.length);
    return out;
  }
}

function filePage({ path, file, lines, sums }: Row): string {
  let text: string;
  try {
    text = require("node:fs").readFileSync(file.path, "utf8");
  } catch (error) {
    text = `// ${(error as Error).message}`;
  }
  const all = text.replace(/^\ufeff/, "").split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  const marks = new Marks(all, file);
  const counts = new Map(lines);
  const up = "../".repeat(pageOf(path).split("/").length - 1);
  let body = `<h1><a href="${up}index.html">Coverage</a> / ${escaped(path)}</h1>\n<table class="sums">${HEAD}<tr><td>${escaped(path)}</td>${cells(sums)}</tr></table>\n`;
  body += `<p><span class="no">did not run</span> <span class="way">branch not taken</span> <span class="mark">I</span>never true <span class="mark">E</span>never false <span class="mark">F</span>not called</p>\n<table class="code">\n`;
  for (let number = 1; number <= all.length; number++) {
    const count = counts.get(number);
    const kind = count === undefined ? "" : count === 0 ? "miss" : marks.partial.has(number) ? "some" : "hit";
    body += `<tr id="L${number}"${kind === "" ? "" : ` class="${kind}"`}><td class="n"><a href="#L${number}">${number}</a></td><td class="c">${count === undefined ? "" : `${count}×`}</td><td>${marks.line(number)}</td></tr>\n`;
  }
  return page(path, `${body}</table>\n`);
}

/** Names and texts of the files of a report. */
export function pages(rows: Row[]): [string, () => string][] {
  return [
    ["index.html", () => indexOf(rows)],
    ...rows.map((row): [string, () => string] => [pageOf(row.path), () => filePage(row)]),
  ];
}
