// expected: recorded from bun 1.4.5
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const folder = mkdtempSync(join(tmpdir(), "bao-sqlite-"));
const made = new Database(join(folder, "x.sqlite"));
made.run("create table t(a)");
made.run("insert into t values(42)");
made.close();
writeFileSync(
  join(folder, "x.mjs"),
  `import db from "./x.sqlite" with { type: "sqlite" };
import again from "./x.sqlite" with { type: "sqlite" };
export { again, db };`,
);
const { again, db } = await import(join(folder, "x.mjs"));
console.log(db instanceof Database, JSON.stringify(db.query("select * from t").get()));
console.log(again === db);
db.close();
rmSync(folder, { recursive: true });
