/** `S3File`: a Blob whose bytes are an object on a server, asked for when they are wanted. */

import { copyObject } from "internal/s3/copy";
import { S3Error, typeError } from "internal/s3/errors";
import { merged, type Options, type Place, placeOf, splitPath } from "internal/s3/options";
import { type Answer, networkError, send, textOf } from "internal/s3/request";
import { presigned, signedHeaders } from "internal/s3/sign";
import { chunkBytes, put, S3Sink, Upload, partSizeOf } from "internal/s3/upload";
import { Blob, isBlob } from "web/blob";

const REDIRECT_SECONDS = 900;
const OCTETS = "application/octet-stream";
const METHODS = ["GET", "PUT", "DELETE", "HEAD", "POST"];
/** Methods that HTTP has and S3 has not. */
const HTTP_METHODS = new Set(["CONNECT", "OPTIONS", "PATCH", "TRACE"]);
const inspect = Symbol.for("nodejs.util.inspect.custom");

/** What is known of an object without reading it. */
class S3Stat {
  etag: string;
  lastModified: Date;
  size: number;
  type: string;
  constructor({ headers }: Answer) {
    this.etag = headers.get("etag") ?? "";
    this.lastModified = new Date(headers.get("last-modified") ?? NaN);
    this.size = Number(headers.get("content-length") ?? 0);
    this.type = headers.get("content-type") ?? "";
  }
}

/** Where an object is and how it is stored, as consoles print it. */
export function described(options: Options): Record<string, unknown> {
  const hidden = (text: string | undefined): string | undefined => (text === undefined ? undefined : "[REDACTED]");
  const { accessKeyId, endpoint, partSize, queueSize, region, retry, secretAccessKey } = options;
  return {
    endpoint: endpoint?.replace(/^https?:\/\//, ""),
    region,
    accessKeyId: hidden(accessKeyId),
    secretAccessKey: hidden(secretAccessKey),
    partSize: partSize ?? 5 * 1024 * 1024,
    queueSize: queueSize ?? 5,
    retry: retry ?? 3,
  };
}

export class S3File extends Blob {
  #options: Options;
  #path: string;
  #start: number;
  /** End of the range; undefined: where the object ends. */
  #end: number | undefined;

  constructor(path: unknown, options: Options, start = 0, end?: number) {
    super([]);
    if (typeof path !== "string") throw typeError("Expected a path ", "ERR_MISSING_ARGS");
    this.#path = path;
    this.#options = options;
    this.#start = start;
    this.#end = end;
  }

  static isFile(value: unknown): value is S3File {
    return typeof value === "object" && value !== null && #path in value;
  }

  get name(): string {
    return splitPath(this.#options, this.#path)[1] || this.#path;
  }
  get bucket(): string | undefined {
    return splitPath(this.#options, this.#path)[0] || undefined;
  }
  override get size(): number {
    return this.#end === undefined ? NaN : this.#end - this.#start;
  }
  override get type(): string {
    return this.#options.type ?? "";
  }
  get lastModified(): number {
    return 2 ** 52 - 1;
  }
  get readable(): ReadableStream {
    return this.stream();
  }

  #place(options?: unknown): Place {
    return placeOf(merged(this.#options, options), this.#path);
  }

  // ---- reading

  async #get(signal?: AbortSignal): Promise<Answer> {
    const headers: Record<string, string> = {};
    if (this.#end !== undefined && this.#end <= this.#start) return new Response("") as unknown as Answer;
    if (this.#start > 0 || this.#end !== undefined)
      headers.range = `bytes=${this.#start}-${this.#end === undefined ? "" : this.#end - 1}`;
    return send(this.#place(), { method: "GET", headers, signal });
  }

  /** Reads the whole object; what breaks off on the way is an error of S3's. */
  async #read<T>(read: (answer: Answer) => Promise<T>): Promise<T> {
    const answer = await this.#get();
    try {
      return await read(answer);
    } catch (error) {
      throw networkError(this.#place(), error);
    }
  }

  override text(): Promise<string> {
    return this.#read((answer) => answer.text());
  }
  override bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#read((answer) => answer.bytes() as Promise<Uint8Array<ArrayBuffer>>);
  }
  override async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer as ArrayBuffer;
  }
  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
  async formData(): Promise<FormData> {
    return ((await this.#get()) as unknown as Response).formData();
  }

  override stream(): ReadableStream {
    let reader: { read(): Promise<{ done: boolean; value?: unknown }>; cancel(reason: unknown): Promise<void> };
    const stop = new AbortController();
    const get = (): Promise<Answer> => this.#get(stop.signal);
    const place = (): Place => this.#place();
    return new ReadableStream({
      async pull(controller: { enqueue(chunk: unknown): void; close(): void }) {
        if (reader === undefined) {
          native("net").keepHeapSmall();
          reader = ((await get()).body as unknown as { getReader(): typeof reader }).getReader();
        }
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw networkError(place(), error);
        });
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason: unknown) {
        stop.abort();
        await reader?.cancel(reason).catch(() => {});
      },
    } as never);
  }

  override slice(begin?: number | string, end?: number | string, type?: string): S3File {
    if (typeof begin === "string") [begin, type] = [undefined, begin];
    if (typeof end === "string") [end, type] = [undefined, end];
    if ((begin ?? 0) < 0 || (end ?? 0) < 0)
      throw new RangeError("slice() of an S3 file takes no negative positions: its size is not known");
    const from = Math.trunc(begin ?? 0);
    const to = end === undefined ? this.#end : this.#start + Math.max(from, Math.trunc(end));
    const options = type === undefined ? this.#options : { ...this.#options, type };
    const last = this.#end === undefined || to === undefined ? to : Math.min(to, this.#end);
    return new S3File(this.#path, options, this.#start + from, last);
  }

  // ---- writing

  /** Writes an object: strings, bytes, Blobs and files, what Responses and Requests bring. Resolves with the number of bytes. */
  async write(data: unknown, options?: unknown): Promise<number> {
    const place = this.#place(options);
    const type = this.#typeFor(place, data);
    if (typeof data === "string" || require("bun/util").bytesOf(data) !== undefined)
      return this.#bytes(place, chunkBytes(data), type);
    if (Object.prototype.toString.call(data) === "[object Archive]") {
      const { isArchive } = require("bun/archive");
      if (isArchive(data)) return this.#bytes(place, await data.bytes(), type);
    }
    if (S3File.isFile(data)) {
      const source = data.#whole();
      const copied = source === undefined ? undefined : await copyObject(source, place, type === OCTETS ? "" : type);
      return copied ?? this.#stream(place, data.stream(), type);
    }
    if (isBlob(data)) {
      const bytes = require("web/blob").blobBytesSync(data);
      return bytes === undefined
        ? this.#stream(place, data.stream(), type)
        : this.#bytes(place, bytes as Uint8Array, type);
    }
    if (data instanceof Response || data instanceof Request) {
      const { body } = data as unknown as { body: ReadableStream | null };
      return body === null ? this.#bytes(place, new Uint8Array(), type) : this.#stream(place, body, type);
    }
    if (data instanceof ReadableStream) return this.#stream(place, data, type);
    if (data === undefined || data === null) throw typeError("Expected a Blob-y thing to write", "ERR_MISSING_ARGS");
    return this.#bytes(place, Buffer.from(String(data)), type);
  }

  /** Where all of the object is; undefined for a part of it. */
  #whole(): { place: Place; bucket: string; key: string } | undefined {
    if (this.#start > 0 || this.#end !== undefined) return undefined;
    const [bucket, key] = splitPath(this.#options, this.#path);
    return { place: this.#place(), bucket, key };
  }

  /** What is said, else what the name's extension stands for, else the data's own. */
  #typeFor(place: Place, data: unknown): string {
    if (place.options.type) return place.options.type;
    const byName = require("bun/mime").typeOf(this.#path);
    if (byName !== OCTETS) return byName;
    const own = isBlob(data) ? (data as { type: string }).type : "";
    const header = data instanceof Response || data instanceof Request ? data.headers.get("content-type") : null;
    return own || header || OCTETS;
  }

  async #bytes(place: Place, bytes: Uint8Array, type: string): Promise<number> {
    if (bytes.length <= partSizeOf(place)) return put(place, bytes, type);
    const upload = new Upload(place, type);
    const partSize = partSizeOf(place);
    try {
      for (let at = 0; at < bytes.length; at += partSize) await upload.write(bytes.subarray(at, at + partSize));
    } catch (error) {
      return upload.end(error);
    }
    return upload.end();
  }

  async #stream(place: Place, stream: ReadableStream, type: string): Promise<number> {
    const upload = new Upload(place, type);
    try {
      for await (const chunk of stream as unknown as AsyncIterable<unknown>) await upload.write(chunkBytes(chunk));
    } catch (error) {
      return upload.end(error);
    }
    return upload.end();
  }

  /** A sink that uploads what is written to it. */
  writer(options?: unknown): S3Sink {
    const place = this.#place(options);
    return new S3Sink(new Upload(place, this.#typeFor(place, undefined)));
  }

  // ---- the object as a whole

  async #head(options?: unknown): Promise<Answer> {
    return send(this.#place(options), { method: "HEAD" });
  }

  async stat(options?: unknown): Promise<S3Stat> {
    return new S3Stat(await this.#head(options));
  }

  async exists(options?: unknown): Promise<boolean> {
    try {
      await this.#head(options);
      return true;
    } catch (error) {
      if (error instanceof S3Error && error.code === "NoSuchKey") return false;
      throw error;
    }
  }

  /** Resolves with true, as Bun's does. */
  override async delete(options?: unknown): Promise<void> {
    const place = this.#place(options);
    await textOf(place, await send(place, { method: "DELETE" }));
    return true as unknown as void;
  }

  override unlink(options?: unknown): Promise<void> {
    return this.delete(options);
  }

  /** A URL that anybody may use until it expires. Throws for a method that S3 does not have. */
  presign(options?: unknown): string {
    const place = this.#place(options);
    const { method = "GET", expiresIn } = place.options;
    if (!METHODS.includes(method)) {
      const text = "method must be GET, PUT, DELETE or HEAD when using s3 protocol";
      throw HTTP_METHODS.has(method) ? new S3Error("ERR_S3_INVALID_METHOD", text, this.#path) : typeError(text);
    }
    return presigned(place, method, expiresIn);
  }

  /** What `fetch` of its URL gives. */
  async fetched(method: string, headers: Record<string, string>, body: ReadableStream | null): Promise<unknown> {
    if (method === "PUT" || method === "POST") {
      const type = headers["content-type"];
      await this.write(body ?? "", type === undefined ? undefined : { type });
      return new Response(null);
    }
    const place = this.#place();
    const { fetch } = require("web/fetch");
    const all = { ...headers, ...signedHeaders(place, method, {}, false) };
    return fetch(place.origin + place.path, { method, headers: all, redirect: "manual" } as never);
  }

  /** Where a Response of this file sends its reader. */
  get redirect(): string {
    return presigned(this.#place(), "GET", REDIRECT_SECONDS);
  }

  [inspect](_depth: number, options: object, print: (value: unknown, options: object) => string): string {
    return `S3Ref ("${this.bucket ?? ""}/${this.name}") ${print(described(this.#options), options)}`;
  }
}
Object.defineProperty(S3File.prototype, Symbol.toStringTag, { value: "S3File", configurable: true });
