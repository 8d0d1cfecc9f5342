/** What is known of a statement on one connection: its name, the types of its parameters, its columns. */

import type { RowMode } from "internal/sql/adapter";
import { RAW, VALUES } from "internal/sql/adapter";
import { type Decoder, decoderOf } from "internal/sql/postgres/types";

export interface Column {
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

/** The columns of a result, and how its rows are made. */
export class Columns {
  readonly list: Column[];
  #decoders: Decoder[] | undefined = undefined;
  #isBig: boolean;
  #isTyped: boolean;
  constructor(list: Column[], isBig: boolean, isTyped: boolean) {
    this.list = list;
    this.#isBig = isBig;
    this.#isTyped = isTyped;
  }

  static readonly none = new Columns([], false, false);

  get decoders(): Decoder[] {
    return (this.#decoders ??= this.list.map(({ type }) => decoderOf(type, this.#isBig, this.#isTyped)));
  }

  #names: string[] | undefined = undefined;
  #changed: ((name: string) => string) | undefined = undefined;

  names(change: ((name: string) => string) | undefined): string[] {
    if (this.#names === undefined || this.#changed !== change) {
      this.#changed = change;
      this.#names = this.list.map(({ name }) => (change === undefined ? name : change(name)));
    }
    return this.#names;
  }

  /** The row of a message: `at` is the place of the number of values. Throws RangeError for a message that ends too early. */
  row(bytes: Buffer, at: number, end: number, mode: RowMode, change: ((name: string) => string) | undefined): unknown {
    const count = (bytes[at]! << 8) | bytes[at + 1]!;
    const { decoders } = this;
    if (count !== decoders.length) throw new RangeError("A row has another number of values than columns");
    const names = this.names(change);
    const values: unknown[] = [];
    const row: Record<string, unknown> = {};
    at += 2;
    for (let i = 0; i < count; i++) {
      if (at + 4 > end) throw new RangeError("A row ends too early");
      const size = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
      at += 4;
      if (size > end - at || size < -1) throw new RangeError("A row ends too early");
      let value: unknown = null;
      if (size >= 0) {
        value = mode === RAW ? Buffer.from(bytes.subarray(at, at + size)) : decoders[i]!(bytes, at, at + size);
        at += size;
      }
      if (mode === 0) row[names[i]!] = value;
      else values.push(value);
    }
    return mode === RAW || mode === VALUES ? values : row;
  }
}

/** The columns that a RowDescription tells. */
export function readColumns(body: Buffer): Column[] {
  const list: Column[] = [];
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
    at = end + 19;
  }
  return list;
}
