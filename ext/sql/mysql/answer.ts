/** The answer of the server to a command: what native code tells of it (native/mysql_link.rs), until it is whole. */

import { OBJECTS, type RowMode, type Task } from "internal/sql/adapter";
import { type Column, readColumn } from "internal/sql/mysql/columns";
import { malformed, ProtocolError } from "internal/sql/mysql/error";
import { readError } from "internal/sql/mysql/handshake";
import { Reader } from "internal/sql/mysql/packets";
import {
  EOF,
  ERR,
  OK,
  STATUS_CURSOR_EXISTS,
  STATUS_LAST_ROW_SENT,
  STATUS_MORE_RESULTS,
} from "internal/sql/mysql/protocol";
import { Columns, type Statement } from "internal/sql/mysql/statement";
import { SQLResultArray } from "internal/sql/result";

/** What server and client have agreed on. */
export interface Traits {
  /** Definitions of columns end with a packet of their own. */
  hasEof: boolean;
  /** Definitions of columns have MariaDB's part. */
  isExtended: boolean;
  /** Definitions of columns are left out if they are those of the last time. */
  isCached: boolean;
  bigint: boolean;
}

/** What native code tells: a packet, definitions of columns, rows, the last rows, a result without rows, and that the protocol is broken. */
export const PACKET = 0,
  DEFINITIONS = 1,
  ROWS = 2,
  END = 3,
  DONE = 4,
  FAULT = 5;

/** What native code expects: packets that are told, results, and rows without the definition of their columns. */
export const EXPECT_PACKETS = 0,
  EXPECT_RESULT = 1,
  EXPECT_ROWS = 2;

/** Parts of the answer to a preparation. */
const HEAD = 0,
  PARAMETERS = 1,
  COLUMNS = 2;

/** Definitions up to this size are kept, so that equal ones need not be read. */
const MAX_KEPT = 0x8000;

/** Properties in Bun's order. */
function finish(rows: SQLResultArray, count: number, id: number | bigint, affected: number | bigint): SQLResultArray {
  rows.count = count;
  rows.command = null;
  // As Bun: what a number does not hold is a string.
  rows.lastInsertRowid = (typeof id === "bigint" ? String(id) : id) as number;
  rows.affectedRows = (typeof affected === "bigint" ? String(affected) : affected) as number;
  return rows;
}

export class Answer {
  readonly statement: Statement | undefined;
  /** Of the server, as of the last packet that told. */
  status: number | undefined = undefined;
  /** Why the server does not do it. */
  error: Error | undefined = undefined;
  /** The answer is that to the preparation of a statement, whose packets come as they are. */
  isPreparing = false;
  /** Those of the rows that come. */
  columns: Columns | undefined;
  #task: Task | undefined;
  #traits: Traits;
  #phase = HEAD;
  /** Definitions of the preparation that are still to come, and have come. */
  #left = 0;
  #count = 0;
  #definitions: Uint8Array[] = undefined as never;
  /** Of the result that is not whole. */
  #rows: SQLResultArray | undefined = undefined;
  /** The last result that is whole, and those before it if the text has several. */
  #last: SQLResultArray | undefined = undefined;
  #earlier: SQLResultArray[] | undefined = undefined;

  constructor(task: Task | undefined, statement: Statement | undefined, traits: Traits) {
    this.#task = task;
    this.statement = statement;
    this.columns = statement?.columns;
    this.#traits = traits;
  }

  /** The preparation is over: what comes is the result. */
  expectResult(): void {
    this.isPreparing = false;
    this.columns = this.statement!.columns;
  }

  get mode(): RowMode {
    return this.#task?.mode ?? OBJECTS;
  }

  /** What native code makes rows with, as far as it is known. */
  get handle(): Native.MysqlColumns | undefined {
    return this.columns?.handleFor(this.#task?.column);
  }

  /** The rows of the last result. */
  get rows(): SQLResultArray {
    return this.#last!;
  }

  /** The server keeps the rows that are left until they are fetched. */
  get hasCursor(): boolean {
    const status = this.status ?? 0;
    return (status & STATUS_CURSOR_EXISTS) !== 0 && (status & STATUS_LAST_ROW_SENT) === 0;
  }

  settle(): void {
    const task = this.#task;
    if (task === undefined) return;
    const last = this.#last!;
    if (this.#earlier === undefined) task.resolve(last);
    else task.resolve([...this.#earlier, last]);
  }

  /** The server refuses the command. */
  fail(reader: Reader): true {
    reader.uint8();
    this.error = readError(reader);
    return true;
  }

  // ---- a statement that is prepared

  /** Takes a packet of the answer to a preparation. True if it was the last. */
  packet(reader: Reader): boolean {
    if (this.#phase === HEAD) return this.#prepared(reader);
    if (this.#left > 0) {
      if (this.#phase === COLUMNS) this.#definitions.push(reader.rest());
      if (--this.#left > 0 || this.#traits.hasEof) return false;
    } else if (reader.bytes[reader.at] !== EOF || reader.end === reader.at)
      throw malformed("definitions without an end");
    if (this.#phase === PARAMETERS) return this.#parametersEnd();
    return this.#columnsEnd();
  }

  #prepared(reader: Reader): boolean {
    const first = reader.bytes[reader.at];
    if (reader.at === reader.end)
      throw new ProtocolError("INVALID_PREPARE_OK_PACKET", "The server sent an empty packet");
    if (first === ERR) return this.fail(reader);
    if (first !== OK || reader.end - reader.at < 9) {
      throw new ProtocolError(
        "INVALID_PREPARE_OK_PACKET",
        "The server answers the preparation of a statement with something else",
      );
    }
    reader.skip(1);
    const statement = this.statement!;
    statement.id = reader.uint32();
    this.#count = reader.uint16();
    statement.parameters = this.#left = reader.uint16();
    this.#definitions = [];
    this.#phase = PARAMETERS;
    if (this.#left > 0) return false;
    return this.#parametersEnd();
  }

  #parametersEnd(): boolean {
    this.#phase = COLUMNS;
    this.#left = this.#count;
    return this.#left === 0 && this.#columnsEnd();
  }

  #columnsEnd(): true {
    const pieces: Uint8Array[] = [];
    for (const definition of this.#definitions) {
      const length = Buffer.allocUnsafe(4);
      length.writeUInt32LE(definition.length, 0);
      pieces.push(length, definition);
    }
    this.#definitions = [];
    this.define(Buffer.concat(pieces));
    return true;
  }

  // ---- results

  /** The columns of these definitions, each of which has its length in four bytes before it. */
  define(definitions: Buffer): Columns {
    const list: Column[] = [];
    const reader = new Reader();
    for (let at = 0; at < definitions.length;) {
      const end = at + 4 + definitions.readUInt32LE(at);
      reader.load(definitions.subarray(at + 4, end));
      list.push(readColumn(reader, this.#traits.isExtended));
      at = end;
    }
    const { statement } = this;
    const kept = definitions.length <= MAX_KEPT ? definitions : undefined;
    const columns = new Columns(list, kept, statement !== undefined, this.#traits.bigint);
    if (statement !== undefined) statement.columns = columns;
    this.columns = columns;
    return columns;
  }

  /** The result that rows come for. */
  #result(): SQLResultArray {
    if (this.#rows !== undefined) return this.#rows;
    const rows = (this.#rows = new SQLResultArray());
    // Settings of the connection itself are nobody's.
    if (this.#task !== undefined && this.columns !== undefined) rows.setOrigin(this.columns.originOf(this.#task.text));
    return rows;
  }

  /** Takes rows as native code gives them. */
  add(rows: unknown[]): void {
    if (this.#task === undefined) return;
    this.columns!.finish(rows, this.#task.mode, this.#task.column);
    const target = this.#result();
    for (let i = 0; i < rows.length; i++) target.push(rows[i]);
  }

  /** The end of a result with rows. True if no other result comes. */
  end(rows: unknown[] | undefined, status: number): boolean {
    if (rows !== undefined) this.add(rows);
    const result = this.#result();
    return this.#over(finish(result, result.length, 0, 0), status);
  }

  /** A result without rows. True if no other result comes. */
  done(affected: number | bigint, id: number | bigint, status: number): boolean {
    return this.#over(finish(new SQLResultArray(), Number(affected), id, affected), status);
  }

  #over(result: SQLResultArray, status: number): boolean {
    this.status = status;
    if (this.#last !== undefined) (this.#earlier ??= []).push(this.#last);
    this.#last = result;
    this.#rows = undefined;
    return (status & STATUS_MORE_RESULTS) === 0;
  }
}
