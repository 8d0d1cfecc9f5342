/** A statement: the server's number of it, the columns of its results, and how their rows are made. */

import { OBJECTS, RAW, type RowMode } from "internal/sql/adapter";
import { type Column, KIND_BLOB, KIND_JSON, KIND_UINT64 } from "internal/sql/mysql/columns";
import type { Origin } from "internal/sql/result";

const ops = native("sql");

/** Most ways of naming columns that a result keeps. */
const MAX_READERS = 8;

const NOTHING = new Uint8Array(0);

type Change = ((name: string) => string) | undefined;

/** Makes a value of what the native half gave. */
type Finish = (value: never) => unknown;

/** How rows are made, for one function that changes names. */
interface RowReader {
  change: Change;
  handle: Native.MysqlColumns;
  names: string[];
  /** Columns whose values are finished here. */
  unfinished: Unfinished[];
}

interface Unfinished {
  index: number;
  finish: Finish;
  /** Of columns with one name an object has the last. */
  isInObjects: boolean;
}

const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** JSON as a value; what the server takes for JSON although it is none stays text. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A number of 64 bits without a sign, which the native half gives as text. */
const unsigned = (value: unknown): unknown => (typeof value === "string" ? BigInt(value) : value);

function finishOf(kind: number, bigint: boolean): Finish | undefined {
  if (kind === KIND_JSON) return json;
  if (kind === KIND_BLOB) return buffer;
  return kind === KIND_UINT64 && bigint ? unsigned : undefined;
}

/** Columns of a result, with the functions that make rows of them. */
export class Columns {
  readonly list: readonly Column[];
  /** The packets of the definitions, each behind its length in four bytes: results with the same have these columns. */
  readonly packets: Buffer | undefined;
  readonly #isBinary: boolean;
  readonly #bigint: boolean;
  #readers: RowReader[] = [];
  #origin: Origin | undefined = undefined;

  constructor(list: readonly Column[], packets: Buffer | undefined, isBinary: boolean, bigint: boolean) {
    this.list = list;
    this.packets = packets;
    this.#isBinary = isBinary;
    this.#bigint = bigint;
  }

  /** What results of a statement tell of it; one result after the other has the same. */
  originOf(text: string): Origin {
    const origin = this.#origin;
    if (origin?.string === text) return origin;
    return (this.#origin = { string: text, types: [], columns: this.list });
  }

  #readerFor(change: Change): RowReader {
    for (const reader of this.#readers) if (reader.change === change) return reader;
    const { list } = this;
    const names = list.map(({ name }) => (change === undefined ? name : String(change(name))));
    const kinds = Uint8Array.from(list, ({ kind }) => kind);
    const decimals = Uint8Array.from(list, (column) => column.decimals);
    const unfinished: Unfinished[] = [];
    for (let index = 0; index < list.length; index++) {
      const finish = finishOf(list[index]!.kind, this.#bigint);
      const isInObjects = names.lastIndexOf(names[index]!) === index;
      if (finish !== undefined) unfinished.push({ index, finish, isInObjects });
    }
    const handle = ops.mysqlColumns(names, kinds, decimals, this.packets ?? NOTHING, this.#isBinary, this.#bigint);
    if (this.#readers.length >= MAX_READERS) this.#readers.shift();
    const reader = { change, handle, names, unfinished };
    this.#readers.push(reader);
    return reader;
  }

  /** What native code makes rows with; undefined if there are no columns. */
  handleFor(change: Change): Native.MysqlColumns | undefined {
    return this.list.length === 0 ? undefined : this.#readerFor(change).handle;
  }

  /** Finishes rows as native code gives them. */
  finish(rows: unknown[], mode: RowMode, change: Change): void {
    if (mode === RAW) {
      for (const row of rows as (Uint8Array | null)[][]) {
        for (let i = 0; i < row.length; i++) if (row[i] !== null) row[i] = buffer(row[i]!);
      }
      return;
    }
    const { names, unfinished } = this.#readerFor(change);
    for (const { index, finish, isInObjects } of unfinished) {
      if (mode === OBJECTS && !isInObjects) continue;
      const key = mode === OBJECTS ? names[index]! : index;
      for (const row of rows as Record<string | number, unknown>[]) {
        const value = row[key];
        if (value !== null) row[key] = finish(value as never);
      }
    }
  }
}

export class Statement {
  readonly text: string;
  /** The server's number. */
  id = 0;
  parameters = 0;
  /** Of the last result, or as the server told when it prepared. */
  columns: Columns | undefined = undefined;
  /** Why the server does not take it: a mistake of syntax, which stays one. */
  error: Error | undefined = undefined;

  constructor(text: string) {
    this.text = text;
  }
}
