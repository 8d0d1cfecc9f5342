/** `db.fileControl` of bun:sqlite (https://sqlite.org/c3ref/file_control.html). */
import { isArrayBufferView } from "internal/buffer/base";
import { constants } from "internal/sqlite/bun_constants";

const ops = native("sqlite");

/** Operations whose argument is a number of 32 bits, or nothing, or a place for an address. Those that take pointers are not for JavaScript. */
const NUMBERS = new Set([
  constants.SQLITE_FCNTL_LOCKSTATE,
  constants.SQLITE_FCNTL_LAST_ERRNO,
  constants.SQLITE_FCNTL_CHUNK_SIZE,
  constants.SQLITE_FCNTL_FILE_POINTER,
  constants.SQLITE_FCNTL_PERSIST_WAL,
  constants.SQLITE_FCNTL_VFSNAME,
  constants.SQLITE_FCNTL_POWERSAFE_OVERWRITE,
  constants.SQLITE_FCNTL_TEMPFILENAME,
  constants.SQLITE_FCNTL_HAS_MOVED,
  constants.SQLITE_FCNTL_VFS_POINTER,
  constants.SQLITE_FCNTL_JOURNAL_POINTER,
  constants.SQLITE_FCNTL_WAL_BLOCK,
  constants.SQLITE_FCNTL_BEGIN_ATOMIC_WRITE,
  constants.SQLITE_FCNTL_COMMIT_ATOMIC_WRITE,
  constants.SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE,
  constants.SQLITE_FCNTL_LOCK_TIMEOUT,
  constants.SQLITE_FCNTL_DATA_VERSION,
  constants.SQLITE_FCNTL_RESERVE_BYTES,
  constants.SQLITE_FCNTL_EXTERNAL_READER,
  constants.SQLITE_FCNTL_RESET_CACHE,
]);

/** Operations whose argument is a number of 64 bits. */
const WIDE_NUMBERS = new Set([
  constants.SQLITE_FCNTL_SIZE_HINT,
  constants.SQLITE_FCNTL_MMAP_SIZE,
  constants.SQLITE_FCNTL_SIZE_LIMIT,
]);

/** Bytes of the largest argument. */
const LEAST_BYTES = 8;

/**
 * sqlite3_file_control: the result code, or for a number the number that SQLite leaves in its place.
 * @throws SQLiteError if SQLite does not know the operation
 */
export function fileControl(handle: Native.Connection, schema: unknown, operation: unknown, argument: unknown): number {
  if (typeof operation !== "number") throw new TypeError("Expected operation to be a number");
  const isWide = WIDE_NUMBERS.has(operation);
  if (!isWide && !NUMBERS.has(operation)) {
    throw new Error(`fileControl: operation ${operation} takes pointers or is not for programs`);
  }
  const name = typeof schema === "string" ? schema : undefined;
  if (isArrayBufferView(argument)) {
    if (argument.byteLength < LEAST_BYTES) throw new Error("TypedArray must be at least 8 bytes");
    return ops.fileControlBytes(handle, argument, name, operation);
  }
  if (typeof argument === "number") {
    if (isWide) {
      const place = new BigInt64Array([BigInt(Math.trunc(argument))]);
      return ops.fileControlBytes(handle, place, name, operation);
    }
    return ops.fileControlInt(handle, name, operation, argument)[0]!;
  }
  if (argument !== undefined && argument !== null) {
    throw new Error("Expected result to be a number, null or a TypedArray");
  }
  const code = ops.fileControlBytes(handle, new Uint8Array(LEAST_BYTES), name, operation);
  if (code !== 0) ops.throwCode(code);
  return code;
}
