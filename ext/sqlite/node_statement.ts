/** StatementSync of node:sqlite, and the iterator over its rows. */
import { BARE_NAMES, BIG_INTEGERS, ROWS_AS_ARRAYS, UNKNOWN_NAMES } from "internal/sqlite/constants";
import { flag, needType, optionsOf, stateError } from "internal/sqlite/node_checks";

const ops = native("sqlite");
const kCreate = Symbol("kCreateStatement");

/** What `run` gives. */
interface Changes {
  changes: number | bigint;
  lastInsertRowid: number | bigint;
}

/** The settings that a database and `prepare` have for statements, as flags of the native half. */
export function statementFlags(options: unknown, defaults: number): number {
  const given = optionsOf(options);
  if (given === undefined) return defaults;
  let flags = 0;
  const add = (name: string, bit: number) => {
    if (flag(given, name, (defaults & bit) !== 0)) flags |= bit;
  };
  add("readBigInts", BIG_INTEGERS);
  add("returnArrays", ROWS_AS_ARRAYS);
  add("allowBareNamedParameters", BARE_NAMES);
  add("allowUnknownNamedParameters", UNKNOWN_NAMES);
  return flags;
}

/** The result of an iterator's step. */
function step(done: boolean, value: unknown): IteratorResult<unknown> {
  return { __proto__: null, done, value } as unknown as IteratorResult<unknown>;
}

class StatementSyncIterator extends Iterator<unknown> {
  #raw: Native.Statement;
  #run: number;
  #isDone = false;

  constructor(raw: Native.Statement, run: number) {
    super();
    this.#raw = raw;
    this.#run = run;
  }

  next(): IteratorResult<unknown> {
    if (this.#isDone) return step(true, null);
    const row = ops.next(this.#raw, this.#run);
    if (row === null) throw stateError("iterator was invalidated");
    if (row === undefined) {
      this.#isDone = true;
      return step(true, null);
    }
    return step(false, row);
  }

  return(): IteratorResult<unknown> {
    if (!this.#isDone) {
      this.#isDone = true;
      ops.end(this.#raw, this.#run);
    }
    return step(true, null);
  }
}

export class StatementSync {
  #raw: Native.Statement;

  constructor(key: unknown = undefined, raw: unknown = undefined) {
    if (key !== kCreate) {
      const error: NodeError = new Error("Illegal constructor");
      error.code = "ERR_ILLEGAL_CONSTRUCTOR";
      throw error;
    }
    this.#raw = raw as Native.Statement;
  }

  get sourceSQL(): string {
    return ops.source(this.#raw, false);
  }

  get expandedSQL(): string {
    return ops.source(this.#raw, true);
  }

  get(...parameters: unknown[]): unknown {
    return ops.get(this.#raw, parameters, 0);
  }

  all(...parameters: unknown[]): unknown[] {
    return ops.all(this.#raw, parameters, 0);
  }

  run(...parameters: unknown[]): Changes {
    return ops.run(this.#raw, parameters);
  }

  iterate(...parameters: unknown[]): StatementSyncIterator {
    return new StatementSyncIterator(this.#raw, ops.start(this.#raw, parameters));
  }

  columns(): object[] {
    return ops.columnOrigins(this.#raw).map(([name, column, table, database, type]) => ({
      __proto__: null,
      column: column ?? null,
      database: database ?? null,
      name: name ?? null,
      table: table ?? null,
      type: type ?? null,
    }));
  }

  setAllowBareNamedParameters(enabled: unknown): void {
    needType(enabled, "allowBareNamedParameters", "boolean");
    ops.setFlag(this.#raw, BARE_NAMES, enabled as boolean);
  }

  setAllowUnknownNamedParameters(enabled: unknown): void {
    needType(enabled, "enabled", "boolean");
    ops.setFlag(this.#raw, UNKNOWN_NAMES, enabled as boolean);
  }

  setReadBigInts(enabled: unknown): void {
    needType(enabled, "readBigInts", "boolean");
    ops.setFlag(this.#raw, BIG_INTEGERS, enabled as boolean);
  }

  setReturnArrays(enabled: unknown): void {
    needType(enabled, "returnArrays", "boolean");
    ops.setFlag(this.#raw, ROWS_AS_ARRAYS, enabled as boolean);
  }
}

/** Prepares a statement of an open database. */
export function prepareStatement(handle: Native.Connection, sql: string, flags: number): StatementSync {
  return new StatementSync(kCreate, ops.prepare(handle, sql, 0, flags));
}
