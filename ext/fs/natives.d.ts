// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  fs: {
    /** Opens `path` with O_* bits and the permission bits of a new file; the descriptor. */
    openSync(path: string, flags: number, mode: number): number;
    open(path: string, flags: number, mode: number, callback: Native.Callback<number>): void;
    open(path: string, flags: number, mode: number): Promise<number>;
    closeSync(fd: number): void;
    close(fd: number, callback: Native.Callback<void>): void;
    close(fd: number): Promise<void>;
    /** Notes that `fd` is to be closed at the end of this thread; false where it was noted before. */
    trackFd(fd: number): boolean;
    /** Takes that back; false where it was not noted. */
    untrackFd(fd: number): boolean;
    /** One read into `buffer[offset..offset + length]`; how many bytes came, 0 at the end. */
    readSync(fd: number, buffer: Native.Bytes, offset: number, length: number, position: number | bigint): number;
    read(fd: number, buffer: Native.Bytes, offset: number, length: number, position: number | bigint, callback: Native.Callback<number>): void;
    read(fd: number, buffer: Native.Bytes, offset: number, length: number, position: number | bigint): Promise<number>;
    /** One write of `buffer[offset..offset + length]`; how many bytes went. */
    writeSync(fd: number, buffer: Native.Bytes, offset: number, length: number, position: number | bigint): number;
    write(fd: number, buffer: Native.Bytes, offset: number, length: number, position: number | bigint, callback: Native.Callback<number>): void;
    write(fd: number, buffer: Native.Bytes, offset: number, length: number, position: number | bigint): Promise<number>;
    /** One write of a string as UTF-8; how many bytes went. */
    writeTextSync(fd: number, text: string, position: number | bigint): number;
    writeText(fd: number, text: string, position: number | bigint, callback: Native.Callback<number>): void;
    writeText(fd: number, text: string, position: number | bigint): Promise<number>;
    /** readv: fills the views one after the other. */
    readvSync(fd: number, buffers: readonly Native.Bytes[], position: number | bigint): number;
    readv(fd: number, buffers: readonly Native.Bytes[], position: number | bigint, callback: Native.Callback<number>): void;
    readv(fd: number, buffers: readonly Native.Bytes[], position: number | bigint): Promise<number>;
    /** writev: writes the views one after the other, in as few calls as the system takes. */
    writevSync(fd: number, buffers: readonly Native.Bytes[], position: number | bigint): number;
    writev(fd: number, buffers: readonly Native.Bytes[], position: number | bigint, callback: Native.Callback<number>): void;
    writev(fd: number, buffers: readonly Native.Bytes[], position: number | bigint): Promise<number>;
    /** Reads a file. So many bytes are there for `takeInto`, or -1: more are, for `takeBytes`. */
    readStartSync(path: string, flags: number): number;
    /**
     * The same for a file that can be read without waiting for a device; -2 where it cannot, and for all errors: then
     * `readFile`, called next with the same path, gets them.
     */
    readStart(path: string): number;
    /** Copies what was read into a view of that length. */
    takeInto(view: Native.Bytes): void;
    /** What was read. */
    takeBytes(): Uint8Array<ArrayBuffer>;
    /** What was read, as text; `strip`: without byte order mark. */
    takeText(strip: boolean): string;
    /**
     * Gives `value` to the callback, or to the promise that is returned, in the next turn of the loop: the end of reading
     * a file that `readStart` has read.
     */
    later<T>(value: T, callback?: Native.Callback<T> | undefined): Promise<T>;
    /** The whole of a file as bytes, read on the thread pool. What `readStart` has opened is not opened again. */
    readFile(path: string, flags: number, callback?: Native.Callback<Uint8Array<ArrayBuffer>> | undefined): Promise<Uint8Array<ArrayBuffer>>;
    /** The rest of an open file as bytes. */
    readFileFdSync(fd: number): Uint8Array<ArrayBuffer>;
    readFileFd(fd: number, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    readFileFd(fd: number): Promise<Uint8Array<ArrayBuffer>>;
    /** The whole of a file as text, decoded as UTF-8. */
    readTextSync(path: string, flags: number): string;
    /** The same without waiting: at once where no device is needed, else on the thread pool. */
    readText(path: string, flags: number, callback?: Native.Callback<string> | undefined): Promise<string>;
    readTextFdSync(fd: number): string;
    readTextFd(fd: number, callback: Native.Callback<string>): void;
    readTextFd(fd: number): Promise<string>;
    /** Opens, writes everything, (syncs,) closes. */
    writeFileSync(path: string, data: Native.Bytes, flags: number, mode: number, flush: boolean): void;
    writeFile(path: string, data: Native.Bytes, flags: number, mode: number, flush: boolean, callback: Native.Callback<void>): void;
    writeFile(path: string, data: Native.Bytes, flags: number, mode: number, flush: boolean): Promise<void>;
    /** The same for a string, written as UTF-8. */
    writeFileTextSync(path: string, text: string, flags: number, mode: number, flush: boolean): void;
    writeFileText(path: string, text: string, flags: number, mode: number, flush: boolean, callback: Native.Callback<void>): void;
    writeFileText(path: string, text: string, flags: number, mode: number, flush: boolean): Promise<void>;
    /** Writes everything to an open file (and syncs). */
    writeAllSync(fd: number, data: Native.Bytes, flush: boolean): void;
    writeAll(fd: number, data: Native.Bytes, flush: boolean, callback: Native.Callback<void>): void;
    writeAll(fd: number, data: Native.Bytes, flush: boolean): Promise<void>;
    /** The same for a string, written as UTF-8. */
    writeAllTextSync(fd: number, text: string, flush: boolean): void;
    /** Sets the length in bytes. */
    ftruncateSync(fd: number, len: number | bigint): void;
    ftruncate(fd: number, len: number | bigint, callback: Native.Callback<void>): void;
    ftruncate(fd: number, len: number | bigint): Promise<void>;
    truncateSync(path: string, len: number | bigint): void;
    truncate(path: string, len: number | bigint, callback: Native.Callback<void>): void;
    truncate(path: string, len: number | bigint): Promise<void>;
    /**
     * Moves bytes from one descriptor to another, see `sys::copy::transfer`. `start`: place in the source, -1 for where it
     * stands; `most`: number of bytes, or -1 for all. How many there were.
     */
    transfer(from: number, start: number, to: number, most: number, callback: Native.Callback<number>): void;
    transfer(from: number, start: number, to: number, most: number): Promise<number>;
    fsyncSync(fd: number): void;
    fsync(fd: number, callback: Native.Callback<void>): void;
    fsync(fd: number): Promise<void>;
    fdatasyncSync(fd: number): void;
    fdatasync(fd: number, callback: Native.Callback<void>): void;
    fdatasync(fd: number): Promise<void>;
    /**
     * Status of a path into `out`, a Float64Array or BigInt64Array of at least 14 (the order is that of
     * `stat::FIELDS`). False: missing, with the flag MAYBE.
     */
    statSync(path: string, out: Native.Bytes, flags: number): boolean;
    /** The same as the bytes of a new array; undefined when missing with the flag MAYBE. */
    stat(path: string, flags: number, callback: Native.Callback<Uint8Array<ArrayBuffer> | undefined>): void;
    stat(path: string, flags: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
    /** Status of an open file into `out`. */
    fstatSync(fd: number, out: Native.Bytes, flags: number): void;
    fstat(fd: number, flags: number, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    fstat(fd: number, flags: number): Promise<Uint8Array<ArrayBuffer>>;
    statfsSync(path: string, bigint: boolean): Uint8Array<ArrayBuffer>;
    statfs(path: string, bigint: boolean, callback: Native.Callback<Uint8Array<ArrayBuffer>>): void;
    statfs(path: string, bigint: boolean): Promise<Uint8Array<ArrayBuffer>>;
    existsSync(path: string): boolean;
    exists(path: string, callback: Native.Callback<boolean>): void;
    exists(path: string): Promise<boolean>;
    accessSync(path: string, mode: number): void;
    access(path: string, mode: number, callback: Native.Callback<void>): void;
    access(path: string, mode: number): Promise<void>;
    renameSync(from: string, to: string): void;
    rename(from: string, to: string, callback: Native.Callback<void>): void;
    rename(from: string, to: string): Promise<void>;
    linkSync(existing: string, new_: string): void;
    link(existing: string, new_: string, callback: Native.Callback<void>): void;
    link(existing: string, new_: string): Promise<void>;
    symlinkSync(target: string, path: string): void;
    symlink(target: string, path: string, callback: Native.Callback<void>): void;
    symlink(target: string, path: string): Promise<void>;
    readlinkSync(path: string): string;
    readlink(path: string, callback: Native.Callback<string>): void;
    readlink(path: string): Promise<string>;
    /** `native`: errors as realpath(3) reports them; otherwise as a walk along the path would. */
    realpathSync(path: string, native: boolean): string;
    realpath(path: string, native: boolean, callback: Native.Callback<string>): void;
    realpath(path: string, native: boolean): Promise<string>;
    unlinkSync(path: string): void;
    unlink(path: string, callback: Native.Callback<void>): void;
    unlink(path: string): Promise<void>;
    rmdirSync(path: string): void;
    rmdir(path: string, callback: Native.Callback<void>): void;
    rmdir(path: string): Promise<void>;
    mkdirSync(path: string, mode: number): void;
    mkdir(path: string, mode: number, callback: Native.Callback<void>): void;
    mkdir(path: string, mode: number): Promise<void>;
    /** mkdir -p; the first directory made, undefined when there was nothing to make. */
    mkdirAllSync(path: string, mode: number): string | undefined;
    mkdirAll(path: string, mode: number, callback: Native.Callback<string | undefined>): void;
    mkdirAll(path: string, mode: number): Promise<string | undefined>;
    /** A new directory named `prefix` and six random characters; its path. */
    mkdtempSync(prefix: string): string;
    mkdtemp(prefix: string, callback: Native.Callback<string>): void;
    mkdtemp(prefix: string): Promise<string>;
    chmodSync(path: string, mode: number): void;
    chmod(path: string, mode: number, callback: Native.Callback<void>): void;
    chmod(path: string, mode: number): Promise<void>;
    fchmodSync(fd: number, mode: number): void;
    fchmod(fd: number, mode: number, callback: Native.Callback<void>): void;
    fchmod(fd: number, mode: number): Promise<void>;
    /** Ids of -1 (4294967295) leave things as they are. */
    chownSync(path: string, uid: number, gid: number): void;
    chown(path: string, uid: number, gid: number, callback: Native.Callback<void>): void;
    chown(path: string, uid: number, gid: number): Promise<void>;
    lchownSync(path: string, uid: number, gid: number): void;
    lchown(path: string, uid: number, gid: number, callback: Native.Callback<void>): void;
    lchown(path: string, uid: number, gid: number): Promise<void>;
    fchownSync(fd: number, uid: number, gid: number): void;
    fchown(fd: number, uid: number, gid: number, callback: Native.Callback<void>): void;
    fchown(fd: number, uid: number, gid: number): Promise<void>;
    /** Times are seconds since the epoch. */
    utimesSync(path: string, atime: number, mtime: number): void;
    utimes(path: string, atime: number, mtime: number, callback: Native.Callback<void>): void;
    utimes(path: string, atime: number, mtime: number): Promise<void>;
    lutimesSync(path: string, atime: number, mtime: number): void;
    lutimes(path: string, atime: number, mtime: number, callback: Native.Callback<void>): void;
    lutimes(path: string, atime: number, mtime: number): Promise<void>;
    futimesSync(fd: number, atime: number, mtime: number): void;
    futimes(fd: number, atime: number, mtime: number, callback: Native.Callback<void>): void;
    futimes(fd: number, atime: number, mtime: number): Promise<void>;
    /** `FileHandle.utimes`. */
    handleUtimes(fd: number, atime: number, mtime: number, callback: Native.Callback<void>): void;
    handleUtimes(fd: number, atime: number, mtime: number): Promise<void>;
    /** `mode`: COPYFILE_* bits. */
    copyFileSync(source: string, dest: string, mode: number): void;
    copyFile(source: string, dest: string, mode: number, callback: Native.Callback<void>): void;
    copyFile(source: string, dest: string, mode: number): Promise<void>;
    /** Removes a file, or with `recursive` a tree. `retryDelay`: milliseconds. False: it is a directory and stays. */
    rmSync(path: string, force: boolean, recursive: boolean, retries: number, retryDelay: number): boolean;
    rm(path: string, force: boolean, recursive: boolean, retries: number, retryDelay: number, callback: Native.Callback<boolean>): void;
    rm(path: string, force: boolean, recursive: boolean, retries: number, retryDelay: number): Promise<boolean>;
    /**
     * The numbers of an unknown path, for callers that need no error: 0 file, 1 directory, negative when it cannot be
     * looked at.
     */
    kindOfSync(path: string): number;
    /**
     * Looks for `path` below the directory `root`, out of which neither `..` nor a link leads (see `open_beneath::find`):
     * `[kind, size, time of the last change in ms, path | undefined]`. Kind: 0 a regular file, 1 a directory, 2 something else, or a
     * negative errno. The path is where symbolic links have led, as bytes in UTF-8; undefined where there were none.
     */
    findInside(root: string, path: string): [number, number, number, string | undefined];
    /**
     * The names in a directory, sorted, with NUL between them (an empty string for an empty directory); a Uint8Array
     * instead of a string when they are not all UTF-8.
     */
    readdirSync(path: string): string | Uint8Array<ArrayBuffer>;
    readdir(path: string, callback: Native.Callback<string | Uint8Array<ArrayBuffer>>): void;
    readdir(path: string): Promise<string | Uint8Array<ArrayBuffer>>;
    /** Those of the names that begin and end with a text, and are at least as long as both. */
    readdirBetween(path: string, start: string, end: string, callback: Native.Callback<string | Uint8Array<ArrayBuffer>>): void;
    readdirBetween(path: string, start: string, end: string): Promise<string | Uint8Array<ArrayBuffer>>;
    /** Names as above, and their types (UV_DIRENT_*). `recursive`: relative paths of everything below. */
    readdirTypesSync(path: string, recursive: boolean): [string | Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    readdirTypes(path: string, recursive: boolean, callback: Native.Callback<[string | Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]>): void;
    readdirTypes(path: string, recursive: boolean): Promise<[string | Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]>;
    /** Opens a directory for `dirRead`; the descriptor, to be closed with `close`. */
    opendirSync(path: string): number;
    opendir(path: string, callback: Native.Callback<number>): void;
    opendir(path: string): Promise<number>;
    /** About `count` further names and types, in the file system's order; none at the end. */
    dirReadSync(fd: number, count: number): [string | Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    dirRead(fd: number, count: number, callback: Native.Callback<[string | Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]>): void;
    dirRead(fd: number, count: number): Promise<[string | Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]>;
    /** The number of the thread's inotify instance, made on first use. */
    watchInit(): number;
    /** Watches a file or directory; the watch descriptor (the same for the same file). */
    watchAdd(instance: number, path: string): number;
    /**
     * Watches the directory `start` below `root` ("" for the root itself) and all directories below. Gives the
     * directories and all entries, both as bytes of paths relative to the root with NUL after each, and the watch
     * descriptors of the directories: `[dirs, watches, entries]`.
     */
    watchAddTree(instance: number, root: string, start: string): [Uint8Array<ArrayBuffer>, Float64Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    /** Ends a watch. One that has ended by itself (the file is gone) is no error. */
    watchRemove(instance: number, watch: number): void;
    /**
     * Waits for events: `[heads, names]`, see `watch::Events`. Ending a watch is an event too, so this returns when the
     * last one ends.
     */
    watchNext(instance: number, callback: Native.Callback<[Float64Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]>): void;
    watchNext(instance: number): Promise<[Float64Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]>;
  };
}
