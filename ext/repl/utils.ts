/** What the parts of the REPL share. */
import { ParseError, parse } from "internal/repl/parser";

export const REPL_MODE_SLOPPY = Symbol("repl-sloppy");
export const REPL_MODE_STRICT = Symbol("repl-strict");
/** Option of the REPL that is the program: `bao repl`, `--interactive`. */
export const kStandalone = Symbol("kStandaloneREPL");
/** Option that makes it `bao repl`: TypeScript, imports, declarations that may come again, more commands. */
export const kSession = Symbol("kSession");

export const multilinePrompt = "| ";

/** Thrown by an eval function: more input could make it valid. */
export class Recoverable extends SyntaxError {
  declare err: unknown;
  constructor(err?: NodeError | null | undefined) {
    super();
    this.err = err;
  }
}

/** Whether code would be an object literal, if it were not a block. */
export function isObjectLiteral(code: string): boolean {
  return /^\s*\{/.test(code) && !/;\s*$/.test(code);
}

/** Whether a text is a script or an expression. */
export function isValidSyntax(code: string): boolean {
  try {
    parse(code, { await: true });
    return true;
  } catch {
    try {
      parse(`_=${code}`, { await: true });
      return true;
    } catch {
      return false;
    }
  }
}

/** Whether more input could make code valid that the engine refused. */
export function isRecoverable(code: string, topLevelAwait = false): boolean {
  if (/^\s*\{/.test(code) && isRecoverable(`(${code}`, topLevelAwait)) return true;
  try {
    parse(code, { await: topLevelAwait });
    // The engine sees an error that we do not; it will not go away.
    return false;
  } catch (error) {
    return error instanceof ParseError && error.incomplete;
  }
}

const redeclared = /^redeclaration of (?:\S+ )*(\S+)$/;

/** Whether the engine found a name declared before, which it does when a script begins to run. */
export function isRedeclaration(error: any): boolean {
  return error?.name === "SyntaxError" && redeclared.test(error.message);
}

/** Gives the engine's SyntaxError the message and the look that Node's REPL shows. */
export function describeSyntaxError(error: any, code: string): void {
  let message = error.message;
  let pos = -1;
  let length = 1;
  try {
    parse(code);
    const match = redeclared.exec(message);
    if (match !== null) message = `Identifier '${match[1]}' has already been declared`;
  } catch (reason) {
    if (reason instanceof ParseError) {
      ({ message, pos } = reason);
      length = reason.end - pos;
    }
  }
  let frame = "";
  if (pos >= 0) {
    const start = code.lastIndexOf("\n", pos - 1) + 1;
    const newline = code.indexOf("\n", pos);
    const end = newline === -1 ? code.length : newline;
    frame = `${code.slice(start, end)}\n${" ".repeat(pos - start)}${"^".repeat(Math.max(1, Math.min(length, end - pos)))}\n\n`;
  }
  try {
    error.message = message;
    Object.defineProperty(error, "stack", {
      value: `${frame}SyntaxError: ${message}`,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  } catch {
    // Frozen: it stays as it is.
  }
}

let resource = 0;
/** The name of the next piece of input. */
export function nextResourceName(): string {
  return `REPL${++resource}`;
}

let libs: string[] | undefined;
/** Modules that are properties of the REPL's context, and what completion offers for require(). */
export function builtinLibs(): string[] {
  return (libs ??= require("node:module").builtinModules.filter(
    (name: string) => !name.startsWith("_") && !name.startsWith("node:"),
  ));
}

export function setBuiltinLibs(value: string[]): void {
  libs = value;
}

let globals: Set<string> | undefined;
/** The names of the language's own globals. */
export function languageGlobals(): Set<string> {
  return (globals ??= new Set(Object.getOwnPropertyNames(native("vm").createRealm(false, false, false))));
}
