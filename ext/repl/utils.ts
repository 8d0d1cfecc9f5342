/** What the parts of the REPL share. */
import { frame, syntaxError } from "internal/repl/syntax";

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
  constructor(err?: unknown) {
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
  return syntaxError(code, true) === undefined || syntaxError(`_=${code}`, true) === undefined;
}

/** Whether more input could make code valid that the engine refused. */
export function isRecoverable(code: string, topLevelAwait = false): boolean {
  if (/^\s*\{/.test(code) && isRecoverable(`(${code}`, topLevelAwait)) return true;
  // An error that only the engine sees will not go away.
  return syntaxError(code, topLevelAwait)?.incomplete === true;
}

// (The second with an engine that has no overlay.)
const redeclared = /^(?:Identifier '(.+)' has already been declared|redeclaration of (?:\S+ )*(\S+))$/;

/** Whether the engine found a name declared before, which it does when a script begins to run. */
export function isRedeclaration(error: unknown): boolean {
  return (
    (error as Partial<Error> | null | undefined)?.name === "SyntaxError" && redeclared.test((error as Error).message)
  );
}

/** Gives the engine's SyntaxError the message and the look that Node's REPL shows. */
export function describeSyntaxError(error: Error, code: string): void {
  let { message } = error;
  let shown = "";
  const reason = syntaxError(code, false);
  if (reason !== undefined) {
    ({ message } = reason);
    // Of a regular expression without an end V8 marks the beginning.
    shown = frame(code, reason, message.endsWith("missing /") ? 1 : reason.end - reason.pos);
  } else {
    const match = redeclared.exec(message);
    if (match !== null) message = `Identifier '${match[1] ?? match[2]}' has already been declared`;
  }
  try {
    error.message = message;
    Object.defineProperty(error, "stack", {
      value: `${shown}SyntaxError: ${message}`,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  } catch {
    // Frozen: it stays as it is.
  }
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

/** Whether a string is an identifier (keywords included). */
export function isIdentifier(text: string): boolean {
  return identifier.test(text);
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
    (name) => !name.startsWith("_") && !name.startsWith("node:"),
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
