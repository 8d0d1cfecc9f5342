// module.SourceMap: https://nodejs.org/api/module.html#class-modulesourcemap
// The format: https://tc39.es/ecma426/ (version 3, plain or with sections).

import { validateObject } from "internal/core/validators";

/** [generated line, generated column, source, original line, original column, name]; positions count from 0. */
type Mapping = [number, number, string | undefined, number | undefined, number | undefined, string | undefined];

/** A source map as JSON has it. */
interface RawMap {
  sources?: string[];
  sourceRoot?: string;
  names?: string[];
  mappings?: string;
  /** In place of the others: maps of parts of the text. */
  sections?: { offset: { line: number; column: number }; map: RawMap }[];
}

/** What maps to a place; positions count from 0. */
interface Entry {
  generatedLine: number;
  generatedColumn: number;
  originalSource: string | undefined;
  originalLine: number | undefined;
  originalColumn: number | undefined;
  name: string | undefined;
}

/** Appends the mappings of a map whose text begins at a place of the whole. */
function decode(map: RawMap, firstLine: number, firstColumn: number, out: Mapping[]): void {
  const sources: string[] = (map.sources ?? []).map((source) =>
    map.sourceRoot ? `${map.sourceRoot.replace(/\/?$/, "/")}${source}` : source,
  );
  const names: string[] = map.names ?? [];
  const numbers: Float64Array = native("source_map").decodeMappings(`${map.mappings ?? ""}`);
  for (let at = 0; at < numbers.length; at += 6) {
    const line = firstLine + numbers[at]!;
    const column = numbers[at + 1]! + (numbers[at] === 0 ? firstColumn : 0);
    const source = numbers[at + 2]!;
    const name = numbers[at + 5]!;
    if (source === -1) out.push([line, column, undefined, undefined, undefined, undefined]);
    else
      out.push([
        line,
        column,
        sources[source],
        numbers[at + 3],
        numbers[at + 4],
        name === -1 ? undefined : names[name],
      ]);
  }
}

const copy = <T>(value: T): T =>
  (Array.isArray(value)
    ? value.map(copy)
    : value !== null && typeof value === "object"
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]))
      : value) as T;

export class SourceMap {
  #payload: RawMap;
  #lineLengths: number[] | undefined;
  #mappings: Mapping[] = [];

  /** `payload`: a source map as an object. `options.lineLengths`: lengths of the generated lines. */
  constructor(payload: RawMap, options: { lineLengths?: Iterable<number> } | null = {}) {
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
  findEntry(line: number, column: number): Partial<Entry> {
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
    const lineOffset = lineNumber - range.generatedLine!;
    const columnOffset = columnNumber - range.generatedColumn!;
    return {
      name: range.name,
      fileName: range.originalSource,
      lineNumber: range.originalLine + lineOffset,
      columnNumber: range.originalColumn! + columnOffset,
    };
  }
}

/** Maps that were asked for, by path. */
const found = new Map<string, SourceMap | undefined>();

/** `module.findSourceMap`: the map of a file, transpiled here or by a tool that names it in a comment. */
export function findSourceMap(path: unknown): SourceMap | undefined {
  if (typeof path !== "string") return undefined;
  const file = path.startsWith("file:") ? require("node:url").fileURLToPath(path) : path;
  if (found.has(file)) return found.get(file);
  const json = file.startsWith("/") ? native("source_map").find(file) : undefined;
  let made: SourceMap | undefined;
  if (json !== undefined) {
    try {
      const raw: RawMap = JSON.parse(json);
      const { pathToFileURL } = require("node:url");
      // Sources are URLs, as in Node.
      const base = pathToFileURL(file);
      const sources = (raw.sources ?? []).map((one) => (URL.canParse(one, base) ? new URL(one, base).href : one));
      made = new SourceMap({ ...raw, sources });
    } catch {
      // A damaged map is none.
    }
  }
  found.set(file, made);
  return made;
}
