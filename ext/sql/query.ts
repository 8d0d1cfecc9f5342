/** A query: a promise that runs its statement when somebody waits for it. */

import { type Copy, type Cursor, OBJECTS, RAW, type RowMode, type Task, VALUES } from "internal/sql/adapter";
import { batches, eachBatch, sizeOf } from "internal/sql/cursor";
import { copyIn, copyOut } from "internal/sql/copy";
import type { SQLResultArray } from "internal/sql/result";
import { compile, type Context, type Fragment } from "internal/sql/fragments";

/** Who runs a query: a client, a transaction, a reserved connection. */
export interface Runner extends Context {
  /** Takes a task; its result is told to the task. */
  run(task: QueryTask): void;
  /** Ends a task that was taken. */
  cancel(task: QueryTask): void;
  error(code: string, message: string): Error;
  readonly columnFrom: ((name: string) => string) | undefined;
}

const isCancelled = (): [string, string] => ["QUERY_CANCELLED", "Query cancelled"];

/** What the pool and connections see of a query. */
export class QueryTask implements Task {
  text = "";
  values: readonly unknown[] = [];
  isSimple = false;
  mode: RowMode = OBJECTS;
  column: ((name: string) => string) | undefined = undefined;
  copy: Copy | undefined = undefined;
  cursor: Cursor | undefined = undefined;
  isSettled = false;
  /** How often the task was run again. */
  retries = 0;
  /** The text is the program's own, and may have several statements. */
  isUnsafe = false;
  #resolve: (result: unknown) => void;
  #reject: (error: unknown) => void;
  constructor(resolve: (result: unknown) => void, reject: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }
  resolve(result: unknown): void {
    this.isSettled = true;
    this.#resolve(result);
    this.whenSettled?.(this);
  }
  reject(error: unknown): void {
    this.isSettled = true;
    this.#reject(error);
    this.whenSettled?.(this);
  }
  /** Runs the task on another connection; only the pool knows others. */
  again: ((task: QueryTask) => boolean) | undefined = undefined;
  retry(): boolean {
    return this.again?.(this) ?? false;
  }
  /** Called when the task is answered. */
  whenSettled: ((task: QueryTask) => void) | undefined = undefined;
}

const NEW = 0,
  RUNNING = 1,
  CANCELLED = 2;

let fragmentOfQuery: (query: Query) => Fragment;

export class Query extends Promise<unknown> {
  #fragment: Fragment;
  #runner: Runner;
  #task: QueryTask;
  #state = NEW;

  static {
    fragmentOfQuery = (query) => query.#fragment;
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(fragment: Fragment, runner: Runner) {
    let resolve!: (value: unknown) => void;
    let reject!: (error: unknown) => void;
    super((yes, no) => {
      resolve = yes;
      reject = no;
    });
    this.#fragment = fragment;
    this.#runner = runner;
    this.#task = new QueryTask(resolve, reject);
  }

  get active(): boolean {
    return this.#state === RUNNING && !this.#task.isSettled;
  }

  get cancelled(): boolean {
    return this.#state === CANCELLED;
  }

  #run(): void {
    if (this.#state !== NEW) return;
    this.#state = RUNNING;
    const task = this.#task;
    const runner = this.#runner;
    if (this.#fragment.kind === "identifier") {
      task.reject(runner.error("NOT_TAGGED_CALL", "Query not called as a tagged template literal"));
      return;
    }
    try {
      const { text, values } = compile(this.#fragment, runner);
      task.text = text;
      task.values = values;
      task.column = runner.columnFrom;
      // A text of the program's own without values may have several statements.
      if (this.#fragment.kind === "text") {
        task.isUnsafe = true;
        if (values.length === 0 && task.cursor === undefined) task.isSimple = true;
      }
      if (task.isSimple && values.length > 0) {
        const error: NodeError = new TypeError("simple query cannot have parameters");
        error.code = "ERR_INVALID_ARG_TYPE";
        throw error;
      }
      runner.run(task);
    } catch (error) {
      task.reject(error);
    }
  }

  /** Runs the query now, whether somebody waits for it or not. */
  execute(): this {
    this.#run();
    return this;
  }

  run(): this {
    return this.execute();
  }

  /** Ends the query: it is not run, or the server is asked to end it. */
  cancel(): this {
    const task = this.#task;
    const wasRunning = this.#state === RUNNING;
    if (this.#state === CANCELLED || task.isSettled) return this;
    this.#state = CANCELLED;
    if (wasRunning) this.#runner.cancel(task);
    else task.reject(this.#runner.error(...isCancelled()));
    return this;
  }

  /** Rows are arrays of the bytes of their values. */
  raw(): this {
    this.#task.mode = RAW;
    return this;
  }

  /** Rows are arrays of their values. */
  values(): this {
    this.#task.mode = VALUES;
    return this;
  }

  /** The text goes as it is, and may have several statements. */
  simple(): this {
    this.#task.isSimple = true;
    return this;
  }

  /**
   * The rows in batches of up to `rows` (1), each of which is asked for when the last is done with: an async iterable, or with a function
   * that is called with each batch the promise of its end. The function ends the cursor by returning `sql.CLOSE`.
   */
  cursor(...[rows, fn]: [rows?: unknown, fn?: unknown]): AsyncIterable<SQLResultArray> | Promise<unknown> {
    if (this.#state !== NEW) throw new Error("The query has run already");
    const [size, work] = typeof rows === "function" ? [1, rows] : [sizeOf(rows), fn];
    const start = (cursor: Cursor): Promise<unknown> => {
      this.#task.cursor = cursor;
      this.#task.isSimple = false;
      return this.then();
    };
    if (typeof work !== "function") return batches({ start }, size);
    return eachBatch({ start }, size, work as (batch: SQLResultArray) => unknown);
  }

  /** What COPY ... TO STDOUT gives, in chunks of bytes. */
  readable(): ReadableStream {
    this.#needCopy();
    return copyOut({ start: (copy) => this.#startCopy(copy), cancel: () => this.cancel() });
  }

  /** Takes what COPY ... FROM STDIN reads. */
  writable(): WritableStream {
    this.#needCopy();
    return copyIn({ start: (copy) => this.#startCopy(copy), cancel: () => this.cancel() });
  }

  #needCopy(): void {
    if (!this.#runner.dialect.hasCopy) {
      throw new Error("readable() and writable() are not supported by this adapter (PostgreSQL only)");
    }
    if (this.#state !== NEW) throw new Error("The query has run already");
  }

  #startCopy(copy: Copy): Promise<unknown> {
    this.#task.copy = copy;
    this.#task.isSimple = true;
    return this.then();
  }

  #needTemplate(): void {
    if (this.#fragment.kind === "identifier") {
      throw this.#runner.error("NOT_TAGGED_CALL", "Query not called as a tagged template literal");
    }
  }

  // What a promise has runs the query.
  // oxlint-disable-next-line unicorn/no-thenable
  override then<A = unknown, B = never>(
    onfulfilled?: ((value: unknown) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#run();
    return super.then(onfulfilled, onrejected);
  }

  override catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<unknown> {
    this.#needTemplate();
    this.#run();
    return super.then(undefined, onrejected);
  }

  override finally(onfinally?: (() => void) | null): Promise<unknown> {
    this.#needTemplate();
    this.#run();
    return super.finally(onfinally);
  }

  [Bun.inspect.custom](): string {
    const state = this.#state === CANCELLED ? "cancelled" : this.#state === NEW ? "" : "executed";
    return `Query { ${state} }`;
  }
}

/** The fragment of a query; undefined for every other value. */
export const fragmentOf = (value: unknown): Fragment | undefined =>
  value instanceof Query ? fragmentOfQuery(value) : undefined;
