/** The SQLite adapter: statements run at once, on the one connection of a database of bun:sqlite. */

import {
  type Adapter,
  type Connection,
  type ConnectionEvents,
  type Cursor,
  type Dialect,
  OBJECTS,
  type Options,
  type Task,
  VALUES,
} from "internal/sql/adapter";
import { SQLiteError } from "internal/sql/errors";
import { SQLResultArray } from "internal/sql/result";
import type BunSqlite from "bun/sqlite";

type Database = InstanceType<(typeof BunSqlite)["Database"]>;

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const noDistributed = (): Error => new Error("SQLite doesn't support distributed transactions.");
const MAX_INTEGER = 2n ** 63n - 1n;

const dialect: Dialect = {
  hasArrays: false,
  placeholder: () => "?",
  identifier: (name) => name.split(".").map(quote).join("."),
  begin(options) {
    if (!/^[A-Za-z, ]*$/.test(options)) {
      throw new Error("Transaction options can only contain letters, spaces, and commas.");
    }
    if (/^\s*read\s*(?:only|write)\s*$/i.test(options)) {
      throw new Error(`SQLite doesn't support '${options}' transaction mode. Use DEFERRED, IMMEDIATE, or EXCLUSIVE.`);
    }
    return options === "" ? "BEGIN" : `BEGIN ${options}`;
  },
  commit: () => "COMMIT",
  rollback: () => "ROLLBACK",
  savepoint: (name) => `SAVEPOINT ${quote(name)}`,
  releaseSavepoint: (name) => `RELEASE SAVEPOINT ${quote(name)}`,
  rollbackToSavepoint: (name) => `ROLLBACK TO SAVEPOINT ${quote(name)}`,
  distributed() {
    throw new Error("This adapter doesn't support distributed transactions.");
  },
  commitDistributed() {
    throw noDistributed();
  },
  rollbackDistributed() {
    throw noDistributed();
  },
};

const sqliteError = (code: string, message: string): SQLiteError =>
  new SQLiteError(message, { code: `ERR_SQLITE_${code}`, errno: 0 });

/** Errors of the native half become those of SQL; all others stay. */
function mapped(error: unknown): unknown {
  const given = error as { name?: unknown; message: string; code: string; errno: number; byteOffset?: number } | null;
  if (given?.name !== "SQLiteError") return error;
  const { code, errno, byteOffset } = given;
  return new SQLiteError(given.message, { code, errno, byteOffset: byteOffset === -1 ? undefined : byteOffset });
}

/** The first word of a statement, in capitals. */
function commandOf(text: string): string {
  const start = text.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|;)+/, "");
  return /^[A-Za-z]*/.exec(start)![0].toUpperCase();
}

/** A value as it is bound. */
function bound(value: unknown): unknown {
  if (typeof value === "bigint" && (value > MAX_INTEGER || value < -MAX_INTEGER - 1n)) {
    throw new RangeError(`BigInt value '${value}' is out of range`);
  }
  if (typeof value === "symbol" || typeof value === "function") {
    throw new TypeError("Binding expected string, TypedArray, boolean, number, bigint or null");
  }
  return value === undefined ? null : value;
}

interface Changes {
  changes: number | bigint;
  lastInsertRowid: number | bigint;
}

class SqliteConnection implements Connection {
  readonly pending = 0;
  readonly canPipeline = true;
  readonly isShared = true;
  readonly opened: true | Error;
  #events: ConnectionEvents;
  #database: Database | undefined = undefined;
  /** How cursors end that are under way. */
  #cursors = new Map<Task, (settle: () => void) => void>();
  #isClosed = false;

  constructor(options: Options, events: ConnectionEvents) {
    this.#events = events;
    let failure: unknown;
    try {
      const sqlite = require("bun/sqlite") as unknown as typeof BunSqlite;
      const { filename, sqlite: given, bigint } = options;
      const names = Object.keys(given);
      // Without options the file is made; with some, they say so.
      const hasMode = names.some((name) => name !== "safeIntegers" && name !== "strict");
      this.#database = new sqlite.Database(filename, {
        ...(hasMode ? {} : { readwrite: true, create: true }),
        ...given,
        ...(bigint ? { safeIntegers: true } : {}),
      });
    } catch (error) {
      failure = mapped(error);
    }
    this.opened = failure === undefined ? true : (failure as Error);
    queueMicrotask(() => {
      if (this.#isClosed) return;
      if (failure === undefined) return events.ready(this);
      this.#isClosed = true;
      events.closed(this, failure as Error);
    });
  }

  get isInTransaction(): boolean {
    return this.#database?.inTransaction ?? false;
  }

  run(task: Task): void {
    const database = this.#database;
    if (database === undefined) {
      task.reject(sqliteError("CONNECTION_CLOSED", "Connection closed"));
      return;
    }
    if (task.cursor !== undefined) return this.#pump(database, task, task.cursor);
    let result: SQLResultArray;
    try {
      result = this.#run(database, task);
    } catch (error) {
      this.#events.idle(this);
      task.reject(mapped(error));
      return;
    }
    this.#events.idle(this);
    task.resolve(result);
  }

  #run(database: Database, task: Task): SQLResultArray {
    const { text, mode, column } = task;
    const values = task.values.map(bound);
    const result = new SQLResultArray();
    const command = commandOf(text);
    const isRead = command === "SELECT" || command === "PRAGMA" || command === "EXPLAIN" || command === "VALUES";
    let changes: Changes = { changes: 0, lastInsertRowid: 0 };
    let columns: string[] = [];
    // A text without a statement is for the database, which says so.
    const statement = command === "" ? undefined : database.query(text);
    const isAnswered = statement !== undefined && statement.reader;
    if (isAnswered) {
      const rows =
        mode === OBJECTS
          ? statement.all(...values)
          : mode === VALUES
            ? statement.values(...values)
            : statement.raw(...values);
      columns = statement.columnNames;
      for (const row of rows)
        result.push(mode === OBJECTS && column !== undefined ? renamed(row as object, column) : row);
      if (!isRead && command !== "WITH") {
        const [row] = database.query("select changes() as changes, last_insert_rowid() as lastInsertRowid").all();
        changes = row as unknown as Changes;
      }
    } else if (statement === undefined || text.includes(";")) {
      // There may be more than one.
      changes = database.run(text, ...values) as Changes;
    } else changes = statement.run(...values);
    const hasChanged = !isAnswered || (!isRead && command !== "WITH");
    result.count = isAnswered ? result.length : Number(changes.changes);
    result.command = command;
    result.lastInsertRowid = hasChanged ? changes.lastInsertRowid : null;
    result.affectedRows = hasChanged ? changes.changes : 0;
    result.setOrigin({ string: text, types: [], columns: columns.map((name) => ({ name })) });
    return result;
  }

  /** Gives rows to a cursor, of a statement of its own. */
  #pump(database: Database, task: Task, cursor: Cursor): void {
    const { text, mode, column } = task;
    const end = (settle: () => void): void => {
      if (!this.#cursors.delete(task)) return;
      statement?.finalize();
      this.#events.idle(this);
      settle();
    };
    this.#cursors.set(task, end);
    let statement: ReturnType<Database["prepare"]> | undefined;
    const next = (rows: Iterator<unknown>): void => {
      if (!this.#cursors.has(task)) return;
      try {
        const batch = new SQLResultArray();
        let isOver = false;
        while (batch.length < cursor.size && !isOver) {
          const { done, value } = rows.next();
          if (done) isOver = true;
          else batch.push(column === undefined ? value : renamed(value as object, column));
        }
        batch.count = batch.length;
        batch.command = commandOf(text);
        const names = statement!.columnNames;
        batch.setOrigin({ string: text, types: [], columns: names.map((name) => ({ name })) });
        if (isOver) {
          if (batch.length > 0) cursor.rows(batch, undefined);
          return end(() => task.resolve(new SQLResultArray()));
        }
        // Once: the next rows, or the end.
        let isAsked = false;
        const ask = (what: () => void): void => {
          if (isAsked) return;
          isAsked = true;
          queueMicrotask(what);
        };
        cursor.rows(batch, {
          more: () => ask(() => next(rows)),
          close: () => ask(() => end(() => task.resolve(new SQLResultArray()))),
        });
      } catch (error) {
        end(() => task.reject(mapped(error)));
      }
    };
    try {
      if (mode !== OBJECTS) throw new Error("cursor() of SQLite gives objects: values() and raw() are not supported");
      statement = database.prepare(text);
      next(statement.iterate(...task.values.map(bound)) as Iterator<unknown>);
    } catch (error) {
      end(() => task.reject(mapped(error)));
    }
  }

  /** A task is over when `run` returns, unless it has a cursor: that one ends before its next rows. */
  cancel(task: Task): void {
    const end = this.#cursors.get(task);
    if (end === undefined) return;
    // Its statement may be running, and have called the program.
    queueMicrotask(() => end(() => task.reject(sqliteError("QUERY_CANCELLED", "Query cancelled"))));
  }

  close(): void {
    this.destroy();
  }

  destroy(error?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const reason = error ?? sqliteError("CONNECTION_CLOSED", "Connection closed");
    for (const [task, end] of this.#cursors) end(() => task.reject(reason));
    this.#database?.close();
    this.#database = undefined;
    queueMicrotask(() => this.#events.closed(this, error));
  }

  ref(): void {}
  unref(): void {}
}

function renamed(row: object, column: (name: string) => string): object {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [column(name), value]));
}

export const sqlite: Adapter = {
  dialect,
  connect: (options, events) => new SqliteConnection(options, events),
  error: sqliteError,
};
