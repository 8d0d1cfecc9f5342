/** Connections of one's own: `reserve`, transactions, savepoints and distributed transactions. */

import type { Pool, Slot } from "internal/sql/pool";
import { SQLResultArray } from "internal/sql/result";
import { type Runner, fragmentOf, QueryTask } from "internal/sql/query";

/** Runs queries over one connection. */
export class Session implements Runner {
  readonly pool: Pool;
  readonly fragmentOf = fragmentOf;
  #slot: Slot | undefined = undefined;
  /** Why no query can be run; undefined as long as they can. */
  #ended: (() => Error) | undefined = undefined;
  #tasks = new Set<QueryTask>();
  #whenDone: (() => void) | undefined = undefined;

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

  /** Waits for a connection. */
  async open(): Promise<void> {
    this.#slot = await this.pool.reserve(this);
  }

  /** The connection is gone. */
  lost(error: Error): void {
    this.#slot = undefined;
    this.#ended ??= () => error;
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  run(task: QueryTask): void {
    const slot = this.#slot;
    if (this.#ended !== undefined || slot === undefined) {
      task.reject((this.#ended ?? (() => this.pool.closedError()))());
      return;
    }
    this.#tasks.add(task);
    task.whenSettled = this.#done;
    slot.connection.run(task);
  }

  #done = (task: QueryTask): void => {
    this.#tasks.delete(task);
    if (this.#tasks.size === 0) this.#whenDone?.();
  };

  cancel(task: QueryTask): void {
    this.#slot?.connection.cancel(task);
  }

  /** Runs a statement of our own. */
  statement(text: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers();
    const task = new QueryTask(resolve, reject);
    task.text = text;
    task.isSimple = true;
    this.run(task);
    return promise;
  }

  /** Later queries are refused with this error. */
  end(reason: () => Error): void {
    this.#ended ??= reason;
  }

  /** Resolves when all queries are answered. */
  async settled(): Promise<void> {
    if (this.#tasks.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenDone = resolve;
    });
    this.#whenDone = undefined;
  }

  /** Gives the connection back. */
  release(): void {
    const slot = this.#slot;
    this.#slot = undefined;
    this.#ended ??= () => this.pool.closedError();
    if (slot !== undefined) this.pool.release(slot);
  }

  /** Ends the connection, which is of no use to others. */
  destroy(error?: Error): void {
    this.#slot?.connection.destroy(error);
  }
}

const overText = "cannot run a query after its transaction or savepoint ended";

/** Within a transaction: queries go to its session as long as the part is open. */
export class Part implements Runner {
  readonly session: Session;
  readonly fragmentOf = fragmentOf;
  #isOver = false;
  constructor(session: Session) {
    this.session = session;
  }
  get dialect(): Runner["dialect"] {
    return this.session.dialect;
  }
  get columnTo(): Runner["columnTo"] {
    return this.session.columnTo;
  }
  get columnFrom(): Runner["columnFrom"] {
    return this.session.columnFrom;
  }
  error(code: string, message: string): Error {
    return this.session.error(code, message);
  }
  run(task: QueryTask): void {
    if (this.#isOver) task.reject(this.error("INVALID_TRANSACTION_STATE", overText));
    else this.session.run(task);
  }
  cancel(task: QueryTask): void {
    this.session.cancel(task);
  }
  get isOver(): boolean {
    return this.#isOver;
  }
  end(): void {
    this.#isOver = true;
  }
}

/** Calls the function of a transaction; an array of queries is awaited as a whole. */
async function call<T>(fn: (sql: T) => unknown, sql: T): Promise<unknown> {
  const result = await fn(sql);
  return Array.isArray(result) && !(result instanceof SQLResultArray) ? await Promise.all(result) : result;
}

/** The statements at the ends of a transaction. */
interface Statements {
  begin: string;
  commit: string[];
  rollback: string[];
}

/**
 * Runs `fn` in a transaction of `session`. `make` gives the client of the transaction. Rejects with what `fn` throws, after the rollback.
 */
async function transact<T>(
  session: Session,
  statements: Statements,
  make: (part: Part) => T,
  fn: (sql: T) => unknown,
): Promise<unknown> {
  const part = new Part(session);
  try {
    await session.statement(statements.begin);
  } catch (error) {
    part.end();
    throw error;
  }
  try {
    const result = await call(fn, make(part));
    // What the function did not wait for belongs to the transaction, too.
    await session.settled();
    part.end();
    for (const text of statements.commit) await session.statement(text);
    return result;
  } catch (error) {
    part.end();
    if (!session.isEnded) {
      try {
        await session.settled();
        for (const text of statements.rollback) await session.statement(text);
      } catch {
        // The server has lost the transaction, or the connection is not to be trusted.
        session.destroy();
      }
    }
    throw error;
  }
}

/** `begin`: over a connection of its own, or over that of a reserved client. */
export async function transaction<T>(
  pool: Pool,
  reserved: Session | undefined,
  statements: Statements,
  make: (part: Part) => T,
  fn: (sql: T) => unknown,
): Promise<unknown> {
  if (reserved !== undefined) return await transact(reserved, statements, make, fn);
  const session = new Session(pool);
  await session.open();
  try {
    return await transact(session, statements, make, fn);
  } finally {
    session.release();
  }
}

let savepoints = 0;

/** `savepoint`: rolled back if `fn` throws. */
export async function savepoint<T>(
  part: Part,
  name: string | undefined,
  make: (part: Part) => T,
  fn: (sql: T) => unknown,
): Promise<unknown> {
  const { session } = part;
  const { dialect } = part;
  const own = `s${savepoints++}${name === undefined ? "" : `_${name}`}`;
  await session.statement(dialect.savepoint(own));
  const inner = new Part(session);
  try {
    const result = await call(fn, make(inner));
    await session.settled();
    inner.end();
    await session.statement(dialect.releaseSavepoint(own));
    return result;
  } catch (error) {
    inner.end();
    if (!session.isEnded) {
      await session.settled();
      await session.statement(dialect.rollbackToSavepoint(own));
    }
    throw error;
  }
}
