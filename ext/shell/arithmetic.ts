// `$((...))`: integers of 64 bits with C's operators (POSIX, 2.6.4).

/** The variables that an expression reads and changes. */
interface Variables {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

const TOKEN =
  /\s*(?:(0[xX][0-9a-fA-F]+|\d+#[0-9a-zA-Z]+|\d+)|([A-Za-z_]\w*)|(<<=|>>=|\*\*|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&^|]=|[-+*/%<>=!~&|^?:(),]))/y;
const MAX_NESTING = 200;

const PRECEDENCE: Record<string, number> = {
  "||": 1,
  "&&": 2,
  "|": 3,
  "^": 4,
  "&": 5,
  "==": 6,
  "!=": 6,
  "<": 7,
  "<=": 7,
  ">": 7,
  ">=": 7,
  "<<": 8,
  ">>": 8,
  "+": 9,
  "-": 9,
  "*": 10,
  "/": 10,
  "%": 10,
  "**": 11,
};

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);

function numberOf(text: string): bigint {
  const base = /^(\d+)#(\w+)$/.exec(text);
  if (base !== null) {
    const radix = Number(base[1]);
    let value = 0n;
    for (const character of base[2]!.toLowerCase()) {
      const digit = parseInt(character, 36);
      if (radix < 2 || radix > 36 || !(digit < radix)) throw new Error(`${text}: value too great for base`);
      value = value * BigInt(radix) + BigInt(digit);
    }
    return wrap(value);
  }
  if (/^0[0-7]+$/.test(text)) return wrap(BigInt(`0o${text.slice(1)}`));
  if (/^0\d+$/.test(text)) throw new Error(`${text}: value too great for base`);
  return wrap(BigInt(text));
}

function calculate(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case "+":
      return wrap(left + right);
    case "-":
      return wrap(left - right);
    case "*":
      return wrap(left * right);
    case "/":
    case "%":
      if (right === 0n) throw new Error("division by 0");
      return wrap(operator === "/" ? left / right : left % right);
    case "**": {
      if (right < 0n) throw new Error("exponent less than 0");
      let result = 1n;
      let factor = left;
      for (let rest = right; rest > 0n; rest >>= 1n) {
        if (rest & 1n) result = wrap(result * factor);
        factor = wrap(factor * factor);
      }
      return result;
    }
    case "<<":
      return wrap(left << (right & 63n));
    case ">>":
      return left >> (right & 63n);
    case "&":
      return left & right;
    case "|":
      return left | right;
    case "^":
      return left ^ right;
  }
  const truth: Record<string, boolean> = {
    "==": left === right,
    "!=": left !== right,
    "<": left < right,
    "<=": left <= right,
    ">": left > right,
    ">=": left >= right,
  };
  return truth[operator] ? 1n : 0n;
}

class Evaluator {
  #tokens: Array<{ number?: string; name?: string; operator?: string }> = [];
  #next = 0;
  #variables: Variables;
  #depth: number;
  /** Above 0 where a branch that is not taken is read. */
  #skipping = 0;

  constructor(text: string, variables: Variables, depth: number) {
    this.#variables = variables;
    this.#depth = depth;
    if (depth > MAX_NESTING) throw new Error("expression recursion level exceeded");
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.trimEnd().length) {
      const start = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (match === null) throw new Error(`${text}: syntax error in expression at \`${text.slice(start).trim()}\``);
      this.#tokens.push({ number: match[1], name: match[2], operator: match[3] });
    }
  }

  value(): bigint {
    if (this.#tokens.length === 0) return 0n;
    const value = this.#comma();
    if (this.#next < this.#tokens.length) throw new Error("syntax error in expression");
    return value;
  }

  #operator(): string | undefined {
    return this.#tokens[this.#next]?.operator;
  }

  #take(operator: string): boolean {
    if (this.#operator() !== operator) return false;
    this.#next++;
    return true;
  }

  #comma(): bigint {
    if (++this.#depth > MAX_NESTING) throw new Error("expression recursion level exceeded");
    let value = this.#assignment();
    while (this.#take(",")) value = this.#assignment();
    this.#depth--;
    return value;
  }

  #assignment(): bigint {
    const name = this.#tokens[this.#next]?.name;
    const operator = this.#tokens[this.#next + 1]?.operator;
    if (name !== undefined && operator !== undefined && /^(?:=|[-+*/%&^|]=|<<=|>>=)$/.test(operator)) {
      this.#next += 2;
      const right = this.#assignment();
      return this.#set(name, operator === "=" ? right : this.#calculate(operator.slice(0, -1), this.#get(name), right));
    }
    return this.#conditional();
  }

  #conditional(): bigint {
    const condition = this.#binary(1);
    if (!this.#take("?")) return condition;
    const first = this.#unless(condition === 0n, () => this.#comma());
    if (!this.#take(":")) throw new Error("syntax error in expression: `:` expected");
    const second = this.#unless(condition !== 0n, () => this.#assignment());
    return condition !== 0n ? first : second;
  }

  #unless(skip: boolean, read: () => bigint): bigint {
    if (skip) this.#skipping++;
    const value = read();
    if (skip) this.#skipping--;
    return value;
  }

  #binary(least: number): bigint {
    let left = this.#unary();
    for (;;) {
      const operator = this.#operator();
      const precedence = operator === undefined ? undefined : PRECEDENCE[operator];
      if (precedence === undefined || precedence < least) return left;
      this.#next++;
      if (operator === "&&" || operator === "||") {
        const decided = operator === "&&" ? left === 0n : left !== 0n;
        const right = this.#unless(decided, () => this.#binary(precedence + 1));
        left = (operator === "&&" ? left !== 0n && right !== 0n : left !== 0n || right !== 0n) ? 1n : 0n;
      } else {
        const right = this.#binary(operator === "**" ? precedence : precedence + 1);
        left = this.#calculate(operator!, left, right);
      }
    }
  }

  #unary(): bigint {
    if (++this.#depth > MAX_NESTING) throw new Error("expression recursion level exceeded");
    try {
      const operator = this.#operator();
      if (operator === "++" || operator === "--") {
        const name = this.#tokens[this.#next + 1]?.name;
        if (name !== undefined) {
          this.#next += 2;
          return this.#set(name, this.#get(name) + (operator === "++" ? 1n : -1n));
        }
      }
      if (this.#take("+")) return this.#unary();
      if (this.#take("-")) return wrap(-this.#unary());
      if (this.#take("!")) return this.#unary() === 0n ? 1n : 0n;
      if (this.#take("~")) return ~this.#unary();
      if (operator === "++" || operator === "--") {
        this.#next++;
        // Two signs, in front of what is no variable.
        return this.#unary();
      }
      return this.#primary();
    } finally {
      this.#depth--;
    }
  }

  #primary(): bigint {
    if (this.#take("(")) {
      const value = this.#comma();
      if (!this.#take(")")) throw new Error("syntax error in expression: `)` expected");
      return value;
    }
    const token = this.#tokens[this.#next++];
    if (token?.number !== undefined) return numberOf(token.number);
    if (token?.name === undefined) throw new Error("syntax error in expression: operand expected");
    const value = this.#get(token.name);
    if (this.#take("++")) this.#set(token.name, value + 1n);
    else if (this.#take("--")) this.#set(token.name, value - 1n);
    return value;
  }

  #calculate(operator: string, left: bigint, right: bigint): bigint {
    return this.#skipping > 0 ? 0n : calculate(operator, left, right);
  }

  #get(name: string): bigint {
    if (this.#skipping > 0) return 0n;
    const text = this.#variables.get(name)?.trim() ?? "";
    if (text === "") return 0n;
    if (/^[-+]?\d+$/.test(text))
      return text[0] === "-" ? wrap(-numberOf(text.slice(1))) : numberOf(text.replace("+", ""));
    return new Evaluator(text, this.#variables, this.#depth + 1).value();
  }

  #set(name: string, value: bigint): bigint {
    value = wrap(value);
    if (this.#skipping === 0) this.#variables.set(name, `${value}`);
    return value;
  }
}

/** The value of an expression. Throws an Error for one that has none. */
export function evaluate(text: string, variables: Variables): bigint {
  return new Evaluator(text, variables, 0).value();
}
