/** What a result says beside its rows. */

import { SQLResultArray } from "internal/sql/result";

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
