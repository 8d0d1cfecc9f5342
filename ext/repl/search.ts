/** Searching the history backwards and forwards, Ctrl+R and Ctrl+S, with what is looked for below the line. */
import type { REPLServer } from "internal/repl/server";
import type { Key, Position } from "internal/repl/types";
import { clearScreenDown, cursorTo, moveCursor } from "internal/repl/readline/csi";

const labels: Record<string, string> = { __proto__: null as never, r: "bck-i-search: ", s: "fwd-i-search: " };

/** Gives the function that sees keys first; it returns whether the key was for the search. */
export function setupReverseSearch(repl: REPLServer): (text: string | undefined, key: Partial<Key>) => boolean {
  if (process.env.TERM === "dumb") return () => false;

  // Entries that were shown, so that each is shown once.
  const shown = new Set<string>();
  let searching = false;
  let index = -1;
  let wanted = "";
  let at = -1;
  let direction = "r";
  let foundIndex = -1;
  let foundAt = -1;
  let promptPosition: Position;

  const isDirection = (name: string | undefined): boolean => {
    if (!labels[name!]) return false;
    if (direction !== name) {
      shown.clear();
      direction = name!;
    }
    return true;
  };
  const step = () => {
    index += direction === "r" ? 1 : -1;
  };
  const leaveEntry = () => {
    shown.add(repl.history[index]);
    step();
    at = -1;
  };

  function search(): void {
    if (wanted === "") return show(repl.line, `${labels[direction]}_`);
    const { history } = repl;
    if (direction === "r") index = Math.max(index, 0);
    else index = Math.min(index, history.length - 1);
    for (; index >= 0 && index < history.length;) {
      let entry: string = history[index];
      if (shown.has(entry)) {
        step();
        continue;
      }
      if (direction === "r") {
        if (at === -1) at = entry.length;
        at = entry.lastIndexOf(wanted, at - 1);
      } else {
        at = entry.indexOf(wanted, at + 1);
      }
      if (at === -1) {
        leaveEntry();
        continue;
      }
      const { length } = entry;
      if (repl.useColors) entry = `${entry.slice(0, at)}\x1b[4m${wanted}\x1b[24m${entry.slice(at + wanted.length)}`;
      show(entry, `${labels[direction]}${wanted}_`, at);
      foundIndex = index;
      foundAt = at;
      // Nothing more can be found in this one.
      if (direction === "r" ? at === 0 : at + wanted.length === length) leaveEntry();
      return;
    }
    show(repl.line, `failed-${labels[direction]}${wanted}_`);
  }

  function show(line: string, below: string, cursor = repl.cursor): void {
    let rows = 0;
    if (foundIndex !== -1) {
      rows = repl._getDisplayPos(repl.getPrompt() + repl.history[foundIndex].slice(0, foundAt)).rows;
      cursorTo(repl.output, promptPosition.cols);
    } else if (searching && repl.line !== "") {
      ({ rows } = repl.getCursorPos());
      cursorTo(repl.output, promptPosition.cols);
    }
    if (rows !== 0) moveCursor(repl.output, 0, -rows);
    if (searching) {
      clearScreenDown(repl.output);
      repl.output!.write(`${line}\n${below}`);
    } else {
      repl.output!.write(`\n${below}`);
    }
    foundIndex = -1;

    // Back to the cursor's place in the line.
    const prompt = repl.getPrompt();
    const cursorPosition = repl._getDisplayPos(prompt + line.slice(0, cursor));
    const linePosition = repl._getDisplayPos(prompt + line);
    const belowPosition = repl._getDisplayPos(below);
    const belowRows = belowPosition.rows - (belowPosition.cols === 0 ? 1 : 0);
    moveCursor(repl.output, 0, -1 - belowRows - (linePosition.rows - cursorPosition.rows));
    cursorTo(repl.output, cursorPosition.cols);
  }

  /** Goes on with another text, or ends the search with what it has found. */
  function restart(text?: string): void {
    searching = text !== undefined;
    if (!searching) {
      if (foundIndex !== -1) {
        repl.line = repl.history[foundIndex].split("\r").reverse().join("\n");
        repl.cursor = foundAt;
        repl.historyIndex = foundIndex;
      }
      foundIndex = -1;
      cursorTo(repl.output, promptPosition.cols);
      moveCursor(repl.output, 0, promptPosition.rows);
      clearScreenDown(repl.output);
      if (repl.line !== "") {
        repl.output!.write(repl.line);
        if (repl.line.length !== repl.cursor) {
          const { cols, rows } = repl.getCursorPos();
          cursorTo(repl.output, cols);
          moveCursor(repl.output, 0, rows);
        }
      }
    }
    wanted = text || "";
    at = -1;
    index = repl.historyIndex;
    shown.clear();
  }

  return (text, key) => {
    if (!searching) {
      if (key.ctrl && isDirection(key.name)) {
        index = repl.historyIndex;
        promptPosition = repl._getDisplayPos(repl.getPrompt());
        show(repl.line, `${labels[direction]}_`);
        searching = true;
      }
    } else if (key.ctrl && isDirection(key.name)) {
      search();
    } else if (key.name === "backspace" || (key.ctrl && (key.name === "h" || key.name === "w"))) {
      restart(wanted.slice(0, -1));
      search();
    } else if ((key.ctrl && key.name === "c") || key.name === "escape") {
      foundIndex = -1;
      restart();
      return true;
    } else if (
      key.ctrl ||
      key.meta ||
      key.name === "return" ||
      key.name === "enter" ||
      typeof text !== "string" ||
      text === ""
    ) {
      restart();
      // Up and down go on from here, without looking for what the line begins with.
      repl._substringSearch = "";
    } else {
      restart(wanted + text);
      search();
    }
    return searching;
  };
}
