/** Libraries of `bun:ffi` and their functions: `dlopen`, `linkSymbols`, `CFunction`. */
import { codedTypeError } from "internal/core/errors";
import { type Shape, invalid, readShape } from "internal/ffi/types";

const ops = native("ffi");
const { defineProperty } = Object;

/** A C function as a function of JavaScript. */
type Call = ((...args: unknown[]) => unknown) & { close?: () => void };

type LibraryHandle = ReturnType<typeof ops.open>;

/** What `dlopen`, `linkSymbols` and `cc` give. */
export class FFI {
  close: () => void;
  symbols: { [name: string]: Call };

  constructor(handle: LibraryHandle, symbols: { [name: string]: Call }) {
    this.close = function close() {
      ops.close(handle);
    };
    this.symbols = symbols;
  }
}
/** A C function that a program describes. */
export interface Described {
  name: string;
  shape: Shape;
  /** The address that was given; 0 if it is to be looked up. */
  address: number;
}

/** Whether a value is an object that has properties to read. */
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function addressOf(value: unknown): number {
  if (typeof value === "bigint") return value > 0n ? Number(value) : 0;
  return typeof value === "number" && value >= 1 ? Math.trunc(value) : 0;
}

/**
 * Reads the descriptions of functions by their names.
 *
 * @throws TypeError or Error in Bun's words
 */
export function describe(symbols: unknown, allowsNapi = false): Described[] {
  if (!isObject(symbols)) throw invalid("Expected an options object with symbol names");
  const found: Described[] = [];
  for (const [name, description] of Object.entries(symbols)) {
    if (!isObject(description)) {
      throw codedTypeError("ERR_INVALID_ARG_VALUE", `Expected an object for key "${name}"`);
    }
    const shape = readShape(description, "signature", allowsNapi);
    found.push({ name, shape, address: addressOf((description as { ptr?: unknown }).ptr) });
  }
  return found;
}

/** The numbers of types of several functions as the native half reads them. */
function flatten(functions: Described[]): Uint8Array {
  const bytes: number[] = [];
  for (const { shape } of functions) bytes.push(shape.returns, shape.args.length, ...shape.args);
  return Uint8Array.from(bytes);
}

/** Makes functions whose addresses are known. */
function link(handle: LibraryHandle, functions: Described[]): Call[] {
  const made = ops.link(
    handle,
    functions.map(({ name }) => name),
    functions.map(({ address }) => address),
    flatten(functions),
  ) as Call[];
  for (const [index, call] of made.entries()) {
    defineProperty(call, "ptr", { value: functions[index]!.address });
    defineProperty(call, "native", { value: call });
  }
  return made;
}

/** A library of functions whose addresses are known. */
function library(handle: LibraryHandle, functions: Described[]): FFI {
  const calls = link(handle, functions);
  const symbols: { [name: string]: Call } = {};
  for (const [index, { name }] of functions.entries()) {
    defineProperty(symbols, name, { value: calls[index], writable: true, enumerable: true, configurable: true });
  }
  return new FFI(handle, symbols);
}

/** The path that a string, a `file:` URL or a `Bun.file` stands for. */
function pathOf(name: unknown): string {
  if (typeof name === "string" || typeof name === "number") {
    const text = `${name}`;
    return text.startsWith("file:") ? require("node:url").fileURLToPath(text) : text;
  }
  if (isObject(name)) {
    const { isURL } = require("internal/fs/utils");
    if (isURL(name)) return require("node:url").fileURLToPath(name);
    if (require("bun/file").isBunFile(name)) {
      const path = (name as { name?: unknown }).name;
      if (typeof path === "string") return path;
    }
  }
  throw invalid("Expected string");
}

/**
 * Opens a library and makes functions of its symbols.
 *
 * @param name a file, or a name that the system's loader searches for
 * @throws ERR_DLOPEN_FAILED with the name and the loader's message; a TypeError with the name of a missing symbol
 */
export function dlopen(name: unknown, symbols: unknown): FFI {
  if (name === undefined || name === null) throw invalid("Expected string");
  const path = pathOf(name);
  if (path === "") throw invalid("Invalid library name");
  const functions = describe(symbols);
  if (functions.length === 0) throw invalid("Expected at least one symbol");
  return open(path, functions, (symbol) => invalid(`Symbol "${symbol}" not found in "${path}"`));
}

/** Opens a library whose functions have been described. */
export function open(path: string, functions: Described[], missing: (symbol: string) => Error): FFI {
  const handle = ops.open(path);
  try {
    for (const found of functions) {
      found.address ||= ops.symbol(handle, found.name);
      if (found.address === 0) throw missing(found.name);
    }
    return library(handle, functions);
  } catch (error) {
    ops.close(handle);
    throw error;
  }
}

/** The descriptions of functions, each with its address. */
function describeLinked(symbols: unknown): Described[] {
  const functions = describe(symbols);
  for (const { name, address } of functions) {
    if (address === 0) {
      throw invalid(
        `Symbol "${name}" is missing a "ptr" field. When using linkSymbols() or CFunction(), you must provide a "ptr" field with the memory address of the native function.`,
      );
    }
  }
  return functions;
}

/** Makes functions of C functions by their addresses. */
export function linkSymbols(symbols: unknown): FFI {
  const functions = describeLinked(symbols);
  if (functions.length === 0) throw invalid("Expected at least one symbol");
  return library(ops.open(), functions);
}

let made = 0;

/** Makes a function of a C function by its address. */
export function CFunction(options: unknown): Call {
  if (!isObject(options)) throw invalid('Expected an options object with a "ptr"');
  const functions = describeLinked({ CFunction: options });
  functions[0]!.name = `CFunction${made++}`;
  const handle = ops.open();
  const [call] = link(handle, functions);
  const close = () => {
    ops.close(handle);
  };
  defineProperty(call, "close", { value: close, configurable: true, writable: true });
  return call!;
}
