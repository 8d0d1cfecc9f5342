// module.SourceMap: https://nodejs.org/api/module.html#class-modulesourcemap
// The format: https://tc39.es/ecma426/ (version 3, plain or with sections).

import { validateObject } from "internal/core/validators";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
let values: Uint8Array | undefined;

/** [generated line, generated column, source, original line, original column, name]; positions count from 0. */
type Mapping = [number, number, string | undefined, number | undefined, number | undefined, string | undefined];

function decode(map: any, firstLine: number, firstColumn: number, out: Mapping[]): void {
  if (values === undefined) {
    values = new Uint8Array(128).fill(255);
    for (let digit = 0; digit < 64; digit++) values[DIGITS.charCodeAt(digit)] = digit;
  }
  const text: string = map.mappings ?? "";
  const sources: string[] = (map.sources ?? []).map((source: string) =>
    map.sourceRoot ? `${map.sourceRoot.replace(/\/?$/, "/")}${source}` : source,
  );
  const names: string[] = map.names ?? [];
  let at = 0;
  const number = (): number => {
    let result = 0;
    let shift = 1;
    for (;;) {
      const digit = values![text.charCodeAt(at++)] ?? 255;
      if (digit === 255) throw new SyntaxError(`not a source map: character ${at - 1} of "mappings"`);
      result += (digit & 31) * shift;
      if ((digit & 32) === 0) break;
      shift *= 32;
    }
    return result & 1 ? -(result >>> 1) || -0x80000000 : result >>> 1;
  };
  let line = firstLine;
  let column = firstColumn;
  let source = 0;
  let sourceLine = 0;
  let sourceColumn = 0;
  let name = 0;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === 59) {
      at++;
      line++;
      column = 0;
      continue;
    }
    if (character === 44) {
      at++;
      continue;
    }
    column += number();
    if (at >= text.length || text[at] === "," || text[at] === ";") {
      out.push([line, column, undefined, undefined, undefined, undefined]);
      continue;
    }
    source += number();
    sourceLine += number();
    sourceColumn += number();
    let named: string | undefined;
    if (at < text.length && text[at] !== "," && text[at] !== ";") {
      name += number();
      named = names[name];
    }
    out.push([line, column, sources[source], sourceLine, sourceColumn, named]);
  }
}

const copy = (value: any): any =>
  Array.isArray(value)
    ? value.map(copy)
    : value !== null && typeof value === "object"
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
      : value;

export class SourceMap {
  #payload: any;
  #lineLengths: number[] | undefined;
  #mappings: Mapping[] = [];

  /** `payload`: a source map as an object. `options.lineLengths`: lengths of the generated lines. */
  constructor(payload: any, options: any = {}) {
    validateObject(payload, "payload");
    this.#payload = copy(payload);
    if (options?.lineLengths !== undefined) this.#lineLengths = [...options.lineLengths];
    if (Array.isArray(payload.sections)) {
      for (const { offset, map } of payload.sections) decode(map, offset.line, offset.column, this.#mappings);
    } else decode(payload, 0, 0, this.#mappings);
    this.#mappings.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  }

  get payload() {
    return copy(this.#payload);
  }

  get lineLengths() {
    return this.#lineLengths?.slice();
  }

  /** What maps to the generated place at or before `line`, `column` (from 0); an empty object where nothing does. */
  findEntry(line: number, column: number): any {
    const list = this.#mappings;
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = list[middle]!;
      if (entry[0] < line || (entry[0] === line && entry[1] <= column)) low = middle + 1;
      else high = middle;
    }
    const entry = list[low - 1];
    if (entry === undefined) return {};
    const [generatedLine, generatedColumn, originalSource, originalLine, originalColumn, name] = entry;
    return { generatedLine, generatedColumn, originalSource, originalLine, originalColumn, name };
  }

  /** The original place of a generated one; both count from 1. */
  findOrigin(lineNumber: number, columnNumber: number) {
    const range = this.findEntry(lineNumber - 1, columnNumber - 1);
    if (range.originalSource === undefined || range.originalLine === undefined) return {};
    const lineOffset = lineNumber - range.generatedLine;
    const columnOffset = columnNumber - range.generatedColumn;
    return {
      name: range.name,
      fileName: range.originalSource,
      lineNumber: range.originalLine + lineOffset,
      columnNumber: range.originalColumn + columnOffset,
    };
  }
}
