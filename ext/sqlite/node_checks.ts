/** Checks of arguments of node:sqlite, with the words of Node's native half. */
import { codedTypeError } from "internal/core/errors";
import type { Callable } from "internal/sqlite/constants";

/** A TypeError with the code ERR_INVALID_ARG_TYPE. */
export function argumentError(message: string): Error {
  return codedTypeError("ERR_INVALID_ARG_TYPE", message);
}

/** An Error with the code ERR_INVALID_STATE. */
export function stateError(message: string): Error {
  const error: NodeError = new Error(message);
  error.code = "ERR_INVALID_STATE";
  return error;
}

/** A RangeError with the code ERR_OUT_OF_RANGE. */
export function rangeError(message: string): Error {
  const error: NodeError = new RangeError(message);
  error.code = "ERR_OUT_OF_RANGE";
  return error;
}

const ARTICLES: { readonly [type: string]: string } = { object: "an object", function: "a function" };

/** Throws unless `value` is of this type; null is no object. */
export function needType(value: unknown, name: string, type: "boolean" | "string" | "object" | "function"): void {
  if (typeof value === type && value !== null) return;
  if (type === "object" && typeof value === "function") return;
  throw argumentError(`The "${name}" argument must be ${ARTICLES[type] ?? `a ${type}`}.`);
}

/** Throws unless `value` is an integer of 32 bits. */
export function needInteger(value: unknown, name: string): asserts value is number {
  if ((value as number) === ((value as number) | 0)) return;
  throw argumentError(`The "${name}" argument must be an integer.`);
}

/** The options object of a call, or undefined if none was given. */
export function optionsOf(options: unknown): { readonly [name: string]: unknown } | undefined {
  if (options === undefined) return undefined;
  needType(options, "options", "object");
  return options as { readonly [name: string]: unknown };
}

type Options = { readonly [name: string]: unknown } | undefined;

/** A boolean option. */
export function flag(options: Options, name: string, fallback: boolean): boolean {
  const value = options?.[name];
  if (value === undefined) return fallback;
  needType(value, `options.${name}`, "boolean");
  return value as boolean;
}

/** An option of text. */
export function text(options: Options, name: string): string | undefined {
  const value = options?.[name];
  if (value === undefined) return undefined;
  needType(value, `options.${name}`, "string");
  return value as string;
}

/** An option that is a function. */
export function callback(options: Options, name: string): Callable | undefined {
  const value = options?.[name];
  if (value === undefined) return undefined;
  needType(value, `options.${name}`, "function");
  return value as Callable;
}

/** A path of a database: a string, bytes, or the text of a file: URL, which SQLite reads itself with its parameters. */
export function databasePath(path: unknown): string | Uint8Array {
  if (typeof path === "string") {
    if (!path.includes("\0")) return path;
  } else if (path instanceof Uint8Array) {
    if (!path.includes(0)) return path;
  } else if (typeof path === "object" && path !== null && "href" in path) {
    const { href, protocol } = path as { href: unknown; protocol?: unknown };
    if (typeof href === "string" && !href.includes("\0")) {
      if (protocol === "file:" || href.startsWith("file:")) return href;
      throw codedTypeError("ERR_INVALID_URL_SCHEME", "The URL must be of scheme file:");
    }
  }
  throw argumentError('The "path" argument must be a string, Uint8Array, or URL without null bytes.');
}
