// expected: recorded from bun 1.4.5. An imported database is `default` and `db`.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "db-"));
const file = join(folder, "x.sqlite");
new Database(file, { create: true }).run("CREATE TABLE t (a)");
writeFileSync(join(folder, "importer.mjs"), 'export * as names from "./x.sqlite" with { type: "sqlite" };');
const { names } = await import(join(folder, "importer.mjs"));
console.log(Object.keys(names).join(), names.db === names.default, names.db.filename === file);
rmSync(folder, { recursive: true });
