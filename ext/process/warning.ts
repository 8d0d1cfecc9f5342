// process.emitWarning() and the default printing of warnings
// (https://nodejs.org/api/process.html#processemitwarningwarning-options).

import { codes } from "internal/core/errors";
import { nextTick } from "internal/core/task_queues";
import { validateString } from "internal/core/validators";

import type { Process } from "internal/process/types";

const { cliOption, stdioWrite, getenv } = native("process");

interface WarningOptions {
  type?: unknown;
  code?: unknown;
  detail?: unknown;
  ctor?: unknown;
}
/** An error that is a warning; `detail` is printed below it. */
type Warning = NodeError & { detail?: unknown };

/**
 * emitWarning(warning, options), emitWarning(warning, type, code, ctor): emits 'warning' on the next tick.
 * `options` is `{ type, code, detail, ctor }`. Throws ERR_INVALID_ARG_TYPE.
 */
export function emitWarning(warning: unknown, type?: unknown, code?: unknown, ctor?: unknown): void {
  // Only the documented way to turn deprecations off; it has to be cheap for callers in loops.
  const process = require("node:process");
  if (type === "DeprecationWarning" && process.noDeprecation) return;
  let detail: string | undefined;
  if (type !== null && typeof type === "object" && !Array.isArray(type)) {
    ctor = (type as WarningOptions).ctor;
    code = (type as WarningOptions).code;
    if (typeof (type as WarningOptions).detail === "string") detail = (type as WarningOptions).detail as string;
    type = (type as WarningOptions).type || "Warning";
  } else if (typeof type === "function") {
    ctor = type;
    code = undefined;
    type = "Warning";
  }
  if (type !== undefined) validateString(type, "type");
  if (typeof code === "function") {
    ctor = code;
    code = undefined;
  } else if (code !== undefined) {
    validateString(code, "code");
  }
  if (typeof warning === "string") warning = createWarning(warning, type, code, ctor, detail);
  else if (!(warning instanceof Error)) throw new codes.ERR_INVALID_ARG_TYPE("warning", ["Error", "string"], warning);
  if ((warning as Error).name === "DeprecationWarning") {
    if (process.noDeprecation) return;
    if (process.throwDeprecation) {
      nextTick(() => {
        throw warning;
      });
      return;
    }
  }
  nextTick((value: unknown) => process.emit("warning", value), warning);
}

function createWarning(
  message: string,
  type: unknown,
  code: unknown,
  ctor: unknown,
  detail: string | undefined,
): unknown {
  const warning: Warning = new Error(message);
  warning.name = String(type || "Warning");
  if (code !== undefined) warning.code = code as string;
  if (detail !== undefined) warning.detail = detail;
  Error.captureStackTrace?.(warning, (ctor as (() => void) | undefined) || require("node:process").emitWarning);
  return warning;
}

let disabled: Set<string> | undefined;
let shownHelp = false;
let file: string | undefined | null = null;

/** The listener of 'warning' that process starts with: prints to stderr, or to the file of --redirect-warnings. */
export function onWarning(warning: unknown): void {
  disabled ??= new Set<string>((cliOption("--disable-warning") as string[] | undefined) ?? []);
  if (
    disabled.size > 0 &&
    (disabled.has((warning as NodeError)?.code ?? "") || disabled.has((warning as NodeError)?.name))
  )
    return;
  if (!(warning instanceof Error)) return;
  const process = require("node:process");
  const { code, detail } = warning as Warning;
  const isDeprecation = warning.name === "DeprecationWarning";
  if (isDeprecation && process.noDeprecation) return;
  const trace = process.traceProcessWarnings || (isDeprecation && process.traceDeprecation);
  let text = `(${process.release.name}:${process.pid}) `;
  if (code) text += `[${code}] `;
  if (trace && warning.stack) text += warning.stack;
  else
    text += typeof warning.toString === "function" ? `${warning.toString()}` : Error.prototype.toString.call(warning);
  if (typeof detail === "string") text += `\n${detail}`;
  if (!trace && !shownHelp) {
    const flag = isDeprecation ? "--trace-deprecation" : "--trace-warnings";
    const program = require("node:path").basename(process.argv0 || "node", ".exe");
    text += `\n(Use \`${program} ${flag} ...\` to show where the warning was created)`;
    shownHelp = true;
  }
  print(process, text);
}

function print(process: Process, text: string): void {
  if (file === null)
    file = (cliOption("--redirect-warnings") as string | undefined) || getenv("NODE_REDIRECT_WARNINGS") || undefined;
  if (file) {
    try {
      require("node:fs").appendFileSync(file, `${text}\n`);
      return;
    } catch {
      // Node falls back to stderr as well.
    }
  }
  // A replaced process.stderr (tests, loggers) gets to see warnings; otherwise there is no need to make the stream.
  const stderr = Object.getOwnPropertyDescriptor(process, "stderr");
  if (stderr?.value !== undefined || require("internal/process/stdio").hasStderr()) process.stderr.write(`${text}\n`);
  else stdioWrite(2, `${text}\n`);
}
