/**
 * `bun:ffi` (https://bun.com/docs/runtime/ffi), so far only its names: the module can be imported, the numbers of types and the
 * suffix of libraries are there, and every function says that it is not implemented.
 */
import { notImplemented } from "bun/util";

/** Names of C types by the numbers that Bun gives them. */
const numbers: [number: number, names: string][] = [
  [0, "char"],
  [1, "i8 int8_t"],
  [2, "u8 uint8_t"],
  [3, "i16 int16_t"],
  [4, "u16 uint16_t"],
  [5, "i32 int c_int int32_t"],
  [6, "u32 c_uint uint32_t"],
  [7, "i64 isize int64_t"],
  [8, "u64 usize uint64_t"],
  [9, "f64 double"],
  [10, "f32 float"],
  [11, "bool"],
  [12, "ptr pointer char* void*"],
  [13, "void"],
  [14, "cstring"],
  [15, "i64_fast"],
  [16, "u64_fast"],
  [17, "function callback fn"],
  [18, "napi_env"],
  [19, "napi_value"],
  [20, "buffer"],
  [21, "buffer_length buffer_bytelength"],
];

/** The number of a C type by its name; the numbers up to 17 stand for themselves. */
const FFIType: { [name: string]: number } = {};
for (const [number, names] of numbers) {
  if (number <= 17) FFIType[number] = number;
  for (const name of names.split(" ")) FFIType[name] = number;
}

const missing = (name: string) =>
  ({
    [name](): never {
      throw notImplemented(`bun:ffi ${name}`);
    },
  })[name]!;

/** Text in memory that C has made. */
class CString extends String {
  constructor() {
    super();
    throw notImplemented("bun:ffi CString");
  }
}

/** A JavaScript function that C can call. */
class JSCallback {
  constructor() {
    throw notImplemented("bun:ffi JSCallback");
  }
  close(): void {}
  [Symbol.dispose](): void {}
  [Symbol.toPrimitive](): number {
    return 0;
  }
}

const readers = "u8 u16 u32 ptr i8 i16 i32 i64 u64 intptr f32 f64";

export default {
  CFunction: missing("CFunction"),
  CString,
  FFIType,
  JSCallback,
  cc: missing("cc"),
  dlopen: missing("dlopen"),
  linkSymbols: missing("linkSymbols"),
  native: { dlopen: missing("native.dlopen"), callback: missing("native.callback") },
  ptr: missing("ptr"),
  read: Object.fromEntries(
    readers.split(" ").map((name) => {
      const read = missing(`read.${name}`);
      Object.defineProperty(read, "name", { value: name });
      return [name, read];
    }),
  ),
  suffix: process.platform === "darwin" ? "dylib" : "so",
  toArrayBuffer: missing("toArrayBuffer"),
  toBuffer: missing("toBuffer"),
  viewSource: missing("viewSource"),
};
