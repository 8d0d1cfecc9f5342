/** The answer of the server to a command: packet by packet, until it is whole. */

import type { Task } from "internal/sql/adapter";
import { type Column, countOf, readColumn } from "internal/sql/mysql/columns";
import { malformed, ProtocolError } from "internal/sql/mysql/error";
import { readError } from "internal/sql/mysql/handshake";
import type { Reader } from "internal/sql/mysql/packets";
import {
  EOF,
  ERR,
  LOCAL_INFILE,
  MAX_PAYLOAD,
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

interface OkPacket {
  affected: number | bigint;
  id: number | bigint;
  status: number;
}

const PREPARED = 0,
  PREPARED_PARAMETERS = 1,
  PREPARED_COLUMNS = 2,
  HEAD = 3,
  COLUMNS = 4,
  ROWS = 5;

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
  /** The answer was that to the preparation of a statement. */
  isPrepared = false;
  #task: Task | undefined;
  #traits: Traits;
  #phase = HEAD;
  /** Definitions that are still to come. */
  #left = 0;
  #columns = 0;
  /** Made when definitions come. */
  #list: Column[] = undefined as never;
  #packets: Uint8Array[] = undefined as never;
  #packetsLength = 0;
  #shape: Columns | undefined = undefined;
  #rows: SQLResultArray = undefined as never;
  /** The last result that is whole, and those before it if the text has several. */
  #last: SQLResultArray | undefined = undefined;
  #earlier: SQLResultArray[] | undefined = undefined;

  constructor(task: Task | undefined, statement: Statement | undefined, traits: Traits) {
    this.#task = task;
    this.statement = statement;
    this.#traits = traits;
  }

  expectPrepared(): void {
    this.#phase = PREPARED;
  }

  expectResult(): void {
    this.isPrepared = false;
    this.#phase = HEAD;
  }

  /** The rows of a cursor come without definitions. */
  expectRows(): void {
    this.#rows = new SQLResultArray();
    this.#begin(this.statement!.columns!);
  }

  /** The rows of the last result. */
  get rows(): SQLResultArray {
    return this.#rows;
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

  /** Behind its first byte. */
  static readOk(reader: Reader): OkPacket {
    const affected = reader.bigLength();
    const id = reader.bigLength();
    // Servers that are not quite MySQL may end here.
    const status = reader.end - reader.at >= 2 ? reader.uint16() : 0;
    return { affected, id, status };
  }

  /** Takes the packet that the reader is at. True if it was the last. */
  packet(reader: Reader): boolean {
    switch (this.#phase) {
      case ROWS:
        return this.#row(reader);
      case COLUMNS:
        return this.#column(reader);
      case HEAD:
        return this.#head(reader);
      case PREPARED:
        return this.#prepared(reader);
      default:
        return this.#preparedColumn(reader);
    }
  }

  #failed(reader: Reader): true {
    reader.uint8();
    this.error = readError(reader);
    return true;
  }

  // ---- a statement that is prepared

  #prepared(reader: Reader): boolean {
    this.isPrepared = true;
    const first = reader.bytes[reader.at];
    if (reader.at === reader.end)
      throw new ProtocolError("INVALID_PREPARE_OK_PACKET", "The server sent an empty packet");
    if (first === ERR) return this.#failed(reader);
    if (first !== OK || reader.end - reader.at < 9) {
      throw new ProtocolError(
        "INVALID_PREPARE_OK_PACKET",
        "The server answers the preparation of a statement with something else",
      );
    }
    reader.skip(1);
    const statement = this.statement!;
    statement.id = reader.uint32();
    this.#columns = reader.uint16();
    statement.parameters = this.#left = reader.uint16();
    this.#list = [];
    this.#packets = [];
    this.#packetsLength = 0;
    this.#phase = PREPARED_PARAMETERS;
    if (this.#left > 0) return false;
    return this.#parametersEnd();
  }

  #parametersEnd(): boolean {
    this.#phase = PREPARED_COLUMNS;
    this.#left = this.#columns;
    return this.#left === 0;
  }

  #preparedColumn(reader: Reader): boolean {
    if (this.#left > 0) {
      if (this.#phase === PREPARED_COLUMNS) this.#define(reader);
      if (--this.#left > 0 || this.#traits.hasEof) return false;
    } else if (reader.bytes[reader.at] !== EOF || reader.end === reader.at)
      throw malformed("definitions without an end");
    if (this.#phase === PREPARED_PARAMETERS) return this.#parametersEnd();
    this.statement!.columns = this.#defined();
    return true;
  }

  // ---- results

  #head(reader: Reader): boolean {
    const first = reader.bytes[reader.at];
    if (reader.at === reader.end) throw malformed("an empty packet");
    if (first === ERR) return this.#failed(reader);
    this.#rows = new SQLResultArray();
    if (first === OK) {
      reader.skip(1);
      const { affected, id, status } = Answer.readOk(reader);
      return this.#result(Number(affected), affected, id, status);
    }
    if (first === LOCAL_INFILE) {
      throw new ProtocolError("UNEXPECTED_PACKET", "The server asks for a file of this machine, which is refused");
    }
    this.#columns = this.#left = countOf(reader.length());
    // MariaDB says in one more byte whether definitions follow.
    if (this.#traits.isCached && reader.at < reader.end && reader.uint8() === 0) {
      const known = this.statement?.columns;
      if (known === undefined || known.list.length !== this.#left) throw malformed("definitions that were never sent");
      this.#left = 0;
      this.#shape = known;
      if (!this.#traits.hasEof) this.#begin(known);
    } else {
      this.#list = [];
      this.#packets = [];
      this.#packetsLength = 0;
    }
    if (this.#phase === HEAD) this.#phase = COLUMNS;
    return false;
  }

  #define(reader: Reader): void {
    const { at, end } = reader;
    if (this.#packetsLength + end - at <= MAX_KEPT) {
      // Kept as it is until it is known whether the columns are those of the last time.
      this.#packets.push(reader.bytes.subarray(at, end));
      this.#packetsLength += end - at;
    } else this.#packetsLength = Infinity;
    this.#list.push(readColumn(reader, this.#traits.isExtended));
  }

  #column(reader: Reader): boolean {
    if (this.#left > 0) {
      if (reader.end - reader.at < 1 || reader.bytes[reader.at] === ERR) return this.#failed(reader);
      this.#define(reader);
      if (--this.#left > 0) return false;
      this.#shape = this.#defined();
      if (this.#traits.hasEof) return false;
    } else if (reader.bytes[reader.at] !== EOF || reader.end === reader.at)
      throw malformed("definitions without an end");
    this.#begin(this.#shape!);
    // Rows of a cursor come when they are asked for.
    if (this.#traits.hasEof && reader.end - reader.at === 5) {
      reader.skip(3);
      const status = reader.uint16();
      if ((status & STATUS_CURSOR_EXISTS) !== 0) return this.#result(0, 0, 0, status);
    }
    return false;
  }

  /** The columns of the statement if they are the same, else new ones. */
  #defined(): Columns {
    const known = this.statement?.columns;
    const packets = this.#packetsLength <= MAX_KEPT ? Buffer.concat(this.#packets) : undefined;
    this.#packets = [];
    if (packets !== undefined && known?.packets?.equals(packets)) return known;
    const columns = new Columns(this.#list, packets, this.statement !== undefined, this.#traits.bigint);
    if (this.statement !== undefined) this.statement.columns = columns;
    return columns;
  }

  #begin(columns: Columns): void {
    this.#phase = ROWS;
    this.#shape = columns;
    if (this.#task === undefined) return;
    this.#rows.setOrigin(columns.originOf(this.#task.text));
  }

  #row(reader: Reader): boolean {
    const { at, end } = reader;
    const first = reader.bytes[at];
    if (at === end) throw malformed("an empty packet");
    // A row of the text protocol begins with these only if it has a value of 16 MiB, or never.
    if (first === EOF && end - at < MAX_PAYLOAD) {
      reader.skip(1);
      if (!this.#traits.hasEof) return this.#result(this.#rows.length, 0, 0, Answer.readOk(reader).status);
      if (end - at > 8) throw malformed("rows without an end");
      reader.skip(2);
      return this.#result(this.#rows.length, 0, 0, reader.uint16());
    }
    if (first === ERR) return this.#failed(reader);
    // Settings of the connection itself are nobody's.
    if (this.#task !== undefined) this.#shape!.read(this.#rows, reader, this.#task.mode, this.#task.column);
    return false;
  }

  #result(count: number, affected: number | bigint, id: number | bigint, status: number): boolean {
    this.status = status;
    if (this.#last !== undefined) (this.#earlier ??= []).push(this.#last);
    this.#last = finish(this.#rows, count, id, affected);
    this.#phase = HEAD;
    return (status & STATUS_MORE_RESULTS) === 0;
  }
}
