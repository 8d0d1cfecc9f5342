// expected: recorded from bun 1.4.5
import { Database } from "bun:sqlite";
const show = (value) => JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}n` : v instanceof Uint8Array ? `<${[...v]}>` : v));
const t = (name, f) => {
  try {
    console.log(name, "=>", show(f()));
  } catch (e) {
    console.log(name, "!!", e?.name, JSON.stringify(e?.message ?? e), e?.code, e?.errno, e?.byteOffset);
  }
};
const db = new Database();
const one = (name, f, options = {}) =>
  t(name, () => {
    db.function("f", options, f);
    return db.query("select f(1,2) x").values();
  });
one("two arguments", (a, b) => a + b);
one("any number", (...a) => a.length, { varargs: true });
one("undefined", (a, b) => undefined);
one("boolean", (a, b) => true);
one("object", (a, b) => ({}));
one("promise", async (a, b) => 1);
one("symbol", (a, b) => Symbol());
one("bigint", (a, b) => 5n);
one("NaN", (a, b) => NaN);
one("bytes", (a, b) => new Uint8Array(2));
one("text", (a, b) => "é☃");
one("number", (a, b) => 1e20);
one("throws", (a, b) => {
  throw new TypeError("x");
});
one("throws a number", (a, b) => {
  throw 5;
});
one("close inside", (a, b) => {
  db.close(true);
});
one("run inside", (a, b) => {
  db.run("select 1");
});
one("safe integers", (a) => typeof a, { safeIntegers: true, varargs: true });
t("integers stay", () => {
  db.function("f", (a, b) => 1);
  return db.query("select typeof(f(1,2)) x").values();
});
t("option: not a boolean", () => db.function("f", { deterministic: 1 }, () => 1));
t("option: not a boolean", () => db.function("f", { directOnly: "x" }, () => 1));
t("option: no object", () => db.function("f", 5, () => 1));
t("null options", () => db.function("f", null, () => 1) === db);
t("no function", () => db.function("f", {}, 5));
t("no name", () => db.function("", () => 1));
t("sum", () => {
  db.aggregate("s", { start: 0, step: (a, b) => a + b });
  return db.query("select s(column1) from (values(1),(2),(3))").values();
});
t("in place", () => {
  db.aggregate("s", { start: () => [], step: (a, b) => void a.push(b), result: (a) => a.join() });
  return db.query("select s(column1) from (values(1),(2),(3))").values();
});
t("no start", () => {
  db.aggregate("s", { step: (a, b) => b });
  return db.query("select s(column1) from (values(1),(2),(3))").values();
});
t("no window function", () => {
  db.aggregate("s", { start: 0, step: (a, b) => a + b });
  return db.query("select s(column1) over (order by column1) from (values(1),(2),(3))").values();
});
t("window function", () => {
  db.aggregate("s", { start: 0, step: (a, b) => a + b, inverse: (a, b) => a - b, result: (x) => x * 10 });
  return db.query("select s(column1) over (order by column1 rows between 1 preceding and current row) from (values(1),(2),(3))").values();
});
t("no rows", () => {
  db.aggregate("s", { start: 0, step: (a, b) => a + b });
  return db.query("select s(a) from (select 1 a where 0)").values();
});
t("groups", () => {
  db.aggregate("s", { start: 0, step: (a, b) => a + b });
  return db.query("select column1, s(column2) from (values('a',2),('b',3),('a',4)) group by 1").values();
});
t("no step", () => db.aggregate("s", { start: 0 }));
t("step is a number", () => db.aggregate("s", { start: 0, step: 5 }));
t("start throws", () => {
  db.aggregate("s", {
    start: () => {
      throw new Error("start");
    },
    step: (a, b) => a + b,
  });
  return db.query("select s(column1) from (values(1),(2),(3))").values();
});
t("step throws", () => {
  db.aggregate("s", {
    step: (a, b) => {
      if (b === 2) throw new Error("step");
    },
  });
  return db.query("select s(column1) from (values(1),(2),(3))").values();
});
t("result throws", () => {
  db.aggregate("s", {
    step: (a, b) => b,
    result: () => {
      throw new Error("result");
    },
  });
  return db.query("select s(column1) from (values(1),(2),(3))").values();
});
db.run("create table t(a integer primary key,b)");
t("hooks", () => {
  const seen = [];
  db.onInsert = (...a) => seen.push(["i", a[0] === db, ...a.slice(1)]);
  db.onUpdate = function (...a) {
    seen.push(["u", this === db, ...a.slice(1)]);
  };
  db.onDelete = (...a) => seen.push(["d", ...a.slice(1)]);
  db.run("insert into t(b) values(5),(6)");
  db.run("update t set b=7 where a=1");
  db.run("delete from t where a=2");
  return [seen, typeof db.onInsert];
});
t("hook: a number", () => {
  db.onInsert = 5;
});
t("hooks away", () => {
  db.onInsert = null;
  db.onUpdate = undefined;
  return [db.onInsert, db.onUpdate];
});
const numbers = db.query("with recursive c(x) as (values(1) union all select x+1 from c where x<5) select x from c");
t("run while iterating", () => {
  const seen = [];
  for (const row of numbers.iterate()) {
    seen.push(row.x);
    if (row.x == 2) seen.push(numbers.get().x);
  }
  return seen;
});
t("break", () => {
  for (const row of numbers.iterate()) if (row.x === 3) break;
  return numbers.all().length;
});
const d = new Database();
t("finalize while iterating", () => {
  const s = d.prepare("select 1 union select 2");
  for (const row of s.iterate()) s.finalize();
});
t("finalize inside", () => {
  let s;
  d.function("g", () => {
    s.finalize();
    return 1;
  });
  s = d.prepare("select g() x");
  return s.get();
});
t("itself inside", () => {
  let s;
  d.function("g2", () => s.get().x);
  s = d.prepare("select g2() x");
  return s.get();
});
t("another inside", () => {
  d.function("g2", () => d.query("select 1").get().x);
  return d.prepare("select g2() x").get();
});
t("afterwards", () => d.query("select 1 x").get());
const it = d.query("select 1 union select 2").iterate();
it.next();
t("close while iterating", () => d.close(true));
t("next", () => it.next());
