/**
 * `Bun.Archive`: tar archives, compressed with gzip or not, in memory: https://bun.com/docs/runtime/archive
 *
 * An archive is made of names and contents, or of the bytes of an archive. What is made of names and contents becomes
 * bytes when they are first asked for.
 */
import { isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";
import { utf8Bytes } from "internal/buffer/codecs";
import { finishInterface } from "internal/fetch/webidl";
import { blobBytesSync, createBlob, isBlob } from "web/blob";

const archive = native("archive");
const zlib = native("zlib");

/** The mode of native zlib for gzip, and its level if none is given. */
const GZIP = 3;
const DEFAULT_LEVEL = 6;
const BLOCK = 512;
/** Archives are padded to records of this many bytes. */
const RECORD = 20 * BLOCK;

/** Bytes, or a Blob whose bytes are elsewhere (a file). */
type Content = Uint8Array | Blob;

/** What becomes the bytes of an archive. */
interface Entries {
  names: string[];
  contents: Content[];
  /** Seconds since 1970. */
  modified: number;
}

function argumentError(message: string): TypeError {
  const error = new TypeError(message) as TypeError & { code: string };
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

/** A copy of the bytes of a buffer or a view. */
function bytesOf(value: ArrayBufferView | ArrayBuffer | SharedArrayBuffer): Uint8Array {
  return isArrayBufferView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
    : new Uint8Array(value).slice();
}

/** What a Blob holds now; one that reads elsewhere is read when the archive is. */
function contentOf(blob: Blob): Content {
  return blobBytesSync(blob) ?? blob;
}

async function readContent(content: Content): Promise<Uint8Array> {
  return content instanceof Uint8Array ? content : await content.bytes();
}

/** The level of `compress: "gzip"`; undefined: not compressed. */
function levelOf(options: unknown): number | undefined {
  if (options === undefined || options === null) return undefined;
  if (typeof options !== "object") throw argumentError("Archive: options must be an object");
  const { compress, level } = options as { compress?: unknown; level?: unknown };
  if (compress === undefined || compress === null) return undefined;
  if (typeof compress !== "string") throw argumentError("Archive: compress option must be a string");
  if (compress !== "gzip") throw argumentError('Archive: compress option must be "gzip"');
  if (level === undefined || level === null) return DEFAULT_LEVEL;
  if (typeof level !== "number") throw argumentError("Archive: level must be a number");
  if (!(level >= 1 && level <= 12)) throw argumentError("Archive: level must be between 1 and 12");
  return Math.trunc(level);
}

/** Patterns of an option; none lets everything through. */
function globsOf(value: unknown, method: string): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) throw argumentError(`Archive.${method}: glob must be a string or array of strings`);
  for (const glob of value) {
    if (typeof glob !== "string") throw argumentError(`Archive.${method}: glob array must contain only strings`);
  }
  return value as string[];
}

/** The source of an archive, from what a program gives; undefined if that is none. */
function sourceOf(input: unknown): Content | Entries | undefined {
  if ((typeof input !== "object" && typeof input !== "function") || input === null) return undefined;
  if (isArrayBufferView(input) || isAnyArrayBuffer(input)) return bytesOf(input as ArrayBufferView);
  if (isBlob(input)) return contentOf(input);
  const names = Object.keys(input);
  const contents: Content[] = [];
  for (const name of names) {
    // Bun leaves the first out and cuts the second off.
    if (name === "") throw argumentError("Archive: an entry has no name");
    if (name.includes("\0")) throw argumentError(`Archive: the name ${JSON.stringify(name)} has a NUL`);
    const value = (input as { [name: string]: unknown })[name];
    if (isBlob(value)) contents.push(contentOf(value));
    else if (isArrayBufferView(value) || isAnyArrayBuffer(value)) contents.push(bytesOf(value as ArrayBufferView));
    else contents.push(utf8Bytes(`${value as string}`));
  }
  return { names, contents, modified: Math.floor(Date.now() / 1000) };
}

async function build({ names, contents, modified }: Entries): Promise<Uint8Array> {
  const headers: Uint8Array[] = [];
  const all: Uint8Array[] = [];
  let length = 0;
  for (let i = 0; i < names.length; i++) {
    const content = await readContent(contents[i]!);
    const header = archive.header(names[i]!, content.byteLength, modified);
    headers.push(header);
    all.push(content);
    length += header.byteLength + Math.ceil(content.byteLength / BLOCK) * BLOCK;
  }
  // Two blocks of zeros end an archive.
  const bytes = new Uint8Array(Math.ceil((length + 2 * BLOCK) / RECORD) * RECORD);
  let at = 0;
  for (let i = 0; i < headers.length; i++) {
    bytes.set(headers[i]!, at);
    at += headers[i]!.byteLength;
    bytes.set(all[i]!, at);
    at += Math.ceil(all[i]!.byteLength / BLOCK) * BLOCK;
  }
  return bytes;
}

class Archive {
  #source: Content | Entries;
  #level: number | undefined;
  /** The bytes of the archive before they are compressed, once they are asked for. */
  #loaded: Promise<Uint8Array> | undefined;

  /**
   * @param input names and contents, or the bytes of an archive
   * @param options `compress: "gzip"` with `level` 1 to 12: how `bytes()` and `blob()` are compressed
   */
  constructor(input: unknown, options: unknown = undefined) {
    const source = sourceOf(input);
    if (source === undefined) throw argumentError("Expected an object, Blob, TypedArray, or ArrayBuffer");
    this.#level = levelOf(options);
    this.#source = source;
  }

  /** Writes an archive to a file. */
  static async write(path: unknown, data: unknown, options: unknown = undefined): Promise<void> {
    if (typeof path !== "string") throw argumentError("Archive.write: first argument must be a string path");
    let made: Archive;
    if (data instanceof Archive) {
      const level = levelOf(options);
      made = level === undefined ? data : Archive.#compressed(data, level);
    } else {
      if (sourceOf(data) === undefined) {
        throw argumentError("Expected an object, Blob, TypedArray, ArrayBuffer, or Archive");
      }
      made = new Archive(data, options);
    }
    await require("node:fs/promises").writeFile(path, await made.bytes());
  }

  /**
   * Opens an archive file whose entries are read one by one, as `open` of `bao:store` does: a file of the store, a tar archive, or one
   * compressed with gzip.
   */
  static async open(path: unknown) {
    return await require("internal/archive/reader").open(path);
  }

  static #compressed(from: Archive, level: number): Archive {
    const made = new Archive({});
    made.#source = from.#source;
    made.#loaded = from.#loaded;
    made.#level = level;
    return made;
  }

  #load(): Promise<Uint8Array> {
    const source = this.#source;
    return (this.#loaded ??=
      source instanceof Uint8Array || isBlob(source) ? readContent(source as Content) : build(source as Entries));
  }

  async #output(): Promise<Uint8Array> {
    const bytes = await this.#load();
    if (this.#level === undefined) return bytes.slice();
    return zlib.compress(GZIP, this.#level, true, bytes);
  }

  /** The archive's bytes. */
  bytes(): Promise<Uint8Array> {
    return this.#output();
  }

  /** The same as a Blob. */
  async blob(): Promise<Blob> {
    return createBlob(await this.#output());
  }

  /** The files, by name; `glob` says which: a pattern or several, of which those with `!` exclude. */
  files(glob: unknown = undefined): Promise<Map<string, File>> {
    const globs = globsOf(glob, "files");
    return this.#files(globs);
  }

  async #files(globs: string[]): Promise<Map<string, File>> {
    const [names, times, sizes, contents] = await archive.list(await this.#load(), globs);
    const files = new Map<string, File>();
    let at = 0;
    for (let i = 0; i < names.length; i++) {
      const end = at + sizes[i]!;
      files.set(names[i]!, new File([contents.subarray(at, end)], names[i]!, { lastModified: times[i]! }));
      at = end;
    }
    return files;
  }

  /** Writes what the archive holds below a directory; gives how many entries. Option `glob` as for `files`. */
  extract(path: unknown, options: unknown): Promise<number> {
    if (typeof path !== "string") throw argumentError("Archive.extract requires a path argument");
    if (options !== undefined && options !== null && typeof options !== "object") {
      throw argumentError("Archive.extract: second argument must be an options object");
    }
    const globs = globsOf((options as { glob?: unknown } | null | undefined)?.glob, "extract");
    return this.#extract(path, globs);
  }

  async #extract(path: string, globs: string[]): Promise<number> {
    return await archive.extract(await this.#load(), require("node:path").resolve(path), globs);
  }
}

finishInterface(Archive, "Archive", ["blob", "bytes", "extract", "files"]);

/** Whether a value is an archive: what `Bun.write` writes the bytes of. */
export function isArchive(value: unknown): value is Archive {
  return value instanceof Archive;
}

export { Archive };
