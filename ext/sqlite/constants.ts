/** Numbers of SQLite's C interface (https://sqlite.org/c3ref/constlist.html) that more than one module uses. */

export const SQLITE_OPEN_READONLY = 1;
export const SQLITE_OPEN_READWRITE = 2;
export const SQLITE_OPEN_CREATE = 4;
export const SQLITE_OPEN_URI = 64;

export const SQLITE_DELETE = 9;
export const SQLITE_INSERT = 18;
export const SQLITE_UPDATE = 23;

export const SQLITE_DETERMINISTIC = 0x800;
export const SQLITE_DIRECTONLY = 0x80000;

/** Flags of statements, see `prepare` of the native half. */
export const STRICT_NAMES = 1;
export const BIG_INTEGERS = 2;
export const ROWS_AS_ARRAYS = 4;
export const BARE_NAMES = 8;
export const UNKNOWN_NAMES = 16;

/** A function of a program. */
export type Callable = (...values: unknown[]) => unknown;
