/**
 * `node:string_decoder` (https://nodejs.org/api/string_decoder.html).
 *
 * What a decoder holds back between calls is kept in one small Buffer, as in Node, since programs look at it through
 * `lastChar`, `lastNeed` and `lastTotal`: up to four bytes of an incomplete character, how many bytes are missing to
 * complete it, how many are held, and the number of the encoding.
 */
import type { StringDecoderConstructor } from "internal/buffer/types";
import { codes } from "internal/core/errors";
import { isArrayBufferView, isUint8Array } from "internal/buffer/base";
import { ascii, base64, base64url, getCodec, hex, latin1, ucs2, utf8 } from "internal/buffer/codecs";
import type { Codec } from "internal/buffer/codecs";

const kNativeDecoder = Symbol("kNativeDecoder");

const MISSING = 4;
const HELD = 5;
const ENCODING = 6;
const STATE_SIZE = 7;

type State = Uint8Array;

interface Decoder {
  encoding: string;
  [kNativeDecoder]: State;
  write(bytes: unknown): string;
}

/** Codecs by the number in `state[ENCODING]`. */
const codecs: Codec[] = [];
for (const codec of [ascii, utf8, base64, ucs2, latin1, hex, base64url]) codecs[codec.id] = codec;

/**
 * Decodes bytes piece by piece, holding back the incomplete character at the end of each piece.
 *
 * @param encoding any encoding of Buffer, UTF-8 by default; throws ERR_UNKNOWN_ENCODING for others
 */
function StringDecoder(this: Decoder, encoding?: unknown): void {
  const codec =
    encoding == null || encoding === "" ? utf8 : typeof encoding === "symbol" ? undefined : getCodec(encoding);
  if (codec === undefined)
    throw new codes.ERR_UNKNOWN_ENCODING(typeof encoding === "symbol" ? String(encoding) : encoding);
  this.encoding = codec.name;
  const state = require("node:buffer").Buffer.alloc(STATE_SIZE);
  state[ENCODING] = codec.id;
  this[kNativeDecoder] = state;
}

function stateOf(decoder: unknown): State {
  const state = (decoder as Decoder)[kNativeDecoder];
  if (state === undefined) throw new codes.ERR_INVALID_THIS("StringDecoder");
  return state;
}

/** How many bytes a character takes whose first byte in UTF-8 is `byte`; 1 for bytes that start none. */
function utf8Size(byte: number): number {
  if ((byte & 0xe0) === 0xc0) return 2;
  if ((byte & 0xf0) === 0xe0) return 3;
  if ((byte & 0xf8) === 0xf0) return 4;
  return 1;
}

/** Holds back `bytes[from..]`, of a character that is `total` bytes long. */
function hold(state: State, bytes: Uint8Array, from: number, to: number, total: number): void {
  const count = to - from;
  for (let i = 0; i < count; i++) state[i] = bytes[from + i];
  state[HELD] = count;
  state[MISSING] = total - count;
}

/** Looks for an incomplete UTF-8 character at the end of `bytes[from..to]`, holds it back, returns where it starts. */
function holdUtf8(state: State, bytes: Uint8Array, from: number, to: number): number {
  // At most three bytes of a character can be there without it being complete.
  for (let back = 1; back <= 4 && to - back >= from; back++) {
    const byte = bytes[to - back];
    if ((byte & 0xc0) === 0x80) continue;
    const total = utf8Size(byte);
    if (total <= back) return to;
    hold(state, bytes, to - back, to, total);
    return to - back;
  }
  return to;
}

function holdUcs2(state: State, bytes: Uint8Array, from: number, to: number): number {
  if ((to - from) % 2 === 1) {
    hold(state, bytes, to - 1, to, 2);
    return to - 1;
  }
  if (to - from >= 2 && (bytes[to - 1] & 0xfc) === 0xd8) {
    hold(state, bytes, to - 2, to, 4);
    return to - 2;
  }
  return to;
}

function holdBase64(state: State, bytes: Uint8Array, from: number, to: number): number {
  const rest = (to - from) % 3;
  if (rest === 0) return to;
  hold(state, bytes, to - rest, to, 3);
  return to - rest;
}

function holdTail(state: State, bytes: Uint8Array, from: number, to: number): number {
  switch (state[ENCODING]) {
    case 1:
      return holdUtf8(state, bytes, from, to);
    case 3:
      return holdUcs2(state, bytes, from, to);
    default:
      return holdBase64(state, bytes, from, to);
  }
}

/** Completes the held character with the first bytes of `bytes`; returns how many it took. */
function feed(state: State, bytes: Uint8Array, size: number): number {
  const isUtf8 = state[ENCODING] === 1;
  let at = 0;
  while (state[MISSING] > 0 && at < size) {
    const byte = bytes[at];
    if (isUtf8 && (byte & 0xc0) !== 0x80) {
      // No continuation: what is held stays incomplete for good, and this byte starts a character of its own.
      state[MISSING] = 0;
      break;
    }
    state[state[HELD]] = byte;
    state[HELD]++;
    state[MISSING]--;
    at++;
  }
  return at;
}

/**
 * The text of all characters that are complete with these bytes (a string is returned as it is).
 * Throws ERR_INVALID_ARG_TYPE for other values.
 */
function write(this: unknown, buf: unknown): string {
  if (typeof buf === "string") return buf;
  if (!isArrayBufferView(buf)) {
    throw new codes.ERR_INVALID_ARG_TYPE("buf", ["Buffer", "TypedArray", "DataView"], buf);
  }
  const state = stateOf(this);
  const bytes = isUint8Array(buf) ? buf : new Uint8Array(buf.buffer, buf.byteOffset, buf.byteLength);
  const size = bytes.byteLength;
  const codec = codecs[state[ENCODING]];
  if (codec === ascii || codec === latin1 || codec === hex) return codec.slice(bytes, 0, size);

  let from = 0;
  let text = "";
  if (state[MISSING] > 0) {
    from = feed(state, bytes, size);
    if (state[MISSING] > 0) return "";
    text = codec.slice(state, 0, state[HELD]);
    state[HELD] = 0;
  }
  if (from === size) return text;
  const to = holdTail(state, bytes, from, size);
  const body = codec.slice(bytes, from, to);
  return text === "" ? body : text + body;
}

/** The text of `buf`, if given, and of what is held back, incomplete as it is; the decoder is then as new. */
function end(this: Decoder, buf?: unknown): string {
  const text = buf === undefined ? "" : this.write(buf);
  const state = stateOf(this);
  if (state[HELD] === 0) return text;
  // Half a UTF-16 unit stands for nothing.
  const held = state[ENCODING] === ucs2.id ? state[HELD] & ~1 : state[HELD];
  const rest = codecs[state[ENCODING]].slice(state, 0, held);
  state[MISSING] = 0;
  state[HELD] = 0;
  return text + rest;
}

/** Undocumented: forgets what is held back and decodes `buf` from byte `offset` on. */
function text(this: Decoder, buf: Uint8Array, offset: number): string {
  const state = stateOf(this);
  state[MISSING] = 0;
  state[HELD] = 0;
  return this.write(buf.slice(offset));
}

StringDecoder.prototype.write = write;
StringDecoder.prototype.end = end;
StringDecoder.prototype.text = text;

Object.defineProperties(StringDecoder.prototype, {
  /** The bytes of the incomplete character, in a Buffer of four. */
  lastChar: {
    configurable: true,
    enumerable: true,
    get() {
      return stateOf(this).subarray(0, MISSING);
    },
  },
  /** How many bytes the incomplete character lacks. */
  lastNeed: {
    configurable: true,
    enumerable: true,
    get() {
      return stateOf(this)[MISSING];
    },
  },
  /** How many bytes the incomplete character has when complete. */
  lastTotal: {
    configurable: true,
    enumerable: true,
    get() {
      const state = stateOf(this);
      return state[HELD] + state[MISSING];
    },
  },
});

export default { StringDecoder: StringDecoder as unknown as StringDecoderConstructor };
