// Text for pages and terminals: Bun.escapeHTML, stringWidth, stripANSI, indexOfLine.
import { bytesOf, invalidType } from "bun/util";

const ops = native("bun");

/** `text` with `"&'<>` as entities. Other values are converted to strings. */
export function escapeHTML(text: string): string {
  if (typeof text !== "string") text = `${text}`;
  return ops.escapeHtml(text) ?? text;
}
Object.defineProperty(escapeHTML, "length", { value: 2 });

/**
 * Columns that `text` takes in a terminal.
 * @param options `countAnsiEscapeCodes`: the characters of escape sequences count (default false);
 *   `ambiguousIsNarrow`: characters of ambiguous width take one column (default true)
 */
export function stringWidth(
  text?: string,
  options?: { countAnsiEscapeCodes?: unknown; ambiguousIsNarrow?: unknown } | null,
): number {
  if (text === undefined) return 0;
  if (typeof text !== "string") text = `${text}`;
  if (typeof options !== "object" || options === null) return ops.stringWidth(text, false, true);
  const { countAnsiEscapeCodes, ambiguousIsNarrow } = options;
  return ops.stringWidth(
    text,
    Boolean(countAnsiEscapeCodes),
    ambiguousIsNarrow === undefined || Boolean(ambiguousIsNarrow),
  );
}
Object.defineProperty(stringWidth, "length", { value: 2 });

/** `text` without escape sequences of terminals. */
export function stripANSI(text: string): string {
  if (typeof text !== "string") text = `${text}`;
  return ops.stripAnsi(text) ?? text;
}

/** Position of the first line feed in `buffer` at or after `offset`, or -1. */
export function indexOfLine(buffer: unknown, offset: number = 0): number {
  const bytes = bytesOf(buffer);
  if (bytes === undefined) throw invalidType("buffer must be an ArrayBuffer or ArrayBufferView");
  const from = Math.trunc(+offset);
  return ops.indexOfLine(bytes, from > 0 ? from : 0);
}
Object.defineProperty(indexOfLine, "length", { value: 1 });
