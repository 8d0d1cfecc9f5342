/** What a statement gives: its rows, and what the server said of it. */

/** A column of a result: its name, and what the server says of it. */
interface ResultColumn {
  readonly name: string;
  readonly type?: number | string | undefined;
  readonly table?: number | string | undefined;
  readonly number?: number | undefined;
}

/** Where a result comes from: results of one statement share it. */
export interface Origin {
  readonly string: string;
  readonly types: readonly number[];
  readonly columns: readonly ResultColumn[];
}

const NO_ORIGIN: Origin = { string: "", types: [], columns: [] };

/** Rows with `count` and `command`; MySQL and SQLite also tell `lastInsertRowid` and `affectedRows`. */
export class SQLResultArray extends Array<unknown> {
  /** Rows that were given or changed; null as long as it is not known. */
  count: number | null = null;
  /** First word of the statement, in capitals; null if the server does not say. */
  command: string | null = null;
  lastInsertRowid: number | bigint | null = null;
  affectedRows: number | bigint | null = 0;

  #origin: Origin | undefined = undefined;

  /** What `statement` and `columns` tell. */
  setOrigin(origin: Origin): void {
    this.#origin = origin;
  }

  /** The statement as it was sent, with the types of its parameters. */
  get statement(): Origin {
    const { string, types, columns } = this.#origin ?? NO_ORIGIN;
    return { string, types, columns };
  }

  get columns(): readonly ResultColumn[] {
    return (this.#origin ?? NO_ORIGIN).columns;
  }

  /** What `map`, `slice` and so on give is a plain array. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}
