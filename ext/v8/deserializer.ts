// `v8.Deserializer` and `v8.DefaultDeserializer` (https://nodejs.org/api/v8.html#class-v8deserializer).
import * as f from "internal/v8/format";
import { viewTypes, wrongType } from "internal/v8/serializer";

const { isView } = ArrayBuffer;

function malformed(): Error {
  return new Error("Unable to deserialize cloned data.");
}

/** Defines a property, also "__proto__" and ones that have a setter in the prototype. */
function define(object: unknown, key: PropertyKey, value: unknown): void {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}

/** A buffer, of which one kind can be resized and the other can grow. */
type AnyBuffer = ArrayBufferLike & { resizable?: boolean; growable?: boolean };

/** The class of a view. */
interface ViewConstructor {
  new (buffer: ArrayBufferLike, byteOffset: number, length?: number): ArrayBufferView;
  BYTES_PER_ELEMENT?: number;
}

/** The constructor of a global by name; programs may have replaced the property, which then counts. */
function globalConstructor<T = ViewConstructor>(name: string): T {
  return (globalThis as unknown as Record<string, T>)[name];
}

export class Deserializer {
  /** The view that is read. */
  buffer: Buffer;
  #bytes: Buffer;
  #view: DataView;
  #at = 0;
  #version = 0;
  #objects: unknown[] = [];
  #transferred = new Map<number, ArrayBufferLike>();

  /** Throws ERR_INVALID_ARG_TYPE for anything but a typed array or a DataView. */
  constructor(buffer: ArrayBufferView) {
    if (!isView(buffer)) throw wrongType("buffer");
    // A typed array stays as it is; `_readHostObject` implementations look at it.
    this.buffer = buffer as Buffer;
    this.#bytes = Buffer.from(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength);
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }

  /** Reads the version of the format; throws for one that is too new. */
  readHeader(): boolean {
    if (this.#bytes[this.#at] !== f.VERSION_TAG) return true;
    this.#at++;
    const version = this.#varint();
    if (version === undefined || version > f.VERSION) {
      throw new Error("Unable to deserialize cloned data due to invalid or unsupported version.");
    }
    this.#version = version;
    return true;
  }

  /** Reads a value. */
  readValue(): unknown {
    return this.#read();
  }

  getWireFormatVersion(): number {
    return this.#version;
  }

  /** Gives the buffer that stands behind a number. */
  transferArrayBuffer(id: number, arrayBuffer: ArrayBufferLike): void {
    this.#transferred.set(id >>> 0, arrayBuffer);
  }

  readUint32(): number {
    const value = this.#varint();
    if (value === undefined) throw new Error("ReadUint32() failed");
    return value;
  }

  /** [high half, low half] */
  readUint64(): [number, number] {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new Error("ReadUint64() failed");
      this.#at++;
      if (shift < 64n) value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    return [Number((value >> 32n) & 0xffff_ffffn), Number(value & 0xffff_ffffn)];
  }

  readDouble(): number {
    if (this.#at + 8 > this.#bytes.length) throw new Error("ReadDouble() failed");
    return this.#double();
  }

  /** Skips bytes; returns where they are in `buffer`. */
  _readRawBytes(length: number): number {
    const start = this.#at;
    if (length > this.#bytes.length - start) throw new Error("ReadRawBytes() failed");
    this.#at += length;
    return start;
  }

  /** The next bytes, on the memory of `buffer`. */
  readRawBytes(length: number): Buffer {
    const start = this._readRawBytes(length);
    return Buffer.from(this.buffer.buffer as ArrayBuffer, this.buffer.byteOffset + start, length);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw malformed();
    this.#at++;
    return byte;
  }

  /** The next tag, without taking it; padding is skipped. */
  #peek(): number | undefined {
    while (this.#bytes[this.#at] === f.PADDING) this.#at++;
    return this.#bytes[this.#at];
  }

  #varint(): number | undefined {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return undefined;
      this.#at++;
      if (shift < 32) value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  }

  #length(): number {
    const value = this.#varint();
    if (value === undefined) throw malformed();
    return value;
  }

  /** A number of bytes that must still be there. */
  #size(): number {
    const value = this.#length();
    if (value > this.#bytes.length - this.#at) throw malformed();
    return value;
  }

  #double(): number {
    if (this.#at + 8 > this.#bytes.length) throw malformed();
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  #text(size: number, encoding: BufferEncoding): string {
    const text = this.#bytes.toString(encoding, this.#at, this.#at + size);
    this.#at += size;
    return text;
  }

  /** A string with its tag. */
  #string(): string {
    const tag = this.#peek();
    if (tag !== f.LATIN1_STRING && tag !== f.UTF16_STRING && tag !== f.UTF8_STRING) throw malformed();
    return this.#read() as string;
  }

  #bigint(): bigint {
    const field = this.#length();
    const size = field >>> 1;
    if (size > this.#bytes.length - this.#at) throw malformed();
    const whole = size - (size % 8);
    let value = 0n;
    for (let i = size - 1; i >= whole; i--) value = (value << 8n) | BigInt(this.#bytes[this.#at + i]!);
    for (let i = whole - 8; i >= 0; i -= 8) value = (value << 64n) | this.#view.getBigUint64(this.#at + i, true);
    this.#at += size;
    if (value === 0n && field & 1) throw malformed();
    return field & 1 ? -value : value;
  }

  #keep<T>(object: T): T {
    this.#objects.push(object);
    return object;
  }

  #read(): unknown {
    const value = this.#readTagged();
    // A view follows the buffer it is on.
    if (value !== null && typeof value === "object" && this.#peek() === f.VIEW && isBuffer(value)) {
      this.#at++;
      return this.#arrayBufferView(value);
    }
    return value;
  }

  #readTagged(): unknown {
    const tag = this.#peek();
    if (tag === undefined) throw malformed();
    this.#at++;
    switch (tag) {
      case f.OBJECT_COUNT:
        this.#length();
        return this.#readTagged();
      case f.UNDEFINED:
        return undefined;
      case f.NULL:
        return null;
      case f.TRUE:
        return true;
      case f.FALSE:
        return false;
      case f.INT32: {
        const value = this.#length();
        return (value >>> 1) ^ -(value & 1);
      }
      case f.UINT32:
        return this.#length();
      case f.DOUBLE:
        return this.#double();
      case f.BIGINT:
        return this.#bigint();
      case f.UTF8_STRING:
        return this.#text(this.#size(), "utf8");
      case f.LATIN1_STRING:
        return this.#text(this.#size(), "latin1");
      case f.UTF16_STRING: {
        const size = this.#size();
        if (size % 2 !== 0) throw malformed();
        return this.#text(size, "utf16le");
      }
      case f.REFERENCE: {
        const id = this.#length();
        if (id >= this.#objects.length) throw malformed();
        return this.#objects[id];
      }
      case f.OBJECT: {
        const object = this.#keep({});
        const count = this.#properties(object, f.OBJECT_END);
        if (this.#length() !== count) throw malformed();
        return object;
      }
      case f.SPARSE_ARRAY: {
        const length = this.#length();
        const array = this.#keep([] as unknown[]);
        array.length = length;
        const count = this.#properties(array, f.SPARSE_ARRAY_END);
        if (this.#length() !== count || this.#length() !== length) throw malformed();
        return array;
      }
      case f.DENSE_ARRAY:
        return this.#denseArray();
      case f.DATE:
        return this.#keep(new Date(this.#double()));
      case f.TRUE_OBJECT:
        return this.#keep(Object(true));
      case f.FALSE_OBJECT:
        return this.#keep(Object(false));
      case f.NUMBER_OBJECT:
        return this.#keep(Object(this.#double()));
      case f.BIGINT_OBJECT:
        return this.#keep(Object(this.#bigint()));
      case f.STRING_OBJECT:
        return this.#keep(Object(this.#string()));
      case f.REGEXP:
        return this.#regexp();
      case f.MAP: {
        const map = this.#keep(new Map());
        const items = this.#items(f.MAP_END);
        if (items.length % 2 !== 0) throw malformed();
        for (let i = 0; i < items.length; i += 2) map.set(items[i], items[i + 1]);
        return map;
      }
      case f.SET: {
        const set = this.#keep(new Set());
        for (const item of this.#items(f.SET_END)) set.add(item);
        return set;
      }
      case f.ARRAY_BUFFER: {
        const size = this.#size();
        const buffer = new ArrayBuffer(size);
        new Uint8Array(buffer).set(this.#bytes.subarray(this.#at, this.#at + size));
        this.#at += size;
        return this.#keep(buffer);
      }
      case f.RESIZABLE_BUFFER: {
        const size = this.#length();
        const maxByteLength = this.#length();
        if (size > maxByteLength || size > this.#bytes.length - this.#at) throw malformed();
        const buffer = new ArrayBuffer(size, { maxByteLength });
        new Uint8Array(buffer).set(this.#bytes.subarray(this.#at, this.#at + size));
        this.#at += size;
        return this.#keep(buffer);
      }
      case f.TRANSFERRED_BUFFER:
      case f.SHARED_BUFFER: {
        const buffer = this.#transferred.get(this.#length());
        if (buffer === undefined) throw malformed();
        return this.#keep(buffer);
      }
      case f.ERROR:
        return this.#error();
      case f.HOST_OBJECT: {
        const id = this.#objects.length;
        this.#objects.push(undefined);
        const read = (this as { _readHostObject?: unknown })._readHostObject;
        if (typeof read !== "function") throw malformed();
        const object = read.call(this);
        if (object === null || (typeof object !== "object" && typeof object !== "function")) {
          throw new TypeError("readHostObject must return an object");
        }
        return (this.#objects[id] = object);
      }
      default:
        throw malformed();
    }
  }

  /** Reads properties up to the end tag, which is taken; returns their number. */
  #properties(object: object, end: number): number {
    let count = 0;
    while (this.#peek() !== end) {
      const key = this.#read();
      if (typeof key !== "string" && typeof key !== "number") throw malformed();
      const value = this.#read();
      if (typeof key === "string" && key !== "__proto__" && !Array.isArray(object))
        (object as Record<string, unknown>)[key] = value;
      else define(object, key, value);
      count++;
    }
    this.#at++;
    return count;
  }

  #denseArray(): unknown[] {
    const length = this.#length();
    // Each element takes at least a byte.
    if (length > this.#bytes.length - this.#at) throw malformed();
    const array = this.#keep([] as unknown[]);
    for (let i = 0; i < length; i++) {
      if (this.#peek() === f.HOLE) this.#at++;
      else array[i] = this.#read();
    }
    array.length = length;
    const count = this.#properties(array, f.DENSE_ARRAY_END);
    if (this.#length() !== count || this.#length() !== length) throw malformed();
    return array;
  }

  /** Reads values up to the end tag and their number. */
  #items(end: number): unknown[] {
    const items = [];
    while (this.#peek() !== end) items.push(this.#read());
    this.#at++;
    if (this.#length() !== items.length) throw malformed();
    return items;
  }

  #regexp(): RegExp {
    const id = this.#objects.length;
    this.#objects.push(undefined);
    const source = this.#string();
    const bits = this.#length();
    let flags = "";
    for (let i = 0; i < 32; i++) {
      if (bits & (1 << i)) flags += f.regexpFlags[i] ?? "?";
    }
    try {
      return (this.#objects[id] = new RegExp(source, flags));
    } catch {
      throw malformed();
    }
  }

  #error(): Error {
    const id = this.#objects.length;
    this.#objects.push(undefined);
    let constructor = Error;
    const fields: { message?: string; cause?: unknown; stack?: string } = {};
    for (;;) {
      const tag = this.#byte();
      if (tag === f.ERROR_END) break;
      // "c" is also a string's tag and "R" a regular expression's, but here only these can come.
      const named = f.errorNames.find((entry) => entry[0] === tag);
      if (named !== undefined) constructor = globalConstructor<ErrorConstructor>(named[1]);
      else if (tag === f.ERROR_MESSAGE) fields.message = this.#string();
      else if (tag === f.ERROR_CAUSE) fields.cause = this.#read();
      else if (tag === f.ERROR_STACK) fields.stack = this.#string();
      else throw malformed();
    }
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    const error = "message" in fields ? new constructor(fields.message) : new constructor();
    Error.stackTraceLimit = limit;
    if ("cause" in fields)
      Object.defineProperty(error, "cause", { value: fields.cause, configurable: true, writable: true });
    Object.defineProperty(error, "stack", { value: fields.stack, configurable: true, writable: true });
    return (this.#objects[id] = error);
  }

  #arrayBufferView(buffer: AnyBuffer): ArrayBufferView {
    const id = this.#objects.length;
    this.#objects.push(undefined);
    const tag = this.#length();
    const byteOffset = this.#length();
    const byteLength = this.#length();
    // Flags came with version 14.
    const flags = this.#version >= 14 ? this.#length() : 0;
    const name = f.viewNames.find((entry) => entry[0] === tag)?.[1];
    if (name === undefined || byteOffset > buffer.byteLength || byteLength > buffer.byteLength - byteOffset)
      throw malformed();
    const constructor = globalConstructor(name);
    const unit = constructor.BYTES_PER_ELEMENT ?? 1;
    if (byteOffset % unit !== 0 || byteLength % unit !== 0) throw malformed();
    const tracking = (flags & f.VIEW_LENGTH_TRACKING) !== 0;
    if (flags !== 0 && !buffer.resizable && !buffer.growable) throw malformed();
    const view = tracking
      ? new constructor(buffer, byteOffset)
      : new constructor(buffer, byteOffset, byteLength / unit);
    return (this.#objects[id] = view);
  }
}

function isBuffer(value: object): value is AnyBuffer {
  const { isAnyArrayBuffer } = require("internal/util/types");
  return isAnyArrayBuffer(value);
}

/** Reads what DefaultSerializer writes. Views are on the memory of the input where their alignment allows it. */
export class DefaultDeserializer extends Deserializer {
  _readHostObject(): ArrayBufferView {
    const name = viewTypes[this.readUint32()];
    const byteLength = this.readUint32();
    const byteOffset = this._readRawBytes(byteLength);
    const { buffer } = this;
    const start = buffer.byteOffset + byteOffset;
    if (name === "Buffer") return Buffer.from(buffer.buffer as ArrayBuffer, start, byteLength);
    const constructor = globalConstructor(name ?? "");
    if (constructor === undefined) throw malformed();
    const unit = constructor.BYTES_PER_ELEMENT ?? 1;
    if (start % unit === 0) return new constructor(buffer.buffer, start, byteLength / unit);
    const copy = new Uint8Array(byteLength);
    copy.set(new Uint8Array(buffer.buffer, start, byteLength));
    return new constructor(copy.buffer, 0, byteLength / unit);
  }
}
