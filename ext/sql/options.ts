/** Options of `SQL`: what a program gives, a URL, and the environment become one record. */

import {
  type AdapterName,
  type Options,
  TLS_DISABLE,
  TLS_PREFER,
  TLS_REQUIRE,
  TLS_VERIFY_CA,
  TLS_VERIFY_FULL,
} from "internal/sql/adapter";
import { passwordOfFile, settingsOfEnvironment, tlsOfEnvironment } from "internal/sql/postgres/environment";
import { parseSqlite, sqliteFile } from "internal/sql/sqlite/options";

type Given = Record<string, unknown>;

/** The options of a client: those of its connections, and of its pool. Times are in milliseconds. */
export interface ClientOptions extends Options {
  readonly max: number;
  readonly idleTimeout: number;
  readonly connectionTimeout: number;
  readonly maxLifetime: number;
  readonly onconnect: ((error: Error | null) => void) | undefined;
  readonly onclose: ((error: Error | null) => void) | undefined;
  readonly columnFrom: ((name: string) => string) | undefined;
  readonly columnTo: ((name: string) => string) | undefined;
}

/** Both forms: what is used, and what the property `options` of a client shows. */
export interface Parsed {
  used: ClientOptions;
  shown: Given;
}

const ADAPTERS = ["postgres", "sqlite", "mysql", "mariadb"];
const MAX_CONNECTIONS = 2 ** 31 - 1;
const MAX_SECONDS = Math.floor((2 ** 31 - 1) / 1000);

/** Variables with a URL: in the order in which they are asked. The adapter is that of the name, or else that of the URL. */
const URLS: [name: string, adapter: AdapterName | undefined, tls?: true][] = [
  ["POSTGRES_URL", "postgres"],
  ["DATABASE_URL", undefined],
  ["DATABASEURL", undefined],
  ["PGURL", "postgres"],
  ["PG_URL", "postgres"],
  ["MYSQL_URL", "mysql"],
  ["MYSQLURL", "mysql"],
  ["MARIADB_URL", "mariadb"],
  ["MARIADBURL", "mariadb"],
  ["SQLITE_URL", "sqlite"],
  ["SQLITEURL", "sqlite"],
  ["TLS_POSTGRES_DATABASE_URL", "postgres", true],
  ["TLS_DATABASE_URL", undefined, true],
  ["TLS_MYSQL_DATABASE_URL", "mysql", true],
  ["TLS_MARIADB_DATABASE_URL", "mariadb", true],
];

const SSL_MODES: Record<string, number> = {
  __proto__: null as never,
  disable: TLS_DISABLE,
  allow: TLS_PREFER,
  prefer: TLS_PREFER,
  require: TLS_REQUIRE,
  "verify-ca": TLS_VERIFY_CA,
  "verify-full": TLS_VERIFY_FULL,
};

function invalid(name: string, value: unknown, reason: string): TypeError {
  const error: NodeError = new TypeError(`The argument '${name}' ${reason}. Received ${Bun.inspect(value)}`);
  error.code = "ERR_INVALID_ARG_VALUE";
  return error as TypeError;
}

function sslModeOf(value: unknown): number {
  const mode = SSL_MODES[String(value).toLowerCase()];
  if (mode === undefined)
    throw invalid("sslmode", value, "must be one of: disable, prefer, require, verify-ca, verify-full");
  return mode;
}

function adapterOfProtocol(url: string): AdapterName | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]!.toLowerCase();
  if (scheme === "postgres" || scheme === "postgresql") return "postgres";
  if (scheme === "mysql" || scheme === "mysql2") return "mysql";
  if (scheme === "mariadb") return "mariadb";
  return undefined;
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A URL of a server; what has no protocol gets that of the adapter. */
function serverUrl(text: string, adapter: AdapterName): URL {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${adapter}://${text}`;
  try {
    return new URL(full);
  } catch {
    // The text may have a password, which stands in no message.
    throw invalid("url", "[REDACTED]", "must be a valid URL");
  }
}

const isObject = (value: unknown): value is Given => typeof value === "object" && value !== null;

/** The first that has a value. */
function first(...values: unknown[]): unknown {
  for (const value of values) if (value !== undefined && value !== null && value !== "") return value;
  return undefined;
}

function seconds(given: Given, names: string[]): number | undefined {
  const value = first(...names.map((name) => given[name]));
  if (value === undefined) return undefined;
  const time = Number(value);
  if (!(time >= 0) || time > MAX_SECONDS) {
    throw invalid(names[0]!, value, `must be a non-negative number of seconds up to ${MAX_SECONDS}`);
  }
  return time;
}

function callback(given: Given, name: string): ((error: Error | null) => void) | undefined {
  const value = given[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "function") throw invalid(name, value, "must be a function");
  return value as (error: Error | null) => void;
}

/** Text in which a setting cannot hide another. */
function setting(name: string, value: unknown): string {
  const text = String(value);
  if (text.includes("\0")) throw invalid(name.replaceAll("\0", "\\0"), text, "must not contain null bytes");
  return text;
}

interface Source {
  given: Given;
  url: string | undefined;
  adapter: AdapterName | undefined;
  fromTlsVariable: boolean;
}

/** What the arguments of `new SQL(...)` say. */
function sourceOf(first: unknown, second: unknown): Source {
  let given: Given = {};
  let url: string | undefined;
  if (typeof first === "string" || first instanceof URL) {
    url = String(first);
    if (isObject(second)) given = second;
    // What the options say wins over the argument.
    if (given.url !== undefined && given.url !== null) url = String(given.url);
  } else if (isObject(first)) {
    given = isObject(second) ? { ...first, ...second } : first;
  } else if (isObject(second)) given = second;
  const source: Source = { given, url, adapter: undefined, fromTlsVariable: false };
  const { adapter } = given;
  if (adapter !== undefined && adapter !== null) {
    if (typeof adapter !== "string" || !ADAPTERS.includes(adapter)) {
      throw new Error(
        `Unsupported adapter: ${String(adapter)}. Supported adapters: "postgres", "sqlite", "mysql", "mariadb"`,
      );
    }
    source.adapter = adapter as AdapterName;
  }
  if (source.url === undefined && given.url !== undefined && given.url !== null) source.url = String(given.url);
  const names = ["hostname", "host", "port", "username", "user", "path", "filename", "database", "db"];
  const isExplicit =
    source.url !== undefined || names.some((name) => given[name] !== undefined && given[name] !== null);
  const isServer = ["hostname", "host", "port", "path", "filename"].some((name) => given[name] !== undefined);
  if (source.url === undefined && !(isExplicit && isServer)) fromEnvironment(source);
  return source;
}

function fromEnvironment(source: Source): void {
  for (const [name, adapter, tls] of URLS) {
    const value = process.env[name];
    if (!value) continue;
    const kind = adapter ?? adapterOfProtocol(value) ?? (parseSqlite(value) ? "sqlite" : undefined);
    if (source.adapter !== undefined) {
      const isSame = kind === source.adapter || (kind === "mysql" && source.adapter === "mariadb");
      if (!isSame && !(adapter === undefined && kind === undefined)) continue;
    }
    source.url = value;
    source.adapter ??= kind;
    source.fromTlsVariable = tls === true;
    return;
  }
}

/** Throws TypeError or Error for options that are none. */
export function optionsOf(first: unknown, second: unknown): Parsed {
  const source = sourceOf(first, second);
  const { given, url } = source;
  let { adapter } = source;
  if (adapter === undefined) {
    if (url !== undefined) adapter = adapterOfProtocol(url) ?? (parseSqlite(url) ? "sqlite" : undefined);
    else if (given.filename !== undefined) adapter = "sqlite";
  } else checkProtocol(adapter, url, first);
  adapter ??= "postgres";
  return adapter === "sqlite" ? sqliteOptions(source) : serverOptions(source, adapter);
}

/** An adapter and a URL of another kind contradict each other, unless the URL is the environment's. */
function checkProtocol(adapter: AdapterName, url: string | undefined, first: unknown): void {
  if (url === undefined || !(typeof first === "string" || first instanceof URL || isObject(first))) return;
  if (isObject(first) && !(first instanceof URL) && first.url === undefined) return;
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]!.toLowerCase();
  if (scheme === undefined || scheme === "unix") return;
  const own = adapterOfProtocol(url) ?? (parseSqlite(url) ? "sqlite" : undefined);
  const isFamily = (adapter === "mysql" || adapter === "mariadb") && (own === "mysql" || own === "mariadb");
  if (own === undefined || own === adapter || isFamily || adapter === "sqlite") return;
  if (own === "sqlite") {
    throw new Error(`Invalid URL '${url}' for ${adapter}. Did you mean to specify \`{ adapter: "sqlite" }\`?`);
  }
  throw new Error(
    `Protocol '${scheme}' is not compatible with adapter '${adapter}'. Expected ${adapter === "postgres" ? "postgres, postgresql or unix" : "mysql, mysql2, mariadb or unix"}`,
  );
}

function common(given: Given): Pick<ClientOptions, "onconnect" | "onclose" | "columnFrom" | "columnTo"> {
  const { transform } = given;
  let columnFrom: unknown;
  let columnTo: unknown;
  if (isObject(transform)) {
    const { column } = transform;
    if (typeof column === "function") columnFrom = column;
    else if (isObject(column)) ({ from: columnFrom, to: columnTo } = column);
  }
  return {
    onconnect: callback(given, "onconnect"),
    onclose: callback(given, "onclose"),
    columnFrom: typeof columnFrom === "function" ? (columnFrom as ClientOptions["columnFrom"]) : undefined,
    columnTo: typeof columnTo === "function" ? (columnTo as ClientOptions["columnTo"]) : undefined,
  };
}

const NO_SERVER = {
  hostname: "",
  port: 0,
  path: undefined,
  username: "",
  password: "",
  database: "",
  tls: undefined,
  sslMode: TLS_DISABLE,
  channelBinding: "disable" as const,
  prepare: true,
  allowPublicKeyRetrieval: false,
  foundRows: false,
  connection: {},
  idleTimeout: 0,
  connectionTimeout: 0,
  maxLifetime: 0,
  max: 1,
};

function sqliteOptions({ given, url }: Source): Parsed {
  const { filename, rest } = sqliteFile(given, url);
  const shown: Given = { adapter: "sqlite", filename, ...rest };
  for (const name of ["onconnect", "onclose"]) if (given[name] !== undefined) shown[name] = given[name];
  const bigint = Boolean(given.bigint ?? given.safeIntegers);
  const used = {
    ...NO_SERVER,
    adapter: "sqlite" as const,
    bigint,
    filename: String(filename),
    sqlite: rest,
    ...common(given),
  };
  return { used, shown };
}

/** What a URL says of a server. */
interface Location {
  hostname?: string;
  port?: string;
  username?: string;
  password?: string;
  database?: string;
  path?: string;
  sslMode?: number;
  channelBinding?: string;
  settings: [string, string][];
}

function locationOf(text: string | undefined, adapter: AdapterName): Location {
  const settings: [string, string][] = [];
  if (text === undefined) return { settings };
  if (/^unix:\/\//i.test(text)) return { path: unescape(text.slice(7).split("?")[0]!), settings };
  const url = serverUrl(text, adapter);
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : unescape(url.hostname);
  const location: Location = {
    hostname: host,
    port: url.port,
    username: unescape(url.username),
    password: unescape(url.password),
    database: unescape(url.pathname.replace(/^\//, "")),
    settings,
  };
  for (const [name, value] of url.searchParams as unknown as Iterable<[string, string]>) {
    const key = name.toLowerCase();
    if (key === "sslmode" || key === "ssl-mode") location.sslMode = sslModeOf(value);
    else if (key === "channel_binding") location.channelBinding = value;
    else if (key === "path") location.path = value;
    else if (key === "host" && value.startsWith("/")) location.path = value;
    else settings.push([setting("connection", name), setting("connection", value)]);
  }
  return location;
}

/** The socket in a folder, if that is what the path is. */
function socketPath(path: string, adapter: AdapterName, port: number): string {
  if (adapter !== "postgres") return path;
  const { statSync } = require("node:fs");
  try {
    if (!statSync(path).isDirectory()) return path;
  } catch {
    return path;
  }
  return `${path}/.s.PGSQL.${port}`;
}

function tlsOf(given: Given): { tls: Given | undefined; mode: number | undefined } {
  const value = given.tls ?? given.ssl;
  if (value === undefined || value === null) return { tls: undefined, mode: undefined };
  if (typeof value === "boolean") return { tls: undefined, mode: value ? TLS_PREFER + 1 : TLS_DISABLE };
  if (typeof value === "string") return { tls: undefined, mode: sslModeOf(value) };
  if (!isObject(value)) throw invalid("tls", value, "must be an object, a boolean or a file");
  // A file is that of the authorities.
  if (value instanceof Blob) return { tls: { ca: value }, mode: TLS_REQUIRE };
  return { tls: value, mode: TLS_REQUIRE };
}

interface Environment {
  hostname: string | undefined;
  port: string | undefined;
  username: string | undefined;
  password: string | undefined;
  database: string | undefined;
  sslMode: string | undefined;
  channelBinding: string | undefined;
  /** Seconds. */
  timeout: string | undefined;
}

function environmentOf(adapter: AdapterName): Environment {
  const { env } = process;
  if (adapter === "postgres") {
    const { PGHOST, PGPORT, PGUSER, PGUSERNAME, PGPASSWORD, PGDATABASE, PGSSLMODE } = env;
    const { PGCHANNELBINDING, PGCONNECT_TIMEOUT } = env;
    return {
      hostname: PGHOST,
      port: PGPORT,
      username: PGUSER || PGUSERNAME,
      password: PGPASSWORD,
      database: PGDATABASE,
      sslMode: PGSSLMODE,
      channelBinding: PGCHANNELBINDING || undefined,
      timeout: PGCONNECT_TIMEOUT || undefined,
    };
  }
  const of = (name: string): string | undefined =>
    (adapter === "mariadb" ? env[`MARIADB_${name}`] : undefined) || env[`MYSQL_${name}`];
  return {
    hostname: of("HOST"),
    port: of("PORT"),
    username: of("USER"),
    password: of("PASSWORD"),
    database: of("DATABASE"),
    sslMode: undefined,
    channelBinding: undefined,
    timeout: undefined,
  };
}

function portOf(value: unknown, adapter: AdapterName): number {
  const port = Number(value ?? (adapter === "postgres" ? 5432 : 3306));
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw invalid("port", value, "must be a non-negative integer between 1 and 65535");
  }
  return port;
}

function maxOf(given: Given): number {
  const value = given.max;
  if (value === undefined || value === null) return 10;
  const max = Number(value);
  if (!Number.isInteger(max) || max < 1 || max > MAX_CONNECTIONS) {
    throw invalid("max", value, `must be a non-negative integer between 1 and ${MAX_CONNECTIONS}`);
  }
  return max;
}

function serverOptions(source: Source, adapter: AdapterName): Parsed {
  const { given, url } = source;
  const location = locationOf(url, adapter);
  // A URL is of one server: the environment's parts belong to another.
  const env = url === undefined ? environmentOf(adapter) : ({} as Partial<Environment>);
  const { USER, USERNAME } = process.env;
  const port = portOf(first(given.port, location.port, env.port), adapter);
  const owner = adapter === "postgres" ? "postgres" : "root";
  const hostname = String(first(given.hostname, given.host, location.hostname, env.hostname) ?? "localhost");
  const username = String(first(given.username, given.user, location.username, env.username, USER, USERNAME) ?? owner);
  const password = (first(given.password, given.pass, location.password, env.password) ?? "") as string;
  const isPostgres = adapter === "postgres";
  const named = first(given.database, given.db, location.database, env.database);
  const database = String(named ?? (adapter === "postgres" ? username : "mysql"));
  for (const [name, value] of Object.entries({ hostname, username, database })) setting(name, value);
  if (typeof password === "string") setting("password", password);

  let path = first(given.path, location.path) as string | undefined;
  if (path === undefined && hostname.startsWith("/")) path = hostname;
  if (path !== undefined) path = socketPath(setting("path", path), adapter, port);

  const { tls: ownTls, mode } = tlsOf(given);
  const tls = ownTls ?? (isPostgres && url === undefined ? tlsOfEnvironment() : undefined);
  let sslMode = location.sslMode;
  sslMode ??= env.sslMode ? sslModeOf(env.sslMode) : undefined;
  if (mode !== undefined && (mode === TLS_DISABLE || sslMode === undefined || sslMode < TLS_REQUIRE)) sslMode = mode;
  if (source.fromTlsVariable && (sslMode ?? 0) < TLS_REQUIRE) sslMode = TLS_REQUIRE;
  if (given.sslMode !== undefined) sslMode = Number(given.sslMode);
  sslMode ??= TLS_DISABLE;

  const connection: Record<string, string> = isPostgres && url === undefined ? settingsOfEnvironment() : {};
  for (const [name, value] of location.settings) connection[name] = value;
  const { connection: settings } = given;
  if (settings !== undefined && settings !== null) {
    if (!isObject(settings)) throw invalid("connection", settings, "must be an object");
    for (const [name, value] of Object.entries(settings)) {
      if (value !== undefined && value !== null) connection[setting("connection", name)] = setting("connection", value);
    }
  }
  const query = Object.entries(connection)
    .map(([name, value]) => `${name}\0${value}\0`)
    .join("");

  const channelBinding = String(given.channelBinding ?? location.channelBinding ?? env.channelBinding ?? "disable");
  if (channelBinding !== "disable" && channelBinding !== "prefer" && channelBinding !== "require") {
    throw invalid("channelBinding", channelBinding, "must be one of: disable, prefer, require");
  }
  const idleTimeout = seconds(given, ["idleTimeout", "idle_timeout"]);
  const connectionTimeout =
    seconds(given, ["connectionTimeout", "connection_timeout", "connectTimeout", "connect_timeout"]) ??
    seconds({ PGCONNECT_TIMEOUT: env.timeout }, ["PGCONNECT_TIMEOUT"]);
  const maxLifetime = seconds(given, ["maxLifetime", "max_lifetime"]);
  const prepare = given.prepare !== false;
  const max = maxOf(given);
  const { bigint, onconnect, onclose, transform } = given;
  const used: ClientOptions = {
    // The file is looked at when a server asks for a password.
    password: isPostgres && password === "" ? () => passwordOfFile(used) : password,
    ...{ adapter, hostname, port, path, username, database, tls, sslMode, channelBinding, prepare, max },
    bigint: Boolean(bigint),
    allowPublicKeyRetrieval: Boolean(given.allowPublicKeyRetrieval),
    foundRows: Boolean(given.foundRows),
    connection,
    filename: "",
    sqlite: {},
    idleTimeout: (idleTimeout ?? 0) * 1000,
    connectionTimeout: (connectionTimeout ?? 30) * 1000,
    maxLifetime: (maxLifetime ?? 0) * 1000,
    ...common(given),
  };
  const shown: Given = {
    ...{ adapter, hostname, port, username, password, database, tls: given.tls ?? given.ssl, prepare },
    ...{ allowPublicKeyRetrieval: used.allowPublicKeyRetrieval, foundRows: used.foundRows, channelBinding },
    ...{ bigint, sslMode, query, max },
  };
  const more = { path, idleTimeout, connectionTimeout, maxLifetime, onconnect, onclose, transform };
  for (const [name, value] of Object.entries(more)) if (value !== undefined) shown[name] = value;
  return { used, shown };
}
