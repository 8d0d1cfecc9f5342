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
  };
}
