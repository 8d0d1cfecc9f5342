/** C types of `bun:ffi`: their names and numbers, and descriptions of functions that a program passes. */
import { codedTypeError } from "internal/core/errors";

/** Names of C types by the numbers that Bun gives them. */
const names: [number: number, names: string][] = [
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

/** How C writes the types, by their numbers. */
export const declarations = [
  "char",
  "int8_t",
  "uint8_t",
  "int16_t",
  "uint16_t",
  "int32_t",
  "uint32_t",
  "int64_t",
  "uint64_t",
  "double",
  "float",
  "bool",
  "void *",
  "void",
  "char *",
  "int64_t",
  "uint64_t",
  "void *",
  "napi_env",
  "napi_value",
  "void *",
  "size_t",
];

const VOID = 13;
const NAPI_ENV = 18;
const NAPI_VALUE = 19;
const BUFFER = 20;
/** Numbers up to this one stand for themselves in `FFIType`. */
const LAST_NUMBERED = 17;
/** What one byte can count. */
const MOST_ARGUMENTS = 255;

/** The number of a C type by its name. */
export const FFIType: { [name: string]: number } = {};
for (const [number, list] of names) {
  if (number <= LAST_NUMBERED) FFIType[number] = number;
  for (const name of list.split(" ")) FFIType[name] = number;
}

/** Arguments and result of a C function. */
export interface Shape {
  args: Uint8Array;
  returns: number;
}

/** A TypeError with the code of wrong arguments. */
export const invalid = (message: string): Error => codedTypeError("ERR_INVALID_ARG_TYPE", message);

function typeNumber(type: unknown, role: string): number {
  if (typeof type === "number") {
    if (Number.isInteger(type) && type >= 0 && type < names.length) return type;
    throw new Error("invalid ABI type");
  }
  if (typeof type !== "string") throw new Error("param must be a string (type name) or number");
  if (!Object.hasOwn(FFIType, type)) throw codedTypeError("ERR_INVALID_ARG_VALUE", `Unknown ${role} ${type}`);
  return FFIType[type]!;
}

/**
 * Reads the description of a function.
 *
 * @param allowsNapi whether values of Node-API may go in and out
 * @throws Error or TypeError in Bun's words
 */
export function readShape(description: object, what: "signature" | "callback signature", allowsNapi = false): Shape {
  const { args: list, returns: result } = description as { args?: unknown; returns?: unknown };
  let args = new Uint8Array();
  if (list !== undefined && list !== null) {
    if (!Array.isArray(list)) throw new Error('Expected an object with "args" as an array');
    if (list.length > MOST_ARGUMENTS) throw new RangeError(`bun:ffi: more than ${MOST_ARGUMENTS} arguments`);
    args = Uint8Array.from(list, (type) => typeNumber(type, "type"));
  }
  const returns = result === undefined || result === null ? VOID : typeNumber(result, "return type");
  if (!allowsNapi && (args.some(isNapi) || isNapi(returns))) {
    throw invalid(
      "napi_env / napi_value are only supported in bun:ffi cc() (compiled C source), not in dlopen/linkSymbols/CFunction/JSCallback",
    );
  }
  if (returns >= BUFFER) {
    throw new Error("Cannot return a buffer to JavaScript (since byteLength and byteOffset are unknown)");
  }
  if (args.includes(VOID)) throw new TypeError(`bun:ffi: unsupported ${what}`);
  return { args, returns };
}

const isNapi = (type: number) => type === NAPI_ENV || type === NAPI_VALUE;
