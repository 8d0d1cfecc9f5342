/** node:readline (https://nodejs.org/api/readline.html), the callback API. */
import { AbortError } from "internal/core/errors";
import { validateAbortSignal } from "internal/core/validators";
import { InterfaceConstructor } from "internal/repl/readline/interface";
import { clearLine, clearScreenDown, cursorTo, moveCursor } from "internal/repl/readline/csi";
import { emitKeypressEvents } from "internal/repl/readline/keys";

/** A completer that returns its result becomes one that calls back. */
function callbackCompleter(completer: unknown): unknown {
  if (typeof completer !== "function" || completer.length === 2) return completer;
  return (line: string, callback: Callback) => callback(null, completer(line));
}

/** `new readline.Interface(options)` or (input, output, completer, terminal); callable without `new`. */
function Interface(this: any, input: any, output?: any, completer?: any, terminal?: any): any {
  if (!(this instanceof (Interface as any))) return new (Interface as any)(input, output, completer, terminal);

  if (input?.input && typeof input.completer === "function") {
    input = { ...input, completer: callbackCompleter(input.completer), input: input.input };
  } else {
    completer = callbackCompleter(completer);
  }
  (InterfaceConstructor as { call(...values: unknown[]): unknown }).call(this, input, output, completer, terminal);

  // A dumb terminal can only append.
  if (process.env.TERM === "dumb") this._ttyWrite = dumbWrite.bind(this);
}
Object.setPrototypeOf(Interface.prototype, InterfaceConstructor.prototype);
Object.setPrototypeOf(Interface, InterfaceConstructor);

function dumbWrite(this: any, text: unknown, key: any): void {
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
  query: string,
  options: { signal?: unknown } | null | undefined,
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
  if (typeof callback === "function") this._question(query, callback);
};

Interface.prototype.question[Symbol.for("nodejs.util.promisify.custom")] = function question(
  query: string,
  options: any,
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
Interface.prototype._tabComplete = function (lastKeypressWasTab: boolean): void {
  this.pause();
  this.completer(this.line.slice(0, this.cursor), (error: NodeError | null | undefined, result: unknown) => {
    this.resume();
    if (error) {
      this._writeToOutput(`Tab completion error: ${require("internal/util/inspect").inspect(error)}`);
      return;
    }
    this._tabCompleter(lastKeypressWasTab, result);
  });
};
Interface.prototype._getCursorPos = Interface.prototype.getCursorPos;

function createInterface(input: any, output?: any, completer?: any, terminal?: any): any {
  return new (Interface as any)(input, output, completer, terminal);
}

export default {
  Interface,
  clearLine,
  clearScreenDown,
  createInterface,
  cursorTo,
  emitKeypressEvents,
  moveCursor,
  get promises() {
    return require("node:readline/promises");
  },
};
