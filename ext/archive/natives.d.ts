// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  archive: {
    /**
     * The files of an archive that `globs` let through (all if there are none): names, their times in milliseconds, their sizes, and their
     * contents one after the other.
     */
    list(bytes: Native.Bytes, globs: readonly string[], callback: Native.Callback<[string[], number[], number[], Uint8Array<ArrayBuffer>]>): void;
    list(bytes: Native.Bytes, globs: readonly string[]): Promise<[string[], number[], number[], Uint8Array<ArrayBuffer>]>;
    /**
     * What an archive holds, as far as `globs` let it through: names, kinds (`"file"`, `"directory"` or `"link"`), sizes in bytes, and times in
     * milliseconds. Of a zip archive only the directory is read.
     */
    names(bytes: Native.Bytes, globs: readonly string[], callback: Native.Callback<[string[], string[], number[], number[]]>): void;
    names(bytes: Native.Bytes, globs: readonly string[]): Promise<[string[], string[], number[], number[]]>;
    /**
     * One file of an archive: its content and its time in milliseconds; undefined if there is no file of this name. Of several the last one
     * counts. Of a zip archive nothing else is inflated.
     */
    read(bytes: Native.Bytes, name: string, callback: Native.Callback<[Uint8Array<ArrayBuffer>, number] | undefined>): void;
    read(bytes: Native.Bytes, name: string): Promise<[Uint8Array<ArrayBuffer>, number] | undefined>;
    /** Writes the entries of an archive that `globs` let through below `directory`, which is made if it is not there. Gives how many. */
    extract(bytes: Native.Bytes, directory: string, globs: readonly string[], callback: Native.Callback<number>): void;
    extract(bytes: Native.Bytes, directory: string, globs: readonly string[]): Promise<number>;
    /** What stands before the content of a file of `size` bytes; `modified` is in seconds since 1970. */
    header(name: string, size: number, modified: number): Uint8Array<ArrayBuffer>;
    /**
     * A zip archive of files whose contents lie one after the other in `contents`. `modified` is in seconds since 1970, `level` 0 (not
     * compressed) to 12.
     */
    zip(names: readonly string[], sizes: readonly number[], contents: Native.Bytes, modified: number, level: number, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    zip(names: readonly string[], sizes: readonly number[], contents: Native.Bytes, modified: number, level: number): Promise<Uint8Array<ArrayBuffer>>;
    /** Opens an archive file: of the store, tar, or tar compressed with gzip. */
    openReader(path: string, callback: Native.Callback<Native.ArchiveReader>): void;
    openReader(path: string): Promise<Native.ArchiveReader>;
    /** The format: `store`, `tar` or `tar.gz`. */
    readerFormat(reader: Native.ArchiveReader): string;
    /** How many entries there are, with the archive's own directory, which is entry 0. */
    readerCount(reader: Native.ArchiveReader): number;
    /** The number of the entry with a name, -1 if there is none. */
    readerFind(reader: Native.ArchiveReader, name: string): number;
    /**
     * An entry: its whole name, its kind (0 file, 1 directory, 2 link), permission bits, size in bytes, and when it was modified in
     * milliseconds since 1970.
     */
    readerEntry(reader: Native.ArchiveReader, number: number): [string, number, number, number, number];
    /** The numbers of the entries that are directly in a directory. */
    readerChildren(reader: Native.ArchiveReader, number: number): number[];
    /** The content of a file, or the target of a link. */
    readerRead(reader: Native.ArchiveReader, number: number): Uint8Array<ArrayBuffer>;
    /** The same off the thread. */
    readerReadLater(reader: Native.ArchiveReader, number: number, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    readerReadLater(reader: Native.ArchiveReader, number: number): Promise<Uint8Array<ArrayBuffer>>;
    /**
     * The names of the files whose content is not what was written. Those of a tar archive have no hashes of their own: of them only
     * those are named that are not there to their end.
     */
    readerVerify(reader: Native.ArchiveReader, callback: Native.Callback<string[]>): void;
    readerVerify(reader: Native.ArchiveReader): Promise<string[]>;
  };
}
