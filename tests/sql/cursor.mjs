// expected: written by hand
// Cursors of Bun.SQL: batches of rows from PostgreSQL and SQLite, as an async iterable and with a function.
import { SQL } from "bun";
import { outcome, startPostgres } from "./support/server.mjs";

const server = await startPostgres("cursor.out");
const say = (...what) => console.log(...what);
const sql = new SQL(server.url, { max: 2 });
const numbers = (count) => sql`select n, 'row ' || n as name from generate_series(1, ${count}::int) n`;

async function batches(cursor) {
  const sizes = [];
  for await (const rows of cursor) sizes.push(rows.length);
  return sizes;
}

say(await batches(numbers(7).cursor(3)), await batches(numbers(6).cursor(3)), await batches(numbers(2).cursor()), await batches(numbers(0).cursor(3)));
for await (const [row] of numbers(2).cursor()) say(row);
// The statement is known now, so that its columns come in other formats.
for await (const rows of sql`select ${1.5}::float8 as x, now() < now() as b, '\\x01'::bytea as y, ${[1, 2]}::int[] as list from generate_series(1, 3)`.cursor(2)) say(rows.columns.map(({ name }) => name), [...rows]);
for await (const rows of sql`select n, n * 2 as twice from generate_series(1, 3) n`.values().cursor(2)) say([...rows]);
for await (const rows of sql.unsafe("select 1 as a").cursor(5)) say([...rows], rows.command);

// A loop that is left early closes the cursor, and its connection is free.
const one = new SQL(server.url, { max: 1 });
for await (const [{ n }] of one`select generate_series(1, 1000000000) as n`.cursor(1)) {
  if (n === 3) break;
}
say((await one`select 'free' as x`)[0].x);
say(await outcome((async () => {
  for await (const _ of one`select n from generate_series(1, 100) n`.cursor(10)) throw new Error("of the loop");
})()));
say((await one`select 'free again' as x`)[0].x);

// With a function.
const seen = [];
await numbers(5).cursor(2, async (rows) => {
  await Bun.sleep(1);
  seen.push(rows.length);
});
say(seen);
let count = 0;
await numbers(100).cursor(10, () => (++count === 3 ? sql.CLOSE : undefined));
await numbers(100).cursor(() => (++count === 5 ? sql.END : undefined));
say(count);
say(await outcome(numbers(100).cursor(10, () => Promise.reject(new Error("of the function")))));

// Errors: at once, in the middle, and of rows; the connection goes on.
say(await outcome(batches(one`select nothing`.cursor(2))));
say(await outcome(batches(one`select 1 / (5 - n) as x from generate_series(1, 10) n`.cursor(2))));
for (const wrong of [0, -1, 1.5, "10", 2 ** 31]) say(await outcome((async () => numbers(1).cursor(wrong))()));
say((await one`select 'free' as x`)[0].x);

// In a transaction, and cancelled while nobody asks for more.
await sql.begin(async (tx) => {
  await tx`create temp table parts (n int)`;
  await tx`insert into parts select n from generate_series(1, 4) n`;
  for await (const rows of tx`select n from parts order by n`.cursor(3)) say(rows.map(({ n }) => n));
  say((await tx`select count(*)::int as n from parts`)[0].n);
});
{
  const query = sql`select n from generate_series(1, 100) n`;
  const iterator = query.cursor(1)[Symbol.asyncIterator]();
  await iterator.next();
  query.cancel();
  say(await outcome(iterator.next()));
}

// Queries beside a cursor take other connections, also when it has nothing to do.
{
  const iterator = sql`select n from generate_series(1, 100) n`.cursor(1)[Symbol.asyncIterator]();
  await iterator.next();
  say((await Promise.all(Array.from({ length: 20 }, (_, n) => sql`select ${n}::int as n`))).length);
  await iterator.return();
}

// A million rows, of which a batch is in memory.
{
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let rows = 0;
  let most = 0;
  for await (const batch of sql`select n, repeat('x', 100) as text from generate_series(1, 1000000) n`.cursor(1000)) {
    rows += batch.length;
    if (rows % 100000 === 0) most = Math.max(most, process.memoryUsage.rss() - before);
  }
  say(rows, most < 64 * 1024 * 1024);
}
await one.close();
await sql.close();

// SQLite.
const lite = new SQL("sqlite://:memory:");
await lite`create table t (n int, name text)`;
await lite`insert into t ${lite(Array.from({ length: 7 }, (_, n) => ({ n, name: `row ${n}` })))}`;
say(await batches(lite`select * from t`.cursor(3)), await batches(lite`select * from t where n < ${0}`.cursor(3)));
for await (const rows of lite`select n, name from t order by n`.cursor(4)) {
  say([...rows].map(({ n }) => n), rows.columns);
  if (rows[0].n === 4) break;
}
say(await outcome(batches(lite`select * from nothing`.cursor(2))));
let asked = 0;
await lite`select * from t`.cursor(2, () => (++asked === 2 ? lite.CLOSE : undefined));
say(asked);
await lite.close();
