/** Expressions, patterns, functions and classes: the part of the REPL's parser below statements. */
import { Scanner, keywords, lineEnd, type Node } from "internal/repl/scanner";

const precedence: Record<string, number> = {
  __proto__: null as any,
  "??": 1,
  "||": 2,
  "&&": 3,
  "|": 4,
  "^": 5,
  "&": 6,
  "==": 7,
  "!=": 7,
  "===": 7,
  "!==": 7,
  "<": 8,
  ">": 8,
  "<=": 8,
  ">=": 8,
  instanceof: 8,
  in: 8,
  "<<": 9,
  ">>": 9,
  ">>>": 9,
  "+": 10,
  "-": 10,
  "*": 11,
  "/": 11,
  "%": 11,
  "**": 12,
};

const assignments = new Set([
  "=",
  "+=",
  "-=",
  "*=",
  "/=",
  "%=",
  "**=",
  "<<=",
  ">>=",
  ">>>=",
  "&=",
  "|=",
  "^=",
  "&&=",
  "||=",
  "??=",
]);

export abstract class Expressions extends Scanner {
  abstract block(): Node;

  // Patterns

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
      if (
        token.value === "async" &&
        after.type === "name" &&
        !after.newline &&
        after.value !== "function" &&
        !keywords.has(after.value)
      ) {
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
        case "Identifier":
        case "MemberExpression":
        case "ObjectExpression":
        case "ArrayExpression":
          break;
        default:
          this.raise("Invalid left-hand side in assignment", left.start, left.end);
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
          if (
            isAsync &&
            object.type === "Identifier" &&
            object.start === start &&
            this.is("=>") &&
            !this.token.newline
          ) {
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
      case "this":
      case "super":
      case "null":
      case "true":
      case "false":
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
