/** Uploads whose size nobody knows before: small ones in one request, others in parts of which some are under way at once. */

import { S3Error } from "internal/s3/errors";
import type { Place } from "internal/s3/options";
import { element, errorOf, send, textOf, unescaped } from "internal/s3/request";

const MIB = 1024 * 1024;
const PART_SIZE = 5 * MIB;
const QUEUE_SIZE = 5;
const RETRIES = 3;
const MAX_PARTS = 10_000;
/** After so many parts what they have left is collected if the heap is small: requests and answers, as much as a part by and by. */
const PARTS_OF_GARBAGE = 24;
/** Bytes that the first part has room for at least. */
const FIRST_ROOM = 64 * 1024;

export const partSizeOf = (place: Place): number => place.options.partSize ?? PART_SIZE;
export const retriesOf = (place: Place): number => place.options.retry ?? RETRIES;

/** What a program gives to be written, as bytes. */
export function chunkBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === "string") return Buffer.from(chunk);
  const bytes = require("bun/util").bytesOf(chunk);
  if (bytes === undefined) throw new TypeError("write() expects a string, ArrayBufferView, or ArrayBuffer");
  return bytes;
}

/** Writes an object in one request. */
export async function put(place: Place, body: Uint8Array, type: string): Promise<number> {
  const headers = { "content-type": type };
  await send(place, { method: "PUT", headers, body, stores: true, retries: retriesOf(place) });
  return body.length;
}

/** The tag of a copy. A failure may come with status 200, which was sent before anything was copied. */
export function copiedTag(place: Place, text: string): string {
  if (element(text, "Error") !== undefined) throw errorOf(place, 500, text);
  const tag = element(text, "ETag");
  if (tag === undefined) throw new S3Error("UnknownError", "The server has copied without an ETag", place.given);
  return unescaped(tag);
}

export class Upload {
  #place: Place;
  #type: string;
  #partSize: number;
  #queueSize: number;
  /** The part under way: it grows to its size. */
  #bytes: Uint8Array = new Uint8Array(0);
  #length = 0;
  /** Memory of parts that were sent: the next ones use it again, so that nothing waits for a collection. */
  #spare: Uint8Array[] = [];
  #total = 0;
  /** Of the upload, once it is more than a part. */
  #id: Promise<string> | undefined = undefined;
  #tags: string[] = [];
  /** Parts that are under way or wait for it, since a chunk can be many. */
  #active = new Set<Promise<void>>();
  #underWay = 0;
  /** Those that wait, in their order. */
  #turns: (() => void)[] = [];
  /** Sizes of parts that were sent and not told. */
  #sent: number[] = [];
  #failure: { error: unknown } | undefined = undefined;
  #ended: Promise<number> | undefined = undefined;
  #stop = new AbortController();

  constructor(place: Place, type: string) {
    this.#place = place;
    this.#type = type;
    this.#partSize = partSizeOf(place);
    this.#queueSize = place.options.queueSize ?? QUEUE_SIZE;
  }

  /** Takes a chunk, which is copied. Returns its size; a promise of it where so much is under way that the program should wait. */
  write(chunk: Uint8Array): number | Promise<number> {
    if (this.#ended !== undefined) throw new TypeError("write() after end()");
    const { length } = chunk;
    this.#total += length;
    let from = 0;
    while (from < length) {
      const to = Math.min(length, from + this.#partSize - this.#length);
      this.#grow(this.#length + to - from);
      this.#bytes.set(chunk.subarray(from, to), this.#length);
      this.#length += to - from;
      from = to;
      // The last part is sent at the end: until then nobody knows that there is more than one.
      if (this.#length === this.#partSize) this.#part();
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#active.size < this.#queueSize) return length;
    return this.#room().then(() => length);
  }

  async #room(): Promise<void> {
    while (this.#active.size >= this.#queueSize && this.#failure === undefined) await Promise.race(this.#active);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** The size of the next part that is sent; 0 where none is under way. */
  async flush(): Promise<number> {
    if (this.#sent.length === 0 && this.#active.size > 0) await Promise.race(this.#active);
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#sent.shift() ?? 0;
  }

  #grow(length: number): void {
    const old = this.#bytes;
    if (old.length >= length) return;
    const spare = this.#spare.pop();
    // Where there is a second part it is a whole one, most likely. The first one grows where it lies: a copy would leave what it was for
    // the collector, as much again in all.
    const wanted = this.#tags.length > 0 ? this.#partSize : Math.max(length, old.length * 2, FIRST_ROOM);
    const room = Math.min(this.#partSize, wanted);
    if (spare === undefined && this.#length > 0) {
      this.#bytes = new Uint8Array((old.buffer as ArrayBuffer).transfer(room));
      return;
    }
    this.#bytes = spare ?? new Uint8Array(room);
    this.#bytes.set(old.subarray(0, this.#length));
  }

  #take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
    return bytes;
  }

  #part(): void {
    const bytes = this.#take();
    const number = this.#tags.length + 1;
    this.#tags.push("");
    const sent = this.#send(number, bytes).catch((error: unknown) => {
      this.#failure ??= { error };
      this.#stop.abort();
    });
    this.#active.add(sent);
    void sent.then(() => {
      this.#active.delete(sent);
      this.#sent.push(bytes.length);
      if (bytes.buffer.byteLength === this.#partSize) this.#spare.push(new Uint8Array(bytes.buffer));
      if (number % PARTS_OF_GARBAGE === 0) native("net").forgetBodies(false);
    });
  }

  async #begin(): Promise<string> {
    const { keepHeapSmall, forgetExecutable } = native("net");
    keepHeapSmall();
    // What started the program is as much as the parts under way.
    forgetExecutable();
    const headers = { "content-type": this.#type };
    const query = { uploads: "" };
    const request = { method: "POST", query, headers, stores: true, retries: retriesOf(this.#place) };
    const text = await textOf(this.#place, await send(this.#place, request));
    const id = element(text, "UploadId");
    if (id === undefined)
      throw new S3Error("UnknownError", "The server began an upload without an UploadId", this.#place.given);
    return unescaped(id);
  }

  async #send(number: number, body: Uint8Array): Promise<void> {
    if (number > MAX_PARTS) {
      const text = `An upload has at most ${MAX_PARTS} parts: use a partSize of more than ${this.#partSize} bytes`;
      throw new S3Error("ERR_S3_TOO_MANY_PARTS", text, this.#place.given);
    }
    // Whoever ends hands its place to the next.
    if (this.#underWay >= this.#queueSize) await new Promise<void>((resolve) => this.#turns.push(resolve));
    else this.#underWay++;
    try {
      if (this.#failure === undefined) await this.#sendNow(number, body);
    } finally {
      const next = this.#turns.shift();
      if (next === undefined) this.#underWay--;
      else next();
    }
  }

  async #sendNow(number: number, body: Uint8Array): Promise<void> {
    const uploadId = await (this.#id ??= this.#begin());
    if (this.#failure !== undefined) return;
    const query = { partNumber: String(number), uploadId, "x-id": "UploadPart" };
    const { signal } = this.#stop;
    const answer = await send(this.#place, { method: "PUT", query, body, retries: retriesOf(this.#place), signal });
    const tag = answer.headers.get("etag");
    await textOf(this.#place, answer);
    if (tag === null)
      throw new S3Error("UnknownError", `The server took part ${number} without an ETag`, this.#place.given);
    this.#tags[number - 1] = tag;
  }

  /** Adds a part that the server takes from another object, as `source` says. */
  async copyPart(source: Record<string, string>): Promise<void> {
    const number = this.#tags.length + 1;
    this.#tags.push("");
    const uploadId = await (this.#id ??= this.#begin());
    const query = { partNumber: String(number), uploadId };
    const answer = await send(this.#place, { method: "PUT", query, amz: source, retries: retriesOf(this.#place) });
    this.#tags[number - 1] = copiedTag(this.#place, await textOf(this.#place, answer));
  }

  /** Ends the upload; with an error it is given up, and nothing is left on the server. Resolves with the number of bytes. */
  end(error?: unknown): Promise<number> {
    return (this.#ended ??= this.#end(error).finally(() => {
      this.#spare = [];
      if (this.#id !== undefined) native("net").forgetBodies(true);
    }));
  }

  async #end(error: unknown): Promise<number> {
    if (error !== undefined) {
      this.#failure ??= { error };
      this.#stop.abort();
    } else if (this.#tags.length === 0) return put(this.#place, this.#take(), this.#type);
    else if (this.#length > 0) {
      try {
        await this.#room();
        this.#part();
      } catch {
        // The failure is kept.
      }
    }
    await Promise.all(this.#active);
    if (this.#failure === undefined) {
      try {
        await this.#complete();
        return this.#total;
      } catch (failure) {
        this.#failure = { error: failure };
      }
    }
    await this.#abort();
    throw this.#failure.error;
  }

  async #complete(): Promise<void> {
    const escape = (text: string): string => text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    const parts = this.#tags.map(
      (tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escape(tag)}</ETag></Part>`,
    );
    const space = "http://s3.amazonaws.com/doc/2006-03-01/";
    const body = `<CompleteMultipartUpload xmlns="${space}">${parts.join("")}</CompleteMultipartUpload>`;
    const query = { uploadId: await this.#id! };
    const bytes = Buffer.from(body);
    const answer = await send(this.#place, { method: "POST", query, body: bytes, retries: retriesOf(this.#place) });
    // A failure may come with status 200, which was sent before anything was put together.
    const text = await textOf(this.#place, answer);
    if (element(text, "Error") !== undefined) throw errorOf(this.#place, 500, text);
  }

  async #abort(): Promise<void> {
    if (this.#id === undefined) return;
    try {
      const query = { uploadId: await this.#id };
      await (await send(this.#place, { method: "DELETE", query, retries: retriesOf(this.#place) })).text();
    } catch {
      // The first failure is the one to tell.
    }
  }
}

/** What `writer()` gives: a sink as Bun's files have it. */
export class S3Sink {
  #upload: Upload;
  constructor(upload: Upload) {
    this.#upload = upload;
  }
  start(): void {}
  ref(): void {}
  unref(): void {}
  write(chunk: unknown): number | Promise<number> {
    return this.#upload.write(chunkBytes(chunk));
  }
  /** Waits for a part that is under way (parts are sent when they are full). Resolves with its size, 0 where there is none. */
  flush(): Promise<number> {
    return this.#upload.flush();
  }
  end(error?: unknown): Promise<number> {
    return this.#upload.end(error);
  }
  close(): Promise<number> {
    return this.#upload.end();
  }
}
