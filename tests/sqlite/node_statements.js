// expected: recorded from node 25.9
const { DatabaseSync, StatementSync, Session, constants } = require("node:sqlite");
const show = (value) => JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}n` : v instanceof Uint8Array ? `<${[...v]}>` : v === undefined ? "undefined" : v));
const t = (name, f) => {
  try {
    console.log(name, "=>", show(f()));
  } catch (e) {
    console.log(name, "!!", e?.name, JSON.stringify(e?.message), e?.code, e?.errcode, e?.errstr, Object.keys(e).join());
  }
};
const db = new DatabaseSync(":memory:");
t("types", () => db.prepare("select typeof(?) a,typeof(?) b,typeof(?) c").get(1, 1.5, 1n));
t("too many", () => db.prepare("select ?").get(1, 2));
t("boolean", () => db.prepare("select ?").get(true));
t("ArrayBuffer", () => db.prepare("select ?").get(new ArrayBuffer(2)));
t("same names", () => db.prepare("select 1 a,2 b,3 a").get());
t("integer names", () => db.prepare('select 1 "1", 2 a').get());
t("array", () => db.prepare("select ?").get([1]));
t("null", () => db.prepare("select ?").get(null));
t("large", () => db.prepare("select 9007199254740993 x").get());
t("prototype", () => Object.getPrototypeOf(db.prepare("select 1 x").get()));
t("iterator", () => {
  const i = db.prepare("select 1 x").iterate();
  return [i instanceof Iterator, i.next(), i.next(), i.return(), typeof i.map];
});
t("comment", () => db.prepare("-- x").get());
t("exec nothing", () => db.exec(""));
t("two statements", () => db.prepare("select 1 a; select 2").all());
t("columns", () => {
  db.exec("create table q(a integer primary key,b text)");
  return db.prepare("select a,b x,1+1 from q").columns();
});
t("run", () => db.prepare("insert into q(b) values(?)").run("x"));
t("texts", () => {
  const s = db.prepare("select ?");
  s.get("a");
  return [s.expandedSQL, s.sourceSQL];
});
t("location", () => [db.location(), db.location("main"), db.location("nope")]);
t("location of a number", () => db.location(5));
t("run inside of a function", () => {
  db.function("g", () => {
    db.prepare("select 1").get();
    return 1;
  });
  return db.prepare("select g() x").get();
});
t("values are cleared", () => {
  const s = db.prepare("select ? x");
  s.get(5);
  return s.get();
});
t("tag store", () => {
  const s = db.createTagStore(2);
  s.get`select 1`;
  s.get`select 2`;
  s.get`select 3`;
  return [s.size, s.capacity, s.all`select ${1} a, ${"b"} b`, s.run`select 1`, [...s.iterate`select 7 x`]];
});
t("tag store without template", () => db.createTagStore(2).get("select 1"));
const closed = (use) => () => {
  const d = new DatabaseSync(":memory:");
  const s = d.prepare("select 1");
  const i = s.iterate();
  const session = d.createSession();
  d.close();
  return use({ d, s, i, session });
};
t("closed: get", closed(({ s }) => s.get()));
t("closed: text", closed(({ s }) => s.sourceSQL));
t("closed: next", closed(({ i }) => i.next()));
t("closed: session", closed(({ session }) => session.changeset()));
t("closed: exec", closed(({ d }) => d.exec("select 1")));
t("closed: close", closed(({ d }) => d.close()));
t("dispose twice", closed(({ d }) => (d[Symbol.dispose](), d[Symbol.dispose]())));
t("syntax", () => db.exec("selec"));
t("no folder", () => new DatabaseSync("/nonexist/x"));
t("no extensions", () => db.loadExtension("x"));
t("no such extension", () => new DatabaseSync(":memory:", { allowExtension: true }).loadExtension("/nonexist/x"));
t("authorizer: nothing", () => {
  db.setAuthorizer(() => {});
  db.exec("select 1");
});
t("authorizer: 7", () => {
  db.setAuthorizer(() => 7);
  db.exec("select 1");
});
db.setAuthorizer(null);
t("function: object", () => {
  db.function("h", () => ({}));
  db.prepare("select h()").get();
});
t("function: large", () => {
  db.function("h", () => 2n ** 64n);
  db.prepare("select h()").get();
});
t("function: large argument", () => {
  db.function("h", (a) => 1);
  db.prepare("select h(9007199254740993)").get();
});
t("function: boolean", () => {
  db.function("h", () => true);
  return db.prepare("select h() x").get();
});
t("function: number", () => {
  db.function("h", () => 1.5);
  return db.prepare("select typeof(h()) x").get();
});
t("aggregate of nothing", () => {
  db.aggregate("ag", { start: 0, step: (a, b) => a + b });
  return db.prepare("select ag(a) x from (select 1 a where 0)").get();
});
t("limit -1", () => {
  db.limits.length = -1;
});
t("limit x", () => {
  db.limits.length = "x";
});
t("limits 5", () => new DatabaseSync(":memory:", { limits: 5 }));
t("limits -1", () => new DatabaseSync(":memory:", { limits: { length: -1 } }));
t("limits x", () => new DatabaseSync(":memory:", { limits: { length: "x" } }));
t("limit names", () => Object.keys(db.limits));
t("options 5", () => db.prepare("select 1", 5));
t("timeout x", () => new DatabaseSync(":memory:", { timeout: "x" }));
t("StatementSync", () => new StatementSync());
t("Session", () => new Session());
t("session", () => {
  const session = db.createSession({ table: "q" });
  db.exec("insert into q values (7, 'seven')");
  const changes = session.changeset();
  const other = new DatabaseSync(":memory:");
  other.exec("create table q(a integer primary key,b text)");
  return [changes.length, session.patchset().length, other.applyChangeset(changes), other.prepare("select * from q").all(), other.applyChangeset(changes)];
});
t("transaction", () => {
  db.exec("begin");
  const inside = db.isTransaction;
  db.exec("rollback");
  return [inside, db.isTransaction, db.isOpen];
});
t("big integers", () => {
  const s = db.prepare("select 9007199254740993 x", { readBigInts: true, returnArrays: true });
  return [s.get(), s.all(), [...s.iterate()]];
});
t("names", () => {
  const s = db.prepare("select $a a, :b b, @c c, ? d");
  return [s.get({ a: 1, b: 2, c: 3 }, 4), s.get({ $a: 1, ":b": 2 }, 4), s.get(9)];
});
t("unknown name", () => db.prepare("select $a").get({ b: 1 }));
t("two of a name", () => db.prepare("select $k, @k").get({ k: 1 }));
