// expected: written by hand
// Cursors of Bun.SQL with a server of MariaDB: the server keeps the rows until they are fetched.
import { SQL } from "bun";
import { readFileSync } from "node:fs";
import { start } from "./support/mariadb.mjs";
import { outcome, until } from "./support/server.mjs";

const say = (...what) => console.log(...what);
const server = await start();
if (server === undefined) {
  console.error("skipped: MariaDB is not installed");
  process.stdout.write(readFileSync("mysql_cursor.out"));
  process.exit(0);
}
const options = { adapter: "mysql", path: server.path, username: "root", database: "mysql" };
const sql = new SQL({ ...options, max: 2 });
await sql`create database test`;
await sql`create table test.t (n int, name varchar(20), at datetime, data json)`;
await sql`insert into test.t ${sql(Array.from({ length: 7 }, (_, n) => ({ n, name: `row ${n}`, at: new Date(Date.UTC(2020, 0, n + 1)), data: JSON.stringify([n]) })))}`;

async function batches(cursor) {
  const sizes = [];
  for await (const rows of cursor) sizes.push(rows.length);
  return sizes;
}
say(await batches(sql`select * from test.t`.cursor(3)), await batches(sql`select * from test.t`.cursor(7)), await batches(sql`select * from test.t where n > ${100}`.cursor(3)));
for await (const rows of sql`select * from test.t where n < ${3} order by n`.cursor(2)) say([...rows], rows.columns.map(({ name }) => name), rows.count);
for await (const rows of sql`select n, name from test.t where n < 3 order by n`.values().cursor(2)) say([...rows]);
// What the server sends at once comes in batches all the same.
say(await batches(sql`show columns from test.t`.cursor(3)), await batches(sql.unsafe("select 1 as a").cursor(5)), await batches(sql`insert into test.t (n) values (${99})`.cursor(2)));

// A loop that is left early, a function that ends the cursor, errors: the one connection is free again.
const one = new SQL({ ...options, max: 1 });
for await (const [{ n }] of one`select n from test.t order by n`.cursor(1)) if (n === 2) break;
say((await one`select 'free' as x`)[0].x);
let count = 0;
await one`select n from test.t`.cursor(2, () => (++count === 2 ? sql.CLOSE : undefined));
say(count, await outcome(one`select n from test.t`.cursor(2, () => Promise.reject(new Error("of the function")))));
say(await outcome(batches(one`select nothing`.cursor(2))));
say(await outcome(batches(one`select (select n from test.t) as x`.cursor(2))));
const query = one`select n from test.t`;
const iterator = query.cursor(1)[Symbol.asyncIterator]();
await iterator.next();
query.cancel();
say(await outcome(iterator.next()), (await one`select 'free' as x`)[0].x);
// While the rows are under way: nobody gets them. Before the statement is prepared.
{
  const slow = one`select n, sleep(if(n = 3, 20, 0)) from test.t where n < ${7}`;
  const first = outcome(slow.cursor(2)[Symbol.asyncIterator]().next());
  await until(async () => (await sql`select 1 from information_schema.processlist where state = 'User sleep'`).length === 1);
  slow.cancel();
  say(await first, (await one`select 'free' as x`)[0].x);
  for (const early of [one`select n from test.t where n < ${8}`, one`select n from test.t where n < ${9}`]) {
    const rows = outcome(early.cursor(2)[Symbol.asyncIterator]().next());
    early.cancel();
    say(await rows, (await one`select 'free' as x`)[0].x);
  }
  const plain = one`select n from test.t where n < ${10}`.execute();
  plain.cancel();
  say(await outcome(plain), (await one`select 'free' as x`)[0].x);
}
await sql.begin(async (tx) => {
  await tx`delete from test.t where n > ${4}`;
  say(await batches(tx`select n from test.t`.cursor(2)));
});

// Many rows, of which a batch is in memory.
{
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let rows = 0;
  let most = 0;
  for await (const batch of sql`select seq, repeat('x', 100) as text from seq_1_to_300000`.cursor(1000)) {
    rows += batch.length;
    if (rows % 50000 === 0) most = Math.max(most, process.memoryUsage.rss() - before);
  }
  say(rows, most < 64 * 1024 * 1024);
}
await one.close();
await sql.close();
await server.stop();
