// `test` and `[` (POSIX): the number of operands says what they mean.

import { binary, unary } from "internal/shell/conditions";
import { ShellFailure } from "internal/shell/errors";

import type { Interpreter } from "internal/shell/interpreter";

const UNARY = /^-[abcdefghknoprstuvwxzGLNOS]$/;
const BINARY = new Set("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef".split(" "));

/** A reader of longer expressions: `-o` binds least, then `-a`, then `!`. */
class Expression {
  #shell: Interpreter;
  #words: readonly string[];
  #next = 0;

  constructor(shell: Interpreter, words: readonly string[]) {
    this.#shell = shell;
    this.#words = words;
  }

  async value(): Promise<boolean> {
    const value = await this.#or();
    if (this.#next < this.#words.length) throw new ShellFailure("too many arguments", 2);
    return value;
  }

  async #or(): Promise<boolean> {
    let value = await this.#and();
    while (this.#words[this.#next] === "-o") {
      this.#next++;
      const right = await this.#and();
      value ||= right;
    }
    return value;
  }

  async #and(): Promise<boolean> {
    let value = await this.#term();
    while (this.#words[this.#next] === "-a") {
      this.#next++;
      const right = await this.#term();
      value &&= right;
    }
    return value;
  }

  async #term(): Promise<boolean> {
    const words = this.#words;
    const word = words[this.#next];
    if (word === undefined) throw new ShellFailure("argument expected", 2);
    if (word === "!" && words.length - this.#next > 1) {
      this.#next++;
      return !(await this.#term());
    }
    const operator = words[this.#next + 1];
    if (operator !== undefined && BINARY.has(operator) && this.#next + 2 < words.length) {
      this.#next += 3;
      return binary(this.#shell.state, operator, word, words[this.#next - 1]!);
    }
    if (word === "(" && words.length - this.#next > 1) {
      this.#next++;
      const value = await this.#or();
      if (words[this.#next++] !== ")") throw new ShellFailure("`)' expected", 2);
      return value;
    }
    if (UNARY.test(word) && operator !== undefined) {
      this.#next += 2;
      return unary(this.#shell, word, operator);
    }
    this.#next++;
    return word !== "";
  }
}

async function evaluate(shell: Interpreter, words: readonly string[]): Promise<boolean> {
  const [first, second, third] = words as [string, string, string];
  switch (words.length) {
    case 0:
      return false;
    case 1:
      return first !== "";
    case 2:
      if (first === "!") return second === "";
      if (UNARY.test(first)) return unary(shell, first, second);
      throw new ShellFailure(`${first}: unary operator expected`, 2);
    case 3:
      if (BINARY.has(second)) return binary(shell.state, second, first, third);
      if (second === "-a") return first !== "" && third !== "";
      if (second === "-o") return first !== "" || third !== "";
      if (first === "!") return !(await evaluate(shell, [second, third]));
      if (first === "(" && third === ")") return second !== "";
      throw new ShellFailure(`${second}: binary operator expected`, 2);
    case 4:
      if (first === "!") return !(await evaluate(shell, words.slice(1)));
      if (first === "(" && words[3] === ")") return evaluate(shell, words.slice(1, 3));
  }
  return new Expression(shell, words).value();
}

export function test(shell: Interpreter, words: string[]): number | Promise<number> {
  let operands = words.slice(1);
  if (words[0] === "[") {
    if (operands.at(-1) !== "]") throw new ShellFailure("missing `]'", 2);
    operands = operands.slice(0, -1);
  }
  // The comparisons of loops need no promise.
  if (operands.length === 3 && BINARY.has(operands[1]!)) {
    const result = binary(shell.state, operands[1]!, operands[0]!, operands[2]!);
    if (typeof result === "boolean") return result ? 0 : 1;
    return result.then((value) => (value ? 0 : 1));
  }
  return evaluate(shell, operands).then((value) => (value ? 0 : 1));
}
