const D = require("libsql");
const db = new D(":memory:");
db.exec("create table t(a,b)");
db.prepare("insert into t values(?,?)").run(1, "x");
console.log(db.prepare("select * from t").all());
try {
  db.prepare("select q from t").get();
} catch (e) {
  console.log(e.code, e.message);
}
