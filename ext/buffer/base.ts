/**
 * What every part of `node:buffer` stands on: the class whose prototype becomes `Buffer.prototype`, the size
 * limits of the engine, and type tests that do not depend on user-visible (and patchable) properties.
 */

/** buffer.constants.MAX_LENGTH, as in Node: what may be asked for. */
export const kMaxLength = Number.MAX_SAFE_INTEGER;
/** Largest byte length of a typed array in this engine: asking for more is "invalid array length". */
export const kArrayLimit = 16 * 1024 * 1024 * 1024;
/** Largest length of a string in this engine, in UTF-16 code units. */
export const kStringMaxLength = 2 ** 30 - 2;

/**
 * `Buffer.prototype` is this class's prototype, so that what `Buffer.from` and friends return are instances of a
 * real `Uint8Array` subclass. The parameters are spelled out so that construction does not go through the array
 * iterator that an implicit `...args` constructor uses.
 */
export class FastBuffer extends Uint8Array {
  constructor(bufferOrLength?: number | ArrayBufferLike | ArrayLike<number>, byteOffset?: number, length?: number) {
    super(bufferOrLength as ArrayBuffer, byteOffset, length);
  }
}

const { getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object;
const bufferPrototype = FastBuffer.prototype;
const { isBytes, newBytes } = native("encoding");

/** What buffers are like that ops make: it has their prototype and no properties. */
export const emptyBuffer = new FastBuffer(0);

/**
 * A zero-filled buffer of `size` bytes with memory of its own.
 *
 * Machine code makes it in place, which it does for no subclass (engine/overlay/patches/byte-arrays.patch). The op leaves sizes
 * to the constructor that are no integers of 31 bits.
 */
export function newBuffer(size: number): FastBuffer {
  const result = newBytes(size, emptyBuffer);
  return result === undefined ? setPrototypeOf(new Uint8Array(size), bufferPrototype) : result;
}

const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
const getTag: (this: unknown) => string | undefined = getOwnPropertyDescriptor(
  typedArrayPrototype,
  Symbol.toStringTag,
)!.get!;
/** The length of a typed array, whatever a program has set as its `length`. */
export const getTypedLength: (this: unknown) => number = getOwnPropertyDescriptor(typedArrayPrototype, "length")!.get!;
const getArrayBufferLength: (this: unknown) => number = getOwnPropertyDescriptor(
  ArrayBuffer.prototype,
  "byteLength",
)!.get!;
const { isView } = ArrayBuffer;

/**
 * True for `Uint8Array` and its subclasses (so for every Buffer), of any realm.
 *
 * The first test is a comparison in machine code and decides nearly always; arrays on resizable buffers are left to the other one.
 */
export function isUint8Array(value: unknown): value is Uint8Array {
  return isBytes(value) || getTag.call(value) === "Uint8Array";
}

/** True for every typed array (not for `DataView`), of any realm. */
export function isTypedArray(value: unknown): boolean {
  return getTag.call(value) !== undefined;
}

/** True for every typed array and `DataView`, of any realm. */
export function isArrayBufferView(value: unknown): value is ArrayBufferView {
  return isView(value);
}

/** True for `ArrayBuffer`s of any realm, detached ones included; false for `SharedArrayBuffer`. */
export function isArrayBuffer(value: unknown): value is ArrayBuffer {
  if (typeof value !== "object" || value === null) return false;
  try {
    getArrayBufferLength.call(value);
    return true;
  } catch {
    return false;
  }
}

let getSharedLength: ((this: unknown) => number) | null | undefined;

/** True for `SharedArrayBuffer`s of any realm. */
export function isSharedArrayBuffer(value: unknown): value is SharedArrayBuffer {
  if (typeof value !== "object" || value === null) return false;
  // What it nearly always is, and the getter of the other kind would throw.
  if (value instanceof ArrayBuffer && isArrayBuffer(value)) return false;
  if (getSharedLength === undefined) {
    getSharedLength =
      typeof SharedArrayBuffer === "function"
        ? getOwnPropertyDescriptor(SharedArrayBuffer.prototype, "byteLength")!.get!
        : null;
  }
  if (getSharedLength === null) return false;
  try {
    getSharedLength.call(value);
    return true;
  } catch {
    return false;
  }
}

/** True for `ArrayBuffer` and `SharedArrayBuffer`, of any realm. */
export function isAnyArrayBuffer(value: unknown): value is ArrayBufferLike {
  if (typeof value !== "object" || value === null) return false;
  // Throwing getters are slow, and nearly everything that is not an array buffer is told apart before them.
  if (value instanceof ArrayBuffer) return isArrayBuffer(value);
  if (isView(value) || Array.isArray(value)) return false;
  const tag = (value as { [key: symbol]: unknown })[Symbol.toStringTag];
  if (tag !== "ArrayBuffer" && tag !== "SharedArrayBuffer") return false;
  return isArrayBuffer(value) || isSharedArrayBuffer(value);
}

/** The length of a typed array in elements, whatever own property shadows `length`. */
export function typedArrayLength(value: unknown): number {
  return getTypedLength.call(value);
}
