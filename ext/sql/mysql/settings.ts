/** Statements with which a connection begins. */

import { mysqlError } from "internal/sql/mysql/error";
import { ER_UNKNOWN_SYSTEM_VARIABLE } from "internal/sql/mysql/protocol";

/** Dates come and go in UTC; a setting of the program's can change that. */
const FIRST = "SET time_zone = '+00:00'";

function literal(value: string): string {
  if (/^-?\d{1,18}(\.\d{1,18})?$/.test(value)) return value;
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

/** The option `connection`, and the parameters of a URL: variables of the session. Throws MySQLError for what is no name of one. */
export function settingsOf(settings: Readonly<Record<string, string>>): string[] {
  const texts = [FIRST];
  for (const [name, value] of Object.entries(settings)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw mysqlError(
        "CONNECTION_FAILED",
        `The option connection has a name that no variable of the server has: ${JSON.stringify(name)}`,
      );
    }
    texts.push(`SET SESSION ${name} = ${literal(value)}`);
  }
  return texts;
}

/**
 * URLs have parameters for other clients (`?connectionLimit=10`): what the server has no variable for is no reason not to connect, as in
 * Bun. A value that the server refuses is one.
 */
settingsOf.isHarmless = (error: Error): boolean => (error as { errno?: number }).errno === ER_UNKNOWN_SYSTEM_VARIABLE;
