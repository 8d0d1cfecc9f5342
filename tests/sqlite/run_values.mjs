// expected: recorded from bun 1.4.5
// Values of Database.run that its statement has no placeholders for.
import { Database } from "bun:sqlite";
const db = new Database(":memory:");
db.run("create table t(a)");
for (const args of [[[1]], [1], [[]], [{}], [{ a: 1 }], [undefined], [null], [1, 2], []]) {
  try {
    console.log(JSON.stringify(db.run("insert into t values (0);  ", ...args)));
  } catch (error) {
    console.log(error.message);
  }
}
console.log(db.query("select count(*) as count from t").get().count);
