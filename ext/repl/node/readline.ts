/** node:readline (https://nodejs.org/api/readline.html), the callback API. */
import { lazyProperty } from "internal/core/lazy";
import type { Completer, Completions, Input, InterfaceOptions, Key, Output } from "internal/repl/types";
import type { Core } from "internal/repl/readline/interface";
import { AbortError } from "internal/core/errors";
import { validateAbortSignal } from "internal/core/validators";
import { InterfaceConstructor } from "internal/repl/readline/interface";
import { clearLine, clearScreenDown, cursorTo, moveCursor } from "internal/repl/readline/csi";
import { emitKeypressEvents } from "internal/repl/readline/keys";

/** A completer that returns its result becomes one that calls back. */
function callbackCompleter(completer: Completer | undefined): Completer | undefined {
  if (typeof completer !== "function" || completer.length === 2) return completer;
  return (line, callback) => callback!(null, completer(line) as Completions);
}

interface QuestionOptions {
  signal?: AbortSignal;
}

/** An interface of the callback API. */
export interface Interface extends Core {
  question(query: string, options: QuestionOptions | null | undefined, callback: (answer: string) => void): void;
}

/** The class of them. */
export type InterfaceClass = new (
  input: Input | InterfaceOptions,
  output?: Output | null,
  completer?: Completer,
  terminal?: boolean,
) => Interface;

/** `new readline.Interface(options)` or (input, output, completer, terminal); callable without `new`. */
function Interface(
  this: Interface,
  input: Input | InterfaceOptions,
  output?: Output | null,
  completer?: Completer,
  terminal?: boolean,
): unknown {
  if (!(this instanceof Interface))
    return new (Interface as unknown as InterfaceClass)(input, output, completer, terminal);

  if ((input as InterfaceOptions)?.input && typeof (input as InterfaceOptions).completer === "function") {
    input = {
      ...input,
      completer: callbackCompleter((input as InterfaceOptions).completer),
      input: (input as InterfaceOptions).input,
    } as InterfaceOptions;
  } else {
    completer = callbackCompleter(completer);
  }
  InterfaceConstructor.call(this, input, output, completer, terminal);

  // A dumb terminal can only append.
  if (process.env.TERM === "dumb") this._ttyWrite = dumbWrite.bind(this);
}
Object.setPrototypeOf(Interface.prototype, InterfaceConstructor.prototype);
Object.setPrototypeOf(Interface, InterfaceConstructor);

function dumbWrite(this: Interface, text: string | undefined, key?: Partial<Key> | null): void {
  key ||= {};
  if (key.name === "escape") return;
  if (this._sawReturnAt && key.name !== "enter") this._sawReturnAt = 0;

  if (key.ctrl) {
    if (key.name === "c") {
      if (this.listenerCount("SIGINT") > 0) this.emit("SIGINT");
      else this.close();
      return;
    }
    if (key.name === "d") {
      this.close();
      return;
    }
  }
  switch (key.name) {
    case "return":
      this._sawReturnAt = Date.now();
      this._line();
      break;
    case "enter":
      if (this._sawReturnAt === 0 || Date.now() - this._sawReturnAt > this.crlfDelay) this._line();
      this._sawReturnAt = 0;
      break;
    default:
      if (typeof text === "string" && text) {
        this.line += text;
        this.cursor += text.length;
        this._writeToOutput(text);
      }
  }
}

/** rl.question(query[, options], callback); an aborted `options.signal` cancels the question. */
Interface.prototype.question = function question(
  this: Interface,
  query: string,
  options: QuestionOptions | null | undefined,
  callback: unknown,
): void {
  callback = typeof options === "function" ? options : callback;
  const signal = options !== null && typeof options === "object" ? options.signal : undefined;
  if (signal) {
    validateAbortSignal(signal, "options.signal");
    if (signal.aborted) return;
    const onAbort = () => {
      this._questionCancel();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const answered = callback;
    callback = (answer: string) => {
      signal.removeEventListener("abort", onAbort);
      if (typeof answered === "function") return answered(answer);
    };
  }
  if (typeof callback === "function") this._question(query, callback as (answer: string) => void);
};

Interface.prototype.question[Symbol.for("nodejs.util.promisify.custom")] = function question(
  this: Interface,
  query: string,
  options: QuestionOptions | null | undefined,
): Promise<string> {
  const signal = options !== null && typeof options === "object" ? options.signal : undefined;
  if (signal?.aborted) return Promise.reject(new AbortError(undefined, { cause: signal.reason }));
  return new Promise((resolve, reject) => {
    let callback: (answer: string) => void = resolve;
    if (signal) {
      const onAbort = () => {
        reject(new AbortError(undefined, { cause: signal.reason }));
      };
      signal.addEventListener("abort", onAbort, { once: true });
      callback = (answer) => {
        signal.removeEventListener("abort", onAbort);
        resolve(answer);
      };
    }
    this.question(query, options, callback);
  });
};

/** Completion with a completer that calls back. */
Interface.prototype._tabComplete = function (this: Interface, lastKeypressWasTab: boolean): void {
  this.pause();
  this.completer!(this.line.slice(0, this.cursor), (error, result) => {
    this.resume();
    if (error) {
      this._writeToOutput(`Tab completion error: ${require("internal/util/inspect").inspect(error)}`);
      return;
    }
    this._tabCompleter(lastKeypressWasTab, result!);
  });
};
Interface.prototype._getCursorPos = Interface.prototype.getCursorPos;

function createInterface(
  input: Input | InterfaceOptions,
  output?: Output | null,
  completer?: Completer,
  terminal?: boolean,
): Interface {
  return new (Interface as unknown as InterfaceClass)(input, output, completer, terminal);
}

const exported = {
  Interface,
  clearLine,
  clearScreenDown,
  createInterface,
  cursorTo,
  emitKeypressEvents,
  moveCursor,
};
lazyProperty(exported, "promises", () => require("node:readline/promises"));

export default exported as typeof exported & { promises: BuiltinModules["node:readline/promises"] };
