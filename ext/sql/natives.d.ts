// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  sql: {
    /** Columns with these names; `kinds` has for each the number of its kind, `decimals` the digits behind its second. */
    mysqlColumns(names: readonly string[], kinds: Native.Bytes, decimals: Native.Bytes, isBinary: boolean, isBig: boolean): Native.MysqlColumns;
    /**
     * The rows of all whole packets from `at` on, until a packet that is no row or has a part behind it; the last element of the array is the
     * place behind them. Where `end` is not 0, `at` and `end` are the bounds of the payload of one row, and there are no other packets. `mode`
     * is 0 for objects, 1 for arrays, 2 for arrays of bytes. Throws RangeError with the kind of the fault as `code` for a row that contradicts
     * itself.
     */
    mysqlRows(columns: Native.MysqlColumns, bytes: Native.Bytes, at: number, end: number, mode: number): unknown[];
    /** Columns with these names; `kinds` has for each the number of a `Kind`. */
    columns(names: readonly string[], kinds: Native.Bytes): Native.Columns;
    /**
     * The rows of all whole DataRow messages from `at` on, until a message of another kind; the last element of the array is the place
     * behind them. `mode` is 0 for objects, 1 for arrays, 2 for arrays of bytes. Throws RangeError for a message that contradicts itself.
     */
    rows(columns: Native.Columns, bytes: Native.Bytes, at: number, mode: number): unknown[];
    /** Whether the socket of a descriptor is open in both directions as far as the kernel knows. Does not wait and reads nothing. */
    isOpen(fd: number): boolean;
  };
}
