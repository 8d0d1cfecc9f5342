/**
 * `Blob` and `File` (https://w3c.github.io/FileAPI/), and the store behind `URL.createObjectURL`.
 *
 * A blob is a list of segments that are never written to: bytes in memory, or a range of a {@link BlobSource} whose
 * bytes are read when somebody asks for them (files). Slicing and joining blobs share the segments.
 *
 * Other built-in modules make blobs of their own kinds with {@link createBlob}, {@link createBlobFromSource}, or as
 * subclasses whose constructor calls `super(kSegments, segments, type)`.
 */
import type { ByteControllerImpl } from "internal/streams/webstreams/byte_core";
import type { ReadableStream as WebReadable } from "internal/streams/webstreams/readable";
import { codes } from "internal/core/errors";
import { kClone } from "internal/worker/messaging/hooks";
import { validateDictionary } from "internal/core/validators";
import { isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";
import { utf8Bytes } from "internal/buffer/codecs";

const ops = native("encoding");
const customInspect = Symbol.for("nodejs.util.inspect.custom");
const { defineProperties } = Object;

/** Bytes that are not in memory. */
interface BlobSource {
  /**
   * The bytes from `start` to `end`. Rejects with a DOMException NotReadableError if they cannot be had any more,
   * for example because the file has changed since the blob was made.
   */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Throws the system's error if there is nothing to read. */
  check?(): void;
}

interface SourceRange {
  source: BlobSource;
  start: number;
  end: number;
}

type Segment = Uint8Array | SourceRange;

/** First constructor argument of built-in callers: segments and type follow, and nothing is converted or copied. */
export const kSegments = Symbol("kSegments");

/** What a blob is made of, after its conversion. */
type Part = string | Blob | ArrayBufferView | ArrayBufferLike;

interface BlobOptions {
  type?: unknown;
  endings?: unknown;
}

/** Largest chunk of `blob.stream()`, in bytes. */
const CHUNK = 65536;

/** Characters that a media type must not have. */
const badTypeCharacter = /[^\u0020-\u007e]/;

let isBlobObject: (value: unknown) => value is Blob;
let segmentsOf: (blob: Blob) => Segment[];

function segmentSize(segment: Segment): number {
  return segment instanceof Uint8Array ? segment.byteLength : segment.end - segment.start;
}

function normalizeType(type: string): string {
  return badTypeCharacter.test(type) ? "" : type.toLowerCase();
}

/** Text with every line end as it is on this system ("\n"). */
function nativeLineEndings(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** A range argument as WebIDL's `[Clamp] long long`: rounded to an integer, ties to even. */
function clampIndex(value: unknown): number {
  const number = +(value as number);
  if (number !== number) return 0;
  if (number >= Number.MAX_SAFE_INTEGER) return Number.MAX_SAFE_INTEGER;
  if (number <= Number.MIN_SAFE_INTEGER) return Number.MIN_SAFE_INTEGER;
  const floor = Math.floor(number);
  const rest = number - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

function invalidThis(): Error {
  return new codes.ERR_INVALID_THIS("Blob");
}

function readOnly(value: unknown): never {
  if (!isBlobObject(value)) throw invalidThis();
  const error: NodeError = new TypeError("Cannot write to a Blob backed by bytes, which are always read-only");
  error.code = "ERR_INVALID_ARG_TYPE";
  throw error;
}

/** The elements of a sequence of blob parts, converted as WebIDL says; their bytes are copied in {@link own}. */
function convertParts(sources: unknown): Part[] {
  const isObject = (typeof sources === "object" && sources !== null) || typeof sources === "function";
  const iterate = isObject ? (sources as Iterable<unknown>)[Symbol.iterator] : undefined;
  if (typeof iterate !== "function") throw new codes.ERR_INVALID_ARG_TYPE("sources", "a sequence", sources);
  const iterator = iterate.call(sources);
  const parts = [];
  for (const part of { [Symbol.iterator]: () => iterator }) {
    parts.push(isBlobObject(part) || isArrayBufferView(part) || isAnyArrayBuffer(part) ? part : `${part}`);
  }
  return parts;
}

/** Adds the content of one converted part to `segments`. */
function own(segments: Segment[], part: Part, native: boolean): void {
  if (typeof part === "string") {
    if (part !== "") segments.push(utf8Bytes(native ? nativeLineEndings(part) : part));
  } else if (isBlobObject(part)) {
    for (const segment of segmentsOf(part)) segments.push(segment);
  } else if (part.byteLength > 0) {
    const bytes = isArrayBufferView(part)
      ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
      : new Uint8Array(part);
    segments.push(new Uint8Array(bytes));
  }
}

/** Immutable bytes with a media type. */
export class Blob {
  #segments: Segment[];
  #size: number;
  #type: string;

  static {
    isBlobObject = (value) => typeof value === "object" && value !== null && #segments in value;
    segmentsOf = (blob) => blob.#segments;
  }

  /**
   * @param sources sequence of strings, array buffers, views and blobs, joined; other values as strings
   * @param options `type`: media type; `endings`: "native" to convert line ends in strings, or "transparent"
   */
  constructor(sources: unknown = undefined, options: unknown = undefined, builtinType: unknown = undefined) {
    if (sources === kSegments) {
      this.#segments = options as Segment[];
      this.#type = builtinType as string;
    } else {
      const parts = sources === undefined ? undefined : convertParts(sources);
      let endings = "transparent";
      let type = "";
      if (options !== undefined) {
        validateDictionary(options, "options");
        if (options !== null) {
          // In the order of their names, as the standard has it.
          const { endings: givenEndings } = options as BlobOptions;
          if (givenEndings !== undefined) {
            endings = `${givenEndings}`;
            if (endings !== "transparent" && endings !== "native") {
              throw new codes.ERR_INVALID_ARG_VALUE("options.endings", endings);
            }
          }
          const { type: givenType } = options as BlobOptions;
          if (givenType !== undefined) type = normalizeType(`${givenType}`);
        }
      }
      this.#type = type;
      this.#segments = [];
      if (parts !== undefined) for (const part of parts) own(this.#segments, part, endings === "native");
    }
    this.#size = 0;
    for (const segment of this.#segments) this.#size += segmentSize(segment);
  }

  /** Media type in lower case, "" if unknown. */
  get type(): string {
    if (!isBlobObject(this)) throw invalidThis();
    return this.#type;
  }

  /** Size in bytes. */
  get size(): number {
    if (!isBlobObject(this)) throw invalidThis();
    return this.#size;
  }

  /** A blob of the bytes from `start` to `end` (negative: from the end), sharing memory with this one. */
  slice(start: unknown = 0, end: unknown = undefined, contentType: unknown = ""): Blob {
    if (!isBlobObject(this)) throw invalidThis();
    const size = this.#size;
    let from = clampIndex(start);
    from = from < 0 ? Math.max(size + from, 0) : Math.min(from, size);
    let to = end === undefined ? size : clampIndex(end);
    to = to < 0 ? Math.max(size + to, 0) : Math.min(to, size);
    const segments: Segment[] = [];
    let at = 0;
    for (const segment of this.#segments) {
      const length = segmentSize(segment);
      const first = Math.max(from - at, 0);
      const last = Math.min(to - at, length);
      if (first < last) {
        segments.push(
          segment instanceof Uint8Array
            ? segment.subarray(first, last)
            : { source: segment.source, start: segment.start + first, end: segment.start + last },
        );
      }
      at += length;
    }
    return new Blob(kSegments, segments, normalizeType(`${contentType}`));
  }

  /** Promise of all bytes in a new ArrayBuffer. */
  arrayBuffer(): Promise<ArrayBuffer> {
    if (!isBlobObject(this)) return Promise.reject(invalidThis());
    const bytes = joined(this.#segments, this.#size);
    return bytes instanceof Promise
      ? bytes.then((all) => all.buffer as ArrayBuffer)
      : Promise.resolve(bytes.buffer as ArrayBuffer);
  }

  /** Promise of the bytes decoded as UTF-8, malformed sequences as U+FFFD. */
  text(): Promise<string> {
    if (!isBlobObject(this)) return Promise.reject(invalidThis());
    const segments = this.#segments;
    if (segments.length === 1 && segments[0] instanceof Uint8Array) return decoded(segments[0]);
    const bytes = joined(segments, this.#size);
    return bytes instanceof Promise ? bytes.then(decoded) : decoded(bytes);
  }

  /** Promise of all bytes in a new Uint8Array. */
  bytes(): Promise<Uint8Array> {
    if (!isBlobObject(this)) return Promise.reject(invalidThis());
    const bytes = joined(this.#segments, this.#size);
    return bytes instanceof Promise ? bytes : Promise.resolve(bytes);
  }

  /** Promise of the value of the text as JSON (an addition of Bun); rejects with SyntaxError. */
  json(): Promise<unknown> {
    if (!isBlobObject(this)) return Promise.reject(invalidThis());
    return this.text().then(JSON.parse as (text: string) => unknown);
  }

  /** Promise of the content as a form, read as the media type says (an addition of Bun); rejects with TypeError. */
  formData(): Promise<FormData> {
    if (!isBlobObject(this)) return Promise.reject(invalidThis());
    const { type } = this;
    return this.bytes().then((bytes) => require("web/form_data").parseFormData(bytes, type, true));
  }

  /** A readable byte stream of the bytes, one chunk per part and at most 64 KiB each. */
  stream(): ReadableStream {
    if (!isBlobObject(this)) throw invalidThis();
    const { wrapReadable } = require("internal/streams/webstreams/readable");
    return wrapReadable(
      require("internal/streams/webstreams/byte_core").createReadyBytes(new SegmentSource(this.#segments)),
    );
  }

  // Bun's additions, which are those of Bun.file: a blob in memory is always there and never changes. Files have their own.

  /** Throws: only a file can be removed. */
  delete(): Promise<void> {
    readOnly(this);
  }

  /** A `Bun.Image` of the contents. */
  image(options?: unknown): InstanceType<BuiltinModules["bun/image"]["Image"]> {
    const { Image } = require("bun/image");
    return new Image(this, options);
  }

  /** Promise of true. */
  exists(): Promise<boolean> {
    if (!isBlobObject(this)) throw invalidThis();
    return Promise.resolve(true);
  }

  /** Nothing: only a file has a status. */
  stat(): Promise<unknown> | undefined {
    if (!isBlobObject(this)) throw invalidThis();
    return undefined;
  }

  /** Throws: only a file can be removed. */
  unlink(): Promise<void> {
    readOnly(this);
  }

  /** Throws: only a file can be written to. */
  write(_data?: unknown, _options?: unknown): Promise<number> {
    readOnly(this);
  }

  /** Throws: only a file can be written to. */
  writer(_options?: unknown): unknown {
    readOnly(this);
  }

  /** A readable stream of the bytes decoded as UTF-8, in strings. */
  textStream(): unknown {
    if (!isBlobObject(this)) throw invalidThis();
    const { TextDecoderStream } = require("web/streams");
    return (this.stream() as WebReadable).pipeThrough(new TextDecoderStream("utf-8"));
  }

  [customInspect](depth: unknown, options: { depth?: number } | null | undefined): string {
    return inspectBlob(depth, options, "Blob", { size: this.size, type: this.type });
  }
}

/** What `stream()` reads from. */
class SegmentSource {
  segments: Segment[];
  index = 0;
  /** Where in the segment the next chunk begins. */
  offset = 0;

  constructor(segments: Segment[]) {
    this.segments = segments;
  }

  pull(controller: ByteControllerImpl): Promise<void> | undefined {
    const { segments, index, offset } = this;
    if (index >= segments.length) {
      controller.close();
      // A pending read into the reader's own memory is only settled by a response.
      if (controller.pendingPullIntos.length > 0) controller.respond(0);
      return undefined;
    }
    const segment = segments[index];
    const size = segmentSize(segment);
    const end = Math.min(offset + CHUNK, size);
    if (end === size) {
      this.index = index + 1;
      this.offset = 0;
    } else {
      this.offset = end;
    }
    if (!(segment instanceof Uint8Array)) return this.pullRange(controller, segment, offset, end);
    // A copy: the stream takes possession of the chunk's memory.
    controller.enqueue(segment.slice(offset, end));
    return undefined;
  }

  async pullRange(controller: ByteControllerImpl, range: SourceRange, start: number, end: number): Promise<void> {
    const bytes = await readRange(range, start, end);
    if (start < end) controller.enqueue(bytes);
    // An empty source is asked all the same, to find out whether it still is, and what follows is what was asked for.
    else await this.pull(controller);
  }

  cancel(): void {
    this.index = this.segments.length;
  }
}

function inspectBlob(
  depth: unknown,
  options: { depth?: number } | null | undefined,
  name: string,
  shown: object,
): string {
  if (typeof depth === "number" && depth < 0) return `[${name}]`;
  const { inspect } = require("internal/util/inspect");
  const inner = { ...options, depth: options?.depth == null ? null : options.depth - 1 };
  return `${name} ${inspect(shown, inner)}`;
}

async function readRange(range: SourceRange, start: number, end: number): Promise<Uint8Array> {
  const bytes = await range.source.read(range.start + start, range.start + end);
  if (bytes.byteLength !== end - start) {
    const { DOMException } = require("web/dom_exception");
    throw new DOMException("The blob could not be read", "NotReadableError");
  }
  return bytes;
}

/** All bytes in one new array; a promise only if some are not in memory. */
function joined(segments: Segment[], size: number): Uint8Array | Promise<Uint8Array> {
  if (segments.length === 1) {
    const [segment] = segments;
    return segment instanceof Uint8Array ? new Uint8Array(segment) : readRange(segment, 0, size);
  }
  for (const segment of segments) {
    if (!(segment instanceof Uint8Array)) return joinedLater(segments, size);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const segment of segments as Uint8Array[]) {
    all.set(segment, at);
    at += segment.byteLength;
  }
  return all;
}

async function joinedLater(segments: Segment[], size: number): Promise<Uint8Array> {
  const all = new Uint8Array(size);
  let at = 0;
  for (const segment of segments) {
    const bytes = segment instanceof Uint8Array ? segment : await readRange(segment, 0, segmentSize(segment));
    all.set(bytes, at);
    at += bytes.byteLength;
  }
  return all;
}

/** Promise of the text; failures (too long for a string) reject. */
function decoded(bytes: Uint8Array): Promise<string> {
  try {
    return Promise.resolve(ops.decodeUtf8(bytes, false, false)!);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** WebIDL's `long long`, as far as numbers are exact. */
function toLongLong(value: unknown): number {
  const number = Math.trunc(+(value as number));
  return Number.isFinite(number) ? number + 0 : 0;
}

/** A blob with a name and a modification time. */
export class File extends Blob {
  #name: string;
  #lastModified: number;

  /**
   * @param fileBits as `sources` of Blob
   * @param options as for Blob, and `lastModified`: milliseconds since 1970, by default the current time
   */
  constructor(
    fileBits: unknown,
    fileName: unknown,
    options: (BlobOptions & { lastModified?: unknown }) | undefined = undefined,
  ) {
    if (arguments.length < 2) throw new codes.ERR_MISSING_ARGS("fileBits", "fileName");
    super(fileBits, options);
    const lastModified = options?.lastModified;
    this.#name = `${fileName}`.toWellFormed();
    this.#lastModified = lastModified === undefined ? Date.now() : toLongLong(lastModified);
  }

  /** The file's name. */
  get name(): string {
    if (typeof this !== "object" || this === null || !(#name in this)) throw new codes.ERR_INVALID_THIS("File");
    return this.#name;
  }

  /** Milliseconds since 1970. */
  get lastModified(): number {
    if (typeof this !== "object" || this === null || !(#name in this)) throw new codes.ERR_INVALID_THIS("File");
    return this.#lastModified;
  }

  [customInspect](depth: unknown, options: { depth?: number } | null | undefined): string {
    const { size, type, name, lastModified } = this;
    return inspectBlob(depth, options, "File", { size, type, name, lastModified });
  }
}

const visible = { enumerable: true };

defineProperties(Blob.prototype, {
  type: visible,
  size: visible,
  slice: visible,
  arrayBuffer: visible,
  text: visible,
  bytes: visible,
  json: visible,
  formData: visible,
  image: visible,
  stream: visible,
  textStream: visible,
  delete: visible,
  exists: visible,
  stat: visible,
  unlink: visible,
  write: visible,
  writer: visible,
  [Symbol.toStringTag]: { configurable: true, value: "Blob" },
});

defineProperties(File.prototype, {
  name: visible,
  lastModified: visible,
  [Symbol.toStringTag]: { configurable: true, value: "File" },
});

// ---- for other built-in modules ----

/** Whether `value` is a Blob (a File, a BunFile). */
export function isBlob(value: unknown): value is Blob {
  return isBlobObject(value);
}

/** A blob of `bytes`, which is not copied and must not be written to any more. */
export function createBlob(bytes: Uint8Array, type = ""): Blob {
  return new Blob(kSegments, bytes.byteLength === 0 ? [] : [bytes], type);
}

/** A blob of the same bytes, whose media type is `type` as it is written. */
export function blobOfType(blob: Blob, type: string): Blob {
  return new Blob(kSegments, segmentsOf(blob), type);
}

/** A blob of `size` bytes that `source` reads when needed. */
export function createBlobFromSource(source: BlobSource, size: number, type = ""): Blob {
  // A segment even if empty: reading an empty file that has grown must fail.
  return new Blob(kSegments, [{ source, start: 0, end: size }], type);
}

/** All bytes if they are in memory, without copying where possible (do not write to them), else undefined. */
export function blobBytesSync(blob: Blob): Uint8Array | undefined {
  const segments = segmentsOf(blob);
  for (const segment of segments) if (!(segment instanceof Uint8Array)) return undefined;
  return segments.length === 1 ? (segments[0] as Uint8Array) : (joined(segments, blob.size) as Uint8Array);
}

/** Throws the system's error if a file that is a part of a blob cannot be read. */
export function checkFiles(blob: Blob): void {
  for (const segment of segmentsOf(blob)) if (!(segment instanceof Uint8Array)) segment.source.check?.();
}

/** What a message has in place of a blob; the last two of a File. */
interface PackedBlob {
  parts: Segment[];
  type: string;
  name?: string;
  lastModified?: number;
}

/** See internal/messaging/hooks. */
function packBlob(blob: Blob) {
  const parts = segmentsOf(blob);
  for (const part of parts) {
    if (!(part instanceof Uint8Array)) throw new codes.ERR_INVALID_STATE("File-backed Blobs are not cloneable");
  }
  const data: PackedBlob = { parts, type: blob.type };
  if (blob instanceof File) {
    data.name = blob.name;
    data.lastModified = blob.lastModified;
  }
  // The bytes of a Blob never change.
  return { module: "web/blob", name: "receiveBlob", data, shared: true };
}
Object.defineProperty(Blob.prototype, kClone, {
  configurable: true,
  value(this: Blob) {
    return packBlob(this);
  },
});

/** The blob that `data` was packed for. */
export function receiveBlob(data: PackedBlob): Blob {
  const blob = new Blob(kSegments, data.parts, data.type);
  if (data.name === undefined) return blob;
  return new File([blob], data.name, { type: data.type, lastModified: data.lastModified });
}

// ---- object URLs ----

const PREFIX = "blob:nodedata:";
/** The blobs of this thread that have URLs; made with the first one. */
let store: Map<string, Blob> | undefined;

/** `URL.createObjectURL`: a URL that stands for the blob until it is revoked; ERR_INVALID_ARG_TYPE. */
export function createObjectURL(obj: unknown): string {
  if (!isBlobObject(obj)) throw new codes.ERR_INVALID_ARG_TYPE("obj", "Blob", obj);
  const id = require("node:crypto").randomUUID();
  store ??= new Map();
  store.set(id, obj);
  return PREFIX + id;
}

function objectId(text: string): string {
  if (!text.startsWith(PREFIX)) return "";
  const hash = text.indexOf("#");
  return text.slice(PREFIX.length, hash < 0 ? undefined : hash);
}

/** `URL.revokeObjectURL`: forgets the URL, if it is known; ERR_MISSING_ARGS. */
export function revokeObjectURL(url?: unknown): void {
  if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("url");
  const text = `${url}`;
  // Only the very URL: one with a fragment stands for the blob, but does not revoke it.
  if (!text.includes("#")) store?.delete(objectId(text));
}

/** `buffer.resolveObjectURL`: a blob of the same content and type as the one that `url` was made for, or undefined. */
export function resolveObjectURL(url: unknown): Blob | undefined {
  const id = objectId(`${url}`);
  const blob = store?.get(id);
  return blob === undefined ? undefined : new Blob(kSegments, segmentsOf(blob), blob.type);
}
