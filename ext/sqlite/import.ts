/** `import db from "./x.sqlite" with { type: "sqlite" }`: the file as a database of `bun:sqlite`. */

/** The module's exports: the database as `default` and as `db`. The file must be there: a misspelt name makes no empty database. */
export function open(path: string) {
  const { constants, Database } = require("bun/sqlite");
  const db = new Database(path, constants.SQLITE_OPEN_READWRITE);
  return { __esModule: true, db, default: db };
}
