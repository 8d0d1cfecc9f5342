/** node:readline/promises (https://nodejs.org/api/readline.html#promises-api). */
import type { Completer, Input, InterfaceOptions, Output } from "internal/repl/types";
import type { Core } from "internal/repl/readline/interface";
import { codes, AbortError } from "internal/core/errors";
import { validateAbortSignal, validateBoolean, validateInteger } from "internal/core/validators";
import { InterfaceConstructor } from "internal/repl/readline/interface";
import { clearLineSequence, cursorToSequence, kClearScreenDown, moveCursorSequence } from "internal/repl/readline/csi";

type InterfaceClass = new (
  input: Input | InterfaceOptions,
  output?: Output | null,
  completer?: Completer,
  terminal?: boolean,
) => Core;

/** `new Interface(options)` or (input, output, completer, terminal). The completer may return a promise. */
class Interface extends (InterfaceConstructor as unknown as InterfaceClass) {
  constructor(input: Input | InterfaceOptions, output?: Output | null, completer?: Completer, terminal?: boolean) {
    super(input, output, completer, terminal);
  }

  /** Asks `query` and gives the answer; `options.signal` cancels. Rejects with AbortError on Ctrl+C and Ctrl+D. */
  question(query: string, options: { signal?: AbortSignal } | null = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const signal = options?.signal;
      let callback = (answer: string) => {
        this._questionReject = null;
        resolve(answer);
      };
      if (signal) {
        validateAbortSignal(signal, "options.signal");
        if (signal.aborted) {
          reject(new AbortError(undefined, { cause: signal.reason }));
          return;
        }
        const onAbort = () => {
          this._questionCancel();
          reject(new AbortError(undefined, { cause: signal.reason }));
        };
        signal.addEventListener("abort", onAbort, { once: true });
        const answered = callback;
        callback = (answer) => {
          signal.removeEventListener("abort", onAbort);
          answered(answer);
        };
      }
      this._question(query, callback);
      this._questionReject = reject;
    });
  }
}

/** Collects terminal actions and writes them at once with commit(), or each by itself with `autoCommit`. */
class Readline {
  #autoCommit = false;
  #stream: Output;
  #todo: string[] = [];

  constructor(stream: Output, options: { autoCommit?: boolean } | undefined = undefined) {
    const { isWritable } = require("internal/streams/utils");
    if (!isWritable(stream)) throw new codes.ERR_INVALID_ARG_TYPE("stream", "Writable", stream);
    this.#stream = stream;
    if (options?.autoCommit != null) {
      validateBoolean(options.autoCommit, "options.autoCommit");
      this.#autoCommit = options.autoCommit;
    }
  }

  #add(data: string): this {
    if (this.#autoCommit) process.nextTick(() => this.#stream.write(data));
    else this.#todo.push(data);
    return this;
  }

  /** To column `x` (and row `y`), from 0. */
  cursorTo(x: number, y: number | undefined = undefined): this {
    validateInteger(x, "x");
    if (y != null) validateInteger(y, "y");
    return this.#add(cursorToSequence(x, y ?? undefined));
  }

  moveCursor(dx: number, dy: number): this {
    if (dx || dy) {
      validateInteger(dx, "dx");
      validateInteger(dy, "dy");
      this.#add(moveCursorSequence(dx, dy));
    }
    return this;
  }

  /** -1 left of the cursor, 1 right of it, 0 all. */
  clearLine(dir: -1 | 0 | 1): this {
    validateInteger(dir, "dir", -1, 1);
    return this.#add(clearLineSequence(dir));
  }

  clearScreenDown(): this {
    return this.#add(kClearScreenDown);
  }

  commit(): Promise<void> {
    return new Promise((resolve) => {
      this.#stream.write(this.#todo.join(""), resolve);
      this.#todo = [];
    });
  }

  rollback(): this {
    this.#todo = [];
    return this;
  }
}

function createInterface(
  input: Input | InterfaceOptions,
  output?: Output | null,
  completer?: Completer,
  terminal?: boolean,
): Interface {
  return new Interface(input, output, completer, terminal);
}

export default { Interface, Readline, createInterface };
