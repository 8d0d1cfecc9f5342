// The type of `Buffer`, which is a function whose prototype inherits from `Uint8Array`: https://nodejs.org/api/buffer.html

/** Bytes with the methods of Node. */
export interface Buffer<T extends ArrayBufferLike = ArrayBufferLike> extends Uint8Array<T> {
  /** The memory. */
  readonly parent: ArrayBufferLike;
  readonly offset: number;
  asciiSlice(start?: number, end?: number): string;
  base64Slice(start?: number, end?: number): string;
  base64urlSlice(start?: number, end?: number): string;
  hexSlice(start?: number, end?: number): string;
  latin1Slice(start?: number, end?: number): string;
  ucs2Slice(start?: number, end?: number): string;
  utf8Slice(start?: number, end?: number): string;
  asciiWrite(text: string, offset?: number, length?: number): number;
  base64Write(text: string, offset?: number, length?: number): number;
  base64urlWrite(text: string, offset?: number, length?: number): number;
  hexWrite(text: string, offset?: number, length?: number): number;
  latin1Write(text: string, offset?: number, length?: number): number;
  ucs2Write(text: string, offset?: number, length?: number): number;
  utf8Write(text: string, offset?: number, length?: number): number;
  compare(
    target: Uint8Array,
    targetStart?: number,
    targetEnd?: number,
    sourceStart?: number,
    sourceEnd?: number,
  ): -1 | 0 | 1;
  copy(target: Uint8Array, targetStart?: number, sourceStart?: number, sourceEnd?: number): number;
  equals(other: Uint8Array): boolean;
  fill(value: string | Uint8Array | number, offset?: number, end?: number, encoding?: string): this;
  fill(value: string | Uint8Array | number, encoding?: string): this;
  includes(value: string | Uint8Array | number, byteOffset?: number, encoding?: string): boolean;
  indexOf(value: string | Uint8Array | number, byteOffset?: number | string, encoding?: string): number;
  lastIndexOf(value: string | Uint8Array | number, byteOffset?: number | string, encoding?: string): number;
  inspect(): string;
  slice(start?: number, end?: number): Buffer<ArrayBuffer>;
  subarray(start?: number, end?: number): Buffer<T>;
  swap16(): this;
  swap32(): this;
  swap64(): this;
  toJSON(): { type: "Buffer"; data: number[] };
  toString(encoding?: string, start?: number, end?: number): string;
  write(text: string, encoding?: string): number;
  write(text: string, offset: number, encoding?: string): number;
  write(text: string, offset: number, length: number, encoding?: string): number;
  readBigInt64BE(offset?: number): bigint;
  readBigInt64LE(offset?: number): bigint;
  readBigUInt64BE(offset?: number): bigint;
  readBigUInt64LE(offset?: number): bigint;
  readDoubleBE(offset?: number): number;
  readDoubleLE(offset?: number): number;
  readFloatBE(offset?: number): number;
  readFloatLE(offset?: number): number;
  readInt8(offset?: number): number;
  readInt16BE(offset?: number): number;
  readInt16LE(offset?: number): number;
  readInt32BE(offset?: number): number;
  readInt32LE(offset?: number): number;
  readIntBE(offset: number, byteLength: number): number;
  readIntLE(offset: number, byteLength: number): number;
  readUInt8(offset?: number): number;
  readUInt16BE(offset?: number): number;
  readUInt16LE(offset?: number): number;
  readUInt32BE(offset?: number): number;
  readUInt32LE(offset?: number): number;
  readUIntBE(offset: number, byteLength: number): number;
  readUIntLE(offset: number, byteLength: number): number;
  writeBigInt64BE(value: bigint, offset?: number): number;
  writeBigInt64LE(value: bigint, offset?: number): number;
  writeBigUInt64BE(value: bigint, offset?: number): number;
  writeBigUInt64LE(value: bigint, offset?: number): number;
  writeDoubleBE(value: number, offset?: number): number;
  writeDoubleLE(value: number, offset?: number): number;
  writeFloatBE(value: number, offset?: number): number;
  writeFloatLE(value: number, offset?: number): number;
  writeInt8(value: number, offset?: number): number;
  writeInt16BE(value: number, offset?: number): number;
  writeInt16LE(value: number, offset?: number): number;
  writeInt32BE(value: number, offset?: number): number;
  writeInt32LE(value: number, offset?: number): number;
  writeIntBE(value: number, offset: number, byteLength: number): number;
  writeIntLE(value: number, offset: number, byteLength: number): number;
  writeUInt8(value: number, offset?: number): number;
  writeUInt16BE(value: number, offset?: number): number;
  writeUInt16LE(value: number, offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
  writeUInt32LE(value: number, offset?: number): number;
  writeUIntBE(value: number, offset: number, byteLength: number): number;
  writeUIntLE(value: number, offset: number, byteLength: number): number;
}

/** What `Buffer.from` takes; an object is asked for its `valueOf` and `Symbol.toPrimitive`. */
type BufferSource = string | ArrayLike<number> | Iterable<number> | ArrayBufferLike | ArrayBufferView | object;

export interface BufferConstructor {
  readonly prototype: Buffer;
  readonly [Symbol.species]: typeof Uint8Array;
  poolSize: number;
  /** Deprecated: `Buffer.alloc` for a number, else `Buffer.from`. */
  new (value: number | BufferSource, encodingOrOffset?: string | number, length?: number): Buffer;
  (value: number | BufferSource, encodingOrOffset?: string | number, length?: number): Buffer;
  alloc(size: number, fill?: string | Uint8Array | number, encoding?: string): Buffer<ArrayBuffer>;
  allocUnsafe(size: number): Buffer<ArrayBuffer>;
  allocUnsafeSlow(size: number): Buffer<ArrayBuffer>;
  byteLength(value: string | ArrayBufferView | ArrayBufferLike, encoding?: string): number;
  compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
  concat(list: readonly Uint8Array[], length?: number): Buffer<ArrayBuffer>;
  copyBytesFrom(view: ArrayBufferView, offset?: number, length?: number): Buffer<ArrayBuffer>;
  from(text: string, encoding?: string): Buffer<ArrayBuffer>;
  from(value: BufferSource, encodingOrOffset?: string | number, length?: number): Buffer;
  isBuffer(value: unknown): value is Buffer;
  isEncoding(name: unknown): name is BufferEncoding;
  of(...bytes: number[]): Buffer<ArrayBuffer>;
}

/** Text of bytes that come in pieces: https://nodejs.org/api/string_decoder.html */
export interface StringDecoder {
  readonly encoding: BufferEncoding;
  write(bytes: string | ArrayBufferView): string;
  end(bytes?: string | ArrayBufferView): string;
}

export interface StringDecoderConstructor {
  new (encoding?: string): StringDecoder;
  readonly prototype: StringDecoder;
}
