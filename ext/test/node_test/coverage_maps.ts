// Coverage of sources by the maps of what was made of them (`--enable-source-maps`): ranges of a script become ranges of the
// files that its source map names, as in Node.

import type { CountedFunction, Line, Range, Script } from "internal/test/node_test/coverage";
import { codes } from "internal/core/errors";
import { mark } from "internal/test/node_test/coverage";

/** A map as reports have it beside the counts. */
interface CachedMap {
  lineLengths: number[];
  data: { sources: string[]; sourcesContent?: (string | null)[] } | null;
}
export type MapCache = Record<string, CachedMap | undefined>;

/** Where something is in a source; lines and columns count from 0. Without `originalSource` if the map does not say. */
interface Entry {
  originalSource?: string;
  originalLine: number;
  originalColumn: number;
}
interface SourceMap {
  findEntry(line: number, column: number): Entry;
}
type SourceMapClass = new (data: object, options: { lineLengths: number[] }) => SourceMap;

/** Gives the lines of a file, of the text that is given if there is one; undefined if it cannot be read. */
type LinesOf = (url: string, text?: string) => Line[] | undefined;

function offsetOf({ originalLine, originalColumn }: Entry, lines: Line[]): number {
  const line = lines[Math.max(originalLine, 0)];
  return line === undefined ? -1 : Math.min(line.startOffset + originalColumn, line.endOffset);
}

/** The first place that a map knows. */
function firstEntry(map: SourceMap, lineLengths: number[]): Entry | undefined {
  for (const [line, length] of lineLengths.entries())
    for (let column = 0; column <= length; column++) {
      const entry = map.findEntry(line, column);
      if (entry.originalSource) return entry;
    }
  return undefined;
}

/** The lines of the script itself, by the lengths that were noted. */
function generatedLines(lineLengths: number[]): Line[] {
  let offset = 0;
  return lineLengths.map((length, index) => {
    const startOffset = offset;
    offset += length + 1;
    return { line: index + 1, startOffset, endOffset: offset, isIgnored: false, count: 0 };
  });
}

/** `scripts` with those that have a map replaced by their sources. */
export function mapped(
  scripts: Script[],
  cache: MapCache,
  linesOf: LinesOf,
  isWanted: (url: string) => boolean,
): Script[] {
  const found = new Map<string, Script>();
  for (const script of scripts) {
    const known = cache[script.url];
    if (known === undefined || !isWanted(script.url)) found.set(script.url, script);
    else mapScript(script, known, linesOf, found);
  }
  return [...found.values()];
}

function mapScript({ url, functions }: Script, known: CachedMap, linesOf: LinesOf, found: Map<string, Script>): void {
  const { data, lineLengths } = known;
  if (data === null) throw new codes.ERR_SOURCE_MAP_CORRUPT(url);
  data.sourcesContent?.forEach((text, index) => linesOf(data.sources[index]!, text ?? undefined));
  const { SourceMap } = require("node:module") as unknown as { SourceMap: SourceMapClass };
  const map = new SourceMap(data, { lineLengths });
  const generated = generatedLines(lineLengths);
  for (const one of functions) {
    const ranges: Range[] = [];
    let source: string | undefined;
    for (const range of one.ranges) {
      const touched = mark(range, generated);
      const [first, last] = [touched[0]!, touched.at(-1)!];
      let start = map.findEntry(first.line - 1, Math.max(0, range.startOffset - first.startOffset));
      const end = map.findEntry(last.line - 1, range.endOffset - last.startOffset - 1);
      if (!start.originalSource && end.originalSource && range.startOffset === 0)
        start = firstEntry(map, lineLengths) ?? start;
      // What is made of two files, or of none, has no range.
      if (!start.originalSource || start.originalSource !== end.originalSource) continue;
      source ??= start.originalSource;
      const lines = linesOf(source);
      if (lines === undefined) throw new codes.ERR_SOURCE_MAP_MISSING_SOURCE(source, url);
      const [startOffset, endOffset] = [offsetOf(start, lines), offsetOf(end, lines) + 1];
      if (startOffset < 0 || endOffset < 1) continue;
      for (let line = start.originalLine; line <= end.originalLine; line++) lines[line]!.count = range.count;
      ranges.push({ startOffset, endOffset, count: range.count });
    }
    if (source === undefined) continue;
    const into: Script = found.get(source) ?? { url: source, functions: [] };
    found.set(source, into);
    const mappedFunction: CountedFunction = { ...one, ranges };
    into.functions.push(mappedFunction);
  }
}
