/** The PostgreSQL adapter (https://www.postgresql.org/docs/current/protocol.html). */

import type { Adapter, Dialect } from "internal/sql/adapter";
import { PostgresConnection } from "internal/sql/postgres/connection";
import { postgresError } from "internal/sql/postgres/errors";

const quote = (name: string): string => `"${name.replaceAll('"', '""').replaceAll("\0", "")}"`;

function named(name: string): string {
  if (name.includes("'")) throw new Error("Distributed transaction name cannot contain single quotes.");
  return `'${name}'`;
}

const dialect: Dialect = {
  hasArrays: true,
  hasCopy: true,
  placeholder: (index) => `$${index}`,
  // "schema.table" are two names.
  identifier: (name) => name.split(".").map(quote).join("."),
  begin(options) {
    if (!/^[A-Za-z, ]*$/.test(options)) {
      throw new Error("Transaction options can only contain letters, spaces, and commas.");
    }
    return options === "" ? "BEGIN" : `BEGIN ${options}`;
  },
  commit: () => "COMMIT",
  rollback: () => "ROLLBACK",
  savepoint: (name) => `SAVEPOINT ${quote(name)}`,
  releaseSavepoint: (name) => `RELEASE SAVEPOINT ${quote(name)}`,
  rollbackToSavepoint: (name) => `ROLLBACK TO SAVEPOINT ${quote(name)}`,
  distributed(name) {
    return { begin: "BEGIN", prepare: [`PREPARE TRANSACTION ${named(name)}`], rollback: ["ROLLBACK"] };
  },
  commitDistributed: (name) => `COMMIT PREPARED ${named(name)}`,
  rollbackDistributed: (name) => `ROLLBACK PREPARED ${named(name)}`,
};

export const postgres: Adapter = {
  dialect,
  connect: (options, events) => new PostgresConnection(options, events),
  error: postgresError,
};
