// expected: written by hand (codes are SQLite's; Bun 1.4.5 gives the same where it does not end by a signal)
// What goes wrong outside of the program: locks, rights, a full disk, damaged files, a kill -9.
import { Database } from "bun:sqlite";
import { DatabaseSync } from "node:sqlite";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bao-sqlite-"));
const file = (name) => join(folder, name);
const t = (name, f) => {
  try {
    console.log(name, "=>", JSON.stringify(f()));
  } catch (e) {
    console.log(name, "!!", e.name, JSON.stringify(e.message), e.code, e.errcode ?? e.errno);
  }
};

// A lock of another connection.
const db = new Database(file("a.db"));
db.run("create table t(a)");
db.run("begin exclusive");
const other = new Database(file("a.db"));
t("locked", () => other.run("insert into t values(1)"));
t("locked, node", () => new DatabaseSync(file("a.db"), { timeout: 1 }).exec("insert into t values(1)"));
db.run("commit");
t("free again", () => other.run("insert into t values(1)").changes);
db.close();
other.close();

// Rights.
const readOnly = new Database(file("a.db"), { readonly: true });
t("read-only", () => readOnly.run("insert into t values(1)"));
t("read-only reads", () => readOnly.query("select * from t").all());
readOnly.close();

// No room: a database of at most ten pages.
const full = new Database(file("full.db"));
full.run("pragma max_page_count = 10");
full.run("create table t(a)");
const fill = full.transaction(() => {
  for (let i = 0; i < 100; i++) full.run("insert into t values(?)", "x".repeat(2000));
});
t("full", () => fill());
t("full: rolled back", () => [full.inTransaction, full.query("select count(*) n from t").get().n]);
full.close();

// Damaged files.
writeFileSync(file("no.db"), "this is not a database, but long enough to be looked at ".repeat(20));
t("not a database", () => new Database(file("no.db")).query("select * from sqlite_master").all());
{
  const big = new Database(file("big.db"));
  big.run("create table t(a)");
  for (let i = 0; i < 50; i++) big.run("insert into t values(?)", "y".repeat(1000));
  big.close();
  const bytes = readFileSync(file("big.db"));
  bytes.fill(0xff, 4096, 4096 * 6);
  writeFileSync(file("big.db"), bytes);
  const damaged = new Database(file("big.db"));
  t("damaged", () => damaged.query("select * from t").all());
  t("usable afterwards", () => damaged.query("select 1 x").get());
  damaged.close();
}

// kill -9 in a transaction: what was committed is there, what was not is not, whatever the journal.
for (const mode of ["delete", "wal"]) {
  const name = file(`killed-${mode}.db`);
  const program = `
    const { Database } = require("bun:sqlite");
    const db = new Database(${JSON.stringify(name)});
    db.run("pragma journal_mode = ${mode}");
    db.run("create table t(a integer primary key)");
    db.transaction(() => { for (let i = 1; i <= 1000; i++) db.run("insert into t values(?)", i); })();
    db.run("pragma cache_size = 5");
    db.run("begin");
    for (let i = 1001; i <= 50000; i++) db.run("insert into t values(?)", i);
    console.log("in transaction");
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  const after = new Database(name);
  t(`killed, ${mode}`, () => [
    after.query("select count(*) n, max(a) m from t").get(),
    after.query("pragma integrity_check").get().integrity_check,
  ]);
  after.close();
}
rmSync(folder, { recursive: true });
