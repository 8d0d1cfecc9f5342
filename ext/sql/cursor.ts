/** Rows in batches: `query.cursor(size)` as an async iterable, or with a function for each batch. */

import { codes } from "internal/core/errors";
import type { Cursor, CursorServer } from "internal/sql/adapter";
import type { SQLResultArray } from "internal/sql/result";

/** What a function returns that wants no more rows: `sql.CLOSE`. */
export const CLOSE = Symbol("sql.CLOSE");

/** What a cursor needs of its query. */
interface CursorQuery {
  /** Runs the query with the cursor; its end settles the promise. */
  start(cursor: Cursor): Promise<unknown>;
}

/** Throws TypeError for what is no number of rows. */
export function sizeOf(given: unknown): number {
  const size = given === undefined ? 1 : given;
  if (typeof size === "number" && Number.isInteger(size) && size > 0 && size < 2 ** 31) return size;
  throw new codes.ERR_INVALID_ARG_VALUE("rows", given, "must be an integer between 1 and 2147483647");
}

/** Calls a function with each batch; the next is asked for when it is done. Resolves when all are, rejects with what it throws. */
export async function eachBatch(
  query: CursorQuery,
  size: number,
  fn: (rows: SQLResultArray) => unknown,
): Promise<unknown> {
  let last: Promise<void> = Promise.resolve();
  let failure: { error: unknown } | undefined;
  const work = async (rows: SQLResultArray, server: CursorServer | undefined): Promise<void> => {
    try {
      if ((await fn(rows)) === CLOSE) server?.close();
      else server?.more();
    } catch (error) {
      failure ??= { error };
      server?.close();
    }
  };
  const result = await query.start({
    size,
    rows(rows, server) {
      last = work(rows, server);
    },
  });
  await last;
  if (failure !== undefined) throw failure.error;
  return result;
}

/** The batches of a query, which is run by the first `next`. Whoever leaves the loop early closes the cursor. */
export function batches(query: CursorQuery, size: number): AsyncIterable<SQLResultArray> {
  return { [Symbol.asyncIterator]: () => new Batches(query, size) };
}

class Batches implements AsyncIterator<SQLResultArray> {
  #query: CursorQuery;
  #size: number;
  /** The query, once it runs. */
  #done: Promise<unknown> | undefined = undefined;
  #isOver = false;
  /** Who can be asked for more. */
  #server: CursorServer | undefined = undefined;
  /** Batches that nobody has taken: the last can come with the one before. */
  #ready: SQLResultArray[] = [];
  #wake: (() => void) | undefined = undefined;
  /** The call of `next` before: of several at once each waits for its turn. */
  #last: Promise<IteratorResult<SQLResultArray>> | undefined = undefined;

  constructor(query: CursorQuery, size: number) {
    this.#query = query;
    this.#size = size;
  }

  #start(): Promise<unknown> {
    const rows = (batch: SQLResultArray, server: CursorServer | undefined): void => {
      // Nobody wants what comes after the loop was left.
      if (this.#isOver) return server?.close();
      this.#ready.push(batch);
      this.#server = server;
      this.#wake?.();
    };
    const end = (): void => {
      this.#isOver = true;
      this.#server = undefined;
      this.#wake?.();
    };
    const done = this.#query.start({ size: this.#size, rows });
    done.then(end, end);
    return done;
  }

  next(): Promise<IteratorResult<SQLResultArray>> {
    const take = (): Promise<IteratorResult<SQLResultArray>> => this.#take();
    this.#last = this.#last === undefined ? take() : this.#last.then(take, take);
    return this.#last;
  }

  async #take(): Promise<IteratorResult<SQLResultArray>> {
    if (this.#ready.length === 0 && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const server = this.#server;
      this.#server = undefined;
      if (this.#done === undefined) this.#done = this.#start();
      else server?.more();
      await promise;
      this.#wake = undefined;
    }
    const value = this.#ready.shift();
    if (value !== undefined) return { done: false, value };
    // An error of the server is the loop's, once: nothing follows it.
    const done = this.#done;
    this.#done = Promise.resolve();
    await done;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<SQLResultArray>> {
    this.#server?.close();
    this.#server = undefined;
    this.#ready = [];
    this.#isOver = true;
    await this.#done;
    return { done: true, value: undefined };
  }
}
