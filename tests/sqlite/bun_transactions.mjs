// expected: recorded from bun 1.4.5
import { Database } from "bun:sqlite";
const db = new Database();
db.run("create table t(a unique)");
const count = () => db.query("select count(*) n from t").get().n;
const insert = db.prepare("insert into t values(?)");
const many = db.transaction((values) => {
  for (const value of values) insert.run(value);
  return values.length;
});
console.log(many([1, 2, 3]), count(), db.inTransaction);
try {
  many([4, 5, 1]);
} catch (e) {
  console.log(e.code, count(), db.inTransaction);
}
const outer = db.transaction((inner) => {
  insert.run(10);
  try {
    inner();
  } catch (e) {
    console.log("inner", e.message, count());
  }
  insert.run(11);
});
outer(
  db.transaction(() => {
    insert.run(20);
    throw new Error("no");
  }),
);
console.log(count());
console.log(many.immediate([30]), many.exclusive([31]), many.deferred([32]), count());
console.log(many.default === many, many.database === db, Object.getOwnPropertyNames(many).sort().join());
console.log(db.transaction(function (x) { return [this.y, x]; }).call({ y: 1 }, 2));
try {
  db.transaction(5);
} catch (e) {
  console.log(e.name, e.message);
}
// SQLite has rolled back itself.
const rolledBack = db.transaction(() => {
  insert.run(40);
  db.run("rollback");
  throw new Error("afterwards");
});
try {
  rolledBack();
} catch (e) {
  console.log(e.message, count(), db.inTransaction);
}
