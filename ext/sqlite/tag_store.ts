/** SQLTagStore of node:sqlite: tagged templates as statements that are prepared once. */
import { argumentError } from "internal/sqlite/node_checks";
import type { StatementSync } from "internal/sqlite/node_statement";

/** What a store needs of its database. */
interface Preparing {
  readonly isOpen: boolean;
  prepare(sql: string): StatementSync;
}

type Strings = readonly string[];

class SQLTagStore {
  #database: Preparing;
  #capacity: number;
  /** By text, the one that was used last at the end. */
  #statements = new Map<string, StatementSync>();

  constructor(database: Preparing, capacity: number) {
    this.#database = database;
    this.#capacity = capacity;
  }

  get capacity(): number {
    return this.#capacity;
  }

  get db(): Preparing {
    return this.#database;
  }

  get size(): number {
    return this.#statements.size;
  }

  clear(): void {
    this.#statements.clear();
  }

  #statement(strings: unknown): StatementSync {
    if (!Array.isArray(strings)) {
      throw argumentError("First argument must be an array of strings (template literal).");
    }
    const sql = (strings as Strings).join("?");
    const statements = this.#statements;
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      // An iterator may still need the oldest one, so it is left to the collector.
      if (statements.size >= this.#capacity) for (const [oldest] of statements) if (statements.delete(oldest)) break;
      if (this.#capacity > 0) statements.set(sql, statement);
    } else {
      statements.delete(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  get(strings: Strings, ...values: unknown[]): unknown {
    return this.#statement(strings).get(...values);
  }

  all(strings: Strings, ...values: unknown[]): unknown[] {
    return this.#statement(strings).all(...values);
  }

  iterate(strings: Strings, ...values: unknown[]) {
    return this.#statement(strings).iterate(...values);
  }

  run(strings: Strings, ...values: unknown[]) {
    return this.#statement(strings).run(...values);
  }
}

export { SQLTagStore };
