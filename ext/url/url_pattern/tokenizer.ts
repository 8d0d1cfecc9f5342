// Tokens of a URL pattern (https://urlpattern.spec.whatwg.org/#tokenizing).

export type TokenType =
  | "open"
  | "close"
  | "regexp"
  | "name"
  | "char"
  | "escaped-char"
  | "other-modifier"
  | "asterisk"
  | "end"
  | "invalid-char";

export interface Token {
  type: TokenType;
  /** Place in the text, in code units. */
  index: number;
  value: string;
}

/** Whether a character may be in the name of a group; as the first one, or further on. */
export function isNameCharacter(character: string, first: boolean): boolean {
  return first ? /^[$_\p{ID_Start}]$/u.test(character) : /^[$\u200c\u200d\p{ID_Continue}]$/u.test(character);
}

/**
 * Splits a pattern into tokens, of which the last one is "end". Errors throw a TypeError, or give "invalid-char" tokens
 * if `lenient` is set.
 */
export function tokenize(text: string, lenient: boolean): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const add = (type: TokenType, next: number, from: number, length = next - from) => {
    tokens.push({ type, index: at, value: text.slice(from, from + length) });
    at = next;
  };
  const fail = (next: number, from: number, why: string) => {
    if (!lenient) throw new TypeError(`Invalid URL pattern: ${why} at ${at} in "${text}"`);
    add("invalid-char", next, from);
  };
  while (at < text.length) {
    const c = String.fromCodePoint(text.codePointAt(at)!);
    const next = at + c.length;
    switch (c) {
      case "*":
        add("asterisk", next, at);
        break;
      case "+":
      case "?":
        add("other-modifier", next, at);
        break;
      case "\\":
        if (next >= text.length) fail(next, at, "nothing to escape");
        else add("escaped-char", next + String.fromCodePoint(text.codePointAt(next)!).length, next);
        break;
      case "{":
        add("open", next, at);
        break;
      case "}":
        add("close", next, at);
        break;
      case ":": {
        let end = next;
        while (end < text.length) {
          const character = String.fromCodePoint(text.codePointAt(end)!);
          if (!isNameCharacter(character, end === next)) break;
          end += character.length;
        }
        if (end === next) fail(next, at, "a group without a name");
        else add("name", end, next);
        break;
      }
      case "(": {
        const end = regexpEnd(text, next);
        if (typeof end === "string") fail(next, at, end);
        else add("regexp", end, next, end - next - 1);
        break;
      }
      default:
        add("char", next, at);
    }
  }
  tokens.push({ type: "end", index: at, value: "" });
  return tokens;
}

/** Place after the ")" of a regular expression that starts at `start`, or what is wrong with it. */
function regexpEnd(text: string, start: number): number | string {
  let depth = 1;
  for (let i = start; i < text.length; i++) {
    const c = text[i]!;
    if (c > "\x7f") return "a character that is not ASCII in a regular expression";
    if (i === start && c === "?") return "a regular expression that starts with ?";
    if (c === "\\") {
      if (i === text.length - 1) return "nothing to escape in a regular expression";
      if (text[++i]! > "\x7f") return "a character that is not ASCII in a regular expression";
    } else if (c === ")") {
      if (--depth === 0) return i === start ? "an empty regular expression" : i + 1;
    } else if (c === "(") {
      depth++;
      // Only groups that do not capture: the numbering of the groups is ours.
      if (text[i + 1] !== "?") return "a capturing group in a regular expression";
    }
  }
  return "a regular expression without end";
}
