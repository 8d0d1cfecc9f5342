// How `util.inspect` shows errors: the stack with the class name put right, frames of Node's own modules and of packages
// marked when there are colours, frames that repeat left out.

import type { InspectRun } from "internal/util/inspect_types";
import { classOf, kError } from "internal/util/types";
import { formatValue, getPrefix } from "internal/util/inspect_value";

const { hasOwnProperty } = Object.prototype;
const { toString: errorToString } = Error.prototype;

function isError(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    (classOf(value) === kError || Function.prototype[Symbol.hasInstance].call(Error, value))
  );
}

/** The text of an error. Removes from `keys` what the text shows already and adds `cause` and `errors`. */
export function formatError(
  ctx: InspectRun,
  error: NodeError & { errors?: unknown },
  constructor: string | null,
  tag: string,
  keys: PropertyKey[],
): string {
  let message: string;
  let name: string;
  let stack: string;
  try {
    stack = stackOf(ctx, error);
    ({ message } = error);
    ({ name } = error);
  } catch {
    // Properties that throw when they are read: shown as properties, the head says only what kind of object it is.
    return Object.prototype.toString.call(error);
  }
  name = name != null ? name : "Error";

  dropShownKeys(ctx, keys, error, stack);
  ["cause", "errors"].forEach((key) => {
    if (
      !keys.includes(key) &&
      hasOwnProperty.call(error, key) &&
      (key === "cause" || Array.isArray(error[key as "errors"]))
    ) {
      keys.push(key);
    }
  });
  stack = improveStack(stack, constructor, name, tag);

  // Frames start after the message, which may contain lines that look like some.
  let at = typeof message === "string" && message !== "" ? stack.indexOf(message) : -1;
  if (at >= 0) at += message.length;
  const start = stack.indexOf("\n    at", at < 0 ? 0 : at);
  if (start < 0) {
    stack = `[${stack}]`;
  } else {
    const lines = framesOf(ctx, error, stack.slice(start + 1));
    stack = stack.slice(0, start) + (ctx.colors ? highlight(ctx, lines) : `\n${lines.join("\n")}`);
  }
  if (ctx.indentationLvl !== 0) stack = stack.replaceAll("\n", `\n${" ".repeat(ctx.indentationLvl)}`);
  return stack;
}

function stackOf(ctx: InspectRun, error: NodeError): string {
  const { stack } = error;
  if (stack) {
    if (typeof stack === "string") return stack;
    // Somebody has put another value there.
    ctx.seen.push(error);
    ctx.indentationLvl += 4;
    const text = formatValue(ctx, stack, undefined as never);
    ctx.indentationLvl -= 4;
    ctx.seen.pop();
    return `${errorToString.call(error)}\n    ${text}`;
  }
  return errorToString.call(error);
}

function dropShownKeys(ctx: InspectRun, keys: PropertyKey[], error: NodeError, stack: string) {
  if (ctx.showHidden || keys.length === 0) return;
  ["name", "message", "stack"].forEach((name) => {
    const at = keys.indexOf(name);
    if (at >= 0 && (typeof error[name as "name"] !== "string" || stack.includes(error[name as "name"])))
      keys.splice(at, 1);
  });
}

/**
 * The stack says the `name` of an error, which is "Error" for classes that set none: the class name is put in its place
 * or before it, with the tag and the mark of a missing prototype.
 */
function improveStack(stack: string, constructor: string | null, name: string, tag: string): string {
  if (typeof name !== "string") {
    name = String(name);
    stack = stack.replace(name, () => `${name} [${getPrefix(constructor, tag, "Error").slice(0, -1)}]`);
  }
  let length = name.length;
  if (
    constructor === null ||
    (name.endsWith("Error") &&
      stack.startsWith(name) &&
      (stack.length === length || stack[length] === ":" || stack[length] === "\n"))
  ) {
    let fallback = "Error";
    if (constructor === null) {
      const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) ?? /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
      fallback = start !== null ? start[1]! : "";
      length = fallback.length;
      fallback ||= "Error";
    }
    const prefix = getPrefix(constructor, tag, fallback).slice(0, -1);
    if (name !== prefix) {
      if (prefix.includes(name)) {
        stack = length === 0 ? `${prefix}: ${stack}` : `${prefix}${stack.slice(length)}`;
      } else {
        stack = `${prefix} [${name}]${stack.slice(length)}`;
      }
    }
  }
  return stack;
}

// ---------------------------------------------------------------------------------------------------------------------
// Frames

function framesOf(ctx: InspectRun, error: NodeError, text: string): string[] {
  const frames = text.split("\n");
  let cause: unknown;
  try {
    ({ cause } = error);
  } catch {
    // As if it had none.
  }
  if (cause != null && isError(cause)) {
    const causeStack = stackOf(ctx, cause as Error);
    const start = causeStack.indexOf("\n    at");
    if (start >= 0) {
      const common = commonRun(frames, causeStack.slice(start + 1).split("\n"));
      if (common !== undefined) {
        const skipped = common.length - 2;
        frames.splice(
          common.offset + 1,
          skipped,
          ctx.stylize(`    ... ${skipped} lines matching cause stack trace ...`, "undefined"),
        );
      }
    }
  }
  if (frames.length > 10) collapseRepeated(ctx, frames);
  return frames;
}

// The first run of more than three lines of `frames` that `causeFrames` has too.
function commonRun(frames: string[], causeFrames: string[]): { offset: number; length: number } | undefined {
  for (let i = 0; i < frames.length - 3; i++) {
    const at = causeFrames.indexOf(frames[i]!);
    if (at < 0) continue;
    const longest = Math.min(frames.length - i, causeFrames.length - at);
    if (longest <= 3) continue;
    let length = 1;
    while (length < longest && frames[i + length] === causeFrames[at + length]) length++;
    if (length > 3) return { offset: i, length };
  }
}

// Recursion repeats groups of frames: of each run of the same group the first is kept. Runs of fewer than three further
// lines stay.
function collapseRepeated(ctx: InspectRun, frames: string[]) {
  const places = new Map<string, number[]>();
  frames.forEach((frame, i) => {
    const list = places.get(frame);
    if (list === undefined) places.set(frame, [i]);
    else list.push(i);
  });
  if (frames.length - places.size < 3) return;
  for (let i = 0; i < frames.length - 3; i++) {
    let best = 0;
    let period = 0;
    for (const next of places.get(frames[i]!)!) {
      if (next <= i) continue;
      const length = next - i;
      let repeats = 0;
      let same = true;
      while (same && i + length * (repeats + 2) <= frames.length) {
        const from = i + length * (repeats + 1);
        for (let j = 0; j < length; j++) {
          if (frames[i + j] !== frames[from + j]) {
            same = false;
            break;
          }
        }
        if (same) repeats++;
      }
      if (repeats * length > best) {
        best = repeats * length;
        period = length;
      }
    }
    if (best < 3) continue;
    const times = best / period;
    const what = times > 1 ? `${period} lines ${times} times...` : "lines ...";
    const note = ctx.stylize(`    ... collapsed ${best} duplicate lines matching above ${what}`, "undefined");
    frames.splice(i + period, best, note);
    // What follows has moved; the note itself stands for no frame.
    const moved = best - 1;
    for (const [frame, list] of places) {
      places.set(
        frame,
        list
          .filter((at) => at < i + period || at >= i + period + best)
          .map((at) => (at >= i + period + best ? at - moved : at)),
      );
    }
    places.set(note, [i + period]);
    i += period;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Colours

// Frames of built-in modules: `node:fs:1:2`, or this runtime's own `internal/x:1:2`.
const coreFrame = /^ {4}at (?:[^/\\(]+ \(|)(?:node:(.+)|(?:internal|web|bun)\/.+):\d+:\d+(?:\)|$)/;
const nodeModules = /[/\\]node_modules[/\\](.+?)(?=[/\\])/g;

function highlight(ctx: InspectRun, lines: string[]): string {
  let out = "";
  let directory: string | undefined;
  try {
    directory = process.cwd();
  } catch {
    // The directory has been removed: nothing is marked.
  }
  let directoryUrl: string | undefined;
  for (let line of lines) {
    const core = coreFrame.exec(line);
    if (core !== null && (core[1] === undefined || isBuiltIn(core[1]))) {
      out += `\n${ctx.stylize(line, "undefined")}`;
      continue;
    }
    line = markPackages(ctx, line);
    if (directory !== undefined) {
      let marked = markDirectory(ctx, line, directory);
      if (marked === line) {
        directoryUrl ??= require("node:url").pathToFileURL(directory).href as string;
        marked = markDirectory(ctx, line, directoryUrl);
      }
      line = marked;
    }
    out += `\n${line}`;
  }
  return out;
}

let publicIds: Set<string> | undefined;
// The parts of Node's internals that are found in stacks which other programs have recorded.
const internalIds =
  /^internal\/(?:modules\/(?:cjs\/(?:loader|transform)|helpers|run_main|package_json_reader|esm\/\w+)|main\/\w+|process\/\w+|timers|streams\/\w+|util\/\w+|fs\/\w+|net|url|errors|validators|event_target|async_hooks|child_process(?:\/\w+)?|webstreams\/\w+|crypto\/\w+)$/;

// Modules of Node by name: their frames are of no interest to the user.
function isBuiltIn(id: string): boolean {
  publicIds ??= new Set(
    (
      "_http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex " +
      "_stream_passthrough _stream_readable _stream_transform _stream_wrap _stream_writable _tls_common _tls_wrap assert " +
      "assert/strict async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns " +
      "dns/promises domain events fs fs/promises http http2 https inspector inspector/promises module net os path " +
      "path/posix path/win32 perf_hooks process punycode querystring quic readline readline/promises repl sea sqlite " +
      "stream stream/consumers stream/promises stream/web string_decoder sys test test/reporters timers timers/promises " +
      "tls trace_events tty url util util/types v8 vm wasi worker_threads zlib"
    ).split(" "),
  );
  return publicIds.has(id) || internalIds.test(id);
}

// Package names underlined.
function markPackages(ctx: InspectRun, line: string): string {
  let out = "";
  let last = 0;
  nodeModules.lastIndex = 0;
  let found: RegExpExecArray | null;
  let search = 0;
  while ((found = ((nodeModules.lastIndex = search), nodeModules.exec(line))) !== null) {
    // "/node_modules/".
    const start = found.index + 14;
    let end = found.index + found[0].length;
    if (line[start] === "@") {
      const slash = line.slice(end + 1).search(/[/\\]/);
      if (slash >= 0) end += slash + 1;
    }
    out += line.slice(last, start) + ctx.stylize(line.slice(start, end), "module");
    last = end;
    search = end;
  }
  return last === 0 ? line : out + line.slice(last);
}

// The working directory in grey, and the parentheses around the place with it.
function markDirectory(ctx: InspectRun, line: string, directory: string): string {
  let start = line.indexOf(directory);
  if (start < 0) return line;
  let end = start + directory.length;
  const protocol = "file://";
  if (line.slice(start - protocol.length, start) === protocol) start -= protocol.length;
  const opened = line[start - 1] === "(";
  if (opened) start--;
  const closing = opened && line.endsWith(")") ? -1 : line.length;
  // The separator belongs to the directory.
  end++;
  let out = line.slice(0, start) + ctx.stylize(line.slice(start, end), "undefined");
  out += line.slice(end, closing);
  if (closing === -1) out += ctx.stylize(")", "undefined");
  return out;
}
