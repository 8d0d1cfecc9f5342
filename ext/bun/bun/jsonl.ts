// Bun.JSONL (https://bun.com/docs/runtime/jsonl): values of JSON, one a line.
import { bytesOf } from "bun/util";

const { parse } = JSON;

interface Chunk {
  values: unknown[];
  /** How many bytes (of a view) or characters (of a string) have been used. */
  read: number;
  done: boolean;
  error: SyntaxError | null;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

/** Where the value that begins at `at` ends; -1 if the text ends before it does, -2 if there is none. */
function valueEnd(text: string, at: number): number {
  const first = text[at];
  if (first !== "{" && first !== "[" && first !== '"') {
    const scalar = first === "-" || (first! >= "0" && first! <= "9") ? number : word;
    scalar.lastIndex = at;
    if (scalar.test(text)) return scalar.lastIndex;
    return /\s/.test(text.slice(at)) ? -2 : -1;
  }
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    switch (text[i]) {
      case "{":
      case "[":
        depth++;
        break;
      case "}":
      case "]":
        if (--depth === 0) return i + 1;
        break;
      case '"':
        for (i++; i < text.length && text[i] !== '"'; i++) {
          if (text[i] === "\\") i++;
          else if (text[i] === "\n") return -2;
        }
        if (depth === 0 && i < text.length) return i + 1;
    }
  }
  return -1;
}

// Functions of their own: closures in the loop would keep the engine from compiling it well.
function failure(): SyntaxError {
  return new SyntaxError("Failed to parse JSONL");
}

/** The value of a text, undefined if it has none. */
function attempt(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Reads lines up to one that is no value. A value may go on in the next line. */
function lines(text: string): Chunk {
  const values = [];
  const { length } = text;
  let at = 0;
  let read = 0;
  while (at < length) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = length;
    let first = at;
    while (first < end && isSpace(text.charCodeAt(first))) first++;
    let last = end;
    while (last > first && isSpace(text.charCodeAt(last - 1))) last--;
    if (first < last) {
      try {
        values.push(parse(text.slice(first, last)));
      } catch {
        const stop = valueEnd(text, first);
        // What is there of it may be the beginning of a value.
        if (stop < 0) return { values, read, done: false, error: stop === -1 ? null : failure() };
        const value = attempt(text.slice(first, stop));
        if (value === undefined) return { values, read, done: false, error: failure() };
        values.push(value);
        read = stop;
        end = text.indexOf("\n", stop);
        if (end < 0) end = length;
        if (text.slice(stop, end).trim() !== "") return { values, read, done: false, error: failure() };
        at = end + 1;
        continue;
      }
      read = last;
    }
    at = end + 1;
  }
  return { values, read, done: true, error: null };
}

function textOf(input: unknown): string {
  const bytes = bytesOf(input);
  return bytes === undefined ? `${input}` : new TextDecoder().decode(bytes);
}

/**
 * The values of all lines up to the first that is none; throws a SyntaxError if that is the first of all and complete.
 */
function parseAll(input: unknown): unknown[] {
  if (input === undefined) throw new TypeError("JSONL.parse requires a string argument");
  const { values, error } = lines(typeof input === "string" ? input : textOf(input));
  if (error !== null && values.length === 0) throw error;
  return values;
}
Object.defineProperty(parseAll, "name", { value: "parse" });

/**
 * The values of what has come so far: `{ values, read, done, error }`. `read` is where to go on.
 * @param start @param end range of a view, in bytes, or of a string
 */
function parseChunk(input: unknown, start?: number, end?: number): Chunk {
  if (input === undefined) throw new TypeError("JSONL.parseChunk requires a string argument");
  const bytes = bytesOf(input);
  const from = start === undefined ? 0 : Math.max(0, Math.trunc(+start) || 0);
  if (bytes === undefined) {
    const chunk = lines(`${input}`.slice(from, end));
    if (chunk.read > 0 || from > 0) chunk.read += from;
    return chunk;
  }
  const part = bytes.subarray(from, end);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(part);
  const chunk = lines(text);
  chunk.read = from + require("node:buffer").Buffer.byteLength(text.slice(0, chunk.read));
  return chunk;
}

export const JSONL = { parse: parseAll, parseChunk };
Object.defineProperty(JSONL, Symbol.toStringTag, { value: "JSONL", configurable: true });
