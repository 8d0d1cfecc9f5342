// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  zlib: {
    /**
     * A stream of deflate, zlib or gzip: an ArrayBuffer with its number. An empty dictionary is none. With `oneMember`,
     * only the first member of a gzip file is decompressed.
     */
    openZlib(number: number, windowBits: number, level: number, memLevel: number, strategy: number, oneMember: boolean, dictionary: Native.Bytes): ArrayBuffer;
    /** A stream of Brotli. `params` are pairs of parameter and value. */
    openBrotli(compress: boolean, params: readonly number[], dictionary: Native.Bytes): ArrayBuffer;
    /**
     * A stream of Zstandard. `params` are pairs of parameter and value; `pledgedSize` is how many bytes are to be
     * compressed, if that is known.
     */
    openZstd(compress: boolean, params: readonly number[], pledgedSize: number | null | undefined, dictionary: Native.Bytes): ArrayBuffer;
    /** Frees a stream. */
    closeStream(id: number): void;
    /** Starts a stream again. False: `takeFailure` tells why not. */
    resetStream(stream: number): boolean;
    /** Changes level and strategy of a compressing stream of deflate that has been flushed. False as in `resetStream`. */
    setParams(stream: number, level: number, strategy: number): boolean;
    /** `[message, errno, code]` of the last failure. */
    takeFailure(stream: number): [string, number, string] | undefined;
    /** Gives part of `input` to a stream until it is used up or `pieces` pieces of `size` bytes are full. */
    stepSync(stream: number, flush: number, input: Native.Bytes, offset: number | bigint, length: number | bigint, size: number | bigint, pieces: number | bigint): [Uint8Array<ArrayBuffer>, number];
    /** The same, off the thread. */
    step(stream: number, flush: number, input: Native.Bytes, offset: number | bigint, length: number | bigint, size: number | bigint, pieces: number | bigint, callback: Native.Callback<[Uint8Array<ArrayBuffer>, number]>): void;
    step(stream: number, flush: number, input: Native.Bytes, offset: number | bigint, length: number | bigint, size: number | bigint, pieces: number | bigint): Promise<[Uint8Array<ArrayBuffer>, number]>;
    /** Gives all of `input` to a stream and takes all output; more than `limit` bytes are cut off anywhere behind it. */
    allSync(stream: number, flush: number, input: Native.Bytes, limit: number): [Uint8Array<ArrayBuffer>, number];
    /** The same, off the thread. */
    all(stream: number, flush: number, input: Native.Bytes, limit: number, callback: Native.Callback<[Uint8Array<ArrayBuffer>, number]>): void;
    all(stream: number, flush: number, input: Native.Bytes, limit: number): Promise<[Uint8Array<ArrayBuffer>, number]>;
    /**
     * Compresses `input` as deflate, zlib or gzip, with default settings except the level: -1 to 9 by the faster library,
     * or 0 to 12 by libdeflate.
     */
    compressSync(number: number, level: number, libdeflate: boolean, input: Native.Bytes): Uint8Array<ArrayBuffer>;
    /** The same, off the thread. */
    compress(number: number, level: number, libdeflate: boolean, input: Native.Bytes, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    compress(number: number, level: number, libdeflate: boolean, input: Native.Bytes): Promise<Uint8Array<ArrayBuffer>>;
    /**
     * Decompresses deflate, zlib or gzip with default settings, if that is a simple matter; undefined: a stream has to do
     * it, and to say what is wrong, if something is. Never gives more than `limit` bytes.
     */
    decompressSync(number: number, limit: number, input: Native.Bytes): Uint8Array<ArrayBuffer> | undefined;
    /** The same, off the thread. */
    decompress(number: number, limit: number, input: Native.Bytes, callback: Native.Callback<Uint8Array<ArrayBuffer> | undefined>): void;
    decompress(number: number, limit: number, input: Native.Bytes): Promise<Uint8Array<ArrayBuffer> | undefined>;
    /** CRC-32 of bytes, going on from `before`. */
    crc32(data: Native.Bytes, before: number): number;
    /** CRC-32 of a string's UTF-8. */
    crc32Text(data: string, before: number): number;
  };
}
