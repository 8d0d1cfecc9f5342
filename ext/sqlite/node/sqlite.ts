/** node:sqlite (https://nodejs.org/api/sqlite.html). */
import { own } from "internal/events/async_context";
import { codes } from "internal/core/errors";
import { copyDatabase } from "internal/sqlite/backup";
import {
  type Callable,
  BARE_NAMES,
  SQLITE_DETERMINISTIC,
  SQLITE_DIRECTONLY,
  SQLITE_OPEN_CREATE,
  SQLITE_OPEN_READONLY,
  SQLITE_OPEN_READWRITE,
  SQLITE_OPEN_URI,
} from "internal/sqlite/constants";
import {
  argumentError,
  callback,
  databasePath,
  flag,
  needInteger,
  needType,
  optionsOf,
  stateError,
  text,
} from "internal/sqlite/node_checks";
import { constants } from "internal/sqlite/node_constants";
import { limitsObject, limitsOf } from "internal/sqlite/node_limits";
import { StatementSync, prepareStatement, statementFlags } from "internal/sqlite/node_statement";
import { Session, createSession } from "internal/sqlite/session";
import { SQLTagStore } from "internal/sqlite/tag_store";

const ops = native("sqlite");

/** Switches of sqlite3_db_config. */
const CONFIG_FOREIGN_KEYS = 1002,
  CONFIG_DEFENSIVE = 1010,
  CONFIG_DOUBLE_QUOTES_DML = 1013,
  CONFIG_DOUBLE_QUOTES_DDL = 1014;

/** How many statements a tag store keeps unless it is told. */
const TAG_STORE_CAPACITY = 1000;

const WRITABLE = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;

/** The connection of a database that is open; an error if it is not. Set by the class below. */
let handleOf: (database: unknown) => Native.Connection;

/** Settings of a connection, made of the options of the constructor. */
interface Settings {
  path: string | Uint8Array;
  flags: number;
  statementFlags: number;
  hasForeignKeys: boolean;
  hasDoubleQuotes: boolean;
  isDefensive: boolean;
  allowsExtensions: boolean;
  timeout: number;
  limits: [number, number][];
}

function settingsOf(path: unknown, options: unknown): [Settings, boolean] {
  const checked = databasePath(path);
  const given = optionsOf(options);
  const isOpen = flag(given, "open", true);
  const isReadOnly = flag(given, "readOnly", false);
  const hasForeignKeys = flag(given, "enableForeignKeyConstraints", true);
  const hasDoubleQuotes = flag(given, "enableDoubleQuotedStringLiterals", false);
  const allowsExtensions = flag(given, "allowExtension", false);
  const timeout = given?.timeout ?? 0;
  needInteger(timeout, "options.timeout");
  const settings = {
    path: checked,
    flags: isReadOnly ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : WRITABLE,
    statementFlags: statementFlags(options, BARE_NAMES),
    hasForeignKeys,
    hasDoubleQuotes,
    allowsExtensions,
    timeout,
    isDefensive: flag(given, "defensive", true),
    limits: limitsOf(given?.limits),
  };
  return [settings, isOpen];
}

class Database {
  #settings: Settings;
  #handle: Native.Connection | undefined;
  #mayLoad: boolean;
  #limits: object | undefined;

  constructor(path: unknown, options: unknown) {
    const [settings, isOpen] = settingsOf(path, options);
    own(this as Database, (database) => database[Symbol.dispose]());
    this.#settings = settings;
    this.#mayLoad = settings.allowsExtensions;
    if (isOpen) this.open();
  }

  static {
    handleOf = (database) => (database as Database).#open();
  }

  #open(): Native.Connection {
    const handle = this.#handle;
    if (handle === undefined) throw stateError("database is not open");
    return handle;
  }

  get isOpen(): boolean {
    return this.#handle !== undefined;
  }

  get isTransaction(): boolean {
    return ops.inTransaction(this.#open());
  }

  get limits(): object {
    return (this.#limits ??= limitsObject(() => this.#open()));
  }

  open(): void {
    if (this.#handle !== undefined) throw stateError("database is already open");
    const settings = this.#settings;
    const handle = ops.open(settings.path, settings.flags, true);
    ops.configure(handle, CONFIG_FOREIGN_KEYS, settings.hasForeignKeys);
    ops.configure(handle, CONFIG_DOUBLE_QUOTES_DML, settings.hasDoubleQuotes);
    ops.configure(handle, CONFIG_DOUBLE_QUOTES_DDL, settings.hasDoubleQuotes);
    ops.configure(handle, CONFIG_DEFENSIVE, settings.isDefensive);
    ops.busyTimeout(handle, settings.timeout);
    for (const [which, value] of settings.limits) ops.limit(handle, which, value);
    this.#handle = handle;
  }

  close(): void {
    ops.close(this.#open());
    this.#handle = undefined;
  }

  [Symbol.dispose](): void {
    if (this.#handle !== undefined) this.close();
  }

  location(...given: [unknown?]): string | null {
    const handle = this.#open();
    const schema = given.length === 0 ? "main" : given[0];
    needType(schema, "dbName", "string");
    return ops.location(handle, schema as string) ?? null;
  }

  prepare(sql: unknown, options: unknown = undefined): StatementSync {
    const handle = this.#open();
    needType(sql, "sql", "string");
    return prepareStatement(handle, sql as string, statementFlags(options, this.#settings.statementFlags));
  }

  exec(sql: unknown): void {
    const handle = this.#open();
    needType(sql, "sql", "string");
    ops.exec(handle, sql as string, undefined, 0);
  }

  createTagStore(capacity: unknown = undefined): SQLTagStore {
    this.#open();
    const most = typeof capacity === "number" ? Math.trunc(capacity) : TAG_STORE_CAPACITY;
    return new SQLTagStore(this, most);
  }

  function(name: unknown, ...given: [unknown?, unknown?]): void {
    const handle = this.#open();
    needType(name, "name", "string");
    const hasOptions = given.length > 1;
    const body = given[hasOptions ? 1 : 0];
    const options = hasOptions ? given[0] : undefined;
    if (hasOptions) needType(options, "options", "object");
    const checked = optionsOf(options);
    const big = flag(checked, "useBigIntArguments", false);
    const takesAny = flag(checked, "varargs", false);
    const flags =
      (flag(checked, "deterministic", false) ? SQLITE_DETERMINISTIC : 0) |
      (flag(checked, "directOnly", false) ? SQLITE_DIRECTONLY : 0);
    needType(body, "function", "function");
    const count = takesAny ? -1 : (body as Callable).length;
    ops.defineFunction(handle, name as string, count, flags, big, body as Callable);
  }

  aggregate(name: unknown, options: unknown): void {
    const handle = this.#open();
    needType(name, "name", "string");
    needType(options, "options", "object");
    const given = optionsOf(options)!;
    const { start } = given;
    if (start === undefined) {
      throw argumentError('The "options.start" argument must be a function or a primitive value.');
    }
    const step = given.step;
    needType(step, "options.step", "function");
    const result = given.result === undefined ? undefined : callback(given, "result");
    const big = flag(given, "useBigIntArguments", false);
    const takesAny = flag(given, "varargs", false);
    const flags = flag(given, "directOnly", false) ? SQLITE_DIRECTONLY : 0;
    const inverse = callback(given, "inverse");
    // The first parameter is the value so far.
    const count = takesAny ? -1 : Math.max((step as Callable).length, inverse?.length ?? 0) - 1;
    ops.defineFunction(handle, name as string, count, flags, big, [start, step, inverse, result]);
  }

  createSession(options: unknown = undefined): Session {
    const handle = this.#open();
    const given = optionsOf(options);
    const table = text(given, "table");
    return createSession(handle, this, table, text(given, "db") ?? "main");
  }

  applyChangeset(changeset: unknown, options: unknown = undefined): boolean {
    const handle = this.#open();
    if (!(changeset instanceof Uint8Array)) throw argumentError('The "changeset" argument must be a Uint8Array.');
    const given = optionsOf(options);
    const filter = callback(given, "filter");
    const onConflict = callback(given, "onConflict");
    return ops.applyChangeset(
      handle,
      changeset,
      filter as ((table: string) => boolean) | undefined,
      onConflict as ((kind: number) => number) | undefined,
    );
  }

  /** The content of a schema as a file has it; of Node 26. */
  serialize(dbName: unknown = "main"): Uint8Array {
    const handle = this.#open();
    needType(dbName, "dbName", "string");
    const bytes = ops.serialize(handle, dbName as string);
    // Nothing was written to it yet, or there is no such schema: a query tells.
    if (bytes === undefined) {
      ops.exec(handle, `PRAGMA "${(dbName as string).replaceAll('"', '""')}".schema_version`, undefined, 0);
      return new Uint8Array(0);
    }
    return bytes;
  }

  /** Puts what `serialize` has given into the place of a schema; of Node 26. */
  deserialize(buffer: unknown, options: unknown = undefined): void {
    const handle = this.#open();
    if (!(buffer instanceof Uint8Array)) throw argumentError('The "buffer" argument must be a Uint8Array.');
    if (buffer.byteLength === 0) {
      const error: NodeError = new TypeError('The "buffer" argument must not be empty.');
      error.code = "ERR_INVALID_ARG_VALUE";
      throw error;
    }
    ops.deserializeInto(handle, text(optionsOf(options), "dbName") ?? "main", buffer);
  }

  enableLoadExtension(allow: unknown): void {
    this.#open();
    needType(allow, "allow", "boolean");
    if (allow && !this.#settings.allowsExtensions) {
      throw stateError("Cannot enable extension loading because it was disabled at database creation.");
    }
    this.#mayLoad = allow as boolean;
  }

  loadExtension(path: unknown, ...given: [unknown?]): void {
    const handle = this.#open();
    if (!this.#settings.allowsExtensions || !this.#mayLoad) throw stateError("extension loading is not allowed");
    needType(path, "path", "string");
    if (given.length > 0 && given[0] !== undefined) needType(given[0], "entryPoint", "string");
    const failure = ops.loadExtension(handle, path as string, given[0] as string | undefined);
    if (failure === undefined) return;
    const error: NodeError = new Error(failure);
    error.code = "ERR_LOAD_SQLITE_EXTENSION";
    throw error;
  }

  enableDefensive(active: unknown): void {
    const handle = this.#open();
    needType(active, "active", "boolean");
    ops.configure(handle, CONFIG_DEFENSIVE, active as boolean);
  }

  setAuthorizer(authorizer: unknown): void {
    const handle = this.#open();
    if (authorizer === null) {
      ops.setAuthorizer(handle, undefined);
      return;
    }
    if (typeof authorizer !== "function") {
      throw argumentError('The "callback" argument must be a function or null.');
    }
    ops.setAuthorizer(handle, (...action) => answerOf(authorizer(...action)));
  }
}

/** What an authorizer answers, checked. */
function answerOf(answer: unknown): number {
  if (typeof answer !== "number" || !Number.isInteger(answer)) {
    throw new TypeError("Authorizer callback must return an integer authorization code");
  }
  if (answer < constants.SQLITE_OK || answer > constants.SQLITE_IGNORE) {
    throw new RangeError("Authorizer callback returned a invalid authorization code");
  }
  return answer;
}

/** The class as programs see it: a call without `new` has Node's error. */
function DatabaseSync(this: unknown, ...given: [unknown?, unknown?]): object {
  if (new.target === undefined) {
    const error = new codes.ERR_CONSTRUCT_CALL_REQUIRED("DatabaseSync");
    error.message = "Cannot call constructor without `new`";
    throw error;
  }
  return Reflect.construct(Database, given, new.target);
}
DatabaseSync.prototype = Database.prototype;
Object.defineProperty(Database.prototype, "constructor", { value: DatabaseSync, writable: true, configurable: true });
Object.defineProperty(Database.prototype, Symbol.for("sqlite-type"), {
  value: "node:sqlite",
  writable: true,
  enumerable: true,
  configurable: true,
});

/**
 * Copies a database to a file: a promise of the number of pages. Options: `source` and `target` are schemas, `rate` is how many pages are
 * copied at a time, `progress` is called between.
 */
function backup(sourceDb: unknown, path: unknown, ...given: [unknown?]): Promise<number> {
  needType(sourceDb, "sourceDb", "object");
  const handle = handleOf(sourceDb);
  const file = databasePath(path);
  const options = optionsOf(given[0]);
  const rate = options?.rate ?? 100;
  needInteger(rate, "options.rate");
  return copyDatabase(handle, file, WRITABLE, {
    source: text(options, "source") ?? "main",
    target: text(options, "target") ?? "main",
    rate,
    progress: callback(options, "progress") as never,
  });
}

const exported = { DatabaseSync, StatementSync, Session, constants, backup };
export default exported;
