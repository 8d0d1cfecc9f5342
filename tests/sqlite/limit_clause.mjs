// ORDER BY and LIMIT of UPDATE and DELETE (https://sqlite.org/lang_delete.html), which SQLite has if its parser was made with them, as
// Bun's is; Node's takes none.
import { Database } from "bun:sqlite";
import { DatabaseSync } from "node:sqlite";
import { SQL } from "bun";

const db = new Database(":memory:");
db.run("create table t(a integer primary key, b, c)");
db.run("create index t_b on t(b)");
db.run("create table w(a primary key, b) without rowid");
for (let i = 1; i <= 20; i++) {
  db.run("insert into t values (?, ?, ?)", [i, i % 5, `x${i}`]);
  db.run("insert into w values (?, ?)", [i, i % 5]);
}
const left = () => console.log(db.query("select group_concat(a || ':' || b || ':' || c, ' ') as rows from t").get().rows);
const run = (text, ...values) => {
  try {
    const statement = db.query(text);
    const rows = statement.all(...values);
    console.log(text, "->", JSON.stringify(rows.length > 0 ? rows : db.query("select changes() as n").get().n));
  } catch (error) {
    console.log(text, "->", error.message);
  }
};

run("delete from t order by b desc, a limit 3");
run("delete from t limit ?", 2);
run("delete from t where b = 1 limit 1 offset 1");
run("delete from t where b = 1 limit 1, 1");
run("delete from t where b = 2 returning a order by a limit 1");
left();
run("update t set c = 'z' where b < 3 order by a desc limit 2");
run("update t set c = 'q' returning a, c order by a limit 2");
run("update t set c = 'f' from w where w.a = t.a order by t.a limit 2");
run("update t indexed by t_b set c = 'i' where b = 3 order by a limit 1");
run("update or ignore t as u set (b, c) = (9, 'p') where u.b = 3 order by u.a limit 1");
run("with k as (select 3 as v) update t set c = 'w' where b in (select v from k) limit 1");
run("with k as (select 3 as v) delete from t where b in (select v from k) order by a desc limit 1");
left();
run("delete from w order by b, a limit 4");
run("update w set b = 100 order by a desc limit 1");
console.log(db.query("select group_concat(a || ':' || b, ' ') as rows from w").get().rows);

// What the grammar has not, and names that are the clauses' words.
for (const text of [
  "delete from t order by a",
  "delete from t order",
  "delete from t limit",
  "delete from t limit 1 order by a",
  "update t set b = 1 order by a limit 1 returning a",
  "update t set b = 1 group by a",
  "create trigger g after insert on t begin delete from t order by a limit 1; end",
]) {
  run(text);
}
run('create table "limit"("order", offset)');
run('insert into "limit" values (1, 2)');
run('delete from "limit" order by offset, "order" limit 1');

// The same by the other two ways to SQLite.
const node = new DatabaseSync(":memory:");
node.exec("create table t(a); insert into t values (1), (2), (3); delete from t order by a desc limit 2");
console.log(JSON.stringify(node.prepare("select a from t").all()));
await using sql = new SQL("sqlite://:memory:");
await sql`create table t(a)`;
await sql`insert into t values (1), (2), (3)`;
const most = 2;
console.log((await sql`update t set a = a * 10 order by a desc limit ${most}`).count, JSON.stringify(await sql`select a from t`.values()));
