// expected: written by hand
// SQLite when things go wrong: a locked database, one that may only be read, a damaged file, and a process that is killed within
// transactions: no row whose commit was told is lost, and none of a transaction that was not committed is there.
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

const say = (...what) => console.log(...what);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bao-sqlite-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "db");
const attempt = (run) => {
  try {
    return run();
  } catch (error) {
    return `${error.name} ${error.code} ${error.errno ?? error.errcode}: ${error.message.replaceAll(folder, "")}`;
  }
};

if (process.argv[2] === "write") {
  // Two rows in a transaction; its number is told when the commit has returned.
  const db = new Database(process.argv[3]);
  db.run("pragma journal_mode = wal");
  db.run("pragma synchronous = full");
  const insert = db.prepare("insert into pairs values (?, ?)");
  for (let n = Number(process.argv[4]); ; n++) {
    db.run("begin");
    insert.run(n, "first");
    insert.run(n, "second");
    db.run("commit");
    fs.writeSync(1, `${n}\n`);
  }
}

// Locked.
{
  const one = new Database(file);
  one.run("create table t (n int)");
  const two = new Database(file);
  const three = new DatabaseSync(file);
  const sql = new SQL(`sqlite://${file}`);
  one.run("begin exclusive");
  say(attempt(() => two.run("insert into t values (1)")), attempt(() => two.query("select * from t").all()));
  say(attempt(() => three.exec("insert into t values (1)")));
  say(await sql`insert into t values (1)`.then(() => "inserted", (error) => `${error.name} ${error.code}: ${error.message}`));
  one.run("commit");
  say(two.run("insert into t values (1)").changes, two.query("select * from t").all());
  // With patience the other one is waited for.
  two.run("pragma busy_timeout = 5000");
  const child = spawn(process.execPath, ["-e", `const { Database } = require("bun:sqlite"); const db = new Database(${JSON.stringify(file)}); db.run("begin exclusive"); console.log("locked"); setTimeout(() => db.run("commit"), 200)`], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((done) => child.stdout.once("data", done));
  say(two.run("insert into t values (2)").changes);
  await new Promise((done) => child.once("exit", done));
  for (const db of [one, two, three]) db.close();
  await sql.close();
}

// Only to be read: by option, and because the file says so.
{
  const db = new Database(file, { readonly: true });
  say(attempt(() => db.run("insert into t values (3)")), db.query("select count(*) as n from t").get());
  db.close();
  say(attempt(() => new DatabaseSync(file, { readOnly: true }).exec("delete from t")));
  say(attempt(() => new Database(path.join(folder, "no", "db"))), attempt(() => new Database(path.join(folder, "none"), { readonly: true })));
}

// Full: the database may have no more pages. What was there stays.
{
  const db = new Database(path.join(folder, "full"));
  db.run("create table t (text text)");
  db.run("pragma max_page_count = 20");
  let rows = 0;
  const full = attempt(() => {
    for (; ; rows++) db.run("insert into t values (?)", ["x".repeat(2000)]);
  });
  say(full, rows > 0, db.query("select count(*) as n from t").get().n === rows, db.query("pragma integrity_check").get());
  db.close();
}

// Damaged.
{
  const damaged = path.join(folder, "damaged");
  const db = new Database(damaged);
  db.run("create table t (text text)");
  for (let n = 0; n < 100; n++) db.run("insert into t values (?)", ["x".repeat(200)]);
  db.close();
  const bytes = fs.readFileSync(damaged);
  fs.writeFileSync(damaged, bytes.fill(0xa5, 5000, 20000));
  const again = new Database(damaged);
  say(attempt(() => again.query("select count(text) as n from t where text like 'x%'").get()));
  again.close();
  fs.writeFileSync(damaged, "this is no database, whatever its name says".repeat(100));
  say(attempt(() => new Database(damaged).query("select 1 from t").all()), attempt(() => new DatabaseSync(damaged).exec("select 1 from t")));
}

// Killed: twenty times, each in the middle of what it does.
{
  const kept = path.join(folder, "kept");
  new Database(kept).run("create table pairs (n int, part text)");
  let next = 0;
  const told = [];
  for (let round = 0; round < 20; round++) {
    const child = spawn(process.execPath, [import.meta.filename, "write", kept, String(next)], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.split("\n").length > 5 + round) child.kill("SIGKILL");
    });
    await new Promise((done) => child.once("close", done));
    const numbers = text.split("\n").slice(0, -1).map(Number);
    told.push(...numbers);
    // The transaction after the last that was told may have been committed, too.
    next = numbers.at(-1) + 2;
  }
  const db = new Database(kept);
  const counts = new Map(db.query("select n, count(*) as count from pairs group by n").values());
  say("lost:", told.filter((n) => counts.get(n) !== 2).length, "halves:", [...counts.values()].filter((count) => count !== 2).length, told.length >= 20 * 5);
  say(db.query("pragma integrity_check").get());
  db.close();
}
