// expected: written by hand
// Cursors of Bun.SQL: batches of rows from PostgreSQL and SQLite, as an async iterable and with a function.
import { SQL } from "bun";
import { outcome, startPostgres, untilSleeping } from "./support/server.mjs";

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
// While the rows are under way: nobody gets them, and the connection goes on.
{
  const query = one`select n, pg_sleep(case n when 3 then 20 else 0 end) from generate_series(1, 100) n`;
  const iterator = query.cursor(2)[Symbol.asyncIterator]();
  say((await iterator.next()).value.length);
  const next = outcome(iterator.next());
  await untilSleeping(sql);
  query.cancel();
  say(await next, await iterator.next(), (await one`select 'free' as x`)[0].x);
  const early = one`select n, ${"new"}::text as text from generate_series(1, 100) n`;
  const first = outcome(early.cursor(2)[Symbol.asyncIterator]().next());
  early.cancel();
  say(await first, (await one`select 'free' as x`)[0].x);
}
// Several calls of next() at once: each has its own rows.
{
  const iterator = numbers(5).cursor(2)[Symbol.asyncIterator]();
  const all = await Promise.all([1, 2, 3, 4, 5].map(() => iterator.next()));
  say(all.map(({ done, value }) => (done ? "done" : value.map(({ n }) => n))));
}
// What fails at the commit, behind the last rows.
{
  await one`create table parent (n int primary key)`;
  await one`create table child (n int references parent deferrable initially deferred)`;
  const insert = () => one`insert into child select g from generate_series(1, 3) g returning n`;
  say(await outcome(batches(insert().cursor(2))), await outcome(batches(insert().cursor(10))));
  say(await Promise.all([1, 2, 3].map((n) => one`select ${n}::int as n`.then(([row]) => row.n))), (await one`select count(*)::int as n from child`)[0].n);
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
{
  const query = lite`select * from t order by n`;
  const iterator = query.cursor(2)[Symbol.asyncIterator]();
  say((await iterator.next()).value.length);
  query.cancel();
  say(await outcome(iterator.next()), await iterator.next(), (await lite`select count(*) as n from t`)[0].n);
  const within = lite`select * from t`;
  let calls = 0;
  say(await outcome(within.cursor(2, () => void (++calls, within.cancel()))), calls);
  const open = lite`select * from t`.cursor(2)[Symbol.asyncIterator]();
  await open.next();
  await lite.close();
  say(await outcome(open.next()));
}
