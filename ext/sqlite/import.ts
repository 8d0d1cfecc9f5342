/** `import db from "./x.sqlite" with { type: "sqlite" }`: the file as a database of `bun:sqlite`. */

/** Opens the file, which must be there: a misspelt name makes no empty database. */
export function open(path: string) {
  const { constants, Database } = require("bun/sqlite");
  return new Database(path, constants.SQLITE_OPEN_READWRITE);
}
