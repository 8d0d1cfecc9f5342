/**
 * `Bun.Archive`: tar archives, compressed with gzip or not, and zip archives, in memory:
 * https://bun.com/docs/runtime/archive
 *
 * An archive is made of names and contents, or of the bytes of an archive. What is made of names and contents becomes
 * bytes when they are first asked for. Zip, `list` and `file` are beyond Bun.
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
const KEEPS_FORMAT = "Archive: what is an archive already keeps its format";
/** What zip archives begin with: the header of a file, or the end of one without files. */
const ZIP_SIGNATURES = [0x04034b50, 0x06054b50];
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

/** What `list` says about an entry. */
interface Listed {
  name: string;
  type: string;
  /** Bytes. */
  size: number;
  /** Milliseconds since 1970. */
  lastModified: number;
}

/** How the bytes of an archive are made of names and contents. */
interface Layout {
  /** What the options ask for; undefined if they say nothing about it. */
  format: "tar" | "zip" | undefined;
  isZip: boolean;
  /** Of gzip (1 to 12), or of zip (0 to 12); undefined for tar without compression. */
  level: number | undefined;
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

function levelOption(level: unknown, least: number): number {
  if (level === undefined || level === null) return DEFAULT_LEVEL;
  if (typeof level !== "number") throw argumentError("Archive: level must be a number");
  if (!(level >= least && level <= 12)) throw argumentError(`Archive: level must be between ${least} and 12`);
  return Math.trunc(level);
}

/** The options of an archive; nothing means tar without compression. */
function layoutOf(options: unknown): Layout {
  if (options === undefined || options === null) return { format: undefined, isZip: false, level: undefined };
  if (typeof options !== "object") throw argumentError("Archive: options must be an object");
  const { compress, level, format } = options as { compress?: unknown; level?: unknown; format?: unknown };
  if (format !== undefined && format !== null && format !== "tar" && format !== "zip") {
    throw argumentError('Archive: format option must be "tar" or "zip"');
  }
  const isPacked = compress !== undefined && compress !== null;
  if (isPacked && typeof compress !== "string") throw argumentError("Archive: compress option must be a string");
  if (format === "zip") {
    if (isPacked) throw argumentError("Archive: a zip archive takes no compress option, but a level from 0 on");
    return { format, isZip: true, level: levelOption(level, 0) };
  }
  const layout = { format: format ?? undefined, isZip: false } as const;
  if (!isPacked) return { ...layout, level: undefined };
  if (compress !== "gzip") throw argumentError('Archive: compress option must be "gzip"');
  return { ...layout, level: levelOption(level, 1) };
}

function isZipBytes(bytes: Uint8Array): boolean {
  if (bytes.byteLength < 4) return false;
  return ZIP_SIGNATURES.includes(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true));
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

async function buildZip({ names, contents, modified }: Entries, level: number): Promise<Uint8Array> {
  const all = await Promise.all(contents.map(readContent));
  const sizes = all.map((content) => content.byteLength);
  const joined = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const content of all) {
    joined.set(content, at);
    at += content.byteLength;
  }
  return archive.zip(names, sizes, joined, modified, level);
}

async function buildTar({ names, contents, modified }: Entries): Promise<Uint8Array> {
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
  #layout: Layout;
  /** The bytes of the archive before gzip compresses them, once they are asked for. */
  #loaded: Promise<Uint8Array> | undefined;

  /**
   * @param input names and contents, or the bytes of an archive
   * @param options `compress: "gzip"` with `level` 1 to 12: how `bytes()` and `blob()` are compressed; or `format: "zip"` with
   *   `level` 0 to 12, for names and contents
   */
  constructor(input: unknown, options: unknown = undefined) {
    const source = sourceOf(input);
    if (source === undefined) throw argumentError("Expected an object, Blob, TypedArray, or ArrayBuffer");
    this.#layout = layoutOf(options);
    this.#source = source;
    if (this.#layout.isZip && this.#isGiven()) throw argumentError(KEEPS_FORMAT);
  }

  /** Writes an archive to a file. */
  static async write(path: unknown, data: unknown, options: unknown = undefined): Promise<void> {
    if (typeof path !== "string") throw argumentError("Archive.write: first argument must be a string path");
    let made: Archive;
    if (data instanceof Archive) {
      const layout = layoutOf(options);
      made = layout.level === undefined && layout.format === undefined ? data : Archive.#changed(data, layout);
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

  /** The same archive with another layout; the compression that `layout` says nothing about stays. */
  static #changed(from: Archive, layout: Layout): Archive {
    const wasZip = from.#layout.isZip;
    if (layout.isZip && from.#isGiven()) throw argumentError(KEEPS_FORMAT);
    const made = new Archive({});
    made.#source = from.#source;
    // The bytes of a zip archive depend on the level.
    made.#loaded = layout.isZip || wasZip ? undefined : from.#loaded;
    made.#layout = { ...layout, level: layout.level ?? (wasZip ? undefined : from.#layout.level) };
    return made;
  }

  /** Whether the archive was given as bytes. */
  #isGiven(): boolean {
    return this.#source instanceof Uint8Array || isBlob(this.#source);
  }

  #load(): Promise<Uint8Array> {
    return (this.#loaded ??= this.#make());
  }

  #make(): Promise<Uint8Array> {
    const source = this.#source;
    if (source instanceof Uint8Array || isBlob(source)) return readContent(source as Content);
    const { isZip, level } = this.#layout;
    return isZip ? buildZip(source as Entries, level!) : buildTar(source as Entries);
  }

  async #output(): Promise<Uint8Array> {
    const bytes = await this.#load();
    const { format, isZip, level } = this.#layout;
    if (format === "tar" && this.#isGiven() && isZipBytes(bytes)) throw argumentError(KEEPS_FORMAT);
    if (isZip || level === undefined) return bytes.slice();
    return zlib.compress(GZIP, level, true, bytes);
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

  /** What the archive holds, without the contents. Of a zip archive only the directory is read. `glob` as for `files`. */
  list(glob: unknown = undefined): Promise<Listed[]> {
    const globs = globsOf(glob, "list");
    return this.#list(globs);
  }

  async #list(globs: string[]): Promise<Listed[]> {
    const [names, kinds, sizes, times] = await archive.names(await this.#load(), globs);
    return names.map((name, i) => ({ name, type: kinds[i]!, size: sizes[i]!, lastModified: times[i]! }));
  }

  /** One file by its name; undefined if there is none. Of a zip archive nothing else is inflated. */
  file(name: unknown): Promise<File | undefined> {
    if (typeof name !== "string") throw argumentError("Archive.file: the name must be a string");
    return this.#file(name);
  }

  async #file(name: string): Promise<File | undefined> {
    const found = await archive.read(await this.#load(), name);
    return found ? new File([found[0]], name, { lastModified: found[1] }) : undefined;
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

finishInterface(Archive, "Archive", ["blob", "bytes", "extract", "file", "files", "list"]);

/** Whether a value is an archive: what `Bun.write` writes the bytes of. */
export function isArchive(value: unknown): value is Archive {
  return value instanceof Archive;
}

export { Archive };
