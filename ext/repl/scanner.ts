/** Tokens of ECMAScript, one at a time, for the parser of the REPL. */

export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: any;
}

interface Token {
  type: "name" | "num" | "string" | "punct" | "private" | "regexp" | "eof";
  start: number;
  end: number;
  value: string;
  /** Whether a line ends between the token before and this one. */
  newline: boolean;
}

export interface ParseOptions {
  /** `await` at the top level, and with it `return`, as in the body of an async function. */
  await?: boolean;
  /** Import declarations. */
  imports?: boolean;
}

/** What parse() throws. */
export class ParseError extends SyntaxError {
  declare pos: number;
  declare end: number;
  /** Whether more input could make it valid. */
  declare incomplete: boolean;
  constructor(message: string, pos: number, end: number, incomplete: boolean) {
    super(message);
    this.pos = pos;
    this.end = Math.max(end, pos + 1);
    this.incomplete = incomplete;
  }
}

export const keywords = new Set([
  "break",
  "case",
  "catch",
  "class",
  "const",
  "continue",
  "debugger",
  "default",
  "delete",
  "do",
  "else",
  "enum",
  "export",
  "extends",
  "false",
  "finally",
  "for",
  "function",
  "if",
  "import",
  "in",
  "instanceof",
  "new",
  "null",
  "return",
  "super",
  "switch",
  "this",
  "throw",
  "true",
  "try",
  "typeof",
  "var",
  "void",
  "while",
  "with",
]);

const space = /(?:[\s\ufeff]+|\/\/[^\n\r\u2028\u2029]*)*/y;
const identifier =
  /(?:[\p{ID_Start}$_]|\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]+\}))(?:[\p{ID_Continue}$\u200c\u200d]|\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]+\}))*/uy;
const number =
  /0[xX][0-9a-fA-F_]+n?|0[oO][0-7_]+n?|0[bB][01_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*|n)?/y;
const punctuator =
  />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[{}()[\];,<>+\-*/%&|^!~?:=.@`]/y;
export const lineEnd = /[\n\r\u2028\u2029]/;

/** Whether a string is an identifier (keywords included). */
export function isIdentifier(text: string): boolean {
  identifier.lastIndex = 0;
  const match = identifier.exec(text);
  return match !== null && match[0].length === text.length;
}

/** The source and the current token. */
export class Scanner {
  source: string;
  options: ParseOptions;
  pos = 0;
  token!: Token;
  lastEnd = 0;
  sawEnd = false;
  inAsync: boolean;
  inGenerator = false;
  inFunction = false;

  constructor(source: string, options: ParseOptions) {
    this.source = source;
    this.options = options;
    this.inAsync = options.await === true;
    if (source.startsWith("#!")) {
      const end = source.search(lineEnd);
      this.pos = end === -1 ? source.length : end;
    }
    this.token = this.scan();
  }

  // Tokens

  raise(message: string, pos: number, end = pos + 1, incomplete = this.sawEnd): never {
    throw new ParseError(message, pos, end, incomplete);
  }

  unexpected(token = this.token): never {
    let message: string;
    switch (token.type) {
      case "eof":
        message = "Unexpected end of input";
        break;
      case "num":
        message = "Unexpected number";
        break;
      case "string":
        message = "Unexpected string";
        break;
      case "name":
        message = keywords.has(token.value)
          ? `Unexpected token '${token.value}'`
          : `Unexpected identifier '${token.value}'`;
        break;
      case "private":
        message = `Unexpected identifier '${token.value}'`;
        break;
      default:
        message = token.value === "`" ? "Unexpected template string" : `Unexpected token '${token.value}'`;
    }
    return this.raise(message, token.start, token.end);
  }

  scan(): Token {
    const { source } = this;
    const from = this.pos;
    let newline = false;
    for (;;) {
      space.lastIndex = this.pos;
      space.test(source);
      this.pos = Math.max(this.pos, space.lastIndex);
      if (!source.startsWith("/*", this.pos)) break;
      const end = source.indexOf("*/", this.pos + 2);
      if (end === -1) this.raise("Invalid or unexpected token", this.pos, source.length, true);
      this.pos = end + 2;
    }
    newline = lineEnd.test(source.slice(from, this.pos));
    const start = this.pos;
    if (start >= source.length) {
      this.sawEnd = true;
      return { type: "eof", start, end: start, value: "", newline };
    }
    const c = source[start];
    let type: Token["type"];
    let match: RegExpExecArray | null;
    if (c === '"' || c === "'") {
      this.string(c);
      type = "string";
    } else if ((c >= "0" && c <= "9") || (c === "." && source[start + 1] >= "0" && source[start + 1] <= "9")) {
      number.lastIndex = start;
      match = number.exec(source)!;
      this.pos = start + match[0].length;
      identifier.lastIndex = this.pos;
      // As in `2e` or `3in`.
      if (identifier.test(source)) this.raise("Invalid or unexpected token", start, this.pos);
      type = "num";
    } else {
      const isPrivate = c === "#";
      identifier.lastIndex = isPrivate ? start + 1 : start;
      match = identifier.exec(source);
      if (match !== null) {
        this.pos = identifier.lastIndex;
        type = isPrivate ? "private" : "name";
      } else {
        punctuator.lastIndex = start;
        match = punctuator.exec(source);
        if (match === null) this.raise("Invalid or unexpected token", start);
        this.pos = punctuator.lastIndex;
        type = "punct";
      }
    }
    return { type, start, end: this.pos, value: source.slice(start, this.pos), newline };
  }

  string(quote: string): void {
    const { source } = this;
    const start = this.pos;
    let at = start + 1;
    for (;;) {
      const c = source[at];
      if (c === undefined || c === "\n" || c === "\r") {
        // A backslash at the end of the line goes on on the next.
        const continued = c === undefined && /\\(?:\r\n?|\n|\u2028|\u2029)$/.test(source);
        this.raise("Invalid or unexpected token", start, at, continued);
      }
      if (c === quote) break;
      if (c === "\\") at += source.startsWith("\r\n", at + 1) ? 3 : 2;
      else at++;
    }
    this.pos = at + 1;
  }

  next(): Token {
    const { token } = this;
    this.lastEnd = token.end;
    this.pos = token.end;
    this.token = this.scan();
    return token;
  }

  /** The token after the current one. */
  peek(): Token {
    const { pos, token, sawEnd } = this;
    this.pos = token.end;
    try {
      return this.scan();
    } finally {
      this.pos = pos;
      this.sawEnd = sawEnd;
    }
  }

  is(value: string): boolean {
    const { type } = this.token;
    return this.token.value === value && (type === "punct" || type === "name");
  }

  eat(value: string): boolean {
    if (!this.is(value)) return false;
    this.next();
    return true;
  }

  expect(value: string): void {
    if (!this.eat(value)) this.unexpected();
  }

  semicolon(): void {
    if (this.eat(";") || this.is("}") || this.token.type === "eof" || this.token.newline) return;
    this.unexpected();
  }

  node(type: string, start: number, fields?: any): Node {
    return { type, start, end: this.lastEnd, ...fields };
  }
}
