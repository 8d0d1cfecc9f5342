/**
 * A parser of ECMAScript for the REPL: tells where input ends too early, and gives the tree that top-level await, imports
 * and completion need. It accepts somewhat more than the language (patterns are read as expressions, for instance): the
 * engine compiles what runs and has the last word. Messages are V8's, which users of Node's REPL know.
 */

import { Expressions } from "internal/repl/expressions";
import { keywords, type Node, type ParseOptions } from "internal/repl/scanner";

export { ParseError, isIdentifier, type Node } from "internal/repl/scanner";

class Parser extends Expressions {
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
    return (
      after.value === "[" ||
      after.value === "{" ||
      after.value === "let" ||
      (after.type === "name" && after.value !== "in" && after.value !== "instanceof" && after.value !== "of")
    );
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
    case "Identifier":
      names.push(pattern.name);
      break;
    case "ArrayPattern":
      for (const element of pattern.elements) if (element !== null) boundNames(element, names);
      break;
    case "ObjectPattern":
      for (const property of pattern.properties) boundNames(property, names);
      break;
    case "Property":
      boundNames(pattern.value, names);
      break;
    case "AssignmentPattern":
      boundNames(pattern.left, names);
      break;
    case "RestElement":
      boundNames(pattern.argument, names);
      break;
  }
  return names;
}
