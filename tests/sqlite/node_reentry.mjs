// expected: written by hand
// Functions that SQL calls may use the connection in node:sqlite, but not pull the statement away that has called them.
import { DatabaseSync, backup, constants } from "node:sqlite";
const t = (name, f) => {
  try {
    console.log(name, "=>", JSON.stringify(f()));
  } catch (e) {
    console.log(name, "!!", e.name, e.message, e.code);
  }
};
const db = new DatabaseSync(":memory:");
db.exec("create table t(a)");
db.function("inner", (n) => {
  db.exec(`insert into t values(${n})`);
  return db.prepare("select count(*) c from t").get().c;
});
t("another statement inside", () => db.prepare("select inner(column1) x from (values(7),(8))").all());
let statement;
db.function("itself", () => statement.get().x);
statement = db.prepare("select itself() x");
t("itself inside", () => statement.get());
db.function("closing", () => db.close());
t("close inside", () => db.prepare("select closing() x").get());
t("open afterwards", () => db.prepare("select 1 x").get());
db.function("redefining", () => {
  db.function("redefining", () => 2);
  return 1;
});
t("redefined while it runs", () => db.prepare("select redefining() x").get());
const getter = {
  get a() {
    db.close();
    return 1;
  },
};
t("close while values are read", () => db.prepare("select $a x").get(getter));
t("closed", () => db.isOpen);

// An exception out of an authorizer and a conflict handler is the one that the call ends with.
const other = new DatabaseSync(":memory:");
other.setAuthorizer(() => {
  throw new Error("never");
});
t("authorizer throws", () => other.exec("select 1"));
other.setAuthorizer((action, table) => (action === constants.SQLITE_READ && table === "secret" ? constants.SQLITE_DENY : constants.SQLITE_OK));
other.exec("create table secret(a)");
t("denied", () => other.prepare("select a from secret").all());

// Closures over a database do not keep it: all of these are collected.
for (let i = 0; i < 200; i++) {
  const each = new DatabaseSync(":memory:");
  each.function("self", () => (each.isOpen ? 1 : 0));
  each.setAuthorizer(() => (each.isOpen ? 0 : 1));
  each.prepare("select self()").get();
}

// A backup of a database that closes meanwhile.
const source = new DatabaseSync(":memory:");
source.exec("create table t(a); insert into t values(zeroblob(100000))");
const target = `/tmp/bao-backup-${process.pid}.db`;
const running = backup(source, target, { rate: 1, progress: () => source.isOpen && source.close() });
await running.then(
  () => console.log("done"),
  (error) => console.log("backup", error.code, error.message),
);
(await import("node:fs")).rmSync(target, { force: true });
