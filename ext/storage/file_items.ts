/**
 * Items of a Storage in a file of SQLite, with the tables that Node makes (https://nodejs.org/api/globals.html#localstorage), so
 * that both can open one file. Names and values are UTF-16 as blobs: a string that is no valid Unicode stays what it is.
 */

import { type Items, quota } from "web/storage";

/** Milliseconds to wait for another process that writes. */
const BUSY_TIMEOUT = 5000;

/** What tells the trigger's refusal from SQLite's own errors. */
const REFUSED = "QuotaExceeded";

const size = (row: string): string => `octet_length(${row}.key) + octet_length(${row}.value)`;
const over = `SELECT raise(ABORT, '${REFUSED}') WHERE (SELECT total_size > max_size FROM nodejs_webstorage_state);`;

const trigger = (name: string, event: string, change: string, check: string): string => `
CREATE TRIGGER IF NOT EXISTS nodejs_quota_${name} AFTER ${event} ON nodejs_webstorage FOR EACH ROW BEGIN
  UPDATE nodejs_webstorage_state SET total_size = total_size + ${change};
  ${check}
END;`;

const schema = `
PRAGMA encoding = 'UTF-16le';
PRAGMA busy_timeout = ${BUSY_TIMEOUT};
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS nodejs_webstorage (key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (key)) STRICT;
CREATE TABLE IF NOT EXISTS nodejs_webstorage_state (
  max_size INTEGER NOT NULL DEFAULT ${quota},
  total_size INTEGER NOT NULL,
  schema_version INTEGER NOT NULL DEFAULT 0,
  single_row_ INTEGER NOT NULL DEFAULT 1 CHECK (single_row_ = 1),
  PRIMARY KEY (single_row_)
) STRICT;
INSERT OR IGNORE INTO nodejs_webstorage_state (total_size, schema_version) VALUES (0, 1);
${trigger("insert", "INSERT", size("NEW"), over)}
${trigger("update", "UPDATE", `(${size("NEW")}) - (${size("OLD")})`, over)}
${trigger("delete", "DELETE", `0 - (${size("OLD")})`, "")}`;

/** The bytes of a string as they are in the file. */
const toBlob = (text: string): Uint8Array => Buffer.from(text, "utf16le");

const fromBlob = (bytes: unknown): string => {
  const { buffer, byteOffset, byteLength } = bytes as Uint8Array;
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf16le");
};

/** What is used of node:sqlite. */
interface Statement {
  all(): unknown[];
  get(...values: Uint8Array[]): unknown;
  run(...values: Uint8Array[]): unknown;
}

interface Connection {
  exec(text: string): void;
  prepare(text: string): Statement;
}

/** Opens the file at once; each call reads or writes it, so that all processes see the same. Throws SQLite's errors. */
export class FileItems implements Items {
  readonly #count: Statement;
  readonly #names: Statement;
  readonly #read: Statement;
  readonly #write: Statement;
  readonly #delete: Statement;
  readonly #clear: Statement;

  constructor(path: string) {
    const { DatabaseSync } = require("node:sqlite") as unknown as { DatabaseSync: new (path: string) => Connection };
    const database = new DatabaseSync(path);
    database.exec(schema);
    this.#count = database.prepare("SELECT count(*) AS n FROM nodejs_webstorage");
    this.#names = database.prepare("SELECT key FROM nodejs_webstorage ORDER BY key");
    this.#read = database.prepare("SELECT value FROM nodejs_webstorage WHERE key = ?");
    this.#write = database.prepare(
      "INSERT INTO nodejs_webstorage (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    );
    this.#delete = database.prepare("DELETE FROM nodejs_webstorage WHERE key = ?");
    this.#clear = database.prepare("DELETE FROM nodejs_webstorage");
  }

  get size(): number {
    return Number((this.#count.get() as { n: number }).n);
  }

  get(name: string): string | undefined {
    const row = this.#read.get(toBlob(name)) as { value: Uint8Array } | undefined;
    return row === undefined ? undefined : fromBlob(row.value);
  }

  has(name: string): boolean {
    return this.#read.get(toBlob(name)) !== undefined;
  }

  keys(): string[] {
    return (this.#names.all() as { key: Uint8Array }[]).map(({ key }) => fromBlob(key));
  }

  set(name: string, value: string): boolean {
    try {
      this.#write.run(toBlob(name), toBlob(value));
    } catch (error) {
      if ((error as Error).message === REFUSED) return false;
      throw error;
    }
    return true;
  }

  delete(name: string): void {
    this.#delete.run(toBlob(name));
  }

  clear(): void {
    this.#clear.run();
  }
}
