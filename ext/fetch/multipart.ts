/** multipart/form-data: https://html.spec.whatwg.org/#multipart-form-data and RFC 7578. */
import { checkFiles } from "web/blob";
import { utf8Bytes } from "internal/buffer/codecs";

const CR = 13,
  LF = 10,
  DASH = 45,
  SPACE = 32,
  TAB = 9;

/** A name or file name as it stands between quotes. */
function escapeName(text: string): string {
  return text.replace(/\r\n|\r|\n|"/g, (found) =>
    found === '"' ? "%22" : found === "\n" ? "%0A" : found === "\r" ? "%0D" : "%0D%0A",
  );
}

const lineEnds = (text: string) => text.replace(/\r\n?|\n/g, "\r\n");

/** A boundary that no content contains by accident, of Bun's form. */
export function newBoundary(): string {
  const bytes = native("crypto").randomBytes(16);
  let text = "----WebKitFormBoundary";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

/**
 * The parts of a Blob that is the encoded form: strings and files. Their bytes are not copied here. Throws the system's error for a file
 * that cannot be read.
 */
export function encodeMultipart(entries: [string, any][], boundary: string): unknown[] {
  const parts = [];
  let text = "";
  for (const [name, value] of entries) {
    text += `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(lineEnds(name))}"`;
    if (typeof value === "string") {
      text += `\r\n\r\n${lineEnds(value)}\r\n`;
      continue;
    }
    // As in Bun, what cannot be read is told when the body is made.
    checkFiles(value);
    const type = value.type === "" ? "application/octet-stream" : value.type;
    text += `; filename="${escapeName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`;
    parts.push(text, value);
    text = "\r\n";
  }
  parts.push(`${text}--${boundary}--\r\n`);
  return parts;
}

/** Where a quoted value ends that begins at `at`: at a quote without a backslash, else at any, else with the text. */
function closing(text: string, at: number): number {
  for (let i = at; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === '"') return i;
  }
  // Browsers escape no backslashes: the name may end with one.
  const any = text.indexOf('"', at);
  return any === -1 ? text.length : any;
}

/**
 * The first parameter `wanted` of a header's value: what is between its quotes, or follows the "=". Read from left to right, since whoever
 * chooses one value (a name, say) must not be able to put another parameter into it.
 */
function parameter(text: string, wanted: string): { value: string; quoted: boolean } | undefined {
  let at = text.indexOf(";");
  while (at !== -1) {
    do at++;
    while (at < text.length && "\t\n\r ".includes(text[at]!));
    let end = at;
    while (end < text.length && text[end] !== "=" && text[end] !== ";") end++;
    const found = end - at === wanted.length && text.slice(at, end).toLowerCase() === wanted;
    let next = end;
    if (text[end] === "=") {
      const quoted = text[end + 1] === '"';
      const start = quoted ? end + 2 : end + 1;
      const stop = quoted ? closing(text, start) : start;
      next = text.indexOf(";", stop);
      if (found) return { value: text.slice(start, quoted ? stop : next === -1 ? text.length : next), quoted };
    }
    at = next < text.length ? next : -1;
  }
  return undefined;
}

/** The boundary of a media type, or undefined: "multipart/form-data; boundary=x". */
export function boundaryOf(contentType: string): string | undefined {
  const found = parameter(contentType, "boundary");
  if (found === undefined) return undefined;
  const boundary = found.quoted ? found.value.replace(/\\(.)/g, "$1") : found.value.trimEnd();
  return boundary === "" ? undefined : boundary;
}

const unescapeName = (text: string) =>
  !text.includes("%")
    ? text
    : text.replace(/%0A|%0D|%22/gi, (found) =>
        found === "%22" ? '"' : found[2] === "A" || found[2] === "a" ? "\n" : "\r",
      );

/** A parameter of a Content-Disposition; undefined if it is not there. */
function parameterOf(value: string, name: string): string | undefined {
  const found = parameter(value, name);
  if (found === undefined) return undefined;
  if (!found.quoted) return /^\S+/.exec(found.value)?.[0];
  return unescapeName(found.value.includes("\\") ? found.value.replace(/\\(["\\])/g, "$1") : found.value);
}

/** One part: its form name, and its text or, if it is a file, file name, media type and bytes. */
interface Part {
  name: string;
  text: string;
  filename: string | undefined;
  type: string;
  bytes: Uint8Array | undefined;
}

/** Takes a body apart; undefined if it is no such body. The parts' bytes are views on `body`. */
export function parseMultipart(body: Uint8Array, boundary: string): Part[] | undefined {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const delimiter = Buffer.from(utf8Bytes(`--${boundary}`));
  const inner = Buffer.from(utf8Bytes(`\r\n--${boundary}`));
  const parts: Part[] = [];
  const { length } = body;
  // A preamble may come first, which ends with a line break.
  let at: number;
  if (buffer.indexOf(delimiter) === 0) {
    at = delimiter.length;
  } else {
    const first = buffer.indexOf(inner);
    if (first === -1) return undefined;
    at = first + inner.length;
  }
  for (;;) {
    if (buffer[at] === DASH && buffer[at + 1] === DASH) return parts;
    while (buffer[at] === SPACE || buffer[at] === TAB) at++;
    if (buffer[at] !== CR || buffer[at + 1] !== LF) return undefined;
    at += 2;

    let disposition: string | undefined;
    let type = "";
    // Header lines up to an empty one.
    for (;;) {
      let end = at;
      while (end < length && (buffer[end] !== CR || buffer[end + 1] !== LF)) end++;
      if (end >= length) return undefined;
      if (end === at) {
        at += 2;
        break;
      }
      const line = buffer.utf8Slice(at, end);
      at = end + 2;
      const colon = line.indexOf(":");
      if (colon === -1) return undefined;
      const name = line.slice(0, colon).trim().toLowerCase();
      const value = line.slice(colon + 1).trim();
      if (name === "content-disposition") disposition = value;
      else if (name === "content-type") type = value;
    }
    if (disposition === undefined || !/^form-data[\t ]*(?:;|$)/i.test(disposition)) return undefined;
    const name = parameterOf(disposition, "name");
    if (name === undefined) return undefined;
    const filename = parameterOf(disposition, "filename");

    // An empty body: the delimiter's line break is that of the header's end.
    const end = buffer.indexOf(inner, at - 2);
    if (end === -1) return undefined;
    const last = Math.max(end, at);
    parts.push(
      filename === undefined
        ? { name, text: buffer.utf8Slice(at, last), filename, type, bytes: undefined }
        : { name, text: "", filename, type, bytes: body.subarray(at, last) },
    );
    at = end + inner.length;
  }
}
