// The source text of a call to `assert.ok`, for its message. Loaded when an assertion fails.

import { captureCallSites } from "internal/util/call_sites";

/**
 * The source of the expression that called `fn`, as far as it stands on one line, or undefined when the source cannot be
 * had (code of `eval`, a file that is gone).
 */
export function callExpression(fn: Function): string | undefined {
  const site = captureCallSites(fn, 1)[0];
  if (site === undefined) return undefined;
  const file = site.getFileName?.();
  const line = site.getLineNumber?.() as number;
  const column = site.getColumnNumber?.() as number;
  if (!file || !(line > 0) || !(column > 0)) return undefined;
  const text = lineOf(file, line);
  return text === undefined ? undefined : escapeControls(expressionAt(text, column - 1));
}

// So that the message shows what is there.
function escapeControls(text: string): string {
  return text.replace(/[\x00-\x1f]/g, (char) => {
    const escaped = JSON.stringify(char);
    return escaped.slice(1, -1);
  });
}

function lineOf(file: string, line: number): string | undefined {
  try {
    const path = file.startsWith("file:") ? require("node:url").fileURLToPath(file) : file;
    if (!require("node:path").isAbsolute(path)) return undefined;
    let text: string = require("node:fs").readFileSync(path, "utf8");
    for (let i = 1; i < line; i++) {
      const end = text.indexOf("\n");
      if (end < 0) return undefined;
      text = text.slice(end + 1);
    }
    const end = text.search(/\r?\n/);
    return end < 0 ? text : text.slice(0, end);
  } catch {
    return undefined;
  }
}

const word = /[\p{ID_Continue}$\u200c\u200d]/u;

/**
 * The call on a line of source whose position is `column` (zero-based; any place between the start of the callee and its
 * opening parenthesis): from the start of the callee to the closing parenthesis, or to the end of the line.
 */
function expressionAt(line: string, column: number): string {
  const start = startOfCallee(line, column);
  const open = openingParenthesis(line, column);
  if (open < 0) return line.slice(start).trimEnd();
  const end = endOfBrackets(line, open);
  return line.slice(start, end).trimEnd();
}

// Back over names, dots, and brackets with what is in them.
function startOfCallee(line: string, column: number): number {
  let at = Math.min(column, line.length);
  while (at > 0) {
    const before = line[at - 1]!;
    if (word.test(before) || (before >= "\udc00" && before <= "\udfff") || (before >= "\ud800" && before <= "\udbff"))
      at--;
    else if (before === "." && at > 1) at -= line[at - 2] === "?" ? 2 : 1;
    else if (before === "]" || before === ")") {
      const open = openingOf(line, at - 1);
      if (open < 0) break;
      at = open;
    } else break;
  }
  // A line that goes on from the one before starts with a dot.
  while (line[at] === "." || line[at] === " " || line[at] === "?") at++;
  return at;
}

// The bracket that the one at `close` closes, found by going over the line from its start.
function openingOf(line: string, close: number): number {
  const stack: number[] = [];
  for (let i = 0; i <= close; i = nextToken(line, i)) {
    const char = line[i]!;
    if (char === "(" || char === "[" || char === "{") stack.push(i);
    else if (char === ")" || char === "]" || char === "}") {
      const open = stack.pop();
      if (i === close) return open ?? -1;
    }
  }
  return -1;
}

function openingParenthesis(line: string, column: number): number {
  for (let i = column; i < line.length;) {
    const char = line[i]!;
    if (char === "(") return i;
    if (char === "[") i = endOfBrackets(line, i);
    else i = nextToken(line, i);
  }
  return -1;
}

function endOfBrackets(line: string, open: number): number {
  let depth = 0;
  for (let i = open; i < line.length; i = nextToken(line, i)) {
    const char = line[i]!;
    if (char === "(" || char === "[" || char === "{") depth++;
    else if ((char === ")" || char === "]" || char === "}") && --depth === 0) return i + 1;
  }
  return line.length;
}

// The place after a string, template or comment, or after one character of anything else.
function nextToken(line: string, at: number): number {
  const char = line[at]!;
  if (char === '"' || char === "'" || char === "`") {
    for (let i = at + 1; i < line.length; i++) {
      if (line[i] === "\\") i++;
      else if (line[i] === char) return i + 1;
    }
    return line.length;
  }
  if (char === "/" && line[at + 1] === "/") return line.length;
  if (char === "/" && line[at + 1] === "*") {
    const end = line.indexOf("*/", at + 2);
    return end < 0 ? line.length : end + 2;
  }
  // A slash where a value may start begins a regular expression.
  if (char === "/" && /(?:^|[(,=:[!&|?{};])\s*$/.test(line.slice(0, at))) {
    let inClass = false;
    for (let i = at + 1; i < line.length; i++) {
      if (line[i] === "\\") i++;
      else if (line[i] === "[") inClass = true;
      else if (line[i] === "]") inClass = false;
      else if (line[i] === "/" && !inClass) return i + 1;
    }
  }
  return at + 1;
}
