// expected: recorded from bun 1.4.5
// Values of Database.run are those of the first statement of its text.
import { Database } from "bun:sqlite";
const db = new Database(":memory:");
db.run("create table t(x, y)");
const one = "insert into t values (?, ?)";
for (const [text, ...values] of [
  [`${one}; ${one}`, 1, 2],
  [`${one}; ${one}`, [1, 2]],
  [`${one}; ${one}`],
  [`${one}; ${one}`, 1, 2, 3, 4],
  [`insert into t values (7, 7); ${one}`, 1, 2],
  [`${one}; insert into t values (8, 8)`, 1, 2],
  ["insert into t values ($a, $b); insert into t values ($b, $a)", { $a: 1, $b: 2 }],
  ["insert into t values (?, 9); insert into t values (?, ?)", [1]],
  ["insert into t values (1, 1); insert into t values (2, 2)", 5],
  [`/* comment */; ${one}`, 1, 2],
]) {
  try {
    db.run(text, ...values);
  } catch (error) {
    console.log(error.message);
  }
  console.log(JSON.stringify(db.query("select * from t").values()));
  db.run("delete from t");
}
