// fs.constants (https://nodejs.org/api/fs.html#fs-constants). The numbers are the system's: Linux, with the three that
// differ on ARM.

let shared: Record<string, number> | undefined;

/** The object that is both `fs.constants` and `fs.promises.constants`. */
export function sharedConstants(): Record<string, number> {
  return (shared ??= fsConstants());
}

/** No prototype, properties in Node's order. */
function fsConstants(): Record<string, number> {
  const arm = process.arch === "arm64" || process.arch === "arm";
  return {
    __proto__: null,
    UV_FS_SYMLINK_DIR: 1,
    UV_FS_SYMLINK_JUNCTION: 2,
    O_RDONLY: 0,
    O_WRONLY: 1,
    O_RDWR: 2,
    UV_DIRENT_UNKNOWN: 0,
    UV_DIRENT_FILE: 1,
    UV_DIRENT_DIR: 2,
    UV_DIRENT_LINK: 3,
    UV_DIRENT_FIFO: 4,
    UV_DIRENT_SOCKET: 5,
    UV_DIRENT_CHAR: 6,
    UV_DIRENT_BLOCK: 7,
    S_IFMT: 0o170000,
    S_IFREG: 0o100000,
    S_IFDIR: 0o040000,
    S_IFCHR: 0o020000,
    S_IFBLK: 0o060000,
    S_IFIFO: 0o010000,
    S_IFLNK: 0o120000,
    S_IFSOCK: 0o140000,
    O_CREAT: 0o100,
    O_EXCL: 0o200,
    UV_FS_O_FILEMAP: 0,
    O_NOCTTY: 0o400,
    O_TRUNC: 0o1000,
    O_APPEND: 0o2000,
    O_DIRECTORY: arm ? 0o40000 : 0o200000,
    O_NOATIME: 0o1000000,
    O_NOFOLLOW: arm ? 0o100000 : 0o400000,
    O_SYNC: 0o4010000,
    O_DSYNC: 0o10000,
    O_DIRECT: arm ? 0o200000 : 0o40000,
    O_NONBLOCK: 0o4000,
    S_IRWXU: 0o700,
    S_IRUSR: 0o400,
    S_IWUSR: 0o200,
    S_IXUSR: 0o100,
    S_IRWXG: 0o070,
    S_IRGRP: 0o040,
    S_IWGRP: 0o020,
    S_IXGRP: 0o010,
    S_IRWXO: 0o007,
    S_IROTH: 0o004,
    S_IWOTH: 0o002,
    S_IXOTH: 0o001,
    F_OK: 0,
    R_OK: 4,
    W_OK: 2,
    X_OK: 1,
    UV_FS_COPYFILE_EXCL: 1,
    COPYFILE_EXCL: 1,
    UV_FS_COPYFILE_FICLONE: 2,
    COPYFILE_FICLONE: 2,
    UV_FS_COPYFILE_FICLONE_FORCE: 4,
    COPYFILE_FICLONE_FORCE: 4,
  } as unknown as Record<string, number>;
}
