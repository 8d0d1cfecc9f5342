// The grammar of the shell (https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_10, with what Bun has
// beside it): a script becomes commands.

import { WordReader, assignmentOf } from "internal/shell/words";
import { syntax } from "internal/shell/source";

import type { CaseItem, Command, Compound, Condition, List, Part, Redirection, Simple, Word } from "internal/shell/ast";
import type { Source } from "internal/shell/source";

const RESERVED = new Set([
  "if",
  "then",
  "elif",
  "else",
  "fi",
  "while",
  "until",
  "for",
  "do",
  "done",
  "case",
  "esac",
  "!",
  "[[",
  "{",
  "}",
]);
/** Words that end a list of commands: what they belong to looks for them. */
const CLOSING = new Set(["then", "elif", "else", "fi", "do", "done", "esac", "}"]);

const REDIRECTION = /(\d*)(<<-|<<<|<<|<&|<>|<|>>|>\||>&|>|&>>|&>)/y;
/** As much of a word as tells a reserved word or a name. */
const WORD_AHEAD = /[^\s;&|<>()]{1,256}/y;
/** So deep commands may be nested: each level is several of the native stack. */
const MAX_NESTING = 1000;

const UNARY = /^-[abcdefghknoprstuvwxzGLNOSR]$/;
const BINARY = new Set([
  "==",
  "=",
  "!=",
  "=~",
  "<",
  ">",
  "-eq",
  "-ne",
  "-lt",
  "-le",
  "-gt",
  "-ge",
  "-nt",
  "-ot",
  "-ef",
]);

interface HereDocument {
  redirection: Redirection;
  delimiter: string;
  quoted: boolean;
  tabs: boolean;
}

class Parser {
  #reader: WordReader;
  #documents: HereDocument[] = [];
  /** Compound commands around the position: elsewhere `fi` and `done` are names of commands, as in Bun. */
  #open = 0;
  /** Bodies of `case` around the position, where `;;` has a meaning. */
  #cases = 0;
  #depth: number;

  constructor(reader: WordReader, depth: number) {
    this.#reader = reader;
    this.#depth = depth;
    if (depth > MAX_NESTING) throw syntax("The script is nested too deeply");
  }

  /** A whole script. */
  script(): List {
    const list = this.list();
    if (!this.#atEnd()) this.#unexpected();
    return list;
  }

  /** Commands up to something that ends them, which is not read. */
  list(): List {
    const items: List["items"] = [];
    for (;;) {
      this.#newlines();
      // Empty commands are let pass, as in Bun.
      while (this.#peek() === ";" && !this.#cases && !this.#looking(";&")) {
        this.#skip(1);
        this.#newlines();
      }
      if (this.#atEnd() || this.#peek() === ")" || this.#looking(";;") || this.#looking(";&") || this.#closing()) break;
      const command = this.#andOr();
      this.#blanks();
      let background = false;
      if (this.#looking("&") && !this.#looking("&&")) {
        background = true;
        this.#skip(1);
      } else if (this.#peek() === ";" && !(this.#cases > 0 && this.#looking(";;")) && !this.#looking(";&")) {
        this.#skip(1);
      } else if (this.#peek() === "\n") {
        this.#newlines();
      } else {
        items.push({ command, background });
        break;
      }
      items.push({ command, background });
      // `cmd &;` is accepted, too.
      this.#blanks();
      if (background && this.#peek() === ";" && !this.#looking(";;")) this.#skip(1);
    }
    return { kind: "list", items };
  }

  #andOr(): Command {
    let left = this.#pipeline();
    for (;;) {
      this.#blanks();
      const kind = this.#looking("&&") ? "and" : this.#looking("||") ? "or" : undefined;
      if (kind === undefined) return left;
      this.#skip(2);
      this.#newlines();
      if (this.#atEnd()) throw syntax("expected a command or assignment");
      left = { kind, left, right: this.#pipeline() };
    }
  }

  #pipeline(): Command {
    this.#blanks();
    let negated = false;
    while (this.#takeWord("!")) {
      negated = !negated;
      this.#blanks();
    }
    const commands = [this.#command()];
    const both: boolean[] = [];
    for (;;) {
      this.#blanks();
      if (this.#peek() !== "|" || this.#looking("||")) break;
      both.push(this.#looking("|&"));
      this.#skip(both.at(-1) ? 2 : 1);
      this.#newlines();
      commands.push(this.#command());
    }
    if (commands.length === 1 && !negated) return commands[0]!;
    return { kind: "pipeline", negated, commands, both };
  }

  #command(): Command {
    this.#blanks();
    if (this.#peek() === "(") {
      this.#skip(1);
      const body = this.#nested();
      if (this.#peek() !== ")") throw syntax("Unclosed subshell");
      this.#skip(1);
      return this.#redirected({ kind: "subshell", body });
    }
    const word = this.#wordAhead();
    if (RESERVED.has(word)) {
      const compound = this.#compound(word);
      if (compound !== undefined) return this.#redirected(compound);
    }
    return this.#functionOrSimple(word);
  }

  #compound(word: string): Compound | undefined {
    switch (word) {
      case "if":
        return this.#if();
      case "while":
      case "until": {
        this.#skip(word.length);
        const condition = this.#nested();
        const body = this.#doGroup();
        return { kind: "while", until: word === "until", condition, body };
      }
      case "for":
        return this.#for();
      case "case":
        return this.#case();
      case "{": {
        this.#skip(1);
        const body = this.#nested();
        this.#expect("}");
        return { kind: "group", body };
      }
      case "[[": {
        this.#skip(2);
        const expression = this.#condition();
        this.#newlines();
        if (!this.#takeWord("]]")) throw syntax(`Expected "]]" but got: \`${this.#found()}\``);
        return { kind: "condition", expression };
      }
    }
    return undefined;
  }

  #if(): Compound {
    const branches: Array<{ condition: List; body: List }> = [];
    let otherwise: List | undefined;
    this.#skip(2);
    for (;;) {
      const condition = this.#nested();
      this.#expect("then");
      branches.push({ condition, body: this.#nested() });
      if (this.#takeWord("elif")) continue;
      if (this.#takeWord("else")) otherwise = this.#nested();
      if (!this.#takeWord("fi")) {
        throw syntax(
          otherwise === undefined
            ? `Expected "else", "elif", or "fi" but got: ${this.#found()}`
            : `Expected "fi" but got: ${this.#found()}`,
        );
      }
      return { kind: "if", branches, otherwise };
    }
  }

  #for(): Compound {
    this.#skip(3);
    this.#blanks();
    const name = this.#wordAhead();
    if (!/^[A-Za-z_]\w*$/.test(name)) throw syntax(`Bad name of a variable in "for": \`${name}\``);
    this.#skip(name.length);
    this.#newlines();
    let words: Word[] | undefined;
    if (this.#takeWord("in")) {
      words = [];
      for (;;) {
        this.#blanks();
        const word = this.#reader.word();
        if (word === undefined) break;
        words.push(word);
      }
    }
    this.#blanks();
    if (this.#peek() === ";") this.#skip(1);
    return { kind: "for", name, words, body: this.#doGroup() };
  }

  #doGroup(): List {
    this.#newlines();
    this.#expect("do");
    const body = this.#nested();
    this.#expect("done");
    return body;
  }

  #case(): Compound {
    this.#skip(4);
    this.#blanks();
    const word = this.#reader.word();
    if (word === undefined) throw syntax('Expected a word behind "case"');
    this.#newlines();
    this.#expect("in");
    const items: CaseItem[] = [];
    for (;;) {
      this.#newlines();
      if (this.#takeWord("esac")) break;
      if (this.#atEnd()) throw syntax('Expected "esac" but got: Eof');
      if (this.#peek() === "(") this.#skip(1);
      const patterns: Word[] = [];
      for (;;) {
        this.#blanks();
        const pattern = this.#reader.word();
        if (pattern === undefined) throw syntax(`Expected a pattern but got: ${this.#found()}`);
        patterns.push(pattern);
        this.#blanks();
        if (this.#peek() !== "|") break;
        this.#skip(1);
      }
      if (this.#peek() !== ")") throw syntax(`Expected ")" but got: ${this.#found()}`);
      this.#skip(1);
      this.#cases++;
      const body = this.#nested();
      this.#cases--;
      const falls = this.#looking(";&");
      if (falls || this.#looking(";;")) this.#skip(2);
      items.push({ patterns, body, falls });
      this.#newlines();
    }
    return { kind: "case", word, items };
  }

  #condition(): Condition {
    let left = this.#conditionAnd();
    for (this.#newlines(); this.#looking("||"); this.#newlines()) {
      this.#skip(2);
      left = { kind: "or", left, right: this.#conditionAnd() };
    }
    return left;
  }

  #conditionAnd(): Condition {
    let left = this.#conditionTerm();
    for (this.#newlines(); this.#looking("&&"); this.#newlines()) {
      this.#skip(2);
      left = { kind: "and", left, right: this.#conditionTerm() };
    }
    return left;
  }

  #conditionTerm(): Condition {
    this.#newlines();
    if (this.#takeWord("!")) return { kind: "not", operand: this.#conditionTerm() };
    if (this.#peek() === "(") {
      this.#skip(1);
      const inner = this.#condition();
      this.#newlines();
      if (this.#peek() !== ")") throw syntax(`Expected ")" but got: \`${this.#found()}\``);
      this.#skip(1);
      return inner;
    }
    const ahead = this.#wordAhead();
    if (ahead === "]]" || (ahead === "" && this.#reader.source.valueAt(this.#reader.position) === undefined))
      throw syntax(`Expected a conditional expression but got: \`${this.#found()}\``);
    if (UNARY.test(ahead)) {
      const start = this.#reader.position;
      this.#skip(ahead.length);
      this.#blanks();
      const operand = this.#wordAhead() === "]]" ? undefined : this.#reader.word();
      if (operand !== undefined) return { kind: "unary", operator: ahead, operand };
      this.#reader.position = start;
    }
    const left = this.#reader.word()!;
    this.#blanks();
    let operator = this.#wordAhead();
    if (operator === "" && (this.#peek() === "<" || this.#peek() === ">")) operator = this.#peek();
    if (!BINARY.has(operator)) return { kind: "unary", operator: "-n", operand: left };
    this.#skip(operator.length);
    this.#blanks();
    const right = operator === "=~" ? this.#regularExpression() : this.#reader.word();
    if (right === undefined) throw syntax(`Expected an operand behind \`${operator}\``);
    return { kind: "binary", operator, left, right };
  }

  /** The pattern behind `=~`, in which parentheses and `|` are no operators. */
  #regularExpression(): Word | undefined {
    const parts: Part[] = [];
    const { text } = this.#reader;
    for (;;) {
      const word = this.#reader.word();
      if (word !== undefined) parts.push(...word.parts);
      const next = this.#peek();
      if (next === "" || !"()|<>".includes(next) || text.startsWith("&&", this.#reader.position)) break;
      parts.push({ kind: "text", text: next });
      this.#skip(1);
    }
    return parts.length === 0 ? undefined : { parts };
  }

  #redirected(compound: Compound): Command {
    const redirections: Redirection[] = [];
    for (;;) {
      this.#blanks();
      if (!this.#redirection(redirections)) break;
    }
    const next = this.#peek();
    if (next === "(") throw syntax("Unexpected token: `(`");
    return Object.assign(compound, { redirections });
  }

  #functionOrSimple(ahead: string): Command {
    const { text } = this.#reader;
    if (/^[A-Za-z_][\w-]*$/.test(ahead)) {
      const after = /\s*\(\s*\)/y;
      after.lastIndex = this.#reader.position + ahead.length;
      const keyword = ahead === "function";
      if (keyword || after.test(text)) {
        let name = ahead;
        if (keyword) {
          const start = this.#reader.position;
          this.#skip(ahead.length);
          this.#blanks();
          name = this.#wordAhead();
          if (!/^[A-Za-z_][\w-]*$/.test(name)) {
            this.#reader.position = start;
            return this.#simple();
          }
          after.lastIndex = this.#reader.position + name.length;
          this.#reader.position = after.test(text) ? after.lastIndex : this.#reader.position + name.length;
        } else {
          this.#reader.position = after.lastIndex;
        }
        this.#newlines();
        this.#depth++;
        const body = this.#command();
        this.#depth--;
        return { kind: "function", name, body };
      }
    }
    return this.#simple();
  }

  #simple(): Command {
    const command: Simple = { kind: "simple", assignments: [], words: [], redirections: [], still: false };
    for (;;) {
      this.#blanks();
      if (this.#redirection(command.redirections)) continue;
      if (command.words.length === 0 && command.assignments.length > 0 && this.#wordAhead() === "[[") {
        // As in Bun: the condition sees the variables.
        const condition = this.#redirected(this.#compound("[[")!);
        return { kind: "list", items: [command, condition].map((item) => ({ command: item, background: false })) };
      }
      const word = this.#reader.word();
      if (word === undefined) break;
      const assignment = command.words.length === 0 ? assignmentOf(word) : undefined;
      if (assignment !== undefined) {
        command.assignments.push(assignment);
        continue;
      }
      if (word.parts.some((part) => part.kind === "object")) {
        throw syntax('expected a command or assignment but got: "JSObjRef"');
      }
      command.words.push(word);
    }
    if (this.#peek() === "(") throw syntax("Unexpected token: `(`");
    if (command.words.length + command.assignments.length + command.redirections.length === 0) this.#unexpected();
    const { words, assignments, redirections } = command;
    command.still =
      redirections.length === 0 &&
      (words.length === 0
        ? assignments.every(({ value }) => value.still)
        : assignments.length === 0 && words.every((word) => word.still));
    return command;
  }

  /** A redirection at the position, if there is one. */
  #redirection(list: Redirection[]): boolean {
    const { text } = this.#reader;
    REDIRECTION.lastIndex = this.#reader.position;
    const match = REDIRECTION.exec(text);
    if (match === null) return false;
    const [all, digits, found] = match as unknown as [string, string, string];
    // `a&>b`: the ampersand is not that of a command in the background.
    this.#skip(all.length);
    this.#blanks();
    const operator = (found === "<<-" ? "<<" : found) as Redirection["operator"];
    const fd = digits === "" ? (found.startsWith("<") ? 0 : 1) : Number(digits);
    const target = this.#reader.word();
    if (target === undefined) throw syntax("Redirection with no file");
    const redirection: Redirection = { operator, fd, target };
    list.push(redirection);
    if (operator === "<<") {
      const quoted = target.parts.some((part) => part.kind === "quoted");
      const delimiter = target.parts.map((part) => ("text" in part ? part.text : "")).join("");
      this.#documents.push({ redirection, delimiter, quoted, tabs: found === "<<-" });
    }
    return true;
  }

  /** Reads the here-documents behind a line. */
  #readDocuments(): void {
    const documents = this.#documents;
    this.#documents = [];
    const reader = this.#reader;
    for (const { redirection, delimiter, quoted, tabs } of documents) {
      const lines: Array<[number, number]> = [];
      for (;;) {
        if (reader.position >= reader.text.length) break;
        let start = reader.position;
        let end = reader.text.indexOf("\n", start);
        if (end === -1) end = reader.text.length;
        if (tabs) while (reader.text[start] === "\t") start++;
        reader.position = end + 1;
        if (reader.text.slice(start, end) === delimiter) break;
        lines.push([start, Math.min(end + 1, reader.text.length)]);
      }
      const parts: Part[] = [];
      // With tabs each line is a source of its own; else the text is one.
      const ranges = tabs || lines.length === 0 ? lines : [[lines[0]![0], lines.at(-1)![1]] as [number, number]];
      for (const [start, end] of ranges) {
        const source = reader.source.slice(start, end);
        if (quoted) {
          for (let i = 0, from = 0; i <= source.text.length; i++) {
            const value = source.valueAt(i);
            if (value === undefined && i < source.text.length) continue;
            if (i > from) parts.push({ kind: "quoted", text: source.text.slice(from, i) });
            if (value !== undefined) parts.push(value);
            from = i + 1;
          }
        } else {
          parts.push(...new DocumentReader(source, reader.readList).document());
        }
      }
      redirection.target = { parts };
    }
  }

  #nested(): List {
    this.#depth++;
    if (this.#depth > MAX_NESTING) throw syntax("The script is nested too deeply");
    this.#open++;
    const list = this.list();
    this.#open--;
    this.#depth--;
    return list;
  }

  // Characters and words at the position.

  #peek(): string {
    return this.#reader.source.valueAt(this.#reader.position) === undefined ? this.#reader.peek() : "\0";
  }

  #looking(text: string): boolean {
    return this.#reader.text.startsWith(text, this.#reader.position) && !(text === ";&" && this.#looking(";&&"));
  }

  #skip(count: number): void {
    this.#reader.position += count;
  }

  #atEnd(): boolean {
    return this.#reader.position >= this.#reader.text.length;
  }

  /** Skips blanks and a comment. */
  #blanks(): void {
    const reader = this.#reader;
    const { text } = reader;
    for (;;) {
      const character = text[reader.position];
      if (character === " " || character === "\t" || character === "\r") reader.position++;
      else if (character === "\\" && text[reader.position + 1] === "\n") reader.position += 2;
      else break;
    }
    if (text[reader.position] === "#") {
      const end = text.indexOf("\n", reader.position);
      reader.position = end === -1 ? text.length : end;
    }
  }

  /** Skips blanks, comments and line ends, behind which here-documents are. */
  #newlines(): void {
    for (;;) {
      this.#blanks();
      if (this.#peek() !== "\n") return;
      this.#skip(1);
      if (this.#documents.length > 0) this.#readDocuments();
    }
  }

  /** The word at the position as it is written, if it has no quotes and values. */
  #wordAhead(): string {
    const reader = this.#reader;
    WORD_AHEAD.lastIndex = reader.position;
    const word = WORD_AHEAD.exec(reader.text)?.[0] ?? "";
    if (reader.source.values.size === 0) return word;
    for (let i = 0; i < word.length; i++) if (reader.source.valueAt(reader.position + i) !== undefined) return "";
    return word;
  }

  #closing(): boolean {
    return this.#open > 0 && CLOSING.has(this.#wordAhead());
  }

  #takeWord(word: string): boolean {
    if (this.#wordAhead() !== word) return false;
    this.#skip(word.length);
    return true;
  }

  #expect(word: string): void {
    this.#newlines();
    if (!this.#takeWord(word)) throw syntax(`Expected "${word}" but got: ${this.#found()}`);
  }

  #found(): string {
    return this.#atEnd()
      ? "Eof"
      : this.#wordAhead() ||
          (/^(?:&&|\|\||;;|.)/.exec(this.#reader.text.slice(this.#reader.position))?.[0] ?? "newline");
  }

  #unexpected(): never {
    const names: Record<string, string> = {
      "|": "Pipe",
      "&": "Ampersand",
      ";": "Semicolon",
      "\n": "Newline",
      "": "Eof",
    };
    const next = this.#peek();
    if (next === ")") throw syntax("Unexpected ')'");
    if (this.#looking("&&")) throw syntax('expected a command or assignment but got: "DoubleAmpersand"');
    if (this.#looking("||")) throw syntax('expected a command or assignment but got: "DoublePipe"');
    const name = names[next];
    throw syntax(
      name === undefined
        ? `Unexpected token: \`${this.#found()}\``
        : `expected a command or assignment but got: "${name}"`,
    );
  }
}

/** The text of a here-document without quotes in its delimiter. */
class DocumentReader extends WordReader {
  document(): Part[] {
    const { parts } = this.quotedUntil("");
    return parts;
  }
}

function listReader(depth: number): (reader: WordReader) => List {
  return (reader) => {
    const inner = reader.readList;
    reader.readList = listReader(depth + 1);
    const list = new Parser(reader, depth + 1).list();
    reader.readList = inner;
    return list;
  };
}

/** The commands of a script. Throws an Error for a mistake in it. */
export function parse(source: Source): List {
  try {
    return new Parser(new WordReader(source, listReader(0)), 0).script();
  } catch (error) {
    // The native stack was at its end before the depth was counted.
    throw error instanceof RangeError ? syntax("The script is nested too deeply") : error;
  }
}

/** A text of the script as one word. */
export function parseWord(source: Source): Word {
  return new WordReader(source, listReader(0)).word() ?? { parts: [], plain: "" };
}
