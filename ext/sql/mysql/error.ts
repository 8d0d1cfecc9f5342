/** Errors of the MySQL adapter. */

import { MySQLError } from "internal/sql/errors";
import { ER_PARSE_ERROR, ER_SYNTAX_ERROR } from "internal/sql/mysql/protocol";

/** An error of the client: its code begins with ERR_MYSQL_. */
export function mysqlError(code: string, message: string): MySQLError {
  return new MySQLError(message, { code: `ERR_MYSQL_${code}` });
}

/** An error that the server sent. */
export function serverError(errno: number, sqlState: string | undefined, message: string): MySQLError {
  const isSyntax = errno === ER_PARSE_ERROR || errno === ER_SYNTAX_ERROR;
  return new MySQLError(message, {
    code: isSyntax ? "ERR_MYSQL_SYNTAX_ERROR" : "ERR_MYSQL_SERVER_ERROR",
    errno,
    sqlState,
  });
}

/** The server says what the protocol does not have; the connection is of no use then. */
export class ProtocolError extends Error {
  readonly kind: string;
  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

export function malformed(what: string): ProtocolError {
  return new ProtocolError("MALFORMED_PACKET", `Malformed packet: ${what}`);
}
