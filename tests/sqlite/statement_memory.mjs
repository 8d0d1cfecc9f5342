// expected: written by hand
// Statements that a program leaves to the collector: it knows what they have of SQLite's memory.
import { Database } from "bun:sqlite";
const db = new Database(":memory:");
db.run("create table t(a, b, c)");
const prepareMany = (count) => {
  for (let i = 0; i < count; i++) db.prepare(`select a, b, c from t where a = ${i} order by b`).get();
  return process.memoryUsage.rss();
};
const before = prepareMany(20_000);
const growth = (prepareMany(50_000) - before) / 2 ** 20;
// 50,000 of them have 190 MiB.
console.log(growth < 80 ? "collected" : `grew by ${Math.round(growth)} MiB`);
