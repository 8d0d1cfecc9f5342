// The text of a script with the values of a template in it. A value takes the place of one character, known by its position: no
// text, whatever it contains, can be mistaken for a value, and no value for text.

import type { Part, Word } from "internal/shell/ast";

/** The character at a position that has a value. It is ordinary text everywhere else. */
const HOLE = "\uFFFC";

function syntax(message: string): Error {
  return new Error(message);
}

class Source {
  text: string;
  values: Map<number, Part>;

  constructor(text: string, values = new Map<number, Part>()) {
    this.text = text;
    this.values = values;
  }

  /** The value at a position. */
  valueAt(position: number): Part | undefined {
    return this.text[position] === HOLE ? this.values.get(position) : undefined;
  }

  /** A part as a source of its own; `unescape` drops the backslashes before what it returns true for. */
  slice(start: number, end: number, unescape?: (next: string) => boolean): Source {
    let text = "";
    const values = new Map<number, Part>();
    for (let i = start; i < end; i++) {
      if (unescape && this.text[i] === "\\" && i + 1 < end && unescape(this.text[i + 1]!)) i++;
      const value = this.values.get(i);
      if (value !== undefined) values.set(text.length, value);
      text += this.text[i];
    }
    return new Source(text, values);
  }
}

const NUL = "must be a string without null bytes";

function checked(text: string): string {
  if (text.includes("\0")) {
    const { codes } = require("internal/core/errors");
    const error: NodeError = new codes.ERR_INVALID_ARG_VALUE("", text, NUL);
    error.message = `The shell argument ${NUL}. Received ${JSON.stringify(text).replaceAll("\\u0000", "\0")}`;
    throw error;
  }
  if (!text.isWellFormed()) throw new Error("Shell script string contains invalid UTF-16");
  return text;
}

/** Whether a redirection can lead to or from an object. */
function isTarget(value: object): boolean {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return true;
  if (require("web/blob").isBlob(value)) return true;
  if (value instanceof ReadableStream || value instanceof WritableStream) return true;
  return "bodyUsed" in value && "body" in value;
}

/** A value of the template, as a part of a word. */
function partOf(value: unknown): Part | { raw: string } {
  if (typeof value === "string") return { kind: "quoted", text: checked(value) };
  if (typeof value !== "object" || value === null) return { kind: "quoted", text: checked(`${value}`) };
  if (Array.isArray(value)) {
    const items: Word[] = [];
    for (const item of value) {
      const part = partOf(item);
      if (!("raw" in part)) {
        if (part.kind === "list") items.push(...part.items);
        else items.push({ parts: [part], plain: part.kind === "quoted" ? part.text : undefined });
        continue;
      }
      // Text of the script within an array is one word.
      const { parseWord } = require("internal/shell/parser");
      items.push(parseWord(new Source(part.raw)));
    }
    return { kind: "list", items };
  }
  if ("raw" in value) return { raw: checked(`${value.raw}`) };
  if (isTarget(value)) {
    const target = require("web/blob").isBlob(value) ? require("bun/file").targetOfFile(value) : undefined;
    return typeof target === "string" ? { kind: "quoted", text: checked(target) } : { kind: "object", value };
  }
  const text = `${value as { toString(): string }}`;
  if (text.startsWith("[object ")) {
    throw syntax(`Invalid JS object used in shell: ${text}, you might need to call \`.toString()\` on it`);
  }
  return { kind: "quoted", text: checked(text) };
}

/** The source of a template: the text as it was written, and its values. */
export function sourceOf(strings: readonly string[], expressions: unknown[]): Source {
  let text = "";
  const values = new Map<number, Part>();
  for (let i = 0; i < strings.length; i++) {
    text += strings[i];
    if (i >= expressions.length) continue;
    const part = partOf(expressions[i]);
    if ("raw" in part) {
      text += part.raw;
    } else {
      values.set(text.length, part);
      text += HOLE;
    }
  }
  return new Source(text, values);
}

export { HOLE, Source, syntax };
