// `v8.Serializer` and `v8.DefaultSerializer` (https://nodejs.org/api/v8.html#class-v8serializer).
import * as types from "internal/util/types";
import * as f from "internal/v8/format";

const { isArray } = Array;
const { isView } = ArrayBuffer;
const { hasOwn } = Object;

/** Built-in objects without a class number that cannot be cloned either. */
const uncloneable = /^(?:Intl\.|WebAssembly\.|Temporal\.|FinalizationRegistry$|.* Iterator$|Iterator Helper$)/;

/** A value as it is shown in "… could not be cloned.": without calling anything of its own but getters. */
function describe(value: unknown): string {
  if (typeof value === "symbol" || typeof value === "function") return String(value);
  if ((value as object).toString === Object.prototype.toString) {
    const { constructor } = value as object;
    if (typeof constructor === "function" && constructor.name) return `#<${constructor.name}>`;
  }
  return Object.prototype.toString.call(value);
}

/** Names the first value within `value` that nothing can clone, in the order in which cloning goes. */
export function uncloneableMessage(value: unknown): string {
  const seen = new Set<unknown>();
  const find = (one: unknown): string | undefined => {
    if (typeof one === "symbol" || typeof one === "function") return describe(one);
    if (one === null || typeof one !== "object" || seen.has(one) || isView(one)) return undefined;
    seen.add(one);
    const kind = Object.prototype.toString.call(one);
    if (
      one instanceof WeakMap ||
      one instanceof WeakSet ||
      one instanceof WeakRef ||
      one instanceof Promise ||
      uncloneable.test(kind.slice(8, -1))
    )
      return describe(one);
    const inner =
      one instanceof Map
        ? [...one].flat()
        : one instanceof Set
          ? [...one]
          : Object.keys(one).map((key) => (one as Record<string, unknown>)[key]);
    for (const part of inner) {
      const found = find(part);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  try {
    return `${find(value) ?? (typeof value === "object" ? describe(value) : String(value))} could not be cloned.`;
  } catch {
    // A getter threw, or the graph is too deep to be walked.
    return "The object could not be cloned.";
  }
}

/** A typed array or DataView. */
type View = ArrayBufferView<ArrayBuffer> & { BYTES_PER_ELEMENT?: number };

export class Serializer {
  #bytes: Buffer = Buffer.allocUnsafeSlow(64);
  #view: DataView = new DataView(this.#bytes.buffer);
  #length = 0;
  /** Objects already written, by the number they were given. */
  #ids = new Map<object, number>();
  #transferred = new Map<ArrayBuffer, number>();
  #viewsAreHostObjects = false;

  // What a program may replace.
  declare _getDataCloneError: (message: string) => unknown;
  declare _getSharedArrayBufferId?: (buffer: SharedArrayBuffer) => number;

  /** Writes the version of the format. */
  writeHeader(): void {
    this.#reserve(2);
    this.#bytes[this.#length++] = f.VERSION_TAG;
    this.#bytes[this.#length++] = f.VERSION;
  }

  /** Writes a value; throws what `_getDataCloneError` makes for values that cannot be cloned. */
  writeValue(value: unknown): boolean {
    this.#write(value);
    return true;
  }

  /** The bytes written so far; the serializer is empty then. */
  releaseBuffer(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.allocUnsafeSlow(0);
    this.#view = new DataView(this.#bytes.buffer);
    this.#length = 0;
    return bytes as Buffer;
  }

  /** Has a buffer written as a number, for which the reader has another buffer. */
  transferArrayBuffer(id: number, arrayBuffer: ArrayBuffer): void {
    this.#transferred.set(arrayBuffer, id >>> 0);
  }

  /** Writes a number as 1 to 5 bytes. */
  writeUint32(value: number): void {
    this.#varint(value >>> 0);
  }

  /** Writes a number of two halves as 1 to 10 bytes. */
  writeUint64(high: number, low: number): void {
    let value = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
    this.#reserve(10);
    while (value >= 128n) {
      this.#bytes[this.#length++] = Number(value & 127n) | 128;
      value >>= 7n;
    }
    this.#bytes[this.#length++] = Number(value);
  }

  /** Writes 8 bytes, in the machine's order. */
  writeDouble(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** Writes bytes as they are, without their number. */
  writeRawBytes(source: ArrayBufferView): void {
    if (!isView(source)) throw wrongType("source");
    this.#raw(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  }

  /** Whether typed arrays and DataViews go to `_writeHostObject`. */
  _setTreatArrayBufferViewsAsHostObjects(flag: boolean): void {
    this.#viewsAreHostObjects = Boolean(flag);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2, 64));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  #tag(tag: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = tag;
  }

  #varint(value: number): void {
    this.#reserve(5);
    while (value >= 128) {
      this.#bytes[this.#length++] = (value & 127) | 128;
      value >>>= 7;
    }
    this.#bytes[this.#length++] = value;
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #string(text: string): void {
    const { length } = text;
    this.#reserve(length + 6);
    const start = this.#length;
    this.#bytes[this.#length++] = f.LATIN1_STRING;
    this.#varint(length);
    if (length < 32) {
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 255) break;
        this.#bytes[this.#length + i] = code;
      }
      if (i === length) {
        this.#length += length;
        return;
      }
    } else if (!/[^\0-\xff]/.test(text)) {
      this.#length += this.#bytes.write(text, this.#length, "latin1");
      return;
    }
    this.#length = start;
    const size = length * 2;
    this.#reserve(size + 8);
    // The units start at an even place.
    const prefix = 1 + varintLength(size);
    if ((start + prefix) % 2 === 1) this.#bytes[this.#length++] = f.PADDING;
    this.#bytes[this.#length++] = f.UTF16_STRING;
    this.#varint(size);
    this.#length += this.#bytes.write(text, this.#length, "utf16le");
  }

  #bigint(value: bigint): void {
    const negative = value < 0n;
    let rest = negative ? -value : value;
    const words: bigint[] = [];
    for (; rest > 0n; rest >>= 64n) words.push(rest & 0xffff_ffff_ffff_ffffn);
    this.#varint(words.length * 16 + (negative ? 1 : 0));
    this.#reserve(words.length * 8);
    for (const word of words) {
      this.#view.setBigUint64(this.#length, word, true);
      this.#length += 8;
    }
  }

  #number(value: number): void {
    if ((value | 0) === value && !(value === 0 && 1 / value < 0)) {
      this.#tag(f.INT32);
      this.#varint(((value << 1) ^ (value >> 31)) >>> 0);
    } else {
      this.#tag(f.DOUBLE);
      this.writeDouble(value);
    }
  }

  #write(value: unknown): void {
    switch (typeof value) {
      case "undefined":
        return this.#tag(f.UNDEFINED);
      case "boolean":
        return this.#tag(value ? f.TRUE : f.FALSE);
      case "number":
        return this.#number(value);
      case "string":
        return this.#string(value);
      case "bigint":
        this.#tag(f.BIGINT);
        return this.#bigint(value);
      case "object":
        return value === null ? this.#tag(f.NULL) : this.#object(value);
      default:
        throw this.#error(value);
    }
  }

  #error(value: unknown) {
    return this._getDataCloneError(`${describe(value)} could not be cloned.`);
  }

  #object(value: object): void {
    // The buffer of a view comes first, so that views of one buffer share it after reading.
    const view = isView(value);
    if (view && !this.#viewsAreHostObjects && !this.#ids.has(value) && !this.#ids.has(value.buffer)) {
      this.#object(value.buffer);
    } else if (view && !this.#viewsAreHostObjects && !this.#ids.has(value)) {
      this.#reference(this.#ids.get(value.buffer)!);
    }
    const known = this.#ids.get(value);
    if (known !== undefined) {
      this.#reference(known);
      return;
    }
    this.#ids.set(value, this.#ids.size);
    if (isArray(value)) {
      if (types.classOf(value) === types.kProxy) throw this.#error(value);
      this.#array(value);
    } else if (view) {
      if (this.#viewsAreHostObjects) this.#hostObject(value);
      else this.#arrayBufferView(value as View);
    } else {
      this.#byClass(value);
    }
  }

  #reference(id: number): void {
    this.#tag(f.REFERENCE);
    this.#varint(id);
  }

  #byClass(value: object): void {
    switch (types.classOf(value)) {
      case 0: {
        const tag = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
        if (typeof tag === "string" && uncloneable.test(tag)) throw this.#error(value);
        this.#tag(f.OBJECT);
        const count = this.#properties(value, Object.keys(value));
        this.#tag(f.OBJECT_END);
        return this.#varint(count);
      }
      case types.kMap:
        this.#tag(f.MAP);
        return this.#entries([...Map.prototype.entries.call(value as Map<unknown, unknown>)].flat(1), f.MAP_END);
      case types.kSet:
        this.#tag(f.SET);
        return this.#entries([...Set.prototype.values.call(value as Set<unknown>)], f.SET_END);
      case types.kDate:
        this.#tag(f.DATE);
        return this.writeDouble(Date.prototype.getTime.call(value as Date));
      case types.kRegExp:
        return this.#regexp(value as RegExp);
      case types.kError:
        return this.#errorObject(value as Error);
      case types.kArrayBuffer:
        return this.#arrayBuffer(value as ArrayBuffer);
      case types.kSharedArrayBuffer: {
        if (typeof this._getSharedArrayBufferId !== "function") throw this.#error(value);
        const id = this._getSharedArrayBufferId(value as SharedArrayBuffer);
        this.#tag(f.SHARED_BUFFER);
        return this.#varint(id >>> 0);
      }
      case types.kBoolean:
        return this.#tag(Boolean.prototype.valueOf.call(value) ? f.TRUE_OBJECT : f.FALSE_OBJECT);
      case types.kNumber:
        this.#tag(f.NUMBER_OBJECT);
        return this.writeDouble(Number.prototype.valueOf.call(value));
      case types.kString:
        this.#tag(f.STRING_OBJECT);
        return this.#string(String.prototype.valueOf.call(value));
      case types.kBigInt:
        this.#tag(f.BIGINT_OBJECT);
        return this.#bigint(BigInt.prototype.valueOf.call(value));
      case types.kExternal:
        return this.#hostObject(value);
      default:
        throw this.#error(value);
    }
  }

  /** Writes properties; returns how many there still were when their turn came. */
  #properties(object: object, keys: string[]): number {
    let count = 0;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      // A getter may have taken a later property away.
      if (i > 0 && !hasOwn(object, key)) continue;
      const value = (object as Record<string, unknown>)[key];
      const index = indexOf(key);
      if (index === -1) this.#string(key);
      else this.#number(index);
      this.#write(value);
      count++;
    }
    return count;
  }

  #array(array: unknown[]): void {
    const { length } = array;
    const keys = Object.keys(array);
    let dense = keys.length >= length;
    for (let i = 0; dense && i < length; i++) dense = keys[i] === String(i);
    if (dense) {
      this.#tag(f.DENSE_ARRAY);
      this.#varint(length);
      for (let i = 0; i < length; i++) {
        if (hasOwn(array, i)) this.#write(array[i]);
        else this.#tag(f.HOLE);
      }
      const count = this.#properties(array, keys.slice(length));
      this.#tag(f.DENSE_ARRAY_END);
      this.#varint(count);
    } else {
      this.#tag(f.SPARSE_ARRAY);
      this.#varint(length);
      const count = this.#properties(array, keys);
      this.#tag(f.SPARSE_ARRAY_END);
      this.#varint(count);
    }
    this.#varint(length);
  }

  #entries(items: unknown[], end: number): void {
    for (let i = 0; i < items.length; i++) this.#write(items[i]);
    this.#tag(end);
    this.#varint(items.length);
  }

  #regexp(value: RegExp): void {
    const { source, flags } = value;
    this.#tag(f.REGEXP);
    this.#string(source);
    let bits = 0;
    for (const flag of flags) bits |= 1 << f.regexpFlags.indexOf(flag);
    this.#varint(bits);
  }

  #errorObject(error: NodeError): void {
    this.#tag(f.ERROR);
    const { name } = error;
    const known = f.errorNames.find((entry) => entry[1] === name);
    if (known !== undefined) this.#tag(known[0]);
    const message = Object.getOwnPropertyDescriptor(error, "message");
    if (message !== undefined && "value" in message) {
      this.#tag(f.ERROR_MESSAGE);
      this.#string(String(message.value));
    }
    if (hasOwn(error, "cause")) {
      this.#tag(f.ERROR_CAUSE);
      this.#write(error.cause);
    }
    const { stack } = error;
    if (typeof stack === "string") {
      this.#tag(f.ERROR_STACK);
      this.#string(stack);
    }
    this.#tag(f.ERROR_END);
  }

  #arrayBuffer(buffer: ArrayBuffer): void {
    const id = this.#transferred.get(buffer);
    if (id !== undefined) {
      this.#tag(f.TRANSFERRED_BUFFER);
      this.#varint(id);
      return;
    }
    if (buffer.detached) throw this._getDataCloneError("An ArrayBuffer is detached and could not be cloned.");
    if (buffer.resizable) {
      this.#tag(f.RESIZABLE_BUFFER);
      this.#varint(buffer.byteLength);
      this.#varint(buffer.maxByteLength);
    } else {
      this.#tag(f.ARRAY_BUFFER);
      this.#varint(buffer.byteLength);
    }
    this.#raw(new Uint8Array(buffer));
  }

  #arrayBufferView(view: View): void {
    const name = types.typedArrayTag(view) ?? "DataView";
    this.#tag(f.VIEW);
    this.#varint(f.viewNames.find((entry) => entry[1] === name)![0]);
    this.#varint(view.byteOffset);
    const { resizable } = view.buffer;
    const tracking = resizable && followsLength(view);
    this.#varint(tracking ? 0 : view.byteLength);
    this.#varint(resizable ? f.VIEW_RESIZABLE | (tracking ? f.VIEW_LENGTH_TRACKING : 0) : 0);
  }

  #hostObject(object: unknown): void {
    const write = (this as { _writeHostObject?: unknown })._writeHostObject;
    if (typeof write !== "function") throw this.#error(object);
    this.#tag(f.HOST_OBJECT);
    write.call(this, object);
  }
}

Object.defineProperty(Serializer.prototype, "_getDataCloneError", {
  value: Error,
  configurable: true,
  enumerable: true,
  writable: true,
});

/**
 * Whether a view of a resizable buffer follows the buffer's length. Nothing tells that directly; it shows when the
 * buffer grows, or shrinks, for a moment by as little as is certain to matter.
 */
function followsLength(view: View): boolean {
  const { buffer } = view;
  const size = buffer.byteLength;
  const unit = view.BYTES_PER_ELEMENT ?? 1;
  if (view.byteOffset + view.byteLength + unit <= size) return false;
  if (size + unit > buffer.maxByteLength) return false;
  const before = view.byteLength;
  buffer.resize(size + unit);
  const follows = view.byteLength !== before;
  buffer.resize(size);
  return follows;
}

function varintLength(value: number): number {
  let length = 1;
  for (; value >= 128; value >>>= 7) length++;
  return length;
}

/** The array index that a key is, or -1. */
function indexOf(key: string): number {
  const first = key.charCodeAt(0);
  if (!(first >= 48 && first <= 57) || key.length > 10) return -1;
  const index = Number(key);
  return index < 4294967295 && String(index) === key ? index : -1;
}

/** As Node's native code makes it: with a code, which is not in the name. */
export function wrongType(name: string): TypeError {
  const error: TypeError & { code?: string } = new TypeError(`${name} must be a TypedArray or a DataView`);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

/** Numbers of views in what DefaultSerializer writes; 10 is Buffer. */
export const viewTypes = [
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "Float32Array",
  "Float64Array",
  "DataView",
  "Buffer",
  "BigInt64Array",
  "BigUint64Array",
  "Float16Array",
];

/** Writes typed arrays, DataViews and Buffers without the rest of the buffer they are on. */
export class DefaultSerializer extends Serializer {
  constructor() {
    super();
    this._setTreatArrayBufferViewsAsHostObjects(true);
  }

  _writeHostObject(view: ArrayBufferView): void {
    let index = 10;
    if (Object.getPrototypeOf(view) !== Buffer.prototype) {
      const name = isView(view) ? (types.typedArrayTag(view) ?? "DataView") : "";
      index = viewTypes.indexOf(name);
      if (index === -1) {
        const { inspect } = require("internal/util/inspect");
        throw this._getDataCloneError(`Unserializable host object: ${inspect(view)}`);
      }
    }
    this.writeUint32(index);
    this.writeUint32(view.byteLength);
    this.writeRawBytes(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  }
}
