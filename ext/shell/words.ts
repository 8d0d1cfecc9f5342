// The words of a script: quotes, escapes, parameters, substitutions, braces.

import { HOLE, syntax } from "internal/shell/source";
import { bracesOf } from "internal/shell/braces";

import type { Assignment, List, Part, Word } from "internal/shell/ast";
import type { Source } from "internal/shell/source";

/** What ends a word. */
const ENDS = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);

/** Runs of characters that mean nothing in a word, and in double quotes. */
const ORDINARY = /[^\uFFFC \t\n;&|<>()\\'"$`}]+/y;
const ORDINARY_QUOTED = /[^\uFFFC\\"$`}]+/y;
const NAME_START = /[A-Za-z_]/;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(\+?=)/;
const OPERATOR = /:?[-=+?]|##?|%%?|\/\/?/y;

/** Reads words out of a source from a position on. The parser of commands is built on it. */
class WordReader {
  source: Source;
  position = 0;
  /** Parses the commands within `$(...)`, from the position on, up to the parenthesis. */
  readList: (reader: WordReader) => List;

  constructor(source: Source, readList: (reader: WordReader) => List) {
    this.source = source;
    this.readList = readList;
  }

  get text(): string {
    return this.source.text;
  }

  /** The character at the position; a value of the template is none of the characters that mean something. */
  peek(offset = 0): string {
    return this.text[this.position + offset] ?? "";
  }

  /** A word at the position; undefined if there is none. */
  word(): Word | undefined {
    const parts: Part[] = [];
    const start = this.position;
    this.#parts(parts, (character) => ENDS.has(character));
    return this.position === start ? undefined : finished(parts);
  }

  /** The text up to `end`, which is behind the position afterwards, as within double quotes. */
  quotedUntil(end: string): Word {
    const parts: Part[] = [];
    this.#quoted(parts, end);
    return { parts };
  }

  #parts(parts: Part[], ends: (character: string) => boolean): void {
    const { text } = this;
    let literal = "";
    const flush = () => {
      if (literal !== "") parts.push({ kind: "text", text: literal });
      literal = "";
    };
    while (this.position < text.length) {
      const character = text[this.position]!;
      ORDINARY.lastIndex = this.position;
      if (ORDINARY.test(text)) {
        literal += text.slice(this.position, ORDINARY.lastIndex);
        this.position = ORDINARY.lastIndex;
        continue;
      }
      if (character === HOLE) {
        const value = this.source.valueAt(this.position);
        this.position++;
        if (value === undefined) {
          literal += character;
        } else {
          flush();
          parts.push(value);
        }
      } else if (ends(character)) {
        break;
      } else if (character === "\\") {
        const next = this.peek(1);
        if (next === "\n") {
          this.position += 2;
          continue;
        }
        flush();
        // A value behind a backslash: the backslash stands for itself.
        if (next === "" || this.source.valueAt(this.position + 1) !== undefined) {
          this.position++;
          parts.push({ kind: "quoted", text: "\\" });
        } else {
          const whole = String.fromCodePoint(text.codePointAt(this.position + 1)!);
          this.position += 1 + whole.length;
          parts.push({ kind: "quoted", text: whole });
        }
      } else if (character === "'") {
        flush();
        this.position++;
        this.#single(parts);
      } else if (character === '"') {
        flush();
        this.position++;
        const inner: Part[] = [];
        this.#quoted(inner, '"');
        if (inner.length === 0) parts.push({ kind: "quoted", text: "" });
        for (const part of inner) parts.push(part);
      } else if (character === "$" || character === "`") {
        const part = this.#expansion(false);
        if (part === undefined) {
          literal += "$";
        } else {
          flush();
          parts.push(part);
        }
      } else {
        literal += character;
        this.position++;
      }
    }
    flush();
  }

  /** The rest of a text in single quotes. Without an end it goes up to the end of the script, as in Bun. */
  #single(parts: Part[]): void {
    let end = this.text.indexOf("'", this.position);
    if (end === -1) end = this.text.length;
    let literal = "";
    let from = this.position;
    for (let i = this.text.indexOf(HOLE, from); i !== -1 && i < end; i = this.text.indexOf(HOLE, i + 1)) {
      const value = this.source.valueAt(i);
      if (value === undefined) continue;
      literal += this.text.slice(from, i) + textOf(value);
      from = i + 1;
    }
    literal += this.text.slice(from, end);
    parts.push({ kind: "quoted", text: literal });
    this.position = end + 1;
  }

  #quoted(parts: Part[], end: string): void {
    const { text } = this;
    let literal = "";
    let any = false;
    const flush = () => {
      if (literal !== "") parts.push({ kind: "quoted", text: literal });
      literal = "";
      any = true;
    };
    while (this.position < text.length) {
      const character = text[this.position]!;
      ORDINARY_QUOTED.lastIndex = this.position;
      if (ORDINARY_QUOTED.test(text)) {
        literal += text.slice(this.position, ORDINARY_QUOTED.lastIndex);
        this.position = ORDINARY_QUOTED.lastIndex;
        continue;
      }
      if (character === HOLE && this.source.valueAt(this.position) !== undefined) {
        literal += textOf(this.source.valueAt(this.position)!);
        this.position++;
      } else if (character === end) {
        break;
      } else if (character === "\\") {
        const next = this.peek(1);
        if (next === "\n") {
          this.position += 2;
        } else if (next !== "" && ("$`\\".includes(next) || next === end) && next !== HOLE) {
          literal += next;
          this.position += 2;
        } else {
          literal += "\\";
          this.position++;
        }
      } else if (character === "$" || character === "`") {
        const part = this.#expansion(true);
        if (part === undefined) {
          literal += "$";
        } else {
          flush();
          parts.push(part);
        }
      } else {
        literal += character;
        this.position++;
      }
    }
    if (literal !== "" || !any) parts.push({ kind: "quoted", text: literal });
    this.position += end === "" ? 0 : 1;
  }

  /** What begins with `$` or a backtick; undefined for a `$` that stands for itself, which is behind the position then. */
  #expansion(quoted: boolean): Part | undefined {
    const { text } = this;
    if (text[this.position] === "`") return this.#backticks(quoted);
    this.position++;
    const next = this.peek();
    if (next === "(") {
      if (this.peek(1) === "(") {
        const arithmetic = this.#arithmetic(quoted);
        if (arithmetic !== undefined) return arithmetic;
      }
      this.position++;
      const body = this.readList(this);
      if (this.peek() !== ")") throw syntax("Unclosed command substitution");
      this.position++;
      return { kind: "command", body, quoted };
    }
    if (next === "{") return this.#braced(quoted);
    if (NAME_START.test(next)) {
      NAME.lastIndex = this.position;
      const name = NAME.exec(text)![0];
      this.position += name.length;
      return { kind: "parameter", name, quoted };
    }
    if (next !== "" && "0123456789?#@*$!-".includes(next)) {
      this.position++;
      return { kind: "parameter", name: next, quoted };
    }
    return undefined;
  }

  #backticks(quoted: boolean): Part {
    const start = ++this.position;
    const { text } = this;
    while (this.position < text.length && text[this.position] !== "`") {
      this.position += text[this.position] === "\\" ? 2 : 1;
    }
    if (this.position >= text.length) throw syntax("Unclosed command substitution");
    const inner = this.source.slice(start, this.position, (next) => "$`\\".includes(next) || (quoted && next === '"'));
    this.position++;
    const reader = new WordReader(inner, this.readList);
    const body = this.readList(reader);
    if (reader.position < inner.text.length) throw syntax(`Unexpected '${reader.peek()}'`);
    return { kind: "command", body, quoted };
  }

  /** `((...))`; undefined if it is a command substitution with a subshell in it. */
  #arithmetic(quoted: boolean): Part | undefined {
    const start = this.position + 2;
    let depth = 2;
    let i = start;
    for (; i < this.text.length && depth > 0; i++) {
      if (this.text[i] === "(") depth++;
      else if (this.text[i] === ")") depth--;
    }
    if (depth > 0 || this.text[i - 2] !== ")") return undefined;
    const reader = new WordReader(this.source.slice(start, i - 2), this.readList);
    const word = reader.quotedUntil("");
    this.position = i;
    return { kind: "arithmetic", word, quoted };
  }

  /** `${...}`. */
  #braced(quoted: boolean): Part {
    const { text } = this;
    const open = this.position++;
    let length = false;
    const after = this.peek(1);
    // `${#x}` and `${##}` are lengths, `${#}` and `${#-x}` are about the number of parameters.
    if (this.peek() === "#" && after !== "}" && (!":-+?=%#".includes(after) || this.peek(2) === "}")) {
      length = true;
      this.position++;
    }
    NAME.lastIndex = this.position;
    const match = NAME.exec(text)?.[0] ?? /^(?:\d+|[?#@*$!-])/.exec(text.slice(this.position, this.position + 20))?.[0];
    if (match === undefined) throw syntax(`Bad substitution: \${${text.slice(open + 1, open + 20)}`);
    this.position += match.length;
    if (this.peek() === "}") {
      this.position++;
      return { kind: "parameter", name: match, quoted, operator: length ? "length" : undefined };
    }
    OPERATOR.lastIndex = this.position;
    const operator = OPERATOR.exec(text)?.[0] ?? (this.peek() === ":" ? "slice" : undefined);
    if (operator === undefined || length) throw syntax(`Bad substitution: \${${text.slice(open + 1, open + 20)}`);
    this.position += operator === "slice" ? 1 : operator.length;
    const parts: Part[] = [];
    const pattern = "#%/".includes(operator[0]!);
    if (quoted && !pattern) this.#quotedOperand(parts);
    else this.#parts(parts, (character) => character === "}");
    if (this.peek() !== "}") throw syntax("Unclosed parameter expansion");
    this.position++;
    return { kind: "parameter", name: match, quoted, operator, word: { parts } };
  }

  /** The word of `"${x:-word}"`: quotes within it are quotes again. */
  #quotedOperand(parts: Part[]): void {
    while (this.position < this.text.length && this.peek() !== "}") {
      if (this.peek() === '"') {
        this.position++;
        this.#quoted(parts, '"');
        continue;
      }
      const start = this.position;
      let end = start;
      let depth = 0;
      for (; end < this.text.length; end++) {
        const character = this.text[end];
        if (character === "\\") end++;
        else if (character === "$" && "{(".includes(this.text[end + 1] ?? " ")) {
          depth++;
          end++;
        } else if (depth > 0 && (character === "}" || character === ")")) depth--;
        else if (depth === 0 && (character === "}" || character === '"')) break;
      }
      const inner = new WordReader(this.source.slice(start, end), this.readList);
      inner.#quoted(parts, "");
      // What is escaped for the braces only.
      for (const part of parts) if (part.kind === "quoted") part.text = part.text.replaceAll("\\}", "}");
      this.position = end;
    }
  }
}

/** A value of the template within quotes. */
function textOf(value: Part): string {
  if (value.kind === "quoted") return value.text;
  if (value.kind === "list") return value.items.map((item) => item.parts.map(textOf).join("")).join(" ");
  throw syntax("JS object reference not allowed in double quotes");
}

/** Whether text can be a pattern, or part of one. `alone`: it is the whole word, as the name of the command `[` is. */
function isMagic(text: string, alone: boolean): boolean {
  return /[*?]/.test(text) || (text.includes("[") && !(alone && !text.includes("]")));
}

/** Whether parts are expanded without waiting for anything. */
function isStill(parts: readonly Part[]): boolean {
  return parts.every((part) => {
    if (part.kind === "text") return !isMagic(part.text, parts.length === 1);
    if (part.kind === "parameter") return part.word === undefined && part.name !== "!";
    if (part.kind === "arithmetic") return isStill(part.word.parts);
    return part.kind === "quoted";
  });
}

/** A word out of its parts, with what can be said of it before it is expanded. */
function finished(parts: Part[]): Word {
  const word: Word = { parts };
  let plain = "";
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    if (
      part.kind === "quoted" ||
      (part.kind === "text" &&
        !part.text.includes("{") &&
        !isMagic(part.text, parts.length === 1) &&
        !(i === 0 && part.text[0] === "~"))
    ) {
      plain += part.text;
    } else {
      plain = "";
      word.braces = bracesOf(parts)?.map(finished);
      word.still = word.braces === undefined && isStill(parts);
      return word;
    }
  }
  word.plain = plain;
  word.still = true;
  return word;
}

/** `name=value` or `name+=value`, if a word is one. */
export function assignmentOf(word: Word): Assignment | undefined {
  const first = word.parts[0];
  if (first?.kind !== "text") return undefined;
  const match = ASSIGNMENT.exec(first.text);
  if (match === null) return undefined;
  const rest = first.text.slice(match[0].length);
  const parts = word.parts.slice(1);
  if (rest !== "") parts.unshift({ kind: "text", text: rest });
  const value: Word = { parts };
  if (parts.every((part) => part.kind === "quoted" || (part.kind === "text" && !/[*?[{~]/.test(part.text)))) {
    value.plain = parts.map((part) => (part as { text: string }).text).join("");
  }
  value.still = isStill(parts);
  return { name: match[1]!, append: match[2] === "+=", value };
}

export { WordReader };
