// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  encoding: {
    /** UTF-8, malformed bytes as U+FFFD, a byte order mark kept. */
    utf8Slice(bytes: Native.Bytes, start: number, end: number): string;
    /** One character per byte. */
    latin1Slice(bytes: Native.Bytes, start: number, end: number): string;
    /** One character per byte, without its eighth bit. */
    asciiSlice(bytes: Native.Bytes, start: number, end: number): string;
    /** UTF-16LE units; an odd last byte is left out. */
    ucs2Slice(bytes: Native.Bytes, start: number, end: number): string;
    /** Lower-case hexadecimal. */
    hexSlice(bytes: Native.Bytes, start: number, end: number): string;
    /** Padded base64. */
    base64Slice(bytes: Native.Bytes, start: number, end: number): string;
    /** URL-safe base64 without padding. */
    base64urlSlice(bytes: Native.Bytes, start: number, end: number): string;
    /** UTF-8, lone surrogates as U+FFFD. */
    utf8Write(text: string, bytes: Native.Bytes, offset: number, length: number): number;
    /** The low byte of each unit. */
    latin1Write(text: string, bytes: Native.Bytes, offset: number, length: number): number;
    /** UTF-16LE. */
    ucs2Write(text: string, bytes: Native.Bytes, offset: number, length: number): number;
    /** Pairs of hexadecimal digits, until the first that is none. */
    hexWrite(text: string, bytes: Native.Bytes, offset: number, length: number): number;
    /** Base64 in either alphabet. */
    base64Write(text: string, bytes: Native.Bytes, offset: number, length: number): number;
    /** What `hexWrite` writes to a buffer of half the length. */
    hexBytes(text: string): Uint8Array<ArrayBuffer>;
    /** What `base64_write` writes to a buffer that is large enough. */
    base64Bytes(text: string): Uint8Array<ArrayBuffer>;
    /** The low byte of each unit. */
    latin1Bytes(text: string): Uint8Array<ArrayBuffer>;
    /** UTF-8, lone surrogates as U+FFFD. */
    utf8Bytes(text: string): Uint8Array<ArrayBuffer>;
    /** `size` bytes of any content. */
    uninitialized(size: number | bigint): Uint8Array<ArrayBuffer>;
    /** Size of the text in UTF-8. */
    utf8Length(text: string): number;
    /** Fills `bytes` with the UTF-8 of a text, if the text takes no more; gives the number of bytes it takes. */
    utf8Fill(text: string, bytes: Native.Bytes): number;
    /**
     * As many characters as fit into `bytes`; `progress`, the memory of a Uint32Array of two, gets the units read and
     * the bytes written.
     */
    encodeInto(text: string, bytes: Native.Bytes, progress: Native.Bytes): void;
    /** -1, 0 or 1. */
    compare(a: Native.Bytes, b: Native.Bytes): number;
    /** -1, 0 or 1 for `a[a_start..a_end]` and `b[b_start..b_end]`. */
    compareRange(a: Native.Bytes, aStart: number, aEnd: number, b: Native.Bytes, bStart: number, bEnd: number): number;
    /** Place of a byte, -1 for none. */
    indexOfByte(bytes: Native.Bytes, byte: number, offset: number, forward: boolean): number;
    /** Place of other bytes, -1 for none. */
    indexOfBytes(bytes: Native.Bytes, needle: Native.Bytes, offset: number, forward: boolean): number;
    /** Place of 16-bit units, -1 for none; always even. */
    indexOfUnits(bytes: Native.Bytes, needle: Native.Bytes, offset: number, forward: boolean): number;
    /** Place of a text, -1 for none; `encoding` is 0 for UTF-8, 1 for latin1, 2 for UTF-16LE. */
    indexOfString(text: string, bytes: Native.Bytes, offset: number, encoding: number, forward: boolean): number;
    /** Reverses the bytes of each group of 2, 4 or 8 bytes in place. */
    swapBytes(bytes: Native.Bytes, unit: number): void;
    /** Whether the bytes are well-formed UTF-8. */
    isUtf8(bytes: Native.Bytes): boolean;
    /** Whether all bytes are below 128. */
    isAscii(bytes: Native.Bytes): boolean;
    /** `buffer.transcode`; a string result is the code of an error. */
    transcodeBytes(bytes: Native.Bytes, from: string, to: string): Uint8Array<ArrayBuffer> | string;
    /** `btoa`; undefined for characters above U+00FF. */
    btoa(text: string): string | undefined;
    /** `atob`; undefined for text that is not base64. */
    atob(text: string): string | undefined;
    /** Canonical name of the encoding with this label; undefined for an unknown one. */
    encodingForLabel(label: string): string | undefined;
    /** A whole text in UTF-8; undefined for malformed input if `fatal`. */
    decodeUtf8(bytes: Native.Bytes, fatal: boolean, keepBom: boolean): string | undefined;
    /**
     * A whole text in UTF-8, without a byte order mark, from bytes that nobody else has: their memory becomes that of a text in ASCII, and is
     * given back at once otherwise (see `Scope::release_bytes`).
     */
    decodeBody(bytes?: unknown): string | undefined;
    /** A whole text in any encoding; undefined for malformed input if `fatal`. */
    decodeOnce(label: string, bytes: Native.Bytes, fatal: boolean, keepBom: boolean): string | undefined;
    /** Makes a decoder for a stream; gives its number, which `decoderFree` must get in the end. */
    decoderCreate(label: string, fatal: boolean, keepBom: boolean): number;
    /** The text of the next piece of a stream, the end of it if `last`; undefined for malformed input of a fatal decoder. */
    decoderDecode(id: number, bytes: unknown, last: boolean): string | undefined;
    /** Drops a decoder. */
    decoderFree(id: number): void;
    /**
     * Copies `count` bytes of `source` from `sourceStart` on to `targetStart` of `target`, or as many as both have; they may be of one
     * memory and overlap. Gives the number of bytes.
     */
    copyBytes(target: Native.Bytes, targetStart: number | bigint, source: Native.Bytes, sourceStart: number | bigint, count: number | bigint): number;
    /** A part of a `Uint8Array` or ArrayBuffer as a view with another prototype: see `engine::view_bytes_op`. This one leaves it to the caller. */
    viewBytes<T>(source: Uint8Array | ArrayBufferLike, start: number | undefined, end: number | undefined, like: T, takesBuffers: boolean): T | undefined;
    /** Whether a value is a `Uint8Array` whose length stays: see `engine::is_bytes_op`. */
    isBytes(value?: unknown): value is Uint8Array;
    /** Bytes that are zero, as a `Uint8Array` with another prototype: see `engine::new_bytes_op`. This one leaves it to the caller. */
    newBytes<T>(size: number, like: T): T | undefined;
  };
}
