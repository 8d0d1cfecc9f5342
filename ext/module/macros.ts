// Macros (https://bun.com/docs/bundler/macros): calls of functions imported `with { type: "macro" }` are made while a file is prepared, in
// a worker, and this thread waits for what they give. Programs and builds use the same: the text with the results in it.
import { own } from "internal/worker/thread_info";
import { buildMessage } from "bun/messages";
import type { MacroAnswer, MacroJob } from "internal/module/macro_worker";
import type { Port } from "web/message_port";

const loader = native("loader");

/** How many texts `findMacros` gives of each call. */
const FIELDS = 6;

/** Where a call of a macro stands: line and column from 1, and the text of the line. */
interface MacroPlace {
  line: number;
  column: number;
  lineText: string;
}

/** The worker that runs macros, once there was one. */
let worker: { port: Port; signal: Int32Array } | undefined;

function startWorker(): { port: Port; signal: Int32Array } {
  const { kServes, Worker } = require("internal/worker/parent");
  const { MessageChannel } = require("web/message_port");
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const made = new Worker("", {
    eval: true,
    name: "macros",
    // A package may have another file for macros.
    execArgv: ["--conditions=macro"],
    workerData: { port: port2, signal },
    transferList: [port2],
    [kServes]: "macros",
  });
  made.unref();
  port1.unref();
  return { port: port1, signal };
}

function ask(job: MacroJob): MacroAnswer {
  worker ??= startWorker();
  const { port, signal } = worker;
  Atomics.store(signal, 0, 0);
  port.postMessage(job);
  Atomics.wait(signal, 0, 0);
  const { receiveMessageOnPort } = require("web/message_port");
  const answer = receiveMessageOnPort(port) as { message: MacroAnswer } | undefined;
  if (answer !== undefined) return answer.message;
  worker = undefined;
  return { results: [], failed: 0, error: "The macro has ended its thread", stack: undefined };
}

/** The error of a macro's call at a place. */
export class MacroError extends Error {
  place: MacroPlace;

  constructor(message: string, place: MacroPlace) {
    super(message);
    this.place = place;
  }
}

/**
 * The text with the results of its macros in it; undefined if it has none. `language`: js, jsx, ts or tsx. `sources`: functions that
 * are macros wherever they are imported, in threes: module and name as imported, module that has it. `isAllowed`: whether calls are
 * made; `--no-macros` forbids them, too.
 * Throws a {@link MacroError} about a call, and a SyntaxError about arguments that are not known before the program runs.
 */
export function expandText(
  text: string,
  path: string,
  language: string,
  sources: readonly string[] = [],
  isAllowed: boolean = true,
): string | undefined {
  // What macros import from each other are functions like others.
  if (own.serves === "macros") return undefined;
  const found = loader.findMacros(text, path, language, sources);
  if (found === undefined) return undefined;
  const calls: MacroJob["calls"] = [];
  const places: MacroPlace[] = [];
  for (let at = 0; at < found.length; at += FIELDS) {
    const [specifier, name, args, line, column, lineText] = found.slice(at, at + FIELDS);
    calls.push({ specifier: specifier!, name: name!, args: args! });
    places.push({ line: Number(line), column: Number(column), lineText: lineText! });
  }
  if (calls.length === 0) return loader.expandMacros(text, path, language, sources, []);
  if (!isAllowed || native("process").cliOption("--no-macros") === true)
    throw new MacroError("Macros are disabled", places[0]!);
  if (path.includes("/node_modules/")) {
    throw new MacroError("For security reasons, macros cannot be run from node_modules.", places[0]!);
  }
  const { results, failed, error, stack } = ask({ path, calls });
  if (failed !== undefined) {
    const made = new MacroError(error, places[failed]!);
    if (stack !== undefined) made.stack = stack;
    throw made;
  }
  return loader.expandMacros(text, path, language, sources, results);
}

/** What {@link expandText} has thrown about `text`, for messages. Line and column count from 1; 0 if there is no place. */
export function failureOf(error: unknown, text: string): MacroPlace & { message: string } {
  if (error instanceof MacroError) return { message: error.message, ...error.place };
  const { message = `${error}`, stack = "" } = (error ?? {}) as Partial<Error>;
  // The stack of a SyntaxError of the transpiler begins with its place.
  const [, line = "0", column = "0"] = /^.*:(\d+):(\d+)\n/.exec(stack) ?? [];
  const lineText = text.split("\n")[Number(line) - 1] ?? "";
  return { message, line: Number(line), column: Number(column), lineText };
}

/** The BuildMessage of an error in `text`, which tells that it is of `file`. */
export function messageOf({ message, place, stack }: MacroError, text: string, file: string): object {
  const { line, column, lineText } = place;
  let start = 0;
  for (let at = 1; at < line; at++) start = text.indexOf("\n", start) + 1;
  const offset = start + column - 1;
  const told = buildMessage(message, { lineText, file, namespace: "file", line, column, length: 0, offset });
  const at = `    at ${file}:${line}:${column}`;
  const frames = stack?.startsWith("MacroError") === false ? `\n${stack.slice(stack.indexOf("\n    at ") + 1)}` : "";
  const value = `BuildMessage: ${message}\n${at}${frames.includes("    at ") ? frames : ""}`;
  Object.defineProperty(told, "stack", { value, writable: true, configurable: true });
  return told;
}

/** The same as {@link expandText} for the module loader, which a BuildMessage tells where the call stands. */
export function expand(text: string, path: string, language: string): string | undefined {
  try {
    return expandText(text, path, language);
  } catch (error) {
    throw error instanceof MacroError ? messageOf(error, text, path) : error;
  }
}
