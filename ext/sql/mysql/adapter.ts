/** The adapter of MySQL and MariaDB. */

import type { Adapter, Dialect } from "internal/sql/adapter";
import { MySQLConnection } from "internal/sql/mysql/connection";
import { mysqlError } from "internal/sql/mysql/error";

const quoted = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

/** A name of a distributed transaction as a string of SQL. */
function xid(name: string): string {
  if (/['\\\0]/.test(name))
    throw new Error("Distributed transaction name cannot contain single quotes, backslashes or null bytes");
  return `'${name}'`;
}

const dialect: Dialect = {
  placeholder: () => "?",
  identifier: quoted,
  begin(options) {
    if (options === "") return "START TRANSACTION";
    return `START TRANSACTION ${options}`;
  },
  commit: () => "COMMIT",
  rollback: () => "ROLLBACK",
  savepoint: (name) => `SAVEPOINT ${quoted(name)}`,
  releaseSavepoint: (name) => `RELEASE SAVEPOINT ${quoted(name)}`,
  rollbackToSavepoint: (name) => `ROLLBACK TO SAVEPOINT ${quoted(name)}`,
  distributed(name) {
    const id = xid(name);
    return {
      begin: `XA START ${id}`,
      prepare: [`XA END ${id}`, `XA PREPARE ${id}`],
      rollback: [`XA END ${id}`, `XA ROLLBACK ${id}`],
    };
  },
  commitDistributed: (name) => `XA COMMIT ${xid(name)}`,
  rollbackDistributed: (name) => `XA ROLLBACK ${xid(name)}`,
  hasArrays: false,
};

export const mysql: Adapter = {
  dialect,
  connect: (options, events) => new MySQLConnection(options, events),
  error: mysqlError,
};
