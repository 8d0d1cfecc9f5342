// expected: recorded from bun 1.4.5
import { Database, SQLiteError } from "bun:sqlite";
const show = (value) =>
  JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}n` : v instanceof Uint8Array ? `<${[...v]}>` : Object.is(v, -0) ? "-0" : v === undefined ? "undefined" : v));
const t = (name, f) => {
  try {
    console.log(name, "=>", show(f()));
  } catch (e) {
    console.log(name, "!!", e?.name, JSON.stringify(e?.message), e?.code, e?.errno, e?.byteOffset);
  }
};
const db = new Database();
t("syntax", () => db.query("selec 1").all());
t("no table", () => db.query("select x1 from foo").all());
t("run syntax", () => db.run("select 1; selec 2"));
t("empty", () => db.query("").all());
t("prepare empty", () => db.prepare("").all());
t("prepare comment", () => db.prepare("-- x"));
t("run empty", () => db.run(""));
t("run comment", () => db.run("-- hi"));
t("run number", () => db.run(1));
t("prepare number", () => db.prepare(1));
db.run("create table t(a integer primary key,b text,c blob,d real)");
t("insert", () => db.run("insert into t(b,c,d) values(?,?,?)", "x", new Uint8Array([1, 2]), 1.5));
t("insert array", () => db.run("insert into t(b,c,d) values(?,?,?)", ["y", null, 2]));
t("insert object", () => db.run("insert into t(b,c,d) values($a,$b,$c)", { $a: "z", $b: true, $c: 10n }));
t("all", () => db.query("select * from t").all());
t("values", () => db.query("select * from t").values());
t("raw", () => db.query("select * from t").raw());
t("values none", () => db.query("select * from t where a=99").values());
t("get none", () => db.query("select * from t where a=99").get());
t("run select", () => db.query("select * from t").run());
t("same names", () => db.query("select 1 a,2 b,3 a").get());
t("same names as values", () => db.query("select 1 a,2 b,3 a").values());
t("integer names", () => db.query('select 1 as "1", 2 as "0", 3 as b').get());
t("too few", () => db.query("select ?,?").values(1));
t("too many", () => db.query("select ?,?").values(1, 2, 3));
t("symbol", () => db.query("select ?").values(Symbol("x")));
t("function", () => db.query("select ?").values(() => 1));
t("object second", () => db.query("select ?,?").values(1, {}));
t("date", () => db.query("select ?").values(new Date(0)));
t("undefined", () => db.query("select ?").values(undefined));
t("undefined in array", () => db.query("select ?,?").values([1, undefined]));
t("name missing", () => db.query("select $a,$b").values({ $a: 1 }));
t("name bare", () => db.query("select $a,$b").values({ a: 1, b: 2 }));
t("name extra", () => db.query("select $a").values({ $a: 1, $c: 2 }));
t("numbered names", () => db.query("select ?1,?2").values({ "?1": 1, "?2": 2 }));
t("mixed", () => db.query("select $a,?").values({ $a: 1 }));
t("index names", () => db.query("select ?,?").values({ 1: 1, 2: 2 }));
t("bigint", () => db.query("select ?").safeIntegers(true).values(2n ** 63n - 1n));
t("large integer", () => db.query("select 9007199254740993 x").get());
t("safe integers", () => db.query("select 9007199254740993 x, 1 y").safeIntegers(true).get());
t("types", () => db.query("select typeof(?) ,typeof(?),typeof(?),typeof(?),typeof(?)").values(1, 1.5, 1e10, 2 ** 53, -0));
t("types of others", () => db.query("select typeof(?) ,typeof(?),typeof(?),typeof(?)").values(NaN, Infinity, true, 1e300));
t("numbers", () => db.query("select ? ,?,?,?").values(NaN, 1.25, true, -0));
t("bytes", () => db.query("select x'' a,x'01' b, zeroblob(3) c").get());
t("ArrayBuffer", () => db.query("select ?").values(new ArrayBuffer(2)));
t("DataView", () => db.query("select ?").values(new DataView(new ArrayBuffer(2))));
t("Float32Array", () => db.query("select ?").values(new Float32Array([1])));
t("names", () => db.query("select a,b,c,1+1 from t").columnNames);
t("types of columns", () => db.query("select * from t").columnTypes);
t("declared types", () => db.query("select * from t").declaredTypes);
{
  const q = db.query("select *,1,null from t");
  q.get();
  t("types of expressions", () => q.columnTypes);
  t("declared types of expressions", () => q.declaredTypes);
}
t("types of an insert", () => db.prepare("insert into t(b) values(1)").columnTypes);
t("toString", () => db.prepare("select ?1", 5).toString());
{
  const q = db.query("select ?1 x");
  q.get("it's");
  t("text", () => q.toString());
  t("count", () => q.paramsCount);
  t("json", () => q);
  t("tag", () => Object.prototype.toString.call(q));
  t("reader", () => [q.reader, q.readonly, q.isFinalized]);
}
const st = db.prepare("select 1");
st.finalize();
t("finalized", () => st.get());
t("finalized text", () => st.toString());
t("finalized names", () => st.columnNames);
t("finalized count", () => st.paramsCount);
t("finalized again", () => st.finalize());
t("finalized iterator", () => [...st]);
const st2 = db.prepare("select a from t");
st2.get();
t("close", () => db.close(true));
t("closed: query", () => db.query("select 1"));
t("closed: close", () => db.close());
t("closed: get", () => st2.get());
t("closed: all", () => st2.all());
t("closed: names", () => st2.columnNames);
t("closed: text", () => st2.toString());
t("closed: run", () => db.run("select 1"));
t("closed: in transaction", () => db.inTransaction);
t("closed: serialize", () => db.serialize());
t("closed: handle", () => db.handle);
t("closed: extension", () => db.loadExtension("x"));
t("closed: transaction", () => db.transaction(() => 1));
t("closed: function", () => db.function("a", () => 1));
t("SQLiteError", () => new SQLiteError());
t("no folder", () => new Database("/nonexist/x.db"));
t("not there, read-only", () => new Database("/nonexist.db", { readonly: true }));
t("memory read-only", () => new Database(":memory:", { readonly: true }));
t("readOnly", () => new Database(":memory:", { readOnly: true }));
t("a number", () => new Database(5));
t("null", () => new Database(null));
const d2 = new Database(":memory:", { strict: true });
t("strict", () => d2.query("select $a,:b,@c").values({ a: 1, b: 2, c: 3 }));
t("strict missing", () => d2.query("select $a,:b").values({ a: 1 }));
t("strict with sign", () => d2.query("select $a").values({ $a: 1 }));
t("strict few", () => d2.query("select ?,?").values(1));
t("strict many", () => d2.query("select ?").values(1, 2));
t("extension", () => d2.loadExtension("nope"));
t("extension without name", () => d2.loadExtension());
t("no such schema", () => d2.serialize("nope"));
d2.run("create table a(b unique)");
t("serialized", () => d2.serialize().constructor.name + d2.serialize().length);
t("not a database", () => Database.deserialize(new Uint8Array(10)).query("select * from sqlite_master").all());
t("deserialize text", () => Database.deserialize("x"));
t("deserialize nothing", () => Database.deserialize(new Uint8Array(0)));
t("deserialize read-only", () => Database.deserialize(d2.serialize(), { readonly: true }).run("create table z(a)"));
d2.run("insert into a values(1)");
t("deserialized", () => Database.deserialize(d2.serialize().buffer).query("select * from a").all());
t("unique", () => d2.run("insert into a values(1)"));
t("two statements, two parameters", () => d2.run("insert into a values(?); insert into a values(?)", 5, 6));
t("rows", () => d2.query("select * from a").values());
t("changes of two", () => d2.run("delete from a; select 1"));
class Person {
  get twice() {
    return this.x * 2;
  }
  constructor() {
    this.made = 1;
  }
}
t("as", () => {
  const row = d2.query("select 4 x").as(Person).get();
  return [row, row.twice, row instanceof Person, row.made];
});
t("as a number", () => d2.query("select 4 x").as(1));
t("as an arrow", () => d2.query("select 4 x").as(() => 1));
t("as nothing", () => d2.query("select 4 x").as(undefined).get() instanceof Person);
t("iterate", () => [...d2.query("select 4 x union select 5").iterate()]);
t("prepare with values", () => d2.prepare("select ?", [1], 0).values());
t("prepare with a value", () => d2.prepare("select ?", 5).values());
t("two statements", () => d2.prepare("select 1; select 2").values());
t("error", () => {
  try {
    d2.run("x");
  } catch (err) {
    return [err instanceof SQLiteError, err instanceof Error, String(err)];
  }
});
t("__proto__", () => {
  const row = d2.query("select 1 as __proto__").get();
  return [Object.keys(row), Object.getPrototypeOf(row) === Object.prototype];
});
t("empty name", () => d2.query('select 1 as ""').get());
t("texts", () => d2.query("select '☃é' x, cast(x'ff41' as text) y, 'a'||char(0)||'b' z, 'é' e").get());
t("lone surrogate", () => d2.query("select hex(?) x").get("\ud800a"));
t("cache", () => [d2.query("select 1") === d2.query("select 1"), d2.query("select 1") === d2.prepare("select 1")]);
t("many columns", () => {
  const names = Array.from({ length: 600 }, (_, i) => `${i} as c${i}`).join();
  const row = d2.query(`select ${names}`).get();
  return [Object.keys(row).length, row.c0, row.c599];
});
t("schema change", () => {
  d2.run("create table s(a)");
  d2.run("insert into s values(1)");
  const q = d2.prepare("select * from s");
  const before = q.get();
  d2.run("alter table s add column b default 7");
  return [before, q.get(), q.values()];
});
t("dispose", () => {
  let statement;
  {
    using other = new Database();
    using s = other.prepare("select 1");
    statement = s;
  }
  return statement.isFinalized;
});
