/** The results of a task while they come. */

import type { Task } from "internal/sql/adapter";
import { SQLResultArray } from "internal/sql/result";

/** Collects results: one, or several of one text. */
export class Results {
  #done: SQLResultArray[] | undefined = undefined;
  #last: SQLResultArray | undefined = undefined;

  add(rows: SQLResultArray): void {
    if (this.#last !== undefined) (this.#done ??= []).push(this.#last);
    this.#last = rows;
  }

  settle(task: Task): void {
    const last = this.#last!;
    if (this.#done === undefined) return task.resolve(last);
    this.#done.push(last);
    task.resolve(this.#done);
  }
}

/** Properties in Bun's order. */
export function finish(
  rows: SQLResultArray,
  count: number,
  id: number | bigint,
  affected: number | bigint,
): SQLResultArray {
  rows.count = count;
  rows.command = null;
  // As Bun: what a number does not hold is a string.
  rows.lastInsertRowid = (typeof id === "bigint" ? String(id) : id) as number;
  rows.affectedRows = (typeof affected === "bigint" ? String(affected) : affected) as number;
  return rows;
}
