// The types of readline (https://nodejs.org/api/readline.html): streams, keys, and the state of an interface.

/** A key that was pressed. */
export interface Key {
  /** What the terminal sent. */
  sequence: string;
  name: string | undefined;
  ctrl: boolean;
  meta: boolean;
  shift: boolean;
  code?: string;
}

/** A function of any parameters: a listener. */
type Listener = (...args: never[]) => unknown;

/** What an interface reads. */
export interface Input {
  isRaw?: boolean;
  setRawMode?(mode: boolean): unknown;
  on(type: string, listener: Listener): unknown;
  removeListener(type: string, listener: Listener): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** What it writes to. */
export interface Output {
  isTTY?: boolean;
  columns?: number;
  getColorDepth?(): number;
  write(text: string, callback?: unknown): boolean;
  on(type: string, listener: Listener): unknown;
  removeListener(type: string, listener: Listener): unknown;
}

/** All completions (an empty one separates groups), and the part of the line that they replace. */
export type Completions = [completions: string[], replaced: string];

/** Calls back, or returns completions or a promise of them. */
export type Completer = (
  line: string,
  callback?: (error?: NodeError | null, completions?: Completions) => void,
) => unknown;

/** The options of `createInterface`. */
export interface InterfaceOptions {
  input?: Input;
  output?: Output | null;
  completer?: Completer;
  terminal?: boolean;
  history?: string[];
  historySize?: number;
  removeHistoryDuplicates?: boolean;
  prompt?: string;
  /** Milliseconds. */
  crlfDelay?: number;
  escapeCodeTimeout?: number;
  tabSize?: number;
  signal?: AbortSignal;
}

/** A line with the place of the cursor in it. */
interface Edit {
  text: string;
  cursor: number;
}

/** Columns and rows from 0. */
export interface Position {
  cols: number;
  rows: number;
}

/** The state of an interface, its events, and what its editing needs of its other methods. */
export interface InterfaceState {
  input: Input;
  output: Output | null | undefined;
  terminal: boolean;
  line: string;
  cursor: number;
  history: string[];
  historySize: number;
  historyIndex: number;
  removeHistoryDuplicates: boolean;
  completer: Completer | undefined;
  isCompletionEnabled: boolean;
  escapeCodeTimeout: number;
  tabSize: number;
  crlfDelay: number;
  closed?: boolean;
  paused?: boolean;
  prevRows: number;
  _prompt: string;
  /** When a \r ended a line, 0 if nothing follows from it. */
  _sawReturnAt: number;
  _sawKeyPress: boolean;
  _previousKey: Partial<Key> | null;
  /** What lines of the history begin with for up and down; null while others are pressed. */
  _substringSearch: string | null;
  _undoStack: Edit[];
  _redoStack: Edit[];
  _killRing: string[];
  _killRingCursor: number;
  _yanking: boolean;
  /** Whether what is inserted is not measured. */
  _pasting: boolean;
  /** The column that up and down come back to; -1: that of the cursor. */
  _wantedColumn: number;
  /** The line that was submitted last. */
  _submitted: { line: string; cursor: number; prevRows: number };
  _lineIterator: AsyncIterable<string> | undefined;
  _decoder: { write(data: unknown): string };
  /** Input without a line end so far. */
  _line_buffer: string | undefined;
  _questionCallback?: ((answer: string) => void) | null;
  _questionReject?: ((reason: unknown) => void) | null;
  _oldPrompt: string;
  /** Of a REPL. */
  _lastCommandErrored?: boolean;

  readonly columns: number;
  emit(type: string, ...args: unknown[]): boolean;
  on(type: string, listener: Listener): this;
  once(type: string, listener: Listener): this;
  off(type: string, listener: Listener): this;
  removeListener(type: string, listener: Listener): this;
  listenerCount(type: string): number;
  getCursorPos(): Position;
  clearLine(): void;
  pause(): this | undefined;
  resume(): this | undefined;
  close(): void;
  _setRawMode(mode: boolean | undefined): boolean | undefined;
  _writeToOutput(text: string): void;
  _onLine(line: string): void;
  _abortAndClose(reason: string): void;
  _tabComplete(lastKeypressWasTab: boolean): unknown;
}
