/** What is known of a statement on one connection: its name, the types of its parameters, its columns. */

import { OBJECTS, RAW, type RowMode } from "internal/sql/adapter";
import type { Origin } from "internal/sql/result";
import { formatOf, type Finish, readingOf } from "internal/sql/postgres/kinds";

const ops = native("sql");

const NO_TYPES: readonly number[] = [];

interface Column {
  name: string;
  type: number;
  table: number;
  number: number;
}

/** States of a statement: not sent, sent, and known to the server. */
export const FRESH = 0,
  PARSING = 1,
  PARSED = 2;

export class Prepared {
  /** "" for one that is not kept. */
  readonly name: string;
  readonly text: string;
  /** Types that the server was told. */
  readonly types: number[];
  state = FRESH;
  /** Types that the server expects; undefined as long as they are not known. */
  parameters: number[] | undefined = undefined;
  /** undefined as long as they are not known; empty if it gives no rows. */
  columns: Columns | undefined = undefined;
  constructor(name: string, text: string, types: number[]) {
    this.name = name;
    this.text = text;
    this.types = types;
  }
}

type Change = ((name: string) => string) | undefined;

/** How the rows of a result are made, for one function that changes names. */
interface Reader {
  change: Change;
  handle: Native.Columns;
  names: string[];
  /** Columns whose values are finished here. */
  unfinished: { index: number; finish: Finish }[];
}

/** The columns of a result, and how its rows are made. */
export class Columns {
  readonly list: Column[];
  #formats: readonly number[];
  #isBig: boolean;
  #isTyped: boolean;
  #reader: Reader | undefined = undefined;
  #asked: Columns | undefined = undefined;
  #origin: Origin | undefined = undefined;

  constructor(list: Column[], formats: readonly number[], isBig: boolean, isTyped: boolean) {
    this.list = list;
    this.#formats = formats;
    this.#isBig = isBig;
    this.#isTyped = isTyped;
  }

  static readonly none = new Columns([], [], false, false);

  /** The same columns in the formats that are asked for once they are known. */
  get asked(): Columns {
    return (this.#asked ??= new Columns(
      this.list,
      this.list.map(({ type }) => formatOf(type)),
      this.#isBig,
      this.#isTyped,
    ));
  }

  get formats(): readonly number[] {
    return this.#formats;
  }

  #readerFor(change: Change): Reader {
    const reader = this.#reader;
    if (reader !== undefined && reader.change === change) return reader;
    const names = this.list.map(({ name }) => (change === undefined ? name : change(name)));
    const unfinished: Reader["unfinished"] = [];
    const kinds = new Uint8Array(names.length);
    for (let index = 0; index < names.length; index++) {
      const { kind, finish } = readingOf(this.list[index]!.type, this.#formats[index] ?? 0, this.#isBig, this.#isTyped);
      kinds[index] = kind;
      if (finish !== undefined) unfinished.push({ index, finish });
    }
    return (this.#reader = { change, handle: ops.columns(names, kinds), names, unfinished });
  }

  /** What results of a statement tell of it; one result after the other has the same. */
  originOf(text: string, parameters: readonly number[] = NO_TYPES): Origin {
    const origin = this.#origin;
    if (origin !== undefined && origin.string === text && origin.types === parameters) return origin;
    return (this.#origin = { string: text, types: parameters, columns: this.list });
  }

  /** What native code makes rows with. */
  handleFor(change: Change): Native.Columns {
    return this.#readerFor(change).handle;
  }

  /** Finishes rows as native code gives them. Throws what a value is refused with. */
  finish(rows: unknown[], mode: RowMode, change: Change): void {
    const { names, unfinished } = this.#readerFor(change);
    if (mode === RAW) {
      for (const row of rows as (Uint8Array | null)[][]) {
        for (let i = 0; i < row.length; i++) {
          const value = row[i];
          if (value) row[i] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
        }
      }
      return;
    }
    for (const { index, finish } of unfinished) {
      const key = mode === OBJECTS ? names[index]! : index;
      // Of columns with one name the last is seen.
      if (mode === OBJECTS && names.lastIndexOf(key as string) !== index) continue;
      for (const row of rows as Record<string | number, unknown>[]) {
        const value = row[key];
        if (value !== null) row[key] = finish(value as never);
      }
    }
  }
}

/** The columns that a RowDescription tells, and their formats. */
export function readColumns(body: Buffer): { list: Column[]; formats: number[] } {
  const list: Column[] = [];
  const formats: number[] = [];
  const count = body.readUInt16BE(0);
  let at = 2;
  for (let i = 0; i < count; i++) {
    const end = body.indexOf(0, at);
    if (end < 0) throw new RangeError("A name does not end");
    const name = body.utf8Slice(at, end);
    const table = body.readUInt32BE(end + 1);
    const number = body.readUInt16BE(end + 5);
    const type = body.readUInt32BE(end + 7);
    list.push({ name, type, table, number });
    formats.push(body.readUInt16BE(end + 17));
    at = end + 19;
  }
  return { list, formats };
}
