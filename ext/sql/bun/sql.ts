/** `Bun.SQL`, `Bun.sql` and `Bun.postgres` (https://bun.com/docs/runtime/sql). */

import { makeClient, type Sql } from "internal/sql/client";
import { MySQLError, PostgresError, SQLError, SQLiteError } from "internal/sql/errors";
import * as names from "internal/sql/names";

/** A client of a server: a function for tagged templates. */
export const SQL = function SQL(first?: unknown, second?: unknown): Sql {
  return makeClient([first, second]);
} as unknown as new (first?: unknown, second?: unknown) => Sql;
Object.defineProperty(SQL, "length", { value: 0, configurable: true });
Object.assign(SQL, { SQLError, PostgresError, SQLiteError, MySQLError, ...names.shown });

/** A client of the server that the environment names; it connects with its first query. */
export const sql = makeClient([], true);
export const postgres = sql;
