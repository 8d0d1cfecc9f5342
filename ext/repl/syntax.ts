/** What the parser (libs/transpile, by ext/repl/native) says about the text that is typed. */
const ops = native("repl");

/** A mistake in a text, in V8's words. */
export class ParseError extends SyntaxError {
  /** The part of the text that is wrong. */
  declare pos: number;
  declare end: number;
  /** Whether more input could make the text valid. */
  declare incomplete: boolean;
  constructor([message, pos, end, incomplete]: [string, number, number, boolean]) {
    super(message);
    this.pos = pos;
    this.end = end;
    this.incomplete = incomplete;
  }
}

/** The first mistake of a script, or of the body of an async function; undefined if there is none. */
export function syntaxError(code: string, isAsync: boolean): ParseError | undefined {
  const mistake = ops.check(code, isAsync);
  return mistake === undefined ? undefined : new ParseError(mistake);
}

/** The line of a mistake, and below it a mark of `length` characters at most. */
export function frame(code: string, { pos }: ParseError, length: number): string {
  const start = code.lastIndexOf("\n", pos - 1) + 1;
  const newline = code.indexOf("\n", pos);
  const end = newline === -1 ? code.length : newline;
  return `${code.slice(start, end)}\n${" ".repeat(pos - start)}${"^".repeat(Math.max(1, Math.min(length, end - pos)))}\n\n`;
}

/**
 * Code with `await` at the top level as a script whose value is a promise of `{ value }`. null if there is no such `await`, or
 * a `return`, which makes it no script. Throws a SyntaxError that shows where it is, with `incomplete` as ParseError has it.
 */
export function processTopLevelAwait(code: string): string | null {
  const [script, mistake] = ops.topLevelAwait(code);
  if (mistake === undefined) return script ?? null;
  const error = new ParseError(mistake);
  const shown: SyntaxError & { incomplete?: boolean } = new SyntaxError(`\n${frame(code, error, 1)}${error.message}`);
  shown.incomplete = error.incomplete;
  throw shown;
}

/** Input of `bao repl` as a script: TypeScript taken out, imports and declarations rewritten. Throws ParseError. */
export function sessionScript(code: string): string {
  const [script, mistake] = ops.sessionScript(code);
  if (script === undefined) throw new ParseError(mistake!);
  return script;
}

/** What Node's REPL proposes instead of import declarations; undefined if the code has mistakes. */
export const dynamicImports: (code: string) => string | undefined = ops.dynamicImports;
