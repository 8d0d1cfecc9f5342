/**
 * `TextEncoder` and `TextDecoder` (https://encoding.spec.whatwg.org).
 *
 * The decoders of all encodings of the standard are native. A decode without `stream: true` on a decoder that is not
 * in the middle of a stream is one call without state. UTF-8 streams keep the bytes of an incomplete character here;
 * for other encodings a native decoder, known by a number, exists between the first call with `stream: true` and the
 * call that ends the stream, or until its `TextDecoder` is collected.
 */
import { codedTypeError, codes } from "internal/core/errors";
import { kValidateObjectAllowObjectsAndNull, validateObject, validateString } from "internal/core/validators";
import { isAnyArrayBuffer, isArrayBufferView, isUint8Array } from "internal/buffer/base";
import { shortAscii, TINY, utf8Bytes } from "internal/buffer/codecs";

const ops = native("encoding");
const customInspect = Symbol.for("nodejs.util.inspect.custom");
const { defineProperties } = Object;
const { slice: sliceElements } = Uint8Array.prototype;

/** Up to this many code units, ASCII text is encoded by a loop; chosen by measurement. */
const SHORT = 64;

/** Where `encodeInto` finds what the native side read (units) and wrote (bytes). */
let progress: Uint32Array | undefined;

let isEncoder: (value: unknown) => boolean;
let isDecoder: (value: unknown) => boolean;

function checkEncoder(value: unknown): void {
  if (!isEncoder(value)) throw new codes.ERR_INVALID_THIS("TextEncoder");
}

function checkDecoder(value: unknown): void {
  if (!isDecoder(value)) throw new codes.ERR_INVALID_THIS("TextDecoder");
}

/** Turns strings into UTF-8. */
export class TextEncoder {
  /** Tells real instances apart in the "this" checks. */
  #brand: undefined;

  static {
    isEncoder = (value) => typeof value === "object" && value !== null && #brand in value;
  }

  /** Always "utf-8". */
  get encoding(): string {
    checkEncoder(this);
    return "utf-8";
  }

  /** The UTF-8 bytes of `input`, with U+FFFD for lone surrogates. */
  encode(input: unknown = ""): Uint8Array {
    checkEncoder(this);
    return utf8Bytes(typeof input === "string" ? input : `${input}`);
  }

  /**
   * Writes as many whole characters of `src` as fit into `dest`.
   *
   * @returns `read`: UTF-16 units taken, `written`: bytes written
   */
  encodeInto(src: unknown, dest: unknown): { read: number; written: number } {
    checkEncoder(this);
    validateString(src, "src");
    if (!isUint8Array(dest)) throw new codes.ERR_INVALID_ARG_TYPE("dest", "Uint8Array", dest);
    const units = src.length;
    if (units <= SHORT && units <= dest.length) {
      let i = 0;
      for (; i < units; i++) {
        const unit = src.charCodeAt(i);
        if (unit > 0x7f) break;
        dest[i] = unit;
      }
      if (i === units) return { read: units, written: units };
    }
    if (dest.length === 0) return { read: 0, written: 0 };
    progress ??= new Uint32Array(2);
    ops.encodeInto(src, dest, progress);
    return { read: progress[0], written: progress[1] };
  }

  [customInspect](depth: unknown, opts: unknown) {
    checkEncoder(this);
    if (typeof depth === "number" && depth < 0) return "[TextEncoder]";
    return require("internal/util/inspect").inspect({ encoding: "utf-8" }, opts);
  }
}

/** The canonical name of an encoding, in lower case, or undefined. */
export function getEncodingFromLabel(label: string): string | undefined {
  if (label === "utf-8" || label === "utf8") return "utf-8";
  return ops.encodingForLabel(label);
}

const nothing = new Uint8Array(0);

/** Frees the native decoders of collected TextDecoders; made when the first stream is decoded. */
let registry: FinalizationRegistry<number> | undefined;

/** In place of the number of a native decoder: a UTF-8 stream is in progress. */
const UTF8_STREAM = -1;

/** Whether `next` can follow `first` in well-formed UTF-8 of three or four bytes. */
function canFollow(first: number, next: number): boolean {
  switch (first) {
    case 0xe0:
      return next >= 0xa0 && next <= 0xbf;
    case 0xed:
      return next >= 0x80 && next <= 0x9f;
    case 0xf0:
      return next >= 0x90 && next <= 0xbf;
    case 0xf4:
      return next >= 0x80 && next <= 0x8f;
  }
  return next >= 0x80 && next <= 0xbf;
}

/** How many bytes at the end could be the beginning of a well-formed character of UTF-8: 0 to 3. */
function incompleteUtf8(bytes: Uint8Array): number {
  const size = bytes.length;
  if (size === 0) return 0;
  const last = bytes[size - 1];
  if (last < 0x80) return 0;
  if (last >= 0xc2 && last <= 0xf4) return 1;
  if (last > 0xbf || size < 2) return 0;
  const second = bytes[size - 2];
  if (second >= 0xe0 && second <= 0xf4) return canFollow(second, last) ? 2 : 0;
  if (second < 0x80 || second > 0xbf || size < 3) return 0;
  const third = bytes[size - 3];
  return third >= 0xf0 && third <= 0xf4 && canFollow(third, second) ? 3 : 0;
}

/** Turns bytes in any encoding of the standard into strings. */
export class TextDecoder {
  #encoding: string;
  #fatal: boolean;
  #ignoreBOM: boolean;
  /** The native decoder of the stream in progress, UTF8_STREAM, or 0 for none. */
  #stream = 0;
  /** In a UTF-8 stream: the incomplete character at the end of the last piece. */
  #pending = nothing;
  /** In a UTF-8 stream: whether its beginning, where a byte order mark may be, has gone by. */
  #begun = false;

  static {
    isDecoder = (value) => typeof value === "object" && value !== null && #stream in value;
  }

  /**
   * @param label any label of the standard, in any case, with any surrounding whitespace;
   *   throws RangeError ERR_ENCODING_NOT_SUPPORTED for others and for those of the "replacement" encoding
   * @param options `fatal`: throw on malformed input instead of putting U+FFFD in its place;
   *   `ignoreBOM`: keep a byte order mark in the output instead of dropping it
   */
  constructor(label: unknown = "utf-8", options: unknown = undefined) {
    const text = typeof label === "string" ? label : `${label}`;
    if (options === undefined) {
      this.#fatal = false;
      this.#ignoreBOM = false;
    } else {
      validateObject(options, "options", kValidateObjectAllowObjectsAndNull);
      this.#fatal = Boolean(options?.fatal);
      this.#ignoreBOM = Boolean(options?.ignoreBOM);
    }
    const encoding = getEncodingFromLabel(text);
    if (encoding === undefined || encoding === "replacement") {
      throw new codes.ERR_ENCODING_NOT_SUPPORTED(encoding ?? text);
    }
    this.#encoding = encoding;
  }

  /**
   * The text of `input`, an `ArrayBuffer`, `SharedArrayBuffer` or view of one, nothing by default.
   *
   * With `options.stream`, an incomplete character at the end is kept for the next call. Throws TypeError
   * ERR_ENCODING_INVALID_ENCODED_DATA for malformed input if the decoder is fatal, ERR_INVALID_ARG_TYPE.
   */
  decode(input: unknown = nothing, options: unknown = undefined): string {
    checkDecoder(this);
    if (!isArrayBufferView(input) && !isAnyArrayBuffer(input)) {
      // Node's native half says "list".
      throw codedTypeError(
        "ERR_INVALID_ARG_TYPE",
        'The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.',
      );
    }
    // A detached buffer counts as no bytes.
    const bytes = input.byteLength === 0 ? nothing : input;
    const stream = options !== undefined && options !== null && Boolean((options as { stream?: unknown }).stream);
    let text: string | undefined;
    if (this.#stream === 0 && !stream) {
      if (this.#encoding === "utf-8" && bytes.byteLength <= TINY && isUint8Array(bytes)) {
        text = shortAscii(bytes, 0, bytes.length);
        if (text !== undefined) return text;
      }
      text =
        this.#encoding === "utf-8"
          ? ops.decodeUtf8(bytes, this.#fatal, this.#ignoreBOM)
          : ops.decodeOnce(this.#encoding, bytes, this.#fatal, this.#ignoreBOM);
    } else {
      text = this.#encoding === "utf-8" ? this.#decodeUtf8Part(bytes, stream) : this.#decodePart(bytes, stream);
    }
    if (text === undefined) throw new codes.ERR_ENCODING_INVALID_ENCODED_DATA(this.#encoding, undefined);
    return text;
  }

  /** One call of a UTF-8 stream: `more` if it is not the last one. */
  #decodeUtf8Part(input: ArrayBuffer | SharedArrayBuffer | ArrayBufferView, more: boolean): string | undefined {
    let bytes = isUint8Array(input)
      ? input
      : isArrayBufferView(input)
        ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
        : new Uint8Array(input);
    const pending = this.#pending;
    if (pending.length > 0) {
      const joined = new Uint8Array(pending.length + bytes.length);
      joined.set(pending);
      joined.set(bytes, pending.length);
      bytes = joined;
    }
    const held = more ? incompleteUtf8(bytes) : 0;
    const end = bytes.length - held;
    this.#pending = held > 0 ? sliceElements.call(bytes, end) : nothing;
    this.#stream = UTF8_STREAM;
    const whole = held > 0 ? new Uint8Array(bytes.buffer, bytes.byteOffset, end) : bytes;
    const text = ops.decodeUtf8(whole, this.#fatal, this.#ignoreBOM || this.#begun);
    if (more && text !== undefined) {
      if (end > 0) this.#begun = true;
    } else {
      this.#pending = nothing;
      this.#begun = false;
      this.#stream = 0;
    }
    return text;
  }

  /** One call of a stream in another encoding. */
  #decodePart(bytes: ArrayBuffer | SharedArrayBuffer | ArrayBufferView, more: boolean): string | undefined {
    if (this.#stream === 0) {
      this.#stream = ops.decoderCreate(this.#encoding, this.#fatal, this.#ignoreBOM);
      registry ??= new FinalizationRegistry((id) => ops.decoderFree(id));
      registry.register(this, this.#stream, this);
    }
    const text: string | undefined = ops.decoderDecode(this.#stream, bytes, !more);
    if (!more || text === undefined) {
      registry!.unregister(this);
      ops.decoderFree(this.#stream);
      this.#stream = 0;
    }
    return text;
  }

  /** The canonical name of the encoding in lower case. */
  get encoding(): string {
    checkDecoder(this);
    return this.#encoding;
  }

  /** Whether malformed input throws. */
  get fatal(): boolean {
    checkDecoder(this);
    return this.#fatal;
  }

  /** Whether a byte order mark is kept in the output. */
  get ignoreBOM(): boolean {
    checkDecoder(this);
    return this.#ignoreBOM;
  }

  [customInspect](depth: unknown, opts: { showHidden?: unknown } | null | undefined) {
    checkDecoder(this);
    if (typeof depth === "number" && depth < 0) return "[TextDecoder]";
    const { inspect } = require("internal/util/inspect");
    const shown: { [name: string | symbol]: unknown } = {
      encoding: this.#encoding,
      fatal: this.#fatal,
      ignoreBOM: this.#ignoreBOM,
    };
    if (opts?.showHidden) {
      // What Node keeps on its instances, with its numbers for the two options.
      shown[Symbol("flags")] = (this.#fatal ? 2 : 0) | (this.#ignoreBOM ? 4 : 0);
      shown[Symbol("handle")] = this.#stream > 0 ? this.#stream : undefined;
    }
    return `${this.constructor?.name ?? "TextDecoder"} ${inspect(shown, opts)}`;
  }
}

const visible = { enumerable: true };

defineProperties(TextEncoder.prototype, {
  encoding: visible,
  encode: visible,
  encodeInto: visible,
  [Symbol.toStringTag]: { configurable: true, value: "TextEncoder" },
});

defineProperties(TextDecoder.prototype, {
  decode: visible,
  encoding: visible,
  fatal: visible,
  ignoreBOM: visible,
  [Symbol.toStringTag]: { configurable: true, value: "TextDecoder" },
});
