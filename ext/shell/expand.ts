// Words become arguments: parameters, command substitutions, arithmetic, splitting, patterns. A word that needs neither another
// command nor the file system is expanded at once; the others hand over what they wait for.

import { evaluate } from "internal/shell/arithmetic";
import { escapePattern, replaceMatches, withoutMatch } from "internal/shell/pattern";
import { ShellFailure } from "internal/shell/errors";

import type { List, Part, Word } from "internal/shell/ast";
import type { Job, State } from "internal/shell/state";

/** What an expansion waits for: the output of commands, the names that match a pattern (undefined for none), the number of a job. */
type Request = { body: List } | { pattern: string } | { job: Job };

type Expansion<T> = Generator<Request, T, unknown>;

interface Field {
  text: string;
  /** The same as a pattern: what is quoted is escaped. */
  pattern: string;
  /** The strongest of what is not quoted: 2 for `*`, 1 for `?` and `[`. */
  magic: number;
  /** Something was there, if only an empty string in quotes. */
  present: boolean;
}

const NOT_SET_OPERATORS = new Set(["-", ":-", "=", ":=", "?", ":?", "+", ":+"]);

function emptyField(): Field {
  return { text: "", pattern: "", magic: 0, present: false };
}

class Expander {
  state: State;
  fields: Field[] = [];
  field = emptyField();
  /** Whether results of expansions are split into words. */
  splits: boolean;

  /** Whether the results of expansions are patterns. */
  patterns: boolean;

  constructor(state: State, splits: boolean, patterns = false) {
    this.state = state;
    this.splits = splits;
    this.patterns = patterns;
  }

  #text(text: string): void {
    const { field } = this;
    field.text += text;
    field.pattern += text;
    field.present = true;
    if (text.includes("*")) field.magic = 2;
    else if (field.magic === 0 && /[?\]]/.test(text)) field.magic = 1;
  }

  #quoted(text: string): void {
    const { field } = this;
    field.text += text;
    field.pattern += escapePattern(text);
    field.present = true;
  }

  #next(): void {
    if (this.field.present) this.fields.push(this.field);
    this.field = emptyField();
  }

  /** The result of an expansion that is not quoted. `always`: it is split even where variables are not. */
  #result(text: string, always: boolean): void {
    const { posix } = this.state;
    if (!this.splits || !(posix || always)) {
      // As in zsh: a value is one word, and nothing in it is a pattern.
      if (text !== "" && this.patterns) this.#text(text);
      else if (text !== "") this.#quoted(text);
      return;
    }
    const separators = posix ? this.state.separators : " \t\n\r";
    if (separators === "") {
      if (text !== "") this.#text(text);
      return;
    }
    const white = (character: string) => " \t\n\r".includes(character) && separators.includes(character);
    let i = 0;
    // Separators at the start end the word that is under way.
    while (i < text.length && white(text[i]!)) i++;
    if (i > 0) this.#next();
    while (i < text.length) {
      let end = i;
      while (end < text.length && !separators.includes(text[end]!)) end++;
      const piece = text.slice(i, end);
      if (posix) this.#text(piece);
      else if (piece !== "") this.#quoted(piece);
      if (end === text.length) break;
      if (!white(text[end]!)) this.field.present = true;
      this.#next();
      i = end;
      while (i < text.length && white(text[i]!)) i++;
      if (i < text.length && i >= end && separators.includes(text[i]!) && !white(text[i]!)) {
        i++;
        while (i < text.length && white(text[i]!)) i++;
      }
    }
  }

  *parts(parts: readonly Part[]): Expansion<void> {
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!;
      switch (part.kind) {
        case "text":
          this.#text(i === 0 ? this.#tilde(part.text, parts[1]) : part.text);
          break;
        case "quoted":
          this.#quoted(part.text);
          break;
        case "list":
          yield* this.#list(part.items);
          break;
        case "object":
          throw new ShellFailure("an object can only be the target of a redirection");
        case "command": {
          const output = (yield { body: part.body }) as string;
          if (part.quoted) this.#quoted(output);
          else this.#result(output, true);
          break;
        }
        case "arithmetic": {
          const value = yield* arithmetic(this.state, part.word);
          if (part.quoted) this.#quoted(value);
          else this.#result(value, false);
          break;
        }
        case "parameter":
          yield* this.#parameter(part);
          break;
      }
    }
  }

  *#list(items: readonly Word[]): Expansion<void> {
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.#next();
      yield* this.parts(items[i]!.parts);
    }
  }

  /** `~` and `~/...` at the start of a word. */
  #tilde(text: string, next: Part | undefined): string {
    if (text[0] !== "~") return text;
    const after = text[1];
    if (
      after === undefined
        ? next !== undefined && next.kind !== "command" && !(next.kind === "quoted" && next.text === "")
        : after !== "/"
    )
      return text;
    this.#quoted(this.state.get("HOME") ?? require("node:os").homedir());
    return text.slice(1);
  }

  *#parameter(part: Part & { kind: "parameter" }): Expansion<void> {
    const { name, quoted, operator, word } = part;
    const { state } = this;
    let value: string | undefined;
    if ((name === "@" || name === "*") && (operator === undefined || NOT_SET_OPERATORS.has(operator))) {
      if (operator === undefined) {
        this.#all(name, quoted);
        return;
      }
      const set = state.parameters.length > 0;
      const joined = state.parameters.join(name === "*" ? (state.separators[0] ?? "") : " ");
      const missing = !set || (operator.length === 2 && joined === "");
      if (!missing && !operator.includes("+")) {
        this.#all(name, quoted);
        return;
      }
      value = set ? joined : undefined;
    } else {
      value = valueOf(state, name);
    }
    if (name === "!" && state.background !== undefined) value = `${(yield { job: state.background }) as number}`;
    if (operator === undefined) {
      if (value === undefined && state.options.has("nounset"))
        throw new ShellFailure(`${name}: unbound variable`, 1, true);
      if (quoted) this.#quoted(value ?? "");
      else if (value !== undefined) this.#result(value, false);
      return;
    }
    if (NOT_SET_OPERATORS.has(operator)) {
      const missing = value === undefined || (operator.length === 2 && value === "");
      const kind = operator.at(-1);
      if (kind === "+" ? missing : !missing) {
        if (kind === "+") {
          if (quoted) this.#quoted("");
          return;
        }
        if (quoted) this.#quoted(value!);
        else this.#result(value!, false);
        return;
      }
      if (kind === "?") {
        const message = yield* expandText(state, word!);
        throw new ShellFailure(
          `${name}: ${message || (operator === ":?" ? "parameter null or not set" : "parameter not set")}`,
          1,
          true,
        );
      }
      if (kind === "=") {
        value = yield* expandText(state, word!);
        if (!/^[A-Za-z_]/.test(name)) throw new ShellFailure(`$${name}: cannot assign in this way`);
        state.set(name, value);
        if (quoted) this.#quoted(value);
        else this.#result(value, false);
        return;
      }
      // The word's own quotes say what of it is split.
      if (quoted) {
        for (const inner of word!.parts)
          yield* this.parts([inner.kind === "text" ? { kind: "quoted", text: inner.text } : inner]);
        if (word!.parts.length === 0) this.#quoted("");
      } else {
        for (let i = 0; i < word!.parts.length; i++) {
          const inner = word!.parts[i]!;
          if (inner.kind === "text") this.#result(i === 0 ? this.#tilde(inner.text, word!.parts[1]) : inner.text, true);
          else yield* this.parts([inner]);
        }
      }
      return;
    }
    if (value === undefined && state.options.has("nounset"))
      throw new ShellFailure(`${name}: unbound variable`, 1, true);
    const text = yield* this.#changed(name, value ?? "", operator, word);
    if (quoted) this.#quoted(text);
    else this.#result(text, false);
  }

  *#changed(name: string, value: string, operator: string, word: Word | undefined): Expansion<string> {
    switch (operator) {
      case "length":
        return `${name === "@" || name === "*" ? this.state.parameters.length : Array.from(value).length}`;
      case "#":
      case "##":
      case "%":
      case "%%":
        return withoutMatch(value, yield* expandPattern(this.state, word!), operator[0] === "%", operator.length === 2);
      case "/":
      case "//": {
        const { pattern, by } = splitReplacement(word!);
        const replacement = by === undefined ? "" : yield* expandText(this.state, by);
        return replaceMatches(value, yield* expandPattern(this.state, pattern), replacement, operator === "//");
      }
      case "slice": {
        const expression = yield* expandText(this.state, word!);
        const [offset, length] = splitOnce(expression, ":");
        const characters = Array.from(value);
        const variables = variablesOf(this.state);
        let start = Number(evaluate(offset, variables));
        if (start < 0) start += characters.length;
        if (start < 0 || start > characters.length) return "";
        if (length === undefined) return characters.slice(start).join("");
        const count = Number(evaluate(length, variables));
        const end = count < 0 ? characters.length + count : start + count;
        return characters.slice(start, Math.max(start, end)).join("");
      }
    }
    throw new ShellFailure(`\${${name}${operator}}: bad substitution`);
  }

  /** `$@` and `$*`. */
  #all(name: string, quoted: boolean): void {
    const { parameters } = this.state;
    if (quoted && (name === "*" || !this.splits)) {
      this.#quoted(parameters.join(name === "*" ? (this.state.separators[0] ?? "") : " "));
      return;
    }
    parameters.forEach((parameter, i) => {
      if (i > 0 && this.splits) this.#next();
      else if (i > 0) this.#quoted(" ");
      if (quoted) this.#quoted(parameter);
      else this.#result(parameter, false);
    });
  }

  finish(): Field[] {
    this.#next();
    return this.fields;
  }
}

function splitOnce(text: string, by: string): [string, string | undefined] {
  const at = text.indexOf(by);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The two sides of `pattern/replacement`. */
function splitReplacement(word: Word): { pattern: Word; by: Word | undefined } {
  const index = word.parts.findIndex((part) => part.kind === "text" && part.text.includes("/"));
  if (index === -1) return { pattern: word, by: undefined };
  const { text } = word.parts[index] as { text: string };
  const at = text.indexOf("/");
  return {
    pattern: { parts: [...word.parts.slice(0, index), { kind: "text", text: text.slice(0, at) }] },
    by: { parts: [{ kind: "text", text: text.slice(at + 1) }, ...word.parts.slice(index + 1)] },
  };
}

/** The value of a parameter; undefined if it is not set. */
function valueOf(state: State, name: string): string | undefined {
  switch (name) {
    case "?":
      return `${state.status}`;
    case "#":
      return `${state.parameters.length}`;
    case "$":
      return `${process.pid}`;
    case "!":
      return state.background?.known === undefined ? undefined : `${state.background.known}`;
    case "-": {
      const { OPTIONS } = require("internal/shell/state");
      return Object.keys(OPTIONS)
        .filter((letter) => state.options.has(OPTIONS[letter]!))
        .join("");
    }
    case "@":
    case "*":
      return state.parameters.join(" ");
  }
  if (/^\d/.test(name)) return name === "0" ? state.zero : state.parameters[Number(name) - 1];
  const value = state.get(name);
  if (value === undefined && name === "PPID") return `${process.ppid}`;
  if (value === undefined && name === "RANDOM" && state.posix) return `${Math.floor(Math.random() * 32768)}`;
  return value === undefined ? undefined : `${value}`;
}

function variablesOf(state: State) {
  return { get: (name: string) => state.get(name), set: (name: string, value: string) => state.set(name, value) };
}

/** `$((...))`. */
export function* arithmetic(state: State, word: Word): Expansion<string> {
  const text = yield* expandText(state, word);
  try {
    return `${evaluate(text, variablesOf(state))}`;
  } catch (error) {
    throw error instanceof ShellFailure
      ? error
      : new ShellFailure(`arithmetic: ${(error as Error).message}`, state.posix ? 2 : 1, state.posix);
  }
}

/** A word as one text: nothing is split, and patterns stay. */
export function* expandText(state: State, word: Word): Expansion<string> {
  if (word.plain !== undefined) return word.plain;
  const expander = new Expander(state, false);
  yield* expander.parts(word.parts);
  return expander
    .finish()
    .map((field) => field.text)
    .join(" ");
}

/** A word as a pattern, for `case`, `==` and `${x#...}`. The values of variables are patterns, values of the template are not. */
export function* expandPattern(state: State, word: Word): Expansion<string> {
  const expander = new Expander(state, false, true);
  yield* expander.parts(word.parts);
  return expander
    .finish()
    .map((field) => field.pattern)
    .join(" ");
}

/** The value of an assignment. Patterns become the names that match, as in Bun. */
export function* expandValue(state: State, word: Word): Expansion<string> {
  if (word.plain !== undefined) return word.plain;
  const expander = new Expander(state, false);
  yield* expander.parts(assignedParts(word.parts));
  const fields = expander.finish();
  const texts: string[] = [];
  for (const field of fields) {
    if (field.magic < 2 || state.posix || state.options.has("noglob")) {
      texts.push(field.text);
      continue;
    }
    let names: string[] | undefined;
    try {
      names = (yield { pattern: field.pattern }) as string[] | undefined;
    } catch {
      names = undefined;
    }
    if (names === undefined) texts.push(field.text);
    else texts.push(...names);
  }
  return texts.join(" ");
}

/** `PATH=~/a:~/b`: a tilde behind a colon is one, too, and a colon ends it. */
function assignedParts(parts: readonly Part[]): readonly Part[] {
  if (!parts.some((part) => part.kind === "text" && /:~|^~:/.test(part.text))) return parts;
  return parts.flatMap((part, at): Part[] => {
    if (part.kind !== "text") return [part];
    return part.text.split(/(?<=:)(?=~(?:$|[/:]))/).flatMap((text, i): Part[] => {
      if (text[0] !== "~" || (i === 0 && (at > 0 || text[1] !== ":"))) return [{ kind: "text", text }];
      return [
        { kind: "parameter", name: "HOME", quoted: true },
        { kind: "text", text: text.slice(1) },
      ];
    });
  });
}

/** The arguments that a word becomes. Throws a ShellFailure where a pattern with `*` matches nothing. */
export function* expandWord(state: State, word: Word, out: string[]): Expansion<void> {
  if (word.plain !== undefined) {
    out.push(word.plain);
    return;
  }
  let failure: ShellFailure | undefined;
  let any = false;
  for (const one of word.braces ?? [word]) {
    if (one.plain !== undefined) {
      out.push(one.plain);
      any = true;
      continue;
    }
    const expander = new Expander(state, true);
    yield* expander.parts(one.parts);
    for (const field of expander.finish()) {
      if (field.magic === 0 || state.options.has("noglob")) {
        out.push(field.text);
        any = true;
        continue;
      }
      const names = (yield { pattern: field.pattern }) as string[] | undefined;
      if (names !== undefined) {
        for (const name of names) out.push(name);
        any = true;
      } else if (field.magic === 2 && !state.posix) {
        failure ??= new ShellFailure(`no matches found: ${field.text}`);
      } else {
        out.push(field.text);
        any = true;
      }
    }
  }
  if (failure !== undefined && !any) throw failure;
}

export type { Expansion, Request };
