/**
 * What stands between the common part of SQL (queries, helpers, pool, transactions) and an adapter (PostgreSQL, MySQL, SQLite): an adapter
 * makes connections, a connection runs tasks, and a task is told its result.
 */

import type { SQLResultArray } from "internal/sql/result";

/** How rows are made: an object per row, an array per row, or an array of the bytes of each value (null for NULL). */
export const OBJECTS = 0;
export const VALUES = 1;
export const RAW = 2;
export type RowMode = typeof OBJECTS | typeof VALUES | typeof RAW;

export type AdapterName = "postgres" | "mysql" | "mariadb" | "sqlite";

/** What the server takes and gives in a COPY (PostgreSQL). */
export interface CopyServer {
  /** Sends a chunk; a promise if the system has to take more before the next one. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  end(): void;
  /** Ends COPY ... FROM STDIN with an error: nothing of it is kept. */
  fail(reason: string): void;
  /** Holds up what the server sends. */
  pause(): void;
  resume(): void;
}

/** A COPY whose data go through a stream. */
export interface Copy {
  readonly direction: "in" | "out";
  /** The server has begun. */
  begin(server: CopyServer): void;
  /** A chunk of COPY ... TO STDOUT. */
  data(chunk: Uint8Array): void;
}

/** Who is asked for the next rows of a cursor; one of the two is called once for each batch. */
export interface CursorServer {
  more(): void;
  close(): void;
}

/** Rows that come in batches: the server is asked for the next when the last is done with. */
export interface Cursor {
  /** Rows of a batch, at least one. */
  readonly size: number;
  /** A batch, which has at least one row; without a server it is the last. */
  rows(rows: SQLResultArray, server: CursorServer | undefined): void;
}

/** A statement that is run once. The connection calls `resolve` or `reject`, one of them, once. */
export interface Task {
  /** The statement, with placeholders as `Dialect.placeholder` writes them. */
  readonly text: string;
  /** One for each placeholder, as the program gave them: whatever value that the adapter can send, or a `SQLArray`. */
  readonly values: readonly unknown[];
  /**
   * The text goes as it is, without parameters, and may have several statements. The result is then an array of results if there is more
   * than one, and the only result if there is one.
   */
  readonly isSimple: boolean;
  readonly mode: RowMode;
  /** Changes names of columns for `OBJECTS`; undefined if they stay. */
  readonly column: ((name: string) => string) | undefined;
  /** The statement is a COPY (PostgreSQL, always simple); undefined for every other. */
  readonly copy?: Copy | undefined;
  /** The rows go to a cursor and not to the result (never simple); undefined for every other. */
  readonly cursor?: Cursor | undefined;
  /**
   * Asked instead of `reject` when a connection is lost and the server cannot have begun with the task: whether it is run elsewhere. Not
   * there, or false: the task is rejected.
   */
  retry?(): boolean;
  resolve(result: SQLResultArray | SQLResultArray[]): void;
  reject(error: unknown): void;
}

/** Ways of TLS, by strictness; the numbers are those of Bun's `sslMode`. */
export const TLS_DISABLE = 0;
export const TLS_PREFER = 1;
export const TLS_REQUIRE = 2;
export const TLS_VERIFY_CA = 3;
export const TLS_VERIFY_FULL = 4;

/** The options of a client, checked and complete: see `options.ts`. Times are in milliseconds, 0 for none. */
export interface Options {
  readonly adapter: AdapterName;
  readonly hostname: string;
  readonly port: number;
  /** Of a unix socket; undefined for TCP. */
  readonly path: string | undefined;
  readonly username: string;
  /** Asked for each connection if it is a function. It never stands in an error. */
  readonly password: string | (() => unknown);
  readonly database: string;
  /** Options of node:tls; undefined if the mode decides alone. */
  readonly tls: Record<string, unknown> | undefined;
  readonly sslMode: number;
  /** PostgreSQL: whether SCRAM binds to the TLS connection. */
  readonly channelBinding: "disable" | "prefer" | "require";
  /** Statements with parameters are prepared once on a connection and kept. Else each is prepared without a name and forgotten. */
  readonly prepare: boolean;
  /** 64 bit integers are given as BigInt; else as a number where that is exact, and as a string otherwise. */
  readonly bigint: boolean;
  /** MySQL: ask the server for its RSA key on a connection without TLS. */
  readonly allowPublicKeyRetrieval: boolean;
  /** MySQL: `affectedRows` counts rows that were found, also those that did not change. */
  readonly foundRows: boolean;
  /** Settings that a connection begins with, by name. */
  readonly connection: Readonly<Record<string, string>>;
  /** SQLite: the file, and options of `Database`. */
  readonly filename: string;
  readonly sqlite: Record<string, unknown>;
}

/**
 * What a connection tells its owner. All calls come from the event loop or from within `run`, never from within `Adapter.connect`.
 */
export interface ConnectionEvents {
  /** The server takes tasks: called once, unless `closed` is called before. */
  ready(connection: Connection): void;
  /** All tasks that were run are answered. `isInTransaction` is fresh then. Called before the `resolve` or `reject` of the last task. */
  idle(connection: Connection): void;
  /**
   * The connection is gone and all its tasks are rejected: called once. `error` is undefined if it was `close` or `destroy` without an
   * error; else the reason, an error of the adapter's class (a refused connection, authentication, a lost socket, a protocol error).
   */
  closed(connection: Connection, error: Error | undefined): void;
  /** PostgreSQL: a message of LISTEN. */
  notified?(channel: string, payload: string, pid: number): void;
}

/** A connection to a server. It holds the process as long as it connects or has tasks, unless it was `unref`ed. */
export interface Connection {
  /** Tasks that were run and are not answered. */
  readonly pending: number;
  /** A task can be run while others are not answered. If it is false the pool runs one after the other. */
  readonly canPipeline: boolean;
  /** A database without a server: tasks of all run over the one connection, also while somebody has a transaction. */
  readonly isShared?: boolean;
  /** Asked before a connection that was idle is used: whether the server is still there, as far as the kernel knows. */
  isAlive?(): boolean;
  /** Known when `Adapter.connect` returns: the connection is ready, or why it is not. undefined if only the events tell it. */
  readonly opened?: true | Error;
  /** Whether the server is within a transaction, as of its last answer. */
  readonly isInTransaction: boolean;
  /**
   * Runs a task; answers come in the order of the calls. What is run within one turn can be written together. A mistake in a value (one
   * that cannot be sent, a wrong number of parameters) rejects the task and leaves the connection as it is. After the end of the
   * connection the task is rejected.
   */
  run(task: Task): void;
  /**
   * Asks the server to end a task that was run. The task is answered in its place in any case, mostly by an error of the server. Nothing
   * happens to a task that is answered already or that another connection runs.
   */
  cancel(task: Task): void;
  /** Ends the connection politely: after the tasks that were run. */
  close(): void;
  /** Ends the connection now and rejects its tasks with `error`, or with the adapter's CONNECTION_CLOSED error if there is none. */
  destroy(error?: Error): void;
  /** Whether an open connection without tasks keeps the process running; connections begin without. */
  ref(): void;
  unref(): void;
}

/** What differs in the text of statements. */
export interface Dialect {
  /** The placeholder of the value at `index`, counted from 1: `$1`, or `?`. */
  placeholder(index: number): string;
  /** A name in quotes, quotes within doubled. */
  identifier(name: string): string;
  /** Statements of a transaction; `options` is what `begin(options, fn)` got. Throws if the options are not allowed. */
  begin(options: string): string;
  commit(): string;
  rollback(): string;
  savepoint(name: string): string;
  releaseSavepoint(name: string): string;
  rollbackToSavepoint(name: string): string;
  /** Statements of a distributed transaction: what is run before, and what is run at its end in their order. Throws if there are none. */
  distributed(name: string): { begin: string; prepare: string[]; rollback: string[] };
  /** Whether COPY goes through streams: PostgreSQL's. */
  readonly hasCopy?: boolean;
  commitDistributed(name: string): string;
  rollbackDistributed(name: string): string;
  /** Whether `array(values, type)` exists: PostgreSQL's. */
  readonly hasArrays: boolean;
}

/** What the common part needs of a kind of server. Each adapter is one object that `internal/sql/adapters` loads when it is first needed. */
export interface Adapter {
  readonly dialect: Dialect;
  /** Begins to connect. Mistakes are told by `events.closed` later, never thrown. */
  connect(options: Options, events: ConnectionEvents): Connection;
  /**
   * An error of the adapter's class with a code of its kind: `error("CONNECTION_TIMEOUT", "...")` has the code
   * `ERR_POSTGRES_CONNECTION_TIMEOUT` or `ERR_MYSQL_CONNECTION_TIMEOUT`.
   */
  error(code: string, message: string): Error;
}
