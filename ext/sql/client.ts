/** `SQL`: a function for tagged templates and helpers, with methods for everything else (https://bun.com/docs/runtime/sql). */

import { CLOSE } from "internal/sql/cursor";
import { adapterOf } from "internal/sql/adapters";
import { type Fragment, SQLArrayParameter, SQLHelper, SQLJSONParameter } from "internal/sql/fragments";
import { Listeners } from "internal/sql/listen";
import { optionsOf, type Parsed } from "internal/sql/options";
import { Pool } from "internal/sql/pool";
import { fragmentOf, Query, type QueryTask, type Runner } from "internal/sql/query";
import { Part, savepoint, Session, transaction } from "internal/sql/transaction";

type Fn = (sql: Sql) => unknown;
type Timeout = { timeout?: unknown } | undefined;

/** What programs call. */
export interface Sql {
  (first: unknown, ...rest: unknown[]): Query | SQLHelper;
  unsafe(text: unknown, values?: unknown): Query;
  file(path: string, values?: unknown): Query;
  [member: string | symbol]: unknown;
}

/** A text that begins a transaction over whatever connection is free. */
const BEGINS = /^\s*(?:begin|start\s+transaction)\b/i;

/** Whether it is worth a closer look: most texts begin with another letter. */
function mayBegin(text: string): boolean {
  const code = text.charCodeAt(0) | 32;
  return code === 98 || code < 97 || (code === 115 && (text.charCodeAt(1) | 32) === 116);
}

/** A client's runner: tasks go to its pool. */
class PoolRunner implements Runner {
  readonly fragmentOf = fragmentOf;
  readonly pool: Pool;
  constructor(pool: Pool) {
    this.pool = pool;
  }
  get dialect(): Runner["dialect"] {
    return this.pool.adapter.dialect;
  }
  get columnTo(): Runner["columnTo"] {
    return this.pool.options.columnTo;
  }
  get columnFrom(): Runner["columnFrom"] {
    return this.pool.options.columnFrom;
  }
  error(code: string, message: string): Error {
    return this.pool.adapter.error(code, message);
  }
  run(task: QueryTask): void {
    const { max } = this.pool.options;
    if (max !== 1 && mayBegin(task.text) && BEGINS.test(task.text)) {
      task.reject(this.error("UNSAFE_TRANSACTION", "Only use sql.begin, sql.reserved or max: 1"));
      return;
    }
    this.pool.run(task);
  }
  cancel(task: QueryTask): void {
    this.pool.cancel(task);
  }
}

/** A client: its pool is made when it is first needed. */
class Client {
  #parsed: Parsed | undefined;
  #arguments: unknown[];
  #runner: PoolRunner | undefined = undefined;
  #listeners: Listeners | undefined = undefined;
  constructor(given: unknown[], isLazy: boolean) {
    this.#arguments = given;
    this.#parsed = isLazy ? undefined : optionsOf(given[0], given[1]);
  }
  get parsed(): Parsed {
    return (this.#parsed ??= optionsOf(this.#arguments[0], this.#arguments[1]));
  }
  get runner(): PoolRunner {
    if (this.#runner === undefined) {
      const { used } = this.parsed;
      this.#runner = new PoolRunner(new Pool(used, adapterOf(used.adapter)));
    }
    return this.#runner;
  }
  get pool(): Pool {
    return this.runner.pool;
  }
  get listeners(): Listeners {
    const { used } = this.parsed;
    if (used.adapter !== "postgres")
      throw new Error("LISTEN/NOTIFY is not supported by this adapter (PostgreSQL only)");
    return (this.#listeners ??= new Listeners(used, this.pool.adapter));
  }
  get hasListeners(): Listeners | undefined {
    return this.#listeners;
  }
}

function functionOf(fn: unknown): Fn {
  if (typeof fn === "function") return fn as Fn;
  const error: NodeError = new TypeError(`The argument 'fn' must be a function. Received ${Bun.inspect(fn)}`);
  error.code = "ERR_INVALID_ARG_VALUE";
  throw error;
}

function timeoutOf(options: Timeout): number | undefined {
  const timeout = options?.timeout;
  if (timeout === undefined || timeout === null) return undefined;
  const seconds = Number(timeout);
  if (!(seconds >= 0) || seconds > 2 ** 31 / 1000) {
    const error: NodeError = new TypeError(
      `The argument 'options.timeout' must be a non-negative integer less than 2^31. Received ${Bun.inspect(timeout)}`,
    );
    error.code = "ERR_INVALID_ARG_VALUE";
    throw error;
  }
  return seconds * 1000;
}

const isTemplate = (value: unknown): value is TemplateStringsArray => Array.isArray(value) && "raw" in value;

/** What `sql(...)` and its relatives make of their arguments. */
function callOf(runner: () => Runner): Sql {
  const sql = function sql(first: unknown, ...rest: unknown[]): Query | SQLHelper {
    if (isTemplate(first)) return new Query({ strings: first, values: rest, kind: "template" }, runner());
    if (typeof first === "string") return new Query({ strings: first, values: [], kind: "identifier" }, runner());
    if (typeof first === "object") return new SQLHelper(first, rest);
    throw new SyntaxError("Invalid query: SQL Fragment cannot be executed or was misused");
  };
  Object.defineProperty(sql, "length", { value: 1, configurable: true });
  // What ends a cursor, by both names of postgres.js.
  Object.assign(sql, { CLOSE, END: CLOSE });
  return sql as unknown as Sql;
}

function textQuery(text: unknown, values: unknown, runner: Runner): Query {
  const fragment: Fragment = { strings: String(text), values: Array.isArray(values) ? values : [], kind: "text" };
  return new Query(fragment, runner);
}

/** Members that all clients have. `reserved` is the session of a reserved client, `part` that of a transaction. */
function members(sql: Sql, client: Client, runner: () => Runner, reserved?: Session, part?: Part): void {
  const refuse = (what: string, instead: string): Error =>
    runner().error("INVALID_TRANSACTION_STATE", `cannot call ${what} inside a transaction${instead}`);
  const begin = async (...args: unknown[]): Promise<unknown> => {
    const [options, fn] = typeof args[0] === "string" ? [args[0], args[1]] : ["", args[0]];
    const work = functionOf(fn);
    if (part !== undefined) throw refuse("begin", " use savepoint() instead");
    const { pool } = client;
    if (pool.isClosed) throw pool.closedError();
    const { dialect } = pool.adapter;
    const statements = { begin: dialect.begin(options), commit: [dialect.commit()], rollback: [dialect.rollback()] };
    return await transaction(pool, reserved, statements, (made) => transactionClient(client, made), work);
  };
  const distributed = async (name: unknown, fn: unknown): Promise<unknown> => {
    const { pool } = client;
    const { begin: first, prepare, rollback } = pool.adapter.dialect.distributed(String(name));
    const work = functionOf(fn);
    if (part !== undefined) throw refuse("beginDistributed", "");
    const statements = { begin: first, commit: prepare, rollback };
    return await transaction(pool, reserved, statements, (made) => transactionClient(client, made), work);
  };
  const statement = async (text: string): Promise<unknown> => await textQuery(text, [], runner());
  Object.assign(sql, {
    unsafe: (text: unknown, values?: unknown) => textQuery(text, values, runner()),
    file: async (path: string, values?: unknown) => await textQuery(await Bun.file(path).text(), values, runner()),
    notify: async (channel: unknown, payload?: unknown) => {
      if (client.parsed.used.adapter !== "postgres") void client.listeners;
      const text = payload === undefined || payload === null ? "" : String(payload);
      const strings = "select pg_notify($1, $2)";
      return await new Query({ strings, values: [String(channel), text], kind: "template" }, runner());
    },
    commitDistributed: async (name: unknown) =>
      await statement(client.pool.adapter.dialect.commitDistributed(String(name))),
    rollbackDistributed: async (name: unknown) =>
      await statement(client.pool.adapter.dialect.rollbackDistributed(String(name))),
    reserve: async () => {
      const { pool, parsed } = client;
      if (parsed.used.adapter === "sqlite") throw new Error("This adapter doesn't support connection reservation");
      const session = new Session(pool);
      await session.open();
      return reservedClient(client, session);
    },
    listen: async (channel: unknown, listener: unknown, onlisten?: unknown) =>
      await client.listeners.listen(String(channel), listener, onlisten),
    array: (values: unknown, type?: unknown) => {
      if (!client.pool.adapter.dialect.hasArrays) {
        const { adapter } = client.parsed.used;
        throw new Error(`${adapter === "sqlite" ? "SQLite" : "MySQL"} doesn't support arrays`);
      }
      return new SQLArrayParameter(values, type);
    },
    json: (value: unknown) => new SQLJSONParameter(value),
  });
  Object.defineProperty(sql, "options", { get: () => client.parsed.shown, enumerable: true, configurable: true });
  Object.assign(sql, {
    connect: async () => {
      if (reserved === undefined && part === undefined) await client.pool.connect();
      else if (reserved?.isEnded || part?.isOver) throw client.pool.closedError();
      return sql;
    },
    // What is run within a turn is written at its end, and there is nothing else to send.
    flush: () => undefined,
    transaction: begin,
    begin,
    distributed,
    beginDistributed: distributed,
  });
}

/** Within a transaction. */
function transactionClient(client: Client, part: Part): Sql {
  const sql = callOf(() => part);
  members(sql, client, () => part, undefined, part);
  sql.savepoint = async (...args: unknown[]): Promise<unknown> => {
    const [name, fn] = typeof args[0] === "function" ? [undefined, args[0]] : [String(args[0]), args[1]];
    const work = functionOf(fn);
    if (part.isOver)
      throw part.error("INVALID_TRANSACTION_STATE", "cannot run a query after its transaction or savepoint ended");
    return await savepoint(part, name, (inner) => transactionClient(client, inner), work);
  };
  // The end of a transaction before its function returns: nothing of it is kept.
  const end = async (options?: Timeout): Promise<undefined> => {
    const timeout = timeoutOf(options);
    if (part.isOver) return undefined;
    part.end();
    if (timeout !== 0) await Promise.race([part.session.settled(), ...(timeout ? [Bun.sleep(timeout)] : [])]);
    const { session } = part;
    session.end(() => client.pool.closedError());
    session.destroy();
    return undefined;
  };
  sql.end = end;
  sql.close = end;
  sql[Symbol.asyncDispose] = end;
  return sql;
}

/** One connection out of the pool. */
function reservedClient(client: Client, session: Session): Sql {
  const sql = callOf(() => session);
  members(sql, client, () => session, session);
  const release = (): Promise<undefined> => {
    session.release();
    return Promise.resolve(undefined);
  };
  const end = async (options?: Timeout): Promise<undefined> => {
    const timeout = timeoutOf(options);
    if (timeout !== 0) await Promise.race([session.settled(), ...(timeout ? [Bun.sleep(timeout)] : [])]);
    session.destroy();
    return undefined;
  };
  sql.release = release;
  sql.end = end;
  sql.close = end;
  sql[Symbol.dispose] = release;
  sql[Symbol.asyncDispose] = release;
  return sql;
}

/** A client of a server; a lazy one reads its options when it is first used. */
export function makeClient(given: unknown[], isLazy = false): Sql {
  const client = new Client(given, isLazy);
  const runner = (): Runner => client.runner;
  const sql = callOf(runner);
  members(sql, client, runner);
  if (!isLazy && client.parsed.used.adapter === "sqlite") client.pool.openNow();
  const close = async (options?: Timeout): Promise<undefined> => {
    const timeout = timeoutOf(options);
    client.hasListeners?.close();
    return await client.pool.close(timeout);
  };
  sql.end = close;
  sql.close = close;
  sql[Symbol.asyncDispose] = () => close();
  return sql;
}
