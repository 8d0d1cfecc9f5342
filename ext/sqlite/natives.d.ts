// Types of native functions. Written from the signatures of #[op] by engine/macros/src/op_types.rs; do not edit.

interface Natives {
  sqlite: {
    /**
     * Opens a database file: `path` is a string or bytes, `flags` those of sqlite3_open_v2, `node` says whose errors and
     * values there are.
     */
    open(path: string | Uint8Array, flags: number, node: boolean): Native.Connection;
    /** Opens a database in memory that has the content of a file. */
    deserialize(bytes: Native.Bytes, readOnly: boolean, node: boolean): Native.Connection;
    /**
     * Puts the content of a file into the place of a schema of an open connection. Statements and sessions are gone then, also if this
     * fails. An error inside of a function that SQLite calls.
     */
    deserializeInto(db: Native.Connection, schema: string, bytes: Native.Bytes): void;
    /** The content of a schema as a file has it; undefined if there is no such schema or no memory for it. */
    serialize(db: Native.Connection, schema: string): Uint8Array<ArrayBuffer> | undefined;
    /**
     * Closes a connection with its statements, sessions and backups; closing again does nothing. An error inside of a function that
     * SQLite calls.
     */
    close(db: Native.Connection): void;
    /** Whether the connection is open. */
    isOpen(db: Native.Connection): boolean;
    /** A number that belongs to this connection in this thread; 0 if it is closed. */
    handleNumber(db: Native.Connection): number;
    /** Whether a transaction is open. */
    inTransaction(db: Native.Connection): boolean;
    /** The file of a schema; undefined for a database in memory and for no such schema. */
    location(db: Native.Connection, schema: string): string | undefined;
    /** Sets a switch of sqlite3_db_config to 0 or 1. */
    configure(db: Native.Connection, option: number, on: boolean): void;
    /** How many milliseconds a call waits for a lock; 0 for not at all. */
    busyTimeout(db: Native.Connection, milliseconds: number): void;
    /** Sets a limit of sqlite3_limit, or only reads it if `value` is negative; the limit before. */
    limit(db: Native.Connection, which: number, value: number): number;
    /** Loads an extension from a shared library. The message of a failure, or undefined. */
    loadExtension(db: Native.Connection, file: string, entryPoint?: string | null | undefined): string | undefined;
    /** sqlite3_file_control with an int: `[result code, the int afterwards]`. */
    fileControlInt(db: Native.Connection, schema: string | null | undefined, operation: number, value: number): [number, number];
    /** sqlite3_file_control with bytes that SQLite reads and writes, or with nothing; the result code. */
    fileControlBytes(db: Native.Connection, bytes: Native.Bytes, schema: string | null | undefined, operation: number): number;
    /** Throws the error of a result code as `bun:sqlite` has it. */
    throwCode(code: number): never;
    /**
     * Prepares one statement; what follows it is ignored. Undefined: the text has none (of `node:sqlite`, a statement that is finalized).
     * `prepare` are flags of sqlite3_prepare_v3; of `flags` 1 is strict names, 2 integers as BigInt, 4 rows as arrays, 8 bare names, 16
     * unknown names.
     */
    prepare(db: Native.Connection, sqlText: string, prepare: number, flags: number): Native.Statement | undefined;
    /** Runs all statements of a text; `parameters` are those of its first statement. Rows are ignored. Gives `{ changes, lastInsertRowid }`, or undefined if the text has no statement. */
    exec(db: Native.Connection, sqlText: string, parameters: readonly unknown[] | undefined, flags: number): { changes: number | bigint; lastInsertRowid: number | bigint } | undefined;
    /** Runs a statement to its end: `{ changes, lastInsertRowid }`. `parameters` are those of the call. */
    run(statement: Native.Statement, parameters?: readonly unknown[] | undefined): { changes: number | bigint; lastInsertRowid: number | bigint };
    /** The first row, or undefined. `form`: 0 as the statement is set, 1 an array, 2 an array of bytes. */
    get(statement: Native.Statement, parameters: readonly unknown[] | undefined, form: number): unknown;
    /** All rows as an array; `form` as in `get`. */
    all(statement: Native.Statement, parameters: readonly unknown[] | undefined, form: number): unknown[];
    /** Begins a run of which rows are taken one by one: its number. */
    start(statement: Native.Statement, parameters?: readonly unknown[] | undefined): number;
    /** The next row of run number `run`; undefined at its end, null if the statement has been run again meanwhile. */
    next(statement: Native.Statement, run: number): unknown;
    /** Ends run number `run` before its last row. */
    end(statement: Native.Statement, run: number): void;
    /** Frees a statement. An error inside of a function that it calls. */
    finalize(statement: Native.Statement): void;
    /** Whether a statement was finalized, or its database closed. */
    isFinalized(statement: Native.Statement): boolean;
    /** The number of parameters. */
    parameterCount(statement: Native.Statement): number;
    /** The number of columns. */
    columnCount(statement: Native.Statement): number;
    /** The names of the columns. */
    columnNames(statement: Native.Statement): string[];
    /** Of each column name, origin (column, table, database) and declared type; undefined for those of an expression. */
    columnOrigins(statement: Native.Statement): ((string | undefined)[])[];
    /** The types of the values of the first row, with the parameters that are bound: numbers of SQLite's fundamental types. Ends a run that is under way. */
    firstTypes(statement: Native.Statement): number[];
    /** Whether a statement changes nothing by itself. */
    isReadOnly(statement: Native.Statement): boolean;
    /** Whether a statement has been run. */
    hasRun(statement: Native.Statement): boolean;
    /** The text of a statement, with the values that are bound in the place of its parameters if `isExpanded`. */
    source(statement: Native.Statement, isExpanded: boolean): string;
    /** Changes a setting of `prepare`'s flags: 2 integers as BigInt, 4 rows as arrays, 8 bare names, 16 unknown names. */
    setFlag(statement: Native.Statement, flag: number, on: boolean): void;
    /** Whether integers are read as BigInts. */
    readsBigIntegers(statement: Native.Statement): boolean;
    /** Sets the prototype of the objects that rows become; undefined for plain objects. */
    setPrototype(statement: Native.Statement, prototype?: object | undefined): void;
    /**
     * Makes a function of SQL. `count` is its number of arguments, -1 for any; `flags` are those of sqlite3_create_function_v2. `body`
     * is a function, or of an aggregate the array of start, step, inverse and result (undefined for none).
     */
    defineFunction(db: Native.Connection, name: string, count: number, flags: number, bigIntegers: boolean, body: Function | readonly unknown[]): void;
    /** Sets the function that is called with operation, table, row id and schema for every row that changes; undefined for none. */
    setUpdateHook(db: Native.Connection, hook?: ((operation: number, table: string, row: bigint, schema: string) => void) | undefined): void;
    /** Sets the function that allows what statements do as they are prepared; undefined for none. */
    setAuthorizer(db: Native.Connection, authorizer?: ((...args: never[]) => number) | undefined): void;
    /** Begins to record changes of a table, or of all tables, of a schema. */
    createSession(db: Native.Connection, table: string | null | undefined, schema: string): Native.Session;
    /** What was recorded so far, as a changeset or as a patchset. */
    sessionChanges(session: Native.Session, isPatch: boolean): Uint8Array;
    /** Ends a session. */
    closeSession(session: Native.Session): void;
    /**
     * Applies a changeset; false if it was given up because of a conflict. `filter` says by name which tables are changed, `onConflict` answers
     * with one of SQLite's codes; undefined for all tables, and for giving up.
     */
    applyChangeset(db: Native.Connection, changeset: Native.Bytes, filter?: ((table: string) => boolean) | undefined, onConflict?: ((kind: number) => number) | undefined): boolean;
    /** Begins to copy a schema of a database into a schema of a file. Options of the file are those of sqlite3_open_v2. */
    backupStart(db: Native.Connection, path: string | Uint8Array, flags: number, source: string, target: string): Native.Backup;
    /**
     * Copies so many pages, all if negative: `[how it stands, pages left, pages in all]`. It stands 0: more is to do, 1: done, 2: somebody
     * has locked one of the databases.
     */
    backupStep(backup: Native.Backup, pages: number): [number, number, number];
    /** Gives a copy up. */
    backupStop(backup: Native.Backup): void;
  };
}
