/**
 * Editing a line on a terminal: what each key does. The methods of class Editing become methods of
 * readline's Interface (internal/readline/interface.ts), under the names that programs know and override.
 */
import type { Completions, InterfaceState, Key, Position } from "internal/repl/types";
import { clearScreenDown, cursorTo, moveCursor } from "internal/repl/readline/csi";
import {
  charLengthAt,
  charLengthLeft,
  commonPrefix,
  nextWordStart,
  wordDeletionEnd,
  wordStart,
} from "internal/repl/readline/text";

const MAX_UNDO = 2048;
const MAX_KILL_RING = 32;

/** Before all rows of a line but the first. */
const CONTINUATION = "| ";

/** Of a line of several rows the history has the last first, so that an older Node, which reads them as lines, shows them in order. */
function reverseLines(line: string, from: string, to: string): string {
  return line.split(from).reverse().join(to);
}

/** What ends a line, wherever it comes from. */
const lineEnding = /\r\n|\n|\r(?!\n)|\u2028|\u2029/g;

export interface Editing extends InterfaceState {}
export class Editing {
  /** Must be called before the line changes. */
  _beforeEdit(text: string, cursor: number): void {
    if (this._undoStack.push({ text, cursor }) > MAX_UNDO) this._undoStack.shift();
  }

  _undo(): void {
    if (this._undoStack.length > 0) this._restore(this._undoStack, this._redoStack);
  }

  _redo(): void {
    if (this._redoStack.length > 0) this._restore(this._redoStack, this._undoStack);
  }

  _restore(from: InterfaceState["_undoStack"], to: InterfaceState["_undoStack"]): void {
    to.push({ text: this.line, cursor: this.cursor });
    const entry = from.pop()!;
    this.line = entry.text;
    this.cursor = entry.cursor;
    this._refreshLine();
  }

  _insertString(text: string): void {
    this._beforeEdit(this.line, this.cursor);
    const atEnd = this.cursor >= this.line.length;
    if (!this.isCompletionEnabled) {
      // In the middle of something pasted: measuring the line for each character would take forever.
      this.line = this.line.slice(0, this.cursor) + text + this.line.slice(this.cursor);
      this.cursor += text.length;
      this._pasting = true;
      if (atEnd) this._writeToOutput(text);
      return;
    }
    if (!atEnd) {
      this._pasting = false;
      this.line = this.line.slice(0, this.cursor) + text + this.line.slice(this.cursor);
      this.cursor += text.length;
      this._refreshLine();
      return;
    }
    const before = this.getCursorPos();
    if (this._pasting) {
      // The terminal has wrapped by itself, with the first character beyond the last column.
      this._pasting = false;
      this.prevRows = before.cols === 0 && before.rows > 0 ? before.rows - 1 : before.rows;
    }
    this.line += text;
    this.cursor += text.length;
    // Appending needs no redrawing, unless the line wraps.
    if (before.rows < this.getCursorPos().rows) this._refreshLine();
    else this._writeToOutput(text);
  }

  /** Replaces [start, end) of the line by nothing and puts the cursor there. */
  _deleteRange(start: number, end: number): void {
    this._beforeEdit(this.line, this.cursor);
    this.line = this.line.slice(0, start) + this.line.slice(end);
    this.cursor = start;
    this._refreshLine();
  }

  _deleteLeft(): void {
    if (this.cursor > 0 && this.line.length > 0) {
      this._deleteRange(this.cursor - charLengthLeft(this.line, this.cursor), this.cursor);
    }
  }

  _deleteRight(): void {
    if (this.cursor < this.line.length) {
      this._deleteRange(this.cursor, this.cursor + charLengthAt(this.line, this.cursor));
    }
  }

  _deleteWordLeft(): void {
    if (this.cursor > 0) this._deleteRange(wordStart(this.line, this.cursor), this.cursor);
  }

  _deleteWordRight(): void {
    if (this.cursor < this.line.length) this._deleteRange(this.cursor, wordDeletionEnd(this.line, this.cursor));
  }

  _deleteLineLeft(): void {
    const deleted = this.line.slice(0, this.cursor);
    this._deleteRange(0, this.cursor);
    this._pushToKillRing(deleted);
  }

  _deleteLineRight(): void {
    const deleted = this.line.slice(this.cursor);
    this._deleteRange(this.cursor, this.line.length);
    this._pushToKillRing(deleted);
  }

  _pushToKillRing(text: string): void {
    if (!text || text === this._killRing[0]) return;
    this._killRing.unshift(text);
    this._killRingCursor = 0;
    while (this._killRing.length > MAX_KILL_RING) this._killRing.pop();
  }

  /** Inserts what was deleted last. */
  _yank(): void {
    if (this._killRing.length > 0) {
      this._yanking = true;
      this._insertString(this._killRing[this._killRingCursor]);
    }
  }

  /** Right after a yank: replaces what it inserted by the deletion before that. */
  _yankPop(): void {
    if (!this._yanking || this._killRing.length < 2) return;
    const last = this._killRing[this._killRingCursor];
    this._killRingCursor = (this._killRingCursor + 1) % this._killRing.length;
    const head = this.line.slice(0, this.cursor - last.length) + this._killRing[this._killRingCursor];
    this.line = head + this.line.slice(this.cursor);
    this.cursor = head.length;
    this._refreshLine();
  }

  _wordLeft(): void {
    if (this.cursor > 0) this._moveCursor(wordStart(this.line, this.cursor) - this.cursor);
  }

  _wordRight(): void {
    if (this.cursor < this.line.length) this._moveCursor(nextWordStart(this.line, this.cursor) - this.cursor);
  }

  /** Moves the cursor by `units` of the line; infinite values go to its ends. */
  _moveCursor(units: number): void {
    if (units === 0) return;
    const before = this.getCursorPos();
    this.cursor = Math.min(Math.max(this.cursor + units, 0), this.line.length);
    const after = this.getCursorPos();
    if (before.rows === after.rows) moveCursor(this.output, after.cols - before.cols, 0);
    else this._refreshLine();
  }

  /** Submits the line. */
  _line(): void {
    this._submitted = { line: this.line, cursor: this.cursor, prevRows: this.prevRows };
    const line = this._addHistory();
    this._undoStack = [];
    this._redoStack = [];
    this.clearLine();
    this._onLine(line);
  }

  /**
   * Takes a submitted line back, for an input of several lines: it goes on with a new row where the cursor was.
   * For terminals only.
   */
  _continueLine(): void {
    const { line, cursor, prevRows } = this._submitted;
    const before = line.slice(0, cursor);
    const after = line.slice(cursor);
    this.line = `${before}\n${after}`;
    this.cursor = cursor + 1;
    if (after === "") {
      this._writeToOutput(CONTINUATION);
      this.prevRows = this.line.split("\n").length - 1;
      return;
    }
    // The terminal's cursor is below all rows: what comes after the new line end is written again.
    const rowsBefore = before.split("\n");
    const row = rowsBefore[rowsBefore.length - 1];
    let rest = after;
    if (prevRows > 0) {
      const column = (rowsBefore[rowsBefore.length - 2] ?? "").length + CONTINUATION.length;
      moveCursor(this.output, column, -(after.split("\n").length + 1));
      rest = `${row}\n${after}`;
    } else {
      moveCursor(this.output, 0, -line.split("\n").length);
    }
    clearScreenDown(this.output);
    if (prevRows > 0) this._writeToOutput("\n");
    this._writeToOutput(rowsBefore.length < 2 ? `${this._prompt}${before}\n${CONTINUATION}` : CONTINUATION);
    const position = this.getCursorPos();
    this._writeToOutput(rest.replaceAll("\n", `\n${CONTINUATION}`));
    const end = this._getDisplayPos(this.line);
    moveCursor(this.output, position.cols - end.cols, position.rows - end.rows);
    this.prevRows = position.rows;
  }

  /** Puts the line into the history; returns what listeners of `history` left of it. */
  _addHistory(): string {
    const { history } = this;
    let { line } = this;
    if (line.length === 0) return "";
    if (this.historySize === 0 || line.trim().length === 0) return line;

    const several = line.includes("\n");
    // What this line replaces: its own beginning, or what was wrong with it.
    if ((several && this.historyIndex === -1) || this._lastCommandErrored) history.shift();
    if (several) line = reverseLines(line, "\n", "\r");

    if (history.length === 0 || history[0] !== line) {
      if (this.removeHistoryDuplicates) {
        const index = history.indexOf(line);
        if (index !== -1) history.splice(index, 1);
      }
      history.unshift(line);
      if (history.length > this.historySize) history.pop();
    }
    this.historyIndex = -1;
    this.emit("history", history);
    // A listener may have removed it, a password for instance; the line itself stays.
    return this.line;
  }

  /** Goes to the next older line in the history that starts with what was typed. */
  _historyPrev(): void {
    const { history } = this;
    if (this.historyIndex >= history.length || history.length === 0) return;
    const search = this._substringSearch || "";
    let index = this.historyIndex + 1;
    while (index < history.length && (!history[index].startsWith(search) || this.line === history[index])) index++;
    this._recall(index, index === history.length ? search : history[index]);
  }

  _historyNext(): void {
    const { history } = this;
    if (this.historyIndex < 0) return;
    const search = this._substringSearch || "";
    let index = this.historyIndex - 1;
    while (index >= 0 && (!history[index].startsWith(search) || this.line === history[index])) index--;
    this._recall(index, index === -1 ? search : history[index]);
  }

  _recall(index: number, line: string): void {
    this._beforeEdit(this.line, this.cursor);
    this.historyIndex = index;
    this.line = line.includes("\r") ? reverseLines(line, "\r", "\n") : line;
    this.cursor = this.line.length;
    this._refreshLine();
  }

  /**
   * In a line of several rows, moves up or down one, in the same column or at the end of a shorter row; later moves come
   * back to that column. False if there is no such row.
   */
  _moveRow(direction: -1 | 1): boolean {
    if (!this.line.includes("\n")) return false;
    const rows = this.line.split("\n");
    let row = 0;
    let column = this.cursor;
    while (column > rows[row].length) column -= rows[row++].length + 1;
    const next = rows[row + direction];
    if (next === undefined) {
      this._wantedColumn = -1;
      return false;
    }
    const wanted = this._wantedColumn > column ? this._wantedColumn : column;
    this._wantedColumn = wanted >= next.length ? wanted : -1;
    const distance = direction < 0 ? -column - next.length - 1 : rows[row].length - column + 1;
    this._moveCursor(distance + Math.min(wanted, next.length));
    return true;
  }

  /** Columns and rows that `text` takes on the terminal, both from 0. */
  _getDisplayPos(text: string): Position {
    const { getStringWidth, stripVTControlCharacters } = require("internal/util/string_width");
    const columns = this.columns;
    let offset = 0;
    let rows = 0;
    const margin = this.line.includes("\n") ? CONTINUATION.length : 0;
    for (const char of stripVTControlCharacters(text)) {
      if (char === "\n") {
        rows += Math.ceil(offset / columns) || 1;
        offset = margin;
      } else if (char === "\t") {
        offset += this.tabSize - (offset % this.tabSize);
      } else {
        const width = getStringWidth(char, false);
        // A wide character that does not fit goes to the next row as a whole.
        if (width === 2 && (offset + 1) % columns === 0) offset++;
        offset += width;
      }
    }
    const cols = offset % columns;
    rows += (offset - cols) / columns;
    return { cols, rows };
  }

  /** Draws prompt and line again and puts the cursor where it belongs. */
  _refreshLine(): void {
    const text = this._prompt + this.line;
    const size = this._getDisplayPos(text);
    const cursor = this.getCursorPos();

    // Up to the row of the prompt, and clear from there.
    const rowsAbove = this.prevRows || 0;
    if (rowsAbove > 0) moveCursor(this.output, 0, -rowsAbove);
    cursorTo(this.output, 0);
    clearScreenDown(this.output);

    if (this.line.includes("\n")) {
      const rows = this.line.split("\n");
      this._writeToOutput(this._prompt + rows[0]);
      for (let i = 1; i < rows.length; i++) this._writeToOutput(`\n${CONTINUATION}${rows[i]}`);
    } else {
      this._writeToOutput(text);
    }
    // A full row leaves the cursor behind its last column: make the terminal wrap.
    if (size.cols === 0) this._writeToOutput(" ");

    cursorTo(this.output, cursor.cols);
    const rowsBelow = size.rows - cursor.rows;
    if (rowsBelow > 0) moveCursor(this.output, 0, -rowsBelow);
    this.prevRows = cursor.rows;
  }

  /** Shows or inserts completions: [all of them, the part of the line they replace]. */
  _tabCompleter(lastKeypressWasTab: boolean, result: Completions): void {
    const { 0: completions, 1: completeOn } = result;
    if (!completions || completions.length === 0) return;

    const prefix = commonPrefix(completions.filter((entry) => entry !== ""));
    if (prefix.startsWith(completeOn) && prefix.length > completeOn.length) {
      this._insertString(prefix.slice(completeOn.length));
      return;
    }
    if (!completeOn.startsWith(prefix)) {
      // The completion changes what is there already (its case, say).
      const start = this.cursor - completeOn.length;
      this.line = this.line.slice(0, start) + prefix + this.line.slice(this.cursor);
      this.cursor = start + prefix.length;
      this._refreshLine();
      return;
    }
    if (!lastKeypressWasTab) return;

    this._beforeEdit(this.line, this.cursor);
    this._writeToOutput(this._completionTable(completions));
    this._refreshLine();
  }

  /** Completions in columns; an empty one starts a new group. */
  _completionTable(completions: string[]): string {
    const { getStringWidth } = require("internal/util/string_width");
    const widths = completions.map((entry) => getStringWidth(entry));
    const width = Math.max(...widths) + 2;
    let perRow = Math.floor(this.columns / width) || 1;
    if (perRow === Infinity) perRow = 1;

    let output = "\r\n";
    let inRow = 0;
    let padding = 0;
    for (let i = 0; i < completions.length; i++) {
      const entry = completions[i];
      if (entry === "" || inRow === perRow) {
        output += "\r\n";
        inRow = 0;
        padding = 0;
      } else {
        output += " ".repeat(padding);
      }
      if (entry !== "") {
        output += entry;
        padding = width - widths[i];
        inRow++;
      } else {
        output += "\r\n";
      }
    }
    if (inRow !== 0) output += "\r\n\r\n";
    return output;
  }

  /** Acts on one key: `text` is what it types, `key` what it is (see internal/readline/keys.ts). */
  _ttyWrite(text: string | undefined, key?: Partial<Key> | null): void {
    const previousKey = this._previousKey;
    key ||= {};
    this._previousKey = key;
    if (!key.meta || key.name !== "y") this._yanking = false;

    // Up and down look only at lines that start with what had been typed when the first of them was pressed.
    if ((key.name === "up" || key.name === "down") && !key.ctrl && !key.meta && !key.shift) {
      if (this._substringSearch === null) this._substringSearch = this.line.slice(0, this.cursor);
    } else {
      this._wantedColumn = -1;
      if (this._substringSearch !== null) {
        this._substringSearch = null;
        if (this.history.length === this.historyIndex) this.historyIndex = -1;
      }
    }

    if (typeof key.sequence === "string") {
      const first = key.sequence.codePointAt(0);
      if (first === 0x1f) return this._undo();
      if (first === 0x1e) return this._redo();
    }
    if (key.name === "escape") return;

    if (key.ctrl && key.shift) {
      if (key.name === "backspace") this._deleteLineLeft();
      else if (key.name === "delete") this._deleteLineRight();
    } else if (key.ctrl) {
      this._ctrlKey(key.name);
    } else if (key.meta) {
      this._metaKey(key.name);
    } else {
      this._plainKey(text, key.name, previousKey);
    }
  }

  _ctrlKey(name: string | undefined): void {
    switch (name) {
      case "c":
        if (this.listenerCount("SIGINT") > 0) this.emit("SIGINT");
        else this._abortAndClose("Aborted with Ctrl+C");
        break;
      case "d":
        if (this.cursor === 0 && this.line.length === 0) this._abortAndClose("Aborted with Ctrl+D");
        else if (this.cursor < this.line.length) this._deleteRight();
        break;
      case "h":
        this._deleteLeft();
        break;
      case "u":
        this._deleteLineLeft();
        break;
      case "k":
        this._deleteLineRight();
        break;
      case "a":
        this._moveCursor(-Infinity);
        break;
      case "e":
        this._moveCursor(Infinity);
        break;
      case "b":
        this._moveCursor(-charLengthLeft(this.line, this.cursor));
        break;
      case "f":
        this._moveCursor(charLengthAt(this.line, this.cursor));
        break;
      case "l":
        cursorTo(this.output, 0, 0);
        clearScreenDown(this.output);
        this._refreshLine();
        break;
      case "n":
        this._historyNext();
        break;
      case "p":
        this._historyPrev();
        break;
      case "y":
        this._yank();
        break;
      case "z":
        this._suspend();
        break;
      case "w":
      case "backspace":
        this._deleteWordLeft();
        break;
      case "delete":
        this._deleteWordRight();
        break;
      case "left":
        this._wordLeft();
        break;
      case "right":
        this._wordRight();
        break;
    }
  }

  /** Ctrl+Z: stops the process the way a shell expects, and sets the terminal up again when it goes on. */
  _suspend(): void {
    if (process.platform === "win32") return;
    if (this.listenerCount("SIGTSTP") > 0) {
      this.emit("SIGTSTP");
      return;
    }
    process.once("SIGCONT", () => {
      if (!this.paused) {
        this.pause();
        this.emit("SIGCONT");
      }
      this._setRawMode(true);
      this._refreshLine();
    });
    this._setRawMode(false);
    process.kill(process.pid, "SIGTSTP");
  }

  _metaKey(name: string | undefined): void {
    switch (name) {
      case "b":
        this._wordLeft();
        break;
      case "f":
        this._wordRight();
        break;
      case "d":
      case "delete":
        this._deleteWordRight();
        break;
      case "backspace":
        this._deleteWordLeft();
        break;
      case "y":
        this._yankPop();
        break;
    }
  }

  _plainKey(text: string | undefined, name: string | undefined, previousKey: Partial<Key> | null): void {
    // A \n ends a line only if it does not belong to the \r right before.
    if (this._sawReturnAt && name !== "enter") this._sawReturnAt = 0;

    switch (name) {
      case "return":
        this._sawReturnAt = Date.now();
        this._line();
        break;
      case "enter":
        if (this._sawReturnAt === 0 || Date.now() - this._sawReturnAt > this.crlfDelay) this._line();
        this._sawReturnAt = 0;
        break;
      case "backspace":
        this._deleteLeft();
        break;
      case "delete":
        this._deleteRight();
        break;
      case "left":
        this._moveCursor(-charLengthLeft(this.line, this.cursor));
        break;
      case "right":
        this._moveCursor(charLengthAt(this.line, this.cursor));
        break;
      case "home":
        this._moveCursor(-Infinity);
        break;
      case "end":
        this._moveCursor(Infinity);
        break;
      case "up":
        if (!this._moveRow(-1)) this._historyPrev();
        break;
      case "down":
        if (!this._moveRow(1)) this._historyNext();
        break;
      case "tab":
        if (typeof this.completer === "function" && this.isCompletionEnabled) {
          this._tabComplete(Boolean(previousKey && previousKey.name === "tab"));
          break;
        }
        this._insertLines(text);
        break;
      default:
        this._insertLines(text);
    }
  }

  /** Inserts text that may be several lines, submitting all but the last. */
  _insertLines(text: string | undefined): void {
    if (typeof text !== "string" || text === "") return;
    const lines = text.split(lineEnding);
    for (let i = 0; i < lines.length; i++) {
      if (i > 0) this._line();
      this._insertString(lines[i]);
    }
  }
}
