/**
 * A parser of ECMAScript for the REPL: tells where input ends too early, and gives the tree that top-level await, imports
 * and completion need. It accepts somewhat more than the language (patterns are read as expressions, for instance): the
 * engine compiles what runs and has the last word. Messages are V8's, which users of Node's REPL know.
 */

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

const keywords = new Set([
  "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum", "export",
  "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "null", "return", "super",
  "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with",
]);

const precedence: Record<string, number> = {
  __proto__: null as any,
  "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7, "<": 8, ">": 8, "<=": 8, ">=": 8,
  instanceof: 8, in: 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
};

const assignments = new Set([
  "=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??=",
]);

const space = /(?:[\s\ufeff]+|\/\/[^\n\r\u2028\u2029]*)*/y;
const identifier = /(?:[\p{ID_Start}$_]|\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]+\}))(?:[\p{ID_Continue}$\u200c\u200d]|\\u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F]+\}))*/yu;
const number =
  /0[xX][0-9a-fA-F_]+n?|0[oO][0-7_]+n?|0[bB][01_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*|n)?/y;
const punctuator =
  />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[{}()[\];,<>+\-*/%&|^!~?:=.@`]/y;
const lineEnd = /[\n\r\u2028\u2029]/;

/** Whether a string is an identifier (keywords included). */
export function isIdentifier(text: string): boolean {
  identifier.lastIndex = 0;
  const match = identifier.exec(text);
  return match !== null && match[0].length === text.length;
}

class Parser {
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
      case "eof": message = "Unexpected end of input"; break;
      case "num": message = "Unexpected number"; break;
      case "string": message = "Unexpected string"; break;
      case "name":
        message = keywords.has(token.value) ? `Unexpected token '${token.value}'` : `Unexpected identifier '${token.value}'`;
        break;
      case "private": message = `Unexpected identifier '${token.value}'`; break;
      default: message = token.value === "`" ? "Unexpected template string" : `Unexpected token '${token.value}'`;
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

  // Statements

  program(): Node {
    const body: Node[] = [];
    while (this.token.type !== "eof") body.push(this.statement());
    return { type: "Program", start: 0, end: this.source.length, body };
  }

  block(): Node {
    const { start } = this.token;
    this.expect("{");
    const body: Node[] = [];
    while (!this.is("}")) {
      if (this.token.type === "eof") this.unexpected();
      body.push(this.statement());
    }
    this.next();
    return this.node("BlockStatement", start, { body });
  }

  startsLet(): boolean {
    if (!this.is("let")) return false;
    const after = this.peek();
    return after.value === "[" || after.value === "{" || after.value === "let" ||
      (after.type === "name" && after.value !== "in" && after.value !== "instanceof" && after.value !== "of");
  }

  startsUsing(): boolean {
    if (!this.is("using")) return false;
    const after = this.peek();
    return after.type === "name" && !after.newline && !keywords.has(after.value) && after.value !== "of";
  }

  statement(): Node {
    const { token } = this;
    const { start } = token;
    if (token.type === "punct") {
      if (token.value === "{") return this.block();
      if (token.value === ";") {
        this.next();
        return this.node("EmptyStatement", start);
      }
      return this.expressionStatement();
    }
    if (token.type !== "name") return this.expressionStatement();
    switch (token.value) {
      case "var":
      case "const": {
        const declaration = this.variables(token.value, true);
        this.semicolon();
        declaration.end = this.lastEnd;
        return declaration;
      }
      case "let":
      case "using":
        if (token.value === "let" ? this.startsLet() : this.startsUsing()) {
          const declaration = this.variables(token.value, true);
          this.semicolon();
          declaration.end = this.lastEnd;
          return declaration;
        }
        return this.expressionStatement();
      case "function":
        return this.functionLike("FunctionDeclaration", start, false);
      case "async": {
        const after = this.peek();
        if (after.value === "function" && !after.newline) {
          this.next();
          return this.functionLike("FunctionDeclaration", start, true);
        }
        return this.expressionStatement();
      }
      case "class":
        return this.classLike("ClassDeclaration");
      case "if": {
        this.next();
        const test = this.parenthesised();
        const consequent = this.statement();
        const alternate = this.eat("else") ? this.statement() : null;
        return this.node("IfStatement", start, { test, consequent, alternate });
      }
      case "for":
        return this.forStatement();
      case "while": {
        this.next();
        const test = this.parenthesised();
        const body = this.statement();
        return this.node("WhileStatement", start, { test, body });
      }
      case "do": {
        this.next();
        const body = this.statement();
        this.expect("while");
        const test = this.parenthesised();
        this.eat(";");
        return this.node("DoWhileStatement", start, { body, test });
      }
      case "return": {
        if (!this.inFunction && !this.options.await) this.raise("Illegal return statement", start, token.end);
        this.next();
        const argument = this.endsHere() ? null : this.expression();
        this.semicolon();
        return this.node("ReturnStatement", start, { argument });
      }
      case "throw": {
        this.next();
        if (this.token.newline) this.raise("Illegal newline after throw", this.token.start, this.token.end);
        const argument = this.expression();
        this.semicolon();
        return this.node("ThrowStatement", start, { argument });
      }
      case "break":
      case "continue":
        this.next();
        if (!this.endsHere() && this.token.type === "name") this.next();
        this.semicolon();
        return this.node("JumpStatement", start);
      case "debugger":
        this.next();
        this.semicolon();
        return this.node("DebuggerStatement", start);
      case "with": {
        this.next();
        const object = this.parenthesised();
        const body = this.statement();
        return this.node("WithStatement", start, { object, body });
      }
      case "switch":
        return this.switchStatement();
      case "try": {
        this.next();
        const block = this.block();
        let handler: Node | null = null;
        let finalizer: Node | null = null;
        if (this.eat("catch")) {
          if (this.eat("(")) {
            this.pattern();
            this.expect(")");
          }
          handler = this.block();
        }
        if (this.eat("finally")) finalizer = this.block();
        if (handler === null && finalizer === null) {
          if (this.token.type === "eof") this.unexpected();
          this.raise("Missing catch or finally after try", this.token.start, this.token.end);
        }
        return this.node("TryStatement", start, { block, handler, finalizer });
      }
      case "import": {
        const after = this.peek();
        if (after.value === "(" || after.value === ".") return this.expressionStatement();
        if (!this.options.imports) this.raise("Cannot use import statement outside a module", start, token.end);
        return this.importDeclaration();
      }
      default: {
        if (!keywords.has(token.value) && this.peek().value === ":") {
          this.next();
          this.next();
          const body = this.statement();
          return this.node("LabeledStatement", start, { body });
        }
        if (token.value === "await" && this.inAsync && this.peek().value === "using") {
          const { pos, token: saved, lastEnd, sawEnd } = this;
          this.next();
          if (this.startsUsing()) {
            const declaration = this.variables("await using", true);
            declaration.start = start;
            this.semicolon();
            declaration.end = this.lastEnd;
            return declaration;
          }
          Object.assign(this, { pos, token: saved, lastEnd, sawEnd });
        }
        return this.expressionStatement();
      }
    }
  }

  endsHere(): boolean {
    return this.is(";") || this.is("}") || this.token.type === "eof" || this.token.newline;
  }

  expressionStatement(): Node {
    const { start } = this.token;
    const expression = this.expression();
    this.semicolon();
    return this.node("ExpressionStatement", start, { expression });
  }

  parenthesised(): Node {
    this.expect("(");
    const expression = this.expression();
    this.expect(")");
    return expression;
  }

  variables(kind: string, allowIn: boolean): Node {
    const { start } = this.token;
    this.next();
    const declarations: Node[] = [];
    do {
      const at = this.token.start;
      const id = this.pattern();
      const init = this.eat("=") ? this.assignment(allowIn) : null;
      declarations.push(this.node("VariableDeclarator", at, { id, init }));
    } while (this.eat(","));
    if (allowIn) {
      for (const { id, init } of declarations) {
        if (init !== null) continue;
        if (id.type !== "Identifier") this.raise("Missing initializer in destructuring declaration", id.start, id.end);
        if (kind === "const") this.raise("Missing initializer in const declaration", this.token.start, this.token.end);
      }
    }
    return this.node("VariableDeclaration", start, { kind, declarations });
  }

  bindingName(): Node {
    const { token } = this;
    if (token.type !== "name" || keywords.has(token.value)) this.unexpected();
    this.next();
    return this.node("Identifier", token.start, { name: token.value });
  }

  /** A target of a declaration or a parameter. */
  pattern(): Node {
    const { start } = this.token;
    if (this.eat("[")) {
      const elements: (Node | null)[] = [];
      while (!this.eat("]")) {
        if (this.eat(",")) {
          elements.push(null);
          continue;
        }
        elements.push(this.patternElement());
        if (!this.is("]")) this.expect(",");
      }
      return this.node("ArrayPattern", start, { elements });
    }
    if (this.eat("{")) {
      const properties: Node[] = [];
      while (!this.eat("}")) {
        const at = this.token.start;
        if (this.eat("...")) {
          properties.push(this.node("RestElement", at, { argument: this.pattern() }));
        } else {
          const key = this.propertyKey();
          if (this.eat(":")) {
            properties.push(this.node("Property", at, { key, value: this.patternElement() }));
          } else {
            if (key.type !== "Identifier" || keywords.has(key.name)) this.unexpected();
            const value = this.withDefault(key);
            properties.push(this.node("Property", at, { key, value }));
          }
        }
        if (!this.is("}")) this.expect(",");
      }
      return this.node("ObjectPattern", start, { properties });
    }
    return this.bindingName();
  }

  withDefault(left: Node): Node {
    if (!this.eat("=")) return left;
    const right = this.assignment(true);
    return this.node("AssignmentPattern", left.start, { left, right });
  }

  patternElement(): Node {
    const { start } = this.token;
    if (this.eat("...")) return this.node("RestElement", start, { argument: this.pattern() });
    return this.withDefault(this.pattern());
  }

  forStatement(): Node {
    const { start } = this.next();
    const isAwait = this.inAsync && this.eat("await");
    this.expect("(");
    let init: Node | null = null;
    if (!this.is(";")) {
      const isDeclaration = this.is("var") || this.is("const") || this.startsLet() || this.startsUsing();
      init = isDeclaration ? this.variables(this.token.value, false) : this.expression(false);
    }
    const isOf = this.is("of");
    if (init !== null && (isOf || this.is("in"))) {
      this.next();
      const right = isOf ? this.assignment(true) : this.expression();
      this.expect(")");
      const body = this.statement();
      return this.node(isOf ? "ForOfStatement" : "ForInStatement", start, { await: isAwait, left: init, right, body });
    }
    this.expect(";");
    const test = this.is(";") ? null : this.expression();
    this.expect(";");
    const update = this.is(")") ? null : this.expression();
    this.expect(")");
    const body = this.statement();
    return this.node("ForStatement", start, { init, test, update, body });
  }

  switchStatement(): Node {
    const { start } = this.next();
    const discriminant = this.parenthesised();
    this.expect("{");
    const cases: Node[] = [];
    while (!this.eat("}")) {
      const at = this.token.start;
      let test: Node | null = null;
      if (this.eat("case")) test = this.expression();
      else this.expect("default");
      this.expect(":");
      const consequent: Node[] = [];
      while (!this.is("case") && !this.is("default") && !this.is("}")) {
        if (this.token.type === "eof") this.unexpected();
        consequent.push(this.statement());
      }
      cases.push(this.node("SwitchCase", at, { test, consequent }));
    }
    return this.node("SwitchStatement", start, { discriminant, cases });
  }

  moduleName(): string {
    const { token } = this;
    if (token.type === "string") {
      this.next();
      return token.value;
    }
    if (token.type !== "name") this.unexpected();
    this.next();
    return token.value;
  }

  importDeclaration(): Node {
    const { start } = this.next();
    // Pairs of the module's name for something and the local one; "*" for the namespace.
    const specifiers: { imported: string; local: string }[] = [];
    if (this.token.type !== "string") {
      let more = true;
      if (this.token.type === "name") {
        specifiers.push({ imported: "default", local: this.bindingName().name });
        more = this.eat(",");
      }
      if (more) {
        if (this.eat("*")) {
          this.expect("as");
          specifiers.push({ imported: "*", local: this.bindingName().name });
        } else {
          this.expect("{");
          while (!this.eat("}")) {
            const imported = this.moduleName();
            const local = this.eat("as") ? this.bindingName().name : imported;
            specifiers.push({ imported, local });
            if (!this.is("}")) this.expect(",");
          }
        }
      }
      this.expect("from");
    }
    const { token } = this;
    if (token.type !== "string") this.unexpected();
    this.next();
    let attributes = "";
    if (this.is("with")) {
      this.next();
      const at = this.token.start;
      this.primary();
      attributes = this.source.slice(at, this.lastEnd);
    }
    this.semicolon();
    return this.node("ImportDeclaration", start, { specifiers, source: token.value, attributes });
  }

  // Functions and classes

  /** From the `function` keyword on. */
  functionLike(type: string, start: number, isAsync: boolean): Node {
    this.expect("function");
    const isGenerator = this.eat("*");
    let id: Node | null = null;
    if (this.token.type === "name" && !keywords.has(this.token.value)) id = this.bindingName();
    else if (type === "FunctionDeclaration") {
      if (this.is("(")) this.raise("Function statements require a function name", this.token.start, this.token.end);
      this.unexpected();
    }
    this.functionRest(isAsync, isGenerator);
    return this.node(type, start, { id });
  }

  /** Parameters and body. */
  functionRest(isAsync: boolean, isGenerator: boolean): void {
    const { inAsync, inGenerator, inFunction } = this;
    Object.assign(this, { inAsync: isAsync, inGenerator: isGenerator, inFunction: true });
    this.expect("(");
    while (!this.eat(")")) {
      this.patternElement();
      if (!this.is(")")) this.expect(",");
    }
    this.block();
    Object.assign(this, { inAsync, inGenerator, inFunction });
  }

  arrow(start: number, isAsync: boolean): Node {
    this.expect("=>");
    const { inAsync, inGenerator, inFunction } = this;
    Object.assign(this, { inAsync: isAsync, inGenerator: false, inFunction: true });
    if (this.is("{")) this.block();
    else this.assignment(true);
    Object.assign(this, { inAsync, inGenerator, inFunction });
    return this.node("ArrowFunctionExpression", start);
  }

  classLike(type: string): Node {
    const { start } = this.next();
    let id: Node | null = null;
    if (this.token.type === "name" && !keywords.has(this.token.value)) id = this.bindingName();
    else if (type === "ClassDeclaration") this.unexpected();
    const superClass = this.eat("extends") ? this.subscripts() : null;
    const parts: Node[] = [];
    this.expect("{");
    while (!this.eat("}")) {
      if (this.token.type === "eof") this.unexpected();
      if (this.eat(";")) continue;
      this.classMember(parts);
    }
    return this.node(type, start, { id, superClass, parts });
  }

  classMember(parts: Node[]): void {
    const endsName = () => {
      const { value } = this.peek();
      return value === "(" || value === "=" || value === ";" || value === "}";
    };
    if (this.is("static") && !endsName()) {
      this.next();
      if (this.is("{")) {
        const { inFunction } = this;
        this.inFunction = false;
        this.block();
        this.inFunction = inFunction;
        return;
      }
    }
    let isAsync = false;
    let isGenerator = false;
    if (this.is("async") && !endsName() && !this.peek().newline) {
      this.next();
      isAsync = true;
    } else if ((this.is("get") || this.is("set") || this.is("accessor")) && !endsName() && !this.peek().newline) {
      this.next();
    }
    if (this.eat("*")) isGenerator = true;
    const key = this.propertyKey();
    if (key.type === "Computed") parts.push(key.expression);
    if (this.is("(")) {
      this.functionRest(isAsync, isGenerator);
      return;
    }
    if (this.eat("=")) {
      const { inAsync } = this;
      this.inAsync = false;
      this.assignment(true);
      this.inAsync = inAsync;
    }
    this.semicolon();
  }

  propertyKey(): Node {
    const { token } = this;
    if (token.value === "[" && token.type === "punct") {
      this.next();
      const expression = this.assignment(true);
      this.expect("]");
      return this.node("Computed", token.start, { expression });
    }
    if (token.type === "punct" || token.type === "eof") this.unexpected();
    this.next();
    return this.node(token.type === "name" ? "Identifier" : "Literal", token.start, { name: token.value });
  }

  // Expressions

  expression(allowIn = true): Node {
    const { start } = this.token;
    const first = this.assignment(allowIn);
    if (!this.is(",")) return first;
    const expressions = [first];
    while (this.eat(",")) expressions.push(this.assignment(allowIn));
    return this.node("SequenceExpression", start, { expressions });
  }

  assignment(allowIn: boolean): Node {
    const { token } = this;
    const { start } = token;
    if (token.type === "name") {
      if (token.value === "yield" && this.inGenerator) {
        this.next();
        if (this.token.newline) return this.node("YieldExpression", start);
        const delegate = this.eat("*");
        const none = !delegate && (/^[)\]};,:]$/.test(this.token.value) || this.token.type === "eof");
        const argument = none ? null : this.assignment(allowIn);
        return this.node("YieldExpression", start, { argument });
      }
      const after = this.peek();
      if (token.value === "async" && after.type === "name" && !after.newline && after.value !== "function" &&
          !keywords.has(after.value)) {
        this.next();
        if (this.peek().value === "=>") {
          this.next();
          return this.arrow(start, true);
        }
        this.unexpected();
      }
      if (after.value === "=>" && after.type === "punct" && !keywords.has(token.value)) {
        this.next();
        return this.arrow(start, false);
      }
    }
    const left = this.conditional(allowIn);
    if (this.token.type === "punct" && assignments.has(this.token.value)) {
      switch (left.type) {
        case "Identifier": case "MemberExpression": case "ObjectExpression": case "ArrayExpression": break;
        default: this.raise("Invalid left-hand side in assignment", left.start, left.end);
      }
      const operator = this.next().value;
      const right = this.assignment(allowIn);
      return this.node("AssignmentExpression", start, { operator, left, right });
    }
    return left;
  }

  conditional(allowIn: boolean): Node {
    const { start } = this.token;
    const test = this.binary(0, allowIn);
    if (!this.is("?")) return test;
    this.next();
    const consequent = this.assignment(true);
    this.expect(":");
    const alternate = this.assignment(allowIn);
    return this.node("ConditionalExpression", start, { test, consequent, alternate });
  }

  binary(minimum: number, allowIn: boolean): Node {
    const { start } = this.token;
    let left = this.unary();
    for (;;) {
      const { token } = this;
      if (token.type !== "punct" && token.type !== "name") return left;
      const level = precedence[token.value];
      if (level === undefined || level <= minimum || (token.value === "in" && !allowIn)) return left;
      this.next();
      const right = this.binary(token.value === "**" ? level - 1 : level, allowIn);
      left = this.node("BinaryExpression", start, { operator: token.value, left, right });
    }
  }

  unary(): Node {
    const { token } = this;
    const { start, value } = token;
    if (token.type === "name") {
      if (value === "typeof" || value === "void" || value === "delete") {
        this.next();
        const argument = this.unary();
        return this.node("UnaryExpression", start, { operator: value, argument });
      }
      if (value === "await" && this.inAsync) {
        this.next();
        const argument = this.unary();
        return this.node("AwaitExpression", start, { argument });
      }
    } else if (token.type === "punct") {
      if (value === "!" || value === "~" || value === "+" || value === "-") {
        this.next();
        const argument = this.unary();
        return this.node("UnaryExpression", start, { operator: value, argument });
      }
      if (value === "++" || value === "--") {
        this.next();
        const argument = this.unary();
        if (argument.type !== "Identifier" && argument.type !== "MemberExpression") {
          this.raise("Invalid left-hand side expression in prefix operation", argument.start, argument.end);
        }
        return this.node("UpdateExpression", start, { argument });
      }
    }
    const argument = this.subscripts();
    if ((this.is("++") || this.is("--")) && !this.token.newline) {
      if (argument.type !== "Identifier" && argument.type !== "MemberExpression") {
        this.raise("Invalid left-hand side expression in postfix operation", argument.start, argument.end);
      }
      this.next();
      return this.node("UpdateExpression", start, { argument });
    }
    return argument;
  }

  subscripts(): Node {
    const { start } = this.token;
    const isAsync = this.is("async");
    let object = this.primary();
    if (object.type === "ArrowFunctionExpression" && object.start === start) return object;
    for (;;) {
      const { token } = this;
      if (token.type !== "punct") return object;
      switch (token.value) {
        case ".":
        case "?.": {
          const optional = token.value === "?.";
          this.next();
          if (optional && this.is("(")) {
            object = this.node("CallExpression", start, { callee: object, arguments: this.callArguments() });
            object.end = this.lastEnd;
            break;
          }
          if (optional && this.is("[")) {
            object = this.computed(object, start, true);
            break;
          }
          const name = this.token;
          if (name.type !== "name" && name.type !== "private") this.unexpected();
          this.next();
          const property = this.node("Identifier", name.start, { name: name.value });
          object = this.node("MemberExpression", start, { object, property, computed: false, optional });
          break;
        }
        case "[":
          object = this.computed(object, start, false);
          break;
        case "(": {
          const list = this.callArguments();
          if (isAsync && object.type === "Identifier" && object.start === start && this.is("=>") && !this.token.newline) {
            return this.arrow(start, true);
          }
          object = this.node("CallExpression", start, { callee: object, arguments: list });
          break;
        }
        case "`": {
          const quasi = this.template();
          object = this.node("CallExpression", start, { callee: object, arguments: [quasi] });
          break;
        }
        default:
          return object;
      }
    }
  }

  computed(object: Node, start: number, optional: boolean): Node {
    this.expect("[");
    const property = this.expression();
    this.expect("]");
    return this.node("MemberExpression", start, { object, property, computed: true, optional });
  }

  callArguments(): Node[] {
    this.expect("(");
    const list: Node[] = [];
    while (!this.eat(")")) {
      list.push(this.element());
      if (this.is(")")) continue;
      if (this.is(",")) this.next();
      else if (this.token.type === "eof") this.unexpected();
      else this.raise("missing ) after argument list", this.token.start, this.token.end);
    }
    return list;
  }

  element(): Node {
    const { start } = this.token;
    if (!this.eat("...")) return this.assignment(true);
    const argument = this.assignment(true);
    return this.node("SpreadElement", start, { argument });
  }

  primary(): Node {
    const { token } = this;
    const { start, value } = token;
    switch (token.type) {
      case "num":
      case "string":
        this.next();
        return this.node("Literal", start, { value: token.type === "num" ? Number(value) : value.slice(1, -1) });
      case "private":
        if (this.peek().value !== "in") this.unexpected();
        this.next();
        return this.node("PrivateName", start);
      case "name":
        return this.named();
      case "eof":
        return this.unexpected();
    }
    switch (value) {
      case "(":
        return this.group();
      case "[": {
        this.next();
        const elements: Node[] = [];
        while (!this.eat("]")) {
          if (this.eat(",")) continue;
          elements.push(this.element());
          if (!this.is("]")) this.expect(",");
        }
        return this.node("ArrayExpression", start, { elements });
      }
      case "{":
        return this.object();
      case "`":
        return this.template();
      case "/":
      case "/=":
        return this.regularExpression();
    }
    return this.unexpected();
  }

  named(): Node {
    const { token } = this;
    const { start, value } = token;
    switch (value) {
      case "function":
        return this.functionLike("FunctionExpression", start, false);
      case "class":
        return this.classLike("ClassExpression");
      case "async": {
        const after = this.peek();
        if (after.value === "function" && !after.newline) {
          this.next();
          return this.functionLike("FunctionExpression", start, true);
        }
        break;
      }
      case "new": {
        this.next();
        if (this.eat(".")) {
          this.next();
          return this.node("MetaProperty", start);
        }
        const at = this.token.start;
        let callee = this.primary();
        while (this.is(".") || this.is("[")) {
          if (this.is("[")) callee = this.computed(callee, at, false);
          else {
            this.next();
            const name = this.next();
            if (name.type !== "name" && name.type !== "private") this.unexpected(name);
            const property = this.node("Identifier", name.start, { name: name.value });
            callee = this.node("MemberExpression", at, { object: callee, property, computed: false, optional: false });
          }
        }
        const list = this.is("(") ? this.callArguments() : [];
        return this.node("NewExpression", start, { callee, arguments: list });
      }
      case "import": {
        this.next();
        if (this.eat(".")) {
          const { value: name } = this.next();
          if (name === "meta") this.raise("Cannot use 'import.meta' outside a module", start, this.lastEnd);
        }
        return this.node("Import", start);
      }
      case "this": case "super": case "null": case "true": case "false":
        this.next();
        return this.node(value === "this" ? "ThisExpression" : "Literal", start, { value });
      default:
        if (keywords.has(value)) this.unexpected();
    }
    this.next();
    return this.node("Identifier", start, { name: value });
  }

  /** Something in parentheses: an expression, or the parameters of an arrow function. */
  group(): Node {
    const { start } = this.next();
    let onlyParameters = false;
    const list: Node[] = [];
    while (!this.is(")")) {
      if (this.is("...")) {
        onlyParameters = true;
        this.patternElement();
      } else {
        list.push(this.assignment(true));
      }
      if (this.is(")")) break;
      this.expect(",");
      if (this.is(")")) onlyParameters = true;
    }
    const closing = this.next();
    if (this.is("=>") && !this.token.newline) return this.arrow(start, false);
    if (onlyParameters || list.length === 0) this.unexpected(this.token.type === "eof" ? this.token : closing);
    if (list.length === 1) return list[0];
    return { type: "SequenceExpression", start: list[0].start, end: list[list.length - 1].end, expressions: list };
  }

  object(): Node {
    const { start } = this.next();
    const properties: Node[] = [];
    while (!this.eat("}")) {
      properties.push(this.property());
      if (!this.is("}")) this.expect(",");
    }
    return this.node("ObjectExpression", start, { properties });
  }

  property(): Node {
    const { start } = this.token;
    if (this.is("...")) return this.element();
    let isAsync = false;
    let isGenerator = false;
    const endsName = () => /^[(:,}=]$/.test(this.peek().value);
    if (this.is("async") && !endsName() && !this.peek().newline) {
      this.next();
      isAsync = true;
    } else if ((this.is("get") || this.is("set")) && !endsName()) {
      this.next();
    }
    if (this.eat("*")) isGenerator = true;
    const name = this.token;
    const key = this.propertyKey();
    let value: Node | null = null;
    if (this.is("(")) {
      this.functionRest(isAsync, isGenerator);
    } else if (this.eat(":")) {
      value = this.assignment(true);
    } else {
      if (isAsync || isGenerator || key.type !== "Identifier" || keywords.has(key.name)) {
        this.unexpected(key.type === "Identifier" && this.token.type !== "eof" ? name : this.token);
      }
      // The default of a pattern.
      if (this.eat("=")) value = this.assignment(true);
    }
    return this.node("Property", start, { key, value });
  }

  template(): Node {
    const { start } = this.token;
    const { source } = this;
    const expressions: Node[] = [];
    let at = this.token.end;
    for (;;) {
      const c = source[at];
      if (c === undefined) this.raise("Unterminated template literal", start, source.length, true);
      if (c === "`") break;
      if (c === "\\") {
        at += 2;
      } else if (c === "$" && source[at + 1] === "{") {
        this.pos = at + 2;
        this.token = this.scan();
        expressions.push(this.expression());
        if (!this.is("}")) this.unexpected();
        at = this.token.end;
      } else {
        at++;
      }
    }
    this.pos = this.lastEnd = at + 1;
    this.token = this.scan();
    return { type: "TemplateLiteral", start, end: at + 1, expressions };
  }

  regularExpression(): Node {
    const { start } = this.token;
    const { source } = this;
    let at = start + 1;
    let inClass = false;
    for (;;) {
      const c = source[at];
      if (c === undefined || lineEnd.test(c)) {
        this.raise("Invalid regular expression: missing /", start, at, false);
      }
      if (c === "\\") at++;
      else if (c === "[") inClass = true;
      else if (c === "]") inClass = false;
      else if (c === "/" && !inClass) break;
      at++;
    }
    at++;
    while (at < source.length && /[\p{ID_Continue}$]/u.test(source[at])) at++;
    this.pos = this.lastEnd = at;
    this.token = this.scan();
    return { type: "Literal", start, end: at };
  }
}

/** The tree of a script. Throws ParseError. Functions' bodies are checked but not in the tree. */
export function parse(source: string, options: ParseOptions = {}): Node {
  return new Parser(source, options).program();
}

/** Calls `visit` for each node below `node`; it returns false to leave out what is inside. */
export function walk(node: Node, visit: (node: Node, parent: Node) => boolean | void): void {
  for (const key in node) {
    const value = node[key];
    if (value === null || typeof value !== "object") continue;
    const list: (Node | null)[] = Array.isArray(value) ? value : [value];
    for (const child of list) {
      if (child === null || typeof child?.type !== "string") continue;
      if (visit(child, node) !== false) walk(child, visit);
    }
  }
}

/** The names that a pattern binds, in order. */
export function boundNames(pattern: Node, names: string[] = []): string[] {
  switch (pattern.type) {
    case "Identifier": names.push(pattern.name); break;
    case "ArrayPattern": for (const element of pattern.elements) if (element !== null) boundNames(element, names); break;
    case "ObjectPattern": for (const property of pattern.properties) boundNames(property, names); break;
    case "Property": boundNames(pattern.value, names); break;
    case "AssignmentPattern": boundNames(pattern.left, names); break;
    case "RestElement": boundNames(pattern.argument, names); break;
  }
  return names;
}
