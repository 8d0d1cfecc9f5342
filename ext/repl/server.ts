/** class REPLServer of node:repl, https://nodejs.org/api/repl.html#class-replserver */
import type { Completer, Completions, Input, InterfaceOptions, Key, Output } from "internal/repl/types";
import type { CommonModule, ModuleConstructor } from "internal/module/types";
import type { HistoryOptions } from "internal/repl/history";
import type { InterfaceClass } from "node:readline";
import type { InspectOptions } from "internal/util/inspect_types";
import { codes } from "internal/core/errors";
import { validateFunction, validateObject } from "internal/core/validators";
import { inspect } from "internal/util/inspect";
import { defineCommands } from "internal/repl/commands";
import { complete } from "internal/repl/completion";
import { createHistoryManager, setupHistory } from "internal/repl/history";
import {
  evaluateCode,
  option,
  type Domain,
  type EvalCallback,
  type Thrown,
  type WithDomain,
} from "internal/repl/evaluate";
import { dynamicImports } from "internal/repl/syntax";
import {
  REPL_MODE_SLOPPY,
  REPL_MODE_STRICT,
  Recoverable,
  builtinLibs,
  kSession,
  kStandalone,
  languageGlobals,
  multilinePrompt,
  nextResourceName,
} from "internal/repl/utils";

const { Interface } = require("node:readline");
const domain = require("node:domain");
const vm = require("node:vm");
// What is typed may declare variables of these names, which all scripts see.
const { process, WeakSet, Set } = globalThis;

/** What results are printed with, unless the options name something else. */
export const writer = (value: unknown): string => inspect(value, writer.options);
writer.options = { ...(inspect as unknown as { defaultOptions: InspectOptions }).defaultOptions, showProxy: true };

/** Where to put the running REPL: the exports of node:repl. */
export const shared: { repl: unknown } = { repl: undefined };

// Listeners for uncaught errors, added by code in a REPL, would take them away from it.
const domains = new WeakSet<object>();
let servers = 0;
function refuseListener(event: string | symbol): void {
  const active = (process as WithDomain).domain;
  if (event === "uncaughtException" && active && domains.has(active)) {
    throw new codes.ERR_INVALID_REPL_INPUT("Listeners for `uncaughtException` cannot be used in the REPL");
  }
}

function defineStreamAlias(self: REPLServer, name: string, target: "input" | "output"): void {
  const { deprecate } = require("internal/core/util");
  const message = "repl.inputStream and repl.outputStream are deprecated. Use repl.input and repl.output instead";
  const pending = option("--pending-deprecation");
  const get = () => self[target];
  const set = (value: Input & Output) => {
    self[target] = value;
  };
  Object.defineProperty(self, name, {
    get: pending ? deprecate(get, message, "DEP0141") : get,
    set: pending ? deprecate(set, message, "DEP0141") : set,
    enumerable: false,
    configurable: true,
  });
}

/** Cuts the REPL's own callers off a stack: the code's top level and what is below. */
function trimStack(error: NodeError): void {
  const { stack } = error;
  if (typeof stack !== "string") return;
  const lines = stack.split("\n");
  let at = lines.length - 1;
  while (at >= 0 && !/^\s+at (?:async )?(?:\()?REPL\d+:\d+:\d+\)?$/.test(lines[at])) at--;
  if (at < 0) return;
  // An error of a built-in function has no other frame: the library's own are hidden.
  if (at > 0 && !/^\s+at /.test(lines[at - 1]) && typeof error.code === "string") at++;
  error.stack = lines.slice(0, at).join("\n");
}

/** The option `eval`. */
type Evaluate = (code: string, context: object, file: string, callback: EvalCallback) => void;

/** A command such as `.help`. */
interface Command {
  help?: string;
  action(this: REPLServer, argument: string): void;
}

/** Is called when the history is there. */
export type ReplReady = (error: Error | null, repl?: REPLServer) => void;

/** Input and output in one, or an object that has them, as `process` does. */
type Streams = Input & Output & { stdin?: Input; stdout?: Output };

/** https://nodejs.org/api/repl.html#replstartoptions */
export interface ReplOptions {
  prompt?: string;
  input?: Input;
  output?: Output;
  stream?: Streams;
  socket?: Streams;
  terminal?: boolean | undefined;
  eval?: Evaluate;
  useColors?: boolean;
  useGlobal?: boolean;
  ignoreUndefined?: boolean;
  writer?: (value: unknown) => string;
  completer?: Completer;
  replMode?: symbol | undefined;
  breakEvalOnSigint?: boolean;
  historySize?: number;
  allowBlockingCompletions?: boolean;
  domain?: Domain;
  /** Whether previews are shown on a terminal; by default unless there is an `eval`. */
  preview?: boolean;
  [kSession]?: boolean;
  [kStandalone]?: boolean;
}

/** What came while a promise was awaited: a line, a key (and whether it may ask for completion), the end. */
type Held = string | [text: string | undefined, key: Partial<Key>, isCompletionEnabled: boolean] | null;

export class REPLServer extends (Interface as unknown as InterfaceClass) {
  declare context: Record<string, unknown>;
  declare eval: Evaluate;
  /** What was typed; `level` is for programs that look at it. */
  declare lines: string[] & { level?: unknown[] };
  declare commands: Record<string, Command>;
  declare writer: (value: unknown) => string;
  declare editorMode: boolean;
  declare terminal: boolean;
  declare useGlobal: boolean;
  declare ignoreUndefined: boolean;
  declare useColors: boolean;
  declare replMode: symbol;
  declare breakEvalOnSigint: boolean;
  declare underscoreAssigned: boolean;
  declare underscoreErrAssigned: boolean;
  declare last: unknown;
  declare lastError: unknown;
  declare allowBlockingCompletions: boolean;
  declare historyManager: ReturnType<typeof createHistoryManager>;
  declare _closingOnFlush?: boolean;
  declare _historyHandleClosed?: boolean;
  declare _domain: Domain;
  declare _initialPrompt: string;
  declare _buffered: string;
  declare _loading: boolean;
  declare _session: boolean;
  declare _standalone: boolean;
  declare _held: Held[] | null;
  declare _sigintTasks: Set<() => void>;
  declare _sawSigint: boolean;
  declare _sawCtrlD: boolean;

  constructor(
    prompt?: string | ReplOptions | null,
    stream?: Streams,
    evaluate?: Evaluate,
    useGlobal?: boolean,
    ignoreUndefined?: boolean,
    replMode?: symbol,
  ) {
    let options: ReplOptions = {};
    if (prompt !== null && typeof prompt === "object") {
      options = { ...prompt };
      stream = options.stream || options.socket;
      evaluate = options.eval;
      ({ useGlobal, ignoreUndefined, prompt, replMode } = options);
    }
    if (!options.input && !options.output) {
      stream ||= process as unknown as Streams;
      options.input = stream.stdin || stream;
      options.output = stream.stdout || stream;
    }
    if (options.terminal === undefined) options.terminal = options.output!.isTTY;
    options.terminal = !!options.terminal;
    if (options.terminal && options.useColors === undefined) {
      options.useColors = shouldColorize(options.output);
    }
    let self: REPLServer;
    const completer: Completer = (text, callback) => {
      complete.call(self, text, self.editorMode ? self.completeOnEditorMode(callback!) : callback!);
    };
    super({
      input: options.input,
      output: options.output,
      completer: options.completer || completer,
      terminal: options.terminal,
      historySize: options.historySize,
      prompt,
    } as InterfaceOptions);
    self = this;
    this._initialPrompt = this._prompt;

    defineStreamAlias(this, "inputStream", "input");
    defineStreamAlias(this, "outputStream", "output");
    this.allowBlockingCompletions = !!options.allowBlockingCompletions;
    this.useColors = !!options.useColors;
    this._domain = options.domain || (domain.create() as unknown as Domain);
    this.useGlobal = !!useGlobal;
    this.ignoreUndefined = !!ignoreUndefined;
    this.replMode = replMode || REPL_MODE_SLOPPY;
    this.underscoreAssigned = false;
    this.last = undefined;
    this.underscoreErrAssigned = false;
    this.lastError = undefined;
    this.breakEvalOnSigint = !!options.breakEvalOnSigint;
    this.editorMode = false;
    this._lastCommandErrored = false;
    for (const name of [
      "_loading",
      "_session",
      "_standalone",
      "_held",
      "_sigintTasks",
      "_sawSigint",
      "_sawCtrlD",
      "_buffered",
    ]) {
      Object.defineProperty(this, name, { value: undefined, writable: true, configurable: true, enumerable: false });
    }
    this._loading = false;
    this._session = options[kSession] === true;
    this._standalone = options[kStandalone] === true;
    this._held = null;
    this._sigintTasks = new Set();
    this._sawSigint = false;
    this._sawCtrlD = false;
    this._buffered = "";

    if (this.breakEvalOnSigint && evaluate) throw new codes.ERR_INVALID_REPL_EVAL_CONFIG();

    if (this._standalone) {
      shared.repl = this;
      // Errors that have lost their domain, those of promises for instance, are of what was typed as well.
      const { addUncaughtExceptionCaptureCallback } = require("internal/process/execution");
      addUncaughtExceptionCaptureCallback((error: unknown) => {
        const active = (process as WithDomain).domain;
        if (this.closed || (active && active !== this._domain)) return false;
        this._domain.emit("error", error);
        return true;
      });
    } else {
      if (servers++ === 0) process.prependListener("newListener", refuseListener);
      this.once("exit", () => {
        if (--servers === 0) process.removeListener("newListener", refuseListener);
      });
    }
    domains.add(this._domain);
    this.eval = this._domain.bind(
      evaluate || ((code, context, file, back) => evaluateCode(this, code, context, file, back, () => release(this))),
    );
    this._domain.on("error", (error) => onError(this, error));

    this.resetContext();
    this.commands = { __proto__: null as never };
    defineCommands(this);

    this.writer = options.writer || writer;
    if (this.writer === writer) {
      writer.options.colors = this.useColors;
      if (this._standalone) {
        Object.defineProperty(inspect, "replDefaults", {
          get: () => writer.options,
          set(value) {
            validateObject(value, "options");
            Object.assign(writer.options, value);
          },
          enumerable: true,
          configurable: true,
        });
      }
    }

    Object.defineProperty(this, "historyManager", {
      value: createHistoryManager(this),
      writable: true,
      configurable: true,
    });

    this.on("close", () => {
      if (this._held !== null) this._held.push(null);
      else this.emit("exit");
    });
    this.on("SIGINT", () => onInterrupt(this));
    this.on("line", (line: string) => onLine(this, line));
    this.on("SIGCONT", () => {
      if (this.editorMode) {
        this.output!.write(`${this._initialPrompt}.editor\n`);
        this.output!.write("// Entering editor mode (Ctrl+D to finish, Ctrl+C to cancel)\n");
        this.output!.write(`${this._buffered}\n`);
        this.prompt(true);
      } else {
        this.displayPrompt(true);
      }
    });

    if (this.terminal) setupKeys(this, options.preview ?? !evaluate);
    this.displayPrompt();
  }

  /** Keeps the history in a file: `(path, callback)` or `({ filePath, size, onHistoryFileLoaded, ... }[, callback])`. */
  setupHistory(config: string | HistoryOptions = {}, callback?: ReplReady): void {
    setupHistory(this, config, callback);
  }

  clearBufferedCommand(): void {
    this._buffered = "";
  }

  close(): void {
    const { historyManager } = this;
    if (this.terminal && historyManager?.isFlushing && !this._closingOnFlush) {
      this._closingOnFlush = true;
      this.once("flushHistory", () => this.close());
      return;
    }
    if (this.terminal && historyManager?.hasHandle && !this._historyHandleClosed) {
      this._historyHandleClosed = true;
      historyManager.closeHandle().then(() => super.close());
      return;
    }
    process.nextTick(() => super.close());
  }

  createContext(): Record<string, unknown> {
    let context: Record<string, unknown>;
    if (this.useGlobal) {
      context = globalThis as unknown as Record<string, unknown>;
    } else {
      context = vm.createContext() as Record<string, unknown>;
      const own = languageGlobals();
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        if (!own.has(name)) Object.defineProperty(context, name, Object.getOwnPropertyDescriptor(globalThis, name)!);
      }
      context.global = context;
      const { Console } = require("node:console");
      define(context, "console", new Console!(this.output));
    }
    const { Module, makeRequire } = require("internal/module/cjs");
    const module = new (Module as unknown as ModuleConstructor)("<repl>");
    // The REPL is, by the looks of it, a module of the current folder.
    const { _nodeModulePaths, _resolveLookupPaths } = require("node:module");
    const parent: Pick<CommonModule, "paths"> = { paths: _nodeModulePaths(require("node:path").resolve("repl")) };
    module.paths = _resolveLookupPaths("<repl>", parent as CommonModule) ?? [];
    define(context, "module", module);
    define(context, "require", makeRequire(module));
    addLibs(context);
    return context;
  }

  resetContext(): void {
    this.context = this.createContext();
    this.underscoreAssigned = false;
    this.underscoreErrAssigned = false;
    this.lines = [];
    this.lines.level = [];
    Object.defineProperty(this.context, "_", {
      configurable: true,
      get: () => this.last,
      set: (value) => {
        this.last = value;
        if (!this.underscoreAssigned) {
          this.underscoreAssigned = true;
          this.output!.write("Expression assignment to _ now disabled.\n");
        }
      },
    });
    Object.defineProperty(this.context, "_error", {
      configurable: true,
      get: () => this.lastError,
      set: (value) => {
        this.lastError = value;
        if (!this.underscoreErrAssigned) {
          this.underscoreErrAssigned = true;
          this.output!.write("Expression assignment to _error now disabled.\n");
        }
      },
    });
    this.emit("reset", this.context);
  }

  displayPrompt(preserveCursor?: boolean): void {
    // Lines that came by a pipe are still being worked on after its end.
    if (this.closed && this._session) return;
    const prompt = this._initialPrompt;
    // No prompt at all where nobody is to read it.
    super.setPrompt(this._buffered.length > 0 && !(this._session && prompt === "") ? multilinePrompt : prompt);
    this.prompt(preserveCursor);
  }

  setPrompt(prompt: string): void {
    this._initialPrompt = prompt;
    super.setPrompt(prompt);
  }

  /** The prompt of the lines themselves, not the one to come back to. */
  _showPrompt(prompt: string): void {
    super.setPrompt(prompt);
  }

  complete(...args: unknown[]): void {
    Reflect.apply(this.completer!, this, args);
  }

  completeOnEditorMode(callback: (error?: NodeError | null, completions?: Completions) => void) {
    return (error?: NodeError | null, results?: Completions) => {
      if (error) return callback(error);
      const { 0: completions, 1: completeOn = "" } = results!;
      let result = completions.filter(Boolean);
      if (completeOn && result.length !== 0) {
        const { commonPrefix } = require("internal/repl/readline/text");
        result = [commonPrefix(result)];
      }
      callback(null, [result, completeOn]);
    };
  }

  /** Adds a command: a function, or `{ help, action }`. */
  defineCommand(keyword: string, command: Command | Command["action"]): void {
    if (typeof command === "function") command = { action: command };
    else validateFunction(command.action, "cmd.action");
    this.commands[keyword] = command;
  }
}

function shouldColorize(stream: Output | undefined): boolean {
  const { env } = process;
  if (env.FORCE_COLOR !== undefined) {
    return ["", "1", "true", "2", "3"].includes(env.FORCE_COLOR!);
  }
  return !!stream?.isTTY && (typeof stream.getColorDepth === "function" ? stream.getColorDepth() > 2 : true);
}

function define(object: unknown, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true });
}

/** Built-in modules as properties that load them when they are used. */
function addLibs(context: object): void {
  for (const name of builtinLibs()) {
    if (name.includes("/") || Object.hasOwn(context, name)) continue;
    Object.defineProperty(context, name, {
      configurable: true,
      enumerable: false,
      get() {
        const lib = require("internal/module/cjs").Module._load(name, null, false);
        define(context, name, lib);
        return lib;
      },
      set(value) {
        Object.defineProperty(context, name, { value, writable: true, enumerable: true, configurable: true });
      },
    });
  }
}

// Results

function onError(self: REPLServer, error: Thrown | null | undefined): void {
  let text = "";
  if (typeof error === "object" && error !== null) {
    if (error.domainThrown) {
      delete error.domain;
      delete error.domainThrown;
    }
    if (Error.isError(error) && error.stack) {
      try {
        if (error.name === "SyntaxError") {
          const shown = error.stack.replace(/^REPL\d+:\d+\r?\n/, "").replace(/^\s+at\s.*\n?/gm, "");
          const isImport = error.message.includes("Cannot use import statement outside a module");
          const instead = isImport ? dynamicImports(self.lines.at(-1)!) : undefined;
          if (instead !== undefined) {
            const message = `Cannot use import statement inside the Node.js REPL, alternatively use dynamic import: ${instead}`;
            error.message = message;
            error.stack = shown.replace(/SyntaxError:.*(?:\n|$)/, () => `SyntaxError: ${message}\n`).trimEnd();
          } else {
            error.stack = shown.replace(/\n$/, "");
          }
        } else {
          trimStack(error);
          if (self.replMode === REPL_MODE_STRICT) {
            error.stack = error.stack.replace(
              /(\s+at\s+.*REPL\d+:)(\d+)/g,
              (_, before: string, line: string) => before + (Number(line) - 1),
            );
          }
        }
      } catch {
        // A stack that cannot be changed is shown as it is.
      }
    }
    if (Error.isError(error)) {
      text = self.writer(error);
      // One line in brackets, as errors without a stack are shown.
      if (text[0] === "[" && text[text.length - 1] === "]") text = text.slice(1, -1);
    }
  }
  if (!self.underscoreErrAssigned) self.lastError = error;

  if (self._standalone && process.listenerCount("uncaughtException") !== 0) {
    process.nextTick(() => {
      process.emit("uncaughtException", error);
      self.clearBufferedCommand();
      self.lines.level = [];
      if (!self.closed) self.displayPrompt();
    });
    return;
  }
  if (text === "") text = self.writer(error);
  const lines = text.split(/(?<=\n)/);
  const at = lines.findIndex((line: string) => /^\[?([A-Z][a-z0-9_]*)*Error/.test(line));
  if (at >= 0) {
    lines[at] = writer.options.breakLength! >= lines[at].length ? `Uncaught ${lines[at]}` : `Uncaught:\n${lines[at]}`;
    text = lines.join("");
  } else {
    text = `Uncaught${lines.length === 1 ? " " : ":\n"}${text}`;
  }
  self.output!.write(text.endsWith("\n") ? text : `${text}\n`);
  self.clearBufferedCommand();
  self.lines.level = [];
  if (!self.closed) self.displayPrompt();
}

// Input

function release(self: REPLServer): void {
  const held = self._held;
  if (held === null) return;
  self._held = null;
  const enabled = self.isCompletionEnabled;
  while (held.length > 0) {
    const entry = held.shift() as Held;
    if (entry === null) {
      self.emit("exit");
    } else if (typeof entry === "string") {
      onLine(self, entry);
    } else {
      self.isCompletionEnabled = entry[2];
      self._ttyWrite(entry[0], entry[1]);
    }
    if (self._held !== null) {
      // Another await: the rest waits for that.
      (self._held as Held[]).push(...held);
      break;
    }
  }
  self.isCompletionEnabled = enabled;
}

/** Ends the editor mode. */
function leaveEditor(self: REPLServer): void {
  self.editorMode = false;
  self.setPrompt(self._initialPrompt);
}

function onInterrupt(self: REPLServer): void {
  if (self._sigintTasks.size > 0) {
    for (const task of self._sigintTasks) task();
    return;
  }
  const empty = self.line.length === 0;
  self.clearLine();
  leaveEditor(self);
  if (self._buffered === "" && empty) {
    if (self._sawSigint) {
      self.close();
      self._sawSigint = false;
      return;
    }
    self.output!.write("(To exit, press Ctrl+C again or Ctrl+D or type .exit)\n");
    self._sawSigint = true;
  } else {
    self._sawSigint = false;
  }
  self.clearBufferedCommand();
  self.lines.level = [];
  self.displayPrompt();
}

function remember(self: REPLServer, line: string): void {
  self.lines ||= [];
  self.lines.level ||= [];
  self.lines.push(line || "");
  if (!line) self.lines.level = [];
}

function onLine(self: REPLServer, line: string): void {
  line ||= "";
  if (self._session && !self.terminal && self._held !== null) {
    self._held.push(line);
    return;
  }
  self._sawSigint = false;
  if (self.editorMode) {
    self._buffered += `${line}\n`;
    // The next line begins where this one does.
    const indent = self._sawKeyPress && !self._loading ? /^\s+/.exec(line) : null;
    if (indent !== null) {
      self.write(indent[0]);
      self.line = indent[0];
      self.cursor = indent[0].length;
    }
    remember(self, line);
    return;
  }
  const trimmed = line.trim();
  if (trimmed && trimmed[0] === "." && trimmed[1] !== "." && Number.isNaN(Number.parseFloat(trimmed))) {
    const match = /^\.([^\s]+)\s*(.*)$/.exec(trimmed);
    const command = match === null ? undefined : self.commands[match[1]!];
    if (command) {
      command.action.call(self, match![2]!);
      return;
    }
    if (!self._buffered) {
      self.output!.write("Invalid REPL keyword\n");
      afterEval(self, line, null, undefined, false);
      return;
    }
  }
  self.eval(`${self._buffered}${line}\n`, self.context, nextResourceName(), function (error, result) {
    afterEval(self, line, error, result, arguments.length === 2);
  });
}

function afterEval(
  self: REPLServer,
  line: string,
  error: Error | null | undefined,
  result: unknown,
  hasResult: boolean,
): void {
  remember(self, line);
  if (error && !self._buffered && line.trim().startsWith("npm ") && !(error instanceof Recoverable)) {
    self.output!.write(
      "npm should be run outside of the Node.js REPL, in your normal shell.\n(Press Ctrl+D to exit.)\n",
    );
    self.displayPrompt();
    return;
  }
  if (error instanceof Recoverable && !self._sawCtrlD) {
    if (self.terminal) {
      self._continueLine();
    } else {
      self._buffered += `${line}\n`;
      self.displayPrompt();
    }
    return;
  }
  if (error) {
    self._domain.emit("error", (error as { err?: unknown }).err || error);
    self._lastCommandErrored = true;
  }
  self.clearBufferedCommand();
  self._sawCtrlD = false;
  if (!error && hasResult && (!self.ignoreUndefined || result !== undefined)) {
    if (!self.underscoreAssigned) self.last = result;
    self.output!.write(`${self.writer(result)}\n`);
  }
  if (!self.closed && !error) {
    self._lastCommandErrored = false;
    self.displayPrompt();
  }
}

/** Keys: held back while a promise is awaited, and the editor mode's; previews around them. */
function setupKeys(self: REPLServer, hasPreviews: boolean): void {
  const { setupReverseSearch } = require("internal/repl/search");
  const reverseSearch = setupReverseSearch(self);
  const previews = hasPreviews ? require("internal/repl/preview").setupPreviews(self) : undefined;
  const write = self._ttyWrite.bind(self);
  self._ttyWrite = (text, key) => {
    key ||= {};
    if (self._held !== null && !(self.breakEvalOnSigint && key.ctrl && key.name === "c")) {
      self._held.push([text, key, self.isCompletionEnabled]);
      return;
    }
    if (!self.editorMode) {
      if (key.ctrl && key.name === "d" && self.cursor === 0 && self.line.length === 0) self.clearLine();
      previews?.clear(key);
      if (!reverseSearch(text, key)) {
        write(text, key);
        previews?.show(key.name !== "escape");
      }
      return;
    }
    if (key.ctrl && !key.shift) {
      if (key.name === "d") {
        leaveEditor(self);
        self._sawCtrlD = true;
        write(text, { name: "return" });
      } else if (key.name !== "n" && key.name !== "p") {
        write(text, key);
      }
      return;
    }
    if (key.name === "up" || key.name === "down") return;
    if (key.name === "tab") self._previousKey = null;
    write(text, key);
  };
}
