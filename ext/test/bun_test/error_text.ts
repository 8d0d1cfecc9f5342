// Errors of tests as text: the lines of the source before the place, a caret, the message, the stack.

import type { Frame } from "internal/test/bun_test/types";

const natives = native("inspect");
const { BaseError } = require("internal/test/bun_test/state");

/** Lines shown before the one with the error. */
const BEFORE = 5;
/** Longest line of an excerpt, in characters. */
const WIDEST = 1024;

/** Texts of files that errors were shown from. */
const files = new Map<string, string[] | undefined>();

function linesOf(path: string): string[] | undefined {
  let lines = files.get(path);
  if (lines === undefined && !files.has(path)) {
    try {
      lines = require("node:fs").readFileSync(path, "utf8").split(/\r?\n/);
    } catch {
      lines = undefined;
    }
    if (files.size > 20) files.clear();
    files.set(path, lines);
  }
  return lines;
}

/** Forgets files, which may have changed. */
export function forgetFiles(): void {
  files.clear();
}

const pathOf = (source: string) => (source.startsWith("file://") ? decodeURIComponent(source.slice(7)) : source);

/**
 * Where JavaScriptCore sees the place of an error: for a value thrown, its last token; for one made and not thrown there, the
 * name of its class. `thrown`: the place is that of a throw statement.
 */
function placeOf(frame: Frame, thrown: boolean): Frame {
  const line = linesOf(pathOf(frame[1]))?.[frame[2] - 1];
  if (line === undefined) return frame;
  let at = frame[3] - 1;
  if (thrown) at = /\bthrow\s+$/.exec(line.slice(0, at))?.index ?? at;
  const rest = line.slice(at);
  if (thrown && /^throw\b/.test(rest)) {
    const end = lastToken(line, at + 5);
    return end < 0 ? frame : [frame[0], frame[1], frame[2], end + 1, frame[4]];
  }
  const made = /^new\s+/.exec(rest);
  if (made) return [frame[0], frame[1], frame[2], frame[3] + made[0].length, frame[4]];
  return callOf(frame);
}

/** A call is where its function is named; for the engine it is at the parenthesis. */
function callOf(frame: Frame): Frame {
  const line = linesOf(pathOf(frame[1]))?.[frame[2] - 1];
  if (line === undefined || line[frame[3] - 1] !== "(") return frame;
  const name = /[\w$]+$/.exec(line.slice(0, frame[3] - 1));
  return name === null ? frame : [frame[0], frame[1], frame[2], name.index + 1, frame[4]];
}

/** Where the last token of the expression begins that starts at `from`; -1 where it does not end on this line. */
function lastToken(line: string, from: number): number {
  let depth = 0;
  let last = -1;
  for (let at = from; at < line.length; at++) {
    const c = line[at]!;
    if (c === " " || c === "\t") continue;
    if (c === ";" && depth === 0) break;
    if (c === "/" && (line[at + 1] === "/" || line[at + 1] === "*")) break;
    if (c === '"' || c === "'" || c === "`") {
      last = at;
      for (at++; at < line.length && line[at] !== c; at++) if (line[at] === "\\") at++;
      continue;
    }
    if (c === "(" || c === "[" || c === "{") {
      depth++;
      last = at;
    } else if (c === ")" || c === "]" || c === "}") {
      if (depth === 0) break;
      depth--;
      last = at;
    } else if (/[\w$]/.test(c)) {
      last = at;
      while (at + 1 < line.length && /[\w$.]/.test(line[at + 1]!)) if (line[++at] === ".") last = at + 1;
    } else last = at;
  }
  return depth === 0 ? last : -1;
}

/** The engine's name of a function as it stands in the source. */
function nameOf(name: string): string {
  const last = name
    .slice(name.lastIndexOf("/") + 1)
    .replace(/<+$/, "")
    .replace(/^async\*/, "");
  return last.slice(last.lastIndexOf(".") + 1);
}

function excerpt(frame: Frame, colors: boolean): string {
  const lines = linesOf(pathOf(frame[1]));
  if (lines === undefined || lines.length < frame[2]) return "";
  const [, , line, column] = frame;
  const width = String(line).length;
  let text = "";
  for (let number = Math.max(1, line - BEFORE); number <= line; number++) {
    let shown = lines[number - 1]!;
    if (shown.length > WIDEST) shown = shown.slice(0, WIDEST);
    const pad = " ".repeat(width - String(number).length);
    text += colors ? `${pad}\x1b[0m\x1b[1m${number} |\x1b[0m ${highlight(shown)}\n` : `${pad}${number} | ${shown}\n`;
  }
  const pad = " ".repeat(width + 3 + Math.max(0, column - 1));
  return `${text}${pad}${colors ? "\x1b[31m\x1b[1m^\x1b[0m" : "^"}\n`;
}

function highlight(line: string): string {
  return require("internal/test/bun_test/highlight").highlight(line);
}

/** Frames of an error as they are shown, or of the place where it was thrown. */
export function framesOf(error: unknown, thrown: Frame[] | undefined): Frame[] {
  if (thrown !== undefined && thrown.length > 0) return [placeOf(thrown[0]!, true), ...thrown.slice(1).map(callOf)];
  let frames: Frame[] = [];
  try {
    frames = natives.errorFrames(error) ?? [];
  } catch {
    // A stack that cannot be read is none.
  }
  return frames.length === 0 ? frames : [placeOf(frames[0]!, false), ...frames.slice(1).map(callOf)];
}

/** The same for an error that was thrown where nothing caught it; undefined for a value that knows of no place. */
export function thrownFramesOf(error: unknown): Frame[] | undefined {
  try {
    const frames: Frame[] | undefined = natives.errorFrames(error);
    return frames === undefined || frames.length === 0 ? undefined : frames;
  } catch {
    return undefined;
  }
}

function isModuleLevel(frame: Frame, frames: Frame[], index: number): boolean {
  return frame[0] === "" && index === frames.length - 1 && moduleLevel(frame);
}

/** Whether the place is in no function, as far as the brackets before it tell. */
function moduleLevel(frame: Frame): boolean {
  const lines = linesOf(pathOf(frame[1]));
  if (lines === undefined) return true;
  const text = lines.slice(0, frame[2] - 1).join("\n") + "\n" + (lines[frame[2] - 1] ?? "").slice(0, frame[3] - 1);
  return require("internal/test/bun_test/highlight").openFunctions(text) === 0;
}

function stackText(frames: Frame[], colors: boolean): string {
  let text = "";
  for (const [index, frame] of frames.entries()) {
    const path = pathOf(frame[1]);
    let name = nameOf(frame[0]);
    if (name === "" && !isModuleLevel(frame, frames, index)) name = "<anonymous>";
    const prefix = frame[4] ? "async " : "";
    if (!colors) {
      const place = `${path}:${frame[2]}:${frame[3]}`;
      text += name === "" ? `      at ${prefix}${place}\n` : `      at ${prefix}${name} (${place})\n`;
      continue;
    }
    const cut = path.lastIndexOf("/") + 1;
    const place = `\x1b[0m\x1b[36m\x1b[2m${path.slice(0, cut)}\x1b[0m\x1b[36m${path.slice(cut)}\x1b[0m\x1b[2m:\x1b[0m\x1b[33m${frame[2]}\x1b[0m\x1b[2m:\x1b[33m${frame[3]}\x1b[0m`;
    const shown =
      name === "<anonymous>"
        ? `\x1b[0m\x1b[2m${prefix}<anonymous>\x1b[0m`
        : `\x1b[0m\x1b[1m\x1b[3m${prefix}${name}\x1b[0m`;
    text +=
      name === ""
        ? `\x1b[0m      \x1b[2mat \x1b[0m${place}\n`
        : `\x1b[0m      \x1b[2mat \x1b[0m${shown}\x1b[2m (\x1b[0m${place}\x1b[2m)\x1b[0m\n`;
  }
  return text;
}

/** Longest message shown, and how much of one that is longer is, at either end; characters. */
const LONGEST = 32 << 10;
const KEPT = 8 << 10;

function heading(name: string, message: string, colors: boolean): string {
  if (message.length > LONGEST)
    message = `${message.slice(0, KEPT)}... (${message.length - 2 * KEPT} characters left out) ...${message.slice(-KEPT)}`;
  const isPlain = name === "Error" || name === "ResolveMessage" || name === "BuildMessage";
  const head = isPlain && message !== "" ? "error" : name;
  return colors ? `\x1b[0m\x1b[31m${head}\x1b[0m\x1b[2m:\x1b[0m \x1b[1m${message}\x1b[0m` : `${head}: ${message}`;
}

/** `value[name]`, where that does not throw. */
export function property(value: unknown, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

/** A property as text, whatever it is. */
function textOf(value: object, name: string): string {
  try {
    return String((value as Record<string, unknown>)[name]);
  } catch {
    return `(${name} cannot be read)`;
  }
}

/** `value instanceof constructor`, where a proxy does not object. */
export function isA(value: unknown, constructor: ErrorConstructor | SyntaxErrorConstructor): boolean {
  try {
    return value instanceof constructor;
  } catch {
    return false;
  }
}

const { isError: isMadeError } = BaseError;
const isError = (value: unknown): value is Error => isMadeError(value) || isA(value, BaseError);

/** What `inspect` says of a value, if that does not throw. */
function shownAs(value: unknown, options: { colors: boolean } | { colors: boolean; depth: number }): string {
  try {
    return require("bun/inspect").inspect(value, options);
  } catch {
    return "(a value that cannot be shown)";
  }
}

/** First line of an error: its class and message. */
export function titleOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return `error: ${primitive(error)}`;
  if (!isError(error)) return "error";
  return heading(textOf(error, "name"), textOf(error, "message"), false);
}

function primitive(value: unknown): string {
  if (typeof value === "symbol") return value.description ?? "";
  try {
    return String(value);
  } catch {
    return "(a function that cannot be shown)";
  }
}

/** The same for a file that cannot be parsed, or a module that is not there; undefined for other errors. */
function loadingText(error: unknown, colors: boolean): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const lacking = isA(error, SyntaxError)
    ? /^The requested module '(.*)' doesn't provide an export named: '(.*)'$/.exec(textOf(error, "message"))
    : null;
  if (lacking !== null) {
    return `${heading("SyntaxError", `Export named '${lacking[2]}' not found in module '${pathOf(lacking[1]!)}'.`, colors)}\n`;
  }
  const place = parsePlace(error);
  if (place !== undefined) {
    const [path, line, column] = place;
    const text = linesOf(path)?.[line - 1] ?? "";
    const shown = colors ? `\x1b[0m\x1b[1m${line} |\x1b[0m ${highlight(text)}` : `${line} | ${text}`;
    const caret = `${" ".repeat(String(line).length + 2 + column)}${colors ? "\x1b[31m\x1b[1m^\x1b[0m" : "^"}`;
    return `${shown}\n${caret}\n${heading("Error", (error as Error).message, colors)}\n    at ${path}:${line}:${column}\n`;
  }
  const code = property(error, "code");
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return undefined;
  const message = textOf(error, "message").split("\n")[0]!;
  const found = /^Cannot find (module|package) '(.*?)'(?: imported from (.*))?$/.exec(message);
  const from = found?.[3] ?? (property(error, "requireStack") as string[] | undefined)?.[0];
  if (found === null || found === undefined || from === undefined) return undefined;
  const specifier = property(error, "specifier");
  let name = typeof specifier === "string" ? specifier : found[2]!;
  if (name.startsWith("/") && specifier !== name) {
    const { dirname, relative } = require("node:path");
    const way = relative(dirname(from), name);
    name = way.startsWith("../") ? way : `./${way}`;
  }
  const kind = name.includes("/") ? "module" : "package";
  return `${heading("Error", `Cannot find ${kind} '${name}' from '${from}'`, colors)}\n`;
}

/** An error of the engine: where it was made. */
interface EngineError extends Error {
  fileName: string;
  lineNumber: number;
  columnNumber: number;
}

/** Where a file cannot be parsed. */
function parsePlace(error: unknown): [string, number, number] | undefined {
  if (!isMadeError(error)) return undefined;
  if (Object.hasOwn(error, "\0excerpt")) {
    const place = /^(.*):(\d+):(\d+)$/.exec(String(error.stack).split("\n")[0]!);
    return place === null ? undefined : [pathOf(place[1]!), Number(place[2]), Number(place[3])];
  }
  if (!(error instanceof SyntaxError)) return undefined;
  const { fileName, lineNumber, columnNumber } = error as EngineError;
  if (typeof fileName !== "string" || !(lineNumber > 0) || (natives.errorFrames(error) ?? []).length > 0)
    return undefined;
  const path = pathOf(fileName);
  return path.startsWith("/") ? [path, lineNumber, columnNumber] : undefined;
}

/** Causes shown below one another. */
const MOST_CAUSES = 8;
/** Errors of an AggregateError that are shown. */
const MOST_MEMBERS = 20;

/** What `error` is shown as. `thrown`: frames of the place where a function that was called threw it. Never throws. */
export function errorText(error: unknown, thrown: Frame[] | undefined, colors: boolean): string {
  try {
    return textOfError(error, thrown, colors);
  } catch (second) {
    return `${heading("Error", `(an error that cannot be shown: ${primitive(property(second, "message"))})`, colors)}\n`;
  }
}

function textOfError(error: unknown, thrown: Frame[] | undefined, colors: boolean): string {
  const loading = loadingText(error, colors);
  if (loading !== undefined) return loading;
  const mark = colors ? "\x1b[0m\x1b[31merror\x1b[0m" : "error";
  if (thrown !== undefined && thrown.length > 0) {
    const frames = framesOf(error, thrown);
    if (isError(error)) return fullText(error, colors, [], frames);
    const where = excerpt(frames[0]!, colors);
    if (typeof error !== "object" || error === null)
      return `${where}${heading("Error", primitive(error), colors)}\n${stackText(frames, colors)}`;
    return `${where}${mark}\n${shownAs(error, { colors })}\n${stackText(frames, colors)}`;
  }
  if (typeof error !== "object" || error === null) {
    const text = primitive(error);
    return `${heading("Error", text, colors)}\n${text}\n`;
  }
  if (!isError(error)) return `${mark}\n${shownAs(error, { colors })}\n`;
  return fullText(error, colors, [], undefined);
}

/** `around`: the errors of which this one is a cause or a member. `thrown`: its frames, where they are not its own. */
function fullText(error: object, colors: boolean, around: unknown[], thrown: Frame[] | undefined): string {
  const path = [...around, error];
  const inner = property(error, "errors");
  const isAggregate = Array.isArray(inner) && inner.length > 0 && property(error, "name") === "AggregateError";
  const members = isAggregate && around.length < MOST_CAUSES ? membersText(inner, colors, path) : "";
  // One that was made and not thrown says less than what it is about.
  if (isAggregate && thrown === undefined && textOf(error, "message") === "") return members;
  const frames = thrown ?? framesOf(error, undefined);
  let text = frames.length === 0 ? "" : excerpt(frames[0]!, colors);
  text += `${heading(textOf(error, "name"), textOf(error, "message"), colors)}\n`;
  const cause = property(error, "cause");
  const isCircular = cause !== undefined && path.includes(cause);
  text += ownProperties(error, colors, isCircular);
  text += stackText(frames, colors) + (members === "" ? "" : `\n${members}`);
  if (cause !== undefined && !isCircular && path.length < MOST_CAUSES) {
    text += isError(cause) ? `\n${fullText(cause, colors, path, undefined)}` : `\n${shownAs(cause, { colors })}\n`;
  }
  return text;
}

function membersText(members: unknown[], colors: boolean, path: unknown[]): string {
  const shown = members.slice(0, MOST_MEMBERS).map((one) => {
    if (path.includes(one)) return "[Circular]\n";
    return isError(one) ? fullText(one, colors, path, undefined) : `${heading("Error", primitive(one), colors)}\n`;
  });
  if (members.length > shown.length) shown.push(`(${members.length - shown.length} more)\n`);
  return shown.join("");
}

/** Properties that are shown in other ways, or say nothing. */
const KNOWN = ["cause", "stack", "message", "name", "errors", "originalLine", "originalColumn"];

/** What else the error says; matchers' results are in their message already. */
function ownProperties(error: object, colors: boolean, isCircular: boolean): string {
  let names: string[];
  try {
    if (Object.hasOwn(error, "matcherResult")) return "";
    names = Object.keys(error).filter((name) => !KNOWN.includes(name));
  } catch {
    return "";
  }
  if (names.length === 0 && !isCircular) return "";
  // The code comes last. Names are aligned, as far as they are short.
  const sorted = names.includes("code") ? [...names.filter((name) => name !== "code"), "code"] : names;
  if (isCircular) sorted.unshift("cause");
  const width = Math.min(10, Math.max(...sorted.map((name) => name.length)));
  const lines = sorted.map((name) => {
    const label = `${" ".repeat(Math.max(0, width - name.length))} ${name}${colors ? "\x1b[0m\x1b[2m:\x1b[0m" : ":"} `;
    if (name === "cause") return `${label}[Circular]`;
    const value = property(error, name);
    return (
      label +
      (colors && typeof value === "string"
        ? `\x1b[32m${JSON.stringify(value)}\x1b[0m`
        : shownAs(value, { colors, depth: 2 }))
    );
  });
  return `${lines.join(colors ? "\x1b[0m\x1b[2m,\x1b[0m\n" : ",\n")}\n\n`;
}
