/** Errors of SQL with Bun's names: `SQL.SQLError` and one class for each kind of server. */

import { hostAndPort } from "internal/net/ip";

/** What the classes have in common. */
export class SQLError extends Error {
  /** Who was refused, and by which server: of an error of the authentication. */
  declare username?: string;
  declare address?: string;
  constructor(message: string) {
    super(message);
    define(this, "name", "SQLError");
  }
}

type Fields = Record<string, unknown>;

function define(error: object, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, writable: true, enumerable: name !== "name", configurable: true });
}

/** Says who was refused where. */
export function nameRefused(error: SQLError, options: RefusedOptions): void {
  const { hostname, port, path, username } = options;
  error.username = username;
  error.address = path ?? hostAndPort(hostname, port);
}

interface RefusedOptions {
  readonly hostname: string;
  readonly port: number;
  readonly path: string | undefined;
  readonly username: string;
}

/** Sets those fields that have a value. */
function assign(error: object, fields: Fields, names: readonly string[]): void {
  for (const name of names) if (fields[name] !== undefined) define(error, name, fields[name]);
}

/** Fields of PostgreSQL's ErrorResponse beside the message. */
const POSTGRES_FIELDS = [
  ...["errno", "detail", "hint", "severity", "position", "internalPosition", "internalQuery", "where", "schema"],
  ...["table", "column", "dataType", "constraint", "file", "line", "routine"],
] as const;

/** `code` is ERR_POSTGRES_..., `errno` the SQLSTATE if the server sent the error. */
export class PostgresError extends SQLError {
  declare code: string;
  declare errno?: string;
  declare severity?: string;
  declare routine?: string;
  constructor(message: string, options: Fields) {
    super(message);
    define(this, "name", "PostgresError");
    define(this, "code", options.code);
    assign(this, options, POSTGRES_FIELDS);
  }
}

/** `code` is ERR_MYSQL_..., `errno` the server's number. */
export class MySQLError extends SQLError {
  declare code: string;
  declare errno?: number;
  declare sqlState?: string;
  constructor(message: string, options: Fields) {
    super(message);
    define(this, "name", "MySQLError");
    define(this, "code", options.code);
    assign(this, options, ["errno", "sqlState"]);
  }
}

/** `code` is SQLITE_..., `errno` SQLite's number. */
export class SQLiteError extends SQLError {
  declare code: string;
  declare errno: number;
  declare byteOffset?: number;
  constructor(message: string, options: Fields) {
    super(message);
    define(this, "name", "SQLiteError");
    define(this, "code", options.code);
    define(this, "errno", options.errno);
    assign(this, options, ["byteOffset"]);
  }
}
