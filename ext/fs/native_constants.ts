// Numbers that the native half uses by the same names. Written from #[ts_constants] by
// engine/macros/src/ts_constants.rs; do not edit.

// Values of the `flags` of the status ops.
/** The result is a BigInt64Array's bytes, with times in nanoseconds. */
export const STATUS_BIGINT = 1;
/** A symbolic link's own status. */
export const STATUS_NO_FOLLOW = 2;
/** A missing file is no error. */
export const STATUS_MAYBE = 4;

// What `readStart` gives back, unless it is a length.
/** There are more bytes, for `takeBytes`. */
export const READ_START_MANY = -1;
/** Only the thread pool can tell. */
export const READ_START_ELSEWHERE = -2;

// Node's UV_DIRENT_* numbers.
export const DIRENT_UNKNOWN = 0;
export const DIRENT_FILE = 1;
export const DIRENT_DIR = 2;
export const DIRENT_LINK = 3;
export const DIRENT_FIFO = 4;
export const DIRENT_SOCKET = 5;
export const DIRENT_CHAR = 6;
export const DIRENT_BLOCK = 7;
