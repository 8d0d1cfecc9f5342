// Scripts of the development server: the client with all modules of a page, or the new versions of a few; and their source maps.
import type { Module } from "internal/bundle/dev/module";

const { pathToFileURL } = require("node:url");

const ES = 1;
const ASYNC = 2;
const STRICT = 8;

/** A script, and which module begins at which of its lines (from 0). */
export interface Chunk {
  text: string;
  parts: { line: number; module: Module; source: string; map: string | undefined; lines: number }[];
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function idsOf(module: Module, isStatic: boolean): string {
  const ids: string[] = [];
  for (const { specifier, target, isStatic: isStaticToo } of module.edges) {
    // A style sheet that a page links is no module of it.
    if (isStatic !== isStaticToo || specifier === "") continue;
    ids.push(specifier, typeof target === "string" ? target : target.id);
  }
  return JSON.stringify(ids);
}

const ES_HEAD =
  'function(__import,__exports,__star,__dynamic,__meta,__hot,require,$RefreshReg$,$RefreshSig$){"use strict";{\n';

/** Modules as the properties of an object, behind `head`; `names`: what CommonJS modules get more, as `,__filename`. */
export function chunkOf(head: string, modules: readonly Module[], tail: string, names: string = ""): Chunk {
  const texts: string[] = [head];
  const parts: Chunk["parts"] = [];
  let line = countLines(head);
  for (const module of modules) {
    const { id, flags, code, map, source } = module;
    const isEs = (flags & ES) !== 0;
    const start = isEs
      ? `${(flags & ASYNC) === 0 ? "" : "async "}${ES_HEAD}`
      : `function(module,exports,require,__dynamic${names}){${(flags & STRICT) === 0 ? "" : '"use strict";'}{\n`;
    texts.push(`${JSON.stringify(id)}:[${flags},${idsOf(module, true)},${idsOf(module, false)},${start}`, code);
    line++;
    const lines = countLines(code);
    parts.push({ line, module, source, map, lines });
    texts.push("\n}}],\n");
    line += lines + 2;
  }
  texts.push(tail);
  return { text: texts.join(""), parts };
}

/** Mappings of a text onto itself, line by line. */
function identity(lines: number): string {
  return `AAAA${";AACA".repeat(lines)}`;
}

function fileUrl(module: Module): string {
  const at = module.key.indexOf("?bao-loader=");
  const key = at === -1 ? module.key : module.key.slice(0, at);
  return key.startsWith("/") ? pathToFileURL(key).href : key;
}

/** The source map of a module in a chunk. */
function mapOf({ module, source, map, lines }: Chunk["parts"][number]): object {
  const sources = [fileUrl(module)];
  const sourcesContent = [source];
  if (module.kind === "page" || module.kind === "sheet")
    return { version: 3, sources, sourcesContent, names: [], mappings: "" };
  if (map === undefined) return { version: 3, sources, sourcesContent, names: [], mappings: identity(lines) };
  return { ...JSON.parse(map), sources, sourcesContent };
}

/** The source map of a chunk as JSON: one section for each module, as of https://tc39.es/ecma426/. */
export function sourceMapOf(chunk: Chunk): string {
  const runtime = {
    offset: { line: 0, column: 0 },
    map: {
      version: 3,
      sources: ["bao://dev/client.js"],
      sourcesContent: ["// the development server's client"],
      names: [],
      mappings: "",
    },
  };
  const sections = chunk.parts.map((part) => ({ offset: { line: part.line, column: 0 }, map: mapOf(part) }));
  return JSON.stringify({ version: 3, sections: [runtime, ...sections] });
}

/** The place in a source that a place of a chunk stands for; lines and columns count from 1. */
export function placeIn(
  chunk: Chunk,
  line: number,
  column: number,
): { module: Module; source: string; line: number; column: number } | undefined {
  let found: Chunk["parts"][number] | undefined;
  for (const part of chunk.parts) {
    if (part.line > line - 1) break;
    found = part;
  }
  if (found === undefined || line - 1 > found.line + found.lines) return undefined;
  const { module, source, map } = found;
  const inner = line - 1 - found.line;
  if (map === undefined) return { module, source, line: inner + 1, column };
  const { SourceMap } = require("internal/module/source_map");
  const entry = new SourceMap(JSON.parse(map)).findEntry(inner, column - 1);
  if (entry.originalLine === undefined || entry.originalColumn === undefined) return undefined;
  return { module, source, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}
