// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  sql: {
    /**
     * Columns with these names; `kinds` has for each the number of its kind, `decimals` the digits behind its second. `definitions` are the
     * packets that told them, each behind its length in four bytes: an answer with the same has these columns. Empty: no answer has.
     */
    mysqlColumns(names: readonly string[], kinds: Native.Bytes, decimals: Native.Bytes, definitions: Native.Bytes, isBinary: boolean, isBig: boolean): Native.MysqlColumns;
    /** The answer that is told packet by packet is over. */
    mysqlAnswered(link: Native.MysqlLink): void;
    /** How rows are made of the command at `place` among those that are not answered, from now on. */
    mysqlDefine(link: Native.MysqlLink, place: number, columns: Native.MysqlColumns): void;
    /** Lets go of the socket. */
    mysqlDetach(link: Native.MysqlLink): void;
    /**
     * A command that has been written. `columns` says how its rows are made, if that is known; `mode` is 0 for objects, 1 for arrays, 2 for
     * arrays of bytes. `phase` is 0 for an answer of which every packet is told until `mysqlAnswered`, 1 for results, 2 for rows without the
     * definition of their columns.
     */
    mysqlExpect(link: Native.MysqlLink, columns: Native.MysqlColumns | undefined, mode: number, phase: number): void;
    /** Whether the loop waits for the socket also while no answer is expected. */
    mysqlHold(link: Native.MysqlLink, on: boolean): void;
    /**
     * Reads the socket with this number from now on, behind the login; `undefined` if there is none. `hasEof`: definitions of columns end
     * with a packet of their own. `isCached`: they are left out if they are those of the last time. `tell` is called with `(kind, …)`: 0 and
     * a packet; 1 and definitions of columns, each behind its length in four bytes; 2 and rows, of which more come; 3, the last rows
     * (`undefined` if there are none) and the status at the end of a result; 4, rows that changed, the last id and the status of a result
     * without rows; 5 and an error, with which the protocol is broken. It must not throw.
     */
    mysqlLink(stream: number, hasEof: boolean, isCached: boolean, tell: (kind: number, first: unknown, second?: number | bigint, status?: number) => void): Native.MysqlLink | undefined;
    /**
     * Writes the first bytes of a buffer. 0: the kernel has them; 1: the write event will tell, and nothing of the buffer is needed any
     * more; negative: errno.
     */
    mysqlWrite(link: Native.MysqlLink, buffer: unknown, length: number): number;
    /** Columns with these names; `kinds` has for each the number of a `Kind`. */
    columns(names: readonly string[], kinds: Native.Bytes): Native.Columns;
    /** How the rows of the first query are made, from now on. */
    postgresColumns(link: Native.PostgresLink, columns: Native.Columns): void;
    /** Lets go of the socket. Whether the server has begun with the first query that it has not answered. */
    postgresDetach(link: Native.PostgresLink): boolean;
    /**
     * A query that has been written. `columns` says how its rows are made, if that is known; `mode` is 0 for objects, 1 for arrays, 2 for
     * arrays of bytes. With `isKnown` the answer begins with that to Bind, and is told as one.
     */
    postgresExpect(link: Native.PostgresLink, columns: Native.Columns | undefined, mode: number, isKnown: boolean): void;
    /** Whether the loop waits for the socket also while no answer is expected. */
    postgresHold(link: Native.PostgresLink, on: boolean): void;
    /**
     * Reads the socket with this number from now on; `undefined` if there is none. `tell` is called with `(kind, …)`, where the kind is that
     * of a message of the server, with its body, of DataRow, with a list of rows, or of CommandComplete, with `undefined`, command and count; or -1 and the rows (`undefined` if there are none),
     * command, count and state of the transaction of a query that is done; -2 and what a row could not be read for; -3 for a message of an
     * impossible length. It must not throw.
     */
    postgresLink(stream: number, tell: (kind: number, first: unknown, command?: string, count?: number, status?: number) => void): Native.PostgresLink | undefined;
    /** The connection is open: messages may be large. */
    postgresOpen(link: Native.PostgresLink): void;
    /**
     * Writes the first bytes of a buffer. 0: the kernel has them; 1: the write event will tell, and nothing of the buffer is needed any
     * more; negative: errno.
     */
    postgresWrite(link: Native.PostgresLink, buffer: unknown, length: number): number;
    /** Many queries are under way at the same time. Each is older than its rows, which a collection would keep for its sake. */
    expectMany(): void;
    /** Whether the socket of a descriptor is open in both directions as far as the kernel knows. Does not wait and reads nothing. */
    isOpen(fd: number): boolean;
  };
}
