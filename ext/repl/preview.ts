/**
 * Previews of a REPL on a terminal: behind the cursor what completes the line, below it what the line would give, if it can be
 * evaluated without an effect (the inspector's `throwOnSideEffect`).
 */
import type { REPLServer } from "internal/repl/server";
import type { Completions, Key, Position } from "internal/repl/types";
import { clearLine, clearScreenDown, cursorTo, moveCursor } from "internal/repl/readline/csi";
import { commonPrefix } from "internal/repl/readline/text";
import { inspect } from "internal/util/inspect";
import { REPL_MODE_STRICT, isObjectLiteral } from "internal/repl/utils";

/** Milliseconds that an evaluation for a preview may take, as in Node. */
const LONGEST_EVALUATION = 333;
/** Columns that a preview takes at most. */
const MOST_COLUMNS = 250;

type Answer = Record<string, unknown>;
/** A session of node:inspector, whose callbacks are called before `post` returns. */
interface Session {
  connect(): void;
  post(method: string, params: object, callback: (error: Error | null, answer?: Answer) => void): void;
}

/** What the protocol says of a value. */
interface RemoteObject {
  type: string;
  className?: string;
  value?: unknown;
  unserializableValue?: string;
  objectId?: string;
}

const GREY = ["\x1b[90m", "\x1b[39m"] as const;

/** The first line of a text, cut where it is wider than so many columns. */
function cut(text: string, columns: number): string {
  const { getStringWidth } = require("internal/util/string_width");
  const end = /[\r\n\v]/.exec(text);
  if (end !== null) text = text.slice(0, end.index);
  if (getStringWidth(text) <= columns) return text;
  let width = 0;
  let shown = "";
  for (const char of text) {
    width += getStringWidth(char);
    if (width > columns - 3) break;
    shown += char;
  }
  return `${shown}...`;
}

/** Evaluates text in a REPL's context without effects. */
class Evaluator {
  readonly #repl: REPLServer;
  #session: Session | undefined;
  /** The program has no permission for the inspector (`--permission`). */
  #isDenied = false;
  /** The protocol's name of util.inspect. */
  #inspect: string | undefined;
  /** The protocol's number of a context. */
  #known: { context: object; id: number } | undefined;

  constructor(repl: REPLServer) {
    this.#repl = repl;
  }

  #contextId(): number | undefined {
    const { context, useGlobal } = this.#repl;
    if (useGlobal) return undefined;
    if (this.#known?.context !== context) {
      const global = require("node:vm").runInContext("globalThis", context);
      const name: keyof typeof import("internal/inspector/backend/main") = "contextNumber";
      this.#known = { context, id: native("inspector").backend(name, global) as number };
    }
    return this.#known.id;
  }

  #post(method: string, params: object): Answer | undefined {
    let answer: Answer | undefined;
    if (this.#session === undefined) {
      const session = new (require("node:inspector").Session as new () => Session)();
      try {
        session.connect();
      } catch {
        this.#isDenied = true;
        return undefined;
      }
      this.#session = session;
    }
    this.#session.post(method, params, (error, result) => {
      if (error === null) answer = result;
    });
    return answer;
  }

  /** What is shown of a text's value; undefined if it has none, or would have an effect. `isPart`: the text can be gone on with. */
  show(expression: string, isPart: boolean): string | undefined {
    if (this.#isDenied) return undefined;
    const repl = this.#repl;
    const answer = this.#post("Runtime.evaluate", {
      expression,
      throwOnSideEffect: true,
      timeout: LONGEST_EVALUATION,
      contextId: this.#contextId(),
      objectGroup: "preview",
    });
    if (answer === undefined) return undefined;
    const result = answer.result as RemoteObject;
    try {
      if (result.value !== undefined) return inspect(result.value, { depth: 1, compact: true, breakLength: Infinity });
      if (answer.exceptionDetails !== undefined) {
        // An effect, or what may be mended by more text.
        if (result.className === "EvalError" || result.className === "SyntaxError") return undefined;
        if (result.className === "ReferenceError" && (isPart || !isStrict(repl))) return undefined;
      }
      if (result.objectId === undefined) return result.unserializableValue ?? result.type;
      return this.#inspected(result.objectId);
    } finally {
      this.#post("Runtime.releaseObjectGroup", { objectGroup: "preview" });
    }
  }

  #inspected(objectId: string): string | undefined {
    const { options } = this.#repl.writer as { options?: object };
    const shown = inspect(
      { ...options, colors: false, depth: 1, compact: true, breakLength: Infinity },
      { breakLength: Infinity },
    );
    if (this.#inspect === undefined) {
      const found = this.#post("Runtime.evaluate", { expression: "process.getBuiltinModule('util').inspect" });
      this.#inspect = (found?.result as RemoteObject | undefined)?.objectId;
    }
    const answer = this.#post("Runtime.callFunctionOn", {
      functionDeclaration: `(value, inspect) => inspect(value, ${shown})`,
      objectId,
      arguments: [{ objectId }, { objectId: this.#inspect }],
    });
    const { value } = (answer?.result ?? {}) as Partial<RemoteObject>;
    return typeof value === "string" ? value : undefined;
  }
}

function isStrict(repl: REPLServer): boolean {
  return repl.replMode === REPL_MODE_STRICT || process.execArgv.some((word) => /^--use[-_]strict$/i.test(word));
}

/** What keys do with previews. */
interface Previews {
  /** Before a key: takes previews away; a key that ends the line first takes over what would complete it. */
  clear(key: Partial<Key>): void;
  /** After a key. */
  show(completes: boolean): void;
}

export function setupPreviews(repl: REPLServer): Previews {
  if (process.env.TERM === "dumb") return { clear() {}, show() {} };
  const evaluator = new Evaluator(repl);
  /** What is shown below the line, and behind it. */
  let below: string | undefined;
  let behind: string | undefined;
  let hasCompletions = false;
  let asked = 0;
  /** The line whose completion Escape has refused. */
  let refused: string | undefined;

  const { output } = repl;
  const positions = (): { line: Position; cursor: Position } => {
    const line = repl._getDisplayPos(repl.getPrompt() + repl.line);
    return { line, cursor: repl.line.length === repl.cursor ? line : repl.getCursorPos() };
  };
  const isAtEnd = () => {
    const { line, cursor } = positions();
    return line.rows === cursor.rows && line.cols === cursor.cols;
  };

  function clearBehind(suffix: string, key: Partial<Key>): void {
    const moves = repl.line.length !== repl.cursor;
    const { line, cursor } = positions();
    const rows = line.rows - cursor.rows;
    if (moves) {
      cursorTo(output, line.cols);
      moveCursor(output, 0, rows);
    }
    const end = repl._getDisplayPos(repl.getPrompt() + repl.line + suffix);
    if (end.rows === 0 || (moves && line.rows === end.rows)) clearLine(output, 1);
    else clearScreenDown(output);
    if (moves) {
      cursorTo(output, cursor.cols);
      moveCursor(output, 0, -rows);
    }
    if (key.ctrl || key.shift) return;
    if (key.name === "escape") {
      if (refused === undefined && key.meta) refused = repl.line;
    } else if ((key.name === "return" || key.name === "enter") && !key.meta && refused !== repl.line && isAtEnd()) {
      repl._insertString(suffix);
    }
  }

  function clear(key: Partial<Key>): void {
    if (below !== undefined) {
      const { line, cursor } = positions();
      const rows = line.rows - cursor.rows + 1;
      moveCursor(output, 0, rows);
      clearLine(output, 0);
      moveCursor(output, 0, -rows);
      below = undefined;
    }
    if (behind !== undefined) {
      const suffix = behind;
      clearBehind(suffix, key);
      behind = undefined;
    }
    if (refused !== repl.line) refused = undefined;
  }

  /** Shows what completes a line, or puts it in. */
  function complete(text: string, inserts: boolean): void {
    const number = ++asked;
    repl.completer?.(text, (error?: NodeError | null, found?: Completions) => {
      if (number !== asked || error || !found?.[0]?.length) return;
      hasCompletions = true;
      const names = found[0];
      const replaced = found[1];
      const suffix = commonPrefix(names.filter(Boolean)).slice(replaced.length);
      if (suffix === "") return;
      if (inserts) repl._insertString(suffix);
      else showBehind(suffix);
    });
  }

  function showBehind(suffix: string): void {
    behind = suffix;
    const { line, cursor } = positions();
    if (repl.line.length !== repl.cursor) {
      cursorTo(output, line.cols);
      moveCursor(output, 0, line.rows - cursor.rows);
    }
    output!.write(repl.useColors ? `${GREY[0]}${suffix}${GREY[1]}` : ` // ${suffix}`);
    cursorTo(output, cursor.cols);
    const end = repl._getDisplayPos(repl.getPrompt() + repl.line + suffix);
    moveCursor(output, 0, -(end.rows - cursor.rows - (end.cols === 0 ? 1 : 0)));
  }

  function showBelow(text: string): void {
    // `undefined` is no news in grey only.
    if (text === "undefined" && (!repl.useColors || repl.ignoreUndefined)) return;
    below = text;
    const shown = cut(text, Math.min(repl.columns, MOST_COLUMNS) - (repl.useColors ? 0 : 3));
    const { line, cursor } = positions();
    const rows = line.rows - cursor.rows;
    moveCursor(output, 0, rows);
    output!.write(`\n${repl.useColors ? `${GREY[0]}${shown}${GREY[1]}` : `// ${shown}`}`);
    cursorTo(output, cursor.cols);
    moveCursor(output, 0, -rows - 1);
  }

  function show(completes: boolean): void {
    // After the line was drawn anew, and in lines that go on.
    if (below !== undefined || repl._buffered !== "" || !repl.isCompletionEnabled) return;
    const text = repl.line.trim();
    if (text === "" || repl.line.includes("\n")) return;
    hasCompletions = false;
    if (completes) complete(repl.line, false);
    const whole = behind !== undefined && isAtEnd() && refused !== repl.line ? text + behind : text;
    // A brace begins an object, if that makes sense.
    let shown = isObjectLiteral(whole) ? evaluator.show(`(${whole})`, hasCompletions) : undefined;
    shown ??= evaluator.show(whole, hasCompletions);
    if (shown !== undefined && shown !== text) showBelow(shown);
  }

  const draw = repl._refreshLine.bind(repl);
  repl._refreshLine = () => {
    below = undefined;
    draw();
    show(true);
  };
  let inserts = true;
  // To the right, where there is nothing more: what completes the line.
  const move = repl._moveCursor.bind(repl);
  repl._moveCursor = (units) => {
    const { cursor } = repl;
    move(units);
    if (cursor + units > repl.line.length && inserts && typeof repl.completer === "function") complete(repl.line, true);
  };
  const endLine = repl.clearLine.bind(repl);
  repl.clearLine = () => {
    inserts = false;
    endLine();
    inserts = true;
  };
  return { clear, show };
}
