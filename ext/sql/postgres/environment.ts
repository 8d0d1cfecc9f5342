/**
 * What libpq takes from the environment besides the address (https://www.postgresql.org/docs/current/libpq-envars.html), and the file of
 * passwords (https://www.postgresql.org/docs/current/libpq-pgpass.html).
 */

/** Settings that a connection begins with, by the variables that name them. */
const SETTINGS: Record<string, string> = {
  PGAPPNAME: "application_name",
  PGOPTIONS: "options",
  PGTZ: "TimeZone",
  PGDATESTYLE: "DateStyle",
};

/** Settings of the environment. */
export function settingsOfEnvironment(): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [variable, name] of Object.entries(SETTINGS)) {
    const value = process.env[variable];
    if (value) settings[name] = value;
  }
  return settings;
}

/** Options of TLS whose files the environment names; undefined if it names none. */
export function tlsOfEnvironment(): Record<string, unknown> | undefined {
  const { PGSSLROOTCERT, PGSSLCERT, PGSSLKEY } = process.env;
  const files: Record<string, unknown> = {};
  for (const [name, path] of Object.entries({ ca: PGSSLROOTCERT, cert: PGSSLCERT, key: PGSSLKEY })) {
    // "system" means the authorities of the system, which are the usual ones.
    if (path && path !== "system") files[name] = Bun.file(path);
  }
  return Object.keys(files).length > 0 ? files : undefined;
}

/** Fields of a line: a colon or a backslash within one has a backslash before it. */
function fieldsOf(line: string): string[] {
  const fields = [""];
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]!;
    if (letter === "\\" && at + 1 < line.length) fields[fields.length - 1] += line[++at]!;
    // The password is the rest, and may have colons.
    else if (letter === ":" && fields.length < 5) fields.push("");
    else fields[fields.length - 1] += letter;
  }
  return fields;
}

/** The password of the first line that fits; undefined if there is none. */
function passwordOfLines(text: string, wanted: readonly string[]): string | undefined {
  for (const line of text.split(/\r?\n/)) {
    if (line === "" || line.startsWith("#")) continue;
    const fields = fieldsOf(line);
    if (fields.length < 5) continue;
    if (wanted.every((value, i) => fields[i] === "*" || fields[i] === value)) return fields[4];
  }
  return undefined;
}

interface Server {
  hostname: string;
  port: number;
  path: string | undefined;
  database: string;
  username: string;
}

/**
 * The password that the file of `PGPASSFILE`, or else `~/.pgpass`, has for a server; "" if it has none. A file that others may read is not
 * used, as with libpq, and a warning says so.
 */
export function passwordOfFile({ hostname, port, path, database, username }: Server): string {
  const { readFileSync, statSync } = require("node:fs");
  const file = process.env.PGPASSFILE || require("node:path").join(require("node:os").homedir(), ".pgpass");
  let text: string;
  try {
    const status = statSync(file);
    if (!status.isFile()) return "";
    if ((status.mode & 0o077) !== 0) {
      const fix = "group or others can read it; its mode should be 0600";
      process.emitWarning(`The file of passwords ${JSON.stringify(file)} is not used: ${fix}`);
      return "";
    }
    text = readFileSync(file, "utf8");
  } catch {
    return "";
  }
  // A server on a socket of the system is that of this machine.
  const host = path === undefined ? hostname : hostname.startsWith("/") ? hostname : "localhost";
  return passwordOfLines(text, [host, String(port), database, username]) ?? "";
}
