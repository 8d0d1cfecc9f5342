/**
 * Bodies of requests and responses: https://fetch.spec.whatwg.org/#bodies. What a body was made of (a string, bytes, a
 * Blob) stays as it is until somebody asks for the stream.
 */
import { isAnyArrayBuffer, isArrayBufferView, isSharedArrayBuffer } from "internal/buffer/base";
import { utf8Bytes } from "internal/buffer/codecs";
import { createReadableBytes } from "internal/streams/webstreams/byte_core";
import type { ByteControllerImpl } from "internal/streams/webstreams/byte_core";
import {
  isReadableStream,
  readableOf,
  wrapReadable,
  type ReadableStream as Stream,
} from "internal/streams/webstreams/readable";
import { acquireReader } from "internal/streams/webstreams/readable_core";
import { tee } from "internal/streams/webstreams/tee";

/** Loaded when a body of the kind is met. */
const blobModule = () => require("web/blob");
const formModule = () => require("web/form_data");

const textType = "text/plain;charset=UTF-8";
const formType = "application/x-www-form-urlencoded;charset=UTF-8";

/** The bytes of a body that comes in from elsewhere. */
export interface IncomingBody {
  /** Whether somebody reads it, or may. */
  readonly claimed: boolean;
  readonly size?: number;
  collect(resolve: (bytes: Uint8Array) => void, reject: (reason: unknown) => void): void;
  bytes(): Promise<Uint8Array>;
  stream(): Stream;
}

export type BodySource = string | Uint8Array | Blob | IncomingBody;

/** The members of the standard's Body mixin, and Bun's. */
export interface BodyMembers {
  readonly body: Stream | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array>;
  formData(): Promise<FormData>;
  json(): Promise<unknown>;
  text(): Promise<string>;
  textStream(): Stream;
}

/** What a body is: see {@link extractBody}. */
export class Body {
  /**
   * A string, a Uint8Array, a Blob, or something with `collect()` and `stream()` that comes in from elsewhere (`claimed`, see
   * internal/fetch/incoming); undefined where there is only the stream.
   */
  source: BodySource | undefined;
  /** The ReadableStream, once there is one. */
  #stream: Stream | undefined;
  /** Read before there was a stream. */
  #used = false;
  /** Whether another body has the same source: its bytes must not be given away. */
  #shared = false;

  constructor(source: BodySource | undefined, stream: Stream | undefined = undefined) {
    this.source = source;
    this.#stream = stream;
  }

  /** Bytes of the body, if that is known without reading it. */
  get length(): number | undefined {
    const { source } = this;
    if (typeof source === "string") return Buffer.byteLength(source);
    if (source instanceof Uint8Array) return source.byteLength;
    return source?.size;
  }

  /** Whether something has been read. */
  get used(): boolean {
    return this.#stream === undefined ? this.#used : readableOf(this.#stream).disturbed;
  }

  /** Whether nothing more can be read: somebody has, or is at it. */
  get unusable(): boolean {
    if (this.#stream === undefined) return this.#used;
    const impl = readableOf(this.#stream);
    return impl.disturbed || impl.reader !== undefined;
  }

  /** The body as a stream. */
  get stream(): Stream {
    let stream = this.#stream;
    if (stream === undefined) {
      stream = this.#stream = this.#used ? usedStream() : streamOf(this.source!, this.#shared);
      this.source = undefined;
    }
    return stream;
  }

  /** Marks the body as read and gives what it was made of; undefined where the stream has to be read. */
  take(): BodySource | undefined {
    const { source } = this;
    if (this.#stream !== undefined) return undefined;
    this.#used = true;
    this.source = undefined;
    return source;
  }

  /** A body with the content of this one, which counts as read; undefined where the stream has to be read. */
  move(): Body | undefined {
    const source = this.take();
    if (source === undefined) return undefined;
    const moved = new Body(source);
    moved.#shared = this.#shared;
    return moved;
  }

  /** Whether bytes that `take` gives may be handed to a program. */
  get owned(): boolean {
    return !this.#shared;
  }

  /** A second body with the same content. */
  clone(): Body {
    // What comes in can be read once.
    if ((this.source as IncomingBody | undefined)?.claimed !== undefined) void this.stream;
    if (this.#stream === undefined) {
      this.#shared = true;
      const copy = new Body(this.source);
      copy.#shared = true;
      return copy;
    }
    // With copies of the chunks for the second one.
    const [first, second] = tee(readableOf(this.#stream), true);
    this.#stream = wrapReadable(first);
    return new Body(undefined, wrapReadable(second));
  }
}

/** The stream of a body that has been read already: at its end, and still locked by who has read it. */
function usedStream(): Stream {
  const stream = streamOf("", false);
  stream.cancel();
  acquireReader(readableOf(stream));
  return stream;
}

/** What a stream of bytes that are all there takes from. */
class WholeSource {
  bytes: Uint8Array | undefined;
  shared: boolean;

  constructor(bytes: Uint8Array, shared: boolean) {
    this.bytes = bytes;
    this.shared = shared;
  }

  pull(controller: ByteControllerImpl): void {
    const bytes = this.bytes!;
    // The stream takes the memory away.
    if (bytes.byteLength > 0) controller.enqueue(this.shared ? bytes.slice() : bytes);
    this.bytes = undefined;
    controller.close();
    if (controller.pendingPullIntos.length > 0) controller.respond(0);
  }
}

function streamOf(source: BodySource, shared: boolean): Stream {
  if (typeof source !== "string" && !(source instanceof Uint8Array)) return source.stream() as Stream;
  return wrapReadable(
    createReadableBytes(new WholeSource(typeof source === "string" ? utf8Bytes(source) : source, shared)),
  );
}

/** Bytes that whoever gives them as a body does not change until it is sent: they are not copied. */
export class OwnBytes {
  bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** What a value has that is encoded when it becomes a body: its bytes, and their media type. */
export const kEncodeBody = Symbol("kEncodeBody");

/** A body and the media type that goes with it, from a value that is one ("extract a body"). */
export function extractBody(value: unknown): { body: Body; type: string | undefined } {
  if (typeof value === "string")
    return { body: new Body(value.isWellFormed() ? value : value.toWellFormed()), type: textType };
  if (typeof value === "object" && value !== null) {
    if (value instanceof OwnBytes) return { body: new Body(value.bytes), type: undefined };
    if (isArrayBufferView(value)) {
      refuseShared(value.buffer);
      const view = value;
      return { body: new Body(new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice()), type: undefined };
    }
    if (isAnyArrayBuffer(value)) {
      refuseShared(value);
      return { body: new Body(new Uint8Array(value as ArrayBuffer).slice()), type: undefined };
    }
    if (isReadableStream(value)) {
      const impl = readableOf(value);
      if (impl.disturbed || impl.reader !== undefined) {
        throw new TypeError("Response body object should not be disturbed or locked");
      }
      return { body: new Body(undefined, value as Stream), type: undefined };
    }
    if (blobModule().isBlob(value)) return { body: new Body(value), type: value.type || undefined };
    // As in Bun: the parts of a Blob. By the standard an array is the text of its elements with commas, which nobody sends.
    if (Array.isArray(value)) return { body: new Body(new Blob(value)), type: undefined };
    if (value instanceof URLSearchParams) return { body: new Body(value.toString()), type: formType };
    if (formModule().isFormData(value)) {
      const { encodeMultipart, newBoundary } = require("internal/fetch/multipart");
      const boundary = newBoundary();
      const parts = encodeMultipart(formModule().formEntries(value), boundary);
      return { body: new Body(new Blob(parts)), type: `multipart/form-data; boundary=${boundary}` };
    }
    if (kEncodeBody in value) {
      const [bytes, type] = (value as { [kEncodeBody]: () => [Uint8Array, string] })[kEncodeBody]();
      return { body: new Body(bytes), type };
    }
    if (typeof (value as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] === "function") {
      return {
        body: new Body(undefined, ReadableStream.from(bytesOf(value as AsyncIterable<unknown>)) as Stream),
        type: undefined,
      };
    }
  }
  if (
    typeof value === "function" &&
    (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] === "AsyncGeneratorFunction"
  ) {
    // As in Bun: the generator that it makes.
    return {
      body: new Body(undefined, ReadableStream.from(bytesOf(Reflect.apply(value, undefined, []))) as Stream),
      type: undefined,
    };
  }
  return { body: new Body(`${value}`.toWellFormed()), type: textType };
}

function refuseShared(buffer: ArrayBuffer | SharedArrayBuffer): void {
  if (isSharedArrayBuffer(buffer)) throw new TypeError("A body cannot be on shared memory");
}

/** What an iterable gives, as bytes: the body of a message is bytes, whatever it was made of. */
async function* bytesOf(chunks: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield chunkBytes(chunk);
}

/** One chunk of a stream as bytes. Strings are taken as well, as in Bun. */
export function chunkBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === "string") return utf8Bytes(chunk);
  if (isArrayBufferView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (isAnyArrayBuffer(chunk)) return new Uint8Array(chunk as ArrayBuffer);
  throw new TypeError("Received non-Uint8Array chunk");
}

/**
 * Reads a stream to its end: `done(bytes)`, in memory of their own, or `fail(reason)`. With callbacks, because a promise
 * for an object asks it for `then`, which a program may have put on Object.prototype.
 */
function readStream(stream: unknown, done: (bytes: Uint8Array) => void, fail: (reason: unknown) => void): void {
  const reader = acquireReader(readableOf(stream));
  const chunks: Uint8Array[] = [];
  let length = 0;
  let inRead = false;
  let more = false;
  const request = {
    chunk(value: unknown) {
      let bytes: Uint8Array;
      try {
        bytes = chunkBytes(value);
      } catch (error) {
        fail(error);
        reader.cancel?.(error);
        return;
      }
      chunks.push(bytes);
      length += bytes.byteLength;
      // Chunks that are there already come synchronously: loop instead of recursing.
      more = true;
      if (!inRead) next();
    },
    close() {
      done(joined(chunks, length));
    },
    error: fail,
  };
  const next = () => {
    inRead = true;
    do {
      more = false;
      reader.read(request);
    } while (more);
    inRead = false;
  };
  next();
}

/** The bytes of `chunks`, which are `length` together, in one array. */
export function joined(
  chunks: Uint8Array[],
  length: number = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0),
): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

const unusable = () => new TypeError("Body is unusable: Body has already been read");

/**
 * The promise of what `convert` makes of all bytes of a body that is usable. `keep`: the bytes go to the program, so
 * that they must be nobody else's.
 */
function consume<T>(body: Body, keep: boolean, convert: (bytes: Uint8Array) => T): Promise<T> {
  const source = body.take();
  // What is there already needs no functions that settle a promise later.
  if (source instanceof Uint8Array || typeof source === "string") {
    try {
      const bytes = typeof source === "string" ? utf8Bytes(source) : source;
      return Promise.resolve(convert(keep && bytes === source && !body.owned ? bytes.slice() : bytes)) as Promise<T>;
    } catch (error) {
      return Promise.reject(error);
    }
  }
  return new Promise<T>((resolve, reject) => {
    const done = (bytes: Uint8Array) => {
      try {
        resolve(convert(bytes));
      } catch (error) {
        reject(error);
      }
    };
    if (source === undefined) readStream(body.stream, done, reject);
    else if ((source as IncomingBody).claimed !== undefined) (source as IncomingBody).collect(done, reject);
    else source.bytes().then(done, reject);
  });
}

const encoding = native("encoding");

function decode(bytes: Uint8Array): string {
  return encoding.decodeUtf8(bytes, false, false)!;
}

/** Of bytes that nobody else has: their memory is free again at once, not when they are collected. */
function decodeOwn(bytes: Uint8Array): string {
  return encoding.decodeBody(bytes)!;
}

const withoutMark = (text: string) => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

/** The promise of the text, or of what `convert` makes of it. */
function consumeText(body: Body, convert?: (text: string) => unknown): Promise<unknown> {
  const { source } = body;
  if (typeof source !== "string") {
    const toText =
      body.owned && (source instanceof Uint8Array || (source as IncomingBody | undefined)?.claimed !== undefined)
        ? decodeOwn
        : decode;
    return consume(body, false, convert === undefined ? toText : (bytes) => convert(toText(bytes)));
  }
  const text = withoutMark(body.take() as string);
  if (convert === undefined) return Promise.resolve(text);
  try {
    return Promise.resolve(convert(text));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The first line of every method that reads: the body, or undefined for none; throws where it cannot be read. */
function usable(self: unknown, bodyOf: (object: unknown) => Body | null): Body | null {
  const body = bodyOf(self);
  if (body !== null && body.unusable) throw unusable();
  return body;
}

/**
 * Gives a class the members of the standard's Body mixin. `bodyOf(object)` is its body or null, `typeOf(object)` its
 * media type or null; both throw if the object is none of the class.
 */
export function addBodyMembers(
  type: { prototype?: unknown },
  bodyOf: (object: unknown) => Body | null,
  typeOf: (object: unknown) => string | null,
): void {
  const getters: unknown = {
    /** The body as a stream, or null. */
    get body() {
      return bodyOf(this)?.stream ?? null;
    },
    /** Whether something has been read of it. */
    get bodyUsed() {
      return bodyOf(this)?.used ?? false;
    },
  };
  // `read(body)` for the body of `self`, null if it has none; what is wrong with it becomes a rejection.
  const reading = <T>(self: unknown, read: (body: Body | null) => Promise<T>): Promise<T> => {
    try {
      return read(usable(self, bodyOf));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const methods: { [name: string]: (this: unknown) => unknown } = {
    arrayBuffer() {
      return reading(this, (body) =>
        body === null ? Promise.resolve(new ArrayBuffer(0)) : consume(body, true, whole),
      );
    },
    bytes() {
      return reading(this, (body) =>
        body === null
          ? Promise.resolve(new Uint8Array(0))
          : consume(body, true, (bytes) => new Uint8Array(whole(bytes))),
      );
    },
    blob() {
      return reading(this, (body) => {
        const mime = blobType(typeOf(this));
        if (body === null) return Promise.resolve(blobModule().blobOfType(new Blob([]), mime));
        const source = (body.source as IncomingBody | undefined)?.claimed === undefined ? body.take() : undefined;
        // The constructor would put the type into lower case.
        if (source !== undefined) return Promise.resolve(blobModule().blobOfType(new Blob([source as Blob]), mime));
        return consume(body, true, (bytes) => blobModule().createBlob(bytes, mime));
      });
    },
    formData() {
      return reading(this, (body) => {
        const mime = typeOf(this);
        const parse = (bytes: Uint8Array) => formModule().parseFormData(bytes, mime);
        return body === null ? Promise.resolve(parse(new Uint8Array(0))) : consume(body, false, parse);
      });
    },
    // These two are called most, and go without the closure.
    json() {
      try {
        const body = usable(this, bodyOf);
        return body === null ? JSON.parse("") : consumeText(body, JSON.parse);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    text() {
      try {
        const body = usable(this, bodyOf);
        return body === null ? Promise.resolve("") : consumeText(body);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    /** The body as a stream of strings (Bun). */
    textStream() {
      const body = usable(this, bodyOf);
      const stream = body === null ? streamOf("", false) : body.stream;
      return stream.pipeThrough(new TextDecoderStream());
    },
  };
  for (const name of Object.keys(methods)) {
    Object.defineProperty(type.prototype, name, {
      configurable: true,
      enumerable: true,
      writable: true,
      value: methods[name],
    });
  }
  for (const name of ["body", "bodyUsed"]) {
    Object.defineProperty(type.prototype, name, {
      ...Object.getOwnPropertyDescriptor(getters, name),
      configurable: true,
      enumerable: true,
    });
  }
}

/** The memory of bytes, if they are all of it, else a copy. */
function whole(bytes: Uint8Array): ArrayBuffer {
  return (bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)).buffer as ArrayBuffer;
}

/**
 * The type of a Blob for a Content-Type: written the standard way, and in lower case as the File API has it, but for the boundary of
 * parts, which counts as it is written; "" if it is none.
 */
function blobType(contentType: string | null): string {
  if (contentType === null) return "";
  try {
    const { MIMEType } = require("internal/util/mime");
    const type: string = new MIMEType(contentType).toString();
    return type.startsWith("multipart/") ? type : type.toLowerCase();
  } catch {
    return "";
  }
}
