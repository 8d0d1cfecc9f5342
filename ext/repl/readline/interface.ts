/**
 * readline's Interface: reads a stream line by line. On a terminal it is an editor with prompt, history
 * and completion (internal/readline/editing.ts), on anything else it cuts the input at line ends.
 * https://nodejs.org/api/readline.html#class-interfaceconstructor
 */
import type { Completer, Completions, Input, InterfaceOptions, Key, Output, Position } from "internal/repl/types";
import EventEmitter from "node:events";
import { codes, AbortError } from "internal/core/errors";
import {
  validateAbortSignal,
  validateArray,
  validateNumber,
  validateString,
  validateUint32,
} from "internal/core/validators";
import { Editing } from "internal/repl/readline/editing";
import type { KeySource } from "internal/repl/readline/keys";
import { ESCAPE_CODE_TIMEOUT, emitKeypressEvents } from "internal/repl/readline/keys";

/** An EventEmitter as a constructor function. */
interface Emitter {
  call(self: object): void;
  prototype: object;
  on(source: object, event: string, options: object): AsyncIterable<string>;
}

const EE = EventEmitter as unknown as Emitter;
// In a REPL scripts see what was declared before, a variable `process` for instance.
const { process } = globalThis;

const DEFAULT_HISTORY_SIZE = 30;
// ms within which \r and \n that arrive separately are one line end.
const MIN_CRLF_DELAY = 100;

/**
 * The constructor as a plain function, so that readline.Interface can be called without `new`. Takes
 * either options or (input, output, completer, terminal).
 */
export function InterfaceConstructor(
  this: Core,
  input: Input | InterfaceOptions,
  output?: Output | null,
  completer?: Completer,
  terminal?: boolean,
): void {
  this._sawReturnAt = 0;
  this.isCompletionEnabled = true;
  this._sawKeyPress = false;
  this._previousKey = null;
  this.escapeCodeTimeout = ESCAPE_CODE_TIMEOUT;
  this.tabSize = 8;
  EE.call(this);

  let history: string[] | undefined;
  let historySize: number | undefined;
  let removeHistoryDuplicates = false;
  let crlfDelay: number | undefined;
  let prompt = "> ";
  let signal: AbortSignal | undefined;

  if ((input as InterfaceOptions)?.input) {
    const options = input as InterfaceOptions;
    ({ output, completer, terminal, history, historySize, signal, crlfDelay, input } = options as InterfaceOptions & {
      input: Input;
    });
    if (options.tabSize !== undefined) {
      validateUint32(options.tabSize, "tabSize", true);
      this.tabSize = options.tabSize;
    }
    removeHistoryDuplicates = options.removeHistoryDuplicates!;
    if (options.prompt !== undefined) prompt = options.prompt;
    if (options.escapeCodeTimeout !== undefined) {
      if (!Number.isFinite(options.escapeCodeTimeout)) {
        throw new codes.ERR_INVALID_ARG_VALUE("input.escapeCodeTimeout", this.escapeCodeTimeout);
      }
      this.escapeCodeTimeout = options.escapeCodeTimeout;
    }
    if (signal) validateAbortSignal(signal, "options.signal");
  }

  if (completer !== undefined && typeof completer !== "function") {
    throw new codes.ERR_INVALID_ARG_VALUE("completer", completer);
  }
  if (history === undefined) history = [];
  else validateArray(history, "history");
  if (historySize === undefined) historySize = DEFAULT_HISTORY_SIZE;
  validateNumber(historySize, "size", 0);

  // Older programs leave `terminal` to us.
  if (terminal === undefined && !(output === null || output === undefined)) terminal = Boolean(output.isTTY);

  this.line = "";
  this._substringSearch = null;
  this.output = output;
  this.input = input as Input;
  this._undoStack = [];
  this._redoStack = [];
  this.history = history;
  this.historySize = historySize;
  this._killRing = [];
  this._killRingCursor = 0;
  this._yanking = false;
  this._pasting = false;
  this.removeHistoryDuplicates = Boolean(removeHistoryDuplicates);
  this.crlfDelay = crlfDelay ? Math.max(MIN_CRLF_DELAY, crlfDelay) : MIN_CRLF_DELAY;
  this.completer = completer;
  this.setPrompt(prompt);
  this.terminal = Boolean(terminal);
  this._lineIterator = undefined;

  const onerror = (error: unknown) => {
    this.emit("error", error);
  };
  (input as Input).on("error", onerror);
  if (this.terminal) connectTerminal(this, onerror);
  else connectStream(this, onerror);

  if (signal) {
    const onAborted = () => this.close();
    if (signal.aborted) {
      process.nextTick(onAborted);
    } else {
      const { addAbortListener } = require("node:events");
      const disposable = addAbortListener(signal, onAborted);
      this.once("close", disposable[Symbol.dispose]);
    }
  }

  (input as Input).resume();
}
Object.setPrototypeOf(InterfaceConstructor.prototype, EE.prototype);
Object.setPrototypeOf(InterfaceConstructor, EE);

function connectStream(self: Core, onerror: (error: unknown) => void): void {
  const { input } = self;
  const { StringDecoder } = require("node:string_decoder");
  self._decoder = new StringDecoder("utf8");

  const ondata = (data: string | Uint8Array) => {
    self._normalWrite(data);
  };
  const onend = () => {
    // What comes after the last line end is a line as well.
    if (typeof self._line_buffer === "string" && self._line_buffer.length > 0) self.emit("line", self._line_buffer);
    self.close();
  };
  input.on("data", ondata);
  input.on("end", onend);
  self.once("close", () => {
    input.removeListener("data", ondata);
    input.removeListener("error", onerror);
    input.removeListener("end", onend);
  });
}

function connectTerminal(self: Core, onerror: (error: unknown) => void): void {
  const { input, output } = self;

  const onkeypress = (text: string | undefined, key?: Key) => {
    self._ttyWrite(text, key);
    if (key?.sequence) {
      // Half of a surrogate pair was written; with the other half the character can be drawn.
      const first = key.sequence.codePointAt(0)!;
      if (first >= 0xd800 && first <= 0xdfff) self._refreshLine();
    }
  };
  const onend = () => {
    if (typeof self.line === "string" && self.line.length > 0) self.emit("line", self.line);
    self.close();
  };
  const onresize = () => {
    self._refreshLine();
  };

  emitKeypressEvents(input as Input & KeySource, self);
  input.on("keypress", onkeypress);
  input.on("end", onend);
  self._setRawMode(true);
  self.cursor = 0;
  self.historyIndex = -1;
  if (output !== null && output !== undefined) output.on("resize", onresize);
  self.once("close", () => {
    input.removeListener("keypress", onkeypress);
    input.removeListener("error", onerror);
    input.removeListener("end", onend);
    if (output !== null && output !== undefined) output.removeListener("resize", onresize);
  });
}

interface Core extends Editing {}
class Core {
  /** Columns of the terminal; Infinity where that is unknown. */
  get columns(): number {
    return this.output?.columns ? this.output.columns : Infinity;
  }

  setPrompt(prompt: string): void {
    this._prompt = prompt;
  }

  getPrompt(): string {
    return this._prompt;
  }

  _setRawMode(mode: boolean | undefined): boolean | undefined {
    const before = this.input.isRaw;
    if (typeof this.input.setRawMode === "function") this.input.setRawMode(mode!);
    return before;
  }

  /** Writes the prompt (again); the cursor goes to the start of the line unless `preserveCursor`. */
  prompt(preserveCursor?: boolean): void {
    if (this.paused) this.resume();
    if (this.terminal && process.env.TERM !== "dumb") {
      if (!preserveCursor) this.cursor = 0;
      this._refreshLine();
    } else {
      this._writeToOutput(this._prompt);
    }
  }

  /** Asks `query`; the next line goes to `callback` instead of `line` listeners. */
  _question(query: string, callback: (answer: string) => void): void {
    if (this.closed) throw new codes.ERR_USE_AFTER_CLOSE("readline");
    if (this._questionCallback) {
      // One question at a time.
      this.prompt();
    } else {
      this._oldPrompt = this._prompt;
      this.setPrompt(query);
      this._questionCallback = callback;
      this.prompt();
    }
  }

  _questionCancel(): void {
    if (this._questionCallback) {
      this._questionCallback = null;
      this.setPrompt(this._oldPrompt);
      this.clearLine();
    }
  }

  _onLine(line: string): void {
    if (this._questionCallback) {
      const callback = this._questionCallback;
      this._questionCallback = null;
      this.setPrompt(this._oldPrompt);
      callback(line);
    } else {
      this.emit("line", line);
    }
  }

  _writeToOutput(text: string): void {
    validateString(text, "stringToWrite");
    if (this.output !== null && this.output !== undefined) this.output.write(text);
  }

  close(): void {
    if (this.closed) return;
    this.pause();
    if (this.terminal) this._setRawMode(false);
    this.closed = true;
    this.emit("close");
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Ctrl+C and Ctrl+D: a pending promise of question() must not wait for ever. */
  _abortAndClose(reason: string): void {
    const reject = this._questionReject;
    this._questionReject = null;
    reject?.(new AbortError(reason));
    this.close();
  }

  pause(): this | undefined {
    if (this.closed) throw new codes.ERR_USE_AFTER_CLOSE("readline");
    if (this.paused) return undefined;
    this.input.pause();
    this.paused = true;
    this.emit("pause");
    return this;
  }

  resume(): this | undefined {
    if (this.closed) throw new codes.ERR_USE_AFTER_CLOSE("readline");
    if (!this.paused) return undefined;
    this.input.resume();
    this.paused = false;
    this.emit("resume");
    return this;
  }

  /** Acts as if `data` (or `key`) had come from the input. */
  write(data: string | Uint8Array | undefined, key?: Partial<Key>): void {
    if (this.closed) throw new codes.ERR_USE_AFTER_CLOSE("readline");
    if (this.paused) this.resume();
    if (this.terminal) this._ttyWrite(data as string | undefined, key);
    else this._normalWrite(data);
  }

  /** Input that is not from a terminal: emits the lines it completes. */
  _normalWrite(data: string | Uint8Array | undefined): void {
    if (data === undefined) return;
    let text: string = this._decoder.write(data);

    if (this._sawReturnAt && Date.now() - this._sawReturnAt <= this.crlfDelay) {
      // The last chunk ended in \r; its \n belongs to that line.
      if (text.charCodeAt(0) === 10) text = text.slice(1);
      this._sawReturnAt = 0;
    }
    if (text === "") return;

    // Looking for the rarer line ends once per chunk keeps the usual case at one search per line.
    if (!text.includes("\r") && !text.includes("\u2028") && !text.includes("\u2029")) {
      this._emitLines(text);
    } else {
      this._emitMixedLines(text);
    }
  }

  _emitLines(text: string): void {
    let end = text.indexOf("\n");
    if (end === -1) {
      this._line_buffer = this._line_buffer ? this._line_buffer + text : text;
      return;
    }
    let start = 0;
    let line = text.slice(0, end);
    if (this._line_buffer) line = this._line_buffer + line;
    // Listeners may call write(): what is left of this chunk must already be in its place.
    const last = text.lastIndexOf("\n");
    this._line_buffer = text.slice(last + 1);
    this._onLine(line);
    while (end < last) {
      start = end + 1;
      end = text.indexOf("\n", start);
      this._onLine(text.slice(start, end));
    }
  }

  _emitMixedLines(text: string): void {
    // Not lineEnding of editing.ts: listeners may run another search with it.
    const lines = text.split(/\r\n|\n|\r(?!\n)|\u2028|\u2029/);
    if (lines.length > 1 && this._line_buffer) {
      lines[0] = this._line_buffer + lines[0];
      this._line_buffer = undefined;
    }
    if (lines.length > 1) this._sawReturnAt = text.endsWith("\r") ? Date.now() : 0;
    const rest = lines.pop()!;
    this._line_buffer = this._line_buffer ? this._line_buffer + rest : rest;
    for (let i = 0; i < lines.length; i++) this._onLine(lines[i]);
  }

  /** Leaves the line being edited on the screen and starts a new, empty one. */
  clearLine(): void {
    this._moveCursor(Infinity);
    this._writeToOutput("\r\n");
    this.line = "";
    this.cursor = 0;
    this.prevRows = 0;
    this._pasting = false;
  }

  /** Column and row of the cursor relative to the start of the prompt. */
  getCursorPos(): Position {
    return this._getDisplayPos(this._prompt + this.line.slice(0, this.cursor));
  }

  /** Completion with a completer that returns (a promise of) the result. */
  async _tabComplete(lastKeypressWasTab: boolean): Promise<void> {
    this.pause();
    const text = this.line.slice(0, this.cursor);
    let result: Completions;
    try {
      result = (await this.completer!(text)) as Completions;
    } catch (error) {
      this._writeToOutput(`Tab completion error: ${require("internal/util/inspect").inspect(error)}`);
      return;
    } finally {
      this.resume();
    }
    this._tabCompleter(lastKeypressWasTab, result);
  }

  /** The lines, with the input paused while too many wait. */
  [Symbol.asyncIterator](): AsyncIterable<string> {
    if (this._lineIterator === undefined) {
      const { kFirstEventParam } = require("internal/events/async");
      // The iterator resumes what it paused, also when the interface has been closed since: not an error then.
      const source = {
        on: (event: string, listener: () => unknown) => this.on(event, listener),
        removeListener: (event: string, listener: () => unknown) => this.removeListener(event, listener),
        pause: () => {
          if (!this.closed) this.pause();
        },
        resume: () => {
          if (!this.closed) this.resume();
        },
      };
      this._lineIterator = EE.on(source, "line", {
        close: ["close"],
        highWaterMark: 1024,
        [kFirstEventParam]: true,
      });
    }
    return this._lineIterator;
  }
}

export type { Core };

function install(target: unknown, source: Editing | Core): void {
  const descriptors = Object.getOwnPropertyDescriptors(source) as { constructor?: PropertyDescriptor };
  delete descriptors.constructor;
  Object.defineProperties(target, descriptors as PropertyDescriptorMap);
}
install(InterfaceConstructor.prototype, Editing.prototype);
install(InterfaceConstructor.prototype, Core.prototype);
