// expected: recorded from bun 1.4.5, whose error for a schema that does not exist is "not an error"
// DatabaseSync.serialize() and deserialize(), of Node 26.
import { DatabaseSync } from "node:sqlite";
const attempt = (name, fn) => {
  try {
    console.log(name, fn());
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
const from = new DatabaseSync(":memory:");
from.exec("create table a(b); insert into a values (1),(2)");
const bytes = from.serialize();
attempt("bytes", () => [bytes instanceof Uint8Array, bytes.length, from.serialize("main").length]);
attempt("no text", () => from.serialize(1));
let to = new DatabaseSync(":memory:");
const count = () => to.prepare("select count(*) c from a").get().c;
attempt("deserialize", () => to.deserialize(bytes));
attempt("rows", count);
attempt("it can be written to", () => (to.exec("insert into a values (3)"), count()));
attempt("the bytes are a copy", () => (to.deserialize(from.serialize()), count()));
attempt("nothing", () => to.deserialize());
attempt("text", () => to.deserialize("x"));
attempt("empty", () => to.deserialize(new Uint8Array(0)));
attempt("options", () => to.deserialize(bytes, 1));
attempt("another schema", () => to.deserialize(bytes, { dbName: "nope" }));
attempt("named", () => (to.deserialize(bytes, { dbName: "main" }), count()));
attempt("what is no database", () => to.deserialize(new Uint8Array(100).fill(7)));
attempt("is found out by a query", count);
to.close();
attempt("closed", () => to.serialize());
attempt("closed", () => to.deserialize(bytes));

// Statements and sessions of before are gone, also if nothing was put in their place.
to = new DatabaseSync(":memory:");
to.deserialize(bytes);
const statement = to.prepare("select count(*) c from a");
const rows = to.prepare("select b from a").iterate();
const session = to.createSession();
rows.next();
attempt("while rows are read", () => to.deserialize(bytes));
attempt("a statement of before", () => statement.get());
attempt("rows of before", () => rows.next());
attempt("a session of before", () => session.changeset());
const kept = Array.from({ length: 100 }, () => to.prepare("select count(*) c from a"));
attempt("another schema", () => to.deserialize(bytes, { dbName: "nope" }));
const fresh = Array.from({ length: 100 }, () => to.prepare("select count(*) c from a"));
attempt("statements of before", () => kept.every((one) => { try { one.get(); } catch (error) { return error.code === "ERR_INVALID_STATE"; } }));
kept.length = 0;
Bun.gc(true);
attempt("statements of after", () => fresh.every((one) => one.get().c === 2));
to.exec("begin; insert into a values (9)");
attempt("in a transaction", () => to.deserialize(bytes));
attempt("which goes on", () => (to.exec("rollback"), count()));
to.function("inside", () => to.deserialize(bytes));
attempt("inside of a function", () => to.prepare("select inside()").get());
to.setAuthorizer((...asked) => (console.log(...asked), 0));
attempt("an authorizer is asked", () => to.deserialize(bytes));
to.setAuthorizer(() => 1);
attempt("an authorizer denies", () => to.deserialize(bytes));
to.setAuthorizer(() => {
  throw new Error("of the authorizer");
});
attempt("an authorizer throws", () => to.deserialize(bytes));
to.setAuthorizer(null);
attempt("rows", count);
