// Bun.wrapAnsi and Bun.sliceAnsi: text with escape sequences of terminals in lines of a width, and parts of it.
import { stringWidth } from "bun/text";

const ops = native("bun");

// ---- styles ----

/** Codes of SGR that end a style. */
const endings = new Set([0, 22, 23, 24, 25, 27, 28, 29, 39, 49, 54, 55, 59]);

/** The code that ends the style of a code of SGR (ECMA-48, 8.3.117), 0 for unknown styles; undefined for codes that end one. */
function endOf(code: number): number | undefined {
  if (code === 1 || code === 2) return 22;
  if ((code >= 3 && code <= 5) || (code >= 7 && code <= 9)) return code + 20;
  if (code === 6) return 25;
  if (code === 20) return 23;
  if (code === 53) return 55;
  if (code === 58) return 59;
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 39;
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 49;
  return endings.has(code) || Number.isNaN(code) ? undefined : 0;
}

/** A style that is on: the parameters that begin it, the code that ends it, and how its sequence begins. */
interface Style {
  begin: string;
  end: number;
  introducer: string;
}

/** Applies the parameters of one SGR sequence to the styles that are on. */
function applyStyles(parameters: string, styles: Style[], introducer = "\x1b["): void {
  const codes = parameters.split(";");
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] === "" ? 0 : parseInt(codes[i]!, 10);
    if (code === 0) {
      styles.length = 0;
      continue;
    }
    const end = endOf(code);
    if (end === undefined) {
      for (let at = styles.length - 1; at >= 0; at--) if (styles[at]!.end === code) styles.splice(at, 1);
      continue;
    }
    let begin = codes[i]!;
    if ((code === 38 || code === 48 || code === 58) && !begin.includes(":")) {
      // A colour by number, or by its parts.
      const count = codes[i + 1] === "5" ? 2 : codes[i + 1] === "2" ? 4 : 0;
      begin = codes.slice(i, i + count + 1).join(";");
      i += count;
    }
    // One colour replaces another; weight and slant add up.
    if (end >= 39) for (let at = styles.length - 1; at >= 0; at--) if (styles[at]!.end === end) styles.splice(at, 1);
    if (!styles.some((style) => style.begin === begin)) styles.push({ begin, end, introducer });
  }
}

/** An escape sequence, or text up to the next one. */
const pieces =
  /(?:\x1b\[|\x9b)([\d;:]*)m|(?:\x1b\]|\x9d)8;([^;\x07\x1b\x9c]*;[^\x07\x1b\x9c]*)(\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]?[0-~]?|\x9c|[^\x1b\x90\x98\x9b-\x9f]+|[^]/g;

/** Whether a match of `pieces` is text. */
function isText(match: RegExpMatchArray): boolean {
  const first = match[0].charCodeAt(0);
  return match[1] === undefined && match[2] === undefined && first !== 0x1b && !(first >= 0x90 && first <= 0x9f);
}

// ---- slices ----

interface SliceOptions {
  ellipsis?: string;
  ambiguousIsNarrow?: unknown;
}

/**
 * The part of `text` from column `start` to column `end` (negative: from the end), with the styles and links that it has.
 * @param ellipsis what stands where something is left out; or options: `ellipsis`, `ambiguousIsNarrow`; or the latter alone
 * @param options options where `ellipsis` is a text; or `ambiguousIsNarrow` alone
 */
export function sliceAnsi(
  text: string | undefined,
  start: number | undefined = 0,
  end: number | undefined = undefined,
  ellipsis: string | boolean | SliceOptions | null = "",
  options: SliceOptions | boolean | undefined = undefined,
): string {
  text = `${text}`;
  if (typeof ellipsis === "boolean") [ellipsis, options] = ["", ellipsis];
  if (typeof options === "boolean") options = { ambiguousIsNarrow: options };
  if (typeof ellipsis === "object" && ellipsis !== null) [ellipsis, options] = [ellipsis.ellipsis ?? "", ellipsis];
  const narrow = options?.ambiguousIsNarrow === undefined || Boolean(options.ambiguousIsNarrow);
  const width = { ambiguousIsNarrow: narrow };
  let from = Math.trunc(+start) || 0;
  let to = end === undefined ? Infinity : +end === Infinity ? Infinity : Math.trunc(+end) || 0;
  let total = Infinity;
  if (from < 0 || to < 0 || ellipsis !== "") {
    total = stringWidth(text, width);
    if (from < 0) from = Math.max(0, total + from);
    if (to < 0) to = Math.max(0, total + to);
  }
  if (to <= from || from >= total) return "";
  let before = "";
  let after = "";
  if (ellipsis !== "" && (from > 0 || to < total)) {
    ellipsis = `${ellipsis}`;
    const size = stringWidth(ellipsis, width);
    const room = Math.min(to, total) - from;
    if (from > 0) before = ellipsis;
    if (to < total) after = ellipsis;
    const count = (before === "" ? 0 : 1) + (after === "" ? 0 : 1);
    if (room <= size * count) {
      if (room <= size || count === 1) return ellipsis;
      after = "";
    }
    if (before !== "") from += size;
    if (after !== "") to -= size;
  }
  return sliced(text, from, to, before, after, narrow);
}
Object.defineProperty(sliceAnsi, "length", { value: 5 });

/**
 * As much of `text` as there is room for in so many columns, and the rest, without a look at all of a long one: who breaks it into lines
 * splits it once for each. What is on at the end of a long rest may stay on: its own parts end it.
 */
export function splitAnsi(text: string, columns: number): [string, string] {
  // Sequences and marks between and above letters have room in it.
  const size = 16 * columns + 1024;
  if (text.length > 2 * size) {
    const start = text.slice(0, size);
    const head = fitting(start, columns);
    let left = 0;
    for (const match of head.matchAll(pieces)) if (isText(match)) left += match[0].length;
    const slice = new Slice("");
    // The last sequence and the last character of the start may go on behind it.
    const last = /[\x1b\x90-\x9f](?!\\|\[[\d;:]*m)[^\x1b\x90-\x9f]*$/.exec(start);
    const most = (last?.index ?? size) - 64;
    for (const match of start.matchAll(pieces)) {
      if (!isText(match)) {
        slice.sequence(match);
        continue;
      }
      const [piece] = match;
      const at = match.index + left;
      left = Math.max(0, left - piece.length);
      if (at >= match.index + piece.length) continue;
      if (at > most) break;
      slice.text(text.slice(at));
      return [head, slice.out];
    }
  }
  const head = fitting(text, columns);
  return [head, sliceAnsi(text, stringWidth(head))];
}

/** The beginning of `text` that has room in so many columns: a slice ends behind a wide character. */
function fitting(text: string, columns: number): string {
  const head = sliceAnsi(text, 0, columns);
  return stringWidth(head) > columns ? sliceAnsi(text, 0, columns - 1) : head;
}

/** What a slice is made of while the text is walked. */
class Slice {
  out = "";
  /** Whether something visible of the slice has come. */
  begun = false;
  styles: Style[] = [];
  /** The sequence that begins the link that is on. */
  link: string | undefined;
  /** Sequences that come before the next visible character: they only count if there is one. */
  waiting = "";

  before: string;

  constructor(before: string) {
    this.before = before;
  }

  /** Takes an escape sequence: it changes the style, the link, or nothing that is kept track of. */
  sequence(match: RegExpMatchArray): void {
    const [piece, parameters, target] = match;
    if (parameters !== undefined) applyStyles(parameters, this.styles, piece!.startsWith("\x9b") ? "\x9b" : "\x1b[");
    else if (target !== undefined) this.link = target.endsWith(";") ? undefined : piece;
    if (this.begun) this.waiting += piece;
  }

  /** Takes visible text. */
  text(text: string): void {
    if (!this.begun) {
      this.begun = true;
      this.out = this.styles.map((style) => `${style.introducer}${style.begin}m`).join("") + this.before;
      this.out += this.link ?? "";
      this.waiting = "";
    }
    this.out += this.waiting + text;
    this.waiting = "";
  }

  /** The slice with the ends of what is on at its end, and the ellipsis. */
  finish(after: string): string {
    if (!this.begun) return "";
    const ended: Style[] = [];
    let ongoing = false;
    let closing = "";
    for (const match of this.out.matchAll(pieces)) {
      if (match[1] !== undefined) applyStyles(match[1], ended);
      else if (match[2] !== undefined) {
        ongoing = !match[2].endsWith(";");
        closing = `${match[0].startsWith("\x9d") ? "\x9d" : "\x1b]"}8;;${match[3]}`;
      }
    }
    if (ongoing) this.out += closing;
    const codes = new Set(ended.map((style) => style.end));
    const ends = [...codes].reverse().map((code) => `\x1b[${code}m`);
    return this.out + after + ends.join("");
  }
}

/** Whether a sequence only ends what is on: the end of a slice takes such ones as they are. */
function isEnd(match: RegExpMatchArray): boolean {
  const [, parameters, target] = match;
  if (parameters === undefined) return target !== undefined && target.endsWith(";");
  return parameters.split(";").every((code) => code === "" || endOf(parseInt(code, 10)) === undefined);
}

/** Whether a sequence ends one of the styles that are on, or the link. */
function endsSome(match: RegExpMatchArray, open: Style[], isLinked: boolean): boolean {
  const [, parameters] = match;
  if (parameters === undefined) return isLinked;
  const left = [...open];
  applyStyles(parameters, left);
  return left.length < open.length;
}

function sliced(text: string, from: number, to: number, before: string, after: string, narrow: boolean): string {
  const matches = [...text.matchAll(pieces)];
  // Characters that belong together do so whatever sequences are between their parts.
  const sizes: Uint32Array | number[] = ops.clusters(
    matches.map((match) => (isText(match) ? match[0] : "")).join(""),
    narrow,
  );
  const slice = new Slice(before);
  let column = 0;
  let next = 0;
  /** What is left of the character under way, in code units, and whether it is in the slice. */
  let left = 0;
  let isIn = false;
  for (const [index, match] of matches.entries()) {
    if (!isText(match)) {
      // Between the parts of a character in the slice, everything counts.
      if (left === 0 && column >= to && slice.begun && after === "") {
        takeEnds(slice, matches, index);
        return slice.finish(after);
      }
      slice.sequence(match);
      continue;
    }
    const [piece] = match;
    let at = 0;
    while (at < piece.length) {
      if (left === 0) {
        left = sizes[next]!;
        const size = sizes[next + 1]!;
        next += 2;
        if (column >= to) {
          // The next character gives way to the ellipsis, which has its style.
          if (slice.begun && after !== "") slice.out += slice.waiting;
          return slice.finish(after);
        }
        isIn = column >= from;
        column += size;
      }
      const count = Math.min(left, piece.length - at);
      if (isIn) slice.text(piece.slice(at, at + count));
      at += count;
      left -= count;
    }
  }
  // The text has ended before the slice has.
  if (slice.begun && (column < to || after !== "")) slice.out += slice.waiting;
  return slice.finish(after);
}

/** Sequences right after the slice that only end what is on in it stand there as they are. */
function takeEnds(slice: Slice, matches: RegExpMatchArray[], start: number): void {
  for (let index = start; index < matches.length && !isText(matches[index]!) && isEnd(matches[index]!); index++) {
    const match = matches[index]!;
    if (!endsSome(match, slice.styles, slice.link !== undefined)) continue;
    slice.out += match[0];
    if (match[1] !== undefined) applyStyles(match[1], slice.styles);
    else slice.link = undefined;
  }
}

// ---- lines ----

interface WrapOptions {
  hard: boolean;
  wordWrap: boolean;
  trim: boolean;
  width: { ambiguousIsNarrow: boolean };
}

/**
 * `text` in lines of at most `columns` columns; styles and links are ended and begun anew at the ends of lines.
 * @param options `hard`: break words that are longer (default false); `wordWrap`: break at spaces (default true); `trim`:
 *   no spaces at the beginnings and ends of lines (default true); `ambiguousIsNarrow`
 */
export function wrapAnsi(
  text: string,
  columns?: number,
  options?: { hard?: unknown; wordWrap?: boolean; trim?: boolean; ambiguousIsNarrow?: boolean } | null,
): unknown {
  if (text === undefined) return undefined;
  text = `${text}`;
  const width = Math.trunc(+columns!);
  if (!(width > 0) || columns === undefined || +columns === Infinity) return text;
  const settings = {
    hard: Boolean(options?.hard),
    wordWrap: options?.wordWrap !== false,
    trim: options?.trim !== false,
    width: { ambiguousIsNarrow: options?.ambiguousIsNarrow !== false },
  };
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  return lines.map((line: string) => restyled(wrapLine(line, width, settings))).join("\n");
}
Object.defineProperty(wrapAnsi, "length", { value: 3 });

function wrapLine(line: string, columns: number, options: WrapOptions): string[] {
  const { hard, wordWrap, trim } = options;
  if (trim && line.trim() === "") return [""];
  const rows = [""];
  const words = line.split(" ");
  // Columns of the last row.
  let used = 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const size = stringWidth(word, options.width);
    let last = rows.length - 1;
    if (trim && /^\s/.test(rows[last]!)) {
      rows[last] = rows[last]!.trimStart();
      used = stringWidth(rows[last]!, options.width);
    }
    if (index > 0) {
      if (used >= columns && !(wordWrap && trim)) {
        last = rows.push("") - 1;
        used = 0;
      }
      // The space before the word.
      if (used > 0 || !trim) {
        rows[last] += " ";
        used++;
      }
    }
    if (hard && size > columns) {
      // On a line of its own, if that saves a break.
      const here = 1 + Math.floor((size - (columns - used) - 1) / columns);
      if (Math.floor((size - 1) / columns) < here) rows.push("");
      used = breakWord(rows, word, columns, options);
      continue;
    }
    if (used + size > columns) {
      if (used > 0 && size > 0) {
        if (!wordWrap && used < columns) {
          used = breakWord(rows, word, columns, options);
          continue;
        }
        rows.push("");
        used = 0;
      }
      if (!wordWrap) {
        used = breakWord(rows, word, columns, options);
        continue;
      }
    }
    rows[rows.length - 1] += word;
    used += size;
  }
  return trim ? rows.map((row) => trimEnd(row, options)) : rows;
}

/** Adds a word to the last row, and to further ones as each is full; gives the columns of the last one. */
function breakWord(rows: string[], word: string, columns: number, options: WrapOptions): number {
  let used = stringWidth(rows.at(-1)!, options.width);
  const parts: [string, number][] = [];
  for (const [piece] of word.matchAll(pieces)) {
    const first = piece.charCodeAt(0);
    if (first === 0x1b || (first >= 0x90 && first <= 0x9f)) {
      parts.push([piece, 0]);
      continue;
    }
    const sizes = ops.clusters(piece, options.width.ambiguousIsNarrow);
    let at = 0;
    for (let i = 0; i < sizes.length; i += 2) {
      parts.push([piece.slice(at, at + sizes[i]), sizes[i + 1]]);
      at += sizes[i];
    }
  }
  for (let i = 0; i < parts.length; i++) {
    const [part, size] = parts[i]!;
    if (used + size <= columns) {
      rows[rows.length - 1] += part;
    } else {
      rows.push(part);
      used = 0;
    }
    used += size;
    if (used === columns && i < parts.length - 1 && size > 0) {
      rows.push("");
      used = 0;
    }
  }
  // Sequences alone make no row.
  if (used === 0 && rows.at(-1) !== "" && rows.length > 1) {
    const rest = rows.pop()!;
    rows[rows.length - 1] += rest;
  }
  return stringWidth(rows.at(-1)!, options.width);
}

/** Without the spaces at the end, also those between sequences. */
function trimEnd(row: string, options: WrapOptions): string {
  // Only sequences and spaces can be there to go.
  const final = row.charCodeAt(row.length - 1);
  if (final > 0x20 && final < 0x7f && !row.includes("\x1b") && !row.includes("\x9b")) return row;
  const words = row.split(" ");
  let last = words.length;
  while (last > 0 && stringWidth(words[last - 1]!, options.width) === 0) last--;
  return last === words.length ? row : words.slice(0, last).join(" ") + words.slice(last).join("");
}

const openers = /\x1b\[(\d+)m|\x1b\]8;;(.*?)\x07/g;

/** Joins rows, each with the style and the link that are on where it begins. As in Bun, that is the last one only. */
function restyled(rows: string[]): string {
  if (rows.length === 1) return rows[0]!;
  if (!rows.some((row) => row.includes("\x1b"))) return rows.join("\n");
  let style: number | undefined;
  let link: string | undefined;
  let out = "";
  for (const [index, row] of rows.entries()) {
    const end = () => (style === undefined ? undefined : endOf(style) || undefined);
    if (index > 0) {
      if (end() !== undefined) out += `\x1b[${style}m`;
      if (link !== undefined) out += `\x1b]8;;${link}\x07`;
    }
    out += row;
    openers.lastIndex = 0;
    for (let found = openers.exec(row); found !== null; found = openers.exec(row)) {
      const [, code, target] = found;
      if (code !== undefined) style = code === "39" || code === "0" ? undefined : Number(code);
      else link = target === "" ? undefined : target;
    }
    if (index < rows.length - 1) {
      if (link !== undefined) out += "\x1b]8;;\x07";
      if (end() !== undefined) out += `\x1b[${end()}m`;
      out += "\n";
    }
  }
  return out;
}
