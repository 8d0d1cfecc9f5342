// Bytes and the strings of the shell. A byte that is not part of UTF-8 is the lone surrogate U+DC00 and the byte, so that names of
// files and the output of programs come through unchanged; values of a template cannot contain such characters.

const { Buffer, isUtf8 } = require("node:buffer");

/** Such characters, when they are not the second half of a pair. */
const ESCAPED = /(?<![\ud800-\udbff])[\udc80-\udcff]/;

/** The bytes of a string of the shell. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  if (text.isWellFormed() || !ESCAPED.test(text)) return Buffer.from(text);
  const chunks: Uint8Array[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code <= 0xdbff) {
      i++;
    } else if (code >= 0xdc80 && code <= 0xdcff) {
      if (i > start) chunks.push(Buffer.from(text.slice(start, i)));
      chunks.push(Uint8Array.of(code & 0xff));
      start = i + 1;
    }
  }
  if (start < text.length) chunks.push(Buffer.from(text.slice(start)));
  return Buffer.concat(chunks);
}

/** The number of bytes of the character that begins at `i`, 0 if it is none. */
function lengthAt(bytes: Uint8Array, i: number): number {
  const first = bytes[i]!;
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  return length > 0 && i + length <= bytes.length && isUtf8(bytes.subarray(i, i + length)) ? length : 0;
}

/** The string that bytes are in the shell. */
export function decode(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.utf8Slice(0, buffer.length);
  let text = "";
  let start = 0;
  for (let i = 0; i < bytes.length;) {
    const length = lengthAt(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    text += buffer.utf8Slice(start, i) + String.fromCharCode(0xdc00 | bytes[i]!);
    start = ++i;
  }
  return text + buffer.utf8Slice(start, bytes.length);
}

/** A path as the native functions of `fs` take it, see ext/fs/utils.ts. */
export function nativePath(path: string): string {
  if (path.isWellFormed() || !ESCAPED.test(path)) return path;
  return `\0${Buffer.from(encode(path)).latin1Slice()}`;
}

/** Names as the native functions of `fs` give them, in strings of the shell. */
export function namesOf(names: string | Uint8Array): string[] {
  const text = typeof names === "string" ? names : decode(names);
  return text === "" ? [] : text.split("\0");
}
