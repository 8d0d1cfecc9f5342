/**
 * Cursor movement and clearing by ANSI control sequences (ECMA-48), as functions of a stream:
 * https://nodejs.org/api/readline.html#readlinecursortostream-x-y-callback and its siblings.
 */
import { codes } from "internal/core/errors";
import { validateFunction } from "internal/core/validators";

/** A control sequence with its introducer: CSI`${n}A`. */
export function CSI(strings: TemplateStringsArray, ...args: unknown[]): string {
  let sequence = "\x1b[";
  for (let i = 0; i < strings.length; i++) {
    sequence += strings[i];
    if (i < args.length) sequence += args[i];
  }
  return sequence;
}

const kClearToLineBeginning = "\x1b[1K";
const kClearToLineEnd = "\x1b[0K";
const kClearLine = "\x1b[2K";
export const kClearScreenDown = "\x1b[0J";
// Also as properties of the tag.
Object.assign(CSI, { kEscape: "\x1b", kClearToLineBeginning, kClearToLineEnd, kClearLine, kClearScreenDown });

/** The sequence that moves the cursor to column `x` (and row `y`), both counted from 0. */
export function cursorToSequence(x: number, y?: number): string {
  return typeof y === "number" ? CSI`${y + 1};${x + 1}H` : CSI`${x + 1}G`;
}

/** The sequence that moves the cursor by `dx` columns and `dy` rows; "" for none. */
export function moveCursorSequence(dx: number, dy: number): string {
  let data = "";
  if (dx < 0) data += CSI`${-dx}D`;
  else if (dx > 0) data += CSI`${dx}C`;
  if (dy < 0) data += CSI`${-dy}A`;
  else if (dy > 0) data += CSI`${dy}B`;
  return data;
}

/** The sequence that clears left of the cursor (`dir` < 0), right of it (> 0), or the whole line (0). */
export function clearLineSequence(dir: number): string {
  return dir < 0 ? kClearToLineBeginning : dir > 0 ? kClearToLineEnd : kClearLine;
}

/** A stream to a terminal. */
interface Writable {
  write(text: string, callback?: unknown): boolean;
}

// All four return false when the caller should wait for `drain`; without a stream they only call back.

/** readline.cursorTo(stream, x[, y][, callback]). */
export function cursorTo(stream: Writable | null | undefined, x: unknown, y?: unknown, callback?: unknown): boolean {
  if (callback !== undefined) validateFunction(callback, "callback");
  if (typeof y === "function") {
    callback = y;
    y = undefined;
  }
  if (Number.isNaN(x)) throw new codes.ERR_INVALID_ARG_VALUE("x", x);
  if (Number.isNaN(y)) throw new codes.ERR_INVALID_ARG_VALUE("y", y);
  if (stream == null || (typeof x !== "number" && typeof y !== "number")) {
    if (typeof callback === "function") process.nextTick(callback, null);
    return true;
  }
  if (typeof x !== "number") throw new codes.ERR_INVALID_CURSOR_POS();
  return stream.write(cursorToSequence(x, y as number | undefined), callback);
}

/** readline.moveCursor(stream, dx, dy[, callback]). */
export function moveCursor(stream: Writable | null | undefined, dx: number, dy: number, callback?: unknown): boolean {
  if (callback !== undefined) validateFunction(callback, "callback");
  if (stream == null || !(dx || dy)) {
    if (typeof callback === "function") process.nextTick(callback, null);
    return true;
  }
  return stream.write(moveCursorSequence(dx, dy), callback);
}

/** readline.clearLine(stream, dir[, callback]). */
export function clearLine(stream: Writable | null | undefined, dir: number, callback?: unknown): boolean {
  if (callback !== undefined) validateFunction(callback, "callback");
  if (stream === null || stream === undefined) {
    if (typeof callback === "function") process.nextTick(callback, null);
    return true;
  }
  return stream.write(clearLineSequence(dir), callback);
}

/** readline.clearScreenDown(stream[, callback]). */
export function clearScreenDown(stream: Writable | null | undefined, callback?: unknown): boolean {
  if (callback !== undefined) validateFunction(callback, "callback");
  if (stream === null || stream === undefined) {
    if (typeof callback === "function") process.nextTick(callback, null);
    return true;
  }
  return stream.write(kClearScreenDown, callback);
}
