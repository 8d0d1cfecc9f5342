// Promise rejections nobody handles: 'unhandledRejection', 'rejectionHandled' and the --unhandled-rejections modes
// (https://nodejs.org/api/process.html#event-unhandledrejection).
//
// The engine tells about a rejection when it happens (promiseRejectHandler); whether it stays unhandled is looked at
// after the microtasks of the same turn have run (processPromiseRejections).

import { captureContext, exchangeContext, ownership } from "internal/events/async_context";
import { setHasRejectionToWarn } from "internal/core/task_queues";
import { sinks } from "internal/core/trace_sinks";

import type { Process } from "internal/process/types";

const noHandler = 0;
const handlerAdded = 1;

/** One rejection that had no handler when it happened. */
class Rejection {
  declare promise: Promise<unknown>;
  declare reason: unknown;
  declare uid: number;
  /** The program was told already, so a late handler is 'rejectionHandled'. */
  told = false;
  declare context: unknown;
  constructor(promise: Promise<unknown>, reason: unknown, uid: number) {
    this.promise = promise;
    this.reason = reason;
    this.uid = uid;
    this.context = captureContext();
  }
}

const rejections = new WeakMap<object, Rejection>();
let pending: Rejection[] = [];
let handledLate: Rejection[] = [];
/** Also how many there were; those that are handled at once do not come here. */
let lastUid = 0;
/** How many of these were handled after. */
let handledAfter = 0;

/** Native entry: `type` 0 = rejected without a handler, 1 = got a handler afterwards. Never throws. */
export function promiseRejectHandler(type: number, promise: Promise<unknown>, reason: unknown): void {
  if (type === noHandler) {
    const rejection = new Rejection(promise, reason, ++lastUid);
    rejections.set(promise, rejection);
    pending.push(rejection);
    setHasRejectionToWarn();
    sinks.rejections?.(lastUid, handledAfter);
  } else if (type === handlerAdded) {
    const rejection = rejections.get(promise);
    if (rejection === undefined) return;
    rejections.delete(promise);
    handledAfter++;
    sinks.rejections?.(lastUid, handledAfter);
    if (rejection.told) {
      handledLate.push(rejection);
      setHasRejectionToWarn();
    }
  }
}

/** Tells the program. Returns whether its handlers may have queued ticks or microtasks. */
export function processPromiseRejections(): boolean {
  const process = require("node:process");
  let ranCode = false;
  while (handledLate.length > 0) {
    ranCode = true;
    const late = handledLate;
    handledLate = [];
    for (const { promise, uid } of late) {
      guarded(() => {
        if (process.emit("rejectionHandled", promise)) return;
        const warning: Error & { id?: number } = new Error(
          `Promise rejection was handled asynchronously (rejection id: ${uid})`,
        );
        warning.name = "PromiseRejectionHandledWarning";
        warning.id = uid;
        process.emitWarning(warning);
      });
    }
  }
  const batch = pending;
  pending = [];
  for (const rejection of batch) {
    // A handler that came in the meantime has taken it out of the map.
    if (rejections.get(rejection.promise) !== rejection) continue;
    rejection.told = true;
    ranCode = true;
    const prior = exchangeContext(rejection.context);
    guarded(() => tell(process, rejection));
    exchangeContext(prior);
  }
  return ranCode || pending.length > 0;
}

function guarded(fn: () => void): void {
  try {
    fn();
  } catch (error) {
    native("loop").triggerUncaughtException(error, false);
  }
}

let mode: string | undefined;

function tell(process: Process, rejection: Rejection): void {
  const { promise, reason, uid } = rejection;
  // A graph of modules (Bun.ModuleGraph) is told of its own.
  if (ownership.own !== undefined && require("internal/events/ownership").takesError(reason, "unhandledRejection"))
    return;
  mode ??= (native("process").cliOption("--unhandled-rejections") as string | undefined) ?? "throw";
  if (mode === "throw") {
    const { runner } = require("internal/process/execution").hooks;
    if (runner !== undefined) {
      if (!process.emit("unhandledRejection", reason, promise)) runner.uncaught(reason as NodeError, true);
      return;
    }
  }
  switch (mode) {
    case "strict":
      native("loop").triggerUncaughtException(asError(reason), true);
      if (!process.emit("unhandledRejection", reason, promise)) warn(process, uid, reason);
      return;
    case "warn":
      process.emit("unhandledRejection", reason, promise);
      warn(process, uid, reason);
      return;
    case "none":
      process.emit("unhandledRejection", reason, promise);
      return;
    case "warn-with-error-code":
      if (process.emit("unhandledRejection", reason, promise)) return;
      warn(process, uid, reason);
      process.exitCode = 1;
      return;
    default:
      if (!process.emit("unhandledRejection", reason, promise)) {
        native("loop").triggerUncaughtException(asError(reason), true);
      }
  }
}

// Anything with a stack passes as it is, everything else is wrapped so that the report says where it comes from.
function asError(reason: unknown) {
  if (isErrorLike(reason)) return reason;
  const error: NodeError = new Error(
    "This error originated either by throwing inside of an async function without a catch block, or by rejecting a " +
      `promise which was not handled with .catch(). The promise rejected with the reason "${describe(reason)}".`,
  );
  error.name = "UnhandledPromiseRejection";
  error.code = "ERR_UNHANDLED_REJECTION";
  // The place where the error was made says nothing about the rejection.
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

function isErrorLike(value: unknown): value is Error {
  return typeof value === "object" && value !== null && (isNativeError(value) || Object.hasOwn(value, "stack"));
}

function isNativeError(value: unknown): boolean {
  return Error.isError !== undefined ? Error.isError(value) : value instanceof Error;
}

// A text for any value that runs no code of the program.
function describe(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "symbol") return value.toString();
  if (typeof value === "function") return Function.prototype.toString.call(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (require("node:util").types.isProxy(value)) return "#<Object>";
  if (dataProperty(value, "toString") !== Object.prototype.toString) {
    return Array.isArray(value) ? "[object Array]" : "[object Object]";
  }
  const constructor = dataProperty(value, "constructor");
  return `#<${typeof constructor === "function" && constructor.name ? constructor.name : "Object"}>`;
}

// The value of a property along the prototype chain, without calling getters or proxy traps.
function dataProperty(value: unknown, key: string): unknown {
  const { isProxy } = require("node:util").types;
  for (let object = value; object !== null && !isProxy(object); object = Object.getPrototypeOf(object)) {
    const descriptor = Object.getOwnPropertyDescriptor(object, key);
    if (descriptor !== undefined) return descriptor.value;
  }
  return undefined;
}

function warn(process: Process, uid: number, reason: unknown): void {
  const warning = new Error(
    "Unhandled promise rejection. This error originated either by throwing inside of an async function without a catch " +
      "block, or by rejecting a promise which was not handled with .catch(). To terminate the node process on unhandled " +
      "promise rejection, use the CLI flag `--unhandled-rejections=strict` (see " +
      `https://nodejs.org/api/cli.html#cli_unhandled_rejections_mode). (rejection id: ${uid})`,
  );
  warning.name = "UnhandledPromiseRejectionWarning";
  try {
    if (isErrorLike(reason)) {
      warning.stack = reason.stack;
      process.emitWarning(reason.stack!, "UnhandledPromiseRejectionWarning");
    } else {
      process.emitWarning(describe(reason), "UnhandledPromiseRejectionWarning");
    }
  } catch {
    process.emitWarning(describe(reason), "UnhandledPromiseRejectionWarning");
  }
  process.emitWarning(warning);
}
