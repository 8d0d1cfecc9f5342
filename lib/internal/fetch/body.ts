/**
 * Bodies of requests and responses: https://fetch.spec.whatwg.org/#bodies. What a body was made of (a string, bytes, a
 * Blob) stays as it is until somebody asks for the stream.
 */
import { isAnyArrayBuffer, isArrayBufferView, isSharedArrayBuffer } from "internal/buffer/base";
import { utf8Bytes } from "internal/buffer/codecs";
import { isReadableStream, readableOf } from "internal/webstreams/readable";

/** Loaded when a body of the kind is met. */
const blobModule = () => require("web/blob");
const formModule = () => require("web/form_data");

const textType = "text/plain;charset=UTF-8";
const formType = "application/x-www-form-urlencoded;charset=UTF-8";

/** What a body is: see {@link extractBody}. */
export class Body {
  /** A string, a Uint8Array or a Blob; undefined where there is only the stream. */
  source: any;
  /** The ReadableStream, once there is one. */
  #stream: any;
  /** Read before there was a stream. */
  #used = false;
  /** Whether another body has the same source: its bytes must not be given away. */
  #shared = false;

  constructor(source: any, stream: any = undefined) {
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
  get stream(): any {
    let stream = this.#stream;
    if (stream === undefined) {
      stream = this.#stream = this.#used ? usedStream() : streamOf(this.source, this.#shared);
      this.source = undefined;
    }
    return stream;
  }

  /** Marks the body as read and gives what it was made of; undefined where the stream has to be read. */
  take(): any {
    const { source } = this;
    if (this.#stream !== undefined) return undefined;
    this.#used = true;
    this.source = undefined;
    return source;
  }

  /** Whether bytes that `take` gives may be handed to a program. */
  get owned(): boolean {
    return !this.#shared;
  }

  /** A second body with the same content. */
  clone(): Body {
    if (this.#stream === undefined) {
      this.#shared = true;
      const copy = new Body(this.source);
      copy.#shared = true;
      return copy;
    }
    const [first, second] = this.#stream.tee();
    this.#stream = first;
    return new Body(undefined, second);
  }
}

/** The stream of a body that has been read already. */
function usedStream(): any {
  const stream = streamOf("", false);
  const impl = readableOf(stream);
  impl.disturbed = true;
  stream.cancel();
  return stream;
}

function streamOf(source: any, shared: boolean): any {
  if (typeof source !== "string" && !(source instanceof Uint8Array)) return source.stream();
  let bytes: Uint8Array | undefined = typeof source === "string" ? utf8Bytes(source) : source;
  return new ReadableStream({
    type: "bytes",
    pull(controller: any) {
      // The stream takes the memory away.
      if (bytes!.byteLength > 0) controller.enqueue(shared ? bytes!.slice() : bytes);
      bytes = undefined;
      controller.close();
      controller.byobRequest?.respond(0);
    },
  } as any, { highWaterMark: 0 } as any);
}

/** A body and the media type that goes with it, from a value that is one ("extract a body"). */
export function extractBody(value: any): { body: Body; type: string | undefined } {
  if (typeof value === "string") return { body: new Body(value.isWellFormed() ? value : value.toWellFormed()), type: textType };
  if (typeof value === "object" && value !== null) {
    if (isArrayBufferView(value)) {
      refuseShared((value as any).buffer);
      const view: any = value;
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
      return { body: new Body(undefined, value), type: undefined };
    }
    if (blobModule().isBlob(value)) return { body: new Body(value), type: value.type || undefined };
    if (value instanceof URLSearchParams) return { body: new Body(value.toString()), type: formType };
    if (formModule().isFormData(value)) {
      const { encodeMultipart, newBoundary } = require("internal/fetch/multipart");
      const boundary = newBoundary();
      const parts = encodeMultipart(formModule().formEntries(value), boundary);
      return { body: new Body(new Blob(parts)), type: `multipart/form-data; boundary=${boundary}` };
    }
    if (typeof value[Symbol.asyncIterator] === "function") {
      return { body: new Body(undefined, (ReadableStream as any).from(value)), type: undefined };
    }
  }
  return { body: new Body(`${value}`.toWellFormed()), type: textType };
}

function refuseShared(buffer: any): void {
  if (isSharedArrayBuffer(buffer)) throw new TypeError("A body cannot be on shared memory");
}

/** One chunk of a stream as bytes. Strings are taken as well, as in Bun. */
function chunkBytes(chunk: any): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === "string") return utf8Bytes(chunk);
  if (isArrayBufferView(chunk)) return new Uint8Array((chunk as any).buffer, (chunk as any).byteOffset, (chunk as any).byteLength);
  if (isAnyArrayBuffer(chunk)) return new Uint8Array(chunk as ArrayBuffer);
  throw new TypeError("Received non-Uint8Array chunk");
}

/** All bytes of a stream, in memory of their own. */
async function readStream(stream: any): Promise<Uint8Array> {
  const chunks = (await require("internal/webstreams/consume").toArray(stream)).map(chunkBytes);
  let length = 0;
  for (const chunk of chunks) length += chunk.byteLength;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}

const unusable = () => new TypeError("Body is unusable: Body has already been read");

/** All bytes of a body that is usable; the program may keep them. */
async function consumeBytes(body: Body): Promise<Uint8Array> {
  const source = body.take();
  if (source === undefined) return readStream(body.stream);
  if (typeof source === "string") return utf8Bytes(source);
  if (source instanceof Uint8Array) return body.owned ? source : source.slice();
  return source.bytes();
}

async function consumeText(body: Body): Promise<string> {
  const source = body.take();
  if (typeof source === "string") return source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
  const bytes = source === undefined ? await readStream(body.stream)
    : source instanceof Uint8Array ? source : await source.bytes();
  return new TextDecoder().decode(bytes);
}

/** The first line of every method that reads: the body, or undefined for none; throws where it cannot be read. */
function usable(self: any, bodyOf: (object: any) => Body | null): Body | null {
  const body = bodyOf(self);
  if (body !== null && body.unusable) throw unusable();
  return body;
}

/**
 * Gives a class the members of the standard's Body mixin. `bodyOf(object)` is its body or null, `typeOf(object)` its
 * media type or null; both throw if the object is none of the class.
 */
export function addBodyMembers(type: any, bodyOf: (object: any) => Body | null, typeOf: (object: any) => string | null): void {
  const getters: any = {
    /** The body as a stream, or null. */
    get body() { return bodyOf(this)?.stream ?? null; },
    /** Whether something has been read of it. */
    get bodyUsed() { return bodyOf(this)?.used ?? false; },
  };
  const methods: any = {
    async arrayBuffer() {
      const body = usable(this, bodyOf);
      if (body === null) return new ArrayBuffer(0);
      const bytes = await consumeBytes(body);
      return bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
    },
    async bytes() {
      const body = usable(this, bodyOf);
      if (body === null) return new Uint8Array(0);
      const bytes = await consumeBytes(body);
      return bytes.byteLength === bytes.buffer.byteLength && bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes);
    },
    async blob() {
      const body = usable(this, bodyOf);
      const mime = blobType(typeOf(this));
      if (body === null) return new Blob([], { type: mime });
      const source = body.take();
      if (source === undefined) return blobModule().createBlob(await readStream(body.stream), mime);
      return new Blob([source], { type: mime });
    },
    async formData() {
      const body = usable(this, bodyOf);
      const bytes = body === null ? new Uint8Array(0) : await consumeBytes(body);
      return formModule().parseFormData(bytes, typeOf(this));
    },
    async json() {
      const body = usable(this, bodyOf);
      return JSON.parse(body === null ? "" : await consumeText(body));
    },
    async text() {
      const body = usable(this, bodyOf);
      return body === null ? "" : consumeText(body);
    },
    /** The body as a stream of strings (Bun). */
    textStream() {
      const body = usable(this, bodyOf);
      const stream = body === null ? streamOf("", false) : body.stream;
      return stream.pipeThrough(new TextDecoderStream());
    },
  };
  for (const name of Object.keys(methods)) {
    Object.defineProperty(type.prototype, name, { configurable: true, enumerable: true, writable: true, value: methods[name] });
  }
  for (const name of ["body", "bodyUsed"]) {
    Object.defineProperty(type.prototype, name, {
      ...Object.getOwnPropertyDescriptor(getters, name), configurable: true, enumerable: true,
    });
  }
}

/** The type of a Blob for a Content-Type: written the standard way; "" if it is none. */
function blobType(contentType: string | null): string {
  if (contentType === null) return "";
  try {
    const { MIMEType } = require("internal/util/mime");
    return new MIMEType(contentType).toString();
  } catch {
    return "";
  }
}

