/**
 * Archive files whose entries are read one by one: `open` of `bao:store` and `Bun.Archive.open`.
 *
 * Archives of the store (docs/store.md), tar archives, and tar archives compressed with gzip. The file stays open as long as the
 * archive or one of its entries is in use. An entry is read when its content is asked for; only gzip is inflated as a whole.
 */
import { invalidType } from "bun/util";
import { createBlob } from "web/blob";

const archive = native("archive");

/** Files from this size on, in bytes, are read off the thread. */
const LARGE = 64 << 10;

type Kind = "file" | "directory" | "link";
/** By the numbers of native code. */
const KINDS: readonly Kind[] = ["file", "directory", "link"];

/** The native half of an archive, until it is closed. */
class Handle {
  reader: Native.ArchiveReader | undefined;

  constructor(reader: Native.ArchiveReader) {
    this.reader = reader;
  }

  get(): Native.ArchiveReader {
    if (this.reader === undefined) {
      const error: NodeError = new Error("The archive is closed");
      error.code = "ERR_INVALID_STATE";
      throw error;
    }
    return this.reader;
  }
}

/** Something in an archive. */
class ArchiveEntry {
  readonly #handle: Handle;
  readonly #number: number;
  /** The path in the archive, without a slash at either end; empty for the archive itself. */
  readonly name: string;
  readonly kind: Kind;
  /** Permission bits. */
  readonly mode: number;
  /** Bytes of content, of a link those of its target; 0 for a directory. */
  readonly size: number;
  /** Milliseconds since 1970. An archive of the store knows when it was made and nothing else. */
  readonly lastModified: number;

  constructor(handle: Handle, number: number) {
    const [name, kind, mode, size, modified] = archive.readerEntry(handle.get(), number);
    this.#handle = handle;
    this.#number = number;
    this.name = name;
    this.kind = KINDS[kind]!;
    this.mode = mode;
    this.size = size;
    this.lastModified = modified;
  }

  #reader(method: string): Native.ArchiveReader {
    if (this.kind === "directory") {
      const error: NodeError = new Error(`EISDIR: illegal operation on a directory, ${method} '${this.name}'`);
      error.code = "EISDIR";
      throw error;
    }
    return this.#handle.get();
  }

  /** The content at once. A file that is not what was written throws ERR_ARCHIVE_DAMAGED. */
  bytesSync(): Uint8Array<ArrayBuffer> {
    return archive.readerRead(this.#reader("read"), this.#number);
  }

  /** The content as UTF-8, at once. */
  textSync(): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.bytesSync());
  }

  /** The content. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const reader = this.#reader("read");
    return this.size < LARGE ? archive.readerRead(reader, this.#number) : archive.readerReadLater(reader, this.#number);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer;
  }

  async text(): Promise<string> {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await this.bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown;
  }

  /** A Blob in memory. */
  async blob(): Promise<Blob> {
    return createBlob(await this.bytes());
  }

  /** The content as a stream of bytes, read when the first chunk is asked for. */
  stream(): ReadableStream {
    this.#reader("read");
    return new ReadableStream(
      {
        pull: async (controller: { enqueue(chunk: Uint8Array): void; close(): void }) => {
          const bytes = await this.bytes();
          if (bytes.byteLength > 0) controller.enqueue(bytes);
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** The target of a link; undefined for everything else. */
  get target(): string | undefined {
    return this.kind === "link" ? this.textSync() : undefined;
  }

  /** What is directly in a directory: in an archive of the store by name, in a tar archive as it comes there. */
  list(): ArchiveEntry[] {
    if (this.kind !== "directory") return [];
    const handle = this.#handle;
    return archive.readerChildren(handle.get(), this.#number).map((number) => new ArchiveEntry(handle, number));
  }
}

/** An open archive file. */
class ArchiveFile {
  readonly #handle: Handle;
  /** How the file is written. */
  readonly format: "store" | "tar" | "tar.gz";
  readonly path: string;

  constructor(path: string, reader: Native.ArchiveReader) {
    this.#handle = new Handle(reader);
    this.path = path;
    this.format = archive.readerFormat(reader) as "store" | "tar" | "tar.gz";
  }

  /** How many entries there are, directories and links among them. */
  get size(): number {
    return archive.readerCount(this.#handle.get()) - 1;
  }

  /** The entry with a name (`lib/a.js`); undefined if there is none. Links are not followed. `""` is the archive's directory. */
  get(name: string): ArchiveEntry | undefined {
    if (typeof name !== "string") throw invalidType("get: the name must be a string");
    const number = archive.readerFind(this.#handle.get(), name);
    return number < 0 ? undefined : new ArchiveEntry(this.#handle, number);
  }

  has(name: string): boolean {
    if (typeof name !== "string") throw invalidType("has: the name must be a string");
    return archive.readerFind(this.#handle.get(), name) >= 0;
  }

  /** What is directly in a directory; that of the archive without a name. None if the name is not that of a directory. */
  list(directory = ""): ArchiveEntry[] {
    return this.get(directory)?.list() ?? [];
  }

  /** All entries, each made when it is asked for. */
  *[Symbol.iterator](): IterableIterator<ArchiveEntry> {
    const count = archive.readerCount(this.#handle.get());
    for (let number = 1; number < count; number++) yield new ArchiveEntry(this.#handle, number);
  }

  /**
   * Reads everything and compares it with its hash. Names of the files that are damaged, none if all is well. Contents of a tar
   * archive have no hashes: of it only those are found that are cut off.
   */
  async verify(): Promise<string[]> {
    return archive.readerVerify(this.#handle.get());
  }

  /** Gives the file back. What was read stays; further reading throws. */
  close(): void {
    this.#handle.reader = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * Opens an archive file.
 *
 * @param path a path, a `file:` URL, or a `Bun.file`
 * @throws as `fs.open` does; ERR_ARCHIVE_DAMAGED if the file is not an archive or its index is not what was written
 */
async function open(path: unknown): Promise<ArchiveFile> {
  let text: string;
  if (typeof path === "string") text = path;
  else if (path instanceof URL) text = require("node:url").fileURLToPath(path);
  else if (path instanceof Blob && typeof (path as Blob & { name?: unknown }).name === "string") {
    text = (path as Blob & { name: string }).name;
  } else throw invalidType("open: the path must be a string, a URL or a Bun.file");
  if (text === "" || text.includes("\0")) throw invalidType("open: the path must not be empty and must not have a NUL");
  const whole = require("node:path").resolve(text);
  return new ArchiveFile(whole, await archive.openReader(whole));
}

export { open, ArchiveEntry, ArchiveFile };
