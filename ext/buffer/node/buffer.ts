/**
 * `node:buffer` (https://nodejs.org/api/buffer.html).
 *
 * `Buffer` is a plain function, callable with and without `new`, whose prototype is that of {@link FastBuffer}, a
 * real subclass of `Uint8Array`. Every buffer has memory of its own, as in Bun: this engine makes a small typed array in
 * a third of the time that a view on a shared pool (which Node's documentation allows for, but does not promise) takes.
 * The number accessors live in internal/buffer/numbers, the encodings in internal/buffer/codecs, searching, comparing
 * and filling in internal/buffer/bytes.
 */
import { lazyProperty } from "internal/core/lazy";
import { codes } from "internal/core/errors";
import { validateArray, validateInteger, validateNumber } from "internal/core/validators";
import {
  FastBuffer,
  emptyBuffer,
  isAnyArrayBuffer,
  isArrayBuffer,
  isArrayBufferView,
  isTypedArray,
  isUint8Array,
  kMaxLength,
  kStringMaxLength,
  newBuffer,
  typedArrayLength,
} from "internal/buffer/base";
import { getCodec, normalizeEncoding, strictWrite, stringMethods, utf8 } from "internal/buffer/codecs";
import type { Codec } from "internal/buffer/codecs";
import { byteMethods, compareBytes, copyBytes, fillBytes } from "internal/buffer/bytes";
import { numberMethods } from "internal/buffer/numbers";

const ops = native("encoding");
const sliceUtf8 = utf8.slice;
const { defineProperty, defineProperties, setPrototypeOf } = Object;
const { valueOf: valueOfObject } = Object.prototype;
const { set: setElements, slice: sliceElements } = Object.getPrototypeOf(Uint8Array.prototype);

// ---- the constructor ----

let deprecationSettled = false;
let deprecationChecks = 0;

/** Emits DEP0005 once, unless the caller is code under node_modules (or always with --pending-deprecation). */
function warnConstructor(): void {
  // After very many calls from node_modules the stack is not looked at any more: it costs more than it tells.
  if (deprecationSettled || ++deprecationChecks > 10000) return;
  const pending = process.env.NODE_PENDING_DEPRECATION === "1" || process.execArgv.includes("--pending-deprecation");
  if (!pending && calledFromNodeModules()) return;
  deprecationSettled = true;
  process.emitWarning(
    "Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), " +
      "Buffer.allocUnsafe(), or Buffer.from() methods instead.",
    "DeprecationWarning",
    "DEP0005",
  );
}

/** An object that may say itself what it is as a string. */
type Primitive = { [Symbol.toPrimitive]?(hint: string): unknown };

/** An object that Buffer.from may take: an array by its length, something with memory, or what toJSON made. */
type Convertible = { length?: unknown; buffer?: unknown; type?: unknown; data?: unknown };

/** Whether the nearest stack frame outside the built-in modules is in a file under node_modules. */
function calledFromNodeModules(): boolean {
  for (const site of require("internal/util/call_sites").captureCallSites(Buffer, 100)) {
    const file = String(site.getFileName() ?? "");
    if (file === "" || /^(?:node:|internal\/|web\/|bun[:/])/.test(file)) continue;
    return /[/\\]node_modules[/\\]/i.test(file);
  }
  return false;
}

/**
 * The deprecated constructor: `Buffer.alloc` for a number, else `Buffer.from`.
 *
 * Unlike in old versions of Node, `Buffer(size)` is zero-filled.
 */
function Buffer(arg: unknown, encodingOrOffset?: string | number, length?: number): FastBuffer {
  warnConstructor();
  if (typeof arg === "number") {
    if (typeof encodingOrOffset === "string") throw new codes.ERR_INVALID_ARG_TYPE("string", "string", arg);
    return Buffer.alloc(arg);
  }
  return Buffer.from(arg, encodingOrOffset, length);
}

defineProperty(Buffer, Symbol.species, {
  configurable: true,
  enumerable: false,
  get() {
    return FastBuffer;
  },
});

/** In Node the size in bytes of the pools that small buffers are cut from; here nothing depends on it. */
Buffer.poolSize = 8192;

// ---- memory ----

function validateSize(size: number): void {
  validateNumber(size, "size", 0, kMaxLength);
}

/** An integer in bytes between `min` and `max`. */
function validateOffset(value: unknown, name: string, min = 0, max = kMaxLength): void {
  validateInteger(value, name, min, max);
}

// ---- static methods ----

/**
 * A new buffer from a string, an array of bytes, a buffer or typed array (copied), an `ArrayBuffer` (shared), or an
 * object that converts to one of these. Throws ERR_INVALID_ARG_TYPE for other values.
 */
Buffer.from = function from(value: unknown, encodingOrOffset?: string | number, length?: number): FastBuffer {
  if (typeof value === "string") return fromString(value, encodingOrOffset as string | undefined);
  if (typeof value === "object" && value !== null) {
    if (!isUint8Array(value) && isAnyArrayBuffer(value))
      return fromArrayBuffer(value, encodingOrOffset as number | undefined, length);
    if (value.valueOf !== valueOfObject && value.valueOf) {
      const primitive = value.valueOf();
      if (
        primitive != null &&
        primitive !== value &&
        (typeof primitive === "string" || typeof primitive === "object")
      ) {
        return from(primitive, encodingOrOffset, length);
      }
    }
    const result = fromObject(value);
    if (result !== undefined) return result;
    if (typeof (value as Primitive)[Symbol.toPrimitive] === "function") {
      const text = (value as Primitive)[Symbol.toPrimitive]!("string");
      if (typeof text === "string") return fromString(text, encodingOrOffset as string | undefined);
    }
  }
  throw new codes.ERR_INVALID_ARG_TYPE(
    "first argument",
    ["string", "Buffer", "ArrayBuffer", "Array", "Array-like Object"],
    value,
  );
};

/**
 * A new buffer with a copy of the memory of the typed array `view` from element `offset` on, `length` elements.
 * Throws ERR_INVALID_ARG_TYPE or ERR_OUT_OF_RANGE.
 */
Buffer.copyBytesFrom = function copyBytesFrom(view: Uint8Array, offset?: number, length?: number): FastBuffer {
  if (!isTypedArray(view)) throw new codes.ERR_INVALID_ARG_TYPE("view", ["TypedArray"], view);
  const elements = typedArrayLength(view);
  if (elements === 0) return Buffer.alloc(0);
  if (offset !== undefined || length !== undefined) {
    if (offset !== undefined) {
      validateInteger(offset, "offset", 0);
      if (offset >= elements) return Buffer.alloc(0);
    } else {
      offset = 0;
    }
    let end = elements;
    if (length !== undefined) {
      validateInteger(length, "length", 0);
      end = offset + length;
    }
    view = sliceElements.call(view, offset, end);
  }
  return fromArrayLike(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
};

setPrototypeOf(Buffer, Uint8Array);

const of = (...items: number[]) => {
  const result = newBuffer(items.length);
  for (let i = 0; i < items.length; i++) result[i] = items[i];
  return result;
};
/** A buffer of the given bytes. An arrow function, as `Buffer.of` is not a constructor. */
Buffer.of = of;

/**
 * A buffer of `size` bytes filled with `fill` (number, string in `encoding`, or bytes), zero by default.
 * Throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE, ERR_INVALID_ARG_VALUE, ERR_UNKNOWN_ENCODING.
 */
Buffer.alloc = function alloc(size: number, fill?: unknown, encoding?: string): FastBuffer {
  validateSize(size);
  if (fill !== undefined && fill !== 0 && size > 0) {
    const result = newBuffer(size);
    return fillBytes(result, fill, 0, result.length, encoding);
  }
  return newBuffer(size);
};

/** A buffer of `size` bytes of any content. */
Buffer.allocUnsafe = function allocUnsafe(size: number) {
  validateSize(size);
  return unsafeBuffer(size);
};

/** A buffer of `size` bytes of any content; the same as `allocUnsafe`, as there is no pool. */
Buffer.allocUnsafeSlow = function allocUnsafeSlow(size: number): FastBuffer {
  validateSize(size);
  return unsafeBuffer(size);
};

function fromString(value: string, encoding: string | undefined): FastBuffer {
  let codec: Codec | undefined = utf8;
  if (typeof encoding === "string" && encoding !== "") {
    codec = getCodec(encoding);
    if (codec === undefined) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
  }
  if (value.length === 0) return new FastBuffer();
  if (value.length >= LONG && codec.bytes !== undefined) return setPrototypeOf(codec.bytes(value), proto);
  if (codec === utf8) return encodeUtf8(value);
  const room = codec.byteLength(value);
  const result = newBuffer(room);
  const size = codec.write(value, result, 0, room);
  return size === room ? result : new FastBuffer(result.buffer, 0, size);
}

/** From this many code units or bytes on, memory that need not be zeroed is worth a native call to make it. */
const LONG = 8192;

/** A buffer of `size` bytes of any content. */
function unsafeBuffer(size: number): FastBuffer {
  // What is too large fails as it does without.
  return size >= LONG && size <= 0x40000000 ? setPrototypeOf(ops.uninitialized(size), proto) : newBuffer(size);
}

/** Longest string, in code units, that is encoded by a loop right here; chosen by measurement. */
const SHORT = 48;

/** Whether one of the first characters is not ASCII: then the size is not the length, and counting first saves a buffer. */
function startsForeign(value: string): boolean {
  return (
    (value.charCodeAt(0) |
      value.charCodeAt(1) |
      value.charCodeAt(2) |
      value.charCodeAt(3) |
      value.charCodeAt(4) |
      value.charCodeAt(5) |
      value.charCodeAt(6) |
      value.charCodeAt(7)) >
    0x7f
  );
}

/** The right size at once if the string is ASCII, which most are. */
function encodeUtf8(value: string): FastBuffer {
  const units = value.length;
  if (units > SHORT && startsForeign(value)) {
    const size = ops.utf8Length(value);
    const exact = newBuffer(size);
    ops.utf8Write(value, exact, 0, size);
    return exact;
  }
  const result = newBuffer(units);
  if (units <= SHORT) {
    let i = 0;
    for (; i < units; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 0x7f) break;
      result[i] = unit;
    }
    if (i === units) return result;
  }
  const size = ops.utf8Fill(value, result);
  if (size === units) return result;
  const larger = newBuffer(size);
  ops.utf8Write(value, larger, 0, size);
  return larger;
}

function fromArrayBuffer(
  value: ArrayBufferLike,
  byteOffset: number | undefined,
  length: number | undefined,
): FastBuffer {
  if (byteOffset === undefined) {
    byteOffset = 0;
  } else {
    byteOffset = +byteOffset;
    if (byteOffset !== byteOffset) byteOffset = 0;
  }
  const room = value.byteLength - byteOffset;
  if (room < 0) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("offset");
  if (length !== undefined) {
    length = +length;
    if (length > 0) {
      if (length > room) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("length");
    } else {
      length = 0;
    }
  }
  // The op counts negative positions from the end; the constructor throws.
  if (byteOffset >= 0) {
    const end = length === undefined ? undefined : byteOffset + length;
    const view = ops.viewBytes(value, byteOffset, end, emptyBuffer, true);
    if (view !== undefined) return view;
  }
  // An absent length stays absent: on a resizable array buffer the result then follows its size.
  return new FastBuffer(value, byteOffset, length);
}

/** Up to this many elements a loop is faster than the constructor, which is made for iterables too. */
const SHORT_LIST = 4096;

function fromArrayLike(value: ArrayLike<number>) {
  const { length } = value;
  if (!(length > 0)) return new FastBuffer();
  if (length < SHORT_LIST && Math.floor(length) === length) {
    const result = newBuffer(length);
    if (isUint8Array(value) || isArrayBufferView(value)) setElements.call(result, value, 0);
    else for (let i = 0; i < length; i++) result[i] = value[i];
    return result;
  }
  return new FastBuffer(value);
}

function fromObject(value: Convertible): FastBuffer | undefined {
  const { length } = value;
  if (typeof length === "number") return fromArrayLike(value as ArrayLike<number>);
  if (length !== undefined || isAnyArrayBuffer(value.buffer)) return new FastBuffer();
  if (value.type === "Buffer" && Array.isArray(value.data)) return fromArrayLike(value.data);
  return undefined;
}

/** Whether `value` is a Buffer. */
Buffer.isBuffer = function isBuffer(value: unknown): boolean {
  return value instanceof Buffer;
};

/** -1, 0 or 1 by the order of the bytes of two buffers or `Uint8Array`s; else ERR_INVALID_ARG_TYPE. */
Buffer.compare = function compare(buf1: unknown, buf2: unknown): number {
  if (!isUint8Array(buf1)) throw new codes.ERR_INVALID_ARG_TYPE("buf1", ["Buffer", "Uint8Array"], buf1);
  if (!isUint8Array(buf2)) throw new codes.ERR_INVALID_ARG_TYPE("buf2", ["Buffer", "Uint8Array"], buf2);
  return compareBytes(buf1, buf2);
};

/** Whether `encoding` names a string encoding of `Buffer`, in any case. */
Buffer.isEncoding = function isEncoding(encoding: string): boolean {
  return typeof encoding === "string" && encoding.length !== 0 && getCodec(encoding) !== undefined;
};

/**
 * The bytes of all buffers of `list` in one new buffer, cut or zero-filled to `length` bytes if given.
 * Throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE.
 */
Buffer.concat = function concat(list: unknown[], length?: number) {
  validateArray(list, "list");
  if (list.length === 0) return new FastBuffer();
  const count = list.length;
  let total = 0;
  for (let i = 0; i < count; i++) {
    const part = list[i];
    if (!isUint8Array(part)) {
      // With an explicit length, Node looks at the length argument before the elements.
      if (length !== undefined) break;
      throw new codes.ERR_INVALID_ARG_TYPE(`list[${i}]`, ["Buffer", "Uint8Array"], part);
    }
    total += typedArrayLength(part);
  }
  if (length === undefined) length = total;
  else validateOffset(length, "length");
  const result = length === total ? unsafeBuffer(length) : newBuffer(length);
  let at = 0;
  let full = false;
  for (let i = 0; i < count; i++) {
    const part = list[i];
    if (!isUint8Array(part)) {
      throw new codes.ERR_INVALID_ARG_TYPE(`list[${i}]`, ["Buffer", "Uint8Array"], part);
    }
    if (full) continue;
    const size = typedArrayLength(part);
    if (size <= length - at) {
      // Throws for a part that is detached, as Node's does.
      setElements.call(result, part, at);
      at += size;
    } else {
      at += copyBytes(part, result, at, 0, size);
      full = true;
    }
  }
  if (at < length) result.fill(0, at, length);
  return result;
};

/**
 * Bytes that `value` takes: of a string in `encoding` (UTF-8 if that is unknown; an upper bound for base64 and hex
 * text with characters that do not count), or the size of a view or array buffer. Else ERR_INVALID_ARG_TYPE.
 */
function byteLength(value: unknown, encoding?: string): number {
  if (typeof value !== "string") {
    if (isArrayBufferView(value) || isAnyArrayBuffer(value)) return value.byteLength;
    throw new codes.ERR_INVALID_ARG_TYPE("string", ["string", "Buffer", "ArrayBuffer"], value);
  }
  if (value.length === 0) return 0;
  if (encoding) {
    const codec = getCodec(encoding);
    if (codec !== undefined) return codec.byteLength(value);
  }
  return utf8.byteLength(value);
}
Buffer.byteLength = byteLength;

// ---- the prototype ----

Buffer.prototype = FastBuffer.prototype;
defineProperty(Buffer, "prototype", { enumerable: false, writable: true, configurable: false });
defineProperty(FastBuffer.prototype, "constructor", {
  value: Buffer,
  writable: true,
  enumerable: false,
  configurable: true,
});

const proto = Buffer.prototype as Buffer;

Object.assign(proto, numberMethods, stringMethods);

defineProperty(proto, "parent", {
  enumerable: true,
  get() {
    return this instanceof Buffer ? this.buffer : undefined;
  },
});

defineProperty(proto, "offset", {
  enumerable: true,
  get() {
    return this instanceof Buffer ? this.byteOffset : undefined;
  },
});

Object.assign(proto, byteMethods);

/** The text of bytes `start` to `end` (all by default) in `encoding`, UTF-8 by default; ERR_UNKNOWN_ENCODING. */
proto.toString = function toString(encoding?: string, start?: number, end?: number): string {
  const size = this.length;
  if (arguments.length === 0) return sliceUtf8(this, 0, size);
  if (start === undefined || start <= 0) start = 0;
  else if (start >= size) return "";
  else start = Math.trunc(start) || 0;
  if (end === undefined || end > size) end = size;
  else end = Math.trunc(end) || 0;
  if (end <= start) return "";
  if (encoding === undefined) return sliceUtf8(this, start, end);
  const codec = getCodec(encoding);
  if (codec === undefined) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
  return codec.slice(this, start, end);
};

/** Node's form for consoles: the class and at most INSPECT_MAX_BYTES bytes in hexadecimal. */
proto.inspect = function inspect(this: Buffer, recurseTimes?: number, ctx?: { showHidden?: unknown } | null): string {
  return require("internal/buffer/inspect").inspectBuffer(this, inspectMaxBytes, ctx);
};
(proto as unknown as { [key: symbol]: unknown })[Symbol.for("nodejs.util.inspect.custom")] = proto.inspect;

/**
 * Writes `string` at `offset` (0), at most `length` bytes (the rest), in `encoding` ("utf8"), without cutting
 * characters; any of the middle arguments may be left out. Returns the bytes written.
 * Throws ERR_OUT_OF_RANGE, ERR_INVALID_ARG_TYPE, ERR_UNKNOWN_ENCODING.
 */
proto.write = function write(
  string: unknown,
  offset?: number | string,
  length?: number | string,
  encoding?: string,
): number {
  // The very common case, without the checks that cannot fail.
  if (length === undefined && encoding === undefined && typeof string === "string" && this instanceof FastBuffer) {
    if (offset === undefined) return utf8.write(string, this, 0, this.length);
    const rest = this.length - (offset as number);
    if (((offset as number) | 0) === offset && offset >= 0 && rest >= 0) return utf8.write(string, this, offset, rest);
  }
  if (offset === undefined) return strictWrite(utf8, this, string, 0, this.length);
  if (length === undefined && typeof offset === "string") {
    encoding = offset;
    length = this.length;
    offset = 0;
  } else {
    if (((offset as number) | 0) !== offset || offset < 0 || offset > this.length)
      validateOffset(offset, "offset", 0, this.length);
    const rest = this.length - (offset as number);
    if (length === undefined) {
      length = rest;
    } else if (typeof length === "string") {
      encoding = length;
      length = rest;
    } else {
      validateOffset(length, "length", 0, this.length);
      if (length > rest) length = rest;
    }
  }
  if (!encoding || encoding === "utf8") return strictWrite(utf8, this, string, offset as number, length);
  const codec = getCodec(encoding);
  if (codec === undefined) throw new codes.ERR_UNKNOWN_ENCODING(encoding);
  // The range has been checked.
  if (typeof string === "string" && this instanceof FastBuffer) {
    return codec.write(string, this, offset as number, length as number);
  }
  return strictWrite(codec, this, string, offset as number, length);
};

/** `{ type: "Buffer", data: [bytes] }`, which `Buffer.from` reads back. */
proto.toJSON = function toJSON() {
  const size = this.length;
  const data = new Array(size > 0 ? size : 0);
  for (let i = 0; i < size; i++) data[i] = this[i];
  return { type: "Buffer", data };
};

/** Clips an index argument to 0..length, counting from the end if negative. */
function adjustIndex(index: number, length: number): number {
  index = Math.trunc(index);
  if (index === 0 || index !== index) return 0;
  if (index < 0) {
    index += length;
    return index > 0 ? index : 0;
  }
  return index < length ? index : length;
}

/** A buffer over the same memory, from `start` to `end` (exclusive). */
function subarray(this: Uint8Array, start?: number, end?: number): FastBuffer {
  const view = ops.viewBytes(this, start, end, emptyBuffer, false);
  return view === undefined ? newView(this, start, end) : view;
}
proto.subarray = subarray as Buffer["subarray"];

/** The same by the constructor, of other typed arrays and for positions that are not integers; a TypeError for what is none. */
function newView(bytes: Uint8Array, start?: number, end?: number): FastBuffer {
  const size = typedArrayLength(bytes);
  const from = start === undefined ? 0 : adjustIndex(start, size);
  const to = end === undefined ? size : adjustIndex(end, size);
  return new FastBuffer(bytes.buffer, bytes.byteOffset + from, to > from ? to - from : 0);
}

/** The same as `this.subarray` (unlike `Uint8Array.prototype.slice`, which copies). */
proto.slice = function slice(start?: number, end?: number) {
  return this.subarray(start, end) as Buffer<ArrayBuffer>;
};

/** Buffers of this many bytes and more are swapped natively. */
const LONG_SWAP = 192;

/** Reverses the bytes of each 2-byte unit in place; ERR_INVALID_BUFFER_SIZE if one is incomplete. */
proto.swap16 = function swap16() {
  const size = this.length;
  if (size % 2 !== 0) throw new codes.ERR_INVALID_BUFFER_SIZE("16-bits");
  if (size >= LONG_SWAP) {
    ops.swapBytes(this, 2);
    return this;
  }
  for (let i = 0; i < size; i += 2) {
    const first = this[i];
    this[i] = this[i + 1];
    this[i + 1] = first;
  }
  return this;
};

/** Reverses the bytes of each 4-byte unit in place; ERR_INVALID_BUFFER_SIZE if one is incomplete. */
proto.swap32 = function swap32() {
  const size = this.length;
  if (size % 4 !== 0) throw new codes.ERR_INVALID_BUFFER_SIZE("32-bits");
  if (size >= LONG_SWAP) {
    ops.swapBytes(this, 4);
    return this;
  }
  for (let i = 0; i < size; i += 4) {
    const a = this[i];
    const b = this[i + 1];
    this[i] = this[i + 3];
    this[i + 1] = this[i + 2];
    this[i + 2] = b;
    this[i + 3] = a;
  }
  return this;
};

/** Reverses the bytes of each 8-byte unit in place; ERR_INVALID_BUFFER_SIZE if one is incomplete. */
proto.swap64 = function swap64() {
  const size = this.length;
  if (size % 8 !== 0) throw new codes.ERR_INVALID_BUFFER_SIZE("64-bits");
  if (size >= LONG_SWAP) {
    ops.swapBytes(this, 8);
    return this;
  }
  for (let i = 0; i < size; i += 8) {
    for (let a = i, b = i + 7; a < b; a++, b--) {
      const byte = this[a];
      this[a] = this[b];
      this[b] = byte;
    }
  }
  return this;
};

proto.toLocaleString = proto.toString as Buffer["toLocaleString"];

// ---- module functions ----

let inspectMaxBytes = 50;

/**
 * A new buffer with `source`'s text converted between the encodings ascii, latin1 (binary), utf8 and utf16le (ucs2).
 * Characters that the target lacks become "?". Other encodings give an Error with code U_ILLEGAL_ARGUMENT_ERROR.
 */
function transcode(source: unknown, fromEncoding: string, toEncoding: string): Uint8Array {
  if (!isUint8Array(source)) throw new codes.ERR_INVALID_ARG_TYPE("source", ["Buffer", "Uint8Array"], source);
  if (source.length === 0) return Buffer.alloc(0);
  const nameOf = (encoding: string) => (typeof encoding === "symbol" ? "?" : normalizeEncoding(encoding) || encoding);
  const from = nameOf(fromEncoding);
  const to = nameOf(toEncoding);
  const result = ops.transcodeBytes(source, String(from), String(to));
  if (typeof result !== "string") return new FastBuffer(result.buffer, result.byteOffset, result.byteLength);
  const { genericNodeError } = require("internal/core/errors");
  throw genericNodeError(`Unable to transcode Buffer [${result}]`, {
    code: result,
    errno: result === "U_ILLEGAL_ARGUMENT_ERROR" ? 1 : 10,
  });
}

/** The argument of isUtf8 and isAscii as something the native side can borrow. */
function bytesArgument(input: unknown): ArrayBufferView | ArrayBufferLike {
  if (isTypedArray(input) || isAnyArrayBuffer(input)) {
    const buffer = isTypedArray(input) ? (input as Uint8Array).buffer : input;
    if (isArrayBuffer(buffer) && buffer.detached) {
      throw new codes.ERR_INVALID_STATE("Cannot validate on a detached buffer");
    }
    return input as ArrayBufferView | ArrayBufferLike;
  }
  throw new codes.ERR_INVALID_ARG_TYPE("input", ["ArrayBuffer", "Buffer", "TypedArray"], input);
}

/** Whether the bytes are valid UTF-8. Throws ERR_INVALID_ARG_TYPE, ERR_INVALID_STATE if detached. */
function isUtf8(input: unknown): boolean {
  return ops.isUtf8(bytesArgument(input));
}

/** Whether all bytes are below 128. Throws ERR_INVALID_ARG_TYPE, ERR_INVALID_STATE if detached. */
function isAscii(input: unknown): boolean {
  return ops.isAscii(bytesArgument(input));
}

/**
 * A zero-filled buffer with memory of its own, which every buffer has here. Node 25 has dropped it; Bun keeps it, and so do packages
 * that patch its prototype.
 */
function SlowBuffer(size: number): FastBuffer {
  return Buffer.alloc(size);
}
SlowBuffer.prototype = Buffer.prototype;
defineProperty(SlowBuffer, "prototype", { enumerable: false, writable: true });

const exported: any = {
  Buffer,
  SlowBuffer,
  transcode,
  isUtf8,
  isAscii,
  kMaxLength,
  kStringMaxLength,
};

// Members that live in modules of their own, loaded when first asked for. Bundles for browsers need their names as literals.
lazyProperty(exported, "btoa", () => require("web/base64").btoa);
lazyProperty(exported, "atob", () => require("web/base64").atob);

defineProperties(exported, {
  constants: {
    configurable: false,
    enumerable: true,
    value: defineProperties(
      {},
      {
        MAX_LENGTH: { enumerable: true, value: kMaxLength },
        MAX_STRING_LENGTH: { enumerable: true, value: kStringMaxLength },
      },
    ),
  },
  INSPECT_MAX_BYTES: {
    configurable: true,
    enumerable: true,
    get() {
      return inspectMaxBytes;
    },
    set(value) {
      validateNumber(value, "INSPECT_MAX_BYTES", 0);
      inspectMaxBytes = value;
    },
  },
});

lazyProperty(exported, "Blob", () => require("web/blob").Blob);
lazyProperty(exported, "resolveObjectURL", () => require("web/blob").resolveObjectURL);
lazyProperty(exported, "File", () => require("web/blob").File);

export default exported;
