/** What a statement gives: its rows, and what the server said of it. */

/** A column of a result: its name, and what the server says of it. */
interface ResultColumn {
  readonly name: string;
  readonly type?: number | string | undefined;
  readonly table?: number | string | undefined;
  readonly number?: number | undefined;
}

/** Rows with `count` and `command`; MySQL and SQLite also tell `lastInsertRowid` and `affectedRows`. */
export class SQLResultArray extends Array<unknown> {
  /** Rows that were given or changed; null as long as it is not known. */
  count: number | null = null;
  /** First word of the statement, in capitals; null if the server does not say. */
  command: string | null = null;
  lastInsertRowid: number | bigint | null = null;
  affectedRows: number | bigint | null = 0;

  #text = "";
  #types: readonly number[] = [];
  #columns: readonly ResultColumn[] = [];

  /** What `statement` and `columns` tell. */
  setOrigin(text: string, types: readonly number[], columns: readonly ResultColumn[]): void {
    this.#text = text;
    this.#types = types;
    this.#columns = columns;
  }

  /** The statement as it was sent, with the types of its parameters. */
  get statement(): { string: string; types: readonly number[]; columns: readonly ResultColumn[] } {
    return { string: this.#text, types: this.#types, columns: this.#columns };
  }

  get columns(): readonly ResultColumn[] {
    return this.#columns;
  }

  /** What `map`, `slice` and so on give is a plain array. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}
