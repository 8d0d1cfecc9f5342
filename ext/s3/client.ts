/** `S3Client`: files of a bucket with its credentials. */

import { typeError } from "internal/s3/errors";
import { described, S3File } from "internal/s3/file";
import { fromEnvironment, merged, type Options, placeOf } from "internal/s3/options";
import { element, elements, send, textOf, unescaped } from "internal/s3/request";
import type { Query } from "internal/s3/sign";

const inspect = Symbol.for("nodejs.util.inspect.custom");

function pathOf(path: unknown, what: string): string {
  if (typeof path !== "string") throw typeError(`Expected a path ${what}`, "ERR_MISSING_ARGS");
  return path;
}

/** What of a list is a number, and what is true or false. */
const NUMBERS = new Set(["keyCount", "maxKeys", "size"]);
const BOOLEANS = new Set(["isTruncated", "isRestoreInProgress"]);

/** Elements of XML by the names that results have for them. */
function fields(xml: string, names: Record<string, string>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, tag] of Object.entries(names)) {
    const text = element(xml, tag);
    if (text === undefined || (text === "" && name !== "prefix")) continue;
    if (NUMBERS.has(name)) result[name] = Number(text);
    else result[name] = BOOLEANS.has(name) ? text === "true" : unescaped(text);
  }
  return result;
}

const LIST = {
  name: "Name",
  prefix: "Prefix",
  delimiter: "Delimiter",
  startAfter: "StartAfter",
  encodingType: "EncodingType",
  continuationToken: "ContinuationToken",
  nextContinuationToken: "NextContinuationToken",
  isTruncated: "IsTruncated",
  keyCount: "KeyCount",
  maxKeys: "MaxKeys",
};
const OBJECT = {
  key: "Key",
  eTag: "ETag",
  checksumType: "ChecksumType",
  checksumAlgorithm: "ChecksumAlgorithm",
  lastModified: "LastModified",
  size: "Size",
  storageClass: "StorageClass",
};

function listed(xml: string): Record<string, unknown> {
  const objects = elements(xml, "Contents");
  const folders = elements(objects.rest, "CommonPrefixes");
  const contents = objects.texts.map((text) => {
    const entry = fields(text, OBJECT);
    const owner = element(text, "Owner");
    if (owner !== undefined) entry.owner = fields(owner, { id: "ID", displayName: "DisplayName" });
    const restored = element(text, "RestoreStatus");
    if (restored !== undefined) {
      const names = { isRestoreInProgress: "IsRestoreInProgress", restoreExpiryDate: "RestoreExpiryDate" };
      entry.restoreStatus = fields(restored, names);
    }
    return entry;
  });
  const prefixes = folders.texts.flatMap((text) => elements(text, "Prefix").texts);
  // Elements of the list itself stand before and after those of its entries.
  const result = fields(folders.rest, LIST);
  if (contents.length > 0) result.contents = contents;
  if (prefixes.length > 0) result.commonPrefixes = prefixes.map((prefix) => ({ prefix: unescaped(prefix) }));
  return result;
}

async function list(options: Options, input: unknown): Promise<Record<string, unknown>> {
  if (input !== undefined && input !== null && typeof input !== "object")
    throw typeError("S3Client.listObjects() needs a S3ListObjectsOption as it's first argument");
  const given = (input ?? {}) as Record<string, unknown>;
  const text = (name: string): string | undefined => {
    const value = given[name];
    return value === undefined || value === null || value === "" ? undefined : String(value);
  };
  const query: Query = {
    "continuation-token": text("continuationToken"),
    delimiter: text("delimiter"),
    "encoding-type": text("encodingType"),
    "fetch-owner": typeof given.fetchOwner === "boolean" ? String(given.fetchOwner) : undefined,
    "list-type": "2",
    "max-keys": text("maxKeys"),
    prefix: text("prefix"),
    "start-after": text("startAfter"),
  };
  const place = placeOf(options, "", true);
  return listed(await textOf(place, await send(place, { method: "GET", query })));
}

export class S3Client {
  #options: Options;

  constructor(...[options]: [options?: unknown]) {
    this.#options = merged(fromEnvironment(), options);
  }

  #file(path: string, options?: unknown): S3File {
    return new S3File(path, merged(this.#options, options));
  }

  file(path: string, options?: unknown): S3File {
    return this.#file(pathOf(path, ""), options);
  }
  presign(path: string, options?: unknown): string {
    return this.#file(pathOf(path, "to presign"), options).presign();
  }
  async exists(path: string, options?: unknown): Promise<boolean> {
    return this.#file(pathOf(path, "to check if it exists"), options).exists();
  }
  async size(path: string, options?: unknown): Promise<number> {
    return (await this.#file(pathOf(path, "to check the size of"), options).stat()).size;
  }
  async stat(path: string, options?: unknown): ReturnType<S3File["stat"]> {
    return this.#file(pathOf(path, "to check the stat of"), options).stat();
  }
  async write(path: string, data: unknown, options?: unknown): Promise<number> {
    return this.#file(pathOf(path, "to write to"), options).write(data);
  }
  async delete(path: string, options?: unknown): Promise<void> {
    return this.#file(pathOf(path, "to delete"), options).delete();
  }
  unlink(path: string, options?: unknown): Promise<void> {
    return this.delete(path, options);
  }
  /** The objects of the bucket, a page of at most 1,000. */
  async list(input?: unknown, options?: unknown): Promise<Record<string, unknown>> {
    return list(merged(this.#options, options), input);
  }

  static file(path: string, options?: unknown): S3File {
    return new S3Client(options).file(path);
  }
  static presign(path: string, options?: unknown): string {
    return new S3Client(options).presign(path);
  }
  static async exists(path: string, options?: unknown): Promise<boolean> {
    return new S3Client(options).exists(path);
  }
  static async size(path: string, options?: unknown): Promise<number> {
    return new S3Client(options).size(path);
  }
  static async stat(path: string, options?: unknown): ReturnType<S3File["stat"]> {
    return new S3Client(options).stat(path);
  }
  static async write(path: string, data: unknown, options?: unknown): Promise<number> {
    return new S3Client(options).write(path, data);
  }
  static async delete(path: string, options?: unknown): Promise<void> {
    return new S3Client(options).delete(path);
  }
  static unlink(path: string, options?: unknown): Promise<void> {
    return S3Client.delete(path, options);
  }
  static async list(input?: unknown, options?: unknown): Promise<Record<string, unknown>> {
    return new S3Client(options).list(input);
  }

  [inspect](_depth: number, options: object, print: (value: unknown, options: object) => string): string {
    return `S3Client ("${this.#options.bucket ?? ""}") ${print(described(this.#options), options)}`;
  }
}
Object.defineProperty(S3Client.prototype, Symbol.toStringTag, { value: "S3Client", configurable: true });
