// The rarer methods of the console, for the global one and for instances of `Console`. `core` is the state of one console:
// indentation, timers, counters, and how a message gets out (see web/console).

import type { Core, OutputStream } from "internal/console/types";
import type { InspectOptions } from "internal/util/inspect_types";
import { isStackOverflowError } from "internal/core/errors";
import { sinks } from "internal/core/trace_sinks";

const inspect = (value: unknown, options: InspectOptions): string =>
  require("internal/util/inspect").inspect(value, options);

/**
 * Writes text to a stream. With `ignoreErrors` neither what the stream throws nor its "error" events reach the program;
 * only an exhausted stack does.
 */
export function writeTo(stream: OutputStream, text: string, ignoreErrors: boolean) {
  if (!ignoreErrors) {
    stream.write(text);
    return;
  }
  if (stream._isStdio) {
    // Writes of these are done, or have failed, when the call returns.
    try {
      stream.write(text);
    } catch (error) {
      if (isStackOverflowError(error)) throw error;
    }
    if (stream.errored && stream.listenerCount!("error") === 0) stream.once!("error", noop);
    return;
  }
  try {
    // The error may come at once or later.
    if (typeof stream.once === "function" && stream.listenerCount?.("error") === 0) stream.once("error", noop);
    stream.write(text, errorHandler(stream));
  } catch (error) {
    if (isStackOverflowError(error)) throw error;
  } finally {
    stream.removeListener?.("error", noop);
  }
}

function noop() {}

const handlers = new WeakMap<object, (error?: NodeError | null) => void>();

function errorHandler(stream: OutputStream): (error?: NodeError | null) => void {
  let handler = handlers.get(stream);
  if (handler === undefined) {
    handler = (error) => {
      // An asynchronous failure is emitted after this call: somebody has to listen.
      if (error != null && !stream._writableState?.errorEmitted && stream.listenerCount!("error") === 0) {
        stream.once!("error", noop);
      }
    };
    handlers.set(stream, handler);
  }
  return handler;
}

export function dir(core: Core, object: unknown, options: InspectOptions | undefined) {
  core.emit(1, inspect(object, { customInspect: false, ...core.inspectOptions(1), ...options }));
}

// ---------------------------------------------------------------------------------------------------------------------
// Timers and counters

const pad = (value: number | string) => `${value}`.padStart(2, "0");

/** Milliseconds as "1.234ms", "1.234s", "1:02.345 (m:ss.mmm)", "1:02:03.456 (h:mm:ss.mmm)". */
export function formatTime(ms: number): string {
  let hours = 0;
  let minutes = 0;
  let seconds = 0;
  if (ms >= 1000) {
    if (ms >= 60000) {
      if (ms >= 3600000) {
        hours = Math.floor(ms / 3600000);
        ms %= 3600000;
      }
      minutes = Math.floor(ms / 60000);
      ms %= 60000;
    }
    seconds = ms / 1000;
  }
  if (hours !== 0 || minutes !== 0) {
    const [whole, rest] = seconds.toFixed(3).split(".") as [string, string];
    const start = hours !== 0 ? `${hours}:${pad(minutes)}` : minutes;
    return `${start}:${pad(whole)}.${rest} (${hours !== 0 ? "h:m" : ""}m:ss.mmm)`;
  }
  if (seconds !== 0) return `${seconds.toFixed(3)}s`;
  return `${Number(ms.toFixed(3))}ms`;
}

export function time(core: Core, label: string) {
  label = `${label}`;
  core.times ??= new Map();
  if (core.times.has(label)) {
    process.emitWarning(`Label '${label}' already exists for console.time()`);
    return;
  }
  core.times.set(label, performance.now());
  sinks.console?.("b", `time::${label}`);
}

function elapsed(core: Core, label: string, method: string): string | undefined {
  const start = core.times?.get(label);
  if (start === undefined) {
    process.emitWarning(`No such label '${label}' for console.${method}()`);
    return undefined;
  }
  return formatTime(performance.now() - start);
}

export function timeEnd(core: Core, label: string) {
  label = `${label}`;
  const text = elapsed(core, label, "timeEnd");
  if (text === undefined) return;
  core.console.log("%s: %s", label, text);
  core.times!.delete(label);
  sinks.console?.("e", `time::${label}`);
}

export function timeLog(core: Core, label: string, data: unknown[]) {
  label = `${label}`;
  const text = elapsed(core, label, "timeLog");
  if (text === undefined) return;
  core.console.log("%s: %s", label, text, ...data);
  sinks.console?.("n", `time::${label}`, data.length > 0 ? data : undefined);
}

export function count(core: Core, label: string) {
  label = `${label}`;
  core.counts ??= new Map();
  const value = (core.counts.get(label) ?? 0) + 1;
  core.counts.set(label, value);
  sinks.console?.("C", `count::${label}`, value);
  core.console.log(`${label}: ${value}`);
}

export function countReset(core: Core, label: string) {
  label = `${label}`;
  if (!core.counts?.delete(label)) process.emitWarning(`Count for '${label}' does not exist`);
  else sinks.console?.("C", `count::${label}`, 0);
}

// ---------------------------------------------------------------------------------------------------------------------

export function trace(core: Core, above: Function, args: unknown[]) {
  const holder: NodeError = {
    name: "Trace",
    message: require("internal/util/format").formatWithOptionsInternal(core.inspectOptions(2), args),
  };
  Error.captureStackTrace(holder, above);
  core.console.error(holder.stack);
}

export function assert(core: Core, args: unknown[]) {
  if (typeof args[0] === "string") args[0] = `Assertion failed: ${args[0]}`;
  else args.unshift("Assertion failed");
  core.console.warn(...args);
}

export function clear(core: Core) {
  if (!core.isTty(1) || process.env.TERM === "dumb") return;
  const stream = core.stream(1);
  // Cursor to the first line and column, then everything below is erased.
  writeTo(stream, "\u001b[1;1H\u001b[0J", true);
}

/** Bun's console.write. */
export function writeRaw(core: Core, data: unknown[]): number {
  let bytes = 0;
  for (const item of data) {
    const chunk =
      typeof item === "string" || ArrayBuffer.isView(item)
        ? item
        : item instanceof ArrayBuffer
          ? new Uint8Array(item)
          : String(item);
    bytes += typeof chunk === "string" ? Buffer.byteLength(chunk) : chunk.byteLength;
    core.stream(1).write(chunk);
  }
  return bytes;
}

/** Bun's iterator over the lines of standard input. */
export async function* lines(): AsyncGenerator<string, void, unknown> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of process.stdin) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", start)) {
      yield rest.slice(start, end > start && rest[end - 1] === "\r" ? end - 1 : end);
      start = end + 1;
    }
    rest = rest.slice(start);
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

/** An inspector's console of its own: as there is none that listens, its methods do nothing. */
export function context(_name?: unknown): { [key: string]: unknown } {
  const target: { [key: string]: unknown } = {};
  for (const name of [
    "debug",
    "error",
    "info",
    "log",
    "warn",
    "dir",
    "dirxml",
    "table",
    "trace",
    "group",
    "groupCollapsed",
    "groupEnd",
    "clear",
    "count",
    "countReset",
    "assert",
    "profile",
    "profileEnd",
    "time",
    "timeLog",
    "timeEnd",
    "timeStamp",
  ]) {
    target[name] = { [name]() {} }[name];
  }
  return target;
}

/** A named task: `run(fn)` calls a function and gives its result. (The name is for the debugger's asynchronous stacks.) */
export function createTask(name: unknown): { run<T>(fn: () => T): T } {
  if (typeof name !== "string" || name === "") throw new Error("First argument must be a non-empty string.");
  return {
    run(fn) {
      if (typeof fn !== "function") throw new Error("First argument must be a function.");
      return fn();
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// Tables

const iterationColumn = "(iteration index)";
const indexColumn = "(index)";
const keyColumn = "Key";
const valuesColumn = "Values";

/** Rows and columns of the elements of an array, the properties of an object, the entries of a Map or Set. */
export function table(core: Core, data: unknown, properties: readonly string[] | undefined): void {
  if (properties !== undefined) (require("internal/core/validators").validateArray as Check)(properties, "properties");
  if (data === null || typeof data !== "object") return core.console.log(data);
  const types = require("internal/util/types");
  const show = (value: unknown) =>
    inspect(value, {
      maxArrayLength: 3,
      breakLength: Infinity,
      ...core.inspectOptions(1),
      depth:
        value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0,
    });
  const indices = (length: number) => Array.from({ length }, (_, i) => show(i));
  const print = (head: string[], columns: string[][]) => core.console.log(drawTable(head, columns));

  const mapIterator = types.isMapIterator(data);
  let setLike = false;
  let pairs = types.isMap(data);
  if (mapIterator || types.isSetIterator(data)) {
    const preview = require("internal/util/inspect_entries").previewEntries(data);
    if (preview === undefined) return core.console.log(data);
    data = preview[0];
    setLike = !preview[1];
    if (preview[1]) {
      // Keys and values take turns.
      const list = data as unknown[];
      data = [];
      for (let i = 0; i < list.length; i += 2) (data as unknown[]).push([list[i], list[i + 1]]);
      pairs = mapIterator;
      setLike = !mapIterator;
    }
  }
  if (pairs) {
    const keys: string[] = [];
    const values: string[] = [];
    for (const [key, value] of data as Iterable<[unknown, unknown]>) {
      keys.push(show(key));
      values.push(show(value));
    }
    return print([iterationColumn, keyColumn, valuesColumn], [indices(keys.length), keys, values]);
  }
  if (setLike || types.isSet(data)) {
    const values: string[] = [];
    for (const value of data as Iterable<unknown>) values.push(show(value));
    return print([iterationColumn, valuesColumn], [indices(values.length), values]);
  }

  const columns: Record<string, string[]> = Object.create(null);
  const primitives: string[] = [];
  let hasPrimitives = false;
  const rows = Object.keys(data as object);
  for (let i = 0; i < rows.length; i++) {
    const item = (data as Record<string, unknown>)[rows[i]!];
    const primitive = item === null || (typeof item !== "function" && typeof item !== "object");
    if (primitive && properties === undefined) {
      hasPrimitives = true;
      primitives[i] = show(item);
    } else {
      for (const key of properties ?? Object.keys(item as object)) {
        columns[key] ??= [];
        columns[key]![i] = !primitive && Object.hasOwn(item, key) ? show((item as Record<string, unknown>)[key]) : "";
      }
    }
  }
  const head = Object.keys(columns);
  const cells = Object.values(columns);
  if (hasPrimitives) {
    head.push(valuesColumn);
    cells.push(primitives);
  }
  return print([indexColumn, ...head], [rows, ...cells]);
}

function drawTable(head: string[], columns: string[][]): string {
  const { getStringWidth } = require("internal/util/string_width");
  const widths = head.map((title) => getStringWidth(title));
  const length = Math.max(...columns.map((column) => column.length));
  const rows: string[][] = [];
  for (let row = 0; row < length; row++) {
    rows[row] = head.map((_, i) => {
      const text = Object.hasOwn(columns[i]!, row) ? columns[i]![row]! : "";
      widths[i] = Math.max(widths[i], getStringWidth(text));
      return text;
    });
  }
  const line = (cells: string[]) =>
    `│ ${cells.map((text, i) => text + " ".repeat(widths[i] - getStringWidth(text))).join(" │ ")} │`;
  const rule = (left: string, middle: string, right: string) =>
    left + widths.map((width: number) => "─".repeat(width + 2)).join(middle) + right;
  return [rule("┌", "┬", "┐"), line(head), rule("├", "┼", "┤"), ...rows.map(line), rule("└", "┴", "┘")].join("\n");
}
