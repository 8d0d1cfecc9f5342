// node:util (https://nodejs.org/api/util.html). Its parts are loaded when they are used: functions by wrappers of the same
// name, classes and objects by getters.

import { lazyProperty } from "internal/core/lazy";
import { codes } from "internal/core/errors";
import { callbackify, deprecate, promisify } from "internal/core/util";
import type { ParseArgsConfig } from "internal/util/parse_args";
import type { DebounceOptions, ThrottleOptions } from "internal/util/limit_calls";
import {
  validateBoolean,
  validateInteger,
  validateNumber,
  validateObject,
  validateString,
} from "internal/core/validators";

/**
 * Makes `ctor.prototype` inherit from `superCtor.prototype`, with `ctor.super_`. For old code: `class` does it better.
 */
function inherits(
  ctor: { prototype?: unknown } | null | undefined,
  superCtor: { prototype?: unknown } | null | undefined,
) {
  if (ctor === undefined || ctor === null) throw new codes.ERR_INVALID_ARG_TYPE("ctor", "Function", ctor);
  if (superCtor === undefined || superCtor === null) {
    throw new codes.ERR_INVALID_ARG_TYPE("superCtor", "Function", superCtor);
  }
  if (superCtor.prototype === undefined) {
    throw new codes.ERR_INVALID_ARG_TYPE("superCtor.prototype", "Object", superCtor.prototype);
  }
  Object.defineProperty(ctor, "super_", { value: superCtor, writable: true, enumerable: false, configurable: true });
  Object.setPrototypeOf(ctor.prototype, superCtor.prototype);
}

/** Copies the own enumerable properties of `source`, if it is an object, to `target` (old). */
function _extend(target: { [key: string]: unknown }, source: unknown) {
  return source === null || typeof source !== "object" ? target : Object.assign(target, source);
}

function checkErrno(err: number) {
  validateNumber(err, "err");
  if (err >= 0 || !Number.isSafeInteger(err)) throw new codes.ERR_OUT_OF_RANGE("err", "a negative integer", err);
}

/** The name ("ENOENT") of a negative errno. */
function getSystemErrorName(err: number): string {
  checkErrno(err);
  return require("internal/core/errors").getSystemErrorName(err);
}

/** The text ("no such file or directory") of a negative errno. */
function getSystemErrorMessage(err: number): string {
  checkErrno(err);
  const entry = require("internal/core/uv_errors").map().get(err);
  return entry !== undefined ? entry[1] : `Unknown system error ${err}`;
}

function getSystemErrorMap(): Map<number, [string, string]> {
  return new Map(require("internal/core/uv_errors").map());
}

/** The exit code by which shells report the end by a signal: 128 plus its number. */
function convertProcessSignalToExitCode(signal: string): number {
  const { signals } = require("node:os").constants;
  if (typeof signal !== "string" || !Object.hasOwn(signals, signal)) {
    require("internal/core/validators").validateOneOf(signal, "signalCode", Object.keys(signals));
  }
  return 128 + signals[signal];
}

/**
 * Where the callers are: objects of functionName, scriptId, scriptName, lineNumber, columnNumber (from 1). `frameCount`:
 * 1 to 200. Positions are those of the sources (`options.sourceMap` changes nothing: the engine's positions are mapped).
 */
function getCallSites(frameCount: unknown = 10, options?: unknown) {
  if (options === undefined) {
    if (typeof frameCount === "object") {
      options = frameCount;
      validateObject(options, "options");
      if (options.sourceMap !== undefined) validateBoolean(options.sourceMap, "options.sourceMap");
      frameCount = 10;
    }
  } else {
    validateObject(options, "options");
    if (options.sourceMap !== undefined) validateBoolean(options.sourceMap, "options.sourceMap");
  }
  validateInteger(frameCount, "frameCount", 1, 200);
  const sites = require("internal/util/call_sites").captureCallSites(getCallSites, frameCount);
  return sites.slice(0, frameCount).map((site: CallSite & { getScriptId?(): number }) => {
    const columnNumber = site.getColumnNumber() ?? 0;
    return {
      __proto__: null,
      functionName: site.getFunctionName() ?? "",
      scriptId: `${site.getScriptId?.() ?? 0}`,
      scriptName: site.getFileName() ?? site.getScriptNameOrSourceURL?.() ?? "",
      lineNumber: site.getLineNumber() ?? 0,
      columnNumber,
      column: columnNumber,
    };
  });
}

/** The shortest list of changes between two strings, or two lists of strings: [-1 deleted, 0 same or 1 inserted, value]. */
function diff(actual: string | string[], expected: string | string[]): [number, string][] {
  if (actual === expected) return [];
  const check = (value: unknown, name: string) => {
    if (Array.isArray(value)) (require("internal/core/validators").validateStringArray as Check)(value, name);
    else validateString(value, name);
  };
  check(actual, "actual");
  check(expected, "expected");
  return require("internal/util/assert/myers_diff").myersDiff(actual, expected).reverse();
}

/** Whether a stack is printed when SIGINT ends the program. */
function setTraceSigInt(enable: unknown) {
  validateBoolean(enable, "enable");
  throw new codes.ERR_NOT_IMPLEMENTED("util.setTraceSigInt");
}

/** Prints a formatted line with day, month and time before it (old). */
function log(...args: unknown[]): void {
  const now = new Date();
  const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map((part) => `${part}`.padStart(2, "0")).join(":");
  const text = require("internal/util/format").formatWithOptionsInternal(undefined, args);
  console.log("%s - %s", `${now.getDate()} ${months[now.getMonth()]} ${time}`, text);
}

const util = {
  _errnoException: (errno: number, syscall: string, original?: string) =>
    require("internal/core/errors").errnoException(errno, syscall, original),
  _exceptionWithHostPort: (errno: number, syscall: string, address: string, port: number, additional?: string) =>
    require("internal/core/errors").exceptionWithHostPort(errno, syscall, address, port, additional),
  _extend,
  aborted(signal: unknown, resource: unknown) {
    return require("internal/util/promises").aborted(signal, resource);
  },
  callbackify,
  convertProcessSignalToExitCode,
  debounce(fn: unknown, wait: number, options?: DebounceOptions) {
    return require("internal/util/limit_calls").debounce(fn, wait, options);
  },
  debug: debuglog,
  debuglog,
  deprecate,
  diff,
  format(...args: unknown[]): string {
    return require("internal/util/format").formatWithOptionsInternal(undefined, args);
  },
  formatWithOptions(inspectOptions: unknown, ...args: unknown[]): string {
    return require("internal/util/inspect").formatWithOptions(inspectOptions, ...args);
  },
  getCallSites,
  getSystemErrorMap,
  getSystemErrorMessage,
  getSystemErrorName,
  inherits,
  isArray: Array.isArray,
  // Tests of old programs, which Node 23 has dropped and Bun keeps.
  isBoolean: (value: unknown): boolean => typeof value === "boolean",
  isBuffer: (value: unknown): boolean => require("node:buffer").Buffer.isBuffer(value),
  isDate: (value: unknown): boolean => require("internal/util/types").isDate(value),
  isError: (value: unknown): boolean =>
    value instanceof Error || Object.prototype.toString.call(value) === "[object Error]",
  isFunction: (value: unknown): boolean => typeof value === "function",
  isNull: (value: unknown): boolean => value === null,
  isNullOrUndefined: (value: unknown): boolean => value === null || value === undefined,
  isNumber: (value: unknown): boolean => typeof value === "number",
  isObject: (value: unknown): boolean => typeof value === "object" && value !== null,
  isPrimitive: (value: unknown): boolean =>
    value === null || (typeof value !== "object" && typeof value !== "function"),
  isRegExp: (value: unknown): boolean => require("internal/util/types").isRegExp(value),
  isString: (value: unknown): boolean => typeof value === "string",
  isSymbol: (value: unknown): boolean => typeof value === "symbol",
  isUndefined: (value: unknown): boolean => value === undefined,
  log,
  isDeepStrictEqual(actual: unknown, expected: unknown, skipPrototype?: boolean): boolean {
    return require("internal/util/comparisons").isDeepStrictEqual(actual, expected, skipPrototype);
  },
  isPartialDeepStrictEqual(actual: unknown, expected: unknown): boolean {
    return require("internal/util/comparisons").isPartialStrictEqual(actual, expected);
  },
  markPromiseAsHandled(promise: Promise<unknown>) {
    require("internal/util/promises").markPromiseAsHandled(promise);
  },
  parseArgs(config?: ParseArgsConfig) {
    return require("internal/util/parse_args").parseArgs(config);
  },
  parseEnv(content: unknown) {
    return require("internal/util/parse_env").parseEnv(content);
  },
  promisify,
  setTraceSigInt,
  stripVTControlCharacters(str: unknown): string {
    validateString(str, "str");
    return require("internal/util/string_width").stripVTControlCharacters(str);
  },
  styleText(format: unknown, text: string, options?: unknown): string {
    return require("internal/util/style_text").styleText(format, text, options);
  },
  throttle(fn: unknown, limit: unknown, interval: unknown, options?: ThrottleOptions) {
    return require("internal/util/limit_calls").throttle(fn, limit, interval, options);
  },
  toUSVString(string: unknown): string {
    return `${string}`.toWellFormed();
  },
  transferableAbortController() {
    return require("internal/util/promises").transferableAbortController();
  },
  transferableAbortSignal(signal: unknown) {
    return require("internal/util/promises").transferableAbortSignal(signal);
  },
};

function debuglog(set: string, callback?: (fn: unknown) => void) {
  return require("internal/util/debuglog").debuglog(set, callback);
}

/** What is loaded by `lazy`. */
interface Lazy {
  inspect: typeof import("internal/util/inspect").inspect;
  types: BuiltinModules["node:util/types"];
  MIMEType: typeof import("internal/util/mime").MIMEType;
  MIMEParams: typeof import("internal/util/mime").MIMEParams;
  TextDecoder: typeof import("web/encoding").TextDecoder;
  TextEncoder: typeof import("web/encoding").TextEncoder;
}

function lazy(name: keyof Lazy, load: () => unknown) {
  lazyProperty(util, name, load);
}
lazy("inspect", () => require("internal/util/inspect").inspect);
lazy("types", () => require("node:util/types"));
lazy("MIMEType", () => require("internal/util/mime").MIMEType);
lazy("MIMEParams", () => require("internal/util/mime").MIMEParams);
lazy("TextDecoder", () => require("web/encoding").TextDecoder);
lazy("TextEncoder", () => require("web/encoding").TextEncoder);

export default util as typeof util & Lazy;
