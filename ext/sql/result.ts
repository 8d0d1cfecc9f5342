/** What a statement gives: its rows, and what the server said of it. */

/** Rows with `count` and `command`; MySQL and SQLite also tell `lastInsertRowid` and `affectedRows`. */
export class SQLResultArray extends Array<unknown> {
  /** Rows that were given or changed; null as long as it is not known. */
  declare count: number | null;
  /** First word of the statement, in capitals; null if the server does not say. */
  declare command: string | null;
  declare lastInsertRowid?: number | bigint | null;
  declare affectedRows?: number | bigint | null;

  /** What `map`, `slice` and so on give is a plain array. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}
