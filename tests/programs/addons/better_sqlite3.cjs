const D = require("better-sqlite3");
const db = new D(":memory:");
db.exec("create table t(a integer primary key,b text,c blob)");
const ins = db.prepare("insert into t(b,c) values(?,?)");
const many = db.transaction((n) => {
  for (let i = 0; i < n; i++) ins.run("row" + i, Buffer.from([i & 255]));
});
many(1000);
console.log(db.prepare("select count(*) n, sum(length(c)) s from t").get());
console.log(db.prepare("select * from t limit 2").all());
db.function("twice", (x) => x * 2);
console.log(db.prepare("select twice(21) v").pluck().get());
for (const r of db.prepare("select a from t where a>997").iterate()) console.log(r.a);
db.aggregate("addall", { start: 0, step: (t, n) => t + n });
console.log(db.prepare("select addall(a) v from t").get());
try {
  db.prepare("select nope from t");
} catch (e) {
  console.log(e.name, e.code, e.message);
}
try {
  db.function("bad", () => {
    throw new Error("from js");
  });
  db.prepare("select bad()").get();
} catch (e) {
  console.log(e.message);
}
console.log(db.prepare("select 9007199254740993 v").safeIntegers().get());
db.close();
console.log(db.open);
