// What sqlite.sh runs in each runtime: one line "NAME MICROSECONDS_PER_ROW" for every measurement.
import { load } from "./clients.mjs";

const kind = process.argv[2];
const ROWS = 100_000;

/** The same few calls on each module. */
async function open() {
  if (kind === "bun") {
    const { Database } = await import("bun:sqlite");
    const db = new Database(":memory:");
    const prepare = (sql) => db.prepare(sql);
    return { exec: (sql) => db.run(sql), prepare, arrays: (sql) => ((s) => () => s.values())(prepare(sql)) };
  }
  if (kind === "better") {
    const db = new (load("better-sqlite3"))(":memory:");
    const prepare = (sql) => db.prepare(sql);
    return { exec: (sql) => db.exec(sql), prepare, arrays: (sql) => ((s) => () => s.all())(prepare(sql).raw(true)) };
  }
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(":memory:");
  const arrays = (sql) => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return () => statement.all();
  };
  return { exec: (sql) => db.exec(sql), prepare: (sql) => db.prepare(sql), arrays };
}

const db = await open();
db.exec("create table person(id integer primary key, name text, age integer, score real, city text)");
const insert = db.prepare("insert into person(name, age, score, city) values (?, ?, ?, ?)");
const cities = ["Bremen", "Oslo", "Lisboa", "Kyoto"];

const fill = () => {
  db.exec("begin");
  for (let i = 0; i < ROWS; i++) insert.run(`person number ${i}`, i % 90, i / 3, cities[i & 3]);
  db.exec("commit");
};
const byKey = db.prepare("select * from person where id = ?");
const all = db.prepare("select * from person");
const arrays = db.arrays("select * from person");

const work = {
  insert() {
    db.exec("delete from person");
    fill();
  },
  key() {
    let sum = 0;
    for (let i = 1; i <= ROWS; i++) sum += byKey.get(i).age;
    return sum;
  },
  objects: () => all.all().length,
  arrays: () => arrays().length,
  iterate() {
    let sum = 0;
    for (const row of all.iterate()) sum += row.age;
    return sum;
  },
};

for (const [name, run] of Object.entries(work)) {
  run();
  const times = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  console.log(name, ((times[2] * 1000) / ROWS).toFixed(4));
}
