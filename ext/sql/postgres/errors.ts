/** Errors of PostgreSQL: the server's, with their fields, and the client's own. */

import { PostgresError } from "internal/sql/errors";

/** Names of the fields of ErrorResponse (https://www.postgresql.org/docs/current/protocol-error-fields.html). */
const FIELDS: Record<string, string> = {
  S: "severity",
  C: "errno",
  D: "detail",
  H: "hint",
  P: "position",
  p: "internalPosition",
  q: "internalQuery",
  W: "where",
  s: "schema",
  t: "table",
  c: "column",
  d: "dataType",
  n: "constraint",
  F: "file",
  L: "line",
  R: "routine",
};

/** The error of the client: `code` becomes ERR_POSTGRES_... */
export const postgresError = (code: string, message: string): PostgresError =>
  new PostgresError(message, { code: `ERR_POSTGRES_${code}` });

/** The error that a message of the server tells. */
export function serverError(body: Buffer): PostgresError {
  const fields: Record<string, string> = {};
  let message = "";
  for (let at = 0; at < body.length && body[at] !== 0;) {
    const end = body.indexOf(0, at);
    if (end < 0) break;
    const kind = String.fromCharCode(body[at]!);
    const text = body.utf8Slice(at + 1, end);
    if (kind === "M") message = text;
    const name = FIELDS[kind];
    if (name !== undefined) fields[name] = text;
    at = end + 1;
  }
  const code = fields.errno === "42601" ? "ERR_POSTGRES_SYNTAX_ERROR" : "ERR_POSTGRES_SERVER_ERROR";
  return new PostgresError(message, { ...fields, code });
}
