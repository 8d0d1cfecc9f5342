/** `bun:ffi` (https://bun.com/docs/runtime/ffi): C functions, callbacks and memory. */
import { cc } from "internal/ffi/cc";
import { type Described, CFunction, describe, dlopen, linkSymbols } from "internal/ffi/library";
import { FFIType, declarations, invalid, readShape } from "internal/ffi/types";

const ops = native("ffi");
const { defineProperty } = Object;

/** A JavaScript function that C can call. It lives until it is closed. */
class JSCallback {
  /** Its address, null once closed. */
  declare readonly ptr: number | null;
  /** Whether any thread may call it: the calls are made by the loop of this thread, and C gets 0. */
  declare readonly threadsafe: boolean;
  #handle: ReturnType<typeof ops.callback>[0];

  constructor(callback: unknown, definition: unknown) {
    if (typeof definition !== "object" || definition === null) throw invalid("Expected object");
    if (typeof callback !== "function") throw invalid("Expected callback function");
    const { args, returns } = readShape(definition, "callback signature");
    const threadsafe = Boolean((definition as { threadsafe?: unknown }).threadsafe);
    const [handle, address] = ops.callback(callback, args, returns, threadsafe);
    this.#handle = handle;
    defineProperty(this, "ptr", { value: address, configurable: true });
    defineProperty(this, "threadsafe", { value: threadsafe });
  }

  [Symbol.toPrimitive](): number | null {
    return this.ptr;
  }

  close(): void {
    if (this.ptr === null) return;
    ops.closeCallback(this.#handle);
    defineProperty(this, "ptr", { value: null });
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Text in memory that C has made: a copy, which stays when the memory is gone. */
class Text extends String {
  constructor(address?: unknown, offset?: unknown, length?: unknown) {
    super(ops.text(address, offset, length));
  }
}
defineProperty(Text, "name", { value: "CString" });
defineProperty(Text, "length", { value: 3 });

/** Callable without `new` as well, as in Bun; a plain string then. */
const CString = new Proxy(Text, {
  apply: (_target, _this, [address, offset, length]: unknown[]) => ops.text(address, offset, length),
});

/**
 * An `ArrayBuffer` on memory, without a copy.
 *
 * @param length in bytes; up to the first zero if it is left out
 * @param deallocator address of a C function that is called with the memory and `context` once the buffer is gone
 */
function toArrayBuffer(...args: unknown[]): ArrayBuffer {
  if (args.length === 0) throw invalid("Missing argument");
  const [address, offset, length, context, deallocator] = args;
  return ops.arrayBuffer(address, offset, length, context, deallocator);
}
defineProperty(toArrayBuffer, "length", { value: 1 });

/** The same as a `Buffer`. */
function toBuffer(...args: unknown[]): unknown {
  return require("node:buffer").Buffer.from(toArrayBuffer(...args));
}
defineProperty(toBuffer, "length", { value: 1 });

const declare = ({ name, shape }: Described) => {
  const args = Array.from(shape.args, (type) => declarations[type]!.trimEnd());
  return `${declarations[shape.returns]!.trimEnd()} ${name}(${args.join(", ") || "void"});\n`;
};

/**
 * What bao makes of descriptions: there is no C source in between, so that only the declarations of the C functions are shown.
 *
 * @param isCallback whether `symbols` is the description of a callback
 */
function viewSource(symbols: unknown, isCallback?: unknown): string | string[] {
  if (isCallback) {
    if (typeof symbols !== "object" || symbols === null) throw invalid("Expected an object");
    const shape = readShape(symbols, "callback signature");
    return `// bao makes machine code for callbacks (no C source is generated)\n${declare({ name: "callback", shape, address: 0 })}`;
  }
  return describe(symbols).map(
    (found) => `// bao makes machine code for calls (no C source is generated)\n${declare(found)}`,
  );
}

const readerNames = ["u8", "u16", "u32", "ptr", "i8", "i16", "i32", "i64", "u64", "intptr", "f32", "f64"] as const;
const readers = ops.readers();
const read = Object.fromEntries(readerNames.map((name, index) => [name, readers[index]!]));

const deprecated = (): never => {
  throw new Error("Deprecated. Use new JSCallback(options, fn) instead");
};

/** The address of the bytes of a buffer or view, which holds until the buffer is collected, detached or resized. */
const ptr = ops.ptr;

export default {
  CFunction,
  CString,
  FFIType,
  JSCallback,
  cc,
  dlopen,
  linkSymbols,
  native: { dlopen, callback: deprecated },
  ptr,
  read,
  suffix: process.platform === "darwin" ? "dylib" : "so",
  toArrayBuffer,
  toBuffer,
  viewSource,
};
