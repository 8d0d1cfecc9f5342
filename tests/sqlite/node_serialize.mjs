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
const to = new DatabaseSync(":memory:");
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
