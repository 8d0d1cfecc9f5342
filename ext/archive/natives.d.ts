// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  archive: {
    /**
     * The files of an archive that `globs` let through (all if there are none): names, their times in milliseconds, their sizes, and their
     * contents one after the other.
     */
    list(bytes: Native.Bytes, globs: readonly string[], callback: Native.Callback<[string[], number[], number[], Uint8Array<ArrayBuffer>]>): void;
    list(bytes: Native.Bytes, globs: readonly string[]): Promise<[string[], number[], number[], Uint8Array<ArrayBuffer>]>;
    /** Writes the entries of an archive that `globs` let through below `directory`, which is made if it is not there. Gives how many. */
    extract(bytes: Native.Bytes, directory: string, globs: readonly string[], callback: Native.Callback<number>): void;
    extract(bytes: Native.Bytes, directory: string, globs: readonly string[]): Promise<number>;
    /** What stands before the content of a file of `size` bytes; `modified` is in seconds since 1970. */
    header(name: string, size: number, modified: number): Uint8Array<ArrayBuffer>;
  };
}
